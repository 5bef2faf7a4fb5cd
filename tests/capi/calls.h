/* A session of drawn calls of <kith/kith.h>: every function, with arguments of all kinds, good and
 * bad. Living and dead entities, those of another world, ids that were never issued, malformed
 * ones, NULL, descriptors of other sizes with drawn members, texts, iterators in every state,
 * callbacks that call, and that fail.
 *
 * The program that includes this defines draw_byte(), where the choices come from. No call may do
 * more than fail: a status is one of the header's and that of kith_last_status(), the world stays
 * sound, contexts are freed once. */
#ifndef KITH_TESTS_CAPI_CALLS_H
#define KITH_TESTS_CAPI_CALLS_H

#include <kith/kith.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 4, ELEMENTS = 8, MAX_ENTITIES = 100, MAX_QUERIES = 12, MAX_OTHERS = 4 };

typedef struct session {
    kith_world_t *world, *other;
    kith_world_t* drawn; /* the world of the call that is being made */
    kith_entity_t value; /* a component of 16 bytes in both worlds */
    kith_entity_t entities[MAX_ENTITIES];
    int entity_count;
    kith_entity_t components[MAX_ENTITIES]; /* whose values are bytes that this program may give */
    int component_count;
    kith_query_t* queries[MAX_QUERIES];
    int query_count;
    kith_monitor_t* monitors[MAX_OTHERS];
    int monitor_count;
    kith_traversal_t* traversals[MAX_OTHERS];
    int traversal_count;
    kith_snapshot_t* snapshots[MAX_OTHERS];
    int snapshot_count;
    kith_iter_t iterators[MAX_OTHERS];
    kith_iter_t* called; /* the iterator of the innermost callback */
    int depth;           /* of callbacks */
    long calls;
    bool traces;      /* names each call */
    const char* name; /* of the function that is being called */
} session;

static uint8_t draw_byte(session* s);
static void call_drawn(session* s);

static session* running;
static _Thread_local bool on_session_thread;

static void require(session* s, bool holds, const char* what) {
    if (!holds) {
        fprintf(stderr, "%s, call %ld: %s; last message: %s\n", s->name, s->calls, what,
                kith_last_message());
        abort();
    }
}

/* -- what a session keeps */

static void keep_entity(session* s, kith_entity_t entity) {
    if (entity != 0 && s->entity_count < MAX_ENTITIES) {
        s->entities[s->entity_count++] = entity;
    } else if (entity != 0) {
        s->entities[16 + draw_byte(s) % (MAX_ENTITIES - 16)] = entity;
    }
}
static void keep_component(session* s, kith_entity_t entity) {
    keep_entity(s, entity);
    if (entity != 0 && s->component_count < MAX_ENTITIES) {
        s->components[s->component_count++] = entity;
    }
}
static void keep_query(session* s, kith_query_t* query) {
    if (query && s->query_count < MAX_QUERIES) {
        s->queries[s->query_count++] = query;
    } else {
        kith_query_fini(query);
    }
}
#define KEEP(kind)                                                    \
    static void keep_##kind(session* s, kith_##kind##_t* made) {      \
        if (made && s->kind##_count < MAX_OTHERS) {                   \
            s->kind##s[s->kind##_count++] = made;                     \
        } else {                                                      \
            kith_##kind##_fini(made);                                 \
        }                                                             \
    }                                                                 \
    static void drop_##kind(session* s) {                             \
        if (s->kind##_count > 0) {                                    \
            kith_##kind##_t* dropped = s->kind##s[--s->kind##_count]; \
            kith_##kind##_fini(dropped);                              \
        }                                                             \
    }
KEEP(monitor)
KEEP(traversal)
KEEP(snapshot)
static void drop_query(session* s) {
    if (s->query_count > 0) {
        const int at = draw_byte(s) % s->query_count;
        kith_query_t* dropped = s->queries[at];
        s->queries[at] = s->queries[--s->query_count];
        kith_query_fini(dropped);
    }
}

