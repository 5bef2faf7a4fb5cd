// Lambdas with captures, also such as can only be moved or change themselves, wherever a callback
// is taken; and values that can be called.
#include <kith/kith.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace {

struct Position {
    int x;
};
struct Velocity {
    int x;
};
struct Likes {};
struct Team {};
struct Formula {
    int factor;
    int operator()(int x) const { return factor * x; }
};
struct Reset {
    int to;
    void operator()(Position& p) const { p.x = to; }
};
struct Action {
    std::function<void()> run;
};

int triple(int x) {
    return 3 * x;
}

}  // namespace

TEST_SUITE("features.idioms.callables") {
    TEST_CASE("callbacks that change their own state are taken everywhere") {
        kith::world world;
        kith::entity e =
            world.entity().set(Position{1}).set(Velocity{2}).add<Likes>(world.entity());
        int last = 0;
        auto count = [calls = 0, &last](const auto&...) mutable { last = ++calls; };
        auto bare = [calls = 0, &last]() mutable { last = ++calls; };
        e.each([calls = 0, &last](kith::id) mutable { last = ++calls; });
        CHECK(last == 3);
        e.each<Likes>([calls = 10, &last](kith::entity) mutable { last = ++calls; });
        CHECK(last == 11);
        e.match(kith::Wildcard, [calls = 0, &last](kith::id) mutable { last = ++calls; });
        CHECK(last == 2);
        e.get([calls = 20, &last](const Position&) mutable { last = ++calls; });
        CHECK(last == 21);
        e.set([calls = 30, &last](Position& p) mutable { p.x = last = ++calls; });
        CHECK(e.get<Position>()->x == 31);
        e.scope(bare);
        e.with(bare);
        world.defer(bare);
        world.scope(e, bare);
        world.with(e, bare);
        CHECK(last == 5);
        world.query<Position>().each_term(
            [calls = 40, &last](kith::term&) mutable { last = ++calls; });
        CHECK(last == 41);
        world.query<Position>().each([calls = 50, &last](Position&) mutable { last = ++calls; });
        CHECK(last == 51);
        world.query<Position>().iter([calls = 60, &last](kith::iter&) mutable { last = ++calls; });
        CHECK(last == 61);
        world.each<Position>(count);
        CHECK(last == 1);
    }

    TEST_CASE("callbacks that can only be moved are kept") {
        kith::world world;
        auto number = [](int value) { return std::make_unique<int>(value); };
        int sum = 0;
        world.component<Position>().on_set([kept = number(1), &sum](Position&) { sum += *kept; });
        world.observer<Position>().event(kith::OnAdd).each([kept = number(10), &sum](Position&) {
            sum += *kept;
        });
        auto query = world.query<Position>();
        auto watch = query.on_enter([kept = number(100), &sum](kith::iter&) { sum += *kept; });
        kith::entity e = world.entity().set(Position{1});
        CHECK(sum == 111);
        e.observe<Likes>([kept = number(1000), &sum](kith::entity) { sum += *kept; });
        e.emit<Likes>();
        CHECK(sum == 1111);
        world.observer<Velocity>()
            .event(kith::OnSet)
            .run([kept = number(2)](kith::iter_t* it) {
                for (int i = 0; i < *kept; ++i) {
                    it->call();
                }
            })
            .each([&](Velocity& v) { sum += v.x; });
        e.set(Velocity{5});
        CHECK(sum == 1121);
    }

    TEST_CASE("groups are made by functions with a state") {
        kith::world world;
        std::vector<std::uint64_t> made;
        std::vector<std::uint64_t> gone;
        std::uint64_t fast = 7;
        auto limit = std::make_unique<std::uint64_t>(fast);
        {
            auto query =
                world.query_builder<Position>()
                    .group_by([limit = std::move(limit)](kith::table t) mutable {
                        return t.has<Velocity>() ? *limit : 0;
                    })
                    .on_group_create([&](std::uint64_t group) { made.push_back(group); })
                    .on_group_delete([&](std::uint64_t group, void*) { gone.push_back(group); })
                    .build();
            kith::entity a = world.entity().set(Position{1}).set(Velocity{1});
            kith::entity b = world.entity().set(Position{2});
            std::vector<kith::entity> order;
            query.each([&](kith::entity e, Position&) { order.push_back(e); });
            CHECK(order == std::vector<kith::entity>{b, a});
            CHECK(query.iter().set_group(fast).count() == 1);
            CHECK(made == std::vector<std::uint64_t>{0, 7});
        }
        CHECK(gone.size() == 2);
    }

    TEST_CASE("functions about groups keep their full forms, and contexts") {
        kith::world world;
        int context = 5;
        int seen = 0;
        auto query = world.query_builder<Position>()
                         .group_by_desc<Team>(
                             [&](kith::world_t* raw, kith::table_t*, kith::id_t id, void* ctx) {
                                 CHECK(id == kith::world(raw).id<Team>());
                                 seen += *static_cast<int*>(ctx);
                                 return std::uint64_t{3};
                             })
                         .group_by_ctx(&context)
                         .on_group_create(
                             [&](kith::world_t*, std::uint64_t, void*) -> void* { return &seen; })
                         .build();
        world.entity().set(Position{1});
        query.each([](Position&) {});
        CHECK(seen == 5);
        CHECK(query.group_ctx(3) == &seen);
        auto copy = query;
        query.destruct();
        CHECK(copy.count() == 1);
    }

    TEST_CASE("a function to sort by says of which component") {
        kith::world world;
        for (int x : {2, 3, 1}) {
            world.entity().set(Position{x});
        }
        auto order = [](auto query) {
            std::vector<int> found;
            query.each([&](const Position& p) { found.push_back(p.x); });
            return found;
        };
        CHECK(order(world.query_builder<const Position>()
                        .order_by([](const Position& a, const Position& b) { return a.x - b.x; })
                        .build()) == std::vector<int>{1, 2, 3});
        CHECK(order(world.query_builder<const Position>()
                        .order_by([](kith::entity_t, const Position* a, kith::entity_t,
                                     const Position* b) { return b->x - a->x; })
                        .build()) == std::vector<int>{3, 2, 1});
        CHECK(order(world.query_builder<const Position>()
                        .order_by_desc([sign = std::make_unique<int>(-1)](const Position& a,
                                                                          const Position& b) {
                            return (a.x - b.x) * *sign;
                        })
                        .build()) == std::vector<int>{1, 2, 3});
        CHECK(order(world.query_builder<const Position>()
                        .order_by<Position>([](const auto& a, const auto& b) { return a.x < b.x; })
                        .build()) == std::vector<int>{1, 2, 3});
        CHECK(order(world.query_builder<const Position>()
                        .order_by_desc<Position>(
                            [](const Position& a, const Position& b) { return a.x < b.x; })
                        .build()) == std::vector<int>{3, 2, 1});
    }

    TEST_CASE("values that can be called are components as others are") {
        kith::world world;
        kith::entity e = world.entity().set(Formula{2}).set(Position{1});
        CHECK((*e.get<Formula>())(4) == 8);
        const Formula other{5};
        e.set(other);
        CHECK((*e.get<Formula>())(4) == 20);
        e.set(Reset{9});
        CHECK(e.has<Reset>());
        CHECK(e.get<Position>()->x == 1);  // it was not called
        e.set(std::function<int(int)>(triple));
        CHECK((*e.get<std::function<int(int)>>())(2) == 6);
        int runs = 0;
        e.set(std::function<void()>([&] { ++runs; })).set(Action{[&] { runs += 10; }});
        world.each([](const std::function<void()>& f, const Action& action) {
            f();
            action.run();
        });
        CHECK(runs == 11);
        world.set(Formula{7});
        CHECK(world.get<Formula>()->factor == 7);
    }

    TEST_CASE("shares and pages are parts of an iteration") {
        kith::world world;
        for (int x = 0; x < 10; ++x) {
            world.entity().set(Position{x});
        }
        auto query = world.query<Position>();
        CHECK(query.iter().page(2, 5).count() == 5);
        CHECK(query.iter().worker(0, 3).count() == 4);
        CHECK(query.iter().page(0, 3).set_var(0, world.entity()).count() == 0);
        int sum = 0;
        query.iter().page(8, 10).each([&](const Position& p) { sum += p.x; });
        CHECK(sum == 17);
        CHECK_THROWS_AS(query.iter().worker(3, 3), kith::error);
    }
}
