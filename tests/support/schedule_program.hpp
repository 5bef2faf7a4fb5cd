// Random programs of systems for the model of schedules: the description of a program, the
// generator, and the callbacks, which the frames of kith and the reference interpreter share.
//
// Entities have a Label, so that worlds can be compared whose ids differ. A callback is a function
// of (program, system, frame, label, values that are read); everything that it touches follows from
// the description of its system.
#pragma once

#include <kith/kith.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace schedule_program {

template <int N>
struct Value {
    std::uint64_t v = 0;
};
struct Label {
    std::uint64_t v = 0;
};

inline constexpr int value_count = 4;  // Value<3> is sparse
inline constexpr int tag_count = 3;
inline constexpr int hub_count = 3;  // entities that stay: sources, targets, parents

inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept {
    std::uint64_t h =
        (a ^ (b + 0x9E3779B97F4A7C15ull + (a << 6) + (a >> 2))) * 0xFF51AFD7ED558CCDull;
    return h ^ (h >> 33);
}

// The ids of a program, which are the same in all worlds of one program's runs.
enum class id_kind : std::uint8_t { value, tag, likes, docked, parent, label, everything };
struct named_id {
    id_kind kind;
    int number = 0;
    bool operator==(const named_id&) const = default;
};
inline bool overlap(const named_id& a, const named_id& b) {
    return a == b || a.kind == id_kind::everything || b.kind == id_kind::everything;
}

enum class term_kind : std::uint8_t {
    read,
    write,
    without,
    optional,
    up,
    fixed,
    tag,
    likes,
    without_tag,
    docked
};
struct term_spec {
    term_kind kind;
    int number = 0;
    int hub = 0;
};

enum class action_kind : std::uint8_t {
    set,
    remove,
    ensure,
    add_tag,
    remove_tag,
    like,
    unlike,
    dock,
    create,
    name,
    reparent,
    destruct,
    clone,
    count,
    toggle,
};
struct action_spec {
    action_kind kind;
    int number = 0;
    int hub = 0;
};

enum class way : std::uint8_t { alone, parallel, split, immediate };
enum class condition_kind : std::uint8_t { none, frame, tag };

struct system_spec {
    int number = 0;
    int phase = 1;  // 0: PreUpdate, 1: OnUpdate, 2: Physics, 3: OnStore
    schedule_program::way way = way::alone;
    bool main_thread = false;
    bool barrier = false;
    int part_rows = 0;
    bool by_entity = false;        // the callback takes entities, and no iterator
    std::vector<term_spec> terms;  // none: a task
    std::vector<action_spec> actions;
    std::vector<named_id> writes;
    std::vector<named_id> reads;
    std::vector<int> after;  // systems of the same phase
    condition_kind condition = condition_kind::none;
    int condition_number = 0;
    int rate = 0;               // 0: each frame
    std::int64_t interval = 0;  // ns
    int throws_in = 0;          // frame in which the first row throws; 0: none
    kith::on_error policy = kith::on_error::stop;
};

struct program {
    std::uint64_t seed = 0;
    std::vector<system_spec> systems;
    bool fixed = false;  // Physics runs in steps of 1 s
    int entities = 0;
    std::vector<std::int64_t> frames;  // their durations in ns
};

struct model_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// -- the generator

class generator {
public:
    explicit generator(std::uint64_t seed) : random_(seed) { made_.seed = seed; }

    // For threads: most systems are parallel and share a phase, and split systems may fail, which
    // ends one of their parts: the reference does not know parts.
    program make(bool for_threads = false) {
        for_threads_ = for_threads;
        made_.fixed = chance(50);
        made_.entities = below(40) + 10;
        const int count = below(10) + 3;
        for (int i = 0; i < count; ++i) {
            made_.systems.push_back(make_system(i));
        }
        if (chance(30)) {
            make_crowd();
        }
        static constexpr std::int64_t times[] = {1'000'000'000, 500'000'000, 2'000'000'000,
                                                 16'666'667};
        for (int i = 0; i < 8; ++i) {
            made_.frames.push_back(times[below(4)]);
        }
        return made_;
    }

private:
    int below(int end) { return static_cast<int>(random_() % static_cast<unsigned>(end)); }
    bool chance(int percent) { return below(100) < percent; }

