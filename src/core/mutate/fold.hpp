// The commands of one entity as one change: one move of its row, and for each id at most one word
// to those who listen.
#pragma once

#include "mutate/error_log.hpp"
#include "mutate/stage.hpp"

namespace kith::mutate {

// False if an element of the command's pair has died since it was queued, whoever has its index
// now.
bool pair_is_current(const stage& world, const command& queued) noexcept;
[[noreturn]] void raise_other_element(command_kind kind, id_t id);
// Throws if values of the id are of another type than the one that was queued.
void check_queued_type(const stage& world, const storage::id_info& id, const command& queued);
// True if the commands have no effects beyond the ids of their entity.
bool can_fold_chain(const stage& world, const command* head);
// Runs them. False if that failed before anything was changed or used up: one by one, all but those
// that fail by themselves still succeed.
bool run_folded(stage& world, command* head, error_log& errors);

}  // namespace kith::mutate
