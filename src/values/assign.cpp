// Writing literals into values (assign.hpp).
#include "assign.hpp"

#include <kith/detail/assert.hpp>
#include <kith/detail/real_text.hpp>
#include <kith/syntax/lexer.hpp>

#include "life.hpp"
#include "parts.hpp"
#include "raise.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

namespace kith::values {

namespace {

const char* form_name(const literal& from) noexcept {
    static constexpr const char* names[] = {"null",   "a bool",   "a number", "a character",
                                            "a text", "a name",   "flags",    "a list",
                                            "braces", "a variant"};
    return names[static_cast<std::size_t>(from.form)];
}

[[noreturn]] void refuse_kind(assignment& state, const description& type, const literal& from) {
    state.place = from.at;
    refuse(state, errc::invalid_value,
           std::string("expected ") + type.life.name + ", found " + form_name(from));
}

// -- single values -------------------------------------------------------------------------------

number number_of(assignment& state, const literal& from) {
    number value;
    if (!parse_number(from.text, value)) {
        state.place = from.at;
        refuse(state, errc::invalid_value, from.text + " is out of the range of all numbers");
    }
    return value;
}

// Numbers that JSON writes as texts, and characters. False for other texts.
bool assign_json_text(assignment& state, const description& type, void* value,
                      const literal& from) {
    const std::string& text = from.text;
    if (type.what == kind::character) {
        return text.size() == 1 &&
               (assign_number(state, type, value,
                              number::of(std::uint64_t{static_cast<unsigned char>(text[0])})),
                true);
    }
    const std::string digits = text == "NaN"         ? "nan"
                               : text == "Infinity"  ? "inf"
                               : text == "-Infinity" ? "-inf"
                                                     : text;
    const bool named = digits != text && is_float(type.what);
    const std::string_view whole = std::string_view(digits).substr(digits.starts_with('-'));
    const bool integer = (type.what == kind::i64 || type.what == kind::u64) && !whole.empty() &&
                         whole.size() < 21 &&
                         std::all_of(whole.begin(), whole.end(), syntax::chars::is_digit);
    number read;
    if ((!named && !integer) || !parse_number(digits, read)) {
        return false;
    }
    assign_number(state, type, value, read);
    return true;
}

// JSON writes texts that are no UTF-8 as {"$bytes": base64}.
bool is_json_bytes(const assignment& state, const literal& from) {
    return state.is_json && from.form == literal_form::braces && from.items.size() == 1 &&
           from.items[0].key.text == "$bytes";
}
literal decoded_bytes(assignment& state, const literal& from) {
    literal bytes;
    bytes.at = from.at;
    bytes.form = literal_form::text;
    const literal& digits = from.items[0].value;
    if (digits.form != literal_form::text || !decode_base64(digits.text, bytes.text)) {
        refuse(state, errc::invalid_value, "this is no base64");
    }
    return bytes;
}

// Booleans, characters and numbers. A text is accepted in JSON only, where some numbers are written
// as texts.
void assign_plain(assignment& state, const description& type, void* value, const literal& from) {
    state.place = from.at;
    switch (from.form) {
        case literal_form::boolean:
            if (type.what == kind::boolean) {
                assign_number(state, type, value, number::of(std::uint64_t{from.truth}));
                return;
            }
            break;
        case literal_form::number:
            assign_number(state, type, value, number_of(state, from));
            return;
        case literal_form::character:
            if (type.what == kind::character) {
                assign_number(state, type, value,
                              number::of(std::uint64_t{static_cast<unsigned char>(from.text[0])}));
                return;
            }
            break;
        case literal_form::text:
            if (state.is_json && assign_json_text(state, type, value, from)) {
                return;
            }
            break;
        case literal_form::braces:
            if (type.what == kind::character && is_json_bytes(state, from) &&
                assign_json_text(state, type, value, decoded_bytes(state, from))) {
                return;
            }
            break;
        default:
            break;
    }
    refuse_kind(state, type, from);
}

// JSON has names of constants, and flags, in one text.
literal named_literal(const literal& from) {
    literal made;
    made.at = from.at;
    made.form = literal_form::flags;
    for (std::size_t begin = 0; begin <= from.text.size();) {
        const std::size_t end = std::min(from.text.find('|', begin), from.text.size());
        literal& part = made.items.emplace_back().value;
        part.text = from.text.substr(begin, end - begin);
        const bool digits =
            !part.text.empty() && (syntax::chars::is_digit(part.text[0]) || part.text[0] == '-');
        part.form = digits ? literal_form::number : literal_form::name;
        part.at = from.at;
        begin = end + 1;
    }
    if (made.items.size() == 1) {
        literal only = std::move(made.items[0].value);
        return only;
    }
    return made;
}

// Numbers are accepted although no constant has them: enums and flags of programs may hold others.
void assign_constants(assignment& state, const description& type, void* value,
                      const literal& from) {
    state.place = from.at;
    if (state.is_json && from.form == literal_form::text) {
        const literal named = named_literal(from);
        if (named.form != literal_form::flags || type.what == kind::flags) {
            assign_constants(state, type, value, named);
            return;
        }
    }
    if (from.form == literal_form::flags) {
        if (type.what != kind::flags) {
            refuse_kind(state, type, from);
        }
        std::uint64_t bits = 0;
        for (const literal::item& item : from.items) {
            value_box one(type.life);
            assign_constants(state, type, one.get(), item.value);
            const number read = read_number(type.number, one.get());
            bits |= read.is == number::form::negative ? static_cast<std::uint64_t>(read.negative)
                                                      : read.positive;
        }
        write_number(type.number, value, number::of(bits));
        return;
    }
    if (from.form == literal_form::number) {
        assign_number(state, type, value, number_of(state, from));
        return;
    }
    if (from.form != literal_form::name && from.form != literal_form::text) {
        refuse_kind(state, type, from);
    }
    const constant_info* constant = find_constant(type, from.text);
    if (!constant) {
        std::string known;
        for (std::uint32_t i = 0; i < type.count; ++i) {
            known += (i > 0 ? ", " : "") + std::string(type.constants[i].name);
        }
        refuse(
            state, errc::invalid_value,
            std::string(type.life.name) + " has no constant '" + from.text + "'; it has " + known);
    }
    const number wanted = is_signed(type.number)
                              ? number::of(constant->value)
                              : number::of(static_cast<std::uint64_t>(constant->value));
    if (!write_number(type.number, value, wanted)) {
        refuse(state, errc::invalid_value, from.text + " does not fit its type");
    }
}

void assign_text(assignment& state, const description& type, void* value, const literal& from) {
    state.place = from.at;
    if (is_json_bytes(state, from)) {
        assign_text(state, type, value, decoded_bytes(state, from));
        return;
    }
    if (from.form != literal_form::text) {
        refuse_kind(state, type, from);
    }
    if (!type.ops->assign_text) {
        refuse(state, errc::invalid_value,
               "the text belongs to somebody else: it can only be read");
    }
    if (!type.ops->assign_text(type, value, from.text)) {
        refuse(state, errc::invalid_value,
               "a text of " + std::to_string(from.text.size()) + " bytes does not fit into " +
                   std::to_string(type.life.size));
    }
}

void assign_entity(assignment& state, const description& type, void* value, const literal& from) {
    state.place = from.at;
    const bool is_zero = from.form == literal_form::number && from.text == "0";
    if (from.form == literal_form::null || is_zero) {
        type.ops->assign_entity(type, value, state.world, 0);
        return;
    }
    if (from.form != literal_form::name && from.form != literal_form::text) {
        refuse_kind(state, type, from);
    }
    const entity_t entity = find_entity(state, from.text);
    if (!entity) {
        refuse(state, errc::invalid_value, "there is no entity '" + from.text + "'");
    }
    type.ops->assign_entity(type, value, state.world, entity);
}

// -- composed values -----------------------------------------------------------------------------

// The range is checked after the value was written: the type converts the literal first.
void assign_member(assignment& state, const member_info& member, void* value, const literal& from) {
    assign_literal(state, *member.type, part_at(value, member.offset), from);
    state.place = from.at;
    check_range(state, member, part_at(value, member.offset));
}

// Values without keys follow the order of members and stand in front; `keyed` remembers that a key
// was seen.
const member_info& member_of_item(assignment& state, const description& type, const literal& from,
                                  std::size_t index, bool& keyed) {
    const literal::item& item = from.items[index];
    if (item.keyed == literal::item::key_form::none) {
        state.place = item.value.at;
        if (keyed) {
            refuse(state, errc::invalid_value, "a value without key stands behind one with a key");
        }
        if (index >= type.count) {
            refuse(state, errc::invalid_value,
                   std::string(type.life.name) + " has only " + std::to_string(type.count) +
                       " members");
        }
        return type.members[index];
    }
    keyed = true;
    state.place = item.key.at;
    const member_info* member =
        item.keyed == literal::item::key_form::value ? nullptr : find_member(type, item.key.text);
    if (!member) {
        const path_step step(state, "." + item.key.text);
        refuse(state, errc::invalid_value, "no such member" + suggest_member(type, item.key.text));
    }
    return *member;
}

void assign_structure(assignment& state, const description& type, void* value,
                      const literal& from) {
    if (from.form != literal_form::braces) {
        refuse_kind(state, type, from);
    }
    bool keyed = false;
    std::vector<bool> written(type.count);
    for (std::size_t i = 0; i < from.items.size(); ++i) {
        const member_info& member = member_of_item(state, type, from, i, keyed);
        const path_step step(state, std::string(".") + member.name);
        const auto index = static_cast<std::size_t>(&member - type.members);
        if (written[index]) {
            refuse(state, errc::invalid_value, "the member is written twice");
        }
        written[index] = true;
        assign_member(state, member, value, from.items[i].value);
    }
}

std::string in_brackets(std::size_t index) {
    return "[" + std::to_string(index) + "]";
}

// Elements that the literal leaves out get default values, unlike members of structs.
void assign_fixed(assignment& state, const description& type, void* value, const literal& from) {
    if (from.form != literal_form::list) {
        refuse_kind(state, type, from);
    }
    if (from.items.size() > type.count) {
        state.place = from.items[type.count].value.at;
        refuse(state, errc::invalid_value,
               std::string(type.life.name) + " has " + std::to_string(type.count) +
                   " elements, not " + std::to_string(from.items.size()));
    }
    for (std::uint32_t i = 0; i < type.count; ++i) {
        const bool array = type.what == kind::array;
        const description& of = array ? *type.element : *type.members[i].type;
        const std::size_t offset = array ? i * of.life.size : type.members[i].offset;
        if (i < from.items.size()) {
            const path_step step(state, in_brackets(i));
            assign_literal(state, of, part_at(value, offset), from.items[i].value);
        } else {
            value_box fresh(of.life);
            assign_moved(of.life, part_at(value, offset), fresh.get());
        }
    }
}

void assign_list(assignment& state, const description& type, void* value, const literal& from) {
    if (from.form != literal_form::list) {
        refuse_kind(state, type, from);
    }
    if (!type.ops->resize) {
        state.place = from.at;
        refuse(state, errc::invalid_value,
               "the list belongs to somebody else: it can only be read");
    }
    type.ops->clear(type, value);
    type.ops->resize(type, value, from.items.size());
    // Elements of linked lists are found once, not from the front for each position.
    std::vector<void*> elements;
    elements.reserve(from.items.size());
    type.ops->each(
        type, value,
        [](void* list, const void*, const void* element) {
            static_cast<std::vector<void*>*>(list)->push_back(const_cast<void*>(element));
        },
        &elements);
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const path_step step(state, in_brackets(i));
        assign_literal(state, *type.element, elements[i], from.items[i].value);
    }
}

void assign_set(assignment& state, const description& type, void* value, const literal& from) {
    if (from.form != literal_form::list) {
        refuse_kind(state, type, from);
    }
    type.ops->clear(type, value);
    for (std::size_t i = 0; i < from.items.size(); ++i) {
        const path_step step(state, in_brackets(i));
        value_box element(type.element->life);
        assign_literal(state, *type.element, element.get(), from.items[i].value);
        if (type.ops->find(type, value, element.get())) {
            refuse(state, errc::invalid_value, "the element is there twice");
        }
        type.ops->insert(type, value, element.get());
    }
}

// [[key, value], …]: the form of JSON for keys that are no texts.
void assign_pairs(assignment& state, const description& type, void* value, const literal& from) {
    type.ops->clear(type, value);
    for (std::size_t i = 0; i < from.items.size(); ++i) {
        const path_step step(state, in_brackets(i));
        const literal& pair = from.items[i].value;
        state.place = pair.at;
        if (pair.form != literal_form::list || pair.items.size() != 2) {
            refuse(state, errc::invalid_value, "expected a list of key and value");
        }
        value_box key(type.key->life);
        assign_literal(state, *type.key, key.get(), pair.items[0].value);
        if (type.ops->find(type, value, key.get())) {
            refuse(state, errc::invalid_value, "the key is there twice");
        }
        assign_literal(state, *type.element, type.ops->insert(type, value, key.get()),
                       pair.items[1].value);
    }
}

void assign_map(assignment& state, const description& type, void* value, const literal& from) {
    if (state.is_json && from.form == literal_form::list) {
        assign_pairs(state, type, value, from);
        return;
    }
    if (from.form != literal_form::braces) {
        refuse_kind(state, type, from);
    }
    type.ops->clear(type, value);
    for (const literal::item& item : from.items) {
        state.place = item.value.at;
        if (item.keyed == literal::item::key_form::none) {
            refuse(state, errc::invalid_value, "an entry of a map needs a key");
        }
        state.place = item.key.at;
        value_box key(type.key->life);
        const path_step step(state, "[" + item.key.text + "]");
        if (type.key->what == kind::text && item.keyed == literal::item::key_form::word) {
            literal text;
            text.form = literal_form::text;
            text.text = item.key.text;
            assign_literal(state, *type.key, key.get(), text);
        } else {
            assign_literal(state, *type.key, key.get(), item.key);
        }
        if (type.ops->find(type, value, key.get())) {
            refuse(state, errc::invalid_value, "the key is there twice");
        }
        assign_literal(state, *type.element, type.ops->insert(type, value, key.get()), item.value);
    }
}

// An optional of an optional is written as a list of 0 or 1 elements, which keeps two kinds of
// nothing apart.
void assign_optional(assignment& state, const description& type, void* value, const literal& from) {
    const bool nested = type.element->what == kind::optional;
    if (nested && from.form == literal_form::list) {
        if (from.items.size() > 1) {
            refuse_kind(state, type, from);
        }
        if (from.items.empty()) {
            type.ops->clear(type, value);
            return;
        }
        void* inner = type.ops->inner(type, value);
        assign_literal(state, *type.element, inner ? inner : type.ops->emplace(type, value, 0),
                       from.items[0].value);
        return;
    }
    if (from.form == literal_form::null) {
        type.ops->clear(type, value);
        return;
    }
    void* inner = type.ops->inner(type, value);
    assign_literal(state, *type.element, inner ? inner : type.ops->emplace(type, value, 0), from);
}

// `null` stands for the first alternative without members, such as std::monostate. The present
// alternative keeps members that the literal leaves out.
void assign_variant(assignment& state, const description& type, void* value, const literal& from) {
    state.place = from.at;
    const bool is_null = from.form == literal_form::null;
    const bool is_object =
        state.is_json && from.form == literal_form::braces && from.items.size() == 1;
    const std::string& name = is_object ? from.items[0].key.text : from.text;
    if (!is_null && !is_object && from.form != literal_form::variant) {
        refuse(state, errc::invalid_value,
               "expected an alternative with its value, as in " +
                   alternative_name(type, type.count - 1) + "(…)");
    }
    std::int32_t which = -1;
    if (is_null) {
        for (std::uint32_t i = 0; i < type.count; ++i) {
            const description& of = *type.members[i].type;
            if (of.what == kind::structure && of.count == 0) {
                which = static_cast<std::int32_t>(i);
                break;
            }
        }
    } else {
        which = find_alternative(type, name);
    }
    if (which < 0) {
        refuse(state, errc::invalid_value,
               std::string(type.life.name) + " has no alternative '" + (is_null ? "null" : name) +
                   "'");
    }
    const bool present = type.ops->which(type, value) == which;
    void* inner = present ? type.ops->inner(type, value)
                          : type.ops->emplace(type, value, static_cast<std::uint32_t>(which));
    if (!is_null) {
        const path_step step(state, "<" + name + ">");
        assign_literal(state, *type.members[which].type, inner, from.items[0].value);
    }
}

// The representation starts as that of the present value, so that members which the literal leaves
// out stay, if the representation can be copied.
void assign_opaque(assignment& state, const description& type, void* value, const literal& from) {
    struct copier {
        const description& type;
        value_box* copy;
    };
    value_box shown(type.element->life);
    copier context{*type.element, &shown};
    if (type.element->life.can_copy()) {
        type.ops->represent(
            type, value,
            [](void* into, const void* representation) {
                auto& copy = *static_cast<copier*>(into);
                assign_copy(copy.type.life, copy.copy->get(), representation);
            },
            &context);
    }
    assign_literal(state, *type.element, shown.get(), from);
    state.place = from.at;
    type.ops->assign(type, value, shown.get());
}

}  // namespace

