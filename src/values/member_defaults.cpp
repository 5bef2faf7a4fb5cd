// Defaults that members are declared with (member_defaults.hpp).
#include "member_defaults.hpp"

#include <kith/detail/assert.hpp>
#include <kith/value.hpp>

#include "assign.hpp"
#include "component_types.hpp"
#include "function_members.hpp"
#include "raise.hpp"
#include "runtime_life.hpp"

#include <algorithm>

namespace kith {

namespace values {

// Members of types without C++ type have their defaults already.
void assign_defaults(const world_t* world, const description& described, void* value) {
    KITH_ASSERT(value, "defaults are written into a value");
    const description& type = detail::in_world(world, described);
    if (type.at_run_time || (type.what != kind::structure && !has_function_members(type))) {
        return;
    }
    for (const member_info& member : type) {
        void* part = part_at(value, member.offset);
        if (member.attributes && member.attributes->default_value) {
            assign_copy(member.type->life, part, member.attributes->default_value);
        } else {
            assign_defaults(world, *member.type, part);
        }
    }
}

bool has_defaults(const world_t* world, const description& described) {
    const description& type = detail::in_world(world, described);
    return !type.at_run_time && (type.what == kind::structure || has_function_members(type)) &&
           std::any_of(type.begin(), type.end(), [&](const member_info& member) {
               return (member.attributes && member.attributes->default_value) ||
                      has_defaults(world, *member.type);
           });
}

namespace {

// A type without C++ type makes its values by its description, so that the world must define it
// anew. The guard takes a default back that the world refuses.
void use_default(world_t* world, entity_t component, description_node& node, member_info& member,
                 value_box&& value) {
    member_attributes& attributes = node.attributes_of(member);
    struct guard {
        description_node& node;
        member_attributes& attributes;
        const void* before;
        bool done = false;
        ~guard() {
            if (!done) {
                attributes.default_value = before;
                node.defaults.pop_back();
            }
        }
    };
    node.defaults.push_back(std::move(value));
    guard change{node, attributes, attributes.default_value};
    attributes.default_value = node.defaults.back().get();
    if (node.at_run_time) {
        finish_runtime_type(node);
        define_type(world, component, *find_library(world), node);
    }
    change.done = true;
}

}  // namespace

}  // namespace values

namespace detail {

void set_member_default(world_t* world, entity_t component, const value_argument& from) {
    values::change_member(world, component,
                          [&](values::description_node& node, member_info& member) {
                              const description& type = in_world(world, *member.type);
                              values::value_box value(type.life);
                              write_part(world, {&type, value.get(), nullptr}, {}, from);
                              values::assignment state;
                              state.path = std::string(node.life.name) + "." + member.name;
                              values::check_range(state, member, value.get());
                              values::use_default(world, component, node, member, std::move(value));
                          });
}

}  // namespace detail

}  // namespace kith
