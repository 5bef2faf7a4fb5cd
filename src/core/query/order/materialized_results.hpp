// All results of a run of a sorted query in the order in which they were found: the input of the
// sort index (sort_index.hpp), and the fields that the sorted run hands out.
//
// The results serve later runs as long as the dependencies of the query and the addresses of the
// values have not changed. That pays where results are single rows: finding them costs more than
// sorting the rows that have changed.
//
// Invariants
// 1. Objects are immutable once complete() was called; several runs may share them.
// 2. For part p, `origins_[p]`, `fields_` from p * field_count on, `values_` from p * keys on, and
// (if
//    the query has variables) `variables_` from p * variable_count on belong to `parts_[p]`.
// 3. A part is one result, or several results with neighbouring rows and the same fields.
// 4. Once complete, `tables_` is sorted, has each table with rows or sort values once, and
// `blocks_` has
//    the memory of each at the time of complete().
//
// Covered by tests/unit/query/sort_kept_test.cpp.
#pragma once

#include <kith/detail/query_ops.hpp>

#include "query/exec/scan.hpp"
#include "query/order/sort_index.hpp"
#include "query/plan/change_dependencies.hpp"

namespace kith::queries {

class materialized_results {
public:
    // The properties of a part beyond its rows.
    struct origin {
        std::uint64_t group;
        // Rows of parts with the same kind have the same ids in all fields, and can be handed out
        // together to callbacks that receive entities and values only.
        std::uint32_t kind;
        bool shared;  // a field has the value of another entity
        bool bare;    // the result has no rows: it counts as one
    };

    materialized_results(const storage::store& data, const query_model& model,
                         const std::vector<sort_key>& keys)
        : data_(data), model_(model), keys_(keys), ticks_(keys.size()) {}
    materialized_results(const materialized_results&) = delete;
    materialized_results& operator=(const materialized_results&) = delete;

    // Adds a result. `same_rank`: it has the group and depth of the result before it.
    void add(const detail::result& result, bool same_rank);
    // Field data of single rows: for row i, details[n * capacity + i] is the field fields[n].
    struct detailed_rows {
        const detail::field_data* details;
        std::uint32_t capacity;
        const std::vector<std::uint32_t>& fields;
    };
    // Adds a batch of rows that are no neighbours, each as a result of its own.
    void add_rows(const detail::result& result, const detailed_rows& rows, bool same_rank);
    // To be called once, after the last result.
    void complete();

    const std::vector<sort_run>& parts() const noexcept { return parts_; }
    const std::vector<part_values>& values() const noexcept { return values_; }
    // The tables that have rows of results or sort values.
    const std::vector<std::uint32_t>& tables() const noexcept { return tables_; }
    const origin& origin_of(std::uint32_t part) const noexcept { return origins_[part]; }
    const detail::field_data* fields_of(std::uint32_t part) const noexcept {
        return fields_.data() + std::size_t{part} * model_.field_count;
    }
    // The values of the variables; null if the query has $this only.
    const entity_t* variables_of(std::uint32_t part) const noexcept {
        return variables_.empty() ? nullptr
                                  : variables_.data() + std::size_t{part} * model_.variable_count;
    }
    // True if there are more results than tables: results are single rows or ranges.
    bool is_scattered() const noexcept { return count_ > tables_.size(); }
    // True if finding the results costs much more than handing them out.
    bool is_worth_keeping() const noexcept {
        return is_scattered() || (parts_.size() > 8 && rows_ < 8 * parts_.size());
    }
    // The tick at which sort values were last written; the highest tick if that is not recorded.
    std::uint64_t written_tick() const noexcept;
    // True if all tables have the rows, and the memory, that they had at the tick `since`.
    bool are_in_place(std::uint64_t since) const noexcept;

private:
    bool continues(const detail::result& result) const noexcept;
    bool is_alike(const detail::result& result) const noexcept;
    void add_values(const detail::result& result);
    void add_tables(const detail::result& result);
    bool has_key_value(const detail::result& result, std::uint32_t field) const noexcept;
    const std::byte* constant_of(const detail::field_data& field) const noexcept;
    entity_t constant_entity(const detail::field_data& field) const noexcept;
    bool has_value_of(const sort_key& key, const detail::field_data& field) const;
    std::uint64_t tick_of(const detail::result& result);
    std::uint64_t tick_of(const storage::table& type, id_t id) const;

    const storage::store& data_;
    const query_model& model_;
    const std::vector<sort_key>& keys_;
    std::vector<sort_run> parts_;
    std::vector<part_values> values_;
    std::vector<origin> origins_;
    std::vector<detail::field_data> fields_;
    std::vector<entity_t> variables_;
    std::vector<std::uint32_t> tables_;
    std::vector<const std::byte*> blocks_;  // memory of the rows of each table
    // The tick of the last change of an id's values in a table, as looked up last for a key.
    struct known_tick {
        std::uint32_t table = 0;
        id_t id = 0;
        std::uint64_t tick = 0;
    };
    std::vector<known_tick> ticks_;
    std::size_t count_ = 0;    // of results
    std::size_t rows_ = 0;     // of all parts
    bool all_tracked_ = true;  // ticks of all sort values are recorded
};

// Results that may serve the next run, and the state of query and world for which they were found.
struct kept_results {
    std::shared_ptr<const materialized_results> results;  // null: there are none
    std::uint64_t tick = 0;                               // at which they were found
    std::uint32_t plans = 0;                              // compiled_query::plan_count
    std::uint32_t edition = 0;                            // of the match cache
    std::uint32_t epoch = 0;                              // store::table_epoch
    scan_choice scan;                                     // decides the order of results
};

}  // namespace kith::queries
