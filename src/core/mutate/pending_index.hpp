// What queued commands have made of the ids of entities so far, found by hash: for queues that are
// too long to be walked for each question. Commands are noted once each, in call order.
//
// Covered by tests/core/mutate/pending_values_test.cpp and long_queues_test.cpp there.
#pragma once

#include "mutate/latest_commands.hpp"

namespace kith::storage {
struct store;
}

namespace kith::mutate {

struct command;

// What the commands have made of an id of an entity.
struct pending_state {
    void* value;  // stored or queued, null if there is none
    bool has;
    // A queued command will read the value, before what is written to it now may be seen.
    bool is_read;
};

class pending_index {
public:
    // Notes the commands from the last one noted on; `first` is the first of the queue.
    void catch_up(storage::store& data, const command* first);
    // `stored` is the entity's own value, null if it has none.
    pending_state find(entity_t entity, id_t id, void* stored) const noexcept;

    // Forgets everything, keeps the memory.
    void clear() noexcept;
    void release(containers::memory& mem) noexcept;

private:
    // What the last command that decided over an id of an entity has left.
    struct outcome {
        entity_t entity;
        id_t id;
        const command* value;  // null: the stored value, or none
        std::int64_t order;    // -1: no command has decided
        bool has;
        bool is_stored;
    };
    enum reading : std::uint32_t {
        copied,  // id, by: the entity that is to have it, and may inherit its value
        based,   // by: the entity that gets a base
        cloned,  // entity: the source
    };

    void note(storage::store& data, const command& queued);
    void note_given(storage::store& data, const command& queued);
    const outcome* find_outcome(entity_t entity, id_t id) const noexcept;
    outcome& ensure_outcome(storage::store& data, const command& queued);
    // Takes what a later command has taken.
    void end_batch(outcome& outcome) const noexcept;

    const command* noted_ = nullptr;  // the last one
    containers::vec<outcome> outcomes_;
    containers::hash_index index_;  // of outcomes_, by position plus one
    latest_commands latest_;
};

}  // namespace kith::mutate
