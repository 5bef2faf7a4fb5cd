// Change flags against a reference that compares bytes: random worlds, queries of many kinds that
// read and write, and random operations between their runs. Where what a query sees is not what it
// saw, it must say so; where nothing that it matches was touched, it must not. KITH_SEED=n takes a
// seed of your own, KITH_SEEDS=n as many that follow.
#include <kith/kith.hpp>

#include "support/random_programs.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

struct Place {
    int x = 0;
};
struct Speed {
    int x = 0;
};
struct Mass {  // beside the tables
    int x = 0;
};
struct Eats {  // of somebody
    int x = 0;
};
struct Red {};
struct Blue {};

struct random_numbers {
    std::uint64_t state;
    std::uint32_t operator()(std::uint32_t limit) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return static_cast<std::uint32_t>(state >> 33) % limit;
    }
};

// What was touched, by operations and by whom (0: not by a query).
struct touch {
    enum what : unsigned { rows = 1, place = 2, speed = 4, red = 8 } what;
    std::uint32_t table;
    kith::entity_t entity;  // 0: some
    int writer;
    std::uint64_t when;
    bool surely;
};

constexpr std::uint32_t any_table = 0xFFFFFFFF;

struct written {
    enum touch::what what;
    kith::entity_t entity;
    bool surely = true;
};

// What a query is like: what surely counts in a table, and what may. 0: that is not known.
struct kind {
    unsigned must = 0;
    unsigned may = 0;
    bool writes = false;  // Place
    bool by_row = false;
};
constexpr kind any_kind{};
constexpr kind rows_kind{0, 0, false, true};

class change_program {
public:
    // Many things are done in a simpler way until something is switched off.
    explicit change_program(std::uint64_t seed)
        : random_{seed * 7919 + 1}, switches_(seed % 2 == 0) {
        world_.component<Mass>().add(kith::Sparse);
        near_ = world_.relation("near", {.storage = kith::storage::sparse});
        knows_ = world_.entity();
        loves_ = world_.entity();
        for (int i = 0; i < 6; ++i) {
            entities_.push_back(world_.entity());
        }
        make_queries();
    }

    // What was wrong, or "".
    std::string run(int steps) {
        for (int step = 0; step < steps && fault_.empty(); ++step) {
            const std::uint32_t what = random_(10);
            if (what < 5) {
                operate();
            } else if (what == 5) {
                operate_deferred();
            } else {
                look_at_one();
            }
        }
        return fault_;
    }

private:
    // A row as a query sees it: values and whose they are.
    using row = std::vector<std::int64_t>;
    using rows = std::map<kith::entity_t, std::vector<row>>;
    struct reader {
        std::string name;
        kith::query<> query;
        kind like;
        bool plain = false;  // decided by tables: flags must be exact
        int number = 0;
        std::map<std::uint32_t, rows> seen;
        std::map<std::uint32_t, std::uint64_t> visited;
        // The same, but for tables in the middle of which a run may have ended.
        std::map<std::uint32_t, std::uint64_t> passed;
        std::set<std::uint32_t> unsure;  // such tables, since it last ran to the end
        std::uint64_t completed = 0;
        std::uint64_t clock = 0;  // operations so far, when it last ran
        bool whole = false;       // ... to the end
    };

