// Table runs, declared in table_run.hpp.
#include "query/run/table_run.hpp"

#include "base/assert.hpp"
#include "query/run/whole_table.hpp"

#include <algorithm>

namespace kith::queries {

table_run::table_run(const compiled_query& query, world_t* stage,
                     const detail::run_options& options) noexcept
    : model_(query.model),
      data_(static_cast<const storage::store&>(*stage->store)),
      lock_(stage, &query),
      tables_(query, data_) {
    KITH_ASSERT(model_.count <= plan::max_simple, "each term has a field of the run");
    for (std::uint32_t i = 0; i < model_.count; ++i) {
        const term& term = model_.terms[i];
        // The field of a required term differs between tables by its values alone. A term that is
        // Not has a field without a value, as an Optional one that does not match.
        fields_[i] = term.oper == And ? owned_field(term, term.id, nullptr, 0) : unset_field(term);
        if (term.oper == And) {
            required_[required_count_++] = static_cast<std::uint8_t>(i);
        } else if (term.oper == Optional) {
            optional_[optional_count_++] = static_cast<std::uint8_t>(i);
        }
    }
    if (options.shares != 1) {
        share_ = share_of(options, tables_.listed(), model_.count > 1);
    }
}

inline void table_run::fill(const detail::table_rows& rows) noexcept {
    const table_matcher& match = tables_.matcher();
    for (std::uint32_t i = 0; i < required_count_; ++i) {
        const std::uint32_t number = required_[i];
        fields_[number].value = match.value(number, rows);
        fields_[number].stride = match.size(number);
    }
    for (std::uint32_t i = 0; i < optional_count_; ++i) {
        const std::uint32_t number = optional_[i];
        const term& term = model_.terms[number];
        fields_[number] =
            match.is_set(number)
                ? owned_field(term, term.id, match.value(number, rows), match.size(number))
                : unset_field(term);
    }
}

// Requires: the table was matched last.
inline void table_run::hand_out(std::uint32_t number, const detail::table_rows& rows,
                                detail::result& result) noexcept {
    fill(rows);
    lock_.table = number;
    result = whole_table(entities_of(tables_.matcher().layout(), rows), number, rows, fields_,
                         model_.field_count);
}

bool table_run::next(detail::result& result) noexcept {
    if (!share_.is_all()) {
        return next_shared(result);
    }
    if (const std::uint32_t number = tables_.next(); number != 0) {
        hand_out(number, data_.tables.rows(number), result);
        return true;
    }
    lock_.table = 0;
    return false;
}

// The next result of a run that visits a share of the rows.
bool table_run::next_shared(detail::result& result) noexcept {
    const storage::id_record* start = tables_.start();
    const std::uint32_t count = start ? std::min(tables_.listed(), start->active) : 0;
    table_matcher& matcher = tables_.matcher();
    while (at_ < count) {
        KITH_COUNT(visits);
        const std::uint32_t number = start->tables[at_++].table;
        const detail::table_rows& rows = data_.tables.rows(number);
        // Shares of equal size count rows, and rows of hidden tables must not count.
        if (!share_.deals_tables() && matcher.is_hidden(number)) {
            continue;
        }
        std::uint32_t first, taken;
        if (share_.take(rows.count, first, taken) && matcher.match(number)) {
            hand_out(number, rows, result);
            narrow_rows(result, fields_, first, taken);
            return true;
        }
    }
    lock_.table = 0;
    return false;
}

}  // namespace kith::queries
