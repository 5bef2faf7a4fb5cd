// Declaring a relationship with all of its properties in one step:
//
//   world.relation("DockedTo", {.exclusive = true, .on_delete_target = kith::Delete});
//
// Every field says the same as adding the property to the relationship's entity. Covered by
// tests/features/relationships/desc_test.cpp.
#pragma once

#include <kith/id.hpp>

namespace kith {

// The storage of pairs: dense pairs are part of the table, so that entities with the same target
// lie together; sparse pairs are links outside of the tables, so that changing a target moves no
// row. Written kith::storage::dense and kith::storage::sparse.
enum class storage_kind : std::uint8_t { dense, sparse };

namespace storage {
inline constexpr storage_kind dense = storage_kind::dense;
inline constexpr storage_kind sparse = storage_kind::sparse;
}  // namespace storage

// The properties of a relationship. Fields with their default value leave the relationship as it
// is. If a property is refused, no property is set.
struct relation_desc {
    bool exclusive = false;    // at most one target: adding another replaces it
    bool tag = false;          // pairs have no values, also if an element is a type with data
    bool symmetric = false;    // each pair has its inverse: the target has a pair to the source
    bool transitive = false;   // a to b and b to c says a to c
    bool reflexive = false;    // everything is related to itself
    bool acyclic = false;      // a pair that would close a cycle is an error
    bool traversable = false;  // can be searched upwards; implies acyclic
    bool final = false;        // nothing inherits from the relationship itself
    bool dont_inherit = false;
    bool transient = false;  // pairs are not saved
    storage_kind storage = storage_kind::dense;
    // Remove, Delete or Panic: what happens to sources when the relationship, or their target, is
    // deleted.
    entity_t on_delete = 0;
    entity_t on_delete_target = 0;
    // (with, T) is added with every (relationship, T).
    entity_t with = 0;
    // Targets are children of this entity; This: of the relationship itself.
    entity_t one_of = 0;
};

}  // namespace kith
