// Worlds and queries as plain data, so that they can be made at random, run, shrunk and printed: a
// program is a list of steps, a query a list of terms, and both name what they are about by a
// small vocabulary.
#pragma once

#include <kith/kith.hpp>

#include "support/oracle.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace query_model {

using kith::entity_t;
using kith::id_t;

// -- the vocabulary

struct Position {
    int x = 0;
    int y = 0;
};
struct Velocity {
    int x = 0;
    int y = 0;
};
struct Label {
    std::string text;
};
struct Heavy {  // sparse
    int weight = 0;
};
struct Secret {  // not inherited
    int number = 0;
};
struct Hot {};
struct Cold {};
struct Marked {};  // sparse
struct Likes {};
struct Eats {
    int amount = 0;
};
struct Owes {  // sparse
    int amount = 0;
};

enum word : std::uint8_t {
    nothing,
    star,
    any_one,
    // components and tags
    position,
    velocity,
    label,
    heavy,
    secret,
    hot,
    cold,
    marked,
    plain_tag,
    // relationships
    likes,
    eats,
    owes,
    knows,
    in_room,
    mood,
    part_of,
    flows_to,
    married,
    located_in,
    inside,
    near_to,
    similar,
    child_of,
    is_a,
    // builtin
    prefab,
    disabled,
    builtin_component,
    identifier,
    name_of,
    all_of,
    any_of,
    transitive,
    reflexive,
    final_mark,
    first_slot,
};
inline constexpr std::size_t slot_count = 16;
inline constexpr std::size_t word_count = first_slot + slot_count;
inline constexpr std::size_t variable_count = 6;  // with $this, which is the first

constexpr word slot(std::size_t index) {
    return static_cast<word>(first_slot + index);
}
constexpr word variable(std::size_t index) {
    return static_cast<word>(word_count + index);
}
constexpr bool is_slot(word one) {
    return one >= first_slot && one < word_count;
}
constexpr bool is_variable(word one) {
    return one >= word_count;
}
constexpr bool is_wild(word one) {
    return one == star || one == any_one;
}

inline std::string text_of(word one) {
    static constexpr const char* names[] = {
        "0",         "Wildcard",  "Any",        "Position", "Velocity", "Label",   "Heavy",
        "Secret",    "Hot",       "Cold",       "Marked",   "PlainTag", "Likes",   "Eats",
        "Owes",      "Knows",     "InRoom",     "Mood",     "PartOf",   "FlowsTo", "Married",
        "LocatedIn", "Inside",    "NearTo",     "Similar",  "ChildOf",  "IsA",     "Prefab",
        "Disabled",  "Component", "Identifier", "Name",     "AllOf",    "AnyOf",   "Transitive",
        "Reflexive", "Final"};
    static_assert(std::size(names) == first_slot);
    static constexpr const char* variables[] = {"$this", "$a", "$b", "$c", "$d", "$e"};
    static_assert(std::size(variables) == variable_count);
    return is_variable(one) ? variables[one - word_count]
           : is_slot(one)   ? "e" + std::to_string(one - first_slot)
                            : names[one];
}

// An id: one word, or a pair of two.
struct phrase {
    word first = nothing;
    word second = nothing;
    bool pair = false;
};
inline std::string text_of(const phrase& one) {
    return one.pair ? text_of(one.first) + ", " + text_of(one.second) : text_of(one.first);
}

// -- worlds

enum class step_kind : std::uint8_t {
    create,
    add,
    remove,
    set,
    mark,    // Override
    unmark,  //
    switch_off,
    switch_on,
    rename,
    clear,
    destroy,
    clone,
    toggle_sparse,
    crowd,
    toggle_exclusive,
    toggle_inherit,
    toggle_traversable,
    remove_all,
    delete_with,
    defer,
    flush,
    shrink,
    make_queries,
    check,
};
struct step {
    step_kind kind = step_kind::check;
    word entity = nothing;
    phrase id;
    int number = 0;
};

