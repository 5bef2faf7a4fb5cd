// Implements create.hpp. Every way of creation has a fast form that appends complete rows, and a
// slow form that queues commands for the new entities and runs them.
#include "mutate/ops/create.hpp"

#include "base/assert.hpp"
#include "base/attempt.hpp"
#include "base/scope_exit.hpp"
#include "mutate/apply/owned_ids.hpp"
#include "mutate/apply/rows.hpp"
#include "mutate/apply/value_ahead.hpp"
#include "mutate/apply/values.hpp"
#include "mutate/context/command.hpp"
#include "mutate/context/wide_tables.hpp"
#include "mutate/notify/notify.hpp"
#include "mutate/notify/validate.hpp"
#include "mutate/ops/add_remove.hpp"
#include "mutate/ops/clone.hpp"
#include "mutate/ops/destroy.hpp"
#include "mutate/queue/defer.hpp"
#include "mutate/queue/record.hpp"
#include "mutate/rules/constraints.hpp"
#include "mutate/rules/destination.hpp"
#include "names/name_index.hpp"
#include "storage/graph.hpp"
#include "traits/implications.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace kith::mutate {

using containers::purpose;
using storage::entity_record;
using storage::id_info;
using storage::id_record;
using storage::table;

namespace {

bool is_deferred(const stage& world) noexcept {
    return (world.mode & detail::mode_deferred) != 0;
}

// A new live entity without a row.
entity_t take_id(stage& world) {
    return is_recorded(world) ? recorder_of(world).take_id() : world.data.entities.create();
}

// Frees the id of an entity that could not be completed. The next entity gets the same id, unless
// queued commands may contain it (`is_named`).
void unreserve(stage& world, entity_t entity, bool is_named) noexcept {
    if (is_named) {
        world.data.entities.free(index_of(entity));
    } else {
        world.data.entities.take_back(index_of(entity));
    }
}

// Notifies listeners that received the creation of an entity that could not be completed.
void notify_create_rolled_back(stage& world, entity_t entity) noexcept {
    base::attempt(
        [&] {
            world.events.dispatch({&world, events::create_rolled_back, entity, entity, nullptr});
        },
        [] {
            // Memory is short: the entity ends without the notification.
        });
}

// Removes the ids, the row and the id of an entity without hooks.
void discard_silently(stage& world, entity_t entity, bool is_named) noexcept {
    storage::store& data = world.data;
    if (traits::is_in_use(data, index_of(entity))) {
        // Other entities have pairs with the entity, which must be removed with hooks.
        base::attempt([&] { delete_entity(world, entity); },
                      [] {
                          // Memory is short, or a hook failed: the entity lives on, incomplete.
                      });
        return;
    }
    entity_record& record = data.entities.at(index_of(entity));
    discard_sparse(world, entity, record);
    drop_parent(world, entity, record);
    clear_toggles(world, entity);
    if (record.table != storage::no_table) {
        remove_row(data, data.tables.at(record.table), record.row);
    }
    if (record.state & storage::record_used_as_id) {
        drop_id_records(data, entity);
    }
    unreserve(world, entity, is_named);
}

// Ends an entity that could not be completed, without hooks of its ids.
void roll_back_create(stage& world, entity_t entity, bool is_named) noexcept {
    if (is_recorded(world)) {
        base::attempt([&] { record_id(world, command_kind::destruct, entity, 0); },
                      [] {
                          // Memory is short: the entity stays, without a row.
                      });
        return;
    }
    begin_defer(world);
    notify_create_rolled_back(world, entity);
    discard_silently(world, entity, is_named);
    abandon_defer(world);
}

// A new entity. The destructor removes it unless keep() was called.
class reserved_id {
public:
    explicit reserved_id(stage& world) : reserved_id(world, is_deferred(world)) {}
    // `is_named`: commands that contain the id may stay in the queue.
    reserved_id(stage& world, bool is_named)
        : world_(world), entity_(take_id(world)), is_named_(is_named) {}
    ~reserved_id() {
        if (entity_ && world_.data.entities.find(entity_)) {
            roll_back_create(world_, entity_, is_named_);
        }
    }
    reserved_id(const reserved_id&) = delete;
    reserved_id& operator=(const reserved_id&) = delete;
    entity_t get() const noexcept { return entity_; }
    entity_t keep() noexcept { return std::exchange(entity_, 0); }

private:
    stage& world_;
    entity_t entity_;
    bool is_named_;
};

// Collects the ids that every new entity gets in the current scope.
void collect_scope_ids(const stage& world, id_buffer& ids) {
    if (world.creation.scope != 0) {
        ids.push(make_pair(ChildOf, world.creation.scope));
    }
    for (id_t id : world.creation.with) {
        ids.push(id);
    }
}

// Throws if the ids contain two targets of an exclusive relationship. Requires: the ids are sorted.
void check_exclusive(stage& world, const id_t* sorted, std::uint32_t count) {
    for (std::uint32_t i = 1; i < count; ++i) {
        bool same_relation = is_pair(sorted[i]) && is_pair(sorted[i - 1]) &&
                             sorted[i] >> 32 == sorted[i - 1] >> 32 && sorted[i] != sorted[i - 1];
        if (same_relation && traits::has_one_target(traits::describe_id(world.data, sorted[i]))) {
            raise_id(world, errc::constraint, sorted[i],
                     "is exclusive: an entity cannot be made with two targets of it");
        }
    }
}

// Throws if the ids together with those that they imply contain two targets of an exclusive
// relationship. Checked before any notification.
void check_exclusive_implied(stage& world, const id_buffer& ids) {
    id_buffer all_ids(world.data.mem, purpose::commands);
    for (id_t id : ids) {
        all_ids.push(id);
    }
    for (id_t id : ids) {
        traits::collect_implied(world.data, traits::describe_id(world.data, id), all_ids);
    }
    std::sort(all_ids.begin(), all_ids.end());
    check_exclusive(world, all_ids.data(), all_ids.size());
}

// Creates an entity in a scope, at once.
entity_t new_placed(stage& world) {
    id_buffer ids(world.data.mem, purpose::commands);
    collect_scope_ids(world, ids);
    for (id_t id : ids) {
        check_default_constructible(world, prepare_id(world, id));
    }
    std::sort(ids.begin(), ids.end());
    check_exclusive(world, ids.data(), ids.size());
    check_unlocked(world, 0, 0, storage::root_table, storage::root_table);
    reserved_id fresh(world);
    callback_scope code(world);
    // The entity ends if one of the ids is refused, so they need not be checked together.
    add_ids(world, fresh.get(), ids.data(), ids.size());
    entity_t entity = fresh.keep();
    code.finish();
    return entity;
}

// Queues the commands for the row, the parent and the `with` ids of a new entity.
void queue_new(stage& world, entity_t entity) {
    defer_entity(world, command_kind::place, entity);
    if (world.mode & detail::mode_in_scope) {
        id_buffer ids(memory_of(world), purpose::commands);
        collect_scope_ids(world, ids);
        for (id_t id : ids) {
            defer_id(world, command_kind::add, entity, id);
        }
    }
}

// Creates an entity whose row and ids are queued.
entity_t new_deferred(stage& world, bool is_named = true) {
    reserved_id fresh(world, is_named);
    queue_new(world, fresh.get());
    return fresh.keep();
}

// Finds the table of a bundle and stores its number for the next time; null if a component is
// sparse or implies other ids.
table* resolve_bundle(stage& world, const detail::bundle& ids) {
    for (std::uint32_t i = 0; i < ids.count; ++i) {
        const id_info id = prepare_id(world, ids.ids[i]);
        if (is_sparse(id) || traits::implies_others(id.traits)) {
            return nullptr;
        }
    }
    table& to = table_after(world, world.data.tables.at(storage::root_table), ids.ids, ids.count,
                            nullptr, 0);
    if (to.id_count != ids.count) {
        base::raise(errc::invalid_operation,
                    "an entity cannot be made with two values of one component");
    }
    if (world.creation.bundle_epoch != world.data.table_epoch) {
        world.creation.bundle_tables.clear();
        world.creation.bundle_epoch = world.data.table_epoch;
    }
    if (world.creation.bundle_tables.size() <= ids.slot) {
        world.creation.bundle_tables.reserve_extra(
            world.data.mem, ids.slot + 1 - world.creation.bundle_tables.size(), purpose::tables);
        while (world.creation.bundle_tables.size() <= ids.slot) {
            world.creation.bundle_tables.push_reserved(0);
        }
    }
    world.creation.bundle_tables[ids.slot] = to.number;
    return &to;
}

// The table of a bundle, by array access if the tables have not changed since the last time.
table* find_bundle(stage& world, const detail::bundle& ids) {
    if (world.creation.bundle_epoch == world.data.table_epoch &&
        ids.slot < world.creation.bundle_tables.size() &&
        world.creation.bundle_tables[ids.slot] != 0) {
        return &world.data.tables.at(world.creation.bundle_tables[ids.slot]);
    }
    return resolve_bundle(world, ids);
}

// Throws if an id that `id` implies cannot be added, before entities are created. The `count` ids
// of `added_before` are added before `id`, so they are not implied again.
void check_implied(stage& world, const id_info& id, const id_t* added_before, std::uint32_t count) {
    if (!traits::implies_others(id.traits) || is_deferred(world)) {
        return;
    }
    id_buffer implied(world.data.mem, purpose::commands);
    traits::collect_implied(world.data, id, implied);
    for (id_t other : implied) {
        if (std::find(added_before, added_before + count, other) != added_before + count) {
            continue;
        }
        id_info info = prepare_id(world, other);
        check_default_constructible(world, info);
        if (is_pair(other)) {
            check_pair(world, 0, info);
        }
    }
}

// Creates an entity with values through the queue: for scopes, listeners, destructors, and while
// deferred.
entity_t new_with_values_slow(stage& world, const detail::bundle& ids,
                              const detail::value_source* values) {
    if (table* to = world.mode & detail::mode_deferred ? nullptr : find_bundle(world, ids)) {
        check_unlocked(world, 0, 0, to->number, storage::root_table);
    }
    for (std::uint32_t i = 0; i < ids.count && !is_recorded(world); ++i) {
        check_implied(world, prepare_id(world, ids.ids[i]), ids.ids, i);
    }
    bool is_queued = is_deferred(world);
    callback_scope code(world);
    reserved_id fresh(world, is_queued);
    queue_new(world, fresh.get());
    for (std::uint32_t i = 0; i < ids.count; ++i) {
        defer_value(world, command_kind::set, fresh.get(), ids.ids[i], 0, values[i]);
    }
    if (is_queued) {
        entity_t entity = fresh.keep();
        code.finish();
        return entity;
    }
    // A refused value ends the new entity; a callback that fails after the entity is complete does
    // not.
    const base::scope_exit keep_if_complete([&] {
        const entity_record* record = world.data.entities.find(fresh.get());
        if (record && std::all_of(ids.ids, ids.ids + ids.count, [&](id_t id) {
                return storage::owns_id(world.data, *record, fresh.get(), id);
            })) {
            fresh.keep();
        }
    });
    code.finish();
    return fresh.get();
}

}  // namespace

