// Rows in the order of their ranks, as a value that runs share: see ordered_rows.hpp, which makes
// it and hands its rows out, and kept_ranks.hpp, which keeps it from run to run.
#pragma once

#include "query/exec/candidates.hpp"

#include <memory>
#include <vector>

namespace kith::queries {

struct ranked_rows {
    // The rows of one rank.
    struct level {
        std::uint64_t group;  // without groups: the depth
        std::size_t end;      // one past its last entity in `entities`
    };

    std::unique_ptr<entity_t[]> entities;  // in order
    std::size_t count = 0;                 // of entities
    std::vector<level> levels;             // of entities, in order
    // The same rows as ranges of tables, each inside of one level. Empty: not known. The ranges
    // hold as long as no row of their tables has moved.
    struct range {
        row_range rows;
        std::uint32_t siblings;  // position of the targets of the rows
    };
    std::vector<range> ranges;
    // The targets of the rows in the links that gave them their depths. Empty: not known.
    std::vector<sibling_run> siblings;
    const storage::link_store* links = nullptr;
    std::uint64_t edition = 0;  // of the links
};

}  // namespace kith::queries
