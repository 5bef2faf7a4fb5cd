// Arguments: targets that are given when a query runs.
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/queries.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::errc;
using kith::rel;
using kith::Wildcard;

namespace {

struct OnTeam {};
struct InVehicle {};

struct fixture {
    // The rows of a run with arguments, by id.
    template <class Query, class... Arguments>
    static entity_list found(const Query& query, Arguments... arguments) {
        entity_list rows;
        query.each(arguments..., [&](kith::entity e) { rows.push_back(e); });
        return sorted(rows);
    }
    // A builder with `terms`, cached and not.
    template <class Terms, class Check>
    void both(const Terms& terms, const Check& check) const {
        auto builder = world.filter_builder();
        terms(builder);
        check(builder.uncached().build());
        check(builder.cached().build());
    }

    bool sparse = for_both_storages();
    kith::world world;
    kith::entity on_team = make_relation<OnTeam>(world, sparse);
    kith::entity in_vehicle = make_relation<InVehicle>(world, sparse);
    kith::entity tag = world.entity("Tag");
    kith::entity red = world.entity("red");
    kith::entity blue = world.entity("blue");
    kith::entity green = world.entity("green");
    kith::entity jeep = world.entity("jeep");
    kith::entity tank = world.entity("tank");
};

struct battle : fixture {
    kith::entity ann = world.entity("ann").add(on_team, red).add(in_vehicle, jeep);
    kith::entity ben = world.entity("ben").add(on_team, red).add(in_vehicle, tank);
    kith::entity cat = world.entity("cat").add(on_team, blue).add(in_vehicle, jeep);
    kith::entity spy =
        world.entity("spy").add(on_team, red).add(on_team, blue).add(in_vehicle, tank);
    kith::entity dan = world.entity("dan").add(on_team, red);

    // (OnTeam, *), (InVehicle, *)
    kith::filter<> seats() const {
        return world.filter_builder().with(on_team, Wildcard).with(in_vehicle, Wildcard).build();
    }
};

}  // namespace

