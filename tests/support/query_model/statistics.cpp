#include "support/query_model/statistics.hpp"

namespace query_model {

void statistics::add(const stage& on, const oracle::reader& world,
                     const std::vector<oracle::term>& all, const oracle::answer& found) {
    ++cases;
    empty += found.results.empty();
    std::set<entity_t> matched;
    for (const oracle::result& one : found.results) {
        matched.insert(one.entity());
    }
    std::size_t most = 0;
    for (entity_t e : world.all()) {
        most += kith::index_of(e) >= kith::first_entity;
    }
    everything += matched.size() >= most;
    if (graph) {
        note("with a sparse pair switched off", has_sparse_off(world));
    }
    int depth = 0;
    for (const oracle::term& one : all) {
        depth += one.kind == oracle::term_kind::open;
        if (graph) {
            note("scope in a scope", depth > 1 && one.kind == oracle::term_kind::open);
        }
        depth -= one.kind == oracle::term_kind::close;
        add_term(on, one);
        if (graph) {
            add_graph_term(world, one, found);
        }
    }
}
bool statistics::has_sparse_off(const oracle::reader& world) {
    for (entity_t e : world.all()) {
        for (id_t id : world.own(e)) {
            if (!(id & kith::Override) && kith::is_pair(id) && !world.is_enabled(e, id) &&
                world.owns(world.kind_of(id), kith::Sparse)) {
                return true;
            }
        }
    }
    return false;
}
const char* statistics::text_of(kith::oper_kind_t oper) {
    static constexpr const char* opers[] = {"And",     "Or",     "Not",    "Optional",
                                            "AndFrom", "OrFrom", "NotFrom"};
    return opers[oper];
}
void statistics::add_term(const stage& on, const oracle::term& one) {
    if (one.kind != oracle::term_kind::find) {
        return;
    }
    const part& first = one.first;
    const part& second = one.second;
    note(text_of(one.oper));
    note("source $this", one.source.variable == 0);
    note("source fixed", !one.source.is_variable());
    note("*", !one.pair && first.id == kith::Wildcard);
    note("_", !one.pair && first.id == kith::Any);
    if (one.pair) {
        bool names_first = first.is_constant();
        bool names_second = second.is_constant();
        note("(*, t)", first.id == kith::Wildcard && names_second);
        note("(_, t)", first.id == kith::Any && names_second);
        note("(r, *)", second.id == kith::Wildcard && names_first);
        note("(r, _)", second.id == kith::Any && names_first);
        note("(*, *)", second.id == kith::Wildcard && first.id == kith::Wildcard);
        if (!graph) {
            note("(r, 0)", names_second && second.id == 0);
        }
    }
    add_search(on, one.source);
    note("Prefab", !one.pair && first.id == kith::Prefab);
    note("Disabled", !one.pair && first.id == kith::Disabled);
}
void statistics::add_search(const stage& on, const part& one) {
    note("self", one.flags & kith::Self);
    note("up", one.flags & kith::Up);
    note("down", one.flags & kith::Down);
    note("parent", one.flags & kith::Parent);
    note("all", one.flags & kith::TraverseAll);
    note("min_depth", one.min_depth);
    note("max_depth", one.max_depth);
    if (!graph) {
        note("cascade", one.flags & kith::Cascade);
        note("desc", one.flags & kith::Desc);
    }
    if (one.flags & (kith::Up | kith::Down | kith::Cascade)) {
        note("through IsA", one.relation == 0 || one.relation == kith::IsA);
        note("through ChildOf", one.relation == kith::ChildOf);
        note("through a dense one", one.relation == on.id_of(part_of));
        note("through a sparse one", one.relation == on.id_of(flows_to));
    }
}

// -- variables, scopes, comparisons

void statistics::add_graph_term(const oracle::reader& world, const oracle::term& one,
                                const oracle::answer& found) {
    using oracle::term_kind;
    if (one.kind == term_kind::open) {
        note(std::string("scope ") + text_of(one.oper));
    } else if (one.kind == term_kind::close) {
        note("scope Or", one.oper == kith::Or);
    } else if (one.kind == term_kind::find) {
        add_variables(one, found);
        add_properties(world, one);
        add_part("component ", one.first);
        add_part("target ", one.second);
    } else {
        add_comparison(one);
    }
}
void statistics::add_comparison(const oracle::term& one) {
    static constexpr const char* kinds[] = {"", "==", "!=", "~="};
    std::string what = kinds[static_cast<std::size_t>(one.kind)];
    note((one.oper == kith::Not ? "not " : "") + what + " " +
         (one.by_name                ? "name"
          : one.second.is_variable() ? "$x"
                                     : "entity"));
    note("comparison of $this", one.source.variable == 0);
    note("comparison of $x", one.source.variable > 0);
    note("comparison in Or", one.oper == kith::Or);
}
void statistics::add_variables(const oracle::term& one, const oracle::answer& found) {
    std::set<int> referenced;
    int times = 0;
    bool local = false;
    bool unset = false;
    for (const part* each : {&one.source, &one.first, &one.second}) {
        if (each->is_variable()) {
            auto v = static_cast<std::size_t>(each->variable);
            referenced.insert(each->variable);
            ++times;
            local = local || !found.visible[v];
            unset = unset || (found.visible[v] && !found.required[v]);
        }
    }
    note("source $x", one.source.variable > 0);
    note("$x as component", !one.pair && one.first.variable > 0);
    note("$x as relationship", one.pair && one.first.variable > 0);
    note("$x as target", one.second.variable > 0);
    note("$this as component or relationship", one.first.variable == 0);
    note("$this as target", one.second.variable == 0);
    note("a variable twice in a term", times > static_cast<int>(referenced.size()));
    note("two variables in a term", referenced.size() == 2);
    note("three variables in a term", referenced.size() == 3);
    note("a local variable", local);
    note("a variable that may be unset", unset);
    referenced.erase(0);
    if (one.oper < kith::AndFrom) {
        note(std::string(text_of(one.oper)) + " with $x", !referenced.empty());
    }
}
void statistics::add_properties(const oracle::reader& world, const oracle::term& one) {
    if (!one.first.is_constant() || !world.is_alive(one.first.id)) {
        return;
    }
    bool has_subsets = !world.downwards(one.first.id, kith::IsA).empty();
    note("component with subsets", has_subsets && !one.pair);
    note("relationship with subsets", has_subsets && one.pair);
    if (!one.pair) {
        return;
    }
    bool names = one.second.is_constant() && one.second.id != 0;
    note("target with subsets", names && !world.downwards(one.second.id, kith::IsA).empty());
    for (auto [property, name] :
         {std::pair{kith::Transitive, "transitive, "}, std::pair{kith::Reflexive, "reflexive, "}}) {
        bool is = world.owns(one.first.id, property) && one.source.flags == 0;
        note(std::string(name) + "target named", is && names);
        note(std::string(name) + "target *", is && one.second.id == kith::Wildcard);
        note(std::string(name) + "target _", is && one.second.id == kith::Any);
        note(std::string(name) + "target variable", is && one.second.is_variable());
        note(std::string(name) + "source fixed", is && !one.source.is_variable());
        if (one.oper < kith::AndFrom) {
            note(std::string(name) + text_of(one.oper), is);
        }
    }
}
void statistics::add_part(const std::string& where, const part& one) {
    if (one.flags == 0) {
        return;
    }
    note(where + "self", one.flags & kith::Self);
    note(where + "up", one.flags & kith::Up);
    note(where + "down", one.flags & kith::Down);
    note(where + "all", one.flags & kith::TraverseAll);
    note(where + "min_depth", one.min_depth);
    note(where + "max_depth", one.max_depth);
    note(where + "of $x", one.is_variable());
}

}  // namespace query_model
