#include "mutate/archetype_move.hpp"

#include "base/assert.hpp"
#include "base/counters.hpp"
#include "mutate/constraints.hpp"
#include "mutate/fast_path.hpp"
#include "mutate/instantiate.hpp"
#include "mutate/naming.hpp"
#include "mutate/property.hpp"
#include "mutate/rows.hpp"
#include "mutate/sparse_ops.hpp"
#include "mutate/symmetric.hpp"
#include "mutate/validate.hpp"
#include "mutate/values.hpp"
#include "mutate/wide_tables.hpp"
#include "traits/inherit.hpp"

#include <algorithm>

namespace kith::mutate {

using containers::purpose;
using storage::entity_record;
using storage::id_info;
using storage::id_record;
using storage::table;

void check_default_constructible(const stage& world, const id_info& id) {
    if (id.value_type && !id.value_type->info.can_construct()) {
        raise_id(world, errc::not_constructible, id.id,
                 "has no default constructor: give it a value with set or emplace");
    }
}

void make_value(const type_info& info, const detail::value_source& source, void* place) {
    if (source.make) {
        source.make(place, source.context);
    } else {
        std::memcpy(place, source.context, info.size);
    }
}

void mark_elements_used(storage::store& data, id_t id) noexcept {
    if (is_pair(id)) {
        data.entities.at(pair_first(id)).state |= storage::record_used_as_id;
        data.entities.at(pair_second(id)).state |= storage::record_used_as_id;
    } else {
        data.entities.at(index_of(id)).state |= storage::record_used_as_id;
    }
}

void clear_toggle(stage& world, entity_t entity, id_t id) noexcept {
    if (world.data.toggled_ids.empty()) {
        return;
    }
    const id_record* record = world.data.ids.find(id);
    if (record && record->disabled) {
        record->disabled->remove(index_of(entity));
    }
}

bool check_parent(stage& world, entity_t entity, const entity_record& record, entity_t before,
                  entity_t after) {
    constexpr std::uint32_t target = storage::record_used_as_id | storage::record_link_target;
    // A parent that is being deleted takes with it what it demands of its children.
    if (before && before != world.deletion_notified && record.state & target) {
        check_leaves(world, entity, before);
    }
    bool renames = (record.state & storage::record_named) != 0;
    if (renames) {
        check_name_under(world, entity, after);
    }
    return renames;
}

namespace {

bool has_row(const entity_record& record) noexcept {
    return record.table != storage::no_table;
}

// The entity of an element, made known if it is a C++ type. 0 if it is not alive.
entity_t adopt_element(stage& world, std::uint32_t index) {
    entity_t entity = world.data.entities.alive_at(index);
    if (!entity && index < first_entity && detail::find_type(index)) {
        world.callbacks.adopt_type(world, index);
        entity = world.data.entities.alive_at(index);
    }
    return entity;
}

void mark_used(stage& world, entity_t element) noexcept {
    world.data.entities.at(index_of(element)).state |= storage::record_used_as_id;
}

// Calls visit(position in `with`) for each id of `with` that `without` lacks.
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
    id_t changed = 0;
    each_difference(from, to, [&](std::uint32_t i) { changed = from.ids[i]; });
    each_difference(to, from, [&](std::uint32_t i) { changed = to.ids[i]; });
    raise_locked(world, entity, changed);
}

void* value_of(const storage::store& data, const entity_record& record, const table& world,
               std::uint32_t position) {
    detail::column slot = world.slots[position];
    return slot.size ? storage::value_in(data.tables.rows(world.number), slot, record.row)
                     : nullptr;
}

// Constructs values in the row behind the last one of `to`; ends those made if it does not
// complete.
class new_values {
public:
    new_values(stage& world, entity_t entity, const table& to)
        : world_(world), entity_(entity), to_(to) {
        columns_.reserve(to.column_count);
    }
    ~new_values() {
        while (made_ != 0) {
            std::uint32_t position = columns_[--made_];
            types::destroy_values(to_.column_type(position), place(position), 1);
        }
    }