entity_t new_entity(stage& world) {
    if (world.mode & detail::mode_deferred) {
        return new_deferred(world);
    }
    if (world.mode & detail::mode_in_scope) {
        return new_placed(world);
    }
    check_unlocked(world, 0, 0, storage::root_table, storage::root_table);
    storage::store& data = world.data;
    data.tables.reserve_rows(data.tables.at(storage::root_table), 1);
    entity_t entity = data.entities.create();
    append_row(data, data.tables.at(storage::root_table), entity,
               data.entities.at(index_of(entity)));
    notify_created(world, entity);
    finish_leaving(world);
    return entity;
}

namespace {

// Creates an entity whose values are complete behind the last row of the table.
[[gnu::always_inline]] inline entity_t append_entity(storage::store& data, const table& to) {
    entity_record* record = nullptr;
    entity_t entity = data.entities.create(record);
    append_row(data, to, entity, *record);
    return entity;
}

// Creates an entity in a table with room for it, with constructors of the program. Changes that
// they make are deferred until the entity is complete. Values need no destructor, so that a failing
// constructor leaks nothing.
[[gnu::noinline]] entity_t append_constructed(stage& world, const table& to,
                                              const detail::bundle& ids,
                                              const detail::value_source* values) {
    callback_scope code(world);
    for (std::uint32_t i = 0; i < ids.count; ++i) {
        const detail::column& value_column = to.slots[storage::find_id(to, ids.ids[i])];
        // The rows are looked up for each value, because constructing a value may create tables.
        const detail::table_rows& rows = world.data.tables.rows(to.number);
        std::byte* place = storage::value_in(rows, value_column, rows.count);
        if (values[i].make) {
            values[i].make(place, values[i].context);
        } else {
            copy_bytes(place, static_cast<const std::byte*>(values[i].context), value_column.size);
        }
    }
    entity_t entity = append_entity(world.data, to);
    code.finish();
    return entity;
}

}  // namespace

