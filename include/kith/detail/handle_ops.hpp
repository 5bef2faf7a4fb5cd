// Handles inside of values whose entity is deleted: functions between src/values, which knows the
// handles of a value, and the core, which deletes entities.
#pragma once

#include <kith/description.hpp>

namespace kith::detail {

struct value_key;

// The functions for the handles of a world that have a policy.
struct handle_rules {
    // True if values of the component may hold such handles.
    bool (*applies)(world_t* world, entity_t component);
    // Calls visit(target, policy) for each of them; null handles are left out.
    void (*each)(world_t* world, entity_t component, const void* value,
                 void (*visit)(void* context, entity_t target, handle_policy policy),
                 void* context);
    // The key of an index on the entities that values of the component name (value_index.hpp).
    value_key* (*make_key)(world_t* world, entity_t component);
    // A number that changes when values of a component may have other handles than before.
    std::uint64_t (*version)(const world_t* world);
    // Makes the handles to `target` null whose policy is clear. Throws if memory is short; some
    // handles are null then.
    void (*clear)(world_t* world, entity_t component, void* value, entity_t target);
};

// Deletions ask these functions from here on. The rules live longer than the world.
void set_handle_rules(world_t* world, const handle_rules& rules);

}  // namespace kith::detail