// -- helpers -------------------------------------------------------------------------------------

void refuse(assignment& state, errc code, const std::string& reason) {
    raise(code, state.path.empty() ? reason : state.path + ": " + reason);
}

// -0 becomes a float, because no integer has a negative zero. Integers beyond 64 bits become
// floats, if they are decimal.
bool parse_number(std::string_view digits, number& into) {
    const bool negative = digits.starts_with('-');
    std::string_view rest = digits.substr(negative);
    if (rest == "inf" || rest == "nan") {
        const double value = rest == "nan" ? std::numeric_limits<double>::quiet_NaN()
                                           : std::numeric_limits<double>::infinity();
        into = number::of(negative ? -value : value);
        return true;
    }
    const bool hex = rest.starts_with("0x") || rest.starts_with("0X");
    const bool whole = hex || rest.find_first_of(".eE") == std::string_view::npos;
    if (whole) {
        rest.remove_prefix(hex ? 2 : 0);
        std::uint64_t value = 0;
        const auto end =
            std::from_chars(rest.data(), rest.data() + rest.size(), value, hex ? 16 : 10);
        const bool fits = end.ec == std::errc{};
        if (fits && negative && value == 0) {
            into = number::of(-0.0);
            return true;
        }
        if (fits && (!negative || value <= std::uint64_t{1} << 63)) {
            into = negative ? number::of(static_cast<std::int64_t>(0 - value)) : number::of(value);
            return true;
        }
        if (hex) {
            return false;
        }
    }
    double value = 0;
    const auto end = detail::read_real(digits.data(), digits.data() + digits.size(), value);
    if (end.ec != std::errc{}) {
        // Numbers that are too small for a double are zero; too large ones are refused.
        const std::size_t exponent = digits.find_first_of("eE");
        const bool tiny = exponent != std::string_view::npos && digits[exponent + 1] == '-';
        const bool below_one = exponent == std::string_view::npos && digits.find('.') <= 2;
        if (!tiny && !below_one) {
            return false;
        }
        value = negative ? -0.0 : 0.0;
    }
    into = number::of(value);
    return true;
}

