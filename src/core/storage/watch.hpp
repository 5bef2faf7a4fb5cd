// Those who remember something about entities, and want to know when it changes.
#pragma once

#include <cstdint>

namespace kith::storage {

struct table;

struct change_watch {
    // What the entity has beside its table changed: a sparse component, or a link from it.
    void (*changed)(void* context, std::uint32_t index) noexcept;
    // The entity went from one table to another.
    void (*moved)(void* context, std::uint32_t index, const table& from, const table& to) noexcept;
    void* context;
};

}  // namespace kith::storage
