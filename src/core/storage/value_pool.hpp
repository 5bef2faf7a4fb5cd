// Values of one type in slots that are reused. A value keeps its address until it is removed.
//
// Covered by tests/core/storage/link_store_test.cpp.
#pragma once

#include <kith/type_info.hpp>

#include "containers/vec.hpp"

namespace kith::storage {

class value_pool {
public:
    // `info` must outlive the pool.
    explicit value_pool(const type_info& info) noexcept : info_(&info) {}

    void* at(std::uint32_t slot) const noexcept {
        return chunks_[slot >> chunk_bits] + std::size_t{info_->size} * (slot & (chunk_slots - 1));
    }
    // A slot with raw memory that take() will hand out; nothing has changed until then.
    std::uint32_t prepare(containers::memory& mem) {
        if (!free_.empty()) [[likely]] {
            return free_.back();
        }
        if (count_ == chunks_.size() * chunk_slots) [[unlikely]] {
            add_chunk(mem);
        }
        return count_;
    }
    // As prepare, for the next `extra` slots: taking them cannot fail.
    void reserve(containers::memory& mem, std::uint32_t extra) {
        while (chunks_.size() * chunk_slots - count_ + free_.size() < extra) {
            add_chunk(mem);
        }
    }
    std::uint32_t take() noexcept {
        if (free_.empty()) {
            return count_++;
        }
        std::uint32_t slot = free_.back();
        free_.pop();
        return slot;
    }
    // The value must have been destroyed.
    void unreserve(std::uint32_t slot) noexcept { free_.push_reserved(slot); }

    // Slots that are taken.
    std::uint32_t used() const noexcept { return count_ - free_.size(); }
    const type_info& info() const noexcept { return *info_; }
    // All values must have been destroyed.
    void release(containers::memory& mem) noexcept;

private:
    static constexpr std::uint32_t chunk_bits = 8;
    static constexpr std::uint32_t chunk_slots = 1u << chunk_bits;

    std::size_t chunk_bytes() const noexcept { return std::size_t{info_->size} * chunk_slots; }
    std::size_t chunk_alignment() const noexcept {
        return info_->alignment > 16 ? info_->alignment : 16;
    }
    void add_chunk(containers::memory& mem);

    const type_info* info_;
    containers::vec<std::byte*> chunks_;
    containers::vec<std::uint32_t> free_;  // room for every slot is reserved with its chunk
    std::uint32_t count_ = 0;              // slots handed out at least once
};

}  // namespace kith::storage