    system_spec make_system(int number) {
        system_spec made;
        made.number = number;
        made.phase = below(4);
        made.way = chance(45)   ? way::alone
                   : chance(50) ? way::split
                   : chance(80) ? way::parallel
                                : way::immediate;
        if (for_threads_ && chance(80)) {
            made.way = chance(50) ? way::split : way::parallel;
            made.phase = 1;
        }
        made.main_thread = made.way == way::parallel && chance(30);
        made.barrier = chance(10);
        made.part_rows = made.way == way::split && chance(60) ? below(6) + 1 : 0;
        if (!chance(12)) {
            make_terms(made);
        }
        make_actions(made);
        make_timing(made);
        for (int other = 0; other < number; ++other) {
            system_spec& known = made_.systems[static_cast<std::size_t>(other)];
            if (known.phase == made.phase && chance(15)) {
                rank_of(other) < rank_of(number) ? made.after.push_back(other)
                                                 : known.after.push_back(number);
            }
        }
        return made;
    }
    // Systems that match nothing until another one docks entities, some frames later.
    void make_crowd() {
        for (int i = 0; i < 8; ++i) {
            made_.systems.push_back(make_idle_system(static_cast<int>(made_.systems.size())));
        }
        system_spec docks;
        docks.number = static_cast<int>(made_.systems.size());
        docks.rate = below(3) + 2;
        docks.terms.push_back({term_kind::read, 0});
        for (int hub = 0; hub < hub_count; ++hub) {
            add_action(docks, {action_kind::dock, 0, hub});
        }
        made_.systems.push_back(docks);
    }
    system_spec make_idle_system(int number) {
        system_spec made;
        made.number = number;
        made.phase = below(4);
        made.by_entity = true;
        made.terms.push_back({term_kind::docked, 0, below(hub_count)});
        add_action(made, {action_kind::set, below(value_count), 0});
        return made;
    }
    // Edges lead from lower to higher ranks, so that they form no circle.
    std::uint64_t rank_of(int system) const {
        return mix(made_.seed, static_cast<std::uint64_t>(system));
    }
    bool is_parallel(const system_spec& made) const {
        return made.way == way::parallel || made.way == way::split;
    }
    // A split system does not read values of others that it writes itself.
    void make_terms(system_spec& made) {
        bool written[value_count] = {};
        bool shared[value_count] = {};
        for (int count = below(4) + 1; count > 0; --count) {
            term_spec term{static_cast<term_kind>(below(9)), below(value_count), below(hub_count)};
            const bool is_shared = term.kind == term_kind::up || term.kind == term_kind::fixed;
            if (is_shared &&
                (term.number == 3 || (made.way == way::split && written[term.number]))) {
                term.kind = term_kind::read;
            }
            if (term.kind == term_kind::write && shared[term.number] && made.way == way::split) {
                term.kind = term_kind::read;
            }
            written[term.number] = written[term.number] || term.kind == term_kind::write;
            shared[term.number] =
                shared[term.number] || term.kind == term_kind::up || term.kind == term_kind::fixed;
            const bool by_tag = term.kind == term_kind::tag || term.kind == term_kind::without_tag;
            term.number = by_tag ? term.number % tag_count : term.number;
            made.terms.push_back(term);
        }
    }
    // Parallel systems declare all of their commands; others forget some, so that sync points are
    // missing.
    void declare(system_spec& made, named_id id) {
        if (is_parallel(made) || chance(75)) {
            made.writes.push_back(id);
        }
    }
    bool lacks(const system_spec& made, int value) const {
        for (const term_spec& term : made.terms) {
            if (term.kind == term_kind::without && term.number == value) {
                return true;
            }
        }
        return false;
    }
    void make_actions(system_spec& made) {
        for (int count = below(4); count > 0; --count) {
            action_spec action{static_cast<action_kind>(below(15)), below(value_count),
                               below(hub_count)};
            // The clone of an entity that is deleted in the same stretch is an error of a command.
            const action_kind excluded =
                made_.seed % 2 == 0 ? action_kind::clone : action_kind::destruct;
            if (action.kind == excluded || !is_allowed(made, action)) {
                action.kind = action_kind::set;
            }
            add_action(made, action);
        }
        if (chance(15) && made.way != way::split) {
            made.reads.push_back({id_kind::value, below(value_count)});
        }
    }
    // Values that are missing are found by the part that queued them: only systems that see them
    // missing ask for them, except alone ones. Tasks have no row to change.
    bool is_allowed(const system_spec& made, const action_spec& action) const {
        switch (action.kind) {
            case action_kind::ensure:
                return lacks(made, action.number) && !made.terms.empty();
            case action_kind::count:
            case action_kind::toggle:
                return !is_parallel(made);
            case action_kind::name:
            case action_kind::destruct:
                return !is_parallel(made) || made.way == way::parallel;
            default:
                return true;
        }
    }
    void add_action(system_spec& made, const action_spec& action) {
        made.actions.push_back(action);
        switch (action.kind) {
            case action_kind::set:
            case action_kind::remove:
            case action_kind::ensure:
                declare(made, {id_kind::value, action.number});
                break;
            case action_kind::add_tag:
            case action_kind::remove_tag:
                declare(made, {id_kind::tag, action.number % tag_count});
                break;
            case action_kind::like:
            case action_kind::unlike:
                declare(made, {id_kind::likes});
                break;
            case action_kind::dock:
                declare(made, {id_kind::docked});
                break;
            case action_kind::create:
                declare(made, {id_kind::value, action.number});
                declare(made, {id_kind::label});
                break;
            case action_kind::reparent:
                declare(made, {id_kind::parent});
                break;
            case action_kind::count:
                declare(made, {id_kind::value, 2});
                break;
            case action_kind::name:
            case action_kind::destruct:
            case action_kind::clone:
                declare(made, {id_kind::everything});
                break;
            case action_kind::toggle:
                break;
        }
    }
    void make_timing(system_spec& made) {
        if (chance(15)) {
            made.rate = below(3) + 1;
        } else if (chance(15)) {
            made.interval = (below(4) + 1) * 750'000'000ll;
        }
        if (chance(25)) {
            made.condition = chance(50) ? condition_kind::frame : condition_kind::tag;
            made.condition_number = below(tag_count);
        }
        if (chance(25) && (made.way != way::split || for_threads_)) {
            made.throws_in = below(4) + 1;
        }
        made.policy = static_cast<kith::on_error>(below(3));
    }

