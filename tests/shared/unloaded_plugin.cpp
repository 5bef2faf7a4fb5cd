// A library that the program unloads. BROUGHT_VERSION 2 is a later form of it with another layout.
#include "unloaded_plugin.hpp"

#include <kith/reflect.hpp>
#include <kith/save.hpp>
#include <kith/value.hpp>

extern "C" {
// Made by the linker: the first byte of the library and the one behind its last.
__attribute__((visibility("hidden"))) extern const char __ehdr_start;
__attribute__((visibility("hidden"))) extern const char _end;
}

namespace brought {

struct Gun {
    std::string name = "gun";
    int shots = 6;
#if BROUGHT_VERSION == 2
    double heat = 0;
#endif
};
struct Place {
    float x;
    float y;
};
enum class Mood { calm, angry };
struct Marked {};

}  // namespace brought

namespace {

using namespace brought;
using kith_shared::Shield;

// Another type in each version, of one name.
struct Private {
    std::string text;
};

const kith_shared::unloaded_plugin_functions functions = {
    &__ehdr_start,
    &_end,
    [](kith::world_t* raw) {
        kith::world world(raw);
        try {
            kith::reflect<Gun, Place, Mood, Shield, Private>();
            world.component<Gun>();
            world.component<Place>();
            world.component<Marked>();
            world.component<Mood>();
            world.component<Shield>();
            world.component<Private>();
        } catch (const kith::error&) {
            return false;
        }
        return true;
    },
    [](kith::world_t* raw, kith::entity_t id) {
        kith::world world(raw);
        Gun gun;
        gun.name = "a name that is too long for short strings";
        world.entity(id)
            .set(gun)
            .set(Place{1, 2})
            .set(Private{"a text that is too long for short strings"})
            .add(Mood::angry)
            .add<Marked>();
    },
    [](kith::world_t* raw, kith::entity_t id) {
        const Gun* gun = kith::world(raw).entity(id).get<Gun>();
        return gun ? gun->shots : -1;
    },
    [](kith::world_t* raw) {
        kith::world world(raw);
        const std::string text = "a context that has to be freed by the library";
        world.component<Gun>()
            .on_add([text](kith::entity, Gun& gun) { gun.shots += text.empty() ? 1 : 0; })
            .validate([](const Gun& gun) { return gun.shots < 0 ? "too few" : nullptr; })
            .member("name", &Gun::name)
            .member("shots", &Gun::shots)
            .range(0, 100)
            .member("loaded", [text](const Gun& gun) { return gun.shots > 0; });
        world.component<Gun>().version(2).upgrade(
            1, [text](const kith::value_view&, Gun& gun) { gun.shots = 0; });
        world.component<Place>().member("x", &Place::x).default_value(3.0f).index("x");
    },
    [](kith::world_t* raw, kith::entity_t component) {
        kith::hook told;
        told.call = [](const kith::hook_event&, void*) {};
        kith::untyped_component(kith::world(raw), component).on_set(told);
    },
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const kith_shared::unloaded_plugin_functions*
kith_unloaded_plugin() {
    return &functions;
}
