// Values of one id kept beside the tables, by entity index. Adding and removing moves no row, and a
// value keeps its address until it is removed.
//
// Values lie in chunks, in slots that are reused; a dense list of entities serves iteration.
// Without data (tags, switched-off components) only the list is kept.
//
// Covered by tests/core/storage/sparse_store_test.cpp.
#pragma once

#include <kith/id.hpp>
#include <kith/type_info.hpp>

#include "containers/vec.hpp"

namespace kith::storage {

class sparse_store {
public:
    // `info` null: no values. It must outlive the store.
    sparse_store(containers::memory& mem, const type_info* info) noexcept
        : mem_(mem), info_(info) {}
    ~sparse_store();  // destroys all values
    sparse_store(const sparse_store&) = delete;
    sparse_store& operator=(const sparse_store&) = delete;

    bool has(std::uint32_t index) const noexcept {
        const entry* found = find_entry(index);
        return found && found->position != 0;
    }
    // Null if the entity has no value here, or if the store keeps none.
    void* find(std::uint32_t index) const noexcept {
        const entry* found = find_entry(index);
        return found && found->position != 0 ? slot_at(found->slot) : nullptr;
    }
    // Makes room for a value of an entity that has none; what is returned is raw memory (null if
    // the store keeps no values). Nothing has changed until commit().
    void* prepare(std::uint32_t index) {
        if (!find_entry(index) || entities_.size() == entities_.capacity()) [[unlikely]] {
            make_room(index);
        }
        if (!info_) {
            return nullptr;
        }
        if (free_slots_.empty()) [[unlikely]] {
            take_new_slot();
        } else {
            prepared_slot_ = free_slots_.back();
        }
        return slot_at(prepared_slot_);
    }
    void commit(entity_t entity) noexcept {
        if (info_) {
            if (prepared_slot_ == slot_count_) {
                ++slot_count_;
            } else {
                free_slots_.pop();
            }
        }
        entities_.push_reserved(entity);
        std::uint32_t index = index_of(entity);
        pages_[index >> page_bits][index & (page_size - 1)] = {entities_.size(), prepared_slot_};
    }
    // Destroys the value.
    void remove(std::uint32_t index) noexcept;

    std::uint32_t count() const noexcept { return entities_.size(); }
    entity_t entity_at(std::uint32_t position) const noexcept { return entities_[position]; }
    const entity_t* entities() const noexcept { return entities_.data(); }
    const type_info* info() const noexcept { return info_; }
    // Gives back what nothing needs.
    void shrink() noexcept;
    // True if list and pages agree.
    bool is_consistent() const noexcept;

private:
    static constexpr std::uint32_t page_bits = 10;
    static constexpr std::uint32_t page_size = 1u << page_bits;
    static constexpr std::uint32_t chunk_bits = 8;
    static constexpr std::uint32_t chunk_slots = 1u << chunk_bits;

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
        return info_ ? chunks_[slot >> chunk_bits] +
                           std::size_t{info_->size} * (slot & (chunk_slots - 1))
                     : nullptr;
    }
    std::size_t chunk_bytes() const noexcept { return std::size_t{info_->size} * chunk_slots; }
    std::size_t chunk_alignment() const noexcept {
        return info_->alignment > 16 ? info_->alignment : 16;
    }
    void make_room(std::uint32_t index);
    void take_new_slot();

    containers::memory& mem_;
    const type_info* info_;
    containers::vec<entry*> pages_;
    containers::vec<std::byte*> chunks_;
    containers::vec<entity_t> entities_;
    containers::vec<std::uint32_t> free_slots_;  // room for every slot is reserved with its chunk
    std::uint32_t slot_count_ = 0;               // slots handed out at least once
    std::uint32_t prepared_slot_ = 0;
};

}  // namespace kith::storage
