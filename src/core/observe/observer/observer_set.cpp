// Making and ending observers together with the tags of their entities.
#include "observe/observer/observer_set.hpp"

#include "base/assert.hpp"
#include "base/scope_exit.hpp"
#include "mutate/ops/add_remove.hpp"
#include "mutate/queue/post_iteration.hpp"
#include "observe/observer/trigger_plan.hpp"
#include "storage/find.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace kith::observe {

using containers::purpose;
using events::event_data;

observer_set::~observer_set() {
    clear();
    untagged_.release(world_.data.mem, purpose::index);
}

void observer_set::clear() noexcept {
    while (!by_entity_.empty()) {
        remove(by_entity_.begin()->first);
    }
}

observer* observer_set::find(entity_t entity) const noexcept {
    const auto place = by_entity_.find(entity);
    return place != by_entity_.end() ? place->second : nullptr;
}

void observer_set::remove(entity_t entity) noexcept {
    if (observer* ended = find(entity)) {
        by_entity_.erase(entity);
        ended->end();
    }
}

void observer_set::end_lost() noexcept {
    for (auto each = by_entity_.begin(); each != by_entity_.end();) {
        const storage::entity_record* record = world_.data.entities.find(each->first);
        const bool tagged =
            record && storage::find_id(world_.data.tables.at(record->table), Observer) >= 0;
        observer* ended = tagged ? nullptr : each->second;
        each = tagged ? std::next(each) : by_entity_.erase(each);
        if (ended) {
            ended->end();
        }
    }
}

observer& observer_set::make(entity_t entity, detail::query_head* query,
                             const detail::observer_action& action, const observer_setup& setup) {
    base::scope_exit release_parts([&] {
        detail::release_query(query);
        if (action.free_function) {
            action.free_function(action.function);
        }
    });
    listen_to_tags();
    void* block = world_.data.mem.allocate(sizeof(observer), purpose::index);
    observer& created = *::new (block) observer(world_, entity, query, action, setup);
    release_parts.release();
    base::scope_exit end_created([&] { created.end(); });
    plan_triggers(created, setup);
    KITH_ASSERT(!find(entity), "an entity has one observer");
    by_entity_.emplace(entity, &created);
    end_created.release();
    base::scope_exit remove_created([&] { remove(entity); });
    created.start();
    if (world_.mode & detail::mode_deferred) {
        untagged_.push(world_.data.mem, entity, purpose::index);
    }
    detail::add_id(&world_, entity, Observer);
    remove_created.release();
    return created;
}

void observer_set::unmake(entity_t entity) {
    if (is_untagged(entity)) {
        remove(entity);
        mutate::drop_post_iteration(world_, entity, Observer);
    } else {
        mutate::remove_id(world_, entity, Observer);
    }
}

bool observer_set::is_untagged(entity_t entity) const noexcept {
    return std::find(untagged_.begin(), untagged_.end(), entity) != untagged_.end();
}

void observer_set::listen(tag_listener& listener,
                          void (*on_event)(events::listener&, const event_data&), entity_t event,
                          entity_t tag) {
    if (!listener.is_subscribed) {
        listener.on_event = on_event;
        listener.observers = this;
        world_.events.add(listener, event, tag);
        listener.is_subscribed = true;
    }
}

void observer_set::listen_to_tags() {
    listen(ends_, on_delete, OnRemove, Observer);
    listen(disables_, on_disable, OnAdd, Disabled);
    listen(enables_, on_enable, OnRemove, Disabled);
}

void observer_set::await_tags() {
    listen(early_ends_, on_early_delete, events::before_delete, Wildcard);
}

void observer_set::end_batch() noexcept {
    while (!untagged_.empty()) {
        const entity_t entity = untagged_.back();
        untagged_.pop();
        const storage::entity_record* record = world_.data.entities.find(entity);
        if (!record || !storage::owns_id(world_.data, *record, entity, Observer)) {
            remove(entity);
        }
    }
    world_.events.remove(early_ends_, events::before_delete, Wildcard);
    early_ends_.is_subscribed = false;
}

void observer_set::on_delete(events::listener& me, const event_data& event) {
    static_cast<tag_listener&>(me).observers->remove(event.entity);
}

void observer_set::on_early_delete(events::listener& me, const event_data& event) {
    observer_set& all = *static_cast<tag_listener&>(me).observers;
    if (all.is_untagged(event.entity)) {
        all.remove(event.entity);
    }
    mutate::drop_post_iteration(all.world_, event.entity);
}

void observer_set::on_disable(events::listener& me, const event_data& event) {
    if (observer* observer = static_cast<tag_listener&>(me).observers->find(event.entity)) {
        observer->set_enabled(false);
    }
}

void observer_set::on_enable(events::listener& me, const event_data& event) {
    if (observer* observer = static_cast<tag_listener&>(me).observers->find(event.entity)) {
        observer->set_enabled(true);
    }
}

}  // namespace kith::observe
