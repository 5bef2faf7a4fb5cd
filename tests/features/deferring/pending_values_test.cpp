// What get_mut() and ensure() find in a queue: the value that the commands before have made,
// however long the queue is. Each case runs with a short queue and with one that is found through
// an index.
#include <kith/kith.hpp>

#include <cstdint>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace {

struct Owes {
    int amount = 0;
    int fee = 0;
};
struct Wealth {
    int gold = 0;
    int silver = 0;
};

struct fixture {
    // Commands of the entity that have nothing to do with its debts.
    void crowd() {
        for (int i = 0; i < crowded; ++i) {
            e.add(noise, targets[static_cast<std::size_t>(i)]);
        }
    }
    int owed() const { return e.get<Owes>(a) ? e.get<Owes>(a)->amount : -1; }
    int fee() const { return e.get<Owes>(a) ? e.get<Owes>(a)->fee : -1; }

    kith::world world;
    kith::entity noise = world.entity().add(kith::Sparse);
    kith::entity e = world.entity();
    kith::entity a = world.entity();
    kith::entity b = world.entity();
    std::vector<kith::entity> targets = [this] {
        std::vector<kith::entity> made;
        for (int i = 0; i < 60; ++i) {
            made.push_back(world.entity());
        }
        return made;
    }();
    int crowded = 0;
};

// Calls body() with few and with many commands in front.
template <class Body>
void with_queues(Body&& body) {
    for (int crowded : {0, 60}) {
        fixture in;
        in.crowded = crowded;
        CAPTURE(crowded);
        body(in);
    }
}

}  // namespace

