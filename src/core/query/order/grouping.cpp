// Groups of results, declared in grouping.hpp.
#include "query/order/grouping.hpp"

#include "base/assert.hpp"
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

// The place of a source whose first target is the group, if its table is visible; else null. 0 is
// the hole of a removed source.
const storage::entity_record* group_scan::linked_at(const storage::store& data,
                                                    entity_t entity) const noexcept {
    if (entity == 0 || links_->find(index_of(entity))->target != target_) {
        return nullptr;
    }
    const storage::entity_record& record = data.entities.at(index_of(entity));
    return data.tables.at(record.table).flags & hidden_ ? nullptr : &record;
}

// Neighbouring rows become one range: entities that were made together often have the same target.
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

// A table with several targets belongs to the group of its first one.
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

// The group, made if there is none yet.
kept_group& group_list::ensure(std::uint64_t id) {
    auto [entry, inserted] = groups_.try_emplace(by_.rank(id));
    entry->second.id = id;
    by_id_[id] = &entry->second;
    return entry->second;
}

// Asks for the group of a table, unless it is known. An empty record has no table.
void group_list::ask(world_t* world, const storage::store& data, std::uint32_t number) {
    if (number == storage::no_table) {
        return;
    }
    if (number >= tables_.size()) {
        tables_.resize(std::max<std::size_t>(number + 1, tables_.size() * 2));
    }
    if (!tables_[number].known) {
        // Set before the call: if the function deletes the table, forget() resets it.
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
        } question{*this, number};
        tables_[number].id = group_of(world, data, by_, data.tables.at(number));
        question.answered = true;
    }
}

// Asks for the groups of all tables that are not listed. Positions stay valid while a group
// function makes tables.
void group_list::ask_new(world_t* world, const storage::store& data, const match_cache& cache) {
    for (std::uint32_t i = records_; i < cache.count(); ++i) {
        ask(world, data, cache.record(i)[0]);
    }
    for (std::uint32_t i = inheritors_; i < cache.inheritor_count(); ++i) {
        ask(world, data, cache.inheritor_table(i));
    }
}

void group_list::collect(const match_cache& cache, std::vector<kept_group*>* grown) {
    auto add = [&](std::uint32_t number, std::uint32_t place) {
        if (number < tables_.size() && tables_[number].known) {
            kept_group& group = ensure(tables_[number].id);
            group.matches.push_back(place);
            if (grown) {
                grown->push_back(&group);
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
        return;  // another thread has done it
    }
    cache.on_forget(
        [](void* list, std::uint32_t number) noexcept {
            static_cast<group_list*>(list)->forget(number);
        },
        this);
    // If the cache has only grown, only new matches are added. After an update that failed, all
    // matches are listed anew.
    bool only_grown = refreshed_ && layout_ == cache.layout();
    refreshed_ = false;
    if (!only_grown) {
        records_ = inheritors_ = 0;
    }
    ask_new(world, data, cache);
    // The group functions may have deleted tables.
    only_grown = only_grown && layout_ == cache.layout();
    std::vector<kept_group*> grown;
    if (only_grown) {
        collect(cache, &grown);
        add_grown(world, grown);
    } else {
        layout_ = 0;  // no layout: in case memory runs out before the end
        records_ = inheritors_ = 0;
        for (auto& [rank, group] : groups_) {
            group.matches.clear();
        }
        collect(cache, nullptr);
        layout_ = cache.layout();
        for (auto& [rank, group] : groups_) {
            group.present = !group.matches.empty();
        }
        notify(world);
        make_index();
    }
    // Changes that the functions made since `now` are left to the next update.
    seen_.store(now);
    refreshed_ = true;
}

// Announces and indexes the groups that got matches while no group lost any. The cost depends on
// the number of these groups only, unless the index has to grow.
void group_list::add_grown(world_t* world, std::vector<kept_group*>& grown) {
    std::sort(grown.begin(), grown.end(), [&](const kept_group* a, const kept_group* b) {
        return by_.rank(a->id) < by_.rank(b->id);
    });
    grown.erase(std::unique(grown.begin(), grown.end()), grown.end());
    for (kept_group* group : grown) {
        KITH_COUNT(visits);
        group->present = true;
        announce(world, *group);
    }
    if (groups_.size() * 2 > slots_.size()) {
        make_index();
        return;
    }
    for (const kept_group* group : grown) {
        put_index(*group);
    }
}

void group_list::replace(world_t* world, const std::vector<std::uint64_t>& present) {
    ordering_lock lock(updating_, "a function about the groups of a query");
    for (auto& [rank, group] : groups_) {
        group.present = false;
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

// Builds the index, with four slots for each group.
void group_list::make_index() {
    std::size_t size = 4;
    while (size < groups_.size() * 4) {
        size *= 2;
    }
    slots_.assign(size, {});
    index_ = {slots_.data(), static_cast<std::uint32_t>(size - 1)};
    for (const auto& [rank, group] : groups_) {
        KITH_COUNT(visits);
        if (!group.matches.empty()) {
            put_index(group);
        }
    }
}

// Writes the slot of a group. Requires: the group has matches, and the index a slot for it.
void group_list::put_index(const kept_group& group) noexcept {
    KITH_ASSERT(!group.matches.empty() && groups_.size() < slots_.size(),
                "the index has a slot for the group");
    const detail::group_slot& place = index_.find(group.id);
    slots_[static_cast<std::size_t>(&place - slots_.data())] = {
        group.id, group.matches[0], static_cast<std::uint32_t>(group.matches.size())};
}

// Calls on_group_create for a group once.
void group_list::announce(world_t* world, kept_group& group) {
    if (!group.created_notified && !ended_) {
        group.ctx = by_.on_create ? by_.on_create(world, group.id, by_.ctx) : nullptr;
        group.created_notified = true;
    }
}

// Calls on_group_create for new groups in their order, then removes the groups that are not present
// and calls on_group_delete for them.
void group_list::notify(world_t* world) {
    for (auto& [rank, group] : groups_) {
        KITH_COUNT(visits);
        if (group.present) {
            announce(world, group);
        }
    }
    for (auto entry = groups_.begin(); entry != groups_.end();) {
        if (entry->second.present) {
            ++entry;
            continue;
        }
        const kept_group removed = entry->second;
        by_id_.erase(removed.id);
        entry = groups_.erase(entry);
        ++edition_;
        if (removed.created_notified && by_.on_delete) {
            by_.on_delete(world, removed.id, removed.ctx, by_.ctx);
        }
    }
}

// Exceptions of on_group_delete are dropped: no caller is left to receive them.
void group_list::end(world_t* world) noexcept {
    ended_ = true;
    for (auto& [rank, group] : groups_) {
        if (!group.created_notified || !by_.on_delete) {
            continue;
        }
#if defined(__cpp_exceptions)
        try {
            by_.on_delete(world, group.id, group.ctx, by_.ctx);
        } catch (...) {
            continue;
        }
#else
        by_.on_delete(world, group.id, group.ctx, by_.ctx);
#endif
    }
    by_id_.clear();
    groups_.clear();
}

// Called when a table of the cache is deleted: its number may be used again.
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

// Moves to the start of a group; null: to the end.
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
    // A group was removed: the pointer may dangle, so the group is found again by its id.
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