    std::mt19937_64 random_;
    bool for_threads_ = false;
    program made_;
};

// A program as text: one line for each system.
inline std::string to_text(const program& given) {
    std::string text = given.fixed ? "Physics is fixed\n" : "";
    for (const system_spec& system : given.systems) {
        text += "System" + std::to_string(system.number) + ": phase " +
                std::to_string(system.phase) + ", way " +
                std::to_string(static_cast<int>(system.way));
        text += system.barrier ? ", barrier" : "";
        text += system.part_rows ? ", part_rows " + std::to_string(system.part_rows) : "";
        for (const term_spec& term : system.terms) {
            text += ", term " + std::to_string(static_cast<int>(term.kind)) + "/" +
                    std::to_string(term.number) + "/" + std::to_string(term.hub);
        }
        for (const action_spec& action : system.actions) {
            text += ", action " + std::to_string(static_cast<int>(action.kind)) + "/" +
                    std::to_string(action.number) + "/" + std::to_string(action.hub);
        }
        for (const named_id& id : system.writes) {
            text += ", writes " + std::to_string(static_cast<int>(id.kind)) + "/" +
                    std::to_string(id.number);
        }
        for (const named_id& id : system.reads) {
            text += ", reads " + std::to_string(static_cast<int>(id.kind)) + "/" +
                    std::to_string(id.number);
        }
        for (const int other : system.after) {
            text += ", after " + std::to_string(other);
        }
        text += ", condition " + std::to_string(static_cast<int>(system.condition)) + "/" +
                std::to_string(system.condition_number) + ", rate " + std::to_string(system.rate) +
                ", interval " + std::to_string(system.interval) + ", throws in " +
                std::to_string(system.throws_in) + ", policy " +
                std::to_string(static_cast<int>(system.policy)) + "\n";
    }
    for (const std::int64_t dt : given.frames) {
        text += std::to_string(dt) + " ";
    }
    return text + "\n";
}

