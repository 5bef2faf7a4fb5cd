// Implements kith/detail/split_run.hpp. The results of a query are divided in one of four ways: by
// the list of matches of its cache, by the tables that a run finds, by the rows of a sorted run, or
// not at all.
#include <kith/detail/split_run.hpp>

#include "base/assert.hpp"
#include "query/run/cached_run.hpp"
#include "query/run/choose_run.hpp"
#include "query/run/run_tracker.hpp"
#include "query/run/sorted_run.hpp"
#include "traits/traits.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

namespace kith::detail {

using queries::compiled;
using queries::compiled_query;

namespace {

const storage::store& split_store(const world_t* world) noexcept {
    return static_cast<const storage::store&>(*world->store);
}

// The bytes of a row that the terms of a query name.
std::uint64_t row_bytes(const compiled_query& query, const storage::store& data) noexcept {
    std::uint64_t bytes = 0;
    for (const queries::term& term : query.model) {
        if (term.kind == queries::term_kind::ids && term.from == queries::source_kind::self &&
            term.oper != Not) {
            const types::component_type* type = traits::describe_id(data, term.id).value_type;
            bytes += type ? type->info.size : 0;
        }
    }
    return std::max<std::uint64_t>(bytes, 1);
}

// Large enough that handing over a part costs little, small enough that its values fit into a
// cache, and few enough parts of a small query.
std::uint64_t default_part_rows(std::uint64_t rows, std::uint64_t bytes) noexcept {
    constexpr std::uint64_t least = 256;
    constexpr std::uint64_t cache = 128 * 1024;
    const std::uint64_t most = std::max(least, cache / bytes);
    return (std::clamp(rows / 64, least, most) + 63) / 64 * 64;
}

}  // namespace

struct split_run::state {
    // The way in which results are divided.
    enum class division : std::uint8_t { matches, pieces, sorted, none };
    // Neighbouring rows of a table.
    struct piece {
        std::uint32_t table = 0;
        std::uint32_t first_row = 0;
        std::uint32_t count = 0;
    };
    // `piece` is the record of the match cache, or the position in `pieces`, in which the part
    // begins, and the first row is counted from the first of the piece; for sorted rows it is
    // counted in the order of results.
    struct part {
        std::uint32_t piece = 0;
        std::uint64_t first_row = 0;
        std::uint64_t count = 0;
    };

    explicit state(const query_head* head) : query(compiled(head)) {}

