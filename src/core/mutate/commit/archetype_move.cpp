// Implements archetype_move.hpp. A move has three parts (class transition): checks, the move of the
// row, and its consequences.
#include "mutate/commit/archetype_move.hpp"

#include "base/assert.hpp"
#include "base/counters.hpp"
#include "base/scope_exit.hpp"
#include "mutate/apply/owned_ids.hpp"
#include "mutate/apply/rows.hpp"
#include "mutate/apply/value_ahead.hpp"
#include "mutate/apply/values.hpp"
#include "mutate/commit/inverses.hpp"
#include "mutate/commit/property.hpp"
#include "mutate/commit/sparse_ops.hpp"
#include "mutate/context/wide_tables.hpp"
#include "mutate/notify/notify.hpp"
#include "mutate/notify/validate.hpp"
#include "mutate/rules/change_set.hpp"
#include "mutate/rules/constraints.hpp"
#include "mutate/rules/destination.hpp"
#include "mutate/rules/prefabs.hpp"
#include "mutate/rules/sibling_names.hpp"
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

// Calls visit(position in `with`) for each id of `with` that `without` lacks. Both lists are
// sorted.
template <class Visit>
void each_difference(const table& with, const table& without, Visit&& visit) {
    std::uint32_t j = 0;
    for (std::uint32_t i = 0; i < with.id_count; ++i) {
        while (j < without.id_count && without.ids[j] < with.ids[i]) {
            ++j;
        }
        if (j == without.id_count || without.ids[j] != with.ids[i]) {
            visit(i);
        }
    }
}

// Throws if one of the tables is locked, and names the first id that the move adds or removes.
void check_tables_unlocked(const stage& world, entity_t entity, const table& from,
                           const table& to) {
    if (!is_locked(world, from.number) && !is_locked(world, to.number)) {
        return;
    }
    id_t changed_id = 0;
    each_difference(from, to, [&](std::uint32_t i) { changed_id = from.ids[i]; });
    each_difference(to, from, [&](std::uint32_t i) { changed_id = to.ids[i]; });
    raise_locked(world, entity, changed_id);
}

// The value of the id at a position of a table, null for a tag.
void* value_of(const storage::store& data, const entity_record& record, const table& type,
               std::uint32_t position) {
    detail::column value_column = type.slots[position];
    return value_column.size
               ? storage::value_in(data.tables.rows(type.number), value_column, record.row)
               : nullptr;
}

// Constructs the values of gained ids in the row behind the last one of `to`. The destructor
// destroys the values unless keep() was called.
//
// Invariants
// 1. `columns_` begins with the numbers of the `constructed_` columns whose values need a
//    destructor.
// 2. `sorted_` is empty, or lists the initial values in the order of their ids.
class new_values {
public:
    new_values(stage& world, entity_t entity, const table& to)
        : world_(world), entity_(entity), to_(to) {
        columns_.reserve(to.column_count);
    }
    ~new_values() {
        while (constructed_ != 0) {
            std::uint32_t position = columns_[--constructed_];
            types::destroy_values(to_.column_type(position), place(position), 1);
        }
    }

