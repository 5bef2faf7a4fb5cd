// A naive world of maps and sets: what kith must do, with nothing that makes it fast. Every
// operation changes the states of the entities as the rules ask for, looks whether the outcome may
// be, and takes everything back if it may not. Ids are packed as in kith, so that states can be
// compared directly.
//
// Deferred calls are kept in a list. Running them means running one after the other; what hooks
// should hear is the difference between the states before and after.
//
// The runner (runner.hpp) runs it side by side with kith. Implemented in
//
//     reading.cpp  the meaning of ids, what entities have and inherit
//     changes.cpp  the operations, and transactions
//     rules.cpp    what may not be
//     prefab.cpp   the effects of (IsA, base)
//     cleanup.cpp  deletion and its policies
//     flush.cpp    deferred calls
#pragma once

#include "support/model/components.hpp"
#include "support/model/state.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>

namespace model {

class world_model {
public:
    world_model() = default;
    // `fixed` are the types and builtins, which are there as long as the world.
    world_model(std::vector<component> components, std::map<entity_t, entity_state> fixed);

    // -- entities
    std::map<entity_t, entity_state> alive;  // what programs made
    std::map<entity_t, entity_state> fixed;
    std::vector<event> events;   // of calls that ran at once
    std::set<entity_t> touched;  // by the last call or flush
    effect_counts effects{};
    // The entity that kith made as a copy of `original` for a child of `parent`.
    std::function<entity_t(entity_t parent, entity_t original)> find_copy;

    bool is_alive(entity_t entity) const { return alive.count(entity) != 0; }
    // Types and builtins are always there.
    bool is_element(entity_t entity) const { return is_alive(entity) || fixed.count(entity) != 0; }
    // Only for elements.
    const entity_state& at(entity_t entity) const;
    entity_t alive_at(std::uint32_t index) const;
    const entity_state* find_index(std::uint32_t index) const;
    // True if a new entity may have this id: the last index that became free, or the next fresh
    // one. Indices that one flush set free may come back in any order.
    bool may_be_next(entity_t entity) const;
    void create(entity_t entity);
    std::optional<errc> check_make_alive(entity_t entity) const;
    void make_alive(entity_t entity);

    // -- what ids mean
    const component* component_of(std::uint32_t index) const;
    // The component whose values the id has, or null.
    const component* value_type(id_t id) const;
    // Hooks are those of the value's type, or of a relation that is a C++ type.
    bool has_hooks(id_t id) const;
    bool is_enum_pair(id_t id) const;
    bool has_property(std::uint32_t relation, id_t property) const;
    bool is_exclusive(std::uint32_t relation) const;
    bool is_sparse(std::uint32_t relation) const;
    bool is_acyclic(std::uint32_t relation) const;
    bool is_symmetric(std::uint32_t relation) const;
    bool is_inheritable(id_t id) const;
    static bool is_property(id_t id);
    // By instances, from a prefab's child.
    static bool is_copied(id_t id);
    std::optional<errc> check_id(id_t id) const;

    // -- reading
    entity_t parent_of(const entity_state& state) const;
    entity_t find_named(entity_t parent, const std::string& name) const;
    std::vector<entity_t> targets(entity_t entity, std::uint32_t relation) const;
    // Who has the pair, in the order in which they got it.
    std::vector<entity_t> sources(std::uint32_t relation, entity_t target) const;
    // Who has something that matches; with a wildcard, types and builtins are not meant.
    std::vector<entity_t> holders(id_t pattern) const;
    bool has_matching(const entity_state& state, id_t pattern) const;
    // Longest path upwards.
    std::int32_t depth_of(entity_t entity, std::uint32_t relation) const;
    bool is_below(entity_t entity, entity_t ancestor, std::uint32_t relation) const;

    struct seen {
        std::int64_t number;
        int level;  // 0: its own
        entity_t owner;
    };
    // What an entity has and inherits, without marks for overriding.
    using view = std::map<id_t, seen>;
    view visible(entity_t entity) const;
    // As it sees one id, if at all.
    std::optional<seen> look(entity_t entity, id_t id) const;

    // -- operations, at once
    result run(const call& request);
    // A new entity that gets ids on the way; kith made it already, or will not.
    result create_with(entity_t entity, const std::vector<std::pair<id_t, std::int64_t>>& ids,
                       const std::set<id_t>& given);

    // -- deferred
    std::vector<call> queue;
    // Runs the queue. Commands on entities that died meanwhile are dropped without an error.
    flush_report flush();

    // -- snapshots
    // True if snapshots leave the id out: its component is transient.
    bool is_left_out(id_t id) const;
    // True if the other state has ids that snapshots of this one leave out.
    bool leaves_out_of(const world_model& other) const;
    // The world has returned to this state from another one: entities of both keep their transient
    // ids. Throws out_of_scope if the properties of such an id have changed in between.
    void keep_transient(const world_model& before);

    // What holds between operations, looked at as a whole: the model's own mistakes.
    std::string check_invariants() const;

    void note(effect one) { ++effects[static_cast<std::size_t>(one)]; }

private:
    // -- reading
    void expect_same_properties(const world_model& other, std::uint32_t element) const;
    entity_state& state(entity_t entity);
    bool is_element_index(std::uint32_t index) const;
    const component* value_type_ignoring_tag(id_t id) const;
    std::vector<entity_t> withs(std::uint32_t element) const;
    void look_into(entity_t entity, int level, view& found) const;
    template <class Visit>
    void each_state(Visit&& visit) const {
        for (const auto* group : {&alive, &fixed}) {
            for (const auto& [entity, state] : *group) {
                visit(entity, state);
            }
        }
    }
    template <class Visit>
    void each_pair_of(std::uint32_t relation, Visit&& visit) const {
        each_state([&](entity_t entity, const entity_state& state) {
            for (const auto& [id, number] : state.ids) {
                if (is_plain_pair(id) && kith::pair_first(id) == relation) {
                    visit(entity, id);
                }
            }
        });
    }
    static bool is_plain_pair(id_t id) { return (id & kith::id_flags_mask) == kith::Pair; }

