// Creating the entities of observers while tables may be locked by iterations.
#include "api/observer_entity.hpp"

#include "base/assert.hpp"
#include "base/attempt.hpp"
#include "base/log.hpp"
#include "mutate/ops/add_remove.hpp"
#include "mutate/ops/create.hpp"
#include "mutate/ops/destroy.hpp"
#include "storage/graph.hpp"

#include <algorithm>
#include <string_view>

namespace kith::api {

namespace {

// The data that creating an observer changes, besides the table of observers.
struct needs {
    bool parent;          // links to parents
    bool link;            // links to observed entities
    std::uint32_t table;  // the table of the entity, 0 if it is new
};

// True if the entity gets a row in a table of this type, or passes through one.
bool is_on_the_way(const storage::table& type) noexcept {
    return storage::find_id(type, Observer) >= 0 ||
           std::all_of(type.ids, type.ids + type.id_count, [](id_t id) {
               // A prefab's children are prefabs; parents may lie in tables.
               return id == detail::name_pair || id == Prefab ||
                      (is_pair(id) && pair_first(id) == ChildOf);
           });
}

// True if the lock covers data that is needed.
bool is_in_the_way(const world_impl& owner, const detail::table_lock& lock, const needs& needed) {
    auto is_needed = [&](std::uint32_t number) {
        return number != 0 &&
               (number == needed.table || is_on_the_way(owner.data.tables.at(number)));
    };
    return is_needed(lock.table) ||
           std::any_of(lock.more_tables, lock.more_tables + lock.more_count, is_needed) ||
           (needed.parent && lock.covers_links(ChildOf)) ||
           (needed.link && lock.covers_links(detail::observes));
}

// True if needed data is locked, or if other changes are queued: all are made in their order.
bool must_wait(const world_impl& owner, const needs& needed) {
    bool waits = !owner.after_iteration.commands.empty();
    for (const detail::table_lock* lock = detail::open_locks; lock && !waits;
         lock = lock->older()) {
        waits = lock->is_of(&owner) && is_in_the_way(owner, *lock, needed);
    }
    return waits;
}

}  // namespace

// The queue of changes that wait for the end of iterations takes the place of the world's queue.
placing_scope::placing_scope(world_impl& owner, bool waits) noexcept
    : immediate_(owner), owner_(owner), waits_(waits) {
    if (waits_) {
        owner_.queue.commands.swap(owner_.after_iteration.commands);
        mutate::begin_defer(owner_);
        mutate::defer_past_iteration(owner_);
    }
}

placing_scope::~placing_scope() {
    if (waits_) {
        owner_.queue.commands.swap(owner_.after_iteration.commands);
    }
}

// Delegates to a constructor, so that the destructor runs and rolls back if this one throws.
new_observer_entity::new_observer_entity(world_impl& owner, text_view path, entity_t observed)
    : new_observer_entity(owner) {
    const entity_t scope = owner.creation.scope;
    const entity_t entity = detail::lookup_path(&owner, scope, path, "::", "::", false);
    const needs needed{scope != 0 || std::string_view(path).find("::") != std::string_view::npos,
                       observed != 0, entity ? owner.data.entities.find(entity)->table : 0};
    waits_ = must_wait(owner, needed);
    if (waits_) {
        owner.observers.await_tags();
    }
    placing_scope placing(owner, waits_);
    if (path.size != 0) {
        entity_ = detail::ensure_path(owner, scope, path, "::", "::", created_);
    } else {
        created_.reserve(1);
        entity_ = mutate::new_entity(owner);
        created_.push(entity_);
        if (scope) {
            detail::add_id(&owner, entity_, make_pair(ChildOf, scope));
        }
    }
    if (observed) {
        detail::add_id(&owner, entity_, make_pair(detail::observes, observed));
    }
}

new_observer_entity::~new_observer_entity() {
    if (kept_) {
        return;
    }
    immediate_scope immediate(owner_);
    // If memory is short, entities that are left stay, and observe nothing.
    base::attempt([&] { roll_back(); }, [] {});
}

observe::observer& new_observer_entity::make(detail::query_head* query,
                                             const detail::observer_action& action,
                                             const observe::observer_setup& setup) {
    KITH_ASSERT(!is_observer_, "an entity becomes an observer once");
    placing_scope placing(owner_, waits_);
    observe::observer& observer = owner_.observers.make(entity_, query, action, setup);
    is_observer_ = true;
    return observer;
}

entity_t new_observer_entity::keep() {
    KITH_ASSERT(!kept_, "an observer is completed once");
    kept_ = true;
    mutate::callback_scope(owner_).finish();
    return entity_;
}

// Parents that were created for the path are deleted as well, unless they have other children.
void new_observer_entity::roll_back() {
    const bool is_new = !created_.empty() && created_[created_.size() - 1] == entity_;
    if (is_observer_ && !is_new) {
        owner_.observers.unmake(entity_);
    }
    for (std::uint32_t i = created_.size(); i-- > 0;) {
        const entity_t element = created_[i];
        if (owner_.data.entities.find(element) && (element == entity_ || !has_children(element))) {
            mutate::delete_entity(owner_, element);
        }
    }
}

bool new_observer_entity::has_children(entity_t element) const {
    return mutate::is_staged_target(owner_.after_iteration.commands, element) ||
           mutate::is_staged_target(owner_.queue.commands, element) ||
           !storage::each_source(owner_.data, ChildOf, index_of(element),
                                 [](entity_t) { return false; });
}

namespace {

// Runs the commands of callbacks where no caller can receive an error: it becomes a warning.
void finish_alone(world_impl& owner) noexcept {
#if defined(__cpp_exceptions)
    try {
        mutate::callback_scope(owner).finish();
    } catch (const std::exception& failed) {
        base::warn(base::text{} << "after an iteration, what observers that were made in it need: "
                                << failed.what());
    } catch (...) {
        // An unknown exception has no text to warn with.
    }
#else
    mutate::callback_scope(owner).finish();
#endif
}

}  // namespace

// Errors of the queued changes are kept apart from an error that is on its way already.
void run_post_iteration(mutate::stage& stage) noexcept {
    world_impl& owner = impl_of(stage);
    std::exception_ptr failed;
    {
        immediate_scope immediate(owner);
        mutate::keep_error(owner, [&] { mutate::run_post_iteration(owner); });
        owner.observers.end_batch();
        mutate::end_post_iteration(owner);
        failed = std::exchange(owner.operation.failed, nullptr);
    }
    owner.operation.failed = owner.operation.failed ? owner.operation.failed : failed;
    // Otherwise the deferred part or operation around the iteration throws the error at its end.
    if (owner.queue.depth == 0 && !owner.queue.flushing) {
        finish_alone(owner);
    }
}

}  // namespace kith::api
