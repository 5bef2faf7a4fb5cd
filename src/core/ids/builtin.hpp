// The names of the builtin entities: those that every world has from the start (kith/id.hpp
// declares them). builtin_names[i] is the name of the entity with index kith::first_builtin + i.
#pragma once

#include <kith/id.hpp>

namespace kith::ids {

inline constexpr const char* builtin_names[] = {
    "kith",         "Wildcard",       "Any",           "This",
    "Variable",     "Name",           "Symbol",        "Alias",
    "Prefab",       "Disabled",       "Module",        "Query",
    "Observer",     "EnumType",       "ChildOf",       "IsA",
    "DependsOn",    "SlotOf",         "Tag",           "Final",
    "DontInherit",  "Transitive",     "Reflexive",     "Acyclic",
    "Traversable",  "Exclusive",      "Union",         "Sparse",
    "Symmetric",    "With",           "OneOf",         "Transient",
    "OnDelete",     "OnDeleteTarget", "Remove",        "Delete",
    "Panic",        "OnAdd",          "OnRemove",      "OnSet",
    "UnSet",        "Monitor",        "OnTableCreate", "OnTableDelete",
    "PredEq",       "PredNeq",        "PredMatch",     "AllOf",
    "AnyOf",        "ScopeOpen",      "ScopeClose",    "Observes",
    "Relationship", "System",         "Phase",         "Pipeline",
    "OnStart",      "PreFrame",       "OnLoad",        "PostLoad",
    "PreUpdate",    "OnUpdate",       "OnValidate",    "PostUpdate",
    "PreStore",     "OnStore",        "PostFrame",     "Before",
    "After",        "InSet",          "AmbiguousWith",
};
static_assert(sizeof builtin_names / sizeof *builtin_names ==
              detail::named_builtin_end - first_builtin);

// True for indices that every world uses from the start: the components of kith, below first_type,
// and the builtin entities.
constexpr bool is_builtin(std::uint32_t index) noexcept {
    return index < detail::first_type || (index >= first_builtin && index < detail::builtin_end);
}

}  // namespace kith::ids
