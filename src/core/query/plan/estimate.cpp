// Estimates of ids, declared in estimate.hpp.
#include "query/plan/estimate.hpp"

#include "storage/find.hpp"

#include <algorithm>

namespace kith::queries {

using storage::id_record;

namespace {

constexpr std::uint32_t sample_size = 32;

// The rows of all active tables of the record, extrapolated from a sample.
double count_rows(const storage::store& data, const id_record& record) noexcept {
    const std::uint32_t tables = record.active;
    const std::uint32_t step = std::max(1u, tables / sample_size);
    double rows = 0;
    std::uint32_t sampled = 0;
    for (std::uint32_t i = 0; i < tables; i += step, ++sampled) {
        rows += data.tables.rows(record.tables[i].table).count;
    }
    return sampled == 0 ? 0 : rows * tables / sampled;
}

// The estimate of (relation, *). Sparse relationships know their pairs and sources; their number of
// targets is a guess.
id_estimate estimate_relation(const storage::store& data, std::uint32_t relation) noexcept {
    if (const storage::link_store* links = storage::find_links(data, relation)) {
        double sources = links->source_count();
        return {double(links->pair_count()), sources, std::max(1.0, sources / 4)};
    }
    const id_record* any = data.ids.find(make_pair(relation, Wildcard));
    if (!any) {
        return {};
    }
    const std::uint32_t count = any->active_pairs;
    const std::uint32_t step = std::max(1u, count / sample_size);
    double rows = 0;
    std::uint32_t sampled = 0;
    for (std::uint32_t i = 0; i < count; i += step, ++sampled) {
        rows += count_rows(data, *any->pairs[i]);
    }
    rows = sampled == 0 ? 0 : rows * count / sampled;
    return {rows, rows, std::max(1.0, double(count))};
}

}  // namespace

id_estimate estimate_id(const storage::store& data, id_t pattern) noexcept {
    const double everything = data.entities.count();
    if (is_pair(pattern) && !is_wildcard_element(pair_first(pattern))) {
        if (is_wildcard_element(pair_second(pattern))) {
            return estimate_relation(data, pair_first(pattern));
        }
        if (const storage::link_store* links = storage::find_links(data, pair_first(pattern))) {
            double sources = links->sources(pair_second(pattern)).live;
            return {sources, sources, 1};
        }
    } else if (is_pair(pattern) && !is_wildcard_element(pair_second(pattern))) {
        double rows = 0;
        std::uint32_t sampled = 0;
        for (const id_record* pair = data.ids.first_with_target(pair_second(pattern));
             pair && sampled < sample_size; pair = data.ids.next_with_target(*pair)) {
            rows += count_rows(data, *pair);
            ++sampled;
        }
        for (const id_record* relation : data.link_ids) {
            rows += relation->links->sources(pair_second(pattern)).live;
        }
        return {rows, rows, 1};
    } else if (is_wildcard(pattern)) {
        return {everything * 4, everything, everything};
    }
    const id_record* record = data.ids.find(pattern);
    if (!record) {
        return {};
    }
    double rows = record->sparse ? record->sparse->count() : count_rows(data, *record);
    return {rows, rows, 1};
}

}  // namespace kith::queries
