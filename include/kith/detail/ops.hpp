// The compiled functions behind the public handles. Internal: programs call the classes instead.
// Each function checks its arguments and throws kith::error as error.hpp describes.
//
// Implemented in src/core/api: worlds and deferring in world.cpp; entities, ids and values in
// entity.cpp; relationships in traversal.cpp and relation.cpp; modules, components and enums in
// files of these names; names in names.cpp and id_text.cpp; cursors and counting in world_each.cpp.
// table_lock is implemented in src/core/mutate/context/stage.cpp.
#pragma once

#include <kith/detail/layout.hpp>
#include <kith/fwd.hpp>
#include <kith/string.hpp>
#include <kith/type_info.hpp>

namespace kith::detail {

struct query_head;

// A way to make a value in place. Without `make`, the bytes of the value are copied from `context`.
// Without `assign`, an existing value is destroyed and made again.
struct value_source {
    void* context;
    void (*make)(void* value, void* context);
    void (*assign)(void* value, void* context);
};

// A fixed list of component ids. `slot` is the number of the list in this process, by which a world
// remembers the table of the list.
struct bundle {
    std::uint32_t slot;
    std::uint32_t count;
    const id_t* ids;
};
// The next free number of a list.
std::uint32_t next_bundle_slot() noexcept;

// -- worlds -------------------------------------------------------------------------------------
// The world of a stage; of a world, the world itself.
world_t* home_of(world_t* world) noexcept;
bool is_deferred(const world_t* world) noexcept;
world_t* create_world(const world_memory* memory);
// Deletes the entities of a world, and destroys it.
void destroy_world(world_t* world) noexcept;
// Throws inside of a callback, an iteration, a scope or a deferred part of the world; `call` is the
// operation that would end the world.
void check_idle(const world_t* world, const char* call);
// Creates a world with the memory functions of `world`, then destroys `world`. Throws as
// check_idle() does.
world_t* reset_world(world_t* world);
// Throws if a world was made by another copy of kith, whose ids of C++ types are others.
inline void check_types(const world_t* world) {
    if (world && world->types != &list_of_types && world->types) [[unlikely]] {
        raise_other_types();
    }
}

// -- entities -----------------------------------------------------------------------------------
// A new entity, with the scope and the ids of `with`.
entity_t new_entity(world_t* world);
// A new entity without them.
entity_t new_id(world_t* world);
// A new entity with values for the ids of the list, in one change.
entity_t new_with_values(world_t* world, const bundle& ids, const value_source* values);
// Rows are moved out of `columns` where types can be moved as bytes, else copied. Returns the array
// of the new entities' ids, valid until the next structural change; null if count is 0.
const entity_t* new_bulk(world_t* world, std::size_t count, const id_t* ids, std::size_t id_count,
                         const void* const* columns);
// Deletes the entity, with the entities that cleanup policies demand.
void delete_entity(world_t* world, entity_t entity);
// Removes all ids of the entity.
void clear_entity(world_t* world, entity_t entity);
// Copies the ids of the entity, and the values or default values, to a new entity or to `into`.
entity_t clone_entity(world_t* world, entity_t entity, bool copy_values, entity_t into);
inline bool is_alive(const world_t* world, entity_t entity) noexcept {
    return find_record(*world->store, entity) != nullptr;
}
// True if the entity is alive, or its id can still be made alive.
bool is_valid(const world_t* world, entity_t entity) noexcept;
// True if the index was issued at some time.
bool exists(const world_t* world, entity_t entity) noexcept;
// The living entity for an id or an index without generation; 0 if there is none.
entity_t get_alive(const world_t* world, entity_t entity) noexcept;
// Makes the entity with this index and generation alive.
void make_alive(world_t* world, entity_t entity);
// The range of indexes for new entities, and whether changes outside of it are errors.
void set_id_range(world_t* world, std::uint32_t first, std::uint32_t last);
void check_id_range(world_t* world, bool enabled);

// -- ids of an entity ---------------------------------------------------------------------------
// add_id leaves an entity with the id as it is, remove_id an entity without the id.
void add_id(world_t* world, entity_t entity, id_t id);
void remove_id(world_t* world, entity_t entity, id_t id);
// True if the entity owns or inherits an id that matches.
bool has_id(const world_t* world, entity_t entity, id_t id);
bool owns_id(const world_t* world, entity_t entity, id_t id);  // itself, not through a base
// The target with this number, own targets before inherited ones; 0 if there are fewer.
entity_t target_of(const world_t* world, entity_t entity, entity_t relation, std::int32_t index);
// Disabled ids stay with the entity, but queries do not match them.
void enable_id(world_t* world, entity_t entity, id_t id, bool enabled);
bool is_enabled(const world_t* world, entity_t entity, id_t id);
// Warns where a program names two components as if they were a relationship and its target.
void check_component_pair(const world_t* world, std::uint32_t first, std::uint32_t second);
// Errors about the null entity name the call and the argument.
[[noreturn]] void raise_null_entity(const char* call, const char* argument = "the entity");
[[noreturn]] void raise_null_id(const char* call, const char* argument);
inline entity_t checked_entity(entity_t entity, const char* call,
                               const char* argument = "the entity") {
    if (entity == 0) [[unlikely]] {
        raise_null_entity(call, argument);
    }
    return entity;
}
inline id_t checked_id(id_t id, const char* call, const char* argument) {
    if (id == 0) [[unlikely]] {
        raise_null_id(call, argument);
    }
    return id;
}
// The pair of two elements that a program asks about. The result is 0 if an element has ended: the
// index of that element may belong to another entity.
inline id_t asked_pair(const world_t* world, entity_t relation, entity_t target) noexcept {
    auto is_known = [world](entity_t element) {
        return index_of(element) < first_entity || is_alive(world, element);
    };
    return is_known(relation) && is_known(target) ? make_pair(relation, target) : 0;
}
// The pair of two elements; checks that both can be elements, for a call of this name.
id_t checked_pair_slow(const world_t* world, entity_t relation, entity_t target, const char* call);
inline id_t checked_pair(const world_t* world, entity_t relation, entity_t target,
                         const char* call = "pair") {
    if (find_record(*world->store, relation) && find_record(*world->store, target) &&
        index_of(relation) <= max_relation_index) [[likely]] {
        return make_pair(relation, target);
    }
    return checked_pair_slow(world, relation, target, call);
}

// -- relationships ------------------------------------------------------------------------------
// Throws unless the relation can be followed: wildcards cannot.
void check_followed(const world_t* world, entity_t relation, const char* call);
// The length of the longest chain of targets from the entity. Requires: the relationship is
// exclusive or acyclic, otherwise throws.
std::int32_t depth_of(const world_t* world, entity_t entity, entity_t relation);
// The depth of a table's rows. `entity` is the entity of a row, or 0 if the table is empty.
std::int32_t table_depth(const world_t* world, const table_shape& shape, entity_t entity,
                         entity_t relation);
// The first entity that owns the id, or 0: depth first along targets, the entity itself first.
entity_t find_owner(const world_t* world, entity_t entity, entity_t relation, id_t id);
// Reports that walk_up() found more entities than its limit.
[[noreturn]] void raise_too_deep(const world_t* world, entity_t entity, entity_t relation,
                                 std::int32_t limit);
// The state of a kith::traversal.
struct graph_walk;
graph_walk* begin_walk(const world_t* world, entity_t start, entity_t relation);
graph_walk* copy_walk(const graph_walk& walk);
void end_walk(graph_walk* walk) noexcept;
// The next entity and its depth, 0 at the end.
entity_t next_in_walk(graph_walk& walk, std::int32_t& depth);

// Throws if the fields contradict each other.
void check_relation(const world_t* world, const relation_desc& desc);
// Adds the properties of the description to the entity, all or none.
void declare_relation(world_t* world, entity_t entity, const relation_desc& desc);

// -- modules ------------------------------------------------------------------------------------
// Names the module, marks it as one and makes it the scope.
entity_t declare_module(world_t* world, std::uint32_t type, text_view name);
// Calls `construct` in the scope of the module, unless it was imported before.
entity_t import_module(world_t* world, std::uint32_t type, void (*construct)(world_t* world));

// -- values -------------------------------------------------------------------------------------
// The value of an id, inherited ones included; null if there is none. `type` is the component whose
// C++ type the caller expects, 0 for any.
const void* get_value(const world_t* world, entity_t entity, id_t id, std::uint32_t type);
// The value that the entity owns, never an inherited one.
const void* get_own_value(const world_t* world, entity_t entity, id_t id, std::uint32_t type);
// The sparse value of the entity of a row; null if it has none.
void* sparse_value(const world_t* world, const table_shape& shape, std::uint32_t row, id_t id);
// The value that the entity owns. A missing value is added first.
void* ensure_value(world_t* world, entity_t entity, id_t id, std::uint32_t type);
// For snapshots and indexes: values of a table, or own and inherited values of an entity, are about
// to be written. Several threads may tell.
void note_written(world_t* world, const table_shape& shape, id_t id) noexcept;
void note_values_written(world_t* world, entity_t entity) noexcept;
// The same for a reference, by which the entity's value of an id, or that of a base, may be written
// until the epoch of tables changes.
void note_reference(world_t* world, entity_t entity, id_t id) noexcept;
// Adds or assigns a value, and notifies OnSet.
void set_value(world_t* world, entity_t entity, id_t id, std::uint32_t type,
               const value_source& source);
// Constructs a value in place. Throws if the entity has one.
void emplace_value(world_t* world, entity_t entity, id_t id, std::uint32_t type,
                   const value_source& source);
// Copies a value whose type is known by its id alone. Throws if the size is another.
void copy_value(world_t* world, entity_t entity, id_t id, std::size_t size, const void* value);
// Notifies OnSet after a program has written a value.
void notify_set(world_t* world, entity_t entity, id_t id);
// Values that a function of the program writes in one operation.
struct written_values {
    const id_t* ids;
    const std::uint32_t* types;
    void** values;  // filled with the addresses of the values
    std::uint32_t count;
    void (*write)(void* const* values, void* context);
    void* context;
};
void write_values(world_t* world, entity_t entity, const written_values& written);
// Notifies that a value in the entity's table was assigned by inlined code. Requires: the world is
// not deferred, and `position` is that of the component in the shape.
void notify_assigned(world_t* world, entity_t entity, const entity_record& record,
                     const table_shape& shape, std::uint32_t position, void* value);

// -- world-wide ---------------------------------------------------------------------------------
// Deletes all entities with the id.
void delete_with(world_t* world, id_t id);
// Removes the id from all entities.
void remove_all(world_t* world, id_t id);
// The number of entities with an id that matches.
std::size_t count_id(const world_t* world, id_t id);
// True if an entity has a base, so that values may be inherited.
bool has_instances(const world_t* world) noexcept;

// -- deferring ----------------------------------------------------------------------------------
// Begins a deferred part; parts may be nested. True if it is the outermost one.
bool defer_begin(world_t* world);
// Ends a deferred part. The end of the outermost part runs the queue.
bool defer_end(world_t* world);
// Ends one level after an exception: commands still run, their errors are dropped.
void defer_abandon(world_t* world) noexcept;
// Operations are immediate until defer_resume(), which continues the deferred part.
void defer_suspend(world_t* world);
void defer_resume(world_t* world);

// -- components ---------------------------------------------------------------------------------
// Registers the type in this world, below the entities of its C++ namespaces.
entity_t ensure_component(world_t* world, std::uint32_t type);
// Registers the type for a program that names it: with the given name, in the current scope.
entity_t declare_component(world_t* world, std::uint32_t type, text_view name);
// A component defined at run time. The info's name may be null.
entity_t define_component(world_t* world, entity_t entity, const type_info& info);
// Throws if `id` is neither 0 nor the id of the type.
void check_type_id(std::uint32_t type, id_t id);
// The type of the id's values, null for tags.
const type_info* type_of(const world_t* world, id_t id);
// The component whose type the values of `id` have, 0 for tags.
entity_t type_component(const world_t* world, id_t id);

using kith::hook;
using kith::hook_event;
// Replaces the hook of this event. Takes over the context, also when it throws.
void set_hook(world_t* world, entity_t component, entity_t event, hook callback);
// Sets the hook that may refuse values.
void set_validator(world_t* world, entity_t component, hook callback);

// -- enums --------------------------------------------------------------------------------------
struct enum_constant {
    std::int64_t value;
    text_view name;
};
struct enum_desc {
    const enum_constant* constants;  // by ascending value
    std::size_t count;
    // Writes the value as the enum's own type.
    void (*store)(void* value, std::int64_t constant);
};
// Registers an enum with all its constants. The description lives as long as the process.
entity_t ensure_enum(world_t* world, std::uint32_t type, const enum_desc& desc);
// The entity of the constant with this value. Throws if the enum has no such constant.
entity_t enum_constant_entity(world_t* world, std::uint32_t type, const enum_desc& desc,
                              std::int64_t value);
// The value of the constant whose entity has this index, or had it before it was deleted.
std::int64_t constant_number(const world_t* world, std::uint32_t type, std::uint32_t index);
// Bulk creation with columns of enums. The description of a column names its enum, and is null for
// other columns; `read` gives the number of a value.
struct bulk_column {
    id_t id;
    const void* values;
    const enum_desc* constants = nullptr;
    std::int64_t (*read)(const void* values, std::size_t row) = nullptr;
};
// Creates entities as new_bulk() does. The array is valid until the next bulk creation with enums.
const entity_t* new_bulk_with_enums(world_t* world, std::size_t count, const bulk_column* columns,
                                    std::size_t column_count);

// -- names --------------------------------------------------------------------------------------
// Paths are split at `separator`; a path that starts with `root_separator` begins at the root.
entity_t ensure_path(world_t* world, entity_t parent, text_view path, text_view separator,
                     text_view root_separator);
// The entity at the path, 0 if there is none. With `climb`, enclosing scopes and the lookup path
// are searched as well.
entity_t lookup_path(const world_t* world, entity_t parent, text_view path, text_view separator,
                     text_view root_separator, bool climb);
// Looks up a path below an entity.
entity_t lookup_child(const world_t* world, entity_t parent, text_view path, bool climb);
// Looks up a path from the current scope on; throws if there is no such entity.
entity_t require_path(const world_t* world, text_view path);
// An empty text removes the name or alias. A name that a sibling has is an error.
void set_name(world_t* world, entity_t entity, text_view name);
void set_symbol(world_t* world, entity_t entity, text_view symbol);
void set_alias(world_t* world, entity_t entity, text_view alias);
// The name, symbol or alias of an entity (`kind`); empty if it has none.
string_view name_of(const world_t* world, entity_t entity, entity_t kind);
// The path from below `from` to the entity; from the root if `from` is 0.
string path_of(const world_t* world, entity_t from, entity_t entity, text_view separator,
               text_view root_separator);
// Texts of an id and of a list of ids, for messages and str().
string id_text(const world_t* world, id_t id);
string type_text(const world_t* world, const id_t* ids, std::size_t count);
// The scope: the parent of new entities, and the start of lookups. Returns the previous scope.
entity_t set_scope(world_t* world, entity_t scope);
entity_t get_scope(const world_t* world);
// Sets the scope for a while. Returns the previous scope, which close_scope() restores.
entity_t open_scope(world_t* world, entity_t scope);
void close_scope(world_t* world, entity_t previous) noexcept;
// The scopes that lookups search last, ended by 0; not copied. Returns the previous list.
entity_t* set_lookup_path(world_t* world, const entity_t* path);
// New entities get `id` until the matching pop. The stack survives exceptions: pop takes the size
// that push returned.
std::size_t push_with(world_t* world, id_t id);
void pop_with(world_t* world, std::size_t size) noexcept;
// The number of ids that new entities get.
std::size_t with_count(const world_t* world);

// -- reading tables -----------------------------------------------------------------------------
// All ids of an entity. `owned` is set if the caller must release the array by free_ids().
struct id_list {
    const id_t* ids = nullptr;
    std::size_t count = 0;
    bool owned = false;
};
// The ids of an entity, sparse ones included.
id_list ids_of(const world_t* world, entity_t entity, const char* call = "type");
id_list copy_ids(const id_list& list);
void free_ids(const id_list& list) noexcept;

// A part of a table (or of a sparse store: then always one row) that a cursor stands on.
struct batch {
    const entity_t* entities;
    std::uint32_t count;
    void* values;  // null for tags
    id_t id;       // the id that matched
    std::uint32_t table;
    std::uint32_t first_row;
};

// Keeps tables from structural change while something points into their rows. The locks of a thread
// form a list, newest first, which a structural change compares with its tables; iterating writes
// nothing to tables, so any number of threads may do it.
class table_lock;
// A function that runs when a lock has ended. It may destroy its own object.
struct after_lock {
    void (*run)(after_lock& me) noexcept;
    after_lock* next = nullptr;
};
void run_after(after_lock* first) noexcept;
KITH_ONE_PER_PROCESS
[[gnu::tls_model("initial-exec")]] inline constinit thread_local table_lock* open_locks = nullptr;

// Hides from compiler warnings that a pointer to an object on the stack is stored; the destructor
// of the object removes it.
template <class T>
T* hidden(T* pointer) noexcept {
#if defined(__GNUC__)
    asm("" : "+r"(pointer));
#endif
    return pointer;
}

class table_lock {
public:
    // Locks nothing yet. `query` is the query that is being iterated, for messages.
    explicit table_lock(world_t* world, const query_head* query = nullptr) noexcept
        : world_(world), query_(query), older_(open_locks) {
        if (older_) {
            older_->newer_ = this;
        }
        open_locks = hidden(this);
    }
    // Locks a table. With `exclusive`, a second exclusive lock of the table throws.
    table_lock(world_t* world, std::uint32_t table, bool exclusive);
    ~table_lock() {
        (newer_ ? newer_->older_ : open_locks) = older_;
        if (older_) {
            older_->newer_ = newer_;
        }
        if (after_) [[unlikely]] {
            run_after(after_);
        }
    }
    table_lock(const table_lock&) = delete;
    table_lock& operator=(const table_lock&) = delete;