entity_t new_with_values(stage& world, const detail::bundle& ids,
                         const detail::value_source* values) {
    constexpr std::uint32_t busy =
        detail::mode_deferred | detail::mode_in_scope | detail::mode_entity_events;
    table* to = world.mode & busy || is_iterating() ? nullptr : find_bundle(world, ids);
    if (!to || to->flags & (detail::shape_notify_set | detail::shape_on_add) ||
        !(to->flags & detail::shape_trivial_destroy)) [[unlikely]] {
        return new_with_values_slow(world, ids, values);
    }
    storage::store& data = world.data;
    if (const detail::table_rows& rows = data.tables.rows(to->number);
        rows.count == rows.capacity && rows.count != 0) [[unlikely]] {
        // The values may be copied from rows that move when the table grows.
        return new_with_values_slow(world, ids, values);
    }
    data.tables.reserve_rows(*to, 1);
    const detail::table_rows rows = data.tables.rows(to->number);
    for (std::uint32_t i = 0; i < ids.count; ++i) {
        if (values[i].make) {
            return append_constructed(world, *to, ids, values);
        }
        const detail::column& place = to->slots[storage::find_id_inline(*to, ids.ids[i])];
        copy_bytes(storage::value_in(rows, place, rows.count),
                   static_cast<const std::byte*>(values[i].context), place.size);
    }
    return append_entity(data, *to);
}

