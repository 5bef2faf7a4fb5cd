// Queries that compare values: constants, other values, handles, parameters, edges.

#include <kith/kith.hpp>
#include <kith/reflect.hpp>

#include <cstdio>
#include <string>

struct Health {
    int points;
    int most;
};
struct Cargo {
    std::string name;
    double tons;
};
struct Follows {
    kith::handle who;
};

static void print(const char* what, const kith::query<>& query) {
    std::string names;
    query.each([&](kith::entity ship) { names += std::string(" ") + ship.name().c_str(); });
    std::printf("%s:%s\n", what, names.c_str());
}

int main() {
    // [describe]
    kith::world world;
    kith::reflect<Health, Cargo, Follows>();
    // [/describe]
    kith::entity bell = world.entity("Bell").set(Health{3, 10}).set(Cargo{"oak", 12.5});
    kith::entity kite = world.entity("Kite").set(Health{9, 9}).set(Cargo{"old iron", 40});
    world.entity("Dove").set(Health{7, 20}).set(Follows{kite});
    world.entity("Wren").set(Follows{bell});

    // [constants]
    print("weak", world.query("Health.points < 5"));
    print("in between", world.query("Health.points in 5..9"));
    print("old", world.query("Cargo.name ~= \"old\""));
    print("followers that are not weak", world.query("Follows, !Health.points < 5"));
    // [/constants]

    // [values]
    print("unhurt", world.query("Health.points == Health.most"));
    print("stronger than Bell", world.query("Health.points > Health(Bell).points"));
    print("behind a weak one", world.query("Follows.who == $leader, $leader.Health.points < 5"));
    // [/values]

    // [builder]
    auto weak = world.query_builder<>().where(&Health::points, kith::less, 5).build();
    print("below 5", weak);
    weak.set_value(0, 8);
    print("below 8", weak);
    print("heavy", world.query_builder<>().where("Cargo.tons", kith::greater, 20).build());
    print("by health",
          world.query_builder<>().term<Health>().order_by("Health.points desc").build());
    // [/builder]

    // [index]
    world.component<Health>().index(&Health::points);
    world.component<Cargo>().index("name", kith::hash_index);
    // [/index]

    // [edges]
    auto watch = world.query("Health.points < 5").on_enter([](kith::iter& it) {
        std::printf("%s falls below 5\n", it.entity(0).name().c_str());
    });
    kite.set(Health{6, 9});
    kite.set(Health{4, 9});
    kite.set(Health{2, 9});
    // [/edges]
}
