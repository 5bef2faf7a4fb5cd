// Parts of values by path, and changes of them (include/kith/value.hpp).
#include <kith/detail/assert.hpp>
#include <kith/syntax/lexer.hpp>
#include <kith/syntax/text.hpp>
#include <kith/value.hpp>

#include "assign.hpp"
#include "life.hpp"
#include "literal.hpp"
#include "member_defaults.hpp"
#include "parsed_path.hpp"
#include "raise.hpp"
#include "text_writer.hpp"

#include <algorithm>
#include <exception>

namespace kith {

namespace values {

namespace {

using detail::missing_part;
using detail::value_part;

assignment state_for(world_t* world, const value_part& whole, std::string_view path) {
    assignment state;
    state.world = world;
    state.path = whole.type->life.name;
    state.path += path.empty() || path[0] == '[' ? "" : ".";
    state.path += path;
    return state;
}

// The part that a write is about. Throws for members that can only be read. Missing optionals and
// entries of maps on the way are made.
value_part part_to_write(world_t* world, const value_part& whole, std::string_view path) {
    KITH_ASSERT(whole.value, "an edit has a copy to write to");
    const value_part part = detail::follow_path(world, whole, path, missing_part::make);
    if (part.member && part.member->read_only) {
        raise(errc::invalid_operation,
              std::string(whole.type->life.name) + "." + std::string(path) + " can only be read");
    }
    return part;
}

// Values of C++ become literals, so that they pass the same checks as texts.
literal literal_of(const detail::value_argument& from) {
    using form = detail::value_argument::form;
    literal made;
    switch (from.is) {
        case form::truth:
            made.form = literal_form::boolean;
            made.truth = from.positive != 0;
            break;
        case form::text:
            made.form = literal_form::text;
            made.text = from.text;
            break;
        default:
            made.form = literal_form::number;
            append_number(made.text, from.is == form::real       ? number::of(from.real)
                                     : from.is == form::negative ? number::of(from.negative)
                                                                 : number::of(from.positive));
            break;
    }
    return made;
}

literal parse_all(std::string_view text) {
    std::size_t at = 0;
    literal read;
    literal_fault fault = read_literal(text, at, read);
    while (!fault && at < text.size() && syntax::chars::is_space(text[at])) {
        ++at;
    }
    if (!fault && at < text.size()) {
        fault = {{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(text.size())},
                 "nothing follows a value",
                 false};
    }
    if (fault) {
        raise(fault.is_limit ? errc::limit : errc::invalid_text,
              syntax::locate_in_text(std::string(text).c_str(), fault.at.begin, fault.at.end,
                                     fault.message));
    }
    return read;
}

// Writes a literal into a copy of the part, and moves it there: all or nothing.
void assign_whole(assignment& state, const value_part& part, const literal& from) {
    KITH_ASSERT(part.value, "the part exists");
    value_box copy(part.type->life, part.value);
    assign_literal(state, *part.type, copy.get(), from);
    if (part.member) {
        check_range(state, *part.member, copy.get());
    }
    assign_moved(part.type->life, part.value, copy.get());
}

// Values of programs may break the ranges and rules that readers hold to, so that a copied value is
// checked like a text.
void assign_view(assignment& state, const value_part& part, const void* from) {
    check_parts(state, *part.type, from);
    if (part.member) {
        check_range(state, *part.member, from);
    }
    assign_copy(part.type->life, part.value, from);
}

// -- changes of containers -----------------------------------------------------------------------

// The element is read before the container changes, so that a refused text changes nothing.
void insert_element(assignment& state, const value_part& part, std::size_t index,
                    std::string_view text) {
    const description& type = *part.type;
    value_box element(type.element->life);
    assign_literal(state, *type.element, element.get(), parse_all(text));
    if (type.what == kind::set) {
        type.ops->insert(type, part.value, element.get());
        return;
    }
    const std::size_t size = type.ops->size(type, part.value);
    if (index > size) {
        refuse(state, errc::invalid_value, "there are " + std::to_string(size) + " elements");
    }
    type.ops->resize(type, part.value, size + 1);
    for (std::size_t i = size; i > index; --i) {
        assign_moved(type.element->life, type.ops->at(type, part.value, i),
                     type.ops->at(type, part.value, i - 1));
    }
    assign_moved(type.element->life, type.ops->at(type, part.value, index), element.get());
}

void erase_element(assignment& state, const value_part& part, std::size_t index,
                   std::string_view text) {
    const description& type = *part.type;
    if (type.what == kind::map || type.what == kind::set) {
        const description& key_type = type.key ? *type.key : *type.element;
        value_box key(key_type.life);
        assign_literal(state, key_type, key.get(), parse_all(text));
        if (!type.ops->erase(type, part.value, key.get())) {
            refuse(state, errc::invalid_value, "there is no such key");
        }
        return;
    }
    const std::size_t size = type.ops->size(type, part.value);
    if (index >= size) {
        refuse(state, errc::invalid_value, "there are " + std::to_string(size) + " elements");
    }
    for (std::size_t i = index; i + 1 < size; ++i) {
        assign_moved(type.element->life, type.ops->at(type, part.value, i),
                     type.ops->at(type, part.value, i + 1));
    }
    type.ops->resize(type, part.value, size - 1);
}

// The declared default of the member, else that of the type with the defaults of its members.
void reset_part(world_t* world, const value_part& part) {
    const type_info& life = part.type->life;
    if (part.member && part.member->attributes && part.member->attributes->default_value) {
        assign_copy(life, part.value, part.member->attributes->default_value);
        return;
    }
    const value_box fresh(life);
    assign_defaults(world, *part.type, fresh.get());
    assign_moved(life, part.value, fresh.get());
}

// True if a value of the type can be changed in this way.
bool supports(const description& type, detail::container_change change) noexcept {
    using detail::container_change;
    switch (change) {
        case container_change::append:
            return (type.what == kind::list && type.ops->resize) || type.what == kind::set;
        case container_change::insert:
        case container_change::resize:
            return type.what == kind::list && type.ops->resize;
        case container_change::erase:
            return (type.what == kind::list && type.ops->resize) || type.what == kind::set ||
                   type.what == kind::map;
        case container_change::clear:
            return type.ops && type.ops->clear;
        case container_change::emplace:
            return type.ops && type.ops->emplace;
        case container_change::reset:
            return true;
    }
    return false;
}

}  // namespace

}  // namespace values

namespace detail {

value_part follow_path(world_t* world, const value_part& from, std::string_view path,
                       missing_part missing) {
    if (!from.value) {
        if (missing == missing_part::null) {
            return {};
        }
        values::raise(errc::invalid_value, "the value is empty: the entity does not have it");
    }
    const values::parsed_path parsed(world, *from.type, path);
    return parsed.empty() ? value_part{&in_world(world, *from.type), from.value, from.member}
                          : parsed.follow(from.value, missing);
}

std::size_t size_of_value(const value_part& of) {
    if (!of.value) {
        return 0;
    }
    KITH_ASSERT(of.type, "a value has a type");
    const description& type = *of.type;
    switch (type.what) {
        case kind::structure:
        case kind::tuple:
        case kind::array:
            return type.count;
        case kind::list:
        case kind::set:
        case kind::map:
            return type.ops->size(type, of.value);
        case kind::optional:
        case kind::variant:
            return type.ops->inner(type, of.value) ? 1 : 0;
        default:
            return 0;
    }
}

value_part element_of_value(world_t* world, const value_part& of, std::size_t index) {
    if (index >= size_of_value(of)) {
        values::raise(errc::invalid_value,
                      std::string(of.type ? of.type->life.name : "an empty value") + " has " +
                          std::to_string(size_of_value(of)) + " parts, so there is no part " +
                          std::to_string(index));
    }
    const description& type = *of.type;
    switch (type.what) {
        case kind::structure:
        case kind::tuple:
            return {&in_world(world, *type.members[index].type),
                    values::part_at(of.value, type.members[index].offset), &type.members[index]};
        case kind::array:
            return {&in_world(world, *type.element),
                    values::part_at(of.value, index * type.element->life.size), nullptr};
        case kind::list:
            return {&in_world(world, *type.element), type.ops->at(type, of.value, index), nullptr};
        case kind::variant: {
            const std::int32_t which = type.ops->which(type, of.value);
            return {type.members[which].type, type.ops->inner(type, of.value), nullptr};
        }
        case kind::optional:
            return {type.element, type.ops->inner(type, of.value), nullptr};
        default:
            break;
    }
    // Sets and maps have no access by position: their elements are counted.
    struct search {
        std::size_t left;
        const void* found;
    } state{index, nullptr};
    type.ops->each(
        type, of.value,
        [](void* context, const void*, const void* element) {
            auto& wanted = *static_cast<search*>(context);
            if (wanted.left-- == 0) {
                wanted.found = element;
            }
        },
        &state);
    return {type.element, const_cast<void*>(state.found), nullptr};
}

bool get_number(const value_part& from, kind wanted, void* into) {
    const kind stored = values::stored_kind(*from.type);
    return stored >= kind::boolean && stored <= kind::f64 &&
           values::write_number(wanted, into, values::read_number(stored, from.value));
}

void raise_wrong_type(const value_part& part, const char* wanted) {
    values::raise(errc::wrong_type,
                  std::string(part.type ? part.type->life.name : "an empty value") +
                      " cannot be read as " + wanted);
}

void write_part(world_t* world, const value_part& whole, std::string_view path,
                const value_argument& from) {
    using form = value_argument::form;
    const value_part part = values::part_to_write(world, whole, path);
    values::assignment state = values::state_for(world, whole, path);
    if (from.is == form::view) {
        if (&from.view->type() == part.type) {
            values::assign_view(state, part, from.view->ptr());
        } else {
            values::assign_whole(state, part, values::parse_all(from.view->str()));
        }
        return;
    }
    if (from.is == form::entity) {
        const description& type =
            part.type->what == kind::optional ? *part.type->element : *part.type;
        if (type.what != kind::entity) {
            values::refuse(state, errc::invalid_value,
                           std::string("expected ") + part.type->life.name + ", found an entity");
        }
        void* value =
            part.type == &type ? part.value : part.type->ops->emplace(*part.type, part.value, 0);
        type.ops->assign_entity(type, value, world, from.positive);
        return;
    }
    values::assign_whole(state, part, values::literal_of(from));
}

void parse_part(world_t* world, const value_part& whole, std::string_view path,
                std::string_view text) {
    const values::literal read = values::parse_all(text);
    values::assignment state = values::state_for(world, whole, path);
    values::assign_whole(state, values::part_to_write(world, whole, path), read);
}

void change_part(world_t* world, const value_part& whole, std::string_view path,
                 container_change change, std::size_t index, std::string_view text) {
    const value_part part = values::part_to_write(world, whole, path);
    values::assignment state = values::state_for(world, whole, path);
    const description& type = *part.type;
    if (!values::supports(type, change)) {
        values::refuse(state, errc::invalid_value,
                       std::string(type.life.name) + " cannot be changed in this way");
    }
    switch (change) {
        case container_change::append:
            values::insert_element(state, part, size_of_value(part), text);
            break;
        case container_change::insert:
            values::insert_element(state, part, index, text);
            break;
        case container_change::erase:
            values::erase_element(state, part, index, text);
            break;
        case container_change::resize:
            type.ops->resize(type, part.value, index);
            break;
        case container_change::clear:
            type.ops->clear(type, part.value);
            break;
        case container_change::emplace: {
            const std::int32_t which =
                type.what == kind::variant ? values::find_alternative(type, text) : 0;
            if (which < 0) {
                values::refuse(state, errc::invalid_value,
                               std::string(type.life.name) + " has no alternative '" +
                                   std::string(text) + "'");
            }
            type.ops->emplace(type, part.value, static_cast<std::uint32_t>(which));
            break;
        }
        case container_change::reset:
            values::reset_part(world, part);
            break;
    }
}

std::string text_of_value(const world_t* world, const description& type, const void* value) {
    std::string text;
    values::text_style style;
    style.world = world;
    values::append_value(text, style, type, value);
    return text;
}

void read_value(world_t* world, const description& type, void* value, std::string_view text) {
    const values::literal read = values::parse_all(text);
    const value_part part{&in_world(world, type), value, nullptr};
    values::assignment state;
    state.world = world;
    state.path = part.type->life.name;
    values::assign_whole(state, part, read);
}

// Names of components may have dots, too; the longest one wins. `path` keeps the rest behind it.
id_t split_path(const entity_view& entity, std::string_view& path) {
    const kith::world owner(entity.c_world());
    // The longest prefix that names a component of the entity.
    for (std::size_t end = path.size(); end != std::string_view::npos && end > 0;
         end = path.rfind('.', end - 1)) {
        const kith::entity named = owner.lookup(std::string(path.substr(0, end)).c_str());
        if (named && type_component(owner, named)) {
            path.remove_prefix(std::min(path.size(), end + 1));
            return named;
        }
    }
    values::raise(errc::invalid_value,
                  "'" + std::string(path) + "' does not begin with the name of a component");
}

}  // namespace detail

// -- value_edit
// ------------------------------------------------------------------------------------

value_view value_of(const entity_view& entity, id_t id) {
    const void* value = detail::get_value(entity.c_world(), entity, id, 0);
    return value ? value_view(entity.c_world(), detail::require_description(entity.c_world(), id),
                              value)
                 : value_view();
}

// The edit works on a copy; the count of exceptions shows the destructor whether an exception
// leaves the statement.
value_edit::value_edit(world_t* world, entity_t entity, id_t id)
    : world_(world), entity_(entity), id_(id), exceptions_(std::uncaught_exceptions()) {
    const description& type = detail::require_description(world, id);
    const void* value = detail::get_value(world, entity, id, 0);
    if (!value) {
        values::raise(errc::missing_component, std::string(detail::id_text(world, entity).c_str()) +
                                                   " does not have " +
                                                   detail::id_text(world, id).c_str());
    }
    void* copy = values::allocate(type.life, 1);
    struct guard {
        const type_info& info;
        void* memory;
        ~guard() {
            if (memory) {
                values::release(info, memory);
            }
        }
    } memory{type.life, copy};
    values::copy_value(type.life, copy, value);
    memory.memory = nullptr;
    part_ = {&type, copy, nullptr};
}

value_edit::value_edit(value_edit&& other) noexcept
    : world_(other.world_),
      entity_(other.entity_),
      id_(other.id_),
      part_(detail::exchange(other.part_, {})),
      exceptions_(other.exceptions_) {}

value_edit::~value_edit() noexcept(false) {
    if (part_.value && std::uncaught_exceptions() > exceptions_) {
        discard();
    }
    if (part_.value) {
        commit();
    }
}

void value_edit::discard() noexcept {
    if (part_.value) {
        values::destroy_value(part_.type->life, part_.value);
        values::release(part_.type->life, part_.value);
        part_.value = nullptr;
    }
}

// The copy is gone afterwards, also if the world refuses the value.
void value_edit::commit() {
    struct guard {
        value_edit& edit;
        ~guard() { edit.discard(); }
    } end{*this};
    if (!part_.value) {
        values::raise(errc::invalid_operation, "the edit was committed or discarded before");
    }
    values::assignment state;
    state.world = world_;
    state.path = part_.type->life.name;
    values::check_rules(state, *part_.type, part_.value);
    if (!detail::get_value(world_, entity_, id_, 0)) {
        values::raise(errc::missing_component,
                      std::string(detail::id_text(world_, entity_).c_str()) +
                          " has lost the component that was edited");
    }
    const detail::value_source source{&part_,
                                      [](void* value, void* context) {
                                          auto& from = *static_cast<detail::value_part*>(context);
                                          values::move_value(from.type->life, value, from.value);
                                      },
                                      [](void* value, void* context) {
                                          auto& from = *static_cast<detail::value_part*>(context);
                                          values::assign_moved(from.type->life, value, from.value);
                                      }};
    detail::set_value(world_, entity_, id_, 0, source);
}

}  // namespace kith
