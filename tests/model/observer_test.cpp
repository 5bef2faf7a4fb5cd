// Random programs, with everything observed. A mirror of who has what, kept by events alone, equals
// the world after every step; and what observers are told is what happened to the entities that
// queries see, in the same order. Listeners of one event are called in the order of their
// registration, whether they listen to the id or to a wildcard.
#include "events/registry.hpp"
#include "mutate/context/stage.hpp"
#include "support/model/generator.hpp"
#include "support/model/shrinking.hpp"
#include "support/random_programs.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <tuple>
#include <utility>

#include <doctest/doctest.h>

namespace {

using namespace model;

struct told {
    entity_t event;
    kith::id_t id;
    entity_t entity;
    bool operator==(const told&) const = default;
};

class watcher {
public:
    explicit watcher(runner& both) : world_(both.world()) {
        for (entity_t event : {kith::OnAdd, kith::OnSet, kith::OnRemove}) {
            for (kith::id_t pattern : patterns) {
                registry().add(raw_, event, pattern);
            }
        }
        for (ordered_listener& one : ordered_) {
            registry().add(one, kith::OnAdd, one.pattern);
            registry().add(one, kith::OnRemove, one.pattern);
        }
        for (kith::id_t pattern : patterns) {
            // Far from the ids that programs use.
            const entity_t far = kith::first_entity + 100000 + observers_.size();
            const std::string name = "watcher" + std::to_string(far);
            world_.make_alive(far).set_name(name.c_str());
            observers_.push_back(
                world_.observer(name.c_str())
                    .event(kith::OnAdd)
                    .event(kith::OnSet)
                    .event(kith::OnRemove)
                    .with(pattern)
                    .self()
                    .each([this](kith::iter& it, std::size_t row) {
                        const bool own = !it.src(1) && it.entity(row).owns(it.event_id());
                        if (own && kith::index_of(it.entity(row)) >= kith::first_entity) {
                            observed_.push_back({it.event(), it.event_id(), it.entity(row)});
                        }
                    }));
        }
        both.expect_others(observers_.size());
        visible_.clear();
        observed_.clear();
        changes_.clear();
        for_each_entity([&](kith::entity one) { mirror_[one] = ids_of(one); });
    }
    ~watcher() {
        for (kith::observer one : observers_) {
            one.destruct();
        }
        for (entity_t event : {kith::OnAdd, kith::OnSet, kith::OnRemove}) {
            for (kith::id_t pattern : patterns) {
                registry().remove(raw_, event, pattern);
            }
        }
        for (ordered_listener& one : ordered_) {
            registry().remove(one, kith::OnAdd, one.pattern);
            registry().remove(one, kith::OnRemove, one.pattern);
        }
    }
    watcher(const watcher&) = delete;
    watcher& operator=(const watcher&) = delete;

    // What is wrong after a step, or nothing. `foreseeable`: what ids mean did not
    // change in it, and no command failed.
    std::string check(bool foreseeable) {
        if (!fault_.empty()) {
            return fault_;
        }
        if (visible_ != observed_) {
            return "observers were told " + text(observed_) + ", should be " + text(visible_);
        }
        for (const told& one : std::exchange(repeated_, {})) {
            // Of what is deleted in the same step, more may be told.
            if (foreseeable && world_.is_alive(one.entity) && is_alive(one.id) &&
                can_be_kept(one.id)) {
                return "was told twice: " + text({one});
            }
        }
        count_ += observed_.size();
        visible_.clear();
        observed_.clear();
        changes_.clear();
        std::map<entity_t, std::set<kith::id_t>> actual;
        for_each_entity([&](kith::entity one) { actual[one] = ids_of(one); });
        for (const auto& [entity, ids] : actual) {
            if (mirror_[entity] != ids) {
                return "the mirror of " + std::string(world_.id(entity).str().c_str()) +
                       " differs from " + world_.entity(entity).type().str().c_str();
            }
        }
        for (auto at = mirror_.begin(); at != mirror_.end();) {
            if (actual.count(at->first) == 0 && !at->second.empty()) {
                return "an entity went without its ids";
            }
            at = actual.count(at->first) == 0 ? mirror_.erase(at) : std::next(at);
        }
        return {};
    }
    std::size_t count() const { return count_; }

private:
    static constexpr kith::id_t patterns[] = {kith::Wildcard,
                                              kith::make_pair(kith::Wildcard, kith::Wildcard)};
    struct raw_listener : kith::events::listener {
        watcher* owner;
    };
    struct ordered_listener : kith::events::listener {
        watcher* owner;
        int number;
        kith::id_t pattern;
    };

