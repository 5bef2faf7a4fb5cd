// Random programs of timers, rates, scales and pauses, compared with a model in exact rational
// numbers. The model follows the manual: it knows moments and sums, no counters that wrap.
#include <kith/kith.hpp>

#include "support/random_programs.hpp"

#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

// A rational number of nanoseconds. Denominators are small powers of two, those of the scales.
class exact {
public:
    exact(std::int64_t number = 0, std::int64_t parts = 1) : number_(number), parts_(parts) {
        const std::int64_t common = std::gcd(number_, parts_);
        number_ /= common;
        parts_ /= common;
    }
    friend exact operator+(const exact& a, const exact& b) {
        const std::int64_t parts = std::lcm(a.parts_, b.parts_);
        return {a.number_ * (parts / a.parts_) + b.number_ * (parts / b.parts_), parts};
    }
    friend exact operator-(const exact& a, const exact& b) {
        return a + exact(-b.number_, b.parts_);
    }
    friend exact operator*(const exact& a, const exact& b) {
        return {a.number_ * b.number_, a.parts_ * b.parts_};
    }
    friend bool operator<(const exact& a, const exact& b) { return (a - b).number_ < 0; }
    friend bool operator==(const exact& a, const exact& b) = default;
    std::int64_t whole() const { return number_ / parts_; }  // of what is not negative

private:
    std::int64_t number_;
    std::int64_t parts_;
};

// The two times of a world.
struct moment {
    exact raw;
    exact scaled;
    const exact& of(bool is_scaled) const { return is_scaled ? scaled : raw; }
};

constexpr int none = -1;

struct model_source {
    // A timer: the interval, and the moments of the next and of the last tick.
    bool has_timer = false;
    bool single_shot = false;
    bool active = false;
    bool scaled = false;
    exact interval;
    exact due;
    exact timer_last;
    // A filter: ticks of its source since its last tick, and the moment of that.
    int rate = 0;  // 0: none
    int source = none;
    int count = 0;
    exact last;
    exact elapsed;  // of the last tick
    bool enabled = true;
    bool alive = true;
    bool ticks = false;
};

class model {
public:
    std::vector<model_source> sources;
    moment now;
    exact scale = 1;
    exact since_scale;  // scaled time, exactly, since the scale was set
    bool paused = false;
    int to_step = 0;

    void frame(std::int64_t duration) {
        const bool stands = paused && to_step == 0;
        to_step -= to_step > 0 ? 1 : 0;
        for (model_source& source : sources) {
            source.ticks = false;
        }
        if (stands) {
            return;
        }
        const exact before = since_scale;
        since_scale = since_scale + exact(duration) * scale;
        const moment length{duration, exact(since_scale.whole()) - exact(before.whole())};
        now = {now.raw + length.raw, now.scaled + length.scaled};
        std::vector<bool> done(sources.size());
        for (std::size_t i = 0; i < sources.size(); ++i) {
            advance(static_cast<int>(i), length, done);
        }
    }

    // Whether a source of others counts scaled time.
    bool is_scaled(int index) const {
        const model_source& one = sources[static_cast<std::size_t>(index)];
        if (one.rate && one.source != none) {
            const model_source& of = sources[static_cast<std::size_t>(one.source)];
            return of.alive && is_scaled(one.source);
        }
        return one.has_timer && one.scaled;
    }

private:
    void advance(int index, const moment& length, std::vector<bool>& done) {
        if (done[static_cast<std::size_t>(index)]) {
            return;
        }
        done[static_cast<std::size_t>(index)] = true;
        model_source& one = sources[static_cast<std::size_t>(index)];
        if (one.rate && one.source != none) {
            advance(one.source, length, done);
        }
        if (!one.alive || !one.enabled) {
            hold(one, index, length);
            return;
        }
        bool ticks = true;
        if (one.has_timer) {
            ticks = advance_timer(one, length);
        }
        if (one.rate) {
            ticks = advance_filter(one, index, ticks);
        }
        one.ticks = ticks;
    }

    // A disabled source stands still: its moments move with time.
    void hold(model_source& one, int index, const moment& length) {
        one.due = one.due + length.of(one.scaled);
        one.timer_last = one.timer_last + length.of(one.scaled);
        one.last = one.last + length.of(is_scaled(index));
    }

    bool advance_timer(model_source& one, const moment& length) {
        if (!one.active) {
            one.due = one.due + length.of(one.scaled);
            one.timer_last = one.timer_last + length.of(one.scaled);
            return false;
        }
        const exact at = now.of(one.scaled);
        if (at < one.due) {
            return false;
        }
        one.due = (one.due + one.interval < at ? at : one.due) + one.interval;
        one.elapsed = at - one.timer_last;
        one.timer_last = at;
        one.active = !one.single_shot;
        return true;
    }

    bool advance_filter(model_source& one, int index, bool own) {
        const bool counted =
            one.source == none ? own : sources[static_cast<std::size_t>(one.source)].ticks;
        one.count += counted ? 1 : 0;
        if (!counted || one.count < one.rate) {
            return false;
        }
        const exact at = now.of(is_scaled(index));
        one.count = 0;
        one.elapsed = at - one.last;
        one.last = at;
        return true;
    }
};

class program {
public:
    explicit program(std::uint64_t seed) : random_(seed) {}

