#include "support/query_model/arguments.hpp"

#include <algorithm>
#include <set>

namespace query_model {

std::vector<open_slot> slots_of(const std::vector<oracle::term>& terms) {
    std::vector<open_slot> found;
    std::size_t first_term = 0;
    for (const term_group& group : groups_of(terms)) {
        std::size_t index = std::exchange(first_term, first_term + group.terms.size());
        bool scope = group.terms.front().kind == oracle::term_kind::open;
        for (const oracle::term& one : group.terms) {
            bool open = one.kind == oracle::term_kind::find && one.pair &&
                        (one.second.id == kith::Wildcard || one.second.id == 0) &&
                        !one.second.is_variable();
            if (scope || !open) {
                continue;
            }
            if (one.oper != kith::And || one.second.id == 0 || group.terms.size() > 1 ||
                !one.first.is_constant() || one.first.is_substituted() ||
                one.source.variable != 0) {
                return {};
            }
            found.push_back({one.first.id, one.source, index, group.first_field});
        }
    }
    return found;
}
std::vector<oracle::term> with_slots_as_variables(std::vector<oracle::term> terms,
                                                  std::size_t variables) {
    for (const open_slot& slot : slots_of(terms)) {
        terms[slot.term].second = {.variable = static_cast<int>(variables++)};
    }
    return terms;
}
argument_filter::argument_filter(std::vector<open_slot> slots, std::vector<entity_t> arguments,
                                 std::size_t before)
    : slots_(std::move(slots)), arguments_(std::move(arguments)), before_(before) {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        auto like = std::find_if(same_.begin(), same_.end(), [&](const auto& list) {
            return slots_[list.front()].is_like(slots_[i]);
        });
        if (like == same_.end()) {
            same_.push_back({i});
        } else {
            like->push_back(i);
        }
    }
}
std::vector<oracle::result> argument_filter::apply(
    const std::vector<oracle::result>& results) const {
    std::set<std::pair<std::vector<entity_t>, oracle::result>> intersected;
    std::vector<oracle::result> found;
    for (const oracle::result& one : results) {
        if (are_distinct(one) && fits(one)) {
            oracle::result shorter = normal(without_slots(one));
            if (intersected.insert({targets(one), shorter}).second || !repeats()) {
                found.push_back(shorter);
            }
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}
oracle::result argument_filter::without_slots(oracle::result one) const {
    one.variables.resize(before_);
    return one;
}
oracle::result argument_filter::normal(oracle::result one) const {
    for (const std::vector<std::size_t>& same : same_) {
        std::vector<oracle::field> fields;
        for (std::size_t i : same) {
            fields.push_back(one.fields[slots_[i].field]);
        }
        std::sort(fields.begin(), fields.end());
        for (std::size_t i = 0; i < same.size(); ++i) {
            one.fields[slots_[same[i]].field] = fields[i];
        }
    }
    return one;
}
entity_t argument_filter::target(const oracle::result& one, std::size_t slot) const {
    return one.variables[before_ + slot];
}
std::vector<entity_t> argument_filter::targets(const oracle::result& one) const {
    std::vector<entity_t> found;
    for (const std::vector<std::size_t>& same : same_) {
        std::size_t from = found.size();
        for (std::size_t i : same) {
            found.push_back(target(one, i));
        }
        std::sort(found.begin() + static_cast<std::ptrdiff_t>(from), found.end());
    }
    return found;
}
bool argument_filter::are_distinct(const oracle::result& one) const {
    for (const std::vector<std::size_t>& same : same_) {
        std::set<entity_t> different;
        for (std::size_t i : same) {
            different.insert(target(one, i));
        }
        if (different.size() != same.size()) {
            return false;
        }
    }
    return true;
}
bool argument_filter::fits(const oracle::result& one) const {
    for (const std::vector<std::size_t>& same : same_) {
        std::vector<std::size_t> order = same;
        bool any = false;
        do {
            bool fit = true;
            for (std::size_t i = 0; i < same.size(); ++i) {
                entity_t given = arguments_[same[i]];
                fit = fit && (given == kith::Wildcard || given == target(one, order[i]));
            }
            any = any || fit;
        } while (!any && std::next_permutation(order.begin(), order.end()));
        if (!any) {
            return false;
        }
    }
    return true;
}

}  // namespace query_model
