// The observers of a world, by their entities. They end when their entities lose the tag Observer,
// and sleep while those have the tag Disabled.
//
// Covered by tests/core/observe/observer_life_test.cpp.
#pragma once

#include "observe/observer.hpp"

namespace kith::observe {

class observer_set {
public:
    explicit observer_set(mutate::stage& owner) noexcept : world_(owner) {}
    ~observer_set();
    observer_set(const observer_set&) = delete;
    observer_set& operator=(const observer_set&) = delete;

    // Makes the entity an observer. Takes over the query and the action, also if it throws; then
    // the entity is what it was. While the world is deferred, the tag is queued: who does that
    // calls await_tags() before and end_batch() when the queue was run.
    observer& make(entity_t entity, detail::query_head* query,
                   const detail::observer_action& action, const observer_setup& setup);
    // Takes that back.
    void unmake(entity_t entity);
    // Null if the entity is none.
    observer* find(entity_t entity) const noexcept;
    // Ends all of them.
    void clear() noexcept;

    // Entities with commands that wait (see mutate/post_iteration.hpp) may end before they get
    // their tags.
    void await_tags();
    // The commands were run: observers that have no tag all the same end.
    void end_batch() noexcept;

private:
    // Listens to the tags of observers.
    struct tag_listener : events::listener {
        observer_set* owner = nullptr;
        bool subscription_counts = false;
    };

    static void on_delete(events::listener& me, const events::event_data& event);
    static void on_early_delete(events::listener& me, const events::event_data& event);
    static void on_disable(events::listener& me, const events::event_data& event);
    static void on_enable(events::listener& me, const events::event_data& event);

    bool is_untagged(entity_t entity) const noexcept;
    std::uint32_t number_of(entity_t entity) const noexcept;
    void listen(tag_listener& listener,
                void (*on_event)(events::listener&, const events::event_data&), entity_t event,
                entity_t tag);
    void listen_to_tags();
    void insert(observer& observer);
    void remove(entity_t entity) noexcept;

    mutate::stage& world_;
    containers::vec<observer*> all_;
    containers::hash_index by_entity_;
    containers::vec<entity_t> untagged_;  // get their tags by commands that wait
    tag_listener ends_;
    tag_listener early_ends_;
    tag_listener disables_;
    tag_listener enables_;
};

}  // namespace kith::observe
