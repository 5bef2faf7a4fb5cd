// The value of an id after the commands that wait: what get_mut() returns while the world is
// deferred.
//
// Covered by tests/features/deferring/pending_values_test.cpp.
#pragma once

#include "base/assert.hpp"
#include "base/counters.hpp"
#include "mutate/context/command.hpp"
#include "mutate/context/pending_index.hpp"
#include "mutate/queue/barrier.hpp"
#include "traits/implications.hpp"

namespace kith::mutate {

// Queues with more commands are searched through the index instead.
inline constexpr std::uint32_t most_walked = 24;

// True if a queued command will read the value of the entity before the program may write it: a
// clone of the entity, or an instance that begins with the value of its base.
inline bool reads_value(const command& queued, entity_t entity, id_t id) noexcept {
    if (queued.kind == command_kind::clone || queued.kind == command_kind::clone_types) {
        return queued.id == entity;
    }
    return queued.entity != entity &&
           (queued.kind == command_kind::add || queued.kind == command_kind::ensure) &&
           (queued.id == id || (is_pair(queued.id) && pair_first(queued.id) == IsA));
}

// True if the command removes the id from the entity. `replaced`: the pattern of the pairs of which
// the entity has only one (Exclusive), 0 if there is none.
inline bool takes_id(const command& queued, entity_t entity, id_t id, id_t replaced) noexcept {
    switch (queued.kind) {
        case command_kind::add:
        case command_kind::set:
        case command_kind::emplace:
        case command_kind::ensure:
            return replaced && matches_id(replaced, queued.id) && queued.id != id;
        case command_kind::remove:
        case command_kind::remove_all:
            return matches_id(queued.id, id);
        case command_kind::clear:
            return true;
        case command_kind::destruct:
            return is_singleton(entity, id);  // a later singleton makes the type known again
        case command_kind::delete_with:
            return is_singleton(entity, id) && matches_id(queued.id, id);
        default:
            return false;
    }
}

// Updates the state of the id by a queued command of its entity.
inline void apply_pending(const command& queued, entity_t entity, id_t id, id_t replaced,
                          pending_state& state) noexcept {
    if (takes_id(queued, entity, id, replaced)) {
        state = {nullptr, false, false};
    } else if (queued.id == id && queued.kind == command_kind::add) {
        state.has = true;
    } else if (queued.id == id && gives(queued.kind) &&
               !(queued.kind == command_kind::emplace && state.has)) {  // it will fail then
        KITH_ASSERT(queued.has_value, "a queued value is alive until it is run");
        state = {queued.value(), true, false};
    }
}

// The state of an id after the commands from `first` on. `stored` is the entity's own value, null
// if it has none. `whole`: the commands are the chain of the entity, which has all of its commands.
// `find_indexed` answers by an index where the queue is long.
template <class FindIndexed>
pending_state find_pending(const command* first, bool whole, entity_t entity,
                           const storage::id_info& info, void* stored, FindIndexed&& find_indexed) {
    const id_t replaced = traits::replaced_pattern(info);
    pending_state state{stored, stored != nullptr, false};
    std::uint32_t walked = 0;
    for (const command* queued = first; queued; queued = whole ? queued->next : queued->following) {
        KITH_COUNT(folded);
        if (++walked > most_walked) {
            state = find_indexed();
            state.is_read &= !whole;
            return state;
        }
        state.is_read |= reads_value(*queued, entity, info.id);
        if (queued->entity == entity || queued->entity == 0) {
            apply_pending(*queued, entity, info.id, replaced, state);
        }
    }
    return state;
}

}  // namespace kith::mutate
