// Places, excerpts and texts of diagnostics.
#include "diagnostics.hpp"

#include <kith/syntax/lexer.hpp>

#include <algorithm>

namespace kith::dsl {

namespace {

constexpr std::size_t widest = 100;  // bytes of an excerpt's line

// True for a byte of a UTF-8 sequence that is not its first.
bool continues(char c) noexcept {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

std::size_t count_characters(std::string_view text) noexcept {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
}

// The line around an offset without its end; `begin` is the offset of the line.
std::string_view line_of(std::string_view text, std::size_t offset, std::size_t& begin) noexcept {
    begin = offset == 0 ? 0 : text.rfind('\n', offset - 1) + 1;
    std::string_view line = text.substr(begin, text.find('\n', offset) - begin);
    return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

// The line as a terminal can show it: control characters and broken bytes become `?`, tabs become
// one space.
std::string printable(std::string_view line) {
    std::string shown;
    for (std::size_t i = 0; i < line.size();) {
        const std::uint32_t length = syntax::chars::utf8_length(line, i);
        const auto byte = static_cast<unsigned char>(line[i]);
        if (length == 0 || byte < 0x20 || byte == 0x7F) {
            shown += byte == '\t' ? ' ' : '?';
            ++i;
        } else {
            shown += line.substr(i, length);
            i += length;
        }
    }
    return shown;
}

}  // namespace

place place_of(std::string_view text, std::size_t offset) noexcept {
    offset = std::min(offset, text.size());
    std::size_t begin = 0;
    line_of(text, offset, begin);
    const auto lines =
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), '\n');
    return {static_cast<std::uint32_t>(lines + 1),
            static_cast<std::uint32_t>(count_characters(text.substr(begin, offset - begin)) + 1)};
}

std::string excerpt(std::string_view text, syntax::span span) {
    std::size_t begin = 0;
    const std::size_t offset = std::min<std::size_t>(span.begin, text.size());
    std::string_view line = line_of(text, offset, begin);
    std::size_t from = std::min(offset - begin, line.size());
    std::size_t to = std::min<std::size_t>(std::max(span.end, span.begin) - begin, line.size());
    to = std::max(to, from);
    // The shown part is [left, right); both are moved to the start of a character.
    std::size_t left = from > widest / 2 ? from - widest / 2 : 0;
    while (left > 0 && left < line.size() && continues(line[left])) {
        --left;
    }
    std::size_t right = std::min(line.size(), left + widest);
    while (right < line.size() && continues(line[right])) {
        ++right;
    }
    to = std::min(to, right);
    std::string shown = left > 0 ? "..." : "";
    // Carets are indented by characters, so bytes that continue a character are not counted.
    const std::size_t indent = shown.size() + printable(line.substr(left, from - left)).size() -
                               (from - left - count_characters(line.substr(left, from - left)));
    shown += printable(line.substr(left, right - left));
    shown += right < line.size() ? "..." : "";
    const std::size_t carets =
        std::max<std::size_t>(count_characters(line.substr(from, to - from)), 1);
    return "    " + shown + "\n    " + std::string(indent, ' ') + std::string(carets, '^');
}

// Excerpts are made at once, so the list does not depend on the text.
void diagnostics::add(syntax::span span, std::string message) {
    if (++count_ <= most) {
        const place where = place_of(text_, span.begin);
        list_.push_back({where.line, where.column, std::move(message), excerpt(text_, span)});
    }
}

std::string diagnostics::str() const {
    std::string all;
    for (const text_error& error : list_) {
        all += all.empty() ? "" : "\n";
        all += file_ ? std::string(file_) + ":" : std::string();
        all += std::to_string(error.line) + ":" + std::to_string(error.column) + ": " +
               error.message + "\n" + error.excerpt;
    }
    if (count_ > most) {
        all += "\nand " + std::to_string(count_ - most) + " more";
    }
    return all;
}

void diagnostics::raise(errc code) const {
    dsl::raise(code, str());
}

void raise(errc code, const std::string& message) {
    detail::raise_error(code, message.c_str());
}

}  // namespace kith::dsl
