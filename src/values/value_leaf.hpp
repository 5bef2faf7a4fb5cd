// Comparisons of single parts of values with constants. Numbers become intervals of the type in
// which they are stored, so that a comparison is exact, and a test of rows is a loop without
// branches.
#pragma once

#include <kith/description.hpp>
#include <kith/query_desc.hpp>

#include "index_keys.hpp"
#include "numbers.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kith::values {

// Tests parts at a fixed distance from each other.
class value_leaf {
public:
    value_leaf() = default;
    value_leaf(const value_leaf&) = delete;
    value_leaf& operator=(const value_leaf&) = delete;
    virtual ~value_leaf() = default;
    // The parts that pass, as bits. Requires: at most 64.
    virtual std::uint64_t mask(const std::byte* first, std::size_t stride,
                               std::uint32_t count) const = 0;
    // Appends the keys of the parts that pass. False if an index with such keys does not help.
    virtual bool find_keys(const index_keys&, std::vector<detail::key_interval>&) const {
        return false;
    }
};

// The constants of a comparison as text: `10`, `[1, 2]`, `3..5`. Null, with the reason, if values
// of the type cannot be compared so. `world`: where names of entities are looked up.
std::unique_ptr<value_leaf> make_leaf(world_t* world, const description& type, comparison how,
                                      std::string_view constants, std::string& fault);
// A leaf for numbers without a description.
std::unique_ptr<value_leaf> make_number_leaf(kind stored, comparison how,
                                             std::string_view constants, std::string& fault);

// The order of two parts, for comparisons between values. Unordered: one of them is NaN.
enum class part_order : std::uint8_t { less, equal, greater, unordered };
bool holds(comparison how, part_order order) noexcept;

}  // namespace kith::values
