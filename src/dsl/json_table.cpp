// JSON in the table form of Flecs 3 (kith/detail/json_ops.hpp): writing. Entities, results of
// queries and worlds list ids and values side by side.
//
// Covered by tests/features/values/json_table_test.cpp.
#include <kith/detail/assert.hpp>
#include <kith/detail/json_ops.hpp>
#include <kith/detail/json_values.hpp>
#include <kith/detail/state_ops.hpp>
#include <kith/doc.hpp>
#include <kith/json.hpp>
#include <kith/json_desc.hpp>

#include "diagnostics.hpp"
#include "entity_ids.hpp"
#include "json_path.hpp"
#include "world_contents.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <vector>

namespace kith {

namespace dsl {

namespace {

// The parts of a table form. Lists of one object have equal lengths.
class table_writer {
public:
    explicit table_writer(const world& world)
        : world_(world), values_(text, world, {}), paths_(world, {}) {}

    std::string text;

    void begin() { text += '{'; }
    void end() { text += '}'; }
    void key(const char* name) {
        text += text.back() == '{' ? "\"" : ", \"";
        text += name;
        text += "\":";
    }
    void string(std::string_view written) { values_.append_text(written); }
    // 0 stands for no entity.
    void path(const entity& named) {
        if (named) {
            paths_.append(text, named);
        } else {
            text += '0';
        }
    }
    template <class List, class Write>
    void list(const List& elements, Write&& write) {
        const char* before = "[";
        for (const auto& element : elements) {
            text += before;
            before = ", ";
            write(element);
        }
        text += before[0] == '[' ? "[]" : "]";
    }
    // ["Position"], ["Eats", "Apples"]
    void id(id_t written) {
        const kith::id shown(world_, written);
        text += '[';
        path(shown.is_pair() ? shown.first() : shown.entity());
        if (shown.is_pair()) {
            text += ", ";
            path(shown.second());
        }
        text += ']';
    }
    // 0 for tags and for values without description.
    void value(id_t id, const void* at) {
        if (const description* type = at ? described(id) : nullptr) {
            values_.append(*type, at);
        } else {
            text += '0';
        }
    }
    void type_info(id_t id) {
        const description* type = described(id);
        std::string schema = type ? detail::json_schema_of(world_, *type) : "0";
        std::replace(schema.begin(), schema.end(), '\n', ' ');
        text += schema;
    }

private:
    // Values of one id follow each other.
    const description* described(id_t id) {
        if (last_ == id) {
            return last_type_;
        }
        const auto [entry, is_new] = types_.try_emplace(id, nullptr);
        if (is_new) {
            const entity_t component = detail::type_component(world_, id);
            const description* type =
                component ? detail::find_description(world_, component) : nullptr;
            entry->second = type && type->what != kind::none ? type : nullptr;
        }
        last_ = id;
        return last_type_ = entry->second;
    }
    world world_;
    std::map<id_t, const description*> types_;
    id_t last_ = 0;
    const description* last_type_ = nullptr;
    detail::json_value_writer values_;
    json_paths paths_;
};

// The ids that a table form lists.
std::vector<id_t> listed_ids(const entity& subject, bool with_private) {
    std::vector<id_t> ids = ids_of(subject);
    std::erase_if(ids, [&](id_t id) { return !with_private && !is_json_fact(id); });
    return ids;
}

constexpr entity_to_json_desc_t usual_entity() {
    entity_to_json_desc_t desc{};
    desc.serialize_path = desc.serialize_ids = desc.serialize_base = true;
    return desc;
}
constexpr iter_to_json_desc_t usual_results() {
    iter_to_json_desc_t desc{};
    desc.serialize_term_ids = desc.serialize_ids = desc.serialize_sources = true;
    desc.serialize_variables = desc.serialize_is_set = true;
    desc.serialize_values = desc.serialize_entities = true;
    return desc;
}

void write_table_entity(table_writer& out, const entity& subject,
                        const entity_to_json_desc_t& desc);

void write_bases(table_writer& out, const entity& subject, const entity_to_json_desc_t& desc) {
    std::vector<entity> bases;
    for (std::int32_t i = 0; const entity base = subject.target(IsA, i); ++i) {
        bases.push_back(base);
    }
    if (!bases.empty()) {
        out.key("is_a");
        out.list(bases, [&](const entity& base) { write_table_entity(out, base, desc); });
    }
}

// Texts for people, as far as the entity has them.
void write_docs(table_writer& out, const entity& subject, const entity_to_json_desc_t& desc) {
    const auto write = [&](bool wanted, const char* key, const char* text) {
        if (wanted && text) {
            out.key(key);
            out.string(text);
        }
    };
    write(desc.serialize_label, "label", subject.doc_name());
    write(desc.serialize_brief, "brief", subject.doc_brief());
    write(desc.serialize_link, "link", subject.doc_link());
    write(desc.serialize_color, "color", subject.doc_color());
}

// True if an instance has the id in the place of its base.
bool is_hidden_by(const entity& subject, id_t id) {
    return subject.owns(id) && !subject.enabled(id);
}

void write_table_entity(table_writer& out, const entity& subject,
                        const entity_to_json_desc_t& desc) {
    const std::vector<id_t> ids = listed_ids(subject, desc.serialize_private);
    out.begin();
    if (desc.serialize_path) {
        out.key("path");
        out.path(subject);
    }
    write_docs(out, subject, desc);
    if (desc.serialize_base) {
        write_bases(out, subject, desc);
    }
    if (desc.serialize_ids) {
        out.key("ids");
        out.list(ids, [&](id_t id) { out.id(id); });
    }
    if (desc.serialize_id_labels) {
        out.key("id_labels");
        out.list(ids, [&](id_t id) { out.id(id); });
    }
    if (desc.serialize_hidden) {
        out.key("hidden");
        out.list(ids, [&](id_t id) { out.text += is_hidden_by(subject, id) ? "true" : "false"; });
    }
    if (desc.serialize_values) {
        out.key("values");
        out.list(ids, [&](id_t id) { out.value(id, subject.get(id)); });
    }
    if (desc.serialize_type_info) {
        out.key("type_info");
        out.list(ids, [&](id_t id) { out.type_info(id); });
    }
    if (desc.serialize_refs != 0) {
        std::vector<entity> sources;
        subject.each_source(desc.serialize_refs, [&](entity one) { sources.push_back(one); });
        out.key("refs");
        out.list(sources, [&](const entity& one) { out.path(one); });
    }
    out.end();
}

// The variables apart from $this.
std::vector<std::int32_t> variables_of(const detail::query_head* query) {
    std::vector<std::int32_t> numbers;
    for (std::uint32_t number = 1; number < detail::variable_count(query); ++number) {
        numbers.push_back(static_cast<std::int32_t>(number));
    }
    return numbers;
}

// The fields whose values are written, by their numbers: not those with the access Out or None.
std::vector<bool> read_fields(const detail::query_head* query, std::int32_t count) {
    std::vector<bool> read(static_cast<std::size_t>(count) + 1);
    for (const query_column& column : detail::value_columns(query)) {
        read[static_cast<std::size_t>(column.number)] = true;
    }
    return read;
}

// One result of a query.
class result_writer {
public:
    result_writer(table_writer& out, const iter& it, const iter_to_json_desc_t& desc,
                  const std::vector<bool>& read)
        : out_(out), it_(it), desc_(desc), read_(read) {
        for (std::int32_t field = 1; field <= it.field_count(); ++field) {
            fields_.push_back(field);
        }
        for (std::size_t row = 0; row < it.count(); ++row) {
            rows_.push_back(row);
        }
    }

