// What one term means whose variables are all replaced by entities: every way in which it holds, by
// the rules of the manual and nothing else.
#pragma once

#include "support/oracle_world.hpp"

#include <optional>

namespace oracle {

enum class term_kind : std::uint8_t {
    find,     // an id that the source has
    equal,    // the source is the second element
    differ,   // it is not
    contain,  // its name has a part
    open,     // of a scope
    close,    //
};

// Source, first or second element. An entity that has died since matches nothing, even if its index
// lives again.
struct part {
    entity_t id = 0;
    int variable = -1;  // which one, 0 being $this; -1: none
    std::uint32_t flags = 0;
    entity_t relation = 0;  // to traverse; 0: IsA
    std::uint32_t min_depth = 0;
    std::uint32_t max_depth = 0;

    bool is_variable() const { return variable >= 0; }
    bool is_constant() const { return !is_variable() && !is_open(id); }
    bool is_substituted() const { return flags != 0; }

    auto operator<=>(const part&) const = default;
};
struct term {
    term_kind kind = term_kind::find;
    part first;
    part second;  // of a pair; id 0 says that there is no such pair
    bool pair = false;
    part source = {.variable = 0};
    kith::oper_kind_t oper = kith::And;
    std::string name;  // of what to compare with, if it is not `second`
    bool by_name = false;

    auto operator<=>(const term&) const = default;
};

// What a field of a result says.
struct field {
    bool set = false;
    id_t id = 0;
    entity_t source = 0;  // 0: $this itself

    auto operator<=>(const field&) const = default;
};
// Whose it is may be reported one way or another.
inline constexpr entity_t anyone = ~entity_t{0};

// One way in which a term holds. Where several ids or sources may be reported for it, all of them.
using choice = std::vector<field>;
using choices = std::vector<choice>;

// The elements of a term without variables.
struct elements {
    entity_t source = 0;
    entity_t first = 0;
    entity_t second = 0;
};

class matcher {
public:
    explicit matcher(const reader& world) : world_(world) {}

    choices match(const term& one, const elements& with) const {
        if (!can_match(one, with)) {
            return {};
        }
        if (has_closure(one, with)) {
            return match_closure(one, with);
        }
        choices found;
        bool any = with.first == kith::Any || with.second == kith::Any;
        for (const std::vector<entity_t>& firsts : groups(one, one.first, with.first, false)) {
            for (const std::vector<entity_t>& seconds :
                 one.pair ? groups(one, one.second, with.second, true)
                          : std::vector<std::vector<entity_t>>{{0}}) {
                append(one, with.source, patterns(one.pair, firsts, seconds), found);
            }
        }
        if (any && !found.empty()) {
            choice all;
            for (const choice& each : found) {
                all.insert(all.end(), each.begin(), each.end());
            }
            return {all};
        }
        return found;
    }

    // There is somewhere to look.
    bool is_searchable(const part& source) const {
        return source.relation == 0 ||
               (world_.is_alive(source.relation) && world_.can_be_followed(source.relation));
    }

    // Everyone who is a target of a relationship, or of what it stands for.
    const std::set<entity_t>& targets_of(entity_t relation) const {
        auto [found, is_new] = targets_.try_emplace(relation);
        if (is_new) {
            found->second = targets_of(is_open(relation) ? firsts() : with_subsets(relation));
        }
        return found->second;
    }

private:
    bool can_match(const term& one, const elements& with) const {
        bool known = world_.is_alive(with.source);
        for (entity_t element : {with.first, with.second}) {
            known = known && (element == 0 || is_open(element) || world_.is_alive(element));
        }
        return known && is_searchable(one.source) && is_searchable(one.first) &&
               is_searchable(one.second);
    }

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
                                 const std::vector<entity_t>& seconds) {
        pattern_list found;
        for (entity_t first : firsts) {
            for (entity_t second : seconds) {
                found.push_back({pair, first, second == 0 ? kith::Wildcard : second});
            }
        }
        return found;
    }