    // Runs frames and returns the first difference, or "".
    std::string run() {
        make_sources();
        for (int frame = 1; frame <= 60; ++frame) {
            while (pick(3) == 0) {
                change();
            }
            const std::int64_t duration = random_duration();
            model_.frame(duration);
            world_.progress(kith::nanoseconds{duration});
            const std::string difference = compare();
            if (!difference.empty()) {
                return "frame " + std::to_string(frame) + ": " + difference + "\n" + log_.str();
            }
        }
        return {};
    }

private:
    int pick(int count) { return static_cast<int>(random_() % static_cast<std::uint64_t>(count)); }

    // Often round, sometimes tiny, sometimes 0, sometimes long.
    std::int64_t random_duration() {
        switch (pick(6)) {
            case 0:
                return pick(3);
            case 1:
                return 100'000'000 * std::int64_t{1 + pick(30)};
            case 2:
                return 100'000'000'000;
            default:
                return static_cast<std::int64_t>(random_() % 2'000'000'000);
        }
    }

    void make_sources() {
        for (int i = 0, count = 2 + pick(8); i < count; ++i) {
            entities_.push_back(world_.timer());
            model_.sources.emplace_back();
            if (pick(3) != 0) {
                set_timer(i);
            }
            if (pick(2) == 0) {
                set_rate(i);
            }
        }
    }

    model_source& at(int index) { return model_.sources[static_cast<std::size_t>(index)]; }
    kith::timer& entity(int index) { return entities_[static_cast<std::size_t>(index)]; }

    void set_timer(int index) {
        model_source& one = at(index);
        const std::int64_t interval = 1 + random_duration() % 5'000'000'000;
        kith::Timer timer{};
        timer.timeout = kith::nanoseconds{interval};
        timer.active = true;
        timer.single_shot = pick(4) == 0;
        timer.scaled = pick(3) == 0;
        entity(index).set<kith::Timer>(timer);
        one.has_timer = one.active = true;
        one.single_shot = timer.single_shot;
        one.scaled = timer.scaled;
        one.interval = interval;
        restart(one);
        log_ << index << ": timer " << interval << (one.single_shot ? " once" : "")
             << (one.scaled ? " scaled" : "") << "\n";
    }

    void restart(model_source& one) {
        one.timer_last = model_.now.of(one.scaled);
        one.due = one.timer_last + one.interval;
    }

    // Sources are older entities, so that no circle arises.
    void set_rate(int index) {
        model_source& one = at(index);
        one.source = index > 0 && pick(3) != 0 ? pick(index) : none;
        if (one.source != none && !at(one.source).alive) {
            one.source = none;
        }
        one.rate = 1 + pick(4);
        one.count = 0;
        entity(index).rate(one.rate, one.source == none ? 0 : entity(one.source).raw_id());
        one.last = model_.now.of(model_.is_scaled(index));
        log_ << index << ": rate " << one.rate << " of " << one.source << "\n";
    }

    void change() {
        const int index = pick(static_cast<int>(entities_.size()));
        model_source& one = at(index);
        switch (pick(9)) {
            case 0:
                set_scale(pick(17));
                return;
            case 1:
                model_.paused = !model_.paused;
                model_.paused ? world_.pause() : world_.resume();
                log_ << (model_.paused ? "pause\n" : "resume\n");
                return;
            case 2:
                model_.to_step = pick(3);
                world_.step_frames(model_.to_step);
                log_ << "step " << model_.to_step << "\n";
                return;
            case 3:
                if (one.alive) {
                    one.enabled = !one.enabled;
                    one.enabled ? entity(index).enable() : entity(index).disable();
                    log_ << index << (one.enabled ? ": enable\n" : ": disable\n");
                }
                return;
            case 4:
                if (one.alive && pick(6) == 0) {
                    entity(index).destruct();
                    one.alive = false;
                    log_ << index << ": delete\n";
                }
                return;
            default:
                change_timer(index);
        }
    }

    void set_scale(int eighths) {
        model_.scale = exact(eighths, 8);
        model_.since_scale = 0;
        world_.set_time_scale(static_cast<float>(eighths) / 8);
        log_ << "scale " << eighths << "/8\n";
    }

    void change_timer(int index) {
        model_source& one = at(index);
        if (!one.alive || !one.has_timer) {
            return;
        }
        switch (pick(3)) {
            case 0:
                entity(index).start();
                one.active = true;
                restart(one);
                log_ << index << ": start\n";
                break;
            case 1:
                entity(index).stop();
                one.active = false;
                log_ << index << ": stop\n";
                break;
            default:
                entity(index).get_mut<kith::Timer>()->time = 0;
                entity(index).get_mut<kith::Timer>()->overshoot = 0;
                restart(one);
                log_ << index << ": time = 0\n";
        }
    }

    std::string compare() const {
        for (std::size_t i = 0; i < entities_.size(); ++i) {
            const model_source& one = model_.sources[i];
            if (!one.alive || (!one.has_timer && !one.rate)) {
                continue;
            }
            const kith::TickSource& is = *entities_[i].get<kith::TickSource>();
            const std::string name = "source " + std::to_string(i);
            if (is.tick != one.ticks) {
                return name + (one.ticks ? " should tick" : " should not tick");
            }
            if (is.tick && !(exact(is.time_elapsed.ns) == one.elapsed)) {
                return name + " has another time since its last tick";
            }
        }
        return {};
    }

    std::mt19937_64 random_;
    kith::world world_;
    std::vector<kith::timer> entities_;
    model model_;
    std::ostringstream log_;
};

}  // namespace

TEST_SUITE("model.timer") {
    TEST_CASE("timers and rates tick as a model in exact numbers says") {
        for (std::uint64_t seed : random_programs::chosen_seeds(400)) {
            CAPTURE(seed);
            REQUIRE(program(seed).run() == "");
        }
    }
}
