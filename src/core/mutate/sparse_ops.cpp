#include "mutate/sparse_ops.hpp"

#include "mutate/add_remove.hpp"
#include "mutate/constraints.hpp"
#include "mutate/instantiate.hpp"
#include "mutate/symmetric.hpp"
#include "mutate/validate.hpp"
#include "mutate/values.hpp"
#include "traits/inherit.hpp"

namespace kith::mutate {

using storage::entity_record;
using storage::id_info;
using storage::id_record;
using storage::link_store;

namespace {

// Makes the value of an id that is being added: from what is given, as a copy of what the entity
// inherited so far, or by default.
void make_added(stage& owner, entity_t entity, const id_info& added,
                const detail::value_source* source, void* place) {
    const type_info& info = added.value_type->info;
    if (source) {
        make_value(info, *source, place);
        return;
    }
    const entity_record& record = *owner.data.entities.find(entity);
    const void* inherited =
        info.can_copy() ? find_inherited_value(owner, entity, record, added.id, 0) : nullptr;
    if (inherited) {
        types::copy_values(info, place, inherited, 1);
    } else {
        check_default_constructible(owner, added);
        types::construct_values(info, place, 1);
    }
}

void put_component(stage& owner, entity_t entity, const id_info& added,
                   const detail::value_source* source) {
    id_record& known = owner.data.ids.ensure(added.id);
    storage::sparse_store& values = storage::ensure_sparse(owner.data, known);
    if (void* value = values.prepare(index_of(entity))) {
        make_added(owner, entity, added, source, value);
    }
    values.commit(entity);
    owner.data.entities.find(entity)->state |= storage::sparse_flag(known.sparse_number);
}

bool add_component(stage& owner, entity_t entity, const id_info& added,
                   const detail::value_source* source) {
    if (has_sparse(owner.data, entity, added)) {
        return false;
    }
    check_sparse_unlocked(owner, entity, added.id);
    if (added.event_mask != 0) {
        owner.data.mem.ensure_reserve();
    }
    callback_scope code(owner);
    values_ahead values(owner.data.mem);
    if (is_validated(added)) {
        source = validate_added(owner, entity, added, source, values);
    }
    owner.begin_step();
    notify_before_insert(owner, entity, added);
    put_component(owner, entity, added, source);
    notify_after_insert(owner, entity, added);
    code.finish();
    return true;
}

// Adding one link, step by step.
class new_link {
public:
    new_link(stage& owner, entity_t entity, const id_info& added)
        : owner_(owner),
          data_(owner.data),
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

    void check() {
        check_sparse_unlocked(owner_, entity_, added_.id);
        if (replaced_.id) {
            check_sparse_unlocked(owner_, entity_, replaced_.id);
        }
        if (added_.traits & traits::trait_checked) {
            check_pair(owner_, entity_, added_);
        }
        if (is_parent()) {
            entity_t before = data_.entities.alive_at(pair_second(replaced_.id));
            renames_ = check_parent(owner_, entity_, *data_.entities.find(entity_),
                                    replaced_.id ? before : 0, target_);
        }
        if (added_.traits & traits::trait_symmetric) {
            if (replaced_.id) {
                prepare_remove_inverse(owner_, entity_, replaced_);
            }
            prepare_add_inverse(owner_, entity_, added_);
        }
        const type_info* info = added_.value_type ? &added_.value_type->info : nullptr;
        if (added_.event_mask != 0 || replaced_.event_mask != 0) {
            data_.mem.ensure_reserve();
        }
        value_ = links_.prepare(index_of(entity_), index_of(target_), info);
        prepared_ = true;
    }

