// Short plans for random programs: operations that only together have the effect that is wanted, a
// slot of a prefab that is instantiated, say. Chance alone would rarely make them.
#pragma once

#include "support/model/chooser.hpp"

namespace model {

class planner : public chooser {
public:
    using chooser::chooser;

protected:
    bool is_planned() const { return next_ < plan_.size(); }
    op take_planned() { return plan_[next_++]; }

    void make_plan(const runner& state);

private:
    // -- steps
    void then(op_kind kind, std::uint8_t slot, std::uint8_t first = 0,
              std::uint8_t second = no_element);
    void maybe(std::size_t one_in, op_kind kind, std::uint8_t slot, std::uint8_t first = 0,
               std::uint8_t second = no_element);
    void property(op_kind kind, std::uint8_t relation, property_number what,
                  std::uint8_t target = no_element);
    void gets(std::uint8_t relation, property_number what, std::uint8_t target = no_element);
    void loses(std::uint8_t relation, property_number what, std::uint8_t target = no_element);
    std::int32_t any_number() { return static_cast<std::int32_t>(below(1000)) + 1; }

    // A slot that this plan does not use yet.
    std::uint8_t other_slot(const runner& state, bool wants_free);
    std::uint8_t fresh(const runner& state);
    std::uint8_t somebody(const runner& state);
    std::uint8_t fresh_below(const runner& state, std::uint8_t parent);
    std::uint8_t valued_component();
    // With or without a type, new or known.
    std::uint8_t some_relation(const runner& state);

    // -- plans

    // An entity with more ids than tables on the way are kept for.
    void plan_wide(const runner& state);
    void plan_prefab(const runner& state);
    void plan_with(const runner& state);
    void plan_one_of(const runner& state);
    void plan_symmetric(const runner& state);
    void plan_cycle(const runner& state);
    // First the pairs, then the property.
    void plan_late_property(const runner& state);
    void plan_storage(const runner& state);
    // Somebody goes and comes again in one batch: the order of sources shows it.
    void plan_return(const runner& state);
    void plan_property(const runner& state);
    void plan_instance(const runner& state);
    // Children and what becomes of them.
    void plan_family(const runner& state);
    void plan_final(const runner& state);
    void plan_revival(const runner& state);

    std::vector<op> plan_;
    std::size_t next_ = 0;
    std::set<std::uint8_t> used_;
};

}  // namespace model
