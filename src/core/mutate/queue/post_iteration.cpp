// Implements post_iteration.hpp, except for run_post_iteration(), and on_iteration_end() of
// stage.hpp.
#include "mutate/queue/post_iteration.hpp"

#include "mutate/context/command_buffer.hpp"
#include "mutate/queue/defer.hpp"
#include "storage/find.hpp"
#include "traits/traits.hpp"

namespace kith::mutate {

namespace {

// The oldest lock of the world, since most others end before it; null if there is none.
detail::table_lock* oldest_lock(const stage& world) noexcept {
    detail::table_lock* oldest = nullptr;
    for (detail::table_lock* lock = detail::open_locks; lock; lock = lock->older()) {
        oldest = lock->is_of(&world) ? lock : oldest;
    }
    return oldest;
}

// Registers for the end of a lock, null: no longer.
void set_awaited_lock(stage& world, detail::table_lock* lock) noexcept {
    world.after_iteration.lock = lock;
    if (lock) {
        lock->add_after(world.after_iteration.listener);
    }
    update_mode(world);
}

// Turns the command into one that only ensures that the entity has a row.
void drop(command& queued) noexcept {
    drop_value(queued);
    queued.kind = command_kind::place;
    queued.id = 0;
}

bool gives_pair(const command& queued) noexcept {
    return queued.kind == command_kind::add && is_pair(queued.id);
}
bool gives_pair(const command& queued, entity_t target) noexcept {
    return gives_pair(queued) && pair_second(queued.id) == index_of(target);
}

// The target of the queued pair is deleted: the entity is deleted with it, or stays without the
// pair.
void lose_target(stage& world, command& queued) {
    if (traits::describe_id(world.data, queued.id).traits & traits::trait_delete_sources) {
        defer_entity(world, command_kind::destruct, queued.entity);
    }
    drop(queued);
}

// True if the target of the queued pair has been deleted.
bool has_lost_target(const stage& world, const command& queued) noexcept {
    const entity_t target = world.data.entities.alive_at(pair_second(queued.id));
    return target == 0 || generation_of(target) != queued.generations[1];
}

// True if the entity has already got a name or parent in place of the one that the command gives.
bool is_overtaken(const storage::store& data, const storage::entity_record& record,
                  const command& queued) noexcept {
    if (gives_pair(queued)) {
        return pair_first(queued.id) == ChildOf &&
               storage::parent_of(data, record, queued.entity) != 0;
    }
    return queued.kind == command_kind::set && queued.id == detail::name_pair &&
           storage::owns_id(data, record, queued.entity, detail::name_pair);
}

}  // namespace

void defer_past_iteration(stage& world) noexcept {
    if (!world.after_iteration.lock) {
        set_awaited_lock(world, oldest_lock(world));
    }
}

void on_iteration_end(detail::after_lock& ended) noexcept {
    stage& world = *static_cast<post_iteration_queue::lock_listener&>(ended).world;
    if (detail::table_lock* next = oldest_lock(world)) {
        set_awaited_lock(world, next);
    } else {
        world.callbacks.end_iteration(world);
    }
}

void end_post_iteration(stage& world) noexcept {
    if (world.after_iteration.lock) {
        world.after_iteration.lock->remove_after(world.after_iteration.listener);
    }
    set_awaited_lock(world, nullptr);
    drop_commands(world, world.after_iteration.commands);
}

void drop_post_iteration(stage& world, entity_t ending) {
    for (command* command = world.after_iteration.commands.first(); command;
         command = command->following) {
        if (command->entity == ending) {
            drop(*command);
        } else if (gives_pair(*command, ending) && world.data.entities.find(command->entity)) {
            lose_target(world, *command);
        }
    }
}

void drop_post_iteration(stage& world, entity_t entity, id_t id) noexcept {
    for (command* command = world.after_iteration.commands.first(); command;
         command = command->following) {
        if (command->entity == entity && command->id == id) {
            drop(*command);
        }
    }
}

void review_post_iteration(stage& world) {
    for (command* command = world.after_iteration.commands.first(); command;
         command = command->following) {
        const storage::entity_record* record = world.data.entities.find(command->entity);
        if (record && is_overtaken(world.data, *record, *command)) {
            drop(*command);
        } else if (record && gives_pair(*command) && has_lost_target(world, *command)) {
            lose_target(world, *command);
        }
    }
}

bool is_staged_target(const command_buffer& queue, entity_t target) noexcept {
    const command* command = queue.first();
    while (command && !gives_pair(*command, target)) {
        command = command->following;
    }
    return command != nullptr;
}

}  // namespace kith::mutate
