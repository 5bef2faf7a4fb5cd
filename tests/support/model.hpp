// A naive world of maps and sets: what kith must do, with nothing that makes it fast. Every
// operation works out what would become of the entity, refuses that if it may not be, and else
// replaces the old state. Ids are packed as in kith, so that states can be compared directly.
//
// Deferred calls are kept in a list. Running them means running one after the other; what hooks
// should hear is the difference between the states before and after.
//
// Used by tests/support/model_runner.hpp, which runs it beside kith.
#pragma once

#include <kith/error.hpp>
#include <kith/id.hpp>

#include "support/model_types.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace model {

using kith::entity_t;
using kith::errc;
using kith::id_t;

inline constexpr id_t name_id = kith::make_pair(kith::detail::identifier_type_id, kith::Name);

enum class event_kind : std::uint8_t { added, was_set, removed };

// What a hook heard, or should hear. The number is the value of a set event.
struct event {
    entity_t entity;
    id_t id;
    event_kind kind;
    std::int64_t number;

    auto operator<=>(const event&) const = default;
};

enum class call_kind : std::uint8_t {
    add,
    remove,
    set,
    emplace,
    ensure,  // get_mut, and write the value
    modified,
    set_name,
    clone,        // id: the source
    clone_types,  // id: the source
    clear,
    destruct,
    enable,
    disable,
    delete_with,
    remove_all,
};

struct call {
    call_kind kind;
    entity_t entity = 0;
    id_t id = 0;
    std::int64_t number = 0;
    std::string name = {};
};

struct result {
    std::optional<errc> error = std::nullopt;
    bool changed = false;
};

struct entity_state {
    std::map<id_t, std::int64_t> ids;  // with values, 0 for tags
    std::set<id_t> disabled;
    std::string name;

    bool has(id_t id) const { return ids.count(id) != 0; }
    bool operator==(const entity_state&) const = default;
};

struct command_error {
    errc code;
    // Kith need not notice: the command was on an entity that the flush deleted later on, or wrote
    // to the value of an earlier one.
    bool optional;
};

// What a flush should have done.
struct flush_report {
    std::vector<command_error> errors;
    // Commands on entities that others' commands had taken along; kith may have run them before.
    std::size_t dropped = 0;
    std::vector<bool> changed;  // per command
    // Hooks hear at least `net` and at most `gross`; exactly `net` if `exact`.
    std::vector<event> net;
    std::vector<event> gross;
    bool exact = true;
};

class world_model {
public:
    world_model() = default;
    // `others` are further entities that exist, and of which the model knows nothing else.
    world_model(std::vector<component> components, std::set<entity_t> others)
        : components_(std::move(components)), others_(std::move(others)) {}

    // -- entities
    std::map<entity_t, entity_state> alive;
    std::vector<event> events;  // of calls that ran at once

    bool is_alive(entity_t entity) const { return alive.count(entity) != 0; }
    // True if a new entity may have this id: the last index that became free, or the next fresh
    // one. Indices that one flush set free may come back in any order.
    bool may_be_next(entity_t entity) const {
        if (free_.empty()) {
            return entity == fresh_ || fresh_ == 0;
        }
        return free_.back().count(entity) != 0;
    }
    void create(entity_t entity) {
        if (free_.empty()) {
            fresh_ = kith::index_of(entity) + 1;
        } else {
            forget_free(kith::index_of(entity));
        }
        alive[entity];
    }
    std::optional<errc> check_make_alive(entity_t entity) const {
        bool other = alive_at(kith::index_of(entity)) != 0 && !is_alive(entity);
        return other ? std::optional(errc::invalid_entity) : std::nullopt;
    }
    void make_alive(entity_t entity) {
        forget_free(kith::index_of(entity));
        alive[entity];
    }
    entity_t alive_at(std::uint32_t index) const {
        for (const auto& [entity, state] : alive) {
            if (kith::index_of(entity) == index) {
                return entity;
            }
        }
        return 0;
    }
    // Types and builtins are always there.
    bool is_element(entity_t entity) const {
        return kith::index_of(entity) < kith::first_entity
                   ? entity != 0
                   : is_alive(entity) || others_.count(entity) != 0;
    }