// -- a world of a program

struct scene {
    std::vector<std::string>
        log;  // of observers, which are notified at the end of the world as well
    kith::world world;
    kith::entity hubs[hub_count];
    kith::entity tags[tag_count];
    kith::entity likes, docked;
    kith::monitor watch;
    kith::query<> watched;
    int frame = 0;
    bool delays = false;

    explicit scene(const program& given) {
        world.component<Value<3>>().add(kith::Sparse);
        world.component<Label>();
        likes = world.entity("Likes");
        docked = world.entity("Docked").add(kith::Exclusive);
        for (int i = 0; i < tag_count; ++i) {
            tags[i] = world.entity(("Tag" + std::to_string(i)).c_str());
        }
        for (int i = 0; i < hub_count; ++i) {
            hubs[i] = world.entity(("Hub" + std::to_string(i)).c_str())
                          .set(Value<0>{mix(given.seed, static_cast<std::uint64_t>(i))})
                          .set(Value<1>{7});
        }
        std::mt19937_64 random(given.seed * 31 + 1);
        for (int i = 0; i < given.entities; ++i) {
            populate(static_cast<std::uint64_t>(i), random);
        }
        watch_changes();
    }
    scene(const scene&) = delete;
    scene& operator=(const scene&) = delete;

    kith::id_t id_of(const named_id& id) const {
        switch (id.kind) {
            case id_kind::value:
                return value_id(id.number);
            case id_kind::tag:
                return tags[id.number];
            case id_kind::likes:
                return kith::make_pair(likes, kith::Wildcard);
            case id_kind::docked:
                return kith::make_pair(docked, kith::Wildcard);
            case id_kind::parent:
                return kith::make_pair(kith::ChildOf, kith::Wildcard);
            case id_kind::label:
                return world.component<Label>();
            case id_kind::everything:
                return kith::Wildcard;
        }
        return 0;
    }
    kith::id_t value_id(int number) const {
        switch (number) {
            case 0:
                return world.component<Value<0>>();
            case 1:
                return world.component<Value<1>>();
            case 2:
                return world.component<Value<2>>();
            default:
                return world.component<Value<3>>();
        }
    }

private:
    void populate(std::uint64_t number, std::mt19937_64& random) {
        kith::entity e = world.entity().set(Label{number + 1});
        const auto bits = random();
        if (bits & 1) {
            e.set(Value<0>{bits % 100});
        }
        if (bits & 2) {
            e.set(Value<1>{bits % 50});
        }
        if (bits & 4) {
            e.set(Value<2>{bits % 70});
        }
        if (bits & 8) {
            e.set(Value<3>{bits % 30});
        }
        for (int i = 0; i < tag_count; ++i) {
            if (bits & (16u << i)) {
                e.add(tags[i]);
            }
        }
        if (bits & 128) {
            e.child_of(hubs[(bits >> 20) % hub_count]);
        }
        if (bits & 256) {
            e.add(likes, hubs[(bits >> 24) % hub_count]);
        }
    }
    void note(const char* what, kith::entity e) {
        // Entities that a restore ends are gone when monitors report them.
        const Label* label = e.is_alive() ? e.get<Label>() : nullptr;
        log.push_back(what + std::to_string(label ? label->v : 0));
    }
    void watch_changes() {
        world.observer<Value<1>>().event(kith::OnSet).each([this](kith::entity e, Value<1>&) {
            note("set ", e);
        });
        world.observer<Value<2>>()
            .event(kith::OnAdd)
            .event(kith::OnRemove)
            .each([this](kith::entity e, Value<2>&) { note("two ", e); });
        world.observer().with(tags[1]).event(kith::OnAdd).each([this](kith::entity e) {
            note("tag ", e);
        });
        watched = world.query_builder().with(tags[0]).with<Value<0>>().build();
        watch = watched.monitor([this](kith::iter& it) {
            for (std::size_t i : it) {
                note(it.event() == kith::OnAdd ? "enter " : "leave ", it.entity(i));
            }
        });
    }
};

// -- queries and callbacks

