// Proofs that a change ends results.
#include "observe/monitor/certain_ends.hpp"

#include "query/plan/term_semantics.hpp"
#include "traits/inherit.hpp"

namespace kith::observe {

using queries::no_variable;
using queries::only;
using queries::source_kind;
using queries::term;

void certain_ends::report_change(const change& change, entity_t event) {
    if (batch_.left == 0) {
        return;
    }
    if (!query_.predicate.is_usable() || !query_.predicate.is_about_one(change)) {
        report_by_terms(change, event);
    } else if (event == OnRemove
                   ? query_.predicate.ends_by_loss(*query_.data.entities.find(change.entity),
                                                   change)
                   : event == events::before_add && query_.predicate.ends_by_gain(change)) {
        report_row(change.entity);
    }
}

void certain_ends::report_by_terms(const change& change, entity_t event) {
    if (event == events::before_toggle) {
        return;
    }
    const queries::query_model& model = query_.model;
    for (std::uint32_t i = 0; i < model.count && batch_.left != 0; ++i) {
        const bool removed = event == OnRemove;
        binding which;
        if (ends_by(i, change, removed, which)) {
            report_leave(which, removed ? &model.terms[i] : nullptr, change.id);
        }
    }
    if (event == events::before_add && model.has_this &&
        ((change.id == Prefab && !model.shows_prefabs) ||
         (change.id == Disabled && !model.shows_disabled))) {
        report_leave(bind(0, change.entity), nullptr, 0);
    }
}

void certain_ends::report_row(entity_t leaving) {
    KITH_ASSERT(query_.data.entities.find(leaving),
                "the entity is alive until its end is reported");
    const storage::entity_record& record = *query_.data.entities.find(leaving);
    detail::field_data fields[queries::max_terms];
    if (!query_.predicate.fill(query_.data.tables.at(record.table), record.row, fields)) {
        report_leave(bind(0, leaving), nullptr, 0);
    } else if (batch_.take(&leaving)) {
        out_.add(query_.rows_of(record.table, record.row, 1, fields), 0, 1);
    }
}

void certain_ends::report_delete(entity_t ending) {
    if (batch_.left == 0) {
        return;
    }
    if (query_.predicate.is_usable() &&
        query_.predicate.can_decide(*query_.data.entities.find(ending))) {
        report_row(ending);
        return;
    }
    each_variable(query_.structure.bound(),
                  [&](std::uint8_t variable) { report_leave(bind(variable, ending), nullptr, 0); });
}

// The term may still be satisfied by an inherited id, a chain of pairs, or a subtype.
bool certain_ends::is_last(const term& term, const change& change) const {
    const storage::store& data = query_.data;
    if (term.at_most_one || !queries::find_semantics(data, term).is_plain() ||
        (term.follows() && !term.inherits()) || term.flags & TraverseAll) {
        return false;
    }
    const storage::entity_record& record = *data.entities.find(change.entity);
    return !term.inherits() || !(data.tables.at(record.table).flags & detail::shape_has_base) ||
           traits::find_base(data, record, change.entity, change.id) == 0;
}

bool certain_ends::ends_by(std::uint32_t number, const change& change, bool removed,
                           binding& which) const {
    const term& term = query_.model.terms[number];
    const query_structure& structure = query_.structure;
    if (!(removed ? structure.is_required(number) : structure.is_forbidden(number)) ||
        !is_about_ids(term) || term.is_from_list() || term.first_by.flags != 0 ||
        term.second_by.flags != 0 || !(term.flags & Self) || !matches_id(term.id, change.id) ||
        (removed && !is_last(term, change))) {
        return false;
    }
    bool decided = true;
    auto bind_to = [&](std::uint8_t variable, entity_t value) {
        if (variable == no_variable) {
            return;
        }
        // A variable that occurs in a negated term alone ranges over all entities.
        const bool is_bound = (structure.bound() & only(variable)) != 0;
        decided = decided && (is_bound || (!removed && variable != term.source_variable));
        if (is_bound) {
            which.which |= only(variable);
            which.values[variable] = value;
        }
    };
    if (term.from == source_kind::fixed) {
        if (term.source != change.entity) {
            return false;
        }
    } else {
        bind_to(term.source_variable, change.entity);
    }
    const storage::entity_index& entities = query_.data.entities;
    if (is_pair(change.id)) {
        bind_to(term.first_variable, entities.alive_at(pair_first(change.id)));
        bind_to(term.second_variable, entities.alive_at(pair_second(change.id)));
    } else {
        bind_to(term.first_variable, change.id);
    }
    return decided;
}

void certain_ends::report_leave(const binding& which, const term* lost, id_t id) {
    detail::run_options options;
    if (batch_.left == 0 || !query_.find_options(which, options)) {
        return;
    }
    out_.add_run(options, [&](const detail::result& result, const id_t* key) {
        const detail::field_data* field = lost ? &result.fields[lost->field] : nullptr;
        if (field && (field->id != id || (field->source != 0 && lost->from == source_kind::self))) {
            return false;
        }
        return batch_.take(key);
    });
}

}  // namespace kith::observe