    // -- what ids mean
    const component* component_of(std::uint32_t index) const {
        for (const component& one : components_) {
            if (one.id == index) {
                return &one;
            }
        }
        return nullptr;
    }
    // The component whose values the id has, or null.
    const component* value_type(id_t id) const {
        if (!kith::is_pair(id)) {
            const component* own = component_of(kith::index_of(id));
            return own && own->has_value && id < kith::first_entity ? own : nullptr;
        }
        if (kith::pair_first(id) == kith::ChildOf) {
            return nullptr;
        }
        const component* relation = component_of(kith::pair_first(id));
        const component* target = component_of(kith::pair_second(id));
        if (relation && relation->only_tags) {
            return nullptr;
        }
        if (relation && relation->has_value) {
            return relation;
        }
        return target && target->has_value ? target : nullptr;
    }
    // Hooks are those of the value's type, or of a relation that is a C++ type.
    bool has_hooks(id_t id) const {
        return value_type(id) || component_of(kith::is_pair(id) ? kith::pair_first(id)
                                                                : static_cast<std::uint32_t>(id));
    }
    bool is_exclusive(std::uint32_t relation) const {
        if (relation == kith::ChildOf) {
            return true;
        }
        if (const component* known = component_of(relation)) {
            return known->exclusive;
        }
        entity_t entity = alive_at(relation);
        return entity && alive.at(entity).has(kith::Exclusive);
    }
    std::optional<errc> check_id(id_t id) const {
        bool elements = kith::is_pair(id) ? is_element_index(kith::pair_first(id)) &&
                                                is_element_index(kith::pair_second(id))
                                          : is_element(id);
        return id == 0 || kith::is_wildcard(id) || !elements ? std::optional(errc::invalid_id)
                                                             : std::nullopt;
    }

    // -- reading
    entity_t parent_of(const entity_state& state) const {
        for (const auto& [id, number] : state.ids) {
            if (kith::is_pair(id) && kith::pair_first(id) == kith::ChildOf) {
                return is_element_index(kith::pair_second(id)) ? full_id(kith::pair_second(id)) : 0;
            }
        }
        return 0;
    }
    entity_t find_named(entity_t parent, const std::string& name) const {
        for (const auto& [entity, state] : alive) {
            if (state.has(name_id) && state.name == name && parent_of(state) == parent) {
                return entity;
            }
        }
        return 0;
    }
    std::vector<entity_t> holders(id_t pattern) const {
        std::vector<entity_t> found;
        for (const auto& [entity, state] : alive) {
            if (std::any_of(state.ids.begin(), state.ids.end(), [&](const auto& one) {
                    return kith::matches_id(pattern, one.first);
                })) {
                found.push_back(entity);
            }
        }
        return found;
    }

    // -- operations, at once
    result run(const call& request) {
        if (request.entity != 0 && !is_alive(request.entity)) {
            return {errc::invalid_entity};
        }
        switch (request.kind) {
            case call_kind::add:
                return add(request.entity, request.id);
            case call_kind::remove:
                return remove(request.entity, request.id);
            case call_kind::set:
            case call_kind::emplace:
            case call_kind::ensure:
                return give(request);
            case call_kind::modified:
                if (!alive[request.entity].has(request.id)) {
                    return {errc::missing_component};
                }
                tell(request.entity, request.id, event_kind::was_set);
                return {std::nullopt, true};
            case call_kind::set_name:
                return set_name(request.entity, request.name);
            case call_kind::clone:
            case call_kind::clone_types:
                return clone(request.id, request.entity, request.kind == call_kind::clone);
            case call_kind::clear:
                return clear(request.entity);
            case call_kind::destruct:
                return destroy({request.entity});
            case call_kind::enable:
            case call_kind::disable:
                return toggle(request.entity, request.id, request.kind == call_kind::enable);
            case call_kind::delete_with:
                return destroy(holders(request.id));
            case call_kind::remove_all:
                return remove_all(request.id);
        }
        return {};
    }
    // A new entity that gets ids on the way, or none at all.
    std::optional<errc> check_new(const std::map<id_t, std::int64_t>& ids,
                                  const std::set<id_t>& given) const {
        for (const auto& [id, number] : ids) {
            const component* type = value_type(id);
            if (type && !type->constructible && !given.count(id)) {
                return errc::not_constructible;
            }
        }
        return std::nullopt;
    }
    void create_with(entity_t entity, const std::map<id_t, std::int64_t>& ids,
                     const std::set<id_t>& given) {
        create(entity);
        alive[entity].ids = ids;
        for (const auto& [id, number] : ids) {
            tell(entity, id, event_kind::added);
            if (given.count(id)) {
                tell(entity, id, event_kind::was_set);
            }
        }
    }

