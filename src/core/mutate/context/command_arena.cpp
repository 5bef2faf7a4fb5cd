// Implements command_arena.hpp.
#include "mutate/context/command_arena.hpp"

#include <algorithm>

namespace kith::mutate {

using containers::memory;
using containers::purpose;

void command_arena::release(memory& mem) noexcept {
    for (chunk** list : {&filling_, &retired_, &spare_}) {
        while (*list) {
            chunk* next = (*list)->next;
            mem.release(*list, (*list)->size, purpose::commands);
            *list = next;
        }
    }
    free_begin_ = free_end_ = nullptr;
}

void* command_arena::take_chunk(memory& mem, std::size_t size) {
    // Chunks of unusual size are not kept for reuse, so that any spare chunk has room for usual
    // sizes.
    std::size_t needed = sizeof(chunk) + size;
    chunk* added = spare_;
    if (added && added->size >= needed) {
        spare_ = added->next;
    } else {
        std::size_t bytes = std::max(needed, chunk_size);
        added = ::new (mem.allocate(bytes, purpose::commands)) chunk{nullptr, bytes};
    }
    added->next = filling_;
    filling_ = added;
    free_end_ = reinterpret_cast<std::byte*>(added) + added->size;
    free_begin_ = reinterpret_cast<std::byte*>(added + 1) + size;
    return added + 1;
}

void command_arena::retire() noexcept {
    while (filling_) {
        chunk* moved = std::exchange(filling_, filling_->next);
        moved->next = retired_;
        retired_ = moved;
    }
    free_begin_ = free_end_ = nullptr;
}

// Chunks of the usual size are kept for reuse, larger ones are released.
void command_arena::recycle(memory& mem) noexcept {
    while (retired_) {
        chunk* next = retired_->next;
        if (retired_->size == chunk_size) {
            retired_->next = spare_;
            spare_ = retired_;
        } else {
            mem.release(retired_, retired_->size, purpose::commands);
        }
        retired_ = next;
    }
}

void command_arena::swap(command_arena& other) noexcept {
    std::swap(filling_, other.filling_);
    std::swap(retired_, other.retired_);
    std::swap(spare_, other.spare_);
    std::swap(free_begin_, other.free_begin_);
    std::swap(free_end_, other.free_end_);
}

}  // namespace kith::mutate
