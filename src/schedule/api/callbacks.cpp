// Callbacks of systems that step by themselves: iter::next() and iter::call()
// (include/kith/detail/event_ops.hpp), functions that run around a callback.
#include <kith/error.hpp>
#include <kith/system.hpp>

#include <utility>

namespace kith::detail {

namespace {

// Null for events of observers: only the payload of a system has the type of systems.
const system_info* find_info(const event_info* event) noexcept {
    return event && event->payload.type == system_payload ? static_cast<const system_info*>(event)
                                                          : nullptr;
}

// One result.
class single_feed final : public row_feed {
public:
    explicit single_feed(const result& found) : found_(found) {}
    bool next(result& found) override {
        found = found_;
        return !std::exchange(done_, true);
    }

private:
    const result& found_;
    bool done_ = false;
};

// A function that is called in place of a callback, which it calls by iter::call(). The wrapper
// owns the inner action and frees it with itself.
struct around_callback_of {
    kept_function<void(iter_t*)> function;
    system_action inner;

    static void run(void* kept, const system_call& call) {
        const auto& me = *static_cast<around_callback_of*>(kept);
        system_info info = *call.info;
        info.inner = &me.inner;
        kith::iter it(call.world, call.query, &info);
        me.function(&it);
    }
    static void end(void* kept) noexcept {
        auto* me = static_cast<around_callback_of*>(kept);
        me->inner.free_function(me->inner.function);
        delete me;
    }
};

}  // namespace

bool next_result(const world_t*, const event_info* event, result& found) {
    const system_info* info = find_info(event);
    if (!info || !info->feed) {
        raise_error(errc::invalid_operation,
                    "iter::next() is for the callbacks of system_builder::run()");
    }
    return info->feed->next(found);
}

// Calls outside of a wrapped callback do nothing. The inner callback gets one result and no feed of
// its own, so that iter::next() inside of it is refused.
void call_inner(world_t* world, const query_head* query, const event_info* event,
                const result& found) {
    const system_info* info = find_info(event);
    if (info && info->inner) {
        system_info inner = *info;
        inner.feed = nullptr;
        single_feed feed(found);
        info->inner->run(info->inner->function, {world, query, &inner, &feed, {}});
    }
}

system_action wrap_action(const kept_function<void(iter_t*)>& function,
                          const system_action& inner) {
    system_action made;
    made.run = around_callback_of::run;
    made.function = new around_callback_of{function, inner};
    made.free_function = around_callback_of::end;
    made.writes = inner.writes;
    made.table_wise = inner.table_wise;
    made.takes_entity = inner.takes_entity;
    made.steps = true;
    return made;
}

}  // namespace kith::detail
