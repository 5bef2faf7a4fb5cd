#include "support/query_model/oracle.hpp"

#include "support/query_model/oracle_matcher.hpp"
#include "support/query_model/oracle_tree.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

namespace oracle {

namespace {

class evaluation {
public:
    evaluation(const reader& world, const std::vector<term>& terms, std::size_t most = 1500)
        : world_(world), matcher_(world), tree_(terms), most_(most), extensions_(terms.size()) {
        std::copy_if(world.all().begin(), world.all().end(), std::back_inserter(named_),
                     [](entity_t e) { return !is_open(e); });
    }

    answer run() {
        answer_.has_this = std::any_of(terms_.begin(), terms_.end(), [](const term& one) {
            return query_tree::mentions(one, 0) && !is_bracket(one);
        });
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
        note_variables();
        return answer_;
    }

private:
    // -- $this

    bool may_be_this(entity_t e) const {
        bool prefabs = false;
        bool disabled = false;
        bool builtins = false;
        for (const term& one : terms_) {
            if (one.source.variable != 0 || one.kind != term_kind::find) {
                continue;
            }
            bool tag = !one.pair && one.first.is_constant();
            prefabs = prefabs || (tag && one.first.id == kith::Prefab);
            disabled = disabled || (tag && one.first.id == kith::Disabled);
            builtins = builtins || query_tree::names_builtin(one);
        }
        return (prefabs || !world_.owns(e, kith::Prefab)) &&
               (disabled || !world_.owns(e, kith::Disabled)) &&
               (builtins || !is_builtin(kith::index_of(e)));
    }

    // -- ways in which items hold

    static constexpr entity_t open_variable = 0;
    static constexpr entity_t unset_variable = ~entity_t{0};
    struct way {
        binding variables;
        std::vector<choice> fields;
    };
    using ways = std::vector<way>;

    void check_size(const ways& found) const {
        if (found.size() > 4 * most_) {
            throw too_much();
        }
    }

    ways solve(const std::vector<item>& items, const way& start) const {
        std::vector<bool> open(variables_);
        for (std::size_t v = 0; v < variables_; ++v) {
            open[v] = start.variables[v] == open_variable;
        }
        const roles& known = tree_.assign_roles(items, open);
        ways found = {start};
        std::vector<std::size_t> waiting(items.size());
        std::iota(waiting.begin(), waiting.end(), 0);
        while (!waiting.empty()) {
            auto is_ready = [&](std::size_t i, bool optional) {
                return (items[i].oper == kith::Optional) == optional &&
                       std::none_of(waiting.begin(), waiting.end(), [&](std::size_t other) {
                           return other != i && registers_when(items[i], i, other, known);
                       });
            };
            // What has to hold comes first.
            auto next = waiting.end();
            for (bool optional : {false, true}) {
                if (next == waiting.end()) {
                    next = std::find_if(waiting.begin(), waiting.end(),
                                        [&](std::size_t i) { return is_ready(i, optional); });
                }
            }
            if (next == waiting.end()) {
                throw unclear();
            }
            std::size_t i = *next;
            waiting.erase(next);
            found = extend(found, items[i]);
            leave_unset(found, waiting, known);
        }
        return found;
    }
    // What does not bind a variable itself comes behind what does.
    bool registers_when(const item& one, std::size_t index, std::size_t other,
                        const roles& known) const {
        for (std::size_t v = 0; v < variables_; ++v) {
            bool reads =
                known.of[v] == binds::always
                    ? is_always_bound_by(other, v, known) && !is_always_bound_by(index, v, known)
                    : known.is_producer(v, other) && !known.is_producer(v, index);
            if (reads && tree_.mentions(one, static_cast<int>(v))) {
                return true;
            }
        }
        return false;
    }
    static bool is_always_bound_by(std::size_t index, std::size_t v, const roles& known) {
        return known.by[index][v] == binds::always && !known.depends[index];
    }
    // Variables that items could have bound, and did not, once all of those are done.
    void leave_unset(ways& all, const std::vector<std::size_t>& waiting, const roles& known) const {
        for (std::size_t v = 0; v < variables_; ++v) {
            bool done = known.of[v] == binds::sometimes &&
                        std::none_of(waiting.begin(), waiting.end(),
                                     [&](std::size_t i) { return known.is_producer(v, i); });
            for (way& each : all) {
                if (done && each.variables[v] == open_variable) {
                    each.variables[v] = unset_variable;
                }
            }
        }
    }
    ways extend(const ways& all, const item& one) const {
        ways found;
        for (const way& each : all) {
            ways longer = extend(each, one);
            found.insert(found.end(), longer.begin(), longer.end());
            check_size(found);
        }
        return found;
    }
    ways extend(const way& from, const item& one) const {
        for (std::size_t v = 0; v < variables_; ++v) {
            if (from.variables[v] == unset_variable && tree_.mentions(one, static_cast<int>(v))) {
                return {from};
            }
        }
        ways found = hold(one, from);
        if (one.oper == kith::Not) {
            return found.empty() ? ways{from} : ways{};
        }
        return one.oper == kith::Optional && found.empty() ? ways{from} : found;
    }

