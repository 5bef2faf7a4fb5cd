/* kith for C and for every language that can call C.
 *
 *   kith_world_t *world = kith_init();
 *   KITH_COMPONENT(world, Position);
 *   kith_entity_t ship = kith_new_entity(world, "Ship");
 *   kith_set(world, ship, Position, {100, 40});
 *   kith_query_t *query = kith_query_new(world, "Position");
 *   kith_iter_t it;
 *   kith_query_iter(world, query, &it);
 *   while (kith_iter_next(&it)) {
 *       const Position *p = kith_field(&it, Position, 1);
 *       for (int32_t i = 0; i < it.count; i++) { ... it.entities[i] ... p[i] ... }
 *   }
 *   kith_query_fini(query);
 *   kith_fini(world);
 *
 * Results. A function that can fail returns kith_status_t (0: KITH_OK), or a value of which 0, NULL
 * or false means failure or absence. Status and message of the last failure are kept per thread
 * (kith_last_status, kith_last_message) and change on failure only, as errno does. A failed call
 * leaves the world as it was. A NULL world is KITH_INVALID_ENTITY; NULL in place of another pointer
 * that is needed is KITH_INVALID_ARGUMENT.
 *
 * Descriptors are structs that are all zero by default. Strings are UTF-8 and end with a zero; a
 * `char *` result belongs to the caller (kith_free), a `const char *` to the world.
 *
 * Threads: one writer, or any number of readers. Functions with `const kith_world_t *` are readers,
 * except kith_check and kith_save_text; docs/manual/c-reference.md has the class of each function.
 *
 * The manual is docs/manual/c-api.md; the implementation is src/capi. Covered by tests/capi. */
#ifndef KITH_KITH_H
#define KITH_KITH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#if defined(KITH_BUILDS_C_LIBRARY)
#define KITH_API __declspec(dllexport)
#else
#define KITH_API
#endif
#elif defined(__GNUC__)
#define KITH_API __attribute__((visibility("default")))
#else
#define KITH_API
#endif

/* Functions that are inlined here are exported as well: one source of the library defines
 * KITH_NO_INLINE. */
#if defined(KITH_NO_INLINE)
#define KITH_INLINE KITH_API
#else
#define KITH_INLINE static inline
#endif

#if defined(__cplusplus)
#define KITH_CAST(T, value) static_cast<T>(value)
#define KITH_ZERO \
    {}
#else
#define KITH_CAST(T, value) ((T)(value))
#define KITH_ZERO \
    { 0 }
#endif

#define KITH_VERSION "0.1.0"
#define KITH_ABI_VERSION 0

/* -- types */

typedef uint64_t kith_id_t;     /* anything that can be added to an entity */
typedef uint64_t kith_entity_t; /* bits 0..31 index, 32..47 generation */
typedef int32_t kith_status_t;

#ifdef __cplusplus
namespace kith {
struct world_t;
struct table_t;
namespace detail {
struct query_head;
struct monitor_head;
}  // namespace detail
}  // namespace kith
typedef kith::world_t kith_world_t;
typedef kith::table_t kith_table_t;
typedef kith::detail::query_head kith_query_t;
typedef kith::detail::monitor_head kith_monitor_t;
#else
typedef struct kith_world_t kith_world_t;
typedef struct kith_table_t kith_table_t;
typedef struct kith_query_t kith_query_t;
typedef struct kith_monitor_t kith_monitor_t;
#endif
typedef struct kith_traversal_t kith_traversal_t;
typedef struct kith_iter_t kith_iter_t;

typedef void (*kith_ctx_free_t)(void* ctx);
typedef void (*kith_iter_action_t)(kith_iter_t* it);

/* -- status codes. 1..23 are the codes of kith::errc in their order */

#define KITH_OK 0
#define KITH_INVALID_ENTITY 1    /* null, dead, never issued; or there is no world */
#define KITH_INVALID_ID 2        /* cannot be added: wildcard, dead element, malformed */
#define KITH_WRONG_TYPE 3        /* value access to a tag, or with another size */
#define KITH_TYPE_CONFLICT 4     /* a name or id is taken by another type */
#define KITH_INVALID_TYPE 5      /* size or alignment that cannot be stored */
#define KITH_NOT_CONSTRUCTIBLE 6 /* add of a type without default constructor */
#define KITH_NOT_COPYABLE 7      /* copy of a type that cannot be copied: move it */
#define KITH_ALREADY_EXISTS 8    /* emplace of a component that is there */
#define KITH_MISSING_COMPONENT 9 /* a component that is gone */
#define KITH_NAME_TAKEN 10       /* another entity of this parent has the name */
#define KITH_INVALID_NAME 11     /* empty path element, unknown name */
#define KITH_LOCKED 12           /* structural change to a table that is being iterated */
#define KITH_IN_USE 13           /* deletion or property change of something in use */
#define KITH_CONSTRAINT 14       /* a relationship property forbids it */
#define KITH_CYCLE 15            /* an acyclic relationship would become cyclic */
#define KITH_INVALID_OPERATION 16
#define KITH_LIMIT 17 /* out of ids, or too many ids */
#define KITH_INVALID_QUERY 18
#define KITH_INVALID_TEXT 19
#define KITH_INVALID_VALUE 20     /* a type cannot hold this value */
#define KITH_INVALID_FILE 21      /* a save file that is damaged, truncated, foreign or too large */
#define KITH_CONFLICT 22          /* a difference that does not fit the world */
#define KITH_UNDECLARED_ACCESS 23 /* a part of a system accesses what it does not declare */
#define KITH_NO_MEMORY 100
#define KITH_CALLBACK 101         /* a callback has failed */
#define KITH_INVALID_ARGUMENT 102 /* NULL, negative count, unknown flag, newer descriptor */

/* -- builtin ids. Numbers are part of the ABI: new ones are appended */

#define KITH_PAIR (UINT64_C(1) << 63)
#define KITH_OVERRIDE (UINT64_C(1) << 62)
#define KITH_TOGGLE (UINT64_C(1) << 61)
#define KITH_HI_COMPONENT_ID 256

#define KithComponent UINT64_C(1)
#define KithIdentifier UINT64_C(2)
#define KithKith UINT64_C(256)
#define KithWildcard UINT64_C(257)
#define KithAny UINT64_C(258)
#define KithThis UINT64_C(259)
#define KithVariable UINT64_C(260)
#define KithName UINT64_C(261)
#define KithSymbol UINT64_C(262)
#define KithAlias UINT64_C(263)
#define KithPrefab UINT64_C(264)
#define KithDisabled UINT64_C(265)
#define KithModule UINT64_C(266)
#define KithQuery UINT64_C(267)
#define KithObserver UINT64_C(268)
#define KithEnumType UINT64_C(269)
#define KithChildOf UINT64_C(270)
#define KithIsA UINT64_C(271)
#define KithDependsOn UINT64_C(272)
#define KithSlotOf UINT64_C(273)
#define KithTag UINT64_C(274)
#define KithFinal UINT64_C(275)
#define KithDontInherit UINT64_C(276)
#define KithTransitive UINT64_C(277)
#define KithReflexive UINT64_C(278)
#define KithAcyclic UINT64_C(279)
#define KithTraversable UINT64_C(280)
#define KithExclusive UINT64_C(281)
#define KithUnion UINT64_C(282)
#define KithSparse UINT64_C(283)
#define KithSymmetric UINT64_C(284)
#define KithWith UINT64_C(285)
#define KithOneOf UINT64_C(286)
#define KithTransient UINT64_C(287)
#define KithOnDelete UINT64_C(288)
#define KithOnDeleteTarget UINT64_C(289)
#define KithRemove UINT64_C(290)
#define KithDelete UINT64_C(291)
#define KithPanic UINT64_C(292)
#define KithOnAdd UINT64_C(293)
#define KithOnRemove UINT64_C(294)
#define KithOnSet UINT64_C(295)
#define KithUnSet UINT64_C(296)
#define KithMonitor UINT64_C(297)
#define KithOnTableCreate UINT64_C(298)
#define KithOnTableDelete UINT64_C(299)
#define KithPredEq UINT64_C(300)
#define KithPredNeq UINT64_C(301)
#define KithPredMatch UINT64_C(302)
#define KithAllOf UINT64_C(303)
#define KithAnyOf UINT64_C(304)
#define KithScopeOpen UINT64_C(305)
#define KithScopeClose UINT64_C(306)
#define KithRelationship UINT64_C(308)
#define KithSystem UINT64_C(309)
#define KithPhase UINT64_C(310)
#define KithPipeline UINT64_C(311)
#define KithOnStart UINT64_C(312)
#define KithPreFrame UINT64_C(313)
#define KithOnLoad UINT64_C(314)
#define KithPostLoad UINT64_C(315)
#define KithPreUpdate UINT64_C(316)
#define KithOnUpdate UINT64_C(317)
#define KithOnValidate UINT64_C(318)
#define KithPostUpdate UINT64_C(319)
#define KithPreStore UINT64_C(320)
#define KithOnStore UINT64_C(321)
#define KithPostFrame UINT64_C(322)
#define KithBefore UINT64_C(323)
#define KithAfter UINT64_C(324)
#define KithInSet UINT64_C(325)
#define KithAmbiguousWith UINT64_C(326)

/* -- queries: access, operators, flags */

#define KithInOutDefault 0 /* InOut where the row owns the value, else In; None for tags */
#define KithInOutNone 1
#define KithInOut 2
#define KithIn 3
#define KithOut 4

#define KithAnd 0
#define KithOr 1 /* joins the term with the one behind it */
#define KithNot 2
#define KithOptional 3
#define KithAndFrom 4
#define KithOrFrom 5
#define KithNotFrom 6

/* flags of kith_term_id_t */
#define KithSelf (UINT32_C(1) << 0)
#define KithUp (UINT32_C(1) << 1)
#define KithDown (UINT32_C(1) << 2)
#define KithParent (UINT32_C(1) << 3) /* Up, through ChildOf */
#define KithCascade (UINT32_C(1) << 4)
#define KithDesc (UINT32_C(1) << 5)
#define KithTraverseAll (UINT32_C(1) << 6)
#define KithSuperSet KithUp
#define KithSubSet KithDown
#define KithIsVariable (UINT32_C(1) << 8)
#define KithVarIsVariable KithIsVariable
#define KithIsEntity (UINT32_C(1) << 9)
#define KithIsName (UINT32_C(1) << 10)

/* flags of kith_term_t */
#define KITH_TERM_WITH (UINT32_C(1) << 0)       /* without a stated access it has none */
#define KITH_TERM_FILTER (UINT32_C(1) << 1)     /* its changes do not call observers */
#define KITH_TERM_NO_SOURCE (UINT32_C(1) << 2)  /* declares an access; matches nothing */
#define KITH_TERM_HAS_SECOND (UINT32_C(1) << 3) /* `second` was given, even if it is 0 */

