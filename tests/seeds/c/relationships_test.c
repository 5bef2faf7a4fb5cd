#define SUITE "seeds.relationships"
#include "seeds.h"

typedef struct {
    float amount;
} Eats;
typedef struct {
    float value;
} MaxSpeed;
typedef struct {
    float value;
} Defense;

/* spec 432 */
TEST(r30, "a pair is added and removed") {
    ecs_world_t* world = ecs_init();
    ecs_entity_t Likes = ecs_new_id(world);
    ecs_entity_t Bob = ecs_new_id(world);
    ecs_entity_t Alice = ecs_new_id(world);
    ecs_add_pair(world, Bob, Likes, Alice);
    CHECK(ecs_has_pair(world, Bob, Likes, Alice));
    ecs_remove_pair(world, Bob, Likes, Alice);
    CHECK(!ecs_has_pair(world, Bob, Likes, Alice));
    CHECK(ecs_fini(world) == 0);
}

/* R57, R118, R126, R134, R142, R156 */
TEST(r57, "an entity has several targets, which are asked for, counted and listed") {
    ecs_world_t* world = ecs_init();
    ecs_entity_t Bob = ecs_new_id(world);
    ecs_entity_t Eats_ = ecs_new_id(world);
    ecs_entity_t Apples = ecs_new_id(world);
    ecs_entity_t Pears = ecs_new_id(world);
    ecs_add_pair(world, Bob, Eats_, Apples);
    ecs_add_pair(world, Bob, Eats_, Pears);
    CHECK(ecs_has_pair(world, Bob, Eats_, Apples));
    CHECK(ecs_has_pair(world, Bob, Eats_, Pears));
    CHECK(ecs_has_pair(world, Bob, Eats_, EcsWildcard));
    ecs_entity_t food = ecs_get_target(world, Bob, Eats_, 0);
    CHECK(food == Apples);
    int32_t index = 0;
    while ((food = ecs_get_target(world, Bob, Eats_, index++))) {
        CHECK(food == (index == 1 ? Apples : Pears));
    }
    CHECK(index == 3);
    const ecs_type_t* type = ecs_get_type(world, Bob);
    CHECK(type->count == 2);
    for (int i = 0; i < type->count; i++) {
        ecs_id_t id = type->array[i];
        CHECK(ECS_IS_PAIR(id));
        ecs_entity_t first = ecs_pair_first(world, id);
        ecs_entity_t second = ecs_pair_second(world, id);
        CHECK(first == Eats_ && second == (i == 0 ? Apples : Pears));
    }
    CHECK(ecs_get_type(world, 0) == NULL);
    CHECK(ecs_fini(world) == 0);
}

TEST(r84, "pairs are found by text, by wildcard and by description") {
    ecs_world_t* world = ecs_init();
    ECS_TAG(world, Consumes);
    ECS_TAG(world, Apples);
    ecs_entity_t Bob = ecs_new_w_pair(world, Consumes, Apples);
    ecs_query_t* by_text = ecs_query_new(world, "(Consumes, Apples)");
    ecs_query_t* anything = ecs_query_new(world, "(Consumes, *)");
    ecs_query_t* described =
        ecs_query_init(world, &(ecs_query_desc_t){.filter.terms = {{ecs_pair(Consumes, Apples)}}});
    MATCHES(world, by_text, 1, Bob);
    MATCHES(world, anything, 1, Bob);
    MATCHES(world, described, 1, Bob);
    ecs_query_fini(by_text);
    ecs_query_fini(anything);
    ecs_query_fini(described);
    CHECK(ecs_fini(world) == 0);
}

