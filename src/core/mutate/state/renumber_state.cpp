// Gives the ids and tables of a state other numbers (storage_order.hpp).
#include "base/assert.hpp"
#include "mutate/state/storage_order.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace kith::mutate {

namespace {

constexpr std::uint32_t no_number = ~0u;

// True for the pairs that the component index finds by their target.
bool is_exact_pair_id(id_t id) noexcept {
    return is_pair(id) && !(id & Override) && !is_wildcard(id);
}

// The numbers that the parts of a state get. Wanted numbers come first; the others follow behind.
struct number_map {
    std::vector<std::uint32_t> to;  // by present number, no_number: left out
    std::uint32_t limit = 0;

    explicit number_map(std::size_t present) : to(present, no_number) {}
    void append(std::uint32_t present) {
        if (to[present] == no_number) {
            to[present] = limit++;
        }
    }
};

// The free numbers, those of `wanted` first. `used` has a bit for each number.
state_vector<std::uint32_t> list_free(const std::vector<std::uint32_t>& wanted,
                                      std::vector<bool> used) {
    state_vector<std::uint32_t> free;
    auto take = [&](std::uint32_t number) {
        if (number < used.size() && !used[number]) {
            used[number] = true;
            free.push_back(number);
        }
    };
    std::for_each(wanted.begin(), wanted.end(), take);
    for (std::uint32_t number = 0; number < used.size(); ++number) {
        take(number);
    }
    return free;
}

class state_renumbering {
public:
    state_renumbering(const world_state& state, const detail::storage_order& order)
        : from_(state),
          structure_(*state.structure),
          order_(order),
          tables_(structure_.tables.size()),
          records_(structure_.records.size()) {}

    std::shared_ptr<const world_state> run() {
        map_tables();
        map_records();
        auto structure = std::make_shared<structure_copy>();
        fill_tables(*structure);
        fill_records(*structure);
        link_pairs(*structure);
        fill_lists(*structure);
        result_ = std::make_shared<world_state>(from_);
        result_->structure = structure;
        move_rows(*structure);
        move_stores();
        move_entities();
        return result_;
    }

private:
    // -- numbers
    // Empty tables that are not listed are left out. The first two numbers have a fixed meaning.
    void map_tables() {
        std::map<std::vector<id_t>, std::uint32_t> wanted;
        for (std::uint32_t i = storage::root_table + 1; i < order_.tables.size(); ++i) {
            wanted.emplace(order_.tables[i], i);
        }
        tables_.limit =
            std::max(static_cast<std::uint32_t>(order_.tables.size()), storage::root_table + 1);
        for (std::uint32_t number = 0; number < structure_.tables.size(); ++number) {
            const table_copy& type = structure_.tables[number];
            const std::vector<id_t> ids(type.ids.begin(), type.ids.end());
            const auto found = type.exists ? wanted.find(ids) : wanted.end();
            if (number <= storage::root_table) {
                tables_.to[number] = number;
            } else if (found != wanted.end()) {
                tables_.to[number] = found->second;
            }
        }
        for (std::uint32_t number = 0; number < structure_.tables.size(); ++number) {
            if (structure_.tables[number].exists && !from_.rows[number]->entities->empty()) {
                tables_.append(number);
            }
        }
    }
    void map_records() {
        std::unordered_map<id_t, std::uint32_t> wanted;
        for (std::uint32_t i = 0; i < order_.ids.size(); ++i) {
            wanted.emplace(order_.ids[i], i);
        }
        records_.limit = static_cast<std::uint32_t>(order_.ids.size());
        for (std::uint32_t number = 0; number < structure_.records.size(); ++number) {
            const id_t id = structure_.records[number].id;
            const auto found = id != 0 ? wanted.find(id) : wanted.end();
            if (found != wanted.end()) {
                records_.to[number] = found->second;
            }
        }
        for (std::uint32_t number = 0; number < structure_.records.size(); ++number) {
            if (is_used(structure_.records[number])) {
                records_.append(number);
            }
        }
        append_marked();
        for (const auto* list :
             {&structure_.sparse_ids, &structure_.link_ids, &structure_.toggled_ids}) {
            std::for_each(list->begin(), list->end(),
                          [&](std::uint32_t number) { records_.append(number); });
        }
        // The record of (R,*) lists the pairs of R.
        for (std::uint32_t number = 0; number < structure_.records.size(); ++number) {
            const state_vector<std::uint32_t>& pairs = structure_.records[number].pairs;
            if (std::any_of(pairs.begin(), pairs.end(),
                            [&](std::uint32_t pair) { return records_.to[pair] != no_number; })) {
                records_.append(number);
            }
        }
    }
    // The record of an override mark needs that of the marked id.
    void append_marked() {
        std::unordered_map<id_t, std::uint32_t> numbers;
        for (std::uint32_t number = 0; number < structure_.records.size(); ++number) {
            numbers.emplace(structure_.records[number].id, number);
        }
        for (std::uint32_t number = 0; number < structure_.records.size(); ++number) {
            if (structure_.records[number].id & Override && records_.to[number] != no_number) {
                records_.append(numbers.at(structure_.records[number].id & ~Override));
            }
        }
    }
    bool is_used(const record_copy& record) const {
        return record.id != 0 &&
               (record.pinned || std::any_of(record.tables.begin(), record.tables.end(),
                                             [&](const storage::table_entry& entry) {
                                                 return tables_.to[entry.table] != no_number;
                                             }));
    }

