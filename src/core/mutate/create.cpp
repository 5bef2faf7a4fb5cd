#include "mutate/create.hpp"

#include "mutate/defer.hpp"
#include "mutate/destroy.hpp"
#include "mutate/rows.hpp"
#include "mutate/toggle.hpp"
#include "mutate/transition.hpp"
#include "mutate/values.hpp"
#include "traits/traits.hpp"

#include <algorithm>
#include <utility>

namespace kith::mutate {

using containers::purpose;
using storage::entity_record;
using storage::id_record;
using storage::table;

namespace {

bool is_deferred(const stage& owner) noexcept {
    return (owner.mode & detail::mode_deferred) != 0;
}

// The id of an entity that could not be completed; the next one gets it, unless queued commands
// may name it already.
void give_back(stage& owner, entity_t entity, bool is_named) noexcept {
    if (is_named) {
        owner.data.entities.free(index_of(entity));
    } else {
        owner.data.entities.take_back(index_of(entity));
    }
}

// Ends an entity that could not be completed, without telling anybody.
void discard_new(stage& owner, entity_t entity, bool is_named) noexcept {
    storage::store& data = owner.data;
    entity_record& record = data.entities.at(index_of(entity));
    for (id_record* sparse : data.sparse_ids) {
        if (sparse && sparse->sparse->has(index_of(entity))) {
            sparse->sparse->remove(index_of(entity));
        }
    }
    clear_toggles(owner, entity);
    if (record.table != storage::limbo_table) {
        remove_row(data, data.tables.at(record.table), record.row);
    }
    if (record.state & storage::record_used_as_id) {
        forget_records(data, entity);
    }
    give_back(owner, entity, is_named);
}

// Takes a new entity back if what follows fails.
class new_index {
public:
    explicit new_index(stage& owner) : new_index(owner, is_deferred(owner)) {}
    // `is_named`: queued commands may stay that name it.
    new_index(stage& owner, bool is_named)
        : owner_(owner), entity_(owner.data.entities.create()), is_named_(is_named) {}
    ~new_index() {
        if (entity_ && owner_.data.entities.find(entity_)) {
            discard_new(owner_, entity_, is_named_);
        }
    }
    new_index(const new_index&) = delete;
    new_index& operator=(const new_index&) = delete;
    entity_t get() const noexcept { return entity_; }
    entity_t keep() noexcept { return std::exchange(entity_, 0); }

private:
    stage& owner_;
    entity_t entity_;
    bool is_named_;
};

// Ids that every new entity gets, now.
void collect_placing(const stage& owner, id_buffer& ids) {
    if (owner.scope != 0) {
        ids.push(make_pair(ChildOf, owner.scope));
    }
    for (id_t id : owner.with) {
        ids.push(id);
    }
}

// Ids that cannot be part of one table at once: two targets of an exclusive relationship.
void check_exclusive(stage& owner, const id_t* sorted, std::uint32_t count) {
    for (std::uint32_t i = 1; i < count; ++i) {
        bool same_relation = is_pair(sorted[i]) && is_pair(sorted[i - 1]) &&
                             pair_first(sorted[i]) == pair_first(sorted[i - 1]);
        if (same_relation && owner.data.ids.find(sorted[i])->traits & traits::trait_exclusive) {
            raise_id(owner, errc::constraint, sorted[i],
                     "is exclusive: an entity cannot be made with two targets of it");
        }
    }
}

entity_t new_placed(stage& owner) {
    id_buffer ids(owner.data.mem, purpose::commands);
    collect_placing(owner, ids);
    id_buffer sparse(owner.data.mem, purpose::commands);
    id_buffer dense(owner.data.mem, purpose::commands);
    for (id_t id : ids) {
        const id_record& record = prepare_id(owner, id);
        check_default_constructible(owner, record);
        (is_sparse(record) ? sparse : dense).push(id);
    }
    table& to = table_after(owner, owner.data.tables.at(storage::root_table), dense.data(),
                            dense.size(), nullptr, 0);
    check_exclusive(owner, to.ids, to.id_count);
    new_index fresh(owner);
    user_code code(owner);
    move_entity(owner, fresh.get(), owner.data.entities.at(index_of(fresh.get())), to, nullptr, 0);
    for (id_t id : sparse) {
        add_sparse(owner, fresh.get(), owner.data.entities.at(index_of(fresh.get())),
                   owner.data.ids.ensure(id), nullptr);
    }
    entity_t entity = fresh.keep();
    code.finish();
    return entity;
}

// The commands that give a new entity its row, scope and `with` ids.
void queue_new(stage& owner, entity_t entity) {
    defer_entity(owner, command_kind::place, entity);
    if (owner.mode & detail::mode_placing) {
        id_buffer ids(owner.data.mem, purpose::commands);
        collect_placing(owner, ids);
        for (id_t id : ids) {
            defer_id(owner, command_kind::add, entity, id);
        }
    }
}

entity_t new_deferred(stage& owner, bool is_named = true) {
    new_index fresh(owner, is_named);
    queue_new(owner, fresh.get());
    return fresh.keep();
}

// The table of a bundle, or null if some component is sparse.
table* resolve_bundle(stage& owner, const detail::bundle& ids) {
    for (std::uint32_t i = 0; i < ids.count; ++i) {
        if (is_sparse(prepare_id(owner, ids.ids[i]))) {
            return nullptr;
        }
    }
    table& to = table_after(owner, owner.data.tables.at(storage::root_table), ids.ids, ids.count,
                            nullptr, 0);
    if (to.id_count != ids.count) {
        base::raise(errc::invalid_operation,
                    "an entity cannot be made with two values of one component");
    }
    if (owner.bundle_epoch != owner.data.table_epoch) {
        owner.bundle_tables.clear();
        owner.bundle_epoch = owner.data.table_epoch;
    }
    if (owner.bundle_tables.size() <= ids.slot) {
        owner.bundle_tables.reserve_extra(owner.data.mem, ids.slot + 1 - owner.bundle_tables.size(),
                                          purpose::tables);
        while (owner.bundle_tables.size() <= ids.slot) {
            owner.bundle_tables.push_reserved(0);
        }
    }
    owner.bundle_tables[ids.slot] = to.number;
    return &to;
}

table* find_bundle(stage& owner, const detail::bundle& ids) {
    if (owner.bundle_epoch == owner.data.table_epoch && ids.slot < owner.bundle_tables.size() &&
        owner.bundle_tables[ids.slot] != 0) {
        return &owner.data.tables.at(owner.bundle_tables[ids.slot]);
    }
    return resolve_bundle(owner, ids);
}

entity_t new_with_values_slow(stage& owner, const detail::bundle& ids,
                              const detail::value_source* values) {
    if (table* to = owner.mode & detail::mode_deferred ? nullptr : find_bundle(owner, ids)) {
        check_unlocked(owner, 0, 0, to->number, storage::root_table);
    }
    bool is_queued = is_deferred(owner);
    user_code code(owner);
    new_index fresh(owner, is_queued);
    queue_new(owner, fresh.get());
    for (std::uint32_t i = 0; i < ids.count; ++i) {
        defer_value(owner, command_kind::set, fresh.get(), ids.ids[i], 0, values[i]);
    }
    entity_t entity = fresh.keep();
    code.finish();
    return entity;
}

}  // namespace

entity_t new_entity(stage& owner) {
    if (owner.mode & detail::mode_deferred) {
        return new_deferred(owner);
    }
    if (owner.mode & detail::mode_placing) {
        return new_placed(owner);
    }
    check_unlocked(owner, 0, 0, storage::root_table, storage::root_table);
    storage::store& data = owner.data;
    data.tables.reserve_rows(data.tables.at(storage::root_table), 1);
    entity_t entity = data.entities.create();
    append_row(data, data.tables.at(storage::root_table), entity,
               data.entities.at(index_of(entity)));
    return entity;
}

entity_t new_with_values(stage& owner, const detail::bundle& ids,
                         const detail::value_source* values) {
    constexpr std::uint32_t busy =
        detail::mode_deferred | detail::mode_placing | detail::mode_iterating;
    table* to = owner.mode & busy ? nullptr : find_bundle(owner, ids);
    if (!to || to->flags & (detail::shape_notify_set | detail::shape_on_add) ||
        !(to->flags & detail::shape_trivial_destroy)) [[unlikely]] {
        return new_with_values_slow(owner, ids, values);
    }
    storage::store& data = owner.data;
    data.tables.reserve_rows(*to, 1);
    const detail::table_rows& rows = data.tables.rows(to->number);
    for (std::uint32_t i = 0; i < ids.count; ++i) {
        // Trivially destroyed, so nothing is lost if a later one fails.
        const detail::column& slot = to->slots[storage::find_id(*to, ids.ids[i])];
        std::byte* place = storage::value_in(rows, slot, rows.count);
        if (values[i].make) {
            user_code code(owner);
            values[i].make(place, values[i].context);
            code.finish();
        } else {
            copy_bytes(place, static_cast<const std::byte*>(values[i].context), slot.size);
        }
    }
    entity_record* record = nullptr;
    entity_t entity = data.entities.create(record);
    append_row(data, *to, entity, *record);
    return entity;
}

namespace {

// Columns of many new rows; ends those made if it does not complete.
class new_columns {
public:
    new_columns(stage& owner, const table& to, std::size_t count) noexcept
        : owner_(owner), to_(to), count_(count) {}
    ~new_columns() {
        while (made_ != 0) {
            --made_;
            types::destroy_values(to_.column_type(made_), place(made_), count_);
        }
    }
    void construct(const id_t* ids, std::uint32_t id_count, const void* const* columns) {
        for (; made_ < to_.column_count; ++made_) {
            const id_record& record = *to_.records[to_.column_ids[made_]];
            const void* given = nullptr;
            for (std::uint32_t i = 0; i < id_count; ++i) {
                given = ids[i] == record.id && columns ? columns[i] : given;
            }
            const type_info& info = record.value_type->info;
            if (given) {
                types::copy_values(info, place(made_), given, count_);
            } else {
                types::construct_values(info, place(made_), count_);
            }
        }
    }
    void keep() noexcept { made_ = 0; }

private:
    void* place(std::uint32_t column) const noexcept {
        const detail::table_rows& rows = owner_.data.tables.rows(to_.number);
        return storage::value_in(rows, to_.columns[column], rows.count);
    }
    stage& owner_;
    const table& to_;
    std::size_t count_;
    std::uint32_t made_ = 0;
};

void check_bulk_values(stage& owner, const id_record& record, bool given) {
    if (given) {
        check_value_type(owner, record, 0);
        if (!record.value_type->info.can_copy()) {
            raise_id(owner, errc::not_copyable, record.id,
                     "cannot be copied, so it cannot be created in bulk");
        }
    } else {
        check_default_constructible(owner, record);
    }
}

// While deferred, or with sparse components: one by one.
const entity_t* new_bulk_slow(stage& owner, std::size_t count, const id_t* ids,
                              std::uint32_t id_count, const void* const* columns) {
    owner.bulk_ids.clear();
    owner.bulk_ids.reserve_extra(owner.data.mem, static_cast<std::uint32_t>(count),
                                 purpose::commands);
    struct undo {
        stage& owner;
        bool is_queued;
        ~undo() {
            // The last first, so that the next ones are the same again.
            for (; !is_queued && !owner.bulk_ids.empty(); owner.bulk_ids.pop()) {
                if (owner.data.entities.find(owner.bulk_ids.back())) {
                    discard_new(owner, owner.bulk_ids.back(), false);
                }
            }
        }
    } discard{owner, is_deferred(owner)};
    user_code code(owner);
    for (std::size_t row = 0; row < count; ++row) {
        entity_t entity = new_deferred(owner, discard.is_queued);
        owner.bulk_ids.push_reserved(entity);
        for (std::uint32_t i = 0; i < id_count; ++i) {
            const void* column = columns ? columns[i] : nullptr;
            if (!column) {
                defer_id(owner, command_kind::add, entity, ids[i]);
                continue;
            }
            const id_record& record = prepare_id(owner, ids[i]);
            check_value_type(owner, record, 0);
            const type_info& info = record.value_type->info;
            copy_context context{&info, static_cast<const std::byte*>(column) + info.size * row};
            defer_value(owner, command_kind::set, entity, ids[i], 0, copying_source(context));
        }
    }
    code.finish();
    discard.is_queued = true;
    return owner.bulk_ids.data();
}

// Many new entities in a table. Room for ids and rows was reserved, so nothing can fail.
void append_rows(storage::store& data, const table& to, std::uint32_t count) {
    detail::table_rows& rows = data.tables.rows(to.number);
    entity_t* entities = storage::entities_of(to, rows) + rows.count;
    std::uint32_t number = to.number;
    std::uint32_t row = rows.count;
    for (std::uint32_t i = 0; i < count; ++i) {
        entity_record* record = nullptr;
        entities[i] = data.entities.create(record);
        record->table = number;
        record->row = row + i;
    }
    rows.count = row + count;
}

void tell_bulk(stage& owner, const table& to, const id_t* ids, std::uint32_t id_count,
               const void* const* columns) {
    for (entity_t entity : owner.bulk_ids) {
        for (std::uint32_t i = 0; i < to.id_count; ++i) {
            const id_record& record = *to.records[i];
            const entity_record& place = owner.data.entities.at(index_of(entity));
            void* value = to.slots[i].size ? storage::value_in(owner.data.tables.rows(to.number),
                                                               to.slots[i], place.row)
                                           : nullptr;
            run_hook(owner, types::hook_add, record, entity, value);
            for (std::uint32_t j = 0; j < id_count; ++j) {
                if (ids[j] == record.id && columns && columns[j]) {
                    run_hook(owner, types::hook_set, record, entity, value);
                }
            }
        }
    }
}

}  // namespace

const entity_t* new_bulk(stage& owner, std::size_t count, const id_t* ids, std::uint32_t id_count,
                         const void* const* columns) {
    if (count == 0) {
        return nullptr;
    }
    if (count > 0x7FFFFFFF) {
        base::raise(errc::limit, "too many entities are to be created at once");
    }
    id_buffer all(owner.data.mem, purpose::commands);
    bool sparse = false;
    for (std::uint32_t i = 0; i < id_count; ++i) {
        check_bulk_values(owner, prepare_id(owner, ids[i]), columns && columns[i]);
        if (std::find(all.begin(), all.end(), ids[i]) != all.end()) {
            raise_id(owner, errc::invalid_operation, ids[i],
                     "is given twice for the same entities");
        }
        all.push(ids[i]);
    }
    if (owner.mode & detail::mode_placing) {
        std::uint32_t given = all.size();
        collect_placing(owner, all);
        for (std::uint32_t i = given; i < all.size(); ++i) {
            check_bulk_values(owner, prepare_id(owner, all[i]), false);
        }
    }
    for (id_t id : all) {
        sparse |= is_sparse(prepare_id(owner, id));
    }
    std::sort(all.begin(), all.end());
    check_exclusive(owner, all.data(), all.size());
    if (owner.mode & detail::mode_deferred || sparse) {
        return new_bulk_slow(owner, count, ids, id_count, columns);
    }
    storage::store& data = owner.data;
    table& to =
        table_after(owner, data.tables.at(storage::root_table), all.data(), all.size(), nullptr, 0);
    if (owner.mode & detail::mode_iterating) {
        check_unlocked(owner, 0, 0, to.number, to.number);
    }
    bool hooked = to.flags & (detail::shape_on_add | detail::shape_notify_set);
    data.entities.reserve(count);
    data.tables.reserve_rows(to, static_cast<std::uint32_t>(count));
    user_code code(owner);
    new_columns values(owner, to, count);
    values.construct(ids, id_count, columns);
    owner.bulk_ids.clear();
    if (hooked) {
        owner.bulk_ids.reserve_extra(data.mem, static_cast<std::uint32_t>(count),
                                     purpose::commands);
    }
    values.keep();
    std::uint32_t first_row = data.tables.rows(to.number).count;
    append_rows(data, to, static_cast<std::uint32_t>(count));
    for (std::uint32_t i = 0; hooked && i < count; ++i) {
        owner.bulk_ids.push_reserved(
            storage::entities_of(to, data.tables.rows(to.number))[first_row + i]);
    }
    if (hooked) {
        tell_bulk(owner, to, ids, id_count, columns);
        code.finish();
        return owner.bulk_ids.data();
    }
    code.finish();
    return storage::entities_of(to, data.tables.rows(to.number)) + first_row;
}

void make_alive(stage& owner, entity_t entity) {
    storage::store& data = owner.data;
    if (entity == 0 || entity & id_flags_mask || entity >> 48) {
        raise_entity(owner, entity);
    }
    if (data.entities.find(entity)) {
        return;
    }
    if (entity_t other = data.entities.alive_at(index_of(entity))) {
        raise_entity_id(owner, errc::invalid_entity, other, 0,
                        "is alive and has the index that is to be revived");
    }
    if (index_of(entity) < first_entity && detail::find_type(index_of(entity))) {
        raise_id(owner, errc::invalid_entity, entity, "is kept for a C++ type");
    }
    bool deferred = owner.mode & detail::mode_deferred;
    if (!deferred) {
        check_unlocked(owner, entity, 0, storage::root_table, storage::root_table);
        data.tables.reserve_rows(data.tables.at(storage::root_table), 1);
    }
    data.entities.make_alive(entity);
    if (deferred) {
        defer_entity(owner, command_kind::place, entity);
    } else {
        append_row(data, data.tables.at(storage::root_table), entity,
                   data.entities.at(index_of(entity)));
    }
}

void discard_new(stage& owner, entity_t entity) noexcept {
    discard_new(owner, entity, is_deferred(owner));
}

namespace {

bool is_cloned(id_t id) noexcept {
    return id != detail::component_type_id &&
           !(is_pair(id) && pair_first(id) == detail::identifier_type_id);
}

void check_copyable(stage& owner, const id_record& record, bool copy_values) {
    if (!record.value_type) {
        return;
    }
    const type_info& info = record.value_type->info;
    if (copy_values && !info.can_copy()) {
        raise_id(owner, errc::not_copyable, record.id,
                 "cannot be copied, so an entity that has it cannot be cloned");
    }
    if (!copy_values && !info.can_construct()) {
        raise_id(owner, errc::not_constructible, record.id,
                 "has no default constructor, so it cannot be cloned without its value");
    }
}

}  // namespace

void clone_into(stage& owner, entity_t source, entity_t into, bool copy_values) {
    storage::store& data = owner.data;
    entity_record& from = get_record(owner, source);
    entity_record& to = get_record(owner, into);
    const table& type = data.tables.at(from.table);
    const table& old_type = data.tables.at(to.table);
    bool empty = true;
    for (std::uint32_t i = 0; i < old_type.column_count; ++i) {
        empty &= !is_cloned(old_type.ids[old_type.column_ids[i]]);
    }
    for (const id_record* sparse : data.sparse_ids) {
        empty &= !(sparse && sparse->value_type && sparse->sparse->has(index_of(into)));
    }
    if (!empty) {
        raise_entity_id(owner, errc::invalid_operation, into, 0,
                        "has values already, so no clone can be made of it");
    }
    id_buffer ids(data.mem, purpose::commands);
    containers::small_vec<given_value, 16> given(data.mem, purpose::commands);
    containers::small_vec<detail::value_source, 16> sources(data.mem, purpose::commands);
    containers::small_vec<copy_context, 16> contexts(data.mem, purpose::commands);
    sources.reserve(type.id_count);
    contexts.reserve(type.id_count);
    for (std::uint32_t i = 0; i < type.id_count; ++i) {
        if (!is_cloned(type.ids[i])) {
            continue;
        }
        const id_record& record = *type.records[i];
        check_copyable(owner, record, copy_values);
        if (traits::is_property(type.ids[i]) && source != into) {
            check_property(owner, into, type.ids[i], true);
        }
        ids.push(type.ids[i]);
        if (record.value_type && copy_values) {
            contexts.push(
                {&record.value_type->info,
                 storage::value_in(data.tables.rows(type.number), type.slots[i], from.row)});
            sources.push(copying_source(contexts.back()));
            given.push({&record, &sources.back()});
        }
    }
    for (const id_record* sparse : data.sparse_ids) {
        if (sparse && sparse->sparse->has(index_of(source))) {
            check_copyable(owner, *sparse, copy_values);
        }
    }
    user_code code(owner);
    table& target =
        table_after(owner, data.tables.at(to.table), ids.data(), ids.size(), nullptr, 0);
    check_exclusive(owner, target.ids, target.id_count);
    if (target.number == type.number) {
        // Growing would move the values that are copied from: make room first, and look again.
        data.tables.reserve_rows(target, 1);
        for (std::uint32_t i = 0, next = 0; i < type.id_count; ++i) {
            if (is_cloned(type.ids[i]) && type.records[i]->value_type && copy_values) {
                contexts[next].value =
                    storage::value_in(data.tables.rows(type.number), type.slots[i], from.row);
                sources[next] = copying_source(contexts[next]);
                ++next;
            }
        }
    }
    if (target.number != to.table) {
        move_entity(owner, into, to, target, given.data(), given.size());
    }
    for (id_record* sparse : data.sparse_ids) {
        if (!sparse || !sparse->sparse->has(index_of(source))) {
            continue;
        }
        copy_context context{sparse->value_type ? &sparse->value_type->info : nullptr,
                             sparse->sparse->find(index_of(source))};
        bool copies = sparse->value_type && copy_values;
        detail::value_source value = copies ? copying_source(context) : detail::value_source{};
        add_sparse(owner, into, to, *sparse, copies ? &value : nullptr);
        if (copies) {
            run_hook(owner, types::hook_set, *sparse, into, sparse->sparse->find(index_of(into)));
        }
    }
    for (const given_value& copied : given) {
        run_hook(owner, types::hook_set, *copied.record, into,
                 find_value(owner, into, to, copied.record->id, 0));
    }
    for (id_t id : ids) {
        if (traits::is_property(id)) {
            data.ids.ensure(into);
            apply_property(owner, into, id, true);
        }
    }
    if (from.state & storage::record_has_disabled) {
        for (std::uint32_t i = 0; i < data.toggled_ids.size(); ++i) {
            id_record* toggled = data.toggled_ids[i];
            if (toggled && toggled->disabled->has(index_of(source))) {
                enable_id(owner, into, toggled->id, false);
            }
        }
    }
    code.finish();
}

entity_t clone_entity(stage& owner, entity_t source, bool copy_values, entity_t into) {
    get_record(owner, source);
    if (into != 0) {
        get_record(owner, into);
        if (owner.mode & detail::mode_deferred) {
            defer_clone(owner, into, source, copy_values);
        } else {
            clone_into(owner, source, into, copy_values);
        }
        return into;
    }
    new_index fresh(owner);
    if (owner.mode & detail::mode_deferred) {
        defer_entity(owner, command_kind::place, fresh.get());
        defer_clone(owner, fresh.get(), source, copy_values);
    } else {
        clone_into(owner, source, fresh.get(), copy_values);
    }
    return fresh.keep();
}

}  // namespace kith::mutate
