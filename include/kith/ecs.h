/* The names of another C API for entity component systems, over <kith/kith.h>: ecs_new_id,
 * ecs_filter, EcsChildOf, ECS_COMPONENT. Header only, C99; older spellings of terms (`.pred .subj
 * .obj`, `.entity`,
 * `.set`, `.var`) from C11 on. For C: C++ has <kith/kith.hpp>.
 *
 * The meaning is kith's: there is one engine for filters, queries and rules; misuse is a status,
 * not an abort (define KITH_ECS_ABORT before this header to have failures print and abort). Names
 * of things that kith does not have are not defined. docs/manual/coming-from.md says what differs.
 *
 * Covered by tests/seeds/c. */
#ifndef KITH_ECS_H
#define KITH_ECS_H

#include <kith/kith.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define KITH_ECS_C11
#define KITH_ECS_THREAD_LOCAL _Thread_local
#elif defined(__GNUC__)
#define KITH_ECS_THREAD_LOCAL __thread
#else
#define KITH_ECS_THREAD_LOCAL
#endif

/* -- types */

typedef kith_world_t ecs_world_t;
typedef kith_entity_t ecs_entity_t;
typedef kith_id_t ecs_id_t;
typedef kith_table_t ecs_table_t;
typedef kith_iter_t ecs_iter_t;
typedef kith_ref_t ecs_ref_t;
typedef kith_entity_desc_t ecs_entity_desc_t;
typedef kith_component_desc_t ecs_component_desc_t;
typedef kith_bulk_desc_t ecs_bulk_desc_t;
typedef kith_event_desc_t ecs_event_desc_t;
typedef kith_type_info_t ecs_type_info_t;
typedef kith_type_hooks_t ecs_type_hooks_t;
typedef kith_iter_action_t ecs_iter_action_t;
typedef kith_ctx_free_t ecs_ctx_free_t;
typedef kith_order_by_action_t ecs_order_by_action_t;
typedef kith_group_by_action_t ecs_group_by_action_t;
typedef kith_xtor_t ecs_xtor_t;
typedef kith_copy_t ecs_copy_t;
typedef kith_move_t ecs_move_t;

/* The ids of an entity. A list stays valid until the 16th call of ecs_get_type after it. */
typedef struct ecs_type_t {
    ecs_id_t* array;
    int32_t count;
} ecs_type_t;

/* Queries: uncached, cached, with variables. All three can do everything. */
typedef struct ecs_filter_t {
    kith_query_t* query;
    bool allocated;
} ecs_filter_t;
typedef struct ecs_query_t {
    kith_query_t* query;
    bool allocated;
} ecs_query_t;
typedef struct ecs_rule_t {
    kith_query_t* query;
    bool allocated;
} ecs_rule_t;
#define ECS_FILTER_INIT \
    { NULL, false }

/* The layouts of kith_term_id_t and kith_term_t. */
#ifdef KITH_ECS_C11
typedef struct ecs_term_id_t {
    union {
        ecs_entity_t id;
        ecs_entity_t entity;
    };
    const char* name;
    union {
        struct {
            ecs_entity_t trav;
            union {
                uint32_t flags;
                uint32_t var;
            };
            uint32_t min_depth, max_depth, reserved;
        };
        struct {
            ecs_entity_t relation;
            uint32_t mask;
            uint32_t min_depth, max_depth, reserved;
        } set;
    };
} ecs_term_id_t;
typedef struct ecs_term_t {
    ecs_id_t id;
    union {
        ecs_term_id_t src;
        ecs_term_id_t subj;
    };
    union {
        ecs_term_id_t first;
        ecs_term_id_t pred;
    };
    union {
        ecs_term_id_t second;
        ecs_term_id_t obj;
    };
    int32_t inout, oper;
    uint32_t flags;
    uint32_t reserved[5];
} ecs_term_t;
#else
typedef kith_term_id_t ecs_term_id_t;
typedef kith_term_t ecs_term_t;
#endif

typedef struct ecs_filter_desc_t {
    ecs_term_t terms[16];
    ecs_term_t* terms_buffer;
    int32_t terms_buffer_count;
    ecs_filter_t* storage; /* memory for the filter; NULL: allocated */
    bool instanced;
    uint32_t flags;
    const char* expr;
    const char* name;
} ecs_filter_desc_t;

