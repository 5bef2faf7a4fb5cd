// Implements destroy.hpp, except for remove_all(): the cascade of a deletion (class deletion).
#include "mutate/ops/destroy.hpp"

#include "base/assert.hpp"
#include "base/scope_exit.hpp"
#include "ids/builtin.hpp"
#include "mutate/apply/erase_many.hpp"
#include "mutate/apply/fast_path.hpp"
#include "mutate/apply/owned_ids.hpp"
#include "mutate/apply/rows.hpp"
#include "mutate/apply/values.hpp"
#include "mutate/commit/archetype_move.hpp"
#include "mutate/commit/inverses.hpp"
#include "mutate/commit/sparse_ops.hpp"
#include "mutate/context/wide_tables.hpp"
#include "mutate/notify/deletion_events.hpp"
#include "mutate/ops/add_remove.hpp"
#include "mutate/ops/holders.hpp"
#include "mutate/rules/change_set.hpp"
#include "mutate/rules/constraints.hpp"
#include "mutate/rules/destination.hpp"
#include "mutate/rules/handle_rules.hpp"
#include "mutate/rules/referrers.hpp"
#include "mutate/rules/sibling_names.hpp"
#include "storage/graph.hpp"
#include "storage/value_index.hpp"
#include "traits/implications.hpp"

#include <algorithm>

namespace kith::mutate {

using containers::purpose;
using storage::entity_record;
using storage::id_info;
using storage::id_record;
using storage::link_store;
using storage::table;

namespace {

// The action that a cleanup policy demands of the holders of an id of which a deleted entity is an
// element.
enum class policy { remove, erase, panic };

// The policy for the holders of `use` when `deleted` ends. `is_first`: the deleted entity is the id
// itself or its relationship (OnDelete), else the target (OnDeleteTarget). Components with values
// panic by default.
policy policy_of(const storage::store& data, entity_t deleted, const id_info& use, bool is_first) {
    if (use.id & Override) {
        return policy::remove;
    }
    if (!is_first) {
        return use.traits & traits::trait_panic_sources    ? policy::panic
               : use.traits & traits::trait_delete_sources ? policy::erase
                                                           : policy::remove;
    }
    // The policies of the entity cover its pairs.
    const id_record* own = data.ids.find(deleted);
    std::uint32_t bits = own ? own->traits : use.traits;
    if (bits & traits::trait_panic_holders) {
        return policy::panic;
    }
    if (bits & traits::trait_delete_holders) {
        return policy::erase;
    }
    bool has_values = own && own->value_type;
    return has_values && !(bits & traits::trait_remove_holders) ? policy::panic : policy::remove;
}

// A way in which others refer to a deleted entity, with its cleanup policy.
struct entity_use {
    reference to;
    policy action;
};

// One deletion with its cascade: add() collects the entities that policies delete, check() throws
// if the deletion is refused, run() notifies and deletes. A refusal throws in add() or check(),
// before anything but marks has changed.
//
// Invariants
// 1. An entity in `order_` or expanded in `steps_` has the flag record_pending_delete; in `order_`
//    also record_delete_ordered.
// 2. `order_` lists each entity once, after the entities that must end before it, except within
//    cycles.
// 3. `steps_` is the stack of a depth-first search, empty outside of add().
// 4. Referrers are enumerated once, by add(); erase() looks again, because callbacks may have
//    changed them meanwhile.
class deletion {
public:
    explicit deletion(stage& world) noexcept
        : world_(world),
          data_(world.data),
          handles_(world),
          has_rules_(handles_.is_needed()),
          events_(world),
          notes_uses_(events_.notifies() || is_iterating()) {}
    ~deletion() {
        // Entities that were not deleted live on, without marks.
        for (entity_t entity : order_) {
            unmark(entity);
        }
        for (const step& open : steps_) {
            unmark(open.entity);
        }
        order_.release(data_.mem, purpose::commands);
        steps_.release(data_.mem, purpose::commands);
        sources_.release(data_.mem, purpose::commands);
        uses_.release(data_.mem, purpose::commands);
        used_.release(data_.mem, purpose::commands);
        handle_uses_.release(data_.mem, purpose::commands);
    }
    deletion(const deletion&) = delete;
    deletion& operator=(const deletion&) = delete;

