// Missing sync points: commands of a system about ids that later systems of the stretch have read.
#pragma once

#include "frame/pipeline_data.hpp"

namespace kith::scheduling {

// A command about `id` waited while `reader` ran, which reads the id.
struct missing_sync {
    entity_t writer;
    entity_t reader;
    id_t id;
};

// Finds them among the commands that are queued, for the systems [begin, end) of the plan. Adds
// those that are not known, and writes a line to the log for each. Requires: the commands of the
// stretch are still queued, and [begin, end) are the systems that have queued them.
void find_missing(const world_t* world, const pipeline_plan& plan, std::uint32_t begin,
                  std::uint32_t end, std::vector<missing_sync>& known);

}  // namespace kith::scheduling
