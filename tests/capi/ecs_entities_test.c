/* <kith/ecs.h>: worlds, ids, entities, values, names and modules by the names of Flecs. */
/* spec 433 */
#define SUITE "ecs_entities"
#include <kith/ecs.h>

#include "harness.h"

typedef struct Eats {
    int32_t amount;
} Eats;

static int freed_contexts;
static void free_ctx(void* ctx) {
    (void)ctx;
    freed_contexts++;
}

/* Ends a world whose storage must be sound. */
static void end(ecs_world_t* world) {
    CHECK_OK(kith_check(world));
    CHECK(ecs_fini(world) == 0);
}

TEST(contexts, "a world keeps a context for the program and one for a binding") {
    char program[] = "program";
    char* arguments[] = {program, NULL};
    ecs_world_t* world = ecs_init_w_args(1, arguments);
    int mine = 0, others = 0;
    freed_contexts = 0;
    CHECK_OK(ecs_set_ctx(world, &mine, free_ctx));
    CHECK_OK(ecs_set_binding_ctx(world, &others, free_ctx));
    CHECK(ecs_get_ctx(world) == &mine && ecs_get_context(world) == &mine);
    CHECK(ecs_get_binding_ctx(world) == &others);
    end(world);
    CHECK(freed_contexts == 2);
}

TEST(pairs, "ids are taken apart by macros") {
    ecs_world_t* world = ecs_mini();
    ECS_TAG(world, Likes);
    ECS_COMPONENT(world, Eats);
    const ecs_entity_t bob = ecs_new_entity(world, "Bob");
    const ecs_id_t likes_bob = ecs_make_pair(Likes, bob);
    CHECK(ECS_IS_PAIR(likes_bob) && ecs_id_is_pair(likes_bob) && !ecs_id_is_pair(bob));
    CHECK(ECS_PAIR_FIRST(likes_bob) == Likes && ECS_PAIR_SECOND(likes_bob) == bob);
    CHECK(ECS_HAS_RELATION(likes_bob, Likes) && !ECS_HAS_RELATION(likes_bob, bob));
    CHECK(ECS_HAS_ID_FLAG(likes_bob, PAIR) && !ECS_HAS_ID_FLAG(likes_bob, OVERRIDE));
    CHECK(ecs_pair_t(Eats, bob) == ecs_pair(ecs_id(Eats), bob));
    CHECK(ecs_pair_object(world, likes_bob) == bob && ecs_pair_relation(world, likes_bob) == Likes);
    CHECK_TEXT(ecs_id_flag_str(ECS_PAIR), "PAIR");
    CHECK_TEXT(ecs_id_flag_str(ECS_OVERRIDE), "OVERRIDE");
    CHECK_TEXT(ecs_id_flag_str(ECS_TOGGLE), "TOGGLE");
    CHECK(!ecs_id_flag_str(1));
    CHECK_OWNED_TEXT(ecs_id_str(world, likes_bob), "(Likes,Bob)");

    const ecs_entity_t first = ecs_new_id(world);
    ecs_delete(world, first);
    const ecs_entity_t again = ecs_new_id(world);
    CHECK(ecs_strip_generation(again) == (again & ECS_ENTITY_MASK));
    CHECK(ECS_GENERATION(again) == kith_generation_of(again));
    CHECK(ecs_entity_t_lo(again) == kith_index_of(again));
    CHECK(ecs_entity_t_comb(ecs_entity_t_lo(again), ecs_entity_t_hi(again)) == again);
    end(world);
}

TEST(type_info, "a type is described by its id, and the list of ids is printed") {
    ecs_world_t* world = ecs_init();
    ECS_COMPONENT(world, Position);
    ECS_COMPONENT(world, Mass);
    ECS_TAG(world, Likes);
    const ecs_type_info_t* position = ecs_get_type_info(world, ecs_id(Position));
    const ecs_type_info_t* mass = ecs_get_type_info(world, ecs_pair_t(Mass, Likes));
    CHECK(position && position->size == sizeof(Position));
    CHECK(mass && mass->component == ecs_id(Mass));
    CHECK(!ecs_get_type_info(world, Likes));
    const EcsComponent* stored = ecs_get(world, ecs_id(Position), EcsComponent);
    CHECK(stored && stored->size == ECS_SIZEOF(Position));
    CHECK(stored && stored->alignment == ECS_ALIGNOF(Position));

    const ecs_entity_t e = ecs_new_w_pair(world, Likes, ecs_id(Mass));
    ecs_add_id(world, e, Likes);
    char* text = ecs_type_str(world, ecs_get_type(world, e));
    CHECK(text && strstr(text, "Likes") && strstr(text, "(Likes,Mass)") && strstr(text, ", "));
    ecs_os_free(text);
    CHECK_OWNED_TEXT(ecs_type_str(world, ecs_get_type(world, ecs_new_id(world))), "");
    end(world);
}

