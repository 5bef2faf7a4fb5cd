/* The names of <kith/ecs.h> that the other tests of it do not use, by chapter. */
#define SUITE "ecs_names"
#include "../seeds/c/seeds.h"

typedef struct {
    int amount;
} Eats;

static void end(ecs_world_t* world) {
    CHECK_OK(kith_check(world));
    CHECK(ecs_fini(world) == 0);
}

/* spec 433 */
TEST(constants, "constants are those of kith") {
    const ecs_entity_t pairs[][2] = {
        {EcsVariable, KithVariable},
        {EcsName, KithName},
        {EcsSymbol, KithSymbol},
        {EcsAlias, KithAlias},
        {EcsDisabled, KithDisabled},
        {EcsQuery, KithQuery},
        {EcsObserver, KithObserver},
        {EcsPhase, KithPhase},
        {EcsPipeline, KithPipeline},
        {EcsOnStart, KithOnStart},
        {EcsPreFrame, KithPreFrame},
        {EcsOnLoad, KithOnLoad},
        {EcsPostLoad, KithPostLoad},
        {EcsOnValidate, KithOnValidate},
        {EcsPostUpdate, KithPostUpdate},
        {EcsPreStore, KithPreStore},
        {EcsOnStore, KithOnStore},
        {EcsPostFrame, KithPostFrame},
        {EcsDependsOn, KithDependsOn},
        {EcsSlotOf, KithSlotOf},
        {EcsReflexive, KithReflexive},
        {EcsAcyclic, KithAcyclic},
        {EcsTraversable, KithTraversable},
        {EcsOnDeleteObject, KithOnDeleteTarget},
        {EcsPanic, KithPanic},
        {EcsThrow, KithPanic},
        {EcsOnRemove, KithOnRemove},
        {EcsUnSet, KithUnSet},
        {EcsMonitor, KithMonitor},
        {EcsOnTableCreate, KithOnTableCreate},
        {EcsOnTableDelete, KithOnTableDelete},
        {EcsPredNeq, KithPredNeq},
    };
    const ecs_flags32_t flags[][2] = {
        {EcsDown, KithDown},
        {EcsDesc, KithDesc},
        {EcsTraverseAll, KithTraverseAll},
        {EcsSubSet, KithDown},
        {EcsFilterMatchPrefab, KithFilterMatchPrefab},
        {EcsFilterMatchDisabled, KithFilterMatchDisabled},
        {EcsFilterIsInstanced, KithFilterIsInstanced},
    };
    const ecs_inout_kind_t access[][2] = {{EcsInOutDefault, KithInOutDefault},
                                          {EcsInOutNone, KithInOutNone},
                                          {EcsInOutFilter, KithInOutNone},
                                          {EcsInOut, KithInOut},
                                          {EcsOut, KithOut}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        CHECK(pairs[i][0] == pairs[i][1]);
    }
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        CHECK(flags[i][0] == flags[i][1]);
    }
    for (size_t i = 0; i < sizeof access / sizeof access[0]; i++) {
        CHECK(access[i][0] == access[i][1]);
    }
    const ecs_oper_kind_t oper = EcsAndFrom;
    CHECK(oper == KithAndFrom);
    CHECK((ECS_GENERATION_MASK | ECS_ENTITY_MASK) == UINT64_C(0xFFFFFFFFFFFF));
}

static ECS_DECLARE(Sun);
static ECS_TAG_DECLARE(Comet);
static ECS_COMPONENT_DECLARE(Physics);

