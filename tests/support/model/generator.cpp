#include "support/model/generator.hpp"

#include "support/model/operations.hpp"

#include <numeric>

namespace model {

op generator::next(const runner& state) {
    if (!is_planned() && !(state.is_deferred() && plain_block_) && chance(30)) {
        make_plan(state);
    }
    // Others come between the steps of a plan.
    return is_planned() && !chance(12) ? take_planned() : choose(state);
}

op generator::choose(const runner& state) {
    op made{choose_kind(state)};
    const operation& what = operation_of(made.kind);
    made.slot = what.has(makes_entity) ? free_slot(state) : live_slot(state);
    const bool stays = chance(3) && state.is_slot_alive(last_.slot);
    if (!what.has(makes_entity) && stays) {
        made.slot = last_.slot;
    }
    made.number = static_cast<std::int32_t>(below(1000)) + 1;
    if (what.choose) {
        what.choose(*this, state, made);
    }
    // Things happen when several operations are about one id.
    if (what.has(repeats_id)) {
        if (stays && operation_of(last_.kind).has(repeats_id)) {
            made.first = last_.first;
            made.second = last_.second;
        }
        last_ = made;
    }
    return made;
}

op_kind generator::choose_kind(const runner& state) {
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
    return choose_weighted(state);
}

op_kind generator::choose_weighted(const runner& state) {
    const auto& all = operation_table::entries;
    static const std::size_t total =
        std::accumulate(std::begin(all), std::end(all), std::size_t{0},
                        [](std::size_t sum, const operation& each) { return sum + each.weight; });
    for (;;) {
        std::size_t at = below(total);
        const operation* chosen = all;
        for (; at >= chosen->weight; ++chosen) {
            at -= chosen->weight;
        }
        if (!(plain_block_ && state.is_deferred()) || chosen->has(repeats_id) ||
            chosen->kind == op_kind::create) {
            return chosen->kind;
        }
    }
}

}  // namespace model
