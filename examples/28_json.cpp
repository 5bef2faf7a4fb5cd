// Values as JSON.

#include <kith/json.hpp>
#include <kith/kith.hpp>

#include <cstdio>
#include <string>
#include <vector>

enum class Grade { raw, refined };
struct Cargo {
    float tons;
    Grade grade;
    std::vector<std::string> labels;
};

int main() {
    kith::world world;
    // [json]
    Cargo cargo{64, Grade::refined, {"ore"}};
    std::string text = kith::to_json(world, cargo);
    std::printf("%s\n", text.c_str());
    kith::from_json(world, cargo, R"({"grade":"raw", "labels":[]})");
    // [/json]
    std::printf("%s\n", kith::to_json(world, cargo).c_str());

    // [entities]
    kith::reflect<Cargo>();
    kith::entity ship = world.entity("Bell").set(cargo);
    std::printf("%s\n", kith::to_json(ship).c_str());
    std::printf("%s\n", kith::to_json(world.query<const Cargo>()).c_str());

    kith::world copy;
    kith::from_json(copy, kith::to_json(world));
    // [/entities]
    std::printf("%g tons\n", static_cast<double>(copy.lookup("Bell").get<Cargo>()->tons));
}
