// Properties of components and relationships: adding `Exclusive`, `Sparse`, a cleanup policy … to
// an entity changes the meaning of its ids. Existing pairs and values are converted, or the change
// is refused.
//
// Covered by tests/features/relationships/late_properties_test.cpp.
#pragma once

#include "mutate/commit/migrate.hpp"
#include "mutate/context/stage.hpp"

#include <optional>

namespace kith::mutate {

// The change of a component or relationship between tables that differ in properties. The
// constructor checks and plans, finish() completes.
class property_change {
public:
    // Throws if existing pairs contradict the new properties; reserves memory for finish().
    property_change(stage& world, entity_t element, const storage::table& from,
                    const storage::table& to);

    // True if pairs that were links enter tables.
    bool enters_tables() const noexcept { return (before_ & ~after_ & traits::trait_sparse) != 0; }
    // Applies the new meaning of the ids. Requires: the element has moved to its new table.
    void finish() noexcept;

private:
    void check_pairs(const storage::table& from, const storage::table& to);

    stage& world_;
    entity_t element_;
    std::uint32_t before_;                // traits before the change
    std::uint32_t after_;                 // traits after the change
    std::optional<migration> migration_;  // if the storage changes
};

// Describes all records with this element again, after its type or traits changed.
void redescribe(stage& world, std::uint32_t element) noexcept;

}  // namespace kith::mutate
