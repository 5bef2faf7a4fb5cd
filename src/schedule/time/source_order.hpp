// The order in which tick sources are advanced: each after the source that it counts or follows.
//
// Covered by tests/unit/schedule/source_order_test.cpp.
#pragma once

#include <kith/id.hpp>

#include <vector>

namespace kith::scheduling {

// An entity and the source of its ticks; 0: none.
struct source_link {
    entity_t entity;
    entity_t source;
    bool operator==(const source_link&) const noexcept = default;
};

struct source_order {
    std::vector<entity_t> entities;  // sources first; empty if there is a circle
    std::vector<entity_t> circle;    // each is the source of the one before, the first of the last
};

// Entities without a source, and links with equal sources, keep the order of `links`. Requires: no
// entity has two links. A source without a link is no part of the order.
source_order order_sources(const std::vector<source_link>& links);

}  // namespace kith::scheduling
