// Runs programs of query_model/program.hpp on kith and compares what queries of every kind give
// with the oracle. What differs is thrown as `difference`.
#pragma once

#include "support/query_model/stage.hpp"
#include "support/query_model/statistics.hpp"

#include <memory>
#include <stdexcept>

namespace query_model {

class difference : public std::runtime_error {
public:
    difference(std::size_t query, const std::string& text)
        : std::runtime_error(text), query_(query) {}
    std::size_t query() const { return query_; }

private:
    std::size_t query_;
};

// A query with the steps after which it is made.
struct program_query {
    int group = 0;
    query_terms terms;
    unsigned choice = 0;  // of another order, of variables to set, and of arguments
};
struct program {
    std::vector<step> steps;
    std::vector<program_query> queries;
};

std::string text_of(const program& one);

class session {
public:
    explicit session(statistics* counts = nullptr);
    ~session();
    session(const session&) = delete;
    session& operator=(const session&) = delete;

    void run(const step& one);
    void add(const program_query& one);

    stage on;

private:
    class comparer;
    std::unique_ptr<comparer> comparer_;
};

}  // namespace query_model
