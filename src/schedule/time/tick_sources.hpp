// All timers and rate filters of a world, advanced once per frame: timers first, then filters, each
// after its source, so that a chain of them ticks in one frame.
//
// Invariants
// 1. order_ lists the filters that exist and are enabled, sources first, as of the last frame.
// 2. Sources that ticked in the last frame are in ticked_; all others have TickSource::tick false,
//    unless replaced_ is true.
//
// Covered by tests/unit/schedule/tick_sources_test.cpp.
#pragma once

#include <kith/kith.hpp>
#include <kith/timer.hpp>

#include "time/clock.hpp"
#include "time/random.hpp"
#include "time/source_order.hpp"

#include <vector>

namespace kith::scheduling {

class tick_sources {
public:
    // Requires: declare_time_components() was called for the world.
    explicit tick_sources(const world& world);

    // True if there is no timer and no filter, so that check() and advance() do nothing.
    bool is_empty() const noexcept;
    // Raises cycle if sources form a circle.
    void check();
    // Advances all sources by a frame; one that is paused has no ticks. Requires: check() has
    // found no circle since the last change, and the world is not deferred.
    void advance(const frame_time& frame, bool paused = false);
    // Gives all timers a random start, in the order of their entities.
    void randomize(random_numbers& numbers);

    // The world has another state: the next frame looks at all sources.
    void world_replaced() noexcept { replaced_ = true; }
    bool is_replaced() const noexcept { return replaced_; }

    // Whether the entity ticks in this frame, as a source for others: by its timer or filter;
    // without them in each frame. Entities that are disabled or gone never tick.
    bool ticks(const entity& source) const;

private:
    void clear_ticks();
    void advance_timers(const frame_time& frame);
    void advance_filter(entity filter, const frame_time& frame);
    bool is_scaled(const entity& source) const;

    kith::world world_;  // not owned
    query<Timer, TickSource> timers_;
    query<const RateFilter, const TickSource> filters_;
    std::vector<source_link> links_;  // of the filters, when order_ was found
    std::vector<entity_t> order_;
    std::vector<entity_t> ticked_;
    bool replaced_ = false;
};

}  // namespace kith::scheduling
