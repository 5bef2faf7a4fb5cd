/* <kith/ecs.h>: observers and events by the names of Flecs. */
/* spec 433 */
#define SUITE "ecs_observers"
#include <kith/ecs.h>

#include "harness.h"

static ECS_COMPONENT_DECLARE(Position);
static ECS_COMPONENT_DECLARE(Mass);

static ecs_world_t* make(void) {
    ecs_world_t* world = ecs_init();
    ECS_COMPONENT_DEFINE(world, Position);
    ECS_COMPONENT_DEFINE(world, Mass);
    return world;
}

static int calls, runs, freed;
static ecs_entity_t last;
static double last_x;
static void on_position(ecs_iter_t* it) {
    const Position* p = ecs_field(it, Position, 1);
    CHECK(p == it->ptrs[0] && it->ids[0] == ecs_id(Position));
    calls += it->count;
    last = it->entities[it->count - 1];
    last_x = p[it->count - 1].x;
    CHECK(it->event == EcsOnSet && it->event_id == ecs_id(Position));
}
static void free_ctx(void* ctx) {
    (void)ctx;
    freed++;
}

static ECS_OBSERVER_DECLARE(on_position);

TEST(text, "the rest of a line is the query of an observer") {
    ecs_world_t* world = make();
    calls = 0;
    CHECK(ECS_OBSERVER_DEFINE(world, on_position, EcsOnSet, Position, [filter] Mass) != 0);
    CHECK_TEXT(ecs_get_name(world, ecs_id(on_position)), "on_position");
    const ecs_entity_t e = ecs_set(world, 0, Position, {1, 2});
    CHECK(calls == 0);
    ecs_set(world, e, Mass, {3});
    ecs_set(world, e, Position, {4, 5});
    CHECK(calls == 1 && last == e && last_x == 4);
    ecs_delete(world, ecs_id(on_position));
    ecs_set(world, e, Position, {6, 7});
    CHECK(calls == 1);
    CHECK_OK(kith_check(world));
    CHECK(ecs_fini(world) == 0);
}

static void run_twice(ecs_iter_t* it) {
    runs++;
    while (it->next(it)) {
        it->callback(it);
        it->callback(it);
    }
    CHECK(!ecs_iter_next(it));
}
static const void *seen_ctx, *seen_binding;
static void keep_contexts(ecs_iter_t* it) {
    seen_ctx = it->ctx;
    seen_binding = it->binding_ctx;
    calls++;
}

TEST(run, "run decides how often the callback is called") {
    ecs_world_t* world = make();
    int ctx = 0, binding = 0;
    calls = runs = freed = 0;
    const ecs_entity_t observer = ecs_observer(world, {.filter.terms = {{ecs_id(Position)}},
                                                       .events = {EcsOnAdd},
                                                       .callback = keep_contexts,
                                                       .run = run_twice,
                                                       .ctx = &ctx,
                                                       .ctx_free = free_ctx,
                                                       .binding_ctx = &binding,
                                                       .binding_ctx_free = free_ctx});
    ecs_new(world, Position);
    CHECK(runs == 1 && calls == 2 && seen_ctx == &ctx && seen_binding == &binding);
    CHECK(ecs_observer_get_ctx(world, observer) == &ctx);
    CHECK(ecs_get_observer_ctx(world, observer) == &ctx);
    ecs_delete(world, observer);
    CHECK(freed == 2);
    CHECK(ecs_observer(world, {.filter.terms = {{ecs_id(Mass)}},
                               .events = {EcsOnAdd},
                               .callback = keep_contexts,
                               .run = ecs_observer_default_run_action}) != 0);
    ecs_new(world, Mass);
    CHECK(calls == 3);
    CHECK_OK(kith_check(world));
    CHECK(ecs_fini(world) == 0);
}

TEST(refused, "contexts are freed once when an observer is refused") {
    ecs_world_t* world = make();
    int ctx = 0;
    freed = 0;
    CHECK_FAILS(ecs_observer(world, {.filter.expr = "Unknown(",
                                     .events = {EcsOnAdd},
                                     .callback = keep_contexts,
                                     .ctx = &ctx,
                                     .ctx_free = free_ctx,
                                     .binding_ctx = &ctx,
                                     .binding_ctx_free = free_ctx}),
                KITH_INVALID_QUERY);
    CHECK(freed == 2);
    CHECK_FAILS(ecs_observer(world, {.filter.terms = {{ecs_id(Position)}}, .events = {EcsOnAdd}}),
                KITH_INVALID_ARGUMENT);
    CHECK_FAILS(ecs_observer_init(world, NULL), KITH_INVALID_ARGUMENT);
    CHECK(ecs_fini(world) == 0);
}

static void refuse(ecs_iter_t* it) {
    (void)it;
    kith_fail(KITH_CONSTRAINT, "not here");
}

TEST(failing, "a callback that fails makes the operation fail") {
    ecs_world_t* world = make();
    ECS_OBSERVER(world, refuse, EcsOnAdd, Mass);
    const ecs_entity_t e = ecs_new_id(world);
    CHECK_STATUS(ecs_add(world, e, Mass), KITH_CALLBACK);
    CHECK_TEXT(kith_last_message(), "not here");
    CHECK(ecs_id(refuse) != 0);
    CHECK(ecs_fini(world) == 0);
}

static int32_t payload;
static void on_event(ecs_iter_t* it) {
    payload += ((const Mass*)it->param)->tons;
    last = it->entities[0];
}

TEST(events, "events have ids, a subject and a payload") {
    ecs_world_t* world = make();
    payload = 0;
    const ecs_entity_t e = ecs_set(world, 0, Position, {1, 2});
    CHECK(ecs_observer(world, {.filter.terms = {{ecs_id(Position)}},
                               .events = {ecs_id(Mass)},
                               .callback = on_event}) != 0);
    Mass mass = {5};
    ecs_id_t ids[] = {ecs_id(Position)};
    const ecs_type_t type = {ids, 1};
    ecs_event_desc_t event = {.event = ecs_id(Mass), .ids = &type, .entity = e, .param = &mass};
    CHECK_OK(ecs_emit(world, &event));
    CHECK(payload == 5 && last == e);
    event.param = NULL;
    event.const_param = &mass;
    ecs_defer_begin(world);
    CHECK_OK(ecs_enqueue(world, &event));
    mass.tons = 100; /* the payload was copied */
    CHECK(payload == 5 && ecs_defer_end(world));
    CHECK(payload == 10);
    CHECK_STATUS(ecs_emit(world, NULL), KITH_INVALID_ARGUMENT);
    CHECK_STATUS(ecs_enqueue(world, NULL), KITH_INVALID_ARGUMENT);
    CHECK_OK(kith_check(world));
    CHECK(ecs_fini(world) == 0);
}
