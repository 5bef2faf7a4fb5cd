/* Entities and their ids. */
#define SUITE "entities"
#include "harness.h"

/* spec 406 */
TEST(lives, "entities are made, deleted and never mistaken for each other") {
    kith_world_t* world = kith_init();
    kith_entity_t e = kith_new(world);
    CHECK(e != 0 && kith_is_alive(world, e) && kith_is_valid(world, e) && kith_exists(world, e));
    CHECK_OK(kith_delete(world, e));
    CHECK_ABSENT(kith_is_alive(world, e));
    CHECK_ABSENT(kith_is_valid(world, e));
    CHECK(kith_exists(world, e));
    CHECK_STATUS(kith_delete(world, e), KITH_INVALID_ENTITY);
    CHECK_STATUS(kith_delete(world, 0), KITH_INVALID_ENTITY);
    CHECK_STATUS(kith_delete(world, UINT64_MAX), KITH_INVALID_ENTITY);
    CHECK_STATUS(kith_clear(world, e), KITH_INVALID_ENTITY);
    kith_entity_t again = kith_new(world);
    CHECK(kith_index_of(again) == kith_index_of(e) && again != e);
    CHECK(kith_get_alive(world, kith_index_of(e)) == again);
    CHECK_STATUS(kith_make_alive(world, e), KITH_INVALID_ENTITY);
    kith_entity_t other = kith_new(world);
    CHECK_OK(kith_delete(world, other));
    other = kith_new(world);
    CHECK_OK(kith_delete(world, other));
    CHECK_ABSENT(kith_get_alive(world, other));
    CHECK_OK(kith_make_alive(world, 70000));
    CHECK(kith_is_alive(world, 70000));
    kith_entity_t three[3] = {kith_new(world), kith_new(world), e};
    CHECK_STATUS(kith_delete_n(world, three, 3), KITH_INVALID_ENTITY);
    CHECK(kith_is_alive(world, three[0]));
    CHECK_OK(kith_delete_n(world, three, 2));
    CHECK_ABSENT(kith_is_alive(world, three[1]));
    CHECK_STATUS(kith_delete_n(world, three, -1), KITH_INVALID_ARGUMENT);
    CHECK_STATUS(kith_delete_n(world, NULL, 1), KITH_INVALID_ARGUMENT);
    CHECK_OK(kith_delete_n(world, NULL, 0));
    CHECK_OK(kith_fini(world));
}

/* spec 407 */
TEST(raw_ids, "kith_new_id ignores scope and with, kith_new does not") {
    kith_world_t* world = kith_init();
    KITH_TAG(world, Ship);
    kith_entity_t scope = kith_new_entity(world, "Scope");
    CHECK_ABSENT(kith_set_scope(world, scope));
    const int32_t mark = kith_push_with(world, Ship);
    CHECK(mark == 0);
    kith_entity_t raw = kith_new_id(world), placed = kith_new(world);
    CHECK_ABSENT(kith_get_parent(world, raw));
    CHECK_ABSENT(kith_has_id(world, raw, Ship));
    CHECK(kith_get_parent(world, placed) == scope && kith_has_id(world, placed, Ship));
    CHECK_STATUS(kith_pop_with(world, 1), KITH_INVALID_ARGUMENT);
    CHECK_STATUS(kith_pop_with(world, -1), KITH_INVALID_ARGUMENT);
    CHECK_OK(kith_pop_with(world, mark));
    CHECK_STATUS(kith_pop_with(world, mark), KITH_INVALID_ARGUMENT);
    CHECK(kith_push_with(world, 0) == -1);
    CHECK(kith_set_scope(world, 0) == scope);
    CHECK_OK(kith_fini(world));
}

TEST(with_ids, "a new entity has an id or a pair, or does not exist") {
    kith_world_t* world = kith_init();
    KITH_TAG(world, Ship);
    kith_entity_t e = kith_new_w_id(world, Ship);
    CHECK(kith_has_id(world, e, Ship));
    kith_entity_t child = kith_new_w_pair(world, KithChildOf, e);
    CHECK(kith_get_parent(world, child) == e);
    const kith_entity_t scope = kith_new(world);
    kith_set_scope(world, scope);
    CHECK(kith_get_parent(world, kith_new_w_id(world, Ship)) == scope);
    CHECK(kith_get_parent(world, kith_new_w_pair(world, KithChildOf, e)) == e);
    CHECK(kith_get_parent(world, kith_new_w_id(world, kith_childof(e))) == e);
    CHECK_FAILS(kith_new_w_pair(world, KithChildOf, 999999), KITH_INVALID_ID);
    CHECK(kith_set_scope(world, 0) == scope);
    kith_world_stats_t before, after;
    kith_world_stats(world, &before);
    CHECK_FAILS(kith_new_w_id(world, 0), KITH_INVALID_ID);
    CHECK_FAILS(kith_new_w_id(world, KithWildcard), KITH_INVALID_ID);
    CHECK_FAILS(kith_new_w_pair(world, KithChildOf, 999999), KITH_INVALID_ID);
    kith_world_stats(world, &after);
    CHECK(before.entities == after.entities);
    CHECK_OK(kith_fini(world));
}

