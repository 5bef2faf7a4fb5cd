// Implements instantiate.hpp.
#include "mutate/ops/instantiate.hpp"

#include "base/assert.hpp"
#include "base/scope_exit.hpp"
#include "ids/builtin.hpp"
#include "mutate/apply/owned_ids.hpp"
#include "mutate/apply/rows.hpp"
#include "mutate/apply/values.hpp"
#include "mutate/commit/first_row.hpp"
#include "mutate/ops/add_remove.hpp"
#include "mutate/ops/clone.hpp"
#include "mutate/ops/create.hpp"
#include "mutate/ops/naming.hpp"
#include "mutate/ops/set_value.hpp"
#include "mutate/rules/destination.hpp"
#include "mutate/rules/prefabs.hpp"
#include "storage/graph.hpp"
#include "traits/implications.hpp"
#include "traits/inherit.hpp"

#include <algorithm>

namespace kith::mutate {

using containers::purpose;
using storage::entity_record;
using storage::id_info;
using storage::id_record;
using storage::table;

namespace {

// A list of entities with a destructor.
struct entity_list {
    explicit entity_list(stage& world) noexcept : mem(world.data.mem) {}
    ~entity_list() { items.release(mem, purpose::commands); }
    entity_list(const entity_list&) = delete;
    entity_list& operator=(const entity_list&) = delete;
    void push(entity_t entity) { items.push(mem, entity, purpose::commands); }

    containers::memory& mem;
    containers::vec<entity_t> items;
};

void collect_children(stage& world, entity_t parent, entity_list& children) {
    storage::each_source(world.data, ChildOf, index_of(parent), [&](entity_t child) {
        children.push(child);
        return true;
    });
}

// The source of a value of the base. The value is looked up when it is copied, because reserving
// rows may have moved it.
struct base_value {
    stage& world;
    entity_t base;
    id_t id;
    const type_info& info;

    static const void* find(const base_value& from) {
        return find_value(from.world, from.base, get_record(from.world, from.base), from.id, 0);
    }
    static void make(void* value, void* context) {
        const auto& from = *static_cast<base_value*>(context);
        KITH_ASSERT(find(from), "the base has the value");
        types::copy_values(from.info, value, find(from), 1);
    }
    static void assign(void* value, void* context) {
        const auto& from = *static_cast<base_value*>(context);
        copy_context copied{&from.info, find(from)};
        assign_value(from.info, value, copying_source(copied));
    }
};

// The id that an instance gets for a mark: for an enum the constant that the base has now, not that
// of the mark.
id_t constant_of_base(const stage& world, entity_t base, id_t mark) {
    const id_info marked = traits::describe_id(world.data, mark);
    if (!traits::is_enum_pair(marked)) {
        return mark;
    }
    const storage::store& data = world.data;
    const id_t any = make_pair(pair_first(mark), Wildcard);
    const storage::entity_record& record = get_record(world, base);
    const entity_t holder = storage::owns_id(data, record, base, any)
                                ? base
                                : traits::find_base(data, record, base, any);
    id_t id = mark;
    if (holder) {
        storage::each_target(data, holder, pair_first(mark), [&](std::uint32_t target) {
            id = make_pair(pair_first(mark), target);
            return false;
        });
    }
    return id;
}

// The bases that an entity gets in one step.
struct base_list {
    const entity_t* first;
    std::uint32_t count;

