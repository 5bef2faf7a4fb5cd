// What an entity sees through a term on the other side of a change that is being told: before it,
// for what came, and after it, for what goes. What is seen on both sides neither comes nor goes.
//
// Covered by tests/core/observe/sight_test.cpp and term_truth_test.cpp.
#pragma once

#include "containers/hash_index.hpp"
#include "mutate/stage.hpp"
#include "observe/satisfying_ids.hpp"

namespace kith::observe {

class other_state {
public:
    other_state(const mutate::stage& owner, const events::event_data& event) noexcept;

    ~other_state();
    other_state(const other_state&) = delete;
    other_state& operator=(const other_state&) = delete;

    // Who has the id there, for an entity that looks for it as the term does; 0: nobody.
    entity_t find_owner(entity_t from, const queries::term& term, id_t id);
    // The same for an entity that the term's search visits and that does not own the id: its bases
    // come before those further away.
    entity_t find_beyond(entity_t visited, const queries::term& term, id_t id);
    // True if the id can be why a term holds: of a closure, its target leads to where that ends.
    bool counts(id_t id, const satisfying_ids& ids);
    // True if the term holds there for the entity.
    bool holds(entity_t from, const satisfying_ids& ids);

private:
    struct search;
    // What a search does behind an entity that it has visited.
    enum class then : std::uint8_t { go_on, turn_back, stop };
    // Who has it, seen from an entity that may have it itself. Those further away are mostly asked
    // for first: so long chains take one step each.
    struct answer {
        entity_t entity;
        id_t id;
        std::uint32_t trav;
        entity_t owner;
    };

    // Beside the table, the changed entity has the id on this side only.
    bool differs(id_t id) const noexcept;
    bool is_changed(entity_t entity) const noexcept { return entity == what_.entity; }
    // The entity, or an element of the id, is not there: a deletion takes it.
    bool is_gone(entity_t entity) const noexcept {
        return deleting_ && mutate::is_pending_delete(data_, index_of(entity));
    }
    bool is_gone_id(id_t id) const noexcept {
        return deleting_ && mutate::names_pending_delete(data_, id);
    }
    bool owns(entity_t entity, id_t pattern) const;
    // One of those that count; `passes`: that it passes on.
    bool owns_counted(entity_t entity, const satisfying_ids& ids, bool passes) const;
    // Calls visit(id) for the entity's own ids, until it returns false; false if it did.
    template <class Visit>
    bool each_own(entity_t entity, id_t pattern, Visit&& visit) const;
    template <class Visit>
    bool each_changed(id_t pattern, Visit&& visit) const;
    // Calls visit(entity).
    template <class Visit>
    void each_target(entity_t entity, std::uint32_t relation, Visit&& visit) const;
    template <class Visit>
    void each_source(entity_t entity, std::uint32_t relation, Visit&& visit) const;
    template <class Visit>
    void each_changed_target(std::uint32_t relation, Visit&& visit) const;

    // How a search goes on from what it visits.
    struct way {
        std::uint32_t relation;
        bool up;
        std::uint32_t max_depth;
        bool by_level;
    };
    static way way_of(const queries::term& term) noexcept;
    // Calls visit(entity, level) for those further away, in the order of queries.
    template <class Visit>
    void search_further(entity_t from, const way& along, Visit&& visit);
    // Calls visit(base) until it returns false; false if it did.
    template <class Visit>
    bool each_base(entity_t inheritor, Visit&& visit);
    // The base that an entity which does not own such an id inherits one from, 0 if there is none.
    entity_t find_base(entity_t inheritor, id_t pattern);
    entity_t find_further(entity_t from, const queries::term& term, id_t id, id_t pattern,
                          bool plain);
    bool finds_counted(entity_t from, const satisfying_ids& ids);
    bool leads_to_end(entity_t from, const satisfying_ids& ids);
    const answer* find_answer(entity_t entity, id_t id, std::uint32_t trav) const noexcept;
    void remember(const answer& answer);

    const storage::store& data_;
    containers::memory& mem_;
    const events::event_data& what_;
    const storage::table* type_ = nullptr;  // of the changed entity; null: as it is
    id_t instead_ = 0;
    const mutate::sparse_delta* sparse_ = nullptr;
    bool has_id_;    // the changed entity has the id that is told of
    bool deleting_;  // what a deletion takes is not there
    containers::vec<answer> known_;
    containers::hash_index known_index_;
};

}  // namespace kith::observe
