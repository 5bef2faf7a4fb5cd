// Loads a plugin and hands it a world. `program PLUGIN shared`: both use one kith. `program PLUGIN
// static`: each contains kith, so the plugin must refuse the world.
#include "types.hpp"

#include <cstdio>
#include <cstring>

#include <dlfcn.h>

namespace {

int failures = 0;

void check(bool good, const char* what) {
    if (!good) {
        std::printf("failed: %s\n", what);
        ++failures;
    }
}

const char* call(void* plugin, const char* name, kith::world& world) {
    const auto function = reinterpret_cast<plugin_function>(dlsym(plugin, name));
    return function ? function(world.c_ptr()) : "the plugin lacks a function";
}

void use_one_kith(void* plugin, kith::world& world) {
    check(call(plugin, "set_label", world) == nullptr, "the plugin sets a value");
    const kith::entity made = world.lookup("P");
    check(made.has<Label>() && !made.has<Position>(), "the type is the same on both sides");
    check(call(plugin, "make_both", world) == nullptr,
          "the plugin makes an entity with two values");
    const char* wrong = nullptr;
    world.query<Label>().each([&](kith::entity one, Label&) {
        if (one == made) {
            wrong = call(plugin, "change_iterated", world);
        }
    });
    check(wrong == nullptr, wrong ? wrong : "");
    const char* other = nullptr;
    world.query<Label>().each([&](kith::entity one, Label&) {
        if (one == made) {
            try {
                one.add<Position>();
                other = "a change inside of each was not refused";
            } catch (const kith::error&) {}
        }
    });
    check(other == nullptr, other ? other : "");
}

void use_two(void* plugin, kith::world& world) {
    const char* refusal = call(plugin, "set_label", world);
    check(refusal && std::strstr(refusal, "another copy of kith"), "the plugin refuses the world");
    check(!world.lookup("P"), "the world is as it was");
}

}  // namespace

int main(int, char** arguments) {
    kith::world world;
    // The plugin uses them in another order.
    world.component<Position>();
    world.component<Label>();
    world.entity().set(Label{"first"});
    void* plugin = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (!plugin) {
        std::printf("failed: %s\n", dlerror());
        return 1;
    }
    (std::strcmp(arguments[2], "shared") == 0 ? use_one_kith : use_two)(plugin, world);
    std::printf("%d failures\n", failures);
    return failures;
}
