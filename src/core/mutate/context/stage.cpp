// Implements stage.hpp: locks and errors that name their subject; and table_lock of
// kith/detail/ops.hpp.
#include "mutate/context/stage.hpp"

#include "base/assert.hpp"
#include "mutate/context/command_buffer.hpp"
#include "names/id_text.hpp"

#include <algorithm>
#include <utility>

namespace kith::detail {

// Locks a table. Exclusive locks of one table do not nest: two callbacks would write the same
// values.
table_lock::table_lock(world_t* world, std::uint32_t locked, bool exclusive) : table_lock(world) {
    for (const table_lock* lock = older_; exclusive && lock; lock = lock->older_) {
        if (lock->table == locked && lock->exclusive_ && lock->is_of(world)) {
            base::raise(errc::locked,
                        "values of this table are being written by an outer callback already");
        }
    }
    table = locked;
    exclusive_ = exclusive;
}

// Removes an action from the list of those that run at the end of the lock, if it is there.
void table_lock::remove_after(const after_lock& removed) noexcept {
    after_lock** action = &after_;
    while (*action && *action != &removed) {
        action = &(*action)->next;
    }
    if (*action) {
        *action = removed.next;
    }
}

// Runs the actions of a lock that has ended. An action may destroy itself.
void run_after(after_lock* first) noexcept {
    while (first) {
        after_lock& action = *std::exchange(first, first->next);
        action.run(action);
    }
}

bool table_lock::covers(std::uint32_t number) const noexcept {
    return table == number ||
           std::find(more_tables, more_tables + more_count, number) != more_tables + more_count;
}

bool table_lock::covers_sparse(id_t id) const noexcept {
    return (sparse_id != 0 && matches_id(sparse_id, id)) ||
           std::any_of(sparse_ids, sparse_ids + sparse_count,
                       [&](id_t pattern) { return matches_id(pattern, id); });
}

bool table_lock::covers_links(entity_t relation) const noexcept {
    auto is_of_relation = [&](id_t pattern) {
        return is_pair(pattern) && (is_wildcard_element(pair_first(pattern)) ||
                                    pair_first(pattern) == index_of(relation));
    };
    return is_of_relation(sparse_id) ||
           std::any_of(sparse_ids, sparse_ids + sparse_count, is_of_relation);
}

}  // namespace kith::detail

