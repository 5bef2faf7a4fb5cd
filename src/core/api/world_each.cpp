// Visiting and counting the entities with an id (id_cursor, count_id), the sources of a pair
// (source_cursor), and roots. Declared in include/kith/detail/ops.hpp and
// include/kith/entity_range.hpp.
//
// An id_cursor goes through the ids that its pattern matches: for each id first its tables, then
// its sparse store; pairs of sparse relationships (links) come last.
#include <kith/entity_range.hpp>

#include "api/world_impl.hpp"
#include "base/assert.hpp"
#include "base/scope_exit.hpp"
#include "ids/builtin.hpp"
#include "mutate/context/declared_access.hpp"
#include "mutate/rules/referrers.hpp"
#include "storage/find.hpp"
#include "traits/traits.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace kith::detail {

using mutate::stage;
using mutate::stage_of;
using storage::id_record;

namespace {

// True if the pattern asks for entities that are left out by default.
bool names_hidden(id_t pattern) noexcept {
    return pattern == Prefab || pattern == Disabled;
}

}  // namespace

id_cursor::id_cursor(world_t* world, id_t pattern, bool hidden, bool writes)
    : world_(world),
      lock_(world),
      pattern_(pattern),
      hidden_(hidden || names_hidden(pattern)),
      writes_(writes) {
    mutate::check_access(stage_of(world), 0, pattern,
                         writes ? access_guard::kind::write : access_guard::kind::read);
}

id_cursor::~id_cursor() {
    mark_written();
}

// Marks the values of the last batch as written, when the caller is done with it.
void id_cursor::mark_written() noexcept {
    if (last_.count != 0) {
        storage::store& data = stage_of(world_).data;
        data.ticks.written_by(data, last_.table, last_.id, last_.entities, last_.count, 0);
        last_.count = 0;
    }
}

// Finds the next id of the pattern. An exact id takes one step, pairs of one relationship are
// listed by its record, and other patterns search all ids.
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
        id_ = relation && step_ < relation->active_pairs ? relation->pairs[step_]->id : 0;
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

// The batch is remembered only if changes are tracked.
bool id_cursor::next(batch& result) {
    mark_written();
    if (!find_next(result)) {
        return false;
    }
    if (writes_ && stage_of(world_).data.ticks.is_active()) [[unlikely]] {
        last_ = result;
    }
    return true;
}

