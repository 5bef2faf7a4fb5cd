// Random queues of commands about types that end and are used again, values, enums, parents and
// whole removals: a queue comes to what its commands come to one by one, in another world.
#include <kith/kith.hpp>

#include "support/random_programs.hpp"

#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace {

struct Text {
    std::string text = "a default value that is too long for small strings";
};
struct Point {
    int x = 0;
};
struct Load {  // sparse
    std::string text;
};
struct Shared {  // of the world
    std::string text;
};
enum class Mood { Fair, Good, Best };

// A world whose entities are known by numbers.
class numbered_world {
public:
    explicit numbered_world(std::size_t count) : entities_(count) {
        relation_ = world_.entity("Relation");
        symmetric_ = world_.entity("Symmetric").add(kith::Symmetric);
        renew();
        // Callbacks shrink the world: what the running change needs must stay.
        world_.observer()
            .with(kith::Wildcard)
            .event(kith::OnAdd)
            .event(kith::OnRemove)
            .each([this](kith::entity) {
                if (++calls_ % 4 == 0) {
                    world_.shrink();
                }
            });
    }
    numbered_world(const numbered_world&) = delete;
    numbered_world& operator=(const numbered_world&) = delete;

    kith::world& world() { return world_; }
    const kith::world& world() const { return world_; }
    kith::entity at(std::size_t number) const { return entities_[number]; }
    kith::entity relation() const { return relation_; }
    kith::entity symmetric() const { return symmetric_; }
    template <class T>
    kith::entity type() const {
        return kith::entity(world_, kith::type_id<T>());
    }
    // Those that have ended are replaced, and types are there again.
    void renew() {
        for (kith::entity& one : entities_) {
            if (!one || !one.is_alive()) {
                one = world_.entity();
            }
        }
        world_.component<Text>();
        world_.component<Point>();
        world_.component<Mood>();
        if (!world_.component<Load>().has(kith::Sparse)) {
            world_.component<Load>().add(kith::Sparse);
        }
    }
    std::map<std::string, std::string> state() const {
        std::map<std::string, std::string> all;
        for (std::size_t i = 0; i < entities_.size(); ++i) {
            const std::string who = "#" + std::to_string(i) + " ";
            if (!at(i).is_alive()) {
                continue;
            }
            note(all, who + "Text", at(i).get<Text>());
            note(all, who + "Load", at(i).get<Load>());
            note(all, who + "(Relation, Text)", at(i).get_second<Text>(relation_));
            if (const Point* point = at(i).get<Point>()) {
                all[who + "Point"] = std::to_string(point->x);
            }
            if (const Mood* mood = at(i).get<Mood>()) {
                all[who + "Mood"] = std::to_string(static_cast<int>(*mood));
            }
            for (std::size_t k = 0; k < entities_.size(); ++k) {
                const bool alive = at(k).is_alive();
                if (alive && at(i).has(symmetric_, at(k))) {
                    all[who + "Symmetric " + std::to_string(k)];
                }
                if (alive && at(i).parent() == at(k)) {
                    all[who + "child of " + std::to_string(k)];
                }
            }
        }
        note(all, "Shared", world_.get<Shared>());
        return all;
    }

private:
    template <class T>
    static void note(std::map<std::string, std::string>& all, const std::string& where,
                     const T* value) {
        if (value) {
            all[where] = value->text;
        }
    }

    std::size_t calls_ = 0;
    std::vector<kith::entity> entities_;
    kith::world world_;
    kith::entity relation_;
    kith::entity symmetric_;
};

class queue_program {
public:
    explicit queue_program(std::uint64_t seed) : random_(seed) {}

    // What is wrong after some queues, or nothing.
    std::string run(int queues) {
        for (int i = 0; i < queues; ++i) {
            if (std::string what = run_queue(); !what.empty()) {
                return what;
            }
        }
        return {};
    }

private:
    static constexpr std::size_t entity_count = 4;
    struct command {
        std::string text;
        std::function<void(numbered_world&)> run;
    };

    std::size_t below(std::size_t count) { return random_() % count; }
    std::string any_text() {
        return "a text that is too long for small strings, " + std::to_string(below(1000));
    }

