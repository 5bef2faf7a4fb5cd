// Values with handles to entities that are about to be deleted. Handles whose member has a policy
// are found by an index of each component (storage/value_index.hpp), which the first deletion
// makes. Pairs, sparse components, and components of which much was written, are read as a whole.
// Worlds without such members pay nothing.
//
// Covered by tests/features/values/handles_test.cpp.
#pragma once

#include "mutate/context/stage.hpp"

#include <vector>

namespace kith::storage {
class value_index;
}

namespace kith::mutate {

// A value that holds a handle to an entity.
struct handle_use {
    entity_t target;
    entity_t holder;
    id_t id;
    entity_t component;  // of the value
    handle_policy action;
};

// The handles with a policy. Values without an index are read at the first call of each_use(),
// which keeps the handles to its entity; the second call reads them again and keeps all handles,
// sorted.
//
// Invariant: `read_` is sorted once `is_complete_` is set.
class handle_index {
public:
    explicit handle_index(stage& world) noexcept : world_(world) {}
    ~handle_index();
    handle_index(const handle_index&) = delete;
    handle_index& operator=(const handle_index&) = delete;

    // True if the world has handles with a policy.
    bool is_needed() const noexcept { return world_.deletion.handle_rules != nullptr; }
    // Calls visit(use) for the handles to the entity, in the order of their holders and ids.
    template <class Visit>
    void each_use(entity_t target, Visit&& visit) {
        find(target);
        for (const handle_use& use : found_) {
            visit(use);
        }
    }

private:
    using use_list = containers::vec<handle_use>;
    // An id whose values may have such handles.
    struct ruled_id {
        id_t id;
        entity_t component;
        storage::value_index* index;  // null: all values are read
    };

    // Makes found_ the handles to the entity.
    void find(entity_t target);
    void list_ids();
    void list_ids_of(entity_t component);
    storage::value_index* find_index(const storage::id_record& record, entity_t component);
    bool may_settle() const noexcept;
    void find_by_index(const ruled_id& by, entity_t target);
    void find_in_read_values(entity_t target);
    // Collect handles to `target`, or all handles if it is 0: in one value, in all values of an id,
    // in the values of all ids without an index.
    void collect_value(const ruled_id& by, entity_t holder, entity_t target, use_list& into);
    void collect_id(const ruled_id& by, entity_t target, use_list& into);
    void collect_all(entity_t target, use_list& into);

    stage& world_;
    containers::vec<ruled_id> ids_;
    use_list found_;
    use_list read_;
    std::vector<entity_t> candidates_;
    std::uint32_t searches_ = 0;
    bool is_complete_ = false;
};

}  // namespace kith::mutate