/* R176, R200 */
TEST(r176, "filters are iterated, and show what a wildcard stands for") {
    ecs_world_t* world = ecs_init();
    ecs_entity_t Eats_ = ecs_new_id(world), Apples = ecs_new_id(world);
    ecs_entity_t Bob = ecs_new_w_pair(world, Eats_, Apples);
    ecs_filter_t* f = ecs_filter(world, {.terms[0] = ecs_pair(Eats_, Apples)});
    ecs_iter_t it = ecs_filter_iter(world, f);
    int32_t rows = 0;
    while (ecs_filter_next(&it)) {
        for (int i = 0; i < it.count; i++) {
            CHECK(it.entities[i] == Bob);
            rows++;
        }
    }
    CHECK(rows == 1);
    ecs_filter_fini(f);

    f = ecs_filter(world, {.terms[0] = ecs_pair(Eats_, EcsWildcard)});
    it = ecs_filter_iter(world, f);
    while (ecs_filter_next(&it)) {
        ecs_id_t pair_id = ecs_field_id(&it, 1);
        ecs_entity_t food = ecs_pair_second(world, pair_id);
        CHECK(food == Apples);
        rows += it.count;
    }
    CHECK(rows == 2);
    ecs_filter_fini(f);
    CHECK(ecs_fini(world) == 0);
}

TEST(r227, "children are iterated") {
    ecs_world_t* world = ecs_init();
    ecs_entity_t parent = ecs_new_id(world);
    ecs_entity_t only = ecs_new_w_pair(world, EcsChildOf, parent);
    ecs_iter_t it = ecs_children(world, parent);
    int32_t children = 0;
    while (ecs_children_next(&it)) {
        for (int i = 0; i < it.count; i++) {
            ecs_entity_t child = it.entities[i];
            CHECK(child == only);
            children++;
        }
    }
    CHECK(children == 1);
    CHECK(ecs_fini(world) == 0);
}

/* R254, R326 */
TEST(r254, "a pair has a value if one of its elements is a type") {
    ecs_world_t* world = ecs_init();
    ECS_COMPONENT(world, Position);
    ECS_COMPONENT(world, Eats);
    ecs_entity_t Likes = ecs_new_id(world);
    ecs_entity_t Begin = ecs_new_id(world);
    ecs_entity_t End = ecs_new_id(world);
    ecs_entity_t Apples = ecs_new_id(world);
    ecs_entity_t e = ecs_new_id(world);
    ecs_add_pair(world, e, Likes, Apples);
    CHECK(ecs_id_is_tag(world, ecs_pair(Likes, Apples)));
    ecs_set_pair(world, e, Eats, Apples, {.amount = 1});
    CHECK(ecs_get_pair(world, e, Eats, Apples)->amount == 1);
    ecs_set_pair_second(world, e, Begin, Position, {0, 0});
    ecs_set_pair_second(world, e, End, Position, {10, 20});
    CHECK(ecs_get_pair_second(world, e, Begin, Position)->x == 0);
    CHECK(ecs_get_pair_second(world, e, End, Position)->y == 20);
    ecs_add_pair(world, e, EcsChildOf, ecs_id(Position));
    CHECK(ecs_id_is_tag(world, ecs_pair(EcsChildOf, ecs_id(Position))));

    ecs_entity_t many = ecs_new_id(world);
    ecs_entity_t first = ecs_new_id(world);
    ecs_entity_t second = ecs_new_id(world);
    ecs_entity_t third = ecs_new_id(world);
    ecs_set_pair(world, many, Position, first, {1, 2});
    ecs_set_pair(world, many, Position, second, {3, 4});
    ecs_set_pair(world, many, Position, third, {5, 6});
    CHECK(ecs_get_pair(world, many, Position, first)->x == 1);
    CHECK(ecs_get_pair(world, many, Position, second)->x == 3);
    CHECK(ecs_get_pair(world, many, Position, third)->y == 6);
    CHECK(ecs_fini(world) == 0);
}

