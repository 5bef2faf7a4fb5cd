#define SUITE "seeds.queries"
#include "seeds.h"

typedef struct {
    double value;
} Speed;
typedef struct {
    double value;
} SimTime;
typedef struct {
    double value;
} Depth;
typedef struct {
    int keys;
} Input;
typedef struct {
    int width;
} Window;
typedef struct {
    int amount;
} Eats;

/* A world with a moving and a resting entity. */
typedef struct fixture {
    ecs_world_t* world;
    ecs_entity_t moving, resting;
} fixture;
static KITH_COMPONENT_DECLARE(Position);
static KITH_COMPONENT_DECLARE(Velocity);
static fixture make(void) {
    fixture made;
    made.world = ecs_init();
    ECS_COMPONENT_DEFINE(made.world, Position);
    ECS_COMPONENT_DEFINE(made.world, Velocity);
    made.moving = ecs_new_id(made.world);
    ecs_set(made.world, made.moving, Position, {10, 20});
    ecs_set(made.world, made.moving, Velocity, {1, 2});
    made.resting = ecs_new_id(made.world);
    ecs_set(made.world, made.resting, Position, {0, 0});
    return made;
}
static void end(fixture* made) {
    CHECK_OK(kith_check(made->world));
    CHECK(ecs_fini(made->world) == 0);
}

/* Q62, Q93, Q124, Q282: one engine, three names. */
TEST(q62, "filters, queries and rules are iterated in the same way") {
    fixture f_ = make();
    ecs_world_t* world = f_.world;
    ecs_filter_t* f = ecs_filter(world, {.terms = {{ecs_id(Position)}, {ecs_id(Velocity)}}});
    ecs_iter_t it = ecs_filter_iter(world, f);
    while (ecs_filter_next(&it)) {
        Position* p = ecs_field(&it, Position, 1);
        Velocity* v = ecs_field(&it, Velocity, 2);
        for (int i = 0; i < it.count; i++) {
            p[i].x += v[i].x;
            p[i].y += v[i].y;
        }
    }
    ecs_query_t* q = ecs_query(world, {.filter.terms = {{ecs_id(Position)}, {ecs_id(Velocity)}}});
    it = ecs_query_iter(world, q);
    while (ecs_query_next(&it)) {
        Position* p = ecs_field(&it, Position, 1);
        Velocity* v = ecs_field(&it, Velocity, 2);
        for (int i = 0; i < it.count; i++) {
            p[i].x += v[i].x;
            p[i].y += v[i].y;
        }
    }
    ecs_rule_t* r = ecs_rule(world, {.terms = {{ecs_id(Position)}, {ecs_id(Velocity)}}});
    it = ecs_rule_iter(world, r);
    while (ecs_rule_next(&it)) {
        Position* p = ecs_field(&it, Position, 1);
        Velocity* v = ecs_field(&it, Velocity, 2);
        for (int i = 0; i < it.count; i++) {
            p[i].x += v[i].x;
            p[i].y += v[i].y;
        }
    }
    CHECK(ecs_get(world, f_.moving, Position)->x == 13);
    CHECK(ecs_get(world, f_.moving, Position)->y == 26);
    it = ecs_rule_iter(world, r);
    while (ecs_iter_next(&it)) {
        CHECK(it.count == 1);
    }
    ecs_filter_fini(f);
    ecs_query_fini(q);
    ecs_rule_fini(r);
    end(&f_);
}

static void Move(ecs_iter_t* it) {
    Position* p = ecs_field(it, Position, 1);
    const Velocity* v = ecs_field(it, Velocity, 2);
    for (int i = 0; i < it->count; i++) {
        p[i].x += v[i].x;
        p[i].y += v[i].y;
    }
}
/* Q253 */
TEST(q253, "the macro of systems takes a query as bare text") {
    fixture f_ = make();
    ecs_world_t* world = f_.world;
    ECS_SYSTEM(world, Move, EcsOnUpdate, Position, [in] Velocity);
    CHECK(ecs_progress(world, 0));
    CHECK(ecs_get(world, f_.moving, Position)->x == 11);
    CHECK(ecs_get(world, f_.resting, Position)->x == 0);
    end(&f_);
}

