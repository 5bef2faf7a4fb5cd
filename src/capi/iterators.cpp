// The chapter "iterating" of kith.h, and the iterators of relationships.
//
// kith_iter_t lies with the caller; the run behind it is a block that its thread keeps for the next
// run, so that a warm run allocates nothing. The iterator has the block in `state`, the number of
// the run in reserved[0], by which a copy that outlives the run is recognized, and the mark of the
// thread in reserved[1].
//
// Covered by tests/capi/iterate_test.c.
#include "iterators.hpp"

#include <kith/detail/thread_owned.hpp>

#include "ids.hpp"

#include <atomic>
#include <memory>
#include <new>
#include <string>
#include <utility>

namespace kith::capi {

// Results are handed out as core makes them.
static_assert(sizeof(kith_field_t) == sizeof(detail::field_data) &&
              offsetof(kith_field_t, ptr) == offsetof(detail::field_data, value) &&
              offsetof(kith_field_t, id) == offsetof(detail::field_data, id) &&
              offsetof(kith_field_t, src) == offsetof(detail::field_data, source) &&
              offsetof(kith_field_t, stride) == offsetof(detail::field_data, stride) &&
              offsetof(kith_field_t, flags) == offsetof(detail::field_data, flags));
static_assert(KITH_FIELD_SET == detail::field_set &&
              KITH_FIELD_READONLY == detail::field_readonly &&
              KITH_FIELD_WRITEONLY == detail::field_write_only);
static_assert(sizeof(void*) != 8 || (sizeof(kith_term_id_t) == 40 && sizeof(kith_term_t) == 160 &&
                                     sizeof(kith_field_t) == 40));

namespace {

// A function of the program that ends a run.
struct stop_function {
    bool (*call)(void* ctx) = nullptr;
    void* ctx = nullptr;
    bool stop_requested() const { return call_back(call, ctx); }
};

struct query_iteration {
    query_iteration(const detail::query_ref& query, world_t* world, bool instanced)
        : run(query, world, instanced) {}
    iter_iterable<> run;
    stop_function stop;
};
// The entities with an id.
struct id_iteration {
    id_iteration(world_t* world, id_t id) : cursor(world, id, false) {}
    detail::id_cursor cursor;
    detail::field_data field{};
};
// The entities with a pair.
struct source_iteration {
    source_iteration(world_t* world, entity_t relation, entity_t target)
        : cursor(world, relation, target) {
        field.id = make_pair(relation, target);
        field.flags = detail::field_set | detail::field_readonly;
    }
    detail::source_cursor cursor;
    detail::field_data field{};
};
// A list of entities that was made when the run began.
struct list_iteration {
    std::vector<entity_t> entities;
    bool shown = false;
};

enum class run_kind : std::uint8_t { none, query, id, sources, list };

// The memory of a run.
struct run_block {
    run_block* next = nullptr;  // in the list of all blocks of the thread
    std::uint64_t number = 0;   // of the run; changes with each
    world_t* world = nullptr;
    run_kind kind = run_kind::none;
    bool started = false;
    union {
        std::byte nothing;
        query_iteration query;
        id_iteration id;
        source_iteration sources;
        list_iteration list;
    };

    run_block() : nothing{} {}
    ~run_block() { end(); }
    run_block(const run_block&) = delete;
    run_block& operator=(const run_block&) = delete;