    // Every alternative, but what an earlier one says already. Wildcards say what they match.
    ways hold(const item& one, const way& from) const {
        ways found;
        bool wild = std::all_of(one.alternatives.begin(), one.alternatives.end(),
                                [&](const alternative& each) { return is_wild(each); });
        for (std::size_t k = 0; k < one.alternatives.size(); ++k) {
            for (const way& each : hold(one.alternatives[k], from)) {
                bool said = false;
                for (std::size_t j = 0; j < k && !said; ++j) {
                    ways before = hold(one.alternatives[j], each);
                    said = std::any_of(before.begin(), before.end(), [&](const way& other) {
                        return !wild || is_same(other, one.alternatives[j].term, each,
                                                one.alternatives[k].term);
                    });
                }
                if (!said) {
                    found.push_back(each);
                }
            }
        }
        return found;
    }
    bool is_wild(const alternative& one) const {
        const term& said = terms_[one.term];
        auto is_star = [](const part& each) {
            return !each.is_variable() && each.id == kith::Wildcard;
        };
        bool closed = said.first.is_variable() || said.first.id == kith::Any ||
                      (said.pair && (said.second.is_variable() || said.second.id == kith::Any));
        return !one.scope && said.kind == term_kind::find && said.oper < kith::AndFrom && !closed &&
               (is_star(said.first) || (said.pair && is_star(said.second)));
    }
    // What follows from other pairs is reported as what the source has itself.
    bool is_same(const way& one, std::size_t by, const way& other, std::size_t by_other) const {
        auto owner = [&](const field& each, const way& from, std::size_t number) {
            const part& source = terms_[number].source;
            return each.source != anyone  ? each.source
                   : source.variable == 0 ? 0
                                          : value(source, from.variables);
        };
        std::size_t at = tree_.field_of(by);
        for (const field& each : one.fields[at]) {
            for (const field& said : other.fields[at]) {
                if (each.id == said.id && owner(each, one, by) == owner(said, other, by_other)) {
                    return true;
                }
            }
        }
        return false;
    }
    ways hold(const alternative& one, const way& from) const {
        if (!one.scope) {
            return hold(one.term, from);
        }
        // What the scope leaves unset, others beside it may still bind.
        ways found = solve(one.items, from);
        for (way& each : found) {
            reopen(each, from);
        }
        return found;
    }
    void reopen(way& one, const way& from) const {
        for (std::size_t v = 0; v < variables_; ++v) {
            if (from.variables[v] == open_variable && one.variables[v] == unset_variable) {
                one.variables[v] = open_variable;
            }
        }
    }

    // -- one term

    ways hold(std::size_t index, const way& from) const {
        const term& one = terms_[index];
        ways found;
        for (const part* each : {&one.first, &one.second}) {
            if (each->is_variable() && each->is_substituted() &&
                each->variable != one.source.variable &&
                value(*each, from.variables) == open_variable) {
                throw unclear();
            }
        }
        if (one.kind == term_kind::differ || one.kind == term_kind::contain) {
            if (compare(one, from.variables)) {
                found.push_back(from);
            }
            return found;
        }
        if (one.oper >= kith::AndFrom) {
            if (holds_list(one, value(one.source, from.variables))) {
                found.push_back(from);
            }
            return found;
        }
        for (const row& each : extension(index)) {
            way longer = from;
            if (!agree(longer.variables, each.variables)) {
                continue;
            }
            for (const choice& open : each.open) {
                found.push_back(longer);
                found.back().fields[tree_.field_of(index)] = open;
            }
        }
        return found;
    }
    // Puts what is known of one into the other. False if they contradict each other.
    bool agree(binding& known, const binding& other) const {
        for (std::size_t v = 0; v < variables_; ++v) {
            if (other[v] == open_variable) {
                continue;
            }
            if (known[v] != open_variable && known[v] != other[v]) {
                return false;
            }
            known[v] = other[v];
        }
        return true;
    }

    static entity_t value(const part& said, const binding& variables) {
        return said.is_variable() ? variables[static_cast<std::size_t>(said.variable)] : said.id;
    }