    // What an element stands for, nearest first: each group is searched by itself.
    std::vector<std::vector<entity_t>> groups(const term& one, const part& said, entity_t value,
                                              bool second) const {
        if (!said.is_substituted()) {
            return {is_inherited_from(one, said, value, second) ? with_subsets(value)
                                                                : std::vector<entity_t>{value}};
        }
        std::vector<entity_t> members = substitutes(said, value);
        if (!(said.flags & kith::TraverseAll)) {
            return {members};
        }
        std::vector<std::vector<entity_t>> each;
        for (entity_t member : members) {
            each.push_back({member});
        }
        return each;
    }
    std::vector<entity_t> substitutes(const part& said, entity_t value) const {
        std::vector<entity_t> members;
        if (said.flags & kith::Self) {
            members.push_back(value);
        }
        for (const reader::step& at : way_of(said, value)) {
            // Wildcards are entities below kith: a search that visits them asks for none.
            if (is_within(said, at.level) && !is_open(at.entity) &&
                std::find(members.begin(), members.end(), at.entity) == members.end()) {
                members.push_back(at.entity);
            }
        }
        return members;
    }
    static bool is_within(const part& said, std::uint32_t level) {
        return level >= std::max(said.min_depth, 1u) &&
               (said.max_depth == 0 || level <= said.max_depth);
    }
    static entity_t relation_of(const part& said) {
        return said.flags & kith::Parent ? kith::ChildOf
               : said.relation           ? said.relation
                                         : kith::IsA;
    }
    const reader::way& way_of(const part& said, entity_t e) const {
        static const reader::way nowhere;
        if (said.flags & (kith::Up | kith::Parent | kith::Cascade)) {
            return world_.upwards(e, relation_of(said));
        }
        return said.flags & kith::Down ? world_.downwards(e, relation_of(said)) : nowhere;
    }

    // Component inheritance: of what is named as such, unless it or what is asked about is builtin
    // or the end of its line.
    bool is_inherited_from(const term& one, const part& said, entity_t value, bool second) const {
        if (!one.first.is_constant() || !said.is_constant() || value == 0 ||
            world_.owns(value, kith::Final)) {
            return false;
        }
        return !is_builtin(kith::index_of(second ? one.first.id : value));
    }
    std::vector<entity_t> with_subsets(entity_t e) const {
        std::vector<entity_t> found = {e};
        for (const reader::step& at : world_.downwards(e, kith::IsA)) {
            if (std::find(found.begin(), found.end(), at.entity) == found.end()) {
                found.push_back(at.entity);
            }
        }
        return found;
    }

    // -- where to look

    struct match_at {
        entity_t owner;
        id_t id;
        bool at_once = false;  // on the source itself, without a search
    };

    // Each id that a wildcard stands for is looked for by itself.
    void append(const term& one, entity_t source, const pattern_list& wanted,
                choices& found) const {
        if (!wanted.empty() && wanted.front().is_wild()) {
            for (id_t id : ids()) {
                bool fits = std::any_of(wanted.begin(), wanted.end(),
                                        [&](const pattern& each) { return each.matches(id); });
                if (fits) {
                    append_found(one, source, {exactly(id)}, found);
                }
            }
        } else {
            append_found(one, source, wanted, found);
        }
    }
    void append_found(const term& one, entity_t source, const pattern_list& wanted,
                      choices& found) const {
        for (const match_at& each : search(one.source, source, wanted)) {
            if (world_.is_enabled(each.owner, each.id)) {
                found.push_back({field_of(one, each)});
            }
        }
    }
    pattern exactly(id_t id) const {
        return kith::is_pair(id) ? pattern{true, world_.at(kith::pair_first(id)),
                                           world_.at(kith::pair_second(id))}
                                 : pattern{false, id, 0};
    }
    // All that anybody has.
    const std::set<id_t>& ids() const {
        if (ids_.empty()) {
            for (entity_t e : world_.all()) {
                for (id_t id : world_.own(e)) {
                    if (!(id & kith::Override)) {
                        ids_.insert(id);
                    }
                }
            }
        }
        return ids_;
    }
    static field field_of(const term& one, const match_at& each) {
        bool on_this = one.source.variable == 0 && each.at_once;
        return {true, each.id, on_this ? 0 : each.owner};
    }