TEST(values, "set makes an entity where none is given, and returns it") {
    ecs_world_t* world = ecs_init();
    ECS_COMPONENT(world, Position);
    ECS_COMPONENT(world, Eats);
    const ecs_entity_t made = ecs_set(world, 0, Position, {1, 2});
    CHECK(made != 0 && ecs_get(world, made, Position)->y == 2);
    CHECK(ecs_set(world, made, Position, {3, 4}) == made);
    const Position moved = {5, 6};
    CHECK(ecs_set_ptr(world, made, Position, &moved) == made);
    CHECK(ecs_get(world, made, Position)->x == 5);
    const int32_t count = ecs_count_id(world, ecs_id(Position));
    CHECK_FAILS(ecs_set_id(world, 0, ecs_id(Position), 1, &moved), KITH_WRONG_TYPE);
    CHECK_FAILS(ecs_set_id(world, 99999, ecs_id(Position), sizeof moved, &moved),
                KITH_INVALID_ENTITY);
    CHECK(ecs_count_id(world, ecs_id(Position)) == count);

    const ecs_entity_t apples = ecs_new_entity(world, "Apples");
    CHECK(ecs_set_pair(world, made, Eats, apples, {3}) == made);
    ecs_get_mut_pair(world, made, Eats, apples)->amount++;
    CHECK_OK(ecs_modified_pair(world, made, ecs_id(Eats), apples));
    CHECK(ecs_get_pair(world, made, Eats, apples)->amount == 4);
    CHECK(ecs_set_pair_second(world, made, apples, Position, {7, 8}) == made);
    ecs_get_mut_pair_second(world, made, apples, Position)->x = 9;
    CHECK(ecs_get_pair_second(world, made, apples, Position)->x == 9);
    CHECK(ecs_get_mut_pair_object(world, made, apples, Position)->y == 8);

    ecs_ref_t ref = ecs_ref_init(world, made, Position);
    CHECK(ecs_ref_get(world, &ref, Position)->x == 5);
    CHECK(ecs_ref_get_id(world, &ref, ecs_id(Position)) != NULL);
    end(world);
}

TEST(emplaced, "emplace returns memory for a value that the entity does not have yet") {
    ecs_world_t* world = ecs_init();
    ECS_COMPONENT(world, Position);
    ECS_COMPONENT(world, Eats);
    const ecs_entity_t e = ecs_new_id(world);
    Position* p = ecs_emplace(world, e, Position);
    CHECK(p && p->x == 0);
    CHECK_FAILS(ecs_emplace(world, e, Position), KITH_ALREADY_EXISTS);
    Eats* eats = ecs_emplace_pair(world, e, Eats, e);
    CHECK(eats && ecs_has_pair(world, e, ecs_id(Eats), e));
    ecs_singleton_emplace(world, Eats)->amount = 6;
    CHECK(ecs_singleton_get(world, Eats)->amount == 6);
    const Eats more = {7};
    CHECK(ecs_singleton_set_ptr(world, Eats, &more) == ecs_id(Eats));
    CHECK(ecs_singleton_get(world, Eats)->amount == 7);
    ecs_singleton_remove(world, Eats);
    CHECK(!ecs_singleton_get(world, Eats));
    end(world);
}

