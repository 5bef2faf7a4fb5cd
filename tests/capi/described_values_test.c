/* Described values: members by name, text, JSON, and snapshots. */
#define SUITE "described_values"
#include "harness.h"

#include <stddef.h>

typedef struct Hold {
    int32_t tons;
    float sizes[2];
    kith_entity_t port;
} Hold;

static kith_entity_t describe_hold(kith_world_t* world) {
    const kith_component_desc_t desc = {
        .name = "Hold", .size = sizeof(Hold), .alignment = _Alignof(Hold), .local = true};
    const kith_entity_t hold = kith_component_init(world, &desc);
    const kith_member_t members[] = {
        {.name = "tons", .kind = KITH_KIND_I32, .offset = offsetof(Hold, tons)},
        {.name = "sizes", .kind = KITH_KIND_F32, .count = 2, .offset = offsetof(Hold, sizes)},
        {.name = "port", .kind = KITH_KIND_ENTITY, .offset = offsetof(Hold, port)}};
    CHECK_OK(kith_describe(world, hold, members, 3));
    return hold;
}

TEST(values_as_text, "a described value is written as text and read back, whole or not at all") {
    kith_world_t* world = kith_init();
    const kith_entity_t hold = describe_hold(world), mars = kith_new_entity(world, "Mars");
    Hold value = {64, {1.5f, 2}, mars}, read = {1, {0, 0}, 0};
    char* text = kith_value_str(world, hold, &value);
    CHECK_TEXT(text, "{tons: 64, sizes: [1.5, 2], port: Mars}");
    CHECK_OK(kith_value_parse(world, hold, &read, text));
    CHECK(read.tons == 64 && read.sizes[0] == 1.5f && read.port == mars);
    kith_free(text);
    CHECK_OK(kith_value_parse(world, hold, &read, "{tons: 3}"));
    CHECK(read.tons == 3 && read.sizes[1] == 2);
    CHECK(kith_value_parse(world, hold, &read, "{tons: 5, tuns: 3}") != KITH_OK);
    CHECK(strstr(kith_last_message(), "tuns") && read.tons == 3);
    CHECK(!kith_value_str(world, mars, &value));
    CHECK_STATUS(kith_value_parse(world, hold, &read, NULL), KITH_INVALID_ARGUMENT);
    kith_fini(world);
}

TEST(members, "members of an entity's value are read and set by their paths") {
    kith_world_t* world = kith_init();
    const kith_entity_t hold = describe_hold(world), ship = kith_new_entity(world, "Ship");
    const Hold value = {64, {1.5f, 2}, 0};
    CHECK(!kith_get_member_str(world, ship, hold, "tons"));
    CHECK_OK(kith_set_id(world, ship, hold, sizeof value, &value));
    CHECK_OWNED_TEXT(kith_get_member_str(world, ship, hold, "sizes[0]"), "1.5");
    CHECK_OK(kith_set_member_str(world, ship, hold, "sizes[1]", "8"));
    CHECK(((const Hold*)kith_get_id(world, ship, hold))->sizes[1] == 8);
    CHECK(kith_set_member_str(world, ship, hold, "sizes[2]", "8") != KITH_OK);
    CHECK(kith_set_member_str(world, ship, hold, "tons", "many") != KITH_OK);
    CHECK(((const Hold*)kith_get_id(world, ship, hold))->tons == 64);
    kith_fini(world);
}

TEST(descriptions, "descriptions with mistakes are refused") {
    kith_world_t* world = kith_init();
    const kith_entity_t hold = describe_hold(world);
    const kith_member_t without_kind = {.name = "more"}, without_name = {.kind = KITH_KIND_I32};
    CHECK_STATUS(kith_describe(world, hold, &without_kind, 1), KITH_INVALID_ARGUMENT);
    CHECK_STATUS(kith_describe(world, hold, &without_name, 1), KITH_INVALID_ARGUMENT);
    CHECK_STATUS(kith_describe(world, hold, NULL, 1), KITH_INVALID_ARGUMENT);
    const kith_entity_t fresh =
        kith_component(world, {.name = "Fresh", .size = 8, .alignment = 8, .local = true});
    const kith_member_t wrong[] = {
        {.name = "a", .kind = 99},
        {.name = "a", .kind = KITH_KIND_I8, .count = -1},
        {.name = "a", .kind = KITH_KIND_I8, .reserved = {0, 1}},
    };
    for (int i = 0; i < 3; i++) {
        CHECK_STATUS(kith_describe(world, fresh, &wrong[i], 1), KITH_INVALID_ARGUMENT);
        const uint64_t value = 0;
        CHECK_FAILS(kith_value_str(world, fresh, &value), KITH_INVALID_TYPE); /* not described */
    }
    kith_fini(world);
}

