// Component types that overload operator&: kith takes the address of the value itself.
#include <kith/kith.hpp>

#include "support/errors.hpp"

#include <vector>

namespace {

// As smart pointers of COM: the address of the handle is that of the pointer inside.
struct handle {
    int* number = nullptr;
    int** operator&() { return &number; }
    int* const* operator&() const { return nullptr; }
    bool operator<(const handle& other) const { return *number < *other.number; }
};
// Neither trivial nor assignable.
struct fixed_handle {
    explicit fixed_handle(int* given) : number(given) {}
    fixed_handle(const fixed_handle& other) : number(other.number) {}
    fixed_handle& operator=(const fixed_handle&) = delete;
    int** operator&() { return nullptr; }
    const int* operator&() const { return nullptr; }
    int* number;
};
struct holder {
    int other = 0;
    handle inner;
};
struct likes {};

int one = 1;
int two = 2;

}  // namespace

TEST_SUITE("features.values.addresses") {
    TEST_CASE("set and get") {
        kith::world world;
        kith::entity e = world.entity();
        handle first{&one};
        e.set(first);
        CHECK(*e.get<handle>()->number == 1);
        e.set(handle{&two});
        CHECK(*e.get<handle>()->number == 2);
        CHECK(*world.entity(handle{&one}).get<handle>()->number == 1);
        e.set<handle>(world.entity(), first);
        world.defer([&] { e.set(first); });
        CHECK(*e.get<handle>()->number == 1);
    }

    TEST_CASE("values that cannot be assigned") {
        kith::world world;
        kith::entity e = world.entity().set(fixed_handle(&one));
        const fixed_handle second(&two);
        e.set(second);
        CHECK(*e.get<fixed_handle>()->number == 2);
        CHECK(*e.clone().get<fixed_handle>()->number == 2);
    }

    TEST_CASE("pairs, callbacks and hooks") {
        kith::world world;
        int hooked = 0;
        world.component<handle>().on_set([&](kith::iter&, handle* h) { hooked += *h->number; });
        kith::entity e = world.entity().set<likes, handle>(handle{&two});
        CHECK(hooked == 2);
        int sum = 0;
        CHECK(e.get([&](const kith::pair<likes, handle>& h) { sum += *h->number; }));
        world.query<kith::pair<likes, handle>>().each(
            [&](kith::pair<likes, handle> h) { sum += *h->number; });
        CHECK(sum == 4);
    }

    TEST_CASE("events") {
        kith::world world;
        int heard = 0;
        kith::entity e = world.entity();
        e.observe([&](handle& h) { heard += *h.number; });
        e.emit(handle{&two});
        const handle kept{&one};
        e.emit(kept);
        e.enqueue(kept);
        CHECK(heard == 4);
    }

    TEST_CASE("sorting by a member") {
        kith::world world;
        world.entity().set(holder{0, {&two}});
        world.entity().set(holder{0, {&one}});
        std::vector<int> seen;
        world.query_builder<const holder>()
            .order_by(&holder::inner)
            .build()
            .each([&](const holder& h) { seen.push_back(*h.inner.number); });
        CHECK(seen == std::vector<int>{1, 2});
    }
}
