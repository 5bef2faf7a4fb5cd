// Facts of differences as lines of text and as JSON (state_diff.hpp).
#include <kith/detail/described_values.hpp>

#include "base/assert.hpp"
#include "mutate/state/state_diff.hpp"

namespace kith::mutate {

namespace {

using detail::value_form;

// The name of an entity inside of a value.
bool append_path(void* reader, entity_t entity, std::string& out) {
    const auto& names = *static_cast<const state_reader*>(reader);
    if (!names.is_alive(entity)) {
        return false;
    }
    out += names.path_of(index_of(entity));
    return true;
}

// Values without a description are left out of the text.
void append_value(std::string& out, const char* before, value_form form,
                  const captured_value& shown, const state_reader& reader, const world_t* world) {
    std::string text;
    if (shown.value &&
        detail::append_described(text, form,
                                 {world, shown.type->component, &shown.type->info, shown.value},
                                 append_path, const_cast<state_reader*>(&reader))) {
        out += before + text;
    }
}

// Calls visit for each part of a changed value that differs. False if the value has no description.
bool each_changed_part(const fact& about, value_form form, const state_reader& after,
                       const world_t* world, detail::visit_changed_part visit, void* context) {
    return about.before.value && about.after.value &&
           is_same_type(about.before.type->info, about.after.type->info) &&
           detail::each_changed_part(
               {world, about.before.type->component, &about.before.type->info, about.before.value},
               about.after.value, form, append_path, const_cast<state_reader*>(&after), visit,
               context);
}

// One line for each part of the value that differs; one line without values if these cannot be
// described.
void append_change(std::string& out, const fact& about, const state_reader& after,
                   const world_t* world) {
    struct lines {
        std::string& out;
        std::string start;
    } state{out, "~ " + after.fact_of(about.id, index_of(about.entity))};
    const bool shown = each_changed_part(
        about, value_form::text, after, world,
        [](void* context, const std::string& path, const std::string& old_text,
           const std::string& new_text) {
            auto& to = *static_cast<lines*>(context);
            to.out += to.start + path + ": " + old_text + " -> " + new_text + "\n";
        },
        &state);
    if (!shown) {
        out += state.start + "\n";
    }
}

// A name is removed and added: one line tells both. The names of entities that are made or deleted
// are in the lines about these.
struct renaming {
    std::string before;
    std::string after;
    bool is_shown = false;
};
renaming find_renaming(const fact& about, const state_reader& before, const state_reader& after) {
    const std::uint32_t index = index_of(about.entity);
    if (!before.is_alive(about.entity) || !after.is_alive(about.entity)) {
        return {};
    }
    auto name_in = [&](const state_reader& reader) {
        const captured_id own = reader.find_id(index, about.id);
        return own.value.name && own.value.name->exists ? own.value.name->text : std::string();
    };
    renaming found{name_in(before), name_in(after)};
    const bool told = about.kind == fact_kind::id_removed && !found.after.empty();
    found.is_shown = found.before != found.after && !told;
    return found;
}

std::string quoted_name(const std::string& name) {
    return name.empty() ? "none" : "\"" + name + "\"";
}

// -- JSON

constexpr const char* change_names[] = {"remove", "delete",  "make",  "add",
                                        "set",    "disable", "enable"};

// `Health`, `(Likes,Alice)`.
std::string id_text(id_t id, const state_reader& reader) {
    if (!is_pair(id)) {
        return reader.path_of(index_of(id & ~id_flags_mask));
    }
    return "(" + reader.path_of(pair_first(id)) + "," + reader.path_of(pair_second(id)) + ")";
}

void append_member(std::string& out, const char* name, const std::string& text) {
    out += std::string(", \"") + name + "\":";
    detail::append_json_string(out, text);
}

// An object for each part of the value that differs.
void append_json_change(std::string& out, const std::string& start, const fact& about,
                        const state_reader& after, const world_t* world) {
    struct objects {
        std::string& out;
        const std::string& start;
        bool several = false;
    } state{out, start};
    const bool shown = each_changed_part(
        about, value_form::json, after, world,
        [](void* context, const std::string& path, const std::string& old_value,
           const std::string& new_value) {
            auto& to = *static_cast<objects*>(context);
            to.out += (to.several ? ",\n" : "") + to.start;
            to.several = true;
            if (!path.empty()) {
                append_member(to.out, "path", path.substr(1));
            }
            to.out += ", \"old\":" + old_value + ", \"new\":" + new_value + "}";
        },
        &state);
    if (!shown) {
        out += start + "}";
    }
}

}  // namespace

void append_fact(std::string& out, const fact& about, const state_reader& before,
                 const state_reader& after, const world_t* world) {
    const std::uint32_t index = index_of(about.entity);
    if (is_name(about.id)) {
        if (const renaming found = find_renaming(about, before, after); found.is_shown) {
            out += "~ " + before.fact_of(about.id, index) + ": " + quoted_name(found.before) +
                   " -> " + quoted_name(found.after) + "\n";
        }
        return;
    }
    switch (about.kind) {
        case fact_kind::entity_made:
            out += "+ " + after.path_of(index);
            break;
        case fact_kind::entity_deleted:
            out += "- " + before.path_of(index);
            break;
        case fact_kind::id_removed:
            out += "- " + before.fact_of(about.id, index);
            append_value(out, " = ", value_form::text, about.before, before, world);
            break;
        case fact_kind::id_added:
            out += "+ " + after.fact_of(about.id, index);
            append_value(out, " = ", value_form::text, about.after, after, world);
            break;
        case fact_kind::value_changed:
            append_change(out, about, after, world);
            return;
        case fact_kind::id_disabled:
        case fact_kind::id_enabled:
            out += "~ " + after.fact_of(about.id, index) +
                   (about.kind == fact_kind::id_disabled ? ": off" : ": on");
            break;
    }
    out += "\n";
}

void append_json_fact(std::string& out, const fact& about, const state_reader& before,
                      const state_reader& after, const world_t* world) {
    const std::uint32_t index = index_of(about.entity);
    const bool gone =
        about.kind == fact_kind::id_removed || about.kind == fact_kind::entity_deleted;
    const state_reader& reader = gone ? before : after;
    std::string object = "{\"change\":\"";
    object += is_name(about.id) ? "rename" : change_names[static_cast<std::size_t>(about.kind)];
    object += '"';
    append_member(object, "entity", reader.path_of(index));
    if (is_name(about.id)) {
        if (const renaming found = find_renaming(about, before, after); found.is_shown) {
            append_member(object, "kind", reader.path_of(pair_second(about.id)));
            append_member(object, "old", found.before);
            append_member(object, "new", found.after);
            out += object + "}";
        }
        return;
    }
    if (about.id != 0) {
        append_member(object, "id", id_text(about.id, reader));
    }
    if (about.kind == fact_kind::value_changed) {
        append_json_change(out, object, about, after, world);
        return;
    }
    append_value(object, ", \"value\":", value_form::json, gone ? about.before : about.after,
                 reader, world);
    out += object + "}";
}

}  // namespace kith::mutate
