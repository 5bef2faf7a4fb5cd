// Implements erase_many.hpp. Three passes over the list: the first finds the entities and counts
// their rows, the second ends their links, the third erases them. Tables that lose every row are
// emptied in one step, other tables row by row.
#include "mutate/apply/erase_many.hpp"

#include "mutate/apply/rows.hpp"

#include <algorithm>

namespace kith::mutate {

namespace {

using storage::entity_record;

// The rows that end, by table. A table whose place is taken by another one counts as not ending:
// its rows are then removed one by one.
class ending_rows {
public:
    void add(std::uint32_t table, std::uint32_t rows) noexcept {
        place& own = places_[table % place_count];
        if (own.rows == 0) {
            own.table = table;
        }
        own.rows += own.table == table ? rows : 0;
    }
    // Drops the tables that keep rows.
    void select_ending(const storage::table_set& tables) noexcept {
        for (place& own : places_) {
            if (own.rows != 0 && own.rows != tables.rows(own.table).count) {
                own.rows = 0;
            }
        }
    }
    // True if all rows of the table end. Requires: select_ending() was called.
    bool ends(std::uint32_t table) const noexcept {
        const place& own = places_[table % place_count];
        return own.table == table && own.rows != 0;
    }
    // Empties the ending tables.
    void clear(storage::store& data) const noexcept {
        for (const place& own : places_) {
            if (own.rows != 0) {
                data.tables.rows(own.table).count = 0;
                note_leaving(data, data.tables.at(own.table), 0);
            }
        }
    }

private:
    static constexpr std::uint32_t place_count = 64;
    struct place {
        std::uint32_t table;
        std::uint32_t rows;  // 0: the place is free
    };
    place places_[place_count] = {};
};

// Shorter runs are erased one by one: the passes would cost more than they save. In runs of some
// length it is worth asking whether whole tables end.
constexpr std::uint32_t few = 6;
constexpr std::uint32_t some = 64;
// The second and the third pass go over so many entities in turn, whose records stay in the cache.
constexpr std::uint32_t block_size = 1024;

// The records of live entities. No page is made while an object exists, so that the compiler may
// keep the address of the pages in a register.
class record_pages {
public:
    explicit record_pages(const storage::store& data) noexcept : pages_(data.pages) {}
    entity_record& of(entity_t entity) const noexcept {
        const std::uint32_t index = index_of(entity);
        return pages_[index >> detail::record_page_bits][index & (detail::record_page_size - 1)];
    }

private:
    entity_record* const* pages_;
};

// True if the links to the entity can end as a whole: its sources end, too.
bool sources_end(const storage::store& data, std::uint32_t index) noexcept {
    const record_pages records(data);
    const storage::source_span sources = data.parents_store->sources(index);
    return std::all_of(sources.items, sources.items + sources.size, [&](entity_t source) {
        return source == 0 || records.of(source).state & storage::record_pending_delete;
    });
}

bool holds_bytes(const storage::store& data, std::uint32_t table) noexcept {
    constexpr std::uint32_t bytes = detail::shape_trivial_destroy | detail::shape_trivial_move;
    return table != storage::no_table && (data.tables.at(table).flags & bytes) == bytes;
}

// The first entity that has more than children, a parent and values of bytes. Counts the rows of
// the entities before it; neighbours mostly have the same table.
const entity_t* find_other(const storage::store& data, const entity_t* at, const entity_t* end,
                           bool children_end, ending_rows& ending) noexcept {
    constexpr std::uint32_t involved = storage::record_used_as_id | storage::record_link_target |
                                       storage::record_any_sparse | storage::record_has_disabled;
    const record_pages records(data);
    std::uint32_t table = storage::no_table;
    std::uint32_t rows = 0;
    for (; at != end; ++at) {
        const entity_record& record = records.of(*at);
        KITH_ASSERT(record.state & storage::record_pending_delete, "the entity is being deleted");
        if (record.table != table || rows == 0) {
            if (!holds_bytes(data, record.table)) {
                break;
            }
            ending.add(table, rows);
            table = record.table;
            rows = 0;
        }
        if (record.state & involved ||
            (!children_end && record.state & storage::record_has_children &&
             !sources_end(data, index_of(*at)))) {
            break;
        }
        ++rows;
    }
    ending.add(table, rows);
    return at;
}

// Ends the links to the entities of a block.
void unlink_children(storage::store& data, const entity_t* begin, const entity_t* end) noexcept {
    const record_pages records(data);
    for (const entity_t* at = begin; at != end; ++at) {
        if (records.of(*at).state & storage::record_has_children) {
            data.parents_store->unlink_sources(index_of(*at), [&](entity_t source) {
                records.of(source).state &= ~std::uint32_t{storage::record_has_parent};
            });
        }
    }
}

void unlink_parent(storage::link_store& parents, std::uint32_t index) noexcept {
    if (parents.has_any(index) && !parents.try_unlink(index)) {
        parents.remove(index, parents.find(index)->target);
    }
}

// Erases the entities of a block, whose own children are unlinked. `ending`: tables whose rows stay
// until all blocks are erased, null: there are none.
void erase_block(storage::store& data, const entity_t* begin, const entity_t* end,
                 const ending_rows* ending) noexcept {
    const record_pages records(data);
    for (const entity_t* at = begin; at != end; ++at) {
        const entity_record& record = records.of(*at);
        if (record.state & storage::record_has_parent) {
            unlink_parent(*data.parents_store, index_of(*at));
        }
        if (!ending || !ending->ends(record.table)) {
            remove_row_bytes(data, data.tables.at(record.table), record.row);
        }
    }
    data.entities.free(begin, static_cast<std::size_t>(end - begin));
}

}  // namespace

erased_run erase_many(storage::store& data, const entity_t* entities, std::uint32_t count,
                      bool children_end) noexcept {
    if (count < few || !data.parents_store || !data.parents_store->unlinks_at_once()) {
        return {0, count};
    }
    ending_rows ending;
    const entity_t* const end = find_other(data, entities, entities + count, children_end, ending);
    const auto length = static_cast<std::uint32_t>(end - entities);
    if (length < few) {
        return {0, std::min(length + 1, count)};
    }
    const bool may_end_tables = length >= some;
    if (may_end_tables) {
        ending.select_ending(data.tables);
    }
    for (const entity_t* at = entities; at != end;) {
        const entity_t* next = end - at > block_size ? at + block_size : end;
        unlink_children(data, at, next);
        erase_block(data, at, next, may_end_tables ? &ending : nullptr);
        at = next;
    }
    if (may_end_tables) {
        ending.clear(data);
    }
    return {length, length == count ? 0 : 1u};
}

}  // namespace kith::mutate
