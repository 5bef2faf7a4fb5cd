// Failures and callbacks at the boundary (boundary.hpp), and the chapter "library" of kith.h.
#include "boundary.hpp"

#include <kith/detail/mutex.hpp>
#include <kith/detail/thread_owned.hpp>
#include <kith/log.hpp>

#include <cstdio>
#include <cstdlib>
#include <new>

namespace kith::capi {

namespace {

// The last failure of a thread.
struct last_failure {
    kith_status_t status = KITH_OK;
    char* message = nullptr;  // owned
    // The text of a failure whose message could not be copied.
    const char* fallback = "";

    ~last_failure() { std::free(message); }
    const char* text() const noexcept { return message ? message : fallback; }
    // A message that cannot be stored makes the failure one of memory.
    void keep(kith_status_t failed, const char* text) noexcept {
        char* copy = ::strdup(text);
        std::free(message);
        message = copy;
        status = copy ? failed : KITH_NO_MEMORY;
        fallback = "out of memory, also for the message";
    }
};
KITH_THREAD_OWNED(last_failure, failure);
// The innermost frame of the thread. Frames live on the stack of the calls that run callbacks.
constinit thread_local callback_frame* frames = nullptr;

// The function of the program that is called for each failure, by the thread that has failed.
struct error_action {
    kith_error_action_t call = nullptr;
    void* context = nullptr;
};
// True while the action runs. Failures of its own calls are neither reported to it nor kept: the
// failure that it was called for stays the last one.
constinit thread_local bool in_action = false;
// Guards `installed_action`.
detail::mutex action_mutex;
error_action installed_action;

// A copy, so that the action runs without the lock and may install another one.
error_action current_action() noexcept {
    detail::lock_guard lock(action_mutex);
    return installed_action;
}

// Codes of C++ begin with 0 and statuses with KITH_OK, hence the step by one.
constexpr kith_status_t status_of(errc code) noexcept {
    return code == errc::callback ? KITH_CALLBACK : static_cast<kith_status_t>(code) + 1;
}

#if !defined(__cpp_exceptions)
// The handler of core errors: the action of the program is called, and core ends the program.
void report_error(errc code, const char* message) {
    const error_action told = current_action();
    if (told.call) {
        told.call(status_of(code), message, told.context);
    }
}
#endif

// Names by status, from KITH_OK on. Statuses outside of the list are in kith_status_name().
constexpr const char* status_names[] = {
    "ok",
    "invalid_entity",
    "invalid_id",
    "wrong_type",
    "type_conflict",
    "invalid_type",
    "not_constructible",
    "not_copyable",
    "already_exists",
    "missing_component",
    "name_taken",
    "invalid_name",
    "locked",
    "in_use",
    "constraint",
    "cycle",
    "invalid_operation",
    "limit",
    "invalid_query",
    "invalid_text",
    "invalid_value",
    "invalid_file",
    "conflict",
    "undeclared_access",
};

#if defined(__cpp_exceptions)
// Thrown for arguments that C++ has no code for.
struct argument_error {
    kith::string message;
};
#endif

}  // namespace

kith_status_t fail(kith_status_t status, const char* message) noexcept {
    if (in_action) {
        return status;
    }
    failure().keep(status, message);
    const kith_status_t kept = failure().status;
    const error_action told = current_action();
    if (told.call) {
        in_action = true;
        told.call(kept, failure().text(), told.context);
        in_action = false;
        failure().status = kept;
    }
#if !defined(__cpp_exceptions)
    std::fprintf(stderr, "kith: %s: %s\n", kith_status_name(status), message);
    std::abort();
#else
    return kept;
#endif
}

// Requires: an exception is being handled. Exceptions of other types are reported as failures of a
// callback.
kith_status_t keep_exception() noexcept {
#if defined(__cpp_exceptions)
    try {
        throw;
    } catch (const kith::error& raised) {
        return fail(status_of(raised.code()), raised.what());
    } catch (const argument_error& raised) {
        return fail(KITH_INVALID_ARGUMENT, raised.message.c_str());
    } catch (const std::bad_alloc&) {
        return fail(KITH_NO_MEMORY, "out of memory");
    } catch (const std::exception& raised) {
        return fail(KITH_CALLBACK, raised.what());
    } catch (...) {
        return fail(KITH_CALLBACK, "a callback has thrown an exception of an unknown type");
    }
#else
    return KITH_OK;
#endif
}

namespace {
// "function: what", shortened where it is long.
struct argument_text {
    char text[256];
    argument_text(const char* function, const char* what) noexcept {
        std::snprintf(text, sizeof text, "%s: %s", function, what);
    }
};
}  // namespace

kith_status_t fail_argument(const char* function, const char* what) noexcept {
    return fail(KITH_INVALID_ARGUMENT, argument_text(function, what).text);
}

void raise_argument(const char* function, const char* what) {
#if defined(__cpp_exceptions)
    throw argument_error{kith::string(text_view(argument_text(function, what).text))};
#else
    fail_argument(function, what);
    std::abort();
#endif
}

callback_frame::callback_frame() noexcept : outer_(frames) {
    frames = detail::hidden(this);
}
callback_frame::~callback_frame() {
    frames = outer_;
    std::free(message_);
}
callback_frame* callback_frame::innermost() noexcept {
    return frames;
}
// The last failure of a callback wins. Without memory for the message, finish() reports the name of
// the status.
void callback_frame::set_failed(kith_status_t status, const char* message) noexcept {
    std::free(message_);
    message_ = ::strdup(message);
    status_ = status;
    failed_ = true;
}
void callback_frame::finish() {
    if (failed_) [[unlikely]] {
        detail::raise_error(errc::callback, message_ ? message_ : kith_status_name(status_));
    }
}

// The memory is that of malloc(), which kith_free() releases.
char* give(text_view text) {
    auto* copy = static_cast<char*>(std::malloc(text.size + 1));
    if (!copy) {
#if defined(__cpp_exceptions)
        throw std::bad_alloc();
#else
        std::abort();
#endif
    }
    std::memcpy(copy, text.data, text.size);
    copy[text.size] = 0;
    return copy;
}
char* give(const kith::string& text) {
    return give(text_view(text));
}

}  // namespace kith::capi

