// Looking into a frame: counters, measured times, a trace for Perfetto, stepping.

#include <kith/kith.hpp>
#include <kith/statistics.hpp>

#include <cstdio>
#include <cstring>

struct Fuel {
    int left;
};
struct Stranded {};

namespace {

void add_systems(kith::world& world) {
    world.system<Fuel>("Burn").write<Stranded>().each([](kith::entity e, Fuel& fuel) {
        if (--fuel.left == 0) {
            e.add<Stranded>();
        }
    });
    world.system("Rescue").with<Stranded>().each(
        [](kith::entity e) { std::printf("%s is rescued\n", e.name().c_str()); });
}

void statistics() {
    // [statistics]
    kith::world world;
    add_systems(world);
    world.entity("Tug").set(Fuel{100});
    kith::system report = world.system("Report").interval(2).iter([](kith::iter&) {});

    world.measure_system_time(true);
    for (int frame = 0; frame < 6; ++frame) {
        world.progress(1);
    }
    const kith::system_stats stats = report.stats();
    std::printf("%d runs, %d frames without a tick, measured: %s\n", static_cast<int>(stats.runs),
                static_cast<int>(stats.waited), stats.time.count == 3 ? "yes" : "no");
    std::printf("%d frames, %d systems in the last one\n",
                static_cast<int>(world.get_info()->frame_count_total),
                static_cast<int>(world.get_info()->systems_ran_frame));
    // [/statistics]
}

void trace() {
    // [trace]
    kith::world world;
    add_systems(world);
    world.entity("Tug").set(Fuel{2});

    world.trace_start();
    world.progress(1);
    world.progress(1);
    world.trace_stop();
    const kith::string json = world.trace_json();  // for ui.perfetto.dev, or `kith trace FILE`
    // [/trace]
    std::printf("the sync point has a reason: %s\n",
                std::strstr(json.c_str(), "Rescue reads Stranded") ? "yes" : "no");
}

void stepping() {
    // [stepping]
    kith::world world;
    add_systems(world);
    kith::entity tug = world.entity("Tug").set(Fuel{1});
    world.system(world.lookup("Rescue")).set_breakpoint();

    world.stepping(true);
    world.progress(1);  // stops in front of the breakpoint
    std::printf("in front of %s, stranded: %d\n", world.stopped_at().name().c_str(),
                tug.has<Stranded>());
    tug.remove<Stranded>();  // the world can be looked at and changed
    world.progress(1);       // the rest of the frame: nobody is rescued
    // [/stepping]
}

}  // namespace

int main() {
    statistics();
    trace();
    stepping();
}
