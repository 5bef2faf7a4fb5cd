// Groups: by target, by function, of tables and of rows.
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"

#include <stdexcept>
#include <string>
#include <vector>

using namespace kith_test;

namespace {

struct Region {};

struct fixture {
    fixture() { register_all(world); }

    // How the relationship is stored.
    enum storage { in_tables, sparse, one_target };
    void store(storage how) {
        if (how == sparse) {
            region.add(kith::Sparse);
        } else if (how == one_target) {
            region.add(kith::Sparse).add(kith::Exclusive);
        }
    }
    // Every way to store it, with cached queries and without. True: cached.
    bool choose_storage() {
        bool cached = true;
        SUBCASE("in tables") {
            store(in_tables);
        }
        SUBCASE("in tables, uncached") {
            store(in_tables);
            cached = false;
        }
        SUBCASE("sparse") {
            store(sparse);
        }
        SUBCASE("sparse, uncached") {
            store(sparse);
            cached = false;
        }
        SUBCASE("sparse and exclusive") {
            store(one_target);
        }
        SUBCASE("sparse and exclusive, uncached") {
            store(one_target);
            cached = false;
        }
        return cached;
    }
    kith::entity unit(int x, kith::entity in = {}) {
        kith::entity made = world.entity();
        return (in ? made.add(region, in) : made).set(Position{x, 0});
    }

    // `group:x` for each row, in order.
    template <class Query>
    static std::string text(const Query& query) {
        std::string out;
        query.iter([&](kith::iter& it) {
            auto values = it.field<const Position>(1);
            for (auto row : it) {
                out += std::to_string(it.group_id() & 0xFFFFFFFF) + ":" +
                       std::to_string(values[row].x) + " ";
            }
        });
        return out;
    }
    static std::string index(kith::entity_t of) { return std::to_string(of & 0xFFFFFFFF); }

    kith::world world;
    kith::entity region = world.component<Region>();
    kith::entity a = world.entity();
    kith::entity b = world.entity();
    kith::entity c = world.entity();
};

std::uint64_t by_tag(kith::world_t* world, kith::table_t* table, kith::id_t id, void* ctx) {
    ++*static_cast<int*>(ctx);
    return kith::table(world, table).has(id) ? 7 : 3;
}

struct log {
    std::string text;
    int contexts = 0;
};
void* created(kith::world_t*, std::uint64_t group, void* ctx) {
    log& to = *static_cast<log*>(ctx);
    to.text += "+" + std::to_string(group & 0xFFFFFFFF) + " ";
    ++to.contexts;
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(group));
}
void deleted(kith::world_t*, std::uint64_t group, void* group_ctx, void* ctx) {
    log& to = *static_cast<log*>(ctx);
    CHECK(reinterpret_cast<std::uintptr_t>(group_ctx) == group);
    to.text += "-" + std::to_string(group & 0xFFFFFFFF) + " ";
    --to.contexts;
}

}  // namespace

