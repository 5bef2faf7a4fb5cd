/* Systems, pipelines, time. */
#define SUITE "systems"
#include "harness.h"

#include <time.h>

typedef struct log_t {
    int calls, rows, freed;
    kith_entity_t system;
    float delta_time;
    void* param;
} log_t;
static void note(kith_iter_t* it) {
    log_t* log = it->ctx;
    log->calls++;
    log->rows += it->count;
    log->system = it->system;
    log->delta_time = it->delta_time;
    log->param = it->param;
}
static void free_log(void* ctx) {
    ((log_t*)ctx)->freed++;
}
static void move(kith_iter_t* it) {
    Position* p = kith_field(it, Position, 1);
    const Velocity* v = kith_field(it, Velocity, 2);
    for (int32_t i = 0; i < it->count; i++) {
        p[i].x += v[i].x * it->delta_time;
    }
}

/* spec 158 */
TEST(of_text, "KITH_SYSTEM takes the query as the rest of the line") {
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    KITH_COMPONENT(world, Velocity);
    KITH_SYSTEM(world, move, KithOnUpdate, Position, [in] Velocity);
    CHECK(kith_id(move) && kith_id(move) == kith_lookup(world, "move"));
    kith_query_t* query = kith_system_query(world, kith_id(move));
    CHECK_OWNED_TEXT(kith_query_str(query), "Position, [in] Velocity");
    kith_query_fini(query);
    kith_entity_t e = kith_new(world);
    kith_set(world, e, Position, {1, 0});
    kith_set(world, e, Velocity, {4, 0});
    CHECK(kith_progress(world, 0.5f));
    CHECK(kith_get(world, e, Position)->x == 3);
    CHECK_OK(kith_delete(world, kith_id(move)));
    CHECK(kith_progress(world, 0.5f));
    CHECK(kith_get(world, e, Position)->x == 3);
    CHECK_OK(kith_fini(world));
}

TEST(described, "a system has a phase, a context and a parameter, and frees its contexts once") {
    kith_world_t* world = kith_init();
    KITH_TAG(world, Ship);
    log_t log = {0}, binding = {0};
    kith_entity_t system = kith_system(world, {.query = {.terms = {{Ship}}, .name = "Fleet::Note"},
                                               .phase = KithPostUpdate,
                                               .callback = note,
                                               .ctx = &log,
                                               .ctx_free = free_log,
                                               .binding_ctx = &binding,
                                               .binding_ctx_free = free_log});
    CHECK(system && system == kith_lookup(world, "Fleet::Note"));
    CHECK(kith_has_pair(world, system, KithDependsOn, KithPostUpdate));
    CHECK(kith_system_get_ctx(world, system) == &log);
    kith_new_w_id(world, Ship);
    kith_new_w_id(world, Ship);
    CHECK(kith_progress(world, 0.25f));
    CHECK(log.calls == 1 && log.rows == 2 && log.system == system && log.delta_time == 0.25f);
    int param = 0;
    CHECK_OK(kith_run(world, system, 1, &param));
    CHECK(log.calls == 2 && log.delta_time == 1 && log.param == &param);
    CHECK_OK(kith_run_worker(world, system, 0, 2, 1, NULL));
    CHECK_OK(kith_run_worker(world, system, 1, 2, 1, NULL));
    CHECK(log.rows == 6);
    CHECK_OK(kith_enable(world, system, false));
    CHECK(kith_progress(world, 1));
    CHECK(log.rows == 6);
    CHECK_OK(kith_delete(world, system));
    CHECK(kith_progress(world, 1)); /* the plan of the frame lets go of it */
    CHECK(log.freed == 1 && binding.freed == 1);
    CHECK_OK(kith_fini(world));
}

