// Runs programs of query_program.hpp on kith and compares what queries of every kind give with the
// oracle. What differs is thrown as `difference`.
#pragma once

#include "support/query_program.hpp"

#include <map>
#include <memory>
#include <stdexcept>

namespace query_model {

class difference : public std::runtime_error {
public:
    difference(std::size_t query, const std::string& text)
        : std::runtime_error(text), query_(query) {}
    std::size_t query() const { return query_; }

private:
    std::size_t query_;
};

// How often what was tested.
struct statistics {
    std::map<std::string, std::size_t> terms;
    std::size_t cases = 0;
    std::size_t refused = 0;
    std::size_t empty = 0;
    std::size_t everything = 0;
    std::map<std::string, std::size_t> refusals;
};

// A query with the steps after which it is made.
struct program_query {
    int group = 0;
    query_terms terms;
};
struct program {
    std::vector<step> steps;
    std::vector<program_query> queries;
};

inline std::string text_of(const program& one) {
    std::string text;
    for (const step& each : one.steps) {
        text += "    " + text_of(each) + "\n";
    }
    for (const program_query& each : one.queries) {
        text += "    query " + text_of(each.terms) + "\n";
    }
    return text;
}

class session {
public:
    explicit session(statistics* counts = nullptr) : counts_(counts) {}

    void run(const step& one) {
        if (one.kind == step_kind::make_queries) {
            on.run({step_kind::flush, nothing, {}, 0});
            make_early(one.number);
        } else if (one.kind == step_kind::check) {
            on.run({step_kind::flush, nothing, {}, 0});
            compare();
        } else {
            on.run(one);
        }
    }
    void add(const program_query& one) {
        queries_.emplace_back();
        queries_.back().what = one;
    }

    stage on;

private:
    using terms = std::vector<oracle::term>;
    struct tested {
        program_query what;
        bool made = false;
        terms early_terms;  // as it understood them when it was made
        kith::filter<> early_filter;
        kith::query<> early_query;
        kith::query<> early_instanced;
    };

    // `given`: terms that the builder has already, by its types.
    template <class Builder>
    auto build(Builder builder, const terms& all, bool instanced, std::size_t given = 0) const {
        for (std::size_t i = 0; i < all.size(); ++i) {
            const oracle::term& one = all[i];
            if (i < given) {
                builder.term_at(static_cast<std::int32_t>(i + 1));
            } else if (one.pair) {
                builder.term(one.first, one.second);
            } else {
                builder.term(one.first);
            }
            builder.oper(one.oper);
            if (one.source) {
                builder.src(one.source);
            }
            builder.flags(one.flags);
            if (one.relation) {
                builder.trav(one.relation);
            }
            builder.min_depth(one.min_depth).max_depth(one.max_depth);
        }
        if (instanced) {
            builder.instanced();
        }
        return builder.build();
    }

    void make_early(int group) {
        oracle::reader world(on.world);
        for (tested& one : queries_) {
            terms written;
            if (one.what.group != group || !resolve(on, one.what.terms, written)) {
                continue;
            }
            one.early_terms = oracle::understood(world, written);
            try {
                one.early_filter = build(on.world.filter_builder(), written, false);
                one.early_query = build(on.world.query_builder(), written, false);
                one.early_instanced = build(on.world.query_builder(), written, true);
                one.made = true;
            } catch (const kith::error& refusal) {
                one.made = false;
            }
        }
    }