    // True if one of the bases fills the slot: a marked pair is not copied then.
    bool fill_slot(const storage::store& data, entity_t slot) const {
        return std::any_of(first, first + count,
                           [&](entity_t base) { return fills_slot(data, base, slot); });
    }
};

// Gives the instance its own copies of the marked ids, with the values of the base.
void copy_marked(stage& world, entity_t entity, entity_t base, const base_list& bases) {
    id_buffer marked(world.data.mem, purpose::commands);
    collect_marked(world, base, marked);
    id_buffer lacking(world.data.mem, purpose::commands);
    for (id_t mark : marked) {
        const id_t id = constant_of_base(world, base, mark);
        if (!storage::owns_id(world.data, get_record(world, entity), entity, id)) {
            lacking.push(id);
        }
    }
    for (id_t id : lacking) {
        if (is_pair(id) &&
            bases.fill_slot(world.data, world.data.entities.alive_at(pair_first(id)))) {
            continue;
        }
        id_info added = prepare_id(world, id, entity);
        const entity_record& record = get_record(world, entity);
        bool owned = storage::owns_id(world.data, record, entity, id);
        const id_t others = traits::replaced_pattern(added);
        if (!owned && others && storage::owns_id(world.data, record, entity, others)) {
            continue;  // a target of its own or of a nearer base hides it
        }
        const void* value =
            added.value_type ? find_value(world, base, get_record(world, base), id, 0) : nullptr;
        if (!value) {
            add_id(world, entity, id, true);
            continue;
        }
        if (!added.value_type->info.can_copy()) {
            raise_entity_id(world, errc::not_copyable, entity, id,
                            "is to be copied from the base, and cannot be copied");
        }
        // The id may be there already, implied by an id that was copied before; then its value is
        // assigned.
        base_value from{world, base, id, added.value_type->info};
        set_value(world, entity, id, 0, {&from, base_value::make, base_value::assign});
    }
}

// -- children

// Copies the tree below a prefab to below its instance, breadth first.
//
// Invariants
// 1. `copies_` is the work list: entries before the current one have a copy.
// 2. `known_to_` is the table of `known_from_` without Prefab, or `known_from_` is no_table.
class tree_copy {
public:
    tree_copy(stage& world, entity_t instance, entity_t base)
        : world_(world),
          data_(world.data),
          instance_(instance),
          base_(base),
          to_prefab_(is_prefab(world.data, instance)),
          copies_bytes_(!to_prefab_ && data_.parents_store && !is_iterating() &&
                        !(world.mode & detail::mode_entity_events) &&
                        traits::describe_id(data_, make_pair(ChildOf, Wildcard)).event_mask == 0) {}
    ~tree_copy() { world_.operation.copying_prefab = was_copying_prefab_; }
    tree_copy(const tree_copy&) = delete;
    tree_copy& operator=(const tree_copy&) = delete;

    // Copies the children level by level, then adds the pairs of slots, whose targets exist by
    // then.
    void run() {
        // Copies of instances get copies of the children here, so that they are not instantiated
        // again.
        world_.operation.copying_prefab = true;
        add_children(base_, data_.entities.find(base_)->state, instance_);
        for (std::uint32_t next = 0; next < copies_.size(); ++next) {
            // Neither end of the copy can have been deleted by a hook, whose changes are deferred.
            copy_one(next);
        }
        for (std::uint32_t i = 0; i < copies_.size(); ++i) {
            if (!copies_[i].plain && is_slot(data_, copies_[i].original)) {
                add_slot(copies_[i]);
            }
        }
        add_inherited_slots();
    }

private:
    // A child of the prefab with the copy of the child.
    struct copied {
        entity_t original;
        entity_t parent;  // parent of the copy
        entity_t copy;
        std::uint32_t siblings;  // of a first child: number of all children; else 0
        bool plain;              // copied as bytes, so it is no slot
    };

    // Appends the children of an original to the work list. `state`: flags of the original.
    void add_children(entity_t original, std::uint32_t state, entity_t copy) {
        if (!(state & (storage::record_has_children | storage::record_used_as_id))) {
            return;
        }
        std::uint32_t before = copies_.size();
        storage::each_source(data_, ChildOf, index_of(original), [&](entity_t child) {
            copies_.push({child, copy, 0, 0, false});
            return true;
        });
        if (copies_.size() != before) {
            copies_[before].siblings = copies_.size() - before;
        }
    }

    // Copies one entity, as bytes if that is possible, and appends its children.
    void copy_one(std::uint32_t position) {
        copied& item = copies_[position];
        KITH_ASSERT(data_.entities.find(item.original) && data_.entities.find(item.parent),
                    "hooks cannot delete: their changes are deferred");
        const entity_record& record = *data_.entities.find(item.original);
        item.copy = try_copy_bytes(record, item);
        item.plain = item.copy != 0;
        if (!item.plain) {
            item.copy = copy_slow(item.original, item.parent);
            known_from_ = storage::no_table;  // the table may have been deleted
        }
        if (item.siblings > 1 && data_.parents_store) {
            data_.parents_store->reserve_sources(index_of(item.parent), item.siblings - 1);
        }
        add_children(item.original, record.state, item.copy);
    }

