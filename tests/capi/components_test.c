/* Components, their functions and hooks, enums. */
#define SUITE "components"
#include "harness.h"

#include <stdlib.h>

static KITH_COMPONENT_DECLARE(Position);
static KITH_TAG_DECLARE(Docked);

/* spec 408 */
TEST(process_types, "one registration serves all worlds") {
    kith_world_t *one = kith_init(), *two = kith_init();
    KITH_COMPONENT_DEFINE(one, Position);
    const kith_entity_t id = kith_id(Position);
    CHECK(id != 0 && id < KITH_HI_COMPONENT_ID);
    KITH_COMPONENT_DEFINE(two, Position);
    CHECK(kith_id(Position) == id);
    CHECK_TEXT(kith_get_name(two, id), "Position");
    CHECK(kith_lookup(one, "Position") == id);
    const kith_component_desc_t desc = {
        .name = "Position", .size = sizeof(Position), .alignment = KITH_ALIGNOF(Position)};
    CHECK(kith_type_register(&desc) == id);
    CHECK_OK(kith_set(two, kith_new(two), Position, {1, 2}));
    KITH_TAG_DEFINE(one, Docked);
    CHECK(Docked != 0 && kith_id(Docked) == Docked);

    const kith_component_desc_t larger = {.name = "Position", .size = 64, .alignment = 8};
    CHECK_FAILS(kith_component_init(one, &larger), KITH_TYPE_CONFLICT);
    CHECK_OK(kith_check(one));
    CHECK_OK(kith_fini(one));
    CHECK_OK(kith_fini(two));
}

TEST(impossible_types, "types that cannot be stored are refused") {
    kith_world_t* world = kith_init();
    CHECK_FAILS(kith_component(world, {.size = 8, .alignment = 8}), KITH_INVALID_ARGUMENT);
    CHECK_FAILS(kith_component(world, {.name = "OddAlign", .size = 8, .alignment = 3}),
                KITH_INVALID_TYPE);
    CHECK_FAILS(kith_component(world, {.name = "OddSize", .size = 9, .alignment = 8}),
                KITH_INVALID_TYPE);
    CHECK_FAILS(kith_component(world, {.name = "Huge", .size = SIZE_MAX / 2, .alignment = 8}),
                KITH_INVALID_TYPE);
    CHECK_FAILS(
        kith_component(world, {.name = "LocalOdd", .size = 8, .alignment = 3, .local = true}),
        KITH_INVALID_TYPE);
    CHECK_ABSENT(kith_lookup(world, "LocalOdd"));
    const kith_component_desc_t local = {.name = "L", .size = 8, .alignment = 8, .local = true};
    CHECK_FAILS(kith_type_register(&local), KITH_INVALID_ARGUMENT);
    CHECK_OK(kith_check(world));
    CHECK_OK(kith_fini(world));
}

/* A type that owns memory. */
typedef struct Text {
    char* characters;
} Text;
static int live;
static int freed_contexts;
static void text_ctor(void* ptr, int32_t count, const kith_type_info_t* info) {
    Text* texts = ptr;
    CHECK(info->size == sizeof(Text) && info->ctx == &freed_contexts);
    for (int32_t i = 0; i < count; i++, live++) {
        texts[i].characters = malloc(8);
        strcpy(texts[i].characters, "new");
    }
}
static void text_dtor(void* ptr, int32_t count, const kith_type_info_t* info) {
    Text* texts = ptr;
    (void)info;
    for (int32_t i = 0; i < count; i++) {
        live -= texts[i].characters != NULL;
        free(texts[i].characters);
    }
}
static void text_copy(void* to, const void* from, int32_t count, const kith_type_info_t* info) {
    (void)info;
    for (int32_t i = 0; i < count; i++) {
        const char* given = ((const Text*)from)[i].characters;
        if (strcmp(given, "bad") == 0) {
            kith_fail(KITH_LIMIT, "a bad text");
            return;
        }
        strcpy(((Text*)to)[i].characters, given);
    }
}
static void free_context(void* ctx) {
    *(int*)ctx += 1;
}

static kith_component_desc_t text_desc(const char* name, bool copies, bool local) {
    kith_component_desc_t desc = {.name = name,
                                  .size = sizeof(Text),
                                  .alignment = KITH_ALIGNOF(Text),
                                  .hooks = {.ctor = text_ctor,
                                            .dtor = text_dtor,
                                            .ctx = &freed_contexts,
                                            .ctx_free = free_context},
                                  .local = local};
    desc.hooks.copy = copies ? text_copy : NULL;
    return desc;
}

