/* Relationships, traversal, names and modules. */
#define SUITE "relations"
#include "harness.h"

/* spec 422 */
TEST(properties, "a relationship is declared with all its properties, or with none") {
    kith_world_t* world = kith_init();
    kith_entity_t docked = kith_relation(world, {.name = "DockedTo", .exclusive = true});
    kith_entity_t a = kith_new(world), b = kith_new(world), e = kith_new(world);
    CHECK(kith_has_id(world, docked, KithExclusive));
    CHECK_OK(kith_add_pair(world, e, docked, a));
    CHECK_OK(kith_add_pair(world, e, docked, b));
    CHECK(kith_get_target(world, e, docked, 0) == b && kith_get_target(world, e, docked, 1) == 0);
    kith_entity_t below = kith_relation(
        world, {.name = "Below", .traversable = true, .on_delete_target = KithDelete});
    CHECK_OK(kith_add_pair(world, a, below, b));
    CHECK_STATUS(kith_add_pair(world, b, below, a), KITH_CYCLE);
    CHECK_OK(kith_delete(world, b));
    CHECK_ABSENT(kith_is_alive(world, a));
    CHECK_FAILS(kith_relation(world, {.name = "Odd", .symmetric = true, .acyclic = true}),
                KITH_CONSTRAINT);
    CHECK_ABSENT(kith_lookup(world, "Odd"));
    CHECK_FAILS(kith_relation(world, {.entity = a}), KITH_INVALID_ENTITY);
    CHECK(kith_relation(world, {.sparse = true}) != 0);
    CHECK_OK(kith_check(world));
    CHECK_OK(kith_fini(world));
}

TEST(each_property, "each property of the description arrives at the relationship") {
    kith_world_t* world = kith_init();
    kith_entity_t other = kith_new_entity(world, "Other");
    const struct {
        kith_relation_desc_t desc;
        kith_id_t id;
    } expected[] = {
        {{.exclusive = true}, KithExclusive},
        {{.tag = true}, KithTag},
        {{.symmetric = true}, KithSymmetric},
        {{.transitive = true}, KithTransitive},
        {{.reflexive = true}, KithReflexive},
        {{.acyclic = true}, KithAcyclic},
        {{.traversable = true}, KithTraversable},
        {{.final = true}, KithFinal},
        {{.dont_inherit = true}, KithDontInherit},
        {{.transient = true}, KithTransient},
        {{.sparse = true}, KithSparse},
        {{.on_delete = KithPanic}, kith_pair(KithOnDelete, KithPanic)},
        {{.on_delete_target = KithDelete}, kith_pair(KithOnDeleteTarget, KithDelete)},
        {{.with = other}, kith_pair(KithWith, other)},
        {{.one_of = other}, kith_pair(KithOneOf, other)},
    };
    const kith_entity_t plain = kith_relation(world, {.name = "Plain"});
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const kith_entity_t relation = kith_relation_init(world, &expected[i].desc);
        CHECK(relation && kith_has_id(world, relation, expected[i].id));
        CHECK_ABSENT(kith_has_id(world, plain, expected[i].id));
    }
    CHECK_OK(kith_fini(world));
}

static bool collect(kith_entity_t entity, int32_t depth, void* ctx) {
    kith_entity_t* found = ctx;
    found[depth] = entity;
    return depth < 2;
}
static bool refuse_step(kith_entity_t entity, int32_t depth, void* ctx) {
    (void)entity;
    (void)depth;
    (void)ctx;
    kith_fail(KITH_LIMIT, "enough");
    return true;
}

