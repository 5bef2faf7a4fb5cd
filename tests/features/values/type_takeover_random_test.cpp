// Random declared types that a C++ type takes over, against a world that has used the C++ type from
// the start: both have the same values after random writes, and write the same JSON, texts and
// files. KITH_SEED=n takes a seed of your own, KITH_SEEDS=n as many that follow the last one.
#include <kith/json.hpp>
#include <kith/kith.hpp>
#include <kith/reflect.hpp>
#include <kith/save.hpp>
#include <kith/snapshot.hpp>
#include <kith/value.hpp>
#include <kith/world_text.hpp>

#include "support/random_programs.hpp"

#include <cstdint>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace takeover {

struct Small {
    std::int8_t a;
    std::int64_t b;
    bool c;
};
struct Texts {
    std::string first;
    char fixed[12];
    std::string second;
    float weight;
};
struct Inner {
    std::uint16_t n;
    std::string label;
};
struct Nested {
    Inner inner;
    double d;
    std::int32_t many[4];
    kith::handle who;
};
struct Counted {
    std::uint32_t value = 0;
    Counted() = default;
    Counted(const Counted& other) : value(other.value) {}
    Counted& operator=(const Counted& other) {
        value = other.value;
        return *this;
    }
    static void describe(kith::describer<Counted>& to) { to.member("value", &Counted::value); }
};

}  // namespace takeover

namespace {

using random_source = std::mt19937;

std::uint32_t below(random_source& random, std::uint32_t limit) {
    return std::uniform_int_distribution<std::uint32_t>(0, limit - 1)(random);
}

std::string random_text(random_source& random) {
    return std::string(below(random, 40), static_cast<char>('a' + below(random, 26)));
}

// A type in both forms, and the paths that random writes use.
struct twin {
    const char* name;
    void (*declare)(kith::world& world);
    kith::entity (*use)(kith::world& world);
    void (*write)(const kith::entity& e, kith::entity_t id, random_source& random);
};

template <class T>
kith::entity use(kith::world& world) {
    return world.component<T>();
}

const twin twins[] = {
    {"takeover::Small",
     [](kith::world& world) {
         world.component("takeover::Small")
             .member<std::int8_t>("a")
             .member<std::int64_t>("b")
             .member<bool>("c");
     },
     use<takeover::Small>,
     [](const kith::entity& e, kith::entity_t id, random_source& random) {
         kith::edit(e, id)
             .set("a", static_cast<int>(below(random, 100)))
             .set("b", std::int64_t{below(random, 1u << 31)} << 20)
             .set("c", below(random, 2) == 1);
     }},
    {"takeover::Texts",
     [](kith::world& world) {
         world.component("takeover::Texts")
             .member(kith::String, "first")
             .member<char>("fixed", 12)
             .member(kith::String, "second")
             .member<float>("weight");
     },
     use<takeover::Texts>,
     [](const kith::entity& e, kith::entity_t id, random_source& random) {
         kith::edit(e, id)
             .set("first", random_text(random))
             .set("fixed", random_text(random).substr(0, 11))
             .set("weight", static_cast<float>(below(random, 1000)) / 8);
     }},
    {"takeover::Nested",
     [](kith::world& world) {
         const kith::entity inner = world.component("takeover::Inner")
                                        .member<std::uint16_t>("n")
                                        .member(kith::String, "label");
         world.component("takeover::Nested")
             .member(inner, "inner")
             .member<double>("d")
             .member<std::int32_t>("many", 4)
             .member(kith::Entity, "who");
     },
     [](kith::world& world) {
         world.component<takeover::Inner>();
         return kith::entity(world.component<takeover::Nested>());
     },
     [](const kith::entity& e, kith::entity_t id, random_source& random) {
         kith::edit(e, id)
             .set("inner.n", static_cast<int>(below(random, 1000)))
             .set("inner.label", random_text(random))
             .set("many[2]", static_cast<int>(below(random, 1000)))
             .set("who", e);
     }},
    {"takeover::Counted",
     [](kith::world& world) {
         world.component("takeover::Counted").member<std::uint32_t>("value");
     },
     use<takeover::Counted>,
     [](const kith::entity& e, kith::entity_t id, random_source& random) {
         kith::edit(e, id).set("value", below(random, 1000));
     }},
};

// One world of two, which has the type as declared, or as C++ type.
struct side {
    side(const twin& of, bool is_cpp, std::uint32_t traits) : type_name(of.name) {
        is_cpp ? void(of.use(world)) : of.declare(world);
        if (traits & 1) {
            type().add(kith::Sparse);
        }
        target = world.entity("Target");
        // Texts name tags in the order of their ids, which later entities would get from ended
        // ones.
        for (const char* name : {"tag0", "tag1", "tag2"}) {
            world.entity(name);
        }
        for (int i = 0; i < 12; ++i) {
            entities.push_back(world.entity(("e" + std::to_string(i)).c_str()));
        }
    }
    kith::entity type() const { return world.lookup(type_name); }
    kith::id_t id(bool is_pair) const {
        return is_pair ? kith::make_pair(type(), target) : kith::id_t{type()};
    }

