// Instructions and allocations of single operations, counted by callgrind: run by
// bench/instructions, which also says what to make of the figures.
//
// Every operation runs in a loop over 10,000 entities, or as many as it says. The loop is run twice
// and the second run is counted, so that tables, ways between them and memory are there already.
// Nothing is subtracted: the loop itself, two to four instructions, is part of a figure.
//
// With the argument `boundary` the program runs the calls through C and the same calls through C++
// alone. Prints one line per operation: name, number of operations, goal.
#include <kith/interop.hpp>
#include <kith/world_text.hpp>

#include "count_instructions.hpp"

#include <string>

namespace bench {

namespace {

struct SparseValue {
    float value = 0;
};
template <int I>
struct Other {
    float x = 0, y = 0;
};
struct Mark {};
struct SparseMark {};

void create_and_delete() {
    kith::world world;
    world.component<Position>();
    world.component<Velocity>();
    entity_ids ids(entity_count);
    auto delete_all = [&] {
        for (kith::entity_t id : ids) {
            handle(world, id).destruct();
        }
    };
    auto set_two = [&] {
        for (kith::entity_t& id : ids) {
            id = world.entity().set<Position>({1, 2, 3}).set<Velocity>({1, 1, 1}).id();
        }
    };
    measure(
        "create empty, recycled id", entity_count, 70,
        [&] {
            for (kith::entity_t& id : ids) {
                id = world.entity().id();
            }
        },
        delete_all);
    measure("create, set 2 components", entity_count, 700, set_two, delete_all);
    measure(
        "create with 2 components in one call", entity_count, 250,
        [&] {
            for (kith::entity_t& id : ids) {
                id = world.entity(Position{1, 2, 3}, Velocity{1, 1, 1}).id();
            }
        },
        delete_all);

    std::vector<Position> positions(entity_count, Position{1, 2, 3});
    std::vector<Velocity> velocities(entity_count, Velocity{1, 1, 1});
    kith::entity_span made;
    measure(
        "bulk create 2 components, per entity", entity_count, 34,
        [&] { made = world.bulk(entity_count, positions.data(), velocities.data()); },
        [&] {
            ids.assign(made.begin(), made.end());
            delete_all();
        });

    set_two();
    measure("delete with 2 components", entity_count, 180, delete_all, set_two);
}

// Adds to all, then removes from all: the mean of both is one operation.
template <class Add, class Remove>
void measure_toggle(const char* name, double goal, kith::world& world, const entity_ids& ids,
                    Add&& add, Remove&& remove) {
    measure(name, 2 * entity_count, goal, [&] {
        for (kith::entity_t id : ids) {
            add(handle(world, id));
        }
        for (kith::entity_t id : ids) {
            remove(handle(world, id));
        }
    });
}

void add_and_remove(bool eight) {
    kith::world world;
    world.component<SparseMark>().add(kith::Sparse);
    world.component<SparseValue>().add(kith::Sparse);
    kith::entity relation = world.entity();
    kith::entity target = world.entity();
    entity_ids ids;
    for (int i = 0; i < entity_count; ++i) {
        kith::entity entity = world.entity().set<Position>({});
        if (eight) {
            entity.set<Other<0>>({}).set<Other<1>>({}).set<Other<2>>({}).set<Other<3>>({});
            entity.set<Other<4>>({}).set<Other<5>>({}).set<Other<6>>({});
        }
        ids.push_back(entity);
    }
    measure_toggle(
        eight ? "add or remove a tag, 8 other components" : "add or remove a tag",
        eight ? 420 : 240, world, ids, [](kith::entity e) { e.add<Mark>(); },
        [](kith::entity e) { e.remove<Mark>(); });
    measure_toggle(
        eight ? "set or remove a component, 8 other components" : "set or remove a component",
        eight ? 440 : 260, world, ids,
        [](kith::entity e) {
            e.set<Velocity>({1, 2, 3});
        },
        [](kith::entity e) { e.remove<Velocity>(); });
    measure_toggle(
        eight ? "add or remove a pair, 8 other components" : "add or remove a pair",
        eight ? 420 : 240, world, ids, [&](kith::entity e) { e.add(relation, target); },
        [&](kith::entity e) { e.remove(relation, target); });
    if (eight) {
        return;
    }
    measure_toggle(
        "add or remove a sparse tag", 150, world, ids, [](kith::entity e) { e.add<SparseMark>(); },
        [](kith::entity e) { e.remove<SparseMark>(); });
    measure_toggle(
        "set or remove a sparse component", 180, world, ids,
        [](kith::entity e) { e.set<SparseValue>({1}); },
        [](kith::entity e) { e.remove<SparseValue>(); });
}

void access() {
    kith::world world;
    entity_ids ids(entity_count);
    kith::entity relation = world.entity();
    kith::entity_t targets[4];
    for (kith::entity_t& target : targets) {
        target = world.entity();
    }
    for (std::size_t i = 0; i < ids.size(); ++i) {
        ids[i] = world.entity().set<Position>({1, 2, 3}).set<Velocity>({1, 1, 1}).add(
            relation, targets[i % 4]);
    }
    measure("get a component", entity_count, 45, [&] {
        float sum = 0;
        for (kith::entity_t id : ids) {
            sum += handle(world, id).get<Position>()->x;
        }
        use(sum);
    });
    measure("has a component", entity_count, 35, [&] {
        long found = 0;
        for (kith::entity_t id : ids) {
            found += handle(world, id).has<Velocity>();
        }
        use(found);
    });
    measure("set a component", entity_count, 80, [&] {
        for (kith::entity_t id : ids) {
            handle(world, id).set<Position>({1, 2, 3});
        }
    });
    measure("has a pair", entity_count, 55, [&] {
        long found = 0;
        for (kith::entity_t id : ids) {
            found += handle(world, id).has(relation, targets[0]);
        }
        use(found);
    });
    measure("target of a relationship", entity_count, 65, [&] {
        long found = 0;
        for (kith::entity_t id : ids) {
            found += handle(world, id).target(relation).id() == targets[1];
        }
        use(found);
    });

    std::vector<kith::ref<Position>> refs;
    for (kith::entity_t id : ids) {
        refs.push_back(handle(world, id).get_ref<Position>());
    }
    measure("get through a ref", entity_count, 20, [&] {
        float sum = 0;
        for (kith::ref<Position>& ref : refs) {
            sum += ref->x;
        }
        use(sum);
    });
}

void defer() {
    kith::world world;
    world.component<Velocity>();
    entity_ids ids(entity_count);
    for (kith::entity_t& id : ids) {
        id = world.entity().set<Position>({});
    }
    measure("deferred set and flush, component is there", entity_count, 220, [&] {
        world.defer_begin();
        for (kith::entity_t id : ids) {
            handle(world, id).set<Position>({1, 2, 3});
        }
        world.defer_end();
    });
    auto remove_deferred = [&] {
        world.defer_begin();
        for (kith::entity_t id : ids) {
            handle(world, id).remove<Velocity>();
        }
        world.defer_end();
    };
    measure(
        "deferred set and flush, component is new", entity_count, 450,
        [&] {
            world.defer_begin();
            for (kith::entity_t id : ids) {
                handle(world, id).set<Velocity>({1, 2, 3});
            }
            world.defer_end();
        },
        remove_deferred);
}

// What these do cannot be done twice: the first run works on another relation or other entities.
void tables() {
    kith::world world;
    entity_ids targets(entity_count);
    for (kith::entity_t& target : targets) {
        target = world.entity();
    }
    entity_ids ids(entity_count);
    for (kith::entity_t& id : ids) {
        id = world.entity().set<Position>({});
    }
    kith::entity relation = world.entity();
    auto renew = [&] {
        for (std::size_t i = 0; i < ids.size(); ++i) {
            handle(world, ids[i]).remove(relation, targets[i]);
        }
        relation = world.entity();
    };
    measure(
        "new table through a new pair", entity_count, 2000,
        [&] {
            for (std::size_t i = 0; i < ids.size(); ++i) {
                handle(world, ids[i]).add(relation, targets[i]);
            }
        },
        renew);

    constexpr std::size_t sources = 10;
    entity_ids sites(ids.size() / sources);
    auto build = [&] {
        for (std::size_t i = 0; i < ids.size(); ++i) {
            kith::entity_t& site = sites[i / sources];
            if (i % sources == 0) {
                site = world.entity();
            }
            handle(world, ids[i]).add(relation, site);
        }
    };
    build();
    measure(
        "delete a target with 10 sources", static_cast<int>(sites.size()), 2500,
        [&] {
            for (kith::entity_t site : sites) {
                handle(world, site).destruct();
            }
        },
        build);
}

void names() {
    kith::world world;
    std::vector<std::string> paths;
    for (int a = 0; a < 10; ++a) {
        for (int b = 0; b < 10; ++b) {
            for (int c = 0; c < 10; ++c) {
                paths.push_back("galaxy_" + std::to_string(a) + "::star_" + std::to_string(b) +
                                "::planet_" + std::to_string(c));
                world.entity(paths.back().c_str());
            }
        }
    }
    measure("lookup of a path of depth 3", static_cast<int>(paths.size()), 600, [&] {
        for (const std::string& path : paths) {
            use(world.lookup(path.c_str()).id());
        }
    });
}

// -- relationships

void inherit() {
    kith::world world;
    auto base = world.prefab().set<Position>({1, 2, 3});
    auto nearer = world.prefab().is_a(base);
    entity_ids one(entity_count), two(entity_count);
    for (int i = 0; i < entity_count; ++i) {
        one[i] = world.entity().is_a(base).id();
        two[i] = world.entity().is_a(nearer).id();
    }
    auto get_all = [&](const entity_ids& ids) {
        for (kith::entity_t id : ids) {
            use(handle(world, id).get<Position>()->x);
        }
    };
    measure("get inherited, depth 1", entity_count, 110, [&] { get_all(one); });
    measure("get inherited, depth 2", entity_count, 150, [&] { get_all(two); });
}

void sparse_pairs() {
    kith::world world;
    auto relation = world.entity().add(kith::Sparse);
    auto targets = entity_ids(100);
    for (kith::entity_t& target : targets) {
        target = world.entity().id();
    }
    entity_ids ids(entity_count);
    for (kith::entity_t& id : ids) {
        id = world.entity().set<Position>({}).id();
    }
    measure("add or remove a sparse pair", 2 * entity_count, 220, [&] {
        for (int i = 0; i < entity_count; ++i) {
            handle(world, ids[i]).add(relation, targets[i % 100]);
        }
        for (int i = 0; i < entity_count; ++i) {
            handle(world, ids[i]).remove(relation, targets[i % 100]);
        }
    });
}

// A node below each of the nodes before it.
void tree() {
    kith::world world;
    world.component<Position>();
    world.component<Velocity>();
    constexpr int children = 10;
    entity_ids ids(entity_count);
    auto build = [&](bool values) {
        for (int i = 0; i < entity_count; ++i) {
            auto node = world.entity();
            if (i != 0) {
                node.child_of(ids[(i - 1) / children]);
            }
            if (values) {
                node.set<Position>({1, 2, 3}).set<Velocity>({});
            }
            ids[i] = node.id();
        }
    };
    auto delete_root = [&] { handle(world, ids[0]).destruct(); };
    measure(
        "create a bare tree node", entity_count, 300, [&] { build(false); }, delete_root);
    measure(
        "create a tree node with 2 components", entity_count, 900, [&] { build(true); },
        delete_root);
    build(true);
    measure("delete a subtree with 2 components, per node", entity_count, 250, delete_root,
            [&] { build(true); });
    measure("children, per child", entity_count - 1, 18, [&] {
        for (int i = 0; i < entity_count / children; ++i) {
            handle(world, ids[i]).children([](kith::entity child) { use(child.id()); });
        }
    });
    constexpr int first_leaf = entity_count / children + 1;
    int shift = 0;
    measure("reparent", entity_count - first_leaf, 300, [&] {
        ++shift;
        for (int i = first_leaf; i < entity_count; ++i) {
            handle(world, ids[i]).child_of(ids[1 + (i + shift) % (first_leaf - 1)]);
        }
    });
    kith::entity_t chain = world.entity().id();
    for (int i = 0; i < 50; ++i) {
        chain = world.entity().child_of(chain).id();
    }
    measure("parent, per step", 50 * 100, 38, [&] {
        for (int i = 0; i < 100; ++i) {
            for (auto at = handle(world, chain); at; at = at.parent()) {
                use(at.id());
            }
        }
    });
}

void prefabs() {
    kith::world world;
    auto base = world.prefab().set<Position>({1, 2, 3});
    for (int i = 0; i < 10; ++i) {
        world.prefab().child_of(base).set<Position>({}).set<Velocity>({});
    }
    constexpr int instances = entity_count / 10;
    entity_ids ids(instances);
    auto make = [&] {
        for (kith::entity_t& id : ids) {
            id = world.entity().is_a(base).id();
        }
    };
    auto drop = [&] {
        for (kith::entity_t id : ids) {
            handle(world, id).destruct();
        }
    };
    measure("instantiate a prefab with 10 children", instances, 4500, make, drop);
    make();
    measure("delete an instance with 10 children", instances, 3000, drop, make);
}

void queries() {
    kith::world world;
    constexpr int runs = 1000;
    auto move = [](Position& position, const Velocity& velocity) { position.x += velocity.x; };
    world.entity(Position{}, Velocity{});
    auto cached = world.query<Position, const Velocity>();
    auto plain = world.filter<Position, const Velocity>();
    measure("run a cached query with 1 match", runs, 80, [&] {
        for (int i = 0; i < runs; ++i) {
            cached.each(move);
        }
    });
    measure("run an uncached query with 1 match", runs, 250, [&] {
        for (int i = 0; i < runs; ++i) {
            plain.each(move);
        }
    });
    measure("create and destroy an uncached query", runs, 1200, [&] {
        for (int i = 0; i < runs; ++i) {
            use(world.filter<Position, const Velocity>());
        }
    });
    measure("create and destroy a cached query", runs, 6000, [&] {
        for (int i = 0; i < runs; ++i) {
            use(world.query<Position, const Velocity>());
        }
    });
    for (int i = 1; i < entity_count; ++i) {
        world.entity(Position{}, Velocity{});
    }
    measure("each, 2 components, per entity", entity_count, 4.1, [&] { cached.each(move); });
}

// The children of one parent, in one table and in two tables that take turns.
void filtered_children() {
    kith::world world;
    kith::entity alike = world.entity();
    kith::entity mixed = world.entity();
    kith::entity mark = world.entity();
    for (int i = 0; i < entity_count; ++i) {
        world.entity(Position{}, Velocity{}).child_of(alike);
        kith::entity made = world.entity(Position{}).child_of(mixed);
        if (i % 2 == 0) {
            made.add(mark);
        }
    }
    auto visit = [](kith::entity child) { use(child.id()); };
    auto of_one = world.filter_builder().with(kith::ChildOf, alike).build();
    auto of_two = world.filter_builder().with(kith::ChildOf, mixed).build();
    auto with_value = world.filter_builder<Position>().with(kith::ChildOf, mixed).build();
    measure("(ChildOf,p) uncached, per child", entity_count, 22, [&] { of_one.each(visit); });
    measure("(ChildOf,p) uncached, two tables in turn, per child", entity_count, 22,
            [&] { of_two.each(visit); });
    measure("Position, (ChildOf,p) uncached, two tables in turn, per child", entity_count, 30,
            [&] { with_value.each([](Position& position) { position.x += 1; }); });
}

// Tables with one row each, all of them and one of four shares.
void shares() {
    kith::world world;
    constexpr int tables = 1000;
    for (int i = 0; i < tables; ++i) {
        world.entity(Position{}, Velocity{}).add(world.entity());
    }
    auto move = [](Position& position, const Velocity& velocity) { position.x += velocity.x; };
    auto cached = world.query<Position, const Velocity>();
    auto plain = world.filter<Position, const Velocity>();
    measure("tables of 1 row, cached, per table", tables, 60, [&] { cached.each(move); });
    measure("... one of 4 shares", tables, 30, [&] { cached.worker(1, 4).each(move); });
    measure("tables of 1 row, uncached, per table", tables, 340, [&] { plain.each(move); });
    measure("... one of 4 shares, uncached", tables, 110, [&] { plain.worker(1, 4).each(move); });
}

void wildcard_queries() {
    kith::world world;
    kith::entity relation = world.entity();
    entity_ids targets(100);
    for (kith::entity_t& target : targets) {
        target = world.entity();
    }
    for (int i = 0; i < entity_count; ++i) {
        world.entity().add(relation, targets[static_cast<std::size_t>(i) % targets.size()]);
    }
    int matches = static_cast<int>(targets.size());
    auto cached = world.query_builder().with(relation, kith::Wildcard).build();
    auto plain = world.filter_builder().with(relation, kith::Wildcard).build();
    measure("(R,*) cached, per match", matches, 50,
            [&] { cached.iter([](kith::iter& it) { use(it.id(1)); }); });
    measure("(R,*) uncached, per match", matches, 110,
            [&] { plain.iter([](kith::iter& it) { use(it.id(1)); }); });
}

void searches() {
    kith::world world;
    kith::entity parent = world.entity(Velocity{});
    for (int i = 1; i < entity_count; ++i) {
        kith::entity child = world.entity(Position{}).child_of(parent);
        parent = i % 200 == 0 ? child : parent;
    }
    auto query = world.filter_builder<Position, const Velocity>().arg(2).parent().build();
    measure("up, 50 levels, per entity", entity_count - 1, 60,
            [&] { query.each([](Position& p, const Velocity& v) { p.x += v.x; }); });
}

struct Key {
    int value = 0;
};

int compare_keys(kith::entity_t, const Key* a, kith::entity_t, const Key* b) {
    return (a->value > b->value) - (a->value < b->value);
}

void sorted() {
    kith::world world;
    entity_ids ids(entity_count);
    unsigned state = 1;
    auto random = [&] { return static_cast<int>((state = state * 1664525 + 1013904223) >> 2); };
    for (kith::entity_t& id : ids) {
        id = world.entity(Key{random()});
    }
    auto query = world.query_builder<const Key>().order_by<Key>(compare_keys).build();
    auto change = [&] {
        for (int i = 0; i < entity_count / 100; ++i) {
            const auto at = static_cast<std::size_t>(random()) % ids.size();
            handle(world, ids[at]).set(Key{random()});
        }
    };
    measure(
        "sort, 1 % of 10k changed, per entity", entity_count, 60,
        [&] { query.each([](const Key& key) { use(key.value); }); }, change);
}

// Each row is in a table of its own.
void sorted_small_tables() {
    kith::world world;
    for (int i = 0; i < entity_count; ++i) {
        world.entity(Key{i * 7919 % entity_count}).add(world.entity());
    }
    auto query = world.query_builder<const Key>().order_by<Key>(compare_keys).build();
    measure("sorted, tables of one row, per row", entity_count, 250,
            [&] { query.each([](const Key& key) { use(key.value); }); });
}

// A tree of 10,000 nodes, one of which has moved.
void moved_nodes() {
    kith::world world;
    entity_ids nodes;
    for (int i = 0; i < entity_count; ++i) {
        kith::entity made = world.entity(Position{}, Velocity{});
        if (i >= 10) {
            made.child_of(nodes[static_cast<std::size_t>(i) / 10]);
        }
        nodes.push_back(made);
    }
    auto query = world.query_builder<const Position, Velocity, const Velocity*>()
                     .arg(3)
                     .parent()
                     .cascade()
                     .build();
    auto place = [&] {
        query.each_changed([](const Position& own, Velocity& here, const Velocity* parent) {
            here.x = own.x + (parent ? parent->x : 0);
        });
    };
    place();
    measure("each_changed, 1 of 10k nodes moved", 1, 20000, place, [&] {
        handle(world, nodes.back()).set<Position>({1, 2, 3});
    });
}

void changes() {
    constexpr int tables = 1'000;
    kith::world world;
    for (int i = 0; i < tables; ++i) {
        world.entity(Position{}).add(world.entity());
    }
    auto query = world.query<const Position>();
    auto scan = [&] {
        int changed = 0;
        query.iter([&](kith::iter& it) { changed += it.changed(); });
        use(changed);
    };
    scan();  // asks for the first time: what follows is counted
    scan();
    measure("change scan, per table", tables, 25, scan);
}

void groups() {
    constexpr int group_count = 1'000;
    kith::world world;
    kith::entity relation = world.entity();
    entity_ids targets(group_count);
    for (kith::entity_t& target : targets) {
        target = world.entity();
        world.entity(Position{}).add(relation, target);
    }
    auto query = world.query_builder<Position>().group_by(relation).build();
    measure("one group of 1k", group_count, 200, [&] {
        for (kith::entity_t target : targets) {
            query.iter().set_group(target).each([](Position& p) { p.x += 1; });
        }
    });
}

// What an observer adds is the difference to the same operation without one, above.
void observers() {
    kith::world world;
    world.component<Mark>();
    entity_ids ids(entity_count);
    for (kith::entity_t& id : ids) {
        id = world.entity(Position{});
    }
    int calls = 0;
    auto count = [&](kith::entity) { ++calls; };
    auto add = [&] {
        for (kith::entity_t id : ids) {
            handle(world, id).add<Mark>();
        }
    };
    auto set = [&] {
        for (kith::entity_t id : ids) {
            handle(world, id).set<Position>({1, 2, 3});
        }
    };
    auto remove = [&] {
        for (kith::entity_t id : ids) {
            handle(world, id).remove<Mark>();
        }
    };
    world.observer<>().with<Mark>().event(kith::OnAdd).each(count);
    measure("add a tag, with an OnAdd observer", entity_count, 330, add, remove);
    world.observer<Position>().event(kith::OnSet).each(count);
    measure("set a component, with an OnSet observer", entity_count, 145, set);
    world.observer<Position>().event(kith::OnSet).each(count);
    measure("set a component, with two OnSet observers", entity_count, 175, set);
}

std::string repeated(const std::string& text, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) {
        all += text;
    }
    return all;
}

// What hostile or odd texts cost, per part of the text: the same at both sizes.
void texts() {
    const auto load = [](const std::string& text) {
        return [text] {
            kith::world world;
            use(kith::load_text(world, text).facts);
        };
    };
    for (const int size : {1'000, 10'000}) {
        const std::string behind = ", " + std::to_string(size / 1'000) + "k";
        const std::string open = repeated("A<", size);
        measure(("check A<A<A<…, per A<" + behind).c_str(), size, 60,
                [&] { use(kith::check_text(open).size()); });
        const std::string deep = repeated("n {", size) + repeated("x: T }", size);
        measure(("load nested blocks, per block" + behind).c_str(), size, 30000, load(deep));
        std::string names = repeated("n {", size);
        for (int i = 0; i < size; ++i) {
            names += "T(y" + std::to_string(i) + ")\n";
        }
        names += repeated("}", size);
        measure(("load names inside of nested blocks, per name" + behind).c_str(), size, 40000,
                load(names));
        std::string used;
        for (int i = 0; i < size; ++i) {
            const std::string number = std::to_string(i);
            used += "U" + number + " {}\nusing U" + number + "\nx" + number + ": T\n";
        }
        measure(("load with scopes in use, per scope" + behind).c_str(), size, 20000, load(used));
        const std::string path = "a" + repeated(".a", size);
        measure(("entity(path), per element" + behind).c_str(), size, 9000, [&] {
            kith::world world;
            use(world.entity(path.c_str()).id());
        });
    }
}

// The same calls through C++ and through <kith/kith.h>: `C++: x` and `C: x`, which
// bench/instructions --boundary compares.
void c_functions() {
    kith::world world;
    kith::entity tag = world.entity("Tag"), likes = world.entity("Likes"),
                 bob = world.entity("Bob");
    kith_component_desc_t local_desc{};
    local_desc.name = "Local";
    local_desc.size = local_desc.alignment = 4;
    local_desc.local = true;
    const kith_entity_t local = kith_component_init(world, &local_desc);
    const kith_id_t position = kith::type_id<Position>();
    const Position value{1, 2, 3};
    const float number = 1;
    entity_ids ids(entity_count);
    for (kith::entity_t& id : ids) {
        id = world.entity().set(Position{1, 2, 3}).add(tag).add(likes, bob).id();
        kith_set_id(world, id, local, sizeof number, &number);
    }
    kith_set_name(world, ids[0], "first");
    auto each = [&](const char* name, double goal, auto&& call) {
        measure(name, entity_count, goal, [&] {
            for (kith::entity_t id : ids) {
                use(call(id));
            }
        });
    };
    auto in_cpp = [&](const char* name, auto&& call) {
        each(name, 600, [&](kith_entity_t e) { return call(handle(world, e)); });
    };
    in_cpp("C++: is_alive", [](kith::entity e) { return e.is_alive(); });
    in_cpp("C++: get", [](kith::entity e) { return e.get<Position>(); });
    in_cpp("C++: has tag", [&](kith::entity e) { return e.has(tag); });
    in_cpp("C++: has pair", [&](kith::entity e) { return e.has(likes, bob); });
    in_cpp("C++: set by pointer", [&](kith::entity e) {
        e.set_ptr(position, sizeof value, &value);
        return 0;
    });
    in_cpp("C++: get_mut", [](kith::entity e) { return e.get_mut<Position>(); });
    in_cpp("C++: first target", [&](kith::entity e) { return e.target(likes).id(); });
    in_cpp("C++: name", [&](kith::entity) { return handle(world, ids[0]).name().c_str(); });
    in_cpp("C++: add + remove tag", [](kith::entity e) {
        e.add(kith::Prefab);
        return e.remove(kith::Prefab).id();
    });
    in_cpp("C++: new + delete", [&](kith::entity) {
        world.entity().destruct();
        return 0;
    });
    each("C: is_alive", 40, [&](kith_entity_t e) { return kith_is_alive(world, e); });
    each("C: get", 78, [&](kith_entity_t e) { return kith_get_id(world, e, position); });
    each("C: get, local", 90, [&](kith_entity_t e) { return kith_get_id(world, e, local); });
    each("C: has tag", 115, [&](kith_entity_t e) { return kith_has_id(world, e, tag); });
    each("C: has pair", 120, [&](kith_entity_t e) { return kith_has_pair(world, e, likes, bob); });
    each("C: set by pointer", 170,
         [&](kith_entity_t e) { return kith_set_id(world, e, position, sizeof value, &value); });
    each("C: get_mut", 172, [&](kith_entity_t e) { return kith_get_mut_id(world, e, position); });
    each("C: first target", 115,
         [&](kith_entity_t e) { return kith_get_target(world, e, likes, 0); });
    each("C: name", 145, [&](kith_entity_t) { return kith_get_name(world, ids[0]); });
    each("C: add + remove tag", 625, [&](kith_entity_t e) {
        kith_add_id(world, e, KithPrefab);
        return kith_remove_id(world, e, KithPrefab);
    });
    each("C: new + delete", 200,
         [&](kith_entity_t) { return kith_delete(world, kith_new(world)); });
}

// Runs over 101 tables of one row, by next() in both languages.
void c_runs() {
    kith::world world;
    for (int i = 0; i < 101; ++i) {
        world.entity().set(Position{1, 2, 3}).add(world.entity());
    }
    const kith::filter<> uncached = world.filter<Position>();
    const kith::filter<> cached = world.query<Position>();
    auto both = [&](const kith::filter<>& query, const char* in_cpp, const char* in_c,
                    double goal) {
        measure(in_cpp, 101, goal, [&] {
            auto run = query.iter();
            while (run.next()) {
                use(run->field<const Position>(1)[0].x);
            }
        });
        measure(in_c, 101, goal + 45, [&] {
            kith_iter_t it;
            kith_query_iter(world, query.ref().get(), &it);
            while (kith_iter_next(&it)) {
                use(kith_field(&it, Position, 1)->x);
            }
        });
    };
    both(cached, "C++: table of a cached run", "C: table of a cached run", 240);
    both(uncached, "C++: table of a run", "C: table of a run", 305);
    world.entity().set(Velocity{1, 2, 3});
    const kith::filter<> single = world.query<Velocity>();
    measure("C++: run over one table", 1000, 670, [&] {
        for (int i = 0; i < 1000; ++i) {
            auto run = single.iter();
            while (run.next()) {
                use(run->field<const Velocity>(1)[0].x);
            }
        }
    });
    measure("C: run over one table", 1000, 790, [&] {
        for (int i = 0; i < 1000; ++i) {
            kith_iter_t it;
            kith_query_iter(world, single.ref().get(), &it);
            while (kith_iter_next(&it)) {
                use(kith_field(&it, Velocity, 1)->x);
            }
        }
    });
}

// Frames: systems with one match, without a match, with a timer that is not due.
void systems() {
    constexpr int frames = 100;
    constexpr int system_count = 1000;
    auto run_frames = [](kith::world& world) {
        for (int i = 0; i < frames; ++i) {
            world.progress(1);
        }
    };
    {
        kith::world world;
        world.system("Once").kind(kith::OnStart).each([] {});
        measure("frame without systems", frames, 300, [&] { run_frames(world); });
    }
    auto measure_many = [&](const char* name, int operations, double goal, auto&& make) {
        kith::world world;
        world.component<Mark>();
        world.entity(Position{}, Velocity{});
        for (int i = 0; i < system_count; ++i) {
            make(world);
        }
        measure(name, operations, goal, [&] { run_frames(world); });
    };
    measure_many("tiny system, one match", frames * system_count, 140, [](kith::world& world) {
        world.system<Position, const Velocity>().each(
            [](Position& p, const Velocity& v) { p.x += v.x; });
    });
    measure_many("frame of 1,000 systems that match nothing", frames, 600, [](kith::world& world) {
        world.system<SparseValue, const Velocity>().with<Mark>().each(
            [](SparseValue& value, const Velocity& v) { value.value += v.x; });
    });
    measure_many("frame of 1,000 disabled systems", frames, 600, [](kith::world& world) {
        world.system<Position>().each([](Position& p) { p.x += 1; }).disable();
    });
    measure_many("frame of 1,000 systems with timers, none due", frames, 40000,
                 [](kith::world& world) {
                     world.system<Position>().interval(1e6f).each([](Position& p) { p.x += 1; });
                 });
}

}  // namespace

static void all_operations(bool boundary_only) {
    c_functions();
    c_runs();
    if (boundary_only) {
        return;
    }
    create_and_delete();
    add_and_remove(false);
    add_and_remove(true);
    access();
    defer();
    tables();
    names();
    inherit();
    sparse_pairs();
    tree();
    prefabs();
    queries();
    filtered_children();
    shares();
    wildcard_queries();
    searches();
    sorted();
    sorted_small_tables();
    changes();
    moved_nodes();
    groups();
    observers();
    systems();
    texts();
    value_operations();
}

}  // namespace bench

int main(int argc, char** argv) {
    bench::all_operations(argc > 1 && std::string(argv[1]) == "boundary");
}