    division choose(const run_options& wanted) const noexcept {
        if (!query.model.has_this || query.model.variable_count > 1) {
            return division::none;
        }
        if (queries::is_ordered(query, wanted) && !query.order->keys.empty()) {
            return division::sorted;
        }
        const bool listed = !query.model.is_ordered_by_group() &&
                            queries::has_plain_matches(query) &&
                            query.model.count <= queries::plan::max_simple && wanted.is_plain();
        return listed ? division::matches : division::pieces;
    }
    // The options of the run that finds the rows.
    run_options finding_options() const noexcept {
        run_options whole = options;
        whole.row_at_a_time = false;
        whole.noncontiguous = !query.model.is_ordered_by_group();
        whole.untracked = true;
        whole.writes = 0;
        return whole;
    }
    // The tables of the results, each once, in the order of results. A table stands for all of its
    // rows: the run of a part leaves out those that do not match.
    void find_tables(world_t* world) {
        const storage::store& data = split_store(world);
        std::vector<bool> known(data.tables.number_limit());
        query_run run(&query, world, finding_options());
        for (result found; run.next(found);) {
            if (!known[found.table]) {
                known[found.table] = true;
                pieces.push_back({found.table, 0, data.tables.rows(found.table).count});
            }
        }
    }
    // The rows of the results by group or depth. False if a row is in several results, which may
    // belong to several parts then.
    bool find_groups(world_t* world) {
        const bool repeats = std::any_of(
            query.model.begin(), query.model.end(),
            [](const queries::term& term) { return is_wildcard(term.id) || term.in_chain; });
        if (repeats) {
            return false;
        }
        std::uint64_t group = 0;
        query_run run(&query, world, finding_options());
        for (result found; run.next(found);) {
            const bool begins = pieces.empty() || found.group != group;
            if (begins && query.model.cascade >= 0) {
                level_begins.push_back(static_cast<std::uint32_t>(pieces.size()));
            }
            group = found.group;
            if (!begins && pieces.back().table == found.table &&
                pieces.back().first_row + pieces.back().count == found.first_row) {
                pieces.back().count += found.count;
            } else {
                pieces.push_back({found.table, found.first_row, found.count});
            }
        }
        return true;
    }
    std::uint32_t piece_count() const noexcept {
        return static_cast<std::uint32_t>(way == division::matches ? query.match_count
                                                                   : pieces.size());
    }
    piece piece_at(const storage::store& data, std::uint32_t number) const noexcept {
        if (way != division::matches) {
            return pieces[number];
        }
        const std::uint32_t table = query.matches[std::size_t{number} * query.match_size];
        return {table, 0, data.tables.rows(table).count};
    }
    // Fills parts with the rows of the pieces, one after the other. A level begins a part.
    void cut_pieces(const storage::store& data, std::uint64_t size) {
        auto level = level_begins.begin();
        bool is_open = false;  // the last part has room
        for (std::uint32_t number = 0; number < piece_count(); ++number) {
            if (level != level_begins.end() && *level == number) {
                ++level;
                is_open = false;
                if (!parts.empty() && (levels.empty() || levels.back() != parts.size())) {
                    levels.push_back(static_cast<std::uint32_t>(parts.size()));
                }
            }
            const std::uint32_t count = piece_at(data, number).count;
            for (std::uint32_t row = 0; row < count;) {
                if (!is_open) {
                    parts.push_back({number, row, 0});
                }
                const auto taken = static_cast<std::uint32_t>(
                    std::min<std::uint64_t>(count - row, size - parts.back().count));
                parts.back().count += taken;
                row += taken;
                is_open = parts.back().count < size;
            }
        }
        while (!levels.empty() && levels.back() >= parts.size()) {
            levels.pop_back();
        }
    }
    void cut_sorted(std::uint64_t size) {
        for (std::uint64_t row = 0; row < rows; row += size) {
            parts.push_back({0, row, std::min(size, rows - row)});
        }
    }
    void divide(world_t* world, std::uint64_t part_rows) {
        const storage::store& data = split_store(world);
        if (way == division::pieces) {
            if (!query.model.is_ordered_by_group()) {
                find_tables(world);
            } else if (!find_groups(world)) {
                way = division::none;
                parts.push_back({});
                return;
            }
        }
        if (way == division::sorted) {
            whole_sorted.emplace(query, world, options);
            rows = whole_sorted->row_count();
        } else {
            for (std::uint32_t number = 0; number < piece_count(); ++number) {
                rows += piece_at(data, number).count;
            }
        }
        const std::uint64_t size =
            part_rows ? part_rows : default_part_rows(rows, row_bytes(query, data));
        way == division::sorted ? cut_sorted(size) : cut_pieces(data, size);
    }

