// What a query finds, in forms that tests compare. A builder is taken as two queries, cached and
// not, which have to agree.
#pragma once

#include <kith/kith.hpp>

#include "support/relations.hpp"
#include "support/world_dump.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace kith_test {

// The entities of all results, in their order, once per result.
template <class... Ts>
entity_list rows_of(const kith::iterable<Ts...>& query) {
    entity_list rows;
    query.iter([&](kith::iter& it) {
        for (auto row : it) {
            rows.push_back(it.entity(row));
        }
    });
    return rows;
}

// The same of a builder, by ascending id: the order of tables is not promised.
template <class Builder>
entity_list found_by(Builder builder) {
    const entity_list cached = sorted(rows_of(builder.cached().build()));
    const entity_list uncached = sorted(rows_of(builder.uncached().build()));
    CHECK(cached == uncached);
    return uncached;
}

// One line per row, sorted: its entity, and for each field the matched id, `-` if it is not set,
// `id@source` if it is that of another entity.
template <class... Ts>
std::string results_of(const kith::iterable<Ts...>& query) {
    std::vector<std::string> lines;
    auto add = [&](kith::iter& it, std::string line) {
        for (std::int32_t i = 1; i <= it.field_count(); ++i) {
            line += i == 1 ? " " : ", ";
            if (!it.is_set(i)) {
                line += "-";
                continue;
            }
            line += it.id(i).str().c_str();
            if (!it.is_self(i)) {
                line += "@";
                line += it.src(i).name().c_str();
            }
        }
        lines.push_back(line + "\n");
    };
    query.iter([&](kith::iter& it) {
        if (it.count() == 0) {
            add(it, "()");
        }
        for (auto row : it) {
            add(it, std::string(it.entity(row).name().c_str()) + ":");
        }
    });
    std::sort(lines.begin(), lines.end());
    std::string text;
    for (const std::string& line : lines) {
        text += line;
    }
    return text;
}
template <class Builder>
    requires requires(Builder& builder) {
        builder.uncached();
    }
std::string results_of(Builder builder) {
    const std::string cached = results_of(builder.cached().build());
    const std::string uncached = results_of(builder.uncached().build());
    CHECK(cached == uncached);
    return uncached;
}

}  // namespace kith_test
