// expect: mistake_in_query<1, 10.*should stand between
#include <kith/query_literal.hpp>

void wrong(kith::world& world) {
    world.query<"Position Velocity">();
}
