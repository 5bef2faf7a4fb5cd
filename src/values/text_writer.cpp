// The canonical text of values (text_writer.hpp).
#include "text_writer.hpp"

#include <kith/detail/assert.hpp>
#include <kith/entity.hpp>
#include <kith/syntax/lexer.hpp>
#include <kith/syntax/text.hpp>

#include "assign.hpp"
#include "life.hpp"
#include "literal.hpp"
#include "numbers.hpp"
#include "parts.hpp"
#include "raise.hpp"

#include <algorithm>
#include <vector>

namespace kith::values {

namespace {

// Appends the character at `at`, escaped if necessary, and moves `at` behind it.
void append_escaped(std::string& out, std::string_view text, std::size_t& at, char quote) {
    static constexpr char digits[] = "0123456789abcdef";
    const char c = text[at];
    const std::uint32_t length = syntax::chars::utf8_length(text, at);
    if (c == quote || c == '\\') {
        out += '\\';
        out += c;
    } else if (c == '\n' || c == '\t' || c == '\r') {
        out += c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r";
    } else if (length == 0 || static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
        out += "\\x";
        out += digits[static_cast<unsigned char>(c) >> 4];
        out += digits[static_cast<unsigned char>(c) & 15];
    } else {
        out.append(text, at, length);
        at += length;
        return;
    }
    ++at;
}

bool is_bare_word(std::string_view name) noexcept {
    return !name.empty() && !syntax::chars::is_digit(name[0]) &&
           std::all_of(name.begin(), name.end(), [](char c) {
               return syntax::chars::is_ascii(c) && syntax::chars::is_name(c);
           });
}

// Containers without an order of their own are sorted by key, which makes the text canonical. If a
// part throws, the output so far stays in `out`.
class text_output {
public:
    text_output(std::string& out, const text_style& style) : out_(out), style_(style) {}

    void write(const description& described, const void* value) {
        const description& type = detail::in_world(style_.world, described);
        if (++depth_ > most_depth) {
            raise(errc::limit, "a value is nested deeper than 64: " + std::string(type.life.name));
        }
        write_kind(type, value);
        --depth_;
    }
    void write(const typed_value& part) { write(*part.type, part.value); }

private:
    void write_kind(const description& type, const void* value) {
        switch (type.what) {
            case kind::none:
                write_unknown(type);
                break;
            case kind::boolean:
                out_ += read_number(type.what, value).positive ? "true" : "false";
                break;
            case kind::character:
                write_character(static_cast<char>(read_number(type.what, value).positive));
                break;
            case kind::text:
                append_quoted(out_, type.ops->text(type, value));
                break;
            case kind::entity:
                write_entity(type.ops->entity(type, value));
                break;
            case kind::enumeration:
                write_constant(type, value);
                break;
            case kind::flags:
                write_flags(type, value);
                break;
            case kind::structure:
            case kind::array:
            case kind::tuple:
                write_parts(type, value);
                break;
            case kind::list:
            case kind::set:
            case kind::map:
                write_container(type, value);
                break;
            case kind::optional:
                write_optional(type, value);
                break;
            case kind::variant:
                write_variant(type, value);
                break;
            case kind::opaque:
                write_opaque(type, value);
                break;
            default:
                append_number(out_, read_number(type.what, value), type.what == kind::f32);
                break;
        }
    }

