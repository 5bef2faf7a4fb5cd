// Folding: the commands of one entity as one change, with one move of its row and at most one
// notification for each id and event.
#pragma once

#include "mutate/context/command.hpp"
#include "mutate/context/error_log.hpp"
#include "mutate/context/stage.hpp"

namespace kith::mutate {

// False if an element of the command's pair was deleted since the command was queued, even if
// another entity has its index now.
bool pair_is_current(const stage& world, const command& queued) noexcept;
// Throws the error for a command whose pair has lost an element.
[[noreturn]] void raise_other_element(command_kind kind, id_t id);
// Throws if the id has values of another type than the queued one.
void check_queued_type(const stage& world, const storage::id_info& id, const command& queued);
// True if the commands of the chain affect only the ids of their entity.
bool can_fold_chain(const stage& world, const command* head);
// Runs the chain as one change. Returns false if that failed before anything changed or a value was
// consumed: the caller then runs the commands one by one, so that only the failing ones are lost.
bool run_folded(stage& world, command* head, error_log& errors);

}  // namespace kith::mutate
