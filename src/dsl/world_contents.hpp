// The part of a world that texts state: the entities, their order, their facts and their types.
// Used by all forms in which a world is written.
//
// Covered by tests/dsl/world_text_save_test.cpp.
#pragma once

#include <kith/detail/ops.hpp>
#include <kith/world.hpp>

#include "by_index.hpp"
#include "written_types.hpp"

#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace kith::dsl {

// True for entities that each world has: texts state only their further facts.
bool is_builtin(entity_t entity) noexcept;

// The index of the tag or relationship.
inline std::uint32_t element_of(id_t id) noexcept {
    return is_pair(id) ? pair_first(id) : index_of(id);
}

// Properties that the world refuses if existing pairs contradict them.
bool is_demand(id_t id) noexcept;
inline bool is_with(id_t id) noexcept {
    return is_pair(id) && pair_first(id) == With;
}
// Properties that must exist before the pairs of their holder, because they decide how these are
// stored.
bool is_arrangement(id_t id) noexcept;

// The entities that are written, their order, and the facts of each.
class world_contents {
public:
    explicit world_contents(const world& world) : world_(world) {
        find_disabled();
        find_code();
        find_named();
        find_order();
    }

    // The entities in the order of the text, without builtin ones.
    const std::vector<entity_t>& order() const noexcept { return order_; }
    // Builtin entities with ids that a new world does not give them.
    const std::vector<entity_t>& changed_builtins() const noexcept { return changed_builtins_; }
    // The ids that the text states about an entity. Entities with the same ids share the list,
    // which lives as long as the contents.
    struct fact_list {
        std::vector<id_t> ids;
        std::vector<id_t> with_handles;  // whose values name entities
        bool is_checked = false;
        bool is_needed = false;  // its elements are written

        auto begin() const noexcept { return ids.begin(); }
        auto end() const noexcept { return ids.end(); }
        bool empty() const noexcept { return ids.empty(); }
    };
    const fact_list& facts_of(const entity& entity) const { return find_facts(entity); }
    // The types of values that the text states, and types that only the text declares.
    written_types types() const;
    // The position of an entity in the order, from 1; 0 for builtin entities, which exist before.
    std::size_t position(entity_t entity) const {
        const known_entity* known = known_.find(index_of(entity));
        return known ? known->position : 0;
    }

private:
    struct known_entity {
        fact_list* facts = nullptr;  // null: not found so far
        entity_t parent = 0;
        std::uint32_t position = 0;
        bool is_written = false;
        bool has_parent = false;  // `parent` is known; 0: there is none
        bool is_code = false;
    };

    bool is_written(entity_t entity) const {
        const known_entity* known = known_.find(index_of(entity));
        return known && known->is_written;
    }
    // False: the entity was chosen before.
    bool choose(entity_t entity) {
        if (std::exchange(known_[index_of(entity)].is_written, true)) {
            return false;
        }
        written_.push_back(index_of(entity));
        return true;
    }
    entity alive(std::uint32_t index) const { return world_.get_alive(index); }

    void find_disabled();
    // Objects with code are no data, and left out: observers, systems and named queries.
    void find_code();
    bool is_code(entity_t entity) const {
        const known_entity* known = has_code_ ? known_.find(index_of(entity)) : nullptr;
        return known && known->is_code;
    }
    bool names_code(id_t id) const;
    // Finding the entities to write: entities with names, and the elements of their ids.
    void find_named();
    bool is_declared_only(entity_t type) const;
    // Adds entities that written ids name, until no entity is missing.
    void need(entity_t type);
    void need_elements(const entity& entity);
    // Choosing the order.
    void find_order();
    std::vector<entity_t> roots() const;
    std::vector<entity_t> written_children(entity_t parent) const;
    std::vector<entity_t> nested_order() const;
    std::vector<entity_t> id_order() const;
    bool keeps_targets() const;
    fact_list& find_facts(const entity& entity) const;
    fact_list& find_shared_facts(const entity& entity) const;
    std::vector<id_t> select_facts(const entity& entity, bool is_type) const;
    std::vector<id_t> facts_of_builtin(const entity& builtin) const;
    std::vector<id_t> without_transient(const std::vector<id_t>& facts) const;
    // Throws unless text can state all facts of the entity.
    void check_facts(const entity& entity) const;
    void check_handles(const entity& entity, id_t id) const;
    void check_enabled(const entity& entity, id_t id) const;
    void check_fact(const entity& entity, id_t id) const;
    void check_written_value(const entity& entity, id_t id) const;
    void check_element(const entity& entity, id_t id, std::uint32_t element) const;
    void check_place(const entity& entity) const;

    entity parent_of(const entity& child) const {
        known_entity& known = known_[index_of(child)];
        if (!std::exchange(known.has_parent, true)) {
            known.parent = child.target(ChildOf);
        }
        return kith::entity(world_, known.parent);
    }
    // Entities of C++ types exist when the program runs, so they are written only if they have
    // facts.
    bool is_of_type(const entity& entity) const {
        return entity.owns(detail::component_type_id) || is_constant(entity);
    }
    bool is_constant(const entity& entity) const {
        const kith::entity parent = parent_of(entity);
        return parent && parent.owns(EnumType);
    }

    world world_;
    kith::world fresh_;  // a new world, to compare builtin entities with
    mutable by_index<known_entity> known_;
    std::vector<std::uint32_t> written_;  // indexes of the entities that are written
    std::unordered_set<std::uint32_t>
        kinds_;                     // indexes of tags and relationships of written entities
    std::vector<entity_t> needed_;  // entities whose elements have to be written as well
    std::vector<entity_t> changed_builtins_;
    std::vector<entity_t> order_;
    bool has_disabled_ = false;  // some entity has an id that is switched off
    bool has_code_ = false;      // some entity is an object with code
    // Found so far, by all ids of an entity; those of builtin entities and types by their index.
    mutable std::map<std::vector<id_t>, fact_list> facts_;
    mutable std::unordered_map<std::uint32_t, fact_list> facts_of_types_;
    mutable std::pair<const std::vector<id_t>, fact_list>* last_ = nullptr;
};

}  // namespace kith::dsl