/* Q160, Q170, Q180, Q259, Q505, Q519, Q544 */
TEST(q160, "a filter is described in one expression, member by member, by name or as text") {
    fixture f_ = make();
    ecs_world_t* world = f_.world;
    ecs_filter_t* made[7];
    made[0] = ecs_filter(world, {
                                    .terms = {{ecs_id(Position)}, {ecs_id(Velocity)}},
                                });
    made[1] = ecs_filter_init(world, &(ecs_filter_desc_t){
                                         .terms = {{ecs_id(Position)}, {ecs_id(Velocity)}},
                                     });
    ecs_filter_desc_t desc = {0};
    desc.terms[0].id = ecs_id(Position);
    desc.terms[1].id = ecs_id(Velocity);
    made[2] = ecs_filter_init(world, &desc);
    made[3] = ecs_filter(world, {.expr = "Position, [in] Velocity"});
    made[4] = ecs_filter(world, {.terms = {{.id = ecs_id(Position)}, {.id = ecs_id(Velocity)}}});
    made[5] =
        ecs_filter(world, {.terms = {{.first.name = "Position"}, {.first.name = "Velocity"}}});
    made[6] = ecs_filter(world, {.terms = {{ecs_id(Position)}, {ecs_id(Velocity)}}});
    for (int i = 0; i < 7; i++) {
        MATCHES(world, made[i], 1, f_.moving);
        ecs_filter_fini(made[i]);
    }
    CHECK_FAILS(ecs_filter_init(world, NULL), KITH_INVALID_ARGUMENT);
    end(&f_);
}

TEST(q530, "tags and entities are terms") {
    ecs_world_t* world = ecs_init();
    ECS_TAG(world, Npc);
    ecs_entity_t Platoon_01 = ecs_new_id(world);
    ecs_entity_t e = ecs_new_w_id(world, Npc);
    ecs_add_id(world, e, Platoon_01);
    ecs_new_w_id(world, Npc);
    ecs_filter_t* f = ecs_filter(world, {.terms = {{Npc}, {Platoon_01}}});
    MATCHES(world, f, 1, e);
    ecs_filter_fini(f);
    CHECK(ecs_fini(world) == 0);
}

/* Q656, Q682 */
TEST(q656, "* matches each id of an entity, _ matches once") {
    ecs_world_t* world = ecs_init();
    ECS_COMPONENT_DEFINE(world, Position);
    ECS_COMPONENT_DEFINE(world, Velocity);
    ecs_entity_t e = ecs_new_id(world);
    ecs_add(world, e, Position);
    ecs_add(world, e, Velocity);
    ecs_filter_t* each = ecs_filter(world, {.terms = {{EcsWildcard}}});
    ecs_filter_t* any = ecs_filter(world, {.terms = {{EcsAny}}});
    ecs_iter_t it = ecs_filter_iter(world, each);
    int32_t of_each = 0, of_any = 0;
    while (ecs_filter_next(&it)) {
        of_each += it.entities[0] == e;
    }
    it = ecs_filter_iter(world, any);
    while (ecs_filter_next(&it)) {
        of_any += it.entities[0] == e;
    }
    CHECK(of_each == 2 && of_any == 1);
    ecs_filter_fini(each);
    ecs_filter_fini(any);
    CHECK(ecs_fini(world) == 0);
}

/* Q722, Q735, Q748, Q761, Q777 */
TEST(q722, "pairs are terms by id, by type, by parts and by names") {
    ecs_world_t* world = ecs_init();
    ecs_entity_t Likes = ecs_new_id(world);
    ecs_entity_t Bob = ecs_new_id(world);
    ecs_entity_t e = ecs_new_w_pair(world, Likes, Bob);
    ecs_filter_t* named = ecs_filter(world, {.terms = {{.id = ecs_pair(Likes, Bob)}}});
    ecs_filter_t* first = ecs_filter(world, {.terms = {{ecs_pair(Likes, Bob)}}});
    MATCHES(world, named, 1, e);
    MATCHES(world, first, 1, e);
    ecs_filter_fini(named);
    ecs_filter_fini(first);

    ECS_COMPONENT(world, Eats);
    ECS_TAG(world, Apples);
    ecs_entity_t eater = ecs_new_id(world);
    ecs_set_pair(world, eater, Eats, Apples, {3});
    ecs_filter_t* f[4];
    f[0] = ecs_filter(world, {.terms = {{ecs_pair(ecs_id(Eats), Apples)}}});
    f[1] = ecs_filter(world, {.terms = {{.first.id = ecs_id(Eats), .second.id = Apples}}});
    f[2] = ecs_filter(world, {.terms = {{.first.name = "Eats", .second.id = Apples}}});
    f[3] = ecs_filter(world, {.terms = {{.first.name = "Eats", .second.name = "Apples"}}});
    for (int i = 0; i < 4; i++) {
        MATCHES(world, f[i], 1, eater);
        ecs_filter_fini(f[i]);
    }

    ecs_entity_t parent = ecs_new_id(world), child = ecs_new_w_pair(world, EcsChildOf, parent);
    ecs_filter_t* f_1 = ecs_filter(world, {.terms = {{ecs_pair(EcsChildOf, parent)}}});
    ecs_filter_t* f_2 = ecs_filter(world, {.terms = {{ecs_childof(parent)}}});
    MATCHES(world, f_1, 1, child);
    MATCHES(world, f_2, 1, child);
    ecs_filter_fini(f_1);
    ecs_filter_fini(f_2);
    CHECK(ecs_fini(world) == 0);
}

