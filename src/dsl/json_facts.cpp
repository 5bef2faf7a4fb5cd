// Staging the facts of JSON texts, and loading them (json_facts.hpp).
#include "json_facts.hpp"

#include <kith/detail/assert.hpp>
#include <kith/detail/json_values.hpp>
#include <kith/detail/type_text.hpp>

#include "diagnostics.hpp"
#include "identifier.hpp"
#include "world_contents.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace kith::dsl {

namespace {

using syntax::json_event;
using syntax::json_position;
using syntax::json_reader;
using syntax::span;

constexpr std::string_view kept_name = "kept_json";
constexpr std::size_t most_staged = std::numeric_limits<std::uint32_t>::max();

json_event next_key(json_reader& reader) {
    const json_event event = reader.next();
    KITH_ASSERT(event == json_event::key || event == json_event::end_object, "an object has keys");
    return event;
}

// Reads the value that follows and gives its text.
std::string_view skipped_value(json_reader& reader) {
    const std::size_t begin = reader.ahead();
    reader.next();
    reader.skip();
    return reader.part(begin, reader.offset());
}

// True for a word, which needs no look at quotes and dots.
bool is_plain_name(std::string_view name) {
    return !name.empty() && !syntax::chars::is_digit(name[0]) &&
           std::all_of(name.begin(), name.end(), [](char c) {
               return syntax::chars::is_name(c) && static_cast<unsigned char>(c) < 0x80;
           });
}

// The elements of a list that has no mistakes; a value that is no list is its only element.
std::vector<std::string_view> elements_of(std::string_view list) {
    std::vector<std::string_view> found;
    if (list.empty() || list[0] != '[') {
        if (!list.empty()) {
            found.push_back(list);
        }
        return found;
    }
    const auto add = [&](std::size_t begin, std::size_t end) {
        while (begin < end && (list[begin] == ' ' || list[begin] == '\n' || list[begin] == '\t' ||
                               list[begin] == '\r')) {
            ++begin;
        }
        if (begin < end) {
            found.push_back(list.substr(begin, end - begin));
        }
    };
    std::size_t begin = 1;
    int depth = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
        switch (list[i]) {
            case '"':
                for (++i; list[i] != '"'; ++i) {
                    i += list[i] == '\\';
                }
                break;
            case '[':
            case '{':
                ++depth;
                break;
            case ']':
            case '}':
                if (--depth == 0) {
                    add(begin, i);
                }
                break;
            case ',':
                if (depth == 1) {
                    add(begin, i);
                    begin = i + 1;
                }
                break;
            default:
                break;
        }
    }
    return found;
}

}  // namespace

json_facts::json_facts(const world& world, const json_options& options, const entity& subject)
    : world_(world), options_(options), subject_(subject) {
    whole_.is_listed = false;
    if (subject_) {
        whole_.name = store("#0");
    }
}

// -- names and facts -----------------------------------------------------------------------------

span json_facts::store(std::string_view text) {
    if (arena_.size() + text.size() > most_staged) {
        raise(errc::limit, "the facts of the JSON need more than 4 GB");
    }
    const auto begin = static_cast<std::uint32_t>(arena_.size());
    arena_ += text;
    return {begin, static_cast<std::uint32_t>(arena_.size())};
}

json_facts::staged_name& json_facts::intern(std::string_view name) {
    if (const auto known = names_.find(name); known != names_.end()) {
        return known->second;
    }
    staged_name made;
    made.at = store(name);
    const entity named = find_entity(world_, name);
    made.builtin = named && is_builtin(named) ? named.id() : 0;
    return names_.emplace(std::string(name), made).first->second;
}

// Names that are known were checked.
json_facts::staged_name& json_facts::checked_name(json_reader& reader, std::string_view name) {
    if (const auto known = names_.find(name); known != names_.end()) {
        return known->second;
    }
    check_path(reader, name);
    return intern(name);
}

