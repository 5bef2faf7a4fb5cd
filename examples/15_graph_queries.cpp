// Graph queries: questions about entities and what they are related to.
#include <kith/kith.hpp>

#include <cstdio>
#include <set>
#include <string>

struct Ship {};
struct Planet {};
struct Broken {};
struct DockedTo {};
struct Within {};
struct OnTeam {};
struct InVehicle {};
struct Vessel {};
struct Freighter {};

// The names of the entities that a query finds, sorted.
template <class Run>
void print(const char* what, const Run& run) {
    std::set<std::string> names;
    run.each([&](kith::entity e) { names.insert(e.name().c_str()); });
    std::printf("%s:", what);
    for (const std::string& name : names) {
        std::printf(" %s", name.c_str());
    }
    std::printf("\n");
}

int main() {
    kith::world world;
    auto earth = world.entity("earth").add<Planet>();
    auto mars = world.entity("mars").add<Planet>();
    auto station = world.entity("station");
    auto eagle = world.entity("eagle").add<Ship>().add<DockedTo>(earth);
    auto viking = world.entity("viking").add<Ship>().add<DockedTo>(mars);
    auto soyuz = world.entity("soyuz").add<Ship>().add<DockedTo>(station);
    auto drifter = world.entity("drifter").add<Ship>();

    // [ask]
    auto docked = world.query_builder()
                      .with<Ship>()
                      .with<DockedTo>("$place")
                      .with<Planet>()
                      .src("$place")
                      .build();
    docked.each([](kith::iter& it, std::size_t row) {
        std::printf("%s is docked to %s\n", it.entity(row).name().c_str(),
                    it.get_var("place").name().c_str());
    });
    // [/ask]

    // [set]
    print("at mars", docked.iter().set_var("place", mars));
    const auto place = docked.find_var("place");
    print("at earth", docked.iter().set_var(place, earth));
    // [/set]

    // [optional]
    auto all = world.query_builder()
                   .with<Ship>()
                   .with<DockedTo>("$place")
                   .optional()
                   .with<Planet>()
                   .src("$place")
                   .build();
    all.each([](kith::iter& it, std::size_t row) {
        auto where = it.get_var("place");
        std::printf("%s: %s\n", it.entity(row).name().c_str(), where ? where.name().c_str() : "-");
    });
    // [/optional]

    // [equal]
    auto shared = world.filter_builder()
                      .with<DockedTo>("$place")
                      .with<DockedTo>("$place")
                      .src("$other")
                      .without(kith::PredEq)
                      .src("$other")
                      .second("$this")
                      .build();
    print("not alone", shared);
    world.entity("shuttle").add<DockedTo>(earth);
    print("not alone", shared);
    print("named", world.filter_builder()
                       .with<Ship>()
                       .with(kith::PredMatch)
                       .second("er")
                       .flags(kith::IsName)
                       .build());
    // [/equal]

    // [none]
    drifter.add<Broken>();
    viking.add<Broken>();
    auto safe = world.filter_builder()
                    .with<Planet>()
                    .none([](auto& scope) {
                        scope.template with<DockedTo>("$this").src("$ship");
                        scope.template with<Broken>().src("$ship");
                    })
                    .build();
    print("safe", safe);
    // [/none]

    // [either]
    auto stuck = world.filter_builder()
                     .with<Ship>()
                     .either([](auto& one) { one.template with<Broken>(); },
                             [](auto& other) {
                                 other.template with<DockedTo>("$place");
                                 other.template without<Planet>().src("$place");
                             })
                     .build();
    print("stuck", stuck);
    // [/either]

    // [transitive]
    world.component<Within>().add(kith::Transitive);
    auto sun = world.entity("sun");
    earth.add<Within>(sun);
    auto crater = world.entity("crater").add<Within>(world.entity("moon").add<Within>(earth));
    print("within the sun's reach", world.filter_builder().with<Within>(sun).build());
    print("around the crater", world.filter_builder().with<Within>("$this").src(crater).build());
    // [/transitive]

    // [derived]
    world.component<Freighter>().is_a<Vessel>();
    soyuz.add<Freighter>();
    eagle.add<Vessel>();
    print("vessels", world.filter<Vessel>());
    // [/derived]

    // [replace]
    auto harbour = world.entity("harbour");
    auto pier = world.entity("pier").child_of(harbour);
    world.entity("ferry").add<DockedTo>(pier);
    print(
        "in the harbour",
        world.filter_builder().with<DockedTo>().second(harbour).self().down(kith::ChildOf).build());
    // [/replace]

    // [arguments]
    auto red = world.entity("red");
    auto jeep = world.entity("jeep");
    auto tank = world.entity("tank");
    world.entity("ann").add<OnTeam>(red).add<InVehicle>(jeep);
    world.entity("ben").add<OnTeam>(red).add<InVehicle>(tank);
    auto crew =
        world.query_builder().with<OnTeam>(kith::Wildcard).with<InVehicle>(kith::Wildcard).build();
    crew.each(red, jeep, [](kith::entity who) { std::printf("%s drives\n", who.name().c_str()); });
    print("red", crew.bind(red, kith::Wildcard));
    // [/arguments]

    // [explain]
    std::printf("%s", docked.explain(soyuz).c_str());
    // [/explain]

    // [error]
    try {
        world.filter_builder().with<Ship>().with(kith::PredNeq).src("$who").second(eagle).build();
    } catch (const kith::error& refused) {
        std::printf("%s\n", refused.what());
    }
    // [/error]
}
