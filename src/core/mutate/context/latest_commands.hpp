// An index of the last commands of a queue, by subject: finds by hash which command was the last to
// remove an id from an entity (by id, by pattern, or by replacing its target), or the last of
// another kind.
//
// Invariants
// 1. `index_` has one number for each entry; entries are unique by kind, entity and id.
// 2. `latest` >= `latest_other`, the order of the last command of an origin other than `origin`, or
//    none.
// 3. `shapes_` has the bit of each shape of pattern that put_taking() received, so that
//    last_taking() looks up only these.
//
// Covered by tests/unit/mutate/latest_commands_test.cpp.
#pragma once

#include <kith/id.hpp>

#include "containers/hash_index.hpp"
#include "containers/vec.hpp"

namespace kith::mutate {

// Orders of commands; each query takes constant time.
class latest_commands {
public:
    static constexpr std::int64_t none = -1;  // no such command

    // Notes a command. `kind` is a number that the caller chooses, except ~0. `origin` names the
    // origin of the command: last() can leave out commands of one origin; origin 0 is never left
    // out.
    void put(containers::memory& mem, std::uint32_t kind, entity_t entity, id_t id,
             std::uint64_t origin, std::uint32_t order);
    // The order of the last command whose origin is not `origin`, or none.
    std::int64_t last(std::uint32_t kind, entity_t entity, id_t id,
                      std::uint64_t origin = 0) const noexcept;

    // Notes a command that removes the ids that match the pattern from the entity, except `spared`.
    // Entity 0: from all entities. Pattern 0: all ids.
    void put_taking(containers::memory& mem, entity_t entity, id_t pattern, id_t spared,
                    std::uint32_t order);
    // The order of the last command that removed the id from the entity, or none.
    std::int64_t last_taking(entity_t entity, id_t id) const noexcept;

    void clear() noexcept;
    void release(containers::memory& mem) noexcept;

private:
    struct entry {
        std::uint32_t kind;
        entity_t entity;
        id_t id;
        std::uint64_t origin;
        std::int64_t latest;
        std::int64_t latest_other;  // of another origin
    };
    // The forms of patterns, each with a lookup of its own.
    enum shape : std::uint32_t { everything, exact, any_plain, of_first, to_second, any_pair };

    static shape shape_of(id_t pattern) noexcept;
    entry* find(std::uint32_t kind, entity_t entity, id_t id) const noexcept;

    containers::vec<entry> entries_;
    containers::hash_index index_;  // positions in entries_, plus one
    std::uint32_t shapes_ = 0;      // bits of the shapes in use
};

}  // namespace kith::mutate
