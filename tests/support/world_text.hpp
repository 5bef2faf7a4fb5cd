// For tests of worlds as text: random worlds and texts, and what must be equal after a world was
// saved and loaded, when ids are others.
#pragma once

#include <kith/kith.hpp>

#include "support/world_dump.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace kith_test {

inline std::string names_of(const std::vector<kith::entity>& entities) {
    std::string all;
    for (const kith::entity& one : entities) {
        all += all.empty() ? "" : " ";
        all += one.path().c_str();
    }
    return all;
}

inline std::vector<kith::entity> sources_in_order(const kith::entity& target,
                                                  const kith::entity& relation) {
    std::vector<kith::entity> sources;
    target.each_source(relation, [&](kith::entity source) { sources.push_back(source); });
    return sources;
}

// False if an entity is older than its parent or than a sibling before it: then text cannot keep
// both the order of children and that of ids.
inline bool ids_follow_tree(const kith::world& world) {
    bool follow = true;
    const std::size_t count = world.stats().entities;
    std::size_t found = 0;
    for (std::uint32_t index = 1; found < count; ++index) {
        const kith::entity e = world.get_alive(index);
        found += e ? 1 : 0;
        std::uint32_t last = index;
        if (e && index >= kith::first_entity) {
            e.children([&](kith::entity child) {
                follow = follow && kith::index_of(child) > last;
                last = kith::index_of(child);
            });
        }
    }
    return follow;
}

// Ids of named entities by names, children, targets and sparse sources in their order. One line
// per entity, by path. `saved`: without what is transient, as text leaves it out.
inline std::string dump_facts(const kith::world& world, bool targets_in_order = true,
                              bool saved = false) {
    std::map<std::string, std::string> lines;
    std::size_t found = 0;
    const std::size_t count = world.stats().entities;
    for (std::uint32_t index = 1; found < count; ++index) {
        const kith::entity e = world.get_alive(index);
        found += e ? 1 : 0;
        if (!e || e.name().empty()) {
            continue;
        }
        std::vector<std::string> parts;
        std::map<std::string, std::vector<kith::entity>> targets;
        e.each([&](const kith::id& id) {
            if (saved && (id.is_pair() ? id.first() : id.entity()).owns(kith::Transient)) {
                return;
            }
            parts.push_back(id.str().c_str());
            if (!id.is_pair()) {
                return;
            }
            const bool sparse = id.first().owns(kith::Sparse) || id.first().owns(kith::Union);
            if (sparse) {
                parts.push_back(std::string(id.str().c_str()) + " of " +
                                names_of(sources_in_order(id.second(), id.first())));
            } else if (targets_in_order) {
                targets[id.first().path().c_str()].push_back(id.second());
            }
        });
        for (const auto& [relation, list] : targets) {
            parts.push_back(relation + " to " + names_of(list));
        }
        std::sort(parts.begin(), parts.end());
        std::string& line = lines[e.path().c_str()];
        for (const std::string& part : parts) {
            line += "\n    " + part;
        }
        line +=
            "\n    children " + names_of(sources_in_order(e, kith::entity(world, kith::ChildOf)));
    }
    std::string all;
    for (const auto& [path, line] : lines) {
        all += path + line + '\n';
    }
    return all;
}

// Everything that can be seen of a world, ids and orders too.
inline std::string dump_all(const kith::world& world) {
    return dump_world(world) + dump_facts(world);
}

// Makes worlds of a few kinds, relationships and things, by calls of which the world refuses some.
class random_facts {
public:
    explicit random_facts(std::uint64_t seed) : random_(seed) {}

    void grow(kith::world& world, int steps) {
        for (int i = 0; i < 6; ++i) {
            world.entity(relation_name(i).c_str());
            world.entity(thing_name(i).c_str());
        }
        for (int i = 0; i < steps; ++i) {
            try {
                change(world);
            } catch (const kith::error&) {
                // It is as before.
            }
        }
    }

    // Statements about entities that a grown world may have, and new ones.
    std::string text(int statements) {
        std::string all;
        for (int i = 0; i < statements; ++i) {
            all += statement();
        }
        return all;
    }
    std::string statement() {
        switch (below(8)) {
            case 0:
                return relation() + ": " + property() + "\n";
            case 1:
                return relation() + "(" + thing() + ", " + thing() + ")\n";
            case 2:
                return thing() + ": (ChildOf, " + thing() + ")\n";
            case 3:
                return thing() + ": " + (chance(50) ? "Prefab" : "(IsA, " + thing() + ")") + "\n";
            case 4:
                return thing() + ": (SlotOf, " + thing() + ")\n";
            case 5:
                return thing() + " {\n" + statement() + statement() + "}\n";
            default:
                return thing() + ": " + (chance(50) ? thing() + ", " : "") + "(" + relation() +
                       ", " + thing() + ")\n";
        }
    }

