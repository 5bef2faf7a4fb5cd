/* Iterators. */
#define SUITE "iterate"
#include "harness.h"

#include <pthread.h>

/* spec 414 */
TEST(results, "results have entities, fields, ids, sources, variables, a table") {
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    KITH_TAG(world, Ship);
    kith_entity_t docked = kith_new_entity(world, "DockedTo");
    kith_entity_t earth = kith_new_entity(world, "Earth");
    kith_set(world, earth, Position, {9, 9});
    kith_entity_t es[3];
    for (int i = 0; i < 3; i++) {
        es[i] = kith_new(world);
        kith_set(world, es[i], Position, {i, 0});
        kith_add(world, es[i], Ship);
        kith_add_pair(world, es[i], docked, earth);
    }
    kith_query_t* query =
        kith_query_new(world, "Position, Ship, (DockedTo, $p), Position($p), ?Prefab");
    kith_iter_t it;
    CHECK_OK(kith_query_iter(world, query, &it));
    CHECK(it.world == world && it.query == query);
    int32_t rows = 0;
    while (kith_iter_next(&it)) {
        CHECK(it.field_count == 5);
        Position* p = kith_field(&it, Position, 1);
        const Position* of_port = kith_field(&it, Position, 4);
        CHECK(of_port && of_port->x == 9);
        for (int32_t i = 0; i < it.count; i++) {
            CHECK(p[i].x == rows && it.entities[i] == es[rows]);
            CHECK(kith_row_field(&it, 1, i) == &p[i]);
            rows++;
        }
        CHECK(kith_field(&it, kith_entity_t, 0) == it.entities);
        CHECK(kith_iter_get_var(&it, 1) == earth);
        CHECK(kith_field_id(&it, 3) == kith_pair(docked, earth));
        CHECK(kith_field_src(&it, 4) == earth && !kith_field_is_self(&it, 4));
        CHECK(kith_field_src(&it, 1) == 0 && kith_field_is_self(&it, 1));
        CHECK(kith_field_is_set(&it, 1) && !kith_field_is_set(&it, 5));
        CHECK(kith_field_size(&it, 1) == sizeof(Position) && kith_field_size(&it, 2) == 0);
        CHECK(kith_field_is_readonly(&it, 4) && !kith_field_is_readonly(&it, 1));
        CHECK(!kith_field_is_writeonly(&it, 1));
        CHECK(it.table == kith_get_table(world, it.entities[0]));
        CHECK(kith_table_entities(world, it.table)[it.offset] == it.entities[0]);
        CHECK_ABSENT(kith_field(&it, Position, 5));
        CHECK_FAILS(kith_field(&it, Mass, 1), KITH_WRONG_TYPE);
        CHECK_FAILS(kith_field(&it, Mass, 2), KITH_WRONG_TYPE);
        CHECK_FAILS(kith_field(&it, Mass, 0), KITH_WRONG_TYPE);
        CHECK_FAILS(kith_field(&it, Position, 6), KITH_INVALID_QUERY);
        CHECK_FAILS(kith_field_id(&it, -1), KITH_INVALID_QUERY);
        CHECK_FAILS(kith_field_is_set(&it, 0), KITH_INVALID_QUERY);
        CHECK_FAILS(kith_iter_get_var(&it, 5), KITH_INVALID_QUERY);
        CHECK_ABSENT(kith_row_field(&it, 1, it.count));
        char* text = kith_iter_str(&it);
        CHECK(text && strstr(text, "$p=Earth"));
        kith_free(text);
    }
    CHECK(rows == 3 && it.status == KITH_OK && it.count == 0);
    CHECK_ABSENT(kith_iter_next(&it));
    kith_iter_fini(&it);
    kith_iter_fini(&it);
    CHECK_FAILS(kith_field(NULL, Position, 1), KITH_INVALID_ARGUMENT);
    kith_query_fini(query);
    CHECK_OK(kith_fini(world));
}

static kith_iter_t begin(kith_world_t* world, kith_query_t* query) {
    kith_iter_t it;
    CHECK_OK(kith_query_iter(world, query, &it));
    return it;
}