    void run(const detail::value_source* source) {
        bool becomes_prefab = is_parent() && is_prefab(data_, target_);
        callback_scope code(owner_);
        if (becomes_prefab) {
            // First, because it may fail.
            add_id(owner_, entity_, Prefab);
        }
        make(source);
        value_guard made{value_ ? &added_.value_type->info : nullptr, value_};
        if (is_validated(added_) && !traits::is_enum_pair(added_)) {
            validate(owner_, entity_, added_, value_);
        }
        owner_.begin_step();
        notify_before_remove();
        replace();
        made.info = nullptr;
        commit();
        if (replaced_.id) {
            const change_view_scope before(owner_, {entity_, nullptr, added_.id});
            notify(owner_, storage::event_after, replaced_, entity_, nullptr);
        }
        if (added_.event_mask & storage::event_add) {
            const change_view_scope before(owner_, {entity_, nullptr, replaced_.id});
            notify(owner_, storage::event_add, added_, entity_, value_);
        }
        if (added_.traits & traits::trait_symmetric) {
            if (replaced_.id) {
                remove_inverse(owner_, entity_, replaced_);
            }
            add_inverse(owner_, entity_, added_);
        }
        constexpr std::uint32_t parent = storage::record_has_children | storage::record_used_as_id;
        if (becomes_prefab && data_.entities.find(entity_)->state & parent) {
            make_prefab(owner_, entity_);
        }
        code.finish();
    }

    // Without telling anybody.
    void put(const detail::value_source* source) {
        make(source);
        commit();
    }

private:
    // Ends a value that did not find its place.
    struct value_guard {
        const type_info* info;
        void* value;
        ~value_guard() {
            if (info) {
                types::destroy_values(*info, value, 1);
            }
        }
    };

    void notify_before_remove() {
        if (replaced_.event_mask & storage::event_remove) {
            const change_view_scope after(owner_, {entity_, nullptr, added_.id});
            notify(owner_, storage::event_remove, replaced_, entity_,
                   links_.value(index_of(entity_), pair_second(replaced_.id)));
        }
        const change_view_scope after(owner_, {entity_, nullptr, replaced_.id});
        notify(owner_, storage::event_before, added_, entity_, nullptr);
    }
    bool is_parent() const noexcept { return pair_first(added_.id) == ChildOf; }
    void make(const detail::value_source* source) {
        if (value_) {
            make_added(owner_, entity_, added_, source, value_);
        }
    }
    void commit() noexcept {
        links_.commit(entity_, target_);
        prepared_ = false;
        data_.entities.find(entity_)->state |= storage::source_flag(relation_);
        data_.entities.find(target_)->state |= storage::target_flag(relation_);
        if (renames_) {
            owner_.listen.parent_changed(owner_, entity_, target_);
        }
    }
    void replace() {
        if (!replaced_.id) {
            return;
        }
        links_.remove(index_of(entity_), pair_second(replaced_.id));
        clear_toggle(owner_, entity_, replaced_.id);
    }

