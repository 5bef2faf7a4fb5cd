// Recording results before a deletion and comparing them with the results after it.
#include "observe/observer/deletion_diff.hpp"

#include "base/hash.hpp"
#include "observe/observer/satisfying_ids.hpp"

namespace kith::observe {

using queries::term;

void deletion_diff::predict(const trigger& trigger, entity_t from) {
    const term& term = term_of(trigger);
    const storage::store& data = context_.data();
    if (!predicted_) {
        predicted_ = std::make_unique<prediction>();
    }
    dependents entities(data);
    entities.collect_seeing(term, from);
    for (entity_t subject : entities) {
        const std::uint64_t hash =
            base::mix(base::combine(base::combine(trigger.term, trigger.event), subject));
        if (can_be_subject(term, subject) && !mutate::is_pending_delete(data, index_of(subject)) &&
            predicted_->known.insert(hash)) {
            predicted_->candidates.push_back({&trigger, subject});
            record({&trigger, subject});
        }
    }
}

void deletion_diff::record(const candidate& predicted) {
    const trigger& reason = *predicted.reason;
    const term& term = term_of(reason);
    runs_.each_of_subject(term, predicted.subject, [&](const detail::result& result) {
        for (std::uint32_t row = 0; row < std::max(result.count, 1u); ++row) {
            const std::uint64_t hash = existence_hash(reason, result, row);
            predicted_->held.insert(hash);
            if (reason.event == OnSet) {
                predicted_->held.insert(base::combine(hash, result.fields[term.field].source));
            }
        }
    });
}

// The hash of a result for the comparison. Ids of existential terms are left out: the result stays
// the same if another id satisfies the term.
std::uint64_t deletion_diff::existence_hash(const trigger& trigger, const detail::result& result,
                                            std::uint32_t row) const {
    const queries::query_model& model = context_.model();
    std::uint64_t hash = base::combine(hash_of_row(model, result, row), trigger.event);
    for (std::uint32_t i = 0; i < model.count; ++i) {
        const term& term = model.terms[i];
        const bool is_part = term.oper != Not && (!term.in_chain || term.every_of_chain) &&
                             (i == trigger.term || !is_existential(context_.data(), term));
        if (term.kind == queries::term_kind::ids && is_part) {
            hash = base::combine(hash, result.fields[term.field].id);
        }
    }
    return base::mix(hash);
}

void deletion_diff::report(const candidate& outcome, graph::visit_set& held,
                           const events::event_data& event) {
    const storage::store& data = context_.data();
    if (!data.entities.find(outcome.subject)) {
        return;
    }
    const trigger& reason = *outcome.reason;
    const term& term = term_of(reason);
    runs_.each_of_subject(term, outcome.subject, [&](const detail::result& result) {
        const id_t id = term.oper == Not ? satisfying_ids(data, term, result).bound_term().id
                                         : result.fields[term.field].id;
        callback_.call_rows(reason, event, id, result, [&](std::uint32_t row) {
            return is_outcome(reason, result, row, held);
        });
    });
}

bool deletion_diff::is_outcome(const trigger& trigger, const detail::result& result,
                               std::uint32_t row, graph::visit_set& held) const {
    const std::uint64_t hash = existence_hash(trigger, result, row);
    if (trigger.event != OnSet) {
        return held.insert(hash);
    }
    const detail::field_data& field = result.fields[term_of(trigger).field];
    return field.value && held.has(hash) && held.insert(base::combine(hash, field.source));
}

}  // namespace kith::observe
