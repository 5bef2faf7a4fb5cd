// The entities of observers while the observers are being made. An observer's entity gets its name,
// parent and tags immediately, also while the world is deferred. If an iteration has locked one of
// the tables that are needed, these changes are queued until all iterations have ended.
//
// Covered by tests/features/observers/made_while_visiting_test.cpp.
#pragma once

#include "api/world_impl.hpp"
#include "mutate/queue/post_iteration.hpp"

namespace kith::api {

// Runs operations immediately, or (`waits`) queues them until iterations end.
class placing_scope {
public:
    placing_scope(world_impl& owner, bool waits) noexcept;
    ~placing_scope();
    placing_scope(const placing_scope&) = delete;
    placing_scope& operator=(const placing_scope&) = delete;

private:
    immediate_scope immediate_;
    world_impl& owner_;
    bool waits_;
};

// The entity of an observer that is being made. Unless keep() is called, the destructor deletes the
// created entities and ends the observer.
class new_observer_entity {
public:
    // Finds or creates the entity. `observed` is the entity whose events are observed, 0 if there
    // is none.
    new_observer_entity(world_impl& owner, text_view path, entity_t observed);
    ~new_observer_entity();
    new_observer_entity(const new_observer_entity&) = delete;
    new_observer_entity& operator=(const new_observer_entity&) = delete;

    operator entity_t() const noexcept { return entity_; }
    // Makes the entity an observer. Requires: called once.
    observe::observer& make(detail::query_head* query, const detail::observer_action& action,
                            const observe::observer_setup& setup);
    // Completes the observer and runs the commands that callbacks have queued. Requires: called
    // once.
    entity_t keep();

private:
    explicit new_observer_entity(world_impl& owner) noexcept : owner_(owner) {}
    // Reverses what was done so far.
    void roll_back();
    // True if callbacks gave the entity children, which are kept.
    bool has_children(entity_t element) const;

    world_impl& owner_;
    entity_t entity_ = 0;
    bool waits_ = false;  // changes are queued until iterations end
    bool is_observer_ = false;
    bool kept_ = false;
    path_elements created_{
        owner_.data.mem,
        containers::purpose::names};  // entities of the path, the observer's own one last
};

// Runs the changes that were queued until iterations end. Called when no table of the world is
// locked.
void run_post_iteration(mutate::stage& owner) noexcept;

}  // namespace kith::api