    kith::world world;
    const char* type_name;
    kith::entity target;
    std::vector<kith::entity> entities;
};

void step(side& at, const twin& of, random_source random) {
    kith::entity e = at.entities[below(random, 12)];
    const kith::id_t id = at.id(below(random, 4) == 0);
    switch (below(random, 6)) {
        case 0:
        case 1:
        case 2:
            e.add(id);
            of.write(e, id, random);
            break;
        case 3:
            e.remove(id);
            break;
        case 4:
            e.add(at.type());
            below(random, 2) ? e.disable(at.type()) : e.enable(at.type());
            break;
        default:
            e.add(at.world.entity(("tag" + std::to_string(below(random, 3))).c_str()));
            break;
    }
}

std::string sorted_lines(const std::string& text) {
    std::multiset<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        lines.insert(line);
    }
    std::string all;
    for (const std::string& line : lines) {
        all += line + "\n";
    }
    return all;
}

// The order of rows is left out, and that of links, which decides where a text has them. Texts have
// no place for ids that are switched off: they are noted, and switched on again.
std::string contents(side& at) {
    std::string all;
    for (kith::entity& e : at.entities) {
        all += kith::to_json(e) + (e.enabled(at.type()) ? "\n" : " off\n");
        if (e.owns(at.type())) {
            e.enable(at.type());
        }
    }
    const bool has_links = at.type().has(kith::Sparse);
    return sorted_lines(all + (has_links ? std::string() : kith::save_text(at.world)));
}

// Empty, or the difference.
std::string run_program(std::uint64_t seed) {
    random_source random(static_cast<std::uint32_t>(seed));
    const twin& of = twins[below(random, std::size(twins))];
    const std::uint32_t traits = below(random, 2);
    side taken(of, false, traits);
    side program(of, true, traits);
    auto queried = taken.world.query(of.name);
    const std::uint32_t moment = below(random, 40);
    const bool restores = below(random, 4) == 0;
    for (std::uint32_t i = 0; i < 60; ++i) {
        if (i == moment) {
            kith::snapshot before = taken.world.snapshot().take();
            of.use(taken.world);
            if (restores) {
                before.restore();
            }
        }
        const random_source next(random());
        step(taken, of, next);
        step(program, of, next);
    }
    taken.world.check();
    if (queried.count() != program.world.query(of.name).count()) {
        return std::string(of.name) + ": a query from before has other results";
    }
    const std::string left = contents(taken);
    const std::string right = contents(program);
    if (left != right) {
        return std::string(of.name) + ":\n" + left + "\ninstead of\n" + right;
    }
    kith::world read;
    of.use(read);
    kith::load_from_string(read, kith::save_to_string(taken.world));
    const std::string file = sorted_lines(kith::save_text(read));
    return file == sorted_lines(kith::save_text(taken.world)) ? "" : "the file differs:\n" + file;
}

}  // namespace

// spec 523
TEST_SUITE("features.values.type_takeover_random") {
    TEST_CASE("a type that was taken over is like one that was there from the start") {
        // Only the worlds with declared types may describe them: the rest is by the process.
        kith::reflect<takeover::Small, takeover::Texts, takeover::Inner, takeover::Nested,
                      takeover::Counted>();
        for (const std::uint64_t seed : random_programs::chosen_seeds(60)) {
            INFO("seed ", seed);
            const std::string difference = run_program(seed);
            CHECK_MESSAGE(difference.empty(), difference);
        }
    }
}