    // True if rows of the table can be copied as bytes and contain no slots. Stores the table of
    // the copies.
    bool learn_table(table& from) {
        constexpr std::uint32_t special_flags =
            detail::shape_on_add | detail::shape_notify_set | detail::shape_has_base |
            detail::shape_checked | detail::shape_symmetric | detail::shape_has_properties |
            detail::shape_has_marks | detail::shape_has_disabled;
        if (from.flags & special_flags || !(from.flags & detail::shape_has_prefab) ||
            has_user_pair(from)) {
            return false;
        }
        for (std::uint32_t i = 0; i < from.column_count; ++i) {
            if (!from.column_type(i).trivial_copy) {
                return false;
            }
        }
        const storage::edge* edge = data_.tables.find_edge(from, Prefab);
        if (!edge) {
            id_t removed = Prefab;
            data_.tables.connect(table_after(world_, from, nullptr, 0, &removed, 1), from, Prefab);
            edge = data_.tables.find_edge(from, Prefab);
        }
        known_from_ = from.number;
        known_to_ = edge->to;
        return true;
    }

    // Copies an entity that has only bytes in its table and a link to its parent. Returns 0 if the
    // slow path is needed.
    entity_t try_copy_bytes(const entity_record& record, const copied& item) {
        constexpr std::uint32_t special_state =
            storage::record_any_sparse | storage::record_named | storage::record_has_disabled;
        if (!copies_bytes_ || record.state & special_state) {
            return 0;
        }
        table& from = data_.tables.at(record.table);
        if (record.table != known_from_ && !learn_table(from)) {
            return 0;
        }
        const table& to = data_.tables.at(known_to_);
        const detail::table_rows& target = data_.tables.rows(known_to_);
        if (target.count == target.capacity) {
            data_.tables.reserve_rows(to, 1);
        }
        entity_record* entity_record = nullptr;
        entity_t copy = data_.entities.create(entity_record);
        base::scope_exit discard([&] { data_.entities.take_back(index_of(copy)); });
        if (!data_.parents_store->try_link(copy, item.parent)) {
            data_.parents_store->prepare(index_of(copy), index_of(item.parent), nullptr);
            data_.parents_store->commit(copy, item.parent);
        }
        discard.release();
        std::uint32_t row = append_row(data_, to, copy, *entity_record);
        entity_record->state |= storage::record_has_parent;
        if (item.siblings != 0) {
            data_.entities.find(item.parent)->state |= storage::record_has_children;
        }
        const detail::table_rows& source = data_.tables.rows(from.number);
        for (std::uint32_t i = 0; i < to.column_count; ++i) {
            copy_bytes(storage::value_in(target, to.columns[i], row),
                       storage::value_in(source, from.columns[i], record.row), to.columns[i].size);
        }
        return copy;
    }

    // True if the table has a pair that may be that of a slot, or that makes a slot.
    static bool has_user_pair(const table& type) noexcept {
        // Pairs are the last ids of a table.
        for (std::uint32_t i = type.id_count; i-- > 0 && is_pair(type.ids[i]);) {
            std::uint32_t first = pair_first(type.ids[i]);
            if (first == SlotOf || !ids::is_builtin(first)) {
                return true;
            }
        }
        return false;
    }
    // True if the pair fills a slot within the prefab: its copy is made with the copies of the
    // parts.
    bool fills_own_slot(id_t id, entity_t original) const {
        return is_pair(id) && !ids::is_builtin(pair_first(id)) &&
               mutate::fills_own_slot(data_, base_, original,
                                      data_.entities.alive_at(pair_first(id)));
    }

    // Copies an entity with all its rules and hooks. A failed copy is removed.
    entity_t copy_slow(entity_t original, entity_t parent) {
        entity_t copy = data_.entities.create();
        base::scope_exit discard([&] {
            if (data_.entities.find(copy)) {
                roll_back_create(world_, copy);
            }
        });
        ensure_row(world_, copy, get_record(world_, copy));
        add_id(world_, copy, make_pair(ChildOf, parent));
        copy_options options;
        copied_part part{*this, original};
        options.keeps = keeps;
        options.context = &part;
        // The name is copied before the ids, so that listeners of the ids can look the copy up.
        copy_name(world_, original, copy);
        copy_ids(world_, original, copy, options);
        discard.release();
        return copy;
    }
    // The context of keeps().
    struct copied_part {
        const tree_copy& tree;
        entity_t original;
    };
    // Selects the ids that the copy of a child gets.
    static bool keeps(id_t id, const void* context) {
        const auto& part = *static_cast<const copied_part*>(context);
        std::uint32_t first = is_pair(id) ? pair_first(id) : 0;
        if (first == ChildOf || first == SlotOf || traits::is_property(id)) {
            return false;
        }
        if (!part.tree.to_prefab_ && (id == Prefab || id & Override)) {
            return false;
        }
        return id & Override || !part.tree.fills_own_slot(id, part.original);
    }