static void step(kith_iter_t* it) {
    log_t* log = it->ctx;
    log->calls++;
    while (kith_iter_next(it)) {
        log->rows += it->count;
        CHECK_OK(kith_iter_call(it));
    }
    CHECK(!kith_iter_next(it));
}
static void count_param(kith_iter_t* it) {
    ((log_t*)it->ctx)->freed += it->count;
}
static kith_iter_t kept;
static void keep(kith_iter_t* it) {
    kept = *it;
}
TEST(run, "`run` is called once and steps through the results") {
    kith_world_t* world = kith_init();
    KITH_TAG(world, Ship);
    KITH_TAG(world, Fast);
    log_t log = {0};
    kith_system(world, {.query = {.terms = {{Ship}}},
                        .phase = KithOnUpdate,
                        .run = step,
                        .callback = count_param,
                        .ctx = &log});
    kith_new_w_id(world, Ship);
    kith_entity_t fast = kith_new_w_id(world, Ship);
    kith_add(world, fast, Fast);
    CHECK(kith_progress(world, 1));
    CHECK(log.calls == 1 && log.rows == 2 && log.freed == 2);
    kith_entity_t keeper =
        kith_system(world, {.query = {.terms = {{Ship}}}, .run = keep, .ctx = &log});
    CHECK_OK(kith_run(world, keeper, 0, NULL));
    kith_clear_error();
    CHECK(!kith_iter_next(&kept) && kith_last_status() == KITH_INVALID_OPERATION);
    CHECK_STATUS(kith_iter_call(&kept), KITH_INVALID_OPERATION);
    CHECK_OK(kith_fini(world));
}

static int order[8], ordered;
static void first(kith_iter_t* it) {
    (void)it;
    order[ordered++] = 1;
}
static void second(kith_iter_t* it) {
    (void)it;
    order[ordered++] = 2;
}
TEST(order_of_tasks, "tasks run without rows, in the order of phases and edges") {
    kith_world_t* world = kith_init();
    KITH_SYSTEM(world, second, KithOnUpdate, 0);
    kith_entity_t before =
        kith_system(world, {.callback = first, .phase = KithOnUpdate, .before = {kith_id(second)}});
    CHECK(before);
    ordered = 0;
    CHECK(kith_progress(world, 1));
    CHECK(ordered == 2 && order[0] == 1 && order[1] == 2);
    kith_entity_t pipeline = kith_pipeline(
        world, {.query = {.terms = {{KithSystem}, {KithOnUpdate}}}, .sync = KITH_SYNC_SYSTEMS});
    CHECK(pipeline);
    CHECK_OK(kith_run_pipeline(world, pipeline, 1));
    CHECK(ordered == 4);
    const kith_entity_t usual = kith_get_pipeline(world);
    CHECK_OK(kith_set_pipeline(world, pipeline));
    CHECK(kith_get_pipeline(world) == pipeline && usual != pipeline);
    CHECK(kith_progress(world, 1) && ordered == 6);
    CHECK_OK(kith_quit(world));
    CHECK(kith_should_quit(world) && !kith_progress(world, 1));
    CHECK_OK(kith_fini(world));
}

TEST(timers, "systems run at intervals, rates and with tick sources") {
    kith_world_t* world = kith_init();
    log_t every = {0}, third = {0}, with = {0};
    kith_entity_t timed =
        kith_system(world, {.phase = KithOnUpdate, .callback = note, .ctx = &every, .interval = 1});
    kith_system(world, {.phase = KithOnUpdate, .callback = note, .ctx = &third, .rate = 3});
    kith_entity_t follower = kith_system(
        world, {.phase = KithOnUpdate, .callback = note, .ctx = &with, .tick_source = timed});
    CHECK(kith_get_interval(world, timed) == 1 && kith_get_timeout(world, timed) == 0);
    for (int i = 0; i < 6; i++) {
        CHECK(kith_progress(world, 0.5f));
    }
    CHECK(every.calls == 3 && third.calls == 2 && with.calls == 3);
    CHECK_OK(kith_stop_timer(world, timed));
    CHECK(kith_progress(world, 2));
    CHECK(every.calls == 3);
    CHECK_OK(kith_start_timer(world, timed));
    CHECK_OK(kith_reset_timer(world, timed));
    CHECK_OK(kith_set_tick_source(world, follower, 0));
    CHECK_OK(kith_set_interval(world, timed, 4));
    CHECK_OK(kith_set_rate(world, follower, 2, 0));
    CHECK_OK(kith_set_timeout(world, timed, 2));
    CHECK(kith_get_timeout(world, timed) == 2);
    CHECK_OK(kith_set_time_scale(world, 2));
    CHECK(kith_frame_begin(world, 1) == 2);
    CHECK_OK(kith_frame_end(world));
    CHECK_OK(kith_set_target_fps(world, 0));
    CHECK_OK(kith_fini(world));
}

