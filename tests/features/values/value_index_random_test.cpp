// Two worlds run the same random program, in all ways of writing values; one has indexes on
// members. Both give the same results of random value terms. KITH_SEED=n takes a seed of your own,
// KITH_SEEDS=n as many that follow the last one.
//
// In tables with an index operations take other ways, after which tables without rows are put aside
// at other moments, so that lists of tables have another order. Two of five programs compare with a
// world without any index: the sets of results are the same. In the others both worlds have an
// index that no query asks: the order is the same as well.
#include <kith/kith.hpp>
#include <kith/reflect.hpp>
#include <kith/snapshot.hpp>
#include <kith/value.hpp>

#include "support/random_programs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

enum class Grade : std::uint8_t { raw, refined, pure };
struct Health {
    std::int32_t points;
    float speed;
    std::uint8_t level;
    std::int64_t score;
    std::int32_t unasked = 0;
};
struct Label {
    std::string text;
    kith::handle who;
    Grade grade;
    std::int32_t unasked = 0;
};
struct Place {
    float x;
};
struct Marked {};
struct Second {};
struct Touch {};

using id_list = std::vector<kith::entity_t>;

std::string listed(const id_list& ids) {
    std::string out;
    for (const kith::entity_t id : ids) {
        out += " #" + std::to_string(static_cast<std::uint32_t>(id));
    }
    return out;
}

// One of the two worlds.
struct twin {
    twin(bool has_indexes, std::uint32_t shape, bool has_unasked) : is_indexed(has_indexes) {
        world.component<Health>().reflect();
        world.component<Label>().reflect();
        world.component<Place>().reflect();
        world.component<Marked>();
        world.component<Second>();
        if (has_unasked) {
            world.component<Health>().index(&Health::unasked);
            world.component<Label>().index("unasked");
        }
        if (shape % 3 == 0) {
            // A hook and observers that write through their references.
            world.component<Health>().on_set([](Health& health) { health.score = health.points; });
        }
        if (shape % 4 == 0) {
            world.observer<const Place, Health>()
                .event(kith::OnSet)
                .each([](kith::entity, const Place& place, Health& health) {
                    health.points = static_cast<std::int32_t>(place.x);
                });
        }
        for (int i = 0; i < 3; ++i) {
            bases.push_back(world.prefab(("Base" + std::to_string(i)).c_str()));
            bases.back().set(Health{i * 40, 1, 1, 1});
            targets.push_back(world.entity(("Target" + std::to_string(i)).c_str()));
        }
        writing = world.query<Health>();
        writing_marked = world.query<Health, const Marked>();
        reading = world.query<const Health>();
    }

    // The same list of indexes for each number.
    void index(int which, bool drop) {
        if (!is_indexed) {
            return;
        }
        auto health = world.component<Health>();
        auto label = world.component<Label>();
        switch (which) {
            case 0:
                drop ? health.drop_index(&Health::points) : health.index(&Health::points);
                break;
            case 1:
                drop ? health.drop_index("speed") : health.index("speed");
                break;
            case 2:
                drop ? health.drop_index("level") : health.index("level", kith::hash_index);
                break;
            case 3:
                drop ? health.drop_index("score") : health.index(&Health::score, kith::hash_index);
                break;
            case 4:
                drop ? label.drop_index("text") : label.index("text");
                break;
            case 5:
                drop ? label.drop_index("text") : label.index("text", kith::hash_index);
                break;
            case 6:
                drop ? label.drop_index("who") : label.index("who", kith::hash_index);
                break;
            default:
                drop ? label.drop_index("grade") : label.index("grade");
                break;
        }
    }

