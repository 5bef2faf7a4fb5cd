// Implements batch_run.hpp.
#include "frame/batch_run.hpp"

#include <kith/detail/assert.hpp>
#include <kith/kith.hpp>

#include "frame/part_access.hpp"

#include <algorithm>
#include <utility>

namespace kith::scheduling {

namespace {

// A run that is expected to be shorter is not handed to other threads: to wake them would take
// about as long.
constexpr double shortest_handed_ns = 30'000;

// No results, for callbacks that step by themselves although there are no rows.
class empty_feed final : public detail::row_feed {
public:
    bool next(detail::result&) override { return false; }
};

}  // namespace

batch_run::batch_run(batch&& made, const std::vector<system_ref>& systems)
    : plan_(std::move(made)),
      node_of_(plan_.end - plan_.begin),
      systems_(plan_.end - plan_.begin),
      nodes_(plan_.nodes.size()) {
    for (std::uint32_t i = 0; i < plan_.nodes.size(); ++i) {
        const std::uint32_t at = plan_.nodes[i].entry;
        nodes_[i].waits_for = plan_.nodes[i].waits_for;
        if (at != no_entry) {
            batch_system& system = systems_[at - plan_.begin];
            node_of_[at - plan_.begin] = i;
            system.data = systems[at].get();
            nodes_[i].context = &system;
            nodes_[i].run = run_part;
        }
    }
}

// Vectors keep their memory: a frame like the last one allocates nothing here.
void batch_run::begin(world_t* world, bool checks_access) {
    world_ = world;
    for (batch_system& system : systems_) {
        system.world = world;
        system.checks_access = checks_access;
        system.body = nullptr;
        system.is_split = false;
    }
    for (dispatch_node& node : nodes_) {
        node.parts = 0;
        node.quota = 0;
        node.begin = nullptr;
        node.levels.clear();
        node.errors.clear();
        node.failures = node.next_quota = node.entities = 0;
        node.changes = 0;
        node.times = nullptr;
    }
}

// Systems wait for those with which they conflict in their own rows only if both match a table in
// common. add() notes when their tables have changed.
void batch_run::find_waits() {
    if (has_waits_) {
        return;
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const batch_node& planned = plan_.nodes[i];
        if (planned.waits_in_rows.empty()) {
            continue;
        }
        nodes_[i].waits_for = planned.waits_for;
        const system_data& own = *systems_[planned.entry - plan_.begin].data;
        for (const std::uint32_t before : planned.waits_in_rows) {
            const system_data& other = *systems_[plan_.nodes[before].entry - plan_.begin].data;
            if (!detail::match_apart(own.body->query.get(), other.body->query.get(), world_)) {
                nodes_[i].waits_for.push_back(before);
            }
        }
    }
    has_waits_ = true;
}

void batch_run::add(std::uint32_t at, const run_times& times) {
    KITH_ASSERT(world_ && at >= plan_.begin && at < plan_.end, "the system belongs to the batch");
    batch_system& system = systems_[at - plan_.begin];
    dispatch_node& node = nodes_[node_of_[at - plan_.begin]];
    const std::shared_ptr<system_body> body = system.data->body;
    system.info = make_info(*system.data, *body, times, nullptr);
    system.options = options_of(*system.data, *body);
    system.is_split = body->settings.split && body->query.get() && !body->is_task;
    if (body->query.get()) {
        const std::uint32_t edition = detail::refresh_query(body->query.get(), world_);
        has_waits_ = has_waits_ && edition == system.edition;
        system.edition = edition;
    }
    node.main_thread = body->settings.main_thread;
    node.parts = 1;
    if (system.is_split) {
        divide(system, node);
    }
    system.info.part_count = static_cast<std::int32_t>(node.parts);
    const entity subject(world_, system.data->entity);
    const PartIds* ids = subject.is_alive() ? subject.get<PartIds>() : nullptr;
    node.quota = ids ? ids->quota : 0;
    system.body = body;
}

// A split run belongs to one query and is kept for later frames; a system with a new query gets a
// new one. Systems that step by themselves have one part even without rows.
void batch_run::divide(batch_system& system, dispatch_node& node) {
    const system_body& body = *system.data->body;
    if (system.split_query != body.query.get()) {
        system.split = std::make_unique<detail::split_run>(body.query.get());
        system.split_query = body.query.get();
    }
    node.parts = 0;
    system.split->prepare(world_, system.options,
                          static_cast<std::uint32_t>(body.settings.part_rows));
    node.parts = std::max(system.split->part_count(), body.action.steps ? 1u : 0u);
    node.levels = system.split->levels();
    node.begin = begin_split;
}

// The dispatcher calls this before the first part of the system, when the systems that it waits for
// have ended.
void batch_run::begin_split(void* context) noexcept {
    static_cast<batch_system*>(context)->split->begin();
}

// Called by any thread of the frame, for different parts at the same time. Each call has its own
// copy of the system's info.
void batch_run::run_part(void* context, const part_call& call) {
    batch_system& own = *static_cast<batch_system*>(context);
    KITH_ASSERT(own.body, "a system without parts does not run");
    const running_part_scope running(own.world, *own.data, own.nested);
    detail::system_info info = own.info;
    info.part = static_cast<std::int32_t>(call.part);
#if defined(KITH_ASSERTS) && KITH_ASSERTS
    if (own.checks_access) {
        const bool has_rows = own.is_split && call.part < own.split->part_count();
        const part_access guard(call.stage, *own.data, *own.body,
                                has_rows ? own.split.get() : nullptr, call.part);
        detail::set_access_guard(call.stage, &guard);
        call_part(own, call, info);
        return;
    }
#endif
    call_part(own, call, info);
}

void batch_run::call_part(batch_system& own, const part_call& call, detail::system_info& info) {
    const system_body& body = *own.body;
    if (!own.is_split) {
        call_body(body, call.stage, info, own.options);
    } else if (call.part >= own.split->part_count()) {
        empty_feed feed;
        call_with(body, call.stage, info, feed);
    } else if (body.action.by_list && own.split->is_listed()) {
        body.action.run(body.action.function, {call.stage, own.split_query, &info, nullptr,
                                               own.split->range_of(call.part)});
    } else {
        detail::part_feed feed(*own.split, call.part, call.stage);
        call_with(body, call.stage, info, feed);
    }
}

// A batch whose systems have not all run before is handed to all threads: nothing is known about
// its length. The estimate decides where parts run, never which parts there are.
std::uint32_t batch_run::count_helpers(const thread_set& threads) const {
    std::uint64_t parts = 0;
    double expected = 0;
    bool is_known = true;
    for (std::size_t i = 0; i < systems_.size(); ++i) {
        const batch_system& system = systems_[i];
        const dispatch_node& node = nodes_[node_of_[i]];
        if (node.parts == 0 || node.main_thread) {
            continue;
        }
        parts += node.parts;
        const part_costs& before = system.data->parts;
        is_known = is_known && before.spent != 0;
        const bool by_rows = system.is_split && before.rows != 0;
        expected += static_cast<double>(before.spent) *
                    (by_rows ? static_cast<double>(system.split->row_count()) /
                                   static_cast<double>(before.rows)
                             : 1);
    }
    const bool has_main = std::any_of(nodes_.begin(), nodes_.end(), [](const dispatch_node& node) {
        return node.main_thread && node.parts != 0;
    });
    const std::uint64_t useful = parts == 0 ? 0 : parts - (has_main ? 0 : 1);
    if (useful == 0 || (is_known && expected * ns_per_stamp() < shortest_handed_ns)) {
        return 0;
    }
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(useful, static_cast<std::uint64_t>(threads.count() - 1)));
}

