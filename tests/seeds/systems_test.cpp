// What the documents about queries and relationships say of systems, pipelines and modules, as
// programs.
#include <kith/kith.hpp>

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace flecs = kith;

namespace {

struct Position {
    float x, y;
};
struct Velocity {
    float x, y;
};
struct Rank {
    int value;
};

// A module with a component and a system.
struct Movement {
    explicit Movement(flecs::world& world) {
        world.module<Movement>("Movement");
        world.component<Velocity>();
        world.system<Velocity>("Stop").each([](Velocity& v) { v = {0, 0}; });
    }
};

}  // namespace

TEST_SUITE("seeds.systems") {
    // spec 135: `ECS_SYSTEM(world, Move, EcsOnUpdate, Position, [in] Velocity)`
    TEST_CASE("the query language describes a system") {
        flecs::world world;
        world.component<Position>("Position");
        world.component<Velocity>("Velocity");
        world.system("Move")
            .kind(flecs::OnUpdate)
            .expr("Position, [in] Velocity")
            .iter([](flecs::iter& it) {
                auto p = it.field<Position>(1);
                auto v = it.field<const Velocity>(2);
                for (auto i : it) {
                    p[i].x += v[i].x;
                }
            });
        auto e = world.entity().set<Position>({1, 0}).set<Velocity>({2, 0});
        world.entity().set<Position>({1, 0});
        world.progress();
        CHECK(e.get<Position>()->x == 3);
    }

    // spec 178, 348
    TEST_CASE("code that a system runs is deferred by default") {
        flecs::world world;
        auto e = world.entity().set<Position>({0, 0});
        bool seen = true;
        world.system<Position>().each([&](flecs::entity row, Position&) {
            row.add<Velocity>();  // OK
            seen = row.has<Velocity>();
        });
        world.progress();
        CHECK_FALSE(seen);
        CHECK(e.has<Velocity>());
    }

    // spec 189, 350
    TEST_CASE("a system that writes what it does not match is followed by a sync point") {
        flecs::world world;
        world.entity().set<Position>({0, 0});
        int seen = 0;
        world.system<Position>().write<Velocity>().each([](flecs::entity e, Position&) {
            e.set<Velocity>({1, 1});
        });
        world.system<const Velocity>().each([&](const Velocity&) { ++seen; });
        world.progress();
        CHECK(seen == 1);
    }

    // spec 78, 339, 343
    TEST_CASE("the builtin pipeline groups systems by depth, then by their declaration") {
        flecs::world world;
        std::string log;
        auto add = [&](const char* name, flecs::entity_t phase) {
            world.system(name).kind(phase).iter([&log, name](flecs::iter&) { log += name; });
        };
        auto late = world.entity().add(flecs::Phase).depends_on(flecs::OnUpdate);
        add("d", late);
        add("b", flecs::OnUpdate);
        add("c", flecs::OnUpdate);
        add("a", flecs::PreUpdate);
        world.progress();
        CHECK(log == "abcd");
    }

    // spec 327: cached queries are the default for systems
    TEST_CASE("the results of a system's query are cached") {
        flecs::world world;
        world.entity().set<Position>({0, 0});
        auto move = world.system<Position>().each([](Position&) {});
        CHECK(std::string(move.query().explain().c_str()) ==
              world.query<Position>().explain().c_str());
    }

    // A sorted query is sorted anew when a system has written the component through an [out] term.
    TEST_CASE("a system that writes the ordered component changes the order") {
        flecs::world world;
        auto one = world.entity().set<Rank>({1});
        auto two = world.entity().set<Rank>({2});
        auto sorted = world.query_builder<const Rank>()
                          .order_by<Rank>([](flecs::entity_t, const Rank* a, flecs::entity_t,
                                             const Rank* b) { return a->value - b->value; })
                          .build();
        auto order = [&] {
            std::vector<flecs::entity> found;
            sorted.each([&](flecs::entity e, const Rank&) { found.push_back(e); });
            return found;
        };
        CHECK(order() == std::vector<flecs::entity>{one, two});
        world.system<Rank>().term_at(1).out().each([](Rank& rank) { rank.value = -rank.value; });
        world.progress();
        CHECK(order() == std::vector<flecs::entity>{two, one});
    }

    // spec 91, 337
    TEST_CASE("systems of modules stay until entities are gone") {
        int running = 0;
        bool has_system = false;
        {
            flecs::world world;
            world.import <Movement>();
            CHECK(world.lookup("Movement::Stop").has(flecs::System));
            world.observer<Velocity>().event(flecs::OnRemove).each([&](flecs::entity e, Velocity&) {
                ++running;
                has_system = e.world().lookup("Movement::Stop").is_alive();
            });
            world.entity().set<Velocity>({1, 1});
            world.progress();
        }
        CHECK(running == 1);
        CHECK(has_system);
    }
}