// The place of the last event.
json_facts::text_place json_facts::place_of(json_reader& reader) const {
    if (!text_.empty()) {
        return reader.begin();
    }
    const json_position at = reader.position_of(reader.begin());
    return std::uint64_t{at.line} << 32 | at.column;
}

// "file:line:column: "
std::string json_facts::shown(text_place at) const {
    if (!text_.empty()) {
        return syntax::json_place(text_, at, options_.file);
    }
    const json_position position{static_cast<std::uint32_t>(at >> 32),
                                 static_cast<std::uint32_t>(at)};
    return position.str(options_.file);
}

// A path of names, as worlds as text write it, or the label of an entity without a name.
void json_facts::check_path(json_reader& reader, std::string_view name) const {
    if (is_plain_name(name)) {
        return;
    }
    const bool label = name.size() > 1 && name[0] == '#' && name != "#0" &&
                       std::all_of(name.begin() + 1, name.end(), syntax::chars::is_digit);
    const std::string text(name);
    syntax::lexer words(text);
    const syntax::token token = words.next();
    const bool path =
        token.kind == syntax::token_kind::name || token.kind == syntax::token_kind::quoted;
    if (!label && (!path || token.at.begin != 0 || token.at.end != name.size() || name[0] == '#')) {
        reader.fail("'" + text + "' is no path of names; special names are put in quotes");
    }
}

void json_facts::check_name(json_reader& reader, json_event event) const {
    if (event != json_event::text && event != json_event::key) {
        reader.fail("expected the path of an entity: a text");
    }
    check_path(reader, reader.text());
}

json_facts::staged_name& json_facts::read_name(json_reader& reader, json_event event) {
    if (event != json_event::text && event != json_event::key) {
        check_name(reader, event);
    }
    return checked_name(reader, reader.text());
}

json_facts::phase json_facts::phase_of(const staged_name& first, const staged_name* second) {
    if (first.builtin == 0) {
        return phase::plain;
    }
    if (first.builtin == With && second) {
        return second->builtin == With ? phase::last : phase::with;
    }
    return first.builtin == Prefab         ? phase::prefab
           : is_arrangement(first.builtin) ? phase::arrangement
           : is_demand(first.builtin)      ? phase::demand
                                           : phase::plain;
}

void json_facts::stage(const staged_name& first, const staged_name* second,
                       const staged_value& value, text_place at) {
    const phase when = phase_of(first, second);
    phases_ |= 1u << static_cast<unsigned>(when);
    facts_.push_back({first.at, second ? second->at : span(), value, at, when});
}

// -- entities ------------------------------------------------------------------------------------

// A declaration as in worlds as text. Nothing else may stand there.
void json_facts::read_type(json_reader& reader, json_event event) {
    const std::string declaration(event == json_event::text ? reader.text() : std::string_view());
    const std::size_t word = std::min(declaration.find(' '), declaration.size());
    diagnostics mistakes(declaration);
    bool sound = is_declaring_word(std::string_view(declaration).substr(0, word));
    if (sound) {
        declaration_parser reading(declaration, 0, mistakes);
        type_declaration type;
        sound = reading.run(type) && reading.end() == declaration.size();
        components_.emplace(type.name.of(declaration));
    }
    if (!sound) {
        reader.fail("expected a type, such as \"struct Cargo { tons: f32 }\"" +
                    (mistakes.empty() ? "" : ":\n" + mistakes.str()));
    }
    const text_place at = place_of(reader);
    types_.push_back({store(declaration + "\n"), at});
}

void json_facts::begin_entity(staged_entity& one) {
    one.first_fact = facts_.size();
    one.place = listed_++;
}

void json_facts::end_entity(staged_entity& one, const json_reader& reader) {
    if (one.name.end == one.name.begin) {
        reader.fail("an entity needs its path: \"entity\"");
    }
    one.fact_count = facts_.size() - one.first_fact;
    if (entities_.size() >= options_.entities) {
        raise(errc::limit,
              "the JSON has more than " + std::to_string(options_.entities) + " entities");
    }
    entities_.push_back(one);
}

