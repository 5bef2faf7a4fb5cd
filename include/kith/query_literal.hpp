// Queries as literals: world.query<"Position, [in] Velocity">(). The compiler checks their syntax
// and knows their variables; names are looked up when the query is made. Not part of
// <kith/kith.hpp>: a program that has such queries pays for reading them when it is compiled.
//
// Covered by tests/dsl/query_literal_test.cpp.
#pragma once

#include <kith/query.hpp>
#include <kith/syntax/query_parser.hpp>
#include <kith/world.hpp>

#include <array>

namespace kith {

namespace detail {

template <literal Text>
inline constexpr syntax::query_tree tree_of = syntax::parse_query(Text.text);

// Has no definition: the compiler says what it is asked for, and with that what is wrong where.
template <std::size_t Line, std::size_t Column, literal Message>
struct mistake_in_query;

struct text_place {
    std::size_t line = 1;
    std::size_t column = 1;
};
consteval text_place find_place(std::string_view text, std::size_t offset) {
    text_place place;
    for (char c : text.substr(0, offset)) {
        const bool continues = (static_cast<unsigned char>(c) & 0xC0) == 0x80;
        place.column = c == '\n' ? 1 : place.column + (continues ? 0 : 1);
        place.line += c == '\n';
    }
    return place;
}

// A message of the parser as a template argument.
template <literal Text>
struct first_mistake {
    static constexpr syntax::problem problem = tree_of<Text>.problems[0];
    static constexpr text_place place = find_place(Text.text, problem.at.begin);
    static consteval auto message() {
        constexpr std::size_t size = std::string_view(problem.message).size() + 1;
        char copy[size] = {};
        for (std::size_t i = 0; i + 1 < size; ++i) {
            copy[i] = problem.message[i];
        }
        return literal<size>(copy);
    }
    static constexpr std::size_t show =
        sizeof(mistake_in_query<place.line, place.column, message()>);
};

template <literal Text>
consteval bool is_good() {
    if constexpr (tree_of<Text>.problem_count != 0) {
        return first_mistake<Text>::show != 0;
    }
    return true;
}

// The names of the variables of a tree, each once, in the order of their numbers: $this is the
// first.
struct variable_list {
    std::array<std::string_view, 64> names = {"this"};
    std::size_t count = 1;

    constexpr std::size_t find(std::string_view name) const {
        for (std::size_t i = 0; i < count; ++i) {
            if (names[i] == name) {
                return i;
            }
        }
        return count;
    }
    constexpr void add(const syntax::word& one, std::string_view text) {
        if (one.kind != syntax::token_kind::variable) {
            return;
        }
        const std::string_view name = one.at.of(text).substr(1);
        if (!syntax::words::same_ignoring_case(name, "this") && find(name) == count) {
            names.at(count++) = name;
        }
    }
};
constexpr variable_list variables_of(const syntax::query_tree& tree, std::string_view text) {
    variable_list list;
    for (std::uint32_t i = 0; i < tree.count; ++i) {
        const syntax::item& one = tree.items[i];
        // As they are numbered when the query is made.
        if (one.kind == syntax::item_kind::value) {
            const syntax::value_comparison& value = one.value;
            for (const syntax::part* named :
                 {&one.first, &one.second, &one.src, &value.first, &value.second, &value.src}) {
                list.add(named->id, text);
            }
        } else if (one.is_comparison()) {
            list.add(one.src.id, text);
            list.add(one.second.id, text);
            list.add(one.value.src.id, text);
        } else {
            list.add(one.first.id, text);
            list.add(one.second.id, text);
            list.add(one.src.id, text);
        }
    }
    return list;
}

}  // namespace detail

// A query whose text is known to the compiler.
template <class Query, literal Text>
class literal_query : public Query {
    static_assert(detail::is_good<Text>());
    static constexpr detail::variable_list variables =
        detail::variables_of(detail::tree_of<Text>, Text.text);

public:
    explicit literal_query(const Query& made) : Query(made) {}

    // The number of variables, with $this, and their names.
    static constexpr std::size_t variable_count = variables.count;
    static constexpr std::string_view variable_name(std::size_t number) {
        return variables.names.at(number);
    }
    // The number of a variable, for set_var and get_var. A name that the query does not have is an
    // error when the program is compiled.
    template <literal Name>
    static constexpr std::int32_t var() {
        constexpr std::size_t number = variables.find(Name.text);
        static_assert(number < variables.count, "the query has no variable of this name");
        return static_cast<std::int32_t>(number);
    }
};

template <literal Text>
auto world::filter() const {
    return literal_query<kith::filter<>, Text>(filter(Text.text));
}
template <literal Text>
auto world::query() const {
    return literal_query<kith::query<>, Text>(query(Text.text));
}

}  // namespace kith
