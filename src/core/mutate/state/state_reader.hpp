// Reads entities of a captured state: their ids, values and names, wherever they are stored.
#pragma once

#include "mutate/state/world_state.hpp"

#include <string>
#include <vector>

namespace kith::mutate {

// A value of a state; the state owns it.
struct captured_value {
    const void* value = nullptr;      // null: the id has no value, or it is a name
    const type_copy* type = nullptr;  // of the value
    const name_copy* name = nullptr;  // of a pair (Identifier, x)
};
// Names are compared as texts, values by their descriptions or as bytes. Values that allow neither
// are equal only if they are the same object. `world` has the descriptions; null: the process.
bool are_equal(const captured_value& left, const captured_value& right, const world_t* world);

// An id of an entity, with its value.
struct captured_id {
    id_t id;
    captured_value value;
    bool disabled;
};

// Reads one state, which must outlive the reader. Reading changes nothing, so that threads may
// share a reader.
class state_reader {
public:
    explicit state_reader(const world_state& state);

    const world_state& state() const noexcept { return state_; }
    // The record of a live entity with this index, null if there is none.
    const storage::entity_record* find(std::uint32_t index) const noexcept;
    entity_t alive_at(std::uint32_t index) const noexcept;
    bool is_alive(entity_t entity) const noexcept { return alive_at(index_of(entity)) == entity; }
    // No live entity has an index from here on.
    std::uint32_t index_limit() const noexcept {
        return static_cast<std::uint32_t>(state_.pages.size()) << detail::record_page_bits;
    }
    // The ids of an entity without those that are Transient, sorted.
    std::vector<captured_id> ids_of(std::uint32_t index) const;
    // The id if the entity has it; its id is 0 otherwise.
    captured_id find_id(std::uint32_t index, id_t id) const;
    // True if the entity has ids or links outside of its table, or ids that are switched off.
    bool has_sparse(std::uint32_t index) const noexcept;

    // The entities in whose scope C++ types are, sorted by index.
    std::vector<std::uint32_t> scopes_of_types() const;
    // True for types of the library itself, which a world has from its first need on.
    bool is_internal(std::uint32_t index) const noexcept {
        return find(index) && parent_of(index) == index_of(Kith);
    }
    // The name with those of its parents, or `#index`.
    std::string path_of(std::uint32_t index) const;
    // An id as a fact about an entity: `Likes(Bob, Alice)`.
    std::string fact_of(id_t id, std::uint32_t index) const;

private:
    // The name of a live entity, null if it has none.
    const name_copy* name_of(std::uint32_t index) const noexcept;
    // The index of the parent, 0 without one. Requires: the entity is alive.
    std::uint32_t parent_of(std::uint32_t index) const noexcept;
    // Each of the three steps appends to `ids`, or marks in it, the ids outside of the table:
    // sparse ids, links, and ids that are switched off.
    void add_stores(std::uint32_t index, std::vector<captured_id>& ids) const;
    void add_links(std::uint32_t index, std::vector<captured_id>& ids) const;
    void note_disabled(std::uint32_t index, std::vector<captured_id>& ids) const;
    // True if the id, or the relationship of a pair, has the property Transient in the state.
    bool is_transient(id_t id) const noexcept;

    const world_state& state_;
    std::vector<std::uint32_t> transient_;  // indices of components and relationships, sorted
};

}  // namespace kith::mutate
