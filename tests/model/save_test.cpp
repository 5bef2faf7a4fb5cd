// Save files of random worlds: a loaded world equals the saved one, and differs from it in nothing
// after another round.
#include <kith/kith.hpp>
#include <kith/save.hpp>

#include "support/sanitized.hpp"
#include "support/world_dump.hpp"

#include <map>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

struct Spot {
    float x = 0;
    double y = 0;
};
struct Memo {
    std::vector<std::string> lines;
    std::map<int, kith::handle> links;
};
struct Rare {
    std::int16_t number = 0;
};
struct Bond {
    std::string reason;
};
struct Flag {};

const kith_test::value_printers& printers() {
    static const kith_test::value_printers values = [] {
        using kith_test::text_of;
        kith_test::value_printers made;
        made.add<Spot>([](const Spot& v) { return text_of(v.x, v.y); });
        made.add<Rare>([](const Rare& v) { return text_of(v.number); });
        made.add<Bond>([](const Bond& v) { return v.reason; });
        made.add<Memo>([](const Memo& v) {
            std::string text;
            for (const std::string& line : v.lines) {
                text += line + "/";
            }
            for (const auto& [key, entity] : v.links) {
                text += text_of(key, entity.id()) + ";";
            }
            return text;
        });
        return made;
    }();
    return values;
}

void declare(const kith::world& world) {
    kith::reflect<Spot, Memo, Rare, Bond>();
    world.component<Spot>();
    world.component<Memo>();
    world.component<Rare>().add(kith::Sparse);
    world.component<Bond>();
    world.component<Flag>();
}

class random_world {
public:
    explicit random_world(unsigned seed) : random_(seed) {
        declare(world);
        relations_.push_back(world.entity("near"));
        relations_.push_back(world.entity("far").add(kith::Sparse));
        relations_.push_back(world.entity("best").add(kith::Exclusive).add(kith::Sparse));
        for (int i = 0; i < 60; ++i) {
            step(i);
        }
    }
    kith::world world;

private:
    int choose(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
    kith::entity& any() {
        return entities_[static_cast<std::size_t>(choose(static_cast<int>(entities_.size())))];
    }
    void step(int number) {
        if (entities_.empty() || choose(3) == 0) {
            entities_.push_back(choose(2) ? world.entity()
                                          : world.entity(("e" + std::to_string(number)).c_str()));
            return;
        }
        kith::entity one = any();
        kith::entity other = any();
        if (!one.is_alive() || !other.is_alive()) {
            return;
        }
        switch (choose(11)) {
            case 0:
                one.set(Spot{static_cast<float>(choose(9)), choose(100) / 8.0});
                break;
            case 1:
                one.set(Memo{{"a", std::string(static_cast<std::size_t>(choose(40)), 'x')},
                             {{choose(5), other}}});
                break;
            case 2:
                one.set(Rare{static_cast<std::int16_t>(choose(1000) - 500)});
                break;
            case 3:
                one.set<Bond>(other, Bond{std::to_string(number)});
                break;
            case 4:
                one.add<Flag>();
                break;
            case 5:
                one.add(relations_[static_cast<std::size_t>(choose(3))], other);
                break;
            case 6:
                if (one.id() < other.id()) {
                    other.child_of(one);
                }
                break;
            case 7:
                if (one.has<Spot>()) {
                    one.disable<Spot>();
                }
                break;
            case 8:
                one.remove<Memo>();
                break;
            case 9:
                one.remove(relations_[static_cast<std::size_t>(choose(3))], other);
                break;
            default:
                if (choose(3) == 0) {
                    one.destruct();
                }
                break;
        }
    }

    std::mt19937 random_;
    std::vector<kith::entity> relations_;
    std::vector<kith::entity> entities_;
};

std::string dump(const kith::world& world) {
    return kith_test::dump_world(world, printers(), kith::first_entity);
}

}  // namespace

TEST_SUITE("model.save") {
    // spec 575
    // spec 576
    TEST_CASE("random worlds are saved and loaded") {
        const unsigned seeds = kith_test::is_sanitized ? 20 : 200;
        for (unsigned seed = 1; seed <= seeds; ++seed) {
            CAPTURE(seed);
            random_world made(seed);
            const std::string data = kith::save_to_string(made.world);
            const kith::world copy;
            REQUIRE(kith::load_from_string(copy, data).exact);
            copy.check();
            REQUIRE(dump(copy) == dump(made.world));
            REQUIRE(copy.hash() == made.world.hash());
            REQUIRE(kith::save_to_string(copy) == data);
            const kith::world again;
            kith::load_from_string(again, kith::save_to_string(copy));
            REQUIRE(dump(again) == dump(copy));
            for (int i = 0; i < 3; ++i) {
                REQUIRE(copy.entity().id() == again.entity().id());
            }
            kith::world used;
            declare(used);
            used.entity("present").set(Spot{1, 1});
            const std::size_t before = used.stats().entities;
            const kith::load_report report = kith::load_from_string(used, data);
            used.check();
            REQUIRE(used.stats().entities == before + report.entities);
        }
    }
}
