/* Queries: descriptions, life, what can be asked of them. */
#define SUITE "queries"
#include "harness.h"

static kith_world_t* solar(kith_entity_t* earth, kith_entity_t* ship) {
    kith_world_t* world = kith_init();
    *earth = kith_new_entity(world, "Earth");
    *ship = kith_new_entity(world, "Ship1");
    kith_add_id(world, *earth, kith_new_entity(world, "Planet"));
    kith_add_id(world, *ship, kith_new_entity(world, "Ship"));
    kith_add_pair(world, *ship, kith_new_entity(world, "DockedTo"), *earth);
    return world;
}

/* spec 137, 138, 139, 412 */
TEST(descriptions, "terms by id, by parts, by names and by text give the same query") {
    kith_entity_t earth, ship;
    kith_world_t* world = solar(&earth, &ship);
    kith_entity_t docked = kith_lookup(world, "DockedTo"), tag = kith_lookup(world, "Ship");
    kith_entity_t planet = kith_lookup(world, "Planet");
    kith_query_t* by_text = kith_query_new(world, "Ship, (DockedTo, $p), Planet($p)");
    kith_query_t* by_parts = kith_query(
        world, {.terms = {{tag},
                          {.first.id = docked, .second = {.name = "p", .flags = KithIsVariable}},
                          {planet, .src.name = "$p"}}});
    kith_query_t* by_names = kith_query(
        world, {.terms = {{.first.name = "Ship"}, {.first.name = "DockedTo", .second.name = "$p"}},
                .expr = "Planet($p)"});
    CHECK(by_text && by_parts && by_names);
    CHECK_OWNED_TEXT(kith_query_str(by_text), "Ship, (DockedTo,$p), Planet($p)");
    CHECK_OWNED_TEXT(kith_query_str(by_parts), "Ship, (DockedTo,$p), Planet($p)");
    CHECK_OWNED_TEXT(kith_query_str(by_names), "Ship, (DockedTo,$p), Planet($p)");
    CHECK(kith_query_first(by_text) == ship && kith_query_first(by_parts) == ship);
    CHECK(kith_query_count(by_names) == 1);
    CHECK(kith_query_term_count(by_text) == 3 && kith_query_field_count(by_text) == 3);
    kith_term_t term;
    CHECK_OK(kith_query_term(by_text, 1, &term));
    CHECK(term.first.id == docked && term.oper == KithAnd && term.src.id == KithThis);
    CHECK_STATUS(kith_query_term(by_text, 3, &term), KITH_INVALID_QUERY);
    CHECK_STATUS(kith_query_term(by_text, 0, NULL), KITH_INVALID_ARGUMENT);
    kith_query_t* none = kith_query(world, {.terms = {{tag}, {planet, .oper = KithNot}}});
    CHECK(kith_query_matches(none, ship));
    CHECK_ABSENT(kith_query_matches(none, earth));
    kith_query_fini(none);
    kith_query_fini(by_text);
    kith_query_fini(by_parts);
    kith_query_fini(by_names);
    CHECK_OK(kith_fini(world));
}

