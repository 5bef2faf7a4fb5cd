// The allocator of a world (memory.hpp): small blocks from chunks, large ones from the resource,
// and both from a reserve when the resource fails at a moment at which failing is not allowed.
#include "containers/memory.hpp"

#include "base/assert.hpp"
#include "base/raise.hpp"

#include <new>

namespace kith::containers {

namespace {

// The default resource. It reports failure with null, as resources of programs may.
void* allocate_new(void*, std::size_t size, std::size_t alignment) {
    return ::operator new (size, std::align_val_t{alignment}, std::nothrow);
}
void deallocate_new(void*, void* block, std::size_t, std::size_t alignment) noexcept {
    ::operator delete (block, std::align_val_t{alignment});
}

}  // namespace

memory::memory(const world_memory* upstream) noexcept
    : upstream_(upstream ? *upstream : world_memory{allocate_new, deallocate_new, nullptr, true}) {}

bool memory::is_given() const noexcept {
    return upstream_.allocate != allocate_new;
}

memory::~memory() {
    for (std::size_t bytes : used_) {
        KITH_ASSERT(bytes == 0, "all blocks are released before their memory ends");
        static_cast<void>(bytes);
    }
    while (chunks_) {
        chunk* next = chunks_->next;
        upstream_.deallocate(upstream_.context, chunks_, chunks_->size, step);
        chunks_ = next;
    }
    while (reserves_) {
        reserve* next = reserves_->next;
        upstream_.deallocate(upstream_.context, reserves_, reserve_size, step);
        reserves_ = next;
    }
}

void memory::add_reserve() {
    void* block = take_upstream(reserve_size, step);
    reserves_ = ::new (block) reserve{reserves_, 0, 0};
}

void* memory::take_reserved(std::size_t size, std::size_t alignment) noexcept {
    for (reserve* source = reserves_; source; source = source->next) {
        auto* first = reinterpret_cast<std::byte*>(source + 1);
        const auto address = reinterpret_cast<std::uintptr_t>(first) + source->used;
        const std::size_t padding = (alignment - address % alignment) % alignment;
        if (source->used + padding + size <= reserve_size - sizeof(reserve)) {
            void* block = first + source->used + padding;
            source->used += padding + size;
            ++source->blocks;
            return block;
        }
    }
    return nullptr;
}

bool memory::give_back_reserved(const void* block) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(block);
    for (reserve* holder = reserves_; holder; holder = holder->next) {
        const auto first = reinterpret_cast<std::uintptr_t>(holder);
        if (address > first && address < first + reserve_size) {
            if (--holder->blocks == 0) {
                holder->used = 0;
            }
            return true;
        }
    }
    return false;
}

void* memory::allocate(std::size_t size, purpose use, std::size_t alignment) {
    KITH_ASSERT(alignment != 0 && (alignment & (alignment - 1)) == 0,
                "an alignment is a power of two");
    if (size == 0) {
        return nullptr;
    }
    void* block = nullptr;
    if (is_small(size, alignment)) {
        std::size_t rounded = (size + step - 1) / step * step;
        free_block*& head = free_[rounded / step];
        if (head) {
            block = head;
            head = head->next;
        } else {
            block = take_small(rounded);
        }
        used_[static_cast<std::size_t>(use)] += rounded;
    } else {
        block = take_upstream(size, alignment);
        used_[static_cast<std::size_t>(use)] += size;
    }
    return block;
}

void memory::release(void* block, std::size_t size, purpose use, std::size_t alignment) noexcept {
    if (!block) {
        return;
    }
    if (is_small(size, alignment)) {
        std::size_t rounded = (size + step - 1) / step * step;
        KITH_ASSERT(used_[static_cast<std::size_t>(use)] >= rounded,
                    "a block is released with its size and purpose");
        free_block* freed = ::new (block) free_block{free_[rounded / step]};
        free_[rounded / step] = freed;
        used_[static_cast<std::size_t>(use)] -= rounded;
    } else {
        KITH_ASSERT(used_[static_cast<std::size_t>(use)] >= size,
                    "a block is released with its size and purpose");
        used_[static_cast<std::size_t>(use)] -= size;
        // Blocks have no headers: only their address says that they lie in a reserve.
        if (reserves_ && give_back_reserved(block)) [[unlikely]] {
            return;
        }
        upstream_.deallocate(upstream_.context, block, size, alignment);
        total_ -= size;
    }
}

void* memory::take_small(std::size_t rounded) {
    if (fresh_size_ < rounded) {
        std::size_t size = chunks_ ? chunk_size : first_chunk_size;
        // The reserve supplies one block and no chunk: a released small block goes to a free list
        // and does not return to the reserve.
        void* block = prefers_reserve_ ? take_reserved(rounded, step) : nullptr;
        if (block) [[unlikely]] {
            return block;
        }
        block = ask_upstream(size, step);
        if (!block) [[unlikely]] {
            block = take_reserved(rounded, step);
            if (!block) {
                base::raise_out_of_memory();
            }
            return block;
        }
        total_ += size;
        chunk* added = ::new (block) chunk{chunks_, size};
        // The rest of the old chunk is a multiple of `step` and becomes a free block.
        if (fresh_size_ != 0) {
            free_[fresh_size_ / step] = ::new (fresh_) free_block{free_[fresh_size_ / step]};
        }
        chunks_ = added;
        fresh_ = reinterpret_cast<std::byte*>(added) + sizeof(chunk);
        fresh_size_ = size - sizeof(chunk);
    }
    void* block = fresh_;
    fresh_ += rounded;
    fresh_size_ -= rounded;
    return block;
}

void* memory::ask_upstream(std::size_t size, std::size_t alignment) {
    void* block = nullptr;
#if defined(__cpp_exceptions)
    if (has_reserve()) [[unlikely]] {
        try {
            block = upstream_.allocate(upstream_.context, size, alignment);
        } catch (...) {
            // The null result lets the caller use the reserve.
        }
        return block;
    }
#endif
    block = upstream_.allocate(upstream_.context, size, alignment);
    if (!block && !has_reserve()) {
        base::raise_out_of_memory();
    }
    return block;
}

void* memory::take_upstream(std::size_t size, std::size_t alignment) {
    void* block = prefers_reserve_ ? take_reserved(size, alignment) : nullptr;
    if (block) [[unlikely]] {
        return block;
    }
    block = ask_upstream(size, alignment);
    if (block) {
        total_ += size;
        return block;
    }
    block = take_reserved(size, alignment);
    if (!block) {
        base::raise_out_of_memory();
    }
    return block;
}

}  // namespace kith::containers
