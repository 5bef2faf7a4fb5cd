// The component index (component_index.hpp): creating, finding and removing records of ids.
#include "storage/component_index.hpp"

#include "base/assert.hpp"
#include "base/hash.hpp"
#include "storage/sparse_store.hpp"

#include <new>
#include <utility>

namespace kith::storage {

using containers::purpose;

namespace {

// True for pairs that (R,*) lists: without wildcards and without the flag Override.
bool is_exact_pair(id_t id) {
    return is_pair(id) && !(id & Override) && !is_wildcard(id);
}
id_t any_target(id_t pair) {
    return make_pair(pair_first(pair), Wildcard);
}

}  // namespace

component_index::~component_index() {
    for (id_record* record : records_) {
        if (record) {
            record->tables.release(mem_, purpose::index);
            record->pairs.release(mem_, purpose::index);
            mem_.release(record, sizeof(id_record), purpose::index);
        }
    }
    records_.release(mem_, purpose::index);
    free_numbers_.release(mem_, purpose::index);
    by_id_.release(mem_, purpose::index);
    by_target_.release(mem_, purpose::index);
    orphans_.release(mem_, purpose::index);
}

void component_index::set_watchers(id_t id, std::uint32_t watchers) {
    // remove() must not fail: each watched id may become an orphan.
    orphans_.reserve_extra(mem_, ++watched_, purpose::index);
    ensure(id).watchers = watchers;
}

std::uint32_t component_index::watchers_of(id_t id) const noexcept {
    if (const id_record* record = find(id)) {
        return record->watchers;
    }
    for (const orphan& watched : orphans_) {
        if (watched.id == id) {
            return watched.watchers;
        }
    }
    return 0;
}

id_record* component_index::find_hashed(id_t id) const noexcept {
    std::uint32_t number = by_id_.find(
        base::mix(id), [&](std::uint32_t candidate) { return records_[candidate - 1]->id == id; });
    return number ? records_[number - 1] : nullptr;
}

id_record& component_index::ensure(id_t id) {
    if (id_record* record = find(id)) {
        return *record;
    }
    if (is_exact_pair(id)) {
        // create() is the last step that can fail.
        id_record& relation = ensure(any_target(id));
        relation.pairs.reserve_extra(mem_, 1, purpose::index);
        by_target_.reserve_one(mem_, purpose::index);
        id_record& record = create(id);
        record.relation_position = relation.pairs.size();
        relation.pairs.push_reserved(&record);
        link_target(record);
        return record;
    }
    if (id & Override) {
        ensure(id & ~Override);
    }
    return create(id);
}

id_record& component_index::create(id_t id) {
    by_id_.reserve_one(mem_, purpose::index);
    records_.reserve_extra(mem_, 1, purpose::index);
    // remove() must not fail: any number may become free.
    free_numbers_.reserve_extra(mem_, records_.size() + 1 - free_numbers_.size(), purpose::index);
    id_record& record = *::new (mem_.allocate(sizeof(id_record), purpose::index)) id_record;
    record.id = id;
    if (free_numbers_.empty()) {
        record.number = records_.size();
        records_.push_reserved(&record);
    } else {
        record.number = free_numbers_.back();
        free_numbers_.pop();
        records_[record.number] = &record;
    }
    if (id < low_id_limit) {
        low_[id] = &record;
    } else {
        by_id_.insert_reserved(base::mix(id), record.number + 1);
    }
    mark_count_ += (id & Override) != 0;
    // A watched id gets its watchers back.
    for (std::uint32_t i = 0; i < orphans_.size(); ++i) {
        if (orphans_[i].id == id) {
            record.watchers = orphans_[i].watchers;
            orphans_.swap_remove(i);
            break;
        }
    }
    ++edition_;
    if (describe_) {
        describe_(describe_context_, record);
    }
    return record;
}

id_record* component_index::append_restored(id_t id) {
    records_.reserve_extra(mem_, 1, purpose::index);
    if (id == 0) {
        records_.push_reserved(nullptr);
        return nullptr;
    }
    id_record& record = *::new (mem_.allocate(sizeof(id_record), purpose::index)) id_record;
    record.id = id;
    record.number = records_.size();
    records_.push_reserved(&record);
    return &record;
}

void component_index::index_restored(const std::uint32_t* free, std::uint32_t free_count,
                                     const component_index& replaced) {
    free_numbers_.reserve_extra(mem_, records_.size() + 1, purpose::index);
    for (std::uint32_t i = 0; i < free_count; ++i) {
        free_numbers_.push_reserved(free[i]);
    }
    for (id_record* record : records_) {
        if (!record) {
            continue;
        }
        if (record->id < low_id_limit) {
            low_[record->id] = record;
        } else {
            by_id_.reserve_one(mem_, purpose::index);
            by_id_.insert_reserved(base::mix(record->id), record->number + 1);
        }
        if (is_exact_pair(record->id) && record->same_target.previous == 0) {
            by_target_.reserve_one(mem_, purpose::index);
            by_target_.insert_reserved(base::mix(pair_second(record->id)), record->number + 1);
        }
        mark_count_ += (record->id & Override) != 0;
    }
    watched_ = replaced.watched_;
    orphans_.reserve_extra(mem_, watched_, purpose::index);
    auto take_watchers = [&](id_t id, std::uint32_t watchers) {
        if (id_record* record = find(id)) {
            record->watchers = watchers;
        } else {
            orphans_.push_reserved({id, watchers});
        }
    };
    for (const id_record* record : replaced.records_) {
        if (record && record->watchers != 0) {
            take_watchers(record->id, record->watchers);
        }
    }
    for (const orphan& watched : replaced.orphans_) {
        take_watchers(watched.id, watched.watchers);
    }
}

void component_index::swap_records(component_index& other) noexcept {
    KITH_ASSERT(&mem_ == &other.mem_, "both indexes have the same memory");
    std::swap(low_, other.low_);
    std::swap(by_id_, other.by_id_);
    std::swap(by_target_, other.by_target_);
    std::swap(records_, other.records_);
    std::swap(free_numbers_, other.free_numbers_);
    std::swap(mark_count_, other.mark_count_);
    std::swap(orphans_, other.orphans_);
    std::swap(watched_, other.watched_);
    ++edition_;
}

void component_index::remove(id_record& record) noexcept {
    if (record.pinned) {
        return;
    }
    if (record.watchers != 0) {
        orphans_.push_reserved({record.id, record.watchers});
    }
    KITH_ASSERT(record.tables.empty() && !record.sparse && !record.links,
                "a record that is removed is not in use");
    if (is_exact_pair(record.id)) {
        unlink_target(record);
        id_record& relation = *find(any_target(record.id));
        KITH_ASSERT(relation.pairs[record.relation_position] == &record,
                    "a relation lists each of its pairs");
        relation.pairs.swap_remove(record.relation_position);
        if (record.relation_position < relation.pairs.size()) {
            relation.pairs[record.relation_position]->relation_position = record.relation_position;
        }
        if (relation.pairs.empty() && !relation.links) {
            remove(relation);
        }
    }
    if (record.id < low_id_limit) {
        low_[record.id] = nullptr;
    } else {
        by_id_.erase(base::mix(record.id), record.number + 1);
    }
    mark_count_ -= (record.id & Override) != 0;
    ++edition_;
    records_[record.number] = nullptr;
    free_numbers_.push_reserved(record.number);
    record.tables.release(mem_, purpose::index);
    record.pairs.release(mem_, purpose::index);
    mem_.release(&record, sizeof(id_record), purpose::index);
}

id_record* component_index::first_with_target(std::uint32_t target) const noexcept {
    std::uint32_t number = by_target_.find(base::mix(target), [&](std::uint32_t candidate) {
        return pair_second(records_[candidate - 1]->id) == target;
    });
    return number ? records_[number - 1] : nullptr;
}

void component_index::link_target(id_record& pair) noexcept {
    id_record* first = first_with_target(pair_second(pair.id));
    if (!first) {
        by_target_.insert_reserved(base::mix(pair_second(pair.id)), pair.number + 1);
        return;
    }
    // The new pair becomes the second of the list, so that the entry of by_target_ stays valid.
    pair.same_target.next = first->same_target.next;
    pair.same_target.previous = first->number + 1;
    if (pair.same_target.next) {
        records_[pair.same_target.next - 1]->same_target.previous = pair.number + 1;
    }
    first->same_target.next = pair.number + 1;
}

void component_index::unlink_target(id_record& pair) noexcept {
    if (pair.same_target.next) {
        records_[pair.same_target.next - 1]->same_target.previous = pair.same_target.previous;
    }
    if (pair.same_target.previous) {
        records_[pair.same_target.previous - 1]->same_target.next = pair.same_target.next;
        return;
    }
    std::uint64_t hash = base::mix(pair_second(pair.id));
    by_target_.erase(hash, pair.number + 1);
    if (pair.same_target.next) {
        by_target_.insert_reserved(hash, pair.same_target.next);
    }
}

}  // namespace kith::storage
