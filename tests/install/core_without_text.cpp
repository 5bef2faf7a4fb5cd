// A program that links kith::core alone: queries work, and text is refused with an error.
#include <kith/kith.hpp>

#include <cstdio>
#include <cstdlib>

int main() {
    // spec 156
    kith::world world;
    kith::entity tag = world.entity("Tag");
    world.entity("Thing").add(tag);
    if (world.filter_builder().with("Tag").build().count() != 1) {
        return EXIT_FAILURE;
    }
#if defined(__cpp_exceptions)
    try {
        world.filter("Tag, !Thing");
    } catch (const kith::error& problem) {
        std::puts(problem.what());
        return problem.code() == kith::errc::invalid_query ? EXIT_SUCCESS : EXIT_FAILURE;
    }
#else
    kith::set_error_handler([](kith::errc code, const char* message) {
        std::puts(message);
        std::_Exit(code == kith::errc::invalid_query ? EXIT_SUCCESS : EXIT_FAILURE);
    });
    world.filter("Tag, !Thing");
#endif
    return EXIT_FAILURE;
}
