// Random programs with observers of several terms: negated ones, chains, variables, closures,
// derived ids, searches. What they are told to begin, and to end, is what queries find after every
// step; in a deletion, whatever it takes along, no result does both.
#include <kith/kith.hpp>

#include "support/random_programs.hpp"

#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace {

using kith::entity_t;

// The results of an observer's terms, as it is told.
class result_mirror {
public:
    // `terms` adds them to an observer, and to a query that says what is right.
    template <class Terms>
    result_mirror(kith::world& world, std::string name, bool has_x, Terms&& terms)
        : name_(std::move(name)), has_x_(has_x) {
        auto told = world.observer();
        told.event(kith::OnAdd).event(kith::OnRemove);
        terms(told);
        told.each([this](kith::iter& it, std::size_t row) { note(it, row); });
        auto asked = world.query_builder();
        terms(asked);
        query_ = asked.build();
    }
    result_mirror(const result_mirror&) = delete;
    result_mirror& operator=(const result_mirror&) = delete;

    // `at_once`: nothing was to begin and end again meanwhile.
    std::string check(bool at_once) {
        if (at_once) {
            fault_ += twice_;
        }
        changed_.clear();
        twice_.clear();
        if (!fault_.empty()) {
            return name_ + ":" + fault_;
        }
        std::set<result> truth;
        query_.each([&](kith::iter& it, std::size_t row) { truth.insert(result_of(it, row)); });
        return truth == begun_ ? std::string{}
                               : name_ + ":" + text_of(begun_) + " should be" + text_of(truth);
    }
    // Before the world goes.
    void end() { query_.destruct(); }

private:
    using result = std::pair<entity_t, entity_t>;  // with the value of $x

    void note(kith::iter& it, std::size_t row) {
        const result one = result_of(it, row);
        twice_ += changed_.insert(one).second ? "" : " changes twice" + text_of(one);
        if (it.event() == kith::OnAdd) {
            fault_ += begun_.insert(one).second ? "" : " begins twice" + text_of(one);
        } else {
            fault_ += begun_.erase(one) != 0 ? "" : " ends twice" + text_of(one);
        }
    }
    result result_of(kith::iter& it, std::size_t row) const {
        return {it.entity(row), has_x_ ? entity_t{it.get_var("x")} : entity_t{0}};
    }
    static std::string text_of(const result& one) {
        return " #" + std::to_string(kith::index_of(one.first)) +
               (one.second ? "/#" + std::to_string(kith::index_of(one.second)) : "");
    }
    static std::string text_of(const std::set<result>& all) {
        std::string text;
        for (const result& one : all) {
            text += text_of(one);
        }
        return text;
    }

    std::string name_;
    bool has_x_;
    kith::query<> query_;
    std::set<result> begun_;
    std::set<result> changed_;  // since the last check
    std::string twice_;
    std::string fault_;
};

struct Mark {};
struct Tag {};
struct Unit {};
struct Knight {};
struct Kin {};
struct Near {};
struct Part {};

class truth_program {
public:
    explicit truth_program(std::uint64_t seed) : random_(seed) {
        const bool has_bases = seed % 2 != 0;
        world_.component<Near>().add(kith::Transitive);
        world_.component<Part>().add(kith::Acyclic);
        store_pairs(seed / 2);
        world_.entity(world_.component<Knight>()).is_a<Unit>();
        home_ = world_.entity();
        watch_terms();
        kinds_.push_back(world_.id<Part>());
        if (has_bases) {
            // Those that searches visit inherit.
            kinds_.push_back(kith::IsA);
        }
        watch_searches(kith::ChildOf, "ChildOf");
        watch_searches(world_.id<Part>(), "Part");
        for (int i = 0; i < 6; ++i) {
            entities_.push_back(world_.entity());
        }
    }
    ~truth_program() {
        for (const auto& mirror : mirrors_) {
            mirror->end();
        }
    }
    truth_program(const truth_program&) = delete;
    truth_program& operator=(const truth_program&) = delete;

