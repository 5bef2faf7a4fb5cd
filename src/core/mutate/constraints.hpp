// Constraints of relationships: no cycles (Acyclic), targets within a scope (OneOf), no inheritance
// from final bases (Final), required companions (With). Each check throws an error that names the
// offender, and changes nothing. `staged_change` lists the changes of a step that is being made,
// which the checks take as made.
//
// Covered by tests/features/relationships/acyclic_test.cpp.
#pragma once

#include "mutate/stage.hpp"
#include "traits/traits.hpp"

namespace kith::mutate {

// The changes of one step, though they are made one after the other: an entity gains or loses
// several ids, other ids are implied, and symmetric pairs change at both ends. During the lifetime
// of the object, the checks below take ids that the step removes for removed, and a parent that the
// step adds for added. Staged changes nest (world.pending is the innermost).
//
// Invariants
// 1. `gained_` lists each change once, with all that it implies; the entities lack the ids.
// 2. `lost_` lists both ends of symmetric pairs.
class staged_change {
public:
    explicit staged_change(stage& world) noexcept : world_(world), outer_(world.operation.staged) {
        world.operation.staged = this;
    }
    ~staged_change() { world_.operation.staged = outer_; }
    staged_change(const staged_change&) = delete;
    staged_change& operator=(const staged_change&) = delete;

    // Adds a change to the step: the id, the ids that it implies, the exclusive pairs that it
    // replaces, and the inverses.
    void gain(entity_t entity, id_t id);
    // Adds a removal to the step, with the inverse of a symmetric pair.
    void lose(entity_t entity, id_t id);

    // True if the entity gains the id in this step.
    bool begins(entity_t holder, id_t id) const noexcept;
    // True if the entity loses the id in this step.
    bool ends(entity_t holder, id_t id) const noexcept;
    const staged_change* outer() const noexcept { return outer_; }

private:
    struct change {
        entity_t entity;
        id_t id;
        friend bool operator==(const change&, const change&) = default;
    };
    using changes = containers::small_vec<change, 16>;
    void gain_one(change gained);

    stage& world_;
    const staged_change* outer_;
    changes lost_{world_.data.mem, containers::purpose::commands};
    changes gained_{world_.data.mem, containers::purpose::commands};
};
// True if the entity is the id itself or an element of the pair.
bool has_element(id_t id, entity_t element) noexcept;
// True if the entity loses the id in a step that is being made, or with the running deletion.
bool is_staged_removal(const stage& world, entity_t holder, id_t id) noexcept;

// Throws if the entity may not get this pair. `entity` is 0 for an entity that is about to be
// created.
void check_pair(const stage& world, entity_t entity, const storage::id_info& pair);
// Throws if the entity is the target of a pair that demands (OneOf) that it is a child of `parent`.
void check_leaves(const stage& world, entity_t entity, entity_t parent);
// Throws: "entity … cannot lose … while it has …".
[[noreturn]] void raise_required(const stage& world, entity_t entity, id_t lost, id_t required_by);
// Throws if an id that the entity keeps requires (With) one of the ids that it is about to lose.
void check_not_required(const stage& world, entity_t entity, const id_t* removed,
                        std::uint32_t count);

// Throws if existing pairs contradict the traits that a component or relationship is about to get.
// `type_after` is the table that the element itself is about to have.
void check_new_traits(const stage& world, entity_t element, std::uint32_t before,
                      std::uint32_t after, const storage::table& type_after);
// Throws if an entity has `element` without `implied`: (With, implied) is about to demand both.
void check_new_with(const stage& world, entity_t element, entity_t implied);
// Throws if an existing pair of the relation has a target outside of the scope that OneOf is about
// to demand. `type_after` is the table that the relation is about to have. Entities that are being
// deleted do not count.
void check_new_scope(const stage& world, entity_t relation, const storage::table& type_after);

}  // namespace kith::mutate
