// Random programs of systems against the reference interpreter, and against themselves with other
// numbers of threads: the same world after each frame.
//
// KITH_SEED=n runs one program; KITH_SEEDS=n runs more.
#include <kith/kith.hpp>

#include "support/random_programs.hpp"
#include "support/schedule_reference.hpp"

#include <memory>

#include <doctest/doctest.h>

using namespace schedule_program;

namespace {

// The numbers of threads that are compared, as far as the library has threads.
constexpr int thread_counts[] = {1, 2, 4, 8};

template <class World>
bool set_threads(World& world, int count) {
    if constexpr (requires { world.set_threads(count); }) {
        world.set_threads(count);
        return true;
    } else {
        return count == 1;
    }
}

// A program that runs by the frames of kith.
class frames {
public:
    explicit frames(const program& given) : scene_(given) { system_maker(given, scene_).run(); }
    bool use_threads(int count) {
        scene_.delays = count > 1;
        return set_threads(scene_.world, count);
    }
    // Returns the message of the exception, or "".
    std::string run_frame(std::int64_t dt) {
        ++scene_.frame;
        try {
            scene_.world.progress(kith::nanoseconds{dt});
        } catch (const model_error& error) {
            return error.what();
        } catch (const kith::error& error) {
            return std::string("kith: ") + error.what();
        }
        return {};
    }
    const scene& shown() const { return scene_; }

private:
    scene scene_;
};

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

// The hashes of a run, one for each frame; none if the library has no threads.
std::vector<std::uint64_t> hashes_of(const program& given, int threads) {
    frames run(given);
    std::vector<std::uint64_t> hashes;
    if (run.use_threads(threads)) {
        for (const std::int64_t dt : given.frames) {
            run.run_frame(dt);
            hashes.push_back(run.shown().world.hash());
        }
    }
    return hashes;
}

struct silent_log {
    silent_log() {
        kith::set_log([](const char*, void*) {});
    }
    ~silent_log() { kith::set_log(nullptr); }
};

}  // namespace

TEST_SUITE("model.schedule") {
    TEST_CASE("frames do what the reference does") {
        const silent_log quiet;
        for (const std::uint64_t seed : random_programs::chosen_seeds(300)) {
            const program given = generator(seed).make();
            const std::string found = compare_with_reference(given);
            INFO("KITH_SEED=" << seed);
            REQUIRE_MESSAGE(found.empty(), found);
        }
    }

    TEST_CASE("the number of threads does not change the world") {
        const silent_log quiet;
        for (const std::uint64_t seed : random_programs::chosen_seeds(60)) {
            const program given = generator(seed).make();
            const std::vector<std::uint64_t> expected = hashes_of(given, 1);
            for (const int threads : thread_counts) {
                const std::vector<std::uint64_t> found = hashes_of(given, threads);
                INFO("KITH_SEED=" << seed << ", threads: " << threads);
                REQUIRE((found.empty() || found == expected));
            }
        }
    }
}
