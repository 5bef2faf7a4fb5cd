// The holders of ids, for operations on all of them: delete_with() and remove_all().
//
// Covered by tests/features/relationships/cleanup_policies_test.cpp.
#pragma once

#include "base/scope_exit.hpp"
#include "mutate/rules/referrers.hpp"

namespace kith::mutate {

// The entities with ids that match a pattern. The constructor collects them.
struct holder_list {
    explicit holder_list(stage& world, id_t pattern) : data(world.data) {
        base::scope_exit undo([&] { entities.release(data.mem, containers::purpose::commands); });
        collect_holders(world, pattern, entities);
        undo.release();
    }
    ~holder_list() { entities.release(data.mem, containers::purpose::commands); }
    holder_list(const holder_list&) = delete;
    holder_list& operator=(const holder_list&) = delete;

    storage::store& data;
    containers::vec<entity_t> entities;
};

// True if delete_with() or remove_all() applies to the holder. A wildcard stands for entities of
// the program: builtins, C++ types and the constants of their enums must be named.
inline bool is_selected(const storage::store& data, id_t pattern, entity_t holder) noexcept {
    if (!is_wildcard(pattern)) {
        return true;
    }
    const entity_t parent = storage::parent_of(data, holder);
    const bool constant =
        parent != 0 && index_of(parent) < first_entity &&
        storage::owns_id(data, data.entities.at(index_of(parent)), parent, EnumType);
    return index_of(holder) >= first_entity && !constant;
}

}  // namespace kith::mutate
