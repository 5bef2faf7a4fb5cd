// Indexes on members: the functions by which the core sorts values that it has no descriptions of.
// Implemented by src/values.
#pragma once

#include <kith/component.hpp>
#include <kith/description.hpp>

#include <vector>

namespace kith::detail {

struct value_rows;

// Keys from the first to the last, both included.
struct key_interval {
    std::uint64_t first;
    std::uint64_t last;
};

// The key of an index: a number for each value, by which entities are sorted. Values in the order
// of the comparison have keys in that order, or (`is_hash`) equal values have equal keys. Different
// values may share a key: who finds an entity by a key compares its value, too.
struct value_key {
    entity_t component = 0;
    // The part that is read: values of this kind at this offset in each value of the component.
    std::uint32_t offset = 0;
    kind stored = kind::none;
    bool is_hash = false;
    const char* path = "";  // of the member, for messages

    // Stores the keys of values. The result has a bit for each value that has a key; a value
    // without one (NaN) passes no comparison that the index serves. Requires: at most 64 values.
    std::uint64_t (*read)(const value_key& key, const value_rows& values, std::uint32_t count,
                          std::uint64_t* keys) = nullptr;
    // Calls visit(context, key) for each key of one value. Set for indexes that no comparison uses:
    // their values have any number of keys, and `read` is null.
    void (*each)(const value_key& key, const void* value,
                 void (*visit)(void* context, std::uint64_t key), void* context) = nullptr;
    // Looks at all values before the keys of an index are read anew, to tell them apart better;
    // `first`: these are the first ones. Null: not needed.
    void (*survey)(value_key& key, const value_rows& values, std::uint32_t count,
                   bool first) = nullptr;
    void (*end)(value_key* key) noexcept = nullptr;
};

// Makes the key for a member. An error if the path leads nowhere, or to no number, enum, text or
// entity in a fixed place.
value_key* make_value_key(world_t* world, entity_t component, const indexed_member& member,
                          index_kind how);

}  // namespace kith::detail
