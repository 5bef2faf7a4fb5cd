// A sparse store: the values of one id outside of the tables, by entity index. Adding and removing
// a value moves no row, and a value keeps its address until it is removed.
//
// Iteration uses a dense list of entities. Stores without values (sparse tags, switched-off ids)
// have the list only.
//
// Invariants
// 1. An entity is in entities_ at position p if and only if its entry has position p + 1.
// 2. Each listed entity has its own slot of the value pool, if there is one; no other slot is
// taken.
// 3. Entities are listed once, in no particular order.
// is_consistent() verifies 1, and compares the numbers of 2.
//
// Covered by tests/unit/storage/sparse_store_test.cpp.
#pragma once

#include <kith/detail/layout.hpp>
#include <kith/type_info.hpp>

#include "base/assert.hpp"
#include "storage/change_listener.hpp"
#include "storage/value_pool.hpp"

#include <optional>

namespace kith::storage {

class sparse_store {
public:
    // `info` is the type of the values and must outlive the store; null: a store without values.
    sparse_store(containers::memory& mem, const type_info* info) noexcept : mem_(mem) {
        if (info) {
            values_.emplace(*info);
        }
    }
    ~sparse_store();  // destroys all values
    sparse_store(const sparse_store&) = delete;
    sparse_store& operator=(const sparse_store&) = delete;

    bool has(std::uint32_t index) const noexcept {
        const entry* slot = find_entry(index);
        return slot && slot->position != 0;
    }
    // The value of an entity; null if the store has no value of it, or no values at all.
    void* find(std::uint32_t index) const noexcept {
        const entry* slot = find_entry(index);
        return slot && slot->position != 0 ? slot_at(slot->slot) : nullptr;
    }
    // Makes room for an entity and returns raw memory for its value (null if the store has no
    // values). The store has not changed until commit(); a prepare() without commit() is harmless.
    // Requires: !has(index).
    void* prepare(std::uint32_t index) {
        if (!find_entry(index) || entities_.size() == entities_.capacity()) [[unlikely]] {
            make_room(index);
        }
        return values_ ? values_->at(values_->prepare(mem_)) : nullptr;
    }
    // Adds the entity. Requires: prepare() was called for its index, no other change followed, and
    // the value was constructed in the memory that it returned.
    void commit(entity_t entity) noexcept {
        std::uint32_t index = index_of(entity);
        KITH_ASSERT(find_entry(index) && !has(index), "an added entity was prepared and is new");
        entities_.push_reserved(entity);
        pages_[index >> page_bits][index & (page_size - 1)] = {entities_.size(),
                                                               values_ ? values_->take() : 0};
        notify(index);
    }
    // The cache that is notified when entities are added or removed; null: none.
    void set_change_listener(const change_listener* listener) noexcept {
        listeners_.set(change_listeners::memory, listener);
    }
    // The change ticks that count added and removed entities; null: none.
    void set_change_counter(const change_listener* counter) noexcept {
        listeners_.set(change_listeners::counter, counter);
    }
    // For snapshots: entities were neither added nor removed since set_unwritten(true).
    void set_unwritten(bool unwritten) noexcept { listeners_.set_unwritten(unwritten); }
    bool is_unwritten() const noexcept { return listeners_.is_unwritten(); }
    // Removes an entity and destroys its value. False if the store does not have the entity.
    bool remove(std::uint32_t index) noexcept;

    std::uint32_t count() const noexcept { return entities_.size(); }
    entity_t entity_at(std::uint32_t position) const noexcept { return entities_[position]; }
    const entity_t* entities() const noexcept { return entities_.data(); }
    const type_info* info() const noexcept { return values_ ? &values_->info() : nullptr; }
    // Empties the list without destroying values, which were moved away or never constructed. Only
    // the destructor may follow.
    void forget_all() noexcept { entities_.clear(); }
    // Copies entities, their order and their values from a second store. If the function throws,
    // the store has the first entities. Requires: this store is empty and has the type of `other`.
    void copy_from(const sparse_store& other);
    // Exchanges entities and values. Listeners stay. Requires: both stores have the same memory.
    void swap_values(sparse_store& other) noexcept;
    // Releases all memory if the store is empty.
    void shrink() noexcept;
    // Verifies the invariants. Linear in the number of pages.
    bool is_consistent() const noexcept;

private:
    friend struct detail::internal_offsets;

    void notify(std::uint32_t index) noexcept { listeners_.notify(index); }
    static constexpr std::uint32_t page_bits = 10;
    static constexpr std::uint32_t page_size = 1u << page_bits;

    struct entry {
        std::uint32_t position;  // in entities_, plus one; 0: the store does not have the entity
        std::uint32_t slot;      // of the value in the pool
    };

    // The entry of an index, null if its page does not exist.
    const entry* find_entry(std::uint32_t index) const noexcept {
        std::uint32_t page = index >> page_bits;
        return page < pages_.size() && pages_[page] ? &pages_[page][index & (page_size - 1)]
                                                    : nullptr;
    }
    void* slot_at(std::uint32_t slot) const noexcept {
        return values_ ? values_->at(slot) : nullptr;
    }
    void make_room(std::uint32_t index);

    change_listeners listeners_;
    containers::memory& mem_;
    std::optional<value_pool> values_;    // empty if the id has no values
    containers::vec<entry*> pages_;       // by index >> page_bits; null where no entity was added
    containers::vec<entity_t> entities_;  // dense
};

}  // namespace kith::storage