    // -- deferred
    std::vector<call> queue;

    // Runs the queue. Commands on entities that died meanwhile are dropped without an error.
    flush_report flush() {
        flush_report report;
        const std::map<entity_t, entity_state> before = alive;
        std::vector<event> outer = std::exchange(events, {});
        std::set<std::pair<entity_t, id_t>> notified;
        std::size_t freed_before = free_.size();
        std::vector<entity_t> failed;
        std::set<entity_t> deleted;
        for (const call& one : std::exchange(queue, {})) {
            report.exact &= can_fold(one);
            if (one.entity != 0 && !is_alive(one.entity)) {
                report.changed.push_back(false);
                report.dropped += before.count(one.entity) && !deleted.count(one.entity);
                continue;
            }
            if (one.kind == call_kind::destruct) {
                deleted.insert(one.entity);
            }
            std::size_t heard = events.size();
            // Properties that might go along are removed one by one.
            bool has_traits = one.entity != 0 && alive[one.entity].has(kith::Exclusive);
            report.exact &= !(has_traits && kith::is_wildcard(one.id));
            result outcome = run(one);
            report.changed.push_back(outcome.changed);
            if (outcome.error) {
                report.errors.push_back({*outcome.error, one.kind == call_kind::ensure});
                failed.push_back(one.entity);
            }
            for (std::size_t i = heard; i < events.size(); ++i) {
                const event& told = events[i];
                if (told.kind == event_kind::was_set) {
                    notified.insert({told.entity, told.id});
                } else if (told.kind == event_kind::removed) {
                    notified.erase({told.entity, told.id});
                }
            }
        }
        for (std::size_t i = 0; i < failed.size(); ++i) {
            report.errors[i].optional |= failed[i] != 0 && !is_alive(failed[i]);
        }
        merge_free(freed_before);
        report.gross = std::exchange(events, std::move(outer));
        add_net_events(before, notified, report.net);
        return report;
    }

private:
    static bool can_fold(const call& one) {
        switch (one.kind) {
            case call_kind::add:
            case call_kind::remove: {
                // Changes of names and parents keep their place among those of others.
                std::uint32_t relation = kith::is_pair(one.id) ? kith::pair_first(one.id) : 0;
                return one.id != kith::Exclusive && relation != kith::ChildOf &&
                       one.id != name_id && !kith::is_wildcard_element(relation);
            }
            case call_kind::set:
            case call_kind::emplace:
            case call_kind::ensure:
            case call_kind::modified:
                return true;
            default:
                return false;
        }
    }
    bool is_element_index(std::uint32_t index) const {
        return index < kith::first_entity ? index != 0
                                          : alive_at(index) != 0 || others_.count(index) != 0;
    }
    entity_t full_id(std::uint32_t index) const {
        return index < kith::first_entity ? index : alive_at(index);
    }
    void forget_free(std::uint32_t index) {
        for (std::set<entity_t>& group : free_) {
            std::erase_if(group, [&](entity_t one) { return kith::index_of(one) == index; });
        }
        std::erase_if(free_, [](const std::set<entity_t>& group) { return group.empty(); });
    }
    void merge_free(std::size_t from) {
        for (std::size_t i = from + 1; i < free_.size(); ++i) {
            free_[from].insert(free_[i].begin(), free_[i].end());
        }
        free_.resize(std::min(free_.size(), from + 1));
    }
    void tell(entity_t entity, id_t id, event_kind kind) {
        if (has_hooks(id)) {
            bool set = kind == event_kind::was_set;
            events.push_back({entity, id, kind, set ? alive[entity].ids[id] : 0});
        }
    }
    void add_net_events(const std::map<entity_t, entity_state>& before,
                        const std::set<std::pair<entity_t, id_t>>& notified,
                        std::vector<event>& net) const {
        const entity_state none;
        std::set<entity_t> all;
        for (const auto* world : {&before, &alive}) {
            for (const auto& [entity, state] : *world) {
                all.insert(entity);
            }
        }
        for (entity_t entity : all) {
            const entity_state& old = before.count(entity) ? before.at(entity) : none;
            const entity_state& now = alive.count(entity) ? alive.at(entity) : none;
            for (const auto& [id, number] : old.ids) {
                if (has_hooks(id) && !now.has(id)) {
                    net.push_back({entity, id, event_kind::removed, 0});
                }
            }
            for (const auto& [id, number] : now.ids) {
                if (has_hooks(id) && !old.has(id)) {
                    net.push_back({entity, id, event_kind::added, 0});
                }
                if (notified.count({entity, id})) {
                    net.push_back({entity, id, event_kind::was_set, number});
                }
            }
        }
    }

