// Implements choose_seek.hpp.
#include "query/choose_seek.hpp"

#include "base/assert.hpp"
#include "query/exec/value_check.hpp"

#include <algorithm>

namespace kith::queries {

namespace {

// Reading a candidate costs as much as reading this number of rows one after the other, because
// candidates lie scattered. Collecting candidates costs as much as reading few rows.
constexpr std::uint64_t rows_per_candidate = 8;
constexpr std::uint64_t rows_per_question = 64;

// The number of rows that the run would read without an index.
std::uint64_t count_scanned(const compiled_query& query, const plan& steps,
                            const storage::store& data) {
    std::uint64_t count = 0;
    const auto add = [&](std::uint32_t table) { count += data.tables.rows(table).count; };
    if (steps.cached != 0) {
        const match_cache& cache = *query.cache();
        for (std::uint32_t i = 0; i < cache.count(); ++i) {
            add(cache.record(i)[0]);
        }
        return count;
    }
    const scan_choice choice = choose_scan(data, query.model, ~std::uint64_t{0});
    if (choice.kind == scan_kind::tables && choice.record) {
        for (std::uint32_t i = 0; i < choice.record->active; ++i) {
            add(choice.record->tables[i].table);
        }
        return count;
    }
    if (choice.kind >= scan_kind::sparse_values) {
        return choice.candidates;
    }
    for (std::uint32_t number = storage::root_table; number < data.tables.number_limit();
         ++number) {
        if (data.tables.find_number(number)) {
            add(number);
        }
    }
    return count;
}

// Lists the indexes that serve the comparison of a term.
void find_indexes(const term& by, const storage::value_indexes& indexes,
                  const detail::value_change* changed, std::vector<considered_index>& considered) {
    const value_condition& condition = *by.value;
    if (condition.has_operand || is_pair(by.id) || !starts_with_owners(by)) {
        return;
    }
    const detail::value_test& test = find_test(changed, condition);
    for (const std::shared_ptr<storage::value_index>& one : indexes.all()) {
        if (index_of(one->key().component) == index_of(by.id) && one->is_alive() &&
            one->serves(test)) {
            considered_index& found = considered.emplace_back();
            found.by = &by;
            found.test = &test;
            found.index = one;
        }
    }
}

const char* refusal_of(storage::value_index::state is) noexcept {
    using state = storage::value_index::state;
    return is == state::usable ? nullptr
           : is == state::lost ? "more than 1/16 of its values may have been written since it was "
                                 "brought up to date"
                               : "values are being written, so it cannot be brought up to date";
}

}  // namespace

void consider_indexes(const compiled_query& query, const plan& steps, const world_t* stage,
                      const detail::query_head* asking, const detail::value_change* changed,
                      std::vector<considered_index>& considered) {
    const auto& data = static_cast<const storage::store&>(*stage->store);
    KITH_ASSERT(data.indexes && steps.tests != 0, "the caller has asked for both");
    for (std::uint32_t i = 0; i < steps.count; ++i) {
        if (steps.ops[i].code == op_code::where) {
            find_indexes(query.model.terms[steps.ops[i].first], *data.indexes, changed, considered);
        }
    }
    if (considered.empty()) {
        return;
    }
    const std::uint64_t scanned = count_scanned(query, steps, data);
    considered_index* best = nullptr;
    for (considered_index& one : considered) {
        if (scanned <= rows_per_question) {
            one.refusal = "the query reads few rows";
            continue;
        }
        const id_t component = index_of(one.index->key().component);
        const storage::value_index::answer answer =
            one.index->ask(*one.test, scanned, data.indexes->is_quiet(stage, component, asking));
        one.expected = answer.expected;
        one.total = answer.total;
        one.refusal = refusal_of(answer.is);
        if (one.refusal) {
            continue;
        }
        if (answer.expected * rows_per_candidate + rows_per_question > scanned) {
            one.refusal = "reading all rows costs less";
        } else if (best && best->expected <= one.expected) {
            one.refusal = "another index has fewer candidates";
        } else {
            if (best) {
                best->refusal = "another index has fewer candidates";
            }
            best = &one;
        }
    }
}

}  // namespace kith::queries
