#include "events/registry.hpp"

#include "base/hash.hpp"
#include "storage/table_layout.hpp"
#include "traits/traits.hpp"

#include <algorithm>
#include <exception>
#include <new>

namespace kith::events {

using containers::purpose;

namespace {

std::uint32_t heard_bit(entity_t event) noexcept {
    switch (event) {
        case OnAdd:
            return storage::heard_add;
        case OnSet:
            return storage::heard_set;
        case OnRemove:
        case UnSet:
            return storage::heard_remove;
        case before_add:
            return storage::heard_before;
        case after_remove:
            return storage::heard_after;
        case before_toggle:
            return storage::heard_toggle;
        default:
            return 0;
    }
}

std::uint64_t hash_of(entity_t event, id_t pattern) noexcept {
    return base::mix(base::mix(event) ^ pattern);
}

}  // namespace

registry::~registry() {
    for (list* one : lists_) {
        one->entries.release(data_.mem, purpose::index);
        data_.mem.release(one, sizeof(list), purpose::index);
    }
    lists_.release(data_.mem, purpose::index);
    by_key_.release(data_.mem, purpose::index);
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
    by_key_.reserve_one(data_.mem, purpose::index);
    lists_.reserve_extra(data_.mem, 1, purpose::index);
    list& made =
        *::new (data_.mem.allocate(sizeof(list), purpose::index)) list{event, pattern, {}, 0};
    lists_.push_reserved(&made);
    by_key_.insert_reserved(hash_of(event, pattern), lists_.size());
    return made;
}

void registry::add(listener& added, entity_t event, id_t pattern) {
    list& to = ensure(event, pattern);
    to.entries.reserve_extra(data_.mem, 1, purpose::index);
    const std::uint32_t bit = heard_bit(event);
    bool news = bit != 0 && data_.listening.add(pattern, bit);
    to.entries.push_reserved({&added, next_number_++});
    if (news) {
        refresh_heard(data_, pattern);
    }
}

void registry::remove(const listener& removed, entity_t event, id_t pattern) noexcept {
    const std::uint32_t number = find(event, pattern);
    if (number == 0) {
        return;
    }
    list& from = *lists_[number - 1];
    entry* found = std::find_if(from.entries.begin(), from.entries.end(),
                                [&](const entry& one) { return one.who == &removed; });
    if (found == from.entries.end()) {
        return;
    }
    found->who = nullptr;
    ++from.gone;
    has_gaps_ = true;
    if (calling_ == 0) {
        close_gaps();
    }
    const std::uint32_t bit = heard_bit(event);
    if (bit != 0 && data_.listening.remove(pattern, bit)) {
        refresh_heard(data_, pattern);
    }
}

void registry::close_gaps() noexcept {
    has_gaps_ = false;
    for (list* one : lists_) {
        if (one->gone != 0) {
            entry* end = std::remove_if(one->entries.begin(), one->entries.end(),
                                        [](const entry& left) { return !left.who; });
            one->entries.truncate(static_cast<std::uint32_t>(end - one->entries.begin()));
            one->gone = 0;
        }
    }
}

struct registry::merge {
    static constexpr std::uint32_t most = 4;
    list* lists[most];
    std::uint32_t at[most] = {};
    std::uint32_t count = 0;

    void take(const registry& all, entity_t event, id_t pattern) noexcept {
        if (std::uint32_t number = all.find(event, pattern)) {
            lists[count++] = all.lists_[number - 1];
        }
    }
    merge(const registry& all, entity_t event, id_t id) noexcept {
        take(all, event, id);
        if (id == 0) {
            return;
        }
        if (!is_pair(id)) {
            take(all, event, Wildcard);
            return;
        }
        take(all, event, make_pair(pair_first(id), Wildcard));
        take(all, event, make_pair(Wildcard, pair_second(id)));
        take(all, event, make_pair(Wildcard, Wildcard));
    }
    // The next in the order in which they came, if it came before `limit`.
    listener* next(std::uint64_t limit) noexcept {
        for (;;) {
            std::uint32_t best = count;
            std::uint64_t first = limit;
            for (std::uint32_t i = 0; i < count; ++i) {
                if (at[i] < lists[i]->entries.size() && lists[i]->entries[at[i]].number < first) {
                    best = i;
                    first = lists[i]->entries[at[i]].number;
                }
            }
            if (best == count) {
                return nullptr;
            }
            if (listener* found = lists[best]->entries[at[best]++].who) {
                return found;
            }
        }
    }
};

bool registry::hears(entity_t event, id_t id) const noexcept {
    return merge(*this, event, id).next(next_number_) != nullptr;
}

void registry::tell(const occurrence& what) {
    merge listeners(*this, what.event, what.id);
    if (listeners.count == 0) {
        return;
    }
    struct call_guard {
        registry& all;
        explicit call_guard(registry& owner) noexcept : all(owner) { ++all.calling_; }
        ~call_guard() {
            if (--all.calling_ == 0 && all.has_gaps_) {
                all.close_gaps();
            }
        }
    } guard(*this);
    const std::uint64_t limit = next_number_;
#if defined(__cpp_exceptions)
    std::exception_ptr failed;
    while (listener* next = listeners.next(limit)) {
        try {
            next->hear(*next, what);
        } catch (...) {
            failed = failed ? failed : std::current_exception();
        }
    }
    if (failed) {
        std::rethrow_exception(failed);
    }
#else
    while (listener* next = listeners.next(limit)) {
        next->hear(*next, what);
    }
#endif
}

void refresh_heard(storage::store& data, id_t pattern) noexcept {
    auto refresh = [&](storage::id_record& record) {
        const std::uint32_t before = record.heard;
        traits::describe_heard(data, record);
        for (std::uint32_t i = 0; record.heard != before && i < record.tables.size(); ++i) {
            storage::refresh_flags(data.tables.at(record.tables[i].table));
        }
    };
    const bool of_relation = is_pair(pattern) && !is_wildcard_element(pair_first(pattern));
    // Links are looked at through (R,*).
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
    data.tables.drop_edges();
}

}  // namespace kith::events
