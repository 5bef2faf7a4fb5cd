// Hashing. Ids often differ in their low or in their high bits only, so every bit must count.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace kith::base {

// A bijection that spreads all bits (the finisher of MurmurHash3).
constexpr std::uint64_t mix(std::uint64_t value) noexcept {
    value ^= value >> 33;
    value *= 0xFF51AFD7ED558CCDull;
    value ^= value >> 33;
    value *= 0xC4CEB9FE1A85EC53ull;
    return value ^ (value >> 33);
}

constexpr std::uint64_t combine(std::uint64_t hash, std::uint64_t value) noexcept {
    return (hash ^ mix(value)) * 0x9E3779B97F4A7C15ull;
}

inline std::uint64_t hash_text(std::string_view text) noexcept {
    std::uint64_t hash = 0x9E3779B97F4A7C15ull ^ text.size();
    const char* at = text.data();
    std::size_t left = text.size();
    for (; left >= 8; left -= 8, at += 8) {
        std::uint64_t word;
        std::memcpy(&word, at, 8);
        hash = combine(hash, word);
    }
    std::uint64_t word = 0;
    if (left != 0) {
        std::memcpy(&word, at, left);
    }
    return mix(combine(hash, word));
}

}  // namespace kith::base
