#include "mutate/command_buffer.hpp"

#include "base/hash.hpp"
#include "traits/traits.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace kith::mutate {

using containers::memory;
using containers::purpose;

namespace {

std::byte* aligned(std::byte* at, std::size_t alignment) noexcept {
    auto address = reinterpret_cast<std::uintptr_t>(at);
    return at + ((address + alignment - 1) / alignment * alignment - address);
}

bool changes_meaning(const command& queued) noexcept {
    return queued.kind == command_kind::destruct || queued.kind == command_kind::clear ||
           traits::is_property(queued.id);
}

}  // namespace

void* command::value() noexcept {
    return type ? aligned(reinterpret_cast<std::byte*>(this + 1), type->alignment) : nullptr;
}

void command_buffer::release(memory& mem) noexcept {
    for (chunk** list : {&filling_, &running_, &spare_}) {
        while (*list) {
            chunk* next = (*list)->next;
            mem.release(*list, (*list)->size, purpose::commands);
            *list = next;
        }
    }
    if (chains_) {
        mem.release(chains_, (chain_mask_ + 1) * sizeof(chain), purpose::commands);
    }
    chains_ = nullptr;
    at_ = end_ = nullptr;
}

void* command_buffer::take_bytes(memory& mem, std::size_t size, std::size_t alignment) {
    std::byte* start = at_ ? aligned(at_, alignment) : nullptr;
    if (!start || static_cast<std::size_t>(end_ - start) < size || start > end_) {
        std::size_t needed = sizeof(chunk) + size + alignment;
        chunk* added = spare_;
        if (added && added->size >= needed) {
            spare_ = added->next;
        } else {
            std::size_t bytes = std::max(needed, chunk_size);
            added = ::new (mem.allocate(bytes, purpose::commands)) chunk{nullptr, bytes};
        }
        added->next = filling_;
        filling_ = added;
        end_ = reinterpret_cast<std::byte*>(added) + added->size;
        start = aligned(reinterpret_cast<std::byte*>(added + 1), alignment);
    }
    at_ = start + size;
    return start;
}

command* command_buffer::prepare(memory& mem, command_kind kind, entity_t entity, id_t id,
                                 const type_info* type) {
    if (entity != 0) {
        ensure_chain(mem, entity);
    }
    // Padding for the value: the header may lie at any multiple of its own alignment.
    std::size_t size = sizeof(command);
    if (type) {
        size += type->size + (type->alignment > alignof(command) ? type->alignment : 0);
    }
    return ::new (take_bytes(mem, size, alignof(command)))
        command{entity, id, type, nullptr, nullptr, kind, false, false, type != nullptr};
}

void command_buffer::commit(command* prepared) noexcept {
    (first_ ? last_->following : first_) = prepared;
    last_ = prepared;
    prepared->starts_segment = std::exchange(next_starts_segment_, false);
    if (prepared->entity == 0) {
        return;
    }
    chain* own = find_chain(prepared->entity);
    if (own->segment != segment_) {
        *own = {prepared->entity, nullptr, nullptr, segment_, false, false};
    }
    own->dangerous |= changes_meaning(*prepared);
    if (own->first) {
        own->last->next = prepared;
    } else {
        own->first = prepared;
        prepared->is_head = true;
    }
    own->last = prepared;
}

command_buffer::chain* command_buffer::find_chain(entity_t entity) const noexcept {
    if (!chains_) {
        return nullptr;
    }
    for (auto at = static_cast<std::uint32_t>(base::mix(entity));; ++at) {
        chain& found = chains_[at & chain_mask_];
        if (found.entity == entity) {
            return &found;
        }
        if (found.entity == 0) {
            return nullptr;
        }
    }
}

command_buffer::chain& command_buffer::ensure_chain(memory& mem, entity_t entity) {
    if (chain* found = find_chain(entity)) {
        if (found->segment != segment_) {
            *found = {entity, nullptr, nullptr, segment_, false, false};
        }
        return *found;
    }
    if (!chains_ || (chain_count_ + 1) * 4 > (chain_mask_ + 1) * 3) {
        grow_chains(mem);
    }
    auto at = static_cast<std::uint32_t>(base::mix(entity));
    while (chains_[at & chain_mask_].entity != 0) {
        ++at;
    }
    ++chain_count_;
    chains_[at & chain_mask_] = {entity, nullptr, nullptr, segment_, false, false};
    return chains_[at & chain_mask_];
}

void command_buffer::grow_chains(memory& mem) {
    // Entries of older segments are dropped on the way; only if most are current is more room
    // needed.
    std::uint32_t capacity = chains_ ? chain_mask_ + 1 : 0;
    std::uint32_t current = 0;
    for (std::uint32_t i = 0; i < capacity; ++i) {
        current += chains_[i].entity != 0 && chains_[i].segment == segment_;
    }
    std::uint32_t grown = std::max<std::uint32_t>(64, capacity);
    while ((current + 1) * 2 > grown) {
        grown *= 2;
    }
    auto* chains = static_cast<chain*>(mem.allocate(grown * sizeof(chain), purpose::commands));
    std::memset(static_cast<void*>(chains), 0, grown * sizeof(chain));
    for (std::uint32_t i = 0; i < capacity; ++i) {
        if (chains_[i].entity != 0 && chains_[i].segment == segment_) {
            auto at = static_cast<std::uint32_t>(base::mix(chains_[i].entity));
            while (chains[at & (grown - 1)].entity != 0) {
                ++at;
            }
            chains[at & (grown - 1)] = chains_[i];
        }
    }
    if (chains_) {
        mem.release(chains_, capacity * sizeof(chain), purpose::commands);
    }
    chains_ = chains;
    chain_mask_ = grown - 1;
    chain_count_ = current;
}

command* command_buffer::first_of(entity_t entity) const noexcept {
    const chain* found = find_chain(entity);
    return found && found->segment == segment_ ? found->first : nullptr;
}

void command_buffer::mention(memory& mem, entity_t element) {
    ensure_chain(mem, element).mentioned = true;
}

bool command_buffer::is_mentioned(entity_t entity) const noexcept {
    const chain* found = find_chain(entity);
    return found && found->segment == segment_ && found->mentioned;
}

bool command_buffer::is_dangerous(entity_t entity) const noexcept {
    const chain* found = find_chain(entity);
    return found && found->segment == segment_ && found->dangerous;
}

void command_buffer::start_segment() noexcept {
    if (!next_starts_segment_) {
        next_starts_segment_ = true;
        ++segment_;
    }
}

command* command_buffer::take() noexcept {
    command* taken = first_;
    first_ = last_ = nullptr;
    running_ = std::exchange(filling_, nullptr);
    at_ = end_ = nullptr;
    next_starts_segment_ = true;
    ++segment_;
    return taken;
}

void command_buffer::recycle(memory& mem) noexcept {
    while (running_) {
        chunk* next = running_->next;
        if (running_->size == chunk_size) {
            running_->next = spare_;
            spare_ = running_;
        } else {
            mem.release(running_, running_->size, purpose::commands);
        }
        running_ = next;
    }
}

}  // namespace kith::mutate
