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
      matcher_(data_, query.model, hidden_flags(query.model), 0) {
    KITH_ASSERT(model_.count <= plan::max_simple, "each term has a field of the run");
    // The required id with the fewest tables is the start; the other terms are tested for each
    // table.
    std::uint32_t fewest = 0xFFFFFFFF;
    for (std::uint32_t i = 0; i < model_.count; ++i) {
        const term& term = model_.terms[i];
        const storage::id_record* record = data_.ids.find(term.id);
        const bool has_value = record && record->value_type;
        sizes_[i] = has_value ? record->value_type->info.size : 0;
        // The field of a required term differs between tables by its values alone. A term that is
        // Not has a field without a value, as an Optional one that does not match.
        fields_[i] =
            term.oper == And ? owned_field(term, term.id, nullptr, sizes_[i]) : unset_field(term);
        if (term.oper == Optional) {
            optional_[optional_count_++] = static_cast<std::uint8_t>(i);
        } else if (term.oper == And && has_value) {
            values_[value_count_++] = static_cast<std::uint8_t>(i);
        }
        const std::uint32_t count = record ? record->active : 0;
        if (term.oper == And && count < fewest) {
            fewest = count;
            start_ = record;
        }
    }
    walk_ = table_walk(data_, start_, start_ ? start_->active : 0);
    if (options.shares != 1) {
        share_ = share_of(options, start_ ? start_->active : 0, model_.count > 1);
    }
}

inline void table_run::fill(const detail::table_rows& rows) noexcept {
    for (std::uint32_t i = 0; i < value_count_; ++i) {
        const std::uint32_t number = values_[i];
        fields_[number].value = rows.block + std::size_t{matcher_.offset(number)} * rows.capacity;
    }
    for (std::uint32_t i = 0; i < optional_count_; ++i) {
        const std::uint32_t number = optional_[i];
        const term& term = model_.terms[number];
        fields_[number] =
            matcher_.is_set(number)
                ? owned_field(term, term.id, matcher_.value(number, rows), sizes_[number])
                : unset_field(term);
    }
}

// Requires: the table was matched last.
inline void table_run::hand_out(std::uint32_t number, const detail::table_rows& rows,
                                detail::result& result) noexcept {
    fill(rows);
    lock_.table = number;
    result = whole_table(entities_of(matcher_.layout(), rows), number, rows, fields_,
                         model_.field_count);
}

// The tables of a list are far apart in memory: a later one is fetched while an earlier one is
// visited.
inline void table_run::prefetch_later(std::uint32_t count) const noexcept {
#if defined(__GNUC__)
    if (walk_.by_number() || at_ + tables_ahead >= count) {
        return;
    }
    const std::uint32_t number = walk_.table_at(at_ + tables_ahead);
    if (matcher_.may_match(number)) {
        const std::byte* block = data_.tables.rows(number).block;
        __builtin_prefetch(block);
        __builtin_prefetch(block + 64);
        if (matcher_.reads_types()) {
            const storage::column_layouts& layouts = data_.tables.layouts();
            __builtin_prefetch(&layouts.of(number));  // loads the number of the layout, too
            const auto* shape = reinterpret_cast<const std::byte*>(data_.shapes[number]);
            __builtin_prefetch(shape);
            __builtin_prefetch(shape + 64);
            __builtin_prefetch(shape + 128);
        }
    }
#else
    static_cast<void>(count);
#endif
}

bool table_run::next(detail::result& result) noexcept {
    if (!share_.is_all()) {
        return next_shared(result);
    }
    const std::uint32_t count = start_ ? walk_.limit_now() : 0;
    while (at_ < count) {
        prefetch_later(count);
        KITH_COUNT(visits);
        const std::uint32_t number = walk_.table_at(at_++);
        if (!matcher_.may_match(number)) {
            continue;
        }
        const detail::table_rows& rows = data_.tables.rows(number);
        if (rows.count != 0 && walk_.is_part(data_, number) && matcher_.match(number)) {
            hand_out(number, rows, result);
            return true;
        }
    }
    lock_.table = 0;
    return false;
}

// The next result of a run that visits a share of the rows.
bool table_run::next_shared(detail::result& result) noexcept {
    const std::uint32_t count = start_ ? std::min(walk_.listed(), start_->active) : 0;
    while (at_ < count) {
        KITH_COUNT(visits);
        const std::uint32_t number = start_->tables[at_++].table;
        const detail::table_rows& rows = data_.tables.rows(number);
        // Shares of equal size count rows, and rows of hidden tables must not count.
        if (!share_.deals_tables() && matcher_.is_hidden(number)) {
            continue;
        }
        std::uint32_t first, taken;
        if (share_.take(rows.count, first, taken) && matcher_.match(number)) {
            hand_out(number, rows, result);
            narrow_rows(result, fields_, first, taken);
            return true;
        }
    }
    lock_.table = 0;
    return false;
}

}  // namespace kith::queries
