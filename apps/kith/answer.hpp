// The results of a query, as rows of text.
#pragma once

#include <kith/kith.hpp>

#include "interrupt.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kith_app {

struct answer {
    // The text; nothing: no value. Values of components have their JSON as well.
    struct cell {
        std::optional<std::string> text;
        std::string json;

        cell() = default;
        cell(std::string shown) : text(std::move(shown)) {}

        explicit operator bool() const { return text.has_value(); }
        const std::string& operator*() const { return *text; }
        friend bool operator==(const cell& a, const cell& b) { return a.text == b.text; }
        friend auto operator<=>(const cell& a, const cell& b) { return a.text <=> b.text; }
    };

    // `this`, variables without `$`, numbers of fields; then components, or their members.
    std::vector<std::string> columns;
    std::size_t first_value = SIZE_MAX;    // the number of the first column with values
    std::vector<std::vector<cell>> rows;   // sorted
    std::vector<kith::entity_t> entities;  // those that occur in the rows, each once, sorted
    std::size_t limit = SIZE_MAX;          // so many rows are shown, the others only counted
    double milliseconds = 0;               // to find the results and put them in order
    bool interrupted = false;              // there are more results

    std::span<const std::vector<cell>> shown_rows() const {
        return std::span(rows).first(std::min(limit, rows.size()));
    }
};

// Throws kith::error with the mistakes of the text, input_error if it cannot be a query at all.
kith::filter<> make_query(const kith::world& world, const std::string& text);

// The results of a query; `stop` ends the evaluation early. `values` are the columns of values,
// such as `Cargo` and `Cargo.tons`; empty: those of the query's fields.
answer evaluate(const kith::filter<>& query, const interrupt& stop,
                const std::vector<std::string>& values = {});

// `A.B`; `#123` for an entity without a name.
std::string path_of(const kith::entity_view& entity);

}  // namespace kith_app
