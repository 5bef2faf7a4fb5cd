// The observers of a world, by their entities. An observer ends when its entity loses the tag
// Observer, and is not called while the entity has the tag Disabled.
//
// Invariants
// 1. Each entity has at most one observer.
// 2. An observer of the set has not ended. Ended observers leave the set at once and are destroyed
//    when none of their callbacks is running.
// 3. The entity of an observer has the tag Observer, or is in `untagged_` because the command that
//    adds the tag is queued until iterations end.
// 4. `early_ends_` is subscribed while `untagged_` may have entities.
//
// Covered by tests/features/observers/lifetime_test.cpp.
#pragma once

#include "observe/observer/observer.hpp"

#include <unordered_map>

namespace kith::observe {

// Owns the observers.
class observer_set {
public:
    explicit observer_set(mutate::stage& world) noexcept : world_(world) {}
    ~observer_set();
    observer_set(const observer_set&) = delete;
    observer_set& operator=(const observer_set&) = delete;

    // Makes the entity an observer. The observer owns the query and the action, also if the call
    // throws; then the entity is restored. While the world is deferred, the tag is queued: the
    // caller calls await_tags() before, and end_batch() after the queue was run.
    observer& make(entity_t entity, detail::query_head* query,
                   const detail::observer_action& action, const observer_setup& setup);
    // Ends the observer and removes the tag from its entity.
    void unmake(entity_t entity);
    // The observer of the entity, or null.
    observer* find(entity_t entity) const noexcept;
    // Ends all observers.
    void clear() noexcept;
    // Ends the observers whose entities are gone or have lost the tag: the state of the world was
    // replaced.
    void end_lost() noexcept;

    // Subscribes to deletions, because entities whose tags are queued (see
    // mutate/queue/post_iteration.hpp) may be deleted before they get them.
    void await_tags();
    // The queue was run: observers whose entities have no tag end.
    void end_batch() noexcept;

private:
    // A subscription to changes of a tag.
    struct tag_listener : events::listener {
        observer_set* observers = nullptr;
        bool is_subscribed = false;
    };

    static void on_delete(events::listener& me, const events::event_data& event);
    static void on_early_delete(events::listener& me, const events::event_data& event);
    static void on_disable(events::listener& me, const events::event_data& event);
    static void on_enable(events::listener& me, const events::event_data& event);

    // True if the tag of the entity is queued.
    bool is_untagged(entity_t entity) const noexcept;
    // Subscribes the listener unless it is subscribed.
    void listen(tag_listener& listener,
                void (*on_event)(events::listener&, const events::event_data&), entity_t event,
                entity_t tag);
    void listen_to_tags();
    // Ends the observer of the entity, if there is one.
    void remove(entity_t entity) noexcept;

    mutate::stage& world_;
    std::unordered_map<entity_t, observer*> by_entity_;
    containers::vec<entity_t> untagged_;  // entities whose tags are queued
    tag_listener ends_;
    tag_listener early_ends_;
    tag_listener disables_;
    tag_listener enables_;
};

}  // namespace kith::observe
