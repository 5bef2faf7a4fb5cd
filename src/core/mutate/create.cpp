#include "mutate/create.hpp"

#include "mutate/add_remove.hpp"
#include "mutate/clone.hpp"
#include "mutate/constraints.hpp"
#include "mutate/defer.hpp"
#include "mutate/destroy.hpp"
#include "mutate/rows.hpp"
#include "mutate/sparse_ops.hpp"
#include "mutate/toggle.hpp"
#include "mutate/validate.hpp"
#include "mutate/values.hpp"
#include "mutate/wide_tables.hpp"

#include <algorithm>
#include <utility>

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

// The id of an entity that could not be completed; the next one gets it, unless queued commands
// may name it already.
void unreserve(stage& world, entity_t entity, bool is_named) noexcept {
    if (is_named) {
        world.data.entities.free(index_of(entity));
    } else {
        world.data.entities.take_back(index_of(entity));
    }
}

void delete_quietly(stage& world, entity_t entity) noexcept {
#if defined(__cpp_exceptions)
    try {
        delete_entity(world, entity);
    } catch (...) {
        // Memory is short, or a hook failed: it lives on, incomplete.
    }
#else
    delete_entity(world, entity);
#endif
}

// Of the events of an entity that could not be completed, listeners get this one alone.
void notify_create_rolled_back(stage& world, entity_t entity) noexcept {
    auto notify = [&] {
        world.events.dispatch({&world, events::create_rolled_back, entity, entity, nullptr});
    };
#if defined(__cpp_exceptions)
    try {
        notify();
    } catch (...) {
        // Memory is short: it goes all the same.
    }
#else
    notify();
#endif
}

