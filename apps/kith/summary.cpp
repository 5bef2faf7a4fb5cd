#include "summary.hpp"

#include <kith/aggregate.hpp>

#include "input_error.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

namespace kith_app {

namespace {

struct selected {
    std::string function;  // count, sum, min, max, avg
    std::string member;    // empty for count
    std::string text;      // as it was written
};

std::string trimmed(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(' ');
    const std::size_t end = text.find_last_not_of(' ');
    return begin == std::string::npos ? std::string() : text.substr(begin, end - begin + 1);
}

// Splits at commas outside of parentheses and brackets.
std::vector<std::string> split(const std::string& list) {
    std::vector<std::string> parts(1);
    int depth = 0;
    for (const char c : list) {
        depth += c == '(' || c == '[';
        depth -= c == ')' || c == ']';
        if (c == ',' && depth == 0) {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    for (std::string& part : parts) {
        part = trimmed(part);
    }
    return parts;
}

selected read_selected(const std::string& text) {
    if (text == "count") {
        return {"count", "", text};
    }
    const std::size_t open = text.find('(');
    const std::string function = text.substr(0, open);
    const bool known = function == "sum" || function == "min" || function == "max" ||
                       function == "avg" || function == "count";
    if (!known || open == std::string::npos || text.back() != ')') {
        throw input_error(
            "'" + text +
            "' cannot be selected: it is count, or sum, min, max, avg of a member, as "
            "in sum(Cargo.tons)");
    }
    return {function, trimmed(text.substr(open + 1, text.size() - open - 2)), text};
}

// The number as it is shown; nothing if no result has the value.
answer::cell cell_of(const kith::aggregates& found, const std::string& function) {
    const kith::aggregate_number number =
        function == "sum"   ? found.sum()
        : function == "min" ? found.min()
        : function == "max" ? found.max()
        : function == "avg" ? kith::aggregate_number::of_real(found.avg())
                            : kith::aggregate_number::of_integer(0, found.count());
    if (!number || std::isnan(number.real())) {
        return {};
    }
    answer::cell made = number.str();
    made.json = *made;
    return made;
}

std::vector<kith::aggregate_group> groups_of(const kith::filter<>& query, const std::string& member,
                                             const std::string& by) {
    if (!by.empty()) {
        return kith::aggregate(query, member, by);
    }
    return {{"", 0, kith::aggregate(query, member)}};
}

// A column of the answer by its name, as headings write it or without `$`.
std::size_t column_named(const answer& result, const std::string& name) {
    const std::string bare = name.starts_with('$') ? name.substr(1) : name;
    const auto found = std::find(result.columns.begin(), result.columns.end(), bare);
    if (found == result.columns.end()) {
        std::string known;
        for (const std::string& column : result.columns) {
            known += (known.empty() ? "" : ", ") + column;
        }
        throw input_error("there is no column '" + name + "'; there are " + known);
    }
    return static_cast<std::size_t>(found - result.columns.begin());
}

// Numbers by value, others by text; what is not there comes first.
int compare_cells(const answer::cell& left, const answer::cell& right) {
    if (left && right) {
        char* left_end = nullptr;
        char* right_end = nullptr;
        const double a = std::strtod((*left).c_str(), &left_end);
        const double b = std::strtod((*right).c_str(), &right_end);
        if (!(*left).empty() && !(*right).empty() && *left_end == '\0' && *right_end == '\0') {
            return a < b ? -1 : b < a ? 1 : 0;
        }
    }
    return left < right ? -1 : right < left ? 1 : 0;
}

}  // namespace

answer summarize(const kith::filter<>& query, const std::string& select, const std::string& by) {
    answer result;
    const bool is_variable = by.starts_with('$');
    if (!by.empty()) {
        result.columns.push_back(is_variable ? by.substr(1) : by);
    }
    result.first_value = is_variable ? 1 : 0;
    std::vector<std::string> keys;
    std::map<std::string, std::size_t> rows;
    for (const std::string& part : split(select)) {
        const selected one = read_selected(part);
        result.columns.push_back(one.text);
        for (const kith::aggregate_group& group : groups_of(query, one.member, by)) {
            const auto [row, is_new] = rows.try_emplace(group.key, result.rows.size());
            if (is_new) {
                result.rows.emplace_back();
                if (!by.empty()) {
                    result.rows.back().push_back(group.key.empty() ? answer::cell()
                                                                   : answer::cell(group.key));
                }
            }
            std::vector<answer::cell>& cells = result.rows[row->second];
            cells.resize(result.columns.size() - 1);
            cells.push_back(cell_of(group.of, one.function));
        }
    }
    for (std::vector<answer::cell>& cells : result.rows) {
        cells.resize(result.columns.size());
    }
    return result;
}

void order_rows(answer& result, const std::string& order) {
    struct key {
        std::size_t column;
        bool descends;
    };
    std::vector<key> keys;
    for (const std::string& part : split(order)) {
        const std::size_t blank = part.rfind(' ');
        const std::string word = blank == std::string::npos ? "" : part.substr(blank + 1);
        const bool directed = word == "desc" || word == "asc";
        const std::string name = directed ? trimmed(part.substr(0, blank)) : part;
        keys.push_back({column_named(result, name), word == "desc"});
    }
    std::stable_sort(result.rows.begin(), result.rows.end(),
                     [&](const auto& left, const auto& right) {
                         for (const key& by : keys) {
                             const int found = compare_cells(left[by.column], right[by.column]);
                             if (found != 0) {
                                 return by.descends ? found > 0 : found < 0;
                             }
                         }
                         return false;
                     });
}

}  // namespace kith_app
