// Deletion, and the policies for those who refer to deleted entities.
#include "support/model/world_model.hpp"

namespace model {

world_model::policy world_model::policy_of(entity_t deleted, id_t use, bool is_first) const {
    if (use & kith::Override) {
        return policy::remove;
    }
    std::uint32_t element = is_first ? kith::index_of(deleted) : kith::pair_first(use);
    entity_t condition = is_first ? kith::OnDelete : kith::OnDeleteTarget;
    if (has_property(element, kith::make_pair(condition, kith::Panic))) {
        return policy::panic;
    }
    if (has_property(element, kith::make_pair(condition, kith::Delete))) {
        return policy::erase;
    }
    const component* type = is_first ? component_of(element) : nullptr;
    bool said = has_property(element, kith::make_pair(condition, kith::Remove));
    return type && type->has_value && !said ? policy::panic : policy::remove;
}
// Calls visit(holder, id, is_first) for all ids that the entity is a part of.
template <class Visit>
void world_model::each_id_naming(entity_t entity, Visit&& visit) const {
    std::uint32_t index = kith::index_of(entity);
    each_state([&](entity_t holder, const entity_state& state) {
        for (const auto& [id, number] : state.ids) {
            if (!kith::is_pair(id)) {
                if ((id & ~kith::id_flags_mask) == entity) {
                    visit(holder, id, true);
                }
                continue;
            }
            if (kith::pair_first(id) == index) {
                visit(holder, id, true);
            }
            if (kith::pair_second(id) == index) {
                visit(holder, id, false);
            }
        }
    });
}

// Sources before their targets, siblings by their ids. True if there are cycles.
bool world_model::collect_dying(entity_t entity, std::set<entity_t>& marked,
                                std::vector<entity_t>& order) const {
    if (!marked.insert(entity).second) {
        return std::find(order.begin(), order.end(), entity) == order.end();
    }
    std::set<entity_t> sources;
    each_id_naming(entity, [&](entity_t holder, id_t id, bool is_first) {
        if (policy_of(entity, id, is_first) == policy::erase) {
            sources.insert(holder);
        }
    });
    bool cyclic = false;
    for (entity_t source : sources) {
        cyclic |= collect_dying(source, marked, order);
    }
    order.push_back(entity);
    return cyclic;
}
// Cycles are cut at the lowest ids.
std::vector<entity_t> world_model::order_of_dying(const std::vector<entity_t>& roots) const {
    std::vector<entity_t> order;
    std::set<entity_t> marked;
    bool cyclic = false;
    for (entity_t root : roots) {
        cyclic |= collect_dying(root, marked, order);
    }
    if (cyclic) {
        const std::set<entity_t> all = std::exchange(marked, {});
        order.clear();
        for (entity_t one : all) {
            collect_dying(one, marked, order);
        }
    }
    return order;
}
// Children that outlive their parents are roots from then on. Roots that die in the same step still
// have their names.
bool world_model::leaves_names_unique(const std::set<entity_t>& dying) {
    std::set<std::string> names;
    bool unique = true;
    for (const auto& [entity, state] : alive) {
        entity_t parent = parent_of(state);
        bool stays = dying.count(entity) == 0;
        if (stays && parent != 0 && dying.count(parent)) {
            note(effect::children_stay);
        }
        if (state.has(name_id) && (parent == 0 || (stays && dying.count(parent)))) {
            unique &= names.insert(state.name).second;
        }
    }
    return unique;
}
result world_model::destroy(const std::vector<entity_t>& roots) {
    const std::vector<entity_t> order = order_of_dying(roots);
    const std::set<entity_t> marked(order.begin(), order.end());
    std::set<errc> errors;
    for (entity_t dying : order) {
        if (!is_alive(dying)) {
            throw out_of_scope();  // a type
        }
        each_id_naming(dying, [&](entity_t holder, id_t id, bool is_first) {
            if (policy_of(dying, id, is_first) == policy::panic && !marked.count(holder)) {
                note(is_first ? effect::on_delete_panics : effect::on_delete_target_panics);
                errors.insert(errc::in_use);
            }
        });
    }
    if (!leaves_names_unique(marked)) {
        note(effect::childs_name_refused);
        errors.insert(errc::name_taken);
    }
    if (!keeps_targets_in_scope(marked)) {
        note(effect::late_one_of_refused);
        errors.insert(errc::constraint);
    }
    if (!errors.empty()) {
        return {errors};
    }
    touched.clear();
    for (entity_t dying : order) {
        each_id_naming(dying, [&](entity_t holder, id_t id, bool is_first) {
            policy what = policy_of(dying, id, is_first);
            if (what == policy::erase && marked.count(holder) &&
                kith::pair_first(id) != kith::ChildOf) {
                note(is_first ? effect::on_delete_deletes : effect::on_delete_target_deletes);
            } else if (what == policy::remove) {
                note(is_first ? effect::on_delete_removes : effect::on_delete_target_removes);
            }
        });
    }
    for (entity_t dying : order) {
        erase(dying);
    }
    return {{}, !order.empty()};
}
void world_model::erase(entity_t dying) {
    for (const auto& [id, number] : at(dying).ids) {
        notify(dying, id, event_kind::removed);
    }
    std::vector<std::pair<entity_t, id_t>> uses;
    each_id_naming(dying, [&](entity_t holder, id_t id, bool) {
        if (holder != dying) {
            uses.push_back({holder, id});
        }
    });
    for (const auto& [holder, id] : uses) {
        entity_state& of = state(holder);
        if (of.has(id)) {  // not yet, for pairs of one with itself
            notify(holder, id, event_kind::removed);
            of.ids.erase(id);
            of.since.erase(id);
            of.disabled.erase(id);
            touched.insert(holder);
        }
    }
    alive.erase(dying);
    by_index_.erase(kith::index_of(dying));
    touched.insert(dying);
    free_.push_back({kith::make_entity_id(
        kith::index_of(dying), static_cast<std::uint16_t>(kith::generation_of(dying) + 1))});
}

}  // namespace model
