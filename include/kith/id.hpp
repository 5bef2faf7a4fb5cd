// Ids: the 64-bit values that name everything which can be added to an entity, and their packing.
//
//   entity   bits 0..31 index, 32..47 generation, rest zero
//   pair     bit 63 set, bits 32..59 index of the relation, 0..31 index of the target
//   flags    bits 60..62 mark how an id is to be treated (Override, Toggle)
//
// The index ranges, from low to high: builtin components and C++ types (below `low_id_limit`, so
// that tables find them by array access), builtin tags and relationships, further C++ types,
// entities.
//
// Everything here is constexpr and needs no world. Covered by tests/features/pairs/id_test.cpp.
#pragma once

#include <cstdint>

namespace kith {

using id_t = std::uint64_t;
using entity_t = id_t;

// Id flags.
inline constexpr id_t Pair = id_t{1} << 63;
inline constexpr id_t Override = id_t{1} << 62;
inline constexpr id_t Toggle = id_t{1} << 61;
inline constexpr id_t id_flags_mask = id_t{0xF} << 60;

// Components with an index below this are found in a table by array access, all others by hash.
inline constexpr std::uint32_t low_id_limit = 256;
// Builtin tags and relationships start here.
inline constexpr std::uint32_t first_builtin = 256;
// C++ types that found no place below low_id_limit start here.
inline constexpr std::uint32_t first_overflow_type = 512;
// Ordinary entities start here.
inline constexpr std::uint32_t first_entity = 4096;
// A relation has 28 bits in a pair; an entity whose index is larger cannot be a relation.
inline constexpr std::uint32_t max_relation_index = 0x0FFFFFFF;

// Builtin components (value types are declared in component.hpp and world.hpp).
namespace detail {
inline constexpr id_t component_type_id = 1;
inline constexpr id_t identifier_type_id = 2;
inline constexpr std::uint32_t first_type = 8;
}  // namespace detail

// Builtin entities. Scope of all builtins, wildcards and variables first.
inline constexpr entity_t Kith = 256;
inline constexpr entity_t Wildcard = 257;
inline constexpr entity_t Any = 258;
inline constexpr entity_t This = 259;
inline constexpr entity_t Variable = 260;

// What (Identifier, X) means.
inline constexpr entity_t Name = 261;
inline constexpr entity_t Symbol = 262;
inline constexpr entity_t Alias = 263;

// Tags with a meaning of their own.
inline constexpr entity_t Prefab = 264;
inline constexpr entity_t Disabled = 265;
inline constexpr entity_t Module = 266;
inline constexpr entity_t Query = 267;
inline constexpr entity_t Observer = 268;
inline constexpr entity_t EnumType = 269;

// Relationships.
inline constexpr entity_t ChildOf = 270;
inline constexpr entity_t IsA = 271;
inline constexpr entity_t DependsOn = 272;
inline constexpr entity_t SlotOf = 273;

// Properties of components and relationships.
inline constexpr entity_t Tag = 274;
inline constexpr entity_t Final = 275;
inline constexpr entity_t DontInherit = 276;
inline constexpr entity_t Transitive = 277;
inline constexpr entity_t Reflexive = 278;
inline constexpr entity_t Acyclic = 279;
inline constexpr entity_t Traversable = 280;
inline constexpr entity_t Exclusive = 281;
inline constexpr entity_t Union = 282;
inline constexpr entity_t Sparse = 283;
inline constexpr entity_t Symmetric = 284;
inline constexpr entity_t With = 285;
inline constexpr entity_t OneOf = 286;
inline constexpr entity_t Transient = 287;

// Cleanup: (condition, action).
inline constexpr entity_t OnDelete = 288;
inline constexpr entity_t OnDeleteTarget = 289;
inline constexpr entity_t Remove = 290;
inline constexpr entity_t Delete = 291;
inline constexpr entity_t Panic = 292;

// Events.
inline constexpr entity_t OnAdd = 293;
inline constexpr entity_t OnRemove = 294;
inline constexpr entity_t OnSet = 295;
inline constexpr entity_t UnSet = 296;
inline constexpr entity_t Monitor = 297;
inline constexpr entity_t OnTableCreate = 298;
inline constexpr entity_t OnTableDelete = 299;

// Operators of the query language that are relationships.
inline constexpr entity_t PredEq = 300;
inline constexpr entity_t PredNeq = 301;
inline constexpr entity_t PredMatch = 302;

// Relationships from a list of ids, as AndFrom and its like take it, to a list that is part of it.
inline constexpr entity_t AllOf = 303;
inline constexpr entity_t AnyOf = 304;

// Terms of queries that begin and end a scope.
inline constexpr entity_t ScopeOpen = 305;
inline constexpr entity_t ScopeClose = 306;

// A property: the entity is a relationship. Queries that name it without a target mean (R, *).
inline constexpr entity_t Relationship = 308;

// Tags of systems, of phases and of pipelines.
inline constexpr entity_t System = 309;
inline constexpr entity_t Phase = 310;
inline constexpr entity_t Pipeline = 311;

// Phases of a frame.
inline constexpr entity_t OnStart = 312;
inline constexpr entity_t PreFrame = 313;
inline constexpr entity_t OnLoad = 314;
inline constexpr entity_t PostLoad = 315;
inline constexpr entity_t PreUpdate = 316;
inline constexpr entity_t OnUpdate = 317;
inline constexpr entity_t OnValidate = 318;
inline constexpr entity_t PostUpdate = 319;
inline constexpr entity_t PreStore = 320;
inline constexpr entity_t OnStore = 321;
inline constexpr entity_t PostFrame = 322;

// Relationships between systems, sets of them, phases and modules, about their order.
inline constexpr entity_t Before = 323;
inline constexpr entity_t After = 324;
inline constexpr entity_t InSet = 325;
inline constexpr entity_t AmbiguousWith = 326;

namespace detail {
// Relationship from an observer of one entity to that entity.
inline constexpr entity_t observes = 307;
// Entities below this have names in every world. Those above exist in worlds with systems: a
// neighbour for each phase from PreFrame on, which puts the phases in order, and the pipeline that
// progress() runs by default.
inline constexpr std::uint32_t named_builtin_end = 327;
inline constexpr entity_t first_phase_neighbour = 327;
inline constexpr entity_t builtin_pipeline = 337;
inline constexpr std::uint32_t builtin_end = 338;
}  // namespace detail

constexpr std::uint32_t index_of(entity_t entity) noexcept {
    return static_cast<std::uint32_t>(entity);
}
constexpr std::uint16_t generation_of(entity_t entity) noexcept {
    return static_cast<std::uint16_t>(entity >> 32);
}
constexpr entity_t make_entity_id(std::uint32_t index, std::uint16_t generation) noexcept {
    return entity_t{index} | (entity_t{generation} << 32);
}
// The id without its generation: the form in which an entity appears inside of pairs.
constexpr id_t strip_generation(entity_t entity) noexcept {
    return entity & 0xFFFFFFFF;
}

constexpr bool is_pair(id_t id) noexcept {
    return (id & Pair) != 0;
}
// Generations do not fit into a pair: both elements are indices.
constexpr id_t make_pair(entity_t relation, entity_t target) noexcept {
    return Pair | (id_t{index_of(relation) & max_relation_index} << 32) | index_of(target);
}
namespace detail {
// The pair whose value is the name of an entity, and the pattern of all its bases.
inline constexpr id_t name_pair = make_pair(identifier_type_id, Name);
inline constexpr id_t any_base = make_pair(IsA, Wildcard);
}  // namespace detail
constexpr std::uint32_t pair_first(id_t pair) noexcept {
    return static_cast<std::uint32_t>(pair >> 32) & max_relation_index;
}
constexpr std::uint32_t pair_second(id_t pair) noexcept {
    return static_cast<std::uint32_t>(pair);
}

constexpr bool is_wildcard_element(std::uint32_t index) noexcept {
    return index == Wildcard || index == Any;
}
// True if the id is `*` or `_`, or a pair with one of them.
constexpr bool is_wildcard(id_t id) noexcept {
    return is_pair(id) ? is_wildcard_element(pair_first(id)) || is_wildcard_element(pair_second(id))
                       : id == Wildcard || id == Any;
}

// True if `pattern` matches `id`. A lone wildcard matches every id that is not a pair. Marks
// (Override) are matched by equal marks only.
constexpr bool matches_id(id_t pattern, id_t id) noexcept {
    if ((pattern | id) & Override) {
        return pattern == id;
    }
    if (!is_pair(pattern)) {
        return is_wildcard(pattern) ? !is_pair(id) : pattern == id;
    }
    return is_pair(id) &&
           (is_wildcard_element(pair_first(pattern)) || pair_first(pattern) == pair_first(id)) &&
           (is_wildcard_element(pair_second(pattern)) || pair_second(pattern) == pair_second(id));
}

// `AND | list`, `OR | list`: ids by which a list of ids includes a further list.
struct list_flag {
    entity_t relation;
};
inline constexpr list_flag AND{AllOf};
inline constexpr list_flag OR{AnyOf};
constexpr id_t operator|(list_flag how, entity_t list) noexcept {
    return make_pair(how.relation, list);
}

}  // namespace kith
