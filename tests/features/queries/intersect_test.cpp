// Terms that meet in a variable, and runs whose variables are all given: compared with what has()
// says of every entity, for all kinds of storage.
#include <kith/kith.hpp>

#include "support/queries.hpp"
#include "support/types.hpp"

#include <random>
#include <set>

using namespace kith_test;

namespace {

struct Sparkling {};

using pairs = std::multiset<std::pair<kith::entity_t, kith::entity_t>>;

// Two relationships between some entities, at random. `kinds`: which of them are sparse.
struct network {
    explicit network(int kinds, int size = 24, unsigned percent = 20)
        : likes(make_relation(world, (kinds & 1) != 0, "Likes")),
          knows(make_relation(world, (kinds & 2) != 0, "Knows")) {
        register_all(world);
        for (int i = 0; i < size; ++i) {
            nodes.push_back(world.entity().set(Position{i, 0}));
        }
        for (kith::entity from : nodes) {
            for (kith::entity to : nodes) {
                for (kith::entity relation : {likes, knows}) {
                    if (random() % 100 < percent) {
                        from.add(relation, to);
                    }
                }
            }
        }
    }
    // All pairs of nodes for which it is true.
    template <class Holds>
    pairs expected(const Holds& holds) const {
        pairs all;
        for (kith::entity from : nodes) {
            for (kith::entity to : nodes) {
                if (holds(from, to)) {
                    all.emplace(from, to);
                }
            }
        }
        return all;
    }
    pairs meetings() const {
        return expected(
            [&](kith::entity a, kith::entity b) { return a.has(likes, b) && a.has(knows, b); });
    }
    // $this and $x of each row.
    static pairs found(const kith::filter<>& query) {
        pairs all;
        query.each(
            [&](kith::iter& it, std::size_t row) { all.emplace(it.entity(row), it.get_var("x")); });
        return all;
    }
    kith::filter<> meet() const {
        return world.filter_builder().with(likes, "$x").with(knows, "$x").build();
    }

    kith::world world;
    kith::entity likes;
    kith::entity knows;
    std::vector<kith::entity> nodes;
    std::mt19937 random{7};
};

}  // namespace

