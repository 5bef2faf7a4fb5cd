// Declaring a relationship with all of its properties in one step:
//
//   world.relation("DockedTo", {.exclusive = true, .on_delete_target = kith::Delete});
//
// Every field says the same as adding the property to the relationship's entity. Covered by
// tests/core/api/relation_desc_test.cpp.
#pragma once

#include <kith/id.hpp>

namespace kith {

// Where pairs are kept: in the tables, so that entities with the same target lie together, or
// beside them, so that changing the target moves nothing.
// Written kith::storage::dense and kith::storage::sparse.
enum class storage_kind : std::uint8_t { dense, sparse };

namespace storage {
inline constexpr storage_kind dense = storage_kind::dense;
inline constexpr storage_kind sparse = storage_kind::sparse;
}  // namespace storage

// What is not said stays as it is. All or nothing: if one property cannot be had, none is set.
struct relation_desc {
    bool exclusive = false;    // at most one target: adding another replaces it
    bool tag = false;          // pairs have no values, whatever their elements are
    bool symmetric = false;    // whoever is a target is a source, too
    bool transitive = false;   // a to b and b to c says a to c
    bool reflexive = false;    // everything is related to itself
    bool acyclic = false;      // a pair that would close a cycle is an error
    bool traversable = false;  // can be searched upwards; implies acyclic
    bool final = false;        // nothing inherits from the relationship itself
    bool dont_inherit = false;
    bool transient = false;  // left out of what is saved
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
