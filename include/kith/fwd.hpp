// Forward declarations of kith's public types, and the few macros.
#pragma once

#include <kith/detail/build_tag.hpp>

#include <cstddef>
#include <cstdint>

// Every compile-time check of the library goes through this macro; define it before the first
// include to replace it (for example by nothing, or by one with a longer message).
#ifndef KITH_STATIC_ASSERT
#define KITH_STATIC_ASSERT(condition, message) static_assert(condition, message)
#endif

#if defined(__GNUC__)
#define KITH_ALWAYS_INLINE inline __attribute__((always_inline))
// Data of headers, where a program consists of several files (shared libraries): one for all of
// them, whatever visibility they are compiled with; or one for each of them, so that files which
// contain kith themselves do not mix up their lists of types.
#define KITH_ONE_PER_PROCESS [[gnu::visibility("default")]]
#define KITH_ONE_PER_FILE [[gnu::visibility("hidden")]]
#else
#define KITH_ALWAYS_INLINE inline
#define KITH_ONE_PER_PROCESS
#define KITH_ONE_PER_FILE
#endif

namespace kith {

struct world_t;  // raw world handle, see detail/layout.hpp
struct table_t;
struct type_t;

class world;
class snapshot;  // see snapshot.hpp
class scoped_world;
class id;
class entity_view;
class entity;
class table;
class table_range;
class type;
class iter;
class term;
class value_constant;
struct query_desc;
class traversal;
class timer;
class phase;
class app_builder;
struct world_info_t;
struct entity_to_json_desc_t;  // see json_desc.hpp
struct iter_to_json_desc_t;
struct from_json_desc_t;
struct executor;  // see executor.hpp
struct system_stats;
struct pipeline_stats;
struct frame_stats;
struct relation_desc;
class untyped_component;
class string;
class string_view;
class error;
struct type_info;

using ctx_free_t = void (*)(void* context);
// The raw iterator, and a function that gets it.
using iter_t = iter;
using iter_action_t = void (*)(iter_t* it);

// Where a world takes its memory from. `allocate` throws std::bad_alloc on failure, or returns
// null. See memory_resource.hpp for std::pmr.
struct world_memory {
    void* (*allocate)(void* context, std::size_t size, std::size_t alignment);
    void (*deallocate)(void* context, void* memory, std::size_t size,
                       std::size_t alignment) noexcept;
    void* context;
    // Small blocks are cut from large ones. Without, each is asked for by itself, which lets tools
    // that check memory see more.
    bool pools = true;
};

template <class T>
class component;
template <class T>
class ref;
template <class R>
class rel;
template <class First, class Second>
class pair;
template <class E>
class enum_data;
template <class... Ts>
class filter;
template <class... Ts>
class query;
// A rule is a filter: both have all abilities of queries.
template <class... Ts>
using rule = filter<Ts...>;
template <class... Ts>
class filter_builder;
class observer;
template <class... Ts>
class observer_builder;
class system;
template <class... Ts>
class system_builder;
template <class... Ts>
class pipeline;
template <class... Ts>
class pipeline_builder;
class schedule;
struct failure;
class event_builder;
template <class E>
class event_builder_typed;
// Values part by part, and the functions of values that only their type can read; see meta.hpp.
class cursor;
class value_view;  // see value.hpp
class value_edit;
template <class T, class E = void>
class opaque;
template <class... Ts>
class query_builder;
template <class... Ts>
using rule_builder = filter_builder<Ts...>;
// A text as a template argument.
template <std::size_t N>
struct literal {
    char text[N] = {};
    consteval literal(const char (&from)[N]) noexcept {
        for (std::size_t i = 0; i < N; ++i) {
            text[i] = from[i];
        }
    }
};

}  // namespace kith