    kith::world world;
    bool is_indexed;
    std::vector<kith::entity> bases;
    std::vector<kith::entity> targets;
    std::vector<kith::entity> all;
    std::vector<kith::ref<Health>> refs;
    std::vector<kith::query<>> queries;
    kith::query<Health> writing;
    kith::query<Health, const Marked> writing_marked;
    kith::query<const Health> reading;
    std::vector<kith::snapshot> snapshots;
    std::vector<std::vector<kith::entity>> lists;  // of `all`, for each snapshot
};

class program {
public:
    explicit program(std::uint64_t seed)
        : random_(static_cast<std::uint32_t>(seed)),
          is_ordered_(seed % 5 < 3),
          plain_(false, static_cast<std::uint32_t>(seed), is_ordered_),
          indexed_(true, static_cast<std::uint32_t>(seed), is_ordered_) {
        for (int i = 0; i < 8; ++i) {
            if (i == 0 || one_in(2)) {
                indexed_.index(i, false);
            }
        }
        for (int i = 200 + pick(400); i > 0; --i) {
            create();
        }
        for (int i = 0; i < 14; ++i) {
            make_query();
        }
    }

    void run(int rounds) {
        compare();
        for (int i = 0; i < rounds; ++i) {
            for (int n = pick(12); n >= 0; --n) {
                step();
            }
            compare();
        }
    }
    int seeks() const noexcept { return seeks_; }

private:
    int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
    bool one_in(int n) { return pick(n) == 0; }
    int number() { return pick(120); }
    Health health() {
        return {number(), one_in(10) ? std::nanf("") : static_cast<float>(number()) / 2,
                static_cast<std::uint8_t>(pick(100)), number() * 1000};
    }
    std::string text() {
        return (one_in(5) ? "other" : "a common beginning ") + std::to_string(number());
    }
    // Calls do_it(twin) for both worlds. Random numbers are drawn before.
    template <class Action>
    void both(Action&& do_it) {
        do_it(plain_);
        do_it(indexed_);
    }
    std::size_t some() { return static_cast<std::size_t>(pick(static_cast<int>(size()))); }
    std::size_t size() const { return plain_.all.size(); }

    void create() {
        const bool has_health = !one_in(5), has_label = one_in(2), is_marked = one_in(8);
        const int base = one_in(5) ? pick(3) : -1;
        const Health value = health();
        const std::string named = text();
        const int who = pick(4);
        const int grade = pick(3);
        both([&](twin& one) {
            kith::entity e = one.world.entity();
            if (base >= 0) {
                e.is_a(one.bases[static_cast<std::size_t>(base)]);
            }
            if (has_health) {
                e.set(value);
            }
            if (has_label) {
                e.set(Label{named,
                            who < 3 ? kith::handle(one.targets[static_cast<std::size_t>(who)].id())
                                    : kith::handle(),
                            static_cast<Grade>(grade)});
            }
            if (is_marked) {
                e.add<Marked>();
            }
            one.all.push_back(e);
        });
    }

    // A comparison that few values pass, mostly.
    std::string comparison() {
        const std::string n = std::to_string(number());
        switch (pick(16)) {
            case 0:
                return "Health.points < " + std::to_string(pick(8));
            case 1:
                return "Health.points == " + n;
            case 2:
                return "Health.points >= " + std::to_string(115 + pick(6));
            case 3:
                return "Health.points in [" + n + ", " + std::to_string(number()) + ", " + n + "]";
            case 4:
                return "Health.points in " + n + ".." + std::to_string(number());
            case 5:
                return "Health.speed <= " + std::to_string(pick(4)) + ".5";
            case 6:
                return "Health.speed == " + n;
            case 7:
                return "Health.level == " + std::to_string(pick(100));
            case 8:
                return "Health.score == " + n + "000";
            case 9:
                return "Health.score in [" + n + "000, 5000]";
            case 10:
                return "Label.text == \"a common beginning " + n + "\"";
            case 11:
                return "Label.text < \"a common beginning 1" + n + "\"";
            case 12:
                return "Label.text >= \"other" + n + "\"";
            case 13:
                return "Label.who == Target" + std::to_string(pick(3));
            case 14:
                return "Label.grade == pure";
            default:
                return "Health.points != " + n;
        }
    }
    void make_query() {
        std::string terms = comparison();
        if (one_in(3)) {
            terms += ", " + comparison();
        }
        terms += one_in(4) ? ", Marked" : one_in(4) ? ", ?Place" : one_in(6) ? ", !Second" : "";
        const int form = pick(6);
        both([&](twin& one) {
            auto builder = one.world.query_builder<>().expr(terms.c_str());
            switch (form) {
                case 0:
                    builder.uncached();
                    break;
                case 1:
                    builder.order_by(
                        0, [](kith::entity_t a, const void*, kith::entity_t b, const void*) {
                            return a < b ? 1 : a > b ? -1 : 0;
                        });
                    break;
                case 2:
                    builder.group_by(kith::IsA);
                    break;
                default:
                    builder.cached();
                    break;
            }
            one.queries.push_back(builder.build());
        });
    }

