// The registry of listeners: adding and removing them, and finding the lists for an event.
#include "events/registry.hpp"

#include "base/counters.hpp"
#include "base/hash.hpp"
#include "storage/table_layout.hpp"
#include "traits/traits.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace kith::events {

using containers::purpose;

namespace {

// The bit of an id's event mask that listeners of an event set; 0 for events without a bit.
std::uint32_t event_bit(entity_t event) noexcept {
    switch (event) {
        case OnAdd:
        case after_add:
        case OnTableCreate:  // operations that create tables then notify when they are complete
            return storage::event_add;
        case OnSet:
            return storage::event_set;
        case OnRemove:
        case UnSet:
        case OnDelete:
            return storage::event_remove;
        case before_add:
            return storage::event_before;
        case after_remove:
        case before_cascade_remove:
            return storage::event_after;
        case before_toggle:
            return storage::event_toggle;
        default:
            return 0;
    }
}

// True for the builtin events, which totals_ counts.
bool is_counted(entity_t event) noexcept {
    return event >= OnDelete && event <= OnTableDelete;
}

std::uint64_t hash_of(entity_t event, id_t pattern) noexcept {
    return base::mix(base::mix(event) ^ pattern);
}

}  // namespace

registry::~registry() {
    for (list* bucket : lists_) {
        bucket->entries.release(data_.mem, purpose::index);
        data_.mem.release(bucket, sizeof(list), purpose::index);
    }
    lists_.release(data_.mem, purpose::index);
    by_key_.release(data_.mem, purpose::index);
    routes_.release(data_.mem, purpose::index);
}

std::uint32_t registry::find(entity_t event, id_t pattern) const noexcept {
    return by_key_.find(hash_of(event, pattern), [&](std::uint32_t number) {
        return lists_[number - 1]->event == event && lists_[number - 1]->pattern == pattern;
    });
}

registry::list& registry::ensure(entity_t event, id_t pattern) {
    if (std::uint32_t number = find(event, pattern)) {
        return *lists_[number - 1];
    }
    if (routes_.empty()) {
        routes_.reserve_extra(data_.mem, 1u << route_bits, purpose::index);
        for (std::uint32_t i = 0; i < 1u << route_bits; ++i) {
            routes_.push_reserved({});
        }
    }
    by_key_.reserve_one(data_.mem, purpose::index);
    lists_.reserve_extra(data_.mem, 1, purpose::index);
    list& created_list =
        *::new (data_.mem.allocate(sizeof(list), purpose::index)) list{event, pattern, {}};
    lists_.push_reserved(&created_list);
    by_key_.insert_reserved(hash_of(event, pattern), lists_.size());
    forget_routes();
    return created_list;
}

// Releases a list. The last list takes its number, so the entry of that list in by_key_ changes
// too.
void registry::erase(std::uint32_t number) noexcept {
    KITH_ASSERT(number != 0 && number <= lists_.size(), "a list that is released exists");
    list* ended = lists_[number - 1];
    by_key_.erase(hash_of(ended->event, ended->pattern), number);
    if (number != lists_.size()) {
        const list& last = *lists_.back();
        by_key_.erase(hash_of(last.event, last.pattern), lists_.size());
        by_key_.insert_reserved(hash_of(last.event, last.pattern), number);
    }
    lists_.swap_remove(number - 1);
    ended->entries.release(data_.mem, purpose::index);
    data_.mem.release(ended, sizeof(list), purpose::index);
    forget_routes();
}

std::uint64_t registry::add(listener& added, entity_t event, id_t pattern) {
    list& to = ensure(event, pattern);
    to.entries.reserve_extra(data_.mem, 1, purpose::index);
    // The last step that can fail.
    const std::uint32_t bit = event_bit(event);
    bool mask_changed = bit != 0 && data_.subscription_counts.add(pattern, bit);
    const std::uint64_t number = next_number_++;
    to.entries.push_reserved({&added, number});
    if (is_counted(event)) {
        ++totals_[event - OnDelete];
    }
    if (mask_changed) {
        update_event_mask(data_, pattern);
    }
    return number;
}

bool registry::names(std::uint32_t element) const noexcept {
    return std::any_of(lists_.begin(), lists_.end(), [&](const list* bucket) {
        if (!bucket || bucket->entries.size() == bucket->gone) {
            return false;
        }
        const id_t id = bucket->pattern;
        return index_of(id) == element || (is_pair(id) && pair_first(id) == element);
    });
}

registry::entry* registry::find_entry(list& in, const listener& owner,
                                      std::uint64_t number) noexcept {
    entry* const end = in.entries.end();
    entry* const slot = number != 0
                            ? std::lower_bound(in.entries.begin(), end, number,
                                               [](const entry& entry, std::uint64_t key) {
                                                   KITH_COUNT(entries);
                                                   return entry.number < key;
                                               })
                            : std::find_if(in.entries.begin(), end,
                                           [&](const entry& entry) { return entry.who == &owner; });
    return slot != end && slot->who == &owner ? slot : nullptr;
}

