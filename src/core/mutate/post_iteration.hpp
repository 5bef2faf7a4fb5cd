// Commands that wait for the end of iterations: what observers that are made meanwhile need in
// tables that are being visited. They are no part of the queue of deferred commands, which may end
// earlier, and are run when the last iteration of the world is over.
//
// Covered by tests/core/observe/observer_made_while_visiting_test.cpp.
#pragma once

#include "mutate/stage.hpp"

namespace kith::mutate {

// To be called before something is put into stage::waiting: something of the world is iterated.
void defer_past_iteration(stage& world) noexcept;
// They were run, or the world ends: those that are left are dropped.
void end_post_iteration(stage& world) noexcept;

// An entity is about to end while commands wait. Its own are dropped, and entities that were to get
// a link by which they would be deleted with it are deleted: their deletion is deferred.
void drop_post_iteration(stage& world, entity_t ending);
// An entity is not to get the id any more.
void drop_post_iteration(stage& world, entity_t entity, id_t id) noexcept;
// Before they are run: what entities have got meanwhile by other ways, a name or a parent, is not
// replaced; and nobody is linked to what is gone.
void review_post_iteration(stage& world);
// True if a command of the queue gives somebody a pair with this target.
bool is_staged_target(const command_buffer& queue, entity_t target) noexcept;

// Runs them, and those that come meanwhile. Throws the first error at the end.
void run_post_iteration(stage& world);

}  // namespace kith::mutate
