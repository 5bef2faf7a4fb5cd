/* A program that was compiled with <kith/kith.h> of ABI version 0. It declares what it uses, as
 * that header did, and is never changed: the library of today must run it. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct world world;
typedef struct query query;
typedef struct table table;
typedef struct iter iter;

typedef struct term_id {
    uint64_t id;
    const char* name;
    uint64_t trav;
    uint32_t flags, min_depth, max_depth, reserved;
} term_id;
typedef struct term {
    uint64_t id;
    term_id src, first, second;
    int32_t inout, oper;
    uint32_t flags, reserved[5];
} term;
typedef struct field {
    void* ptr;
    const void* reserved;
    uint64_t id, src;
    uint32_t stride, flags;
} field;
struct iter {
    world* world;
    const uint64_t* entities;
    const field* fields;
    int32_t count, field_count;
    table* table;
    int32_t offset, status;
    uint64_t group_id;
    const uint64_t* variables;
    const query* query;
    uint64_t event, event_id;
    void *param, *ctx, *binding_ctx;
    uint64_t system;
    float delta_time, delta_system_time;
    void* state;
    uint64_t reserved[4];
};
typedef struct query_desc {
    term terms[16];
    const term* terms_buffer;
    int32_t terms_buffer_count;
    bool cached, instanced, track_rows;
    const char *expr, *name;
    uint32_t flags;
    uint64_t order_by_component;
    int (*order_by)(uint64_t, const void*, uint64_t, const void*);
    const void* orders;
    int32_t order_count;
    uint64_t group_by_id;
    uint64_t (*group_by)(world*, table*, uint64_t, void*);
    bool group_descending;
    void* group_by_ctx;
    void (*group_by_ctx_free)(void*);
    void* (*on_group_create)(world*, uint64_t, void*);
    void (*on_group_delete)(world*, uint64_t, void*, void*);
    const query* parent;
} query_desc;
typedef struct observer_desc {
    uint64_t entity;
    query_desc query;
    uint64_t events[16];
    bool yield_existing;
    void (*callback)(iter*);
    void (*run)(iter*);
    void *ctx, *binding_ctx;
    void (*ctx_free)(void*);
    void (*binding_ctx_free)(void*);
} observer_desc;
typedef struct hooks {
    void (*functions[9])(void);
    void *ctx, *binding_ctx;
    void (*ctx_free)(void*);
    void (*binding_ctx_free)(void*);
} hooks;
typedef struct component_desc {
    uint64_t entity;
    const char* name;
    size_t size, alignment;
    hooks hooks;
    bool local;
} component_desc;

uint32_t kith_abi_version(void);
int32_t kith_last_status(void);
world* kith_init(void);
int32_t kith_fini(world*);
uint64_t kith_new_entity(world*, const char* path);
int32_t kith_add_pair(world*, uint64_t entity, uint64_t relation, uint64_t target);
int32_t kith_set_id(world*, uint64_t entity, uint64_t id, size_t size, const void* value);
const void* kith_get_id(const world*, uint64_t entity, uint64_t id);
int32_t kith_delete(world*, uint64_t entity);
uint64_t kith_component_init_w_size(world*, const component_desc*, size_t);
query* kith_query_init_w_size(world*, const query_desc*, size_t);
void kith_query_fini(query*);
int32_t kith_query_iter(const world*, const query*, iter*);
bool kith_iter_next(iter*);
uint64_t kith_observer_init_w_size(world*, const observer_desc*, size_t);

enum { child_of = 270, wildcard = 257, on_set = 295, invalid_entity = 1, invalid_argument = 102 };

typedef struct Position {
    double x, y;
} Position;

static int failures;
#define CHECK(condition)                                   \
    do {                                                   \
        if (!(condition)) {                                \
            failures++;                                    \
            printf("line %d: %s\n", __LINE__, #condition); \
        }                                                  \
    } while (0)

static void add_x(iter* it) {
    for (int32_t i = 0; i < it->count; i++) {
        *(double*)it->ctx += ((const Position*)it->fields[0].ptr)[i].x;
    }
    CHECK(it->event == on_set && it->field_count == 1);
}

int main(void) {
    /* spec 429 */
    CHECK(kith_abi_version() == 0);
    world* w = kith_init();
    const component_desc described = {
        .name = "Position", .size = sizeof(Position), .alignment = sizeof(double)};
    const uint64_t position = kith_component_init_w_size(w, &described, sizeof described);
    CHECK(position != 0 && position < 256);

    double sum = 0;
    observer_desc observed = {.events = {on_set}, .callback = add_x, .ctx = &sum};
    observed.query.terms[0].id = position;
    CHECK(kith_observer_init_w_size(w, &observed, sizeof observed) != 0);

    const uint64_t port = kith_new_entity(w, "Port"), ship = kith_new_entity(w, "Ship");
    const Position place = {3, 4};
    CHECK(kith_add_pair(w, ship, child_of, port) == 0);
    CHECK(kith_set_id(w, ship, position, sizeof place, &place) == 0 && sum == 3);
    CHECK(((const Position*)kith_get_id(w, ship, position))->y == 4);

    query_desc wanted = {.cached = true};
    wanted.terms[0].id = position;
    wanted.terms[1].first.id = child_of;
    wanted.terms[1].second.id = wildcard;
    query* q = kith_query_init_w_size(w, &wanted, sizeof wanted);
    iter it;
    int32_t rows = 0;
    CHECK(q != NULL && kith_query_iter(w, q, &it) == 0);
    while (kith_iter_next(&it)) {
        rows += it.count;
        CHECK(it.entities[0] == ship && it.world == w && it.query == q);
        CHECK(it.fields[0].stride == sizeof(Position) && it.fields[0].id == position);
        CHECK(memcmp(it.fields[0].ptr, &place, sizeof place) == 0);
    }
    CHECK(rows == 1 && it.status == 0);
    kith_query_fini(q);

    CHECK(kith_delete(w, ship) == 0 && kith_delete(w, ship) == invalid_entity);
    CHECK(kith_set_id(w, ship, position, sizeof place, &place) == invalid_entity);
    CHECK(!kith_query_init_w_size(w, NULL, sizeof wanted));
    CHECK(kith_last_status() == invalid_argument);
    CHECK(kith_fini(w) == 0);
    return failures != 0;
}
