// Values as JSON (include/kith/json.hpp): the writer.
#include <kith/detail/assert.hpp>
#include <kith/detail/json_ops.hpp>
#include <kith/detail/json_values.hpp>
#include <kith/json.hpp>
#include <kith/syntax/lexer.hpp>
#include <kith/syntax/text.hpp>

#include "assign.hpp"
#include "json_program.hpp"
#include "json_text.hpp"
#include "life.hpp"
#include "numbers.hpp"
#include "parts.hpp"
#include "raise.hpp"
#include "text_writer.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
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

bool is_ascii(std::string_view text) noexcept {
    unsigned char all = 0;
    for (const char c : text) {
        all |= static_cast<unsigned char>(c);
    }
    return all < 0x80;
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

char* copy_text(char* at, const char* text, std::size_t size) noexcept {
    static_assert(json_program::padding == 16, "16 bytes behind each text may be copied");
    std::memcpy(at, text, 16);
    if (size > 16) {
        std::memcpy(at + 16, text + 16, size - 16);
    }
    return at + size;
}

char* write_boolean(char* at, bool truth) noexcept {
    std::memcpy(at, truth ? "true\0" : "false", 5);
    return at + (truth ? 4 : 5);
}

// JSON has no words for NaN and infinities, which are written as texts.
template <class T>
char* write_json_real(char* at, T value) noexcept {
    if (std::isfinite(value)) {
        return write_real(at, value);
    }
    const std::string_view word = std::isnan(value) ? "\"NaN\""
                                  : value < 0       ? "\"-Infinity\""
                                                    : "\"Infinity\"";
    return at + word.copy(at, word.size());
}

// Integers beyond 2^53 are written as texts on request, since many readers have doubles only.
template <class T>
char* write_long_integer(char* at, T value, bool safe) noexcept {
    constexpr T exact = T{1} << 53;
    const bool beyond = value > exact || (std::is_signed_v<T> && value < T{0} - exact);
    *at = '"';
    at = write_integer(at + (safe && beyond), value);
    *at = '"';
    return at + (safe && beyond);
}

char* write_json_number(char* at, kind what, const void* value, bool safe_integers) noexcept {
    switch (what) {
        case kind::boolean:
            return write_boolean(at, load<std::uint8_t>(value) != 0);
        case kind::i8:
            return write_integer(at, std::int64_t{load<std::int8_t>(value)});
        case kind::i16:
            return write_integer(at, std::int64_t{load<std::int16_t>(value)});
        case kind::i32:
            return write_integer(at, std::int64_t{load<std::int32_t>(value)});
        case kind::i64:
            return write_long_integer(at, load<std::int64_t>(value), safe_integers);
        case kind::u8:
            return write_integer(at, std::uint64_t{load<std::uint8_t>(value)});
        case kind::u16:
            return write_integer(at, std::uint64_t{load<std::uint16_t>(value)});
        case kind::u32:
            return write_integer(at, std::uint64_t{load<std::uint32_t>(value)});
        case kind::u64:
            return write_long_integer(at, load<std::uint64_t>(value), safe_integers);
        case kind::f32:
            return write_json_real(at, load<float>(value));
        default:
            KITH_ASSERT(what == kind::f64, "the kind is a number");
            return write_json_real(at, load<double>(value));
    }
}

json_style style_of(const json_options& options, bool leaves_out_hidden) noexcept {
    return {options.compact, options.html_safe, leaves_out_hidden};
}

// The first part below `levels` others, among the parts that each value of the type has; null if
// there is none.
const description* find_deep_part(const world_t* world, const description& described,
                                  std::uint32_t levels) {
    const description& type = detail::in_world(world, described);
    if (levels == 0) {
        return &type;
    }
    if (type.what == kind::array) {
        return find_deep_part(world, *type.element, levels - 1);
    }
    const bool has_parts = type.what == kind::structure || type.what == kind::tuple;
    for (std::uint32_t i = 0; has_parts && i < type.count; ++i) {
        if (const description* found = find_deep_part(world, *type.members[i].type, levels - 1)) {
            return found;
        }
    }
    return nullptr;
}

constexpr std::size_t most_collected = json_program::most_room;

}  // namespace

char* json_program::write(const void* value, char* at, bool safe_integers) const noexcept {
    KITH_ASSERT(room != 0, "the value has a longest text");
    for (const step& one : steps) {
        at = copy_text(at, texts.data() + one.text, one.text_size);
        if (one.what != kind::none) {
            at = write_json_number(at, one.what, part_at(value, one.offset), safe_integers);
        }
    }
    return at;
}

// Writes values as JSON. Entities, enums and flags are written as their canonical texts.
class json_output {
public:
    json_output(std::string& out, const text_style& style, const json_options& options,
                bool leaves_out_hidden = false)
        : out_(out),
          style_(style),
          options_(options),
          comma_(options.compact ? "," : ", "),
          programs_(style.world),
          program_style_(style_of(options, leaves_out_hidden)) {}

