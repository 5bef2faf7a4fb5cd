// One frame of all tick sources.
#include "time/tick_sources.hpp"

#include <kith/detail/assert.hpp>

#include "time/ticks.hpp"
#include "time/timer_entities.hpp"

#include <algorithm>
#include <utility>

namespace kith::scheduling {

tick_sources::tick_sources(const world& world)
    : world_(world),
      timers_(world.query<Timer, TickSource>()),
      filters_(world.query<const RateFilter, const TickSource>()) {}

// The lists of the caches decide, if they are up to date.
bool tick_sources::is_empty() const noexcept {
    const auto matches_nothing = [](const detail::query_head& query,
                                    const detail::store_head& store) {
        return query.match_count == 0 && query.version.load() == store.version &&
               query.listed == detail::listing::matches;
    };
    const detail::store_head& store = *world_.c_ptr()->store;
    return !replaced_ && ticked_.empty() && links_.empty() &&
           matches_nothing(*timers_.ref().get(), store) &&
           matches_nothing(*filters_.ref().get(), store);
}

// Ticks of the last frame are cleared first, so that no system sees a tick twice. At the end,
// entities whose filter has replaced the tick of their timer leave the list.
void tick_sources::advance(const frame_time& frame, bool paused) {
    KITH_ASSERT(!world_.is_deferred(), "the components of sources are written at once");
    clear_ticks();
    if (paused) {
        return;
    }
    advance_timers(frame);
    for (entity_t filter : order_) {
        advance_filter(entity(world_, filter), frame);
    }
    std::erase_if(ticked_, [&](entity_t e) { return !ticks(entity(world_, e)); });
}

// An entity without a timer or filter ticks in each frame.
bool tick_sources::ticks(const entity& source) const {
    if (!source.is_alive() || source.has(Disabled)) {
        return false;
    }
    return !source.owns<TickSource>() || source.get<TickSource>()->tick;
}

// The sources are compared instead of observed: programs may write them in place. The order is
// found anew only if links have changed.
void tick_sources::check() {
    std::vector<source_link> links;
    filters_.each([&](entity e, const RateFilter& filter, const TickSource&) {
        links.push_back({e.raw_id(), filter.src});
    });
    if (links == links_ && !links.empty() == !order_.empty()) {
        return;
    }
    source_order found = order_sources(links);
    if (!found.circle.empty()) {
        raise_circle(world_, found.circle);
    }
    links_ = std::move(links);
    order_ = std::move(found.entities);
}

// The order of entities makes the result independent of tables.
void tick_sources::randomize(random_numbers& numbers) {
    std::vector<entity> all;
    timers_.each([&](entity e, Timer&, TickSource&) { all.push_back(e); });
    std::sort(all.begin(), all.end(),
              [](const entity& a, const entity& b) { return a.raw_id() < b.raw_id(); });
    for (const entity& e : all) {
        scheduling::randomize(*e.try_get_mut<Timer>(), numbers);
    }
}

// Behind a replacement, sources of any kind may have ticked.
void tick_sources::clear_ticks() {
    if (std::exchange(replaced_, false)) {
        ticked_.clear();
        // A cached query would put tables to sleep, which did not happen the first time.
        auto all = world_.filter_builder<const TickSource>();
        all.filter_flags(FilterMatchDisabled | FilterMatchPrefab);
        all.build().each([&](entity e, const TickSource& source) {
            if (source.tick) {
                ticked_.push_back(e.raw_id());
            }
        });
    }
    for (entity_t e : ticked_) {
        const entity source(world_, e);
        if (source.is_alive() && source.owns<TickSource>()) {
            source.try_get_mut<TickSource>()->tick = false;
        }
    }
    ticked_.clear();
}

void tick_sources::advance_timers(const frame_time& frame) {
    timers_.each([&](entity e, Timer& timer, TickSource& source) {
        scheduling::advance(timer, source, timer.scaled ? frame.scaled : frame.raw);
        if (source.tick) {
            ticked_.push_back(e.raw_id());
        }
    });
}

// A filter without a source counts the ticks of its own timer, or frames if it has none. Its result
// replaces the tick of that timer.
void tick_sources::advance_filter(entity e, const frame_time& frame) {
    RateFilter& filter = *e.try_get_mut<RateFilter>();
    TickSource& result = *e.try_get_mut<TickSource>();
    const entity source = filter.src ? entity(world_, filter.src) : e;
    const bool own = filter.src == 0;
    filter.scaled = own ? e.owns<Timer>() && e.get<Timer>()->scaled : is_scaled(source);
    const bool counted = own ? !e.owns<Timer>() || result.tick : ticks(source);
    scheduling::advance(filter, result, counted, filter.scaled ? frame.scaled : frame.raw);
    if (result.tick) {
        ticked_.push_back(e.raw_id());
    }
}

// Filters pass on whether their source counts scaled time: sources come first in the order, so that
// the flag of a filter is up to date.
bool tick_sources::is_scaled(const entity& source) const {
    if (!source.is_alive()) {
        return false;
    }
    const RateFilter* filter = source.owns<RateFilter>() ? source.get<RateFilter>() : nullptr;
    const Timer* timer = source.owns<Timer>() ? source.get<Timer>() : nullptr;
    return filter ? filter->scaled : timer && timer->scaled;
}

}  // namespace kith::scheduling