static void use_texts(kith_world_t* world, kith_entity_t text) {
    char hello[8] = "hello", bad[8] = "bad";
    Text value = {hello};
    kith_entity_t tag = kith_new(world), es[40];
    for (int i = 0; i < 40; i++) {
        es[i] = kith_new(world);
        CHECK_OK(kith_add_id(world, es[i], text));
    }
    CHECK(live == 40);
    CHECK_TEXT(((const Text*)kith_get_id(world, es[3], text))->characters, "new");
    CHECK_OK(kith_set_id(world, es[3], text, sizeof value, &value));
    CHECK_OK(kith_add_id(world, es[3], tag));
    CHECK_TEXT(((const Text*)kith_get_id(world, es[3], text))->characters, "hello");
    kith_defer_begin(world);
    CHECK_OK(kith_set_id(world, es[4], text, sizeof value, &value));
    CHECK_OK(kith_set_id(world, kith_new(world), text, sizeof value, &value));
    CHECK_OK(kith_defer_end(world));
    CHECK(live == 41);
    kith_entity_t copy = kith_clone(world, 0, es[3], true);
    CHECK_TEXT(((const Text*)kith_get_id(world, copy, text))->characters, "hello");
    CHECK(live == 42);
    value.characters = bad;
    CHECK_STATUS(kith_set_id(world, es[5], text, sizeof value, &value), KITH_CALLBACK);
    CHECK_TEXT(kith_last_message(), "a bad text");
    CHECK_STATUS(kith_set_id(world, tag, text, sizeof value, &value), KITH_CALLBACK);
    CHECK_ABSENT(kith_has_id(world, tag, text));
    CHECK(live == 42);
    CHECK_OK(kith_delete(world, es[3]));
    CHECK_OK(kith_remove_id(world, es[4], text));
    CHECK(live == 40);
    CHECK_OK(kith_check(world));
}

/* spec 409 */
TEST(lifecycle, "functions make, copy and destroy values, with their context") {
    freed_contexts = live = 0;
    kith_world_t* world = kith_init();
    kith_component_desc_t desc = text_desc("Text", true, false);
    const kith_entity_t text = kith_component_init(world, &desc);
    CHECK(text != 0);
    use_texts(world, text);
    CHECK_OK(kith_fini(world));
    CHECK(live == 0);

    /* The context of the second description is not needed. */
    world = kith_init();
    CHECK(kith_component_init(world, &desc) == text);
    CHECK(freed_contexts == 1);
    kith_component_desc_t other = text_desc("Text", false, false);
    CHECK_FAILS(kith_component_init(world, &other), KITH_TYPE_CONFLICT);
    CHECK(freed_contexts == 2);
    other.hooks = (kith_type_hooks_t){0};
    CHECK(kith_component_init(world, &other) == text);
    CHECK_OK(kith_fini(world));
}

TEST(local_lifecycle, "a component of one world frees its context with itself") {
    freed_contexts = live = 0;
    kith_world_t* world = kith_init();
    kith_component_desc_t desc = text_desc("LocalText", true, true);
    const kith_entity_t text = kith_component_init(world, &desc);
    CHECK(text >= 4096);
    use_texts(world, text);
    CHECK(kith_component_init(world, &desc) == text);
    CHECK(freed_contexts == 1);
    kith_component_desc_t other = text_desc("LocalText", false, true);
    CHECK_FAILS(kith_component_init(world, &other), KITH_TYPE_CONFLICT);
    CHECK(freed_contexts == 2);
    kith_component_desc_t odd = text_desc("LocalOdd", true, true);
    odd.alignment = 3;
    CHECK_FAILS(kith_component_init(world, &odd), KITH_INVALID_TYPE);
    CHECK(freed_contexts == 3);
    CHECK_OK(kith_fini(world));
    CHECK(live == 0 && freed_contexts == 4);
}

TEST(owned_bytes, "without copies a value is moved; its bytes change their owner") {
    freed_contexts = live = 0;
    kith_world_t* world = kith_init();
    kith_component_desc_t desc = text_desc("OwnedText", false, false);
    const kith_entity_t text = kith_component_init(world, &desc);
    kith_entity_t e = kith_new(world), other = kith_new(world);
    Text value = {malloc(8)};
    strcpy(value.characters, "moved");
    live++;
    CHECK_STATUS(kith_set_id(world, e, text, sizeof value, &value), KITH_NOT_COPYABLE);
    CHECK_STATUS(kith_move_id(world, e, text, 3, &value), KITH_WRONG_TYPE);
    CHECK_OK(kith_move_id(world, e, text, sizeof value, &value));
    CHECK_TEXT(((const Text*)kith_get_id(world, e, text))->characters, "moved");
    value.characters = malloc(8);
    strcpy(value.characters, "again");
    live++;
    CHECK_OK(kith_move_id(world, e, text, 0, &value));
    CHECK(live == 1);
    CHECK_OK(kith_add_id(world, e, KithPrefab));
    CHECK_TEXT(((const Text*)kith_get_id(world, e, text))->characters, "again");
    kith_defer_begin(world);
    value.characters = malloc(8);
    strcpy(value.characters, "later");
    live++;
    CHECK_OK(kith_move_id(world, other, text, sizeof value, &value));
    CHECK_OK(kith_defer_end(world));
    CHECK_TEXT(((const Text*)kith_get_id(world, other, text))->characters, "later");
    CHECK_FAILS(kith_clone(world, 0, e, true), KITH_NOT_COPYABLE);
    CHECK_STATUS(kith_move_id(world, e, text, 0, NULL), KITH_INVALID_ARGUMENT);
    CHECK_OK(kith_check(world));
    CHECK_OK(kith_fini(world));
    CHECK(live == 0);
}

