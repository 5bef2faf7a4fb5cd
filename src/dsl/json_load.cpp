// Entities and worlds as JSON (include/kith/json.hpp): reading. The text is turned into facts,
// which are loaded as those of worlds as text are: all or nothing. A mistake is reported with its
// place in the JSON.
//
// Covered by tests/dsl/json_world_test.cpp.
#include <kith/detail/assert.hpp>
#include <kith/detail/value_text.hpp>
#include <kith/json.hpp>
#include <kith/syntax/json_reader.hpp>

#include "fact_parser.hpp"
#include "identifier.hpp"
#include "load_facts.hpp"
#include "world_contents.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace kith {

namespace dsl {

namespace {

using syntax::json_event;
using syntax::span;

// Facts are loaded in this order: properties that decide how pairs are stored, the facts
// themselves, properties that forbid pairs, prefabs (whose instances have their children by then),
// implied ids.
enum class json_phase : std::uint8_t { arrangement, plain, demand, prefab, with, last };

struct json_fact {
    std::string first;
    std::string second;  // empty: no pair
    std::string value;   // as text; empty: none
    std::size_t at = 0;  // in the JSON
    json_phase phase = json_phase::plain;
};
struct json_entity {
    std::string name;
    std::size_t at = 0;
    bool is_listed = true;  // false: the whole text is the entity
    std::vector<json_fact> facts;
};

// A part of the generated text, and the part of the JSON that it comes from.
struct json_origin {
    std::size_t begin;
    std::size_t end;
    std::size_t at;
    std::string path;
};

class json_facts {
public:
    json_facts(const world& world, std::string_view text, const json_options& options)
        : world_(world),
          text_(text),
          options_(options),
          reader_(text, limits(options), options.file) {}

    // Reads the form of a world or of one entity, whose name may be given.
    void read(const std::string& subject) {
        if (reader_.next() != json_event::begin_object) {
            reader_.fail("expected an object: a world or an entity");
        }
        json_entity whole;
        whole.name = subject;
        whole.is_listed = false;
        bool is_entity = !subject.empty();
        for (json_event event = next_key(); event == json_event::key; event = next_key()) {
            const std::string key(reader_.text());
            if (subject.empty() && (key == "kith" || key == "types" || key == "entities")) {
                read_world_part(key);
            } else {
                is_entity = true;
                read_entity_part(whole, key, !subject.empty());
            }
        }
        reader_.next();  // nothing follows
        if (is_entity) {
            check_named(whole);
            entities_.push_back(std::move(whole));
        }
    }

    // The facts as text.
    const std::string& generate() {
        for (const auto& [declaration, at] : types_) {
            generated_ += declaration + "\n";
            note(generated_.size() - declaration.size() - 1, at, "types");
        }
        for (const json_entity& one : entities_) {
            if (!one.name.starts_with('#')) {
                const std::size_t begin = generated_.size();
                generated_ += one.name + " {}\n";
                note(begin, one.at, path_of(one));
            }
        }
        for (std::uint8_t phase = 0; phase <= static_cast<std::uint8_t>(json_phase::last);
             ++phase) {
            for (const json_entity& one : entities_) {
                append_facts(one, static_cast<json_phase>(phase));
            }
        }
        return generated_;
    }
    // Raises the error about a place of the generated text.
    [[noreturn]] void refuse(std::size_t place, const char* reason) const {
        const json_origin* found = nullptr;
        for (const json_origin& one : origins_) {
            if (one.begin <= place && place <= one.end && !found) {
                found = &one;
            }
        }
        raise(errc::invalid_text, syntax::json_place(text_, found ? found->at : 0, options_.file) +
                                      (found && !found->path.empty() ? found->path + ": " : "") +
                                      reason);
    }
    std::uint64_t entities() const noexcept { return entities_.size(); }

private:
    static syntax::json_limits limits(const json_options& options) {
        syntax::json_limits limits;
        limits.depth = options.depth + 6;  // the object, its list and its parts around a value
        return limits;
    }
    json_event next_key() {
        const json_event event = reader_.next();
        KITH_ASSERT(event == json_event::key || event == json_event::end_object,
                    "an object has keys");
        return event;
    }
    std::string path_of(const json_entity& one) const {
        const auto index = static_cast<std::size_t>(&one - entities_.data());
        return one.is_listed ? "entities[" + std::to_string(index) + "]" : "";
    }

