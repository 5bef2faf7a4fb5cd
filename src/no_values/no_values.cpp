// Refuses descriptions in programs that link the core alone; linked in place of src/values.
#include <kith/component.hpp>
#include <kith/description.hpp>
#include <kith/detail/described_values.hpp>
#include <kith/detail/forget_ops.hpp>
#include <kith/detail/json_ops.hpp>
#include <kith/detail/order.hpp>
#include <kith/detail/type_takeover.hpp>
#include <kith/detail/value_index.hpp>
#include <kith/detail/value_test.hpp>
#include <kith/doc.hpp>
#include <kith/error.hpp>

namespace kith::detail {

namespace {

[[noreturn]] void raise_no_values() {
    raise_error(
        errc::invalid_operation,
        "this program was linked with kith::core, which describes no types; link kith::kith");
}

}  // namespace

const description* ensure_description(const description**, const type_source&) {
    raise_no_values();
}
void attach_description(std::uint32_t, const description&) {
    raise_no_values();
}
const description* find_description(const world_t*, entity_t) {
    return nullptr;
}
entity_t find_declared_user(world_t*, const forgotten_types&) {
    return 0;
}
void forget_descriptions(world_t*, const forgotten_types&) noexcept {}
void forget_descriptions(const code_range&) noexcept {}
// Types without descriptions are never compared.
void check_same_layout(const description&, const description&) {
    raise_no_values();
}
void make_converted(const description&, void*, const description&, const void*) {
    raise_no_values();
}
void assign_converted(const description&, void*, const description&, const void*) {
    raise_no_values();
}
bool adopt_description(world_t*, entity_t, std::uint32_t) {
    raise_no_values();
}
void return_description(world_t*, entity_t, std::uint32_t, bool) noexcept {}
void add_member(world_t*, entity_t, const new_member&) {
    raise_no_values();
}
void add_constant(world_t*, entity_t, const char*, std::int64_t, bool) {
    raise_no_values();
}
void set_attribute(world_t*, entity_t, attribute, double, double, const char*) {
    raise_no_values();
}
void select_member(world_t*, entity_t, const char*) {
    raise_no_values();
}
void add_function_member(world_t*, entity_t, const function_member& member) {
    member.free(member.functions);
    raise_no_values();
}
void add_base(world_t*, entity_t, const description&, std::size_t) {
    raise_no_values();
}
void ignore_member(world_t*, entity_t, const description&, std::size_t) {
    raise_no_values();
}
void set_member_unit(world_t*, entity_t, entity_t) {
    raise_no_values();
}
void set_handle_policy(world_t*, entity_t, entity_t) {
    raise_no_values();
}
void each_dangling(world_t*, void (*)(void*, entity_t, id_t, const char*, entity_t), void*) {
    raise_no_values();
}
entity_t ensure_member_entity(world_t*, entity_t, const char*) {
    raise_no_values();
}
void set_doc(world_t*, entity_t, entity_t, text_view) {
    raise_no_values();
}
const char* find_doc(const world_t*, entity_t, entity_t) {
    return nullptr;
}
entity_t compose_type(world_t*, char, const entity_t*, std::size_t, std::int32_t) {
    raise_no_values();
}
string value_to_json(world_t*, entity_t, const void*) {
    raise_no_values();
}
string world_to_table_json(world_t*) {
    raise_no_values();
}
string entity_to_table_json(world_t*, entity_t, const entity_to_json_desc_t*) {
    raise_no_values();
}
string results_to_table_json(void*, iter* (*)(void*), const iter_to_json_desc_t*) {
    raise_no_values();
}
const char* value_from_json(world_t*, entity_t, void*, const char*, const from_json_desc_t*) {
    raise_no_values();
}
const char* world_from_table_json(world_t*, const char*, const from_json_desc_t*) {
    raise_no_values();
}
const char* entity_from_table_json(world_t*, entity_t, const char*) {
    raise_no_values();
}
void set_json_value(world_t*, entity_t, id_t, const char*, const from_json_desc_t*) {
    raise_no_values();
}
int compare_described(const described_value&, const void*) {
    return -1;
}
bool append_described(std::string&, value_form, const described_value&, append_entity_name, void*) {
    return false;
}
bool each_changed_part(const described_value&, const void*, value_form, append_entity_name, void*,
                       visit_changed_part, void*) {
    return false;
}
void append_json_string(std::string&, std::string_view) {
    raise_no_values();
}
const value_test* make_value_test(const value_request&, value_refusal& refusal) {
    refusal.message =
        "this program was linked with kith::core, which compares no values; link kith::kith";
    return nullptr;
}
value_key* make_value_key(world_t*, entity_t, const indexed_member&, index_kind) {
    raise_no_values();
}
kind find_compared_kind(const world_t*, entity_t, const char*, comparison) {
    return kind::none;
}
bool is_compared_as_whole(const world_t*, entity_t) {
    return false;
}
std::string constant_text(std::uint64_t, bool) {
    raise_no_values();
}
std::string constant_text(double) {
    raise_no_values();
}
std::string constant_text(text_view) {
    raise_no_values();
}
std::string constant_text_of_entity(entity_t) {
    raise_no_values();
}
void add_orders(world_t*, text_view, order_list&) {
    raise_no_values();
}

}  // namespace kith::detail