void json_facts::read_entity(json_reader& reader, json_event event) {
    if (event != json_event::begin_object) {
        reader.fail("expected an entity: an object");
    }
    staged_entity one;
    one.at = place_of(reader);
    begin_entity(one);
    table_parts parts;
    for (json_event next = next_key(reader); next == json_event::key; next = next_key(reader)) {
        const std::string key(reader.text());
        if (key == "path") {
            one.name = read_name(reader, reader.next()).at;
        } else if (!read_part(reader, one, key) && !read_table_part(reader, parts, key)) {
            refuse_part(reader, key);
        }
    }
    stage_table_ids(reader, parts);
    end_entity(one, reader);
}

void json_facts::read_whole_part(json_reader& reader, const std::string& key) {
    if (facts_.empty() && entities_.empty()) {
        whole_.at = place_of(reader);
    }
    if (key == "path") {
        const staged_name& name = read_name(reader, reader.next());
        subject_path_ = std::string(name.at.of(arena_));
        whole_.name = subject_ ? whole_.name : name.at;
        return;
    }
    table_parts parts;
    if (read_part(reader, whole_, key)) {
        return;
    }
    if (!read_table_part(reader, parts, key)) {
        refuse_part(reader, key);
    }
    whole_ids_ = parts.ids.empty() ? whole_ids_ : std::string(parts.ids);
    whole_values_ = parts.values.empty() ? whole_values_ : std::string(parts.values);
}

void json_facts::finish_whole(const json_reader& reader) {
    table_parts parts;
    parts.ids = whole_ids_;
    parts.values = whole_values_;
    json_reader places(whole_ids_, {}, options_.file);
    stage_table_ids(places, parts);
    end_entity(whole_, reader);
}

void json_facts::refuse_part(json_reader& reader, const std::string& key) {
    reader.fail("there is no part '" + key + "'; an entity has entity, tags, components, pairs");
}

// False: the key is none of the usual form.
bool json_facts::read_part(json_reader& reader, staged_entity& into, const std::string& key) {
    if (key == "entity") {
        check_name(reader, reader.next());
        into.name = !into.is_listed && subject_ ? into.name : store(reader.text());
    } else if (key == "tags") {
        read_tags(reader);
    } else if (key == "components") {
        read_components(reader);
    } else if (key == "pairs") {
        read_pairs(reader);
    } else if (key == "inherited") {
        reader.skip();  // the bases have these values
    } else if (key == "disabled") {
        reader.fail("disabled ids can be written, not read");
    } else {
        return false;
    }
    return true;
}

void json_facts::read_tags(json_reader& reader) {
    if (reader.next() != json_event::begin_array) {
        reader.fail("expected a list of tags");
    }
    for (json_event next = reader.next(); next != json_event::end_array; next = reader.next()) {
        stage(read_name(reader, next), nullptr, {}, place_of(reader));
    }
}

// True if values of the component can be read: the world or the text has its type.
bool json_facts::is_component(std::string_view name, staged_name& stored) {
    if (stored.is_component) {
        return true;
    }
    const entity named = find_entity(world_, name);
    const entity_t component = named ? detail::type_component(world_, named) : 0;
    stored.is_component =
        components_.contains(name) || (named && (options_.unknown == unknown_policy::error ||
                                                 named.owns(EnumType) || component != 0));
    const description* type = component ? detail::find_description(world_, component) : nullptr;
    // Deeper values than the reader allows are left to it.
    constexpr std::uint32_t deepest = 64;
    if (type && component == named && !text_.empty() && options_.depth >= deepest) {
        stored.packed = type;
        stored.packed_size = detail::packed_json_size(world_, *type);
    }
    return stored.is_component;
}

