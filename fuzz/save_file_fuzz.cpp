// Bytes as changes of a save file whose checksums are repaired: a file is refused, or the world has
// no broken invariant.
#include <kith/kith.hpp>
#include <kith/save.hpp>

#include "../tests/support/file_forge.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace {

struct Site {
    float x = 0;
    double y = 0;
};
struct Crew {
    std::vector<std::string> names;
    std::optional<int> limit;
    kith::handle captain;
};

std::string make_file() {
    kith::world world;
    kith::reflect<Site, Crew>();
    kith::entity likes = world.entity("likes").add(kith::Exclusive).add(kith::Sparse);
    kith::entity a = world.entity("a").set(Site{1, 2});
    kith::entity b = world.entity("b").child_of(a).add(likes, a);
    b.set(Crew{{"x", "yy"}, 3, a}).disable<Crew>();
    return kith::save_to_string(world);
}

}  // namespace

// Each four bytes are a change: a place in 24 bits and the byte there.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::string original = make_file();
    std::string file = original;
    for (std::size_t i = 0; i + 4 <= size && i < 64; i += 4) {
        const std::size_t place =
            std::size_t{data[i]} | std::size_t{data[i + 1]} << 8 | std::size_t{data[i + 2]} << 16;
        file[place % file.size()] = static_cast<char>(data[i + 3]);
    }
    file_forge::repair(file);
    kith::world target;
    try {
        kith::load_from_string(target, file);
    } catch (const kith::error&) {}
    target.check();
    return 0;
}
