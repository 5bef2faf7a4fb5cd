// Splitting of paths into elements, and the checks of single names (path.hpp).
#include "names/path.hpp"

#include "base/raise.hpp"

#include <charconv>

namespace kith::names {

namespace {

// The characters that separate elements or nest. Most characters of a path are none of them.
struct special_characters {
    bool is_special[256] = {};
    constexpr special_characters() {
        for (char c : {'<', '>', '(', ')', '.', ':'}) {
            is_special[static_cast<unsigned char>(c)] = true;
        }
    }
};
constexpr special_characters specials;

// The position of the first special character from `position` on, or the size of the text.
std::size_t skip_plain(std::string_view text, std::size_t position) noexcept {
    const char* next = text.data() + position;
    const char* const end = text.data() + text.size();
    while (next < end && !specials.is_special[static_cast<unsigned char>(*next)]) {
        ++next;
    }
    return static_cast<std::size_t>(next - text.data());
}

}  // namespace

path_reader::path_reader(std::string_view path, std::string_view separator,
                         std::string_view root_separator) noexcept
    : rest_(path), separator_(separator), both_(separator == "::" || separator == ".") {
    for (std::string_view root :
         {root_separator, both_ ? std::string_view{"::"} : std::string_view{}}) {
        if (!root.empty() && !at_root_ && rest_.starts_with(root)) {
            at_root_ = true;
            rest_.remove_prefix(root.size());
        }
    }
}

std::size_t path_reader::separator_at(std::size_t position) const noexcept {
    if (!both_) {
        return !separator_.empty() && rest_.substr(position).starts_with(separator_)
                   ? separator_.size()
                   : 0;
    }
    char c = rest_[position];
    if (c == '.') {
        return 1;
    }
    return c == ':' && position + 1 < rest_.size() && rest_[position + 1] == ':' ? 2 : 0;
}

bool path_reader::next(std::string_view& element) noexcept {
    if (!more_) {
        return false;
    }
    int depth = 0;
    const std::size_t size = rest_.size();
    for (std::size_t position = both_ ? skip_plain(rest_, 0) : 0; position < size;
         position = both_ ? skip_plain(rest_, position + 1) : position + 1) {
        char c = rest_[position];
        if (c == '<' || c == '(') {
            ++depth;
        } else if ((c == '>' || c == ')') && depth > 0) {
            --depth;
        } else if (depth == 0) {
            if (std::size_t length = separator_at(position)) {
                element = rest_.substr(0, position);
                rest_.remove_prefix(position + length);
                return true;
            }
        }
    }
    element = rest_;
    more_ = false;
    return true;
}

void check_characters(std::string_view name) {
    const std::size_t zero = name.find('\0');
    if (zero != std::string_view::npos) {
        base::raise(errc::invalid_name,
                    base::text{} << "a name cannot have a zero character: there is one behind \""
                                 << name.substr(0, zero) << "\"");
    }
}

std::uint32_t index_element(std::string_view element) noexcept {
    std::uint32_t index = 0;
    if (element.size() < 2 || element[0] != '#') {
        return 0;
    }
    auto [end, failed] =
        std::from_chars(element.data() + 1, element.data() + element.size(), index);
    return failed == std::errc{} && end == element.data() + element.size() ? index : 0;
}

}  // namespace kith::names
