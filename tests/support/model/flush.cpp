// Deferred calls.
#include "support/model/world_model.hpp"

namespace model {

flush_report world_model::flush() {
    flush_report report;
    const std::map<entity_t, entity_state> before = changeable();
    std::set<std::pair<entity_t, id_t>> hooked;  // properties may change that
    for (const auto& [entity, state] : before) {
        for (const auto& [id, number] : state.ids) {
            if (has_hooks(id)) {
                hooked.insert({entity, id});
            }
        }
    }
    std::vector<event> outer = std::exchange(events, {});
    std::set<std::pair<entity_t, id_t>> notified;
    std::size_t freed_before = free_.size();
    std::vector<entity_t> failed;
    std::set<entity_t> deleted;
    std::set<entity_t> all_touched;
    std::set<entity_t> intersected;
    entity_t last_linked = 0;
    for (const call& one : std::exchange(queue, {})) {
        report.exact &= can_fold(one);
        if (adds_link(one)) {
            // Links come in order: those of others between this one and the entity's earlier
            // commands keep them apart.
            report.exact &=
                intersected.count(one.entity) == 0 || last_linked == 0 || last_linked == one.entity;
            last_linked = one.entity;
        }
        intersected.insert(one.entity);
        if (one.entity != 0 && !is_element(one.entity)) {
            report.changed.push_back(false);
            report.dropped += before.count(one.entity) && !deleted.count(one.entity);
            continue;
        }
        if (one.kind == call_kind::destruct) {
            deleted.insert(one.entity);
        }
        std::size_t event_mask = events.size();
        // Properties that might go along are removed one by one.
        bool has_traits = one.entity != 0 && at(one.entity).has(kith::Exclusive);
        report.exact &= !(has_traits && kith::is_wildcard(one.id));
        result outcome = pair_is_current(one) ? run(one) : lose_element(one);
        // What a base has makes it matter in which order things are done.
        bool inherits =
            one.entity != 0 && is_element(one.entity) && !targets(one.entity, kith::IsA).empty();
        report.exact &= touched.size() <= 1 && !inherits;
        all_touched.insert(touched.begin(), touched.end());
        report.changed.push_back(outcome.changed);
        if (!outcome.errors.empty()) {
            report.errors.push_back({outcome.errors, one.kind == call_kind::ensure});
            failed.push_back(one.entity);
        }
        for (std::size_t i = event_mask; i < events.size(); ++i) {
            const event& told = events[i];
            if (told.kind == event_kind::was_set) {
                notified.insert({told.entity, told.id});
            } else if (told.kind == event_kind::removed) {
                notified.erase({told.entity, told.id});
            }
        }
    }
    for (std::size_t i = 0; i < failed.size(); ++i) {
        report.errors[i].optional |= failed[i] != 0 && !is_element(failed[i]);
    }
    merge_free(freed_before);
    touched = std::move(all_touched);
    report.gross = std::exchange(events, std::move(outer));
    add_net_events(before, hooked, notified, report.net);
    return report;
}

// Entities, and types, which have pairs if a symmetric relationship gives them one.
std::map<entity_t, entity_state> world_model::changeable() const {
    std::map<entity_t, entity_state> all = alive;
    for (const component& type : components_) {
        all.insert(*fixed.find(type.id));
    }
    return all;
}

// Who has got the index of an element since is not meant.
bool world_model::pair_is_current(const call& one) const {
    auto is_same = [&](entity_t meant, std::uint32_t index) {
        entity_t now = alive_at(index);
        return now == 0 || now == meant;
    };
    return one.elements.empty() || (is_same(one.elements[0], kith::pair_first(one.id)) &&
                                    is_same(one.elements[1], kith::pair_second(one.id)));
}
result world_model::lose_element(const call& one) {
    touched.clear();
    switch (one.kind) {
        case call_kind::remove:
        case call_kind::remove_all:
        case call_kind::delete_with:
            return {};
        case call_kind::modified:
        case call_kind::enable:
        case call_kind::disable:
            return {{errc::missing_component}};
        default:
            return {{errc::invalid_id}};
    }
}

bool world_model::can_fold(const call& one) const {
    switch (one.kind) {
        case call_kind::add:
        case call_kind::remove: {
            // Changes of names, parents, bases and properties keep their place among those of
            // others.
            std::uint32_t element =
                kith::is_pair(one.id) ? kith::pair_first(one.id) : kith::index_of(one.id);
            bool builtin = element >= kith::first_builtin && element < kith::first_overflow_type;
            return !builtin && one.id != name_id && !is_entangled(one.id) && !has_validator(one.id);
        }
        case call_kind::set:
        case call_kind::emplace:
        case call_kind::ensure:
            return !is_entangled(one.id) && !has_validator(one.id);  // else they run one by one
        case call_kind::modified:
            return !has_validator(one.id);
        default:
            return false;
    }
}
bool world_model::adds_link(const call& one) const {
    bool adds = one.kind == call_kind::add || one.kind == call_kind::set ||
                one.kind == call_kind::emplace || one.kind == call_kind::ensure;
    return adds && is_plain_pair(one.id) && is_sparse(kith::pair_first(one.id));
}
// Whether it may be added or removed depends on others, or makes others come along.
bool world_model::is_entangled(id_t id) const {
    std::uint32_t element = kith::is_pair(id) ? kith::pair_first(id) : kith::index_of(id);
    const entity_state* of = find_index(element);
    return kith::is_wildcard_element(element) || is_symmetric(element) || is_acyclic(element) ||
           !withs(element).empty() ||
           (of && (of->has(kith::OneOf) ||
                   has_matching(*of, kith::make_pair(kith::OneOf, kith::Wildcard)))) ||
           !holders(kith::make_pair(kith::With, element)).empty();
}
void world_model::merge_free(std::size_t from) {
    for (std::size_t i = from + 1; i < free_.size(); ++i) {
        free_[from].insert(free_[i].begin(), free_[i].end());
    }
    free_.resize(std::min(free_.size(), from + 1));
}
void world_model::add_net_events(const std::map<entity_t, entity_state>& before,
                                 const std::set<std::pair<entity_t, id_t>>& hooked,
                                 const std::set<std::pair<entity_t, id_t>>& notified,
                                 std::vector<event>& net) const {
    const entity_state none;
    const std::map<entity_t, entity_state> after = changeable();
    std::set<entity_t> all;
    for (const auto* world : {&before, &after}) {
        for (const auto& [entity, state] : *world) {
            all.insert(entity);
        }
    }
    for (entity_t entity : all) {
        const entity_state& old = before.count(entity) ? before.at(entity) : none;
        const entity_state& now = after.count(entity) ? after.at(entity) : none;
        for (const auto& [id, number] : old.ids) {
            if (hooked.count({entity, id}) && !now.has(id)) {
                net.push_back({entity, id, event_kind::removed, 0});
            }
        }
        for (const auto& [id, number] : now.ids) {
            if (has_hooks(id) && !old.has(id)) {
                net.push_back({entity, id, event_kind::added, 0});
            }
            // A constant that went and came again is the value that was there.
            if (notified.count({entity, id}) && !(is_enum_pair(id) && old.has(id))) {
                net.push_back({entity, id, event_kind::was_set, number});
            }
        }
    }
}

}  // namespace model
