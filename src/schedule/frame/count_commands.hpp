// The commands of a stretch by their systems and kinds, for statistics.
#pragma once

#include "frame/pipeline_data.hpp"

namespace kith::scheduling {

// Adds the queued commands of the stretch to the counts of the systems that queued them, and to
// `all`. Requires: the entries from `begin` to `end` have noted the ends of their commands.
void count_commands(const world_t* world, const pipeline_plan& plan, std::uint32_t begin,
                    std::uint32_t end, command_counts& all);

}  // namespace kith::scheduling