    // -- changing
    void begin();
    entity_state& edit(entity_t entity);
    result commit();
    void roll_back();
    void fault(errc code) { faults_.insert(code); }
    void put(entity_t entity, id_t id, std::optional<std::int64_t> number);
    void put_plain(entity_t entity, id_t id, std::int64_t number);
    std::int64_t initial_value(entity_t entity, id_t id);
    bool has_validator(id_t id) const;
    void check_value(id_t id, std::int64_t number);
    void count_pair(entity_t entity, id_t id);
    void drop(entity_t entity, id_t id);
    void drop_replaced(entity_t entity, id_t id);
    void mirror(entity_t entity, id_t id, std::int64_t value);
    void mirror_together(entity_t entity, id_t id, std::int64_t value, std::uint64_t time);
    void assign_inverse_value(entity_t entity, id_t id, std::int64_t number);
    void notify(entity_t entity, id_t id, event_kind kind);
    void notify_set(entity_t entity, id_t id);
    result add(entity_t entity, id_t id);
    result remove(entity_t entity, id_t pattern);
    result clear(entity_t entity);
    result give(const call& request);
    result give_override(const call& request);
    result set_name(entity_t entity, const std::string& name);
    bool stays_with_partner(id_t id) const;
    void check_clone(const entity_state& from, entity_t into, bool copy_values);
    result clone(entity_t source, entity_t into, bool copy_values);
    result toggle(entity_t entity, id_t id, bool enabled);
    result remove_all(id_t pattern);
    result declare(const call& request);

    // -- rules
    void check_rules();
    void check_changed(entity_t entity, const entity_state& before);
    void check_added(entity_t entity, id_t id);
    void check_property(entity_t relation, id_t property);
    void check_with(const entity_state& state);
    void check_place(entity_t entity, const entity_state& before);
    bool is_one_of(std::uint32_t relation, entity_t target) const;
    entity_t scope_of(entity_t relation, const entity_state& state,
                      const std::set<entity_t>& dying = {}) const;
    bool keeps_targets_in_scope(const std::set<entity_t>& dying) const;
    bool has_two_targets(std::uint32_t relation) const;
    bool is_cyclic(std::uint32_t relation) const;
    bool is_mirrored(std::uint32_t relation) const;
    void note_cycle(std::uint32_t relation, bool self);
    void forget_order(std::uint32_t relation);
    void note_property_change(entity_t relation, id_t property, bool added);

    // -- prefabs
    // `bases`: all bases that the entity gets in the same step.
    void instantiate(entity_t entity, entity_t base, const std::vector<entity_t>& bases);
    bool fills_slot(entity_t base, entity_t slot) const;
    void copy_overrides(entity_t entity, entity_t base, const std::vector<entity_t>& bases);
    void collect_marks(entity_t base, std::set<entity_t>& known, std::vector<id_t>& marks) const;
    void note_copied(entity_t entity, id_t id);
    void copy_children(entity_t from, entity_t to, std::map<entity_t, entity_t>& copies);
    void fill_slots(const std::map<entity_t, entity_t>& copies);
    void fill_slot(entity_t holder, entity_t slot, entity_t copy);
    void become_prefab(entity_t entity);

    // -- cleanup
    enum class policy { remove, erase, panic };
    policy policy_of(entity_t deleted, id_t use, bool is_first) const;
    template <class Visit>
    void each_id_naming(entity_t entity, Visit&& visit) const;
    std::vector<entity_t> order_of_dying(const std::vector<entity_t>& roots) const;
    bool collect_dying(entity_t entity, std::set<entity_t>& marked,
                       std::vector<entity_t>& order) const;
    bool leaves_names_unique(const std::set<entity_t>& dying);
    result destroy(const std::vector<entity_t>& roots);
    void erase(entity_t entity);
    void forget_free(std::uint32_t index);

    // -- flush
    bool pair_is_current(const call& one) const;
    result lose_element(const call& one);
    bool adds_link(const call& one) const;
    bool can_fold(const call& one) const;
    bool is_entangled(id_t id) const;
    void merge_free(std::size_t from);
    std::map<entity_t, entity_state> changeable() const;
    void add_net_events(const std::map<entity_t, entity_state>& before,
                        const std::set<std::pair<entity_t, id_t>>& hooked,
                        const std::set<std::pair<entity_t, id_t>>& notified,
                        std::vector<event>& net) const;

    std::vector<component> components_;
    std::unordered_map<std::uint32_t, entity_t> by_index_;
    std::uint32_t fresh_ = 0;  // 0: not known before the first entity
    // Ids that new entities get, the next one last; those of one set in any order.
    std::vector<std::set<entity_t>> free_;
    std::uint64_t clock_ = 0;
    std::uint64_t copy_time_ = 0;
    // The running operation: states before, entities that it made, and why it cannot be.
    std::map<entity_t, entity_state> saved_;
    std::vector<entity_t> created_;
    std::vector<std::pair<entity_t, id_t>>
        copied_;                                   // values of which hooks hear that they were set
    std::set<std::pair<entity_t, id_t>> unheard_;  // what went without a hook
    std::set<errc> faults_;
    bool copies_ = false;  // it brings something along by copying: kith may stop half-way
};

}  // namespace model
