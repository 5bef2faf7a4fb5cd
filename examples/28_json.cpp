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
}