namespace kith::mutate {

using containers::purpose;

// Queued values are destroyed here, while their types still exist.
stage::~stage() {
    for (command_buffer* buffer :
         {&queue.commands, &queue.suspended_commands, &after_iteration.commands}) {
        drop_commands(*this, *buffer);
        buffer->release(data.mem);
    }
    creation.with.release(data.mem, purpose::commands);
    creation.bundle_tables.release(data.mem, purpose::tables);
    creation.bulk_ids.release(data.mem, purpose::commands);
    warned.release(data.mem, purpose::commands);
    left_tables.release(data.mem, purpose::commands);
    release_retired_hooks(*this);
    retired_hooks.release(data.mem, purpose::commands);
}

// Values of ended types may lie in any of the three queues.
void release_ended_types(stage& world) noexcept {
    const bool running = world.queue.flushing || world.queue.suspended_flush;
    if (world.data.ended_types && !running && world.queue.commands.empty() &&
        world.queue.suspended_commands.empty() && world.after_iteration.commands.empty()) {
        storage::release_ended_types(world.data);
    }
}

void release_retired_hooks(stage& world) noexcept {
    while (!world.retired_hooks.empty()) {
        detail::hook hook = world.retired_hooks.back();
        world.retired_hooks.pop();
        if (hook.free_context) {
            hook.free_context(hook.context);
        }
    }
}

void raise_no_world(const char* call) {
    base::text message;
    message << (call ? call : "") << (call ? ": " : "")
            << "a handle without a world was used: a default-constructed or moved one, or one "
            << "whose world has ended";
    base::raise(errc::invalid_entity, message);
}

void raise_null(const char* call, const char* argument, errc code) {
    base::text message;
    message << call << ": " << argument << " is the null entity (0)";
    base::raise(code, message);
}

void raise_entity(const stage& world, entity_t entity) {
    base::text message;
    if (entity == 0) {
        message << "the null entity (0) was used as an entity";
    } else if (entity & id_flags_mask) {
        names::describe_id(world.data, entity, message);
        message << " is an id with flags, or a pair; an entity is needed here";
    } else {
        message << "entity " << index_of(entity) << " (generation "
                << std::uint32_t{generation_of(entity)} << ") ";
        message << (world.data.entities.was_issued(index_of(entity))
                        ? "is not alive"
                        : "was never created in this world");
    }
    base::raise(errc::invalid_entity, message);
}

void raise_id(const stage& world, errc code, id_t id, const char* sentence) {
    raise_about(world, code, id, " ", sentence);
}

void raise_entity_id(const stage& world, errc code, entity_t entity, id_t id,
                     const char* sentence) {
    if (id == 0) {
        raise_about(world, code, "entity ", entity, ": ", sentence);
    }
    raise_about(world, code, "entity ", entity, ", id ", id, ": ", sentence);
}

// Bits outside of the listed ones are derived from the state of the stage.
void update_mode(stage& world) noexcept {
    constexpr std::uint32_t kept_bits = detail::mode_ranged | detail::mode_tracks_empty |
                                        detail::mode_untidy | detail::mode_redirected |
                                        detail::mode_recording | detail::mode_handle_rules;
    std::uint32_t mode = world.mode & kept_bits;
    mode |= world.queue.depth != 0 ? detail::mode_deferred : 0u;
    mode |= world.creation.scope != 0 || !world.creation.with.empty() ? detail::mode_in_scope : 0u;
    mode |= world.monitored || world.after_iteration.lock ? detail::mode_entity_events : 0u;
    world.mode = mode;
}

// Locks of all worlds of the thread are in one list.
bool is_iterated(const stage& world) noexcept {
    for (const detail::table_lock* lock = detail::open_locks; lock; lock = lock->older()) {
        if (lock->is_of(&world)) {
            return true;
        }
    }
    return false;
}

bool is_locked(const stage& world, std::uint32_t table) noexcept {
    for (const detail::table_lock* lock = detail::open_locks; lock && table != 0;
         lock = lock->older()) {
        if (lock->covers(table) && lock->is_of(&world)) {
            return true;
        }
    }
    return false;
}

namespace {

// The advice in messages about locks. A change during a flush cannot be deferred again.
const char* advice(const stage& world) noexcept {
    return world.queue.flushing ? "do that when the iteration is over"
                                : "defer the change (world.defer)";
}

// Appends the newest query of this world that is being iterated, if there is one.
void append_query(const stage& world, base::text& message) {
    for (const detail::table_lock* lock = detail::open_locks; lock; lock = lock->older()) {
        if (lock->query() && lock->is_of(&world)) {
            message << " by the query \"";
            world.callbacks.describe_query(lock->query(), message);
            message << "\"";
            return;
        }
    }
}

}  // namespace

void raise_locked(const stage& world, entity_t entity, id_t id) {
    if (entity == 0) {
        base::text message;
        message << "entities cannot come into a table or leave it while it is being iterated";
        append_query(world, message);
        message << "; " << advice(world);
        base::raise(errc::locked, message);
    }
    base::text sentence;
    sentence << "its table is being iterated";
    append_query(world, sentence);
    sentence << ", so it cannot change now; " << advice(world);
    raise_entity_id(world, errc::locked, entity, id, sentence.c_str());
}

void check_unlocked(const stage& world, entity_t entity, id_t id, std::uint32_t from,
                    std::uint32_t to) {
    if (is_locked(world, from) || is_locked(world, to)) {
        raise_locked(world, entity, id);
    }
}

void check_sparse_unlocked(const stage& world, entity_t entity, id_t id) {
    for (const detail::table_lock* lock = detail::open_locks; lock; lock = lock->older()) {
        if (lock->covers_sparse(id) && lock->is_of(&world)) {
            base::text sentence;
            sentence << "it is being iterated, so it cannot be added or removed now; "
                     << advice(world);
            raise_entity_id(world, errc::locked, entity, id, sentence.c_str());
        }
    }
}

}  // namespace kith::mutate
