// A query as a tree, and what its variables are: which items bind them, which may leave them unset,
// and which only read them.
#pragma once

#include "support/query_model/oracle_term.hpp"

namespace oracle {

// What has to hold together is a list of items, each of which has one or more
// alternatives, each of which is a term or a list again.
struct item;
struct alternative {
    std::size_t term = 0;  // of the query, if it is no scope
    bool scope = false;
    std::vector<item> items;
};
struct item {
    kith::oper_kind_t oper = kith::And;
    std::vector<alternative> alternatives;
};

enum class binds { never, sometimes, always };

// Which variables items bind, and which items have to wait for those that may stay unset.
struct roles {
    std::vector<binds> of;
    std::vector<std::vector<binds>> by;               // by item and variable
    std::vector<std::vector<bool>> certain;           // by both: whatever stays unset
    std::vector<std::vector<std::size_t>> producers;  // of what may stay unset
    std::vector<bool> depends;                        // by item: reads what others may leave unset

    bool is_producer(std::size_t v, std::size_t item) const {
        return std::find(producers[v].begin(), producers[v].end(), item) != producers[v].end();
    }
};

class query_tree {
public:
    explicit query_tree(const std::vector<term>& terms);

    const std::vector<term>& terms() const { return terms_; }
    const std::vector<item>& items() const { return items_; }
    std::size_t variables() const { return variables_; }
    std::size_t fields() const { return fields_; }
    std::size_t field_of(std::size_t term) const { return field_of_[term]; }

    // -- who mentions and who binds a variable

    static bool mentions(const term& one, int variable);
    bool mentions(const alternative& one, int variable) const;
    bool mentions(const item& one, int variable) const;

    static bool names_builtin(const term& one);
    // Variables other than $this are builtins only where a term names some, or has the variable in
    // its id, or they equal such a one; of those that only negated terms have, a negated one.
    bool may_be_builtin(int variable) const;

    bool is_shown(int variable) const;

    // Whoever only reads a variable does not bind it. `unknown`: those that have no value before;
    // of two that are equal, one needs it.
    static binds binding_of(const term& one, int variable, const std::vector<bool>& unknown);
    binds binding_of(const alternative& one, int variable, std::vector<bool> unknown) const;
    binds binding_of(const item& one, int variable, const std::vector<bool>& unknown) const;

    // `open`: the variables that are not known from elsewhere.
    const roles& assign_roles(const std::vector<item>& items, const std::vector<bool>& open) const;

private:
    static bool is_shown_by(const term& one, int variable);
    // Not, where it is negated in one way or another.
    static kith::oper_kind_t says(const term& one);

    // -- the tree

    void number_fields();
    std::vector<item> parse(std::size_t& at) const;
    // A scope that has to hold, by itself, is no more than what it contains.
    static std::vector<item> flattened(std::vector<item> items);
    bool says_no_pair(const alternative& one) const;

    // How a term speaks of a variable: as its source, or so that it says which one it is.
    enum class speaks { not_at_all, as_source, by_comparison, of_it };

    static speaks strength_of(const term& one, int variable);
    speaks strength_of(const item& one, int variable) const;

    // What items bind depends on what is known before, and the other way round.
    roles find_roles(const std::vector<item>& items, const std::vector<bool>& open) const;
    roles find_roles(const std::vector<item>& items, const std::vector<bool>& open,
                     const roles& before) const;
    // Left to an optional item is what it alone can say which one it is.
    void find_role(const std::vector<item>& items, std::size_t v, roles& found) const;
    // Which of two may bind a variable: the first, but what has to hold comes before what may, and
    // what names it before what has it as a source.
    std::size_t binder_of(const std::vector<item>& items, std::size_t v, std::size_t first,
                          std::size_t second) const;
    bool is_left_to_dependents(const std::vector<item>& items, std::size_t v, roles& found) const;
    bool reads_unset(const item& one, std::size_t index, const roles& known) const;

    std::vector<term> terms_;
    std::size_t variables_ = 1;  // $this, at least
    std::size_t fields_ = 0;
    std::vector<std::size_t> field_of_;  // by term
    std::vector<item> items_;
    mutable std::map<std::pair<const std::vector<item>*, std::vector<bool>>, roles> roles_;
};

}  // namespace oracle
