// What a query means, by brute force: every entity is tried as $this, every term is searched as the
// manual says it, and all choices are combined. Reads the world through plain calls on entities and
// shares nothing with the engine.
#pragma once

#include <kith/kith.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace oracle {

using kith::entity_t;
using kith::id_t;

// A term with nothing left to look up. Elements keep their generations: one that has died since
// matches nothing, even if its index lives again.
struct term {
    entity_t first = 0;
    entity_t second = 0;  // of a pair; 0 says that there is no such pair
    bool pair = false;
    entity_t source = 0;  // 0: $this
    kith::oper_kind_t oper = kith::And;
    std::uint32_t flags = 0;
    entity_t relation = 0;  // to traverse; 0: IsA
    std::uint32_t min_depth = 0;
    std::uint32_t max_depth = 0;

    auto operator<=>(const term&) const = default;
};

// What a field of a result says. Of a term with `_`, any of several may be reported: `id` is Any.
struct field {
    bool set = false;
    id_t id = 0;
    entity_t source = 0;  // 0: $this itself

    auto operator<=>(const field&) const = default;
};
struct result {
    entity_t entity = 0;  // 0: the query has no $this
    std::vector<field> fields;

    auto operator<=>(const result&) const = default;
};

struct answer {
    bool has_this = false;
    std::vector<result> results;  // sorted
    // By entity and field: what may be reported where `id` is Any.
    std::map<std::pair<entity_t, std::size_t>, std::vector<field>> any;
};

inline bool is_open(entity_t element) {
    return element == kith::Wildcard || element == kith::Any;
}
inline bool is_builtin(std::uint32_t index) {
    return index < 8 || (index >= 256 && index <= 304);
}

// A world at rest.
class reader {
public:
    explicit reader(const kith::world& world) : world_(world) {
        std::size_t left = world.stats().entities;
        for (entity_t index = 1; left > 0 && index < 100000; ++index) {
            if (entity_t e = world.get_alive(index); e != 0 && world.is_alive(e)) {
                all_.push_back(e);
                world.entity(e).each([&](const kith::id& id) { own_[e].push_back(id); });
                --left;
            }
        }
    }

    const std::vector<entity_t>& all() const { return all_; }
    const std::vector<id_t>& own(entity_t e) const {
        static const std::vector<id_t> none;
        auto found = own_.find(e);
        return found == own_.end() ? none : found->second;
    }
    bool owns(entity_t e, id_t id) const {
        return std::find(own(e).begin(), own(e).end(), id) != own(e).end();
    }
    bool is_alive(entity_t e) const { return world_.is_alive(e); }
    bool is_enabled(entity_t e, id_t id) const { return world_.entity(e).enabled(id); }
    entity_t depth(entity_t e, entity_t relation) const {
        return static_cast<entity_t>(world_.entity(e).depth(relation));
    }

    // Whatever lives at an index: pairs name their elements so.
    entity_t at(std::uint32_t index) const { return world_.get_alive(index); }
    // The relationship of a pair, else the id itself: who has the properties of the id.
    entity_t kind_of(id_t id) const {
        return at(kith::is_pair(id) ? kith::pair_first(id) : kith::index_of(id));
    }
    // Builtin marks and properties describe who has them, and nobody else.
    bool is_inherited(id_t id) const {
        entity_t kind = kind_of(id);
        bool about_itself =
            is_builtin(kith::index_of(kind)) && kind != kith::IsA && kind != kith::DependsOn;
        return !about_itself && !owns(kind, kith::DontInherit);
    }
    bool is_exclusive(id_t id) const {
        return kith::is_pair(id) &&
               (owns(kind_of(id), kith::Exclusive) || owns(kind_of(id), kith::Union));
    }
    // A relationship by what is declared of it.
    bool is_relationship(entity_t e) const {
        for (entity_t property : {kith::Exclusive, kith::Union, kith::Symmetric, kith::Acyclic,
                                  kith::Traversable, kith::Transitive, kith::Reflexive}) {
            if (owns(e, property)) {
                return true;
            }
        }
        return false;
    }

    bool can_be_followed(entity_t relation) const {
        return owns(relation, kith::Traversable) || owns(relation, kith::Acyclic) ||
               owns(relation, kith::Transitive);
    }

