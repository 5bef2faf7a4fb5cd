// How the words of a query's description are said to kith: terms with variables, scopes and
// comparisons to a builder, variables to a run and by a result.
#pragma once

#include "support/query_model/program.hpp"

namespace query_model {

inline constexpr const char* variable_names[] = {"$this", "$a", "$b", "$c", "$d", "$e"};

template <class Builder>
void say_search(Builder& builder, const oracle::part& one) {
    builder.flags(one.flags);
    if (one.relation) {
        builder.trav(one.relation);
    }
    builder.min_depth(one.min_depth).max_depth(one.max_depth);
}
template <class Builder>
void say_first(Builder& builder, const oracle::part& one) {
    one.is_variable() ? builder.first(variable_names[one.variable]) : builder.first(one.id);
    say_search(builder, one);
}
template <class Builder>
void say_second(Builder& builder, const oracle::part& one) {
    one.is_variable() ? builder.second(variable_names[one.variable]) : builder.second(one.id);
    say_search(builder, one);
}
template <class Builder>
void say_source(Builder& builder, const oracle::part& one) {
    builder.src();
    if (one.variable > 0) {
        builder.src(variable_names[one.variable]);
    } else if (one.variable < 0) {
        builder.src(one.id);
    }
    say_search(builder, one);
}

template <class Builder>
void say_comparison(Builder& builder, const oracle::term& one) {
    using oracle::term_kind;
    builder.with(one.kind == term_kind::equal    ? kith::PredEq
                 : one.kind == term_kind::differ ? kith::PredNeq
                                                 : kith::PredMatch);
    if (one.by_name) {
        builder.second(one.name.c_str()).flags(kith::IsName);
    } else {
        say_second(builder, one.second);
    }
}
template <class Builder>
void say_id(Builder& builder, const oracle::term& one) {
    bool plain = one.first.is_variable() || one.second.is_variable() ||
                 one.first.is_substituted() || one.second.is_substituted();
    if (plain) {
        builder.term();
        say_first(builder, one.first);
        if (one.pair) {
            say_second(builder, one.second);
        }
    } else if (one.pair) {
        builder.term(one.first.id, one.second.id);
    } else {
        builder.term(one.first.id);
    }
}
// `given`: the builder has the term already, by its types.
template <class Builder>
void say(Builder& builder, const oracle::term& one, bool given = false) {
    using oracle::term_kind;
    if (one.kind == term_kind::open) {
        builder.scope_open().oper(one.oper);
        return;
    }
    if (one.kind == term_kind::close) {
        builder.scope_close().oper(one.oper);
        return;
    }
    if (!given) {
        one.kind == term_kind::find ? say_id(builder, one) : say_comparison(builder, one);
    }
    say_source(builder, one.source);
    builder.oper(one.oper);
}

// Null: it is not set.
inline entity_t value_of(const kith::iter& it, std::size_t variable) {
    return it.get_var(variable_names[variable] + 1);
}
template <class Run>
void set_variable(Run& run, std::size_t variable, entity_t value) {
    run.set_var(variable_names[variable] + 1, value);
}
// Up to three.
template <class Query>
auto bind_arguments(const Query& query, const std::vector<entity_t>& values) {
    return values.size() == 1   ? query.bind(values[0])
           : values.size() == 2 ? query.bind(values[0], values[1])
                                : query.bind(values[0], values[1], values[2]);
}
template <class Query, class Func>
void each_with_arguments(const Query& query, const std::vector<entity_t>& values, Func&& func) {
    if (values.size() == 1) {
        query.each(values[0], func);
    } else if (values.size() == 2) {
        query.each(values[0], values[1], func);
    } else {
        query.each(values[0], values[1], values[2], func);
    }
}

}  // namespace query_model
