#include "query/sorted_run.hpp"

#include "query/cursor.hpp"
#include "query/order/ordering_lock.hpp"
#include "traits/traits.hpp"

#include <algorithm>

namespace kith::queries {

sorted_run::sorted_run(const compiled_query& query, world_t* stage,
                       const detail::run_options& options)
    : query_(query),
      data_(static_cast<const storage::store&>(*stage->store)),
      options_(options),
      lock_(stage, &query) {
    const std::uint64_t now = data_.ticks.now();
    collect(stage);
    lock_all();
    sort(now);
    choose_rows();
    slice_.resize(query.model.field_count);
}

void sorted_run::collect(world_t* stage) {
    detail::run_options whole = options_;
    whole.entity_wise = false;
    whole.scattered = false;
    whole.offset = 0;
    whole.limit = ~std::uint64_t{0};
    whole.share = 0;
    whole.shares = 1;
    cursor run(query_, stage, whole);
    std::uint64_t rank = 0;
    for (detail::result found; run.next(found);) {
        add(found, rank == run.rank());
        rank = run.rank();
    }
}

// True for the rows behind those of the last part, with the same in all fields.
bool sorted_run::continues(const detail::result& found) const noexcept {
    if (parts_.empty() || found.count == 0 || found_.back().bare) {
        return false;
    }
    const sort_part& last = parts_.back();
    const std::size_t before = parts_.size() - 1;
    if (last.table != found.table || last.first + last.count != found.first_row) {
        return false;
    }
    for (std::uint32_t i = 0; i < found.field_count; ++i) {
        const detail::field_data& one = fields_[before * found.field_count + i];
        const detail::field_data& next = found.fields[i];
        const std::byte* expected =
            one.value ? one.value + std::size_t{one.stride} * last.count : nullptr;
        if (one.id != next.id || one.source != next.source || one.stride != next.stride ||
            one.flags != next.flags || next.value != expected) {
            return false;
        }
    }
    const std::size_t variables = query_.model.variable_count;
    return !found.variables || std::equal(found.variables + 1, found.variables + variables,
                                          variables_.data() + before * variables + 1);
}

void sorted_run::add_tables(const detail::result& found) {
    if (tables_.empty() || tables_.back() != found.table) {
        tables_.push_back(found.table);
    }
    for (std::uint32_t i = 0; i < found.field_count; ++i) {
        if (found.fields[i].value && found.fields[i].source != 0) {
            tables_.push_back(data_.entities.find(found.fields[i].source)->table);
        }
    }
}

void sorted_run::add(const detail::result& found, bool same_rank) {
    if (same_rank && continues(found)) {
        parts_.back().count += found.count;
        return;
    }
    const std::uint32_t block = parts_.empty() ? 0 : parts_.back().block + (same_rank ? 0 : 1);
    const bool bare = found.count == 0;
    parts_.push_back({found.table, found.first_row, bare ? 1 : found.count, block, tick_of(found),
                      found.entities});
    found_.push_back({found.group, found.shared, bare});
    fields_.insert(fields_.end(), found.fields, found.fields + found.field_count);
    if (found.variables) {
        variables_.insert(variables_.end(), found.variables,
                          found.variables + query_.model.variable_count);
    }
    add_values(found);
    add_tables(found);
}

// Alternatives and patterns may find values of several types in one field.
bool sorted_run::is_wanted(const sort_key& key, const detail::field_data& field) const {
    if (!field.value || field.id == key.by.component || key.type == 0) {
        return field.value != nullptr;
    }
    const types::component_type* type = traits::describe_id(data_, field.id).value_type;
    return type && type->component == key.type;
}

void sorted_run::add_values(const detail::result& found) {
    for (const sort_key& key : query_.order->keys) {
        if (key.by_entity()) {
            values_.push_back(
                {reinterpret_cast<const std::byte*>(found.entities), sizeof(entity_t), 0});
            continue;
        }
        const detail::field_data& field = found.fields[key.field];
        values_.push_back(is_wanted(key, field)
                              ? part_values{field.value, field.stride, field.source}
                              : part_values{});
    }
}

// When the values of an id in a table, or beside it, last changed.
std::uint64_t sorted_run::tick_of(const storage::table& type, id_t id) const {
    constexpr std::uint64_t unknown = ~std::uint64_t{0};
    if (!(type.flags & detail::shape_tracked)) {
        return unknown;
    }
    const std::int32_t position = storage::find_id(type, id);
    if (position >= 0) {
        return data_.ticks.value_tick(type, static_cast<std::uint32_t>(position), 0);
    }
    const storage::beside_marks* beside =
        data_.ticks.find_beside(is_pair(id) ? make_pair(pair_first(id), Wildcard) : id);
    return beside ? storage::change_ticks::beside_tick(*beside, type.number, 0) : unknown;
}

std::uint64_t sorted_run::tick_of(const detail::result& found) const {
    const storage::table& type = data_.tables.at(found.table);
    std::uint64_t last = ~std::uint64_t{0};
    if (found.count == 0 || !(type.flags & detail::shape_tracked)) {
        return last;
    }
    last = data_.ticks.rows_tick(found.table);
    for (const sort_key& key : query_.order->keys) {
        if (key.by_entity() || !is_wanted(key, found.fields[key.field])) {
            continue;
        }
        const detail::field_data& field = found.fields[key.field];
        if (!matches_id(key.pattern, field.id)) {
            return ~std::uint64_t{0};  // the value of an id that is not tracked
        }
        const storage::table& owner =
            field.source == 0 ? type : data_.tables.at(data_.entities.find(field.source)->table);
        last = std::max({last, tick_of(owner, field.id),
                         field.source == 0 ? 0 : data_.ticks.rows_tick(owner.number)});
    }
    return last;
}

void sorted_run::lock_all() {
    std::sort(tables_.begin(), tables_.end());
    tables_.erase(std::unique(tables_.begin(), tables_.end()), tables_.end());
    lock_.more_tables = tables_.data();
    lock_.more_count = static_cast<std::uint32_t>(tables_.size());
    for (const term& one : query_.model) {
        if (one.kind == term_kind::ids) {
            ids_.push_back(one.id);
        }
    }
    lock_.sparse_ids = ids_.data();
    lock_.sparse_count = static_cast<std::uint32_t>(ids_.size());
}

// What is asked for with values of variables, or for some rows, is sorted for this run alone.
void sorted_run::sort(std::uint64_t now) {
    result_order& order = *query_.order;
    const sort_input input{order.keys, parts_, values_};
    if (options_.given || options_.variable_set != 0) {
        rows_ = sort_index().update(input, now);
        return;
    }
    ordering_lock lock(order.sorting, "a function that compares the results of a query");
    if (!options_.one_group) {
        rows_ = order.all.update(input, now);
    } else if (parts_.empty()) {
        order.of_group.erase(options_.group);
        rows_ = std::make_shared<sorted_rows>();
    } else {
        rows_ = order.of_group[options_.group].update(input, now);
    }
}

// Shares follow each other; of a share, the page.
void sorted_run::choose_rows() {
    const std::size_t count = rows_->size();
    const std::size_t each = count / options_.shares;
    const std::size_t more = count % options_.shares;
    at_ = options_.share * each + std::min<std::size_t>(options_.share, more);
    end_ = at_ + each + (options_.share < more ? 1 : 0);
    at_ += std::min<std::uint64_t>(options_.offset, end_ - at_);
    end_ = at_ + std::min<std::uint64_t>(options_.limit, end_ - at_);
}

// Rows from here on that are one slice of a table.
std::size_t sorted_run::count_neighbours() const noexcept {
    const row_place first = (*rows_)[at_];
    std::size_t count = 1;
    while (at_ + count < end_ && (*rows_)[at_ + count] == first + count) {
        ++count;
    }
    return count;
}

void sorted_run::take_slice(detail::result& found, std::uint32_t count) {
    const std::uint32_t part = part_of((*rows_)[at_]);
    const std::uint32_t row = row_of((*rows_)[at_]);
    const std::uint32_t fields = query_.model.field_count;
    for (std::uint32_t i = 0; i < fields; ++i) {
        slice_[i] = fields_[std::size_t{part} * fields + i];
        if (slice_[i].value) {
            slice_[i].value += std::size_t{slice_[i].stride} * row;
        }
    }
    found.fields = slice_.data();
    found.entities = parts_[part].entities ? parts_[part].entities + row : nullptr;
    found.first_row = parts_[part].first + row;
    found.count = found_[part].bare ? 0 : count;
    found.rows = nullptr;
    at_ += count;
}

// Rows of one table that are no neighbours.
void sorted_run::take_scattered(detail::result& found) {
    const std::uint32_t part = part_of((*rows_)[at_]);
    const std::size_t most = std::min<std::size_t>(end_ - at_, batch_size);
    std::size_t count = parts_.size() == 1 ? most : 1;
    while (count < most && part_of((*rows_)[at_ + count]) == part) {
        ++count;
    }
    found.fields = fields_.data() + std::size_t{part} * query_.model.field_count;
    found.entities = parts_[part].entities;
    found.first_row = parts_[part].first;
    found.count = static_cast<std::uint32_t>(count);
    found.rows = rows_->rows.data() + at_;
    at_ += count;
}

bool sorted_run::next(detail::result& found) {
    if (at_ == end_ || (options_.stops && options_.stops(options_.stop_context))) {
        at_ = end_;
        lock_.more_count = 0;
        lock_.sparse_count = 0;
        return false;
    }
    const std::uint32_t part = part_of((*rows_)[at_]);
    found.table = parts_[part].table;
    found.shared = found_[part].shared;
    found.group = found_[part].group;
    found.field_count = query_.model.field_count;
    found.variables = variables_.empty()
                          ? nullptr
                          : variables_.data() + std::size_t{part} * query_.model.variable_count;
    constexpr std::size_t long_slice = 16;
    const std::size_t neighbours = count_neighbours();
    if (options_.scattered && neighbours < long_slice && !found_[part].bare) {
        take_scattered(found);
    } else if (options_.entity_wise && found.shared) {
        take_slice(found, 1);
    } else {
        take_slice(found, static_cast<std::uint32_t>(neighbours));
    }
    return true;
}

}  // namespace kith::queries
