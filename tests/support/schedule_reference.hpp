// The reference for schedules: an interpreter that runs the systems of a program one after the
// other by the written rules, on one thread, with ordinary queries. A stretch is one deferred part.
// The reference shares no code with src/schedule.
#pragma once

#include "support/schedule_program.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace schedule_program {

class reference {
public:
    // The systems are made in the world of the reference as well, and never run: worlds with other
    // tables may visit tables in another order.
    explicit reference(const program& given) : program_(given), scene_(given) {
        system_maker(given, scene_).run();
        for (const system_spec& system : given.systems) {
            states_.push_back(make_state(system));
        }
        find_order();
        find_sync_points();
    }

    // Runs a frame. Returns the message of the error that progress() throws, or "".
    std::string run_frame(std::int64_t dt) {
        ++scene_.frame;
        stop_.clear();
        advance_timers(dt);
        std::size_t at = 0;
        while (at < order_.size() && stop_.empty()) {
            const std::size_t end = end_of_phase(at);
            if (program_.fixed && phase_of(at) == 2) {
                sync();
                const int steps = stop_.empty() ? take_steps(dt) : 0;
                for (int step = 0; step < steps && stop_.empty(); ++step) {
                    run_range(at, end, 1'000'000'000, step);
                }
            } else {
                run_range(at, end, dt, 0);
            }
            at = end;
        }
        sync();
        return stop_;
    }
    const scene& shown() const { return scene_; }
    std::string order_text() const {
        std::string text;
        for (const std::size_t system : order_) {
            text += (states_[system].sync_before ? " | " : " ") + std::to_string(system);
        }
        return text;
    }

private:
    struct state {
        kith::query<> query;
        kith::query<> condition;
        kith::entity entity;
        bool sync_before = false;
        bool ticks = true;
        int tick_count = 0;
        std::int64_t time = 0;
    };

    state make_state(const system_spec& system) {
        state made;
        if (!system.terms.empty()) {
            auto builder = scene_.world.query_builder();
            add_terms(builder, scene_, system);
            made.query = builder.build();
        }
        if (system.condition == condition_kind::tag) {
            made.condition =
                scene_.world.query_builder().with(scene_.tags[system.condition_number]).build();
        }
        made.entity = scene_.world.lookup(("System" + std::to_string(system.number)).c_str());
        return made;
    }
    int phase_of(std::size_t position) const { return program_.systems[order_[position]].phase; }
    std::size_t end_of_phase(std::size_t at) const {
        std::size_t end = at;
        while (end < order_.size() && phase_of(end) == phase_of(at)) {
            ++end;
        }
        return end;
    }

    // Phases in their order; of the systems whose predecessors have a place, the first declared.
    void find_order() {
        std::vector<bool> placed(program_.systems.size(), false);
        for (int phase = 0; phase < 4; ++phase) {
            for (bool found = true; found;) {
                found = false;
                for (std::size_t i = 0; i < placed.size() && !found; ++i) {
                    const system_spec& system = program_.systems[i];
                    const bool is_ready = std::all_of(
                        system.after.begin(), system.after.end(),
                        [&](int before) { return placed[static_cast<std::size_t>(before)]; });
                    if (!placed[i] && system.phase == phase && is_ready) {
                        placed[i] = found = true;
                        order_.push_back(i);
                    }
                }
            }
        }
    }
    // The ids that a system reads, so that commands about them run before it.
    std::vector<named_id> seen_ids(const system_spec& system) const {
        std::vector<named_id> ids = system.reads;
        if (!system.terms.empty()) {
            ids.push_back({id_kind::label});
        }
        for (const term_spec& term : system.terms) {
            const bool is_tag = term.kind == term_kind::tag || term.kind == term_kind::without_tag;
            ids.push_back(term.kind == term_kind::likes    ? named_id{id_kind::likes}
                          : term.kind == term_kind::docked ? named_id{id_kind::docked}
                          : is_tag                         ? named_id{id_kind::tag, term.number}
                                                           : named_id{id_kind::value, term.number});
        }
        if (system.condition == condition_kind::tag) {
            ids.push_back({id_kind::tag, system.condition_number});
        }
        return ids;
    }
    void find_sync_points() {
        std::vector<named_id> queued;
        for (std::size_t at = 0; at < order_.size(); ++at) {
            const system_spec& system = program_.systems[order_[at]];
            bool sync = system.barrier || system.way == way::immediate;
            if (at > 0) {
                const system_spec& before = program_.systems[order_[at - 1]];
                const bool border = (system.phase == 2) != (before.phase == 2);
                sync = sync || before.way == way::immediate || (program_.fixed && border);
            }
            for (const named_id& seen : seen_ids(system)) {
                sync = sync || std::any_of(queued.begin(), queued.end(),
                                           [&](const named_id& id) { return overlap(id, seen); });
            }
            if (sync) {
                queued.clear();
            }
            states_[order_[at]].sync_before = sync;
            queued.insert(queued.end(), system.writes.begin(), system.writes.end());
        }
    }

    // A disabled system's timers stand still.
    void advance_timers(std::int64_t dt) {
        for (std::size_t i = 0; i < states_.size(); ++i) {
            const system_spec& system = program_.systems[i];
            state& of = states_[i];
            of.ticks = system.rate == 0 && system.interval == 0;
            if (of.ticks || of.entity.has(kith::Disabled)) {
                continue;
            }
            if (system.rate != 0) {
                of.ticks = ++of.tick_count >= system.rate;
                of.tick_count = of.ticks ? 0 : of.tick_count;
            } else {
                of.time += dt;
                of.ticks = of.time >= system.interval;
                if (of.ticks) {
                    const std::int64_t over = of.time - system.interval;
                    of.time = over > system.interval ? 0 : over;
                }
            }
        }
    }
    int take_steps(std::int64_t dt) {
        constexpr std::int64_t step = 1'000'000'000;
        account_ += dt;
        const int steps = static_cast<int>(std::min<std::int64_t>(account_ / step, 8));
        account_ -= steps * step;
        account_ = account_ >= step ? 0 : account_;
        return steps;
    }

    // Each step of a phase ends with a sync point.
    void run_range(std::size_t begin, std::size_t end, std::int64_t dt, int step) {
        for (std::size_t at = begin; at < end && stop_.empty(); ++at) {
            if (states_[order_[at]].sync_before) {
                sync();
            }
            if (!stop_.empty()) {
                return;
            }
            begin_stretch();
            run_system(order_[at], dt, step);
        }
        if (program_.fixed && end > begin && phase_of(begin) == 2) {
            sync();
        }
    }
    void begin_stretch() {
        if (!open_) {
            open_ = true;
            enabled_.clear();
            for (const state& one : states_) {
                enabled_.push_back(!one.entity.has(kith::Disabled));
            }
            scene_.world.defer_begin();
        }
    }
    void run_system(std::size_t number, std::int64_t dt, int step) {
        const system_spec& system = program_.systems[number];
        state& of = states_[number];
        const bool is_timed = system.rate != 0 || system.interval != 0;
        if (!enabled_[number] || !of.ticks || (is_timed && step > 0) || !holds(system, of)) {
            return;
        }
        const callback body(program_, system, scene_);
        const auto seconds = static_cast<float>(static_cast<double>(dt) / 1e9);
        try {
            if (system.terms.empty()) {
                body.run_task(scene_.world, seconds);
            } else if (system.by_entity) {
                of.query.each([&](kith::entity e) { body.run_entity(e); });
            } else {
                of.query.iter([&](kith::iter& it) { body.run(it, seconds); });
            }
        } catch (const model_error& error) {
            failures_.push_back({number, error.what()});
        }
    }
    bool holds(const system_spec& system, state& of) {
        switch (system.condition) {
            case condition_kind::none:
                return true;
            case condition_kind::frame:
                return scene_.frame % 3 != system.condition_number;
            case condition_kind::tag:
                return of.condition.first() != kith::entity();
        }
        return true;
    }
    // Runs what waits; then the first failure of the stretch decides.
    void sync() {
        if (!open_) {
            return;
        }
        open_ = false;
        scene_.world.defer_end();
        scene_.world.check();
        const std::vector<failure> failed = std::exchange(failures_, {});
        if (failed.empty()) {
            return;
        }
        const system_spec& first = program_.systems[failed.front().system];
        if (first.policy == kith::on_error::stop) {
            stop_ = failed.front().message;
        } else if (first.policy == kith::on_error::disable) {
            states_[failed.front().system].entity.disable();
        }
    }

    struct failure {
        std::size_t system;
        std::string message;
    };

    const program& program_;
    scene scene_;
    std::vector<state> states_;
    std::vector<std::size_t> order_;
    std::vector<bool> enabled_;
    std::vector<failure> failures_;
    std::string stop_;
    std::int64_t account_ = 0;
    bool open_ = false;
};

}  // namespace schedule_program
