// Splitting of paths into elements, and the checks of single names (path.hpp).
#include "names/path.hpp"

#include "base/raise.hpp"

#include <bit>
#include <charconv>
#include <cstring>

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

bool is_special(char c) noexcept {
    return specials.is_special[static_cast<unsigned char>(c)];
}

// The position of the first special character from `position` on, or the size of the text.
std::size_t find_special(std::string_view text, std::size_t position) noexcept {
    const char* const begin = text.data();
    const std::size_t size = text.size();
    if constexpr (std::endian::native == std::endian::little) {
        // Eight characters are tested at once: no special character has the bit that all letters
        // have. Digits and some others are looked up.
        for (; position + 8 <= size; position += 8) {
            std::uint64_t word;
            std::memcpy(&word, begin + position, sizeof word);
            for (std::uint64_t others = ~word & 0x4040404040404040ull; others != 0;
                 others &= others - 1) {
                const std::size_t at =
                    position + static_cast<std::size_t>(std::countr_zero(others)) / 8;
                if (is_special(begin[at])) {
                    return at;
                }
            }
        }
    }
    while (position < size && !is_special(begin[position])) {
        ++position;
    }
    return position;
}

// The usual separators are compared without a call.
constexpr std::string_view scope_sign = "::";
bool is_scope_sign(std::string_view text) noexcept {
    return text.size() == 2 && text[0] == ':' && text[1] == ':';
}
bool starts_with(std::string_view text, std::string_view sign) noexcept {
    return is_scope_sign(sign) ? text.size() >= 2 && is_scope_sign(text.substr(0, 2))
                               : text.starts_with(sign);
}

}  // namespace

path_reader::path_reader(std::string_view path, std::string_view separator,
                         std::string_view root_separator) noexcept
    : rest_(path),
      separator_(separator),
      both_(is_scope_sign(separator) || (separator.size() == 1 && separator[0] == '.')) {
    for (std::string_view root : {root_separator, both_ ? scope_sign : std::string_view{}}) {
        if (!root.empty() && !at_root_ && starts_with(rest_, root)) {
            at_root_ = true;
            rest_.remove_prefix(root.size());
        }
    }
}

inline std::size_t path_reader::separator_at(std::size_t position) const noexcept {
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
    for (std::size_t position = 0;; ++position) {
        if (both_) {
            position = find_special(rest_, position);
        }
        if (position >= size) {
            break;
        }
        const char c = rest_[position];
        if (c == '<' || c == '(') {
            ++depth;
        } else if ((c == '>' || c == ')') && depth > 0) {
            --depth;
        } else if (depth == 0) {
            if (const std::size_t length = separator_at(position)) {
                element = {rest_.data(), position};
                rest_ = {rest_.data() + position + length, size - position - length};
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
