/* Systems in C: ships move, and a task counts frames. */
#include <kith/kith.h>

#include <stdio.h>

// [move]
typedef struct Position {
    double x, y;
} Position;
typedef struct Velocity {
    double x, y;
} Velocity;

static void move(kith_iter_t* it) {
    Position* p = kith_field(it, Position, 1);
    const Velocity* v = kith_field(it, Velocity, 2);
    for (int32_t i = 0; i < it->count; i++) {
        p[i].x += v[i].x * it->delta_time;
        p[i].y += v[i].y * it->delta_time;
    }
}
// [/move]

static void report(kith_iter_t* it) {
    int* frames = it->ctx;
    printf("frame %d\n", ++*frames);
}

int main(void) {
    int frames = 0;
    // [frames]
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    KITH_COMPONENT(world, Velocity);
    KITH_SYSTEM(world, move, KithOnUpdate, Position, [in] Velocity);
    kith_system(world, {.phase = KithOnStore, .callback = report, .ctx = &frames, .rate = 2});

    kith_entity_t ship = kith_new_entity(world, "Rusty");
    kith_set(world, ship, Position, {0, 0});
    kith_set(world, ship, Velocity, {1, 2});
    for (int i = 0; i < 4; i++) {
        kith_progress(world, 0.5f); /* false: kith_quit was called, or a system has failed */
    }
    // [/frames]
    const Position* p = kith_get(world, ship, Position);
    printf("Rusty is at %g %g\n", p->x, p->y);
    return kith_fini(world);
}