    kith::events::registry& registry() const { return kith::mutate::stage_of(world_).events; }
    static void on_event(kith::events::listener& me, const kith::events::event_data& what) {
        static_cast<raw_listener&>(me).owner->note(what);
    }
    static void on_ordered(kith::events::listener& me, const kith::events::event_data& what) {
        const auto& called = static_cast<ordered_listener&>(me);
        called.owner->note_order(called.number, {what.event, what.id, what.entity});
    }
    // The first listener begins a new event.
    void note_order(int number, const told& event) {
        const bool follows = event == last_event_ && number > last_number_;
        if (event.id == kith::type_id<Trivial>() && number != 0 && !follows) {
            fault_ = "listeners were called out of order: " + text({event});
        }
        last_event_ = event;
        last_number_ = number;
    }
    void note(const kith::events::event_data& what) {
        if (kith::index_of(what.entity) < kith::first_entity) {
            return;  // types; queries see those, too, but not what every world has
        }
        const bool is_set = what.event == kith::OnSet;
        if (!changes_.insert({what.entity, what.id, is_set}).second) {
            repeated_.push_back({what.event, what.id, what.entity});
        }
        std::set<kith::id_t>& ids = mirror_[what.entity];
        if (what.event == kith::OnAdd && !ids.insert(what.id).second) {
            fault_ = "was added twice: " + text({{what.event, what.id, what.entity}});
        }
        if (what.event == kith::OnRemove && ids.erase(what.id) == 0) {
            fault_ = "was removed twice: " + text({{what.event, what.id, what.entity}});
        }
        kith::entity one = world_.entity(what.entity);
        // What a command that failed was to bring back is gone when it is told of: queries that are
        // observed do not find it.
        if (what.event == kith::OnRemove && !one.owns(what.id)) {
            return;
        }
        if (!one.owns(kith::Prefab) && !one.owns(kith::Disabled) && one.enabled(what.id)) {
            visible_.push_back({what.event, what.id, what.entity});
        }
    }
    template <class Visit>
    void for_each_entity(Visit&& visit) {
        kith::mutate::stage_of(world_).data.entities.each(
            [&](entity_t entity) { visit(world_.entity(entity)); }, kith::first_entity);
    }
    bool is_alive(kith::id_t id) const {
        auto alive = [&](std::uint32_t index) { return world_.get_alive(index).is_valid(); };
        return kith::is_pair(id) ? alive(kith::pair_first(id)) && alive(kith::pair_second(id))
                                 : world_.is_alive(id);
    }
    // Values that cannot be copied are told of as they go.
    bool can_be_kept(kith::id_t id) const {
        const kith::storage::id_info known =
            kith::traits::describe_id(kith::mutate::stage_of(world_).data, id);
        return !known.value_type || known.value_type->info.can_copy();
    }
    static std::set<kith::id_t> ids_of(kith::entity one) {
        std::set<kith::id_t> ids;
        for (kith::id_t id : one.type()) {
            if (!(id & kith::Override)) {
                ids.insert(id);
            }
        }
        return ids;
    }
    std::string text(const std::vector<told>& events) const {
        std::string all;
        for (const told& one : events) {
            all += std::string(world_.id(one.event).str().c_str()) + " " +
                   world_.id(one.id).str().c_str() + " " + world_.id(one.entity).str().c_str() +
                   "; ";
        }
        return all;
    }

