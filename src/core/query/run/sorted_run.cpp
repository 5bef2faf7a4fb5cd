// Sorted runs, declared in sorted_run.hpp.
#include "query/run/sorted_run.hpp"

#include <kith/detail/mutex.hpp>

#include "base/assert.hpp"
#include "query/order/ordering_lock.hpp"
#include "query/run/cached_run.hpp"
#include "query/run/choose_run.hpp"
#include "query/run/general_run.hpp"

#include <algorithm>
#include <numeric>

namespace kith::queries {

sorted_run::sorted_run(const compiled_query& query, world_t* stage,
                       const detail::run_options& options)
    : query_(query),
      data_(static_cast<const storage::store&>(*stage->store)),
      options_(options),
      lock_(stage, &query) {
    KITH_ASSERT(query.order && !query.order->keys.empty(), "the query is sorted");
    const std::uint64_t now = data_.ticks.now();
    find_results(stage, now);
    lock_all();
    sort(now);
    choose_rows();
    slice_.resize(query.model.field_count);
}

sorted_run::sorted_run(const sorted_run& whole, world_t* stage, std::uint64_t first,
                       std::uint64_t count)
    : query_(whole.query_),
      data_(whole.data_),
      options_(whole.options_),
      lock_(stage, &whole.query_),
      results_(whole.results_),
      kept_(whole.kept_),
      rows_(whole.rows_),
      at_(whole.at_ + first),
      end_(at_ + count) {
    KITH_ASSERT(end_ <= whole.end_, "the rows are those of the whole run");
    lock_all();
    slice_.resize(query_.model.field_count);
}

// True if the run finds all results of the query, even if it hands out a page or a share of them.
bool sorted_run::is_whole() const noexcept {
    return !options_.given && options_.variable_set == 0 && !options_.values && !options_.one_group;
}

// Takes the results of the last run if they are still current, else collects them.
void sorted_run::find_results(world_t* stage, std::uint64_t now) {
    result_order& order = *query_.order;
    if (!order.keeps_results || !is_whole()) {
        collect(stage);
        return;
    }
    kept_results results;
    {
        detail::lock_guard<detail::mutex> guard(order.keeping);
        results = order.kept;
    }
    kept_ = true;
    if (results.results && is_current(results)) {
        results_ = std::move(results.results);
        return;
    }
    collect(stage);
    // Without a cache, whole tables are found in the order of lists whose changes are not recorded.
    kept_ = order.dependencies.by_row ? results_->is_scattered()
                                      : results_->is_worth_keeping() && query_.cache();
    results = {kept_ ? results_ : nullptr,
               now,
               query_.prepared.plan_count(),
               query_.cache() ? query_.cache()->edition() : 0,
               data_.table_epoch,
               choose_scan(data_, query_.model, ~std::uint64_t{0})};
    detail::lock_guard<detail::mutex> guard(order.keeping);
    order.kept = std::move(results);
}

// True if a new search would find the same results in the same order.
bool sorted_run::is_current(const kept_results& results) const {
    if (results.plans != query_.prepared.plan_count() ||
        results.edition != (query_.cache() ? query_.cache()->edition() : 0) ||
        (!query_.cache() && results.epoch != data_.table_epoch) ||
        (!query_.order->dependencies.by_row && !data_.toggled_ids.empty()) ||
        structure_tick(data_, query_.order->dependencies) > results.tick ||
        !results.results->are_in_place(results.tick)) {
        return false;
    }
    const scan_choice scan = choose_scan(data_, query_.model, ~std::uint64_t{0});
    return scan.kind == results.scan.kind && scan.by == results.scan.by;
}

// Finds all results, by a cached run if it fits, else by a general one.
void sorted_run::collect(world_t* stage) {
    detail::run_options whole = options_;
    whole.row_at_a_time = false;
    whole.noncontiguous = true;
    whole.offset = 0;
    whole.limit = ~std::uint64_t{0};
    whole.share = 0;
    whole.shares = 1;
    auto collected =
        std::make_shared<materialized_results>(data_, query_.model, query_.order->keys);
    detail::run_options unsorted = whole;
    unsorted.unordered = true;
    if (!query_.model.is_ordered_by_group() &&
        choose_run(query_, data_, unsorted) == run_strategy::cached) {
        cached_run finder(query_, stage, whole);
        for (detail::result result; finder.next(result);) {
            collected->add(result, true);
        }
        collected->complete();
        results_ = std::move(collected);
        return;
    }
    general_run finder(query_, stage, whole);
    std::vector<detail::field_data> details;
    std::vector<std::uint32_t> detailed;
    if (finder.request_row_fields(nullptr)) {
        details.resize(std::size_t{finder.detail_count()} * row_batch::capacity);
        finder.request_row_fields(details.data());
        for (std::uint32_t i = 0; i < finder.detail_count(); ++i) {
            detailed.push_back(finder.detail_field(i));
        }
    }
    std::uint64_t rank = 0;
    for (detail::result result; finder.next(result);) {
        const bool same_rank = rank == finder.rank();
        if (result.rows) {
            collected->add_rows(result, {details.data(), row_batch::capacity, detailed}, same_rank);
        } else {
            collected->add(result, same_rank);
        }
        rank = finder.rank();
    }
    collected->complete();
    results_ = std::move(collected);
}

// Locks the tables of all results and the sparse stores of all terms.
void sorted_run::lock_all() {
    lock_.more_tables = results_->tables().data();
    lock_.more_count = static_cast<std::uint32_t>(results_->tables().size());
    for (const term& term : query_.model) {
        if (term.kind == term_kind::ids) {
            ids_.push_back(term.id);
        }
    }
    lock_.sparse_ids = ids_.data();
    lock_.sparse_count = static_cast<std::uint32_t>(ids_.size());
}

// Sorts the results. The index of the query, or of one group, is updated; results for bound
// variables or given rows are sorted for this run alone.
void sorted_run::sort(std::uint64_t now) {
    result_order& order = *query_.order;
    sort_input input{order.keys, results_->parts(), results_->values()};
    if (options_.given || options_.variable_set != 0 || options_.values) {
        rows_ = sort_index().update(input, now);
        return;
    }
    if (kept_) {
        input.origin = results_;
        input.written = results_->written_tick();
    }
    ordering_lock lock(order.sorting, "a function that compares the results of a query");
    if (!options_.one_group) {
        rows_ = order.all.update(input, now);
    } else if (results_->parts().empty()) {
        order.of_group.erase(options_.group);
        rows_ = std::make_shared<sorted_rows>();
    } else {
        rows_ = order.of_group[options_.group].update(input, now);
    }
}

// Chooses the rows to hand out: the page of the share. Shares follow each other in the sorted
// order.
void sorted_run::choose_rows() {
    const std::size_t count = rows_->size();
    const std::size_t each = count / options_.shares;
    const std::size_t more = count % options_.shares;
    at_ = options_.share * each + std::min<std::size_t>(options_.share, more);
    end_ = at_ + each + (options_.share < more ? 1 : 0);
    at_ += std::min<std::uint64_t>(options_.offset, end_ - at_);
    end_ = at_ + std::min<std::uint64_t>(options_.limit, end_ - at_);
}

// The number of rows from the next one on that are neighbours in their table.
std::size_t sorted_run::count_neighbours() const noexcept {
    const row_ref first = (*rows_)[at_];
    std::size_t count = 1;
    while (at_ + count < end_ && (*rows_)[at_ + count] == first + count) {
        ++count;
    }
    return count;
}

// Makes a result of neighbouring rows.
void sorted_run::take_slice(detail::result& result, std::uint32_t count) {
    const std::uint32_t number = part_of((*rows_)[at_]);
    const std::uint32_t row = row_of((*rows_)[at_]);
    copy_fields(results_->fields_of(number), query_.model.field_count, row, slice_.data());
    const sort_run& part = results_->parts()[number];
    result.fields = slice_.data();
    result.entities = part.entities ? part.entities + row : nullptr;
    result.first_row = part.first + row;
    result.count = results_->origin_of(number).bare ? 0 : count;
    result.rows = nullptr;
    at_ += count;
}

// Makes a result of rows of one part that are no neighbours.
void sorted_run::take_scattered(detail::result& result) {
    const std::uint32_t number = part_of((*rows_)[at_]);
    const std::size_t most = std::min<std::size_t>(end_ - at_, batch_size);
    std::size_t count = results_->parts().size() == 1 ? most : 1;
    while (count < most && part_of((*rows_)[at_ + count]) == number) {
        ++count;
    }
    result.fields = results_->fields_of(number);
    result.entities = results_->parts()[number].entities;
    result.first_row = results_->parts()[number].first;
    result.count = static_cast<std::uint32_t>(count);
    result.rows = rows_->rows.data() + at_;
    at_ += count;
}

// Makes a result of rows of several parts of the same kind.
void sorted_run::next_gathered(detail::result& result) {
    const sort_run* parts = results_->parts().data();
    const std::uint32_t first = part_of((*rows_)[at_]);
    const std::uint32_t kind = results_->origin_of(first).kind;
    const std::size_t most = std::min(end_ - at_, gather_size);
    if (gathered_rows_.empty()) {
        gathered_places_.resize(gather_size);
        gathered_entities_.resize(gather_size);
        gathered_rows_.resize(gather_size);
        std::iota(gathered_rows_.begin(), gathered_rows_.end(), 0u);
    }
    std::uint32_t count = 0;
    for (; count < most; ++count) {
        const row_ref place = (*rows_)[at_ + count];
        const sort_run& part = parts[part_of(place)];
        // A run_tracker records one table for each result.
        if (results_->origin_of(part_of(place)).kind != kind ||
            (query_.tracked && part.table != parts[first].table)) {
            break;
        }
        gathered_places_[count] = place;
        gathered_entities_[count] = part.entities[row_of(place)];
    }
    gather_values(count);
    result.fields = slice_.data();
    result.entities = gathered_entities_.data();
    result.first_row = 0;
    result.count = count;
    result.rows = gathered_rows_.data();
    at_ += count;
}

// Fills in the addresses of the values of the gathered rows, for each field.
void sorted_run::gather_values(std::uint32_t count) {
    const std::uint32_t fields = query_.model.field_count;
    const detail::field_data* all = results_->fields_of(0);
    gathered_.resize(gather_size * fields);
    for (std::uint32_t i = 0; i < fields; ++i) {
        std::byte** values = gathered_.data() + i * gather_size;
        slice_[i] = all[part_of(gathered_places_[0]) * std::size_t{fields} + i];
        slice_[i].values = values;
        for (std::uint32_t row = 0; row < count; ++row) {
            const row_ref place = gathered_places_[row];
            const detail::field_data& from = all[part_of(place) * std::size_t{fields} + i];
            // Fields of optional terms may have no value.
            values[row] =
                from.value ? from.value + std::size_t{from.stride} * row_of(place) : nullptr;
        }
    }
}

bool sorted_run::next(detail::result& result) {
    if (at_ == end_ || (options_.should_stop && options_.should_stop(options_.stop_context))) {
        at_ = end_;
        lock_.more_count = 0;
        lock_.sparse_count = 0;
        return false;
    }
    const std::uint32_t part = part_of((*rows_)[at_]);
    const materialized_results::origin& from = results_->origin_of(part);
    result.table = results_->parts()[part].table;
    result.shared = from.shared;
    result.group = from.group;
    result.field_count = query_.model.field_count;
    result.variables = results_->variables_of(part);
    constexpr std::size_t long_slice = 16;
    const std::size_t neighbours = count_neighbours();
    if (options_.noncontiguous && neighbours < long_slice && !from.bare) {
        if (at_ + 1 < end_ && part_of((*rows_)[at_ + 1]) != part) {
            next_gathered(result);
        } else {
            take_scattered(result);
        }
    } else if (options_.row_at_a_time && result.shared) {
        take_slice(result, 1);
    } else {
        take_slice(result, static_cast<std::uint32_t>(neighbours));
    }
    return true;
}

}  // namespace kith::queries
