// Rules: checked when an operation has changed all that it changes.
#include "support/model/world_model.hpp"

namespace model {

void world_model::check_rules() {
    for (const auto& [entity, before] : saved_) {
        check_changed(entity, before);
    }
}
void world_model::check_changed(entity_t entity, const entity_state& before) {
    const entity_state& now = at(entity);
    check_place(entity, before);
    check_with(now);
    for (const auto& [id, number] : now.ids) {
        if (!before.has(id)) {
            check_added(entity, id);
        }
    }
    for (const auto& [id, number] : before.ids) {
        if (now.has(id)) {
            continue;
        }
        note_property_change(entity, id, false);
        if (is_plain_pair(id) && kith::pair_first(id) == kith::OneOf &&
            scope_of(entity, now) != scope_of(entity, before)) {
            check_property(entity, kith::OneOf);
        }
        // The pairs would have to get values.
        if (id == kith::Tag) {
            each_pair_of(kith::index_of(entity), [&](entity_t, id_t pair) {
                if (value_type_ignoring_tag(pair)) {
                    fault(errc::constraint);
                    fault(errc::in_use);
                }
            });
        }
    }
}

// Names, parents, and those who need a child where it is.
void world_model::check_place(entity_t entity, const entity_state& before) {
    const entity_state& now = at(entity);
    entity_t parent = parent_of(now);
    bool moved = parent != parent_of(before);
    if (now.has(name_id) && (moved || now.name != before.name)) {
        for (const auto& [other, state] : alive) {
            if (other != entity && state.has(name_id) && state.name == now.name &&
                parent_of(state) == parent) {
                fault(errc::name_taken);
            }
        }
    }
    if (!moved) {
        return;
    }
    each_state([&](entity_t, const entity_state& state) {
        for (const auto& [id, number] : state.ids) {
            if (is_plain_pair(id) && kith::pair_second(id) == kith::index_of(entity) &&
                !is_one_of(kith::pair_first(id), entity)) {
                note(effect::one_of_keeps_child);
                fault(errc::constraint);
            }
        }
    });
}
void world_model::check_with(const entity_state& state) {
    for (const auto& [id, number] : state.ids) {
        bool pair = is_plain_pair(id);
        if (id & kith::Override) {
            continue;
        }
        for (entity_t other : withs(pair ? kith::pair_first(id) : kith::index_of(id))) {
            if (!state.has(pair ? kith::make_pair(other, kith::pair_second(id)) : other)) {
                note(effect::with_refuses);
                fault(errc::constraint);
            }
        }
    }
}
bool world_model::is_one_of(std::uint32_t relation, entity_t target) const {
    const entity_state* of = find_index(relation);
    const entity_t parent = of ? scope_of(alive_at(relation), *of) : 0;
    return parent == 0 || parent == parent_of(at(target));
}
// Whose children the targets must be, 0 if they may be anybody.
entity_t world_model::scope_of(entity_t relation, const entity_state& state,
                               const std::set<entity_t>& dying) const {
    for (const auto& [id, number] : state.ids) {
        const bool names_scope = is_plain_pair(id) && kith::pair_first(id) == kith::OneOf;
        const entity_t scope = names_scope ? alive_at(kith::pair_second(id)) : 0;
        if (scope != 0 && dying.count(scope) == 0) {
            return scope;
        }
    }
    return state.has(kith::OneOf) ? relation : 0;
}
// A relationship that loses its scope may demand children of another one.
bool world_model::keeps_targets_in_scope(const std::set<entity_t>& dying) const {
    bool good = true;
    each_state([&](entity_t relation, const entity_state& state) {
        const entity_t scope = scope_of(relation, state, dying);
        if (dying.count(relation) != 0 || scope == 0 || scope == scope_of(relation, state)) {
            return;
        }
        each_pair_of(kith::index_of(relation), [&](entity_t holder, id_t id) {
            const entity_t target = alive_at(kith::pair_second(id));
            good &= dying.count(holder) != 0 || dying.count(target) != 0 ||
                    parent_of(at(target)) == scope;
        });
    });
    return good;
}
bool world_model::has_two_targets(std::uint32_t relation) const {
    std::map<entity_t, int> counts;
    bool found = false;
    each_pair_of(relation, [&](entity_t entity, id_t) { found |= ++counts[entity] > 1; });
    return found;
}
bool world_model::is_cyclic(std::uint32_t relation) const {
    bool found = false;
    each_pair_of(relation, [&](entity_t entity, id_t id) {
        found |= is_below(alive_at(kith::pair_second(id)), entity, relation);
    });
    return found;
}
// Each pair has its counterpart, with the same value.
bool world_model::is_mirrored(std::uint32_t relation) const {
    bool good = true;
    each_pair_of(relation, [&](entity_t entity, id_t id) {
        const entity_state& other = at(alive_at(kith::pair_second(id)));
        auto mirror = other.ids.find(kith::make_pair(relation, entity));
        good &= mirror != other.ids.end();
    });
    return good;
}
void world_model::note_cycle(std::uint32_t relation, bool self) {
    note(has_property(relation, kith::Traversable)  ? effect::traversable_refuses
         : has_property(relation, kith::Transitive) ? effect::transitive_refuses
                                                    : effect::acyclic_refuses);
    if (self) {
        note(effect::self_pair_refused);
    }
}

void world_model::check_added(entity_t entity, id_t id) {
    if (is_plain_pair(id)) {
        std::uint32_t relation = kith::pair_first(id);
        entity_t target = alive_at(kith::pair_second(id));
        if (relation == kith::IsA && at(target).has(kith::Final)) {
            note(effect::final_refuses);
            fault(errc::constraint);
        }
        if (!is_one_of(relation, target)) {
            note(effect::one_of_refuses);
            fault(errc::constraint);
        }
        if (is_acyclic(relation) && is_below(target, entity, relation)) {
            note_cycle(relation, target == entity);
            fault(errc::cycle);
        }
    }
    check_property(entity, id);
    if (faults_.empty()) {
        note_property_change(entity, id, true);
    }
}

// A property that was added must fit to what exists, and to the others.
void world_model::check_property(entity_t entity, id_t property) {
    std::uint32_t relation = kith::index_of(entity);
    auto refuse = [&](effect why, errc code = errc::constraint) {
        note(why);
        fault(code);
    };
    switch (property) {
        case kith::Exclusive:
        case kith::Union:
            if (has_two_targets(relation)) {
                refuse(effect::late_exclusive_refused);
            }
            return;
        case kith::Symmetric:
            if (is_acyclic(relation)) {
                refuse(effect::contradiction_refused);
            }
            if (!is_mirrored(relation)) {
                refuse(effect::late_symmetric_refused);
            }
            return;
        case kith::Acyclic:
        case kith::Traversable:
        case kith::Transitive:
            if (is_symmetric(relation)) {
                refuse(effect::contradiction_refused);
            }
            if (is_cyclic(relation)) {
                refuse(effect::late_acyclic_refused, errc::cycle);
                fault(errc::constraint);
            }
            return;
        case kith::Final:
            if (!holders(kith::make_pair(kith::IsA, entity)).empty()) {
                refuse(effect::late_final_refused);
            }
            return;
        case kith::Tag:
            each_pair_of(relation, [&](entity_t, id_t pair) {
                if (value_type_ignoring_tag(pair)) {
                    refuse(effect::late_tag_refused);
                }
            });
            return;
        default:
            break;
    }
    bool one_of = property == kith::OneOf ||
                  (is_plain_pair(property) && kith::pair_first(property) == kith::OneOf);
    if (one_of) {
        each_pair_of(relation, [&](entity_t, id_t pair) {
            if (!is_one_of(relation, alive_at(kith::pair_second(pair)))) {
                refuse(effect::late_one_of_refused);
            }
        });
    } else if (is_plain_pair(property) && kith::pair_first(property) == kith::With) {
        std::uint32_t other = kith::pair_second(property);
        each_state([&](entity_t, const entity_state& state) {
            bool good = !state.has(entity) || state.has(alive_at(other));
            for (const auto& [id, number] : state.ids) {
                good &= !is_plain_pair(id) || kith::pair_first(id) != relation ||
                        state.has(kith::make_pair(other, kith::pair_second(id)));
            }
            if (!good) {
                refuse(effect::late_with_refused);
            }
        });
    }
}
// Tables do not know the order in which sources came.
void world_model::forget_order(std::uint32_t relation) {
    for (auto* group : {&alive, &fixed}) {
        for (auto& [entity, state] : *group) {
            for (auto& [id, since] : state.since) {
                if (is_plain_pair(id) && kith::pair_first(id) == relation) {
                    since = 0;
                }
            }
        }
    }
}
// Counts what moves from one storage to the other.
void world_model::note_property_change(entity_t entity, id_t property, bool added) {
    if (property != kith::Sparse && property != kith::Union) {
        return;
    }
    bool used = false;
    std::uint32_t relation = kith::index_of(entity);
    each_pair_of(relation, [&](entity_t holder, id_t) { used |= is_alive(holder); });
    each_state([&](entity_t, const entity_state& state) { used |= state.has(entity); });
    if (!used) {
        return;
    }
    if (added) {
        forget_order(relation);
    }
    if (relation == kith::ChildOf) {
        note(added ? effect::child_of_to_sparse : effect::child_of_to_dense);
    } else {
        note(added ? effect::moved_to_sparse : effect::moved_to_dense);
    }
}

std::string world_model::check_invariants() const {
    std::string fault;
    each_state([&](entity_t entity, const entity_state& state) {
        std::uint32_t index = kith::index_of(entity);
        std::string name = "#" + std::to_string(index);
        if (is_exclusive(index) && has_two_targets(index)) {
            fault = name + " is exclusive and has two targets";
        }
        if (is_acyclic(index) && is_cyclic(index)) {
            fault = name + " is acyclic and has a cycle";
        }
        if (is_symmetric(index) && !is_mirrored(index)) {
            fault = name + " is symmetric and not mirrored";
        }
        if (is_symmetric(index) && is_acyclic(index)) {
            fault = name + " is symmetric and acyclic";
        }
        for (const auto& [id, number] : state.ids) {
            bool pair = is_plain_pair(id);
            std::uint32_t first = pair ? kith::pair_first(id) : kith::index_of(id);
            if (pair && (!find_index(first) || !find_index(kith::pair_second(id)))) {
                fault = name + " has a pair with somebody dead";
                continue;
            }
            for (entity_t other : withs(first)) {
                id_t along = pair ? kith::make_pair(other, kith::pair_second(id)) : other;
                if (!(id & kith::Override) && !state.has(along)) {
                    fault = name + " lacks what must come along";
                }
            }
            if (pair && !is_one_of(first, alive_at(kith::pair_second(id)))) {
                fault = name + " has a target that is none of its kind";
            }
            if (pair && first == kith::IsA && has_property(kith::pair_second(id), kith::Final)) {
                fault = name + " has a final base";
            }
        }
    });
    return fault;
}

}  // namespace model
