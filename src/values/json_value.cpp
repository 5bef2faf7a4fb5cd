// Values as JSON (include/kith/json.hpp): the writer.
#include <kith/json.hpp>
#include <kith/syntax/lexer.hpp>
#include <kith/syntax/text.hpp>

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
    json_output(std::string& out, const world_t* world, const json_options& options,
                bool leaves_out_hidden = false)
        : out_(out),
          options_(options),
          comma_(options.compact ? "," : ", "),
          leaves_out_hidden_(leaves_out_hidden) {
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
        const char* before = structure ? "{" : "[";
        out_ += type.count == 0 ? before : "";
        for (std::uint32_t i = 0; i < type.count; ++i) {
            if (structure && type.members[i].hidden && leaves_out_hidden_) {
                continue;
            }
            out_ += before;
            before = comma_;
            if (structure) {
                write_string(type.members[i].name);
                out_ += ':';
            }
            write(fixed_part(type, value, i));
        }
        out_ += before != comma_ && type.count > 0 ? before : "";  // all members are hidden
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
    bool leaves_out_hidden_;
    std::uint32_t depth_ = 0;
};

}  // namespace

void append_json_string(std::string& out, std::string_view text, bool html_safe) {
    static constexpr char digits[] = "0123456789abcdef";
    out += '"';
    const auto is_plain = [html_safe](char c) {
        return c >= 0x20 && c < 0x7F && c != '"' && c != '\\' &&
               (!html_safe || (c != '<' && c != '/'));
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::size_t begin = i;
        while (i < text.size() && is_plain(text[i])) {
            ++i;
        }
        out.append(text, begin, i - begin);
        if (i == text.size()) {
            break;
        }
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

// The name of an entity without a parent, most often a word, needs no path.
void append_json_entity(std::string& out, const world_t* world, entity_t entity,
                        const json_options& options) {
    const std::string_view name =
        world && entity != 0 ? detail::name_of(world, entity, Name) : kith::string_view();
    if (!name.empty() && detail::is_alive(world, entity) &&
        detail::target_of(world, entity, ChildOf, 0) == 0) {
        std::string quoted;
        syntax::append_name(name, quoted);
        append_json_string(out, quoted, options.html_safe);
        return;
    }
    const handle shown(entity);
    detail::append_json(out, world, describe<handle>(), &shown, options);
}

}  // namespace values

namespace detail {

void append_shown_json(std::string& out, const world_t* world, const description& type,
                       const void* value, const json_options& options) {
    values::json_output(out, world, options, !options.hidden).write(type, value);
}

void append_json(std::string& out, const world_t* world, const description& type, const void* value,
                 const json_options& options) {
    values::json_output(out, world, options).write(type, value);
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
    detail::finish_json(text, options);
    return text;
}

}  // namespace kith