    void write() {
        out_.begin();
        write_ids();
        if (desc_.serialize_sources) {
            out_.key("sources");
            out_.list(fields_, [&](std::int32_t field) {
                out_.path(it_.is_set(field) ? it_.src(field) : entity());
            });
        }
        if (const auto variables = variables_of(it_.query());
            desc_.serialize_variables && !variables.empty()) {
            out_.key("variables");
            out_.list(variables, [&](std::int32_t number) { out_.path(it_.get_var(number)); });
        }
        if (desc_.serialize_is_set) {
            out_.key("is_set");
            out_.list(fields_, [&](std::int32_t field) {
                out_.text += it_.is_set(field) ? "true" : "false";
            });
        }
        write_entities();
        if (desc_.serialize_values) {
            write_values();
        }
        out_.end();
    }

private:
    std::vector<id_t> table_ids() const {
        return it_.count() > 0 ? listed_ids(it_.entity(0), desc_.serialize_private)
                               : std::vector<id_t>();
    }
    void write_ids() {
        for (const bool labels : {false, true}) {
            if (!(labels ? desc_.serialize_id_labels : desc_.serialize_ids)) {
                continue;
            }
            out_.key(labels ? "id_labels" : "ids");
            if (desc_.serialize_table) {
                out_.list(table_ids(), [&](id_t id) { out_.id(id); });
            } else {
                out_.list(fields_, [&](std::int32_t field) { out_.id(it_.id(field)); });
            }
        }
        if (desc_.serialize_type_info) {
            out_.key("type_info");
            out_.list(fields_, [&](std::int32_t field) { out_.type_info(it_.id(field)); });
        }
    }
    void write_entities() {
        if (desc_.serialize_entities) {
            out_.key("entities");
            out_.list(rows_, [&](std::size_t row) { out_.path(it_.entity(row)); });
        }
        if (desc_.serialize_entity_labels || desc_.serialize_entity_names) {
            out_.key(desc_.serialize_entity_labels ? "entity_labels" : "entity_names");
            out_.list(rows_, [&](std::size_t row) { out_.string(it_.entity(row).name()); });
        }
        if (desc_.serialize_entity_ids) {
            out_.key("entity_ids");
            out_.list(rows_,
                      [&](std::size_t row) { out_.text += std::to_string(it_.entity(row).id()); });
        }
    }
    // A list for each field, or one value that all rows share; 0: no values.
    void write_values() {
        out_.key("values");
        if (desc_.serialize_table) {
            out_.list(table_ids(), [&](id_t id) {
                out_.list(rows_, [&](std::size_t row) { out_.value(id, it_.entity(row).get(id)); });
            });
            return;
        }
        out_.list(fields_, [&](std::int32_t field) {
            if (!it_.is_set(field) || it_.size(field) == 0 ||
                !read_[static_cast<std::size_t>(field)]) {
                out_.text += '0';
                return;
            }
            const column<void> values = it_.field(field);
            const id_t id = it_.id(field);
            if (!it_.is_self(field) || rows_.empty()) {
                out_.value(id, values[0]);
            } else {
                out_.list(rows_, [&](std::size_t row) { out_.value(id, values[row]); });
            }
        });
    }