/* spec 433 */
TEST(entities, "entities live, die, come back and are counted") {
    ecs_world_t* world = ecs_init();
    ECS_COMPONENT(world, Position);
    ECS_ENTITY_DEFINE(world, Sun, 0);
    ECS_TAG_DEFINE(world, Comet);
    ECS_MODULE_DEFINE(world, Physics);
    CHECK(Sun == ecs_lookup(world, "Sun") && ecs_id(Sun) == Sun && ecs_id(Comet) == Comet);
    CHECK(ecs_has_id(world, ecs_id(Physics), EcsModule));

    const Position values[] = {{1, 1}, {2, 2}};
    void* columns[] = {(void*)(uintptr_t)values};
    const ecs_bulk_desc_t bulk = {.count = 2, .ids = {ecs_id(Position)}, .data = columns};
    const ecs_entity_t* made = ecs_bulk_init(world, &bulk);
    CHECK(made && ecs_get(world, made[1], Position)->x == 2);
    CHECK(ecs_count(world, Position) == 2);
    ecs_delete_with(world, ecs_id(Position));
    CHECK(ecs_count(world, Position) == 0);

    const ecs_entity_t e = ecs_new_w_id(world, Comet);
    CHECK(ecs_is_valid(world, e) && ecs_exists(world, e) && ecs_get_alive(world, e) == e);
    CHECK_OK(ecs_clear(world, e));
    CHECK(!ecs_has_id(world, e, Comet));
    ecs_delete(world, e);
    CHECK(!ecs_is_valid(world, e) && ecs_exists(world, e) && !ecs_get_alive(world, e));
    CHECK_OK(ecs_ensure(world, UINT64_C(77777)));
    CHECK(ecs_is_alive(world, UINT64_C(77777)));
    CHECK_OK(ecs_enable(world, Sun, false));
    CHECK(ecs_has_id(world, Sun, EcsDisabled));

    CHECK_OK(ecs_set_entity_range(world, 90000, 90010));
    CHECK(ecs_new_id(world) == 90000);
    CHECK_OK(ecs_enable_range_check(world, true));
    CHECK_STATUS(ecs_add_id(world, Sun, Comet), KITH_INVALID_ENTITY);
    CHECK_OK(ecs_enable_range_check(world, false));
    end(world);
}

/* spec 433 */
TEST(children, "children of a dead entity are not those of its successor") {
    ecs_world_t* world = ecs_init();
    const ecs_entity_t dead = ecs_new_id(world);
    ecs_delete(world, dead);
    const ecs_entity_t parent = ecs_new_id(world),
                       child = ecs_new_w_pair(world, EcsChildOf, parent);
    CHECK(kith_index_of(dead) == kith_index_of(parent));
    CHECK(ecs_delete_children(world, dead) != KITH_OK && ecs_is_alive(world, child));
    CHECK_OK(ecs_delete_children(world, parent));
    CHECK(!ecs_is_alive(world, child));
    end(world);
}

/* spec 433 */
TEST(ids, "ids are added, removed, switched off and described") {
    ecs_world_t* world = ecs_init();
    ECS_COMPONENT(world, Position);
    ECS_COMPONENT(world, Eats);
    ECS_TAG(world, Likes);
    const ecs_entity_t bob = ecs_new_entity(world, "Bob"), e = ecs_new_id(world);
    CHECK_OK(ecs_add_pair(world, e, Likes, bob));
    const ecs_id_t pair = ecs_pair(Likes, bob);
    CHECK(ecs_pair_target(world, pair) == bob);
    CHECK(ecs_id_is_valid(world, pair) && ecs_id_in_use(world, pair));
    CHECK(ecs_id_match(pair, ecs_pair(EcsWildcard, bob)) && !ecs_id_is_wildcard(pair));
    CHECK(ecs_owns_id(world, e, pair));
    CHECK_OK(ecs_remove_id(world, e, pair));
    CHECK(!ecs_owns_id(world, e, pair) && !ecs_id_in_use(world, pair));
    CHECK(ecs_get_typeid(world, ecs_pair(Likes, ecs_id(Position))) == ecs_id(Position));
    CHECK_OWNED_TEXT(ecs_entity_str(world, bob), "::Bob [(Identifier,Name)]");

    ecs_set(world, e, Position, {1, 2});
    CHECK_OK(ecs_enable_id(world, e, ecs_id(Position), false));
    CHECK(!ecs_is_enabled_id(world, e, ecs_id(Position)));
    CHECK_OK(ecs_enable_id(world, e, ecs_id(Position), true));

    const ecs_entity_t prefab = ecs_new_prefab(world, "Fab");
    ecs_set(world, prefab, Position, {5, 5});
    CHECK_OK(ecs_override(world, prefab, Position));
    CHECK_OK(ecs_override_id(world, prefab, Likes));
    const ecs_entity_t instance = ecs_new_w_pair(world, EcsIsA, prefab);
    CHECK(ecs_owns(world, instance, Position) && ecs_get(world, instance, Position)->x == 5);
    CHECK(ecs_set_pair_object(world, e, Likes, Eats, {3}) == e);
    CHECK(ecs_get_pair_object(world, e, Likes, Eats)->amount == 3);
    end(world);
}

