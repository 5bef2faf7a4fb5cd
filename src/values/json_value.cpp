// Values as JSON (include/kith/json.hpp): the writer, and the reader, which turns events into
// literals and assigns these.
#include <kith/json.hpp>
#include <kith/syntax/json_reader.hpp>
#include <kith/syntax/lexer.hpp>

#include "assign.hpp"
#include "json_text.hpp"
#include "life.hpp"
#include "parts.hpp"
#include "raise.hpp"
#include "text_writer.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kith {

namespace values {

namespace {

using syntax::json_event;

constexpr char base64_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Texts of programs may hold any bytes, while JSON has to be UTF-8.
bool is_utf8(std::string_view text) noexcept {
    for (std::size_t at = 0; at < text.size();) {
        const std::uint32_t length = syntax::chars::utf8_length(text, at);
        if (length == 0) {
            return false;
        }
        at += length;
    }
    return true;
}

// The last group is filled up with `=` to four digits.
void append_base64(std::string& out, std::string_view bytes) {
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0u);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            out += k <= count ? base64_digits[(group >> (18 - 6 * k)) & 63] : '=';
        }
    }
}

// Writes values as JSON. Entities, enums and flags are written as their canonical texts.
class json_output {
public:
    json_output(std::string& out, const world_t* world, const json_options& options)
        : out_(out), options_(options), comma_(options.compact ? "," : ", ") {
        style_.world = world;
    }

    void write(const description& described, const void* value) {
        const description& type = detail::in_world(style_.world, described);
        if (++depth_ > options_.depth) {
            raise(errc::limit, std::string(type.life.name) + ": a value is nested deeper than " +
                                   std::to_string(options_.depth));
        }
        write_kind(type, value);
        --depth_;
    }
    void write(const typed_value& part) { write(*part.type, part.value); }

private:
    void write_kind(const description& type, const void* value) {
        switch (type.what) {
            case kind::none:
                raise(errc::invalid_type, std::string(type.life.name) + " cannot be described: " +
                                              (type.obstacle ? type.obstacle : "no members"));
            case kind::boolean:
                out_ += read_number(type.what, value).positive ? "true" : "false";
                break;
            case kind::character: {
                const char c = static_cast<char>(read_number(type.what, value).positive);
                write_text({&c, 1});
                break;
            }
            case kind::text:
                write_text(type.ops->text(type, value));
                break;
            case kind::entity:
                write_entity(type, value);
                break;
            case kind::enumeration:
            case kind::flags:
                write_named(type, value);
                break;
            case kind::structure:
            case kind::tuple:
            case kind::array:
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
                write_number_of(type, value);
                break;
        }
    }
    // JSON has no words for NaN and infinities, which are written as texts. Integers beyond 2^53
    // are written as texts on request, since many readers have doubles only.
    void write_number_of(const description& type, const void* value) {
        const number read = read_number(type.what, value);
        if (read.is == number::form::real && !std::isfinite(read.real)) {
            out_ += std::isnan(read.real) ? "\"NaN\""
                    : read.real < 0       ? "\"-Infinity\""
                                          : "\"Infinity\"";
            return;
        }
        constexpr std::uint64_t exact = std::uint64_t{1} << 53;
        const bool beyond =
            read.positive > exact || read.negative < -static_cast<std::int64_t>(exact);
        const char* quote = options_.safe_integers && beyond ? "\"" : "";
        out_ += quote;
        append_number(out_, read, type.what == kind::f32);
        out_ += quote;
    }
    // Bytes that are no UTF-8 become an object, which the reader turns into the same bytes again.
    void write_text(std::string_view text) {
        if (!is_utf8(text)) {
            out_ += "{\"$bytes\":\"";
            append_base64(out_, text);
            out_ += "\"}";
            return;
        }
        write_string(text);
    }
    void write_string(std::string_view text) { append_json_string(out_, text, options_.html_safe); }
    // The entity 0 is a number, so that it differs from each name.
    void write_entity(const description& type, const void* value) {
        if (type.ops->entity(type, value) == 0) {
            out_ += '0';
        } else {
            write_named(type, value);
        }
    }
    void write_named(const description& type, const void* value) {
        std::string name;
        append_value(name, style_, type, value);
        write_string(name);
    }
    void write_parts(const description& type, const void* value) {
        const bool structure = type.what == kind::structure;
        out_ += structure ? '{' : '[';
        for (std::uint32_t i = 0; i < type.count; ++i) {
            out_ += i > 0 ? comma_ : "";
            if (structure) {
                write_string(type.members[i].name);
                out_ += ':';
            }
            write(fixed_part(type, value, i));
        }
        out_ += structure ? '}' : ']';
    }
    // A map is an object if all keys are texts in UTF-8, else a list of pairs [key, value].
    void write_container(const description& type, const void* value) {
        const std::vector<container_entry> entries = ordered_entries(type, value);
        const bool object = type.key && has_text_keys(type, entries);
        out_ += object ? '{' : '[';
        for (std::size_t i = 0; i < entries.size(); ++i) {
            out_ += i > 0 ? comma_ : "";
            if (object) {
                write_string(type.key->ops->text(*type.key, entries[i].key));
                out_ += ':';
            } else if (type.key) {
                out_ += '[';
                write(*type.key, entries[i].key);
                out_ += comma_;
            }
            write(*type.element, entries[i].element);
            out_ += type.key && !object ? "]" : "";
        }
        out_ += object ? '}' : ']';
    }
    // A key that is no UTF-8 cannot be a key of an object.
    static bool has_text_keys(const description& type,
                              const std::vector<container_entry>& entries) {
        return type.key->what == kind::text &&
               std::all_of(entries.begin(), entries.end(), [&](const container_entry& one) {
                   return is_utf8(type.key->ops->text(*type.key, one.key));
               });
    }
    // An optional inside of an optional is a list of at most one element: `null` alone could not
    // distinguish their two empty states.
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
        out_ += '{';
        write_string(alternative_name(type, static_cast<std::uint32_t>(present.which)));
        out_ += ':';
        write(present.inner);
        out_ += '}';
    }
    void write_opaque(const description& type, const void* value) {
        with_representation(type, value,
                            [this](const description& shown, const void* representation) {
                                write(shown, representation);
                            });
    }

    std::string& out_;
    text_style style_;
    const json_options& options_;
    const char* comma_;
    std::uint32_t depth_ = 0;
};

