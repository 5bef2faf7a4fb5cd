// Runs deferred commands: implements flush() and drop_commands() of stage.hpp, and
// run_post_iteration() of post_iteration.hpp. The commands of one entity are folded into one move
// (fold.hpp); the state afterwards is the same as if the commands had run one by one, and hooks run
// once per net effect.
#include "base/assert.hpp"
#include "mutate/apply/fast_path.hpp"
#include "mutate/apply/values.hpp"
#include "mutate/commit/first_row.hpp"
#include "mutate/context/command_buffer.hpp"
#include "mutate/context/error_log.hpp"
#include "mutate/context/recursion_limit.hpp"
#include "mutate/flush/fold.hpp"
#include "mutate/notify/net_effects.hpp"
#include "mutate/notify/notify.hpp"
#include "mutate/ops/add_remove.hpp"
#include "mutate/ops/clone.hpp"
#include "mutate/ops/destroy.hpp"
#include "mutate/ops/emit.hpp"
#include "mutate/ops/set_value.hpp"
#include "mutate/ops/shrink.hpp"
#include "mutate/ops/toggle.hpp"
#include "mutate/queue/barrier.hpp"
#include "mutate/queue/post_iteration.hpp"
#include "mutate/rules/destination.hpp"
#include "mutate/rules/sibling_names.hpp"
#include "storage/find.hpp"

#include <exception>
#include <utility>

