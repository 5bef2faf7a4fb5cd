// Monitors, the end of a batch: the recorded results are compared with the present ones, and the
// difference is reported. Declared in monitor.hpp.
#include "base/assert.hpp"
#include "containers/reserve_one.hpp"
#include "mutate/values.hpp"
#include "observe/monitor/monitor.hpp"
#include "traits/traits.hpp"

#include <utility>

namespace kith::observe {

using queries::no_variable;
using queries::source_kind;
using queries::term_kind;
using queries::this_variable;

void monitor::end_batch() {
    KITH_ASSERT(!stopped_ && in_world, "a stopped monitor reports nothing");
    ++busy_;
    struct guard {
        monitor& ended;
        ~guard() { --ended.busy_; }
    } not_busy{*this};
    if (open_) {
        // Steps that may fail come first: the batch is complete for another try then.
        if (subscriptions_stale_) {
            listen_to_all();
            subscriptions_stale_ = false;
        }
        auto next =
            spare_ ? std::move(spare_) : std::make_unique<monitor_batch>(world_.data.mem, width_);
        compare(*batch_);
        open_ = false;
        std::unique_ptr<monitor_batch> done = std::exchange(batch_, std::move(next));
        emit_left(*done);
        emit_entered(*done);
        done->clear();
        spare_ = std::move(done);
    }
    if (error_) {
        std::rethrow_exception(std::exchange(error_, nullptr));
    }
}

void monitor::compare(monitor_batch& done) {
    done.entering.clear();
    done.places.clear();
    for (std::uint32_t i = 0; i < done.before.size(); ++i) {
        // Marks of an earlier comparison that failed are reset.
        if (done.before.mark(i) == still_there) {
            done.before.mark(i) = was_there;
        }
    }
    id_t key[2 * queries::max_variables];
    auto compare_all = [&](const detail::result& result) {
        for (std::uint32_t row = 0; row < std::max(result.count, 1u); ++row) {
            read_key(result, row, key);
            compare_result(done, key, result.table, result.first_row + row);
        }
    };
    if (done.everything) {
        evaluate({}, compare_all);
    } else {
        compare_recorded(done, compare_all);
    }
    sort_places(done.entering, done.places);
    find_left(done);
}

// Compares the results of the recorded bindings: no other result can have entered or left.
template <class Visit>
void monitor::compare_recorded(monitor_batch& done, Visit&& compare_all) {
    binding with;
    done.each_group([&](monitor_batch::group& group) {
        with.which = group.which;
        const bool by_type = group.which == this_variable && test_.is_usable();
        for (std::uint32_t i = 0; i < group.values.size(); ++i) {
            const id_t* values = group.values.at(i);
            const storage::entity_record* record =
                by_type ? world_.data.entities.find(*values) : nullptr;
            if (by_type && !record) {
                continue;
            }
            if (by_type && test_.can_decide(*record)) {
                if (test_.holds(*record, *values)) {
                    compare_result(done, values, record->table, record->row);
                }
                continue;
            }
            each_variable(group.which,
                          [&](std::uint8_t variable) { with.values[variable] = *values++; });
            evaluate(with, compare_all);
        }
    });
}

// Files a present result: a recorded result still holds, and any other result enters.
void monitor::compare_result(monitor_batch& done, const id_t* key, std::uint32_t table,
                             std::uint32_t row) {
    const std::uint32_t before = done.before.find(key);
    if (before != tuple_set::none && done.before.mark(before) != was_emitted) {
        done.before.mark(before) = still_there;
    } else if (events_ & detail::monitor_enter && done.entering.find(key) == tuple_set::none) {
        containers::reserve_one(done.places);
        done.places.push_back({done.entering.add(key, 0), table, row});
    }
}

// Sorts by the keys without $this, then by table and row, so that rows of one call are neighbours.
void monitor::sort_places(const tuple_set& keys, std::vector<result_place>& places) const {
    std::sort(
        places.begin(), places.end(), [&](const result_place& left, const result_place& right) {
            if (auto order = compare_rest(keys, left, right); order != 0) {
                return order < 0;
            }
            return left.table != right.table ? left.table < right.table : left.row < right.row;
        });
}

std::strong_ordering monitor::compare_rest(const tuple_set& keys, const result_place& left,
                                           const result_place& right) const {
    const id_t* first = keys.at(left.number);
    const id_t* second = keys.at(right.number);
    return std::lexicographical_compare_three_way(first + 1, first + width_, second + 1,
                                                  second + width_);
}

// -- results that have left

// Collects the recorded results that the comparison did not find. A result whose entity is deleted
// has no table and comes last.
void monitor::find_left(monitor_batch& done) {
    done.left_places.clear();
    if (!(events_ & detail::monitor_leave) || done.left == 0) {
        return;
    }
    for (std::uint32_t i = 0; i < done.before.size(); ++i) {
        if (done.before.mark(i) == was_there) {
            const storage::entity_record* record =
                model_.has_this ? world_.data.entities.find(*done.before.at(i)) : nullptr;
            done.left_places.push_back(
                {i, record ? record->table : storage::no_table, record ? record->row : i});
        }
    }
    sort_places(done.before, done.left_places);
}

void monitor::emit_left(monitor_batch& done) {
    result_emitter out(*this, OnRemove);
    for (std::size_t i = 0; i < done.left_places.size() && !stopped_; ++i) {
        emit_left(done.before.at(done.left_places[i].number), out);
    }
}

void monitor::emit_left(const id_t* key, result_emitter& out) {
    detail::field_data fields[queries::max_terms];
    detail::result rest{};
    fill_left(key, fields);
    const storage::entity_record* record =
        model_.has_this ? world_.data.entities.find(key[0]) : nullptr;
    if (record && record->table != storage::no_table) {
        rest = rows_of(record->table, record->row, 1, fields);
    } else {
        rest.entities = model_.has_this ? key : nullptr;
        rest.count = model_.has_this ? 1 : 0;
        rest.fields = fields;
        rest.field_count = model_.field_count;
    }
    rest.variables = key;
    out.add(rest, 0, rest.count);
}

// Reconstructs the fields from the key. A field has a value if its source still owns the id.
void monitor::fill_left(const id_t* key, detail::field_data* fields) const {
    std::uint32_t next_id = 0;
    std::fill_n(fields, model_.field_count, detail::field_data{});
    for (std::uint32_t i = 0; i < model_.count; ++i) {
        const term& monitor_term = model_.terms[i];
        if (monitor_term.kind != term_kind::ids) {
            continue;
        }
        detail::field_data& field = fields[monitor_term.field];
        auto element = [&](std::uint8_t variable, std::uint32_t otherwise) {
            return variable == no_variable ? otherwise : index_of(key[variable]);
        };
        id_t id = monitor_term.id;
        if (next_id < key_fields_.size() && key_fields_[next_id] == monitor_term.field &&
            (affected_.is_required(i) || affected_.is_alternative(i))) {
            id = key[model_.variable_count + next_id];
            next_id += monitor_term.oper != Or;
        } else if (is_pair(id)) {
            id = make_pair(element(monitor_term.first_variable, pair_first(id)),
                           element(monitor_term.second_variable, pair_second(id)));
        } else if (monitor_term.first_variable != no_variable) {
            id = key[monitor_term.first_variable];
        }
        field.id = id;
        const entity_t source = monitor_term.from == source_kind::fixed ? monitor_term.source
                                : monitor_term.from == source_kind::none
                                    ? 0
                                    : key[monitor_term.source_variable];
        field.source = monitor_term.from == source_kind::self ? 0 : source;
        const storage::entity_record* record = world_.data.entities.find(source);
        if (monitor_term.oper == Not || !record || is_wildcard(id) ||
            (field.flags & detail::field_set) ||
            !storage::owns_id(world_.data, *record, source, id)) {
            continue;
        }
        field.flags = detail::field_set |
                      (queries::is_readonly(monitor_term, true) ? detail::field_readonly : 0u);
        const storage::id_info info = traits::describe_id(world_.data, id);
        if (info.value_type) {
            field.value =
                static_cast<std::byte*>(mutate::find_own_value(world_, source, *record, id, 0));
            field.stride = static_cast<std::uint32_t>(info.value_type->info.size);
        }
    }
}

// -- results that have entered

// Reports consecutive rows of a table together.
void monitor::emit_entered(monitor_batch& done) {
    const result_place* end = done.places.data() + done.places.size();
    for (const result_place* first = done.places.data(); first != end && !stopped_;) {
        const result_place* last = first + 1;
        while (last != end && model_.has_this && last->table == first->table &&
               last->row == last[-1].row + 1 && compare_rest(done.entering, *first, *last) == 0) {
            ++last;
        }
        emit_range(done, first, last);
        first = last;
    }
}

// Callbacks may have made immediate changes that moved the rows.
bool monitor::are_in_place(const monitor_batch& done, const result_place* first,
                           const result_place* last) const noexcept {
    const storage::store& data = world_.data;
    return !model_.has_this || std::all_of(first, last, [&](const result_place& place) {
        const storage::entity_record* record = data.entities.find(*done.entering.at(place.number));
        return record && record->table == place.table && record->row == place.row;
    });
}

void monitor::emit_range(monitor_batch& done, const result_place* first, const result_place* last) {
    if (are_in_place(done, first, last)) {
        const auto count = static_cast<std::uint32_t>(last - first);
        if (emit_known_range(*first, count)) {
            return;
        }
#if defined(__cpp_exceptions)
        try {
            run_range(done, *first, count);
        } catch (...) {
            // The results that the run did not reach are reported below.
        }
#else
        run_range(done, *first, count);
#endif
    }
    // A result that an earlier callback has ended is reported to enter as well: its end is reported
    // with the next batch.
    result_emitter out(*this, OnAdd);
    for (; first != last && !stopped_; ++first) {
        if (!std::exchange(done.entering.mark(first->number), 1)) {
            emit_left(done.entering.at(first->number), out);
        }
    }
}

// Reports rows whose fields follow from the type of their table. False if a run is needed.
bool monitor::emit_known_range(const result_place& first, std::uint32_t count) {
    detail::field_data fields[queries::max_terms];
    if (!test_.is_usable() || !test_.fill(world_.data.tables.at(first.table), first.row, fields)) {
        return false;
    }
    result_emitter(*this, OnAdd).add(rows_of(first.table, first.row, count, fields), 0, count);
    return true;
}

// Runs the query for these rows, to get their fields.
void monitor::run_range(monitor_batch& done, const result_place& first, std::uint32_t count) {
    detail::run_options options;
    if (model_.has_this) {
        options.given = true;
        options.table = first.table;
        options.first_row = first.row;
        options.row_count = count;
    }
    options.variables = done.entering.at(first.number);
    options.variable_set = affected_.bound() & ~this_variable;
    result_emitter out(*this, OnAdd);
    emit_results(options, out, [&](const detail::result&, const id_t* key) {
        const std::uint32_t number = done.entering.find(key);
        return number != tuple_set::none && !std::exchange(done.entering.mark(number), 1);
    });
}

}  // namespace kith::observe
