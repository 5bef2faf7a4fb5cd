// Rings of states for rollback (kith/diff.hpp).
#include "api/diff.hpp"
#include "base/raise.hpp"

#include <algorithm>

namespace kith::detail {

using api::shared_state;

// The last states of a world by frame.
//
// Invariants
// 1. `frames` is sorted by number, without equal ones.
// 2. There are at most `limit` states, and `limit` is at least 1.
struct ring_state {
    struct kept_frame {
        std::uint64_t frame;
        shared_state state;
    };
    weak_world* link;
    std::size_t limit;
    mutate::state_vector<kept_frame> frames;  // by number
    // Memory of dropped states serves the next ones.
    mutate::block_keeper blocks;
};

namespace {

// Throws [invalid_operation] if the world has ended, or is inside of an operation.
api::world_impl& ring_world(const ring_state& ring, const char* call) {
    if (!ring.link->world) {
        base::raise(errc::invalid_operation, "the world of this ring of states has ended");
    }
    api::world_impl& owner = api::impl_of(ring.link->world);
    api::check_between_operations(owner, call);
    return owner;
}

}  // namespace

ring_state* make_ring(const world_t* world, std::size_t frames) {
    auto made = std::make_unique<ring_state>();
    made->limit = std::max<std::size_t>(frames, 1);
    made->link = share_world_link(world);
    return made.release();
}

void release_ring(ring_state* ring) noexcept {
    release_world_link(ring->link);
    delete ring;
}

void save_frame(ring_state* ring, std::uint64_t frame) {
    shared_state taken = api::capture(ring_world(*ring, "save"));
    ring->frames.push_back({frame, std::move(taken)});
    mutate::block_keeper::note_use();
    mutate::state_vector<ring_state::kept_frame>& frames = ring->frames;
    // A frame that is saved again replaces its old state and those of all later frames: the world
    // has gone back, and they will be made anew.
    auto replaced = std::find_if(frames.begin(), frames.end() - 1,
                                 [&](const auto& kept) { return kept.frame >= frame; });
    frames.erase(replaced, frames.end() - 1);
    if (frames.size() > ring->limit) {
        frames.erase(frames.begin());
    }
}

bool load_frame(ring_state* ring, std::uint64_t frame) {
    auto found = std::find_if(ring->frames.begin(), ring->frames.end(),
                              [&](const auto& kept) { return kept.frame == frame; });
    if (found == ring->frames.end()) {
        return false;
    }
    // The copy keeps the state while it is restored.
    const shared_state state = found->state;
    api::restore_state(ring_world(*ring, "load"), state);
    return true;
}

std::size_t ring_size(const ring_state* ring) noexcept {
    return ring->frames.size();
}

std::uint64_t ring_frame(const ring_state* ring, std::size_t position) {
    if (position >= ring->frames.size()) {
        base::raise(errc::invalid_operation, "the ring keeps no state yet");
    }
    return ring->frames[position].frame;
}

}  // namespace kith::detail
