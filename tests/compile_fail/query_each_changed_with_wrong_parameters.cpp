// expect: parameter_of_callback<1, (struct )?Position ?&, const (struct )?Position>
// lines: 30
#include <kith/kith.hpp>

struct Position {
    int x;
};

int main() {
    kith::world world;
    world.query<const Position>().each_changed([](Position&) {});
}
