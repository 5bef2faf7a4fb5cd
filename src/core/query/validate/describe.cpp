#include "query/validate/describe.hpp"

namespace kith::queries {

namespace {

void set_variable(const query_model& model, std::uint8_t variable, term_part_desc& part) noexcept {
    if (variable != no_variable) {
        part.id = 0;
        part.name = model.variables[variable];
        part.flags |= IsVariable;
    }
}

void set_search(std::uint32_t flags, std::uint32_t trav, entity_t relation, std::uint32_t min_depth,
                std::uint32_t max_depth, term_part_desc& part) noexcept {
    part.flags |= flags;
    if (flags & (Up | Down)) {
        part.trav = relation != 0 ? relation : trav;
        part.min_depth = min_depth > 1 ? min_depth : 0;
        part.max_depth = max_depth != 0xFFFFFFFF ? max_depth : 0;
    }
}

void set_search(const substitution& by, term_part_desc& part) noexcept {
    set_search(by.flags, by.trav, by.relation, by.min_depth, by.max_depth, part);
}

// The elements of an id, where a builtin or a wildcard has no generation.
void set_elements(const term& one, term_desc& made) noexcept {
    const bool pair = is_pair(one.id);
    made.first.id = one.first != 0 ? one.first : pair ? pair_first(one.id) : one.id;
    if (pair) {
        made.second.id = one.second != 0 ? one.second : pair_second(one.id);
        made.has_second = true;
    }
}

term_desc describe_term(const query_model& model, const term& one) noexcept {
    term_desc made;
    made.oper = one.oper;
    made.inout = one.access;
    made.is_filter = one.is_filter;
    made.is_argument = one.is_argument;
    made.type = one.type;
    made.by_with = one.access == InOutNone;
    if (one.kind == term_kind::scope_open || one.kind == term_kind::scope_close) {
        made.id = one.id;
        return made;
    }
    set_elements(one, made);
    if (one.kind != term_kind::ids) {
        made.first.id = one.kind == term_kind::name_match ? PredMatch : PredEq;
        made.second.id = one.second;
        made.second.name = one.text;
        made.second.flags = one.text ? std::uint32_t{IsName} : 0u;
    }
    made.no_source = one.from == source_kind::none;
    made.src.id = one.source;
    if (one.from == source_kind::variable) {
        set_variable(model, one.source_variable, made.src);
    }
    if (one.kind == term_kind::ids) {
        set_search(one.flags, one.trav, one.relation, one.min_depth, one.max_depth, made.src);
    }
    set_variable(model, one.first_variable, made.first);
    set_variable(model, one.second_variable, made.second);
    set_search(one.first_by, made.first);
    set_search(one.second_by, made.second);
    return made;
}

}  // namespace

std::vector<term_desc> describe_terms(const query_model& model, std::uint32_t first,
                                      std::uint32_t last) {
    std::vector<term_desc> made;
    for (std::uint32_t i = first; i < last; ++i) {
        made.push_back(describe_term(model, model.terms[i]));
    }
    return made;
}

}  // namespace kith::queries