TEST(parts_of_terms, "operators, access, traversal, depths, scopes and comparisons have members") {
    kith_entity_t earth, ship;
    kith_world_t* world = solar(&earth, &ship);
    const kith_entity_t tag = kith_lookup(world, "Ship"), planet = kith_lookup(world, "Planet");
    const struct {
        kith_query_desc_t desc;
        const char* text;
    } same[] = {
        {{.terms = {{tag, .oper = KithOr}, {planet}}}, "Ship || Planet"},
        {{.terms = {{tag}, {planet, .oper = KithOptional}}}, "Ship, ?Planet"},
        {{.terms = {{tag}, {planet, .oper = KithNot, .inout = KithInOutNone}}},
         "Ship, [none] !Planet"},
        {{.terms = {{tag, .src = {.flags = KithUp, .trav = KithChildOf}}}}, "Ship(up(ChildOf))"},
        {{.terms = {{tag, .src = {.flags = KithSelf | KithUp, .trav = KithChildOf}}}},
         "Ship(self|up(ChildOf))"},
        {{.terms = {{tag, .src = {.flags = KithCascade, .trav = KithChildOf}}}},
         "Ship(cascade(ChildOf))"},
        {{.terms =
              {{tag,
                .src = {.flags = KithUp, .trav = KithChildOf, .min_depth = 2, .max_depth = 4}}}},
         "Ship(up(ChildOf, 2, 4))"},
        {{.terms = {{tag}, {planet, .src.id = earth}}}, "Ship, Planet(Earth)"},
        {{.terms = {{tag},
                    {KithScopeOpen, .src.flags = KithIsEntity, .oper = KithNot},
                    {planet},
                    {KithScopeClose, .src.flags = KithIsEntity}}},
         "Ship, !{ Planet }"},
        {{.terms = {{tag}, {.first.id = KithPredEq, .second.id = ship}}}, "Ship, $this == Ship1"},
    };
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        kith_query_t* described = kith_query_init(world, &same[i].desc);
        kith_query_t* written = kith_query_new(world, same[i].text);
        char* text = kith_query_str(written);
        CHECK(described && written && text);
        CHECK_OWNED_TEXT(kith_query_str(described), text);
        CHECK(kith_query_count(described) == kith_query_count(written));
        kith_free(text);
        kith_query_fini(described);
        kith_query_fini(written);
    }
    CHECK_OK(kith_fini(world));
}

TEST(many_terms, "a buffer has more terms than the description") {
    kith_world_t* world = kith_init();
    kith_term_t terms[64];
    memset(terms, 0, sizeof terms);
    kith_entity_t e = kith_new(world);
    for (int i = 0; i < 64; i++) {
        terms[i].id = kith_new(world);
        kith_add_id(world, e, terms[i].id);
    }
    kith_query_t* query = kith_query(world, {.terms_buffer = terms, .terms_buffer_count = 64});
    CHECK(query && kith_query_first(query) == e && kith_query_term_count(query) == 64);
    kith_query_fini(query);
    CHECK_FAILS(kith_query(world, {.terms_buffer_count = 2}), KITH_INVALID_ARGUMENT);
    CHECK_FAILS(kith_query(world, {.terms_buffer = terms, .terms_buffer_count = -1}),
                KITH_INVALID_ARGUMENT);
    CHECK_FAILS(
        kith_query(world,
                   {.terms = {{terms[0].id}}, .terms_buffer = terms, .terms_buffer_count = 1}),
        KITH_INVALID_ARGUMENT);
    CHECK_OK(kith_fini(world));
}

TEST(mistakes, "a wrong description names what is wrong") {
    kith_world_t* world = kith_init();
    kith_entity_t e = kith_new(world);
    CHECK_FAILS(kith_query_new(world, "Nobody"), KITH_INVALID_QUERY);
    CHECK_FAILS(kith_query_new(world, "(("), KITH_INVALID_QUERY);
    CHECK_FAILS(kith_query(world, {.terms = {{e, .oper = 7}}}), KITH_INVALID_ARGUMENT);
    CHECK_FAILS(kith_query(world, {.terms = {{e, .inout = -1}}}), KITH_INVALID_ARGUMENT);
    CHECK_FAILS(kith_query(world, {.terms = {{e, .src.flags = 1u << 30}}}), KITH_INVALID_ARGUMENT);
    CHECK_FAILS(kith_query(world, {.terms = {{e, .flags = 1u << 30}}}), KITH_INVALID_ARGUMENT);
    CHECK_FAILS(kith_query(world, {.terms = {{e}}, .flags = 1u << 30}), KITH_INVALID_ARGUMENT);
    CHECK_FAILS(kith_query(world, {.terms = {{e}}, .order_by_component = e}),
                KITH_INVALID_ARGUMENT);
    CHECK_FAILS(kith_query(world, {.terms = {{999999}}}), KITH_INVALID_ID);
    CHECK_OK(kith_check(world));
    CHECK_OK(kith_fini(world));
}

