// Pairs: relations between entities, with and without values, and the hierarchy.

#include <kith/kith.hpp>

#include <cstdio>

struct Likes {};
struct Eats {
    int amount;
};
struct Begin {};
struct Position {
    double x, y;
};

int main() {
    kith::world world;
    auto bob = world.entity("Bob");
    auto alice = world.entity("Alice");
    auto apple = world.entity("Apple");
    auto pear = world.entity("Pear");

    // [add]
    auto knows = world.entity("Knows");
    bob.add(knows, alice);    // both are entities
    bob.add<Likes>(apple);    // the relation is a type
    bob.add<Likes>(pear);     // the same relation, another target
    bob.add<Likes, Begin>();  // both are types
    // [/add]

    // [ask]
    std::printf("likes pears: %s\n", bob.has<Likes>(pear) ? "yes" : "no");
    std::printf("knows anyone: %s\n", bob.has(knows, kith::Wildcard) ? "yes" : "no");
    std::printf("knows %s\n", bob.target(knows).name().c_str());
    bob.each<Likes>([](kith::entity target) { std::printf("likes %s\n", target.name().c_str()); });
    // [/ask]

    // [remove]
    bob.remove<Likes>(pear);            // this pair only
    bob.remove<Likes>(kith::Wildcard);  // all targets of Likes
    // [/remove]

    // [values]
    bob.set<Eats>(apple, {3}).set<Eats>(pear, {1});
    std::printf("eats %d apples\n", bob.get<Eats>(apple)->amount);
    bob.set<Begin, Position>({0, 1});  // Begin is empty: the value is a Position
    std::printf("begins at y = %g\n", bob.get<Begin, Position>()->y);
    // [/values]

    // [ids]
    kith::id pair = world.pair<Eats>(apple);
    std::printf("%s: pair %s, first %s, second %s\n", pair.str().c_str(),
                pair.is_pair() ? "yes" : "no", pair.first().name().c_str(),
                pair.second().name().c_str());
    // [/ids]

    // [exclusive]
    auto married = world.entity("Married").add(kith::Exclusive);
    bob.add(married, alice);
    bob.add(married, pear);  // replaces
    std::printf("married to %s\n", bob.target(married).name().c_str());
    // [/exclusive]

    // [children]
    auto house = world.entity("House");
    auto room = world.entity("Room").child_of(house);
    world.entity("Lamp").child_of(room);
    house.children([](kith::entity child) { std::printf("%s\n", child.path().c_str()); });
    std::printf("the room is in %s\n", room.parent().name().c_str());
    house.destruct();  // and all below it
    std::printf("the room is %s\n", room.is_alive() ? "there" : "gone");
    // [/children]

    // [cleanup]
    apple.destruct();  // the pairs with it go from all entities
    std::printf("eats apples: %s\n", bob.has<Eats>(kith::Wildcard) ? "only pears left" : "no");
    auto owned_by = world.entity("OwnedBy").add(kith::OnDeleteTarget, kith::Delete);
    auto book = world.entity().add(owned_by, bob);
    bob.destruct();
    std::printf("the book is %s\n", book.is_alive() ? "there" : "gone");
    // [/cleanup]
}
