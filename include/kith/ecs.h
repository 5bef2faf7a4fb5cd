/* The names of another C API for entity component systems, over <kith/kith.h>: ecs_new_id,
 * ecs_filter, EcsChildOf, ECS_COMPONENT. Header only, C99; older spellings of terms (`.pred .subj
 * .obj`, `.entity`, `.set`, `.var`) from C11 on. For C: C++ has <kith/kith.hpp>.
 *
 * The meaning is kith's: there is one engine for filters, queries and rules; misuse is a status,
 * not an abort (define KITH_ECS_ABORT before this header to have failures print and abort). Names
 * of things that kith does not have are not defined. docs/manual/coming-from.md says what differs.
 *
 * Names that end with an underscore are internal. Covered by tests/seeds/c and tests/capi/ecs_*. */
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
typedef kith_ref_t ecs_ref_t;
typedef kith_entity_desc_t ecs_entity_desc_t;
typedef kith_bulk_desc_t ecs_bulk_desc_t;
typedef kith_type_info_t ecs_type_info_t;
typedef kith_ctx_free_t ecs_ctx_free_t;
typedef kith_order_by_action_t ecs_order_by_action_t;
typedef kith_group_by_action_t ecs_group_by_action_t;
typedef kith_group_create_action_t ecs_group_create_action_t;
typedef kith_group_delete_action_t ecs_group_delete_action_t;
typedef kith_xtor_t ecs_xtor_t;
typedef kith_copy_t ecs_copy_t;
typedef kith_move_t ecs_move_t;
typedef int32_t ecs_size_t;
typedef uint32_t ecs_flags32_t;
typedef float ecs_ftime_t;
typedef int32_t ecs_inout_kind_t;
typedef int32_t ecs_oper_kind_t;
typedef void (*ecs_module_action_t)(ecs_world_t* world);

/* The ids of an entity. A list stays valid until the 16th call of ecs_get_type after it. */
typedef struct ecs_type_t {
    ecs_id_t* array;
    int32_t count;
} ecs_type_t;

/* The value of a component's entity: ecs_get(world, ecs_id(Position), EcsComponent). */
typedef struct EcsComponent {
    ecs_size_t size, alignment;
} EcsComponent;

/* Rows of a table. */
typedef struct ecs_table_range_t {
    ecs_table_t* table;
    int32_t offset, count;
} ecs_table_range_t;
/* The value of a variable: an entity, or for $this rows of a table. */
typedef struct ecs_var_t {
    ecs_table_range_t range;
    ecs_entity_t entity;
} ecs_var_t;

/* A result with its fields in arrays, field 1 first. The arrays have the first 32 fields and the
 * first 16 variables; functions reach all of them. An iterator may be returned and copied; one of
 * the copies is used then. */
#define ECS_ITER_FIELDS_ 32
#define ECS_ITER_VARIABLES_ 16
typedef struct ecs_iter_t ecs_iter_t;
typedef void (*ecs_iter_action_t)(ecs_iter_t* it);
typedef ecs_iter_action_t ecs_run_action_t;
typedef bool (*ecs_iter_next_action_t)(ecs_iter_t* it);
struct ecs_iter_t {
    ecs_world_t* world;
    const ecs_entity_t* entities;
    void* ptrs[ECS_ITER_FIELDS_];
    ecs_size_t sizes[ECS_ITER_FIELDS_];
    ecs_id_t ids[ECS_ITER_FIELDS_];
    ecs_entity_t sources[ECS_ITER_FIELDS_];
    ecs_var_t variables[ECS_ITER_VARIABLES_];
    int32_t variable_count;
    ecs_table_t* table;
    int32_t offset, count, field_count;
    uint64_t group_id;
    ecs_entity_t system, event;
    ecs_id_t event_id;
    void *param, *ctx, *binding_ctx;
    ecs_ftime_t delta_time, delta_system_time;
    ecs_iter_next_action_t next; /* in `run` of an observer: true once */
    ecs_iter_action_t callback;  /* in `run` of an observer: its callback */
    kith_iter_t* given_;         /* in callbacks: the iterator of the call */
    bool unread_;                /* in `run`: `next` was not called */
    kith_iter_t own_;
};

/* Functions and hooks of a component. */
typedef struct ecs_type_hooks_t {
    ecs_xtor_t ctor, dtor;
    ecs_copy_t copy;
    ecs_move_t move;
    ecs_copy_t copy_ctor;
    ecs_move_t move_ctor;
    ecs_iter_action_t on_add, on_set, on_remove;
    void *ctx, *binding_ctx;
    ecs_ctx_free_t ctx_free, binding_ctx_free;
} ecs_type_hooks_t;

/* A component of one world, on an entity of its own. ECS_COMPONENT makes one of a type of C. */
typedef struct ecs_component_desc_t {
    ecs_entity_t entity; /* 0: the entity with the name, else a new one */
    struct {
        size_t size, alignment; /* both 0: a tag */
        ecs_type_hooks_t hooks;
        const char* name;
    } type;
} ecs_component_desc_t;

typedef struct ecs_event_desc_t {
    ecs_entity_t event;
    const ecs_type_t* ids;
    ecs_table_t* table; /* the subject: rows of a table, or an entity */
    int32_t offset, count;
    ecs_entity_t entity;
    void* param; /* the payload; ecs_enqueue copies it, as a value of the event's type */
    const void* const_param;
} ecs_event_desc_t;

/* Queries: uncached, cached, with variables. All three can do everything. */
typedef struct ecs_filter_t {
    kith_query_t* query;
    int32_t term_count, field_count;
    bool allocated;
} ecs_filter_t;
typedef ecs_filter_t ecs_query_t;
typedef ecs_filter_t ecs_rule_t;
#define ECS_FILTER_INIT \
    { NULL, 0, 0, false }

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
    ecs_group_create_action_t on_group_create;
    ecs_group_delete_action_t on_group_delete;
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

typedef struct ecs_system_desc_t {
    ecs_entity_t entity; /* with ecs_dependson(phase), or else no frame runs the system */
    ecs_query_desc_t query;
    ecs_iter_action_t run, callback;
    void *ctx, *binding_ctx;
    ecs_ctx_free_t ctx_free, binding_ctx_free;
    ecs_ftime_t interval;
    int32_t rate;
    ecs_entity_t tick_source;
    bool multi_threaded, no_readonly;
} ecs_system_desc_t;

typedef struct ecs_pipeline_desc_t {
    ecs_entity_t entity;
    ecs_query_desc_t query;
} ecs_pipeline_desc_t;

/* -- constants */

#define ECS_PAIR KITH_PAIR
#define ECS_OVERRIDE KITH_OVERRIDE
#define ECS_TOGGLE KITH_TOGGLE
#define ECS_HI_COMPONENT_ID KITH_HI_COMPONENT_ID
#define ECS_ENTITY_MASK UINT64_C(0xFFFFFFFF)
#define ECS_GENERATION_MASK (UINT64_C(0xFFFF) << 32)
#define ECS_GENERATION(e) (((e)&ECS_GENERATION_MASK) >> 32)
#define ECS_IS_PAIR(id) KITH_IS_PAIR(id)
/* The elements of a pair without their generations. */
#define ECS_PAIR_FIRST(id) (((id) >> 32) & UINT64_C(0x0FFFFFFF))
#define ECS_PAIR_SECOND(id) ((id)&ECS_ENTITY_MASK)
#define ECS_HAS_RELATION(id, relation) (ECS_IS_PAIR(id) && ECS_PAIR_FIRST(id) == (relation))
#define ECS_HAS_ID_FLAG(id, flag) (((id)&ECS_##flag) != 0)

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
#define EcsSystem KithSystem
#define EcsPhase KithPhase
#define EcsPipeline KithPipeline
#define EcsOnStart KithOnStart
#define EcsPreFrame KithPreFrame
#define EcsOnLoad KithOnLoad
#define EcsPostLoad KithPostLoad
#define EcsPreUpdate KithPreUpdate
#define EcsOnUpdate KithOnUpdate
#define EcsOnValidate KithOnValidate
#define EcsPostUpdate KithPostUpdate
#define EcsPreStore KithPreStore
#define EcsOnStore KithOnStore
#define EcsPostFrame KithPostFrame
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
#define EcsOnDeleteObject KithOnDeleteTarget
#define EcsRemove KithRemove
#define EcsDelete KithDelete
#define EcsPanic KithPanic
#define EcsThrow KithPanic
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
#define EcsInOutFilter KithInOutNone
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
static inline ecs_world_t* ecs_init_w_args(int argc, char* argv[]) {
    (void)argc;
    (void)argv;
    return ecs_init();
}
/* 0, or a status. */
static inline int ecs_fini(ecs_world_t* world) {
    return kith_fini(world);
}
#define ecs_set_context(world, ctx) kith_set_ctx(world, ctx, NULL)
#define ecs_get_context(world) kith_get_ctx(world)
#define ecs_set_ctx(world, ctx, ctx_free) kith_set_ctx(world, ctx, ctx_free)
#define ecs_get_ctx(world) kith_get_ctx(world)
#define ecs_set_binding_ctx(world, ctx, ctx_free) kith_set_binding_ctx(world, ctx, ctx_free)
#define ecs_get_binding_ctx(world) kith_get_binding_ctx(world)
#define ecs_set_entity_range(world, first, last) kith_set_entity_range(world, first, last)
#define ecs_enable_range_check(world, on) kith_enable_range_check(world, on)
#define ecs_defer_begin(world) kith_defer_begin(world)
#define ecs_defer_end(world) (kith_defer_end(world) == KITH_OK)
#define ecs_defer_suspend(world) kith_defer_suspend(world)
#define ecs_defer_resume(world) kith_defer_resume(world)
#define ecs_is_deferred(world) kith_is_deferred(world)

