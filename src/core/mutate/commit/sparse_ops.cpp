// Implements sparse_ops.hpp: adding and removing sparse components and links, with the rules of
// their relationships (exclusive, symmetric, hierarchy).
#include "mutate/commit/sparse_ops.hpp"

#include "base/assert.hpp"
#include "mutate/apply/owned_ids.hpp"
#include "mutate/apply/value_ahead.hpp"
#include "mutate/apply/values.hpp"
#include "mutate/commit/inverses.hpp"
#include "mutate/notify/notify.hpp"
#include "mutate/notify/validate.hpp"
#include "mutate/rules/constraints.hpp"
#include "mutate/rules/destination.hpp"
#include "mutate/rules/prefabs.hpp"
#include "mutate/rules/sibling_names.hpp"
#include "traits/implications.hpp"
#include "traits/inherit.hpp"

namespace kith::mutate {

using storage::entity_record;
using storage::id_info;
using storage::id_record;
using storage::link_store;

namespace {

// Constructs the value of an id that is being added: from the given source, as a copy of the value
// that the entity inherited so far, or by default.
void make_added(stage& world, entity_t entity, const id_info& added,
                const detail::value_source* source, void* place) {
    const type_info& info = added.value_type->info;
    if (source) {
        make_value(info, *source, place);
        return;
    }
    const entity_record& record = *world.data.entities.find(entity);
    const void* inherited =
        info.can_copy() ? find_inherited_value(world, entity, record, added.id, 0) : nullptr;
    if (inherited) {
        types::copy_values(info, place, inherited, 1);
    } else {
        check_default_constructible(world, added);
        types::construct_values(info, place, 1);
    }
}

// Stores a component without notifying.
void put_component(stage& world, entity_t entity, const id_info& added,
                   const detail::value_source* source) {
    id_record& record = world.data.ids.ensure(added.id);
    storage::sparse_store& values = storage::ensure_sparse(world.data, record);
    if (void* value = values.prepare(index_of(entity))) {
        make_added(world, entity, added, source, value);
    }
    values.commit(entity);
    world.data.entities.find(entity)->state |= storage::sparse_flag(record.sparse_number);
}

// Adds a sparse component: checks and validation first, then one step with its notifications.
bool add_component(stage& world, entity_t entity, const id_info& added,
                   const detail::value_source* source) {
    if (has_sparse(world.data, entity, added)) {
        return false;
    }
    check_sparse_unlocked(world, entity, added.id);
    if (added.event_mask != 0) {
        world.data.mem.ensure_reserve();
    }
    callback_scope code(world);
    values_ahead values(world.data.mem);
    if (is_validated(added)) {
        source = validate_added(world, entity, added, source, values);
    }
    world.operation.begin_step();
    notify_before_insert(world, entity, added);
    put_component(world, entity, added, source);
    notify_after_insert(world, entity, added);
    code.finish();
    return true;
}

// Adds one link: check() does everything that can be refused, run() or put() makes the change.
//
// Invariants
// 1. `prepared_` is true between links_.prepare() and commit(); the destructor cancels the
//    preparation otherwise.
// 2. `replaced_` is the pair that an exclusive relationship loses, with id 0 if there is none.
class new_link {
public:
    new_link(stage& world, entity_t entity, const id_info& added)
        : world_(world),
          data_(world.data),
          entity_(entity),
          added_(added),
          relation_(*data_.ids.find(make_pair(pair_first(added.id), Wildcard))),
          links_(*relation_.links),
          target_(data_.entities.alive_at(pair_second(added.id))) {
        const storage::link_node* node =
            links_.is_exclusive() ? links_.find(index_of(entity)) : nullptr;
        if (node && node->target) {
            replaced_ = traits::describe_link(data_, relation_, node->target);
        }
    }
    ~new_link() {
        if (prepared_) {
            links_.cancel();
        }
    }
    new_link(const new_link&) = delete;
    new_link& operator=(const new_link&) = delete;

