/* The program in C that the tests of the debugger scripts stop: an iterator, plain ids, and a world
 * whose type is incomplete. The expected output is in c_scene.out. */
#include <kith/kith.h>

typedef struct Position {
    float x, y;
} Position;

void stop_in_scene(kith_world_t* world, kith_iter_t* it, kith_entity_t ship);
__attribute__((noinline, used)) void stop_in_scene(kith_world_t* world, kith_iter_t* it,
                                                   kith_entity_t ship) {
    __asm__ volatile("" : : "r"(world), "r"(it), "r"(ship) : "memory");
}

int main(void) {
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    KITH_TAG(world, DockedTo);
    kith_entity_t earth = kith_new_entity(world, "Earth"), ship = kith_new_entity(world, "Ship");
    kith_set(world, ship, Position, {100, 40});
    kith_add_pair(world, ship, DockedTo, earth);
    kith_query_t* query = kith_query_new(world, "Position, (DockedTo, *)");
    kith_iter_t it;
    kith_query_iter(world, query, &it);
    while (kith_iter_next(&it)) {
        stop_in_scene(world, &it, ship);
    }
    kith_query_fini(query);
    kith_fini(world);
    return 0;
}