typedef struct ecs_query_desc_t {
    ecs_filter_desc_t filter;
    ecs_entity_t order_by_component;
    ecs_order_by_action_t order_by;
    ecs_id_t group_by_id;
    ecs_group_by_action_t group_by;
    void* group_by_ctx;
    ecs_ctx_free_t group_by_ctx_free;
    kith_group_create_action_t on_group_create;
    kith_group_delete_action_t on_group_delete;
    ecs_query_t* parent;
} ecs_query_desc_t;

typedef struct ecs_observer_desc_t {
    ecs_entity_t entity;
    ecs_filter_desc_t filter;
    ecs_entity_t events[16];
    bool yield_existing;
    ecs_iter_action_t callback, run;
    void *ctx, *binding_ctx;
    ecs_ctx_free_t ctx_free, binding_ctx_free;
} ecs_observer_desc_t;

/* -- constants */

#define ECS_PAIR KITH_PAIR
#define ECS_OVERRIDE KITH_OVERRIDE
#define ECS_TOGGLE KITH_TOGGLE
#define ECS_HI_COMPONENT_ID KITH_HI_COMPONENT_ID
#define ECS_IS_PAIR(id) KITH_IS_PAIR(id)

#define EcsWildcard KithWildcard
#define EcsAny KithAny
#define EcsThis KithThis
#define EcsVariable KithVariable
#define EcsName KithName
#define EcsSymbol KithSymbol
#define EcsAlias KithAlias
#define EcsPrefab KithPrefab
#define EcsDisabled KithDisabled
#define EcsModule KithModule
#define EcsQuery KithQuery
#define EcsObserver KithObserver
#define EcsChildOf KithChildOf
#define EcsIsA KithIsA
#define EcsDependsOn KithDependsOn
#define EcsSlotOf KithSlotOf
#define EcsTag KithTag
#define EcsFinal KithFinal
#define EcsDontInherit KithDontInherit
#define EcsTransitive KithTransitive
#define EcsReflexive KithReflexive
#define EcsAcyclic KithAcyclic
#define EcsTraversable KithTraversable
#define EcsExclusive KithExclusive
#define EcsUnion KithUnion
#define EcsSymmetric KithSymmetric
#define EcsWith KithWith
#define EcsOneOf KithOneOf
#define EcsOnDelete KithOnDelete
#define EcsOnDeleteTarget KithOnDeleteTarget
#define EcsRemove KithRemove
#define EcsDelete KithDelete
#define EcsPanic KithPanic
#define EcsOnAdd KithOnAdd
#define EcsOnRemove KithOnRemove
#define EcsOnSet KithOnSet
#define EcsUnSet KithUnSet
#define EcsMonitor KithMonitor
#define EcsOnTableCreate KithOnTableCreate
#define EcsOnTableDelete KithOnTableDelete
#define EcsPredEq KithPredEq
#define EcsPredNeq KithPredNeq
#define EcsPredMatch KithPredMatch
#define EcsScopeOpen KithScopeOpen
#define EcsScopeClose KithScopeClose

#define EcsAnd KithAnd
#define EcsOr KithOr
#define EcsNot KithNot
#define EcsOptional KithOptional
#define EcsAndFrom KithAndFrom
#define EcsOrFrom KithOrFrom
#define EcsNotFrom KithNotFrom
#define EcsInOutDefault KithInOutDefault
#define EcsInOutNone KithInOutNone
#define EcsInOut KithInOut
#define EcsIn KithIn
#define EcsOut KithOut
#define EcsSelf KithSelf
#define EcsUp KithUp
#define EcsDown KithDown
#define EcsParent KithParent
#define EcsCascade KithCascade
#define EcsDesc KithDesc
#define EcsTraverseAll KithTraverseAll
#define EcsSuperSet KithSuperSet
#define EcsSubSet KithSubSet
#define EcsIsVariable KithIsVariable
#define EcsVarIsVariable KithVarIsVariable
#define EcsIsEntity KithIsEntity
#define EcsIsName KithIsName
#define EcsFilterMatchPrefab KithFilterMatchPrefab
#define EcsFilterMatchDisabled KithFilterMatchDisabled
#define EcsFilterIsInstanced KithFilterIsInstanced

