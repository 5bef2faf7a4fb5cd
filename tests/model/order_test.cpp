// Random worlds, sorted and grouped queries over them that were made before they changed: each
// gives what sorting the results of the same query without an order gives. KITH_SEED=n takes a seed
// of your own, KITH_SEEDS=n as many that follow it.
#include <kith/kith.hpp>

#include "support/random_programs.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

struct Depth {
    int value = 0;
    int other = 0;
};
struct Weight {
    double grams = 0;
};
struct Title {
    std::string text;
};
struct Region {};
struct Zone {};
struct Near {};

// What a row is ordered by, as the reference sees it.
struct row {
    kith::entity_t entity = 0;
    std::uint64_t group = 0;  // what it.group_id() is to give
    std::uint64_t depth = 0;  // in the hierarchy, if the query goes by it
    std::vector<double> numbers;
    std::string text;
    std::size_t order = 0;
    std::size_t rank = 0;  // how many before it are not equal to their neighbour
};

// What a query finds, and what it is sorted by.
enum class shape {
    by_function,
    by_member,
    by_weight,
    by_title,
    by_optional_weight,
    by_entity,
    by_parents_weight,
    by_weight_of_variable,
    cascade,
    count
};

class program {
public:
    explicit program(std::uint64_t seed) : random_(static_cast<std::mt19937::result_type>(seed)) {
        world.component<Depth>();
        world.component<Title>();
        auto weight = world.component<Weight>();
        if (chance(2)) {
            weight.add(kith::Sparse);
        }
        region_ = world.component<Region>();
        zone_ = world.component<Zone>();
        zone_.add(kith::Sparse).add(kith::Exclusive);
        near_ = world.component<Near>();
        near_.add(kith::Sparse).add(kith::Exclusive);
        for (int i = 0; i < 4; ++i) {
            tags_.push_back(world.entity());
            places_.push_back(world.entity().set(Weight{small() / 2.0}));
            bases_.push_back(
                world.prefab().set(Depth{small(), small()}).set(Weight{small() / 2.0}));
        }
        for (int i = 0; i < 5; ++i) {
            make_query();
        }
    }

    void run() {
        for (int i = 0; i < 60; ++i) {
            const std::size_t changes = pick(12);
            for (std::size_t n = 0; n < changes; ++n) {
                change();
            }
            for (const auto& check : checks_) {
                if (!chance(3)) {
                    check();
                }
            }
        }
        CHECK_NOTHROW(world.check());
    }

private:
    std::size_t pick(std::size_t below) { return random_() % below; }
    bool chance(std::size_t of) { return pick(of) == 0; }
    int small() { return static_cast<int>(pick(9)) - 4; }

    void change() {
        if (entities_.empty() || chance(4)) {
            kith::entity made = world.entity();
            if (chance(4)) {
                made.is_a(bases_[pick(bases_.size())]);
            } else {
                made.set(Depth{small(), small()});
            }
            if (chance(2)) {
                made.set(Weight{small() / 2.0});
            }
            entities_.push_back(made);
            return;
        }
        const std::size_t at = pick(entities_.size());
        kith::entity one = entities_[at];
        const kith::entity place = places_[pick(places_.size())];
        switch (pick(18)) {
            case 0:
                one.destruct();
                std::erase_if(entities_, [](kith::entity e) { return !e.is_alive(); });
                break;
            case 1:
                one.add(tags_[pick(tags_.size())]);
                break;
            case 2:
                one.remove(tags_[pick(tags_.size())]);
                break;
            case 3:
                one.set(Weight{small() / 2.0});
                break;
            case 4:
                one.remove<Weight>();
                break;
            case 5:
                one.add(region_, place);
                break;
            case 6:
                one.remove(region_, place);
                break;
            case 7:
                one.add(zone_, place);
                break;
            case 8:
                one.set(Title{std::string(pick(3) * 12, static_cast<char>('a' + pick(4)))});
                break;
            case 9:
                world.defer([&] { one.set(Depth{small(), small()}); });
                break;
            case 10:
                if (chance(6)) {
                    world.shrink();
                }
                break;
            case 11:
            case 12:
                move_below(one, entities_[pick(entities_.size())]);
                break;
            case 13:
                one.child_of(place);
                break;
            case 14:
                one.add(near_, place);
                break;
            case 15:
                kith::entity(place).set(Weight{small() / 2.0});
                break;
            case 16:
                bases_[pick(bases_.size())].set(Weight{small() / 2.0});
                break;
            default:
                one.set(Depth{small(), small()});
                break;
        }
    }

