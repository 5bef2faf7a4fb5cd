// Moving everything that has an id, or a pair of it, between tables and sparse storage, when the
// property Sparse comes or goes. No hook runs: what entities have stays the same.
//
// Covered by tests/core/traits/migration_test.cpp.
#pragma once

#include "mutate/stage.hpp"

namespace kith::mutate {

class migration {
public:
    // Does all that can fail. `traits` are those that the element is to have; it will have moved to
    // `element_table` by then.
    migration(stage& world, entity_t element, std::uint32_t traits,
              const storage::table& element_table);
    ~migration();
    migration(const migration&) = delete;
    migration& operator=(const migration&) = delete;

    void commit() noexcept;

private:
    struct destination {
        entity_t entity;     // that moves; 0: all rows of `from`
        std::uint32_t from;  // table
        std::uint32_t to;    // table
    };

    bool concerns(id_t id) const noexcept;
    void plan_links();
    void plan_table(storage::table& from);
    // Makes room for what the table holds, but for what `known` holds too.
    void copy_row_links(const storage::table& from, entity_t entity, const storage::table* table);
    void plan_rows();
    void plan_row(entity_t entity);
    void reserve();
    void add(const destination& planned);

    void leave_tables() noexcept;
    void move_row_to_sparse(entity_t entity, const storage::table& from,
                            const storage::table& to) noexcept;
    void enter_tables() noexcept;
    void move_row_inside(entity_t entity, const storage::table& to) noexcept;
    void forget_pairs() noexcept;
    void release() noexcept;

    stage& world_;
    storage::store& data_;
    entity_t element_;
    const storage::table& element_table_;
    bool to_sparse_;
    storage::link_store* links_ = nullptr;     // owned until it is attached
    storage::sparse_store* values_ = nullptr;  // of the element as a component, likewise
    containers::vec<destination> moves_;
};

}  // namespace kith::mutate