    // Replaces the state of an entity, if it may be so, and tells the hooks.
    result change(entity_t entity, const entity_state& after) {
        const entity_state before = alive[entity];
        entity_t parent = parent_of(after);
        if (parent != parent_of(before)) {
            for (entity_t at = parent; at != 0; at = alive.count(at) ? parent_of(alive[at]) : 0) {
                if (at == entity) {
                    return {errc::cycle};
                }
            }
            if (after.has(name_id)) {
                entity_t holder = find_named(parent, after.name);
                if (holder != 0 && holder != entity) {
                    return {errc::name_taken};
                }
            }
        }
        for (const auto& [id, number] : before.ids) {
            if (!after.has(id)) {
                tell(entity, id, event_kind::removed);
            }
        }
        entity_state& state = alive[entity] = after;
        std::erase_if(state.disabled, [&](id_t id) { return !state.has(id); });
        if (!state.has(name_id)) {
            state.name.clear();
        }
        for (const auto& [id, number] : after.ids) {
            if (!before.has(id)) {
                tell(entity, id, event_kind::added);
            }
        }
        return {std::nullopt, !(state == before)};
    }
    // Makes room for a new target of an exclusive relationship.
    void drop_replaced(entity_state& state, id_t added) const {
        if (kith::is_pair(added) && is_exclusive(kith::pair_first(added))) {
            std::erase_if(state.ids, [&](const auto& one) {
                return kith::matches_id(kith::make_pair(kith::pair_first(added), kith::Wildcard),
                                        one.first);
            });
        }
    }
    bool has_two_targets(entity_t relation) const {
        return std::any_of(alive.begin(), alive.end(), [&](const auto& one) {
            const auto& ids = one.second.ids;
            return std::count_if(ids.begin(), ids.end(), [&](const auto& held) {
                       return kith::matches_id(kith::make_pair(relation, kith::Wildcard),
                                               held.first);
                   }) > 1;
        });
    }

