// The memory of commands: chunks that never move. Commands are allocated one behind the other, and
// all of them are given back together.
//
// Invariants
// 1. Chunks never move: pointers to commands and values are valid until recycle().
// 2. Chunks in `spare_` all have the usual size.
//
// Covered by tests/unit/mutate/command_buffer_test.cpp.
#pragma once

#include "containers/memory.hpp"
#include "mutate/context/command.hpp"

#include <new>
#include <utility>

namespace kith::mutate {

class command_arena {
public:
    command_arena() = default;
    command_arena(const command_arena&) = delete;
    command_arena& operator=(const command_arena&) = delete;

    // Gives back all memory. Requires: the values of commands were destroyed.
    void release(containers::memory& mem) noexcept;
    // Allocates a command. The memory of its value is raw.
    command* make(containers::memory& mem, command_kind kind, entity_t entity, id_t id,
                  const type_info* type) {
        std::size_t size = sizeof(command);
        if (type) {
            // The header lies at any multiple of its own alignment, so a stricter value needs
            // padding.
            std::size_t padding = type->alignment > alignof(command) ? type->alignment : 0;
            size += round_up(type->size + padding);
        }
        return ::new (take_bytes(mem, size)) command{
            entity, id, type, nullptr, nullptr, nullptr, kind, false, type != nullptr, false, 0};
    }
    // As make(), in the current chunk; its value lies right behind the command. Null if the chunk
    // is full or the value has a stricter alignment than commands.
    command* try_make(command_kind kind, entity_t entity, id_t id, const type_info& type) noexcept {
        const std::size_t size = sizeof(command) + round_up(type.size);
        if (static_cast<std::size_t>(free_end_ - free_begin_) < size ||
            type.alignment > alignof(command)) [[unlikely]] {
            return nullptr;
        }
        return ::new (std::exchange(free_begin_, free_begin_ + size))
            command{entity, id, &type, nullptr, nullptr, nullptr, kind, false, true, false, 0};
    }
    // Raw bytes with the lifetime of commands.
    void* take(containers::memory& mem, std::size_t size) {
        return take_bytes(mem, round_up(size));
    }

    // Sets the memory in use apart, until recycle().
    void retire() noexcept;
    // Makes the retired memory available again. Requires: the values in it were destroyed.
    void recycle(containers::memory& mem) noexcept;
    bool has_retired() const noexcept { return retired_ != nullptr; }
    void swap(command_arena& other) noexcept;

private:
    // A block of memory; the bytes follow the header.
    struct chunk {
        chunk* next;
        std::size_t size;
    };
    static constexpr std::size_t chunk_size = 64 * 1024;

    static std::size_t round_up(std::size_t size) noexcept {
        return (size + alignof(command) - 1) & ~(alignof(command) - 1);
    }
    // Allocates from the current chunk. Requires: the size is a multiple of the alignment of
    // `command`.
    void* take_bytes(containers::memory& mem, std::size_t size) {
        if (static_cast<std::size_t>(free_end_ - free_begin_) < size) [[unlikely]] {
            return take_chunk(mem, size);
        }
        return std::exchange(free_begin_, free_begin_ + size);
    }
    // Allocates from a spare or new chunk.
    void* take_chunk(containers::memory& mem, std::size_t size);

    chunk* filling_ = nullptr;  // chunks in use, newest first
    chunk* retired_ = nullptr;  // chunks of taken commands
    chunk* spare_ = nullptr;    // chunks for reuse, all of chunk_size
    // The unused bytes of the newest chunk.
    std::byte* free_begin_ = nullptr;
    std::byte* free_end_ = nullptr;
};

}  // namespace kith::mutate