    void end() noexcept {
        switch (detail::exchange(kind, run_kind::none)) {
            case run_kind::query:
                query.~query_iteration();
                break;
            case run_kind::id:
                id.~id_iteration();
                break;
            case run_kind::sources:
                sources.~source_iteration();
                break;
            case run_kind::list:
                list.~list_iteration();
                break;
            case run_kind::none:
                break;
        }
        ++number;
    }
};

constinit thread_local run_block* blocks = nullptr;

// Frees the blocks of a thread when it ends.
struct block_owner {
    run_block* first = nullptr;
    ~block_owner() {
        blocks = nullptr;
        while (first) {
            delete std::exchange(first, first->next);
        }
    }
};
KITH_THREAD_OWNED(block_owner, owner_of_blocks);

// Marks are never given twice: addresses would be, by threads that begin after others have ended.
std::atomic<std::uint64_t> marks_given{0};
constinit thread_local std::uint64_t mark_of_thread = 0;

KITH_ALWAYS_INLINE std::uint64_t thread_mark() noexcept {
    if (mark_of_thread == 0) [[unlikely]] {
        mark_of_thread = marks_given.fetch_add(1, std::memory_order_relaxed) + 1;
    }
    return mark_of_thread;
}

run_block& take_block() {
    for (run_block* block = blocks; block; block = block->next) {
        if (block->kind == run_kind::none) [[likely]] {
            return *block;
        }
    }
    auto* added = new run_block;
    added->next = blocks;
    owner_of_blocks().first = blocks = added;
    return *added;
}

// Shows no result: entities, fields, count, field_count, table and offset lie next to each other.
KITH_ALWAYS_INLINE void clear(kith_iter_t& it) noexcept {
    constexpr std::size_t first = offsetof(kith_iter_t, entities);
    std::memset(reinterpret_cast<std::byte*>(&it) + first, 0,
                offsetof(kith_iter_t, status) - first);
    it.variables = nullptr;
}

// Makes all members zero, by single stores: for the whole struct the compiler would call memset().
KITH_ALWAYS_INLINE void reset(kith_iter_t& it) noexcept {
    constexpr std::size_t width = 32;
    constexpr std::size_t rest = sizeof it % width;
    auto* bytes = reinterpret_cast<std::byte*>(&it);
    const auto zero = [&]<std::size_t... I>(std::index_sequence<I...>) {
        (std::memset(bytes + I * width, 0, width), ...);
    };
    zero(std::make_index_sequence<sizeof it / width>());
    std::memset(bytes + (sizeof it - rest), 0, rest);
}

// Ends a run that could not be begun.
struct unfinished {
    run_block* block;
    ~unfinished() {
        if (block) {
            block->end();
        }
    }
};

// Begins an iterator: `make` places the run in the block and sets its kind.
template <class Make>
kith_status_t begin(kith_iter_t* it, const char* function, Make&& make) {
    if (!it) {
        return fail_argument(function, "the iterator is NULL");
    }
    reset(*it);
    it->status = guard([&] {
        run_block& block = take_block();
        unfinished failed{&block};
        make(block);
        failed.block = nullptr;
        block.started = false;
        it->world = block.world;
        it->state = &block;
        it->reserved[0] = block.number;
        it->reserved[1] = thread_mark();
    });
    return it->status;
}

// Throws if an iterator that has no run is that of a callback.
void check_no_callback(const kith_iter_t& it) {
    if (it.reserved[3] != 0) {
        detail::raise_error(errc::invalid_operation,
                            "the iterator of a callback shows one result: it is no run");
    }
}
// The next result of an iterator without a run: that of the function `run` of a system.
[[gnu::noinline]] bool next_of_system(kith_iter_t& it) {
    if (it.reserved[3] == is_system_run) {
        return system_steps::of(it).next(it);
    }
    check_no_callback(it);
    return false;
}

// The run of an iterator, null after its end. Throws on another thread, and in callbacks.
run_block* find_run(const kith_iter_t& it) {
    if (!it.state) {
        check_no_callback(it);
        return nullptr;
    }
    if (it.reserved[1] != mark_of_thread) {  // 0 in a thread without runs
        detail::raise_error(errc::invalid_operation,
                            "the iterator belongs to the thread that began it");
    }
    auto* block = static_cast<run_block*>(it.state);
    return block->number == it.reserved[0] ? block : nullptr;
}

// False for a copy that has outlived its run: the query and the rows that it shows may be gone.
bool is_current(const kith_iter_t& it) {
    return !it.state || find_run(it);
}

// The run of a query that has not begun to give results.
query_iteration& unstarted(const kith_iter_t* it, const char* function) {
    check_pointer(it, function, "the iterator is NULL");
    run_block* block = find_run(*it);
    if (!block || block->kind != run_kind::query) {
        detail::raise_error(errc::invalid_operation,
                            "only the run of a query, before its end, can be restricted");
    }
    if (block->started) {
        detail::raise_error(errc::invalid_operation, "a run is restricted before its first result");
    }
    return block->query;
}
// The result that the run of a query shows.
const iter& shown(const kith_iter_t* it, const char* function) {
    check_pointer(it, function, "the iterator is NULL");
    run_block* block = find_run(*it);
    if (!block || block->kind != run_kind::query) {
        detail::raise_error(errc::invalid_operation, "the iterator is no run of a query");
    }
    return *block->query.run;
}

bool next_id(kith_iter_t& it, run_block& block) {
    detail::batch rows;
    if (!block.id.cursor.next(rows)) {
        return false;
    }
    detail::field_data& field = block.id.field;
    const type_info* type = detail::type_of(block.world, rows.id);
    field.value = static_cast<std::byte*>(rows.values);
    field.id = rows.id;
    field.stride = type && rows.values ? type->size : 0;
    field.flags = detail::field_set | detail::field_readonly;
    it.entities = rows.entities;
    it.count = static_cast<std::int32_t>(rows.count);
    it.table = rows.table ? reinterpret_cast<kith_table_t*>(block.world->store->shapes[rows.table])
                          : nullptr;
    it.offset = static_cast<std::int32_t>(rows.first_row);
    it.fields = reinterpret_cast<const kith_field_t*>(&field);
    it.field_count = 1;
    return true;
}
bool next_source(kith_iter_t& it, run_block& block) {
    const entity_t* end = nullptr;
    const entity_t* first = block.sources.cursor.next(end);
    // Entities that were deleted meanwhile are left out at both ends.
    while (first && (first == end || *first == 0)) {
        first = first == end ? block.sources.cursor.next(end) : first + 1;
    }
    if (!first) {
        return false;
    }
    it.entities = first;
    it.count = static_cast<std::int32_t>(end - first);
    it.fields = reinterpret_cast<const kith_field_t*>(&block.sources.field);
    it.field_count = 1;
    return true;
}
bool next_listed(kith_iter_t& it, run_block& block) noexcept {
    if (block.list.shown || block.list.entities.empty()) {
        return false;
    }
    block.list.shown = true;
    it.entities = block.list.entities.data();
    it.count = static_cast<std::int32_t>(block.list.entities.size());
    return true;
}

bool next_result(kith_iter_t& it, run_block& block) {
    block.started = true;
    switch (block.kind) {
        case run_kind::query:
            if (!block.query.run.next()) {
                return false;
            }
            show(it, block.world, block.query.run->raw());
            return true;
        case run_kind::id:
            return next_id(it, block);
        case run_kind::sources:
            return next_source(it, block);
        case run_kind::list:
            return next_listed(it, block);
        case run_kind::none:
            break;
    }
    return false;
}

// Ends the run of an iterator. The run was an owner of the query: it may be gone.
void finish(kith_iter_t& it, run_block& block) noexcept {
    clear(it);
    it.query = nullptr;
    it.state = nullptr;
    block.end();
}

// The next result of an iterator. A run that is at its end, or fails, is ended.
KITH_ALWAYS_INLINE kith_status_t step(kith_iter_t* it, bool& found) noexcept {
    found = false;
    if (!it) [[unlikely]] {
        return fail_argument("kith_iter_next", "the iterator is NULL");
    }
    run_block* run = nullptr;
    const kith_status_t status = guard([&] {
        if (!it->state) [[unlikely]] {
            found = next_of_system(*it);
            return;
        }
        run = find_run(*it);
        found = run && next_result(*it, *run);
    });
    if (!found && run) {
        it->status = status;
        finish(*it, *run);
    }
    return status;
}

// The world of a query run: the given one must be that of the query.
world_t* stage_for(const kith_world_t* world, const kith_query_t* query) {
    world_t* own = detail::world_of(query);
    if (!world) {
        return own;
    }
    if (world->store != own->store) {
        detail::raise_error(errc::invalid_operation, "the query belongs to another world");
    }
    return at(world);
}

// A reference to a query that is no owner, for code that copies it.
union borrowed_query {
    explicit borrowed_query(kith_query_t* query) : ref(query) {}
    ~borrowed_query() {}
    borrowed_query(const borrowed_query&) = delete;
    borrowed_query& operator=(const borrowed_query&) = delete;
    detail::query_ref ref;
};

iter_iterable<>& place_query(run_block& block, const detail::query_ref& query, world_t* world,
                             bool instanced) {
    ::new (static_cast<void*>(&block.query)) query_iteration(query, world, instanced);
    block.kind = run_kind::query;
    block.world = world;
    return block.query.run;
}

void append_result(const kith_iter_t& it, std::string& text) {
    for (std::int32_t i = 0; i < it.count; ++i) {
        text += i == 0 ? "" : ", ";
        text += detail::id_text(it.world, it.entities[i]).c_str();
    }
    text += " [";
    for (std::int32_t i = 0; i < it.field_count; ++i) {
        const kith_field_t& field = it.fields[i];
        text += i == 0 ? "" : ", ";
        text += field.flags & KITH_FIELD_SET ? detail::id_text(it.world, field.id).c_str() : "-";
        if (field.src != 0) {
            text += std::string("(") + detail::id_text(it.world, field.src).c_str() + ")";
        }
    }
    text += "]";
    if (!it.query || !it.variables) {
        return;
    }
    for (std::uint32_t i = 1; i < detail::variable_count(it.query); ++i) {
        if (it.variables[i] != 0) {
            text += std::string(" $") +
                    detail::variable_name(it.query, static_cast<std::int32_t>(i)) + "=" +
                    detail::id_text(it.world, it.variables[i]).c_str();
        }
    }
}

constinit thread_local system_steps* innermost_steps = nullptr;
constinit thread_local std::uint64_t steps_made = 0;

}  // namespace

iter_iterable<>& whole_run(const kith_iter_t* it, const char* function) {
    check_pointer(it, function, "the iterator is NULL");
    run_block* block = find_run(*it);
    if (!block || block->kind != run_kind::query) {
        detail::raise_error(errc::invalid_operation, "the iterator is no run of a query");
    }
    if (block->started) {
        detail::raise_error(errc::invalid_operation,
                            "a run is written as a whole, before its first result");
    }
    block->started = true;
    return block->query.run;
}

system_steps::system_steps(detail::row_feed& feed, kith_iter_action_t callback) noexcept
    : feed_(feed), callback_(callback), outer_(innermost_steps), number_(++steps_made) {
    innermost_steps = this;
}
system_steps::~system_steps() {
    innermost_steps = outer_;
}
void system_steps::mark(kith_iter_t& it) const noexcept {
    it.reserved[0] = number_;
    it.reserved[1] = thread_mark();
    it.reserved[3] = is_system_run;
}
bool system_steps::next(kith_iter_t& it) {
    if (!feed_.next(found_)) {
        clear(it);
        return false;
    }
    show(it, it.world, found_);
    return true;
}
system_steps& system_steps::of(const kith_iter_t& it) {
    system_steps* steps = it.reserved[1] == thread_mark() ? innermost_steps : nullptr;
    while (steps && steps->number_ != it.reserved[0]) {
        steps = steps->outer_;
    }
    if (!steps) {
        detail::raise_error(errc::invalid_operation,
                            "the iterator belongs to a run of a system that has ended");
    }
    return *steps;
}

}  // namespace kith::capi