    bool covers(std::uint32_t number) const noexcept;
    // True if sparse values or links of this id are being visited.
    bool covers_sparse(id_t id) const noexcept;
    // True if links of the relationship, with any target, are being visited.
    bool covers_links(entity_t relation) const noexcept;
    bool is_of(const world_t* world) const noexcept { return world_->store == world->store; }
    bool is_exclusive() const noexcept { return exclusive_; }
    const query_head* query() const noexcept { return query_; }
    void add_after(after_lock& added) noexcept {
        added.next = after_;
        after_ = &added;
    }
    void remove_after(const after_lock& removed) noexcept;
    table_lock* older() const noexcept { return older_; }

    // 0: nothing is locked.
    std::uint32_t table = 0;
    std::uint32_t more_count = 0;
    const std::uint32_t* more_tables = nullptr;
    // Ids (or patterns) whose sparse values or links are being visited, 0: none.
    id_t sparse_id = 0;
    const id_t* sparse_ids = nullptr;
    std::uint32_t sparse_count = 0;

private:
    world_t* world_;
    const query_head* query_ = nullptr;
    after_lock* after_ = nullptr;
    table_lock* newer_ = nullptr;
    table_lock* older_ = nullptr;
    bool exclusive_ = false;
};

// Visits the entities with an id, or with an id that a pattern matches, once per match. The table
// or sparse store of the present batch is locked. Implemented in src/core/api/world_each.cpp;
// covered by tests/features/entities/each_test.cpp.
class id_cursor {
public:
    // Prefabs and disabled entities are visited only with `hidden`. With `writes`, the values of a
    // batch count as written when the next batch is asked for.
    id_cursor(world_t* world, id_t pattern, bool hidden, bool writes = false);
    ~id_cursor();

