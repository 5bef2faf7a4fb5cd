// Entities: making, copying, visiting and deleting them, and what their ids are.

#include <kith/kith.hpp>

#include <cstdio>

struct Position {
    double x, y;
};
struct Velocity {
    double dx, dy;
};
struct Lost {};

int main() {
    kith::world world;

    // [create]
    auto plain = world.entity();                                 // nothing but an id
    auto named = world.entity("Ship");                           // found by name, or made
    auto moving = world.entity(Position{1, 2}, Velocity{3, 4});  // with values, in one step
    // [/create]

    // [alive]
    plain.destruct();
    auto newer = world.entity();  // takes the index over, in the next generation
    std::printf("index %s, generation %d then %d, alive %s then %s\n",
                kith::index_of(plain) == kith::index_of(newer) ? "equal" : "different",
                kith::generation_of(plain), kith::generation_of(newer),
                plain.is_alive() ? "yes" : "no", newer.is_alive() ? "yes" : "no");
    // [/alive]

    // [null]
    kith::entity nobody = kith::entity::null();
    std::printf("null: %s\n", nobody ? "no" : "yes");
    // [/null]

    // [explicit]
    kith::entity_t chosen = kith::make_entity_id(9000, 3);  // index, generation
    auto revived = world.make_alive(chosen);
    std::printf("%u is alive: %s\n", kith::index_of(revived),
                world.is_alive(chosen) ? "yes" : "no");
    world.set_entity_range(10000, 20000);  // new ids are taken from here
    std::printf("new index: %u\n", kith::index_of(world.entity()));
    world.set_entity_range(0, 0);  // no limits
    // [/explicit]

    // [bulk]
    const Position places[] = {{1, 0}, {2, 0}, {3, 0}};
    kith::entity_span made = world.bulk(3, places);
    for (kith::entity_t id : made) {
        world.entity(id).add<Lost>();
        break;  // the span ends with the first structural change
    }
    // [/bulk]

    // [clone]
    auto copy = moving.clone();        // ids and values
    auto empty = moving.clone(false);  // ids, with default values
    std::printf("copy x %g, empty x %g\n", copy.get<Position>()->x, empty.get<Position>()->x);
    // [/clone]

    // [each]
    double sum = 0;
    world.each([&](const Position& p) { sum += p.x; });
    world.each([](Position& p, const Velocity& v) { p.x += v.dx; });
    world.each<Lost>([](kith::entity e) { std::printf("lost: #%u\n", kith::index_of(e)); });
    std::printf("%d positions, sum of x %g\n", world.count<Position>(), sum);
    // [/each]

    // [ids]
    named.set(Position{0, 0}).add<Lost>();
    std::printf("%s\n", named.type().str().c_str());
    named.each([](kith::id id) { std::printf("has %s\n", id.str().c_str()); });
    // [/ids]

    // [delete]
    world.remove_all<Lost>();       // from every entity
    world.delete_with<Velocity>();  // every entity that has it
    named.clear();                  // all its ids, its name too; it stays alive
    std::printf("copy %s, named %s\n", copy.is_alive() ? "alive" : "gone",
                named.is_alive() ? "alive" : "gone");
    // [/delete]
}