typedef struct hook_calls {
    int added, set, removed, freed;
    double last;
} hook_calls;
static void on_hook(kith_iter_t* it) {
    hook_calls* calls = it->ctx;
    CHECK(it->count == 1 && it->field_count == 1 && it->entities[0] != 0);
    const Position* p = kith_field(it, Position, 1);
    CHECK(p != NULL);
    calls->last = p->x;
    calls->added += it->event == KithOnAdd;
    calls->set += it->event == KithOnSet;
    calls->removed += it->event == KithOnRemove;
    CHECK_FAILS(kith_iter_next(it), KITH_INVALID_OPERATION);
}
static void free_calls(void* ctx) {
    ((hook_calls*)ctx)->freed++;
}
static void refuse_hook(kith_iter_t* it) {
    (void)it;
    kith_fail(KITH_CONSTRAINT, "not this one");
}

TEST(hooks, "hooks are called with an iterator of one row, and replaced") {
    kith_world_t* world = kith_init();
    KITH_COMPONENT_DEFINE(world, Position);
    hook_calls calls = {0, 0, 0, 0, 0}, others = {0, 0, 0, 0, 0};
    kith_type_hooks_t hooks = {.on_add = on_hook,
                               .on_set = on_hook,
                               .on_remove = on_hook,
                               .ctx = &calls,
                               .ctx_free = free_calls};
    kith_type_hooks_t found;
    CHECK_OK(kith_get_hooks(world, kith_id(Position), &found));
    CHECK(!found.on_add && !found.ctor && !found.ctx);
    CHECK_OK(kith_set_hooks(world, kith_id(Position), &hooks));
    CHECK_OK(kith_get_hooks(world, kith_id(Position), &found));
    CHECK(found.on_add == on_hook && found.ctx == &calls && !found.ctx_free);
    CHECK_STATUS(kith_get_hooks(world, kith_id(Position), NULL), KITH_INVALID_ARGUMENT);
    CHECK_STATUS(kith_get_hooks(world, 999999, &found), KITH_INVALID_ENTITY);
    kith_entity_t e = kith_new(world);
    CHECK_OK(kith_set(world, e, Position, {7, 0}));
    CHECK(calls.added == 1 && calls.set == 1 && calls.last == 7);
    CHECK_OK(kith_remove(world, e, Position));
    CHECK(calls.removed == 1 && calls.freed == 0);
    hooks.ctx = &others;
    hooks.on_add = refuse_hook;
    CHECK_OK(kith_set_hooks(world, kith_id(Position), &hooks));
    CHECK(calls.freed == 1);
    CHECK_OK(kith_get_hooks(world, kith_id(Position), &found));
    CHECK(found.on_add == refuse_hook && found.ctx == &others);
    CHECK_STATUS(kith_add(world, e, Position), KITH_CALLBACK);
    CHECK_TEXT(kith_last_message(), "not this one");
    hooks.ctor = text_ctor;
    CHECK_STATUS(kith_set_hooks(world, KithComponent, &hooks), KITH_TYPE_CONFLICT);
    CHECK(others.freed == 1);
    CHECK_STATUS(kith_set_hooks(world, 999999, &hooks), KITH_INVALID_ENTITY);
    CHECK_STATUS(kith_set_hooks(world, kith_id(Position), NULL), KITH_INVALID_ARGUMENT);
    CHECK_OK(kith_check(world));
    CHECK_OK(kith_fini(world));
    CHECK(others.freed == 3 && calls.freed == 1);
}

