// Bytes as the text of a value: the first byte chooses the type. A text that is read has a
// canonical text, which reads back to itself; a text that is refused changes nothing.
#include <kith/kith.hpp>
#include <kith/value.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace {

enum class Color { Red, Green = 4 };
enum class Bits : unsigned { A = 1, B = 2, C = 4 };

struct Node {
    std::string name;
    double weight;
    std::vector<Node> children;
};
struct Everything {
    bool truth;
    char letter;
    std::int8_t small;
    std::uint64_t large;
    float real;
    Color color;
    Bits bits;
    std::map<std::string, int> map;
    std::set<int> set;
    std::optional<std::optional<int>> optional;
    std::variant<std::monostate, int, Node> choice;
    kith::handle entity;
    char name[8];
};

void require(bool holds, const char* what, const std::string& text) {
    if (!holds) {
        std::fprintf(stderr, "%s:\n%s\n", what, text.c_str());
        std::abort();
    }
}

template <class T>
void check(kith::world& world, std::string_view text) {
    T value{};
    const std::string before = kith::to_text(world, value);
    try {
        kith::from_text(world, value, text);
    } catch (const kith::error&) {
        require(kith::to_text(world, value) == before, "a refused text changed something", before);
        return;
    }
    const std::string written = kith::to_text(world, value);
    T again{};
    kith::from_text(world, again, written);
    require(kith::to_text(world, again) == written, "the canonical text is no fixed point",
            written);
}

}  // namespace

template <>
inline constexpr bool kith::is_flags<Bits> = true;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    kith::world world;
    world.entity("Known");
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    switch (data[0] % 4) {
        case 0:
            check<Everything>(world, text);
            break;
        case 1:
            check<Node>(world, text);
            break;
        case 2:
            check<std::vector<double>>(world, text);
            break;
        default:
            check<std::map<int, std::string>>(world, text);
            break;
    }
    return 0;
}
