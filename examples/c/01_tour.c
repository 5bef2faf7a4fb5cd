/* A tour of what kith can do, in C. Each function is one stop and prints what it shows; the program
 * prints the same text as the tour in C++, examples/01_tour.cpp. */
#include <kith/kith.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Position {
    double x, y;
} Position;
typedef struct Velocity {
    double dx, dy;
} Velocity;
typedef struct Cargo {
    char* what; /* of malloc: functions below copy and free it */
} Cargo;
typedef struct Trades {
    int tons;
} Trades;
typedef struct Clock {
    int ticks;
} Clock;

static void title(const char* text) {
    printf("\n-- %s\n", text);
}

static const char* yes_no(bool value) {
    return value ? "yes" : "no";
}

/* Prints a text of the library, which belongs to the caller. */
static void print_text(const char* format, char* text) {
    printf(format, text);
    kith_free(text);
}

/* -- Cargo: a component that owns memory has a lifecycle */

static char* copy_text(const char* text) {
    char* copy = malloc(strlen(text) + 1);
    if (copy) {
        strcpy(copy, text);
    }
    return copy;
}

static void cargo_dtor(void* ptr, int32_t count, const kith_type_info_t* info) {
    Cargo* cargo = ptr;
    (void)info;
    for (int32_t i = 0; i < count; i++) {
        free(cargo[i].what);
    }
}

static void cargo_copy_ctor(void* to, const void* from, int32_t count,
                            const kith_type_info_t* info) {
    Cargo* copy = to;
    const Cargo* cargo = from;
    (void)info;
    for (int32_t i = 0; i < count; i++) {
        copy[i].what = cargo[i].what ? copy_text(cargo[i].what) : NULL;
        if (cargo[i].what && !copy[i].what) {
            kith_fail(KITH_NO_MEMORY, "no memory for a cargo");
        }
    }
}

static kith_entity_t register_cargo(kith_world_t* world) {
    return kith_component(world, {.name = "Cargo",
                                  .size = sizeof(Cargo),
                                  .alignment = KITH_ALIGNOF(Cargo),
                                  .hooks = {.dtor = cargo_dtor, .copy_ctor = cargo_copy_ctor}});
}

/* kith_emplace calls it with raw memory. */
static void construct_cargo(void* value, void* ctx) {
    ((Cargo*)value)->what = copy_text(ctx);
}

/* -- the stops */

static void entities(void) {
    title("Entities are ids; a handle of a dead one is never mistaken for a new one");
    kith_world_t* world = kith_init();
    kith_entity_t first = kith_new(world);
    kith_delete(world, first);
    kith_entity_t second = kith_new(world);
    printf("same index: %s, same id: %s, first is alive: %s\n",
           yes_no(kith_index_of(first) == kith_index_of(second)), yes_no(first == second),
           yes_no(kith_is_alive(world, first)));
    kith_fini(world);
}

static void components(void) {
    title("Components can be any type that can be moved and destroyed");
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    KITH_COMPONENT(world, Velocity);
    kith_entity_t kith_id(Cargo) = register_cargo(world);
    KITH_TAG(world, Damaged);
    const Position place = {1, 2};
    const Velocity speed = {3, 4};
    kith_entity_t ship = kith_entity(world, {.set = {{kith_id(Position), sizeof place, &place},
                                                     {kith_id(Velocity), sizeof speed, &speed}}});
    kith_emplace(world, ship, Cargo, construct_cargo, "tea");
    Position* p = kith_get_mut(world, ship, Position);
    const Velocity* v = kith_get(world, ship, Velocity);
    *p = (Position){p->x + v->dx, p->y + v->dy};
    printf("position %g,%g, cargo %s\n", p->x, p->y, kith_get(world, ship, Cargo)->what);
    printf("Damaged? %s\n", yes_no(kith_has(world, ship, Damaged)));
    kith_remove(world, ship, Velocity);
    print_text("now: %s\n", kith_type_str(world, ship));
    kith_fini(world);
}