    // Facts that no world refuses, written carelessly.
    std::string layout_text(int statements) {
        std::string all;
        for (int i = 0; i < statements; ++i) {
            const std::string gap = chance(30) ? " // note\n" : chance(30) ? "\n\n" : " ";
            switch (below(5)) {
                case 0:
                    all += thing() + " : " + thing() + " ," + gap + "( r1 ,  " + thing() + ")";
                    break;
                case 1:
                    all += "r2(" + gap + thing() + "," + gap + "e3 )";
                    break;
                case 2:
                    all += thing() + gap + "{" + gap + thing() + ": t1;t2( e5)" + gap + "}";
                    break;
                case 3:
                    all += "// alone";
                    break;
                default:
                    all += thing() + "{}";
                    break;
            }
            all += chance(30) ? " // behind\n" : "\n";
        }
        return all;
    }

    std::size_t below(std::size_t limit) { return random_() % limit; }
    bool chance(std::size_t percent) { return below(100) < percent; }

private:
    static std::string relation_name(int i) { return "r" + std::to_string(i); }
    static std::string thing_name(int i) { return "e" + std::to_string(i); }
    std::string relation() { return relation_name(static_cast<int>(below(6))); }
    std::string thing() {
        static constexpr const char* odd[] = {"\"a b\"", "::Tag", "e1.e2", "::e0"};
        return chance(10) ? odd[below(4)] : thing_name(static_cast<int>(below(10)));
    }
    std::string property() {
        static constexpr const char* all[] = {"Exclusive",
                                              "Symmetric",
                                              "Sparse",
                                              "Union",
                                              "Acyclic",
                                              "Transitive",
                                              "Reflexive",
                                              "Traversable",
                                              "Final",
                                              "DontInherit",
                                              "Tag",
                                              "OneOf",
                                              "Transient",
                                              "Relationship",
                                              "(OnDelete, Remove)",
                                              "(OnDeleteTarget, Delete)"};
        switch (below(8)) {
            case 0:
                return "(With, " + relation() + ")";
            case 1:
                return "(OneOf, " + thing() + ")";
            default:
                return all[below(std::size(all))];
        }
    }

    kith::entity any(const kith::world& world) {
        std::vector<kith::entity> all;
        const std::size_t count = world.stats().entities;
        std::size_t found = 0;
        for (std::uint32_t index = 1; found < count; ++index) {
            const kith::entity e = world.get_alive(index);
            found += e ? 1 : 0;
            if (e && index >= kith::first_entity) {
                all.push_back(e);
            }
        }
        return all[below(all.size())];
    }
    kith::entity some_relation(const kith::world& world) {
        return world.entity(relation().c_str());
    }

    void change(kith::world& world) {
        kith::entity e = any(world);
        switch (below(16)) {
            case 0:
            case 1: {
                const kith::entity scope =
                    world.set_scope(chance(60) ? any(world) : kith::entity());
                try {
                    world.entity(thing_name(static_cast<int>(below(10))).c_str());
                } catch (const kith::error&) {}
                world.set_scope(scope);
                break;
            }
            case 2:
            case 3:
                e.child_of(any(world));
                break;
            case 4:
            case 5:
                declare(world);
                break;
            case 6:
                e.add(any(world));
                break;
            case 7:
                e.add(kith::Prefab);
                break;
            case 8:
                e.is_a(any(world));
                break;
            case 9:
                e.slot_of(any(world));
                break;
            case 10:
                e.remove(some_relation(world), any(world));
                break;
            case 11:
                if (chance(30)) {
                    e.destruct();
                }
                break;
            default:
                e.add(some_relation(world), any(world));
                break;
        }
    }
    void declare(kith::world& world) {
        constexpr kith::entity_t properties[] = {
            kith::Exclusive, kith::Symmetric,   kith::Sparse,     kith::Union,
            kith::Acyclic,   kith::Final,       kith::Transitive, kith::Traversable,
            kith::Tag,       kith::Reflexive,   kith::OneOf,      kith::DontInherit,
            kith::Transient, kith::Relationship};
        kith::entity r = some_relation(world);
        switch (below(6)) {
            case 0:
                r.add(kith::With, some_relation(world));
                break;
            case 1:
                r.add(kith::OneOf, any(world));
                break;
            case 2:
                r.add(kith::OnDeleteTarget, chance(50) ? kith::Delete : kith::Remove);
                break;
            default:
                r.add(properties[below(std::size(properties))]);
                break;
        }
    }

    std::mt19937_64 random_;
};

}  // namespace kith_test
