// Deleting trees of many entities: rows, links and ids end together, whatever lies among them.
#include <kith/kith.hpp>

#include "support/relations.hpp"
#include "support/types.hpp"

#include <random>
#include <string>
#include <vector>

using namespace kith_test;

namespace {

struct LongText {
    std::string text;
};

// A forest with parents by number; the root of all has the number 0.
struct forest {
    kith::world world;
    std::vector<kith::entity> nodes;
    std::vector<std::size_t> parents;
    kith::entity sparse_tag = world.entity().add(kith::Sparse);
    kith::entity relation = world.entity();

    kith::entity add(std::size_t parent) {
        kith::entity node = world.entity();
        if (!nodes.empty()) {
            node.child_of(nodes[parent]);
        }
        node.set<Position>({static_cast<int>(nodes.size()), 0});
        nodes.push_back(node);
        parents.push_back(parent);
        return node;
    }
    // True if the node or one of its ancestors is `top`.
    bool is_below(std::size_t node, std::size_t top) const {
        while (node != top && node != 0) {
            node = parents[node];
        }
        return node == top;
    }
    // Deletes a node and compares all others with what they were.
    void destroy(std::size_t top) {
        std::vector<bool> lives;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            lives.push_back(nodes[i].is_alive() && !is_below(i, top));
        }
        nodes[top].destruct();
        world.check();
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            REQUIRE(nodes[i].is_alive() == lives[i]);
            if (lives[i]) {
                REQUIRE(nodes[i].get<Position>()->x == static_cast<int>(i));
                REQUIRE((i == 0 || nodes[i].parent() == nodes[parents[i]]));
            }
        }
    }
};

}  // namespace

TEST_SUITE("features.relationships.delete_trees") {
    // spec 74
    TEST_CASE_FIXTURE(forest, "a large tree ends with its tables, and its ids are used again") {
        add(0);
        for (std::size_t i = 1; i < 3'000; ++i) {
            add((i - 1) / 10);
        }
        nodes[0].destruct();
        world.check();
        CHECK(world.count<Position>() == 0);
        std::vector<kith::entity> old = std::exchange(nodes, {});
        parents.clear();
        add(0);
        for (std::size_t i = 1; i < 3'000; ++i) {
            add((i - 1) / 10);
        }
        world.check();
        // The root ended last: its index is used first.
        CHECK(kith::index_of(nodes[0]) == kith::index_of(old[0]));
        CHECK(world.count<Position>() == 3'000);
        int children = 0;
        nodes[0].children([&](kith::entity child) {
            CHECK(child.parent() == nodes[0]);
            ++children;
        });
        CHECK(children == 10);
    }

    // spec 74
    TEST_CASE_FIXTURE(forest, "entities with the same tables as a deleted tree keep their values") {
        add(0);
        for (std::size_t i = 1; i < 500; ++i) {
            add(i % 2 == 0 ? 2 * ((i / 2 - 1) / 3) : 0);
        }
        destroy(2);
        CHECK(world.count<Position>() > 250);
        destroy(0);
    }

    // spec 74
    TEST_CASE_FIXTURE(forest, "a query sees no row of a deleted tree") {
        auto query = world.query<Position>();
        add(0);
        for (std::size_t i = 1; i < 100; ++i) {
            add(i / 2).add(relation, i % 3 == 0 ? relation : sparse_tag);
        }
        destroy(1);
        std::size_t rows = 0;
        query.each([&](kith::entity found, Position&) {
            CHECK(found.is_alive());
            ++rows;
        });
        CHECK(rows == world.count<Position>());
        nodes[0].destruct();
        query.each([&](Position&) { FAIL("no entity is left"); });
    }

    // spec 74
    TEST_CASE("trees of any entities end as a whole") {
        for (unsigned seed = 0; seed < 40; ++seed) {
            CAPTURE(seed);
            forest trees;
            std::mt19937 random(seed);
            auto below = [&](std::size_t limit) { return random() % limit; };
            kith::entity counted = trees.world.entity();
            trees.add(0);
            const std::size_t size = 30 + below(400);
            const std::size_t rare = 3 + below(60);
            for (std::size_t i = 1; i < size; ++i) {
                kith::entity node = trees.add(i - 1 - below(std::min<std::size_t>(i, 12)));
                if (below(3) == 0) {
                    node.set<Velocity>({1, 2});
                }
                switch (below(rare)) {
                    case 0:
                        node.set<LongText>({"a label that is too long to lie in place"});
                        break;
                    case 1:
                        node.set_name(("node" + std::to_string(i)).c_str());
                        break;
                    case 2:
                        node.add(trees.sparse_tag);
                        break;
                    case 3:
                        counted.add(trees.relation, node);
                        break;
                    case 4:
                        node.add(trees.relation, trees.nodes[below(i)]);
                        break;
                    case 5:
                        node.disable<Position>();
                        node.enable<Position>();
                        break;
                    default:
                        break;
                }
            }
            for (int turn = 0; turn < 4; ++turn) {
                const std::size_t top = 1 + below(size - 1);
                if (trees.nodes[top].is_alive()) {
                    trees.destroy(top);
                }
            }
            trees.destroy(0);
            CHECK(trees.world.count<Position>() == 0);
            CHECK(trees.world.count<LongText>() == 0);
        }
    }
}
