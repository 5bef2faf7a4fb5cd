// A bound run evaluates, without an executor, a query all of whose variables have values from the
// start, or a query without variables that finds $this among the sources of a sparse pair. Each
// term is one id that $this must, must not or may have, in its table or as a sparse id. No id is
// inherited or toggled off.
//
// The run walks the shortest list: the entities of a list in the parameter index, the sources of a
// target, the entities of a sparse component, or the tables of an id. Entities of the list that are
// neighbours in their table become one result. Others are handed out in batches, regardless of
// their tables, if the caller accepts rows that are no neighbours.
//
// Covered by tests/features/queries/query_arguments_test.cpp, tests/unit/query/bound_run_test.cpp
// and the random queries of tests/model/graph_query_test.cpp.
#pragma once

#include "query/compiled_query.hpp"
#include "query/exec/row_share.hpp"
#include "query/run/run.hpp"

namespace kith::queries {

class bound_run final : public run {
public:
    bound_run(const compiled_query& query, world_t* stage, const detail::run_options& options);

    bool next(detail::result& result) noexcept override;

private:
    // The id of a term with the values of variables, and the store of the entities that have it.
    struct term_id {
        id_t id;
        const storage::id_record* record;  // null: no entity has the id, or it is a link
        const storage::link_store* links;  // null: the id is no sparse pair
        std::uint32_t target;              // of a pair

        bool is_sparse() const noexcept { return links || (record && record->sparse); }
        bool has_sparse(std::uint32_t index) const noexcept {
            return links ? links->has(index, target) : record->sparse->has(index);
        }
        // Requires: is_sparse() and has_sparse(index).
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
    // The values of one field in a table; null: the table has none.
    struct value_column {
        std::byte* values;
        std::uint32_t size;
    };
    // Rows of several tables that are handed out as one result.
    struct batch {
        std::uint32_t table_count = 0;
        std::uint32_t tables[batch_tables];
        bool fits[batch_tables];  // the type of the table satisfies the query
        value_column columns[batch_tables][max_values];
        std::uint32_t lock_count = 0;
        std::uint32_t locked[batch_tables];  // the tables that fit
        entity_t entities[batch_size];
        std::uint32_t rows[batch_size];
        std::uint8_t table_of[batch_size];  // position of the row's table in `tables`
        std::byte* values[max_values][batch_size];
    };

    void use_index(parameter_index& index) noexcept;
    void choose_start() noexcept;
    void collect_tests() noexcept;
    bool are_distinct() const noexcept;
    void choose_gathered(bool noncontiguous) noexcept;
    void take_share() noexcept;
    entity_list start_list() const noexcept;
    static std::uint32_t start_size(const term_id& candidate) noexcept;
    std::uint32_t count_candidates(const term_id& candidate, std::uint32_t fewest) const noexcept;
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
    bool rows_alike_ = true;  // all rows have equal fields: no sparse id has values or is optional
    bool gathers_ = false;    // rows that are no neighbours are handed out in batches
    std::uint32_t value_count_ = 0;
    std::uint32_t value_terms_[max_values];  // terms whose values a batch has
    row_share share_;                        // of the rows of tables
    parameter_index* index_ = nullptr;       // has the list to walk; null: start_ decides
    std::uint32_t list_ = 0;                 // number of the list in index_
    std::uint32_t start_ = 0;     // term with the fewest candidates, whose list is walked
    std::uint64_t answered_ = 0;  // terms that each candidate satisfies, as bits
    std::uint32_t at_ = 0;        // position of the next table or entity in the list
    std::uint32_t limit_ = 0;     // length of the list at the start: later ones do not join the run
    std::uint32_t table_ = 0;     // the table whose rows are tested; 0: none
    std::uint32_t row_ = 0;       // its next row
    std::uint32_t row_end_ = 0;   // the end of its rows
    std::uint32_t sparse_count_ = 0;
    std::uint32_t test_count_ = 0;
    std::uint32_t tests_[plan::max_simple];     // terms with sparse ids, tested for each entity
    id_t sparse_ids_[plan::max_simple];         // all sparse ids, for the lock
    term_id ids_[plan::max_simple];             // of the terms
    entity_t variables_[plan::max_simple + 1];  // values; $this is 0
    detail::field_data fields_[plan::max_simple];
    batch batch_;
};

}  // namespace kith::queries