TEST(q787, "tags that are declared by name are found by it") {
    ecs_world_t* world = ecs_init();
    ECS_TAG(world, Enjoys);
    ECS_TAG(world, Apples);
    ecs_entity_t e = ecs_new_w_pair(world, Enjoys, Apples);
    ecs_filter_t* f_1 =
        ecs_filter(world, {.terms = {{.first.name = "Enjoys", .second.id = Apples}}});
    ecs_filter_t* f_2 =
        ecs_filter(world, {.terms = {{.first.name = "Enjoys", .second.name = "Apples"}}});
    MATCHES(world, f_1, 1, e);
    MATCHES(world, f_2, 1, e);
    ecs_filter_fini(f_1);
    ecs_filter_fini(f_2);
    CHECK(ecs_fini(world) == 0);
}

TEST(q807, "the id of a field names what a wildcard stands for") {
    ecs_world_t* world = ecs_init();
    ECS_TAG(world, Likes);
    ecs_entity_t Alice = ecs_new_entity(world, "Alice"), Bob = ecs_new_entity(world, "Bob");
    ecs_add_pair(world, Bob, Likes, Alice);
    ecs_filter_t* f = ecs_filter(world, {.terms = {{ecs_pair(Likes, EcsWildcard)}}});
    ecs_iter_t it = ecs_filter_iter(world, f);
    char line[60] = "";
    while (ecs_filter_next(&it)) {
        ecs_id_t id = ecs_field_id(&it, 1);
        ecs_entity_t second = ecs_pair_second(world, id);
        for (int i = 0; i < it.count; i++) {
            snprintf(line, sizeof line, "entity %s likes %s", ecs_get_name(world, it.entities[i]),
                     ecs_get_name(world, second));
        }
    }
    CHECK_TEXT(line, "entity Bob likes Alice");
    ecs_filter_fini(f);
    CHECK(ecs_fini(world) == 0);
}

/* Q972, Q1066, Q1221 */
TEST(q972, "access, And and Not") {
    fixture f_ = make();
    ecs_world_t* world = f_.world;
    ecs_filter_t* in =
        ecs_filter(world, {.terms = {{ecs_id(Position)}, {ecs_id(Velocity), .inout = EcsIn}}});
    ecs_iter_t it = ecs_filter_iter(world, in);
    CHECK(ecs_filter_next(&it));
    CHECK(ecs_field_is_readonly(&it, 2) && !ecs_field_is_readonly(&it, 1));
    ecs_iter_fini(&it);
    ecs_filter_t* f_1 = ecs_filter(world, {.terms = {{ecs_id(Position)}, {ecs_id(Velocity)}}});
    ecs_filter_t* f_2 = ecs_filter(
        world, {.terms = {{ecs_id(Position), .oper = EcsAnd}, {ecs_id(Velocity), .oper = EcsAnd}}});
    ecs_filter_t* none =
        ecs_filter(world, {.terms = {{ecs_id(Position)}, {ecs_id(Velocity), .oper = EcsNot}}});
    MATCHES(world, f_1, 1, f_.moving);
    MATCHES(world, f_2, 1, f_.moving);
    MATCHES(world, none, 1, f_.resting);
    ecs_filter_fini(in);
    ecs_filter_fini(f_1);
    ecs_filter_fini(f_2);
    ecs_filter_fini(none);
    end(&f_);
}

TEST(q1133, "members of an Or chain share a field, whose type the id tells") {
    fixture f_ = make();
    ecs_world_t* world = f_.world;
    ECS_COMPONENT(world, Speed);
    ECS_COMPONENT(world, Mass);
    ecs_set(world, f_.moving, Mass, {5});
    ecs_set(world, f_.resting, Speed, {3});
    ecs_set(world, f_.resting, Mass, {6});
    ecs_filter_t* f = ecs_filter(world, {.terms = {{ecs_id(Position)},
                                                   {ecs_id(Velocity), .oper = EcsOr},
                                                   {ecs_id(Speed)},
                                                   {ecs_id(Mass)}}});
    ecs_iter_t it = ecs_filter_iter(world, f);
    int32_t by_velocity = 0, by_speed = 0;
    while (ecs_filter_next(&it)) {
        Position* p = ecs_field(&it, Position, 1);
        Mass* m = ecs_field(&it, Mass, 3);
        CHECK(p && m && m->tons >= 5);
        ecs_id_t vs_id = ecs_field_id(&it, 2);
        if (vs_id == ecs_id(Velocity)) {
            Velocity* v = ecs_table_get_id(world, it.table, ecs_id(Velocity), it.offset);
            by_velocity += v->y == 2;
        } else if (vs_id == ecs_id(Speed)) {
            Speed* s = ecs_table_get_id(world, it.table, ecs_id(Speed), it.offset);
            by_speed += s->value == 3;
        }
    }
    CHECK(by_velocity == 1 && by_speed == 1);
    ecs_filter_fini(f);
    end(&f_);
}