    kith::world& world_;
    raw_listener raw_{{on_event, kith::OnAdd}, this};  // known to programs, as observers are
    // The lists of a component and of the wildcard take turns.
    ordered_listener ordered_[3] = {
        {{on_ordered, kith::OnAdd}, this, 0, kith::type_id<Trivial>()},
        {{on_ordered, kith::OnAdd}, this, 1, kith::Wildcard},
        {{on_ordered, kith::OnAdd}, this, 2, kith::type_id<Trivial>()},
    };
    told last_event_{};
    int last_number_ = 0;
    std::map<entity_t, std::set<kith::id_t>> mirror_;
    // Of this step: entity, id, whether its value was set; else it was added or removed.
    std::set<std::tuple<entity_t, kith::id_t, bool>> changes_;
    std::vector<told> repeated_;
    std::vector<told> visible_;   // what happened to those that queries see
    std::vector<told> observed_;  // what observers were told, of entities themselves
    std::vector<kith::observer> observers_;
    std::string fault_;
    std::size_t count_ = 0;
};

// A program that is run while everything is observed.
class observed_run {
public:
    // What is wrong after the step, or nothing.
    std::string step(const op& one) {
        foreseeable_ &= one.kind != op_kind::add_property && one.kind != op_kind::remove_property;
        both_.step(one);
        std::string what = watch_.check(foreseeable_ && !both_.was_refused());
        foreseeable_ |= one.kind == op_kind::defer_end && !both_.is_deferred();
        return what;
    }
    std::string finish() {
        both_.finish();
        return watch_.check(false);
    }
    const runner& state() const { return both_; }
    std::size_t count() const { return watch_.count(); }

private:
    runner both_;
    watcher watch_{both_};
    bool foreseeable_ = true;
};

template <class Run>
std::string check_invariants(Run&& run) {
    try {
        return run();
    } catch (const out_of_scope&) {
        return {};
    } catch (const std::exception& found) {
        return found.what();
    }
}

std::string run_program(const std::vector<op>& program) {
    return check_invariants([&] {
        observed_run run;
        std::string what;
        for (std::size_t i = 0; i < program.size() && what.empty(); ++i) {
            what = run.step(program[i]);
        }
        return what.empty() ? run.finish() : what;
    });
}

// The program that is running, for the report of a crash.
std::uint64_t running_seed = 0;
std::vector<op> running;

std::string report_crash() {
    return report_shrunk(running_seed, "crashed", running, run_program);
}

std::string run_seed(std::uint64_t seed, std::size_t steps, std::size_t& told_count) {
    running_seed = seed;
    running.clear();
    generator random(seed);
    const std::string found = check_invariants([&] {
        observed_run run;
        std::string what;
        while (running.size() < steps && what.empty()) {
            running.push_back(random.next(run.state()));
            what = run.step(running.back());
        }
        told_count += run.count();
        return what.empty() ? run.finish() : what;
    });
    return found.empty() ? found : report_shrunk(seed, found, running, run_program);
}

// What entities see through a term, as its observers are told: who has it, and the value.
class seen_mirror {
public:
    template <class Expected>
    seen_mirror(kith::world& world, std::string name, kith::id_t id, kith::entity_t up, bool self,
                Expected expected)
        : name_(std::move(name)), expected_(expected) {
        auto building =
            world.observer().event(kith::OnAdd).event(kith::OnSet).event(kith::OnRemove).term(id);
        if (self) {
            building.self();
        }
        if (up != 0) {
            building.up(up);
        }
        building.each([this](kith::iter& it, std::size_t row) { note(it, row); });
    }
    seen_mirror(const seen_mirror&) = delete;
    seen_mirror& operator=(const seen_mirror&) = delete;