namespace kith::mutate {

namespace {

// Runs a deferred name: the name index changes before the value is stored.
void run_name(stage& world, command& queued) {
    entity_t parent =
        storage::parent_of(world.data, get_record(world, queued.entity), queued.entity);
    check_queued_name(world, queued.entity, parent, queued);
    notify_renaming(world, queued.entity);
    commit_queued_name(world, parent, queued);
    move_context context{queued.type, queued.value()};
    set_value(world, queued.entity, queued.id, 0, moving_source(context));
}

// True for commands whose value becomes that of the entity.
bool is_value_command(command_kind kind) noexcept {
    return kind == command_kind::set || kind == command_kind::emplace ||
           kind == command_kind::ensure;
}

// Checks that the elements of the id have the queued generations. Returns false if nothing is left
// to do; throws if the command cannot run any more.
bool check_elements(const stage& world, const command& queued) {
    if (queued.kind == command_kind::add_list) {
        const auto& list = *static_cast<const queued_ids*>(queued.value());
        for (std::uint32_t i = 0; i < list.count; ++i) {
            if (list.targets[i] && !world.data.entities.find(list.targets[i])) {
                raise_other_element(queued.kind, list.ids[i]);
            }
        }
        return true;
    }
    if (pair_is_current(world, queued)) {
        return true;
    }
    switch (queued.kind) {
        case command_kind::remove:
        case command_kind::remove_all:
        case command_kind::delete_with:
            return false;  // the pair was removed with its element
        default:
            raise_other_element(queued.kind, queued.id);
    }
}

// Runs a command whose value becomes that of the entity.
void execute_value(stage& world, command& queued) {
    move_context context{queued.type, queued.value()};
    const detail::value_source source = moving_source(context);
    if (queued.kind == command_kind::set) {
        set_value(world, queued.entity, queued.id, 0, source);
    } else if (queued.kind == command_kind::emplace) {
        emplace_value(world, queued.entity, queued.id, 0, source);
    } else {
        assign_value(*queued.type, ensure_value(world, queued.entity, queued.id, 0), source);
    }
}

// Runs one command by itself, as the operation of the same name. May throw.
void execute(stage& world, command& queued) {
    if (!check_elements(world, queued)) {
        return;
    }
    if (is_value_command(queued.kind)) {
        check_queued_type(world, prepare_id(world, queued.id, queued.entity), queued);
    }
    if (queued.id == detail::name_pair && queued.kind == command_kind::set) {
        run_name(world, queued);
        return;
    }
    switch (queued.kind) {
        case command_kind::place:
            ensure_row(world, queued.entity, get_record(world, queued.entity));
            break;
        case command_kind::add:
            add_id(world, queued.entity, queued.id);
            break;
        case command_kind::remove:
            remove_id(world, queued.entity, queued.id);
            break;
        case command_kind::set:
        case command_kind::emplace:
        case command_kind::ensure:
            execute_value(world, queued);
            break;
        case command_kind::modified:
            notify_set(world, queued.entity, queued.id);
            break;
        case command_kind::clear:
            clear_entity(world, queued.entity);
            break;
        case command_kind::destruct:
            delete_entity(world, queued.entity);
            break;
        case command_kind::clone:
        case command_kind::clone_types:
            clone_into(world, queued.id, queued.entity, queued.kind == command_kind::clone);
            break;
        case command_kind::enable:
        case command_kind::disable:
            enable_id(world, queued.entity, queued.id, queued.kind == command_kind::enable);
            break;
        case command_kind::add_list: {
            const auto& list = *static_cast<const queued_ids*>(queued.value());
            add_ids(world, queued.entity, list.ids, list.count);
            break;
        }
        case command_kind::remove_all:
            remove_all(world, queued.id);
            break;
        case command_kind::delete_with:
            delete_with(world, queued.id);
            break;
        case command_kind::emit:
            static_cast<const queued_emission*>(queued.value())->run(world);
            break;
        case command_kind::shrink:
            shrink(world);
            break;
        case command_kind::name:
        case command_kind::post_frame:
            KITH_ASSERT(false, "the command is linked as another one");
            break;
    }
}

// A queue that is running, with its errors and predicted net effects.
struct queue_run {
    stage& world;
    error_log& errors;
    net_effects& net;
};

// Returns false if the entity of the command has been deleted meanwhile. A deleted C++ type is made
// known again if the command gives it a singleton.
bool has_subject(stage& world, const command& queued) {
    if (queued.entity == 0 || world.data.entities.find(queued.entity)) {
        return true;
    }
    if (!is_singleton(queued.entity, queued.id) || !gives(queued.kind)) {
        return false;
    }
    prepare_id(world, queued.id, queued.entity);
    return world.data.entities.find(queued.entity) != nullptr;
}

// Runs a command, logs an error, and destroys the queued value.
void run_command(queue_run& run, command& queued) {
    run.net.reach(queued);
    const bool done = run.errors.attempt(queued, [&] {
        // Commands without a live entity are dropped.
        if (has_subject(run.world, queued)) {
            execute(run.world, queued);
        }
    });
    if (!done) {
        run.net.note_failure(queued);
    }
    drop_value(queued);
}

// The last command of a chain.
const command& last_of(const command* head) noexcept {
    KITH_ASSERT(head, "a chain has a command");
    while (head->next) {
        head = head->next;
    }
    return *head;
}

// The first deletion of the entity in the chain, null if there is none.
command* find_ending(command* head) noexcept {
    command* command = head;
    while (command && command->kind != command_kind::destruct) {
        command = command->next;
    }
    return command;
}

// Runs the commands of a chain one after the other, with predicted net effects.
void run_chain(queue_run& run, command* head) {
    run.net.predict_chain(head);
    for (command* command = head; command; command = command->next) {
        run_command(run, *command);
    }
}

// Runs the chain of an entity: as a deletion, as a folded change, or command by command.
void run_entity(queue_run& run, command* head) {
    stage& world = run.world;
    if (!head->next) {
        run_command(run, *head);
        return;
    }
    command* ending = find_ending(head);
    if (ending && world.data.entities.find(head->entity)) {
        // Commands before the deletion have no lasting effect, unless the deletion is refused.
        run.net.reach(*ending);
        if (!run.errors.attempt(*ending, [&] { execute(world, *ending); })) {
            run.net.note_failure(*ending);
            ending->kind = command_kind::place;
            run_chain(run, head);
        }
    } else {
        run.net.reach(last_of(head));
        const std::uint32_t failures = run.errors.count();
        if (!can_fold_chain(world, head) || !run_folded(world, head, run.errors)) {
            run_chain(run, head);
        } else if (run.errors.count() != failures) {
            run.net.note_failure();
        }
    }
    for (command* command = head; command; command = command->next) {
        drop_value(*command);
    }
}

// Runs a single command that moves only bytes. Returns false if the slow path is needed.
bool try_run_fast(stage& world, command& queued) {
    storage::entity_record* record = world.data.entities.find(queued.entity);
    if (!record || !pair_is_current(world, queued)) {
        return false;
    }
    switch (queued.kind) {
        case command_kind::add:
            return try_add(world, queued.entity, queued.id);
        case command_kind::remove:
            return try_remove(world, queued.entity, queued.id);
        case command_kind::set: {
            if (!queued.type->trivial_move || !queued.type->trivial_destroy || is_pair(queued.id)) {
                return false;
            }
            const void* bytes = queued.value();
            return try_assign_bytes(world, *record, queued.id, bytes) ||
                   try_set_bytes(world, queued.entity, *record, queued.id, bytes);
        }
        default:
            return false;
    }
}

// Limits the number of rounds in which changes cause further changes, and raises an error that
// names the listeners involved. Listeners are traced in the last rounds before the limit.
class round_limit {
public:
    round_limit(stage& world, command_buffer& queue) noexcept
        : world_(world), queue_(queue), outer_(world.events.tracing) {}
    ~round_limit() { world_.events.tracing = outer_; }
    round_limit(const round_limit&) = delete;
    round_limit& operator=(const round_limit&) = delete;