TEST_SUITE("features.queries.intersect") {
    TEST_CASE("targets that two relationships share") {
        for (int kinds = 0; kinds < 4; ++kinds) {
            CAPTURE(kinds);
            network data(kinds);
            CHECK(data.found(data.meet()) == data.meetings());
            CHECK(std::string(data.meet().explain().c_str())
                      .find("intersect    (Likes,$x), (Knows,$x)") == 0);
        }
    }

    TEST_CASE("lists that are too long to be compared") {
        for (int kinds = 0; kinds < 4; ++kinds) {
            CAPTURE(kinds);
            network data(kinds, 60, 50);
            CHECK(data.found(data.meet()) == data.meetings());
        }
    }

    TEST_CASE("rows that something else has found") {
        for (int kinds = 0; kinds < 4; ++kinds) {
            CAPTURE(kinds);
            network data(kinds);
            for (std::size_t i = 0; i < 5; ++i) {
                data.nodes[i * 4].add<Hot>();
            }
            auto query = data.world.filter_builder<const Position>()
                             .with<Hot>()
                             .with(data.likes, "$x")
                             .with(data.knows, "$x")
                             .build();
            pairs all;
            query.each([&](kith::iter& it, std::size_t row, const Position& p) {
                CHECK(&p == it.entity(row).get<Position>());
                all.emplace(it.entity(row), it.get_var("x"));
            });
            CHECK(all == data.expected([&](kith::entity a, kith::entity b) {
                return a.has<Hot>() && a.has(data.likes, b) && a.has(data.knows, b);
            }));
        }
    }

    TEST_CASE("the same rows once more, for another match of an earlier term") {
        for (int kinds = 0; kinds < 4; ++kinds) {
            CAPTURE(kinds);
            network data(kinds);
            kith::entity owns = data.world.entity();
            for (std::size_t i = 0; i < 6; ++i) {
                data.nodes[i].add(owns, data.nodes[0]).add(owns, data.nodes[1]);
            }
            auto query = data.world.filter_builder()
                             .with(owns, kith::Wildcard)
                             .with(data.likes, "$x")
                             .with(data.knows, "$x")
                             .build();
            pairs all = data.expected([&](kith::entity a, kith::entity b) {
                return a.has(owns, data.nodes[0]) && a.has(data.likes, b) && a.has(data.knows, b);
            });
            const pairs twice = all;
            all.insert(twice.begin(), twice.end());
            CHECK(data.found(query) == all);
        }
    }

    TEST_CASE("sources that are variables, and targets that are $this") {
        for (int kinds = 0; kinds < 4; ++kinds) {
            CAPTURE(kinds);
            network data(kinds);
            auto query = data.world.filter_builder()
                             .with(data.likes, "$this")
                             .src("$x")
                             .with(data.knows, "$this")
                             .src("$x")
                             .build();
            CHECK(data.found(query) == data.expected([&](kith::entity a, kith::entity b) {
                return b.has(data.likes, a) && b.has(data.knows, a);
            }));
        }
    }

    TEST_CASE("lists of different sources: triangles") {
        for (int kinds = 0; kinds < 4; ++kinds) {
            CAPTURE(kinds);
            network data(kinds);
            auto query = data.world.filter_builder()
                             .with(data.likes, "$x")
                             .with(data.knows, "$y")
                             .with(data.likes, "$y")
                             .src("$x")
                             .build();
            pairs all;
            for (kith::entity y : data.nodes) {
                pairs some = data.expected([&](kith::entity a, kith::entity b) {
                    return a.has(data.likes, b) && a.has(data.knows, y) && b.has(data.likes, y);
                });
                all.insert(some.begin(), some.end());
            }
            CHECK(data.found(query) == all);
        }
    }

    TEST_CASE("what is switched off, inherited or hidden counts as it does elsewhere") {
        for (int kinds = 0; kinds < 4; ++kinds) {
            CAPTURE(kinds);
            network data(kinds);
            for (std::size_t i = 4; i < 8; ++i) {
                data.nodes[i].is_a(data.nodes[i + 8]);
            }
            CHECK(data.found(data.meet()) == data.meetings());
            for (kith::entity node : data.nodes) {
                node.add<Hot>();
            }
            auto bound = data.world.filter_builder()
                             .with<Hot>()
                             .with(data.likes, "$x")
                             .with(data.knows, "$x")
                             .cached()
                             .build();
            CHECK(data.found(bound) == data.meetings());
            pairs all = data.meetings();
            const auto off = *all.begin();
            data.world.entity(off.first).disable(data.likes, off.second);
            all.erase(all.begin());
            CHECK(data.found(data.meet()) == all);
            kith::entity hidden = data.world.entity(all.begin()->first);
            hidden.add(kith::Prefab);
            std::erase_if(all, [&](const auto& one) { return one.first == hidden; });
            CHECK(data.found(data.meet()) == all);
        }
    }

    TEST_CASE("runs whose variables are all given") {
        for (int kinds = 0; kinds < 4; ++kinds) {
            CAPTURE(kinds);
            network data(kinds);
            data.world.component<Sparkling>().add(kith::Sparse);
            for (std::size_t i = 0; i < data.nodes.size(); ++i) {
                if (i % 3 == 0) {
                    data.nodes[i].add<Hot>();
                }
                if (i % 2 == 0) {
                    data.nodes[i].add<Sparkling>();
                }
            }
            // The entity `*` is nobody's target.
            auto one = data.world.filter_builder().with(data.likes, "$x").build();
            CHECK(one.iter().set_var("x", kith::Wildcard).count() == 0);
            auto check = [&](auto&& terms, auto&& holds) {
                auto builder = data.world.filter_builder<const Position>();
                terms(builder);
                auto query = builder.build();
                for (kith::entity a : data.nodes) {
                    for (kith::entity b : data.nodes) {
                        std::set<kith::entity_t> rows;
                        query.each(a, b, [&](kith::entity e, const Position& p) {
                            CHECK(&p == e.get<Position>());
                            CHECK(rows.insert(e).second);
                        });
                        std::set<kith::entity_t> wanted;
                        for (kith::entity e : data.nodes) {
                            if (holds(e, a, b)) {
                                wanted.insert(e);
                            }
                        }
                        CHECK(rows == wanted);
                    }
                }
            };
            check(
                [&](auto& terms) {
                    terms.with(data.likes, kith::Wildcard).with(data.knows, kith::Wildcard);
                },
                [&](kith::entity e, kith::entity a, kith::entity b) {
                    return e.has(data.likes, a) && e.has(data.knows, b);
                });
            check(
                [&](auto& terms) {
                    terms.with(data.likes, kith::Wildcard)
                        .without(data.knows, kith::Wildcard)
                        .template with<Hot>();
                },
                [&](kith::entity e, kith::entity a, kith::entity b) {
                    return e.has(data.likes, a) && !e.has(data.knows, b) && e.has<Hot>();
                });
            check(
                [&](auto& terms) {
                    terms.with(data.likes, kith::Wildcard)
                        .with(data.knows, kith::Wildcard)
                        .optional()
                        .template without<Hot>()
                        .template with<Sparkling>();
                },
                [&](kith::entity e, kith::entity a, kith::entity) {
                    return e.has(data.likes, a) && !e.has<Hot>() && e.has<Sparkling>();
                });
        }
    }
}
