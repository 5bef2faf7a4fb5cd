// Members that functions read and write (function_members.hpp).
#include "function_members.hpp"

#include <kith/detail/assert.hpp>

#include "raise.hpp"
#include "runtime_life.hpp"

#include <utility>

namespace kith::values {

namespace {

const function_members& members_behind(const description& type) noexcept {
    KITH_ASSERT(has_function_members(type), "functions read members of the type");
    return *static_cast<const function_members*>(type.context);
}

// The struct of all members is made for the call.
void represent_members(const description& type, const void* value, void (*use)(void*, const void*),
                       void* context) {
    const function_members& members = members_behind(type);
    const value_box shown(members.shown.life);
    for (std::size_t i = 0; i < members.sources.size(); ++i) {
        const function_members::source& from = members.sources[i];
        const member_info& member = members.shown.member_list[i];
        void* part = part_at(shown.get(), member.offset);
        if (from.functions) {
            from.functions->get(from.functions->functions, value, part);
        } else {
            assign_copy(member.type->life, part, part_at(value, from.offset));
        }
    }
    use(context, shown.get());
}

// Members that can only be read are passed over: a saved value has them, too.
void assign_members(const description& type, void* value, const void* representation) {
    const function_members& members = members_behind(type);
    KITH_ASSERT(value && representation, "a representation is written into a value");
    for (std::size_t i = 0; i < members.sources.size(); ++i) {
        const function_members::source& to = members.sources[i];
        const member_info& member = members.shown.member_list[i];
        const void* part = part_at(representation, member.offset);
        if (!to.functions) {
            assign_copy(member.type->life, part_at(value, to.offset), part);
        } else if (to.functions->set) {
            to.functions->set(to.functions->functions, value, part);
        }
    }
}

constexpr value_ops member_function_ops = [] {
    value_ops ops;
    ops.represent = represent_members;
    ops.assign = assign_members;
    return ops;
}();

void check_new_name(const description_node& node, const std::vector<member_info>& list,
                    const char* name) {
    for (const member_info& known : list) {
        if (std::string_view(known.name) == name) {
            raise(errc::already_exists,
                  std::string(node.life.name) + " has a member '" + name + "' already");
        }
    }
}

void append_shown(function_members& members, member_info member, function_members::source&& from) {
    lay_out_member(members.shown, member);
    members.sources.push_back(std::move(from));
    members.shown.add_member(member);
    finish_runtime_type(members.shown);
}

// The struct with the members that the node has so far.
std::shared_ptr<function_members> members_of_struct(const description_node& node) {
    auto made = std::make_shared<function_members>();
    made->shown.what = kind::structure;
    made->shown.set_name(node.life.name);
    made->shown.at_run_time = true;
    for (const member_info& member : node.member_list) {
        append_shown(*made, member, {member.offset, nullptr});
    }
    return made;
}

void become_opaque(description_node& node, std::shared_ptr<function_members> members) {
    node.functions = std::move(members);
    node.what = kind::opaque;
    node.element = &node.functions->shown;
    node.ops = &member_function_ops;
    node.context = node.functions.get();
}

}  // namespace

std::shared_ptr<const detail::function_member> own_functions(
    const detail::function_member& member) {
    struct guard {
        const detail::function_member& member;
        bool owns = true;
        ~guard() {
            if (owns) {
                member.free(member.functions);
            }
        }
    } kept{member};
    auto copy = std::make_unique<detail::function_member>(member);
    kept.owns = false;
    return {copy.release(), [](const detail::function_member* owned) {
                owned->free(owned->functions);
                delete owned;
            }};
}

void add_function_member(description_node& node,
                         std::shared_ptr<const detail::function_member> functions) {
    check_new_name(node, described_members(node), functions->name);
    if (functions->type->what == kind::none) {
        raise(errc::invalid_type, std::string(node.life.name) + "." + functions->name + ": " +
                                      functions->type->life.name + " has no description");
    }
    std::shared_ptr<function_members> members =
        node.functions ? node.functions : members_of_struct(node);
    member_info member;
    member.name = node.keep(functions->name);
    member.type = functions->type;
    member.read_only = functions->set == nullptr;
    append_shown(*members, member, {0, std::move(functions)});
    become_opaque(node, std::move(members));
}

void show_member(description_node& node, const member_info& member) {
    KITH_ASSERT(node.functions, "the type has function members");
    append_shown(*node.functions, member, {member.offset, nullptr});
}

void copy_function_members(description_node& node, const description& from) {
    const function_members& known = members_behind(from);
    auto made = std::make_shared<function_members>();
    made->shown.what = kind::structure;
    made->shown.set_name(node.life.name);
    made->shown.at_run_time = true;
    for (std::size_t i = 0; i < known.sources.size(); ++i) {
        member_info member = known.shown.member_list[i];
        append_shown(*made, member, function_members::source(known.sources[i]));
        if (!known.sources[i].functions) {
            member.offset = known.sources[i].offset;
            node.add_member(member);
        }
    }
    become_opaque(node, std::move(made));
}

bool has_function_members(const description& type) noexcept {
    return type.ops == &member_function_ops;
}

std::vector<member_info>& described_members(description_node& node) noexcept {
    return node.functions ? node.functions->shown.member_list : node.member_list;
}

void attributes_changed(description_node& node, std::size_t index) noexcept {
    if (!node.functions || node.functions->sources[index].functions) {
        return;
    }
    const member_info& changed = node.functions->shown.member_list[index];
    for (member_info& member : node.member_list) {
        if (std::string_view(member.name) == changed.name) {
            const std::uint32_t offset = member.offset;
            member = changed;
            member.offset = offset;
        }
    }
}

}  // namespace kith::values