static void pairs(void) {
    title("Pairs of a relation and a target connect entities");
    kith_world_t* world = kith_init();
    kith_entity_t docked_to = kith_new_entity(world, "DockedTo");
    kith_entity_t earth = kith_new_entity(world, "Earth");
    kith_entity_t ship = kith_new_entity(world, "Ship");
    kith_add_pair(world, ship, docked_to, earth);
    print_text("Ship has: %s\n", kith_type_str(world, ship));
    printf("docked to %s\n", kith_get_name(world, kith_get_target(world, ship, docked_to, 0)));
    kith_delete(world, earth); /* takes the pair along */
    print_text("without Earth: %s\n", kith_type_str(world, ship));
    kith_fini(world);
}

static void pair_values(void) {
    title("A pair can hold a value: the same component many times, once per target");
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Trades);
    kith_entity_t earth = kith_new_entity(world, "Earth");
    kith_entity_t mars = kith_new_entity(world, "Mars");
    kith_entity_t ship = kith_new_entity(world, "Ship");
    kith_set_pair(world, ship, Trades, earth, {5});
    kith_set_pair(world, ship, Trades, mars, {7});
    kith_entity_t planet;
    for (int32_t i = 0; (planet = kith_get_target(world, ship, kith_id(Trades), i)) != 0; i++) {
        printf("trades %d tons with %s\n", kith_get_pair_t(world, ship, Trades, planet)->tons,
               kith_get_name(world, planet));
    }
    kith_remove_pair(world, ship, kith_id(Trades), earth);
    printf("with Earth: %s, with anyone: %s\n",
           yes_no(kith_has_pair(world, ship, kith_id(Trades), earth)),
           yes_no(kith_has_pair(world, ship, kith_id(Trades), KithWildcard)));
    kith_fini(world);
}

static void relationships(void) {
    title("Relationships have properties, and can be followed");
    kith_world_t* world = kith_init();
    kith_entity_t orbits =
        kith_relation(world, {.name = "Orbits", .exclusive = true, .acyclic = true});
    kith_entity_t allied = kith_relation(world, {.name = "Allied", .symmetric = true});
    kith_entity_t sun = kith_new_entity(world, "Sun");
    kith_entity_t earth = kith_new_entity(world, "Earth");
    kith_entity_t moon = kith_new_entity(world, "Moon");
    kith_add_pair(world, earth, orbits, sun);
    kith_add_pair(world, moon, orbits, earth);
    kith_add_pair(world, moon, allied, sun);
    printf("the sun is allied to %s\n",
           kith_get_name(world, kith_get_target(world, sun, allied, 0)));
    kith_traversal_t* walk = kith_traverse(world, sun, orbits);
    kith_entity_t body;
    int32_t depth;
    while ((body = kith_traversal_next(walk, &depth)) != 0) {
        printf("%*s%s\n", (int)depth * 2, "", kith_get_name(world, body));
    }
    kith_traversal_fini(walk);
    printf("depth of the moon: %" PRId32 "\n", kith_get_depth(world, moon, orbits));
    kith_fini(world);
}

static void prefabs(void) {
    title("Instances share what their prefab has, and get copies of its children");
    kith_world_t* world = kith_init();
    kith_entity_t kith_id(Cargo) = register_cargo(world);
    kith_entity_t freighter = kith_new_prefab(world, "Freighter");
    kith_emplace(world, freighter, Cargo, construct_cargo, "ore");
    kith_entity_t bridge = kith_new_prefab(world, "Bridge");
    kith_add_pair(world, bridge, KithChildOf, freighter);
    kith_add_pair(world, bridge, KithSlotOf, freighter);
    kith_entity_t ship = kith_new_entity(world, "Ship");
    kith_add_pair(world, ship, KithIsA, freighter);
    kith_entity_t other = kith_new_entity(world, "Other");
    kith_add_pair(world, other, KithIsA, freighter);
    kith_emplace(world, other, Cargo, construct_cargo, "tea");
    printf("cargo: %s and %s, own: %s and %s\n", kith_get(world, ship, Cargo)->what,
           kith_get(world, other, Cargo)->what, yes_no(kith_owns(world, ship, Cargo)),
           yes_no(kith_owns(world, other, Cargo)));
    print_text("its bridge: %s\n", kith_get_path(world, kith_get_target(world, ship, bridge, 0)));
    kith_fini(world);
}