    // Default values first: making those can fail, moving given ones mostly cannot.
    void construct(const table& from, const initial_value* initial, std::uint32_t given_count) {
        if (given_count > few) {
            sort_given(initial, given_count);
        }
        each_new_column(from, [&](std::uint32_t column, const id_record& record) {
            if (!find_given(record, initial, given_count)) {
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
        if (given_count == 0) {
            return;
        }
        each_new_column(from, [&](std::uint32_t column, const id_record& record) {
            if (const initial_value* value = find_given(record, initial, given_count)) {
                make_value(record.value_type->info, *value->source, place(column));
                note(column);
            }
        });
    }
    void keep() noexcept { made_ = 0; }

private:
    void* place(std::uint32_t column) const noexcept {
        const detail::table_rows& rows = world_.data.tables.rows(to_.number);
        return storage::value_in(rows, to_.columns[column], rows.count);
    }
    // The value that entities of the old type had from a base, if it can be copied.
    const void* find_inherited(const table& from, const id_record& record) const {
        if (!(from.flags & detail::shape_has_base) || !record.value_type->info.can_copy()) {
            return nullptr;
        }
        return find_inherited_value(world_, entity_, *world_.data.entities.find(entity_), record.id,
                                    0);
    }
    // Long lists are searched by bisection.
    void sort_given(const initial_value* value, std::uint32_t count) {
        sorted_.reserve(count);
        for (std::uint32_t i = 0; i < count; ++i) {
            sorted_.push(value[i]);
        }
        std::sort(sorted_.begin(), sorted_.end(), comes_before);
    }
    static bool comes_before(const initial_value& value, const initial_value& other) noexcept {
        return value.id < other.id;
    }
    const initial_value* find_given(const id_record& record, const initial_value* value,
                                    std::uint32_t count) const {
        if (count > few) {
            const initial_value* component = std::lower_bound(
                sorted_.begin(), sorted_.end(), initial_value{record.id, nullptr}, comes_before);
            return component != sorted_.end() && component->id == record.id ? component : nullptr;
        }
        for (std::uint32_t i = 0; i < count; ++i) {
            KITH_COUNT(folded);
            if (value[i].id == record.id) {
                return &value[i];
            }
        }
        return nullptr;
    }
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
    void note(std::uint32_t column) {
        if (!to_.column_type(column).trivial_destroy) {
            columns_[made_++] = column;
        }
    }

    stage& world_;
    entity_t entity_;
    const table& to_;
    static constexpr std::uint32_t few = 8;
    containers::small_vec<initial_value, few> sorted_{world_.data.mem, purpose::commands};
    containers::small_vec<std::uint32_t, 32> columns_{world_.data.mem, purpose::tables};
    std::uint32_t made_ = 0;  // how many of columns_ hold values
};

// One move, step by step: what may fail, the move of the row, what follows from it.
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

    // After callbacks ran: types that they used for the first time got rows at once, and with
    // deferring suspended anything may have changed.
    void check_again() {
        if (data_.entities.find(entity_) != &record_ || record_.table != from_.number) {
            raise_entity_id(world_, errc::invalid_operation, entity_, 0,
                            "was changed by a callback, with deferring suspended, while it was "
                            "being changed");
        }
        data_.tables.reserve_rows(to_, 1);
    }

    // Nothing but the row changes, and nobody is told.
    bool is_plain() const noexcept {
        constexpr std::uint32_t bytes = detail::shape_trivial_move | detail::shape_trivial_destroy;
        constexpr std::uint32_t involved = detail::shape_on_add | detail::shape_on_remove |
                                           detail::shape_symmetric | detail::shape_has_base |
                                           detail::shape_has_parent;
        return (from_.flags & to_.flags & bytes) == bytes && !(flags_ & involved) && !is_new() &&
               !sparse_;
    }

    void move_row_with(const initial_value* value, std::uint32_t given_count) {
        new_values values(world_, entity_, to_);
        values.construct(from_, value, given_count);
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

    // The last that happens before the row moves.
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

    // What the move involves for the entity's place in the hierarchy, and for other entities.
    void follow_up() {
        if (renames_) {
            move_name(world_, entity_, parent_after_);
        }
        notify_done();
        if (flags_ & detail::shape_symmetric) {
            each_symmetric(from_, to_,
                           [&](const id_record& pair) { remove_inverse(world_, entity_, pair); });
            each_symmetric(to_, from_,
                           [&](const id_record& pair) { add_inverse(world_, entity_, pair); });
        }
        if (parent_after_ && is_prefab(data_, parent_after_)) {
            make_prefab(world_, entity_);
        }
        if (to_.flags & detail::shape_has_base) {
            id_buffer bases(data_.mem, purpose::commands);
            each_difference(to_, from_, [&](std::uint32_t i) {
                if (is_pair(to_.ids[i]) && pair_first(to_.ids[i]) == IsA) {
                    bases.push(data_.entities.alive_at(pair_second(to_.ids[i])));
                }
            });
            instantiate(world_, entity_, bases.data(), bases.size());
        }
    }

private:
    // Somebody wants to know what comes or goes.
    bool is_reported() const noexcept {
        return sparse_ || (from_.flags & detail::shape_on_remove) != 0 ||
               (to_.flags & detail::shape_on_add) != 0;
    }
    // Somebody wants to know that the entity has a row from now on.
    bool is_new() const noexcept {
        return from_.number == storage::no_table && world_.mode & detail::mode_entity_events;
    }
    void check_parents() {
        auto parent_in = [&](const table& type) -> entity_t {
            std::int32_t position = storage::find_id(type, make_pair(ChildOf, Wildcard));
            return position < 0 ? 0 : data_.entities.alive_at(pair_second(type.ids[position]));
        };
        entity_t before = parent_in(from_);
        entity_t after = parent_in(to_);
        if (before != after) {
            parent_after_ = after;
            // A name that goes along with the parent needs no place among the new siblings.
            constexpr id_t name = make_pair(detail::identifier_type_id, Name);
            if (record_.state & storage::record_pending_delete) {
                return;  // in a cycle, after its parent: it needs no place either
            }
            if (storage::find_id(to_, name) >= 0) {
                renames_ = check_parent(world_, entity_, record_, before, after);
            } else if (before && before != world_.deletion_notified) {
                check_leaves(world_, entity_, before);
            }
        }
    }
    // Pairs of symmetric relationships that `with` has and `without` lacks. A copy of each: the
    // changes on the other side may end records.
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

// What an element has of itself, beside its table, and loses in the same step as its properties.
void collect_staged_removals(const stage& world, entity_t element, own_ids& going) {
    auto collect = [&](const id_info& info) {
        if (is_staged_removal(world, element, info.id)) {
            going.push(info);
        }
    };
    const entity_record& record = *world.data.entities.find(element);
    each_sparse_id(world.data, record, element, element, collect);
    each_sparse_id(world.data, record, element, make_pair(element, Wildcard), collect);
}

// Also when a hook fails on the way: the element has moved, so its properties are others.
void move_with_properties(stage& world, entity_t entity, transition& change, const table& from,
                          const table& to, const initial_value* value, std::uint32_t given_count) {
    property_change properties(world, entity, from, to);
    own_ids own(world.data.mem, purpose::commands);
    collect_staged_removals(world, entity, own);
    change.check();
    callback_scope code(world);
    world.begin_step();
    // First, while its properties say what they are.
    for (const id_info& info : own) {
        remove_sparse(world, entity, info);
    }
    change.notify_before_remove();
    change.check_again();
    change.move_row_with(value, given_count);
    // What enters the tables was planned from how they are now; what leaves them ends tables that
    // the rest of this move still looks at.
    if (properties.enters_tables()) {
        properties.finish();
        change.follow_up();
    } else {
        struct finish_guard {
            property_change& properties;
            ~finish_guard() { properties.finish(); }
        } finish{properties};
        change.follow_up();
    }
    code.finish();
}

}  // namespace

void check_range(const stage& world, entity_t entity, id_t id) {
    if (!world.data.entities.in_checked_range(index_of(entity))) {
        raise_entity_id(world, errc::invalid_entity, entity, id,
                        "the entity is outside of the range of ids that may be changed");
    }
}

namespace {

id_info prepare_pair(stage& world, id_t id) {
    entity_t relation = adopt_element(world, pair_first(id));
    entity_t target = adopt_element(world, pair_second(id));
    if (!relation || !target) {
        raise_id(world, errc::invalid_id, id, "has an element that is not alive");
    }
    storage::store& data = world.data;
    if (!data.link_ids.empty()) {
        const id_record* any = data.ids.find(make_pair(relation, Wildcard));
        if (any && any->links) {
            data.entities.at(index_of(target)).state |= storage::target_flag(*any);
            return traits::describe_link(data, *any, index_of(target));
        }
    }
    mark_used(world, relation);
    mark_used(world, target);
    return data.ids.ensure(id);
}

}  // namespace

id_info prepare_id(stage& world, id_t id) {
    if (id == 0) {
        base::raise(errc::invalid_id, "0 is no id that can be added");
    }
    if (is_wildcard(id)) {
        raise_id(world, errc::invalid_id, id, "is a wildcard: it can be asked for, not added");
    }
    if (id & Override) {
        // A mark. The record of the marked id keeps its place, so that the mark goes when it does.
        prepare_id(world, id & ~Override);
        world.data.ids.ensure(id & ~Override);
        mark_elements_used(world.data, id);
        return world.data.ids.ensure(id);
    }
    if (is_pair(id)) {
        return prepare_pair(world, id);
    }
    entity_t element = adopt_element(world, index_of(id));
    if (element != (id & ~id_flags_mask)) {
        raise_id(world, errc::invalid_id, id, "is not alive: it cannot be added");
    }
    if (id & id_flags_mask) {
        raise_id(world, errc::invalid_id, id, "has flags that cannot be added");
    }
    mark_used(world, element);
    return world.data.ids.ensure(id);
}

table& table_after(stage& world, const table& from, const id_t* added, std::uint32_t added_count,
                   const id_t* removed, std::uint32_t removed_count) {
    id_buffer ids(world.data.mem, purpose::tables);
    ids.reserve(from.id_count + added_count);
    id_buffer gone(world.data.mem, purpose::tables);
    gone.reserve(removed_count);
    for (std::uint32_t i = 0; i < removed_count; ++i) {
        gone.push(removed[i]);
    }
    std::sort(gone.begin(), gone.end());
    for (std::uint32_t i = 0; i < from.id_count; ++i) {
        if (!std::binary_search(gone.begin(), gone.end(), from.ids[i])) {
            ids.push(from.ids[i]);
        }
    }
    for (std::uint32_t i = 0; i < added_count; ++i) {
        ids.push(added[i]);
    }
    std::sort(ids.begin(), ids.end());
    std::uint32_t count =
        static_cast<std::uint32_t>(std::unique(ids.begin(), ids.end()) - ids.begin());
    return world.data.tables.ensure(ids.data(), count);
}

namespace {

// Values that are copied from may be in tables whose rows move before the copies are made.
bool may_move_sources(const storage::store& data, const entity_record& record,
                      const table& to) noexcept {
    const detail::table_rows& rows = data.tables.rows(to.number);
    constexpr std::uint32_t involved = detail::shape_symmetric | detail::shape_has_properties;
    return (rows.count != 0 && rows.count == rows.capacity) ||
           (data.tables.at(record.table).flags | to.flags) & involved;
}

using given_list = containers::small_vec<initial_value, 16>;

// Makes the values of gained ids that have a validating hook, and calls the hooks with them.
// Returns the table to move to: hooks of enums may have chosen other constants.
table& validate_gained(stage& world, entity_t entity, const table& from, table& to,
                       given_list& given, values_ahead& values) {
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
        initial_value* named =
            std::find_if(given.begin(), given.end(),
                         [&](const initial_value& value) { return value.id == gained.id; });
        const bool is_given = named != given.end();
        const detail::value_source* valid =
            validate_added(world, entity, gained, is_given ? named->source : nullptr, values);
        if (is_given) {
            *named = {gained.id, valid, true};
        } else if (valid) {
            given.push({gained.id, valid, true});
        }
    });
    return replaced.empty() ? to
                            : table_after(world, to, chosen.data(), chosen.size(), replaced.data(),
                                          replaced.size());
}

void move_with(stage& world, entity_t entity, entity_record& record, table& to,
               const initial_value* value, std::uint32_t given_count, sparse_delta* sparse_change) {
    table& from = world.data.tables.at(record.table);
    transition change(world, entity, record, from, to, sparse_change);
    if ((from.flags | to.flags) & detail::shape_has_properties &&
        traits::differ_in_properties(from, to)) {
        move_with_properties(world, entity, change, from, to, value, given_count);
        return;
    }
    change.check();
    if (change.is_plain()) {
        change.move_row_with(value, given_count);
        note_left(world, from);
        return;
    }
    callback_scope code(world);
    world.begin_step();
    change.notify_before_remove();
    change.check_again();
    change.move_row_with(value, given_count);
    note_left(world, from);
    change.follow_up();
    code.finish();
}

}  // namespace

void move_entity(stage& world, entity_t entity, entity_record& record, table& to,
                 const initial_value* value, std::uint32_t given_count,
                 sparse_delta* sparse_change) {
    const bool validates = (to.flags & detail::shape_validated) != 0;
    if (!validates && (given_count == 0 || !may_move_sources(world.data, record, to))) {
        move_with(world, entity, record, to, value, given_count, sparse_change);
        finish_leaving(world);
        return;
    }
    values_ahead values(world.data.mem);
    given_list ahead(world.data.mem, purpose::commands);
    for (std::uint32_t i = 0; i < given_count; ++i) {
        ahead.push(value[i]);
        const id_record& pair_record = *to.records[storage::find_id(to, value[i].id)];
        if (!value[i].are_distinct && !is_validated(pair_record)) {
            ahead.back().source = &values.make(pair_record.value_type->info, *value[i].source);
        }
    }
    const table& from = world.data.tables.at(record.table);
    table& valid = validates ? validate_gained(world, entity, from, to, ahead, values) : to;
    if (&valid != &from) {
        move_with(world, entity, record, valid, ahead.data(), ahead.size(), sparse_change);
    } else if (sparse_change) {
        change_sparse(world, entity, *sparse_change);
    }
    finish_leaving(world);
}

void change_sparse(stage& world, entity_t entity, sparse_delta& sparse_change) {
    callback_scope code(world);
    const change_view_scope both(world, {entity, nullptr, 0, &sparse_change});
    world.begin_step();
    sparse_change.notify_before_remove();
    sparse_change.change();
    sparse_change.notify_removed();
    sparse_change.notify_added();
    code.finish();
}

table& resolve_add(stage& world, table& from, const id_info& added) {
    if (const storage::edge* way = world.data.tables.find_edge(from, added.id)) {
        return world.data.tables.at(way->to);
    }
    id_t id = added.id;
    if (id_t replaced = traits::replaced_by(from, id, added.traits)) {
        // By way of the table with neither: an edge for each two targets would be too many.
        const storage::edge* way = world.data.tables.find_edge(from, replaced);
        if (!way) {
            table& neither = table_after(world, from, nullptr, 0, &replaced, 1);
            world.data.tables.connect(neither, from, replaced);
            way = world.data.tables.find_edge(from, replaced);
        }
        return resolve_add(world, world.data.tables.at(way->to), added);
    }
    table& to = table_after(world, from, &id, 1, nullptr, 0);
    warn_of_targets(world, to, id);
    world.data.tables.connect(from, to, id);
    return to;
}

void ensure_row(stage& world, entity_t entity, entity_record& record) {
    if (!has_row(record)) {
        table& root = world.data.tables.at(storage::root_table);
        world.data.tables.reserve_rows(root, 1);
        append_row(world.data, root, entity, record);
        notify_created(world, entity);
    }
}

}  // namespace kith::mutate
