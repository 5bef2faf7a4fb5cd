// Values inside of worlds as text (include/kith/detail/value_text.hpp).
#include <kith/detail/ops.hpp>
#include <kith/detail/value_text.hpp>

#include "assign.hpp"
#include "json_input.hpp"
#include "life.hpp"
#include "literal.hpp"
#include "member_defaults.hpp"
#include "raise.hpp"
#include "text_writer.hpp"
#include "type_library.hpp"

#include <algorithm>
#include <unordered_set>

namespace kith {

namespace values {

namespace {

// True if a value of the type can hold an entity. Types may contain themselves through lists:
// `seen` ends the search.
bool finds_entities(const world_t* world, const description* described,
                    std::unordered_set<const description*>& seen) {
    if (!described) {
        return false;
    }
    const description& type = detail::in_world(world, *described);
    if (!seen.insert(&type).second) {
        return false;
    }
    return type.what == kind::entity || finds_entities(world, type.element, seen) ||
           finds_entities(world, type.key, seen) ||
           std::any_of(type.begin(), type.end(), [&](const member_info& member) {
               return finds_entities(world, member.type, seen);
           });
}

}  // namespace

}  // namespace values

namespace detail {

value_fault scan_value(std::string_view text, std::size_t& at) {
    values::literal read;
    values::literal_fault fault = values::read_literal(text, at, read);
    return {fault.at, std::move(fault.message)};
}

// `place` is written by the guard also if the literal is refused, since the caller shows it in the
// message.
void set_value_of_text(world_t* world, entity_t entity, id_t id, std::string_view text,
                       std::size_t at, const value_names& names, syntax::span& place) {
    const description& type = require_description(world, id);
    if (names.is_json && values::set_plain_json(world, entity, id, type, text.substr(at))) {
        return;
    }
    values::literal read;
    if (names.is_json) {
        syntax::json_reader reader(text.substr(at), values::limits_of({}));
        read = values::literal_of_json(reader, reader.next());
    } else if (values::literal_fault fault = values::read_literal(text, at, read)) {
        place = fault.at;
        values::raise(fault.is_limit ? errc::limit : errc::invalid_text, fault.message);
    }
    values::assignment state;
    state.world = world;
    state.find = names.find;
    state.context = names.context;
    state.is_json = names.is_json;
    state.path = type.life.name;
    state.place = read.at;
    struct guard {
        const values::assignment& from;
        syntax::span& place;
        ~guard() { place = from.place; }
    } placed{state, place};
    const void* present = get_value(world, entity, id, 0);
    if (!present) {
        values::raise(errc::missing_component, std::string(id_text(world, entity).c_str()) +
                                                   " has lost " + id_text(world, id).c_str() +
                                                   " before its value was set");
    }
    values::value_box copy(type.life, present);
    if (names.is_made) {
        values::assign_defaults(world, type, copy.get());
    }
    values::assign_literal(state, type, copy.get(), read);
    state.place = read.at;
    values::set_box(world, entity, id, copy);
}

bool add_plain_json(world_t* world, entity_t entity, id_t id, std::string_view text) {
    const entity_t component = type_component(world, id);
    const description* type = component ? find_description(world, component) : nullptr;
    return type && type->what != kind::none &&
           values::set_plain_json(world, entity, id, *type, text);
}

void set_defaults_of_text(world_t* world, entity_t entity, id_t id) {
    const entity_t component = type_component(world, id);
    const description* type =
        component && values::find_library(world) ? find_description(world, component) : nullptr;
    const void* present =
        type && values::has_defaults(world, *type) ? get_own_value(world, entity, id, 0) : nullptr;
    if (present) {
        values::value_box copy(type->life, present);
        values::assign_defaults(world, *type, copy.get());
        values::set_box(world, entity, id, copy);
    }
}

void append_quoted_text(std::string& out, std::string_view text) {
    values::append_quoted(out, text);
}

void append_value_text(std::string& out, const world_t* world, const description& type,
                       const void* value,
                       bool (*append)(void* context, entity_t entity, std::string& out),
                       void* context) {
    values::text_style style;
    style.world = world;
    style.append_entity = append;
    style.context = context;
    values::append_value(out, style, type, value);
}

bool has_entities(const world_t* world, const description& type) {
    std::unordered_set<const description*> seen;
    return values::finds_entities(world, &type, seen);
}

}  // namespace detail

}  // namespace kith
