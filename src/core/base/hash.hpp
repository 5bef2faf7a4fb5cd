// Hash functions for ids, lists of ids and texts. Ids often differ only in their low or only in
// their high bits, so mix() and hash_text() let every input bit affect every output bit.
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

// Adds a value to the hash of a sequence. The order of the values matters; mix() the final result.
constexpr std::uint64_t combine(std::uint64_t hash, std::uint64_t value) noexcept {
    return (hash ^ mix(value)) * 0x9E3779B97F4A7C15ull;
}

// A number for a text, which mix() makes a hash: one multiplication per 8 bytes. The last word
// overlaps the one before it, so the tail needs no loop over bytes unless the text is shorter than
// 4 bytes.
inline std::uint64_t fold_text(std::string_view text) noexcept {
    auto word = [](const char* first) {
        std::uint64_t value;
        std::memcpy(&value, first, 8);
        return value;
    };
    auto half = [](const char* first) {
        std::uint32_t value;
        std::memcpy(&value, first, 4);
        return std::uint64_t{value};
    };
    const std::size_t size = text.size();
    const char* next = text.data();
    std::uint64_t hash = 0x9E3779B97F4A7C15ull ^ size;
    for (std::size_t left = size; left > 8; left -= 8, next += 8) {
        hash = (hash ^ word(next)) * 0xFF51AFD7ED558CCDull;
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
    return hash ^ tail;
}
inline std::uint64_t hash_text(std::string_view text) noexcept {
    return mix(fold_text(text));
}

// Compares texts of any length, names of entities above all, without a call.
inline bool equal_texts(std::string_view a, std::string_view b) noexcept {
    const std::size_t size = a.size();
    if (size != b.size()) {
        return false;
    }
    const char* left = a.data();
    const char* right = b.data();
    if (size < 8) {
        for (std::size_t i = 0; i < size; ++i) {
            if (left[i] != right[i]) {
                return false;
            }
        }
        return true;
    }
    auto differ = [&](std::size_t at) {
        std::uint64_t x, y;
        std::memcpy(&x, left + at, 8);
        std::memcpy(&y, right + at, 8);
        return x != y;
    };
    for (std::size_t at = 0; at + 8 < size; at += 8) {
        if (differ(at)) {
            return false;
        }
    }
    return !differ(size - 8);
}

}  // namespace kith::base