    table_writer& out_;
    const iter& it_;
    const iter_to_json_desc_t& desc_;
    std::vector<std::int32_t> fields_;
    std::vector<std::size_t> rows_;
    const std::vector<bool>& read_;
};

// The ids of the terms, and the names of variables.
void write_head(table_writer& out, const iter& it, const iter_to_json_desc_t& desc) {
    if (desc.serialize_term_ids) {
        std::vector<id_t> ids;
        for (std::int32_t field = 1; field <= it.field_count(); ++field) {
            ids.push_back(it.id(field));
        }
        out.key("ids");
        out.list(ids, [&](id_t id) { out.id(id); });
    }
    if (const auto variables = variables_of(it.query());
        desc.serialize_variables && !variables.empty()) {
        out.key("variables");
        out.list(variables, [&](std::int32_t number) {
            out.string(detail::variable_name(it.query(), number));
        });
    }
}

// A table of a world: entities with the same ids.
struct entity_group {
    std::vector<id_t> ids;
    std::vector<entity> entities;
};

// True for entities that every program makes by itself: builtin ones, modules, types, and what is
// below them.
bool is_of_program(const entity& subject) {
    for (entity at = subject; at; at = at.parent()) {
        if (is_builtin(at) || at.owns(Module) || at.owns(detail::component_type_id) ||
            at.owns(EnumType)) {
            return true;
        }
    }
    return false;
}

// Collects entities by their ids.
class entity_groups {
public:
    explicit entity_groups(const world& world) : world_(world) {
        detail::each_alive(
            world,
            [](void* context, entity_t one) { static_cast<entity_groups*>(context)->add(one); },
            this);
    }
    const std::vector<entity_group>& all() const noexcept { return groups_; }

private:
    static constexpr std::size_t none = ~std::size_t{0};