TEST(inherited, "an instance shares a value unless it is overridden") {
    ecs_world_t* world = ecs_init();
    ECS_COMPONENT(world, Position);
    ECS_COMPONENT(world, Mass);
    ECS_TAG(world, Likes);
    const ecs_entity_t bob = ecs_new_entity(world, "Bob");
    ECS_PREFAB(world, Ship, Position, (Likes, Bob));
    CHECK(ecs_has_id(world, Ship, EcsPrefab) && ecs_has_pair(world, Ship, Likes, bob));
    CHECK(ecs_set_override(world, Ship, Mass, {40}) == Ship);
    const ecs_entity_t mine = ecs_new_w_pair(world, EcsIsA, Ship);
    CHECK(ecs_shares(world, mine, Position) && !ecs_owns(world, mine, Position));
    CHECK(ecs_shares_id(world, mine, ecs_id(Position)));
    CHECK(ecs_shares_pair(world, mine, Likes, bob) && !ecs_shares_pair(world, Ship, Likes, bob));
    CHECK(ecs_owns(world, mine, Mass) && !ecs_shares(world, mine, Mass));
    CHECK(ecs_get(world, mine, Mass)->tons == 40);
    CHECK(ecs_get_target_for(world, mine, EcsIsA, Position) == Ship);
    CHECK_OK(ecs_override_pair(world, Ship, Likes, bob));
    CHECK(ecs_owns_pair(world, ecs_new_w_pair(world, EcsIsA, Ship), Likes, bob));
    end(world);
}

static ECS_ENTITY_DECLARE(Moon);
static ECS_PREFAB_DECLARE(Rocket);

TEST(declared, "entities are declared with the ids of a text") {
    ecs_world_t* world = ecs_init();
    ECS_COMPONENT(world, Position);
    ECS_TAG(world, Planet);
    ECS_ENTITY(world, Earth, Planet, Position);
    ECS_ENTITY(world, Plain, 0);
    CHECK(ecs_has_id(world, Earth, Planet) && ecs_has(world, Earth, Position));
    CHECK_TEXT(ecs_get_name(world, Earth), "Earth");
    CHECK(ecs_id(Earth) == Earth && ecs_lookup(world, "Plain") == Plain);
    CHECK(ECS_ENTITY_DEFINE(world, Moon, (ChildOf, Earth)) != 0);
    CHECK(ecs_get_parent(world, Moon) == Earth && ecs_id(Moon) == Moon);
    CHECK(ECS_PREFAB_DEFINE(world, Rocket, Position) != 0);
    CHECK(ecs_has_id(world, Rocket, EcsPrefab) && ecs_has(world, Rocket, Position));

    const ecs_entity_t* many = ecs_bulk_new(world, Position, 3);
    CHECK(many && ecs_has(world, many[2], Position));
    many = ecs_bulk_new_w_id(world, Planet, 2);
    CHECK(many && ecs_count_id(world, Planet) == 3);
    CHECK_OK(ecs_delete_children(world, Earth));
    CHECK(!ecs_is_alive(world, Moon) && ecs_is_alive(world, Earth));
    end(world);
}

TEST(toggled, "components and pairs are switched off and on") {
    ecs_world_t* world = ecs_init();
    ECS_COMPONENT(world, Position);
    ECS_COMPONENT(world, Eats);
    const ecs_entity_t e = ecs_set(world, 0, Position, {1, 2});
    ecs_set_pair(world, e, Eats, e, {1});
    CHECK(ecs_is_enabled(world, e, Position) && ecs_is_enabled_pair(world, e, Eats, e));
    CHECK_OK(ecs_enable_component(world, e, Position, false));
    CHECK_OK(ecs_enable_pair(world, e, Eats, e, false));
    CHECK(!ecs_is_enabled_component(world, e, Position));
    CHECK(!ecs_is_enabled_pair(world, e, Eats, e));
    CHECK_OK(ecs_enable_component(world, e, Position, true));
    CHECK(ecs_is_enabled(world, e, Position));
    end(world);
}