    // Everything for which a term holds.
    struct row {
        binding variables;
        choices open;
    };
    const std::vector<row>& extension(std::size_t index) const {
        std::unique_ptr<std::vector<row>>& known = extensions_[index];
        if (!known) {
            known = std::make_unique<std::vector<row>>();
            const term& one = terms_[index];
            binding variables(variables_, open_variable);
            for (entity_t source : candidates(one.source, world_.all())) {
                if (!may_be(one.source, source)) {
                    continue;
                }
                try_with(one.source, source, variables, [&] {
                    one.kind == term_kind::equal ? extend_equal(one, variables, *known)
                                                 : extend_find(one, source, variables, *known);
                });
            }
        }
        return *known;
    }
    bool may_be(const part& said, entity_t value) const {
        return said.variable <= 0 || !is_builtin(kith::index_of(value)) ||
               tree_.may_be_builtin(said.variable);
    }
    static std::vector<entity_t> candidates(const part& said, const std::vector<entity_t>& all) {
        return said.is_variable() ? all : std::vector<entity_t>{said.id};
    }
    template <class Then>
    static void try_with(const part& said, entity_t value, binding& variables, Then then) {
        if (!said.is_variable()) {
            then();
            return;
        }
        entity_t& variable = variables[static_cast<std::size_t>(said.variable)];
        if (variable != open_variable) {
            if (variable == value) {
                then();
            }
            return;
        }
        variable = value;
        then();
        variable = open_variable;
    }
    void extend_equal(const term& one, binding& variables, std::vector<row>& found) const {
        entity_t left = value(one.source, variables);
        entity_t right = one.by_name                ? world_.at_path(one.name)
                         : one.second.is_variable() ? left
                                                    : one.second.id;
        if (left == right && may_be(one.second, right)) {
            try_with(one.second, right, variables, [&] {
                found.push_back({variables, {{field{}}}});
            });
        }
    }
    void extend_find(const term& one, entity_t source, binding& variables,
                     std::vector<row>& found) const {
        for (entity_t first : candidates(one.first, firsts_of(one))) {
            try_with(one.first, first, variables, [&] {
                auto ask = [&](entity_t second) {
                    try_with(one.second, second, variables, [&] {
                        choices open = matcher_.match(one, {source, first, second});
                        if (!open.empty()) {
                            found.push_back({variables, open});
                        }
                    });
                };
                if (!one.second.is_variable()) {
                    ask(one.second.id);
                    return;
                }
                const std::set<entity_t>& seconds = seconds_of(one, first);
                for (entity_t second : seconds) {
                    ask(second);
                }
                if (!seconds.contains(source) && !is_open(source)) {  // reflexive relationships
                    ask(source);
                }
            });
        }
    }
    // What can stand for a variable: nobody matches what nobody has. What is substituted may be
    // anyone.
    const std::vector<entity_t>& firsts_of(const term& one) const {
        if (one.first.is_substituted()) {
            return named_;
        }
        std::vector<entity_t>& found = one.pair ? pair_firsts_ : plain_ids_;
        if (found.empty()) {
            std::set<entity_t> all;
            for (entity_t e : world_.all()) {
                for (id_t id : world_.own(e)) {
                    if (!(id & kith::Override) && kith::is_pair(id) == one.pair) {
                        all.insert(world_.kind_of(id));
                    }
                }
            }
            found.assign(all.begin(), all.end());
        }
        return found;
    }
    const std::set<entity_t>& seconds_of(const term& one, entity_t first) const {
        bool anyone_may = one.second.is_substituted() || one.first.is_substituted();
        auto [found, is_new] = seconds_.try_emplace({first, anyone_may});
        if (is_new && anyone_may) {
            found->second.insert(named_.begin(), named_.end());
        } else if (is_new) {
            found->second = matcher_.targets_of(first);
        }
        return found->second;
    }

    bool compare(const term& one, const binding& variables) const {
        entity_t left = value(one.source, variables);
        if (one.kind == term_kind::contain) {
            std::string name = world_.name(left);
            return !name.empty() && name.find(one.name) != std::string::npos;
        }
        return left != (one.by_name ? world_.at_path(one.name) : value(one.second, variables));
    }

    // -- lists of ids

