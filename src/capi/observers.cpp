// The chapter "observers, events, monitors" of kith.h.
#include <kith/detail/mutex.hpp>
#include <kith/observer.hpp>

#include "ids.hpp"
#include "iterators.hpp"
#include "queries.hpp"

#include <map>
#include <memory>
#include <string>

namespace kith::capi {

namespace {

// The callback of an observer or a monitor, with its contexts.
struct observer_function {
    kith_iter_action_t callback = nullptr;
    kith_iter_action_t run = nullptr;
    owned_context ctx;
    owned_context binding;
    const void* store = nullptr;  // key of the list of contexts
    entity_t entity = 0;
};

// The contexts of the observers of all worlds, by store and entity.
using context_map = std::map<std::pair<const void*, entity_t>, void*>;
struct context_list {
    detail::mutex mutex;
    context_map contexts;
};
context_list& living_contexts() {
    static context_list& instance = *new context_list;
    return instance;
}

// Fills in an iterator for one result. All pointers are valid during the callback only.
void show_event(kith_iter_t& it, const detail::observed& what, const observer_function& function) {
    it.world = what.world;
    it.query = what.query;
    show(it, what.world, *what.found);
    if (what.event) {
        it.event = what.event->event;
        it.event_id = what.event->id;
        it.param = what.event->payload.value;
    }
    it.ctx = function.ctx.get();
    it.binding_ctx = function.binding.get();
    it.reserved[3] = is_callback;
}

// The function that core calls. In `run`, reserved[2] leads to the callback.
void call_observer(void* context, const detail::observed& what) {
    const auto& function = *static_cast<observer_function*>(context);
    kith_iter_t it{};
    show_event(it, what, function);
    if (function.run) {
        it.reserved[2] = reinterpret_cast<std::uint64_t>(&function);
        call_back(function.run, &it);
    } else {
        call_back(function.callback, &it);
    }
}

// Core calls this once, when the observer or monitor ends, or if it could not be made.
void free_observer(void* context) noexcept {
    const std::unique_ptr<observer_function> ended(static_cast<observer_function*>(context));
    if (ended->store) {
        detail::lock_guard lock(living_contexts().mutex);
        living_contexts().contexts.erase({ended->store, ended->entity});
    }
}

detail::observer_action action_of(observer_function* function) noexcept {
    return {call_observer, function, free_observer};
}

// Takes over the contexts of a description.
std::unique_ptr<observer_function> take_function(const kith_observer_desc_t& desc) {
    owned_context ctx(desc.ctx, desc.ctx_free);
    owned_context binding(desc.binding_ctx, desc.binding_ctx_free);
    auto made = std::make_unique<observer_function>();
    made->callback = desc.callback;
    made->run = desc.run;
    made->ctx = std::move(ctx);
    made->binding = std::move(binding);
    return made;
}

// The entry of an observer in the list of contexts. Entry and list are made before the observer, so
// that listing it cannot fail.
context_map::node_type make_entry() {
    context_map single;
    single.emplace();
    return single.extract(single.begin());
}

// Makes an observer by `make`, which takes over the function. An observer whose callback has
// deleted it is gone, together with its function.
template <class Make>
entity_t make_listed(world_t* world, std::unique_ptr<observer_function> function, Make&& make) {
    context_list& all = living_contexts();
    context_map::node_type entry = make_entry();
    observer_function* kept = function.release();
    const entity_t observer = make(action_of(kept));
    if (!detail::is_alive(world, observer)) {
        return observer;
    }
    entry.key() = {world->store, observer};
    entry.mapped() = kept->ctx.get();
    kept->store = world->store;
    kept->entity = observer;
    detail::lock_guard lock(all.mutex);
    all.contexts.insert(std::move(entry));
    return observer;
}

entity_t init_observer(world_t* world, const kith_observer_desc_t& given) {
    std::unique_ptr<observer_function> function = take_function(given);
    const query_description terms(given.query, "kith_observer_init");
    check_world(world);
    if (!given.callback && !given.run) {
        raise_argument("kith_observer_init", "callback and run are NULL");
    }
    detail::observer_desc desc;
    desc.terms = terms.get();
    std::string path;
    if (given.entity != 0) {
        path = path_of_entity(world, given.entity, "kith_observer_init");
        desc.terms.name = text_view(path);
    }
    desc.events = given.events;
    while (desc.event_count < std::size(given.events) && given.events[desc.event_count] != 0) {
        ++desc.event_count;
    }
    desc.table_wise = true;
    desc.yield_existing = flag(given.yield_existing);
    return make_listed(world, std::move(function), [&](detail::observer_action action) {
        return detail::make_observer(world, desc, action);
    });
}

detail::emission emission_of(const kith_event_desc_t& given, const char* function) {
    check_count(given.id_count, given.ids, function);
    if (given.offset < 0 || given.count < 0) {
        raise_argument(function, "offset or count is negative");
    }
    if (given.entity != 0 && given.table) {
        raise_argument(function, "both an entity and a table are given");
    }
    if (given.id_count > 16) {
        detail::raise_too_many_ids(16);
    }
    detail::emission event;
    event.event = detail::checked_entity(given.event, function, "the event");
    for (std::int32_t i = 0; i < given.id_count; ++i) {
        detail::checked_id(given.ids[i], function, "the id");
    }
    event.ids = given.ids;
    event.id_count = static_cast<std::uint32_t>(given.id_count);
    event.entity = given.entity;
    event.table = reinterpret_cast<const detail::table_shape*>(given.table);
    event.for_rows = given.table != nullptr;
    event.offset = given.offset;
    event.count = given.count;
    if (given.param_type != 0 &&
        (given.param_type >= first_entity || !detail::find_type(index_of(given.param_type)))) {
        raise_argument(function, "param_type is no type of the process; 0 is a type not known");
    }
    event.payload = {given.param, given.param ? index_of(given.param_type) : 0};
    return event;
}

}  // namespace
}  // namespace kith::capi