    // Own targets, in the entity's order.
    std::vector<entity_t> targets(entity_t e, entity_t relation) const {
        std::vector<entity_t> found;
        std::int32_t count = 0;
        for (id_t id : own(e)) {
            count += is_pair_of(id, relation);
        }
        for (std::int32_t i = 0; i < count; ++i) {
            found.push_back(world_.entity(e).target(relation, i));
        }
        return found;
    }
    std::vector<entity_t> sources(entity_t e, entity_t relation) const {
        std::vector<entity_t> found;
        world_.entity(e).each_source(relation, [&](kith::entity one) { found.push_back(one); });
        return found;
    }

private:
    static bool is_pair_of(id_t id, entity_t relation) {
        return !(id & kith::Override) && kith::is_pair(id) &&
               kith::pair_first(id) == kith::index_of(relation);
    }

    kith::world world_;
    std::vector<entity_t> all_;
    std::map<entity_t, std::vector<id_t>> own_;
};

class evaluation {
public:
    evaluation(const reader& world, const std::vector<term>& terms) : world_(world) {
        for (const term& one : terms) {
            bool joins = !chains_.empty() && chains_.back().back().oper == kith::Or;
            if (!joins) {
                chains_.emplace_back();
            }
            chains_.back().push_back(one);
        }
    }

    answer run() {
        for (const std::vector<term>& chain : chains_) {
            for (const term& one : chain) {
                answer_.has_this = answer_.has_this || one.source == 0;
            }
        }
        if (!answer_.has_this) {
            add_results(0);
        } else {
            for (entity_t e : world_.all()) {
                if (may_be_this(e)) {
                    add_results(e);
                }
            }
        }
        std::sort(answer_.results.begin(), answer_.results.end());
        return answer_;
    }

private:
    // -- $this

    bool may_be_this(entity_t e) const {
        bool prefabs = false;
        bool disabled = false;
        bool builtins = false;
        for (const std::vector<term>& chain : chains_) {
            for (const term& one : chain) {
                if (one.source != 0) {
                    continue;
                }
                prefabs = prefabs || (!one.pair && one.first == kith::Prefab);
                disabled = disabled || (!one.pair && one.first == kith::Disabled);
                builtins = builtins || names_builtin(one);
            }
        }
        return (prefabs || !world_.owns(e, kith::Prefab)) &&
               (disabled || !world_.owns(e, kith::Disabled)) &&
               (builtins || !is_builtin(kith::index_of(e)));
    }
    static bool names_builtin(const term& one) {
        entity_t named = one.pair ? one.second : one.first;
        if (named == 0 || is_open(named) || is_open(one.first) ||
            !is_builtin(kith::index_of(named))) {
            return false;
        }
        return one.pair ? one.first != kith::detail::identifier_type_id
                        : named != kith::Prefab && named != kith::Disabled;
    }

    // -- operators

    struct choices {
        std::vector<field> fields;
        bool any = false;  // one of them, whichever
    };

    void add_results(entity_t self) {
        std::vector<result> found = {{self, {}}};
        for (std::size_t i = 0; i < chains_.size(); ++i) {
            choices open = choose(chains_[i], self);
            if (open.any && !open.fields.empty()) {
                answer_.any[{self, i}] = open.fields;
                open.fields = {{true, kith::Any, 0}};
            }
            std::vector<result> longer;
            for (const result& one : found) {
                for (const field& choice : open.fields) {
                    longer.push_back(one);
                    longer.back().fields.push_back(choice);
                }
            }
            found = longer;
        }
        answer_.results.insert(answer_.results.end(), found.begin(), found.end());
    }

    choices choose(const std::vector<term>& chain, entity_t self) const {
        const field unset;
        const term& only = chain.back();
        if (chain.size() > 1) {
            for (const term& one : chain) {
                if (choices found = matches(one, self); !found.fields.empty()) {
                    return found;
                }
            }
            return {};
        }
        choices found;
        switch (only.oper) {
            case kith::AndFrom:
                found.fields.assign(has_all(only, self, only.first), unset);
                return found;
            case kith::OrFrom:
                found.fields.assign(has_any(only, self, only.first), unset);
                return found;
            case kith::NotFrom:
                found.fields.assign(has_none(only, self, only.first), unset);
                return found;
            default:
                break;
        }
        found = matches(only, self);
        bool negated = only.oper == kith::Not || (only.pair && only.second == 0);
        if (negated) {
            return {std::vector<field>(found.fields.empty(), unset)};
        }
        if (only.oper == kith::Optional && found.fields.empty()) {
            return {{unset}};
        }
        return found;
    }