    // Begins another round. Returns false if the limit is exceeded; the queue is dropped then.
    bool begin(error_log& errors) {
        ++count_;
        if (count_ + last_.most > most_rounds) [[unlikely]] {
            world_.events.tracing = &last_;
        }
        if (count_ > most_rounds) [[unlikely]] {
            if (count_ == most_rounds + 1) {
                errors.attempt([&] { raise_endless(world_, last_); });
            }
            drop_changes(errors);
            return false;
        }
        return true;
    }

private:
    // Drops the queue. Entities that were created while deferred still get their rows.
    void drop_changes(error_log& errors) {
        for (command* command = queue_.take(); command; command = command->following) {
            if (command->kind == command_kind::place &&
                world_.data.entities.find(command->entity)) {
                errors.attempt(*command, [&] { execute(world_, *command); });
            }
            drop_value(*command);
        }
        queue_.recycle(world_.data.mem);
    }

    stage& world_;
    command_buffer& queue_;
    events::trace* outer_;
    events::trace last_;
    std::uint32_t count_ = 0;
};

// Runs the chain of an entity, by the fast path if it is one simple command.
void run_entity_commands(queue_run& run, command* command) {
    bool done = false;
    if (!command->next) {
        run.net.reach(*command);
        run.errors.attempt(*command, [&] { done = try_run_fast(run.world, *command); });
    }
    if (!done) {
        run_entity(run, command);
    }
}

// Runs all commands. `in_order`: one by one in call order. `spread`: entities have commands in
// several segments, so that net effects must be predicted for the whole queue.
void run_commands(queue_run& run, command* first, bool in_order, bool spread) {
    auto predict = [&](const command* from) {
        if (in_order || spread) {
            run.net.predict_queue(from, in_order);
        }
    };
    predict(first);
    for (command* command = first; command; command = command->following) {
        if (command->kind == command_kind::emit) {
            // Listeners of an emitted event have received all net effects of the commands before
            // it.
            run.errors.attempt([&] { run.net.finish(); });
            run_command(run, *command);
            predict(command->following);
        } else if (in_order || command->entity == 0) {
            run_command(run, *command);
        } else if (command->is_head) {
            run_entity_commands(run, command);
        }
    }
    run.errors.attempt([&] { run.net.finish(); });
}

// Runs the queue in rounds, until no command is left.
void run_queue(stage& world, command_buffer& queue, round_limit& rounds, error_log& errors) {
    while (!queue.empty() && rounds.begin(errors)) {
        const bool in_order = queue.is_sequential();
        const bool spread = queue.spans_segments();
        net_effects net(world, queue);
        command* first = queue.take();
        queue_run run{world, errors, net};
        run_commands(run, first, in_order, spread);
        queue.recycle(world.data.mem);
    }
}

// Logs the error of a callback that was kept so that the operation could continue.
void take_failure(stage& world, error_log& errors) {
    if (world.operation.failed) {
        errors.attempt(
            [&] { std::rethrow_exception(std::exchange(world.operation.failed, nullptr)); });
    }
}

// Counts a round in which only monitors reported and recorded new changes; ends the batch if the
// limit is exceeded.
void end_batch_again(stage& world, round_limit& rounds, error_log& errors) {
    if (world.operation.batch_open && world.queue.commands.empty() && !rounds.begin(errors)) {
        world.operation.batch_open = false;
    }
}

}  // namespace

void flush(stage& world) {
    KITH_ASSERT(!world.queue.flushing, "a queue is run by one flush");
    error_log errors;
    round_limit rounds(world, world.queue.commands);
    world.queue.flushing = true;
    do {
        run_queue(world, world.queue.commands, rounds, errors);
        if (std::exchange(world.operation.batch_open, false)) {
            errors.attempt([&] { world.callbacks.end_batch(world); });
            end_batch_again(world, rounds, errors);
        }
    } while (!world.queue.commands.empty() || world.operation.batch_open);
    take_failure(world, errors);
    world.queue.flushing = false;
    release_ended_types(world);
    world.queue.failed_order = errors.first_order();
    errors.raise_first();
}

void run_post_iteration(stage& world) {
    error_log errors;
    round_limit rounds(world, world.after_iteration.commands);
    errors.attempt([&] { review_post_iteration(world); });
    run_queue(world, world.after_iteration.commands, rounds, errors);
    take_failure(world, errors);
    errors.raise_first();
}

void drop_commands(stage& world, command_buffer& queue) noexcept {
    for (command* command = queue.take(); command; command = command->following) {
        drop_value(*command);
    }
    queue.recycle(world.data.mem);
}

}  // namespace kith::mutate