using namespace kith::capi;
namespace detail = kith::detail;

extern "C" {

kith_entity_t kith_observer_init_w_size(kith_world_t* world, const kith_observer_desc_t* desc,
                                        size_t size) {
    return guard_value<kith_entity_t>(0, [&] {
        const read_desc<kith_observer_desc_t> given("kith_observer_init", desc, size);
        return init_observer(at(world), *given);
    });
}
kith_query_t* kith_observer_query(kith_world_t* world, kith_entity_t observer) {
    return guard_value<kith_query_t*>(nullptr, [&] {
        detail::checked_entity(observer, "kith_observer_query");
        return detail::observer_query(at(world), observer);
    });
}
void* kith_observer_get_ctx(const kith_world_t* world, kith_entity_t observer) {
    return guard_value<void*>(nullptr, [&]() -> void* {
        check_world(world);
        detail::lock_guard lock(living_contexts().mutex);
        const auto found = living_contexts().contexts.find({world->store, observer});
        return found == living_contexts().contexts.end() ? nullptr : found->second;
    });
}
kith_entity_t kith_entity_observer_init_w_size(kith_world_t* world, kith_entity_t entity,
                                               kith_entity_t event,
                                               const kith_observer_desc_t* desc, size_t size) {
    return guard_value<kith_entity_t>(0, [&] {
        const read_desc<kith_observer_desc_t> given("kith_entity_observer_init", desc, size);
        std::unique_ptr<observer_function> function = take_function(*given);
        check_world(world);
        if (!given->callback) {
            raise_argument("kith_entity_observer_init", "callback is NULL");
        }
        function->run = nullptr;
        return make_listed(at(world), std::move(function), [&](detail::observer_action action) {
            return detail::make_entity_observer(at(world), entity, event, action);
        });
    });
}
kith_status_t kith_emit_w_size(kith_world_t* world, const kith_event_desc_t* desc, size_t size) {
    return guard([&] {
        const read_desc<kith_event_desc_t> given("kith_emit", desc, size);
        check_world(world);
        detail::emit_event(at(world), emission_of(*given, "kith_emit"));
    });
}
kith_status_t kith_enqueue_w_size(kith_world_t* world, const kith_event_desc_t* desc, size_t size) {
    return guard([&] {
        const read_desc<kith_event_desc_t> given("kith_enqueue", desc, size);
        check_world(world);
        detail::enqueue_event(at(world), emission_of(*given, "kith_enqueue"));
    });
}
kith_status_t kith_iter_call(kith_iter_t* it) {
    return guard([&] {
        check_pointer(it, "kith_iter_call", "the iterator is NULL");
        if (it->reserved[3] == is_system_run) {
            if (const kith_iter_action_t callback = system_steps::of(*it).inner()) {
                call_back(callback, it);
            }
            return;
        }
        const auto* function = reinterpret_cast<const observer_function*>(it->reserved[2]);
        if (it->reserved[3] != is_callback || !function) {
            detail::raise_error(
                kith::errc::invalid_operation,
                "kith_iter_call is for the function `run` of an observer or a system");
        }
        if (function->callback) {
            call_back(function->callback, it);
        }
    });
}
kith_monitor_t* kith_monitor_init_w_size(kith_query_t* query, const kith_monitor_desc_t* desc,
                                         size_t size) {
    return guard_value<kith_monitor_t*>(nullptr, [&] {
        const read_desc<kith_monitor_desc_t> given("kith_monitor_init", desc, size);
        kith_observer_desc_t as_observer{};
        as_observer.callback = given->callback;
        as_observer.ctx = given->ctx;
        as_observer.ctx_free = given->ctx_free;
        std::unique_ptr<observer_function> function = take_function(as_observer);
        check_pointer(query, "kith_monitor_init", "the query is NULL");
        if (!given->callback) {
            raise_argument("kith_monitor_init", "callback is NULL");
        }
        detail::world_of(query);
        const bool both = !flag(given->enter) && !flag(given->leave);
        const std::uint32_t events = (both || flag(given->enter) ? detail::monitor_enter : 0u) |
                                     (both || flag(given->leave) ? detail::monitor_leave : 0u) |
                                     (flag(given->existing) ? detail::monitor_existing : 0u);
        return detail::make_monitor(query, events, action_of(function.release()));
    });
}
void kith_monitor_fini(kith_monitor_t* monitor) {
    if (monitor) {
        detail::end_monitor(monitor);
    }
}
}
