#include "support/query_model/generator.hpp"

#include <algorithm>

namespace query_model {

generator::generator(std::uint64_t seed) : random_(seed) {
    slots_ = 6 + below(slot_count - 5);
    deep_ = chance(45);
    chain_ = one_of({part_of, flows_to, child_of, is_a});
    prefabs_ = chance(50);
}

// -- worlds

std::vector<step> generator::make_world() {
    std::vector<step> steps;
    for (word relation : {child_of, part_of, flows_to, likes, in_room, eats}) {
        if (chance(25)) {
            steps.push_back({step_kind::toggle_sparse, relation, {}, 0});
        }
    }
    for (std::size_t i = 0; i < slots_; ++i) {
        steps.push_back({step_kind::create, slot(i), {}, 0});
        if (chance(15)) {
            steps.push_back(rename(slot(i)));
        }
        if (prefabs_ && chance(15)) {
            steps.push_back({step_kind::add, slot(i), {prefab}, 0});
        }
    }
    for (std::size_t i = 1; deep_ && i < slots_; ++i) {
        if (chance(80)) {
            steps.push_back({step_kind::add, slot(i), {chain_, slot(i - 1), true}, 0});
        }
    }
    std::size_t more = slots_ * 3 + below(slots_ * 4);
    for (std::size_t i = 0; i < more; ++i) {
        steps.push_back(growth());
    }
    if (chance(50)) {
        for (std::size_t i = below(10); i > 0; --i) {
            steps.push_back(change());
        }
    }
    return steps;
}
step generator::change() {
    if (deep_ && chance(40)) {
        return change_chain();
    }
    word e = any_slot();
    switch (below(32)) {
        case 0:
        case 1:
        case 2:
        case 3:
        case 4:
        case 5:
        case 6:
            return growth();
        case 7:
        case 8:
        case 9:
        case 10:
            return {step_kind::remove, e, content(), 0};
        case 11:
            return {step_kind::remove, e, {any_relation(), star, true}, 0};
        case 12:
            return {step_kind::destroy, e, {}, 0};
        case 13:
        case 14:
            return {step_kind::create, e, {}, 0};
        case 15:
            return {step_kind::clear, e, {}, 0};
        case 16:
        case 17:
            return switched(e, content());
        case 18:
            return {chance(70) ? step_kind::add : step_kind::remove, e, {disabled}, 0};
        case 19:
            return {step_kind::toggle_sparse,
                    one_of({child_of, part_of, flows_to, likes, in_room, eats, owes, knows, heavy,
                            position, marked}),
                    {},
                    0};
        case 20:
            return {step_kind::clone, e, {any_slot()}, 0};
        case 21:
            return {step_kind::shrink, nothing, {}, 0};
        case 22:
            return {step_kind::unmark, e, content(), 0};
        case 23:
            return {step_kind::toggle_inherit,
                    one_of({position, velocity, likes, part_of, eats, plain_tag, marked}),
                    {},
                    0};
        case 24:
            return purge();
        case 27:
            return {step_kind::toggle_exclusive, one_of({likes, eats, knows, owes}), {}, 0};
        case 28:
        case 29:
            return {step_kind::crowd, e, {}, static_cast<int>(1 + below(4))};
        case 25:
            return {step_kind::defer, nothing, {}, 0};
        case 26:
            return {step_kind::flush, nothing, {}, 0};
        default:
            return {step_kind::add, e, {prefab}, 0};
    }
}

// -- queries, for what is on a stage

query_terms generator::make_query(const stage& on) {
    static constexpr std::size_t counts[] = {1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6};
    query_terms terms;
    std::size_t count = counts[below(std::size(counts))];
    hero_ = living(on);
    cascades_ = false;
    while (terms.size() < count) {
        if (chance(15) && terms.size() + 2 <= count) {
            // Wildcards alone have a meaning of their own.
            const bool wild = chance(30);
            for (std::size_t more = 1 + below(count - terms.size() - 1); more > 0; --more) {
                terms.push_back(make_alternative(on, wild));
                terms.back().oper = kith::Or;
            }
            terms.push_back(make_alternative(on, wild));
            continue;
        }
        query_term one = make_term(on);
        choose_operator(on, one);
        terms.push_back(one);
    }
    return terms;
}
word generator::any_relation() {
    return one_of(
        {likes, eats, owes, knows, in_room, mood, part_of, flows_to, married, child_of, is_a});
}
word generator::any_component() {
    return one_of({position, position, velocity, label, heavy, secret, hot, hot, cold, marked,
                   plain_tag, knows});
}
word generator::any_target() {
    return chance(80) ? slot(below(std::min<std::size_t>(slots_, 5)))
                      : one_of({position, hot, plain_tag, any_slot(), any_slot()});
}
step generator::change_chain() {
    word e = any_slot();
    word high = slot(below(3));
    switch (below(6)) {
        case 0:
            return {step_kind::remove, e, {chain_, star, true}, 0};
        case 1:
            return {step_kind::add, e, {chain_, lower(e), true}, 0};
        case 2:
            return {step_kind::remove, high, content(), 0};
        case 3:
            return switched(high, content());
        case 4:
            return {step_kind::set, slot(below(slots_ / 2)), content(),
                    static_cast<int>(below(1000))};
        default:
            return {step_kind::add, high, content(), 0};
    }
}
step generator::purge() {
    if (chance(70)) {
        return {step_kind::remove_all, nothing, content(), 0};
    }
    if (chance(50)) {
        return {step_kind::delete_with, nothing, content(), 0};
    }
    if (chance(50)) {
        return {step_kind::toggle_traversable, one_of({part_of, flows_to}), {}, 0};
    }
    return {
        step_kind::destroy, one_of({knows, mood, in_room, plain_tag, part_of, flows_to}), {}, 0};
}
phrase generator::content() {
    if (chance(50)) {
        return {any_component()};
    }
    word relation = any_relation();
    if (relation == child_of || relation == is_a || relation == part_of || relation == flows_to) {
        return {relation, any_slot(), true};
    }
    return {relation, any_target(), true};
}
step generator::switched(word e, phrase id) {
    bool off = switched_off_.empty() || chance(60);
    const std::vector<step>& known = off ? added_ : switched_off_;
    step one = {off ? step_kind::switch_off : step_kind::switch_on, e, id, 0};
    if (!known.empty() && chance(85)) {
        const step& former = known[below(known.size())];
        one.entity = former.entity;
        one.id = former.id;
    }
    if (off) {
        switched_off_.push_back(one);
    }
    return one;
}
step generator::remember(const step& one) {
    if (one.kind == step_kind::add || one.kind == step_kind::set) {
        added_.push_back(one);
    }
    return one;
}
step generator::grow() {
    word e = any_slot();
    std::size_t kind = below(100);
    if (kind < 6) {
        return {step_kind::add, e, {child_of, lower(e), true}, 0};
    }
    if (kind < 20) {
        return {step_kind::add, e, {is_a, lower(e), true}, 0};
    }
    if (kind < 34 || (deep_ && kind < 44)) {
        word relation = one_of({part_of, flows_to, child_of});
        return {step_kind::add, e, {relation, lower(e), true}, 0};
    }
    if (kind < 50) {
        return {step_kind::set, e, content(), static_cast<int>(below(1000))};
    }
    if (kind < 53) {
        return {step_kind::mark, e, content(), 0};
    }
    if (kind < 58) {
        return switched(e, content());
    }
    if (kind < 60) {
        return {step_kind::add, e, {disabled}, 0};
    }
    if (kind < 62) {
        return {step_kind::add, e, {one_of({all_of, any_of}), lower(e), true}, 0};
    }
    if (kind < 63) {
        return rename(e);
    }
    return {step_kind::add, e, content(), 0};
}
word generator::lower(word e) {
    std::size_t index = static_cast<std::size_t>(e - first_slot);
    if (index == 0 || chance(5)) {
        return any_slot();
    }
    return deep_ ? slot(index - 1 - below(std::min<std::size_t>(index, 2))) : slot(below(index));
}
word generator::living(const stage& on) {
    word e = any_slot();
    for (int i = 0; i < 20 && !on.is_alive(e); ++i) {
        e = any_slot();
    }
    return e;
}
word generator::somewhere(const stage& on, const query_term& one) {
    word e = one.source != nothing ? one.source : hero_;
    word relation = one.flags & kith::Parent  ? child_of
                    : one.relation == nothing ? is_a
                                              : one.relation;
    bool down = (one.flags & kith::Down) != 0;
    std::uint32_t beyond = kith::Up | kith::Parent | kith::Cascade | kith::Down;
    bool leave = one.flags == 0 ? chance(20) : (one.flags & beyond) && chance(90);
    for (std::size_t steps = leave ? 1 + below(2) + one.min_depth / 2 : 0; steps > 0; --steps) {
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
        if (!next.empty()) {
            e = next[below(next.size())];
        }
    }
    return e;
}
phrase generator::wanted(const stage& on, const query_term& one) {
    word e = chance(90) ? somewhere(on, one) : living(on);
    std::vector<phrase> owned;
    if (on.is_alive(e) && chance(95)) {
        on.entity(e).each([&](const kith::id& id) {
            phrase found;
            if (on.phrase_of(id, found) && (found.first != identifier || chance(10))) {
                owned.push_back(found);
            }
        });
    }
    return owned.empty() ? content() : owned[below(owned.size())];
}
query_term generator::make_term(const stage& on) {
    query_term one;
    if (chance(12)) {
        one.source = chance(80) ? living(on) : one_of({position, hot, likes, part_of});
    }
    choose_search(on, one);
    one.id = wanted(on, one);
    if (chance(3)) {
        one.id = {one_of(
            {prefab, disabled, builtin_component, plain_tag, in_room, part_of, flows_to, knows})};
    } else if (chance(2)) {
        one.id = {identifier, chance(50) ? name_of : star, true};
    }
    choose_wildcards(one.id);
    return one;
}
query_term generator::make_alternative(const stage& on, bool wild) {
    query_term one = make_term(on);
    if (wild && !is_wild(one.id.first) && (!one.id.pair || !is_wild(one.id.second))) {
        (one.id.pair && chance(70) ? one.id.second : one.id.first) = star;
    }
    return one;
}
void generator::choose_wildcards(phrase& id) {
    if (!id.pair) {
        if (chance(6)) {
            id.first = chance(50) ? star : any_one;
        }
        return;
    }
    if (chance(30)) {
        id.second = chance(70) ? star : any_one;
    }
    if (chance(8)) {
        id.first = chance(70) ? star : any_one;
    }
}
word generator::way(const stage& on, const query_term& one) {
    word e = one.source != nothing ? one.source : hero_;
    word relation = nothing;
    for (int i = 0; i < 4; ++i) {
        relation =
            one_of({nothing, is_a, child_of, child_of, part_of, part_of, flows_to, flows_to});
        if (deep_ && chance(50)) {
            relation = chain_;
        }
        word through = relation == nothing ? is_a : relation;
        bool any = false;
        if (on.is_alive(e) && on.is_alive(through)) {
            auto visit = [&](kith::entity) { any = true; };
            one.flags& kith::Down ? on.entity(e).each_source(on.id_of(through), visit)
                                  : on.entity(e).each(on.entity(through), visit);
        }
        if (any) {
            break;
        }
    }
    return relation;
}
void generator::choose_search(const stage& on, query_term& one) {
    std::size_t kind = below(100);
    if (deep_ && kind >= 20 && kind < 55) {
        kind = 55 + below(45);
    }
    if (kind < 45) {
        return;
    }
    if (kind < 55) {
        one.flags = kith::Self;
        return;
    }
    if (kind < 58) {
        one.flags = kith::Parent | (chance(50) ? kith::Self : 0);
    } else if (kind < 66 && !cascades_ && one.source == nothing) {
        cascades_ = true;
        one.flags = kith::Cascade;
        one.flags |= chance(30) ? kith::Self : 0;
        one.flags |= chance(30) ? kith::Desc : 0;
    } else if (kind < 85) {
        one.flags = kith::Up | (chance(50) ? kith::Self : 0);
    } else {
        one.flags = kith::Down | (chance(40) ? kith::Self : 0);
    }
    if (!(one.flags & kith::Parent)) {
        one.relation = way(on, one);
    }
    if (chance(25)) {
        one.flags |= kith::TraverseAll;
    }
    if (chance(15)) {
        one.max_depth = static_cast<std::uint32_t>(1 + below(3));
    }
    if (chance(15)) {
        one.min_depth = static_cast<std::uint32_t>(1 + below(3));
        if (one.max_depth != 0 && one.max_depth < one.min_depth) {
            one.max_depth = one.min_depth;
        }
    }
}
void generator::choose_operator(const stage& on, query_term& one) {
    bool cascades = (one.flags & kith::Cascade) != 0;
    std::size_t kind = below(100);
    if (kind < 12 && !cascades) {
        one.oper = kith::Not;
    } else if (kind < 27) {
        one.oper = kith::Optional;
    } else if (kind < 42 && !cascades) {
        static constexpr kith::oper_kind_t lists[] = {kith::AndFrom, kith::OrFrom, kith::NotFrom};
        one.oper = lists[below(3)];
        one.id = {chance(50) ? hero_ : living(on)};
    } else if (kind < 44 && one.id.pair && !is_wild(one.id.first)) {
        one.id.second = nothing;
    }
}

}  // namespace query_model
