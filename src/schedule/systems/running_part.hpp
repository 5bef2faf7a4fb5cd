// The part of a system that runs on this thread.
#pragma once

#include <kith/detail/mutex.hpp>

#include "systems/system_data.hpp"

#include <utility>
#include <vector>

namespace kith::scheduling {

// Systems that the parts of a system have run by system.run(). Parts add to the list; the thread of
// the world reads it when they have ended.
class nested_runs {
public:
    void add(system_data& system) {
        const detail::lock_guard guard(lock_);
        systems_.push_back(&system);
    }
    // Takes the list. Requires: no part runs.
    std::vector<system_data*> take() noexcept { return std::exchange(systems_, {}); }

private:
    detail::mutex lock_;
    std::vector<system_data*> systems_;
};

// The part that runs on a thread; `world` is null while none does.
struct running_part {
    const world_t* world = nullptr;
    std::vector<system_data*> systems;  // whose callbacks are running, the innermost last
    nested_runs* nested = nullptr;

    // The part of this thread, if it belongs to the world, else null.
    static running_part* find(const world_t* world) noexcept;
};

// Marks a system as running in a part on this thread. A part can run systems of other worlds, so
// that scopes nest.
class running_part_scope {
public:
    running_part_scope(const world_t* world, system_data& system, nested_runs& nested);
    ~running_part_scope();
    running_part_scope(const running_part_scope&) = delete;
    running_part_scope& operator=(const running_part_scope&) = delete;

private:
    running_part outer_;
};

}  // namespace kith::scheduling