/* flags of kith_query_desc_t */
#define KithFilterMatchPrefab (UINT32_C(1) << 0)
#define KithFilterMatchDisabled (UINT32_C(1) << 1)
#define KithFilterIsInstanced (UINT32_C(1) << 2)

/* flags of kith_field_t */
#define KITH_FIELD_SET (UINT32_C(1) << 0)
#define KITH_FIELD_READONLY (UINT32_C(1) << 1)
#define KITH_FIELD_WRITEONLY (UINT32_C(1) << 2)

/* kinds of numbers of kith_order_t */
#define KITH_NUMBER_NONE 0
#define KITH_NUMBER_U8 1
#define KITH_NUMBER_U16 2
#define KITH_NUMBER_U32 3
#define KITH_NUMBER_U64 4
#define KITH_NUMBER_I8 5
#define KITH_NUMBER_I16 6
#define KITH_NUMBER_I32 7
#define KITH_NUMBER_I64 8
#define KITH_NUMBER_F32 9
#define KITH_NUMBER_F64 10

/* kith_build_flags() */
#define KITH_BUILD_RECOVERABLE UINT32_C(1) /* errors are returned; else the program ends */
#define KITH_BUILD_ASSERTS UINT32_C(2)     /* internal invariants are checked */
#define KITH_BUILD_TEXT UINT32_C(4)        /* queries and worlds as text can be read */

/* -- structs */

/* Source, first or second element of a term. */
typedef struct kith_term_id_t {
    kith_entity_t id;   /* or */
    const char* name;   /* a path, or "$x"; with KithIsVariable without the $ */
    kith_entity_t trav; /* the relationship to follow; 0: IsA */
    uint32_t flags;     /* KithSelf, KithUp, ... */
    uint32_t min_depth, max_depth, reserved;
} kith_term_id_t;

typedef struct kith_term_t {
    kith_id_t id; /* first, so that { id } is a term; or first and second */
    kith_term_id_t src, first, second;
    int32_t inout, oper; /* KithInOutDefault, ...; KithAnd, ... */
    uint32_t flags;      /* KITH_TERM_WITH, ... */
    uint32_t reserved[5];
} kith_term_t;

/* A field of a result: the id and the values that a term matched. */
typedef struct kith_field_t {
    void* ptr;            /* of the first row; NULL: a tag, or nothing was found */
    const void* reserved; /* internal */
    kith_id_t id;         /* the id that matched */
    kith_entity_t src;    /* the entity that has it; 0: the rows themselves */
    uint32_t stride;      /* bytes from row to row; 0: one value for all rows */
    uint32_t flags;       /* KITH_FIELD_SET, ... */
} kith_field_t;

/* An iterator lies with the caller and may be copied; one of the copies is used then. */
struct kith_iter_t {
    kith_world_t* world;           /* the world that was given */
    const kith_entity_t* entities; /* `count` of them */
    const kith_field_t* fields;    /* field i is fields[i - 1] */
    int32_t count, field_count;
    kith_table_t* table;  /* of the rows; NULL: they are in none, or in several */
    int32_t offset;       /* of the first row in the table */
    kith_status_t status; /* the run has ended by this error */
    uint64_t group_id;
    const kith_entity_t* variables; /* by number; 0: not set; NULL: the query has $this only */
    const kith_query_t* query;
    kith_entity_t event; /* in callbacks of observers, monitors and hooks */
    kith_id_t event_id;
    void* param; /* the payload of the event */
    void *ctx, *binding_ctx;
    kith_entity_t system; /* 0: not called by a system */
    float delta_time, delta_system_time;
    void* state;          /* internal */
    uint64_t reserved[4]; /* internal */
};

/* A reference to a value of one entity; finds it again when it has moved. */
typedef struct kith_ref_t {
    kith_world_t* world;
    kith_entity_t entity;
    kith_id_t id;
    uint64_t reserved[7];
} kith_ref_t;

typedef struct kith_type_info_t {
    uint32_t size, alignment;
    kith_entity_t component;
    const char* name;
    void* ctx;
    uint64_t reserved[4];
} kith_type_info_t;

typedef void (*kith_xtor_t)(void* ptr, int32_t count, const kith_type_info_t* info);
typedef void (*kith_copy_t)(void* to, const void* from, int32_t count,
                            const kith_type_info_t* info);
typedef void (*kith_move_t)(void* to, void* from, int32_t count, const kith_type_info_t* info);

/* How values of a component are handled. What is not given: ctor, zero bytes; move, bytes, and the
 * old value is not destroyed; dtor, nothing; copy, bytes if there is no dtor, else the type cannot
 * be copied. A copy without its constructor (or the reverse) is put together from what is there.
 * ctor and copies may fail (kith_fail); moves and dtor cannot. on_add, on_set and on_remove get an
 * iterator of one row with the value as field 1. */
typedef struct kith_type_hooks_t {
    kith_xtor_t ctor, dtor;
    kith_copy_t copy_ctor, copy;
    kith_move_t move_ctor, move;
    kith_iter_action_t on_add, on_set, on_remove;
    void *ctx, *binding_ctx;
    kith_ctx_free_t ctx_free, binding_ctx_free;
} kith_type_hooks_t;

/* Where a world takes its memory from. `alloc` returns NULL on failure. */
typedef struct kith_memory_t {
    void* (*alloc)(void* ctx, size_t size, size_t alignment);
    void (*free)(void* ctx, void* memory, size_t size, size_t alignment);
    void* ctx;
    bool no_pools; /* each block is asked for by itself */
} kith_memory_t;

typedef struct kith_world_stats_t {
    uint64_t entities, tables, empty_tables, ids;
    uint64_t bytes_entities, bytes_tables, bytes_rows, bytes_index;
    uint64_t bytes_sparse, bytes_names, bytes_commands, bytes_total;
} kith_world_stats_t;

typedef struct kith_value_t {
    kith_id_t id;
    size_t size; /* 0: whatever it is */
    const void* ptr;
} kith_value_t;

/* An entity with its ids and values. `id`: an existing one; else by name, else new. */
typedef struct kith_entity_desc_t {
    kith_entity_t id;
    const char* name;     /* a path below the parent */
    kith_entity_t parent; /* 0: the current scope */
    const char* symbol;
    kith_id_t add[32];    /* ended by 0 */
    const char* add_expr; /* more of them: "Position, (Likes, Alice)" */
    kith_value_t set[16]; /* ended by id 0 */
} kith_entity_desc_t;

/* The parts that kith_iter_to_json() writes. */
typedef struct kith_iter_to_json_desc_t {
    bool serialize_term_ids;
    bool serialize_term_labels;
    bool serialize_ids;
    bool serialize_id_labels;
    bool serialize_sources;
    bool serialize_variables;
    bool serialize_is_set;
    bool serialize_values;
    bool serialize_private;
    bool serialize_entities;
    bool serialize_entity_labels;
    bool serialize_entity_ids;
    bool serialize_entity_names;
    bool serialize_variable_labels;
    bool serialize_variable_ids;
    bool serialize_colors;
    bool measure_eval_duration; /* `eval_duration`: seconds of the run */
    bool serialize_type_info;
    bool serialize_table; /* all ids of the rows, not only those of the terms */
} kith_iter_to_json_desc_t;

typedef struct kith_bulk_desc_t {
    int32_t count;
    kith_id_t ids[32]; /* ended by 0 */
    void** data;       /* for each id an array of `count` values, or NULL; NULL: no values */
} kith_bulk_desc_t;

/* A component. Without `local` its type is known to the process: `size` and `alignment` of a C
 * struct, the same id in all worlds. With `local` it is an entity of this world. */
typedef struct kith_component_desc_t {
    kith_entity_t entity; /* the entity to make a component of; 0: by name */
    const char* name;
    size_t size, alignment; /* both 0: a tag */
    kith_type_hooks_t hooks;
    bool local;
} kith_component_desc_t;

typedef struct kith_enum_constant_t {
    int64_t value;
    const char* name;
} kith_enum_constant_t;

typedef struct kith_enum_desc_t {
    const char* name;
    size_t size; /* of a value: 1, 2, 4 or 8; 0: 4 */
    const kith_enum_constant_t* constants;
    int32_t count;
} kith_enum_desc_t;

/* A relationship with its properties; false and 0 leave it as it is. */
typedef struct kith_relation_desc_t {
    kith_entity_t entity; /* 0: by name, else new */
    const char* name;
    bool exclusive, tag, symmetric, transitive, reflexive, acyclic, traversable, final;
    bool dont_inherit, transient;
    bool sparse;                               /* changing a target moves no row */
    kith_entity_t on_delete, on_delete_target; /* KithRemove, KithDelete, KithPanic */
    kith_entity_t with;                        /* (with, T) is added with every (relationship, T) */
    kith_entity_t one_of; /* targets are its children; KithThis: those of the relationship */
} kith_relation_desc_t;

/* Negative: the first comes before the second. */
typedef int (*kith_order_by_action_t)(kith_entity_t e1, const void* v1, kith_entity_t e2,
                                      const void* v2);
/* The group of a table's entities; `id` is group_by_id. */
typedef uint64_t (*kith_group_by_action_t)(kith_world_t* world, kith_table_t* table, kith_id_t id,
                                           void* ctx);
/* A group got its first table: the result is its context. It has lost its last one. */
typedef void* (*kith_group_create_action_t)(kith_world_t* world, uint64_t group, void* ctx);
typedef void (*kith_group_delete_action_t)(kith_world_t* world, uint64_t group, void* group_ctx,
                                           void* ctx);

/* One thing that results are sorted by: a function, or a number in the value. */
typedef struct kith_order_t {
    kith_id_t component; /* of a term of the query; 0: by entity */
    kith_order_by_action_t compare;
    int32_t number;  /* KITH_NUMBER_U8, ...: compared instead of calling a function */
    uint32_t offset; /* of the number in the value */
    bool descending;
} kith_order_t;