TEST_SUITE("features.deferring.pending_values") {
    TEST_CASE("get_mut gives the value that a command before has queued") {
        with_queues([](fixture& in) {
            in.world.defer([&] {
                in.crowd();
                in.e.set<Owes>(in.a, {3, 4});
                in.e.get_mut<Owes>(in.a)->amount += 10;
                in.e.get_mut<Owes>(in.a)->amount += 100;
            });
            CHECK(in.owed() == 113);
            CHECK(in.fee() == 4);
        });
    }

    TEST_CASE("get_mut of what a command before has removed begins anew") {
        with_queues([](fixture& in) {
            in.e.set<Owes>(in.a, {1, 2});
            in.world.defer([&] {
                in.crowd();
                SUBCASE("by its id") {
                    in.e.remove<Owes>(in.a);
                }
                SUBCASE("by its relationship") {
                    in.e.remove<Owes>(kith::Wildcard);
                }
                SUBCASE("by its target") {
                    in.e.remove(kith::Wildcard, in.a);
                }
                SUBCASE("with all pairs") {
                    in.e.remove(kith::Wildcard, kith::Wildcard);
                }
                SUBCASE("with everything") {
                    in.e.clear();
                }
                SUBCASE("from all entities") {
                    in.world.remove_all(in.world.pair<Owes>(kith::Wildcard));
                }
                in.e.get_mut<Owes>(in.a)->amount = 5;
            });
            CHECK(in.owed() == 5);
            CHECK(in.fee() == 0);
        });
    }

    TEST_CASE("get_mut of a stored value that stays gives the stored one") {
        with_queues([](fixture& in) {
            in.e.set<Owes>(in.a, {1, 2});
            in.world.defer([&] {
                in.crowd();
                in.e.add<Owes>(in.a);
                in.e.remove<Owes>(in.b);
                in.e.get_mut<Owes>(in.a)->amount = 5;
            });
            CHECK(in.owed() == 5);
            CHECK(in.fee() == 2);
        });
    }

    TEST_CASE("another target of an exclusive relationship ends the value") {
        with_queues([](fixture& in) {
            in.world.component<Owes>().add(kith::Exclusive);
            in.e.set<Owes>(in.a, {1, 2});
            in.world.defer([&] {
                in.crowd();
                in.e.add<Owes>(in.b);
                in.e.get_mut<Owes>(in.a)->amount = 5;
                in.e.get_mut<Owes>(in.a)->fee += 1;
            });
            CHECK(in.owed() == 5);
            CHECK(in.fee() == 1);
            CHECK_FALSE(in.e.has<Owes>(in.b));
        });
    }

    TEST_CASE("a value that a queued clone reads is not changed under it") {
        with_queues([](fixture& in) {
            in.e.set(Wealth{1, 2});
            kith::entity copy;
            in.world.defer([&] {
                in.crowd();
                copy = in.e.clone(true);
                in.e.get_mut<Wealth>()->gold = 7;
            });
            CHECK(copy.get<Wealth>()->gold == 1);
            CHECK(in.e.get<Wealth>()->gold == 7);
            CHECK(in.e.get<Wealth>()->silver == 2);
        });
    }

    TEST_CASE("a value that a queued instance begins with is not changed under it") {
        with_queues([](fixture& in) {
            in.e.set(Wealth{1, 2});
            kith::entity instance = in.world.entity();
            in.world.defer([&] {
                in.crowd();
                instance.is_a(in.e);
                instance.add<Wealth>();
                in.e.get_mut<Wealth>()->gold = 7;
            });
            CHECK(instance.get<Wealth>()->gold == 1);
            CHECK(in.e.get<Wealth>()->gold == 7);
        });
    }

    TEST_CASE("an emplaced value counts where there was none") {
        with_queues([](fixture& in) {
            in.world.defer([&] {
                in.crowd();
                in.e.emplace<Wealth>(3, 4);
                in.e.get_mut<Wealth>()->gold += 10;
            });
            CHECK(in.e.get<Wealth>()->gold == 13);
            CHECK(in.e.get<Wealth>()->silver == 4);
        });
    }

    // The queue is as if the commands were run one by one.
    TEST_CASE("random queues with get_mut come to what the commands would do at once") {
        for (std::uint32_t seed = 0; seed < 300; ++seed) {
            CAPTURE(seed);
            fixture queued;
            fixture direct;
            auto run = [seed](fixture& in) {
                std::mt19937 random(seed);
                auto pick = [&](int limit) { return static_cast<int>(random() % limit); };
                if (pick(3) == 0) {
                    in.world.component<Owes>().add(kith::Exclusive);
                }
                if (pick(2) == 0) {
                    in.world.component<Owes>().add(kith::Sparse);
                }
                const bool deferred = in.crowded != 0;
                if (deferred) {
                    in.world.defer_begin();
                }
                for (int i = 0; i < 150; ++i) {
                    kith::entity e = pick(4) ? in.e : in.b;
                    kith::entity target = in.targets[static_cast<std::size_t>(pick(5))];
                    switch (pick(12)) {
                        case 0:
                            e.remove<Owes>(target);
                            break;
                        case 1:
                            e.remove<Owes>(kith::Wildcard);
                            break;
                        case 2:
                            e.add<Owes>(target);
                            break;
                        case 3:
                            e.set<Owes>(target, {i, i});
                            break;
                        case 4:
                            e.set(Wealth{i, i});
                            break;
                        case 5:
                            e.remove<Wealth>();
                            break;
                        case 6:
                            e.get_mut<Wealth>()->gold += i;
                            break;
                        case 7:
                            if (pick(6) == 0)
                                e.clear();
                            break;
                        case 8:
                            if (pick(6) == 0)
                                e.remove(kith::Wildcard, target);
                            break;
                        default:
                            e.get_mut<Owes>(target)->amount += i;
                            break;
                    }
                }
                if (deferred) {
                    in.world.defer_end();
                }
            };
            queued.crowded = 1;
            run(queued);
            run(direct);
            for (bool second : {false, true}) {
                kith::entity one = second ? queued.b : queued.e;
                kith::entity two = second ? direct.b : direct.e;
                for (std::size_t i = 0; i < 5; ++i) {
                    const Owes* left = one.get<Owes>(queued.targets[i]);
                    const Owes* right = two.get<Owes>(direct.targets[i]);
                    REQUIRE((left != nullptr) == (right != nullptr));
                    CHECK((!left || (left->amount == right->amount && left->fee == right->fee)));
                }
                REQUIRE((one.get<Wealth>() != nullptr) == (two.get<Wealth>() != nullptr));
                CHECK((!one.get<Wealth>() || one.get<Wealth>()->gold == two.get<Wealth>()->gold));
            }
            queued.world.check();
        }
    }
}
