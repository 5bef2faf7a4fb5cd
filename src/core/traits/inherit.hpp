// Inheritance: finds the ids that an entity has through its bases, the targets of its pairs
// (IsA, base). Bases are searched depth first, those of one entity in the order of its type, and
// each base is visited once.
//
// Covered by tests/features/prefabs/inheritance_test.cpp.
#pragma once

#include "graph/walk.hpp"

#include <memory>

namespace kith::traits {

// Visits the direct and indirect bases of the entities of one table, in the order of the search. A
// chain of single bases, the frequent case, allocates no memory. The world must not change while a
// walk is in use.
class base_walk {
public:
    base_walk(const storage::store& data, const detail::table_shape& type) noexcept
        : data_(data), type_(&type) {}

    // The next base, 0 at the end.
    entity_t next() {
        if (!open_) [[likely]] {
            if (!(detail::load_flags(*type_) & detail::shape_has_base)) {
                return 0;
            }
            std::int32_t first = detail::shape_wide & detail::load_flags(*type_)
                                     ? storage::find_id(*type_, detail::any_base)
                                     : detail::find_first_pair(*type_, IsA);
            bool single = first + 1 == type_->id_count ||
                          (type_->ids[first + 1] >> 32) != (detail::any_base >> 32);
            if (single) [[likely]] {
                return visit(pair_second(type_->ids[first]));
            }
        }
        return next_of_many();
    }

private:
    // Goes to a base: its bases are next.
    entity_t visit(std::uint32_t index) noexcept {
        const storage::entity_record& record = data_.entities.at(index);
        type_ = &data_.tables.at(record.table);
        return make_entity_id(index, static_cast<std::uint16_t>(record.state));
    }
    // The general step, used from the first type with several bases on.
    entity_t next_of_many();

    const storage::store& data_;
    const detail::table_shape* type_;  // the type of the last visited entity: its bases are next
    // Null while every type so far had a single base.
    std::unique_ptr<graph::depth_first> open_;
};

// The first base, in the order of the search, from which an entity inherits an id that the pattern
// matches; 0 if there is none. Requires: the entity itself has no id that the pattern matches. Ids
// with the property DontInherit are not inherited, nor are marks (Override). A pair of an exclusive
// relationship hides the pairs of bases that are searched later; a pair of the entity itself hides
// those of all bases.
entity_t find_base(const storage::store& data, const storage::entity_record& record,
                   entity_t entity, id_t pattern);

}  // namespace kith::traits
