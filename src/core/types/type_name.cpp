#include "types/type_name.hpp"

#include <cstdlib>

#include <cxxabi.h>

namespace kith::types {

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
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
        text.replace(at, from.size(), to);
        at += to.size();
    }
}

std::string demangled(const char* mangled) {
    int status = 0;
    char* text = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
    std::string result = status == 0 && text ? text : "";
    std::free(text);
    return result;
}

}  // namespace

std::string readable_type_name(std::string_view label, const char* mangled) {
    std::string name = mangled ? demangled(mangled) : std::string{};
    if (name.empty()) {
        name = type_in_label(label);
    }
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

namespace {

// True for "ZL4funcvE5Local" and "ZN4gameL4funcEvE5Local": a type inside of a static function.
bool is_in_static_function(std::string_view mangled) noexcept {
    if (mangled.substr(0, 1) != "Z") {
        return false;
    }
    std::size_t at = mangled.substr(1, 1) == "N" ? 2 : 1;
    while (at < mangled.size() && mangled[at] >= '0' && mangled[at] <= '9') {
        std::size_t length = 0;
        for (; at < mangled.size() && mangled[at] >= '0' && mangled[at] <= '9'; ++at) {
            length = length * 10 + static_cast<std::size_t>(mangled[at] - '0');
        }
        at += length;
    }
    return at < mangled.size() && mangled[at] == 'L';
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

}  // namespace kith::types
