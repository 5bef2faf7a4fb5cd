// Properties of components and relationships: adding `Exclusive`, `Sparse`, a cleanup policy … to
// an entity changes what its ids mean. What exists already is brought in line, or the change is
// refused.
//
// Covered by tests/core/traits/late_properties_test.cpp.
#pragma once

#include "mutate/archetype_move.hpp"
#include "mutate/migrate.hpp"

#include <optional>

namespace kith::mutate {

// A component or relationship moves between types that differ in properties.
class property_change {
public:
    // Throws if what exists contradicts the new properties; makes room for what follows.
    property_change(stage& world, entity_t element, const storage::table& from,
                    const storage::table& to);

    // Pairs that were links go into tables.
    bool enters_tables() const noexcept { return (before_ & ~after_ & traits::trait_sparse) != 0; }
    // The element has moved: its ids mean something else from here on.
    void finish() noexcept;

private:
    void check_pairs(const storage::table& from, const storage::table& to);

    stage& world_;
    entity_t element_;
    std::uint32_t before_;
    std::uint32_t after_;
    std::optional<migration> migration_;
};

// Describes all records anew that have this element, after its type or traits changed.
void redescribe(stage& world, std::uint32_t element) noexcept;

}  // namespace kith::mutate
