// Results of sorted queries, declared in materialized_results.hpp.
#include "query/order/materialized_results.hpp"

#include "base/assert.hpp"
#include "query/exec/row_span.hpp"
#include "traits/traits.hpp"

#include <algorithm>

namespace kith::queries {

namespace {

// The tick of changes that are not recorded: it is later than the ticks of recorded changes.
constexpr std::uint64_t unknown = ~std::uint64_t{0};

}  // namespace

// True if the rows follow those of the last part, and all fields and variables continue.
bool materialized_results::continues(const detail::result& result) const noexcept {
    if (parts_.empty() || result.count == 0 || origins_.back().bare) {
        return false;
    }
    const sort_run& last = parts_.back();
    const std::size_t before = parts_.size() - 1;
    if (last.table != result.table || last.first + last.count != result.first_row) {
        return false;
    }
    for (std::uint32_t i = 0; i < result.field_count; ++i) {
        if (!continues_field(fields_[before * result.field_count + i], last.count,
                             result.fields[i])) {
            return false;
        }
    }
    const std::size_t variables = model_.variable_count;
    return !result.variables || std::equal(result.variables + 1, result.variables + variables,
                                           variables_.data() + before * variables + 1);
}

// True if the result has the group and the ids of the last part.
bool materialized_results::is_alike(const detail::result& result) const noexcept {
    const origin& last = origins_.back();
    bool same = !last.bare && result.count != 0 && last.group == result.group &&
                last.shared == result.shared;
    const detail::field_data* fields = fields_of(static_cast<std::uint32_t>(parts_.size() - 1));
    for (std::uint32_t i = 0; same && i < result.field_count; ++i) {
        same = fields[i].id == result.fields[i].id && fields[i].flags == result.fields[i].flags;
    }
    return same;
}

// True if the field has a value, or is an enum constant that results are sorted by.
bool materialized_results::has_key_value(const detail::result& result,
                                         std::uint32_t field) const noexcept {
    return result.fields[field].value ||
           std::any_of(keys_.begin(), keys_.end(),
                       [&](const sort_key& key) { return key.is_enum && key.field == field; });
}

// Notes the tables of the rows and of shared values. complete() removes duplicates.
void materialized_results::add_tables(const detail::result& result) {
    // Most tables are among the last two, which keeps the list short.
    auto note = [&](std::uint32_t number) {
        const std::size_t count = tables_.size();
        if (!(count > 0 && tables_[count - 1] == number) &&
            !(count > 1 && tables_[count - 2] == number)) {
            tables_.push_back(number);
        }
    };
    if (result.count != 0) {
        note(result.table);
    }
    for (std::uint32_t i = 0; i < result.field_count; ++i) {
        if (has_key_value(result, i) && result.fields[i].source != 0) {
            note(data_.entities.find(result.fields[i].source)->table);
        }
    }
}

void materialized_results::add(const detail::result& result, bool same_rank) {
    KITH_ASSERT(blocks_.empty(), "the results are not complete yet");
    ++count_;
    rows_ += result.count;
    if (same_rank && continues(result)) {
        parts_.back().count += result.count;
        return;
    }
    const std::uint32_t block = parts_.empty() ? 0 : parts_.back().block + (same_rank ? 0 : 1);
    const bool bare = result.count == 0;
    const std::uint32_t kind =
        origins_.empty() ? 0 : origins_.back().kind + (is_alike(result) ? 0 : 1);
    const std::uint64_t changed = tick_of(result);
    all_tracked_ &= changed != unknown;
    parts_.push_back(
        {result.table, result.first_row, bare ? 1 : result.count, block, changed, result.entities});
    origins_.push_back({result.group, kind, result.shared, bare});
    fields_.insert(fields_.end(), result.fields, result.fields + result.field_count);
    if (result.variables) {
        variables_.insert(variables_.end(), result.variables,
                          result.variables + model_.variable_count);
    }
    add_values(result);
    add_tables(result);
}

void materialized_results::add_rows(const detail::result& result, const detailed_rows& rows,
                                    bool same_rank) {
    std::vector<detail::field_data> fields(result.fields, result.fields + result.field_count);
    detail::result single = result;
    single.fields = fields.data();
    single.rows = nullptr;
    single.count = 1;
    for (std::uint32_t i = 0; i < result.count; ++i) {
        const std::uint32_t row = result.rows[i];
        single.entities = result.entities + row;
        single.first_row = result.first_row + row;
        single.shared = false;
        for (std::uint32_t n = 0; n < result.field_count; ++n) {
            fields[n].value = result.fields[n].value
                                  ? result.fields[n].value + std::size_t{fields[n].stride} * row
                                  : nullptr;
        }
        for (std::uint32_t n = 0; n < rows.fields.size(); ++n) {
            fields[rows.fields[n]] = rows.details[n * rows.capacity + i];
        }
        for (const detail::field_data& field : fields) {
            single.shared |= field.value && field.source != 0;
        }
        add(single, same_rank || i != 0);
    }
}

// True if the field has a value of the key's type. Chains and patterns may find values of several
// types in one field.
bool materialized_results::has_value_of(const sort_key& key,
                                        const detail::field_data& field) const {
    if (!field.value || field.id == key.by.component || key.type == 0) {
        return field.value != nullptr;
    }
    const types::component_type* type = traits::describe_id(data_, field.id).value_type;
    return type && type->component == key.type;
}

// Adds one entry of values_ for each key.
void materialized_results::add_values(const detail::result& result) {
    for (const sort_key& key : keys_) {
        if (key.by_entity()) {
            values_.push_back(
                {reinterpret_cast<const std::byte*>(result.entities), sizeof(entity_t), 0});
            continue;
        }
        const detail::field_data& field = result.fields[key.field];
        if (key.is_enum) {
            values_.push_back({constant_of(field), 0, constant_entity(field)});
            continue;
        }
        values_.push_back(has_value_of(key, field)
                              ? part_values{field.value, field.stride, field.source}
                              : part_values{});
    }
}

const std::byte* materialized_results::constant_of(const detail::field_data& field) const noexcept {
    return field.flags & detail::field_set ? traits::find_constant_value(data_, field.id) : nullptr;
}
entity_t materialized_results::constant_entity(const detail::field_data& field) const noexcept {
    return field.flags & detail::field_set ? data_.entities.alive_at(pair_second(field.id)) : 0;
}

// The tick at which the rows of a table, or the values of a column or sparse id of its rows, last
// changed.
std::uint64_t materialized_results::tick_of(const storage::table& type, id_t id) const {
    if (!(type.flags & detail::shape_tracked)) {
        return unknown;
    }
    const std::int32_t position = storage::find_id(type, id);
    const std::uint64_t rows = data_.ticks.rows_tick(type.number);
    if (position >= 0) {
        return std::max(rows,
                        data_.ticks.value_tick(type, static_cast<std::uint32_t>(position), 0));
    }
    const storage::sparse_change_marks* sparse =
        data_.ticks.find_sparse(is_pair(id) ? make_pair(pair_first(id), Wildcard) : id);
    return sparse ? std::max(rows, storage::change_ticks::sparse_tick(*sparse, type.number, 0))
                  : unknown;
}

// The tick at which the rows or sort values of a result last changed.
std::uint64_t materialized_results::tick_of(const detail::result& result) {
    const storage::table& type = data_.tables.at(result.table);
    if (result.count == 0 || !(type.flags & detail::shape_tracked)) {
        return unknown;
    }
    std::uint64_t last = data_.ticks.rows_tick(result.table);
    for (std::size_t i = 0; i < keys_.size(); ++i) {
        const sort_key& key = keys_[i];
        if (key.is_enum) {
            const detail::field_data& constant = result.fields[key.field];
            if (constant.source != 0 || storage::find_id(type, constant.id) < 0) {
                return unknown;  // the rows may get another constant without a move
            }
            continue;
        }
        if (key.by_entity() || !has_value_of(key, result.fields[key.field])) {
            continue;
        }
        const detail::field_data& field = result.fields[key.field];
        if (!matches_id(key.pattern, field.id)) {
            return unknown;  // the value of an id that is not tracked
        }
        const std::uint32_t owner =
            field.source == 0 ? result.table : data_.entities.find(field.source)->table;
        // Most results have their values in the same table as the result before.
        known_tick& tick = ticks_[i];
        if (tick.id != field.id || tick.table != owner) {
            tick = {owner, field.id, tick_of(data_.tables.at(owner), field.id)};
        }
        last = std::max(last, tick.tick);
    }
    return last;
}

void materialized_results::complete() {
    KITH_ASSERT(blocks_.empty(), "results are completed once");
    std::sort(tables_.begin(), tables_.end());
    tables_.erase(std::unique(tables_.begin(), tables_.end()), tables_.end());
    for (const std::uint32_t number : tables_) {
        blocks_.push_back(data_.tables.rows(number).block);
    }
}

std::uint64_t materialized_results::written_tick() const noexcept {
    std::uint64_t last = all_tracked_ ? 0 : unknown;
    for (const sort_key& key : keys_) {
        if (!key.by_entity()) {
            last = std::max(last, last_written(data_, key.pattern));
        }
    }
    return last;
}

bool materialized_results::are_in_place(std::uint64_t since) const noexcept {
    for (std::size_t i = 0; i < tables_.size(); ++i) {
        const storage::table* type = data_.tables.find_number(tables_[i]);
        // shrink() moves rows to other memory without a change of rows.
        if (!type || !(type->flags & detail::shape_tracked) ||
            data_.ticks.rows_tick(tables_[i]) > since ||
            data_.tables.rows(tables_[i]).block != blocks_[i]) {
            return false;
        }
    }
    return true;
}

}  // namespace kith::queries
