// Types that texts declare (include/kith/detail/type_text.hpp).
#include <kith/detail/assert.hpp>
#include <kith/detail/type_text.hpp>
#include <kith/reflect.hpp>

#include "assign.hpp"
#include "component_types.hpp"
#include "raise.hpp"
#include "registry.hpp"
#include "runtime_life.hpp"
#include "type_fit.hpp"

#include <algorithm>
#include <memory>

namespace kith {

namespace values {

// The node comes last, so that its defaults are destroyed while the inner types exist.
struct declared_type {
    // A default that define() reads. `text` belongs to the caller of default_value(); `at` is the
    // place of the value in it, and `member` a position in the member list.
    struct written_default {
        std::size_t member;
        std::string_view text;
        std::size_t at;
    };
    world_t* world;
    std::vector<std::unique_ptr<description_node>> inner;
    std::vector<written_default> defaults;
    std::unique_ptr<description_node> node;
    // The place in the library that keeps the node if the type is given up; see shared_self().
    type_library* library = nullptr;
    std::size_t place = 0;
};

namespace {

// The alternative of a variant that has no value.
struct nothing {};

// Never destroyed, because descriptions of any lifetime refer to it.
const description* nothing_type() {
    static const description* const only = [] {
        auto made = std::make_unique<description_node>();
        made->life = detail::description_of<nothing>()->life;
        made->set_name("null");
        made->what = kind::structure;
        return static_cast<const description*>(made.release());
    }();
    return only;
}

const description* integer_type(kind what) {
    return detail::find_primitive(to_string(what));
}

// Enums and flags have the functions of their integer.
void finish_constants(description_node& node) {
    const char* name = node.life.name;
    node.life = integer_type(node.number)->life;
    node.life.name = name;
    std::uint64_t storage = 0;
    for (const constant_info& constant : node.constant_list) {
        const number value = is_signed(node.number)
                                 ? number::of(constant.value)
                                 : number::of(static_cast<std::uint64_t>(constant.value));
        if (!write_number(node.number, &storage, value)) {
            raise(errc::invalid_value, std::string(name) + "." + constant.name +
                                           " does not fit into " + to_string(node.number));
        }
    }
}

// Reads a default and checks it as an assignment would be checked. `place` becomes the place of a
// mistake in the text. The node owns the value.
void set_default(description_node& node, const declared_type::written_default& written,
                 syntax::span& place) {
    member_info& member = node.member_list[written.member];
    std::size_t at = written.at;
    literal read;
    if (const literal_fault fault = read_literal(written.text, at, read)) {
        place = fault.at;
        raise(fault.is_limit ? errc::limit : errc::invalid_text, fault.message);
    }
    place = read.at;
    assignment state;
    state.path = std::string(node.life.name) + "." + member.name;
    value_box value(member.type->life);
    assign_literal(state, *member.type, value.get(), read);
    check_range(state, member, value.get());
    node.defaults.push_back(std::move(value));
    node.attributes_of(member).default_value = node.defaults.back().get();
}

// Types inside of others cannot grow any more.
void mark_parts(type_library& library, const description& type) {
    library.each([&](description_node& other) {
        if (&other != &type && other.at_run_time && contains(type, other)) {
            other.is_contained = true;
        }
    });
}

}  // namespace

}  // namespace values

namespace detail {

const description* find_primitive(std::string_view word) {
    struct entry {
        std::string_view word;
        description_getter type;
    };
    static constexpr entry entries[] = {
        {"bool", description_of<bool>},         {"char", description_of<char>},
        {"i8", description_of<std::int8_t>},    {"i16", description_of<std::int16_t>},
        {"i32", description_of<std::int32_t>},  {"i64", description_of<std::int64_t>},
        {"u8", description_of<std::uint8_t>},   {"u16", description_of<std::uint16_t>},
        {"u32", description_of<std::uint32_t>}, {"u64", description_of<std::uint64_t>},
        {"f32", description_of<float>},         {"f64", description_of<double>},
        {"text", description_of<std::string>},  {"entity", description_of<handle>},
        {"null", values::nothing_type},
    };
    const auto* const found = std::find_if(std::begin(entries), std::end(entries),
                                           [&](const entry& one) { return one.word == word; });
    return found == std::end(entries) ? nullptr : found->type();
}

entity_t ensure_type_library(world_t* world) {
    if (values::find_library(world)) {
        return 0;
    }
    values::ensure_library(world);
    return known_type_id<values::world_types>();
}

// The guard frees the unfinished type: the destructor of the builder is not called for a
// constructor that throws.
type_builder::type_builder(world_t* world, kind what, std::string_view name)
    : made_(new values::declared_type{world, {}, {}, nullptr, nullptr, 0}) {
    struct guard {
        values::declared_type* made;
        ~guard() { delete made; }
    } unfinished{made_};
    made_->node = std::make_unique<values::description_node>();
    made_->node->set_name(name);
    made_->node->what = what;
    made_->node->at_run_time = true;
    made_->node->is_unfinished = true;
    unfinished.made = nullptr;
}

type_builder::~type_builder() {
    if (made_->library && made_->node) {
        made_->library->keep_inner(made_->place, std::move(made_->node));
    }
    delete made_;
}

const description& type_builder::shared_self() {
    if (!made_->library) {
        made_->library = &values::ensure_library(made_->world);
        made_->place = made_->library->reserve_inner();
    }
    return *made_->node;
}

const description& type_builder::self() const noexcept {
    return *made_->node;
}

const description& type_builder::compose(char form, const description* const* types,
                                         std::size_t count, std::int32_t size) {
    // The size of a type inside of itself is not known; lists need none.
    for (std::size_t i = 0; i < count; ++i) {
        if (form != 'l' && form != 'm' && values::has_unfinished(*types[i])) {
            values::raise(errc::cycle,
                          std::string(made_->node->life.name) +
                              ": a struct cannot contain itself; use a list or an entity");
        }
    }
    made_->inner.push_back(values::make_composed(form, types, count, size));
    return *made_->inner.back();
}

void type_builder::number(kind what) {
    KITH_ASSERT(what >= kind::i8 && what <= kind::u64, "constants are integers");
    made_->node->number = what;
}

// The number is compared with the integer of the type in define(), when both are known.
void type_builder::constant(std::string_view name, std::int64_t value) {
    values::description_node& node = *made_->node;
    for (const constant_info& known : node.constant_list) {
        if (name == known.name) {
            values::raise(errc::already_exists, std::string(node.life.name) + " has a constant '" +
                                                    std::string(name) + "' already");
        }
    }
    node.add_constant({node.keep(name), value});
}

void type_builder::member(std::string_view name, const description& type) {
    values::description_node& node = *made_->node;
    for (const member_info& known : node.member_list) {
        if (name == known.name) {
            values::raise(errc::already_exists, std::string(node.life.name) + " has a member '" +
                                                    std::string(name) + "' already");
        }
    }
    if (values::has_unfinished(type)) {
        values::raise(errc::cycle, std::string(node.life.name) + "." + std::string(name) +
                                       ": a struct cannot contain itself; use a list or an entity");
    }
    member_info member;
    member.name = node.keep(name);
    member.type = &type;
    values::lay_out_member(node, member);
    if (std::uint64_t{member.offset} + type.life.size > values::most_type_size) {
        values::raise(errc::limit, std::string(node.life.name) + " has more than 1 MiB");
    }
    node.add_member(member);
}

void type_builder::attribute(detail::attribute what, double a, double b, std::string_view text) {
    KITH_ASSERT(!made_->node->member_list.empty(), "an attribute is about a member");
    values::write_attribute(*made_->node, made_->node->member_list.back(), what, a, b, text);
}

void type_builder::default_value(std::string_view text, std::size_t at) {
    KITH_ASSERT(!made_->node->member_list.empty(), "a default is that of a member");
    made_->defaults.push_back({made_->node->member_list.size() - 1, text, at});
}

std::string type_builder::find_misfit(const description& known) const {
    return values::find_misfit(made_->world, *made_->node, known);
}

bool type_builder::is_like(const description& known) const {
    return values::is_same_type(made_->world, *made_->node, known);
}

// Defaults are read when the layout is complete: they may be lists of the type itself.
void type_builder::define(entity_t component, syntax::span& place) {
    values::description_node& node = *made_->node;
    node.is_unfinished = false;
    if (node.what == kind::structure) {
        values::finish_runtime_type(node);
        for (const auto& written : made_->defaults) {
            values::set_default(node, written, place);
        }
        values::finish_runtime_type(node);
    } else {
        values::finish_constants(node);
    }
    values::type_library& library = values::ensure_library(made_->world);
    for (auto& inner : made_->inner) {
        library.add_inner(std::move(inner));
    }
    made_->inner.clear();
    library.add(component, std::move(made_->node));
    struct guard {
        values::type_library& library;
        entity_t component;
        bool done = false;
        ~guard() {
            if (!done) {
                library.forget(component);
            }
        }
    } change{library, component};
    values::define_type(made_->world, component, library, node);
    change.done = true;
    values::mark_parts(library, node);
    const bool has_policy = std::any_of(node.begin(), node.end(), [](const member_info& member) {
        return member.attributes && member.attributes->on_delete_target != handle_policy::keep;
    });
    if (has_policy) {
        values::use_handle_policies(made_->world);
    }
}

}  // namespace detail

}  // namespace kith