/* R364, R406 */
TEST(r364, "a query for (Likes, *) gives each pair, also as text") {
    ecs_world_t* world = ecs_init();
    ECS_TAG(world, Likes);
    ecs_entity_t Alice = ecs_new_entity(world, "Alice"), Eve = ecs_new_entity(world, "Eve");
    ecs_entity_t Bob = ecs_new_w_pair(world, Likes, Alice);
    ecs_add_pair(world, Bob, Likes, Eve);
    ecs_query_t* q = ecs_query_init(
        world, &(ecs_query_desc_t){.filter.terms = {{ecs_pair(Likes, EcsWildcard)}}});
    ecs_iter_t it = ecs_query_iter(world, q);
    char lines[100] = "";
    while (ecs_query_next(&it)) {
        ecs_id_t id = ecs_field_id(&it, 1);
        ecs_entity_t rel = ecs_pair_first(world, id);
        ecs_entity_t obj = ecs_pair_second(world, id);
        for (int i = 0; i < it.count; i++) {
            CHECK(it.entities[i] == Bob);
            strcat(strcat(lines, ecs_get_name(world, rel)), " ");
            strcat(strcat(lines, ecs_get_name(world, obj)), ";");
        }
    }
    CHECK_TEXT(lines, "Likes Alice;Likes Eve;");
    ecs_query_t* text = ecs_query_init(world, &(ecs_query_desc_t){.filter.expr = "(Likes, *)"});
    CHECK(rows_of(world, text->query) == 2);
    ecs_query_fini(q);
    ecs_query_fini(text);
    CHECK(ecs_fini(world) == 0);
}

TEST(r426, "a table is searched for the pairs of a relationship") {
    ecs_world_t* world = ecs_init();
    ecs_entity_t Eats_ = ecs_new_entity(world, "Eats");
    ecs_entity_t Apples = ecs_new_entity(world, "Apples");
    ecs_entity_t Pears = ecs_new_entity(world, "Pears");
    ecs_entity_t Bob = ecs_new_id(world);
    ecs_add_pair(world, Bob, Eats_, Apples);
    ecs_add_pair(world, Bob, Eats_, Pears);
    ecs_table_t* bob_table = ecs_get_table(world, Bob);
    const ecs_type_t* bob_type = ecs_get_type(world, Bob);
    ecs_id_t wildcard = ecs_pair(Eats_, EcsWildcard);
    const ecs_id_t* ids = bob_type->array;
    int32_t cur = -1;
    char eaten[40] = "";
    while (-1 != (cur = ecs_search_offset(world, bob_table, cur + 1, wildcard, 0))) {
        ecs_entity_t obj = ecs_pair_second(world, ids[cur]);
        strcat(strcat(eaten, ecs_get_name(world, obj)), ";");
    }
    CHECK_TEXT(eaten, "Apples;Pears;");
    CHECK(ecs_fini(world) == 0);
}

/* R475, R496, R510, R531, R544, R557 */
TEST(r475, "entities inherit from bases, and override values") {
    ecs_world_t* world = ecs_init();
    ecs_entity_t Apple = ecs_new_id(world);
    ecs_entity_t Fruit = ecs_new_id(world);
    ecs_add_pair(world, Apple, EcsIsA, Fruit);
    ecs_entity_t GrannySmith = ecs_new_id(world);
    ecs_add_pair(world, GrannySmith, EcsIsA, Apple);
    ecs_filter_t* fruits = ecs_filter(world, {.terms = {{ecs_isa(Fruit)}}});
    CHECK(kith_query_matches(fruits->query, GrannySmith));
    ecs_filter_fini(fruits);

    ECS_COMPONENT(world, MaxSpeed);
    ECS_COMPONENT(world, Defense);
    ecs_entity_t Spaceship = ecs_new_id(world);
    ecs_set(world, Spaceship, MaxSpeed, {100});
    ecs_set(world, Spaceship, Defense, {50});
    ecs_entity_t Frigate = ecs_new_id(world);
    ecs_add_pair(world, Frigate, EcsIsA, Spaceship);
    ecs_set(world, Frigate, Defense, {75});
    const MaxSpeed* inherited = ecs_get(world, Frigate, MaxSpeed);
    CHECK(inherited->value == 100);
    const Defense* overridden = ecs_get(world, Frigate, Defense);
    CHECK(overridden->value == 75);
    ecs_entity_t FastFrigate = ecs_new_id(world);
    ecs_add_pair(world, FastFrigate, EcsIsA, Frigate);
    ecs_set(world, FastFrigate, MaxSpeed, {200});
    const MaxSpeed* s = ecs_get(world, FastFrigate, MaxSpeed);
    CHECK(s->value == 200);
    const Defense* d = ecs_get(world, FastFrigate, Defense);
    CHECK(d->value == 75);
    CHECK(ecs_fini(world) == 0);
}