TEST(q1276, "an optional field is set or not") {
    fixture f_ = make();
    ecs_world_t* world = f_.world;
    ecs_filter_t* f =
        ecs_filter(world, {.terms = {{ecs_id(Position)}, {ecs_id(Velocity), .oper = EcsOptional}}});
    ecs_iter_t it = ecs_filter_iter(world, f);
    int32_t set = 0, unset = 0;
    while (ecs_filter_next(&it)) {
        CHECK(ecs_field(&it, Position, 1) != NULL);
        if (ecs_field_is_set(&it, 2)) {
            Velocity* v = ecs_field(&it, Velocity, 2);
            set += v->x == 1;
        } else {
            unset++;
        }
    }
    CHECK(set == 1 && unset == 1);
    ecs_filter_fini(f);
    end(&f_);
}

TEST(q1365, "entities are compared by identity, by name and by a part of the name") {
    ecs_world_t* world = ecs_init();
    ecs_entity_t Foo = ecs_new_entity(world, "Foo"), Bar = ecs_new_entity(world, "Bar");
    ecs_rule_t* r = ecs_rule(
        world,
        {.terms = {{.first.id = EcsPredEq, .second.id = Foo},
                   {.first.id = EcsPredEq, .second.id = Bar, .oper = EcsNot},
                   {.first.id = EcsPredEq, .second = {.name = "Foo", .flags = EcsIsName}},
                   {.first.id = EcsPredMatch, .second = {.name = "Fo", .flags = EcsIsName}}}});
    MATCHES(world, r, 1, Foo);
    ecs_rule_fini(r);
    CHECK(ecs_fini(world) == 0);
}

TEST(q1418, "lists of ids are terms") {
    fixture f_ = make();
    ecs_world_t* world = f_.world;
    ecs_entity_t type_list = ecs_new_w_id(world, EcsPrefab);
    ecs_add(world, type_list, Position);
    ecs_add(world, type_list, Velocity);
    ecs_filter_t* all = ecs_filter(world, {.terms = {{type_list, .oper = EcsAndFrom}}});
    ecs_filter_t* some = ecs_filter(world, {.terms = {{type_list, .oper = EcsOrFrom}}});
    ecs_filter_t* contradiction = ecs_filter(world, {.terms = {{type_list, .oper = EcsAndFrom},
                                                               {type_list, .oper = EcsOrFrom},
                                                               {type_list, .oper = EcsNotFrom}}});
    MATCHES(world, all, 1, f_.moving);
    MATCHES(world, some, 2, f_.moving, f_.resting);
    MATCHES_NOTHING(world, contradiction);
    ecs_filter_fini(all);
    ecs_filter_fini(some);
    ecs_filter_fini(contradiction);
    end(&f_);
}

TEST(q1507, "a scope is negated as a whole") {
    fixture f_ = make();
    ecs_world_t* world = f_.world;
    ECS_COMPONENT(world, Speed);
    ecs_entity_t fast = ecs_new_id(world);
    ecs_set(world, fast, Position, {0, 0});
    ecs_set(world, fast, Speed, {9});
    ecs_rule_t* r =
        ecs_rule(world, {.terms = {{.id = ecs_id(Position)},
                                   {.id = EcsScopeOpen, .src.flags = EcsIsEntity, .oper = EcsNot},
                                   {.id = ecs_id(Velocity), .oper = EcsOr},
                                   {.id = ecs_id(Speed)},
                                   {.id = EcsScopeClose, .src.flags = EcsIsEntity}}});
    MATCHES(world, r, 1, f_.resting);
    ecs_rule_fini(r);
    end(&f_);
}

