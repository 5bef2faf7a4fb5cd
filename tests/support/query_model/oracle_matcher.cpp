#include "support/query_model/oracle_matcher.hpp"

namespace oracle {

choices matcher::match(const term& one, const elements& with) const {
    if (!can_match(one, with)) {
        return {};
    }
    if (has_closure(one, with)) {
        return match_closure(one, with);
    }
    choices found;
    bool any = with.first == kith::Any || with.second == kith::Any;
    for (const std::vector<entity_t>& firsts : groups(one, one.first, with.first, false)) {
        for (const std::vector<entity_t>& seconds : one.pair
                                                        ? groups(one, one.second, with.second, true)
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
bool matcher::is_searchable(const part& source) const {
    return source.relation == 0 ||
           (world_.is_alive(source.relation) && world_.can_be_followed(source.relation));
}
const std::set<entity_t>& matcher::targets_of(entity_t relation) const {
    auto [found, is_new] = targets_.try_emplace(relation);
    if (is_new) {
        found->second = targets_of(is_open(relation) ? firsts() : with_subsets(relation));
    }
    return found->second;
}
bool matcher::can_match(const term& one, const elements& with) const {
    bool known = world_.is_alive(with.source);
    for (entity_t element : {with.first, with.second}) {
        known = known && (element == 0 || is_open(element) || world_.is_alive(element));
    }
    return known && is_searchable(one.source) && is_searchable(one.first) &&
           is_searchable(one.second);
}

// -- which ids

matcher::pattern_list matcher::patterns(bool pair, const std::vector<entity_t>& firsts,
                                        const std::vector<entity_t>& seconds) {
    pattern_list found;
    for (entity_t first : firsts) {
        for (entity_t second : seconds) {
            found.push_back({pair, first, second == 0 ? kith::Wildcard : second});
        }
    }
    return found;
}
std::vector<std::vector<entity_t>> matcher::groups(const term& one, const part& said,
                                                   entity_t value, bool second) const {
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
std::vector<entity_t> matcher::substitutes(const part& said, entity_t value) const {
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
bool matcher::is_within(const part& said, std::uint32_t level) {
    return level >= std::max(said.min_depth, 1u) &&
           (said.max_depth == 0 || level <= said.max_depth);
}
entity_t matcher::relation_of(const part& said) {
    return said.flags & kith::Parent ? kith::ChildOf : said.relation ? said.relation : kith::IsA;
}
const reader::way& matcher::way_of(const part& said, entity_t e) const {
    static const reader::way nowhere;
    if (said.flags & (kith::Up | kith::Parent | kith::Cascade)) {
        return world_.upwards(e, relation_of(said));
    }
    return said.flags & kith::Down ? world_.downwards(e, relation_of(said)) : nowhere;
}
bool matcher::is_inherited_from(const term& one, const part& said, entity_t value,
                                bool second) const {
    if (!one.first.is_constant() || !said.is_constant() || value == 0 ||
        world_.owns(value, kith::Final)) {
        return false;
    }
    return !is_builtin(kith::index_of(second ? one.first.id : value));
}
std::vector<entity_t> matcher::with_subsets(entity_t e) const {
    std::vector<entity_t> found = {e};
    for (const reader::step& at : world_.downwards(e, kith::IsA)) {
        if (std::find(found.begin(), found.end(), at.entity) == found.end()) {
            found.push_back(at.entity);
        }
    }
    return found;
}

// -- where to look

void matcher::append(const term& one, entity_t source, const pattern_list& wanted,
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
void matcher::append_found(const term& one, entity_t source, const pattern_list& wanted,
                           choices& found) const {
    for (const match_at& each : search(one.source, source, wanted)) {
        if (world_.is_enabled(each.owner, each.id)) {
            found.push_back({field_of(one, each)});
        }
    }
}
matcher::pattern matcher::exactly(id_t id) const {
    return kith::is_pair(id)
               ? pattern{true, world_.at(kith::pair_first(id)), world_.at(kith::pair_second(id))}
               : pattern{false, id, 0};
}
const std::set<id_t>& matcher::ids() const {
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
field matcher::field_of(const term& one, const match_at& each) {
    bool on_this = one.source.variable == 0 && each.at_once;
    return {true, each.id, on_this ? 0 : each.owner};
}
std::vector<matcher::match_at> matcher::search(const part& said, entity_t source,
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
void matcher::hide(entity_t e, hiding& hidden) const {
    for (id_t id : world_.own(e)) {
        if (!(id & kith::Override) && world_.is_exclusive(id)) {
            hidden.insert({kith::pair_first(id), e});
        }
    }
}
void matcher::append_own(entity_t e, const pattern_list& wanted,
                         std::vector<match_at>& found) const {
    append_first(
        e, wanted, [](id_t) { return true; }, true, found);
}
void matcher::append_visible(entity_t e, const pattern_list& wanted, const hiding& hidden,
                             std::vector<match_at>& found) const {
    auto is_visible = [&](id_t id) {
        auto by = kith::is_pair(id) ? hidden.find(kith::pair_first(id)) : hidden.end();
        return world_.is_inherited(id) && (by == hidden.end() || by->second == e);
    };
    append_first(e, wanted, is_visible, false, found);
}
void matcher::append_inherited(entity_t e, const pattern_list& wanted,
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

bool matcher::has_closure(const term& one, const elements& with) const {
    bool named = one.pair && one.first.is_constant() && !one.first.is_substituted() &&
                 !one.second.is_substituted();
    bool wild = is_open(with.second) || with.second == 0;
    return named && looks_as_usual(one.source) &&
           (world_.owns(with.first, kith::Transitive) ||
            (world_.owns(with.first, kith::Reflexive) && !wild));
}
bool matcher::looks_as_usual(const part& source) {
    std::uint32_t flags = source.flags & ~kith::Desc;
    bool bases = (flags == (kith::Self | kith::Up) || flags == (kith::Self | kith::Cascade)) &&
                 relation_of(source) == kith::IsA;
    return (flags == 0 || flags == kith::Self || bases) && source.min_depth <= 1 &&
           source.max_depth == 0;
}
const matcher::edge_map& matcher::edges(const term& one, entity_t relation, entity_t from) const {
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
std::vector<entity_t> matcher::firsts() const {
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
std::set<entity_t> matcher::targets_of(const std::vector<entity_t>& relations) const {
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
const std::set<entity_t>& matcher::reached(const term& one, entity_t relation,
                                           entity_t from) const {
    auto [known, is_new] = reached_.try_emplace({relation, one.source.flags == kith::Self, from});
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
bool matcher::takes_part(entity_t e, entity_t relation) const {
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
bool matcher::is_reflexive(const term& one, const elements& with) const {
    bool named = !one.source.is_variable() || !one.second.is_variable();
    return world_.owns(with.first, kith::Reflexive) &&
           (named || takes_part(with.source, with.first));
}
choice matcher::reported(const term& one, const elements& with, entity_t to) const {
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
choices matcher::match_closure(const term& one, const elements& with) const {
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
void matcher::append_reported(const term& one, const elements& with,
                              const std::vector<entity_t>& members,
                              const std::set<entity_t>& targets, choice& found) const {
    for (entity_t to : members) {
        if (targets.contains(to)) {
            choice more = reported(one, with, to);
            found.insert(found.end(), more.begin(), more.end());
        }
    }
}

}  // namespace oracle
