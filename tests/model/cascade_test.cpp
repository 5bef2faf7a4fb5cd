// Random hierarchies, and cascading queries that were made before they changed: each run gives what
// a query gives that keeps nothing, in the order of depths, with the values of parents. KITH_SEED=n
// takes a seed of your own, KITH_SEEDS=n as many that follow it.
#include <kith/kith.hpp>
#include <kith/snapshot.hpp>

#include "support/random_programs.hpp"

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace {

struct Place {
    int x = 0;
};
struct World {
    int x = 0;
};
struct Mark {};
struct Below {};

struct found_row {
    kith::entity_t entity = 0;
    std::uint64_t depth = 0;
    int own = 0;
    int above = -1;  // the parent's value; -1: none
    bool operator==(const found_row&) const = default;
};

class program {
public:
    explicit program(std::uint64_t seed) : random_(static_cast<std::mt19937::result_type>(seed)) {
        world.component<Place>();
        world.component<World>();
        kith::entity own = world.component<Below>();
        own.add(kith::Acyclic);
        if (chance(2)) {
            own.add(kith::Sparse);
        }
        if (chance(2)) {
            own.add(kith::Exclusive);
        }
        relation_ = chance(3) ? own : world.entity(kith::ChildOf);
        descending_ = chance(4);
        marked_ = chance(3);
        kept_.push_back(make(kith::cache_policy::tables));
        for (int i = 0; i < 12; ++i) {
            create();
        }
        kept_.push_back(make(kith::cache_policy::tables));
    }

    void step() {
        if (entities_.size() < 4) {
            create();
        }
        kith::entity one = any();
        switch (pick(13)) {
            case 0:
            case 1:
                create();
                break;
            case 2:
                one.destruct();
                drop_dead();
                break;
            case 3:
                one.has<Mark>() ? one.remove<Mark>() : one.add<Mark>();
                break;
            case 4:
                one.has<World>() ? one.remove<World>() : one.set(World{number()});
                break;
            case 5:
                one.has<Place>() ? one.remove<Place>() : one.set(Place{number()});
                break;
            case 6:
                world.defer([&] {
                    move_below(one, any());
                    create();
                });
                break;
            case 7:
                if (chance(4)) {
                    world.shrink();
                }
                break;
            case 8:
                one.remove(relation_, kith::Wildcard);
                break;
            case 9:
                if (chance(4)) {
                    taken_ = world.snapshot().take();
                    then_ = entities_;
                } else if (taken_ && chance(2)) {
                    taken_->restore();
                    entities_ = then_;
                    drop_dead();
                }
                break;
            case 10:
                one.set(World{number()});
                break;
            default:
                move_below(one, any());
                break;
        }
    }

    bool in_order(std::uint64_t before, std::uint64_t after) const {
        return descending_ ? after <= before : after >= before;
    }

    void check() {
        const auto fresh = make(kith::cache_policy::none);
        const std::vector<found_row> expected = rows_of(fresh.iter());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            REQUIRE(expected[i].depth == depth_of(world.entity(expected[i].entity)));
            if (i != 0) {
                REQUIRE(in_order(expected[i - 1].depth, expected[i].depth));
            }
        }
        for (const auto& query : kept_) {
            REQUIRE(rows_of(query.iter()) == expected);
            std::vector<kith::entity_t> by_each;
            query.each([&](kith::entity e, Place& place) {
                REQUIRE(&place == e.get_mut<Place>());
                by_each.push_back(e);
            });
            REQUIRE(by_each.size() == expected.size());
            for (std::size_t i = 0; i < by_each.size(); ++i) {
                REQUIRE(by_each[i] == expected[i].entity);
            }
            if (!expected.empty()) {
                check_depth(query, expected, expected[pick(expected.size())].depth);
            }
        }
        check_shares(expected);
    }

    // Callbacks delete and move entities of tables that are not locked: each entity that matched
    // before is visited once, unless it was deleted.
    void check_interference() {
        const auto& query = kept_[pick(kept_.size())];
        const std::vector<found_row> before = rows_of(query.iter());
        std::vector<kith::entity_t> seen;
        query.each([&](kith::entity e, Place& place) {
            REQUIRE(&place == e.get_mut<Place>());
            seen.push_back(e);
            if (entities_.size() > 4 && chance(3)) {
                interfere(any());
            }
        });
        drop_dead();
        for (const found_row& row : before) {
            const auto times = std::count(seen.begin(), seen.end(), row.entity);
            REQUIRE(times <= 1);
            REQUIRE((times == 1 || !world.is_alive(row.entity)));
        }
    }

    kith::world world;

private:
    using query_type = kith::query<Place>;

    bool chance(unsigned of) { return random_() % of == 0; }
    std::size_t pick(std::size_t count) { return random_() % count; }
    int number() { return static_cast<int>(random_() % 100); }
    kith::entity any() { return world.entity(entities_[pick(entities_.size())]); }

    void create() {
        kith::entity made = world.entity();
        if (!chance(5)) {
            made.set(Place{number()});
        }
        if (!chance(3)) {
            made.set(World{number()});
        }
        if (chance(3)) {
            made.add<Mark>();
        }
        if (!entities_.empty() && !chance(4)) {
            made.add(relation_, any());
        }
        entities_.push_back(made);
    }
    void interfere(kith::entity other) {
        if (!other.is_alive()) {
            return;
        }
        try {
            if (chance(3)) {
                other.destruct();
            } else if (other.has<World>()) {
                other.remove<World>();
            } else {
                other.set(World{number()});
            }
        } catch (const kith::error&) {
            // The entity is in a table that is being visited.
        }
    }
    void drop_dead() {
        std::erase_if(entities_, [&](kith::entity_t one) { return !world.is_alive(one); });
    }
    bool is_below(kith::entity one, kith::entity_t top) const {
        if (one == top) {
            return true;
        }
        bool found = false;
        for (int i = 0; kith::entity above = one.target(relation_, i); ++i) {
            found = found || is_below(above, top);
        }
        return found;
    }
    void move_below(kith::entity one, kith::entity above) {
        if (!is_below(above, one)) {
            one.add(relation_, above);
        }
    }
    std::uint64_t depth_of(kith::entity one) const {
        std::uint64_t depth = 0;
        for (int i = 0; kith::entity above = one.target(relation_, i); ++i) {
            depth = std::max(depth, depth_of(above) + 1);
        }
        return depth;
    }

    query_type make(kith::cache_policy cache) const {
        auto builder = world.query_builder<Place>();
        builder.with<World>().in().optional().cascade(relation_);
        if (descending_) {
            builder.desc();
        }
        if (marked_) {
            builder.with<Mark>();
        }
        cache == kith::cache_policy::none ? builder.uncached() : builder.cached();
        return builder.build();
    }

    template <class Run>
    static std::vector<found_row> rows_of(Run&& run) {
        std::vector<found_row> rows;
        run.iter([&](kith::iter& it) {
            for (auto i : it) {
                found_row row{it.entity(i), it.group_id(), it.field<Place>(1)[i].x, -1};
                if (it.is_set(2)) {
                    row.above = it.is_self(2) ? it.field<const World>(2)[i].x
                                              : it.field<const World>(2)[0].x;
                }
                rows.push_back(row);
            }
        });
        return rows;
    }

    static void check_depth(const query_type& query, const std::vector<found_row>& all,
                            std::uint64_t depth) {
        std::vector<found_row> expected;
        for (const found_row& row : all) {
            if (row.depth == depth) {
                expected.push_back(row);
            }
        }
        auto run = query.iter();
        REQUIRE(rows_of(run.set_group(depth)) == expected);
    }

    void check_shares(const std::vector<found_row>& expected) {
        const int shares = 2 + static_cast<int>(pick(3));
        std::size_t count = 0;
        for (int share = 0; share < shares; ++share) {
            auto run = kept_[0].iter();
            std::uint64_t last = descending_ ? ~std::uint64_t{0} : 0;
            for (const found_row& row : rows_of(run.worker(share, shares))) {
                REQUIRE(in_order(last, row.depth));
                last = row.depth;
                ++count;
            }
        }
        REQUIRE(count == expected.size());
    }

    std::mt19937 random_;
    kith::entity relation_;
    bool descending_ = false;
    bool marked_ = false;
    std::vector<query_type> kept_;
    std::vector<kith::entity_t> entities_;
    std::vector<kith::entity_t> then_;
    std::optional<kith::snapshot> taken_;
};

}  // namespace

TEST_SUITE("model.cascade") {
    // spec 121
    TEST_CASE("kept orders by depth are those of queries that keep nothing") {
        for (const std::uint64_t seed : random_programs::chosen_seeds(60)) {
            CAPTURE(seed);
            program one(seed);
            one.check();
            for (int i = 0; i < 60; ++i) {
                one.step();
                one.check();
                if (i % 8 == 0) {
                    one.check_interference();
                    one.check();
                }
            }
            one.world.check();
        }
    }
}
