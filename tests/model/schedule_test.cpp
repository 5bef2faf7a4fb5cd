// Random programs of systems against the reference interpreter: the same world after each frame.
//
// KITH_SEED=n runs one program; KITH_SEEDS=n runs more.
#include "support/random_programs.hpp"
#include "support/sanitized.hpp"
#include "support/schedule_frames.hpp"
#include "support/schedule_reference.hpp"

#include <string>

#include <doctest/doctest.h>

using namespace schedule_program;

namespace {

// The first difference between two descriptions, with some lines around.
std::string difference(const std::string& one, const std::string& other) {
    std::size_t at = 0;
    while (at < one.size() && at < other.size() && one[at] == other[at]) {
        ++at;
    }
    const std::size_t begin = at > 200 ? at - 200 : 0;
    return "reference: …" + one.substr(begin, 400) + "\nkith:      …" + other.substr(begin, 400);
}

// Empty if the frames do what the reference does.
std::string compare_with_reference(const program& given) {
    reference expected(given);
    frames tested(given);
    for (std::size_t frame = 0; frame < given.frames.size(); ++frame) {
        const std::string error = expected.run_frame(given.frames[frame]);
        const std::string thrown = tested.run_frame(given.frames[frame]);
        const std::string where = "frame " + std::to_string(frame + 1) + ", order" +
                                  expected.order_text() + "\n" + to_text(given);
        if (error != thrown) {
            return where + "thrown: '" + thrown + "', expected: '" + error + "'";
        }
        const std::string one = describe(expected.shown());
        const std::string other = describe(tested.shown());
        if (one != other) {
            return where + difference(one, other);
        }
    }
    return {};
}

}  // namespace

TEST_SUITE("model.schedule") {
    TEST_CASE("frames do what the reference does") {
        constexpr std::size_t usual = kith_test::is_sanitized ? 60 : 300;
        const silent_log quiet;
        for (const std::uint64_t seed : random_programs::chosen_seeds(usual)) {
            const program given = generator(seed).make();
            const std::string found = compare_with_reference(given);
            INFO("KITH_SEED=" << seed);
            REQUIRE_MESSAGE(found.empty(), found);
        }
    }
}
