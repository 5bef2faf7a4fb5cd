// A stage: one party's access to a world, with the state of its operations: deferred commands,
// locks, scope. The raw world handle of the public API is a stage. (A world has one stage so far.)
#pragma once

#include <kith/detail/ops.hpp>

#include "base/raise.hpp"
#include "events/registry.hpp"
#include "mutate/command_buffer.hpp"
#include "names/id_text.hpp"
#include "storage/store.hpp"

#include <exception>

namespace kith::names {

class name_index;

}  // namespace kith::names

namespace kith::mutate {

struct stage;
class sparse_delta;
class net_effects;
class staged_change;

// A listener that leads to calls of listeners without end; see chain.hpp.
[[noreturn]] void raise_nested(const events::registry& all, const events::event_data& event);

// The lock that something waits for has ended; see waiting.hpp.
void on_iteration_end(detail::after_lock& me) noexcept;

// What a stage asks of the modules above this one.
class world_callbacks {
public:
    // Makes a C++ type known in this world.
    virtual void adopt_type(stage& world, std::uint32_t type) const = 0;
    // Appends the readable form of a query.
    virtual void describe_query(const detail::query_head* query, base::text& out) const = 0;
    // An operation or a queue of commands is complete, and a listener has asked for that
    // (`batch_open`).
    virtual void end_batch(stage& world) const = 0;
    // No table of the world is iterated any more, and commands wait for that; see
    // post_iteration.hpp.
    virtual void end_iteration(stage& world) const noexcept = 0;

protected:
    ~world_callbacks() = default;
};

// The other side of a change that is being told: what the entity has after it, where something
// goes, or had before it, where something came.
struct change_view {
    entity_t entity = 0;
    const storage::table* type = nullptr;
    id_t replaced_pair =
        0;  // beside the table: the pair that is there in place of the one that is told
    const sparse_delta* sparse_change = nullptr;  // what else differs beside the table
};

struct stage : world_t {
    stage(storage::store& owned, events::registry& dispatcher, names::name_index& entity_names,
          const world_callbacks& upper)
        : world_t{&owned, 0, &detail::list_of_types},
          data(owned),
          events(dispatcher),
          names(entity_names),
          callbacks(upper),
          iteration_end{{on_iteration_end}, this} {
        dispatcher.raise_nested = raise_nested;
    }
    ~stage();
    stage(const stage&) = delete;
    stage& operator=(const stage&) = delete;

