// Trees: ChildOf in both storages, and what it costs to refuse cycles.
#include "raw_links.hpp"

#include <string>

namespace bench {
namespace {

using kith::storage_kind;

constexpr std::size_t hundred_thousand = 100'000;
constexpr std::uint32_t branches = 10;

std::uint32_t parent_index(std::uint32_t node) {
    return (node - 1) / branches;
}

struct tree_world : counted_world {
    explicit tree_world(storage_kind storage) {
        world.component<Position>();
        world.component<Velocity>();
        kith::entity child_of = world.entity(kith::ChildOf);
        storage == kith::storage::sparse ? child_of.add(kith::Sparse)
                                         : child_of.remove(kith::Sparse);
    }
    kith::entity node(std::size_t i) const { return handle(world, ids[i]); }

    entity_ids ids;
};

// -- both storages of ChildOf

// Nodes with two components, ten below each; `bytes` per node.
void create_tree(benchmark::State& state, storage_kind storage) {
    scenario run(state, million);
    for (auto _ : state) {
        tree_world tree(storage);
        tree.ids.resize(million);
        std::size_t before = tree.memory.bytes();
        run.kith(tree.memory, [&] {
            for (std::uint32_t i = 0; i < million; ++i) {
                kith::entity node = tree.world.entity();
                if (i != 0) {
                    node.child_of(tree.ids[parent_index(i)]);
                }
                tree.ids[i] = node.set<Position>({1, 2, 3}).set<Velocity>({});
            }
        });
        run.show("bytes", static_cast<double>(tree.memory.bytes() - before) / million);
        raw_links raw(million, million);
        std::vector<raw_record> records(million);
        std::vector<Position> positions(million);
        std::vector<Velocity> velocities(million);
        run.raw([&] {
            for (std::uint32_t i = 0; i < million; ++i) {
                records[i] = {i, 0, 0};
                positions[i] = {1, 2, 3};
                velocities[i] = {};
                if (i != 0) {
                    raw.link(i, parent_index(i));
                }
            }
        });
    }
}
KITH_BENCHMARK_WITH(create_tree, dense, kith::storage::dense)->Iterations(3);
KITH_BENCHMARK_WITH(create_tree, sparse, kith::storage::sparse)->Iterations(3);

void delete_tree(benchmark::State& state, storage_kind storage) {
    scenario run(state, million);
    for (auto _ : state) {
        tree_world tree(storage);
        tree.ids.resize(million);
        for (std::uint32_t i = 0; i < million; ++i) {
            kith::entity node = tree.world.entity();
            if (i != 0) {
                node.child_of(tree.ids[parent_index(i)]);
            }
            tree.ids[i] = node.set<Position>({1, 2, 3}).set<Velocity>({});
        }
        run.kith(tree.memory, [&] { tree.node(0).destruct(); });
    }
}
KITH_BENCHMARK_WITH(delete_tree, dense, kith::storage::dense)->Iterations(3);
KITH_BENCHMARK_WITH(delete_tree, sparse, kith::storage::sparse)->Iterations(3);

// The argument is the number of parents that share 100,000 children; per child.
void visit_children(benchmark::State& state, storage_kind storage) {
    auto parents = static_cast<std::uint32_t>(state.range(0));
    tree_world tree(storage);
    raw_links raw(hundred_thousand, parents);
    for (std::uint32_t i = 0; i < parents; ++i) {
        tree.ids.push_back(tree.world.entity());
    }
    for (std::uint32_t i = 0; i < hundred_thousand; ++i) {
        tree.world.entity().child_of(tree.ids[i % parents]).set<Position>({});
        raw.link(i, i % parents);
    }
    scenario run(state, hundred_thousand);
    for (auto _ : state) {
        run.kith(tree.memory, [&] {
            for (kith::entity_t parent : tree.ids) {
                handle(tree.world, parent).children([](kith::entity child) { use(child.id()); });
            }
        });
        run.raw([&] {
            for (std::uint32_t i = 0; i < parents; ++i) {
                for (std::uint32_t child : raw.sources(i)) {
                    use(child);
                }
            }
        });
    }
}
KITH_BENCHMARK_WITH(visit_children, dense, kith::storage::dense)->Arg(1)->Arg(10'000);
KITH_BENCHMARK_WITH(visit_children, sparse, kith::storage::sparse)->Arg(1)->Arg(10'000);

void reparent(benchmark::State& state, storage_kind storage) {
    constexpr std::uint32_t parents = 1000;
    tree_world tree(storage);
    raw_links raw(hundred_thousand, parents);
    entity_ids children;
    for (std::uint32_t i = 0; i < parents; ++i) {
        tree.ids.push_back(tree.world.entity());
    }
    for (std::uint32_t i = 0; i < hundred_thousand; ++i) {
        kith::entity child = tree.world.entity().child_of(tree.ids[i % parents]);
        children.push_back(child.set<Position>({}).set<Velocity>({}));
        raw.link(i, i % parents);
    }
    scenario run(state, hundred_thousand);
    std::uint32_t shift = 0;
    for (auto _ : state) {
        ++shift;
        run.kith(tree.memory, [&] {
            for (std::uint32_t i = 0; i < hundred_thousand; ++i) {
                handle(tree.world, children[i]).child_of(tree.ids[(i + shift) % parents]);
            }
        });
        run.raw([&] {
            for (std::uint32_t i = 0; i < hundred_thousand; ++i) {
                raw.unlink(i);
                raw.link(i, (i + shift) % parents);
            }
        });
    }
}
KITH_BENCHMARK_WITH(reparent, dense, kith::storage::dense);
KITH_BENCHMARK_WITH(reparent, sparse, kith::storage::sparse);

// From leaves to roots, 50 levels; per step.
void walk_to_root(benchmark::State& state, storage_kind storage) {
    constexpr std::uint32_t chains = 2000, levels = 50;
    tree_world tree(storage);
    std::vector<std::uint32_t> raw;
    for (std::uint32_t i = 0; i < chains * levels; ++i) {
        bool root = i % levels == 0;
        kith::entity node = tree.world.entity();
        if (!root) {
            node.child_of(tree.ids.back());
        }
        tree.ids.push_back(node.add<Mark>());
        raw.push_back(root ? raw_links::none : i - 1);
    }
    scenario run(state, std::size_t{chains} * levels);
    for (auto _ : state) {
        run.kith(tree.memory, [&] {
            for (std::uint32_t i = levels - 1; i < chains * levels; i += levels) {
                for (kith::entity at = tree.node(i); at; at = at.parent()) {
                    use(at.id());
                }
            }
        });
        run.raw([&] {
            for (std::uint32_t i = levels - 1; i < chains * levels; i += levels) {
                for (std::uint32_t at = i; at != raw_links::none; at = raw[at]) {
                    use(at);
                }
            }
        });
    }
}
KITH_BENCHMARK_WITH(walk_to_root, dense, kith::storage::dense);
KITH_BENCHMARK_WITH(walk_to_root, sparse, kith::storage::sparse);

// Children found by name below their parent: ten names, 1000 parents.
void lookup_child(benchmark::State& state, storage_kind storage) {
    constexpr std::size_t parents = 1000;
    tree_world tree(storage);
    std::vector<std::string> names;
    for (std::uint32_t k = 0; k < branches; ++k) {
        names.push_back("child_" + std::to_string(k));
    }
    for (std::size_t i = 0; i < parents; ++i) {
        tree.ids.push_back(tree.world.entity());
        for (const std::string& name : names) {
            tree.world.entity().child_of(tree.ids.back()).set_name(name.c_str());
        }
    }
    scenario run(state, parents * branches);
    for (auto _ : state) {
        run.kith(tree.memory, [&] {
            for (kith::entity_t parent : tree.ids) {
                for (const std::string& name : names) {
                    use(handle(tree.world, parent).lookup(name.c_str()).id());
                }
            }
        });
    }
}
KITH_BENCHMARK_WITH(lookup_child, dense, kith::storage::dense);
KITH_BENCHMARK_WITH(lookup_child, sparse, kith::storage::sparse);

// One parent; its children leave it in random order. The argument is their number.
void remove_child(benchmark::State& state, storage_kind storage) {
    auto count = static_cast<std::uint32_t>(state.range(0));
    std::vector<std::uint32_t> order = shuffled(count);
    scenario run(state, count);
    for (auto _ : state) {
        tree_world tree(storage);
        kith::entity parent = tree.world.entity();
        raw_links raw(count, 1);
        for (std::uint32_t i = 0; i < count; ++i) {
            tree.ids.push_back(tree.world.entity().child_of(parent).set<Position>({}));
            raw.link(i, 0);
        }
        run.kith(tree.memory, [&] {
            for (std::uint32_t i : order) {
                tree.node(i).remove(kith::ChildOf, parent);
            }
        });
        run.raw([&] {
            for (std::uint32_t i : order) {
                raw.unlink(i);
            }
        });
    }
}
KITH_GROWTH(remove_child, dense, kith::storage::dense);
KITH_GROWTH(remove_child, sparse, kith::storage::sparse);

// -- cycles: adding a pair of a relationship that refuses them

enum class acyclic_kind { exclusive, several, child_of, dense };

// Entities without pairs, and the relationship.
struct acyclic_world : counted_world {
    acyclic_world(acyclic_kind kind, std::size_t count)
        : relation(kind == acyclic_kind::child_of
                       ? world.entity(kith::ChildOf)
                       : world.relation("above", {.exclusive = kind != acyclic_kind::several,
                                                  .acyclic = true,
                                                  .storage = kind == acyclic_kind::dense
                                                                 ? kith::storage::dense
                                                                 : kith::storage::sparse})) {
        for (std::size_t i = 0; i < count; ++i) {
            ids.push_back(world.entity());
        }
    }
    void link(std::uint32_t source, std::uint32_t target) {
        handle(world, ids[source]).add(relation, ids[target]);
    }
    kith::entity relation;
    entity_ids ids;
};

// The order in which the nodes of a tree, 0 being the root, get their parents.
enum class tree_order { top_down, bottom_up, random };

void build_acyclic(benchmark::State& state, acyclic_kind kind, tree_order order) {
    auto count = static_cast<std::uint32_t>(state.range(0));
    std::vector<std::uint32_t> nodes = shuffled(count);
    if (order != tree_order::random) {
        std::sort(nodes.begin(), nodes.end());
    }
    if (order == tree_order::bottom_up) {
        std::reverse(nodes.begin(), nodes.end());
    }
    nodes.erase(std::find(nodes.begin(), nodes.end(), 0u));
    scenario run(state, nodes.size());
    for (auto _ : state) {
        acyclic_world acyclic(kind, count);
        run.kith(acyclic.memory, [&] {
            for (std::uint32_t node : nodes) {
                acyclic.link(node, parent_index(node));
            }
        });
        // Without any check.
        raw_links raw(count, count);
        run.raw([&] {
            for (std::uint32_t node : nodes) {
                raw.link(node, parent_index(node));
            }
        });
    }
}
#define KITH_BUILD_ACYCLIC(kind, order)                                                       \
    KITH_BENCHMARK_WITH(build_acyclic, kind##_##order, acyclic_kind::kind, tree_order::order) \
        ->Arg(10'000)                                                                         \
        ->Iterations(20);                                                                     \
    KITH_BENCHMARK_WITH(build_acyclic, kind##_##order, acyclic_kind::kind, tree_order::order) \
        ->Arg(1'000'000)                                                                      \
        ->Iterations(2)
KITH_BUILD_ACYCLIC(exclusive, top_down);
KITH_BUILD_ACYCLIC(exclusive, bottom_up);
KITH_BUILD_ACYCLIC(exclusive, random);
KITH_BUILD_ACYCLIC(several, top_down);
KITH_BUILD_ACYCLIC(several, bottom_up);
KITH_BUILD_ACYCLIC(several, random);
KITH_BUILD_ACYCLIC(child_of, top_down);
KITH_BUILD_ACYCLIC(child_of, bottom_up);
KITH_BUILD_ACYCLIC(child_of, random);
KITH_BUILD_ACYCLIC(dense, random);

// Chains of 100 nodes become one chain, in random order; per join. Nothing short can be said here:
// both sides of a join have 100 nodes at least.
void join_chains(benchmark::State& state, acyclic_kind kind) {
    constexpr std::uint32_t length = 100;
    auto count = static_cast<std::uint32_t>(state.range(0));
    std::vector<std::uint32_t> joins = shuffled(count / length);
    joins.erase(std::find(joins.begin(), joins.end(), 0u));
    scenario run(state, joins.size());
    for (auto _ : state) {
        acyclic_world acyclic(kind, count);
        for (std::uint32_t i = 0; i < count; ++i) {
            if (i % length != 0) {
                acyclic.link(i, i - 1);
            }
        }
        run.kith(acyclic.memory, [&] {
            for (std::uint32_t join : joins) {
                acyclic.link(join * length, join * length - 1);
            }
        });
    }
}
#define KITH_JOIN_CHAINS(kind)                                 \
    KITH_BENCHMARK_WITH(join_chains, kind, acyclic_kind::kind) \
        ->Arg(10'000)                                          \
        ->Arg(100'000)                                         \
        ->Arg(1'000'000)                                       \
        ->Iterations(3)
KITH_JOIN_CHAINS(exclusive);
KITH_JOIN_CHAINS(several);
KITH_JOIN_CHAINS(child_of);

// A node with many children moves between two parents below one root: the short way up decides, not
// the number of children, which is the argument.
void move_hub(benchmark::State& state, acyclic_kind kind) {
    auto count = static_cast<std::uint32_t>(state.range(0));
    constexpr std::uint32_t moves = 100;
    acyclic_world acyclic(kind, count + 4);
    const std::uint32_t root = count, left = count + 1, right = count + 2, hub = count + 3;
    acyclic.link(left, root);
    acyclic.link(right, root);
    for (std::uint32_t i = 0; i < count; ++i) {
        acyclic.link(i, hub);
    }
    scenario run(state, moves);
    for (auto _ : state) {
        run.kith(acyclic.memory, [&] {
            for (std::uint32_t i = 0; i < moves; ++i) {
                std::uint32_t from = i % 2 == 0 ? left : right;
                if (kind == acyclic_kind::several) {
                    handle(acyclic.world, acyclic.ids[hub])
                        .remove(acyclic.relation, acyclic.ids[from]);
                }
                acyclic.link(hub, i % 2 == 0 ? right : left);
            }
        });
    }
}
#define KITH_MOVE_HUB(kind)                                 \
    KITH_BENCHMARK_WITH(move_hub, kind, acyclic_kind::kind) \
        ->Arg(1000)                                         \
        ->Arg(10'000)                                       \
        ->Arg(100'000)                                      \
        ->Iterations(3)
KITH_MOVE_HUB(exclusive);
KITH_MOVE_HUB(several);
KITH_MOVE_HUB(child_of);

}  // namespace
}  // namespace bench
