// Runs programs of query_model/program.hpp on kith with a monitor for each query. What monitors
// tell is kept as a mirror of the results, which is compared with the query after every step. What
// differs is thrown as `difference`.
#pragma once

#include "support/query_model/comparison.hpp"

#include <map>
#include <set>

namespace query_model {

class monitor_session {
public:
    void run(const step& one);
    void add(const program_query& one);

    std::size_t events() const;

    stage on;

private:
    using key = std::vector<id_t>;
    struct tested {
        program_query what;
        kith::query<> query;
        std::vector<std::int32_t> key_fields;
        bool looks_below = false;
        std::size_t every = 1;  // how many steps are made from one comparison to the next
        std::set<key> mirror;
        std::string fault;
        std::size_t events = 0;
        kith::monitor monitor;
        kith::monitor other_view;
    };

    // Fields of required terms whose matched ids tell results apart.
    static std::vector<std::int32_t> key_fields_of(const std::vector<oracle::term>& terms);
    // The terms that it is joined with are all open, and none of them has a variable.
    static bool is_wild_chain(const std::vector<oracle::term>& terms, std::size_t at);
    static std::size_t end_of_scope(const std::vector<oracle::term>& terms, std::size_t at);
    // Which of several is the nearest below is a matter of storage.
    static bool looks_below(const oracle::term& one);
    // It finds several, each of them a result.
    static bool is_open(const oracle::term& one);

    void make(int group);
    // More take too long.
    static constexpr std::size_t most_results = 20000;
    static std::size_t count_results(const kith::query<>& query);
    static key key_of(const tested& one, const kith::iter& it, std::size_t row);
    std::string text(const key& one) const;
    void on_event(tested& to, const kith::iter& it) const;
    void compare();

    std::vector<std::unique_ptr<tested>> queries_;
    bool deferred_ = false;
    bool switched_ = false;  // something was switched off
    std::size_t comparison_ = 0;
};

}  // namespace query_model