    // Throws if the link cannot be added. Reserves the link, its inverse and memory for
    // notifications.
    void check() {
        // The checks come first and reserve memory, so that run() can fail only in code of the
        // program.
        check_sparse_unlocked(world_, entity_, added_.id);
        if (replaced_.id) {
            check_sparse_unlocked(world_, entity_, replaced_.id);
        }
        if (added_.traits & traits::trait_checked) {
            check_pair(world_, entity_, added_);
        }
        if (is_parent()) {
            entity_t old_parent = data_.entities.alive_at(pair_second(replaced_.id));
            renames_ = check_parent(world_, entity_, *data_.entities.find(entity_),
                                    replaced_.id ? old_parent : 0, target_);
        }
        if (traits::has_inverse(added_)) {
            if (replaced_.id) {
                prepare_remove_inverse(world_, entity_, replaced_);
            }
            prepare_add_inverse(world_, entity_, added_);
        }
        const type_info* info = added_.value_type ? &added_.value_type->info : nullptr;
        if (added_.event_mask != 0 || replaced_.event_mask != 0) {
            data_.mem.ensure_reserve();
        }
        value_ = links_.prepare(index_of(entity_), index_of(target_), info);
        prepared_ = true;
    }

    // Adds the link and notifies: value, notifications before, change, notifications after,
    // inverse, prefab.
    void run(const detail::value_source* source) {
        KITH_ASSERT(prepared_, "check() reserves the link");
        bool becomes_prefab = is_parent() && is_prefab(data_, target_);
        callback_scope code(world_);
        if (becomes_prefab) {
            // Becoming a prefab may fail, so it happens before the link changes.
            world_.consequences.add_prefab(world_, entity_);
        }
        make(source);
        value_guard guard{value_ ? &added_.value_type->info : nullptr, value_};
        if (is_validated(added_) && !traits::is_enum_pair(added_)) {
            validate(world_, entity_, added_, value_);
        }
        world_.operation.begin_step();
        notify_before_remove();
        replace();
        guard.info = nullptr;
        commit();
        if (replaced_.id) {
            const change_view_scope before(world_, {entity_, nullptr, added_.id});
            notify(world_, storage::event_after, replaced_, entity_, nullptr);
        }
        if (added_.event_mask & storage::event_add) {
            const change_view_scope before(world_, {entity_, nullptr, replaced_.id});
            notify(world_, storage::event_add, added_, entity_, value_);
        }
        if (traits::has_inverse(added_)) {
            if (replaced_.id) {
                world_.consequences.remove_inverse(world_, entity_, replaced_);
            }
            world_.consequences.add_inverse(world_, entity_, added_);
        }
        constexpr std::uint32_t parent_flags =
            storage::record_has_children | storage::record_used_as_id;
        if (becomes_prefab && data_.entities.find(entity_)->state & parent_flags) {
            world_.consequences.make_prefab(world_, entity_);
        }
        code.finish();
    }

    // Makes the change without notifying.
    void put(const detail::value_source* source) {
        KITH_ASSERT(prepared_, "check() reserves the link");
        make(source);
        commit();
    }

private:
    // Destroys a constructed value unless it became part of a link.
    struct value_guard {
        const type_info* info;
        void* value;
        ~value_guard() {
            if (info) {
                types::destroy_values(*info, value, 1);
            }
        }
    };

    // Notifies of the pair that is replaced and of the pair that is added, while the old state is
    // still there. The other state lists the opposite pair.
    void notify_before_remove() {
        if (replaced_.event_mask & storage::event_remove) {
            const change_view_scope after(world_, {entity_, nullptr, added_.id});
            notify(world_, storage::event_remove, replaced_, entity_,
                   links_.value(index_of(entity_), pair_second(replaced_.id)));
        }
        const change_view_scope after(world_, {entity_, nullptr, replaced_.id});
        notify(world_, storage::event_before, added_, entity_, nullptr);
    }
    bool is_parent() const noexcept { return pair_first(added_.id) == ChildOf; }
    void make(const detail::value_source* source) {
        if (value_) {
            make_added(world_, entity_, added_, source, value_);
        }
    }
    void commit() noexcept {
        links_.commit(entity_, target_);
        prepared_ = false;
        data_.entities.find(entity_)->state |= storage::source_flag(relation_);
        data_.entities.find(target_)->state |= storage::target_flag(relation_);
        if (renames_) {
            move_name(world_, entity_, target_);
        }
    }
    // Removes the replaced pair of an exclusive relationship.
    void replace() {
        if (!replaced_.id) {
            return;
        }
        links_.remove(index_of(entity_), pair_second(replaced_.id));
        clear_toggle(world_, entity_, replaced_.id);
    }

