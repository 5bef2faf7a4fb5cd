/* Refuses each allocation of each function in turn, of the world's memory and of malloc. A call
 * that fails does so with KITH_NO_MEMORY, and leaves a world that is sound and gives all memory
 * back.
 *
 * Not a part of kith_c_tests: it replaces malloc. */
#include <kith/kith.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Allocations that succeed before one is refused; negative: all do. */
static long allowed = -1;
static long refused;
static long blocks;

static int refuses(void) {
    if (allowed < 0) {
        return 0;
    }
    if (allowed == 0) {
        refused++;
        return 1;
    }
    allowed--;
    return 0;
}

#ifdef KITH_REPLACE_MALLOC
void* __libc_malloc(size_t size);
void* malloc(size_t size);
void* malloc(size_t size) {
    return refuses() ? NULL : __libc_malloc(size);
}
#endif

static void* world_alloc(void* ctx, size_t size, size_t alignment) {
    (void)ctx;
    if (refuses()) {
        return NULL;
    }
    void* memory = NULL;
    if (posix_memalign(&memory, alignment < sizeof(void*) ? sizeof(void*) : alignment, size)) {
        return NULL;
    }
    blocks++;
    return memory;
}
static void world_free(void* ctx, void* memory, size_t size, size_t alignment) {
    (void)ctx;
    (void)size;
    (void)alignment;
    blocks--;
    free(memory);
}

typedef struct Position {
    double x, y;
} Position;

/* What the calls use. */
typedef struct state {
    kith_world_t* world;
    kith_entity_t position, tag, likes, bob, e, prefab, parent;
    kith_query_t *query, *variables;
} state;
static long round_number; /* distinguishes names of types of the process */

static void set_up(state* s) {
    kith_memory_t memory = {world_alloc, world_free, NULL, true};
    s->world = kith_init_w_memory(&memory);
    s->position = kith_component_of(s->world, "Position", sizeof(Position), KITH_ALIGNOF(Position));
    s->tag = kith_new_entity(s->world, "Tag");
    s->likes = kith_new_entity(s->world, "Likes");
    s->bob = kith_new_entity(s->world, "Bob");
    s->e = kith_new_entity(s->world, "E");
    s->parent = kith_new_entity(s->world, "Parent");
    s->prefab = kith_new_prefab(s->world, "Prefab1");
    kith_new_w_pair(s->world, KithChildOf, s->prefab);
    s->query = kith_query_new(s->world, "Position");
    s->variables = kith_query_new(s->world, "(Likes, $x)");
}

static bool go_on(kith_entity_t entity, int32_t depth, void* ctx) {
    (void)entity;
    (void)depth;
    (void)ctx;
    return true;
}
static void ignore(kith_iter_t* it) {
    (void)it;
}
static void ignore_ctx(void* ctx) {
    *(int*)ctx += 1;
}
static void ignore_mistake(const kith_text_error_t* error, void* ctx) {
    (void)error;
    (void)ctx;
}
static void make_value(void* value, void* ctx) {
    (void)ctx;
    memset(value, 0, sizeof(Position));
}
static void import(kith_world_t* world, void* ctx) {
    (void)ctx;
    kith_new_entity(world, "Part");
}
static int by_entity(kith_entity_t e1, const void* v1, kith_entity_t e2, const void* v2) {
    (void)v1;
    (void)v2;
    return (e1 > e2) - (e1 < e2);
}
static void numbered(char* name, const char* kind) {
    sprintf(name, "%s%ld", kind, round_number);
}