using namespace kith::capi;

extern "C" {

const char* kith_version(void) {
    return KITH_VERSION;
}
uint32_t kith_version_number(void) {
    return 100;
}
uint32_t kith_abi_version(void) {
    return KITH_ABI_VERSION;
}
uint32_t kith_build_flags(void) {
    uint32_t flags = 0;
#if defined(__cpp_exceptions)
    flags |= KITH_BUILD_RECOVERABLE;
#endif
#if defined(KITH_ASSERTS) && KITH_ASSERTS
    flags |= KITH_BUILD_ASSERTS;
#endif
#if defined(KITH_WITH_TEXT)
    flags |= KITH_BUILD_TEXT;
#endif
    return flags;
}

const char* kith_status_name(kith_status_t status) {
    switch (status) {
        case KITH_NO_MEMORY:
            return "no_memory";
        case KITH_CALLBACK:
            return "callback";
        case KITH_INVALID_ARGUMENT:
            return "invalid_argument";
        default:
            return status >= 0 && static_cast<std::size_t>(status) < std::size(status_names)
                       ? status_names[status]
                       : "unknown";
    }
}
kith_status_t kith_last_status(void) {
    return failure().status;
}
// The text belongs to the library and is valid until the next failure of the same thread.
const char* kith_last_message(void) {
    return failure().status == KITH_OK ? "" : failure().text();
}
void kith_clear_error(void) {
    failure().status = KITH_OK;
}
void kith_set_error_action(kith_error_action_t set, void* ctx) {
    kith::detail::lock_guard lock(action_mutex);
    installed_action = {set, ctx};
#if !defined(__cpp_exceptions)
    kith::set_error_handler(report_error);
#endif
}
// Outside of callbacks, the failure is kept for the thread and reaches no other caller.
kith_status_t kith_fail(kith_status_t status, const char* message) {
    const kith_status_t failed = status == KITH_OK ? KITH_CALLBACK : status;
    const char* text = message ? message : kith_status_name(failed);
    if (callback_frame* frame = callback_frame::innermost()) {
        frame->set_failed(failed, text);
    }
    fail(failed, text);
    return failed;
}
void kith_free(void* memory) {
    std::free(memory);
}
void kith_set_log(kith_log_action_t set, void* ctx) {
    kith::set_log(set, ctx);
}
}
