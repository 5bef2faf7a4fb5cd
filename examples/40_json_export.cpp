// Results of a query for programs in other languages, and worlds in chunks. The last line is read
// by 40_json_export.py.

#include <kith/json.hpp>
#include <kith/kith.hpp>

#include <cstdio>
#include <string>

namespace {

struct Cargo {
    float tons;
    int crates;
};

}  // namespace

int main() {
    kith::reflect<Cargo>();
    kith::world world;
    const kith::entity docked = world.entity("DockedTo");
    const kith::entity ceres = world.entity("Ceres");
    const kith::entity vesta = world.entity("Vesta");
    world.entity("Bell").set(Cargo{64.5f, 3}).add(docked, ceres);
    world.entity("Ann").set(Cargo{8, 12}).add(docked, vesta);
    world.entity("Moth").set(Cargo{0.25f, 1}).add(docked, ceres);

    // A world that arrives in pieces, as from a socket.
    const std::string text = kith::to_json(world);
    kith::world copy;
    copy.component<Cargo>();
    // [chunks]
    kith::json_reader reader(copy);
    for (std::size_t at = 0; at < text.size(); at += 16) {
        reader.feed(std::string_view(text).substr(at, 16));
    }
    const kith::json_report report = reader.finish();
    // [/chunks]
    std::printf("%d entities, %d facts\n", static_cast<int>(report.entities),
                static_cast<int>(report.facts));

    // [unknown]
    kith::json_options options;
    options.unknown = kith::unknown_policy::keep;
    kith::from_json(copy, R"({"entity":"Bell", "components":{"Cargo":{"owner":"Ann"}}})", options);
    std::printf("%s\n", kith::to_json(copy.lookup("Bell")).c_str());
    // [/unknown]

    // [export]
    options = {};
    options.columns = true;
    options.flat = true;
    kith::write_json(stdout, copy.query("Cargo, (DockedTo, $port)"), options);
    // [/export]
    std::printf("\n");
}
