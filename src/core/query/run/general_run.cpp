// General runs, declared in general_run.hpp.
#include "query/run/general_run.hpp"

#include "base/assert.hpp"
#include "base/scope_exit.hpp"
#include "query/exec/row_span.hpp"
#include "query/run/whole_table.hpp"

#include <algorithm>
#include <bit>

namespace kith::queries {

namespace {

// The plan of a run with these options.
const plan& plan_of(const compiled_query& query, const storage::store& data,
                    const detail::run_options& options) {
    // Rows that are ranked one by one are proposed without the fields of their record in the cache,
    // so the plan must not rely on the cache.
    const bool by_row = query.model.grouped && !query.caches_groups && !ignores_order(options);
    const bool given = options.given || by_row;
    std::uint64_t bound = options.variable_set | (given ? this_variable : 0);
    return bound == 0 ? query.steps() : query.prepared.steps_for(data, bound);
}

}  // namespace

general_run::general_run(const compiled_query& owner, world_t* stage,
                         const detail::run_options& options)
    : general_run(owner, stage, options,
                  plan_of(owner, static_cast<const storage::store&>(*stage->store), options)) {}

general_run::general_run(const compiled_query& owner, world_t* stage,
                         const detail::run_options& options, const plan& steps)
    : query_(owner),
      data_(static_cast<const storage::store&>(*stage->store)),
      options_(options),
      lock_(stage, &owner),
      source_(owner, stage, steps, options_),
      executor_(data_, owner.model, steps, source_, owner.names) {
    const std::uint32_t fields = owner.model.field_count;
    if (fields > few) {
        more_fields_.reset(new detail::field_data[fields]);
        more_tables_.reset(new std::uint32_t[fields]);
    }
    lock_.more_tables = more_tables_ ? more_tables_.get() : locked_tables_;
    lock_sparse(steps);
    for (std::uint64_t rest = options.variable_set; rest != 0 && steps.graph; rest &= rest - 1) {
        auto variable = static_cast<std::uint8_t>(std::countr_zero(rest));
        executor_.give(variable, options.variables[variable]);
    }
    if (options.shares != 1) {
        choose_share(steps);
    } else if (options.variable_set == 0 && !options.given) {
        executor_.skip_loop();
    }
    const bool by_batch = steps.leaf && options.is_plain_share() && result_share_.is_all();
    noncontiguous_ = options.noncontiguous && by_batch;
    if (by_batch && !noncontiguous_ && !options.row_at_a_time) {
        const std::size_t size = std::size_t{executor_.leaf_count()} * row_batch::capacity;
        span_details_.reset(new detail::field_data[size]);
        batch_.details = span_details_.get();
    }
}

general_run::~general_run() = default;

// Locks the sparse stores of the terms for the time of the run.
void general_run::lock_sparse(const plan& steps) {
    const query_model& model = query_.model;
    id_t* ids = locked_ids_;
    if (model.count >= few) {
        more_ids_.reset(new id_t[model.count + 1]);
        ids = more_ids_.get();
    }
    if (source_.starts_with_group()) {
        ids[lock_.sparse_count++] = make_pair(query_.order->by.by, Wildcard);
    }
    for (std::uint32_t i = 0; i < steps.count; ++i) {
        const op& step = steps.ops[i];
        for (std::uint32_t t = step.first; step.level == op_level::row && t < step.last; ++t) {
            ids[lock_.sparse_count++] = model.terms[t].id;
        }
    }
    for (std::uint32_t t = 0; steps.graph && t < model.count; ++t) {
        if (model.terms[t].kind == term_kind::ids && !((steps.cached >> t) & 1)) {
            ids[lock_.sparse_count++] = model.terms[t].id;
        }
    }
    lock_.sparse_ids = ids;
}

// Chooses what a share of the run divides: candidates for $this, candidates of the first op of a
// graph plan, or results.
void general_run::choose_share(const plan& steps) {
    const row_share share =
        share_of(options_, steps.cached != 0 ? query_.cache()->count() : 0, true);
    if (steps.graph ? executor_.shares_candidates() : query_.model.has_this) {
        source_.divide(share);
    } else if (!executor_.share_steps(share)) {
        result_share_ = share_of(options_, 0, false);
    }
}

bool general_run::next(detail::result& result) {
    if (split_at_ < whole_.count) {
        result = whole_;
        narrow(result, split_at_++, 1);
        return true;
    }
    while (!ended_) {
        if (!advance(result)) {
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

// The next result in the form that the constructor has chosen. A group function that throws ends
// the run: the executor has stopped between two ops.
bool general_run::advance(detail::result& result) {
    base::scope_exit end([&] { ended_ = true; });
    const bool has_result = noncontiguous_  ? next_scattered(result)
                            : span_details_ ? next_span(result)
                                            : next_whole(result);
    end.release();
    return has_result;
}

// The next result of the executor, as it is.
bool general_run::next_whole(detail::result& result) {
    whole_.count = 0;
    if (!executor_.advance()) {
        return false;
    }
    const std::uint32_t field_count = query_.model.field_count;
    if (executor_.table()) {
        result = rows_of_table(data_, executor_.rows(), executor_.fields(), field_count);
    } else {
        result = {};
        result.fields = executor_.fields();
        result.field_count = field_count;
    }
    result.variables = executor_.variables();
    result.group = source_.group();
    result.shared = is_shared(result);
    lock_result(result);
    return true;
}

// The next batch of rows of one range, which need not be neighbours.
bool general_run::next_scattered(detail::result& result) {
    if (!executor_.advance(batch_)) {
        return false;
    }
    row_range rows = executor_.rows();
    rows.count = batch_.count;
    detail::field_data* fields = own_fields();
    result = rows_of_table(data_, rows, fields, query_.model.field_count);
    result.rows = batch_.rows;
    result.group = source_.group();
    std::copy(executor_.fields(), executor_.fields() + result.field_count, fields);
    for (std::uint32_t i = 0; i < executor_.leaf_count(); ++i) {
        fields[executor_.leaf_field(i)].values = batch_.values[i];
    }
    result.shared = batch_.source_count != 0;
    lock_.table = result.table;
    lock_.more_tables = batch_.source_tables;
    lock_.more_count = batch_.source_count;
    return true;
}

// The next span: rows that follow each other and see the same values of other entities.
bool general_run::next_span(detail::result& result) {
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
void general_run::begin_span(detail::result& result) {
    const row_range& rows = executor_.rows();
    const std::uint32_t row = batch_.rows[span_at_];
    detail::field_data* fields = own_fields();
    result =
        rows_of_table(data_, {rows.table, rows.first + row, 1}, fields, query_.model.field_count);
    result.group = source_.group();
    copy_fields(executor_.fields(), result.field_count, row, fields);
    for (std::uint32_t i = 0; i < executor_.leaf_count(); ++i) {
        fields[executor_.leaf_field(i)] = detail_at(i, span_at_);
    }
    result.shared = is_shared(result);
    ++span_at_;
}

// True if the next row of the batch follows the last row of the span and sees the same values.
bool general_run::continues_span(const detail::result& span) const noexcept {
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
void general_run::lock_span(const detail::result& result) {
    span_locks_.assign(batch_.source_tables, batch_.source_tables + batch_.source_count);
    each_shared(result, [&](entity_t source) {
        span_locks_.push_back(data_.entities.find(source)->table);
    });
    lock_.table = result.table;
    lock_.more_tables = span_locks_.data();
    lock_.more_count = static_cast<std::uint32_t>(span_locks_.size());
}

bool general_run::request_row_fields(detail::field_data* details) noexcept {
    batch_.details = noncontiguous_ ? details : nullptr;
    return noncontiguous_;
}

// Calls visit(source) for each field that has the value of another entity.
template <class Visit>
void general_run::each_shared(const detail::result& result, Visit&& visit) {
    for (std::uint32_t i = 0; i < result.field_count; ++i) {
        const detail::field_data& field = result.fields[i];
        if (field.value && field.source != 0) {
            visit(field.source);
        }
    }
}

// True if a field has the value of another entity.
bool general_run::is_shared(const detail::result& result) noexcept {
    bool shared = false;
    each_shared(result, [&](entity_t) { shared = true; });
    return shared;
}

// Locks the table of a result and the tables of its shared values.
void general_run::lock_result(const detail::result& result) {
    lock_.table = result.table;
    lock_.more_count = 0;
    if (result.shared) {
        std::uint32_t* tables = more_tables_ ? more_tables_.get() : locked_tables_;
        each_shared(result, [&](entity_t source) {
            tables[lock_.more_count++] = data_.entities.find(source)->table;
        });
    }
}

// Narrows a result to `count` of its rows from `first` on.
void general_run::narrow(detail::result& result, std::uint32_t first, std::uint32_t count) {
    KITH_ASSERT(count <= result.count || result.count == 0, "the rows are rows of the result");
    detail::field_data* fields = own_fields();
    const std::size_t row = result.first_row - executor_.rows().first + first;
    copy_fields(executor_.fields(), result.field_count, row, fields);
    result.fields = fields;
    result.entities += first;
    result.first_row += first;
    result.count = count;
}

// Narrows a result to the part of the share; false if that part is empty.
bool general_run::take_share(detail::result& result) {
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
bool general_run::take_page(detail::result& result) {
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
