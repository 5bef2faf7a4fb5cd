// The query of a monitor, and the properties of the query that all parts of the monitor use: its
// structure, the bindings that changes affect, the predicate over tables, and the keys of results.
//
// Covered by tests/features/monitors/ and tests/model/monitor_test.cpp.
#pragma once

#include "observe/monitor/affected_bindings.hpp"
#include "observe/monitor/held_results.hpp"
#include "observe/monitor/table_predicate.hpp"
#include "observe/query_context.hpp"

#include <algorithm>
#include <compare>

namespace kith::observe {

// The key of a result tells it apart from all others: $this, the other variables, and the ids of
// fields that are neither fixed nor values of variables.
class result_keys {
public:
    result_keys(const queries::query_model& model, const query_structure& structure);

    // The most ids that a key has.
    static constexpr std::uint32_t most = 2 * queries::max_variables;

    // The number of ids in a key.
    std::uint32_t width() const noexcept { return width_; }
    // Writes the key of one row of a result.
    void read(const detail::result& result, std::uint32_t row, id_t* key) const noexcept;
    // Compares two keys without $this.
    std::strong_ordering compare_rest(const id_t* left, const id_t* right) const noexcept;
    // Reconstructs the fields of a result from its key. A field has a value if its source still
    // owns the id.
    void fill_fields(mutate::stage& world, const id_t* key, detail::field_data* fields) const;

private:
    const queries::query_model& model_;
    std::vector<std::uint8_t> key_position_;  // by term: of its id in the key; 0: it has none
    std::vector<std::uint32_t> fields_;       // whose ids are in the key
    std::uint32_t width_;
};

// Requires: the world lives longer. Shares the query.
struct monitored_query {
    // With `single_rows`, rows with a shared value are reported in separate calls.
    monitored_query(mutate::stage& world, detail::query_head* query, bool single_rows);
    ~monitored_query() { detail::release_query(context.query); }
    monitored_query(const monitored_query&) = delete;
    monitored_query& operator=(const monitored_query&) = delete;

    // Options of a run for the results with these values. False if there can be no result, because
    // an entity is not alive.
    bool find_options(const binding& with, detail::run_options& options) const;
    // Calls visit(key, table, row) for the results with these values. The run is neither tracked
    // nor ordered.
    template <class Visit>
    void each_key(const binding& with, Visit&& visit) const;
    // A result of consecutive rows whose fields the caller has filled.
    detail::result rows_of(std::uint32_t table, std::uint32_t first, std::uint32_t count,
                           const detail::field_data* fields) const noexcept;

    query_context context;
    const queries::query_model& model;
    storage::store& data;
    bool row_at_a_time;
    query_structure structure;
    affected_bindings affected;
    table_predicate predicate;
    result_keys keys;
    std::unique_ptr<held_results> held;  // null: the query compares no values
};

inline void result_keys::read(const detail::result& result, std::uint32_t row,
                              id_t* key) const noexcept {
    key[0] = result.count != 0 ? result.entities[row] : 0;
    for (std::uint32_t i = 1; i < model_.variable_count; ++i) {
        key[i] = result.variables ? result.variables[i] : 0;
    }
    for (std::uint32_t i = 0; i < fields_.size(); ++i) {
        key[model_.variable_count + i] = result.fields[fields_[i]].id;
    }
}

inline std::strong_ordering result_keys::compare_rest(const id_t* left,
                                                      const id_t* right) const noexcept {
    for (std::uint32_t i = 1; i < width_; ++i) {
        if (left[i] != right[i]) {
            return left[i] <=> right[i];
        }
    }
    return std::strong_ordering::equal;
}

inline detail::result monitored_query::rows_of(std::uint32_t table, std::uint32_t first,
                                               std::uint32_t count,
                                               const detail::field_data* fields) const noexcept {
    detail::result rows{};
    rows.entities = storage::entities_of(data.tables.at(table), data.tables.rows(table)) + first;
    rows.count = count;
    rows.table = table;
    rows.first_row = first;
    rows.fields = fields;
    rows.field_count = model.field_count;
    return rows;
}

template <class Visit>
void monitored_query::each_key(const binding& with, Visit&& visit) const {
    detail::run_options options;
    if (!find_options(with, options)) {
        return;
    }
    options.untracked = true;
    options.unordered = true;
    detail::query_run run(context.query, &context.world, options);
    id_t key[result_keys::most];
    for (detail::result result; run.next(result);) {
        for (std::uint32_t row = 0; row < std::max(result.count, 1u); ++row) {
            keys.read(result, row, key);
            visit(static_cast<const id_t*>(key), result.table, result.first_row + row);
        }
    }
}

}  // namespace kith::observe
