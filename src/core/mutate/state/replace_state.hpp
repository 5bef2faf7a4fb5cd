// Replacing the state of a world by a captured one. Everything that can fail is done first and
// aside: new rows, stores, records and tables are built next to the present ones. Then commit()
// exchanges them, which cannot fail.
//
// Hooks and listeners are not notified. The caller ends objects of the program whose entities are
// gone, and lets monitors compare (api/snapshot.cpp).
#pragma once

#include "mutate/state/capture_state.hpp"

#include <optional>
#include <string>
#include <utility>

namespace kith::mutate {

// A copy of a value, outside of tables.
class kept_value {
public:
    kept_value() noexcept = default;
    kept_value(const type_info& type, const void* from);
    kept_value(kept_value&& other) noexcept
        : type_(other.type_), value_(std::exchange(other.value_, nullptr)) {}
    kept_value& operator=(kept_value other) noexcept {
        std::swap(type_, other.type_);
        std::swap(value_, other.value_);
        return *this;
    }
    ~kept_value();

    explicit operator bool() const noexcept { return value_ != nullptr; }
    const type_info& type() const noexcept { return *type_; }
    const void* get() const noexcept { return value_; }

private:
    const type_info* type_ = nullptr;
    void* value_ = nullptr;
};

// A C++ type that the world knows and the restored state does not: the type is registered again
// after the replacement, with its hooks.
struct kept_type {
    std::uint32_t component;
    entity_t scope;    // the parent of the component, 0 without one
    std::string name;  // empty: the component has none
    kept_value own;    // of the component itself, such as the descriptions of the world; or none
    detail::hook hooks[types::hook_count];
};

// One replacement: prepare(), then commit(), then the end of the object. Without commit(), the end
// undoes everything. Requires: no operation is under way, and no command is queued.
class state_replacement {
public:
    state_replacement(stage& world, capture_memory& memory,
                      std::shared_ptr<const world_state> state);
    ~state_replacement();
    state_replacement(const state_replacement&) = delete;
    state_replacement& operator=(const state_replacement&) = delete;

    // Builds everything that differs. Throws if memory is short or a copy constructor throws; then
    // the world has not changed.
    void prepare();
    // Makes the state the state of the world. Requires: prepare() has returned.
    void commit() noexcept;
    // Ends the replaced rows. Called after commit(), before their tables can be deleted.
    void release_rows() noexcept;
    // The types to be registered again, in the order of their first use. Valid after commit(). The
    // caller owns the hooks and registers or frees them.
    state_vector<kept_type>& kept_types() noexcept { return kept_; }

private:
    // The new rows of a table.
    struct new_rows {
        storage::table* owner;
        detail::table_rows rows;
    };
    // A table whose rows are written where they are: this needs no memory and cannot fail.
    struct written_rows {
        storage::table* owner;
        const rows_copy* from;
    };
    // A sparse store whose values are written where they are.
    struct written_store {
        std::uint32_t record;  // number
        const sparse_copy* from;
    };
    // A table whose rows stay as they are, under another number.
    struct kept_rows {
        std::uint32_t from;
        std::uint32_t to;
    };
    // A store that is to take the place of the store of a record.
    template <class Store>
    struct new_store {
        std::uint32_t record;  // number
        Store* store;
    };

    void prepare_types();
    void keep_types();
    kept_value own_value(entity_t component) const;
    // The type of a component of the state, null for 0.
    types::component_type* type_of(std::uint32_t component) const noexcept;
    bool is_of_state(const types::component_type& type) const noexcept;
    void keep_hooks() noexcept;
    void prepare_records();
    void prepare_tables();
    void prepare_rows();
    bool has_rows_of(const storage::table* now, std::uint32_t number) const noexcept;
    bool can_write_rows(const storage::table& owner, const rows_copy& from) const noexcept;
    bool can_write_values(std::uint32_t record) const noexcept;
    void prepare_new_rows(storage::table& owner, const rows_copy& from);
    void fill_rows(const storage::table& owner, const rows_copy& from, detail::table_rows& to);
    void fill_column(const storage::table& owner, std::uint32_t column, const rows_copy& from,
                     const detail::table_rows& to);
    void prepare_stores();
    void prepare_lists();

    void exchange_structure() noexcept;
    void exchange_rows() noexcept;
    void write_rows(const storage::table& owner, const rows_copy& from) noexcept;
    void write_values(const storage::sparse_store& to, const storage::sparse_store& from) noexcept;
    void note_replaced(const storage::table& owner) noexcept;
    void exchange_stores() noexcept;
    void attach_lists() noexcept;
    void exchange_entities() noexcept;
    void move_names() noexcept;
    void move_names_of(const storage::table& owner) noexcept;
    void release_old_structure() noexcept;
    void release_old_types() noexcept;
    bool is_replaced(id_t id) const noexcept;
    void note_sparse_changes(storage::sparse_change_marks& marks) noexcept;
    void note_changes() noexcept;
    storage::id_record& record_at(std::uint32_t number) const noexcept {
        return *data_.ids.by_number(number);
    }
    void destroy_rows(const storage::table& owner, detail::table_rows& rows) const noexcept;

    stage& world_;
    storage::store& data_;
    capture_memory& memory_;
    std::shared_ptr<const world_state> state_;
    const structure_copy& structure_;
    std::shared_ptr<const world_state> last_;  // null: nothing is known of the present state
    bool same_structure_ = false;
    bool entities_unwritten_ = false;
    bool committed_ = false;
    state_vector<types::component_type*> types_;        // of the components of the state
    state_vector<types::component_type*> added_types_;  // those of them that the world has lost
    state_vector<kept_type> kept_;
    // The records and tables of the state, later the replaced ones.
    std::optional<storage::component_index> ids_;
    // The head that the new table set refers to while it is built aside.
    detail::store_head head_{};
    std::optional<storage::table_set> tables_;
    state_vector<new_rows> rows_;
    state_vector<written_rows> written_rows_;
    state_vector<kept_rows> kept_rows_;
    state_vector<new_store<storage::sparse_store>> sparse_;
    state_vector<written_store> written_sparse_;
    state_vector<new_store<storage::sparse_store>> toggles_;
    state_vector<new_store<storage::link_store>> links_;
    containers::vec<storage::id_record*> sparse_ids_;
    containers::vec<storage::id_record*> link_ids_;
    containers::vec<storage::id_record*> toggled_ids_;
};

}  // namespace kith::mutate
