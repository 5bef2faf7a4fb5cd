// Implements handle_rules.hpp.
#include "mutate/rules/handle_rules.hpp"

#include "base/assert.hpp"
#include "mutate/apply/values.hpp"
#include "mutate/rules/referrers.hpp"
#include "storage/value_index.hpp"
#include "traits/traits.hpp"

#include <algorithm>
#include <tuple>

namespace kith::mutate {

using containers::purpose;
using storage::id_record;

namespace {

bool is_before(const handle_use& a, const handle_use& b) noexcept {
    return std::tuple(a.target, a.holder, a.id) < std::tuple(b.target, b.holder, b.id);
}

}  // namespace

handle_index::~handle_index() {
    ids_.release(world_.data.mem, purpose::commands);
    found_.release(world_.data.mem, purpose::commands);
    read_.release(world_.data.mem, purpose::commands);
}

// -- the ids --------------------------------------------------------------------------------------

// Callbacks and iterations may have references, through which they write.
bool handle_index::may_settle() const noexcept {
    return !is_iterating() && world_.operation.callbacks == 0 &&
           !(world_.mode & detail::mode_redirected);
}

// The index on the handles of a component in tables; null if its values have to be read.
storage::value_index* handle_index::find_index(const id_record& record, entity_t component) {
    storage::value_indexes& indexes = *world_.data.indexes;
    if (record.id != component || record.sparse) {
        return nullptr;
    }
    if (!indexes.find_of_handles(component) && may_settle()) {
        indexes.add(world_.deletion.handle_rules->make_key(&world_, component));
    }
    return indexes.find_of_handles(component);
}

void handle_index::list_ids_of(entity_t component) {
    storage::store& data = world_.data;
    each_id_naming(data, component, [&](const id_record& record, bool is_first) {
        const bool is_listed = !is_first && pair_first(record.id) == index_of(component);
        if (record.value_type && record.value_type->component == index_of(component) &&
            !is_wildcard(record.id) && !(record.id & Override) && !is_listed) {
            ids_.push(data.mem, {record.id, component, find_index(record, component)},
                      purpose::commands);
        }
    });
}

void handle_index::list_ids() {
    const detail::handle_rules& rules = *world_.deletion.handle_rules;
    storage::store& data = world_.data;
    KITH_ASSERT(data.indexes, "a world with rules for handles can have indexes");
    const std::uint64_t version = rules.version(&world_);
    if (std::exchange(world_.deletion.handle_version, version) != version) {
        data.indexes->lose_handles();
    }
    for (const types::component_type* type : data.types) {
        const entity_t component = type ? data.entities.alive_at(type->component) : 0;
        if (component && rules.applies(&world_, component)) {
            list_ids_of(component);
        }
    }
}

// -- values that are read -------------------------------------------------------------------------

void handle_index::collect_value(const ruled_id& by, entity_t holder, entity_t target,
                                 use_list& into) {
    const void* value = find_own_value(world_, holder, by.id);
    if (!value) {
        return;
    }
    struct search {
        containers::memory& mem;
        use_list& into;
        entity_t wanted;
        handle_use use;
    } state{world_.data.mem, into, target, {0, holder, by.id, by.component, handle_policy::keep}};
    world_.deletion.handle_rules->each(
        &world_, by.component, value,
        [](void* context, entity_t to, handle_policy policy) {
            search& known = *static_cast<search*>(context);
            if (known.wanted == 0 || known.wanted == to) {
                known.use.target = to;
                known.use.action = policy;
                known.into.push(known.mem, known.use, purpose::commands);
            }
        },
        &state);
}

void handle_index::collect_id(const ruled_id& by, entity_t target, use_list& into) {
    if (const id_record* record = world_.data.ids.find(by.id)) {
        each_entity_with(world_.data, *record,
                         [&](entity_t holder) { collect_value(by, holder, target, into); });
    }
}

void handle_index::collect_all(entity_t target, use_list& into) {
    const storage::store& data = world_.data;
    for (const ruled_id& by : ids_) {
        if (!by.index) {
            collect_id(by, target, into);
        }
    }
    for (const id_record* relation : data.link_ids) {
        if (!relation->links->has_values()) {
            continue;
        }
        each_link_source(data, *relation, 0, true, [&](entity_t source, std::uint32_t to) {
            const storage::id_info link = traits::describe_link(data, *relation, to);
            const entity_t component =
                link.value_type ? data.entities.alive_at(link.value_type->component) : 0;
            if (component && world_.deletion.handle_rules->applies(&world_, component)) {
                collect_value({link.id, component, nullptr}, source, target, into);
            }
        });
    }
}

void handle_index::find_in_read_values(entity_t target) {
    if (searches_++ == 0) {
        collect_all(target, found_);
        return;
    }
    if (!is_complete_) {
        read_.clear();
        collect_all(0, read_);
        std::sort(read_.begin(), read_.end(), is_before);
        is_complete_ = true;
    }
    const handle_use* use = std::lower_bound(
        read_.begin(), read_.end(), target,
        [](const handle_use& one, entity_t wanted) { return one.target < wanted; });
    for (; use != read_.end() && use->target == target; ++use) {
        found_.push(world_.data.mem, *use, purpose::commands);
    }
}

// -- indexes --------------------------------------------------------------------------------------

void handle_index::find_by_index(const ruled_id& by, entity_t target) {
    if (!by.index->find_entities(target, may_settle(), candidates_)) {
        collect_id(by, target, found_);
        return;
    }
    for (const entity_t holder : candidates_) {
        collect_value(by, holder, target, found_);
    }
}

void handle_index::find(entity_t target) {
    KITH_ASSERT(is_needed(), "the world has rules for handles");
    KITH_ASSERT(target != 0, "handles to nothing are not listed");
    if (searches_ == 0) {
        list_ids();
    }
    found_.clear();
    for (const ruled_id& by : ids_) {
        if (by.index) {
            find_by_index(by, target);
        }
    }
    find_in_read_values(target);
    std::sort(found_.begin(), found_.end(), is_before);
}

}  // namespace kith::mutate
