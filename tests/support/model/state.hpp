// What the model consists of: states of entities, calls, and what is told about them.
#pragma once

#include <kith/error.hpp>
#include <kith/id.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace model {

using kith::entity_t;
using kith::errc;
using kith::id_t;

inline constexpr id_t name_id = kith::make_pair(kith::detail::identifier_type_id, kith::Name);

enum class event_kind : std::uint8_t { added, was_set, removed };

// What a hook heard, or should hear. The number is the value of a set event.
struct event {
    entity_t entity;
    id_t id;
    event_kind kind;
    std::int64_t number;

    auto operator<=>(const event&) const = default;
};

enum class call_kind : std::uint8_t {
    add,
    remove,
    set,
    emplace,
    ensure,  // get_mut, and write the value
    set_override,
    emplace_override,
    modified,
    set_name,
    clone,        // id: the source
    clone_types,  // id: the source
    clear,
    destruct,
    enable,
    disable,
    delete_with,
    remove_all,
    declare,  // several properties in one: ids
};

struct call {
    call_kind kind;
    entity_t entity = 0;
    id_t id = 0;
    std::int64_t number = 0;
    std::string name = {};
    std::vector<id_t> ids = {};
    std::vector<entity_t> elements = {};  // of a pair that is queued: these are meant
};

// Empty errors: it was done. Else kith raises one of them, and nothing is changed.
struct result {
    std::set<errc> errors = {};
    bool changed = false;
};

struct entity_state {
    std::map<id_t, std::int64_t> ids;  // with values, 0 for tags
    std::set<id_t> disabled;
    std::string name;
    std::map<id_t, std::uint64_t> since;  // when each id was added: the order of sources

    bool has(id_t id) const { return ids.count(id) != 0; }
    bool operator==(const entity_state& other) const {
        return ids == other.ids && disabled == other.disabled && name == other.name;
    }
};

struct command_error {
    std::set<errc> codes;
    // Kith need not notice: the command was on an entity that the flush deleted later on, or wrote
    // to the value of an earlier one.
    bool optional;
};

// What a flush should have done.
struct flush_report {
    std::vector<command_error> errors;
    // Commands on entities that others' commands had taken along; kith may have run them before.
    std::size_t dropped = 0;
    std::vector<bool> changed;  // per command
    // Hooks hear at least `net` and at most `gross`; exactly `net` if `exact`.
    std::vector<event> net;
    std::vector<event> gross;
    bool exact = true;
};

// A program that went where the model cannot follow ends there, without a verdict.
struct out_of_scope {};

// -- what is counted ----------------------------------------------------------------------------

// Things that properties and storages do; a run in which one of them hardly occurs proves little.
enum class effect : std::uint8_t {
    exclusive_replaces,
    union_replaces,
    symmetric_mirrors,
    symmetric_value,
    symmetric_removes,
    symmetric_unlinks,
    with_adds,
    with_adds_pair,
    with_refuses,
    one_of_accepts,
    one_of_refuses,
    one_of_keeps_child,
    acyclic_refuses,
    traversable_refuses,
    transitive_refuses,
    self_pair_refused,
    self_pair,
    tag_has_no_value,
    final_refuses,
    dont_inherit_hides,
    on_delete_removes,
    on_delete_deletes,
    on_delete_panics,
    on_delete_target_removes,
    on_delete_target_deletes,
    on_delete_target_panics,
    late_exclusive_refused,
    late_symmetric_refused,
    late_acyclic_refused,
    late_with_refused,
    late_one_of_refused,
    late_final_refused,
    late_tag_refused,
    contradiction_refused,
    moved_to_sparse,
    moved_to_dense,
    child_of_to_sparse,
    child_of_to_dense,
    untyped_pair,
    first_typed_pair,
    second_typed_pair,
    dense_pair,
    sparse_pair,
    dense_pair_value,
    sparse_pair_value,
    sparse_many_targets,
    inherited_value,
    inherited_target,
    inherited_deeply,
    inherited_twice,
    exclusive_hides,
    copied_from_base,
    override_copied,
    override_default,
    child_copied,
    grandchild_copied,
    child_of_prefab,
    prefab_copied,
    slot_filled,
    traversed,
    walked_up,
    walked_too_far,
    owner_found_above,
    children_stay,
    childs_name_refused,
    value_refused,
    count,
};
inline constexpr std::size_t effect_count = static_cast<std::size_t>(effect::count);
using effect_counts = std::array<std::uint64_t, effect_count>;

const char* name_of(effect one);

}  // namespace model