TEST_SUITE("features.ordering.group") {
    // spec 287
    // spec 288
    TEST_CASE_FIXTURE(fixture,
                      "groups come in the order of their targets, however they are stored") {
        const bool cached = choose_storage();
        unit(1, c);
        unit(2, a);
        unit(3);
        unit(4, b);
        unit(5, a);
        auto builder = world.query_builder<const Position>();
        auto query = (cached ? builder.cached() : builder.uncached()).group_by<Region>().build();
        CHECK(text(query) ==
              "0:3 " + index(a) + ":2 " + index(a) + ":5 " + index(b) + ":4 " + index(c) + ":1 ");
        CHECK(query.count() == 5);
        CHECK(query.first().get<Position>()->x == 3);
    }

    // spec 288
    TEST_CASE_FIXTURE(fixture, "the highest group comes first if that is asked for") {
        const bool cached = choose_storage();
        unit(1, a);
        unit(3);
        unit(4, b);
        unit(2, a);
        auto builder = world.query_builder<const Position>();
        builder.group_by_desc<Region>();
        auto query = (cached ? builder.cached() : builder.uncached()).build();
        CHECK(text(query) == index(b) + ":4 " + index(a) + ":1 " + index(a) + ":2 0:3 ");
        CHECK(text(builder.order_by_desc(&Position::x).build()) ==
              index(b) + ":4 " + index(a) + ":2 " + index(a) + ":1 0:3 ");
        int count = 0;
        query.iter().set_group(a).each([&](const Position&) { ++count; });
        CHECK(count == 2);
        CHECK(std::string(query.explain()).find("descending") != std::string::npos);
    }

    // spec 290
    TEST_CASE_FIXTURE(fixture, "one group is iterated by itself") {
        const bool cached = choose_storage();
        for (int i = 0; i < 6; ++i) {
            unit(i, i % 2 ? a : b);
        }
        unit(6);
        auto builder = world.query_builder<const Position>();
        auto query = (cached ? builder.cached() : builder.uncached()).group_by<Region>().build();
        CHECK(text(query.iter().set_group(a)) ==
              index(a) + ":1 " + index(a) + ":3 " + index(a) + ":5 ");
        CHECK(query.iter().set_group(b).count() == 3);
        CHECK(query.iter().set_group(0).count() == 1);
        CHECK(query.iter().set_group(c).count() == 0);
        CHECK(query.iter().set_group(12345678).count() == 0);
        int sum = 0;
        query.iter().set_group(b).each([&](const Position& p) { sum += p.x; });
        CHECK(sum == 6);
    }

    TEST_CASE_FIXTURE(fixture, "a target that a base has is no group of its instances") {
        const bool cached = choose_storage();
        kith::entity base = world.prefab().add(region, a);
        kith::entity instance = unit(1).is_a(base);
        CHECK(instance.target(region) == a);
        auto builder = world.query_builder<const Position>();
        auto query = (cached ? builder.cached() : builder.uncached()).group_by<Region>().build();
        CHECK(text(query) == "0:1 ");
        CHECK(query.iter().set_group(0).count() == 1);
        CHECK(query.iter().set_group(a).count() == 0);
    }

    TEST_CASE_FIXTURE(fixture, "parents are groups of rows") {
        kith::entity p1 = world.entity();
        kith::entity p2 = world.entity();
        unit(1).child_of(p2);
        unit(2).child_of(p1);
        unit(3).child_of(p2);
        auto query = world.query_builder<const Position>().group_by(kith::ChildOf).build();
        CHECK(text(query) == index(p1) + ":2 " + index(p2) + ":1 " + index(p2) + ":3 ");
        CHECK(text(query.iter().set_group(p2)) == index(p2) + ":1 " + index(p2) + ":3 ");
    }

    TEST_CASE_FIXTURE(fixture, "of several targets the first counts") {
        unit(1, b).add(region, a);
        unit(2, b);
        auto query = world.query_builder<const Position>().group_by<Region>().build();
        CHECK(text(query) == index(a) + ":1 " + index(b) + ":2 ");
        CHECK(query.iter().set_group(b).count() == 1);
    }

    TEST_CASE_FIXTURE(fixture, "a row that goes to another target changes its group") {
        SUBCASE("in tables") {
            store(in_tables);
        }
        SUBCASE("sparse") {
            store(one_target);
        }
        kith::entity e = unit(1, a);
        auto query = world.query_builder<const Position>().group_by<Region>().build();
        CHECK(query.iter().set_group(a).count() == 1);
        e.remove(region, a).add(region, b);
        CHECK(query.iter().set_group(a).count() == 0);
        CHECK(query.iter().set_group(b).count() == 1);
        CHECK(text(query) == index(b) + ":1 ");
    }

    // spec 286
    // spec 292
    TEST_CASE_FIXTURE(fixture, "a function is asked once for each table, with the id and context") {
        int asked = 0;
        unit(1).add<Hot>();
        unit(2);
        auto query = world.query_builder<const Position>()
                         .group_by<Hot>(by_tag)
                         .group_by_ctx(&asked)
                         .build();
        CHECK(text(query) == "3:2 7:1 ");
        const int before = asked;
        CHECK(text(query) == "3:2 7:1 ");
        unit(3);
        unit(4).add<Hot>();
        CHECK(text(query) == "3:2 3:3 7:1 7:4 ");
        CHECK(asked == before);
        unit(5).add<Cold>();
        CHECK(text(query) == "3:2 3:3 3:5 7:1 7:4 ");
        CHECK(asked == before + 1);
        CHECK(text(query.iter().set_group(7)) == "7:1 7:4 ");
    }

    TEST_CASE_FIXTURE(fixture, "a function that changes its mind is not asked again") {
        static int answer;
        answer = 1;
        unit(1);
        auto query = world.query_builder<const Position>()
                         .group_by(0, [](kith::world_t*, kith::table_t*, kith::id_t,
                                         void*) { return std::uint64_t(answer++); })
                         .build();
        const std::string first = text(query);
        CHECK(text(query) == first);
    }

    TEST_CASE_FIXTURE(fixture, "groups are told of when they come and go") {
        SUBCASE("in tables") {
            store(in_tables);
        }
        SUBCASE("sparse") {
            store(one_target);
        }
        log to;
        kith::entity e = unit(1, a);
        {
            auto query = world.query_builder<const Position>()
                             .group_by<Region>()
                             .group_by_ctx(&to)
                             .on_group_create(created)
                             .on_group_delete(deleted)
                             .build();
            CHECK(query.group_ctx(a) == reinterpret_cast<void*>(std::uintptr_t(a)));
            CHECK(to.text == "+" + index(a) + " ");
            CHECK(query.group_ctx(b) == nullptr);
            unit(2, b);
            text(query);
            CHECK(to.text == "+" + index(a) + " +" + index(b) + " ");
            e.destruct();
            a.destruct();
            world.shrink();
            text(query);
            CHECK(to.text == "+" + index(a) + " +" + index(b) + " -" + index(a) + " ");
            CHECK(to.contexts == 1);
        }
        CHECK(to.contexts == 0);
    }

    TEST_CASE("groups end with their world, contexts with their query") {
        static int freed;
        freed = 0;
        log to;
        kith::query<const Position> query;
        {
            kith::world world;
            world.entity().set(Position{});
            query = world.query_builder<const Position>()
                        .group_by<Region>()
                        .group_by_ctx(&to, [](void*) { ++freed; })
                        .on_group_create(created)
                        .on_group_delete(deleted)
                        .build();
            query.each([](const Position&) {});
        }
        CHECK(to.text == "+0 -0 ");
        CHECK(freed == 0);
        query.destruct();
        CHECK(freed == 1);
        CHECK(to.text == "+0 -0 ");
    }

    TEST_CASE_FIXTURE(fixture, "a table whose number is used again is asked anew") {
        int asked = 0;
        kith::entity e = unit(1).add<Hot>();
        auto query = world.query_builder<const Position>()
                         .group_by<Hot>(by_tag)
                         .group_by_ctx(&asked)
                         .build();
        CHECK(text(query) == "7:1 ");
        e.destruct();
        world.shrink();
        unit(2).add<Cold>();
        unit(3).add<Eats>();
        CHECK(text(query) == "3:2 3:3 ");
    }

    TEST_CASE_FIXTURE(fixture, "a function that throws is reported, and asked again") {
        static bool fails;
        fails = true;
        unit(1);
        bool cached = true;
        SUBCASE("cached") {
            cached = true;
        }
        SUBCASE("uncached") {
            cached = false;
        }
        auto builder = world.query_builder<const Position>();
        auto query =
            (cached ? builder.cached() : builder.uncached())
                .group_by(0,
                          [](kith::world_t*, kith::table_t*, kith::id_t, void*) -> std::uint64_t {
                              if (fails) {
                                  throw std::runtime_error("no group");
                              }
                              return 4;
                          })
                .build();
        CHECK_THROWS_AS(text(query), std::runtime_error);
        CHECK_THROWS_AS(text(query), std::runtime_error);
        fails = false;
        CHECK(text(query) == "4:1 ");
    }

    TEST_CASE_FIXTURE(fixture, "a run whose group function has thrown has no more results") {
        static bool fails;
        fails = true;
        unit(2).add<Hot>();
        unit(1);
        auto query =
            world.query_builder<const Position>()
                .uncached()
                .group_by(0,
                          [](kith::world_t*, kith::table_t*, kith::id_t, void*) -> std::uint64_t {
                              if (fails) {
                                  throw std::runtime_error("no group");
                              }
                              return 4;
                          })
                .build();
        auto run = query.iter();
        CHECK_THROWS_AS(run.next(), std::runtime_error);
        fails = false;
        CHECK_FALSE(run.next());
        CHECK(text(query) == "4:2 4:1 ");
    }

    TEST_CASE_FIXTURE(fixture, "a function that runs its own query is refused") {
        static kith::query<const Position>* own;
        unit(1);
        auto query = world.query_builder<const Position>()
                         .group_by(0,
                                   [](kith::world_t*, kith::table_t*, kith::id_t, void*) {
                                       own->each([](const Position&) {});
                                       return std::uint64_t{1};
                                   })
                         .build();
        own = &query;
        CHECK(message_of([&] { text(query); }) ==
              "a function that groups the results of a query cannot run that query");
    }

    TEST_CASE_FIXTURE(fixture, "a function that runs other queries and makes tables is fine") {
        static kith::world* in;
        in = &world;
        unit(1);
        // Each table that it makes asks again: it ends when the function stops making them.
        static int left;
        auto few = world.query_builder<const Position>()
                       .group_by(0,
                                 [](kith::world_t*, kith::table_t*, kith::id_t, void*) {
                                     if (left-- > 0) {
                                         in->entity().add(in->entity()).set(Position{9, 9});
                                     }
                                     return std::uint64_t(in->count<Position>() > 0);
                                 })
                       .build();
        left = 3;
        CHECK(few.count() == 1);
        CHECK(text(few) == "1:1 1:9 1:9 1:9 ");
    }

    // spec 291
    TEST_CASE_FIXTURE(fixture, "the group of a cascade is the depth") {
        kith::entity root = unit(0);
        kith::entity child = unit(1).child_of(root);
        unit(2).child_of(child);
        unit(3).child_of(root);
        auto query = world.query_builder<const Position, Position*>()
                         .term_at(2)
                         .cascade(kith::ChildOf)
                         .build();
        CHECK(text(query) == "0:0 1:1 1:3 2:2 ");
        CHECK(text(query.iter().set_group(1)) == "1:1 1:3 ");
        CHECK(text(query.iter().set_group(5)) == "");
        CHECK(query.iter().set_group(2).count() == 1);
    }

    TEST_CASE_FIXTURE(fixture, "given rows of a cascade come in the order of their depth") {
        kith::entity child = world.entity().set(Position{});
        kith::entity root = world.entity().set(Position{});
        child.child_of(root);
        auto query = world.query_builder<const Position, const Position*>()
                         .term_at(2)
                         .cascade(kith::ChildOf)
                         .build();
        std::vector<std::pair<kith::entity_t, std::uint64_t>> found;
        auto note = [&](kith::iter& it) {
            for (auto row : it) {
                found.push_back({it.entity(row), it.group_id()});
            }
        };
        query.iter().set_var(0, kith::table_range(child.table(), 0, 2)).iter(note);
        CHECK(found == decltype(found){{root, 0}, {child, 1}});
        found.clear();
        query.iter().set_var(0, child).iter(note);
        CHECK(found == decltype(found){{child, 1}});
        CHECK(query.iter().set_var(0, child).set_group(1).count() == 1);
        CHECK(query.iter().set_var(0, child).set_group(0).count() == 0);
        CHECK(query.matches(child));
    }

    TEST_CASE_FIXTURE(fixture, "groups come before depth") {
        kith::entity root = unit(0, b);
        kith::entity child = unit(1, a).child_of(root);
        unit(2, a).child_of(child);
        unit(3, b).child_of(child);
        unit(4, a);
        auto query = world.query_builder<const Position, Position*>()
                         .term_at(2)
                         .cascade(kith::ChildOf)
                         .group_by<Region>()
                         .build();
        const std::string in_a = index(a) + ":4 " + index(a) + ":1 " + index(a) + ":2 ";
        CHECK(text(query) == in_a + index(b) + ":0 " + index(b) + ":3 ");
        CHECK(text(query.iter().set_group(a)) == in_a);
    }

    TEST_CASE_FIXTURE(fixture, "groups combine with variables, sparse terms and fixed sources") {
        kith::entity likes = world.entity();
        kith::entity apple = world.entity();
        unit(1, b).add(likes, apple);
        unit(2, a).add(likes, apple).add(likes, c);
        unit(3, a);
        kith::entity sun = world.entity().add(likes, a).add(likes, b);
        auto pairs = world.query_builder<const Position>()
                         .with(likes)
                         .second()
                         .var("what")
                         .group_by<Region>()
                         .build();
        CHECK(text(pairs) == index(a) + ":2 " + index(a) + ":2 " + index(b) + ":1 ");
        CHECK(pairs.iter().set_var("what", apple).set_group(a).count() == 1);
        auto twice = world.query_builder<const Position>()
                         .with(likes, kith::Wildcard)
                         .src(sun)
                         .group_by<Region>()
                         .build();
        // The order of groups goes before that of what the sun likes.
        CHECK(text(twice).find(index(b)) > text(twice).rfind(index(a) + ":"));
        CHECK(twice.count() == 6);
    }

    TEST_CASE_FIXTURE(fixture, "groups combine with pages, workers, arguments and given rows") {
        SUBCASE("in tables") {
            store(in_tables);
        }
        SUBCASE("sparse") {
            store(sparse);
        }
        for (int i = 0; i < 6; ++i) {
            unit(i, i % 2 ? a : b);
        }
        auto query = world.query_builder<const Position>().group_by<Region>().build();
        CHECK(text(query.page(2, 2)) == index(a) + ":5 " + index(b) + ":0 ");
        CHECK(query.worker(0, 2).count() + query.worker(1, 2).count() == 6);
        kith::entity last = unit(6, c);
        CHECK(text(query.iter().set_var(0, last)) == index(c) + ":6 ");
        CHECK(query.iter().set_var(0, last).set_group(a).count() == 0);
        auto open = world.query_builder<const Position>()
                        .with(region, kith::Wildcard)
                        .group_by<Region>()
                        .build();
        CHECK(text(open.bind(a.id())) == index(a) + ":1 " + index(a) + ":3 " + index(a) + ":5 ");
        auto it = query.iter();
        it.set_group(b);
        int rows = 0;
        while (it.next()) {
            CHECK(it->group_id() == b);
            rows += static_cast<int>(it->count());
        }
        CHECK(rows == 3);
    }

    TEST_CASE_FIXTURE(fixture, "inherited components are found in their groups") {
        kith::entity base = world.prefab().set(Position{8, 0});
        world.entity().is_a(base).add(region, b);
        unit(1, a);
        auto query = world.query_builder<const Position>().group_by<Region>().build();
        CHECK(text(query) == index(a) + ":1 " + index(b) + ":8 ");
        CHECK(text(query.iter().set_group(b)) == index(b) + ":8 ");
    }

    TEST_CASE_FIXTURE(fixture, "prefabs and disabled entities stay out of groups") {
        SUBCASE("in tables") {
            store(in_tables);
        }
        SUBCASE("sparse") {
            store(sparse);
        }
        unit(1, a).disable();
        unit(2, a);
        auto query = world.query_builder<const Position>().group_by<Region>().build();
        CHECK(text(query.iter().set_group(a)) == index(a) + ":2 ");
    }

    // spec 293
    TEST_CASE_FIXTURE(fixture, "filters and rules have groups too") {
        unit(1, b);
        unit(2, a);
        auto filter = world.filter_builder<const Position>().group_by<Region>().build();
        auto rule = world.rule_builder<const Position>().group_by<Region>().build();
        CHECK(text(filter) == index(a) + ":2 " + index(b) + ":1 ");
        CHECK(text(rule) == text(filter));
    }

    TEST_CASE_FIXTURE(fixture, "mistakes are refused") {
        CHECK(message_of([&] { world.query_builder<Position>().group_by(0); }) ==
              "group_by: the relationship is the null entity (0), and there is no function");
        kith::entity gone = world.entity();
        gone.destruct();
        CHECK(refusal(world, [&] { world.query_builder<Position>().group_by(gone).build(); }) ==
              kith::errc::invalid_entity);
        CHECK(refusal(world, [&] {
                  world.query_builder<Position>().group_by(kith::make_pair(region, a)).build();
              }) == kith::errc::invalid_query);
        CHECK(refusal(world, [&] {
                  world.query_builder().term<Position>().src(a).group_by(region).build();
              }) == kith::errc::invalid_query);
        CHECK(refusal(world, [&] {
                  world.query_builder<Position>().on_group_create(created).build();
              }) == kith::errc::invalid_query);
        auto plain = world.query_builder<const Position>().build();
        CHECK(message_of([&] { plain.iter().set_group(1); }) ==
              "the query \"[in] kith_test.Position\" has no groups: it has neither group_by nor "
              "cascade");
        CHECK(message_of([&] { plain.group_ctx(1); }) ==
              "the query \"[in] kith_test.Position\" has no groups: it has neither group_by nor "
              "cascade");
    }

    TEST_CASE_FIXTURE(fixture, "callbacks that make and empty groups do not disturb the run") {
        for (int i = 0; i < 4; ++i) {
            unit(i, i % 2 ? a : c);
        }
        auto query = world.query_builder<const Position>().group_by<Region>().build();
        std::vector<int> seen;
        query.each([&](kith::entity, const Position& p) {
            seen.push_back(p.x);
            unit(100 + p.x, b).add(world.entity());
            query.count();
        });
        CHECK(seen == std::vector<int>{1, 3, 0, 2});
        CHECK(query.iter().set_group(b).count() == 4);
    }
}