/* Q1551, Q1582, Q1595, Q1736 */
TEST(q1551, "a term has a source of its own") {
    fixture f_ = make();
    ecs_world_t* world = f_.world;
    ECS_COMPONENT(world, SimTime);
    ECS_COMPONENT(world, Input);
    ecs_entity_t Game = ecs_entity(world, {.name = "Game"});
    ecs_add(world, Game, SimTime);
    ecs_set(world, Game, SimTime, {2});
    ecs_filter_t* f = ecs_filter(
        world,
        {.terms = {{ecs_id(Position)}, {ecs_id(Velocity)}, {ecs_id(SimTime), .src.id = Game}}});
    ecs_iter_t it = ecs_filter_iter(world, f);
    while (ecs_filter_next(&it)) {
        Position* p = ecs_field(&it, Position, 1);
        Velocity* v = ecs_field(&it, Velocity, 2);
        SimTime* st = ecs_field(&it, SimTime, 3);
        for (int i = 0; i < it.count; i++) {
            p[i].x += v[i].x * st[i].value;
            p[i].y += v[i].y * st[i].value;
        }
    }
    CHECK(ecs_get(world, f_.moving, Position)->y == 24);
    ecs_filter_fini(f);

    f = ecs_filter(world, {.terms = {{ecs_id(SimTime), .src.name = "Game"}}});
    it = ecs_filter_iter(world, f);
    CHECK(ecs_filter_next(&it) && it.count == 0 && ecs_field_src(&it, 1) == Game);
    CHECK(!ecs_filter_next(&it));
    ecs_filter_fini(f);

    ecs_set_name(world, f_.moving, "moving");
    ecs_set_name(world, f_.resting, "resting");
    f = ecs_filter(world, {.terms = {{ecs_id(Position)}, {ecs_id(SimTime), .src.id = Game}}});
    it = ecs_filter_iter(world, f);
    int32_t rows = 0;
    while (ecs_filter_next(&it)) {
        ecs_entity_t src_1 = ecs_field_src(&it, 1);
        ecs_entity_t src_2 = ecs_field_src(&it, 2);
        CHECK(src_1 == 0 && src_2 == Game);
        for (int i = 0; i < it.count; i++, rows++) {
            CHECK(ecs_get_name(world, it.entities[i]) != NULL);
            CHECK_TEXT(ecs_get_name(world, src_2), "Game");
        }
    }
    CHECK(rows == 2);
    ecs_filter_fini(f);

    ecs_entity_t Player = ecs_new_id(world);
    ecs_add_id(world, f_.moving, Player);
    ecs_singleton_set(world, Input, {7});
    f = ecs_filter(
        world, {.terms = {{Player}, {ecs_id(Position)}, {ecs_id(Input), .src = ecs_id(Input)}}});
    it = ecs_filter_iter(world, f);
    CHECK(ecs_filter_next(&it) && ecs_field(&it, Input, 3)->keys == 7);
    ecs_iter_fini(&it);
    ecs_filter_fini(f);
    end(&f_);
}

/* Q1853, Q1866, Q1937 */
TEST(q1853, "values are inherited unless the term is about the entity itself") {
    ecs_world_t* world = ecs_init();
    ECS_COMPONENT_DEFINE(world, Position);
    ecs_entity_t base = ecs_new(world, Position);
    ecs_entity_t inst = ecs_new_w_pair(world, EcsIsA, base);
    ecs_filter_t* f = ecs_filter(world, {.terms = {{ecs_id(Position)}}});
    ecs_filter_t* self = ecs_filter(world, {.terms = {{ecs_id(Position), .src.flags = EcsSelf}}});
    ecs_filter_t* spelled = ecs_filter(
        world,
        {.terms = {{.id = ecs_id(Position), .src.flags = EcsSelf | EcsUp, .src.trav = EcsIsA}}});
    MATCHES(world, f, 2, base, inst);
    MATCHES(world, self, 1, base);
    MATCHES(world, spelled, 2, base, inst);
    ecs_filter_fini(f);
    ecs_filter_fini(self);
    ecs_filter_fini(spelled);
    CHECK(ecs_fini(world) == 0);
}

/* Q1876, Q1894, Q1905, Q1916, Q1927 */
TEST(q1876, "terms look at parents") {
    ecs_world_t* world = ecs_init();
    ECS_COMPONENT_DEFINE(world, Position);
    ECS_COMPONENT(world, Window);
    ecs_entity_t parent = ecs_new(world, Position);
    ecs_entity_t child = ecs_new(world, Position);
    ecs_add_pair(world, child, EcsChildOf, parent);
    ecs_filter_t* up = ecs_filter(
        world, {.terms = {{ecs_id(Position)},
                          {ecs_id(Position), .src.flags = EcsUp, .src.trav = EcsChildOf}}});
    ecs_filter_t* of_parent = ecs_filter(
        world, {.terms = {{ecs_id(Position)}, {ecs_id(Position), .src.flags = EcsParent}}});
    ecs_filter_t* maybe = ecs_filter(
        world, {.terms = {{ecs_id(Position)},
                          {ecs_id(Position), .src.flags = EcsParent, .oper = EcsOptional}}});
    MATCHES(world, up, 1, child);
    MATCHES(world, of_parent, 1, child);
    MATCHES(world, maybe, 2, parent, child);
    ecs_query_t* q = ecs_query(
        world, {.filter.terms = {
                    {ecs_id(Position)},
                    {ecs_id(Position), .src.flags = EcsCascade | EcsParent, .oper = EcsOptional}}});
    ecs_iter_t it = ecs_query_iter(world, q);
    CHECK(ecs_query_next(&it) && it.entities[0] == parent && !ecs_field_is_set(&it, 2));
    CHECK(ecs_query_next(&it) && it.entities[0] == child && ecs_field_is_set(&it, 2));
    CHECK(!ecs_query_next(&it));

    ecs_entity_t window = ecs_new(world, Window);
    ecs_entity_t my_widget = ecs_new_w_pair(world, EcsChildOf, window);
    ecs_filter_t* fixed = ecs_filter(
        world, {.terms = {{ecs_id(Window), .src.flags = EcsParent, .src.id = my_widget}}});
    it = ecs_filter_iter(world, fixed);
    CHECK(ecs_filter_next(&it) && ecs_field_src(&it, 1) == window);
    ecs_iter_fini(&it);
    ecs_filter_fini(up);
    ecs_filter_fini(of_parent);
    ecs_filter_fini(maybe);
    ecs_filter_fini(fixed);
    ecs_query_fini(q);
    CHECK(ecs_fini(world) == 0);
}