/* -- worlds */

static inline void ecs_print_and_abort_(kith_status_t status, const char* message, void* ctx) {
    (void)ctx;
    fprintf(stderr, "%s: %s\n", kith_status_name(status), message);
    abort();
}
static inline ecs_world_t* ecs_init(void) {
#ifdef KITH_ECS_ABORT
    kith_set_error_action(ecs_print_and_abort_, NULL);
#endif
    return kith_init();
}
static inline ecs_world_t* ecs_mini(void) {
    return ecs_init();
}
/* 0, or a status. */
static inline int ecs_fini(ecs_world_t* world) {
    return kith_fini(world);
}
#define ecs_set_context(world, ctx) kith_set_ctx(world, ctx, NULL)
#define ecs_get_context(world) kith_get_ctx(world)
#define ecs_set_entity_range(world, first, last) kith_set_entity_range(world, first, last)
#define ecs_enable_range_check(world, on) kith_enable_range_check(world, on)
#define ecs_defer_begin(world) kith_defer_begin(world)
#define ecs_defer_end(world) (kith_defer_end(world) == KITH_OK)
#define ecs_defer_suspend(world) kith_defer_suspend(world)
#define ecs_defer_resume(world) kith_defer_resume(world)
#define ecs_is_deferred(world) kith_is_deferred(world)
#define ecs_os_free(memory) kith_free(memory)

/* -- ids */

#define ecs_id(T) kith_id(T)
/* ecs_new(world, 0): the type that adds nothing. */
enum { kith_id_0_ = 0 };
#define ecs_pair(relation, target) kith_pair(relation, target)
#define ecs_pair_first(world, pair) kith_pair_first(world, pair)
#define ecs_pair_second(world, pair) kith_pair_second(world, pair)
#define ecs_pair_relation(world, pair) kith_pair_first(world, pair)
#define ecs_pair_target(world, pair) kith_pair_second(world, pair)
#define ecs_isa(e) kith_isa(e)
#define ecs_childof(e) kith_childof(e)
#define ecs_dependson(e) kith_dependson(e)
#define ecs_id_str(world, id) kith_id_str(world, id)
#define ecs_id_match(id, pattern) kith_id_match(id, pattern)
#define ecs_id_is_valid(world, id) kith_id_is_valid(world, id)
#define ecs_id_is_wildcard(id) kith_id_is_wildcard(id)
#define ecs_id_is_tag(world, id) kith_id_is_tag(world, id)
#define ecs_id_in_use(world, id) kith_id_in_use(world, id)
#define ecs_get_typeid(world, id) kith_get_typeid(world, id)
#define ecs_strip_generation(e) kith_strip_generation(e)

#define ECS_COMPONENT(world, T) KITH_COMPONENT(world, T)
#define ECS_COMPONENT_DECLARE(T) KITH_COMPONENT_DECLARE(T)
#define ECS_COMPONENT_DEFINE(world, T) KITH_COMPONENT_DEFINE(world, T)
#define ECS_TAG(world, T) KITH_TAG(world, T)
#define ECS_TAG_DECLARE(T) KITH_TAG_DECLARE(T)
#define ECS_TAG_DEFINE(world, T) KITH_TAG_DEFINE(world, T)
#define ecs_component_init(world, desc) kith_component_init(world, desc)
#define ecs_component(world, ...) kith_component(world, __VA_ARGS__)
#define ecs_set_hooks(world, T, ...) \
    kith_set_hooks(world, ecs_id(T), &(ecs_type_hooks_t)__VA_ARGS__)

/* -- entities */