/* -- the operating system. Memory is that of malloc, as are texts of the library */

#define ecs_os_malloc(size) malloc((size_t)(size))
#define ecs_os_calloc(size) calloc(1, (size_t)(size))
#define ecs_os_realloc(memory, size) realloc(memory, (size_t)(size))
#define ecs_os_free(memory) kith_free(memory)
#define ecs_os_malloc_t(T) ((T*)malloc(sizeof(T)))
#define ecs_os_malloc_n(T, count) ((T*)malloc(sizeof(T) * (size_t)(count)))
#define ecs_os_calloc_t(T) ((T*)calloc(1, sizeof(T)))
#define ecs_os_calloc_n(T, count) ((T*)calloc((size_t)(count), sizeof(T)))
#define ecs_os_realloc_t(memory, T) ((T*)realloc(memory, sizeof(T)))
#define ecs_os_realloc_n(memory, T, count) ((T*)realloc(memory, sizeof(T) * (size_t)(count)))
#define ecs_os_memcpy(to, from, size) memcpy(to, from, (size_t)(size))
#define ecs_os_memcpy_t(to, from, T) memcpy(to, from, sizeof(T))
#define ecs_os_memcpy_n(to, from, T, count) memcpy(to, from, sizeof(T) * (size_t)(count))
#define ecs_os_memmove(to, from, size) memmove(to, from, (size_t)(size))
#define ecs_os_memmove_n(to, from, T, count) memmove(to, from, sizeof(T) * (size_t)(count))
#define ecs_os_memset(memory, value, size) memset(memory, value, (size_t)(size))
#define ecs_os_memset_t(memory, value, T) memset(memory, value, sizeof(T))
#define ecs_os_memset_n(memory, value, T, count) memset(memory, value, sizeof(T) * (size_t)(count))
#define ecs_os_zeromem(memory) memset(memory, 0, sizeof *(memory))
#define ecs_os_memcmp(a, b, size) memcmp(a, b, (size_t)(size))
#define ecs_os_strlen(text) ((ecs_size_t)strlen(text))
#define ecs_os_strcmp(a, b) strcmp(a, b)
#define ecs_os_strncmp(a, b, size) strncmp(a, b, (size_t)(size))
#define ecs_os_strcpy(to, from) strcpy(to, from)
#define ecs_os_strncpy(to, from, size) strncpy(to, from, (size_t)(size))
#define ecs_os_strcat(to, from) strcat(to, from)
#define ecs_os_sprintf sprintf
#define ecs_os_abort() abort()
/* A copy of a text, to be freed by ecs_os_free; NULL for NULL. */
static inline char* ecs_os_strdup(const char* text) {
    const size_t size = text ? strlen(text) + 1 : 0;
    char* copy = text ? (char*)malloc(size) : NULL;
    return copy ? (char*)memcpy(copy, text, size) : NULL;
}
/* Failures have messages and there are no other logs: the level of logging changes nothing. */
static inline int ecs_log_set_level(int level) {
    return level;
}
static inline bool ecs_log_enable_colors(bool enabled) {
    return enabled;
}

#define ECS_SIZEOF(T) ((ecs_size_t)sizeof(T))
#define ECS_ALIGNOF(T) ((ecs_size_t)KITH_ALIGNOF(T))
#define ECS_CAST(T, value) ((T)(value))
#define ECS_MAX(a, b) ((a) > (b) ? (a) : (b))
#define ECS_MIN(a, b) ((a) < (b) ? (a) : (b))
#define ECS_OFFSET(memory, bytes) ((void*)((char*)(memory) + (bytes)))
#define ECS_ELEM_T(memory, T, index) (&((T*)(memory))[index])

/* -- ids */

#define ecs_id(T) kith_id(T)
/* ecs_new(world, 0): the type that adds nothing. */
enum { kith_id_0_ = 0 };
#define kith_id_EcsComponent_ KithComponent
#define kith_id_EcsIdentifier_ KithIdentifier
#define ecs_pair(relation, target) kith_pair(relation, target)
#define ecs_pair_first(world, pair) kith_pair_first(world, pair)
#define ecs_pair_second(world, pair) kith_pair_second(world, pair)
#define ecs_pair_t(R, target) kith_pair(ecs_id(R), target)
#define ecs_make_pair(relation, target) kith_pair(relation, target)
#define ecs_pair_relation(world, pair) kith_pair_first(world, pair)
#define ecs_pair_target(world, pair) kith_pair_second(world, pair)
#define ecs_pair_object(world, pair) kith_pair_second(world, pair)
#define ecs_entity_t_lo(e) ((uint32_t)((e)&ECS_ENTITY_MASK))
#define ecs_entity_t_hi(e) ((uint32_t)((e) >> 32))
#define ecs_entity_t_comb(lo, hi) (((uint64_t)(hi) << 32) + (uint32_t)(lo))
#define ecs_isa(e) kith_isa(e)
#define ecs_childof(e) kith_childof(e)
#define ecs_dependson(e) kith_dependson(e)
#define ecs_id_str(world, id) kith_id_str(world, id)
#define ecs_entity_str(world, e) kith_entity_str(world, e)
/* The name of a flag of ids, NULL for others. */
static inline const char* ecs_id_flag_str(uint64_t flag) {
    return flag == ECS_PAIR       ? "PAIR"
           : flag == ECS_OVERRIDE ? "OVERRIDE"
           : flag == ECS_TOGGLE   ? "TOGGLE"
                                  : NULL;
}
#define ecs_id_is_pair(id) KITH_IS_PAIR(id)
#define ecs_id_match(id, pattern) kith_id_match(id, pattern)
#define ecs_id_is_valid(world, id) kith_id_is_valid(world, id)
#define ecs_id_is_wildcard(id) kith_id_is_wildcard(id)
#define ecs_id_is_tag(world, id) kith_id_is_tag(world, id)
#define ecs_id_in_use(world, id) kith_id_in_use(world, id)
#define ecs_get_typeid(world, id) kith_get_typeid(world, id)
#define ecs_strip_generation(e) kith_strip_generation(e)
/* The type of the id's values, NULL for tags. Valid until the 16th call after it. */
static inline const ecs_type_info_t* ecs_get_type_info(const ecs_world_t* world, ecs_id_t id) {
    static KITH_ECS_THREAD_LOCAL ecs_type_info_t found[16];
    static KITH_ECS_THREAD_LOCAL uint32_t next;
    ecs_type_info_t* info = &found[next++ % 16];
    return kith_get_type_info(world, id, info) ? info : NULL;
}

#define ECS_COMPONENT(world, T) KITH_COMPONENT(world, T)
#define ECS_COMPONENT_DECLARE(T) KITH_COMPONENT_DECLARE(T)
#define ECS_COMPONENT_DEFINE(world, T) KITH_COMPONENT_DEFINE(world, T)
#define ECS_TAG(world, T) KITH_TAG(world, T)
#define ECS_TAG_DECLARE(T) KITH_TAG_DECLARE(T)
#define ECS_TAG_DEFINE(world, T) KITH_TAG_DEFINE(world, T)

/* -- callbacks: functions of this header stand between the library and the program, because an
 * ecs_iter_t is not a kith_iter_t */

/* The callbacks of an observer or of a component, with the binding's context. */
typedef struct ecs_callbacks_t_ {
    ecs_iter_action_t callback, run; /* of an observer */
    ecs_iter_action_t on_add, on_set, on_remove;
    void* binding_ctx;
    ecs_ctx_free_t binding_ctx_free;
} ecs_callbacks_t_;

static inline void ecs_callbacks_free_(void* ctx) {
    ecs_callbacks_t_* freed = (ecs_callbacks_t_*)ctx;
    if (freed && freed->binding_ctx_free) {
        freed->binding_ctx_free(freed->binding_ctx);
    }
    free(freed);
}
/* Callbacks with the contexts of a descriptor `from`. NULL if memory is short: both contexts are
 * freed. */
#define ecs_callbacks_of_(from) \
    ecs_callbacks_new_((from)->ctx, (from)->ctx_free, (from)->binding_ctx, (from)->binding_ctx_free)
