// The subscriptions of a monitor to the events that can affect results of its query.
//
// Covered by tests/features/monitors/monitor_test.cpp.
#pragma once

#include "observe/monitor/term_dependencies.hpp"
#include "observe/query_context.hpp"

namespace kith::observe {

// Registers one listener for events and patterns of ids, each once.
class subscriptions {
public:
    subscriptions(const query_context& context, events::listener& subscriber) noexcept
        : context_(context), subscriber_(subscriber) {}

    // Subscribes to the events that can change results. `open`: entities without any id can be
    // results.
    void add_all(bool open);
    // Subscribes to the ids that count once the change has given an entity a base. If it fails,
    // is_stale() is true until add_all() succeeds.
    void add_derived(const change& change);
    // A subscription for a new subtype may be missing.
    bool is_stale() const noexcept { return stale_; }
    // Bases may have changed without a notification: is_stale() is true until add_all() succeeds.
    void mark_stale() noexcept { stale_ = true; }
    void remove_all() noexcept;

private:
    struct registered {
        entity_t event;
        id_t pattern;
        std::uint64_t number;  // in the registry of events
    };

    void add(entity_t event, id_t pattern);
    void add_changes(id_t pattern);

    query_context context_;
    events::listener& subscriber_;
    std::vector<registered> registered_;
    bool stale_ = false;
};

}  // namespace kith::observe