static void iteration(void) {
    title("Visit everything that has a component, a tag or a pair");
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    KITH_TAG(world, Damaged);
    kith_entity_t ship = kith_new_entity(world, "Ship"), buoy = kith_new_entity(world, "Buoy");
    kith_set(world, ship, Position, {1, 2});
    kith_add(world, ship, Damaged);
    kith_set(world, buoy, Position, {3, 4});
    kith_iter_t it;
    for (kith_each_id(world, kith_id(Position), &it); kith_iter_next(&it);) {
        const Position* p = kith_field(&it, Position, 1);
        for (int32_t i = 0; i < it.count; i++) {
            printf("%s is at %g,%g\n", kith_get_name(world, it.entities[i]), p[i].x, p[i].y);
        }
    }
    for (kith_each_id(world, Damaged, &it); kith_iter_next(&it);) {
        for (int32_t i = 0; i < it.count; i++) {
            printf("%s is damaged\n", kith_get_name(world, it.entities[i]));
        }
    }
    kith_fini(world);
}

static void queries(void) {
    title("A query finds entities by several terms, and hands out their values");
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    KITH_COMPONENT(world, Velocity);
    KITH_TAG(world, Damaged);
    kith_entity_t ship = kith_new_entity(world, "Ship"), wreck = kith_new_entity(world, "Wreck");
    kith_entity_t buoy = kith_new_entity(world, "Buoy");
    kith_set(world, ship, Position, {1, 2});
    kith_set(world, ship, Velocity, {1, 0});
    kith_set(world, wreck, Position, {5, 5});
    kith_set(world, wreck, Velocity, {0, 1});
    kith_add(world, wreck, Damaged);
    kith_set(world, buoy, Position, {3, 4});

    kith_query_t* moving = kith_query(world, {.terms = {{.id = kith_id(Position)},
                                                        {.id = kith_id(Velocity), .inout = KithIn},
                                                        {.id = Damaged, .oper = KithNot}}});
    kith_iter_t it;
    for (kith_query_iter(world, moving, &it); kith_iter_next(&it);) {
        Position* p = kith_field(&it, Position, 1);
        const Velocity* v = kith_field(&it, Velocity, 2);
        for (int32_t i = 0; i < it.count; i++) {
            p[i] = (Position){p[i].x + v[i].dx, p[i].y + v[i].dy};
            printf("%s moves to %g,%g\n", kith_get_name(world, it.entities[i]), p[i].x, p[i].y);
        }
    }
    const kith_order_t from_the_right = {.component = kith_id(Position),
                                         .number = KITH_NUMBER_F64,
                                         .offset = offsetof(Position, x),
                                         .descending = true};
    kith_query_t* by_x =
        kith_query(world, {.expr = "[in] Position", .orders = &from_the_right, .order_count = 1});
    for (kith_query_iter(world, by_x, &it); kith_iter_next(&it);) {
        for (int32_t i = 0; i < it.count; i++) {
            printf("%s ", kith_get_name(world, it.entities[i]));
        }
    }
    printf("from right to left\n");
    kith_query_fini(by_x);
    kith_query_fini(moving);
    kith_fini(world);
}

static void graph_queries(void) {
    title("Variables join entities: which ships are docked at an ally of whom?");
    kith_world_t* world = kith_init();
    KITH_TAG(world, DockedTo);
    KITH_TAG(world, Allied);
    kith_entity_t mars = kith_new_entity(world, "Mars"), earth = kith_new_entity(world, "Earth");
    kith_add_pair(world, earth, Allied, mars);
    kith_add_pair(world, kith_new_entity(world, "Eagle"), DockedTo, earth);
    kith_add_pair(world, kith_new_entity(world, "Viking"), DockedTo, mars);
    /* The same as text: kith_query_new(world, "(DockedTo, $port), Allied($port, $ally)") */
    kith_query_t* guests = kith_query(
        world,
        {.terms = {
             {.first = {.id = DockedTo}, .second = {.name = "$port"}},
             {.first = {.id = Allied}, .src = {.name = "$port"}, .second = {.name = "$ally"}}}});
    const int32_t port = kith_query_find_var(guests, "port");
    const int32_t ally = kith_query_find_var(guests, "ally");
    kith_iter_t it;
    for (kith_query_iter(world, guests, &it); kith_iter_next(&it);) {
        for (int32_t i = 0; i < it.count; i++) {
            printf("%s is at %s, an ally of %s\n", kith_get_name(world, it.entities[i]),
                   kith_get_name(world, kith_iter_get_var(&it, port)),
                   kith_get_name(world, kith_iter_get_var(&it, ally)));
        }
    }
    kith_query_fini(guests);
    kith_fini(world);
}

