// Queries visit tables and entities in the same order behind a restore as behind the take, whatever
// their caches have seen before and in between: systems whose results depend on that order run as
// they did the first time.
#include <kith/kith.hpp>
#include <kith/snapshot.hpp>

#include "support/types.hpp"

#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

// The numbers of the results' entities, in the order of results.
std::string order_of(const kith::query<>& query) {
    std::string text;
    query.each([&](kith::entity e) { text += std::to_string(kith::index_of(e)) + " "; });
    return text;
}

// A world with many tables that come, get empty and are filled again.
class restless_world {
public:
    explicit restless_world(unsigned seed) : random_(seed) {
        near_ = world.relation("Near");
        likes_ = world.relation("Likes", {.storage = kith::storage_kind::sparse});
        owns_ = world.relation("Owns", {.storage = kith::storage_kind::sparse});
        for (int i = 0; i < 24; ++i) {
            tags_.push_back(world.entity());
        }
        for (std::size_t i = 0; i < 5; ++i) {
            hubs_.push_back(world.entity().set(Velocity{0, 0}));
            if (i != 0) {
                hubs_[i].child_of(hubs_[i - 1]);
            }
        }
        for (int i = 0; i < 3; ++i) {
            bases_.push_back(world.prefab().set(Velocity{i, i}));
        }
        for (int i = 0; i < 50; ++i) {
            sources_.push_back(world.entity().set(Position{i % 4, 0}));
        }
    }
    void change(int steps) {
        for (; steps > 0; --steps) {
            kith::entity& e = sources_[below(sources_.size())];
            switch (below(14)) {
                case 0:
                    e.destruct();
                    e = world.entity().set(Position{static_cast<int>(below(4)), 0});
                    break;
                case 1:
                    e.add(near_, pick(hubs_));
                    break;
                case 2:
                    e.remove(near_, kith::Wildcard);
                    break;
                case 3:
                    e.is_a(pick(bases_));
                    break;
                case 4:
                    e.remove(kith::IsA, kith::Wildcard);
                    break;
                case 5:
                    e.add(likes_, pick(hubs_)).add(owns_, pick(hubs_));
                    break;
                case 6:
                    e.remove(likes_, pick(hubs_));
                    break;
                case 7:
                    e.add(near_, pick(tags_));
                    break;
                case 8:
                    e.remove(near_, pick(tags_));
                    break;
                case 9:
                    e.child_of(pick(hubs_));
                    break;
                default:
                    const kith::entity tag = pick(tags_);
                    e.has(tag) ? e.remove(tag) : e.add(tag);
            }
        }
    }
    // `of` has the same entities.
    std::vector<kith::query<>> make_queries(const kith::world& of) const {
        std::vector<kith::query<>> made;
        made.push_back(of.query_builder().with<Position>().cached().build());
        made.push_back(of.query_builder().with<Position>().uncached().build());
        made.push_back(of.query_builder().without(tags_[0].id()).cached().build());
        made.push_back(of.query_builder().with(near_.id(), kith::Wildcard).cached().build());
        made.push_back(of.query_builder().with(near_.id(), kith::Wildcard).uncached().build());
        made.push_back(of.query_builder().with<Velocity>().cached().build());
        made.push_back(of.query_builder().with<Position>().group_by(near_.id()).cached().build());
        made.push_back(of.query_builder().with<Position>().order_by(&Position::x).build());
        made.push_back(of.query_builder()
                           .with<Position>()
                           .with<Velocity>()
                           .parent()
                           .cascade()
                           .cached()
                           .build());
        made.push_back(of.query_builder()
                           .with<Position>()
                           .with(near_.id(), hubs_[0].id())
                           .optional()
                           .with(likes_.id(), kith::Wildcard)
                           .cached()
                           .build());
        return made;
    }
    // Results of calls with two targets, for each pair of hubs.
    std::string orders_by_targets(const kith::query<>& query) const {
        std::string text;
        for (const kith::entity& first : hubs_) {
            for (const kith::entity& second : hubs_) {
                query.each(first, second, [&](kith::entity e) {
                    text += std::to_string(kith::index_of(e)) + " ";
                });
                text += "; ";
            }
        }
        return text;
    }
    kith::query<> by_links() const {
        return world.query_builder()
            .with(likes_, kith::Wildcard)
            .with(owns_, kith::Wildcard)
            .cached()
            .build();
    }
    kith::query<> by_tables() const {
        return world.query_builder()
            .with(near_, kith::Wildcard)
            .with(near_, kith::Wildcard)
            .cached()
            .build();
    }
    // Entities of an earlier state; those of a later one are gone.
    std::vector<kith::entity> sources() const { return sources_; }
    void set_sources(std::vector<kith::entity> before) { sources_ = std::move(before); }