    bool next(batch& result);

private:
    bool find_next(batch& result);
    void mark_written() noexcept;
    bool next_id();
    bool next_table(batch& result);
    bool next_sparse(batch& result);
    bool next_link(batch& result);
    bool accept_link(std::uint32_t relation, entity_t source, std::uint32_t target, batch& result);

    world_t* world_;
    table_lock lock_;
    id_t pattern_;
    id_t id_ = 0;             // the exact id being visited, 0 before the first
    std::uint32_t step_ = 0;  // which of the ids that the pattern stands for comes next
    std::uint32_t at_ = 0;    // which table of the id, or which row of its sparse store, comes next
    std::uint32_t row_ = 0;   // where to go on in a table with disabled rows
    entity_t sparse_entity_ = 0;
    std::uint32_t link_ = 0;  // which relationship with links comes next
    bool hidden_;
    bool writes_;
    bool sparse_ = false;
    bool links_ = false;
    batch last_{};  // that may be written
};

// Visits the entities that have (relation, target), prefabs and disabled entities included. The
// visited table or links are locked.
class source_cursor {
public:
    source_cursor(world_t* world, entity_t relation, entity_t target);

    // The next entities that lie together, null at the end. An entity 0 was deleted meanwhile.
    KITH_ALWAYS_INLINE const entity_t* next(const entity_t*& end) {
        if (ended_) {
            lock_.sparse_id = 0;
            return nullptr;
        }
        return next_span(end);
    }

private:
    const entity_t* next_span(const entity_t*& end);