    static void move_below(kith::entity one, kith::entity parent) {
        for (kith::entity at = parent; at; at = at.parent()) {
            if (at == one) {
                return;
            }
        }
        one.child_of(parent);
    }

    static int compare_depth(kith::entity_t, const Depth* a, kith::entity_t, const Depth* b) {
        return (a->value > b->value) - (a->value < b->value);
    }
    static int compare_title(kith::entity_t, const Title* a, kith::entity_t, const Title* b) {
        return a->text.compare(b->text);
    }
    static int compare_entity(kith::entity_t a, const void*, kith::entity_t b, const void*) {
        return (a > b) - (a < b);
    }

    template <class Builder>
    void add_terms(Builder& builder, shape kind) const {
        switch (kind) {
            case shape::by_weight:
                builder.template with<Weight>().in();
                break;
            case shape::by_title:
                builder.template with<Title>().in();
                break;
            case shape::by_optional_weight:
                builder.template with<Weight>().in().optional();
                break;
            case shape::by_parents_weight:
                builder.template with<Weight>().in().up(kith::ChildOf);
                break;
            case shape::by_weight_of_variable:
                builder.template with<Weight>().in().src("$x").with(near_, "$x");
                break;
            case shape::cascade:
                builder.template with<Weight>().in().optional().cascade(kith::ChildOf);
                break;
            default:
                break;
        }
    }

    template <class Builder>
    static void add_order(Builder& builder, shape kind, bool descending) {
        auto sort = [&](auto... by) {
            descending ? builder.order_by_desc(by...) : builder.order_by(by...);
        };
        switch (kind) {
            case shape::by_function:
                descending ? builder.template order_by_desc<Depth>(compare_depth)
                           : builder.template order_by<Depth>(compare_depth);
                break;
            case shape::by_member:
            case shape::cascade:
                sort(&Depth::value);
                break;
            case shape::by_title:
                descending ? builder.template order_by_desc<Title>(compare_title)
                           : builder.template order_by<Title>(compare_title);
                break;
            case shape::by_entity:
                sort(kith::id_t{0}, compare_entity);
                break;
            default:
                sort(&Weight::grams);
                builder.order_by(&Depth::other);
                break;
        }
    }

    // The same query, with and without an order.
    void make_query() {
        const bool cached = chance(2);
        const auto kind = static_cast<shape>(pick(static_cast<std::size_t>(shape::count)));
        const bool descending = chance(2);
        const bool is_watched = chance(2);
        const std::size_t grouping = pick(3);
        auto terms = [&] {
            auto builder = world.query_builder<const Depth>();
            add_terms(builder, kind);
            cached ? builder.cached() : builder.uncached();
            return grouping == 0 ? builder : builder.group_by(grouping == 1 ? region_ : zone_);
        };
        auto ordered = terms();
        add_order(ordered, kind, descending);
        auto sorted = ordered.build();
        auto plain = terms().build();
        checks_.push_back([this, sorted, plain, kind, descending, grouping, is_watched, cached] {
            CAPTURE(kind);
            CAPTURE(grouping);
            CAPTURE(cached);
            CAPTURE(is_watched);
            if (is_watched) {
                (void)sorted.changed();  // from now on it is known what was touched
            }
            const bool grouped = grouping != 0 || kind == shape::cascade;
            compare(sorted, reference(plain, kind, descending, grouping), grouped);
        });
    }

    row describe(kith::iter& it, std::size_t at, shape kind, std::size_t grouping) const {
        row made;
        kith::entity one = it.entity(at);
        made.entity = one;
        made.depth = kind == shape::cascade ? find_depth(one) : 0;
        made.group = grouping != 0 ? find_group(one, grouping) : made.depth;
        const Depth& depth = it.field<const Depth>(1)[at];
        switch (kind) {
            case shape::by_function:
            case shape::by_member:
            case shape::cascade:
                made.numbers = {double(depth.value)};
                break;
            case shape::by_title:
                made.text = it.field<const Title>(2)[at].text;
                break;
            case shape::by_entity:
                made.numbers = {double(one.id())};
                break;
            default:
                made.numbers = {it.is_set(2) ? it.field<const Weight>(2)[at].grams : -100,
                                double(depth.other)};
                break;
        }
        return made;
    }

    std::uint64_t find_group(kith::entity one, std::size_t grouping) const {
        return one.target(grouping == 1 ? region_ : zone_);
    }

    static std::uint64_t find_depth(kith::entity one) {
        std::uint64_t depth = 0;
        for (kith::entity at = one.parent(); at; at = at.parent()) {
            ++depth;
        }
        return depth;
    }