    // Constructs default values first, since these can fail, while moving given values mostly
    // cannot.
    void construct(const table& from, const initial_value* initial, std::uint32_t initial_count) {
        if (initial_count > few) {
            sort_initial(initial, initial_count);
        }
        each_new_column(from, [&](std::uint32_t column, const id_record& record) {
            if (!find_initial(record, initial, initial_count)) {
                const type_info& info = record.value_type->info;
                if (const void* inherited = find_inherited(from, record)) {
                    types::copy_values(info, place(column), inherited, 1);
                } else {
                    check_default_constructible(world_, record);
                    types::construct_values(info, place(column), 1);
                }
                note(column);
            }
        });
        if (initial_count == 0) {
            return;
        }
        each_new_column(from, [&](std::uint32_t column, const id_record& record) {
            if (const initial_value* value = find_initial(record, initial, initial_count)) {
                make_value(record.value_type->info, *value->source, place(column));
                note(column);
            }
        });
    }
    // The row was moved: the values belong to the table.
    void keep() noexcept { constructed_ = 0; }

private:
    void* place(std::uint32_t column) const noexcept {
        const detail::table_rows& rows = world_.data.tables.rows(to_.number);
        return storage::value_in(rows, to_.columns[column], rows.count);
    }
    // The value that the entity inherits so far, null if there is none or it cannot be copied.
    const void* find_inherited(const table& from, const id_record& record) const {
        if (!(from.flags & detail::shape_has_base) || !record.value_type->info.can_copy()) {
            return nullptr;
        }
        return find_inherited_value(world_, entity_, *world_.data.entities.find(entity_), record.id,
                                    0);
    }
    // Sorts long lists of initial values, which are searched by bisection.
    void sort_initial(const initial_value* values, std::uint32_t count) {
        sorted_.reserve(count);
        for (std::uint32_t i = 0; i < count; ++i) {
            sorted_.push(values[i]);
        }
        std::sort(sorted_.begin(), sorted_.end(), comes_before);
    }
    static bool comes_before(const initial_value& value, const initial_value& other) noexcept {
        return value.id < other.id;
    }
    const initial_value* find_initial(const id_record& record, const initial_value* values,
                                      std::uint32_t count) const {
        if (count > few) {
            const initial_value* match = std::lower_bound(
                sorted_.begin(), sorted_.end(), initial_value{record.id, nullptr}, comes_before);
            return match != sorted_.end() && match->id == record.id ? match : nullptr;
        }
        for (std::uint32_t i = 0; i < count; ++i) {
            KITH_COUNT(folded);
            if (values[i].id == record.id) {
                return &values[i];
            }
        }
        return nullptr;
    }
    // Calls visit(column of `to`, record) for each column that `from` lacks. Columns of both tables
    // are in the same order.
    template <class Visit>
    void each_new_column(const table& from, Visit&& visit) {
        std::uint32_t j = 0;
        for (std::uint32_t i = 0; i < to_.column_count; ++i) {
            const id_record& record = *to_.records[to_.column_ids[i]];
            while (j < from.column_count && from.records[from.column_ids[j]] != &record &&
                   storage::comes_before(*from.records[from.column_ids[j]], record)) {
                ++j;
            }
            if (j < from.column_count && from.records[from.column_ids[j]] == &record) {
                ++j;
            } else {
                visit(i, record);
            }
        }
    }
    // Notes a constructed value that needs a destructor.
    void note(std::uint32_t column) {
        if (!to_.column_type(column).trivial_destroy) {
            columns_[constructed_++] = column;
        }
    }

    stage& world_;
    entity_t entity_;
    const table& to_;
    static constexpr std::uint32_t few = 8;
    containers::small_vec<initial_value, few> sorted_{world_.data.mem, purpose::commands};
    containers::small_vec<std::uint32_t, 32> columns_{world_.data.mem, purpose::tables};
    std::uint32_t constructed_ = 0;  // number of columns_ with live values
};

// One move, step by step: check() does what may be refused, move_row_with() moves the row,
// follow_up() applies the consequences. notify_before_remove() comes right before the row moves.
//
// Invariants
// 1. `from_` is the table of the record until move_row_with().
// 2. `flags_` is the union of the flags of both tables: a rule that neither table has needs no look
//    at single ids.
class transition {
public:
    transition(stage& world, entity_t entity, entity_record& record, table& from, table& to,
               sparse_delta* sparse_change)
        : world_(world),
          data_(world.data),
          entity_(entity),
          record_(record),
          from_(from),
          to_(to),
          flags_(from.flags | to.flags),
          sparse_(sparse_change) {}

    // Checks locks, pairs, parents and inverses, and reserves memory, so that the move cannot fail.
    void check() {
        if (is_iterating()) {
            check_tables_unlocked(world_, entity_, from_, to_);
        }
        if (to_.flags & detail::shape_checked) {
            each_difference(to_, from_, [&](std::uint32_t i) {
                if (to_.records[i]->shape_flags & detail::shape_checked) {
                    check_pair(world_, entity_, *to_.records[i]);
                }
            });
        }
        if (flags_ & detail::shape_has_parent) {
            check_parents();
        }
        if (flags_ & detail::shape_symmetric) {
            each_symmetric(to_, from_, [&](const id_record& pair) {
                prepare_add_inverse(world_, entity_, pair);
            });
            each_symmetric(from_, to_, [&](const id_record& pair) {
                prepare_remove_inverse(world_, entity_, pair);
            });
        }
        data_.tables.reserve_rows(to_, 1);
        if (is_reported()) {
            data_.mem.ensure_reserve();
        }
    }

