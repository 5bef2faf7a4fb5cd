// Keeps former names, versions and upgrades of types in the library of their world
// (type_drift.hpp).
#include "type_drift.hpp"

#include <kith/detail/ops.hpp>
#include <kith/reflect.hpp>
#include <kith/save.hpp>

#include "component_types.hpp"
#include "raise.hpp"
#include "save_contents.hpp"

namespace kith {

namespace values {

namespace {

// Paths of programs have dots or colons, those of files a separator of their own.
std::string file_path(std::string_view path) {
    std::string result;
    for (std::size_t i = path.starts_with("::") ? 2 : 0; i < path.size(); ++i) {
        const bool is_colons = path.substr(i).starts_with("::");
        result += is_colons || path[i] == '.' ? path_separator : std::string(1, path[i]);
        i += is_colons;
    }
    return result;
}

}  // namespace

bool note_former_name(world_t* world, entity_t component, std::string_view name) {
    type_library& library = ensure_library(world);
    const description_node* node = library.find(component);
    if (node && node->selected != 0) {
        return false;
    }
    type_drift& drift = library.drift_of(component);
    if (node && !node->constant_list.empty()) {
        drift.constants.push_back({std::string(name), node->constant_list.back().name});
    } else {
        drift.path = file_path(name);
    }
    return true;
}

namespace {

std::unique_ptr<bytes_form> make_bytes_form(const type_info& type) {
    auto form = std::make_unique<bytes_form>();
    const description& byte = *detail::description_of<std::uint8_t>();
    form->array.life = form->whole.life = type;
    form->array.what = kind::array;
    form->array.element = &byte;
    form->array.count = type.size;
    form->array.set_name("bytes of " + std::string(type.name));
    form->whole.what = kind::structure;
    form->whole.set_name(type.name);
    member_info member;
    member.name = form->whole.keep("bytes_aligned_to_" + std::to_string(type.alignment));
    member.type = &form->array;
    form->whole.add_member(member);
    return form;
}

}  // namespace

}  // namespace values

namespace detail {

void set_version(world_t* world, entity_t component, std::int32_t version) {
    if (version < 0) {
        values::raise(errc::invalid_value, "versions of types are 0 or greater");
    }
    values::ensure_library(world).drift_of(component).version = version;
}

void add_upgrade(world_t* world, entity_t component, std::int32_t from, upgrade_function call,
                 void* context, void (*free)(void* context) noexcept) {
    values::upgrade_call owned(call, context, free);
    values::type_drift& drift = values::ensure_library(world).drift_of(component);
    if (from < 0 || from >= drift.version) {
        values::raise(errc::invalid_value,
                      "an upgrade is from an older version: " + std::to_string(from) +
                          " is not before " + std::to_string(drift.version) +
                          "; call version() first");
    }
    drift.upgrades.insert_or_assign(from, std::move(owned));
}

void set_saved_as_bytes(world_t* world, entity_t component) {
    const type_info* type = type_of(world, component);
    if (!type || type->size == 0) {
        values::raise(errc::invalid_type, "as_bytes: tags have no values");
    }
    if (!type->trivial_copy) {
        values::raise(errc::invalid_type, std::string("as_bytes: values of ") + type->name +
                                              " have functions, and are more than their bytes");
    }
    values::ensure_library(world).drift_of(component).bytes = values::make_bytes_form(*type);
}

}  // namespace detail

}  // namespace kith
