#include "support/query_model/shrinking.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace query_model {

namespace {

std::string find_difference_apart(const program& one) {
    return random_programs::find_apart(1, [&] { return differ(one); });
}

// Leaves out ever smaller parts, then simplifies terms, as long as what remains still differs in
// the same way.
class shrinker {
public:
    explicit shrinker(program start)
        : best_(std::move(start)),
          kind_(kind_of(find_difference_apart(best_))),
          end_(std::chrono::steady_clock::now() +
               std::chrono::seconds(random_programs::number_from_environment("KITH_SHRINK", 20))) {}

    program run() {
        for (bool any = !kind_.empty(); any;) {
            any = drop_queries();
            any = drop_steps() || any;
            any = simplify_terms() || any;
        }
        return best_;
    }

private:
    static std::string kind_of(const std::string& text) { return text.substr(0, text.find(':')); }

    bool accept(const program& smaller) {
        if (std::chrono::steady_clock::now() > end_ ||
            kind_of(find_difference_apart(smaller)) != kind_) {
            return false;
        }
        best_ = smaller;
        return true;
    }
    bool drop_queries() {
        bool any = false;
        for (std::size_t i = 0; i < best_.queries.size() && best_.queries.size() > 1;) {
            program smaller = best_;
            smaller.queries = {best_.queries[i]};
            if (accept(smaller)) {
                return true;
            }
            smaller = best_;
            smaller.queries.erase(smaller.queries.begin() + static_cast<std::ptrdiff_t>(i));
            if (accept(smaller)) {
                any = true;
            } else {
                ++i;
            }
        }
        return any;
    }
    bool drop_steps() {
        bool any = false;
        for (std::size_t size = best_.steps.size() / 2; size > 0; size /= 2) {
            for (std::size_t at = 0; at < best_.steps.size();) {
                program smaller = best_;
                auto from = smaller.steps.begin() + static_cast<std::ptrdiff_t>(at);
                smaller.steps.erase(from, from + static_cast<std::ptrdiff_t>(
                                                     std::min(size, smaller.steps.size() - at)));
                if (accept(smaller)) {
                    any = true;
                } else {
                    at += size;
                }
            }
        }
        return any;
    }
    bool simplify_terms() {
        bool any = false;
        for (std::size_t q = 0; q < best_.queries.size(); ++q) {
            for (std::size_t i = 0; i < best_.queries[q].terms.size(); ++i) {
                any = drop_term(q, i) || simplify_term(q, i) || any;
            }
        }
        return any;
    }
    static std::size_t end_of_scope(const query_terms& terms, std::size_t at) {
        int depth = 0;
        for (; at < terms.size(); ++at) {
            depth += terms[at].kind == oracle::term_kind::open;
            depth -= terms[at].kind == oracle::term_kind::close;
            if (depth == 0) {
                break;
            }
        }
        return std::min(at, terms.size() - 1);
    }
    // A scope goes as a whole, or only its brackets do.
    bool drop_term(std::size_t q, std::size_t i) {
        const query_terms& terms = best_.queries[q].terms;
        if (terms[i].kind == oracle::term_kind::close) {
            return false;
        }
        std::size_t end = end_of_scope(terms, i);
        program smaller = best_;
        query_terms& fewer = smaller.queries[q].terms;
        auto first = fewer.begin() + static_cast<std::ptrdiff_t>(i);
        fewer.erase(first, first + static_cast<std::ptrdiff_t>(end - i + 1));
        end_chains(fewer);
        if (!fewer.empty() && accept(smaller)) {
            return true;
        }
        if (end == i) {
            return false;
        }
        smaller = best_;
        query_terms& open = smaller.queries[q].terms;
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(end));
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
        end_chains(open);
        return !open.empty() && accept(smaller);
    }
    static void end_chains(query_terms& terms) {
        for (std::size_t i = 0; i + 1 < terms.size();) {
            bool empty = terms[i].kind == oracle::term_kind::open &&
                         terms[i + 1].kind == oracle::term_kind::close;
            if (empty) {
                terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(i),
                            terms.begin() + static_cast<std::ptrdiff_t>(i + 2));
                i = 0;
            } else {
                ++i;
            }
        }
        for (std::size_t i = 0; i < terms.size(); ++i) {
            bool last = i + 1 == terms.size() || terms[i + 1].kind == oracle::term_kind::close;
            if (last && terms[i].oper == kith::Or) {
                terms[i].oper = kith::And;
            }
        }
    }
    bool simplify_term(std::size_t q, std::size_t i) {
        bool any = false;
        auto attempt = [&](auto&& change) {
            program smaller = best_;
            if (change(smaller.queries[q].terms[i])) {
                any = accept(smaller) || any;
            }
        };
        attempt([](query_term& one) { return std::exchange(one.source, nothing) != nothing; });
        attempt([](query_term& one) { return std::exchange(one.min_depth, 0) != 0; });
        attempt([](query_term& one) { return std::exchange(one.max_depth, 0) != 0; });
        attempt([](query_term& one) { return std::exchange(one.first, search{}).flags != 0; });
        attempt([](query_term& one) { return std::exchange(one.second, search{}).flags != 0; });
        attempt([](query_term& one) {
            bool plain = one.oper == kith::And || one.oper == kith::Or;
            one.oper = kith::And;
            return !plain;
        });
        attempt([](query_term& one) {
            bool any_flags = one.flags != 0 || one.relation != nothing;
            one.flags = 0;
            one.relation = nothing;
            one.min_depth = 0;
            one.max_depth = 0;
            return any_flags;
        });
        for (std::uint32_t flag : {kith::TraverseAll, kith::Self, kith::Desc, kith::Cascade}) {
            attempt([&](query_term& one) {
                bool set = (one.flags & flag) != 0 && one.flags != flag;
                one.flags &= ~flag;
                return set;
            });
        }
        return any;
    }

    program best_;
    std::string kind_;
    std::chrono::steady_clock::time_point end_;
};

}  // namespace

std::string report(std::uint64_t seed, const std::string& what, const program& one) {
    program minimal = shrinker(one).run();
    return "seed " + std::to_string(seed) + ": " + what + "\nminimal program:\n" +
           text_of(minimal) + "    // " + find_difference_apart(minimal);
}
std::string report_running() {
    return report(running_seed, "crashed", running);
}
std::string histogram(const statistics& counts, std::size_t at_least, std::string& too_rare) {
    std::string table;
    for (const auto* list : {&counts.terms, &counts.ways}) {
        for (const auto& [what, times] : *list) {
            char line[80];
            std::snprintf(line, sizeof line, "%-36s %7zu\n", what.c_str(), times);
            table += line;
            too_rare += times < at_least ? line : "";
        }
    }
    for (const auto& [what, times] : counts.refusals) {
        table += std::to_string(times) + "x refused: " + what + "\n";
    }
    return table + std::to_string(counts.cases) + " queries, " + std::to_string(counts.empty) +
           " without result, " + std::to_string(counts.everything) + " with everything, " +
           std::to_string(counts.refused) + " refused";
}

}  // namespace query_model
