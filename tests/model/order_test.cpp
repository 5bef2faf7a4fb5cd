// Random worlds, sorted and grouped queries over them that were made before they changed: each
// gives what sorting the results of the same query without an order gives. KITH_SEED=n takes a seed
// of your own, KITH_SEEDS=n as many that follow it.
#include <kith/kith.hpp>

#include "support/random_programs.hpp"

#include <algorithm>
#include <functional>
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

// What a row is ordered by, as the reference sees it.
struct row {
    kith::entity_t entity = 0;
    std::uint64_t group = 0;
    std::vector<double> numbers;
    std::string text;
    std::size_t order = 0;
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
        for (int i = 0; i < 4; ++i) {
            tags_.push_back(world.entity());
            places_.push_back(world.entity());
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
            kith::entity made = world.entity().set(Depth{small(), small()});
            if (chance(2)) {
                made.set(Weight{small() / 2.0});
            }
            entities_.push_back(made);
            return;
        }
        const std::size_t at = pick(entities_.size());
        kith::entity one = entities_[at];
        const kith::entity place = places_[pick(places_.size())];
        switch (pick(12)) {
            case 0:
                one.destruct();
                entities_.erase(entities_.begin() + static_cast<std::ptrdiff_t>(at));
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
            default:
                one.set(Depth{small(), small()});
                break;
        }
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

    // The same query, with and without an order.
    void make_query() {
        const bool cached = chance(2);
        const std::size_t kind = pick(6);
        const bool descending = chance(2);
        const std::size_t grouping = pick(3);
        auto terms = [&](bool keeps) {
            auto builder = world.query_builder<const Depth>();
            kind == 2   ? builder.with<Weight>().in()
            : kind == 3 ? builder.with<Title>().in()
            : kind == 4 ? builder.with<Weight>().in().optional()
                        : builder;
            keeps ? builder.cached() : builder.uncached();
            return builder;
        };
        auto ordered = terms(cached);
        switch (kind) {
            case 0:
                descending ? ordered.order_by_desc<Depth>(compare_depth)
                           : ordered.order_by<Depth>(compare_depth);
                break;
            case 1:
                descending ? ordered.order_by_desc(&Depth::value) : ordered.order_by(&Depth::value);
                break;
            case 2:
            case 4:
                descending ? ordered.order_by_desc(&Weight::grams)
                           : ordered.order_by(&Weight::grams);
                ordered.order_by(&Depth::other);
                break;
            case 3:
                descending ? ordered.order_by_desc<Title>(compare_title)
                           : ordered.order_by<Title>(compare_title);
                break;
            default:
                descending ? ordered.order_by_desc(0, compare_entity)
                           : ordered.order_by(0, compare_entity);
                break;
        }
        if (grouping != 0) {
            ordered.group_by(grouping == 1 ? region_ : zone_);
        }
        auto sorted = ordered.build();
        auto plain = terms(cached && grouping != 2).build();
        checks_.push_back([this, sorted, plain, kind, descending, grouping] {
            compare(sorted, reference(plain, kind, descending, grouping), grouping != 0);
        });
    }

    row describe(kith::entity one, std::size_t kind, std::size_t grouping) const {
        row made;
        made.entity = one;
        if (grouping != 0) {
            made.group = one.target(grouping == 1 ? region_ : zone_);
        }
        const Depth& depth = *one.get<Depth>();
        if (kind < 2) {
            made.numbers = {double(depth.value)};
        } else if (kind == 2 || kind == 4) {
            const Weight* weight = one.get<Weight>();
            made.numbers = {weight ? weight->grams : -100, double(depth.other)};
        } else if (kind == 3) {
            made.text = one.get<Title>()->text;
        } else {
            made.numbers = {double(one.id())};
        }
        return made;
    }

    template <class Query>
    std::vector<kith::entity_t> reference(const Query& plain, std::size_t kind, bool descending,
                                          std::size_t grouping) const {
        std::vector<row> rows;
        plain.iter([&](kith::iter& it) {
            for (auto i : it) {
                rows.push_back(describe(it.entity(i), kind, grouping));
                rows.back().order = rows.size();
            }
        });
        std::sort(rows.begin(), rows.end(), [&](const row& a, const row& b) {
            if (a.group != b.group) {
                return a.group < b.group;
            }
            if (a.text != b.text) {
                return (a.text < b.text) != descending;
            }
            for (std::size_t i = 0; i < a.numbers.size(); ++i) {
                if (a.numbers[i] != b.numbers[i]) {
                    return (a.numbers[i] < b.numbers[i]) != (descending && i == 0);
                }
            }
            return a.order < b.order;
        });
        std::vector<kith::entity_t> found;
        for (const row& one : rows) {
            found.push_back(one.entity);
        }
        return found;
    }

    template <class Query>
    void compare(const Query& sorted, const std::vector<kith::entity_t>& expected, bool grouped) {
        std::vector<kith::entity_t> by_iter;
        std::vector<std::pair<std::uint64_t, std::size_t>> groups;
        sorted.iter([&](kith::iter& it) {
            if (groups.empty() || groups.back().first != it.group_id()) {
                groups.push_back({it.group_id(), by_iter.size()});
            }
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
        if (!grouped || groups.empty()) {
            return;
        }
        groups.push_back({0, by_iter.size()});
        const std::size_t at = pick(groups.size() - 1);
        std::vector<kith::entity_t> of_group;
        sorted.iter().set_group(groups[at].first).each([&](kith::entity e, const Depth&) {
            of_group.push_back(e);
        });
        // Rows that are equal may come in another order: they are found in another way.
        std::vector<kith::entity_t> members(
            expected.begin() + static_cast<std::ptrdiff_t>(groups[at].second),
            expected.begin() + static_cast<std::ptrdiff_t>(groups[at + 1].second));
        std::sort(members.begin(), members.end());
        std::sort(of_group.begin(), of_group.end());
        CHECK(of_group == members);
    }

    std::mt19937 random_;
    kith::world world;
    kith::entity region_;
    kith::entity zone_;
    std::vector<kith::entity> tags_;
    std::vector<kith::entity> places_;
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