    // -- writes, each in its own way -------------------------------------------------------------
    void step() {
        const std::size_t i = some();
        const Health value = health();
        const int points = number();
        switch (pick(38)) {
            case 0:
                both([&](twin& one) { one.all[i].set(value); });
                break;
            case 1:
                both([&](twin& one) {
                    if (Health* found = one.all[i].try_get_mut<Health>()) {
                        found->points = points;
                        one.all[i].modified<Health>();
                    }
                });
                break;
            case 2:  // without notice
                both([&](twin& one) {
                    if (Health* found = one.all[i].try_get_mut<Health>()) {
                        found->points = points;
                    }
                });
                break;
            case 3:
                both([&](twin& one) {
                    one.all[i].get([&](Health& found) { found.points = points; });
                });
                break;
            case 4:
                both([&](twin& one) {
                    one.all[i].set([&](Health& found) { found.points = points; });
                });
                break;
            case 5:
                both([&](twin& one) { one.refs.push_back(one.all[i].get_ref<Health>()); });
                break;
            case 6:
            case 7: {
                const std::size_t which = some();
                both([&](twin& one) {
                    if (one.refs.empty()) {
                        return;
                    }
                    if (Health* found = one.refs[which % one.refs.size()].try_get()) {
                        found->points = points;
                    }
                });
                break;
            }
            case 8:
                both([&](twin& one) {
                    one.writing.each([&](kith::entity e, Health& found) {
                        found.points = e.id() % 5 == 0 ? points : found.points;
                    });
                });
                break;
            case 9:
                both([&](twin& one) {
                    one.writing_marked.each(
                        [&](Health& found, const Marked&) { found.points = points; });
                });
                break;
            case 10:
                both([&](twin& one) {
                    one.world.each([&](kith::entity e, Health& found) {
                        found.points = e.id() % 7 == 0 ? points : found.points;
                    });
                });
                break;
            case 11:
                both([&](twin& one) {
                    if (one.all[i].owns<Health>()) {
                        if (auto* found = one.all[i].range().template get<Health>()) {
                            found->points = points;
                        }
                    }
                });
                break;
            case 12: {
                const std::size_t other = some();
                both([&](twin& one) {
                    one.world.defer([&] {
                        one.all[i].set(value);
                        one.all[other].get_mut<Health>()->points = points;
                        one.all[i].add<Second>();
                    });
                });
                break;
            }
            case 13:
            case 14:
                create();
                break;
            case 15:
                if (size() > 150) {
                    both([&](twin& one) {
                        one.all[i].destruct();
                        one.all[i] = one.all.back();
                        one.all.pop_back();
                    });
                }
                break;
            case 16:
                both([&](twin& one) { one.all[i].add<Second>(); });
                break;
            case 17:
                both([&](twin& one) { one.all[i].remove<Second>(); });
                break;
            case 18:
                both([&](twin& one) { one.all[i].remove<Health>(); });
                break;
            case 19:
                both([&](twin& one) {
                    if (one.all[i].owns<Health>()) {
                        one.all[i].enabled<Health>() ? one.all[i].disable<Health>()
                                                     : one.all[i].enable<Health>();
                    }
                });
                break;
            case 20: {
                const auto base = static_cast<std::size_t>(pick(3));
                both([&](twin& one) { one.bases[base].set(value); });
                break;
            }
            case 21:
                both([&](twin& one) {
                    one.snapshots.push_back(one.world.snapshot());
                    one.snapshots.back().take();
                    one.lists.push_back(one.all);
                });
                break;
            case 22: {
                const std::size_t which = some();
                both([&](twin& one) {
                    if (!one.snapshots.empty()) {
                        one.snapshots[which % one.snapshots.size()].restore();
                        one.all = one.lists[which % one.snapshots.size()];
                        one.refs.clear();
                    }
                });
                break;
            }
            case 23: {
                const int which = pick(8);
                const bool drops = one_in(2);
                both([&](twin& one) { one.index(which, drops); });
                break;
            }
            case 24:  // calls an observer, in some worlds
                both([&](twin& one) { one.all[i].set(Place{static_cast<float>(points)}); });
                break;
            case 25: {
                const std::string named = text();
                both([&](twin& one) { one.all[i].set([&](Label& found) { found.text = named; }); });
                break;
            }
            case 26:
                both([&](twin& one) {
                    if (one.all[i].owns<Health>()) {
                        kith::set_path(one.all[i], "Health.points", points);
                    }
                });
                break;
            case 27:
                both([&](twin& one) {
                    if (one.all[i].owns<Health>()) {
                        one.all.push_back(one.all[i].clone());
                    }
                });
                break;
            case 28: {  // many entities at once
                std::vector<Health> values(static_cast<std::size_t>(pick(40) + 1), value);
                both([&](twin& one) {
                    for (const kith::entity_t made : one.world.bulk(values.size(), values.data())) {
                        one.all.emplace_back(one.world, made);
                    }
                });
                break;
            }
            case 29:
                both([&](twin& one) {
                    for (std::size_t n = i; n < one.all.size() && n < i + 30; ++n) {
                        one.all[n].set(value);
                    }
                });
                break;
            case 30:
                if (one_in(3)) {
                    both([&](twin& one) {
                        kith::entity label = one.world.component<Label>();
                        label.has(kith::Sparse) ? label.remove(kith::Sparse)
                                                : label.add(kith::Sparse);
                    });
                }
                break;
            case 31:
                if (is_ordered_) {
                    write_in_results(i, value);
                }
                break;
            case 32:
                if (is_ordered_) {
                    ask_inside(points);
                }
                break;
            case 33:
                if (!is_ordered_) {
                    break;
                }
                both([&](twin& one) {
                    one.writing.iter([&](kith::iter& it) {
                        auto found = it.field<Health>(1);
                        for (std::size_t row : it) {
                            found[row].level = static_cast<std::uint8_t>(points);
                            break;
                        }
                    });
                });
                break;
            case 34:
                both([&](twin& one) { one.all[i].remove<Label>(); });
                break;
            case 35: {
                const auto target = static_cast<std::size_t>(pick(3));
                both([&](twin& one) {
                    if (one.all[i].owns<Label>()) {
                        one.all[i].set([&](Label& found) {
                            found.who = kith::handle(one.targets[target].id());
                        });
                    }
                });
                break;
            }
            case 36:
                if (one_in(4)) {
                    both([&](twin& one) {
                        one.world.remove_all(kith::id(one.world.component<Second>()));
                    });
                }
                break;
            default:
                both([&](twin& one) { one.all[i].is_a(one.bases[i % 3]); });
                break;
        }
    }

