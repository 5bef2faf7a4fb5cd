// A library that is loaded at run time and works on the worlds of the program.
#include "plugin.hpp"

namespace {

using namespace kith_shared;

// The same name and layout as a type of the program, which is another type.
struct Private {
    int value;
};

const plugin_functions functions = {
    [] { return kith::type_id<Title>(); },
    [] { return kith::type_id<Health>(); },
    [](kith::world_t* raw, kith::entity_t id) {
        kith::world world(raw);
        world.entity(id)
            .set(Health{42})
            .set(Title{"a title that is too long for small strings"})
            .add<Marked>()
            .add(Mood::Angry);
    },
    [](kith::world_t* raw, kith::entity_t id) {
        const Health* health = kith::world(raw).entity(id).get<Health>();
        return health ? health->points : -1;
    },
    [] { return kith::type_id<Private>(); },
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const plugin_functions* kith_plugin() {
    return &functions;
}