/* R589, R615, R643 */
TEST(r589, "children are found by path, and made in a scope") {
    ecs_world_t* world = ecs_init();
    ecs_entity_t Spaceship = ecs_new_id(world);
    ecs_entity_t Cockpit = ecs_new_id(world);
    ecs_add_pair(world, Cockpit, EcsChildOf, Spaceship);
    CHECK(ecs_get_parent(world, Cockpit) == Spaceship);

    ecs_entity_t parent = ecs_entity_init(world, &(ecs_entity_desc_t){.name = "Parent"});
    ecs_entity_t child = ecs_entity_init(world, &(ecs_entity_desc_t){.name = "Child"});
    ecs_add_pair(world, child, EcsChildOf, parent);
    CHECK(ecs_lookup_fullpath(world, "Parent::Child") == child);
    CHECK(ecs_lookup_path(world, parent, "Child") == child);

    ecs_entity_t scope = ecs_new_id(world);
    ecs_entity_t prev = ecs_set_scope(world, scope);
    ecs_entity_t child_a = ecs_new(world, 0);
    ecs_entity_t child_b = ecs_new(world, 0);
    ecs_entity_t bare = ecs_new_id(world);
    ecs_set_scope(world, prev);
    CHECK(ecs_has_pair(world, child_a, EcsChildOf, scope));
    CHECK(ecs_has_pair(world, child_b, EcsChildOf, scope));
    CHECK(!ecs_has_pair(world, bare, EcsChildOf, scope));
    CHECK(ecs_fini(world) == 0);
}

/* R702, R711, R747, R769, R791 */
TEST(r702, "ids are removed everywhere; policies say what a deletion does") {
    ecs_world_t* world = ecs_init();
    ecs_entity_t Plain = ecs_new_id(world), target = ecs_new_id(world);
    ecs_entity_t a = ecs_new_w_id(world, Plain), b = ecs_new_w_pair(world, Plain, target);
    ecs_entity_t c = ecs_new_w_pair(world, target, Plain);
    ecs_remove_all(world, Plain);
    CHECK(!ecs_has_id(world, a, Plain) && ecs_has_pair(world, b, Plain, target));
    ecs_remove_all(world, ecs_pair(Plain, EcsWildcard));
    ecs_remove_all(world, ecs_pair(EcsWildcard, Plain));
    CHECK(!ecs_has_pair(world, b, Plain, target) && !ecs_has_pair(world, c, target, Plain));

    ECS_TAG(world, Archer);
    ecs_add_pair(world, Archer, EcsOnDelete, EcsRemove);
    ecs_entity_t e = ecs_new_w_id(world, Archer);
    ecs_delete(world, Archer);
    CHECK(ecs_is_alive(world, e) && ecs_get_type(world, e)->count == 0);

    ecs_entity_t Knight = ecs_new_entity(world, "Knight");
    ecs_add_pair(world, Knight, EcsOnDelete, EcsDelete);
    e = ecs_new_w_id(world, Knight);
    ecs_delete(world, Knight);
    CHECK(!ecs_is_alive(world, e));

    ECS_TAG(world, ChildOf);
    ecs_add_pair(world, ChildOf, EcsOnDeleteTarget, EcsDelete);
    ecs_entity_t p = ecs_new_id(world);
    e = ecs_new_w_pair(world, ChildOf, p);
    ecs_delete(world, p);
    CHECK(!ecs_is_alive(world, p) && !ecs_is_alive(world, e));
    CHECK(ecs_fini(world) == 0);
}

