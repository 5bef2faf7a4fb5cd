#include "mutate/pending_index.hpp"

#include "base/assert.hpp"
#include "base/counters.hpp"
#include "base/hash.hpp"
#include "mutate/command_buffer.hpp"
#include "storage/find.hpp"

#include <algorithm>

namespace kith::mutate {

using containers::purpose;

namespace {

std::uint64_t hash_of(entity_t entity, id_t id) noexcept {
    return base::mix(base::combine(entity, id));
}

bool is_exclusive(const storage::store& data, id_t id) noexcept {
    if (!is_pair(id) || id & Override) {
        return false;
    }
    const storage::id_record* relation = data.ids.find(data.entities.alive_at(pair_first(id)));
    return relation && relation->traits & traits::trait_exclusive;
}

}  // namespace

void pending_index::catch_up(storage::store& data, const command* first) {
    for (const command* command = noted_ ? noted_->following : first; command;
         command = command->following) {
        KITH_COUNT(folded);
        note(data, *command);
        noted_ = command;
    }
}

void pending_index::note(storage::store& data, const command& queued) {
    switch (queued.kind) {
        case command_kind::add:
        case command_kind::set:
        case command_kind::emplace:
        case command_kind::ensure:
            note_given(data, queued);
            break;
        case command_kind::remove:
        case command_kind::remove_all:
            latest_.put_taking(data.mem, queued.entity, queued.id, 0, queued.order);
            break;
        case command_kind::clear:
            latest_.put_taking(data.mem, queued.entity, 0, 0, queued.order);
            break;
        case command_kind::destruct:
            // The singletons of a C++ type can be given again.
            if (index_of(queued.entity) < first_entity) {
                latest_.put_taking(data.mem, queued.entity, 0, 0, queued.order);
            }
            break;
        case command_kind::delete_with: {
            const std::uint32_t type =
                is_pair(queued.id) ? pair_first(queued.id) : index_of(queued.id);
            if (type < first_entity) {
                latest_.put_taking(data.mem, type, queued.id, 0, queued.order);
            }
            break;
        }
        case command_kind::clone:
        case command_kind::clone_types:
            latest_.put(data.mem, cloned, queued.id, 0, 0, queued.order);
            break;
        default:
            break;
    }
}

void pending_index::note_given(storage::store& data, const command& queued) {
    if (is_exclusive(data, queued.id)) {
        latest_.put_taking(data.mem, queued.entity, make_pair(pair_first(queued.id), Wildcard),
                           queued.id, queued.order);
    }
    if (queued.kind == command_kind::add || queued.kind == command_kind::ensure) {
        latest_.put(data.mem, copied, 0, queued.id, queued.entity, queued.order);
        if (is_pair(queued.id) && pair_first(queued.id) == IsA) {
            latest_.put(data.mem, based, 0, 0, queued.entity, queued.order);
        }
    }
    outcome& effect = ensure_outcome(data, queued);
    end_batch(effect);
    if (queued.kind == command_kind::add) {
        effect.has = true;
    } else if (queued.kind != command_kind::emplace || !effect.has) {
        KITH_ASSERT(queued.has_value, "a queued value is alive until it is run");
        effect = {effect.entity, effect.id, &queued, queued.order, true, false};
    }
}

const pending_index::outcome* pending_index::find_outcome(entity_t entity, id_t id) const noexcept {
    const std::uint32_t number = index_.find(hash_of(entity, id), [&](std::uint32_t position) {
        KITH_COUNT(folded);
        return outcomes_[position - 1].entity == entity && outcomes_[position - 1].id == id;
    });
    return number ? &outcomes_[number - 1] : nullptr;
}

pending_index::outcome& pending_index::ensure_outcome(storage::store& data, const command& queued) {
    if (const outcome* found = find_outcome(queued.entity, queued.id)) {
        return const_cast<outcome&>(*found);
    }
    const storage::entity_record* record = data.entities.find(queued.entity);
    const bool has = record && storage::owns_id(data, *record, queued.entity, queued.id);
    index_.reserve_one(data.mem, purpose::commands);
    outcomes_.push(data.mem, {queued.entity, queued.id, nullptr, latest_commands::none, has, has},
                   purpose::commands);
    index_.insert_reserved(hash_of(queued.entity, queued.id), outcomes_.size());
    return outcomes_.back();
}

void pending_index::end_batch(outcome& effect) const noexcept {
    const std::int64_t taken = latest_.last_taking(effect.entity, effect.id);
    if (taken > effect.order) {
        effect = {effect.entity, effect.id, nullptr, taken, false, false};
    }
}

pending_state pending_index::find(entity_t entity, id_t id, void* stored) const noexcept {
    const outcome* found = find_outcome(entity, id);
    outcome one =
        found ? *found
              : outcome{entity,           id, nullptr, latest_commands::none, stored != nullptr,
                        stored != nullptr};
    end_batch(one);
    const std::int64_t read =
        std::max({latest_.last(cloned, entity, 0), latest_.last(copied, 0, id, entity),
                  latest_.last(based, 0, 0, entity)});
    void* kept = one.is_stored ? stored : nullptr;
    return {one.value ? one.value->value() : kept, one.has, read > one.order};
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