// Adds the terms of a system to the builder of a query or of a system.
template <class Builder>
void add_terms(Builder& builder, const scene& of, const system_spec& system) {
    if (system.terms.empty()) {
        return;
    }
    builder.with(of.world.component<Label>()).inout(kith::In);
    for (const term_spec& term : system.terms) {
        switch (term.kind) {
            case term_kind::read:
                builder.with(of.value_id(term.number)).inout(kith::In);
                break;
            case term_kind::write:
                builder.with(of.value_id(term.number)).inout(kith::InOut);
                break;
            case term_kind::without:
                builder.without(of.value_id(term.number));
                break;
            case term_kind::optional:
                builder.with(of.value_id(term.number)).inout(kith::In).optional();
                break;
            case term_kind::up:
                builder.with(of.value_id(term.number)).inout(kith::In).up();
                break;
            case term_kind::fixed:
                builder.with(of.value_id(term.number)).inout(kith::In).src(of.hubs[term.hub]);
                break;
            case term_kind::tag:
                builder.with(of.tags[term.number]);
                break;
            case term_kind::without_tag:
                builder.without(of.tags[term.number]);
                break;
            case term_kind::likes:
                builder.with(of.likes, of.hubs[term.hub]);
                break;
            case term_kind::docked:
                builder.with(of.docked, of.hubs[term.hub]);
                break;
        }
    }
}

// One row of a system, or one call of a task.
class callback {
public:
    callback(const program& given, const system_spec& system, scene& of)
        : program_(given), system_(system), scene_(of) {}

