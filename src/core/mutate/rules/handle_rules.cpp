// Implements handle_rules.hpp.
#include "mutate/rules/handle_rules.hpp"

#include "base/assert.hpp"
#include "mutate/apply/values.hpp"
#include "mutate/rules/referrers.hpp"
#include "traits/traits.hpp"

#include <algorithm>

namespace kith::mutate {

using containers::purpose;
using storage::id_record;

namespace {

// Calls visit(holder, id, component) for the entities that own an id whose values may hold handles
// with a policy.
template <class Visit>
void each_ruled_value(stage& world, Visit&& visit) {
    const storage::store& data = world.data;
    const auto component_of = [&](const storage::id_info& id) {
        const entity_t component =
            id.value_type ? data.entities.alive_at(id.value_type->component) : 0;
        return component && world.deletion.handle_rules->applies(&world, component) ? component : 0;
    };
    for (std::uint32_t number = 0; number < data.ids.number_limit(); ++number) {
        const id_record* record = data.ids.by_number(number);
        if (!record || is_wildcard(record->id) || record->id & Override) {
            continue;
        }
        if (const entity_t component = component_of(*record)) {
            each_entity_with(data, *record,
                             [&](entity_t holder) { visit(holder, record->id, component); });
        }
    }
    for (const id_record* relation : data.link_ids) {
        if (!relation->links->has_values()) {
            continue;
        }
        each_link_source(data, *relation, 0, true, [&](entity_t source, std::uint32_t target) {
            const storage::id_info link = traits::describe_link(data, *relation, target);
            if (const entity_t component = component_of(link)) {
                visit(source, link.id, component);
            }
        });
    }
}

}  // namespace

void handle_index::collect(entity_t target) {
    KITH_ASSERT(is_needed(), "the world has rules for handles");
    struct scan {
        stage& world;
        containers::vec<handle_use>& uses;
        entity_t wanted;
        handle_use use;
    } state{world_, uses_, target, {}};
    each_ruled_value(world_, [&](entity_t holder, id_t id, entity_t component) {
        const void* value = find_own_value(world_, holder, id);
        if (!value) {
            return;
        }
        state.use = {0, holder, id, component, handle_policy::keep};
        world_.deletion.handle_rules->each(
            &world_, component, value,
            [](void* context, entity_t to, handle_policy policy) {
                scan& found = *static_cast<scan*>(context);
                if (found.wanted == 0 || found.wanted == to) {
                    found.use.target = to;
                    found.use.action = policy;
                    found.uses.push(found.world.data.mem, found.use, purpose::commands);
                }
            },
            &state);
    });
}

const handle_use* handle_index::find(entity_t target) {
    KITH_ASSERT(target != 0, "handles to nothing are not listed");
    if (searches_++ == 0) {
        collect(target);
        return uses_.begin();
    }
    if (!is_complete_) {
        uses_.clear();
        collect(0);
        std::sort(uses_.begin(), uses_.end(), [](const handle_use& a, const handle_use& b) {
            return a.target != b.target ? a.target < b.target : a.holder < b.holder;
        });
        is_complete_ = true;
    }
    return std::lower_bound(
        uses_.begin(), uses_.end(), target,
        [](const handle_use& use, entity_t wanted) { return use.target < wanted; });
}

}  // namespace kith::mutate
