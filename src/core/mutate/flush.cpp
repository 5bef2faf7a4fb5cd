// Running deferred commands. The changes of one entity are folded into one move; the state
// afterwards is the same as if the commands had run one by one, and hooks run once per net change.
#include "mutate/add_remove.hpp"
#include "mutate/barrier.hpp"
#include "mutate/clone.hpp"
#include "mutate/destroy.hpp"
#include "mutate/emit.hpp"
#include "mutate/fast_path.hpp"
#include "mutate/fold.hpp"
#include "mutate/net_effects.hpp"
#include "mutate/post_iteration.hpp"
#include "mutate/recursion_limit.hpp"
#include "mutate/shrink.hpp"
#include "mutate/toggle.hpp"
#include "mutate/values.hpp"
#include "storage/find.hpp"

#include <exception>
#include <utility>

namespace kith::mutate {

namespace {

constexpr id_t name_id = make_pair(detail::identifier_type_id, Name);

void run_name(stage& owner, command& queued) {
    entity_t parent =
        storage::parent_of(owner.data, get_record(owner, queued.entity), queued.entity);
    owner.listen.check_name(owner, queued.entity, parent, queued.value());
    notify_renaming(owner, queued.entity);
    owner.listen.commit_name(owner, parent, queued.value());
    move_context context{queued.type, queued.value()};
    set_value(owner, queued.entity, queued.id, 0, moving_source(context));
}

bool is_value_command(command_kind kind) noexcept {
    return kind == command_kind::set || kind == command_kind::emplace ||
           kind == command_kind::ensure;
}

// False if there is nothing left to do; throws if something cannot be done any more.
bool check_elements(const stage& owner, const command& queued) {
    if (queued.kind == command_kind::add_list) {
        const auto& list = *static_cast<const queued_ids*>(queued.value());
        for (std::uint32_t i = 0; i < list.count; ++i) {
            if (list.targets[i] && !owner.data.entities.find(list.targets[i])) {
                raise_other_element(queued.kind, list.ids[i]);
            }
        }
        return true;
    }
    if (pair_is_current(owner, queued)) {
        return true;
    }
    switch (queued.kind) {
        case command_kind::remove:
        case command_kind::remove_all:
        case command_kind::delete_with:
            return false;  // it went with the element
        default:
            raise_other_element(queued.kind, queued.id);
    }
}

void execute(stage& owner, command& queued) {
    if (!check_elements(owner, queued)) {
        return;
    }
    if (is_value_command(queued.kind)) {
        check_queued_type(owner, prepare_id(owner, queued.id), queued);
    }
    if (queued.id == name_id && queued.kind == command_kind::set) {
        run_name(owner, queued);
        return;
    }
    switch (queued.kind) {
        case command_kind::place:
            ensure_row(owner, queued.entity, get_record(owner, queued.entity));
            break;
        case command_kind::add:
            add_id(owner, queued.entity, queued.id);
            break;
        case command_kind::remove:
            remove_id(owner, queued.entity, queued.id);
            break;
        case command_kind::set:
            if (queued.type->trivial_move && queued.type->trivial_destroy) {
                set_value(owner, queued.entity, queued.id, 0, {queued.value(), nullptr, nullptr});
                break;
            }
            [[fallthrough]];
        case command_kind::emplace: {
            move_context context{queued.type, queued.value()};
            detail::value_source source = moving_source(context);
            (queued.kind == command_kind::set ? set_value : emplace_value)(owner, queued.entity,
                                                                           queued.id, 0, source);
            break;
        }
        case command_kind::ensure: {
            move_context context{queued.type, queued.value()};
            assign_value(*queued.type, ensure_value(owner, queued.entity, queued.id, 0),
                         moving_source(context));
            break;
        }
        case command_kind::modified:
            notify_set(owner, queued.entity, queued.id);
            break;
        case command_kind::clear:
            clear_entity(owner, queued.entity);
            break;
        case command_kind::destruct:
            delete_entity(owner, queued.entity);
            break;
        case command_kind::clone:
        case command_kind::clone_types:
            clone_into(owner, queued.id, queued.entity, queued.kind == command_kind::clone);
            break;
        case command_kind::enable:
        case command_kind::disable:
            enable_id(owner, queued.entity, queued.id, queued.kind == command_kind::enable);
            break;
        case command_kind::add_list: {
            const auto& list = *static_cast<const queued_ids*>(queued.value());
            add_ids(owner, queued.entity, list.ids, list.count);
            break;
        }
        case command_kind::remove_all:
            remove_all(owner, queued.id);
            break;
        case command_kind::delete_with:
            delete_with(owner, queued.id);
            break;
        case command_kind::emit:
            static_cast<const queued_emission*>(queued.value())->run(owner);
            break;
        case command_kind::shrink:
            shrink(owner);
            break;
    }
}

// A queue that is being run.
struct queue_run {
    stage& owner;
    error_log& errors;
    net_effects& net;
};

// False if the entity of the command died meanwhile. A C++ type that was deleted is known again
// where a singleton of it is given.
bool has_subject(stage& owner, const command& queued) {
    if (queued.entity == 0 || owner.data.entities.find(queued.entity)) {
        return true;
    }
    if (!is_singleton(queued.entity, queued.id) || !gives(queued.kind)) {
        return false;
    }
    prepare_id(owner, queued.id);
    return owner.data.entities.find(queued.entity) != nullptr;
}

void run_command(queue_run& run, command& queued) {
    run.net.reach(queued);
    const bool done = run.errors.attempt(queued, [&] {
        // Commands without a subject are dropped.
        if (has_subject(run.owner, queued)) {
            execute(run.owner, queued);
        }
    });
    if (!done) {
        run.net.note_failure(queued);
    }
    drop_value(queued);
}

const command& last_of(const command* head) noexcept {
    while (head->next) {
        head = head->next;
    }
    return *head;
}

command* find_ending(command* head) noexcept {
    command* at = head;
    while (at && at->kind != command_kind::destruct) {
        at = at->next;
    }
    return at;
}

// Runs the commands of a chain one after the other.
void run_chain(queue_run& run, command* head) {
    run.net.predict_chain(head);
    for (command* at = head; at; at = at->next) {
        run_command(run, *at);
    }
}

void run_entity(queue_run& run, command* head) {
    stage& owner = run.owner;
    if (!head->next) {
        run_command(run, *head);
        return;
    }
    command* ending = find_ending(head);
    if (ending && owner.data.entities.find(head->entity)) {
        // Whatever came before has no effect that lasts, unless the deletion is refused.
        run.net.reach(*ending);
        if (!run.errors.attempt(*ending, [&] { execute(owner, *ending); })) {
            run.net.note_failure(*ending);
            ending->kind = command_kind::place;
            run_chain(run, head);
        }
    } else {
        run.net.reach(last_of(head));
        const std::uint32_t failures = run.errors.count();
        if (!can_fold_chain(owner, head) || !run_folded(owner, head, run.errors)) {
            run_chain(run, head);
        } else if (run.errors.count() != failures) {
            run.net.note_failure();
        }
    }
    for (command* at = head; at; at = at->next) {
        drop_value(*at);
    }
}

// A single command that moves nothing but bytes. False if it must take the long way.
bool try_run_fast(stage& owner, command& queued) {
    storage::entity_record* record = owner.data.entities.find(queued.entity);
    if (!record || !pair_is_current(owner, queued)) {
        return false;
    }
    switch (queued.kind) {
        case command_kind::add:
            return try_add(owner, queued.entity, queued.id);
        case command_kind::remove:
            return try_remove(owner, queued.entity, queued.id);
        case command_kind::set: {
            if (!queued.type->trivial_move || !queued.type->trivial_destroy || is_pair(queued.id)) {
                return false;
            }
            const void* bytes = queued.value();
            return try_assign_bytes(owner, *record, queued.id, bytes) ||
                   try_set_bytes(owner, queued.entity, *record, queued.id, bytes);
        }
        default:
            return false;
    }
}

// Counts how often changes led to further changes, and ends that when it never stops.
class round_limit {
public:
    round_limit(stage& owner, command_buffer& queue) noexcept
        : owner_(owner), queue_(queue), outer_(owner.events.tracing) {}
    ~round_limit() { owner_.events.tracing = outer_; }
    round_limit(const round_limit&) = delete;
    round_limit& operator=(const round_limit&) = delete;

