// What queries with variables find, in forms that tests compare. A question is a list of clauses:
// it is asked in many orders of them, cached and not, and all must give the same answer.
#pragma once

#include <kith/kith.hpp>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace kith_test {

// Adds a term, or several that belong together, to a query that is being built.
using clause = std::function<void(kith::filter_builder<>&)>;
using clause_list = std::vector<clause>;
using variable_names = std::vector<const char*>;

// `bob x=alice; carol x=-`: the rows, sorted, each with the values of variables, `-` where they are
// not set. A result without rows is `()`.
template <class Run>
std::string bindings_of(const Run& query, const variable_names& names = {}) {
    std::vector<std::string> rows;
    query.iter([&](kith::iter& it) {
        std::string values;
        for (const char* name : names) {
            kith::entity value = it.get_var(name);
            values += std::string(" ") + name + "=";
            values += value ? value.name().c_str() : "-";
        }
        if (it.count() == 0) {
            rows.push_back("()" + values);
        }
        for (auto row : it) {
            rows.push_back(it.entity(row).name().c_str() + values);
        }
    });
    std::sort(rows.begin(), rows.end());
    std::string text;
    for (const std::string& row : rows) {
        text += (text.empty() ? "" : "; ") + row;
    }
    return text;
}

class question {
public:
    question(const kith::world& world, const clause_list& clauses, variable_names names = {})
        : names_(std::move(names)) {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < clauses.size(); ++i) {
            order.push_back(i);
        }
        // All orders of few clauses; of many, those that begin with each, and their reverse.
        if (clauses.size() <= 4) {
            do {
                add(world, clauses, order);
            } while (std::next_permutation(order.begin(), order.end()));
        } else {
            for (std::size_t i = 0; i < clauses.size(); ++i) {
                std::rotate(order.begin(), order.begin() + 1, order.end());
                add(world, clauses, order);
                std::reverse(order.begin(), order.end());
                add(world, clauses, order);
                std::reverse(order.begin(), order.end());
            }
        }
    }

    // The answer now; cached queries were made when the question was.
    std::string answer() const {
        const std::string first = bindings_of(queries_.front(), names_);
        for (const kith::filter<>& query : queries_) {
            CAPTURE(std::string(query.str().c_str()));
            CHECK(bindings_of(query, names_) == first);
        }
        return first;
    }
    // The number of rows.
    int count() const {
        const int first = queries_.front().count();
        for (const kith::filter<>& query : queries_) {
            CAPTURE(std::string(query.str().c_str()));
            CHECK(query.count() == first);
        }
        return first;
    }

private:
    void add(const kith::world& world, const clause_list& clauses,
             const std::vector<std::size_t>& order) {
        kith::filter_builder<> builder = world.filter_builder();
        for (std::size_t i : order) {
            clauses[i](builder);
        }
        queries_.push_back(builder.uncached().build());
        queries_.push_back(builder.cached().build());
    }

    variable_names names_;
    std::vector<kith::filter<>> queries_;
};

inline std::string answer(const kith::world& world, const clause_list& clauses,
                          const variable_names& names = {}) {
    return question(world, clauses, names).answer();
}

}  // namespace kith_test