void json_facts::read_components(json_reader& reader) {
    if (reader.next() != json_event::begin_object) {
        reader.fail("expected an object from components to values");
    }
    for (json_event next = next_key(reader); next == json_event::key; next = next_key(reader)) {
        stage_component(reader, checked_name(reader, reader.text()));
    }
}

// Reads a packed value of the component from the beginning of a text, and stores it. Returns the
// number of bytes read; 0: the text has another value there.
std::size_t json_facts::store_packed(const staged_name& component, std::string_view text,
                                     staged_value& value) {
    const std::size_t before = arena_.size();
    if (component.packed_size == 0 || before + component.packed_size > most_staged) {
        return 0;
    }
    arena_.resize(before + component.packed_size);
    const std::size_t size =
        detail::read_packed_json(world_, *component.packed, arena_.data() + before, text);
    if (size == 0) {
        arena_.resize(before);
        return 0;
    }
    value.at = {static_cast<std::uint32_t>(before), static_cast<std::uint32_t>(arena_.size())};
    value.packed = component.packed;
    return size;
}

void json_facts::stage_component(json_reader& reader, staged_name& stored) {
    const bool known = is_component(reader.text(), stored);
    if (!known && options_.unknown == unknown_policy::error && !options_.skip_unknown) {
        reader.fail("there is no component '" + std::string(reader.text()) + "'" +
                    suggest(world_, reader.text()));
    }
    const text_place at = place_of(reader);
    staged_value value;
    if (const std::size_t size = known ? store_packed(stored, reader.ahead_text(), value) : 0) {
        reader.pass_value(size);
        stage(stored, nullptr, value, at);
        return;
    }
    const std::string_view text = skipped_value(reader);
    if (known) {
        stage(stored, nullptr, {store(text), nullptr}, at);
    } else if (options_.unknown == unknown_policy::keep) {
        stage_kept(stored, text, at);
    } else {
        ++report_.skipped;
    }
}

// The value becomes the text of a kept_json.
void json_facts::stage_kept(const staged_name& name, std::string_view value, text_place at) {
    const std::string text(value);
    std::string kept = "{\"text\":";
    detail::append_json(kept, world_, describe<std::string>(), &text, {});
    stage(intern(kept_name), &name, {store(kept + "}"), nullptr}, at);
    ++report_.kept;
}

// Null stands for a target without a value.
void json_facts::read_pairs(json_reader& reader) {
    if (reader.next() != json_event::begin_object) {
        reader.fail("expected an object from relationships to targets");
    }
    for (json_event next = next_key(reader); next == json_event::key; next = next_key(reader)) {
        const staged_name& relation = read_name(reader, next);
        const json_event form = reader.next();
        if (form != json_event::begin_array && form != json_event::begin_object) {
            reader.fail("expected the targets: a list, or an object with values");
        }
        for (next = reader.next(); next != json_event::end_array && next != json_event::end_object;
             next = reader.next()) {
            const staged_name& target = read_name(reader, next);
            const text_place at = place_of(reader);
            staged_value value;
            if (form == json_event::begin_object) {
                const std::string_view text = skipped_value(reader);
                value.at = text == "null" ? span() : store(text);
            }
            stage(relation, &target, value, at);
        }
    }
}

// -- tables --------------------------------------------------------------------------------------

// True if the key belongs to the table form; its value was read then.
bool json_facts::read_table_part(json_reader& reader, table_parts& into, const std::string& key) {
    static constexpr std::string_view ignored[] = {
        "label",           "brief",         "link",         "color",   "labels",    "id_labels",
        "type_info",       "alerts",        "refs",         "matches", "variables", "hidden",
        "entity_ids",      "entity_labels", "entity_names", "colors",  "is_a",      "base",
        "variable_labels", "variable_ids"};
    std::string_view* part = key == "ids"        ? &into.ids
                             : key == "values"   ? &into.values
                             : key == "entities" ? &into.entities
                             : key == "sources"  ? &into.sources
                             : key == "is_set"   ? &into.is_set
                                                 : nullptr;
    if (part) {
        *part = skipped_value(reader);
        return true;
    }
    if (std::find(std::begin(ignored), std::end(ignored), key) != std::end(ignored)) {
        reader.skip();
        return true;
    }
    return false;
}

