// Save files with intent: parts that are changed, with checksums that fit again. The format is
// written down here a second time, from its description in docs/manual/saving-and-loading.md.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace file_forge {

inline std::uint64_t xxh64(std::string_view text, std::uint64_t seed) {
    constexpr std::uint64_t p[5] = {11400714785074694791ull, 14029467366897019727ull,
                                    1609587929392839161ull, 9650029242287828579ull,
                                    2870177450012600261ull};
    const auto* at = reinterpret_cast<const unsigned char*>(text.data());
    const unsigned char* end = at + text.size();
    auto word = [](const unsigned char* from, int bytes) {
        std::uint64_t value = 0;
        for (int i = 0; i < bytes; ++i) {
            value |= std::uint64_t{from[i]} << (8 * i);
        }
        return value;
    };
    auto round = [&](std::uint64_t lane, std::uint64_t input) {
        return std::rotl(lane + input * p[1], 31) * p[0];
    };
    std::uint64_t hash = seed + p[4];
    if (end - at >= 32) {
        std::uint64_t lane[4] = {seed + p[0] + p[1], seed + p[1], seed, seed - p[0]};
        for (; end - at >= 32; at += 32) {
            for (int i = 0; i < 4; ++i) {
                lane[i] = round(lane[i], word(at + 8 * i, 8));
            }
        }
        hash = std::rotl(lane[0], 1) + std::rotl(lane[1], 7) + std::rotl(lane[2], 12) +
               std::rotl(lane[3], 18);
        for (std::uint64_t one : lane) {
            hash = (hash ^ round(0, one)) * p[0] + p[3];
        }
    }
    hash += text.size();
    for (; end - at >= 8; at += 8) {
        hash = std::rotl(hash ^ round(0, word(at, 8)), 27) * p[0] + p[3];
    }
    if (end - at >= 4) {
        hash = std::rotl(hash ^ word(at, 4) * p[0], 23) * p[1] + p[2];
        at += 4;
    }
    for (; at != end; ++at) {
        hash = std::rotl(hash ^ *at * p[4], 11) * p[0];
    }
    hash = (hash ^ hash >> 33) * p[1];
    hash = (hash ^ hash >> 29) * p[2];
    return hash ^ hash >> 32;
}

// Writes checksums that fit, as far as the parts of the file can be followed.
inline void repair(std::string& file) {
    auto put = [&](std::size_t at, std::uint64_t value) { std::memcpy(&file[at], &value, 8); };
    if (file.size() < 64) {
        return;
    }
    put(56, xxh64(std::string_view(file).substr(0, 56), 0));
    for (std::size_t at = 64; at + 24 <= file.size();) {
        std::uint64_t size = 0;
        std::memcpy(&size, &file[at + 8], 7);  // the byte above says that the part is packed
        if (size > file.size() - at - 24) {
            return;
        }
        const std::string_view view(file);
        put(at + 16, xxh64(view.substr(at + 24, size), xxh64(view.substr(at, 16), 0)));
        at += 24 + size;
    }
}

}  // namespace file_forge