    // The callback of a query writes to entities that the query may still visit.
    void write_in_results(std::size_t from, const Health& value) {
        const auto which = static_cast<std::size_t>(pick(static_cast<int>(plain_.queries.size())));
        std::vector<id_list> found;
        both([&](twin& one) {
            found.emplace_back();
            std::size_t next = from;
            one.queries[which].each([&](kith::entity e) {
                found.back().push_back(e.id());
                kith::entity other = one.all[next++ % one.all.size()];
                if (other.owns<Health>()) {
                    other.set(value);
                }
            });
        });
        CHECK(found[0] == found[1]);
    }
    // A query runs inside of loops that read, or write, values.
    void ask_inside(int points) {
        const auto which = static_cast<std::size_t>(pick(static_cast<int>(plain_.queries.size())));
        std::vector<id_list> found;
        both([&](twin& one) {
            found.emplace_back();
            int calls = 0;
            const auto ask = [&] {
                if (++calls % 50 == 1) {
                    one.queries[which].each(
                        [&](kith::entity e) { found.back().push_back(e.id()); });
                }
            };
            one.reading.each([&](const Health&) { ask(); });
            one.writing.each([&](Health& health) {
                health.points = calls % 20 == 0 ? points : health.points;
                ask();
                health.points += calls % 30 == 0;
            });
            one.all.front().get([&](Health& health) {
                health.points = points;
                one.queries[which].each([&](kith::entity e) { found.back().push_back(e.id()); });
                ++health.points;
            });
        });
        CHECK(found[0] == found[1]);
    }

