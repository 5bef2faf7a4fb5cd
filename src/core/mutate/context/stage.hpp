// The stage: access of one caller to a world, with the state of its operations: queue of deferred
// commands, locks, scope, errors, the step that is being notified. The raw world handle of the
// public API (world_t) is a stage. A world has one stage that runs operations, its main stage;
// recorders (recorder.hpp) are stages that only record commands for it.
//
// stage.cpp implements locks and errors; deferring.cpp implements begin_defer(), end_defer() and
// abandon_defer(); flush/flush.cpp implements flush() and drop_commands(); recursion_limit.cpp
// raise_nested(); queue/post_iteration.cpp on_iteration_end().
//
// Invariants
// 1. `mode` has the bit mode_deferred exactly while `queue.depth` is not 0.
// 2. `queue.flushing` is true only inside flush(); commands that are queued meanwhile run in a
// later
//    round of the same flush.
// 3. `queue.suspended_commands` is empty unless deferring is suspended (`suspended_depth` != 0).
// 4. If `after_iteration.lock` is set, the listener is in its list of actions, so that its end
// calls
//    on_iteration_end().
// 5. `deletion.notified` is 0 or equal to `deletion.entity`.
// 6. `other_view`, `staged` and `net` of the operation point to objects on the stack of the running
// operation,
//    innermost first.
#pragma once

#include <kith/detail/handle_ops.hpp>
#include <kith/detail/ops.hpp>

#include "base/assert.hpp"
#include "base/attempt.hpp"
#include "base/raise.hpp"
#include "events/registry.hpp"
#include "mutate/context/command_buffer.hpp"
#include "names/id_text.hpp"
#include "storage/store.hpp"

#include <exception>

namespace kith::names {

class name_index;

}  // namespace kith::names

namespace kith::mutate {

struct stage;
class sparse_delta;
class staged_change;

// Raises the error for listeners that call each other without end; see recursion_limit.hpp.
[[noreturn]] void raise_nested(const events::registry& all, const events::event_data& event);

// The lock that post-iteration commands wait for has ended; see post_iteration.hpp.
void on_iteration_end(detail::after_lock& ended) noexcept;

// The functions of modules above mutate/ that a stage calls.
class world_callbacks {
public:
    // Makes a C++ type known in this world, with the entity of its component. Throws if the
    // component would take the place of `changed`, an entity that is being changed.
    virtual void adopt_type(stage& world, std::uint32_t type, entity_t changed) const = 0;
    // Appends the readable form of a query.
    virtual void describe_query(const detail::query_head* query, base::text& out) const = 0;
    // An operation or a queue of commands is complete, and monitors have an open batch
    // (`batch_open`).
    virtual void end_batch(stage& world) const = 0;
    // No table of the world is iterated any more, and commands wait for that; see
    // post_iteration.hpp.
    virtual void end_iteration(stage& world) const noexcept = 0;

protected:
    ~world_callbacks() = default;
};

// The consequences of a committed change that are changes of other entities, or further ones of the
// same entity. They run inside of the operation, after the notifications of the change;
// ops/consequences.cpp implements them by the operations themselves.
class change_consequences {
public:
    // The entity has gained or lost a pair of a symmetric relationship: its target gains or loses
    // the inverse. Does nothing if a callback has changed either meanwhile.
    virtual void add_inverse(stage& world, entity_t entity,
                             const storage::id_info& added) const = 0;
    virtual void remove_inverse(stage& world, entity_t entity,
                                const storage::id_info& removed) const = 0;
    // The entity has got (IsA, base) for these bases and becomes a complete instance of them.
    virtual void instantiate(stage& world, entity_t entity, const entity_t* bases,
                             std::uint32_t count) const = 0;
    // The entity becomes a prefab because its parent is one: itself, or with its descendants.
    virtual void add_prefab(stage& world, entity_t entity) const = 0;
    virtual void make_prefab(stage& world, entity_t entity) const = 0;

protected:
    ~change_consequences() = default;
};

// The filter of events while a queue runs: an event is delayed or dropped if later commands of the
// queue change its id again. notify/net_effects.hpp implements it.
class event_filter {
public:
    // True if the event is to be dispatched to all listeners now; false if it is transient or
    // delayed.
    virtual bool is_reported(storage::event_bits mask, const storage::id_info& id, entity_t entity,
                             const void* value) noexcept = 0;
    // True if other entities see the id of the entity, or it sees ids of others (bases, transitive
    // relationships): the net effect for the entity alone is not the net effect for listeners.
    virtual bool is_shared(entity_t entity, const storage::id_info& id) const noexcept = 0;
    // Dispatches the delayed removals of an entity that is about to be deleted, and of ids of which
    // it is an element: these will not be added again.
    virtual void notify_lost(entity_t entity) noexcept = 0;

protected:
    ~event_filter() = default;
};

// The other state of the change that is being notified: the entity after the change while a removal
// is notified, the entity before it while an addition is notified.
struct change_view {
    entity_t entity = 0;
    // The table on the other side; null if the table does not change.
    const storage::table* type = nullptr;
    id_t replaced_pair = 0;  // the link on the other side in place of the notified one
    const sparse_delta* sparse_change = nullptr;  // further sparse ids that differ
};

// Queued commands, and the state of queueing them.
struct command_queue {
    command_buffer commands;
    // The number of open defer and callback scopes; the queue runs when it returns to 0.
    std::uint32_t depth = 0;
    bool flushing = false;              // flush() is running
    std::uint32_t suspended_depth = 0;  // `depth` before defer_suspend
    command_buffer suspended_commands;  // commands queued before defer_suspend
    bool suspended_flush = false;       // `flushing` before defer_suspend
    bool no_suspend = false;            // defer_suspend is an error: a system runs
    bool no_emit = false;               // emitting is an error: a parallel system runs
    std::uint32_t failed_order = 0;     // call order of the first command that failed in a flush
};

// Commands that run once no table is iterated; see post_iteration.hpp.
struct post_iteration_queue {
    struct lock_listener : detail::after_lock {
        stage* world;
    };

