// Random programs of systems on several numbers of threads, with delays at random: the same world
// and the same errors after each frame.
//
// KITH_SEED=n runs one program; KITH_SEEDS=n runs more.
#include "support/random_programs.hpp"
#include "support/sanitized.hpp"
#include "support/schedule_frames.hpp"

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

using namespace schedule_program;

namespace {

constexpr int thread_counts[] = {1, 2, 4, 8};

// The hash of the world, the log of its observers and the error of each frame.
using history = std::vector<std::pair<std::uint64_t, std::string>>;

history run_program(const program& given, int threads) {
    frames run(given);
    run.use_threads(threads);
    history found;
    for (const std::int64_t dt : given.frames) {
        std::string text = run.run_frame(dt);
        for (const std::string& line : run.shown().log) {
            text += ";" + line;
        }
        found.emplace_back(run.shown().world.hash(), std::move(text));
    }
    return found;
}

}  // namespace

TEST_SUITE("model.schedule_threads") {
    TEST_CASE("the number of threads does not change the world") {
        constexpr std::size_t usual = kith_test::is_sanitized ? 12 : 60;
        const silent_log quiet;
        for (const std::uint64_t seed : random_programs::chosen_seeds(usual)) {
            const program given = generator(seed).make(true);
            const history expected = run_program(given, 1);
            for (const int threads : thread_counts) {
                INFO("KITH_SEED=" << seed << ", threads: " << threads << "\n" << to_text(given));
                REQUIRE((run_program(given, threads) == expected));
            }
        }
    }
}
