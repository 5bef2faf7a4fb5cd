// Parameter indexes, declared in parameter_index.hpp.
#include "query/cache/parameter_index.hpp"

#include "base/hash.hpp"
#include "storage/graph.hpp"

#include <algorithm>
#include <utility>

namespace kith::queries {

using containers::purpose;

namespace {

// True if the target of the term is a parameter.
bool is_slot(const term& term) noexcept {
    return term.kind == term_kind::ids && term.oper == And && is_pair(term.id) &&
           term.second_variable != no_variable;
}

}  // namespace

parameter_indexes::~parameter_indexes() {
    for (parameter_index* index : all) {
        index->dispatcher_ = nullptr;
        index->others_ = nullptr;
    }
}

void parameter_indexes::table_made(const storage::table& table) noexcept {
    for (parameter_index* index : all) {
        if (index->of_tables_) {
            index->change(table.number, &table, 0, true);
        }
    }
}

void parameter_indexes::table_gone(const storage::table& table) noexcept {
    for (parameter_index* index : all) {
        if (index->of_tables_) {
            index->change(table.number, &table, 0, false);
        }
    }
}

std::unique_ptr<parameter_index> parameter_index::make(storage::store& data,
                                                       events::registry& dispatcher,
                                                       parameter_indexes& others,
                                                       const query_model& model) {
    std::unique_ptr<parameter_index> index(new parameter_index(data, dispatcher, others));
    std::uint32_t sparse = 0;
    for (std::uint32_t i = 0; i < model.count; ++i) {
        const term& term = model.terms[i];
        if (is_slot(term)) {
            index->slots_.push_back({pair_first(term.id), term.second_variable});
            index->terms_ |= std::uint64_t{1} << i;
            sparse += storage::find_links(data, pair_first(term.id)) != nullptr;
        }
    }
    const std::size_t count = index->slots_.size();
    if (count < 2 || count > most_slots || (sparse != 0 && sparse != count)) {
        return nullptr;
    }
    // Slots of one relationship become neighbours: keys ignore the order of their targets.
    std::sort(index->slots_.begin(), index->slots_.end(), [](const slot& a, const slot& b) {
        return a.relation != b.relation ? a.relation < b.relation : a.variable < b.variable;
    });
    index->of_tables_ = sparse == 0;
    index->targets_.resize(count);
    index->schema_ = data.schema;
    index->attach();
    index->fill();
    return index;
}

parameter_index::~parameter_index() {
    if (others_) {
        std::erase(others_->all, this);
    }
    if (dispatcher_ && !of_tables_) {
        each_relation([&](id_t any) {
            dispatcher_->remove(*this, OnAdd, any);
            dispatcher_->remove(*this, OnRemove, any);
        });
    }
    for (list& members : lists_) {
        members.items.release(mem_, purpose::index);
        members.nodes.release(mem_, purpose::index);
    }
    by_key_.release(mem_, purpose::index);
    by_item_.release(mem_, purpose::index);
    keys_.release(mem_, purpose::index);
    lists_.release(mem_, purpose::index);
    nodes_.release(mem_, purpose::index);
    free_nodes_.release(mem_, purpose::index);
}

template <class Visit>
void parameter_index::each_relation(Visit&& visit) const {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        if (i == 0 || slots_[i].relation != slots_[i - 1].relation) {
            visit(make_pair(slots_[i].relation, Wildcard));
        }
    }
}

// Subscribes to table events, or to the pairs of sparse relationships.
void parameter_index::attach() {
    others_->all.push_back(this);
    if (!of_tables_) {
        each_relation([&](id_t any) {
            dispatcher_->add(*this, OnAdd, any);
            dispatcher_->add(*this, OnRemove, any);
        });
    }
}

void parameter_index::on_event(events::listener& me, const events::event_data& event) {
    static_cast<parameter_index&>(me).change(event.entity, nullptr, event.id, event.event == OnAdd);
}