    stage& owner_;
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

bool add_link(stage& owner, entity_t entity, const id_info& added,
              const detail::value_source* source) {
    const link_store& links = *storage::find_links(owner.data, pair_first(added.id));
    auto is_there = [&](const id_info& pair) {
        return links.has(index_of(entity), pair_second(pair.id));
    };
    if (is_there(added)) {
        return false;
    }
    const bool refined = is_validated(added) && traits::is_enum_pair(added);
    const id_info chosen = refined ? validate_constant(owner, entity, added) : added;
    if (is_there(chosen)) {
        return false;
    }
    new_link link(owner, entity, chosen);
    link.check();
    link.run(source);
    return true;
}

void take_component(stage& owner, entity_t entity, const id_info& removed) noexcept {
    id_record& known = *owner.data.ids.find(removed.id);
    known.sparse->remove(index_of(entity));
    storage::clear_sparse_flag(*owner.data.entities.find(entity),
                               storage::sparse_flag(known.sparse_number));
}

void accept_link(stage& owner, entity_t entity, const id_info& removed) noexcept {
    storage::store& data = owner.data;
    const id_record& relation = *data.ids.find(make_pair(pair_first(removed.id), Wildcard));
    link_store& links = *relation.links;
    links.remove(index_of(entity), pair_second(removed.id));
    entity_record& record = *data.entities.find(entity);
    if (!links.has_any(index_of(entity))) {
        storage::clear_sparse_flag(record, storage::source_flag(relation));
    }
    if (pair_first(removed.id) == ChildOf && record.state & storage::record_named) {
        owner.listen.parent_changed(owner, entity, 0);
    }
}

}  // namespace

bool add_sparse(stage& owner, entity_t entity, const id_info& added,
                const detail::value_source* source) {
    return is_pair(added.id) ? add_link(owner, entity, added, source)
                             : add_component(owner, entity, added, source);
}

void check_addable_sparse(stage& owner, entity_t entity, const id_info& added) {
    if (has_sparse(owner.data, entity, added)) {
        return;
    }
    if (is_pair(added.id)) {
        new_link(owner, entity, added).check();
    } else {
        check_sparse_unlocked(owner, entity, added.id);
    }
}

void check_removable_sparse(stage& owner, entity_t entity, const id_info& removed,
                            bool keeps_name) {
    check_sparse_unlocked(owner, entity, removed.id);
    if (is_pair(removed.id) && pair_first(removed.id) == ChildOf) {
        entity_t parent = owner.data.entities.alive_at(pair_second(removed.id));
        if (keeps_name) {
            check_parent(owner, entity, *owner.data.entities.find(entity), parent, 0);
        } else {
            check_leaves(owner, entity, parent);
        }
    }
    if (is_pair(removed.id) && removed.traits & traits::trait_symmetric) {
        prepare_remove_inverse(owner, entity, removed);
    }
}

void notify_before_insert(stage& owner, entity_t entity, const id_info& added) {
    notify(owner, storage::event_before, added, entity, nullptr);
}

void insert_sparse(stage& owner, entity_t entity, const id_info& added,
                   const detail::value_source* source) {
    if (is_pair(added.id)) {
        new_link link(owner, entity, added);
        link.check();
        link.put(source);
    } else {
        put_component(owner, entity, added, source);
    }
}

void notify_after_insert(stage& owner, entity_t entity, const id_info& added) {
    if (added.event_mask & storage::event_add) {
        notify(owner, storage::event_add, added, entity, value_sparse(owner.data, entity, added));
    }
}

void notify_before_erase(stage& owner, entity_t entity, const id_info& removed) {
    if (removed.event_mask & storage::event_remove) {
        notify(owner, storage::event_remove, removed, entity,
               value_sparse(owner.data, entity, removed));
    }
}

void erase_sparse(stage& owner, entity_t entity, const id_info& removed) noexcept {
    (is_pair(removed.id) ? accept_link : take_component)(owner, entity, removed);
    clear_toggle(owner, entity, removed.id);
}

void notify_after_erase(stage& owner, entity_t entity, const id_info& removed) {
    notify(owner, storage::event_after, removed, entity, nullptr);
    if (is_pair(removed.id) && removed.traits & traits::trait_symmetric) {
        remove_inverse(owner, entity, removed);
    }
}

void remove_sparse(stage& owner, entity_t entity, const id_info& removed) {
    check_removable_sparse(owner, entity, removed, true);
    callback_scope code(owner);
    owner.begin_step();
    notify_before_erase(owner, entity, removed);
    erase_sparse(owner, entity, removed);
    notify_after_erase(owner, entity, removed);
    code.finish();
}

void drop_parent(stage& owner, entity_t entity, const entity_record& record) noexcept {
    storage::link_store* parents = owner.data.parents_store;
    std::uint32_t index = index_of(entity);
    if (record.state & storage::record_has_parent && parents && parents->has_any(index)) {
        parents->remove(index, parents->find(index)->target);
    }
}

void discard_sparse(stage& owner, entity_t entity, const entity_record& record) noexcept {
    storage::store& data = owner.data;
    std::uint32_t index = index_of(entity);
    if (!(record.state & storage::record_any_sparse)) {
        return;
    }
    for (const id_record* relation : data.link_ids) {
        while (relation->links != data.parents_store && relation->links->has_any(index)) {
            relation->links->remove(index, relation->links->find(index)->target);
        }
    }
    for (const id_record* sparse : data.sparse_ids) {
        sparse->sparse->remove(index);
    }
}

bool has_sparse(const storage::store& data, entity_t entity, const id_info& id) noexcept {
    if (is_pair(id.id)) {
        const link_store* links = storage::find_links(data, pair_first(id.id));
        return links && links->has(index_of(entity), pair_second(id.id));
    }
    const id_record* known = data.ids.find(id.id);
    return known && known->sparse && known->sparse->has(index_of(entity));
}

void* value_sparse(const storage::store& data, entity_t entity, const id_info& id) noexcept {
    if (!id.value_type) {
        return nullptr;
    }
    if (is_pair(id.id)) {
        return storage::find_links(data, pair_first(id.id))
            ->value(index_of(entity), pair_second(id.id));
    }
    return data.ids.find(id.id)->sparse->find(index_of(entity));
}

}  // namespace kith::mutate
