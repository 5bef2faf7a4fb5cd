// Recording the affected results of a change.
#include "observe/monitor/recorder.hpp"

#include <algorithm>

namespace kith::observe {

using queries::only;
using queries::this_variable;

void recorder::record_change(const change& change) {
    KITH_ASSERT(query_.data.entities.find(change.entity), "changes are dispatched while alive");
    if (query_.predicate.is_usable() && query_.predicate.is_about_one(change)) {
        record_row(change.entity);
    } else if (is_operand(change.id)) {
        record_all();
    } else {
        query_.affected.each(change, [&](const binding& binding) { record_binding(binding); });
    }
}

void recorder::record_binding(const binding& binding) {
    if (batch_.everything) {
        return;
    }
    if (binding.which == 0) {
        record_all();
        return;
    }
    if (binding.which == this_variable && !(query_.held && query_.keys.width() > 1)) {
        record_row(binding.values[0]);
        return;
    }
    // Held results are found by their whole keys.
    if (query_.held) {
        record_all();
        return;
    }
    tuple_set& recorded = batch_.ensure_group(binding.which).values;
    id_t tuple[queries::max_variables];
    project(binding.which, binding.values, tuple);
    if (recorded.find(tuple) == tuple_set::none) {
        const std::uint32_t number = recorded.add(tuple, 0);
        record_results(binding);
        recorded.mark(number) = 1;
    }
}

void recorder::record_row(entity_t affected) {
    tuple_set& recorded = batch_.rows().values;
    if (batch_.everything || recorded.find(&affected) != tuple_set::none) {
        return;
    }
    const std::uint32_t number = recorded.add(&affected, 0);
    if (query_.held) {
        if (query_.held->has(&affected)) {
            batch_.add_before(&affected);
        }
        recorded.mark(number) = 1;
        return;
    }
    const storage::entity_record* record = query_.data.entities.find(affected);
    if (record && query_.predicate.is_usable() && query_.predicate.can_decide(*record)) {
        if (query_.predicate.holds(*record, affected)) {
            batch_.add_before(&affected);
        }
    } else {
        record_results(bind(0, affected));
    }
    recorded.mark(number) = 1;
}

void recorder::record_results(const binding& binding) {
    query_.each_key(binding, [&](const id_t* key, std::uint32_t, std::uint32_t) {
        if (batch_.before.find(key) == tuple_set::none && !batch_.is_recorded(key)) {
            batch_.add_before(key);
        }
    });
}

void recorder::record_created(entity_t created) {
    tuple_set& recorded = batch_.rows().values;
    if (query_.model.has_this && recorded.find(&created) == tuple_set::none) {
        recorded.add(&created, 1);
    }
}

void recorder::record_delete(entity_t ending) {
    each_variable(query_.structure.bound(),
                  [&](std::uint8_t variable) { record_binding(bind(variable, ending)); });
    batch_.ended.add(&ending, 0);
}

void recorder::record_all() {
    if (!batch_.everything) {
        if (query_.held) {
            record_held();
        } else {
            record_results({});
        }
        batch_.everything = true;
    }
}

void recorder::record_held() {
    query_.held->each([&](const id_t* key) {
        if (batch_.before.find(key) == tuple_set::none && !batch_.is_recorded(key)) {
            batch_.add_before(key);
        }
    });
}

// True if values of the id stand on the right side of a comparison, and are not found by a term
// about the row itself.
bool recorder::is_operand(id_t id) const noexcept {
    const queries::query_model& model = query_.model;
    for (const auto& condition : model.conditions) {
        const queries::term& operand = condition->operand;
        const bool by_term =
            operand.from == queries::source_kind::self && operand.inherits() &&
            std::any_of(model.begin(), model.end(), [&](const queries::term& term) {
                return term.from == queries::source_kind::self && term.id == operand.id;
            });
        if (condition->has_operand && !condition->is_handle && !by_term &&
            (operand.id == id || (is_pair(id) && pair_first(id) == operand.trav))) {
            return true;
        }
    }
    return false;
}

bool recorder::is_known(const id_t* key) noexcept {
    if (batch_.before.find(key) != tuple_set::none) {
        return !batch_.take(key);
    }
    if (batch_.is_recorded(key)) {
        return true;
    }
    // If memory is short, the result may be found again, and is reported twice then.
    base::attempt([&] { batch_.before.add(key, was_emitted); }, [] {});
    return false;
}

void recorder::degrade_to_full_diff() noexcept {
    if (batch_.everything) {
        return;
    }
    auto end_all = [&] {
        result_emitter out(query_, callback_, OnRemove);
        out.add_run({}, [&](const detail::result&, const id_t* key) { return !is_known(key); });
    };
    // If the query cannot be run, ends of these results are lost.
    base::attempt(end_all, [] {});
    batch_.everything = true;
}

}  // namespace kith::observe
