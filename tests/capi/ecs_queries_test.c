/* <kith/ecs.h>: queries, terms, iterators and tables by the names of Flecs. */
/* spec 433 */
#define SUITE "ecs_queries"
#include <kith/ecs.h>

#include "harness.h"

static ECS_COMPONENT_DECLARE(Position);
static ECS_COMPONENT_DECLARE(Velocity);

/* A world with five entities at 0 to 4, of which the first two move. */
static ecs_world_t* make(ecs_entity_t entities[5]) {
    ecs_world_t* world = ecs_init();
    ECS_COMPONENT_DEFINE(world, Position);
    ECS_COMPONENT_DEFINE(world, Velocity);
    for (int i = 0; i < 5; i++) {
        entities[i] = ecs_set(world, 0, Position, {i, 0});
        if (i < 2) {
            ecs_set(world, entities[i], Velocity, {1, 2});
        }
    }
    return world;
}
static void end(ecs_world_t* world) {
    CHECK_OK(kith_check(world));
    CHECK(ecs_fini(world) == 0);
}

TEST(arrays, "a result has its fields in arrays") {
    ecs_entity_t e[5];
    ecs_world_t* world = make(e);
    ecs_query_t* q = ecs_query(
        world, {.filter.terms = {{ecs_id(Position)}, {ecs_id(Velocity), .oper = EcsOptional}}});
    CHECK(q->term_count == 2 && q->field_count == 2);
    int32_t rows = 0;
    ecs_iter_t it = ecs_query_iter(world, q);
    while (ecs_query_next(&it)) {
        Position* p = it.ptrs[0];
        CHECK(it.world == world && it.field_count == 2);
        CHECK(it.ids[0] == ecs_id(Position) && it.sources[0] == 0);
        CHECK(it.sizes[0] == ECS_SIZEOF(Position) && p == ecs_field(&it, Position, 1));
        CHECK((it.ptrs[1] != NULL) == ecs_field_is_set(&it, 2));
        CHECK(it.ptrs[1] == ecs_term(&it, Velocity, 2));
        CHECK(ecs_term_is_set(&it, 1) && ecs_term_is_owned(&it, 1));
        CHECK(ecs_term_size(&it, 1) == sizeof(Position) && ecs_term_source(&it, 1) == 0);
        CHECK(!ecs_term_is_readonly(&it, 1) && !ecs_term_is_writeonly(&it, 1));
        CHECK(ecs_term_w_size(&it, sizeof(Position), 1) == p);
        CHECK(it.variables[0].range.table == it.table);
        CHECK(it.variables[0].range.count == it.count && it.variable_count == 1);
        for (int i = 0; i < it.count; i++) {
            CHECK(ecs_get(world, it.entities[i], Position) == &p[i]);
        }
        rows += it.count;
    }
    CHECK(rows == 5);
    CHECK(ecs_query_entity_count(q) == 5);
    ecs_query_fini(q);
    end(world);
}

TEST(shared, "the size of a shared value is that of its type") {
    ecs_entity_t e[5];
    ecs_world_t* world = make(e);
    ECS_TAG(world, Mark);
    ecs_add_id(world, e[0], Mark);
    ecs_filter_t* f = ecs_filter(
        world, {.terms = {{Mark}, {ecs_id(Position), .src.id = e[3]}}, .instanced = true});
    ecs_iter_t it = ecs_filter_iter(world, f);
    CHECK(ecs_filter_next(&it));
    CHECK(it.sources[1] == e[3] && it.sizes[1] == ECS_SIZEOF(Position));
    CHECK(((const Position*)it.ptrs[1])->x == 3 && it.ptrs[0] == NULL && it.sizes[0] == 0);
    CHECK(!ecs_filter_next(&it));
    ecs_filter_fini(f);
    end(world);
}

TEST(pages, "pages and workers divide the rows of any iterator") {
    ecs_entity_t e[5];
    ecs_world_t* world = make(e);
    ecs_filter_t* f = ecs_filter(world, {.terms = {{ecs_id(Position)}}});
    ecs_iter_t it = ecs_filter_iter(world, f);
    ecs_iter_t page = ecs_page_iter(&it, 1, 3);
    int32_t rows = 0;
    while (ecs_page_next(&page)) {
        rows += page.count;
    }
    CHECK(rows == 3);
    rows = 0;
    for (int32_t i = 0; i < 2; i++) {
        it = ecs_filter_iter(world, f);
        ecs_iter_t share = ecs_worker_iter(&it, i, 2);
        while (ecs_worker_next(&share)) {
            rows += share.count;
            CHECK(share.count < 5);
        }
    }
    CHECK(rows == 5);
    it = ecs_filter_iter(world, f);
    kith_clear_error();
    page = ecs_page_iter(&it, -1, 2);
    CHECK(kith_last_status() == KITH_INVALID_ARGUMENT);
    ecs_iter_fini(&page);
    ecs_filter_fini(f);
    end(world);
}

