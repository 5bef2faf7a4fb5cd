// A run, without a machine, of a query all of whose variables have values from the start, or that
// has none and finds $this among the sources of a sparse pair: each of its terms is one id that
// $this must, must not or may have, in its table or beside it. Nothing is inherited or switched
// off.
//
// Sources of one target were often made one after the other: those that are neighbours in their
// table are one result. Others are handed out in batches, whatever their tables are, if the caller
// takes rows that are no neighbours.
//
// Covered by tests/core/api/query_arguments_test.cpp, tests/core/query/bound_run_test.cpp and the
// random queries of tests/model/graph_query_test.cpp.
#pragma once

#include <kith/detail/query_ops.hpp>

#include "query/compiled_query.hpp"
#include "query/exec/row_share.hpp"

namespace kith::queries {

class bound_run {
public:
    static bool fits(const compiled_query& query, const storage::store& data,
                     const detail::run_options& options);

    bound_run(const compiled_query& query, world_t* stage, const detail::run_options& options);
    bound_run(const bound_run&) = delete;
    bound_run& operator=(const bound_run&) = delete;

    bool next(detail::result& result) noexcept;

private:
    // Where the entities are that have a term's id.
    struct wanted {
        id_t id;
        const storage::id_record* record;  // null: nobody has it
        const storage::link_store* links;  // null: it is no link
        std::uint32_t target;

        bool is_sparse() const noexcept { return links || (record && record->sparse); }
        bool has_sparse(std::uint32_t index) const noexcept {
            return links ? links->has(index, target) : record->sparse->has(index);
        }
        // Of one that has it.
        void* value_sparse(std::uint32_t index) const noexcept {
            return links ? links->value(index, target) : record->sparse->find(index);
        }
        bool has_values() const noexcept { return !links || links->has_values(); }
    };
    // The entities that the run visits; 0 marks a removed entity.
    struct entity_list {
        const entity_t* items = nullptr;
        std::uint32_t size = 0;
    };
    static constexpr std::uint32_t batch_size = 64;
    static constexpr std::uint32_t max_values = plan::max_leaf_fields;
    static constexpr std::uint32_t batch_tables = 8;
    // Where the rows of a table have the values of one field; null: nowhere.
    struct value_column {
        std::byte* values;
        std::uint32_t size;
    };
    struct batch {
        std::uint32_t table_count = 0;
        std::uint32_t tables[batch_tables];
        bool fits[batch_tables];
        value_column columns[batch_tables][max_values];
        std::uint32_t lock_count = 0;
        std::uint32_t locked[batch_tables];
        entity_t entities[batch_size];
        std::uint32_t rows[batch_size];
        std::uint8_t table_of[batch_size];  // its number in `tables`
        std::byte* values[max_values][batch_size];
    };

    void use_index(const compiled_query& query) noexcept;
    void choose_start() noexcept;
    void collect_tests() noexcept;
    bool are_distinct() const noexcept;
    void choose_gathered(bool noncontiguous) noexcept;
    void take_share() noexcept;
    entity_list start_list() const noexcept;
    static std::uint32_t start_size(const wanted& one) noexcept;
    std::uint32_t count_candidates(const wanted& one, std::uint32_t fewest) const noexcept;
    bool next_entity(detail::result& result) noexcept;
    bool next_row(detail::result& result) noexcept;
    void add_neighbours(const entity_list& list, detail::result& result) noexcept;
    void gather(const entity_list& list, detail::result& result) noexcept;
    std::uint32_t collect(const entity_list& list, const detail::result& result) noexcept;
    void add_table(std::uint32_t number) noexcept;
    void find_values(std::uint32_t field, std::uint32_t count) noexcept;
    std::uint32_t next_table() noexcept;
    bool next_fitting_row(detail::result& result) noexcept;
    void accept_row(std::uint32_t number, std::uint32_t row, entity_t entity,
                    detail::result& result) noexcept;
    void hand_out(std::uint32_t number, std::uint32_t first, std::uint32_t count,
                  detail::result& result) noexcept;
    bool fits_sparse(std::uint32_t index) const noexcept;
    bool fits_type(const storage::table& type) const noexcept;
    void fill(const storage::table& type, const storage::entity_record* record, entity_t entity,
              std::uint32_t row) noexcept;

    const query_model& model_;
    const storage::store& data_;
    detail::table_lock lock_;
    std::uint32_t hidden_;
    bool by_entity_ = false;
    bool rows_alike_ = true;  // what lies beside has no values, and is there or not for all rows
    bool gathers_ = false;    // rows that are no neighbours are handed out in batches
    std::uint32_t value_count_ = 0;
    std::uint32_t value_terms_[max_values];   // that may have values, for batches
    row_share share_;                         // of rows of tables
    const parameter_index* index_ = nullptr;  // that knows the list to walk,
    std::uint32_t list_ = 0;                  // and which; or null:
    std::uint32_t start_ = 0;                 // the term with the fewest candidates
    std::uint64_t answered_ = 0;              // terms that need not be asked for
    std::uint32_t at_ = 0;                    // of the tables or entities in the list, the next
    std::uint32_t limit_ = 0;                 // those that come later do not join the run
    std::uint32_t table_ = 0;                 // whose rows are looked at,
    std::uint32_t row_ = 0;                   // from this one on,
    std::uint32_t row_end_ = 0;               // up to this one
    std::uint32_t sparse_count_ = 0;
    std::uint32_t test_count_ = 0;
    std::uint32_t tests_[plan::max_simple];  // terms that are asked for each entity
    id_t sparse_ids_[plan::max_simple];
    wanted wanted_[plan::max_simple];
    entity_t variables_[plan::max_simple + 1];
    detail::field_data fields_[plan::max_simple];
    batch batch_;
};

}  // namespace kith::queries
