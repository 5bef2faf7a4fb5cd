#include <kith/kith.hpp>

#include "shared/plugin.hpp"

#include <dlfcn.h>

using namespace kith_shared;

namespace {

struct Private {
    int value;
};

// Stays loaded: types that were registered by it are known for the rest of the process.
const plugin_functions& plugin() {
    static const plugin_functions* const loaded = [] {
        void* library = dlopen(KITH_TEST_PLUGIN_PATH, RTLD_NOW | RTLD_LOCAL);
        REQUIRE_MESSAGE(library != nullptr, dlerror());
        using entry = const plugin_functions* (*)();
        return reinterpret_cast<entry>(dlsym(library, "kith_plugin"))();
    }();
    return *loaded;
}

}  // namespace

TEST_SUITE("features.components.shared_library") {
    TEST_CASE("a type has the same id in the program and in a loaded library") {
        CHECK(plugin().title_id() == kith::type_id<Title>());
        CHECK(plugin().health_id() == kith::type_id<Health>());
        CHECK(kith::type_id<Title>() != kith::type_id<Health>());
    }

    TEST_CASE("program and library see each other's values") {
        kith::world world;
        kith::entity e = world.entity();
        plugin().fill(world, e);
        CHECK(e.get<Health>()->points == 42);
        CHECK(e.get<Title>()->text == "a title that is too long for small strings");
        CHECK(e.has<Marked>());
        CHECK(*e.get<Mood>() == Mood::Angry);
        e.set(Health{7});
        CHECK(plugin().read_points(world, e) == 7);
        world.check();
    }

    TEST_CASE("types of anonymous namespaces are their own, also with the same name") {
        CHECK(plugin().own_type_id() != kith::type_id<Private>());
    }
}
