// Descriptions of the terms of a model, declared in describe.hpp: the inverse of validate.cpp.
#include "query/validate/describe.hpp"

#include "base/assert.hpp"

namespace kith::queries {

namespace {

// Lets the part name a variable; leaves it as it is for no_variable.
void set_variable(const query_model& model, std::uint8_t variable, term_part_desc& part) noexcept {
    if (variable != no_variable) {
        part.id = 0;
        part.name = model.variables[variable];
        part.flags |= IsVariable;
    }
}

// Writes a search along a relationship. A limit of the model that is the default stays unsaid.
void set_search(std::uint32_t flags, std::uint32_t trav, entity_t relation, std::uint32_t min_depth,
                std::uint32_t max_depth, term_part_desc& part) noexcept {
    part.flags |= flags;
    if (flags & (Up | Down)) {
        part.trav = relation != 0 ? relation : trav;
        part.min_depth = min_depth > 1 ? min_depth : 0;
        part.max_depth = max_depth != 0xFFFFFFFF ? max_depth : 0;
    }
}

void set_search(const substitution& substitution, term_part_desc& part) noexcept {
    set_search(substitution.flags, substitution.trav, substitution.relation, substitution.min_depth,
               substitution.max_depth, part);
}

// Writes the elements of the term's id. Builtins and wildcards are stored without a generation, and
// are taken from the id itself.
void set_elements(const term& term, term_desc& desc) noexcept {
    const bool pair = is_pair(term.id);
    desc.first.id = term.first != 0 ? term.first : pair ? pair_first(term.id) : term.id;
    if (pair) {
        desc.second.id = term.second != 0 ? term.second : pair_second(term.id);
        desc.has_second = true;
    }
}

term_desc describe_term(const query_model& model, const term& term) noexcept {
    term_desc desc;
    desc.oper = term.oper;
    desc.inout = term.access;
    desc.is_filter = term.is_filter;
    desc.is_argument = term.is_argument;
    desc.type = term.type;
    desc.by_with = term.access == InOutNone;
    if (term.kind == term_kind::scope_open || term.kind == term_kind::scope_close) {
        desc.id = term.id;
        return desc;
    }
    set_elements(term, desc);
    if (term.kind != term_kind::ids) {
        desc.first.id = term.kind == term_kind::name_match ? PredMatch : PredEq;
        desc.second.id = term.second;
        desc.second.name = term.text;
        desc.second.flags = term.text ? std::uint32_t{IsName} : 0u;
    }
    desc.no_source = term.from == source_kind::none;
    desc.src.id = term.source;
    if (term.from == source_kind::variable) {
        set_variable(model, term.source_variable, desc.src);
    }
    if (term.kind == term_kind::ids) {
        set_search(term.flags, term.trav, term.relation, term.min_depth, term.max_depth, desc.src);
    }
    set_variable(model, term.first_variable, desc.first);
    set_variable(model, term.second_variable, desc.second);
    set_search(term.first_by, desc.first);
    set_search(term.second_by, desc.second);
    if (term.value) {
        desc.value = &term.value->desc;
        desc.inout = InOutDefault;
    }
    return desc;
}

}  // namespace

std::vector<term_desc> describe_terms(const query_model& model, std::uint32_t first,
                                      std::uint32_t last) {
    KITH_ASSERT(first <= last && last <= model.count, "the range is inside of the model");
    std::vector<term_desc> descriptions;
    for (std::uint32_t i = first; i < last; ++i) {
        descriptions.push_back(describe_term(model, model.terms[i]));
    }
    return descriptions;
}

}  // namespace kith::queries