    // Every match in the order in which it is met; without `all`, those of the first entity.
    std::vector<match_at> search(const part& said, entity_t source,
                                 const pattern_list& wanted) const {
        part where = said;
        if (!(where.flags & (kith::Self | kith::Up | kith::Down | kith::Parent | kith::Cascade))) {
            where.flags |= kith::Self | kith::Up;
        }
        bool inherits = relation_of(where) == kith::IsA && !(where.flags & kith::Down);
        std::vector<match_at> found;
        auto done = [&] { return !found.empty() && !(where.flags & kith::TraverseAll); };
        bool further = (where.flags & ~(kith::Self | kith::TraverseAll)) != 0;
        if (where.flags & kith::Self) {
            append_own(source, wanted, found);
            if (found.empty() && further && relation_of(where) != kith::IsA) {
                append_inherited(source, wanted, found);
            }
        }
        std::set<entity_t> counted;
        hiding hidden;
        if (inherits) {
            hide(source, hidden);
        }
        for (const reader::step& at : way_of(where, source)) {
            if (done()) {
                break;
            }
            if (is_within(where, at.level) && counted.insert(at.entity).second) {
                std::size_t before = found.size();
                append_visible(at.entity, wanted, hidden, found);
                if (relation_of(where) != kith::IsA && found.size() == before) {
                    append_inherited(at.entity, wanted, found);
                }
            }
            if (inherits) {
                hide(at.entity, hidden);
            }
        }
        return found;
    }

    // Exclusive relationships, by who was the first to have a pair of it: it hides those of others.
    using hiding = std::map<std::uint32_t, entity_t>;
    void hide(entity_t e, hiding& hidden) const {
        for (id_t id : world_.own(e)) {
            if (!(id & kith::Override) && world_.is_exclusive(id)) {
                hidden.insert({kith::pair_first(id), e});
            }
        }
    }

