// How much work monitors do: as much as there is to be joined with what changes, however large the
// world is. The counts are there in builds with internal checks only.
#include <kith/kith.hpp>

#include "base/counters.hpp"

#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#if defined(KITH_ASSERTS) && KITH_ASSERTS

namespace {

using kith::base::work;

// Ships at ports, ten at each, by relationships of all kinds, and each port near a coast; and one
// of each more, whose changes are looked at.
struct harbour {
    explicit harbour(int ports) {
        for (int i = 0; i < ports; ++i) {
            kith::entity other = world.entity().add(named("Port")).add(upward, world.entity());
            for (int k = 0; k < 10; ++k) {
                moor(world.entity(), other);
            }
        }
        moor(ship, port.add(named("Port")).add(upward, coast));
    }

    kith::entity named(const char* name) { return world.entity(name); }
    void moor(kith::entity one, kith::entity at) {
        one.add(named("Ship"));
        for (kith::entity relation : {sparse, reaching, upward, dense}) {
            one.add(relation, at);
        }
    }
    std::uint64_t work_of(const std::function<void()>& action) {
        action();  // plans are made
        const std::uint64_t before = work.steps + work.lookups;
        action();
        return work.steps + work.lookups - before;
    }

    kith::world world;
    kith::entity sparse = named("At").add(kith::Sparse);
    kith::entity reaching = named("In").add(kith::Transitive).add(kith::Sparse);
    kith::entity upward = named("Near").add(kith::Traversable).add(kith::Sparse);
    kith::entity dense = named("By");
    kith::entity marked = named("Marked");
    kith::entity ship = named("ship");
    kith::entity port = named("port");
    kith::entity coast = named("coast");
};

// What is joined with a port.
constexpr const char* joined_queries[] = {
    "Ship, (At, $x), Marked($x)",
    "Ship, (By, $x), Marked($x)",
    "Ship, (At, $x), Port($x), !Marked($x)",
    "Ship, (In, $x), Marked($x)",
    "Ship, (At, $x), !{ At($y, $x), Marked($y) }",
    "Ship, (At, $x), ?{ Marked($x), Port($x) }",
    "Ship, { (At, $x) } || { (Near, $x) }, Marked($x)",
    "Ship, { (At, $x) } || { (By, $x) }, Marked($x)",
    "Ship, (At, $x), Marked(up(Near):$x)",
    "Ship, (At, $x), At($y, $x), Marked($y)",
    "(*, $x), Marked($x)",
    "Ship, ($r, $x), Marked($x)",
};

// The most that a world that is ten times as large may take.
constexpr std::uint64_t slack = 20;
void check_growth(std::uint64_t small, std::uint64_t large) {
    CAPTURE(small);
    CAPTURE(large);
    CHECK(large <= small + small / 2 + slack);
}

}  // namespace

TEST_SUITE("unit.observe.monitor_work") {
    TEST_CASE("a monitor does what is joined with the change, in a world of any size") {
        std::size_t told = 0;
        for (const std::string text : joined_queries) {
            for (bool cached : {true, false}) {
                CAPTURE(text);
                CAPTURE(cached);
                std::vector<std::uint64_t> taken;
                for (int ports : {40, 400}) {
                    harbour data(ports);
                    auto builder = data.world.query_builder().expr(text.c_str());
                    auto query = cached ? builder.cached().build() : builder.uncached().build();
                    auto watch = query.monitor([&](kith::iter&) { ++told; });
                    taken.push_back(data.work_of([&] {
                        for (kith::entity one : {data.port, data.ship, data.coast}) {
                            one.add(data.marked);
                            one.remove(data.marked);
                        }
                    }));
                }
                check_growth(taken[0], taken[1]);
            }
        }
        CHECK(told != 0);
    }

    TEST_CASE("a run with a given value does what is joined with it, in a world of any size") {
        for (const std::string text : joined_queries) {
            for (bool cached : {true, false}) {
                CAPTURE(text);
                CAPTURE(cached);
                std::vector<std::uint64_t> taken;
                for (int ports : {40, 400}) {
                    harbour data(ports);
                    data.port.add(data.marked);
                    auto builder = data.world.query_builder().expr(text.c_str());
                    auto query = cached ? builder.cached().build() : builder.uncached().build();
                    taken.push_back(data.work_of(
                        [&] { query.iter().set_var("x", data.port).each([](kith::entity) {}); }));
                }
                check_growth(taken[0], taken[1]);
            }
        }
    }

    // Each that comes or goes is found in its lists, however many there are.
    TEST_CASE("monitors and observers that come and go take work that grows with their number") {
        struct Hot {};
        enum class order { forward, backward };
        for (const bool observers : {false, true}) {
            for (const order ending : {order::forward, order::backward}) {
                CAPTURE(observers);
                std::vector<std::uint64_t> taken;
                for (const int count : {100, 1000}) {
                    kith::world world;
                    auto query = world.query<Hot>();
                    int told = 0;
                    std::vector<kith::monitor> monitors;
                    std::vector<kith::observer> made;
                    const std::uint64_t before = work.entries + work.lookups;
                    for (int i = 0; i < count; ++i) {
                        if (observers) {
                            made.push_back(
                                world.observer<Hot>().event(kith::OnAdd).each([&](kith::entity) {
                                    ++told;
                                }));
                        } else {
                            monitors.push_back(query.on_enter([&](kith::iter&) { ++told; }));
                        }
                    }
                    world.entity().add<Hot>();
                    CHECK(told == count);
                    if (ending == order::forward) {
                        for (kith::observer one : made) {
                            one.destruct();
                        }
                        for (kith::monitor& one : monitors) {
                            one = {};
                        }
                    } else {
                        for (; !made.empty(); made.pop_back()) {
                            made.back().destruct();
                        }
                        for (; !monitors.empty(); monitors.pop_back()) {}
                    }
                    world.entity().add<Hot>();
                    CHECK(told == count);
                    taken.push_back((work.entries + work.lookups - before) /
                                    static_cast<std::uint64_t>(count));
                }
                check_growth(taken[0], taken[1]);
            }
        }
    }
}

#endif