TEST(contradictions, "a term says what it matches once, or twice the same") {
    kith_world_t* world = kith_init();
    KITH_TAG(world, Ship);
    KITH_TAG(world, Likes);
    const kith_entity_t bob = kith_new_entity(world, "Bob");
    const kith_term_t wrong[] = {
        {Ship, .first.id = Likes},
        {Ship, .first.id = Ship, .second.id = bob},
        {kith_pair(Likes, bob), .first.id = Ship},
        {kith_pair(Likes, bob), .first.id = Likes, .second.id = Ship},
        {Ship, .src = {.id = bob, .name = "Bob"}},
        {.first = {.id = Likes, .name = "Likes"}, .second.id = bob},
        {.first.id = Likes, .second = {.id = bob, .name = "$x"}},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const kith_query_desc_t desc = {.terms_buffer = &wrong[i], .terms_buffer_count = 1};
        CHECK_FAILS(kith_query_init(world, &desc), KITH_INVALID_ARGUMENT);
    }
    kith_query_t* query = kith_query_new(world, "Ship, (Likes, Bob), (Likes, *)");
    kith_term_t terms[3];
    for (int i = 0; i < 3; i++) {
        CHECK_OK(kith_query_term(query, i, &terms[i]));
    }
    kith_query_t* again = kith_query(world, {.terms_buffer = terms, .terms_buffer_count = 3});
    CHECK_OWNED_TEXT(kith_query_str(again), "Ship, (Likes,Bob), (Likes,*)");
    kith_query_fini(query);
    kith_query_fini(again);
    CHECK_OK(kith_fini(world));
}

/* spec 136, 413 */
TEST(life, "a query lives as long as it has owners, and may outlive its world") {
    kith_entity_t earth, ship;
    kith_world_t* world = solar(&earth, &ship);
    kith_query_t* query = kith_query(world, {.expr = "Ship", .cached = true, .name = "ships"});
    CHECK(kith_query_world(query) == world);
    CHECK(kith_query_entity(query) == kith_lookup(world, "ships"));
    CHECK(kith_query_ref(query) == query);
    kith_query_fini(query);
    CHECK(kith_query_count(query) == 1);
    CHECK_OK(kith_fini(world));
    CHECK_ABSENT(kith_query_world(query));
    CHECK(kith_query_count(query) == -1);
    CHECK(kith_last_status() != KITH_OK);
    CHECK_FAILS(kith_query_is_true(query), kith_last_status());
    CHECK_FAILS(kith_query_first(query), kith_last_status());
    kith_iter_t it;
    CHECK(kith_query_iter(NULL, query, &it) != KITH_OK);
    CHECK_ABSENT(kith_iter_next(&it));
    kith_query_fini(query);
    kith_query_fini(NULL);
    CHECK_FAILS(kith_query_ref(NULL), KITH_INVALID_ARGUMENT);
    CHECK(kith_query_count(NULL) == -1);
    CHECK_FAILS(kith_query_str(NULL), KITH_INVALID_ARGUMENT);
}

/* spec 418 */
TEST(explaining, "a query tells its variables, columns, plan and reasons") {
    kith_entity_t earth, ship;
    kith_world_t* world = solar(&earth, &ship);
    kith_query_t* query = kith_query_new(world, "(DockedTo, $p), Planet($p), (DockedTo, *)");
    CHECK(kith_query_var_count(query) == 2 && kith_query_find_var(query, "p") == 1);
    CHECK_TEXT(kith_query_var_name(query, 1), "p");
    CHECK(kith_query_find_var(query, "q") == -1);
    CHECK_FAILS(kith_query_var_name(query, 7), KITH_INVALID_QUERY);
    CHECK(kith_query_find_var(query, NULL) == -1);
    kith_query_column_t columns[3];
    CHECK(kith_query_columns(query, columns, 3) == 3);
    CHECK(columns[0].kind == KITH_COLUMN_ENTITY && columns[1].kind == KITH_COLUMN_VARIABLE);
    CHECK(columns[2].kind == KITH_COLUMN_WILDCARD && columns[2].second && !columns[2].first);
    char* plan = kith_query_explain(query);
    CHECK(plan && strlen(plan) > 10);
    kith_free(plan);
    char* reason = kith_query_explain_entity(query, ship);
    CHECK(reason && strlen(reason) > 10);
    kith_free(reason);
    CHECK(kith_query_is_true(query));
    CHECK_ABSENT(kith_query_orphaned(query));
    kith_query_fini(query);
    CHECK_OK(kith_fini(world));
}

