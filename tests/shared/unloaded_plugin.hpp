// What tests of unloading and their plugins agree on.
#pragma once

#include <kith/kith.hpp>

#include <string>

namespace kith_shared {

// Used by the program and by the plugins.
struct Shield {
    std::string name;
    int strength = 1;
};

struct unloaded_plugin_functions {
    // The addresses of the library.
    const void* from;
    const void* to;
    // Describes the plugin's types, and makes them known to the world. False if that was refused.
    bool (*use)(kith::world_t* world);
    // Gives an entity values of the plugin's types.
    void (*fill)(kith::world_t* world, kith::entity_t entity);
    int (*read_shots)(kith::world_t* world, kith::entity_t entity);
    // Hooks, a check and an attribute of the plugin's types.
    void (*dress)(kith::world_t* world);
    // The same for a type of the program.
    void (*watch)(kith::world_t* world, kith::entity_t component);
};

}  // namespace kith_shared

extern "C" const kith_shared::unloaded_plugin_functions* kith_unloaded_plugin();