#define ecs_new_id(world) kith_new_id(world)
#define ecs_new_w_id(world, id) kith_new_w_id(world, id)
#define ecs_new_w_pair(world, relation, target) kith_new_w_pair(world, relation, target)
static inline ecs_entity_t ecs_new_w_type_(ecs_world_t* world, ecs_id_t id) {
    return id == 0 ? kith_new(world) : kith_new_w_id(world, id);
}
#define ecs_new(world, T) ecs_new_w_type_(world, ecs_id(T))
#define ecs_new_entity(world, name) kith_new_entity(world, name)
#define ecs_new_prefab(world, name) kith_new_prefab(world, name)
#define ecs_entity_init(world, desc) kith_entity_init(world, desc)
#define ecs_entity(world, ...) kith_entity(world, __VA_ARGS__)
#define ecs_bulk_init(world, desc) kith_bulk_init(world, desc)
#define ecs_clone(world, into, e, values) kith_clone(world, into, e, values)
#define ecs_delete(world, e) kith_delete(world, e)
#define ecs_delete_with(world, id) kith_delete_with(world, id)
#define ecs_remove_all(world, id) kith_remove_all(world, id)
#define ecs_clear(world, e) kith_clear(world, e)
#define ecs_is_alive(world, e) kith_is_alive(world, e)
#define ecs_is_valid(world, e) kith_is_valid(world, e)
#define ecs_exists(world, e) kith_exists(world, e)
#define ecs_get_alive(world, e) kith_get_alive(world, e)
#define ecs_ensure(world, e) kith_make_alive(world, e)
#define ecs_enable(world, e, on) kith_enable(world, e, on)
#define ecs_enable_id(world, e, id, on) kith_enable_id(world, e, id, on)
#define ecs_is_enabled_id(world, e, id) kith_is_enabled_id(world, e, id)
#define ecs_count_id(world, id) kith_count_id(world, id)
#define ecs_count(world, T) kith_count_id(world, ecs_id(T))

#define ecs_add_id(world, e, id) kith_add_id(world, e, id)
#define ecs_remove_id(world, e, id) kith_remove_id(world, e, id)
#define ecs_has_id(world, e, id) kith_has_id(world, e, id)
#define ecs_owns_id(world, e, id) kith_owns_id(world, e, id)
#define ecs_override_id(world, e, id) kith_override_id(world, e, id)
#define ecs_add(world, e, T) kith_add(world, e, T)
#define ecs_remove(world, e, T) kith_remove(world, e, T)
#define ecs_has(world, e, T) kith_has(world, e, T)
#define ecs_owns(world, e, T) kith_owns(world, e, T)
#define ecs_override(world, e, T) kith_override_id(world, e, ecs_id(T))
#define ecs_add_pair(world, e, relation, target) kith_add_pair(world, e, relation, target)
#define ecs_remove_pair(world, e, relation, target) kith_remove_pair(world, e, relation, target)
#define ecs_has_pair(world, e, relation, target) kith_has_pair(world, e, relation, target)
#define ecs_owns_pair(world, e, relation, target) kith_owns_pair(world, e, relation, target)

#define ecs_get_id(world, e, id) kith_get_id(world, e, id)
#define ecs_get_mut_id(world, e, id) kith_get_mut_id(world, e, id)
#define ecs_modified_id(world, e, id) kith_modified_id(world, e, id)
#define ecs_set_id(world, e, id, size, value) kith_set_id(world, e, id, size, value)
#define ecs_get(world, e, T) kith_get(world, e, T)
#define ecs_get_mut(world, e, T) kith_get_mut(world, e, T)
#define ecs_modified(world, e, T) kith_modified(world, e, T)
#define ecs_set(world, e, T, ...) kith_set(world, e, T, __VA_ARGS__)
#define ecs_set_pair(world, e, R, target, ...) kith_set_pair(world, e, R, target, __VA_ARGS__)
#define ecs_set_pair_second(world, e, relation, T, ...) \
    kith_set_pair_second(world, e, relation, T, __VA_ARGS__)
#define ecs_set_pair_object(world, e, relation, T, ...) \
    kith_set_pair_second(world, e, relation, T, __VA_ARGS__)
