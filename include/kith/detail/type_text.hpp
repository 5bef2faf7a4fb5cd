// Types that texts declare, and declarations of types as text: functions that src/values implements
// for src/dsl and for JSON.
#pragma once

#include <kith/description.hpp>
#include <kith/detail/value_text.hpp>

#include <string>
#include <string_view>

namespace kith {

namespace values {
struct declared_type;
}

namespace detail {

// The type of a word such as `f32`, `text`, `entity`; null if the word is none.
const description* find_primitive(std::string_view word);
// The C++ type of this name (`game::Position`) that the process has described; null if there is
// none, or if several types share the name.
const description* find_described_type(std::string_view name);

// The component of a type in this world; 0 if it has none.
entity_t component_of_type(const world_t* world, const description& type);

// A type while it is declared. The world and the process do not know the type before define().
class type_builder {
public:
    // `what`: structure, enumeration or flags.
    type_builder(world_t* world, kind what, std::string_view name);
    type_builder(const type_builder&) = delete;
    type_builder& operator=(const type_builder&) = delete;
    ~type_builder();

    // The type itself, so that lists of it can be members.
    const description& self() const noexcept;
    // The type itself, as part of a type that is defined before this one. The world keeps it even
    // if this type is given up. Requires: the world has a type library.
    const description& shared_self();
    // A type that is composed of others; the letters are those of compose_type().
    const description& compose(char form, const description* const* types, std::size_t count,
                               std::int32_t size);
    // The integer of an enum or of flags: i8 to u64.
    void number(kind what);
    void constant(std::string_view name, std::int64_t value);
    // Attributes are about the last member. Throws as component<T>().member() and the calls behind
    // it.
    void member(std::string_view name, const description& type);
    void attribute(detail::attribute what, double a, double b, std::string_view text);
    // The default of the last member; `text` lives until define().
    void default_value(std::string_view text, std::size_t at);

    // The reason why values of this type cannot be read as values of the known one; empty if they
    // can.
    std::string find_misfit(const description& known) const;
    // True if the known type has the same members, of the same kinds.
    bool is_like(const description& known) const;
    // Gives the type to an entity that is no component yet. `place` is that of a default that is
    // refused. A default cannot name entities: they may not exist when the type is declared.
    void define(entity_t component, syntax::span& place);

private:
    values::declared_type* made_;
};

// Makes the place for types that the world declares. The entity that holds it if it was missing
// before, else 0.
entity_t ensure_type_library(world_t* world);

// Appends `struct Item { name: text }`. `append_name` writes the name of a type that is declared
// elsewhere. Requires: can_declare(type).
using append_type_name = void (*)(void* context, const description& type, std::string& out);
void append_declaration(std::string& out, const world_t* world, const description& type,
                        append_type_name append_name, void* context);
// True for structs, enums and flags, and for types that are represented by one.
bool can_declare(const description& type) noexcept;
// Calls visit(type) for the types that the declaration names, in the order of its members.
void each_named_type(const world_t* world, const description& type,
                     void (*visit)(void* context, const description& type), void* context);

}  // namespace detail

}  // namespace kith