    std::string check(const std::vector<kith::entity>& entities) const {
        std::map<entity_t, int> truth;
        for (kith::entity one : entities) {
            if (std::optional<int> value = expected_(one)) {
                truth[one] = *value;
            }
        }
        if (!fault_.empty()) {
            return name_ + ": " + fault_;
        }
        std::string text = name_ + ":";
        for (const auto& [entity, value] : seen_) {
            text += " #" + std::to_string(kith::index_of(entity)) + "=" + std::to_string(value);
        }
        text += " should be";
        for (const auto& [entity, value] : truth) {
            text += " #" + std::to_string(kith::index_of(entity)) + "=" + std::to_string(value);
        }
        return truth == seen_ ? std::string{} : text;
    }

private:
    void note(kith::iter& it, std::size_t row) {
        const kith::entity one = it.entity(row);
        const void* field = it.field(1);
        const int value = field ? *static_cast<const int*>(field) : 0;
        const std::string who = " of #" + std::to_string(kith::index_of(one));
        if (it.event() == kith::OnRemove) {
            fault_ += seen_.erase(one) == 0 ? "goes twice" + who : "";
            return;
        }
        const bool known = seen_.count(one) != 0;
        fault_ += it.event() == kith::OnAdd && known ? "comes twice" + who : "";
        fault_ += it.event() == kith::OnSet && !known ? "is set before it comes" + who : "";
        seen_[one] = value;
    }

    std::string name_;
    std::function<std::optional<int>(kith::entity)> expected_;
    std::map<entity_t, int> seen_;
    std::string fault_;
};

struct Worth {
    int number = 0;
};
struct Beside {
    int number = 0;
};
struct Alone {
    int number = 0;
};
struct Mark {};

// Entities with several bases, parents, values of their own and inherited ones, marks.
class sight_program {
public:
    explicit sight_program(std::uint64_t seed)
        : random_(seed), has_bases_(seed % 4 != 0), has_ends_(seed % 4 != 1) {
        world_.component<Beside>().add(kith::Sparse);
        world_.component<Alone>().add(kith::DontInherit);
        watch<Worth>("Worth");
        watch<Beside>("Beside");
        watch<Alone>("Alone");
        mirrors_.push_back(std::make_unique<seen_mirror>(
            world_, "Mark", world_.id<Mark>(), 0, false, [](kith::entity one) {
                return one.has<Mark>() ? std::optional<int>(0) : std::nullopt;
            }));
        mirrors_.push_back(std::make_unique<seen_mirror>(
            world_, "own Worth", world_.id<Worth>(), 0, true, [](kith::entity one) {
                return one.owns<Worth>() ? std::optional<int>(one.get<Worth>()->number)
                                         : std::nullopt;
            }));
        watch_above();
        for (int i = 0; i < 7; ++i) {
            entities_.push_back(world_.entity());
        }
    }

