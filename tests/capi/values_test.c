/* Values, references, many entities at once. */
#define SUITE "values"
#include "harness.h"

/* spec 406 */
TEST(set_and_get, "values are copied in, read, written in place") {
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    KITH_TAG(world, Ship);
    kith_entity_t e = kith_new(world);
    CHECK_OK(kith_set(world, e, Position, {1, 2}));
    CHECK_OK(kith_set(world, e, Position, {3, 4}));
    CHECK(kith_get(world, e, Position)->x == 3);
    Position* p = kith_get_mut(world, e, Position);
    p->x = 5;
    CHECK_OK(kith_modified(world, e, Position));
    CHECK(kith_get(world, e, Position)->x == 5);
    Position value = {6, 7};
    CHECK_OK(kith_set_id(world, e, kith_id(Position), 0, &value));
    CHECK(kith_get(world, e, Position)->y == 7);
    CHECK_STATUS(kith_set_id(world, e, kith_id(Position), 3, &value), KITH_WRONG_TYPE);
    CHECK_STATUS(kith_set_id(world, e, Ship, sizeof value, &value), KITH_WRONG_TYPE);
    CHECK_STATUS(kith_set_id(world, e, Ship, 0, &value), KITH_WRONG_TYPE);
    CHECK_STATUS(kith_set_id(world, e, kith_id(Position), 0, NULL), KITH_INVALID_ARGUMENT);
    CHECK_STATUS(kith_set_id(world, e, 0, 0, &value), KITH_INVALID_ID);
    CHECK_STATUS(kith_set_id(world, 0, kith_id(Position), 0, &value), KITH_INVALID_ENTITY);
    CHECK_STATUS(kith_set_id(world, 999999, kith_id(Position), 0, &value), KITH_INVALID_ENTITY);
    CHECK_FAILS(kith_get(world, 999999, Position), KITH_INVALID_ENTITY);
    CHECK_FAILS(kith_get_mut_id(world, e, Ship), KITH_WRONG_TYPE);
    CHECK_FAILS(kith_get_mut_id(world, e, 0), KITH_INVALID_ID);
    CHECK_STATUS(kith_modified_id(world, e, Ship), KITH_MISSING_COMPONENT);
    CHECK_OK(kith_remove(world, e, Position));
    CHECK_ABSENT(kith_get(world, e, Position));
    CHECK_OK(kith_fini(world));
}

TEST(pair_values, "pairs have values of their first or second element") {
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    KITH_COMPONENT(world, Mass);
    kith_entity_t gives = kith_new(world), bob = kith_new(world), e = kith_new(world);
    CHECK_OK(kith_set_pair(world, e, Mass, bob, {12}));
    CHECK_OK(kith_set_pair_second(world, e, gives, Position, {1, 2}));
    CHECK(kith_get_pair_t(world, e, Mass, bob)->tons == 12);
    CHECK(kith_get_pair_second(world, e, gives, Position)->y == 2);
    CHECK_ABSENT(kith_get_pair_t(world, e, Mass, gives));
    kith_delete(world, bob);
    CHECK_ABSENT(kith_get_pair_t(world, e, Mass, bob));
    CHECK_STATUS(kith_set_pair(world, e, Mass, bob, {1}), KITH_INVALID_ID);
    CHECK_OK(kith_fini(world));
}

TEST(inherited, "values are inherited, and written to the entity itself") {
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    kith_entity_t base = kith_new(world);
    kith_set(world, base, Position, {1, 2});
    kith_entity_t e = kith_new_w_pair(world, KithIsA, base);
    CHECK(kith_get(world, e, Position) == kith_get(world, base, Position));
    CHECK_OK(kith_set(world, e, Position, {3, 4}));
    CHECK(kith_get(world, base, Position)->x == 1 && kith_get(world, e, Position)->x == 3);
    CHECK_OK(kith_fini(world));
}

static void make_position(void* value, void* ctx) {
    *(Position*)value = *(Position*)ctx;
}
static void refuse_position(void* value, void* ctx) {
    (void)value;
    (void)ctx;
    kith_fail(KITH_LIMIT, "no more");
}

TEST(emplace, "emplace makes a value in place, once") {
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    kith_entity_t e = kith_new(world);
    Position p = {8, 9};
    CHECK_STATUS(kith_emplace(world, e, Position, refuse_position, NULL), KITH_CALLBACK);
    CHECK_ABSENT(kith_has(world, e, Position));
    CHECK_OK(kith_emplace(world, e, Position, make_position, &p));
    CHECK(kith_get(world, e, Position)->x == 8);
    CHECK_STATUS(kith_emplace(world, e, Position, make_position, &p), KITH_ALREADY_EXISTS);
    CHECK_STATUS(kith_emplace(world, e, Position, NULL, NULL), KITH_INVALID_ARGUMENT);
    CHECK_OK(kith_fini(world));
}

