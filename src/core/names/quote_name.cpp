// Names in the spelling of the query language: bare where the language reads them back as the same
// name, else in quotes with escapes. The functions are declared in kith/syntax/text.hpp.
#include <kith/syntax/query_parser.hpp>
#include <kith/syntax/text.hpp>

namespace kith::syntax {

namespace {

// Appends one byte as an escape sequence: \", \\, \n, \t, \r or \xHH.
void append_escaped(char c, std::string& out) {
    constexpr const char* digits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
        out += '\\';
        out += c;
    } else if (c == '\n' || c == '\t' || c == '\r') {
        out += '\\';
        out += c == '\n' ? 'n' : c == '\t' ? 't' : 'r';
    } else {
        out += "\\x";
        out += digits[byte >> 4];
        out += digits[byte & 15];
    }
}

}  // namespace

// True if the language reads the name without quotes as a name: it has only characters of names,
// and is no number, no wildcard and no keyword of a search.
bool is_bare_name(std::string_view name) noexcept {
    bool digits_only = true;
    for (std::size_t i = 0; i < name.size();) {
        const bool is_ascii = chars::is_ascii(name[i]);
        const std::uint32_t length = is_ascii ? 1 : chars::utf8_length(name, i);
        if (length == 0 || !chars::is_name(name[i]) ||
            (!is_ascii && chars::is_curly_quote(name, i))) {
            return false;
        }
        digits_only = digits_only && chars::is_digit(name[i]);
        i += length;
    }
    return !name.empty() && !digits_only && name != "_" && words::find_flags(name) == 0;
}

void append_name(std::string_view name, std::string& out) {
    if (is_bare_name(name)) {
        out += name;
    } else {
        append_quoted(name, out);
    }
}

void append_quoted(std::string_view name, std::string& out) {
    out += '"';
    for (std::size_t i = 0; i < name.size();) {
        const std::uint32_t length = chars::utf8_length(name, i);
        const auto byte = static_cast<unsigned char>(name[i]);
        if (length == 0 || byte < 0x20 || byte == 0x7F || byte == '"' || byte == '\\') {
            append_escaped(name[i], out);
            ++i;
        } else {
            out += name.substr(i, length);
            i += length;
        }
    }
    out += '"';
}

}  // namespace kith::syntax
