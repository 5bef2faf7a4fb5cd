#include "query/exec/graph_state.hpp"

#include <utility>

namespace kith::queries {

namespace {

constexpr std::uint32_t most_kept = 8;
thread_local bool pool_closed = false;  // outlives the pool

struct state_pool {
    graph_state* free = nullptr;
    std::uint32_t count = 0;

    ~state_pool() {
        while (free) {
            delete std::exchange(free, free->next);
        }
        pool_closed = true;
    }
};
thread_local state_pool pool;

}  // namespace

void graph_state_ref::take(std::uint32_t frames) {
    if (pool.free && !pool_closed) {
        state_ = std::exchange(pool.free, pool.free->next);
        --pool.count;
    } else {
        state_ = new graph_state;
    }
    state_->bound = state_->given = 0;
    if (state_->frames.size() < frames) {
        state_->frames.resize(frames);
    }
    for (std::uint32_t i = 0; i < frames; ++i) {
        state_->frames[i].start_run();
    }
}

graph_state_ref::~graph_state_ref() {
    if (!state_) {
        return;
    }
    if (pool_closed || pool.count == most_kept) {
        delete state_;
        return;
    }
    state_->next = std::exchange(pool.free, state_);
    ++pool.count;
}

}  // namespace kith::queries