    // -- structure
    // A table becomes as old as its number, because files have no ages.
    void fill_tables(structure_copy& to) const {
        to.tables.resize(tables_.limit);
        std::vector<bool> used(tables_.limit);
        for (std::uint32_t number = 0; number < structure_.tables.size(); ++number) {
            const std::uint32_t next = tables_.to[number];
            if (next != no_number && structure_.tables[number].exists) {
                to.tables[next] = structure_.tables[number];
                to.tables[next].age = {next, next};
                used[next] = true;
            }
        }
        to.free_tables = list_free(order_.free_tables, std::move(used));
    }
    void fill_records(structure_copy& to) const {
        to.records.resize(records_.limit);
        std::vector<bool> used(records_.limit);
        for (std::uint32_t number = 0; number < structure_.records.size(); ++number) {
            const std::uint32_t next = records_.to[number];
            if (next != no_number) {
                KITH_ASSERT(!used[next], "two ids have different numbers");
                to.records[next] = moved_record(structure_.records[number]);
                used[next] = true;
            }
        }
        to.free_records = list_free(order_.free_ids, std::move(used));
    }
    // Active tables stay in front of dormant ones; each part is sorted by number.
    record_copy moved_record(const record_copy& from) const {
        record_copy to = from;
        to.tables.clear();
        to.pairs.clear();
        to.same_target = {};
        auto take = [&](std::size_t first, std::size_t end) {
            const auto start = static_cast<std::ptrdiff_t>(to.tables.size());
            for (std::size_t i = first; i < end; ++i) {
                const std::uint32_t next = tables_.to[from.tables[i].table];
                if (next != no_number) {
                    to.tables.push_back({next, from.tables[i].position});
                }
            }
            std::sort(to.tables.begin() + start, to.tables.end(),
                      [](const auto& left, const auto& right) { return left.table < right.table; });
        };
        take(0, from.active);
        to.active = static_cast<std::uint32_t>(to.tables.size());
        take(from.active, from.tables.size());
        return to;
    }
    // Lists of pairs by relation, with active pairs in front, and chains of pairs by target.
    void link_pairs(structure_copy& to) const {
        for (std::uint32_t number = 0; number < structure_.records.size(); ++number) {
            const record_copy& from = structure_.records[number];
            if (records_.to[number] == no_number) {
                continue;
            }
            record_copy& relation = to.records[records_.to[number]];
            for (std::uint32_t pair : from.pairs) {
                if (records_.to[pair] != no_number) {
                    relation.pairs.push_back(records_.to[pair]);
                }
            }
            std::sort(relation.pairs.begin(), relation.pairs.end());
            const auto inactive = std::stable_partition(
                relation.pairs.begin(), relation.pairs.end(),
                [&](std::uint32_t pair) { return to.records[pair].active != 0; });
            relation.active_pairs = static_cast<std::uint32_t>(inactive - relation.pairs.begin());
            for (std::uint32_t i = 0; i < relation.pairs.size(); ++i) {
                to.records[relation.pairs[i]].relation_position = i;
            }
        }
        link_targets(to);
    }
    void link_targets(structure_copy& to) const {
        std::unordered_map<std::uint32_t, std::uint32_t> last;  // by target: number plus one
        for (std::uint32_t number = 0; number < to.records.size(); ++number) {
            record_copy& record = to.records[number];
            if (record.id == 0 || !is_exact_pair_id(record.id)) {
                continue;
            }
            std::uint32_t& previous = last[static_cast<std::uint32_t>(pair_second(record.id))];
            record.same_target.previous = previous;
            if (previous != 0) {
                to.records[previous - 1].same_target.next = number + 1;
            }
            previous = number + 1;
        }
    }
    void fill_lists(structure_copy& to) const {
        auto move = [&](state_vector<std::uint32_t>& list,
                        const state_vector<std::uint32_t>& from) {
            std::transform(from.begin(), from.end(), std::back_inserter(list),
                           [&](std::uint32_t number) { return records_.to[number]; });
            std::sort(list.begin(), list.end());
        };
        move(to.sparse_ids, structure_.sparse_ids);
        move(to.link_ids, structure_.link_ids);
        move(to.toggled_ids, structure_.toggled_ids);
        to.sparse_count = structure_.sparse_count;
        to.types = structure_.types;
    }