TEST(q2202, "instanced results share a value") {
    ecs_world_t* world = ecs_init();
    ECS_COMPONENT_DEFINE(world, Position);
    ECS_COMPONENT(world, Mass);
    ecs_entity_t base = ecs_new_prefab(world, "base");
    ecs_set(world, base, Mass, {2});
    ecs_entity_t heirs[2], owner = ecs_new_id(world);
    for (int i = 0; i < 2; i++) {
        heirs[i] = ecs_new_w_pair(world, EcsIsA, base);
        ecs_set(world, heirs[i], Position, {0, 0});
    }
    ecs_set(world, owner, Position, {0, 0});
    ecs_set(world, owner, Mass, {4});
    ecs_filter_t* f = ecs_filter(
        world,
        {.terms = {{ecs_id(Position), .src.flags = EcsSelf}, {ecs_id(Mass)}}, .instanced = true});
    ecs_iter_t it = ecs_filter_iter(world, f);
    int32_t shared = 0;
    while (ecs_filter_next(&it)) {
        Position* p = ecs_field(&it, Position, 1);
        Mass* m = ecs_field(&it, Mass, 2);
        if (ecs_field_is_self(&it, 2)) {
            for (int i = 0; i < it.count; i++) {
                p[i].x += 1.0 / m[i].tons;
            }
        } else {
            shared += it.count;
            for (int i = 0; i < it.count; i++) {
                p[i].x += 1.0 / m->tons;
            }
        }
    }
    CHECK(shared == 2);
    CHECK(ecs_get(world, heirs[1], Position)->x == 0.5);
    CHECK(ecs_get(world, owner, Position)->x == 0.25);
    ecs_filter_fini(f);
    CHECK(ecs_fini(world) == 0);
}

/* Q2337, Q2362 */
TEST(q2337, "variables join terms, and are given before a run") {
    ecs_world_t* world = ecs_init();
    ecs_entity_t SpaceShip = ecs_new_id(world), DockedTo = ecs_new_id(world);
    ECS_TAG(world, Planet);
    ecs_rule_t* r = ecs_rule(
        world,
        {.terms = {{.id = SpaceShip},
                   {.first.id = DockedTo, .second = {.name = "Location", .flags = EcsIsVariable}},
                   {.id = Planet, .src = {.name = "Location", .flags = EcsIsVariable}}}});
    ecs_entity_t earth = ecs_new(world, Planet), mars = ecs_new(world, Planet);
    ecs_entity_t to_earth = ecs_new_w_id(world, SpaceShip),
                 to_mars = ecs_new_w_id(world, SpaceShip);
    ecs_add_pair(world, to_earth, DockedTo, earth);
    ecs_add_pair(world, to_mars, DockedTo, mars);
    MATCHES(world, r, 2, to_earth, to_mars);
    int32_t location_var = ecs_rule_find_var(r, "Location");
    CHECK(location_var > 0);
    ecs_iter_t it = ecs_rule_iter(world, r);
    ecs_iter_set_var(&it, location_var, earth);
    CHECK(ecs_rule_next(&it) && it.count == 1 && it.entities[0] == to_earth);
    CHECK(!ecs_rule_next(&it));
    ecs_rule_fini(r);
    CHECK(ecs_fini(world) == 0);
}

