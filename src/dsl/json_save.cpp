// Entities and worlds as JSON (include/kith/json.hpp): writing.
//
// Covered by tests/dsl/json_world_test.cpp.
#include <kith/detail/assert.hpp>
#include <kith/detail/json_chunks.hpp>
#include <kith/detail/json_values.hpp>
#include <kith/json.hpp>

#include "diagnostics.hpp"
#include "entity_ids.hpp"
#include "json_path.hpp"
#include "world_contents.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <unordered_map>

namespace kith {

namespace dsl {

namespace {

// What entities with the same ids have in common: the text around their values.
struct entity_form {
    struct step {
        std::string before;
        id_t id;
        const description* type;
    };
    std::vector<step> steps;
    std::string after;
};

// The text of many entities, and the means to write it.
struct entity_text {
    entity_text(std::string& text, const world& world, const json_options& options)
        : out(text), values(text, world, options), paths(world, options) {}

    std::string& out;
    detail::json_value_writer values;
    json_paths paths;
};

// Facts of one entity, sorted by their paths, so that equal entities have equal texts.
class entity_object {
public:
    entity_object(const entity& subject, const json_options& options)
        : world_(subject.world()),
          subject_(subject),
          options_(options),
          comma_(options.compact ? "," : ", ") {
        components_.reserve(8);
    }

    void add(id_t id) {
        KITH_ASSERT(subject_.owns(id), "the entity has the fact");
        const kith::id shown(world_, id);
        if (is_kept_json(id)) {
            kept_[json_path(shown.second())] =
                static_cast<const kept_json*>(subject_.get(id))->text;
            return;
        }
        const entity_t component = detail::type_component(world_, id);
        const bool has_value = component != 0;
        if (!subject_.enabled(id)) {
            disabled_.push_back(std::string(shown.str()));
        }
        const description* type = has_value ? find_described(id, component) : nullptr;
        if (has_value && !type) {
            return;
        }
        if (is_pair(id)) {
            pairs_.push_back({json_path(shown.first()), json_path(shown.second()), id, type});
        } else if (has_value) {
            components_.push_back({json_path(shown.entity()), id, type});
        } else {
            tags_.push_back(json_path(shown.entity()));
        }
    }
    // Values of the bases that the entity has and does not own. Nearer bases win.
    void add_inherited(const entity& base) {
        for (const id_t id : ids_of(base)) {
            const entity_t component = is_pair(id) ? 0 : detail::type_component(world_, id);
            if (component != 0 && !subject_.owns(id) && subject_.has(id) &&
                find_described(id, component)) {
                inherited_.try_emplace(json_path(kith::id(world_, id).entity()), id, base);
            }
        }
        each_base(base, [this](const entity& next) { add_inherited(next); });
    }
    template <class Func>
    static void each_base(const entity& derived, Func&& func) {
        for (std::int32_t i = 0; const entity base = derived.target(IsA, i); ++i) {
            func(base);
        }
    }
    void write(entity_text& into) {
        into.out += "{\"entity\":";
        into.paths.append(into.out, subject_);
        write_facts(into.out, [&](id_t id, const description& type) {
            into.values.append(type, subject_.get(id));
        });
    }
    // Requires: the entity has no disabled and no inherited ids, and no JSON that was kept.
    entity_form make_form() {
        KITH_ASSERT(disabled_.empty() && inherited_.empty() && kept_.empty(),
                    "other entities with the same ids have the same text around their values");
        entity_form made;
        write_facts(made.after, [&](id_t id, const description& type) {
            made.steps.push_back({std::string(), id, &type});
            made.steps.back().before.swap(made.after);
        });
        return made;
    }
    static void write(entity_text& into, const entity& subject, const entity_form& form) {
        into.out += "{\"entity\":";
        into.paths.append(into.out, subject);
        for (const entity_form::step& step : form.steps) {
            into.out += step.before;
            into.values.append(*step.type, subject.get(step.id));
        }
        into.out += form.after;
    }

private:
    struct component_fact {
        std::string name;
        id_t id;  // 0: its JSON was kept
        const description* type;
    };
    struct pair_fact {
        std::string relation;
        std::string target;
        id_t id;
        const description* type;  // null: no value
    };

