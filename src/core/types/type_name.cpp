// Readable names of C++ types (type_name.hpp), from the mangled names of the Itanium C++ ABI or, in
// builds without RTTI, from the text that the compiler gives for a template function.
#include "types/type_name.hpp"

#include <cstdlib>
#include <memory>

#include <cxxabi.h>

namespace kith {

namespace types {

namespace {

// The type inside of "… [with T = game::Position]" (g++) or "… [T = game::Position]" (clang).
std::string_view type_in_label(std::string_view label) {
    std::size_t start = label.find("T = ");
    std::size_t end = label.rfind(']');
    if (start == std::string_view::npos || end == std::string_view::npos) {
        return label;
    }
    return label.substr(start + 4, end - start - 4);
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t position = text.find(from); position != std::string::npos;
         position = text.find(from, position)) {
        text.replace(position, from.size(), to);
        position += to.size();
    }
}

// Empty if the name cannot be demangled.
std::string demangled(const char* mangled) {
    struct freeing {
        void operator()(char* text) const noexcept { std::free(text); }
    };
    int status = 0;
    const std::unique_ptr<char, freeing> text(
        abi::__cxa_demangle(mangled, nullptr, nullptr, &status));
    return status == 0 && text ? text.get() : "";
}

}  // namespace

}  // namespace types

std::string detail::readable_type_name(std::string_view label, const char* mangled) {
    using types::replace_all;
    std::string name = mangled ? types::demangled(mangled) : std::string{};
    if (name.empty()) {
        name = types::type_in_label(label);
    }
    // Compilers and standard libraries differ in these: inline namespaces, the words in front of
    // class names, and the space between closing brackets.
    replace_all(name, "(anonymous namespace)::", "");
    replace_all(name, "{anonymous}::", "");
    replace_all(name, "<unnamed>::", "");
    replace_all(name, "std::__cxx11::", "std::");
    replace_all(name, "std::__1::", "std::");
    replace_all(name, "struct ", "");
    replace_all(name, "class ", "");
    replace_all(name, "> >", ">>");
    return name;
}

namespace types {

namespace {

// True for "ZL4funcvE5Local" and "ZN4gameL4funcEvE5Local": a type inside of a static function.
bool is_in_static_function(std::string_view mangled) noexcept {
    if (mangled.substr(0, 1) != "Z") {
        return false;
    }
    // The enclosing namespaces come first, each as its length and its name. An 'L' behind them
    // marks a function with internal linkage.
    std::size_t position = mangled.substr(1, 1) == "N" ? 2 : 1;
    while (position < mangled.size() && mangled[position] >= '0' && mangled[position] <= '9') {
        std::size_t length = 0;
        for (; position < mangled.size() && mangled[position] >= '0' && mangled[position] <= '9';
             ++position) {
            length = length * 10 + static_cast<std::size_t>(mangled[position] - '0');
        }
        position += length;
    }
    return position < mangled.size() && mangled[position] == 'L';
}

}  // namespace

bool is_function_local(const char* mangled) noexcept {
    return mangled && mangled[0] == 'Z';
}

bool is_unit_local(std::string_view label, const char* mangled) noexcept {
    if (mangled) {
        return std::string_view{mangled}.find("_GLOBAL__N_") != std::string_view::npos ||
               is_in_static_function(mangled);
    }
    return label.find("{anonymous}") != std::string_view::npos ||
           label.find("(anonymous namespace)") != std::string_view::npos;
}

}  // namespace types

}  // namespace kith