    // What is wrong after some steps, or nothing.
    std::string run(int steps) {
        std::string program;
        for (int i = 0; i < steps; ++i) {
            is_end_ = false;
            program += step() + "; ";
            for (const auto& mirror : mirrors_) {
                if (std::string what = mirror->check(is_end_); !what.empty()) {
                    const std::size_t shown = std::min<std::size_t>(program.size(), 900);
                    return what + "\nafter " + program.substr(program.size() - shown);
                }
            }
        }
        return {};
    }

private:
    template <class Terms>
    void watch(const std::string& name, Terms&& terms) {
        const bool has_x = name.find("$x") != std::string::npos;
        mirrors_.push_back(std::make_unique<result_mirror>(world_, name, has_x, terms));
    }
    void watch_terms() {
        watch("Mark, !Tag", [](auto& b) { b.template with<Mark>().template without<Tag>(); });
        watch("Mark, !Unit", [](auto& b) { b.template with<Mark>().template without<Unit>(); });
        watch("Mark, Tag || Unit", [](auto& b) {
            b.template with<Mark>().template with<Tag>().or_().template with<Unit>();
        });
        watch("(Kin,$x), Mark($x)",
              [](auto& b) { b.template with<Kin>("$x").template with<Mark>().src("$x"); });
        watch("(Kin,$x), !Tag($x)",
              [](auto& b) { b.template with<Kin>("$x").template without<Tag>().src("$x"); });
        watch("(Kin,$x), !(Near,$x)",
              [](auto& b) { b.template with<Kin>("$x").template without<Near>("$x"); });
        watch("(Kin,$x), !(Near,home, $x)",
              [&](auto& b) { b.template with<Kin>("$x").template without<Near>(home_).src("$x"); });
        watch("Mark, !(Kin,*)",
              [](auto& b) { b.template with<Mark>().template without<Kin>(kith::Wildcard); });
        watch("Mark, !(Near,home)",
              [&](auto& b) { b.template with<Mark>().template without<Near>(home_); });
        watch("Mark, (Near,home) || Tag", [&](auto& b) {
            b.template with<Mark>().template with<Near>(home_).or_().template with<Tag>();
        });
    }
    void watch_searches(kith::id_t way, const std::string& name) {
        watch("Tag(up " + name + ")", [&](auto& b) { b.template with<Tag>().up(way); });
        watch("Mark, Tag(up " + name + ")",
              [&](auto& b) { b.template with<Mark>().template with<Tag>().up(way); });
        watch("Tag(self|up " + name + ")", [&](auto& b) { b.template with<Tag>().self().up(way); });
        watch("Mark, !Tag(up " + name + ")",
              [&](auto& b) { b.template with<Mark>().template without<Tag>().up(way); });
        watch("Mark, Tag(up " + name + ") || Unit", [&](auto& b) {
            b.template with<Mark>().template with<Tag>().up(way).or_().template with<Unit>();
        });
        watch("(Kin,$x), Mark($x, up " + name + ")",
              [&](auto& b) { b.template with<Kin>("$x").template with<Mark>().src("$x").up(way); });
        watch("Tag(down " + name + ")", [&](auto& b) { b.template with<Tag>().down(way); });
        watch("Mark, !Tag(down " + name + ")",
              [&](auto& b) { b.template with<Mark>().template without<Tag>().down(way); });
        watch("(Kin,$x), !Tag($x, down " + name + ")", [&](auto& b) {
            b.template with<Kin>("$x").template without<Tag>().src("$x").down(way);
        });
    }
    // In tables, or beside them.
    void store_pairs(std::uint64_t choice) {
        const kith::id_t sparse[] = {world_.id<Kin>(), world_.id<Near>(), world_.id<Part>()};
        for (kith::id_t one : sparse) {
            if (choice % 2 != 0) {
                world_.entity(one).add(kith::Sparse);
            }
            choice /= 2;
        }
        if (choice % 2 != 0) {
            world_.entity(kith::ChildOf).remove(kith::Sparse);
        }
    }

    std::size_t below(std::size_t count) { return random_() % count; }
    std::string step() {
        kith::entity& one = entities_[below(entities_.size())];
        const kith::entity other = entities_[below(entities_.size())];
        const std::string who = "#" + std::to_string(kith::index_of(one)) + " ";
        const std::string whom = " #" + std::to_string(kith::index_of(other));
        const kith::id_t tags[] = {world_.id<Mark>(), world_.id<Tag>(), world_.id<Unit>(),
                                   world_.id<Knight>()};
        try {
            switch (below(12)) {
                case 0:
                case 1:
                    return who + toggle(one, kinds_[below(kinds_.size())], other) + whom;
                case 2:
                case 3:
                    return who + toggle(one, world_.id<Kin>(), other) + whom;
                case 4:
                case 5:
                    return who +
                           toggle(one, world_.id<Near>(),
                                  below(3) || !home_.is_alive() ? other : home_) +
                           whom;
                case 6:
                    return below(3) == 0 ? end(below(20) == 0 ? home_ : one) : "nothing";
                case 7:
                    if (below(3) != 0) {
                        return "nothing";
                    }
                    one.clear();
                    return who + "is cleared";
                default:
                    return who + toggle(one, tags[below(4)]);
            }
        } catch (const kith::error&) {
            return who + "failed";
        }
    }
    template <class... Target>
    std::string toggle(kith::entity one, kith::id_t id, Target... target) {
        const std::string name = world_.entity(id).name().c_str();
        if (one.owns(id, target...)) {
            one.remove(id, target...);
            return "loses " + name;
        }
        one.add(id, target...);
        return "gets " + name;
    }
    // Its children go, too.
    std::string end(kith::entity one) {
        const std::string who = "#" + std::to_string(kith::index_of(one));
        is_end_ = true;
        const bool several = below(4) == 0;
        if (several) {
            world_.delete_with<Unit>();
        } else if (one.is_alive()) {
            one.destruct();
        }
        for (kith::entity& each : entities_) {
            if (!each.is_alive()) {
                each = world_.entity();
            }
        }
        return (several ? "all with Unit" : who) + " end";
    }

    std::mt19937_64 random_;
    bool is_end_ = false;                                  // the last step deleted something
    std::vector<std::unique_ptr<result_mirror>> mirrors_;  // outlive the world
    kith::world world_;
    kith::entity home_;
    std::vector<kith::id_t> kinds_{kith::ChildOf};
    std::vector<kith::entity> entities_;
};

}  // namespace

TEST_SUITE("model.term_truth") {
    TEST_CASE("results that observers are told of are those that queries find") {
        std::string found;
        const std::vector<std::uint64_t> seeds = random_programs::chosen_seeds(40);
        for (std::size_t i = 0; i < seeds.size() && found.empty(); ++i) {
            found = truth_program(seeds[i]).run(300);
            found = found.empty() ? found : "seed " + std::to_string(seeds[i]) + ": " + found;
        }
        CHECK_MESSAGE(found.empty(), found);
    }
}
