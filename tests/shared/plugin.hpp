// What the tests and the plugin agree on: types that both use, and the plugin's functions.
#pragma once

#include <kith/kith.hpp>

#include <string>

namespace kith_shared {

struct Health {
    int points = 100;
};
struct Title {
    std::string text;
};
struct Marked {};
enum class Mood { Calm, Angry };

// Uses the types in the order Title, Health, so that ids by order of use would differ.
struct plugin_functions {
    kith::entity_t (*title_id)();
    kith::entity_t (*health_id)();
    void (*fill)(kith::world_t* world, kith::entity_t entity);
    int (*read_points)(kith::world_t* world, kith::entity_t entity);
    kith::entity_t (*own_type_id)();
};

}  // namespace kith_shared

extern "C" const kith_shared::plugin_functions* kith_plugin();