    const compiled_query& query;
    world_t* home = nullptr;
    run_options options;
    division way = division::none;
    std::uint64_t rows = 0;
    std::vector<piece> pieces;                // of division::pieces
    std::vector<std::uint32_t> level_begins;  // positions in `pieces`
    std::vector<part> parts;
    std::vector<std::uint32_t> levels;
    std::optional<queries::sorted_run> whole_sorted;
    bool is_tracked = false;
    queries::seen_versions::run seen;  // the run as change detection sees it
    mutable std::atomic<std::uint32_t> finished_parts = 0;
};

split_run::split_run(const query_head* query) : state_(std::make_unique<state>(query)) {}
split_run::~split_run() = default;

// A tracked run hands out results in a form that says which entities were written.
void split_run::prepare(world_t* world, const run_options& options, std::uint32_t part_rows) {
    state& own = *state_;
    queries::ensure_fresh(own.query, split_store(world));
    own.home = world;
    own.options = options;
    own.is_tracked = own.query.tracked && !options.untracked;
    own.options.noncontiguous = options.noncontiguous && !own.is_tracked;
    own.rows = 0;
    own.pieces.clear();
    own.level_begins.clear();
    own.parts.clear();
    own.levels.clear();
    own.whole_sorted.reset();
    own.finished_parts.store(0, std::memory_order_relaxed);
    own.way = own.choose(options);
    if (own.way == state::division::none) {
        own.parts.push_back({});
    } else {
        own.divide(world, part_rows);
    }
    if (own.is_tracked && own.query.changes) {
        own.query.changes->seen_tables(split_store(world));  // begin() makes no room any more
    }
}

std::uint32_t split_run::part_count() const noexcept {
    return static_cast<std::uint32_t>(state_->parts.size());
}
std::uint64_t split_run::row_count() const noexcept {
    return state_->rows;
}
std::uint64_t split_run::rows_of(std::uint32_t part) const noexcept {
    KITH_ASSERT(part < part_count(), "the run has the part");
    return state_->parts[part].count;
}
bool split_run::has_row(std::uint32_t part, entity_t entity) const noexcept {
    const state& own = *state_;
    const storage::store& data = split_store(own.home);
    const storage::entity_record* record = data.entities.find(entity);
    if (own.way == state::division::none || own.way == state::division::sorted || !record) {
        return record != nullptr;
    }
    const state::part& rows = own.parts[part];
    std::uint64_t first = rows.first_row;
    std::uint64_t left = rows.count;
    for (std::uint32_t number = rows.piece; left != 0 && number < own.piece_count(); ++number) {
        const state::piece next = own.piece_at(data, number);
        const std::uint64_t taken = std::min(left, next.count - first);
        const std::uint64_t begin = next.first_row + first;
        if (next.table == record->table && record->row >= begin && record->row < begin + taken) {
            return true;
        }
        left -= taken;
        first = 0;
    }
    return false;
}
const std::vector<std::uint32_t>& split_run::levels() const noexcept {
    return state_->levels;
}
bool split_run::is_listed() const noexcept {
    return state_->way == state::division::matches && !state_->is_tracked;
}
row_range split_run::range_of(std::uint32_t part) const noexcept {
    KITH_ASSERT(is_listed() && part < part_count(), "the part is a range of the list of matches");
    const state::part& rows = state_->parts[part];
    return {rows.piece, state_->query.match_count, static_cast<std::uint32_t>(rows.first_row),
            rows.count};
}

void split_run::begin() noexcept {
    state& own = *state_;
    if (own.is_tracked && own.query.changes) {
        own.seen = own.query.changes->begin(split_store(own.home), own.options);
        own.seen.in_parts = true;
    }
}

// The run has seen all results if each part has reached its end; a run without parts has seen that
// there are none.
void split_run::finish() noexcept {
    state& own = *state_;
    own.whole_sorted.reset();
    if (!own.is_tracked || !own.query.changes) {
        return;
    }
    if (own.parts.empty()) {
        begin();
    }
    if (own.finished_parts.load(std::memory_order_relaxed) == own.parts.size()) {
        own.query.changes->finish(own.seen);
    }
}

struct part_feed::state {
    using division = split_run::state::division;

