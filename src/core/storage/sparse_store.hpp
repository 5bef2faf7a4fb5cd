// Values of one id kept beside the tables, by entity index. Adding and removing moves no row, and a
// value keeps its address until it is removed.
//
// A dense list of entities serves iteration. Without data (tags, switched-off components) only the
// list is kept.
//
// Covered by tests/core/storage/sparse_store_test.cpp.
#pragma once

#include <kith/id.hpp>
#include <kith/type_info.hpp>

#include "storage/change_listener.hpp"
#include "storage/value_pool.hpp"

#include <optional>

namespace kith::storage {

class sparse_store {
public:
    // `info` null: no values. It must outlive the store.
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
    // Null if the entity has no value here, or if the store keeps none.
    void* find(std::uint32_t index) const noexcept {
        const entry* slot = find_entry(index);
        return slot && slot->position != 0 ? slot_at(slot->slot) : nullptr;
    }
    // Makes room for a value of an entity that has none; what is returned is raw memory (null if
    // the store keeps no values). Nothing has changed until commit().
    void* prepare(std::uint32_t index) {
        if (!find_entry(index) || entities_.size() == entities_.capacity()) [[unlikely]] {
            make_room(index);
        }
        return values_ ? values_->at(values_->prepare(mem_)) : nullptr;
    }
    void commit(entity_t entity) noexcept {
        entities_.push_reserved(entity);
        std::uint32_t index = index_of(entity);
        pages_[index >> page_bits][index & (page_size - 1)] = {entities_.size(),
                                                               values_ ? values_->take() : 0};
        notify(index);
    }
    // Who wants to know of entities that come and go; null: nobody.
    void set_change_listener(const change_listener* listener) noexcept {
        listeners_.set(change_listeners::memory, listener);
    }
    // Who counts such changes.
    void set_change_counter(const change_listener* counter) noexcept {
        listeners_.set(change_listeners::counter, counter);
    }
    // Destroys the value. False if there is none.
    bool remove(std::uint32_t index) noexcept;

    std::uint32_t count() const noexcept { return entities_.size(); }
    entity_t entity_at(std::uint32_t position) const noexcept { return entities_[position]; }
    const entity_t* entities() const noexcept { return entities_.data(); }
    const type_info* info() const noexcept { return values_ ? &values_->info() : nullptr; }
    // Drops all entities whose values were never made, or are gone.
    void forget_all() noexcept { entities_.clear(); }
    // Gives back what nothing needs.
    void shrink() noexcept;
    // True if list and pages agree.
    bool is_consistent() const noexcept;

private:
    void notify(std::uint32_t index) const noexcept { listeners_.notify(index); }
    static constexpr std::uint32_t page_bits = 10;
    static constexpr std::uint32_t page_size = 1u << page_bits;

    struct entry {
        std::uint32_t position;  // in entities_, plus one; 0: not here
        std::uint32_t slot;
    };

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
    std::optional<value_pool> values_;
    containers::vec<entry*> pages_;
    containers::vec<entity_t> entities_;
};

}  // namespace kith::storage