typedef struct kith_query_desc_t {
    kith_term_t terms[16];           /* the first that is all zero ends the list */
    const kith_term_t* terms_buffer; /* instead of terms, for more of them */
    int32_t terms_buffer_count;
    bool cached;                      /* keeps the tables that match */
    bool instanced;                   /* rows that share a value come together; its stride is 0 */
    bool track_rows;                  /* changes are tracked for each row */
    const char* expr;                 /* more terms as text, behind the others */
    const char* name;                 /* of the query's entity */
    uint32_t flags;                   /* KithFilterMatchPrefab, ... */
    kith_entity_t order_by_component; /* one key */
    kith_order_by_action_t order_by;
    const kith_order_t* orders; /* or several, the most significant first */
    int32_t order_count;
    kith_id_t group_by_id; /* without a function: by the target of this relationship */
    kith_group_by_action_t group_by;
    bool group_descending;
    void* group_by_ctx;
    kith_ctx_free_t group_by_ctx_free;
    kith_group_create_action_t on_group_create;
    kith_group_delete_action_t on_group_delete;
    const kith_query_t* parent; /* of a subquery, which has the terms of both */
} kith_query_desc_t;

/* kinds of kith_query_column_t */
#define KITH_COLUMN_ENTITY 0   /* $this */
#define KITH_COLUMN_VARIABLE 1 /* kith_iter_get_var(it, number) */
#define KITH_COLUMN_WILDCARD 2 /* kith_field_id(it, number), where the field is set */

typedef struct kith_query_column_t {
    int32_t kind, number;
    bool first, second; /* of a wildcard: the parts of the id that it left open */
} kith_query_column_t;

/* A mistake of a text. Lines and columns count from 1. */
typedef struct kith_text_error_t {
    uint32_t line, column;
    const char *message, *excerpt;
} kith_text_error_t;
typedef void (*kith_text_error_action_t)(const kith_text_error_t* error, void* ctx);

/* Several rows at a time. Each event is reported by its own call. */
typedef struct kith_observer_desc_t {
    kith_entity_t entity;     /* that becomes the observer; 0: by query.name, else new */
    kith_query_desc_t query;  /* the entities that it is about; all zero: none */
    kith_entity_t events[16]; /* ended by 0 */
    bool yield_existing;      /* existing results are reported, too */
    kith_iter_action_t callback;
    kith_iter_action_t run; /* called instead; kith_iter_call calls the callback */
    void *ctx, *binding_ctx;
    kith_ctx_free_t ctx_free, binding_ctx_free;
} kith_observer_desc_t;

typedef struct kith_event_desc_t {
    kith_entity_t event;
    const kith_id_t* ids; /* that the event is about */
    int32_t id_count;
    kith_entity_t entity; /* the subject: an entity, or rows of a table */
    kith_table_t* table;
    int32_t offset, count;    /* count 0: all from the offset on */
    void* param;              /* the payload */
    kith_entity_t param_type; /* its component: kith_enqueue copies it then; 0: not known */
} kith_event_desc_t;

/* The callback is called with event KithOnAdd when a result enters, KithOnRemove when it leaves. */
typedef struct kith_monitor_desc_t {
    bool enter, leave; /* neither: both */
    bool existing;     /* existing results are reported as entering */
    kith_iter_action_t callback;
    void* ctx;
    kith_ctx_free_t ctx_free;
} kith_monitor_desc_t;

/* what the failure of a system does: kith_system_desc_t.on_error */
#define KITH_ON_ERROR_STOP 0    /* the frame ends, and kith_progress fails */
#define KITH_ON_ERROR_DISABLE 1 /* the system is disabled, the frame goes on */
#define KITH_ON_ERROR_PROCEED 2 /* the frame goes on */

/* A system: a query with a callback, which frames call in one order. */
typedef struct kith_system_desc_t {
    kith_entity_t entity;    /* that becomes the system; 0: by query.name, else new */
    kith_query_desc_t query; /* all zero: the callback is called once, without rows */
    kith_entity_t phase;     /* 0: that of `entity`, else none: no frame runs the system */
    kith_entity_t before[8], after[8], in[8]; /* systems, sets, phases; each ended by 0 */
    kith_iter_action_t callback;              /* for the rows of a table together */
    kith_iter_action_t
        run; /* once per run instead: while (kith_iter_next(it)) kith_iter_call(it) */
    void *ctx, *binding_ctx;
    kith_ctx_free_t ctx_free, binding_ctx_free;
    float interval;            /* seconds from run to run; 0: in each frame */
    int32_t rate;              /* in every n-th frame, or tick of tick_source; 0: in each */
    kith_entity_t tick_source; /* a timer, or a system with one; 0: none */
    bool parallel;             /* may run on another thread, and at the time of others */
    bool multi_threaded;       /* its rows are split into parts, which may run so */
    bool main_thread;          /* parallel, but on the calling thread */
    bool immediate;            /* alone, and kith_defer_suspend makes its changes immediate */
    bool barrier;              /* queued changes are merged in front of it */
    int32_t on_error;          /* KITH_ON_ERROR_STOP, ... */
} kith_system_desc_t;

/* more sync points of a pipeline than its systems need: kith_pipeline_desc_t.sync */
#define KITH_SYNC_DECLARED 0 /* none */
#define KITH_SYNC_PHASES 1   /* at the end of each phase */
#define KITH_SYNC_SYSTEMS 2  /* behind each system */

typedef struct kith_pipeline_desc_t {
    kith_entity_t entity;    /* that becomes the pipeline; 0: new */
    kith_query_desc_t query; /* finds its systems: it must ask for KithSystem */
    int32_t sync;            /* KITH_SYNC_DECLARED, ... */
} kith_pipeline_desc_t;

typedef struct kith_load_desc_t {
    const char* file; /* for messages */
    /* Called from time to time; false gives up. */
    bool (*progress)(void* ctx, size_t done, size_t size);
    void* ctx;
} kith_load_desc_t;

