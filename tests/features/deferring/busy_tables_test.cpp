// Callbacks that need room in tables which the running operation counts on.
#include <kith/kith.hpp>

#include "support/counted.hpp"
#include "support/errors.hpp"
#include "support/types.hpp"

#include <optional>

using namespace kith_test;
using kith::errc;

namespace {

struct Heavy {
    double values[8] = {};
};
struct Light {
    double values[8] = {};
};
struct Marked {};
struct Unknown {};
struct Signal {};

}  // namespace

TEST_SUITE("features.deferring.busy_tables") {
    // shrink() waits like any other change.
    TEST_CASE("a world that is shrunk by an observer keeps the tables of the running operation") {
        kith::world world;
        int calls = 0;
        world.observer<Heavy>().event(kith::OnRemove).each([&](kith::entity) {
            world.shrink();
            ++calls;
        });
        for (int i = 0; i < 5; ++i) {
            auto e = world.entity().set(Heavy{}).set(Light{});
            world.shrink();
            e.remove<Heavy>();
            CHECK(e.has<Light>());
        }
        CHECK(calls == 5);
        world.check();
    }

    TEST_CASE("a world that is shrunk by a hook keeps the tables of the running operation") {
        kith::world world;
        world.component<Heavy>().on_remove([&](kith::entity, Heavy&) { world.shrink(); });
        for (int i = 0; i < 20; ++i) {
            auto e = world.entity().set(Heavy{}).set(Light{});
            if (i % 2) {
                e.remove<Heavy>();
            }
        }
        world.check();
    }

    TEST_CASE("a world that is shrunk with deferring suspended is shrunk later") {
        kith::world world;
        world.component<Heavy>().on_remove([&](kith::entity, Heavy&) {
            world.defer_suspend();
            world.shrink();
            world.defer_resume();
        });
        auto e = world.entity().set(Heavy{}).set(Light{});
        world.shrink();
        e.remove<Heavy>();
        CHECK(e.has<Light>());
        CHECK(world.stats().empty_tables == 1);  // the one of entities without ids
        world.check();
    }

    TEST_CASE("a deferred shrink gives the memory back when the queue runs") {
        kith::world world;
        auto e = world.entity().add<Marked>();
        e.remove<Marked>();
        const auto tables = world.stats().tables;
        world.defer([&] {
            world.shrink();
            CHECK(world.stats().tables == tables);
        });
        CHECK(world.stats().tables < tables);
    }

    TEST_CASE("a world cannot be shrunk while it is iterated") {
        kith::world world;
        world.entity().set(Light{});
        auto lights = world.query<Light>();
        lights.each(
            [&](Light&) { CHECK(refusal(world, [&] { world.shrink(); }) == errc::locked); });
    }

    // A type that is used for the first time gets its row at once.
    TEST_CASE("a hook may use a type for the first time while a component moves") {
        kith::world world;
        auto type = world.component<Heavy>();
        type.add<Marked>();
        world.component<Marked>().on_remove([&](kith::entity) {
            world.component<Light>();
            world.component<Unknown>();
        });
        type.remove<Marked>();
        world.check();
        CHECK(world.component<Light>().has<kith::Component>());
    }

    TEST_CASE("a hook may make entities in the table that its entity moves to") {
        kith::world world;
        world.component<Heavy>().on_remove([&](kith::entity, Heavy&) {
            world.defer_suspend();
            for (int i = 0; i < 5; ++i) {
                world.entity().set(Light{});
            }
            world.defer_resume();
        });
        auto e = world.entity().set(Heavy{}).set(Light{});
        e.remove<Heavy>();
        CHECK(world.count<Light>() == 6);
        world.check();
    }

    // Its tables may be those that the entity moves between.
    TEST_CASE("a hook cannot delete at once what is used as an id") {
        kith::world world;
        auto tag = world.entity("tag");
        std::optional<errc> code;
        world.component<Heavy>().on_remove([&](kith::entity, Heavy&) {
            world.defer_suspend();
            code = refusal(world, [&] { tag.destruct(); });
            world.defer_resume();
        });
        auto e = world.entity().set(Heavy{}).set(Light{}).add(tag);
        e.remove<Heavy>();
        CHECK(code == errc::invalid_operation);
        CHECK(e.has(tag));
        CHECK(e.has<Light>());
        world.check();
    }

    TEST_CASE("a hook cannot delete at once what is an element of pairs") {
        kith::world world;
        auto relation = world.entity();
        auto target = world.entity();
        int refused = 0;
        world.component<Heavy>().on_add([&](kith::entity, Heavy&) {
            world.defer_suspend();
            refused += refusal(world, [&] { relation.destruct(); }) == errc::invalid_operation;
            refused += refusal(world, [&] { target.destruct(); }) == errc::invalid_operation;
            world.defer_resume();
        });
        auto e = world.entity().add(relation, target).add<Heavy>();
        CHECK(refused == 2);
        CHECK(e.has(relation, target));
        world.check();
    }

    TEST_CASE("a hook may delete at once what no table is about") {
        kith::world world;
        auto plain = world.entity();
        world.component<Heavy>().on_remove([&](kith::entity, Heavy&) {
            world.defer_suspend();
            plain.destruct();
            world.defer_resume();
        });
        auto e = world.entity().set(Heavy{}).set(Light{});
        e.remove<Heavy>();
        CHECK_FALSE(plain.is_alive());
        CHECK(e.has<Light>());
        world.check();
    }

    TEST_CASE("a hook may let the deletion of what is used as an id wait") {
        kith::world world;
        auto tag = world.entity("tag");
        world.component<Heavy>().on_remove([&](kith::entity, Heavy&) { tag.destruct(); });
        auto e = world.entity().set(Heavy{}).set(Light{}).add(tag);
        e.remove<Heavy>();
        CHECK_FALSE(tag.is_alive());
        CHECK(e.has<Light>());
        world.check();
    }

    TEST_CASE("what is used as an id is deleted at once where nothing is being changed") {
        kith::world world;
        auto tag = world.entity("tag");
        auto e = world.entity().set(Light{}).add(tag);
        world.defer([&] {
            world.defer_suspend();
            tag.destruct();
            CHECK_FALSE(tag.is_alive());
            world.defer_resume();
        });
        CHECK(e.has<Light>());
        world.check();
    }

    TEST_CASE("an observer of a deletion may delete at once what is used as an id") {
        kith::world world;
        auto tag = world.entity("tag");
        auto doomed = world.entity().set(Heavy{});
        auto e = world.entity().set(Light{}).add(tag);
        world.component<Heavy>().on_remove([&](kith::entity, Heavy&) {
            world.defer_suspend();
            tag.destruct();
            world.defer_resume();
        });
        doomed.destruct();
        CHECK_FALSE(tag.is_alive());
        CHECK(e.has<Light>());
        world.check();
    }

    TEST_CASE("a hook cannot change the entity that is being changed at once") {
        kith::world world;
        world.component<Heavy>().on_remove([&](kith::entity changed, Heavy&) {
            world.defer_suspend();
            changed.add<Marked>();
            world.defer_resume();
        });
        auto e = world.entity().set(Heavy{});
        CHECK(error_of([&] { e.remove<Heavy>(); }) == errc::invalid_operation);
        world.check();
    }

    // `with` of a callback has a list of its own while a type or an observer is made.
    TEST_CASE("ids that callbacks give all their entities leave no memory behind") {
        long live = 0;
        auto allocate = [](void* count, std::size_t size, std::size_t alignment) {
            *static_cast<long*>(count) += static_cast<long>(size);
            return ::operator new(size, std::align_val_t(alignment));
        };
        auto release = [](void* count, void* block, std::size_t size,
                          std::size_t alignment) noexcept {
            *static_cast<long*>(count) -= static_cast<long>(size);
            ::operator delete(block, std::align_val_t(alignment));
        };
        {
            kith::world world(kith::world_memory{allocate, release, &live, false});
            auto tag = world.entity("tag");
            world.observer()
                .with(kith::Wildcard, kith::Wildcard)
                .event(kith::OnAdd)
                .each([&](kith::entity) { world.with(tag, [&] { world.entity(); }); });
            world.entity("e").observe<Signal>([] {});
        }
        CHECK(live == 0);
    }

    // Nothing that an ending world cannot keep is written.
    TEST_CASE("observers may change entities while the world ends") {
        for (kith::entity_t event :
             {kith::OnRemove, kith::OnTableDelete, kith::OnDelete, kith::UnSet}) {
            kith::world world;
            auto relation = world.entity("R");
            auto target = world.entity("t");
            auto e = world.entity().set(Heavy{});
            world.observer()
                .with(kith::Wildcard, kith::Wildcard)
                .event(event)
                .iter([=](kith::iter&) mutable {
                    e.add(kith::Override | kith::make_pair(relation, target));
                    e.add(relation, target);
                });
        }
    }
}
