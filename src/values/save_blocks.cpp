// Packs and unpacks blocks (save_blocks.hpp).
#include "save_blocks.hpp"

#include <kith/detail/assert.hpp>

#include "save_format.hpp"

#include <algorithm>
#include <cstdlib>

#if defined(KITH_NO_ZSTD) || defined(__EMSCRIPTEN__) || defined(__wasi__) || defined(_WIN32)
#define KITH_LOADS_ZSTD 0
#else
#define KITH_LOADS_ZSTD 1
#include <dlfcn.h>
#endif

namespace kith::values {

namespace {

// A part that is packed: the size of the raw bytes (64 bits), then blocks. A block has a header of
// 12 bytes: raw size (32 bits), size (32 bits), method, width of planes, padding behind it (16
// bits).
constexpr std::size_t block_size = 65536;
constexpr std::size_t block_header_size = 12;
// Blocks are padded, so that no file of kith is refused for its ratio.
constexpr std::size_t most_packed_ratio = 900;
constexpr int zstd_level = 1;

enum class block_method : std::uint8_t { plain, zstd, planes };

// The functions of the library, as its version 1 declares them for ever.
struct zstd_library {
    std::size_t (*compress)(void* to, std::size_t room, const void* from, std::size_t size,
                            int level) = nullptr;
    std::size_t (*decompress)(void* to, std::size_t room, const void* from,
                              std::size_t size) = nullptr;
    std::size_t (*bound)(std::size_t size) = nullptr;
    unsigned (*is_error)(std::size_t result) = nullptr;
    bool is_complete() const noexcept { return compress && decompress && bound && is_error; }
};

zstd_library load_zstd() noexcept {
    zstd_library found;
#if KITH_LOADS_ZSTD
    // The library stays loaded until the process ends.
    void* library = nullptr;
    for (const char* name : {"libzstd.so.1", "libzstd.1.dylib"}) {
        library = library ? library : ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    if (library) {
        auto find = [&](auto& function, const char* name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
                ::dlsym(library, name));
        };
        find(found.compress, "ZSTD_compress");
        find(found.decompress, "ZSTD_decompress");
        find(found.bound, "ZSTD_compressBound");
        find(found.is_error, "ZSTD_isError");
    }
#endif
    return found;
}

// Null if there is none.
const zstd_library* find_zstd() noexcept {
    const char* wish = std::getenv("KITH_ZSTD");
    if (wish && std::string_view(wish) == "off") {
        return nullptr;
    }
    static const zstd_library library = load_zstd();
    return library.is_complete() ? &library : nullptr;
}

// Byte i of each thing, for all i: bytes that are alike come together. The rest, which is no whole
// thing, stays at the end.
void separate(const char* from, std::size_t size, std::size_t width, char* to) noexcept {
    const std::size_t count = size / width;
    for (std::size_t plane = 0; plane < width; ++plane) {
        for (std::size_t i = 0; i < count; ++i) {
            *to++ = from[i * width + plane];
        }
    }
    std::copy(from + count * width, from + size, to);
}
void join_planes(const char* from, std::size_t size, std::size_t width, char* to) noexcept {
    const std::size_t count = size / width;
    for (std::size_t plane = 0; plane < width; ++plane) {
        for (std::size_t i = 0; i < count; ++i) {
            to[i * width + plane] = *from++;
        }
    }
    std::copy(from, from + (size - count * width), to + count * width);
}

// Packs one block in the way that takes the least room.
class block_packer {
public:
    block_packer(const zstd_library& zstd, byte_writer& out) : zstd_(zstd), out_(out) {}

    void pack(std::string_view raw, bool planes, plane_widths widths) {
        raw_ = raw;
        method_ = block_method::plain;
        width_ = 0;
        best_.assign(raw);
        try_zstd(raw, block_method::zstd, 0);
        for (const std::uint8_t width : {widths.first, widths.second}) {
            if (planes && width > 1 && raw.size() > width) {
                separated_.resize(raw.size());
                separate(raw.data(), raw.size(), width, separated_.data());
                try_zstd(separated_, block_method::planes, width);
            }
        }
        write();
    }

private:
    void try_zstd(std::string_view bytes, block_method method, std::uint8_t width) {
        packed_.resize(zstd_.bound(bytes.size()));
        const std::size_t size =
            zstd_.compress(packed_.data(), packed_.size(), bytes.data(), bytes.size(), zstd_level);
        if (zstd_.is_error(size) == 0 && size < best_.size()) {
            packed_.resize(size);
            best_.swap(packed_);
            method_ = method;
            width_ = width;
        }
    }
    void write() {
        const std::size_t least = raw_.size() / most_packed_ratio;
        const std::size_t size = best_.size() + block_header_size;
        const std::size_t padding = size < least ? least - size : 0;
        KITH_ASSERT(padding <= 0xFFFF, "a block is small");
        out_.number(static_cast<std::uint32_t>(raw_.size()));
        out_.number(static_cast<std::uint32_t>(best_.size()));
        out_.number(static_cast<std::uint8_t>(method_));
        out_.number(width_);
        out_.number(static_cast<std::uint16_t>(padding));
        out_.raw(best_.data(), best_.size());
        out_.out().append(padding, '\0');
    }

