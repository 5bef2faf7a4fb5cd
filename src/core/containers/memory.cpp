#include "containers/memory.hpp"

#include "base/raise.hpp"

#include <new>

namespace kith::containers {

namespace {

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
    while (chunks_) {
        chunk* next = chunks_->next;
        upstream_.deallocate(upstream_.context, chunks_, chunks_->size, step);
        chunks_ = next;
    }
}

void* memory::allocate(std::size_t size, purpose use, std::size_t alignment) {
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
        free_block* freed = ::new (block) free_block{free_[rounded / step]};
        free_[rounded / step] = freed;
        used_[static_cast<std::size_t>(use)] -= rounded;
    } else {
        upstream_.deallocate(upstream_.context, block, size, alignment);
        used_[static_cast<std::size_t>(use)] -= size;
        total_ -= size;
    }
}

void* memory::take_small(std::size_t rounded) {
    if (fresh_size_ < rounded) {
        std::size_t size = chunks_ ? chunk_size : first_chunk_size;
        chunk* added = ::new (take_upstream(size, step)) chunk{chunks_, size};
        // What is left of the old chunk is a multiple of `step`: keep it as a free block.
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

void* memory::take_upstream(std::size_t size, std::size_t alignment) {
    void* block = upstream_.allocate(upstream_.context, size, alignment);
    if (!block) {
        base::raise_out_of_memory();
    }
    total_ += size;
    return block;
}

}  // namespace kith::containers