    // -- contents
    void move_rows(const structure_copy& structure) {
        result_->rows.assign(tables_.limit, nullptr);
        for (std::uint32_t number = 0; number < from_.rows.size(); ++number) {
            if (tables_.to[number] != no_number) {
                result_->rows[tables_.to[number]] = from_.rows[number];
            }
        }
        auto move = [&](state_vector<std::uint32_t>& to, const state_vector<std::uint32_t>& from) {
            to.clear();
            for (std::uint32_t number : from) {
                if (tables_.to[number] != no_number) {
                    to.push_back(tables_.to[number]);
                }
            }
        };
        move(result_->idle, from_.idle);
        move(result_->made_tables, from_.made_tables);
        result_->history.dormant = static_cast<std::uint32_t>(
            std::count_if(structure.tables.begin(), structure.tables.end(),
                          [](const table_copy& type) { return type.exists && type.dormant; }));
    }
    void move_stores() {
        auto move = [&](auto& to, const auto& from) {
            to.assign(records_.limit, nullptr);
            for (std::uint32_t number = 0; number < from.size(); ++number) {
                if (records_.to[number] != no_number) {
                    to[records_.to[number]] = from[number];
                }
            }
        };
        move(result_->sparse, from_.sparse);
        move(result_->toggles, from_.toggles);
        move(result_->links, from_.links);
    }
    void move_entities() {
        std::vector<std::shared_ptr<record_page>> pages;
        for (const std::shared_ptr<const record_page>& page : from_.pages) {
            pages.push_back(page ? std::make_shared<record_page>(*page) : nullptr);
        }
        for (std::uint32_t number = 0; number < from_.rows.size(); ++number) {
            const std::uint32_t moved = tables_.to[number];
            if (!from_.rows[number] || moved == no_number || moved == number) {
                continue;
            }
            for (const entity_t entity : *from_.rows[number]->entities) {
                const std::uint32_t index = index_of(entity);
                record_page& page = *pages[index >> detail::record_page_bits];
                page[index & (detail::record_page_size - 1)].table = moved;
            }
        }
        free_indices(pages);
        result_->pages.assign(pages.begin(), pages.end());
    }
    // Makes the list of free indices anew. Indices that loading has used for a while, and that no
    // entity of the saved world had, were never issued.
    void free_indices(const std::vector<std::shared_ptr<record_page>>& pages) {
        auto find = [&](std::uint32_t index) -> storage::entity_record* {
            const std::size_t page = index >> detail::record_page_bits;
            storage::entity_record* record =
                page < pages.size() && pages[page]
                    ? &(*pages[page])[index & (detail::record_page_size - 1)]
                    : nullptr;
            return record && record->state & detail::record_free ? record : nullptr;
        };
        const std::uint32_t next = std::max(order_.next_index, first_entity);
        std::vector<std::uint32_t> others;
        for (std::uint32_t page = 0; page < pages.size(); ++page) {
            for (std::uint32_t i = 0; pages[page] && i < detail::record_page_size; ++i) {
                const std::uint32_t index = (page << detail::record_page_bits) + i;
                storage::entity_record* record = index >= first_entity ? find(index) : nullptr;
                if (record && index >= next) {
                    *record = {0, 0, detail::record_free | storage::record_never_issued};
                } else if (record) {
                    others.push_back(index);
                    record->state &= ~std::uint32_t{storage::record_never_issued};
                    record->row = record->table = 0;
                }
            }
        }
        std::vector<std::uint32_t> list;
        std::vector<bool> listed(next);
        auto take = [&](std::uint32_t index) {
            if (index >= first_entity && index < next && !listed[index] && find(index)) {
                listed[index] = true;
                list.push_back(index);
            }
        };
        for (const entity_t free : order_.free_entities) {
            take(index_of(free));
        }
        std::for_each(others.begin(), others.end(), take);
        for (std::size_t i = 0; i < list.size(); ++i) {
            storage::entity_record& record = *find(list[i]);
            record.row = i + 1 < list.size() ? list[i + 1] : 0;
            record.table = i != 0 ? list[i - 1] : 0;
        }
        result_->counters.free = list.empty() ? 0 : list[0];
        result_->counters.parked = 0;
        result_->counters.fresh = next;
        result_->counters.fresh_end = 0;
    }

    const world_state& from_;
    const structure_copy& structure_;
    const detail::storage_order& order_;
    number_map tables_;
    number_map records_;
    std::shared_ptr<world_state> result_;
};

}  // namespace

std::shared_ptr<const world_state> renumber_state(const world_state& state,
                                                  const detail::storage_order& order) {
    return state_renumbering(state, order).run();
}

}  // namespace kith::mutate
