// The boundary between C and C++: every function of <kith/kith.h> runs its body through guard(),
// which turns exceptions into a status and a message of the thread. Callbacks of the program run
// through callback_frame, by which kith_fail() reaches the caller of the operation.
//
// Covered by tests/capi/errors_test.c.
#pragma once

#include <kith/kith.h>
#include <kith/kith.hpp>

#include <cstring>

namespace kith::capi {

// Keeps status and message for the thread and calls the error action. In builds without exceptions
// the program ends.
[[gnu::cold]] kith_status_t fail(kith_status_t status, const char* message) noexcept;
// The failure of the exception that is being handled.
[[gnu::cold]] kith_status_t keep_exception() noexcept;
// A failure of an argument: "kith_set_id: value is NULL".
[[gnu::cold]] kith_status_t fail_argument(const char* function, const char* what) noexcept;
// The same as an error that core code can pass through.
[[noreturn]] void raise_argument(const char* function, const char* what);

// The handle that stands for a NULL world.
inline world_t* at(const kith_world_t* world) noexcept {
    return world ? const_cast<world_t*>(world) : &detail::no_world;
}
// A handle of C++ for one call. It does not own the world.
inline kith::world world_at(const kith_world_t* world) {
    return kith::world(at(world));
}

// Runs a body without a result. Returns the status of the call.
template <class Body>
KITH_ALWAYS_INLINE kith_status_t guard(Body&& body) noexcept {
#if defined(__cpp_exceptions)
    try {
        body();
        return KITH_OK;
    } catch (...) {
        return keep_exception();
    }
#else
    body();
    return KITH_OK;
#endif
}

// Runs a body that returns a value; `failed` is returned if it throws.
template <class Result, class Body>
KITH_ALWAYS_INLINE Result guard_value(Result failed, Body&& body) noexcept {
#if defined(__cpp_exceptions)
    try {
        return body();
    } catch (...) {
        keep_exception();
        return failed;
    }
#else
    static_cast<void>(failed);
    return body();
#endif
}

// The call of a callback of the program.
class callback_frame {
public:
    callback_frame() noexcept;
    ~callback_frame();
    callback_frame(const callback_frame&) = delete;
    callback_frame& operator=(const callback_frame&) = delete;
    // Throws errc::callback if the callback has called kith_fail().
    void finish();
    bool has_failed() const noexcept { return failed_; }
    // Keeps the failure for finish().
    void set_failed(kith_status_t status, const char* message) noexcept;

    // The innermost frame of the thread, null outside of callbacks.
    static callback_frame* innermost() noexcept;

private:
    // The frame of the callback that has called this one; frames of a thread form a stack.
    callback_frame* outer_;
    bool failed_ = false;
    char* message_ = nullptr;  // owned; null if memory was short
    kith_status_t status_ = KITH_OK;
};

// Calls a callback that may fail.
template <class Func, class... Args>
auto call_back(Func* function, Args... args) {
    callback_frame frame;
    if constexpr (std::is_void_v<decltype(function(args...))>) {
        function(args...);
        frame.finish();
    } else {
        auto result = function(args...);
        frame.finish();
        return result;
    }
}

// A pointer of the program with the function that frees it. Owns it.
class owned_context {
public:
    owned_context() noexcept = default;
    owned_context(void* context, kith_ctx_free_t free_context) noexcept
        : context_(context), free_(free_context) {}
    owned_context(owned_context&& other) noexcept
        : context_(other.context_), free_(detail::exchange(other.free_, nullptr)) {}
    owned_context& operator=(owned_context&& other) noexcept {
        std::swap(context_, other.context_);
        std::swap(free_, other.free_);
        return *this;
    }
    ~owned_context() {
        if (free_) {
            free_(context_);
        }
    }
    void* get() const noexcept { return context_; }

private:
    void* context_ = nullptr;
    kith_ctx_free_t free_ = nullptr;
};

// Frees the contexts of a descriptor that is refused before anything of it is used.
template <class Desc>
void drop_contexts(const Desc& desc) {
    if constexpr (requires { desc.ctx_free; }) {
        const owned_context ctx(desc.ctx, desc.ctx_free);
    }
    if constexpr (requires { desc.binding_ctx_free; }) {
        const owned_context binding(desc.binding_ctx, desc.binding_ctx_free);
    }
    if constexpr (requires { desc.group_by_ctx_free; }) {
        const owned_context group(desc.group_by_ctx, desc.group_by_ctx_free);
    }
    if constexpr (requires { desc.query; }) {
        drop_contexts(desc.query);
    }
    if constexpr (requires { desc.hooks; }) {
        drop_contexts(desc.hooks);
    }
}

// A descriptor as the program passes it: shorter ones of older headers are filled up with zeros,
// longer ones of newer headers are refused if they use members that are unknown here.
template <class Desc>
class read_desc {
public:
    read_desc(const char* function, const Desc* given, std::size_t size) : desc_(given) {
        if (!given) {
            raise_argument(function, "the descriptor is NULL");
        }
        if (size % alignof(Desc) != 0) {  // it would cut a member in two
            raise_argument(function, "the descriptor has a size that no struct can have");
        }
        if (size < sizeof(Desc)) {
            std::memcpy(static_cast<void*>(&copy_), given, size);
            desc_ = &copy_;
        } else if (size > sizeof(Desc)) {
            const auto* bytes = reinterpret_cast<const unsigned char*>(given);
            for (std::size_t i = sizeof(Desc); i < size; ++i) {
                if (bytes[i] != 0) {
                    drop_contexts(*given);
                    raise_argument(function, "the descriptor is of a newer version of kith.h");
                }
            }
        }
    }
    read_desc(const read_desc&) = delete;
    read_desc& operator=(const read_desc&) = delete;

    const Desc* operator->() const noexcept { return desc_; }
    const Desc& operator*() const noexcept { return *desc_; }

private:
    const Desc* desc_;
    Desc copy_{};
};

// A bool of a descriptor, which other languages may have filled with any byte.
inline bool flag(const bool& given) noexcept {
    unsigned char byte = 0;
    std::memcpy(&byte, &given, 1);
    return byte != 0;
}

// Throws an argument error, "function: what", for a null pointer.
inline void check_pointer(const void* pointer, const char* function, const char* what) {
    if (!pointer) [[unlikely]] {
        raise_argument(function, what);
    }
}
// Throws an argument error for a negative count, or for elements without an array.
inline void check_count(std::int32_t count, const void* array, const char* function) {
    if (count < 0) [[unlikely]] {
        raise_argument(function, "a count is negative");
    }
    if (count > 0 && !array) [[unlikely]] {
        raise_argument(function, "an array is NULL");
    }
}

// A copy of a text for the caller, to be freed by kith_free().
char* give(const kith::string& text);
char* give(text_view text);

// NULL is the empty text.
inline text_view text_of(const char* text) noexcept {
    return text ? text_view(text) : text_view();
}
// NULL is the default separator.
inline text_view separator_of(const char* text) noexcept {
    return text ? text_view(text) : text_view("::");
}

}  // namespace kith::capi