    // The world counts what somebody asks for: with few readers, not everything.
    void add(const char* name, kith::query<> query, const kind& like) {
        if (random_(5) != 0) {
            return;
        }
        reader made;
        made.name = name;
        made.query = query;
        made.like = like;
        made.like.may |= like.must;
        made.plain = like.must != 0;
        made.number = static_cast<int>(readers_.size()) + 1;
        readers_.push_back(made);
    }
    void add_plain() {
        auto& w = world_;
        auto own = [](auto&& builder) { return builder.self(); };
        constexpr unsigned one = touch::rows | touch::place;
        constexpr unsigned both = one | touch::speed;
        add("place", own(w.query_builder().term<Place>().in()).build(), {one});
        add("place, uncached", own(w.query_builder().term<Place>().in()).uncached().build(), {one});
        add("both", own(own(w.query_builder().term<Place>().in()).term<Speed>().in()).build(),
            {both});
        add("both by row",
            own(own(w.query_builder().term<Place>().in()).term<Speed>().in().optional())
                .track_rows()
                .build(),
            {one, touch::speed, false, true});
        add("either",
            own(own(w.query_builder().term<Place>().in()).or_().term<Speed>().in()).build(),
            {touch::rows, touch::place | touch::speed});
        add("not red", own(w.query_builder().term<Place>().in()).without<Red>().self().build(),
            {one | touch::red});
        add("writer", own(w.query_builder().term<Place>().inout()).build(), {one, 0, true});
        add("writer, uncached",
            own(own(w.query_builder().term<Place>().inout()).term<Speed>().in()).uncached().build(),
            {both, 0, true});
    }
    void add_inheriting() {
        auto& w = world_;
        add("inherited", w.query_builder().term<Place>().in().build(), any_kind);
        add("inherited, by row", w.query_builder().term<Place>().in().track_rows().build(),
            rows_kind);
        add("inherited pairs", w.query_builder().term<Eats>(kith::Wildcard).in().build(), any_kind);
        add("maybe a pair",
            w.query_builder().term<Red>().term<Eats>("$what").in().optional().build(), any_kind);
        add("no pair",
            w.query_builder().term<Place>().in().term<Eats>(kith::Wildcard).not_().build(),
            any_kind);
    }
    void add_sparse() {
        auto& w = world_;
        add("sparse", w.query_builder().term<Mass>().in().build(), any_kind);
        add("sparse and dense",
            w.query_builder().term<Place>().in().term<Mass>().in().optional().build(), any_kind);
        add("sparse by row",
            w.query_builder().term<Place>().in().term<Mass>().in().track_rows().build(), rows_kind);
        add("not sparse", w.query_builder().term<Place>().in().without<Mass>().build(), any_kind);
        add("near", w.query_builder().term(near_, kith::Wildcard).build(), any_kind);
        add("anything", w.query_builder().term(kith::Wildcard).in().build(), any_kind);
        add("any pair", w.query_builder().term(kith::Wildcard, entities_[1]).in().build(),
            any_kind);
        add("place and any pair",
            w.query_builder().term<Place>().in().term(kith::Wildcard, entities_[1]).in().build(),
            any_kind);
        add("neither", w.query_builder().without<Place>().without<Speed>().build(), any_kind);
        add("neither, by row",
            w.query_builder().without<Place>().without<Speed>().track_rows().build(), rows_kind);
        add("no pair at all, uncached",
            w.query_builder().without<Eats>(kith::Wildcard).uncached().build(), any_kind);
        add("knows", w.query_builder().term(knows_, kith::Wildcard).build(), any_kind);
        add("knows whom", w.query_builder().term(knows_, "$whom").build(), any_kind);
        add("knows by row", w.query_builder().term(knows_, kith::Wildcard).track_rows().build(),
            rows_kind);
    }
    void add_others() {
        auto& w = world_;
        add("up", w.query_builder().term<Speed>().in().term<Place>().in().up(kith::ChildOf).build(),
            any_kind);
        add("up by row",
            w.query_builder()
                .term<Speed>()
                .in()
                .term<Place>()
                .in()
                .up(kith::ChildOf)
                .track_rows()
                .build(),
            rows_kind);
        add("down",
            w.query_builder().term<Speed>().in().term<Place>().in().down(kith::ChildOf).build(),
            any_kind);
        add("cascade",
            w.query_builder()
                .term<Speed>()
                .in()
                .term<Place>()
                .in()
                .optional()
                .cascade(kith::ChildOf)
                .build(),
            any_kind);
        add("children", w.query_builder().term<Place>().in().term(kith::ChildOf, "$p").build(),
            any_kind);
        add("parents' place",
            w.query_builder()
                .term<Speed>()
                .in()
                .term(kith::ChildOf, "$p")
                .term<Place>()
                .in()
                .src("$p")
                .build(),
            any_kind);
        add("fixed", w.query_builder().term<Place>().src(entities_[0]).in().build(), any_kind);
        add("fixed sparse", w.query_builder().term<Mass>().src(entities_[0]).in().build(),
            any_kind);
        add("sparse up",
            w.query_builder().term<Place>().in().term<Mass>().in().up(kith::ChildOf).build(),
            any_kind);
        add("sparse up by row",
            w.query_builder()
                .term<Place>()
                .in()
                .term<Mass>()
                .in()
                .up(kith::ChildOf)
                .track_rows()
                .build(),
            rows_kind);
        add("cascade by row",
            w.query_builder()
                .term<Speed>()
                .in()
                .term<Place>()
                .in()
                .optional()
                .parent()
                .cascade(kith::ChildOf)
                .track_rows()
                .build(),
            rows_kind);
        add("parents' mass",
            w.query_builder()
                .term<Speed>()
                .in()
                .term(kith::ChildOf, "$p")
                .term<Mass>()
                .in()
                .src("$p")
                .build(),
            any_kind);
    }
    void make_queries() {
        add_plain();
        add_inheriting();
        add_sparse();
        add_others();
        for (reader& one : readers_) {
            one.query.changed();
        }
    }