    // -- slots

    // The entity of the instance that corresponds to an entity of the prefab, 0 if that is no part
    // of it.
    entity_t counterpart(entity_t original) const noexcept {
        if (original == base_) {
            return instance_;
        }
        for (const copied& copied_entity : copies_) {
            if (copied_entity.original == original) {
                return copied_entity.copy;
            }
        }
        return 0;
    }
    // Adds the pair (slot, copy) to the holder.
    void add_slot_pair(entity_t holder, entity_t slot, entity_t copy) {
        // Each instance has another target, which should not split tables.
        if (has_single_targets(data_, slot)) {
            add_id(world_, slot, Union);
        }
        add_id(world_, holder, make_pair(slot, copy));
    }
    // Adds the slot pairs for the copy of a slot.
    void add_slot(const copied& item) {
        entity_list holders(world_);
        each_owned(data_, item.original, make_pair(SlotOf, Wildcard), [&](const id_info& pair) {
            entity_t whole = data_.entities.alive_at(pair_second(pair.id));
            if (entity_t holder = counterpart(whole)) {
                holders.push(holder);
            }
        });
        for (entity_t holder : holders.items) {
            add_slot_pair(holder, item.original, item.copy);
            if (to_prefab_) {
                add_id(world_, item.copy, make_pair(SlotOf, holder));
            }
        }
    }
    // A base that is itself an instance has pairs of its own base's slots: the instance gets them
    // with its own copies as targets.
    void add_inherited_slots() {
        entity_list slots(world_);
        each_owned(data_, base_, make_pair(Wildcard, Wildcard), [&](const id_info& pair) {
            entity_t slot = data_.entities.alive_at(pair_first(pair.id));
            if (!ids::is_builtin(pair_first(pair.id)) && is_slot(data_, slot)) {
                slots.push(slot);
                slots.push(data_.entities.alive_at(pair_second(pair.id)));
            }
        });
        for (std::uint32_t i = 0; i + 1 < slots.items.size(); i += 2) {
            entity_t filled = slots.items[i + 1];
            if (entity_t copy = filled == base_ ? 0 : counterpart(filled)) {
                add_slot_pair(instance_, slots.items[i], copy);
            }
        }
    }

    stage& world_;
    storage::store& data_;
    entity_t instance_;
    entity_t base_;
    bool to_prefab_;  // the instance is a prefab itself
    // Copies differ from their originals only in Prefab and the parent, and events of these have no
    // listeners.
    bool copies_bytes_;
    std::uint32_t known_from_ = storage::no_table;  // table that learn_table() accepted last
    std::uint32_t known_to_ = 0;
    bool was_copying_prefab_ = world_.operation.copying_prefab;
    containers::small_vec<copied, 16> copies_{world_.data.mem, purpose::commands};
};

}  // namespace

void instantiate(stage& world, entity_t entity, const entity_t* bases, std::uint32_t count) {
    const operation_state& operation = world.operation;
    if (operation.copying_prefab || operation.uninstantiated == entity ||
        operation.complete == entity) {
        return;
    }
    // Ids of an earlier base in the list hide those of a later one.
    for (std::uint32_t i = 0; i < count; ++i) {
        if (world.data.ids.has_marks()) {
            copy_marked(world, entity, bases[i], {bases, count});
        }
        if (is_prefab(world.data, bases[i])) {
            tree_copy children(world, entity, bases[i]);
            children.run();
        }
    }
}

void make_prefab(stage& world, entity_t entity) {
    // The list is the work list of a breadth-first walk; subtrees that are prefabs already are
    // skipped.
    entity_list descendants(world);
    descendants.push(entity);
    for (std::uint32_t next = 0; next < descendants.items.size(); ++next) {
        entity_t descendant = descendants.items[next];
        if (next != 0 && is_prefab(world.data, descendant)) {
            continue;
        }
        add_id(world, descendant, Prefab);
        collect_children(world, descendant, descendants);
    }
}

}  // namespace kith::mutate