    // Another round begins; false if it must not.
    bool begin(error_log& errors) {
        ++count_;
        if (count_ + last_.most > most_rounds) [[unlikely]] {
            owner_.events.tracing = &last_;
        }
        if (count_ > most_rounds) [[unlikely]] {
            if (count_ == most_rounds + 1) {
                errors.attempt([&] { raise_endless(owner_, last_); });
            }
            drop_changes(errors);
            return false;
        }
        return true;
    }

private:
    // Entities that were created while deferred get their rows all the same.
    void drop_changes(error_log& errors) {
        for (command* at = queue_.take(); at; at = at->following) {
            if (at->kind == command_kind::place && owner_.data.entities.find(at->entity)) {
                errors.attempt(*at, [&] { execute(owner_, *at); });
            }
            drop_value(*at);
        }
        queue_.recycle(owner_.data.mem);
    }

    stage& owner_;
    command_buffer& queue_;
    events::trace* outer_;
    events::trace last_;
    std::uint32_t count_ = 0;
};

void run_entity_commands(queue_run& run, command* at) {
    bool done = false;
    if (!at->next) {
        run.net.reach(*at);
        run.errors.attempt(*at, [&] { done = try_run_fast(run.owner, *at); });
    }
    if (!done) {
        run_entity(run, at);
    }
}

void run_commands(queue_run& run, command* first, bool in_order, bool spread) {
    auto predict = [&](const command* from) {
        if (in_order || spread) {
            run.net.predict_queue(from, in_order);
        }
    };
    predict(first);
    for (command* at = first; at; at = at->following) {
        if (at->kind == command_kind::emit) {
            // Who is told of the event has been told of what was before.
            run.errors.attempt([&] { run.net.finish(); });
            run_command(run, *at);
            predict(at->following);
        } else if (in_order || at->entity == 0) {
            run_command(run, *at);
        } else if (at->is_head) {
            run_entity_commands(run, at);
        }
    }
    run.errors.attempt([&] { run.net.finish(); });
}

void run_queue(stage& owner, command_buffer& queue, round_limit& rounds, error_log& errors) {
    while (!queue.empty() && rounds.begin(errors)) {
        const bool in_order = queue.is_sequential();
        const bool spread = queue.spans_segments();
        net_effects net(owner, queue);
        command* first = queue.take();
        queue_run run{owner, errors, net};
        run_commands(run, first, in_order, spread);
        queue.recycle(owner.data.mem);
    }
}

// Errors of callbacks that had to go on.
void take_failure(stage& owner, error_log& errors) {
    if (owner.failed) {
        errors.attempt([&] { std::rethrow_exception(std::exchange(owner.failed, nullptr)); });
    }
}

// Where no command is left, more may have come to those who were told: a round as well.
void end_batch_again(stage& owner, round_limit& rounds, error_log& errors) {
    if (owner.batch_open && owner.commands.empty() && !rounds.begin(errors)) {
        owner.batch_open = false;
    }
}

}  // namespace

void flush(stage& owner) {
    error_log errors;
    round_limit rounds(owner, owner.commands);
    owner.flushing = true;
    do {
        run_queue(owner, owner.commands, rounds, errors);
        if (std::exchange(owner.batch_open, false)) {
            errors.attempt([&] { owner.listen.end_batch(owner); });
            end_batch_again(owner, rounds, errors);
        }
    } while (!owner.commands.empty() || owner.batch_open);
    take_failure(owner, errors);
    owner.flushing = false;
    release_ended_types(owner);
    errors.raise_first();
}

void run_post_iteration(stage& owner) {
    error_log errors;
    round_limit rounds(owner, owner.post_iteration);
    errors.attempt([&] { review_post_iteration(owner); });
    run_queue(owner, owner.post_iteration, rounds, errors);
    take_failure(owner, errors);
    errors.raise_first();
}

void drop_commands(stage& owner, command_buffer& queue) noexcept {
    for (command* at = queue.take(); at; at = at->following) {
        drop_value(*at);
    }
    queue.recycle(owner.data.mem);
}

}  // namespace kith::mutate