TEST(lives, "iterators nest, end early, twice and in any order, and keep their query") {
    kith_world_t* world = kith_init();
    KITH_TAG(world, Ship);
    kith_entity_t e = kith_new_w_id(world, Ship);
    kith_query_t* query = kith_query_new(world, "Ship");
    kith_iter_t outer = begin(world, query), inner = begin(world, query),
                third = begin(world, query);
    CHECK(kith_iter_next(&outer) && kith_iter_next(&inner) && kith_iter_next(&third));
    CHECK_STATUS(kith_add_id(world, e, KithPrefab), KITH_LOCKED);
    kith_iter_fini(&outer);
    CHECK_STATUS(kith_add_id(world, e, KithPrefab), KITH_LOCKED);
    CHECK_ABSENT(kith_iter_next(&third));
    kith_iter_t copy = inner;
    kith_query_fini(query);
    CHECK(inner.entities[0] == e);
    CHECK_ABSENT(kith_iter_next(&inner));
    kith_iter_fini(&inner);
    CHECK_ABSENT(kith_iter_next(&copy)); /* the run has ended */
    kith_iter_fini(&copy);
    CHECK_OK(kith_add_id(world, e, KithPrefab));
    CHECK_STATUS(kith_query_iter(world, NULL, &inner), KITH_INVALID_ARGUMENT);
    CHECK(inner.status == KITH_INVALID_ARGUMENT);
    CHECK_ABSENT(kith_iter_next(&inner));
    CHECK_FAILS(kith_iter_next(NULL), KITH_INVALID_ARGUMENT);
    kith_iter_fini(NULL);
    CHECK_OK(kith_fini(world));
}

TEST(other_worlds, "a query is run in its own world") {
    kith_world_t *world = kith_init(), *other = kith_init();
    kith_query_t* query = kith_query_new(world, "Prefab");
    kith_iter_t it;
    CHECK_STATUS(kith_query_iter(other, query, &it), KITH_INVALID_OPERATION);
    CHECK_OK(kith_query_iter(NULL, query, &it));
    CHECK(it.world == world);
    kith_iter_fini(&it);
    kith_query_fini(query);
    CHECK_OK(kith_fini(world));
    CHECK_OK(kith_fini(other));
}

static void* use_elsewhere(void* given) {
    kith_iter_t* it = given;
    CHECK(it->count == 1);
    CHECK_FAILS(kith_iter_next(it), KITH_INVALID_OPERATION);
    kith_clear_error();
    kith_iter_fini(it);
    CHECK(kith_last_status() == KITH_INVALID_OPERATION);
    CHECK(kith_iter_count(it) == -1);
    return NULL;
}

TEST(other_threads, "an iterator is refused on another thread, and changes nothing there") {
    kith_world_t* world = kith_init();
    KITH_TAG(world, Ship);
    kith_entity_t e = kith_new_w_id(world, Ship);
    kith_query_t* query = kith_query_new(world, "Ship");
    kith_iter_t it = begin(world, query);
    CHECK(kith_iter_next(&it));
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, use_elsewhere, &it) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(it.count == 1 && it.entities[0] == e && it.status == KITH_OK);
    CHECK_STATUS(kith_delete(world, e), KITH_LOCKED);
    CHECK_ABSENT(kith_iter_next(&it));
    CHECK_OK(kith_delete(world, e));
    kith_query_fini(query);
    CHECK_OK(kith_fini(world));
}

typedef struct left_run {
    kith_query_t* query;
    kith_iter_t it;
} left_run;
static void* leave_run(void* given) {
    left_run* left = given;
    left->it = begin(kith_query_world(left->query), left->query);
    CHECK(kith_iter_next(&left->it));
    return NULL;
}
static void* end_left_run(void* given) {
    left_run* left = given;
    CHECK_FAILS(kith_iter_next(&left->it), KITH_INVALID_OPERATION);
    kith_clear_error();
    kith_iter_fini(&left->it);
    CHECK(kith_last_status() == KITH_INVALID_OPERATION);
    return NULL;
}

/* The memory of a thread, and its addresses, may serve the next one. */
TEST(ended_threads, "the iterator of a thread that has ended is refused on a later thread") {
    kith_world_t* world = kith_init();
    KITH_TAG(world, Ship);
    kith_entity_t e = kith_new_w_id(world, Ship);
    left_run left = {kith_query_new(world, "Ship"), {0}};
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, i == 0 ? leave_run : end_left_run, &left) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
    }
    CHECK_OK(kith_delete(world, e));
    kith_query_fini(left.query);
    CHECK_OK(kith_fini(world));
}

