/* Observers, events, monitors. */
#define SUITE "observers"
#include "harness.h"

typedef struct log_t {
    int calls, rows, freed;
    kith_entity_t event;
    kith_id_t event_id;
    double last;
} log_t;
static void record(kith_iter_t* it) {
    log_t* log = it->ctx;
    log->calls++;
    log->rows += it->count;
    log->event = it->event;
    log->event_id = it->event_id;
    if (it->field_count > 0 && kith_field_size(it, 1) == sizeof(Position)) {
        const Position* p = kith_field(it, Position, 1);
        log->last = p ? p->x : -1;
    }
}
static void free_log(void* ctx) {
    ((log_t*)ctx)->freed++;
}

/* spec 419 */
TEST(observers, "an observer is called for the events of a query, and frees its contexts once") {
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    KITH_TAG(world, Ship);
    log_t log = {0}, binding = {0};
    kith_entity_t observer =
        kith_observer(world, {.query = {.terms = {{kith_id(Position)}, {Ship}}, .name = "watch"},
                              .events = {KithOnSet, KithOnRemove},
                              .callback = record,
                              .ctx = &log,
                              .ctx_free = free_log,
                              .binding_ctx = &binding,
                              .binding_ctx_free = free_log});
    CHECK(observer && observer == kith_lookup(world, "watch"));
    CHECK(kith_observer_get_ctx(world, observer) == &log);
    kith_query_t* query = kith_observer_query(world, observer);
    CHECK_OWNED_TEXT(kith_query_str(query), "Position, Ship");
    kith_query_fini(query);
    kith_entity_t e = kith_new_w_id(world, Ship);
    kith_set(world, e, Position, {5, 0});
    CHECK(log.calls == 1 && log.rows == 1 && log.event == KithOnSet && log.last == 5);
    CHECK(log.event_id == kith_id(Position));
    kith_remove(world, e, Ship);
    CHECK(log.calls == 2 && log.event == KithOnRemove);
    CHECK_OK(kith_delete(world, observer));
    CHECK(log.freed == 1 && binding.freed == 1);
    CHECK_ABSENT(kith_observer_get_ctx(world, observer));
    CHECK_FAILS(kith_observer_query(world, e), KITH_INVALID_OPERATION);
    CHECK_OK(kith_fini(world));
}

TEST(mistakes, "an observer that cannot be made frees its context at once") {
    kith_world_t* world = kith_init();
    KITH_TAG(world, Ship);
    log_t log = {0};
    kith_observer_desc_t desc = {
        .query = {.terms = {{Ship}}}, .callback = record, .ctx = &log, .ctx_free = free_log};
    CHECK_FAILS(kith_observer_init(world, &desc), KITH_INVALID_OPERATION);
    CHECK(log.freed == 1);
    desc.events[0] = KithOnAdd;
    desc.callback = NULL;
    CHECK_FAILS(kith_observer_init(world, &desc), KITH_INVALID_ARGUMENT);
    CHECK(log.freed == 2);
    desc.callback = record;
    desc.query.expr = "Nobody";
    CHECK_FAILS(kith_observer_init(world, &desc), KITH_INVALID_QUERY);
    CHECK(log.freed == 3);
    desc.query.expr = NULL;
    desc.events[0] = 999999;
    CHECK_FAILS(kith_observer_init(world, &desc), KITH_INVALID_ENTITY);
    CHECK_FAILS(kith_observer_init(NULL, &desc), KITH_INVALID_ENTITY);
    CHECK(log.freed == 5);
    desc.events[0] = KithOnAdd;
    desc.entity = kith_new_entity(world, "Space::Watch");
    CHECK(kith_observer_init(world, &desc) == desc.entity);
    CHECK_FAILS(kith_observer_init(world, &desc), KITH_ALREADY_EXISTS);
    CHECK(log.freed == 6);
    kith_new_w_id(world, Ship);
    CHECK(log.calls == 1);
    CHECK_OK(kith_fini(world));
    CHECK(log.freed == 7);
}