    // Checks and reserves again after callbacks ran: types that they used for the first time got
    // rows at once, and callbacks that suspended deferring may have made any change.
    void check_again() {
        if (data_.entities.find(entity_) != &record_ || record_.table != from_.number) {
            raise_entity_id(world_, errc::invalid_operation, entity_, 0,
                            "was changed by a callback, with deferring suspended, while it was "
                            "being changed");
        }
        data_.tables.reserve_rows(to_, 1);
    }

    // True if only bytes move, without a notification or a consequence.
    bool is_plain() const noexcept {
        constexpr std::uint32_t bytes = detail::shape_trivial_move | detail::shape_trivial_destroy;
        constexpr std::uint32_t consequences = detail::shape_on_add | detail::shape_on_remove |
                                               detail::shape_symmetric | detail::shape_has_base |
                                               detail::shape_has_parent;
        return (from_.flags & to_.flags & bytes) == bytes && !(flags_ & consequences) &&
               !is_new() && !sparse_;
    }

    // Constructs the new values, moves the row, and changes the sparse ids. Lost ids are enabled
    // again.
    void move_row_with(const initial_value* initial, std::uint32_t initial_count) {
        KITH_ASSERT(record_.table == from_.number, "the entity is still in its old table");
        new_values values(world_, entity_, to_);
        values.construct(from_, initial, initial_count);
        values.keep();
        move_row(data_, entity_, record_, from_, to_);
        if (record_.state & storage::record_has_disabled) {
            each_difference(from_, to_,
                            [&](std::uint32_t i) { clear_toggle(world_, entity_, from_.ids[i]); });
        }
        if (sparse_) {
            sparse_->change();
        }
    }

    // Notifies of creation, removals and coming additions, as the last step before the row moves.
    void notify_before_remove() {
        if (is_new()) {
            world_.events.dispatch({&world_, events::created, entity_, entity_, nullptr});
        }
        if (!is_reported()) {
            return;
        }
        const change_view_scope after(world_, {entity_, &to_, 0, sparse_});
        if (from_.flags & detail::shape_on_remove) {
            each_difference(from_, to_, [&](std::uint32_t i) {
                notify(world_, storage::event_remove, *from_.records[i], entity_,
                       value_of(data_, record_, from_, i));
            });
        }
        if (to_.flags & detail::shape_on_add) {
            each_difference(to_, from_, [&](std::uint32_t i) {
                notify(world_, storage::event_before, *to_.records[i], entity_, nullptr);
            });
        }
        if (sparse_) {
            sparse_->notify_before_remove();
        }
    }
    // Notifies of completed removals, then of additions, when the row has moved.
    void notify_done() {
        if (!is_reported()) {
            return;
        }
        const change_view_scope before(world_, {entity_, &from_, 0, sparse_});
        if (from_.flags & detail::shape_on_remove) {
            each_difference(from_, to_, [&](std::uint32_t i) {
                notify(world_, storage::event_after, *from_.records[i], entity_, nullptr);
            });
        }
        if (sparse_) {
            sparse_->notify_removed();
        }
        if (to_.flags & detail::shape_on_add) {
            each_difference(to_, from_, [&](std::uint32_t i) {
                notify(world_, storage::event_add, *to_.records[i], entity_,
                       value_of(data_, record_, to_, i));
            });
        }
        if (sparse_) {
            sparse_->notify_added();
        }
    }

