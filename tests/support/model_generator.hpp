// Makes random programs, one operation after the other, with an eye on the state that the program
// has reached so far. Used by tests/model/random_test.cpp.
#pragma once

#include "support/model_plans.hpp"

namespace model {

class generator : private planner {
public:
    using planner::planner;

    // An operation that makes sense in this state, mostly.
    op next(const runner& state) {
        if (!is_planned() && !(state.is_deferred() && plain_block_) && chance(30)) {
            make_plan(state);
        }
        // Others come between the steps of a plan.
        return is_planned() && !chance(12) ? take_planned() : choose(state);
    }

private:
    op choose(const runner& state) {
        op made{choose_kind(state)};
        made.slot = is_creating(made.kind) ? free_slot(state) : live_slot(state);
        bool stays = chance(3) && state.is_slot_alive(last_.slot);
        if (!is_creating(made.kind) && stays) {
            made.slot = last_.slot;
        }
        made.number = static_cast<std::int32_t>(below(1000)) + 1;
        switch (made.kind) {
            case op_kind::create_named:
                made.first = chance(2) ? no_element : live_slot(state);
                break;
            case op_kind::create_child:
            case op_kind::clone:
            case op_kind::clone_types:
            case op_kind::clone_into:
            case op_kind::bulk:
            case op_kind::child_of:
                made.first = live_slot(state);
                if (made.kind == op_kind::clone_into && chance(2)) {
                    made.slot = bare_slot(state);
                }
                break;
            case op_kind::make_alive:
                made.slot = static_cast<std::uint8_t>(below(slot_count));
                break;
            case op_kind::create_with:
                choose_id(state, made, chance(2));
                break;
            case op_kind::add:
                choose_id(state, made, false);
                break;
            case op_kind::add_pair:
                choose_id(state, made, true);
                break;
            case op_kind::remove:
            case op_kind::remove_pair:
                choose_held(state, made, made.kind == op_kind::remove_pair);
                break;
            case op_kind::enable:
                made.slot = find_slot([&](std::uint8_t at) {
                    return state.is_slot_alive(at) &&
                           !state.state().alive.at(state.slot(at)).disabled.empty();
                });
                choose_held(state, made, chance(2), true);
                break;
            case op_kind::disable:
                choose_held(state, made, chance(2));
                break;
            case op_kind::enable_entity:
                made.slot = find_slot([&](std::uint8_t at) {
                    return state.is_slot_alive(at) &&
                           state.state().alive.at(state.slot(at)).has(kith::Disabled);
                });
                break;
            case op_kind::adopt:
                made.slot = free_slot(state);
                break;
            case op_kind::remove_matching:
                choose_pattern(state, made);
                break;
            case op_kind::delete_with:
            case op_kind::remove_all:
                if (chance(3)) {
                    choose_pattern(state, made);
                } else {
                    choose_held(state, made, chance(2));
                }
                break;
            case op_kind::set:
                choose_valued(state, made, false);
                choose_known_number(state, made);
                break;
            case op_kind::set_pair:
                choose_valued(state, made, true);
                break;
            case op_kind::emplace:
            case op_kind::ensure:
                choose_valued(state, made, chance(3));
                break;
            case op_kind::modified:
                choose_held(state, made, chance(2));
                break;
            case op_kind::add_property:
            case op_kind::remove_property:
            case op_kind::declare:
                choose_property(state, made);
                break;
            case op_kind::create_prefab:
                made.first = chance(2) ? no_element : live_slot(state);
                break;
            case op_kind::is_a:
                made.first = choose_base(state, made.slot);
                break;
            case op_kind::mark:
                if (chance(2)) {
                    choose_held(state, made, chance(3));
                } else {
                    choose_id(state, made, chance(3));
                }
                break;
            case op_kind::unmark:
                choose_mark(state, made);
                break;
            case op_kind::set_override:
                choose_valued(state, made, chance(3));
                break;
            case op_kind::emplace_override:
                choose_valued(state, made, false);
                break;
            case op_kind::slot:
                made.slot = find_slot([&](std::uint8_t at) {
                    return has_parent(state, at) && has(state, at, kith::Prefab);
                });
                break;
            case op_kind::take_ref:
            case op_kind::delete_component:
                made.first = first_component + static_cast<std::uint8_t>(below(component_count));
                break;
            default:
                break;
        }
        // Things happen when several operations meet at one id.
        if (has_id(made.kind)) {
            if (stays && has_id(last_.kind)) {
                made.first = last_.first;
                made.second = last_.second;
            }
            last_ = made;
        }
        return made;
    }

