// The worlds of the process, for calls that concern all of them.
//
// Covered by tests/features/components/unloaded_library_test.cpp.
#pragma once

namespace kith::api {

struct world_impl;

// The place of a world in the list, from its construction to its destruction.
class listed_world {
public:
    explicit listed_world(world_impl& owner) noexcept;
    ~listed_world();
    listed_world(const listed_world&) = delete;
    listed_world& operator=(const listed_world&) = delete;

    world_impl& owner() const noexcept { return owner_; }
    listed_world* next() const noexcept { return next_; }
    // The newest world; null: there is none. Requires: no other thread makes or ends a world while
    // the list is used.
    static listed_world* newest() noexcept;

private:
    world_impl& owner_;
    listed_world* next_ = nullptr;
    listed_world* before_ = nullptr;
};

}  // namespace kith::api
