#include <kith/kith.hpp>

#include "support/errors.hpp"

using kith::errc;
using kith_test::error_of;

namespace {

// As a program in another language registers a type: by name, size and alignment.
kith::detail::type_desc plain(const char* name) {
    kith::detail::type_desc desc{name, nullptr, nullptr, {}};
    desc.info.size = 8;
    desc.info.alignment = 8;
    desc.info.zero_construct = desc.info.trivial_copy = true;
    desc.info.trivial_move = desc.info.trivial_destroy = true;
    return desc;
}

}  // namespace

namespace kith_test_types {
struct Shared {
    double value;
};
struct Initialised {
    double value = 1;
};
struct Owning {
    Owning() = default;
    Owning(const Owning&) {}
    Owning& operator=(const Owning&) { return *this; }
    ~Owning() {}
    double value = 0;
};
}  // namespace kith_test_types

TEST_SUITE("unit.types.type_registry") {
    TEST_CASE("a name, size and alignment stand for one type, in C++ and elsewhere") {
        const std::uint32_t id = kith::detail::register_type(plain("kith_test_types::Shared"));
        CHECK(id == kith::type_id<kith_test_types::Shared>());
        CHECK(id == kith::detail::register_type(plain("kith_test_types::Shared")));
    }
    TEST_CASE("plain bytes are no C++ type with a destructor of its own") {
        kith::type_id<kith_test_types::Owning>();
        auto again = [] { kith::detail::register_type(plain("kith_test_types::Owning")); };
        CHECK(error_of(again) == errc::type_conflict);
    }
    TEST_CASE("a default value of C++ serves others that register the type later") {
        const std::uint32_t id =
            static_cast<std::uint32_t>(kith::type_id<kith_test_types::Initialised>());
        CHECK(id == kith::detail::register_type(plain("kith_test_types::Initialised")));
    }
    TEST_CASE("a type that needs a constructor is refused where plain bytes came first") {
        kith::detail::type_desc first = plain("kith_test_types::ByName");
        kith::detail::register_type(first);
        kith::detail::type_desc later = first;
        later.info.zero_construct = false;
        later.info.construct = [](void*, const kith::type_info&) {};
        CHECK(error_of([&] { kith::detail::register_type(later); }) == errc::type_conflict);
    }
    TEST_CASE("functions of a type get the type with its context") {
        static int constructed = 0;
        kith::world world;
        kith::type_info info;
        info.size = info.alignment = 8;
        info.context = &constructed;
        info.trivial_copy = info.trivial_move = info.trivial_destroy = true;
        info.construct = [](void* value, const kith::type_info& type) {
            ++*static_cast<int*>(type.context);
            *static_cast<std::uint64_t*>(value) = type.size;
        };
        kith::entity counted = world.component("Counted").define(info);
        kith::entity e = world.entity().add(counted);
        CHECK(constructed == 1);
        CHECK(*static_cast<const std::uint64_t*>(e.get(counted)) == 8);
    }
    TEST_CASE("the context of a type defined at run time is freed once, with the component") {
        static int freed = 0;
        freed = 0;
        kith::type_info info;
        info.size = info.alignment = 8;
        info.context = &freed;
        info.zero_construct = info.trivial_copy = info.trivial_move = info.trivial_destroy = true;
        info.free_context = [](void* count) noexcept { ++*static_cast<int*>(count); };
        {
            kith::world world;
            world.component("Kept").define(info);
            kith::entity gone = world.component("Gone").define(info);
            CHECK(freed == 0);
            gone.destruct();
            CHECK(freed == 1);
        }
        CHECK(freed == 2);
    }
    TEST_CASE("an id without scope has no parent and no ids of with") {
        kith::world world;
        kith::entity scope = world.entity("Scope");
        kith::entity tag = world.entity("Tag");
        scope.scope([&] {
            world.with(tag, [&] {
                const kith::entity bare = world.entity(kith::detail::new_id(world));
                CHECK_FALSE(bare.parent());
                CHECK_FALSE(bare.has(tag));
                CHECK(world.entity().parent() == scope);
                CHECK(kith::detail::with_count(world) == 1);
            });
        });
        world.defer([&] {
            scope.scope([&] {
                const kith::entity bare = world.entity(kith::detail::new_id(world));
                CHECK(bare.is_alive());
            });
        });
        world.check();
    }
}
