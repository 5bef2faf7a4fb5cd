// A log of the changes that loading a text makes, by which they are rolled back in reverse order.
//
// A fact adds one id. Further changes follow from the properties of the id and are known before it
// is added (detail::each_effect), like the copies that an instance of a prefab gets. Entities that
// may change in these ways are recorded with all their ids; an id without further changes costs 16
// bytes.
//
// Invariants
// 1. steps_ are the changes in their order. The n-th step with the id `has_change` belongs to
//    changes_[n].
// 2. orders_ has each pair once, with its sources before the first change that removed one of them.
//
// Covered by tests/dsl/world_text_undo_test.cpp.
#pragma once

#include <kith/detail/effects.hpp>
#include <kith/detail/next_ids.hpp>
#include <kith/world.hpp>

#include <cstddef>
#include <memory>
#include <unordered_set>
#include <vector>

namespace kith::dsl {

// A copy of a value that a change may remove, and whether it was enabled.
class saved_value {
public:
    // Throws if the type cannot be copied.
    saved_value(const entity& owner, id_t id);
    // Sets the value, if the entity still owns the id.
    void restore(const world& world) const;

private:
    struct release {
        const type_info* info;
        void operator()(void* value) const noexcept;
    };
    entity_t owner_;
    id_t id_;
    bool enabled_;
    std::unique_ptr<void, release> value_;  // null: a tag
};

// Requires: all structural changes between construction and roll_back() are logged.
class undo_log {
public:
    explicit undo_log(const world& world)
        : world_(world), next_ids_(detail::save_next_ids(world)) {}

    // Called before an entity is created: the note about it cannot fail then.
    void will_create() {
        if (steps_.size() == steps_.capacity()) {
            steps_.reserve(2 * steps_.size() + 8);
        }
    }
    // An entity was created. Requires: will_create() was called.
    void note_created(entity_t entity) { steps_.push_back({entity, 0}); }
    // Called before an id is added to an entity that does not have it.
    void will_add(const entity& entity, id_t id);
    // Called before the value of an id is set that the entity has.
    void will_set(const entity& entity, id_t id);
    // True if an entity has at most one target of the relationship.
    bool is_exclusive(entity_t relation) const {
        return detail::has_one_target(world_.c_ptr(), relation);
    }
    std::size_t entities_made() const noexcept;

    // Restores the world: the ids of later entities, too. Hooks and observers run.
    void roll_back();

private:
    struct step {
        entity_t entity;
        id_t id;  // 0: the entity was created; 1: the last of changes_ belongs to the step
    };
    // The ids of an entity before a change, sorted.
    struct ids_before {
        entity_t entity;
        std::vector<id_t> ids;
    };
    // The state before an addition that may change more than the one id.
    struct change {
        std::vector<ids_before> entities;
        std::unordered_set<entity_t> known;  // the entities in `entities`
        std::vector<saved_value> values;     // that the change removes
        std::vector<entity_t> children;      // of an entity that becomes an instance
        bool instance = false;
    };
    // The sources of a pair in their order, before one of them was removed.
    struct order {
        id_t pair;
        std::vector<entity_t> sources;
    };

    entity alive(std::uint64_t element) const { return world_.get_alive(element); }

    // Records the ids of the entity, once.
    void remember(change& into, const entity& entity) const;
    // Records all entities that adding `id` may change, the entity first.
    void collect(change& into, const entity& entity, id_t id);
    void collect_effect(change& into, const detail::id_effect& effect, std::vector<id_t>& ids);
    void collect_instance(change& into, const entity& entity, const kith::entity& base,
                          std::vector<id_t>& ids);
    void collect_part(change& into, const entity& part);
    void remember_order(id_t pair);

    // Reverses a change: ids without a predecessor are removed, lost ids are added, the remaining
    // new ids are removed, values are restored.
    void undo(const change& done, entity_t subject);
    std::vector<id_t> gained_by(const ids_before& before) const;
    void remove_free(const ids_before& before) const;
    void add_lost(const ids_before& before) const;
    void remove_gained(const ids_before& before) const;
    void remove_in_order(kith::entity entity, std::vector<id_t>& ids) const;
    void delete_copies(const kith::entity& instance, const std::vector<entity_t>& children) const;
    void restore_order(const order& before) const;
    void link_again(const std::vector<entity_t>& sources, id_t pair) const;

    kith::world world_;
    detail::next_ids next_ids_;  // before the first change
    std::vector<step> steps_;
    std::vector<change> changes_;
    std::vector<order> orders_;
    std::unordered_set<id_t> ordered_;  // pairs in orders_
};

}  // namespace kith::dsl
