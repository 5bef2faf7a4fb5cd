// expect: rel<R> has no optional form
#include <kith/kith.hpp>

struct Eats {
    int amount;
};

int main() {
    kith::world world;
    world.query<kith::rel<Eats>*>();
}
