// The worlds of the process, for calls that concern all of them.
//
// Covered by tests/features/components/unloaded_library_test.cpp.
#pragma once

#include <cstdint>

namespace kith::api {

struct world_impl;
class listed_world;

// A pointer whose bits are inverted. Leak checkers follow plain pointers: through a list of all
// worlds they would find every world in use, also one that the program forgot to end.
class masked_pointer {
public:
    masked_pointer() noexcept : masked_pointer(nullptr) {}
    masked_pointer(listed_world* world) noexcept
        : bits_(~reinterpret_cast<std::uintptr_t>(world)) {}
    listed_world* get() const noexcept { return reinterpret_cast<listed_world*>(~bits_); }

private:
    std::uintptr_t bits_;
};

// The place of a world in the list, from its construction to its destruction.
class listed_world {
public:
    explicit listed_world(world_impl& owner) noexcept;
    ~listed_world();
    listed_world(const listed_world&) = delete;
    listed_world& operator=(const listed_world&) = delete;

    world_impl& owner() const noexcept { return owner_; }
    listed_world* next() const noexcept { return next_.get(); }
    // The newest world; null: there is none. Requires: no other thread makes or ends a world while
    // the list is used.
    static listed_world* newest() noexcept;

private:
    world_impl& owner_;
    masked_pointer next_;
    masked_pointer before_;
};

}  // namespace kith::api