    std::uint32_t table_of(kith::entity e) {
        return e.is_alive() && e.table()
                   ? world_.c_ptr()
                         ->store->pages[kith::index_of(e) >> 12][kith::index_of(e) & 4095]
                         .table
                   : 0;
    }
    std::map<kith::entity_t, std::uint32_t> places() {
        std::map<kith::entity_t, std::uint32_t> found;
        for (kith::entity e : entities_) {
            if (e.is_alive()) {
                found[e] = table_of(e);
            }
        }
        return found;
    }
    kith::entity any() {
        for (int tries = 0; tries < 20; ++tries) {
            kith::entity e = entities_[random_(static_cast<std::uint32_t>(entities_.size()))];
            if (e.is_alive()) {
                return e;
            }
        }
        entities_.push_back(world_.entity());
        return entities_.back();
    }
    void note_value(enum touch::what what, kith::entity e, int writer, bool surely = true) {
        affected_.push_back({what, table_of(e), e, writer, ++clock_, surely});
    }

    // Notes whose table changed, and which values were set for those that stayed.
    void noting(bool deferred, const std::function<void()>& action) {
        auto before = places();
        pending_.clear();
        passing_ = false;
        ++operations_;
        try {
            action();
        } catch (const kith::error&) {
            // Some commands failed, the others were run.
        }
        auto after = places();
        for (auto& [e, table] : before) {
            auto now = after.find(e);
            if (now == after.end() || now->second != table) {
                affected_.push_back({touch::rows, table, 0, 0, ++clock_, true});
            }
        }
        for (auto& [e, table] : after) {
            auto then = before.find(e);
            if (then == before.end() || then->second != table) {
                affected_.push_back({touch::rows, table, e, 0, ++clock_, true});
            }
        }
        if (deferred || passing_) {
            // Entities may have been in other tables for a moment.
            affected_.push_back({touch::rows, any_table, 0, 0, ++clock_, false});
        }
        for (const written& one : pending_) {
            kith::entity of(world_, one.entity);
            if (of.is_alive()) {
                note_value(one.what, of, 0, one.surely && !deferred);
            }
        }
    }
    void operate() {
        noting(false, [&] { change(); });
    }
    void operate_deferred() {
        noting(true, [&] {
            world_.defer([&] {
                for (std::uint32_t count = 1 + random_(5); count > 0; --count) {
                    change();
                }
            });
        });
    }
    template <class T>
    void switch_one(kith::entity e, enum touch::what what) {
        if (e.owns<T>()) {
            const bool on = !e.enabled<T>();
            on ? e.enable<T>() : e.disable<T>();
            pending_.push_back({what, e});
        }
    }
    void switch_some(kith::entity e, kith::entity other) {
        switch (random_(5)) {
            case 0:
                switch_one<Place>(e, touch::place);
                break;
            case 1:
                switch_one<Speed>(e, touch::speed);
                break;
            case 2:
                switch_one<Red>(e, touch::red);
                break;
            case 3:
                if (e.owns<Mass>()) {
                    e.enabled<Mass>() ? e.disable<Mass>() : e.enable<Mass>();
                }
                break;
            default:
                if (e.owns<Eats>(other)) {
                    e.enabled<Eats>(other) ? e.disable<Eats>(other) : e.enable<Eats>(other);
                }
                break;
        }
    }
    // An instance gets what its bases mark one by one.
    static bool marks_overrides(kith::entity base) {
        bool marks = false;
        for (kith::id_t id : base.type()) {
            marks |= (id & kith::Override) != 0;
        }
        base.each(kith::IsA, [&](kith::entity next) { marks |= marks_overrides(next); });
        return marks;
    }
    void change() {
        kith::entity e = any();
        kith::entity other = any();
        const int value = static_cast<int>(random_(1000));
        try {
            switch (random_(36)) {
                case 0:
                    entities_.push_back(world_.entity().set<Place>({value}));
                    break;
                case 1:
                    passing_ = true;
                    e.destruct();
                    break;
                case 2:
                case 3:
                case 4:
                    e.set<Place>({value});
                    pending_.push_back({touch::place, e});
                    break;
                case 5:
                case 28:
                    e.set<Speed>({value});
                    pending_.push_back({touch::speed, e});
                    break;
                case 6:
                    e.remove<Place>();
                    pending_.push_back({touch::place, e, false});  // may come back at once
                    break;
                case 7:
                    e.remove<Speed>();
                    pending_.push_back({touch::speed, e, false});
                    break;
                case 8:
                    e.add<Red>();
                    break;
                case 9:
                    e.remove<Red>();
                    break;
                case 10:
                    e.set<Mass>({value});
                    break;
                case 11:
                    e.remove<Mass>();
                    break;
                case 12:
                case 25:
                    e.child_of(other);
                    break;
                case 13:
                    e.remove(kith::ChildOf, kith::Wildcard);
                    break;
                case 14:
                case 26:
                case 27:
                    passing_ |= marks_overrides(other);
                    e.is_a(other);
                    break;
                case 15:
                    e.remove(kith::IsA, kith::Wildcard);
                    break;
                case 16:
                    if (e.owns<Place>()) {
                        e.modified<Place>();
                        pending_.push_back({touch::place, e});
                    }
                    break;
                case 17:
                    e.add<Place>();
                    pending_.push_back({touch::place, e, false});
                    break;
                case 18:
                    passing_ = true;
                    entities_.push_back(e.clone());
                    break;
                case 19:
                case 20:
                    e.set<Eats>(other, {value});
                    break;
                case 21:
                    e.add(near_, other);
                    break;
                case 22:
                    e.remove(near_, kith::Wildcard);
                    break;
                case 23:
                case 24:
                    if (switches_) {
                        switch_some(e, other);
                    }
                    break;
                case 29:
                    world_.shrink();
                    break;
                case 30:
                    e.override<Place>();
                    break;
                case 31:
                    e.override<Eats>(other);
                    break;
                case 32:
                    e.add(loves_, other);
                    break;
                case 33:
                    loves_.is_a(knows_);
                    break;
                case 34:
                    loves_.remove(kith::IsA, knows_);
                    break;
                default:
                    e.add<Blue>();
                    break;
            }
        } catch (const kith::error&) {
            // A cycle: nothing has changed.
        }
    }