    world_t* world_;
    table_lock lock_;
    id_t pair_;
    std::uint32_t at_ = 0;  // which table comes next
    bool ended_ = false;    // the links of the target, which lie together, were handed out
};

// Calls `func` for each entity without a target of `relation`, until it returns false. Builtin
// entities are left out.
void each_root(world_t* world, entity_t relation, bool (*func)(entity_t, world_t*, void*),
               void* context);

// The table of an entity, and the position of the next id in it that matches; -1 if there is none.
table_shape* shape_of(const world_t* world, entity_t entity, const char* call = "table");
std::int32_t find_in_shape(const table_shape& shape, id_t id, std::int32_t from);

// A callback takes the value of a pair without a value.
[[noreturn]] void raise_no_pair_value(const world_t* world, entity_t entity, id_t pair);
[[noreturn]] void raise_ref(const world_t* world, entity_t entity, id_t id);
[[noreturn]] void raise_has_constant(const world_t* world, entity_t entity, id_t pair);
[[noreturn]] void raise_no_constant(const world_t* world, entity_t entity, std::uint32_t type);
[[noreturn]] void raise_no_index(std::int32_t index, std::size_t count);
// Throws if `from` is another world than the one that the id is used in; stages of one world are
// the same world.
void check_foreign(const world_t* from, const world_t* used_in, id_t id);
[[noreturn]] void raise_unknown_name(text_view name);
[[noreturn]] void raise_not_a_pair(const world_t* world, id_t id);

}  // namespace kith::detail
