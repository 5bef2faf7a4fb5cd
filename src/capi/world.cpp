// The chapters "worlds", "deferring" and "tables" of kith.h.
#include "ids.hpp"

#include <algorithm>

using namespace kith::capi;
namespace detail = kith::detail;

static_assert(sizeof(kith_entity_t) == sizeof(kith::entity_t));

extern "C" {

kith_world_t* kith_init(void) {
    return guard_value<kith_world_t*>(nullptr, [] { return detail::create_world(nullptr); });
}

kith_world_t* kith_init_w_memory(const kith_memory_t* memory) {
    return guard_value<kith_world_t*>(nullptr, [&] {
        check_pointer(memory, "kith_init_w_memory", "memory is NULL");
        if (!memory->alloc || !memory->free) {
            raise_argument("kith_init_w_memory", "alloc or free is NULL");
        }
        kith::world_memory given{};
        given.allocate = memory->alloc;
        given.deallocate = reinterpret_cast<decltype(given.deallocate)>(memory->free);
        given.context = memory->ctx;
        given.pools = !flag(memory->no_pools);
        return detail::create_world(&given);
    });
}

// A world that is in use (iterated, deferred, inside of a callback) is refused and stays as it is.
kith_status_t kith_fini(kith_world_t* world) {
    return guard([&] {
        if (world) {
            detail::check_types(world);
            detail::check_idle(world, "kith_fini");
            detail::destroy_world(world);
        }
    });
}

// The pointer of the caller is replaced: it is written only if the reset has succeeded.
kith_status_t kith_reset(kith_world_t** world) {
    return guard([&] {
        check_pointer(world, "kith_reset", "the pointer to the world is NULL");
        *world = detail::reset_world(at(*world));
    });
}

kith_status_t kith_set_ctx(kith_world_t* world, void* ctx, kith_ctx_free_t ctx_free) {
    return guard([&] { world_at(world).set_ctx(ctx, ctx_free); });
}
void* kith_get_ctx(const kith_world_t* world) {
    return guard_value<void*>(nullptr, [&] { return world_at(world).get_ctx(); });
}
kith_status_t kith_set_binding_ctx(kith_world_t* world, void* ctx, kith_ctx_free_t ctx_free) {
    return guard([&] { world_at(world).set_binding_ctx(ctx, ctx_free); });
}
void* kith_get_binding_ctx(const kith_world_t* world) {
    return guard_value<void*>(nullptr, [&] { return world_at(world).get_binding_ctx(); });
}

// `size` is that of the caller's header: an older program gets the members that it knows, a newer
// one zeros in members that this library does not have.
kith_status_t kith_world_stats_w_size(const kith_world_t* world, kith_world_stats_t* stats,
                                      size_t size) {
    return guard([&] {
        check_pointer(stats, "kith_world_stats", "stats is NULL");
        const kith::world_stats found = world_at(world).stats();
        kith_world_stats_t all{};
        all.entities = found.entities;
        all.tables = found.tables;
        all.empty_tables = found.empty_tables;
        all.ids = found.ids;
        all.bytes_entities = found.bytes_entities;
        all.bytes_tables = found.bytes_tables;
        all.bytes_rows = found.bytes_rows;
        all.bytes_index = found.bytes_index;
        all.bytes_sparse = found.bytes_sparse;
        all.bytes_names = found.bytes_names;
        all.bytes_commands = found.bytes_commands;
        all.bytes_total = found.bytes_total;
        std::memset(static_cast<void*>(stats), 0, size);
        std::memcpy(static_cast<void*>(stats), &all, std::min(size, sizeof all));
    });
}

kith_status_t kith_check(const kith_world_t* world) {
    return guard([&] { world_at(world).check(); });
}
kith_status_t kith_shrink(kith_world_t* world) {
    return guard([&] { world_at(world).shrink(); });
}
kith_status_t kith_set_entity_range(kith_world_t* world, kith_entity_t first, kith_entity_t last) {
    return guard([&] { world_at(world).set_entity_range(first, last); });
}
kith_status_t kith_enable_range_check(kith_world_t* world, bool enabled) {
    return guard([&] { world_at(world).enable_range_check(enabled); });
}

// -- deferring

bool kith_defer_begin(kith_world_t* world) {
    return guard_value(false, [&] { return detail::defer_begin(at(world)); });
}
kith_status_t kith_defer_end(kith_world_t* world) {
    return guard([&] { detail::defer_end(at(world)); });
}
kith_status_t kith_defer_suspend(kith_world_t* world) {
    return guard([&] { detail::defer_suspend(at(world)); });
}
kith_status_t kith_defer_resume(kith_world_t* world) {
    return guard([&] { detail::defer_resume(at(world)); });
}
bool kith_is_deferred(const kith_world_t* world) {
    return (at(world)->mode & detail::mode_deferred) != 0;
}
}