    void compare() {
        try {
            on.world.check();
        } catch (const kith::error& refusal) {
            current_ = 0;
            fail(std::string("the world is unsound: ") + refusal.what());
        }
        oracle::reader world(on.world);
        previous_ = {};
        for (std::size_t i = 0; i < queries_.size(); ++i) {
            tested& one = queries_[i];
            current_ = i;
            terms now;
            if (resolve(on, one.what.terms, now)) {
                compare_new(world, now);
            }
            if (one.made && lists_live(one.early_terms)) {
                oracle::answer expected = oracle::evaluate(world, one.early_terms);
                compare("early uncached", one.early_filter, one.early_terms, world, expected);
                compare("early cached", one.early_query, one.early_terms, world, expected);
                compare("early instanced", one.early_instanced, one.early_terms, world, expected);
            }
        }
    }
    void compare_new(const oracle::reader& world, const terms& now) {
        kith::filter<> filter;
        kith::query<> query;
        kith::filter<> instanced_filter;
        kith::query<> instanced_query;
        try {
            filter = build(on.world.filter_builder(), now, false);
            query = build(on.world.query_builder(), now, false);
            instanced_filter = build(on.world.filter_builder(), now, true);
            instanced_query = build(on.world.query_builder(), now, true);
        } catch (const kith::error& refusal) {
            if (counts_) {
                ++counts_->refused;
                ++counts_->refusals[refusal.what()];
            }
            return;
        }
        oracle::answer expected = oracle::evaluate(world, oracle::understood(world, now));
        compare("uncached", filter, now, world, expected);
        compare("cached", query, now, world, expected);
        compare("instanced uncached", instanced_filter, now, world, expected);
        compare("instanced cached", instanced_query, now, world, expected);
        compare_typed("typed uncached", on.world.filter_builder<const Position>(), now, expected);
        compare_typed("typed cached", on.world.query_builder<const Position>(), now, expected);
        compare_joined(query, expected);
        count(world, now, expected);
    }
    // Only those $this that the query before has, once for each of its results.
    void compare_joined(const kith::query<>& query, const oracle::answer& expected) {
        std::multiset<entity_t> matched;
        for (const oracle::result& one : expected.results) {
            matched.insert(one.entity);
        }
        if (expected.has_this && previous_) {
            std::vector<entity_t> wanted;
            for (const oracle::result& one : expected.results) {
                wanted.insert(wanted.end(), previous_matched_.count(one.entity), one.entity);
            }
            std::vector<entity_t> found;
            query.each_of(previous_, [&](kith::entity e) { found.push_back(e); });
            std::sort(found.begin(), found.end());
            if (found != wanted) {
                fail("each_of() is wrong: " + std::to_string(found.size()) + " instead of " +
                     std::to_string(wanted.size()));
            }
        }
        previous_ = expected.has_this ? query : kith::query<>();
        previous_matched_ = matched;
    }
    // Of lists that have died nothing is said.
    bool lists_live(const terms& all) const {
        for (const oracle::term& one : all) {
            if (one.oper >= kith::AndFrom && !on.world.is_alive(one.first)) {
                return false;
            }
        }
        return true;
    }

    // -- one query

    [[noreturn]] void fail(const std::string& text) const { throw difference(current_, text); }

    template <class Query>
    void compare(const std::string& kind, const Query& query, const terms& all,
                 const oracle::reader& world, const oracle::answer& expected) const {
        std::vector<oracle::result> found;
        std::vector<entity_t> order;
        try {
            found = results_of(kind, query, expected, order);
        } catch (const kith::error& refusal) {
            fail(kind + " raises: " + refusal.what());
        }
        for (const oracle::term& one : all) {
            if (one.flags & kith::Cascade) {
                check_order(kind, one, order, world);
            }
        }
        std::sort(found.begin(), found.end());
        if (found != expected.results) {
            std::vector<oracle::result> missing;
            std::vector<oracle::result> surplus;
            std::set_difference(expected.results.begin(), expected.results.end(), found.begin(),
                                found.end(), std::back_inserter(missing));
            std::set_difference(found.begin(), found.end(), expected.results.begin(),
                                expected.results.end(), std::back_inserter(surplus));
            fail(kind +
                 (missing.empty()   ? " has too much"
                  : surplus.empty() ? " lacks something"
                                    : " has something else") +
                 ": missing {" + text(missing) + "} surplus {" + text(surplus) + "}");
        }
        check_small_calls(kind, query, expected, world);
    }

    template <class Query>
    std::vector<oracle::result> results_of(const std::string& kind, const Query& query,
                                           const oracle::answer& expected,
                                           std::vector<entity_t>& order) const {
        std::vector<oracle::result> found;
        query.iter([&](kith::iter& it) {
            auto fields = static_cast<std::size_t>(it.field_count());
            oracle::result one;
            for (std::size_t i = 0; i < fields; ++i) {
                auto index = static_cast<std::int32_t>(i + 1);
                oracle::field what;
                what.set = it.is_set(index);
                if (what.set) {
                    what.id = it.id(index);
                    what.source = it.src(index);
                }
                one.fields.push_back(what);
            }
            for (std::size_t row = 0; row < it.count(); ++row) {
                one.entity = it.entity(row);
                order.push_back(one.entity);
                check_values(kind, it, row);
                found.push_back(normal(one, expected));
            }
            if (it.count() == 0) {
                check_values(kind, it, 0);
                found.push_back(normal(one, expected));
            }
        });
        return found;
    }
    // Where any match will do, all are written the same.
    static oracle::result normal(oracle::result one, const oracle::answer& expected) {
        for (std::size_t i = 0; i < one.fields.size(); ++i) {
            auto open = expected.any.find({one.entity, i});
            if (open != expected.any.end() && std::find(open->second.begin(), open->second.end(),
                                                        one.fields[i]) != open->second.end()) {
                one.fields[i] = {true, kith::Any, 0};
            }
        }
        return one;
    }
    // Values are those of who has them.
    void check_values(const std::string& kind, kith::iter& it, std::size_t row) const {
        for (std::int32_t i = 1; i <= it.field_count(); ++i) {
            if (!it.is_set(i) || (it.is_self(i) && it.count() == 0)) {
                continue;
            }
            kith::entity owner = it.is_self(i) ? it.entity(row) : it.src(i);
            id_t id = it.id(i);
            entity_t type = kith::id(on.world.c_ptr(), id).type_id();
            check_value<Position>(kind, it, row, i, owner, id, type);
            check_value<Velocity>(kind, it, row, i, owner, id, type);
            check_value<Label>(kind, it, row, i, owner, id, type);
            check_value<Heavy>(kind, it, row, i, owner, id, type);
            check_value<Secret>(kind, it, row, i, owner, id, type);
            check_value<Eats>(kind, it, row, i, owner, id, type);
            check_value<Owes>(kind, it, row, i, owner, id, type);
        }
    }
    template <class T>
    void check_value(const std::string& kind, kith::iter& it, std::size_t row, std::int32_t i,
                     kith::entity owner, id_t id, entity_t type) const {
        if (type != kith::detail::id_of<T>()) {
            return;
        }
        kith::column<const T> values = it.field<const T>(i);
        const void* expected = owner.owns(id) ? owner.get(kith::detail::id_arg(id)) : nullptr;
        if (!values || static_cast<const void*>(&values[row]) != expected || !expected) {
            fail(kind + " gives another value: of field " + std::to_string(i) + ", " + text(id) +
                 " of " + text(owner.id()));
        }
    }

