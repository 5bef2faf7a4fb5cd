// What an entity has through its bases (IsA): found depth first, the bases of one entity in the
// order of its type, each base once.
//
// Covered by tests/core/api/inheritance_test.cpp.
#pragma once

#include "storage/find.hpp"

namespace kith::traits {

// Visits the bases of entities of a type, nearest first. A chain of single bases, which is what
// most programs have, takes no memory.
class base_walk {
public:
    base_walk(const storage::store& data, const detail::table_shape& type) noexcept
        : data_(data), type_(&type) {}
    ~base_walk();
    base_walk(const base_walk&) = delete;
    base_walk& operator=(const base_walk&) = delete;

    // The next base, 0 at the end.
    entity_t next() {
        if (!open_) [[likely]] {
            if (!(type_->flags & detail::shape_has_base)) {
                return 0;
            }
            std::int32_t first = detail::shape_wide & type_->flags
                                     ? storage::find_id(*type_, any_base)
                                     : detail::find_first_pair(*type_, IsA);
            bool single =
                first + 1 == type_->id_count || (type_->ids[first + 1] >> 32) != (any_base >> 32);
            if (single) [[likely]] {
                return visit(pair_second(type_->ids[first]));
            }
        }
        return next_of_many();
    }

private:
    static constexpr id_t any_base = make_pair(IsA, Wildcard);

    entity_t visit(std::uint32_t index) noexcept {
        const storage::entity_record& record = data_.entities.at(index);
        type_ = &data_.tables.at(record.table);
        return make_entity_id(index, static_cast<std::uint16_t>(record.state));
    }
    entity_t next_of_many();
    void open_type();

    struct branches;  // what is still to be visited, once some type had several bases

    const storage::store& data_;
    const detail::table_shape* type_;  // whose bases come next
    branches* open_ = nullptr;
};

// The base that an entity inherits an id (or one of those that a pattern stands for) from, 0 if
// there is none. The entity must not have it itself. Ids that are not to be inherited are not
// found; the nearest pair of an exclusive relationship, the entity's own too, hides others behind
// it.
entity_t find_base(const storage::store& data, const storage::entity_record& record,
                   entity_t entity, id_t pattern);

}  // namespace kith::traits
