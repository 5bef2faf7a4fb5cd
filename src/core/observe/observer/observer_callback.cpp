// Calls of an observer's callback.
#include "observe/observer/observer_callback.hpp"

#include "base/hash.hpp"
#include "query/exec/executor.hpp"

namespace kith::observe {

using events::event_data;

std::uint64_t hash_of_row(const queries::query_model& model, const detail::result& result,
                          std::uint32_t row) noexcept {
    std::uint64_t hash = result.count ? result.entities[row] : 0;
    for (std::uint32_t i = 1; result.variables && i < model.variable_count; ++i) {
        hash = base::combine(hash, result.variables[i]);
    }
    return hash;
}

observer_callback::observer_callback(const query_context& context,
                                     const detail::observer_action& action,
                                     void* user_context) noexcept
    : context_(context),
      action_(action),
      user_context_(user_context),
      emitted_(&context.data().mem) {
    if (context.query) {
        field_flags_ = queries::flags_of_match(*context.model().begin(), true);
    }
}

observer_callback::~observer_callback() {
    if (action_.free_function) {
        action_.free_function(action_.function);
    }
}

void observer_callback::call_new(const trigger& trigger, const event_data& event, id_t id,
                                 const detail::result& result) {
    if (trigger.once) {
        call_rows(trigger, event, id, result,
                  [&](std::uint32_t row) { return note_emitted(trigger, result, row); });
    } else {
        call(trigger, event, id, result);
    }
}

bool observer_callback::note_emitted(const trigger& trigger, const detail::result& result,
                                     std::uint32_t row) {
    const std::uint64_t step = context_.world.operation.step;
    // A nested call belongs to a nested step; the results of the outer step are still needed.
    const bool nested = context_.world.events.innermost()->older != nullptr;
    if (emitted_step_ != step && !nested) {
        emitted_step_ = step;
        emitted_.clear();
    }
    std::uint64_t hash = base::combine(hash_of_row(context_.model(), result, row), step);
    for (std::uint32_t i = 0; i < result.field_count; ++i) {
        hash = base::combine(hash, result.fields[i].id);
    }
    const queries::term& term = context_.model().terms[trigger.term];
    if (term.flags & TraverseAll) {
        hash = base::combine(hash, result.fields[term.field].source);
    }
    return emitted_.insert(base::mix(base::combine(hash, trigger.event)));
}

void observer_callback::call_some(const trigger& trigger, const event_data& event, id_t id,
                                  const detail::result& result, std::uint32_t first,
                                  std::uint32_t count) {
    detail::field_data fields[queries::max_terms];
    for (std::uint32_t i = 0; i < result.field_count; ++i) {
        fields[i] = result.fields[i];
        fields[i].value += fields[i].value ? std::size_t{fields[i].stride} * first : 0;
    }
    detail::result some = result;
    some.fields = fields;
    some.entities += first;
    some.first_row += first;
    some.count = count;
    call(trigger, event, id, some);
}

void observer_callback::forward(const detail::observed& observed) const {
    detail::event_info event = *observed.event;
    event.context = user_context_;
    action_.call(action_.function, {observed.world, observed.query, observed.found, &event});
}

}  // namespace kith::observe
