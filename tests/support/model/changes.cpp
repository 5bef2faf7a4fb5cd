// The operations, and the transactions that they are made of.
#include "support/model/world_model.hpp"

namespace model {

// -- transactions

void world_model::begin() {
    saved_.clear();
    created_.clear();
    copied_.clear();
    unheard_.clear();
    faults_.clear();
    copies_ = false;
}
entity_state& world_model::edit(entity_t entity) {
    entity_state& current = state(entity);
    saved_.try_emplace(entity, current);
    return current;
}
void world_model::roll_back() {
    for (auto& [entity, before] : saved_) {
        state(entity) = std::move(before);
    }
    saved_.clear();
    touched.clear();
}
result world_model::commit() {
    // Which of several faults is raised is up to kith.
    check_rules();
    if (!faults_.empty()) {
        if (copies_) {
            throw out_of_scope();
        }
        roll_back();
        for (entity_t made : created_) {
            alive.erase(made);
            by_index_.erase(kith::index_of(made));
        }
        return {std::exchange(faults_, {})};
    }
    result outcome;
    touched.clear();
    for (const auto& [entity, before] : saved_) {
        touched.insert(entity);
        for (const auto& [id, number] : before.ids) {
            if (!at(entity).has(id) && unheard_.count({entity, id}) == 0) {
                notify(entity, id, event_kind::removed);
            }
        }
    }
    for (const auto& [entity, before] : saved_) {
        entity_state& now = state(entity);
        std::erase_if(now.disabled, [&](id_t id) { return !now.has(id); });
        if (!now.has(name_id)) {
            now.name.clear();
        }
        for (const auto& [id, number] : now.ids) {
            if (!before.has(id)) {
                notify(entity, id, event_kind::added);
            }
        }
        outcome.changed |= !(now == before);
    }
    for (const auto& [entity, before] : saved_) {
        for (const auto& [id, number] : at(entity).ids) {
            if (!before.has(id) && is_enum_pair(id)) {
                notify(entity, id, event_kind::was_set);
            }
        }
    }
    // Of symmetric pairs both sides may have been copied; each is set once.
    const auto copies = static_cast<std::ptrdiff_t>(events.size());
    for (const auto& [entity, id] : copied_) {
        auto is_same = [&, holder = entity, what = id](const event& one) {
            return one.entity == holder && one.id == what;
        };
        if (at(entity).has(id) &&  // and not replaced by a slot
            std::none_of(events.begin() + copies, events.end(), is_same)) {
            notify_set(entity, id);
        }
    }
    return outcome;
}

void world_model::notify(entity_t entity, id_t id, event_kind kind) {
    if (has_hooks(id)) {
        bool set = kind == event_kind::was_set;
        events.push_back({entity, id, kind, set ? at(entity).ids.at(id) : 0});
    }
}
// A value that was set is set on the other side, too.
void world_model::notify_set(entity_t entity, id_t id) {
    notify(entity, id, event_kind::was_set);
    if (is_plain_pair(id) && is_symmetric(kith::pair_first(id))) {
        entity_t other = alive_at(kith::pair_second(id));
        id_t mirror = kith::make_pair(kith::pair_first(id), entity);
        if (other != entity && value_type(mirror) && value_type(mirror) == value_type(id)) {
            notify(other, mirror, event_kind::was_set);
        }
    }
}

// -- parts of operations

void world_model::put_plain(entity_t entity, id_t id, std::int64_t number) {
    entity_state& now = edit(entity);
    if (!now.has(id)) {
        now.since[id] = ++clock_;
    }
    now.ids[id] = number;
}
// A component that the entity inherits begins with the base's value.
std::int64_t world_model::initial_value(entity_t entity, id_t id) {
    const component* type = value_type(id);
    if (!type) {
        return 0;
    }
    if (std::optional<seen> inherited = look(entity, id)) {
        if (!type->copyable) {
            fault(errc::not_copyable);
        }
        note(effect::copied_from_base);
        return inherited->number;
    }
    if (!type->constructible) {
        fault(errc::not_constructible);
    }
    return 0;
}
// Hooks refuse some values.
bool world_model::has_validator(id_t id) const {
    const component* type = value_type(id);
    return type && is_validated(static_cast<std::uint8_t>(type - components_.data()));
}
void world_model::check_value(id_t id, std::int64_t number) {
    if (has_validator(id) && is_refused_number(number)) {
        note(effect::value_refused);
        fault(errc::constraint);
    }
}
// Adds an id, with all that follows from it.
void world_model::put(entity_t entity, id_t id, std::optional<std::int64_t> number) {
    if (at(entity).has(id)) {
        if (number) {
            edit(entity).ids[id] = *number;
        }
        return;
    }
    std::int64_t value = number ? *number : initial_value(entity, id);
    if (!is_plain_pair(id)) {
        put_plain(entity, id, value);
        if (id & kith::Override) {
            return;
        }
        for (entity_t other : withs(kith::index_of(id))) {
            if (!at(entity).has(other)) {
                note(effect::with_adds);
                put(entity, other, std::nullopt);
            }
        }
        return;
    }
    std::uint32_t relation = kith::pair_first(id);
    entity_t target = alive_at(kith::pair_second(id));
    drop_replaced(entity, id);
    const bool closes_cycle = is_acyclic(relation) && is_below(target, entity, relation);
    put_plain(entity, id, value);
    count_pair(entity, id);
    for (entity_t other : withs(relation)) {
        id_t along = kith::make_pair(other, target);
        if (!at(entity).has(along)) {
            note(effect::with_adds_pair);
            put(entity, along, std::nullopt);
        }
    }
    if (closes_cycle) {
        fault(errc::cycle);  // maybe not the only one, but nothing can follow from it
        return;
    }
    mirror(entity, id, value);
    if (relation == kith::IsA) {
        instantiate(entity, target, {target});
    } else if (relation == kith::ChildOf && at(target).has(kith::Prefab)) {
        note(effect::child_of_prefab);
        become_prefab(entity);
    }
}
// The other side of a symmetric pair that was added.
void world_model::mirror(entity_t entity, id_t id, std::int64_t value) {
    entity_t target = is_plain_pair(id) ? alive_at(kith::pair_second(id)) : 0;
    if (target == 0 || target == entity || !is_symmetric(kith::pair_first(id))) {
        return;
    }
    id_t back = kith::make_pair(kith::pair_first(id), entity);
    bool same = value_type(back) && value_type(back) == value_type(id);
    if (same && !value_type(id)->copyable) {
        fault(errc::not_copyable);
    }
    note(effect::symmetric_mirrors);
    put(target, back, same ? std::optional(value) : std::nullopt);
}
// One of several that are copied: targets come in no particular order.
void world_model::mirror_together(entity_t entity, id_t id, std::int64_t value,
                                  std::uint64_t time) {
    mirror(entity, id, value);
    entity_t target = is_plain_pair(id) ? alive_at(kith::pair_second(id)) : 0;
    id_t back = kith::make_pair(kith::pair_first(id), entity);
    if (target != 0 && target != entity && is_symmetric(kith::pair_first(id)) &&
        at(target).has(back)) {
        edit(target).since[back] = time;
    }
}
void world_model::count_pair(entity_t entity, id_t id) {
    std::uint32_t relation = kith::pair_first(id);
    if (relation == kith::ChildOf) {
        return;
    }
    const component* type = value_type(id);
    const component* own = component_of(relation);
    bool sparse = is_sparse(relation);
    note(!type                   ? effect::untyped_pair
         : own && own->has_value ? effect::first_typed_pair
                                 : effect::second_typed_pair);
    note(sparse ? effect::sparse_pair : effect::dense_pair);
    if (type) {
        note(sparse ? effect::sparse_pair_value : effect::dense_pair_value);
    } else if (value_type_ignoring_tag(id) && relation >= kith::first_entity) {
        note(effect::tag_has_no_value);
    }
    if (sparse && targets(entity, relation).size() > 1) {
        note(effect::sparse_many_targets);
    }
    if (entity == alive_at(kith::pair_second(id))) {
        note(effect::self_pair);
    }
    if (has_property(relation, kith::OneOf) ||
        has_matching(at(alive_at(relation)), kith::make_pair(kith::OneOf, kith::Wildcard))) {
        note(effect::one_of_accepts);
    }
}
// Makes room for a new target of an exclusive relationship.
void world_model::drop_replaced(entity_t entity, id_t id) {
    std::uint32_t relation = kith::pair_first(id);
    if (!is_exclusive(relation)) {
        return;
    }
    for (entity_t old : targets(entity, relation)) {
        note(has_property(relation, kith::Union) ? effect::union_replaces
                                                 : effect::exclusive_replaces);
        if (is_symmetric(relation)) {
            note(effect::symmetric_unlinks);
        }
        drop(entity, kith::make_pair(relation, old));
    }
}
void world_model::drop(entity_t entity, id_t id) {
    entity_state& now = edit(entity);
    if (!has_hooks(id)) {
        unheard_.insert({entity, id});  // a property that goes, too, might make it another id
    }
    now.ids.erase(id);
    now.since.erase(id);
    if (is_plain_pair(id) && is_symmetric(kith::pair_first(id))) {
        entity_t other = alive_at(kith::pair_second(id));
        id_t mirror = kith::make_pair(kith::pair_first(id), entity);
        if (other != entity && at(other).has(mirror)) {
            note(effect::symmetric_removes);
            entity_state& there = edit(other);
            there.ids.erase(mirror);
            there.since.erase(mirror);
        }
    }
}
void world_model::assign_inverse_value(entity_t entity, id_t id, std::int64_t number) {
    if (!is_plain_pair(id) || !is_symmetric(kith::pair_first(id))) {
        return;
    }
    entity_t other = alive_at(kith::pair_second(id));
    id_t mirror = kith::make_pair(kith::pair_first(id), entity);
    if (other != entity && value_type(mirror) && value_type(mirror) == value_type(id)) {
        note(effect::symmetric_value);
        edit(other).ids[mirror] = number;
    }
}

// -- operations

result world_model::run(const call& request) {
    touched.clear();
    if (request.entity != 0 && !is_element(request.entity)) {
        return {{errc::invalid_entity}};
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
        case call_kind::set_override:
        case call_kind::emplace_override:
            return give_override(request);
        case call_kind::modified:
            if (!at(request.entity).has(request.id)) {
                return {{errc::missing_component}};
            }
            if (!value_type(request.id)) {
                return {{errc::wrong_type}};
            }
            begin();
            assign_inverse_value(request.entity, request.id, at(request.entity).ids.at(request.id));
            commit();
            notify_set(request.entity, request.id);
            return {{}, true};
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
        case call_kind::declare:
            return declare(request);
    }
    return {};
}

result world_model::create_with(entity_t entity,
                                const std::vector<std::pair<id_t, std::int64_t>>& ids,
                                const std::set<id_t>& given) {
    create(entity);
    begin();
    for (const auto& [id, number] : ids) {
        if (given.count(id)) {
            check_value(id, number);
        }
        put(entity, id, given.count(id) ? std::optional(number) : std::nullopt);
    }
    result outcome = commit();
    for (const auto& [id, number] : ids) {
        if (outcome.errors.empty() && given.count(id)) {
            notify_set(entity, id);
        }
    }
    touched.insert(entity);
    return outcome;
}

result world_model::add(entity_t entity, id_t id) {
    if (std::optional<errc> bad = check_id(id)) {
        return {{*bad}};
    }
    if (at(entity).has(id)) {
        return {};
    }
    begin();
    put(entity, id, std::nullopt);
    return commit();
}
result world_model::remove(entity_t entity, id_t pattern) {
    begin();
    const entity_state before = at(entity);
    for (const auto& [id, number] : before.ids) {
        if (kith::matches_id(pattern, id)) {
            drop(entity, id);
        }
    }
    return commit();
}
result world_model::clear(entity_t entity) {
    begin();
    const entity_state before = at(entity);
    // Pairs first: what a relationship has of itself goes by the properties that it had.
    for (bool pairs : {true, false}) {
        for (const auto& [id, number] : before.ids) {
            if (is_plain_pair(id) == pairs) {
                drop(entity, id);
            }
        }
    }
    return commit();
}
result world_model::give(const call& request) {
    bool notifies = request.kind != call_kind::ensure;
    bool had = at(request.entity).has(request.id);
    if (had && !value_type(request.id)) {
        return {{errc::wrong_type}};  // it is a tag by now
    }
    if (had && request.kind == call_kind::emplace) {
        return {{errc::already_exists}};
    }
    if (!had) {
        if (std::optional<errc> bad = check_id(request.id)) {
            return {{*bad}};
        }
        if (!value_type(request.id)) {
            return {{errc::wrong_type}};
        }
    }
    begin();
    check_value(request.id, request.number);
    if (notifies) {
        put(request.entity, request.id, request.number);
        assign_inverse_value(request.entity, request.id, request.number);
    } else {
        // The value is written after the id was added: the other side gets it with modified().
        put(request.entity, request.id, std::nullopt);
        edit(request.entity).ids[request.id] = request.number;
    }
    result outcome = commit();
    if (outcome.errors.empty() && notifies) {
        notify_set(request.entity, request.id);
        outcome.changed = true;
    }
    return outcome;
}
result world_model::give_override(const call& request) {
    call plain = request;
    plain.kind = request.kind == call_kind::set_override ? call_kind::set : call_kind::emplace;
    result value = give(plain);
    if (value.errors.empty()) {
        const std::set<entity_t> changed = touched;
        value.changed |= add(request.entity, kith::Override | request.id).changed;
        touched.insert(changed.begin(), changed.end());
    }
    return value;
}
result world_model::set_name(entity_t entity, const std::string& name) {
    entity_t holder = find_named(parent_of(at(entity)), name);
    if (holder != 0) {
        return holder == entity ? result{} : result{{errc::name_taken}};
    }
    begin();
    put_plain(entity, name_id, 0);
    edit(entity).name = name;
    return commit();
}
result world_model::declare(const call& request) {
    for (id_t id : request.ids) {
        if (std::optional<errc> bad = check_id(id)) {
            return {{*bad, errc::invalid_entity}};
        }
    }
    begin();
    for (id_t id : request.ids) {
        put(request.entity, id, std::nullopt);
    }
    return commit();
}
// Not copied: the partner has one already.
bool world_model::stays_with_partner(id_t id) const {
    return is_plain_pair(id) && is_exclusive(kith::pair_first(id)) &&
           is_symmetric(kith::pair_first(id));
}
// Faults that do not depend on what is copied first.
void world_model::check_clone(const entity_state& from, entity_t into, bool copy_values) {
    bool brings_property = false;
    bool names_copy = false;
    for (const auto& [id, number] : from.ids) {
        brings_property |= is_property(id) && id != kith::Sparse && !at(into).has(id);
        names_copy |= is_plain_pair(id) ? kith::pair_first(id) == kith::index_of(into) : id == into;
        const component* type = stays_with_partner(id) ? nullptr : value_type(id);
        if (type && copy_values && !type->copyable) {
            fault(errc::not_copyable);
        }
        if (type && !copy_values && !type->constructible) {
            fault(errc::not_constructible);
        }
    }
    if (brings_property && names_copy) {
        fault(errc::constraint);
    }
}
result world_model::clone(entity_t source, entity_t into, bool copy_values) {
    if (!is_alive(source)) {
        return {{errc::invalid_entity}};
    }
    const entity_state from = at(source);
    const entity_state before = at(into);
    for (const auto& [id, number] : before.ids) {
        if (value_type(id)) {
            return {{errc::invalid_operation}};
        }
    }
    begin();
    check_clone(from, into, copy_values);
    std::vector<id_t> copied;
    std::vector<entity_t> bases;
    const std::uint64_t time = ++clock_;
    for (const auto& [id, number] : from.ids) {
        if (id == name_id || at(into).has(id)) {
            continue;
        }
        if (stays_with_partner(id)) {
            continue;
        }
        if (is_plain_pair(id) && is_exclusive(kith::pair_first(id)) &&
            !targets(into, kith::pair_first(id)).empty()) {
            fault(errc::constraint);
            continue;
        }
        put_plain(into, id, copy_values ? number : 0);
        edit(into).since[id] = time;
        mirror_together(into, id, copy_values ? number : 0, time);
        if (is_plain_pair(id) && kith::pair_first(id) == kith::IsA) {
            bases.push_back(alive_at(kith::pair_second(id)));
        } else if (is_plain_pair(id) && kith::pair_first(id) == kith::ChildOf &&
                   has_property(kith::pair_second(id), kith::Prefab)) {
            become_prefab(into);
        }
        if (copy_values && value_type(id)) {
            copied.push_back(id);
        }
    }
    // What bases bring along does not replace what the source has of its own, slots aside. Nothing
    // follows from a cycle of bases, which is refused.
    if (!is_cyclic(kith::IsA)) {
        for (entity_t base : bases) {
            instantiate(into, base, bases);
        }
    }
    for (id_t id : from.disabled) {
        if (at(into).has(id)) {
            edit(into).disabled.insert(id);
        }
    }
    result outcome = commit();
    for (id_t id : copied) {
        if (outcome.errors.empty() && at(into).has(id)) {
            notify_set(into, id);
        }
    }
    return outcome;
}
result world_model::toggle(entity_t entity, id_t id, bool enabled) {
    if (!at(entity).has(id)) {
        return {{errc::missing_component}};
    }
    entity_state& now = state(entity);
    touched = {entity};
    return {{}, enabled ? now.disabled.erase(id) != 0 : now.disabled.insert(id).second};
}
// Taken from all holders, or, if one must keep it as things are, from nobody.
result world_model::remove_all(id_t pattern) {
    const world_model before = *this;
    result all;
    for (entity_t entity : holders(pattern)) {
        world_model tried = before;
        all.errors.merge(tried.remove(entity, pattern).errors);
    }
    if (!all.errors.empty()) {
        touched.clear();
        return all;
    }
    std::set<entity_t> all_touched;
    for (entity_t entity : holders(pattern)) {
        result one = remove(entity, pattern);
        all_touched.insert(touched.begin(), touched.end());
        all.changed |= one.changed;
        if (!one.errors.empty()) {
            *this = before;
            touched.clear();
            return {one.errors};
        }
    }
    touched = std::move(all_touched);
    return all;
}

}  // namespace model
