// Snapshots between the frames of random programs of systems: after a restore the next frames are
// the same as before, on any number of threads.
//
// KITH_SEED=n runs one program; KITH_SEEDS=n runs more.
#include <kith/diff.hpp>

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

history run_frames(frames& run, const program& given, std::size_t first) {
    run.return_to(static_cast<int>(first));
    history found;
    for (std::size_t frame = first; frame < given.frames.size(); ++frame) {
        std::string text = run.run_frame(given.frames[frame]);
        for (const std::string& line : run.shown().log) {
            text += ";" + line;
        }
        const kith::world& world = run.shown().world;
        text += ";" + std::to_string(world.get_info()->frame_count_total) + ";" +
                std::to_string(world.get_info()->world_time_ns);
        found.emplace_back(world.hash(), std::move(text));
    }
    return found;
}

// Runs frames up to the first one, then the others again and again from a snapshot. C++ types that
// the first pass has used first stay known, so that hashes are compared from the second pass on.
void check_program(const program& given, int threads, std::size_t first) {
    frames run(given);
    run.use_threads(threads);
    for (std::size_t frame = 0; frame < first; ++frame) {
        run.run_frame(given.frames[frame]);
    }
    const kith::world& world = run.shown().world;
    const kith::snapshot taken = world.snapshot().take();
    const history seen = run_frames(run, given, first);
    taken.restore();
    const std::uint64_t hash = world.hash();
    const history expected = run_frames(run, given, first);
    const kith::snapshot end = world.snapshot().take();
    for (std::size_t i = 0; i < seen.size(); ++i) {
        REQUIRE(seen[i].second == expected[i].second);
    }
    for (int again = 0; again < 2; ++again) {
        taken.restore();
        world.check();
        REQUIRE(world.hash() == hash);
        REQUIRE((run_frames(run, given, first) == expected));
    }
    taken.restore();
    end.restore();
    REQUIRE(world.hash() == expected.back().first);
    world.check();
}

// A ring of all frames: from each of them the world comes to the same end.
void check_ring(const program& given, int threads) {
    frames run(given);
    run.use_threads(threads);
    const kith::world& world = run.shown().world;
    const kith::snapshot start = world.snapshot().take();
    run_frames(run, given, 0);
    start.restore();
    kith::rollback ring(world, given.frames.size());
    auto run_from = [&](std::size_t first) {
        run.return_to(static_cast<int>(first));
        for (std::size_t frame = first; frame < given.frames.size(); ++frame) {
            ring.save(frame);
            run.run_frame(given.frames[frame]);
        }
        return world.hash();
    };
    const std::uint64_t end = run_from(0);
    for (std::size_t back = 1; back <= given.frames.size(); ++back) {
        REQUIRE(ring.load(given.frames.size() - back));
        REQUIRE(run_from(given.frames.size() - back) == end);
    }
}

}  // namespace

TEST_SUITE("model.snapshot_frames_threads") {
    // spec 564
    TEST_CASE("frames behind a restore are those behind the take") {
        constexpr std::size_t usual = kith_test::is_sanitized ? 6 : 40;
        const silent_log quiet;
        for (const std::uint64_t seed : random_programs::chosen_seeds(usual)) {
            const program given = generator(seed).make(seed % 2 == 0);
            for (const int threads : thread_counts) {
                INFO("KITH_SEED=" << seed << ", threads: " << threads << "\n" << to_text(given));
                check_program(given, threads, seed % 6);
            }
        }
    }

    // spec 574
    TEST_CASE("a ring of frames leads to the same end from each of them") {
        constexpr std::size_t usual = kith_test::is_sanitized ? 4 : 20;
        const silent_log quiet;
        for (const std::uint64_t seed : random_programs::chosen_seeds(usual)) {
            const program given = generator(seed).make(true);
            for (const int threads : thread_counts) {
                INFO("KITH_SEED=" << seed << ", threads: " << threads << "\n" << to_text(given));
                check_ring(given, threads);
            }
        }
    }
}
