// Reads the order of storage, and gives it to a world (storage_order.hpp).
#include "mutate/state/storage_order.hpp"

#include "mutate/rules/destination.hpp"
#include "storage/link_store_state.hpp"
#include "storage/table.hpp"
#include "storage/table_set_state.hpp"
#include "traits/traits.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

namespace kith::mutate {

namespace {

using storage::id_record;
using storage::link_store;
using storage::table;

// Facts of C++ types about names and scopes are no part of files, so that rows and links of types
// have no order there.
bool has_types(const entity_t* entities, std::size_t count) noexcept {
    return std::any_of(entities, entities + count, [](entity_t entity) {
        return entity != 0 && index_of(entity) < first_entity;
    });
}

void read_rows(const storage::store& data, std::vector<entity_t>& rows) {
    for (std::uint32_t number = storage::root_table; number < data.tables.number_limit();
         ++number) {
        const table* owner = data.tables.find_number(number);
        const detail::table_rows* current = owner ? &data.tables.rows(number) : nullptr;
        if (!current || current->count == 0) {
            continue;
        }
        const entity_t* entities = storage::entities_of(*owner, *current);
        if (number == storage::root_table || has_types(entities, current->count)) {
            rows.insert(rows.end(), entities, entities + current->count);
        }
    }
}

// Loading adds links by target in the order of indices. Other orders of targets are listed.
void read_links(const storage::store& data, const id_record& relation,
                const std::vector<entity_t>& may_be_targets, detail::storage_order& order) {
    const link_store& links = *relation.links;
    const entity_t element = data.entities.alive_at(pair_first(relation.id));
    for (std::uint32_t source = links.next_source(1); source != 0;
         source = links.next_source(source + 1)) {
        const std::uint32_t count = links.target_count(source);
        std::vector<entity_t> targets;
        for (std::uint32_t i = 0; i < count && count > 1; ++i) {
            targets.push_back(data.entities.alive_at(links.target_at(source, i)));
        }
        const bool is_sorted = std::is_sorted(
            targets.begin(), targets.end(),
            [](entity_t left, entity_t right) { return index_of(left) < index_of(right); });
        if (!is_sorted) {
            order.targets.push_back({element, data.entities.alive_at(source), targets});
        }
    }
    for (const entity_t target : may_be_targets) {
        const storage::source_span sources = links.sources(index_of(target));
        if (sources.live > 1 && has_types(sources.items, sources.size)) {
            std::vector<entity_t> listed;
            std::copy_if(sources.items, sources.items + sources.size, std::back_inserter(listed),
                         [](entity_t source) { return source != 0; });
            order.sources.push_back({element, target, std::move(listed)});
        }
    }
}

// True if the id may be an id of tables: a plain id, a pair, or an override of one of them.
bool is_exact_id(const storage::store& data, id_t id) noexcept {
    const id_t flags = id & id_flags_mask;
    if (id == 0 || (flags & ~(Pair | Override)) != 0) {
        return false;
    }
    if (is_pair(id)) {
        return data.entities.alive_at(pair_first(id)) && data.entities.alive_at(pair_second(id));
    }
    return data.entities.find(id & ~id_flags_mask) != nullptr;
}

// Links have no records of their own, apart from that of (R,*).
void ensure_listed_id(storage::store& data, id_t id) {
    if (!is_exact_id(data, id) || data.ids.find(id)) {
        return;
    }
    mark_elements_used(data, id);
    id_record& made = data.ids.ensure(id);
    if (is_pair(id) && !is_wildcard(id) && traits::is_sparse(made)) {
        data.ids.remove(made);
    }
}

void ensure_listed_table(storage::store& data, const std::vector<id_t>& ids) {
    constexpr std::size_t most_ids = 4096;
    const bool fits =
        !ids.empty() && ids.size() <= most_ids &&
        std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()) == ids.end() &&
        std::all_of(ids.begin(), ids.end(), [&](id_t id) {
            const id_record* record =
                is_exact_id(data, id) && !is_wildcard(id) ? data.ids.find(id) : nullptr;
            return record && !traits::is_sparse(*record);
        });
    if (fits) {
        data.tables.ensure(ids.data(), static_cast<std::uint32_t>(ids.size()));
    }
}

// Moves all rows into a new block. `order` has the present row of each new one.
void permute_rows(storage::store& data, const table& owner,
                  const std::vector<std::uint32_t>& order) {
    using storage::table_set_state;
    detail::table_rows& current = data.tables.rows(owner.number);
    const detail::table_rows fresh =
        table_set_state::make_block(data.tables, owner, current.count, current.capacity);
    entity_t* entities = storage::entities_of(owner, fresh);
    for (std::uint32_t row = 0; row < current.count; ++row) {
        entities[row] = storage::entities_of(owner, current)[order[row]];
        data.entities.at(index_of(entities[row])).row = row;
    }
    for (std::uint32_t i = 0; i < owner.column_count; ++i) {
        const detail::column& column = owner.columns[i];
        for (std::uint32_t row = 0; row < current.count; ++row) {
            types::relocate_value(owner.column_type(i), storage::value_in(fresh, column, row),
                                  storage::value_in(current, column, order[row]));
        }
    }
    table_set_state::release_block(data.tables, owner, current);
    current = fresh;
}

// `ranks` has the wanted position of each index; entities without one come last.
void order_rows(storage::store& data, const table& owner, const std::vector<std::uint32_t>& ranks) {
    const detail::table_rows& current = data.tables.rows(owner.number);
    if (current.count == 0) {
        return;
    }
    const entity_t* entities = storage::entities_of(owner, current);
    auto rank_of = [&](std::uint32_t row) {
        const std::uint32_t index = index_of(entities[row]);
        return index < ranks.size() ? ranks[index] : ~0u;
    };
    bool is_sorted = true;
    for (std::uint32_t row = 1; row < current.count && is_sorted; ++row) {
        is_sorted = rank_of(row - 1) <= rank_of(row);
    }
    if (is_sorted) {
        return;
    }
    std::vector<std::uint32_t> order(current.count);
    for (std::uint32_t row = 0; row < current.count; ++row) {
        order[row] = row;
    }
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t left, std::uint32_t right) {
        return rank_of(left) < rank_of(right);
    });
    permute_rows(data, owner, order);
}

