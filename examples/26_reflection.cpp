// Descriptions: kith knows the members of a component, so that values can be shown, compared and
// changed by name.

#include <kith/kith.hpp>
#include <kith/reflect.hpp>

#include <cstdio>
#include <string>
#include <vector>

// [components]
enum class Grade { raw, refined };

struct Cargo {
    float tons;
    Grade grade;
    std::vector<std::string> labels;
    kith::entity owner;
};
// [/components]

// [class]
class Account {
public:
    static void describe(kith::describer<Account>& to) {
        to.member("number", &Account::number_).member("credit", &Account::credit_);
    }

private:
    int number_ = 0;
    double credit_ = 0;
};
// [/class]

static void show(const kith::description& type) {
    std::printf("%s, %u members\n", type.life.name, type.count);
    for (const kith::member_info& member : type) {
        std::printf("  %s: %s\n", member.name, member.type->life.name);
    }
}

int main() {
    // [reflect]
    kith::reflect<Cargo, Account>();
    // [/reflect]
    // [show]
    show(kith::describe<Cargo>());
    // [/show]

    kith::world world;
    // [attributes]
    world.component<Cargo>().on("tons").range(0, 500).unit("t").doc("without the container");
    // [/attributes]

    // [runtime]
    kith::entity item = world.component("Item")
                            .member(kith::String, "name")
                            .member<float>("weight")
                            .member(world.vector(kith::I32), "slots");
    kith::entity sword = world.entity("Sword").add(item);
    // [/runtime]
    show(*kith::detail::find_description(world, item));
    std::printf("Sword has one: %s\n", sword.has(item) ? "yes" : "no");
}
