// The implementation of a world: a stage with the store, the registry of events, names, caches of
// queries, observers and monitors. world.cpp creates and destroys it; the other files of api/
// implement the functions behind the handles with it.
#pragma once

#include <kith/detail/stage_ops.hpp>
#include <kith/world.hpp>

#include "api/world_list.hpp"
#include "containers/small_vec.hpp"
#include "mutate/context/stage.hpp"
#include "mutate/state/capture_state.hpp"
#include "names/name_index.hpp"
#include "observe/monitor/monitor_list.hpp"
#include "observe/observer/observer_set.hpp"
#include "observe/table_events.hpp"
#include "query/compiled_query.hpp"

#include <atomic>
#include <memory>

namespace kith::storage {
class value_indexes;
}

namespace kith::api {

// The constants of an enum that is registered in this world.
struct enum_entry {
    const detail::enum_desc* desc;
    entity_t* constants;  // by position in the description
    std::size_t count;
};

// A pointer of the program with a function that frees it.
struct user_pointer {
    void* context = nullptr;
    ctx_free_t free_context = nullptr;

    void set(void* added, ctx_free_t free_added) noexcept {
        release();
        context = added;
        free_context = free_added;
    }
    void release() noexcept {
        if (free_context && context) {
            free_context(context);
        }
        context = nullptr;
    }
};

// The pointers that the program and its binding to another language keep in a world.
struct user_pointers {
    user_pointer program;
    user_pointer binding;
};

// Types that were imported as modules, or are being imported.
struct module_list {
    explicit module_list(containers::memory& owner) noexcept : mem(owner) {}
    ~module_list() { list.release(mem, containers::purpose::index); }
    module_list(const module_list&) = delete;
    module_list& operator=(const module_list&) = delete;

    containers::memory& mem;
    containers::vec<std::uint32_t> list;
};

// The parts that a stage refers to. They are a base class, so that they are constructed before the
// stage and destroyed after it.
struct world_parts {
    explicit world_parts(const world_memory* memory)
        : data(memory), event_registry(data), names(data.mem) {}
    // Values include names, so they are destroyed before the index; also if the world's
    // constructor throws.
    ~world_parts() { data.destroy_values(); }
    storage::store data;
    events::registry event_registry;
    names::name_index names;
};

// The stages of a world, see stage_set.hpp. The deleter is compiled where the class is known.
class stage_set;
struct stage_set_deleter {
    void operator()(stage_set* set) const noexcept;
};

// The object by which queries refer to their world. It is shared, and its pointer becomes null when
// the world ends.
detail::weak_world* make_link();

// A world. Public handles point to its base class world_t.
struct world_impl : private world_parts, mutate::stage {
    explicit world_impl(const world_memory* memory);
    ~world_impl();
    // Calls the group functions of queries for the last time, while the world can be read.
    void end_groups() noexcept;
    // Detaches the queries from the world. They stay in memory, and raise an error when they are
    // used.
    void end_queries() noexcept;

    using mutate::stage::data;
    using world_parts::names;

    containers::vec<enum_entry> enums;  // by type id
    module_list modules{data.mem};
    queries::cache_registry caches{data};
    queries::ancestor_caches memos{data};  // shared by all queries
    queries::parameter_indexes argument_lists;
    queries::compiled_query* listed_queries = nullptr;  // queries with a cache or an order
    queries::planned_queries planned;
    observe::observer_set observers{*this};
    observe::table_events made_tables{*this};
    detail::weak_world* link = nullptr;  // shared with queries
    observe::monitor_list monitors{*this};
    const entity_t* lookup_path = nullptr;
    containers::vec<entity_t> bulk_entities;  // of the last bulk creation with enums
    user_pointers contexts;
    std::atomic<detail::world_extension*> extension = nullptr;  // owned; null: there are no systems
    std::unique_ptr<mutate::capture_memory> captures;           // null until a snapshot is taken
    std::unique_ptr<stage_set, stage_set_deleter> stages;       // null: only the world itself
    listed_world place_in_list{*this};
    bool is_spent = false;  // the contents have moved to another world, and end without notice
};

// The world behind a handle. Throws for handles without a world.
inline world_impl& impl_of(world_t* world) {
    return static_cast<world_impl&>(*mutate::stage_of(world).home);
}
inline const world_impl& impl_of(const world_t* world) {
    return static_cast<const world_impl&>(*mutate::stage_of(world).home);
}
inline world_impl& impl_of(mutate::stage& owner) noexcept {
    return static_cast<world_impl&>(*owner.home);
}
inline const world_impl& impl_of(const mutate::stage& owner) noexcept {
    return static_cast<const world_impl&>(*owner.home);
}

// The parent of a live entity, 0 if it has none.
entity_t parent_of(const mutate::stage& owner, entity_t entity) noexcept;

// The elements of a path that had to be created.
using path_elements = containers::small_vec<entity_t, 8>;

// Runs operations immediately even while the world is deferred. Used for registrations, whose
// results the caller needs at once.
class immediate_scope {
public:
    explicit immediate_scope(mutate::stage& owner) noexcept
        : owner_(owner),
          depth_(owner.queue.depth),
          flushing_(owner.queue.flushing),
          scope_(owner.creation.scope) {
        owner_.queue.depth = 0;
        // A set `flushing` keeps these operations from running the queue.
        owner_.queue.flushing = true;
        owner_.creation.scope = 0;
        std::swap(owner_.creation.with, with_);
        // Errors of the operations around this scope are thrown by them.
        std::swap(owner_.operation.failed, failed_);
        mutate::update_mode(owner_);
    }
    ~immediate_scope() {
        owner_.queue.depth = depth_;
        owner_.queue.flushing = flushing_;
        owner_.creation.scope = scope_;
        std::swap(owner_.creation.with, with_);
        // Callbacks of these operations may have used a list of their own.
        with_.release(owner_.data.mem, containers::purpose::commands);
        std::swap(owner_.operation.failed, failed_);
        mutate::update_mode(owner_);
        if (owner_.operation.batch_open) {
            mutate::begin_defer(owner_);
            mutate::abandon_defer(owner_);
        }
    }
    immediate_scope(const immediate_scope&) = delete;
    immediate_scope& operator=(const immediate_scope&) = delete;

private:
    mutate::stage& owner_;
    std::uint32_t depth_;
    bool flushing_;
    entity_t scope_;
    containers::vec<id_t> with_;
    std::exception_ptr failed_;
};

}  // namespace kith::api

namespace kith::detail {

// Finds or creates the entity at the path. Appends the created entities to `elements`.
entity_t ensure_path(mutate::stage& owner, entity_t parent, text_view path, text_view separator,
                     text_view root_separator, api::path_elements& elements);
// Looks up a path from the root, without pending names.
entity_t lookup_stored(const world_t* world, text_view path, text_view separator);

// The indexes on values of a world, which exist from the first call on.
storage::value_indexes& ensure_indexes(mutate::stage& owner);

}  // namespace kith::detail
