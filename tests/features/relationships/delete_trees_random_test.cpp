// Two worlds run the same random program of trees that grow, move and end. Entities of one world
// have plain bytes, so that large parts of a tree end in one step; those of the other have values
// with destructors, so that entities end one by one. All that programs can see is the same: events,
// the order of children, names, results of queries and monitors, and the ids of later entities.
// KITH_SEED=n takes a seed of your own, KITH_SEEDS=n as many that follow the last one.
#include <kith/kith.hpp>
#include <kith/snapshot.hpp>

#include "support/random_programs.hpp"

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

struct Position {
    int x = 0;
    int y = 0;
};
struct Velocity {
    int x = 0;
    int y = 0;
};
struct Label {
    std::string text;
};
// The values that decide how entities end.
struct Light {
    int number = 0;
};
struct Heavy {
    std::string text = "a text that is too long to lie in place";
};
struct Marked {};
struct Far {
    int number = 0;
};

struct taken_state {
    kith::snapshot state;
    std::vector<kith::entity> nodes;
};

// One of the two worlds. `shape` decides about properties and listeners.
class side {
public:
    side(bool is_heavy, unsigned shape) : heavy(is_heavy) {
        world.component<Light>();
        world.component<Heavy>();
        world.component<Position>();
        world.component<Velocity>();
        world.component<Label>();
        world.component<Marked>();
        world.component<Far>().add(kith::Sparse);
        if (shape % 8 == 1) {
            world.entity(kith::ChildOf).add(kith::OnDeleteTarget, kith::Remove);
        }
        likes = world.entity();
        links = world.entity().add(kith::Sparse);
        ends = world.entity().add(kith::OnDeleteTarget, kith::Delete);
        if (shape % 2 != 0) {
            ends.add(kith::Sparse);
        }
        prefab = world.prefab("Model").set(Position{7, 7});
        for (int i = 0; i < 3; ++i) {
            weigh(world.prefab().child_of(prefab).set(Velocity{i, i}));
        }
        if (shape % 3 == 0) {
            listen();
        }
        if (shape % 5 == 0) {
            watch = world.query("Position, !Velocity").monitor([this](kith::iter& it) {
                for (std::size_t row : it) {
                    note(it.event() == kith::OnAdd ? "enters" : "leaves", it.entity(row));
                }
            });
        }
        by_depth = world.query("Position, ?Velocity(cascade ChildOf)");
        with_position = world.query<const Position>();
    }
    side(const side&) = delete;
    side& operator=(const side&) = delete;

    void weigh(kith::entity one) const {
        if (heavy) {
            one.set(Heavy{});
        } else {
            one.set(Light{1});
        }
    }
    kith::entity create(const kith::entity& parent) {
        kith::entity made = world.entity();
        if (parent) {
            made.child_of(parent);
        }
        weigh(made);
        made.set(Position{static_cast<int>(nodes.size()), 0});
        nodes.push_back(made);
        return made;
    }
    void note(const char* event, const kith::entity& subject) {
        log += std::string(event) + " " + std::to_string(kith::index_of(subject.id())) + "\n";
    }

    bool heavy;
    std::string log;  // outlives the world, whose end is notified as well
    kith::world world;
    kith::entity likes, links, ends, prefab;
    std::vector<kith::entity> nodes;
    std::vector<taken_state> states;
    kith::monitor watch;
    kith::query<> by_depth;
    kith::query<const Position> with_position;

private:
    void listen() {
        world.observer<Velocity>().event(kith::OnRemove).each([this](kith::entity e, Velocity&) {
            note("loses Velocity", e);
            kith::entity parent = e.parent();
            if (parent && parent.is_alive()) {
                parent.add<Marked>();
            }
        });
        world.observer()
            .with(kith::ChildOf, kith::Wildcard)
            .event(kith::OnRemove)
            .each([this](kith::entity e) { note("loses its parent", e); });
        world.observer<Position>()
            .without<Marked>()
            .event(kith::OnRemove)
            .each([this](kith::entity e, Position&) { note("ends", e); });
    }
};

class program {
public:
    explicit program(std::uint64_t seed)
        : random_(static_cast<std::uint32_t>(seed)),
          light_(false, static_cast<unsigned>(seed)),
          heavy_(true, static_cast<unsigned>(seed)) {
        for (int i = 0; i < 4; ++i) {
            grow();
        }
    }

    void run(int steps) {
        for (int i = 0; i < steps; ++i) {
            step();
            compare();
        }
    }

private:
    std::size_t pick(std::size_t below) { return random_() % below; }
    bool one_in(std::size_t n) { return pick(n) == 0; }
    template <class Action>
    void both(Action&& action) {
        action(light_);
        action(heavy_);
    }
    std::size_t size() const { return light_.nodes.size(); }
    bool lives(std::size_t number) const { return light_.nodes[number].is_alive(); }
    std::size_t some() {
        std::size_t number = pick(size());
        for (std::size_t i = 0; i < size() && !lives(number); ++i) {
            number = (number + 1) % size();
        }
        return number;
    }

