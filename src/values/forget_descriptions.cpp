// Descriptions of one world that end with their library (include/kith/detail/forget_ops.hpp).
#include <kith/detail/forget_ops.hpp>

#include "forgotten_nodes.hpp"
#include "function_members.hpp"
#include "type_library.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace kith {

namespace values {

namespace {

bool reads_by(const function_members& members, const detail::code_range& range) noexcept {
    return std::any_of(members.sources.begin(), members.sources.end(), [&](const auto& source) {
        const detail::function_member* functions = source.functions.get();
        return functions && (range.contains(functions->get) || range.contains(functions->set) ||
                             range.contains(functions->free));
    });
}

// True if the type is of the library, or has parts that are.
bool leads_into(const description* type, const detail::code_range& range,
                std::unordered_set<const description*>& seen) {
    if (!type || !seen.insert(type).second) {
        return false;
    }
    return is_of_library(static_cast<const description_node&>(*type), range) ||
           leads_into(type->element, range, seen) || leads_into(type->key, range, seen) ||
           std::any_of(type->begin(), type->end(), [&](const member_info& member) {
               return leads_into(member.type, range, seen);
           });
}

// The functions of values of a forgotten type. There are no values, so that results are empty.
constexpr value_ops no_values_ops = [] {
    value_ops ops;
    ops.text = [](const description&, const void*) { return text_view(); };
    ops.assign_text = [](const description&, void*, text_view) { return false; };
    ops.entity = [](const description&, const void*) { return entity_t{0}; };
    ops.assign_entity = [](const description&, void*, world_t*, entity_t) {};
    ops.size = [](const description&, const void*) { return std::size_t{0}; };
    ops.each = [](const description&, const void*, void (*)(void*, const void*, const void*),
                  void*) {};
    ops.find = [](const description&, void*, const void*) -> void* { return nullptr; };
    ops.erase = [](const description&, void*, const void*) { return false; };
    ops.clear = [](const description&, void*) {};
    ops.inner = [](const description&, void*) -> void* { return nullptr; };
    ops.which = [](const description&, const void*) { return -1; };
    ops.represent = [](const description&, const void*, void (*)(void*, const void*), void*) {};
    ops.assign = [](const description&, void*, const void*) {};
    return ops;
}();

}  // namespace

bool is_of_library(const description_node& node, const detail::code_range& range) noexcept {
    return detail::is_handled_in(node.life, range) || is_read_by(node, range);
}

bool is_read_by(const description_node& node, const detail::code_range& range) noexcept {
    return range.contains(node.ops) ||
           (node.ops &&
            (range.contains(node.ops->represent) || range.contains(node.ops->assign))) ||
           range.contains(node.validate) || range.contains(node.validate_context) ||
           range.contains(node.context) || range.contains(node.type_id) ||
           (node.functions && reads_by(*node.functions, range));
}

bool has_part_of(const description_node& node, const detail::code_range& range) {
    std::unordered_set<const description*> seen{&node};
    return leads_into(node.element, range, seen) || leads_into(node.key, range, seen) ||
           std::any_of(node.begin(), node.end(), [&](const member_info& member) {
               return leads_into(member.type, range, seen);
           });
}

void forget_node(description_node& node) noexcept {
    node.was = node.what != kind::none ? node.what : node.was;
    node.what = kind::none;
    node.obstacle = "the library of the type was unloaded";
    const type_info life = node.life;
    node.life = {};
    node.life.name = life.name;
    node.life.size = life.size;
    node.life.alignment = life.alignment;
    node.ops = node.ops ? &no_values_ops : nullptr;
    node.validate = nullptr;
    node.validate_context = nullptr;
    node.context = nullptr;
    node.type_id = nullptr;
    node.defaults.clear();
    node.functions.reset();
}

bool is_forgotten_form(const description_node& forgotten, const description& made) noexcept {
    if (forgotten.what != kind::none || forgotten.was != made.what ||
        std::string_view(forgotten.life.name) != made.life.name ||
        forgotten.number != made.number || forgotten.count != made.count ||
        forgotten.life.size != made.life.size || !forgotten.element != !made.element ||
        !forgotten.members != !made.members) {
        return false;
    }
    for (std::uint32_t i = 0; made.constants && i < made.count; ++i) {
        if (!forgotten.constants || forgotten.constants[i].value != made.constants[i].value ||
            std::string_view(forgotten.constants[i].name) != made.constants[i].name) {
            return false;
        }
    }
    for (std::uint32_t i = 0; made.members && i < made.count; ++i) {
        const member_info& left = forgotten.members[i];
        const member_info& right = made.members[i];
        if (left.offset != right.offset || std::string_view(left.name) != right.name ||
            std::string_view(left.type->life.name) != right.type->life.name) {
            return false;
        }
    }
    return true;
}

void revive_node(description_node& node, const description& made) noexcept {
    const char* name = node.life.name;
    node.life = made.life;
    node.life.name = name;
    node.what = made.what;
    node.obstacle = nullptr;
    node.ops = made.ops;
    node.validate = made.validate;
    node.validate_context = made.validate_context;
    node.context = made.context;
    node.type_id = made.type_id;
}

}  // namespace values

namespace detail {

entity_t find_declared_user(world_t* world, const forgotten_types& ending) {
    values::type_library* library = values::find_library(world);
    if (!library) {
        return 0;
    }
    entity_t user = 0;
    library->plan_end([&](const values::description_node& node) {
        const bool ends =
            is_alive(world, node.component) &&
            (ending.contains(node.component) || values::is_read_by(node, ending.range) ||
             values::has_part_of(node, ending.range));
        user = ends && node.at_run_time ? node.component : user;
        return ends;
    });
    return user;
}

void forget_descriptions(world_t* world, const forgotten_types& ending) noexcept {
    values::type_library* library = values::find_library(world);
    if (!library) {
        return;
    }
    library->end_planned(values::forget_node);
    library->release_calls(ending.range);
    library->note_change();
    // Types that go on may have other functions now.
    library->each([&](values::description_node& node) {
        const type_info* type = find_type(index_of(node.component));
        if (type && is_handled_in(node.life, ending.range)) {
            const char* name = node.life.name;
            node.life = *type;
            node.life.name = name;
        }
    });
}

}  // namespace detail

}  // namespace kith