/* spec 433 */
TEST(values, "values are read, written in place, and referred to") {
    ecs_world_t* world = ecs_init();
    ECS_COMPONENT(world, Position);
    ECS_COMPONENT(world, Eats);
    const ecs_entity_t e = ecs_new_id(world);
    Position* p = ecs_get_mut(world, e, Position);
    CHECK(p && p->x == 0);
    p->x = 7;
    CHECK_OK(ecs_modified(world, e, Position));
    CHECK_OK(ecs_modified_id(world, e, ecs_id(Position)));
    CHECK(((const Position*)ecs_get_id(world, e, ecs_id(Position)))->x == 7);
    CHECK(ecs_get_mut_id(world, e, ecs_id(Position)) == p);
    Eats* eats = ecs_emplace_id(world, e, ecs_id(Eats));
    CHECK(eats && eats->amount == 0);

    ecs_ref_t ref = ecs_ref_init_id(world, e, ecs_id(Position));
    CHECK_OK(ecs_ref_update(world, &ref));
    ecs_remove(world, e, Position);
    CHECK_STATUS(ecs_ref_update(world, &ref), KITH_MISSING_COMPONENT);

    CHECK_OK(ecs_singleton_add(world, Eats));
    ecs_singleton_get_mut(world, Eats)->amount = 4;
    CHECK_OK(ecs_singleton_modified(world, Eats));
    CHECK(ecs_singleton_get(world, Eats)->amount == 4);
    CHECK_STATUS(ecs_enable_pair(world, e, Eats, 0, true), KITH_INVALID_ID);
    CHECK(!ecs_is_enabled_pair(world, e, Eats, 0));
    end(world);
}

static const void* not_const(const void* memory) {
    return memory;
}

/* spec 433 */
TEST(names, "names, symbols, aliases, targets and tables") {
    ecs_world_t* world = ecs_init();
    CHECK(!ecs_is_deferred(world));
    CHECK_OK(ecs_set_context(world, world));
    CHECK(ecs_get_context(world) == not_const(world));
    const ecs_entity_t sun = ecs_new_entity(world, "Sun");
    const ecs_entity_t earth = ecs_new_entity(world, "Sun::Earth");
    CHECK(ecs_lookup_child(world, sun, "Earth") == earth);
    CHECK_OWNED_TEXT(ecs_get_fullpath(world, earth), "::Sun::Earth");
    CHECK(ecs_get_depth(world, earth, EcsChildOf) == 1);
    CHECK_OK(ecs_set_alias(world, earth, "Home"));
    CHECK(ecs_lookup(world, "Home") == earth);
    CHECK(ecs_set_symbol(world, earth, "terra") == earth);
    CHECK_TEXT(ecs_get_symbol(world, earth), "terra");
    const int32_t before = ecs_count_id(world, EcsWildcard);
    CHECK(ecs_set_symbol(world, UINT64_C(123456), "dead") == 0);
    CHECK(ecs_count_id(world, EcsWildcard) == before);

    ECS_COMPONENT(world, Position);
    ecs_set(world, sun, Position, {0, 0});
    CHECK(ecs_get_target_for_id(world, earth, EcsChildOf, ecs_id(Position)) == sun);
    CHECK(ecs_get_object_for_id(world, earth, EcsChildOf, ecs_id(Position)) == sun);
    ecs_table_t* table = ecs_get_table(world, sun);
    CHECK(ecs_table_count(world, table) >= 1);
    char* text = ecs_table_str(world, table);
    CHECK(text && strstr(text, "Position"));
    ecs_os_free(text);
    end(world);
}

static int compare(ecs_entity_t e1, const void* v1, ecs_entity_t e2, const void* v2) {
    (void)v1;
    (void)v2;
    return (e1 > e2) - (e1 < e2);
}
static uint64_t group_of(ecs_world_t* world, ecs_table_t* table, ecs_id_t id, void* ctx) {
    (void)world;
    (void)id;
    (void)ctx;
    return table != NULL;
}
static int groups;
static void* begin_group(ecs_world_t* world, uint64_t group, void* ctx) {
    (void)world;
    (void)group;
    groups++;
    return ctx;
}
static void end_group(ecs_world_t* world, uint64_t group, void* group_ctx, void* ctx) {
    (void)world;
    (void)group;
    CHECK(group_ctx == ctx);
    groups--;
}
static void free_nothing(void* ctx) {
    (void)ctx;
}

