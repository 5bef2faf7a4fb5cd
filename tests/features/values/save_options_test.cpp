// The options of save and load: types saved as bytes, sinks and sources, ids, references outside of
// a part, limits, progress.
#include <kith/kith.hpp>
#include <kith/save.hpp>
#include <kith/snapshot.hpp>
#include <kith/value.hpp>
#include <kith/world_text.hpp>

#include "support/errors.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <unistd.h>

namespace {

using kith::errc;
using kith_test::error_of;
using kith_test::refusal;

// Has no description: its members are private, and nothing makes one without arguments.
class Opaque {
public:
    Opaque(int number, double real) : number_(number), real_(real) {}
    int number() const { return number_; }
    double real() const { return real_; }

private:
    int number_;
    double real_;
};
struct Point {
    int x = 0;
};
struct Link {
    kith::handle to;
};

// A component of bytes that nobody knows more of.
kith::entity define_blob(const kith::world& world, std::uint32_t size, std::uint32_t alignment) {
    kith::type_info info;
    info.name = "Blob";
    info.size = size;
    info.alignment = alignment;
    info.zero_construct = info.trivial_copy = info.trivial_move = info.trivial_destroy = true;
    return world.component("Blob").define(info).as_bytes();
}

std::string saved_part(const kith::world& world, const char* query) {
    kith::save_options part;
    part.query = query;
    return kith::save_to_string(world, part);
}

// The error of a load. The world is as before.
std::optional<errc> refusal_of_load(const kith::world& world, const std::string& file,
                                    const kith::load_file_options& options) {
    return refusal(world, [&] { kith::load_from_string(world, file, options); });
}

}  // namespace

