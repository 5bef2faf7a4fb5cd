// Visiting and counting everything that has an id.
#include "api/world_impl.hpp"
#include "mutate/stage.hpp"

namespace kith::detail {

using mutate::stage;
using mutate::stage_of;
using storage::id_record;

namespace {

bool is_part_of_kith(entity_t entity) noexcept {
    std::uint32_t index = index_of(entity);
    return index < first_type || (index >= first_builtin && index < builtin_end);
}

bool names_hidden(id_t pattern) noexcept {
    return pattern == Prefab || pattern == Disabled;
}

}  // namespace

id_cursor::id_cursor(world_t* world, id_t pattern, bool hidden)
    : world_(world),
      lock_(world, 0, false),
      pattern_(pattern),
      hidden_(hidden || names_hidden(pattern)) {}

// Exact ids are one step; the pairs of one relation are listed; other patterns look at every id.
bool id_cursor::next_id() {
    const storage::component_index& ids = stage_of(world_).data.ids;
    at_ = 0;
    row_ = 0;
    sparse_ = false;
    if (!is_wildcard(pattern_)) {
        id_ = step_ == 0 && ids.find(pattern_) ? pattern_ : 0;
        ++step_;
        return id_ != 0;
    }
    if (is_pair(pattern_) && !is_wildcard_element(pair_first(pattern_))) {
        const id_record* relation = ids.find(make_pair(pair_first(pattern_), Wildcard));
        id_ = relation && step_ < relation->pairs.size() ? relation->pairs[step_]->id : 0;
        ++step_;
        return id_ != 0;
    }
    for (id_ = 0; id_ == 0 && step_ < ids.number_limit(); ++step_) {
        const id_record* record = ids.by_number(step_);
        if (record && !is_wildcard(record->id) && matches_id(pattern_, record->id)) {
            id_ = record->id;
        }
    }
    return id_ != 0;
}

bool id_cursor::next(batch& result) {
    for (;;) {
        lock_.table = 0;
        lock_.sparse_id = 0;
        if (id_ == 0 && !next_id()) {
            return false;
        }
        if (!sparse_ && next_table(result)) {
            return true;
        }
        if (!sparse_) {
            sparse_ = true;
            at_ = 0;
        }
        if (next_sparse(result)) {
            return true;
        }
        id_ = 0;
    }
}

bool id_cursor::next_table(batch& result) {
    const storage::store& data = stage_of(world_).data;
    const id_record* record = data.ids.find(id_);
    while (record && at_ < record->tables.size()) {
        const storage::table_entry entry = record->tables[at_];
        const storage::table& owner = data.tables.at(entry.table);
        const table_rows& rows = data.tables.rows(entry.table);
        bool skipped = !hidden_ && owner.flags & (shape_has_prefab | shape_has_disabled);
        const entity_t* entities = rows.count ? storage::entities_of(owner, rows) : nullptr;
        const storage::sparse_store* off =
            record->disabled && record->disabled->count() ? record->disabled : nullptr;
        std::uint32_t first = row_;
        while (off && first < rows.count && off->has(index_of(entities[first]))) {
            ++first;
        }
        if (skipped || first >= rows.count) {
            ++at_;
            row_ = 0;
            continue;
        }
        std::uint32_t end = off ? first + 1 : rows.count;
        while (off && end < rows.count && !off->has(index_of(entities[end]))) {
            ++end;
        }
        row_ = end;
        column slot = owner.slots[entry.position];
        result = {entities + first,
                  end - first,
                  slot.size ? storage::value_in(rows, slot, first) : nullptr,
                  id_,
                  entry.table,
                  first};
        lock_.table = entry.table;
        return true;
    }
    return false;
}

bool id_cursor::next_sparse(batch& result) {
    const storage::store& data = stage_of(world_).data;
    const id_record* record = data.ids.find(id_);
    while (record && record->sparse && at_ < record->sparse->count()) {
        const entity_t* entity = record->sparse->entities() + at_++;
        const storage::entity_record& place = *data.entities.find(*entity);
        bool hidden = data.tables.at(place.table).flags & (shape_has_prefab | shape_has_disabled);
        bool off = record->disabled && record->disabled->has(index_of(*entity));
        if ((hidden && !hidden_) || off) {
            continue;
        }
        sparse_entity_ = *entity;
        lock_.sparse_id = id_;
        result = {&sparse_entity_, 1,        record->sparse->find(index_of(*entity)), id_,
                  place.table,     place.row};
        return true;
    }
    return false;
}

std::size_t count_id(const world_t* world, id_t id) {
    const storage::store& data = stage_of(world).data;
    std::size_t count = 0;
    auto add = [&](const id_record& record) {
        for (const storage::table_entry& entry : record.tables) {
            // A table with several matching ids counts once.
            if (storage::find_match(data.tables.at(entry.table), id, 0) ==
                static_cast<std::int32_t>(entry.position)) {
                count += data.tables.rows(entry.table).count;
            }
        }
        count += record.sparse ? record.sparse->count() : 0;
    };
    if (!is_wildcard(id)) {
        if (const id_record* record = data.ids.find(id)) {
            add(*record);
        }
        return count;
    }
    for (std::uint32_t number = 0; number < data.ids.number_limit(); ++number) {
        const id_record* record = data.ids.by_number(number);
        if (record && !is_wildcard(record->id) && matches_id(id, record->id)) {
            add(*record);
        }
    }
    return count;
}

void each_root(world_t* world, entity_t relation, void (*func)(entity_t, world_t*, void*),
               void* context) {
    const storage::store& data = stage_of(world).data;
    id_t any = make_pair(relation, Wildcard);
    for (std::uint32_t number = storage::root_table; number < data.tables.number_limit();
         ++number) {
        const storage::table* owner = data.tables.find_number(number);
        if (!owner || storage::find_match(*owner, any, 0) >= 0) {
            continue;
        }
        table_lock lock(world, number, false);
        for (std::uint32_t row = 0; row < data.tables.rows(number).count; ++row) {
            entity_t entity = storage::entities_of(*owner, data.tables.rows(number))[row];
            if (!is_part_of_kith(entity)) {
                func(entity, world, context);
            }
        }
    }
}

}  // namespace kith::detail