/* -- drawing arguments */

static bool draw_bool(session* s) {
    return draw_byte(s) % 2;
}
static bool draw_rarely(session* s) {
    return draw_byte(s) % 4 == 0;
}
static kith_world_t* draw_world(session* s) {
    const uint8_t chosen = draw_byte(s) % 64;
    s->drawn = chosen == 1 ? s->other : s->world;
    return chosen == 0 ? NULL : s->drawn;
}
static uint64_t draw_wide(session* s) {
    uint64_t wide = 0;
    for (int i = 0; i < 8; i++) {
        wide = wide << 8 | draw_byte(s);
    }
    return wide;
}
static kith_entity_t draw_entity(session* s) {
    static const kith_entity_t builtin[] = {
        KithWildcard, KithAny,      KithThis,     KithPrefab,    KithDisabled,  KithModule,
        KithChildOf,  KithIsA,      KithSlotOf,   KithExclusive, KithOnDelete,  KithDelete,
        KithOnAdd,    KithOnSet,    KithOnRemove, KithScopeOpen, KithPredEq,    KithTransient,
        KithSystem,   KithOnUpdate, KithPipeline, KithUnion,     KithSymmetric, KithObserver,
    };
    const uint8_t chosen = draw_byte(s);
    if (chosen >= 252) {
        return draw_wide(s);
    }
    if (chosen >= 200) {
        return builtin[chosen % (sizeof builtin / sizeof *builtin)];
    }
    return chosen < 4 ? 0 : s->entities[chosen % s->entity_count];
}
static kith_id_t draw_id(session* s) {
    const uint8_t chosen = draw_byte(s);
    if (chosen >= 252) {
        return draw_wide(s);
    }
    if (chosen % 4 == 0) {
        const kith_entity_t first = draw_entity(s);
        return kith_pair(first, draw_entity(s));
    }
    const kith_id_t flags = chosen % 64 == 1   ? KITH_OVERRIDE
                            : chosen % 64 == 2 ? KITH_TOGGLE
                            : chosen % 64 == 3 ? KITH_PAIR
                                               : 0;
    return flags | draw_entity(s);
}
/* The id, unless its values are objects of C++: bytes are none. */
static kith_id_t id_with_bytes(session* s, kith_id_t id) {
    const kith_entity_t type = kith_get_typeid(s->drawn, id);
    for (int i = 0; i < s->component_count; i++) {
        if (type == s->components[i]) {
            return id;
        }
    }
    return type == 0 ? id : s->value;
}
static const char* draw_text(session* s) {
    static const char* const texts[] = {
        NULL,
        "",
        "A",
        "B",
        "R",
        "A::B",
        "::Root",
        "A::",
        "::::",
        "Value",
        "(A, *)",
        "Value, !A",
        "$x",
        "x",
        "A($x), (R, $x)",
        "((",
        "A || B, *",
        "#4096",
        "A(B)\nR(A, B)\n",
        "Prefab(Fab)",
        "R: Exclusive\n",
        "#99999",
        "\xff\xfe",
        "(IsA, A), ?Value(up(ChildOf))",
        "(R, *), !Prefab",
        "A, Value",
        ".",
        "/",
        "{\"entities\": []}",
        "{",
        "[1, 2",
        "{x: 1, y: 2}",
        "a.b[3].c",
        "1e400",
        "KithPrefab",
        "a name that is longer than what a small string can hold in place, for certain",
        "IsA",
        "Wildcard",
        "*",
        "_",
        "$this",
        "System, Phase",
        "[in] Value, [out] A",
    };
    return texts[draw_byte(s) % (sizeof texts / sizeof *texts)];
}
static size_t draw_length(session* s, const char* text) {
    const size_t length = text ? strlen(text) : 0;
    return draw_byte(s) % 8 ? length : length / 2;
}
static int32_t draw_number(session* s) {
    static const int32_t odd[] = {INT32_MAX, INT32_MIN, -2, 100};
    const uint8_t chosen = draw_byte(s);
    return chosen >= 252 ? odd[chosen % 4] : chosen % 10 - 1;
}
/* Of elements of an array, which has room for ELEMENTS. */
static int32_t draw_count(session* s) {
    return draw_byte(s) % 6 - 1;
}
static uint32_t draw_flags(session* s) {
    return UINT32_C(1) << draw_byte(s) % 32;
}
static size_t draw_size(session* s) {
    static const size_t sizes[] = {16, 16, 0, 1, 4, 8, 24, 64, 12, SIZE_MAX, SIZE_MAX / 2 + 1, 17};
    return sizes[draw_byte(s) % (sizeof sizes / sizeof *sizes)];
}
static size_t draw_alignment(session* s) {
    static const size_t alignments[] = {8, 8, 1, 0, 4, 16, 3, 4096, SIZE_MAX};
    return alignments[draw_byte(s) % (sizeof alignments / sizeof *alignments)];
}
static size_t draw_desc_size(session* s, size_t size, int has_surplus) {
    const size_t sizes[] = {size,          size, size, size,
                            size / 16 * 8, 8,    0,    size + (has_surplus ? 8 : 0)};
    return sizes[draw_byte(s) % 8];
}
static float draw_float(session* s) {
    static const float numbers[] = {0, 0.5f, 1, -1, 1e-3f, 1e30f, NAN, INFINITY};
    return numbers[draw_byte(s) % 8];
}
/* Frames per second: a small number would make kith_progress() wait. */
static float draw_rate(session* s) {
    static const float rates[] = {0, 1e9f, -1, NAN, INFINITY};
    return rates[draw_byte(s) % 5];
}
static void* draw_memory(session* s) {
    static uint64_t memory[MAX_DEPTH][2][512];
    uint64_t* drawn = memory[s->depth][draw_bool(s)];
    if (draw_byte(s) % 16 == 0) {
        return NULL;
    }
    memset(drawn, 0, sizeof memory[0][0]);
    return drawn;
}
static void** draw_columns(session* s) {
    static void* columns[MAX_DEPTH][32];
    for (int i = 0; i < 32; i++) {
        columns[s->depth][i] = i % 3 == 2 ? NULL : draw_memory(s);
    }
    return columns[s->depth];
}
static kith_entity_t* draw_entities(session* s) {
    static kith_entity_t entities[MAX_DEPTH][ELEMENTS];
    for (int i = 0; i < ELEMENTS; i++) {
        entities[s->depth][i] = draw_entity(s);
    }
    return draw_byte(s) % 16 ? entities[s->depth] : NULL;
}
static kith_entity_t* draw_path(session* s) {
    kith_entity_t* path = draw_entities(s);
    if (path) {
        path[draw_byte(s) % ELEMENTS] = 0;
        path[ELEMENTS - 1] = 0;
    }
    return path;
}
static kith_id_t* draw_ids(session* s) {
    static kith_id_t ids[MAX_DEPTH][ELEMENTS];
    for (int i = 0; i < ELEMENTS; i++) {
        ids[s->depth][i] = draw_id(s);
    }
    return draw_byte(s) % 16 ? ids[s->depth] : NULL;
}
static kith_iter_t* own_iter(session* s) {
    kith_iter_t* it = &s->iterators[draw_byte(s) % MAX_OTHERS];
    s->drawn = it->state && it->world ? it->world : s->world;
    return it;
}
static kith_iter_t* draw_iter(session* s) {
    const uint8_t chosen = draw_byte(s) % 32;
    if (chosen == 0) {
        return NULL;
    }
    if (chosen < 6 && s->called) {
        s->drawn = s->called->world;
        return s->called;
    }
    return own_iter(s);
}
static kith_query_t* draw_query(session* s) {
    return s->query_count == 0 || draw_byte(s) % 16 == 0
               ? NULL
               : s->queries[draw_byte(s) % s->query_count];
}
static kith_traversal_t* draw_traversal(session* s) {
    return s->traversal_count ? s->traversals[draw_byte(s) % s->traversal_count] : NULL;
}
static kith_snapshot_t* draw_snapshot(session* s) {
    return s->snapshot_count ? s->snapshots[draw_byte(s) % s->snapshot_count] : NULL;
}
static kith_ref_t* draw_ref(session* s) {
    static kith_ref_t refs[MAX_DEPTH];
    kith_ref_t* ref = &refs[s->depth];
    if (draw_rarely(s)) {
        memset(ref, 0, sizeof *ref);
    } else {
        const kith_entity_t entity = draw_entity(s);
        kith_ref_init_id(s->world, entity, draw_id(s), ref);
    }
    return draw_byte(s) % 16 ? ref : NULL;
}
/* Tables of the world that the call is about: they are pointers, and one of another world is
 * undefined. */
