// expect: each<R> calls func\(target\), func\(target, R&\) or func\(target, R\*\)
// lines: 30
#include <kith/kith.hpp>

struct Position {
    int x;
};
struct Likes {};

int main() {
    kith::world world;
    world.entity().each<Likes>([](Position&) {});
}
