// Writing literals into values (assign.hpp).
#include "assign.hpp"

#include <kith/detail/assert.hpp>
#include <kith/syntax/lexer.hpp>
#include <kith/world.hpp>

#include "life.hpp"
#include "parts.hpp"
#include "raise.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace kith::values {

namespace {

// Adds an element to the path while it lives.
class path_step {
public:
    path_step(assignment& state, const std::string& element)
        : state_(state), length_(state.path.size()) {
        state.path += element;
    }
    ~path_step() { state_.path.resize(length_); }

private:
    assignment& state_;
    std::size_t length_;
};

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
    const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value);
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

void check_range(assignment& state, const member_info& member, const void* value) {
    KITH_ASSERT(member.type, "a member has a type");
    if (!member.attributes || !member.attributes->range.is_set) {
        return;
    }
    const value_range& range = member.attributes->range;
    const number given = read_number(stored_kind(*member.type), value);
    if (compare_numbers(given, number::of(range.min)) < 0 ||
        compare_numbers(given, number::of(range.max)) > 0) {
        std::string text;
        append_number(text, given, member.type->what == kind::f32);
        text += " is outside of ";
        append_number(text, number::of(range.min));
        text += "..";
        append_number(text, number::of(range.max));
        refuse(state, errc::invalid_value, text);
    }
}

void check_value(assignment& state, const description& type, const void* value) {
    if (type.validate) {
        if (const char* reason = type.validate(type, value)) {
            refuse(state, errc::invalid_value, reason);
        }
    }
}

namespace {

// Visits all parts of a value, the innermost first. The depth of values is limited, since every way
// to make them by texts is; lists of lists that a program made deeper are refused.
class part_check {
public:
    part_check(assignment& state, bool with_ranges) : state_(state), with_ranges_(with_ranges) {}

    void visit(const description& described, const void* value) {
        const description& type = detail::in_world(state_.world, described);
        if (++depth_ > most_depth) {
            refuse(state_, errc::limit, "the value is nested deeper than 64");
        }
        visit_inner(type, value);
        --depth_;
        check_value(state_, type, value);
    }

private:
    void visit_inner(const description& type, const void* value) {
        switch (type.what) {
            case kind::structure:
            case kind::tuple:
            case kind::array:
                visit_fixed(type, value);
                break;
            case kind::list:
            case kind::set:
            case kind::map:
                visit_entries(type, value);
                break;
            case kind::optional:
                visit_present(inner_value(type, value));
                break;
            case kind::variant:
                visit_present(alternative_of(type, value).inner);
                break;
            default:
                break;
        }
    }
    void visit_fixed(const description& type, const void* value) {
        for (std::uint32_t i = 0; i < type.count; ++i) {
            const bool named = type.what == kind::structure;
            const path_step step(state_,
                                 named ? "." + std::string(type.members[i].name) : in_brackets(i));
            const typed_value part = fixed_part(type, value, i);
            visit(*part.type, part.value);
            if (named && with_ranges_) {
                check_range(state_, type.members[i], part.value);
            }
        }
    }
    void visit_entries(const description& type, const void* value) {
        std::size_t index = 0;
        for (const container_entry& entry : ordered_entries(type, value)) {
            const path_step step(state_, in_brackets(index++));
            visit_present({type.key, entry.key});
            visit(*type.element, entry.element);
        }
    }
    void visit_present(const typed_value& part) {
        if (part.value) {
            visit(*part.type, part.value);
        }
    }

    assignment& state_;
    bool with_ranges_;
    std::size_t depth_ = 0;
};

}  // namespace

void check_rules(assignment& state, const description& type, const void* value) {
    part_check(state, false).visit(type, value);
}
void check_parts(assignment& state, const description& type, const void* value) {
    part_check(state, true).visit(type, value);
}

// Present names win over former ones (`was`).
const member_info* find_member(const description& type, std::string_view name) {
    for (const member_info& member : type) {
        if (name == member.name) {
            return &member;
        }
    }
    for (const member_info& member : type) {
        if (member.attributes && member.attributes->was && name == member.attributes->was) {
            return &member;
        }
    }
    return nullptr;
}

