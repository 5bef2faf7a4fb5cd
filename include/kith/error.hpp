// Errors: what kith throws when a program asks for something that cannot be done.
//
// A failed operation leaves the world as it was. Absence (an entity without the component) is not
// an error; misuse (a dead entity, a taken name, a locked table) is, in release builds too. Built
// with KITH_NO_EXCEPTIONS, the error goes to a handler instead, which must not return.
#pragma once

#include <kith/fwd.hpp>

#include <cstdint>
// libstdc++ has std::exception in a header of its own, a fraction of <exception>.
#if __has_include(<bits/exception.h>)
#include <bits/exception.h>
#else
#include <exception>
#endif

namespace kith {

enum class errc : std::uint8_t {
    invalid_entity,     // null, dead, never issued, or of another world
    invalid_id,         // cannot be added: wildcard, dead element, malformed
    wrong_type,         // value access to a tag, or to a component of another type
    type_conflict,      // a name or id is taken by another type
    invalid_type,       // size or alignment that cannot be stored
    not_constructible,  // add of a type that has no default constructor
    not_copyable,       // copy of a type that cannot be copied
    already_exists,     // emplace of a component that is there
    missing_component,  // a reference to a component that is gone
    name_taken,         // another entity of this parent has the name
    invalid_name,       // empty path element, lookup on a null entity
    locked,             // structural change to a table that is being iterated
    in_use,             // deletion or property change of something that is in use
    constraint,         // a relationship property forbids it
    cycle,              // an acyclic relationship would become cyclic
    invalid_operation,  // a call in a state that does not allow it
    limit,              // out of ids, or a type with too many ids
    invalid_query,      // a query that cannot be made, or a result that is read wrongly
    invalid_text,       // a world as text that cannot be read or written
    invalid_value,      // a type cannot hold this value
    invalid_file,       // a save file that is damaged, truncated, foreign or too large
    conflict,           // a difference that does not fit the world
    undeclared_access,  // a part of a system accesses what the system does not declare
    callback,           // a function of the program in another language has failed
};

// The message names the entity, id or term involved and says what would fix it.
class KITH_ONE_PER_PROCESS error : public std::exception {
public:
    // Copies the message; a message that cannot be stored for lack of memory is shortened.
    error(errc code, const char* message) noexcept;
    error(const error& other) noexcept;
    error& operator=(const error& other) noexcept;
    ~error() override;

    errc code() const noexcept { return code_; }
    const char* what() const noexcept override;

private:
    errc code_;
    char* text_;  // null: out of memory, what() gives the name of the code
};

// The name of a code, such as "name_taken".
const char* to_string(errc code) noexcept;

// Called with every error in builds without exceptions. Must not return. Returns the previous
// handler.
using error_handler = void (*)(errc code, const char* message);
error_handler set_error_handler(error_handler handler) noexcept;

namespace detail {
// For the libraries on top of the core: every error takes this way.
[[noreturn]] void raise_error(errc code, const char* message);
}  // namespace detail

}  // namespace kith