#define ecs_get_pair(world, e, R, target) kith_get_pair_t(world, e, R, target)
#define ecs_get_pair_second(world, e, relation, T) kith_get_pair_second(world, e, relation, T)
#define ecs_get_pair_object(world, e, relation, T) kith_get_pair_second(world, e, relation, T)
#define ecs_singleton_add(world, T) kith_add_id(world, ecs_id(T), ecs_id(T))
#define ecs_singleton_remove(world, T) kith_remove_id(world, ecs_id(T), ecs_id(T))
#define ecs_singleton_get(world, T) kith_get(world, ecs_id(T), T)
#define ecs_singleton_get_mut(world, T) kith_get_mut(world, ecs_id(T), T)
#define ecs_singleton_set(world, T, ...) kith_set(world, ecs_id(T), T, __VA_ARGS__)
#define ecs_singleton_modified(world, T) kith_modified(world, ecs_id(T), T)

static inline ecs_ref_t ecs_ref_init_id(const ecs_world_t* world, ecs_entity_t e, ecs_id_t id) {
    ecs_ref_t ref = KITH_ZERO;
    kith_ref_init_id(world, e, id, &ref);
    return ref;
}
#define ecs_ref_init(world, e, T) ecs_ref_init_id(world, e, ecs_id(T))
#define ecs_ref_get(world, ref, T) ((T*)kith_ref_get_id(ref))
#define ecs_ref_update(world, ref) kith_ref_update(ref)

/* -- types and tables */

static inline const ecs_type_t* ecs_get_type(const ecs_world_t* world, ecs_entity_t e) {
    static KITH_ECS_THREAD_LOCAL ecs_type_t lists[16];
    static KITH_ECS_THREAD_LOCAL uint32_t next;
    ecs_type_t* list = &lists[next++ % 16];
    const int32_t count = kith_get_ids(world, e, NULL, 0);
    ecs_id_t* array = (ecs_id_t*)realloc(list->array, ((size_t)count + 1) * sizeof(ecs_id_t));
    if (!array || !kith_is_alive(world, e)) {
        list->array = array ? array : list->array;
        return NULL;
    }
    list->array = array;
    list->count = kith_get_ids(world, e, array, count);
    return list;
}
#define ecs_get_table(world, e) kith_get_table(world, e)
#define ecs_table_get_id(world, table, id, offset) kith_table_get_id(world, table, id, offset)
#define ecs_table_has_id(world, table, id) kith_table_has_id(world, table, id)
#define ecs_table_count(world, table) kith_table_count(world, table)
#define ecs_table_str(world, table) kith_table_str(world, table)
#define ecs_search(world, table, pattern, found) kith_search(world, table, pattern, found)
#define ecs_search_offset(world, table, offset, pattern, found) \
    kith_search_offset(world, table, offset, pattern, found)

/* -- relationships and names */

#define ecs_get_target(world, e, relation, index) kith_get_target(world, e, relation, index)
#define ecs_get_target_for_id(world, e, relation, id) kith_get_target_for_id(world, e, relation, id)
#define ecs_get_parent(world, e) kith_get_parent(world, e)
#define ecs_get_depth(world, e, relation) kith_get_depth(world, e, relation)
#define ecs_get_name(world, e) kith_get_name(world, e)
#define ecs_set_name(world, e, name) kith_set_name(world, e, name)
#define ecs_get_symbol(world, e) kith_get_symbol(world, e)
#define ecs_set_symbol(world, e, symbol) kith_set_symbol(world, e, symbol)
#define ecs_set_alias(world, e, alias) kith_set_alias(world, e, alias)
#define ecs_lookup(world, name) kith_lookup(world, name)
#define ecs_lookup_fullpath(world, path) kith_lookup(world, path)
static inline ecs_entity_t ecs_lookup_path(const ecs_world_t* world, ecs_entity_t parent,
                                           const char* path) {
    return parent == 0 ? kith_lookup(world, path) : kith_lookup_child(world, parent, path);
}
#define ecs_lookup_child(world, parent, name) ecs_lookup_path(world, parent, name)
#define ecs_lookup_symbol(world, symbol) kith_lookup_symbol(world, symbol)
#define ecs_get_fullpath(world, e) kith_get_path(world, e)
#define ecs_set_scope(world, scope) kith_set_scope(world, scope)
#define ecs_get_scope(world) kith_get_scope(world)

/* -- queries */