    void write_unknown(const description& type) {
        if (!style_.shows_unknown) {
            raise(errc::invalid_type, std::string(type.life.name) + " cannot be described: " +
                                          (type.obstacle ? type.obstacle : "it has no members"));
        }
        out_ += '?';
    }
    void write_character(char c) {
        std::size_t at = 0;
        out_ += '\'';
        append_escaped(out_, {&c, 1}, at, '\'');
        out_ += '\'';
    }
    // A dead entity is written with its generation, which names it exactly.
    void write_entity(entity_t entity) {
        if (entity == 0) {
            out_ += '0';
            return;
        }
        if (style_.append_entity && style_.append_entity(style_.context, entity, out_)) {
            return;
        }
        const bool alive = style_.world && detail::is_alive(style_.world, entity);
        if (alive && !style_.append_entity && append_path(entity)) {
            return;
        }
        out_ += '#' + std::to_string(index_of(entity));
        out_ += alive ? "" : '@' + std::to_string(generation_of(entity));
    }
    // The path from the root; false if an element of it has no name.
    bool append_path(entity_t entity) {
        std::vector<std::string> names;
        for (entity_t at = entity; at; at = detail::target_of(style_.world, at, ChildOf, 0)) {
            names.emplace_back(detail::name_of(style_.world, at, Name).c_str());
            if (names.back().empty()) {
                return false;
            }
        }
        for (std::size_t i = names.size(); i-- > 0;) {
            syntax::append_name(names[i], out_);
            out_ += i > 0 ? "." : "";
        }
        return true;
    }
    static std::uint64_t bits_of(const description& type, const void* value) {
        const number read = read_number(type.number, value);
        return read.is == number::form::negative ? static_cast<std::uint64_t>(read.negative)
                                                 : read.positive;
    }
    // Constants are compared in the width of their type.
    static std::uint64_t bits_of(const description& type, const constant_info& constant) {
        const std::uint32_t width = 8 * type.life.size;
        const std::uint64_t mask =
            width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
        return static_cast<std::uint64_t>(constant.value) & mask;
    }
    void write_constant(const description& type, const void* value) {
        KITH_ASSERT(type.number != kind::none, "an enum has an integer");
        const number read = read_number(type.number, value);
        for (std::uint32_t i = 0; i < type.count; ++i) {
            const number constant = is_signed(type.number)
                                        ? number::of(type.constants[i].value)
                                        : number::of(bits_of(type, type.constants[i]));
            if (compare_numbers(constant, read) == 0) {
                append_word(out_, type.constants[i].name);
                return;
            }
        }
        append_number(out_, read);
    }
    // From the highest bit down; a constant of several bits only if it is the whole value.
    void write_flags(const description& type, const void* value) {
        const std::uint32_t width = 8 * type.life.size;
        const std::uint64_t mask =
            width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
        const std::uint64_t bits = bits_of(type, value) & mask;
        for (std::uint32_t i = 0; i < type.count; ++i) {
            if (bits_of(type, type.constants[i]) == bits) {
                append_word(out_, type.constants[i].name);
                return;
            }
        }
        std::uint64_t rest = bits;
        const char* between = "";
        for (int bit = 63; bit >= 0; --bit) {
            const std::uint64_t one = std::uint64_t{1} << bit;
            for (std::uint32_t i = 0; (rest & one) && i < type.count; ++i) {
                if (bits_of(type, type.constants[i]) == one) {
                    out_ += between;
                    append_word(out_, type.constants[i].name);
                    between = "|";
                    rest &= ~one;
                }
            }
        }
        if (rest != 0 || bits == 0) {
            out_ += between + std::to_string(rest);
        }
    }
    void write_parts(const description& type, const void* value) {
        const bool structure = type.what == kind::structure;
        out_ += structure ? '{' : '[';
        for (std::uint32_t i = 0; i < type.count; ++i) {
            out_ += i > 0 ? ", " : "";
            if (structure) {
                append_word(out_, type.members[i].name);
                out_ += ": ";
            }
            write(fixed_part(type, value, i));
        }
        out_ += structure ? '}' : ']';
    }
    void write_container(const description& type, const void* value) {
        const bool map = type.what == kind::map;
        const char* between = "";
        out_ += map ? '{' : '[';
        for (const container_entry& entry : ordered_entries(type, value)) {
            out_ += between;
            between = ", ";
            if (map) {
                write_key(*type.key, entry.key);
            }
            write(*type.element, entry.element);
        }
        out_ += map ? '}' : ']';
    }
    void write_key(const description& type, const void* key) {
        if (type.what == kind::text) {
            append_word(out_, type.ops->text(type, key));
            out_ += ": ";
        } else {
            out_ += '[';
            write(type, key);
            out_ += "]: ";
        }
    }
    // An optional of an optional is a list of 0 or 1, which tells two kinds of nothing apart.
    void write_optional(const description& type, const void* value) {
        const typed_value inner = inner_value(type, value);
        const bool nested = type.element->what == kind::optional;
        out_ += nested ? "[" : inner.value ? "" : "null";
        if (inner.value) {
            write(inner);
        }
        out_ += nested ? "]" : "";
    }
    void write_variant(const description& type, const void* value) {
        const present_alternative present = alternative_of(type, value);
        if (!present.inner.value) {
            out_ += "null";
            return;
        }
        out_ += alternative_name(type, static_cast<std::uint32_t>(present.which));
        out_ += '(';
        write(present.inner);
        out_ += ')';
    }
    void write_opaque(const description& type, const void* value) {
        with_representation(type, value,
                            [this](const description& shown, const void* representation) {
                                write(shown, representation);
                            });
    }

    std::string& out_;
    const text_style& style_;
    std::size_t depth_ = 0;
};

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
    out += '"';
    for (std::size_t at = 0; at < text.size();) {
        append_escaped(out, text, at, '"');
    }
    out += '"';
}

void append_word(std::string& out, std::string_view name) {
    if (is_bare_word(name)) {
        out += name;
    } else {
        append_quoted(out, name);
    }
}

void append_value(std::string& out, const text_style& style, const description& type,
                  const void* value) {
    KITH_ASSERT(value, "there is a value to write");
    text_output(out, style).write(type, value);
}

}  // namespace kith::values
