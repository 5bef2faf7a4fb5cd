// The last command of a kind, by what it is about, found by hash: which command took an id from an
// entity, by name or by a pattern, or replaced its target.
//
// Covered by tests/core/mutate/latest_commands_test.cpp.
#pragma once

#include <kith/id.hpp>

#include "containers/hash_index.hpp"
#include "containers/vec.hpp"

namespace kith::mutate {

class latest_commands {
public:
    static constexpr std::int64_t none = -1;

    // `kind` is a number of the caller's choice. `by` names the origin of the command: last() can
    // leave out commands of one origin; origin 0 is never left out.
    void put(containers::memory& mem, std::uint32_t kind, entity_t entity, id_t id,
             std::uint64_t by, std::uint32_t order);
    // The order of the last command whose origin is not `by`.
    std::int64_t last(std::uint32_t kind, entity_t entity, id_t id,
                      std::uint64_t by = 0) const noexcept;

    // A command takes what the pattern stands for from the entity, but `spared`. Entity 0: from
    // all of them. Pattern 0: everything.
    void put_taking(containers::memory& mem, entity_t entity, id_t pattern, id_t spared,
                    std::uint32_t order);
    // The order of the last one that took the id from the entity.
    std::int64_t last_taking(entity_t entity, id_t id) const noexcept;

    void clear() noexcept;
    void release(containers::memory& mem) noexcept;

private:
    struct entry {
        std::uint32_t kind;
        entity_t entity;
        id_t id;
        std::uint64_t by;
        std::int64_t latest;
        std::int64_t latest_other;  // by another than `by`
    };
    enum shape : std::uint32_t { everything, exact, any_plain, of_first, to_second, any_pair };

    static shape shape_of(id_t pattern) noexcept;
    entry* find(std::uint32_t kind, entity_t entity, id_t id) const noexcept;

    containers::vec<entry> entries_;
    containers::hash_index index_;  // of entries_, by position plus one
    std::uint32_t shapes_ = 0;      // of patterns that were put, by bit
};

}  // namespace kith::mutate
