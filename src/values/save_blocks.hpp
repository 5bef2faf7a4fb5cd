// Compressed parts of save files: blocks of 64 KiB, each plain, by zstd, or by zstd behind a
// separation into planes of bytes.
//
// The library of the system is loaded when it is needed first: programs without it read and write
// all other files. The environment variable KITH_ZSTD=off keeps it from being loaded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kith::values {

// True if blocks can be compressed and unpacked in this process.
bool has_zstd() noexcept;

// The sizes of things in a part, in bytes: planes are of one of them.
struct plane_widths {
    std::uint8_t first = 8;
    std::uint8_t second = 0;  // 0: none
};

// Requires: has_zstd(). Without `planes`, blocks are not separated.
std::string pack_blocks(std::string_view raw, bool planes, plane_widths widths);

// Limits of what a file may become in memory.
struct unpack_limits {
    std::uint64_t bytes = std::uint64_t{16} << 30;
    std::uint64_t ratio = 1000;
};
// Throws [invalid_file] for damage, beyond the limits, and without zstd. `part` and `offset` are
// for messages.
std::string unpack_blocks(std::string_view packed, const unpack_limits& limits,
                          std::string_view part, std::uint64_t offset);

// The blocks of a packed part, by method.
struct block_counts {
    std::uint32_t plain = 0;
    std::uint32_t zstd = 0;
    std::uint32_t planes = 0;
};
// Requires: unpack_blocks() accepts the part.
block_counts count_blocks(std::string_view packed);

}  // namespace kith::values
