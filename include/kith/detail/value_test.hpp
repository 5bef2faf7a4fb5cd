// Tests of values in queries: the functions by which the core asks about values, and which
// src/values implements. The core knows no descriptions: a test is a function over rows of bytes.
#pragma once

#include <kith/description.hpp>
#include <kith/detail/atomic_number.hpp>
#include <kith/query_desc.hpp>

#include <string>
#include <vector>

namespace kith::detail {

struct key_interval;
struct value_key;

// Values at a fixed distance from each other; a stride of 0 is one value for all rows.
struct value_rows {
    const std::byte* first = nullptr;
    std::size_t stride = 0;
};

// One comparison. Immutable, and shared by the queries that have it.
struct value_test {
    mutable atomic_number owners{1};
    // The rows that pass, as bits. `right` are the values on the right side of the comparison, if
    // it has one. Requires: at most 64 rows.
    std::uint64_t (*mask)(const value_test& test, const value_rows& left, const value_rows& right,
                          std::uint32_t count) = nullptr;
    // Of `handle == $x`: the entity inside of the value; 0: none.
    entity_t (*handle)(const value_test& test, const void* value) = nullptr;
    // Appends the keys of the values that pass, if the index is about the compared part and serves
    // the comparison; false if not.
    bool (*find_keys)(const value_test& test, const value_key& key,
                      std::vector<key_interval>& into) = nullptr;
    void (*end)(const value_test* test) noexcept = nullptr;
    // For texts of queries: `.points`, and behind it ` < 10`, or ` < ` and the members of the other
    // value.
    const char* left_text = "";
    const char* operator_text = "";
    const char* right_text = "";

    void release() const noexcept {
        if (owners.decrement()) {
            end(this);
        }
    }
};

// A comparison that is to be made.
struct value_request {
    world_t* world = nullptr;
    entity_t component = 0;  // whose values stand on the left
    entity_t other = 0;      // and on the right; 0: constants
    const value_desc* desc = nullptr;
};
// Why a comparison was refused.
struct value_refusal {
    std::string message;
    bool is_right = false;   // the mistake is on the right side of the operator
    std::size_t offset = 0;  // in the path of the left side
};
// Null, with the reason, if the values cannot be compared so.
const value_test* make_value_test(const value_request& request, value_refusal& refusal);

// The kind of the values at the end of a path: none if the path leads nowhere, the inner kind of
// optionals, and with `contains` the kind of the elements of a list.
kind find_compared_kind(const world_t* world, entity_t component, const char* path, comparison how);
// True if values of the component are compared as a whole: numbers, texts, entities, lists.
bool is_compared_as_whole(const world_t* world, entity_t component);

// A constant as the text of a value term.
std::string text_of_constant(const value_constant& constant);
std::string constant_text(std::uint64_t magnitude, bool negative);
std::string constant_text(double number);
std::string constant_text(text_view text);
std::string constant_text_of_entity(entity_t entity);

}  // namespace kith::detail