static const Position p = {1, 2};
#define OP(name) static void name(__attribute__((unused)) state* s)
OP(new_) {
    kith_new(s->world);
}
OP(new_id) {
    kith_new_id(s->world);
}
OP(new_w_id) {
    kith_new_w_id(s->world, s->tag);
}
OP(new_w_pair) {
    kith_new_w_pair(s->world, s->likes, s->bob);
}
OP(new_entity) {
    kith_new_entity(s->world, "A::B::C");
}
OP(new_prefab) {
    kith_new_prefab(s->world, "Fab");
}
OP(instance) {
    kith_new_w_pair(s->world, KithIsA, s->prefab);
}
OP(entity_init) {
    kith_entity_desc_t desc = {.name = "New",
                               .parent = s->parent,
                               .symbol = "new_symbol",
                               .add = {s->tag},
                               .add_expr = "(Likes, Bob)",
                               .set = {{s->position, sizeof p, &p}}};
    kith_entity_init(s->world, &desc);
}
OP(bulk) {
    Position values[3] = {{1, 1}, {2, 2}, {3, 3}};
    void* columns[] = {values};
    kith_bulk_desc_t desc = {.count = 3, .ids = {s->position}, .data = columns};
    kith_bulk_init(s->world, &desc);
}
OP(clone) {
    kith_clone(s->world, 0, s->e, true);
}
OP(delete_) {
    kith_delete(s->world, s->e);
}
OP(delete_target) {
    kith_add_pair(s->world, s->e, s->likes, s->bob);
    kith_delete(s->world, s->bob);
}
OP(delete_with) {
    kith_delete_with(s->world, s->tag);
}
OP(remove_all) {
    kith_remove_all(s->world, s->tag);
}
OP(clear) {
    kith_clear(s->world, s->e);
}
OP(make_alive) {
    kith_make_alive(s->world, 90000);
}
OP(enable) {
    kith_enable(s->world, s->e, false);
}
OP(add) {
    kith_add_id(s->world, s->e, s->tag);
}
OP(add_pair) {
    kith_add_pair(s->world, s->e, s->likes, s->bob);
}
OP(remove_) {
    kith_remove_id(s->world, s->e, kith_pair(KithIdentifier, KithName));
}
OP(override) {
    kith_override_id(s->world, s->prefab, s->tag);
}
OP(enable_id) {
    if (kith_add_id(s->world, s->e, s->tag) == KITH_OK) {
        kith_enable_id(s->world, s->e, s->tag, false);
    }
}
OP(set) {
    kith_set_id(s->world, s->e, s->position, sizeof p, &p);
}
OP(move) {
    Position q = p;
    kith_move_id(s->world, s->e, s->position, sizeof q, &q);
}
OP(emplace) {
    kith_emplace_id(s->world, s->e, s->position, make_value, NULL);
}
OP(get_mut) {
    kith_get_mut_id(s->world, s->e, s->position);
}
OP(ref) {
    kith_ref_t ref;
    kith_ref_init_id(s->world, s->e, s->position, &ref);
}
OP(many) {
    kith_entity_t es[2] = {s->e, s->bob};
    const Position values[2] = {{1, 1}, {2, 2}};
    Position out[2];
    kith_entity_t targets[2];
    const char* names[2];
    if (kith_set_n(s->world, es, 2, s->position, sizeof p, values) == KITH_OK &&
        kith_add_n(s->world, es, 2, s->tag) == KITH_OK &&
        kith_get_n(s->world, es, 2, s->position, sizeof p, out) >= 0 &&
        kith_targets_n(s->world, es, 2, s->likes, targets) == KITH_OK &&
        kith_names_n(s->world, es, 2, names) == KITH_OK) {
        kith_remove_n(s->world, es, 2, s->tag);
    }
}
OP(component) {
    char name[40];
    numbered(name, "Type");
    kith_component_of(s->world, name, 16, 8);
}
OP(component_local) {
    static int freed;
    kith_component_desc_t desc = {
        .name = "LocalType",
        .size = 16,
        .alignment = 8,
        .hooks = {.on_add = ignore, .ctx = &freed, .ctx_free = ignore_ctx},
        .local = true};
    kith_component_init(s->world, &desc);
    kith_set_hooks(s->world, s->position, &(kith_type_hooks_t){.on_set = ignore});
}
static void ignore_values(void* values, int32_t count, const kith_type_info_t* info) {
    (void)values;
    (void)count;
    (void)info;
}
OP(hooks) {
    const kith_type_hooks_t functions = {.dtor = ignore_values, .on_set = ignore};
    kith_set_hooks(s->world, s->position, &functions);
}
OP(enum_) {
    char name[40];
    numbered(name, "Enum");
    const kith_enum_constant_t constants[] = {{1, "One"}, {2, "Two"}};
    const kith_enum_desc_t desc = {.name = name, .constants = constants, .count = 2};
    const kith_entity_t type = kith_enum_init(s->world, &desc);
    if (type) {
        kith_set_enum(s->world, s->e, type, 2);
    }
}
OP(relation) {
    kith_relation_init(
        s->world,
        &(kith_relation_desc_t){
            .name = "Rel", .exclusive = true, .traversable = true, .on_delete_target = KithDelete});
}
OP(walk) {
    kith_walk_up(s->world, s->e, KithChildOf, go_on, NULL, 0);
}
OP(traverse) {
    kith_traversal_t* walk = kith_traverse(s->world, s->prefab, KithChildOf);
    while (walk && kith_traversal_next(walk, NULL)) {}
    kith_traversal_fini(walk);
}
OP(names) {
    kith_set_name(s->world, s->e, "A name that is longer than most names are");
}
OP(symbols) {
    kith_set_symbol(s->world, s->e, "a_symbol");
}
OP(alias) {
    kith_set_alias(s->world, s->e, "Another");
}
OP(paths) {
    kith_free(kith_get_path(s->world, s->e));
}
OP(path_made) {
    kith_new_from_path_w_sep(s->world, s->e, "X/Y", "/", NULL);
}
OP(lookup) {
    kith_lookup(s->world, "Parent");
    kith_lookup_symbol(s->world, "Position");
}
OP(with) {
    const int32_t mark = kith_push_with(s->world, s->tag);
    if (mark >= 0) {
        kith_new(s->world);
        kith_pop_with(s->world, mark);
    }
}
OP(import_) {
    char name[40];
    numbered(name, "module");
    kith_import(s->world, import, name, NULL);
}
OP(defer) {
    if (kith_defer_begin(s->world)) {
        kith_set_id(s->world, s->e, s->position, sizeof p, &p);
        kith_add_pair(s->world, s->e, s->likes, s->bob);
        kith_new_entity(s->world, "Later");
        kith_defer_end(s->world);
    }
}
OP(texts) {
    kith_free(kith_id_str(s->world, kith_pair(s->likes, s->bob)));
    kith_free(kith_entity_str(s->world, s->e));
    kith_free(kith_table_str(s->world, kith_get_table(s->world, s->e)));
    kith_free(kith_query_str(s->query));
    kith_free(kith_query_explain(s->query));
    kith_free(kith_query_explain_entity(s->query, s->e));
}
OP(id_from_str) {
    kith_id_from_str(s->world, "(Likes, Bob)");
}
OP(query_text) {
    kith_query_fini(kith_query_new(s->world, "Position, (Likes, $x), Tag($x)"));
}
OP(query_desc) {
    kith_query_desc_t desc = {.terms = {{s->position}, {s->tag, .oper = KithNot}},
                              .cached = true,
                              .name = "Named",
                              .order_by = by_entity};
    kith_query_fini(kith_query_init(s->world, &desc));
}
OP(query_columns) {
    kith_query_column_t columns[4];
    kith_query_columns(s->variables, columns, 4);
}
OP(query_changed) {
    kith_query_changed(s->query);
}
OP(check_query) {
    kith_check_query("Position,, (", 12, ignore_mistake, NULL);
}
OP(iterate) {
    kith_iter_t it, each, children;
    kith_query_iter(s->world, s->variables, &it);
    kith_iter_set_var(&it, 1, s->bob);
    while (kith_iter_next(&it)) {}
    kith_each_id(s->world, s->tag, &each);
    while (kith_iter_next(&each)) {}
    kith_children(s->world, 0, &children);
    while (kith_iter_next(&children)) {
        kith_free(kith_iter_str(&children));
    }
}
OP(observer) {
    int freed = 0;
    kith_observer_desc_t desc = {
        .query = {.terms = {{s->position}}, .expr = "!Tag", .name = "Watch"},
        .events = {KithOnAdd, KithOnRemove},
        .callback = ignore,
        .ctx = &freed,
        .ctx_free = ignore_ctx};
    const kith_entity_t made = kith_observer_init(s->world, &desc);
    const kith_status_t status = kith_last_status();
    const long left = allowed;
    allowed = -1;
    if (made) {
        kith_delete(s->world, made);
    }
    if (freed != 1) {
        kith_fail(KITH_INVALID_OPERATION, "the context was not freed once");
    } else if (!made && status != KITH_NO_MEMORY) {
        kith_fail(KITH_INVALID_OPERATION, "no observer, and another status");
    }
    allowed = left;
}
OP(entity_observer) {
    const kith_observer_desc_t desc = {.callback = ignore};
    kith_entity_observer_init(s->world, s->e, s->tag, &desc);
}
OP(events) {
    Position payload = p;
    kith_event_desc_t event = {.event = s->tag,
                               .ids = &s->position,
                               .id_count = 1,
                               .entity = s->e,
                               .param = &payload,
                               .param_type = s->position};
    kith_emit(s->world, &event);
    if (kith_defer_begin(s->world)) {
        kith_enqueue(s->world, &event);
        kith_defer_end(s->world);
    }
}
OP(monitor) {
    const kith_monitor_desc_t desc = {.existing = true, .callback = ignore};
    kith_monitor_fini(kith_monitor_init(s->query, &desc));
}
OP(load) {
    kith_load_text(s->world, "Planet(Earth)\nLikes(Bob, Earth)\n", 32, NULL);
}
OP(save) {
    kith_free(kith_save_text(s->world, NULL));
}
OP(check_text) {
    kith_check_text("Planet((", 8, ignore_mistake, NULL);
}
OP(format_text) {
    kith_free(kith_format_text("Planet( Mars )", 14, NULL));
}
OP(described) {
    char name[64];
    numbered(name, "Described");
    const kith_component_desc_t desc = {
        .name = name, .size = sizeof p, .alignment = 8, .local = true};
    const kith_entity_t type = kith_component_init(s->world, &desc);
    const kith_member_t members[] = {{.name = "x", .kind = KITH_KIND_F64},
                                     {.name = "y", .kind = KITH_KIND_F64, .offset = 8}};
    if (type && kith_describe(s->world, type, members, 2) == KITH_OK) {
        Position value = p;
        kith_free(kith_value_str(s->world, type, &value));
        kith_value_parse(s->world, type, &value, "{x: 3}");
        if (kith_set_id(s->world, s->e, type, sizeof p, &p) == KITH_OK) {
            kith_free(kith_get_member_str(s->world, s->e, type, "x"));
            kith_set_member_str(s->world, s->e, type, "x", "4");
        }
    }
}
OP(json_out) {
    kith_free(kith_entity_to_json(s->world, s->e, NULL));
    kith_free(kith_query_to_json(s->variables, NULL));
    kith_iter_t it;
    if (kith_query_iter(s->world, s->variables, &it) == KITH_OK) {
        kith_free(kith_iter_to_json(&it, NULL, NULL));
    }
    kith_free(kith_world_to_json(s->world, NULL));
}
OP(json_in) {
    const char* text = "{\"kith\":1, \"entities\":[{\"entity\":\"Q\", \"tags\":[\"Tag\"]}]}";
    kith_world_from_json(s->world, text, strlen(text));
}
OP(snapshots) {
    kith_snapshot_t* taken = kith_snapshot_take(s->world);
    if (taken) {
        kith_new(s->world);
        kith_snapshot_restore(taken);
    }
    kith_snapshot_fini(taken);
}
OP(shrink) {
    kith_shrink(s->world);
}
OP(reset) {
    kith_reset(&s->world);
}
OP(stats) {
    kith_world_stats_t stats;
    kith_world_stats(s->world, &stats);
}
OP(init) {
    kith_fini(kith_init());
}

