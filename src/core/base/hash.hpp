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

// One multiplication per 8 bytes; the tail is read as whole words that overlap.
inline std::uint64_t hash_text(std::string_view text) noexcept {
    auto word = [](const char* at) {
        std::uint64_t value;
        std::memcpy(&value, at, 8);
        return value;
    };
    auto half = [](const char* at) {
        std::uint32_t value;
        std::memcpy(&value, at, 4);
        return std::uint64_t{value};
    };
    const std::size_t size = text.size();
    const char* at = text.data();
    std::uint64_t hash = 0x9E3779B97F4A7C15ull ^ size;
    for (std::size_t left = size; left > 8; left -= 8, at += 8) {
        hash = (hash ^ word(at)) * 0xFF51AFD7ED558CCDull;
        hash ^= hash >> 32;
    }
    std::uint64_t tail = 0;
    if (size >= 8) {
        tail = word(text.data() + size - 8);
    } else if (size >= 4) {
        tail = half(text.data()) << 32 | half(text.data() + size - 4);
    } else {
        for (std::size_t i = 0; i < size; ++i) {
            tail = tail << 8 | static_cast<unsigned char>(text[i]);
        }
    }
    return mix(hash ^ tail);
}

}  // namespace kith::base