    static bool is_creating(op_kind kind) {
        switch (kind) {
            case op_kind::create:
            case op_kind::create_named:
            case op_kind::create_child:
            case op_kind::create_with:
            case op_kind::create_values:
            case op_kind::bulk:
            case op_kind::clone:
            case op_kind::clone_types:
            case op_kind::create_prefab:
                return true;
            default:
                return false;
        }
    }

    static bool has_id(op_kind kind) {
        switch (kind) {
            case op_kind::add:
            case op_kind::add_pair:
            case op_kind::remove:
            case op_kind::remove_pair:
            case op_kind::set:
            case op_kind::set_pair:
            case op_kind::emplace:
            case op_kind::ensure:
            case op_kind::modified:
            case op_kind::enable:
            case op_kind::disable:
                return true;
            default:
                return false;
        }
    }

    op_kind choose_kind(const runner& state) {
        struct weighted {
            op_kind kind;
            std::size_t weight;
        };
        static constexpr weighted weights[] = {
            {op_kind::create, 20},        {op_kind::create_named, 16},
            {op_kind::create_child, 12},  {op_kind::create_with, 12},
            {op_kind::create_values, 14}, {op_kind::bulk, 12},
            {op_kind::make_alive, 24},    {op_kind::clone, 16},
            {op_kind::clone_types, 16},   {op_kind::clone_into, 24},
            {op_kind::destruct, 16},      {op_kind::clear, 10},
            {op_kind::add, 50},           {op_kind::add_pair, 120},
            {op_kind::child_of, 40},      {op_kind::add_color, 24},
            {op_kind::remove_color, 8},   {op_kind::remove, 30},
            {op_kind::remove_pair, 30},   {op_kind::remove_matching, 14},
            {op_kind::set, 50},           {op_kind::set_pair, 40},
            {op_kind::emplace, 24},       {op_kind::ensure, 24},
            {op_kind::modified, 16},      {op_kind::set_name, 30},
            {op_kind::unname, 30},        {op_kind::enable, 30},
            {op_kind::disable, 20},       {op_kind::enable_entity, 16},
            {op_kind::disable_entity, 8}, {op_kind::delete_with, 12},
            {op_kind::remove_all, 12},    {op_kind::delete_component, 20},
            {op_kind::take_ref, 8},       {op_kind::shrink, 4},
            {op_kind::add_property, 80},  {op_kind::remove_property, 30},
            {op_kind::declare, 12},       {op_kind::is_a, 50},
            {op_kind::create_prefab, 14}, {op_kind::make_prefab, 6},
            {op_kind::mark, 24},          {op_kind::unmark, 8},
            {op_kind::set_override, 16},  {op_kind::emplace_override, 12},
            {op_kind::slot, 10},
        };
        static const std::size_t total = [] {
            std::size_t sum = 0;
            for (const weighted& one : weights) {
                sum += one.weight;
            }
            return sum;
        }();
        if (state.is_suspended()) {
            if (chance(5)) {
                return op_kind::defer_resume;
            }
        } else if (state.depth() != 0 && chance(12)) {
            return chance(5) ? op_kind::defer_suspend : op_kind::defer_end;
        } else if (chance(state.depth() != 0 ? 40 : 12)) {
            return op_kind::defer_begin;
        }
        if (state.state().alive.size() > 30 && chance(3)) {
            return chance(3) ? op_kind::adopt : op_kind::destruct;
        }
        // Half of the deferred blocks hold nothing but changes that can be folded.
        plain_block_ = state.depth() == 0 ? chance(2) : plain_block_;
        for (;;) {
            std::size_t at = below(total);
            const weighted* chosen = weights;
            for (; at >= chosen->weight; ++chosen) {
                at -= chosen->weight;
            }
            if (!(plain_block_ && state.is_deferred()) || has_id(chosen->kind) ||
                chosen->kind == op_kind::create) {
                return chosen->kind;
            }
        }
    }

    op last_{op_kind::create};
    bool plain_block_ = false;
};

}  // namespace model
