// How many entities or pairs there are of what a term asks for, about: reads counts and samples,
// never whole lists.
#pragma once

#include "query/model/query_model.hpp"
#include "storage/store.hpp"

namespace kith::queries {

struct id_estimate {
    double pairs = 0;    // entities that have it; of a pattern, once for each id
    double sources = 0;  // different entities
    double targets = 1;  // different targets
};
id_estimate estimate_id(const storage::store& data, id_t pattern) noexcept;

}  // namespace kith::queries