    // Touched by others since the reader last saw the table.
    bool is_touched(const reader& by, std::uint32_t table, kith::entity_t entity,
                    bool surely) const {
        const auto& visits = surely ? by.visited : by.passed;
        auto visited = visits.find(table);
        const std::uint64_t seen = visited == visits.end() ? 0 : visited->second;
        const std::uint64_t since = std::max(seen, by.completed);
        if (since == 0) {
            return true;
        }
        for (const touch& one : affected_) {
            const bool here = one.table == table || one.table == any_table;
            if (one.when <= since || !here || one.writer == by.number) {
                continue;
            }
            const bool concerns = one.what & (surely ? by.like.must : by.like.may);
            const bool this_row = entity == 0 || one.entity == entity || one.table == any_table;
            if (concerns && this_row && (one.surely || !surely)) {
                return true;
            }
        }
        return false;
    }

    row values_of(kith::iter& it, std::size_t at) {
        row values;
        for (int field = 1; field <= it.field_count(); ++field) {
            values.push_back(it.is_set(field));
            values.push_back(static_cast<std::int64_t>(it.raw().fields[field - 1].id));
            values.push_back(static_cast<std::int64_t>(it.src(field).id()));
            const auto& raw = it.raw().fields[field - 1];
            const bool number = it.is_set(field) && raw.value && it.size(field) == sizeof(int);
            values.push_back(number ? *reinterpret_cast<int*>(raw.value + raw.stride * at) : -1);
        }
        return values;
    }