static inline void ecs_fill_query_(kith_query_desc_t* to, const ecs_filter_desc_t* from) {
    memcpy(to->terms, from->terms, sizeof to->terms);
    to->terms_buffer = (const kith_term_t*)(const void*)from->terms_buffer;
    to->terms_buffer_count = from->terms_buffer_count;
    to->instanced = from->instanced;
    to->flags = from->flags;
    to->expr = from->expr;
    to->name = from->name;
}

#define KITH_ECS_QUERY_KIND_(kind)                                                       \
    static inline kind##_t* kind##_hold_(kith_query_t* made, kind##_t* storage) {        \
        kind##_t* held = storage ? storage : (kind##_t*)malloc(sizeof *held);            \
        if (!made || !held) {                                                            \
            kith_query_fini(made);                                                       \
            if (!storage) {                                                              \
                free(held);                                                              \
            }                                                                            \
            return NULL;                                                                 \
        }                                                                                \
        held->query = made;                                                              \
        held->allocated = !storage;                                                      \
        return held;                                                                     \
    }                                                                                    \
    static inline void kind##_fini(kind##_t* ended) {                                    \
        if (ended) {                                                                     \
            kith_query_fini(ended->query);                                               \
            ended->query = NULL;                                                         \
            if (ended->allocated) {                                                      \
                free(ended);                                                             \
            }                                                                            \
        }                                                                                \
    }                                                                                    \
    static inline ecs_iter_t kind##_iter(const ecs_world_t* world, const kind##_t* of) { \
        ecs_iter_t it;                                                                   \
        kith_query_iter(world, of ? of->query : NULL, &it);                              \
        return it;                                                                       \
    }                                                                                    \
    static inline char* kind##_str(const ecs_world_t* world, const kind##_t* of) {       \
        (void)world;                                                                     \
        return kith_query_str(of ? of->query : NULL);                                    \
    }                                                                                    \
    static inline int32_t kind##_find_var(const kind##_t* of, const char* name) {        \
        return kith_query_find_var(of ? of->query : NULL, name);                         \
    }                                                                                    \
    static inline const char* kind##_var_name(const kind##_t* of, int32_t variable) {    \
        return kith_query_var_name(of ? of->query : NULL, variable);                     \
    }                                                                                    \
    static inline int32_t kind##_var_count(const kind##_t* of) {                         \
        return kith_query_var_count(of ? of->query : NULL);                              \
    }
KITH_ECS_QUERY_KIND_(ecs_filter)
KITH_ECS_QUERY_KIND_(ecs_query)
KITH_ECS_QUERY_KIND_(ecs_rule)

static inline ecs_filter_t* ecs_filter_init(ecs_world_t* world, const ecs_filter_desc_t* desc) {
    kith_query_desc_t to = KITH_ZERO;
    if (desc) {
        ecs_fill_query_(&to, desc);
    }
    return ecs_filter_hold_(kith_query_init(world, desc ? &to : NULL), desc ? desc->storage : NULL);
}
static inline ecs_rule_t* ecs_rule_init(ecs_world_t* world, const ecs_filter_desc_t* desc) {
    kith_query_desc_t to = KITH_ZERO;
    if (desc) {
        ecs_fill_query_(&to, desc);
    }
    return ecs_rule_hold_(kith_query_init(world, desc ? &to : NULL), NULL);
}
static inline ecs_query_t* ecs_query_init(ecs_world_t* world, const ecs_query_desc_t* desc) {
    kith_query_desc_t to = KITH_ZERO;
    if (!desc) {
        return ecs_query_hold_(kith_query_init(world, NULL), NULL);
    }
    ecs_fill_query_(&to, &desc->filter);
    to.cached = true;
    to.order_by_component = desc->order_by_component;
    to.order_by = desc->order_by;
    to.group_by_id = desc->group_by_id;
    to.group_by = desc->group_by;
    to.group_by_ctx = desc->group_by_ctx;
    to.group_by_ctx_free = desc->group_by_ctx_free;
    to.on_group_create = desc->on_group_create;
    to.on_group_delete = desc->on_group_delete;
    to.parent = desc->parent ? desc->parent->query : NULL;
    return ecs_query_hold_(kith_query_init(world, &to), NULL);
}
static inline ecs_query_t* ecs_query_new(ecs_world_t* world, const char* expr) {
    return ecs_query_hold_(kith_query_new(world, expr), NULL);
}
#define ecs_filter(world, ...) ecs_filter_init(world, &(ecs_filter_desc_t)__VA_ARGS__)
#define ecs_rule(world, ...) ecs_rule_init(world, &(ecs_filter_desc_t)__VA_ARGS__)
#define ecs_query(world, ...) ecs_query_init(world, &(ecs_query_desc_t)__VA_ARGS__)

