// Table runs, declared in table_run.hpp.
#include "query/run/table_run.hpp"

#include "base/assert.hpp"
#include "query/exec/table_match.hpp"
#include "query/run/whole_table.hpp"

#include <algorithm>

namespace kith::queries {

table_run::table_run(const compiled_query& query, world_t* stage,
                     const detail::run_options& options) noexcept
    : model_(query.model),
      data_(static_cast<const storage::store&>(*stage->store)),
      lock_(stage, &query),
      hidden_(hidden_flags(query.model)),
      required_(required_signature(query.model)) {
    KITH_ASSERT(model_.count <= plan::max_simple, "each term has a field of the run");
    // The required id with the fewest tables is the start; the other terms are tested for each
    // table.
    std::uint32_t fewest = 0xFFFFFFFF;
    for (std::uint32_t i = 0; i < model_.count; ++i) {
        const term& term = model_.terms[i];
        const storage::id_record* record = data_.ids.find(term.id);
        const bool has_value = record && record->value_type;
        sizes_[i] = has_value ? record->value_type->info.size : 0;
        fields_[i] = owned_field(term, term.id, nullptr, sizes_[i]);
        const std::uint32_t count = record ? record->active : 0;
        if (term.oper == And && count < fewest) {
            fewest = count;
            start_ = record;
            start_term_ = i;
        }
    }
    limit_ = start_ ? start_->active : 0;
    if (options.shares != 1) {
        share_ = share_of(options, limit_, model_.count > 1);
    }
}

// The field of a required term differs between tables by its values alone. A term that is Not has a
// field without a value, as an Optional one that does not match.
bool table_run::fill(const storage::table& type, const detail::table_rows& rows,
                     std::uint32_t known_position) noexcept {
    for (std::uint32_t i = 0; i < model_.count; ++i) {
        const term& term = model_.terms[i];
        const std::int32_t position = i == start_term_ ? static_cast<std::int32_t>(known_position)
                                                       : storage::find_id_inline(type, term.id);
        if (term.oper == And) {
            if (position < 0) {
                return false;
            }
            fields_[i].value =
                sizes_[i] != 0 ? storage::column_data(rows, type.slots[position]) : nullptr;
        } else if (position < 0) {
            fields_[i] = unset_field(term);
        } else if (term.oper == Not) {
            return false;
        } else {
            fields_[i] = column_field(term, type, rows, static_cast<std::uint32_t>(position));
        }
    }
    return true;
}

bool table_run::next(detail::result& result) noexcept {
    if (!share_.is_all()) {
        return next_shared(result);
    }
    const std::uint32_t count = start_ ? std::min(limit_, start_->active) : 0;
    while (at_ < count) {
        // Tables are far apart in memory: a later one is fetched while this one is tested.
        if (at_ + tables_ahead < count && may_match(start_->tables[at_ + tables_ahead].table)) {
            prefetch_table(data_, start_->tables[at_ + tables_ahead].table);
        }
        KITH_COUNT(visits);
        const storage::table_entry entry = start_->tables[at_++];
        if (!may_match(entry.table)) {
            continue;
        }
        const detail::table_rows& rows = data_.tables.rows(entry.table);
        if (rows.count == 0) {
            continue;
        }
        const storage::table& type = data_.tables.at(entry.table);
        if (type.flags & hidden_ || !fill(type, rows, entry.position)) {
            continue;
        }
        lock_.table = entry.table;
        result = whole_table(data_, entry.table, rows, fields_, model_.field_count);
        return true;
    }
    lock_.table = 0;
    return false;
}

// The next result of a run that visits a share of the rows.
bool table_run::next_shared(detail::result& result) noexcept {
    const std::uint32_t count = start_ ? std::min(limit_, start_->active) : 0;
    while (at_ < count) {
        KITH_COUNT(visits);
        const storage::table_entry entry = start_->tables[at_++];
        const detail::table_rows& rows = data_.tables.rows(entry.table);
        const storage::table& type = data_.tables.at(entry.table);
        // Shares of equal size count rows, and rows of hidden tables must not count.
        if (!share_.deals_tables() && type.flags & hidden_) {
            continue;
        }
        std::uint32_t first, taken;
        if (share_.take(rows.count, first, taken) && !(type.flags & hidden_) &&
            fill(type, rows, entry.position)) {
            lock_.table = entry.table;
            result = whole_table(data_, entry.table, rows, fields_, model_.field_count);
            narrow_rows(result, fields_, first, taken);
            return true;
        }
    }
    lock_.table = 0;
    return false;
}

}  // namespace kith::queries