inline std::string text_of(const step& one) {
    std::string e = text_of(one.entity);
    std::string id = text_of(one.id);
    switch (one.kind) {
        case step_kind::create:
            return e + " = world.entity();";
        case step_kind::add:
            return e + ".add(" + id + ");";
        case step_kind::remove:
            return e + ".remove(" + id + ");";
        case step_kind::set:
            return e + ".set(" + id + ", {" + std::to_string(one.number) + "});";
        case step_kind::mark:
            return e + ".override(" + id + ");";
        case step_kind::unmark:
            return e + ".remove(Override | (" + id + "));";
        case step_kind::switch_off:
            return e + ".disable(" + id + ");";
        case step_kind::switch_on:
            return e + ".enable(" + id + ");";
        case step_kind::rename:
            return e + ".set_name(\"n" + std::to_string(one.number) + "\");";
        case step_kind::clear:
            return e + ".clear();";
        case step_kind::destroy:
            return e + ".destruct();";
        case step_kind::clone:
            return e + " = " + text_of(one.id.first) + ".clone();";
        case step_kind::toggle_sparse:
            return "toggle " + e + ".add(Sparse);";
        case step_kind::crowd:
            return "for (int i = 0; i < " + std::to_string(one.number) + "; ++i) " + e +
                   ".clone();";
        case step_kind::toggle_exclusive:
            return "toggle " + e + ".add(Exclusive);";
        case step_kind::toggle_inherit:
            return "toggle " + e + ".add(DontInherit);";
        case step_kind::toggle_traversable:
            return "toggle " + e + ".add(Traversable); // and Acyclic";
        case step_kind::remove_all:
            return "world.remove_all(" + id + ");";
        case step_kind::delete_with:
            return "world.delete_with(" + id + ");";
        case step_kind::defer:
            return "world.defer_begin();";
        case step_kind::flush:
            return "world.defer_end();";
        case step_kind::shrink:
            return "world.shrink();";
        case step_kind::make_queries:
            return "// the early queries are made";
        case step_kind::check:
            return "// the queries are compared";
    }
    return {};
}

// -- queries

// Where to look, seen from an element of a term.
struct search {
    std::uint32_t flags = 0;
    word relation = nothing;
    std::uint32_t min_depth = 0;
    std::uint32_t max_depth = 0;
};
struct query_term {
    phrase id;
    word source = nothing;  // $this
    kith::oper_kind_t oper = kith::And;
    std::uint32_t flags = 0;
    word relation = nothing;
    std::uint32_t min_depth = 0;
    std::uint32_t max_depth = 0;
    search first = {};
    search second = {};
    oracle::term_kind kind = oracle::term_kind::find;
    std::string name = {};  // to compare with, if id.second is nothing
};
using query_terms = std::vector<query_term>;

inline std::string text_of(const search& one) {
    static constexpr std::pair<std::uint32_t, const char*> flags[] = {
        {kith::Self, ".self()"},      {kith::Up, ".up("},          {kith::Down, ".down("},
        {kith::Cascade, ".cascade("}, {kith::Parent, ".parent()"}, {kith::Desc, ".desc()"},
        {kith::TraverseAll, ".all()"}};
    std::string text;
    for (auto [flag, name] : flags) {
        if (one.flags & flag) {
            text += name;
            if (text.back() == '(') {
                text += (one.relation == nothing ? "" : text_of(one.relation)) + ")";
            }
        }
    }
    if (one.min_depth) {
        text += ".min_depth(" + std::to_string(one.min_depth) + ")";
    }
    if (one.max_depth) {
        text += ".max_depth(" + std::to_string(one.max_depth) + ")";
    }
    return text;
}
// An element that has to be named apart.
inline std::string text_of(const char* part, word one, const search& how) {
    if (!is_variable(one) && how.flags == 0) {
        return {};
    }
    std::string named = is_variable(one) ? '"' + text_of(one) + '"' : text_of(one);
    return std::string(".") + part + "(" + named + ")" + text_of(how);
}
inline std::string text_of(const query_term& one) {
    using oracle::term_kind;
    static constexpr const char* opers[] = {
        "", ".or_()", ".not_()", ".optional()", ".and_from()", ".or_from()", ".not_from()"};
    static constexpr const char* kinds[] = {"", "PredEq", "PredNeq", "PredMatch"};
    if (one.kind == term_kind::open || one.kind == term_kind::close) {
        return std::string(one.kind == term_kind::open ? ".scope_open()" : ".scope_close()") +
               opers[one.oper];
    }
    std::string text;
    if (one.kind != term_kind::find) {
        text = std::string(".with(") + kinds[static_cast<std::size_t>(one.kind)] + ")" +
               (one.id.second == nothing     ? ".second(\"" + one.name + "\").flags(IsName)"
                : is_variable(one.id.second) ? text_of("second", one.id.second, {})
                                             : ".second(" + text_of(one.id.second) + ")");
    } else {
        phrase constant = one.id;
        bool apart = is_variable(constant.first) || is_variable(constant.second) ||
                     one.first.flags != 0 || one.second.flags != 0;
        text = apart ? ".with()" : ".with(" + text_of(one.id) + ")";
        if (apart) {
            text += is_variable(one.id.first) || one.first.flags
                        ? text_of("first", one.id.first, one.first)
                        : ".first(" + text_of(one.id.first) + ")";
            if (one.id.pair) {
                text += is_variable(one.id.second) || one.second.flags
                            ? text_of("second", one.id.second, one.second)
                            : ".second(" + text_of(one.id.second) + ")";
            }
        }
    }
    search how{one.flags, one.relation, one.min_depth, one.max_depth};
    if (is_variable(one.source)) {
        text += text_of("src", one.source, how);
    } else if (one.source != nothing) {
        text += ".src(" + text_of(one.source) + ")" + text_of(how);
    } else if (how.flags != 0) {
        text += ".src()" + text_of(how);
    }
    return text + opers[one.oper];
}
inline std::string text_of(const query_terms& terms) {
    std::string text;
    for (const query_term& one : terms) {
        text += text_of(one);
    }
    return text;
}

