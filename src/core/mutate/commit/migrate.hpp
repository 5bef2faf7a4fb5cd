// Migration: moving the values of an id and of its pairs between tables and sparse storage, when
// the property Sparse is added or removed. No hook runs, since the ids of entities stay the same.
//
// Covered by tests/features/relationships/migration_test.cpp.
#pragma once

#include "mutate/context/stage.hpp"

namespace kith::mutate {

// A migration. The constructor makes the plan and reserves memory, so that commit() cannot fail.
//
// Invariants
// 1. On the way to sparse storage, `links_` and `values_` are complete until commit() except for
//    the values, which are still in the tables.
// 2. Before commit() the world is unchanged, but for spare capacity and empty tables.
// 3. `moves_` is sorted by destination, so that rows are reserved once for each table.
class migration {
public:
    // Plans the migration of the ids of `element`. `traits` are those that the element is about to
    // get; `element_table` is the table that it will be in by then.
    migration(stage& world, entity_t element, std::uint32_t traits,
              const storage::table& element_table);
    ~migration();
    migration(const migration&) = delete;
    migration& operator=(const migration&) = delete;

    // Makes the migration. Requires: called once, after the element has moved to its table.
    void commit() noexcept;

private:
    struct destination {
        entity_t entity;     // entity that moves; 0: all rows of `from`
        std::uint32_t from;  // table
        std::uint32_t to;    // table
    };

    // True for the element as a component and for its pairs.
    bool concerns(id_t id) const noexcept;
    void plan_links();
    void plan_table(storage::table& from);
    // Reserves links and values for the ids of the row, except those that `excluded` has.
    void copy_row_links(const storage::table& from, entity_t entity,
                        const storage::table* excluded);
    void plan_rows();
    void plan_row(entity_t entity);
    void reserve();
    void add(const destination& planned);

    // -- commit
    void leave_tables() noexcept;
    void move_row_to_sparse(entity_t entity, const storage::table& from,
                            const storage::table& to) noexcept;
    void enter_tables() noexcept;
    void move_row_to_table(entity_t entity, const storage::table& to) noexcept;
    void forget_pairs() noexcept;
    void release() noexcept;

    stage& world_;
    storage::store& data_;
    entity_t element_;
    const storage::table& element_table_;
    bool to_sparse_;
    storage::link_store* links_ = nullptr;  // owned until commit()
    storage::sparse_store* values_ =
        nullptr;  // of the element as a component; owned until commit()
    containers::vec<destination> moves_;
};

}  // namespace kith::mutate