    void read_world_part(const std::string& key) {
        const json_event event = reader_.next();
        if (key == "kith") {
            if (event != json_event::number || reader_.text() != "1") {
                reader_.fail("this is no version of the form: expected 1");
            }
            return;
        }
        if (event != json_event::begin_array) {
            reader_.fail("expected a list");
        }
        for (json_event next = reader_.next(); next != json_event::end_array;
             next = reader_.next()) {
            if (key == "types") {
                read_type(next);
            } else {
                read_entity(next);
            }
        }
    }
    // A declaration as in worlds as text. Nothing else may stand there.
    void read_type(json_event event) {
        std::string declaration(event == json_event::text ? reader_.text() : std::string_view());
        const std::size_t word = std::min(declaration.find(' '), declaration.size());
        diagnostics mistakes(declaration);
        bool sound = is_declaring_word(std::string_view(declaration).substr(0, word));
        if (sound) {
            declaration_parser reading(declaration, 0, mistakes);
            type_declaration type;
            sound = reading.run(type) && reading.end() == declaration.size();
            declared_.insert(std::string(type.name.of(declaration)));
        }
        if (!sound) {
            reader_.fail("expected a type, such as \"struct Cargo { tons: f32 }\"" +
                         (mistakes.empty() ? "" : ":\n" + mistakes.str()));
        }
        types_.emplace_back(std::move(declaration), reader_.begin());
    }
    void read_entity(json_event event) {
        if (event != json_event::begin_object) {
            reader_.fail("expected an entity: an object");
        }
        json_entity one;
        one.at = reader_.begin();
        for (json_event next = next_key(); next == json_event::key; next = next_key()) {
            read_entity_part(one, std::string(reader_.text()), false);
        }
        check_named(one);
        entities_.push_back(std::move(one));
    }
    void check_named(const json_entity& one) const {
        if (one.name.empty()) {
            reader_.fail("an entity needs its path: \"entity\"");
        }
    }

    void read_entity_part(json_entity& into, const std::string& key, bool has_name) {
        if (key == "entity") {
            const std::string name = read_name(reader_.next());
            into.name = has_name ? into.name : name;
        } else if (key == "tags") {
            read_tags(into);
        } else if (key == "components") {
            read_components(into);
        } else if (key == "pairs") {
            read_pairs(into);
        } else if (key == "inherited") {
            reader_.skip();  // the bases have these values
        } else if (key == "disabled") {
            reader_.fail("disabled ids can be written, not read");
        } else {
            reader_.fail("there is no part '" + key +
                         "'; an entity has entity, tags, components, pairs");
        }
    }
    // A path of names, as texts have it.
    std::string read_name(json_event event) {
        if (event != json_event::text && event != json_event::key) {
            reader_.fail("expected the path of an entity: a text");
        }
        const std::string name(reader_.text());
        syntax::lexer words(name);
        const syntax::token token = words.next();
        const bool path =
            token.kind == syntax::token_kind::name || token.kind == syntax::token_kind::quoted;
        if (!path || token.at.begin != 0 || token.at.end != name.size()) {
            reader_.fail("'" + name + "' is no path of names; special names are put in quotes");
        }
        return name;
    }
    void read_tags(json_entity& into) {
        if (reader_.next() != json_event::begin_array) {
            reader_.fail("expected a list of tags");
        }
        for (json_event next = reader_.next(); next != json_event::end_array;
             next = reader_.next()) {
            add_fact(into, read_name(next), {}, {}, reader_.begin());
        }
    }
    void read_components(json_entity& into) {
        if (reader_.next() != json_event::begin_object) {
            reader_.fail("expected an object from components to values");
        }
        for (json_event next = next_key(); next == json_event::key; next = next_key()) {
            const std::string name = read_name(next);
            const std::size_t at = reader_.begin();
            if (!is_known(name)) {
                if (options_.skip_unknown) {
                    reader_.skip();
                    continue;
                }
                reader_.fail("there is no component '" + name + "'" + suggest(world_, name));
            }
            add_fact(into, name, {}, read_value(reader_.next(), 0), at);
        }
    }
    // Null stands for a target without a value.
    void read_pairs(json_entity& into) {
        if (reader_.next() != json_event::begin_object) {
            reader_.fail("expected an object from relationships to targets");
        }
        for (json_event next = next_key(); next == json_event::key; next = next_key()) {
            const std::string relation = read_name(next);
            const json_event form = reader_.next();
            if (form != json_event::begin_array && form != json_event::begin_object) {
                reader_.fail("expected the targets: a list, or an object with values");
            }
            for (next = reader_.next();
                 next != json_event::end_array && next != json_event::end_object;
                 next = reader_.next()) {
                const std::string target = read_name(next);
                const std::size_t at = reader_.begin();
                std::string value;
                if (form == json_event::begin_object) {
                    value = read_value(reader_.next(), 0);
                    value = value == "null" ? "" : value;
                }
                add_fact(into, relation, target, std::move(value), at);
            }
        }
    }
    bool is_known(const std::string& name) const {
        return declared_.contains(name) || find_entity(world_, name);
    }
    void add_fact(json_entity& into, const std::string& first, const std::string& second,
                  std::string value, std::size_t at) {
        into.facts.push_back({first, second, std::move(value), at, phase_of(first, second)});
    }
    json_phase phase_of(const std::string& first, const std::string& second) const {
        const entity_t element = find_entity(world_, first);
        if (!element || !is_builtin(element)) {
            return json_phase::plain;
        }
        if (element == With && !second.empty()) {
            return find_entity(world_, second) == With ? json_phase::last : json_phase::with;
        }
        return element == Prefab         ? json_phase::prefab
               : is_arrangement(element) ? json_phase::arrangement
               : is_demand(element)      ? json_phase::demand
                                         : json_phase::plain;
    }