// Finds the next batch and locks its table or sparse store.
bool id_cursor::find_next(batch& result) {
    for (;;) {
        lock_.table = 0;
        lock_.sparse_id = 0;
        if (links_ || (id_ == 0 && !next_id())) {
            if (!links_) {
                links_ = true;
                at_ = row_ = 0;
            }
            return is_pair(pattern_) && next_link(result);
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

// The next series of enabled rows in the tables of the id.
bool id_cursor::next_table(batch& result) {
    const storage::store& data = stage_of(world_).data;
    const id_record* record = data.ids.find(id_);
    while (record && at_ < record->active) {
        KITH_COUNT(visits);
        const storage::table_entry entry = record->tables[at_];
        const storage::table& owner = data.tables.at(entry.table);
        const table_rows& rows = data.tables.rows(entry.table);
        bool skipped = !hidden_ && owner.flags & (shape_has_prefab | shape_has_disabled);
        const entity_t* entities = rows.count ? storage::entities_of(owner, rows) : nullptr;
        // Rows with the id disabled split the table into several batches.
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
        column values = owner.slots[entry.position];
        result = {entities + first,
                  end - first,
                  values.size ? storage::value_in(rows, values, first) : nullptr,
                  id_,
                  entry.table,
                  first};
        lock_.table = entry.table;
        if (writes_ && load_flags(owner) & (shape_unwritten | shape_indexed)) {
            note_written(world_, owner, id_);
        }
        return true;
    }
    return false;
}

// The next entity of the sparse store.
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

// The next link that matches the pattern.
bool id_cursor::next_link(batch& result) {
    const storage::store& data = stage_of(world_).data;
    std::uint32_t target_pattern = pair_second(pattern_);
    for (; link_ < data.link_ids.size(); ++link_, at_ = row_ = 0) {
        const id_record& relation = *data.link_ids[link_];
        const storage::link_store& links = *relation.links;
        if (!is_wildcard_element(pair_first(pattern_)) &&
            pair_first(pattern_) != pair_first(relation.id)) {
            continue;
        }
        if (!is_wildcard_element(target_pattern)) {
            while (at_ < links.sources(target_pattern).size) {
                entity_t source = links.sources(target_pattern).items[at_++];
                if (source != 0 &&
                    accept_link(pair_first(relation.id), source, target_pattern, result)) {
                    return true;
                }
            }
            continue;
        }
        // at_ is the index of the source, row_ the number of its next target.
        while ((at_ = links.next_source(at_)) != 0) {
            while (row_ < links.target_count(at_)) {
                std::uint32_t target = links.target_at(at_, row_++);
                if (accept_link(pair_first(relation.id), data.entities.alive_at(at_), target,
                                result)) {
                    return true;
                }
            }
            ++at_;
            row_ = 0;
        }
    }
    return false;
}

// Makes the link the result, unless its source is hidden or the pair is disabled.
bool id_cursor::accept_link(std::uint32_t relation, entity_t source, std::uint32_t target,
                            batch& result) {
    const storage::store& data = stage_of(world_).data;
    KITH_ASSERT(data.entities.find(source), "sources of links are alive");
    const storage::entity_record& place = *data.entities.find(source);
    bool hidden = data.tables.at(place.table).flags & (shape_has_prefab | shape_has_disabled);
    id_t pair = make_pair(relation, target);
    const id_record* record = data.toggled_ids.empty() ? nullptr : data.ids.find(pair);
    bool off = record && record->disabled && record->disabled->has(index_of(source));
    if ((hidden && !hidden_) || off) {
        return false;
    }
    sparse_entity_ = source;
    lock_.sparse_id = make_pair(relation, pair_second(pattern_));
    const storage::link_store& links = *storage::find_links(data, relation);
    result = {&sparse_entity_, 1,        links.value(index_of(source), target), pair,
              place.table,     place.row};
    return true;
}

source_cursor::source_cursor(world_t* world, entity_t relation, entity_t target)
    : world_(world), lock_(world), pair_(make_pair(relation, target)) {
    mutate::get_record(stage_of(world), target);
    mutate::check_access(stage_of(world), 0, pair_, access_guard::kind::test);
}

// Links of a target lie in one span; sources in tables come table by table.
const entity_t* source_cursor::next_span(const entity_t*& end) {
    const storage::store& data = stage_of(world_).data;
    lock_.table = 0;
    if (const storage::link_store* links = storage::find_links(data, pair_first(pair_))) {
        const storage::source_span sources = links->sources(pair_second(pair_));
        end = sources.items + sources.size;
        lock_.sparse_id = sources.size ? pair_ : 0;
        ended_ = true;
        return sources.items;
    }
    const id_record* record = data.ids.find(pair_);
    while (record && at_ < record->active) {
        KITH_COUNT(visits);
        std::uint32_t number = record->tables[at_++].table;
        const table_rows& rows = data.tables.rows(number);
        if (rows.count != 0) {
            lock_.table = number;
            const entity_t* entities = storage::entities_of(data.tables.at(number), rows);
            end = entities + rows.count;
            return entities;
        }
    }
    return nullptr;
}

namespace {

// The number of entities with such a link; several links of one entity count once.
std::size_t count_links(const storage::store& data, id_t pattern) {
    const storage::link_store* links = storage::find_links(data, pair_first(pattern));
    if (!links) {
        return 0;
    }
    return is_wildcard_element(pair_second(pattern)) ? links->source_count()
                                                     : links->sources(pair_second(pattern)).live;
}

// For patterns of several relationships: an entity may match both in its table and by links, and is
// counted once. O(holders) memory.
std::size_t count_holders(const stage& owner, id_t pattern) {
    containers::vec<entity_t> holders;
    base::scope_exit release(
        [&] { holders.release(owner.data.mem, containers::purpose::commands); });
    mutate::collect_holders(owner, pattern, holders);
    return holders.size();
}

}  // namespace

// Counts rows of tables, sparse stores and links. A table with several matching ids counts once,
// for the first of them.
std::size_t count_id(const world_t* world, id_t id) {
    const storage::store& data = stage_of(world).data;
    mutate::check_access(stage_of(world), 0, id, access_guard::kind::test);
    std::size_t count = 0;
    if (is_pair(id) && is_wildcard_element(pair_first(id)) && !data.link_ids.empty()) {
        return count_holders(stage_of(world), id);
    }
    if (is_pair(id)) {
        count = count_links(data, id);
    }
    auto add = [&](const id_record& record) {
        for (std::uint32_t i = 0; i < record.active; ++i) {
            const storage::table_entry& entry = record.tables[i];
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

bool has_instances(const world_t* world) noexcept {
    const id_record* bases = stage_of(world).data.ids.find(detail::any_base);
    return bases && !bases->pairs.empty();
}

// Tables with a pair of the relationship are skipped as a whole; links are looked up row by row.
void each_root(world_t* world, entity_t relation, bool (*func)(entity_t, world_t*, void*),
               void* context) {
    const storage::store& data = stage_of(world).data;
    id_t any = make_pair(relation, Wildcard);
    const storage::link_store* links = storage::find_links(data, index_of(relation));
    for (std::uint32_t number = storage::root_table; number < data.tables.number_limit();
         ++number) {
        const storage::table* owner = data.tables.find_number(number);
        if (!owner || storage::find_match(*owner, any, 0) >= 0) {
            continue;
        }
        table_lock lock(world, number, false);
        for (std::uint32_t row = 0; row < data.tables.rows(number).count; ++row) {
            entity_t entity = storage::entities_of(*owner, data.tables.rows(number))[row];
            bool linked = links && links->has_any(index_of(entity));
            if (!linked && !ids::is_builtin(index_of(entity)) && !func(entity, world, context)) {
                return;
            }
        }
    }
}

namespace {

// The state behind an entity_range: a cursor, or a list of roots.
struct open_walk : source_walk {
    std::optional<source_cursor> cursor;
    std::vector<entity_t> roots;  // as they were when the walk began
};

}  // namespace

// Roots are collected at the beginning, so the world may change meanwhile; sources of a target are
// visited in place, with a lock.
source_walk* begin_sources(world_t* world, entity_t relation, entity_t target) {
    auto started = std::make_unique<open_walk>();
    if (target == 0) {
        auto add = [](entity_t root, world_t*, void* walk) {
            static_cast<open_walk*>(walk)->roots.push_back(root);
            return true;
        };
        each_root(world, relation, add, started.get());
        started->at = started->roots.data();
        started->end = started->at + started->roots.size();
    } else if (!is_wildcard_element(index_of(target)) && target != This) {
        started->cursor.emplace(world, relation, target);
    }
    return started.release();
}

bool next_sources(source_walk& walk) {
    auto& open = static_cast<open_walk&>(walk);
    walk.at = open.cursor ? open.cursor->next(walk.end) : nullptr;
    return walk.at != nullptr;
}

void end_sources(source_walk* walk) noexcept {
    delete static_cast<open_walk*>(walk);
}

}  // namespace kith::detail