/* spec 410 */
TEST(enums, "an enum has constants with names and values") {
    kith_world_t *world = kith_init(), *second = kith_init();
    const kith_enum_constant_t constants[] = {{5, "Color_Blue"}, {-1, "Color_Red"}};
    const kith_enum_desc_t desc = {.name = "Color", .constants = constants, .count = 2};
    kith_entity_t color = kith_enum_init(world, &desc);
    CHECK(color != 0 && kith_enum_init(world, &desc) == color);
    CHECK(kith_enum_init(second, &desc) == color);
    kith_entity_t red = kith_enum_constant(world, color, -1);
    CHECK_TEXT(kith_get_name(world, red), "Red");
    CHECK_ABSENT(kith_enum_constant(world, color, 3));
    int64_t value = 0;
    CHECK_OK(kith_enum_value(world, red, &value));
    CHECK(value == -1);
    kith_entity_t e = kith_new(world);
    CHECK_STATUS(kith_get_enum(world, e, color, &value), KITH_MISSING_COMPONENT);
    CHECK_OK(kith_set_enum(world, e, color, -1));
    CHECK_OK(kith_set_enum(world, e, color, 5));
    CHECK_OK(kith_get_enum(world, e, color, &value));
    CHECK(value == 5 && kith_get_target(world, e, color, 1) == 0);
    CHECK_STATUS(kith_set_enum(world, e, color, 7), KITH_INVALID_ID);
    CHECK_STATUS(kith_set_enum(world, e, e, 7), KITH_WRONG_TYPE);
    CHECK_STATUS(kith_enum_value(world, e, &value), KITH_WRONG_TYPE);
    CHECK_STATUS(kith_enum_value(world, red, NULL), KITH_INVALID_ARGUMENT);
    CHECK_FAILS(kith_enum_constant(world, 999999, 1), KITH_INVALID_ENTITY);

    const kith_enum_desc_t fewer = {.name = "Color", .constants = constants, .count = 1};
    CHECK_FAILS(kith_enum_init(world, &fewer), KITH_TYPE_CONFLICT);
    const kith_enum_constant_t same[] = {{1, "A"}, {1, "B"}};
    const kith_enum_desc_t twice = {.name = "Twice", .constants = same, .count = 2};
    CHECK_FAILS(kith_enum_init(world, &twice), KITH_INVALID_ARGUMENT);
    const kith_enum_desc_t odd = {.name = "Odd", .size = 3, .constants = constants, .count = 2};
    CHECK_FAILS(kith_enum_init(world, &odd), KITH_INVALID_TYPE);
    const kith_enum_desc_t null_list = {.name = "Null", .count = 2};
    CHECK_FAILS(kith_enum_init(world, &null_list), KITH_INVALID_ARGUMENT);
    CHECK_OK(kith_check(world));
    CHECK_OK(kith_fini(world));
    CHECK_OK(kith_fini(second));
}

TEST(enum_values, "constants of an enum fit its size, and differ in name and value") {
    kith_world_t* world = kith_init();
    const struct {
        int64_t first, second;
        kith_status_t status;
    } cases[] = {{255, -129, KITH_INVALID_TYPE},
                 {256, 0, KITH_INVALID_TYPE},
                 {-1, 255, KITH_INVALID_ARGUMENT},
                 {INT64_MIN, 0, KITH_INVALID_TYPE},
                 {INT64_MAX, 1, KITH_INVALID_TYPE}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const kith_enum_constant_t constants[] = {{cases[i].first, "A"}, {cases[i].second, "B"}};
        const kith_enum_desc_t desc = {"Byte", 1, constants, 2};
        CHECK_FAILS(kith_enum_init(world, &desc), cases[i].status);
    }
    const kith_enum_constant_t same_name[] = {{1, "A"}, {2, "A"}};
    const kith_enum_desc_t refused = {"Byte", 1, same_name, 2};
    CHECK_FAILS(kith_enum_init(world, &refused), KITH_INVALID_ARGUMENT);
    CHECK_ABSENT(kith_lookup(world, "Byte"));

    /* What was refused does not stay in the process. */
    const kith_enum_constant_t extremes[] = {{-128, "Low"}, {127, "High"}, {200, "Unsigned"}};
    const kith_enum_desc_t desc = {"Byte", 1, extremes, 3};
    const kith_entity_t byte = kith_enum_init(world, &desc), e = kith_new(world);
    CHECK(byte != 0);
    for (int i = 0; i < 3; i++) {
        int64_t value = 0;
        CHECK_OK(kith_set_enum(world, e, byte, extremes[i].value));
        CHECK_OK(kith_get_enum(world, e, byte, &value));
        CHECK(value == extremes[i].value);
    }
    const kith_enum_constant_t wide[] = {{INT64_MIN, "Least"}, {INT64_MAX, "Most"}};
    const kith_enum_desc_t eight = {"Wide", 8, wide, 2};
    CHECK(kith_enum_init(world, &eight) != 0);
    CHECK_OK(kith_check(world));
    CHECK_OK(kith_fini(world));
}