static void delete_watch(kith_iter_t* it) {
    log_t* log = it->ctx;
    log->calls++;
    CHECK_OK(kith_delete(it->world, kith_lookup(it->world, "Watch")));
}

TEST(ended_by_itself, "an observer may be deleted by its callback while it is made") {
    kith_world_t* world = kith_init();
    KITH_TAG(world, Ship);
    kith_new_w_id(world, Ship);
    log_t log = {0};
    const kith_entity_t watch = kith_observer(world, {.query = {.terms = {{Ship}}, .name = "Watch"},
                                                      .events = {KithOnAdd},
                                                      .yield_existing = true,
                                                      .callback = delete_watch,
                                                      .ctx = &log,
                                                      .ctx_free = free_log});
    CHECK(log.calls == 1 && log.freed == 1);
    CHECK(watch && !kith_is_alive(world, watch) && !kith_observer_get_ctx(world, watch));
    CHECK_OK(kith_fini(world));
    CHECK(log.freed == 1);
}

static void around(kith_iter_t* it) {
    log_t* log = it->ctx;
    log->calls += 10;
    CHECK_OK(kith_iter_call(it));
    CHECK_FAILS(kith_iter_next(it), KITH_INVALID_OPERATION);
}

TEST(run_around,
     "run is called instead of the callback, and may call it; existing rows come first") {
    kith_world_t* world = kith_init();
    KITH_TAG(world, Ship);
    log_t log = {0};
    kith_new_w_id(world, Ship);
    kith_observer(world, {.query = {.terms = {{Ship}}},
                          .events = {KithOnAdd},
                          .yield_existing = true,
                          .callback = record,
                          .run = around,
                          .ctx = &log});
    CHECK(log.calls == 11 && log.rows == 1);
    kith_new_w_id(world, Ship);
    CHECK(log.calls == 22);
    kith_iter_t it;
    kith_each_id(world, Ship, &it);
    CHECK_STATUS(kith_iter_call(&it), KITH_INVALID_OPERATION);
    kith_iter_fini(&it);
    CHECK_OK(kith_fini(world));
}

static log_t moved;
static void on_move(kith_iter_t* it) {
    moved.calls++;
    CHECK(kith_field(it, Position, 1) != NULL && kith_field_is_readonly(it, 2));
}

/* spec 421 */
TEST(macro, "KITH_OBSERVER takes the rest of the line as its query") {
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    KITH_COMPONENT(world, Velocity);
    KITH_OBSERVER(world, on_move, KithOnSet, Position, [in] Velocity);
    CHECK(kith_id(on_move) == kith_lookup(world, "on_move"));
    kith_entity_t e = kith_new(world);
    kith_set(world, e, Velocity, {1, 1});
    kith_set(world, e, Position, {1, 1});
    CHECK(moved.calls == 1);
    CHECK_OK(kith_fini(world));
}

static void read_param(kith_iter_t* it) {
    log_t* log = it->ctx;
    log->calls++;
    log->rows += it->count;
    log->event = it->event;
    log->last = it->param ? ((const Position*)it->param)->x : -1;
}