    // Null if the value is left out.
    const description* find_described(id_t id, entity_t component) const {
        const description* type = detail::find_description(world_, component);
        if (type && type->what != kind::none) {
            return type;
        }
        return options_.skip_unknown ? nullptr : &detail::require_description(world_, id);
    }
    void text(std::string& out, std::string_view written) const {
        detail::append_json_text(out, written, options_.html_safe);
    }
    // The part behind the entity's path; `value` writes the value of an id to `out`.
    template <class Value>
    void write_facts(std::string& out, Value&& value) {
        std::sort(tags_.begin(), tags_.end());
        write_list(out, "tags", tags_);
        write_components(out, value);
        write_pairs(out, value);
        write_list(out, "disabled", disabled_);
        write_inherited(out, value);
        out += "}";
    }
    void begin_part(std::string& out, const char* key) const {
        ((out += comma_) += '"') += key;
        out += "\":";
    }
    void write_list(std::string& out, const char* key, const std::vector<std::string>& list) const {
        if (list.empty()) {
            return;
        }
        begin_part(out, key);
        const char* before = "[";
        for (const std::string& one : list) {
            out += before;
            before = comma_;
            text(out, one);
        }
        out += "]";
    }
    // Components that nobody knew when they were read have no id: their JSON was kept.
    template <class Value>
    void write_components(std::string& out, Value&& value) {
        for (const auto& unknown : kept_) {
            const bool is_known = std::any_of(
                components_.begin(), components_.end(),
                [&](const component_fact& known) { return known.name == unknown.first; });
            if (!is_known) {
                components_.push_back({unknown.first, 0, nullptr});
            }
        }
        std::sort(components_.begin(), components_.end(),
                  [](const auto& left, const auto& right) { return left.name < right.name; });
        const char* before = "{";
        if (!components_.empty()) {
            begin_part(out, "components");
        }
        for (const auto& [name, id, type] : components_) {
            out += before;
            before = comma_;
            text(out, name);
            out += ":";
            const auto kept = kept_.find(name);
            if (id == 0) {
                out += kept->second;
            } else if (kept == kept_.end()) {
                value(id, *type);
            } else {
                std::string known;
                detail::append_json(known, world_, *type, subject_.get(id), options_);
                detail::merge_json_members(known, kept->second, comma_);
                out += known;
            }
        }
        out += components_.empty() ? "" : "}";
    }
    // {"Hull":{"from":"Tanker", "value":{…}}}
    template <class Value>
    void write_inherited(std::string& out, Value&& value) const {
        const char* before = "{";
        if (!inherited_.empty()) {
            begin_part(out, "inherited");
        }
        for (const auto& [name, found] : inherited_) {
            out += before;
            before = comma_;
            text(out, name);
            out += ":{\"from\":";
            text(out, json_path(found.second));
            out += std::string(comma_) + "\"value\":";
            value(found.first, detail::require_description(world_, found.first));
            out += "}";
        }
        out += inherited_.empty() ? "" : "}";
    }
    template <class Value>
    void write_pairs(std::string& out, Value&& value) {
        std::sort(pairs_.begin(), pairs_.end(), [](const auto& left, const auto& right) {
            return std::tie(left.relation, left.target) < std::tie(right.relation, right.target);
        });
        const char* before = "{";
        if (!pairs_.empty()) {
            begin_part(out, "pairs");
        }
        for (auto first = pairs_.begin(); first != pairs_.end();) {
            const auto end = std::find_if(first, pairs_.end(), [&](const pair_fact& one) {
                return one.relation != first->relation;
            });
            out += before;
            before = comma_;
            text(out, first->relation);
            out += ":";
            write_targets(out, {first, end}, value);
            first = end;
        }
        out += pairs_.empty() ? "" : "}";
    }
    // A list, or an object from targets to values if there are any; a target without a value has
    // null there.
    template <class Value>
    void write_targets(std::string& out, std::span<const pair_fact> pairs, Value&& value) const {
        const bool object = std::any_of(pairs.begin(), pairs.end(),
                                        [](const pair_fact& one) { return one.type != nullptr; });
        const char* before = object ? "{" : "[";
        for (const pair_fact& one : pairs) {
            out += before;
            before = comma_;
            text(out, one.target);
            out += object ? ":" : "";
            if (one.type) {
                value(one.id, *one.type);
            } else {
                out += object ? "null" : "";
            }
        }
        out += object ? "}" : "]";
    }

