/* The smallest program that needs <kith/kith.h> and its library. */
#include <kith/kith.h>

typedef struct Position {
    double x, y;
} Position;

int main(void) {
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    kith_entity_t ship = kith_new(world);
    kith_set(world, ship, Position, {3, 4});
    const Position* position = kith_get(world, ship, Position);
    const int works = position && position->x == 3 && position->y == 4;
    return works && kith_fini(world) == KITH_OK ? 0 : 1;
}
