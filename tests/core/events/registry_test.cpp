#include "events/registry.hpp"

#include <vector>

#include <doctest/doctest.h>

using namespace kith;
using events::listener;
using events::occurrence;
using events::registry;

namespace {

struct named_listener : listener {
    named_listener(std::vector<int>& called, int own_name)
        : listener{hear_named}, calls(called), name(own_name) {}
    static void hear_named(listener& me, const occurrence& what) {
        auto& self = static_cast<named_listener&>(me);
        self.calls.push_back(self.name);
        if (self.then) {
            self.then(self, what);
        }
    }
    std::vector<int>& calls;
    int name;
    void (*then)(named_listener& self, const occurrence& what) = nullptr;
    registry* all = nullptr;
    listener* other = nullptr;
};

struct fixture {
    storage::store data{nullptr};
    registry all{data};
    std::vector<int> calls;
    void tell(entity_t event, kith::id_t id) {
        calls.clear();
        all.tell({nullptr, event, id, 1000, nullptr});
    }
};

}  // namespace

TEST_SUITE("events.registry") {
    TEST_CASE("listeners of an id and of patterns are called in the order in which they came") {
        fixture world;
        named_listener first(world.calls, 1), second(world.calls, 2), third(world.calls, 3),
            fourth(world.calls, 4);
        world.all.add(first, OnAdd, make_pair(300, Wildcard));
        world.all.add(second, OnAdd, make_pair(300, 400));
        world.all.add(third, OnAdd, make_pair(Wildcard, Wildcard));
        world.all.add(fourth, OnAdd, make_pair(Wildcard, 400));
        world.tell(OnAdd, make_pair(300, 400));
        CHECK(world.calls == std::vector<int>{1, 2, 3, 4});
        world.tell(OnAdd, make_pair(300, 401));
        CHECK(world.calls == std::vector<int>{1, 3});
        world.tell(OnRemove, make_pair(300, 400));
        CHECK(world.calls.empty());
    }

    TEST_CASE("one that is gone is not called, also by those that are being called") {
        fixture world;
        named_listener first(world.calls, 1), second(world.calls, 2);
        first.all = &world.all;
        first.other = &second;
        first.then = [](named_listener& self, const occurrence&) {
            self.all->remove(*self.other, OnAdd, 500);
            self.all->remove(self, OnAdd, 500);
        };
        world.all.add(first, OnAdd, 500);
        world.all.add(second, OnAdd, 500);
        world.tell(OnAdd, 500);
        CHECK(world.calls == std::vector<int>{1});
        world.tell(OnAdd, 500);
        CHECK(world.calls.empty());
    }

    TEST_CASE("one that comes while others are called is called the next time") {
        fixture world;
        named_listener first(world.calls, 1), second(world.calls, 2);
        first.all = &world.all;
        first.other = &second;
        first.then = [](named_listener& self, const occurrence&) {
            self.all->add(*self.other, OnAdd, Wildcard);
            self.then = nullptr;
        };
        world.all.add(first, OnAdd, 500);
        world.tell(OnAdd, 500);
        CHECK(world.calls == std::vector<int>{1});
        world.tell(OnAdd, 500);
        CHECK(world.calls == std::vector<int>{1, 2});
    }

    TEST_CASE("records know what is heard of their ids") {
        fixture world;
        world.data.ids.set_describe(
            [](void* context, storage::id_record& record) {
                const auto& data = *static_cast<storage::store*>(context);
                record.heard = data.listening.heard(record.id);
            },
            &world.data);
        named_listener one(world.calls, 1);
        storage::id_record& early = world.data.ids.ensure(500);
        world.all.add(one, OnSet, 500);
        CHECK(early.heard == storage::heard_set);
        world.all.add(one, OnRemove, Wildcard);
        CHECK(early.heard == (storage::heard_set | storage::heard_remove));
        CHECK(world.data.ids.ensure(501).heard == storage::heard_remove);
        world.all.remove(one, OnRemove, Wildcard);
        CHECK(early.heard == storage::heard_set);
    }

    TEST_CASE("events about no id reach those that ask for none") {
        fixture world;
        named_listener one(world.calls, 1), other(world.calls, 2);
        const entity_t event = 600;
        world.all.add(one, event, 0);
        world.all.add(other, event, 500);
        world.tell(event, 0);
        CHECK(world.calls == std::vector<int>{1});
        world.tell(event, 500);
        CHECK(world.calls == std::vector<int>{2});
    }
}