namespace {

// Constructs the columns of many new rows. The destructor destroys the values unless keep() was
// called.
//
// Invariant: the first `constructed_` columns have values in all new rows.
class new_columns {
public:
    new_columns(stage& world, const table& to, std::size_t count) noexcept
        : world_(world), to_(to), count_(count) {}
    ~new_columns() {
        while (constructed_ != 0) {
            --constructed_;
            types::destroy_values(to_.column_type(constructed_), place(constructed_), count_);
        }
    }
    // Copies given columns and constructs the others by default. Column by column, so that a
    // failure destroys whole columns.
    void construct(const id_t* ids, std::uint32_t id_count, const void* const* columns) {
        for (; constructed_ < to_.column_count; ++constructed_) {
            const id_record& record = *to_.records[to_.column_ids[constructed_]];
            const void* source = nullptr;
            for (std::uint32_t i = 0; i < id_count; ++i) {
                source = ids[i] == record.id && columns ? columns[i] : source;
            }
            const type_info& info = record.value_type->info;
            if (record.id == detail::name_pair) {
                // Identifiers without a name, until fill_bulk() moves names there.
                std::memset(place(constructed_), 0, std::size_t{info.size} * count_);
            } else if (source) {
                types::copy_values(info, place(constructed_), source, count_);
            } else {
                types::construct_values(info, place(constructed_), count_);
            }
        }
    }
    // The rows were appended: the values belong to the table.
    void keep() noexcept { constructed_ = 0; }
    // Requires: the table has names.
    Identifier* names() const noexcept {
        std::uint32_t column = 0;
        while (to_.records[to_.column_ids[column]]->id != detail::name_pair) {
            ++column;
        }
        return static_cast<Identifier*>(place(column));
    }

private:
    void* place(std::uint32_t column) const noexcept {
        const detail::table_rows& rows = world_.data.tables.rows(to_.number);
        return storage::value_in(rows, to_.columns[column], rows.count);
    }
    stage& world_;
    const table& to_;
    std::size_t count_;
    std::uint32_t constructed_ = 0;
};

// The arrays of values for new rows. An array may be a column of the table itself, which moves when
// the table grows.
class given_columns {
public:
    given_columns(stage& world, const table& to, const void* const* columns, std::uint32_t count)
        : data_(world.data), to_(to), before_(data_.tables.rows(to.number)) {
        for (std::uint32_t i = 0; columns && i < count; ++i) {
            columns_.push(columns[i]);
        }
    }
    // Adjusts the pointers to columns of the table, after the table may have grown.
    void follow_rows() noexcept {
        const detail::table_rows& rows = data_.tables.rows(to_.number);
        for (const void*& column_values : columns_) {
            const auto address = reinterpret_cast<std::uintptr_t>(column_values);
            for (std::uint32_t i = 0; i < to_.column_count; ++i) {
                const detail::column& column = to_.columns[i];
                const auto first =
                    reinterpret_cast<std::uintptr_t>(storage::column_data(before_, column));
                if (address >= first &&
                    address < first + std::size_t{column.size} * before_.count) {
                    column_values = storage::column_data(rows, column) + (address - first);
                    break;
                }
            }
        }
    }
    // The arrays, null if none were given.
    const void* const* data() noexcept { return columns_.empty() ? nullptr : columns_.data(); }

private:
    storage::store& data_;
    const table& to_;
    const detail::table_rows before_;
    containers::small_vec<const void*, 16> columns_{data_.mem, purpose::commands};
};

// Throws if values of the id cannot be copied, or constructed by default where none are given.
void check_bulk_values(stage& world, const id_info& id, bool has_values) {
    if (has_values) {
        check_value_type(world, id, 0);
        if (!id.value_type->info.can_copy()) {
            raise_id(world, errc::not_copyable, id.id,
                     "cannot be copied, so it cannot be created in bulk");
        }
    } else {
        check_default_constructible(world, id);
    }
}

// True if an entity with this id needs more than a row: links, implied ids, rules of pairs,
// properties.
bool needs_more_than_a_row(const id_info& id) noexcept {
    return is_sparse(id) || traits::implies_others(id.traits) || traits::is_property(id.id) ||
           (is_pair(id.id) && (pair_first(id.id) == IsA || pair_first(id.id) == ChildOf ||
                               traits::has_inverse(id) || id.traits & traits::trait_checked));
}

// The entities of a bulk creation that are created one by one (bulk_ids). The destructor removes
// the entities if a creation failed.
class created_entities {
public:
    created_entities(stage& world, const id_t* ids, std::uint32_t id_count) noexcept
        : world_(world),
          ids_(ids),
          id_count_(id_count),
          completion_(is_deferred(world) ? completion::kept : completion::undone) {}
    ~created_entities() {
        if (completion_ == completion::kept ||
            (completion_ == completion::judged && are_complete())) {
            return;
        }
        // The last entity is removed first, so that the next creation gets the same ids in the same
        // order.
        for (; !world_.creation.bulk_ids.empty(); world_.creation.bulk_ids.pop()) {
            if (world_.data.entities.find(world_.creation.bulk_ids.back())) {
                roll_back_create(world_, world_.creation.bulk_ids.back(), false);
            }
        }
    }
    created_entities(const created_entities&) = delete;
    created_entities& operator=(const created_entities&) = delete;