    void write(const description& type, const void* value) {
        run(programs_.find(type, program_style_), type, value);
    }
    void write(const typed_value& part) { write(*part.type, part.value); }
    void write_text(std::string_view text) {
        detail::append_json_text(out_, text, options_.html_safe);
    }

private:
    // Most values have a limited length, and are appended at once.
    void run(const json_program& program, const description& type, const void* value) {
        check_depth(program, type);
        char parts[most_collected];
        if (program.room == 0 || program.room > sizeof parts) {
            run_by_parts(program, value, parts);
        } else {
            const char* end = program.write(value, parts, options_.safe_integers);
            out_.append(parts, static_cast<std::size_t>(end - parts));
        }
    }
    // Numbers and short texts are collected in `parts` before they are appended.
    void run_by_parts(const json_program& program, const void* value, char* parts) {
        char* at = parts;
        const auto append = [&] {
            out_.append(parts, static_cast<std::size_t>(at - parts));
            at = parts;
        };
        for (const json_program::step& step : program.steps) {
            const char* text = program.texts.data() + step.text;
            const auto left = static_cast<std::size_t>(parts + most_collected - at);
            if (json_program::room_of(step) > left) {
                append();
            }
            if (json_program::room_of(step) > most_collected) {
                out_.append(text, step.text_size);
            } else {
                at = copy_text(at, text, step.text_size);
            }
            const void* part = part_at(value, step.offset);
            if (step.what == kind::opaque) {
                append();
                depth_ += step.level;
                write_other(*step.type, part);
                depth_ -= step.level;
            } else if (step.what != kind::none) {
                at = write_json_number(at, step.what, part, options_.safe_integers);
            }
        }
        append();
    }
    void check_depth(const json_program& program, const description& type) const {
        if (depth_ + program.depth > options_.depth) {
            const std::uint32_t left = options_.depth - std::min(options_.depth, depth_);
            const description* deep = find_deep_part(style_.world, type, left);
            KITH_ASSERT(deep, "the program knows the depth of its type");
            raise(errc::limit, std::string(deep->life.name) + ": a value is nested deeper than " +
                                   std::to_string(options_.depth));
        }
    }
    // Values whose size has no limit, and values that are too large for one program.
    void write_other(const description& type, const void* value) {
        switch (type.what) {
            case kind::none:
                write_unknown(type);
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
            default:
                KITH_ASSERT(type.what == kind::opaque, "all other kinds are numbers");
                write_opaque(type, value);
                break;
        }
    }
    void write_unknown(const description& type) {
        if (!style_.shows_unknown) {
            raise(errc::invalid_type, std::string(type.life.name) + " cannot be described: " +
                                          (type.obstacle ? type.obstacle : "no members"));
        }
        out_ += "null";
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
            if (structure && type.members[i].hidden && program_style_.leaves_out_hidden) {
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
    json_programs programs_;
    json_style program_style_;
    std::uint32_t depth_ = 0;  // of the values around the present one
};

namespace {

// Characters that may need an escape: 1 in all texts, 2 in those that are safe for HTML.
struct escape_table {
    unsigned char flags[256] = {};

    constexpr escape_table() {
        for (int c = 0; c < 256; ++c) {
            const bool always = c < 0x20 || c >= 0x7F || c == '"' || c == '\\';
            flags[c] = always ? 1 : c == '<' || c == '/' ? 2 : 0;
        }
    }
};

}  // namespace

void append_json_string(std::string& out, std::string_view text, bool html_safe) {
    static constexpr char digits[] = "0123456789abcdef";
    static constexpr escape_table escapes;
    out += '"';
    const int mask = html_safe ? 3 : 1;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::size_t begin = i;
        while (i < text.size() &&
               (escapes.flags[static_cast<unsigned char>(text[i])] & mask) == 0) {
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

void append_json_value(std::string& out, const text_style& style, const description& type,
                       const void* value, const json_options& options) {
    json_output(out, style, options).write(type, value);
}

}  // namespace values

namespace detail {

struct json_value_writer::state {
    state(std::string& text, const world_t* given, const json_options& chosen, bool shown)
        : out(text),
          world(given),
          options(chosen),
          values(text, {.world = given}, options, shown && !chosen.hidden) {}

    std::string& out;
    const world_t* world;
    json_options options;
    values::json_output values;
};

json_value_writer::json_value_writer(std::string& out, const world_t* world,
                                     const json_options& options, bool shown)
    : state_(std::make_unique<state>(out, world, options, shown)) {}
json_value_writer::~json_value_writer() = default;

void json_value_writer::append(const description& type, const void* value) {
    state_->values.write(type, value);
}
void json_value_writer::append_text(std::string_view text) {
    state_->values.write_text(text);
}
// The name of an entity without a parent, most often a word, needs no path.
void json_value_writer::append_entity(entity_t entity) {
    const world_t* world = state_->world;
    const std::string_view name =
        world && entity != 0 ? name_of(world, entity, Name) : kith::string_view();
    if (!name.empty() && is_alive(world, entity) && target_of(world, entity, ChildOf, 0) == 0) {
        if (syntax::is_bare_name(name)) {
            values::append_json_string(state_->out, name, state_->options.html_safe);
            return;
        }
        std::string quoted;
        syntax::append_name(name, quoted);
        values::append_json_string(state_->out, quoted, state_->options.html_safe);
        return;
    }
    const handle shown(entity);
    append(describe<handle>(), &shown);
}

// Bytes that are no UTF-8 become an object, which the reader turns into the same bytes again.
void append_json_text(std::string& out, std::string_view text, bool html_safe) {
    if (!values::is_ascii(text) && !values::is_utf8(text)) {
        out += "{\"$bytes\":\"";
        values::append_base64(out, text);
        out += "\"}";
        return;
    }
    values::append_json_string(out, text, html_safe);
}

void append_json(std::string& out, const world_t* world, const description& type, const void* value,
                 const json_options& options) {
    values::append_json_value(out, {.world = world}, type, value, options);
}

// A value of limited length becomes a string without memory in between.
string value_to_json(world_t* world, entity_t type, const void* value) {
    const json_options options;
    const description& described = require_description(world, type);
    values::json_programs programs(world);
    const values::json_program& program = programs.find(described, {});
    char parts[values::json_program::most_room];
    if (program.fits(options.depth)) {
        const char* end = program.write(value, parts, options.safe_integers);
        return string(text_view(parts, static_cast<std::size_t>(end - parts)));
    }
    std::string text;
    append_json(text, world, described, value, options);
    return string(text);
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