    void look_at_one() {
        if (readers_.empty()) {
            return;
        }
        reader& by = readers_[random_(static_cast<std::uint32_t>(readers_.size()))];
        if (by.like.by_row && random_(3) == 0) {
            look_at_changes(by);
        } else {
            look(by);
        }
    }
    // A run over the rows that changed, and one over all of them, for which nothing is new then.
    void look_at_changes(reader& by) {
        const bool said = by.query.changed();
        std::set<kith::entity_t> visited;
        by.query.each_changed([&](kith::iter& it, std::size_t at) {
            visited.insert(it.entity(at));
            if (by.plain && by.completed != 0 && by.whole &&
                !is_touched(by, it.raw().table, it.entity(at), false)) {
                fail(by, "a row was visited that nobody touched");
            }
        });
        if (by.query.changed()) {
            fail(by, "it changed though its changes were visited");
        }
        std::map<std::uint32_t, rows> now;
        by.query.iter([&](kith::iter& it) {
            const std::uint32_t table = it.raw().table;
            for (std::size_t i = 0; i < it.count(); ++i) {
                now[table][it.entity(i)].push_back(values_of(it, i));
                if (it.changed(i)) {
                    fail(by, "a row changed though it was visited");
                }
            }
            next_visits_[table] = ++clock_;
        });
        for (auto& [table, found] : now) {
            for (auto& [e, values] : found) {
                const bool same = by.seen[table].count(e) != 0 && by.seen[table][e] == values;
                if (!same && by.unsure.count(table) == 0 && visited.count(e) == 0) {
                    fail(by, "a row differs and was not visited");
                }
                if (!same && by.unsure.count(table) == 0 && !said) {
                    fail(by, "the query differs and did not change");
                }
            }
        }
        by.whole = true;
        by.clock = operations_;
        by.seen = std::move(now);
        by.unsure.clear();
        by.completed = ++clock_;
        for (auto& [table, when] : next_visits_) {
            by.visited[table] = by.passed[table] = when;
        }
        next_visits_.clear();
    }
    void fail(const reader& by, const std::string& what) {
        if (fault_.empty()) {
            fault_ = by.name + ": " + what;
        }
    }