TEST(names, "paths have separators of one's own, and entities are made at paths") {
    ecs_world_t* world = ecs_init();
    const ecs_entity_t earth = ecs_new_from_path(world, 0, "Sun::Earth");
    const ecs_entity_t sun = ecs_lookup(world, "Sun");
    CHECK(earth && ecs_get_parent(world, earth) == sun);
    CHECK(ecs_new_from_fullpath(world, "Sun::Earth") == earth);
    const ecs_entity_t moon = ecs_new_from_path_w_sep(world, earth, "Old/Moon", "/", NULL);
    CHECK_OWNED_TEXT(ecs_get_path(world, earth, moon), "Old::Moon");
    CHECK_OWNED_TEXT(ecs_get_path_w_sep(world, sun, moon, ".", NULL), "Earth.Old.Moon");
    CHECK(ecs_lookup_path_w_sep(world, sun, "Earth.Old.Moon", ".", NULL, false) == moon);
    CHECK(ecs_set_name(world, 0, "Mars") == ecs_lookup(world, "Mars"));
    CHECK(ecs_set_name(world, moon, "Luna") == moon);
    CHECK_FAILS(ecs_set_name(world, 99999, "Nobody"), KITH_INVALID_ENTITY);
    CHECK(ecs_set_symbol(world, moon, "the_moon") == moon);
    CHECK(ecs_lookup_symbol(world, "the_moon") == moon);
    CHECK(!ecs_lookup_symbol(world, "Mars", false));
    CHECK(ecs_lookup_symbol(world, "Mars", true) == ecs_lookup(world, "Mars"));
    CHECK(ecs_lookup_symbol(world, "Mars", true, false) != 0);
    CHECK(ecs_get_object(world, moon, EcsChildOf, 0) == ecs_get_parent(world, moon));
    end(world);
}

static int imports;
static void PhysicsImport(ecs_world_t* world) {
    ECS_MODULE(world, Physics);
    ECS_COMPONENT(world, Mass);
    ecs_new_entity(world, "Gravity");
    CHECK(ecs_id(Physics) != 0 && ecs_id(Mass) != 0);
    imports++;
}

TEST(modules, "a module is imported once, in a scope of its own") {
    ecs_world_t* world = ecs_init();
    imports = 0;
    ECS_IMPORT(world, Physics);
    CHECK(ecs_has_id(world, ecs_id(Physics), EcsModule));
    CHECK(ecs_import(world, PhysicsImport, "Physics") == ecs_id(Physics));
    CHECK(ecs_import_c(world, PhysicsImport, "Physics") == ecs_id(Physics));
    CHECK(imports == 1 && ecs_get_scope(world) == 0);
    CHECK(ecs_lookup(world, "Physics::Gravity") != 0 && !ecs_lookup(world, "Gravity"));
    CHECK_FAILS(ecs_import(world, NULL, "Nothing"), KITH_INVALID_ARGUMENT);
    end(world);
}

TEST(os, "memory and texts have the names of the operating system's layer") {
    int32_t* numbers = ecs_os_calloc_n(int32_t, 4);
    numbers[3] = 7;
    numbers = ecs_os_realloc_n(numbers, int32_t, 8);
    int32_t* copy = ecs_os_malloc_n(int32_t, 4);
    ecs_os_memcpy_n(copy, numbers, int32_t, 4);
    CHECK(copy[3] == 7 && copy[0] == 0 && ecs_os_memcmp(copy, numbers, 16) == 0);
    ecs_os_memmove_n(copy, copy + 3, int32_t, 1);
    CHECK(copy[0] == 7);
    ecs_os_memset_n(copy, 0, int32_t, 4);
    CHECK(copy[0] == 0 && copy[3] == 0);
    ecs_os_free(copy);
    ecs_os_free(numbers);
    Position* one = ecs_os_malloc_t(Position);
    ecs_os_zeromem(one);
    one->x = 2;
    Position* other = ecs_os_calloc_t(Position);
    ecs_os_memcpy_t(other, one, Position);
    CHECK(other->x == 2 && other->y == 0);
    ecs_os_memset_t(other, 0, Position);
    CHECK(ECS_ELEM_T(other, Position, 0)->x == 0 && ECS_OFFSET(other, 0) == other);
    ecs_os_free(one);
    ecs_os_free(other);
    char* text = ecs_os_strdup("kith");
    CHECK(ecs_os_strlen(text) == 4 && ecs_os_strcmp(text, "kith") == 0);
    CHECK(ecs_os_strncmp(text, "kin", 2) == 0 && !ecs_os_strdup(NULL));
    ecs_os_free(text);
    CHECK(ECS_MAX(2, 3) == 3 && ECS_MIN(2, 3) == 2 && ECS_CAST(int, 2.5) == 2);
    ecs_log_set_level(2);
    ecs_log_enable_colors(false);
}
