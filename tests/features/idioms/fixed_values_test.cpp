// Component types whose values cannot be moved.
#include <kith/kith.hpp>

#include <atomic>
#include <string>

namespace {

struct Counter {
    Counter() = default;
    explicit Counter(int from) : number(from) {}
    Counter(Counter&&) = delete;
    ~Counter() { ++ended; }

    int number = 0;
    static inline int ended = 0;
};
struct Flag {
    std::atomic<int> raised{0};
};
struct Other {
    int x;
};
struct Holds {
    explicit Holds(int from) : number(from) {}
    Holds(Holds&&) = delete;
    int number;
};

bool is_invalid_type(const auto& call) {
    try {
        call();
    } catch (const kith::error& error) {
        return error.code() == kith::errc::invalid_type;
    }
    return false;
}

}  // namespace

TEST_SUITE("features.idioms.fixed_values") {
    TEST_CASE("a sparse component may have values that cannot be moved") {
        Counter::ended = 0;
        {
            kith::world world;
            world.component<Counter>().add(kith::Sparse);
            world.component<Flag>().add(kith::Sparse);
            kith::entity e = world.entity().emplace<Counter>(3).add<Flag>();
            const Counter* at = e.get<Counter>();
            CHECK(at->number == 3);
            for (int i = 0; i < 1000; ++i) {
                world.entity().add<Counter>();
            }
            e.set(Other{1});
            CHECK(e.get<Counter>() == at);
            world.each([](Counter& c, Flag& f) { c.number += ++f.raised; });
            CHECK(at->number == 4);
            e.remove<Counter>();
            CHECK(Counter::ended == 1);
            world.check();
        }
        CHECK(Counter::ended == 1001);
    }

    TEST_CASE("a component that is not sparse refuses them, and says what to do") {
        kith::world world;
        kith::entity e = world.entity().set(Other{1});
        CHECK(is_invalid_type([&] { e.add<Counter>(); }));
        CHECK(is_invalid_type([&] { e.emplace<Counter>(1); }));
        CHECK(is_invalid_type([&] { e.get_mut<Counter>(); }));
        CHECK_FALSE(e.has<Counter>());
        world.check();
        world.component<Counter>().add(kith::Sparse);
        CHECK_NOTHROW(e.add<Counter>());
        CHECK(is_invalid_type([&] { world.component<Counter>().remove(kith::Sparse); }));
        CHECK(e.get<Counter>()->number == 0);
        world.check();
    }

    TEST_CASE("a queue takes their components, not their values") {
        kith::world world;
        world.component<Counter>().add(kith::Sparse);
        kith::entity e = world.entity();
        world.defer([&] {
            CHECK(is_invalid_type([&] { e.emplace<Counter>(1); }));
            CHECK(is_invalid_type([&] { e.get_mut<Counter>(); }));
            e.add<Counter>();
        });
        CHECK(e.has<Counter>());
        world.check();
    }

    TEST_CASE("values of pairs of a sparse relationship stay where they are, too") {
        kith::world world;
        world.component<Holds>().add(kith::Sparse);
        kith::entity target = world.entity();
        kith::entity e = world.entity().emplace_first<Holds>(target, 5);
        const Holds* at = e.get<Holds>(target);
        CHECK(at->number == 5);
        e.emplace_first<Holds>(world.entity(), 6);
        CHECK(e.get<Holds>(target) == at);
        e.destruct();
        world.check();
    }

    TEST_CASE("clones have default values of their own") {
        kith::world world;
        world.component<Counter>().add(kith::Sparse);
        kith::entity e = world.entity().emplace<Counter>(3);
        kith::entity copy = e.clone(false);
        CHECK(copy.get<Counter>()->number == 0);
        CHECK_THROWS_AS(e.clone(), kith::error);
        world.check();
    }
}
