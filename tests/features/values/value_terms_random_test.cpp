// Random queries with value terms, in all ways of running, against loops that test each entity.
#include <kith/kith.hpp>
#include <kith/reflect.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

struct Health {
    std::int32_t points;
    std::int32_t most;
    float speed;
    std::uint8_t grade;
};
struct Depth {
    std::int64_t metres;
};
struct Cargo {
    double tons;
};
struct Boss {};

using generator = std::mt19937;
using predicate = std::function<bool(kith::entity)>;

struct random_clause {
    std::string text;
    predicate holds;
};

// A comparison as text and as a function of numbers.
struct random_comparison {
    const char* text;
    bool (*holds)(double, double);
};
constexpr random_comparison comparisons[] = {
    {"<", [](double a, double b) { return a < b; }},
    {"<=", [](double a, double b) { return a <= b; }},
    {">", [](double a, double b) { return a > b; }},
    {">=", [](double a, double b) { return a >= b; }},
    {"==", [](double a, double b) { return a == b; }},
    {"!=", [](double a, double b) { return a != b; }},
};

class random_world {
public:
    explicit random_world(std::uint32_t seed) : random_(seed) {
        kith::reflect<Health, Depth, Cargo>();
        world.component<Health>();
        world.component<Depth>().add(kith::Sparse);
        world.component<Cargo>();
        world.component<Boss>();
        for (int i = 0; i < 3; ++i) {
            bases_.push_back(world.prefab(("Base" + std::to_string(i)).c_str()).set(health()));
            parents_.push_back(world.entity(("Parent" + std::to_string(i)).c_str()));
            parents_.back().set(Cargo{number() / 2.0});
        }
        parents_.back().remove<Cargo>();
        const int count = pick(200) + 20;
        for (int i = 0; i < count; ++i) {
            add_entity();
        }
    }

    int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
    bool one_in(int n) { return pick(n) == 0; }
    int number() { return pick(12) - 2; }

    void change() {
        for (int i = pick(20); i > 0 && !all.empty(); --i) {
            kith::entity e = all[static_cast<std::size_t>(pick(static_cast<int>(all.size())))];
            switch (pick(8)) {
                case 0:
                    e.set(health());
                    break;
                case 1:
                    e.remove<Health>();
                    break;
                case 2:
                    e.set(Depth{number()});
                    break;
                case 3:
                    e.remove<Depth>();
                    break;
                case 4:
                    e.child_of(parents_[static_cast<std::size_t>(pick(3))]);
                    break;
                case 5:
                    write_all(number());
                    break;
                case 6:
                    if (Health* found = e.get_mut<Health>(); found) {
                        found->points = number();
                        e.modified<Health>();
                    }
                    break;
                default:
                    bases_[static_cast<std::size_t>(pick(3))].set(health());
                    break;
            }
        }
    }

    random_clause clause(int depth = 0) {
        const random_comparison by = comparisons[pick(6)];
        const double constant = one_in(4) ? number() + 0.5 : number();
        const std::string right = std::string(" ") + by.text + " " + text_of(constant);
        switch (pick(depth < 2 ? 12 : 7)) {
            case 0:
                return {"Health.points" + right, [=](kith::entity e) {
                            const Health* found = health_of(e);
                            return found && by.holds(found->points, constant);
                        }};
            case 1:
                return {"Health.speed" + right, [=](kith::entity e) {
                            const Health* found = health_of(e);
                            return found && by.holds(double{found->speed}, constant);
                        }};
            case 2:
                return {"Depth.metres" + right, [=](kith::entity e) {
                            return e.has<Depth>() &&
                                   by.holds(static_cast<double>(e.get<Depth>()->metres), constant);
                        }};
            case 3:
                return {std::string("Health.points ") + by.text + " Health.most",
                        [=](kith::entity e) {
                            const Health* found = health_of(e);
                            return found && by.holds(found->points, found->most);
                        }};
            case 4:
                return {"Cargo(up(ChildOf)).tons" + right, [=](kith::entity e) {
                            const kith::entity parent = e.parent();
                            return parent && parent.has<Cargo>() &&
                                   by.holds(parent.get<Cargo>()->tons, constant);
                        }};
            case 5: {
                const int low = number(), high = number();
                return {"Health.grade in " + std::to_string(low) + ".." + std::to_string(high),
                        [=](kith::entity e) {
                            const Health* found = health_of(e);
                            return found && found->grade >= low && found->grade <= high;
                        }};
            }
            case 6: {
                const int a = number(), b = number();
                return {"Health.points in [" + std::to_string(a) + ", " + std::to_string(b) + "]",
                        [=](kith::entity e) {
                            const Health* found = health_of(e);
                            return found && (found->points == a || found->points == b);
                        }};
            }
            case 7: {
                const random_clause inner = clause(2);
                return {"!" + inner.text, [=](kith::entity e) { return !inner.holds(e); }};
            }
            case 8: {
                const random_clause inner = clause(2);
                return {"?" + inner.text, [](kith::entity) { return true; }};
            }
            case 9: {
                const random_clause a = clause(2), b = clause(2);
                return {a.text + " || " + b.text,
                        [=](kith::entity e) { return a.holds(e) || b.holds(e); }};
            }
            case 10: {
                const random_clause a = clause(2), b = clause(2);
                return {"!{ " + a.text + ", " + b.text + " }",
                        [=](kith::entity e) { return !(a.holds(e) && b.holds(e)); }};
            }
            default:
                return {"Boss", [](kith::entity e) { return e.has<Boss>(); }};
        }
    }

