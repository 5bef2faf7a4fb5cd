// The consequences of a deletion for an observer. Before the deletion, the observer records the
// subjects for which a negated term may begin to hold or another value may become visible, with
// their results. After it, the observer runs the query for these subjects again and reports results
// that are new or have another source. Member functions of class observer, declared in
// observer.hpp.
#include "base/hash.hpp"
#include "observe/observer_runs.hpp"

#include <utility>

namespace kith::observe {

using containers::purpose;
using events::event_data;
using queries::term;

void observer::predicted_results::release(containers::memory& mem) noexcept {
    candidates.release(mem, purpose::index);
    known.release(mem);
    held.release(mem);
}

void observer::on_cascade_remove(events::listener& me, const event_data& event) {
    const trigger& trigger = trigger_of(me);
    trigger.owner->predict(trigger, event, event.entity);
}

void observer::on_edge_loss(events::listener& me, const event_data& event) {
    const trigger& trigger = trigger_of(me);
    observer& observer = *trigger.owner;
    const term& followed = observer.term_of(trigger);
    const bool down = followed.flags & Down && pair_first(event.id) == followed.trav;
    observer.predict(trigger, event,
                     down ? observer.data_.entities.alive_at(pair_second(event.id)) : event.entity);
}

// Records the subjects that see ids of `from`, an entity that is about to lose an id.
void observer::predict(const trigger& trigger, const event_data& event, entity_t from) {
    if (!is_awake()) {
        return;
    }
    const term& term = term_of(trigger);
    dependents entities(data_);
    collect_seeing(term, from, entities);
    for (entity_t subject : entities) {
        const std::uint64_t hash =
            base::mix(base::combine(base::combine(trigger.term, trigger.event), subject));
        if (can_be_subject(term, subject) && !mutate::is_pending_delete(data_, index_of(subject)) &&
            predicted_.known.add(data_.mem, hash)) {
            predicted_.candidates.push(data_.mem, {&trigger, subject}, purpose::index);
            predict_one({&trigger, subject}, event.world);
        }
    }
}

// Records the present results of a candidate.
void observer::predict_one(const candidate& prediction, world_t* world) {
    const term& term = term_of(*prediction.reason);
    with_subject(term, prediction.subject, [&](const detail::run_options& options) {
        each_result(world, options, [&](const detail::result& result) {
            for (std::uint32_t row = 0; row < std::max(result.count, 1u); ++row) {
                const std::uint64_t hash = existence_hash(*prediction.reason, result, row);
                predicted_.held.add(data_.mem, hash);
                if (prediction.reason->event == OnSet) {
                    predicted_.held.add(data_.mem,
                                        base::combine(hash, result.fields[term.field].source));
                }
            }
        });
    });
}

// The hash of a result for the comparison. Ids of existential terms are left out: the result stays
// the same if another id satisfies the term.
std::uint64_t observer::existence_hash(const trigger& trigger, const detail::result& result,
                                       std::uint32_t row) const {
    std::uint64_t hash = base::combine(hash_of_row(result, row), trigger.event);
    for (std::uint32_t i = 0; i < model().count; ++i) {
        const term& term = model().terms[i];
        const bool is_part = term.oper != Not && (!term.in_chain || term.every_of_chain) &&
                             (i == trigger.term || !is_existential(data_, term));
        if (term.kind == queries::term_kind::ids && is_part) {
            hash = base::combine(hash, result.fields[term.field].id);
        }
    }
    return base::mix(hash);
}

void observer::on_after_delete(events::listener& me, const event_data& event) {
    observer& observer = *trigger_of(me).owner;
    running guard(observer);
    // The callback may cause an immediate deletion, which makes predictions of its own.
    predicted_results predicted = std::exchange(observer.predicted_, {});
    for (const candidate& prediction : predicted.candidates) {
        mutate::keep_error(observer.world_,
                           [&] { observer.notify_outcome(prediction, predicted.held, event); });
    }
    predicted.release(observer.data_.mem);
}

// Reports the results of a candidate that the deletion has made.
void observer::notify_outcome(const candidate& prediction, hash_set& held,
                              const event_data& event) {
    if (!is_awake() || !data_.entities.find(prediction.subject)) {
        return;
    }
    const term& term = term_of(*prediction.reason);
    with_subject(term, prediction.subject, [&](const detail::run_options& options) {
        each_result(event.world, options, [&](const detail::result& result) {
            const id_t id = term.oper == Not ? counted(term, result).bound_term().id
                                             : result.fields[term.field].id;
            call_rows(*prediction.reason, event, id, result, [&](std::uint32_t row) {
                return is_outcome(*prediction.reason, result, row, held);
            });
        });
    });
}

// True if the result is new; for OnSet, if it had a value of another owner before.
bool observer::is_outcome(const trigger& trigger, const detail::result& result, std::uint32_t row,
                          hash_set& held) {
    const std::uint64_t hash = existence_hash(trigger, result, row);
    if (trigger.event != OnSet) {
        return held.add(data_.mem, hash);
    }
    const detail::field_data& field = result.fields[term_of(trigger).field];
    return field.value && held.has(hash) && held.add(data_.mem, base::combine(hash, field.source));
}

}  // namespace kith::observe