/* spec 415 */
TEST(shared_values, "p[i] is valid in every result; instanced results share with stride 0") {
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Mass);
    kith_entity_t base = kith_new_prefab(world, "Base");
    kith_set(world, base, Mass, {7});
    for (int i = 0; i < 3; i++) {
        kith_new_w_pair(world, KithIsA, base);
    }
    kith_query_t* rows = kith_query(world, {.terms = {{kith_id(Mass)}}});
    kith_query_t* shared = kith_query(world, {.terms = {{kith_id(Mass)}}, .instanced = true});
    kith_iter_t it = begin(world, rows);
    int results = 0;
    for (; kith_iter_next(&it); results++) {
        const Mass* m = kith_field(&it, Mass, 1);
        CHECK(it.count == 1 && m[0].tons == 7);
    }
    CHECK(results == 3);
    it = begin(world, shared);
    CHECK(kith_iter_next(&it) && it.count == 3 && kith_field_stride(&it, 1) == 0);
    CHECK(kith_field(&it, Mass, 1)->tons == 7 && kith_field_src(&it, 1) == base);
    CHECK(((const Mass*)kith_row_field(&it, 1, 2))->tons == 7);
    CHECK_ABSENT(kith_iter_next(&it));
    kith_query_fini(rows);
    kith_query_fini(shared);
    CHECK_OK(kith_fini(world));
}

static bool stop_now(void* ctx) {
    return ++*(int*)ctx > 1;
}
static bool stop_failing(void* ctx) {
    (void)ctx;
    kith_fail(KITH_LIMIT, "stop failed");
    return false;
}

TEST(after_the_end, "an iterator that has ended knows its query no more") {
    kith_world_t* world = kith_init();
    const kith_entity_t likes = kith_new_entity(world, "Likes"), bob = kith_new(world);
    kith_new_w_pair(world, likes, bob);
    for (int left = 0; left < 2; left++) { /* at its end, and left early */
        kith_query_t* query = kith_query_new(world, "(Likes, $x)");
        kith_iter_t it;
        CHECK_OK(kith_query_iter(world, query, &it));
        kith_query_fini(query); /* the iterator is its last owner */
        CHECK(kith_iter_next(&it) && it.query == query && kith_iter_get_var(&it, 1) == bob);
        const kith_iter_t copy = it;
        if (left) {
            kith_iter_fini(&it);
        }
        CHECK(!kith_iter_next(&it) && it.query == NULL);
        CHECK_FAILS(kith_iter_get_var(&copy, 1), KITH_INVALID_ARGUMENT);
        CHECK_FAILS(kith_iter_str(&copy), KITH_INVALID_OPERATION);
        CHECK_FAILS(kith_iter_get_var(&it, 1), KITH_INVALID_ARGUMENT);
        CHECK_FAILS(kith_iter_changed(&it), KITH_INVALID_OPERATION);
        CHECK_FAILS(kith_field_w_size(&it, 0, 1), KITH_INVALID_QUERY);
        CHECK_OWNED_TEXT(kith_iter_str(&it), " []");
    }
    CHECK_OK(kith_fini(world));
}