    storage::store& data;
    events::registry& events;
    names::name_index& names;
    const world_callbacks& callbacks;
    entity_t scope = 0;
    std::uint32_t open_scopes = 0;  // that somebody will close
    containers::vec<id_t> with;
    command_buffer commands;
    std::uint32_t defer_depth = 0;
    std::uint32_t suspended_depth = 0;  // what defer_depth was before defer_suspend
    command_buffer suspended_commands;  // and what was queued
    bool suspended_flush = false;       // and whether a queue was being run
    command_buffer post_iteration;      // until nothing is iterated; see waiting.hpp
    struct iteration_listener : detail::after_lock {
        stage* world;
    } iteration_end;
    // What that belongs to, null: nothing waits.
    detail::table_lock* holder = nullptr;
    bool flushing = false;
    // What a callback threw first, for the end of the operation that called it.
    std::exception_ptr failed;
    bool monitored = false;  // somebody wants to know of every entity that comes or goes
    // Listeners want to know when what is being done is complete.
    bool batch_open = false;
    // What is told of the queue that is running, null if everything is.
    net_effects* net = nullptr;
    bool copying_prefab = false;  // children of a prefab are being copied
    // Gets what its bases bring along when it has all of its own.
    entity_t uninstantiated = 0;
    // The number of the change that somebody is told of: what is told in one step happens at once.
    std::uint64_t step = 0;
    std::uint64_t last_step = 0;
    void begin_step() noexcept { step = ++last_step; }
    // The entity that is being deleted, from the first word about it on.
    entity_t deleting = 0;
    // The same: all that goes with the deletion was told, and is being taken.
    entity_t deletion_notified = 0;
    // Somebody wants to know when the deletion is complete.
    bool wants_after_delete = false;
    const change_view* other_view = nullptr;  // null: nothing but the id that is told of differs
    // The changes that are being made, the innermost one.
    const staged_change* pending = nullptr;
    // For each bundle slot, the number of its table, 0 if not known.
    containers::vec<std::uint32_t> bundle_tables;
    std::uint32_t bundle_epoch = 0;
    // The entities that bulk creation made last, where they are not rows of one table.
    containers::vec<entity_t> bulk_ids;
    // Pairs whose values a warning was about, and (R,*) of relationships with too many targets.
    containers::vec<id_t> warned;
    // Numbers of tables with many ids that the last entity has left; see wide_tables.hpp.
    containers::vec<std::uint32_t> left_tables;
    // Hooks that were replaced while they may have been running; released later.
    containers::vec<detail::hook> retired_hooks;
};

// The entity is about to be deleted by the running operation.
inline bool is_pending_delete(const storage::store& data, std::uint32_t index) noexcept {
    return (data.entities.at(index).state & storage::record_pending_delete) != 0;
}
// So is an element of the id.
inline bool names_pending_delete(const storage::store& data, id_t id) noexcept {
    return is_pair(id)
               ? is_pending_delete(data, pair_first(id)) || is_pending_delete(data, pair_second(id))
               : is_pending_delete(data, index_of(id));
}
// A deletion takes the id from the entity, and everybody was told of that.
inline bool is_removal_notified(const stage& world, entity_t entity, id_t id) noexcept {
    return world.deletion_notified != 0 && (is_pending_delete(world.data, index_of(entity)) ||
                                            names_pending_delete(world.data, id));
}

// Says for a while what is on the other side of what is told.
class change_view_scope {
public:
    change_view_scope(stage& world, const change_view& side) noexcept
        : world_(world), side_(side), outer_(world.other_view) {
        world.other_view = &side_;
    }
    ~change_view_scope() { world_.other_view = outer_; }
    change_view_scope(const change_view_scope&) = delete;
    change_view_scope& operator=(const change_view_scope&) = delete;

private:
    stage& world_;
    const change_view side_;
    const change_view* outer_;
};

// What is told inside of a step, at once, is another one.
class inner_step {
public:
    explicit inner_step(stage& world) noexcept : world_(world), outer_(world.step) {}
    ~inner_step() { world_.step = outer_; }
    inner_step(const inner_step&) = delete;
    inner_step& operator=(const inner_step&) = delete;

private:
    stage& world_;
    const std::uint64_t outer_;
};

// Gives back the types of components that were deleted, once nothing queued has values of them.
void release_ended_types(stage& world) noexcept;
// Ends what replaced hooks own.
void release_retired_hooks(stage& world) noexcept;

[[noreturn]] void raise_no_world(const char* call = nullptr);
// Says in which call and as which argument the null entity was given.
[[noreturn]] void raise_null(const char* call, const char* argument, errc code);

// `call`: what the program called, for the message.
inline stage& stage_of(world_t* world, const char* call = nullptr) {
    // As detail::is_world(), but nobody passes null.
    if (world->store->page_count == 0) [[unlikely]] {
        raise_no_world(call);
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
// The message consists of words, and of ids in their readable form.
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

// Runs code of the user whose errors must not stop what is under way.
template <class Code>
void keep_error(stage& world, Code&& code) noexcept {
#if defined(__cpp_exceptions)
    try {
        code();
    } catch (...) {
        if (!world.failed) {
            world.failed = std::current_exception();
        }
    }
#else
    static_cast<void>(world);
    code();
#endif
}

// -- deferring
void begin_defer(stage& world) noexcept;
// Ends one level; the outermost runs the commands, and throws the first error of callbacks and
// commands. True if it ran them.
bool end_defer(stage& world);
// As end_defer, after an exception: errors of commands are dropped.
void abandon_defer(stage& world) noexcept;
void update_mode(stage& world) noexcept;
// Runs the queued commands, and those that they lead to. Throws the first error at the end.
void flush(stage& world);
// Drops all commands of the queue, with their values.
void drop_commands(stage& world, command_buffer& queue) noexcept;

// Code of the user runs (hooks, constructors): its changes wait until the operation is complete.
class callback_scope {
public:
    explicit callback_scope(stage& world) noexcept : world_(&world) { begin_defer(world); }
    ~callback_scope() {
        if (world_) {
            abandon_defer(*world_);
        }
    }
    callback_scope(const callback_scope&) = delete;
    callback_scope& operator=(const callback_scope&) = delete;
    // The operation is complete: run what was deferred.
    void finish() {
        stage* world = world_;
        world_ = nullptr;
        end_defer(*world);
    }

private:
    stage* world_;
};

// -- locks
// Something is being iterated by this thread.
inline bool is_iterating() noexcept {
    return detail::open_locks != nullptr;
}
// Something of this world is.
bool is_iterated(const stage& world) noexcept;
// A change needs more than the short ways look at.
inline bool needs_slow_path(const stage& world) noexcept {
    return (world.mode & detail::mode_slow_path) != 0 || is_iterating();
}
bool is_locked(const stage& world, std::uint32_t table) noexcept;
[[noreturn]] void raise_locked(const stage& world, entity_t entity, id_t id);
// Throws if one of the tables is locked.
void check_unlocked(const stage& world, entity_t entity, id_t id, std::uint32_t from,
                    std::uint32_t to);
// Throws if the sparse values of the id are being visited.
void check_sparse_unlocked(const stage& world, entity_t entity, id_t id);

}  // namespace kith::mutate
