// Recorders: changes that are recorded in parts and linked give the world that the same calls give
// inside of one defer.
#include <kith/detail/part_ops.hpp>
#include <kith/kith.hpp>

#include "support/errors.hpp"

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

using kith_test::error_of;

namespace {

struct Health {
    int points = 0;
};
struct Speed {
    float value = 0;
};
struct Title {
    std::string text;
};
struct Likes {};
struct Marked {};

// Runs parts one after the other, each with a recorder of its own, and merges them.
class part_runner {
public:
    explicit part_runner(kith::world& world, std::uint32_t ids_per_part = 4)
        : world_(world), quota_(ids_per_part) {}
    ~part_runner() {
        for (kith::mutate::recorder* used : recorders_) {
            kith::detail::end_recorder(used);
        }
    }

    template <class Part>
    void run(std::uint32_t count, Part&& part, bool on_threads = false) {
        std::vector<std::vector<kith::entity_t>> decks(count);
        std::vector<kith::detail::part_changes> changes(count);
        for (auto& deck : decks) {
            deck.resize(quota_);
            kith::detail::set_aside_ids(world_, quota_, deck.data());
        }
        while (recorders_.size() < count) {
            recorders_.push_back(kith::detail::make_recorder(world_));
        }
        world_.defer_begin();
        kith::detail::begin_parts(world_);
        auto run_one = [&](std::uint32_t i) {
            kith::detail::part_ids ids{decks[i].data(), decks[i].data() + quota_};
            if (!on_threads) {
                ids.more = [](void* world) {
                    return kith::detail::create_id(static_cast<kith::world_t*>(world));
                };
                ids.context = static_cast<kith::world_t*>(world_);
            }
            kith::detail::part_scope scope(recorders_[i], ids);
            part(i);
            changes[i] = scope.finish();
        };
        if (on_threads) {
            std::vector<std::thread> threads;
            for (std::uint32_t i = 0; i < count; ++i) {
                threads.emplace_back(run_one, count - 1 - i);
            }
            for (std::thread& thread : threads) {
                thread.join();
            }
        } else {
            for (std::uint32_t i = 0; i < count; ++i) {
                run_one(i);
            }
        }
        kith::detail::end_parts(world_);
        for (std::uint32_t i = count; i-- > 0;) {
            kith::detail::give_back_ids(world_, decks[i].data() + changes[i].revived,
                                        quota_ - changes[i].revived);
        }
        first_error = nullptr;
        for (const auto& list : changes) {
            refused += kith::detail::link_part(world_, list, first_error);
        }
        world_.defer_end();
        for (kith::mutate::recorder* used : recorders_) {
            kith::detail::recycle_recorder(used);
        }
    }