// [["Position"], ["Eats", "Apples"]]
std::vector<json_facts::staged_id> json_facts::read_ids(json_reader& reader,
                                                        std::string_view list) {
    std::vector<staged_id> ids;
    json_reader parts(list);
    if (!list.empty() && parts.next() != json_event::begin_array) {
        reader.fail("expected a list of ids, such as [[\"Position\"], [\"Eats\", \"Apples\"]]");
    }
    for (json_event next = list.empty() ? json_event::end_array : parts.next();
         next != json_event::end_array; next = parts.next()) {
        staged_id id{nullptr, nullptr, {}};
        if (next == json_event::text) {
            id.name = parts.text();
        } else if (next == json_event::begin_array && parts.next() == json_event::text) {
            id.name = parts.text();
            if (parts.next() == json_event::text) {
                id.second = &checked_name(reader, parts.text());
                next = parts.next();
            }
        } else {
            reader.fail("an id is a list of one or two paths");
        }
        id.first = &checked_name(reader, id.name);
        ids.push_back(std::move(id));
    }
    return ids;
}

// The facts of one row: an id, and its value if the text has one.
void json_facts::stage_row(json_reader& reader, const std::vector<staged_id>& ids,
                           const std::vector<std::string_view>& values, text_place at) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const std::string_view value = i < values.size() ? values[i] : std::string_view();
        const bool has_value = !value.empty() && value != "0" && value != "null";
        staged_name& first = *ids[i].first;
        if (!has_value || ids[i].second || is_component(ids[i].name, first)) {
            staged_value staged;
            if (has_value && (ids[i].second || store_packed(first, value, staged) == 0)) {
                staged.at = store(value);
            }
            stage(first, ids[i].second, staged, at);
        } else if (options_.unknown == unknown_policy::keep) {
            stage_kept(first, value, at);
        } else if (options_.unknown == unknown_policy::skip || options_.skip_unknown) {
            ++report_.skipped;
        } else {
            reader.fail("there is no component '" + ids[i].name + "'" +
                        suggest(world_, ids[i].name));
        }
    }
}

void json_facts::stage_table_ids(json_reader& reader, const table_parts& parts) {
    if (!parts.ids.empty()) {
        const std::vector<staged_id> ids = read_ids(reader, parts.ids);
        stage_row(reader, ids, elements_of(parts.values), place_of(reader));
    }
}

// A result of a query, or a table of a world: rows with the same ids.
void json_facts::read_table(json_reader& reader, json_event event) {
    if (event != json_event::begin_object) {
        reader.fail("expected a table: an object");
    }
    const text_place at = place_of(reader);
    table_parts parts;
    for (json_event next = next_key(reader); next == json_event::key; next = next_key(reader)) {
        const std::string key(reader.text());
        if (!read_table_part(reader, parts, key)) {
            reader.fail("there is no part '" + key + "'; a table has ids, entities, values");
        }
    }
    std::vector<staged_id> ids = read_ids(reader, parts.ids);
    std::vector<std::vector<std::string_view>> columns;
    for (const std::string_view column : elements_of(parts.values)) {
        columns.push_back(column[0] == '[' ? elements_of(column) : std::vector<std::string_view>());
    }
    columns.resize(ids.size());
    // Ids of other entities, and optional ones that are not there, are no facts of the rows.
    const std::vector<std::string_view> sources = elements_of(parts.sources);
    const std::vector<std::string_view> set = elements_of(parts.is_set);
    for (std::size_t i = ids.size(); i-- > 0;) {
        if ((i < sources.size() && sources[i] != "0") || (i < set.size() && set[i] == "false")) {
            ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(i));
            columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }
    json_reader names(parts.entities);
    std::vector<std::string_view> row(ids.size());
    std::uint32_t place = 0;
    if (parts.entities.empty() || names.next() != json_event::begin_array) {
        reader.fail("a table needs the paths of its entities: \"entities\"");
    }
    for (json_event next = names.next(); next != json_event::end_array; next = names.next()) {
        staged_entity one;
        one.at = at;
        one.first_fact = facts_.size();
        one.place = place;
        one.table = tables_;
        if (next != json_event::text) {
            reader.fail("expected the path of an entity: a text");
        }
        check_path(reader, names.text());
        one.name = store(names.text());
        for (std::size_t i = 0; i < ids.size(); ++i) {
            row[i] = place < columns[i].size() ? columns[i][place] : std::string_view();
        }
        stage_row(reader, ids, row, at);
        end_entity(one, reader);
        ++place;
    }
    ++tables_;
}

