// Capturing the state of a world. Capturing reads the world and changes nothing of its contents.
#pragma once

#include "mutate/context/stage.hpp"
#include "mutate/state/transient_ids.hpp"
#include "mutate/state/world_state.hpp"

namespace kith::mutate {

// What a world remembers of its captured states. The types are kept as long as the world: capturing
// a type again gives the same copy.
struct capture_memory {
    std::vector<std::shared_ptr<const type_copy>> types;
    // The last state that was captured or restored, and the editions of the indexes then. Empty
    // once no snapshot has the state any more.
    std::weak_ptr<const world_state> last;
    std::uint64_t ids_edition = 0;
    std::uint64_t tables_edition = 0;
    std::uint32_t schema = 0;
};

// True if ids, tables and types have not changed since the last state was noted.
bool has_same_structure(const storage::store& data, const capture_memory& memory) noexcept;
// True if rows and values of the table are those of the last state.
inline bool is_unwritten(const storage::table& owner) noexcept {
    return (owner.flags & detail::shape_unwritten) != 0;
}
// True if the rows of the table have the entities of the last state, in the same order.
inline bool has_same_rows(const storage::table& owner) noexcept {
    return (owner.flags & detail::shape_rows_unwritten) != 0;
}
// True if a copied column has the present values of a table's column. False if values cannot be
// compared, or have another type. Requires: the column has as many values as the table has rows.
bool has_same_values(const storage::store& data, const storage::table& owner, std::uint32_t column,
                     const column_copy& copy) noexcept;
// True if the entities of a store, or all links, are those of the last state. Values of sparse ids
// are written without notice.
inline bool is_unwritten(const storage::sparse_store& store) noexcept {
    return store.is_unwritten() && !store.info();
}
inline bool is_unwritten(storage::link_store& links) noexcept {
    return links.listeners().is_unwritten() && !links.has_values();
}
// True if no record of an entity has changed since the last state.
bool are_entities_unwritten(const storage::store& data, const capture_memory& memory,
                            const world_state& last) noexcept;
// Notes that the world has this state now. The next write to each table and store is noted.
void note_state(storage::store& data, capture_memory& memory,
                const std::shared_ptr<const world_state>& state) noexcept;

// The present state without the ids that are set aside. Throws if memory is short, if a copy
// constructor throws, or if a value cannot be copied. Requires: no operation is under way, and no
// command is queued.
std::shared_ptr<world_state> capture_state(stage& world, capture_memory& memory,
                                           const transient_ids& aside);

}  // namespace kith::mutate
