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
      hidden_(hidden_flags(query.model)) {
    KITH_ASSERT(model_.count <= plan::max_simple, "each term has a field of the run");
    // The required id with the fewest tables is the start; the other terms are tested for each
    // table.
    std::uint32_t fewest = 0xFFFFFFFF;
    for (std::uint32_t i = 0; i < model_.count; ++i) {
        if (model_.terms[i].oper != And) {
            continue;
        }
        const storage::id_record* record = data_.ids.find(model_.terms[i].id);
        std::uint32_t count = record ? record->active : 0;
        if (count < fewest) {
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

// A term that is Not has a field without a value, as an Optional one that does not match.
bool table_run::fill(const storage::table& type, const detail::table_rows& rows,
                     std::uint32_t known_position) noexcept {
    for (std::uint32_t i = 0; i < model_.count; ++i) {
        const term& term = model_.terms[i];
        detail::field_data& field = fields_[i];
        std::int32_t position = i == start_term_ ? static_cast<std::int32_t>(known_position)
                                                 : storage::find_id(type, term.id);
        if (position < 0 || term.oper == Not) {
            if (term.oper == And || position >= 0) {
                return false;
            }
            field = unset_field(term);
            continue;
        }
        field = column_field(term, type, rows, static_cast<std::uint32_t>(position));
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
        if (at_ + tables_ahead < count) {
            prefetch_table(data_, start_->tables[at_ + tables_ahead].table);
        }
        KITH_COUNT(visits);
        const storage::table_entry entry = start_->tables[at_++];
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
