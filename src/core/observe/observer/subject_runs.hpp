// Runs of an observer's query for subjects. A *subject* of a term is an entity whose ids the term
// asks for.
//
// Covered by tests/features/observers/propagation_test.cpp.
#pragma once

#include "observe/observer/dependents.hpp"
#include "observe/query_context.hpp"
#include "query/run/general_run.hpp"

namespace kith::observe {

// False if the term has another fixed source.
inline bool can_be_subject(const queries::term& term, entity_t entity) noexcept {
    return term.from != queries::source_kind::fixed || term.source == entity;
}

// Runs the query of one observer.
class subject_runs {
public:
    // With `row_at_a_time`, rows with a shared value are separate results.
    subject_runs(const query_context& context, bool row_at_a_time) noexcept
        : context_(context), row_at_a_time_(row_at_a_time) {}

    bool is_row_at_a_time() const noexcept { return row_at_a_time_; }
    // Ends all runs after the result that is being visited, because the observer ends.
    void end() noexcept { ended_ = true; }
    bool has_ended() const noexcept { return ended_; }

    // Calls visit(result) for the results of the query.
    template <class Visit>
    void each_result(detail::run_options options, Visit&& visit) const;
    // Calls visit(result) for the results in which the term asks for ids of the subject. There are
    // none if the term has another fixed source.
    template <class Visit>
    void each_of_subject(const queries::term& term, entity_t subject, Visit&& visit) const;
    // Calls visit(result) for the results whose $this is one of the entities from position `first`
    // on for which picks(entity) is true. Neighbours in a table are evaluated together.
    template <class Picks, class Visit>
    void each_of_entities(const dependents& entities, std::uint32_t first, Picks&& picks,
                          Visit&& visit) const;

private:
    query_context context_;
    bool row_at_a_time_;
    bool ended_ = false;
};

template <class Visit>
void subject_runs::each_result(detail::run_options options, Visit&& visit) const {
    options.row_at_a_time = row_at_a_time_;
    queries::ensure_fresh(context_.compiled(), context_.data());
    queries::general_run results(context_.compiled(), &context_.world, options);
    for (detail::result result; !ended_ && results.next(result);) {
        visit(result);
    }
}

template <class Visit>
void subject_runs::each_of_subject(const queries::term& term, entity_t subject,
                                   Visit&& visit) const {
    if (!can_be_subject(term, subject)) {
        return;
    }
    detail::run_options options;
    entity_t values[queries::max_variables] = {};
    if (term.from == queries::source_kind::variable) {
        values[term.source_variable] = subject;
        options.variables = values;
        options.variable_set = std::uint64_t{1} << term.source_variable;
    } else if (term.from != queries::source_kind::fixed) {
        const storage::entity_record& record = context_.data().entities.at(index_of(subject));
        if (record.table == storage::no_table) {
            return;
        }
        options.given = true;
        options.table = record.table;
        options.first_row = record.row;
        options.row_count = 1;
    }
    each_result(options, visit);
}

template <class Picks, class Visit>
void subject_runs::each_of_entities(const dependents& entities, std::uint32_t first, Picks&& picks,
                                    Visit&& visit) const {
    const storage::entity_index& records = context_.data().entities;
    for (std::uint32_t position = first; position < entities.size();) {
        const storage::entity_record& begin = records.at(index_of(entities[position]));
        if (!picks(entities[position++])) {
            continue;
        }
        detail::run_options options;
        options.given = true;
        options.table = begin.table;
        options.first_row = begin.row;
        options.row_count = 1;
        for (; position < entities.size(); ++position, ++options.row_count) {
            const storage::entity_record& neighbour = records.at(index_of(entities[position]));
            if (neighbour.table != begin.table || neighbour.row != begin.row + options.row_count ||
                !picks(entities[position])) {
                break;
            }
        }
        if (options.table != storage::no_table) {
            each_result(options, visit);
        }
    }
}

}  // namespace kith::observe
