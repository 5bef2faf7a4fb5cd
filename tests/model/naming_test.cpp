// Random programs that name entities while callbacks fail, and that make types known whose names
// are taken: names stay unique and are found, and no use of a name is lost.
#include <kith/kith.hpp>

#include "support/random_programs.hpp"

#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace naming {
struct T0 {};
struct T1 {};
struct T2 {
    int value = 5;
};
}  // namespace naming

namespace {

class program {
public:
    explicit program(std::uint32_t seed) : random_(seed) {
        relation_ = world_.entity("Relation").add(kith::Tag);
        for (const char* name : {"naming::T0", "naming::T1", "naming::T2"}) {
            plain_.push_back(world_.entity(name));
        }
        for (int i = 0; i < 4; ++i) {
            entities_.push_back(world_.entity());
        }
        world_.observer()
            .with(kith::Wildcard, kith::Wildcard)
            .event(kith::OnAdd)
            .each([this](kith::entity changed) { fail_sometimes(changed); });
    }

    void run() {
        for (int step = 0; step < 60; ++step) {
            attempt([&] {
                if (chance(3)) {
                    world_.defer([&] {
                        for (int i = 0; i < 4; ++i) {
                            attempt([&] { change(); });
                        }
                    });
                } else {
                    change();
                }
            });
            drop_dead();
            check();
            if (step % 15 == 14) {
                make_known(step / 15);
            }
        }
    }

private:
    std::size_t pick(std::size_t count) { return random_() % count; }
    bool chance(std::uint32_t of) { return random_() % of == 0; }
    kith::entity any() { return entities_[pick(entities_.size())]; }
    std::string name() { return std::string(1, static_cast<char>('a' + pick(3))); }

    // What it throws ends an operation that was begun, and reaches the caller.
    void fail_sometimes(kith::entity changed) {
        if (!armed_ || !chance(4)) {
            return;
        }
        if (chance(2)) {
            any().add(kith::Override | kith::make_pair(relation_, changed));
        } else if (chance(2)) {
            any().add(relation_, changed);
        }
        throw std::runtime_error("refused");
    }
    template <class Func>
    void attempt(Func&& func) {
        armed_ = true;
        try {
            func();
        } catch (const std::runtime_error&) {
        } catch (const kith::error&) {}
        armed_ = false;
    }

    void change() {
        switch (pick(9)) {
            case 0:
                entities_.push_back(world_.entity(name()));
                break;
            case 1:
                entities_.push_back(world_.entity(name() + "::" + name()));
                break;
            case 2:
                any().set_name(chance(4) ? std::string() : name());
                break;
            case 3:
                any().child_of(any());
                break;
            case 4:
                any().detach();
                break;
            case 5:
                if (entities_.size() > 6) {
                    any().destruct();
                }
                break;
            case 6:
                any().add(type(pick(3)));
                break;
            case 7:
                any().add(type(pick(3)), any());
                break;
            default:
                any().add(relation_, type(pick(3)));
                break;
        }
    }
    void drop_dead() {
        std::erase_if(entities_, [](kith::entity one) { return !one.is_alive(); });
        while (entities_.size() < 3) {
            entities_.push_back(world_.entity());
        }
    }

    kith::entity type(std::size_t number) const { return plain_[number]; }
    // What all entities have of a type, or of the entity that has its name.
    std::vector<std::pair<kith::entity_t, int>> uses(kith::entity_t of) const {
        std::vector<std::pair<kith::entity_t, int>> found;
        for (kith::entity one : entities_) {
            int count = 0;
            one.each([&](kith::id id) {
                const bool pair = id.is_pair();
                count += !pair && id == of;
                count += pair && kith::pair_first(id) == kith::index_of(of) ? 100 : 0;
                count += pair && kith::pair_second(id) == kith::index_of(of) ? 10'000 : 0;
            });
            found.emplace_back(one.id(), count);
        }
        return found;
    }
    template <class T>
    void make_known_as(std::size_t number) {
        const auto before = uses(plain_[number]);
        auto query = world_.query_builder().with(plain_[number]).build();
        const std::int32_t matches = query.count();
        plain_[number] = world_.component<T>();
        CHECK(uses(plain_[number]) == before);
        CHECK(query.count() == matches);
        check();
    }
    void make_known(int number) {
        switch (number) {
            case 0:
                make_known_as<naming::T0>(0);
                break;
            case 1:
                make_known_as<naming::T1>(1);
                break;
            case 2:
                make_known_as<naming::T2>(2);
                break;
            default:
                break;
        }
    }

    void check() {
        world_.check();
        std::map<std::string, kith::entity_t> by_path;
        for (kith::entity one : entities_) {
            if (!one.is_alive() || !one.name()) {
                continue;
            }
            bool rooted = true;
            for (kith::entity at = one; at && rooted; at = at.parent()) {
                rooted = !at.name().empty();
            }
            if (rooted) {
                CHECK(world_.lookup(one.path()) == one);
                const auto [known, added] = by_path.emplace(one.path(), one.id());
                CHECK((added || known->second == one.id()));
            }
        }
    }

    std::mt19937 random_;
    kith::world world_;
    kith::entity relation_;
    std::vector<kith::entity> plain_;
    std::vector<kith::entity> entities_;
    bool armed_ = false;
};

}  // namespace

TEST_SUITE("model.naming") {
    TEST_CASE("names stay unique, and their uses stay, whatever fails") {
        for (std::uint64_t seed : random_programs::chosen_seeds(300)) {
            CAPTURE(seed);
            program(static_cast<std::uint32_t>(seed)).run();
        }
    }
}
