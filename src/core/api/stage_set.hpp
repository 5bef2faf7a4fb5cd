// The stages of a world: recorders by number, asynchronous ones, the read-only part, and actions
// that wait for the end of a frame.
//
// Invariants
// 1. `numbered_[0]` is null or the recorder of the world's own handles in a read-only part; the
//    others are the stages 1, 2, ...
// 2. Recorders record (mode_recording) exactly inside of a read-only part; asynchronous ones
// always.
//
// Covered by tests/features/stages/stages_test.cpp and stages_threads_test.cpp there.
#pragma once

#include <kith/detail/mutex.hpp>

#include "api/world_impl.hpp"
#include "mutate/context/recorder.hpp"
#include "mutate/flush/link.hpp"

#include <memory>
#include <vector>

namespace kith::api {

// A recorder with the changes of its stage that wait for a merge.
struct stage_entry {
    explicit stage_entry(mutate::stage& world, mutate::recorder_use use) : recorder(world, use) {}

    mutate::recorder recorder;
    std::vector<entity_t> ids;                  // set aside
    std::vector<mutate::command_list> waiting;  // ended parts that were not merged
    detail::recursive_mutex lock;               // of an asynchronous stage
    bool automerge = true;
};

class stage_set final : mutate::action_list {
public:
    explicit stage_set(world_impl& owner) noexcept : owner_(owner) {}
    ~stage_set();
    stage_set(const stage_set&) = delete;
    stage_set& operator=(const stage_set&) = delete;

    std::int32_t count() const noexcept { return static_cast<std::int32_t>(numbered_.size()) + 1; }
    void set_count(std::int32_t count);
    // The stage with a number above 0.
    stage_entry& at(std::int32_t number) noexcept {
        return *numbered_[static_cast<std::size_t>(number) - 1];
    }
    // The stage behind a handle, null for the world; its number, -1 if it is asynchronous.
    stage_entry* find(const world_t* stage) noexcept;
    std::int32_t number_of(const world_t* stage) const noexcept;

    // An asynchronous stage records from now on, on any thread, under the lock of its entry.
    stage_entry& add_async();
    void end_async(const world_t* stage) noexcept;

    // Parts may be nested: true inside of another one. Throws [invalid_operation] while the world
    // is deferred. If the world has stages, end_readonly() is to be called by the same thread.
    bool begin_readonly();
    void end_readonly();
    bool is_readonly() const noexcept { return readonly_depth_ != 0; }
    // True if changes wait in some stage.
    bool has_waiting() const noexcept;
    // Runs the changes that wait in a stage, or (null) in all of them.
    void merge(stage_entry* only);

    bool in_frame = false;
    void add(const mutate::queued_action& action) override { actions_.push_back(action); }
    // Runs the actions that wait for the end of the frame, in the order of add(). Failures are
    // logged.
    void run_actions() noexcept;
    mutate::action_list& actions() noexcept { return *this; }

private:
    // Sets ids aside and starts recording; end() keeps the recorded changes in `waiting`.
    void begin(stage_entry& entry);
    void end(stage_entry& entry) noexcept;
    bool has_waiting(const stage_entry& entry) const noexcept;
    // Links the changes of a stage into the queue of the world.
    void link(stage_entry& entry, mutate::link_errors& errors, bool is_current);
    // Ends recording and destroys the changes that wait, with the entities that they would have
    // made.
    void drop(stage_entry& entry) noexcept;
    void give_back(stage_entry& entry) noexcept;
    void merge_async(stage_entry& entry, mutate::link_errors& errors);
    // A new id when those set aside are used up. Threads of different stages may call it.
    static entity_t take_more(void* context);

    world_impl& owner_;
    std::unique_ptr<stage_entry> first_;  // stage 0 in a read-only part
    std::vector<std::unique_ptr<stage_entry>> numbered_;
    std::vector<std::unique_ptr<stage_entry>> async_;
    detail::mutex ids_lock_;
    std::uint32_t readonly_depth_ = 0;
    std::vector<mutate::queued_action> actions_;
};

// The stages of the world, made on first use.
stage_set& ensure_stages(world_impl& owner);
// Ends an asynchronous stage. What waits in it is dropped.
void end_async_stage(world_t* stage) noexcept;

}  // namespace kith::api