void discard_silently(stage& world, entity_t entity, bool is_named) noexcept {
    storage::store& data = world.data;
    if (traits::is_in_use(data, index_of(entity))) {
        // Others have pairs with it already: those must go too.
        delete_quietly(world, entity);
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

// Ends an entity that could not be completed, without hooks.
void roll_back_create(stage& world, entity_t entity, bool is_named) noexcept {
    begin_defer(world);
    notify_create_rolled_back(world, entity);
    discard_silently(world, entity, is_named);
    abandon_defer(world);
}

// Takes a new entity back if what follows fails.
class reserved_id {
public:
    explicit reserved_id(stage& world) : reserved_id(world, is_deferred(world)) {}
    // `is_named`: queued commands may stay that name it.
    reserved_id(stage& world, bool is_named)
        : world_(world), entity_(world.data.entities.create()), is_named_(is_named) {}
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

// Ids that every new entity gets, now.
void collect_scope_ids(const stage& world, id_buffer& ids) {
    if (world.scope != 0) {
        ids.push(make_pair(ChildOf, world.scope));
    }
    for (id_t id : world.with) {
        ids.push(id);
    }
}

// Ids that cannot be had at once: two targets of an exclusive relationship.
void check_exclusive(stage& world, const id_t* sorted, std::uint32_t count) {
    for (std::uint32_t i = 1; i < count; ++i) {
        bool same_relation = is_pair(sorted[i]) && is_pair(sorted[i - 1]) &&
                             sorted[i] >> 32 == sorted[i - 1] >> 32 && sorted[i] != sorted[i - 1];
        if (same_relation &&
            traits::describe_id(world.data, sorted[i]).traits & traits::trait_exclusive) {
            raise_id(world, errc::constraint, sorted[i],
                     "is exclusive: an entity cannot be made with two targets of it");
        }
    }
}

// The same for what comes along, before anybody is told of what was there before it.
void check_exclusive_implied(stage& world, const id_buffer& ids) {
    id_buffer all(world.data.mem, purpose::commands);
    for (id_t id : ids) {
        all.push(id);
    }
    for (id_t id : ids) {
        traits::collect_implied(world.data, traits::describe_id(world.data, id), all);
    }
    std::sort(all.begin(), all.end());
    check_exclusive(world, all.data(), all.size());
}

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
    // The whole entity goes again if it does not get all of them, so one after the other will do.
    add_ids(world, fresh.get(), ids.data(), ids.size());
    entity_t entity = fresh.keep();
    code.finish();
    return entity;
}

// The commands that give a new entity its row, scope and `with` ids.
void queue_new(stage& world, entity_t entity) {
    defer_entity(world, command_kind::place, entity);
    if (world.mode & detail::mode_in_scope) {
        id_buffer ids(world.data.mem, purpose::commands);
        collect_scope_ids(world, ids);
        for (id_t id : ids) {
            defer_id(world, command_kind::add, entity, id);
        }
    }
}

entity_t new_deferred(stage& world, bool is_named = true) {
    reserved_id fresh(world, is_named);
    queue_new(world, fresh.get());
    return fresh.keep();
}

// The table of a bundle, or null if some component is sparse, or brings others along.
table* resolve_bundle(stage& world, const detail::bundle& ids) {
    for (std::uint32_t i = 0; i < ids.count; ++i) {
        constexpr std::uint32_t involved = traits::trait_sparse | traits::trait_with;
        if (prepare_id(world, ids.ids[i]).traits & involved) {
            return nullptr;
        }
    }
    table& to = table_after(world, world.data.tables.at(storage::root_table), ids.ids, ids.count,
                            nullptr, 0);
    if (to.id_count != ids.count) {
        base::raise(errc::invalid_operation,
                    "an entity cannot be made with two values of one component");
    }
    if (world.bundle_epoch != world.data.table_epoch) {
        world.bundle_tables.clear();
        world.bundle_epoch = world.data.table_epoch;
    }
    if (world.bundle_tables.size() <= ids.slot) {
        world.bundle_tables.reserve_extra(world.data.mem, ids.slot + 1 - world.bundle_tables.size(),
                                          purpose::tables);
        while (world.bundle_tables.size() <= ids.slot) {
            world.bundle_tables.push_reserved(0);
        }
    }
    world.bundle_tables[ids.slot] = to.number;
    return &to;
}

table* find_bundle(stage& world, const detail::bundle& ids) {
    if (world.bundle_epoch == world.data.table_epoch && ids.slot < world.bundle_tables.size() &&
        world.bundle_tables[ids.slot] != 0) {
        return &world.data.tables.at(world.bundle_tables[ids.slot]);
    }
    return resolve_bundle(world, ids);
}

// What comes along with an id, before anything is made: entities get one id after the other. Those
// that were given before it are there already.
void check_implied(stage& world, const id_info& id, const id_t* given, std::uint32_t count) {
    if (!(id.traits & traits::trait_with) || is_deferred(world)) {
        return;
    }
    id_buffer implied(world.data.mem, purpose::commands);
    traits::collect_implied(world.data, id, implied);
    for (id_t other : implied) {
        if (std::find(given, given + count, other) != given + count) {
            continue;
        }
        id_info info = prepare_id(world, other);
        check_default_constructible(world, info);
        if (is_pair(other)) {
            check_pair(world, 0, info);
        }
    }
}

entity_t new_with_values_slow(stage& world, const detail::bundle& ids,
                              const detail::value_source* values) {
    if (table* to = world.mode & detail::mode_deferred ? nullptr : find_bundle(world, ids)) {
        check_unlocked(world, 0, 0, to->number, storage::root_table);
    }
    for (std::uint32_t i = 0; i < ids.count; ++i) {
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
    struct verdict {
        const stage& world;
        reserved_id& fresh;
        const detail::bundle& ids;
        ~verdict() {
            const entity_record* record = world.data.entities.find(fresh.get());
            if (record && std::all_of(ids.ids, ids.ids + ids.count, [&](id_t id) {
                    return storage::owns_id(world.data, *record, fresh.get(), id);
                })) {
                fresh.keep();
            }
        }
    } keep_if_complete{world, fresh, ids};
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

// A new entity in a table with room for it, whose values need no destructor: nothing is lost if one
// of them cannot be made. Inlined: a call would cost a tenth of it.
[[gnu::always_inline]] inline entity_t append_values(stage& world, const table& to,
                                                     const detail::bundle& ids,
                                                     const detail::value_source* values) {
    storage::store& data = world.data;
    for (std::uint32_t i = 0; i < ids.count; ++i) {
        const detail::column& slot = to.slots[storage::find_id(to, ids.ids[i])];
        // The table is looked up again: making a value may make tables.
        const detail::table_rows& rows = data.tables.rows(to.number);
        std::byte* place = storage::value_in(rows, slot, rows.count);
        if (values[i].make) {
            values[i].make(place, values[i].context);
        } else {
            copy_bytes(place, static_cast<const std::byte*>(values[i].context), slot.size);
        }
    }
    entity_record* record = nullptr;
    entity_t entity = data.entities.create(record);
    append_row(data, to, entity, *record);
    return entity;
}

// Creation with constructors of the program. Changes that those make are deferred until the entity
// is complete.
[[gnu::noinline]] entity_t append_made(stage& world, const table& to, const detail::bundle& ids,
                                       const detail::value_source* values) {
    callback_scope code(world);
    entity_t entity = append_values(world, to, ids, values);
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
    if (const detail::table_rows& full = data.tables.rows(to->number);
        full.count == full.capacity && full.count != 0) [[unlikely]] {
        // Values may be copied from rows that move when the table grows.
        return new_with_values_slow(world, ids, values);
    }
    data.tables.reserve_rows(*to, 1);
    const bool bytes = std::none_of(values, values + ids.count,
                                    [](const detail::value_source& source) { return source.make; });
    return bytes ? append_values(world, *to, ids, values) : append_made(world, *to, ids, values);
}

namespace {

// Columns of many new rows; ends those made if it does not complete.
class new_columns {
public:
    new_columns(stage& world, const table& to, std::size_t count) noexcept
        : world_(world), to_(to), count_(count) {}
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
        const detail::table_rows& rows = world_.data.tables.rows(to_.number);
        return storage::value_in(rows, to_.columns[column], rows.count);
    }
    stage& world_;
    const table& to_;
    std::size_t count_;
    std::uint32_t made_ = 0;
};

// Arrays of values for new rows. Such an array may be a column of the table itself, whose rows
// move when it grows.
class given_columns {
public:
    given_columns(stage& world, const table& to, const void* const* columns, std::uint32_t count)
        : data_(world.data), to_(to), before_(data_.tables.rows(to.number)) {
        for (std::uint32_t i = 0; columns && i < count; ++i) {
            columns_.push(columns[i]);
        }
    }
    // The table may have grown.
    void follow_rows() noexcept {
        const detail::table_rows& now = data_.tables.rows(to_.number);
        for (const void*& given : columns_) {
            const auto address = reinterpret_cast<std::uintptr_t>(given);
            for (std::uint32_t i = 0; i < to_.column_count; ++i) {
                const detail::column& column = to_.columns[i];
                const auto first =
                    reinterpret_cast<std::uintptr_t>(storage::column_data(before_, column));
                if (address >= first &&
                    address < first + std::size_t{column.size} * before_.count) {
                    given = storage::column_data(now, column) + (address - first);
                    break;
                }
            }
        }
    }
    // Null if none were given.
    const void* const* data() noexcept { return columns_.empty() ? nullptr : columns_.data(); }

private:
    storage::store& data_;
    const table& to_;
    const detail::table_rows before_;
    containers::small_vec<const void*, 16> columns_{data_.mem, purpose::commands};
};

void check_bulk_values(stage& world, const id_info& id, bool given) {
    if (given) {
        check_value_type(world, id, 0);
        if (!id.value_type->info.can_copy()) {
            raise_id(world, errc::not_copyable, id.id,
                     "cannot be copied, so it cannot be created in bulk");
        }
    } else {
        check_default_constructible(world, id);
    }
}

// More is to be done for an entity with this id than to append a row.
bool needs_more_than_a_row(const id_info& id) noexcept {
    return id.traits & (traits::trait_sparse | traits::trait_with) || traits::is_property(id.id) ||
           (is_pair(id.id) && (pair_first(id.id) == IsA || pair_first(id.id) == ChildOf ||
                               id.traits & (traits::trait_checked | traits::trait_symmetric)));
}

// The entities that bulk creation makes, one by one (bulk_ids): all go again if one cannot be made.
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
        // The last first, so that the next ones are the same again.
        for (; !world_.bulk_ids.empty(); world_.bulk_ids.pop()) {
            if (world_.data.entities.find(world_.bulk_ids.back())) {
                roll_back_create(world_, world_.bulk_ids.back(), false);
            }
        }
    }
    created_entities(const created_entities&) = delete;
    created_entities& operator=(const created_entities&) = delete;

    bool are_queued() const noexcept { return completion_ == completion::kept; }
    // What follows runs code of the user, which may fail when all is done.
    void keep_if_complete() noexcept {
        completion_ = are_queued() ? completion_ : completion::judged;
    }
    void keep() noexcept { completion_ = completion::kept; }

private:
    enum class completion : std::uint8_t { undone, judged, kept };

    bool are_complete() const noexcept {
        return std::all_of(world_.bulk_ids.begin(), world_.bulk_ids.end(), [&](entity_t entity) {
            const entity_record* record = world_.data.entities.find(entity);
            auto has = [&](id_t id) { return storage::owns_id(world_.data, *record, entity, id); };
            return !record || (std::all_of(ids_, ids_ + id_count_, has) &&
                               std::all_of(world_.with.begin(), world_.with.end(), has) &&
                               (world_.scope == 0 || has(make_pair(ChildOf, world_.scope))));
        });
    }

    stage& world_;
    const id_t* ids_;
    std::uint32_t id_count_;
    completion completion_;
};

// Calls the validating hooks for all values before an entity is created, so that a refused bulk
// sends no event.
void validate_bulk(stage& world, const id_t* ids, std::uint32_t id_count,
                   const void* const* columns) {
    for (std::uint32_t i = 0; i < id_count; ++i) {
        const id_info id_info = prepare_id(world, ids[i]);
        for (std::uint32_t row = 0; is_validated(id_info) && row < world.bulk_ids.size(); ++row) {
            values_ahead values(world.data.mem);
            if (!columns || !columns[i]) {
                validate_added(world, world.bulk_ids[row], id_info, nullptr, values);
                continue;
            }
            const type_info& info = id_info.value_type->info;
            copy_context context{&info,
                                 static_cast<const std::byte*>(columns[i]) + info.size * row};
            const detail::value_source value = copying_source(context);
            validate_added(world, world.bulk_ids[row], id_info, &value, values);
        }
    }
}

// While deferred, or with sparse components: one by one.
const entity_t* new_bulk_slow(stage& world, std::size_t count, const id_t* ids,
                              std::uint32_t id_count, const void* const* columns) {
    world.bulk_ids.clear();
    world.bulk_ids.reserve_extra(world.data.mem, static_cast<std::uint32_t>(count),
                                 purpose::commands);
    created_entities made(world, ids, id_count);
    callback_scope code(world);
    for (std::size_t row = 0; row < count; ++row) {
        world.bulk_ids.push_reserved(new_deferred(world, made.are_queued()));
    }
    if (!made.are_queued()) {
        validate_bulk(world, ids, id_count, columns);
    }
    for (std::uint32_t row = 0; row < world.bulk_ids.size(); ++row) {
        const entity_t entity = world.bulk_ids[row];
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
    made.keep_if_complete();
    code.finish();
    made.keep();
    return world.bulk_ids.data();
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
        note_arrival(data, to, entities[i]);
    }
    rows.count = row + count;
}

void notify_bulk(stage& world, const table& to, const id_t* ids, std::uint32_t id_count,
                 const void* const* columns) {
    world.begin_step();
    for (entity_t entity : world.bulk_ids) {
        const change_view_scope before(world, {entity, &world.data.tables.at(storage::no_table)});
        for (std::uint32_t i = 0; i < to.id_count; ++i) {
            const id_record& record = *to.records[i];
            const entity_record& place = world.data.entities.at(index_of(entity));
            void* value = to.slots[i].size ? storage::value_in(world.data.tables.rows(to.number),
                                                               to.slots[i], place.row)
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

}  // namespace

const entity_t* new_bulk(stage& world, std::size_t count, const id_t* ids, std::uint32_t id_count,
                         const void* const* columns) {
    if (count == 0) {
        return nullptr;
    }
    if (count > 0x7FFFFFFF) {
        base::raise(errc::limit, "too many entities are to be created at once");
    }
    id_buffer all(world.data.mem, purpose::commands);
    bool slow = (world.mode & detail::mode_entity_events) != 0;
    for (std::uint32_t i = 0; i < id_count; ++i) {
        check_bulk_values(world, prepare_id(world, ids[i]), columns && columns[i]);
        if (std::find(all.begin(), all.end(), ids[i]) != all.end()) {
            raise_id(world, errc::invalid_operation, ids[i],
                     "is given twice for the same entities");
        }
        all.push(ids[i]);
    }
    if (world.mode & detail::mode_in_scope) {
        std::uint32_t given = all.size();
        collect_scope_ids(world, all);
        for (std::uint32_t i = given; i < all.size(); ++i) {
            check_bulk_values(world, prepare_id(world, all[i]), false);
        }
    }
    bool implies = false;
    for (std::uint32_t i = 0; i < all.size(); ++i) {
        id_t id = all[i];
        id_info info = prepare_id(world, id);
        implies |= (info.traits & traits::trait_with) != 0;
        constexpr std::uint32_t ahead = storage::event_before | storage::event_validate;
        slow |= needs_more_than_a_row(info) || info.event_mask & ahead;
        if (is_pair(id) && !is_deferred(world)) {
            check_pair(world, 0, info);
        }
        check_implied(world, info, all.data(), i);
    }
    std::sort(all.begin(), all.end());
    check_exclusive(world, all.data(), all.size());
    if (implies && !is_deferred(world)) {
        check_exclusive_implied(world, all);
    }
    if (world.mode & detail::mode_deferred || slow) {
        return new_bulk_slow(world, count, ids, id_count, columns);
    }
    storage::store& data = world.data;
    table& to =
        table_after(world, data.tables.at(storage::root_table), all.data(), all.size(), nullptr, 0);
    if (is_iterating()) {
        check_unlocked(world, 0, 0, to.number, to.number);
    }
    bool hooked = to.flags & (detail::shape_on_add | detail::shape_notify_set);
    data.entities.reserve(count);
    given_columns given(world, to, columns, id_count);
    data.tables.reserve_rows(to, static_cast<std::uint32_t>(count));
    given.follow_rows();
    callback_scope code(world);
    new_columns values(world, to, count);
    values.construct(ids, id_count, given.data());
    world.bulk_ids.clear();
    if (hooked) {
        world.bulk_ids.reserve_extra(data.mem, static_cast<std::uint32_t>(count),
                                     purpose::commands);
    }
    values.keep();
    std::uint32_t first_row = data.tables.rows(to.number).count;
    append_rows(data, to, static_cast<std::uint32_t>(count));
    for (std::uint32_t i = 0; hooked && i < count; ++i) {
        world.bulk_ids.push_reserved(
            storage::entities_of(to, data.tables.rows(to.number))[first_row + i]);
    }
    if (hooked) {
        notify_bulk(world, to, ids, id_count, columns);
        code.finish();
        return world.bulk_ids.data();
    }
    code.finish();
    return storage::entities_of(to, data.tables.rows(to.number)) + first_row;
}

void make_alive(stage& world, entity_t entity) {
    storage::store& data = world.data;
    if (entity == 0 || entity & id_flags_mask || entity >> 48) {
        raise_entity(world, entity);
    }
    if (data.entities.find(entity)) {
        return;
    }
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
    // Callbacks that fail, or whose commands do, change nothing about that it is there.
    const entity_t entity = fresh.keep();
    code.finish();
    return entity;
}

}  // namespace kith::mutate