// Times are in stamps. A system that ran has spent at least 1, because 0 stands for "has not run in
// parts". Time in which a part waited does not count.
void batch_run::note_costs() {
    for (std::size_t i = 0; i < systems_.size(); ++i) {
        const batch_system& system = systems_[i];
        const dispatch_node& node = nodes_[node_of_[i]];
        if (node.parts == 0) {
            continue;
        }
        part_costs& costs = system.data->parts;
        costs.spent = 1;
        for (std::uint32_t part = 0; part < node.parts; ++part) {
            const part_times& times = node.times[part];
            const stamp_t waited = times.wait_end - times.wait_begin;
            costs.spent += times.end > times.begin + waited ? times.end - times.begin - waited : 0;
        }
        costs.rows = system.is_split ? system.split->row_count() : 0;
        costs.count += node.parts;
    }
}

// A batch without parts needs no dispatcher. Runs of queries end also if the dispatcher has no
// memory: a sorted run locks its tables.
void batch_run::run(dispatcher& used, const thread_set* threads) {
    struct finisher {
        std::vector<batch_system>& systems;
        ~finisher() {
            for (batch_system& system : systems) {
                if (system.body && system.is_split) {
                    system.split->finish();
                }
            }
        }
    };
    const finisher finish{systems_};
    const bool has_parts = std::any_of(nodes_.begin(), nodes_.end(),
                                       [](const dispatch_node& node) { return node.parts != 0; });
    if (!has_parts) {
        for (dispatch_node& node : nodes_) {
            node.commands_end = detail::queued_count(world_);
        }
        return;
    }
    find_waits();
    const executor* helping = threads ? threads->threads() : nullptr;
    used.run(nodes_, helping, helping ? count_helpers(*threads) : 0);
    note_costs();
}

std::uint64_t batch_run::rows_of(std::uint32_t at, std::uint32_t part) const noexcept {
    const batch_system& system = systems_[at - plan_.begin];
    return system.is_split && part < system.split->part_count() ? system.split->rows_of(part) : 0;
}

}  // namespace kith::scheduling