OP(ids) {
    kith_id_t ids[8];
    kith_type_info_t info;
    const kith_id_t pair = kith_make_pair(s->world, s->likes, s->bob);
    kith_get_ids(s->world, s->e, ids, 8);
    kith_match_ids(s->world, s->e, KithWildcard, ids, 8);
    kith_pair_first(s->world, kith_pair(s->likes, s->bob));
    kith_pair_second(s->world, kith_pair(s->likes, s->bob));
    kith_id_is_valid(s->world, kith_pair(s->likes, s->bob));
    kith_id_is_tag(s->world, s->likes);
    kith_id_in_use(s->world, s->likes);
    kith_get_typeid(s->world, s->position);
    kith_get_type_info(s->world, s->position, &info);
    kith_count_id(s->world, s->tag);
    kith_has_id(s->world, s->e, s->tag);
    kith_owns_id(s->world, s->e, s->tag);
    kith_owns_pair(s->world, s->e, s->likes, s->bob);
    kith_get_pair(s->world, s->e, s->likes, s->bob);
    kith_remove_pair(s->world, s->e, s->likes, s->bob);
    kith_id_match(pair, KithWildcard);
    kith_id_is_wildcard(kith_strip_generation(pair));
    kith_index_of(s->e);
    kith_generation_of(s->e);
}
OP(lives) {
    kith_is_alive(s->world, s->e);
    kith_is_valid(s->world, s->e);
    kith_exists(s->world, s->e);
    kith_get_alive(s->world, s->e);
    kith_is_enabled(s->world, s->e);
    kith_is_enabled_id(s->world, s->e, s->tag);
    kith_is_deferred(s->world);
    kith_delete_n(s->world, &s->e, 1);
}
OP(targets) {
    kith_entity_t targets[4];
    kith_iter_t it;
    kith_get_parent(s->world, s->e);
    kith_get_depth(s->world, s->e, KithChildOf);
    kith_get_target_for_id(s->world, s->e, KithIsA, s->tag);
    kith_targets(s->world, s->e, s->likes, targets, 4);
    kith_sources(s->world, KithChildOf, s->prefab, &it);
    while (kith_iter_next(&it)) {}
}
OP(scopes) {
    kith_set_scope(s->world, s->parent);
    kith_get_scope(s->world);
    kith_use(s->world, s->e, "Short");
    kith_set_lookup_path(s->world, NULL);
    kith_lookup_child(s->world, s->parent, "Child");
    kith_lookup_path_w_sep(s->world, 0, "Parent", "/", NULL, true);
    kith_free(kith_get_path_w_sep(s->world, 0, s->e, "/", NULL));
    kith_get_symbol(s->world, s->position);
    kith_free(kith_type_str(s->world, s->e));
    kith_set_scope(s->world, 0);
}
static void import_named(kith_world_t* world, void* ctx) {
    kith_module(world, (const char*)ctx);
}
OP(module) {
    char name[40];
    numbered(name, "placed");
    kith_import(s->world, import_named, name, name);
}
OP(singleton) {
    kith_ref_t ref;
    kith_singleton_set_id(s->world, s->position, sizeof p, &p);
    kith_singleton_get_id(s->world, s->position);
    if (kith_set_id(s->world, s->e, s->position, sizeof p, &p) == KITH_OK) {
        kith_ref_init_id(s->world, s->e, s->position, &ref);
        kith_ref_update(&ref);
        kith_ref_get_id(&ref);
        kith_modified_id(s->world, s->e, s->position);
    }
}
OP(suspended) {
    if (kith_defer_begin(s->world)) {
        kith_add_id(s->world, s->e, s->tag);
        kith_defer_suspend(s->world);
        kith_add_id(s->world, s->bob, s->tag);
        kith_defer_resume(s->world);
        kith_defer_end(s->world);
    }
}
OP(contexts) {
    kith_set_ctx(s->world, s, NULL);
    kith_get_ctx(s->world);
    kith_set_binding_ctx(s->world, s, NULL);
    kith_get_binding_ctx(s->world);
    kith_set_entity_range(s->world, 1000000, 0);
    kith_enable_range_check(s->world, false);
}
OP(tables) {
    kith_id_t found;
    int32_t count;
    kith_table_t* table = kith_get_table(s->world, s->e);
    kith_table_count(s->world, table);
    kith_table_ids(s->world, table, &count);
    kith_table_entities(s->world, table);
    kith_table_get_id(s->world, table, s->position, 0);
    kith_table_has_id(s->world, table, s->tag);
    kith_table_get_depth(s->world, table, KithChildOf);
    kith_search(s->world, table, KithWildcard, &found);
    kith_search_offset(s->world, table, 1, KithWildcard, &found);
}
OP(query_reads) {
    kith_term_t term;
    kith_query_entity(s->query);
    kith_query_field_count(s->query);
    kith_query_term_count(s->query);
    kith_query_term(s->query, 0, &term);
    kith_query_var_count(s->variables);
    kith_query_var_name(s->variables, 1);
    kith_query_find_var(s->variables, "x");
    kith_query_open_targets(s->query);
    kith_query_orphaned(s->query);
    kith_query_world(s->query);
    kith_query_is_true(s->variables);
    kith_query_first(s->variables);
    kith_query_count(s->variables);
    kith_query_matches(s->variables, s->e);
    kith_query_fini(kith_query_ref(s->query));
}
OP(bind) {
    kith_iter_t it;
    kith_query_t* open = kith_query_new(s->world, "(Likes, *)");
    if (open && kith_query_bind(open, &s->bob, 1, &it) == KITH_OK) {
        while (kith_iter_next(&it)) {}
    }
    kith_query_fini(open);
}
static bool never(void* ctx) {
    (void)ctx;
    return false;
}
OP(restricted) {
    kith_iter_t it;
    kith_table_t* table = kith_get_table(s->world, s->e);
    kith_set_id(s->world, s->e, s->position, sizeof p, &p);
    kith_query_iter(s->world, s->query, &it);
    kith_iter_page(&it, 0, 5);
    kith_iter_count(&it);
    kith_query_iter(s->world, s->query, &it);
    kith_iter_worker(&it, 0, 2);
    kith_iter_first(&it);
    kith_query_iter(s->world, s->query, &it);
    kith_iter_stop_on(&it, never, NULL);
    kith_iter_is_true(&it);
    kith_query_iter(s->world, s->query, &it);
    kith_iter_set_var_as_range(&it, 0, table, 0, 0);
    kith_iter_fini(&it);
}
OP(field_fault) {
    const kith_iter_t it = {0};
    kith_field_fault(&it, 1);
    if (kith_last_status() == KITH_INVALID_QUERY) { /* there was memory for the message */
        kith_clear_error();
    }
}
OP(fields) {
    kith_iter_t it;
    kith_query_desc_t desc = {
        .terms = {{s->position}}, .cached = true, .track_rows = true, .group_by_id = s->likes};
    kith_query_t* query = kith_query_init(s->world, &desc);
    if (!query || kith_set_id(s->world, s->e, s->position, sizeof p, &p) != KITH_OK) {
        kith_query_fini(query);
        return;
    }
    if (kith_query_iter(s->world, query, &it) == KITH_OK) {
        kith_query_group_ctx(query, 0);
        kith_iter_set_group(&it, 0);
        while (kith_iter_next(&it)) {
            kith_field_at(&it, 1);
            kith_field_checked(&it, sizeof p, 1);
            kith_field_w_size(&it, sizeof p, 1);
            kith_field_id(&it, 1);
            kith_field_src(&it, 1);
            kith_field_size(&it, 1);
            kith_field_stride(&it, 1);
            kith_field_is_set(&it, 1);
            kith_field_is_self(&it, 1);
            kith_field_is_readonly(&it, 1);
            kith_field_is_writeonly(&it, 1);
            kith_row_field(&it, 1, 0);
            kith_iter_get_var(&it, 0);
            kith_iter_changed(&it);
            kith_iter_row_changed(&it, 0);
            kith_iter_skip(&it);
        }
    }
    kith_query_fini(query);
}
static void call_callback(kith_iter_t* it) {
    kith_iter_call(it);
}
OP(observed) {
    kith_observer_desc_t desc = {.query = {.terms = {{s->tag}}},
                                 .events = {KithOnAdd},
                                 .callback = ignore,
                                 .run = call_callback};
    const kith_entity_t made = kith_observer_init(s->world, &desc);
    if (made) {
        kith_add_id(s->world, s->e, s->tag);
        kith_query_fini(kith_observer_query(s->world, made));
        kith_observer_get_ctx(s->world, made);
    }
    kith_observer_of(s->world, "watch_text", ignore, KithOnSet, "Position, !Tag");
}
static void step_system(kith_iter_t* it) {
    while (kith_iter_next(it)) {
        kith_iter_call(it);
    }
}
OP(system_made) {
    int freed = 0;
    kith_system_desc_t desc = {.query = {.terms = {{s->position}}, .name = "Moves"},
                               .phase = KithOnUpdate,
                               .after = {KithPreUpdate},
                               .callback = ignore,
                               .run = step_system,
                               .interval = 1,
                               .ctx = &freed,
                               .ctx_free = ignore_ctx};
    const kith_entity_t made = kith_system_init(s->world, &desc);
    if (made) {
        kith_run(s->world, made, 1, NULL);
        kith_run_worker(s->world, made, 0, 1, 1, NULL);
        kith_query_fini(kith_system_query(s->world, made));
        kith_system_get_ctx(s->world, made);
        kith_set_interval(s->world, made, 2);
        kith_set_timeout(s->world, made, 2);
        kith_get_interval(s->world, made);
        kith_get_timeout(s->world, made);
        kith_set_rate(s->world, made, 2, 0);
        kith_set_tick_source(s->world, made, 0);
        kith_start_timer(s->world, made);
        kith_stop_timer(s->world, made);
        kith_reset_timer(s->world, made);
    }
}
OP(frames) {
    kith_pipeline_desc_t desc = {.query = {.terms = {{KithSystem}}}};
    /* A type whose first use fails cannot be used again while there is no memory at all. */
    const kith_entity_t made = kith_pipeline_init(s->world, &desc);
    if (!made || !kith_system_of(s->world, "Idle", ignore, KithOnUpdate, "Position, !Tag") ||
        !kith_progress(s->world, 1)) {
        return;
    }
    kith_set_pipeline(s->world, made);
    kith_run_pipeline(s->world, made, 1);
    kith_get_pipeline(s->world);
    if (kith_frame_begin(s->world, 1) > 0) {
        kith_frame_end(s->world);
    }
    kith_set_time_scale(s->world, 1);
    kith_set_target_fps(s->world, 0);
    kith_set_threads(s->world, 1);
    kith_set_task_threads(s->world, 1);
    kith_get_threads(s->world);
    kith_quit(s->world);
    kith_should_quit(s->world);
}
OP(enum_values) {
    char name[40];
    int64_t value;
    const kith_enum_constant_t constants[] = {{1, "One"}, {2, "Two"}};
    numbered(name, "Read");
    kith_enum_desc_t desc = {.name = name, .constants = constants, .count = 2};
    const kith_entity_t type = kith_enum_init(s->world, &desc);
    if (type) {
        const kith_entity_t one = kith_enum_constant(s->world, type, 1);
        if (one && kith_set_enum(s->world, s->e, type, 1) == KITH_OK) {
            kith_enum_value(s->world, one, &value);
            kith_get_enum(s->world, s->e, type, &value);
        }
    }
}
OP(types) {
    char name[40];
    kith_type_hooks_t hooks;
    numbered(name, "Registered");
    kith_component_desc_t desc = {.name = name, .size = 4, .alignment = 4};
    kith_type_register(&desc);
    kith_get_hooks(s->world, s->position, &hooks);
}
OP(load_file) {
    kith_load_file(s->world, "/dev/null", NULL);
}