static inline ecs_callbacks_t_* ecs_callbacks_new_(void* ctx, ecs_ctx_free_t ctx_free,
                                                   void* binding_ctx, ecs_ctx_free_t binding_free) {
    ecs_callbacks_t_* made = (ecs_callbacks_t_*)calloc(1, sizeof *made);
    if (made) {
        made->binding_ctx = binding_ctx;
        made->binding_ctx_free = binding_free;
        return made;
    }
    if (ctx_free) {
        ctx_free(ctx);
    }
    if (binding_free) {
        binding_free(binding_ctx);
    }
    kith_fail(KITH_NO_MEMORY, "there is no memory for the callbacks");
    return NULL;
}
/* Passes the contexts of a descriptor `from` to the descriptor `to` of kith.h. */
#define ecs_fill_contexts_(to, from, callbacks)                                                   \
    ((to)->ctx = (from)->ctx, (to)->ctx_free = (from)->ctx_free, (to)->binding_ctx = (callbacks), \
     (to)->binding_ctx_free = ecs_callbacks_free_)

/* The iterator of the library behind an iterator. */
static inline kith_iter_t* ecs_run_(const ecs_iter_t* it) {
    if (!it) {
        return NULL;
    }
    return it->given_ ? it->given_ : (kith_iter_t*)(uintptr_t)&it->own_;
}
static inline void ecs_show_fields_(ecs_iter_t* it, const kith_iter_t* run) {
    for (int32_t i = 0; i < run->field_count && i < ECS_ITER_FIELDS_; i++) {
        const kith_field_t* field = &run->fields[i];
        it->ptrs[i] = field->ptr;
        it->ids[i] = field->id;
        it->sources[i] = field->src;
        it->sizes[i] = (ecs_size_t)field->stride;
        if (field->ptr && field->stride == 0) {
            it->sizes[i] = (ecs_size_t)kith_field_size(run, i + 1);
        }
    }
}
static inline void ecs_show_variables_(ecs_iter_t* it, const kith_iter_t* run) {
    const int32_t count = run->variables ? kith_query_var_count(run->query) : 1;
    it->variable_count = count < ECS_ITER_VARIABLES_ ? count : ECS_ITER_VARIABLES_;
    for (int32_t i = 1; i < it->variable_count; i++) {
        const ecs_var_t value = {{NULL, 0, 0}, run->variables[i]};
        it->variables[i] = value;
    }
    it->variables[0].range.table = run->table;
    it->variables[0].range.offset = run->offset;
    it->variables[0].range.count = run->count;
    it->variables[0].entity = run->count == 1 ? run->entities[0] : 0;
}
/* Copies a result. */
static inline void ecs_show_(ecs_iter_t* it, const kith_iter_t* run) {
    it->world = run->world;
    it->entities = run->entities;
    it->table = run->table;
    it->offset = run->offset;
    it->count = run->count;
    it->field_count = run->field_count;
    it->group_id = run->group_id;
    it->system = run->system;
    it->event = run->event;
    it->event_id = run->event_id;
    it->param = run->param;
    it->delta_time = run->delta_time;
    it->delta_system_time = run->delta_system_time;
}
/* The next result. In `run` of an observer: the result of the call, once. */
static inline bool ecs_iter_next(ecs_iter_t* it) {
    if (it && it->unread_) {
        it->unread_ = false;
        return true;
    }
    if (it && it->given_ && it->next) {
        return false;
    }
    const bool found = kith_iter_next(ecs_run_(it));
    if (it) {
        ecs_show_(it, ecs_run_(it));
    }
    if (found) {
        ecs_show_fields_(it, ecs_run_(it));
        ecs_show_variables_(it, ecs_run_(it));
    }
    return found;
}
/* Calls a function of the program with the result of a callback. */
static inline void ecs_call_(kith_iter_t* given, ecs_iter_action_t action, bool is_run) {
    const ecs_callbacks_t_* callbacks = (const ecs_callbacks_t_*)given->binding_ctx;
    ecs_iter_t it;
    memset(&it, 0, sizeof it);
    it.given_ = given;
    ecs_show_(&it, given);
    ecs_show_fields_(&it, given);
    ecs_show_variables_(&it, given);
    it.ctx = given->ctx;
    it.binding_ctx = callbacks->binding_ctx;
    it.callback = callbacks->callback;
    it.next = is_run ? ecs_iter_next : NULL;
    it.unread_ = is_run;
    action(&it);
}
static inline void ecs_call_observer_(kith_iter_t* given) {
    const ecs_callbacks_t_* callbacks = (const ecs_callbacks_t_*)given->binding_ctx;
    ecs_call_(given, callbacks->run ? callbacks->run : callbacks->callback, callbacks->run != NULL);
}
/* The callback of a system sees one result; its `run` steps through all of them. */
static inline void ecs_call_system_(kith_iter_t* given) {
    ecs_call_(given, ((const ecs_callbacks_t_*)given->binding_ctx)->callback, false);
}
static inline void ecs_call_system_run_(kith_iter_t* given) {
    const ecs_callbacks_t_* callbacks = (const ecs_callbacks_t_*)given->binding_ctx;
    ecs_iter_t it;
    memset(&it, 0, sizeof it);
    it.given_ = given;
    ecs_show_(&it, given);
    it.ctx = given->ctx;
    it.binding_ctx = callbacks->binding_ctx;
    it.callback = callbacks->callback;
    callbacks->run(&it);
}
static inline void ecs_call_on_add_(kith_iter_t* given) {
    ecs_call_(given, ((const ecs_callbacks_t_*)given->binding_ctx)->on_add, false);
}
static inline void ecs_call_on_set_(kith_iter_t* given) {
    ecs_call_(given, ((const ecs_callbacks_t_*)given->binding_ctx)->on_set, false);
}
static inline void ecs_call_on_remove_(kith_iter_t* given) {
    ecs_call_(given, ((const ecs_callbacks_t_*)given->binding_ctx)->on_remove, false);
}

/* -- components */

/* False if there is no memory; the contexts are freed then. */
static inline bool ecs_fill_hooks_(kith_type_hooks_t* to, const ecs_type_hooks_t* from) {
    to->ctor = from->ctor;
    to->dtor = from->dtor;
    to->copy = from->copy;
    to->move = from->move;
    to->copy_ctor = from->copy_ctor;
    to->move_ctor = from->move_ctor;
    ecs_callbacks_t_* callbacks = ecs_callbacks_of_(from);
    if (!callbacks) {
        return false;
    }
    callbacks->on_add = from->on_add;
    callbacks->on_set = from->on_set;
    callbacks->on_remove = from->on_remove;
    to->on_add = from->on_add ? ecs_call_on_add_ : NULL;
    to->on_set = from->on_set ? ecs_call_on_set_ : NULL;
    to->on_remove = from->on_remove ? ecs_call_on_remove_ : NULL;
    ecs_fill_contexts_(to, from, callbacks);
    return true;
}
static inline ecs_entity_t ecs_component_init(ecs_world_t* world,
                                              const ecs_component_desc_t* desc) {
    kith_component_desc_t to = KITH_ZERO;
    if (!desc) {
        return kith_component_init(world, NULL);
    }
    if (!ecs_fill_hooks_(&to.hooks, &desc->type.hooks)) {
        return 0;
    }
    const ecs_entity_t added = desc->entity || desc->type.name || !world ? 0 : kith_new_id(world);
    to.entity = desc->entity ? desc->entity : added;
    to.name = desc->type.name;
    to.size = desc->type.size;
    to.alignment = desc->type.alignment;
    to.local = true;
    const ecs_entity_t component = kith_component_init(world, &to);
    if (!component && added) {
        kith_delete(world, added);
    }
    return component;
}
#define ecs_component(world, ...) ecs_component_init(world, &(ecs_component_desc_t)__VA_ARGS__)
/* Replaces the hooks of a component; functions about values before it is used. */
static inline kith_status_t ecs_set_hooks_id(ecs_world_t* world, ecs_entity_t component,
                                             const ecs_type_hooks_t* hooks) {
    kith_type_hooks_t to = KITH_ZERO;
    if (!hooks) {
        return kith_set_hooks(world, component, NULL);
    }
    return ecs_fill_hooks_(&to, hooks) ? kith_set_hooks(world, component, &to) : KITH_NO_MEMORY;
}
#define ecs_set_hooks(world, T, ...) \
    ecs_set_hooks_id(world, ecs_id(T), &(ecs_type_hooks_t)__VA_ARGS__)

/* The functions that the macros below define: .ctor = ecs_ctor(Position). */
#define ecs_ctor(T) T##_ctor
#define ecs_dtor(T) T##_dtor
#define ecs_copy(T) T##_copy
#define ecs_move(T) T##_move
#define ecs_on_add(T) T##_on_add
#define ecs_on_set(T) T##_on_set
#define ecs_on_remove(T) T##_on_remove
#define ECS_XTOR_IMPL_(T, name, var, ...)                                            \
    static void name(void* ptr_, int32_t count_, const ecs_type_info_t* type_info) { \
        (void)type_info;                                                             \
        for (int32_t i_ = 0; i_ < count_; i_++) {                                    \
            T* var = &((T*)ptr_)[i_];                                                \
            (void)var;                                                               \
            __VA_ARGS__                                                              \
        }                                                                            \
    }
