// What a relationship means: its properties, and what they allow and forbid.

#include <kith/kith.hpp>

#include <cstdio>

template <class Func>
void attempt(Func func) {
    try {
        func();
    } catch (const kith::error& e) {
        std::printf("%s: %s\n", to_string(e.code()), e.what());
    }
}

int main() {
    kith::world world;
    auto ann = world.entity("Ann");
    auto ben = world.entity("Ben");
    auto cleo = world.entity("Cleo");

    // [declare]
    auto married =
        world.relation("MarriedTo", {.exclusive = true, .symmetric = true});  // all at once
    auto knows = world.entity("Knows").add(kith::Symmetric);                  // or one by one
    // [/declare]

    // [symmetric]
    ann.add(married, ben);
    std::printf("ben is married to %s\n", ben.target(married).name().c_str());
    cleo.add(married, ben);
    std::printf("ann is %s\n", ann.has(married, kith::Wildcard) ? "married" : "alone");
    // [/symmetric]

    // [with]
    auto loves = world.relation("Loves", {.with = knows});
    ann.add(loves, cleo);
    std::printf("cleo knows %s\n", cleo.target(knows).name().c_str());
    // [/with]

    // [one_of]
    auto rank = world.relation("Rank", {.exclusive = true, .one_of = kith::This});
    auto captain = world.entity("Captain").child_of(rank);
    ann.add(rank, captain);
    attempt([&] { ben.add(rank, cleo); });
    // [/one_of]

    // [acyclic]
    auto inside = world.relation("Inside", {.acyclic = true});
    auto box = world.entity("Box");
    auto bag = world.entity("Bag").add(inside, box);
    attempt([&] { box.add(inside, bag); });
    // [/acyclic]

    // [union]
    auto mood = world.entity("Mood").add(kith::Union);  // Exclusive and Sparse
    auto happy = world.entity("Happy");
    auto tired = world.entity("Tired");
    ann.add(mood, happy).add(mood, tired);
    std::printf("ann is %s\n", ann.target(mood).name().c_str());
    // [/union]

    // [storage]
    inside.add(kith::Sparse);     // moves what exists; nobody else notices
    inside.remove(kith::Sparse);  // and back
    // [/storage]

    // [late]
    auto likes = world.entity("Likes");
    ann.add(likes, ben).add(likes, cleo);
    attempt([&] { likes.add(kith::Exclusive); });
    // [/late]
}