    bool are_queued() const noexcept { return completion_ == completion::kept; }
    // Code of the program runs next, which may fail although all entities are complete.
    void keep_if_complete() noexcept {
        completion_ = are_queued() ? completion_ : completion::judged;
    }
    void keep() noexcept { completion_ = completion::kept; }

private:
    // The decision of the destructor: remove the entities, check whether they are complete, or keep
    // them.
    enum class completion : std::uint8_t { undone, judged, kept };

    bool are_complete() const noexcept {
        return std::all_of(world_.creation.bulk_ids.begin(), world_.creation.bulk_ids.end(),
                           [&](entity_t entity) {
                               const entity_record* record = world_.data.entities.find(entity);
                               auto has = [&](id_t id) {
                                   return storage::owns_id(world_.data, *record, entity, id);
                               };
                               return !record || (std::all_of(ids_, ids_ + id_count_, has) &&
                                                  std::all_of(world_.creation.with.begin(),
                                                              world_.creation.with.end(), has) &&
                                                  (world_.creation.scope == 0 ||
                                                   has(make_pair(ChildOf, world_.creation.scope))));
                           });
    }

    stage& world_;
    const id_t* ids_;
    std::uint32_t id_count_;
    completion completion_;
};

// Calls the validating hooks for all values before an entity is created, so that a refused bulk
// creation sends no event.
void validate_bulk(stage& world, const id_t* ids, std::uint32_t id_count,
                   const void* const* columns) {
    for (std::uint32_t i = 0; i < id_count; ++i) {
        const id_info id_info = prepare_id(world, ids[i]);
        for (std::uint32_t row = 0; is_validated(id_info) && row < world.creation.bulk_ids.size();
             ++row) {
            values_ahead values(world.data.mem);
            if (!columns || !columns[i]) {
                validate_added(world, world.creation.bulk_ids[row], id_info, nullptr, values);
                continue;
            }
            const type_info& info = id_info.value_type->info;
            copy_context context{&info,
                                 static_cast<const std::byte*>(columns[i]) + info.size * row};
            const detail::value_source value = copying_source(context);
            validate_added(world, world.creation.bulk_ids[row], id_info, &value, values);
        }
    }
}

// Creates the entities one by one through the queue: while deferred, and for ids that need more
// than a row.
const entity_t* new_bulk_slow(stage& world, std::size_t count, const id_t* ids,
                              std::uint32_t id_count, const void* const* columns) {
    world.creation.bulk_ids.clear();
    world.creation.bulk_ids.reserve_extra(world.data.mem, static_cast<std::uint32_t>(count),
                                          purpose::commands);
    created_entities created(world, ids, id_count);
    callback_scope code(world);
    for (std::size_t row = 0; row < count; ++row) {
        world.creation.bulk_ids.push_reserved(new_deferred(world, created.are_queued()));
    }
    if (!created.are_queued()) {
        validate_bulk(world, ids, id_count, columns);
    }
    for (std::uint32_t row = 0; row < world.creation.bulk_ids.size(); ++row) {
        const entity_t entity = world.creation.bulk_ids[row];
        for (std::uint32_t i = 0; i < id_count; ++i) {
            const void* column = columns ? columns[i] : nullptr;
            if (!column) {
                defer_id(world, command_kind::add, entity, ids[i]);
                continue;
            }
            id_info id_info = prepare_id(world, ids[i]);
            check_value_type(world, id_info, 0);
            const type_info& info = id_info.value_type->info;
            copy_context context{&info, static_cast<const std::byte*>(column) + info.size * row};
            defer_value(world, command_kind::set, entity, ids[i], 0, copying_source(context));
        }
    }
    created.keep_if_complete();
    code.finish();
    created.keep();
    return world.creation.bulk_ids.data();
}

// Appends many new entities to a table. Requires: ids and rows were reserved, so that nothing can
// fail.
void append_rows(storage::store& data, const table& to, std::uint32_t count) {
    detail::table_rows& rows = data.tables.rows(to.number);
    KITH_ASSERT(rows.capacity - rows.count >= count, "room for the rows was reserved");
    entity_t* entities = storage::entities_of(to, rows) + rows.count;
    std::uint32_t number = to.number;
    std::uint32_t row = rows.count;
    for (std::uint32_t i = 0; i < count; ++i) {
        entity_record* record = nullptr;
        entities[i] = data.entities.create(record);
        record->table = number;
        record->row = row + i;
        note_arrival(data, to, entities[i]);
    }
    rows.count = row + count;
}

// Notifies of the ids and values of new rows.
void notify_bulk(stage& world, const table& to, const id_t* ids, std::uint32_t id_count,
                 const void* const* columns) {
    world.operation.begin_step();
    for (entity_t entity : world.creation.bulk_ids) {
        const change_view_scope before(world, {entity, &world.data.tables.at(storage::no_table)});
        for (std::uint32_t i = 0; i < to.id_count; ++i) {
            const id_record& record = *to.records[i];
            const entity_record& location = world.data.entities.at(index_of(entity));
            void* value = to.slots[i].size ? storage::value_in(world.data.tables.rows(to.number),
                                                               to.slots[i], location.row)
                                           : nullptr;
            notify(world, storage::event_add, record, entity, value);
            for (std::uint32_t j = 0; j < id_count; ++j) {
                if (ids[j] == record.id && columns && columns[j]) {
                    notify(world, storage::event_set, record, entity, value);
                }
            }
        }
    }
}

// Collects the ids of a bulk creation, with those of the scope. Throws if an id is given twice, or
// its values cannot be made.
void collect_bulk_ids(stage& world, const id_t* ids, std::uint32_t id_count,
                      const void* const* columns, id_buffer& all_ids) {
    for (std::uint32_t i = 0; i < id_count; ++i) {
        check_bulk_values(world, prepare_id(world, ids[i]), columns && columns[i]);
        if (std::find(all_ids.begin(), all_ids.end(), ids[i]) != all_ids.end()) {
            raise_id(world, errc::invalid_operation, ids[i],
                     "is given twice for the same entities");
        }
        all_ids.push(ids[i]);
    }
    if (world.mode & detail::mode_in_scope) {
        collect_scope_ids(world, all_ids);
        for (std::uint32_t i = id_count; i < all_ids.size(); ++i) {
            check_bulk_values(world, prepare_id(world, all_ids[i]), false);
        }
    }
}

// Throws if entities cannot have the ids, and sorts these. Returns true if the entities need more
// than rows.
bool check_bulk_ids(stage& world, id_buffer& all_ids) {
    bool slow = (world.mode & (detail::mode_entity_events | detail::mode_deferred)) != 0;
    bool implies = false;
    for (std::uint32_t i = 0; i < all_ids.size(); ++i) {
        const id_info info = prepare_id(world, all_ids[i]);
        implies |= traits::implies_others(info.traits);
        constexpr std::uint32_t early_events = storage::event_before | storage::event_validate;
        slow |= needs_more_than_a_row(info) || info.event_mask & early_events;
        if (is_pair(info.id) && !is_deferred(world)) {
            check_pair(world, 0, info);
        }
        check_implied(world, info, all_ids.data(), i);
    }
    std::sort(all_ids.begin(), all_ids.end());
    check_exclusive(world, all_ids.data(), all_ids.size());
    if (implies && !is_deferred(world)) {
        check_exclusive_implied(world, all_ids);
    }
    return slow;
}

// Appends the entities to the table of the ids. Returns the array of the new entities.
const entity_t* append_bulk(stage& world, table& to, std::uint32_t count, const id_t* ids,
                            std::uint32_t id_count, const void* const* columns) {
    storage::store& data = world.data;
    if (is_iterating()) {
        check_unlocked(world, 0, 0, to.number, to.number);
    }
    const bool hooked = to.flags & (detail::shape_on_add | detail::shape_notify_set);
    data.entities.reserve(count);
    given_columns sources(world, to, columns, id_count);
    data.tables.reserve_rows(to, count);
    sources.follow_rows();
    callback_scope code(world);
    new_columns values(world, to, count);
    values.construct(ids, id_count, sources.data());
    world.creation.bulk_ids.clear();
    if (hooked) {
        world.creation.bulk_ids.reserve_extra(data.mem, count, purpose::commands);
    }
    values.keep();
    const std::uint32_t first_row = data.tables.rows(to.number).count;
    append_rows(data, to, count);
    for (std::uint32_t i = 0; hooked && i < count; ++i) {
        world.creation.bulk_ids.push_reserved(
            storage::entities_of(to, data.tables.rows(to.number))[first_row + i]);
    }
    if (hooked) {
        notify_bulk(world, to, ids, id_count, columns);
        code.finish();
        return world.creation.bulk_ids.data();
    }
    code.finish();
    return storage::entities_of(to, data.tables.rows(to.number)) + first_row;
}

}  // namespace

