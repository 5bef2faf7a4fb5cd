/* A failure of a callback of any kind reaches the call that caused it, and nothing stays behind. */
#define SUITE "callbacks"
#include "harness.h"

static bool failing; /* else callbacks do their work */

static void refuse(void) {
    if (failing) {
        kith_fail(KITH_CONSTRAINT, "not this one");
    }
}
static void on_rows(kith_iter_t* it) {
    (void)it;
    refuse();
}
static void run_all(kith_iter_t* it) {
    while (kith_iter_next(it)) {
        kith_iter_call(it);
    }
    refuse();
}
static void construct(void* values, int32_t count, const kith_type_info_t* info) {
    memset(values, 0, (size_t)count * info->size);
    refuse();
}
static void copy(void* to, const void* from, int32_t count, const kith_type_info_t* info) {
    memcpy(to, from, (size_t)count * info->size);
    refuse();
}
static void make(void* value, void* ctx) {
    (void)ctx;
    memset(value, 0, sizeof(Position));
    refuse();
}
static int compare(kith_entity_t e1, const void* v1, kith_entity_t e2, const void* v2) {
    (void)v1;
    (void)v2;
    refuse();
    return (e1 > e2) - (e1 < e2);
}
static uint64_t group_of(kith_world_t* world, kith_table_t* table, kith_id_t id, void* ctx) {
    (void)world;
    (void)table;
    (void)id;
    (void)ctx;
    refuse();
    return 1;
}
static void* group_made(kith_world_t* world, uint64_t group, void* ctx) {
    (void)world;
    (void)group;
    refuse();
    return ctx;
}
static bool go_on(kith_entity_t entity, int32_t depth, void* ctx) {
    (void)entity;
    (void)depth;
    (void)ctx;
    refuse();
    return true;
}
static bool stop(void* ctx) {
    (void)ctx;
    refuse();
    return false;
}
static void import(kith_world_t* world, void* ctx) {
    (void)ctx;
    kith_new_entity(world, "Part");
    refuse();
}
static void mistake(const kith_text_error_t* error, void* ctx) {
    (void)error;
    (void)ctx;
    refuse();
}
static bool progress(void* ctx, size_t done, size_t size) {
    (void)ctx;
    (void)done;
    (void)size;
    refuse();
    return true;
}

typedef struct fixture {
    kith_world_t* world;
    kith_entity_t tag, e, position, grown;
} fixture;

static fixture make_world(void) {
    fixture f = {.world = kith_init()};
    KITH_COMPONENT(f.world, Position);
    f.position = kith_id(Position);
    f.tag = kith_new_entity(f.world, "Tag");
    f.e = kith_new_entity(f.world, "E");
    f.grown = kith_component(f.world, {.name = "Grown",
                                       .size = 8,
                                       .alignment = 8,
                                       .local = true,
                                       .hooks = {.ctor = construct,
                                                 .copy = copy,
                                                 .copy_ctor = copy,
                                                 .on_add = on_rows,
                                                 .on_set = on_rows,
                                                 .on_remove = on_rows}});
    return f;
}

/* The call fails by the callback; done again without a failure, it works. */
#define CHECK_CALLBACK(fails, works)                        \
    do {                                                    \
        failing = true;                                     \
        kith_clear_error();                                 \
        CHECK(!(fails));                                    \
        CHECK(kith_last_status() == KITH_CALLBACK);         \
        CHECK(strstr(kith_last_message(), "not this one")); \
        CHECK_OK(kith_check(f.world));                      \
        failing = false;                                    \
        CHECK(works);                                       \
        CHECK_OK(kith_check(f.world));                      \
    } while (0)
#define CHECK_CALL(call) CHECK_CALLBACK((call) == KITH_OK, (call) == KITH_OK)
#define CHECK_VALUE(call) CHECK_CALLBACK(call, call)

/* spec 420 */
TEST(lifecycle, "functions of a component and its hooks") {
    const fixture f = make_world();
    const uint64_t value = 1;
    CHECK_CALL(kith_add_id(f.world, f.e, f.grown));
    CHECK_CALL(kith_set_id(f.world, f.e, f.grown, sizeof value, &value));
    CHECK_CALL(kith_modified_id(f.world, f.e, f.grown));
    CHECK_VALUE(kith_clone(f.world, 0, f.e, true));
    CHECK_CALL(kith_remove_id(f.world, f.e, f.grown));
    const kith_entity_t es[] = {f.e};
    CHECK_CALL(kith_set_n(f.world, es, 1, f.grown, sizeof value, &value));
    const kith_bulk_desc_t bulk = {.count = 2, .ids = {f.grown}};
    CHECK_VALUE(kith_bulk_init(f.world, &bulk));
    CHECK_CALL(kith_emplace_id(f.world, f.e, f.position, make, NULL));
    failing = true;
    CHECK_OK(kith_fini(f.world)); /* on_remove of what is left fails, and nobody can be told */
    failing = false;
}

