// What the core has in the place of src/schedule, where that is left out: systems, pipelines and
// frames are refused.
#include <kith/detail/event_ops.hpp>
#include <kith/detail/system_ops.hpp>
#include <kith/error.hpp>
#include <kith/schedule.hpp>

namespace kith::detail {

namespace {

[[noreturn]] void refuse() {
    raise_error(errc::invalid_operation,
                "this program was linked with kith::core, which has no systems; link kith::kith");
}

}  // namespace

system_draft* begin_system(world_t*, text_view) {
    refuse();
}
void share_draft(system_draft*) noexcept {}
void release_draft(system_draft*) noexcept {}
entity_t draft_entity(const system_draft*) noexcept {
    return 0;
}
void add_edge(system_draft*, entity_t, entity_t) {
    refuse();
}
void add_edge(system_draft*, entity_t, text_view) {
    refuse();
}
void add_modified(system_draft*, id_t) {
    refuse();
}
void add_condition(system_draft*, const query_head*) {
    refuse();
}
void add_condition(system_draft*, text_view) {
    refuse();
}
void add_condition(system_draft*, const condition_function&) {
    refuse();
}
entity_t checked_subject(world_t*, entity_t, const char*) {
    refuse();
}
entity_t make_system(system_draft*, const query_desc&, const system_settings&, system_action) {
    refuse();
}
system_action wrap_action(const kept_function<void(iter_t*)>&, const system_action&) {
    refuse();
}
void raise_null_callback() {
    refuse();
}
std::int32_t checked_rows(std::int32_t, const char*, std::int32_t) {
    refuse();
}
void run_system(world_t*, entity_t, const system_request&) {
    refuse();
}
int exceptions_under_way() noexcept {
    return 0;
}
void* system_context(const world_t*, entity_t) {
    refuse();
}
void set_system_context(world_t*, entity_t, void*) {
    refuse();
}
query_head* system_query(const world_t*, entity_t) {
    refuse();
}
void set_system_switch(world_t*, entity_t, system_switch, bool) {
    refuse();
}
void set_system_policy(world_t*, entity_t, on_error) {
    refuse();
}
void set_system_group(world_t*, entity_t, std::uint64_t) {
    refuse();
}
bool next_result(const world_t*, const event_info*, result&) {
    refuse();
}
void call_inner(world_t*, const query_head*, const event_info*, const result&) {
    refuse();
}
entity_t make_pipeline(world_t*, entity_t, const query_desc&, sync) {
    refuse();
}
void set_pipeline(world_t*, entity_t) {
    refuse();
}
entity_t get_pipeline(const world_t*) {
    refuse();
}
void check_pipeline(const world_t*, entity_t, const char*) {
    refuse();
}
void run_pipeline(world_t*, entity_t, float) {
    refuse();
}
bool progress(world_t*, float) {
    refuse();
}
bool progress(world_t*, nanoseconds) {
    refuse();
}
failure_info last_failure(const world_t*) {
    return {};
}
void watch_schedule(world_t*, bool) {
    refuse();
}

std::int32_t schedule_size(world_t*, entity_t) {
    refuse();
}
schedule_entry schedule_at(world_t*, entity_t, std::int32_t) {
    refuse();
}
string explain_schedule(world_t*, entity_t) {
    refuse();
}
string explain_order(world_t*, entity_t, entity_t, entity_t) {
    refuse();
}
void each_ambiguity(world_t*, entity_t, visit_pair, void*) {
    refuse();
}
void each_missing(world_t*, visit_pair, void*) {
    refuse();
}

}  // namespace kith::detail