namespace {

// Records the creation of many entities.
const entity_t* record_bulk(stage& world, std::size_t count, const id_t* ids,
                            std::uint32_t id_count, const void* const* columns) {
    containers::vec<entity_t>& created = world.creation.bulk_ids;
    created.clear();
    created.reserve_extra(memory_of(world), static_cast<std::uint32_t>(count), purpose::commands);
    for (std::size_t row = 0; row < count; ++row) {
        const entity_t entity = new_deferred(world);
        created.push_reserved(entity);
        for (std::uint32_t i = 0; i < id_count; ++i) {
            if (!columns || !columns[i]) {
                defer_id(world, command_kind::add, entity, ids[i]);
                continue;
            }
            const id_info id = traits::describe_id(world.data, ids[i]);
            check_value_type(world, id, 0);
            const type_info& info = id.value_type->info;
            copy_context context{&info,
                                 static_cast<const std::byte*>(columns[i]) + info.size * row};
            defer_value(world, command_kind::set, entity, ids[i], 0, copying_source(context));
        }
    }
    return created.data();
}

}  // namespace

// Checks come first; then the rows are appended together where the ids allow it.
const entity_t* new_bulk(stage& world, std::size_t count, const id_t* ids, std::uint32_t id_count,
                         const void* const* columns) {
    if (count == 0) {
        return nullptr;
    }
    if (count > 0x7FFFFFFF) {
        base::raise(errc::limit, "too many entities are to be created at once");
    }
    if (is_recorded(world)) [[unlikely]] {
        return record_bulk(world, count, ids, id_count, columns);
    }
    id_buffer all_ids(world.data.mem, purpose::commands);
    collect_bulk_ids(world, ids, id_count, columns, all_ids);
    if (check_bulk_ids(world, all_ids)) {
        return new_bulk_slow(world, count, ids, id_count, columns);
    }
    table& to = table_after(world, world.data.tables.at(storage::root_table), all_ids.data(),
                            all_ids.size(), nullptr, 0);
    return append_bulk(world, to, static_cast<std::uint32_t>(count), ids, id_count, columns);
}