    // A tree of many entities, most of which are alike.
    void grow() {
        const bool has_parent = size() != 0 && !one_in(4) && lives(some());
        const std::size_t parent = has_parent ? some() : 0;
        const std::size_t first = size();
        const std::size_t count = one_in(3) ? 1 + pick(5) : 10 + pick(200);
        const std::size_t breadth = 1 + pick(12);
        const std::size_t rare = 2 + pick(40);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t above = i == 0 ? parent : first + (i - 1) / breadth;
            both([&](side& one) {
                one.create(i == 0 && !has_parent ? kith::entity() : one.nodes[above]);
            });
            if (one_in(3)) {
                both([&](side& one) { one.nodes.back().set(Velocity{1, 2}); });
            }
            if (one_in(rare)) {
                decorate(size() - 1);
            }
        }
    }
    void decorate(std::size_t number) {
        const std::size_t other = some();
        const std::size_t kind = pick(12);
        if (!lives(number) || !lives(other)) {
            return;
        }
        both([&](side& one) {
            kith::entity node = one.nodes[number];
            switch (kind) {
                case 0:
                    node.set(Label{"a label that is too long to lie in place"});
                    break;
                case 1:
                    node.set_name(("node" + std::to_string(number)).c_str());
                    break;
                case 2:
                    node.set(Far{static_cast<int>(number)});
                    break;
                case 3:
                    node.add(one.likes, one.nodes[other]);
                    break;
                case 4:
                    node.add(one.links, one.nodes[other]);
                    break;
                case 5:
                    node.add(one.ends, one.nodes[other]);
                    break;
                case 6:
                    node.enabled<Position>() ? node.disable<Position>() : node.enable<Position>();
                    break;
                case 7:
                    node.is_a(one.prefab);
                    break;
                case 8:
                    node.add<Marked>();
                    break;
                case 9:
                    node.remove<Velocity>();
                    break;
                case 10:
                    node.remove(kith::ChildOf, kith::Wildcard);
                    break;
                default:
                    node.disable();
                    break;
            }
        });
    }
    void move(std::size_t number, std::size_t below) {
        both([&](side& one) {
            for (kith::entity at = one.nodes[below]; at; at = at.parent()) {
                if (at == one.nodes[number]) {
                    return;
                }
            }
            one.nodes[number].child_of(one.nodes[below]);
        });
    }

    void step() {
        const std::size_t one_of = some();
        const std::size_t other = some();
        if (!lives(one_of) || !lives(other)) {
            grow();
            return;
        }
        switch (pick(12)) {
            case 0:
            case 1:
                if (size() < 3'000) {
                    grow();
                }
                break;
            case 2:
            case 3:
                move(one_of, other);
                break;
            case 4:
                decorate(one_of);
                break;
            case 5:
            case 6:
            case 7:
                both([&](side& one) { one.nodes[one_of].destruct(); });
                break;
            case 8:
                both([&](side& one) {
                    try {
                        one.world.defer([&] {
                            one.nodes[other].set(Velocity{3, 3});
                            one.nodes[one_of].destruct();
                            one.create(one.nodes[other]);
                            one.nodes[other].destruct();
                        });
                    } catch (const kith::error& refused) {
                        one.log += refused.what();  // the parent ended with one of its own
                    }
                });
                break;
            case 9:
                both([&](side& one) { one.world.delete_with(kith::ChildOf, one.nodes[one_of]); });
                break;
            case 10:
                both([&](side& one) {
                    one.states.push_back({one.world.snapshot().take(), one.nodes});
                });
                break;
            default: {
                const std::size_t which = pick(4);
                both([&](side& one) {
                    if (!one.states.empty()) {
                        const taken_state& then = one.states[which % one.states.size()];
                        then.state.restore();
                        one.nodes = then.nodes;
                    }
                });
                break;
            }
        }
    }

    // All that can be seen of the entities of a side.
    static std::string dump(side& one) {
        std::string text = one.log;
        for (const kith::entity& node : one.nodes) {
            text += std::to_string(node.id());
            if (!node.is_alive()) {
                text += " ended\n";
                continue;
            }
            const Position* place = node.get<Position>();
            text += " " + std::string(node.path()) + " at " + std::to_string(place->x) + ":";
            node.children([&](kith::entity child) { text += " " + std::to_string(child.id()); });
            text += "\n";
        }
        return text + results_of(one);
    }
    // Sorted, because tables without rows are put aside at other moments.
    static std::string results_of(side& one) {
        std::vector<kith::entity_t> found;
        one.with_position.each([&](kith::entity e, const Position&) { found.push_back(e.id()); });
        std::sort(found.begin(), found.end());
        std::size_t ranked = 0;
        one.by_depth.each([&](kith::entity) { ++ranked; });
        std::string text = std::to_string(ranked) + " by depth;";
        for (const kith::entity_t id : found) {
            text += " " + std::to_string(id);
        }
        return text + "; " + std::to_string(one.world.count<Velocity>()) + ", " +
               std::to_string(one.world.count<Far>());
    }
    void compare() {
        both([](side& one) { one.world.check(); });
        REQUIRE(dump(light_) == dump(heavy_));
        both([](side& one) { one.log.clear(); });
    }

    std::mt19937 random_;
    side light_;
    side heavy_;
};

}  // namespace

TEST_SUITE("features.relationships.delete_trees_random") {
    // spec 74
    TEST_CASE("trees of plain values end like trees of values with destructors") {
        for (const std::uint64_t seed : random_programs::chosen_seeds(16)) {
            CAPTURE(seed);
            program random(seed);
            random.run(40);
        }
    }
}
