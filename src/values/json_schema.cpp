// JSON Schema (2020-12) of described types (include/kith/json.hpp). The schema accepts what the
// reader of JSON accepts, which is more than the writer writes: numbers of enums, former names.
#include <kith/detail/type_text.hpp>
#include <kith/json.hpp>

#include "assign.hpp"
#include "json_text.hpp"
#include "literal.hpp"
#include "numbers.hpp"
#include "parts.hpp"
#include "raise.hpp"

#include <limits>
#include <map>
#include <set>

namespace kith {

namespace values {

namespace {

// Texts that are no UTF-8 are written as base64 in an object with the key `$bytes`.
constexpr const char* bytes_schema =
    R"({"type":"object", "properties":{"$bytes":{"type":"string", "pattern":"^[A-Za-z0-9+/]*={0,2}$"}}, )"
    R"("required":["$bytes"], "additionalProperties":false})";
// Integers of 64 bits as texts: the reader takes both forms, and a double holds 53 bits only.
constexpr const char* digits_schema = R"({"type":"string", "pattern":"^-?[0-9]{1,20}$"})";

// Letters that have a meaning in regular expressions are escaped.
std::string pattern_of(std::string_view name) {
    std::string escaped;
    for (const char c : name) {
        if (std::string_view("\\^$.|?*+()[]{}/").find(c) != std::string_view::npos) {
            escaped += '\\';
        }
        escaped += c;
    }
    return escaped;
}

// Writes schemas of types; structs, enums and flags are written once, as definitions.
class schema_output {
public:
    explicit schema_output(const world_t* world) : world_(world) {}

