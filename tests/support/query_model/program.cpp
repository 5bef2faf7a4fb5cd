#include "support/query_model/program.hpp"

namespace query_model {

std::string text_of(word one) {
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
std::string text_of(const phrase& one) {
    return one.pair ? text_of(one.first) + ", " + text_of(one.second) : text_of(one.first);
}
std::string text_of(const step& one) {
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
std::string text_of(const search& one) {
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
std::string text_of(const char* part, word one, const search& how) {
    if (!is_variable(one) && how.flags == 0) {
        return {};
    }
    std::string named = is_variable(one) ? '"' + text_of(one) + '"' : text_of(one);
    return std::string(".") + part + "(" + named + ")" + text_of(how);
}
std::string text_of(const query_term& one) {
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
std::string text_of(const query_terms& terms) {
    std::string text;
    for (const query_term& one : terms) {
        text += text_of(one);
    }
    return text;
}

}  // namespace query_model
