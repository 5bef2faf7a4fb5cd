// The list of blocks whose worlds have ended.
#include "api/world_block.hpp"

#include <kith/detail/mutex.hpp>

#include "base/assert.hpp"

#include <new>

namespace kith::api {

namespace {

// The link at the start of a retired block.
struct retired {
    retired* next;
};

// Retired blocks, the oldest first. The longer a block stays unused, the more uses of handles to
// its ended world are detected before another world gets the block.
struct retired_list {
    detail::mutex lock;
    retired* oldest = nullptr;
    retired* newest = nullptr;
    std::size_t count = 0;
};
constexpr std::size_t fewest_retired = 64;

// Never destroyed, because static objects may hold handles.
retired_list& all_retired() noexcept {
    alignas(retired_list) static std::byte room[sizeof(retired_list)];
    static retired_list* list = ::new (static_cast<void*>(room)) retired_list;
    return *list;
}

}  // namespace

void* take_world_block(std::size_t size, std::size_t alignment) noexcept {
    retired_list& list = all_retired();
    {
        const detail::lock_guard guard(list.lock);
        if (list.count > fewest_retired) {
            KITH_ASSERT(list.oldest, "the list has as many blocks as it counts");
            retired* block = list.oldest;
            list.oldest = block->next;
            --list.count;
            return block;
        }
    }
    return ::operator new (size, std::align_val_t{alignment}, std::nothrow);
}

void retire_world_block(void* block, world_t* handle) noexcept {
    KITH_ASSERT(static_cast<void*>(handle) >= static_cast<std::byte*>(block) + sizeof(retired),
                "the handle of a world begins behind the link of its block");
    retired_list& list = all_retired();
    const detail::lock_guard guard(list.lock);
    ::new (static_cast<void*>(handle)) world_t{&detail::empty_store, detail::mode_redirected};
    auto* added = ::new (block) retired{nullptr};
    (list.count == 0 ? list.oldest : list.newest->next) = added;
    list.newest = added;
    ++list.count;
}

}  // namespace kith::api