static void count_mistake(const kith_text_error_t* error, void* ctx) {
    CHECK(error->line == 2 && error->column > 1 && error->message[0] && error->excerpt[0]);
    *(int*)ctx += 1;
}

TEST(checking, "the syntax of a query is checked without a world") {
    int count = 0;
    const char* good = "Ship, (DockedTo, $p)";
    const char* bad = "Ship,\n (DockedTo,, $p)";
    CHECK(kith_check_query(good, strlen(good), count_mistake, &count) == 0 && count == 0);
    CHECK(kith_check_query(bad, strlen(bad), count_mistake, &count) == count && count > 0);
    CHECK(kith_check_query(bad, strlen(bad), NULL, NULL) == count);
    CHECK(kith_check_query(NULL, 0, NULL, NULL) == -1);
}

static int by_tons(kith_entity_t e1, const void* v1, kith_entity_t e2, const void* v2) {
    (void)e1;
    (void)e2;
    const int32_t a = ((const Mass*)v1)->tons, b = ((const Mass*)v2)->tons;
    return (a > b) - (a < b);
}
static int by_entity(kith_entity_t e1, const void* v1, kith_entity_t e2, const void* v2) {
    (void)v1;
    (void)v2;
    return (e1 > e2) - (e1 < e2);
}
static int failing_order(kith_entity_t e1, const void* v1, kith_entity_t e2, const void* v2) {
    (void)e1;
    (void)v1;
    (void)e2;
    (void)v2;
    kith_fail(KITH_LIMIT, "cannot compare");
    return 0;
}

/* spec 417 */
TEST(wrong_orders, "members that a key cannot have are refused") {
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    const kith_id_t position = kith_id(Position);
    kith_set(world, kith_new(world), Position, {1, 2});
    const kith_order_t wrong[] = {
        {.component = position, .number = KITH_NUMBER_F64, .offset = 9},
        {.component = position, .number = KITH_NUMBER_U8, .offset = 16},
        {.component = position, .number = KITH_NUMBER_U8, .offset = UINT32_MAX},
        {.component = 0, .number = KITH_NUMBER_I16}, /* an entity has no members */
        {.component = 0, .number = KITH_NUMBER_NONE, .offset = 8},
        {.component = position}, /* neither a function nor a number */
        {.component = KithPrefab, .number = KITH_NUMBER_U8},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_FAILS(
            kith_query(world, {.terms = {{position}}, .orders = &wrong[i], .order_count = 1}),
            KITH_INVALID_QUERY);
    }
    CHECK_OK(kith_fini(world));
}

TEST(sorting, "results are sorted by a function or by numbers") {
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Mass);
    kith_entity_t es[3] = {kith_new(world), kith_new(world), kith_new(world)};
    const Mass values[3] = {{30}, {10}, {20}};
    CHECK_OK(kith_set_n(world, es, 3, kith_id(Mass), sizeof(Mass), values));
    kith_query_t* sorted = kith_query(world, {.terms = {{kith_id(Mass)}},
                                              .cached = true,
                                              .order_by_component = kith_id(Mass),
                                              .order_by = by_tons});
    kith_order_t order = {.component = kith_id(Mass),
                          .number = KITH_NUMBER_I32,
                          .offset = offsetof(Mass, tons),
                          .descending = true};
    kith_query_t* descending = kith_query(
        world, {.terms = {{kith_id(Mass)}}, .cached = true, .orders = &order, .order_count = 1});
    CHECK(kith_query_first(sorted) == es[1] && kith_query_first(descending) == es[0]);
    kith_entity_t heavy = kith_new(world);
    CHECK_OK(kith_set(world, heavy, Mass, {30}));
    const kith_order_t both[2] = {order, {.compare = by_entity, .descending = true}};
    kith_query_t* two_keys = kith_query(
        world, {.terms = {{kith_id(Mass)}}, .cached = true, .orders = both, .order_count = 2});
    CHECK(kith_query_first(two_keys) == heavy);
    kith_query_fini(two_keys);
    order.number = 99;
    CHECK_FAILS(kith_query(world, {.terms = {{kith_id(Mass)}}, .orders = &order, .order_count = 1}),
                KITH_INVALID_ARGUMENT);
    CHECK_FAILS(kith_query(world, {.terms = {{kith_id(Mass)}}, .order_count = 1}),
                KITH_INVALID_ARGUMENT);
    kith_query_t* failing = kith_query(world, {.terms = {{kith_id(Mass)}},
                                               .order_by_component = kith_id(Mass),
                                               .order_by = failing_order});
    if (failing) {
        CHECK_FAILS(kith_query_first(failing), KITH_CALLBACK);
    } else {
        CHECK(kith_last_status() == KITH_CALLBACK);
    }
    kith_query_fini(failing);
    kith_query_fini(sorted);
    kith_query_fini(descending);
    CHECK_OK(kith_check(world));
    CHECK_OK(kith_fini(world));
}

