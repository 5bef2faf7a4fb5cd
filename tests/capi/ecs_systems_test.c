/* Systems in the vocabulary of <kith/ecs.h>. */
#define SUITE "ecs_systems"
#include <kith/ecs.h>

#include "harness.h"

static int calls, rows;
static ecs_entity_t seen;

static void Count(ecs_iter_t* it) {
    calls++;
    rows += it->count;
    seen = it->system;
}
static void Grow(ecs_iter_t* it) {
    Mass* mass = ecs_field(it, Mass, 1);
    for (int i = 0; i < it->count; i++) {
        mass[i].tons += (int32_t)it->delta_time;
    }
}
static void Steps(ecs_iter_t* it) {
    calls++;
    while (ecs_iter_next(it)) {
        it->callback(it);
    }
}

/* spec 158 */
TEST(macro, "ECS_SYSTEM takes the query as the rest of the line") {
    ecs_world_t* world = ecs_init();
    ECS_COMPONENT(world, Mass);
    ECS_TAG(world, Ship);
    ECS_SYSTEM(world, Grow, EcsOnUpdate, Mass, Ship);
    ecs_entity_t ship = ecs_new(world, Ship);
    ecs_set(world, ship, Mass, {1});
    ecs_set(world, 0, Mass, {1});
    CHECK(ecs_progress(world, 2));
    CHECK(ecs_get(world, ship, Mass)->tons == 3);
    CHECK(ecs_id(Grow) == ecs_lookup(world, "Grow"));
    CHECK(ecs_run(world, ecs_id(Grow), 1, NULL) == 0);
    CHECK(ecs_get(world, ship, Mass)->tons == 4);
    ecs_fini(world);
}

TEST(descriptor, "ecs_system takes the phase from its entity") {
    ecs_world_t* world = ecs_init();
    ECS_TAG(world, Ship);
    ecs_new(world, Ship);
    ecs_new(world, Ship);
    int ctx = 0;
    ecs_entity_t system = ecs_system(
        world, {.entity = ecs_entity(world, {.name = "Count", .add = {ecs_dependson(EcsOnUpdate)}}),
                .query = {.filter = {.terms = {{.id = Ship}}}},
                .callback = Count,
                .ctx = &ctx});
    calls = rows = 0;
    CHECK(system && ecs_get_system_ctx(world, system) == &ctx);
    CHECK(ecs_progress(world, 1));
    CHECK(calls == 1 && rows == 2 && seen == system);
    ecs_entity_t idle = ecs_system(
        world, {.query = {.filter = {.terms = {{.id = Ship}}}}, .run = Steps, .callback = Count});
    CHECK(ecs_progress(world, 1) && calls == 2);
    CHECK(ecs_run_worker(world, idle, 0, 1, 0, NULL) == 0);
    CHECK(calls == 4 && rows == 6);
    ecs_fini(world);
}

TEST(time, "pipelines, timers and the end of the loop have the names of the vocabulary") {
    ecs_world_t* world = ecs_init();
    ECS_SYSTEM(world, Count, EcsPreUpdate, 0);
    calls = 0;
    ecs_entity_t pipeline = ecs_pipeline(
        world, {.query = {.filter = {.terms = {{.id = EcsSystem}, {.id = EcsPreUpdate}}}}});
    CHECK(ecs_run_pipeline(world, pipeline, 1) == KITH_OK && calls == 1);
    ecs_set_pipeline(world, pipeline);
    CHECK(ecs_get_pipeline(world) == pipeline);
    ecs_entity_t timer = ecs_set_interval(world, 0, 2);
    CHECK(timer && ecs_get_interval(world, timer) == 2);
    ecs_set_tick_source(world, ecs_id(Count), timer);
    for (int i = 0; i < 4; i++) {
        ecs_progress(world, 1);
    }
    CHECK(calls == 3);
    CHECK(ecs_set_rate(world, 0, 2, timer) != 0 && ecs_set_timeout(world, 0, 1) != 0);
    ecs_stop_timer(world, timer);
    ecs_start_timer(world, timer);
    ecs_reset_timer(world, timer);
    ecs_set_time_scale(world, 1);
    ecs_set_target_fps(world, 0);
    CHECK(ecs_set_threads(world, 2) == KITH_OK && kith_get_threads(world) == 2);
    CHECK(ecs_set_task_threads(world, 0) == KITH_OK && kith_get_threads(world) == 1);
    CHECK(ecs_frame_begin(world, 1) == 1);
    ecs_frame_end(world);
    ecs_quit(world);
    CHECK(ecs_should_quit(world) && !ecs_progress(world, 1));
    ecs_fini(world);
}
