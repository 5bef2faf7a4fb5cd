// The callback of an observer, and the results that it received in the present step of the world.
// A *step* is one change that operations notify; where several ids change in one step, each of them
// may lead to the same result.
//
// Covered by tests/features/observers/.
#pragma once

#include "graph/visit_set.hpp"
#include "observe/observer/trigger.hpp"
#include "observe/query_context.hpp"
#include "query/exec/value_seek.hpp"

#include <algorithm>

namespace kith::observe {

// The hash of the subject of a result: $this and the other variables.
std::uint64_t hash_of_row(const queries::query_model& model, const detail::result& result,
                          std::uint32_t row) noexcept;

// Calls the callback with results. Owns the action.
class observer_callback {
public:
    observer_callback(const query_context& context, const detail::observer_action& action,
                      void* user_context) noexcept;
    ~observer_callback();
    observer_callback(const observer_callback&) = delete;
    observer_callback& operator=(const observer_callback&) = delete;

    const detail::observer_action& action() const noexcept { return action_; }

    // Calls the callback with a result, because the trigger received the event.
    void call(const trigger& trigger, const events::event_data& event, id_t id,
              const detail::result& result) {
        const detail::event_info info{trigger.event, id, event.payload, user_context_};
        if (context_.world.data.indexes) [[unlikely]] {
            queries::note_handed_out(context_.world.data, result);
        }
        action_.call(action_.function, {event.world, context_.query, &result, &info});
    }
    // Calls the callback with the value that the event carries, the entity's own one.
    void call_row(const trigger& trigger, const events::event_data& event,
                  const storage::entity_record& record);
    // Calls the callback for the rows that were not reported in this step, if the trigger says so;
    // else for all rows.
    void call_new(const trigger& trigger, const events::event_data& event, id_t id,
                  const detail::result& result);
    // Calls the callback for the rows for which is_new(row) is true, neighbours together.
    template <class IsNew>
    void call_rows(const trigger& trigger, const events::event_data& event, id_t id,
                   const detail::result& result, IsNew&& is_new);
    // Calls the callback for an observer of the event Monitor.
    void forward(const detail::observed& observed) const;

private:
    void call_some(const trigger& trigger, const events::event_data& event, id_t id,
                   const detail::result& result, std::uint32_t first, std::uint32_t count);
    // False if the row was reported in this step already.
    bool note_emitted(const trigger& trigger, const detail::result& result, std::uint32_t row);

    query_context context_;
    detail::observer_action action_;
    void* user_context_;             // that the callback receives
    std::uint32_t field_flags_ = 0;  // of the field that call_row() passes
    // The results that the callback received in the last step: hashes of result, ids and event. Two
    // results with equal hashes count as one, which is as improbable as a collision of 64 bits.
    std::uint64_t emitted_step_ = 0;
    graph::visit_set emitted_;
};

inline void observer_callback::call_row(const trigger& trigger, const events::event_data& event,
                                        const storage::entity_record& record) {
    const detail::field_data field{
        static_cast<std::byte*>(event.value), nullptr, event.id, 0, event.value_size, field_flags_};
    detail::result result{};
    result.entities = &event.entity;
    result.count = event.entity != 0 ? 1 : 0;  // an event may be about no entity
    result.table = record.table;
    result.first_row = record.row;
    result.fields = &field;
    result.field_count = context_.query ? 1 : 0;
    call(trigger, event, event.id, result);
}

template <class IsNew>
void observer_callback::call_rows(const trigger& trigger, const events::event_data& event, id_t id,
                                  const detail::result& result, IsNew&& is_new) {
    std::uint32_t first = 0;
    const std::uint32_t count =
        std::max(result.count, 1u);  // one row if the result is about no entity
    for (std::uint32_t row = 0; row <= count; ++row) {
        if (row < count && is_new(row)) {
            continue;
        }
        if (row - first == count) {
            call(trigger, event, id, result);
        } else if (row != first) {
            call_some(trigger, event, id, result, first, row - first);
        }
        first = row + 1;
    }
}

}  // namespace kith::observe
