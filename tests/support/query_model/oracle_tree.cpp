#include "support/query_model/oracle_tree.hpp"

#include <algorithm>

namespace oracle {

query_tree::query_tree(const std::vector<term>& terms) : terms_(terms) {
    for (const term& one : terms) {
        for (const part* each : {&one.source, &one.first, &one.second}) {
            variables_ = std::max(variables_, static_cast<std::size_t>(each->variable + 1));
        }
    }
    number_fields();
    std::size_t at = 0;
    items_ = parse(at);
}

// -- who mentions and who binds a variable

bool query_tree::mentions(const term& one, int variable) {
    return one.source.variable == variable || one.first.variable == variable ||
           one.second.variable == variable;
}
bool query_tree::mentions(const alternative& one, int variable) const {
    return one.scope ? std::any_of(one.items.begin(), one.items.end(),
                                   [&](const item& each) { return mentions(each, variable); })
                     : mentions(terms_[one.term], variable);
}
bool query_tree::mentions(const item& one, int variable) const {
    return std::any_of(one.alternatives.begin(), one.alternatives.end(),
                       [&](const alternative& each) { return mentions(each, variable); });
}
bool query_tree::names_builtin(const term& one) {
    const part& named = one.pair ? one.second : one.first;
    if (!named.is_constant() || !one.first.is_constant() || named.id == 0 ||
        !is_builtin(kith::index_of(named.id))) {
        return false;
    }
    return one.pair ? one.first.id != kith::detail::identifier_type_id
                    : named.id != kith::Prefab && named.id != kith::Disabled;
}
bool query_tree::may_be_builtin(int variable) const {
    std::vector<int> same{variable};
    for (std::size_t at = 0; at < same.size(); ++at) {
        if (is_shown(same[at])) {
            return true;
        }
        for (const term& one : terms_) {
            const int left = one.source.variable;
            const int right = one.second.variable;
            const bool compares = one.kind == term_kind::equal || one.kind == term_kind::differ;
            if (!compares || says(one) == kith::Not || left < 0 || right < 0 ||
                (left != same[at] && right != same[at])) {
                continue;
            }
            const int other = left == same[at] ? right : left;
            if (std::find(same.begin(), same.end(), other) == same.end()) {
                same.push_back(other);
            }
        }
    }
    return false;
}
bool query_tree::is_shown(int variable) const {
    bool elsewhere = false;
    bool shown = false;
    bool shown_elsewhere = false;
    int negated = 0;
    std::vector<bool> open;
    for (const term& one : terms_) {
        if (one.kind == term_kind::open) {
            open.push_back(one.oper == kith::Not);
            negated += open.back();
        } else if (one.kind == term_kind::close) {
            negated -= open.back();
            open.pop_back();
        } else if (mentions(one, variable)) {
            bool positive = negated == 0 && says(one) == kith::And;
            bool shows = is_shown_by(one, variable);
            elsewhere = elsewhere || positive;
            shown = shown || shows;
            shown_elsewhere = shown_elsewhere || (positive && shows);
        }
    }
    return elsewhere ? shown_elsewhere : shown;
}
binds query_tree::binding_of(const term& one, int variable, const std::vector<bool>& unknown) {
    if (!mentions(one, variable) || one.kind == term_kind::differ ||
        one.kind == term_kind::contain || one.oper >= kith::AndFrom) {
        return binds::never;
    }
    if (one.kind == term_kind::equal && one.source.is_variable() && one.second.is_variable()) {
        int other = one.source.variable == variable ? one.second.variable : one.source.variable;
        return unknown[static_cast<std::size_t>(other)] ? binds::never : binds::always;
    }
    bool elsewhere = one.source.variable == variable ||
                     (one.first.variable == variable && !one.first.is_substituted()) ||
                     (one.second.variable == variable && !one.second.is_substituted());
    return elsewhere ? binds::always : binds::never;
}
binds query_tree::binding_of(const alternative& one, int variable,
                             std::vector<bool> unknown) const {
    if (!one.scope) {
        return binding_of(terms_[one.term], variable, unknown);
    }
    unknown[static_cast<std::size_t>(variable)] = true;
    return assign_roles(one.items, unknown).of[static_cast<std::size_t>(variable)];
}
binds query_tree::binding_of(const item& one, int variable,
                             const std::vector<bool>& unknown) const {
    if (one.oper == kith::Not || one.oper >= kith::AndFrom) {
        return binds::never;
    }
    bool all = one.oper != kith::Optional;
    bool any = false;
    for (const alternative& each : one.alternatives) {
        binds how = binding_of(each, variable, unknown);
        all = all && how == binds::always;
        any = any || how != binds::never;
    }
    return all ? binds::always : any ? binds::sometimes : binds::never;
}
const roles& query_tree::assign_roles(const std::vector<item>& items,
                                      const std::vector<bool>& open) const {
    auto [known, is_new] = roles_.try_emplace({&items, open});
    if (is_new) {
        known->second = find_roles(items, open);
    }
    return known->second;
}
bool query_tree::is_shown_by(const term& one, int variable) {
    if (one.kind == term_kind::find) {
        return one.first.variable == variable || one.second.variable == variable ||
               (one.source.variable == variable && names_builtin(one));
    }
    bool compares = one.kind == term_kind::equal || one.kind == term_kind::differ;
    return compares && one.source.variable == variable &&
           (one.by_name || (one.second.is_constant() && one.second.id != 0 &&
                            is_builtin(kith::index_of(one.second.id))));
}
kith::oper_kind_t query_tree::says(const term& one) {
    bool negated = one.oper == kith::Not;
    bool none = one.kind == term_kind::find && one.oper < kith::AndFrom && one.pair &&
                one.second.is_constant() && one.second.id == 0;
    bool differs = one.kind == term_kind::differ;
    return negated != (none || differs) ? kith::Not : kith::And;
}

// -- the tree

void query_tree::number_fields() {
    bool joined = false;
    for (const term& one : terms_) {
        fields_ += !is_bracket(one) && !joined;
        field_of_.push_back(fields_ - 1);
        joined = one.oper == kith::Or && !is_bracket(one);
    }
}
std::vector<item> query_tree::parse(std::size_t& at) const {
    std::vector<item> found;
    bool joins = false;
    while (at < terms_.size() && terms_[at].kind != term_kind::close) {
        if (!joins) {
            found.emplace_back();
            found.back().oper = terms_[at].oper == kith::Or ? kith::And : terms_[at].oper;
        }
        alternative one;
        one.term = at;
        one.scope = terms_[at].kind == term_kind::open;
        ++at;
        if (one.scope) {
            one.items = parse(at);
        }
        // What joins a scope with what follows is said where it closes.
        std::size_t last = one.scope ? at++ : one.term;
        joins = last < terms_.size() && terms_[last].oper == kith::Or;
        found.back().alternatives.push_back(std::move(one));
    }
    for (item& one : found) {
        if (one.alternatives.size() == 1 && says_no_pair(one.alternatives[0])) {
            one.oper = kith::Not;
        }
    }
    return flattened(std::move(found));
}
std::vector<item> query_tree::flattened(std::vector<item> items) {
    std::vector<item> found;
    for (item& one : items) {
        if (one.oper == kith::And && one.alternatives.size() == 1 && one.alternatives[0].scope) {
            for (item& inside : one.alternatives[0].items) {
                found.push_back(std::move(inside));
            }
        } else {
            found.push_back(std::move(one));
        }
    }
    return found;
}
bool query_tree::says_no_pair(const alternative& one) const {
    const term& said = terms_[one.term];
    return !one.scope && said.kind == term_kind::find && said.oper < kith::AndFrom && said.pair &&
           said.second.is_constant() && said.second.id == 0;
}
query_tree::speaks query_tree::strength_of(const term& one, int variable) {
    if (!mentions(one, variable) || one.kind == term_kind::differ ||
        one.kind == term_kind::contain || one.oper >= kith::AndFrom) {
        return speaks::not_at_all;
    }
    if (one.kind == term_kind::equal) {
        return speaks::by_comparison;
    }
    bool element = (one.first.variable == variable && !one.first.is_substituted()) ||
                   (one.second.variable == variable && !one.second.is_substituted());
    return element ? speaks::of_it : speaks::as_source;
}
query_tree::speaks query_tree::strength_of(const item& one, int variable) const {
    speaks found = speaks::not_at_all;
    if (one.oper == kith::Not) {
        return found;
    }
    for (const alternative& each : one.alternatives) {
        if (!each.scope) {
            found = std::max(found, strength_of(terms_[each.term], variable));
        }
        for (const item& inside : each.items) {
            found = std::max(found, strength_of(inside, variable));
        }
    }
    return found;
}
roles query_tree::find_roles(const std::vector<item>& items, const std::vector<bool>& open) const {
    roles found;
    found.of.assign(variables_, binds::never);
    found.producers.resize(variables_);
    for (std::size_t round = 0; round < 64; ++round) {
        roles next = find_roles(items, open, found);
        bool same = next.of == found.of && next.producers == found.producers;
        found = std::move(next);
        if (same) {
            break;
        }
    }
    return found;
}
roles query_tree::find_roles(const std::vector<item>& items, const std::vector<bool>& open,
                             const roles& before) const {
    roles found;
    found.of.assign(variables_, binds::never);
    found.producers.resize(variables_);
    found.depends.assign(items.size(), false);
    for (std::size_t i = 0; i < items.size(); ++i) {
        std::vector<bool> unknown = open;
        std::vector<bool> uncertain = open;
        for (std::size_t v = 0; v < variables_; ++v) {
            uncertain[v] = open[v] && before.of[v] != binds::always;
            unknown[v] = uncertain[v] && (before.of[v] == binds::never || before.is_producer(v, i));
        }
        found.by.emplace_back();
        found.certain.emplace_back();
        for (std::size_t v = 0; v < variables_; ++v) {
            const int which = static_cast<int>(v);
            found.by.back().push_back(binding_of(items[i], which, unknown));
            found.certain.back().push_back(binding_of(items[i], which, uncertain) == binds::always);
        }
    }
    for (std::size_t v = 0; v < variables_; ++v) {
        if (open[v]) {
            find_role(items, v, found);
        }
    }
    // What only dependents bind may stay unset, too.
    for (bool any = true; any;) {
        any = false;
        for (std::size_t i = 0; i < items.size(); ++i) {
            found.depends[i] = reads_unset(items[i], i, found);
        }
        for (std::size_t v = 0; v < variables_; ++v) {
            if (open[v] && found.of[v] == binds::always && is_left_to_dependents(items, v, found)) {
                found.of[v] = binds::sometimes;
                any = true;
            }
        }
    }
    return found;
}
void query_tree::find_role(const std::vector<item>& items, std::size_t v, roles& found) const {
    std::size_t optional = items.size();
    bool given = false;
    speaks required = speaks::not_at_all;
    speaks maybe = speaks::not_at_all;
    for (std::size_t i = items.size(); i-- > 0;) {
        binds how = found.by[i][v];
        speaks said = strength_of(items[i], static_cast<int>(v));
        if (how == binds::sometimes) {
            optional = binder_of(items, v, i, optional);
            maybe = items[i].oper == kith::Optional ? std::max(maybe, said) : maybe;
        } else if (how == binds::always) {
            given = true;
            required = found.certain[i][v] ? std::max(required, said) : required;
        }
    }
    bool left =
        required == speaks::not_at_all || (required == speaks::as_source && maybe == speaks::of_it);
    if (optional < items.size() && left) {
        found.of[v] = binds::sometimes;
        found.producers[v] = {optional};
    } else if (given) {
        found.of[v] = binds::always;
    }
}
std::size_t query_tree::binder_of(const std::vector<item>& items, std::size_t v, std::size_t first,
                                  std::size_t second) const {
    auto claim = [&](const item& one) {
        bool names = strength_of(one, static_cast<int>(v)) == speaks::of_it;
        return one.oper != kith::Optional ? 2 : names ? 1 : 0;
    };
    bool later = second < items.size() && claim(items[second]) > claim(items[first]);
    return later ? second : first;
}
bool query_tree::is_left_to_dependents(const std::vector<item>& items, std::size_t v,
                                       roles& found) const {
    std::vector<std::size_t> optional;
    std::vector<std::size_t> dependents;
    for (std::size_t i = 0; i < items.size(); ++i) {
        binds how = found.by[i][v];
        if (how == binds::sometimes) {
            optional = {optional.empty() ? i : binder_of(items, v, optional[0], i)};
        } else if (how == binds::always) {
            if (!found.depends[i] && found.certain[i][v]) {
                return false;
            }
            dependents.push_back(i);
        }
    }
    found.producers[v] = std::move(dependents);
    found.producers[v].insert(found.producers[v].end(), optional.begin(), optional.end());
    return true;
}
bool query_tree::reads_unset(const item& one, std::size_t index, const roles& known) const {
    for (std::size_t v = 0; v < variables_; ++v) {
        if (known.of[v] == binds::sometimes && !known.is_producer(v, index) &&
            mentions(one, static_cast<int>(v))) {
            return true;
        }
    }
    return false;
}

}  // namespace oracle
