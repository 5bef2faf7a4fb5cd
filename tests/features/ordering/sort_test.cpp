// Sorted queries: keys of all kinds, what re-sorts, and what a run may do.
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace kith_test;

namespace {

struct Depth {
    int value = 0;
    auto operator<=>(const Depth&) const = default;
};
struct Weight {
    float grams = 0;
};
struct Score {
    std::int64_t points = 0;
    std::uint8_t level = 0;
    double share = 0;
    bool operator<(const Score& other) const { return points < other.points; }
};
struct Region {};

int compare_depth(kith::entity_t, const Depth* a, kith::entity_t, const Depth* b) {
    return (a->value > b->value) - (a->value < b->value);
}
int compare_entities(kith::entity_t a, const void* v1, kith::entity_t b, const void* v2) {
    CHECK(v1 == nullptr);
    CHECK(v2 == nullptr);
    return (a > b) - (a < b);
}
int compare_entities_down(kith::entity_t a, const void*, kith::entity_t b, const void*) {
    return (a < b) - (a > b);
}

struct fixture {
    fixture() {
        register_all(world);
        world.component<Depth>();
        world.component<Weight>();
        world.component<Score>();
    }
    kith::entity at(int depth) { return world.entity().set(Depth{depth}); }

    // The depth of each row, in order; slices are set apart.
    template <class Query>
    static std::string slices(const Query& query) {
        std::string out;
        query.iter([&](kith::iter& it) {
            auto values = it.field<const Depth>(1);
            out += out.empty() ? "" : "| ";
            for (auto row : it) {
                out += std::to_string(values[row].value) + " ";
            }
        });
        return out;
    }
    template <class Query>
    static std::string text(const Query& query) {
        std::string out;
        query.each([&](const Depth& depth) { out += std::to_string(depth.value) + " "; });
        return out;
    }
    template <class Query>
    static std::vector<kith::entity_t> entities(const Query& query) {
        std::vector<kith::entity_t> out;
        query.iter([&](kith::iter& it) {
            for (auto row : it) {
                out.push_back(it.entity(row));
            }
        });
        return out;
    }

    kith::world world;
};

}  // namespace