TEST(q2451, "a query tells what has changed") {
    for (int dont_change = 0; dont_change < 2; dont_change++) {
        ecs_world_t* world = ecs_init();
        ECS_COMPONENT_DEFINE(world, Position);
        ecs_query_t* q_read =
            ecs_query(world, {.filter.terms = {{.id = ecs_id(Position), .inout = EcsIn}}});
        ecs_query_t* q_write = ecs_query(world, {.filter.terms = {{.id = ecs_id(Position)}}});
        bool changed = ecs_query_changed(q_read, NULL);
        CHECK(changed);
        ecs_entity_t e = ecs_new_id(world);
        ecs_set(world, e, Position, {10, 20});
        ecs_iter_t it = ecs_query_iter(world, q_read);
        while (ecs_query_next(&it)) {
            CHECK(ecs_query_changed(q_read, &it));
        }
        CHECK(!ecs_query_changed(q_read, NULL));
        it = ecs_query_iter(world, q_write);
        while (ecs_query_next(&it)) {
            if (dont_change) {
                ecs_query_skip(&it);
            }
        }
        CHECK(ecs_query_changed(q_read, NULL) == !dont_change);
        it = ecs_query_iter(world, q_read);
        while (ecs_query_next(&it)) {
            CHECK(ecs_query_changed(q_read, &it) == !dont_change);
        }
        CHECK(!ecs_query_changed(q_read, NULL));
        ecs_query_fini(q_read);
        ecs_query_fini(q_write);
        CHECK(ecs_fini(world) == 0);
    }
}

/* Q2595, Q2616 */
static int compare_depth(ecs_entity_t e1, const void* v1, ecs_entity_t e2, const void* v2) {
    const Depth* d1 = v1;
    const Depth* d2 = v2;
    (void)e1;
    (void)e2;
    return (d1->value > d2->value) - (d1->value < d2->value);
}
static int compare_entity(ecs_entity_t e1, const void* v1, ecs_entity_t e2, const void* v2) {
    (void)v1;
    (void)v2;
    return (e1 > e2) - (e1 < e2);
}

/* Q2581, Q2605 */
TEST(q2581, "results are sorted by a component or by entity") {
    ecs_world_t* world = ecs_init();
    ECS_COMPONENT_DEFINE(world, Position);
    ECS_COMPONENT(world, Depth);
    ecs_entity_t es[3];
    const double depths[3] = {3, 1, 2};
    for (int i = 0; i < 3; i++) {
        es[i] = ecs_new(world, Position);
        ecs_set(world, es[i], Depth, {depths[i]});
    }
    ecs_query_t* q =
        ecs_query(world, {.filter.terms = {{ecs_id(Depth), .inout = EcsIn}, {ecs_id(Position)}},
                          .order_by_component = ecs_id(Depth),
                          .order_by = compare_depth});
    ecs_query_t* by_entity =
        ecs_query(world, {.filter.terms = {{ecs_id(Position)}}, .order_by = compare_entity});
    ecs_iter_t it = ecs_query_iter(world, q);
    double last = 0;
    while (ecs_query_next(&it)) {
        const Depth* d = ecs_field(&it, Depth, 1);
        for (int i = 0; i < it.count; i++) {
            CHECK(d[i].value > last);
            last = d[i].value;
        }
    }
    CHECK(last == 3);
    it = ecs_query_iter(world, by_entity);
    ecs_entity_t before = 0;
    while (ecs_query_next(&it)) {
        for (int i = 0; i < it.count; i++) {
            CHECK(it.entities[i] > before);
            before = it.entities[i];
        }
    }
    CHECK(before == es[2]);
    ecs_query_fini(q);
    ecs_query_fini(by_entity);
    CHECK(ecs_fini(world) == 0);
}

/* Q2708 */
static uint64_t group_by_target(ecs_world_t* world, ecs_table_t* table, ecs_id_t id, void* ctx) {
    ecs_id_t pair = 0;
    (void)ctx;
    if (ecs_search(world, table, ecs_pair(id, EcsWildcard), &pair) != -1) {
        return ecs_pair_second(world, pair);
    }
    return 0;
}

TEST(q2684, "results are grouped by the target of a relationship") {
    ecs_world_t* world = ecs_init();
    ecs_entity_t Region = ecs_new_id(world);
    ecs_entity_t Unit = ecs_new_id(world);
    ecs_entity_t Region_01 = ecs_new_id(world);
    ecs_entity_t Region_02 = ecs_new_id(world);
    ecs_entity_t unit_01 = ecs_new_w_id(world, Unit);
    ecs_entity_t unit_02 = ecs_new_w_id(world, Unit);
    ecs_add_pair(world, unit_01, Region, Region_01);
    ecs_add_pair(world, unit_02, Region, Region_02);
    ecs_query_t* q = ecs_query(
        world, {.filter.terms = {{Unit}}, .group_by = group_by_target, .group_by_id = Region});
    ecs_iter_t it = ecs_query_iter(world, q);
    CHECK(ecs_query_next(&it) && it.entities[0] == unit_01 && it.group_id == Region_01);
    CHECK(ecs_query_next(&it) && it.entities[0] == unit_02 && it.group_id == Region_02);
    CHECK(!ecs_query_next(&it));
    ecs_query_fini(q);
    CHECK(ecs_fini(world) == 0);
}