TEST_SUITE("features.queries.query_arguments") {
    // spec 161
    TEST_CASE_FIXTURE(battle, "a relation is listed without a target, which the run supplies") {
        auto query = world.query<rel<OnTeam>, rel<InVehicle>>();
        entity_list rows;
        query.each(red, jeep, [&](kith::entity e, rel<OnTeam> team, rel<InVehicle> vehicle) {
            CHECK(team.target() == red);
            CHECK(vehicle.target() == jeep);
            rows.push_back(e);
        });
        CHECK(rows == entity_list{ann});
    }

    // spec 320
    TEST_CASE_FIXTURE(battle, "arguments bind the open targets from left to right") {
        both([&](auto& q) { q.with(on_team, Wildcard).with(in_vehicle, Wildcard); },
             [&](const auto& query) {
                 CHECK(found(query, red, jeep) == entity_list{ann});
                 CHECK(found(query, red, tank) == sorted({ben, spy}));
                 CHECK(found(query, blue, jeep) == entity_list{cat});
                 CHECK(found(query, blue, tank) == entity_list{spy});
                 CHECK(found(query, green, jeep).empty());
                 CHECK(found(query, jeep, red).empty());
             });
    }

    TEST_CASE_FIXTURE(battle, "terms between the open ones count as they do without arguments") {
        ann.add(tag);
        spy.add(tag);
        both(
            [&](auto& q) {
                q.with(tag)
                    .with(on_team, Wildcard)
                    .without(on_team, green)
                    .with(in_vehicle, Wildcard);
            },
            [&](const auto& query) {
                CHECK(found(query, red, tank) == entity_list{spy});
                CHECK(found(query, red, jeep) == entity_list{ann});
                CHECK(found(query, blue, jeep).empty());
            });
    }

    TEST_CASE_FIXTURE(battle, "bind is a run with arguments that is iterated like any other") {
        auto query = seats();
        CHECK(query.bind(red, tank).count() == 2);
        CHECK(query.bind(blue, jeep).first() == cat);
        CHECK(query.bind(red, jeep).is_true());
        CHECK_FALSE(query.bind(green, jeep).is_true());
        entity_list rows;
        query.bind(red, tank).iter([&](kith::iter& it) {
            CHECK(it.id(1) == world.pair(on_team, red));
            CHECK(it.id(2) == world.pair(in_vehicle, tank));
            for (auto row : it) {
                rows.push_back(it.entity(row));
            }
        });
        CHECK(sorted(rows) == sorted({ben, spy}));
        auto run = query.bind(red, jeep);
        REQUIRE(run.next());
        CHECK(run->entity(0) == ann);
        CHECK_FALSE(run.next());
    }

    TEST_CASE_FIXTURE(battle, "results follow changes of the world") {
        both([&](auto& q) { q.with(on_team, Wildcard).with(in_vehicle, Wildcard); },
             [&](const auto& query) {
                 kith::entity eve = world.entity("eve");
                 CHECK(found(query, green, jeep).empty());
                 eve.add(on_team, green);
                 CHECK(found(query, green, jeep).empty());
                 eve.add(in_vehicle, jeep);
                 CHECK(found(query, green, jeep) == entity_list{eve});
                 kith::entity fay = world.entity("fay").add(on_team, green).add(in_vehicle, jeep);
                 CHECK(found(query, green, jeep) == sorted({eve, fay}));
                 eve.remove(in_vehicle, jeep);
                 eve.add(in_vehicle, tank);
                 CHECK(found(query, green, jeep) == entity_list{fay});
                 CHECK(found(query, green, tank) == entity_list{eve});
                 fay.destruct();
                 CHECK(found(query, green, jeep).empty());
                 eve.disable();
                 CHECK(found(query, green, tank).empty());
                 eve.destruct();
             });
    }

    TEST_CASE_FIXTURE(battle, "values come with the rows") {
        kith::entity eats = make_relation<Eats>(world, sparse);
        ann.set<Eats>(red, {3}).set(Position{1, 2});
        ben.set<Eats>(red, {4}).set(Position{5, 6});
        ben.set<Eats>(blue, {7});
        auto query = world.query_builder<const Position>().term<Eats>(Wildcard).build();
        int sum = 0;
        query.each(red, [&](kith::iter& it, std::size_t row, const Position& position) {
            sum += it.field<const Eats>(2)[row].amount * position.x;
        });
        CHECK(sum == 3 * 1 + 4 * 5);
        CHECK(eats.is_alive());
    }

    // spec 321
    TEST_CASE_FIXTURE(battle, "targets of the same relationship are given in any order") {
        both(
            [&](auto& q) {
                q.with(on_team, Wildcard).with(on_team, Wildcard).with(in_vehicle, Wildcard);
            },
            [&](const auto& query) {
                CHECK(found(query, red, blue, tank) == entity_list{spy});
                CHECK(found(query, blue, red, tank) == entity_list{spy});
                CHECK(found(query, red, blue, jeep).empty());
                CHECK(found(query, red, green, tank).empty());
            });
        both(
            [&](auto& q) {
                q.with(on_team, Wildcard).with(in_vehicle, Wildcard).with(on_team, Wildcard);
            },
            [&](const auto& query) {
                CHECK(found(query, red, tank, blue) == entity_list{spy});
                CHECK(found(query, blue, tank, red) == entity_list{spy});
            });
    }

    // spec 322
    TEST_CASE_FIXTURE(battle, "an entity with several targets is found for each of them") {
        both([&](auto& q) { q.with(on_team, Wildcard); },
             [&](const auto& query) {
                 CHECK(found(query, red) == sorted({ann, ben, spy, dan}));
                 CHECK(found(query, blue) == sorted({cat, spy}));
             });
    }

    // spec 64
    TEST_CASE_FIXTURE(battle, "Wildcard as an argument leaves its slot open") {
        both([&](auto& q) { q.with(on_team, Wildcard).with(in_vehicle, Wildcard); },
             [&](const auto& query) {
                 CHECK(found(query, Wildcard, jeep) == sorted({ann, cat}));
                 CHECK(found(query, Wildcard, tank) == sorted({ben, spy, spy}));
                 CHECK(found(query, red, Wildcard) == sorted({ann, ben, spy}));
                 CHECK(found(query, Wildcard, Wildcard) == sorted({ann, ben, cat, spy, spy}));
             });
    }

    // spec 323
    TEST_CASE_FIXTURE(battle, "open slots give every combination, with the targets") {
        std::vector<std::string> rows;
        ann.add(in_vehicle, tank);
        seats().each(Wildcard, Wildcard, [&](kith::iter& it, std::size_t row) {
            rows.push_back(std::string(it.entity(row).name().c_str()) + " " +
                           it.pair(1).second().name().c_str() + " " +
                           it.pair(2).second().name().c_str());
        });
        std::sort(rows.begin(), rows.end());
        CHECK(rows == std::vector<std::string>{"ann red jeep", "ann red tank", "ben red tank",
                                               "cat blue jeep", "spy blue tank", "spy red tank"});
    }

    TEST_CASE_FIXTURE(battle, "two open slots of the same relationship give each pair once") {
        spy.add(on_team, green);
        auto query = world.filter_builder().with(on_team, Wildcard).with(on_team, Wildcard).build();
        std::vector<std::string> pairs;
        query.each(Wildcard, Wildcard, [&](kith::iter& it, std::size_t row) {
            std::vector<std::string> targets{it.pair(1).second().name().c_str(),
                                             it.pair(2).second().name().c_str()};
            std::sort(targets.begin(), targets.end());
            pairs.push_back(std::string(it.entity(row).name().c_str()) + " " + targets[0] + " " +
                            targets[1]);
        });
        std::sort(pairs.begin(), pairs.end());
        CHECK(pairs == std::vector<std::string>{"spy blue green", "spy blue red", "spy green red"});
        // One slot given: each other target once.
        CHECK(found(query, red, Wildcard) == entity_list{spy, spy});
        CHECK(found(query, Wildcard, red) == entity_list{spy, spy});
    }

    // spec 324
    TEST_CASE_FIXTURE(battle, "the same target twice finds nothing: they are distinct") {
        both([&](auto& q) { q.with(on_team, Wildcard).with(on_team, Wildcard); },
             [&](const auto& query) {
                 CHECK(found(query, red, red).empty());
                 CHECK(found(query, blue, blue).empty());
                 CHECK(found(query, red, blue) == entity_list{spy});
             });
    }

    TEST_CASE_FIXTURE(battle, "slots of terms that differ have an order of their own") {
        // Where it is, and where those are that it belongs to.
        spy.child_of(ann);
        dan.child_of(cat);
        both(
            [&](auto& q) {
                q.with(on_team, Wildcard).with(on_team, Wildcard).src().up(kith::ChildOf);
            },
            [&](const auto& query) {
                CHECK(found(query, red, blue) == entity_list{dan});
                CHECK(found(query, blue, red) == entity_list{spy});
                CHECK(found(query, red, red) == entity_list{spy});
                CHECK(found(query, Wildcard, red) == entity_list{spy, spy});
                CHECK(found(query, Wildcard, Wildcard) == sorted({spy, spy, dan}));
            });
    }

    TEST_CASE_FIXTURE(battle, "a reflexive relationship in two slots") {
        on_team.add(kith::Reflexive);
        both([&](auto& q) { q.with(on_team, Wildcard).with(on_team, Wildcard); },
             [&](const auto& query) {
                 CHECK(found(query, ann, red) == entity_list{ann});
                 CHECK(found(query, red, ann) == entity_list{ann});
                 CHECK(found(query, spy, Wildcard) == entity_list{spy, spy});
             });
    }

    TEST_CASE_FIXTURE(battle, "without arguments a plain query gives the cross product") {
        auto query = world.filter_builder().with(on_team, Wildcard).with(on_team, Wildcard).build();
        // Four with one team, the spy with two.
        CHECK(query.count() == 4 + 4);
    }

    // spec 182
    TEST_CASE_FIXTURE(battle, "a callback takes the target and the value of an open pair") {
        make_relation<Eats>(world, sparse);
        ann.set<Eats>(red, {3}).set<Eats>(blue, {5}).set(Position{1, 0});
        auto query = world.query<rel<Eats>, const Position>();
        std::vector<std::string> rows;
        auto note = [&](kith::entity e, rel<Eats> meal, const Position&) {
            rows.push_back(std::string(e.name().c_str()) + " " + meal.target().name().c_str() +
                           " " + std::to_string(meal->amount));
        };
        query.each(Wildcard, note);
        std::sort(rows.begin(), rows.end());
        CHECK(rows == std::vector<std::string>{"ann blue 5", "ann red 3"});
        rows.clear();
        query.each(red, note);
        CHECK(rows == std::vector<std::string>{"ann red 3"});
    }

    TEST_CASE_FIXTURE(battle, "arguments beside variables") {
        auto query = world.filter_builder()
                         .with(on_team, Wildcard)
                         .with(in_vehicle, "$v")
                         .with(tag)
                         .src("$v")
                         .build();
        CHECK(found(query, red).empty());
        jeep.add(tag);
        CHECK(found(query, red) == entity_list{ann});
        CHECK(found(query, blue) == entity_list{cat});
        CHECK(query.bind(red).set_var("v", tank).count() == 0);
        CHECK(query.bind(red).set_var("v", jeep).count() == 1);
    }

    TEST_CASE_FIXTURE(battle, "open targets in scopes take no arguments") {
        auto query = world.filter_builder()
                         .with(on_team, Wildcard)
                         .scope_open()
                         .not_()
                         .with(in_vehicle, Wildcard)
                         .scope_close()
                         .build();
        CHECK(found(query, red) == entity_list{dan});
        CHECK(found(query, blue).empty());
    }

    TEST_CASE_FIXTURE(battle, "optional and negated open targets take arguments too") {
        both([&](auto& q) { q.with(on_team, Wildcard).without(in_vehicle, Wildcard); },
             [&](const auto& query) {
                 CHECK(found(query, red, jeep) == sorted({ben, spy, dan}));
             });
        both([&](auto& q) { q.with(on_team, Wildcard).with(in_vehicle, Wildcard).optional(); },
             [&](const auto& query) {
                 CHECK(found(query, red, jeep) == sorted({ann, ben, spy, dan}));
             });
    }

    TEST_CASE_FIXTURE(battle, "many keys, each with its own list") {
        std::vector<kith::entity> teams;
        std::vector<entity_list> members(100);
        for (int i = 0; i < 100; ++i) {
            teams.push_back(world.entity());
        }
        for (int i = 0; i < 1000; ++i) {
            kith::entity e = world.entity().add(on_team, teams[i % 100]).add(in_vehicle, jeep);
            members[i % 100].push_back(e);
        }
        both([&](auto& q) { q.with(on_team, Wildcard).with(in_vehicle, Wildcard); },
             [&](const auto& query) {
                 for (std::size_t i = 0; i < 100; ++i) {
                     CHECK(found(query, teams[i], jeep) == sorted(members[i]));
                     CHECK(found(query, teams[i], tank).empty());
                 }
             });
    }

    // -- bad input

    TEST_CASE_FIXTURE(battle, "a wrong number of arguments is an error") {
        auto query = seats();
        auto one = [&] { query.each(red, [](kith::entity) {}); };
        auto three = [&] { query.each(red, jeep, tank, [](kith::entity) {}); };
        CHECK(refusal(world, one).has_value());
        CHECK(refusal(world, three).has_value());
        CHECK(refusal(world, [&] { query.bind(red); }).has_value());
        CHECK(contains(message_of(one), "2"));
        CHECK(contains(message_of(three), "2"));
        auto plain = world.filter_builder().with(tag).build();
        CHECK(refusal(world, [&] { plain.each(red, jeep, [](kith::entity) {}); }).has_value());
        CHECK(found(query, red, jeep) == entity_list{ann});
    }

    TEST_CASE_FIXTURE(battle, "dead and null arguments are errors") {
        auto query = seats();
        kith::entity dead = world.entity();
        dead.destruct();
        CHECK(refusal(world, [&] { query.each(dead, jeep, [](kith::entity) {}); }).has_value());
        CHECK(refusal(world, [&] { query.each(red, dead, [](kith::entity) {}); }).has_value());
        CHECK(refusal(world, [&] {
                  query.each(red, kith::entity(), [](kith::entity) {});
              }).has_value());
        CHECK(refusal(world, [&] { query.bind(dead, jeep); }).has_value());
    }

    TEST_CASE_FIXTURE(battle, "a query without open targets takes an entity as context") {
        ann.add(tag);
        auto plain = world.filter_builder().with(tag).build();
        entity_list rows;
        plain.each(red, [&](kith::entity e) { rows.push_back(e); });
        CHECK(rows == entity_list{ann});
    }
}