    std::string run_queue() {
        std::string program;
        queued_.world().defer([&] {
            for (std::size_t left = 1 + below(8); left > 0; --left) {
                program += step(choose(below(entity_count), below(entity_count)));
            }
        });
        queued_.world().check();
        const auto expected = alone_.state();
        const auto actual = queued_.state();
        alone_.renew();
        queued_.renew();
        return actual == expected ? std::string{}
                                  : "the queue came to" + text_of(actual) + ", should be" +
                                        text_of(expected) + "\nafter" + program;
    }
    // A command that works is queued, too.
    std::string step(const command& chosen) {
        try {
            chosen.run(alone_);
        } catch (const kith::error&) {
            return {};
        }
        chosen.run(queued_);
        return " " + chosen.text + ";";
    }
    command choose(std::size_t one, std::size_t other) {
        const std::string who = " #" + std::to_string(one);
        switch (below(5)) {
            case 0:
                return choose_ending(one, who);
            case 1:
                return choose_pair(one, other, who);
            default:
                return choose_value(one, who);
        }
    }
    command choose_value(std::size_t one, const std::string& who) {
        const std::string text = any_text();
        const int number = static_cast<int>(below(1000));
        switch (below(12)) {
            case 9:
                return {"add Shared", [=](auto& in) { in.world().template add<Shared>(); }};
            case 10:
                return {"write Shared",
                        [=](auto& in) { in.world().template get_mut<Shared>()->text = text; }};
            case 0:
            case 1:
                return {"set Text" + who, [=](auto& in) { in.at(one).set(Text{text}); }};
            case 2:
                return {"emplace Text" + who,
                        [=](auto& in) { in.at(one).template emplace<Text>(text); }};
            case 3:
                return {"add Text" + who, [=](auto& in) { in.at(one).template add<Text>(); }};
            case 4:
                return {"write Text" + who,
                        [=](auto& in) { in.at(one).template get_mut<Text>()->text = text; }};
            case 5:
                return {"remove Text" + who, [=](auto& in) { in.at(one).template remove<Text>(); }};
            case 6:
                return {"set Load" + who, [=](auto& in) { in.at(one).set(Load{text}); }};
            case 7:
                return {"set Point" + who, [=](auto& in) { in.at(one).set(Point{number}); }};
            case 8:
                return {"set Shared", [=](auto& in) { in.world().set(Shared{text}); }};
            default:
                return choose_mood(one, who, static_cast<Mood>(number % 3));
        }
    }
    command choose_mood(std::size_t one, const std::string& who, Mood mood) {
        switch (below(4)) {
            case 0:
                return {"remove Mood" + who, [=](auto& in) { in.at(one).template remove<Mood>(); }};
            case 1:
                return {"write Mood" + who,
                        [=](auto& in) { *in.at(one).template get_mut<Mood>() = mood; }};
            case 2:
                return {"add Mood" + who, [=](auto& in) { in.at(one).add(mood); }};
            default:
                return {"set Mood" + who, [=](auto& in) { in.at(one).set(mood); }};
        }
    }
    command choose_pair(std::size_t one, std::size_t other, const std::string& who) {
        const std::string both = who + " #" + std::to_string(other);
        const std::string text = any_text();
        switch (below(7)) {
            case 0:
                return {"set (Relation, Text)" + who, [=](auto& in) {
                            in.at(one).template set_second<Text>(in.relation(), Text{text});
                        }};
            case 1:
                return {"remove (Relation, *)" + who,
                        [=](auto& in) { in.at(one).remove(in.relation(), kith::Wildcard); }};
            case 2:
                return {"add Symmetric" + both,
                        [=](auto& in) { in.at(one).add(in.symmetric(), in.at(other)); }};
            case 3:
                return {"add Symmetric, Point" + who, [=](auto& in) {
                            in.at(one).add(in.symmetric(), in.template type<Point>());
                        }};
            case 4:
                return {"remove Symmetric" + who,
                        [=](auto& in) { in.at(one).remove(in.symmetric(), kith::Wildcard); }};
            default:
                return {"child of" + both, [=](auto& in) { in.at(one).child_of(in.at(other)); }};
        }
    }
    command choose_ending(std::size_t one, const std::string& who) {
        switch (below(11)) {
            case 8:
                return {"end Shared", [](auto& in) { in.template type<Shared>().destruct(); }};
            case 9:
                return {"delete with Shared",
                        [](auto& in) { in.world().template delete_with<Shared>(); }};
            case 0:
                return {"end Text", [](auto& in) { in.template type<Text>().destruct(); }};
            case 1:
                return {"end Point", [](auto& in) { in.template type<Point>().destruct(); }};
            case 2:
                return {"end Load", [](auto& in) { in.template type<Load>().destruct(); }};
            case 3:
                return {"delete with Text",
                        [](auto& in) { in.world().template delete_with<Text>(); }};
            case 4:
                return {"remove all Text",
                        [](auto& in) { in.world().template remove_all<Text>(); }};
            case 5:
                return {"remove all Mood",
                        [](auto& in) { in.world().template remove_all<Mood>(); }};
            case 6:
                return {"remove all parents",
                        [](auto& in) { in.world().remove_all(kith::ChildOf, kith::Wildcard); }};
            case 7:
                return {"clear" + who, [=](auto& in) { in.at(one).clear(); }};
            default:
                return {"end" + who, [=](auto& in) { in.at(one).destruct(); }};
        }
    }
    static std::string text_of(const std::map<std::string, std::string>& state) {
        std::string text;
        for (const auto& [where, value] : state) {
            text += " " + where + "=" + value + ";";
        }
        return text;
    }

    std::mt19937_64 random_;
    numbered_world alone_{entity_count};
    numbered_world queued_{entity_count};
};

}  // namespace

TEST_SUITE("model.queue") {
    TEST_CASE("a queue comes to what its commands come to one by one") {
        std::string found;
        const std::vector<std::uint64_t> seeds = random_programs::chosen_seeds(60);
        kith::set_log([](const char*, void*) {});
        for (std::size_t i = 0; i < seeds.size() && found.empty(); ++i) {
            try {
                found = queue_program(seeds[i]).run(40);
            } catch (const kith::error& failed) {
                found = failed.what();
            }
            found = found.empty() ? found : "seed " + std::to_string(seeds[i]) + ": " + found;
        }
        kith::set_log(nullptr);
        CHECK_MESSAGE(found.empty(), found);
    }
}
