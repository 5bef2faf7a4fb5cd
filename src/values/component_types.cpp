// Types of the components of one world (component_types.hpp).
#include "component_types.hpp"

#include <kith/detail/assert.hpp>
#include <kith/detail/component_ops.hpp>
#include <kith/detail/value_text.hpp>

#include "raise.hpp"
#include "runtime_life.hpp"

#include <algorithm>

namespace kith::values {

namespace {

void free_runtime_context(void* context) noexcept {
    auto* library = static_cast<type_library*>(
        static_cast<description_node*>(static_cast<description*>(context))->library);
    library->release();
}

// The info by which the world defines the component: it keeps the library alive.
type_info world_info(type_library& library, description_node& node) {
    type_info info = node.life;
    node.library = &library;
    info.context = static_cast<description*>(&node);
    info.free_context = free_runtime_context;
    return info;
}

value_range checked_range(const description_node& node, const member_info& member, double min,
                          double max) {
    const std::string name = std::string(node.life.name) + "." + member.name;
    const kind what = member.type->what;
    if (what < kind::i8 || what > kind::f64) {
        raise(errc::wrong_type, name + " is no number, so it cannot have a range");
    }
    if (!(min <= max)) {
        raise(errc::invalid_value, name + ": the range ends before it begins");
    }
    return {min, max, true};
}

constexpr const char* policy_names[] = {"Keep", "Clear", "Remove", "Delete"};

handle_policy checked_policy(const description_node& node, const member_info& member,
                             std::string_view text) {
    const std::string name = std::string(node.life.name) + "." + member.name;
    if (!detail::has_entities(nullptr, *member.type)) {
        raise(errc::wrong_type, name + " is no handle and has none inside");
    }
    for (const handle_policy policy :
         {handle_policy::clear, handle_policy::remove, handle_policy::erase}) {
        if (text == policy_name(policy)) {
            return policy;
        }
    }
    raise(errc::invalid_operation, name + ": the policy of a handle is Clear, Remove or Delete");
}

void check_type_size(std::uint64_t size) {
    if (size > most_type_size) {
        raise(errc::limit, "a type has more than 1 MiB");
    }
}

// The members of a variant or tuple.
void add_parts(description_node& node, const description* const* types, std::size_t count) {
    const bool variant = node.what == kind::variant;
    std::string name = variant ? "" : "(";
    for (std::size_t i = 0; i < count; ++i) {
        member_info member;
        member.type = types[i];
        member.name = node.keep(variant ? member.type->life.name : "");
        if (!variant) {
            lay_out_member(node, member);
            check_type_size(std::uint64_t{member.offset} + member.type->life.size);
        }
        node.add_member(member);
        name += (i == 0 ? "" : variant ? " | " : ", ") + std::string(member.type->life.name);
    }
    node.set_name(name + (variant ? "" : ")"));
}

}  // namespace

const char* policy_name(handle_policy policy) noexcept {
    return policy_names[static_cast<std::size_t>(policy)];
}

// True if values of `outer` have a value of `inner` inside of them, at a fixed place. Lists and
// maps hold their elements elsewhere, so that they are not followed: a struct may have a list of
// itself.
bool contains(const description& outer, const description& inner) {
    if (&outer == &inner) {
        return true;
    }
    if (outer.what == kind::array || outer.what == kind::optional) {
        return contains(*outer.element, inner);
    }
    return std::any_of(outer.begin(), outer.end(),
                       [&](const member_info& member) { return contains(*member.type, inner); });
}

bool has_unfinished(const description& type) {
    if (static_cast<const description_node&>(type).is_unfinished) {
        return true;
    }
    if (type.what == kind::array || type.what == kind::optional) {
        return has_unfinished(*type.element);
    }
    return std::any_of(type.begin(), type.end(),
                       [](const member_info& member) { return has_unfinished(*member.type); });
}

std::unique_ptr<description_node> make_composed(char form, const description* const* types,
                                                std::size_t count, std::int32_t size) {
    if (count == 0) {
        raise(errc::invalid_type, "a variant or tuple needs at least one type");
    }
    KITH_ASSERT(types && types[0], "types are composed of described ones");
    KITH_ASSERT(form != 'm' || count == 2, "a map has keys and values");
    auto node = std::make_unique<description_node>();
    node->at_run_time = true;
    const std::string first = types[0]->life.name;
    switch (form) {
        case 'l':
        case '?':
            node->what = form == 'l' ? kind::list : kind::optional;
            node->element = types[0];
            node->set_name(form == 'l' ? "[" + first + "]" : "?" + first);
            break;
        case 'n':
            if (size <= 0) {
                raise(errc::invalid_type, "an array needs at least one element");
            }
            check_type_size(static_cast<std::uint64_t>(size) * types[0]->life.size);
            node->what = kind::array;
            node->element = types[0];
            node->count = static_cast<std::uint32_t>(size);
            node->set_name("[" + first + "; " + std::to_string(size) + "]");
            break;
        case 'm':
            node->what = kind::map;
            node->key = types[0];
            node->element = types[1];
            node->set_name("{" + first + ": " + types[1]->life.name + "}");
            break;
        default:
            node->what = form == '|' ? kind::variant : kind::tuple;
            add_parts(*node, types, count);
            break;
    }
    finish_runtime_type(*node);
    return node;
}

void define_type(world_t* world, entity_t component, type_library& library,
                 description_node& node) {
    const type_info info = world_info(library, node);
    library.note_definition(node);
    library.retain();
    struct guard {
        type_library* library;
        ~guard() {
            if (library) {
                library->release();
            }
        }
    } taken{&library};
    detail::change_layout(world, component, info);
    taken.library = nullptr;
}

void write_attribute(description_node& node, member_info& member, detail::attribute what, double a,
                     double b, std::string_view text) {
    using detail::attribute;
    const auto edited = [&]() -> member_attributes& { return node.attributes_of(member); };
    switch (what) {
        case attribute::range:
            edited().range = checked_range(node, member, a, b);
            break;
        case attribute::warning_range:
            edited().warning = checked_range(node, member, a, b);
            break;
        case attribute::error_range:
            edited().error = checked_range(node, member, a, b);
            break;
        case attribute::step:
            edited().step = a;
            break;
        case attribute::unit_symbol:
            edited().unit_symbol = node.keep(text);
            break;
        case attribute::doc:
            edited().doc = node.keep(text);
            break;
        case attribute::was:
            edited().was = node.keep(text);
            break;
        case attribute::hidden:
            member.hidden = true;
            break;
        case attribute::read_only:
            member.read_only = true;
            break;
        case attribute::on_delete_target:
            edited().on_delete_target = checked_policy(node, member, text);
            break;
    }
}

}  // namespace kith::values