typedef struct group_log {
    int created, deleted, freed;
} group_log;
static uint64_t group_of(kith_world_t* world, kith_table_t* table, kith_id_t id, void* ctx) {
    kith_id_t found = 0;
    CHECK(ctx != NULL);
    return kith_search(world, table, kith_pair(id, KithWildcard), &found) < 0
               ? 0
               : kith_pair_second(world, found);
}
static void* create_group(kith_world_t* world, uint64_t group, void* ctx) {
    (void)world;
    (void)group;
    ((group_log*)ctx)->created++;
    return ctx;
}
static void delete_group(kith_world_t* world, uint64_t group, void* group_ctx, void* ctx) {
    (void)world;
    (void)group;
    CHECK(group_ctx == ctx);
    ((group_log*)ctx)->deleted++;
}
static void free_group(void* ctx) {
    ((group_log*)ctx)->freed++;
}

TEST(grouping, "results come by group; the context is freed once, also when making fails") {
    kith_world_t* world = kith_init();
    group_log log = {0, 0, 0};
    KITH_TAG(world, Ship);
    kith_entity_t at = kith_new_entity(world, "At"), a = kith_new(world), b = kith_new(world);
    kith_entity_t in_b = kith_new_w_pair(world, at, b), in_a = kith_new_w_pair(world, at, a);
    kith_entity_t both[2] = {in_a, in_b};
    kith_add_n(world, both, 2, Ship);
    kith_query_desc_t desc = {.terms = {{Ship}},
                              .cached = true,
                              .group_by_id = at,
                              .group_by = group_of,
                              .group_by_ctx = &log,
                              .group_by_ctx_free = free_group,
                              .on_group_create = create_group,
                              .on_group_delete = delete_group};
    kith_query_t* query = kith_query_init(world, &desc);
    CHECK(query && kith_query_first(query) == in_a && log.created == 2);
    CHECK(kith_query_group_ctx(query, b) == &log);
    CHECK_ABSENT(kith_query_group_ctx(query, 77));
    kith_iter_t it;
    CHECK_OK(kith_query_iter(world, query, &it));
    CHECK_OK(kith_iter_set_group(&it, b));
    CHECK(kith_iter_next(&it) && it.entities[0] == in_b && it.group_id == b);
    kith_iter_fini(&it);
    kith_query_fini(query);
    CHECK(log.freed == 1 && log.deleted == 2);
    desc.expr = "Nobody";
    CHECK_FAILS(kith_query_init(world, &desc), KITH_INVALID_QUERY);
    CHECK(log.freed == 2);
    desc.expr = NULL;
    desc.terms[0].oper = 99;
    CHECK_FAILS(kith_query_init(world, &desc), KITH_INVALID_ARGUMENT);
    CHECK(log.freed == 3);
    CHECK_OK(kith_fini(world));
}

TEST(orphans, "a subquery whose parent has ended knows it") {
    kith_world_t* world = kith_init();
    KITH_TAG(world, Ship);
    KITH_TAG(world, Fast);
    kith_query_t* parent = kith_query(world, {.terms = {{Ship}}, .cached = true});
    kith_query_t* child = kith_query(world, {.terms = {{Fast}}, .parent = parent});
    CHECK(child && !kith_query_orphaned(child));
    kith_query_fini(parent);
    CHECK(kith_query_orphaned(child));
    kith_query_fini(child);
    CHECK_OK(kith_fini(world));
}