    // The value as text; the depth of the recursion is limited by the reader.
    std::string read_value(json_event event, std::size_t depth) {
        std::string out;
        switch (event) {
            case json_event::begin_object:
            case json_event::begin_array: {
                const bool object = event == json_event::begin_object;
                out = object ? "{" : "[";
                for (json_event next = reader_.next();
                     next != json_event::end_object && next != json_event::end_array;
                     next = reader_.next()) {
                    out += out.size() > 1 ? ", " : "";
                    if (object) {
                        detail::append_quoted_text(out, reader_.text());
                        out += ": ";
                        next = reader_.next();
                    }
                    out += read_value(next, depth + 1);
                }
                return out + (object ? "}" : "]");
            }
            case json_event::text:
                detail::append_quoted_text(out, reader_.text());
                return out;
            case json_event::number:
                return std::string(reader_.text());
            case json_event::boolean:
                return reader_.truth() ? "true" : "false";
            default:
                return "null";
        }
    }

    void note(std::size_t begin, std::size_t at, std::string path) {
        origins_.push_back({begin, generated_.size(), at, std::move(path)});
    }
    void append_facts(const json_entity& one, json_phase phase) {
        const char* before = ": ";
        for (const json_fact& fact : one.facts) {
            if (fact.phase != phase) {
                continue;
            }
            generated_ += before[0] == ':' ? one.name : "";
            generated_ += before;
            before = ", ";
            const std::size_t begin = generated_.size();
            generated_ +=
                fact.second.empty() ? fact.first : "(" + fact.first + ", " + fact.second + ")";
            generated_ += fact.value.empty() ? "" : " = " + fact.value;
            note(begin, fact.at, path_of(one));
        }
        generated_ += before[0] == ',' ? "\n" : "";
    }

    world world_;
    std::string_view text_;
    const json_options& options_;
    syntax::json_reader reader_;
    std::vector<std::pair<std::string, std::size_t>> types_;
    std::unordered_set<std::string> declared_;  // names of types
    std::vector<json_entity> entities_;
    std::string generated_;
    std::vector<json_origin> origins_;
};

// Keeps the place of the first mistake of the generated text.
std::size_t offset_of(std::string_view text, const text_error& mistake) {
    std::size_t at = 0;
    for (std::uint32_t line = 1; line < mistake.line; ++line) {
        at = text.find('\n', at) + 1;
    }
    return at + (mistake.column > 0 ? mistake.column - 1 : 0);
}

json_report load_json(world& world, std::string_view text, const json_options& options,
                      const std::string& subject) {
    check_may_load(world, text);
    // Names mean what they mean at the root.
    const entity_t scope = world.set_scope(0);
    struct guard {
        const kith::world& world;
        entity_t scope;
        ~guard() { world.set_scope(scope); }
    } former{world, scope};
    json_facts facts(world, text, options);
    facts.read(subject);
    const std::string& generated = facts.generate();
    check_may_load(world, generated);
    if (const std::vector<text_error> mistakes = check_text(generated); !mistakes.empty()) {
        facts.refuse(offset_of(generated, mistakes[0]), mistakes[0].message.c_str());
    }
    facts_source source;
    source.text = generated;
    source.json_values = true;
    source.context = &facts;
    source.refused = [](void* context, span place, const char* reason) {
        static_cast<const json_facts*>(context)->refuse(place.begin, reason);
    };
    const load_result loaded = load_facts(world, source, {});
    return {facts.entities(), loaded.facts};
}

}  // namespace

}  // namespace dsl

json_report from_json(world& world, std::string_view text, const json_options& options) {
    return dsl::load_json(world, text, options, {});
}

json_report from_json(const entity_view& entity, std::string_view text,
                      const json_options& options) {
    kith::world world(entity.c_world());
    if (!entity.is_alive()) {
        dsl::raise(errc::invalid_entity, "an entity that is not alive cannot be read");
    }
    return dsl::load_json(world, text, options, "#" + std::to_string(index_of(entity)));
}

}  // namespace kith
