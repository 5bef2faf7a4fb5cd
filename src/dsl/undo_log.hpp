// What loading a text has changed in a world, so that it can be taken back, the last first.
//
// Facts only add. What else changes with them is known before: the other side of a symmetric pair,
// the target that an exclusive one replaces, what comes along (With), the copies that a prefab's
// instance gets. Entities that may change in such ways are remembered with all their ids; an id
// that changes nothing else costs a few bytes.
//
// Covered by tests/dsl/world_text_undo_test.cpp.
#pragma once

#include <kith/world.hpp>

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace kith::dsl {

// A copy of a value that may be lost.
class saved_value {
public:
    // Throws if the type cannot be copied.
    saved_value(const entity& owner, id_t id);
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

class undo_log {
public:
    explicit undo_log(const world& world) : world_(world) {}

    // An entity was made.
    void made(entity_t entity) { steps_.push_back({entity, 0}); }
    // An id is going to be added to an entity that does not have it.
    void will_add(const entity& entity, id_t id);
    // One target at a time.
    bool is_exclusive(entity_t relation) { return (traits_of(relation) & exclusive) != 0; }
    std::size_t entities_made() const noexcept;

    // The world is as it was. Hooks run.
    void roll_back();

private:
    enum trait : std::uint8_t { exclusive = 1, symmetric = 2, with = 4, sparse = 8 };

    struct step {
        entity_t entity;
        id_t id;  // 0: the entity was made; 1: the last of `changes_` belongs to it
    };
    struct ids_before {
        entity_t entity;
        std::vector<id_t> ids;
    };
    // Of an addition that may change more than the one id.
    struct change {
        std::vector<ids_before> entities;
        std::unordered_set<entity_t> known;  // those in `entities`
        std::vector<saved_value> values;
        std::vector<entity_t> children;  // of an entity that becomes an instance
        bool instance = false;
    };
    // The sources of a pair, before one of them left.
    struct order {
        id_t pair;
        std::vector<entity_t> sources;
    };

    std::uint8_t traits_of(entity_t relation);
    bool is_plain(const entity& entity, id_t id);
    entity alive(std::uint64_t element) const { return world_.get_alive(element); }

    void remember(change& into, const entity& entity) const;
    // All that adding `id` may change, beginning with the entity itself.
    void collect(change& into, const entity& entity, id_t id);
    void collect_brought(std::vector<id_t>& ids);
    void collect_replaced(change& into, const entity& entity, entity_t relation);
    void collect_mirror(change& into, const entity& entity, id_t pair);
    void collect_instance(change& into, const entity& entity, const kith::entity& base,
                          std::vector<id_t>& ids);
    void collect_part(change& into, const entity& part);
    void remember_order(id_t pair);

    void undo(const change& done, entity_t subject);
    std::vector<id_t> gained_by(const ids_before& before) const;
    void remove_free(const ids_before& before) const;
    void add_lost(const ids_before& before) const;
    void remove_gained(const ids_before& before) const;
    void remove_in_order(kith::entity entity, std::vector<id_t>& ids) const;
    void delete_copies(const kith::entity& instance, const std::vector<entity_t>& kept) const;
    void restore_order(const order& before) const;
    void link_again(const std::vector<entity_t>& sources, id_t pair) const;

    kith::world world_;
    std::vector<step> steps_;
    std::vector<change> changes_;
    std::vector<order> orders_;
    std::unordered_set<id_t> ordered_;  // pairs in orders_
    std::unordered_map<entity_t, std::uint8_t> traits_;
};

}  // namespace kith::dsl