TEST(ids_of_entities, "ids are added, removed, inherited, overridden, disabled") {
    kith_world_t* world = kith_init();
    KITH_TAG(world, Ship);
    KITH_TAG(world, Fast);
    kith_entity_t likes = kith_new(world), bob = kith_new(world), gone = kith_new(world);
    kith_delete(world, gone);
    kith_entity_t e = kith_new(world);
    CHECK_OK(kith_add(world, e, Ship));
    CHECK_OK(kith_add(world, e, Ship));
    CHECK(kith_has(world, e, Ship) && kith_owns(world, e, Ship));
    CHECK_OK(kith_remove(world, e, Fast));
    CHECK_STATUS(kith_add_id(world, e, 0), KITH_INVALID_ID);
    CHECK_STATUS(kith_add_id(world, e, gone), KITH_INVALID_ID);
    CHECK_STATUS(kith_add_id(world, e, kith_pair(likes, KithWildcard)), KITH_INVALID_ID);
    CHECK_STATUS(kith_add_id(world, gone, Ship), KITH_INVALID_ENTITY);
    CHECK_STATUS(kith_add_id(world, 0, Ship), KITH_INVALID_ENTITY);
    CHECK_OK(kith_add_pair(world, e, likes, bob));
    CHECK(kith_has_pair(world, e, likes, bob) && kith_has_pair(world, e, likes, KithWildcard));
    CHECK(kith_owns_pair(world, e, likes, bob));
    CHECK_STATUS(kith_add_pair(world, e, likes, gone), KITH_INVALID_ID);
    CHECK_ABSENT(kith_has_pair(world, e, likes, gone));
    CHECK_OK(kith_remove_pair(world, e, likes, bob));
    CHECK_ABSENT(kith_has_pair(world, e, likes, bob));

    kith_entity_t instance = kith_new_w_pair(world, KithIsA, e);
    CHECK(kith_has(world, instance, Ship));
    CHECK_ABSENT(kith_owns(world, instance, Ship));
    CHECK_OK(kith_override_id(world, e, Ship));
    kith_entity_t other = kith_new_w_pair(world, KithIsA, e);
    CHECK(kith_owns(world, other, Ship));

    CHECK(kith_is_enabled_id(world, e, Ship));
    CHECK_OK(kith_enable_id(world, e, Ship, false));
    CHECK_ABSENT(kith_is_enabled_id(world, e, Ship));
    CHECK(kith_has(world, e, Ship));
    CHECK_OK(kith_enable_id(world, e, Ship, true));
    CHECK(kith_is_enabled(world, e));
    CHECK_OK(kith_enable(world, e, false));
    CHECK_ABSENT(kith_is_enabled(world, e));
    CHECK_OK(kith_enable(world, e, true));
    CHECK_STATUS(kith_enable(world, 0, true), KITH_INVALID_ENTITY);

    CHECK(kith_count_id(world, Ship) == 2);
    kith_id_t ids[2] = {0, 0};
    CHECK(kith_get_ids(world, other, NULL, 0) == 2);
    CHECK(kith_get_ids(world, other, ids, 1) == 2 && ids[0] != 0 && ids[1] == 0);
    CHECK(kith_match_ids(world, other, kith_pair(KithIsA, KithWildcard), ids, 2) == 1);
    CHECK(ids[0] == kith_isa(e));
    CHECK_FAILS(kith_get_ids(world, e, NULL, 1), KITH_INVALID_ARGUMENT);
    CHECK_FAILS(kith_get_ids(world, gone, NULL, 0), KITH_INVALID_ENTITY);
    CHECK_OK(kith_clear(world, other));
    CHECK(kith_get_ids(world, other, NULL, 0) == 0);
    CHECK_OK(kith_remove_all(world, Ship));
    CHECK(kith_count_id(world, Ship) == 0);
    CHECK_OK(kith_delete_with(world, kith_pair(KithIsA, KithWildcard)));
    CHECK_ABSENT(kith_is_alive(world, instance));
    CHECK_STATUS(kith_delete_with(world, 0), KITH_INVALID_ID);
    CHECK_OK(kith_check(world));
    CHECK_OK(kith_fini(world));
}