/* spec 416 */
TEST(restrictions, "a run is restricted before its first result, not later") {
    kith_world_t* world = kith_init();
    KITH_TAG(world, Ship);
    KITH_TAG(world, Fast);
    kith_entity_t likes = kith_new_entity(world, "Likes"), a = kith_new(world), b = kith_new(world);
    kith_entity_t es[4];
    for (int i = 0; i < 4; i++) {
        es[i] = kith_new_w_id(world, Ship);
    }
    kith_add_pair(world, es[0], likes, a);
    kith_add_pair(world, es[1], likes, b);
    kith_add(world, es[3], Fast);
    kith_query_t* ships = kith_query(world, {.terms = {{Ship}}});
    kith_query_t* pairs = kith_query_new(world, "Ship, (Likes, $x)");

    kith_iter_t it = begin(world, pairs);
    CHECK_OK(kith_iter_set_var(&it, 1, b));
    CHECK(kith_iter_first(&it) == es[1]);
    it = begin(world, ships);
    CHECK_OK(kith_iter_set_var(&it, 0, es[2]));
    CHECK(kith_iter_count(&it) == 1);
    it = begin(world, ships);
    CHECK_OK(kith_iter_page(&it, 1, 2));
    CHECK(kith_iter_count(&it) == 2);
    int32_t shares = 0;
    for (int32_t i = 0; i < 3; i++) {
        it = begin(world, ships);
        CHECK_OK(kith_iter_worker(&it, i, 3));
        shares += kith_iter_count(&it);
    }
    CHECK(shares == 4);
    it = begin(world, ships);
    CHECK_OK(kith_iter_set_var_as_range(&it, 0, kith_get_table(world, es[2]), 0, 1));
    CHECK(kith_iter_count(&it) == 1);
    int asked = 0;
    it = begin(world, ships);
    CHECK_OK(kith_iter_stop_on(&it, stop_now, &asked));
    CHECK(kith_iter_count(&it) < 4 && asked > 1);
    it = begin(world, ships);
    CHECK_OK(kith_iter_stop_on(&it, stop_failing, NULL));
    CHECK(kith_iter_count(&it) == -1 && it.status == KITH_CALLBACK);
    it = begin(world, ships);
    CHECK(kith_iter_is_true(&it));

    it = begin(world, ships);
    CHECK_STATUS(kith_iter_set_var(&it, 9, a), KITH_INVALID_QUERY);
    CHECK_STATUS(kith_iter_set_group(&it, 1), KITH_INVALID_QUERY);
    CHECK_STATUS(kith_iter_page(&it, -1, 2), KITH_INVALID_ARGUMENT);
    CHECK_STATUS(kith_iter_worker(&it, 3, 3), KITH_INVALID_QUERY);
    CHECK_STATUS(kith_iter_set_var_as_range(&it, 0, kith_get_table(world, es[2]), 0, 99),
                 KITH_INVALID_ARGUMENT);
    CHECK_STATUS(kith_iter_set_var_as_range(&it, 0, NULL, 0, 1), KITH_INVALID_ARGUMENT);
    CHECK_STATUS(kith_iter_stop_on(&it, NULL, NULL), KITH_INVALID_ARGUMENT);
    CHECK_STATUS(kith_iter_set_var(NULL, 0, a), KITH_INVALID_ARGUMENT);
    CHECK(kith_iter_next(&it));
    CHECK_STATUS(kith_iter_set_var(&it, 0, a), KITH_INVALID_OPERATION);
    CHECK_STATUS(kith_iter_page(&it, 0, 2), KITH_INVALID_OPERATION);
    kith_iter_fini(&it);
    CHECK_STATUS(kith_iter_page(&it, 0, 2), KITH_INVALID_OPERATION);
    kith_query_fini(ships);
    kith_query_fini(pairs);
    CHECK_OK(kith_fini(world));
}

static int written_only;
static void count_written_only(kith_iter_t* it) {
    written_only += kith_field_is_writeonly(it, 1) ? 100 : 1;
}

TEST(access, "a field is write-only if its term is [out], in results of all kinds") {
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Mass);
    const char* const texts[] = {"[in] Mass", "Mass", "[inout] Mass", "[out] Mass"};
    for (int i = 0; i < 4; i++) {
        kith_query_t* query = kith_query_new(world, texts[i]);
        const kith_monitor_desc_t of_monitor = {.enter = true, .callback = count_written_only};
        kith_monitor_t* monitor = kith_monitor_init(query, &of_monitor);
        const kith_entity_t observer = kith_observer(
            world, {.query.expr = texts[i], .events = {KithOnSet}, .callback = count_written_only});
        const kith_entity_t e = kith_new(world);
        written_only = 0;
        kith_set(world, e, Mass, {1});
        kith_iter_t it = begin(world, query);
        while (kith_iter_next(&it)) {
            count_written_only(&it);
        }
        CHECK(written_only == (i == 3 ? 300 : 3));
        kith_delete(world, observer);
        kith_delete(world, e);
        kith_monitor_fini(monitor);
        kith_query_fini(query);
    }
    CHECK_OK(kith_fini(world));
}