    kith::world world;

private:
    std::size_t below(std::size_t end) { return random_() % end; }
    kith::entity pick(const std::vector<kith::entity>& from) { return from[below(from.size())]; }

    std::mt19937 random_;
    kith::entity near_, likes_, owns_;
    std::vector<kith::entity> tags_, hubs_, bases_, sources_;
};

}  // namespace

TEST_SUITE("features.snapshots.result_order") {
    // spec 564
    TEST_CASE("a restored world gives results in the order of the first time") {
        for (unsigned seed = 1; seed <= 12; ++seed) {
            CAPTURE(seed);
            restless_world scene(seed);
            const std::vector<kith::query<>> queries = scene.make_queries(scene.world);
            scene.change(400);
            const std::vector<kith::entity> sources = scene.sources();
            const kith::snapshot taken = scene.world.snapshot().take();
            std::vector<std::string> expected;
            for (const kith::query<>& query : queries) {
                expected.push_back(order_of(query));
            }
            for (int again = 0; again < 2; ++again) {
                scene.change(100);
                order_of(queries[0]);
                scene.change(100);
                taken.restore();
                scene.set_sources(sources);
                for (std::size_t i = 0; i < queries.size(); ++i) {
                    CAPTURE(i);
                    CHECK(order_of(queries[i]) == expected[i]);
                }
            }
        }
    }

    TEST_CASE("a world opened from a snapshot gives results in the order of its origin") {
        for (unsigned seed = 1; seed <= 12; ++seed) {
            CAPTURE(seed);
            restless_world scene(seed);
            const std::vector<kith::query<>> queries = scene.make_queries(scene.world);
            scene.change(400);
            const kith::world copy = scene.world.snapshot().take().open();
            const std::vector<kith::query<>> others = scene.make_queries(copy);
            for (std::size_t i = 0; i < queries.size(); ++i) {
                CAPTURE(i);
                CHECK(order_of(others[i]) == order_of(queries[i]));
            }
        }
    }

    TEST_CASE("results of calls with targets keep their order in a restored world") {
        for (unsigned seed = 1; seed <= 12; ++seed) {
            CAPTURE(seed);
            restless_world scene(seed);
            const kith::query<> by_links = scene.by_links();
            const kith::query<> by_tables = scene.by_tables();
            scene.orders_by_targets(by_links);
            scene.orders_by_targets(by_tables);
            scene.change(400);
            const std::vector<kith::entity> sources = scene.sources();
            const kith::snapshot taken = scene.world.snapshot().take();
            const std::string links = scene.orders_by_targets(by_links);
            const std::string tables = scene.orders_by_targets(by_tables);
            for (int again = 0; again < 2; ++again) {
                scene.change(100);
                scene.orders_by_targets(by_links);
                scene.change(100);
                taken.restore();
                scene.set_sources(sources);
                CHECK(scene.orders_by_targets(by_links) == links);
                CHECK(scene.orders_by_targets(by_tables) == tables);
            }
        }
    }
}
