// Row sources, declared in row_source.hpp.
#include "query/run/row_source.hpp"

#include "base/assert.hpp"

#include <algorithm>

namespace kith::queries {

namespace {

bool is_visible(const storage::store& data, const row_range& rows, std::uint32_t hidden) noexcept {
    return rows.count != 0 && !(data.tables.at(rows.table).flags & hidden);
}

// True if the rows of the requested group are found by its target, because the cache does not list
// the matches of groups.
bool asks_for_target(const compiled_query& query, const detail::run_options& options) noexcept {
    return options.one_group && !options.given && query.order && query.order->by.any() &&
           !query.order->by.func && options.group != 0 && !query.caches_groups;
}

}  // namespace

row_source::row_source(const compiled_query& query, world_t* stage, const plan& steps,
                       const detail::run_options& options)
    : query_(query),
      data_(static_cast<const storage::store&>(*stage->store)),
      stage_(stage),
      options_(options),
      hidden_(hidden_flags(query.model)),
      cached_(steps.cached),
      usable_(steps.graph ? steps.graph->scannable : ~std::uint64_t{0}) {
    if (query.model.is_ordered_by_group() && !ignores_order(options)) [[unlikely]] {
        choose_ranks();
    }
    if (steps.tests != 0 && data_.indexes && !options.given) [[unlikely]] {
        choose_index(steps);
    }
}

// The run starts from an index, if one of those on the compared members is cheap.
void row_source::choose_index(const plan& steps) {
    std::vector<considered_index> considered;
    consider_indexes(query_, steps, stage_, &query_, options_.values, considered);
    for (considered_index& one : considered) {
        if (!one.refusal) {
            seek_ = std::make_unique<value_seek>(data_, std::move(one.index), *one.test);
        }
    }
}

// Restricts the proposed rows to candidates of the index; false if there are none.
bool row_source::has_candidates(const row_range& rows) {
    const std::uint32_t first = seek_->next(rows.table, rows.first);
    return first != value_seek::no_row && first - rows.first < rows.count;
}

// Chooses how results get into the order of their ranks.
void row_source::choose_ranks() {
    const bool by_group = query_.model.grouped;
    if (by_group && cached_ != 0 && query_.caches_groups) {
        grouped_.emplace(query_.order->groups, *query_.cache(),
                         options_.one_group ? &options_.group : nullptr);
        return;
    }
    if (asks_for_target(query_, options_)) {
        in_group_.emplace(data_, query_.order->by, options_.group, hidden_);
        group_ = options_.group;
    }
    is_ranked_ = query_.model.cascade >= 0 || !in_group_;
}

// The scan of the run: over the given rows, over the candidates of the rarest usable term, or an
// empty one if the cache has the candidates.
scan row_source::start_scan() const {
    if (options_.given) {
        row_range rows{options_.table, options_.first_row, options_.row_count};
        return scan(is_visible(data_, rows, hidden_) ? rows : row_range{});
    }
    return query_.model.has_this && cached_ == 0
               ? scan(data_, choose_scan(data_, query_.model, usable_), hidden_)
               : scan();
}

bool row_source::next(row_range& rows, detail::field_data* fields) {
    while (!stopped() && next_ordered(rows, fields)) {
        if (!seek_ || has_candidates(rows)) {
            return true;
        }
    }
    return false;
}

// The next candidates, in the order of ranks if the query has one.
bool row_source::next_ordered(row_range& rows, detail::field_data* fields) {
    if (is_ranked_) {
        if (!ordered_) {
            rank_rows(fields);
        }
        bool any = ordered_->next(rows, group_);
        while (any && !in_share(rows)) {
            any = ordered_->next(rows, group_);
        }
        group_ = in_group_ ? options_.group : group_;
        return any;
    }
    return next_unordered(rows, fields);
}

// A share may begin in the middle of a range, whose targets begin with its first row.
sibling_list row_source::siblings() const noexcept {
    return ordered_ && share_.is_all() ? ordered_->siblings() : sibling_list{};
}

bool row_source::stopped() const {
    return options_.should_stop && options_.should_stop(options_.stop_context);
}

void row_source::restart() {
    scan_ = start_scan();
    cached_at_ = 0;
    inheritors_ = false;
    if (query_.cache() && !started_) {
        // Tables that callbacks make do not join the run.
        cached_limit_ = query_.cache()->count();
        inheritor_limit_ = query_.cache()->inheritor_count();
        started_ = true;
    }
    if (seek_) {
        seek_->restart();
    }
    if (grouped_) {
        grouped_->restart();
    }
    if (in_group_) {
        in_group_->restart();
    }
    if (ordered_) {
        ordered_->restart();
    }
}

// The next candidates from the source that the constructor has chosen.
bool row_source::next_unordered(row_range& rows, detail::field_data* fields) {
    if (grouped_) {
        return next_grouped(rows, fields);
    }
    if (in_group_) {
        bool any = in_group_->next(data_, rows);
        while (any && !is_proposed(rows)) {
            any = in_group_->next(data_, rows);
        }
        return any;
    }
    if (cached_ != 0) {
        return next_cached(rows, fields);
    }
    return share_.is_all() || is_ranked_ ? scan_.next(data_, rows)
                                         : scan_.next(data_, share_, rows);
}

// Reduces a range of rows to the part of the share; false if that part is empty.
bool row_source::in_share(row_range& rows) noexcept {
    return share_.is_all() || share_rows(share_, rows);
}

// Applies the share to candidates. Rows that are to be ranked are divided after the ranking.
bool row_source::is_proposed(row_range& rows) noexcept {
    return is_ranked_ || in_share(rows);
}

// Proposes the rows of a record of the cache; false if there are none.
bool row_source::take_record(std::uint32_t position, row_range& rows, detail::field_data* fields) {
    const std::uint32_t* record = query_.cache()->record(position);
    rows = {record[0], 0, data_.tables.rows(record[0]).count};
    if (rows.count == 0 || !is_proposed(rows)) {
        return false;
    }
    fill_fields(record, rows, fields);
    return true;
}

// Proposes the rows of an inheritor match of the cache; false if there are none.
bool row_source::accept_inheritor(std::uint32_t position, row_range& rows,
                                  detail::field_data* fields) {
    const std::uint32_t number = query_.cache()->inheritor_table(position);
    rows = {number, 0, data_.tables.rows(number).count};
    return rows.count != 0 && is_proposed(rows) &&
           fill_fields(query_.cache()->inheritor(position), rows, fields);
}

// Positions that callbacks have invalidated are skipped.
bool row_source::next_grouped(row_range& rows, detail::field_data* fields) {
    const match_cache& cache = *query_.cache();
    for (std::uint32_t location; grouped_->next(location, group_);) {
        const std::uint32_t position = location & ~kept_group::inheritor;
        if (location & kept_group::inheritor
                ? position < cache.inheritor_count() && accept_inheritor(position, rows, fields)
                : position < cache.count() && take_record(position, rows, fields)) {
            return true;
        }
    }
    return false;
}

bool row_source::next_cached(row_range& rows, detail::field_data* fields) {
    const match_cache& cache = *query_.cache();
    while (!inheritors_ && cached_at_ < std::min(cached_limit_, cache.count())) {
        if (take_record(cached_at_++, rows, fields)) {
            return true;
        }
    }
    if (!inheritors_) {
        inheritors_ = true;
        cached_at_ = 0;
    }
    while (cached_at_ < std::min(inheritor_limit_, cache.inheritor_count())) {
        if (accept_inheritor(cached_at_++, rows, fields)) {
            return true;
        }
    }
    return false;
}

// Fills in the fields of the cached terms from a record.
void row_source::fill_fields(const std::uint32_t* record, const row_range& rows,
                             detail::field_data* fields) const {
    const storage::table& type = data_.tables.at(rows.table);
    const detail::table_rows& memory = data_.tables.rows(rows.table);
    for (std::uint32_t i = 0; i < query_.model.count; ++i) {
        const term& term = query_.model.terms[i];
        if (!((cached_ >> i) & 1)) {
            continue;
        }
        const std::uint32_t position = record[2 + 2 * term.field];
        fields[term.field] = position == no_place
                                 ? unset_field(term)
                                 : column_field(term, type, memory, position, rows.first);
    }
}

// Fills in the fields of the cached terms from an inheritor match; false if a base has lost the id
// since the run began.
bool row_source::fill_fields(const inherited_field* match, const row_range& rows,
                             detail::field_data* fields) const {
    const detail::table_rows& memory = data_.tables.rows(rows.table);
    for (std::uint32_t i = 0; i < query_.model.count; ++i) {
        const term& term = query_.model.terms[i];
        if (!((cached_ >> i) & 1)) {
            continue;
        }
        const inherited_field& inherited = match[term.field];
        detail::field_data& field = fields[term.field];
        field = {nullptr, nullptr, inherited.id, inherited.source, inherited.size, inherited.flags};
        if (inherited.source != 0) {
            const location base = locate(data_, inherited.source);
            std::int32_t position = base.table ? storage::find_id(*base.table, inherited.id) : -1;
            if (position < 0) {
                return false;
            }
            detail::column column = base.table->slots[position];
            field.value = column.size ? storage::value_in(data_.tables.rows(base.table->number),
                                                          column, base.row)
                                      : nullptr;
        } else if (inherited.offset != no_place) {
            field.value = memory.block + std::size_t{inherited.offset} * memory.capacity +
                          std::size_t{inherited.size} * rows.first;
        }
    }
    return true;
}

// Collects the candidates of the run and sorts the rows by rank, or takes the order of the last
// run. The group function of the query may throw, so the rows count as ranked only at the end.
void row_source::rank_rows(detail::field_data* fields) {
    KITH_ASSERT(!ordered_, "rows are ranked once");
    const bool by_group = query_.model.grouped && !in_group_;
    auto ranked =
        std::make_unique<ordered_rows>(data_, query_.model, by_group ? &query_.order->by : nullptr);
    // Given rows are ranked for this run alone.
    kept_ranks* kept = options_.given ? nullptr : query_.ranks.get();
    const kept_ranks::state now = kept ? kept_ranks::now(data_, query_.model) : kept_ranks::state{};
    for (row_range rows; next_unordered(rows, fields);) {
        ranked->add(rows);
    }
    std::shared_ptr<const ranked_rows> known =
        kept ? kept->find(data_, now, ranked->ranges()) : nullptr;
    if (known) {
        ranked->take(std::move(known));
    } else {
        ranked->sort(stage_);
        if (kept) {
            kept->keep(data_, now, ranked->ranges(), ranked->rows());
        }
    }
    if (options_.one_group && !in_group_) {
        ranked->limit(options_.group);
    }
    ordered_ = std::move(ranked);
}

}  // namespace kith::queries
