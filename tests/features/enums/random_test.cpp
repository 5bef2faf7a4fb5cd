// Random programs over entities with an enum component: what every way to read it says is what was
// written last, at once or deferred.
#include <kith/kith.hpp>

#include "support/errors.hpp"

#include <map>
#include <optional>
#include <random>
#include <vector>

namespace {

enum class Mood : std::int8_t { Bad = -1, Fair, Good, Best };
struct Age {
    int years = 0;
};
constexpr Mood moods[] = {Mood::Bad, Mood::Fair, Mood::Good, Mood::Best};

// The oracle: what each entity has.
struct person {
    kith::entity entity;
    std::optional<Mood> mood;
};

class program {
public:
    explicit program(unsigned seed, bool sparse) : random_(seed) {
        if (sparse) {
            world_.component<Mood>().add(kith::Sparse);
        }
        for (int i = 0; i < 6; ++i) {
            people_.push_back({world_.entity().set(Age{i}), std::nullopt});
        }
    }
    void run(int steps) {
        for (int i = 0; i < steps; ++i) {
            if (next(8) == 0) {
                world_.defer([&] {
                    for (int k = next(6); k > 0; --k) {
                        write();
                    }
                });
            } else {
                write();
            }
            check();
        }
        world_.check();
    }

private:
    int next(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random_); }

    void write() {
        person& one = people_[static_cast<std::size_t>(next(static_cast<int>(people_.size())))];
        const Mood mood = moods[next(4)];
        const int kind = next(10);
        if (kind == 8) {
            write_all(mood);
            return;
        }
        kith::entity e = one.entity;
        one.mood = mood;
        switch (kind) {
            case 0:
                e.add(mood);
                break;
            case 1:
                e.set(mood);
                break;
            case 2:
                *e.get_mut<Mood>() = mood;
                break;
            case 3:
                e.ensure<Mood>() = mood;
                break;
            case 4:
                e.set([&](Mood& written, Age& age) {
                    written = mood;
                    ++age.years;
                });
                break;
            case 5:
                e.set([&](Mood& written) { written = mood; });
                break;
            case 6:
                *kith::enum_pointer<Mood>(world_, e) = mood;
                break;
            case 7:
                e.remove<Mood>();
                one.mood.reset();
                break;
            default:
                e.destruct();
                one.entity = world_.entity().set(Age{1}).set(mood);
                break;
        }
    }
    // Through a query. What a queue has not made yet is not seen by it.
    void write_all(Mood mood) {
        if (world_.is_deferred()) {
            for (person& one : people_) {
                one.entity.set(mood);
                one.mood = mood;
            }
            return;
        }
        people_[0].entity.set(mood);
        people_[0].mood = mood;
        query_.each([&](Mood& written) { written = mood; });
        for (person& one : people_) {
            one.mood = one.mood ? std::optional(mood) : std::nullopt;
        }
    }

    void check() {
        int with = 0;
        std::map<kith::entity_t, Mood> wanted;
        for (const person& one : people_) {
            const Mood* found = one.entity.get<Mood>();
            REQUIRE((found != nullptr) == one.mood.has_value());
            CHECK(one.entity.has<Mood>() == one.mood.has_value());
            CHECK(one.entity.owns<Mood>() == one.mood.has_value());
            CHECK(one.entity.get_ref<Mood>().has() == one.mood.has_value());
            if (one.mood) {
                CHECK(*found == *one.mood);
                CHECK(one.entity.has(*one.mood));
                CHECK(one.entity.ensure<Mood>() == *one.mood);
                wanted[one.entity] = *one.mood;
                ++with;
            }
        }
        CHECK(world_.count<Mood>() == with);
        check_seen(wanted, query_);
        check_seen(wanted, filter_);
        check_seen(wanted, sorted_);
        Mood last = Mood::Bad;
        sorted_.each([&](Mood mood) {
            CHECK(last <= mood);
            last = mood;
        });
    }
    template <class Query>
    void check_seen(const std::map<kith::entity_t, Mood>& wanted, const Query& query) {
        std::map<kith::entity_t, Mood> seen;
        query.each([&](kith::entity e, const Mood& mood) { seen[e] = mood; });
        CHECK(seen == wanted);
        seen.clear();
        query.each([&](kith::entity e, Mood* mood) { seen[e] = *mood; });
        CHECK(seen == wanted);
    }

    std::mt19937 random_;
    kith::world world_;
    std::vector<person> people_;
    kith::query<Mood> query_ = world_.query<Mood>();
    kith::filter<Mood> filter_ = world_.filter<Mood>();
    kith::query<Mood> sorted_ = world_.query_builder<Mood>().order_by<Mood>().build();
};

}  // namespace

TEST_SUITE("features.enums.random") {
    TEST_CASE("all ways to read and write an enum agree") {
        for (unsigned seed = 0; seed < 40; ++seed) {
            CAPTURE(seed);
            program(seed, seed % 4 == 3).run(40);
        }
    }
}
