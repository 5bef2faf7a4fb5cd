// Calls of a monitor's callback.
#include "observe/monitor/monitor_callback.hpp"

#include <kith/monitor.hpp>

#include "base/attempt.hpp"
#include "query/exec/value_seek.hpp"

#include <utility>

namespace kith::observe {

void monitor_callback::call(const detail::result& rows, entity_t event) noexcept {
    KITH_ASSERT(event == OnAdd || event == OnRemove, "results enter or leave");
    if (stopped_ || !wants(event == OnAdd ? detail::monitor_enter : detail::monitor_leave)) {
        return;
    }
    mutate::stage& world = context_.world;
    const detail::event_info info{event, 0};
    const detail::observed observed{&world, context_.query, &rows, &info};
    if (world.events.tracing) [[unlikely]] {
        const entity_t first = rows.count != 0 ? rows.entities[0] : 0;
        world.events.tracing->note(Monitor, {&world, event, 0, first, nullptr});
    }
    if (world.data.indexes) [[unlikely]] {
        queries::note_handed_out(world.data, rows);
    }
    begin_work();
    // After an error, the change is completed and the other monitors are called; the end of the
    // batch throws.
    base::attempt([&] { action_.call(action_.function, observed); },
                  [&] {
                      error_ = error_ ? error_ : std::current_exception();
                      world.operation.batch_open = true;
                  });
    end_work();
}

void monitor_callback::rethrow() {
    if (error_) {
        std::rethrow_exception(std::exchange(error_, nullptr));
    }
}

}  // namespace kith::observe
