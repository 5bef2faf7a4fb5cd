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
// 1. `reported_has` of a state is the state of the id that listeners know.
// 2. `kept_value` of a state is set only with `lost`, whose type it has.
// 3. `world.net` is this object from the first prediction until finish().
//
// Covered by tests/features/observers/deferred_observers_test.cpp,
// tests/features/observers/deferred_symmetric_test.cpp there, and tests/model/net_change_test.cpp.
#pragma once

#include "mutate/context/command_buffer.hpp"
#include "mutate/context/stage.hpp"
#include "mutate/notify/command_prediction.hpp"
#include "mutate/notify/predicted_states.hpp"

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
    void reach(const command& running) noexcept { states_.reach(running.order); }
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
    void activate() noexcept;
    // A deletion was refused: the commands after it are predicted again.
    void note_refused(const command& deletion) noexcept;
    // The state of an id that is added without a prediction and will be removed; else null.
    predicted_state* foresee_loss(const storage::id_info& id, entity_t entity) noexcept;
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
    const bool has_bases_;  // the queue adds or removes bases
    bool failed_ = false;
    std::uint32_t held_losses_ = 0;  // removals delayed so far; 0: no state has `lost`
    predicted_states states_;
    command_prediction prediction_;
};

}  // namespace kith::mutate
