#include "mutate/transition.hpp"

#include "base/assert.hpp"
#include "mutate/fast_path.hpp"
#include "mutate/rows.hpp"
#include "traits/traits.hpp"

#include <algorithm>

namespace kith::mutate {

using containers::purpose;
using storage::entity_record;
using storage::id_record;
using storage::table;

void check_default_constructible(const stage& owner, const id_record& record) {
    if (record.value_type && !record.value_type->info.can_construct()) {
        raise_id(owner, errc::not_constructible, record.id,
                 "has no default constructor: give it a value with set or emplace");
    }
}

entity_t parent_in(const storage::store& data, const detail::table_shape& type) noexcept {
    if (!(type.flags & detail::shape_has_parent)) {
        return 0;
    }
    std::int32_t position = storage::find_id(type, make_pair(ChildOf, Wildcard));
    return position < 0 ? 0 : data.entities.alive_at(pair_second(type.ids[position]));
}

namespace {

bool has_row(const entity_record& record) noexcept {
    return record.table != storage::limbo_table;
}

// The entity of an element, made known if it is a C++ type. 0 if it is not alive.
entity_t adopt_element(stage& owner, std::uint32_t index) {
    entity_t entity = owner.data.entities.alive_at(index);
    if (!entity && index < first_entity && detail::find_type(index)) {
        owner.listen.adopt_type(owner, index);
        entity = owner.data.entities.alive_at(index);
    }
    return entity;
}

void mark_used(stage& owner, entity_t element) noexcept {
    owner.data.entities.at(index_of(element)).state |= storage::record_used_as_id;
}

// Naming the path: the new parent is the entity itself, or below it.
void check_no_cycle(const stage& owner, entity_t entity, entity_t parent) {
    const storage::store& data = owner.data;
    for (entity_t at = parent; at != 0;
         at = parent_in(data, data.tables.at(data.entities.find(at)->table))) {
        if (at != entity) {
            continue;
        }
        base::text message;
        message << "a cycle of ChildOf: ";
        int shown = 0;
        for (entity_t step = parent; step != entity;
             step = parent_in(data, data.tables.at(data.entities.find(step)->table))) {
            // A cycle may have a million steps.
            if (++shown > 4) {
                message << "… ";
                break;
            }
            owner.listen.describe_id(owner, step, message);
            message << " is a child of ";
        }
        owner.listen.describe_id(owner, entity, message);
        message << ", which would become a child of ";
        owner.listen.describe_id(owner, parent, message);
        base::raise(errc::cycle, message);
    }
}

struct parent_change {
    entity_t before = 0;
    entity_t after = 0;
    bool renames = false;
};

// What a move means for the hierarchy; throws if it may not be.
parent_change check_parents(stage& owner, entity_t entity, const entity_record& record,
                            const table& from, const table& to) {
    parent_change change{parent_in(owner.data, from), parent_in(owner.data, to), false};
    if (change.before == change.after) {
        return change;
    }
    if (change.after && record.state & storage::record_used_as_id) {
        check_no_cycle(owner, entity, change.after);
    }
    // A name that goes along with the parent needs no place among the new siblings.
    constexpr id_t name = make_pair(detail::identifier_type_id, Name);
    if (record.state & storage::record_named && storage::find_id(to, name) >= 0) {
        change.renames = true;
        owner.listen.check_parent(owner, entity, change.after);
    }
    return change;
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
void check_tables_unlocked(const stage& owner, entity_t entity, const table& from,
                           const table& to) {
    if (!is_locked(owner, from.number) && !is_locked(owner, to.number)) {
        return;
    }
    id_t changed = 0;
    each_difference(from, to, [&](std::uint32_t i) { changed = from.ids[i]; });
    each_difference(to, from, [&](std::uint32_t i) { changed = to.ids[i]; });
    raise_locked(owner, entity, changed);
}

void* value_of(const storage::store& data, const entity_record& record, const table& owner,
               std::uint32_t position) {
    detail::column slot = owner.slots[position];
    return slot.size ? storage::value_in(data.tables.rows(owner.number), slot, record.row)
                     : nullptr;
}

void clear_toggle(entity_t entity, const id_record& record) noexcept {
    if (record.disabled && record.disabled->has(index_of(entity))) {
        record.disabled->remove(index_of(entity));
    }
}

void make_value(const type_info& info, const detail::value_source& source, void* place) {
    if (source.make) {
        source.make(place, source.context);
    } else {
        std::memcpy(place, source.context, info.size);
    }
}

// Constructs values in the row behind the last one of `to`; ends those made if it does not
// complete.
class new_values {
public:
    new_values(stage& owner, const table& to) : owner_(owner), to_(to) {
        columns_.reserve(to.column_count);
    }
    ~new_values() {
        while (made_ != 0) {
            std::uint32_t at = columns_[--made_];
            types::destroy_values(to_.column_type(at), place(at), 1);
        }
    }

    // Default values first: making those can fail, moving given ones mostly cannot.
    void construct(const table& from, const given_value* given, std::uint32_t given_count) {
        each_new_column(from, [&](std::uint32_t column, const id_record& record) {
            if (!find_given(record, given, given_count)) {
                check_default_constructible(owner_, record);
                types::construct_values(record.value_type->info, place(column), 1);
                note(column);
            }
        });
        if (given_count == 0) {
            return;
        }
        each_new_column(from, [&](std::uint32_t column, const id_record& record) {
            if (const given_value* value = find_given(record, given, given_count)) {
                make_value(record.value_type->info, *value->source, place(column));
                note(column);
            }
        });
    }
    void keep() noexcept { made_ = 0; }

private:
    void* place(std::uint32_t column) const noexcept {
        const detail::table_rows& rows = owner_.data.tables.rows(to_.number);
        return storage::value_in(rows, to_.columns[column], rows.count);
    }
    static const given_value* find_given(const id_record& record, const given_value* given,
                                         std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i) {
            if (given[i].record == &record) {
                return &given[i];
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

    stage& owner_;
    const table& to_;
    containers::small_vec<std::uint32_t, 32> columns_{owner_.data.mem, purpose::tables};
    std::uint32_t made_ = 0;  // how many of columns_ hold values
};

bool needs_care(const table& from, const table& to) noexcept {
    return !(from.flags & to.flags & detail::shape_trivial_move) ||
           !(from.flags & to.flags & detail::shape_trivial_destroy) ||
           (from.flags | to.flags) & (detail::shape_on_add | detail::shape_on_remove);
}

}  // namespace

void check_range(const stage& owner, entity_t entity, id_t id) {
    if (!owner.data.entities.in_checked_range(index_of(entity))) {
        raise_entity_id(owner, errc::invalid_entity, entity, id,
                        "the entity is outside of the range of ids that may be changed");
    }
}

bool is_sparse(const id_record& record) noexcept {
    return (record.traits & traits::trait_sparse) != 0;
}

id_record& prepare_id(stage& owner, id_t id) {
    if (id == 0) {
        base::raise(errc::invalid_id, "0 is no id that can be added");
    }
    if (is_wildcard(id)) {
        raise_id(owner, errc::invalid_id, id, "is a wildcard: it can be asked for, not added");
    }
    if (is_pair(id)) {
        entity_t relation = adopt_element(owner, pair_first(id));
        entity_t target = adopt_element(owner, pair_second(id));
        if (!relation || !target) {
            raise_id(owner, errc::invalid_id, id, "has an element that is not alive");
        }
        mark_used(owner, relation);
        mark_used(owner, target);
    } else {
        entity_t element = adopt_element(owner, index_of(id));
        if (element != (id & ~id_flags_mask)) {
            raise_id(owner, errc::invalid_id, id, "is not alive: it cannot be added");
        }
        if (id & id_flags_mask) {
            raise_id(owner, errc::invalid_id, id, "has flags that cannot be added");
        }
        mark_used(owner, element);
    }
    return owner.data.ids.ensure(id);
}

table& table_after(stage& owner, const table& from, const id_t* added, std::uint32_t added_count,
                   const id_t* removed, std::uint32_t removed_count) {
    id_buffer ids(owner.data.mem, purpose::tables);
    ids.reserve(from.id_count + added_count);
    for (std::uint32_t i = 0; i < from.id_count; ++i) {
        if (std::find(removed, removed + removed_count, from.ids[i]) == removed + removed_count) {
            ids.push(from.ids[i]);
        }
    }
    for (std::uint32_t i = 0; i < added_count; ++i) {
        ids.push(added[i]);
    }
    std::sort(ids.begin(), ids.end());
    std::uint32_t count =
        static_cast<std::uint32_t>(std::unique(ids.begin(), ids.end()) - ids.begin());
    return owner.data.tables.ensure(ids.data(), count);
}

void run_hook(stage& owner, types::hook_kind kind, const id_record& record, entity_t entity,
              void* value) {
    if (!record.hook_type || !record.hook_type->hooks[kind].call) {
        return;
    }
    constexpr entity_t events[] = {OnAdd, OnSet, OnRemove};
    // A copy: the hook may replace itself.
    detail::hook hook = record.hook_type->hooks[kind];
    hook.call({&owner, entity, record.id, events[kind], record.value_type ? value : nullptr},
              hook.context);
}

void move_entity(stage& owner, entity_t entity, entity_record& record, table& to,
                 const given_value* given, std::uint32_t given_count) {
    storage::store& data = owner.data;
    table& from = data.tables.at(record.table);
    if (owner.mode & detail::mode_iterating) {
        check_tables_unlocked(owner, entity, from, to);
    }
    parent_change parents = check_parents(owner, entity, record, from, to);
    data.tables.reserve_rows(to, 1);
    if (!needs_care(from, to)) {
        new_values values(owner, to);
        values.construct(from, given, given_count);
        values.keep();
        move_row(data, entity, record, from, to);
    } else {
        user_code code(owner);
        if (from.flags & detail::shape_on_remove) {
            each_difference(from, to, [&](std::uint32_t i) {
                run_hook(owner, types::hook_remove, *from.records[i], entity,
                         value_of(data, record, from, i));
            });
        }
        new_values values(owner, to);
        values.construct(from, given, given_count);
        values.keep();
        move_row(data, entity, record, from, to);
        if (record.state & storage::record_has_disabled) {
            each_difference(from, to,
                            [&](std::uint32_t i) { clear_toggle(entity, *from.records[i]); });
        }
        if (parents.renames) {
            owner.listen.parent_changed(owner, entity, parents.after);
        }
        if (to.flags & detail::shape_on_add) {
            each_difference(to, from, [&](std::uint32_t i) {
                run_hook(owner, types::hook_add, *to.records[i], entity,
                         value_of(data, record, to, i));
            });
        }
        code.finish();
        return;
    }
    if (record.state & storage::record_has_disabled) {
        each_difference(from, to, [&](std::uint32_t i) { clear_toggle(entity, *from.records[i]); });
    }
    if (parents.renames) {
        owner.listen.parent_changed(owner, entity, parents.after);
    }
}

table& resolve_add(stage& owner, table& from, const id_record& added) {
    if (const storage::edge* way = owner.data.tables.find_edge(from, added.id)) {
        return owner.data.tables.at(way->to);
    }
    id_t id = added.id;
    id_t replaced = traits::replaced_by(from, id, added.traits);
    table& to = table_after(owner, from, &id, 1, &replaced, replaced != 0);
    // Replacements are not remembered: there would be an edge for each pair of targets.
    if (replaced == 0) {
        owner.data.tables.connect(from, to, id);
    }
    return to;
}

void place_entity(stage& owner, entity_t entity, entity_record& record) {
    if (!has_row(record)) {
        table& root = owner.data.tables.at(storage::root_table);
        owner.data.tables.reserve_rows(root, 1);
        append_row(owner.data, root, entity, record);
    }
}

namespace {

// The first time that an id is added to a table, and whenever more than bytes is to be moved.
void add_id_slow(stage& owner, entity_t entity, entity_record& record, id_t id) {
    id_record& added = prepare_id(owner, id);
    check_range(owner, entity, id);
    place_entity(owner, entity, record);
    if (is_sparse(added)) {
        add_sparse(owner, entity, record, added, nullptr);
        return;
    }
    table& from = owner.data.tables.at(record.table);
    if (storage::find_id(from, id) >= 0) {
        return;
    }
    check_default_constructible(owner, added);
    bool property = traits::is_property(id);
    if (property) {
        check_property(owner, entity, id, true);
    }
    table& to = resolve_add(owner, from, added);
    owner.data.tables.reserve_rows(to, 1);
    // The way is known now, and often short.
    if (!try_add(owner, entity, id)) {
        move_entity(owner, entity, record, to, nullptr, 0);
    }
    if (property) {
        apply_property(owner, entity, id, true);
    }
}

void remove_one(stage& owner, entity_t entity, entity_record& record, id_t id) {
    id_record* removed = owner.data.ids.find(id);
    if (!removed) {
        return;
    }
    check_range(owner, entity, id);
    if (is_sparse(*removed)) {
        if (removed->sparse && removed->sparse->has(index_of(entity))) {
            remove_sparse(owner, entity, *removed);
        }
        return;
    }
    table& from = owner.data.tables.at(record.table);
    if (storage::find_id(from, id) < 0) {
        return;
    }
    check_removable(owner, entity, id);
    table& to = table_after(owner, from, nullptr, 0, &id, 1);
    if (!owner.data.tables.find_edge(from, id)) {
        owner.data.tables.connect(to, from, id);
    }
    move_entity(owner, entity, record, to, nullptr, 0);
    if (traits::is_property(id)) {
        apply_property(owner, entity, id, false);
    }
}

// All in one step: it may turn out that one of them cannot be removed.
void remove_matching(stage& owner, entity_t entity, id_t pattern) {
    id_buffer dense(owner.data.mem, purpose::tables);
    id_buffer sparse(owner.data.mem, purpose::tables);
    entity_record& record = get_record(owner, entity);
    table& from = owner.data.tables.at(record.table);
    for (std::int32_t at = storage::find_match(from, pattern, 0); at >= 0;
         at = storage::find_match(from, pattern, at + 1)) {
        check_removable(owner, entity, from.ids[at]);
        dense.push(from.ids[at]);
    }
    for (const id_record* one : owner.data.sparse_ids) {
        if (one && matches_id(pattern, one->id) && one->sparse->has(index_of(entity))) {
            sparse.push(one->id);
        }
    }
    if (dense.empty() && sparse.empty()) {
        return;
    }
    check_range(owner, entity, pattern);
    user_code code(owner);
    if (!dense.empty()) {
        move_entity(owner, entity, record,
                    table_after(owner, from, nullptr, 0, dense.data(), dense.size()), nullptr, 0);
    }
    for (id_t id : dense) {
        if (traits::is_property(id)) {
            apply_property(owner, entity, id, false);
        }
    }
    for (id_t id : sparse) {
        remove_sparse(owner, entity, *owner.data.ids.find(id));
    }
    code.finish();
}

}  // namespace

void add_id(stage& owner, entity_t entity, id_t id) {
    if (!try_add(owner, entity, id)) {
        add_id_slow(owner, entity, get_record(owner, entity), id);
    }
}

void remove_id(stage& owner, entity_t entity, id_t id) {
    if (try_remove(owner, entity, id)) {
        return;
    }
    if (is_wildcard(id)) {
        remove_matching(owner, entity, id);
    } else {
        remove_one(owner, entity, get_record(owner, entity), id);
    }
}

void clear_entity(stage& owner, entity_t entity) {
    entity_record& record = get_record(owner, entity);
    check_range(owner, entity, 0);
    place_entity(owner, entity, record);
    const table& from = owner.data.tables.at(record.table);
    for (std::uint32_t i = 0; i < from.id_count; ++i) {
        check_removable(owner, entity, from.ids[i]);
    }
    user_code code(owner);
    if (record.table != storage::root_table) {
        move_entity(owner, entity, record, owner.data.tables.at(storage::root_table), nullptr, 0);
    }
    if (record.state & storage::record_any_sparse) {
        for (id_record* sparse : owner.data.sparse_ids) {
            if (sparse && sparse->sparse->has(index_of(entity))) {
                remove_sparse(owner, entity, *sparse);
            }
        }
    }
    if (id_record* own = owner.data.ids.find(entity)) {
        if (own->traits != 0) {
            own->traits = 0;
            redescribe(owner, index_of(entity));
        }
    }
    code.finish();
}

bool has_id(const stage& owner, const entity_record& record, entity_t entity, id_t id) noexcept {
    if (storage::find_match(owner.data.tables.at(record.table), id, 0) >= 0) {
        return true;
    }
    if (!(record.state & storage::record_any_sparse)) {
        return false;
    }
    for (const id_record* sparse : owner.data.sparse_ids) {
        if (sparse && matches_id(id, sparse->id) && sparse->sparse->has(index_of(entity))) {
            return true;
        }
    }
    return false;
}

bool add_sparse(stage& owner, entity_t entity, entity_record& record, id_record& added,
                const detail::value_source* source) {
    storage::sparse_store& values = storage::ensure_sparse(owner.data, added);
    if (values.has(index_of(entity))) {
        return false;
    }
    check_sparse_unlocked(owner, entity, added.id);
    if (!source) {
        check_default_constructible(owner, added);
    }
    user_code code(owner);
    if (added.traits & traits::trait_exclusive && is_pair(added.id)) {
        remove_matching(owner, entity, make_pair(pair_first(added.id), Wildcard));
    }
    void* value = values.prepare(index_of(entity));
    if (value) {
        const type_info& info = added.value_type->info;
        if (source) {
            make_value(info, *source, value);
        } else {
            types::construct_values(info, value, 1);
        }
    }
    values.commit(entity);
    record.state |= storage::sparse_flag(added.sparse_position);
    run_hook(owner, types::hook_add, added, entity, value);
    code.finish();
    return true;
}

void remove_sparse(stage& owner, entity_t entity, id_record& removed) {
    check_sparse_unlocked(owner, entity, removed.id);
    user_code code(owner);
    run_hook(owner, types::hook_remove, removed, entity, removed.sparse->find(index_of(entity)));
    removed.sparse->remove(index_of(entity));
    storage::clear_sparse_flag(owner.data.entities.at(index_of(entity)), removed.sparse_position);
    clear_toggle(entity, removed);
    code.finish();
}

}  // namespace kith::mutate
