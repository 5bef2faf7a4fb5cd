// Loads and writes worlds as text and JSON, with each allocation of the program failing once:
// nothing is damaged, and a text that was refused has changed nothing, not even the ids of later
// entities. The same for a C++ type that takes the place of a declared one, for runs with constants
// of their own, and for indexes.
// spec 523, 549
#include <kith/aggregate.hpp>
#include <kith/json.hpp>
#include <kith/reflect.hpp>
#include <kith/world_text.hpp>

#include "support/world_text.hpp"

#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

namespace late {

struct Hull {
    float tons = 0;
    std::string label;
};

}  // namespace late

namespace {

long allocations_left = -1;  // before one fails; -1: none fails

constexpr const char* text =
    "enum Color : u8 { Red, Green = 4 }\n"
    "struct Item { name: text, weight: f32 = 1 (range: 0..100), owner: entity, slots: [i32; 4],\n"
    "              best: ?f32, prices: {text: f32}, shape: null | f32, color: Color = Green,\n"
    "              parts: [Item] }\n"
    "Bob {}\n"
    "Box: Item = {\"box\", owner: Bob, best: 1, prices: {a: 1}, parts: [{name: \"lid\"}]}\n"
    "game { struct Cargo { tons: f32 }\n Bell: Cargo = {64}, (Likes, Bob) }\n";
constexpr const char* json =
    R"({"kith":1, "types":["struct Hull { plates: i32 = 4, name: text }"], "entities":[)"
    R"({"entity":"Fleet.Bell", "tags":["Ship"], "components":{"Hull":{"name":"a long name of a ship"}},)"
    R"( "pairs":{"DockedTo":["Ceres"]}}, {"entity":"DockedTo", "tags":["Exclusive"]}]})";

// The same as a table of Flecs, and in chunks; into a world in use.
constexpr const char* table =
    R"({"results":[{"ids":[["Ship"], ["Likes", "Bob"]], "entities":["Bell", "Fleet.Ann", "#7"]}]})";
void read_in_chunks(kith::world& world) {
    kith::json_options options;
    options.unknown = kith::unknown_policy::keep;
    kith::json_reader reader(world, options);
    const std::string all =
        R"({"entities":[{"entity":"Box", "components":{"Item":{"weight":2, "a_new_member":[1]}, )"
        R"("A_component_that_nobody_has":{"x":1}}}]})";
    for (std::size_t at = 0; at < all.size(); at += 40) {
        reader.feed(std::string_view(all).substr(at, 40));
    }
    reader.finish();
}

// The ids of the next entities.
std::string next_ids(kith::world& world) {
    std::string ids;
    for (int i = 0; i < 6; ++i) {
        ids += std::to_string(world.entity().id()) + " ";
    }
    return ids;
}

// The number of times that something was left behind.
template <class Prepare, class Change>
int count_damage(const char* what, Prepare&& prepare, Change&& change) {
    int damaged = 0;
    for (long at = 0;; ++at) {
        kith::world world;
        prepare(world);
        const std::string before = kith_test::dump_all(world);
        bool failed = false;
        allocations_left = at;
        try {
            change(world);
        } catch (const std::bad_alloc&) {
            failed = true;
        } catch (const kith::error&) {
            failed = true;
        }
        allocations_left = -1;
        world.check();
        if (!failed) {
            return damaged;
        }
        kith::world untouched;
        prepare(untouched);
        if (kith_test::dump_all(world) != before || next_ids(world) != next_ids(untouched)) {
            std::printf("%s: allocation %ld left something behind\n", what, at);
            ++damaged;
        }
    }
}

}  // namespace

// Inlined, g++ would compare malloc() with operator delete.
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
    if (allocations_left >= 0 && allocations_left-- == 0) {
        throw std::bad_alloc();
    }
    const auto step = static_cast<std::size_t>(alignment);
    void* made = std::aligned_alloc(step, (size / step + 1) * step);
    if (!made) {
        throw std::bad_alloc();
    }
    return made;
}
[[gnu::noinline]] void* operator new(std::size_t size) {
    return ::operator new(size, std::align_val_t(16));
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return std::malloc(size ? size : 1);
}
// A sanitizer's own form would not call the form above, as that of the standard library does.
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment,
                                     const std::nothrow_t&) noexcept {
    try {
        return ::operator new(size, alignment);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}
[[gnu::noinline]] void operator delete(void* block) noexcept {
    std::free(block);
}
[[gnu::noinline]] void operator delete(void* block, std::size_t) noexcept {
    std::free(block);
}
[[gnu::noinline]] void operator delete(void* block, std::align_val_t) noexcept {
    std::free(block);
}
[[gnu::noinline]] void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
    std::free(block);
}

int main() {
    const auto nothing = [](kith::world&) {};
    const auto loaded = [](kith::world& world) { kith::load_text(world, text); };
    const auto many = [&](kith::world& world) {
        loaded(world);
        for (int i = 0; i < 80; ++i) {
            world.entity().add(world.lookup("Item"));
        }
    };
    int damaged = 0;
    damaged += count_damage("load_text", nothing, loaded);
    damaged += count_damage("from_json", nothing,
                            [](kith::world& world) { kith::from_json(world, json); });
    // Free ids with generations.
    const auto in_use = [&](kith::world& world) {
        loaded(world);
        const kith::entity first = world.entity();
        const kith::entity second = world.entity();
        world.entity();
        second.destruct();
        first.destruct();
    };
    damaged += count_damage("from_json into a world in use", in_use,
                            [](kith::world& world) { kith::from_json(world, json); });
    damaged += count_damage("from_json of a table", in_use,
                            [](kith::world& world) { kith::from_json(world, table); });
    damaged += count_damage("json_reader", in_use, read_in_chunks);
    damaged +=
        count_damage("save_text", loaded, [](kith::world& world) { kith::save_text(world); });
    damaged += count_damage("to_json", loaded, [](kith::world& world) { kith::to_json(world); });
    damaged +=
        count_damage("json_schema", loaded, [](kith::world& world) { kith::json_schema(world); });
    damaged += count_damage("aggregate", loaded, [](kith::world& world) {
        kith::aggregate(world.query("Item"), "Item.weight", "Item.color");
    });
    damaged += count_damage("constants of runs", loaded, [](kith::world& world) {
        const auto query = world.query("Item, Item.weight > 5, Item.weight < 50");
        auto run = query.iter();
        run.set_value(1, 0.5).set_value(2, 1.5);
        auto copy = run;
        if (run.count() != copy.count() || run.count() != 1) {
            std::abort();
        }
    });
    damaged += count_damage("an index", many, [](kith::world& world) {
        kith::untyped_component(world, world.lookup("Item")).index("name").index("weight");
        const auto query = world.query("Item.name == \"box\"");
        const auto light = world.query("Item.weight > 3");
        if (query.count() != 1 || light.count() != 0 || query.count() != 1) {
            std::abort();
        }
    });
    kith::reflect<late::Hull>();
    damaged += count_damage(
        "a type that takes a place",
        [](kith::world& world) {
            world.component("late::Hull")
                .member<float>("tons")
                .range(0, 100)
                .member(kith::String, "label");
            kith::load_text(world,
                            "Bob: late.Hull = {1, \"a label that is longer than short strings\"}\n"
                            "Box: late.Hull = {2, \"x\"}, (late.Hull, Bob) = {3}\n");
        },
        [](kith::world& world) { world.component<late::Hull>(); });
    return damaged == 0 ? 0 : 1;
}
