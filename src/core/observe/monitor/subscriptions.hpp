// The subscriptions of a monitor to the events that can affect results of its query.
//
// Covered by tests/features/monitors/monitor_test.cpp.
#pragma once

#include "observe/monitor/affected_bindings.hpp"
#include "observe/query_context.hpp"

namespace kith::observe {

// Registers one listener for events and patterns of ids, each once.
class subscriptions {
public:
    subscriptions(mutate::stage& world, events::listener& subscriber) noexcept
        : world_(world), subscriber_(subscriber) {}

    // Subscribes to all events that can affect results.
    void add_all(const affected_bindings& affected);
    // Subscribes to the ids that count once the change has given an entity a base. If it fails,
    // is_stale() is true until add_all() succeeds.
    void add_derived(affected_bindings& affected, const change& change);
    // A subscription for a new subtype may be missing.
    bool is_stale() const noexcept { return stale_; }
    void remove_all() noexcept;

private:
    struct registered {
        entity_t event;
        id_t pattern;
        std::uint64_t number;  // in the registry of events
    };

    void add(entity_t event, id_t pattern);
    void add_changes(id_t pattern);

    mutate::stage& world_;
    events::listener& subscriber_;
    std::vector<registered> registered_;
    bool stale_ = false;
};

}  // namespace kith::observe