TEST(observers, "observers, monitors, and functions that run around them") {
    const fixture f = make_world();
    const kith_entity_t plain = kith_observer(
        f.world, {.query = {.terms = {{f.tag}}}, .events = {KithOnAdd}, .callback = on_rows});
    CHECK_CALL(kith_add_id(f.world, f.e, f.tag));
    CHECK_OK(kith_delete(f.world, plain));
    const kith_entity_t around = kith_observer(f.world, {.query = {.terms = {{f.tag}}},
                                                         .events = {KithOnRemove},
                                                         .callback = on_rows,
                                                         .run = run_all});
    CHECK_CALL(kith_remove_id(f.world, f.e, f.tag));
    CHECK_OK(kith_delete(f.world, around));
    const kith_observer_desc_t about = {.callback = on_rows};
    const kith_entity_t hit = kith_new_entity(f.world, "Hit");
    CHECK(kith_entity_observer_init(f.world, f.e, hit, &about) != 0);
    const kith_event_desc_t event = {.event = hit, .entity = f.e};
    CHECK_CALL(kith_emit(f.world, &event));
    CHECK_CALLBACK(kith_defer_begin(f.world) && kith_enqueue(f.world, &event) == KITH_OK &&
                       kith_defer_end(f.world) == KITH_OK,
                   kith_defer_begin(f.world) && kith_enqueue(f.world, &event) == KITH_OK &&
                       kith_defer_end(f.world) == KITH_OK);
    kith_query_t* query = kith_query_new(f.world, "Tag");
    const kith_monitor_desc_t watched = {.callback = on_rows};
    kith_monitor_t* monitor = kith_monitor_init(query, &watched);
    CHECK_CALL(kith_add_id(f.world, f.e, f.tag));
    CHECK_CALL(kith_remove_id(f.world, f.e, f.tag));
    kith_monitor_fini(monitor);
    CHECK_OK(kith_add_id(f.world, f.e, f.tag));
    const kith_monitor_desc_t existing = {.callback = on_rows, .existing = true};
    kith_monitor_t* late = NULL;
    CHECK_CALLBACK(late = kith_monitor_init(query, &existing),
                   late = kith_monitor_init(query, &existing));
    kith_monitor_fini(late);
    const kith_observer_desc_t yields = {.query = {.terms = {{f.tag}}},
                                         .events = {KithOnAdd},
                                         .callback = on_rows,
                                         .yield_existing = true};
    CHECK_VALUE(kith_observer_init(f.world, &yields));
    kith_query_fini(query);
    CHECK_OK(kith_fini(f.world));
}

/* The number of results, 0 if the run fails. */
static int results_of(const fixture* f, kith_query_t* query, bool stops) {
    kith_iter_t it;
    int count = 0;
    if (kith_query_iter(f->world, query, &it) != KITH_OK ||
        (stops && kith_iter_stop_on(&it, stop, NULL) != KITH_OK)) {
        return 0;
    }
    while (kith_iter_next(&it)) {
        count += it.count;
    }
    CHECK(it.status == KITH_OK || it.status == KITH_CALLBACK);
    return it.status == KITH_OK ? count : 0;
}

TEST(queries, "comparisons, groups, stops, walks") {
    const fixture f = make_world();
    failing = false;
    for (int i = 0; i < 3; i++) {
        const kith_entity_t e = kith_new_w_id(f.world, f.tag);
        kith_set_id(f.world, e, f.position, sizeof(Position), &(Position){1, 2});
        kith_add_pair(f.world, e, KithChildOf, f.e);
    }
    kith_query_t* sorted = kith_query(
        f.world,
        {.terms = {{f.tag}, {f.position}}, .order_by_component = f.position, .order_by = compare});
    CHECK_VALUE(results_of(&f, sorted, false));
    kith_query_t* query = kith_query_new(f.world, "Tag");
    CHECK_VALUE(results_of(&f, query, true));
    kith_query_t* grouped = NULL;
    CHECK_CALLBACK(
        (grouped =
             kith_query(f.world, {.terms = {{f.tag}}, .cached = true, .group_by = group_of})) &&
            results_of(&f, grouped, false),
        (grouped ? grouped
                 : (grouped = kith_query(
                        f.world, {.terms = {{f.tag}}, .cached = true, .group_by = group_of}))) &&
            results_of(&f, grouped, false));
    kith_query_fini(grouped);
    grouped = NULL;
    CHECK_CALLBACK((grouped = kith_query(f.world, {.terms = {{f.tag}},
                                                   .cached = true,
                                                   .group_by = group_of,
                                                   .on_group_create = group_made})) &&
                       results_of(&f, grouped, false),
                   (grouped ? grouped
                            : (grouped = kith_query(f.world, {.terms = {{f.tag}},
                                                              .cached = true,
                                                              .group_by = group_of,
                                                              .on_group_create = group_made}))) &&
                       results_of(&f, grouped, false));
    kith_query_fini(grouped);
    const kith_entity_t child = kith_query_first(query);
    CHECK_CALL(kith_walk_up(f.world, child, KithChildOf, go_on, NULL, 0));
    kith_query_fini(sorted);
    kith_query_fini(query);
    CHECK_OK(kith_fini(f.world));
}

TEST(others, "systems, modules, texts") {
    const fixture f = make_world();
    kith_add_id(f.world, f.e, f.tag);
    const kith_entity_t once =
        kith_system(f.world, {.query = {.terms = {{f.tag}}}, .callback = on_rows});
    const kith_entity_t around =
        kith_system(f.world, {.query = {.terms = {{f.tag}}}, .callback = on_rows, .run = run_all});
    CHECK_CALL(kith_run(f.world, once, 1, NULL));
    CHECK_CALL(kith_run(f.world, around, 1, NULL));
    CHECK_VALUE(kith_import(f.world, import, "a_module", NULL));
    CHECK_CALLBACK(kith_check_query("A,, (", 5, mistake, NULL) >= 0,
                   kith_check_query("A,, (", 5, mistake, NULL) > 0);
    CHECK_CALLBACK(kith_check_text("A((", 3, mistake, NULL) >= 0,
                   kith_check_text("A((", 3, mistake, NULL) > 0);
    /* Progress is told from time to time. */
    static char text[1 << 20];
    size_t length = 0;
    while (length + 8 < sizeof text) {
        memcpy(text + length, "A(B)\n", 5);
        length += 5;
    }
    const kith_load_desc_t load = {.progress = progress};
    CHECK_CALL(kith_load_text(f.world, text, length, &load));
    CHECK_OK(kith_fini(f.world));
}
