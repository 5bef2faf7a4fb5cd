// What the commands of a queue come to. Where the commands of an entity cannot be made as one
// change, they run one by one, and what they do on the way is not told: per entity and id, one
// OnAdd or OnRemove if it is there afterwards and was not before, or the other way round, and one
// OnSet with the last value.
//
// It foresees the end from the commands. If that turns out differently, because one of them fails,
// what was held back is told after the last one; of what goes, a copy of its value is kept for
// that. (Values that cannot be copied are told of as they go.)
//
// Those who listen as a part of kith, like monitors, are told of every step, and so are observers
// of more than one id of one entity: what they look at may be there in between.
//
// Covered by tests/core/observe/deferred_observers_test.cpp, deferred_symmetric_test.cpp there, and
// tests/model/net_change_test.cpp.
#pragma once

#include "containers/hash_index.hpp"
#include "mutate/latest_commands.hpp"
#include "mutate/stage.hpp"

namespace kith::mutate {

class net_effects {
public:
    // Before the queue is taken.
    net_effects(stage& world, const command_buffer& queue) noexcept;
    ~net_effects();
    net_effects(const net_effects&) = delete;
    net_effects& operator=(const net_effects&) = delete;

    // Before they run: all commands from this one to the next that emits an event, in call order,
    // of entities that have several of them which are not run as one change, or symmetric pairs;
    // those of one chain. What there is no memory for is told as it happens.
    void predict_queue(const command* first, bool in_order) noexcept;
    void predict_chain(const command* head) noexcept;
    // The commands up to this one are running.
    void reach(const command& running) noexcept { now_ = running.order; }
    void note_failure() noexcept { failed_ = true; }
    void note_failure(const command& failed) noexcept {
        note_failure();
        if (failed.kind == command_kind::destruct) {
            note_refused(failed);
        }
    }

    // True if somebody is to be told of it now.
    bool is_reported(storage::event_bits mask, const storage::id_info& id, entity_t entity,
                     const void* value) noexcept;
    // Others see what the entity has of the id, or it what others have: what lasts for it is not
    // all.
    bool is_shared(entity_t entity, const storage::id_info& id) const noexcept;
    // The entity is about to be deleted: what it has lost without a word does not come back, nor
    // what others have lost of it.
    void notify_lost(entity_t entity) noexcept;
    // Tells what was held back for something that did not come, and forgets everything.
    void finish();

private:
    // The last commands that decide over an id of an entity: their numbers in call order.
    struct predicted_state {
        entity_t entity;
        id_t id;
        entity_t other = 0;  // of a symmetric pair, the other side: what it loses is lost here
        std::int64_t given = -1;
        std::int64_t taken = -1;
        std::int64_t set = -1;
        bool ends = false;          // the entity is deleted, of an entry for the entity (id 0)
        bool reported_has = false;  // what those who were told believe
        bool set_held = false;
        bool held_for_loss = false;  // set_held, because the id was to be removed
        // What is gone, though nobody was told yet: what its id meant then, and its value.
        storage::id_info lost = {};
        void* kept = nullptr;
    };
    // What is not deleted gets what comes after that.
    void note_refused(const command& deletion) noexcept;
    bool may_be_reported(const command& queued) const noexcept;
    void predict_sequential(const command* first, bool in_order);
    // What comes with the id.
    template <class Visit>
    void each_implied(const storage::id_info& id, Visit&& visit) const;
    // What the target of an entity's symmetric pair has.
    storage::id_info describe_back(entity_t entity, id_t pair) const noexcept;
    // The entities whose symmetric pairs the command changes.
    void collect_sides(const command& queued, containers::vec<entity_t>& sides);
    void predict(const command& queued);
    // With what comes along, and on the other side of symmetric pairs.
    void predict_added(const command& queued, id_t id);
    void predict_implied(const command& queued, entity_t entity, const storage::id_info& id);
    void predict_sides(const command& queued, entity_t entity, const storage::id_info& id,
                       bool is_set);
    void predict_marked(const command& queued, entity_t base);
    // By the commands that were foreseen so far: its children become prefabs, too.
    bool will_be_prefab(entity_t entity) noexcept;
    void predict_one(const command& queued, entity_t entity, const storage::id_info& id,
                     bool is_set);
    void predict_copied(const command& queued);
    void predict_removed(const command& queued);
    // All ids of a pattern but one.
    void predict_removed_by_pattern(entity_t entity, id_t pattern, id_t spared,
                                    std::uint32_t order);
    predicted_state* find(entity_t entity, id_t id) noexcept;
    predicted_state& ensure(entity_t entity, id_t id);
    std::int64_t last_taken(const predicted_state& state) const noexcept;
    // Whether the entity has it in the end, if it does now, or not.
    bool will_have(const predicted_state& state, bool has) noexcept;
    // It, or what the id consists of, is being deleted.
    bool is_ending(const predicted_state& state) const noexcept;
    bool is_change_reported(predicted_state& state, bool has) noexcept;
    bool is_loss_reported(predicted_state& state, const storage::id_info& id,
                          const void* value) noexcept;
    // False if that is not possible.
    bool keep(predicted_state& state, const storage::id_info& id, const void* value) noexcept;
    void drop_kept(predicted_state& state) noexcept;
    void drop_all() noexcept;
    bool is_set_reported(predicted_state& state) noexcept;
    void notify_rest(predicted_state& state) noexcept;

    stage& world_;
    net_effects* outer_;
    std::int64_t now_ = -1;
    const bool bases_;  // the queue gives or takes bases
    const bool sides_;  // and symmetric pairs that somebody listens to
    bool failed_ = false;
    std::uint32_t held_losses_ = 0;
    containers::vec<predicted_state> predicted_states_;
    containers::hash_index index_;  // of outlooks_, 1-based
    latest_commands predicted_removals_;
};

}  // namespace kith::mutate
