// Group functions from the callables that a builder receives.
//
// Covered by tests/features/ordering/group_test.cpp and tests/features/idioms/callables_test.cpp.
#pragma once

#include <kith/query_desc.hpp>
#include <kith/table.hpp>

namespace kith::detail {

// A function object that returns the group of a table; plain functions excluded.
template <class Func>
concept group_callback = !std::is_convertible_v<Func, group_by_action_t> &&
                         (std::is_invocable_v<Func&, world_t*, table_t*, id_t, void*> ||
                          std::is_invocable_v<Func&, kith::table>);

template <class Func>
group_function make_group_function(Func func) {
    return group_function::of(
        std::move(func), [](Func& kept, world_t* world, table_t* table, id_t id, void* ctx) {
            if constexpr (std::is_invocable_v<Func&, kith::table>) {
                return static_cast<std::uint64_t>(kept(kith::table(world, table)));
            } else {
                return static_cast<std::uint64_t>(kept(world, table, id, ctx));
            }
        });
}

template <class Func>
group_create_function make_group_create(Func func) {
    constexpr bool whole = std::is_invocable_v<Func&, world_t*, std::uint64_t, void*>;
    KITH_STATIC_ASSERT((whole || std::is_invocable_v<Func&, std::uint64_t>),
                       "on_group_create calls func(world_t*, group, ctx) or func(group)");
    return group_create_function::of(
        std::move(func), [](Func& kept, world_t* world, std::uint64_t group, void* ctx) -> void* {
            auto call = [&]() {
                if constexpr (std::is_invocable_v<Func&, world_t*, std::uint64_t, void*>) {
                    return kept(world, group, ctx);
                } else {
                    return kept(group);
                }
            };
            if constexpr (std::is_void_v<decltype(call())>) {
                call();
                return nullptr;
            } else {
                return call();
            }
        });
}

template <class Func>
group_delete_function make_group_delete(Func func) {
    constexpr bool whole = std::is_invocable_v<Func&, world_t*, std::uint64_t, void*, void*>;
    constexpr bool with_ctx = std::is_invocable_v<Func&, std::uint64_t, void*>;
    KITH_STATIC_ASSERT((whole || with_ctx || std::is_invocable_v<Func&, std::uint64_t>),
                       "on_group_delete calls func(world_t*, group, group_ctx, ctx), "
                       "func(group, group_ctx) or func(group)");
    return group_delete_function::of(
        std::move(func),
        [](Func& kept, world_t* world, std::uint64_t group, void* group_ctx, void* ctx) {
            if constexpr (std::is_invocable_v<Func&, world_t*, std::uint64_t, void*, void*>) {
                kept(world, group, group_ctx, ctx);
            } else if constexpr (std::is_invocable_v<Func&, std::uint64_t, void*>) {
                kept(group, group_ctx);
            } else {
                kept(group);
            }
        });
}

}  // namespace kith::detail