    // The rows of a result. `delta` is the time of the system's run.
    void run(kith::iter& it, float delta) const {
        const kith::world world = it.world();
        for (std::size_t row = 0; row < it.count(); ++row) {
            const std::uint64_t label = it.field<const Label>(1)[row].v;
            delay(label);
            std::uint64_t hash = mix(start_of(delta), label);
            for (std::size_t i = 0; i < system_.terms.size(); ++i) {
                visit_field(it, row, static_cast<int>(i), hash);
            }
            may_throw();
            act(world, it.entity(row), label, hash);
        }
    }
    void run_entity(kith::entity e) const {
        const std::uint64_t label = e.get<Label>()->v;
        act(e.world(), e, label, mix(start_of(0), label));
    }
    void run_task(const kith::world& world, float delta) const {
        may_throw();
        act(world, kith::entity(), 0, start_of(delta));
    }

private:
    std::uint64_t start_of(float delta) const {
        return mix(mix(program_.seed, static_cast<std::uint64_t>(system_.number)),
                   static_cast<std::uint64_t>(delta * 1000) * 64 +
                       static_cast<std::uint64_t>(scene_.frame));
    }
    template <int N>
    void visit_value(kith::iter& it, std::size_t row, int term, std::uint64_t& hash) const {
        const term_kind kind = system_.terms[static_cast<std::size_t>(term)].kind;
        if (kind == term_kind::write) {
            std::uint64_t& v = it.field<Value<N>>(term + 2)[row].v;
            hash = mix(hash, v);
            v = mix(v, hash);
        } else if (it.is_set(term + 2)) {
            hash = mix(hash, it.field<const Value<N>>(term + 2)[row].v);
        }
    }
    void visit_field(kith::iter& it, std::size_t row, int term, std::uint64_t& hash) const {
        const term_spec& spec = system_.terms[static_cast<std::size_t>(term)];
        if (spec.kind == term_kind::without || spec.kind == term_kind::tag ||
            spec.kind == term_kind::without_tag || spec.kind == term_kind::likes ||
            spec.kind == term_kind::docked) {
            return;
        }
        switch (spec.number) {
            case 0:
                visit_value<0>(it, row, term, hash);
                break;
            case 1:
                visit_value<1>(it, row, term, hash);
                break;
            case 2:
                visit_value<2>(it, row, term, hash);
                break;
            default:
                visit_value<3>(it, row, term, hash);
        }
    }
    void may_throw() const {
        if (system_.throws_in != 0 && system_.throws_in == scene_.frame) {
            throw model_error("system " + std::to_string(system_.number) + " in frame " +
                              std::to_string(scene_.frame));
        }
    }
    // Delays that differ from run to run.
    void delay(std::uint64_t label) const {
        if (!scene_.delays) {
            return;
        }
        const auto now =
            static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
        const std::uint64_t chosen = mix(now, label) % 16;
        if (chosen == 0) {
            std::this_thread::sleep_for(std::chrono::microseconds(50));
        } else if (chosen < 4) {
            std::this_thread::yield();
        }
    }
    void act(const kith::world& world, kith::entity e, std::uint64_t label,
             std::uint64_t hash) const {
        for (std::size_t i = 0; i < system_.actions.size(); ++i) {
            const std::uint64_t h = mix(hash, i + 1);
            // The labels of the first entities are unique; other entities may share labels.
            const bool is_nameable = label <= static_cast<std::uint64_t>(program_.entities);
            const bool is_name = system_.actions[i].kind == action_kind::name;
            if (h % 3 != 0 && (!is_name || is_nameable)) {
                run_action(world, e, system_.actions[i], h);
            }
        }
    }
    template <class Func>
    static void with_value(int number, Func&& func) {
        switch (number) {
            case 0:
                return func(Value<0>{});
            case 1:
                return func(Value<1>{});
            case 2:
                return func(Value<2>{});
            default:
                return func(Value<3>{});
        }
    }
    // A task changes a hub instead of a row, where nothing else would remain to be done.
    void run_action(const kith::world& world, kith::entity e, const action_spec& action,
                    std::uint64_t h) const {
        const kith::entity hub(world, scene_.hubs[action.hub]);
        const kith::entity tag = scene_.tags[action.number % tag_count];
        const bool is_row = static_cast<bool>(e);
        kith::entity subject = is_row ? e : hub;
        switch (action.kind) {
            case action_kind::set:
                with_value(action.number, [&](auto value) {
                    value.v = h;
                    subject.set(value);
                });
                break;
            case action_kind::remove:
                if (is_row) {
                    with_value(action.number, [&](auto value) { e.remove<decltype(value)>(); });
                }
                break;
            case action_kind::ensure:
                with_value(action.number, [&](auto value) {
                    e.get_mut<decltype(value)>()->v += h;
                    e.get_mut<decltype(value)>()->v += 1;
                });
                break;
            case action_kind::add_tag:
                subject.add(tag);
                break;
            case action_kind::remove_tag:
                subject.remove(tag);
                break;
            case action_kind::like:
                subject.add(scene_.likes, hub);
                break;
            case action_kind::unlike:
                subject.remove(scene_.likes, hub);
                break;
            case action_kind::dock:
                subject.add(scene_.docked, hub);
                break;
            case action_kind::create:
                create(world, action, h);
                break;
            case action_kind::name:
                if (is_row) {
                    e.set_name(("n" + std::to_string(h)).c_str());
                }
                break;
            case action_kind::reparent:
                if (is_row) {
                    e.child_of(hub);
                }
                break;
            case action_kind::destruct:
                if (is_row && h % 8 == 0) {
                    e.destruct();
                }
                break;
            case action_kind::clone:
                if (is_row && h % 8 == 0) {
                    e.clone().set(Label{h});
                }
                break;
            case action_kind::count:
                // Found by alone systems, whoever has queued it in the stretch.
                kith::entity(world, scene_.hubs[0]).get_mut<Value<2>>()->v += h;
                break;
            case action_kind::toggle:
                toggle(world, action, h);
                break;
        }
    }
    void create(const kith::world& world, const action_spec& action, std::uint64_t h) const {
        if (h % 4 != 0) {
            return;
        }
        kith::entity made = world.entity().set(Label{h});
        with_value(action.number, [&](auto value) {
            value.v = h;
            made.set(value);
        });
    }
    void toggle(const kith::world& world, const action_spec& action, std::uint64_t h) const {
        const std::size_t which = static_cast<std::size_t>(action.number) % program_.systems.size();
        scene_toggle(world, which, h % 2 == 0);
    }
    // Named entities stand for the systems, so that the reference needs no systems of kith.
    static void scene_toggle(const kith::world& world, std::size_t which, bool on) {
        kith::entity system = world.lookup(("System" + std::to_string(which)).c_str());
        on ? system.enable() : system.disable();
    }

    const program& program_;
    const system_spec& system_;
    scene& scene_;
};

// Makes the systems of a program.
class system_maker {
public:
    system_maker(const program& given, scene& of) : program_(given), scene_(of) {}

