// Cursors, declared in cursor.hpp: first the candidates for $this, then the shapes of results.
#include "query/cursor.hpp"

#include "base/assert.hpp"
#include "query/exec/row_span.hpp"

#include <algorithm>
#include <bit>

namespace kith::queries {

namespace {

bool is_visible(const storage::store& data, const row_range& rows, std::uint32_t hidden) noexcept {
    return rows.count != 0 && !(data.tables.at(rows.table).flags & hidden);
}

// The scan of a run: over the given rows, over the candidates of the rarest usable term, or an
// empty one if the cache has the candidates.
scan start(const storage::store& data, const query_model& model, const detail::run_options& options,
           std::uint32_t hidden, bool cached, std::uint64_t usable) {
    if (options.given) {
        row_range rows{options.table, options.first_row, options.row_count};
        return scan(is_visible(data, rows, hidden) ? rows : row_range{});
    }
    return model.has_this && !cached ? scan(data, choose_scan(data, model, usable), hidden)
                                     : scan();
}

// True if the caller wants all rows, in any order.
bool is_unordered(const detail::run_options& options) noexcept {
    return options.unordered && !options.one_group;
}

// True if the rows of the requested group are found by its target, because the cache does not list
// the matches of groups.
bool starts_with_group(const compiled_query& query, const detail::run_options& options) noexcept {
    return options.one_group && !options.given && query.order && query.order->by.any() &&
           !query.order->by.func && options.group != 0 && !query.caches_groups;
}

// The plan of a run with these options.
const plan& plan_of(const compiled_query& query, const storage::store& data,
                    const detail::run_options& options) {
    // Rows that are ranked one by one are proposed without the fields of their record in the cache,
    // so the plan must not rely on the cache.
    const bool by_row = query.model.grouped && !query.caches_groups && !is_unordered(options);
    const bool given = options.given || by_row;
    std::uint64_t bound = options.variable_set | (given ? this_variable : 0);
    return bound == 0 ? query.steps : plan_for(const_cast<compiled_query&>(query), data, bound);
}

}  // namespace

cursor::cursor(const compiled_query& owner, world_t* stage, const detail::run_options& options)
    : cursor(owner, stage, options,
             plan_of(owner, static_cast<const storage::store&>(*stage->store), options)) {}

cursor::cursor(const compiled_query& owner, world_t* stage, const detail::run_options& options,
               const plan& steps)
    : query_(owner),
      data_(static_cast<const storage::store&>(*stage->store)),
      stage_(stage),
      options_(options),
      lock_(stage, &owner),
      hidden_(hidden_flags(owner.model)),
      cached_(steps.cached),
      usable_(steps.graph ? steps.graph->scannable : ~std::uint64_t{0}),
      executor_(data_, owner.model, steps, *this, owner.names) {
    std::uint32_t fields = owner.model.field_count;
    if (fields > 12) {
        more_fields_.reset(new detail::field_data[fields]);
        more_tables_.reset(new std::uint32_t[fields]);
    }
    lock_.more_tables = more_tables_ ? more_tables_.get() : locked_tables_;
    // Sparse stores of the terms are locked during the run, like the tables of results.
    id_t* ids = locked_ids_;
    if (owner.model.count >= 12) {
        more_ids_.reset(new id_t[owner.model.count + 1]);
        ids = more_ids_.get();
    }
    if (owner.model.is_ordered_by_group() && !is_unordered(options)) [[unlikely]] {
        choose_ranks();
    }
    if (in_group_) {
        ids[lock_.sparse_count++] = make_pair(owner.order->by.by, Wildcard);
    }
    for (std::uint32_t i = 0; i < steps.count; ++i) {
        const op& step = steps.ops[i];
        for (std::uint32_t t = step.first; step.level == op_level::row && t < step.last; ++t) {
            ids[lock_.sparse_count++] = owner.model.terms[t].id;
        }
    }
    for (std::uint32_t t = 0; steps.graph && t < owner.model.count; ++t) {
        const term& term = owner.model.terms[t];
        if (term.kind == term_kind::ids && !((cached_ >> t) & 1)) {
            ids[lock_.sparse_count++] = term.id;
        }
    }
    lock_.sparse_ids = ids;
    for (std::uint64_t rest = options.variable_set; rest != 0 && steps.graph; rest &= rest - 1) {
        auto variable = static_cast<std::uint8_t>(std::countr_zero(rest));
        executor_.give(variable, options.variables[variable]);
    }
    if (options.shares != 1) {
        choose_share(steps);
    }
    const bool by_batch = steps.leaf && options.is_plain_share() && result_share_.is_all();
    noncontiguous_ = options.noncontiguous && by_batch;
    if (by_batch && !noncontiguous_ && !options.row_at_a_time) {
        const std::size_t size = std::size_t{executor_.leaf_count()} * row_batch::capacity;
        span_details_.reset(new detail::field_data[size]);
        batch_.details = span_details_.get();
    }
}

cursor::~cursor() = default;

// Chooses how results get into the order of their ranks.
void cursor::choose_ranks() {
    const bool by_group = query_.model.grouped;
    if (by_group && cached_ != 0 && query_.caches_groups) {
        grouped_.emplace(query_.order->groups, *query_.cache,
                         options_.one_group ? &options_.group : nullptr);
        return;
    }
    if (starts_with_group(query_, options_)) {
        in_group_.emplace(data_, query_.order->by, options_.group, hidden_);
        group_ = options_.group;
    }
    is_ordered_by_group_ = query_.model.cascade >= 0 || !in_group_;
}

// Chooses what a share of the run divides: candidates for $this, candidates of the first op of a
// graph plan, or results.
void cursor::choose_share(const plan& steps) {
    const row_share share = share_of(options_, cached_ != 0 ? query_.cache->count() : 0, true);
    if (steps.graph ? executor_.shares_candidates() : query_.model.has_this) {
        candidate_share_ = share;
    } else if (!executor_.share_steps(share)) {
        result_share_ = share_of(options_, 0, false);
    }
}

bool cursor::next(row_range& rows, detail::field_data* fields) {
    return !stopped() && next_ordered(rows, fields);
}

// The next candidates, in the order of ranks if the query has one.
bool cursor::next_ordered(row_range& rows, detail::field_data* fields) {
    if (is_ordered_by_group_) {
        if (!ordered_) {
            rank_rows();
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

bool cursor::stopped() const {
    return options_.should_stop && options_.should_stop(options_.stop_context);
}

void cursor::restart() {
    scan_ = start(data_, query_.model, options_, hidden_, cached_ != 0, usable_);
    cached_at_ = 0;
    inheritors_ = false;
    if (query_.cache && !started_) {
        // Tables that callbacks make do not join the run.
        cached_limit_ = query_.cache->count();
        inheritor_limit_ = query_.cache->inheritor_count();
        started_ = true;
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
bool cursor::next_unordered(row_range& rows, detail::field_data* fields) {
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
    return candidate_share_.is_all() || is_ordered_by_group_
               ? scan_.next(data_, rows)
               : scan_.next(data_, candidate_share_, rows);
}

// Reduces a range of rows to the part of the share; false if that part is empty.
bool cursor::in_share(row_range& rows) noexcept {
    return candidate_share_.is_all() || share_rows(candidate_share_, rows);
}

// Applies the share to candidates. Rows that are to be ranked are divided after the ranking.
bool cursor::is_proposed(row_range& rows) noexcept {
    return is_ordered_by_group_ || in_share(rows);
}

// Proposes the rows of a record of the cache; false if there are none.
bool cursor::take_record(std::uint32_t position, row_range& rows, detail::field_data* fields) {
    const std::uint32_t* record = query_.cache->record(position);
    rows = {record[0], 0, data_.tables.rows(record[0]).count};
    if (rows.count == 0 || !is_proposed(rows)) {
        return false;
    }
    fill_fields(record, rows, fields);
    return true;
}

// Proposes the rows of an inheritor match of the cache; false if there are none.
bool cursor::accept_inheritor(std::uint32_t position, row_range& rows, detail::field_data* fields) {
    const std::uint32_t number = query_.cache->inheritor_table(position);
    rows = {number, 0, data_.tables.rows(number).count};
    return rows.count != 0 && is_proposed(rows) &&
           fill_fields(query_.cache->inheritor(position), rows, fields);
}

// Positions that callbacks have invalidated are skipped.
bool cursor::next_grouped(row_range& rows, detail::field_data* fields) {
    const match_cache& cache = *query_.cache;
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

bool cursor::next_cached(row_range& rows, detail::field_data* fields) {
    const match_cache& cache = *query_.cache;
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
void cursor::fill_fields(const std::uint32_t* record, const row_range& rows,
                         detail::field_data* fields) const {
    const storage::table& type = data_.tables.at(rows.table);
    const detail::table_rows& memory = data_.tables.rows(rows.table);
    for (std::uint32_t i = 0; i < query_.model.count; ++i) {
        const term& term = query_.model.terms[i];
        if (!((cached_ >> i) & 1)) {
            continue;
        }
        std::uint32_t offset = record[1 + 2 * term.field];
        std::uint32_t position = record[2 + 2 * term.field];
        detail::field_data& field = fields[term.field];
        if (position == no_place) {
            field = {nullptr, nullptr, term.id, 0, 0, 0};
            continue;
        }
        const std::uint32_t size = type.slots[position].size;
        field = {offset == no_place ? nullptr
                                    : memory.block + std::size_t{offset} * memory.capacity +
                                          std::size_t{size} * rows.first,
                 nullptr,
                 type.ids[position],
                 0,
                 size,
                 detail::field_set | (is_readonly(term, true) ? detail::field_readonly : 0u)};
    }
}

// Fills in the fields of the cached terms from an inheritor match; false if a base has lost the id
// since the run began.
bool cursor::fill_fields(const inherited_field* match, const row_range& rows,
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

// Collects the candidates of the run and sorts the rows by rank.
void cursor::rank_rows() {
    KITH_ASSERT(!ordered_, "rows are ranked once");
    const bool by_group = query_.model.grouped && !in_group_;
    ordered_ =
        std::make_unique<ordered_rows>(data_, query_.model, by_group ? &query_.order->by : nullptr);
    for (row_range rows; next_unordered(rows, executor_.fields());) {
        ordered_->add(rows);
    }
    ordered_->sort(stage_);
    if (options_.one_group && !in_group_) {
        ordered_->limit(options_.group);
    }
}

bool cursor::next(detail::result& result) {
    if (split_at_ < whole_.count) {
        result = whole_;
        narrow(result, split_at_++, 1);
        return true;
    }
    while (!ended_) {
        const bool any = noncontiguous_  ? next_scattered(result)
                         : span_details_ ? next_span(result)
                                         : next_whole(result);
        if (!any) {
            ended_ = true;
            lock_.table = 0;
            lock_.more_count = 0;
            return false;
        }
        if (!take_share(result) || !take_page(result)) {
            continue;
        }
        if (options_.row_at_a_time && result.shared && result.count > 1) {
            whole_ = result;
            narrow(result, 0, 1);
            split_at_ = 1;
        }
        return true;
    }
    return false;
}

// The next result of the executor, as it is.
bool cursor::next_whole(detail::result& result) {
    whole_.count = 0;
    if (!executor_.advance()) {
        return false;
    }
    result = {};
    result.fields = executor_.fields();
    result.field_count = query_.model.field_count;
    result.variables = executor_.variables();
    if (const storage::table* type = executor_.table()) {
        const row_range& rows = executor_.rows();
        result.entities = storage::entities_of(*type, data_.tables.rows(rows.table)) + rows.first;
        result.count = rows.count;
        result.table = rows.table;
        result.first_row = rows.first;
    }
    result.group = group_;
    result.shared = is_shared(result);
    lock_result(result);
    return true;
}

// The next batch of rows of one range, which need not be neighbours.
bool cursor::next_scattered(detail::result& result) {
    if (!executor_.advance(batch_)) {
        return false;
    }
    const row_range& rows = executor_.rows();
    result = {};
    result.entities =
        storage::entities_of(*executor_.table(), data_.tables.rows(rows.table)) + rows.first;
    result.count = batch_.count;
    result.table = rows.table;
    result.first_row = rows.first;
    result.rows = batch_.rows;
    result.group = group_;
    result.field_count = query_.model.field_count;
    detail::field_data* fields = more_fields_ ? more_fields_.get() : split_fields_;
    std::copy(executor_.fields(), executor_.fields() + result.field_count, fields);
    for (std::uint32_t i = 0; i < executor_.leaf_count(); ++i) {
        fields[executor_.leaf_field(i)].values = batch_.values[i];
    }
    result.fields = fields;
    result.shared = batch_.source_count != 0;
    lock_.table = result.table;
    lock_.more_tables = batch_.source_tables;
    lock_.more_count = batch_.source_count;
    return true;
}

// The next span: rows that follow each other and see the same values of other entities.
bool cursor::next_span(detail::result& result) {
    if (span_at_ == batch_.count) {
        span_at_ = 0;
        if (!executor_.advance(batch_)) {
            batch_.count = 0;
            return false;
        }
    }
    begin_span(result);
    for (;;) {
        if (span_at_ == batch_.count) {
            span_at_ = 0;
            if (!executor_.advance_in_range(batch_)) {
                break;
            }
        }
        if (!continues_span(result)) {
            break;
        }
        ++span_at_;
        ++result.count;
    }
    lock_span(result);
    return true;
}

// Starts a span with the next row of the batch.
void cursor::begin_span(detail::result& result) {
    const row_range& rows = executor_.rows();
    const std::uint32_t row = batch_.rows[span_at_];
    result = {};
    result.entities =
        storage::entities_of(*executor_.table(), data_.tables.rows(rows.table)) + rows.first + row;
    result.count = 1;
    result.table = rows.table;
    result.first_row = rows.first + row;
    result.group = group_;
    result.field_count = query_.model.field_count;
    detail::field_data* fields = more_fields_ ? more_fields_.get() : split_fields_;
    for (std::uint32_t i = 0; i < result.field_count; ++i) {
        fields[i] = executor_.fields()[i];
        if (fields[i].value) {
            fields[i].value += std::size_t{fields[i].stride} * row;
        }
    }
    for (std::uint32_t i = 0; i < executor_.leaf_count(); ++i) {
        fields[executor_.leaf_field(i)] = detail_at(i, span_at_);
    }
    result.fields = fields;
    result.shared = is_shared(result);
    ++span_at_;
}

// True if the next row of the batch follows the last row of the span and sees the same values.
bool cursor::continues_span(const detail::result& span) const noexcept {
    const std::uint32_t row = executor_.rows().first + batch_.rows[span_at_];
    if (row != span.first_row + span.count) {
        return false;
    }
    for (std::uint32_t i = 0; i < executor_.leaf_count(); ++i) {
        if (!continues_field(span.fields[executor_.leaf_field(i)], span.count,
                             detail_at(i, span_at_))) {
            return false;
        }
    }
    return true;
}

// Locks the tables of a span and of the whole batch: the rest of the batch was found before the
// callback runs, and its addresses must stay valid.
void cursor::lock_span(const detail::result& result) {
    span_locks_.assign(batch_.source_tables, batch_.source_tables + batch_.source_count);
    for (std::uint32_t i = 0; result.shared && i < result.field_count; ++i) {
        const detail::field_data& field = result.fields[i];
        if (field.value && field.source != 0) {
            span_locks_.push_back(data_.entities.find(field.source)->table);
        }
    }
    lock_.table = result.table;
    lock_.more_tables = span_locks_.data();
    lock_.more_count = static_cast<std::uint32_t>(span_locks_.size());
}

bool cursor::request_row_fields(detail::field_data* details) noexcept {
    batch_.details = noncontiguous_ ? details : nullptr;
    return noncontiguous_;
}

// True if a field has the value of another entity.
bool cursor::is_shared(const detail::result& result) const noexcept {
    for (std::uint32_t i = 0; i < result.field_count; ++i) {
        const detail::field_data& field = result.fields[i];
        if (field.value && field.source != 0) {
            return true;
        }
    }
    return false;
}

// Locks the table of a result and the tables of its shared values.
void cursor::lock_result(const detail::result& result) {
    lock_.table = result.table;
    std::uint32_t* tables = const_cast<std::uint32_t*>(lock_.more_tables);
    lock_.more_count = 0;
    for (std::uint32_t i = 0; result.shared && i < result.field_count; ++i) {
        const detail::field_data& field = result.fields[i];
        if (field.value && field.source != 0) {
            tables[lock_.more_count++] = data_.entities.find(field.source)->table;
        }
    }
}

// Narrows a result to `count` of its rows from `first` on.
void cursor::narrow(detail::result& result, std::uint32_t first, std::uint32_t count) const {
    KITH_ASSERT(count <= result.count || result.count == 0, "the rows are rows of the result");
    detail::field_data* fields = more_fields_ ? more_fields_.get() : split_fields_;
    for (std::uint32_t i = 0; i < result.field_count; ++i) {
        fields[i] = executor_.fields()[i];
        if (fields[i].value) {
            std::size_t row = result.first_row - executor_.rows().first + first;
            fields[i].value += fields[i].stride * row;
        }
    }
    result.fields = fields;
    result.entities += first;
    result.first_row += first;
    result.count = count;
}

// Narrows a result to the part of the share; false if that part is empty.
bool cursor::take_share(detail::result& result) {
    if (result_share_.is_all()) {
        return true;
    }
    if (result.count == 0) {
        return result_share_.takes_one();
    }
    std::uint32_t first, taken;
    if (!result_share_.take(result.count, first, taken)) {
        return false;
    }
    narrow(result, first, taken);
    return true;
}

// Narrows a result to the page; false if the page has none of its rows. A result without rows
// counts as one row.
bool cursor::take_page(detail::result& result) {
    if (options_.offset == 0 && options_.limit == ~std::uint64_t{0}) {
        return true;
    }
    std::uint64_t rows = std::max(result.count, 1u);
    std::uint64_t before = passed_;
    passed_ += rows;
    if (options_.limit == 0 || before >= options_.offset + options_.limit) {
        ended_ = true;
        return false;
    }
    if (passed_ <= options_.offset) {
        return false;
    }
    std::uint64_t first = options_.offset > before ? options_.offset - before : 0;
    std::uint64_t last = std::min(rows, options_.offset + options_.limit - before);
    if (first != 0 || last != rows) {
        narrow(result, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last - first));
    }
    return true;
}

}  // namespace kith::queries
