#define SUITE "seeds.manual"
#include "seeds.h"

typedef struct {
    int level;
} Game;

typedef struct fixture {
    ecs_world_t* world;
    ecs_entity_t NPC, Enemy, Likes, Apples, Alice;
    ecs_entity_t npc, enemy, plain; /* all have Position */
} fixture;
static KITH_COMPONENT_DECLARE(Position);
static KITH_COMPONENT_DECLARE(Velocity);
static fixture make(void) {
    fixture f;
    f.world = ecs_init();
    ECS_COMPONENT_DEFINE(f.world, Position);
    ECS_COMPONENT_DEFINE(f.world, Velocity);
    f.NPC = ecs_new_entity(f.world, "NPC");
    f.Enemy = ecs_new_entity(f.world, "Enemy");
    f.Likes = ecs_new_entity(f.world, "Likes");
    f.Apples = ecs_new_entity(f.world, "Apples");
    f.Alice = ecs_new_entity(f.world, "Alice");
    f.npc = ecs_new(f.world, Position);
    ecs_add(f.world, f.npc, Velocity);
    ecs_add_id(f.world, f.npc, f.NPC);
    ecs_add_pair(f.world, f.npc, f.Likes, f.Apples);
    f.enemy = ecs_new(f.world, Position);
    ecs_add_id(f.world, f.enemy, f.Enemy);
    ecs_add_pair(f.world, f.enemy, f.Likes, f.Alice);
    f.plain = ecs_new(f.world, Position);
    return f;
}
static void end(fixture* f) {
    CHECK_OK(kith_check(f->world));
    CHECK(ecs_fini(f->world) == 0);
}

/* O117, O130, O142: terms and text are one list. */
TEST(o117, "filters and queries are described by terms, and by text behind them") {
    fixture f = make();
    ecs_world_t* world = f.world;
    ecs_filter_t* terms =
        ecs_filter_init(world, &(ecs_filter_desc_t){.terms = {{ecs_id(Position)},
                                                              {ecs_id(Velocity)},
                                                              {f.NPC},
                                                              {ecs_pair(f.Likes, f.Apples)}}});
    ecs_filter_t* both = ecs_filter_init(
        world, &(ecs_filter_desc_t){.terms = {{ecs_id(Position)}, {ecs_id(Velocity)}},
                                    .expr = "NPC, (Likes, Apples)"});
    ecs_query_t* q =
        ecs_query_init(world, &(ecs_query_desc_t){.filter.terms = {{ecs_id(Position)},
                                                                   {ecs_id(Velocity)},
                                                                   {f.NPC},
                                                                   {ecs_pair(f.Likes, f.Apples)}}});
    MATCHES(world, terms, 1, f.npc);
    MATCHES(world, both, 1, f.npc);
    MATCHES(world, q, 1, f.npc);
    CHECK_OWNED_TEXT(ecs_filter_str(world, both), "Position, Velocity, NPC, (Likes,Apples)");
    ecs_filter_fini(terms);
    ecs_filter_fini(both);
    ecs_query_fini(q);
    end(&f);
}

/* O254, O278: the older names of fields. */
TEST(o254, "fields are called terms") {
    fixture f = make();
    ecs_world_t* world = f.world;
    ecs_set(world, f.npc, Velocity, {1, 2});
    ecs_query_t* q = ecs_query_init(
        world, &(ecs_query_desc_t){.filter.terms = {{ecs_id(Position)}, {ecs_id(Velocity)}}});
    ecs_iter_t it = ecs_query_iter(world, q);
    while (ecs_query_next(&it)) {
        Position* p = ecs_term(&it, Position, 1);
        Velocity* v = ecs_term(&it, Velocity, 2);
        for (int i = 0; i < it.count; i++) {
            p[i].x += v[i].x;
            p[i].y += v[i].y;
        }
    }
    CHECK(ecs_get(world, f.npc, Position)->y == 2);
    ecs_query_fini(q);

    q = ecs_query_init(world,
                       &(ecs_query_desc_t){.filter.terms = {{ecs_pair(f.Likes, EcsWildcard)}}});
    it = ecs_query_iter(world, q);
    int apples = 0, alice = 0;
    while (ecs_query_next(&it)) {
        ecs_id_t id = ecs_term_id(&it, 1);
        ecs_entity_t obj = ecs_pair_second(it.world, id);
        apples += strcmp(ecs_get_name(world, obj), "Apples") == 0;
        alice += strcmp(ecs_get_name(world, obj), "Alice") == 0;
    }
    CHECK(apples == 1 && alice == 1);
    ecs_query_fini(q);
    end(&f);
}

/* O306, O377 */
static int compare_position(ecs_entity_t e1, const void* v1, ecs_entity_t e2, const void* v2) {
    const Position *p1 = v1, *p2 = v2;
    (void)e1;
    (void)e2;
    return (p1->x > p2->x) - (p1->x < p2->x);
}
static int compare_entity(ecs_entity_t e1, const void* v1, ecs_entity_t e2, const void* v2) {
    (void)v1;
    (void)v2;
    return (e1 > e2) - (e1 < e2);
}

