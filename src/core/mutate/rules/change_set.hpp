// A change as a value: the ids that entities gain and lose in one operation, complete before
// anything is written. gain() and lose() expand a request by the implications of its ids
// (traits/implications.hpp): implied ids, replaced pairs, inverse pairs, and what follows from
// these.
//
// Operations expand a request, check it (rules/constraints.hpp) and commit it. During the checks
// the change is *staged*: the rules take it as made, so that an id may be lost together with the id
// that requires it.
//
// Covered by tests/unit/mutate/change_set_test.cpp and
// tests/features/relationships/acyclic_test.cpp.
#pragma once

#include "mutate/context/stage.hpp"
#include "traits/implications.hpp"

namespace kith::mutate {

using traits::id_buffer;
using traits::is_sparse;

// How an id change follows from the request.
enum class change_cause : std::uint8_t {
    requested,  // named by the request
    implied,    // implied (With) or replaced (Exclusive) by a change of the same entity
    inverse,  // follows from the change of an inverse pair (Symmetric), which is a step of its own
};

// An id that an entity gains or loses.
struct id_change {
    entity_t entity;
    storage::id_info id;
    change_cause cause;
};

// Invariants
// 1. The gains are closed under With, Exclusive and Symmetric, each id of an entity once; the
//    entities lack the ids.
// 2. The losses list both ends of symmetric pairs.
class change_set {
public:
    using changes = containers::small_vec<id_change, 8>;

    explicit change_set(storage::store& data) noexcept : data_(data) {}

    // Adds a gain, with the ids that it implies, the pairs that it replaces, and the inverses.
    void gain(entity_t entity, id_t id);
    // Adds a loss, with the inverse of a symmetric pair.
    void lose(entity_t entity, const storage::id_info& id,
              change_cause cause = change_cause::requested);

    const changes& gains() const noexcept { return gains_; }
    const changes& losses() const noexcept { return losses_; }
    // True if the entity gains or loses the id.
    bool gains(entity_t holder, id_t id) const noexcept { return contains(gains_, holder, id); }
    bool loses(entity_t holder, id_t id) const noexcept { return contains(losses_, holder, id); }
    // Collects the ids that the entity loses in the step of the request itself, without inverses.
    void collect_lost(entity_t entity, id_buffer& lost) const;

private:
    static bool contains(const changes& list, entity_t holder, id_t id) noexcept;
    void gain_one(entity_t entity, id_t id, change_cause cause);
    void expand(const id_change& gained);

    storage::store& data_;
    changes gains_{data_.mem, containers::purpose::commands};
    changes losses_{data_.mem, containers::purpose::commands};
};

// A change that is being made: the rules take it as made for the lifetime of this object. Staged
// changes nest; `operation_state::staged` is the innermost. Requires: the object ends before queued
// commands run.
class staged_change {
public:
    explicit staged_change(stage& world) noexcept
        : set(world.data), world_(world), outer_(world.operation.staged) {
        world.operation.staged = this;
    }
    ~staged_change() { world_.operation.staged = outer_; }
    staged_change(const staged_change&) = delete;
    staged_change& operator=(const staged_change&) = delete;

    const staged_change* outer() const noexcept { return outer_; }

    change_set set;

private:
    stage& world_;
    const staged_change* outer_;
};

// True if the entity gains the id in a change that is being made.
bool is_staged_gain(const stage& world, entity_t holder, id_t id) noexcept;
// True if the entity loses the id in a change that is being made, or with the running deletion.
bool is_staged_removal(const stage& world, entity_t holder, id_t id) noexcept;
// True if the running deletion removes the id from the holder: the deleted entity is the holder or
// an element of the id.
bool is_lost_by_deletion(const stage& world, entity_t holder, id_t id) noexcept;

// True if the entity is the id itself or an element of the pair.
bool has_element(id_t id, entity_t element) noexcept;
// Collects the targets of an exclusive relationship that the entity loses when it gets `added`.
void collect_replaced(const storage::store& data, entity_t entity, const storage::id_info& added,
                      id_buffer& replaced);

}  // namespace kith::mutate
