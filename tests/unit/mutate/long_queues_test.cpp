// Queues with many commands for one entity: the work grows as their number does. The counts are
// there in builds with internal checks only.
#include <kith/kith.hpp>

#include "base/counters.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

struct Owes {
    int amount = 0;
};

struct many {
    explicit many(int count) {
        for (int i = 0; i < count; ++i) {
            targets.push_back(world.entity());
        }
    }
    kith::world world;
    kith::entity relation = world.entity("R");
    kith::entity e = world.entity("e");
    std::vector<kith::entity> targets;
};

#if defined(KITH_ASSERTS) && KITH_ASSERTS

using kith::base::work;

template <class Action>
std::uint64_t work_of(Action&& action) {
    const std::uint64_t before = work.folded + work.lookups;
    action();
    return work.folded + work.lookups - before;
}

// How often more work four times as many commands are.
template <class Prepare, class Command>
double growth(Prepare&& prepare, Command&& command) {
    auto count = [&](int size) {
        many setting(size);
        prepare(setting);
        return static_cast<double>(work_of([&] {
            setting.world.defer([&] {
                for (kith::entity target : setting.targets) {
                    command(setting, target);
                }
            });
        }));
    };
    return count(2000) / count(500);
}

constexpr double linear = 5;

#endif

}  // namespace

