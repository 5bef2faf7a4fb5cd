// What comes of a deletion. Before anything is gone, an observer notes those for whom a term that
// must not hold may cease to, or who may see another value, and which results they have. When all
// is gone it looks again, and is called for those that were not there, or have another source.
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

void observer::on_cascade_remove(events::listener& me, const event_data& what) {
    const trigger& by = trigger_of(me);
    by.owner->predict(by, what, what.entity);
}

void observer::on_edge_loss(events::listener& me, const event_data& what) {
    const trigger& by = trigger_of(me);
    observer& one = *by.owner;
    const term& followed = one.term_of(by);
    const bool down = followed.flags & Down && pair_first(what.id) == followed.trav;
    one.predict(by, what, down ? one.data_.entities.alive_at(pair_second(what.id)) : what.entity);
}

// `from`: who is to lose something.
void observer::predict(const trigger& by, const event_data& what, entity_t from) {
    if (!is_awake()) {
        return;
    }
    const term& one = term_of(by);
    dependents entities(data_);
    collect_seeing(one, from, entities);
    for (entity_t subject : entities) {
        const std::uint64_t hash =
            base::mix(base::combine(base::combine(by.term, by.event), subject));
        if (can_be_subject(one, subject) && !mutate::is_pending_delete(data_, index_of(subject)) &&
            predicted_.known.add(data_.mem, hash)) {
            predicted_.candidates.push(data_.mem, {&by, subject}, purpose::index);
            predict_one({&by, subject}, what.world);
        }
    }
}

void observer::predict_one(const candidate& one, world_t* world) {
    const term& asked = term_of(*one.by);
    with_subject(asked, one.subject, [&](const detail::run_options& options) {
        each_result(world, options, [&](const detail::result& found) {
            for (std::uint32_t row = 0; row < std::max(found.count, 1u); ++row) {
                const std::uint64_t hash = existence_hash(*one.by, found, row);
                predicted_.held.add(data_.mem, hash);
                if (one.by->event == OnSet) {
                    predicted_.held.add(data_.mem,
                                        base::combine(hash, found.fields[asked.field].source));
                }
            }
        });
    });
}

// Of terms where it makes no difference which id makes them hold, that is no part of it.
std::uint64_t observer::existence_hash(const trigger& by, const detail::result& found,
                                       std::uint32_t row) const {
    std::uint64_t hash = base::combine(hash_of_row(found, row), by.event);
    for (std::uint32_t i = 0; i < model().count; ++i) {
        const term& one = model().terms[i];
        const bool is_part = one.oper != Not && (!one.in_chain || one.every_of_chain) &&
                             (i == by.term || !is_existential(data_, one));
        if (one.kind == queries::term_kind::ids && is_part) {
            hash = base::combine(hash, found.fields[one.field].id);
        }
    }
    return base::mix(hash);
}

void observer::on_after_delete(events::listener& me, const event_data& what) {
    observer& one = *trigger_of(me).owner;
    running guard(one);
    // The callback may delete something at once.
    predicted_results predicted = std::exchange(one.predicted_, {});
    for (const candidate& next : predicted.candidates) {
        mutate::keep_error(one.world_, [&] { one.notify_outcome(next, predicted.held, what); });
    }
    predicted.release(one.data_.mem);
}

void observer::notify_outcome(const candidate& one, hash_set& held, const event_data& what) {
    if (!is_awake() || !data_.entities.find(one.subject)) {
        return;
    }
    const term& asked = term_of(*one.by);
    with_subject(asked, one.subject, [&](const detail::run_options& options) {
        each_result(what.world, options, [&](const detail::result& found) {
            const id_t id =
                asked.oper == Not ? counted(asked, found).asked().id : found.fields[asked.field].id;
            call_rows(*one.by, what, id, found,
                      [&](std::uint32_t row) { return is_outcome(*one.by, found, row, held); });
        });
    });
}

// The result was not there before; or it was, with a value of another owner.
bool observer::is_outcome(const trigger& by, const detail::result& found, std::uint32_t row,
                          hash_set& held) {
    const std::uint64_t hash = existence_hash(by, found, row);
    if (by.event != OnSet) {
        return held.add(data_.mem, hash);
    }
    const detail::field_data& field = found.fields[term_of(by).field];
    return field.value && held.has(hash) && held.add(data_.mem, base::combine(hash, field.source));
}

}  // namespace kith::observe