/* O296, O314, O330, O368 */
TEST(o296, "a sorted query is in order whenever it is iterated") {
    fixture f = make();
    ecs_world_t* world = f.world;
    ecs_query_t* q =
        ecs_query_init(world, &(ecs_query_desc_t){.filter.terms = {{ecs_id(Position)}},
                                                  .order_by_component = ecs_id(Position),
                                                  .order_by = compare_position});
    ecs_set(world, f.npc, Position, {30, 0});
    ecs_entity_t e = ecs_new(world, Position);
    ecs_set(world, e, Position, {10, 20});
    ecs_iter_t it = ecs_query_iter(world, q);
    double last = -1;
    int32_t rows = 0;
    while (ecs_query_next(&it)) {
        Position* p = ecs_term(&it, Position, 1);
        for (int i = 0; i < it.count; i++, rows++) {
            CHECK(p[i].x >= last);
            last = p[i].x;
        }
    }
    CHECK(rows == 4 && last == 30);
    ecs_query_fini(q);
    q = ecs_query_init(world, &(ecs_query_desc_t){.filter.terms = {{ecs_id(Position)}},
                                                  .order_by = compare_entity});
    it = ecs_query_iter(world, q);
    CHECK(ecs_iter_first(&it) == f.npc);
    ecs_query_fini(q);
    end(&f);
}

/* O427, O460, O493, O533, O569 */
TEST(o427, "operators and access") {
    fixture f = make();
    ecs_world_t* world = f.world;
    ecs_query_t* q = ecs_query_init(
        world, &(ecs_query_desc_t){.filter.terms = {{ecs_id(Position)}, {f.NPC, .oper = EcsNot}}});
    MATCHES(world, q, 2, f.enemy, f.plain);
    ecs_query_fini(q);
    q = ecs_query_init(world, &(ecs_query_desc_t){.filter.terms = {{ecs_id(Position)},
                                                                   {f.NPC, .oper = EcsOptional}}});
    MATCHES(world, q, 3, f.npc, f.enemy, f.plain);
    ecs_query_fini(q);
    q = ecs_query_init(world, &(ecs_query_desc_t){.filter.terms = {{ecs_id(Position)},
                                                                   {f.NPC, .oper = EcsOr},
                                                                   {f.Enemy, .oper = EcsOr}}});
    MATCHES(world, q, 2, f.npc, f.enemy);
    ecs_query_fini(q);
    ecs_entity_t Ingredients = ecs_new_prefab(world, "Ingredients");
    ecs_add_id(world, Ingredients, f.NPC);
    q = ecs_query_init(
        world, &(ecs_query_desc_t){
                   .filter.terms = {{ecs_id(Position)}, {Ingredients, .oper = EcsAndFrom}}});
    MATCHES(world, q, 1, f.npc);
    ecs_query_fini(q);
    q = ecs_query_init(
        world, &(ecs_query_desc_t){
                   .filter.terms = {{ecs_id(Position)}, {ecs_id(Position), .inout = EcsIn}}});
    ecs_iter_t it = ecs_query_iter(world, q);
    CHECK(ecs_query_next(&it) && ecs_field_is_readonly(&it, 2) && !ecs_field_is_readonly(&it, 1));
    ecs_iter_fini(&it);
    ecs_query_fini(q);
    end(&f);
}

/* O647, O671, O700, O712, O784, O806, O873 */
TEST(o647, "components, tags and pairs are terms") {
    fixture f = make();
    ecs_world_t* world = f.world;
    ECS_COMPONENT(world, Mass);
    ecs_set(world, f.npc, Mass, {1});
    ecs_query_t* q = ecs_query_init(
        world, &(ecs_query_desc_t){
                   .filter.terms = {{ecs_id(Position)}, {ecs_id(Velocity)}, {ecs_id(Mass)}}});
    MATCHES(world, q, 1, f.npc);
    ecs_query_fini(q);
    q = ecs_query_init(world, &(ecs_query_desc_t){.filter.terms = {{f.NPC}}});
    MATCHES(world, q, 1, f.npc);
    ecs_query_fini(q);
    q = ecs_query_init(world, &(ecs_query_desc_t){.filter.terms = {{ecs_pair(f.Likes, f.Apples)}}});
    MATCHES(world, q, 1, f.npc);
    ecs_query_fini(q);
    q = ecs_query_init(world, &(ecs_query_desc_t){.filter.terms = {{ecs_id(Position)}}});
    MATCHES(world, q, 3, f.npc, f.enemy, f.plain);
    ecs_query_fini(q);
    q = ecs_query_init(world, &(ecs_query_desc_t){.filter.terms = {{ecs_pair(f.Likes, f.Alice)}}});
    MATCHES(world, q, 1, f.enemy);
    ecs_query_fini(q);
    q = ecs_query_init(world,
                       &(ecs_query_desc_t){.filter.terms = {{ecs_pair(f.Likes, EcsWildcard)}}});
    MATCHES(world, q, 2, f.npc, f.enemy);
    ecs_query_fini(q);

    /* Tags that are declared by name have ids as types have. */
    ECS_TAG(world, Wants);
    ECS_TAG(world, Pears);
    ecs_add_pair(world, f.plain, Wants, Pears);
    q = ecs_query_init(
        world, &(ecs_query_desc_t){.filter.terms = {{ecs_pair(ecs_id(Wants), ecs_id(Pears))}}});
    MATCHES(world, q, 1, f.plain);
    ecs_query_fini(q);
    end(&f);
}