static double sum_of(int32_t threads) {
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    KITH_COMPONENT(world, Velocity);
    kith_system(world, {.query = {.expr = "Position, [in] Velocity"},
                        .phase = KithOnUpdate,
                        .callback = move,
                        .multi_threaded = true});
    CHECK_OK(kith_set_threads(world, threads));
    CHECK(kith_get_threads(world) == threads);
    for (int i = 0; i < 20000; i++) {
        kith_entity_t e = kith_new(world);
        kith_set(world, e, Position, {i, 0});
        kith_set(world, e, Velocity, {i, 0});
    }
    CHECK(kith_progress(world, 2));
    double sum = 0;
    kith_iter_t it;
    for (kith_each_id(world, kith_id(Position), &it); kith_iter_next(&it);) {
        const Position* p = kith_field(&it, Position, 1);
        for (int32_t i = 0; i < it.count; i++) {
            sum += p[i].x;
        }
    }
    CHECK_STATUS(kith_set_threads(world, -1), KITH_INVALID_OPERATION);
    CHECK_OK(kith_fini(world));
    return sum;
}
TEST(threads, "rows of a split system are visited once, on any number of threads") {
    CHECK(sum_of(1) == 3.0 * 19999 * 10000 && sum_of(4) == sum_of(1));
}

static void fail(kith_iter_t* it) {
    (void)it;
    kith_fail(KITH_INVALID_OPERATION, "the engine is cold");
}
TEST(failures, "a callback that fails ends the frame, or what on_error says") {
    kith_world_t* world = kith_init();
    kith_entity_t system = kith_system(world, {.phase = KithOnUpdate, .callback = fail});
    kith_clear_error();
    CHECK(!kith_progress(world, 1));
    CHECK(strstr(kith_last_message(), "the engine is cold"));
    CHECK_OK(kith_delete(world, system));
    system = kith_system(
        world, {.phase = KithOnUpdate, .callback = fail, .on_error = KITH_ON_ERROR_DISABLE});
    kith_clear_error();
    CHECK(kith_progress(world, 1) && kith_has_id(world, system, KithDisabled));
    CHECK_OK(kith_fini(world));
}

TEST(mistakes, "a system that cannot be made frees its context at once") {
    kith_world_t* world = kith_init();
    log_t log = {0};
    kith_system_desc_t desc = {.phase = KithOnUpdate, .ctx = &log, .ctx_free = free_log};
    CHECK_FAILS(kith_system_init(world, &desc), KITH_INVALID_ARGUMENT);
    CHECK(log.freed == 1);
    desc.callback = note;
    desc.query.expr = "Nobody";
    CHECK_FAILS(kith_system_init(world, &desc), KITH_INVALID_QUERY);
    CHECK(log.freed == 2);
    desc.query.expr = NULL;
    desc.on_error = 7;
    CHECK_FAILS(kith_system_init(world, &desc), KITH_INVALID_ARGUMENT);
    desc.on_error = 0;
    desc.phase = 999999;
    CHECK_FAILS(kith_system_init(world, &desc), KITH_INVALID_ENTITY);
    desc.phase = 0;
    desc.tick_source = 999999;
    CHECK_FAILS(kith_system_init(world, &desc), KITH_INVALID_ENTITY);
    desc.tick_source = 0;
    desc.multi_threaded = desc.immediate = true;
    CHECK_FAILS(kith_system_init(world, &desc), KITH_CONSTRAINT);
    CHECK(log.freed == 6);
    CHECK_FAILS(kith_system_init(NULL, &desc), KITH_INVALID_ENTITY);
    CHECK_FAILS(kith_system_init(world, NULL), KITH_INVALID_ARGUMENT);
    CHECK_STATUS(kith_run(world, 999999, 0, NULL), KITH_MISSING_COMPONENT);
    CHECK_STATUS(kith_run(world, KithOnUpdate, 0, NULL), KITH_MISSING_COMPONENT);
    CHECK_FAILS(kith_pipeline(world, {.query = {.terms = {{KithOnUpdate}}}}), KITH_INVALID_QUERY);
    CHECK_FAILS(kith_progress(NULL, 0), KITH_INVALID_ENTITY);
    CHECK_OK(kith_fini(world));
}

