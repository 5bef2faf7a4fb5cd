// The effects of (IsA, base): copies of marked ids and of a prefab's children, and slots.
#include "support/model/world_model.hpp"

namespace model {

void world_model::instantiate(entity_t entity, entity_t base, const std::vector<entity_t>& bases) {
    if (at(base).has(kith::Final) || is_below(base, entity, kith::IsA)) {
        return;  // will be refused
    }
    copies_ = true;
    copy_overrides(entity, base, bases);
    copy_time_ = ++clock_;
    if (at(base).has(kith::Prefab)) {
        if (is_below(entity, base, kith::ChildOf)) {
            throw out_of_scope();  // it would contain itself
        }
        std::map<entity_t, entity_t> copies = {{base, entity}};
        copy_children(base, entity, copies);
        fill_slots(copies);
    }
}

// Marks are inherited: each base passes on those of its own bases, the nearest first.
void world_model::collect_marks(entity_t base, std::set<entity_t>& known,
                                std::vector<id_t>& marks) const {
    if (!known.insert(base).second) {
        return;
    }
    for (const auto& [id, number] : at(base).ids) {
        if (id & kith::Override) {
            marks.push_back(id & ~kith::Override);
        }
    }
    for (entity_t next : targets(base, kith::IsA)) {
        collect_marks(next, known, marks);
    }
}
// True if an instance of the base gets a copy as the target of the slot, and no other target.
bool world_model::fills_slot(entity_t base, entity_t slot) const {
    if (!at(base).has(kith::Prefab) || targets(slot, kith::SlotOf).empty() ||
        has_two_targets(kith::index_of(slot))) {
        return false;
    }
    auto is_part = [&](entity_t one) { return one != base && is_below(one, base, kith::ChildOf); };
    const std::vector<entity_t> filled = targets(base, kith::index_of(slot));
    return std::any_of(filled.begin(), filled.end(), is_part) ||
           (at(slot).has(kith::make_pair(kith::SlotOf, base)) && is_part(slot));
}
void world_model::copy_overrides(entity_t entity, entity_t base,
                                 const std::vector<entity_t>& bases) {
    std::set<entity_t> known;
    std::vector<id_t> marks;
    collect_marks(base, known, marks);
    const entity_state before = at(entity);
    for (id_t id : marks) {
        bool hidden = is_plain_pair(id) && is_exclusive(kith::pair_first(id)) &&
                      !at(entity).has(id) && !targets(entity, kith::pair_first(id)).empty();
        const entity_t slot = is_plain_pair(id) ? alive_at(kith::pair_first(id)) : 0;
        const bool is_filled = slot != 0 && is_element(slot) &&
                               std::any_of(bases.begin(), bases.end(),
                                           [&](entity_t one) { return fills_slot(one, slot); });
        if (before.has(id) || hidden || is_filled) {
            continue;
        }
        const component* type = value_type(id);
        std::optional<seen> from = look(base, id);
        if (type && from && !type->copyable) {
            fault(errc::not_copyable);
        }
        note(from ? effect::override_copied : effect::override_default);
        // Without a value there, it begins as if it were added: another base may have one.
        put(entity, id, from ? std::optional(from->number) : std::nullopt);
        if (from && type && at(entity).has(id)) {
            assign_inverse_value(entity, id, from->number);
            note_copied(entity, id);
        }
    }
}
void world_model::note_copied(entity_t entity, id_t id) {
    std::pair<entity_t, id_t> copy = {entity, id};
    if (std::find(copied_.begin(), copied_.end(), copy) == copied_.end()) {
        copied_.push_back(copy);
    }
    entity_t other = is_plain_pair(id) ? alive_at(kith::pair_second(id)) : 0;
    if (other != 0 && other != entity && is_symmetric(kith::pair_first(id))) {
        id_t mirror = kith::make_pair(kith::pair_first(id), entity);
        if (value_type(mirror) && value_type(mirror) == value_type(id)) {
            copied_.push_back({other, mirror});
        }
    }
}

// Not its place in the hierarchy, and not what it is itself a relationship by.
bool world_model::is_copied(id_t id) {
    std::uint32_t relation = kith::is_pair(id) && !(id & kith::Override) ? kith::pair_first(id) : 0;
    return relation != kith::ChildOf && relation != kith::SlotOf && id != kith::Prefab &&
           !is_property(id);
}
void world_model::copy_children(entity_t from, entity_t to, std::map<entity_t, entity_t>& copies) {
    std::uint64_t last = ~std::uint64_t{0};  // when the child before this one came
    std::uint64_t tie = 0;                   // and when its copy did
    for (entity_t child : sources(kith::ChildOf, from)) {
        const entity_state original = at(child);
        if (original.has(name_id) && find_named(to, original.name) != 0) {
            fault(errc::name_taken);
            return;
        }
        for (const auto& [id, number] : original.ids) {
            const component* type = stays_with_partner(id) ? nullptr : value_type(id);
            if (type && !type->copyable) {
                fault(errc::not_copyable);
                return;
            }
        }
        if (!faults_.empty()) {
            return;  // kith made none, so there is nothing to find
        }
        entity_t copy = find_copy(to, child);
        if (copy == 0 || is_element(copy)) {
            fault(errc::limit);  // kith did not make it: the runner reports that
            return;
        }
        create(copy);
        created_.push_back(copy);
        edit(copy);
        note(effect::child_copied);
        if (parent_of(at(from)) != 0 && copies.count(parent_of(at(from)))) {
            note(effect::grandchild_copied);
        }
        for (const auto& [id, number] : original.ids) {
            if (!is_copied(id) || (id & kith::Override && !at(to).has(kith::Prefab))) {
                continue;
            }
            if (stays_with_partner(id)) {
                continue;
            }
            // Children may be copied in any order, so all of it comes at one time.
            put_plain(copy, id, number);
            edit(copy).since[id] = copy_time_;
            mirror_together(copy, id, number, copy_time_);
            if (value_type(id)) {
                copied_.push_back({copy, id});
            }
        }
        edit(copy).name = original.name;
        for (id_t id : original.disabled) {
            if (at(copy).has(id)) {
                edit(copy).disabled.insert(id);
            }
        }
        put(copy, kith::make_pair(kith::ChildOf, to), std::nullopt);
        auto since = original.since.find(kith::make_pair(kith::ChildOf, from));
        if (since != original.since.end() && since->second == last) {
            // Children in no known order among themselves are copied in no known order.
            edit(copy).since[kith::make_pair(kith::ChildOf, to)] = tie;
        } else if (since != original.since.end()) {
            last = since->second;
            tie = at(copy).since.at(kith::make_pair(kith::ChildOf, to));
        }
        if (at(copy).has(kith::Prefab)) {
            note(effect::prefab_copied);
        }
        copies[child] = copy;
        copy_children(child, copy, copies);
    }
}
// Whoever stands for the parent of a slot finds the copy by the slot. In prefabs, copies of slots
// are slots again; and what fills a slot of the base's own base is copied like all the others.
void world_model::fill_slots(const std::map<entity_t, entity_t>& copies) {
    entity_t base = 0;
    for (const auto& [original, copy] : copies) {
        if (copies.count(parent_of(at(original))) == 0) {
            base = original;
            continue;
        }
        for (entity_t owner : targets(original, kith::SlotOf)) {
            auto found = copies.find(owner);
            if (found == copies.end()) {
                continue;
            }
            fill_slot(found->second, original, copy);
            if (at(copies.at(parent_of(at(original)))).has(kith::Prefab)) {
                put(copy, kith::make_pair(kith::SlotOf, found->second), std::nullopt);
            }
        }
    }
    const entity_state of_base = at(base);
    for (const auto& [id, number] : of_base.ids) {
        entity_t slot = is_plain_pair(id) ? alive_at(kith::pair_first(id)) : 0;
        auto filled = copies.find(is_plain_pair(id) ? alive_at(kith::pair_second(id)) : 0);
        if (slot != 0 && is_element(slot) && filled != copies.end() && filled->first != base &&
            !targets(slot, kith::SlotOf).empty()) {
            fill_slot(copies.at(base), slot, filled->second);
        }
    }
}
void world_model::fill_slot(entity_t holder, entity_t slot, entity_t copy) {
    if (!faults_.empty()) {
        return;
    }
    note(effect::slot_filled);
    if (!has_two_targets(kith::index_of(slot))) {
        put(slot, kith::Union, std::nullopt);
    }
    put(holder, kith::make_pair(slot, copy), std::nullopt);
}
void world_model::become_prefab(entity_t entity) {
    if (!at(entity).has(kith::Prefab)) {
        put_plain(entity, kith::Prefab, 0);
    }
    for (entity_t child : sources(kith::ChildOf, entity)) {
        if (!at(child).has(kith::Prefab)) {
            become_prefab(child);
        }
    }
}

}  // namespace model
