#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::errc;

namespace {

int live_blobs = 0;

kith::type_info blob_info(std::uint32_t size = 24, std::uint32_t alignment = 8) {
    kith::type_info info;
    info.size = size;
    info.alignment = alignment;
    info.construct = [](void* value, const kith::type_info&) {
        ++live_blobs;
        *static_cast<int*>(value) = 7;
    };
    info.destroy = [](void*, const kith::type_info&) noexcept { --live_blobs; };
    info.copy_construct = [](void* value, const void* from, const kith::type_info&) {
        ++live_blobs;
        *static_cast<int*>(value) = *static_cast<const int*>(from);
    };
    info.move_construct = [](void* value, void* from, const kith::type_info&) noexcept {
        ++live_blobs;
        *static_cast<int*>(value) = *static_cast<int*>(from);
    };
    return info;
}

}  // namespace

TEST_SUITE("features.components.component") {
    // spec 14
    TEST_CASE("a component is an entity with a name, size and alignment") {
        kith::world world;
        kith::entity position = world.component<Position>();
        CHECK(position.is_alive());
        CHECK(position.get<kith::Component>()->size == sizeof(Position));
        CHECK(position.get<kith::Component>()->alignment == alignof(Position));
        CHECK(world.lookup("kith_test::Position") == position);
        position.add<Hot>();
        CHECK(position.has<Hot>());
        CHECK_FALSE(world.entity().has<kith::Component>());
    }

    // spec 14
    TEST_CASE("a component that nothing uses can be deleted, and comes back on use") {
        kith::world world;
        kith::entity e = world.entity().set(Velocity{1, 2});
        e.remove<Velocity>();
        world.component<Velocity>().destruct();
        CHECK_FALSE(world.lookup("kith_test::Velocity"));
        world.check();
        e.set(Velocity{3, 4});
        CHECK(e.get<Velocity>()->y == 4);
        CHECK(world.lookup("kith_test::Velocity").is_alive());
        world.check();
    }

    // spec 14
    TEST_CASE("an entity is a tag until it gets a type, then a component") {
        kith::world world;
        kith::entity plain = world.entity("Plain");
        kith::entity e = world.entity().add(plain);
        CHECK_FALSE(plain.has<kith::Component>());
        CHECK(error_of([&] { e.get(plain.id()); }) == errc::wrong_type);
        kith::type_info info;
        info.size = info.alignment = 8;
        info.zero_construct = info.trivial_copy = info.trivial_move = info.trivial_destroy = true;
        kith::entity typed = world.component("Typed").define(info);
        REQUIRE(typed.has<kith::Component>());
        CHECK(typed.get<kith::Component>()->size == 8);
        CHECK(world.lookup("Typed") == typed);
        e.add(typed);
        CHECK(e.get(typed.id()) != nullptr);
        world.check();
    }

    // spec 14
    TEST_CASE("a deleted component leaves nothing behind, nor do its hooks") {
        kith::world world;
        auto captured = std::make_shared<int>(0);
        auto use = [&] {
            kith::component<Velocity> velocity = world.component<Velocity>();
            velocity.on_add([captured](Velocity&) { ++*captured; });
            world.entity().set(Velocity{1, 2}).destruct();
            velocity.destruct();
        };
        use();
        CHECK(*captured == 1);
        CHECK(captured.use_count() == 1);
        const std::size_t bytes = world.stats().bytes_total;
        for (int i = 0; i < 100; ++i) {
            use();
        }
        CHECK(*captured == 101);
        CHECK(world.stats().bytes_total == bytes);
        world.check();
    }

    TEST_CASE("a type has one id in all worlds, whatever its qualifiers") {
        kith::world a;
        kith::world b;
        b.component<Velocity>();
        CHECK(a.component<Position>().id() == b.component<Position>().id());
        CHECK(kith::type_id<Position>() == kith::type_id<const Position&>());
        CHECK(kith::type_id<Position>() == kith::type_id<Position*>());
        CHECK(kith::type_id<Position>() == a.component<Position>().id());
        CHECK(kith::type_id<Position>() != kith::type_id<Velocity>());
    }

    TEST_CASE("run-time components hold values and run their functions") {
        live_blobs = 0;
        {
            kith::world world;
            kith::entity blob = world.component("Blob").define(blob_info());
            CHECK(blob.get<kith::Component>()->size == 24);
            kith::entity e = world.entity().add(blob);
            CHECK(*static_cast<const int*>(e.get(blob.id())) == 7);
            *static_cast<int*>(e.get_mut(blob.id())) = 9;
            e.add<Hot>();
            CHECK(*static_cast<const int*>(e.get(blob.id())) == 9);
            CHECK(*static_cast<const int*>(e.clone().get(blob.id())) == 9);
            const int value[6] = {11};
            e.set_ptr(blob, 24, value);
            CHECK(*static_cast<const int*>(e.get(blob.id())) == 11);
            world.defer([&] { world.entity().set_ptr(blob, 24, value); });
            CHECK(world.count(blob.id()) == 3);
            CHECK(live_blobs == 3);
            world.check();
        }
        CHECK(live_blobs == 0);
    }

    TEST_CASE("run-time components have hooks") {
        kith::world world;
        kith::untyped_component blob = world.component("Blob").define(blob_info());
        int calls = 0;
        kith::detail::hook hook;
        hook.context = &calls;
        hook.call = [](const kith::detail::hook_event&, void* context) {
            ++*static_cast<int*>(context);
        };
        blob.on_add(hook).on_remove(hook);
        world.entity().add(blob).remove(blob);
        CHECK(calls == 2);
        live_blobs = 0;
    }

    TEST_CASE("run-time components of many shapes are stored side by side") {
        kith::world world;
        std::vector<kith::entity> components;
        for (std::uint32_t size : {1u, 2u, 3u, 5u, 8u, 12u, 17u, 64u, 1000u}) {
            kith::type_info info;
            info.size = size;
            info.alignment = 1;
            info.zero_construct = info.trivial_copy = info.trivial_move = info.trivial_destroy =
                true;
            components.push_back(
                world.component(("C" + std::to_string(size)).c_str()).define(info));
        }
        std::vector<kith::entity> all;
        for (int i = 0; i < 50; ++i) {
            kith::entity e = world.entity();
            for (kith::entity c : components) {
                const int size = c.get<kith::Component>()->size;
                std::vector<unsigned char> bytes(static_cast<std::size_t>(size),
                                                 static_cast<unsigned char>(i + size));
                e.set_ptr(c, bytes.data());
            }
            all.push_back(e);
        }
        for (std::size_t i = 0; i < all.size(); ++i) {
            for (kith::entity c : components) {
                const int size = c.get<kith::Component>()->size;
                const auto* bytes = static_cast<const unsigned char*>(all[i].get(c.id()));
                for (int at = 0; at < size; ++at) {
                    REQUIRE(bytes[at] == static_cast<unsigned char>(static_cast<int>(i) + size));
                }
            }
        }
        world.check();
    }

    TEST_CASE("bad sizes and alignments are errors") {
        kith::world world;
        struct bad_case {
            const char* why;
            std::uint32_t size;
            std::uint32_t alignment;
        };
        const bad_case cases[] = {
            {"no alignment", 8, 0},
            {"not a power of two", 12, 3},
            {"size is no multiple of the alignment", 12, 8},
            {"huge", 0xFFFFFFF0u, 16},
            {"huge alignment", 0x80000000u, 0x80000000u},
            {"a tag with an alignment that is no power of two", 0, 3},
        };
        kith::entity e = world.entity("e");
        for (const bad_case& bad : cases) {
            CAPTURE(bad.why);
            CHECK(refusal(world, [&] {
                      world.component(e.id()).define(blob_info(bad.size, bad.alignment));
                  }) == errc::invalid_type);
        }
        CHECK_FALSE(e.has<kith::Component>());
    }

    TEST_CASE("a type that cannot be moved is an error") {
        kith::world world;
        kith::entity e = world.entity("e");
        kith::type_info info = blob_info();
        info.move_construct = nullptr;
        CHECK(refusal(world, [&] { world.component(e.id()).define(info); }) == errc::invalid_type);
    }

    TEST_CASE("another type under a taken id or name is an error") {
        kith::world world;
        world.component("Blob").define(blob_info());
        CHECK_NOTHROW(world.component("Blob").define(blob_info()));
        CHECK(refusal(world, [&] { world.component("Blob").define(blob_info(48)); }) ==
              errc::type_conflict);
        kith::entity position = world.component<Position>();
        CHECK(refusal(world, [&] { world.component(position.id()).define(blob_info()); }) ==
              errc::type_conflict);
        CHECK(error_of([&] { world.component<Velocity>("Blob"); }).has_value());
        world.check();
    }

    TEST_CASE("define of a tag in use is an error") {
        kith::world world;
        kith::entity tag = world.entity("tag");
        kith::entity e = world.entity().add(tag);
        CHECK(refusal(world, [&] { world.component(tag.id()).define(blob_info()); }) ==
              errc::in_use);
        CHECK(e.has(tag));
    }

    TEST_CASE("local types are distinct components") {
        kith::world world;
        kith::entity_t first = 0;
        kith::entity_t second = 0;
        {
            struct Local {
                int a;
            };
            first = world.component<Local>();
        }
        {
            struct Local {
                int b;
            };
            second = world.component<Local>();
        }
        CHECK(first != second);
    }
}
