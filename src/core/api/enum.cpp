// Enums as components: a constant of the enum is a child entity of the type, and an entity with a
// value of the enum has the pair (type, constant). The functions are declared in
// include/kith/detail/ops.hpp under "enums".
#include "api/world_impl.hpp"
#include "base/assert.hpp"
#include "mutate/apply/values.hpp"
#include "mutate/ops/add_remove.hpp"
#include "mutate/ops/set_value.hpp"
#include "names/entity_name.hpp"
#include "names/id_text.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace kith::detail {

using api::enum_entry;
using api::impl_of;
using api::world_impl;
using containers::purpose;

namespace {

// The length of the prefix that the names of all constants share with the type: Color_Red and
// ColorRed of Color are named Red. The length is 0 if a constant lacks the prefix.
std::size_t prefix_length(const enum_desc& desc, std::string_view type) {
    const std::size_t scope = type.rfind("::");
    type = scope == std::string_view::npos ? type : type.substr(scope + 2);
    auto all_begin = [&](auto&& is_word) {
        return std::all_of(desc.constants, desc.constants + desc.count,
                           [&](const enum_constant& constant) {
                               const std::string_view name(constant.name.data, constant.name.size);
                               return name.starts_with(type) && is_word(name.substr(type.size()));
                           });
    };
    auto is_letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
    if (all_begin([&](std::string_view rest) {
            return rest.size() > 1 && rest[0] == '_' && is_letter(rest[1]);
        })) {
        return type.size() + 1;
    }
    const bool joined = all_begin(
        [](std::string_view rest) { return !rest.empty() && rest[0] >= 'A' && rest[0] <= 'Z'; });
    return joined ? type.size() : 0;
}

// Makes the entity of a constant, or finds the entity of this name, and gives it its value.
entity_t make_constant(world_impl& owner, std::uint32_t type, const enum_desc& desc,
                       const enum_constant& constant) {
    const std::size_t prefix = prefix_length(desc, find_type(type)->name);
    KITH_ASSERT(prefix < constant.name.size, "a name is left without the prefix");
    std::string name(constant.name.data + prefix, constant.name.size - prefix);
    entity_t entity = ensure_path(&owner, type, name, "", "");
    alignas(16) std::byte value[16];
    desc.store(value, constant.value);
    mutate::set_value(owner, entity, type, type, {value, nullptr, nullptr});
    return entity;
}

// The entry of an enum whose constants exist, or null.
enum_entry* find_entry(world_impl& owner, std::uint32_t type) noexcept {
    return type < owner.enums.size() && owner.enums[type].desc ? &owner.enums[type] : nullptr;
}

}  // namespace

// The description is stored last: an enum that could not be completed is completed by the next
// call.
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
    KITH_ASSERT(find_entry(owner, type), "the enum is registered");
    // Another part of the program may have registered the enum with other constants.
    const enum_entry& entry = *find_entry(owner, type);
    const enum_desc& known = *entry.desc;
    const enum_constant* end = known.constants + known.count;
    const enum_constant* constant = std::lower_bound(
        known.constants, end, value, [](const enum_constant& enum_value, std::int64_t number) {
            return enum_value.value < number;
        });
    if (constant == end || constant->value != value) {
        base::raise(errc::invalid_id,
                    base::text{} << value << " is no known constant of " << find_type(type)->name
                                 << "; constants are sought in kith::enum_range of the type");
    }
    entity_t& entity = entry.constants[constant - known.constants];
    if (!owner.data.entities.find(entity)) {
        // The program deleted the constant, and now uses it again.
        api::immediate_scope immediate(owner);
        entity = make_constant(owner, type, known, *constant);
    }
    return entity;
}

std::int64_t constant_number(const world_t* world, std::uint32_t type, std::uint32_t index) {
    const enum_entry* entry = find_entry(impl_of(const_cast<world_t*>(world)), type);
    for (std::size_t i = 0; entry && i < entry->count; ++i) {
        if (index_of(entry->constants[i]) == index) {
            return entry->desc->constants[i].value;
        }
    }
    return 0;
}

namespace {

// The columns of a bulk creation, split into plain columns and pairs of enums. The constructor
// throws if a value is no constant, before any entity exists.
struct bulk_parts {
    bulk_parts(world_t* world, const bulk_column* columns, std::size_t column_count,
               std::size_t count) {
        for (std::size_t i = 0; i < column_count; ++i) {
            const bulk_column& column = columns[i];
            if (!column.constants) {
                ids.push_back(column.id);
                arrays.push_back(column.values);
                continue;
            }
            if (!column.values) {
                base::raise(errc::invalid_operation,
                            base::text{} << "bulk creation of "
                                         << find_type(static_cast<std::uint32_t>(column.id))->name
                                         << " needs the constants: it is an enum");
            }
            for (std::size_t row = 0; row < count; ++row) {
                pairs.push_back(make_pair(
                    column.id,
                    enum_constant_entity(world, static_cast<std::uint32_t>(column.id),
                                         *column.constants, column.read(column.values, row))));
            }
        }
    }
    std::vector<id_t> ids;
    std::vector<const void*> arrays;
    std::vector<id_t> pairs;  // for each enum, the pairs of all rows
};

}  // namespace

// The list of entities is copied, because adding the constants moves the rows and with them the
// list that new_bulk() returns.
const entity_t* new_bulk_with_enums(world_t* world, std::size_t count, const bulk_column* columns,
                                    std::size_t column_count) {
    const bulk_parts parts(world, columns, column_count, count);
    world_impl& owner = impl_of(world);
    containers::vec<entity_t>& entities = owner.bulk_entities;
    entities.clear();
    entities.reserve_extra(owner.data.mem, static_cast<std::uint32_t>(count), purpose::entities);
    const entity_t* created =
        new_bulk(world, count, parts.ids.data(), parts.ids.size(), parts.arrays.data());

    for (std::size_t row = 0; row < count; ++row) {
        entities.push_reserved(created[row]);
    }
    for (std::size_t i = 0; i < parts.pairs.size(); ++i) {
        add_id(world, entities[i % count], parts.pairs[i]);
    }
    return entities.begin();
}

void raise_has_constant(const world_t* world, entity_t entity, id_t pair) {
    mutate::raise_entity_id(mutate::stage_of(world), errc::already_exists, entity, pair,
                            "is there already; use set");
}
void raise_no_constant(const world_t* world, entity_t entity, std::uint32_t type) {
    mutate::raise_about(mutate::stage_of(world), errc::wrong_type, entity, " is no constant of ",
                        find_type(type)->name);
}

}  // namespace kith::detail