// The literal of the value whose first event was read. The depth of the recursion is limited by the
// reader.
literal literal_of_json(syntax::json_reader& reader, json_event event) {
    literal made;
    made.at.begin = static_cast<std::uint32_t>(reader.begin());
    switch (event) {
        case json_event::begin_object:
        case json_event::begin_array: {
            const bool object = event == json_event::begin_object;
            made.form = object ? literal_form::braces : literal_form::list;
            for (json_event next = reader.next();
                 next != json_event::end_object && next != json_event::end_array;
                 next = reader.next()) {
                literal::item& item = made.items.emplace_back();
                if (object) {
                    item.keyed = literal::item::key_form::text;
                    item.key.form = literal_form::text;
                    item.key.text = reader.text();
                    item.key.at.begin = static_cast<std::uint32_t>(reader.begin());
                    item.key.at.end = static_cast<std::uint32_t>(reader.offset());
                    next = reader.next();
                }
                item.value = literal_of_json(reader, next);
            }
            break;
        }
        case json_event::text:
        case json_event::number:
            made.form = event == json_event::text ? literal_form::text : literal_form::number;
            made.text = reader.text();
            break;
        case json_event::boolean:
            made.form = literal_form::boolean;
            made.truth = reader.truth();
            break;
        default:
            break;
    }
    made.at.end = static_cast<std::uint32_t>(reader.offset());
    return made;
}

// Throws [invalid_text] with the place, also if something follows the value, and [limit] for texts
// that are nested too deeply.
literal parse_json(std::string_view text, const json_options& options) {
    syntax::json_limits limits;
    limits.depth = options.depth;
    syntax::json_reader reader(text, limits, options.file);
    literal read = literal_of_json(reader, reader.next());
    reader.next();  // nothing follows
    return read;
}

