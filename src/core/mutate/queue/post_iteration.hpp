// Commands that wait for the end of iterations: those of observers that are created while their
// tables are iterated. They are not part of the queue of deferred commands, which may end earlier,
// and run when the last iteration of the world is over. flush.cpp implements run_post_iteration().
//
// Covered by tests/features/observers/made_while_visiting_test.cpp.
#pragma once

#include "mutate/context/command_buffer.hpp"
#include "mutate/context/stage.hpp"

namespace kith::mutate {

// Waits for the end of the iterations of this world. Called before commands are put into
// stage::post_iteration.
void defer_past_iteration(stage& world) noexcept;
// Ends the waiting: the commands were run, or the world ends. Remaining commands are dropped.
void end_post_iteration(stage& world) noexcept;

// Drops the commands of an entity that is about to be deleted. Entities that were to get a pair by
// which they would be deleted with it are deleted as well: their deletion is deferred.
void drop_post_iteration(stage& world, entity_t ending);
// Drops the commands that give the entity this id.
void drop_post_iteration(stage& world, entity_t entity, id_t id) noexcept;
// Drops commands that other changes have overtaken, before the commands run: an entity keeps the
// name or parent that it got meanwhile, and gets no pair with a deleted target.
void review_post_iteration(stage& world);
// True if a command of the queue adds a pair with this target.
bool is_staged_target(const command_buffer& queue, entity_t target) noexcept;

// Runs the commands, and those that are added meanwhile. Throws the first error at the end.
void run_post_iteration(stage& world);

}  // namespace kith::mutate
