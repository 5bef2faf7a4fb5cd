// The bytes of save files: numbers and texts, and parts with checksums. All numbers are little
// endian.
//
// A file is a header of 64 bytes and parts. A part is a header of 24 bytes (tag, number, size,
// checksum) and its payload, which may be packed (save_blocks.hpp): then the highest byte of the
// size is 1. The last part has the tag END and ends the file, so that each
// truncation is seen.
#pragma once

#include <kith/error.hpp>

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace kith::values {

// The version of the format. read_parts() refuses files of any other version.
constexpr std::uint32_t save_version = 1;
constexpr std::uint32_t save_flag_part = 1;  // the file has a part of a world
constexpr std::uint32_t known_save_flags = save_flag_part;
// The part with attributes of members, which files of the same version may lack.
constexpr const char* attributes_tag = "XATR";

// XXH64 of a sequence of bytes.
std::uint64_t checksum(std::string_view bytes, std::uint64_t seed) noexcept;

// Throws [invalid_file] with the name of the part, the offset in the file (in bytes) and the
// reason.
[[noreturn]] void raise_damage(std::string_view part, std::uint64_t offset,
                               const std::string& reason);

// Appends numbers and texts to a string, which the caller owns and keeps alive. Memory is the only
// failure: std::bad_alloc leaves the string with a part of the bytes, and the whole file is given
// up.
class byte_writer {
public:
    explicit byte_writer(std::string& out) noexcept : out_(out) {}
    void raw(const void* bytes, std::size_t size) {
        out_.append(static_cast<const char*>(bytes), size);
    }
    // The bytes of the number in memory are those of the file: file_writer refuses to compile on
    // machines with another order of bytes.
    template <class T>
    void number(T value) {
        raw(&value, sizeof value);
    }
    // A text is its size in bytes (32 bits) and its bytes, without a zero at the end.
    void text(std::string_view value) {
        number(static_cast<std::uint32_t>(value.size()));
        raw(value.data(), value.size());
    }
    std::string& out() noexcept { return out_; }

private:
    std::string& out_;
};

// Reads one part. No byte outside of it is read, and no count is used before it was compared with
// the bytes that are left.
class byte_reader {
public:
    byte_reader(std::string_view bytes, std::string_view part, std::uint64_t offset) noexcept
        : bytes_(bytes), part_(part), offset_(offset) {}

    std::size_t left() const noexcept { return bytes_.size() - at_; }
    bool at_end() const noexcept { return left() == 0; }
    // The next `size` bytes, which have no alignment. Throws [invalid_file] if the part has fewer.
    const char* raw(std::uint64_t size);
    template <class T>
    T number() {
        T value;
        __builtin_memcpy(&value, raw(sizeof value), sizeof value);
        return value;
    }
    // The text refers to the bytes of the file and lives as long as these.
    std::string_view text() {
        const auto size = number<std::uint32_t>();
        return {raw(size), size};
    }
    // A count of things that have at least `least` bytes each.
    std::uint32_t count(std::size_t least);
    // Throws [invalid_file]. The message has the part and the offset of the next byte to be read.
    [[noreturn]] void fail(const std::string& reason) const;

private:
    std::string_view bytes_;
    std::string_view part_;
    std::uint64_t offset_;
    std::size_t at_ = 0;
};

// A part of a file that was checked.
struct file_part {
    std::string_view tag;
    std::string_view payload;
    std::uint64_t offset;     // of the payload
    std::string_view stored;  // the payload as it lies in the file
    bool packed;              // then `stored` has blocks

    // Readers do not share a position: each one begins with the first byte of the payload.
    byte_reader reader() const noexcept { return {payload, tag, offset}; }
};

struct plane_widths;
struct unpack_limits;

// The compression of a file.
struct packing {
    bool zstd = false;
    bool planes = false;
};

// Builds a file.
class file_writer {
public:
    explicit file_writer(std::uint32_t flags, const packing& packed = {});
    // Starts a part; the writer's bytes up to end_part() belong to it. `tag` has four characters.
    void begin_part(const char* tag);
    // `width`: the size of the things in the part, 0 if they have several. Parts that are worth it
    // are packed.
    void end_part(std::size_t width = 0);
    byte_writer& bytes() noexcept { return bytes_; }
    // Makes room for so many bytes more.
    void reserve(std::size_t bytes) { out_.reserve(out_.size() + bytes); }
    // Ends the file.
    std::string finish();

private:
    packing packed_;
    std::string out_;
    byte_writer bytes_{out_};
    std::size_t part_ = 0;  // where the open part begins
    std::uint32_t number_ = 0;
};

// The parts of a file, all of which are intact. Throws [invalid_file] otherwise. `unpacked` gets
// the payloads of packed parts, which the result refers to.
std::vector<file_part> read_parts(std::string_view file, std::uint32_t& flags,
                                  const unpack_limits& limits, std::deque<std::string>& unpacked);

}  // namespace kith::values