/* spec 433 */
TEST(queries, "queries have variables, types of functions, and results as text") {
    ecs_world_t* world = ecs_init();
    ECS_COMPONENT(world, Position);
    ECS_TAG(world, Likes);
    const ecs_entity_t bob = ecs_new_entity(world, "Bob");
    const ecs_entity_t e = ecs_new_w_pair(world, Likes, bob);
    ecs_set(world, e, Position, {1, 2});
    const ecs_filter_desc_t desc = {.expr = "[out] Position, (Likes, $who)"};
    ecs_rule_t* rule = ecs_rule_init(world, &desc);
    CHECK(ecs_query_find_var(rule, "who") == 1 && ecs_filter_find_var(rule, "who") == 1);
    CHECK(ecs_query_find_this_var(rule) == 0);
    CHECK_TEXT(ecs_query_var_name(rule, 1), "who");
    CHECK_TEXT(ecs_filter_var_name(rule, 1), "who");
    CHECK(ecs_query_var_count(rule) == 2 && ecs_filter_var_count(rule) == 2);
    ecs_iter_t it = ecs_rule_iter(world, rule);
    CHECK(ecs_iter_is_true(&it));
    it = ecs_rule_iter(world, rule);
    CHECK(ecs_rule_next(&it) && ecs_field_is_writeonly(&it, 1));
    CHECK(ecs_field_size(&it, 1) == sizeof(Position));
    const Position* p = ecs_field_w_size(&it, sizeof(Position), 1);
    CHECK(p && p->y == 2);
    const ecs_var_t* who = &it.variables[1];
    CHECK(who->entity == bob);
    char* text = ecs_iter_str(&it);
    CHECK(text && strstr(text, "$who=Bob"));
    ecs_os_free(text);
    ecs_iter_fini(&it);
    it = ecs_rule_iter(world, rule);
    const ecs_iter_to_json_desc_t parts = {.serialize_term_ids = true};
    char* json = ecs_iter_to_json(world, &it, &parts);
    CHECK(json && json[0] == '{');
    ecs_os_free(json);
    CHECK_FAILS(ecs_iter_to_json(world, NULL, NULL), KITH_INVALID_ARGUMENT);
    ecs_rule_fini(rule);

    int ctx = 0;
    const ecs_order_by_action_t order = compare;
    const ecs_group_by_action_t group = group_of;
    const ecs_group_create_action_t created = begin_group;
    const ecs_group_delete_action_t deleted = end_group;
    const ecs_ctx_free_t freed = free_nothing;
    const ecs_query_desc_t grouped = {.filter = {.terms = {{ecs_id(Position)}}},
                                      .order_by = order,
                                      .group_by = group,
                                      .group_by_ctx = &ctx,
                                      .group_by_ctx_free = freed,
                                      .on_group_create = created,
                                      .on_group_delete = deleted};
    ecs_query_t* query = ecs_query_init(world, &grouped);
    it = ecs_query_iter(world, query);
    CHECK(ecs_query_next(&it) && it.group_id == 1 && groups == 1);
    ecs_iter_fini(&it);
    ecs_query_fini(query);
    CHECK(groups == 0);

    ecs_term_id_t part = {.name = "Bob"};
    CHECK(ecs_term_id_is_set(&part));
    end(world);
}

/* spec 433 */
TEST(missing_iterators, "an iterator that is missing gives one that has ended") {
    ecs_iter_t it = ecs_page_iter(NULL, 0, 1);
    CHECK(kith_last_status() == KITH_INVALID_ARGUMENT && !ecs_page_next(&it) && it.count == 0);
    kith_clear_error();
    it = ecs_worker_iter(NULL, 0, 1);
    CHECK(kith_last_status() == KITH_INVALID_ARGUMENT && !ecs_worker_next(&it) && it.count == 0);
}

