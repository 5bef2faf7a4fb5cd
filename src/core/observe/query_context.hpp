// The query of an observer or a monitor, and the world in which it is run. The parts of observers
// and monitors share it by value.
#pragma once

#include "base/assert.hpp"
#include "mutate/context/stage.hpp"
#include "query/compiled_query.hpp"

namespace kith::observe {

// Requires: query and world live longer.
struct query_context {
    mutate::stage& world;
    detail::query_head* query;  // null: an observer without terms

    storage::store& data() const noexcept { return world.data; }
    const queries::compiled_query& compiled() const noexcept {
        KITH_ASSERT(query, "the observer has terms");
        return static_cast<const queries::compiled_query&>(*query);
    }
    const queries::query_model& model() const noexcept { return compiled().model; }
};

}  // namespace kith::observe
