/* Worlds, deferring and tables. */
#define SUITE "world"
#include "harness.h"

#include <stdlib.h>

static int freed;
static void count_free(void* ctx) {
    freed += *(int*)ctx;
}

TEST(contexts, "a world has two pointers of the program, freed when replaced and at its end") {
    kith_world_t* world = kith_init();
    int one = 1, two = 10, three = 100;
    freed = 0;
    CHECK_ABSENT(kith_get_ctx(world));
    CHECK_OK(kith_set_ctx(world, &one, count_free));
    CHECK_OK(kith_set_binding_ctx(world, &two, count_free));
    CHECK(kith_get_ctx(world) == &one && kith_get_binding_ctx(world) == &two);
    CHECK_OK(kith_set_ctx(world, &three, count_free));
    CHECK(freed == 1);
    CHECK_OK(kith_fini(world));
    CHECK(freed == 111);
}

typedef struct counted_memory {
    long blocks;
    long left; /* allocations that succeed; negative: all */
} counted_memory;
static void* counted_alloc(void* ctx, size_t size, size_t alignment) {
    counted_memory* counted = ctx;
    if (counted->left == 0) {
        return NULL;
    }
    counted->left--;
    counted->blocks++;
    size = (size + alignment - 1) / alignment * alignment;
    return aligned_alloc(alignment < sizeof(void*) ? sizeof(void*) : alignment,
                         size ? size : alignment);
}
static void counted_free(void* ctx, void* memory, size_t size, size_t alignment) {
    counted_memory* counted = ctx;
    (void)size;
    (void)alignment;
    counted->blocks--;
    free(memory);
}

TEST(memory, "a world takes its memory from the program, and gives all of it back") {
    counted_memory counted = {0, -1};
    kith_memory_t memory = {counted_alloc, counted_free, &counted, true};
    kith_world_t* world = kith_init_w_memory(&memory);
    CHECK(world != NULL && counted.blocks > 0);
    kith_new_entity(world, "A::B::C");
    CHECK_OK(kith_reset(&world));
    CHECK_ABSENT(kith_lookup(world, "A"));
    CHECK_OK(kith_fini(world));
    CHECK(counted.blocks == 0);
    memory.alloc = NULL;
    CHECK_FAILS(kith_init_w_memory(&memory), KITH_INVALID_ARGUMENT);
    CHECK_FAILS(kith_init_w_memory(NULL), KITH_INVALID_ARGUMENT);
}

TEST(refused_memory, "refused memory is a status at every allocation, and leaves a sound world") {
    for (long allowed = 0; allowed < 60; allowed++) {
        counted_memory counted = {0, -1};
        kith_memory_t memory = {counted_alloc, counted_free, &counted, true};
        kith_world_t* world = kith_init_w_memory(&memory);
        kith_entity_t first = kith_new_entity(world, "First");
        kith_entity_t home = kith_new_entity(world, "Home");
        counted.left = allowed;
        const kith_entity_t tag = kith_new_entity(world, "Space::Tag");
        if (tag == 0) {
            CHECK(kith_last_status() == KITH_NO_MEMORY);
        }
        const kith_status_t added = kith_add_pair(world, first, KithChildOf, home);
        CHECK(added == KITH_OK || added == KITH_NO_MEMORY);
        kith_query_t* query = kith_query_new(world, "(ChildOf, Home)");
        CHECK(query || kith_last_status() == KITH_NO_MEMORY);
        counted.left = -1;
        CHECK_OK(kith_check(world));
        CHECK(!query || kith_query_count(query) == (added == KITH_OK));
        kith_query_fini(query);
        CHECK_OK(kith_fini(world));
        CHECK(counted.blocks == 0);
    }
}

TEST(stats, "statistics count entities and bytes; older structs get their part") {
    kith_world_t* world = kith_init();
    kith_world_stats_t before, after;
    CHECK_OK(kith_world_stats(world, &before));
    kith_new(world);
    CHECK_OK(kith_world_stats(world, &after));
    CHECK(after.entities == before.entities + 1 && after.bytes_total > 0);
    uint64_t only[2] = {0, 77};
    CHECK_OK(kith_world_stats_w_size(world, (kith_world_stats_t*)(void*)only, sizeof only[0]));
    CHECK(only[0] == after.entities && only[1] == 77);
    CHECK_STATUS(kith_world_stats(world, NULL), KITH_INVALID_ARGUMENT);
    CHECK_OK(kith_shrink(world));
    CHECK_OK(kith_check(world));
    CHECK_OK(kith_fini(world));
}

TEST(ranges, "new ids come from the range, and changes outside of it can be refused") {
    kith_world_t* world = kith_init();
    kith_entity_t before = kith_new(world);
    CHECK_OK(kith_set_entity_range(world, 100000, 100010));
    CHECK(kith_index_of(kith_new(world)) == 100000);
    CHECK_OK(kith_enable_range_check(world, true));
    CHECK_STATUS(kith_add_id(world, before, KithPrefab), KITH_INVALID_ENTITY);
    CHECK_OK(kith_enable_range_check(world, false));
    CHECK_OK(kith_add_id(world, before, KithPrefab));
    CHECK_OK(kith_fini(world));
}