#define ENTRY(name) \
    { #name, name, 0 }
/* Operations of one call: if it fails, the world is as before. */
#define WHOLE(name) \
    { #name, name, 1 }
static const struct {
    const char* name;
    void (*run)(state*);
    int is_whole;
} operations[] = {
    WHOLE(new_),          WHOLE(new_id),
    WHOLE(new_w_id),      WHOLE(new_w_pair),
    WHOLE(new_entity),    WHOLE(new_prefab),
    ENTRY(instance),      ENTRY(entity_init),
    WHOLE(bulk),          WHOLE(clone),
    WHOLE(delete_),       ENTRY(delete_target),
    WHOLE(delete_with),   WHOLE(remove_all),
    WHOLE(clear),         WHOLE(make_alive),
    WHOLE(enable),        WHOLE(add),
    WHOLE(add_pair),      WHOLE(remove_),
    WHOLE(override),      ENTRY(enable_id),
    WHOLE(set),           WHOLE(move),
    WHOLE(emplace),       WHOLE(get_mut),
    ENTRY(ref),           ENTRY(many),
    ENTRY(component),     ENTRY(hooks),
    ENTRY(enum_),         ENTRY(component_local),
    ENTRY(relation),      ENTRY(walk),
    ENTRY(traverse),      ENTRY(names),
    ENTRY(symbols),       ENTRY(alias),
    ENTRY(paths),         ENTRY(path_made),
    ENTRY(lookup),        ENTRY(with),
    ENTRY(import_),       ENTRY(defer),
    ENTRY(texts),         ENTRY(id_from_str),
    ENTRY(query_text),    ENTRY(query_desc),
    ENTRY(query_columns), ENTRY(query_changed),
    ENTRY(check_query),   ENTRY(iterate),
    ENTRY(observer),      ENTRY(entity_observer),
    ENTRY(events),        ENTRY(monitor),
    ENTRY(load),          ENTRY(save),
    ENTRY(check_text),    ENTRY(format_text),
    ENTRY(shrink),        ENTRY(reset),
    ENTRY(stats),         ENTRY(init),
    ENTRY(ids),           ENTRY(lives),
    ENTRY(targets),       ENTRY(scopes),
    ENTRY(module),        ENTRY(singleton),
    ENTRY(suspended),     ENTRY(contexts),
    ENTRY(tables),        ENTRY(query_reads),
    ENTRY(bind),          ENTRY(restricted),
    ENTRY(field_fault),   ENTRY(fields),
    ENTRY(observed),      ENTRY(enum_values),
    ENTRY(types),         ENTRY(load_file),
    ENTRY(system_made),   ENTRY(frames),
    ENTRY(described),     ENTRY(json_out),
    ENTRY(json_in),       ENTRY(snapshots),
};

/* The living entities with their paths and ids. */
static char* describe(const kith_world_t* world) {
    size_t size = 0;
    char* text = calloc(1, 1);
    for (kith_entity_t index = 1; index < 5000; index++) {
        const kith_entity_t entity = kith_get_alive(world, index);
        char* line = entity ? kith_entity_str(world, entity) : NULL;
        if (line) {
            const size_t length = strlen(line);
            text = realloc(text, size + length + 2);
            sprintf(text + size, "%s\n", line);
            size += length + 1;
            kith_free(line);
        }
    }
    return text;
}

/* Refuses the n-th allocation of the operation. Returns 0 if it had fewer. */
static int run(size_t index, long n, int* failures) {
    state s;
    const long blocks_before = blocks;
    round_number++;
    set_up(&s);
    kith_clear_error();
    char* before = describe(s.world);
    allowed = n;
    refused = 0;
    operations[index].run(&s);
    const long hit = refused;
    allowed = -1;
    kith_status_t status = kith_last_status();
    int wrong = status != KITH_OK && status != KITH_NO_MEMORY;
    if (wrong) {
        printf("%s, allocation %ld: %s: %s\n", operations[index].name, n, kith_status_name(status),
               kith_last_message());
    }
    if (kith_check(s.world) != KITH_OK) {
        printf("%s, allocation %ld: %s\n", operations[index].name, n, kith_last_message());
        wrong = 1;
    }
    char* after = describe(s.world);
    if (operations[index].is_whole && status != KITH_OK && strcmp(before, after) != 0) {
        printf("%s, allocation %ld: the world was\n%sand is\n%s", operations[index].name, n, before,
               after);
        wrong = 1;
    }
    free(before);
    free(after);
    kith_query_fini(s.query);
    kith_query_fini(s.variables);
    if (kith_fini(s.world) != KITH_OK || blocks != blocks_before) {
        printf("%s, allocation %ld: %ld blocks are left; %s\n", operations[index].name, n,
               blocks - blocks_before, kith_last_message());
        wrong = 1;
    }
    *failures += wrong;
    return hit != 0;
}

/* The calls of a frame: reads, writes, and runs of queries. */
static void run_frame(state* s) {
    kith_iter_t it;
    kith_set_id(s->world, s->e, s->position, sizeof p, &p);
    kith_get_mut_id(s->world, s->e, s->position);
    kith_get_id(s->world, s->e, s->position);
    kith_has_pair(s->world, s->e, s->likes, s->bob);
    kith_get_target(s->world, s->e, s->likes, 0);
    kith_get_name(s->world, s->e);
    kith_lookup(s->world, "Parent");
    kith_add_id(s->world, s->e, s->tag);
    kith_remove_id(s->world, s->e, s->tag);
    kith_delete(s->world, kith_new(s->world));
    kith_query_iter(s->world, s->query, &it);
    while (kith_iter_next(&it)) {
        kith_field_w_size(&it, sizeof p, 1);
    }
    kith_query_iter(s->world, s->variables, &it);
    while (kith_iter_next(&it)) {}
    kith_each_id(s->world, s->position, &it);
    while (kith_iter_next(&it)) {}
    kith_query_count(s->query);
    kith_query_matches(s->query, s->e);
}

/* spec 428 */
/* Warm calls allocate nothing. Returns the number of failures. */
static int check_warm_calls(void) {
    state s;
    set_up(&s);
    kith_add_pair(s.world, s.e, s.likes, s.bob);
    for (int i = 0; i < 3; i++) {
        run_frame(&s);
    }
    kith_clear_error();
    refused = 0;
    allowed = 0;
    run_frame(&s);
    allowed = -1;
    const int failed = refused != 0 || kith_last_status() != KITH_OK;
    if (failed) {
        printf("warm calls: %ld allocations; %s\n", refused, kith_last_message());
    }
    kith_query_fini(s.query);
    kith_query_fini(s.variables);
    kith_fini(s.world);
    return failed;
}

int main(int argc, char** argv) {
    int failures = check_warm_calls();
    long count = 0;
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        if (argc < 2 || strcmp(argv[1], operations[i].name) == 0) {
            for (long n = 0; n < 500 && run(i, n, &failures) && failures < 20; n++) {
                count++;
            }
        }
    }
    printf("%ld refused allocations, %d failures\n", count, failures);
    return failures != 0 || count == 0;
}
