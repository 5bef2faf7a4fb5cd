#include "query/seen_versions.hpp"

#include "query/changed_rows.hpp"
#include "storage/graph.hpp"
#include "traits/inherit.hpp"

#include <algorithm>

namespace kith::queries {

using detail::load_relaxed;
using detail::store_relaxed;
using storage::change_ticks;
using storage::sparse_change_marks;

namespace {

constexpr std::uint32_t max_shares = 64;

}  // namespace

void seen_versions::track(storage::store& data, const query_model& model, bool whole_groups) {
    change_dependencies scope = find_scope(data, model);
    track_scope(data, model, scope);
    for (const term& one : model) {
        if (by_row_ && one.kind == term_kind::ids && one.from != source_kind::none) {
            data.ticks.single().track(pattern_of(one));
        }
    }
    for (const change_dependencies::upward& one : scope.upwards) {
        if (by_row_) {
            data.ticks.single().track(make_pair(one.relation, Wildcard));
            data.ticks.single().track(make_pair(IsA, Wildcard));
        }
    }
    if (by_row_) {
        data.ticks.single().track_arrivals();
        data.ticks.single().make_room(data.page_count, data.ticks.now());
    }
    scope_basis basis(data, model);
    if (has_completed() && !basis.has_same_semantics(basis_)) {
        meaning_tick_ = data.ticks.advance();
    }
    scope_ = std::move(scope);
    basis_ = std::move(basis);
    whole_groups_ = whole_groups;
}

// What others write to the old list while it is copied is lost: they have looked, and it counts as
// if they had not.
void seen_versions::make_room(std::uint32_t count) {
    std::lock_guard<std::mutex> guard(sharing_);
    const table_list* old = tables_.load(std::memory_order_relaxed);
    const std::uint32_t known = old ? old->size : 0;
    if (count <= known) {
        return;
    }
    auto made = std::make_unique<table_list>(std::max(count, 2 * known));
    for (std::uint32_t i = 0; i < known; ++i) {
        const entry& from = old->entries[i];
        made->entries[i] = {load_relaxed(from.seen), load_relaxed(from.before),
                            load_relaxed(from.run)};
    }
    lists_.push_back(std::move(made));
    tables_.store(lists_.back().get(), std::memory_order_release);
}

std::uint64_t seen_versions::last_anywhere(const storage::store& data) const noexcept {
    std::uint64_t last = meaning_tick_;
    if (!scope_.anywhere.empty()) {
        last = std::max(last, data.ticks.tables_gone_tick());
    }
    for (const change_dependencies::pattern& one : scope_.anywhere) {
        last = std::max(last, last_change(data, one));
    }
    return last;
}

std::uint64_t seen_versions::last_above(const storage::store& data) const noexcept {
    std::uint64_t last = 0;
    for (const change_dependencies::upward& one : scope_.upwards) {
        last = std::max({last, last_written(data, one.pattern),
                         last_change(data, {make_pair(one.relation, Wildcard), false}),
                         last_change(data, {make_pair(IsA, Wildcard), false})});
    }
    return last;
}

seen_versions::run seen_versions::look(const storage::store& data) const noexcept {
    run made;
    made.start = data.ticks.now();
    made.completed = completed_.load(std::memory_order_relaxed);
    made.anywhere = last_anywhere(data);
    made.above = last_above(data);
    return made;
}

seen_versions::run seen_versions::begin(const storage::store& data,
                                        const detail::run_options& options) {
    make_room(data.tables.number_limit());
    run made = look(data);
    detail::run_options others = options;
    others.shares = 1;
    others.should_stop = nullptr;
    // All rows of a table may be given.
    others.given &= options.first_row != 0 || options.row_count == 0 ||
                    options.row_count != data.tables.rows(options.table).count;
    // Shares count together where nothing else is left out.
    others.one_group &= !whole_groups_ || options.shares > 1;
    if (!others.is_plain() || options.shares > max_shares) {
        return made;
    }
    made.whole = !options.given && !options.one_group;
    made.shares = options.shares;
    made.share = options.share;
    if (options.shares == 1) {
        made.id = runs_.fetch_add(1, std::memory_order_relaxed) + 1;
        return made;
    }
    std::lock_guard<std::mutex> guard(sharing_);
    const std::uint64_t bit = std::uint64_t{1} << options.share;
    if (pass_.shares != options.shares || pass_.begun & bit) {
        pass_ = {runs_.fetch_add(1, std::memory_order_relaxed) + 1, options.shares, 0, 0,
                 made.start};
        unfinished_.store(pass_.id, std::memory_order_relaxed);
    }
    pass_.begun |= bit;
    made.id = pass_.id;
    return made;
}

std::uint64_t seen_versions::seen_at(const run& at, std::uint32_t table) const noexcept {
    const entry* known = find(table);
    if (!known) {
        return at.completed;
    }
    // As long as shares are missing, no table was seen.
    const std::uint32_t unfinished = unfinished_.load(std::memory_order_relaxed);
    const bool shared = unfinished != 0 && load_relaxed(known->run) == unfinished;
    return std::max(load_relaxed(shared ? known->before : known->seen), at.completed);
}

std::shared_ptr<const seen_versions::filled_tables> seen_versions::find_filled(
    const storage::store& data, const match_cache& cache) {
    std::lock_guard<std::mutex> guard(sharing_);
    const std::uint64_t tick = data.ticks.any_rows_tick();
    if (filled_ && filled_->tick == tick && filled_->edition == cache.edition()) {
        return filled_;
    }
    auto made = std::make_shared<filled_tables>();
    *made = {tick, cache.edition(), true, {}};
    for (std::uint32_t i = 0; i < cache.count(); ++i) {
        const std::uint32_t table = cache.record(i)[0];
        if (data.tables.rows(table).count != 0) {
            made->places.push_back({i, table});
            made->all_marked &=
                data.ticks.has_table(table) && data.tables.at(table).flags & detail::shape_tracked;
        }
    }
    filled_ = std::move(made);
    return filled_;
}

void seen_versions::note_first(const storage::store& data, std::uint32_t table) {
    make_room(data.tables.number_limit());
    run first;
    first.id = 1;
    visit(data, first, table);
}

void seen_versions::abandon(const run& ended, std::uint32_t table) noexcept {
    entry* known = find(table);
    if (known && ended.id != 0 && load_relaxed(known->run) == ended.id) {
        store_relaxed(known->seen, load_relaxed(known->before));
    }
}

void seen_versions::finish(const run& ended) noexcept {
    if (ended.id == 0 || !ended.whole) {
        return;
    }
    if (ended.shares == 1) {
        complete(ended.start, ended.id);
        return;
    }
    std::lock_guard<std::mutex> guard(sharing_);
    if (pass_.id == ended.id) {
        pass_.ended |= std::uint64_t{1} << ended.share;
        const std::uint64_t all = ~std::uint64_t{0} >> (max_shares - ended.shares);
        if (pass_.ended == all) {
            complete(pass_.start, pass_.id);
        }
    }
}

void seen_versions::complete(std::uint64_t start, std::uint32_t id) noexcept {
    unfinished_.store(0, std::memory_order_relaxed);
    completed_.store(start, std::memory_order_relaxed);
    completed_run_.store(id, std::memory_order_relaxed);
}

bool seen_versions::has_sparse_changed(std::uint32_t table, std::uint64_t since) const noexcept {
    return std::any_of(scope_.sparse.begin(), scope_.sparse.end(),
                       [&](const sparse_change_marks* marks) {
                           return change_ticks::sparse_tick(*marks, table, number_) > since;
                       });
}

bool seen_versions::is_field_changed(const storage::store& data, const detail::result& found,
                                     const detail::field_data& field,
                                     std::uint64_t since) const noexcept {
    if (!(field.flags & detail::field_set)) {
        return false;
    }
    std::uint32_t number = found.table;
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

// Entities that the result depends on, beside those in its rows, are others now.
bool seen_versions::have_others_changed(const storage::store& data, const run& at,
                                        const detail::result& found,
                                        std::uint64_t since) const noexcept {
    if ((finds_rows() ? meaning_tick_ : at.anywhere) > since) {
        return true;
    }
    return scope_.inherits && found.count != 0 &&
           data.tables.at(found.table).flags & detail::shape_has_base &&
           data.ticks.bases_tick() > since;
}

// Walks up from the entity to the source that a term finds.
bool seen_versions::has_above_changed(const storage::store& data, entity_t entity,
                                      std::uint64_t since) const {
    const storage::row_ticks& single = data.ticks.single();
    for (const change_dependencies::upward& one : scope_.upwards) {
        const id_t edge = make_pair(one.relation, Wildcard);
        entity_t at = entity;
        for (std::uint32_t level = 1; level <= one.max_depth; ++level) {
            if (single.id_tick(edge, index_of(at), number_) > since) {
                return true;
            }
            entity_t above = 0;
            storage::each_target(data, at, one.relation, [&](std::uint32_t target) {
                above = data.entities.alive_at(target);
                return false;
            });
            if (above == 0) {
                break;
            }
            at = above;
            if (single.id_tick(one.pattern, index_of(at), number_) > since ||
                single.id_tick(make_pair(IsA, Wildcard), index_of(at), number_) > since) {
                return true;
            }
            if (level < one.min_depth) {
                continue;
            }
            const storage::entity_record& record = *data.entities.find(at);
            if (storage::owns_id(data, record, at, one.pattern)) {
                break;
            }
            if (const entity_t base = traits::find_base(data, record, at, one.pattern)) {
                if (single.id_tick(one.pattern, index_of(base), number_) > since) {
                    return true;
                }
                break;
            }
        }
    }
    return !scope_.upwards.empty() && data.ticks.bases_tick() > since;
}

bool seen_versions::has_above_changed(const storage::store& data, const run& at,
                                      const detail::result& found, std::uint64_t since) const {
    return at.above > since &&
           std::any_of(found.entities, found.entities + found.count,
                       [&](entity_t row) { return has_above_changed(data, row, since); });
}

bool seen_versions::is_upward(std::size_t field) const noexcept {
    return std::any_of(scope_.upwards.begin(), scope_.upwards.end(),
                       [&](const change_dependencies::upward& one) { return one.field == field; });
}

bool seen_versions::is_changed(const storage::store& data, const run& at,
                               const detail::result& found, std::uint64_t since) const {
    if (since == 0 || have_others_changed(data, at, found, since)) {
        return true;
    }
    if (found.count != 0) {
        const storage::table& type = data.tables.at(found.table);
        if (!(type.flags & detail::shape_tracked)) {
            return true;
        }
        const bool alone =
            !depends_on_others() && !(scope_.inherits && type.flags & detail::shape_has_base);
        if (alone && data.ticks.table_tick(found.table, number_) <= since) {
            return false;
        }
        if (data.ticks.rows_tick(found.table) > since || has_sparse_changed(found.table, since)) {
            return true;
        }
    }
    for (std::size_t i = 0; i < found.field_count; ++i) {
        if (!(finds_rows() && is_upward(i)) &&
            is_field_changed(data, found, found.fields[i], since)) {
            return true;
        }
    }
    return finds_rows() && has_above_changed(data, at, found, since);
}

bool seen_versions::is_row_changed(const storage::store& data, const query_model& model,
                                   const run& at, const detail::result& found, std::uint32_t row,
                                   std::uint64_t since) const {
    if (!finds_rows() && !is_changed(data, at, found, since)) {
        return false;
    }
    if (!by_row_ || since == 0 || found.count == 0 || have_others_changed(data, at, found, since) ||
        !(data.tables.at(found.table).flags & detail::shape_tracked)) {
        return true;
    }
    return has_own_changed(data, model, found, row, since) ||
           (finds_rows() && at.above > since &&
            has_above_changed(data, found.entities[row], since));
}

bool seen_versions::has_own_changed(const storage::store& data, const query_model& model,
                                    const detail::result& found, std::uint32_t row,
                                    std::uint64_t since) const noexcept {
    const storage::row_ticks& single = data.ticks.single();
    const std::uint32_t index = index_of(found.entities[row]);
    if (single.came_tick(index) > since) {
        return true;
    }
    return std::any_of(model.begin(), model.end(), [&](const term& one) {
        if (one.kind != term_kind::ids || one.from == source_kind::none ||
            (finds_rows() && !(one.flags & Self))) {
            return false;
        }
        auto is_marked = [&](std::uint32_t who) {
            return single.id_tick(pattern_of(one), who, number_) > since;
        };
        // What a row may have beside its table, it may just have lost, and inherit now.
        const entity_t source = found.fields[one.field].source;
        const bool own = source == 0 || (one.from == source_kind::self && one.flags & Self);
        return (own && is_marked(index)) || (source != 0 && is_marked(index_of(source)));
    });
}

bool seen_versions::find_changed(const storage::store& data, const query_model& model,
                                 const run& at, bool own_writes,
                                 std::vector<entity_t>& found) const {
    const bool other_bases =
        (scope_.inherits || !scope_.upwards.empty()) && data.ticks.bases_tick() > at.completed;
    if (!finds_rows() || at.completed == 0 || meaning_tick_ > at.completed || other_bases ||
        !data.ticks.single().has_room(data.page_count)) {
        return false;
    }
    changed_rows rows(data, model, scope_, number_, at.completed);
    rows.collect(own_writes);
    found = rows.take();
    return true;
}

void seen_versions::finish_rows(const run& ended,
                                const std::vector<std::uint32_t>& tables) noexcept {
    const std::uint32_t last = completed_run_.load(std::memory_order_relaxed);
    for (const std::uint32_t table : tables) {
        if (entry* known = find(table); known && load_relaxed(known->run) < last) {
            store_relaxed(known->run, last);
            store_relaxed(known->seen, ended.start);
        }
    }
    completed_.store(ended.start, std::memory_order_relaxed);
}

bool seen_versions::has_lost_results(const storage::store& data, const run& at) const noexcept {
    // Rows that inherit values through other entities are found only while the bases of those are
    // the same.
    const std::uint64_t others = !finds_rows() ? at.anywhere
                                 : scope_.upwards.empty()
                                     ? meaning_tick_
                                     : std::max(meaning_tick_, data.ticks.bases_tick());
    if (others > at.completed) {
        return true;
    }
    const table_list* list = tables_.load(std::memory_order_acquire);
    const std::uint32_t completed_run = completed_run_.load(std::memory_order_relaxed);
    for (std::uint32_t number = 0; list && number < list->size; ++number) {
        const entry& known = list->entries[number];
        const std::uint64_t seen = load_relaxed(known.seen);
        if (seen == 0 || load_relaxed(known.run) < completed_run || !data.ticks.has_table(number)) {
            continue;
        }
        const std::uint64_t since = std::max(seen, at.completed);
        const storage::table* type = data.tables.find_number(number);
        const bool inheritor = type && scope_.inherits && type->flags & detail::shape_has_base;
        if (data.ticks.rows_tick(number) > since || has_sparse_changed(number, since) ||
            (inheritor && data.ticks.bases_tick() > since)) {
            return true;
        }
    }
    return false;
}

}  // namespace kith::queries
