// An index of the queue of deferred commands: the state of an id of an entity after the queued
// commands, found by hash. For queues that are too long to be searched for each question. Each
// command is noted once, in call order.
//
// Invariants
// 1. `noted_` is the last noted command; all commands before it in call order are noted.
// 2. `index_` has one number for each outcome; outcomes are unique by entity and id.
// 3. An outcome is valid up to its `order`; `latest_` may have a later removal.
//
// Covered by tests/features/deferring/pending_values_test.cpp and
// tests/unit/mutate/long_queues_test.cpp there.
#pragma once

#include "mutate/context/command.hpp"
#include "mutate/context/latest_commands.hpp"

namespace kith::storage {
struct store;
}

namespace kith::mutate {

struct command;

// The state of an id of an entity after the queued commands.
struct pending_state {
    void* value;  // stored or queued value, null: none
    bool has;
    // A queued command will read the value before the program may write it: writes must go to a
    // copy.
    bool is_read;
};

// Outcomes and removals of the queued commands.
class pending_index {
public:
    // Notes the commands behind the last noted one. `first` is the first command of the queue.
    void catch_up(containers::memory& mem, const storage::store& data, const command* first);
    // The state of the id. `stored` is the entity's own value, null if it has none. Requires:
    // catch_up().
    pending_state find(entity_t entity, id_t id, void* stored) const noexcept;

    // Drops all entries, keeps the memory.
    void clear() noexcept;
    void release(containers::memory& mem) noexcept;

private:
    // The state that the last command about an id has left.
    struct id_outcome {
        entity_t entity;
        id_t id;
        const command* value;  // command with the value; null: the stored value, or none
        std::int64_t order;    // of the last command, -1: none
        bool has;
        bool is_stored;  // the value is the stored one
    };
    // Kinds of commands that read values of other entities, as keys of `latest_`.
    enum reading : std::uint32_t {
        copied,  // by id; origin: the entity that gets the id and may inherit its value
        based,   // origin: the entity that gets a base
        cloned,  // by entity: the source of a clone
    };

    void note(containers::memory& mem, const storage::store& data, const command& queued);
    // Notes a command that adds an id.
    void note_given(containers::memory& mem, const storage::store& data, const command& queued);
    const id_outcome* find_outcome(entity_t entity, id_t id) const noexcept;
    id_outcome& ensure_outcome(containers::memory& mem, const storage::store& data,
                               const command& queued);
    // Applies a later removal to the outcome.
    void apply_removals(id_outcome& outcome) const noexcept;

    const command* noted_ = nullptr;  // the last noted command
    containers::vec<id_outcome> outcomes_;
    containers::hash_index index_;  // positions in outcomes_, plus one
    latest_commands latest_;
};

}  // namespace kith::mutate
