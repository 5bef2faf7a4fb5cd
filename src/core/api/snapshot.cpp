// Snapshots (kith/snapshot.hpp): taking, restoring and opening them. mutate/state captures and
// replaces storage; this file takes care of the objects of the program: observers, monitors, types
// and enums.
#include "api/snapshot.hpp"

#include <kith/detail/handle_ops.hpp>

#include "base/attempt.hpp"
#include "base/log.hpp"
#include "base/scope_exit.hpp"
#include "mutate/apply/values.hpp"
#include "mutate/state/replace_state.hpp"
#include "query/query_block.hpp"
#include "types/component_type.hpp"

#include <algorithm>
#include <atomic>
#include <exception>

namespace kith {

namespace api {

void check_between_operations(const world_impl& owner, const char* call) {
    if (owner.queue.depth != 0 || owner.queue.suspended_depth != 0 || owner.queue.flushing ||
        mutate::is_iterated(owner)) {
        base::raise(errc::invalid_operation,
                    base::text{} << call
                                 << " of a snapshot inside of a callback, of an iteration or of a "
                                    "deferred part of its world; do it when that is over");
    }
}

mutate::capture_memory& captures_of(world_impl& owner) {
    if (!owner.captures) {
        owner.captures = std::make_unique<mutate::capture_memory>();
    }
    return *owner.captures;
}

shared_state capture(world_impl& owner) {
    mutate::capture_memory& memory = captures_of(owner);
    std::shared_ptr<const void> plans = owner.planned.keep(owner.data);
    // The end of the object gives the world its transient ids back, which writes to it.
    mutate::transient_ids aside(owner, mutate::find_transient(owner.data));
    aside.set_aside();
    std::shared_ptr<mutate::world_state> taken = mutate::capture_state(owner, memory, aside);
    if (const detail::world_extension* library = owner.extension) {
        taken->extension.resize(library->state_size());
        library->save_state(taken->extension.data());
    }
    taken->handle_rules = owner.deletion.handle_rules;
    taken->plans = std::move(plans);
    mutate::note_state(owner.data, memory, taken);
    return taken;
}

namespace {

// Enums whose types are not part of the state register their constants again when they are used.
void forget_lost_enums(world_impl& owner) noexcept {
    for (std::uint32_t type = 0; type < owner.enums.size(); ++type) {
        if (owner.enums[type].desc && !owner.data.entities.alive_at(type)) {
            owner.enums[type].desc = nullptr;
        }
    }
}

// Observers that ended after the capture have entities again, but no code.
void warn_of_idle_observers(const world_impl& owner) noexcept {
    const storage::id_record* record = owner.data.ids.find(Observer);
    for (std::uint32_t i = 0; record && i < record->active; ++i) {
        const storage::table& type = owner.data.tables.at(record->tables[i].table);
        const detail::table_rows& rows = owner.data.tables.rows(type.number);
        for (std::uint32_t row = 0; row < rows.count; ++row) {
            const entity_t entity = storage::entities_of(type, rows)[row];
            if (!owner.observers.find(entity)) {
                base::text message;
                names::describe_id(owner.data, entity, message);
                message << " is an observer again, but its code has ended: make it anew";
                base::warn(message);
            }
        }
    }
}

constexpr entity_t hook_events[] = {OnAdd, OnSet, OnRemove};

// A type whose scope has ended gets the place that its C++ name says.
void register_kept_type(world_impl& owner, const mutate::kept_type& kept) {
    if (kept.name.empty() || (kept.scope != 0 && !owner.data.entities.find(kept.scope))) {
        detail::ensure_component(&owner, kept.component);
        return;
    }
    const entity_t scope = std::exchange(owner.creation.scope, kept.scope);
    base::scope_exit reset([&] { owner.creation.scope = scope; });
    detail::declare_component(&owner, kept.component, text_view(kept.name));
    if (kept.own) {
        mutate::copy_context source{&kept.own.type(), kept.own.get()};
        detail::set_value(&owner, kept.component, kept.component, kept.component,
                          mutate::copying_source(source));
    }
}

// Registers the C++ types again that the program has used since the capture. A type that cannot be
// registered for lack of memory is registered when it is used again, without hooks.
void register_kept_types(world_impl& owner,
                         mutate::state_vector<mutate::kept_type>& types) noexcept {
    for (mutate::kept_type& kept : types) {
        auto set = [&](types::hook_kind kind, auto&& assign) {
            if (kept.hooks[kind].call) {
                const hook given = std::exchange(kept.hooks[kind], {});
                assign(given);
            }
        };
        base::attempt(
            [&] {
                register_kept_type(owner, kept);
                for (types::hook_kind kind :
                     {types::hook_add, types::hook_set, types::hook_remove}) {
                    set(kind, [&](const hook& given) {
                        detail::set_hook(&owner, kept.component, hook_events[kind], given);
                    });
                }
                set(types::hook_validate, [&](const hook& given) {
                    detail::set_validator(&owner, kept.component, given);
                });
            },
            [] {});
        for (hook& unused : kept.hooks) {
            if (unused.free_context) {
                unused.free_context(unused.context);
            }
        }
    }
}

}  // namespace

// Monitors record their results while the world has its transient ids.
void restore_state(world_impl& owner, const shared_state& state) {
    if (state->handle_rules) {
        detail::set_handle_rules(&owner, *state->handle_rules);
    }
    // The end of this scope is the end of a batch: monitors report.
    auto end_batch = [&] {
        mutate::callback_scope code(owner);
        code.finish();
    };
    base::scope_exit failed([&] { base::attempt(end_batch, [] {}); });
    owner.monitors.record_all();
    mutate::state_vector<mutate::kept_type> types;
    std::exception_ptr lost;
    {
        // The replacement ends types, and values that are set aside end before them.
        mutate::state_replacement replacement(owner, captures_of(owner), state);
        mutate::transient_ids aside(owner, state->transient);
        aside.set_aside();
        replacement.prepare();
        replacement.commit();
        replacement.release_rows();
        base::attempt([&] { aside.put_back(state->made_tables); },
                      [&] { lost = std::current_exception(); });
        types = std::move(replacement.kept_types());
        owner.observers.end_lost();
    }
    // Tables without rows are tidied by the operation that follows, as it was at the capture, and
    // not by those below.
    const std::uint32_t untidy = owner.mode & detail::mode_untidy;
    owner.mode &= ~untidy;
    forget_lost_enums(owner);
    register_kept_types(owner, types);
    if (detail::world_extension* library = owner.extension) {
        library->load_state(state->extension.data(), state->extension.size());
    }
    owner.planned.return_to(owner.data,
                            static_cast<const queries::planned_queries::kept*>(state->plans.get()));
    warn_of_idle_observers(owner);
    failed.release();
    base::scope_exit reset([&] { owner.mode |= untidy; });
    end_batch();
    if (lost) {
        std::rethrow_exception(lost);
    }
}

}  // namespace api

namespace detail {

using api::check_between_operations;
using api::impl_of;
using api::shared_state;
using api::world_impl;

namespace {

world_impl& linked_world(const weak_world* link, const char* call) {
    if (!link || !link->world) {
        base::raise(errc::invalid_operation,
                    base::text{} << call << " of a snapshot whose world has ended");
    }
    return impl_of(link->world);
}

void check_not_empty(const snapshot_state* state, const char* call) {
    if (!state) {
        base::raise(
            errc::invalid_operation,
            base::text{} << call << " of an empty snapshot: take() has to capture a state first");
    }
}

// True if the world has live entities that are neither builtin nor C++ types.
bool has_own_entities(const world_impl& owner) {
    bool found = false;
    owner.data.entities.each([&](entity_t) { found = true; }, first_entity);
    return found;
}

}  // namespace

weak_world* share_world_link(const world_t* world) {
    if (!world) {
        base::raise(errc::invalid_operation, "a snapshot of a world that has ended");
    }
    weak_world* link = impl_of(const_cast<world_t*>(world)).link;
    link->owners.increment();
    return link;
}

weak_world* share_link(weak_world* link) noexcept {
    if (link) {
        link->owners.increment();
    }
    return link;
}

void release_world_link(weak_world* link) noexcept {
    queries::release_link(link);
}

snapshot_state* take_snapshot(const weak_world* link) {
    world_impl& owner = linked_world(link, "take");
    check_between_operations(owner, "take");
    shared_state taken = api::capture(owner);
    return new snapshot_state(std::move(taken), owner.link);
}

namespace {

// The world of a handle with a state. Throws if there is none, or if the world is inside of an
// operation.
world_impl& required_world(const weak_world* link, const snapshot_state* state, const char* call) {
    check_not_empty(state, call);
    world_impl& owner = linked_world(link, call);
    check_between_operations(owner, call);
    return owner;
}

// Makes the facts of the state true by operations, of a part those of its entities only: entities
// outside of it stay as they are, so that storage cannot be replaced.
void restore_facts(world_impl& owner, const snapshot_state& state) {
    // The handle may be released by a callback.
    const shared_state shared = state.state;
    const bool is_part = state.part.has_value();
    const shared_state now = api::capture(owner);
    const mutate::state_reader before(*now);
    const mutate::state_reader after(*shared);
    const std::vector<mutate::fact> facts =
        mutate::find_differences(before, after, &owner, is_part ? &*state.part : nullptr);
    api::diff_application application(owner, {facts, before, after});
    if (is_part) {
        application.check_indices();
    }
    application.run();
}

}  // namespace

void restore_snapshot(const weak_world* link, const snapshot_state* state) {
    world_impl& owner = required_world(link, state, "restore");
    if (state->part) {
        restore_facts(owner, *state);
        return;
    }
    // The handle may be released by a callback of a monitor.
    const shared_state shared = state->state;
    api::restore_state(owner, shared);
}

void restore_by_operations(const weak_world* link, const snapshot_state* state) {
    restore_facts(required_world(link, state, "restore"), *state);
}

void limit_snapshot(snapshot_state* state, const entity_t* entities, std::size_t count,
                    const id_t* ids, std::size_t id_count) {
    mutate::diff_scope part;
    std::transform(entities, entities + count, std::back_inserter(part.indices),
                   [](entity_t entity) { return index_of(entity); });
    std::sort(part.indices.begin(), part.indices.end());
    part.indices.erase(std::unique(part.indices.begin(), part.indices.end()), part.indices.end());
    part.ids.assign(ids, ids + id_count);
    if (id_count != 0) {
        part.ids.push_back(0);  // facts about entities
    }
    std::sort(part.ids.begin(), part.ids.end());
    state->part = std::move(part);
}

void restore_snapshot_into(world_t* world, const snapshot_state* state) {
    check_not_empty(state, "restore_into");
    if (!world) {
        base::raise(errc::invalid_operation, "restore_into a world that has ended");
    }
    world_impl& owner = impl_of(world);
    check_between_operations(owner, "restore_into");
    if (has_own_entities(owner)) {
        base::raise(errc::in_use,
                    "restore_into replaces the contents of a world, and this world has entities of "
                    "its own; use a new world");
    }
    if (state->part) {
        base::raise(
            errc::invalid_operation,
            "a part of a world cannot take the place of another world's contents; restore() "
            "gives the part back to its own world");
    }
    const shared_state shared = state->state;
    api::restore_state(owner, shared);
}

snapshot_state* share_snapshot(snapshot_state* state) noexcept {
    if (state) {
        state->owners.increment();
    }
    return state;
}

void release_snapshot(snapshot_state* state) noexcept {
    if (state && state->owners.decrement()) {
        delete state;
    }
}

std::size_t snapshot_bytes(const snapshot_state* state, bool own) noexcept {
    return state ? mutate::state_bytes(*state->state, own) : 0;
}

}  // namespace detail

}  // namespace kith
