#include "support/query_model/graph_generator.hpp"

#include <algorithm>

namespace query_model {

graph_generator::graph_generator(std::uint64_t seed) : generator(seed) {
    slots_ = 8 + below(7);
    deep_ = chance(25);
}

// -- worlds: a few slots are kinds of tags, a few are kinds of relationships

std::vector<step> graph_generator::make_world() {
    std::vector<step> steps;
    for (word relation : {located_in, inside, near_to, similar, likes, child_of, part_of}) {
        if (chance(20)) {
            steps.push_back({step_kind::toggle_sparse, relation, {}, 0});
        }
    }
    for (std::size_t i = 0; i < slots_; ++i) {
        steps.push_back({step_kind::create, slot(i), {}, 0});
        if (chance(40)) {
            steps.push_back(rename(slot(i)));
        }
    }
    for (std::size_t i = 0; i < kinds; ++i) {
        steps.push_back({step_kind::add, slot(i), {is_a, above_kind(i), true}, 0});
        steps.push_back({step_kind::add, slot(kinds + i), {is_a, above_verb(i), true}, 0});
    }
    for (std::size_t more = slots_ * 4 + below(slots_ * 4); more > 0; --more) {
        steps.push_back(graph_growth());
    }
    for (std::size_t more = chance(50) ? below(8) : 0; more > 0; --more) {
        steps.push_back(graph_change());
    }
    return steps;
}
step graph_generator::graph_change() {
    word e = any_slot();
    switch (below(20)) {
        case 0:
        case 1:
        case 2:
        case 3:
        case 4:
        case 5:
            return graph_growth();
        case 6:
        case 7:
        case 8:
            return {step_kind::remove, e, graph_content(e), 0};
        case 9:
            return {step_kind::remove, e, {chance(50) ? is_a : any_verb(), star, true}, 0};
        case 10:
            return chance(50) ? step{step_kind::destroy, e, {}, 0}
                              : step{step_kind::create, e, {}, 0};
        case 11:
        case 12:
            return {chance(50) ? step_kind::add : step_kind::remove,
                    chance(70) ? any_verb() : slot(kinds + below(kinds)),
                    {one_of({transitive, reflexive, final_mark})},
                    0};
        case 13:
            return {chance(60) ? step_kind::add : step_kind::remove,
                    one_of({hot, cold, plain_tag, slot(0), slot(1), any_slot()}),
                    {final_mark},
                    0};
        case 14:
            return {step_kind::toggle_sparse,
                    one_of({likes, located_in, inside, near_to, similar, child_of, hot}),
                    {},
                    0};
        case 15:
            return switched(e, graph_content(e));
        case 16:
            return {chance(50) ? step_kind::toggle_inherit : step_kind::toggle_exclusive,
                    any_verb(),
                    {},
                    0};
        case 17:
            return rename(e);
        case 18:
            return {chance(50) ? step_kind::add : step_kind::remove,
                    e,
                    {chance(50) ? prefab : disabled},
                    0};
        default:
            return change();
    }
}

// -- queries

query_terms graph_generator::make_graph_query(const stage& on) {
    terms_.clear();
    known_.assign(variable_count, {});
    most_variables_ = 1 + below(4);
    left_ = 2 + static_cast<int>(below(5));
    cascades_ = true;  // the order of results is another test's matter
    word first = chance(88) ? variable(0) : variable(1);
    // Sometimes it is what others have.
    learn(first, chance(6) ? slot(below(2 * kinds)) : settled(on), true);
    hero_ = known_[0].witness;
    while (left_ > 0) {
        add_item(on);
    }
    return terms_;
}

// -- words

word graph_generator::any_verb() {
    return one_of({likes, likes, eats, knows, owes, in_room, part_of, flows_to, located_in,
                   located_in, inside, inside, near_to, similar, child_of, slot(kinds),
                   slot(kinds + 1)});
}
word graph_generator::any_kind() {
    return one_of(
        {hot, hot, cold, marked, plain_tag, position, velocity, heavy, slot(0), slot(0), slot(1)});
}
word graph_generator::above_kind(std::size_t i) {
    return i > 0 && chance(50) ? slot(i - 1) : one_of({hot, cold, plain_tag});
}
word graph_generator::above_verb(std::size_t i) {
    return i > 0 && chance(40) ? slot(kinds + i - 1)
                               : one_of({likes, likes, located_in, near_to, knows});
}
phrase graph_generator::graph_content(word e) {
    if (chance(35)) {
        return {any_kind()};
    }
    word verb = any_verb();
    bool ordered = verb == part_of || verb == flows_to || verb == located_in || verb == inside ||
                   verb == child_of;
    return {verb, ordered ? lower(e) : chance(85) ? thing() : any_slot(), true};
}
step graph_generator::grow_graph() {
    word e = chance(90) ? thing() : any_slot();
    std::size_t how = below(100);
    if (how < 12) {
        return {step_kind::add, e, {is_a, lower(e), true}, 0};
    }
    if (how < 16) {
        return switched(e, graph_content(e));
    }
    if (how < 18) {
        return {step_kind::add, e, {chance(50) ? prefab : disabled}, 0};
    }
    if (how < 20) {
        return {step_kind::set, e, content(), static_cast<int>(below(1000))};
    }
    return {step_kind::add, e, graph_content(e), 0};
}

// -- variables

void graph_generator::learn(word one, word witness, bool bound) {
    state_of(one) = {witness, bound, false, false};
}
std::size_t graph_generator::used() const {
    return static_cast<std::size_t>(
        std::count_if(known_.begin() + 1, known_.end(),
                      [](const variable_state& one) { return one.witness != nothing; }));
}
bool graph_generator::may_mention(const variable_state& one) const {
    return one.witness != nothing && !one.local;
}
word graph_generator::usable(bool bound) {
    std::vector<word> found;
    for (std::size_t v = 0; v < known_.size(); ++v) {
        if (may_mention(known_[v]) && (known_[v].bound || !bound)) {
            found.insert(found.end(), v == 0 ? 2 : 1, variable(v));
        }
    }
    return found.empty() ? nothing : found[below(found.size())];
}
word graph_generator::variable_for(word witness) {
    for (std::size_t v = 0; v < known_.size(); ++v) {
        if (known_[v].witness == witness && may_mention(known_[v]) && chance(60)) {
            return variable(v);
        }
    }
    if (used() >= most_variables_) {
        return nothing;
    }
    for (std::size_t v = 1; v < known_.size(); ++v) {
        if (known_[v].witness == nothing) {
            learn(variable(v), witness, false);
            return variable(v);
        }
    }
    return nothing;
}
std::vector<bool> graph_generator::unused() const {
    std::vector<bool> found;
    for (const variable_state& one : known_) {
        found.push_back(one.witness == nothing);
    }
    return found;
}
void graph_generator::end_batch(const std::vector<bool>& before, bool bound, bool local) {
    for (std::size_t v = 0; v < known_.size(); ++v) {
        if (before[v] && known_[v].witness != nothing && !known_[v].local) {
            known_[v].bound = bound;
            known_[v].local = local;
            known_[v].maybe = !bound && !local;
        }
    }
}

// -- what there is

word graph_generator::settled(const stage& on) {
    word best = living(on);
    std::size_t most = 0;
    for (int i = 0; i < 3; ++i) {
        word e = living(on);
        std::size_t count = owned(on, e).size();
        if (count >= most) {
            best = e;
            most = count;
        }
    }
    return best;
}
std::vector<phrase> graph_generator::owned(const stage& on, word e) const {
    std::vector<phrase> found;
    if (on.is_alive(e)) {
        on.entity(e).each([&](const kith::id& id) {
            phrase one;
            if (on.phrase_of(id, one) && one.first != identifier) {
                found.push_back(one);
            }
        });
    }
    return found;
}
word graph_generator::along(const stage& on, word e, word relation, bool down) {
    std::vector<word> next;
    auto visit = [&](kith::entity other) {
        if (word known = on.word_of(other); known != nothing) {
            next.push_back(known);
        }
    };
    if (on.is_alive(e) && on.is_alive(relation)) {
        down ? on.entity(e).each_source(on.id_of(relation), visit)
             : on.entity(e).each(on.entity(relation), visit);
    }
    return next.empty() ? e : next[below(next.size())];
}
bool graph_generator::owns(const stage& on, word e, word property) const {
    return on.is_alive(e) && on.is_alive(property) && on.entity(e).owns(on.id_of(property));
}
bool graph_generator::has_closure(const stage& on, word relation) const {
    return owns(on, relation, transitive) || owns(on, relation, reflexive);
}

// -- terms

query_term graph_generator::make_positive(const stage& on) {
    query_term one;
    word source = nothing;
    if (chance(8)) {
        one.source = living(on);
        source = one.source;
    } else {
        one.source = usable(false);
        source = state_of(one.source).witness;
        if (one.source == variable(0) && chance(70) && source >= slot(2 * kinds)) {
            one.source = nothing;
        }
    }
    bool kind = is_slot(source) && source < slot(2 * kinds);
    if (chance(18)) {
        reverse(on, one, source);
    } else if (kind && is_variable(one.source) && chance(30)) {
        become_id(on, one, source);
    }
    if (one.id.first == nothing) {
        choose_id(on, one, source);
    }
    choose_elements(on, one);
    return one;
}
void graph_generator::reverse(const stage& on, query_term& one, word target) {
    if (is_variable(one.source) && !may_mention(state_of(one.source))) {
        return;
    }
    word relation = any_verb();
    for (int i = 0; i < 6 && along(on, target, relation, true) == target; ++i) {
        relation = any_verb();
    }
    word source = along(on, target, relation, true);
    word variable_of_source = source == target ? nothing : variable_for(source);
    if (variable_of_source != nothing) {
        word said = one.source == nothing ? variable(0) : one.source;
        one.id = {relation, said, true};
        one.source = variable_of_source;
    }
}
void graph_generator::become_id(const stage& on, query_term& one, word kind) {
    if (!may_mention(state_of(one.source))) {
        return;
    }
    for (int i = 0; i < 8; ++i) {
        word e = living(on);
        for (const phrase& has : owned(on, e)) {
            word owner = has.first == kind ? variable_for(e) : nothing;
            if (owner != nothing) {
                one.id = has;
                one.id.first = one.source;
                one.id.second = has.pair && chance(50) ? star : has.second;
                if (may_start(one.source) && chance(75)) {
                    one.first = make_substitution(on, kind);
                }
                one.source = owner;
                return;
            }
        }
    }
}
void graph_generator::choose_id(const stage& on, query_term& one, word source) {
    if (chance(18)) {
        query_term from;
        word hero = std::exchange(hero_, source);
        choose_search(on, from);
        source = chance(90) ? somewhere(on, from) : source;
        hero_ = hero;
        one.flags = from.flags;
        one.relation = from.relation;
        one.min_depth = from.min_depth;
        one.max_depth = from.max_depth;
    } else if (chance(25)) {
        source = along(on, source, is_a, false);
    }
    std::vector<phrase> has = owned(on, source);
    std::erase_if(has, [&](const phrase& each) { return !each.pair && chance(40); });
    one.id = has.empty() || chance(6) ? graph_content(slot(slots_ - 1)) : has[below(has.size())];
    if (one.id.pair && owns(on, one.id.first, transitive) && chance(50)) {
        one.id.second = along(on, one.id.second, one.id.first, false);
    }
    if (one.id.pair && owns(on, one.id.first, reflexive) && chance(25) && is_slot(source)) {
        one.id.second = source;
    }
}
void graph_generator::choose_elements(const stage& on, query_term& one) {
    if (is_variable(one.id.second) || is_variable(one.id.first)) {
        return;
    }
    bool literal = choose_first(on, one);
    if (!one.id.pair) {
        return;
    }
    std::size_t how = below(100);
    if (how < 50) {
        if (word second = variable_for(one.id.second); second != nothing) {
            one.id.second = second;
            substitute_variable(on, one, literal);
        }
    } else if (how < 68) {
        one.id.second = star;
    } else if (how < 72) {
        one.id.second = any_one;
    } else if (how < 80) {
        one.id.second = along(on, one.id.second, is_a, false);
    } else if (how < 92 && !literal && !has_closure(on, one.id.first)) {
        one.second = make_substitution(on, one.id.second);
    }
}
bool graph_generator::choose_first(const stage& on, query_term& one) {
    if (chance(10)) {
        word first = variable_for(one.id.first);
        one.id.first = first == nothing ? (chance(50) ? star : one.id.first) : first;
        if (is_variable(first) && may_start(first) && !one.id.pair && chance(50)) {
            word witness = state_of(first).witness;
            one.first = make_substitution(on, witness);
        }
        return true;
    }
    if (chance(one.id.pair ? 4 : 8)) {
        one.id.first = chance(50) ? star : any_one;
        return true;
    }
    if (chance(20)) {
        one.id.first = along(on, one.id.first, is_a, false);
    } else if (chance(20) && !has_closure(on, one.id.first)) {
        one.first = make_substitution(on, one.id.first);
    }
    return false;
}
void graph_generator::substitute_variable(const stage& on, query_term& one, bool literal) {
    word second = one.id.second;
    if (literal || !chance(70) || !may_start(second) || has_closure(on, one.id.first)) {
        return;
    }
    word witness = state_of(second).witness;
    one.second = make_substitution(on, witness);
}
search graph_generator::make_substitution(const stage& on, word& e) {
    search how;
    bool down = chance(45);
    how.flags = (down ? kith::Down : kith::Up) | (chance(50) ? kith::Self : 0u) |
                (chance(25) ? kith::TraverseAll : 0u);
    how.relation = one_of({nothing, is_a, child_of, part_of, flows_to, located_in});
    for (int i = 0; i < 4; ++i) {
        word through = how.relation == nothing ? is_a : how.relation;
        word from = along(on, e, through, !down);
        if (from != e) {
            e = from;
            break;
        }
        how.relation = one_of({nothing, is_a, child_of, part_of, flows_to, located_in});
    }
    if (chance(15)) {
        how.flags = kith::Self;
        how.relation = nothing;
        return how;
    }
    if (chance(25)) {
        how.min_depth = static_cast<std::uint32_t>(1 + below(2));
    }
    if (chance(25)) {
        how.max_depth = how.min_depth + static_cast<std::uint32_t>(1 + below(2));
    }
    return how;
}
query_term graph_generator::make_doubtful(const stage& on) {
    query_term one = make_positive(on);
    if (!is_variable(one.id.first) && !is_variable(one.id.second) && one.first.flags == 0 &&
        one.second.flags == 0 && chance(60)) {
        word source = chance(70) ? settled(on) : living(on);
        std::vector<phrase> has = owned(on, source);
        if (!has.empty()) {
            one.id = has[below(has.size())];
        }
    }
    return one;
}
query_term graph_generator::make_comparison(const stage& on, bool fixed_kind) {
    using oracle::term_kind;
    query_term one;
    std::size_t how = below(100);
    one.kind = how < 45 || fixed_kind ? term_kind::equal
               : how < 75             ? term_kind::differ
                                      : term_kind::contain;
    word source = usable(fixed_kind || chance(75));
    word witness = state_of(source).witness;
    one.id.pair = true;
    if (one.kind == term_kind::equal && chance(20) && !fixed_kind) {
        // One that nothing else binds yet.
        if (word fresh = variable_for(chance(50) ? witness : living(on)); fresh != nothing) {
            state_of(fresh).bound = true;
            source = fresh;
            witness = state_of(fresh).witness;
        }
    }
    one.source = source == variable(0) && chance(70) ? nothing : source;
    word other = chance(one.kind == term_kind::equal ? 80 : 40) ? witness : living(on);
    if (one.kind == term_kind::contain || chance(40)) {
        choose_name(on, one, other);
        return one;
    }
    bool bound = fixed_kind || chance(75);
    word second = usable(bound);
    for (int i = 0; i < 4 && second == source; ++i) {
        second = usable(bound);
    }
    bool compares = chance(85) && second != nothing && second != source;
    one.id.second = !compares ? other : chance(12) ? source : second;
    return one;
}
void graph_generator::choose_name(const stage& on, query_term& one, word other) {
    std::string name = on.is_alive(other) ? std::string(on.entity(other).name().c_str()) : "";
    if (name.empty() || chance(15)) {
        name = "n" + std::to_string(below(20));
    }
    if (one.kind == oracle::term_kind::contain) {
        name = chance(40) ? name.substr(0, 1) : chance(50) ? name.substr(1) : name;
    } else if (on.is_alive(other) && chance(80)) {
        name = path_of(on, other, name);
    }
    one.name = name.empty() ? "n" : name;
    one.id.second = nothing;
}
std::string graph_generator::path_of(const stage& on, word e, const std::string& name) {
    kith::entity parent = on.entity(e).parent();
    std::string above = parent ? std::string(parent.name().c_str()) : "";
    return above.empty() ? name : above + "::" + name;
}

// -- items

void graph_generator::push(query_term one, kith::oper_kind_t oper) {
    one.oper = oper;
    terms_.push_back(std::move(one));
    --left_;
}
void graph_generator::bracket(oracle::term_kind kind, kith::oper_kind_t oper) {
    query_term one;
    one.kind = kind;
    one.oper = oper;
    terms_.push_back(one);
}
void graph_generator::add_item(const stage& on) {
    std::size_t how = below(100);
    if (terms_.empty() || how < 46) {
        add_term(on);
    } else if (how < 56) {
        add_not(on);
    } else if (how < 64) {
        add_optional(on);
    } else if (how < 70) {
        add_chain(on);
    } else if (how < 73) {
        add_wildcards(on);
    } else if (how < 84) {
        add_comparison(on);
    } else if (how < 97) {
        add_scope(on, 1);
    } else {
        add_list(on);
    }
}
void graph_generator::add_term(const stage& on) {
    std::vector<bool> before = unused();
    push(make_positive(on), kith::And);
    end_batch(before, true, false);
}
void graph_generator::add_not(const stage& on) {
    std::vector<bool> before = unused();
    push(chance(40) ? make_positive(on) : make_doubtful(on), kith::Not);
    end_batch(before, false, true);
}
void graph_generator::add_optional(const stage& on) {
    std::vector<bool> before = unused();
    push(chance(50) ? make_positive(on) : make_doubtful(on), kith::Optional);
    end_batch(before, false, false);
}
void graph_generator::add_chain(const stage& on) {
    std::vector<bool> before = unused();
    for (std::size_t more = 1 + below(2); more > 0; --more) {
        push(chance(60) ? make_positive(on) : make_doubtful(on), kith::Or);
    }
    push(make_positive(on), kith::And);
    end_batch(before, false, false);
}
void graph_generator::add_wildcards(const stage& on) {
    std::size_t most = std::exchange(most_variables_, 0);
    for (std::size_t left = 2 + below(2); left > 0; --left) {
        query_term one = make_alternative(on, true);
        if (!(one.flags & kith::Cascade)) {
            one.source = usable(true);
        }
        push(one, left > 1 ? kith::Or : kith::And);
    }
    most_variables_ = most;
}
void graph_generator::add_comparison(const stage& on) {
    using oracle::term_kind;
    if (usable(true) == nothing) {
        return;
    }
    if (chance(25)) {
        push(make_comparison(on, true), kith::Or);
        push(chance(50) ? make_comparison(on, true) : make_doubtful_of_known(on), kith::And);
        return;
    }
    query_term one = make_comparison(on, false);
    word source = one.source == nothing ? variable(0) : one.source;
    bool may_negate = one.kind != term_kind::differ && is_known_elsewhere(source);
    push(one, may_negate && chance(60) ? kith::Not : kith::And);
}
query_term graph_generator::make_doubtful_of_known(const stage& on) {
    std::size_t most = std::exchange(most_variables_, 0);
    query_term one = make_doubtful(on);
    most_variables_ = most;
    return one;
}
bool graph_generator::is_known_elsewhere(word v) const {
    for (const query_term& one : terms_) {
        bool binds = one.oper == kith::And && one.kind == oracle::term_kind::find;
        word source = one.source == nothing ? variable(0) : one.source;
        if (binds && (source == v || one.id.first == v || one.id.second == v)) {
            return true;
        }
    }
    return v == variable(0);
}
void graph_generator::add_list(const stage& on) {
    static constexpr kith::oper_kind_t lists[] = {kith::AndFrom, kith::OrFrom, kith::NotFrom};
    query_term one;
    word source = usable(true);
    if (source == nothing) {
        return;
    }
    one.source = source == variable(0) ? nothing : source;
    one.id = {chance(60) ? state_of(source).witness : living(on)};
    push(one, lists[below(3)]);
}
void graph_generator::add_scope(const stage& on, int depth) {
    std::size_t how = below(100);
    std::vector<bool> before = unused();
    if (how < 45) {
        add_negated_scope(on, depth);
    } else if (how < 65) {
        fill_scope(on, kith::Optional, kith::And, depth);
        end_batch(before, false, false);
    } else if (how < 85) {
        add_alternatives(on, depth);
        end_batch(before, false, false);
    } else {
        fill_scope(on, kith::And, kith::And, depth);
        end_batch(before, true, false);
    }
}
void graph_generator::add_alternatives(const stage& on, int depth) {
    bool mixed = chance(30);
    if (mixed && chance(50)) {
        push(make_positive(on), kith::Or);
    }
    fill_scope(on, kith::And, kith::Or, depth);
    if (mixed) {
        push(make_positive(on), kith::And);
    } else {
        fill_scope(on, kith::And, kith::And, depth);
    }
}
void graph_generator::add_negated_scope(const stage& on, int depth) {
    std::vector<variable_state> before = known_;
    for (variable_state& one : known_) {
        if (depth == 1 && one.scoped && chance(70)) {
            one = {};
        }
    }
    std::vector<bool> fresh = unused();
    fill_scope(on, kith::Not, kith::And, depth);
    end_batch(fresh, false, true);
    for (std::size_t v = 0; v < known_.size(); ++v) {
        if (before[v].witness == nothing && known_[v].witness != nothing) {
            known_[v].scoped = depth == 1;
        } else if (before[v].scoped) {
            known_[v] = before[v];
        }
    }
}
void graph_generator::fill_scope(const stage& on, kith::oper_kind_t opens, kith::oper_kind_t closes,
                                 int depth) {
    bracket(oracle::term_kind::open, opens);
    for (std::size_t more = 1 + (left_ > 1 ? below(2) : 0); more > 0; --more) {
        if (depth < 3 && left_ > 1 && chance(25)) {
            add_scope(on, depth + 1);
        } else if (chance(15)) {
            add_chain(on);
        } else if (chance(12) && usable(true) != nothing) {
            push(make_comparison(on, false), kith::And);
        } else {
            push(chance(50) ? make_positive(on) : make_doubtful(on), kith::And);
        }
    }
    bracket(oracle::term_kind::close, closes);
}

}  // namespace query_model
