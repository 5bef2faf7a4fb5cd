#include "support/query_model/stage.hpp"

#include <utility>

namespace query_model {

stage::stage() {
    known_[star] = kith::Wildcard;
    known_[any_one] = kith::Any;
    known_[position] = world.component<Position>();
    known_[velocity] = world.component<Velocity>();
    known_[label] = world.component<Label>();
    known_[heavy] = world.component<Heavy>().add(kith::Sparse);
    known_[secret] = world.component<Secret>().add(kith::DontInherit);
    known_[hot] = world.component<Hot>();
    known_[cold] = world.component<Cold>();
    known_[marked] = world.component<Marked>().add(kith::Sparse);
    known_[plain_tag] = world.entity("PlainTag");
    known_[likes] = world.component<Likes>();
    known_[eats] = world.component<Eats>();
    known_[owes] = world.component<Owes>().add(kith::Sparse);
    known_[knows] = world.relation("Knows", {.storage = kith::storage::sparse});
    known_[in_room] = world.relation("InRoom", {.exclusive = true});
    known_[mood] = world.entity("Mood").add(kith::Union);
    known_[part_of] = world.relation("PartOf", {.traversable = true});
    known_[flows_to] =
        world.relation("FlowsTo", {.traversable = true, .storage = kith::storage::sparse});
    known_[married] = world.relation("Married", {.symmetric = true});
    known_[located_in] = world.relation("LocatedIn", {.transitive = true});
    known_[inside] = world.relation(
        "Inside", {.transitive = true, .reflexive = true, .storage = kith::storage::sparse});
    known_[near_to] = world.relation("NearTo", {.reflexive = true});
    known_[similar] =
        world.relation("Similar", {.reflexive = true, .storage = kith::storage::sparse});
    known_[child_of] = kith::ChildOf;
    known_[is_a] = kith::IsA;
    known_[prefab] = kith::Prefab;
    known_[disabled] = kith::Disabled;
    known_[builtin_component] = kith::detail::component_type_id;
    known_[identifier] = kith::detail::identifier_type_id;
    known_[name_of] = kith::Name;
    known_[all_of] = kith::AllOf;
    known_[any_of] = kith::AnyOf;
    known_[transitive] = kith::Transitive;
    known_[reflexive] = kith::Reflexive;
    known_[final_mark] = kith::Final;
}
bool stage::is_alive(word one) const {
    return one < word_count && known_[one] != 0 && world.is_alive(known_[one]);
}
bool stage::is_known(const phrase& one) const {
    return is_alive(one.first) && (!one.pair || is_alive(one.second));
}
id_t stage::id_of(const phrase& one) const {
    return one.pair ? kith::make_pair(id_of(one.first), id_of(one.second)) : id_of(one.first);
}
word stage::word_of(entity_t e) const {
    for (std::size_t i = any_one + 1; i < word_count; ++i) {
        if (known_[i] != 0 && known_[i] == e) {
            return static_cast<word>(i);
        }
    }
    return nothing;
}
bool stage::phrase_of(id_t id, phrase& found) const {
    if (id & kith::Override) {
        return false;
    }
    found.pair = kith::is_pair(id);
    found.first = word_of(found.pair ? world.get_alive(kith::pair_first(id)).id() : id);
    found.second = found.pair ? word_of(world.get_alive(kith::pair_second(id)).id()) : nothing;
    return found.first != nothing && (!found.pair || found.second != nothing);
}
bool stage::run(const step& one) {
    try {
        return try_run(one);
    } catch (const kith::error&) {
        return false;
    }
}
bool stage::try_run(const step& one) {
    switch (one.kind) {
        case step_kind::create:
            known_[one.entity] = world.entity();
            return true;
        case step_kind::clone:
            if (is_alive(one.id.first)) {
                known_[one.entity] = entity(one.id.first).clone();
                return true;
            }
            return false;
        case step_kind::shrink:
            world.shrink();
            return true;
        case step_kind::defer:
            return !std::exchange(deferred_, true) && world.defer_begin();
        case step_kind::flush:
            return std::exchange(deferred_, false) && world.defer_end();
        case step_kind::remove_all:
        case step_kind::delete_with:
            if (is_known(one.id)) {
                one.kind == step_kind::remove_all ? world.remove_all(id_of(one.id))
                                                  : world.delete_with(id_of(one.id));
                return true;
            }
            return false;
        default:
            return is_alive(one.entity) &&
                   (change_entity(entity(one.entity), one) || change_id(entity(one.entity), one));
    }
}
void stage::toggle(kith::entity e, entity_t property) {
    e.owns(property) ? e.remove(property) : e.add(property);
}
bool stage::change_entity(kith::entity e, const step& one) {
    switch (one.kind) {
        case step_kind::clear:
            e.clear();
            return true;
        case step_kind::destroy:
            e.destruct();
            return true;
        case step_kind::rename:
            e.set_name(("n" + std::to_string(one.number)).c_str());
            return true;
        case step_kind::crowd:
            for (int i = 0; i < one.number; ++i) {
                e.clone();
            }
            return true;
        case step_kind::toggle_exclusive:
            toggle(e, kith::Exclusive);
            return true;
        case step_kind::toggle_inherit:
            toggle(e, kith::DontInherit);
            return true;
        case step_kind::toggle_traversable:
            e.owns(kith::Traversable) ? e.remove(kith::Traversable).remove(kith::Acyclic)
                                      : e.add(kith::Traversable);
            return true;
        case step_kind::toggle_sparse:
            toggle(e, kith::Sparse);
            return true;
        default:
            return false;
    }
}
bool stage::change_id(kith::entity e, const step& one) {
    if (!is_known(one.id)) {
        return false;
    }
    const id_t id = id_of(one.id);
    switch (one.kind) {
        case step_kind::add:
            if ((one.id.first == all_of || one.id.first == any_of) &&
                (deferred_ || contains(id_of(one.id.second), e))) {
                return false;  // a list that contains itself has no meaning
            }
            e.add(id);
            return true;
        case step_kind::remove:
            e.remove(id);
            return true;
        case step_kind::set:
            set(e, one);
            return true;
        case step_kind::mark:
            e.override(id);
            return true;
        case step_kind::unmark:
            e.remove(kith::Override | id);
            return true;
        case step_kind::switch_off:
            e.disable(id);
            return true;
        case step_kind::switch_on:
            e.enable(id);
            return true;
        default:
            return false;
    }
}
bool stage::contains(entity_t list, entity_t other) const {
    bool found = list == other;
    for (entity_t relation : {kith::AllOf, kith::AnyOf}) {
        world.entity(list).each(relation, kith::Wildcard, [&](const kith::id& id) {
            found = found || contains(id.second(), other);
        });
    }
    return found;
}
void stage::set(kith::entity e, const step& one) const {
    entity_t second = id_of(one.id.second);
    switch (one.id.first) {
        case position:
            e.set(Position{one.number, 1});
            break;
        case velocity:
            e.set(Velocity{one.number, 2});
            break;
        case label:
            e.set(Label{std::to_string(one.number)});
            break;
        case heavy:
            e.set(Heavy{one.number});
            break;
        case secret:
            e.set(Secret{one.number});
            break;
        case eats:
            e.set<Eats>(second, Eats{one.number});
            break;
        case owes:
            e.set<Owes>(second, Owes{one.number});
            break;
        default:
            e.add(id_of(one.id));
    }
}
bool resolve(const stage& on, const word one, const search& how, oracle::part& found) {
    bool known = one == nothing || is_wild(one) || is_variable(one) || on.is_alive(one);
    known = known && (how.relation == nothing || on.is_alive(how.relation));
    if (!known) {
        return false;
    }
    found = {.flags = how.flags,
             .relation = on.id_of(how.relation),
             .min_depth = how.min_depth,
             .max_depth = how.max_depth};
    if (is_variable(one)) {
        found.variable = static_cast<int>(one - word_count);
    } else {
        found.id = on.id_of(one);
    }
    return true;
}
bool resolve(const stage& on, const query_term& one, oracle::term& found) {
    word source = one.source == nothing ? variable(0) : one.source;
    found.kind = one.kind;
    found.pair = one.id.pair;
    found.oper = one.oper;
    found.name = one.name;
    found.by_name = one.kind != oracle::term_kind::find && one.id.second == nothing;
    if (oracle::is_bracket(found)) {
        found.source.variable = -1;
        return true;
    }
    bool known = resolve(on, one.id.second, one.second, found.second);
    known = known && resolve(on, source, {one.flags, one.relation, one.min_depth, one.max_depth},
                             found.source);
    if (one.kind != oracle::term_kind::find) {
        return known;
    }
    return known && one.id.first != nothing && resolve(on, one.id.first, one.first, found.first);
}
bool resolve(const stage& on, const query_terms& terms, std::vector<oracle::term>& found) {
    found.clear();
    for (const query_term& one : terms) {
        found.emplace_back();
        if (!resolve(on, one, found.back())) {
            return false;
        }
    }
    return true;
}

}  // namespace query_model