    // Completes the move: name index and notifications, then its consequences for other entities
    // (change_consequences).
    void follow_up() {
        if (renames_) {
            move_name(world_, entity_, parent_after_);
        }
        notify_done();
        if (flags_ & detail::shape_symmetric) {
            each_symmetric(from_, to_, [&](const id_record& pair) {
                world_.consequences.remove_inverse(world_, entity_, pair);
            });
            each_symmetric(to_, from_, [&](const id_record& pair) {
                world_.consequences.add_inverse(world_, entity_, pair);
            });
        }
        if (parent_after_ && is_prefab(data_, parent_after_)) {
            world_.consequences.make_prefab(world_, entity_);
        }
        if (to_.flags & detail::shape_has_base) {
            id_buffer bases(data_.mem, purpose::commands);
            each_difference(to_, from_, [&](std::uint32_t i) {
                if (is_pair(to_.ids[i]) && pair_first(to_.ids[i]) == IsA) {
                    bases.push(data_.entities.alive_at(pair_second(to_.ids[i])));
                }
            });
            world_.consequences.instantiate(world_, entity_, bases.data(), bases.size());
        }
    }

private:
    // True if hooks or listeners may be notified of the change.
    bool is_reported() const noexcept {
        return sparse_ || (from_.flags & detail::shape_on_remove) != 0 ||
               (to_.flags & detail::shape_on_add) != 0;
    }
    // True if the entity gets its first row and entity events have listeners.
    bool is_new() const noexcept {
        return from_.number == storage::no_table && world_.mode & detail::mode_entity_events;
    }
    // Checks the change of the parent, if there is one, and notes whether the name index changes.
    void check_parents() {
        auto parent_in = [&](const table& type) -> entity_t {
            std::int32_t position = storage::find_id(type, make_pair(ChildOf, Wildcard));
            return position < 0 ? 0 : data_.entities.alive_at(pair_second(type.ids[position]));
        };
        entity_t before = parent_in(from_);
        entity_t after = parent_in(to_);
        if (before != after) {
            parent_after_ = after;
            // A name that is removed with the parent needs no place among the new siblings.
            if (record_.state & storage::record_pending_delete) {
                return;  // deleted with its parent: its name needs no place
            }
            if (storage::find_id(to_, detail::name_pair) >= 0) {
                renames_ = check_parent(world_, entity_, record_, before, after);
            } else if (before && before != world_.deletion.notified) {
                check_leaves(world_, entity_, before);
            }
        }
    }
    // Calls visit(record) for each symmetric pair that `with` has and `without` lacks.
    template <class Visit>
    static void each_symmetric(const table& with, const table& without, Visit&& visit) {
        each_difference(with, without, [&](std::uint32_t i) {
            if (with.records[i]->shape_flags & detail::shape_symmetric) {
                visit(*with.records[i]);
            }
        });
    }

    stage& world_;
    storage::store& data_;
    entity_t entity_;
    entity_record& record_;
    table& from_;
    table& to_;
    std::uint32_t flags_;
    sparse_delta* sparse_;
    entity_t parent_after_ = 0;
    bool renames_ = false;
};

using own_ids = containers::small_vec<id_info, 8>;

// Collects sparse ids of which the element itself is a part and which it loses in the same step as
// its properties.
void collect_staged_removals(const stage& world, entity_t element, own_ids& removed) {
    auto collect = [&](const id_info& info) {
        if (is_staged_removal(world, element, info.id)) {
            removed.push(info);
        }
    };
    const entity_record& record = *world.data.entities.find(element);
    each_sparse_id(world.data, record, element, element, collect);
    each_sparse_id(world.data, record, element, make_pair(element, Wildcard), collect);
}

// Moves an entity whose properties change. The ids that the entity is an element of change their
// meaning with it, also when a hook fails, because the row has moved then.
void move_with_properties(stage& world, entity_t entity, transition& change, const table& from,
                          const table& to, const initial_value* initial,
                          std::uint32_t initial_count) {
    property_change properties(world, entity, from, to);
    own_ids own(world.data.mem, purpose::commands);
    collect_staged_removals(world, entity, own);
    change.check();
    callback_scope code(world);
    world.operation.begin_step();
    // These ids are removed while the properties still describe them.
    for (const id_info& info : own) {
        remove_sparse(world, entity, info);
    }
    change.notify_before_remove();
    change.check_again();
    change.move_row_with(initial, initial_count);
    // Ids that enter tables were planned for the tables as they are now. Ids that leave tables end
    // tables that the rest of this move still needs.
    if (properties.enters_tables()) {
        properties.finish();
        change.follow_up();
    } else {
        const base::scope_exit finish([&] { properties.finish(); });
        change.follow_up();
    }
    code.finish();
}

// True if the move may reallocate rows or change other entities before values are copied: sources
// in tables would be invalid then.
bool may_move_sources(const storage::store& data, const entity_record& record,
                      const table& to) noexcept {
    const detail::table_rows& rows = data.tables.rows(to.number);
    constexpr std::uint32_t involved = detail::shape_symmetric | detail::shape_has_properties;
    return (rows.count != 0 && rows.count == rows.capacity) ||
           (data.tables.at(record.table).flags | to.flags) & involved;
}

using given_list = containers::small_vec<initial_value, 16>;

