#include "support/model/chooser.hpp"

#include <algorithm>

namespace model {

std::uint8_t chooser::free_slot(const runner& state) {
    return find_slot([&](std::uint8_t at) { return !state.is_slot_alive(at); });
}
std::uint8_t chooser::live_slot(const runner& state) {
    return find_slot([&](std::uint8_t at) { return state.is_slot_alive(at); });
}
std::uint8_t chooser::bare_slot(const runner& state) {
    return find_slot([&](std::uint8_t at) {
        return state.is_slot_alive(at) && state.state().alive.at(state.slot(at)).ids.size() < 2;
    });
}
bool chooser::has(const runner& state, std::uint8_t at, id_t id) {
    return state.is_slot_alive(at) && state.state().at(state.slot(at)).has(id);
}
bool chooser::has_parent(const runner& state, std::uint8_t at) {
    return state.is_slot_alive(at) &&
           state.state().parent_of(state.state().at(state.slot(at))) != 0;
}
bool chooser::is_relation(const runner& state, std::uint8_t at) {
    if (!state.is_slot_alive(at)) {
        return false;
    }
    const auto& ids = state.state().at(state.slot(at)).ids;
    return std::any_of(ids.begin(), ids.end(), [](const auto& one) {
        std::uint32_t element =
            kith::is_pair(one.first) ? kith::pair_first(one.first) : kith::index_of(one.first);
        return (element >= kith::Tag && element <= kith::Transient) || element == kith::OnDelete ||
               element == kith::OnDeleteTarget;
    });
}
std::uint8_t chooser::relation_slot(const runner& state) {
    return find_slot([&](std::uint8_t at) { return is_relation(state, at); });
}
std::uint8_t chooser::choose_base(const runner& state, std::uint8_t instance) {
    if (chance(12)) {
        return any_component();
    }
    return find_slot([&](std::uint8_t at) {
        return at != instance && state.is_slot_alive(at) &&
               (has(state, at, kith::Prefab) || chance(3)) &&
               state.slot(at) < state.slot(instance) && !has(state, at, kith::Final);
    });
}
void chooser::choose_property(const runner& state, op& made) {
    made.first = chance(5) ? any_component() : chance(2) ? relation_slot(state) : live_slot(state);
    made.second = chance(3) ? any_component() : live_slot(state);
    if (made.kind == op_kind::declare) {
        made.second = live_slot(state);
        made.number = 0;
        for (int i = 0; i < 2; ++i) {
            made.number |= 1 << below(property_count);
        }
        return;
    }
    made.number = static_cast<std::int32_t>(below(property_count));
    if (chance(8)) {
        made.first = element_child_of;
        made.number = chance(3) ? static_cast<std::int32_t>(on_target_remove + below(3)) : sparse;
    } else if (made.kind == op_kind::remove_property) {
        choose_held_property(state, made);
    }
}
void chooser::choose_held_property(const runner& state, op& made) {
    entity_t relation = state.element(made.first);
    if (!state.state().is_element(relation)) {
        return;
    }
    const entity_state& holder = state.state().at(relation);
    auto start = static_cast<std::int32_t>(below(property_count));
    for (std::int32_t i = 0; i < property_count; ++i) {
        const property& what = property_of(start + i);
        for (const auto& [id, number] : holder.ids) {
            bool same = what.second       ? id == kith::make_pair(what.first, what.second)
                        : what.has_target ? kith::is_pair(id) && kith::pair_first(id) == what.first
                                          : id == what.first;
            if (!same) {
                continue;
            }
            std::uint8_t target =
                what.has_target ? element_of(state, kith::pair_second(id)) : no_element;
            if (what.has_target && target == no_element) {
                continue;
            }
            made.number = (start + i) % property_count;
            made.second = target;
            return;
        }
    }
}
void chooser::choose_mark(const runner& state, op& made) {
    made.slot = find_slot([&](std::uint8_t at) {
        return state.is_slot_alive(at) &&
               state.state().at(state.slot(at)).ids.lower_bound(kith::Override) !=
                   state.state().at(state.slot(at)).ids.end();
    });
    choose_id(state, made, chance(3));
    if (!state.is_slot_alive(made.slot)) {
        return;
    }
    for (const auto& [id, number] : state.state().at(state.slot(made.slot)).ids) {
        if (!(id & kith::Override)) {
            continue;
        }
        bool pair = kith::is_pair(id);
        std::uint8_t first =
            element_of(state, pair ? kith::pair_first(id) : kith::index_of(id & ~kith::Override));
        std::uint8_t second = pair ? element_of(state, kith::pair_second(id)) : no_element;
        if (first != no_element && (!pair || second != no_element)) {
            made.first = first;
            made.second = second;
            return;
        }
    }
}
std::uint8_t chooser::choose_target(const runner& state, std::uint8_t relation) {
    std::uint8_t slot = live_slot(state);
    entity_t full = state.element(relation);
    if (!state.state().is_element(full)) {
        return slot;
    }
    const entity_state& of = state.state().at(full);
    entity_t parent = of.has(kith::OneOf) ? full : 0;
    for (const auto& [id, number] : of.ids) {
        if (kith::is_pair(id) && kith::pair_first(id) == kith::OneOf) {
            parent = state.state().alive_at(kith::pair_second(id));
        }
    }
    if (parent != 0 && !chance(3)) {
        return find_slot([&](std::uint8_t at) {
            return state.is_slot_alive(at) &&
                   state.state().parent_of(state.state().at(state.slot(at))) == parent;
        });
    }
    return slot;
}
bool chooser::may_mirror(const runner& state, std::uint8_t relation) {
    std::set<entity_t> known;
    std::vector<entity_t> open = {state.element(relation)};
    while (!open.empty()) {
        entity_t next = open.back();
        open.pop_back();
        if (!state.state().is_element(next) || !known.insert(next).second) {
            continue;
        }
        if (state.state().is_symmetric(kith::index_of(next))) {
            return true;
        }
        for (entity_t other : state.state().targets(next, kith::With)) {
            open.push_back(other);
        }
    }
    return false;
}
std::uint8_t chooser::any_component() {
    return first_component + static_cast<std::uint8_t>(below(color));
}
void chooser::choose_id(const runner& state, op& made, bool pair) {
    made.first = chance(pair ? 2 : 4) ? live_slot(state) : any_component();
    if (!pair) {
        return;
    }
    if (!chance(3)) {
        made.first = relation_slot(state);
    }
    made.second = chance(3) ? any_component() : choose_target(state, made.first);
    // Types that are targets of symmetric relationships can die, which ends the program.
    if (made.second >= slot_count && may_mirror(state, made.first) && !chance(24)) {
        made.second = live_slot(state);
    }
    if (chance(60)) {
        made.second = element_wildcard;
    }
}
void chooser::choose_valued(const runner& state, op& made, bool pair) {
    choose_held(state, made, pair);
    if (chance(3) && state.value_type(made)) {
        return;
    }
    for (int i = 0; i < 20; ++i) {
        made.second = no_element;
        choose_id(state, made, pair);
        if (made.second != element_wildcard && state.value_type(made)) {
            return;
        }
    }
}
void chooser::choose_known_number(const runner& state, op& made) {
    const id_t id = state.make_id(made);
    for (const auto& [entity, holder] : state.state().alive) {
        auto found = holder.ids.find(id);
        if (found != holder.ids.end() && chance(6)) {
            made.number = static_cast<std::int32_t>(found->second);
            return;
        }
    }
}
void chooser::choose_held(const runner& state, op& made, bool pair, bool disabled) {
    choose_id(state, made, pair);
    if (!state.is_slot_alive(made.slot) || chance(8)) {
        return;
    }
    const entity_state& holder = state.state().alive.at(state.slot(made.slot));
    const auto& ids = holder.ids;
    std::size_t start = ids.empty() ? 0 : below(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        auto at = std::next(ids.begin(), static_cast<std::ptrdiff_t>((start + i) % ids.size()));
        std::uint8_t first = no_element;
        std::uint8_t second = no_element;
        if (kith::is_pair(at->first)) {
            first = element_of(state, kith::pair_first(at->first));
            second = element_of(state, kith::pair_second(at->first));
        } else {
            first = element_of(state, kith::index_of(at->first));
        }
        if (at->first & kith::Override) {
            continue;
        }
        bool form =
            disabled ? holder.disabled.count(at->first) != 0 : kith::is_pair(at->first) == pair;
        if (form && first != no_element && (second != no_element || !kith::is_pair(at->first))) {
            made.first = first;
            made.second = second;
            return;
        }
    }
}
std::uint8_t chooser::element_of(const runner& state, std::uint32_t index) {
    if (index == kith::ChildOf) {
        return element_child_of;
    }
    if (index == kith::IsA || index == kith::SlotOf) {
        return index == kith::IsA ? element_is_a : element_slot_of;
    }
    for (std::uint8_t i = 0; i < slot_count; ++i) {
        if (kith::index_of(state.slot(i)) == index && state.is_slot_alive(i)) {
            return i;
        }
    }
    for (std::uint8_t i = 0; i < color; ++i) {
        std::uint8_t element = first_component + i;
        if (state.make_id({op_kind::add, 0, element}) == index) {
            return element;
        }
    }
    return no_element;
}
void chooser::choose_pattern(const runner& state, op& made) {
    choose_held(state, made, true);
    switch (below(6)) {
        case 0:
            made.first = element_wildcard;
            made.second = no_element;
            break;
        case 1:
            made.first = made.second = element_wildcard;
            break;
        case 2:
        case 3:
            made.first = element_wildcard;
            break;
        default:
            made.second = element_wildcard;
            break;
    }
}

}  // namespace model