TEST(graphs, "targets, depths, ways up and down") {
    kith_world_t* world = kith_init();
    KITH_TAG(world, Flag);
    kith_entity_t chain[4];
    for (int i = 0; i < 4; i++) {
        chain[i] = kith_new(world);
        if (i > 0) {
            CHECK_OK(kith_add_pair(world, chain[i], KithChildOf, chain[i - 1]));
        }
    }
    CHECK(kith_get_parent(world, chain[3]) == chain[2]);
    CHECK_ABSENT(kith_get_parent(world, chain[0]));
    CHECK(kith_get_depth(world, chain[3], KithChildOf) == 3);
    kith_add_id(world, chain[1], Flag);
    CHECK(kith_get_target_for_id(world, chain[3], KithChildOf, Flag) == chain[1]);
    CHECK_ABSENT(kith_get_target_for_id(world, chain[0], KithChildOf, Flag));
    kith_entity_t found[4] = {0, 0, 0, 0};
    CHECK_OK(kith_walk_up(world, chain[3], KithChildOf, collect, found, 0));
    CHECK(found[1] == chain[2] && found[2] == chain[1] && found[3] == 0);
    CHECK_STATUS(kith_walk_up(world, chain[3], KithChildOf, collect, found, 1), KITH_LIMIT);
    CHECK_STATUS(kith_walk_up(world, chain[3], KithChildOf, refuse_step, NULL, 0), KITH_CALLBACK);
    CHECK_STATUS(kith_walk_up(world, chain[3], KithChildOf, NULL, NULL, 0), KITH_INVALID_ARGUMENT);
    CHECK_STATUS(kith_walk_up(world, 0, KithChildOf, collect, found, 0), KITH_INVALID_ENTITY);

    kith_traversal_t* walk = kith_traverse(world, chain[0], KithChildOf);
    for (int32_t i = 0, depth = -1; i < 4; i++) {
        CHECK(kith_traversal_next(walk, &depth) == chain[i] && depth == i);
    }
    CHECK_ABSENT(kith_traversal_next(walk, NULL));
    CHECK_ABSENT(kith_traversal_next(walk, NULL));
    kith_traversal_fini(walk);
    kith_traversal_fini(NULL);
    CHECK_FAILS(kith_traversal_next(NULL, NULL), KITH_INVALID_ARGUMENT);
    CHECK_FAILS(kith_traverse(world, 0, KithChildOf), KITH_INVALID_ENTITY);

    kith_entity_t likes = kith_new(world), targets[2] = {0, 0};
    kith_add_pair(world, chain[0], likes, chain[1]);
    kith_add_pair(world, chain[0], likes, chain[2]);
    CHECK(kith_targets(world, chain[0], likes, targets, 1) == 2);
    CHECK(targets[0] == chain[1] && targets[1] == 0);
    CHECK_FAILS(kith_targets(world, chain[0], likes, NULL, 1), KITH_INVALID_ARGUMENT);
    CHECK_FAILS(kith_get_target(world, 0, likes, 0), KITH_INVALID_ENTITY);
    CHECK_ABSENT(kith_get_target(world, chain[0], likes, -1));

    kith_iter_t it;
    CHECK_OK(kith_children(world, chain[0], &it));
    CHECK(kith_iter_next(&it) && it.count == 1 && it.entities[0] == chain[1]);
    CHECK_ABSENT(kith_iter_next(&it));
    CHECK_OK(kith_sources(world, likes, chain[2], &it));
    CHECK(kith_iter_first(&it) == chain[0]);
    CHECK_OK(kith_children(world, 0, &it));
    int32_t roots = 0;
    while (kith_iter_next(&it)) {
        for (int32_t i = 0; i < it.count; i++) {
            roots += it.entities[i] == chain[0];
            CHECK(it.entities[i] != chain[1]);
        }
    }
    CHECK(roots == 1);
    CHECK_STATUS(kith_children(world, 999999, &it), KITH_INVALID_ID);
    CHECK_ABSENT(kith_iter_next(&it));
    CHECK_STATUS(kith_children(world, chain[0], NULL), KITH_INVALID_ARGUMENT);
    CHECK_OK(kith_fini(world));
}

