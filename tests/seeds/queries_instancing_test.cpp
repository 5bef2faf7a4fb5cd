// Results in which some values are shared: the programs of the queries document, completed.
#include <kith/kith.hpp>

#include <sstream>

#include <doctest/doctest.h>

namespace flecs = kith;

namespace {

struct Position {
    float x = 0, y = 0;
};
struct Mass {
    float value = 0;
};

struct fixture {
    flecs::world world;
    flecs::entity base = world.prefab("base").set<Mass>({10});

    // Entities that share Mass and own Position
    flecs::entity inst_1 = world.entity("inst_1")
                               .is_a(base)  // short for .add(flecs::IsA, base)
                               .set<Position>({10, 20});
    flecs::entity inst_2 = world.entity("inst_2").is_a(base).set<Position>({30, 40});

    // Entities that own Mass and Position
    flecs::entity ent_1 = world.entity("ent_1").set<Mass>({20}).set<Position>({40, 50});
    flecs::entity ent_2 = world.entity("ent_2").set<Mass>({40}).set<Position>({50, 60});
};

}  // namespace

TEST_SUITE("seeds.queries_instancing") {
    TEST_CASE_FIXTURE(fixture, "entities that share a value come one at a time") {
        flecs::filter<Position, Mass> f = world.filter<Position, Mass>();

        std::ostringstream cout;
        f.iter([&](flecs::iter& it, Position*, Mass* m) {
            cout << "Result" << std::endl;
            for (auto i : it) {
                cout << " - " << it.entity(i).name() << ": " << m[i].value << std::endl;
            }
        });
        CHECK(cout.str() ==
              "Result\n - inst_1: 10\n"
              "Result\n - inst_2: 10\n"
              "Result\n - ent_1: 20\n - ent_2: 40\n");
    }

    TEST_CASE_FIXTURE(fixture, "an instanced query gives them together") {
        flecs::filter<Position, Mass> f = world.filter_builder<Position, Mass>()
                                              .arg(1)
                                              .self()  // Never inherit Position
                                              .instanced()
                                              .build();

        std::ostringstream cout;
        f.iter([&](flecs::iter& it, Position* p, Mass* m) {
            cout << "Result" << std::endl;
            if (it.is_self(2)) {
                // Mass is matched on self, access as array
                for (auto i : it) {
                    p[i].x += 1.0f / m[i].value;
                    cout << " - " << it.entity(i).name() << ": " << m[i].value << std::endl;
                }
            } else {
                // Mass is matched on other entity, access as single value
                for (auto i : it) {
                    p[i].x += 1.0f / m->value;
                    cout << " - " << it.entity(i).name() << ": " << m->value << std::endl;
                }
            }
        });
        CHECK(cout.str() ==
              "Result\n - inst_1: 10\n - inst_2: 10\n"
              "Result\n - ent_1: 20\n - ent_2: 40\n");
        CHECK(inst_2.get<Position>()->x == doctest::Approx(30.1));
        CHECK(ent_2.get<Position>()->x == doctest::Approx(50.025));
    }

    TEST_CASE_FIXTURE(fixture, "each needs no care") {
        flecs::filter<Position, Mass> f = world.filter<Position, Mass>();
        std::ostringstream cout;
        f.each([&](flecs::entity e, Position&, Mass& m) {
            cout << e.name() << ": " << m.value << std::endl;
        });
        CHECK(cout.str() == "inst_1: 10\ninst_2: 10\nent_1: 20\nent_2: 40\n");
    }
}