TEST(variables, "variables are read by number, name and array, and set as rows of a table") {
    ecs_entity_t e[5];
    ecs_world_t* world = make(e);
    ECS_TAG(world, Likes);
    ecs_add_pair(world, e[0], Likes, e[4]);
    ecs_rule_t* r = ecs_rule(world, {.expr = "(Likes, $other), Position($other)"});
    const int32_t other = ecs_rule_find_var(r, "other");
    CHECK(other == 1 && ecs_rule_find_this_var(r) == 0);
    CHECK(ecs_rule_var_count(r) == 2 && ecs_rule_var_is_entity(r, other));
    CHECK(!ecs_rule_var_is_entity(r, 0) && !ecs_rule_var_is_entity(r, 2));
    CHECK_TEXT(ecs_rule_var_name(r, other), "other");
    ecs_iter_t it = ecs_rule_iter(world, r);
    CHECK(ecs_rule_next(&it));
    CHECK(it.variable_count == 2 && it.variables[1].entity == e[4]);
    CHECK(it.variables[0].entity == e[0] && ecs_iter_get_var(&it, other) == e[4]);
    const ecs_table_range_t range = ecs_iter_get_var_as_range(&it, other);
    CHECK(range.table == ecs_get_table(world, e[4]) && range.count == 1);
    CHECK(kith_table_entities(world, range.table)[range.offset] == e[4]);
    CHECK(!ecs_iter_get_var_as_table(&it, other));
    CHECK(ecs_iter_get_var_as_table(&it, 0) == it.table);
    ecs_iter_fini(&it);
    ecs_rule_fini(r);

    ecs_filter_t* f = ecs_filter(world, {.terms = {{ecs_id(Position)}}});
    CHECK(ecs_filter_find_this_var(f) == 0);
    it = ecs_filter_iter(world, f);
    CHECK_OK(ecs_iter_set_var_as_table(&it, 0, ecs_get_table(world, e[4])));
    CHECK(ecs_iter_count(&it) == 3);
    const ecs_table_range_t two = {ecs_get_table(world, e[4]), 1, 2};
    it = ecs_filter_iter(world, f);
    CHECK_OK(ecs_iter_set_var_as_range(&it, 0, &two));
    CHECK(ecs_iter_count(&it) == 2);
    it = ecs_filter_iter(world, f);
    CHECK_STATUS(ecs_iter_set_var_as_range(&it, 0, NULL), KITH_INVALID_ARGUMENT);
    CHECK_STATUS(ecs_iter_set_var_as_table(&it, 0, NULL), KITH_INVALID_ARGUMENT);
    ecs_iter_fini(&it);
    ecs_filter_fini(f);
    end(world);
}

TEST(terms, "one term is iterated, printed and described") {
    ecs_entity_t e[5];
    ecs_world_t* world = make(e);
    ecs_term_t term = {ecs_id(Velocity)};
    ecs_iter_t it = ecs_term_iter(world, &term);
    int32_t rows = 0;
    while (ecs_term_next(&it)) {
        rows += it.count;
        CHECK(((const Velocity*)it.ptrs[0])->y == 2);
    }
    CHECK(rows == 2);
    CHECK_OWNED_TEXT(ecs_term_str(world, &term), "Velocity");
    CHECK(ecs_term_is_initialized(&term) && ecs_term_match_this(&term));
    CHECK(!ecs_term_match_0(&term) && !ecs_term_id_is_set(&term.src));
    term.src.flags = EcsIsEntity;
    CHECK(ecs_term_match_0(&term) && !ecs_term_match_this(&term));
    term.src.id = e[0];
    CHECK(!ecs_term_match_0(&term) && ecs_term_id_is_set(&term.src));
    const ecs_term_t empty = {0};
    CHECK(!ecs_term_is_initialized(&empty));
    CHECK_FAILS(ecs_term_str(world, NULL), KITH_INVALID_ARGUMENT);
    end(world);
}