namespace {

// True if adding the id to an entity without ids makes a row and nothing else.
bool is_filled_by_row(stage& world, id_t id, bool has_values) {
    const storage::entity_index& entities = world.data.entities;
    const bool alive = is_pair(id) ? entities.alive_at(pair_first(id)) != 0 &&
                                         entities.alive_at(pair_second(id)) != 0
                                   : entities.find(id & ~id_flags_mask) != nullptr;
    if (!alive || is_wildcard(id) || (id & id_flags_mask & ~Pair) != 0) {
        return false;
    }
    const id_info info = prepare_id(world, id);
    const type_info* type = info.value_type ? &info.value_type->info : nullptr;
    const bool can_fill = type && has_values ? type->trivial_copy : !type || type->can_construct();
    return can_fill && (type || !has_values) && !needs_more_than_a_row(info) &&
           info.event_mask == 0;
}

// The table of the ids; null if they do not make a table by themselves.
table* find_filled_table(stage& world, const id_t* ids, std::uint32_t id_count,
                         const void* const* columns, bool with_names) {
    id_buffer sorted(world.data.mem, purpose::commands);
    if (with_names) {
        if (prepare_id(world, detail::name_pair).event_mask != 0) {
            return nullptr;
        }
        sorted.push(detail::name_pair);
    }
    for (std::uint32_t i = 0; i < id_count; ++i) {
        if (!is_filled_by_row(world, ids[i], columns[i] != nullptr)) {
            return nullptr;
        }
        sorted.push(ids[i]);
    }
    std::sort(sorted.begin(), sorted.end());
    for (std::uint32_t i = 1; i < sorted.size(); ++i) {
        // Two targets of one relationship may exclude each other.
        const bool same_relation =
            is_pair(sorted[i]) && pair_first(sorted[i]) == pair_first(sorted[i - 1]);
        if (sorted[i] == sorted[i - 1] || same_relation) {
            return nullptr;
        }
    }
    table& to = table_after(world, world.data.tables.at(storage::root_table), sorted.data(),
                            sorted.size(), nullptr, 0);
    return to.flags & (detail::shape_on_add | detail::shape_notify_set) ? nullptr : &to;
}

// Takes the rows of entities without ids away. False, and the rows are there: an entity has ids, or
// is listed twice.
bool take_bare_rows(storage::store& data, const entity_t* entities, std::uint32_t count) noexcept {
    const table& root = data.tables.at(storage::root_table);
    for (std::uint32_t i = count; i-- > 0;) {
        entity_record* record = data.entities.find(entities[i]);
        if (!record || record->table != storage::root_table) {
            for (++i; i < count; ++i) {
                append_row(data, root, entities[i], data.entities.at(index_of(entities[i])));
            }
            return false;
        }
        remove_row(data, root, record->row);
        record->table = storage::no_table;
    }
    return true;
}

// Enters names into the index. False: a name is taken, or cannot be one; the end of the identifiers
// frees the others.
bool make_names(stage& world, const entity_t* entities, std::uint32_t count,
                const std::string_view* names, std::vector<Identifier>& made) {
    made.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        if (!world.data.entities.find(entities[i])) {
            return false;
        }
        const std::uint32_t parent = index_of(storage::parent_of(world.data, entities[i]));
        if (names[i].empty() || names[i].find('\0') != std::string_view::npos ||
            world.names.find_stored(parent, names[i])) {
            return false;
        }
        made.push_back(identifier_access::make(world.names.add(parent, names[i], entities[i])));
    }
    return true;
}

}  // namespace