    // -- comparison ------------------------------------------------------------------------------
    void compare() {
        for (std::size_t i = 0; i < plain_.queries.size(); ++i) {
            const std::string text = plain_.queries[i].str().c_str();
            CAPTURE(text);
            const int drawn = pick(6);
            const int form = !is_ordered_ && (drawn == 1 || drawn == 3) ? 0 : drawn;
            const int first = pick(10);
            std::vector<id_list> found;
            both([&](twin& one) {
                found.emplace_back();
                id_list& ids = found.back();
                const auto add = [&](kith::entity e) { ids.push_back(e.id()); };
                const kith::query<>& query = one.queries[i];
                switch (form) {
                    case 0:
                        ids.push_back(static_cast<kith::entity_t>(query.count()));
                        break;
                    case 1:
                        query.iter().page(first, 7).each(add);
                        break;
                    case 2:
                        for (int share = 0; share < 3; ++share) {
                            query.iter().worker(share, 3).each(add);
                        }
                        break;
                    case 3:
                        ids.push_back(query.first().id());
                        break;
                    case 4:
                        query.iter([&](kith::iter& it) {
                            for (std::size_t row : it) {
                                ids.push_back(it.entity(row).id());
                            }
                        });
                        break;
                    default:
                        query.each(add);
                        break;
                }
                if (!is_ordered_) {
                    std::sort(ids.begin(), ids.end());
                }
            });
            CAPTURE(form);
            CAPTURE(listed(found[0]));
            CAPTURE(listed(found[1]));
            CHECK(found[0] == found[1]);
            const std::string plan = indexed_.queries[i].explain().c_str();
            seeks_ += plan.find("\nseek") != std::string::npos;
        }
    }

    std::mt19937 random_;
    bool is_ordered_;  // both worlds give results in the same order
    twin plain_;
    twin indexed_;
    int seeks_ = 0;
};

}  // namespace

TEST_SUITE("features.values.value_index_random") {
    // spec 561
    TEST_CASE("results are the same with and without an index, for all ways of writing") {
        std::size_t programs = 0;
        std::size_t scanning = 0;  // programs in which no query started from an index
        for (const std::uint64_t seed : random_programs::chosen_seeds(12)) {
            CAPTURE(seed);
            program random(seed);
            random.run(20);
            ++programs;
            scanning += random.seeks() == 0;
        }
        CHECK(scanning <= programs / 100);
    }
}