static void count_run(kith_iter_t* it) {
    ++*(int*)it->ctx;
}
/* Runs of a system, one frame of `seconds` at a time. */
static int runs_in(kith_world_t* world, int* runs, int frames, float seconds) {
    *runs = 0;
    for (int i = 0; i < frames; i++) {
        CHECK(kith_progress(world, seconds));
    }
    return *runs;
}

TEST(ticking, "timers stop, go on and begin again, and rates count their ticks") {
    kith_world_t* world = kith_init();
    int runs = 0, rare_runs = 0;
    const kith_entity_t timer = kith_new_entity(world, "Timer");
    const kith_entity_t every_second = kith_new_entity(world, "EverySecond");
    CHECK_OK(kith_set_interval(world, timer, 2));
    CHECK_OK(kith_set_rate(world, every_second, 2, timer));
    kith_system(world,
                {.phase = KithOnUpdate, .callback = count_run, .ctx = &runs, .tick_source = timer});
    kith_system(world, {.phase = KithOnUpdate,
                        .callback = count_run,
                        .ctx = &rare_runs,
                        .tick_source = every_second});
    CHECK(runs_in(world, &runs, 8, 1) == 4 && rare_runs == 2);
    CHECK(runs_in(world, &runs, 1, 1) == 0);
    CHECK_OK(kith_reset_timer(world, timer)); /* else it would tick in the next frame */
    CHECK(runs_in(world, &runs, 1, 1) == 0);
    CHECK(runs_in(world, &runs, 1, 1) == 1);
    CHECK_OK(kith_stop_timer(world, timer));
    CHECK(runs_in(world, &runs, 4, 1) == 0);
    CHECK_OK(kith_start_timer(world, timer));
    CHECK(runs_in(world, &runs, 4, 1) == 2);
    CHECK_OK(kith_fini(world));
}

TEST(frames, "a frame by hand ends before the next begins, and frames wait until they are due") {
    kith_world_t* world = kith_init();
    CHECK_STATUS(kith_frame_end(world), KITH_INVALID_OPERATION);
    CHECK(kith_frame_begin(world, 1) == 1);
    CHECK_FAILS(kith_frame_begin(world, 1) != 0, KITH_INVALID_OPERATION);
    CHECK_OK(kith_frame_end(world));
    CHECK(kith_frame_begin(world, 2) == 2);
    CHECK_OK(kith_frame_end(world));
    CHECK_FAILS(kith_frame_begin(NULL, 1) != 0, KITH_INVALID_ENTITY);
    CHECK(kith_defer_begin(world));
    CHECK_FAILS(kith_frame_begin(world, 1) != 0, KITH_INVALID_OPERATION);
    CHECK_OK(kith_defer_end(world));
    CHECK_OK(kith_set_target_fps(world, 50));
    struct timespec begin, end;
    timespec_get(&begin, TIME_UTC);
    for (int i = 0; i < 4; i++) {
        CHECK(kith_progress(world, 1));
    }
    timespec_get(&end, TIME_UTC);
    CHECK((double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9 > 0.03);
    CHECK_STATUS(kith_set_target_fps(world, -1), KITH_INVALID_OPERATION);
    CHECK_OK(kith_fini(world));
}

static void keep_warning(const char* message, void* ctx) {
    *(bool*)ctx = strstr(message, "the engine is cold") != NULL;
}

TEST(warnings, "warnings go to the function of the program") {
    kith_world_t* world = kith_init();
    bool warned = false;
    kith_system(world,
                {.phase = KithOnUpdate, .callback = fail, .on_error = KITH_ON_ERROR_PROCEED});
    kith_set_log(keep_warning, &warned);
    CHECK(kith_progress(world, 1));
    kith_set_log(NULL, NULL);
    CHECK(warned);
    CHECK_OK(kith_fini(world));
}
