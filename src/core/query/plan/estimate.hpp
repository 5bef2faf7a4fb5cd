// Estimates of the number of entities and pairs with an id or pattern, for the order of plans.
// estimate_id() reads counters and samples of at most 32 tables or pairs, never whole lists.
#pragma once

#include "query/model/query_model.hpp"
#include "storage/store.hpp"

namespace kith::queries {

struct id_estimate {
    double pairs = 0;    // entities with the id; for a pattern, once for each id that matches
    double sources = 0;  // different entities with such an id
    double targets = 1;  // different targets of such ids
};
id_estimate estimate_id(const storage::store& data, id_t pattern) noexcept;

}  // namespace kith::queries