// Adds all items that have a pair of the first slot's relationship.
void parameter_index::fill() {
    KITH_ASSERT(slots_.size() >= 2, "the query has parameters");
    const std::uint32_t relation = slots_[0].relation;
    if (of_tables_) {
        std::vector<std::uint32_t> tables;
        const id_t any = make_pair(relation, Wildcard);
        const storage::id_record* record = data_.ids.find(any);
        for (std::uint32_t i = 0; record && i < record->active_pairs; ++i) {
            const storage::id_record& pair = *record->pairs[i];
            for (std::uint32_t position = 0; position < pair.active; ++position) {
                const storage::table_entry& entry = pair.tables[position];
                const storage::table& table = data_.tables.at(entry.table);
                // A table with several targets is taken for its first pair only.
                if (storage::find_id(table, any) == static_cast<std::int32_t>(entry.position)) {
                    tables.push_back(entry.table);
                }
            }
        }
        std::sort(tables.begin(), tables.end(), [&](std::uint32_t left, std::uint32_t right) {
            return data_.tables.age(left).activated < data_.tables.age(right).activated;
        });
        for (const std::uint32_t number : tables) {
            change(number, &data_.tables.at(number), 0, true);
        }
        return;
    }
    // The pairs of a source are neighbours, so comparing with the last source finds each source
    // once.
    entity_t last = 0;
    storage::each_pair(data_, relation, [&](entity_t source, std::uint32_t) {
        if (std::exchange(last, source) != source) {
            change(source, nullptr, 0, true);
        }
        return true;
    });
}

void parameter_index::change(std::uint64_t item, const storage::table* table, id_t pair,
                             bool added) noexcept {
    if (broken_) {
        return;
    }
#if defined(__cpp_exceptions)
    try {
#endif
        if (collect(item, table)) {
            each_key(pair, [&](const key& targets) {
                if (added) {
                    insert(item, targets);
                } else {
                    erase(item, targets);
                }
            });
        }
#if defined(__cpp_exceptions)
    } catch (...) {
        broken_ = true;
    }
#endif
}

// Collects the targets of the item for each slot in targets_. False if a slot has none, or the item
// has too many combinations.
bool parameter_index::collect(std::uint64_t item, const storage::table* table) {
    std::uint64_t combinations = 1;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        std::vector<std::uint32_t>& targets = targets_[i];
        targets.clear();
        auto add = [&](std::uint32_t target) {
            targets.push_back(target);
            return true;
        };
        if (table) {
            const id_t any = make_pair(slots_[i].relation, Wildcard);
            for (std::int32_t position = storage::find_match(*table, any, 0); position >= 0;
                 position = storage::next_match(*table, any, position)) {
                add(pair_second(table->ids[position]));
            }
        } else {
            storage::each_target(data_, item, slots_[i].relation, add);
        }
        combinations *= targets.size();
        if (combinations == 0) {
            return false;
        }
        broken_ |= combinations > most_keys;
        std::sort(targets.begin(), targets.end());
    }
    return !broken_;
}

// Counts through the combinations of targets_ like a number whose digit i selects a target of slot
// i.
template <class Visit>
void parameter_index::each_key(id_t pair, Visit&& visit) const {
    const std::size_t count = slots_.size();
    std::size_t digits[most_slots] = {};
    for (std::size_t turned = count; turned != 0;) {
        key targets;
        bool ascends = true;
        bool concerned = pair == 0;
        for (std::size_t i = 0; i < count; ++i) {
            targets[i] = targets_[i][digits[i]];
            const std::uint32_t relation = slots_[i].relation;
            ascends &= i == 0 || slots_[i - 1].relation != relation || targets[i - 1] < targets[i];
            concerned |= pair == make_pair(relation, targets[i]);
        }
        if (ascends && concerned) {
            visit(targets);
        }
        for (turned = count; turned != 0; --turned) {
            if (++digits[turned - 1] < targets_[turned - 1].size()) {
                break;
            }
            digits[turned - 1] = 0;
        }
    }
}

std::uint64_t parameter_index::hash_of(const std::uint32_t* targets) const noexcept {
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        hash = base::combine(hash, targets[i]);
    }
    return base::mix(hash);
}

// The number of the list of a key; 0: there is none.
std::uint32_t parameter_index::find_list(const std::uint32_t* targets) const noexcept {
    return by_key_.find(hash_of(targets), [&](std::uint32_t number) {
        return std::equal(targets, targets + slots_.size(),
                          keys_.data() + lists_[number - 1].key_at);
    });
}

// The number of the list of a key, made if there is none. If memory runs out, nothing has changed.
std::uint32_t parameter_index::ensure_list(const key& targets) {
    if (const std::uint32_t number = find_list(targets)) {
        return number;
    }
    const auto count = static_cast<std::uint32_t>(slots_.size());
    by_key_.reserve_one(mem_, purpose::index);
    keys_.reserve_extra(mem_, count, purpose::index);
    list made;
    made.key_at = keys_.size();
    lists_.push(mem_, made, purpose::index);
    for (std::uint32_t i = 0; i < count; ++i) {
        keys_.push_reserved(targets[i]);
    }
    by_key_.insert_reserved(hash_of(targets), lists_.size());
    return lists_.size();
}

