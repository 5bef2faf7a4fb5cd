// Entities of members: children of a component, made when they are asked for
// (include/kith/meta.hpp).
#include <kith/detail/assert.hpp>
#include <kith/detail/type_text.hpp>
#include <kith/meta.hpp>

#include "component_types.hpp"
#include "raise.hpp"
#include "type_entity.hpp"
#include "unit_symbol.hpp"

#include <string>

namespace kith {

namespace values {

namespace {

// The relationship from a component to the entities of its members. A member's entity is a target
// that cannot be deleted before the component.
struct HasMember {};

member_range interval_of(const value_range& range) noexcept {
    return range.is_set ? member_range{range.min, range.max} : member_range{};
}

// Components of kith that saved worlds leave out: they are made again from the description.
template <class T>
void prepare_type(const world& owner) {
    if (!owner.is_alive(detail::ensure_type_id<T>())) {
        const detail::scope_guard scope(owner, Kith);
        owner.component<T>().add(Transient);
    }
}

void prepare_types(const world& owner) {
    reflect<Member, MemberRanges>();
    prepare_type<Member>(owner);
    prepare_type<MemberRanges>(owner);
    if (!owner.is_alive(detail::ensure_type_id<HasMember>())) {
        prepare_type<HasMember>(owner);
        owner.component<HasMember>().add(OnDeleteTarget, Panic);
    }
}

// Writes what the description says about the member.
void write_member_values(world_t* world, entity target, const member_info& member) {
    KITH_ASSERT(target.is_alive(), "the entity of a member lives");
    const description& type = detail::in_world(world, *member.type);
    const bool is_array = type.what == kind::array;
    const member_attributes none;
    const member_attributes& given = member.attributes ? *member.attributes : none;
    target.set(Member{type_entity_of(world, is_array ? *type.element : type),
                      is_array ? static_cast<std::int32_t>(type.count) : 0, given.unit,
                      static_cast<std::int32_t>(member.offset)});
    if (given.range.is_set || given.warning.is_set || given.error.is_set) {
        target.set(MemberRanges{interval_of(given.range), interval_of(given.warning),
                                interval_of(given.error)});
    }
    if (given.doc) {
        target.set_doc_brief(given.doc);
    }
}

}  // namespace

void refresh_member_entity(world_t* world, const description_node& node,
                           const member_info& member) {
    const entity_t known =
        node.has_member_entities
            ? detail::lookup_path(world, node.component, member.name, "", "", false)
            : 0;
    if (known) {
        write_member_values(world, entity(world, known), member);
    }
}

}  // namespace values

namespace detail {

// The member is selected as by on(), which gives a world its own description of a C++ type.
entity_t ensure_member_entity(world_t* world, entity_t component, const char* name) {
    select_member(world, component, name);
    values::description_node& node = *values::find_library(world)->find(component);
    const member_info& member = values::described_members(node)[node.selected - 1];
    const kith::world owner(world);
    if (owner.is_deferred()) {
        values::raise(errc::invalid_operation,
                      std::string(node.life.name) + "." + name +
                          ": members get entities while the world is not deferred");
    }
    values::prepare_types(owner);
    kith::entity made(world, lookup_path(world, component, member.name, "", "", false));
    if (!made) {
        made = owner.entity().child_of(component).set_name(member.name);
    }
    values::write_member_values(world, made, member);
    kith::entity(world, component).add<values::HasMember>(made);
    node.has_member_entities = true;
    return made;
}

void set_member_unit(world_t* world, entity_t component, entity_t unit) {
    if (!is_alive(world, unit)) {
        values::raise(errc::invalid_entity, "the unit of a member is not alive");
    }
    values::change_member(world, component,
                          [&](values::description_node& node, member_info& member) {
                              member_attributes& given = node.attributes_of(member);
                              given.unit = unit;
                              given.unit_symbol = node.keep(values::unit_symbol(world, unit));
                          });
}

}  // namespace detail

}  // namespace kith