static int seen;
static void see(ecs_iter_t* it) {
    seen += it->count;
}
static void step_through(ecs_iter_t* it) {
    while (ecs_iter_next(it)) {
        it->callback(it);
    }
}
static ECS_SYSTEM_DECLARE(see);

/* spec 433 */
TEST(systems, "systems, pipelines and timers by description") {
    ecs_world_t* world = ecs_init();
    ECS_COMPONENT(world, Position);
    const ecs_entity_t e = ecs_new(world, Position);
    ECS_SYSTEM_DEFINE(world, see, EcsOnUpdate, Position);
    seen = 0;
    CHECK(ecs_progress(world, 1) && seen == 1);
    const ecs_run_action_t run = step_through;
    const ecs_system_desc_t desc = {
        .query.filter.terms = {{ecs_id(Position)}}, .run = run, .callback = see, .ctx = &seen};
    const ecs_entity_t system = ecs_system_init(world, &desc);
    CHECK(ecs_system_get_ctx(world, system) == &seen);
    CHECK(ecs_run(world, system, 1, NULL) == 0 && seen == 2);
    const ecs_pipeline_desc_t none = {.query.filter.terms = {{EcsSystem}, {e}}};
    const ecs_entity_t pipeline = ecs_pipeline_init(world, &none);
    CHECK_OK(ecs_run_pipeline(world, pipeline, 1));
    CHECK(seen == 2);

    const ecs_ftime_t second = 1;
    const ecs_entity_t timer = ecs_set_timeout(world, 0, second);
    CHECK(timer && ecs_get_timeout(world, timer) == second);
    const int32_t before = ecs_count_id(world, EcsWildcard);
    const ecs_entity_t next = ecs_new_id(world);
    ecs_delete(world, next);
    CHECK_FAILS(ecs_set_interval(world, 0, -1), KITH_INVALID_OPERATION);
    CHECK_FAILS(ecs_set_timeout(world, 0, -1), KITH_INVALID_OPERATION);
    CHECK_FAILS(ecs_set_rate(world, 0, -1, 0), KITH_INVALID_OPERATION);
    CHECK(ecs_count_id(world, EcsWildcard) == before);
    CHECK(kith_index_of(ecs_new_id(world)) == kith_index_of(next)); /* none was left alive */
    end(world);
}

/* spec 433 */
TEST(types, "types of functions and sizes have names") {
    const ecs_xtor_t no_xtor = NULL;
    const ecs_copy_t no_copy = NULL;
    const ecs_move_t no_move = NULL;
    const ecs_component_desc_t desc = {
        .type = {.size = 4, .alignment = 4, .name = "Four", .hooks = {.ctor = no_xtor}}};
    const ecs_observer_desc_t none = {.callback = NULL};
    ecs_world_t* world = ecs_init();
    const ecs_entity_t four = ecs_component_init(world, &desc);
    CHECK(four && !no_copy && !no_move);
    CHECK_FAILS(ecs_observer_init(world, &none), KITH_INVALID_ARGUMENT);
    end(world);
}

/* spec 433 */
TEST(os, "functions of the operating system's layer") {
    const ecs_size_t size = 8;
    char* text = ecs_os_malloc(size);
    ecs_os_memset(text, 'x', size);
    CHECK(text[7] == 'x');
    text = ecs_os_realloc(text, size * 2);
    ecs_os_strcpy(text, "ab");
    ecs_os_strcat(text, "cd");
    CHECK_TEXT(text, "abcd");
    ecs_os_memmove(text, text + 2, 3);
    CHECK_TEXT(text, "cd");
    ecs_os_strncpy(text, "xyz", 4);
    CHECK_TEXT(text, "xyz");
    char copy[8];
    ecs_os_memcpy(copy, text, 4);
    CHECK_TEXT(copy, "xyz");
    ecs_os_sprintf(copy, "%d", 12);
    CHECK_TEXT(copy, "12");
    ecs_os_free(text);
    int* numbers = ecs_os_calloc(size);
    CHECK(numbers && numbers[0] == 0);
    numbers = ecs_os_realloc_t(numbers, int);
    CHECK(numbers && numbers[0] == 0);
    ecs_os_free(numbers);
    if (size == 0) {
        ecs_os_abort();
    }
}