#define ECS_TRANSFER_IMPL_(T, name, access, dst, src, ...)          \
    static void name(void* to_, access void* from_, int32_t count_, \
                     const ecs_type_info_t* type_info) {            \
        (void)type_info;                                            \
        for (int32_t i_ = 0; i_ < count_; i_++) {                   \
            T* dst = &((T*)to_)[i_];                                \
            access T* src = &((access T*)from_)[i_];                \
            (void)dst;                                              \
            (void)src;                                              \
            __VA_ARGS__                                             \
        }                                                           \
    }
#define ECS_HOOK_IMPL_(T, name, var, ...)                           \
    static void name(ecs_iter_t* it_) {                             \
        for (int32_t i_ = 0; i_ < it_->count; i_++) {               \
            ecs_world_t* world = it_->world;                        \
            ecs_entity_t entity = it_->entities[i_];                \
            T* var = it_->ptrs[0] ? &((T*)it_->ptrs[0])[i_] : NULL; \
            (void)world;                                            \
            (void)entity;                                           \
            (void)var;                                              \
            __VA_ARGS__                                             \
        }                                                           \
    }
/* Define functions of a type: ECS_CTOR(Label, ptr, { ptr->text = NULL; }). Hooks also have
 * `world` and `entity`. */
#define ECS_CTOR(T, var, ...) ECS_XTOR_IMPL_(T, T##_ctor, var, __VA_ARGS__)
#define ECS_DTOR(T, var, ...) ECS_XTOR_IMPL_(T, T##_dtor, var, __VA_ARGS__)
#define ECS_COPY(T, dst, src, ...) ECS_TRANSFER_IMPL_(T, T##_copy, const, dst, src, __VA_ARGS__)
#define ECS_MOVE(T, dst, src, ...) ECS_TRANSFER_IMPL_(T, T##_move, , dst, src, __VA_ARGS__)
#define ECS_ON_ADD(T, var, ...) ECS_HOOK_IMPL_(T, T##_on_add, var, __VA_ARGS__)
#define ECS_ON_SET(T, var, ...) ECS_HOOK_IMPL_(T, T##_on_set, var, __VA_ARGS__)
#define ECS_ON_REMOVE(T, var, ...) ECS_HOOK_IMPL_(T, T##_on_remove, var, __VA_ARGS__)

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
/* The entity of a name with the ids of a text, "0": none; what ECS_ENTITY calls. */
static inline ecs_entity_t ecs_entity_of_(ecs_world_t* world, const char* name, ecs_id_t id,
                                          const char* expr) {
    ecs_entity_desc_t desc = KITH_ZERO;
    desc.name = name;
    desc.add[0] = id;
    desc.add_expr = strcmp(expr, "0") == 0 ? NULL : expr;
    return kith_entity_init(world, &desc);
}
/* The rest of the line are ids: ECS_ENTITY(world, Earth, Planet, (Orbits, Sun)); 0: none. */
#define ECS_DECLARE(name) KITH_TAG_DECLARE(name)
#define ECS_ENTITY_DECLARE(name) KITH_TAG_DECLARE(name)
#define ECS_ENTITY_DEFINE(world, name, ...) \
    (ecs_id(name) = name = ecs_entity_of_(world, #name, 0, #__VA_ARGS__))
#define ECS_ENTITY(world, name, ...)                                   \
    ecs_entity_t name = ecs_entity_of_(world, #name, 0, #__VA_ARGS__); \
    ecs_entity_t ecs_id(name) = name;                                  \
    (void)ecs_id(name)
#define ECS_PREFAB_DECLARE(name) KITH_TAG_DECLARE(name)
#define ECS_PREFAB_DEFINE(world, name, ...) \
    (ecs_id(name) = name = ecs_entity_of_(world, #name, EcsPrefab, #__VA_ARGS__))
#define ECS_PREFAB(world, name, ...)                                           \
    ecs_entity_t name = ecs_entity_of_(world, #name, EcsPrefab, #__VA_ARGS__); \
    ecs_entity_t ecs_id(name) = name;                                          \
    (void)ecs_id(name)
#define ecs_bulk_init(world, desc) kith_bulk_init(world, desc)
/* `count` entities with an id, 0: without; valid until the next change of the world. */
static inline const ecs_entity_t* ecs_bulk_new_w_id(ecs_world_t* world, ecs_id_t id,
                                                    int32_t count) {
    ecs_bulk_desc_t desc = KITH_ZERO;
    desc.count = count;
    desc.ids[0] = id;
    return kith_bulk_init(world, &desc);
}
#define ecs_bulk_new(world, T, count) ecs_bulk_new_w_id(world, ecs_id(T), count)
#define ecs_clone(world, into, e, values) kith_clone(world, into, e, values)
#define ecs_delete(world, e) kith_delete(world, e)
#define ecs_delete_with(world, id) kith_delete_with(world, id)
#define ecs_delete_children(world, parent) \
    kith_delete_with(world, kith_make_pair(world, EcsChildOf, parent))
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
#define ecs_enable_component(world, e, T, on) kith_enable_id(world, e, ecs_id(T), on)
#define ecs_enable_pair(world, e, R, target, on) \
    kith_enable_id(world, e, kith_make_pair(world, ecs_id(R), target), on)
#define ecs_is_enabled(world, e, T) kith_is_enabled_id(world, e, ecs_id(T))
#define ecs_is_enabled_component(world, e, T) kith_is_enabled_id(world, e, ecs_id(T))
#define ecs_is_enabled_pair(world, e, R, target) \
    kith_is_enabled_id(world, e, kith_make_pair(world, ecs_id(R), target))
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
#define ecs_override_pair(world, e, relation, target) \
    kith_override_id(world, e, kith_make_pair(world, relation, target))
/* Has the id, and inherits it. */
static inline bool ecs_shares_id(const ecs_world_t* world, ecs_entity_t e, ecs_id_t id) {
    return kith_has_id(world, e, id) && !kith_owns_id(world, e, id);
}
#define ecs_shares(world, e, T) ecs_shares_id(world, e, ecs_id(T))
static inline bool ecs_shares_pair(const ecs_world_t* world, ecs_entity_t e, ecs_entity_t relation,
                                   ecs_entity_t target) {
    return kith_has_pair(world, e, relation, target) && !kith_owns_pair(world, e, relation, target);
}

#define ecs_get_id(world, e, id) kith_get_id(world, e, id)
#define ecs_get_mut_id(world, e, id) kith_get_mut_id(world, e, id)
#define ecs_modified_id(world, e, id) kith_modified_id(world, e, id)
/* Sets a value; entity 0: of a new entity. Returns the entity, 0 on failure. */
static inline ecs_entity_t ecs_set_id(ecs_world_t* world, ecs_entity_t e, ecs_id_t id, size_t size,
                                      const void* value) {
    const ecs_entity_t entity = e ? e : kith_new(world);
    if (kith_set_id(world, entity, id, size, value) == KITH_OK) {
        return entity;
    }
    if (!e && entity) {
        kith_delete(world, entity);
    }
    return 0;
}
static inline void ecs_zero_(void* value, void* ctx) {
    memset(value, 0, *(const size_t*)ctx);
}
/* Adds a component whose value is zero bytes, for the caller to construct; NULL if it is there. */
static inline void* ecs_emplace_id(ecs_world_t* world, ecs_entity_t e, ecs_id_t id) {
    ecs_type_info_t info = KITH_ZERO;
    size_t size = kith_get_type_info(world, id, &info) ? info.size : 0;
    const bool added = kith_emplace_id(world, e, id, ecs_zero_, &size) == KITH_OK;
    return added ? kith_get_mut_id(world, e, id) : NULL;
}
#define ecs_emplace(world, e, T) ((T*)ecs_emplace_id(world, e, ecs_id(T)))
#define ecs_emplace_pair(world, e, R, target) \
    ((R*)ecs_emplace_id(world, e, kith_make_pair(world, ecs_id(R), target)))
#define ecs_get(world, e, T) kith_get(world, e, T)
#define ecs_get_mut(world, e, T) kith_get_mut(world, e, T)
#define ecs_modified(world, e, T) kith_modified(world, e, T)
#define ecs_set_ptr(world, e, T, value) ecs_set_id(world, e, ecs_id(T), sizeof(T), value)
#define ecs_set(world, e, T, ...) ecs_set_id(world, e, ecs_id(T), sizeof(T), &(T)__VA_ARGS__)
#define ecs_set_pair(world, e, R, target, ...) \
    ecs_set_id(world, e, kith_make_pair(world, ecs_id(R), target), sizeof(R), &(R)__VA_ARGS__)
#define ecs_set_pair_second(world, e, relation, T, ...) \
    ecs_set_id(world, e, kith_make_pair(world, relation, ecs_id(T)), sizeof(T), &(T)__VA_ARGS__)
#define ecs_set_pair_object(world, e, relation, T, ...) \
    ecs_set_pair_second(world, e, relation, T, __VA_ARGS__)
/* Instances get an own copy of the value. */
static inline ecs_entity_t ecs_set_override_id_(ecs_world_t* world, ecs_entity_t e, ecs_id_t id,
                                                size_t size, const void* value) {
    const ecs_entity_t entity = ecs_set_id(world, e, id, size, value);
    return entity && kith_override_id(world, entity, id) == KITH_OK ? entity : 0;
}
#define ecs_set_override(world, e, T, ...) \
    ecs_set_override_id_(world, e, ecs_id(T), sizeof(T), &(T)__VA_ARGS__)
#define ecs_get_pair(world, e, R, target) kith_get_pair_t(world, e, R, target)
#define ecs_get_pair_second(world, e, relation, T) kith_get_pair_second(world, e, relation, T)
#define ecs_get_pair_object(world, e, relation, T) kith_get_pair_second(world, e, relation, T)
#define ecs_get_mut_pair(world, e, R, target) \
    ((R*)kith_get_mut_id(world, e, kith_make_pair(world, ecs_id(R), target)))
#define ecs_get_mut_pair_second(world, e, relation, T) \
    ((T*)kith_get_mut_id(world, e, kith_make_pair(world, relation, ecs_id(T))))
#define ecs_get_mut_pair_object(world, e, relation, T) \
    ecs_get_mut_pair_second(world, e, relation, T)
#define ecs_modified_pair(world, e, relation, target) \
    kith_modified_id(world, e, kith_make_pair(world, relation, target))
#define ecs_singleton_add(world, T) kith_add_id(world, ecs_id(T), ecs_id(T))
#define ecs_singleton_remove(world, T) kith_remove_id(world, ecs_id(T), ecs_id(T))
#define ecs_singleton_get(world, T) kith_get(world, ecs_id(T), T)
#define ecs_singleton_get_mut(world, T) kith_get_mut(world, ecs_id(T), T)
#define ecs_singleton_emplace(world, T) ecs_emplace(world, ecs_id(T), T)
#define ecs_singleton_set(world, T, ...) ecs_set(world, ecs_id(T), T, __VA_ARGS__)
#define ecs_singleton_set_ptr(world, T, value) ecs_set_ptr(world, ecs_id(T), T, value)
#define ecs_singleton_modified(world, T) kith_modified(world, ecs_id(T), T)

static inline ecs_ref_t ecs_ref_init_id(const ecs_world_t* world, ecs_entity_t e, ecs_id_t id) {
    ecs_ref_t ref = KITH_ZERO;
    kith_ref_init_id(world, e, id, &ref);
    return ref;
}
#define ecs_ref_init(world, e, T) ecs_ref_init_id(world, e, ecs_id(T))
#define ecs_ref_get_id(world, ref, id) kith_ref_get_id(ref)
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
/* "Position, (Likes,Alice)", to be freed by ecs_os_free. */
static inline char* ecs_type_str(const ecs_world_t* world, const ecs_type_t* type) {
    size_t length = 0;
    char* text = (char*)calloc(1, 1);
    for (int32_t i = 0; text && type && i < type->count; i++) {
        char* id = kith_id_str(world, type->array[i]);
        const size_t added = id ? strlen(id) : 0;
        char* longer = id ? (char*)realloc(text, length + added + 3) : NULL;
        if (!longer) {
            kith_free(id);
            free(text);
            return NULL;
        }
        text = longer;
        memcpy(text + length, i == 0 ? "" : ", ", i == 0 ? 0 : 2);
        length += i == 0 ? 0 : 2;
        memcpy(text + length, id, added + 1);
        length += added;
        kith_free(id);
    }
    return text;
}
#define ecs_get_table(world, e) kith_get_table(world, e)
#define ecs_table_get_id(world, table, id, offset) kith_table_get_id(world, table, id, offset)
#define ecs_table_get(world, table, T, offset) \
    ((T*)kith_table_get_id(world, table, ecs_id(T), offset))
#define ecs_table_get_pair(world, table, R, target, offset) \
    ((R*)kith_table_get_id(world, table, ecs_pair_t(R, target), offset))
#define ecs_table_get_second(world, table, relation, T, offset) \
    ((T*)kith_table_get_id(world, table, kith_pair(relation, ecs_id(T)), offset))
#define ecs_table_get_type_index(world, table, id) kith_search(world, table, id, NULL)
/* The number of the id among those with values, -1 if the table has no values of it. */
static inline int32_t ecs_table_get_column_index(const ecs_world_t* world, const ecs_table_t* table,
                                                 ecs_id_t id) {
    int32_t count = 0, column = 0;
    const ecs_id_t* ids = kith_table_ids(world, table, &count);
    for (int32_t i = 0; ids && i < count; i++) {
        if (kith_id_is_tag(world, ids[i])) {
            continue;
        }
        if (ids[i] == id) {
            return column;
        }
        column++;
    }
    return -1;
}
#define ecs_table_get_depth(world, table, relation) kith_table_get_depth(world, table, relation)
#define ecs_table_has_id(world, table, id) kith_table_has_id(world, table, id)
#define ecs_table_count(world, table) kith_table_count(world, table)
#define ecs_table_str(world, table) kith_table_str(world, table)
#define ecs_search(world, table, pattern, found) kith_search(world, table, pattern, found)
#define ecs_search_offset(world, table, offset, pattern, found) \
    kith_search_offset(world, table, offset, pattern, found)

/* -- relationships and names */

#define ecs_get_target(world, e, relation, index) kith_get_target(world, e, relation, index)
#define ecs_get_target_for_id(world, e, relation, id) kith_get_target_for_id(world, e, relation, id)
#define ecs_get_target_for(world, e, relation, T) \
    kith_get_target_for_id(world, e, relation, ecs_id(T))
#define ecs_get_object(world, e, relation, index) kith_get_target(world, e, relation, index)
#define ecs_get_object_for_id(world, e, relation, id) kith_get_target_for_id(world, e, relation, id)
#define ecs_get_parent(world, e) kith_get_parent(world, e)
#define ecs_get_depth(world, e, relation) kith_get_depth(world, e, relation)
#define ecs_get_name(world, e) kith_get_name(world, e)
/* Names an entity; entity 0: the one with the name, which is made if it is missing. Returns the
 * entity, 0 on failure. */
static inline ecs_entity_t ecs_set_name(ecs_world_t* world, ecs_entity_t e, const char* name) {
    if (!e) {
        return kith_new_entity(world, name);
    }
    return kith_set_name(world, e, name) == KITH_OK ? e : 0;
}
#define ecs_get_symbol(world, e) kith_get_symbol(world, e)
/* Entity 0: a new one. Returns the entity, 0 on failure. */
static inline ecs_entity_t ecs_set_symbol(ecs_world_t* world, ecs_entity_t e, const char* symbol) {
    const ecs_entity_t entity = e ? e : kith_new(world);
    if (kith_set_symbol(world, entity, symbol) == KITH_OK) {
        return entity;
    }
    if (!e && entity) {
        kith_delete(world, entity);
    }
    return 0;
}
#define ecs_set_alias(world, e, alias) kith_set_alias(world, e, alias)
#define ecs_lookup(world, name) kith_lookup(world, name)
#define ecs_lookup_fullpath(world, path) kith_lookup(world, path)
static inline ecs_entity_t ecs_lookup_path(const ecs_world_t* world, ecs_entity_t parent,
                                           const char* path) {
    return parent == 0 ? kith_lookup(world, path) : kith_lookup_child(world, parent, path);
}
#define ecs_lookup_child(world, parent, name) ecs_lookup_path(world, parent, name)
#define ecs_lookup_path_w_sep(world, parent, path, sep, prefix, climb) \
    kith_lookup_path_w_sep(world, parent, path, sep, prefix, climb)
static inline ecs_entity_t ecs_lookup_symbol_(const ecs_world_t* world, const char* symbol,
                                              bool as_path) {
    const ecs_entity_t found = kith_lookup_symbol(world, symbol);
    return found || !as_path ? found : kith_lookup(world, symbol);
}
#define ECS_LOOKUP_SYMBOL_(world, symbol, as_path, ...) ecs_lookup_symbol_(world, symbol, as_path)
/* ecs_lookup_symbol(world, symbol), or with `bool as_path`: the entity at this path else. */
#define ecs_lookup_symbol(world, ...) ECS_LOOKUP_SYMBOL_(world, __VA_ARGS__, false, false)
#define ecs_get_fullpath(world, e) kith_get_path(world, e)
#define ecs_get_path(world, parent, e) kith_get_path_w_sep(world, parent, e, NULL, NULL)
#define ecs_get_path_w_sep(world, parent, e, sep, prefix) \
    kith_get_path_w_sep(world, parent, e, sep, prefix)
#define ecs_new_from_path(world, parent, path) \
    kith_new_from_path_w_sep(world, parent, path, NULL, NULL)
#define ecs_new_from_fullpath(world, path) kith_new_from_path_w_sep(world, 0, path, NULL, NULL)
#define ecs_new_from_path_w_sep(world, parent, path, sep, prefix) \
    kith_new_from_path_w_sep(world, parent, path, sep, prefix)
#define ecs_set_scope(world, scope) kith_set_scope(world, scope)
#define ecs_get_scope(world) kith_get_scope(world)

/* -- modules: ECS_IMPORT(world, Physics) calls PhysicsImport(world) once, in the module's scope.
 * The function begins with ECS_MODULE(world, Physics). */

static inline void ecs_import_call_(ecs_world_t* world, void* ctx) {
    (*(const ecs_module_action_t*)ctx)(world);
}
/* Returns the module. */
static inline ecs_entity_t ecs_import(ecs_world_t* world, ecs_module_action_t module,
                                      const char* name) {
    return kith_import(world, module ? ecs_import_call_ : NULL, name, &module);
}
#define ecs_import_c(world, module, name) ecs_import(world, module, name)
#define ECS_IMPORT(world, name)                                         \
    ecs_entity_t ecs_id(name) = ecs_import(world, name##Import, #name); \
    (void)ecs_id(name)
#define ECS_MODULE_DEFINE(world, name) (ecs_id(name) = kith_module(world, #name))
#define ECS_MODULE(world, name)                            \
    ecs_entity_t ecs_id(name) = kith_module(world, #name); \
    (void)ecs_id(name)

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

/* Keeps a query in `storage`, or in memory of its own. */
static inline ecs_filter_t* ecs_query_hold_(kith_query_t* made, ecs_filter_t* storage) {
    ecs_filter_t* held = storage ? storage : (ecs_filter_t*)malloc(sizeof *held);
    if (!made || !held) {
        kith_query_fini(made);
        if (!storage) {
            free(held);
        }
        return NULL;
    }
    held->query = made;
    held->term_count = kith_query_term_count(made);
    held->field_count = kith_query_field_count(made);
    held->allocated = !storage;
    return held;
}
/* The query of a handle; NULL of NULL, which the library refuses. */
#define ECS_QUERY_OF_(handle) ((handle) ? (handle)->query : NULL)
static inline void ecs_query_fini(ecs_query_t* ended) {
    if (ended) {
        kith_query_fini(ended->query);
        ended->query = NULL;
        if (ended->allocated) {
            free(ended);
        }
    }
}
#define ecs_filter_fini(filter) ecs_query_fini(filter)
#define ecs_rule_fini(rule) ecs_query_fini(rule)
/* Fills an iterator that was begun. */
static inline void ecs_begin_(ecs_iter_t* it) {
    memset(it, 0, offsetof(ecs_iter_t, own_));
    ecs_show_(it, &it->own_);
}
static inline ecs_iter_t ecs_query_iter(const ecs_world_t* world, const ecs_query_t* query) {
    ecs_iter_t it;
    kith_query_iter(world, ECS_QUERY_OF_(query), &it.own_);
    ecs_begin_(&it);
    return it;
}
#define ecs_filter_iter(world, filter) ecs_query_iter(world, filter)
#define ecs_rule_iter(world, rule) ecs_query_iter(world, rule)
/* All results of an iterator that has shown none yet as JSON, to be freed by ecs_os_free; the
 * iterator ends. */
typedef kith_iter_to_json_desc_t ecs_iter_to_json_desc_t;
static inline char* ecs_iter_to_json(const ecs_world_t* world, ecs_iter_t* it,
                                     const ecs_iter_to_json_desc_t* desc) {
    (void)world;
    return kith_iter_to_json(ecs_run_(it), desc, NULL);
}
/* The terms in the query language, to be freed by ecs_os_free. */
static inline char* ecs_filter_str(const ecs_world_t* world, const ecs_filter_t* filter) {
    (void)world;
    return kith_query_str(ECS_QUERY_OF_(filter));
}
static inline char* ecs_query_str(const ecs_query_t* query) {
    return kith_query_str(ECS_QUERY_OF_(query));
}
/* The plan. */
static inline char* ecs_rule_str(const ecs_rule_t* rule) {
    return kith_query_explain(ECS_QUERY_OF_(rule));
}
static inline const ecs_filter_t* ecs_query_get_filter(const ecs_query_t* query) {
    return query;
}
#define ecs_rule_get_filter(rule) ecs_query_get_filter(rule)
static inline int32_t ecs_rule_find_var(const ecs_rule_t* rule, const char* name) {
    return kith_query_find_var(ECS_QUERY_OF_(rule), name);
}
#define ecs_filter_find_var(filter, name) ecs_rule_find_var(filter, name)
#define ecs_query_find_var(query, name) ecs_rule_find_var(query, name)
#define ecs_filter_find_this_var(filter) ecs_rule_find_var(filter, "this")
#define ecs_query_find_this_var(query) ecs_rule_find_var(query, "this")
#define ecs_rule_find_this_var(rule) ecs_rule_find_var(rule, "this")
static inline const char* ecs_rule_var_name(const ecs_rule_t* rule, int32_t variable) {
    return kith_query_var_name(ECS_QUERY_OF_(rule), variable);
}
#define ecs_filter_var_name(filter, variable) ecs_rule_var_name(filter, variable)
#define ecs_query_var_name(query, variable) ecs_rule_var_name(query, variable)
static inline int32_t ecs_rule_var_count(const ecs_rule_t* rule) {
    return kith_query_var_count(ECS_QUERY_OF_(rule));
}
#define ecs_filter_var_count(filter) ecs_rule_var_count(filter)
#define ecs_query_var_count(query) ecs_rule_var_count(query)
/* True for every variable but $this, which has rows of a table. */
static inline bool ecs_rule_var_is_entity(const ecs_rule_t* rule, int32_t variable) {
    return variable > 0 && variable < ecs_rule_var_count(rule);
}
/* Shares the query of `from`, which has one owner more. `to` is empty, or has a filter that ends.
 */
static inline void ecs_filter_copy(ecs_filter_t* to, const ecs_filter_t* from) {
    kith_query_t* shared = from && from->query ? kith_query_ref(from->query) : NULL;
    kith_query_fini(to->query);
    to->query = shared;
    to->term_count = from ? from->term_count : 0;
    to->field_count = from ? from->field_count : 0;
}
/* Leaves `from` empty. */
static inline void ecs_filter_move(ecs_filter_t* to, ecs_filter_t* from) {
    ecs_filter_copy(to, from);
    kith_query_fini(from->query);
    from->query = NULL;
}
/* The entity with the query's name. */
static inline ecs_entity_t ecs_get_entity(const ecs_query_t* query) {
    return kith_query_entity(ECS_QUERY_OF_(query));
}
#define ecs_query_entity(query) ecs_get_entity(query)
static inline int32_t ecs_query_entity_count(const ecs_query_t* query) {
    return kith_query_count(ECS_QUERY_OF_(query));
}
/* What on_group_create returned. */
static inline void* ecs_query_get_group_ctx(const ecs_query_t* query, uint64_t group) {
    return kith_query_group_ctx(ECS_QUERY_OF_(query), group);
}

static inline ecs_filter_t* ecs_filter_init(ecs_world_t* world, const ecs_filter_desc_t* desc) {
    kith_query_desc_t to = KITH_ZERO;
    if (desc) {
        ecs_fill_query_(&to, desc);
    }
    return ecs_query_hold_(kith_query_init(world, desc ? &to : NULL), desc ? desc->storage : NULL);
}
static inline ecs_rule_t* ecs_rule_init(ecs_world_t* world, const ecs_filter_desc_t* desc) {
    kith_query_desc_t to = KITH_ZERO;
    if (desc) {
        ecs_fill_query_(&to, desc);
    }
    return ecs_query_hold_(kith_query_init(world, desc ? &to : NULL), NULL);
}
static inline void ecs_fill_cached_(kith_query_desc_t* to, const ecs_query_desc_t* from) {
    ecs_fill_query_(to, &from->filter);
    to->cached = true;
    to->order_by_component = from->order_by_component;
    to->order_by = from->order_by;
    to->group_by_id = from->group_by_id;
    to->group_by = from->group_by;
    to->group_by_ctx = from->group_by_ctx;
    to->group_by_ctx_free = from->group_by_ctx_free;
    to->on_group_create = from->on_group_create;
    to->on_group_delete = from->on_group_delete;
    to->parent = from->parent ? from->parent->query : NULL;
}
static inline ecs_query_t* ecs_query_init(ecs_world_t* world, const ecs_query_desc_t* desc) {
    kith_query_desc_t to = KITH_ZERO;
    if (!desc) {
        return ecs_query_hold_(kith_query_init(world, NULL), NULL);
    }
    ecs_fill_cached_(&to, desc);
    return ecs_query_hold_(kith_query_init(world, &to), NULL);
}
static inline ecs_query_t* ecs_query_new(ecs_world_t* world, const char* expr) {
    return ecs_query_hold_(kith_query_new(world, expr), NULL);
}
#define ecs_filter(world, ...) ecs_filter_init(world, &(ecs_filter_desc_t)__VA_ARGS__)
#define ecs_rule(world, ...) ecs_rule_init(world, &(ecs_filter_desc_t)__VA_ARGS__)
#define ecs_query(world, ...) ecs_query_init(world, &(ecs_query_desc_t)__VA_ARGS__)

/* -- terms */

static inline kith_query_t* ecs_term_query_(ecs_world_t* world, const ecs_term_t* term) {
    kith_query_desc_t desc = KITH_ZERO;
    if (!term) {
        return kith_query_init(world, NULL);
    }
    memcpy(&desc.terms[0], term, sizeof desc.terms[0]);
    return kith_query_init(world, &desc);
}
/* Iterates what matches one term. */
static inline ecs_iter_t ecs_term_iter(ecs_world_t* world, const ecs_term_t* term) {
    ecs_iter_t it;
    kith_query_t* query = ecs_term_query_(world, term);
    kith_query_iter(world, query, &it.own_);
    kith_query_fini(query); /* the iterator owns it */
    ecs_begin_(&it);
    return it;
}
static inline char* ecs_term_str(ecs_world_t* world, const ecs_term_t* term) {
    kith_query_t* query = ecs_term_query_(world, term);
    char* text = query ? kith_query_str(query) : NULL;
    kith_query_fini(query);
    return text;
}
static inline bool ecs_term_id_is_set(const ecs_term_id_t* id) {
    return id->id != 0 || id->name != NULL || (id->flags & EcsIsEntity) != 0;
}
static inline bool ecs_term_is_initialized(const ecs_term_t* term) {
    return term->id != 0 || ecs_term_id_is_set(&term->first);
}
/* The source is $this. */
static inline bool ecs_term_match_this(const ecs_term_t* term) {
    return !ecs_term_id_is_set(&term->src) || term->src.id == EcsThis;
}
/* The term has no source. */
static inline bool ecs_term_match_0(const ecs_term_t* term) {
    return term->src.id == 0 && term->src.name == NULL && (term->src.flags & EcsIsEntity) != 0;
}

/* -- iterating */

#define ecs_filter_next(it) ecs_iter_next(it)
#define ecs_query_next(it) ecs_iter_next(it)
#define ecs_rule_next(it) ecs_iter_next(it)
#define ecs_children_next(it) ecs_iter_next(it)
#define ecs_term_next(it) ecs_iter_next(it)
#define ecs_page_next(it) ecs_iter_next(it)
#define ecs_worker_next(it) ecs_iter_next(it)
#define ecs_iter_fini(it) kith_iter_fini(ecs_run_(it))
/* Of the query (`it` NULL), or of the present result. */
static inline bool ecs_query_changed(const ecs_query_t* query, const ecs_iter_t* it) {
    return it ? kith_iter_changed(ecs_run_(it)) : kith_query_changed(ECS_QUERY_OF_(query));
}
#define ecs_query_skip(it) kith_iter_skip(ecs_run_(it))
#define ecs_query_set_group(it, group) kith_iter_set_group(ecs_run_(it), group)
#define ecs_query_orphaned(query) kith_query_orphaned(ECS_QUERY_OF_(query))
#define ecs_iter_count(it) kith_iter_count(ecs_run_(it))
#define ecs_iter_first(it) kith_iter_first(ecs_run_(it))
#define ecs_iter_is_true(it) kith_iter_is_true(ecs_run_(it))
#define ecs_iter_str(it) kith_iter_str(ecs_run_(it))

static inline ecs_iter_t ecs_children(const ecs_world_t* world, ecs_entity_t parent) {
    ecs_iter_t it;
    kith_children(world, parent, &it.own_);
    ecs_begin_(&it);
    return it;
}
static inline ecs_iter_t ecs_each_id(const ecs_world_t* world, ecs_id_t id) {
    ecs_iter_t it;
    kith_each_id(world, id, &it.own_);
    ecs_begin_(&it);
    return it;
}
/* A copy; of NULL an iterator that has ended. */
static inline void ecs_take_(ecs_iter_t* it, const ecs_iter_t* of) {
    memset(it, 0, sizeof *it);
    if (of) {
        *it = *of;
    }
}
/* The rows of an iterator from `offset` on, at most `limit`. `of` is not used any more. */
static inline ecs_iter_t ecs_page_iter(const ecs_iter_t* of, int32_t offset, int32_t limit) {
    ecs_iter_t it;
    ecs_take_(&it, of);
    kith_iter_page(of ? &it.own_ : NULL, offset, limit);
    return it;
}
/* The share `index` of `count`. `of` is not used any more. */
static inline ecs_iter_t ecs_worker_iter(const ecs_iter_t* of, int32_t index, int32_t count) {
    ecs_iter_t it;
    ecs_take_(&it, of);
    kith_iter_worker(of ? &it.own_ : NULL, index, count);
    return it;
}

#define ecs_iter_set_var(it, variable, e) kith_iter_set_var(ecs_run_(it), variable, e)
/* Before the first result: restricts $this to rows of a table. */
static inline kith_status_t ecs_iter_set_var_as_range(ecs_iter_t* it, int32_t variable,
                                                      const ecs_table_range_t* range) {
    kith_iter_t* run = ecs_run_(it);
    return range ? kith_iter_set_var_as_range(run, variable, range->table, range->offset,
                                              range->count)
                 : kith_iter_set_var_as_range(run, variable, NULL, 0, 0);
}
static inline kith_status_t ecs_iter_set_var_as_table(ecs_iter_t* it, int32_t variable,
                                                      const ecs_table_t* table) {
    const int32_t count = it && table ? kith_table_count(it->world, table) : 0;
    return kith_iter_set_var_as_range(ecs_run_(it), variable, (ecs_table_t*)(uintptr_t)table, 0,
                                      count);
}
#define ecs_iter_get_var(it, variable) kith_iter_get_var(ecs_run_(it), variable)
/* The rows of $this; of another variable the row of its entity. */
static inline ecs_table_range_t ecs_iter_get_var_as_range(ecs_iter_t* it, int32_t variable) {
    ecs_table_range_t range = {NULL, 0, 0};
    const ecs_entity_t entity = variable == 0 ? 0 : ecs_iter_get_var(it, variable);
    if (it && variable == 0) {
        range.table = it->table;
        range.offset = it->offset;
        range.count = it->count;
    } else if (entity) {
        range.table = kith_get_table(it->world, entity);
        const ecs_entity_t* rows = kith_table_entities(it->world, range.table);
        while (rows && rows[range.offset] != entity) {
            range.offset++;
        }
        range.count = 1;
    }
    return range;
}
/* The table whose rows are all in the variable, NULL if there is none. */
static inline ecs_table_t* ecs_iter_get_var_as_table(ecs_iter_t* it, int32_t variable) {
    const ecs_table_range_t range = ecs_iter_get_var_as_range(it, variable);
    return range.table && kith_table_count(it->world, range.table) == range.count ? range.table
                                                                                  : NULL;
}

#define ecs_field_w_size(it, size, index) kith_field_w_size(ecs_run_(it), size, index)
#define ecs_field(it, T, index) kith_field(ecs_run_(it), T, index)
#define ecs_field_id(it, index) kith_field_id(ecs_run_(it), index)
#define ecs_field_src(it, index) kith_field_src(ecs_run_(it), index)
#define ecs_field_is_set(it, index) kith_field_is_set(ecs_run_(it), index)
#define ecs_field_is_self(it, index) kith_field_is_self(ecs_run_(it), index)
#define ecs_field_is_readonly(it, index) kith_field_is_readonly(ecs_run_(it), index)
#define ecs_field_is_writeonly(it, index) kith_field_is_writeonly(ecs_run_(it), index)
#define ecs_field_size(it, index) kith_field_size(ecs_run_(it), index)
/* older names */
#define ecs_term(it, T, index) ecs_field(it, T, index)
#define ecs_term_w_size(it, size, index) ecs_field_w_size(it, size, index)
#define ecs_term_id(it, index) ecs_field_id(it, index)
#define ecs_term_source(it, index) ecs_field_src(it, index)
#define ecs_term_size(it, index) ecs_field_size(it, index)
#define ecs_term_is_set(it, index) ecs_field_is_set(it, index)
#define ecs_term_is_owned(it, index) ecs_field_is_self(it, index)
#define ecs_term_is_readonly(it, index) ecs_field_is_readonly(it, index)
#define ecs_term_is_writeonly(it, index) ecs_field_is_writeonly(it, index)

/* -- observers and events */

static inline ecs_entity_t ecs_observer_init(ecs_world_t* world, const ecs_observer_desc_t* desc) {
    kith_observer_desc_t to = KITH_ZERO;
    if (!desc) {
        return kith_observer_init(world, NULL);
    }
    ecs_callbacks_t_* callbacks = ecs_callbacks_of_(desc);
    if (!callbacks) {
        return 0;
    }
    callbacks->callback = desc->callback;
    callbacks->run = desc->run;
    to.entity = desc->entity;
    ecs_fill_query_(&to.query, &desc->filter);
    memcpy(to.events, desc->events, sizeof to.events);
    to.yield_existing = desc->yield_existing;
    to.callback = desc->callback || desc->run ? ecs_call_observer_ : NULL;
    ecs_fill_contexts_(&to, desc, callbacks);
    return kith_observer_init(world, &to);
}
#define ecs_observer(world, ...) ecs_observer_init(world, &(ecs_observer_desc_t)__VA_ARGS__)
#define ecs_observer_get_ctx(world, observer) kith_observer_get_ctx(world, observer)
#define ecs_get_observer_ctx(world, observer) kith_observer_get_ctx(world, observer)
/* A `run` that calls the callback for each result. */
static inline void ecs_observer_default_run_action(ecs_iter_t* it) {
    while (ecs_iter_next(it)) {
        if (it->callback) {
            it->callback(it);
        }
    }
}
/* The observer of a text; what ECS_OBSERVER calls. */
static inline ecs_entity_t ecs_observer_of_(ecs_world_t* world, const char* name,
                                            ecs_iter_action_t callback, ecs_entity_t event,
                                            const char* expr) {
    ecs_observer_desc_t desc;
    memset(&desc, 0, sizeof desc);
    desc.filter.name = name;
    desc.filter.expr = expr;
    desc.events[0] = event;
    desc.callback = callback;
    return ecs_observer_init(world, &desc);
}
/* The rest of the line is the query: ECS_OBSERVER(world, on_move, EcsOnSet, Position, [in] Mass).
 * The observer has the name of the callback; ecs_id(callback) is its entity. */
#define ECS_OBSERVER_DECLARE(callback) ecs_entity_t ecs_id(callback)
#define ECS_OBSERVER_DEFINE(world, callback, event, ...) \
    (ecs_id(callback) = ecs_observer_of_(world, #callback, callback, event, #__VA_ARGS__))
#define ECS_OBSERVER(world, callback, event, ...)                          \
    ecs_entity_t ecs_id(callback) =                                        \
        ecs_observer_of_(world, #callback, callback, event, #__VA_ARGS__); \
    (void)ecs_id(callback)

/* -- systems, pipelines, time */

static inline ecs_entity_t ecs_make_system_(ecs_world_t* world, const ecs_system_desc_t* desc,
                                            ecs_entity_t phase) {
    kith_system_desc_t to = KITH_ZERO;
    ecs_callbacks_t_* callbacks = ecs_callbacks_of_(desc);
    if (!callbacks) {
        return 0;
    }
    callbacks->callback = desc->callback;
    callbacks->run = desc->run;
    to.entity = desc->entity;
    ecs_fill_cached_(&to.query, &desc->query);
    to.phase = phase;
    to.callback = desc->callback ? ecs_call_system_ : NULL;
    to.run = desc->run ? ecs_call_system_run_ : NULL;
    ecs_fill_contexts_(&to, desc, callbacks);
    to.interval = desc->interval;
    to.rate = desc->rate;
    to.tick_source = desc->tick_source;
    to.multi_threaded = desc->multi_threaded;
    to.immediate = desc->no_readonly;
    return kith_system_init(world, &to);
}
/* The phase is that of the entity, its (DependsOn, phase). */
static inline ecs_entity_t ecs_system_init(ecs_world_t* world, const ecs_system_desc_t* desc) {
    if (!desc) {
        return kith_system_init(world, NULL);
    }
    return ecs_make_system_(world, desc, 0);
}
#define ecs_system(world, ...) ecs_system_init(world, &(ecs_system_desc_t)__VA_ARGS__)
/* The system of a text, "0": without a query; what ECS_SYSTEM calls. */
static inline ecs_entity_t ecs_system_of_(ecs_world_t* world, const char* name,
                                          ecs_iter_action_t callback, ecs_entity_t phase,
                                          const char* expr) {
    ecs_system_desc_t desc;
    memset(&desc, 0, sizeof desc);
    desc.query.filter.name = name;
    desc.query.filter.expr = strcmp(expr, "0") == 0 ? NULL : expr;
    desc.callback = callback;
    return ecs_make_system_(world, &desc, phase);
}
/* The rest of the line is the query: ECS_SYSTEM(world, Move, EcsOnUpdate, Position, [in] Velocity).
 * The system has the name of the callback; ecs_id(callback) is its entity. */
#define ECS_SYSTEM_DECLARE(callback) ecs_entity_t ecs_id(callback)
#define ECS_SYSTEM_DEFINE(world, callback, phase, ...) \
    (ecs_id(callback) = ecs_system_of_(world, #callback, callback, phase, #__VA_ARGS__))
#define ECS_SYSTEM(world, callback, phase, ...)                          \
    ecs_entity_t ecs_id(callback) =                                      \
        ecs_system_of_(world, #callback, callback, phase, #__VA_ARGS__); \
    (void)ecs_id(callback)

/* Runs a system now. Returns 0. */
static inline ecs_entity_t ecs_run(ecs_world_t* world, ecs_entity_t system, ecs_ftime_t delta_time,
                                   void* param) {
    kith_run(world, system, delta_time, param);
    return 0;
}
static inline ecs_entity_t ecs_run_worker(ecs_world_t* world, ecs_entity_t system, int32_t index,
                                          int32_t count, ecs_ftime_t delta_time, void* param) {
    kith_run_worker(world, system, index, count, delta_time, param);
    return 0;
}
#define ecs_get_system_ctx(world, system) kith_system_get_ctx(world, system)
#define ecs_system_get_ctx(world, system) kith_system_get_ctx(world, system)
static inline ecs_entity_t ecs_pipeline_init(ecs_world_t* world, const ecs_pipeline_desc_t* desc) {
    kith_pipeline_desc_t to = KITH_ZERO;
    if (!desc) {
        return kith_pipeline_init(world, NULL);
    }
    to.entity = desc->entity;
    ecs_fill_cached_(&to.query, &desc->query);
    return kith_pipeline_init(world, &to);
}
#define ecs_pipeline(world, ...) ecs_pipeline_init(world, &(ecs_pipeline_desc_t)__VA_ARGS__)
#define ecs_set_pipeline(world, pipeline) kith_set_pipeline(world, pipeline)
#define ecs_get_pipeline(world) kith_get_pipeline(world)
#define ecs_run_pipeline(world, pipeline, delta_time) kith_run_pipeline(world, pipeline, delta_time)
#define ecs_progress(world, delta_time) kith_progress(world, delta_time)
#define ecs_frame_begin(world, delta_time) kith_frame_begin(world, delta_time)
#define ecs_frame_end(world) kith_frame_end(world)
#define ecs_set_threads(world, count) kith_set_threads(world, count)
#define ecs_set_task_threads(world, count) kith_set_task_threads(world, count)
#define ecs_quit(world) kith_quit(world)
#define ecs_should_quit(world) kith_should_quit(world)
#define ecs_set_time_scale(world, scale) kith_set_time_scale(world, scale)
#define ecs_set_target_fps(world, rate) kith_set_target_fps(world, rate)

/* Timers. Entity 0: a new one, which is deleted if the timer is refused. */
static inline ecs_entity_t ecs_timer_made_(ecs_world_t* world, ecs_entity_t given,
                                           ecs_entity_t timer, kith_status_t status) {
    if (status != KITH_OK && !given && timer) {
        kith_delete(world, timer);
    }
    return status == KITH_OK ? timer : 0;
}
static inline ecs_entity_t ecs_set_interval(ecs_world_t* world, ecs_entity_t timer,
                                            ecs_ftime_t seconds) {
    const ecs_entity_t made = timer ? timer : kith_new(world);
    return ecs_timer_made_(world, timer, made, kith_set_interval(world, made, seconds));
}
static inline ecs_entity_t ecs_set_timeout(ecs_world_t* world, ecs_entity_t timer,
                                           ecs_ftime_t seconds) {
    const ecs_entity_t made = timer ? timer : kith_new(world);
    return ecs_timer_made_(world, timer, made, kith_set_timeout(world, made, seconds));
}
static inline ecs_entity_t ecs_set_rate(ecs_world_t* world, ecs_entity_t timer, int32_t rate,
                                        ecs_entity_t source) {
    const ecs_entity_t made = timer ? timer : kith_new(world);
    return ecs_timer_made_(world, timer, made, kith_set_rate(world, made, rate, source));
}
#define ecs_get_interval(world, timer) kith_get_interval(world, timer)
#define ecs_get_timeout(world, timer) kith_get_timeout(world, timer)
#define ecs_set_tick_source(world, system, source) kith_set_tick_source(world, system, source)
#define ecs_start_timer(world, timer) kith_start_timer(world, timer)
#define ecs_stop_timer(world, timer) kith_stop_timer(world, timer)
#define ecs_reset_timer(world, timer) kith_reset_timer(world, timer)

/* -- events */

static inline void ecs_fill_event_(const ecs_world_t* world, kith_event_desc_t* to,
                                   const ecs_event_desc_t* from) {
    to->event = from->event;
    to->ids = from->ids ? from->ids->array : NULL;
    to->id_count = from->ids ? from->ids->count : 0;
    to->entity = from->entity;
    to->table = from->table;
    to->offset = from->offset;
    to->count = from->count;
    to->param = from->param ? from->param : (void*)(uintptr_t)from->const_param;
    to->param_type = to->param ? kith_get_typeid(world, from->event) : 0;
}
static inline kith_status_t ecs_emit(ecs_world_t* world, const ecs_event_desc_t* desc) {
    kith_event_desc_t to = KITH_ZERO;
    if (desc) {
        ecs_fill_event_(world, &to, desc);
    }
    return kith_emit(world, desc ? &to : NULL);
}
static inline kith_status_t ecs_enqueue(ecs_world_t* world, const ecs_event_desc_t* desc) {
    kith_event_desc_t to = KITH_ZERO;
    if (desc) {
        ecs_fill_event_(world, &to, desc);
    }
    return kith_enqueue(world, desc ? &to : NULL);
}

#endif
