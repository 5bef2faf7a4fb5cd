#include "query/parameter_index.hpp"

#include "base/hash.hpp"
#include "storage/graph.hpp"

#include <algorithm>
#include <utility>

namespace kith::queries {

using containers::purpose;

namespace {

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

void parameter_indexes::table_gone(const storage::table& gone) noexcept {
    for (parameter_index* index : all) {
        if (index->of_tables_) {
            index->change(gone.number, &gone, 0, false);
        }
    }
}

std::unique_ptr<parameter_index> parameter_index::make(storage::store& data,
                                                       events::registry& dispatcher,
                                                       parameter_indexes& others,
                                                       const query_model& model) {
    std::unique_ptr<parameter_index> made(new parameter_index(data, dispatcher, others));
    std::uint32_t sparse = 0;
    for (std::uint32_t i = 0; i < model.count; ++i) {
        const term& term = model.terms[i];
        if (is_slot(term)) {
            made->slots_.push_back({pair_first(term.id), term.second_variable});
            made->terms_ |= std::uint64_t{1} << i;
            sparse += storage::find_links(data, pair_first(term.id)) != nullptr;
        }
    }
    const std::size_t count = made->slots_.size();
    if (count < 2 || count > most_slots || (sparse != 0 && sparse != count)) {
        return nullptr;
    }
    std::sort(made->slots_.begin(), made->slots_.end(), [](const slot& a, const slot& b) {
        return a.relation != b.relation ? a.relation < b.relation : a.variable < b.variable;
    });
    made->of_tables_ = sparse == 0;
    made->targets_.resize(count);
    made->schema_ = data.schema;
    made->attach();
    made->fill();
    return made;
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
    for (list& one : lists_) {
        one.items.release(mem_, purpose::index);
        one.nodes.release(mem_, purpose::index);
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

void parameter_index::fill() {
    const std::uint32_t relation = slots_[0].relation;
    if (of_tables_) {
        const id_t any = make_pair(relation, Wildcard);
        const storage::id_record* record = data_.ids.find(any);
        for (std::uint32_t i = 0; record && i < record->active_pairs; ++i) {
            const storage::id_record& pair = *record->pairs[i];
            for (std::uint32_t position = 0; position < pair.active; ++position) {
                const storage::table_entry& entry = pair.tables[position];
                const storage::table& type = data_.tables.at(entry.table);
                if (storage::find_id(type, any) == static_cast<std::int32_t>(entry.position)) {
                    change(entry.table, &type, 0, true);
                }
            }
        }
        return;
    }
    entity_t last = 0;  // the pairs of a source are neighbours
    storage::each_pair(data_, relation, [&](entity_t source, std::uint32_t) {
        if (std::exchange(last, source) != source) {
            change(source, nullptr, 0, true);
        }
        return true;
    });
}

// `changed` 0: all that the item has; else the combinations with this pair.
void parameter_index::change(std::uint64_t item, const storage::table* type, id_t changed,
                             bool added) noexcept {
    if (broken_) {
        return;
    }
#if defined(__cpp_exceptions)
    try {
#endif
        if (collect(item, type)) {
            each_key(changed, [&](const key& targets) {
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

// What the item has in each slot. False if it has nothing in one of them.
bool parameter_index::collect(std::uint64_t item, const storage::table* type) {
    std::uint64_t combinations = 1;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        std::vector<std::uint32_t>& found = targets_[i];
        found.clear();
        auto add = [&](std::uint32_t target) {
            found.push_back(target);
            return true;
        };
        if (type) {
            const id_t any = make_pair(slots_[i].relation, Wildcard);
            for (std::int32_t position = storage::find_match(*type, any, 0); position >= 0;
                 position = storage::next_match(*type, any, position)) {
                add(pair_second(type->ids[position]));
            }
        } else {
            storage::each_target(data_, item, slots_[i].relation, add);
        }
        combinations *= found.size();
        if (combinations == 0) {
            return false;
        }
        broken_ |= combinations > most_keys;
        std::sort(found.begin(), found.end());
    }
    return !broken_;
}

template <class Visit>
void parameter_index::each_key(id_t changed, Visit&& visit) const {
    const std::size_t count = slots_.size();
    std::size_t at[most_slots] = {};
    for (std::size_t turned = count; turned != 0;) {
        key targets;
        bool ascends = true;
        bool concerned = changed == 0;
        for (std::size_t i = 0; i < count; ++i) {
            targets[i] = targets_[i][at[i]];
            const std::uint32_t relation = slots_[i].relation;
            ascends &= i == 0 || slots_[i - 1].relation != relation || targets[i - 1] < targets[i];
            concerned |= changed == make_pair(relation, targets[i]);
        }
        if (ascends && concerned) {
            visit(targets);
        }
        for (turned = count; turned != 0; --turned) {
            if (++at[turned - 1] < targets_[turned - 1].size()) {
                break;
            }
            at[turned - 1] = 0;
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

std::uint32_t parameter_index::find_list(const std::uint32_t* targets) const noexcept {
    return by_key_.find(hash_of(targets), [&](std::uint32_t number) {
        return std::equal(targets, targets + slots_.size(),
                          keys_.data() + lists_[number - 1].key_at);
    });
}

std::uint32_t parameter_index::ensure_list(const key& targets) {
    if (const std::uint32_t known = find_list(targets)) {
        return known;
    }
    const auto count = static_cast<std::uint32_t>(slots_.size());
    by_key_.reserve_one(mem_, purpose::index);
    keys_.reserve_extra(mem_, count, purpose::index);
    lists_.push(mem_, {keys_.size(), 0, {}, {}}, purpose::index);
    for (std::uint32_t i = 0; i < count; ++i) {
        keys_.push_reserved(targets[i]);
    }
    by_key_.insert_reserved(hash_of(targets), lists_.size());
    return lists_.size();
}

std::uint32_t parameter_index::find_node(std::uint64_t item, std::uint32_t owner) const noexcept {
    return by_item_.find(base::mix(base::combine(owner, item)), [&](std::uint32_t number) {
        return nodes_[number - 1].item == item && nodes_[number - 1].list == owner;
    });
}

void parameter_index::insert(std::uint64_t item, const key& targets) {
    const std::uint32_t owner = ensure_list(targets);
    if (find_node(item, owner) != 0) {
        return;
    }
    list& to = lists_[owner - 1];
    by_item_.reserve_one(mem_, purpose::index);
    to.items.reserve_extra(mem_, 1, purpose::index);
    to.nodes.reserve_extra(mem_, 1, purpose::index);
    if (free_nodes_.empty()) {
        // Whatever is taken away again must find room.
        free_nodes_.reserve_extra(mem_, nodes_.size() + 1, purpose::index);
        nodes_.push(mem_, {}, purpose::index);
        free_nodes_.push_reserved(nodes_.size());
    }
    const std::uint32_t number = free_nodes_.back();
    free_nodes_.pop();
    nodes_[number - 1] = {item, owner, to.items.size()};
    to.items.push_reserved(item);
    to.nodes.push_reserved(number);
    by_item_.insert_reserved(base::mix(base::combine(owner, item)), number);
}

void parameter_index::erase(std::uint64_t item, const key& targets) noexcept {
    const std::uint32_t owner = find_list(targets);
    const std::uint32_t number = owner ? find_node(item, owner) : 0;
    if (number == 0) {
        return;
    }
    list& from = lists_[owner - 1];
    by_item_.erase(base::mix(base::combine(owner, item)), number);
    from.items[nodes_[number - 1].position] = 0;
    nodes_[number - 1].list = 0;
    free_nodes_.push_reserved(number);
    if (++from.gone * 2 > from.items.size()) {
        close_gaps(from);
    }
}

// The order stays.
void parameter_index::close_gaps(list& owner) noexcept {
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < owner.items.size(); ++i) {
        if (owner.items[i] != 0) {
            owner.items[kept] = owner.items[i];
            owner.nodes[kept] = owner.nodes[i];
            nodes_[owner.nodes[kept] - 1].position = kept;
            ++kept;
        }
    }
    owner.items.truncate(kept);
    owner.nodes.truncate(kept);
    owner.gone = 0;
}

std::uint32_t parameter_index::find(const entity_t* variables) const noexcept {
    const std::size_t count = slots_.size();
    key targets;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t target = index_of(variables[slots_[i].variable]);
        std::size_t position = i;
        // Sorted among those of the same relationship.
        while (position != 0 && slots_[position - 1].relation == slots_[i].relation &&
               targets[position - 1] > target) {
            targets[position] = targets[position - 1];
            --position;
        }
        targets[position] = target;
    }
    return find_list(targets);
}

}  // namespace kith::queries