    void add(entity_t one) {
        const entity subject(world_, one);
        if (is_builtin(one)) {
            return;
        }
        const type ids = subject.type();
        if (ids.count() == 0 ||
            !std::equal(ids.begin(), ids.end(), last_ids_.begin(), last_ids_.end())) {
            last_ids_.assign(ids.begin(), ids.end());
            last_ = is_of_program(subject) ? none : find(subject);
        }
        if (last_ != none) {
            groups_[last_].entities.push_back(subject);
        }
    }
    std::size_t find(const entity& subject) {
        std::vector<id_t> ids = listed_ids(subject, false);
        const auto [entry, is_new] = numbers_.try_emplace(ids, groups_.size());
        if (is_new) {
            groups_.push_back({std::move(ids), {}});
        }
        return entry->second;
    }

    world world_;
    std::vector<entity_group> groups_;
    std::map<std::vector<id_t>, std::size_t> numbers_;
    // The ids of the last entity, with its parent, and the group of that entity. Entities with
    // equal ids are in one group.
    std::vector<id_t> last_ids_;
    std::size_t last_ = none;
};

void write_group(table_writer& out, const entity_group& group) {
    out.begin();
    out.key("ids");
    out.list(group.ids, [&](id_t id) { out.id(id); });
    out.key("entities");
    out.list(group.entities, [&](const entity& one) { out.path(one); });
    out.key("values");
    out.list(group.ids, [&](id_t id) {
        if (detail::type_component(group.entities[0].c_world(), id) == 0) {
            out.text += '0';
        } else {
            out.list(group.entities, [&](const entity& one) { out.value(id, one.get(id)); });
        }
    });
    out.end();
}

}  // namespace

}  // namespace dsl

namespace detail {

string entity_to_table_json(world_t* world, entity_t entity, const entity_to_json_desc_t* desc) {
    const kith::entity subject(world, entity);
    if (!subject.is_alive()) {
        dsl::raise(errc::invalid_entity, "an entity that is not alive has no JSON");
    }
    dsl::table_writer out{kith::world(world)};
    dsl::write_table_entity(out, subject, desc ? *desc : dsl::usual_entity());
    return string(out.text);
}

// {"ids":[…], "results":[{…}, …]}
string results_to_table_json(void* run, iter* (*next)(void* run), const iter_to_json_desc_t* desc) {
    const iter_to_json_desc_t parts = desc ? *desc : dsl::usual_results();
    const auto start = std::chrono::steady_clock::now();
    std::string results;
    std::string head = "{";
    const char* before = "";
    std::vector<bool> read;
    for (iter* it = next(run); it; it = next(run)) {
        dsl::table_writer out(it->world());
        if (before[0] == '\0') {
            read = dsl::read_fields(it->query(), it->field_count());
            out.text = "{";
            dsl::write_head(out, *it, parts);
            head = out.text;
            out.text.clear();
        }
        results += before;
        before = ", ";
        dsl::result_writer(out, *it, parts, read).write();
        results += out.text;
    }
    head += head == "{" ? "" : ", ";
    if (parts.measure_eval_duration) {
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
        head += "\"eval_duration\":" + std::to_string(taken.count()) + ", ";
    }
    return string(head + "\"results\":[", results + "]}");
}

string world_to_table_json(world_t* world) {
    dsl::table_writer out{kith::world(world)};
    out.text += "{\"results\":[";
    const char* before = "";
    const dsl::entity_groups groups{kith::world(world)};
    for (const dsl::entity_group& group : groups.all()) {
        out.text += before;
        before = ", ";
        dsl::write_group(out, group);
    }
    out.text += "]}";
    return string(out.text);
}

}  // namespace detail

}  // namespace kith