    bool holds_list(const term& one, entity_t source) const {
        switch (one.oper) {
            case kith::AndFrom:
                return has_all(one, source, one.first.id);
            case kith::OrFrom:
                return has_any(one, source, one.first.id);
            default:
                return has_none(one, source, one.first.id);
        }
    }
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
    bool has_item(term one, entity_t source, id_t item) const {
        if (kith::is_pair(item)) {
            if (kith::pair_first(item) == kith::AllOf) {
                return has_all(one, source, world_.at(kith::pair_second(item)));
            }
            if (kith::pair_first(item) == kith::AnyOf) {
                return has_any(one, source, world_.at(kith::pair_second(item)));
            }
            one.first.id = world_.at(kith::pair_first(item));
            one.second.id = world_.at(kith::pair_second(item));
            one.pair = true;
        } else {
            one.first.id = item;
            one.pair = world_.is_relationship(item);
            one.second.id = one.pair ? kith::Wildcard : 0;
        }
        return !matcher_.match(one, {source, one.first.id, one.second.id}).empty();
    }
    bool lives(const term& one, entity_t source) const {
        return world_.is_alive(source) && matcher_.is_searchable(one.source);
    }
    bool has_all(const term& one, entity_t source, entity_t list) const {
        for (id_t item : list_of(list)) {
            if (!has_item(one, source, item)) {
                return false;
            }
        }
        return lives(one, source);
    }
    bool has_any(const term& one, entity_t source, entity_t list) const {
        for (id_t item : list_of(list)) {
            if (has_item(one, source, item)) {
                return true;
            }
        }
        return false;
    }
    bool has_none(const term& one, entity_t source, entity_t list) const {
        for (id_t item : list_of(list)) {
            if (has_item(one, source, item)) {
                return false;
            }
        }
        return true;
    }

    // -- results

    void add_results(entity_t self) {
        way start;
        start.variables.assign(variables_, open_variable);
        start.variables[0] = self ? self : unset_variable;
        start.fields.assign(tree_.fields(), {field{}});
        for (const way& each : solve(tree_.items(), start)) {
            result one;
            for (entity_t value : each.variables) {
                one.variables.push_back(value == unset_variable ? 0 : value);
            }
            for (std::size_t i = 0; i < tree_.fields(); ++i) {
                const choice& open = each.fields[i];
                one.fields.push_back(open.front());
                for (const field& other : open) {
                    answer_.same[{one.variables, i, other}] = open.front();
                }
            }
            answer_.results.push_back(std::move(one));
            if (answer_.results.size() > most_) {
                throw too_much();
            }
        }
    }
    void note_variables() {
        std::vector<bool> open(variables_, true);
        open[0] = false;
        const roles& known = tree_.assign_roles(tree_.items(), open);
        for (std::size_t v = 0; v < variables_; ++v) {
            bool self = v == 0 && answer_.has_this;
            answer_.visible.push_back(self || known.of[v] != binds::never);
            answer_.required.push_back(self || known.of[v] == binds::always);
        }
    }

    const reader& world_;
    matcher matcher_;
    query_tree tree_;
    const std::vector<term>& terms_ = tree_.terms();
    std::size_t most_;
    std::size_t variables_ = tree_.variables();
    std::vector<entity_t> named_;  // everyone who stands for nobody else
    answer answer_;
    mutable std::vector<std::unique_ptr<std::vector<row>>> extensions_;
    mutable std::vector<entity_t> plain_ids_;
    mutable std::vector<entity_t> pair_firsts_;
    mutable std::map<std::pair<entity_t, bool>, std::set<entity_t>> seconds_;
};

}  // namespace

std::vector<term> understood(const reader& world, std::vector<term> terms) {
    for (term& one : terms) {
        if (one.kind != term_kind::find || !one.first.is_constant()) {
            continue;
        }
        if (!one.pair && one.oper < kith::AndFrom && world.is_relationship(one.first.id)) {
            one.pair = true;
            one.second.id = kith::Wildcard;
        }
        part& target = one.second;
        bool by_kinds = target.flags == (kith::Self | kith::Down | kith::TraverseAll) &&
                        (target.relation == 0 || target.relation == kith::IsA) &&
                        target.min_depth <= 1 && target.max_depth == 0;
        if (one.pair && one.first.id == kith::IsA && by_kinds) {
            target.flags = 0;
            target.relation = 0;
            target.min_depth = 0;
        }
    }
    return terms;
}
std::vector<std::size_t> field_numbers(const std::vector<term>& terms) {
    const query_tree tree(terms);
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        numbers.push_back(tree.field_of(i));
    }
    return numbers;
}
answer evaluate(const reader& world, const std::vector<term>& terms) {
    return evaluation(world, terms).run();
}
result normal(result one, const answer& expected) {
    for (std::size_t i = 0; i < one.fields.size(); ++i) {
        field& what = one.fields[i];
        field unowned = what;
        unowned.source = anyone;
        for (const field& said : {what, unowned}) {
            auto found = expected.same.find({one.variables, i, said});
            if (found != expected.same.end()) {
                what = found->second;
                break;
            }
        }
    }
    return one;
}

}  // namespace oracle