void assign_number(assignment& state, const description& type, void* value, const number& from) {
    const kind stored = stored_kind(type);
    if (stored < kind::boolean || stored > kind::f64) {
        refuse(state, errc::invalid_value,
               std::string("expected ") + type.life.name + ", found a number");
    }
    if (!write_number(stored, value, from)) {
        std::string digits;
        append_number(digits, from);
        refuse(state, errc::invalid_value, digits + " does not fit into " + to_string(stored));
    }
}

void assign_literal(assignment& state, const description& described, void* value,
                    const literal& from) {
    KITH_ASSERT(value, "a literal is written into a value");
    const description& type = detail::in_world(state.world, described);
    switch (type.what) {
        case kind::none:
            state.place = from.at;
            refuse(state, errc::invalid_type,
                   std::string(type.life.name) + " cannot be described" +
                       (type.obstacle ? ": " : "") + (type.obstacle ? type.obstacle : ""));
        case kind::text:
            assign_text(state, type, value, from);
            break;
        case kind::entity:
            assign_entity(state, type, value, from);
            break;
        case kind::enumeration:
        case kind::flags:
            assign_constants(state, type, value, from);
            break;
        case kind::structure:
            assign_structure(state, type, value, from);
            break;
        case kind::array:
        case kind::tuple:
            assign_fixed(state, type, value, from);
            break;
        case kind::list:
            assign_list(state, type, value, from);
            break;
        case kind::set:
            assign_set(state, type, value, from);
            break;
        case kind::map:
            assign_map(state, type, value, from);
            break;
        case kind::optional:
            assign_optional(state, type, value, from);
            break;
        case kind::variant:
            assign_variant(state, type, value, from);
            break;
        case kind::opaque:
            assign_opaque(state, type, value, from);
            break;
        default:
            assign_plain(state, type, value, from);
            break;
    }
    state.place = from.at;
    check_value(state, type, value);
}

}  // namespace kith::values
