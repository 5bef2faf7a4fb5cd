#include "support/model/planner.hpp"

namespace model {

void planner::make_plan(const runner& state) {
    plan_.clear();
    next_ = 0;
    used_.clear();
    switch (below(27)) {
        case 0:
        case 1:
        case 2:
            return plan_prefab(state);
        case 3:
        case 4:
            return plan_with(state);
        case 5:
            return plan_one_of(state);
        case 6:
            return plan_symmetric(state);
        case 7:
            return plan_cycle(state);
        case 8:
            return plan_late_property(state);
        case 9:
        case 10:
            return plan_storage(state);
        case 11:
        case 12:
        case 13:
        case 14:
        case 15:
        case 16:
        case 17:
        case 18:
        case 19:
            return plan_property(state);
        case 20:
        case 21:
            return plan_instance(state);
        case 22:
            return plan_family(state);
        case 23:
            return plan_final(state);
        case 24:
            return plan_late_property(state);
        case 25:
            return plan_return(state);
        default:
            return chance(4) ? plan_wide(state) : plan_revival(state);
    }
}

// -- steps

void planner::then(op_kind kind, std::uint8_t slot, std::uint8_t first, std::uint8_t second) {
    plan_.push_back({kind, slot, first, second, any_number()});
}
void planner::maybe(std::size_t one_in, op_kind kind, std::uint8_t slot, std::uint8_t first,
                    std::uint8_t second) {
    if (chance(one_in)) {
        then(kind, slot, first, second);
    }
}
void planner::property(op_kind kind, std::uint8_t relation, property_number what,
                       std::uint8_t target) {
    plan_.push_back({kind, 0, relation, target, what});
}
void planner::gets(std::uint8_t relation, property_number what, std::uint8_t target) {
    property(op_kind::add_property, relation, what, target);
}
void planner::loses(std::uint8_t relation, property_number what, std::uint8_t target) {
    property(op_kind::remove_property, relation, what, target);
}
std::uint8_t planner::other_slot(const runner& state, bool wants_free) {
    std::uint8_t found = find_slot([&](std::uint8_t at) {
        return used_.count(at) == 0 && state.is_slot_alive(at) != wants_free;
    });
    while (used_.count(found)) {
        found = static_cast<std::uint8_t>((found + 1) % slot_count);
    }
    used_.insert(found);
    return found;
}
std::uint8_t planner::fresh(const runner& state) {
    std::uint8_t slot = other_slot(state, true);
    then(op_kind::create, slot);
    return slot;
}
std::uint8_t planner::somebody(const runner& state) {
    return chance(3) ? fresh(state) : other_slot(state, false);
}
std::uint8_t planner::fresh_below(const runner& state, std::uint8_t parent) {
    std::uint8_t slot = other_slot(state, true);
    then(chance(4) ? op_kind::create_prefab : op_kind::create_child, slot, parent);
    if (chance(3)) {
        then(op_kind::set_name, slot);
    }
    return slot;
}
std::uint8_t planner::valued_component() {
    static constexpr std::uint8_t choices[] = {trivial, text, no_default, aligned, sparse_text};
    return first_component + choices[below(5)];
}
std::uint8_t planner::some_relation(const runner& state) {
    static constexpr std::uint8_t choices[] = {data_relation, tag_relation, trivial, sparse_text,
                                               exclusive_data};
    return chance(3)   ? first_component + choices[below(5)]
           : chance(3) ? relation_slot(state)
                       : fresh(state);
}

// -- plans

void planner::plan_wide(const runner& state) {
    std::uint8_t wide = somebody(state);
    for (std::uint8_t target = 0; target < slot_count; ++target) {
        then(op_kind::add_pair, wide, first_component + tag_relation, target);
        then(op_kind::add_pair, wide, first_component + data_relation, target);
    }
}
void planner::plan_prefab(const runner& state) {
    std::uint8_t base = other_slot(state, true);
    plan_.push_back({op_kind::create_prefab, base, no_element, no_element, 1});
    maybe(2, op_kind::set_override, base, valued_component());
    maybe(4, op_kind::emplace_override, base, valued_component());
    std::uint8_t child = fresh_below(state, base);
    maybe(2, op_kind::set, child, valued_component());
    maybe(2, op_kind::slot, child);
    std::uint8_t last = child;
    if (!chance(3)) {
        last = fresh_below(state, chance(3) ? base : child);
        maybe(2, op_kind::slot, last);
        maybe(3, op_kind::mark, last, any_component());
    }
    std::uint8_t instance = base;
    for (std::size_t level = below(2) + 1; level > 0; --level) {
        std::uint8_t variant = other_slot(state, true);
        if (level > 1 || chance(3)) {
            plan_.push_back({op_kind::create_prefab, variant, no_element, no_element, 1});
        } else {
            then(op_kind::create, variant);
        }
        then(op_kind::is_a, variant, instance);
        instance = variant;
    }
    maybe(3, op_kind::clone, other_slot(state, true), instance);
    maybe(3, op_kind::remove_pair, child, element_slot_of, base);
    maybe(4, op_kind::destruct, chance(2) ? child : instance);
}
void planner::plan_with(const runner& state) {
    bool typed = chance(3);
    std::uint8_t one = typed ? valued_component() : somebody(state);
    std::uint8_t other = chance(3) ? valued_component() : somebody(state);
    std::uint8_t holder = somebody(state);
    std::uint8_t target = somebody(state);
    if (chance(4)) {
        plan_.push_back({op_kind::declare, 0, one, other, 1 << with});
    } else {
        gets(one, with, other);
    }
    if (chance(3)) {
        gets(other, with, chance(3) ? one : somebody(state));
    }
    if (chance(5)) {
        std::uint8_t base = other_slot(state, true);
        plan_.push_back({op_kind::create_prefab, base, no_element, no_element, 1});
        then(op_kind::mark, base, one);
        then(op_kind::is_a, holder, base);
    }
    then(typed && chance(2) ? op_kind::set : op_kind::add, holder, one);
    maybe(3, op_kind::remove, holder, other);
    if (chance(2)) {
        then(op_kind::add_pair, holder, one, target);
        maybe(3, op_kind::remove_pair, holder, other, target);
        maybe(3, op_kind::remove_matching, holder, other, element_wildcard);
        maybe(4, op_kind::clear, holder);
    }
    maybe(3, op_kind::remove, holder, one);
    if (chance(2)) {
        loses(one, with, other);
    }
}
void planner::plan_one_of(const runner& state) {
    std::uint8_t relation = fresh(state);
    bool itself = chance(2);
    std::uint8_t scope = itself ? relation : somebody(state);
    std::uint8_t child = other_slot(state, true);
    then(op_kind::create_child, child, scope);
    std::uint8_t holder = somebody(state);
    bool late = chance(3);
    if (late) {
        then(op_kind::add_pair, holder, relation, child);
    }
    property_number what = itself ? one_of_itself : one_of;
    if (chance(4)) {
        plan_.push_back({op_kind::declare, 0, relation, scope, 1 << what});
    } else {
        gets(relation, what, itself ? no_element : scope);
    }
    if (!late) {
        then(op_kind::add_pair, holder, relation, child);
    }
    maybe(3, op_kind::add_pair, holder, relation, somebody(state));
    switch (below(5)) {
        case 0:
        case 1:
            then(op_kind::child_of, child, somebody(state));
            break;
        case 2:
            then(op_kind::remove_pair, child, element_child_of, scope);
            break;
        case 3:
            then(op_kind::clear, child);
            break;
        default:
            then(op_kind::destruct, scope);
            break;
    }
    if (chance(2)) {
        loses(relation, what, itself ? no_element : scope);
    }
}
void planner::plan_symmetric(const runner& state) {
    bool typed = chance(2);
    std::uint8_t relation = typed ? first_component + data_relation : fresh(state);
    bool single = chance(2);
    gets(relation, symmetric);
    if (single) {
        gets(relation, exclusive);
    }
    if (chance(3)) {
        gets(relation, sparse);
    }
    std::uint8_t a = somebody(state);
    std::uint8_t b = somebody(state);
    std::uint8_t c = somebody(state);
    op_kind add = typed && chance(2) ? op_kind::set_pair : op_kind::add_pair;
    then(add, a, relation, b);
    then(add, chance(4) ? c : b, relation, c);
    maybe(2, op_kind::set_pair, b, relation, a);
    maybe(3, op_kind::remove_pair, b, relation, a);
    maybe(4, op_kind::destruct, a);
    maybe(4, op_kind::clear, b);
    if (chance(2)) {
        loses(relation, symmetric);
    }
    if (single && typed) {
        loses(relation, exclusive);
    }
}
void planner::plan_cycle(const runner& state) {
    static constexpr property_number choices[] = {acyclic, traversable, transitive};
    property_number what = choices[below(3)];
    std::uint8_t relation = chance(4) ? first_component + tag_relation : fresh(state);
    if (chance(2)) {
        gets(relation, chance(2) ? sparse : exclusive);
    }
    gets(relation, what);
    std::uint8_t a = somebody(state);
    std::uint8_t b = somebody(state);
    std::uint8_t c = somebody(state);
    std::uint8_t d = somebody(state);
    then(op_kind::add_pair, a, relation, b);
    then(op_kind::add_pair, b, relation, c);
    then(op_kind::add_pair, c, relation, d);
    then(op_kind::add_pair, chance(2) ? c : d, relation, a);
    if (chance(3)) {
        gets(relation, symmetric);
    }
    if (chance(2)) {
        loses(relation, what);
    }
}
void planner::plan_late_property(const runner& state) {
    static constexpr property_number choices[] = {exclusive,   union_storage, symmetric, acyclic,
                                                  traversable, transitive,    only_tag,  with,
                                                  one_of,      one_of_itself};
    std::uint8_t relation = chance(4) ? some_relation(state) : fresh(state);
    std::uint8_t a = somebody(state);
    std::uint8_t b = somebody(state);
    property_number what = choices[below(10)];
    then(op_kind::add_pair, a, relation, chance(3) ? valued_component() : b);
    then(op_kind::add_pair, chance(2) ? a : b, relation, chance(2) ? a : somebody(state));
    if (chance(3)) {
        then(op_kind::add_pair, b, relation, a);
    }
    gets(relation, what, property_of(what).has_target ? somebody(state) : no_element);
    if (chance(4)) {
        gets(relation, symmetric);
    }
}
void planner::plan_storage(const runner& state) {
    std::uint8_t relation = some_relation(state);
    std::uint8_t a = somebody(state);
    std::uint8_t b = somebody(state);
    std::uint8_t c = somebody(state);
    bool sparse_first = chance(2);
    if (sparse_first) {
        gets(relation, chance(3) ? union_storage : sparse);
    }
    op_kind add = relation >= slot_count ? op_kind::set_pair : op_kind::add_pair;
    then(add, a, relation, b);
    then(add, a, relation, chance(2) ? valued_component() : c);
    then(add, b, relation, chance(2) ? a : c);
    maybe(2, add, c, relation, b);
    maybe(3, op_kind::remove_pair, a, relation, b);
    maybe(3, add, a, relation, b);
    property_number what = chance(3) ? union_storage : sparse;
    gets(relation, what);
    maybe(2, op_kind::remove_pair, b, relation, a);
    maybe(2, add, a, relation, c);
    maybe(4, op_kind::destruct, c);
    loses(relation, what);
}
void planner::plan_return(const runner& state) {
    std::uint8_t relation = fresh(state);
    gets(relation, chance(2) ? union_storage : sparse);
    std::uint8_t target = somebody(state);
    std::uint8_t other = somebody(state);
    std::uint8_t first = somebody(state);
    then(op_kind::add_pair, first, relation, target);
    then(op_kind::add_pair, somebody(state), relation, target);
    then(op_kind::defer_begin, 0);
    then(op_kind::add, first, any_component());
    if (chance(2)) {
        then(op_kind::remove_pair, first, relation, target);
    } else {
        then(op_kind::add_pair, first, relation, other);
        then(op_kind::remove_matching, first, relation, element_wildcard);
    }
    then(op_kind::add_pair, first, relation, target);
    then(op_kind::defer_end, 0);
}
void planner::plan_property(const runner& state) {
    // Those that are not part of another plan rather than not.
    static constexpr property_number rare[] = {
        reflexive,        only_tag,         dont_inherit,    transient,
        on_delete_remove, on_delete_delete, on_delete_panic, one_of};
    auto what = chance(2) ? rare[below(8)] : static_cast<property_number>(below(property_count));
    std::uint8_t relation = chance(3) ? somebody(state) : fresh(state);
    std::uint8_t target = property_of(what).has_target ? somebody(state) : no_element;
    gets(relation, what, target);
    std::uint8_t holder = somebody(state);
    std::uint8_t used = somebody(state);
    then(op_kind::add_pair, holder, relation, used);
    maybe(4, op_kind::add_pair, used, relation, valued_component());
    maybe(3, op_kind::add, holder, relation);
    maybe(8, op_kind::destruct, chance(2) ? used : relation);
    loses(relation, what, target);
}
void planner::plan_instance(const runner& state) {
    std::uint8_t base = somebody(state);
    std::uint8_t middle = fresh(state);
    std::uint8_t instance = fresh(state);
    std::uint8_t value = valued_component();
    std::uint8_t relation = some_relation(state);
    if (chance(4)) {
        gets(relation, dont_inherit);
    }
    if (chance(3)) {
        gets(relation, chance(2) ? exclusive : union_storage);
    }
    then(op_kind::set, base, value);
    then(op_kind::add_pair, base, relation, somebody(state));
    maybe(3, op_kind::mark, base, value);
    then(op_kind::is_a, middle, base);
    then(op_kind::is_a, instance, middle);
    then(op_kind::add, instance, value);
    maybe(2, op_kind::set, middle, value);
    maybe(2, op_kind::add_pair, middle, relation, somebody(state));
    maybe(3, op_kind::unmark, base, value);
    maybe(4, op_kind::remove_pair, instance, element_is_a, middle);
}
void planner::plan_family(const runner& state) {
    static constexpr property_number choices[] = {on_target_remove, on_target_delete,
                                                  on_target_panic};
    std::uint8_t parent = chance(2) ? fresh(state) : somebody(state);
    std::uint8_t child = fresh_below(state, parent);
    std::uint8_t sibling = fresh_below(state, parent);
    then(op_kind::set_name, child);
    maybe(2, op_kind::set_name, sibling);
    property_number policy = choices[below(3)];
    gets(element_child_of, policy);
    fresh_below(state, chance(2) ? child : parent);
    then(op_kind::destruct, chance(4) ? child : parent);
    maybe(3, op_kind::destruct, parent);
    if (chance(2)) {
        loses(element_child_of, policy);
    }
    gets(element_child_of, on_target_delete);
}
void planner::plan_final(const runner& state) {
    std::uint8_t base = chance(2) ? fresh(state) : somebody(state);
    bool late = chance(2);
    std::uint8_t instance = fresh(state);
    if (late) {
        then(op_kind::is_a, instance, base);
    }
    gets(base, final_base);
    if (!late) {
        then(op_kind::is_a, instance, base);
    }
    if (chance(2)) {
        loses(base, final_base);
    }
}
void planner::plan_revival(const runner& state) {
    std::uint8_t one = other_slot(state, false);
    then(op_kind::destruct, one);
    then(op_kind::make_alive, one);
    std::uint8_t marked = somebody(state);
    std::uint8_t value = valued_component();
    then(op_kind::mark, marked, value);
    maybe(2, op_kind::is_a, one, marked);
    then(op_kind::unmark, marked, value);
}

}  // namespace model
