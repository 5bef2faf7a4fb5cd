// Monitors: their life, the events that they receive, and the end of a batch.
#include "observe/monitor/monitor.hpp"

#include "base/scope_exit.hpp"
#include "observe/monitor/certain_ends.hpp"
#include "observe/monitor/diff.hpp"
#include "observe/monitor/recorder.hpp"

#include <algorithm>
#include <utility>

namespace kith::observe {

monitor::monitor(monitor_list& all, mutate::stage& world, detail::query_head* query,
                 std::uint32_t events, const detail::observer_action& action, bool row_at_a_time)
    : events::listener{receive},
      all_(all),
      query_(world, query, row_at_a_time),
      batch_(make_batch()),
      callback_(query_.context, events, action),
      subscriptions_(query_.context, *this) {}

std::unique_ptr<monitor_batch> monitor::make_batch() const {
    return std::make_unique<monitor_batch>(query_.data.mem, query_.keys.width());
}

void monitor::start() {
    const mutate::command_queue& queue = query_.context.world.queue;
    subscriptions_.add_all(is_open());
    if (query_.held && !callback_.wants(detail::monitor_existing)) {
        query_.each_key(
            {}, [&](const id_t* key, std::uint32_t, std::uint32_t) { query_.held->add(key); });
    }
    // A batch that is open when the monitor starts is compared with the present results, or with no
    // results if existing ones are to be reported.
    if (callback_.wants(detail::monitor_existing)) {
        batch_->everything = true;
    } else if (queue.depth != 0 || queue.flushing) {
        recorder(query_, callback_, *batch_).record_all();
    } else {
        return;
    }
    open_batch();
}

void monitor::stop() noexcept {
    subscriptions_.remove_all();
    callback_.stop();
}

void monitor::leave_world() noexcept {
    stop();
    in_world = false;
    query_.held.reset();
    batch_.reset();
    spare_.reset();
}

void monitor::open_batch() noexcept {
    query_.context.world.operation.batch_open = true;
    open_ = true;
}

void monitor::record_all() {
    KITH_ASSERT(!open_, "the state of a world is replaced between two batches");
    base::scope_exit undo([&] { batch_->clear(); });
    recorder(query_, callback_, *batch_).record_all();
    undo.release();
    subscriptions_.mark_stale();
    open_batch();
}

bool monitor::note_written(id_t id) noexcept {
    const queries::query_model& model = query_.model;
    const bool compared = std::any_of(model.begin(), model.end(), [&](const queries::term& term) {
        return term.value && (matches_id(term.id, id) ||
                              (term.value->has_operand && term.value->operand.id == id));
    });
    if (compared) {
        written_.store(1);
    }
    return compared;
}

void monitor::receive(events::listener& me, const events::event_data& event) {
    monitor& receiver = static_cast<monitor&>(me);
    if (!receiver.is_stopped()) {
        receiver.open_batch();
        receiver.on_event(event);
    }
}

void monitor::on_event(const events::event_data& event) {
    recorder results(query_, callback_, *batch_);
    result_emitter out(query_, callback_, OnRemove);
    if (event.event == events::created) {
        results.attempt([&] { results.record_created(event.entity); });
    } else if (event.event == events::create_rolled_back) {
        // The ids of the entity are removed without events, and each of them may be an id that
        // terms, negated ones included, ask for.
        results.attempt([&] { results.record_all(); });
        on_delete(event.entity, out);
    } else if (event.event == events::before_delete) {
        if (names(query_.model, event.entity)) {
            results.attempt([&] { results.record_all(); });
        }
        on_delete(event.entity, out);
    } else if (event.event == events::before_bulk_removal) {
        on_bulk_removal(*static_cast<const events::bulk_removal*>(event.value), out);
    } else {
        on_change({event.entity, event.id}, event.event, out);
    }
}

void monitor::on_change(const change& change, entity_t event, result_emitter& out) {
    recorder results(query_, callback_, *batch_);
    results.attempt([&] {
        if (is_pair(change.id) && pair_first(change.id) == IsA) {
            subscriptions_.add_derived(change);
        }
        results.record_change(change);
    });
    if (event == OnSet) {
        return;
    }
    if (event == OnRemove && query_.context.world.deletion.entity == change.entity) {
        on_delete(change.entity, out);
    } else {
        certain_ends(query_, *batch_, out).report_change(change, event);
    }
}

void monitor::on_delete(entity_t ending, result_emitter& out) {
    if (batch_->ended.find(&ending) == tuple_set::none) {
        recorder results(query_, callback_, *batch_);
        results.attempt([&] { results.record_delete(ending); });
        certain_ends(query_, *batch_, out).report_delete(ending);
    }
}

// Results that end together are reported in the order of their rows, so that neighbours are joined.
void monitor::on_bulk_removal(const events::bulk_removal& all, result_emitter& out) {
    const storage::entity_index& entities = query_.data.entities;
    std::vector<entity_t> departing = std::exchange(departing_, {});
    departing.assign(all.entities, all.entities + all.count);
    std::sort(departing.begin(), departing.end(), [&](entity_t left, entity_t right) {
        const storage::entity_record& first = entities.at(index_of(left));
        const storage::entity_record& second = entities.at(index_of(right));
        return first.table != second.table ? first.table < second.table : first.row < second.row;
    });
    for (entity_t each : departing) {
        // A callback may have deleted the entity immediately.
        if (!entities.find(each)) {
            continue;
        }
        if (all.id == 0) {
            on_delete(each, out);
        } else {
            on_change({each, all.id}, OnRemove, out);
        }
    }
    departing.clear();
    departing_ = std::move(departing);
}

void monitor::end_batch() {
    KITH_ASSERT(!is_stopped() && in_world, "a stopped monitor reports nothing");
    callback_.begin_work();
    const base::scope_exit not_busy([&] { callback_.end_work(); });
    if (written_.load() != 0) {
        recorder(query_, callback_, *batch_).record_all();
        written_.store(0);
        open_ = true;
    }
    if (open_) {
        // Steps that may fail come first: the batch is complete for another try then.
        if (subscriptions_.is_stale()) {
            subscriptions_.add_all(is_open());
        }
        auto next = spare_ ? std::move(spare_) : make_batch();
        batch_diff(query_, callback_, *batch_).compare();
        open_ = false;
        std::unique_ptr<monitor_batch> done = std::exchange(batch_, std::move(next));
        batch_diff(query_, callback_, *done).report();
        done->clear();
        spare_ = std::move(done);
    }
    callback_.rethrow();
}

}  // namespace kith::observe