static void report_hit(kith_iter_t* it) {
    const Position* p = kith_field(it, Position, 1);
    for (int32_t i = 0; i < it->count; i++) {
        printf("%s was hit at %g,%g\n", kith_get_name(it->world, it->entities[i]), p[i].x, p[i].y);
    }
}

static void observers(void) {
    title("An observer is called when something happens to the entities that it asks for");
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    KITH_TAG(world, Damaged);
    KITH_OBSERVER(world, report_hit, KithOnAdd, [in] Position, Damaged);
    kith_entity_t ship = kith_new_entity(world, "Ship");
    kith_set(world, ship, Position, {1, 2});
    kith_add(world, ship, Damaged);
    kith_entity_t ghost = kith_new_entity(world, "Ghost");
    kith_add(world, ghost, Damaged); /* has no position: the observer does not match */
    kith_fini(world);
}

static void report_wreck(kith_iter_t* it) {
    for (int32_t i = 0; i < it->count; i++) {
        printf("%s %s\n", kith_get_name(it->world, it->entities[i]),
               it->event == KithOnAdd ? "is a wreck" : "is no wreck any more");
    }
}

static void monitors(void) {
    title("A monitor reports results of a query that begin and end, whatever the cause");
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    KITH_TAG(world, Damaged);
    kith_query_t* wrecks = kith_query_new(world, "[in] Position, Damaged");
    const kith_monitor_desc_t reports = {.callback = report_wreck};
    kith_monitor_t* watch = kith_monitor_init(wrecks, &reports);
    kith_entity_t ship = kith_new_entity(world, "Ship");
    kith_set(world, ship, Position, {1, 2});
    kith_add(world, ship, Damaged);
    kith_enable(world, ship, false);
    kith_enable(world, ship, true);
    kith_delete(world, ship);
    kith_monitor_fini(watch);
    kith_query_fini(wrecks);
    kith_fini(world);
}

static void draw(kith_world_t* world, kith_query_t* drawn) {
    if (!kith_query_changed(drawn)) {
        printf("nothing to draw\n");
        return;
    }
    kith_iter_t it;
    for (kith_query_iter(world, drawn, &it); kith_iter_next(&it);) {
        const Position* p = kith_field(&it, Position, 1);
        for (int32_t i = 0; i < it.count; i++) {
            printf("draw at %g,%g\n", p[i].x, p[i].y);
        }
    }
}

static void changes(void) {
    title("A query knows whether anything has changed since it last ran");
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    kith_entity_t ship = kith_new_entity(world, "Ship");
    kith_set(world, ship, Position, {1, 2});
    kith_query_t* drawn = kith_query_new(world, "[in] Position");
    draw(world, drawn);
    draw(world, drawn);
    kith_set(world, ship, Position, {2, 2});
    draw(world, drawn);
    kith_query_fini(drawn);
    kith_fini(world);
}

static void names(void) {
    title("Names are unique per parent; ChildOf makes the hierarchy");
    kith_world_t* world = kith_init();
    kith_entity_t sun = kith_new_entity(world, "Sun");
    kith_new_entity(world, "Sun::Earth::Moon"); /* makes what is missing on the way */
    kith_entity_t before = kith_set_scope(world, sun);
    kith_new_entity(world, "Mars");
    kith_set_scope(world, before);
    kith_iter_t it;
    for (kith_children(world, sun, &it); kith_iter_next(&it);) {
        for (int32_t i = 0; i < it.count; i++) {
            print_text("%s\n", kith_get_path(world, it.entities[i]));
        }
    }
    kith_entity_t moon = kith_lookup(world, "Sun.Earth.Moon");
    print_text("found %s", kith_get_path(world, moon));
    printf(", parent %s\n", kith_get_name(world, kith_get_parent(world, moon)));
    kith_delete(world, sun);
    printf("the Sun is gone, and the Moon: %s\n", kith_is_alive(world, moon) ? "alive" : "gone");
    kith_fini(world);
}