    static void append_rows(const kith::iter& it, std::vector<entity_t>& rows) {
        for (std::size_t row = 0; row < it.count(); ++row) {
            rows.push_back(it.entity(row));
        }
    }

    template <class Query>
    void check_small_calls(const std::string& kind, const Query& query,
                           const oracle::answer& expected, const oracle::reader& world) const {
        std::size_t rows = expected.has_this ? expected.results.size() : 0;
        auto counted = static_cast<std::size_t>(query.count());
        if (counted != rows) {
            fail(kind + " counts wrongly: " + std::to_string(counted) + " instead of " +
                 std::to_string(rows));
        }
        if (query.is_true() != !expected.results.empty()) {
            fail(kind + " is_true() is wrong");
        }
        if (!expected.has_this) {
            return;
        }
        std::size_t visited = 0;
        query.each([&](kith::entity) { ++visited; });
        if (visited != rows) {
            fail(kind + " each() is wrong: " + std::to_string(visited) + " instead of " +
                 std::to_string(rows));
        }
        std::vector<entity_t> whole;
        query.iter([&](kith::iter& it) { append_rows(it, whole); });
        std::vector<entity_t> parts;
        for (std::size_t at = 0; at < rows; at += 3) {
            query.page(static_cast<std::int32_t>(at), 3).iter([&](kith::iter& it) {
                append_rows(it, parts);
            });
        }
        if (parts != whole) {
            fail(kind + " has other pages: " + std::to_string(parts.size()) + " instead of " +
                 std::to_string(rows));
        }
        parts.clear();
        for (std::int32_t i = 0; i < 3; ++i) {
            query.worker(i, 3).iter([&](kith::iter& it) { append_rows(it, parts); });
        }
        std::sort(parts.begin(), parts.end());
        std::sort(whole.begin(), whole.end());
        if (parts != whole) {
            fail(kind + " has other shares: " + std::to_string(parts.size()) + " instead of " +
                 std::to_string(rows));
        }
        std::set<entity_t> matched;
        for (const oracle::result& one : expected.results) {
            matched.insert(one.entity);
        }
        for (entity_t e : world.all()) {
            if (kith::index_of(e) % 3 == rows % 3 && query.matches(e) != matched.contains(e)) {
                fail(kind + " matches() is wrong: of " + text(e));
            }
        }
    }

    // A callback gets the value of who has it, or null.
    template <class Builder>
    void compare_typed(const std::string& kind, Builder builder, const terms& all,
                       const oracle::answer& expected) const {
        bool optional = all[0].oper == kith::Optional;
        if (all[0].pair || all[0].first != on.id_of(position) || !expected.has_this ||
            (all[0].oper != kith::And && !optional)) {
            return;
        }
        using seen = std::pair<entity_t, const Position*>;
        std::vector<seen> wanted;
        for (const oracle::result& one : expected.results) {
            const oracle::field& first = one.fields[0];
            kith::entity owner = on.world.entity(first.source ? first.source : one.entity);
            wanted.push_back({one.entity, first.set ? owner.get<Position>() : nullptr});
        }
        std::vector<seen> found;
        try {
            auto query = build(builder, all, false, 1);
            if (optional) {
                query.each([&](kith::entity e, const Position* value) {
                    found.push_back({e, value});
                });
            } else {
                query.each([&](kith::entity e, const Position& value) {
                    found.push_back({e, &value});
                });
            }
        } catch (const kith::error& refusal) {
            fail(kind + " raises: " + refusal.what());
        }
        std::sort(wanted.begin(), wanted.end());
        std::sort(found.begin(), found.end());
        if (wanted != found) {
            fail(kind + " each() gives something else: " + std::to_string(found.size()) +
                 " times instead of " + std::to_string(wanted.size()));
        }
    }

