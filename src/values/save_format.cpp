// Parts and checksums of save files (save_format.hpp).
#include "save_format.hpp"

#include <kith/detail/assert.hpp>

#include "raise.hpp"
#include "save_blocks.hpp"

#include <bit>
#include <cstring>

namespace kith::values {

namespace {

// Offsets of the header, in bytes: magic 0, version 8, order of bytes 12, flags 16, checksum of the
// bytes before it 56. The bytes between are zeros, for later versions.
constexpr std::size_t header_size = 64;
// Offsets of a part's header, in bytes: tag 0, number 4, size of the payload 8, checksum 16.
constexpr std::size_t part_header_size = 24;
// The size of a part has 56 bits; the byte above them says that the part is packed.
constexpr std::uint64_t part_size_mask = (std::uint64_t{1} << 56) - 1;
constexpr std::uint64_t part_packed = std::uint64_t{1} << 56;
// Smaller parts are not worth the work.
constexpr std::size_t least_packed = 128;
constexpr std::uint32_t byte_order = 0x01020304;
constexpr char magic[] = "KITHSAVE";

// The constants of XXH64, which are part of the format.
constexpr std::uint64_t prime1 = 0x9E3779B185EBCA87ull;
constexpr std::uint64_t prime2 = 0xC2B2AE3D27D4EB4Full;
constexpr std::uint64_t prime3 = 0x165667B19E3779F9ull;
constexpr std::uint64_t prime4 = 0x85EBCA77C2B2AE63ull;
constexpr std::uint64_t prime5 = 0x27D4EB2F165667C5ull;

// Reads a number at an address of any alignment. The caller has checked that the bytes exist.
template <class T>
T load_as(const char* from) noexcept {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

std::uint64_t hash_round(std::uint64_t lane, std::uint64_t input) noexcept {
    return std::rotl(lane + input * prime2, 31) * prime1;
}

std::uint64_t merge_lane(std::uint64_t hash, std::uint64_t lane) noexcept {
    return (hash ^ hash_round(0, lane)) * prime1 + prime4;
}

// The sum of blocks of 32 bytes; moves `at` behind them.
std::uint64_t hash_blocks(const char*& at, std::size_t size, std::uint64_t seed) noexcept {
    std::uint64_t lanes[4] = {seed + prime1 + prime2, seed + prime2, seed, seed - prime1};
    for (; size >= 32; size -= 32, at += 32) {
        lanes[0] = hash_round(lanes[0], load_as<std::uint64_t>(at));
        lanes[1] = hash_round(lanes[1], load_as<std::uint64_t>(at + 8));
        lanes[2] = hash_round(lanes[2], load_as<std::uint64_t>(at + 16));
        lanes[3] = hash_round(lanes[3], load_as<std::uint64_t>(at + 24));
    }
    std::uint64_t hash = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) +
                         std::rotl(lanes[3], 18);
    for (std::uint64_t lane : lanes) {
        hash = merge_lane(hash, lane);
    }
    return hash;
}

// The checksum of a part covers its header, too.
std::uint64_t part_checksum(const char* header, std::string_view payload) noexcept {
    return checksum(payload, checksum({header, 16}, 0));
}

// A tag for messages. Damaged files may have control characters in its place.
std::string printable_tag(const char* tag) {
    std::string text;
    for (int i = 0; i < 4; ++i) {
        text += tag[i] >= ' ' && tag[i] < 0x7F ? tag[i] : '?';
    }
    return text;
}

}  // namespace

// The steps are those of XXH64: blocks of 32 bytes, the rest by 8, 4 and 1, and a last mixing.
std::uint64_t checksum(std::string_view bytes, std::uint64_t seed) noexcept {
    const char* at = bytes.data();
    std::size_t left = bytes.size();
    std::uint64_t hash = seed + prime5;
    if (left >= 32) {
        hash = hash_blocks(at, left, seed);
        left %= 32;
    }
    hash += bytes.size();
    for (; left >= 8; left -= 8, at += 8) {
        hash ^= hash_round(0, load_as<std::uint64_t>(at));
        hash = std::rotl(hash, 27) * prime1 + prime4;
    }
    if (left >= 4) {
        hash ^= load_as<std::uint32_t>(at) * prime1;
        hash = std::rotl(hash, 23) * prime2 + prime3;
        left -= 4;
        at += 4;
    }
    for (; left != 0; --left, ++at) {
        hash ^= static_cast<unsigned char>(*at) * prime5;
        hash = std::rotl(hash, 11) * prime1;
    }
    hash = (hash ^ hash >> 33) * prime2;
    hash = (hash ^ hash >> 29) * prime3;
    return hash ^ hash >> 32;
}

void raise_damage(std::string_view part, std::uint64_t offset, const std::string& reason) {
    raise(errc::invalid_file, "save file, part " + std::string(part) + " at offset " +
                                  std::to_string(offset) + ": " + reason);
}

const char* byte_reader::raw(std::uint64_t size) {
    if (size > left()) {
        fail("it ends in the middle of a value");
    }
    const char* start = bytes_.data() + at_;
    at_ += size;
    return start;
}

std::uint32_t byte_reader::count(std::size_t least) {
    const auto value = number<std::uint32_t>();
    if (value > left() / (least != 0 ? least : 1)) {
        fail("a count of " + std::to_string(value) + " does not fit into the part");
    }
    return value;
}

void byte_reader::fail(const std::string& reason) const {
    raise_damage(part_, offset_ + at_, reason);
}

file_writer::file_writer(std::uint32_t flags, const packing& packed) : packed_(packed) {
    static_assert(std::endian::native == std::endian::little, "numbers are written as they are");
    bytes_.raw(magic, 8);
    bytes_.number(save_version);
    bytes_.number(byte_order);
    bytes_.number(flags);
    out_.resize(header_size - 8);
    bytes_.number(checksum(out_, 0));
}

// Size and checksum are unknown until end_part(), which fills in the 16 bytes that are zeros here.
void file_writer::begin_part(const char* tag) {
    KITH_ASSERT(part_ == 0, "one part is open at a time");
    part_ = out_.size();
    bytes_.raw(tag, 4);
    bytes_.number(number_++);
    out_.append(16, '\0');
}

void file_writer::end_part(std::size_t width) {
    KITH_ASSERT(part_ != 0, "a part that ends was begun");
    const std::size_t start = part_ + part_header_size;
    std::uint64_t method = 0;
    if (packed_.zstd && out_.size() - start >= least_packed) {
        const auto second = static_cast<std::uint8_t>(width < 256 && width != 8 ? width : 0);
        const std::string packed =
            pack_blocks(std::string_view(out_).substr(start), packed_.planes, {8, second});
        if (packed.size() < out_.size() - start) {
            out_.replace(start, std::string::npos, packed);
            method = part_packed;
        }
    }
    const std::uint64_t size = (out_.size() - start) | method;
    std::memcpy(out_.data() + part_ + 8, &size, 8);
    const std::uint64_t sum =
        part_checksum(out_.data() + part_, std::string_view(out_).substr(part_ + part_header_size));
    std::memcpy(out_.data() + part_ + 16, &sum, 8);
    part_ = 0;
}

std::string file_writer::finish() {
    begin_part("END.");
    end_part();
    return std::move(out_);
}

namespace {

// Returns the flags. The checksum is compared before the version, so that a damaged file is not
// reported as one of another version.
std::uint32_t read_header(std::string_view file) {
    if (file.size() < header_size || file.substr(0, 8) != std::string_view(magic, 8)) {
        raise_damage("header", 0, "this is no save file of kith");
    }
    if (load_as<std::uint64_t>(file.data() + header_size - 8) !=
        checksum(file.substr(0, header_size - 8), 0)) {
        raise_damage("header", 0, "the checksum differs");
    }
    const auto version = load_as<std::uint32_t>(file.data() + 8);
    if (version != save_version) {
        raise_damage("header", 8,
                     "the file has version " + std::to_string(version) +
                         ", and this program reads version " + std::to_string(save_version));
    }
    if (load_as<std::uint32_t>(file.data() + 12) != byte_order) {
        raise_damage("header", 12, "the order of bytes is unknown");
    }
    const auto flags = load_as<std::uint32_t>(file.data() + 16);
    if ((flags & ~known_save_flags) != 0) {
        raise_damage("header", 16, "the file has flags that this program does not know");
    }
    return flags;
}

}  // namespace

std::vector<file_part> read_parts(std::string_view file, std::uint32_t& flags,
                                  const unpack_limits& limits, std::deque<std::string>& unpacked) {
    flags = read_header(file);
    std::vector<file_part> parts;
    unpack_limits left = limits;
    std::size_t at = header_size;
    for (std::uint32_t number = 0;; ++number) {
        if (file.size() - at < part_header_size) {
            raise_damage("header", at, "the file is truncated");
        }
        const char* header = file.data() + at;
        const std::string tag = printable_tag(header);
        const auto size_word = load_as<std::uint64_t>(header + 8);
        const std::uint64_t size = size_word & part_size_mask;
        if (size > file.size() - at - part_header_size) {
            raise_damage(tag, at, "the file is truncated");
        }
        const std::string_view stored = file.substr(at + part_header_size, size);
        std::string_view payload = stored;
        if (load_as<std::uint64_t>(header + 16) != part_checksum(header, payload)) {
            raise_damage(tag, at, "the checksum differs");
        }
        // Each part is intact by itself here; numbers show that whole parts are missing or
        // exchanged.
        if (load_as<std::uint32_t>(header + 4) != number) {
            raise_damage(tag, at, "a part is missing or repeated");
        }
        const std::uint64_t method = size_word & ~part_size_mask;
        if (method == part_packed) {
            unpacked.push_back(unpack_blocks(payload, left, tag, at + part_header_size));
            payload = unpacked.back();
            left.bytes -= payload.size();
        } else if (method != 0) {
            raise_damage(tag, at, "the method of compression is unknown");
        }
        parts.push_back(
            {file.substr(at, 4), payload, at + part_header_size, stored, method == part_packed});
        at += part_header_size + size;
        if (tag == "END.") {
            break;
        }
    }
    if (at != file.size()) {
        raise_damage("END.", at, "something follows the end");
    }
    // The part END has no contents for the caller.
    parts.pop_back();
    return parts;
}

}  // namespace kith::values
