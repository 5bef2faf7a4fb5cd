/* The program of the README in C, in at most 30 lines without blank ones, which a test counts. */
// clang-format off
// [program]
#include <kith/kith.h>
#include <stdio.h>

typedef struct { double x, y; } Position, Velocity;
typedef struct { int tons; } Trades;

static void move(kith_iter_t* it) {
    Position* p = kith_field(it, Position, 1);
    const Velocity* v = kith_field(it, Velocity, 2);
    for (int i = 0; i < it->count; i++) p[i] = (Position){p[i].x + v[i].x, p[i].y + v[i].y};
}

int main(void) {
    kith_world_t* world = kith_init(); kith_iter_t it;
    KITH_COMPONENT(world, Position); KITH_COMPONENT(world, Velocity); KITH_COMPONENT(world, Trades);
    KITH_TAG(world, Damaged); KITH_TAG(world, DockedTo);

    kith_entity_t earth = kith_new_entity(world, "Earth"), ship = kith_new_entity(world, "Ship");
    kith_set(world, earth, Position, {0, 0});
    kith_set(world, ship, Position, {100, 40}); kith_set(world, ship, Velocity, {-10, 5});
    kith_set_pair(world, ship, Trades, earth, {12});
    kith_add(world, ship, Damaged); kith_add_pair(world, ship, DockedTo, earth);
    KITH_SYSTEM(world, move, KithOnUpdate, Position, [in] Velocity);
    kith_progress(world, 1);

    for (kith_each_id(world, kith_id(Position), &it); kith_iter_next(&it);) {
        const Position* p = kith_field(&it, Position, 1);
        for (int i = 0; i < it.count; i++) printf("%s is at %g,%g\n", kith_get_name(world, it.entities[i]), p[i].x, p[i].y);
    }
    printf("Ship is docked to %s and trades %d tons with it\n",
           kith_get_name(world, kith_get_target(world, ship, DockedTo, 0)), kith_get_pair_t(world, ship, Trades, earth)->tons);
    kith_delete(world, earth);
    printf("Ship has a dock: %s\n", kith_has_pair(world, ship, DockedTo, KithWildcard) ? "yes" : "no");
    return kith_fini(world);
}
// [/program]