    // Adds an entity and the entities that its policies delete. Changes nothing but marks.
    void add(entity_t root) {
        push(root);
        while (!steps_.empty()) {
            step& top = steps_.back();
            entity_t entity = top.entity;
            std::uint32_t& state = data_.entities.find(entity)->state;
            if (top.expanded || !(state & storage::record_pending_delete || needs_search(state))) {
                order_.push(data_.mem, entity, purpose::commands);
                state |= storage::record_pending_delete | storage::record_delete_ordered;
                if (top.expanded) {
                    used_.push(data_.mem, {entity, top.first_use, top.use_count},
                               purpose::commands);
                }
                steps_.pop();
            } else if (state & storage::record_pending_delete) {
                // The entity was reached on another path meanwhile.
                steps_.pop();
            } else {
                top.expanded = true;
                state |= storage::record_pending_delete;
                top.first_use = uses_.size();
                collect_uses(entity);
                top.use_count = (uses_.size() - top.first_use) & 0x7FFFFFFFu;
                std::uint32_t first = order_leaves();
                for (std::uint32_t i = sources_.size(); i-- > first;) {
                    push(sources_[i]);
                }
            }
        }
    }

    // Throws if a policy, a lock or a name forbids the deletion.
    void check() {
        KITH_ASSERT(steps_.empty(), "the cascade is complete");
        if (has_cycles_) {
            cut_cycles();
        }
        if (needs_slow_path(world_) || std::any_of(order_.begin(), order_.end(), [](entity_t e) {
                return index_of(e) < first_entity;
            })) {
            check_each();
        } else {
            // Without locks, ranges and builtin entities, only referrers can forbid a deletion.
            for (const used_entity& used : used_) {
                check_used(used);
            }
        }
        if (!deletes_children()) {
            check_orphans();
        }
        check_handles();
    }

    // Notifies of all losses, then deletes the entities in order. Commands that callbacks queued
    // run at the end.
    void run() {
        callback_scope code(world_);
        {
            const deletion_scope scope(world_);
            events_.notify(order_.data(), order_.size());
            change_handles();
            erase_all();
            order_.clear();
        }
        code.finish();
        release_ended_types(world_);
    }

private:
    // An entity of the search; `expanded`: its uses were collected, and its sources were pushed.
    struct step {
        entity_t entity;
        std::uint32_t first_use;
        std::uint32_t use_count : 31;
        std::uint32_t expanded : 1;
    };
    // A deleted entity with referrers; its noted uses are a slice of uses_, which may be empty.
    struct used_entity {
        entity_t entity;
        std::uint32_t first_use;
        std::uint32_t use_count;
    };
    // The flags of entities that others refer to, as element, parent or target.
    static constexpr std::uint32_t reference_states =
        storage::record_used_as_id | storage::record_has_children | storage::record_link_target;