namespace {

// The number of letters by which two words differ.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) {
        row[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row[b.size()];
}

// The name of a type without namespaces; template arguments stay.
std::string_view last_name(std::string_view name) {
    const std::size_t angle = name.find('<');
    const std::size_t colon = name.substr(0, angle).rfind(':');
    const std::size_t dot = name.substr(0, angle).rfind('.');
    const std::size_t cut = colon == std::string_view::npos ? dot : colon;
    return cut == std::string_view::npos ? name : name.substr(cut + 1);
}

}  // namespace

// A name counts as near if at most a third of its letters differ, and one letter in short names.
std::string suggest_member(const description& type, std::string_view name) {
    constexpr std::uint32_t most_shown = 12;
    std::string text = "; " + std::string(type.life.name) + " has ";
    const char* nearest = nullptr;
    std::size_t least = std::max<std::size_t>(name.size() / 3, 1) + 1;
    for (std::uint32_t i = 0; i < type.count; ++i) {
        const char* member = type.members[i].name;
        if (i < most_shown) {
            text += (i > 0 ? ", " : "") + std::string(member);
        }
        if (name.size() < 64) {
            const std::size_t far = distance(name, member);
            nearest = far < least ? member : nearest;
            least = std::min(far, least);
        }
    }
    text += type.count == 0 ? "no members" : type.count > most_shown ? ", …" : "";
    return nearest ? text + "; did you mean '" + nearest + "'?" : text;
}

// The last name is enough if no other alternative shares it; then the full name, and `#2` if that
// is shared, too, or is no word.
std::string alternative_name(const description& type, std::uint32_t which) {
    KITH_ASSERT(which < type.count, "the variant has the alternative");
    const description* wanted = type.members[which].type;
    const std::string_view full = wanted->life.name;
    const std::string_view last = last_name(full);
    bool shares_last = false;
    bool shares_full = false;
    for (std::uint32_t i = 0; i < type.count; ++i) {
        if (i != which) {
            const std::string_view other = type.members[i].type->life.name;
            shares_full |= other == full;
            shares_last |= last_name(other) == last;
        }
    }
    const bool is_word = std::all_of(last.begin(), last.end(), syntax::chars::is_name);
    if (shares_full || !is_word) {
        return "#" + std::to_string(which);
    }
    std::string name(shares_last ? full : last);
    for (std::size_t at = name.find("::"); at != std::string::npos; at = name.find("::")) {
        name.replace(at, 2, ".");
    }
    return name;
}

std::int32_t find_alternative(const description& type, std::string_view name) {
    for (std::uint32_t i = 0; i < type.count; ++i) {
        if (name == alternative_name(type, i) || name == "#" + std::to_string(i)) {
            return static_cast<std::int32_t>(i);
        }
    }
    return -1;
}

const constant_info* find_constant(const description& type, std::string_view name) {
    KITH_ASSERT(type.what == kind::enumeration || type.what == kind::flags,
                "only enums and flags have constants");
    const std::size_t dot = name.rfind('.');
    const std::string_view word = dot == std::string_view::npos ? name : name.substr(dot + 1);
    for (std::uint32_t i = 0; i < type.count; ++i) {
        if (word == type.constants[i].name) {
            return &type.constants[i];
        }
    }
    return nullptr;
}

// An index without generation names the live entity with the index. A generation names exactly this
// id, whether or not it is alive, so that texts keep dead handles.
entity_t find_entity(assignment& state, std::string_view name) {
    if (!state.world) {
        return 0;
    }
    if (name.starts_with('#')) {
        std::uint32_t index = 0;
        const char* end = name.data() + name.size();
        const auto read = std::from_chars(name.data() + 1, end, index);
        if (read.ec != std::errc{}) {
            return 0;
        }
        if (read.ptr == end) {
            return detail::get_alive(state.world, index);
        }
        std::uint16_t generation = 0;
        const auto last = std::from_chars(read.ptr + 1, end, generation);
        return *read.ptr == '@' && last.ec == std::errc{} && last.ptr == end
                   ? make_entity_id(index, generation)
                   : 0;
    }
    if (state.find) {
        return state.find(state.context, name);
    }
    return detail::lookup_path(state.world, 0, name, ".", "::", true);
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
