// What is told of a deletion. An entity goes with all that it takes along in one step: everybody is
// told of all that goes while all of it is there, and of what begins by that when it is gone.
//
// Covered by tests/core/observe/deletion_news_test.cpp and delete_events_test.cpp.
#pragma once

#include "mutate/referrers.hpp"

namespace kith::mutate {

class deletion_events {
public:
    explicit deletion_events(stage& world) noexcept
        : world_(world),
          data_(world.data),
          notifies_(world.events.has_any_listener() || world.data.has_hooks) {}
    ~deletion_events();
    deletion_events(const deletion_events&) = delete;
    deletion_events& operator=(const deletion_events&) = delete;

    // Entities in the order in which they are going to end, when all of them are marked as dying.
    // May fail: nothing is told yet.
    void add(entity_t entity, const storage::entity_record& record) {
        if (notifies_ && record.state & storage::record_referenced) {
            collect_losses(entity, record);
        }
    }
    // Before anything is gone. `all`: those that were added.
    void notify(const entity_t* all, std::uint32_t count) {
        if (notifies_) {
            notify_all(all, count);
        }
    }

private:
    // What others lose with the end of an entity.
    struct loss {
        entity_t ending;
        id_owner what;
    };

    void collect_losses(entity_t entity, const storage::entity_record& record);
    void add_loss(entity_t ending, const storage::id_info& id, entity_t holder, bool is_first);
    void notify_all(const entity_t* all, std::uint32_t count);
    void notify_deletions(const entity_t* all, std::uint32_t count);
    void notify_holders(entity_t target);
    void notify_delete(entity_t entity);
    void notify_own_ids(entity_t entity, const storage::entity_record& record);
    void notify_losses(const loss* first, const loss* last);
    void notify_loss(const id_owner& lost);
    void notify_removal(const storage::id_info& id, entity_t entity, void* value) noexcept;

    stage& world_;
    storage::store& data_;
    containers::vec<loss> losses_;  // in the order of the entities
    containers::vec<entity_t> together_;
    bool parents_notify_ = false;
    const bool notifies_;  // somebody wants to know something of what happens in the world
};

// While a deletion is under way: says which entity ends, and at last tells those who waited for it.
class deletion_scope {
public:
    explicit deletion_scope(stage& world) noexcept
        : world_(world),
          step_(world),
          outer_deleting_(world.deleting),
          outer_deletion_notified_(world.deletion_notified) {
        world.deletion_notified = 0;
    }
    ~deletion_scope();
    deletion_scope(const deletion_scope&) = delete;
    deletion_scope& operator=(const deletion_scope&) = delete;

private:
    stage& world_;
    const inner_step step_;
    // Of a deletion around this one, which somebody who is told of it makes at once.
    entity_t outer_deleting_;
    entity_t outer_deletion_notified_;
};

}  // namespace kith::mutate
