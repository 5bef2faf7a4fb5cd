// Change detection of queries, declared in seen_versions.hpp.
#include "query/changes/seen_versions.hpp"

#include <kith/detail/mutex.hpp>

#include "query/changes/changed_rows.hpp"
#include "storage/graph.hpp"
#include "traits/inherit.hpp"

#include <algorithm>

namespace kith::queries {

using detail::load_relaxed;
using detail::store_relaxed;
using storage::change_ticks;
using storage::sparse_change_marks;

namespace {

// Shares of one run are bits of a 64-bit number.
constexpr std::uint32_t max_shares = 64;

}  // namespace

void seen_versions::track(storage::store& data, const query_model& model, bool whole_groups) {
    change_dependencies dependencies = find_dependencies(data, model);
    track_dependencies(data, model, dependencies);
    for (const term& term : model) {
        if (by_row_ && term.kind == term_kind::ids && term.from != source_kind::none) {
            data.ticks.single().track(pattern_of(term));
        }
    }
    for (const change_dependencies::upward& upward : dependencies.upwards) {
        if (by_row_) {
            data.ticks.single().track(make_pair(upward.relation, Wildcard));
            data.ticks.single().track(detail::any_base);
        }
    }
    if (by_row_) {
        data.ticks.single().track_arrivals();
        data.ticks.single().make_room(data.page_count, data.ticks.now());
    }
    semantics_snapshot semantics(data, model);
    if (has_completed() && !semantics.has_same_semantics(semantics_)) {
        meaning_tick_ = data.ticks.advance();
    }
    dependencies_ = std::move(dependencies);
    semantics_ = std::move(semantics);
    whole_groups_ = whole_groups;
}

// Makes entries for `count` tables. A visit that another thread records in the old list while it is
// copied is lost: the table then counts as not visited, which reports a change too many at most.
void seen_versions::make_room(std::uint32_t count) {
    detail::lock_guard<detail::mutex> guard(sharing_);
    const table_list* old = tables_.load(std::memory_order_relaxed);
    const std::uint32_t size = old ? old->size : 0;
    if (count <= size) {
        return;
    }
    auto longer = std::make_unique<table_list>(std::max(count, 2 * size));
    for (std::uint32_t i = 0; i < size; ++i) {
        const entry& from = old->entries[i];
        longer->entries[i] = {load_relaxed(from.seen), load_relaxed(from.before),
                              load_relaxed(from.run)};
    }
    lists_.push_back(std::move(longer));
    tables_.store(lists_.back().get(), std::memory_order_release);
}

// The tick of the last change of dependencies on other entities, or of the semantics.
std::uint64_t seen_versions::last_anywhere(const storage::store& data) const noexcept {
    std::uint64_t last = meaning_tick_;
    if (!dependencies_.anywhere.empty()) {
        last = std::max(last, data.ticks.tables_gone_tick());
    }
    for (const change_dependencies::pattern& pattern : dependencies_.anywhere) {
        last = std::max(last, last_change(data, pattern));
    }
    return last;
}

// The tick of the last change of an id, or of an edge, that rows may see on their ancestors.
std::uint64_t seen_versions::last_above(const storage::store& data) const noexcept {
    std::uint64_t last = 0;
    for (const change_dependencies::upward& upward : dependencies_.upwards) {
        last = std::max({last, last_written(data, upward.pattern),
                         last_change(data, {make_pair(upward.relation, Wildcard), false}),
                         last_change(data, {detail::any_base, false})});
    }
    return last;
}

seen_versions::run seen_versions::look(const storage::store& data) const noexcept {
    run active_run;
    active_run.start = data.ticks.now();
    active_run.completed = completed_.load(std::memory_order_relaxed);
    active_run.anywhere = last_anywhere(data);
    active_run.above = last_above(data);
    return active_run;
}

seen_versions::run seen_versions::begin(const storage::store& data,
                                        const detail::run_options& options) {
    make_room(data.tables.number_limit());
    run active_run = look(data);
    // The remaining options decide whether the run may change versions: it must leave no rows out.
    detail::run_options others = options;
    others.shares = 1;
    others.should_stop = nullptr;
    // Given rows are fine if they are all rows of a table.
    others.given &= options.first_row != 0 || options.row_count == 0 ||
                    options.row_count != data.tables.rows(options.table).count;
    // One group is fine if it consists of whole tables. Shares of one group cannot be put together.
    others.one_group &= !whole_groups_ || options.shares > 1;
    if (!others.is_plain() || options.shares > max_shares) {
        return active_run;
    }
    active_run.whole = !options.given && !options.one_group;
    active_run.shares = options.shares;
    active_run.share = options.share;
    if (options.shares == 1) {
        active_run.id = runs_.fetch_add(1, std::memory_order_relaxed) + 1;
        return active_run;
    }
    detail::lock_guard<detail::mutex> guard(sharing_);
    KITH_ASSERT(options.share < options.shares, "the share is one of the run");
    const std::uint64_t bit = std::uint64_t{1} << options.share;
    // A share that begins again, or another number of shares, starts a new run.
    if (pass_.shares != options.shares || pass_.begun & bit) {
        pass_ = {runs_.fetch_add(1, std::memory_order_relaxed) + 1, options.shares, 0, 0,
                 active_run.start};
        unfinished_.store(pass_.id, std::memory_order_relaxed);
    }
    pass_.begun |= bit;
    active_run.id = pass_.id;
    return active_run;
}

std::uint64_t seen_versions::seen_at(const run& active_run, std::uint32_t table) const noexcept {
    const entry* versions = find(table);
    if (!versions) {
        return active_run.completed;
    }
    // While shares of a run are missing, the visits of its other shares do not count.
    const std::uint32_t unfinished = unfinished_.load(std::memory_order_relaxed);
    const bool shared = unfinished != 0 && load_relaxed(versions->run) == unfinished;
    return std::max(load_relaxed(shared ? versions->before : versions->seen), active_run.completed);
}

std::shared_ptr<const seen_versions::filled_tables> seen_versions::find_filled(
    const storage::store& data, const match_cache& cache) {
    detail::lock_guard<detail::mutex> guard(sharing_);
    const std::uint64_t tick = data.ticks.any_rows_tick();
    if (filled_ && filled_->tick == tick && filled_->edition == cache.edition()) {
        return filled_;
    }
    auto filled = std::make_shared<filled_tables>();
    *filled = {tick, cache.edition(), true, {}};
    for (std::uint32_t i = 0; i < cache.count(); ++i) {
        const std::uint32_t table = cache.record(i)[0];
        if (data.tables.rows(table).count != 0) {
            filled->places.push_back({i, table});
            filled->all_marked &=
                data.ticks.has_table(table) && data.tables.at(table).flags & detail::shape_tracked;
        }
    }
    filled_ = std::move(filled);
    return filled_;
}

void seen_versions::note_first(const storage::store& data, std::uint32_t table) {
    make_room(data.tables.number_limit());
    run first;
    first.id = 1;
    visit(data, first, table);
}

// The rows after the last one that was handed out have not been seen.
void seen_versions::abandon(const run& ended, std::uint32_t table) noexcept {
    entry* versions = find(table);
    if (versions && ended.id != 0 && load_relaxed(versions->run) == ended.id) {
        store_relaxed(versions->seen, load_relaxed(versions->before));
    }
}

// A run in shares is complete when each of its shares has ended.
void seen_versions::finish(const run& ended) noexcept {
    if (ended.id == 0 || !ended.whole) {
        return;
    }
    if (ended.shares == 1) {
        complete(ended.start, ended.id);
        return;
    }
    detail::lock_guard<detail::mutex> guard(sharing_);
    if (pass_.id == ended.id) {
        pass_.ended |= std::uint64_t{1} << ended.share;
        const std::uint64_t all = ~std::uint64_t{0} >> (max_shares - ended.shares);
        if (pass_.ended == all) {
            complete(pass_.start, pass_.id);
        }
    }
}

// Records the last run that saw everything.
void seen_versions::complete(std::uint64_t start, std::uint32_t id) noexcept {
    unfinished_.store(0, std::memory_order_relaxed);
    completed_.store(start, std::memory_order_relaxed);
    completed_run_.store(id, std::memory_order_relaxed);
}

// True if rows of the table got, lost or wrote sparse ids that the query depends on.
bool seen_versions::has_sparse_changed(std::uint32_t table, std::uint64_t since) const noexcept {
    return std::any_of(dependencies_.sparse.begin(), dependencies_.sparse.end(),
                       [&](const sparse_change_marks* marks) {
                           return change_ticks::sparse_tick(*marks, table, number_) > since;
                       });
}

// True if the value of a field was written since the tick, by another query or the program.
bool seen_versions::is_field_changed(const storage::store& data, const detail::result& result,
                                     const detail::field_data& field,
                                     std::uint64_t since) const noexcept {
    if (!(field.flags & detail::field_set)) {
        return false;
    }
    std::uint32_t number = result.table;
    if (field.source != 0) {
        const storage::entity_record* record = data.entities.find(field.source);
        if (!record) {
            return true;
        }
        number = record->table;
    }
    const storage::table& type = data.tables.at(number);
    const std::int32_t position = storage::find_id(type, field.id);
    if (position >= 0) {
        return !(type.flags & detail::shape_tracked) ||
               data.ticks.value_tick(type, static_cast<std::uint32_t>(position), number_) > since;
    }
    const sparse_change_marks* marks = data.ticks.find_sparse(storage::sparse_key(field.id));
    if (!marks) {
        return false;
    }
    // The marks of a table cover a source only if the source was in the table all the time.
    const bool may_have_moved = field.source != 0 && (!(type.flags & detail::shape_tracked) ||
                                                      data.ticks.rows_tick(number) > since);
    return (may_have_moved ? marks->any.tick_for(number_)
                           : change_ticks::sparse_tick(*marks, number, number_)) > since;
}

// True if entities other than the rows and fixed bases changed, so that the result may depend on
// other entities now.
bool seen_versions::have_others_changed(const storage::store& data, const run& active_run,
                                        const detail::result& result,
                                        std::uint64_t since) const noexcept {
    if ((finds_rows() ? meaning_tick_ : active_run.anywhere) > since) {
        return true;
    }
    return dependencies_.inherits && result.count != 0 &&
           data.tables.at(result.table).flags & detail::shape_has_base &&
           data.ticks.bases_tick() > since;
}

// True if a term that searches upward may find another source or value from the entity. Walks the
// way of the search: edges, ids on the way, and the value at its end.
bool seen_versions::has_above_changed(const storage::store& data, entity_t entity,
                                      std::uint64_t since) const {
    const storage::row_ticks& single = data.ticks.single();
    for (const change_dependencies::upward& upward : dependencies_.upwards) {
        const id_t edge = make_pair(upward.relation, Wildcard);
        entity_t position = entity;
        for (std::uint32_t level = 1; level <= upward.max_depth; ++level) {
            if (single.id_tick(edge, index_of(position), number_) > since) {
                return true;
            }
            entity_t above = 0;
            storage::each_target(data, position, upward.relation, [&](std::uint32_t target) {
                above = data.entities.alive_at(target);
                return false;
            });
            if (above == 0) {
                break;
            }
            position = above;
            if (single.id_tick(upward.pattern, index_of(position), number_) > since ||
                single.id_tick(detail::any_base, index_of(position), number_) > since) {
                return true;
            }
            if (level < upward.min_depth) {
                continue;
            }
            const storage::entity_record& record = *data.entities.find(position);
            if (storage::owns_id(data, record, position, upward.pattern)) {
                break;
            }
            if (const entity_t base = traits::find_base(data, record, position, upward.pattern)) {
                if (single.id_tick(upward.pattern, index_of(base), number_) > since) {
                    return true;
                }
                break;
            }
        }
    }
    return !dependencies_.upwards.empty() && data.ticks.bases_tick() > since;
}

bool seen_versions::has_above_changed(const storage::store& data, const run& active_run,
                                      const detail::result& result, std::uint64_t since) const {
    return active_run.above > since &&
           std::any_of(result.entities, result.entities + result.count,
                       [&](entity_t row) { return has_above_changed(data, row, since); });
}

bool seen_versions::is_upward(std::size_t field) const noexcept {
    return std::any_of(
        dependencies_.upwards.begin(), dependencies_.upwards.end(),
        [&](const change_dependencies::upward& upward) { return upward.field == field; });
}

// Cheap tests come first: other entities, the tick of the whole table, rows, then single fields.
bool seen_versions::is_changed(const storage::store& data, const run& active_run,
                               const detail::result& result, std::uint64_t since) const {
    if (since == 0 || have_others_changed(data, active_run, result, since)) {
        return true;
    }
    if (result.count != 0) {
        const storage::table& type = data.tables.at(result.table);
        if (!(type.flags & detail::shape_tracked)) {
            return true;
        }
        const bool alone = !depends_on_others() &&
                           !(dependencies_.inherits && type.flags & detail::shape_has_base);
        if (alone && data.ticks.table_tick(result.table, number_) <= since) {
            return false;
        }
        if (data.ticks.rows_tick(result.table) > since || has_sparse_changed(result.table, since)) {
            return true;
        }
    }
    for (std::size_t i = 0; i < result.field_count; ++i) {
        if (!(finds_rows() && is_upward(i)) &&
            is_field_changed(data, result, result.fields[i], since)) {
            return true;
        }
    }
    return finds_rows() && has_above_changed(data, active_run, result, since);
}

bool seen_versions::is_row_changed(const storage::store& data, const query_model& model,
                                   const run& active_run, const detail::result& result,
                                   std::uint32_t row, std::uint64_t since) const {
    if (!finds_rows() && !is_changed(data, active_run, result, since)) {
        return false;
    }
    if (!by_row_ || since == 0 || result.count == 0 ||
        have_others_changed(data, active_run, result, since) ||
        !(data.tables.at(result.table).flags & detail::shape_tracked)) {
        return true;
    }
    return has_own_changed(data, model, result, row, since) ||
           (finds_rows() && active_run.above > since &&
            has_above_changed(data, result.entities[row], since));
}

// True if an id of the row itself, or of the source of a field, has changed.
bool seen_versions::has_own_changed(const storage::store& data, const query_model& model,
                                    const detail::result& result, std::uint32_t row,
                                    std::uint64_t since) const noexcept {
    const storage::row_ticks& single = data.ticks.single();
    const std::uint32_t index = index_of(result.entities[row]);
    if (single.came_tick(index) > since) {
        return true;
    }
    return std::any_of(model.begin(), model.end(), [&](const term& term) {
        if (term.kind != term_kind::ids || term.from == source_kind::none ||
            (finds_rows() && !(term.flags & Self))) {
            return false;
        }
        auto is_marked = [&](std::uint32_t entity) {
            return single.id_tick(pattern_of(term), entity, number_) > since;
        };
        // A row that lost a sparse id may inherit the id now: both places are tested.
        const entity_t source = result.fields[term.field].source;
        const bool own = source == 0 || (term.from == source_kind::self && term.flags & Self);
        return (own && is_marked(index)) || (source != 0 && is_marked(index_of(source)));
    });
}

bool seen_versions::find_changed(const storage::store& data, const query_model& model,
                                 const run& active_run, bool own_writes,
                                 std::vector<entity_t>& entities) const {
    const bool other_bases = (dependencies_.inherits || !dependencies_.upwards.empty()) &&
                             data.ticks.bases_tick() > active_run.completed;
    if (!finds_rows() || active_run.completed == 0 || meaning_tick_ > active_run.completed ||
        other_bases || !data.ticks.single().has_room(data.page_count)) {
        return false;
    }
    changed_rows rows(data, model, dependencies_, number_, active_run.completed);
    rows.collect(own_writes);
    entities = rows.take();
    return true;
}

// Tables that a complete run has not visited since count as visited now, because all of their
// changed rows were handed out; also tables that were made since then.
void seen_versions::finish_rows(const storage::store& data, const run& ended,
                                const std::vector<std::uint32_t>& tables) {
    if (!find(data.tables.number_limit() - 1)) {
        make_room(data.tables.number_limit());
    }
    const std::uint32_t last = completed_run_.load(std::memory_order_relaxed);
    for (const std::uint32_t table : tables) {
        if (entry* versions = find(table); versions && load_relaxed(versions->run) < last) {
            store_relaxed(versions->run, last);
            store_relaxed(versions->seen, ended.start);
        }
    }
    completed_.store(ended.start, std::memory_order_relaxed);
}

bool seen_versions::has_lost_results(const storage::store& data,
                                     const run& active_run) const noexcept {
    // Rows that inherit values through other entities are found only while the bases of those are
    // the same.
    const std::uint64_t others = !finds_rows() ? active_run.anywhere
                                 : dependencies_.upwards.empty()
                                     ? meaning_tick_
                                     : std::max(meaning_tick_, data.ticks.bases_tick());
    if (others > active_run.completed) {
        return true;
    }
    const table_list* list = tables_.load(std::memory_order_acquire);
    const std::uint32_t completed_run = completed_run_.load(std::memory_order_relaxed);
    for (std::uint32_t number = 0; list && number < list->size; ++number) {
        const entry& versions = list->entries[number];
        const std::uint64_t seen = load_relaxed(versions.seen);
        if (seen == 0 || load_relaxed(versions.run) < completed_run ||
            !data.ticks.has_table(number)) {
            continue;
        }
        const std::uint64_t since = std::max(seen, active_run.completed);
        const storage::table* type = data.tables.find_number(number);
        const bool inheritor =
            type && dependencies_.inherits && type->flags & detail::shape_has_base;
        if (data.ticks.rows_tick(number) > since || has_sparse_changed(number, since) ||
            (inheritor && data.ticks.bases_tick() > since)) {
            return true;
        }
    }
    return false;
}

}  // namespace kith::queries
