// Random worlds that are graphs, and queries with variables over them. A query is made around a
// witness: entities that stand for its variables, of which most terms ask what they have. So it
// finds something more often than not, and seldom everything.
#pragma once

#include "support/query_model/generator.hpp"

namespace query_model {

class graph_generator : public generator {
public:
    explicit graph_generator(std::uint64_t seed);

    // -- worlds: a few slots are kinds of tags, a few are kinds of relationships

    std::vector<step> make_world();

    step graph_change();

    // -- queries

    query_terms make_graph_query(const stage& on);

private:
    static constexpr std::size_t kinds = 2;

    // -- words

    word any_verb();
    word any_kind();
    word above_kind(std::size_t i);
    word above_verb(std::size_t i);
    // Things come behind kinds.
    word thing() { return slot(2 * kinds + below(slots_ - 2 * kinds)); }
    phrase graph_content(word e);
    step graph_growth() { return remember(grow_graph()); }
    step grow_graph();

    // -- variables

    struct variable_state {
        word witness = nothing;  // nothing: it has not been used
        bool bound = false;      // in every result
        bool local = false;      // to a scope that is over, or to a term
        bool scoped = false;     // to a negated scope that is in no other
        bool maybe = false;      // an optional item or a chain may leave it unset
    };
    variable_state& state_of(word one) { return known_[one - word_count]; }
    void learn(word one, word witness, bool bound);
    std::size_t used() const;
    bool may_mention(const variable_state& one) const;
    // A search may start from one that something before gives a value to.
    bool may_start(word one) { return state_of(one).bound || state_of(one).maybe; }
    // One that may be mentioned. `bound`: it has a value in every result.
    word usable(bool bound);
    // A variable for a witness: one that has it, or a new one, or nothing.
    word variable_for(word witness);
    std::vector<bool> unused() const;
    // Everything that was used since then.
    void end_batch(const std::vector<bool>& before, bool bound, bool local);

    // -- what there is

    // Somebody who has something.
    word settled(const stage& on);
    std::vector<phrase> owned(const stage& on, word e) const;
    // One step along a relationship, if there is one.
    word along(const stage& on, word e, word relation, bool down);
    bool owns(const stage& on, word e, word property) const;
    bool has_closure(const stage& on, word relation) const;

    // -- terms

    // Something that holds for the witness, most of the time.
    query_term make_positive(const stage& on);
    // Somebody else is the source: the one at hand becomes the target.
    void reverse(const stage& on, query_term& one, word target);
    // Somebody has it as a tag, or a pair of it.
    void become_id(const stage& on, query_term& one, word kind);
    void choose_id(const stage& on, query_term& one, word source);
    void choose_elements(const stage& on, query_term& one);
    // True if it is nothing that has a meaning of its own.
    bool choose_first(const stage& on, query_term& one);
    void substitute_variable(const stage& on, query_term& one, bool literal);
    // `e` becomes somebody from whom it is reached.
    search make_substitution(const stage& on, word& e);

    // Something that may hold or not.
    query_term make_doubtful(const stage& on);
    query_term make_comparison(const stage& on, bool fixed_kind);
    void choose_name(const stage& on, query_term& one, word other);
    static std::string path_of(const stage& on, word e, const std::string& name);

    // -- items

    void push(query_term one, kith::oper_kind_t oper);
    void bracket(oracle::term_kind kind, kith::oper_kind_t oper);
    void add_item(const stage& on);
    void add_term(const stage& on);
    // What a negated term says about variables of its own is nobody else's business.
    void add_not(const stage& on);
    void add_optional(const stage& on);
    void add_chain(const stage& on);
    // Each of them gives all that it matches.
    void add_wildcards(const stage& on);
    void add_comparison(const stage& on);
    // A term that has no variables but those that are bound.
    query_term make_doubtful_of_known(const stage& on);
    bool is_known_elsewhere(word v) const;
    void add_list(const stage& on);

    void add_scope(const stage& on, int depth);
    void add_alternatives(const stage& on, int depth);
    // Its variables are its own: another such scope may use the same names.
    void add_negated_scope(const stage& on, int depth);
    void fill_scope(const stage& on, kith::oper_kind_t opens, kith::oper_kind_t closes, int depth);

    query_terms terms_;
    std::vector<variable_state> known_;
    std::size_t most_variables_ = 1;
    int left_ = 0;
};

}  // namespace query_model