// The number of the node of an item in list `number`; 0: the item is not in the list.
std::uint32_t parameter_index::find_node(std::uint64_t item, std::uint32_t number) const noexcept {
    return by_item_.find(base::mix(base::combine(number, item)), [&](std::uint32_t node_number) {
        return nodes_[node_number - 1].item == item && nodes_[node_number - 1].list == number;
    });
}

// Adds an item to the list of a key, once.
void parameter_index::insert(std::uint64_t item, const key& targets) {
    const std::uint32_t list_number = ensure_list(targets);
    if (find_node(item, list_number) != 0) {
        return;
    }
    list& to = lists_[list_number - 1];
    by_item_.reserve_one(mem_, purpose::index);
    to.items.reserve_extra(mem_, 1, purpose::index);
    to.nodes.reserve_extra(mem_, 1, purpose::index);
    if (free_nodes_.empty()) {
        // erase() puts nodes back without allocating: there is room for all of them.
        free_nodes_.reserve_extra(mem_, nodes_.size() + 1, purpose::index);
        nodes_.push(mem_, {}, purpose::index);
        free_nodes_.push_reserved(nodes_.size());
    }
    const std::uint32_t number = free_nodes_.back();
    free_nodes_.pop();
    if (to.last <= item) {
        to.last = item;
    } else if (!of_tables_ && !std::exchange(to.is_unsorted, true)) {
        unsorted_.fetch_add(1, std::memory_order_relaxed);
    }
    nodes_[number - 1] = {item, list_number, to.items.size()};
    to.items.push_reserved(item);
    to.nodes.push_reserved(number);
    by_item_.insert_reserved(base::mix(base::combine(list_number, item)), number);
}

// Removes an item from the list of a key, if it is there.
void parameter_index::erase(std::uint64_t item, const key& targets) noexcept {
    const std::uint32_t list_number = find_list(targets);
    const std::uint32_t number = list_number ? find_node(item, list_number) : 0;
    if (number == 0) {
        return;
    }
    list& from = lists_[list_number - 1];
    KITH_ASSERT(from.items[nodes_[number - 1].position] == item, "the node knows the position");
    by_item_.erase(base::mix(base::combine(list_number, item)), number);
    from.items[nodes_[number - 1].position] = 0;
    nodes_[number - 1].list = 0;
    free_nodes_.push_reserved(number);
    if (++from.gone * 2 > from.items.size()) {
        close_gaps(from);
    }
}

// Removes the holes of a list. Its items keep their order.
void parameter_index::close_gaps(list& members) noexcept {
    std::uint32_t end = 0;
    for (std::uint32_t i = 0; i < members.items.size(); ++i) {
        if (members.items[i] != 0) {
            members.items[end] = members.items[i];
            members.nodes[end] = members.nodes[i];
            nodes_[members.nodes[end] - 1].position = end;
            ++end;
        }
    }
    members.items.truncate(end);
    members.nodes.truncate(end);
    members.gone = 0;
}

// Sorts the items of a list; needs no memory.
void parameter_index::sort(list& members) noexcept {
    close_gaps(members);
    std::sort(members.nodes.begin(), members.nodes.end(),
              [&](std::uint32_t left, std::uint32_t right) {
                  return nodes_[left - 1].item < nodes_[right - 1].item;
              });
    for (std::uint32_t i = 0; i < members.items.size(); ++i) {
        node& sorted = nodes_[members.nodes[i] - 1];
        members.items[i] = sorted.item;
        sorted.position = i;
    }
    members.is_unsorted = false;
}

std::uint32_t parameter_index::find(const entity_t* variables) noexcept {
    const std::size_t count = slots_.size();
    key targets;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t target = index_of(variables[slots_[i].variable]);
        std::size_t position = i;
        // Targets of the same relationship ascend.
        while (position != 0 && slots_[position - 1].relation == slots_[i].relation &&
               targets[position - 1] > target) {
            targets[position] = targets[position - 1];
            --position;
        }
        targets[position] = target;
    }
    const std::uint32_t number = find_list(targets);
    if (number != 0 && unsorted_.load(std::memory_order_acquire) != 0) {
        detail::lock_guard<detail::mutex> guard(sorting_);
        if (list& members = lists_[number - 1]; members.is_unsorted) {
            sort(members);
            unsorted_.fetch_sub(1, std::memory_order_release);
        }
    }
    return number;
}

}  // namespace kith::queries
