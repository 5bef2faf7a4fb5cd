// Monitors and memory: none is taken by batches like those before, and where it runs out, what was
// told is still right.
#include "support/counting_resource.hpp"
#include "support/monitor_log.hpp"

#include <functional>
#include <new>
#include <set>
#include <vector>

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

// Results as a monitor tells them: $this and the other variables.
struct mirror {
    using key = std::vector<kith::id_t>;

    static key key_of(kith::iter& it, std::size_t row) {
        key made{it.count() ? it.entity(row).id() : 0};
        const auto variables = static_cast<std::int32_t>(kith::detail::variable_count(it.query()));
        for (std::int32_t i = 1; i < variables; ++i) {
            made.push_back(it.get_var(i));
        }
        return made;
    }
    void hear(kith::iter& it) {
        for (std::size_t row = 0; row < std::max<std::size_t>(it.count(), 1); ++row) {
            const bool news = it.event() == kith::OnAdd ? results.insert(key_of(it, row)).second
                                                        : results.erase(key_of(it, row)) != 0;
            CHECK(news);
        }
    }
    static std::set<key> read(const kith::query<>& query) {
        std::set<key> found;
        query.iter([&](kith::iter& it) {
            for (std::size_t row = 0; row < std::max<std::size_t>(it.count(), 1); ++row) {
                found.insert(key_of(it, row));
            }
        });
        return found;
    }
    std::set<key> results;
};

// The world that changes, with the query that is watched.
struct scene {
    explicit scene(kith::world& in, const std::function<kith::query<>(kith::world&)>& make)
        : world(in), query(make(in)) {
        ships.reserve(32);
        for (int i = 0; i < 32; ++i) {
            ships.push_back(world.entity().add<Ship>());
        }
        ports.push_back(world.entity().add<Planet>());
        ports.push_back(world.entity());
        last = world.entity();
        for (kith::entity each : ships) {
            each.set(Fuel{1}).add<DockedTo>(ports[0]);
            each.remove<Fuel>();
        }
        watch = query.monitor([this](kith::iter& it) { seen.hear(it); }, kith::yield_existing);
    }

    kith::world& world;
    kith::query<> query;
    std::vector<kith::entity> ships;
    std::vector<kith::entity> ports;
    kith::entity last;
    mirror seen;
    kith::monitor watch;
};

using make_query = std::function<kith::query<>(kith::world&)>;
using change = std::function<void(scene&)>;

// Runs the change with each of its allocations failing, one after the other, and `later` when there
// is memory again.
void check_failures(
    const make_query& make, const change& changes, const change& later = [](scene&) {}) {
    for (std::size_t nth = 1; nth < 500; ++nth) {
        counting_resource memory;
        kith::world world(kith::use_memory(memory, false));
        bool failed = false;
        {
            scene on(world, make);
            memory.fail_in(nth);
            const std::size_t before = memory.allocations();
            try {
                changes(on);
            } catch (const std::bad_alloc&) {
            } catch (const kith::error&) {
                // Of commands that failed, the first is told.
            }
            failed = memory.allocations() - before >= nth;
            memory.work_again();
            later(on);
            // The next change that monitors hear of brings what could not be told.
            on.last.add(kith::Prefab);
            INFO("allocation ", nth);
            CHECK(on.seen.results == mirror::read(on.query));
        }
        if (!failed) {
            CHECK(nth > 1);
            return;
        }
    }
    FAIL("it never ends");
}

kith::query<> plain(kith::world& world) {
    return world.query_builder().with<Ship>().without<Broken>().build();
}
kith::query<> joined(kith::world& world) {
    return world.query_builder()
        .with<Ship>()
        .with<DockedTo>("$place")
        .with<Planet>()
        .src("$place")
        .build();
}
kith::query<> in_scope(kith::world& world) {
    return world.query_builder()
        .with<Planet>()
        .none([](auto& scope) {
            scope.template with<DockedTo>("$this").src("$ship");
            scope.template with<Broken>().src("$ship");
        })
        .build();
}

}  // namespace

TEST_SUITE("features.monitors.memory") {
#if defined(__cpp_exceptions)
    TEST_CASE("of a plain query, no result is lost where memory runs out") {
        check_failures(plain, [](scene& on) {
            on.world.defer([&] {
                for (kith::entity each : on.ships) {
                    each.add<Broken>();
                }
            });
        });
        check_failures(plain, [](scene& on) {
            for (kith::entity each : on.ships) {
                each.destruct();
                on.world.entity().add<Ship>();
            }
        });
        check_failures(plain, [](scene& on) { on.world.delete_with<Ship>(); });
        auto end_all = [](scene& on) {
            for (kith::entity each : on.ships) {
                each.remove<Ship>();
            }
        };
        check_failures(
            plain,
            [](scene& on) {
                on.world.defer([&] {
                    for (kith::entity each : on.ships) {
                        each.remove<Ship>();
                        on.world.entity().add<Ship>();
                        each.add<Ship>();
                    }
                });
            },
            end_all);
    }

    TEST_CASE("of joined results, none is lost where memory runs out") {
        check_failures(joined, [](scene& on) {
            on.world.defer([&] {
                on.ports[1].add<Planet>();
                on.ports[0].remove<Planet>();
                for (kith::entity each : on.ships) {
                    each.add<DockedTo>(on.ports[1]);
                }
            });
        });
        check_failures(joined, [](scene& on) {
            on.ports[0].destruct();
            on.ports[1].add<Planet>();
            on.ships[3].add<DockedTo>(on.ports[1]);
        });
    }

    TEST_CASE("of results that depend on a scope, none is lost where memory runs out") {
        check_failures(in_scope, [](scene& on) {
            on.ports[1].add<Planet>();
            for (kith::entity each : on.ships) {
                each.add<Broken>();
            }
            for (kith::entity each : on.ships) {
                each.remove<Broken>();
            }
        });
    }

    TEST_CASE("of kinds that come to be, none is lost where memory runs out") {
        auto of_kind = [](kith::world& world) {
            return world.query_builder().with(world.entity("Vessel")).build();
        };
        auto add_kind = [](scene& on) {
            auto vessel = on.world.lookup("Vessel");
            on.last.is_a(vessel);
            on.ships[0].add(on.last);
        };
        auto use_kind = [](scene& on) {
            for (kith::entity each : on.ships) {
                each.add(on.last);
            }
        };
        check_failures(of_kind, add_kind, use_kind);
    }
#endif

    TEST_CASE("batches like those before take no memory") {
        counting_resource memory;
        kith::world world(kith::use_memory(memory, false));
        {
            scene on(world, plain);
            auto round = [&] {
                for (kith::entity each : on.ships) {
                    each.add<Broken>();
                }
                on.world.defer([&] {
                    for (kith::entity each : on.ships) {
                        each.remove<Broken>();
                    }
                });
            };
            round();
            round();
            const std::size_t before = memory.allocations();
            round();
            CHECK(memory.allocations() == before);
        }
    }
}
