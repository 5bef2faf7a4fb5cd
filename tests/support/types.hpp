// Component types that many tests use, one of each kind, and how to print them.
#pragma once

#include <kith/kith.hpp>

#include "support/counted.hpp"
#include "support/world_dump.hpp"

#include <memory>
#include <string>

namespace kith_test {

struct Position {
    int x = 0;
    int y = 0;
};
struct Velocity {
    int x;
    int y;
};
struct Label {
    std::string text;
};
struct Owner {
    std::unique_ptr<int> number;
};
struct Hot {};
struct Cold {};
struct Likes {};
struct Eats {
    int amount = 0;
};

// Can be set and emplaced, not added.
class Needy {
public:
    explicit Needy(int number) : number_(number) {}
    int number() const { return number_; }

private:
    int number_;
};

struct alignas(64) Wide {
    int number = 7;
};

enum class Color { Red, Green, Blue };

inline const value_printers& all_values() {
    static const value_printers values = [] {
        value_printers made;
        made.add<Position>([](const Position& v) { return text_of(v.x, v.y); });
        made.add<Velocity>([](const Velocity& v) { return text_of(v.x, v.y); });
        made.add<Label>([](const Label& v) { return v.text; });
        made.add<Owner>([](const Owner& v) { return text_of(v.number ? *v.number : -1); });
        made.add<Eats>([](const Eats& v) { return text_of(v.amount); });
        made.add<Needy>([](const Needy& v) { return text_of(v.number()); });
        made.add<Wide>([](const Wide& v) { return text_of(v.number); });
        made.add<Color>([](Color v) { return text_of(static_cast<int>(v)); });
        made.add<counted<0>>([](const counted<0>& v) { return text_of(v.number()); });
        made.add<counted<1>>([](const counted<1>& v) { return text_of(v.number()); });
        return made;
    }();
    return values;
}

// Makes all types known, so that a dump shows nothing but what a test did.
inline void register_all(const kith::world& world) {
    world.component<Position>();
    world.component<Velocity>();
    world.component<Label>();
    world.component<Owner>();
    world.component<Hot>();
    world.component<Cold>();
    world.component<Likes>();
    world.component<Eats>();
    world.component<Needy>();
    world.component<Wide>();
    world.component<Color>();
    world.component<counted<0>>();
    world.component<counted<1>>();
}

}  // namespace kith_test