// -- running

// A world in which steps are made. What kith refuses has no effect.
class stage {
public:
    stage() {
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

    entity_t id_of(word one) const { return known_[one]; }
    bool is_alive(word one) const {
        return one < word_count && known_[one] != 0 && world.is_alive(known_[one]);
    }
    kith::entity entity(word one) const { return world.entity(known_[one]); }
    // Every word of it means something that lives.
    bool is_known(const phrase& one) const {
        return is_alive(one.first) && (!one.pair || is_alive(one.second));
    }
    id_t id_of(const phrase& one) const {
        return one.pair ? kith::make_pair(id_of(one.first), id_of(one.second)) : id_of(one.first);
    }
    // The word for an entity, `nothing` if there is none.
    word word_of(entity_t e) const {
        for (std::size_t i = any_one + 1; i < word_count; ++i) {
            if (known_[i] != 0 && known_[i] == e) {
                return static_cast<word>(i);
            }
        }
        return nothing;
    }
    // False if there are no words for it.
    bool phrase_of(id_t id, phrase& found) const {
        if (id & kith::Override) {
            return false;
        }
        found.pair = kith::is_pair(id);
        found.first = word_of(found.pair ? world.get_alive(kith::pair_first(id)).id() : id);
        found.second = found.pair ? word_of(world.get_alive(kith::pair_second(id)).id()) : nothing;
        return found.first != nothing && (!found.pair || found.second != nothing);
    }

    // Whether it was done.
    bool run(const step& one) {
        try {
            return try_run(one);
        } catch (const kith::error&) {
            return false;
        }
    }

    kith::world world;

private:
    bool try_run(const step& one) {
        if (one.kind == step_kind::create) {
            known_[one.entity] = world.entity();
            return true;
        }
        if (one.kind == step_kind::shrink) {
            world.shrink();
            return true;
        }
        if (one.kind == step_kind::defer) {
            return !std::exchange(deferred_, true) && world.defer_begin();
        }
        if (one.kind == step_kind::flush) {
            return std::exchange(deferred_, false) && world.defer_end();
        }
        if (one.kind == step_kind::remove_all || one.kind == step_kind::delete_with) {
            if (!is_known(one.id)) {
                return false;
            }
            one.kind == step_kind::remove_all ? world.remove_all(id_of(one.id))
                                              : world.delete_with(id_of(one.id));
            return true;
        }
        if (one.kind == step_kind::clone) {
            if (!is_alive(one.id.first)) {
                return false;
            }
            known_[one.entity] = entity(one.id.first).clone();
            return true;
        }
        if (!is_alive(one.entity)) {
            return false;
        }
        kith::entity e = entity(one.entity);
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
                e.owns(kith::Exclusive) ? e.remove(kith::Exclusive) : e.add(kith::Exclusive);
                return true;
            case step_kind::toggle_inherit:
                e.owns(kith::DontInherit) ? e.remove(kith::DontInherit) : e.add(kith::DontInherit);
                return true;
            case step_kind::toggle_traversable:
                e.owns(kith::Traversable) ? e.remove(kith::Traversable).remove(kith::Acyclic)
                                          : e.add(kith::Traversable);
                return true;
            case step_kind::toggle_sparse:
                e.owns(kith::Sparse) ? e.remove(kith::Sparse) : e.add(kith::Sparse);
                return true;
            default:
                break;
        }
        if (!is_known(one.id)) {
            return false;
        }
        id_t id = id_of(one.id);
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
    bool contains(entity_t list, entity_t other) const {
        bool found = list == other;
        for (entity_t relation : {kith::AllOf, kith::AnyOf}) {
            world.entity(list).each(relation, kith::Wildcard, [&](const kith::id& id) {
                found = found || contains(id.second(), other);
            });
        }
        return found;
    }
    void set(kith::entity e, const step& one) const {
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

    std::array<entity_t, word_count> known_{};
    bool deferred_ = false;
};

// The terms with ids for words. False if a word means nothing that lives.
inline bool resolve(const stage& on, const word one, const search& how, oracle::part& found) {
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
inline bool resolve(const stage& on, const query_term& one, oracle::term& found) {
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
inline bool resolve(const stage& on, const query_terms& terms, std::vector<oracle::term>& found) {
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
