// Any bytes as a query: refused with an error that has a place, or a query that prints as text
// which is read back as the same one, and that can be run.
#include <kith/kith.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

struct small_world {
    small_world() {
        kith::entity likes = world.entity("Likes");
        kith::entity inside = world.entity("In").add(kith::Transitive);
        kith::entity sparse = world.entity("Owes").add(kith::Sparse);
        kith::entity previous;
        for (const char* name : {"A", "B", "C", "Tag", "parent", "my tag"}) {
            kith::entity made = world.entity();
            made.set_name(name);
            if (previous) {
                made.add(likes, previous).add(inside, previous).add(sparse, previous);
                made.add(previous);
            }
            previous = made;
        }
        world.entity("Child").child_of(previous).is_a(world.lookup("A"));
    }
    kith::world world;
};

[[noreturn]] void fail(const char* what, const std::string& text) {
    std::fprintf(stderr, "%s: %s\n", what, text.c_str());
    std::abort();
}

// A query may have very many results.
struct stop_after {
    mutable int left = 2000;
    bool stop_requested() const { return --left < 0; }
};

void run_and_print(const kith::world& world, const std::string& text) {
    const kith::filter<> query = world.filter(text.c_str());
    const std::string printed = query.str().c_str();
    const kith::filter<> again = world.filter(printed.c_str());
    if (printed != again.str().c_str()) {
        fail("printed differently", printed);
    }
    stop_after patience;
    query.iter().stop_on(patience).each([](kith::iter&, std::size_t) {});
    world.query(text.c_str());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static small_world known;
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        run_and_print(known.world, text);
    } catch (const kith::error& problem) {
        if (problem.code() != kith::errc::invalid_query && problem.code() != kith::errc::limit) {
            fail(problem.what(), text);
        }
    }
    return 0;
}