    kith::world world;
    std::vector<kith::entity> all;

private:
    // A loop that writes is a batch of its own.
    void write_all(int points) {
        world.query_builder<Health>().self().build().each([&](kith::entity e, Health& health) {
            health.points = e.id() % 3 == 0 ? points : health.points;
        });
    }
    static const Health* health_of(kith::entity e) { return e.get<Health>(); }
    static std::string text_of(double value) {
        const bool half = value != std::floor(value);
        const int whole = static_cast<int>(half ? value - 0.5 : value);
        return half && whole >= 0 ? std::to_string(whole) + ".5"
               : half             ? std::to_string(value)
                                  : std::to_string(whole);
    }
    Health health() {
        return {number(), number(), one_in(8) ? std::nanf("") : static_cast<float>(number()) / 2,
                static_cast<std::uint8_t>(pick(6))};
    }
    void add_entity() {
        kith::entity e = world.entity();
        e.add(world.entity("Mark"));
        if (one_in(3)) {
            e.is_a(bases_[static_cast<std::size_t>(pick(3))]);
        }
        if (one_in(2)) {
            e.set(health());
        }
        if (one_in(2)) {
            e.set(Depth{number()});
        }
        if (one_in(2)) {
            e.child_of(parents_[static_cast<std::size_t>(pick(3))]);
        }
        if (one_in(4)) {
            e.add<Boss>();
        }
        all.push_back(e);
    }

    generator random_;
    std::vector<kith::entity> bases_;
    std::vector<kith::entity> parents_;
};

using id_list = std::vector<kith::entity_t>;

template <class Query>
id_list found_by(const Query& query) {
    id_list found;
    query.each([&](kith::entity e) { found.push_back(e.id()); });
    std::sort(found.begin(), found.end());
    return found;
}

// All ways of running one query find the expected entities.
void check_runs(const kith::query<>& query, const id_list& expected, random_world& program) {
    CHECK(found_by(query) == expected);
    CHECK(query.count() == static_cast<std::int32_t>(expected.size()));
    CHECK(query.is_true() == !expected.empty());
    id_list iterated;
    query.iter([&](kith::iter& it) {
        for (std::size_t row : it) {
            iterated.push_back(it.entity(row).id());
        }
    });
    std::sort(iterated.begin(), iterated.end());
    CHECK(iterated == expected);
    id_list paged;
    const int size = program.pick(5) + 1;
    for (int at = 0; at <= static_cast<int>(expected.size()); at += size) {
        auto run = query.iter().page(at, size);
        run.each([&](kith::entity e) { paged.push_back(e.id()); });
    }
    std::sort(paged.begin(), paged.end());
    CHECK(paged == expected);
    id_list shared;
    for (int share = 0; share < 3; ++share) {
        query.iter().worker(share, 3).each([&](kith::entity e) { shared.push_back(e.id()); });
    }
    std::sort(shared.begin(), shared.end());
    CHECK(shared == expected);
}