    // True if others may refer to an entity with these flags. A handle may name any entity.
    bool needs_search(std::uint32_t state) const noexcept {
        return (state & reference_states) != 0 || has_rules_;
    }
    bool is_marked(entity_t entity) const noexcept {
        return (data_.entities.find(entity)->state & storage::record_pending_delete) != 0;
    }
    void unmark(entity_t entity) noexcept {
        if (entity_record* record = data_.entities.find(entity)) {
            record->state &=
                ~std::uint32_t{storage::record_pending_delete | storage::record_delete_ordered};
        }
    }
    // Pushes an entity that was not visited. A visited entity without a place in the order is an
    // ancestor of the search: a cycle.
    void push(entity_t entity) {
        std::uint32_t state = data_.entities.find(entity)->state;
        if (!(state & storage::record_pending_delete)) {
            steps_.push(data_.mem, {entity, 0, 0, false}, purpose::commands);
        } else if (!(state & storage::record_delete_ordered)) {
            has_cycles_ = true;  // it ends after the entities on the path to it
        }
    }
    // Orders the leading sources that have no referrers, without a search. Returns the position of
    // the first source that needs one.
    std::uint32_t order_leaves() {
        order_.reserve_extra(data_.mem, sources_.size() + 1, purpose::commands);
        // Locals instead of fields: the compiler must assume that the written states may be fields.
        const entity_t* const first = sources_.begin();
        const entity_t* const end = sources_.end();
        const entity_t* at = first;
        for (entity_t* ordered = order_.end(); at != end; ++at) {
            std::uint32_t& state = data_.entities.at(index_of(*at)).state;
            if (needs_search(state) || state & storage::record_pending_delete) {
                break;
            }
            *ordered++ = *at;
            state |= storage::record_pending_delete | storage::record_delete_ordered;
        }
        const auto count = static_cast<std::uint32_t>(at - first);
        order_.extend_reserved(count);
        return count;
    }
    // Orders the entities again, from the lowest id: the order within a cycle must not depend on
    // the entity that the search started from.
    void cut_cycles() {
        containers::vec<entity_t> entities;
        std::swap(entities, order_);
        uses_.clear();
        used_.clear();
        handle_uses_.clear();
        const base::scope_exit release([&] {
            for (entity_t entity : entities) {
                unmark(entity);
            }
            entities.release(data_.mem, purpose::commands);
        });
        std::sort(entities.begin(), entities.end());
        for (entity_t entity : entities) {
            unmark(entity);
        }
        for (entity_t entity : entities) {
            add(entity);
        }
        entities.clear();
    }
    // Collects the entities that must end before `entity`, sorted by id, and notes the ways in
    // which others refer to it, where checks or events need them.
    void collect_uses(entity_t entity) {
        sources_.clear();
        each_reference(data_, entity, data_.entities.find(entity)->state, [&](const reference& to) {
            const policy action = policy_of(data_, entity, *to.record, to.is_first);
            if (notes_uses_ || action == policy::panic) {
                uses_.push(data_.mem, {to, action}, purpose::commands);
            }
            if (action == policy::erase && to.is_link && !to.is_first) {
                collect_link_sources(*to.record, entity);
            } else if (action == policy::erase) {
                each_referrer(data_, entity, to, [&](id_t, entity_t source) {
                    sources_.push(data_.mem, source, purpose::commands);
                });
            }
        });
        if (has_rules_) {
            collect_handles(entity);
        }
        if (!std::is_sorted(sources_.begin(), sources_.end())) {
            std::sort(sources_.begin(), sources_.end());
        }
    }
    // Collects the sources of links to the entity.
    void collect_link_sources(const id_record& relation, entity_t entity) {
        const storage::source_span sources = relation.links->sources(index_of(entity));
        sources_.reserve_extra(data_.mem, sources.live, purpose::commands);
        entity_t* collected = sources_.end();
        for (const entity_t* at = sources.items; at != sources.items + sources.size; ++at) {
            *collected = *at;
            collected += *at != 0;
        }
        sources_.extend_reserved(sources.live);
    }
    // Collects the owners that end with an entity because of a handle to it, and the handles that
    // only change.
    void collect_handles(entity_t entity) {
        handles_.each_use(entity, [&](const handle_use& use) {
            if (use.action != handle_policy::erase) {
                handle_uses_.push(data_.mem, use, purpose::commands);
            } else if (use.holder != entity) {
                sources_.push(data_.mem, use.holder, purpose::commands);
            }
        });
    }
    // Throws if an owner that stays must keep the component that a handle removes, or if it is
    // being iterated.
    void check_handles() {
        for (const handle_use& use : handle_uses_) {
            if (use.action != handle_policy::remove || is_marked(use.holder)) {
                continue;
            }
            check_removal(world_, use.holder, use.id);
            if (is_iterating()) {
                const std::uint32_t number = data_.entities.find(use.holder)->table;
                check_unlocked(world_, use.holder, use.id, number, number);
                check_sparse_unlocked(world_, use.holder, use.id);
            }
        }
    }
    // Removes components and sets handles to null while the entities that they name still exist.
    // Callbacks may have ended an owner, or removed the component, meanwhile. The hook that
    // validates values is not asked: nothing is refused here.
    void change_handles() {
        for (const handle_use& use : handle_uses_) {
            const entity_record* record = data_.entities.find(use.holder);
            void* value = record && !is_marked(use.holder)
                              ? find_own_value(world_, use.holder, *record, use.id, 0)
                              : nullptr;
            if (!value) {
                continue;
            }
            if (use.action == handle_policy::remove) {
                remove_id(world_, use.holder, use.id);
                continue;
            }
            world_.deletion.handle_rules->clear(&world_, use.component, value, use.target);
            note_value_written(data_, *record, use.id);
            dispatch_set(world_, use.holder, traits::describe_id(data_, use.id), value);
        }
    }
    // Throws if this entity cannot be deleted, whether others refer to it or not.
    void check_one(entity_t entity) {
        const entity_record& record = *data_.entities.find(entity);
        if (ids::is_builtin(index_of(entity))) {
            raise_entity_id(world_, errc::in_use, entity, 0,
                            "is part of kith and cannot be deleted");
        }
        if (needs_slow_path(world_)) {
            check_range(world_, entity, 0);
            check_unlocked(world_, entity, 0, record.table, record.table);
            each_sparse_id(data_, record, entity, Wildcard, [&](const id_info& id) {
                check_sparse_unlocked(world_, entity, id.id);
            });
            each_sparse_id(
                data_, record, entity, make_pair(Wildcard, Wildcard),
                [&](const id_info& id) { check_sparse_unlocked(world_, entity, id.id); });
        }
    }
    // Throws if the referrers of the entity forbid the deletion, and collects their events.
    void check_used(const used_entity& used) {
        const std::uint32_t state = data_.entities.find(used.entity)->state;
        check_not_busy(used.entity, state);
        check_uses(used);
        if (state & storage::record_used_as_id) {
            check_scope(used.entity);
        }
        if (used.use_count != 0) {
            collect_events(used);
        }
    }
    // Throws if a callback that suspended deferring deletes an entity that is used as an id, while
    // a change other than a deletion is being notified: the change may be about tables that would
    // end.
    void check_not_busy(entity_t entity, std::uint32_t state) const {
        if (state & storage::record_used_as_id && world_.queue.suspended_depth != 0 &&
            world_.operation.other_view && world_.deletion.entity == 0) {
            raise_entity_id(world_, errc::invalid_operation, entity, 0,
                            "is used as an id: it cannot be deleted by a callback with deferring "
                            "suspended; let the deletion be deferred");
        }
    }
    // Checks all entities, with and without referrers.
    void check_each() {
        const used_entity* next = used_.begin();
        for (entity_t entity : order_) {
            check_one(entity);
            if (next != used_.end() && next->entity == entity) {
                check_used(*next++);
            }
        }
        KITH_ASSERT(next == used_.end(), "used entities are in the order of their end");
    }
    bool deletes_children() const noexcept {
        const std::uint32_t rules = data_.parents_relation
                                        ? data_.parents_relation->traits
                                        : traits::describe_id(data_, ChildOf).traits;
        return rules & traits::trait_delete_sources;
    }
    // Collects the losses of the entities that refer to a deleted one.
    void collect_events(const used_entity& used) {
        for (std::uint32_t i = 0; i < used.use_count; ++i) {
            events_.add(used.entity, uses_[used.first_use + i].to);
        }
        events_.complete();
    }
    // Throws if a holder that stays forbids the deletion (Panic), or its table is locked.
    void check_uses(const used_entity& used) const {
        const entity_t entity = used.entity;
        const entity_use* first = uses_.data() + used.first_use;
        for (const entity_use* use = first; use != first + used.use_count; ++use) {
            const bool panics = use->action == policy::panic;
            if (!panics && !is_iterating()) {
                continue;
            }
            const bool is_sparse = use->to.is_link || use->to.record->sparse;
            each_referrer(data_, entity, use->to, [&](id_t id, entity_t holder) {
                if (is_marked(holder)) {
                    return;
                }
                if (panics) {
                    raise_in_use(entity, id, holder);
                }
                const std::uint32_t number = data_.entities.find(holder)->table;
                is_sparse ? check_sparse_unlocked(world_, holder, id)
                          : check_unlocked(world_, holder, id, number, number);
            });
        }
    }

