// Names of the builtin entities, by index from kith::first_builtin on.
#pragma once

#include <kith/id.hpp>

namespace kith::ids {

inline constexpr const char* builtin_names[] = {
    "kith",        "Wildcard",       "Any",           "This",
    "Variable",    "Name",           "Symbol",        "Alias",
    "Prefab",      "Disabled",       "Module",        "Query",
    "Observer",    "EnumType",       "ChildOf",       "IsA",
    "DependsOn",   "SlotOf",         "Tag",           "Final",
    "DontInherit", "Transitive",     "Reflexive",     "Acyclic",
    "Traversable", "Exclusive",      "Union",         "Sparse",
    "Symmetric",   "With",           "OneOf",         "Transient",
    "OnDelete",    "OnDeleteTarget", "Remove",        "Delete",
    "Panic",       "OnAdd",          "OnRemove",      "OnSet",
    "UnSet",       "Monitor",        "OnTableCreate", "OnTableDelete",
    "PredEq",      "PredNeq",        "PredMatch",
};
static_assert(sizeof builtin_names / sizeof *builtin_names == detail::builtin_end - first_builtin);

}  // namespace kith::ids