TEST(handles, "filters, queries and rules are handles of one kind") {
    ecs_entity_t e[5];
    ecs_world_t* world = make(e);
    ecs_query_t* q = ecs_query_new(world, "Position, Velocity");
    const ecs_filter_t* f = ecs_query_get_filter(q);
    CHECK(f->term_count == 2);
    CHECK_OWNED_TEXT(ecs_filter_str(world, f), "Position, Velocity");
    CHECK_OWNED_TEXT(ecs_query_str(q), "Position, Velocity");
    ecs_filter_t copy = ECS_FILTER_INIT, moved = ECS_FILTER_INIT;
    ecs_filter_copy(&copy, f);
    ecs_query_fini(q); /* the copy owns the query, too */
    ecs_filter_move(&moved, &copy);
    CHECK(!copy.query && moved.field_count == 2 && ecs_query_entity_count(&moved) == 2);
    ecs_filter_fini(&moved);
    ecs_filter_fini(&copy);

    ecs_rule_t* r = ecs_rule(world, {.expr = "Position", .name = "Places"});
    CHECK(ecs_get_entity(r) == ecs_lookup(world, "Places") && ecs_query_entity(r) != 0);
    CHECK(ecs_rule_get_filter(r) == r);
    char* plan = ecs_rule_str(r);
    CHECK(plan && *plan);
    ecs_os_free(plan);
    ecs_rule_fini(r);
    CHECK_FAILS(ecs_rule_var_count(NULL), KITH_INVALID_ARGUMENT);
    CHECK_FAILS(ecs_query_str(NULL), KITH_INVALID_ARGUMENT);
    end(world);
}

static uint64_t group_of(ecs_world_t* world, ecs_table_t* table, ecs_id_t id, void* ctx) {
    (void)ctx;
    return ecs_table_has_id(world, table, id) ? 1 : 2;
}
static void* enter_group(ecs_world_t* world, uint64_t group, void* ctx) {
    (void)world;
    (void)group;
    return ctx;
}

TEST(groups, "a group has the context that its creation returned") {
    ecs_entity_t e[5];
    ecs_world_t* world = make(e);
    int mark = 0;
    ecs_query_t* q = ecs_query(world, {.filter.terms = {{ecs_id(Position)}},
                                       .group_by = group_of,
                                       .group_by_id = ecs_id(Velocity),
                                       .group_by_ctx = &mark,
                                       .on_group_create = enter_group});
    CHECK(ecs_query_get_group_ctx(q, 1) == &mark && !ecs_query_get_group_ctx(q, 7));
    ecs_iter_t it = ecs_query_iter(world, q);
    CHECK_OK(ecs_query_set_group(&it, 2));
    CHECK(ecs_query_next(&it) && it.count == 3 && it.group_id == 2);
    CHECK(!ecs_query_next(&it) && !ecs_query_orphaned(q));
    ecs_query_fini(q);
    end(world);
}

TEST(tables, "values of a table are found by type, pair and number") {
    ecs_entity_t e[5];
    ecs_world_t* world = make(e);
    ECS_TAG(world, Likes);
    ECS_TAG(world, Mark);
    ecs_set_pair(world, e[0], Velocity, Likes, {5, 6});
    ecs_set_pair_second(world, e[0], Likes, Position, {7, 8});
    ecs_add_id(world, e[0], Mark);
    ecs_table_t* table = ecs_get_table(world, e[0]);
    CHECK(ecs_table_get(world, table, Velocity, 0)->y == 2);
    CHECK(ecs_table_get_pair(world, table, Velocity, Likes, 0)->x == 5);
    CHECK(ecs_table_get_second(world, table, Likes, Position, 0)->y == 8);
    CHECK(ecs_table_get_type_index(world, table, Mark) >= 0);
    CHECK(ecs_table_get_column_index(world, table, Mark) == -1);
    const int32_t p = ecs_table_get_column_index(world, table, ecs_id(Position));
    const int32_t v = ecs_table_get_column_index(world, table, ecs_id(Velocity));
    CHECK(p >= 0 && v >= 0 && p != v && p < 4 && v < 4);
    CHECK(ecs_table_get_depth(world, table, EcsChildOf) == 0);
    CHECK_FAILS(ecs_table_get_column_index(world, NULL, Mark) + 1, KITH_INVALID_ARGUMENT);
    end(world);
}