    void look(reader& by) {
        const bool said = by.query.changed();
        const bool should_stop = by.plain && random_(8) == 0;
        struct group {
            rows now;
            bool changed = false;
            bool asked = false;
        };
        std::map<std::uint32_t, group> tables;
        std::map<std::uint32_t, rows> after;
        bool ended = true;
        std::uint32_t last = 0;
        by.query.iter([&](kith::iter& it) {
            const std::uint32_t table = it.raw().table;
            group& in = tables[table];
            const bool changed = it.changed();
            if (in.asked && in.changed != changed && by.plain && by.like.must == by.like.may) {
                fail(by, "results of one table do not agree");
            }
            in.asked = true;
            in.changed |= changed;
            if (by.plain && !changed && is_touched(by, table, 0, true)) {
                fail(by, "a table did not change that was touched");
            }
            if (by.plain && changed && !is_touched(by, table, 0, false)) {
                fail(by, "a table changed that nobody touched");
            }
            const std::size_t count = std::max<std::size_t>(it.count(), 1);
            for (std::size_t i = 0; i < count; ++i) {
                const kith::entity_t e = it.count() ? it.entity(i).id() : 0;
                const row values = values_of(it, i);
                in.now[e].push_back(values);
                if (by.like.by_row && it.count()) {
                    const bool row_changed = it.changed(i);
                    const rows& old = by.seen[table];
                    auto known = old.find(e);
                    const bool same = known != old.end() && std::count(known->second.begin(),
                                                                       known->second.end(), values);
                    if (!same && !row_changed && by.unsure.count(table) == 0) {
                        fail(by, "a row differs and did not change");
                    }
                    if (by.plain && row_changed && !is_touched(by, table, e, false)) {
                        fail(by, "a row changed that nobody touched");
                    }
                }
            }
            if (by.like.writes) {
                const bool skips = random_(3) == 0;
                if (skips) {
                    it.skip();
                }
                for (std::size_t i = 0; i < it.count(); ++i) {
                    const auto& raw = it.raw().fields[0];
                    if (!skips) {
                        *reinterpret_cast<int*>(raw.value + raw.stride * i) += 1000;
                        note_value(touch::place, it.entity(i), by.number);
                        ++operations_;
                    }
                }
            }
            for (std::size_t i = 0; i < count; ++i) {
                after[table][it.count() ? it.entity(i).id() : 0].push_back(values_of(it, i));
            }
            next_visits_[table] = ++clock_;
            last = table;
            if (should_stop && random_(3) == 0) {
                ended = false;
                return false;
            }
            return true;
        });
        bool differs = by.completed == 0;
        for (auto& [table, in] : tables) {
            if (by.seen[table] != in.now && ended && by.unsure.count(table) == 0) {
                differs = true;
                if (!in.changed) {
                    fail(by, "a table differs and did not change");
                }
            }
        }
        for (auto& [table, old] : by.seen) {
            differs |= ended && !old.empty() && tables.find(table) == tables.end() &&
                       by.unsure.count(table) == 0;
        }
        if (differs && !said) {
            fail(by, "the query differs and did not change");
        }
        if (said && by.clock == operations_ && by.completed != 0 && by.whole) {
            fail(by, "the query changed and nobody touched anything");
        }
        by.whole = ended;
        by.clock = operations_;
        if (ended) {
            by.seen = after;
            by.unsure.clear();
            by.completed = ++clock_;
        } else {
            by.unsure.insert(last);
            for (auto& [table, now] : after) {
                by.seen[table] = now;
            }
        }
        for (auto& [table, when] : next_visits_) {
            by.visited[table] = when;
            if (ended || table != last) {
                by.passed[table] = when;
            }
        }
        next_visits_.clear();
    }

    random_numbers random_;
    bool switches_;
    kith::world world_;
    kith::entity near_;  // beside the tables
    kith::entity knows_;
    kith::entity loves_;  // derives from knows_ now and then
    std::vector<kith::entity> entities_;
    std::vector<reader> readers_;
    std::vector<touch> affected_;
    std::vector<written> pending_;
    bool passing_ = false;  // the operation takes several steps
    std::map<std::uint32_t, std::uint64_t> next_visits_;
    std::uint64_t clock_ = 1;
    std::uint64_t operations_ = 0;
    std::string fault_;
};

}  // namespace

TEST_SUITE("model.change") {
    TEST_CASE("flags of random queries in random worlds agree with their bytes") {
        for (std::uint64_t seed : random_programs::chosen_seeds(600)) {
            INFO("KITH_SEED=" << seed);
            const std::string fault = change_program(seed).run(200);
            CHECK(fault == "");
            if (!fault.empty()) {
                break;
            }
        }
    }
}