/* R868, R908 */
TEST(r868, "Tag keeps the pairs of a relationship from having values") {
    for (int is_tag = 0; is_tag < 2; is_tag++) {
        ecs_world_t* world = ecs_init();
        ECS_TAG(world, Serializable);
        ECS_COMPONENT(world, Position);
        if (is_tag) {
            CHECK_OK(ecs_add_id(world, Serializable, EcsTag));
        }
        ecs_entity_t e = ecs_new_id(world);
        ecs_set(world, e, Position, {10, 20});
        ecs_add_pair(world, e, Serializable, ecs_id(Position));
        const Position* p = ecs_get(world, e, Position);
        CHECK(p->x == 10);
        kith_clear_error();
        const Position* of_pair = ecs_get_pair_object(world, e, Serializable, Position);
        CHECK((of_pair == NULL) == is_tag);
        if (!is_tag) {
            CHECK_STATUS(ecs_add_id(world, Serializable, EcsTag), KITH_CONSTRAINT);
        }
        CHECK(ecs_fini(world) == 0);
    }
}

/* R945, R965 */
TEST(r945, "Final and DontInherit restrict inheritance") {
    ecs_world_t* world = ecs_init();
    ecs_entity_t e = ecs_new_id(world);
    ecs_add_id(world, e, EcsFinal);
    ecs_entity_t i = ecs_new_id(world);
    CHECK_STATUS(ecs_add_pair(world, i, EcsIsA, e), KITH_CONSTRAINT);

    ecs_entity_t TagA = ecs_new_id(world);
    ecs_entity_t TagB = ecs_new_id(world);
    ecs_add_id(world, TagB, EcsDontInherit);
    ecs_entity_t base = ecs_new_id(world);
    ecs_add_id(world, base, TagA);
    ecs_add_id(world, base, TagB);
    ecs_entity_t inst = ecs_new_w_pair(world, EcsIsA, base);
    CHECK(ecs_has_id(world, inst, TagA));
    CHECK(!ecs_has_id(world, inst, TagB));
    CHECK(ecs_fini(world) == 0);
}

/* R1018, R1039 */
TEST(r1018, "a transitive relationship reaches further targets in queries") {
    ecs_world_t* world = ecs_init();
    ecs_entity_t LocatedIn = ecs_new_id(world);
    ecs_entity_t Manhattan = ecs_new_id(world);
    ecs_entity_t NewYork = ecs_new_id(world);
    ecs_entity_t USA = ecs_new_id(world);
    ecs_add_pair(world, Manhattan, LocatedIn, NewYork);
    ecs_add_pair(world, NewYork, LocatedIn, USA);
    ecs_add_id(world, LocatedIn, EcsTransitive);
    ecs_rule_t* r = ecs_rule(world, {.terms = {{ecs_pair(LocatedIn, USA)}}});
    MATCHES(world, r, 2, Manhattan, NewYork);
    ecs_rule_fini(r);
    CHECK(ecs_fini(world) == 0);
}

/* R1099, R1109, R1123 */
TEST(r1099, "an exclusive relationship has one target, which a second one replaces") {
    ecs_world_t* world = ecs_init();
    ecs_entity_t child = ecs_new_id(world), parent_a = ecs_new_id(world),
                 parent_b = ecs_new_id(world);
    ecs_add_pair(world, child, EcsChildOf, parent_a);
    ecs_add_pair(world, child, EcsChildOf, parent_b);
    CHECK(!ecs_has_pair(world, child, EcsChildOf, parent_a));
    CHECK(ecs_has_pair(world, child, EcsChildOf, parent_b));

    ecs_entity_t MarriedTo = ecs_new_id(world);
    ecs_add_id(world, MarriedTo, EcsExclusive);
    ecs_add_pair(world, child, MarriedTo, parent_a);
    ecs_add_pair(world, child, MarriedTo, parent_b);
    CHECK(ecs_get_target(world, child, MarriedTo, 0) == parent_b);
    CHECK(ecs_get_target(world, child, MarriedTo, 1) == 0);

    ecs_entity_t Movement = ecs_new_id(world);
    ecs_add_id(world, Movement, EcsUnion);
    ecs_entity_t Walking = ecs_new_id(world);
    ecs_entity_t Running = ecs_new_id(world);
    ecs_entity_t e = ecs_new_id(world);
    ecs_add_pair(world, e, Movement, Running);
    ecs_add_pair(world, e, Movement, Walking);
    CHECK(!ecs_has_pair(world, e, Movement, Running));
    CHECK(ecs_has_pair(world, e, Movement, Walking));
    CHECK(ecs_fini(world) == 0);
}