    // Throws if a relationship whose targets must be children of the entity (OneOf) has targets
    // that would be outside of its next scope. Pairs of OneOf are ids in tables, so their targets
    // have record_used_as_id.
    void check_scope(entity_t entity) const {
        const id_record* use = data_.ids.find(make_pair(OneOf, entity));
        if (!use) {
            return;
        }
        each_entity_with(data_, *use, [&](entity_t relation) {
            if (!is_marked(relation)) {
                check_new_scope(world_, relation,
                                data_.tables.at(data_.entities.find(relation)->table));
            }
        });
    }

    // Throws if children that stay have names that are taken among the roots.
    void check_orphans() {
        sources_.clear();
        for (entity_t parent : order_) {
            storage::each_source(data_, ChildOf, index_of(parent), [&](entity_t child) {
                if (!is_marked(child) &&
                    data_.entities.find(child)->state & storage::record_named) {
                    sources_.push(data_.mem, child, purpose::commands);
                }
                return true;
            });
        }
        check_names_as_roots(world_, sources_.data(), sources_.size());
    }

    [[noreturn]] void raise_in_use(entity_t entity, id_t id, entity_t holder) const {
        raise_about(world_, errc::in_use, entity, " cannot be deleted: entity ", holder, " has ",
                    id, "; remove it there first, or choose another cleanup policy");
    }

