// Implements the levels of deferring of stage.hpp: the outermost end runs the queue, throws the
// first error of callbacks, and deletes tables that were left.
#include "base/assert.hpp"
#include "base/attempt.hpp"
#include "mutate/context/wide_tables.hpp"

#include <exception>
#include <utility>

namespace kith::mutate {

void begin_defer(stage& world) noexcept {
    ++world.queue.depth;
    world.mode |= detail::mode_deferred;
}

bool end_defer(stage& world) {
    KITH_ASSERT(world.queue.depth != 0, "each end of deferring belongs to a begin");
    if (--world.queue.depth != 0) {
        return false;
    }
    world.mode &= ~std::uint32_t{detail::mode_deferred};
    // An open batch of monitors ends with a flush, even if no command was queued.
    const bool has_more =
        !world.queue.flushing && (!world.queue.commands.empty() || world.operation.batch_open);
    if (world.operation.failed) [[unlikely]] {
        // The exception of the callback is thrown after the queue ran, and takes precedence over
        // its errors.
        std::exception_ptr first = std::exchange(world.operation.failed, nullptr);
        if (has_more) {
            keep_error(world, [&] { flush(world); });
            world.operation.failed = nullptr;
        }
        std::rethrow_exception(first);
    }
    if (has_more) {
        flush(world);
    }
    finish_leaving(world);
    return true;
}

void abandon_defer(stage& world) noexcept {
    base::attempt([&] { end_defer(world); },
                  [] {
                      // The exception that is already leaving takes precedence.
                  });
}

}  // namespace kith::mutate