    command_buffer commands;
    lock_listener listener;
    // The lock whose end runs the commands, null if no command waits.
    detail::table_lock* lock = nullptr;
};

// Defaults of new entities, and what recent creations have left for the next one.
struct creation_state {
    entity_t scope = 0;             // the parent of new entities, 0: none
    std::uint32_t open_scopes = 0;  // scopes that a guard has opened and will close
    containers::vec<id_t> with;     // ids of new entities
    // For each bundle slot the number of its table, 0 if unknown; valid for `bundle_epoch`.
    containers::vec<std::uint32_t> bundle_tables;
    std::uint32_t bundle_epoch = 0;
    // The entities of the last bulk creation, if they are not successive rows of one table.
    containers::vec<entity_t> bulk_ids;
};

// The running operation: one immediate change, or one run of a queue.
struct operation_state {
    // The first exception of a callback, thrown at the end of the operation that called it.
    std::exception_ptr failed;
    // Monitors have recorded changes, and report them when the operation is complete.
    bool batch_open = false;
    bool copying_prefab = false;  // children of a prefab are being copied
    std::uint32_t callbacks = 0;  // open scopes in which code of the program may run
    // The predicted net effects of the running queue; null if every change is notified.
    event_filter* net = nullptr;
    // The entity whose instantiation is delayed until the entity has the ids of the copied source.
    entity_t uninstantiated = 0;
    // The entity that receives a base, and has the copies of the children of that base; 0: none.
    entity_t complete = 0;
    // The entity that is being changed while a C++ type is made known for the change; 0: none.
    entity_t changed = 0;
    // The number of the step that is being notified. Changes with one number happen at once.
    std::uint64_t step = 0;
    std::uint64_t last_step = 0;
    const change_view* other_view = nullptr;  // null: only the notified id differs
    // The innermost of the changes that are being made; see rules/change_set.hpp.
    const staged_change* staged = nullptr;