TEST_SUITE("features.values.save_options") {
    // spec 575
    TEST_CASE("values without a description are saved as bytes, if the component says so") {
        kith::world world;
        world.entity("A").set(Opaque(7, 2.5));
        CHECK(error_of([&] { kith::save_to_string(world); }) == errc::invalid_type);
        world.component<Opaque>().as_bytes();
        const std::string file = kith::save_to_string(world);
        kith::world same;
        same.component<Opaque>().as_bytes();
        kith::load_from_string(same, file);
        CHECK(same.lookup("A").get<Opaque>()->number() == 7);
        CHECK(same.lookup("A").get<Opaque>()->real() == 2.5);
        // A world in use, and one that does not say so.
        same.lookup("A").destruct();
        kith::load_from_string(same, file);
        CHECK(same.lookup("A").get<Opaque>()->number() == 7);
        kith::world other;
        other.component<Opaque>();
        CHECK(refusal_of_load(other, file, {}) == errc::invalid_type);
    }

    // spec 577, 579
    TEST_CASE("values that were saved as bytes are read by the same type only") {
        kith::world world;
        world.entity("A").set_ptr(define_blob(world, 4, 4), "abcd");
        const std::string file = kith::save_to_string(world);
        kith::world same;
        const kith::entity blob = define_blob(same, 4, 4);
        kith::load_from_string(same, file);
        CHECK(std::string(static_cast<const char*>(same.lookup("A").get(blob)), 4) == "abcd");
        for (const std::uint32_t alignment : {4u, 1u}) {
            kith::world other;
            define_blob(other, alignment == 4 ? 8 : 4, alignment);
            CHECK(refusal_of_load(other, file, {}) == errc::invalid_value);
        }
        // A program without the type keeps it, and saves it again.
        kith::world keeper;
        kith::load_from_string(keeper, file);
        kith::world known;
        const kith::entity back = define_blob(known, 4, 4);
        kith::load_from_string(known, kith::save_to_string(keeper));
        CHECK(std::string(static_cast<const char*>(known.lookup("A").get(back)), 4) == "abcd");
    }

    // spec 572, 575
    TEST_CASE("the world of a snapshot is saved as it was at the capture") {
        kith::reflect<Point>();
        kith::world world;
        world.entity("A").set(Point{1});
        const kith::snapshot taken = world.snapshot().take();
        const std::string then = kith::save_to_string(world);
        world.lookup("A").set(Point{2});
        const std::string path = (std::filesystem::temp_directory_path() /
                                  ("kith_snapshot_" + std::to_string(::getpid()) + ".kithb"))
                                     .string();
        CHECK(kith::save(taken, path.c_str()).entities == 1);
        kith::world loaded;
        kith::load(loaded, path.c_str());
        CHECK(loaded.lookup("A").get<Point>()->x == 1);
        CHECK(kith::save_to_string(loaded) == then);
        std::filesystem::remove(path);
    }

    // spec 575
    TEST_CASE("sinks take files and sources give them, in parts") {
        kith::reflect<Point>();
        kith::world world;
        world.entity("A").set(Point{1});
        std::string file;
        const std::size_t bytes = kith::save(world, kith::sink(file)).bytes;
        CHECK(file.size() == bytes);
        CHECK(file == kith::save_to_string(world));
        CHECK(error_of([&] {
                  kith::save(
                      world,
                      kith::sink([](void*, const char*, std::size_t) { return false; }, nullptr));
              }) == errc::invalid_operation);
        struct reader {
            const std::string& file;
            std::size_t at = 0;
        } from{file};
        const auto read = [](void* context, char* to, std::size_t size) -> std::size_t {
            reader& known = *static_cast<reader*>(context);
            const std::size_t count = known.file.copy(to, std::min<std::size_t>(size, 7), known.at);
            known.at += count;
            return count;
        };
        kith::world loaded;
        kith::load(loaded, kith::source(read, &from));
        CHECK(loaded.lookup("A").get<Point>()->x == 1);
        from.at = 0;
        kith::load_file_options small;
        small.bytes = file.size() - 1;
        CHECK(refusal(loaded, [&] { kith::load(loaded, kith::source(read, &from), small); }) ==
              errc::invalid_file);
    }

    // spec 575, 576
    TEST_CASE("ids are those of the file, or new ones, as the program asks") {
        kith::reflect<Point>();
        kith::world world;
        world.entity();
        const kith::entity first = world.entity("A").set(Point{1});
        const std::string file = kith::save_to_string(world);
        kith::load_file_options keep;
        keep.ids = kith::ids_policy::keep;
        kith::world kept;
        CHECK(kith::load_from_string(kept, file, keep).exact);
        CHECK(kept.lookup("A").id() == first.id());
        CHECK(refusal_of_load(kept, file, keep) == errc::in_use);
        CHECK(refusal_of_load(kith::world(), saved_part(world, "Point"), keep) == errc::in_use);
        kith::load_file_options remap;
        remap.ids = kith::ids_policy::remap;
        kith::world remapped;
        CHECK_FALSE(kith::load_from_string(remapped, file, remap).exact);
        CHECK(remapped.lookup("A").get<Point>()->x == 1);
    }

    // spec 575
    TEST_CASE("observers are notified of a load with the ids of the file, if the program asks") {
        kith::reflect<Point>();
        kith::world world;
        world.component("Size").member<float>("w");
        world.entity().destruct();
        const kith::entity first = world.entity("A").set(Point{1});
        const kith::entity second = world.entity("B").add(world.lookup("Size"));
        second.edit(world.lookup("Size")).parse("{w: 2}");
        const std::string file = kith::save_to_string(world);
        for (const bool tell : {false, true}) {
            kith::world loaded;
            int sets = 0;
            loaded.component<Point>().on_set([&](kith::entity, Point&) { ++sets; });
            kith::load_file_options options;
            options.tell = tell;
            CHECK(kith::load_from_string(loaded, file, options).exact);
            CHECK(sets == (tell ? 1 : 0));
            CHECK(loaded.lookup("A").id() == first.id());
            CHECK(kith::value_of(loaded.lookup("B"), loaded.lookup("Size")).str() == "{w: 2}");
            CHECK(kith::save_text(loaded) == kith::save_text(world));
            loaded.check();
        }
    }

    // spec 578
    TEST_CASE("references out of a part are refused, if the program asks") {
        kith::reflect<Point, Link>();
        kith::world world;
        const kith::entity named = world.entity("Named");
        const kith::entity unnamed = world.entity();
        kith::entity holder = world.entity("Holder").set(Link{named});
        kith::save_options part;
        part.query = "Link";
        part.outside = kith::outside_policy::error;
        const std::string file = kith::save_to_string(world, part);
        kith::load_file_options strict;
        strict.outside = kith::outside_policy::error;
        CHECK(refusal_of_load(kith::world(), file, strict) == errc::invalid_value);
        kith::world with_target;
        with_target.entity("Named");
        kith::load_from_string(with_target, file, strict);
        CHECK(with_target.lookup("Holder").get<Link>()->to.id() == with_target.lookup("Named"));
        holder.set(Link{unnamed});
        CHECK(error_of([&] { kith::save_to_string(world, part); }) == errc::invalid_value);
        part.outside = kith::outside_policy::leave_out;
        kith::save_report report;
        kith::save_to_string(world, part, &report);
        CHECK(report.outside == 1);
    }

    // spec 582
    TEST_CASE("files beyond the limits of the program are refused") {
        kith::reflect<Point, Link>();
        kith::world world;
        world.entity("A").set(Point{1}).set(Link{});
        world.component("Two").member<float>("x").member<float>("y");
        const std::string file = kith::save_to_string(world);
        kith::load_file_options options;
        options.entities = 1;
        CHECK(refusal_of_load(kith::world(), file, options) == errc::limit);
        options = {};
        options.types = 2;
        CHECK(refusal_of_load(kith::world(), file, options) == errc::limit);
        options = {};
        options.members = 1;
        CHECK(refusal_of_load(kith::world(), file, options) == errc::limit);
    }

    // spec 575
    TEST_CASE("a program follows the progress of a load, and may end it") {
        kith::reflect<Point, Link>();
        kith::world world;
        for (int i = 0; i < 10; ++i) {
            world.entity().set(Point{i}).set(Link{});
        }
        const std::string file = kith::save_to_string(world);
        struct progress {
            std::uint64_t last = 0;
            std::uint64_t size = 0;
            std::uint64_t most = 0;
        } seen;
        kith::load_file_options options;
        options.context = &seen;
        options.progress = [](void* context, std::uint64_t done, std::uint64_t size) {
            progress& known = *static_cast<progress*>(context);
            CHECK(done >= known.last);
            CHECK(done <= size);
            known.last = done;
            known.size = size;
            return known.most == 0 || done < known.most;
        };
        kith::load_from_string(kith::world(), file, options);
        CHECK(seen.size >= 20);
        seen = {0, 0, 10};
        kith::world in_use;
        in_use.entity("InUse").set(Point{}).set(Link{}).clear();
        CHECK(refusal_of_load(in_use, file, options) == errc::invalid_operation);
        CHECK(in_use.count<Point>() == 0);
    }
}