    void check_order(const std::string& kind, const oracle::term& one,
                     const std::vector<entity_t>& order, const oracle::reader& world) const {
        entity_t relation = one.flags & kith::Parent ? kith::ChildOf
                            : one.relation           ? one.relation
                                                     : kith::IsA;
        if (!world.is_alive(relation) || !world.can_be_followed(relation)) {
            return;
        }
        for (std::size_t i = 1; i < order.size(); ++i) {
            entity_t before = world.depth(order[i - 1], relation);
            entity_t after = world.depth(order[i], relation);
            if (one.flags & kith::Desc ? before < after : before > after) {
                fail(kind + " is out of order: " + text(order[i - 1]) + " before " +
                     text(order[i]));
            }
        }
    }

    // -- counting

    void count(const oracle::reader& world, const terms& all, const oracle::answer& expected) {
        if (!counts_) {
            return;
        }
        static constexpr const char* opers[] = {"And",     "Or",     "Not",    "Optional",
                                                "AndFrom", "OrFrom", "NotFrom"};
        ++counts_->cases;
        counts_->empty += expected.results.empty();
        std::set<entity_t> matched;
        for (const oracle::result& one : expected.results) {
            matched.insert(one.entity);
        }
        std::size_t most = 0;
        for (entity_t e : world.all()) {
            most += kith::index_of(e) >= kith::first_entity;
        }
        counts_->everything += matched.size() >= most;
        for (const oracle::term& one : all) {
            auto note = [&](const char* what, bool is = true) { counts_->terms[what] += is; };
            note(opers[one.oper]);
            note("source $this", one.source == 0);
            note("source fixed", one.source != 0);
            note("*", !one.pair && one.first == kith::Wildcard);
            note("_", !one.pair && one.first == kith::Any);
            note("(*, t)", one.pair && one.first == kith::Wildcard && !oracle::is_open(one.second));
            note("(_, t)", one.pair && one.first == kith::Any && !oracle::is_open(one.second));
            note("(r, *)", one.pair && one.second == kith::Wildcard && !oracle::is_open(one.first));
            note("(r, _)", one.pair && one.second == kith::Any && !oracle::is_open(one.first));
            note("(*, *)", one.pair && one.second == kith::Wildcard && one.first == kith::Wildcard);
            note("(r, 0)", one.pair && one.second == 0);
            note("self", one.flags & kith::Self);
            note("up", one.flags & kith::Up);
            note("down", one.flags & kith::Down);
            note("parent", one.flags & kith::Parent);
            note("cascade", one.flags & kith::Cascade);
            note("desc", one.flags & kith::Desc);
            note("all", one.flags & kith::TraverseAll);
            note("min_depth", one.min_depth);
            note("max_depth", one.max_depth);
            if (one.flags & (kith::Up | kith::Down | kith::Cascade)) {
                note("through IsA", one.relation == 0 || one.relation == kith::IsA);
                note("through ChildOf", one.relation == kith::ChildOf);
                note("through a dense one", one.relation == on.id_of(part_of));
                note("through a sparse one", one.relation == on.id_of(flows_to));
            }
            note("Prefab", !one.pair && one.first == kith::Prefab);
            note("Disabled", !one.pair && one.first == kith::Disabled);
        }
    }

    // -- text

    std::string text(entity_t e) const {
        if (word known = on.word_of(e); known != nothing && !kith::is_pair(e)) {
            return text_of(known);
        }
        if (e == kith::Any) {
            return "_";
        }
        if (kith::is_pair(e)) {
            return "(" + text(on.world.get_alive(kith::pair_first(e)).id()) + ", " +
                   text(on.world.get_alive(kith::pair_second(e)).id()) + ")";
        }
        return std::string(kith::id(on.world.c_ptr(), e).str().c_str());
    }
    std::string text(const std::vector<oracle::result>& results) const {
        std::string all;
        for (const oracle::result& one : results) {
            all += (all.empty() ? "" : "; ") + (one.entity ? text(one.entity) : "-") + ":";
            for (const oracle::field& what : one.fields) {
                all += what.set ? " " + text(what.id) + (what.source ? "@" + text(what.source) : "")
                                : std::string(" unset");
            }
        }
        return all;
    }

    statistics* counts_;
    std::vector<tested> queries_;
    std::size_t current_ = 0;
    kith::query<> previous_;  // compared before, with what it matched
    std::multiset<entity_t> previous_matched_;
};

}  // namespace query_model