TEST(json, "entities, results and worlds are written as JSON, and worlds read back") {
    kith_world_t *world = kith_init(), *second = kith_init();
    const char* facts = "Planet(Earth)\nLikes(Bob, Alice)\n";
    CHECK_OK(kith_load_text(world, facts, strlen(facts), NULL));
    size_t length = 0;
    char* text = kith_world_to_json(world, &length);
    CHECK(text && length == strlen(text));
    CHECK_OK(kith_world_from_json(second, text, length));
    CHECK(kith_has_pair(second, kith_lookup(second, "Bob"), kith_lookup(second, "Likes"),
                        kith_lookup(second, "Alice")));
    CHECK(kith_world_from_json(second, "{\"kith\":", 8) != KITH_OK);
    kith_free(text);
    text = kith_entity_to_json(world, kith_lookup(world, "Bob"), NULL);
    CHECK(text && strstr(text, "\"Likes\"") && strstr(text, "\"Alice\""));
    kith_free(text);
    const kith_query_desc_t desc = {.expr = "Planet"};
    kith_query_t* query = kith_query_init(world, &desc);
    text = kith_query_to_json(query, NULL);
    CHECK(text && strstr(text, "\"Earth\""));
    kith_free(text);
    CHECK(!kith_query_to_json(NULL, NULL));
    kith_query_fini(query);
    kith_fini(second);
    kith_fini(world);
}

TEST(json_of_run,
     "the results of a run are written as JSON, by its variables and the parts asked for") {
    kith_world_t* world = kith_init();
    const char* facts = "Likes(Bob, Alice)\nLikes(Ada, Eve)\n";
    CHECK_OK(kith_load_text(world, facts, strlen(facts), NULL));
    const kith_query_desc_t terms = {.expr = "Likes($this, $who)"};
    kith_query_t* query = kith_query_init(world, &terms);
    kith_iter_t it;
    CHECK_OK(kith_query_iter(world, query, &it));
    size_t length = 0;
    char* text = kith_iter_to_json(&it, NULL, &length);
    CHECK(text && length == strlen(text) && strstr(text, "Bob") && strstr(text, "Ada"));
    kith_free(text);
    CHECK(!kith_iter_next(&it));
    CHECK(!kith_iter_to_json(&it, NULL, NULL));  // it has ended
    CHECK_OK(kith_query_iter(world, query, &it));
    CHECK_OK(kith_iter_set_var(&it, kith_query_find_var(query, "who"), kith_lookup(world, "Eve")));
    const kith_iter_to_json_desc_t parts = {.serialize_entities = true};
    text = kith_iter_to_json(&it, &parts, NULL);
    CHECK(text && strstr(text, "Ada") && !strstr(text, "Bob") && !strstr(text, "Likes"));
    kith_free(text);
    CHECK_OK(kith_query_iter(world, query, &it));
    CHECK(kith_iter_next(&it));
    CHECK(!kith_iter_to_json(&it, NULL, NULL));
    CHECK(kith_last_status() == KITH_INVALID_OPERATION);
    kith_iter_fini(&it);
    CHECK(!kith_iter_to_json(NULL, NULL, NULL));
    kith_query_fini(query);
    kith_fini(world);
}

TEST(snapshots, "a snapshot gives a world its state back") {
    kith_world_t* world = kith_init();
    const kith_entity_t tag = kith_new_entity(world, "Tag"), ship = kith_new_entity(world, "Ship");
    CHECK_OK(kith_add_id(world, ship, tag));
    kith_snapshot_t* taken = kith_snapshot_take(world);
    CHECK(taken != NULL);
    CHECK_OK(kith_delete(world, ship));
    CHECK_OK(kith_snapshot_restore(taken));
    CHECK(kith_is_alive(world, ship) && kith_has_id(world, ship, tag));
    CHECK_STATUS(kith_snapshot_restore(NULL), KITH_INVALID_ARGUMENT);
    kith_snapshot_fini(taken);
    kith_snapshot_fini(NULL);
    kith_fini(world);
}