static kith_table_t* draw_table(session* s) {
    return draw_byte(s) % 8 ? kith_get_table(s->drawn, draw_entity(s)) : NULL;
}

/* -- contexts and callbacks */

static uint8_t freed[1 << 20]; /* for each context, how often it was freed */
static size_t contexts;
static void count_free(void* ctx) {
    if (ctx && ++*(uint8_t*)ctx > 1) {
        fprintf(stderr, "a context was freed twice\n");
        abort();
    }
}
static void* draw_ctx(session* s) {
    (void)s;
    return contexts < sizeof freed ? &freed[contexts++] : NULL;
}
static kith_ctx_free_t draw_ctx_free(session* s) {
    return draw_bool(s) ? count_free : NULL;
}

/* In a callback any function may be called again; it may fail, and end what is running. */
static void in_callback(kith_iter_t* it) {
    session* s = running;
    if (!on_session_thread || s->depth + 1 >= MAX_DEPTH || draw_bool(s)) {
        return;
    }
    kith_iter_t* outer = s->called;
    const char* name = s->name;
    s->called = it;
    s->depth++;
    for (int count = draw_byte(s) % 3; count > 0; count--) {
        call_drawn(s);
    }
    if (draw_byte(s) % 32 == 0) {
        require(s, kith_fini(it->world) != KITH_OK, "a world ended inside of a callback");
    }
    s->depth--;
    s->called = outer;
    s->name = name;
    if (draw_byte(s) % 8 == 0) {
        const char* message = draw_text(s);
        kith_fail(draw_number(s), message && *message ? message : NULL);
    }
}
static void run_callback(kith_iter_t* it) {
    if (!on_session_thread) {
        while (kith_iter_next(it)) {
            kith_iter_call(it);
        }
        return;
    }
    for (int limit = 0; limit < 100 && kith_iter_next(it); limit++) {
        if (draw_byte(running) % 4) {
            kith_iter_call(it);
        }
    }
}
static kith_iter_action_t draw_action(session* s) {
    return draw_byte(s) % 4 == 0 ? run_callback : in_callback;
}
static void construct(void* value, void* ctx) {
    (void)ctx;
    memset(value, 0, 1);
    if (draw_rarely(running)) {
        kith_fail(KITH_CONSTRAINT, "not constructed");
    }
}
static kith_construct_t draw_construct(session* s) {
    return draw_byte(s) % 8 ? construct : NULL;
}
static int by_entity(kith_entity_t e1, const void* v1, kith_entity_t e2, const void* v2) {
    (void)v1;
    (void)v2;
    return (e1 > e2) - (e1 < e2);
}
static kith_order_by_action_t draw_order(session* s) {
    return draw_bool(s) ? by_entity : NULL;
}
static uint64_t group_of(kith_world_t* world, kith_table_t* table, kith_id_t id, void* ctx) {
    (void)ctx;
    (void)id;
    return (uint64_t)kith_table_count(world, table) % 3;
}
static kith_group_by_action_t draw_group_by(session* s) {
    return draw_bool(s) ? group_of : NULL;
}
static void* group_made(kith_world_t* world, uint64_t group, void* ctx) {
    (void)world;
    (void)group;
    return ctx;
}
static kith_group_create_action_t draw_group_create(session* s) {
    return draw_bool(s) ? group_made : NULL;
}
static void group_gone(kith_world_t* world, uint64_t group, void* group_ctx, void* ctx) {
    (void)world;
    (void)group;
    (void)group_ctx;
    (void)ctx;
}
static kith_group_delete_action_t draw_group_delete(session* s) {
    return draw_bool(s) ? group_gone : NULL;
}
static void mistake(const kith_text_error_t* error, void* ctx) {
    (void)ctx;
    require(running, error->message && error->line > 0 && error->column > 0,
            "a mistake without a place");
}
static kith_text_error_action_t draw_mistake_action(session* s) {
    return draw_byte(s) % 8 ? mistake : NULL;
}
/* Types are known to the process: their functions outlive the session, and call nothing. */
static void zero(void* values, int32_t count, const kith_type_info_t* info) {
    memset(values, 0, (size_t)count * info->size);
}
static kith_xtor_t draw_xtor(session* s) {
    return draw_rarely(s) ? zero : NULL;
}
static void copy(void* to, const void* from, int32_t count, const kith_type_info_t* info) {
    memcpy(to, from, (size_t)count * info->size);
}
static kith_copy_t draw_copy(session* s) {
    return draw_rarely(s) ? copy : NULL;
}
static void move(void* to, void* from, int32_t count, const kith_type_info_t* info) {
    memmove(to, from, (size_t)count * info->size);
}
static kith_move_t draw_move(session* s) {
    return draw_rarely(s) ? move : NULL;
}
static bool walk(kith_entity_t entity, int32_t depth, void* ctx) {
    (void)ctx;
    return entity != 0 && depth < 100 && draw_bool(running);
}
static bool (*draw_walk_up_f(session* s))(kith_entity_t, int32_t, void*) {
    return draw_byte(s) % 8 ? walk : NULL;
}
static bool stop(void* ctx) {
    (void)ctx;
    return draw_rarely(running);
}
static bool (*draw_iter_stop_on_f(session* s))(void*) {
    return draw_byte(s) % 8 ? stop : NULL;
}
static bool progress(void* ctx, size_t done, size_t size) {
    (void)ctx;
    return done <= size;
}
static bool (*draw_load_desc_t_progress(session* s))(void*, size_t, size_t) {
    return draw_bool(s) ? progress : NULL;
}
static void import(kith_world_t* world, void* ctx) {
    (void)ctx;
    kith_new_entity(world, "Part");
}
static void (*draw_import_init(session* s))(kith_world_t*, void*) {
    return draw_byte(s) % 8 ? import : NULL;
}