typedef enum Status { Idle, Flying, Docked } Status;

static void enums(void) {
    title("An enum is a component with one value at a time");
    kith_world_t* world = kith_init();
    const kith_enum_constant_t constants[] = {
        {Idle, "Idle"}, {Flying, "Flying"}, {Docked, "Docked"}};
    const kith_enum_desc_t desc = {
        .name = "Status", .size = sizeof(Status), .constants = constants, .count = 3};
    kith_entity_t status = kith_enum_init(world, &desc);
    kith_entity_t ship = kith_new(world);
    kith_set_enum(world, ship, status, Idle);
    kith_set_enum(world, ship, status, Docked);
    printf("Idle? %s. Docked? %s. As text: %s\n",
           yes_no(kith_has_pair(world, ship, status, kith_enum_constant(world, status, Idle))),
           yes_no(kith_has_pair(world, ship, status, kith_enum_constant(world, status, Docked))),
           kith_get_name(world, kith_get_target(world, ship, status, 0)));
    kith_fini(world);
}

static void singletons(void) {
    title("A singleton is a value that the world has once");
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Clock); /* the value is the component's own, as of any entity */
    kith_set(world, kith_id(Clock), Clock, {41});
    kith_get_mut(world, kith_id(Clock), Clock)->ticks += 1;
    printf("ticks: %d\n", kith_get(world, kith_id(Clock), Clock)->ticks);
    kith_fini(world);
}

static void report_added(kith_iter_t* it) {
    (void)it;
    printf("added\n");
}

static void report_set(kith_iter_t* it) {
    const Position* p = kith_field(it, Position, 1);
    printf("set to %g,%g\n", p->x, p->y);
}

static void report_removed(kith_iter_t* it) {
    printf("removed from %s\n", kith_get_name(it->world, it->entities[0]));
}

static void hooks(void) {
    title("Hooks run when a component is added, set and removed");
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    const kith_type_hooks_t reports = {
        .on_add = report_added, .on_set = report_set, .on_remove = report_removed};
    kith_set_hooks(world, kith_id(Position), &reports);
    kith_entity_t ship = kith_new_entity(world, "Ship");
    kith_set(world, ship, Position, {1, 2});
    kith_delete(world, ship);
    kith_fini(world);
}

static void deferring(void) {
    title("Deferred changes wait, and each entity moves once");
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    KITH_TAG(world, Damaged);
    for (int i = 1; i <= 3; i++) {
        kith_set(world, kith_new(world), Position, {i, 0});
    }
    kith_defer_begin(world);
    kith_iter_t it;
    for (kith_each_id(world, kith_id(Position), &it); kith_iter_next(&it);) {
        const Position* p = kith_field(&it, Position, 1);
        for (int32_t i = 0; i < it.count; i++) {
            if (p[i].x > 1) {
                kith_add(world, it.entities[i], Damaged);
                kith_remove(world, it.entities[i], Position);
            }
        }
    }
    printf("inside:  %" PRId32 " damaged\n", kith_count_id(world, Damaged));
    kith_defer_end(world);
    printf("outside: %" PRId32 " damaged, %" PRId32 " with a position\n",
           kith_count_id(world, Damaged), kith_count_id(world, kith_id(Position)));
    kith_fini(world);
}

static void many(void) {
    title("Many at once, and copies");
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    Position places[] = {{1, 0}, {2, 0}, {3, 0}};
    void* columns[] = {places};
    const kith_bulk_desc_t desc = {.count = 3, .ids = {kith_id(Position)}, .data = columns};
    const kith_entity_t* made = kith_bulk_init(world, &desc);
    kith_entity_t last = made[2];
    kith_entity_t copy = kith_clone(world, 0, last, true);
    kith_get_mut(world, copy, Position)->y = 9;
    const Position *p = kith_get(world, copy, Position), *q = kith_get(world, last, Position);
    printf("%" PRId32 " positions; the copy has %g,%g, the original %g,%g\n",
           kith_count_id(world, kith_id(Position)), p->x, p->y, q->x, q->y);
    kith_fini(world);
}

