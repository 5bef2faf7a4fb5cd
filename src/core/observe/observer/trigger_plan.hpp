// Chooses the triggers of an observer.
//
// Covered by tests/features/observers/.
#pragma once

#include "observe/observer/observer.hpp"

namespace kith::observe {

// The choice of the events and ids that one observer listens to.
class trigger_plan {
public:
    trigger_plan(observer& observer, const observer_setup& setup)
        : observer_(observer), setup_(setup), triggers_(observer.parts().triggers) {}
    // Adds the triggers. Throws if none of them can cause a call.
    void run();

private:
    void add_event(entity_t event);
    void add_anything(entity_t event);
    void add_term(entity_t event, std::uint32_t number);
    void add_opposite(entity_t event, std::uint32_t number);
    void add_edge(entity_t event, std::uint32_t number);
    void add_hiding(entity_t event, std::uint32_t number);
    void add_deletions();
    void add_derived(entity_t event, entity_t cause, std::uint32_t number);
    void expect_derived(std::uint32_t number);
    void add(entity_t event, entity_t cause, id_t pattern, std::uint32_t number, trigger_kind kind,
             registers_when waits = registers_when::nothing);
    events::transient_policy transient_policy_of(std::uint32_t number) const noexcept;
    bool is_notified_once(entity_t event, std::uint32_t number, trigger_kind kind) const noexcept;
    bool wakes(std::uint32_t number) const noexcept;
    bool is_plain(std::uint32_t number) const noexcept;
    id_t pattern_of(const queries::term& term) const;

    const queries::query_model& model() const noexcept { return observer_.parts().context.model(); }
    const storage::store& data() const noexcept { return observer_.world().data; }

    observer& observer_;
    const observer_setup& setup_;
    trigger_set& triggers_;
    bool several_ = false;  // several terms can cause a call
};

}  // namespace kith::observe