/* Of the query (`it` NULL), or of the present result. */
static inline bool ecs_query_changed(const ecs_query_t* query, const ecs_iter_t* it) {
    return it ? kith_iter_changed(it) : kith_query_changed(query ? query->query : NULL);
}
#define ecs_query_skip(it) kith_iter_skip(it)
#define ecs_query_set_group(it, group) kith_iter_set_group(it, group)
#define ecs_query_orphaned(q) kith_query_orphaned((q)->query)

/* -- iterating */

#define ecs_iter_next(it) kith_iter_next(it)
#define ecs_filter_next(it) kith_iter_next(it)
#define ecs_query_next(it) kith_iter_next(it)
#define ecs_rule_next(it) kith_iter_next(it)
#define ecs_children_next(it) kith_iter_next(it)
#define ecs_term_next(it) kith_iter_next(it)
#define ecs_iter_fini(it) kith_iter_fini(it)
#define ecs_iter_set_var(it, variable, e) kith_iter_set_var(it, variable, e)
#define ecs_iter_get_var(it, variable) kith_iter_get_var(it, variable)
#define ecs_iter_count(it) kith_iter_count(it)
#define ecs_iter_first(it) kith_iter_first(it)
#define ecs_iter_is_true(it) kith_iter_is_true(it)
#define ecs_iter_str(it) kith_iter_str(it)
static inline ecs_iter_t ecs_children(const ecs_world_t* world, ecs_entity_t parent) {
    ecs_iter_t it;
    kith_children(world, parent, &it);
    return it;
}
static inline ecs_iter_t ecs_each_id(const ecs_world_t* world, ecs_id_t id) {
    ecs_iter_t it;
    kith_each_id(world, id, &it);
    return it;
}
#define ecs_field_w_size(it, size, index) kith_field_w_size(it, size, index)
#define ecs_field(it, T, index) kith_field(it, T, index)
#define ecs_field_id(it, index) kith_field_id(it, index)
#define ecs_field_src(it, index) kith_field_src(it, index)
#define ecs_field_is_set(it, index) kith_field_is_set(it, index)
#define ecs_field_is_self(it, index) kith_field_is_self(it, index)
#define ecs_field_is_readonly(it, index) kith_field_is_readonly(it, index)
#define ecs_field_is_writeonly(it, index) kith_field_is_writeonly(it, index)
#define ecs_field_size(it, index) kith_field_size(it, index)
#define ecs_term(it, T, index) kith_field(it, T, index)
#define ecs_term_id(it, index) kith_field_id(it, index)

/* -- observers and events */

static inline ecs_entity_t ecs_observer_init(ecs_world_t* world, const ecs_observer_desc_t* desc) {
    kith_observer_desc_t to = KITH_ZERO;
    if (!desc) {
        return kith_observer_init(world, NULL);
    }
    to.entity = desc->entity;
    ecs_fill_query_(&to.query, &desc->filter);
    memcpy(to.events, desc->events, sizeof to.events);
    to.yield_existing = desc->yield_existing;
    to.callback = desc->callback;
    to.run = desc->run;
    to.ctx = desc->ctx;
    to.binding_ctx = desc->binding_ctx;
    to.ctx_free = desc->ctx_free;
    to.binding_ctx_free = desc->binding_ctx_free;
    return kith_observer_init(world, &to);
}
#define ecs_observer(world, ...) ecs_observer_init(world, &(ecs_observer_desc_t)__VA_ARGS__)
#define ECS_OBSERVER(world, callback, event, ...) KITH_OBSERVER(world, callback, event, __VA_ARGS__)
#define ecs_emit(world, desc) kith_emit(world, desc)
#define ecs_enqueue(world, desc) kith_enqueue(world, desc)

#endif
