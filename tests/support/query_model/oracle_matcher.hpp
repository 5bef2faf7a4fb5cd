// The meaning of one term whose variables are all replaced by entities: every way in which it
// holds, by the rules of the manual and nothing else.
#pragma once

#include "support/query_model/oracle_term.hpp"

#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace oracle {

// The elements of a term without variables.
struct elements {
    entity_t source = 0;
    entity_t first = 0;
    entity_t second = 0;
};

class matcher {
public:
    explicit matcher(const reader& world) : world_(world) {}

    choices match(const term& one, const elements& with) const;

    // There is somewhere to look.
    bool is_searchable(const part& source) const;

    // Everyone who is a target of a relationship, or of what it stands for.
    const std::set<entity_t>& targets_of(entity_t relation) const;

private:
    bool can_match(const term& one, const elements& with) const;

    // -- which ids

    struct pattern {
        bool pair;
        entity_t first;
        entity_t second;

        static bool accepts(entity_t element, std::uint32_t index) {
            return is_open(element) || kith::index_of(element) == index;
        }
        bool is_wild() const { return is_open(first) || (pair && is_open(second)); }
        bool matches(id_t id) const {
            if ((id & kith::Override) || kith::is_pair(id) != pair) {
                return false;
            }
            return pair ? accepts(first, kith::pair_first(id)) &&
                              accepts(second, kith::pair_second(id))
                        : is_open(first) || first == id;
        }
    };
    using pattern_list = std::vector<pattern>;

    static pattern_list patterns(bool pair, const std::vector<entity_t>& firsts,
                                 const std::vector<entity_t>& seconds);

    // What an element stands for, nearest first: each group is searched by itself.
    std::vector<std::vector<entity_t>> groups(const term& one, const part& said, entity_t value,
                                              bool second) const;
    std::vector<entity_t> substitutes(const part& said, entity_t value) const;
    static bool is_within(const part& said, std::uint32_t level);
    static entity_t relation_of(const part& said);
    const reader::way& way_of(const part& said, entity_t e) const;

    // Component inheritance: of what is named as such, unless it or what is asked about is builtin
    // or the end of its line.
    bool is_inherited_from(const term& one, const part& said, entity_t value, bool second) const;
    std::vector<entity_t> with_subsets(entity_t e) const;

    // -- where to look

    struct match_at {
        entity_t owner;
        id_t id;
        bool at_once = false;  // on the source itself, without a search
    };

    // Each id that a wildcard stands for is looked for by itself.
    void append(const term& one, entity_t source, const pattern_list& wanted, choices& found) const;
    void append_found(const term& one, entity_t source, const pattern_list& wanted,
                      choices& found) const;
    pattern exactly(id_t id) const;
    // All that anybody has.
    const std::set<id_t>& ids() const;
    static field field_of(const term& one, const match_at& each);

    // Every match in the order in which it is met; without `all`, those of the first entity.
    std::vector<match_at> search(const part& said, entity_t source,
                                 const pattern_list& wanted) const;

    // Exclusive relationships, by who was the first to have a pair of it: it hides those of others.
    using hiding = std::map<std::uint32_t, entity_t>;
    void hide(entity_t e, hiding& hidden) const;

    void append_own(entity_t e, const pattern_list& wanted, std::vector<match_at>& found) const;
    // What can be seen from elsewhere.
    void append_visible(entity_t e, const pattern_list& wanted, const hiding& hidden,
                        std::vector<match_at>& found) const;
    // The first of several names: one that is switched off counts only if there is no other.
    template <class Visible>
    void append_first(entity_t e, const pattern_list& wanted, Visible is_visible, bool at_once,
                      std::vector<match_at>& found) const {
        std::optional<match_at> off;
        for (const pattern& one : wanted) {
            for (id_t id : world_.own(e)) {
                if (!one.matches(id) || !is_visible(id)) {
                    continue;
                }
                match_at here{e, id, at_once};
                if (world_.is_enabled(e, id)) {
                    found.push_back(here);
                    return;
                } else if (!off) {
                    off = here;
                }
            }
        }
        if (off) {
            found.push_back(*off);
        }
    }
    // What the first of the entity's bases has.
    void append_inherited(entity_t e, const pattern_list& wanted,
                          std::vector<match_at>& found) const;

    // -- transitive and reflexive relationships

    // Of relationships that are named, where nothing is said about where to look but what holds
    // anyway.
    bool has_closure(const term& one, const elements& with) const;
    static bool looks_as_usual(const part& source);

    // The first edges of a way, by target.
    using edge_map = std::map<entity_t, choice>;
    const edge_map& edges(const term& one, entity_t relation, entity_t from) const;
    std::vector<entity_t> firsts() const;
    // Everyone who is a target of one of them.
    std::set<entity_t> targets_of(const std::vector<entity_t>& relations) const;
    const std::set<entity_t>& reached(const term& one, entity_t relation, entity_t from) const;
    // Has a pair of the relationship, or is the target of one.
    bool takes_part(entity_t e, entity_t relation) const;
    bool is_reflexive(const term& one, const elements& with) const;

    // What may be reported for a way to a target.
    choice reported(const term& one, const elements& with, entity_t to) const;

    choices match_closure(const term& one, const elements& with) const;
    void append_reported(const term& one, const elements& with,
                         const std::vector<entity_t>& members, const std::set<entity_t>& targets,
                         choice& found) const;

    const reader& world_;
    // What was asked before. Edges are those of a relationship, from an entity, its own only or
    // not.
    using edge_key = std::tuple<entity_t, bool, entity_t>;
    mutable std::map<edge_key, edge_map> edges_;
    mutable std::map<edge_key, std::set<entity_t>> reached_;
    mutable std::map<entity_t, std::set<entity_t>> members_;
    mutable std::map<entity_t, std::set<entity_t>> targets_;
    mutable std::set<id_t> ids_;
};

}  // namespace oracle