bool fill_bulk(stage& world, const entity_t* entities, std::uint32_t count, const id_t* ids,
               std::uint32_t id_count, const void* const* columns, const std::string_view* names) {
    if (world.mode != 0 || is_iterating() || count == 0 || (id_count == 0 && !names)) {
        return false;
    }
    table* const to = find_filled_table(world, ids, id_count, columns, names != nullptr);
    std::vector<Identifier> identifiers;
    if (!to || (names && !make_names(world, entities, count, names, identifiers))) {
        return false;
    }
    storage::store& data = world.data;
    data.tables.reserve_rows(*to, count);
    callback_scope code(world);
    new_columns values(world, *to, count);
    values.construct(ids, id_count, columns);
    const bool is_taken = take_bare_rows(data, entities, count);
    if (is_taken) {
        std::move(identifiers.begin(), identifiers.end(), names ? values.names() : nullptr);
        const std::uint32_t flags = names ? std::uint32_t{storage::record_named} : 0;
        values.keep();
        const table& root = data.tables.at(storage::root_table);
        for (std::uint32_t i = 0; i < count; ++i) {
            entity_record& record = data.entities.at(index_of(entities[i]));
            if (record.state & storage::record_referenced) {
                data.on_referenced_moved(record, index_of(entities[i]), root, *to);
            }
            record.state |= flags;
            append_row(data, *to, entities[i], record);
            note_move(data, root, *to, entities[i]);
        }
    }
    code.finish();
    return is_taken;
}

void make_alive(stage& world, entity_t entity) {
    storage::store& data = world.data;
    if (entity == 0 || entity & id_flags_mask || entity >> 48) {
        raise_entity(world, entity);
    }
    if (data.entities.find(entity)) {
        return;
    }
    check_not_recording(world, "make_alive");
    // An index has one live entity at a time.
    if (entity_t other = data.entities.alive_at(index_of(entity))) {
        raise_entity_id(world, errc::invalid_entity, other, 0,
                        "is alive and has the index that is to be revived");
    }
    if (index_of(entity) < first_entity && detail::find_type(index_of(entity))) {
        raise_id(world, errc::invalid_entity, entity, "is kept for a C++ type");
    }
    bool deferred = world.mode & detail::mode_deferred;
    if (!deferred) {
        check_unlocked(world, entity, 0, storage::root_table, storage::root_table);
        data.tables.reserve_rows(data.tables.at(storage::root_table), 1);
    }
    data.entities.make_alive(entity);
    if (deferred) {
        defer_entity(world, command_kind::place, entity);
    } else {
        append_row(data, data.tables.at(storage::root_table), entity,
                   data.entities.at(index_of(entity)));
        notify_created(world, entity);
    }
}

void make_alive(stage& world, const entity_t* entities, std::uint32_t count) {
    storage::store& data = world.data;
    const bool is_plain = world.mode == 0 && !is_iterating();
    const table& root = data.tables.at(storage::root_table);
    if (is_plain) {
        data.tables.reserve_rows(root, count);
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        const entity_t entity = entities[i];
        const std::uint32_t index = index_of(entity);
        if (!is_plain || index < first_entity || entity >> 48 != 0 ||
            data.entities.alive_at(index)) {
            make_alive(world, entity);
            continue;
        }
        data.entities.make_alive(entity);
        append_row(data, root, entity, data.entities.at(index));
    }
}

void roll_back_create(stage& world, entity_t entity) noexcept {
    roll_back_create(world, entity, is_deferred(world));
}

entity_t clone_entity(stage& world, entity_t source, bool copy_values, entity_t into) {
    get_record(world, source);
    if (into != 0) {
        get_record(world, into);
        if (world.mode & detail::mode_deferred) {
            defer_clone(world, into, source, copy_values);
        } else {
            clone_into(world, source, into, copy_values);
        }
        return into;
    }
    reserved_id fresh(world);
    if (world.mode & detail::mode_deferred) {
        defer_entity(world, command_kind::place, fresh.get());
        defer_clone(world, fresh.get(), source, copy_values);
        return fresh.keep();
    }
    callback_scope code(world);
    clone_into(world, source, fresh.get(), copy_values);
    // A failing callback or command does not end the entity, which is complete here.
    const entity_t entity = fresh.keep();
    code.finish();
    return entity;
}

}  // namespace kith::mutate
