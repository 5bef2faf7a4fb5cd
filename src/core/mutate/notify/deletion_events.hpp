// The events of a deletion. An entity is deleted with its cascade in one step: listeners are
// notified of all losses while every entity is still complete, and of the consequences when all of
// them are gone.
//
// Covered by tests/features/observers/deletion_events_test.cpp and
// tests/features/events/delete_test.cpp.
#pragma once

#include "mutate/context/stage.hpp"
#include "mutate/notify/notify.hpp"
#include "mutate/rules/referrers.hpp"

namespace kith::mutate {

// Collects the losses of a deletion (add) and notifies of them (notify).
//
// Invariants
// 1. `losses_` and `referrers_` are grouped by the ending entity, in the order of add(); each group
//    of losses is sorted by id and holder.
// 2. Holders in `losses_` are not deleted themselves.
// 3. `holders_` has capacity for each group, so that notify() allocates nothing.
class deletion_events {
public:
    explicit deletion_events(stage& world) noexcept
        : world_(world),
          data_(world.data),
          notifies_(world.events.has_any_listener() || world.data.has_hooks),
          notifies_targets_(notifies_ && world.events.has_listeners(OnDeleteTarget)) {}
    ~deletion_events();
    deletion_events(const deletion_events&) = delete;
    deletion_events& operator=(const deletion_events&) = delete;

    // True if the world has hooks or listeners.
    bool notifies() const noexcept { return notifies_; }
    // Collects the losses of those that refer to an entity in one way. Called for the entities in
    // the order of their end, when all of them are marked (record_pending_delete). May throw:
    // nothing was notified yet.
    void add(entity_t entity, const reference& use) {
        if (notifies_) {
            collect_losses(entity, use);
        }
    }
    // All references to the entity were added.
    void complete() {
        if (group_ != losses_.size()) {
            sort_group();
        }
    }
    // Notifies of the deletion of the added entities, while they still exist.
    void notify(const entity_t* entities, std::uint32_t count) {
        if (notifies_) {
            notify_all(entities, count);
        }
    }

private:
    // An id that a holder loses with the end of an entity.
    struct loss {
        entity_t ending;
        id_owner lost;
    };

    void collect_losses(entity_t entity, const reference& use);
    void sort_group();
    void notify_all(const entity_t* entities, std::uint32_t count);
    void notify_deletions(const entity_t* entities, std::uint32_t count);
    const loss* notify_referrers(const loss* next, entity_t target);
    void notify_delete(entity_t entity);
    void notify_own_ids(entity_t entity, const storage::entity_record& record);
    void notify_losses(const loss* first, const loss* last);
    void notify_loss(const id_owner& lost);
    void notify_removal(const storage::id_info& id, entity_t entity, void* value) noexcept;

    stage& world_;
    storage::store& data_;
    containers::vec<loss> losses_;       // in the order of their ending entities
    containers::vec<loss> referrers_;    // pairs with ending targets, for OnDeleteTarget
    containers::vec<entity_t> holders_;  // scratch: holders that lose one id
    bool parents_notify_ = false;        // losses of ChildOf pairs have listeners
    std::uint32_t group_ = 0;            // the first loss of the entity that is being added
    const bool notifies_;                // the world has hooks or listeners
    const bool notifies_targets_;        // OnDeleteTarget has listeners
};

// Notifies that the entity is about to be deleted (OnDelete), for the entity and each of its ids,
// inherited ones included.
void notify_deletion(stage& world, entity_t entity);

// The time of a deletion. The destructor restores the state of an outer deletion and, for the
// outermost one, notifies listeners that wait for the end of deletions.
class deletion_scope {
public:
    explicit deletion_scope(stage& world) noexcept
        : world_(world),
          step_(world),
          outer_deleting_(world.deletion.entity),
          outer_deletion_notified_(world.deletion.notified) {
        world.deletion.notified = 0;
    }
    ~deletion_scope();
    deletion_scope(const deletion_scope&) = delete;
    deletion_scope& operator=(const deletion_scope&) = delete;

private:
    stage& world_;
    const inner_step step_;
    // The state of an outer deletion, if a listener with suspended deferring deletes at once.
    entity_t outer_deleting_;
    entity_t outer_deletion_notified_;
};

}  // namespace kith::mutate
