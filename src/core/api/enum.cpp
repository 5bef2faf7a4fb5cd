// Enums: their constants as entities.
#include "api/text.hpp"
#include "mutate/operations.hpp"
#include "mutate/values.hpp"

#include <algorithm>

namespace kith::detail {

using api::enum_entry;
using api::impl_of;
using api::world_impl;
using containers::purpose;

namespace {

// Without the type's prefix: the constant Color_Red of Color is named Red.
std::string_view constant_name(std::string_view name, std::string_view type) {
    std::size_t scope = type.rfind("::");
    type = scope == std::string_view::npos ? type : type.substr(scope + 2);
    if (name.size() > type.size() + 1 && name.starts_with(type) && name[type.size()] == '_') {
        name.remove_prefix(type.size() + 1);
    }
    return name;
}

entity_t make_constant(world_impl& owner, std::uint32_t type, const enum_desc& desc,
                       const enum_constant& constant) {
    std::string name(constant_name(constant.name, find_type(type)->name));
    entity_t entity = ensure_path(&owner, type, name, "", "");
    alignas(16) std::byte value[16];
    desc.store(value, constant.value);
    mutate::set_value(owner, entity, type, type, {value, nullptr, nullptr});
    return entity;
}

enum_entry* find_entry(world_impl& owner, std::uint32_t type) noexcept {
    return type < owner.enums.size() && owner.enums[type].desc ? &owner.enums[type] : nullptr;
}

}  // namespace

entity_t ensure_enum(world_t* world, std::uint32_t type, const enum_desc& desc) {
    world_impl& owner = impl_of(world);
    if (find_entry(owner, type) && owner.data.entities.alive_at(type)) [[likely]] {
        return type;
    }
    ensure_component(world, type);
    api::immediate_scope immediate(owner);
    for (entity_t property : {Exclusive, OneOf, Tag, EnumType}) {
        mutate::add_id(owner, type, property);
    }
    if (owner.enums.size() <= type) {
        owner.enums.reserve_extra(owner.data.mem, type + 1 - owner.enums.size(), purpose::index);
        while (owner.enums.size() <= type) {
            owner.enums.push_reserved({nullptr, nullptr, 0});
        }
    }
    if (!owner.enums[type].constants) {
        owner.enums[type].constants = static_cast<entity_t*>(
            owner.data.mem.allocate(desc.count * sizeof(entity_t), purpose::index));
        owner.enums[type].count = desc.count;
    }
    for (std::size_t i = 0; i < desc.count; ++i) {
        owner.enums[type].constants[i] = make_constant(owner, type, desc, desc.constants[i]);
    }
    owner.enums[type].desc = &desc;
    return type;
}

entity_t enum_constant_entity(world_t* world, std::uint32_t type, const enum_desc& desc,
                              std::int64_t value) {
    ensure_enum(world, type, desc);
    world_impl& owner = impl_of(world);
    const enum_constant* end = desc.constants + desc.count;
    const enum_constant* found = std::lower_bound(
        desc.constants, end, value,
        [](const enum_constant& one, std::int64_t wanted) { return one.value < wanted; });
    if (found == end || found->value != value) {
        base::raise(errc::invalid_id,
                    base::text{} << value << " is no known constant of " << find_type(type)->name
                                 << "; constants are sought in kith::enum_range of the type");
    }
    entity_t& entity = find_entry(owner, type)->constants[found - desc.constants];
    if (!owner.data.entities.find(entity)) {
        // The program deleted the constant, and now uses it again.
        api::immediate_scope immediate(owner);
        entity = make_constant(owner, type, desc, *found);
    }
    return entity;
}

void raise_no_constant(const world_t* world, entity_t entity, std::uint32_t type) {
    mutate::raise_about(mutate::stage_of(world), errc::wrong_type, entity, " is no constant of ",
                        find_type(type)->name);
}

}  // namespace kith::detail
