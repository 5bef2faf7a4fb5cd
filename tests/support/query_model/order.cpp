#include "support/query_model/order.hpp"

#include <algorithm>
#include <numeric>
#include <random>

namespace query_model {

std::vector<term_group> groups_of(const std::vector<oracle::term>& terms) {
    std::vector<term_group> found;
    int depth = 0;
    bool joined = false;
    bool shares_field = false;
    std::size_t fields = 0;
    for (const oracle::term& one : terms) {
        if (depth == 0 && !joined) {
            found.push_back({{}, fields, 0});
        }
        bool bracket = oracle::is_bracket(one);
        if (!bracket && !shares_field) {
            ++found.back().fields;
            ++fields;
        }
        depth += one.kind == oracle::term_kind::open;
        depth -= one.kind == oracle::term_kind::close;
        joined = depth == 0 && one.oper == kith::Or && one.kind != oracle::term_kind::open;
        shares_field = !bracket && one.oper == kith::Or;
        found.back().terms.push_back(one);
    }
    return found;
}
bool may_bind_unset(const term_group& group, const oracle::answer& said) {
    const oracle::term& front = group.terms.front();
    if (front.oper == kith::Not ||
        (front.kind == oracle::term_kind::find && front.oper == kith::And)) {
        return false;
    }
    for (const oracle::term& one : group.terms) {
        for (const oracle::part* each : {&one.source, &one.first, &one.second}) {
            auto v = static_cast<std::size_t>(each->variable);
            if (each->variable > 0 && said.visible[v] && !said.required[v]) {
                return true;
            }
        }
    }
    return false;
}
reordered shuffled(const std::vector<oracle::term>& terms, const oracle::answer& said,
                   unsigned choice) {
    std::vector<term_group> groups = groups_of(terms);
    std::vector<std::size_t> order(groups.size());
    std::iota(order.begin(), order.end(), 0);
    std::mt19937 random(choice);
    for (std::size_t i = order.size(); i > 1; --i) {
        std::swap(order[i - 1], order[random() % i]);
    }
    std::vector<std::size_t> places;
    std::vector<std::size_t> fixed;
    for (std::size_t at = 0; at < order.size(); ++at) {
        if (may_bind_unset(groups[order[at]], said)) {
            places.push_back(at);
            fixed.push_back(order[at]);
        }
    }
    std::sort(fixed.begin(), fixed.end());
    for (std::size_t i = 0; i < places.size(); ++i) {
        order[places[i]] = fixed[i];
    }
    reordered found;
    for (std::size_t index : order) {
        const term_group& one = groups[index];
        found.terms.insert(found.terms.end(), one.terms.begin(), one.terms.end());
        for (std::size_t i = 0; i < one.fields; ++i) {
            found.fields.push_back(one.first_field + i);
        }
    }
    return found;
}
oracle::result in_original_order(const oracle::result& one, const reordered& order) {
    oracle::result found = one;
    for (std::size_t i = 0; i < order.fields.size(); ++i) {
        found.fields[order.fields[i]] = one.fields[i];
    }
    return found;
}

}  // namespace query_model
