// The keys of indexes (include/kith/detail/value_index.hpp): numbers in the order of the values
// that they stand for, or hashes of them. Implemented in index_keys.cpp.
#pragma once

#include <kith/detail/value_index.hpp>

#include <bit>
#include <string>
#include <string_view>
#include <type_traits>

namespace kith::values {

// The number whose order among unsigned numbers is that of the value. Requires: no NaN.
template <class T>
constexpr std::uint64_t key_of_number(T value) noexcept {
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    if constexpr (std::is_floating_point_v<T>) {
        // Adding zero makes -0 the same as 0.
        const auto bits = std::bit_cast<std::uint64_t>(static_cast<double>(value) + 0.0);
        return bits & sign ? ~bits : bits | sign;
    } else if constexpr (std::is_signed_v<T>) {
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) ^ sign;
    } else {
        return value;
    }
}

// The key of one index. Texts have the eight bytes behind the beginning that all texts share, so
// that long names are told apart; a text without that beginning has the first or the last key.
struct index_keys : detail::value_key {
    const description* type = nullptr;  // of texts and entities
    std::string path_text;
    std::string beginning;  // of all texts at the last survey

    // True if the index is about this part of values.
    bool is_about(std::size_t part_offset, kind part) const noexcept;
    // Append the keys of the values between two keys, of the texts between two texts, and of those
    // for which `text how constant` holds. False if this index does not serve the comparison.
    bool append(std::uint64_t first, std::uint64_t last,
                std::vector<detail::key_interval>& into) const;
    bool append_between(std::string_view first, std::string_view last,
                        std::vector<detail::key_interval>& into) const;
    bool append(comparison how, std::string_view constant,
                std::vector<detail::key_interval>& into) const;

    std::uint64_t key_of_text(std::string_view text) const noexcept;
};

// The key of a hash index for equal values.
constexpr std::uint64_t hash_of_key(std::uint64_t key) noexcept {
    key = (key ^ (key >> 30)) * 0xBF58476D1CE4E5B9ull;
    key = (key ^ (key >> 27)) * 0x94D049BB133111EBull;
    return key ^ (key >> 31);
}

}  // namespace kith::values