    // Deletes all entities in order. Requires: all events were dispatched.
    void erase_all() {
        // Callbacks may have added children.
        const bool children_end = !events_.notifies() && handle_uses_.empty() && deletes_children();
        for (std::uint32_t i = 0; i < order_.size();) {
            const std::uint32_t count = order_.size() - i;
            // Within cycles, parents may end before their children.
            const erased_run run = has_cycles_
                                       ? erased_run{0, count}
                                       : erase_many(data_, order_.data() + i, count, children_end);
            i += run.erased;
            for (const std::uint32_t end = i + run.left; i != end; ++i) {
                if (!try_erase(order_[i])) {
                    erase(order_[i]);
                }
            }
        }
    }
    // Deletes an entity that has at most a parent, and values of plain bytes. Returns false if more
    // is to be done. Requires: all events were dispatched.
    bool try_erase(entity_t entity) noexcept {
        entity_record& record = *data_.entities.find(entity);
        constexpr std::uint32_t involved =
            reference_states | storage::record_any_sparse | storage::record_has_disabled;
        const table& from = data_.tables.at(record.table);
        constexpr std::uint32_t plain = detail::shape_trivial_destroy | detail::shape_trivial_move;
        if (record.state & involved || record.table == storage::no_table ||
            (from.flags & plain) != plain) {
            return false;
        }
        if (record.state & storage::record_has_parent &&
            !data_.parents_store->try_unlink(index_of(entity))) {
            return false;
        }
        remove_row_bytes(data_, from, record.row);
        data_.entities.free(index_of(entity), record);
        return true;
    }
    // Notifies that the tables of ids with the element are deleted. Requires: the tables are empty.
    void notify_tables(entity_t entity) {
        containers::small_vec<std::uint32_t, 32> ending(data_.mem, purpose::commands);
        each_id_naming(data_, entity, [&](const id_record& use, bool) {
            for (const storage::table_entry& entry : use.tables) {
                if (std::find(ending.begin(), ending.end(), entry.table) == ending.end()) {
                    ending.push(entry.table);
                }
            }
        });
        for (std::uint32_t number : ending) {
            notify_table(world_, OnTableDelete, data_.tables.at(number));
        }
    }
    // Deletes an entity: sparse ids, ids with the entity as element, row and record.
    void erase(entity_t entity) {
        entity_record& record = *data_.entities.find(entity);
        world_.deletion.entity = entity;
        world_.deletion.notified = entity;
        if (record.state & storage::record_any_sparse) {
            discard_sparse(world_, entity, record);
        }
        if (record.state & storage::record_has_disabled) {
            clear_toggles(world_, entity);
        }
        if (record.state & reference_states) {
            erase_uses(entity, record.state);
            if (world_.events.has_listeners(OnTableDelete)) {
                notify_tables(entity);
            }
        }
        // The parent is dropped after everything that may fail, because the name of the entity is
        // filed under it.
        drop_parent(world_, entity, record);
        if (record.table != storage::no_table) {
            remove_row(data_, data_.tables.at(record.table), record.row);
        }
        if (record.state & storage::record_used_as_id) {
            drop_id_records(data_, entity);
            data_.on_element_deleted();
        }
        data_.entities.free(index_of(entity), record);
    }