TEST(references, "a reference follows its value, and tells when it is gone") {
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    KITH_TAG(world, Ship);
    kith_entity_t e = kith_new(world);
    kith_set(world, e, Position, {1, 2});
    kith_ref_t ref;
    CHECK_OK(kith_ref_init_id(world, e, kith_id(Position), &ref));
    CHECK(kith_ref_get_id(&ref) == kith_get(world, e, Position));
    for (int i = 0; i < 100; i++) {
        kith_set(world, kith_new(world), Position, {0, 0});
    }
    CHECK(kith_ref_get_id(&ref) == kith_get(world, e, Position));
    kith_add(world, e, Ship);
    CHECK(((Position*)kith_ref_get_id(&ref))->x == 1);
    kith_remove(world, e, Position);
    CHECK_ABSENT(kith_ref_get_id(&ref));
    CHECK_STATUS(kith_ref_update(&ref), KITH_MISSING_COMPONENT);
    kith_set(world, e, Position, {3, 4});
    CHECK_OK(kith_ref_update(&ref));
    CHECK(((Position*)kith_ref_get_id(&ref))->x == 3);
    kith_delete(world, e);
    CHECK_ABSENT(kith_ref_get_id(&ref));
    CHECK_STATUS(kith_ref_update(&ref), KITH_INVALID_ENTITY);
    CHECK_STATUS(kith_ref_init_id(world, e, kith_id(Position), &ref), KITH_INVALID_ENTITY);
    CHECK_STATUS(kith_ref_init_id(world, Ship, kith_id(Position), NULL), KITH_INVALID_ARGUMENT);
    CHECK_FAILS(kith_ref_get_id(NULL), KITH_INVALID_ARGUMENT);
    CHECK_OK(kith_fini(world));
}

TEST(reference_writes, "a snapshot keeps a value that is written through a reference") {
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    kith_entity_t e = kith_new(world);
    kith_set(world, e, Position, {1, 2});
    kith_ref_t ref;
    CHECK_OK(kith_ref_init_id(world, e, kith_id(Position), &ref));
    for (int i = 2; i < 4; i++) {
        kith_snapshot_t* taken = kith_snapshot_take(world);
        ((Position*)kith_ref_get_id(&ref))->x = i;
        CHECK_OK(kith_snapshot_restore(taken));
        CHECK(kith_get(world, e, Position)->x == 1);
        kith_snapshot_fini(taken);
    }
    CHECK_OK(kith_fini(world));
}

TEST(singletons, "a singleton is a component on its own entity") {
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    Position p = {1, 2};
    CHECK_ABSENT(kith_singleton_get_id(world, kith_id(Position)));
    CHECK_OK(kith_singleton_set_id(world, kith_id(Position), sizeof p, &p));
    CHECK(((const Position*)kith_singleton_get_id(world, kith_id(Position)))->y == 2);
    CHECK_OK(kith_fini(world));
}

/* spec 426 */
TEST(many, "values, ids, targets and names of many entities take one call") {
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Mass);
    KITH_TAG(world, Ship);
    kith_entity_t port = kith_new_entity(world, "Port");
    kith_entity_t es[3] = {kith_new_entity(world, "A"), kith_new(world),
                           kith_new_entity(world, "C")};
    const Mass values[3] = {{1}, {2}, {3}};
    Mass out[3];
    CHECK_OK(kith_set_n(world, es, 2, kith_id(Mass), sizeof(Mass), values));
    CHECK(kith_get_n(world, es, 3, kith_id(Mass), sizeof(Mass), out) == 2);
    CHECK(out[0].tons == 1 && out[1].tons == 2 && out[2].tons == 0);
    CHECK_OK(kith_add_n(world, es, 3, Ship));
    CHECK(kith_count_id(world, Ship) == 3);
    CHECK_OK(kith_remove_n(world, es, 2, Ship));
    CHECK(kith_count_id(world, Ship) == 1);
    kith_add_pair(world, es[1], KithChildOf, port);
    kith_entity_t targets[3];
    CHECK_OK(kith_targets_n(world, es, 3, KithChildOf, targets));
    CHECK(targets[0] == 0 && targets[1] == port && targets[2] == 0);
    const char* names[3];
    CHECK_OK(kith_names_n(world, es, 3, names));
    CHECK_TEXT(names[0], "A");
    CHECK(names[1] == NULL);
    CHECK(kith_get_n(world, es, 3, kith_id(Mass), 5, out) == -1);
    CHECK(kith_last_status() == KITH_WRONG_TYPE);
    CHECK(kith_get_n(world, es, 3, Ship, 1, out) == -1);
    CHECK(kith_get_n(world, es, -1, kith_id(Mass), sizeof(Mass), out) == -1);
    CHECK_STATUS(kith_set_n(world, es, 3, kith_id(Mass), 5, values), KITH_WRONG_TYPE);
    CHECK_STATUS(kith_add_n(world, NULL, 1, Ship), KITH_INVALID_ARGUMENT);
    kith_delete(world, es[0]);
    CHECK_STATUS(kith_set_n(world, es, 3, kith_id(Mass), sizeof(Mass), values),
                 KITH_INVALID_ENTITY);
    CHECK_OK(kith_names_n(world, es, 3, names));
    CHECK(names[0] == NULL);
    CHECK_STATUS(kith_targets_n(world, es, 3, KithChildOf, targets), KITH_INVALID_ENTITY);
    CHECK_OK(kith_fini(world));
}