TEST(bound_targets, "open targets are bound by arguments") {
    kith_world_t* world = kith_init();
    kith_entity_t likes = kith_new_entity(world, "Likes"), at = kith_new_entity(world, "At");
    kith_entity_t a = kith_new(world), b = kith_new(world), e = kith_new(world),
                  f = kith_new(world);
    kith_add_pair(world, e, likes, a);
    kith_add_pair(world, e, at, b);
    kith_add_pair(world, f, likes, b);
    kith_add_pair(world, f, at, b);
    kith_query_t* query = kith_query_new(world, "(Likes, *), (At, *)");
    CHECK(kith_query_open_targets(query) == 2);
    const kith_entity_t both[2] = {a, b}, open[2] = {KithWildcard, b};
    kith_iter_t it;
    CHECK_OK(kith_query_bind(query, both, 2, &it));
    CHECK(kith_iter_next(&it) && it.entities[0] == e);
    CHECK_ABSENT(kith_iter_next(&it));
    CHECK_OK(kith_query_bind(query, open, 2, &it));
    CHECK(kith_iter_count(&it) == 2);
    CHECK(kith_query_bind(query, both, 3, &it) != KITH_OK);
    CHECK_STATUS(kith_query_bind(query, NULL, 2, &it), KITH_INVALID_ARGUMENT);
    CHECK_STATUS(kith_query_bind(NULL, both, 2, &it), KITH_INVALID_ARGUMENT);
    kith_query_fini(query);
    CHECK_OK(kith_fini(world));
}

TEST(changes, "a query knows which results have changed") {
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Mass);
    kith_entity_t e = kith_new(world);
    kith_set(world, e, Mass, {1});
    kith_query_t* query =
        kith_query(world, {.terms = {{kith_id(Mass), .inout = KithIn}}, .cached = true});
    CHECK(kith_query_changed(query));
    kith_iter_t it = begin(world, query);
    while (kith_iter_next(&it)) {}
    CHECK_ABSENT(kith_query_changed(query));
    kith_set(world, e, Mass, {2});
    CHECK(kith_query_changed(query));
    it = begin(world, query);
    CHECK(kith_iter_next(&it));
    CHECK(kith_iter_changed(&it) && kith_iter_row_changed(&it, 0));
    CHECK_FAILS(kith_iter_row_changed(&it, 5), KITH_INVALID_ARGUMENT);
    CHECK_OK(kith_iter_skip(&it));
    CHECK_ABSENT(kith_iter_next(&it));
    CHECK_FAILS(kith_iter_changed(&it), KITH_INVALID_OPERATION);
    CHECK_FAILS(kith_query_changed(NULL), KITH_INVALID_ARGUMENT);

    /* A run that may write counts as a change, unless it skips its results. */
    kith_query_t* writing = kith_query(world, {.terms = {{kith_id(Mass)}}, .cached = true});
    for (int skipped = 1; skipped >= 0; skipped--) {
        it = begin(world, query);
        while (kith_iter_next(&it)) {}
        it = begin(world, writing);
        while (kith_iter_next(&it)) {
            if (skipped) {
                CHECK_OK(kith_iter_skip(&it));
            }
        }
        CHECK(kith_query_changed(query) == !skipped);
    }
    kith_query_fini(writing);
    kith_query_fini(query);
    CHECK_OK(kith_fini(world));
}

TEST(each, "the entities with an id are visited with their values") {
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Mass);
    for (int32_t i = 1; i <= 3; i++) {
        kith_set(world, kith_new(world), Mass, {i});
    }
    kith_iter_t it;
    CHECK_OK(kith_each_id(world, kith_id(Mass), &it));
    int32_t sum = 0;
    while (kith_iter_next(&it)) {
        const Mass* m = kith_field(&it, Mass, 1);
        CHECK(kith_field_is_readonly(&it, 1));
        for (int32_t i = 0; i < it.count; i++) {
            sum += m[i].tons;
        }
    }
    CHECK(sum == 6);
    CHECK_OK(kith_each_id(world, kith_id(Mass), &it));
    CHECK_STATUS(kith_iter_page(&it, 0, 1), KITH_INVALID_OPERATION);
    kith_iter_fini(&it);
    CHECK_STATUS(kith_each_id(world, 0, &it), KITH_INVALID_ID);
    CHECK_STATUS(kith_each_id(world, kith_id(Mass), NULL), KITH_INVALID_ARGUMENT);
    CHECK_OK(kith_fini(world));
}
