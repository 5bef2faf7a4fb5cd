// Memory of value pools, and the pools of a relation (value_pool.hpp).
#include "storage/value_pool.hpp"

#include <new>

namespace kith::storage {

using containers::purpose;

void value_pool::add_chunk(containers::memory& mem) {
    chunks_.reserve_extra(mem, 1, purpose::sparse);
    // Invariant 2: there is room to free all slots, those of the new chunk included.
    free_.reserve_extra(mem, (chunks_.size() + 1) * chunk_slots - free_.size(), purpose::sparse);
    chunks_.push_reserved(
        static_cast<std::byte*>(mem.allocate(chunk_bytes(), purpose::sparse, chunk_alignment())));
}

void value_pool::release(containers::memory& mem) noexcept {
    for (std::byte* chunk : chunks_) {
        mem.release(chunk, chunk_bytes(), purpose::sparse, chunk_alignment());
    }
    chunks_.release(mem, purpose::sparse);
    free_.release(mem, purpose::sparse);
    count_ = 0;
}

void value_pool::copy_slots(containers::memory& mem, const value_pool& other) {
    KITH_ASSERT(count_ == 0, "slots are copied into an empty pool");
    while (chunks_.size() < other.chunks_.size()) {
        add_chunk(mem);
    }
    for (std::uint32_t slot : other.free_) {
        free_.push_reserved(slot);
    }
    count_ = other.count_;
}

value_pools::~value_pools() {
    for (value_pool* pool : pools_) {
        if (pool) {
            forget_type(pool->info());
        }
    }
    pools_.release(mem_, purpose::sparse);
}

void value_pools::append(const type_info* info) {
    pools_.reserve_extra(mem_, 1, purpose::sparse);
    pools_.push_reserved(info ? ::new (mem_.allocate(sizeof(value_pool), purpose::sparse))
                                    value_pool(*info)
                              : nullptr);
}

std::uint32_t value_pools::ensure(const type_info& info) {
    for (std::uint32_t i = 0; i < pools_.size(); ++i) {
        if (pools_[i] && &pools_[i]->info() == &info) {
            return i;
        }
    }
    pools_.reserve_extra(mem_, 1, purpose::sparse);
    pools_.push_reserved(::new (mem_.allocate(sizeof(value_pool), purpose::sparse))
                             value_pool(info));
    return pools_.size() - 1;
}

void value_pools::forget_type(const type_info& info) noexcept {
    for (value_pool*& pool : pools_) {
        if (pool && &pool->info() == &info) {
            pool->release(mem_);
            mem_.release(pool, sizeof(value_pool), purpose::sparse);
            pool = nullptr;
        }
    }
}

void value_pools::shrink() noexcept {
    for (value_pool* pool : pools_) {
        if (pool && pool->used() == 0) {
            pool->release(mem_);
        }
    }
}

std::uint32_t value_pools::used() const noexcept {
    std::uint32_t sum = 0;
    for (const value_pool* pool : pools_) {
        sum += pool ? pool->used() : 0;
    }
    return sum;
}

}  // namespace kith::storage
