// Snapshots: copies of a world in memory, to which the world can return any number of times.
//
//   kith::snapshot before = world.snapshot().take();
//   …
//   before.restore();
//
// Covered by tests/features/snapshots/.
#pragma once

#include <kith/world.hpp>

#include <initializer_list>

namespace kith {

namespace detail {

struct weak_world;
struct snapshot_state;  // a captured state, counted by its handles

// The link of a world, which outlives it; to be released once.
weak_world* share_world_link(const world_t* world);
weak_world* share_link(weak_world* link) noexcept;
void release_world_link(weak_world* link) noexcept;

// Taking and restoring throw [invalid_operation] inside of callbacks, iterations and deferred
// parts, for worlds that have ended, and for handles without a state.
snapshot_state* take_snapshot(const weak_world* link);
void restore_snapshot(const weak_world* link, const snapshot_state* state);
void restore_snapshot_into(world_t* world, const snapshot_state* state);
void restore_by_operations(const weak_world* link, const snapshot_state* state);
// Limits a captured state to a list of entities, and to a list of ids (empty: all ids). Requires:
// the state has one owner.
void limit_snapshot(snapshot_state* state, const entity_t* entities, std::size_t count,
                    const id_t* ids, std::size_t id_count);
snapshot_state* share_snapshot(snapshot_state* state) noexcept;
void release_snapshot(snapshot_state* state) noexcept;
std::size_t snapshot_bytes(const snapshot_state* state, bool own) noexcept;

// Results of a query while they are collected.
struct entity_collection {
    entity_collection() = default;
    entity_collection(const entity_collection&) = delete;
    entity_collection& operator=(const entity_collection&) = delete;
    ~entity_collection() { delete[] items; }
    void add(entity_t entity) {
        if (count == capacity) {
            entity_t* grown = new entity_t[capacity = capacity * 2 + 16];
            for (std::size_t i = 0; i < count; ++i) {
                grown[i] = items[i];
            }
            delete[] detail::exchange(items, grown);
        }
        items[count++] = entity;
    }
    entity_t* items = nullptr;
    std::size_t count = 0;
    std::size_t capacity = 0;
};

}  // namespace detail

// An option of restore().
struct tell_t {};
inline constexpr tell_t tell{};

// A handle of a captured state. Copies share the state, which never changes. A handle may outlive
// its world: then the state can be read and opened, but not restored.
//
// The count of owners is atomic, so that threads may copy and release handles of one state. take()
// and restore() belong to the thread of the world.
class snapshot {
public:
    explicit snapshot(const kith::world& source)
        : link_(detail::share_world_link(source.c_ptr())) {}
    snapshot(const snapshot& other) noexcept
        : link_(detail::share_link(other.link_)), state_(detail::share_snapshot(other.state_)) {}
    snapshot(snapshot&& other) noexcept
        : link_(detail::exchange(other.link_, nullptr)),
          state_(detail::exchange(other.state_, nullptr)) {}
    snapshot& operator=(snapshot other) noexcept {
        std::swap(link_, other.link_);
        std::swap(state_, other.state_);
        return *this;
    }
    ~snapshot() {
        detail::release_snapshot(state_);
        detail::release_world_link(link_);
    }

    // Captures the present state of the world, in place of the state that this handle has. Copies
    // of the handle keep theirs. Parts of the world that were not written since the last capture
    // are shared with it. An error if a value cannot be copied; the handle keeps its former state
    // then.
    snapshot& take() & {
        detail::snapshot_state* taken = detail::take_snapshot(link_);
        detail::release_snapshot(detail::exchange(state_, taken));
        return *this;
    }
    snapshot take() && { return static_cast<snapshot&&>(take()); }
    // Captures the entities of a query's results with all that they have, or with the given ids
    // only. restore() gives these entities their ids and values back by operations, and makes those
    // alive again that were deleted; other entities stay as they are. Throws kith::error [conflict]
    // if another entity has the index of a deleted one by then.
    template <class Query>
    snapshot& take(const Query& query, std::initializer_list<id_t> ids = {}) & {
        snapshot taken(*this);
        taken.take();
        detail::entity_collection found;
        query.each([&](kith::entity result) { found.add(result); });
        detail::limit_snapshot(taken.state_, found.items, found.count, ids.begin(), ids.size());
        return *this = static_cast<snapshot&&>(taken);
    }
    template <class Query>
    snapshot take(const Query& query, std::initializer_list<id_t> ids = {}) && {
        return static_cast<snapshot&&>(take(query, ids));
    }

    // Returns the world to the captured state: entities with their ids, tables, the order of rows,
    // values, pairs and names. Hooks and observers are not called; monitors report what differs. An
    // error while the state is prepared leaves the world as it was. Handles of entities are valid
    // again if the entities were alive at the capture.
    void restore() const { detail::restore_snapshot(link_, state_); }
    // Makes the difference by operations: hooks, observers and monitors are notified as for any
    // change. The order of rows may differ from that of the capture.
    void restore(tell_t) const { detail::restore_by_operations(link_, state_); }
    // Gives another world the captured state. The world must have no entities of its own.
    void restore_into(const kith::world& target) const {
        detail::restore_snapshot_into(target.c_ptr(), state_);
    }
    // A new world with the captured state.
    kith::world open() const {
        kith::world opened;
        restore_into(opened);
        return opened;
    }

    // The hash of the world at the capture. Snapshots of equal hashes are equal.
    std::uint64_t hash() const { return open().hash(); }
    friend bool operator==(const snapshot& a, const snapshot& b) {
        return a.state_ == b.state_ || (a.state_ && b.state_ && a.hash() == b.hash());
    }
    // True if nothing was captured.
    bool empty() const noexcept { return !state_; }
    // The memory of the captured state, and the part of it that no other snapshot shares.
    std::size_t bytes() const noexcept { return detail::snapshot_bytes(state_, false); }
    std::size_t bytes_own() const noexcept { return detail::snapshot_bytes(state_, true); }
    // For functions that take the captured state.
    const detail::snapshot_state* c_ptr() const noexcept { return state_; }

private:
    detail::weak_world* link_;
    detail::snapshot_state* state_ = nullptr;
};

template <class... Args>
inline kith::snapshot world::snapshot(Args&&... args) const {
    return kith::snapshot(*this, std::forward<Args>(args)...);
}

}  // namespace kith