// The position of the first mention of each index.
std::vector<std::uint32_t> rank_indices(const std::vector<entity_t>& rows) {
    std::vector<std::uint32_t> ranks;
    std::uint32_t next = 0;
    for (const entity_t entity : rows) {
        const std::uint32_t index = index_of(entity);
        if (index >= ranks.size()) {
            ranks.resize(std::max<std::size_t>(ranks.size() * 2, std::size_t{index} + 1), ~0u);
        }
        ranks[index] = std::min(ranks[index], next++);
    }
    return ranks;
}

link_store* links_of_relation(const storage::store& data, entity_t relation) noexcept {
    const id_record* record =
        data.entities.find(relation) ? data.ids.find(make_pair(relation, Wildcard)) : nullptr;
    return record ? record->links : nullptr;
}

}  // namespace

std::vector<entity_t> find_link_targets(const storage::store& data) {
    constexpr std::uint32_t flags = storage::record_has_children | storage::record_link_target;
    std::vector<entity_t> found;
    data.entities.each([&](entity_t entity) {
        if (data.entities.at(index_of(entity)).state & flags) {
            found.push_back(entity);
        }
    });
    return found;
}

detail::storage_order read_order(const storage::store& data) {
    detail::storage_order order;
    const std::vector<entity_t> may_be_targets = find_link_targets(data);
    for (std::uint32_t number = 0; number < data.ids.number_limit(); ++number) {
        const id_record* record = data.ids.by_number(number);
        order.ids.push_back(record ? record->id : 0);
        if (record && record->links) {
            read_links(data, *record, may_be_targets, order);
        }
    }
    order.free_ids.assign(data.ids.free_numbers().begin(), data.ids.free_numbers().end());
    for (std::uint32_t number = 0; number < data.tables.number_limit(); ++number) {
        const table* owner = data.tables.find_number(number);
        order.tables.emplace_back();
        if (owner) {
            order.tables.back().assign(owner->ids, owner->ids + owner->id_count);
        }
    }
    const auto& free_tables = storage::table_set_state::free_numbers(data.tables);
    order.free_tables.assign(free_tables.begin(), free_tables.end());
    data.entities.each_next([&](std::uint32_t index) { order.next_index = index; });
    read_rows(data, order.rows);
    return order;
}

void order_storage(storage::store& data, const detail::storage_order& order) {
    for (const id_t id : order.ids) {
        ensure_listed_id(data, id);
    }
    for (const std::vector<id_t>& ids : order.tables) {
        ensure_listed_table(data, ids);
    }
    const std::vector<std::uint32_t> ranks = rank_indices(order.rows);
    for (std::uint32_t number = storage::root_table; number < data.tables.number_limit();
         ++number) {
        if (const table* owner = data.tables.find_number(number)) {
            order_rows(data, *owner, ranks);
        }
    }
    for (const detail::link_order& list : order.targets) {
        if (link_store* links = links_of_relation(data, list.relation)) {
            storage::link_store_state::order_targets(*links, index_of(list.entity), list.others);
        }
    }
    for (const detail::link_order& list : order.sources) {
        if (link_store* links = links_of_relation(data, list.relation)) {
            storage::link_store_state::order_sources(*links, index_of(list.entity), list.others);
        }
    }
}

}  // namespace kith::mutate
