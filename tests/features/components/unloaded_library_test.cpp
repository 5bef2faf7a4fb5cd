// Libraries that bring types, and that the program unloads: their types end, or the call is
// refused. Nothing calls the code of the library afterwards, which would crash.
#include <kith/json.hpp>
#include <kith/kith.hpp>
#include <kith/plugin.hpp>
#include <kith/reflect.hpp>
#include <kith/save.hpp>
#include <kith/snapshot.hpp>
#include <kith/value.hpp>
#include <kith/world_text.hpp>

#include "shared/unloaded_plugin.hpp"
#include "support/errors.hpp"

#include <optional>
#include <string>
#include <utility>

#include <dlfcn.h>
#include <doctest/doctest.h>

using namespace kith_test;
using kith_shared::Shield;

namespace {

class library {
public:
    explicit library(const char* path) : path_(path) {
        handle_ = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        REQUIRE_MESSAGE(handle_ != nullptr, dlerror());
        using entry = const kith_shared::unloaded_plugin_functions* (*)();
        functions_ = reinterpret_cast<entry>(dlsym(handle_, "kith_unloaded_plugin"))();
    }
    ~library() {
        if (handle_) {
            kith::forget_types(functions_->from, functions_->to);
            dlclose(handle_);
        }
    }
    library(const library&) = delete;
    library& operator=(const library&) = delete;