/* -- checks */

static void check_status(session* s, const char* name, kith_status_t status, bool without_world) {
    s->name = name;
    require(s,
            status >= KITH_OK && (status <= KITH_UNDECLARED_ACCESS ||
                                  (status >= KITH_NO_MEMORY && status <= KITH_INVALID_ARGUMENT)),
            "the status is none of the header's");
    require(s, status == KITH_OK || status == kith_last_status(), "the last status is another one");
    require(s, status == KITH_OK || *kith_last_message(), "there is no message");
    require(s, status != KITH_OK || !without_world, "it goes on without a world");
}

#include KITH_CALLS_TABLE

/* -- sessions */

static void ignore_log(const char* message, void* ctx) {
    (void)message;
    (void)ctx;
}
static void fill_worlds(session* s) {
    static const char* const names[] = {"A", "B", "R", "x"};
    s->world = kith_init();
    s->other = kith_init();
    s->drawn = s->world;
    s->entity_count = s->component_count = 0;
    s->value = kith_component_of(s->world, "Value", 16, 8);
    kith_component_of(s->other, "Value", 16, 8);
    keep_component(s, s->value);
    for (int i = 0; i < 4; i++) {
        keep_entity(s, kith_new_entity(s->world, names[i]));
    }
    kith_set_id(s->world, s->entities[1], s->value, 0, &(double[2]){1, 2});
    keep_entity(s, kith_new_entity(s->other, "Foreign"));
    const kith_entity_t dead = kith_new(s->world);
    kith_delete(s->world, dead);
    keep_entity(s, dead);
}
static void end_runs(session* s) {
    for (int i = 0; i < MAX_OTHERS; i++) {
        kith_iter_fini(&s->iterators[i]);
        kith_iter_fini(&s->iterators[i]);
        require(s, !kith_iter_next(&s->iterators[i]), "an iterator goes on behind its end");
    }
    while (s->monitor_count > 0) {
        drop_monitor(s);
    }
    while (s->traversal_count > 0) {
        drop_traversal(s);
    }
    while (s->snapshot_count > 0) {
        drop_snapshot(s);
    }
    kith_world_t* const worlds[] = {s->world, s->other};
    for (int i = 0; i < 2; i++) {
        kith_frame_end(worlds[i]);
        do {
            while (kith_is_deferred(worlds[i])) {
                kith_defer_end(worlds[i]);
            }
        } while (kith_defer_resume(worlds[i]) == KITH_OK);
        while (kith_pop_with(worlds[i], 0) == KITH_OK) {}
        require(s, kith_check(worlds[i]) == KITH_OK, "a world is not sound");
    }
}
/* Queries outlive their worlds. */
static void end_worlds(session* s) {
    s->name = "kith_fini";
    end_runs(s);
    require(s, kith_fini(s->world) == KITH_OK, "a world does not end");
    require(s, kith_fini(s->other) == KITH_OK, "a world does not end");
}
static void call_by_hand(session* s, uint8_t chosen) {
    switch (chosen % 8) {
        case 0:
            drop_monitor(s);
            break;
        case 1:
            drop_traversal(s);
            break;
        case 2:
            drop_snapshot(s);
            break;
        case 3:
            kith_init_w_memory(NULL);
            kith_free(NULL);
            kith_traversal_fini(NULL);
            kith_monitor_fini(NULL);
            kith_snapshot_fini(NULL);
            kith_query_fini(NULL);
            kith_iter_fini(NULL);
            kith_reset(NULL);
            break;
        case 4: {
            kith_iter_t* it = own_iter(s);
            kith_iter_fini(it);
            break;
        }
        case 5:
            if (s->depth == 0 && draw_rarely(s)) {
                end_worlds(s);
                fill_worlds(s);
            }
            break;
        case 6:
            if (s->depth == 0 && draw_rarely(s)) {
                end_runs(s);
                require(s, kith_reset(&s->other) == KITH_OK, "a world is not reset");
                kith_component_of(s->other, "Value", 16, 8);
            }
            break;
        default:
            drop_query(s);
            break;
    }
}
static void call_drawn(session* s) {
    if (draw_byte(s) % 16 == 0) {
        s->name = "a function that ends something";
        call_by_hand(s, draw_byte(s));
        return;
    }
    unsigned number = (unsigned)draw_byte(s) << 8;
    number = (number | draw_byte(s)) % call_count;
    s->name = call_names[number];
    if (s->traces) {
        fprintf(stderr, "%*s%s\n", 2 * s->depth, "", s->name);
    }
    call(s, number);
}
static void run_session(session* s, long calls) {
    memset(s, 0, sizeof *s);
    running = s;
    on_session_thread = true;
    s->name = "kith_init";
    s->traces = getenv("KITH_TRACE") != NULL;
    kith_set_log(ignore_log, NULL);
    fill_worlds(s);
    for (s->calls = 0; s->calls < calls; s->calls++) {
        call_drawn(s);
        require(s, kith_check(s->world) == KITH_OK, "the world is not sound");
    }
    end_worlds(s);
    while (s->query_count > 0) {
        drop_query(s);
    }
}

#endif