    // Removes the ids of which the entity is an element from all remaining holders.
    void erase_uses(entity_t entity, std::uint32_t state) {
        each_reference(data_, entity, state, [&](const reference& use) {
            if (use.is_link) {
                erase_links(*use.record, entity, use.is_first);
                return;
            }
            const id_record& id = *use.record;
            while (id.sparse && id.sparse->count() != 0) {
                remove_sparse(world_, id.sparse->entity_at(id.sparse->count() - 1), id);
            }
            while (empty_tables(entity, id)) {}
        });
    }
    // Removes the links to the entity, or all links of the relationship if the entity is the
    // relationship.
    void erase_links(const id_record& relation, entity_t entity, bool is_first) {
        link_store& links = *relation.links;
        auto remove_link = [&](entity_t source, std::uint32_t target) {
            id_info pair = traits::describe_link(data_, relation, target);
            if (is_marked(source) && pair_first(relation.id) == ChildOf) {
                // Within a cycle, a child that ends after its parent needs no free name among the
                // roots.
                links.remove(index_of(source), target);
                storage::clear_sparse_flag(*data_.entities.find(source),
                                           storage::source_flag(relation));
            } else {
                remove_sparse(world_, source, pair);
            }
        };
        if (is_first) {
            while (std::uint32_t source = links.next_source(1)) {
                remove_link(data_.entities.alive_at(source), links.target_at(source, 0));
            }
            return;
        }
        for (storage::source_span sources = links.sources(index_of(entity)); sources.size != 0;
             sources = links.sources(index_of(entity))) {
            // Removing the last source leaves no hole in the list.
            remove_link(sources.items[sources.size - 1], index_of(entity));
        }
    }
    // Moves all rows out of the tables of the id. Returns true if rows may have entered a table
    // that was already empty, because the targets of symmetric pairs move as well.
    bool empty_tables(entity_t element, const id_record& use) {
        bool again = false;
        for (std::uint32_t i = 0; i < use.tables.size(); ++i) {
            const std::uint32_t number = use.tables[i].table;
            if (data_.tables.rows(number).count != 0) {
                again |= (data_.tables.at(number).flags & detail::shape_symmetric) != 0;
                empty_table(element, number);
            }
        }
        return again;
    }
    // Moves all rows of a table to the table without ids of the element, as bytes where that is
    // possible.
    void empty_table(entity_t element, std::uint32_t number) {
        KITH_ASSERT(data_.tables.rows(number).count != 0, "the table has rows to move");
        const table& from = data_.tables.at(number);
        id_buffer removed(data_.mem, purpose::commands);
        for (std::uint32_t i = 0; i < from.id_count; ++i) {
            if (has_element(from.ids[i], element)) {
                removed.push(from.ids[i]);
            }
        }
        table& to = table_after(world_, from, nullptr, 0, removed.data(), removed.size());
        constexpr std::uint32_t plain = detail::shape_trivial_move | detail::shape_trivial_destroy;
        constexpr std::uint32_t involved = detail::shape_on_remove | detail::shape_has_parent |
                                           detail::shape_symmetric | detail::shape_has_properties;
        bool moves_bytes = (from.flags & to.flags & plain) == plain && !(from.flags & involved) &&
                           data_.toggled_ids.empty();
        if (moves_bytes && !is_iterating()) {
            data_.tables.reserve_rows(to, data_.tables.rows(number).count);
            move_all_rows(data_, from, to);
            return;
        }
        while (data_.tables.rows(number).count != 0) {
            const detail::table_rows& rows = data_.tables.rows(number);
            entity_t holder = storage::entities_of(from, rows)[rows.count - 1];
            move_entity(world_, holder, *data_.entities.find(holder), to, nullptr, 0);
        }
    }