    // -- lists of ids

    std::vector<id_t> list_of(entity_t list) const {
        std::vector<id_t> found;
        for (id_t id : world_.own(list)) {
            entity_t kind = world_.kind_of(id);
            bool nested = kind == kith::AllOf || kind == kith::AnyOf;
            if (!(id & kith::Override) && (nested || world_.is_inherited(id))) {
                found.push_back(id);
            }
        }
        return found;
    }
    bool has_item(term one, entity_t self, id_t item) const {
        if (kith::is_pair(item)) {
            if (kith::pair_first(item) == kith::AllOf) {
                return has_all(one, self, world_.at(kith::pair_second(item)));
            }
            if (kith::pair_first(item) == kith::AnyOf) {
                return has_any(one, self, world_.at(kith::pair_second(item)));
            }
            one.first = world_.at(kith::pair_first(item));
            one.second = world_.at(kith::pair_second(item));
            one.pair = true;
        } else {
            one.first = item;
        }
        return !matches(one, self).fields.empty();
    }
    // There is somewhere to look.
    bool lives(const term& one) const {
        return (one.source == 0 || world_.is_alive(one.source)) &&
               (one.relation == 0 || world_.can_be_followed(one.relation));
    }
    bool has_all(const term& one, entity_t self, entity_t list) const {
        for (id_t item : list_of(list)) {
            if (!has_item(one, self, item)) {
                return false;
            }
        }
        return lives(one);
    }
    bool has_any(const term& one, entity_t self, entity_t list) const {
        for (id_t item : list_of(list)) {
            if (has_item(one, self, item)) {
                return true;
            }
        }
        return list_of(list).empty() && lives(one);
    }
    bool has_none(const term& one, entity_t self, entity_t list) const {
        for (id_t item : list_of(list)) {
            if (has_item(one, self, item)) {
                return false;
            }
        }
        return true;
    }

    // -- one term

    struct pattern {
        bool pair;
        entity_t first;
        entity_t second;

        static bool accepts(entity_t element, std::uint32_t index) {
            return is_open(element) || kith::index_of(element) == index;
        }
        bool matches(id_t id) const {
            if ((id & kith::Override) || kith::is_pair(id) != pair) {
                return false;
            }
            return pair ? accepts(first, kith::pair_first(id)) &&
                              accepts(second, kith::pair_second(id))
                        : is_open(first) || first == id;
        }
    };
    struct match {
        entity_t owner;
        id_t id;
        bool at_once = false;  // on the source itself, without a search
    };

    choices matches(const term& one, entity_t self) const {
        entity_t source = one.source ? one.source : self;
        bool known = world_.is_alive(source);
        for (entity_t element : {one.first, one.second, one.relation}) {
            known = known && (element == 0 || is_open(element) || world_.is_alive(element));
        }
        known = known && (one.relation == 0 || world_.can_be_followed(one.relation));
        if (!known) {
            return {};
        }
        pattern wanted{one.pair, one.first,
                       one.pair && one.second == 0 ? kith::Wildcard : one.second};
        choices found;
        found.any = wanted.first == kith::Any || wanted.second == kith::Any;
        for (const match& each : search(one, source, wanted)) {
            if (world_.is_enabled(each.owner, each.id)) {
                bool on_this = one.source == 0 && each.at_once;
                found.fields.push_back({true, each.id, on_this ? 0 : each.owner});
            }
        }
        return found;
    }

    // -- where to look