static void references(void) {
    title("A ref finds its value wherever the entity has moved");
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    KITH_TAG(world, Damaged);
    kith_entity_t ship = kith_new(world);
    kith_set(world, ship, Position, {1, 1});
    kith_ref_t position;
    kith_ref_init_id(world, ship, kith_id(Position), &position);
    kith_add(world, ship, Damaged); /* another table */
    ((Position*)kith_ref_get_id(&position))->x = 5;
    printf("x = %g", kith_get(world, ship, Position)->x);
    kith_remove(world, ship, Position);
    printf(", and after removal the ref is %s\n", kith_ref_get_id(&position) ? "full" : "empty");
    kith_fini(world);
}

static void sparse(void) {
    title("A sparse component keeps its address and moves nothing");
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    kith_entity_t kith_id(Cargo) = register_cargo(world);
    KITH_TAG(world, Damaged);
    kith_add_id(world, kith_id(Cargo), KithSparse);
    kith_entity_t ship = kith_new(world);
    kith_emplace(world, ship, Cargo, construct_cargo, "tea");
    const Cargo* before = kith_get(world, ship, Cargo);
    kith_set(world, ship, Position, {1, 2});
    kith_add(world, ship, Damaged);
    printf("same address: %s\n", yes_no(before == kith_get(world, ship, Cargo)));
    print_text("its table: %s\n", kith_table_str(world, kith_get_table(world, ship)));
    print_text("all it has: %s\n", kith_type_str(world, ship));
    kith_fini(world);
}

/* Prints the failure of a call; its status and message are kept until the next one. */
static void show_error(kith_status_t status) {
    if (status != KITH_OK) {
        printf("%s: %s\n", kith_status_name(status), kith_last_message());
    }
}

static void construct_position(void* value, void* ctx) {
    (void)ctx;
    *(Position*)value = (Position){2, 0};
}

static void errors(void) {
    title("Mistakes are errors that say what is wrong, and change nothing");
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    kith_entity_t sun = kith_new_entity(world, "Sun");
    kith_entity_t earth = kith_new_entity(world, "Sun::Earth");
    kith_set(world, earth, Position, {1, 0});
    kith_entity_t gone = kith_new(world);
    kith_delete(world, gone);
    kith_entity_t kith_id(Damaged) = kith_component(world, {.name = "Damaged"}); /* a tag */
    show_error(kith_add(world, gone, Damaged));
    show_error(kith_add_pair(world, sun, KithChildOf, earth));
    show_error(kith_set_name(world, kith_new_entity(world, "Mars"), "Sun"));
    show_error(kith_emplace(world, earth, Position, construct_position, NULL));
    show_error(kith_delete(world, kith_id(Position)));
    kith_iter_t it;
    for (kith_each_id(world, kith_id(Position), &it); kith_iter_next(&it);) {
        show_error(kith_add(world, it.entities[0], Damaged));
    }
    kith_fini(world);
}

static void care(void) {
    title("A world can be measured, checked and made smaller");
    kith_world_t* world = kith_init();
    kith_world_stats_t empty, full, after;
    kith_world_stats(world, &empty);
    KITH_COMPONENT(world, Trades);
    for (int i = 0; i < 1000; i++) { /* a table for each target */
        kith_new_w_pair(world, kith_id(Trades), kith_new(world));
    }
    kith_world_stats(world, &full);
    kith_delete_with(world, kith_pair(kith_id(Trades), KithWildcard));
    kith_shrink(world);
    kith_check(world); /* fails if anything in the storage contradicts */
    kith_world_stats(world, &after);
    printf("tables: %s when full, %s after shrinking\n",
           full.tables > empty.tables + 1000 ? "over 1000 more" : "?",
           after.tables < empty.tables + 10 ? "hardly more than at first" : "?");
    printf("row memory: %s\n", after.bytes_rows < full.bytes_rows ? "given back" : "kept");
    kith_fini(world);
}

int main(void) {
    printf("A tour of kith\n");
    entities();
    components();
    pairs();
    pair_values();
    relationships();
    prefabs();
    iteration();
    queries();
    graph_queries();
    observers();
    monitors();
    changes();
    names();
    enums();
    singletons();
    hooks();
    deferring();
    many();
    references();
    sparse();
    errors();
    care();
}
