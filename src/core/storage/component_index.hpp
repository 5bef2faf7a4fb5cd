// From ids to what has them. Exact ids list their tables; (R,*) lists the pairs of R, and pairs
// with the same target are linked, so wildcards are answered without scanning tables, and creating
// a table touches wildcards only when a pair is new.
//
// Covered by tests/core/storage/component_index_test.cpp.
#pragma once

#include "base/counters.hpp"
#include "containers/hash_index.hpp"
#include "storage/id_record.hpp"

namespace kith::storage {

class component_index {
public:
    // Fills in the types and traits of a new record.
    using describe_function = void (*)(void* context, id_record& record);

    explicit component_index(containers::memory& mem) noexcept : mem_(mem) {}
    ~component_index();
    component_index(const component_index&) = delete;
    component_index& operator=(const component_index&) = delete;

    void set_describe(describe_function describe, void* context) noexcept {
        describe_ = describe;
        describe_context_ = context;
    }

    // Never creates. For (R,*) the record that lists R's pairs.
    id_record* find(id_t id) const noexcept {
        KITH_COUNT(lookups);
        if (id < low_id_limit) {
            return low_[id];
        }
        return find_hashed(id);
    }
    id_record& ensure(id_t id);
    // The record must have no tables and no sparse values. Also forgets (R,*) when its last pair
    // goes.
    void remove(id_record& record) noexcept;

    // First of the pairs with this target, or null; the next one by next_with_target().
    id_record* first_with_target(std::uint32_t target) const noexcept;
    id_record* next_with_target(const id_record& pair) const noexcept {
        return pair.next_target ? records_[pair.next_target - 1] : nullptr;
    }

    // By number, in order of creation; null where a record was removed.
    std::uint32_t number_limit() const noexcept { return records_.size(); }
    id_record* by_number(std::uint32_t number) const noexcept { return records_[number]; }
    std::uint32_t count() const noexcept { return records_.size() - free_numbers_.size(); }
    // Which list of caches wants to know of tables with the id. Kept while the id has no record.
    void set_watchers(id_t id, std::uint32_t watchers);
    std::uint32_t watchers_of(id_t id) const noexcept;

    // Some id is marked (Override).
    bool has_marks() const noexcept { return mark_count_ != 0; }

private:
    id_record* find_hashed(id_t id) const noexcept;
    id_record& create(id_t id);
    void link_target(id_record& pair) noexcept;
    void unlink_target(id_record& pair) noexcept;

    containers::memory& mem_;
    describe_function describe_ = nullptr;
    void* describe_context_ = nullptr;
    id_record* low_[low_id_limit] = {};
    containers::hash_index by_id_;
    containers::hash_index by_target_;  // number + 1 of the first pair with a target
    containers::vec<id_record*> records_;
    containers::vec<std::uint32_t> free_numbers_;
    std::uint32_t mark_count_ = 0;
    struct orphan {
        id_t id;
        std::uint32_t watchers;
    };
    containers::vec<orphan> orphans_;  // watched ids without a record
    std::uint32_t watched_ = 0;        // ids that were ever watched
};

}  // namespace kith::storage