    stage& world_;
    storage::store& data_;
    entity_t entity_;
    const id_info& added_;
    const id_record& relation_;
    link_store& links_;
    entity_t target_;
    id_info replaced_;
    void* value_ = nullptr;
    bool prepared_ = false;
    bool renames_ = false;
};

// Adds a link unless the entity has it. Hooks of enums may replace the constant, so the check for
// an existing link is made twice.
bool add_link(stage& world, entity_t entity, const id_info& added,
              const detail::value_source* source) {
    const link_store& links = *storage::find_links(world.data, pair_first(added.id));
    auto has_link = [&](const id_info& pair) {
        return links.has(index_of(entity), pair_second(pair.id));
    };
    if (has_link(added)) {
        return false;
    }
    const bool refined = is_validated(added) && traits::is_enum_pair(added);
    const id_info chosen = refined ? validate_constant(world, entity, added) : added;
    if (has_link(chosen)) {
        return false;
    }
    new_link link(world, entity, chosen);
    link.check();
    link.run(source);
    return true;
}

// Removes a component and the flag for its store.
void erase_component(stage& world, entity_t entity, const id_info& removed) noexcept {
    id_record& record = *world.data.ids.find(removed.id);
    record.sparse->remove(index_of(entity));
    storage::clear_sparse_flag(*world.data.entities.find(entity),
                               storage::sparse_flag(record.sparse_number));
}

// Removes a link, and the source flag of the entity with its last link.
void erase_link(stage& world, entity_t entity, const id_info& removed) noexcept {
    storage::store& data = world.data;
    const id_record& relation = *data.ids.find(make_pair(pair_first(removed.id), Wildcard));
    link_store& links = *relation.links;
    links.remove(index_of(entity), pair_second(removed.id));
    entity_record& record = *data.entities.find(entity);
    if (!links.has_any(index_of(entity))) {
        storage::clear_sparse_flag(record, storage::source_flag(relation));
    }
    if (pair_first(removed.id) == ChildOf && record.state & storage::record_named) {
        move_name(world, entity, 0);
    }
}

}  // namespace

bool add_sparse(stage& world, entity_t entity, const id_info& added,
                const detail::value_source* source) {
    return is_pair(added.id) ? add_link(world, entity, added, source)
                             : add_component(world, entity, added, source);
}

void check_addable_sparse(stage& world, entity_t entity, const id_info& added) {
    if (has_sparse(world.data, entity, added)) {
        return;
    }
    if (is_pair(added.id)) {
        new_link(world, entity, added).check();
    } else {
        check_sparse_unlocked(world, entity, added.id);
    }
}

void check_removable_sparse(stage& world, entity_t entity, const id_info& removed,
                            bool keeps_name) {
    check_sparse_unlocked(world, entity, removed.id);
    if (is_pair(removed.id) && pair_first(removed.id) == ChildOf) {
        entity_t parent = world.data.entities.alive_at(pair_second(removed.id));
        if (keeps_name) {
            check_parent(world, entity, *world.data.entities.find(entity), parent, 0);
        } else {
            check_leaves(world, entity, parent);
        }
    }
    if (traits::has_inverse(removed)) {
        prepare_remove_inverse(world, entity, removed);
    }
}

void notify_before_insert(stage& world, entity_t entity, const id_info& added) {
    notify(world, storage::event_before, added, entity, nullptr);
}

void insert_sparse(stage& world, entity_t entity, const id_info& added,
                   const detail::value_source* source) {
    if (is_pair(added.id)) {
        new_link link(world, entity, added);
        link.check();
        link.put(source);
    } else {
        put_component(world, entity, added, source);
    }
}

void notify_after_insert(stage& world, entity_t entity, const id_info& added) {
    if (added.event_mask & storage::event_add) {
        notify(world, storage::event_add, added, entity, value_sparse(world.data, entity, added));
    }
}

void notify_before_erase(stage& world, entity_t entity, const id_info& removed) {
    if (removed.event_mask & storage::event_remove) {
        notify(world, storage::event_remove, removed, entity,
               value_sparse(world.data, entity, removed));
    }
}

void erase_sparse(stage& world, entity_t entity, const id_info& removed) noexcept {
    KITH_ASSERT(has_sparse(world.data, entity, removed), "the entity has the id");
    (is_pair(removed.id) ? erase_link : erase_component)(world, entity, removed);
    clear_toggle(world, entity, removed.id);
}

void notify_after_erase(stage& world, entity_t entity, const id_info& removed) {
    notify(world, storage::event_after, removed, entity, nullptr);
    if (traits::has_inverse(removed)) {
        world.consequences.remove_inverse(world, entity, removed);
    }
}

void remove_sparse(stage& world, entity_t entity, const id_info& removed) {
    check_removable_sparse(world, entity, removed, true);
    callback_scope code(world);
    world.operation.begin_step();
    notify_before_erase(world, entity, removed);
    erase_sparse(world, entity, removed);
    notify_after_erase(world, entity, removed);
    code.finish();
}

}  // namespace kith::mutate