TEST(init, "a description makes an entity with everything, or nothing") {
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    KITH_TAG(world, Ship);
    kith_entity_t likes = kith_new_entity(world, "Likes"), bob = kith_new_entity(world, "Bob");
    kith_entity_t port = kith_new_entity(world, "Port");
    Position p = {1, 2};
    kith_entity_t e = kith_entity(world, {.name = "Hull",
                                          .parent = port,
                                          .symbol = "port_hull",
                                          .add = {Ship},
                                          .add_expr = "(Likes, Bob)",
                                          .set = {{kith_id(Position), sizeof p, &p}}});
    CHECK(e != 0 && kith_get_parent(world, e) == port);
    CHECK_TEXT(kith_get_name(world, e), "Hull");
    CHECK_TEXT(kith_get_symbol(world, e), "port_hull");
    CHECK(kith_has(world, e, Ship) && kith_has_pair(world, e, likes, bob));
    CHECK(kith_get(world, e, Position)->y == 2);
    CHECK(kith_entity(world, {.name = "Hull", .parent = port, .add = {KithPrefab}}) == e);
    CHECK(kith_has_id(world, e, KithPrefab));
    CHECK(kith_entity(world, {.id = e, .name = "Keel"}) == e);
    CHECK_TEXT(kith_get_name(world, e), "Keel");
    CHECK(kith_get_scope(world) == 0);

    kith_world_stats_t before, after;
    kith_world_stats(world, &before);
    CHECK_FAILS(kith_entity(world, {.name = "X", .add = {KithWildcard}}), KITH_INVALID_ID);
    CHECK_FAILS(kith_entity(world, {.name = "X", .set = {{Ship, 1, &p}}}), KITH_WRONG_TYPE);
    CHECK_FAILS(kith_entity(world, {.name = "X", .set = {{kith_id(Position), 3, &p}}}),
                KITH_WRONG_TYPE);
    CHECK_FAILS(kith_entity(world, {.name = "X", .set = {{kith_id(Position), 0, NULL}}}),
                KITH_INVALID_ARGUMENT);
    CHECK_FAILS(kith_entity(world, {.name = "X", .add_expr = "Nobody"}), KITH_INVALID_QUERY);
    CHECK_FAILS(kith_entity(world, {.name = "X", .parent = 999999}), KITH_INVALID_ENTITY);
    CHECK_FAILS(kith_entity(world, {.name = "A::::B"}), KITH_INVALID_NAME);
    CHECK_FAILS(kith_entity(world, {.id = 999999}), KITH_INVALID_ENTITY);
    kith_world_stats(world, &after);
    CHECK(before.entities == after.entities);
    CHECK(kith_has_id(world, kith_new_prefab(world, "Fab"), KithPrefab));
    CHECK_OK(kith_check(world));
    CHECK_OK(kith_fini(world));
}

TEST(bulk, "many entities are made with arrays of values; an entity is cloned") {
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    KITH_TAG(world, Ship);
    Position values[3] = {{1, 1}, {2, 2}, {3, 3}};
    void* columns[2] = {values, NULL};
    kith_bulk_desc_t desc = {.count = 3, .ids = {kith_id(Position), Ship}, .data = columns};
    const kith_entity_t* made = kith_bulk_init(world, &desc);
    CHECK(made != NULL);
    kith_entity_t second = made[1];
    CHECK(kith_get(world, second, Position)->x == 2 && kith_has(world, second, Ship));
    desc.count = -1;
    CHECK_FAILS(kith_bulk_init(world, &desc), KITH_INVALID_ARGUMENT);
    desc.count = 1;
    desc.ids[1] = KithWildcard;
    CHECK_FAILS(kith_bulk_init(world, &desc), KITH_INVALID_ID);
    kith_entity_t copy = kith_clone(world, 0, second, true);
    CHECK(kith_get(world, copy, Position)->y == 2 && kith_has(world, copy, Ship));
    kith_entity_t into = kith_new(world);
    CHECK(kith_clone(world, into, second, false) == into);
    CHECK(kith_get(world, into, Position)->y == 0);
    CHECK_FAILS(kith_clone(world, 0, 0, true), KITH_INVALID_ENTITY);
    CHECK_OK(kith_fini(world));
}