    std::uint32_t refused = 0;
    std::exception_ptr first_error;

private:
    kith::world& world_;
    std::uint32_t quota_;
    std::vector<kith::mutate::recorder*> recorders_;
};

std::uint32_t next_random(std::uint32_t& state) {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

// A world with entities, a relationship with an order of sources, and a log of notifications.
struct fixture {
    fixture() {
        world.component<Health>();
        world.component<Speed>();
        world.component<Title>();
        world.component<Likes>();
        world.component<Marked>();
        parent = world.entity("parent");
        other = world.entity("other");
        prefab = world.prefab("prefab").set(Speed{3});
        for (int i = 0; i < 24; ++i) {
            entities.push_back(world.entity().set(Health{i}));
        }
        world.observer<Health>().event(kith::OnSet).each([this](kith::entity e, Health& value) {
            log += "set " + std::to_string(e.id()) + " " + std::to_string(value.points) + "; ";
        });
        world.observer<Marked>()
            .event(kith::OnAdd)
            .event(kith::OnRemove)
            .each([this](kith::iter& it, std::size_t row, Marked) {
                log += (it.event() == kith::OnAdd ? "+" : "-") +
                       std::to_string(it.entity(row).id()) + "; ";
            });
    }

    // One change at random. `made`: entities that this part has created.
    void change(std::uint32_t& random, std::vector<kith::entity>& made) {
        auto any = [&] {
            const std::uint32_t n = next_random(random) % 32;
            return n < 24 ? entities[n] : made.empty() ? entities[0] : made[n % made.size()];
        };
        // A value that another part has queued is not visible, so that values in place are written
        // for entities of this part only.
        auto own = [&] {
            if (made.empty()) {
                made.push_back(world.entity());
            }
            return made.front();
        };
        kith::entity e = any();
        const int number = static_cast<int>(next_random(random) % 100);
        switch (next_random(random) % 16) {
            case 0:
                e.set(Health{number});
                break;
            case 1:
                e.add<Marked>();
                break;
            case 2:
                e.remove<Marked>();
                break;
            case 3:
                made.push_back(world.entity());
                break;
            case 4:
                e.set(Title{"title of some length " + std::to_string(number)});
                break;
            case 5:
                e.add<Likes>(any());
                break;
            case 6:
                e.remove<Likes>(kith::Wildcard);
                break;
            case 7:
                e.child_of(number % 2 ? parent : other);
                break;
            case 8:
                own().get_mut<Speed>()->value += 1;
                break;
            case 9:
                e.is_a(prefab);
                break;
            case 10:
                e.clear();
                break;
            case 11:
                if (number < 30)
                    e.destruct();
                break;
            case 12:
                made.push_back(e.clone());
                break;
            case 13:
                made.push_back(world.entity().set(Health{number}).child_of(parent));
                break;
            case 14:
                own().get_mut<Health>()->points = number;
                own().modified<Health>();
                break;
            case 15:
                e.set_name(("n" + std::to_string(number)).c_str());
                break;
        }
    }

    std::string log;  // outlives the world, whose end notifies
    kith::world world;
    kith::entity parent, other, prefab;
    std::vector<kith::entity> entities;
};

}  // namespace

TEST_SUITE_BEGIN("unit.mutate.recorder");

// The rule: boundaries of parts leave no trace in what comes out.
TEST_CASE("changes that are recorded in parts equal the same changes in one defer") {
    for (std::uint32_t seed = 1; seed <= 150; ++seed) {
        fixture in_parts, at_once;
        for (int round = 0; round < 3; ++round) {
            const std::uint32_t parts = 1 + seed % 5;
            auto program = [&](fixture& used, std::uint32_t part) {
                std::uint32_t random = seed * 977 + part * 31 + static_cast<std::uint32_t>(round);
                std::vector<kith::entity> made;
                for (int i = 0; i < 12; ++i) {
                    // A refused call leaves the others as they are.
                    if (const auto refused = error_of([&] { used.change(random, made); })) {
                        used.log += std::string(kith::to_string(*refused)) + "; ";
                    }
                }
            };
            std::string parts_error, defer_error;
            part_runner runner(in_parts.world, 0);
            try {
                runner.run(parts, [&](std::uint32_t part) { program(in_parts, part); });
                if (runner.first_error) {
                    std::rethrow_exception(runner.first_error);
                }
            } catch (const kith::error& failed) {
                parts_error = failed.what();
            }
            try {
                at_once.world.defer([&] {
                    for (std::uint32_t part = 0; part < parts; ++part) {
                        program(at_once, part);
                    }
                });
            } catch (const kith::error& failed) {
                defer_error = failed.what();
            }
            in_parts.world.check();
            CAPTURE(seed);
            CAPTURE(round);
            REQUIRE(parts_error == defer_error);
            REQUIRE(in_parts.log == at_once.log);
            REQUIRE(in_parts.world.hash() == at_once.world.hash());
        }
    }
}

TEST_CASE("new ids come from the deck of the part, and unused ids are given back") {
    kith::world world;
    part_runner runner(world, 4);
    std::vector<kith::entity_t> ids(3);
    runner.run(3, [&](std::uint32_t part) {
        if (part != 1) {
            kith::entity e = world.entity();
            CHECK(e.is_alive());
            ids[part] = e.id();
        }
    });
    CHECK(ids[2] == ids[0] + 8);
    CHECK(world.is_alive(ids[0]));
    CHECK(world.is_alive(ids[2]));
    world.check();
    // The ids between them are the next ones.
    CHECK(world.entity().id() == ids[0] + 1);
    world.check();
}

TEST_CASE("a part finds the values and names that it has recorded, and no others") {
    kith::world world;
    world.component<Health>();
    kith::entity e = world.entity("e");
    part_runner runner(world);
    runner.run(2, [&](std::uint32_t part) {
        if (part == 0) {
            e.get_mut<Health>()->points = 7;
            CHECK(e.get_mut<Health>()->points == 7);
            kith::entity named = world.entity("fresh");
            CHECK(world.lookup("fresh") == named);
            CHECK(world.entity("fresh") == named);
        } else {
            CHECK(e.get_mut<Health>()->points == 0);
            CHECK_FALSE(world.lookup("fresh"));
        }
        CHECK_FALSE(e.has<Health>());
    });
    CHECK(e.has<Health>());
    CHECK(world.lookup("fresh"));
}

TEST_CASE("many values that a part ensures are found again") {
    kith::world world;
    world.component<Health>();
    std::vector<kith::entity> entities;
    for (int i = 0; i < 500; ++i) {
        entities.push_back(world.entity());
    }
    part_runner runner(world);
    runner.run(1, [&](std::uint32_t) {
        for (int round = 0; round < 3; ++round) {
            for (kith::entity e : entities) {
                ++e.get_mut<Health>()->points;
            }
        }
    });
    for (kith::entity e : entities) {
        CHECK(e.get<Health>()->points == 3);
    }
}

TEST_CASE("two parts that give one name: the first in order gets it") {
    kith::world world;
    kith::entity a = world.entity(), b = world.entity();
    part_runner runner(world);
    CHECK(error_of([&] {
              runner.run(2, [&](std::uint32_t part) { (part == 0 ? a : b).set_name("same"); });
          }) == kith::errc::name_taken);
    CHECK(world.lookup("same") == a);
    world.check();
}

TEST_CASE("scopes, with and levels of deferring that a part leaves open end with it") {
    kith::world world;
    kith::entity parent = world.entity("parent");
    part_runner runner(world);
    kith::entity child, other;
    runner.run(2, [&](std::uint32_t part) {
        if (part == 0) {
            world.set_scope(parent);
            world.defer_begin();
            child = world.entity();
        } else {
            other = world.entity();
        }
    });
    CHECK(child.parent() == parent);
    CHECK_FALSE(other.parent());
    CHECK_FALSE(world.is_deferred());
}

TEST_CASE("calls that change the world at once are refused in a part") {
    kith::world world;
    struct Unknown {};
    kith::entity event = world.entity();
    part_runner runner(world);
    runner.run(1, [&](std::uint32_t) {
        CHECK(error_of([&] { world.component<Unknown>(); }) == kith::errc::invalid_operation);
        CHECK(error_of([&] { world.emit(event); }) == kith::errc::invalid_operation);
        CHECK(error_of([&] { world.defer_suspend(); }) == kith::errc::invalid_operation);
        CHECK(error_of([&] { world.defer_end(); }) == kith::errc::invalid_operation);
        CHECK(error_of([&] { world.make_alive(4711); }) == kith::errc::invalid_operation);
        CHECK(error_of([&] { world.query_builder<Health>().build(); }) ==
              kith::errc::invalid_operation);
        CHECK(error_of([&] { world.observer<Health>().event(kith::OnAdd).each([](Health&) {}); }) ==
              kith::errc::invalid_operation);
        CHECK(error_of([&] { world.merge(); }) == kith::errc::invalid_operation);
        CHECK(error_of([&] { world.reset(); }) == kith::errc::invalid_operation);
    });
    world.check();
}

TEST_CASE("a thread that runs no part cannot queue changes") {
    kith::world world;
    world.component<Health>();
    kith::entity e = world.entity();
    part_runner runner(world);
    runner.run(1, [&](std::uint32_t) {
        std::thread other([&] {
            CHECK(error_of([&] { e.set(Health{1}); }) == kith::errc::invalid_operation);
            CHECK(error_of([&] { world.entity(); }) == kith::errc::invalid_operation);
            CHECK_FALSE(e.has<Health>());
        });
        other.join();
    });
    CHECK_FALSE(e.has<Health>());
}

TEST_CASE("a part that throws keeps the changes that it has recorded") {
    kith::world world;
    world.component<Marked>();
    kith::entity e = world.entity();
    part_runner runner(world);
    runner.run(1, [&](std::uint32_t) {
        try {
            e.add<Marked>();
            throw 1;
        } catch (int) {}
    });
    CHECK(e.has<Marked>());
}

TEST_SUITE_END();