#ifdef __cplusplus
extern "C" {
#endif

/* -- library */

typedef void (*kith_error_action_t)(kith_status_t status, const char* message, void* ctx);
typedef void (*kith_log_action_t)(const char* message, void* ctx);

/* "0.1.0" */
KITH_API const char* kith_version(void);
/* 10000 * major + 100 * minor + patch */
KITH_API uint32_t kith_version_number(void);
/* KITH_ABI_VERSION of the library. */
KITH_API uint32_t kith_abi_version(void);
/* KITH_BUILD_RECOVERABLE and other properties of the library. */
KITH_API uint32_t kith_build_flags(void);
/* The name of a status, "invalid_entity"; "unknown" for numbers that are none. */
KITH_API const char* kith_status_name(kith_status_t status);
/* Status of this thread's last failure. */
KITH_API kith_status_t kith_last_status(void);
/* Message of this thread's last failure, "" if there was none. Valid until the next one. */
KITH_API const char* kith_last_message(void);
/* Sets the last status to KITH_OK: for telling absence from failure. */
KITH_API void kith_clear_error(void);
/* A function that is called with every failure, on the thread that it happens on. NULL: none.
 * Failures of calls inside of it are neither reported nor kept. */
KITH_API void kith_set_error_action(kith_error_action_t action, void* ctx);
/* Reports a failure. In a callback: once it returns, the operation that called it fails with
 * KITH_CALLBACK and this message. Elsewhere it sets the last status and message. Returns `status`.
 */
KITH_API kith_status_t kith_fail(kith_status_t status, const char* message);
/* Frees a `char *` that a function has returned. NULL is nothing. */
KITH_API void kith_free(void* memory);
/* Where warnings go. NULL: to stderr. */
KITH_API void kith_set_log(kith_log_action_t action, void* ctx);

/* -- worlds */

/* A new world, NULL on failure. */
KITH_API kith_world_t* kith_init(void);
/* A new world with memory of its own. The functions must outlive it; the struct need not. */
KITH_API kith_world_t* kith_init_w_memory(const kith_memory_t* memory);
/* Deletes a world. Refused inside of a callback, an iteration or a deferred part. NULL is nothing.
 */
KITH_API kith_status_t kith_fini(kith_world_t* world);
/* Replaces *world by a new one with the same memory. Refused as kith_fini is. */
KITH_API kith_status_t kith_reset(kith_world_t** world);
/* A pointer of the program; `ctx_free` is called when it is replaced and at the end of the world.
 */
KITH_API kith_status_t kith_set_ctx(kith_world_t* world, void* ctx, kith_ctx_free_t ctx_free);
/* The pointer that kith_set_ctx was given. */
KITH_API void* kith_get_ctx(const kith_world_t* world);
/* A second pointer, for the binding of another language. */
KITH_API kith_status_t kith_set_binding_ctx(kith_world_t* world, void* ctx,
                                            kith_ctx_free_t ctx_free);
/* The pointer that kith_set_binding_ctx was given. */
KITH_API void* kith_get_binding_ctx(const kith_world_t* world);
KITH_API kith_status_t kith_world_stats_w_size(const kith_world_t* world, kith_world_stats_t* stats,
                                               size_t size);
/* How large a world is. */
KITH_INLINE kith_status_t kith_world_stats(const kith_world_t* world, kith_world_stats_t* stats) {
    return kith_world_stats_w_size(world, stats, sizeof *stats);
}
/* Walks all storage, and fails if anything contradicts. */
KITH_API kith_status_t kith_check(const kith_world_t* world);
/* Deletes empty tables and gives back memory. */
KITH_API kith_status_t kith_shrink(kith_world_t* world);
/* New ids are taken from [first, last); last 0: no limit. */
KITH_API kith_status_t kith_set_entity_range(kith_world_t* world, kith_entity_t first,
                                             kith_entity_t last);
/* Changing entities outside of the range is an error. */
KITH_API kith_status_t kith_enable_range_check(kith_world_t* world, bool enabled);

/* -- ids */

/* The pair of two ids, a constant expression; kith_make_pair checks them. */
#define kith_pair(relation, target)                                               \
    (KITH_PAIR | ((KITH_CAST(uint64_t, relation) & UINT64_C(0x0FFFFFFF)) << 32) | \
     (KITH_CAST(uint64_t, target) & UINT64_C(0xFFFFFFFF)))
#define KITH_IS_PAIR(id) ((KITH_CAST(uint64_t, id) >> 63) != 0)
#define kith_isa(e) kith_pair(KithIsA, e)
#define kith_childof(e) kith_pair(KithChildOf, e)
#define kith_dependson(e) kith_pair(KithDependsOn, e)

/* The index of an entity: bits 0..31. */
KITH_INLINE uint32_t kith_index_of(kith_entity_t entity) {
    return KITH_CAST(uint32_t, entity & UINT64_C(0xFFFFFFFF));
}
/* The generation of an entity: how often its index was used before. */
KITH_INLINE uint16_t kith_generation_of(kith_entity_t entity) {
    return KITH_CAST(uint16_t, (entity >> 32) & UINT64_C(0xFFFF));
}
/* The id without its generation, as it is inside of pairs. */
KITH_INLINE kith_id_t kith_strip_generation(kith_entity_t entity) {
    return entity & UINT64_C(0xFFFFFFFF);
}
/* True for `*` and `_`, and for pairs with one of them. */
KITH_INLINE bool kith_id_is_wildcard(kith_id_t id) {
    const uint64_t first = (id >> 32) & UINT64_C(0x0FFFFFFF);
    const uint64_t second = id & UINT64_C(0xFFFFFFFF);
    return KITH_IS_PAIR(id) ? first == KithWildcard || first == KithAny || second == KithWildcard ||
                                  second == KithAny
                            : id == KithWildcard || id == KithAny;
}
/* True if the pattern, which may have wildcards, matches the id. */
KITH_API bool kith_id_match(kith_id_t id, kith_id_t pattern);
/* The pair of two living entities, 0 on failure. */
KITH_API kith_id_t kith_make_pair(const kith_world_t* world, kith_entity_t relation,
                                  kith_entity_t target);
/* The first element of a pair with its generation; 0 if the id is no pair or it is dead. */
KITH_API kith_entity_t kith_pair_first(const kith_world_t* world, kith_id_t pair);
/* The second element, likewise. */
KITH_API kith_entity_t kith_pair_second(const kith_world_t* world, kith_id_t pair);
/* True if the id may be added to an entity. */
KITH_API bool kith_id_is_valid(const kith_world_t* world, kith_id_t id);
/* True if the id has no values. */
KITH_API bool kith_id_is_tag(const kith_world_t* world, kith_id_t id);
/* True if an entity has the id, or one that it matches. */
KITH_API bool kith_id_in_use(const kith_world_t* world, kith_id_t id);
/* The component whose type the values of the id have, 0 for tags. */
KITH_API kith_entity_t kith_get_typeid(const kith_world_t* world, kith_id_t id);
/* Describes the type of the id's values; false for tags. */
KITH_API bool kith_get_type_info(const kith_world_t* world, kith_id_t id, kith_type_info_t* info);
/* "Position", "(Likes,Alice)" */
KITH_API char* kith_id_str(const kith_world_t* world, kith_id_t id);
/* The path of an entity and its ids. */
KITH_API char* kith_entity_str(const kith_world_t* world, kith_entity_t entity);
/* The ids of an entity. */
KITH_API char* kith_type_str(const kith_world_t* world, kith_entity_t entity);
/* The id that a text means: `Likes`, `(Likes, Alice)`, `#123`; 0 on failure. */
KITH_API kith_id_t kith_id_from_str(kith_world_t* world, const char* text);

/* -- entities */

/* A new entity, with the scope as parent and the ids of kith_push_with. */
KITH_API kith_entity_t kith_new(kith_world_t* world);
/* A new entity without them. */
KITH_API kith_entity_t kith_new_id(kith_world_t* world);
/* A new entity with an id. A parent, (ChildOf, P), takes the place of the scope. */
KITH_API kith_entity_t kith_new_w_id(kith_world_t* world, kith_id_t id);
/* A new entity with a pair. */
KITH_API kith_entity_t kith_new_w_pair(kith_world_t* world, kith_entity_t relation,
                                       kith_entity_t target);
/* The entity at a path, which is made if it is missing. NULL: a new one. */
KITH_API kith_entity_t kith_new_entity(kith_world_t* world, const char* path);
/* The same, with the tag Prefab. */
KITH_API kith_entity_t kith_new_prefab(kith_world_t* world, const char* path);
KITH_API kith_entity_t kith_entity_init_w_size(kith_world_t* world, const kith_entity_desc_t* desc,
                                               size_t size);
/* Makes or changes an entity; a new one exists with everything or not at all. */
KITH_INLINE kith_entity_t kith_entity_init(kith_world_t* world, const kith_entity_desc_t* desc) {
    return kith_entity_init_w_size(world, desc, sizeof *desc);
}
KITH_API const kith_entity_t* kith_bulk_init_w_size(kith_world_t* world,
                                                    const kith_bulk_desc_t* desc, size_t size);
/* `count` entities with the same ids; valid until the next change of the world. */
KITH_INLINE const kith_entity_t* kith_bulk_init(kith_world_t* world, const kith_bulk_desc_t* desc) {
    return kith_bulk_init_w_size(world, desc, sizeof *desc);
}
/* Copies the ids of an entity, with `values` the values too, to `into` (0: a new entity). */
KITH_API kith_entity_t kith_clone(kith_world_t* world, kith_entity_t into, kith_entity_t entity,
                                  bool values);
/* Deletes an entity, and what cleanup policies demand. */
KITH_API kith_status_t kith_delete(kith_world_t* world, kith_entity_t entity);
/* Deletes all entities with the id. */
KITH_API kith_status_t kith_delete_with(kith_world_t* world, kith_id_t id);
/* Removes the id from all entities. */
KITH_API kith_status_t kith_remove_all(kith_world_t* world, kith_id_t id);
/* Removes all ids of the entity. */
KITH_API kith_status_t kith_clear(kith_world_t* world, kith_entity_t entity);
/* True for an entity that was made and not deleted. */
KITH_API bool kith_is_alive(const kith_world_t* world, kith_entity_t entity);
/* True if alive, or never issued. */
KITH_API bool kith_is_valid(const kith_world_t* world, kith_entity_t entity);
/* True if the index was issued at some time. */
KITH_API bool kith_exists(const kith_world_t* world, kith_entity_t entity);
/* The living entity of an id or of an index without generation, 0 if there is none. */
KITH_API kith_entity_t kith_get_alive(const kith_world_t* world, kith_entity_t entity);
/* Makes the entity with this index and generation alive. */
KITH_API kith_status_t kith_make_alive(kith_world_t* world, kith_entity_t entity);
/* Queries leave out entities that are not enabled. */
KITH_API kith_status_t kith_enable(kith_world_t* world, kith_entity_t entity, bool enabled);
/* True unless the entity has the tag Disabled. */
KITH_API bool kith_is_enabled(const kith_world_t* world, kith_entity_t entity);
/* The number of entities with an id that matches. */
KITH_API int32_t kith_count_id(const kith_world_t* world, kith_id_t id);
/* Writes up to `capacity` ids of the entity, sparse ones too. Returns how many there are. */
KITH_API int32_t kith_get_ids(const kith_world_t* world, kith_entity_t entity, kith_id_t* ids,
                              int32_t capacity);
/* The same for ids that match a pattern. */
KITH_API int32_t kith_match_ids(const kith_world_t* world, kith_entity_t entity, kith_id_t pattern,
                                kith_id_t* ids, int32_t capacity);
/* Deletes entities. All must be alive, else none is deleted. */
KITH_API kith_status_t kith_delete_n(kith_world_t* world, const kith_entity_t* entities,
                                     int32_t count);

/* -- ids of entities */

/* Adds an id. No effect if the entity has it. */
KITH_API kith_status_t kith_add_id(kith_world_t* world, kith_entity_t entity, kith_id_t id);
/* No effect if the entity has no such id. Wildcards remove all that match. */
KITH_API kith_status_t kith_remove_id(kith_world_t* world, kith_entity_t entity, kith_id_t id);
/* True if the entity owns or inherits an id that matches. */
KITH_API bool kith_has_id(const kith_world_t* world, kith_entity_t entity, kith_id_t id);
/* As has, but never inherited. */
KITH_API bool kith_owns_id(const kith_world_t* world, kith_entity_t entity, kith_id_t id);
/* Instances of the entity get an own copy of the id. */
KITH_API kith_status_t kith_override_id(kith_world_t* world, kith_entity_t entity, kith_id_t id);
/* A disabled id stays with the entity, but queries do not match it. */
KITH_API kith_status_t kith_enable_id(kith_world_t* world, kith_entity_t entity, kith_id_t id,
                                      bool enabled);
/* True if the entity has the id and it is not disabled. */
KITH_API bool kith_is_enabled_id(const kith_world_t* world, kith_entity_t entity, kith_id_t id);
/* Adds a pair. Both elements are checked with their generations, as in the functions below. */
KITH_API kith_status_t kith_add_pair(kith_world_t* world, kith_entity_t entity,
                                     kith_entity_t relation, kith_entity_t target);
/* Removes a pair; no effect if an element is dead. */
KITH_API kith_status_t kith_remove_pair(kith_world_t* world, kith_entity_t entity,
                                        kith_entity_t relation, kith_entity_t target);
/* True if the entity owns or inherits the pair; elements may be wildcards. */
KITH_API bool kith_has_pair(const kith_world_t* world, kith_entity_t entity, kith_entity_t relation,
                            kith_entity_t target);
/* As kith_has_pair, but never inherited. */
KITH_API bool kith_owns_pair(const kith_world_t* world, kith_entity_t entity,
                             kith_entity_t relation, kith_entity_t target);
/* The value of a pair, NULL if there is none. */
KITH_API const void* kith_get_pair(const kith_world_t* world, kith_entity_t entity,
                                   kith_entity_t relation, kith_entity_t target);

/* -- values */

typedef void (*kith_construct_t)(void* value, void* ctx);

/* The value of an id, inherited ones too; NULL if there is none. Valid until the next structural
 * change of the entity's table. */
KITH_API const void* kith_get_id(const kith_world_t* world, kith_entity_t entity, kith_id_t id);
/* The entity's own value, which is added if it is missing. Call kith_modified_id after writing. */
KITH_API void* kith_get_mut_id(kith_world_t* world, kith_entity_t entity, kith_id_t id);
/* Notifies hooks and observers that the value was set. */
KITH_API kith_status_t kith_modified_id(kith_world_t* world, kith_entity_t entity, kith_id_t id);
/* Copies a value. size 0: whatever it is. */
KITH_API kith_status_t kith_set_id(kith_world_t* world, kith_entity_t entity, kith_id_t id,
                                   size_t size, const void* value);
/* Moves a value out of `value`, which the caller must not destroy afterwards unless the type has a
 * move function. */
KITH_API kith_status_t kith_move_id(kith_world_t* world, kith_entity_t entity, kith_id_t id,
                                    size_t size, void* value);
/* Adds a component whose value is made by `construct` in raw memory. Fails if it is there. */
KITH_API kith_status_t kith_emplace_id(kith_world_t* world, kith_entity_t entity, kith_id_t id,
                                       kith_construct_t construct, void* ctx);
/* Makes a reference to a value that the entity has or may get. */
KITH_API kith_status_t kith_ref_init_id(const kith_world_t* world, kith_entity_t entity,
                                        kith_id_t id, kith_ref_t* ref);
/* The value, NULL if it is gone. */
KITH_API void* kith_ref_get_id(kith_ref_t* ref);
/* Looks the value up; KITH_MISSING_COMPONENT if it is gone. */
KITH_API kith_status_t kith_ref_update(kith_ref_t* ref);

/* -- many entities at once. Each stops at the first failure */

/* Copies the bytes of values to an array of `count` times `size` bytes; zero where there is none.
 * Returns how many have one, -1 on failure. */
KITH_API int32_t kith_get_n(const kith_world_t* world, const kith_entity_t* entities, int32_t count,
                            kith_id_t id, size_t size, void* out);
/* Sets values from an array. */
KITH_API kith_status_t kith_set_n(kith_world_t* world, const kith_entity_t* entities, int32_t count,
                                  kith_id_t id, size_t size, const void* values);
/* Adds an id to entities. */
KITH_API kith_status_t kith_add_n(kith_world_t* world, const kith_entity_t* entities, int32_t count,
                                  kith_id_t id);
/* Removes an id from entities. */
KITH_API kith_status_t kith_remove_n(kith_world_t* world, const kith_entity_t* entities,
                                     int32_t count, kith_id_t id);
/* The first target of each entity, 0 where there is none. */
KITH_API kith_status_t kith_targets_n(const kith_world_t* world, const kith_entity_t* entities,
                                      int32_t count, kith_entity_t relation, kith_entity_t* out);
/* The name of each entity, NULL where there is none. */
KITH_API kith_status_t kith_names_n(const kith_world_t* world, const kith_entity_t* entities,
                                    int32_t count, const char** out);

/* The value of a singleton: a component on its own entity. */
KITH_INLINE const void* kith_singleton_get_id(const kith_world_t* world, kith_id_t id) {
    return kith_get_id(world, id, id);
}
/* Sets the value of a singleton. */
KITH_INLINE kith_status_t kith_singleton_set_id(kith_world_t* world, kith_id_t id, size_t size,
                                                const void* value) {
    return kith_set_id(world, id, id, size, value);
}

/* -- components, hooks, enums */

KITH_API kith_entity_t kith_component_init_w_size(kith_world_t* world,
                                                  const kith_component_desc_t* desc, size_t size);
/* The component of a description; made once, found again afterwards. */
KITH_INLINE kith_entity_t kith_component_init(kith_world_t* world,
                                              const kith_component_desc_t* desc) {
    return kith_component_init_w_size(world, desc, sizeof *desc);
}
KITH_API kith_id_t kith_type_register_w_size(const kith_component_desc_t* desc, size_t size);
/* The id that a type has in every world. Any thread may call it at any time. */
KITH_INLINE kith_id_t kith_type_register(const kith_component_desc_t* desc) {
    return kith_type_register_w_size(desc, sizeof *desc);
}
KITH_API kith_status_t kith_set_hooks_w_size(kith_world_t* world, kith_entity_t component,
                                             const kith_type_hooks_t* hooks, size_t size);
/* Replaces on_add, on_set and on_remove of a component in this world. Functions about values are
 * replaced, too, if there are any and the world has no value of the component yet (else
 * KITH_IN_USE); those of a C++ type are not (KITH_TYPE_CONFLICT). */
KITH_INLINE kith_status_t kith_set_hooks(kith_world_t* world, kith_entity_t component,
                                         const kith_type_hooks_t* hooks) {
    return kith_set_hooks_w_size(world, component, hooks, sizeof *hooks);
}
KITH_API kith_status_t kith_get_hooks_w_size(const kith_world_t* world, kith_entity_t component,
                                             kith_type_hooks_t* hooks, size_t size);
/* The functions and hooks that C has given a component; zero where there are none. */
KITH_INLINE kith_status_t kith_get_hooks(const kith_world_t* world, kith_entity_t component,
                                         kith_type_hooks_t* hooks) {
    return kith_get_hooks_w_size(world, component, hooks, sizeof *hooks);
}
KITH_API kith_entity_t kith_enum_init_w_size(kith_world_t* world, const kith_enum_desc_t* desc,
                                             size_t size);
/* An enum with its constants, which become children of its entity. */
KITH_INLINE kith_entity_t kith_enum_init(kith_world_t* world, const kith_enum_desc_t* desc) {
    return kith_enum_init_w_size(world, desc, sizeof *desc);
}
/* The entity of a constant. */
KITH_API kith_entity_t kith_enum_constant(const kith_world_t* world, kith_entity_t type,
                                          int64_t value);
/* The value of a constant. */
KITH_API kith_status_t kith_enum_value(const kith_world_t* world, kith_entity_t constant,
                                       int64_t* value);
/* Gives the entity a constant of the enum in place of the one that it has. */
KITH_API kith_status_t kith_set_enum(kith_world_t* world, kith_entity_t entity, kith_entity_t type,
                                     int64_t value);
/* KITH_MISSING_COMPONENT if the entity has no constant of the type. */
KITH_API kith_status_t kith_get_enum(const kith_world_t* world, kith_entity_t entity,
                                     kith_entity_t type, int64_t* value);

/* -- relationships */

KITH_API kith_entity_t kith_relation_init_w_size(kith_world_t* world,
                                                 const kith_relation_desc_t* desc, size_t size);
/* Declares a relationship with all its properties, or with none if one is refused. */
KITH_INLINE kith_entity_t kith_relation_init(kith_world_t* world,
                                             const kith_relation_desc_t* desc) {
    return kith_relation_init_w_size(world, desc, sizeof *desc);
}
/* The target with this number from 0, 0 if there are fewer. */
KITH_API kith_entity_t kith_get_target(const kith_world_t* world, kith_entity_t entity,
                                       kith_entity_t relation, int32_t index);
/* The nearest entity upwards, the entity itself first, that owns the id. */
KITH_API kith_entity_t kith_get_target_for_id(const kith_world_t* world, kith_entity_t entity,
                                              kith_entity_t relation, kith_id_t id);
/* Writes up to `capacity` targets. Returns how many there are. */
KITH_API int32_t kith_targets(const kith_world_t* world, kith_entity_t entity,
                              kith_entity_t relation, kith_entity_t* targets, int32_t capacity);
/* The target of ChildOf, 0 if there is none. */
KITH_API kith_entity_t kith_get_parent(const kith_world_t* world, kith_entity_t entity);
/* The length of the longest chain of targets, -1 on failure. */
KITH_API int32_t kith_get_depth(const kith_world_t* world, kith_entity_t entity,
                                kith_entity_t relation);
/* Calls f for the first target, for the first target of that, and so on, until f returns false.
 * More than max_depth entities (0: 100) are an error. */
KITH_API kith_status_t kith_walk_up(const kith_world_t* world, kith_entity_t entity,
                                    kith_entity_t relation,
                                    bool (*f)(kith_entity_t entity, int32_t depth, void* ctx),
                                    void* ctx, int32_t max_depth);
/* The entity and all that reach it through the relationship, depth first. */
KITH_API kith_traversal_t* kith_traverse(const kith_world_t* world, kith_entity_t entity,
                                         kith_entity_t relation);
/* The next entity, 0 at the end. `depth` may be NULL. */
KITH_API kith_entity_t kith_traversal_next(kith_traversal_t* traversal, int32_t* depth);
/* Ends a traversal. NULL is nothing. */
KITH_API void kith_traversal_fini(kith_traversal_t* traversal);

/* -- names */

/* The entity's own name, NULL if it has none. Valid until it is renamed or deleted. */
KITH_API const char* kith_get_name(const kith_world_t* world, kith_entity_t entity);
/* NULL or "" removes the name. */
KITH_API kith_status_t kith_set_name(kith_world_t* world, kith_entity_t entity, const char* name);
/* The symbol of an entity, NULL if it has none. */
KITH_API const char* kith_get_symbol(const kith_world_t* world, kith_entity_t entity);
/* Sets the symbol: a name that need not be unique among siblings. */
KITH_API kith_status_t kith_set_symbol(kith_world_t* world, kith_entity_t entity,
                                       const char* symbol);
/* A second name in the current scope. NULL or "" removes it. */
KITH_API kith_status_t kith_set_alias(kith_world_t* world, kith_entity_t entity, const char* alias);
/* The same, with the entity's own name where `alias` is NULL. */
KITH_API kith_status_t kith_use(kith_world_t* world, kith_entity_t entity, const char* alias);
/* The entity at a path, searched in the scope, in the scopes around it and in the lookup path; 0 if
 * there is none. */
KITH_API kith_entity_t kith_lookup(const kith_world_t* world, const char* path);
/* The entity at a path below a parent. */
KITH_API kith_entity_t kith_lookup_child(const kith_world_t* world, kith_entity_t parent,
                                         const char* path);
/* With separators of one's own (NULL: "::"); with `climb` as kith_lookup. */
KITH_API kith_entity_t kith_lookup_path_w_sep(const kith_world_t* world, kith_entity_t parent,
                                              const char* path, const char* sep,
                                              const char* root_sep, bool climb);
/* The entity with a symbol. Looks at all symbols. */
KITH_API kith_entity_t kith_lookup_symbol(const kith_world_t* world, const char* symbol);
/* Finds or makes an entity. */
KITH_API kith_entity_t kith_new_from_path_w_sep(kith_world_t* world, kith_entity_t parent,
                                                const char* path, const char* sep,
                                                const char* root_sep);
/* "::Sun::Earth" */
KITH_API char* kith_get_path(const kith_world_t* world, kith_entity_t entity);
/* The path from below a parent; 0: from the root. */
KITH_API char* kith_get_path_w_sep(const kith_world_t* world, kith_entity_t parent,
                                   kith_entity_t entity, const char* sep, const char* root_sep);
/* The parent of new entities. Returns the previous one; on failure it stays and 0 is returned. */
KITH_API kith_entity_t kith_set_scope(kith_world_t* world, kith_entity_t scope);
/* The parent that new entities get, 0: none. */
KITH_API kith_entity_t kith_get_scope(const kith_world_t* world);
/* New entities get the id, until kith_pop_with with the returned mark; -1 on failure. */
KITH_API int32_t kith_push_with(kith_world_t* world, kith_id_t id);
/* Ends kith_push_with, and those after it. */
KITH_API kith_status_t kith_pop_with(kith_world_t* world, int32_t mark);
/* Scopes that kith_lookup searches last, ended by 0; not copied. NULL: the builtin ones. */
KITH_API kith_status_t kith_set_lookup_path(kith_world_t* world, const kith_entity_t* path);
/* Calls `init` in the scope of the module with this name, once per world. Returns the module. */
KITH_API kith_entity_t kith_import(kith_world_t* world,
                                   void (*init)(kith_world_t* world, void* ctx), const char* name,
                                   void* ctx);
/* In `init`: gives the module its path from the root. */
KITH_API kith_entity_t kith_module(kith_world_t* world, const char* name);

/* -- deferring */

/* Changes are queued until the matching kith_defer_end. True if it is the outermost part. */
KITH_API bool kith_defer_begin(kith_world_t* world);
/* The outermost end runs the queue. The status is that of the first command that failed. */
KITH_API kith_status_t kith_defer_end(kith_world_t* world);
/* Changes are immediate until kith_defer_resume. */
KITH_API kith_status_t kith_defer_suspend(kith_world_t* world);
/* Continues the deferred part. */
KITH_API kith_status_t kith_defer_resume(kith_world_t* world);
/* True in a deferred part. */
KITH_API bool kith_is_deferred(const kith_world_t* world);

/* -- tables */

/* The table of an entity. Valid until the table is deleted. */
KITH_API kith_table_t* kith_get_table(const kith_world_t* world, kith_entity_t entity);
/* The number of rows. */
KITH_API int32_t kith_table_count(const kith_world_t* world, const kith_table_t* table);
/* The ids of a table, sorted. `count` may be NULL. */
KITH_API const kith_id_t* kith_table_ids(const kith_world_t* world, const kith_table_t* table,
                                         int32_t* count);
/* The entities of the rows. */
KITH_API const kith_entity_t* kith_table_entities(const kith_world_t* world,
                                                  const kith_table_t* table);
/* The values of an id from a row on; NULL if the table has none. */
KITH_API void* kith_table_get_id(const kith_world_t* world, const kith_table_t* table, kith_id_t id,
                                 int32_t row);
/* True if the table has an id that matches. */
KITH_API bool kith_table_has_id(const kith_world_t* world, const kith_table_t* table, kith_id_t id);
/* The index of the first id that matches, or -1. `found` may be NULL. */
KITH_API int32_t kith_search(const kith_world_t* world, const kith_table_t* table,
                             kith_id_t pattern, kith_id_t* found);
/* The same from an index on. */
KITH_API int32_t kith_search_offset(const kith_world_t* world, const kith_table_t* table,
                                    int32_t from, kith_id_t pattern, kith_id_t* found);
/* How deep its entities are in the tree of a relationship, -1 on failure. 0 for a sparse
 * relationship such as ChildOf, of which tables know nothing: kith_get_depth asks an entity. */
KITH_API int32_t kith_table_get_depth(const kith_world_t* world, const kith_table_t* table,
                                      kith_entity_t relation);
/* The ids of a table as text. */
KITH_API char* kith_table_str(const kith_world_t* world, const kith_table_t* table);

/* -- queries */

KITH_API kith_query_t* kith_query_init_w_size(kith_world_t* world, const kith_query_desc_t* desc,
                                              size_t size);
/* A query with one owner, NULL on failure. */
KITH_INLINE kith_query_t* kith_query_init(kith_world_t* world, const kith_query_desc_t* desc) {
    return kith_query_init_w_size(world, desc, sizeof *desc);
}
/* A cached query from a text. */
KITH_INLINE kith_query_t* kith_query_new(kith_world_t* world, const char* text) {
    kith_query_desc_t desc = KITH_ZERO;
    desc.expr = text;
    desc.cached = true;
    return kith_query_init_w_size(world, &desc, sizeof desc);
}
/* One owner more. Returns the query. */
KITH_API kith_query_t* kith_query_ref(kith_query_t* query);
/* One owner less; the last ends the query. NULL is nothing. Queries may end after their world. */
KITH_API void kith_query_fini(kith_query_t* query);
/* NULL if the world has ended. */
KITH_API kith_world_t* kith_query_world(const kith_query_t* query);
/* The entity with the query's name, 0 if it has none. */
KITH_API kith_entity_t kith_query_entity(const kith_query_t* query);
/* The number of rows that match, -1 on failure. */
KITH_API int32_t kith_query_count(const kith_query_t* query);
/* True if there is a result. */
KITH_API bool kith_query_is_true(const kith_query_t* query);
/* The first entity that matches, 0 if there is none. */
KITH_API kith_entity_t kith_query_first(const kith_query_t* query);
/* True if the entity is part of a result. */
KITH_API bool kith_query_matches(const kith_query_t* query, kith_entity_t entity);
/* True if results have changed since the query was last iterated. */
KITH_API bool kith_query_changed(const kith_query_t* query);
/* True for a subquery whose parent has no owner any more. */
KITH_API bool kith_query_orphaned(const kith_query_t* query);
/* The terms in the query language. */
KITH_API char* kith_query_str(const kith_query_t* query);
/* The plan, one operation per line. */
KITH_API char* kith_query_explain(const kith_query_t* query);
/* Why an entity matches, or does not. */
KITH_API char* kith_query_explain_entity(const kith_query_t* query, kith_entity_t entity);
/* The number of terms. */
KITH_API int32_t kith_query_term_count(const kith_query_t* query);
/* The term with this number from 0: id, src.id, first.id, second.id, inout and oper. */
KITH_API kith_status_t kith_query_term(const kith_query_t* query, int32_t index, kith_term_t* term);
/* The number of fields that results have. */
KITH_API int32_t kith_query_field_count(const kith_query_t* query);
/* The number of variables; $this is number 0. */
KITH_API int32_t kith_query_var_count(const kith_query_t* query);
/* The name of a variable. */
KITH_API const char* kith_query_var_name(const kith_query_t* query, int32_t variable);
/* -1 if there is no such variable. */
KITH_API int32_t kith_query_find_var(const kith_query_t* query, const char* name);
/* What a table of the results has as columns. Returns how many there are. */
KITH_API int32_t kith_query_columns(const kith_query_t* query, kith_query_column_t* columns,
                                    int32_t capacity);
/* The number of targets `*` that kith_query_bind can bind. */
KITH_API int32_t kith_query_open_targets(const kith_query_t* query);
/* What on_group_create returned for the group. */
KITH_API void* kith_query_group_ctx(const kith_query_t* query, uint64_t group);
/* Calls f for each mistake of syntax, without a world. Returns how many, -1 on failure. */
KITH_API int32_t kith_check_query(const char* text, size_t length, kith_text_error_action_t f,
                                  void* ctx);

/* -- iterating. An iterator belongs to the thread that began it */

/* Begins a run. A NULL world stands for that of the query. */
KITH_API kith_status_t kith_query_iter(const kith_world_t* world, const kith_query_t* query,
                                       kith_iter_t* it);
/* Begins a run with `count` targets in place of the open ones; KithWildcard leaves one open. */
KITH_API kith_status_t kith_query_bind(const kith_query_t* query, const kith_entity_t* targets,
                                       int32_t count, kith_iter_t* it);
/* Begins a run over the entities that have an id themselves; field 1 are the values, to be read. */
KITH_API kith_status_t kith_each_id(const kith_world_t* world, kith_id_t id, kith_iter_t* it);
/* Begins a run over the entities with (relation, target), in results of one field without values.
 */
KITH_API kith_status_t kith_sources(const kith_world_t* world, kith_entity_t relation,
                                    kith_entity_t target, kith_iter_t* it);
/* The same for the children of an entity; 0: all entities without a parent. */
KITH_API kith_status_t kith_children(const kith_world_t* world, kith_entity_t parent,
                                     kith_iter_t* it);

/* Before the first result: restricts $this (0) or another variable to an entity. */
KITH_API kith_status_t kith_iter_set_var(kith_iter_t* it, int32_t variable, kith_entity_t value);
/* Before the first result: restricts $this to rows of a table. */
KITH_API kith_status_t kith_iter_set_var_as_range(kith_iter_t* it, int32_t variable,
                                                  kith_table_t* table, int32_t row, int32_t count);
/* Before the first result: restricts the run to a group. */
KITH_API kith_status_t kith_iter_set_group(kith_iter_t* it, uint64_t group);
/* Before the first result: restricts the run to `limit` rows from `offset` on. */
KITH_API kith_status_t kith_iter_page(kith_iter_t* it, int32_t offset, int32_t limit);
/* Before the first result: restricts the run to the share `index` of `count`. */
KITH_API kith_status_t kith_iter_worker(kith_iter_t* it, int32_t index, int32_t count);
/* Before the first result: the run will end when f returns true, which is asked for each table. */
KITH_API kith_status_t kith_iter_stop_on(kith_iter_t* it, bool (*f)(void* ctx), void* ctx);

/* The next result. False at the end, and where the run fails: then it->status says why. */
KITH_API bool kith_iter_next(kith_iter_t* it);
/* Ends a run that is left early. Harmless after the end. */
KITH_API void kith_iter_fini(kith_iter_t* it);
/* The value of a variable in this result, 0 if it has none. */
KITH_API kith_entity_t kith_iter_get_var(const kith_iter_t* it, int32_t variable);
/* True if the result has changed since the query last iterated its table. */
KITH_API bool kith_iter_changed(const kith_iter_t* it);
/* The same for one row, if the query tracks rows. */
KITH_API bool kith_iter_row_changed(const kith_iter_t* it, int32_t row);
/* The result was not written: it does not count as changed. */
KITH_API kith_status_t kith_iter_skip(kith_iter_t* it);
/* The number of rows of the run, -1 on failure. Ends the run. */
KITH_API int32_t kith_iter_count(kith_iter_t* it);
/* The first entity of the run, 0 if there is none. Ends the run. */
KITH_API kith_entity_t kith_iter_first(kith_iter_t* it);
/* True if the run has a result. Ends the run. */
KITH_API bool kith_iter_is_true(kith_iter_t* it);
/* The present result as a text. */
KITH_API char* kith_iter_str(const kith_iter_t* it);

/* Reports an index that is out of range; what kith_field_at calls. */
KITH_API const kith_field_t* kith_field_fault(const kith_iter_t* it, int32_t index);
/* The array of a field after all checks; what kith_field_w_size calls. */
KITH_API void* kith_field_checked(const kith_iter_t* it, size_t size, int32_t index);
/* The field with this number, from 1. */
KITH_INLINE const kith_field_t* kith_field_at(const kith_iter_t* it, int32_t index) {
    return it && index > 0 && index <= it->field_count ? &it->fields[index - 1]
                                                       : kith_field_fault(it, index);
}
/* The array of a field: it->count values, or one where the stride is 0. NULL for tags and for
 * optional terms that found nothing; KITH_WRONG_TYPE if a value has another size. */
KITH_INLINE void* kith_field_w_size(const kith_iter_t* it, size_t size, int32_t index) {
    return it && index > 0 && index <= it->field_count && it->fields[index - 1].stride == size
               ? it->fields[index - 1].ptr
               : kith_field_checked(it, size, index);
}
/* The id that matched. */
KITH_INLINE kith_id_t kith_field_id(const kith_iter_t* it, int32_t index) {
    const kith_field_t* field = kith_field_at(it, index);
    return field ? field->id : 0;
}
/* The entity that has it, 0: the rows themselves. */
KITH_INLINE kith_entity_t kith_field_src(const kith_iter_t* it, int32_t index) {
    const kith_field_t* field = kith_field_at(it, index);
    return field ? field->src : 0;
}
/* An optional term has matched. */
KITH_INLINE bool kith_field_is_set(const kith_iter_t* it, int32_t index) {
    const kith_field_t* field = kith_field_at(it, index);
    return field && (field->flags & KITH_FIELD_SET) != 0;
}
/* Matched on the rows' own entities. */
KITH_INLINE bool kith_field_is_self(const kith_iter_t* it, int32_t index) {
    const kith_field_t* field = kith_field_at(it, index);
    return field && field->src == 0;
}
/* The values are not to be written. */
KITH_INLINE bool kith_field_is_readonly(const kith_iter_t* it, int32_t index) {
    const kith_field_t* field = kith_field_at(it, index);
    return field && (field->flags & KITH_FIELD_READONLY) != 0;
}
/* The values are to be written, not read. */
KITH_INLINE bool kith_field_is_writeonly(const kith_iter_t* it, int32_t index) {
    const kith_field_t* field = kith_field_at(it, index);
    return field && (field->flags & KITH_FIELD_WRITEONLY) != 0;
}
/* Bytes from row to row; 0: one value for all rows. */
KITH_INLINE uint32_t kith_field_stride(const kith_iter_t* it, int32_t index) {
    const kith_field_t* field = kith_field_at(it, index);
    return field ? field->stride : 0;
}
/* Bytes of one value, 0 for tags. */
KITH_API size_t kith_field_size(const kith_iter_t* it, int32_t index);
/* The value of one row, right for shared values, too. NULL as kith_field_w_size. */
KITH_INLINE void* kith_row_field(const kith_iter_t* it, int32_t index, int32_t row) {
    const kith_field_t* field = kith_field_at(it, index);
    if (!field || !field->ptr || row < 0 || row >= it->count) {
        return NULL;
    }
    return KITH_CAST(char*, field->ptr) + KITH_CAST(size_t, row) * field->stride;
}

/* -- observers, events, monitors */

KITH_API kith_entity_t kith_observer_init_w_size(kith_world_t* world,
                                                 const kith_observer_desc_t* desc, size_t size);
/* An observer, which is an entity: kith_delete ends it. */
KITH_INLINE kith_entity_t kith_observer_init(kith_world_t* world,
                                             const kith_observer_desc_t* desc) {
    return kith_observer_init_w_size(world, desc, sizeof *desc);
}
/* The query of an observer, with one owner more. */
KITH_API kith_query_t* kith_observer_query(kith_world_t* world, kith_entity_t observer);
/* The ctx of an observer that C has made. */
KITH_API void* kith_observer_get_ctx(const kith_world_t* world, kith_entity_t observer);
KITH_API kith_entity_t kith_entity_observer_init_w_size(kith_world_t* world, kith_entity_t entity,
                                                        kith_entity_t event,
                                                        const kith_observer_desc_t* desc,
                                                        size_t size);
/* An observer of one entity: the callback is called for this event of it, KithOnDelete or one of
 * the program. Of the description it uses callback, ctx and binding_ctx. */
KITH_INLINE kith_entity_t kith_entity_observer_init(kith_world_t* world, kith_entity_t entity,
                                                    kith_entity_t event,
                                                    const kith_observer_desc_t* desc) {
    return kith_entity_observer_init_w_size(world, entity, event, desc, sizeof *desc);
}
KITH_API kith_status_t kith_emit_w_size(kith_world_t* world, const kith_event_desc_t* desc,
                                        size_t size);
/* Notifies observers of an event immediately. */
KITH_INLINE kith_status_t kith_emit(kith_world_t* world, const kith_event_desc_t* desc) {
    return kith_emit_w_size(world, desc, sizeof *desc);
}
KITH_API kith_status_t kith_enqueue_w_size(kith_world_t* world, const kith_event_desc_t* desc,
                                           size_t size);
/* Notifies observers together with deferred changes; immediately if there are none. */
KITH_INLINE kith_status_t kith_enqueue(kith_world_t* world, const kith_event_desc_t* desc) {
    return kith_enqueue_w_size(world, desc, sizeof *desc);
}
/* In `run` of an observer or a system: calls the callback with the current result. */
KITH_API kith_status_t kith_iter_call(kith_iter_t* it);
KITH_API kith_monitor_t* kith_monitor_init_w_size(kith_query_t* query,
                                                  const kith_monitor_desc_t* desc, size_t size);
/* Calls back when results enter or leave the query, until kith_monitor_fini. */
KITH_INLINE kith_monitor_t* kith_monitor_init(kith_query_t* query,
                                              const kith_monitor_desc_t* desc) {
    return kith_monitor_init_w_size(query, desc, sizeof *desc);
}
/* Ends a monitor. NULL is nothing. */
KITH_API void kith_monitor_fini(kith_monitor_t* monitor);

/* -- systems, pipelines, time */

KITH_API kith_entity_t kith_system_init_w_size(kith_world_t* world, const kith_system_desc_t* desc,
                                               size_t size);
/* A system, which is an entity: kith_delete ends it, KithDisabled keeps it from being run. A system
 * that exists gets the callback, terms and settings of the description. */
KITH_INLINE kith_entity_t kith_system_init(kith_world_t* world, const kith_system_desc_t* desc) {
    return kith_system_init_w_size(world, desc, sizeof *desc);
}
/* The query of a system, with one owner more. */
KITH_API kith_query_t* kith_system_query(kith_world_t* world, kith_entity_t system);
/* The ctx of a system. It is freed when no plan of a frame uses the system any more. */
KITH_API void* kith_system_get_ctx(const kith_world_t* world, kith_entity_t system);
/* Runs a system now, whatever its phase, timer and KithDisabled say. `param` is it->param. */
KITH_API kith_status_t kith_run(kith_world_t* world, kith_entity_t system, float delta_time,
                                void* param);
/* Runs a share of its rows: 0 <= index < count. */
KITH_API kith_status_t kith_run_worker(kith_world_t* world, kith_entity_t system, int32_t index,
                                       int32_t count, float delta_time, void* param);
KITH_API kith_entity_t kith_pipeline_init_w_size(kith_world_t* world,
                                                 const kith_pipeline_desc_t* desc, size_t size);
/* A pipeline, which is an entity. */
KITH_INLINE kith_entity_t kith_pipeline_init(kith_world_t* world,
                                             const kith_pipeline_desc_t* desc) {
    return kith_pipeline_init_w_size(world, desc, sizeof *desc);
}
/* The pipeline of kith_progress. */
KITH_API kith_status_t kith_set_pipeline(kith_world_t* world, kith_entity_t pipeline);
/* The pipeline that kith_progress runs. */
KITH_API kith_entity_t kith_get_pipeline(const kith_world_t* world);
/* Runs the systems of a pipeline (0: the one of kith_progress) without a frame: no timers. */
KITH_API kith_status_t kith_run_pipeline(kith_world_t* world, kith_entity_t pipeline,
                                         float delta_time);
/* Runs a frame. 0 seconds: the time since the last frame. False after kith_quit, and on failure. */
KITH_API bool kith_progress(kith_world_t* world, float delta_time);
/* The time of a frame without systems. Returns the scaled time. */
KITH_API float kith_frame_begin(kith_world_t* world, float delta_time);
/* Ends the frame of kith_frame_begin. */
KITH_API kith_status_t kith_frame_end(kith_world_t* world);
/* Frames use so many threads, the calling one included. What comes out does not depend on it. */
KITH_API kith_status_t kith_set_threads(kith_world_t* world, int32_t count);
/* The same with threads that need not exist between frames. */
KITH_API kith_status_t kith_set_task_threads(kith_world_t* world, int32_t count);
/* The number of threads, at least 1. */
KITH_API int32_t kith_get_threads(const kith_world_t* world);
/* Lets kith_progress return false. */
KITH_API kith_status_t kith_quit(kith_world_t* world);
/* True after kith_quit. */
KITH_API bool kith_should_quit(const kith_world_t* world);
/* Time goes faster or slower; 0: it stands still. */
KITH_API kith_status_t kith_set_time_scale(kith_world_t* world, float scale);
/* kith_progress sleeps, so that there are so many frames a second; 0: it does not. */
KITH_API kith_status_t kith_set_target_fps(kith_world_t* world, float rate);
/* A timer of an entity, which may be a system: ticks every so many seconds. */
KITH_API kith_status_t kith_set_interval(kith_world_t* world, kith_entity_t entity, float seconds);
/* A timer that ticks once, after so many seconds. */
KITH_API kith_status_t kith_set_timeout(kith_world_t* world, kith_entity_t entity, float seconds);
/* The seconds of the interval of an entity; 0: it has none. */
KITH_API float kith_get_interval(const kith_world_t* world, kith_entity_t entity);
/* The seconds of the timeout of an entity; 0: it has none. */
KITH_API float kith_get_timeout(const kith_world_t* world, kith_entity_t entity);
/* Ticks with every n-th tick of the source; 0: of the frames. */
KITH_API kith_status_t kith_set_rate(kith_world_t* world, kith_entity_t entity, int32_t rate,
                                     kith_entity_t source);
/* Runs the system when the source ticks; 0: in each frame. */
KITH_API kith_status_t kith_set_tick_source(kith_world_t* world, kith_entity_t system,
                                            kith_entity_t source);
/* Lets a stopped timer go on. */
KITH_API kith_status_t kith_start_timer(kith_world_t* world, kith_entity_t timer);
/* Stops a timer: it does not tick. */
KITH_API kith_status_t kith_stop_timer(kith_world_t* world, kith_entity_t timer);
/* Lets the time of the timer begin again. */
KITH_API kith_status_t kith_reset_timer(kith_world_t* world, kith_entity_t timer);

/* -- worlds as text */

KITH_API kith_status_t kith_load_text_w_size(kith_world_t* world, const char* text, size_t length,
                                             const kith_load_desc_t* desc, size_t size);
/* Adds the facts of a text, all or none. `desc` may be NULL. */
KITH_INLINE kith_status_t kith_load_text(kith_world_t* world, const char* text, size_t length,
                                         const kith_load_desc_t* desc) {
    return kith_load_text_w_size(world, text, length, desc, sizeof *desc);
}
KITH_API kith_status_t kith_load_file_w_size(kith_world_t* world, const char* path,
                                             const kith_load_desc_t* desc, size_t size);
/* The same with the contents of a file. */
KITH_INLINE kith_status_t kith_load_file(kith_world_t* world, const char* path,
                                         const kith_load_desc_t* desc) {
    return kith_load_file_w_size(world, path, desc, sizeof *desc);
}
/* The facts of a world. `length` may be NULL. */
KITH_API char* kith_save_text(const kith_world_t* world, size_t* length);
/* Calls f for each mistake of syntax, without a world. Returns how many, -1 on failure. */
KITH_API int32_t kith_check_text(const char* text, size_t length, kith_text_error_action_t f,
                                 void* ctx);
/* The text in kith's own layout. `formatted_length` may be NULL. */
KITH_API char* kith_format_text(const char* text, size_t length, size_t* formatted_length);

/* -- described values: members by name, text, JSON, snapshots */

/* Kinds of members that are no components themselves. Numbers are part of the ABI */
#define KITH_KIND_BOOL 1
#define KITH_KIND_CHAR 2
#define KITH_KIND_I8 3
#define KITH_KIND_I16 4
#define KITH_KIND_I32 5
#define KITH_KIND_I64 6
#define KITH_KIND_U8 7
#define KITH_KIND_U16 8
#define KITH_KIND_U32 9
#define KITH_KIND_U64 10
#define KITH_KIND_F32 11
#define KITH_KIND_F64 12
#define KITH_KIND_ENTITY 13 /* kith_entity_t */
#define KITH_KIND_TEXT 14   /* const char*, which the program owns */

/* A member of a component. Its size is part of the ABI. */
typedef struct kith_member_t {
    const char* name;
    kith_entity_t type; /* a described component; 0: of the kind below */
    int32_t kind;       /* KITH_KIND_F64 … */
    int32_t count;      /* elements of an array; 0: a single value */
    size_t offset;      /* in bytes */
    uint64_t reserved[2];
} kith_member_t;
typedef struct kith_snapshot_t kith_snapshot_t;

/* Describes the members of a component, so that the functions below know them. Members in front of
 * one that is refused stay described. */
KITH_API kith_status_t kith_describe(kith_world_t* world, kith_entity_t component,
                                     const kith_member_t* members, int32_t count);
/* A value of a component as text: {x: 1, y: 2}. */
KITH_API char* kith_value_str(const kith_world_t* world, kith_id_t id, const void* value);
/* Reads a text into a value, whole or not at all. Members that it does not name stay. */
KITH_API kith_status_t kith_value_parse(kith_world_t* world, kith_id_t id, void* value,
                                        const char* text);
/* A part of a value of an entity as text, by its path: "slots[2].name"; "" is the whole value. */
KITH_API char* kith_get_member_str(const kith_world_t* world, kith_entity_t entity, kith_id_t id,
                                   const char* path);
/* Reads a text into a part of a value of an entity, with one OnSet. */
KITH_API kith_status_t kith_set_member_str(kith_world_t* world, kith_entity_t entity, kith_id_t id,
                                           const char* path, const char* text);
/* An entity with tags, values and pairs as JSON. `length` may be NULL. */
KITH_API char* kith_entity_to_json(const kith_world_t* world, kith_entity_t entity, size_t* length);
/* The results of a query as JSON: columns and rows. `length` may be NULL. */
KITH_API char* kith_query_to_json(const kith_query_t* query, size_t* length);
KITH_API char* kith_iter_to_json_w_size(kith_iter_t* it, const kith_iter_to_json_desc_t* desc,
                                        size_t size, size_t* length);
/* All results of a run that has shown none yet, in the table form of Flecs; the iterator ends.
 * `desc` NULL: the usual parts. `length` may be NULL. */
KITH_INLINE char* kith_iter_to_json(kith_iter_t* it, const kith_iter_to_json_desc_t* desc,
                                    size_t* length) {
    return kith_iter_to_json_w_size(it, desc, sizeof *desc, length);
}
/* A world as JSON. `length` may be NULL. */
KITH_API char* kith_world_to_json(const kith_world_t* world, size_t* length);
/* Adds the entities of a text that kith_world_to_json() gave, all or none. */
KITH_API kith_status_t kith_world_from_json(kith_world_t* world, const char* text, size_t length);
/* Captures the state of a world. */
KITH_API kith_snapshot_t* kith_snapshot_take(kith_world_t* world);
/* Gives the world the captured state back; observers are not notified. */
KITH_API kith_status_t kith_snapshot_restore(kith_snapshot_t* snapshot);
/* Ends a snapshot. NULL is nothing. */
KITH_API void kith_snapshot_fini(kith_snapshot_t* snapshot);

/* -- macros: convenience
 * ---------------------------------------------------------------------------- */

#if defined(__cplusplus)
#define KITH_ALIGNOF(T) alignof(T)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 202311L
#define KITH_ALIGNOF(T) alignof(T)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define KITH_ALIGNOF(T) _Alignof(T)
#elif defined(__GNUC__)
#define KITH_ALIGNOF(T) __alignof__(T)
#else
#define KITH_ALIGNOF(T)  \
    offsetof(            \
        struct {         \
            char before; \
            T value;     \
        },               \
        value)
#endif

/* Registers a plain struct; what KITH_COMPONENT calls. */
KITH_INLINE kith_entity_t kith_component_of(kith_world_t* world, const char* name, size_t size,
                                            size_t alignment) {
    kith_component_desc_t desc = KITH_ZERO;
    desc.name = name;
    desc.size = size;
    desc.alignment = alignment;
    return kith_component_init(world, &desc);
}
/* Makes an observer from a text; what KITH_OBSERVER calls. */
KITH_INLINE kith_entity_t kith_observer_of(kith_world_t* world, const char* name,
                                           kith_iter_action_t callback, kith_entity_t event,
                                           const char* text) {
    kith_observer_desc_t desc = KITH_ZERO;
    desc.query.name = name;
    desc.query.expr = text;
    desc.events[0] = event;
    desc.callback = callback;
    return kith_observer_init(world, &desc);
}
/* Makes a system from a text; what KITH_SYSTEM calls. */
KITH_INLINE kith_entity_t kith_system_of(kith_world_t* world, const char* name,
                                         kith_iter_action_t callback, kith_entity_t phase,
                                         const char* text) {
    kith_system_desc_t desc = KITH_ZERO;
    desc.query.name = name;
    desc.query.expr = text && text[0] == '0' && text[1] == 0 ? NULL : text;
    desc.phase = phase;
    desc.callback = callback;
    return kith_system_init(world, &desc);
}

#ifdef __cplusplus
}
#endif