    state(const split_run::state& all, const split_run::state::part& rows, world_t* used)
        : whole(all), stage(used), at(rows), options(all.options) {
        options.untracked = true;  // the part has a tracker of its own
        if (whole.is_tracked) {
            tracker.emplace(whole.query, stage, whole.seen);
        }
        switch (whole.way) {
            case division::matches:
                listed.emplace(whole.query, stage, options);
                left = {at.piece, static_cast<std::uint32_t>(at.first_row), at.count};
                break;
            case division::sorted:
                sorted.emplace(*whole.whole_sorted, stage, at.first_row, at.count);
                break;
            case division::none:
                run.emplace(&whole.query, stage, options);
                break;
            case division::pieces:
                break;
        }
    }

    bool next(result& found) {
        switch (whole.way) {
            case division::matches:
                return listed->next_of_part(left, found);
            case division::sorted:
                return sorted->next(found);
            case division::none:
                return run->next(found);
            case division::pieces:
                break;
        }
        while (!run || !run->next(found)) {
            run.reset();
            if (at.count == 0) {
                return false;
            }
            open_piece();
        }
        return true;
    }
    // Begins a run over the next rows of the part, which lie in one table.
    void open_piece() {
        const split_run::state::piece next = whole.pieces[at.piece++];
        const auto first = static_cast<std::uint32_t>(std::exchange(at.first_row, 0));
        options.given = true;
        options.table = next.table;
        options.first_row = next.first_row + first;
        options.row_count =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(next.count - first, at.count));
        at.count -= options.row_count;
        if (options.row_count != 0) {
            run.emplace(&whole.query, stage, options);
        }
    }

    const split_run::state& whole;
    world_t* stage;
    split_run::state::part at;  // the rows that no run has begun with
    run_options options;
    std::optional<queries::cached_run> listed;
    queries::cached_run::part left;  // of `listed`
    std::optional<queries::sorted_run> sorted;
    std::optional<query_run> run;
    std::optional<queries::run_tracker> tracker;
};

part_feed::part_feed(const split_run& whole, std::uint32_t part, world_t* stage)
    : state_(std::make_unique<state>(*whole.state_, whole.state_->parts[part], stage)) {}

part_feed::~part_feed() {
    if (state_->tracker && state_->tracker->has_finished()) {
        state_->whole.finished_parts.fetch_add(1, std::memory_order_relaxed);
    }
}

bool part_feed::next(result& found) {
    state& own = *state_;
    if (!own.tracker) {
        return own.next(found);
    }
    own.tracker->leave();
    const bool any = own.next(found);
    any ? own.tracker->enter(found) : own.tracker->finish();
    return any;
}

std::int32_t cascade_term(const query_head* query) noexcept {
    return compiled(query).model.cascade;
}

std::uint32_t refresh_query(const query_head* query, const world_t* world) {
    queries::ensure_fresh(compiled(query), split_store(world));
    return compiled(query).cache() ? compiled(query).cache()->edition() : 0;
}

// The function brings both queries up to date first.
bool match_apart(const query_head* one, const query_head* other, const world_t* world) {
    constexpr std::uint32_t most = 1024;
    for (const query_head* query : {one, other}) {
        if (!query) {
            return false;
        }
        queries::ensure_fresh(compiled(query), split_store(world));
        if (query->version.load() != world->store->version || query->listed != listing::matches ||
            query->match_count > most) {
            return false;
        }
    }
    auto table_of = [](const query_head* query, std::uint32_t match) {
        return query->matches[std::size_t{match} * query->match_size];
    };
    // A set of hashes: two tables with the same one count as the same table.
    std::uint64_t tables[most / 4] = {};
    for (std::uint32_t i = 0; i < one->match_count; ++i) {
        const std::uint32_t hash = table_of(one, i) % (64 * (most / 4));
        tables[hash / 64] |= std::uint64_t{1} << (hash % 64);
    }
    for (std::uint32_t i = 0; i < other->match_count; ++i) {
        const std::uint32_t hash = table_of(other, i) % (64 * (most / 4));
        if ((tables[hash / 64] >> (hash % 64)) & 1) {
            return false;
        }
    }
    return true;
}

}  // namespace kith::detail
