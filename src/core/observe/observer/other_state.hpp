// The state of entities on the far side of the change that is being notified: before it for OnAdd,
// after it for OnRemove. Observers compare both sides: an id that a term finds on both of them
// neither comes nor goes for the subject of the term.
//
// The store shows one side; the other side is computed from the event, from the view of the change
// that the operation publishes (mutate::change_view), and from the set of entities that a deletion
// takes.
//
// Covered by tests/features/observers/other_state_test.cpp and
// tests/features/observers/term_truth_test.cpp.
#pragma once

#include "containers/hash_index.hpp"
#include "containers/small_vec.hpp"
#include "mutate/context/stage.hpp"
#include "observe/observer/satisfying_ids.hpp"

namespace kith::observe {

// Answers questions about one event. Answers are remembered, so a walk over the dependents of the
// entity costs one step for each of them. Requires: the event lives longer.
class other_state {
public:
    other_state(const mutate::stage& world, const events::event_data& event) noexcept;

    ~other_state();
    other_state(const other_state&) = delete;
    other_state& operator=(const other_state&) = delete;

    // The entity that owns the id for a search of the term that begins at `from`; 0 if there is
    // none.
    entity_t find_owner(entity_t from, const queries::term& term, id_t id);
    // The owner for an entity that the search visits and that does not own the id: bases of the
    // visited entity take precedence over entities further along the relationship.
    entity_t find_beyond(entity_t visited, const queries::term& term, id_t id);
    // True if the id can be the reason why the term holds. For a closure, its target must lead to
    // an end.
    bool counts(id_t id, const satisfying_ids& ids);
    // True if the term holds for the entity on the other side.
    bool holds(entity_t from, const satisfying_ids& ids);

private:
    // How a search continues after a visit: beyond the entity, with another branch, or not at all.
    enum class then : std::uint8_t { go_on, turn_back, stop };
    // The owner of an id, as seen from an entity that a search visits. Dependents are asked nearest
    // first, so the search of each finds the answer of the one before it.
    struct answer {
        entity_t entity;
        id_t id;
        std::uint32_t trav;
        entity_t owner;
    };

    // True if the changed entity has this sparse id on one side only.
    bool differs(id_t id) const noexcept;
    bool is_changed(entity_t entity) const noexcept { return entity == event_.entity; }
    // True if the entity does not exist on the other side, because the deletion takes it.
    bool is_gone(entity_t entity) const noexcept {
        return deleting_ && mutate::is_pending_delete(data_, index_of(entity));
    }
    // True if an element of the id does not exist on the other side.
    bool is_gone_id(id_t id) const noexcept {
        return deleting_ && mutate::names_pending_delete(data_, id);
    }
    bool owns(entity_t entity, id_t pattern) const;
    // True if the entity owns an id that satisfies the term; with `passes`, one that can be
    // inherited.
    bool owns_counted(entity_t entity, const satisfying_ids& ids, bool passes) const;
    // Calls visit(id) for the entity's own ids that match, until it returns false. False if it did.
    template <class Visit>
    bool each_own(entity_t entity, id_t pattern, Visit&& visit) const;
    // The implementation of each_own() for the changed entity.
    template <class Visit>
    bool each_changed(id_t pattern, Visit&& visit) const;
    // Calls visit(target) for the targets of the entity's pairs of the relationship.
    template <class Visit>
    void each_target(entity_t entity, std::uint32_t relation, Visit&& visit) const;
    // Calls visit(source) for the entities with such a pair to this entity.
    template <class Visit>
    void each_source(entity_t entity, std::uint32_t relation, Visit&& visit) const;
    template <class Visit>
    void each_changed_target(std::uint32_t relation, Visit&& visit) const;

    // How a search moves: the relationship, its direction, and its limits.
    struct way {
        std::uint32_t relation;
        bool up;
        std::uint32_t max_depth;
        bool by_level;  // an entity may be visited again at another level
    };
    static way way_of(const queries::term& term) noexcept;
    // Calls visit(entity, level) for the entities beyond `from`, in the order of queries.
    template <class Visit>
    void search_further(entity_t from, const way& along, Visit&& visit);
    // Calls visit(base) for each base until it returns false. False if it did.
    template <class Visit>
    bool each_base(entity_t inheritor, Visit&& visit);
    // The base from which an entity that owns no matching id inherits one, 0 if there is none.
    entity_t find_base(entity_t inheritor, id_t pattern);
    // The owner among the entities beyond `from`. `plain` permits the use of remembered answers.
    entity_t find_further(entity_t from, const queries::term& term, id_t id, id_t pattern,
                          bool plain);
    // True if the search of the term finds an id that satisfies it.
    bool finds_counted(entity_t from, const satisfying_ids& ids);
    // True if a chain of pairs of the closure leads from the entity to an end.
    bool leads_to_end(entity_t from, const satisfying_ids& ids);
    const answer* find_answer(entity_t entity, id_t id, std::uint32_t trav) const noexcept;
    void remember(const answer& answer);

    const storage::store& data_;
    containers::memory& mem_;
    const events::event_data& event_;
    const storage::table* type_ =
        nullptr;              // of the changed entity on the other side; null: unchanged
    id_t replaced_pair_ = 0;  // the pair that an exclusive pair replaces
    const mutate::sparse_delta* sparse_ =
        nullptr;     // sparse ids that change together with event_.id
    bool has_id_;    // the changed entity has event_.id on the other side
    bool deleting_;  // entities that the deletion takes do not exist on the other side
    containers::vec<answer> answers_;
    containers::hash_index answer_index_;
};

}  // namespace kith::observe