/* The variable with the id of a type. */
#define kith_id(T) kith_id_##T##_

#define KITH_COMPONENT_DECLARE(T) kith_entity_t kith_id(T)
#define KITH_COMPONENT_DEFINE(world, T) \
    (kith_id(T) = kith_component_of(world, #T, sizeof(T), KITH_ALIGNOF(T)))
#define KITH_COMPONENT(world, T)                                                         \
    kith_entity_t kith_id(T) = kith_component_of(world, #T, sizeof(T), KITH_ALIGNOF(T)); \
    (void)kith_id(T)

#define KITH_TAG_DECLARE(T) kith_entity_t T, kith_id(T)
#define KITH_TAG_DEFINE(world, T) (kith_id(T) = T = kith_new_entity(world, #T))
#define KITH_TAG(world, T)                        \
    kith_entity_t T = kith_new_entity(world, #T); \
    kith_entity_t kith_id(T) = T;                 \
    (void)kith_id(T)

/* The rest of the line is the query: KITH_OBSERVER(world, on_move, KithOnSet, Position, [in]
 * Speed). The observer has the name of the callback; the variable kith_id(callback) has its id. */
#define KITH_OBSERVER(world, callback, event, ...)                         \
    kith_entity_t kith_id(callback) =                                      \
        kith_observer_of(world, #callback, callback, event, #__VA_ARGS__); \
    (void)kith_id(callback)

/* KITH_SYSTEM(world, move, KithOnUpdate, Position, [in] Speed); without a query: KITH_SYSTEM(world,
 * tick, KithOnUpdate, 0). */
#define KITH_SYSTEM(world, callback, phase, ...)                         \
    kith_entity_t kith_id(callback) =                                    \
        kith_system_of(world, #callback, callback, phase, #__VA_ARGS__); \
    (void)kith_id(callback)

#define kith_add(world, e, T) kith_add_id(world, e, kith_id(T))
#define kith_remove(world, e, T) kith_remove_id(world, e, kith_id(T))
#define kith_has(world, e, T) kith_has_id(world, e, kith_id(T))
#define kith_owns(world, e, T) kith_owns_id(world, e, kith_id(T))
#define kith_get(world, e, T) KITH_CAST(const T*, kith_get_id(world, e, kith_id(T)))
#define kith_get_mut(world, e, T) KITH_CAST(T*, kith_get_mut_id(world, e, kith_id(T)))
#define kith_modified(world, e, T) kith_modified_id(world, e, kith_id(T))
#define kith_emplace(world, e, T, construct, ctx) \
    kith_emplace_id(world, e, kith_id(T), construct, ctx)
/* The values of a field, from 1. */
#define kith_field(it, T, index) KITH_CAST(T*, kith_field_w_size(it, sizeof(T), index))
/* The value of a pair whose first, or second, element is a type. */
#define kith_get_pair_t(world, e, R, target) \
    KITH_CAST(const R*, kith_get_pair(world, e, kith_id(R), target))
#define kith_get_pair_second(world, e, relation, T) \
    KITH_CAST(const T*, kith_get_pair(world, e, relation, kith_id(T)))

/* These take an initialiser in braces, which C++ has no form of. */
#ifndef __cplusplus
#define kith_set(world, e, T, ...) kith_set_id(world, e, kith_id(T), sizeof(T), &(T)__VA_ARGS__)
#define kith_set_pair(world, e, R, target, ...) \
    kith_set_id(world, e, kith_make_pair(world, kith_id(R), target), sizeof(R), &(R)__VA_ARGS__)
#define kith_set_pair_second(world, e, relation, T, ...) \
    kith_set_id(world, e, kith_make_pair(world, relation, kith_id(T)), sizeof(T), &(T)__VA_ARGS__)
#define kith_entity(world, ...) kith_entity_init(world, &(kith_entity_desc_t)__VA_ARGS__)
#define kith_component(world, ...) kith_component_init(world, &(kith_component_desc_t)__VA_ARGS__)
#define kith_query(world, ...) kith_query_init(world, &(kith_query_desc_t)__VA_ARGS__)
#define kith_observer(world, ...) kith_observer_init(world, &(kith_observer_desc_t)__VA_ARGS__)
#define kith_system(world, ...) kith_system_init(world, &(kith_system_desc_t)__VA_ARGS__)
#define kith_pipeline(world, ...) kith_pipeline_init(world, &(kith_pipeline_desc_t)__VA_ARGS__)
#define kith_relation(world, ...) kith_relation_init(world, &(kith_relation_desc_t)__VA_ARGS__)
#endif

#endif
