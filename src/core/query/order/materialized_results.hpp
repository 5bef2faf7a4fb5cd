// All results of a run of a sorted query as they were found, before they are put in order.
//
// Never changed once they are complete: several runs may share them. As long as nothing has changed
// that decides what is found, and where the values are, they serve the next run, too. That pays
// where results are single rows, for finding these costs more than sorting what has changed.
//
// Covered by tests/core/query/sort_kept_test.cpp.
#pragma once

#include <kith/detail/query_ops.hpp>

#include "query/exec/scan.hpp"
#include "query/order/sort_index.hpp"
#include "query/plan/change_dependencies.hpp"

namespace kith::queries {

class materialized_results {
public:
    // One result. The fields of result n start at n times the number of fields; variables likewise.
    struct origin {
        std::uint64_t group;
        // Rows of parts with the same number can be handed out together, to callbacks for which
        // only entities and values count.
        std::uint32_t kind;
        bool shared;
        bool bare;  // it has no rows, and stands for itself
    };

    materialized_results(const storage::store& data, const query_model& model,
                         const std::vector<sort_key>& keys)
        : data_(data), model_(model), keys_(keys), ticks_(keys.size()) {}
    materialized_results(const materialized_results&) = delete;
    materialized_results& operator=(const materialized_results&) = delete;

    void add(const detail::result& result, bool same_rank);
    // Rows of one table that came at once. Of some fields there is one in `details` for each row,
    // at their number times `capacity`.
    struct detailed_rows {
        const detail::field_data* details;
        std::uint32_t capacity;
        const std::vector<std::uint32_t>& fields;
    };
    void add_rows(const detail::result& result, const detailed_rows& rows, bool same_rank);
    // Behind the last one.
    void complete();

    const std::vector<sort_run>& parts() const noexcept { return parts_; }
    const std::vector<part_values>& values() const noexcept { return values_; }
    // Tables that have rows, or values of them; each once.
    const std::vector<std::uint32_t>& tables() const noexcept { return tables_; }
    const origin& origin_of(std::uint32_t part) const noexcept { return origins_[part]; }
    const detail::field_data* fields_of(std::uint32_t part) const noexcept {
        return fields_.data() + std::size_t{part} * model_.field_count;
    }
    // Null if the query has $this only.
    const entity_t* variables_of(std::uint32_t part) const noexcept {
        return variables_.empty() ? nullptr
                                  : variables_.data() + std::size_t{part} * model_.variable_count;
    }
    // They were not found table by table.
    bool is_scattered() const noexcept { return count_ > tables_.size(); }
    // Finding them costs much more than handing them out.
    bool is_worth_keeping() const noexcept {
        return is_scattered() || (parts_.size() > 8 && rows_ < 8 * parts_.size());
    }
    // When values that they are sorted by were last written.
    std::uint64_t written_tick() const noexcept;
    // No row has come to, left or moved in a table since, nor have all of them.
    bool are_in_place(std::uint64_t since) const noexcept;

private:
    bool continues(const detail::result& result) const noexcept;
    bool is_alike(const detail::result& result) const noexcept;
    void add_values(const detail::result& result);
    void add_tables(const detail::result& result);
    bool has_key_value(const detail::result& result, std::uint32_t field) const noexcept;
    const std::byte* constant_of(const detail::field_data& field) const noexcept;
    entity_t constant_entity(const detail::field_data& field) const noexcept;
    bool is_wanted(const sort_key& key, const detail::field_data& field) const;
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
    std::vector<const std::byte*> blocks_;  // where their rows are
    // When values of a table last changed, for each key the one that was asked for last.
    struct known_tick {
        std::uint32_t table = 0;
        id_t id = 0;
        std::uint64_t tick = 0;
    };
    std::vector<known_tick> ticks_;
    std::size_t count_ = 0;    // of results; a part may be several
    std::size_t rows_ = 0;     // of all parts
    bool all_tracked_ = true;  // it is counted when their values change
};

// Results that serve again, and until when they do.
struct kept_results {
    std::shared_ptr<const materialized_results> results;  // null: there are none
    std::uint64_t tick = 0;                               // when they were found
    std::uint32_t plans = 0;    // how often the query had been planned then
    std::uint32_t edition = 0;  // of its cache
    std::uint32_t epoch = 0;    // of the lists of tables
    scan_choice scan;
};

}  // namespace kith::queries