    stage& world_;
    storage::store& data_;
    containers::vec<entity_t> order_;    // entities in the order of their end
    containers::vec<step> steps_;        // stack of the search
    containers::vec<entity_t> sources_;  // scratch: sources of the entity that is expanded
    containers::vec<entity_use> uses_;   // of all entities, valid until the first notification
    containers::vec<used_entity> used_;  // in the order of their end
    handle_index handles_;
    const bool has_rules_;                     // handles inside of values have policies
    containers::vec<handle_use> handle_uses_;  // values that change and stay
    bool has_cycles_ = false;                  // an ancestor of the search was reached again
    deletion_events events_;
    const bool notes_uses_;  // all references are noted, for locks or events
};

}  // namespace

void drop_id_records(storage::store& data, entity_t entity) noexcept {
    types::component_type* own_type = nullptr;
    const bool has_marks = data.ids.has_marks();
    // Deletes the tables of a record and the record, with those of its override mark.
    auto forget = [&](id_record& record) {
        if (id_record* mark = has_marks ? data.ids.find(Override | record.id) : nullptr;
            mark && mark != &record) {
            while (!mark->tables.empty()) {
                data.tables.remove(data.tables.at(mark->tables.back().table));
            }
            storage::release_sparse(data, *mark);
            data.ids.remove(*mark);
        }
        while (!record.tables.empty()) {
            data.tables.remove(data.tables.at(record.tables.back().table));
        }
        storage::release_sparse(data, record);
        data.ids.remove(record);
    };
    while (id_record* pair = data.ids.first_with_target(index_of(entity))) {
        forget(*pair);
    }
    if (id_record* relation = data.ids.find(make_pair(entity, Wildcard))) {
        storage::release_values(data, *relation);
        bool listed = !relation->pairs.empty();
        // The record (R,*) is removed with its last pair.
        for (std::uint32_t remaining = relation->pairs.size(); remaining != 0; --remaining) {
            forget(*relation->pairs[remaining - 1]);
        }
        if (!listed) {
            forget(*relation);
        }
    }
    if (id_record* plain = data.ids.find(entity)) {
        own_type = plain->hook_type;
        forget(*plain);
    }
    if (own_type && own_type->component == index_of(entity)) {
        if (data.indexes) {
            data.indexes->drop_component(entity);
        }
        storage::remove_type(data, *own_type);
    }
}

void delete_entity(stage& world, entity_t entity) {
    if (try_delete(world, entity)) {
        return;
    }
    get_record(world, entity);
    deletion cascade(world);
    cascade.add(entity);
    cascade.check();
    cascade.run();
    finish_leaving(world);
}

void delete_with(stage& world, id_t pattern) {
    holder_list holders(world, pattern);
    deletion cascade(world);
    for (entity_t entity : holders.entities) {
        if (is_selected(world.data, pattern, entity)) {
            cascade.add(entity);
        }
    }
    cascade.check();
    cascade.run();
    finish_leaving(world);
}

}  // namespace kith::mutate