    const zstd_library& zstd_;
    byte_writer& out_;
    std::string_view raw_;
    block_method method_ = block_method::plain;
    std::uint8_t width_ = 0;
    std::string best_;
    std::string packed_;
    std::string separated_;
};

struct block_header {
    explicit block_header(byte_reader& from)
        : raw(from.number<std::uint32_t>()),
          size(from.number<std::uint32_t>()),
          method(static_cast<block_method>(from.number<std::uint8_t>())),
          width(from.number<std::uint8_t>()),
          padding(from.number<std::uint16_t>()) {}

    std::uint32_t raw;
    std::uint32_t size;
    block_method method;
    std::uint8_t width;
    std::uint16_t padding;
};

// The next block, behind what `to` has. Its size was compared with the size that is left.
void unpack_block(byte_reader& from, std::size_t left, std::string& to, std::string& planes) {
    const auto [raw, size, method, width, padding] = block_header(from);
    if (raw == 0 || raw > std::min(left, block_size) || method > block_method::planes ||
        (method == block_method::planes) != (width > 1)) {
        from.fail("a block has an impossible size or method");
    }
    const char* bytes = from.raw(size);
    from.raw(padding);
    const std::size_t start = to.size();
    to.resize(start + raw);
    if (method == block_method::plain) {
        if (size != raw) {
            from.fail("a plain block has two sizes");
        }
        std::copy(bytes, bytes + raw, to.data() + start);
        return;
    }
    const zstd_library* zstd = find_zstd();
    if (!zstd) {
        from.fail(
            "it is compressed by zstd, and this program has no zstd: libzstd.so.1 cannot be "
            "loaded, or KITH_ZSTD is off");
    }
    planes.resize(raw);
    char* unpacked = method == block_method::zstd ? to.data() + start : planes.data();
    if (zstd->decompress(unpacked, raw, bytes, size) != raw) {
        from.fail("a block cannot be unpacked");
    }
    if (method == block_method::planes) {
        join_planes(planes.data(), raw, width, to.data() + start);
    }
}

}  // namespace

bool has_zstd() noexcept {
    return find_zstd() != nullptr;
}

std::string pack_blocks(std::string_view raw, bool planes, plane_widths widths) {
    KITH_ASSERT(has_zstd(), "parts are packed by zstd");
    std::string packed;
    byte_writer out(packed);
    out.number(std::uint64_t{raw.size()});
    block_packer packer(*find_zstd(), out);
    for (std::size_t at = 0; at < raw.size(); at += block_size) {
        packer.pack(raw.substr(at, block_size), planes, widths);
    }
    return packed;
}

std::string unpack_blocks(std::string_view packed, const unpack_limits& limits,
                          std::string_view part, std::uint64_t offset) {
    byte_reader from(packed, part, offset);
    const auto raw = from.number<std::uint64_t>();
    if (raw > limits.bytes || raw / limits.ratio > packed.size()) {
        from.fail("it would have " + std::to_string(raw) + " bytes, which is beyond the limits");
    }
    // Memory grows with the blocks that are there, not with the size that the part claims.
    std::string result;
    std::string planes;
    while (!from.at_end()) {
        unpack_block(from, static_cast<std::size_t>(raw) - result.size(), result, planes);
    }
    if (result.size() != raw) {
        from.fail("blocks are missing");
    }
    return result;
}

block_counts count_blocks(std::string_view packed) {
    byte_reader from(packed, "blocks", 0);
    from.raw(sizeof(std::uint64_t));
    block_counts counts;
    while (!from.at_end()) {
        const block_header block(from);
        ++(block.method == block_method::plain  ? counts.plain
           : block.method == block_method::zstd ? counts.zstd
                                                : counts.planes);
        from.raw(std::uint64_t{block.size} + block.padding);
    }
    return counts;
}

}  // namespace kith::values