    result add(entity_t entity, id_t id) {
        if (std::optional<errc> fault = check_id(id)) {
            return {fault};
        }
        if (alive[entity].has(id)) {
            return {};
        }
        const component* type = value_type(id);
        if (type && !type->constructible) {
            return {errc::not_constructible};
        }
        if (id == kith::Exclusive && has_two_targets(entity)) {
            return {errc::constraint};
        }
        entity_state after = alive[entity];
        drop_replaced(after, id);
        after.ids[id] = 0;
        return change(entity, after);
    }
    result remove(entity_t entity, id_t pattern) {
        entity_state after = alive[entity];
        std::erase_if(after.ids,
                      [&](const auto& one) { return kith::matches_id(pattern, one.first); });
        return change(entity, after);
    }
    result clear(entity_t entity) { return change(entity, {}); }
    result give(const call& request) {
        entity_state& state = alive[request.entity];
        bool notifies = request.kind != call_kind::ensure;
        if (state.has(request.id)) {
            if (request.kind == call_kind::emplace) {
                return {errc::already_exists};
            }
            bool changed = std::exchange(state.ids[request.id], request.number) != request.number;
            if (notifies) {
                tell(request.entity, request.id, event_kind::was_set);
            }
            return {std::nullopt, changed || notifies};
        }
        if (std::optional<errc> fault = check_id(request.id)) {
            return {fault};
        }
        if (!notifies && !value_type(request.id)->constructible) {
            return {errc::not_constructible};
        }
        entity_state after = state;
        drop_replaced(after, request.id);
        after.ids[request.id] = request.number;
        result outcome = change(request.entity, after);
        if (!outcome.error && notifies) {
            tell(request.entity, request.id, event_kind::was_set);
        }
        return outcome;
    }
    result set_name(entity_t entity, const std::string& name) {
        entity_t holder = find_named(parent_of(alive[entity]), name);
        if (holder != 0) {
            return {holder == entity ? std::nullopt : std::optional(errc::name_taken)};
        }
        entity_state after = alive[entity];
        after.ids[name_id] = 0;
        after.name = name;
        return change(entity, after);
    }
    result clone(entity_t source, entity_t into, bool copy_values) {
        if (!is_alive(source)) {
            return {errc::invalid_entity};
        }
        const entity_state from = alive[source];
        entity_state after = alive[into];
        for (const auto& [id, number] : after.ids) {
            if (value_type(id)) {
                return {errc::invalid_operation};
            }
        }
        for (const auto& [id, number] : from.ids) {
            const component* type = value_type(id);
            if (type && copy_values && !type->copyable) {
                return {errc::not_copyable};
            }
            if (type && !copy_values && !type->constructible) {
                return {errc::not_constructible};
            }
        }
        for (const auto& [id, number] : from.ids) {
            if (id == name_id || after.has(id)) {
                continue;
            }
            entity_state room = after;
            drop_replaced(room, id);
            if (room.ids.size() != after.ids.size() ||
                (id == kith::Exclusive && has_two_targets(into))) {
                return {errc::constraint};
            }
            after.ids[id] = copy_values ? number : 0;
        }
        for (id_t id : from.disabled) {
            if (after.has(id)) {
                after.disabled.insert(id);
            }
        }
        std::vector<id_t> copied;
        for (const auto& [id, number] : after.ids) {
            if (copy_values && from.has(id) && value_type(id) && !alive[into].has(id)) {
                copied.push_back(id);
            }
        }
        result outcome = change(into, after);
        for (id_t id : copied) {
            if (!outcome.error) {
                tell(into, id, event_kind::was_set);
            }
        }
        return outcome;
    }
    result toggle(entity_t entity, id_t id, bool enabled) {
        entity_state& state = alive[entity];
        if (!state.has(id)) {
            return {errc::missing_component};
        }
        return {std::nullopt,
                enabled ? state.disabled.erase(id) != 0 : state.disabled.insert(id).second};
    }
    result remove_all(id_t pattern) {
        result all;
        for (entity_t entity : holders(pattern)) {
            result one = remove(entity, pattern);
            all.changed |= one.changed;
            if (one.error) {
                all.error = one.error;
                break;
            }
        }
        return all;
    }

    // Children before parents, siblings by their ids.
    void collect_dying(entity_t entity, std::vector<entity_t>& order) const {
        if (std::find(order.begin(), order.end(), entity) != order.end()) {
            return;
        }
        for (entity_t child : holders(kith::make_pair(kith::ChildOf, entity))) {
            collect_dying(child, order);
        }
        order.push_back(entity);
    }
    result destroy(const std::vector<entity_t>& roots) {
        std::vector<entity_t> order;
        for (entity_t root : roots) {
            collect_dying(root, order);
        }
        for (entity_t dying : order) {
            for (const auto& [id, number] : alive[dying].ids) {
                tell(dying, id, event_kind::removed);
            }
            alive.erase(dying);
            free_.push_back(
                {kith::make_entity_id(kith::index_of(dying),
                                      static_cast<std::uint16_t>(kith::generation_of(dying) + 1))});
            remove_uses(dying);
        }
        return {std::nullopt, !order.empty()};
    }
    void remove_uses(entity_t dead) {
        std::uint32_t index = kith::index_of(dead);
        for (auto& [entity, state] : alive) {
            entity_state after = state;
            std::erase_if(after.ids, [&](const auto& one) {
                id_t id = one.first;
                return kith::is_pair(id)
                           ? kith::pair_first(id) == index || kith::pair_second(id) == index
                           : id == dead;
            });
            if (after.ids.size() != state.ids.size()) {
                for (const auto& [id, number] : state.ids) {
                    if (!after.has(id)) {
                        tell(entity, id, event_kind::removed);
                    }
                }
                std::erase_if(after.disabled, [&](id_t id) { return !after.has(id); });
                state = after;
            }
        }
    }

    std::vector<component> components_;
    std::set<entity_t> others_;
    std::uint32_t fresh_ = 0;  // 0: not known before the first entity
    // Ids that new entities get, the next one last; those of one set in any order.
    std::vector<std::set<entity_t>> free_;
};

}  // namespace model
