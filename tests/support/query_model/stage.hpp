// A world in which the steps of query_model/program.hpp are made, and the entities that its words
// stand for.
#pragma once

#include "support/query_model/oracle.hpp"
#include "support/query_model/program.hpp"

#include <array>

namespace query_model {

// A world in which steps are made. What kith refuses has no effect.
class stage {
public:
    stage();

    entity_t id_of(word one) const { return known_[one]; }
    bool is_alive(word one) const;
    kith::entity entity(word one) const { return world.entity(known_[one]); }
    // Every word of it means something that lives.
    bool is_known(const phrase& one) const;
    id_t id_of(const phrase& one) const;
    // The word for an entity, `nothing` if there is none.
    word word_of(entity_t e) const;
    // False if there are no words for it.
    bool phrase_of(id_t id, phrase& found) const;

    // Whether it was done.
    bool run(const step& one);

    kith::world world;

private:
    bool try_run(const step& one);
    static void toggle(kith::entity e, entity_t property);
    bool change_entity(kith::entity e, const step& one);
    bool change_id(kith::entity e, const step& one);
    bool contains(entity_t list, entity_t other) const;
    void set(kith::entity e, const step& one) const;

    std::array<entity_t, word_count> known_{};
    bool deferred_ = false;
};

// The terms with ids for words. False if a word means nothing that lives.
bool resolve(const stage& on, const word one, const search& how, oracle::part& found);
bool resolve(const stage& on, const query_term& one, oracle::term& found);
bool resolve(const stage& on, const query_terms& terms, std::vector<oracle::term>& found);

}  // namespace query_model
