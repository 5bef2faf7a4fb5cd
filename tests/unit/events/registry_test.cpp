#include "events/registry.hpp"

#include <kith/kith.hpp>

#include "mutate/context/stage.hpp"

#include <string>

#include <doctest/doctest.h>

namespace {

using kith::entity_t;
using kith::make_pair;
using kith::events::event_data;
using kith::events::listener;

struct fixture {
    struct named_listener : listener {
        fixture* owner = nullptr;
        char name = 0;
    };
    static void on_event(listener& me, const event_data& what) {
        auto& one = static_cast<named_listener&>(me);
        one.owner->log += one.name;
        if (one.owner->react) {
            one.owner->react(*one.owner, one.name, what);
        }
    }
    named_listener make(char name) {
        named_listener made;
        made.on_event = on_event;
        made.owner = this;
        made.name = name;
        return made;
    }
    std::string dispatch(entity_t which, kith::id_t id) {
        log.clear();
        registry.dispatch({world, which, id, e, nullptr});
        return log;
    }

    kith::world world;
    kith::events::registry& registry = kith::mutate::stage_of(world.c_ptr()).events;
    kith::entity e = world.entity();
    kith::entity event = world.entity();
    kith::entity tag = world.entity();
    kith::entity likes = world.entity();
    kith::entity apple = world.entity();
    std::string log;
    void (*react)(fixture& owner, char name, const event_data& what) = nullptr;
    named_listener a = make('a');
    named_listener b = make('b');
    named_listener c = make('c');
};

}  // namespace

TEST_SUITE("unit.events.registry") {
    TEST_CASE_FIXTURE(fixture, "listeners are found by event and by every pattern of the id") {
        registry.add(a, event, make_pair(likes, kith::Wildcard));
        registry.add(b, event, make_pair(kith::Wildcard, apple));
        registry.add(c, event, make_pair(kith::Wildcard, kith::Wildcard));
        CHECK(dispatch(event, make_pair(likes, apple)) == "abc");
        CHECK(dispatch(event, make_pair(likes, tag)) == "ac");
        CHECK(dispatch(event, make_pair(tag, apple)) == "bc");
        CHECK(dispatch(event, tag) == "");
        CHECK(dispatch(tag, make_pair(likes, apple)) == "");
    }

    TEST_CASE_FIXTURE(fixture, "they are called in the order in which they came") {
        registry.add(c, event, kith::Wildcard);
        registry.add(a, event, tag);
        registry.add(b, event, kith::Wildcard);
        CHECK(dispatch(event, tag) == "cab");
        registry.remove(c, event, kith::Wildcard);
        registry.add(c, event, kith::Wildcard);
        CHECK(dispatch(event, tag) == "abc");
    }

    TEST_CASE_FIXTURE(fixture, "one that goes while others are called is not called any more") {
        registry.add(a, event, tag);
        registry.add(b, event, tag);
        registry.add(c, event, kith::Wildcard);
        react = [](fixture& own, char name, const event_data&) {
            if (name == 'a') {
                own.registry.remove(own.b, own.event, own.tag);
                own.registry.remove(own.a, own.event, own.tag);
            }
        };
        CHECK(dispatch(event, tag) == "ac");
        CHECK(dispatch(event, tag) == "c");
    }

    TEST_CASE_FIXTURE(fixture, "one that comes while others are called is called the next time") {
        registry.add(a, event, tag);
        react = [](fixture& own, char name, const event_data&) {
            if (name == 'a') {
                own.react = nullptr;
                own.registry.add(own.b, own.event, own.tag);
                own.registry.add(own.c, own.event, kith::Wildcard);
            }
        };
        CHECK(dispatch(event, tag) == "a");
        CHECK(dispatch(event, tag) == "abc");
    }

    TEST_CASE_FIXTURE(fixture, "those that listen to an entity are found by it") {
        registry.add(a, event, kith::events::entity_pattern(e));
        registry.add(b, event, tag);
        auto emit = [&](entity_t entity, kith::id_t id) {
            log.clear();
            registry.dispatch_emitted({world, event, id, entity, nullptr});
            return log;
        };
        CHECK(emit(e, 0) == "a");
        CHECK(emit(e, tag) == "ab");
        CHECK(emit(apple, tag) == "b");
        CHECK(dispatch(event, tag) == "b");
    }

    TEST_CASE_FIXTURE(fixture, "events inside of events are told, up to a limit") {
        registry.add(a, event, tag);
        react = [](fixture& own, char, const event_data& what) {
            if (own.log.size() < 10) {
                own.registry.dispatch(what);
            }
        };
        CHECK(dispatch(event, tag) == "aaaaaaaaaa");
        react = [](fixture& own, char, const event_data& what) { own.registry.dispatch(what); };
        CHECK_THROWS_AS(dispatch(event, tag), kith::error);
        CHECK(log.size() == kith::events::registry::most_nested);
        CHECK(!registry.is_calling());
    }

    TEST_CASE_FIXTURE(fixture, "builtin events are counted") {
        CHECK(!registry.has_listeners(kith::OnDelete));
        registry.add(a, kith::OnDelete, tag);
        CHECK(registry.has_listeners(kith::OnDelete));
        registry.remove(a, kith::OnDelete, tag);
        CHECK(!registry.has_listeners(kith::OnDelete));
    }

    TEST_CASE_FIXTURE(fixture, "after one that throws, the others are told all the same") {
        registry.add(a, kith::OnAdd, tag);
        registry.add(b, kith::OnAdd, tag);
        react = [](fixture&, char name, const event_data&) {
            if (name == 'a') {
                throw 1;
            }
        };
        CHECK_THROWS_AS(dispatch(kith::OnAdd, tag), int);
        CHECK(log == "ab");
        registry.remove(a, kith::OnAdd, tag);
        registry.remove(b, kith::OnAdd, tag);
    }
}