// Assigns to a copy; refusals get the place of their literal.
void assign_json(world_t* world, const description& type, void* value, std::string_view text,
                 const json_options& options) {
    const literal read = parse_json(text, options);
    assignment state;
    state.world = world;
    state.path = type.life.name;
    state.is_json = true;
#if defined(__cpp_exceptions)
    try {
        assign_literal(state, type, value, read);
    } catch (const error& refused) {
        if (refused.code() != errc::invalid_value) {
            throw;
        }
        raise(errc::invalid_text,
              syntax::json_place(text, state.place.begin, options.file) + refused.what());
    }
#else
    assign_literal(state, type, value, read);
#endif
}

}  // namespace

void append_json_string(std::string& out, std::string_view text, bool html_safe) {
    static constexpr char digits[] = "0123456789abcdef";
    out += '"';
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool html = html_safe && (c == '<' || c == '/');
        const bool separator = html_safe && (text.substr(i, 3) == "\xE2\x80\xA8" ||
                                             text.substr(i, 3) == "\xE2\x80\xA9");
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (static_cast<unsigned char>(c) < 0x20 || html) {
            out += "\\u00";
            out += digits[static_cast<unsigned char>(c) >> 4];
            out += digits[static_cast<unsigned char>(c) & 15];
        } else if (separator) {
            out += text[i + 2] == '\xA8' ? "\\u2028" : "\\u2029";
            i += 2;
        } else {
            out += c;
        }
    }
    out += '"';
}

// Padding is required; decoded bytes are appended to `into`.
bool decode_base64(std::string_view digits, std::string& into) {
    if (digits.size() % 4 != 0) {
        return false;
    }
    std::uint32_t group = 0;
    int bits = 0;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        const std::string_view all(base64_digits, 64);
        const std::size_t digit = all.find(digits[i]);
        if (digit == std::string_view::npos) {
            return digits.size() - i <= 2 && digits[i] == '=' && digits.back() == '=';
        }
        group = group << 6 | static_cast<std::uint32_t>(digit);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            into += static_cast<char>((group >> bits) & 0xFF);
        }
    }
    return true;
}

}  // namespace values

namespace detail {

void append_json(std::string& out, const world_t* world, const description& type, const void* value,
                 const json_options& options) {
    values::json_output(out, world, options).write(type, value);
}

// A mistake leaves the value as it was: the copy is assigned when all of the text was read.
void read_json(world_t* world, const description& described, void* value, std::string_view text,
               const json_options& options) {
    const description& type = in_world(world, described);
    values::value_box copy(type.life, value);
    values::assign_json(world, type, copy.get(), text, options);
    copy.assign_to(value);
}

}  // namespace detail

std::string to_json(const entity_view& entity, id_t id, const json_options& options) {
    world_t* world = entity.c_world();
    const description& type = detail::require_description(world, id);
    const void* value = detail::get_value(world, entity, id, 0);
    if (!value) {
        values::raise(errc::missing_component, std::string(detail::id_text(world, entity).c_str()) +
                                                   " does not have " +
                                                   detail::id_text(world, id).c_str());
    }
    std::string text;
    detail::append_json(text, world, type, value, options);
    return text;
}

void set_json(const entity_view& entity, id_t id, std::string_view text,
              const json_options& options) {
    world_t* world = entity.c_world();
    const description& type = detail::require_description(world, id);
    const void* present = detail::get_value(world, entity, id, 0);
    values::value_box copy =
        present ? values::value_box(type.life, present) : values::value_box(type.life);
    values::assign_json(world, type, copy.get(), text, options);
    const detail::value_source source{
        &copy,
        [](void* value, void* context) {
            static_cast<values::value_box*>(context)->move_to(value);
        },
        [](void* value, void* context) {
            static_cast<values::value_box*>(context)->assign_to(value);
        }};
    detail::set_value(world, entity, id, 0, source);
}

}  // namespace kith
