// The entities of observers. They get what makes them observers at once, also while the world is
// deferred; or, where iterations are in the way, when those are over.
//
// Covered by tests/core/observe/observer_made_while_visiting_test.cpp.
#pragma once

#include "api/world_impl.hpp"
#include "mutate/post_iteration.hpp"

namespace kith::api {

// Runs operations at once, or lets them wait for the end of iterations.
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

// The entity of an observer that is being made. If that fails, what was made goes again.
class new_observer_entity {
public:
    // `observed`: the entity that is observed, 0 if there is none.
    new_observer_entity(world_impl& owner, text_view path, entity_t observed);
    ~new_observer_entity();
    new_observer_entity(const new_observer_entity&) = delete;
    new_observer_entity& operator=(const new_observer_entity&) = delete;

    operator entity_t() const noexcept { return entity_; }
    observe::observer& make(detail::query_head* query, const detail::observer_action& action,
                            const observe::observer_setup& setup);
    // It is complete. Makes the changes that those want who were told of it.
    entity_t keep();

private:
    explicit new_observer_entity(world_impl& owner) noexcept : owner_(owner) {}
    void take_back();
    bool has_children(entity_t element) const;

    world_impl& owner_;
    entity_t entity_ = 0;
    bool waits_ = false;
    bool is_observer_ = false;
    bool kept_ = false;
    path_elements made_{owner_.data.mem, containers::purpose::names};
};

// Nothing of the world is iterated any more.
void run_post_iteration(mutate::stage& owner) noexcept;

}  // namespace kith::api