    void run() {
        kith::phase physics = scene_.world.phase("Physics").depends_on(kith::OnUpdate);
        if (program_.fixed) {
            physics.fixed(1);
        }
        for (const system_spec& system : program_.systems) {
            make(system, physics);
        }
    }

private:
    void make(const system_spec& system, kith::entity physics) {
        const kith::entity_t phases[] = {kith::PreUpdate, kith::OnUpdate, physics, kith::OnStore};
        auto builder = scene_.world.system(("System" + std::to_string(system.number)).c_str());
        add_terms(builder, scene_, system);
        builder.kind(phases[system.phase]).on_error(system.policy);
        builder.parallel(system.way == way::parallel).multi_threaded(system.way == way::split);
        builder.immediate(system.way == way::immediate).main_thread(system.main_thread);
        if (system.barrier) {
            builder.barrier();
        }
        if (system.part_rows != 0) {
            builder.part_rows(system.part_rows);
        }
        for (const int other : system.after) {
            builder.after(("System" + std::to_string(other)).c_str());
        }
        declare_access(builder, system);
        add_timing(builder, system);
        const callback body(program_, system, scene_);
        const bool is_task = system.terms.empty();
        if (system.by_entity) {
            builder.each([body](kith::entity e) { body.run_entity(e); });
            return;
        }
        builder.iter([body, is_task](kith::iter& it) {
            is_task ? body.run_task(it.world(), it.delta_time()) : body.run(it, it.delta_time());
        });
    }
    template <class Builder>
    void declare_access(Builder& builder, const system_spec& system) {
        for (const named_id& id : system.writes) {
            builder.write(scene_.id_of(id));
        }
        for (const named_id& id : system.reads) {
            builder.read(scene_.id_of(id));
        }
    }
    template <class Builder>
    void add_timing(Builder& builder, const system_spec& system) {
        if (system.rate != 0) {
            builder.rate(system.rate);
        } else if (system.interval != 0) {
            builder.interval(static_cast<float>(static_cast<double>(system.interval) / 1e9));
        }
        if (system.condition == condition_kind::frame) {
            builder.run_if([shown = &scene_, number = system.condition_number] {
                return shown->frame % 3 != number;
            });
        } else if (system.condition == condition_kind::tag) {
            builder.run_if(("Tag" + std::to_string(system.condition_number)).c_str());
        }
    }

    const program& program_;
    scene& scene_;
};

// One entity as a line.
inline std::string describe(const scene& of, kith::entity e) {
    std::string text = std::to_string(e.has<Label>() ? e.get<Label>()->v : 0) + ":";
    const auto add_value = [&]<class T>(const T*) {
        const T* value = e.get<T>();
        text += value ? " " + std::to_string(value->v) : " -";
    };
    add_value(static_cast<Value<0>*>(nullptr));
    add_value(static_cast<Value<1>*>(nullptr));
    add_value(static_cast<Value<2>*>(nullptr));
    add_value(static_cast<Value<3>*>(nullptr));
    for (const kith::entity& tag : of.tags) {
        text += e.has(tag) ? "t" : ".";
    }
    for (const kith::entity& hub : of.hubs) {
        text += e.has(of.likes, hub) ? "l" : ".";
        text += e.has(of.docked, hub) ? "d" : ".";
        text += e.has(kith::ChildOf, hub) ? "c" : ".";
    }
    return text + " " + std::string(e.name().c_str()) + "\n";
}

// Everything that the program can see of its entities, in the order of rows. The order of tables is
// not that of the program alone: worlds have other tables as well.
inline std::string describe(const scene& of) {
    std::vector<std::string> tables;
    of.world.filter_builder<const Label>().build().iter([&](kith::iter& it, const Label*) {
        tables.emplace_back();
        for (const std::size_t row : it) {
            tables.back() += describe(of, it.entity(row));
        }
    });
    std::sort(tables.begin(), tables.end());
    std::string text;
    for (const std::string& table : tables) {
        text += table;
    }
    for (const kith::entity& hub : of.hubs) {
        text += describe(of, hub);
    }
    for (const std::string& line : of.log) {
        text += line + ";";
    }
    return text;
}

}  // namespace schedule_program
