// Comparing the results before and after a batch.
#include "observe/monitor/diff.hpp"

#include <kith/monitor.hpp>

#include "base/attempt.hpp"
#include "containers/reserve_one.hpp"

#include <utility>

namespace kith::observe {

using queries::this_variable;

void batch_diff::compare() {
    batch_.entering.clear();
    batch_.places.clear();
    for (std::uint32_t i = 0; i < batch_.before.size(); ++i) {
        // Marks of an earlier comparison that failed are reset.
        if (batch_.before.mark(i) == still_there) {
            batch_.before.mark(i) = was_there;
        }
    }
    if (batch_.everything) {
        query_.each_key({}, [&](const id_t* key, std::uint32_t table, std::uint32_t row) {
            compare_result(key, table, row);
        });
    } else {
        compare_recorded();
    }
    sort_places(batch_.entering, batch_.places);
    find_left();
    if (query_.held) {
        update_held();
    }
}

// Makes the held results those that the comparison has found.
void batch_diff::update_held() {
    KITH_ASSERT(query_.held, "the query compares values");
    for (std::uint32_t i = 0; i < batch_.before.size(); ++i) {
        if (batch_.before.mark(i) != still_there) {
            query_.held->remove(batch_.before.at(i));
        }
    }
    for (std::uint32_t i = 0; i < batch_.entering.size(); ++i) {
        query_.held->add(batch_.entering.at(i));
    }
    query_.held->shrink();
}

// Compares the results of the recorded bindings: no other result can have entered or left.
void batch_diff::compare_recorded() {
    binding with;
    batch_.each_group([&](monitor_batch::group& group) {
        with.which = group.which;
        const bool by_type = group.which == this_variable && query_.predicate.is_usable();
        for (std::uint32_t i = 0; i < group.values.size(); ++i) {
            const id_t* values = group.values.at(i);
            const storage::entity_record* record =
                by_type ? query_.data.entities.find(*values) : nullptr;
            if (by_type && !record) {
                continue;
            }
            if (by_type && query_.predicate.can_decide(*record)) {
                if (query_.predicate.holds(*record, *values)) {
                    compare_result(values, record->table, record->row);
                }
                continue;
            }
            each_variable(group.which,
                          [&](std::uint8_t variable) { with.values[variable] = *values++; });
            query_.each_key(with, [&](const id_t* key, std::uint32_t table, std::uint32_t row) {
                compare_result(key, table, row);
            });
        }
    });
}

void batch_diff::compare_result(const id_t* key, std::uint32_t table, std::uint32_t row) {
    const std::uint32_t before = batch_.before.find(key);
    if (before != tuple_set::none && batch_.before.mark(before) != was_emitted) {
        batch_.before.mark(before) = still_there;
    } else if ((query_.held || callback_.wants(detail::monitor_enter)) &&
               batch_.entering.find(key) == tuple_set::none) {
        containers::reserve_one(batch_.places);
        batch_.places.push_back({batch_.entering.add(key, 0), table, row});
    }
}

void batch_diff::sort_places(const tuple_set& keys, std::vector<result_place>& places) const {
    std::sort(
        places.begin(), places.end(), [&](const result_place& left, const result_place& right) {
            const auto order =
                query_.keys.compare_rest(keys.at(left.number), keys.at(right.number));
            if (order != 0) {
                return order < 0;
            }
            return left.table != right.table ? left.table < right.table : left.row < right.row;
        });
}

// Collects the recorded results that the comparison did not find. A result whose entity is deleted
// has no table and comes last.
void batch_diff::find_left() {
    batch_.left_places.clear();
    if (!callback_.wants(detail::monitor_leave) || batch_.left == 0) {
        return;
    }
    for (std::uint32_t i = 0; i < batch_.before.size(); ++i) {
        if (batch_.before.mark(i) == was_there) {
            const storage::entity_record* record =
                query_.model.has_this ? query_.data.entities.find(*batch_.before.at(i)) : nullptr;
            batch_.left_places.push_back(
                {i, record ? record->table : storage::no_table, record ? record->row : i});
        }
    }
    sort_places(batch_.before, batch_.left_places);
}

void batch_diff::report() {
    {
        result_emitter out(query_, callback_, OnRemove);
        for (const result_place& place : batch_.left_places) {
            if (!callback_.is_stopped()) {
                report_by_key(batch_.before.at(place.number), out);
            }
        }
    }
    if (!callback_.wants(detail::monitor_enter)) {
        return;
    }
    // Consecutive rows of a table are reported together.
    const result_place* end = batch_.places.data() + batch_.places.size();
    for (const result_place* first = batch_.places.data();
         first != end && !callback_.is_stopped();) {
        const id_t* key = batch_.entering.at(first->number);
        const result_place* last = first + 1;
        while (last != end && query_.model.has_this && last->table == first->table &&
               last->row == last[-1].row + 1 &&
               query_.keys.compare_rest(key, batch_.entering.at(last->number)) == 0) {
            ++last;
        }
        report_range(first, last);
        first = last;
    }
}

void batch_diff::report_by_key(const id_t* key, result_emitter& out) const {
    detail::field_data fields[queries::max_terms];
    detail::result rest{};
    const bool has_this = query_.model.has_this;
    query_.keys.fill_fields(query_.context.world, key, fields);
    const storage::entity_record* record = has_this ? query_.data.entities.find(key[0]) : nullptr;
    if (record && record->table != storage::no_table) {
        rest = query_.rows_of(record->table, record->row, 1, fields);
    } else {
        rest.entities = has_this ? key : nullptr;
        rest.count = has_this ? 1 : 0;
        rest.fields = fields;
        rest.field_count = query_.model.field_count;
    }
    rest.variables = key;
    out.add(rest, 0, rest.count);
}

// Callbacks may have made immediate changes that moved the rows.
bool batch_diff::are_in_place(const result_place* first, const result_place* last) const noexcept {
    return !query_.model.has_this || std::all_of(first, last, [&](const result_place& place) {
        const storage::entity_record* record =
            query_.data.entities.find(*batch_.entering.at(place.number));
        return record && record->table == place.table && record->row == place.row;
    });
}

void batch_diff::report_range(const result_place* first, const result_place* last) {
    if (are_in_place(first, last)) {
        const auto count = static_cast<std::uint32_t>(last - first);
        if (report_known_range(*first, count)) {
            return;
        }
        // The results that a failed run did not reach are reported below.
        base::attempt([&] { run_range(*first, count); }, [] {});
    }
    // A result that an earlier callback has ended is reported to enter as well: its end is reported
    // with the next batch.
    result_emitter out(query_, callback_, OnAdd);
    for (; first != last && !callback_.is_stopped(); ++first) {
        if (!std::exchange(batch_.entering.mark(first->number), 1)) {
            report_by_key(batch_.entering.at(first->number), out);
        }
    }
}

// Reports rows whose fields follow from the type of their table. False if a run is needed.
bool batch_diff::report_known_range(const result_place& first, std::uint32_t count) {
    detail::field_data fields[queries::max_terms];
    if (!query_.predicate.is_usable() ||
        !query_.predicate.fill(query_.data.tables.at(first.table), first.row, fields)) {
        return false;
    }
    result_emitter(query_, callback_, OnAdd)
        .add(query_.rows_of(first.table, first.row, count, fields), 0, count);
    return true;
}

// Runs the query for these rows, to get their fields.
void batch_diff::run_range(const result_place& first, std::uint32_t count) {
    detail::run_options options;
    if (query_.model.has_this) {
        options.given = true;
        options.table = first.table;
        options.first_row = first.row;
        options.row_count = count;
    }
    options.variables = batch_.entering.at(first.number);
    options.variable_set = query_.structure.bound() & ~this_variable;
    result_emitter(query_, callback_, OnAdd)
        .add_run(options, [&](const detail::result&, const id_t* key) {
            const std::uint32_t number = batch_.entering.find(key);
            return number != tuple_set::none && !std::exchange(batch_.entering.mark(number), 1);
        });
}

}  // namespace kith::observe
