// What relationships forbid: cycles, targets outside of a scope, bases that are final, ids without
// those that must come along. Each check throws an error that names the offender, and changes
// nothing.
//
// Covered by tests/core/traits/acyclic_test.cpp.
#pragma once

#include "mutate/stage.hpp"
#include "traits/traits.hpp"

namespace kith::mutate {

// All that one step changes, though it is made piece by piece: an entity gets or loses several ids,
// others come with them, and symmetric pairs change at both ends. While it is there, the checks
// below take what goes in the same step for gone, and a parent that comes for there.
class staged_change {
public:
    explicit staged_change(stage& world) noexcept : world_(world), outer_(world.pending) {
        world.pending = this;
    }
    ~staged_change() { world_.pending = outer_; }
    staged_change(const staged_change&) = delete;
    staged_change& operator=(const staged_change&) = delete;

    void gain(entity_t entity, id_t id);
    void lose(entity_t entity, id_t id);

    bool begins(entity_t holder, id_t id) const noexcept;
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
// The entity is what the id consists of, or a part of that.
bool has_element(id_t id, entity_t element) noexcept;
// The entity has the id, and loses it in a step that is being made.
bool is_staged_removal(const stage& world, entity_t holder, id_t id) noexcept;

// Throws if the entity may not get this pair. 0: a new entity.
void check_pair(const stage& world, entity_t entity, const storage::id_info& pair);
// Throws if the entity is in use as a target that must be a child of `parent`.
void check_leaves(const stage& world, entity_t entity, entity_t parent);
// "The entity cannot lose the id while it has the other."
[[noreturn]] void raise_required(const stage& world, entity_t entity, id_t lost, id_t kept);
// Throws if something that the entity has and keeps needs one of the ids that it is about to lose.
void check_not_required(const stage& world, entity_t entity, const id_t* removed,
                        std::uint32_t count);

// Throws if what exists contradicts traits that a component or relationship is about to get, with
// the type that it is about to have itself.
void check_new_traits(const stage& world, entity_t element, std::uint32_t before,
                      std::uint32_t after, const storage::table& type_after);
// Throws if an entity has `element` but not what `implied` adds to it, as (With, brought) demands.
void check_new_with(const stage& world, entity_t element, entity_t implied);
// Throws if OneOf will demand children of another scope, with the type that the relation is about
// to have, and a pair of it has another target. Entities that are being deleted do not count.
void check_new_scope(const stage& world, entity_t relation, const storage::table& type_after);

}  // namespace kith::mutate