TEST(fini_in_use, "a world that is in use is not ended") {
    kith_world_t* world = kith_init();
    kith_world_t* same = world;
    KITH_TAG(world, Ship);
    kith_new_w_id(world, Ship);
    kith_iter_t it;
    CHECK_OK(kith_each_id(world, Ship, &it));
    CHECK(kith_iter_next(&it));
    CHECK_STATUS(kith_fini(world), KITH_INVALID_OPERATION);
    CHECK_STATUS(kith_reset(&world), KITH_INVALID_OPERATION);
    CHECK(world == same);
    kith_iter_fini(&it);
    CHECK(kith_defer_begin(world));
    CHECK_STATUS(kith_fini(world), KITH_INVALID_OPERATION);
    CHECK_OK(kith_defer_end(world));
    CHECK_OK(kith_reset(&world));
    CHECK_ABSENT(kith_lookup(world, "Ship"));
    CHECK_STATUS(kith_reset(NULL), KITH_INVALID_ARGUMENT);
    CHECK_OK(kith_fini(world));
}

/* spec 423 */
TEST(deferring,
     "changes wait for the end of the deferred part, whose status is the first failure") {
    kith_world_t* world = kith_init();
    KITH_TAG(world, Ship);
    kith_entity_t a = kith_new(world), b = kith_new(world);
    CHECK(kith_defer_begin(world));
    CHECK_ABSENT(kith_defer_begin(world));
    CHECK(kith_is_deferred(world));
    CHECK_OK(kith_add_id(world, a, Ship));
    CHECK_ABSENT(kith_has_id(world, a, Ship));
    CHECK_OK(kith_defer_suspend(world));
    CHECK_OK(kith_add_id(world, b, Ship));
    CHECK(kith_has_id(world, b, Ship));
    CHECK_OK(kith_defer_resume(world));
    CHECK_OK(kith_defer_end(world));
    CHECK_ABSENT(kith_has_id(world, a, Ship));
    CHECK_OK(kith_defer_end(world));
    CHECK(kith_has_id(world, a, Ship));
    CHECK_ABSENT(kith_is_deferred(world));
    CHECK_STATUS(kith_defer_end(world), KITH_INVALID_OPERATION);

    kith_entity_t relation = kith_relation(world, {.name = "Below", .acyclic = true});
    kith_defer_begin(world);
    CHECK_OK(kith_add_pair(world, a, relation, b));
    CHECK_OK(kith_add_pair(world, b, relation, a));
    CHECK_OK(kith_add_id(world, b, KithPrefab));
    CHECK_STATUS(kith_defer_end(world), KITH_CYCLE);
    CHECK(kith_has_pair(world, a, relation, b));
    CHECK_ABSENT(kith_has_pair(world, b, relation, a));
    CHECK(kith_has_id(world, b, KithPrefab));
    CHECK_OK(kith_check(world));
    CHECK_OK(kith_fini(world));
}

TEST(tables, "a table shows ids, entities and values, and is searched by patterns") {
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    KITH_TAG(world, Ship);
    kith_entity_t likes = kith_new_entity(world, "Likes");
    kith_entity_t bob = kith_new_entity(world, "Bob"), e = kith_new(world), other = kith_new(world);
    kith_set(world, e, Position, {1, 2});
    kith_set(world, other, Position, {3, 4});
    kith_entity_t both[2] = {e, other};
    CHECK_OK(kith_add_n(world, both, 2, Ship));
    CHECK_OK(kith_add_n(world, both, 2, kith_pair(likes, bob)));
    kith_table_t* table = kith_get_table(world, e);
    CHECK(table && table == kith_get_table(world, other));
    CHECK(kith_table_count(world, table) == 2);
    int32_t count = 0;
    const kith_id_t* ids = kith_table_ids(world, table, &count);
    CHECK(count == 3 && ids[0] == kith_id(Position) && ids[2] == kith_pair(likes, bob));
    CHECK(kith_table_entities(world, table)[1] == other);
    const Position* p = kith_table_get_id(world, table, kith_id(Position), 1);
    CHECK(p && p->x == 3);
    CHECK(kith_table_has_id(world, table, Ship));
    CHECK_ABSENT(kith_table_has_id(world, table, likes));
    kith_id_t found = 0;
    CHECK(kith_search(world, table, kith_pair(likes, KithWildcard), &found) == 2);
    CHECK(found == kith_pair(likes, bob));
    CHECK(kith_search_offset(world, table, 3, kith_pair(likes, KithWildcard), &found) == -1);
    CHECK(found == 0);
    CHECK(kith_search(world, table, KithPrefab, NULL) == -1);
    CHECK_OWNED_TEXT(kith_table_str(world, table), "Position, Ship, (Likes,Bob)");
    CHECK_ABSENT(kith_table_get_id(world, table, Ship, 0));
    CHECK_FAILS(kith_table_get_id(world, table, kith_id(Position), 3), KITH_INVALID_ARGUMENT);
    CHECK_FAILS(kith_table_get_id(world, table, kith_id(Position), -1), KITH_INVALID_ARGUMENT);
    CHECK_FAILS(kith_table_ids(world, NULL, NULL), KITH_INVALID_ARGUMENT);
    CHECK_FAILS(kith_table_count(world, NULL), KITH_INVALID_ARGUMENT);
    CHECK_FAILS(kith_get_table(world, 0), KITH_INVALID_ENTITY);
    CHECK(kith_table_get_depth(world, table, KithChildOf) == 0);
    const kith_entity_t below = kith_relation(world, {.name = "Below", .acyclic = true});
    const kith_entity_t middle = kith_new_w_pair(world, below, kith_new(world));
    const kith_entity_t inner = kith_new_w_pair(world, below, middle);
    CHECK(kith_table_get_depth(world, kith_get_table(world, inner), below) == 2);
    CHECK_OK(kith_fini(world));
}