TEST_SUITE("unit.mutate.long_queues") {
#if defined(KITH_ASSERTS) && KITH_ASSERTS
    TEST_CASE("pairs of one entity are added in linear time") {
        auto add = [](many& in, kith::entity target) { in.e.add(in.relation, target); };
        CHECK(growth([](many&) {}, add) < linear);
        CHECK(growth([](many& in) { in.relation.add(kith::Sparse); }, add) < linear);
        CHECK(growth([](many& in) { in.relation.add(kith::Exclusive); }, add) < linear);
        CHECK(growth([](many& in) { in.relation.add(kith::Union); }, add) < linear);
    }

    TEST_CASE("tags of one entity are added in linear time") {
        CHECK(growth([](many&) {}, [](many& in, kith::entity tag) { in.e.add(tag); }) < linear);
    }

    TEST_CASE("values of pairs of one entity are set in linear time") {
        auto set = [](many& in, kith::entity target) { in.e.set<Owes>(target, {3}); };
        CHECK(growth([](many&) {}, set) < linear);
        CHECK(growth([](many& in) { in.world.component<Owes>().add(kith::Sparse); }, set) < linear);
    }

    TEST_CASE("pairs of one entity are removed in linear time") {
        auto give = [](many& in) {
            in.world.defer([&] {
                for (kith::entity target : in.targets) {
                    in.e.add(in.relation, target);
                }
            });
        };
        auto remove = [](many& in, kith::entity target) { in.e.remove(in.relation, target); };
        CHECK(growth(give, remove) < linear);
        CHECK(growth(
                  [&](many& in) {
                      in.relation.add(kith::Sparse);
                      give(in);
                  },
                  remove) < linear);
    }

    TEST_CASE("values of pairs of one entity are changed in place in linear time") {
        auto change = [](many& in, kith::entity target) { in.e.get_mut<Owes>(target)->amount = 3; };
        auto nothing = [](many&) {};
        CHECK(growth(nothing, change) < linear);
        CHECK(growth([](many& in) { in.world.component<Owes>().add(kith::Sparse); }, change) <
              linear);
        CHECK(growth([](many& in) { in.world.component<Owes>().add(kith::Exclusive); }, change) <
              linear);
        CHECK(growth(nothing, [](many& in, kith::entity target) {
                  in.e.set<Owes>(target, {1});
                  in.e.get_mut<Owes>(target)->amount = 3;
              }) < linear);
        CHECK(growth(nothing, [](many& in, kith::entity target) {
                  in.e.emplace_first<Owes>(target, 3);
              }) < linear);
    }

    TEST_CASE("values of many entities are changed in place in linear time") {
        auto change = [](many& in, kith::entity one) {
            if (one == in.targets[0]) {
                in.e.clone();  // what was queued before and after is of different segments
            }
            one.get_mut<Owes>()->amount = 3;
        };
        CHECK(growth([](many&) {}, change) < linear);
    }

    TEST_CASE("symmetric pairs of one entity are added and removed in linear time") {
        auto add = [](many& in, kith::entity target) { in.e.add(in.relation, target); };
        auto symmetric = [](many& in) { in.relation.add(kith::Symmetric); };
        CHECK(growth(symmetric, add) < linear);
        CHECK(growth(
                  [&](many& in) {
                      symmetric(in);
                      in.relation.add(kith::Sparse);
                  },
                  add) < linear);
        CHECK(growth(
                  [&](many& in) {
                      symmetric(in);
                      in.world.defer([&] {
                          for (kith::entity target : in.targets) {
                              add(in, target);
                          }
                      });
                  },
                  [](many& in, kith::entity target) { in.e.remove(in.relation, target); }) <
              linear);
    }

    TEST_CASE("pairs of an instance are added in linear time") {
        auto derive = [](many& in) { in.e.is_a(in.world.entity().set(Owes{1})); };
        CHECK(growth(derive, [](many& in, kith::entity target) { in.e.add(in.relation, target); }) <
              linear);
        CHECK(growth(derive, [](many& in, kith::entity target) { in.e.add<Owes>(target); }) <
              linear);
        CHECK(growth(derive, [](many& in, kith::entity target) {
                  in.e.get_mut<Owes>(target)->amount = 2;
              }) < linear);
    }

    TEST_CASE("pairs that have constraints are added in linear time") {
        auto add = [](many& in, kith::entity target) { in.e.add(in.relation, target); };
        CHECK(growth([](many& in) { in.relation.add(kith::Traversable); }, add) < linear);
        CHECK(growth(
                  [](many& in) {
                      in.relation.add(kith::OneOf, in.world.entity("all"));
                      for (kith::entity target : in.targets) {
                          target.child_of(in.world.lookup("all"));
                      }
                  },
                  add) < linear);
        CHECK(growth([](many& in) { in.relation.add(kith::With, in.world.entity()); }, add) <
              linear);
    }

    TEST_CASE("what must come with others is removed with them in linear time") {
        auto prepare = [](many& in) {
            in.relation.add(kith::With, in.world.entity("brought"));
            in.world.defer([&] {
                for (kith::entity target : in.targets) {
                    in.e.add(in.relation, target);
                }
            });
        };
        CHECK(growth(prepare, [](many& in, kith::entity target) {
                  in.e.remove(in.relation, target);
                  in.e.remove(in.world.lookup("brought"), target);
              }) < linear);
    }

    TEST_CASE("pairs of many exclusive relationships are added in linear time") {
        auto exclusive = [](many& in) {
            for (kith::entity relation : in.targets) {
                relation.add(kith::Exclusive).add(kith::Sparse);
            }
        };
        auto add = [](many& in, kith::entity relation) { in.e.add(relation, in.relation); };
        CHECK(growth(exclusive, add) < linear);
        // Changes that are told one by one are foreseen.
        CHECK(growth(
                  [&](many& in) {
                      exclusive(in);
                      in.world.observer()
                          .with(kith::Wildcard, kith::Wildcard)
                          .event(kith::OnAdd)
                          .each([](kith::entity) {});
                  },
                  [&](many& in, kith::entity relation) {
                      add(in, relation);
                      in.relation.clear();
                  }) < linear);
    }

    TEST_CASE("pairs of one entity are removed by patterns in linear time") {
        CHECK(growth([](many&) {},
                     [](many& in, kith::entity relation) {
                         in.e.add(relation, in.relation);
                         in.e.remove(relation, kith::Wildcard);
                     }) < linear);
        CHECK(growth([](many&) {},
                     [](many& in, kith::entity target) {
                         in.e.add(in.relation, target);
                         in.e.remove(kith::Wildcard, target);
                     }) < linear);
    }
#endif

    TEST_CASE("an exclusive relationship has the target that was queued last") {
        many in(40);
        in.relation.add(kith::Exclusive);
        in.e.add(in.relation, in.targets[5]);
        in.world.defer([&] {
            for (kith::entity target : in.targets) {
                in.e.add(in.relation, target);
            }
            in.e.add(in.relation, in.targets[7]);
            in.e.remove(in.relation, in.targets[3]);
        });
        CHECK(in.e.target(in.relation) == in.targets[7]);
        CHECK_FALSE(in.e.has(in.relation, in.targets[5]));
        in.world.defer([&] {
            in.e.add(in.relation, in.targets[1]);
            in.e.remove(in.relation, in.targets[1]);
        });
        CHECK_FALSE(in.e.has(in.relation, kith::Wildcard));
        in.world.check();
    }

    TEST_CASE("many queued changes of one entity come to what they would one by one") {
        many in(60);
        many once(60);
        auto change = [](many& of) {
            for (std::size_t i = 0; i < of.targets.size(); ++i) {
                of.e.set<Owes>(of.targets[i], {static_cast<int>(i)});
                if (i % 3 == 0) {
                    of.e.remove<Owes>(of.targets[i / 2]);
                }
                if (i % 5 == 0) {
                    of.e.set<Owes>(of.targets[i / 3], {-1});
                }
            }
        };
        in.world.defer([&] { change(in); });
        change(once);
        for (std::size_t i = 0; i < in.targets.size(); ++i) {
            const Owes* queued = in.e.get<Owes>(in.targets[i]);
            const Owes* direct = once.e.get<Owes>(once.targets[i]);
            REQUIRE((queued != nullptr) == (direct != nullptr));
            CHECK((!queued || queued->amount == direct->amount));
        }
        in.world.check();
    }

    TEST_CASE("symmetric pairs of one queue have both sides, each with its value and its word") {
        many in(40);
        in.world.component<Owes>().add(kith::Symmetric);
        int sets = 0;
        int adds = 0;
        in.world.observer().with<Owes>(kith::Wildcard).event(kith::OnAdd).each([&](kith::entity) {
            ++adds;
        });
        in.world.observer().with<Owes>(kith::Wildcard).event(kith::OnSet).each([&](kith::entity) {
            ++sets;
        });
        in.world.defer([&] {
            for (std::size_t i = 0; i < in.targets.size(); ++i) {
                in.e.set<Owes>(in.targets[i], {static_cast<int>(i)});
            }
        });
        CHECK(adds == 80);
        CHECK(sets == 80);
        for (std::size_t i = 0; i < in.targets.size(); ++i) {
            REQUIRE(in.targets[i].get<Owes>(in.e));
            CHECK(in.targets[i].get<Owes>(in.e)->amount == static_cast<int>(i));
        }
        in.world.defer([&] {
            for (kith::entity target : in.targets) {
                in.e.remove<Owes>(target);
            }
        });
        CHECK_FALSE(in.targets[7].has<Owes>(kith::Wildcard));
        in.world.check();
    }

    TEST_CASE("a symmetric pair that is changed twice in a queue ends as it would one by one") {
        many in(40);
        in.world.component<Owes>().add(kith::Symmetric);
        in.e.set<Owes>(in.targets[1], {5});
        in.world.defer([&] {
            for (kith::entity target : in.targets) {
                in.e.add<Owes>(target);
            }
            in.e.remove<Owes>(in.targets[0]);
            in.e.remove<Owes>(in.targets[1]);
            in.e.add<Owes>(in.targets[1]);
            in.e.set<Owes>(in.targets[2], {9});
        });
        CHECK_FALSE(in.targets[0].has<Owes>(in.e));
        CHECK(in.targets[1].get<Owes>(in.e)->amount == 0);
        CHECK(in.targets[2].get<Owes>(in.e)->amount == 9);
        in.world.check();
    }
}
