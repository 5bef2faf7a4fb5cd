// The net effects of a queue. Where the commands of an entity cannot run as one folded change, they
// run one by one, and transient changes are not notified: for each entity and id, listeners receive
// one OnAdd if the id is there afterwards and was not before, one OnRemove in the opposite case,
// and one OnSet with the last value.
//
// The end is predicted from the commands. If the prediction turns out wrong, because a command
// fails, the delayed events are dispatched after the last command; a copy of a removed value is
// kept for that. Removals of values that cannot be copied are notified at once.
//
// Internal listeners, such as monitors, receive every step, and so do observers of several ids of
// one entity, because their query may match in between.
//
// Invariants
// 1. `index_` has one number for each predicted state; states are unique by entity and id. The
//    state with id 0 is about the entity itself.
// 2. `reported_has` is the state of the id that listeners know.
// 3. `kept_value` is set only with `lost`, whose type it has.
// 4. `world.net` is this object from the first prediction until finish().
//
// Covered by tests/features/observers/deferred_observers_test.cpp,
// tests/features/observers/deferred_symmetric_test.cpp there, and tests/model/net_change_test.cpp.
#pragma once

#include "containers/hash_index.hpp"
#include "mutate/context/command_buffer.hpp"
#include "mutate/context/latest_commands.hpp"
#include "mutate/context/stage.hpp"
#include "traits/implications.hpp"

namespace kith::mutate {

// The predictions for a running queue.
class net_effects final : public event_filter {
public:
    // Requires: the queue has not been taken yet.
    net_effects(stage& world, const command_buffer& queue) noexcept;
    ~net_effects();
    net_effects(const net_effects&) = delete;
    net_effects& operator=(const net_effects&) = delete;

    // Predict the effects of commands before they run. predict_queue(): commands from `first` up to
    // the next emission, of entities with commands in several segments or with symmetric pairs.
    // predict_chain(): the commands of one chain. If memory is short, changes are notified as they
    // happen.
    void predict_queue(const command* first, bool in_order) noexcept;
    void predict_chain(const command* head) noexcept;
    // The queue has reached the command: commands up to its order have begun.
    void reach(const command& running) noexcept { now_ = running.order; }
    // A command has failed: delayed events may have to be dispatched.
    void note_failure() noexcept { failed_ = true; }
    void note_failure(const command& failed) noexcept {
        note_failure();
        if (failed.kind == command_kind::destruct) {
            note_refused(failed);
        }
    }

    // -- event_filter
    bool is_reported(storage::event_bits mask, const storage::id_info& id, entity_t entity,
                     const void* value) noexcept override;
    bool is_shared(entity_t entity, const storage::id_info& id) const noexcept override;
    void notify_lost(entity_t entity) noexcept override;
    // Dispatches the delayed events whose prediction turned out wrong, and drops all predictions.
    void finish();

private:
    // The last commands that decide about an id of an entity, by their orders; -1: none.
    struct predicted_state {
        entity_t entity;
        id_t id;
        entity_t other = 0;  // of a symmetric pair: the target, whose removals count here
        std::int64_t added_at = -1;
        std::int64_t removed_at = -1;
        std::int64_t set_at = -1;
        bool ends = false;           // of the state with id 0: the entity is deleted
        bool reported_has = false;   // the state that listeners know
        bool set_held = false;       // OnSet was delayed
        bool held_for_loss = false;  // OnSet was delayed for a removal
        // A removal that was not notified: the meaning of the id then, and a copy of the value.
        storage::id_info lost = {};
        void* kept_value = nullptr;
    };
    // A deletion was refused: predicts the commands after it again.
    void note_refused(const command& deletion) noexcept;
    // True if listeners may be notified of ids that the command names.
    bool may_be_reported(const command& queued) const noexcept;
    void predict_sequential(const command* first, bool in_order);
    // Calls visit(id_info) for each id that the id implies.
    template <class Visit>
    void each_implied(const storage::id_info& id, Visit&& visit) const;
    // The inverse of the symmetric pair of an entity.
    storage::id_info describe_inverse(entity_t entity, id_t pair) const noexcept;
    // Collects the entities whose symmetric pairs the command changes.
    void collect_sides(const command& queued, containers::vec<entity_t>& sides);
    void predict(const command& queued);
    // Predicts an addition, with implied ids and inverses.
    void predict_added(const command& queued, id_t id);
    void predict_implied(const command& queued, entity_t entity, const storage::id_info& id);
    void predict_sides(const command& queued, entity_t entity, const storage::id_info& id,
                       bool is_set);
    void predict_marked(const command& queued, entity_t base);
    // True if the entity will be a prefab, by the commands predicted so far: its children become
    // prefabs.
    bool will_be_prefab(entity_t entity) noexcept;
    void predict_one(const command& queued, entity_t entity, const storage::id_info& id,
                     bool is_set);
    void predict_copied(const command& queued);
    void predict_removed(const command& queued);
    // Predicts the removal of all ids that match the pattern, except `spared`.
    void predict_removed_by_pattern(entity_t entity, id_t pattern, id_t spared,
                                    std::uint32_t order);
    predicted_state* find(entity_t entity, id_t id) noexcept;
    predicted_state& ensure(entity_t entity, id_t id);
    // The order of the last command that removes the id, its inverse, or everything.
    std::int64_t last_taken(const predicted_state& state) const noexcept;
    // True if the entity has the id in the end; `has`: whether it has the id now.
    bool will_have(const predicted_state& state, bool has) noexcept;
    // True if the entity or an element of the id is being deleted.
    bool is_ending(const predicted_state& state) const noexcept;
    bool is_change_reported(predicted_state& state, bool has) noexcept;
    bool is_loss_reported(predicted_state& state, const storage::id_info& id,
                          const void* value) noexcept;
    // Keeps a copy of a removed value. Returns false if that is not possible.
    bool keep_value(predicted_state& state, const storage::id_info& id, const void* value) noexcept;
    void drop_kept_value(predicted_state& state) noexcept;
    void drop_all() noexcept;
    bool is_set_reported(predicted_state& state) noexcept;
    // Dispatches the delayed events of a state.
    void notify_rest(predicted_state& state) noexcept;

    stage& world_;
    event_filter* outer_;
    std::int64_t now_ = -1;  // order of the command that is running
    const bool has_bases_;   // the queue adds or removes bases
    const bool has_sides_;   // the queue changes symmetric pairs with listeners
    bool failed_ = false;
    std::uint32_t held_losses_ = 0;  // removals delayed so far; 0: no state has `lost`
    containers::vec<predicted_state> predicted_states_;
    containers::hash_index index_;  // positions in predicted_states_, plus one
    latest_commands predicted_removals_;
};

}  // namespace kith::mutate