void registry::remove(const listener& removed, entity_t event, id_t pattern,
                      std::uint64_t number) noexcept {
    const std::uint32_t place = find(event, pattern);
    if (place == 0) {
        return;
    }
    list& from = *lists_[place - 1];
    entry* slot = find_entry(from, removed, number);
    if (!slot) {
        return;
    }
    // The entry stays as a gap: a caller may be at a position of this list.
    slot->who = nullptr;
    // The cost of closing gaps is spread over the removals that made them.
    if (2 * ++from.gone >= from.entries.size() && !from.has_gaps) {
        from.has_gaps = true;
        from.next_gaps = std::exchange(gaps_, &from);
        untidy_ = true;
    }
    if (untidy_ && !is_calling()) {
        tidy();
    }
    if (is_counted(event)) {
        --totals_[event - OnDelete];
    }
    const std::uint32_t bit = event_bit(event);
    if (bit != 0 && data_.subscription_counts.remove(pattern, bit)) {
        update_event_mask(data_, pattern);
    }
}

void registry::close_gaps() noexcept {
    while (list* bucket = gaps_) {
        gaps_ = bucket->next_gaps;
        entry* end =
            std::remove_if(bucket->entries.begin(), bucket->entries.end(), [](const entry& slot) {
                KITH_COUNT(entries);
                return !slot.who;
            });
        bucket->entries.truncate(static_cast<std::uint32_t>(end - bucket->entries.begin()));
        bucket->gone = 0;
        bucket->has_gaps = false;
        if (bucket->entries.empty()) {
            erase(find(bucket->event, bucket->pattern));
        }
    }
}

void registry::release(ended& ended) noexcept {
    ended.next = std::exchange(ended_, &ended);
    untidy_ = true;
    if (!is_calling()) {
        tidy();
    }
}

// Releasing an object may dispatch events, which may end further objects: those are released by the
// same loop, or by a tidy() inside of it.
void registry::tidy() noexcept {
    KITH_ASSERT(!is_calling(), "lists do not shrink while their listeners are called");
    untidy_ = false;
    close_gaps();
    while (ended* ended = ended_) {
        ended_ = ended->next;
        ended->release(*ended);
    }
}

void registry::forget_routes() noexcept {
    for (route& cached : routes_) {
        cached.event = 0;
    }
}

// A pair is matched by four patterns, (R,T), (R,*), (*,T) and (*,*); another id by itself and *.
void registry::fill(route& cached, entity_t event, id_t id) const noexcept {
    cached.event = event;
    cached.id = id;
    cached.count = 0;
    auto take = [&](id_t pattern) {
        if (std::uint32_t number = find(event, pattern)) {
            KITH_ASSERT(cached.count < route::most, "at most four patterns match an id");
            cached.lists[cached.count++] = lists_[number - 1];
        }
    };
    take(id);
    if (id == 0) {
        return;
    }
    if (!is_pair(id)) {
        take(Wildcard);
        return;
    }
    take(make_pair(pair_first(id), Wildcard));
    take(make_pair(Wildcard, pair_second(id)));
    take(make_pair(Wildcard, Wildcard));
}

void update_event_mask(storage::store& data, id_t pattern) noexcept {
    auto refresh = [&](storage::id_record& record) {
        const std::uint32_t before = record.event_mask;
        traits::describe_event_mask(data, record);
        for (std::uint32_t i = 0; record.event_mask != before && i < record.tables.size(); ++i) {
            storage::refresh_flags(data.tables.at(record.tables[i].table));
        }
    };
    const bool of_relation = is_pair(pattern) && !is_wildcard_element(pair_first(pattern));
    // Links have no records: the record (R,*) has the event mask of all of them.
    storage::id_record* any =
        of_relation ? data.ids.find(make_pair(pair_first(pattern), Wildcard)) : nullptr;
    if (any) {
        refresh(*any);
    }
    if (!is_wildcard(pattern)) {
        if (storage::id_record* record = data.ids.find(pattern)) {
            refresh(*record);
        }
    } else if (of_relation) {
        for (std::uint32_t i = 0; any && i < any->pairs.size(); ++i) {
            refresh(*any->pairs[i]);
        }
    } else {
        for (std::uint32_t number = 0; number < data.ids.number_limit(); ++number) {
            if (storage::id_record* record = data.ids.by_number(number)) {
                refresh(*record);
            }
        }
    }
    // Edges contain flags that follow from event masks.
    data.tables.drop_edges();
}

}  // namespace kith::events