    void append_own(entity_t e, const pattern_list& wanted, std::vector<match_at>& found) const {
        append_first(
            e, wanted, [](id_t) { return true; }, true, found);
    }
    // What can be seen from elsewhere.
    void append_visible(entity_t e, const pattern_list& wanted, const hiding& hidden,
                        std::vector<match_at>& found) const {
        auto is_visible = [&](id_t id) {
            auto by = kith::is_pair(id) ? hidden.find(kith::pair_first(id)) : hidden.end();
            return world_.is_inherited(id) && (by == hidden.end() || by->second == e);
        };
        append_first(e, wanted, is_visible, false, found);
    }
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
                          std::vector<match_at>& found) const {
        hiding hidden;
        hide(e, hidden);
        std::size_t before = found.size();
        for (const reader::step& at : world_.upwards(e, kith::IsA)) {
            append_visible(at.entity, wanted, hidden, found);
            if (found.size() != before) {
                return;
            }
            hide(at.entity, hidden);
        }
    }

    // -- transitive and reflexive relationships

    // Of relationships that are named, where nothing is said about where to look but what holds
    // anyway.
    bool has_closure(const term& one, const elements& with) const {
        bool named = one.pair && one.first.is_constant() && !one.first.is_substituted() &&
                     !one.second.is_substituted();
        bool wild = is_open(with.second) || with.second == 0;
        return named && looks_as_usual(one.source) &&
               (world_.owns(with.first, kith::Transitive) ||
                (world_.owns(with.first, kith::Reflexive) && !wild));
    }
    static bool looks_as_usual(const part& source) {
        std::uint32_t flags = source.flags & ~kith::Desc;
        bool bases = (flags == (kith::Self | kith::Up) || flags == (kith::Self | kith::Cascade)) &&
                     relation_of(source) == kith::IsA;
        return (flags == 0 || flags == kith::Self || bases) && source.min_depth <= 1 &&
               source.max_depth == 0;
    }

    // The first edges of a way, by target.
    using edge_map = std::map<entity_t, choice>;
    const edge_map& edges(const term& one, entity_t relation, entity_t from) const {
        auto [found, is_new] = edges_.try_emplace({relation, one.source.flags == kith::Self, from});
        if (is_new) {
            std::vector<entity_t> firsts = groups(one, {.id = relation}, relation, false).front();
            for (entity_t to : targets_of(relation)) {
                choices direct;
                term edge;
                edge.source = {.flags = one.source.flags};
                append(edge, from, patterns(true, firsts, {to}), direct);
                for (const choice& each : direct) {
                    found->second[to].insert(found->second[to].end(), each.begin(), each.end());
                }
            }
        }
        return found->second;
    }
    std::vector<entity_t> firsts() const {
        std::set<entity_t> found;
        for (entity_t e : world_.all()) {
            for (id_t id : world_.own(e)) {
                if (kith::is_pair(id)) {
                    found.insert(world_.kind_of(id));
                }
            }
        }
        return {found.begin(), found.end()};
    }
    // Everyone who is a target of one of them.
    std::set<entity_t> targets_of(const std::vector<entity_t>& relations) const {
        std::set<entity_t> found;
        for (entity_t e : world_.all()) {
            for (id_t id : world_.own(e)) {
                for (entity_t relation : relations) {
                    if (reader::is_pair_of(id, relation)) {
                        found.insert(world_.at(kith::pair_second(id)));
                    }
                }
            }
        }
        return found;
    }
    const std::set<entity_t>& reached(const term& one, entity_t relation, entity_t from) const {
        auto [known, is_new] =
            reached_.try_emplace({relation, one.source.flags == kith::Self, from});
        if (is_new) {
            std::set<entity_t>& found = known->second;
            std::vector<entity_t> next = {from};
            while (!next.empty()) {
                entity_t at = next.back();
                next.pop_back();
                for (const auto& [to, direct] : edges(one, relation, at)) {
                    if (found.insert(to).second && world_.owns(relation, kith::Transitive)) {
                        next.push_back(to);
                    }
                }
            }
        }
        return known->second;
    }
    // Has a pair of the relationship, or is the target of one.
    bool takes_part(entity_t e, entity_t relation) const {
        auto [found, is_new] = members_.try_emplace(relation);
        if (is_new) {
            for (entity_t other : world_.all()) {
                for (id_t id : world_.own(other)) {
                    if (reader::is_pair_of(id, relation)) {
                        found->second.insert(other);
                        found->second.insert(world_.at(kith::pair_second(id)));
                    }
                }
            }
        }
        return found->second.contains(e);
    }
    bool is_reflexive(const term& one, const elements& with) const {
        bool named = !one.source.is_variable() || !one.second.is_variable();
        return world_.owns(with.first, kith::Reflexive) &&
               (named || takes_part(with.source, with.first));
    }

    // What may be reported for a way to a target.
    choice reported(const term& one, const elements& with, entity_t to) const {
        const edge_map& direct = edges(one, with.first, with.source);
        field implied{true, kith::make_pair(with.first, to), anyone};
        auto edge = direct.find(to);
        if (edge == direct.end()) {
            return {implied};
        }
        choice found = edge->second;
        for (field& each : found) {
            bool on_this = one.source.variable == 0 && each.source == with.source;
            each.source = on_this ? 0 : each.source;
        }
        // What holds anyway may be said before what is inherited, or said by a subset.
        if (to == with.source) {
            found.push_back(implied);
        }
        return found;
    }

    choices match_closure(const term& one, const elements& with) const {
        std::set<entity_t> targets = reached(one, with.first, with.source);
        bool wild = is_open(with.second) || with.second == 0;
        if (!wild && is_reflexive(one, with)) {
            targets.insert(with.source);
        }
        if (with.second == kith::Wildcard) {
            choices found;
            for (entity_t to : targets) {
                found.push_back(reported(one, with, to));
            }
            return found;
        }
        if (wild) {
            choice any;
            append_reported(one, with, {targets.begin(), targets.end()}, targets, any);
            return any.empty() ? choices{} : choices{any};
        }
        choices found;
        for (const std::vector<entity_t>& members : groups(one, one.second, with.second, true)) {
            choice any;
            append_reported(one, with, members, targets, any);
            if (!any.empty()) {
                found.push_back(any);
            }
        }
        return found;
    }
    void append_reported(const term& one, const elements& with,
                         const std::vector<entity_t>& members, const std::set<entity_t>& targets,
                         choice& found) const {
        for (entity_t to : members) {
            if (targets.contains(to)) {
                choice more = reported(one, with, to);
                found.insert(found.end(), more.begin(), more.end());
            }
        }
    }

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