TEST(q2777, "a query for a base finds what has a kind of it") {
    ecs_world_t* world = ecs_init();
    ecs_entity_t Unit = ecs_new_id(world);
    ecs_entity_t MeleeUnit = ecs_new_w_pair(world, EcsIsA, Unit);
    ecs_entity_t RangedUnit = ecs_new_w_pair(world, EcsIsA, Unit);
    ecs_entity_t unit_01 = ecs_new_w_id(world, MeleeUnit);
    ecs_entity_t unit_02 = ecs_new_w_id(world, RangedUnit);
    ecs_rule_t* r = ecs_rule(world, {.terms = {{Unit}}});
    MATCHES(world, r, 2, unit_01, unit_02);
    ecs_rule_fini(r);
    CHECK(ecs_fini(world) == 0);
}

/* Q2828, Q2847, Q2859 */
TEST(q2828, "a transitive relationship with constants and variables") {
    ecs_world_t* world = ecs_init();
    ecs_entity_t LocatedIn = ecs_new_w_id(world, EcsTransitive);
    ecs_entity_t NewYork = ecs_new_id(world);
    ecs_entity_t Manhattan = ecs_new_w_pair(world, LocatedIn, NewYork);
    ecs_entity_t CentralPark = ecs_new_w_pair(world, LocatedIn, Manhattan);
    ecs_entity_t Bob = ecs_new_w_pair(world, LocatedIn, CentralPark);
    ecs_rule_t* r = ecs_rule(world, {.terms = {{ecs_pair(LocatedIn, NewYork)}}});
    MATCHES(world, r, 3, Manhattan, CentralPark, Bob);
    ecs_rule_fini(r);

    r = ecs_rule(world, {.terms = {{.first.id = LocatedIn,
                                    .second.name = "Place",
                                    .second.flags = EcsIsVariable}}});
    CHECK(rows_of(world, r->query) == 6);
    ecs_rule_fini(r);

    ecs_entity_t City = ecs_new_id(world);
    ecs_add_id(world, NewYork, City);
    r = ecs_rule(
        world,
        {.terms = {{.first.id = LocatedIn, .second.name = "Place", .second.flags = EcsIsVariable},
                   {.id = City, .src.name = "Place", .src.flags = EcsIsVariable}}});
    MATCHES(world, r, 3, Manhattan, CentralPark, Bob);
    ecs_rule_fini(r);
    CHECK(ecs_fini(world) == 0);
}

TEST(q2963, "a kind is a kind of itself") {
    ecs_world_t* world = ecs_init();
    ecs_entity_t Tree = ecs_new_id(world);
    ecs_entity_t Oak = ecs_new_w_pair(world, EcsIsA, Tree);
    ecs_rule_t* r = ecs_rule(world, {.terms = {{ecs_pair(EcsIsA, Tree)}}});
    MATCHES(world, r, 2, Tree, Oak);
    ecs_rule_fini(r);
    CHECK(ecs_fini(world) == 0);
}

TEST(q3021, "a filter uses memory of the caller") {
    ecs_world_t* world = ecs_init();
    ecs_entity_t e = ecs_new_id(world), named = ecs_new_entity(world, "only");
    ecs_add_pair(world, named, EcsChildOf, e);
    ecs_filter_t fs = ECS_FILTER_INIT;
    ecs_filter_t* f = ecs_filter(world, {.storage = &fs, .terms = {{ecs_childof(e)}}});
    CHECK(f == &fs);
    ecs_iter_t child_it = ecs_filter_iter(world, f);
    int32_t children = 0;
    while (ecs_filter_next(&child_it)) {
        for (int c = 0; c < child_it.count; c++, children++) {
            CHECK_TEXT(ecs_get_name(world, child_it.entities[c]), "only");
        }
    }
    CHECK(children == 1);
    ecs_filter_fini(f);
    CHECK(fs.query == NULL);
    CHECK(ecs_fini(world) == 0);
}

TEST(q3065, "the cache of a query gets tables that are new") {
    ecs_world_t* world = ecs_init();
    ECS_COMPONENT_DEFINE(world, Position);
    ECS_COMPONENT_DEFINE(world, Velocity);
    ecs_query_t* q = ecs_query(world, {.filter.terms = {{ecs_id(Position)}, {ecs_id(Velocity)}}});
    MATCHES_NOTHING(world, q);
    ecs_entity_t e = ecs_new_id(world);
    ecs_add(world, e, Position);
    ecs_set(world, e, Velocity, {1, 2});
    ecs_iter_t it = ecs_query_iter(world, q);
    while (ecs_query_next(&it)) {
        Position* p = ecs_field(&it, Position, 1);
        Velocity* v = ecs_field(&it, Velocity, 2);
        for (int i = 0; i < it.count; i++) {
            p[i].x += v[i].x;
            p[i].y += v[i].y;
        }
    }
    CHECK(ecs_get(world, e, Position)->y == 2);
    ecs_query_fini(q);
    CHECK(ecs_fini(world) == 0);
}