// -- loading -------------------------------------------------------------------------------------

std::string json_facts::path_of(const staged_entity& one) const {
    const std::string place = "entities[" + std::to_string(one.place) + "]";
    return !one.is_listed   ? ""
           : one.table >= 0 ? "results[" + std::to_string(one.table) + "]." + place
                            : place;
}

void json_facts::refuse(span, const char* reason) const {
    const std::string path = loading_type_ ? "types" : loading_ ? path_of(*loading_) : "";
    raise(errc::invalid_text, shown(loading_at_) + (path.empty() ? "" : path + ": ") + reason);
}

// Types first, then all entities in their order, then their facts by phases.
bool json_facts::report(fact_handler& into) {
    loading_type_ = true;
    for (const staged_type& type : types_) {
        loading_at_ = type.at;
        diagnostics none(arena_);
        type_declaration declaration;
        declaration_parser(arena_, type.declaration.begin, none).run(declaration);
        into.declare(declaration);
    }
    loading_type_ = false;
    if (report_.kept != 0) {
        into.ensure_kept_json();
    }
    for (staged_entity& one : entities_) {
        loading_ = &one;
        loading_at_ = one.at;
        into.subject(one.name);
        one.loaded = into.subject_id();
    }
    for (unsigned when = 0; when <= static_cast<unsigned>(phase::last); ++when) {
        if ((phases_ >> when & 1) == 0) {
            continue;
        }
        for (const staged_entity& one : entities_) {
            loading_ = &one;
            into.subject_again(one.loaded);
            for (std::size_t i = 0; i < one.fact_count; ++i) {
                const staged_fact& fact = facts_[one.first_fact + i];
                if (static_cast<unsigned>(fact.when) == when) {
                    loading_at_ = fact.at;
                    const written_id id{fact.first, fact.second, fact.first, fact.value.at};
                    if (fact.value.packed) {
                        into.has_packed(id, *fact.value.packed);
                    } else {
                        into.has(id);
                    }
                }
            }
        }
    }
    return true;
}

json_report json_facts::load(world& world) {
    check_may_load(world, arena_);
    // Names mean what they mean at the root.
    struct guard {
        const kith::world& world;
        entity_t scope;
        ~guard() { detail::close_scope(world, scope); }
    } former{world, detail::open_scope(world, 0)};
    json_values values;
    values.unknown = options_.unknown;
    values.subject = subject_;
    values.by_id = options_.by_id;
    values.text = arena_.data();
    facts_source source;
    source.text = arena_;
    source.json = &values;
    source.context = this;
    source.report = [](void* context, fact_handler& into) {
        return static_cast<json_facts*>(context)->report(into);
    };
    source.refused = [](void* context, span place, const char* reason) {
        static_cast<const json_facts*>(context)->refuse(place, reason);
    };
    const load_result loaded = load_facts(world, source, {});
    report_.entities = entities_.size();
    report_.facts = loaded.facts;
    report_.skipped += values.skipped;
    report_.kept += values.kept;
    return report_;
}

}  // namespace kith::dsl