namespace {

// The table behind a handle.
kith::table table_of(const kith_world_t* world, const kith_table_t* table, const char* function) {
    check_world(world);
    check_pointer(table, function, "the table is NULL");
    return kith::table(at(world), const_cast<kith_table_t*>(table));
}
// The public pointer to a table is the address of its shape. Requires: table_of() has checked it.
const detail::table_shape& shape_at(const kith_table_t* table) noexcept {
    return *reinterpret_cast<const detail::table_shape*>(table);
}

}  // namespace

extern "C" {

kith_table_t* kith_get_table(const kith_world_t* world, kith_entity_t entity) {
    return guard_value<kith_table_t*>(nullptr, [&] {
        return reinterpret_cast<kith_table_t*>(detail::shape_of(at(world), entity));
    });
}
int32_t kith_table_count(const kith_world_t* world, const kith_table_t* table) {
    return guard_value<int32_t>(0,
                                [&] { return table_of(world, table, "kith_table_count").count(); });
}
const kith_id_t* kith_table_ids(const kith_world_t* world, const kith_table_t* table,
                                int32_t* count) {
    return guard_value<const kith_id_t*>(nullptr, [&] {
        table_of(world, table, "kith_table_ids");
        if (count) {
            *count = shape_at(table).id_count;
        }
        return shape_at(table).ids;
    });
}
const kith_entity_t* kith_table_entities(const kith_world_t* world, const kith_table_t* table) {
    return guard_value<const kith_entity_t*>(nullptr, [&] {
        table_of(world, table, "kith_table_entities");
        const detail::table_shape& shape = shape_at(table);
        return detail::entities_of_table(shape, at(world)->store->rows[shape.number]);
    });
}
void* kith_table_get_id(const kith_world_t* world, const kith_table_t* table, kith_id_t id,
                        int32_t row) {
    return guard_value<void*>(nullptr, [&] {
        const kith::table found = table_of(world, table, "kith_table_get_id");
        if (row < 0 || row > found.count()) {
            raise_argument("kith_table_get_id", "there is no such row");
        }
        return kith::table_range(found, row, 0).get(id);
    });
}
bool kith_table_has_id(const kith_world_t* world, const kith_table_t* table, kith_id_t id) {
    return guard_value(false, [&] { return table_of(world, table, "kith_table_has_id").has(id); });
}
int32_t kith_search(const kith_world_t* world, const kith_table_t* table, kith_id_t pattern,
                    kith_id_t* found) {
    return kith_search_offset(world, table, 0, pattern, found);
}
// Returns the position of the id in the table's list, -1 if there is none or after a failure.
int32_t kith_search_offset(const kith_world_t* world, const kith_table_t* table, int32_t from,
                           kith_id_t pattern, kith_id_t* found) {
    return guard_value<int32_t>(-1, [&] {
        const kith::table searched = table_of(world, table, "kith_search");
        if (from < 0) {
            raise_argument("kith_search_offset", "the index is negative");
        }
        const std::int32_t index =
            from >= shape_at(table).id_count ? -1 : searched.search(pattern, from);
        if (found) {
            *found = index < 0 ? 0 : shape_at(table).ids[index];
        }
        return index;
    });
}
int32_t kith_table_get_depth(const kith_world_t* world, const kith_table_t* table,
                             kith_entity_t relation) {
    return guard_value<int32_t>(
        -1, [&] { return table_of(world, table, "kith_table_get_depth").depth(relation); });
}
char* kith_table_str(const kith_world_t* world, const kith_table_t* table) {
    return guard_value<char*>(nullptr,
                              [&] { return give(table_of(world, table, "kith_table_str").str()); });
}
}
