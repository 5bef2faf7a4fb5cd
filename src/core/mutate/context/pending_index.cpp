// Implements pending_index.hpp.
#include "mutate/context/pending_index.hpp"

#include "base/assert.hpp"
#include "base/counters.hpp"
#include "base/hash.hpp"
#include "mutate/context/command.hpp"
#include "mutate/context/latest_commands.hpp"
#include "storage/find.hpp"
#include "traits/implications.hpp"

#include <algorithm>

namespace kith::mutate {

using containers::purpose;

namespace {

std::uint64_t hash_of(entity_t entity, id_t id) noexcept {
    return base::mix(base::combine(entity, id));
}

}  // namespace

// Each command is noted once, so that the cost per command is constant.
void pending_index::catch_up(containers::memory& mem, const storage::store& data,
                             const command* first) {
    for (const command* command = noted_ ? noted_->following : first; command;
         command = command->following) {
        KITH_COUNT(folded);
        note(mem, data, *command);
        noted_ = command;
    }
}

// Files a command under each key that a later question may use.
void pending_index::note(containers::memory& mem, const storage::store& data,
                         const command& queued) {
    switch (queued.kind) {
        case command_kind::add:
        case command_kind::set:
        case command_kind::emplace:
        case command_kind::ensure:
            note_given(mem, data, queued);
            break;
        case command_kind::remove:
        case command_kind::remove_all:
            latest_.put_taking(mem, queued.entity, queued.id, 0, queued.order);
            break;
        case command_kind::clear:
            latest_.put_taking(mem, queued.entity, 0, 0, queued.order);
            break;
        case command_kind::destruct:
            // The singletons of a C++ type can be added again.
            if (index_of(queued.entity) < first_entity) {
                latest_.put_taking(mem, queued.entity, 0, 0, queued.order);
            }
            break;
        case command_kind::delete_with: {
            const std::uint32_t type =
                is_pair(queued.id) ? pair_first(queued.id) : index_of(queued.id);
            if (type < first_entity) {
                latest_.put_taking(mem, type, queued.id, 0, queued.order);
            }
            break;
        }
        case command_kind::clone:
        case command_kind::clone_types:
            latest_.put(mem, cloned, queued.id, 0, 0, queued.order);
            break;
        default:
            break;
    }
}

void pending_index::note_given(containers::memory& mem, const storage::store& data,
                               const command& queued) {
    if (const id_t replaced = traits::replaced_pattern(traits::describe_id(data, queued.id))) {
        latest_.put_taking(mem, queued.entity, replaced, queued.id, queued.order);
    }
    if (queued.kind == command_kind::add || queued.kind == command_kind::ensure) {
        latest_.put(mem, copied, 0, queued.id, queued.entity, queued.order);
        if (is_pair(queued.id) && pair_first(queued.id) == IsA) {
            latest_.put(mem, based, 0, 0, queued.entity, queued.order);
        }
    }
    id_outcome& outcome = ensure_outcome(mem, data, queued);
    apply_removals(outcome);
    if (queued.kind == command_kind::add) {
        outcome.has = true;
    } else if (queued.kind != command_kind::emplace || !outcome.has) {
        KITH_ASSERT(queued.has_value, "a queued value is alive until it is run");
        outcome = {outcome.entity, outcome.id, &queued, queued.order, true, false};
    }
}

const pending_index::id_outcome* pending_index::find_outcome(entity_t entity,
                                                             id_t id) const noexcept {
    const std::uint32_t number = index_.find(hash_of(entity, id), [&](std::uint32_t position) {
        KITH_COUNT(folded);
        return outcomes_[position - 1].entity == entity && outcomes_[position - 1].id == id;
    });
    return number ? &outcomes_[number - 1] : nullptr;
}

pending_index::id_outcome& pending_index::ensure_outcome(containers::memory& mem,
                                                         const storage::store& data,
                                                         const command& queued) {
    KITH_ASSERT(index_.count() == outcomes_.size(), "each outcome is indexed");
    if (const id_outcome* noted = find_outcome(queued.entity, queued.id)) {
        return const_cast<id_outcome&>(*noted);
    }
    const storage::entity_record* record = data.entities.find(queued.entity);
    const bool has = record && storage::owns_id(data, *record, queued.entity, queued.id);
    index_.reserve_one(mem, purpose::commands);
    outcomes_.push(mem, {queued.entity, queued.id, nullptr, latest_commands::none, has, has},
                   purpose::commands);
    index_.insert_reserved(hash_of(queued.entity, queued.id), outcomes_.size());
    return outcomes_.back();
}

void pending_index::apply_removals(id_outcome& outcome) const noexcept {
    const std::int64_t removed_at = latest_.last_taking(outcome.entity, outcome.id);
    if (removed_at > outcome.order) {
        outcome = {outcome.entity, outcome.id, nullptr, removed_at, false, false};
    }
}

pending_state pending_index::find(entity_t entity, id_t id, void* stored) const noexcept {
    const id_outcome* noted = find_outcome(entity, id);
    id_outcome outcome =
        noted ? *noted
              : id_outcome{entity,           id, nullptr, latest_commands::none, stored != nullptr,
                           stored != nullptr};
    apply_removals(outcome);
    // The last command that reads the value: a clone of the entity, or an addition that may inherit
    // from it.
    const std::int64_t read =
        std::max({latest_.last(cloned, entity, 0), latest_.last(copied, 0, id, entity),
                  latest_.last(based, 0, 0, entity)});
    void* own_value = outcome.is_stored ? stored : nullptr;
    return {outcome.value ? outcome.value->value() : own_value, outcome.has, read > outcome.order};
}

void pending_index::clear() noexcept {
    noted_ = nullptr;
    outcomes_.clear();
    index_.clear();
    latest_.clear();
}

void pending_index::release(containers::memory& mem) noexcept {
    noted_ = nullptr;
    outcomes_.release(mem, purpose::commands);
    index_.release(mem, purpose::commands);
    latest_.release(mem);
}

}  // namespace kith::mutate