    const kith_shared::unloaded_plugin_functions* operator->() const { return functions_; }
    void forget() const { kith::forget_types(functions_->from, functions_->to); }
    void unload() {
        forget();
        dlclose(std::exchange(handle_, nullptr));
        // Its code is gone: a call of it would end the program.
        void* still = dlopen(path_, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
        REQUIRE(still == nullptr);
    }

private:
    const char* path_;
    void* handle_ = nullptr;
    const kith_shared::unloaded_plugin_functions* functions_;
};

constexpr const char* first_form = KITH_UNLOADED_PLUGIN_PATH;
constexpr const char* later_form = KITH_LATER_PLUGIN_PATH;

}  // namespace

// spec 523
TEST_SUITE("features.components.unloaded_library") {
    TEST_CASE("types of a library that is unloaded stay without functions") {
        kith::world world;
        kith::entity e = world.entity("Bell");
        library plugin(first_form);
        REQUIRE(plugin->use(world));
        plugin->fill(world, e);
        CHECK(plugin->read_shots(world, e) == 6);
        CHECK(kith::to_json(e).find("a name that is too long") != std::string::npos);
        CHECK(error_of([&] { plugin.forget(); }) == kith::errc::in_use);
        CHECK(plugin->read_shots(world, e) == 6);
        e.clear();
        plugin.unload();

        const kith::entity gun = world.lookup("brought::Gun");
        REQUIRE(gun.is_alive());
        CHECK(error_of([&] { e.add(gun); }) == kith::errc::not_constructible);
        CHECK(error_of([&] { kith::edit(e, gun); }).has_value());
        CHECK(error_of([&] {
                  kith::from_json(e, R"({"components":{"brought.Gun":{}}})");
              }).has_value());
        e.add(world.lookup("brought::Place")).add(world.lookup("brought::Marked"));
        CHECK(error_of([&] { kith::to_json(e); }) == kith::errc::invalid_type);
        e.remove(world.lookup("brought::Place"));
        CHECK(kith::to_json(e).find("Marked") != std::string::npos);
        kith::json_schema(world);
        world.query("brought.Gun").count();
        world.check();
        world.snapshot().take().restore();
        gun.destruct();
        world.check();
    }

    TEST_CASE("types come back when the library is loaded again") {
        kith::world world;
        kith::entity e = world.entity("Bell");
        std::optional<library> plugin(std::in_place, first_form);
        REQUIRE((*plugin)->use(world));
        auto shots = world.query("brought.Gun.shots > 5");
        auto named = world.query("brought.Gun.name == \"gun\"");
        kith::entity_t gun = world.lookup("brought::Gun");
        for (int i = 0; i < 3; ++i) {
            CHECK(shots.count() == 0);
            (*plugin)->fill(world, e);
            CHECK(world.lookup("brought::Gun") == gun);
            CHECK(shots.count() == 1);
            CHECK(named.count() == 0);
            CHECK((*plugin)->read_shots(world, e) == 6);
            CHECK(kith::to_json(e).find("\"shots\":6") != std::string::npos);
            CHECK(world.snapshot().take().bytes() > 0);
            kith::edit(e, gun).set("shots", 7);
            CHECK((*plugin)->read_shots(world, e) == 7);
            e.clear();
            plugin->unload();
            CHECK(shots.count() == 0);
            plugin.emplace(first_form);
            REQUIRE((*plugin)->use(world));
        }
        world.check();
    }

    TEST_CASE("another layout is refused in worlds that knew the former one") {
        kith::world world;
        {
            library plugin(first_form);
            REQUIRE(plugin->use(world));
            plugin.unload();
        }
        library later(later_form);
        CHECK_FALSE(later->use(world));
        CHECK(world.lookup("brought::Gun").is_alive());
        world.check();
        kith::world fresh;
        CHECK(later->use(fresh));
        kith::entity e = fresh.entity();
        later->fill(fresh, e);
        CHECK(later->read_shots(fresh, e) == 6);
        e.destruct();
    }

    TEST_CASE("values in tables, sparse stores, pairs, prefabs and snapshots keep the library") {
        std::optional<kith::world> world(std::in_place);
        kith::entity e = world->entity("Bell");
        kith::entity other = world->entity("Other");
        library plugin(first_form);
        REQUIRE(plugin->use(*world));
        kith::entity gun = world->lookup("brought::Gun");
        const auto refused = [&] {
            return error_of([&] { plugin.forget(); }) == kith::errc::in_use;
        };
        SUBCASE("table") {
            e.add(gun);
        }
        SUBCASE("sparse store") {
            gun.add(kith::Sparse);
            e.add(gun);
        }
        SUBCASE("pair") {
            e.add(gun, other);
        }
        SUBCASE("target") {
            e.add(other, gun);
        }
        SUBCASE("pair in links") {
            gun.add(kith::Sparse);
            e.add(gun, other);
        }
        SUBCASE("prefab") {
            world->prefab("Base").add(gun);
        }
        SUBCASE("component of itself") {
            gun.add(gun);
        }
        CHECK(refused());
        world.reset();
        plugin.unload();
    }

    TEST_CASE("snapshots, waiting commands, hooks and declared types keep the library") {
        std::optional<kith::world> world(std::in_place);
        kith::entity e = world->entity("Bell");
        library plugin(first_form);
        REQUIRE(plugin->use(*world));
        kith::entity gun = world->lookup("brought::Gun");
        const auto refused = [&] {
            return error_of([&] { plugin.forget(); }) == kith::errc::in_use;
        };
        SUBCASE("snapshot") {
            e.add(gun);
            kith::snapshot kept = world->snapshot().take();
            e.clear();
            CHECK(refused());
            world.reset();
            CHECK(refused());
        }
        SUBCASE("command") {
            world->defer_begin();
            e.add(gun);
            CHECK(refused());
            world->defer_end();
            e.clear();
            plugin.forget();
        }
        SUBCASE("stage") {
            world->set_stage_count(2);
            world->readonly_begin();
            world->get_stage(1).entity(e).add(gun);
            CHECK(refused());
            world->readonly_end();
            CHECK(refused());
            e.clear();
            plugin.forget();
        }
        SUBCASE("hook of a type of the program") {
            plugin->watch(*world, world->component("Watched").member<float>("x"));
            CHECK(refused());
            world->lookup("Watched").destruct();
            plugin.forget();
        }
        SUBCASE("member of a declared type") {
            world->component("Rack").member(gun, "first");
            CHECK(refused());
            world->lookup("Rack").destruct();
            plugin.forget();
        }
    }

    TEST_CASE("hooks, checks, members by functions and contexts end with the types") {
        kith::world world;
        kith::entity e = world.entity("Bell");
        {
            library plugin(first_form);
            REQUIRE(plugin->use(world));
            plugin->dress(world);
            plugin->fill(world, e);
            CHECK(kith::to_json(e).find("\"loaded\":true") != std::string::npos);
            e.clear();
            plugin.unload();
        }
        world.check();
        kith::save_to_string(world);
        library again(first_form);
        REQUIRE(again->use(world));
        again->fill(world, e);
        CHECK(kith::to_json(e).find("loaded") == std::string::npos);
        again->dress(world);
        CHECK(kith::to_json(e).find("\"loaded\":true") != std::string::npos);
        e.clear();
    }

    TEST_CASE("types that the program uses as well go on") {
        kith::world world;
        kith::entity e = world.entity("Bell");
        {
            library plugin(first_form);
            REQUIRE(plugin->use(world));
            kith::reflect<Shield>();
            e.set(Shield{"a shield with a name that is rather long", 2});
            plugin.unload();
        }
        CHECK(e.get<Shield>()->strength == 2);
        CHECK(kith::to_json(e).find("a shield with a name") != std::string::npos);
        const kith::entity copy = e.clone();
        CHECK(copy.get<Shield>()->name == "a shield with a name that is rather long");
        world.check();
    }

    TEST_CASE("addresses that are no range are refused") {
        const char text[] = "x";
        CHECK(error_of([&] { kith::forget_types(text + 1, text); }) ==
              kith::errc::invalid_operation);
        CHECK(error_of([&] { kith::forget_types(text, text); }) == kith::errc::invalid_operation);
        kith::forget_types(text, text + 1);
    }
}
