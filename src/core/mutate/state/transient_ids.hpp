// Transient ids are not part of captured states. While a state is captured or replaced, they are
// set aside: entities move to the tables without them, and their sparse stores and links are
// exchanged for empty ones. Afterwards an entity that is alive gets back what it had.
//
// Covered by tests/features/snapshots/transient_test.cpp. Nobody is notified, and setting aside and
// undoing leave the world as it was: rows are moved like a stack, so that each one returns to its
// place.
#pragma once

#include "mutate/context/stage.hpp"
#include "mutate/state/world_state.hpp"

namespace kith::mutate {

// The components and relationships with the property Transient, without those that kith relies on:
// builtin ones, and components in its own scope.
state_vector<entity_t> find_transient(const storage::store& data);

// One time span without the transient ids of a world. Requires: no operation is under way.
class transient_ids {
public:
    // Components that are not alive are ignored.
    transient_ids(stage& world, const state_vector<entity_t>& components);
    // Undoes set_aside(), unless put_back() was called.
    ~transient_ids();
    transient_ids(const transient_ids&) = delete;
    transient_ids& operator=(const transient_ids&) = delete;

    // Throws if memory is short; then the world has not changed.
    void set_aside();
    // The components whose ids are set aside.
    const state_vector<entity_t>& components() const noexcept { return alive_; }
    // The tables that were made for entities without their transient ids, in order of creation.
    const state_vector<std::uint32_t>& made_tables() const noexcept { return made_tables_; }
    // Gives the ids to the entities that are alive in another state than that of set_aside().
    // `made_tables` are those of that state. Throws if memory is short; then further ids are lost.
    void put_back(const state_vector<std::uint32_t>& made_tables);

private:
    // An id that is set aside. The element is kept, because its index may be reused.
    struct kept_id {
        id_t id;
        entity_t target;        // of a pair, else 0
        std::uint32_t traits;   // without Transient
        const type_info* type;  // of its values, null: none
        std::byte* values;      // one for each row of the table, in order of the rows
    };
    // The rows of a table, in their order.
    struct kept_table {
        std::uint32_t from;
        std::uint32_t to;
        state_vector<entity_t> entities;
        state_vector<kept_id> ids;
    };
    struct kept_link {
        entity_t source;
        entity_t target;
    };
    // A store with the contents of the store of a record, which is empty meanwhile.
    struct kept_store {
        id_t id;
        std::uint32_t traits;
        storage::sparse_store* store;
        bool toggles;
    };
    struct kept_links {
        id_t id;  // (R,*)
        std::uint32_t traits;
        storage::link_store* store;
        state_vector<kept_link> links;
    };

    bool is_transient(id_t id) const noexcept;
    // The planning functions may throw; the others change the world and do not.
    void plan_tables();
    void plan_table(const storage::table& from);
    void plan_stores();
    void plan_links(storage::id_record& relation);
    void leave_tables() noexcept;
    void leave_table(kept_table& kept) noexcept;
    void exchange_stores() noexcept;

    void undo() noexcept;
    void return_rows(kept_table& kept) noexcept;
    void remove_tables(const state_vector<std::uint32_t>& numbers) noexcept;
    void release() noexcept;

    std::uint32_t traits_of(id_t id) const noexcept;
    bool can_return(const kept_id& kept) const noexcept;
    void put_back_rows(const kept_table& kept);
    void put_back_row(const kept_table& kept, std::uint32_t row);
    void put_back_store(const kept_store& kept);
    void put_back_links(const kept_links& kept);

    stage& world_;
    storage::store& data_;
    state_vector<entity_t> alive_;            // the components that are alive
    state_vector<std::uint32_t> components_;  // their indices, sorted
    state_vector<kept_table> tables_;
    state_vector<kept_store> stores_;
    state_vector<kept_links> links_;
    state_vector<std::uint32_t> made_tables_;
    bool is_aside_ = false;
};

}  // namespace kith::mutate