    world world_;
    entity subject_;
    const json_options& options_;
    const char* comma_;
    std::vector<std::string> tags_;
    std::vector<std::string> disabled_;
    std::vector<component_fact> components_;
    std::map<std::string, std::string> kept_;  // JSON by the names of components
    std::map<std::string, std::pair<id_t, entity>> inherited_;
    std::vector<pair_fact> pairs_;
};

// The forms of the entities of a world: those with the same facts share one.
class entity_forms {
public:
    explicit entity_forms(const json_options& options) : options_(options) {}

    void write(entity_text& into, const entity& subject, const world_contents::fact_list& facts) {
        if (last_ != &facts) {
            const auto [entry, is_new] = forms_.try_emplace(&facts);
            last_ = &facts;
            form_ = &entry->second;
            if (is_new && std::none_of(facts.begin(), facts.end(), is_kept_json)) {
                *form_ = object_of(subject, facts).make_form();
            }
        }
        if (form_->after.empty()) {
            object_of(subject, facts).write(into);
        } else {
            entity_object::write(into, subject, *form_);
        }
    }

private:
    entity_object object_of(const entity& subject, const world_contents::fact_list& facts) const {
        entity_object object(subject, options_);
        for (const id_t id : facts) {
            object.add(id);
        }
        return object;
    }

    const json_options& options_;
    std::unordered_map<const world_contents::fact_list*, entity_form> forms_;
    const world_contents::fact_list* last_ = nullptr;
    entity_form* form_ = nullptr;  // empty: the texts of entities have to be made one by one
};

}  // namespace

}  // namespace dsl

std::string to_json(const entity_view& entity, const json_options& options) {
    const kith::entity subject(entity.c_world(), entity);
    if (!subject.is_alive()) {
        dsl::raise(errc::invalid_entity, "an entity that is not alive has no JSON");
    }
    dsl::entity_object object(subject, options);
    for (const id_t id : dsl::ids_of(subject)) {
        if (dsl::is_json_fact(id)) {
            object.add(id);
        }
    }
    if (options.base) {
        object.each_base(subject, [&](const kith::entity& base) { object.add_inherited(base); });
    }
    std::string text;
    text.reserve(256);  // most entities fit
    dsl::entity_text into(text, subject.world(), options);
    object.write(into);
    detail::finish_json(text, options);
    return text;
}

void write_json(const json_sink& to, const world& world, const json_options& options) {
    if (world.is_deferred()) {
        dsl::raise(errc::invalid_operation, "a world cannot be saved while it is deferred");
    }
    const dsl::world_contents contents(world);
    const dsl::written_types types = contents.types();
    detail::json_chunks out(to, options.pretty);
    const char* comma = options.compact ? "," : ", ";
    out.text += std::string("{\"kith\":1") + comma + "\"types\":[";
    const char* between = "";
    for (const description* type : types.order()) {
        if (type == &describe<kept_json>()) {
            continue;  // values are written in the place of their components
        }
        out.text += between;
        between = comma;
        std::string declaration;
        types.append(declaration, *type);
        detail::append_json_text(out.text, declaration, options.html_safe);
    }
    out.text += std::string("]") + comma + "\"entities\":[";
    const char* before = "\n";
    dsl::entity_text into(out.text, world, options);
    dsl::entity_forms forms(options);
    for (const auto* list : {&contents.changed_builtins(), &contents.order()}) {
        for (const entity_t written : *list) {
            const entity subject(world, written);
            const dsl::world_contents::fact_list& facts = contents.facts_of(subject);
            if (facts.empty() && types.declares(written)) {
                continue;
            }
            out.text += before;
            before = ",\n";
            forms.write(into, subject, facts);
            out.send();
        }
    }
    out.text += "\n]}\n";
    out.finish();
}

std::string to_json(const world& world, const json_options& options) {
    std::string text;
    write_json(text, world, options);
    return text;
}

}  // namespace kith
