#include "query/order/grouping.hpp"

#include "base/counters.hpp"
#include "base/raise.hpp"
#include "query/order/ordering_lock.hpp"

#include <algorithm>

namespace kith::queries {

std::uint64_t group_of(world_t* world, const storage::store& data, const grouping& grouping,
                       const storage::table& type) {
    if (grouping.func) {
        auto* shape = const_cast<storage::table*>(&type);
        return grouping.func(world,
                             reinterpret_cast<table_t*>(static_cast<detail::table_shape*>(shape)),
                             grouping.by, grouping.ctx);
    }
    std::int32_t position = data.entities.find(grouping.by)
                                ? storage::find_id(type, make_pair(grouping.by, Wildcard))
                                : -1;
    return position < 0 ? 0 : data.entities.alive_at(pair_second(type.ids[position]));
}

group_scan::group_scan(const storage::store& data, const grouping& grouping, std::uint64_t group,
                       std::uint32_t hidden_flags) noexcept
    : relation_(index_of(grouping.by)), target_(index_of(group)), hidden_(hidden_flags) {
    if (!data.entities.find(grouping.by) || !data.entities.find(group)) {
        return;
    }
    links_ = group_links(data, grouping);
    record_ = links_ ? nullptr : data.ids.find(make_pair(grouping.by, group));
    limit_ = links_ ? links_->sources(target_).size : record_ ? record_->active : 0;
}

bool group_scan::next(const storage::store& data, row_range& rows) noexcept {
    return links_ ? next_linked(data, rows) : record_ && next_table(data, rows);
}

// Where a source is, if this is its first target.
const storage::entity_record* group_scan::linked_at(const storage::store& data,
                                                    entity_t entity) const noexcept {
    if (entity == 0 || links_->find(index_of(entity))->target != target_) {
        return nullptr;
    }
    const storage::entity_record& record = data.entities.at(index_of(entity));
    return data.tables.at(record.table).flags & hidden_ ? nullptr : &record;
}

// Sources that were made one after the other are rows that follow each other.
bool group_scan::next_linked(const storage::store& data, row_range& rows) noexcept {
    const storage::source_span sources = links_->sources(target_);
    const std::uint32_t count = std::min(limit_, sources.size);
    const storage::entity_record* record = nullptr;
    while (at_ < count && !record) {
        record = linked_at(data, sources.items[at_++]);
    }
    if (!record) {
        return false;
    }
    rows = {record->table, record->row, 1};
    while (at_ < count) {
        record = linked_at(data, sources.items[at_]);
        if (!record || record->table != rows.table || record->row != rows.first + rows.count) {
            break;
        }
        ++rows.count;
        ++at_;
    }
    return true;
}

bool group_scan::next_table(const storage::store& data, row_range& rows) noexcept {
    while (at_ < std::min(limit_, record_->active)) {
        const storage::table_entry entry = record_->tables[at_++];
        const storage::table& type = data.tables.at(entry.table);
        const std::int32_t first = storage::find_id(type, make_pair(relation_, Wildcard));
        rows = {entry.table, 0, data.tables.rows(entry.table).count};
        if (rows.count != 0 && !(type.flags & hidden_) &&
            first == static_cast<std::int32_t>(entry.position)) {
            return true;
        }
    }
    return false;
}

kept_group& group_list::ensure(std::uint64_t id) {
    auto [at, made] = groups_.try_emplace(by_.rank(id));
    at->second.id = id;
    by_id_[id] = &at->second;
    return at->second;
}

void group_list::ask(world_t* world, const storage::store& data, std::uint32_t number) {
    if (number == storage::no_table) {
        return;
    }
    if (number >= tables_.size()) {
        tables_.resize(std::max<std::size_t>(number + 1, tables_.size() * 2));
    }
    if (!tables_[number].known) {
        // A function that ends its table makes the number unknown again.
        tables_[number].known = true;
        struct guard {
            group_list& list;
            std::uint32_t number;
            bool answered = false;
            ~guard() {
                if (!answered) {
                    list.tables_[number].known = false;
                }
            }
        } asked{*this, number};
        tables_[number].id = group_of(world, data, by_, data.tables.at(number));
        asked.answered = true;
    }
}

// By index: a function may make tables.
void group_list::ask_new(world_t* world, const storage::store& data, const match_cache& cache) {
    for (std::uint32_t i = records_; i < cache.count(); ++i) {
        ask(world, data, cache.record(i)[0]);
    }
    for (std::uint32_t i = inheritors_; i < cache.inheritor_count(); ++i) {
        ask(world, data, cache.inheritor_table(i));
    }
}

void group_list::collect(const match_cache& cache, std::vector<kept_group*>* changed) {
    auto add = [&](std::uint32_t number, std::uint32_t place) {
        if (number < tables_.size() && tables_[number].known) {
            kept_group& group = ensure(tables_[number].id);
            group.matches.push_back(place);
            if (changed) {
                changed->push_back(&group);
            }
        }
    };
    while (records_ < cache.count()) {
        add(cache.record(records_)[0], records_);
        ++records_;
    }
    while (inheritors_ < cache.inheritor_count()) {
        add(cache.inheritor_table(inheritors_), inheritors_ | kept_group::inheritor);
        ++inheritors_;
    }
}

void group_list::update(world_t* world, const storage::store& data, match_cache& cache) {
    ordering_lock lock(updating_, "a function that groups the results of a query");
    const std::uint32_t now = cache.edition();
    if (seen_.load() == now) {
        return;  // somebody else was faster
    }
    cache.on_forget(
        [](void* list, std::uint32_t number) noexcept {
            static_cast<group_list*>(list)->forget(number);
        },
        this);
    // After an update that failed, all groups are listed anew.
    bool grown = refreshed_ && layout_ == cache.layout();
    refreshed_ = false;
    if (!grown) {
        records_ = inheritors_ = 0;
    }
    ask_new(world, data, cache);
    // The group functions may have deleted tables.
    grown = grown && layout_ == cache.layout();
    std::vector<kept_group*> changed;
    if (grown) {
        collect(cache, &changed);
        add_changed(world, changed);
    } else {
        layout_ = 0;  // until all is listed
        records_ = inheritors_ = 0;
        for (auto& [rank, one] : groups_) {
            one.matches.clear();
        }
        collect(cache, nullptr);
        layout_ = cache.layout();
        for (auto& [rank, one] : groups_) {
            one.present = !one.matches.empty();
        }
        notify(world);
        make_index();
    }
    // What the functions changed is for the next run.
    seen_.store(now);
    refreshed_ = true;
}

// The groups that got matches while none lost any: as many steps as there are such groups.
void group_list::add_changed(world_t* world, std::vector<kept_group*>& changed) {
    std::sort(changed.begin(), changed.end(), [&](const kept_group* a, const kept_group* b) {
        return by_.rank(a->id) < by_.rank(b->id);
    });
    changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
    for (kept_group* group : changed) {
        KITH_COUNT(visits);
        group->present = true;
        announce(world, *group);
    }
    if (groups_.size() * 2 > slots_.size()) {
        make_index();
        return;
    }
    for (const kept_group* group : changed) {
        put_index(*group);
    }
}

void group_list::replace(world_t* world, const std::vector<std::uint64_t>& present) {
    ordering_lock lock(updating_, "a function about the groups of a query");
    for (auto& [rank, one] : groups_) {
        one.present = false;
    }
    for (std::uint64_t id : present) {
        ensure(id).present = true;
    }
    notify(world);
}

void* group_list::context_of(std::uint64_t id) {
    ordering_lock lock(updating_, "a function about the groups of a query");
    const kept_group* group = find(id);
    return group ? group->ctx : nullptr;
}

void group_list::make_index() {
    std::size_t size = 4;
    while (size < groups_.size() * 4) {
        size *= 2;
    }
    slots_.assign(size, {});
    index_ = {slots_.data(), static_cast<std::uint32_t>(size - 1)};
    for (const auto& [rank, one] : groups_) {
        KITH_COUNT(visits);
        if (!one.matches.empty()) {
            put_index(one);
        }
    }
}

// There must be room.
void group_list::put_index(const kept_group& group) noexcept {
    const detail::group_slot& place = index_.find(group.id);
    slots_[static_cast<std::size_t>(&place - slots_.data())] = {
        group.id, group.matches[0], static_cast<std::uint32_t>(group.matches.size())};
}

void group_list::announce(world_t* world, kept_group& group) {
    if (!group.created_notified && !ended_) {
        group.ctx = by_.on_create ? by_.on_create(world, group.id, by_.ctx) : nullptr;
        group.created_notified = true;
    }
}

// Callbacks are called for new groups in their order, then for deleted ones.
void group_list::notify(world_t* world) {
    for (auto& [rank, one] : groups_) {
        KITH_COUNT(visits);
        if (one.present) {
            announce(world, one);
        }
    }
    for (auto at = groups_.begin(); at != groups_.end();) {
        if (at->second.present) {
            ++at;
            continue;
        }
        const kept_group gone = at->second;
        by_id_.erase(gone.id);
        at = groups_.erase(at);
        ++edition_;
        if (gone.created_notified && by_.on_delete) {
            by_.on_delete(world, gone.id, gone.ctx, by_.ctx);
        }
    }
}

// Nobody is there who could be told of an error.
void group_list::end(world_t* world) noexcept {
    ended_ = true;
    for (auto& [rank, one] : groups_) {
        if (!one.created_notified || !by_.on_delete) {
            continue;
        }
#if defined(__cpp_exceptions)
        try {
            by_.on_delete(world, one.id, one.ctx, by_.ctx);
        } catch (...) {
            continue;
        }
#else
        by_.on_delete(world, one.id, one.ctx, by_.ctx);
#endif
    }
    by_id_.clear();
    groups_.clear();
}

void group_list::forget(std::uint32_t number) noexcept {
    if (number < tables_.size()) {
        tables_[number] = {};
    }
}

group_cursor::group_cursor(const group_list& list, const match_cache& cache,
                           const std::uint64_t* group)
    : list_(list),
      one_(group != nullptr),
      id_(group ? *group : 0),
      record_limit_(cache.count()),
      inheritor_limit_(cache.inheritor_count()) {
    restart();
}

void group_cursor::go_to(const kept_group* group) noexcept {
    at_ = group;
    id_ = group ? group->id : id_;
    position_ = 0;
}

void group_cursor::restart() {
    edition_ = list_.edition();
    go_to(one_ ? list_.find(id_) : list_.first());
}

bool group_cursor::next(std::uint32_t& place, std::uint64_t& group) {
    if (edition_ != list_.edition()) {
        edition_ = list_.edition();
        const kept_group* same = list_.find(id_);
        if (same) {
            at_ = same;
        } else {
            go_to(one_ ? nullptr : list_.after(id_));
        }
    }
    while (at_) {
        while (position_ < at_->matches.size()) {
            KITH_COUNT(steps);
            place = at_->matches[position_++];
            const bool inheritor = (place & kept_group::inheritor) != 0;
            if (inheritor ? (place & ~kept_group::inheritor) < inheritor_limit_
                          : place < record_limit_) {
                group = id_;
                return true;
            }
        }
        go_to(one_ ? nullptr : list_.after(id_));
    }
    return false;
}

}  // namespace kith::queries
