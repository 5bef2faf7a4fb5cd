// Stretches of a frame: the code of systems, whose changes are queued and run together
// (include/kith/detail/stage_ops.hpp).
#include <kith/detail/stage_ops.hpp>

#include "api/world_impl.hpp"
#include "base/log.hpp"
#include "base/raise.hpp"
#include "mutate/context/command_buffer.hpp"

#include <utility>

namespace kith::detail {

namespace {

// Ends what the code of a system has left open.
void close_open_parts(mutate::stage& owner, const stage_mark& begin) noexcept {
#if defined(KITH_ASSERTS) && KITH_ASSERTS
    base::warn(base::text{} << "a system left a scope, with() or deferred part open");
#endif
    if (owner.queue.suspended_depth != 0) {
        owner.queue.depth = 0;
        defer_resume(&owner);
    }
    owner.queue.depth = begin.depth;
    owner.creation.scope = begin.scope;
    owner.creation.with.truncate(begin.with);
    mutate::update_mode(owner);
}

// The kinds that programs see are fewer than those of commands.
queued_change::kind change_kind(mutate::command_kind kind) noexcept {
    using mutate::command_kind;
    switch (kind) {
        case command_kind::place:
            return queued_change::kind::create;
        case command_kind::add:
        case command_kind::add_list:
            return queued_change::kind::add;
        case command_kind::remove:
            return queued_change::kind::remove;
        case command_kind::set:
        case command_kind::emplace:
            return queued_change::kind::set;
        case command_kind::ensure:
            return queued_change::kind::get_mut;
        case command_kind::modified:
            return queued_change::kind::modified;
        case command_kind::clear:
            return queued_change::kind::clear;
        case command_kind::destruct:
            return queued_change::kind::destruct;
        default:
            return queued_change::kind::other;
    }
}

}  // namespace

bool is_busy(const world_t* world) noexcept {
    const mutate::stage& owner = mutate::stage_of(world);
    return owner.queue.depth != 0 || owner.queue.suspended_depth != 0 || owner.queue.flushing ||
           mutate::is_iterated(owner);
}

void check_frame(const world_t* world, const char* call) {
    if (is_busy(world)) {
        base::raise(errc::invalid_operation,
                    base::text{} << call
                                 << " inside of a frame, of a callback, of an iteration or of a "
                                    "deferred part; do it when that is over");
    }
}

void begin_stretch(world_t* world) noexcept {
    mutate::begin_defer(mutate::stage_of(world));
}

// The number of the failed command is reset first: failed_command() is about this stretch.
void end_stretch(world_t* world) {
    mutate::stage& owner = mutate::stage_of(world);
    owner.queue.failed_order = 0xFFFFFFFF;
    mutate::end_defer(owner);
}

stage_mark mark_stage(const world_t* world) noexcept {
    const mutate::stage& owner = mutate::stage_of(world);
    return {owner.creation.scope, owner.creation.with.size(), owner.queue.depth};
}

std::uint32_t end_part(world_t* world, const stage_mark& begin) noexcept {
    mutate::stage& owner = mutate::stage_of(world);
    if (owner.queue.depth != begin.depth || owner.creation.scope != begin.scope ||
        owner.creation.with.size() != begin.with) [[unlikely]] {
        close_open_parts(owner, begin);
    }
    return owner.queue.commands.next_order();
}

std::uint32_t failed_command(const world_t* world) noexcept {
    return mutate::stage_of(world).queue.failed_order;
}

// Returns the setting before, for the caller to restore.
bool allow_suspend(world_t* world, bool allowed) noexcept {
    return !std::exchange(mutate::stage_of(world).queue.no_suspend, !allowed);
}

bool allow_emit(world_t* world, bool allowed) noexcept {
    return !std::exchange(mutate::stage_of(world).queue.no_emit, !allowed);
}

// Commands that concern all ids of an entity are shown with the id Wildcard, those without an id
// with 0.
void each_command(const world_t* world, void (*visit)(const queued_change& change, void* context),
                  void* context) {
    using mutate::command_kind;
    for (const mutate::command* queued = mutate::stage_of(world).queue.commands.first(); queued;
         queued = queued->following) {
        const queued_change::kind what = change_kind(queued->kind);
        if (queued->kind == command_kind::add_list) {
            const auto& list = *static_cast<const mutate::queued_ids*>(queued->value());
            for (std::uint32_t i = 0; i < list.count; ++i) {
                visit({queued->order, list.ids[i], what}, context);
            }
            continue;
        }
        const bool is_about_all =
            queued->kind == command_kind::destruct || queued->kind == command_kind::clear ||
            queued->kind == command_kind::clone || queued->kind == command_kind::clone_types;
        const bool is_about_none = queued->kind == command_kind::place ||
                                   queued->kind == command_kind::emit ||
                                   queued->kind == command_kind::shrink;
        visit({queued->order,
               is_about_all    ? id_t{Wildcard}
               : is_about_none ? 0
                               : queued->id,
               what},
              context);
    }
}

void write_log(const char* message) noexcept {
    base::warn(base::text{} << message);
}

}  // namespace kith::detail