TEST_SUITE("features.ordering.sort") {
    // spec 276
    // spec 278
    TEST_CASE_FIXTURE(fixture, "rows of several tables come in one order, as slices of tables") {
        for (int depth : {1, 3, 4, 10, 11}) {
            at(depth);
        }
        for (int depth : {5, 7}) {
            at(depth).add<Hot>();
        }
        at(8).add<Cold>();
        auto query = world.query_builder<const Depth>().order_by<Depth>(compare_depth).build();
        CHECK(slices(query) == "1 3 4 | 5 7 | 8 | 10 11 ");
        CHECK(text(query) == "1 3 4 5 7 8 10 11 ");
    }

    // spec 277
    TEST_CASE_FIXTURE(fixture, "changes show in the next run") {
        kith::entity a = at(3);
        kith::entity b = at(1);
        kith::entity c = at(2);
        auto query = world.query_builder<const Depth>().order_by<Depth>(compare_depth).build();
        CHECK(text(query) == "1 2 3 ");
        a.set(Depth{0});
        CHECK(text(query) == "0 1 2 ");
        at(-5);
        CHECK(text(query) == "-5 0 1 2 ");
        b.destruct();
        CHECK(text(query) == "-5 0 2 ");
        c.remove<Depth>();
        CHECK(text(query) == "-5 0 ");
        a.add<Hot>();
        CHECK(text(query) == "-5 0 ");
        a.set(Depth{-9}).add<Cold>();
        CHECK(text(query) == "-9 -5 ");
        a.get_mut<Depth>()->value = 7;
        a.modified<Depth>();
        CHECK(text(query) == "-5 7 ");
        world.defer_begin();
        a.set(Depth{-6});
        at(6);
        world.defer_end();
        CHECK(text(query) == "-6 -5 6 ");
    }

    // spec 277
    TEST_CASE_FIXTURE(fixture, "nothing is compared before a run, nor if nothing has changed") {
        int calls = 0;
        auto taken = [&] { return std::exchange(calls, 0); };
        constexpr int rows = 256;
        std::vector<kith::entity> made;
        for (int i = 0; i < rows; ++i) {
            made.push_back(at((i * 77) % rows));
        }
        auto query =
            world.query_builder<const Depth>()
                .order_by<Depth>([&](kith::entity_t, const Depth* a, kith::entity_t,
                                     const Depth* b) { return ++calls, a->value - b->value; })
                .build();
        CHECK(taken() == 0);
        CHECK(query.first().get<Depth>()->value == 0);
        const int all = taken();
        CHECK(all >= rows - 1);
        text(query);
        text(query.page(3, 5));
        made[0].add<Hot>().remove<Hot>();
        made[1].set(Weight{1}).remove<Weight>();
        CHECK(taken() == 0);
        made[5].set(Depth{-1});
        CHECK(taken() == 0);
        CHECK(query.first() == made[5]);
        const int one = taken();
        CHECK(one > 0);
        CHECK(one < all / 10);
        text(query);
        CHECK(taken() == 0);
    }

    TEST_CASE_FIXTURE(fixture, "a comparison that returns bool says what comes first") {
        for (int depth : {2, 3, 1, 5, 4, 3}) {
            at(depth);
        }
        auto less = [](kith::entity_t, const Depth* a, kith::entity_t, const Depth* b) {
            return a->value < b->value;
        };
        bool down = true;
        auto either = [&down](kith::entity_t, const Depth* a, kith::entity_t, const Depth* b) {
            return down ? b->value < a->value : a->value < b->value;
        };
        auto untyped = [](kith::entity_t, const void* a, kith::entity_t, const void* b) {
            return static_cast<const Depth*>(a)->value < static_cast<const Depth*>(b)->value;
        };
        auto depths = [](const auto& query) {
            std::string out;
            query.each([&](const Depth& depth) { out += std::to_string(depth.value); });
            return out;
        };
        auto builder = [&] { return world.query_builder<const Depth>(); };
        CHECK(depths(builder().order_by<Depth>(less).build()) == "123345");
        CHECK(depths(builder().order_by_desc<Depth>(less).build()) == "543321");
        CHECK(depths(builder().order_by<Depth>(either).build()) == "543321");
        CHECK(depths(builder().order_by(world.id<Depth>(), untyped).build()) == "123345");
    }

    TEST_CASE_FIXTURE(fixture, "a few of many rows come, go and move") {
        constexpr int rows = 300;
        std::vector<kith::entity> made;
        for (int i = 0; i < rows; ++i) {
            made.push_back(at((i * 77) % rows));
            if (i % 3 == 0) {
                made.back().add<Hot>();
            }
        }
        auto by_member = world.query_builder<const Depth>().order_by(&Depth::value).build();
        auto by_function =
            world.query_builder<const Depth>().order_by_desc<Depth>(compare_depth).build();
        auto check = [&] {
            std::vector<kith::entity_t> expected = entities(world.query<const Depth>());
            std::sort(expected.begin(), expected.end(), [&](kith::entity_t a, kith::entity_t b) {
                return *world.entity(a).get<Depth>() < *world.entity(b).get<Depth>();
            });
            CHECK(entities(by_member) == expected);
            std::reverse(expected.begin(), expected.end());
            CHECK(entities(by_function) == expected);
        };
        check();
        made[3].destruct();
        made[100].destruct();
        check();
        made[200].remove<Hot>().add<Hot>();
        made[7].add<Cold>();  // a table that is new
        made[8].add<Hot>();
        check();
        at(1000);
        at(-1000).add<Hot>();
        made[8].set(Depth{500});
        check();
        made[7].destruct();
        made[9].remove<Hot>().set(Depth{600});
        check();
    }

    // spec 283
    TEST_CASE_FIXTURE(fixture, "a run that writes what it is sorted by is sorted anew") {
        for (int i = 0; i < 20; ++i) {
            at(i);
        }
        auto query = world.query_builder<const Depth>().order_by<Depth>(compare_depth).build();
        auto turn = world.query_builder<Depth>().order_by<Depth>(compare_depth).build();
        CHECK(query.first().get<Depth>()->value == 0);
        turn.each([](Depth& depth) { depth.value = 100 - depth.value; });
        CHECK(query.first().get<Depth>()->value == 81);
        CHECK(turn.first().get<Depth>()->value == 81);
    }

    // spec 285
    TEST_CASE_FIXTURE(fixture, "a sorted query tells what changed") {
        kith::entity a = at(2);
        kith::entity b = at(1).add<Hot>();
        auto query = world.query_builder<const Depth>().order_by<Depth>(compare_depth).build();
        auto changed = [&] {
            std::string out;
            query.iter([&](kith::iter& it) {
                for (auto row : it) {
                    out += it.changed() ? std::to_string(it.field<const Depth>(1)[row].value) + " "
                                        : "";
                }
            });
            return out;
        };
        CHECK(query.changed());
        CHECK(changed() == "1 2 ");
        CHECK(!query.changed());
        CHECK(changed() == "");
        b.set(Depth{3});
        CHECK(query.changed());
        CHECK(changed() == "3 ");
        a.set(Depth{9});
        CHECK(text(query) == "3 9 ");
        CHECK(!query.changed());
    }

    // spec 279
    TEST_CASE_FIXTURE(fixture, "by entity, whatever the values") {
        kith::entity a = at(3);
        kith::entity b = at(2).add<Hot>();
        kith::entity c = at(1);
        int calls = 0;
        auto query = world.query_builder<Depth>()
                         .order_by(0,
                                   [&](kith::entity_t e1, const void* v1, kith::entity_t e2,
                                       const void* v2) {
                                       ++calls;
                                       return compare_entities(e1, v1, e2, v2);
                                   })
                         .build();
        auto down = world.query_builder<Depth>().order_by(0, compare_entities_down).build();
        CHECK(entities(query) == std::vector<kith::entity_t>{a, b, c});
        CHECK(entities(down) == std::vector<kith::entity_t>{c, b, a});
        CHECK(std::exchange(calls, 0) > 0);
        a.set(Depth{9});
        CHECK(entities(query) == std::vector<kith::entity_t>{a, b, c});
        CHECK(calls == 0);
        a.destruct();
        kith::entity d = at(0);
        CHECK(entities(query).size() == 3);
        CHECK(entities(down).size() == 3);
        CHECK((entities(query).front() == d || entities(query).back() == d));
    }

    // spec 280
    TEST_CASE_FIXTURE(fixture, "by a component that is known at run time") {
        at(2);
        at(1);
        kith::entity id = world.component<Depth>();
        auto query =
            world.query_builder<>()
                .term(id)
                .in()
                .order_by(id,
                          [](kith::entity_t, const void* a, kith::entity_t, const void* b) {
                              return static_cast<const Depth*>(a)->value -
                                     static_cast<const Depth*>(b)->value;
                          })
                .build();
        CHECK(slices(query) == "1 | 2 ");
    }

    // spec 281
    TEST_CASE_FIXTURE(fixture, "by a component that is found by traversal: whole tables") {
        kith::entity deep = world.entity().set(Depth{2});
        kith::entity high = world.entity().set(Depth{1});
        kith::entity base = world.prefab().set(Depth{0});
        std::vector<kith::entity_t> expected;
        for (int i = 0; i < 3; ++i) {
            world.entity().add<Hot>().child_of(deep);
        }
        for (int i = 0; i < 3; ++i) {
            world.entity().add<Hot>().child_of(high);
        }
        auto query = world.query_builder<>()
                         .term<Hot>()
                         .term<const Depth>()
                         .parent()
                         .instanced()
                         .order_by<Depth>(compare_depth)
                         .build();
        std::string out;
        auto read = [&](const auto& of) {
            out.clear();
            of.iter([&](kith::iter& it) {
                out += std::to_string(*static_cast<const int*>(it.field(2))) + "x" +
                       std::to_string(it.count()) + " ";
            });
            return out;
        };
        CHECK(read(query) == "1x3 2x3 ");
        deep.set(Depth{-1});
        CHECK(read(query) == "-1x3 1x3 ");
        auto inherited = world.query_builder<>()
                             .term<Cold>()
                             .term<const Depth>()
                             .instanced()
                             .order_by_desc<Depth>(compare_depth)
                             .build();
        world.entity().is_a(base).add<Cold>();
        world.entity().is_a(base).add<Cold>();
        at(5).add<Cold>();
        CHECK(read(inherited) == "5x1 0x2 ");
        base.set(Depth{9});
        CHECK(read(inherited) == "9x2 5x1 ");
    }

    TEST_CASE_FIXTURE(fixture, "a row whose value comes from another parent changes its place") {
        std::vector<kith::entity> parents;
        std::vector<kith::entity> children;
        for (int i = 0; i < 3; ++i) {
            parents.push_back(world.entity().set(Weight{static_cast<float>(i)}));
            children.push_back(at(i).set(Weight{8}).child_of(parents.back()));
        }
        auto query = world.query_builder<const Depth>()
                         .term<const Weight>()
                         .up(kith::ChildOf)
                         .order_by(&Weight::grams)
                         .build();
        (void)query.changed();
        CHECK(text(query) == "0 1 2 ");
        children[0].child_of(parents[2]);
        CHECK(text(query) == "1 0 2 ");
        children[2].child_of(parents[0]);
        CHECK(text(query) == "2 1 0 ");
    }

    TEST_CASE_FIXTURE(fixture, "another source with the same value counts from then on") {
        kith::entity first = world.entity().set(Weight{1});
        kith::entity second = world.entity().set(Weight{1});
        kith::entity child = at(0).child_of(first);
        at(1).child_of(world.entity().set(Weight{2}));
        auto query = world.query_builder<const Depth>()
                         .term<const Weight>()
                         .up(kith::ChildOf)
                         .order_by(&Weight::grams)
                         .build();
        (void)query.changed();
        CHECK(text(query) == "0 1 ");
        child.child_of(second);
        CHECK(text(query) == "0 1 ");
        first.set(Weight{3});
        CHECK(text(query) == "0 1 ");
        child.child_of(first);
        CHECK(text(query) == "1 0 ");
    }

    TEST_CASE_FIXTURE(fixture, "a value that no longer hides an inherited one changes the place") {
        world.component<Weight>().add(kith::Sparse);
        kith::entity base = world.prefab().set(Weight{5});
        kith::entity instance = at(0).is_a(base).set(Weight{0});
        at(1).set(Weight{1});
        auto query =
            world.query_builder<const Depth, const Weight>().order_by(&Weight::grams).build();
        (void)query.changed();
        auto depths = [&] {
            std::string out;
            query.each([&](const Depth& depth, const Weight&) {
                out += std::to_string(depth.value) + " ";
            });
            return out;
        };
        CHECK(depths() == "0 1 ");
        instance.remove<Weight>();
        CHECK(depths() == "1 0 ");
    }

    TEST_CASE_FIXTURE(fixture, "a row whose value comes from another variable changes its place") {
        kith::entity near = world.entity().add(kith::Sparse).add(kith::Exclusive);
        std::vector<kith::entity> places;
        std::vector<kith::entity> made;
        for (int i = 0; i < 3; ++i) {
            places.push_back(world.entity().set(Weight{static_cast<float>(i)}));
            made.push_back(at(i).set(Weight{9}).add(near, places.back()));
        }
        auto query = world.query_builder<const Depth>()
                         .term<const Weight>()
                         .src("$x")
                         .with(near, "$x")
                         .order_by(&Weight::grams)
                         .build();
        CHECK(text(query) == "0 1 2 ");
        made[0].add(near, places[2]);
        CHECK(text(query) == "1 0 2 ");
    }

    // spec 282
    TEST_CASE_FIXTURE(fixture, "two orders do not disturb each other, nor the tables") {
        std::vector<kith::entity_t> made;
        for (int i = 0; i < 10; ++i) {
            made.push_back(at((i * 7) % 10));
        }
        auto up = world.query_builder<const Depth>().order_by<Depth>().build();
        auto down = world.query_builder<const Depth>().order_by_desc<Depth>(compare_depth).build();
        auto plain = world.query_builder<const Depth>().build();
        CHECK(text(up) == "0 1 2 3 4 5 6 7 8 9 ");
        CHECK(text(down) == "9 8 7 6 5 4 3 2 1 0 ");
        CHECK(text(up) == "0 1 2 3 4 5 6 7 8 9 ");
        CHECK(entities(plain) == made);
    }

    TEST_CASE_FIXTURE(fixture, "by functions with captures, which live as long as the query") {
        auto state = std::make_shared<int>(1);
        for (int depth : {3, 1, 2}) {
            at(depth);
        }
        auto compare = [state](kith::entity_t, const Depth* a, kith::entity_t, const Depth* b) {
            return *state * (a->value - b->value);
        };
        kith::query<const Depth> query;
        {
            auto builder = world.query_builder<const Depth>().order_by<Depth>(compare);
            auto copy = builder;
            query = copy.build();
        }
        CHECK(slices(query) ==
              slices(world.query_builder<const Depth>().order_by<Depth>(compare_depth).build()));
        CHECK(state.use_count() == 3);  // this, the lambda, the query
        query.destruct();
        CHECK(state.use_count() == 2);
        *state = -1;
        auto downward =
            world.query_builder<const Depth>()
                .order_by(world.id<Depth>(),
                          [state](kith::entity_t, const void* a, kith::entity_t, const void* b) {
                              return *state * (static_cast<const Depth*>(a)->value -
                                               static_cast<const Depth*>(b)->value);
                          })
                .build();
        CHECK(downward.first().get<Depth>()->value == 3);
    }

    TEST_CASE_FIXTURE(fixture, "a function with captures that throws leaves the query as it was") {
        at(2);
        at(1);
        bool fails = true;
        auto query = world.query_builder<const Depth>()
                         .order_by<Depth>([&fails](kith::entity_t, const Depth* a, kith::entity_t,
                                                   const Depth* b) {
                             if (fails) {
                                 throw std::runtime_error("no");
                             }
                             return a->value - b->value;
                         })
                         .build();
        CHECK_THROWS_WITH(query.first(), "no");
        fails = false;
        CHECK(query.first().get<Depth>()->value == 1);
    }

    // spec 284
    TEST_CASE_FIXTURE(fixture, "by several keys, and stable") {
        for (int i = 0; i < 12; ++i) {
            kith::entity e = at(i % 2).set(Weight{static_cast<float>(i % 3)});
            if (i % 4 == 0) {
                e.add<Hot>();
            }
        }
        auto query = world.query_builder<const Depth, const Weight>()
                         .order_by<Depth>(compare_depth)
                         .order_by_desc(&Weight::grams)
                         .build();
        std::string out;
        query.each([&](const Depth& depth, const Weight& weight) {
            out +=
                std::to_string(depth.value) + std::to_string(static_cast<int>(weight.grams)) + " ";
        });
        CHECK(out == "02 02 01 01 00 00 12 12 11 11 10 10 ");
        auto equal = world.query_builder<const Depth>()
                         .order_by<Depth>([](kith::entity_t, const Depth*, kith::entity_t,
                                             const Depth*) { return 0; })
                         .build();
        auto plain = world.query_builder<const Depth>().build();
        CHECK(entities(equal) == entities(plain));
        at(0);
        CHECK(entities(equal) == entities(plain));
    }

    TEST_CASE_FIXTURE(fixture, "numbers of all types, and members") {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        const double inf = std::numeric_limits<double>::infinity();
        for (double share : {3.5, -1.0, nan, 0.0, -0.0, inf, -inf, 1e-300}) {
            world.entity().set(Score{share <= -1 ? -5 : 4,
                                     static_cast<std::uint8_t>(share > 0 ? 200 : 100), share});
        }
        auto shares = [&](const auto& query) {
            std::vector<double> out;
            query.each([&](const Score& score) { out.push_back(score.share); });
            return out;
        };
        std::vector<double> up =
            shares(world.query_builder<const Score>().order_by(&Score::share).build());
        CHECK(std::vector<double>(up.begin(), up.end() - 1) ==
              std::vector<double>{-inf, -1.0, 0.0, -0.0, 1e-300, 3.5, inf});
        CHECK(std::isnan(up.back()));
        CHECK(!std::signbit(up[2]));  // equal numbers stay as they were
        std::vector<double> down =
            shares(world.query_builder<const Score>().order_by_desc(&Score::share).build());
        CHECK(std::isnan(down.front()));
        CHECK(down[1] == inf);
        CHECK(shares(world.query_builder<const Score>().order_by<Score>().build()).front() == -1.0);
        CHECK(shares(world.query_builder<const Score>().order_by(&Score::level).build()).back() ==
              1e-300);
        CHECK(shares(world.query_builder<const Score>().order_by(&Score::points).build()).front() ==
              -1.0);
    }

    TEST_CASE_FIXTURE(fixture, "by values that are no plain bytes") {
        for (const char* name : {"pear", "apple", "fig"}) {
            world.entity().set(Label{name});
        }
        auto query = world.query_builder<const Label>().order_by(&Label::text).build();
        auto read = [&] {
            std::string out;
            query.each([&](const Label& label) { out += label.text + " "; });
            return out;
        };
        CHECK(read() == "apple fig pear ");
        query.first().set(Label{"zebra, which is too long for a small text"});
        CHECK(read() == "fig pear zebra, which is too long for a small text ");
    }

    TEST_CASE_FIXTURE(fixture, "by sparse components, pairs and optional terms") {
        world.component<Weight>().add(kith::Sparse);
        kith::entity apple = world.entity();
        for (int i = 0; i < 6; ++i) {
            world.entity()
                .set(Weight{static_cast<float>((i * 5) % 6)})
                .set<Eats>(apple, Eats{5 - i});
        }
        auto weights = world.query_builder<const Weight>()
                           .order_by<Weight>([](kith::entity_t, const Weight* a, kith::entity_t,
                                                const Weight* b) {
                               return (a->grams > b->grams) - (a->grams < b->grams);
                           })
                           .build();
        auto read = [&](const auto& query) {
            std::string out;
            query.each([&](const Weight& weight) {
                out += std::to_string(static_cast<int>(weight.grams)) + " ";
            });
            return out;
        };
        CHECK(read(weights) == "0 1 2 3 4 5 ");
        weights.first().set(Weight{9});
        CHECK(read(weights) == "1 2 3 4 5 9 ");
        auto amounts = [&](const auto& query) {
            std::string out;
            query.iter([&](kith::iter& it) {
                for (auto row : it) {
                    out += std::to_string(it.field<const Eats>(1)[row].amount) + " ";
                }
            });
            return out;
        };
        auto pairs =
            world.query_builder<>()
                .term<Eats>(apple.id())
                .in()
                .order_by(kith::make_pair(world.component<Eats>(), apple),
                          [](kith::entity_t, const void* a, kith::entity_t, const void* b) {
                              return static_cast<const Eats*>(a)->amount -
                                     static_cast<const Eats*>(b)->amount;
                          })
                .build();
        CHECK(amounts(pairs) == "0 1 2 3 4 5 ");
        kith::entity fig = world.entity();
        world.entity().set<Eats>(fig, Eats{3}).set<Eats>(apple, Eats{9});
        auto any = world.query_builder<>()
                       .term<Eats>(kith::Wildcard)
                       .in()
                       .order_by_desc(&Eats::amount)
                       .build();
        CHECK(amounts(any) == "9 5 4 3 3 2 1 0 ");

        at(1);
        at(3).set(Score{2});
        at(2).set(Score{1});
        auto maybe = world.query_builder<const Depth, const Score*>().order_by<Score>().build();
        CHECK(slices(maybe) == "1 | 2 | 3 ");
    }

    // spec 289
    TEST_CASE_FIXTURE(fixture, "groups come first, sorted inside") {
        kith::entity region = world.component<Region>();
        bool links = false;
        SUBCASE("of tables") {
            links = false;
        }
        SUBCASE("of rows") {
            links = true;
        }
        if (links) {
            region.add(kith::Sparse);
        }
        kith::entity a = world.entity();
        kith::entity b = world.entity();
        for (int i = 0; i < 8; ++i) {
            at((i * 3) % 8).add(region, i % 2 ? a : b);
        }
        auto query =
            world.query_builder<const Depth>().order_by<Depth>().group_by<Region>().build();
        CHECK(text(query) == "1 3 5 7 0 2 4 6 ");
        CHECK(text(query.iter().set_group(b)) == "0 2 4 6 ");
        query.iter().set_group(b).find([](const Depth& d) { return d.value == 4; }).set(Depth{-1});
        CHECK(text(query.iter().set_group(b)) == "-1 0 2 6 ");
        CHECK(text(query) == "1 3 5 7 -1 0 2 6 ");
        CHECK(query.iter().set_group(12345).count() == 0);
        CHECK(text(query.iter().set_group(12345)) == "");
        query.iter([&](kith::iter& it) {
            CHECK(it.group_id() == (it.field<const Depth>(1)[0].value % 2 > 0 ? a.id() : b.id()));
        });
    }

    TEST_CASE_FIXTURE(fixture, "inside of the levels of a cascade") {
        kith::entity root = at(5);
        kith::entity child = at(4).child_of(root);
        at(1).child_of(child);
        at(0).child_of(child);
        at(2).child_of(root);
        auto query = world.query_builder<const Depth, const Depth*>()
                         .term_at(2)
                         .cascade(kith::ChildOf)
                         .order_by<Depth>()
                         .build();
        std::string out;
        query.iter([&](kith::iter& it) {
            for (auto row : it) {
                out += std::to_string(it.group_id()) + ":" +
                       std::to_string(it.field<const Depth>(1)[row].value) + " ";
            }
        });
        CHECK(out == "0:5 1:2 1:4 2:0 2:1 ");
    }

    TEST_CASE_FIXTURE(fixture, "given rows are sorted inside of the levels of a cascade") {
        kith::entity child = at(0);
        kith::entity root = at(3);
        kith::entity other = at(1).child_of(root);
        child.child_of(root);
        at(2);
        auto query = world.query_builder<const Depth, const Depth*>()
                         .term_at(2)
                         .cascade(kith::ChildOf)
                         .order_by<Depth>()
                         .build();
        const kith::table_range all(child.table(), 0, 4);
        CHECK(entities(query.iter().set_var(0, all)) == entities(query));
        CHECK(entities(query.iter().set_var(0, all).set_group(1)) ==
              std::vector<kith::entity_t>{child, other});
    }

    TEST_CASE_FIXTURE(fixture, "with pages, workers, first, find, count, next and given rows") {
        for (int i = 0; i < 9; ++i) {
            at((i * 5) % 9);
        }
        bool cached = true;
        SUBCASE("cached") {
            cached = true;
        }
        SUBCASE("uncached") {
            cached = false;
        }
        auto builder = world.query_builder<const Depth>();
        auto query = (cached ? builder.cached() : builder.uncached()).order_by<Depth>().build();
        CHECK(text(query.page(2, 3)) == "2 3 4 ");
        CHECK(text(query.page(7, 100)) == "7 8 ");
        CHECK(text(query.page(20, 1)) == "");
        CHECK(text(query.worker(0, 2)) == "0 1 2 3 4 ");
        CHECK(text(query.worker(1, 2)) == "5 6 7 8 ");
        CHECK(query.first().get<Depth>()->value == 0);
        CHECK(query.find([](const Depth& d) { return d.value > 5; }).get<Depth>()->value == 6);
        CHECK(query.count() == 9);
        CHECK(query.is_true());
        std::string out;
        auto it = query.iter();
        while (it.next()) {
            for (auto row : *it) {
                out += std::to_string(it->field<const Depth>(1)[row].value) + " ";
            }
        }
        CHECK(out == "0 1 2 3 4 5 6 7 8 ");
        kith::entity one = query.first();
        CHECK(text(query.iter().set_var(0, one)) == "0 ");
        CHECK(text(query.iter().set_var(0, kith::table_range(one.table(), 0, 3))) == "0 1 5 ");
        CHECK(query.matches(one));
        // A callback that has seen enough.
        int seen = 0;
        query.each([&](const Depth&) { return ++seen < 3; });
        CHECK(seen == 3);
    }

    TEST_CASE_FIXTURE(fixture, "with variables and arguments") {
        kith::entity likes = world.entity();
        kith::entity a = world.entity();
        kith::entity b = world.entity();
        for (int i = 0; i < 6; ++i) {
            at((i * 5) % 6).add(likes, i % 2 ? a : b);
        }
        auto query = world.query_builder<const Depth>()
                         .with(likes)
                         .second()
                         .var("what")
                         .order_by<Depth>()
                         .build();
        CHECK(text(query) == "0 1 2 3 4 5 ");
        CHECK(text(query.iter().set_var("what", a)) == "1 3 5 ");
        query.iter([&](kith::iter& it) {
            CHECK(it.get_var("what") == (it.field<const Depth>(1)[0].value % 2 ? a : b));
        });
        auto open = world.query_builder<const Depth>()
                        .with(likes, kith::Wildcard)
                        .order_by_desc<Depth>()
                        .build();
        CHECK(text(open.bind(b.id())) == "4 2 0 ");
    }

    TEST_CASE_FIXTURE(fixture, "results without rows are sorted too") {
        kith::entity likes = world.entity();
        kith::entity a = at(2);
        kith::entity b = at(1);
        kith::entity sun = world.entity().add(likes, a).add(likes, b);
        auto query = world.rule_builder<>()
                         .term(likes)
                         .src(sun)
                         .second()
                         .var("what")
                         .term<const Depth>()
                         .src()
                         .var("what")
                         .order_by<Depth>()
                         .build();
        std::vector<kith::entity_t> seen;
        query.iter([&](kith::iter& it) { seen.push_back(it.get_var("what")); });
        CHECK(seen == std::vector<kith::entity_t>{b, a});
    }

    TEST_CASE_FIXTURE(fixture, "tables that come and go") {
        auto query = world.query_builder<const Depth>().order_by(&Depth::value).build();
        CHECK(text(query) == "");
        kith::entity a = at(2).add<Hot>();
        CHECK(text(query) == "2 ");
        at(1).add<Cold>();
        CHECK(text(query) == "1 2 ");
        a.destruct();
        world.shrink();
        CHECK(text(query) == "1 ");
        at(3).add(world.entity());
        at(0).add(world.entity());
        CHECK(text(query) == "0 1 3 ");
    }

    TEST_CASE_FIXTURE(fixture, "a function that throws is reported, and the query stays usable") {
        static int left;
        for (int i = 0; i < 50; ++i) {
            at((i * 7) % 50);
        }
        auto query = world.query_builder<const Depth>()
                         .order_by<Depth>([](kith::entity_t e1, const Depth* a, kith::entity_t e2,
                                             const Depth* b) {
                             if (left-- == 0) {
                                 throw std::runtime_error("no order");
                             }
                             return compare_depth(e1, a, e2, b);
                         })
                         .build();
        for (int after : {0, 1, 20, 100}) {
            left = after;
            CHECK_THROWS_AS(text(query), std::runtime_error);
        }
        left = -1;
        CHECK(query.first().get<Depth>()->value == 0);
        query.first().set(Depth{100});
        left = 3;
        CHECK_THROWS_AS(text(query), std::runtime_error);
        left = -1;
        CHECK(query.first().get<Depth>()->value == 1);
    }

    TEST_CASE_FIXTURE(fixture, "a function that is no order gives some permutation") {
        std::vector<bool> seen(300);
        for (int i = 0; i < 300; ++i) {
            at(i);
        }
        static std::uint32_t state;
        state = 1;
        auto query =
            world.query_builder<const Depth>()
                .order_by<Depth>([](kith::entity_t, const Depth*, kith::entity_t, const Depth*) {
                    state = state * 1664525u + 1013904223u;
                    return static_cast<int>(state >> 30) - 1;
                })
                .build();
        for (int round = 0; round < 3; ++round) {
            std::fill(seen.begin(), seen.end(), false);
            int count = 0;
            query.each([&](const Depth& d) {
                CHECK(!seen[static_cast<std::size_t>(d.value)]);
                seen[static_cast<std::size_t>(d.value)] = true;
                ++count;
            });
            CHECK(count == 300);
            query.first().modified<Depth>();
            query.first().set(Depth{query.first().get<Depth>()->value});
        }
    }

    TEST_CASE_FIXTURE(fixture, "a function cannot change the tables, nor run its own query") {
        static kith::world* in;
        static kith::query<const Depth>* own;
        in = &world;
        at(1);
        at(2);
        auto changes =
            world.query_builder<const Depth>()
                .order_by<Depth>([](kith::entity_t, const Depth*, kith::entity_t, const Depth*) {
                    in->entity().set(Depth{7});
                    return 0;
                })
                .build();
        CHECK(error_of([&] { text(changes); }) == kith::errc::locked);
        CHECK(world.count<Depth>() == 2);
        auto runs =
            world.query_builder<const Depth>()
                .order_by<Depth>([](kith::entity_t, const Depth*, kith::entity_t, const Depth*) {
                    own->each([](const Depth&) {});
                    return 0;
                })
                .build();
        own = &runs;
        CHECK(message_of([&] { text(runs); }) ==
              "a function that compares the results of a query cannot run that query");
    }

    TEST_CASE_FIXTURE(fixture, "a run inside of a run sorts anew, the outer one goes on") {
        for (int i = 0; i < 5; ++i) {
            at(i);
        }
        auto query = world.query_builder<const Depth>().order_by<Depth>().build();
        std::string outer;
        query.each([&](kith::entity e, const Depth& depth) {
            outer += std::to_string(depth.value) + " ";
            if (depth.value == 0) {
                e.set(Depth{50});
                CHECK(text(query) == "1 2 3 4 50 ");
            }
        });
        CHECK(outer == "0 1 2 3 4 ");
    }

    TEST_CASE_FIXTURE(fixture, "explain tells of the order") {
        auto query = world.query_builder<const Depth>()
                         .group_by(kith::ChildOf)
                         .order_by_desc(&Depth::value)
                         .order_by(0, compare_entities)
                         .build();
        const std::string told = query.explain().c_str();
        CHECK(told.find("group        by the target of ") != std::string::npos);
        CHECK(told.find("Depth, descending\nsort         by entity\nyield        sorted run\n") !=
              std::string::npos);
    }

    TEST_CASE_FIXTURE(fixture, "a member must be inside of the values") {
        at(2);
        at(1);
        kith::term_desc term;
        term.id = world.id<Depth>();
        term.inout = kith::In;
        kith::order_desc by;
        by.component = term.id;
        kith::query_desc desc;
        desc.terms = &term;
        desc.count = 1;
        desc.order_by = &by;
        desc.order_by_count = 1;
        auto build = [&] { world.query(desc); };
        by.number = kith::order_number::i32;
        CHECK(world.query(desc).first().get<Depth>()->value == 1);
        for (std::uint32_t offset : {1u, 4u, 40000000u, 0xFFFFFFFFu}) {
            by.offset = offset;
            CHECK(refusal(world, build) == kith::errc::invalid_query);
        }
        by.offset = 0;
        by.number = kith::order_number::f64;
        CHECK(message_of(build) == "order_by: the member is not inside of the values of Depth");
        by.number = kith::order_number::none;
        by.compare = [](kith::entity_t, const void*, kith::entity_t, const void*) { return 0; };
        by.offset = 4;
        CHECK(refusal(world, build) == kith::errc::invalid_query);
        by.offset = 0;
        CHECK(world.query(desc).count() == 2);
    }

    TEST_CASE_FIXTURE(fixture, "a member needs a type") {
        kith::term_desc term;
        term.id = kith::make_pair(kith::Wildcard, world.entity());
        term.inout = kith::In;
        kith::order_desc by;
        by.component = term.id;
        by.number = kith::order_number::i32;
        kith::query_desc desc;
        desc.terms = &term;
        desc.count = 1;
        desc.order_by = &by;
        desc.order_by_count = 1;
        CHECK(refusal(world, [&] { world.query(desc); }) == kith::errc::invalid_query);
        by.type = kith::index_of(world.id<Depth>());
        CHECK(world.query(desc).count() == 0);
    }

    TEST_CASE_FIXTURE(fixture, "mistakes are refused") {
        CHECK(message_of([&] {
                  world.query_builder<const Weight>().order_by<Depth>(compare_depth).build();
              }).find("order_by: the query has no term for ") == 0);
        CHECK(refusal(world, [&] {
                  world.query_builder<const Weight>().without<Depth>().order_by<Depth>().build();
              }) == kith::errc::invalid_query);
        CHECK(message_of([&] {
                  world.query_builder<const Depth>()
                      .term<Hot>()
                      .order_by(world.component<Hot>(), compare_entities)
                      .build();
              }).find("is a tag, and has no values") != std::string::npos);
        CHECK(message_of([&] { world.query_builder<Depth>().order_by(0, nullptr).build(); }) ==
              "order_by: there is no function to compare with");
        CHECK(refusal(world, [&] {
                  world.query_builder<const Weight>()
                      .scope_open()
                      .not_()
                      .with<Depth>()
                      .scope_close()
                      .order_by<Depth>()
                      .build();
              }) == kith::errc::invalid_query);
        auto builder = world.query_builder<Depth>();
        for (int i = 0; i < 8; ++i) {
            builder.order_by<Depth>();
        }
        CHECK(error_of([&] { builder.order_by<Depth>(); }) == kith::errc::limit);
    }
}
