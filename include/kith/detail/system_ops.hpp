// The compiled functions behind systems, pipelines and frames. Internal: programs call the classes
// instead. Implemented in src/schedule/api; src/no_schedule refuses.
#pragma once

#include <kith/detail/query_ops.hpp>
#include <kith/detail/system_layout.hpp>
#include <kith/time.hpp>

namespace kith {

// What a failure of a system does to the frame: the rest is left out and progress() throws; the
// system is disabled; nothing.
enum class on_error : std::uint8_t { stop, disable, proceed };

// Sync points of a pipeline in addition to those that follow from the access of systems: none, at
// the end of each phase, behind each system.
enum class sync : std::uint8_t { declared, phases, systems };

// The way in which a system runs. `alone`: no other system at the same time. `parallel`: one part,
// which may run at the same time as others. `split`: parts by rows. `immediate`: between two sync
// points.
enum class run_way : std::uint8_t { alone, parallel, split, immediate };

// The reason why a system comes behind the one before it in the order of its pipeline.
enum class order_reason : std::uint8_t { first, phase, edge, declaration, order_by };

namespace detail {

// A system that is being built. Its entity exists; the end of the last owner removes an entity that
// was made for it unless make_system() was called.
struct system_draft;
system_draft* begin_system(world_t* world, text_view name);
void share_draft(system_draft* draft) noexcept;
void release_draft(system_draft* draft) noexcept;
entity_t draft_entity(const system_draft* draft) noexcept;
// (Before, target) and the like. A name that is not known becomes an entity.
void add_edge(system_draft* draft, entity_t relation, entity_t target);
void add_edge(system_draft* draft, entity_t relation, text_view target);
// The callback writes values of the id in place, of any entity.
void add_modified(system_draft* draft, id_t id);
// Conditions of runs.
using condition_function = kept_function<bool(world_t*)>;
void add_condition(system_draft* draft, const query_head* query);
void add_condition(system_draft* draft, text_view query);
void add_condition(system_draft* draft, const condition_function& function);
// Throws unless the entity is alive.
entity_t checked_subject(world_t* world, entity_t entity, const char* call);

// Settings of a system that builders collect.
struct system_settings {
    entity_t phase = 0;
    bool has_phase = false;  // `phase` was given, even if it is 0
    bool parallel = false;
    bool split = false;
    bool main_thread = false;
    bool immediate = false;
    bool barrier = false;
    bool if_changed = false;
    kith::on_error on_error = kith::on_error::stop;
    std::int32_t part_rows = 0;  // 0: by the size of rows
    void* context = nullptr;
    ctx_free_t free_context = nullptr;
};
// The system owns the action, also if the call throws.
entity_t make_system(system_draft* draft, const query_desc& terms, const system_settings& settings,
                     system_action action);
// An action that calls the function, which calls the inner one by iter::call(). Owns both.
system_action wrap_action(const kept_function<void(iter_t*)>& function, const system_action& inner);
[[noreturn]] void raise_null_callback();
// Throws if the number is negative, or less than `least`.
std::int32_t checked_rows(std::int32_t rows, const char* call, std::int32_t least);

// A run of a system outside of its pipeline.
struct system_request {
    float delta_time = 0;
    void* param = nullptr;
    std::int32_t offset = 0;
    std::int32_t limit = -1;  // -1: all rows
    std::int32_t share = 0;
    std::int32_t shares = 1;
    world_t* stage = nullptr;  // null: that of the handle
};
void run_system(world_t* world, entity_t system, const system_request& request);
// The number of exceptions that are under way on this thread.
int exceptions_under_way() noexcept;

void* system_context(const world_t* world, entity_t system);
void set_system_context(world_t* world, entity_t system, void* context);
// The caller shares the query.
query_head* system_query(const world_t* world, entity_t system);
enum class system_switch : std::uint8_t { parallel, split };
void set_system_switch(world_t* world, entity_t system, system_switch which, bool value);
void set_system_policy(world_t* world, entity_t system, on_error policy);
void set_system_group(world_t* world, entity_t system, std::uint64_t group);

// Pipelines. `entity` 0: a new entity.
entity_t make_pipeline(world_t* world, entity_t entity, const query_desc& terms, sync points);
void set_pipeline(world_t* world, entity_t pipeline);
entity_t get_pipeline(const world_t* world);
void check_pipeline(const world_t* world, entity_t pipeline, const char* call);
void run_pipeline(world_t* world, entity_t pipeline, float delta_time);
bool progress(world_t* world, float delta_time);
bool progress(world_t* world, nanoseconds delta_time);

// The first failure of a system; `count` 0: there was none.
struct failure_info {
    entity_t system = 0;
    std::int64_t frame = 0;
    std::int32_t count = 0;
    const char* message = "";
};
failure_info last_failure(const world_t* world);
void watch_schedule(world_t* world, bool watched);

}  // namespace detail
}  // namespace kith