// Constructs and validates the values of gained ids with validating hooks. Returns the table to
// move to, since hooks of enums may choose other constants.
table& validate_gained(stage& world, entity_t entity, const table& from, table& to,
                       given_list& initial, values_ahead& values) {
    id_buffer chosen(world.data.mem, purpose::commands);
    id_buffer replaced(world.data.mem, purpose::commands);
    each_difference(to, from, [&](std::uint32_t i) {
        const id_info gained = *to.records[i];
        if (!is_validated(gained)) {
            return;
        }
        if (traits::is_enum_pair(gained)) {
            if (const id_t other = validate_constant(world, entity, gained).id;
                other != gained.id) {
                chosen.push(other);
                replaced.push(gained.id);
            }
            return;
        }
        initial_value* value_of_id =
            std::find_if(initial.begin(), initial.end(),
                         [&](const initial_value& value) { return value.id == gained.id; });
        const bool is_initial = value_of_id != initial.end();
        const detail::value_source* valid = validate_added(
            world, entity, gained, is_initial ? value_of_id->source : nullptr, values);
        if (is_initial) {
            *value_of_id = {gained.id, valid, true};
        } else if (valid) {
            initial.push({gained.id, valid, true});
        }
    });
    return replaced.empty() ? to
                            : table_after(world, to, chosen.data(), chosen.size(), replaced.data(),
                                          replaced.size());
}

// Moves the entity to the table, with or without changes of properties.
void move_with(stage& world, entity_t entity, entity_record& record, table& to,
               const initial_value* initial, std::uint32_t initial_count,
               sparse_delta* sparse_change) {
    table& from = world.data.tables.at(record.table);
    KITH_ASSERT(to.number != storage::no_table, "limbo never gets rows");
    transition change(world, entity, record, from, to, sparse_change);
    if ((from.flags | to.flags) & detail::shape_has_properties &&
        traits::differ_in_properties(from, to)) {
        move_with_properties(world, entity, change, from, to, initial, initial_count);
        return;
    }
    change.check();
    // Without notifications and consequences, no callback scope is needed.
    if (change.is_plain()) {
        change.move_row_with(initial, initial_count);
        note_left(world, from);
        return;
    }
    callback_scope code(world);
    world.operation.begin_step();
    change.notify_before_remove();
    change.check_again();
    change.move_row_with(initial, initial_count);
    note_left(world, from);
    change.follow_up();
    code.finish();
}

}  // namespace

void move_entity(stage& world, entity_t entity, entity_record& record, table& to,
                 const initial_value* initial, std::uint32_t initial_count,
                 sparse_delta* sparse_change) {
    const bool validates = (to.flags & detail::shape_validated) != 0;
    KITH_ASSERT(initial || initial_count == 0, "values are given as an array");
    if (!validates && (initial_count == 0 || !may_move_sources(world.data, record, to))) {
        move_with(world, entity, record, to, initial, initial_count, sparse_change);
        finish_leaving(world);
        return;
    }
    // Values are constructed before the move if they are validated, or if their sources may move.
    values_ahead values(world.data.mem);
    given_list prepared(world.data.mem, purpose::commands);
    for (std::uint32_t i = 0; i < initial_count; ++i) {
        prepared.push(initial[i]);
        const id_record& gained = *to.records[storage::find_id(to, initial[i].id)];
        if (!initial[i].is_detached && !is_validated(gained)) {
            prepared.back().source = &values.make(gained.value_type->info, *initial[i].source);
        }
    }
    const table& from = world.data.tables.at(record.table);
    table& destination =
        validates ? validate_gained(world, entity, from, to, prepared, values) : to;
    // Hooks of enums may have chosen the constants that the entity has already.
    if (&destination != &from) {
        move_with(world, entity, record, destination, prepared.data(), prepared.size(),
                  sparse_change);
    } else if (sparse_change) {
        change_sparse(world, entity, *sparse_change);
    }
    finish_leaving(world);
}

void change_sparse(stage& world, entity_t entity, sparse_delta& sparse_change) {
    callback_scope code(world);
    const change_view_scope both(world, {entity, nullptr, 0, &sparse_change});
    world.operation.begin_step();
    sparse_change.notify_before_remove();
    sparse_change.change();
    sparse_change.notify_removed();
    sparse_change.notify_added();
    code.finish();
}

}  // namespace kith::mutate