/* O747, O770, O795, O817, O934, O1075: the older spellings of a term's parts. */
TEST(o747, "parts of a term are called subject, predicate and object") {
    fixture f = make();
    ecs_world_t* world = f.world;
    ECS_COMPONENT(world, Game);
    ecs_singleton_set(world, Game, {3});
    ecs_query_t* q = ecs_query_init(
        world, &(ecs_query_desc_t){.filter.terms = {{ecs_id(Game), .subj.entity = ecs_id(Game)}}});
    ecs_iter_t it = ecs_query_iter(world, q);
    CHECK(ecs_query_next(&it) && ecs_field(&it, Game, 1)->level == 3);
    ecs_iter_fini(&it);
    ecs_query_fini(q);
    q = ecs_query_init(
        world, &(ecs_query_desc_t){
                   .filter.terms = {{.pred.entity = ecs_id(Position), .subj.entity = EcsThis},
                                    {.pred.entity = f.Likes, .obj.entity = f.Alice}}});
    MATCHES(world, q, 1, f.enemy);
    ecs_query_fini(q);
    q = ecs_query_init(world, &(ecs_query_desc_t){.filter.terms = {{.pred.entity = ecs_id(Position),
                                                                    .subj.entity = EcsThis}}});
    MATCHES(world, q, 3, f.npc, f.enemy, f.plain);
    ecs_query_fini(q);
    q = ecs_query_init(world, &(ecs_query_desc_t){.filter.terms = {{.pred.entity = f.Likes,
                                                                    .subj.entity = EcsThis,
                                                                    .obj.entity = f.Alice}}});
    MATCHES(world, q, 1, f.enemy);
    ecs_query_fini(q);

    ecs_entity_t Colleague = ecs_new_id(world);
    ecs_add_pair(world, f.enemy, Colleague, f.Alice);
    ecs_add_pair(world, f.npc, Colleague, f.Alice);
    q = ecs_query_init(
        world, &(ecs_query_desc_t){
                   .filter.terms = {
                       {.pred.entity = f.Likes, .obj = {.name = "X", .var = EcsVarIsVariable}},
                       {.pred.entity = Colleague, .obj = {.name = "X", .var = EcsVarIsVariable}}}});
    MATCHES(world, q, 1, f.enemy);
    ecs_query_fini(q);

    ecs_entity_t chain[5] = {f.plain};
    for (int i = 1; i < 5; i++) {
        chain[i] = ecs_new_w_pair(world, EcsChildOf, chain[i - 1]);
    }
    q = ecs_query_init(
        world, &(ecs_query_desc_t){
                   .filter.terms = {{ecs_id(Position),
                                     .subj.set = {.mask = EcsSuperSet, .relation = EcsChildOf}}}});
    MATCHES(world, q, 4, chain[1], chain[2], chain[3], chain[4]);
    ecs_query_fini(q);
    q = ecs_query_init(
        world, &(ecs_query_desc_t){
                   .filter.terms = {{ecs_id(Position), .subj.set = {.mask = EcsSelf | EcsSuperSet,
                                                                    .relation = EcsChildOf,
                                                                    .max_depth = 3}}}});
    MATCHES(world, q, 6, f.npc, f.enemy, f.plain, chain[1], chain[2], chain[3]);
    ecs_query_fini(q);
    end(&f);
}

static int observed;
static void on_position(ecs_iter_t* it) {
    const Position* p = ecs_field(it, Position, 1);
    observed += p && it->event == EcsOnSet ? it->count : 0;
}

/* Observers embed the description of a filter, and take a text as macro. */
TEST(observers, "observers are described by a filter or by text") {
    ecs_world_t* world = ecs_init();
    ECS_COMPONENT_DEFINE(world, Position);
    observed = 0;
    ECS_OBSERVER(world, on_position, EcsOnSet, Position);
    ecs_observer(
        world,
        {.filter.terms = {{ecs_id(Position)}}, .events = {EcsOnSet}, .callback = on_position});
    ecs_set(world, ecs_new_id(world), Position, {1, 2});
    CHECK(observed == 2);
    ecs_entity_t e = ecs_new(world, Position);
    ecs_ref_t ref = ecs_ref_init(world, e, Position);
    CHECK(ecs_ref_get(world, &ref, Position) == ecs_get(world, e, Position));
    CHECK(ecs_fini(world) == 0);
}