void check_random_queries(std::uint32_t seed) {
    random_world program(seed);
    struct made {
        kith::query<> query;
        predicate holds;
    };
    std::vector<made> queries;
    for (int i = 0; i < 12; ++i) {
        std::string text = "Mark";
        std::vector<predicate> all;
        for (int n = program.pick(3) + 1; n > 0; --n) {
            const random_clause one = program.clause();
            text += ", " + one.text;
            all.push_back(one.holds);
        }
        const predicate holds = [all](kith::entity e) {
            return std::all_of(all.begin(), all.end(),
                               [&](const predicate& one) { return one(e); });
        };
        CAPTURE(text);
        kith::query<> query = program.world.query(text.c_str());
        const std::string printed = query.str().c_str();
        CHECK(std::string(program.world.query(printed.c_str()).str().c_str()) == printed);
        queries.push_back({query, holds});
        kith::query<> plain = program.world.query_builder<>().expr(text.c_str()).uncached().build();
        queries.push_back({plain, holds});
        queries.push_back({program.world.query_builder<>()
                               .expr(text.c_str())
                               .order_by(0, [](kith::entity_t a, const void*, kith::entity_t b,
                                               const void*) { return a < b   ? 1
                                                                     : a > b ? -1
                                                                             : 0; })
                               .build(),
                           holds});
        queries.push_back(
            {program.world.query_builder<>().expr(text.c_str()).group_by(kith::ChildOf).build(),
             holds});
    }
    for (int round = 0; round < 3; ++round) {
        for (const made& one : queries) {
            id_list expected;
            for (kith::entity e : program.all) {
                if (one.holds(e)) {
                    expected.push_back(e.id());
                }
            }
            std::sort(expected.begin(), expected.end());
            CAPTURE(seed);
            CAPTURE(std::string(one.query.str().c_str()));
            check_runs(one.query, expected, program);
        }
        program.change();
    }
}

// Edges of monitors are the differences between the results before and after each batch.
void check_random_monitors(std::uint32_t seed) {
    random_world program(seed);
    struct watched {
        predicate holds;
        std::set<kith::entity_t> before;
        std::set<kith::entity_t> told;  // as the monitor tells it
        bool twice = false;
        std::string text;
    };
    std::vector<watched> all(6);
    std::vector<kith::monitor> monitors;
    const auto results_of = [&](const predicate& holds) {
        std::set<kith::entity_t> found;
        for (kith::entity e : program.all) {
            if (holds(e)) {
                found.insert(e.id());
            }
        }
        return found;
    };
    for (watched& one : all) {
        const random_clause a = program.clause(), b = program.clause(2);
        one.text = "Mark, " + a.text + ", " + b.text;
        one.holds = [=](kith::entity e) { return a.holds(e) && b.holds(e); };
        one.told = results_of(one.holds);
        monitors.push_back(program.world.query(one.text.c_str()).monitor([&one](kith::iter& it) {
            const bool enters = it.event() == kith::OnAdd;
            for (std::size_t row : it) {
                const kith::entity_t id = it.entity(row).id();
                one.twice =
                    one.twice || (enters ? !one.told.insert(id).second : one.told.erase(id) == 0);
            }
        }));
    }
    for (int round = 0; round < 12; ++round) {
        if (program.one_in(2)) {
            program.world.defer([&] { program.change(); });
        } else {
            program.change();
        }
        for (const watched& one : all) {
            CAPTURE(seed);
            CAPTURE(one.text);
            CHECK(one.told == results_of(one.holds));
            CHECK_FALSE(one.twice);
        }
    }
}

}  // namespace

TEST_SUITE("features.values.value_terms_random") {
    // spec 556, 558
    TEST_CASE("random value terms find what a loop over all entities finds") {
        for (std::uint32_t seed = 1; seed <= 12; ++seed) {
            check_random_queries(seed);
        }
    }

    // spec 560
    TEST_CASE("monitors of random value terms tell the difference of each batch once") {
        for (std::uint32_t seed = 1; seed <= 12; ++seed) {
            check_random_monitors(seed);
        }
    }
}