TEST(events, "events of the program carry a payload, at once or queued") {
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    KITH_TAG(world, Ship);
    kith_entity_t hit = kith_new_entity(world, "Hit"), e = kith_new_w_id(world, Ship);
    log_t log = {0}, own = {0};
    kith_observer(
        world,
        {.query = {.terms = {{Ship}}}, .events = {hit}, .callback = read_param, .ctx = &log});
    const kith_observer_desc_t entity_desc = {.callback = read_param, .ctx = &own};
    kith_entity_t of_entity = kith_entity_observer_init(world, e, hit, &entity_desc);
    CHECK(of_entity && kith_observer_get_ctx(world, of_entity) == &own);
    Position p = {3, 0};
    kith_event_desc_t event = {.event = hit, .ids = &Ship, .id_count = 1, .entity = e, .param = &p};
    CHECK_OK(kith_emit(world, &event));
    CHECK(log.calls == 1 && log.event == hit && log.last == 3);
    CHECK(own.calls == 1 && own.last == 3);
    event.table = kith_get_table(world, e);
    CHECK_STATUS(kith_emit(world, &event), KITH_INVALID_ARGUMENT); /* two subjects */
    event.table = NULL;
    event.param_type = kith_id(Position);
    kith_defer_begin(world);
    CHECK_OK(kith_enqueue(world, &event));
    p.x = 4;
    CHECK(log.calls == 1);
    CHECK_OK(kith_defer_end(world));
    CHECK(log.calls == 2 && log.last == 3);
    kith_event_desc_t of_table = {
        .event = hit, .ids = &Ship, .id_count = 1, .table = kith_get_table(world, e)};
    CHECK_OK(kith_emit(world, &of_table));
    CHECK(log.calls == 3 && log.last == -1);

    event.param_type = hit;
    CHECK_STATUS(kith_emit(world, &event), KITH_INVALID_ARGUMENT);
    event.param_type = 0;
    event.id_count = -1;
    CHECK_STATUS(kith_emit(world, &event), KITH_INVALID_ARGUMENT);
    event.id_count = 17;
    CHECK_STATUS(kith_emit(world, &event), KITH_LIMIT);
    event.id_count = 1;
    event.event = 0;
    CHECK_STATUS(kith_emit(world, &event), KITH_INVALID_ENTITY);
    event.event = hit;
    event.entity = 999999;
    CHECK_STATUS(kith_enqueue(world, &event), KITH_INVALID_ENTITY);
    of_table.offset = -1;
    CHECK_STATUS(kith_emit(world, &of_table), KITH_INVALID_ARGUMENT);
    CHECK_FAILS(kith_entity_observer_init(world, e, KithOnAdd, &entity_desc),
                KITH_INVALID_OPERATION);
    CHECK_FAILS(kith_entity_observer_init(world, 0, hit, &entity_desc), KITH_INVALID_ENTITY);
    CHECK_OK(kith_fini(world));
}

TEST(monitors, "a monitor reports results that enter and leave, until it ends") {
    kith_world_t* world = kith_init();
    KITH_TAG(world, Ship);
    log_t log = {0};
    kith_entity_t e = kith_new_w_id(world, Ship);
    kith_query_t* query = kith_query_new(world, "Ship, !Disabled");
    const kith_monitor_desc_t desc = {
        .existing = true, .callback = record, .ctx = &log, .ctx_free = free_log};
    kith_monitor_t* monitor = kith_monitor_init(query, &desc);
    CHECK(monitor && log.calls == 1 && log.event == KithOnAdd);
    kith_enable(world, e, false);
    CHECK(log.calls == 2 && log.event == KithOnRemove);
    kith_enable(world, e, true);
    CHECK(log.calls == 3 && log.event == KithOnAdd);
    kith_monitor_fini(monitor);
    CHECK(log.freed == 1);
    kith_enable(world, e, false);
    CHECK(log.calls == 3);
    const kith_monitor_desc_t leaving = {.leave = true, .callback = record, .ctx = &log};
    monitor = kith_monitor_init(query, &leaving);
    kith_enable(world, e, true);
    CHECK(log.calls == 3);
    kith_enable(world, e, false);
    CHECK(log.calls == 4);
    kith_monitor_fini(monitor);
    kith_monitor_fini(NULL);
    const kith_monitor_desc_t none = {.ctx = &log, .ctx_free = free_log};
    CHECK_FAILS(kith_monitor_init(query, &none), KITH_INVALID_ARGUMENT);
    CHECK_FAILS(kith_monitor_init(NULL, &desc), KITH_INVALID_ARGUMENT);
    CHECK(log.freed == 3);
    kith_query_fini(query);
    CHECK_OK(kith_fini(world));
}
