// The prediction of commands: which ids the commands of a queue will add, remove and set, before
// they run. Commands are predicted in the order in which they run. What a command adds may depend
// on other entities (a clone on its source, an instance on its base, a child on its parent); these
// are read as the commands before will have left them.
//
// Covered by tests/features/observers/deferred_copies_test.cpp and tests/model/net_change_test.cpp.
#pragma once

#include "mutate/context/command_buffer.hpp"
#include "mutate/notify/predicted_states.hpp"
#include "traits/implications.hpp"

namespace kith::mutate {

// Writes predictions into states. All functions may throw if memory is short: changes that are not
// predicted are notified as they happen.
class command_prediction {
public:
    // `has_sides`: the queue changes symmetric pairs with listeners.
    command_prediction(stage& world, predicted_states& states, bool has_sides) noexcept
        : world_(world), states_(states), has_sides_(has_sides) {}

    // Predicts the commands from `first` up to the next emission that cannot be handled chain by
    // chain.
    void predict_queue(const command* first, bool in_order);
    // Predicts the commands of a chain that runs now.
    void predict_chain(const command* head);
    // A deletion was refused: predicts the commands after it again.
    void predict_after(const command& deletion);

private:
    // True if listeners may be notified of ids that the command names.
    bool may_be_reported(const command& queued) const;
    // True if Prefab has listeners.
    bool notifies_prefabs() const noexcept;
    // True if later effects of the id must be known, for listeners or for other entities.
    bool is_tracked(const storage::id_info& id) const noexcept;
    // True if the command adds an id for which `test` returns true, or which implies such an id.
    template <class Test>
    bool adds_any(const command& queued, Test&& test) const;
    // True if the ids that the command adds depend on other entities.
    bool reads_others(const command& queued) const;
    // True if the command changes entities that no command names.
    bool changes_others(const command& queued) const;
    // Calls visit(id_info) for each id that the id implies.
    template <class Visit>
    void each_implied(const storage::id_info& id, Visit&& visit) const;
    // The inverse of the symmetric pair of an entity.
    storage::id_info describe_inverse(entity_t entity, id_t pair) const noexcept;
    // Collects the entities whose symmetric pairs the command changes.
    void collect_sides(const command& queued, containers::vec<entity_t>& sides);
    // Collects the entities with commands in several segments or with symmetric pairs, sorted.
    void collect_spread(const command* first, const command* end, bool in_order,
                        containers::vec<entity_t>& spread);
    void predict(const command& queued);
    // Predicts an addition, with implied ids and inverses.
    void predict_added(const command& queued, id_t id);
    void predict_implied(const command& queued, entity_t entity, const storage::id_info& id);
    void predict_sides(const command& queued, entity_t entity, const storage::id_info& id,
                       bool is_set);
    void predict_one(const command& queued, entity_t entity, const storage::id_info& id,
                     bool is_set);
    // Predicts what follows from a new base or a new parent.
    void predict_consequences(const command& queued, entity_t entity, id_t id);
    void predict_marked(const command& queued, entity_t entity, entity_t base);
    void predict_prefab(const command& queued, entity_t entity);
    void predict_copied(const command& queued);
    void predict_removed(const command& queued);

    // True if the entity will have the id; `has`: whether it has the id now.
    bool will_have(entity_t entity, id_t id, bool has) noexcept {
        return ahead_ ? states_.will_have(entity, id, has) : has;
    }
    bool will_be_prefab(entity_t entity) noexcept;
    // Calls visit(id) for each mark and each base that the entity will have.
    template <class Visit>
    void each_mark_and_base(entity_t entity, Visit&& visit);
    // Collects the ids that the base and its bases will mark.
    void collect_marked(entity_t base, traits::id_buffer& marked);

    stage& world_;
    predicted_states& states_;
    const bool has_sides_;
    // Commands are predicted for the whole queue: states describe the commands up to the predicted
    // one. Otherwise the present world does.
    bool ahead_ = false;
};

}  // namespace kith::mutate