/* spec 411 */
TEST(names, "entities are named, found and renamed") {
    kith_world_t* world = kith_init();
    kith_entity_t earth = kith_new_entity(world, "Sun::Earth");
    kith_entity_t sun = kith_lookup(world, "Sun");
    CHECK(sun && kith_lookup(world, "Sun::Earth") == earth && kith_lookup(world, "::Sun") == sun);
    CHECK(kith_lookup_child(world, sun, "Earth") == earth);
    CHECK_ABSENT(kith_lookup(world, "Earth"));
    CHECK_OWNED_TEXT(kith_get_path(world, earth), "::Sun::Earth");
    CHECK_OWNED_TEXT(kith_get_path_w_sep(world, sun, earth, "/", ""), "Earth");
    CHECK_OWNED_TEXT(kith_get_path_w_sep(world, 0, earth, "/", ""), "Sun/Earth");
    CHECK(kith_lookup_path_w_sep(world, 0, "Sun/Earth", "/", "/", false) == earth);
    CHECK(kith_new_from_path_w_sep(world, sun, "Mars/Phobos", "/", NULL) != 0);
    CHECK(kith_lookup(world, "Sun::Mars::Phobos") != 0);
    CHECK_OK(kith_set_name(world, earth, "Terra"));
    CHECK_TEXT(kith_get_name(world, earth), "Terra");
    CHECK_STATUS(kith_set_name(world, earth, "Mars"), KITH_NAME_TAKEN);
    CHECK_OK(kith_set_name(world, earth, NULL));
    CHECK_ABSENT(kith_get_name(world, earth));
    CHECK_OK(kith_set_symbol(world, earth, "sym_earth"));
    CHECK(kith_lookup_symbol(world, "sym_earth") == earth);
    CHECK_ABSENT(kith_lookup_symbol(world, "sym_mars"));
    CHECK_OK(kith_set_alias(world, earth, "Home"));
    CHECK(kith_lookup(world, "Home") == earth);
    CHECK_OK(kith_use(world, kith_lookup(world, "Sun::Mars"), NULL));
    CHECK(kith_lookup(world, "Mars") == kith_lookup(world, "Sun::Mars"));

    CHECK_ABSENT(kith_set_scope(world, sun));
    CHECK(kith_get_scope(world) == sun);
    CHECK(kith_get_parent(world, kith_new_entity(world, "Venus")) == sun);
    CHECK(kith_set_scope(world, 0) == sun);
    CHECK_FAILS(kith_set_scope(world, 999999), KITH_INVALID_ENTITY);
    const kith_entity_t path[] = {sun, 0};
    CHECK_OK(kith_set_lookup_path(world, path));
    CHECK(kith_lookup(world, "Venus") != 0);
    CHECK_OK(kith_set_lookup_path(world, NULL));
    CHECK_ABSENT(kith_lookup(world, "Venus"));

    CHECK_FAILS(kith_new_entity(world, "A::::B"), KITH_INVALID_NAME);
    CHECK_FAILS(kith_lookup(world, NULL), KITH_INVALID_ARGUMENT);
    CHECK_FAILS(kith_lookup_child(world, 0, "A"), KITH_INVALID_NAME);
    CHECK_FAILS(kith_get_path(world, 999999), KITH_INVALID_ENTITY);
    CHECK_STATUS(kith_set_name(world, 0, "A"), KITH_INVALID_ENTITY);
    CHECK_STATUS(kith_set_symbol(world, 0, "A"), KITH_INVALID_ENTITY);
    CHECK_OK(kith_check(world));
    CHECK_OK(kith_fini(world));
}

static int imports;
static void import_inner(kith_world_t* world, void* ctx) {
    imports += *(int*)ctx;
    kith_new_entity(world, "Part");
}
static void import_outer(kith_world_t* world, void* ctx) {
    CHECK(kith_module(world, "game::outer") == kith_get_scope(world));
    kith_new_entity(world, "Thing");
    CHECK(kith_import(world, import_inner, "c_inner", ctx) != 0);
}
static void import_failing(kith_world_t* world, void* ctx) {
    (void)world;
    (void)ctx;
    kith_fail(KITH_LIMIT, "not today");
}

TEST(modules, "a module is imported once, into its own scope") {
    kith_world_t* world = kith_init();
    int one = 1;
    imports = 0;
    kith_entity_t outer = kith_import(world, import_outer, "c_outer", &one);
    CHECK(outer != 0 && kith_has_id(world, outer, KithModule));
    CHECK(kith_import(world, import_outer, "c_outer", &one) == outer);
    CHECK(imports == 1);
    CHECK(kith_lookup(world, "game::outer") == outer);
    CHECK(kith_lookup(world, "game::outer::Thing") != 0);
    CHECK(kith_lookup(world, "c_inner::Part") != 0);
    CHECK(kith_get_scope(world) == 0);
    CHECK_FAILS(kith_import(world, import_failing, "c_failing", NULL), KITH_CALLBACK);
    CHECK_FAILS(kith_import(world, import_failing, "c_failing", NULL), KITH_CALLBACK);
    CHECK_FAILS(kith_import(world, NULL, "c_null", NULL), KITH_INVALID_ARGUMENT);
    CHECK_FAILS(kith_import(world, import_inner, NULL, NULL), KITH_INVALID_ARGUMENT);
    CHECK_OK(kith_check(world));
    CHECK_OK(kith_fini(world));
}
