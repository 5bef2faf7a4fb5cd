// Errors: kith::error and the error handler (declared in kith/error.hpp), the functions that raise
// errors (raise.hpp), and the end of a failed KITH_ASSERT (assert.hpp).
#include "base/raise.hpp"

#include "base/assert.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace kith {

namespace {

// The handler of builds without exceptions; builds with exceptions keep it but never call it.
error_handler current_handler = nullptr;

// Null if memory is short: error::what() then returns the name of the code. Allocates with malloc,
// because copying an exception must not throw.
char* copy_text(const char* text) noexcept {
    std::size_t size = std::strlen(text) + 1;
    char* copy = static_cast<char*>(std::malloc(size));
    if (copy) {
        std::memcpy(copy, text, size);
    }
    return copy;
}

}  // namespace

error::error(errc code, const char* message) noexcept : code_(code), text_(copy_text(message)) {}
error::error(const error& other) noexcept
    : std::exception(other), code_(other.code_), text_(copy_text(other.what())) {}
error& error::operator=(const error& other) noexcept {
    if (this != &other) {
        std::free(text_);
        code_ = other.code_;
        text_ = copy_text(other.what());
    }
    return *this;
}
error::~error() {
    std::free(text_);
}
const char* error::what() const noexcept {
    return text_ ? text_ : to_string(code_);
}

const char* to_string(errc code) noexcept {
    switch (code) {
        case errc::invalid_entity:
            return "invalid_entity";
        case errc::invalid_id:
            return "invalid_id";
        case errc::wrong_type:
            return "wrong_type";
        case errc::type_conflict:
            return "type_conflict";
        case errc::invalid_type:
            return "invalid_type";
        case errc::not_constructible:
            return "not_constructible";
        case errc::not_copyable:
            return "not_copyable";
        case errc::already_exists:
            return "already_exists";
        case errc::missing_component:
            return "missing_component";
        case errc::name_taken:
            return "name_taken";
        case errc::invalid_name:
            return "invalid_name";
        case errc::locked:
            return "locked";
        case errc::in_use:
            return "in_use";
        case errc::constraint:
            return "constraint";
        case errc::cycle:
            return "cycle";
        case errc::invalid_operation:
            return "invalid_operation";
        case errc::limit:
            return "limit";
        case errc::invalid_query:
            return "invalid_query";
        case errc::invalid_text:
            return "invalid_text";
        case errc::invalid_value:
            return "invalid_value";
        case errc::invalid_file:
            return "invalid_file";
        case errc::conflict:
            return "conflict";
        case errc::undeclared_access:
            return "undeclared_access";
        case errc::callback:
            return "callback";
    }
    return "unknown";
}

error_handler set_error_handler(error_handler handler) noexcept {
    error_handler previous = current_handler;
    current_handler = handler;
    return previous;
}

namespace base {

#if !defined(__cpp_exceptions)
namespace {
// A handler may leave with longjmp or end the program. A handler that returns ends the program too,
// because no caller of raise() expects to continue.
[[noreturn]] void call_handler(errc code, const char* message) {
    if (current_handler) {
        current_handler(code, message);
    }
    std::fprintf(stderr, "kith: %s: %s\n", to_string(code), message);
    std::abort();
}
}  // namespace
#endif

void raise(errc code, const char* message) {
#if defined(__cpp_exceptions)
    throw error(code, message);
#else
    call_handler(code, message);
#endif
}

void raise_out_of_memory() {
#if defined(__cpp_exceptions)
    throw std::bad_alloc();
#else
    call_handler(errc::limit, "out of memory");
#endif
}

void assertion_failed(const char* condition, const char* sentence, const char* file, int line) {
    std::fprintf(stderr, "%s:%d: kith assertion failed: %s (%s)\n", file, line, sentence,
                 condition);
    std::abort();
}

}  // namespace base

void detail::raise_error(errc code, const char* message) {
    base::raise(code, message);
}

}  // namespace kith