    void begin_step() noexcept { step = ++last_step; }
};

// The running deletion, and the rules of all deletions.
struct deletion_state {
    entity_t entity = 0;  // the deleted entity, from the first event on; 0: no deletion
    // The entity whose deletion was notified completely and is being carried out; 0: none.
    entity_t notified = 0;
    // A listener waits for the end of the deletion (events::after_delete).
    bool wants_after = false;
    // Null: no handle inside of a value has a policy; see rules/handle_rules.hpp.
    const detail::handle_rules* handle_rules = nullptr;
    std::uint64_t handle_version = 0;  // of these rules, for indexes on handles
};

struct stage : world_t {
    stage(storage::store& owned, events::registry& dispatcher, names::name_index& entity_names,
          const world_callbacks& upper, const change_consequences& following)
        : world_t{&owned, 0, &detail::list_of_types},
          data(owned),
          events(dispatcher),
          names(entity_names),
          callbacks(upper),
          consequences(following),
          after_iteration{{}, {{on_iteration_end}, this}} {
        dispatcher.raise_nested = raise_nested;
    }
    ~stage();
    stage(const stage&) = delete;
    stage& operator=(const stage&) = delete;

    // -- the parts of the world
    stage* home = this;  // the main stage of the world
    storage::store& data;
    events::registry& events;
    names::name_index& names;
    const world_callbacks& callbacks;
    const change_consequences& consequences;
    // -- state by lifetime
    command_queue queue;
    post_iteration_queue after_iteration;
    creation_state creation;
    operation_state operation;
    deletion_state deletion;
    bool monitored = false;  // entity events have listeners
    // -- lists
    // Ids that a warning was about: pairs with unexpected values, and (R,*) of relationships with
    // too many targets.
    containers::vec<id_t> warned;
    // Numbers of tables with many ids whose last row has left; see wide_tables.hpp.
    containers::vec<std::uint32_t> left_tables;
    // Hooks that were replaced while they may have been running; their contexts are released later.
    containers::vec<detail::hook> retired_hooks;
};

// True if the running operation deletes the entity.
inline bool is_pending_delete(const storage::store& data, std::uint32_t index) noexcept {
    return (data.entities.at(index).state & storage::record_pending_delete) != 0;
}
// True if the running operation deletes an element of the id.
inline bool names_pending_delete(const storage::store& data, id_t id) noexcept {
    return is_pair(id)
               ? is_pending_delete(data, pair_first(id)) || is_pending_delete(data, pair_second(id))
               : is_pending_delete(data, index_of(id));
}
// True if the running deletion removes the id from the entity and has notified of that.
inline bool is_removal_notified(const stage& world, entity_t entity, id_t id) noexcept {
    return world.deletion.notified != 0 && (is_pending_delete(world.data, index_of(entity)) ||
                                            names_pending_delete(world.data, id));
}

// Sets the other state for a scope. Scopes nest.
class change_view_scope {
public:
    change_view_scope(stage& world, const change_view& view) noexcept
        : world_(world), view_(view), outer_(world.operation.other_view) {
        world.operation.other_view = &view_;
    }
    ~change_view_scope() { world_.operation.other_view = outer_; }
    change_view_scope(const change_view_scope&) = delete;
    change_view_scope& operator=(const change_view_scope&) = delete;

private:
    stage& world_;
    const change_view view_;
    const change_view* outer_;
};

// A step inside of another step, for events that are dispatched at once. The destructor restores
// the number of the outer step.
class inner_step {
public:
    explicit inner_step(stage& world) noexcept : world_(world), outer_(world.operation.step) {}
    ~inner_step() { world_.operation.step = outer_; }
    inner_step(const inner_step&) = delete;
    inner_step& operator=(const inner_step&) = delete;

private:
    stage& world_;
    const std::uint64_t outer_;
};

// Releases the types of deleted components. Does nothing while a queue may hold values of them.
void release_ended_types(stage& world) noexcept;
// Releases the contexts of replaced hooks.
void release_retired_hooks(stage& world) noexcept;

// Throws for a handle without a world. `call` names the public function for the message.
[[noreturn]] void raise_no_world(const char* call = nullptr);
// Throws for the null entity. The message names the call and the argument.
[[noreturn]] void raise_null(const char* call, const char* argument, errc code);

// The stage that operations of a redirected handle use: the recorder of the part that runs on this
// thread, or the main stage. Throws if the handle has no world; see recorder.hpp.
stage& redirect(world_t* world, const char* call);

// The stage behind a public handle. Throws if the world has ended. Requires: `world` is not null.
inline stage& stage_of(world_t* world, const char* call = nullptr) {
    KITH_ASSERT(world, "handles without a world point to a world that has ended");
    if (world->mode & detail::mode_redirected) [[unlikely]] {
        return redirect(world, call);
    }
    return *static_cast<stage*>(world);
}
inline const stage& stage_of(const world_t* world, const char* call = nullptr) {
    return stage_of(const_cast<world_t*>(world), call);
}

// -- errors that name their subject
inline void append_part(const stage&, base::text& message, std::string_view words) {
    message << words;
}
inline void append_part(const stage& world, base::text& message, id_t id) {
    names::describe_id(world.data, id, message);
}
// Throws an error whose message consists of words and of ids in their readable form.
template <class... Part>
[[noreturn]] void raise_about(const stage& world, errc code, Part... parts) {
    base::text message;
    (append_part(world, message, parts), ...);
    base::raise(code, message);
}
[[noreturn]] void raise_entity(const stage& world, entity_t entity);
[[noreturn]] void raise_id(const stage& world, errc code, id_t id, const char* sentence);
[[noreturn]] void raise_entity_id(const stage& world, errc code, entity_t entity, id_t id,
                                  const char* sentence);

// The record of a live entity; throws otherwise.
inline storage::entity_record& get_record(const stage& world, entity_t entity) {
    storage::entity_record* record = world.data.entities.find(entity);
    if (!record) [[unlikely]] {
        raise_entity(world, entity);
    }
    return *record;
}

// Runs code of the program whose exception must not stop the operation; end_defer() throws it
// later. Only the first exception is kept.
template <class Code>
void keep_error(stage& world, Code&& code) noexcept {
    base::attempt(code, [&] {
        if (!world.operation.failed) {
            world.operation.failed = std::current_exception();
        }
    });
}

// -- deferring
// Opens a level of deferring: changes are queued until it ends.
void begin_defer(stage& world) noexcept;
// Ends a level of deferring. The outermost end runs the queue, and throws the first error of
// callbacks and commands. Returns true for the outermost end. Requires: begin_defer() was called.
bool end_defer(stage& world);
// Calls end_defer() after an exception, and drops the errors of commands.
void abandon_defer(stage& world) noexcept;
// Recomputes the mode bits, after a change of scope, `with` ids, subscriptions or waiting commands.
void update_mode(stage& world) noexcept;
// Runs the queued commands, and those that callbacks queue meanwhile, round by round. Throws the
// first error at the end.
void flush(stage& world);
// Drops all commands of the queue and destroys their values.
void drop_commands(stage& world, command_buffer& queue) noexcept;

// Code of the program runs in this scope (hooks, constructors, listeners): its changes are deferred
// until the operation is complete. Without finish(), an exception is leaving: errors are dropped.
class callback_scope {
public:
    explicit callback_scope(stage& world) noexcept : world_(&world) {
        ++world.operation.callbacks;
        begin_defer(world);
    }
    ~callback_scope() {
        if (world_) {
            --world_->operation.callbacks;
            abandon_defer(*world_);
        }
    }
    callback_scope(const callback_scope&) = delete;
    callback_scope& operator=(const callback_scope&) = delete;
    // The operation is complete: the deferred commands run.
    void finish() {
        KITH_ASSERT(world_, "a callback scope is finished once");
        stage* world = world_;
        world_ = nullptr;
        --world->operation.callbacks;
        end_defer(*world);
    }

private:
    stage* world_;
};

// -- locks
// True if this thread is iterating a table, of any world.
inline bool is_iterating() noexcept {
    return detail::open_locks != nullptr;
}
// True if a table of this world is being iterated.
bool is_iterated(const stage& world) noexcept;
// True if an operation must not take the fast path: a bit of mode_slow_path is set, or a table is
// iterated.
inline bool needs_slow_path(const stage& world) noexcept {
    return (world.mode & detail::mode_slow_path) != 0 || is_iterating();
}
// True if an iteration has locked the table. Table 0 is never locked.
bool is_locked(const stage& world, std::uint32_t table) noexcept;
[[noreturn]] void raise_locked(const stage& world, entity_t entity, id_t id);
// Throws if one of the tables is locked. `entity` and `id` are for the message.
void check_unlocked(const stage& world, entity_t entity, id_t id, std::uint32_t from,
                    std::uint32_t to);
// Throws if sparse values of the id are being iterated.
void check_sparse_unlocked(const stage& world, entity_t entity, id_t id);

}  // namespace kith::mutate
