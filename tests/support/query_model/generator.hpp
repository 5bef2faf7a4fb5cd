// Random worlds, changes of them, and queries over them; see query_model/program.hpp for what they
// are made of. Queries are made for a world: most of their terms ask for what some entity has, so
// that they neither match nothing nor everything.
#pragma once

#include "support/query_model/stage.hpp"

#include <initializer_list>
#include <random>

namespace query_model {

class generator {
public:
    explicit generator(std::uint64_t seed);

    // -- worlds

    std::vector<step> make_world();

    // Any change of a world.
    step change();

    // -- queries, for what is on a stage

    query_terms make_query(const stage& on);

    unsigned choice() { return static_cast<unsigned>(random_()); }

protected:
    std::size_t below(std::size_t end) { return static_cast<std::size_t>(random_() % end); }
    bool chance(std::size_t percent) { return below(100) < percent; }
    word one_of(std::initializer_list<word> words) { return words.begin()[below(words.size())]; }
    word any_slot() { return slot(below(slots_)); }
    word any_relation();
    word any_component();
    // Few targets, so that they are met again.
    word any_target();

    // Something that many entities see from below, or no longer see.
    step change_chain();
    // Takes something away everywhere.
    step purge();
    step rename(word e) { return {step_kind::rename, e, {}, static_cast<int>(below(20))}; }
    phrase content();
    // Something that is switched off, or on again: mostly what was added once.
    step switched(word e, phrase id);
    step remember(const step& one);
    // Something that is added.
    step growth() { return remember(grow()); }
    step grow();
    // A slot before another one, most of the time: graphs without cycles get deep.
    word lower(word e);

    word living(const stage& on);

    // Where a term may find something, seen from its source.
    word somewhere(const stage& on, const query_term& one);
    phrase wanted(const stage& on, const query_term& one);

    query_term make_term(const stage& on);
    query_term make_alternative(const stage& on, bool wild);
    void choose_wildcards(phrase& id);
    // A relationship that there is something to be found through.
    word way(const stage& on, const query_term& one);
    void choose_search(const stage& on, query_term& one);
    void choose_operator(const stage& on, query_term& one);

    std::mt19937_64 random_;
    std::size_t slots_;
    bool deep_;   // long chains, of one relationship most of all
    word chain_;  //
    bool prefabs_;
    word hero_ = nothing;
    bool cascades_ = false;
    std::vector<step> added_;
    std::vector<step> switched_off_;
};

}  // namespace query_model