    // Every match in the order in which it is met; without `all`, those of the first entity.
    std::vector<match> search(const term& one, entity_t source, const pattern& wanted) const {
        std::uint32_t flags = one.flags;
        if (!(flags & (kith::Self | kith::Up | kith::Down | kith::Parent | kith::Cascade))) {
            flags |= kith::Self | kith::Up;
        }
        entity_t relation = one.relation ? one.relation : kith::IsA;
        if (flags & kith::Parent) {
            relation = kith::ChildOf;
        }
        std::vector<match> found;
        auto done = [&] { return !found.empty() && !(flags & kith::TraverseAll); };
        if (flags & kith::Self) {
            append_own(source, wanted, found);
        }
        std::vector<step> way;
        if (flags & (kith::Up | kith::Parent | kith::Cascade)) {
            walk_up(source, relation, 1, way);
        } else if (flags & kith::Down) {
            walk_down(source, relation, way);
        }
        std::set<entity_t> counted;
        hiding hidden;
        if (relation == kith::IsA && !(flags & kith::Down)) {
            hide(source, hidden);
        }
        std::uint32_t most = one.max_depth ? one.max_depth : 1000000;
        for (const step& at : way) {
            if (done()) {
                break;
            }
            if (at.level >= std::max(one.min_depth, 1u) && at.level <= most &&
                counted.insert(at.entity).second) {
                std::size_t before = found.size();
                append_visible(at.entity, wanted, hidden, found);
                if (relation != kith::IsA && found.size() == before) {
                    append_inherited(at.entity, wanted, found);
                }
            }
            if (relation == kith::IsA && !(flags & kith::Down)) {
                hide(at.entity, hidden);
            }
        }
        return found;
    }

    struct step {
        entity_t entity;
        std::uint32_t level;
        auto operator<=>(const step&) const = default;
    };
    // Depth first; every entity once for each level at which it can be reached.
    void walk_up(entity_t e, entity_t relation, std::uint32_t level, std::vector<step>& way) const {
        for (entity_t target : world_.targets(e, relation)) {
            if (std::find(way.begin(), way.end(), step{target, level}) == way.end()) {
                way.push_back({target, level});
                walk_up(target, relation, level + 1, way);
            }
        }
    }
    // Level by level.
    void walk_down(entity_t e, entity_t relation, std::vector<step>& way) const {
        std::vector<entity_t> now = {e};
        for (std::uint32_t level = 1; !now.empty(); ++level) {
            std::vector<entity_t> next;
            for (entity_t one : now) {
                for (entity_t source : world_.sources(one, relation)) {
                    if (std::find(next.begin(), next.end(), source) == next.end()) {
                        next.push_back(source);
                        way.push_back({source, level});
                    }
                }
            }
            now = next;
        }
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

    void append_own(entity_t e, const pattern& wanted, std::vector<match>& found) const {
        for (id_t id : world_.own(e)) {
            if (wanted.matches(id)) {
                found.push_back({e, id, true});
            }
        }
    }
    // What can be seen from elsewhere.
    void append_visible(entity_t e, const pattern& wanted, const hiding& hidden,
                        std::vector<match>& found) const {
        for (id_t id : world_.own(e)) {
            if (!wanted.matches(id) || !world_.is_inherited(id)) {
                continue;
            }
            auto by = kith::is_pair(id) ? hidden.find(kith::pair_first(id)) : hidden.end();
            if (by == hidden.end() || by->second == e) {
                found.push_back({e, id});
            }
        }
    }
    // What the first of the entity's bases has.
    void append_inherited(entity_t e, const pattern& wanted, std::vector<match>& found) const {
        std::vector<step> way;
        walk_up(e, kith::IsA, 1, way);
        hiding hidden;
        hide(e, hidden);
        std::size_t before = found.size();
        for (const step& at : way) {
            append_visible(at.entity, wanted, hidden, found);
            if (found.size() != before) {
                return;
            }
            hide(at.entity, hidden);
        }
    }

    const reader& world_;
    std::vector<std::vector<term>> chains_;
    answer answer_;
};

// The terms as a query that is made now understands them: a relationship by itself, if nobody has
// it so, stands for its pairs.
inline std::vector<term> understood(const reader& world, std::vector<term> terms) {
    for (term& one : terms) {
        bool alone = false;
        for (entity_t e : world.all()) {
            alone = alone || world.owns(e, one.first);
        }
        if (!one.pair && one.oper < kith::AndFrom && !is_open(one.first) && !alone &&
            world.is_relationship(one.first)) {
            one.pair = true;
            one.second = kith::Wildcard;
        }
    }
    return terms;
}

inline answer evaluate(const reader& world, const std::vector<term>& terms) {
    return evaluation(world, terms).run();
}

}  // namespace oracle