    // What is wrong after some steps, or nothing.
    std::string run(int steps) {
        std::string program;
        for (int i = 0; i < steps; ++i) {
            program += step() + "; ";
            for (const auto& mirror : mirrors_) {
                if (std::string what = mirror->check(entities_); !what.empty()) {
                    const std::size_t shown = std::min<std::size_t>(program.size(), 900);
                    return what + "\nafter " + program.substr(program.size() - shown);
                }
            }
        }
        return {};
    }

private:
    template <class T>
    void watch(const char* name) {
        mirrors_.push_back(std::make_unique<seen_mirror>(
            world_, name, world_.id<T>(), 0, false, [](kith::entity one) {
                const T* value = one.get<T>();
                return value ? std::optional<int>(value->number) : std::nullopt;
            }));
    }
    // What the nearest of those above has, its own or inherited.
    template <class T>
    static kith::entity holder_above(kith::entity one) {
        kith::entity at = one.parent();
        while (at && !at.has<T>()) {
            at = at.parent();
        }
        return at;
    }
    void watch_above() {
        mirrors_.push_back(std::make_unique<seen_mirror>(
            world_, "Mark above", world_.id<Mark>(), kith::ChildOf, false, [](kith::entity one) {
                return holder_above<Mark>(one) ? std::optional<int>(0) : std::nullopt;
            }));
        if (has_bases_) {
            return;  // a default value that a base's mark gives is not notified as set
        }
        mirrors_.push_back(std::make_unique<seen_mirror>(
            world_, "Worth above", world_.id<Worth>(), kith::ChildOf, false, [](kith::entity one) {
                const kith::entity holder = holder_above<Worth>(one);
                return holder ? std::optional<int>(holder.get<Worth>()->number) : std::nullopt;
            }));
    }
    std::size_t below(std::size_t count) { return random_() % count; }
    template <class T>
    std::string change_value(kith::entity one, const std::string& name) {
        const int number = static_cast<int>(below(1000)) + 1;
        switch (below(4)) {
            case 0:
                // A default value that hides another one further up is not notified as set.
                if (one.has<T>() || !holder_above<T>(one)) {
                    one.add<T>();
                }
                return "add " + name;
            case 1:
                one.remove<T>();
                return "remove " + name;
            default:
                one.set(T{number});
                return "set " + name + " " + std::to_string(number);
        }
    }
    std::string change_mark(kith::entity one) {
        if (one.owns<Mark>()) {
            one.remove<Mark>();
            return "remove Mark";
        }
        one.add<Mark>();
        return "add Mark";
    }
    std::string step() {
        kith::entity& one = entities_[below(entities_.size())];
        const kith::entity other = entities_[below(entities_.size())];
        const std::string who = " #" + std::to_string(kith::index_of(one));
        const std::string whom = " #" + std::to_string(kith::index_of(other));
        try {
            switch (has_bases_ ? below(14) : 5 + below(9)) {
                case 0:
                case 1:
                case 2:
                    one.is_a(other);
                    return who + " is a" + whom;
                case 3:
                    one.remove(kith::IsA, other);
                    return who + " is no" + whom;
                case 4:
                    one.remove(kith::IsA, kith::Wildcard);
                    return who + " is nothing";
                case 5:
                    one.child_of(other);
                    return who + " child of" + whom;
                case 6:
                    one.remove(kith::ChildOf, kith::Wildcard);
                    return who + " is no child";
                case 7:
                    return below(3) == 0 && has_ends_ ? end(one) : "nothing";
                case 8:
                    one.override<Worth>();
                    return who + " marks Worth";
                case 9:
                    return has_ends_ ? "nothing" : who + change_value<Beside>(one, " Beside");
                case 10:
                    return who + change_value<Alone>(one, " Alone");
                case 11:
                    return who + " " + change_mark(one);
                default:
                    return who + " " + change_value<Worth>(one, "Worth");
            }
        } catch (const kith::error&) {
            return who + " failed";
        }
    }
    // Its children go, too.
    std::string end(kith::entity one) {
        one.destruct();
        for (kith::entity& each : entities_) {
            if (!each.is_alive()) {
                each = below(2) ? world_.entity() : entities_[below(entities_.size())];
                each = each.is_alive() && below(2) ? each.clone() : world_.entity();
            }
        }
        return "#" + std::to_string(kith::index_of(one)) + " ends";
    }

    std::mt19937_64 random_;
    bool has_bases_;
    bool has_ends_;  // else values beside tables are set: those of who ends go too early
    std::vector<std::unique_ptr<seen_mirror>> mirrors_;  // outlive the world
    kith::world world_;
    std::vector<kith::entity> entities_;
};

}  // namespace

TEST_SUITE("model.observer") {
    TEST_CASE("events are the difference between before and after, in the order of observers") {
        const std::vector<std::uint64_t> seeds = random_programs::chosen_seeds(12);
        const std::size_t steps = random_programs::number_from_environment("KITH_STEPS", 1500);
        std::size_t told_count = 0;
        std::string found;
        random_programs::crash_watch watch("model.observer", report_crash);
        for (std::size_t i = 0; i < seeds.size() && found.empty(); ++i) {
            found = run_seed(seeds[i], steps, told_count);
        }
        CHECK_MESSAGE(found.empty(), found);
        CHECK(told_count > seeds.size() * steps / 10);
    }

    TEST_CASE("what entities see through bases and parents is what observers were told") {
        std::string found;
        const std::vector<std::uint64_t> seeds = random_programs::chosen_seeds(40);
        for (std::size_t i = 0; i < seeds.size() && found.empty(); ++i) {
            found = sight_program(seeds[i]).run(300);
            found = found.empty() ? found : "seed " + std::to_string(seeds[i]) + ": " + found;
        }
        CHECK_MESSAGE(found.empty(), found);
    }
}