using namespace kith::capi;
namespace detail = kith::detail;

extern "C" {

kith_status_t kith_query_iter(const kith_world_t* world, const kith_query_t* query,
                              kith_iter_t* it) {
    const kith_status_t status = begin(it, "kith_query_iter", [&](run_block& block) {
        check_pointer(query, "kith_query_iter", "the query is NULL");
        kith::world_t* stage = stage_for(world, query);
        const borrowed_query borrowed(const_cast<kith_query_t*>(query));
        place_query(block, borrowed.ref, stage, query->is_instanced);
    });
    if (status == KITH_OK) {
        it->query = query;
    }
    return status;
}
kith_status_t kith_query_bind(const kith_query_t* query, const kith_entity_t* targets,
                              int32_t count, kith_iter_t* it) {
    return begin(it, "kith_query_bind", [&](run_block& block) {
        check_pointer(query, "kith_query_bind", "the query is NULL");
        check_count(count, targets, "kith_query_bind");
        kith::world_t* world = detail::world_of(query);
        detail::query_ref bound(detail::bind_arguments(query, static_cast<std::uint32_t>(count)));
        detail::preset values;
        detail::set_arguments(bound.get(), targets, static_cast<std::uint32_t>(count), values);
        kith::iter_iterable<>& run = place_query(block, bound, world, query->is_instanced);
        detail::run_options options;
        values.apply(bound.get(), options);
        for (std::uint32_t i = 1; i < detail::variable_count(bound.get()); ++i) {
            if (options.variable_set >> i & 1) {
                run.set_var(static_cast<std::int32_t>(i), options.variables[i]);
            }
        }
        it->query = bound.get();
    });
}
kith_status_t kith_each_id(const kith_world_t* world, kith_id_t id, kith_iter_t* it) {
    return begin(it, "kith_each_id", [&](run_block& block) {
        check_world(world);
        detail::checked_id(id, "kith_each_id", "the id");
        ::new (static_cast<void*>(&block.id)) id_iteration(at(world), id);
        block.kind = run_kind::id;
        block.world = at(world);
    });
}
kith_status_t kith_sources(const kith_world_t* world, kith_entity_t relation, kith_entity_t target,
                           kith_iter_t* it) {
    return begin(it, "kith_sources", [&](run_block& block) {
        check_world(world);
        detail::checked_pair(at(world), relation, target, "kith_sources");
        ::new (static_cast<void*>(&block.sources)) source_iteration(at(world), relation, target);
        block.kind = run_kind::sources;
        block.world = at(world);
    });
}
kith_status_t kith_children(const kith_world_t* world, kith_entity_t parent, kith_iter_t* it) {
    if (parent != 0) {
        return kith_sources(world, KithChildOf, parent, it);
    }
    return begin(it, "kith_children", [&](run_block& block) {
        check_world(world);
        std::vector<kith::entity_t> roots;
        detail::each_root(
            at(world), kith::ChildOf,
            [](kith::entity_t root, kith::world_t*, void* list) {
                static_cast<std::vector<kith::entity_t>*>(list)->push_back(root);
                return true;
            },
            &roots);
        ::new (static_cast<void*>(&block.list)) list_iteration{std::move(roots), false};
        block.kind = run_kind::list;
        block.world = at(world);
    });
}

kith_status_t kith_iter_set_var(kith_iter_t* it, int32_t variable, kith_entity_t value) {
    return guard([&] { unstarted(it, "kith_iter_set_var").run.set_var(variable, value); });
}
kith_status_t kith_iter_set_var_as_range(kith_iter_t* it, int32_t variable, kith_table_t* table,
                                         int32_t row, int32_t count) {
    return guard([&] {
        query_iteration& iteration = unstarted(it, "kith_iter_set_var_as_range");
        check_pointer(table, "kith_iter_set_var_as_range", "the table is NULL");
        const kith::table whole(it->world, table);
        if (row < 0 || count < 0 || row > whole.count() || count > whole.count() - row) {
            raise_argument("kith_iter_set_var_as_range", "the table has no such rows");
        }
        iteration.run.set_var(variable, kith::table_range(whole, row, count));
    });
}
kith_status_t kith_iter_set_group(kith_iter_t* it, uint64_t group) {
    return guard([&] { unstarted(it, "kith_iter_set_group").run.set_group(group); });
}
kith_status_t kith_iter_page(kith_iter_t* it, int32_t offset, int32_t limit) {
    return guard([&] {
        query_iteration& iteration = unstarted(it, "kith_iter_page");
        if (offset < 0 || limit < 0) {
            raise_argument("kith_iter_page", "offset or limit is negative");
        }
        iteration.run.page(offset, limit);
    });
}
kith_status_t kith_iter_worker(kith_iter_t* it, int32_t index, int32_t count) {
    return guard([&] { unstarted(it, "kith_iter_worker").run.worker(index, count); });
}
kith_status_t kith_iter_stop_on(kith_iter_t* it, bool (*f)(void* ctx), void* ctx) {
    return guard([&] {
        query_iteration& iteration = unstarted(it, "kith_iter_stop_on");
        if (!f) {
            raise_argument("kith_iter_stop_on", "f is NULL");
        }
        iteration.stop = {f, ctx};
        iteration.run.stop_on(iteration.stop);
    });
}

bool kith_iter_next(kith_iter_t* it) {
    bool found = false;
    static_cast<void>(step(it, found));
    return found;
}
void kith_iter_fini(kith_iter_t* it) {
    static_cast<void>(guard([&] {
        if (!it || !it->state) {
            return;
        }
        if (run_block* block = find_run(*it)) {
            finish(*it, *block);
        } else {
            it->state = nullptr;
        }
    }));
}
kith_entity_t kith_iter_get_var(const kith_iter_t* it, int32_t variable) {
    return guard_value<kith_entity_t>(0, [&]() -> kith_entity_t {
        check_pointer(it, "kith_iter_get_var", "the iterator is NULL");
        check_pointer(is_current(*it) ? it->query : nullptr, "kith_iter_get_var",
                      "the iterator has ended, or is not one of a query");
        detail::variable_name(it->query, variable);
        if (variable == 0) {
            return it->count == 1 ? it->entities[0] : 0;
        }
        return it->variables ? it->variables[variable] : 0;
    });
}
bool kith_iter_changed(const kith_iter_t* it) {
    return guard_value(false, [&] { return shown(it, "kith_iter_changed").changed(); });
}
bool kith_iter_row_changed(const kith_iter_t* it, int32_t row) {
    return guard_value(false, [&] {
        const kith::iter& result = shown(it, "kith_iter_row_changed");
        if (row < 0 || row >= it->count) {
            raise_argument("kith_iter_row_changed", "there is no such row");
        }
        return result.changed(static_cast<std::size_t>(row));
    });
}
kith_status_t kith_iter_skip(kith_iter_t* it) {
    return guard([&] { shown(it, "kith_iter_skip").skip(); });
}
int32_t kith_iter_count(kith_iter_t* it) {
    int32_t count = 0;
    for (bool found = true; found;) {
        if (step(it, found) != KITH_OK) {
            return -1;
        }
        count += found ? it->count : 0;
    }
    return count;
}
kith_entity_t kith_iter_first(kith_iter_t* it) {
    const bool found = kith_iter_next(it);
    const kith_entity_t first = found && it->count > 0 ? it->entities[0] : 0;
    kith_iter_fini(it);
    return first;
}
bool kith_iter_is_true(kith_iter_t* it) {
    const bool found = kith_iter_next(it);
    kith_iter_fini(it);
    return found;
}
char* kith_iter_str(const kith_iter_t* it) {
    return guard_value<char*>(nullptr, [&] {
        check_pointer(it, "kith_iter_str", "the iterator is NULL");
        check_world(it->world);
        if (!is_current(*it)) {
            detail::raise_error(kith::errc::invalid_operation, "the run of the iterator has ended");
        }
        std::string text;
        append_result(*it, text);
        return give(kith::text_view(text));
    });
}

const kith_field_t* kith_field_fault(const kith_iter_t* it, int32_t index) {
    return guard_value<const kith_field_t*>(nullptr, [&]() -> const kith_field_t* {
        check_pointer(it, "kith_field", "the iterator is NULL");
        const std::string message = "there is no field " + std::to_string(index) +
                                    ": the result has " + std::to_string(it->field_count) +
                                    ", counted from 1";
        detail::raise_error(kith::errc::invalid_query, message.c_str());
    });
}
void* kith_field_checked(const kith_iter_t* it, size_t size, int32_t index) {
    return guard_value<void*>(nullptr, [&]() -> void* {
        if (it && index == 0) {
            if (size != sizeof(kith_entity_t)) {
                detail::raise_error(kith::errc::wrong_type, "field 0 are the entities");
            }
            return const_cast<kith_entity_t*>(it->entities);
        }
        const kith_field_t* field = kith_field_at(it, index);
        if (!field || !(field->flags & KITH_FIELD_SET)) {
            return nullptr;
        }
        const kith::type_info* type = detail::type_of(it->world, field->id);
        if (!type || type->size != size) {
            const std::string message = "field " + std::to_string(index) + ", " +
                                        detail::id_text(it->world, field->id).c_str() +
                                        (type ? ", has values of " + std::to_string(type->size) +
                                                    " bytes, not " + std::to_string(size)
                                              : std::string(", has no values"));
            detail::raise_error(kith::errc::wrong_type, message.c_str());
        }
        return field->ptr;
    });
}
size_t kith_field_size(const kith_iter_t* it, int32_t index) {
    return guard_value<size_t>(0, [&]() -> size_t {
        if (it && index == 0) {
            return sizeof(kith_entity_t);
        }
        const kith_field_t* field = kith_field_at(it, index);
        const kith::type_info* type =
            field && field->id != 0 ? detail::type_of(it->world, field->id) : nullptr;
        return type ? type->size : 0;
    });
}
}
