// Wildcard runs, declared in wildcard_run.hpp.
#include "query/run/wildcard_run.hpp"

#include "base/assert.hpp"
#include "query/run/whole_table.hpp"

#include <algorithm>

namespace kith::queries {

wildcard_run::wildcard_run(const compiled_query& query, world_t* stage,
                           const detail::run_options& options) noexcept
    : model_(query.model),
      data_(static_cast<const storage::store&>(*stage->store)),
      lock_(stage, &query),
      scan_(data_, choose_scan(data_, query.model, ~std::uint64_t{0}), hidden_flags(query.model)),
      share_(share_of(options, 0, query.model.count > 1)) {
    KITH_ASSERT(query.steps().strategy == run_strategy::wildcard && query.steps().scan_at == 0,
                "choose_run() has chosen this kind of run");
    // The ops after the scan, in the order of the plan.
    for (std::uint32_t i = 1; i < query.steps().count; ++i) {
        const std::uint8_t number = query.steps().ops[i].first;
        const term& term = model_.terms[number];
        if (is_wildcard(term.id) && term.oper != Not) {
            choices_[choice_count_++] = {&term, -1, -1};
        } else {
            steps_[step_count_++] = number;
        }
    }
}

bool wildcard_run::next(detail::result& result) {
    // The present table may have another combination of matches.
    if (!type_ || !take_next()) {
        do {
            if (!(share_.is_all() ? scan_.next(data_, rows_) : scan_.next(data_, share_, rows_))) {
                type_ = nullptr;
                lock_.table = 0;
                return false;
            }
        } while (!accept_table());
    }
    lock_.table = rows_.table;
    result = whole_table(data_, rows_.table, data_.tables.rows(rows_.table), fields_,
                         model_.field_count);
    if (!share_.is_all()) {
        // fields_ stays as it is for the next match in the table.
        narrow_rows(result, narrowed_, rows_.first, rows_.count);
    }
    return true;
}

// Takes the first match of each term in the table; false if the table does not match.
bool wildcard_run::accept_table() {
    type_ = &data_.tables.at(rows_.table);
    for (std::uint32_t i = 0; i < step_count_; ++i) {
        if (!take_term(model_.terms[steps_[i]])) {
            return false;
        }
    }
    for (std::uint32_t i = 0; i < choice_count_; ++i) {
        choice& digit = choices_[i];
        const bool scanned =
            scan_.choice().kind == scan_kind::pairs && digit.pattern == scan_.choice().by;
        digit.first = digit.now =
            scanned ? scan_.first_pair() : storage::find_match(*type_, digit.pattern->id, 0);
        if (digit.first < 0 && digit.pattern->oper == And) {
            return false;
        }
        set_field(*digit.pattern, digit.now);
    }
    return true;
}

// Evaluates a term with one answer; false if the table does not satisfy it.
bool wildcard_run::take_term(const term& term) noexcept {
    const std::int32_t position = is_wildcard(term.id) ? storage::find_match(*type_, term.id, 0)
                                                       : storage::find_id(*type_, term.id);
    if (term.oper == Not ? position >= 0 : position < 0 && term.oper == And) {
        return false;
    }
    set_field(term, position);
    return true;
}

// Advances to the next combination of matches: the last choice changes first, and the choices after
// a changed one start again. False if all combinations were taken.
bool wildcard_run::take_next() noexcept {
    for (std::uint32_t i = choice_count_; i-- > 0;) {
        choice& digit = choices_[i];
        const bool more = digit.now >= 0 && !digit.pattern->at_most_one;
        const std::int32_t next =
            more ? storage::next_match(*type_, digit.pattern->id, digit.now) : -1;
        if (next >= 0) {
            digit.now = next;
            set_field(*digit.pattern, next);
            for (++i; i < choice_count_; ++i) {
                choices_[i].now = choices_[i].first;
                set_field(*choices_[i].pattern, choices_[i].first);
            }
            return true;
        }
    }
    return false;
}

// Fills in the field of a term; a negative position: the table has no match.
void wildcard_run::set_field(const term& term, std::int32_t position) noexcept {
    fields_[term.field] = position < 0 ? unset_field(term)
                                       : column_field(term, *type_, data_.tables.rows(rows_.table),
                                                      static_cast<std::uint32_t>(position));
}

}  // namespace kith::queries
