#include "support/query_model/comparison.hpp"

#include "support/query_model/arguments.hpp"
#include "support/query_model/calls.hpp"
#include "support/query_model/order.hpp"
#include "support/query_model/text.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <tuple>

namespace query_model {

std::string text_of(const program& one) {
    std::string text;
    for (const step& each : one.steps) {
        text += "    " + text_of(each) + "\n";
    }
    for (const program_query& each : one.queries) {
        text += "    query " + text_of(each.terms) + "\n";
    }
    return text;
}

// What a session does: it asks each query in every way and compares the answers with the oracle's.
class session::comparer {
public:
    comparer(stage& stage, statistics* counts) : on(stage), counts_(counts) {}

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

private:
    using terms = std::vector<oracle::term>;
    using part = oracle::part;
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
            if (i < given) {
                builder.term_at(static_cast<std::int32_t>(i + 1));
            }
            say(builder, all[i], i < given);
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
            answered_ = {};
            terms now;
            if (resolve(on, one.what.terms, now)) {
                compare_new(world, now, one.what.choice);
            }
            if (one.made && lists_live(one.early_terms)) {
                compare_early(one, world);
            }
        }
    }
    // What the oracle says, null if it has no answer. Early and new queries mostly
    // understand their terms alike.
    const oracle::answer* ask(const oracle::reader& world, const terms& all) {
        if (answered_ != all) {
            answered_ = all;
            unanswered_ = false;
            try {
                answer_ = oracle::evaluate(world, all);
            } catch (const oracle::no_answer&) {
                unanswered_ = true;
            }
        }
        return unanswered_ ? nullptr : &answer_;
    }
    void compare_early(const tested& one, const oracle::reader& world) {
        const oracle::answer* said = ask(world, one.early_terms);
        if (!said) {
            return;
        }
        const oracle::answer& expected = *said;
        compare("early uncached", one.early_filter, one.early_terms, world, expected);
        compare("early cached", one.early_query, one.early_terms, world, expected);
        compare("early instanced", one.early_instanced, one.early_terms, world, expected);
    }
    void compare_new(const oracle::reader& world, const terms& now, unsigned choice) {
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
        const oracle::answer* said = ask(world, oracle::understood(world, now));
        if (!said) {
            return;
        }
        const oracle::answer& expected = *said;
        compare("uncached", filter, now, world, expected);
        compare("cached", query, now, world, expected);
        if (expected.visible.size() == 1 || choice % 4 == 0) {
            compare("instanced uncached", instanced_filter, now, world, expected);
            compare("instanced cached", instanced_query, now, world, expected);
        }
        compare_typed("typed uncached", on.world.filter_builder<const Position>(), now, expected);
        compare_typed("typed cached", on.world.query_builder<const Position>(), now, expected);
        compare_joined(query, expected);
        compare_shuffled(now, choice, expected);
        try {
            terms meant = oracle::understood(world, now);
            compare_set("uncached", filter, world, choice, expected);
            compare_set("cached", query, world, choice, expected);
            compare_arguments("uncached", filter, meant, world, choice, expected);
            compare_arguments("cached", query, meant, world, choice, expected);
        } catch (const kith::error& refusal) {
            fail(std::string("what is given raises: ") + refusal.what());
        }
        if (counts_) {
            counts_->add(on, world, now, expected);
        }
    }

    // -- other ways to ask the same

    void compare_shuffled(const terms& now, unsigned choice, const oracle::answer& expected) const {
        reordered order = shuffled(now, expected, choice);
        if (order.terms == now) {
            return;
        }
        try {
            kith::filter<> filter = build(on.world.filter_builder(), order.terms, false);
            kith::query<> query = build(on.world.query_builder(), order.terms, false);
            auto restored = [&](const oracle::result& one) {
                return in_original_order(one, order);
            };
            compare_results("shuffled uncached", filter, expected, expected.results, restored);
            compare_results("shuffled cached", query, expected, expected.results, restored);
        } catch (const kith::error& refusal) {
            fail(std::string("shuffled is refused: ") + refusal.what());
        }
        note("shuffled");
    }
    // With values for some variables: what is left of the results.
    template <class Query>
    void compare_set(const std::string& kind, const Query& query, const oracle::reader& world,
                     unsigned choice, const oracle::answer& expected) const {
        std::mt19937 random(choice);
        auto run = query.iter();
        std::vector<oracle::result> wanted = expected.results;
        bool any = false;
        for (std::size_t v = 0; v < expected.required.size(); ++v) {
            if (!expected.required[v] || random() % 2 == 0) {
                continue;
            }
            entity_t value = world.all()[random() % world.all().size()];
            if (!expected.results.empty() && random() % 4 != 0) {
                value = expected.results[random() % expected.results.size()].variables[v];
            }
            std::erase_if(wanted,
                          [&](const oracle::result& one) { return one.variables[v] != value; });
            set_variable(run, v, value);
            note(v == 0 ? "set_var($this)" : "set_var($x)");
            any = true;
        }
        if (any) {
            compare_results(kind + " with set_var", run, expected, wanted);
            check_shares(kind + " with set_var", run, expected, wanted);
        }
    }
    template <class Query>
    void compare_arguments(const std::string& kind, const Query& query, const terms& now,
                           const oracle::reader& world, unsigned choice,
                           const oracle::answer& expected) const {
        std::vector<open_slot> slots = slots_of(now);
        if (slots.empty() || slots.size() > 3) {
            return;
        }
        std::size_t variables = expected.visible.size();
        oracle::answer said;
        try {
            said = oracle::evaluate(world, with_slots_as_variables(now, variables));
        } catch (const oracle::no_answer&) {
            return;
        }
        std::mt19937 random(choice);
        std::vector<entity_t> values;
        const std::vector<oracle::result>& all = said.results;
        const oracle::result* like = all.empty() ? nullptr : &all[random() % all.size()];
        for (std::size_t i = 0; i < slots.size(); ++i) {
            std::size_t how = random() % 10;
            entity_t value = kith::Wildcard;
            if (how < 5 && like) {
                value = like->variables[variables + i];
            } else if (how < 6) {
                value = world.all()[random() % world.all().size()];
            }
            values.push_back(value);
        }
        argument_filter chosen(slots, values, variables);
        std::vector<oracle::result> wanted = chosen.apply(all);
        said.visible.resize(variables);
        std::map<std::tuple<oracle::binding, std::size_t, oracle::field>, oracle::field> same;
        for (const auto& [key, how] : said.same) {
            oracle::binding shorter = std::get<0>(key);
            shorter.resize(variables);
            same[{shorter, std::get<1>(key), std::get<2>(key)}] = how;
        }
        said.same = same;
        compare_results(kind + " with arguments", bind_arguments(query, values), said, wanted,
                        std::identity{},
                        [&](const oracle::result& one) { return chosen.normal(one); });
        std::size_t visited = 0;
        each_with_arguments(query, values, [&](kith::entity) { ++visited; });
        if (visited != wanted.size()) {
            fail(kind + " each() with arguments is wrong: " + std::to_string(visited) +
                 " instead of " + std::to_string(wanted.size()));
        }
        note(slots.size() > 1 ? "several arguments" : "one argument");
    }
    // Only those $this that the query before has, once for each of its results.
    void compare_joined(const kith::query<>& query, const oracle::answer& expected) {
        std::multiset<entity_t> matched;
        for (const oracle::result& one : expected.results) {
            matched.insert(one.entity());
        }
        if (expected.has_this && previous_) {
            std::vector<entity_t> wanted;
            for (const oracle::result& one : expected.results) {
                wanted.insert(wanted.end(), previous_matched_.count(one.entity()), one.entity());
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
            if (one.oper >= kith::AndFrom && !on.world.is_alive(one.first.id)) {
                return false;
            }
        }
        return true;
    }

    // -- one query

    void note(const char* what) const {
        if (counts_) {
            ++counts_->ways[what];
        }
    }
    [[noreturn]] void fail(const std::string& text) const { throw difference(current_, text); }

    template <class Query>
    void compare(const std::string& kind, const Query& query, const terms& all,
                 const oracle::reader& world, const oracle::answer& expected) const {
        std::vector<entity_t> order = compare_results(kind, query, expected, expected.results);
        for (const oracle::term& one : all) {
            if (one.source.flags & kith::Cascade) {
                check_order(kind, one.source, order, world);
            }
        }
        // Where there are other variables, one query made now and one made before will do.
        bool plain = expected.visible.size() == 1;
        if (plain || kind == "uncached" || kind == "early cached") {
            check_small_calls(kind, query, expected, world);
        }
    }

    // Returns the entities of the results, in their order. `restored` puts fields into their order,
    // `normal` makes alike what may be said in several ways.
    template <class Query, class Restored = std::identity, class Normal = std::identity>
    std::vector<entity_t> compare_results(const std::string& kind, const Query& query,
                                          const oracle::answer& said,
                                          const std::vector<oracle::result>& expected,
                                          Restored restored = {}, Normal normal = {}) const {
        std::vector<oracle::result> found;
        std::vector<entity_t> order;
        try {
            found = results_of(kind, query, said, order);
        } catch (const kith::error& refusal) {
            fail(kind + " raises: " + refusal.what());
        }
        for (oracle::result& one : found) {
            one = normal(oracle::normal(restored(one), said));
        }
        std::sort(found.begin(), found.end());
        if (found == expected) {
            return order;
        }
        std::vector<oracle::result> missing;
        std::vector<oracle::result> surplus;
        std::set_difference(expected.begin(), expected.end(), found.begin(), found.end(),
                            std::back_inserter(missing));
        std::set_difference(found.begin(), found.end(), expected.begin(), expected.end(),
                            std::back_inserter(surplus));
        fail(kind +
             (missing.empty()   ? " has too much"
              : surplus.empty() ? " lacks something"
                                : " has something else") +
             ": missing {" + text(missing) + "} surplus {" + text(surplus) + "}");
    }

    template <class Query>
    std::vector<oracle::result> results_of(const std::string& kind, const Query& query,
                                           const oracle::answer& expected,
                                           std::vector<entity_t>& order) const {
        std::vector<oracle::result> found;
        query.iter([&](kith::iter& it) {
            auto fields = static_cast<std::size_t>(it.field_count());
            oracle::result one;
            one.variables = {0};
            for (std::size_t v = 1; v < expected.visible.size(); ++v) {
                one.variables.push_back(expected.visible[v] ? value_of(it, v) : 0);
            }
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
                one.variables[0] = it.entity(row);
                order.push_back(it.entity(row));
                check_values(kind, it, row);
                found.push_back(one);
            }
            if (it.count() == 0) {
                check_values(kind, it, 0);
                found.push_back(one);
            }
        });
        return found;
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
        // What follows from other pairs has no value of its own.
        kith::column<const T> values = it.field<const T>(i);
        const void* expected = owner.owns(id) ? owner.get(kith::detail::id_arg(id)) : nullptr;
        const void* found = values ? &values[row] : nullptr;
        if (found != expected) {
            fail(kind + " gives another value: of field " + std::to_string(i) + ", " + text(id) +
                 " of " + text(owner.id()));
        }
    }

    static void append_rows(const kith::iter& it, std::vector<entity_t>& rows) {
        for (std::size_t row = 0; row < it.count(); ++row) {
            rows.push_back(it.entity(row));
        }
    }

    // One of several shares of a query, or of a run that has its limits already.
    template <class Query>
    static auto share_of(const Query& query, std::int32_t share, std::int32_t shares) {
        if constexpr (requires { query.worker(share, shares); }) {
            return query.worker(share, shares);
        } else {
            Query part = query;
            part.worker(share, shares);
            return part;
        }
    }
    // Each result is in one of the shares, however many there are.
    template <class Query>
    void check_shares(const std::string& kind, const Query& query, const oracle::answer& said,
                      const std::vector<oracle::result>& wanted) const {
        constexpr std::int32_t counts[] = {2, 3, 5, 11};
        const std::int32_t shares = counts[(current_ + wanted.size()) % std::size(counts)];
        std::vector<oracle::result> found;
        std::vector<entity_t> visited;
        for (std::int32_t i = 0; i < shares; ++i) {
            std::vector<entity_t> order;
            for (oracle::result& one :
                 results_of(kind + " share", share_of(query, i, shares), said, order)) {
                found.push_back(oracle::normal(one, said));
            }
            if (said.has_this) {
                share_of(query, i, shares).each([&](kith::entity e) { visited.push_back(e); });
            }
        }
        std::sort(found.begin(), found.end());
        if (found != wanted) {
            fail(kind + " has other shares: " + std::to_string(found.size()) + " instead of " +
                 std::to_string(wanted.size()) + ", {" + text(found) + "}");
        }
        std::vector<entity_t> expected;
        for (const oracle::result& one : wanted) {
            expected.push_back(one.entity());
        }
        std::sort(expected.begin(), expected.end());
        std::sort(visited.begin(), visited.end());
        if (said.has_this && visited != expected) {
            fail(kind + " each() of shares is wrong: " + std::to_string(visited.size()) +
                 " instead of " + std::to_string(expected.size()));
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
        check_shares(kind, query, expected, expected.results);
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
        std::size_t size = std::max<std::size_t>(3, rows / 6);
        for (std::size_t at = 0; at < rows; at += size) {
            query.page(static_cast<std::int32_t>(at), static_cast<std::int32_t>(size))
                .iter([&](kith::iter& it) { append_rows(it, parts); });
        }
        if (parts != whole) {
            fail(kind + " has other pages: " + std::to_string(parts.size()) + " instead of " +
                 std::to_string(rows));
        }
        std::set<entity_t> matched;
        for (const oracle::result& one : expected.results) {
            matched.insert(one.entity());
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
        oracle::part wanted_first{.id = on.id_of(position)};
        if (all[0].kind != oracle::term_kind::find || all[0].pair || all[0].first != wanted_first ||
            !expected.has_this || !on.world.entity(wanted_first.id).owns(kith::Final) ||
            (all[0].oper != kith::And && !optional)) {
            return;
        }
        using seen = std::pair<entity_t, const Position*>;
        std::vector<seen> wanted;
        for (const oracle::result& one : expected.results) {
            const oracle::field& first = one.fields[0];
            kith::entity owner = on.world.entity(first.source ? first.source : one.entity());
            wanted.push_back({one.entity(), first.set ? owner.get<Position>() : nullptr});
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

    void check_order(const std::string& kind, const oracle::part& one,
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

    std::string text(entity_t e) const { return text_of(on, e); }
    std::string text(const std::vector<oracle::result>& results) const {
        return text_of(on, results);
    }

    stage& on;
    statistics* counts_;
    std::vector<tested> queries_;
    std::size_t current_ = 0;
    terms answered_;  // by `answer_`
    oracle::answer answer_;
    bool unanswered_ = false;
    kith::query<> previous_;  // compared before, with what it matched
    std::multiset<entity_t> previous_matched_;
};

session::session(statistics* counts) : comparer_(std::make_unique<comparer>(on, counts)) {}
session::~session() = default;
void session::run(const step& one) {
    comparer_->run(one);
}
void session::add(const program_query& one) {
    comparer_->add(one);
}

}  // namespace query_model