    // Less than 0: a comes first; 0: they come in the order in which they were found.
    static int compare_rows(const row& a, const row& b, bool descending) {
        if (a.group != b.group) {
            return a.group < b.group ? -1 : 1;
        }
        if (a.depth != b.depth) {
            return a.depth < b.depth ? -1 : 1;
        }
        if (a.text != b.text) {
            return (a.text < b.text) != descending ? -1 : 1;
        }
        for (std::size_t i = 0; i < a.numbers.size(); ++i) {
            if (a.numbers[i] != b.numbers[i]) {
                return (a.numbers[i] < b.numbers[i]) != (descending && i == 0) ? -1 : 1;
            }
        }
        return 0;
    }

    template <class Query>
    std::vector<row> reference(const Query& plain, shape kind, bool descending,
                               std::size_t grouping) const {
        std::vector<row> rows;
        plain.iter([&](kith::iter& it) {
            for (auto i : it) {
                rows.push_back(describe(it, i, kind, grouping));
                rows.back().order = rows.size();
            }
        });
        std::sort(rows.begin(), rows.end(), [&](const row& a, const row& b) {
            const int order = compare_rows(a, b, descending);
            return order != 0 ? order < 0 : a.order < b.order;
        });
        for (std::size_t i = 1; i < rows.size(); ++i) {
            rows[i].rank =
                rows[i - 1].rank + (compare_rows(rows[i - 1], rows[i], descending) != 0 ? 1 : 0);
        }
        return rows;
    }

    template <class Query>
    void compare(const Query& sorted, const std::vector<row>& rows, bool grouped) {
        std::vector<kith::entity_t> expected;
        for (const row& one : rows) {
            expected.push_back(one.entity);
        }
        std::vector<kith::entity_t> by_iter;
        sorted.iter([&](kith::iter& it) {
            for (auto i : it) {
                by_iter.push_back(it.entity(i));
            }
        });
        REQUIRE(by_iter == expected);
        std::vector<kith::entity_t> by_each;
        sorted.each([&](kith::entity e, const Depth& depth) {
            CHECK(&depth == e.get<Depth>());
            by_each.push_back(e);
        });
        CHECK(by_each == expected);
        CHECK(sorted.count() == static_cast<int>(expected.size()));
        if (expected.empty()) {
            return;
        }
        if (grouped) {
            const std::uint64_t group = rows[pick(rows.size())].group;
            check_some(sorted.iter().set_group(group), rows,
                       [&](const row& one) { return one.group == group; });
        }
        const kith::table table = world.entity(expected[pick(expected.size())]).table();
        auto is_there = [&](const row& one) { return world.entity(one.entity).table() == table; };
        const kith::table_range range(table, 0, static_cast<int>(table.count()));
        check_some(sorted.iter().set_var(0, range), rows, is_there);
        if (grouped) {
            const std::uint64_t group = rows[pick(rows.size())].group;
            check_some(sorted.iter().set_var(0, range).set_group(group), rows,
                       [&](const row& one) { return one.group == group && is_there(one); });
        }
    }

    // Rows that are equal may come in another order: they are found in another way.
    template <class Run, class Wanted>
    static void check_some(const Run& run, const std::vector<row>& rows, const Wanted& is_wanted) {
        std::map<kith::entity_t, const row*> wanted;
        for (const row& one : rows) {
            if (is_wanted(one)) {
                wanted[one.entity] = &one;
            }
        }
        std::size_t count = 0;
        std::size_t last = 0;
        run.iter([&](kith::iter& it) {
            for (auto i : it) {
                const auto found = wanted.find(it.entity(i));
                REQUIRE(found != wanted.end());
                CHECK(it.group_id() == found->second->group);
                CHECK(found->second->rank >= last);
                last = found->second->rank;
                ++count;
            }
        });
        CHECK(count == wanted.size());
    }

    std::mt19937 random_;
    kith::world world;
    kith::entity region_;
    kith::entity zone_;
    kith::entity near_;
    std::vector<kith::entity> tags_;
    std::vector<kith::entity> places_;
    std::vector<kith::entity> bases_;
    std::vector<kith::entity> entities_;
    std::vector<std::function<void()>> checks_;
};

}  // namespace

TEST_SUITE("model.order") {
    TEST_CASE("sorted and grouped queries give what sorting their results gives") {
        for (std::uint64_t seed : random_programs::chosen_seeds(40)) {
            CAPTURE(seed);
            program(seed).run();
        }
    }
}
