// Compares and shows values of captured states (kith/detail/described_values.hpp).
#include <kith/detail/described_values.hpp>

#include "json_text.hpp"
#include "life.hpp"
#include "registry.hpp"
#include "text_writer.hpp"
#include "type_library.hpp"

namespace kith {

namespace values {

namespace {

// A component that was defined anew since the capture has a description that does not fit the old
// values.
const description* description_of(const detail::described_value& shown) {
    const description* found = shown.world ? detail::find_description(shown.world, shown.component)
                                           : find_process_description(index_of(shown.component));
    return found && found->what != kind::none && found->life.size == shown.type->size &&
                   found->life.copy_construct == shown.type->copy_construct &&
                   found->life.trivial_copy == shown.type->trivial_copy
               ? found
               : nullptr;
}

void append_part(std::string& out, detail::value_form form, const text_style& style,
                 const description& type, const void* value) {
    if (form == detail::value_form::json) {
        append_json_value(out, style, type, value, {});
    } else {
        append_value(out, style, type, value);
    }
}

struct changed_parts {
    detail::value_form form;
    text_style style;
    detail::visit_changed_part visit;
    void* context;

    void find(const std::string& path, const description& described, const void* before,
              const void* after) const {
        const description& type = detail::in_world(style.world, described);
        if (detail::equal_values(type, before, after)) {
            return;
        }
        if (type.what == kind::structure) {
            for (const member_info& member : type) {
                find(path + "." + member.name, *member.type, part_at(before, member.offset),
                     part_at(after, member.offset));
            }
            return;
        }
        std::string old_text;
        std::string new_text;
        append_part(old_text, form, style, type, before);
        append_part(new_text, form, style, type, after);
        visit(context, path, old_text, new_text);
    }
};

text_style style_of(const detail::described_value& shown, detail::append_entity_name append,
                    void* context) {
    text_style style;
    style.world = shown.world;
    style.append_entity = append;
    style.context = context;
    style.shows_unknown = true;
    return style;
}

}  // namespace

}  // namespace values

namespace detail {

int compare_described(const described_value& left, const void* right) {
    const description* type = values::description_of(left);
    return !type ? -1 : equal_values(*type, left.value, right) ? 1 : 0;
}

bool append_described(std::string& out, value_form form, const described_value& shown,
                      append_entity_name append, void* context) {
    const description* type = values::description_of(shown);
    if (type) {
        values::append_part(out, form, values::style_of(shown, append, context), *type,
                            shown.value);
    }
    return type;
}

bool each_changed_part(const described_value& before, const void* after, value_form form,
                       append_entity_name append, void* names, visit_changed_part visit,
                       void* context) {
    const description* type = values::description_of(before);
    if (type) {
        values::changed_parts{form, values::style_of(before, append, names), visit, context}.find(
            "", *type, before.value, after);
    }
    return type;
}

void append_json_string(std::string& out, std::string_view text) {
    values::append_json_string(out, text);
}

}  // namespace detail

}  // namespace kith