    // The name of a definition, which is written when all() is called.
    void define(const description& described) {
        const description& type = detail::in_world(world_, described);
        if (known_.insert(name_of(type)).second) {
            open_.push_back(&type);
        }
    }
    // A reference to a definition. The name is a JSON Pointer inside of a URI, hence the escapes.
    std::string reference(const description& type) {
        define(type);
        std::string text = "{\"$ref\":";
        std::string path = "#/$defs/";
        for (const char c : name_of(type)) {
            path += c == '~' ? "~0" : c == '/' ? "~1" : c == '%' ? "%25" : std::string(1, c);
        }
        append_json_string(text, path);
        return text + "}";
    }
    // {"Position":{…}, …}
    std::string all() {
        std::map<std::string, std::string> made;
        while (!open_.empty()) {
            const description& type = *open_.back();
            open_.pop_back();
            made[name_of(type)] = definition(type);
        }
        std::string text = "{";
        for (const auto& [name, schema] : made) {
            text += text.size() > 1 ? ", " : "";
            append_json_string(text, name);
            text += ":" + schema;
        }
        return text + "}";
    }

private:
    // The path of the component in this world, or the name of the C++ type if no component has it.
    std::string name_of(const description& type) const {
        if (const entity_t component = detail::component_of_type(world_, type)) {
            return std::string(detail::path_of(world_, 0, component, ".", "").c_str());
        }
        return type.life.name;
    }
    static bool is_defined_apart(const description& type) {
        return type.what == kind::structure || type.what == kind::enumeration ||
               type.what == kind::flags;
    }
    // A type as a part of others.
    std::string part(const description& described) {
        const description& type = detail::in_world(world_, described);
        return is_defined_apart(type) ? reference(type) : definition(type);
    }
    // The schema of a type with the parts that have no definition of their own. Structs are
    // referred to by name, so that only containers and choices count for the depth.
    std::string definition(const description& type) {
        if (++depth_ > most_depth) {
            raise(errc::limit, "types are nested deeper than 64");
        }
        std::string text = by_kind(type);
        --depth_;
        return text;
    }
    std::string by_kind(const description& type) {
        switch (type.what) {
            case kind::none:
                raise(errc::invalid_type, std::string(type.life.name) + " cannot be described: " +
                                              (type.obstacle ? type.obstacle : "no members"));
            case kind::boolean:
                return R"({"enum":[false, true, 0, 1]})";
            case kind::character:
                return any_of({R"({"type":"string", "minLength":1, "maxLength":1})",
                               integer_schema(0, 255), bytes_schema});
            case kind::text:
                return any_of({R"({"type":"string"})", bytes_schema});
            case kind::entity:
                return R"({"anyOf":[{"type":"string"}, {"const":0}, {"type":"null"}]})";
            case kind::enumeration:
            case kind::flags:
                return constants(type);
            case kind::structure:
                return structure(type);
            case kind::f32:
            case kind::f64:
                return real(type.what);
            case kind::optional:
                return optional(type);
            case kind::variant:
                return variant(type);
            case kind::opaque:
                return part(*type.element);
            case kind::array:
            case kind::tuple:
            case kind::list:
            case kind::set:
            case kind::map:
                return container(type);
            default:
                return integer(type.what);
        }
    }
    // A value is valid if one of the schemas accepts it.
    static std::string any_of(const std::vector<std::string>& choices) {
        std::string text = "{\"anyOf\":[";
        for (const std::string& one : choices) {
            text += (&one == choices.data() ? "" : ", ") + one;
        }
        return text + "]}";
    }
    template <class Low, class High>
    static std::string integer_schema(Low low, High high) {
        return "{\"type\":\"integer\", \"minimum\":" + std::to_string(low) +
               ", \"maximum\":" + std::to_string(high) + "}";
    }
    template <class T>
    static std::string whole_range() {
        return integer_schema(std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
    }
    static std::string range_of(kind what) {
        switch (what) {
            case kind::i8:
                return whole_range<std::int8_t>();
            case kind::i16:
                return whole_range<std::int16_t>();
            case kind::i32:
                return whole_range<std::int32_t>();
            case kind::i64:
                return whole_range<std::int64_t>();
            case kind::u8:
                return whole_range<std::uint8_t>();
            case kind::u16:
                return whole_range<std::uint16_t>();
            case kind::u32:
                return whole_range<std::uint32_t>();
            default:
                return whole_range<std::uint64_t>();
        }
    }
    // Integers of 8 to 32 bits are numbers only, because each double holds them exactly.
    static std::string integer(kind what) {
        const bool may_be_text = what == kind::i64 || what == kind::u64;
        return may_be_text ? any_of({range_of(what), digits_schema}) : range_of(what);
    }
    static std::string real(kind what) {
        // Half a step above the greatest float rounds to infinity.
        const char* bounds = what == kind::f32 ? R"(, "exclusiveMinimum":-3.4028235677973366e+38, )"
                                                 R"("exclusiveMaximum":3.4028235677973366e+38)"
                                               : "";
        return any_of({std::string("{\"type\":\"number\"") + bounds + "}",
                       R"({"enum":["NaN", "Infinity", "-Infinity"]})"});
    }
    // A constant is its name, its number as a text, or a number. Names may have the path of their
    // type in front; flags are joined by `|`.
    static std::string constants(const description& type) {
        std::string names;
        for (std::uint32_t i = 0; i < type.count; ++i) {
            names += (i > 0 ? "|" : "") + pattern_of(type.constants[i].name);
        }
        const std::string one = "(-?[0-9]+|([^|]*\\.)?(" + names + "))";
        std::string text = "{\"type\":\"string\", \"pattern\":";
        append_json_string(text,
                           "^" + one + (type.what == kind::flags ? "(\\|" + one + ")*$" : "$"));
        return any_of({text + "}", range_of(type.number)});
    }
    // No member is required: the reader keeps the values of members that a text does not mention.
    std::string structure(const description& type) {
        std::string text = "{\"type\":\"object\", \"properties\":{";
        const char* between = "";
        for (const member_info& member : type) {
            text += between;
            between = ", ";
            append_json_string(text, member.name);
            text += ":" + with_attributes(member);
            if (member.attributes && member.attributes->was) {
                text += ", ";
                append_json_string(text, member.attributes->was);
                text += ":" + with_attributes(member);
            }
        }
        return text + "}, \"additionalProperties\":false}";
    }
    // Attributes are inserted in front of the closing brace of the member's schema. The range is in
    // an `allOf`, because the schema of an integer has `minimum` and `maximum` already.
    std::string with_attributes(const member_info& member) {
        std::string text = part(*member.type);
        std::string more;
        if (const member_attributes* given = member.attributes) {
            if (given->range.is_set) {
                append_number(more += ", \"allOf\":[{\"minimum\":", number::of(given->range.min));
                append_number(more += ", \"maximum\":", number::of(given->range.max));
                more += "}]";
            }
            append_text(more, "description", given->doc);
            append_text(more, "x-kith-unit", given->unit_symbol);
            append_text(more, "x-kith-was", given->was);
            if (given->default_value) {
                detail::append_json(more += ", \"default\":", world_, *member.type,
                                    given->default_value, {});
            }
        }
        more += member.read_only ? ", \"readOnly\":true" : "";
        text.insert(text.size() - 1, more);
        return text;
    }
    static void append_text(std::string& out, const char* key, const char* text) {
        if (text) {
            out += std::string(", \"") + key + "\":";
            append_json_string(out, text);
        }
    }
    std::string optional(const description& type) {
        const std::string inner = part(*type.element);
        const std::string null = R"({"type":"null"})";
        return type.element->what == kind::optional
                   ? any_of(
                         {R"({"type":"array", "maxItems":1, "items":)" + inner + "}", null, inner})
                   : any_of({inner, null});
    }
    // An alternative without members is null; each other one is an object with its name as only
    // key.
    std::string variant(const description& type) {
        std::vector<std::string> choices;
        for (std::uint32_t i = 0; i < type.count; ++i) {
            const description& of = *type.members[i].type;
            if (of.what == kind::structure && of.count == 0) {
                choices.push_back(R"({"type":"null"})");
                continue;
            }
            std::string name;
            append_json_string(name, alternative_name(type, i));
            choices.push_back("{\"type\":\"object\", \"properties\":{" + name + ":" + part(of) +
                              "}, \"required\":[" + name + "], \"additionalProperties\":false}");
        }
        return any_of(choices);
    }
    std::string container(const description& type) {
        switch (type.what) {
            case kind::array:
                return R"({"type":"array", "maxItems":)" + std::to_string(type.count) +
                       ", \"items\":" + part(*type.element) + "}";
            case kind::tuple: {
                std::string text = R"({"type":"array", "prefixItems":[)";
                for (std::uint32_t i = 0; i < type.count; ++i) {
                    text += (i > 0 ? ", " : "") + part(*type.members[i].type);
                }
                return text + "], \"items\":false}";
            }
            case kind::map:
                return any_of(
                    {R"({"type":"object", "additionalProperties":)" + part(*type.element) + "}",
                     R"({"type":"array", "items":{"type":"array", "prefixItems":[)" +
                         part(*type.key) + ", " + part(*type.element) +
                         R"(], "items":false, "minItems":2}})"});
            default:
                return std::string("{\"type\":\"array\"") +
                       (type.what == kind::set ? ", \"uniqueItems\":true" : "") +
                       ", \"items\":" + part(*type.element) + "}";
        }
    }

    const world_t* world_;
    // Names that define() has seen, and the types whose definitions all() has not written yet.
    // all() may add to both, because a definition refers to further types.
    std::set<std::string> known_;
    std::vector<const description*> open_;
    std::size_t depth_ = 0;
};

constexpr const char* dialect = R"({"$schema":"https://json-schema.org/draft/2020-12/schema")";

}  // namespace

}  // namespace values

namespace detail {

std::string json_schema_of(const world_t* world, const description& type) {
    values::schema_output output(world);
    std::string text = values::dialect;
    // The reference is the object without its braces.
    const std::string reference = output.reference(type);
    text += ", " + reference.substr(1, reference.size() - 2);
    return text + ", \"$defs\":" + output.all() + "}\n";
}

}  // namespace detail

std::string json_schema(const world& world) {
    values::schema_output output(world);
    detail::id_cursor cursor(world, detail::component_type_id, true);
    for (detail::batch batch; cursor.next(batch);) {
        for (std::uint32_t i = 0; i < batch.count; ++i) {
            const description* type = detail::find_description(world, batch.entities[i]);
            if (type && type->what != kind::none) {
                output.define(*type);
            }
        }
    }
    return std::string(values::dialect) + ", \"$defs\":" + output.all() + "}\n";
}

}  // namespace kith