/* R1156, R1172, R1189 */
TEST(r1156, "Symmetric and With add further pairs") {
    ecs_world_t* world = ecs_init();
    ecs_entity_t MarriedTo = ecs_new_w_id(world, EcsSymmetric);
    ecs_entity_t Bob = ecs_new_id(world);
    ecs_entity_t Alice = ecs_new_id(world);
    ecs_add_pair(world, Bob, MarriedTo, Alice);
    CHECK(ecs_has_pair(world, Alice, MarriedTo, Bob));

    ecs_entity_t Responsibility = ecs_new_id(world);
    ecs_entity_t Power = ecs_new_w_pair(world, EcsWith, Responsibility);
    ecs_entity_t e = ecs_new_w_id(world, Power);
    CHECK(ecs_has_id(world, e, Power) && ecs_has_id(world, e, Responsibility));

    ecs_entity_t Likes = ecs_new_id(world);
    ecs_entity_t Loves = ecs_new_w_pair(world, EcsWith, Likes);
    ecs_entity_t Pears = ecs_new_id(world);
    e = ecs_new_w_pair(world, Loves, Pears);
    CHECK(ecs_has_pair(world, e, Loves, Pears) && ecs_has_pair(world, e, Likes, Pears));
    CHECK(ecs_fini(world) == 0);
}

/* R1211, R1241 */
TEST(r1211, "OneOf demands targets that are children of an entity") {
    ecs_world_t* world = ecs_init();
    ecs_entity_t Food = ecs_new_id(world);
    ecs_add_id(world, Food, EcsOneOf);
    ecs_entity_t Apples = ecs_new_w_pair(world, EcsChildOf, Food);
    ecs_entity_t Fork = ecs_new_id(world);
    ecs_entity_t a = ecs_new_w_pair(world, Food, Apples);
    CHECK(ecs_has_pair(world, a, Food, Apples));
    CHECK_FAILS(ecs_new_w_pair(world, Food, Fork), KITH_CONSTRAINT);

    ecs_entity_t Eats_ = ecs_new_id(world);
    ecs_add_pair(world, Eats_, EcsOneOf, Food);
    a = ecs_new_w_pair(world, Eats_, Apples);
    CHECK(ecs_has_pair(world, a, Eats_, Apples));
    CHECK_FAILS(ecs_new_w_pair(world, Eats_, Fork), KITH_CONSTRAINT);
    CHECK(ecs_fini(world) == 0);
}

TEST(r1287, "every form of add is an id that is added") {
    ecs_world_t* world = ecs_init();
    ECS_COMPONENT(world, Position);
    ecs_entity_t Likes = ecs_new_id(world);
    ecs_entity_t Apples = ecs_new_id(world);
    ecs_entity_t Npc = ecs_new_id(world);
    ecs_entity_t e = ecs_new_id(world);
    ecs_add_id(world, e, Npc);
    ecs_add(world, e, Position);
    ecs_add_id(world, e, ecs_id(Position));
    ecs_add_pair(world, e, Likes, Apples);
    ecs_add_id(world, e, ecs_pair(Likes, Apples));
    CHECK(ecs_get_type(world, e)->count == 3);
    CHECK(ecs_id(Position) < ECS_HI_COMPONENT_ID);
    CHECK(ecs_fini(world) == 0);
}
