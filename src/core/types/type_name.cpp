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

bool is_unit_local(std::string_view label, const char* mangled) noexcept {
    if (mangled) {
        return std::string_view{mangled}.find("_GLOBAL__N_") != std::string_view::npos;
    }
    return label.find("{anonymous}") != std::string_view::npos ||
           label.find("(anonymous namespace)") != std::string_view::npos;
}

}  // namespace kith::types
