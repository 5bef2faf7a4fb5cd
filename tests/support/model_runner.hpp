// Runs random programs on kith and on the model side by side, and compares what they do: errors,
// states, hooks. Used by tests/model/random_test.cpp and fuzz/operations_fuzz.cpp. The parts:
//
//     model_runner.hpp          the runner
//     model_runner_sense.hpp    which operations make sense
//     model_runner_text.hpp     differences as text
//     model_runner_create.hpp   operations that make entities
//     model_runner_calls.hpp    operations on entities, on both sides, now and later
//     model_runner_events.hpp   hooks, errors, flushing
//     model_runner_compare.hpp  entities, counts and names
//     model_runner_graph.hpp    inheritance, targets and sources
#pragma once

#include <kith/memory_resource.hpp>

#include "support/model.hpp"
#include "support/model_program.hpp"
#include "support/sanitized.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace model {

struct statistics {
    std::array<std::uint64_t, op_kinds> ran{};
    std::array<std::uint64_t, op_kinds> had_effect{};
    std::array<std::uint64_t, property_count> added{};
    std::array<std::uint64_t, property_count> removed{};
    effect_counts effects{};
    effect_counts deferred_effects{};
    std::uint64_t errors = 0;
    std::uint64_t deferred = 0;
    std::uint64_t abandoned = 0;
};

// Says what kith did that the model did not.
class difference : public std::exception {
public:
    explicit difference(std::string text) : text_(std::move(text)) {}
    const char* what() const noexcept override { return text_.c_str(); }

private:
    std::string text_;
};

class runner {
public:
    explicit runner(statistics* counts = nullptr);
    ~runner();
    runner(const runner&) = delete;
    runner& operator=(const runner&) = delete;

    // Runs one operation on both, and throws a difference if they do not agree, or out_of_scope.
    void step(const op& one);
    // Ends deferring, and compares everything.
    void finish();
    // Ends the world: hooks of what is there run once more, and no value is left.
    void end_world();

    kith::world& world() { return world_; }
    // Somebody else has made entities, which are not the model's business.
    void expect_others(std::size_t count) {
        base_entities_ += count;
        has_others_ = true;
    }
    const world_model& state() const { return model_; }
    entity_t slot(std::uint8_t number) const { return slots_[number % slot_count]; }
    bool is_slot_alive(std::uint8_t number) const { return model_.is_alive(slot(number)); }
    int depth() const { return depth_; }
    bool is_suspended() const { return suspended_ != 0; }
    bool is_deferred() const { return depth_ != 0; }
    // A command of the last flush was refused.
    bool was_refused() const { return flush_refused_; }
    entity_t element(std::uint8_t number) const;
    id_t make_id(const op& one) const {
        return one.second == no_element ? element(one.first)
                                        : kith::make_pair(element(one.first), element(one.second));
    }
    const component* value_type(const op& one) const { return model_.value_type(make_id(one)); }

private:
    // -- which operations
    void run(const op& one);
    bool is_meaningful(const op& one) const;
    bool is_meaningful_property(const op& one) const;
    bool can_copy(const op& one) const;
    bool may_copy_instance(const op& one) const;
    bool are_elements(const op& one) const;
    bool may_lose_value(const op& one) const;
    bool may_be_symmetric(entity_t relation) const;
    static bool is_creating(op_kind kind) { return kind <= op_kind::create_prefab; }
    static std::uint32_t adopted_index(const op& one) {
        return kith::first_entity + static_cast<unsigned>(one.number) % 64;
    }
    entity_t find_alive_from(std::uint32_t index) const;

    // -- text
    [[noreturn]] static void fail(const std::string& what) { throw difference(what); }
    std::string text(id_t id) const;
    std::string text(const event& one) const;
    std::string text(const std::vector<event>& events) const;
    std::string text(const std::vector<entity_t>& entities) const;
    static std::string text(const std::set<errc>& codes);

    // -- creating
    using id_list = std::vector<std::pair<id_t, std::int64_t>>;
    template <class Make>
    void create_by(const op& one, const id_list& ids, const std::set<id_t>& given,
                   std::set<errc> expected, Make&& make);
    std::set<errc> try_new(const id_list& ids, const std::set<id_t>& given) const;
    void create(const op& one);
    void create_named(const op& one);
    bool is_name_pending(entity_t entity, const std::string& name) const;
    template <class... Ts>
    void create_of(const op& one);
    void create_values(const op& one);
    void bulk(const op& one);
    void make_alive(const op& one);
    void clone(const op& one);
    void expect_new(entity_t entity);

    // -- other operations
    std::set<errc> check_elements(const op& one) const;
    std::set<errc> check_call(const op& one, const call& request) const;
    void submit(const op& one);
    void submit_deferred(const op& one, const call& request);
    call make_call(const op& one) const;
    void make_property_call(const op& one, call& request) const;
    void perform(const op& one, const call& request);
    kith::relation_desc declaration(const op& one) const;
    static bool is_contradictory(const op& one);
    void perform_relation(const op& one, const call& request);
    id_t color_id(Color value) const {
        return kith::make_pair(components_[color].id, colors_[static_cast<std::size_t>(value)]);
    }
    static void write_color(kith::entity self, const op& one);
    template <class T>
    void write_value(kith::entity self, const op& one, const call& request);
    template <class T>
    void set_plain(kith::entity self, std::int64_t number);
    void take_ref(const op& one);
    void delete_component(const op& one);

    // -- hooks, errors, flushing
    static void on_event(const kith::detail::hook_event& event, void* context);
    static void validate(const kith::detail::hook_event& event, void* context);
    template <class T>
    const T* find_equal(std::int64_t number) const;
    // Runs something on kith; the error that it raised, if any.
    template <class Action>
    std::set<errc> attempt(Action&& action);
    void expect_error(const std::set<errc>& actual, const std::set<errc>& expected);
    void count_effect(op_kind kind);
    void count_property(const op& one);
    void collect_effects(bool deferred);
    // `one` is the operation that has an effect if the call has, null if it is only a part of it.
    void enqueue(call request, const op* one);
    static void drop_passing(std::vector<event>& events);
    void compare_events();
    void check_event_order();
    void compare_flush_events(const flush_report& report);
    void compare_errors(const std::set<errc>& actual, const flush_report& report);
    void defer_end();

    // -- comparing
    std::uint8_t number_of(const component& one) const;
    void compare_after(const op& one);
    void compare_type(entity_t entity);
    void compare(entity_t entity);
    void compare_id(kith::entity self, const entity_state& state, id_t id, std::int64_t number);
    void compare_color(kith::entity self);
    void compare_colors_found();
    void compare_all();
    void compare_counts();
    void compare_names();
    void collect(id_t id, std::set<entity_t>& found);
    static bool is_hidden(const entity_state& state, id_t id);
    struct held_ref {
        entity_t entity = 0;
        std::uint8_t number = 0;
        std::function<const void*()> read;
    };
    void compare_ref(held_ref& held);
    void check();
    void compare_graph(kith::entity self);
    void compare_inherited(kith::entity self, const world_model::view& seen);
    void compare_missing(kith::entity self, const world_model::view& seen);
    void compare_targets(kith::entity self, std::uint32_t relation, const world_model::view& seen);
    void compare_depth(kith::entity self, std::uint32_t relation);
    void compare_sources(kith::entity self);
    void compare_ways_up(kith::entity self, std::uint32_t relation);
    void compare_walk(kith::entity self, entity_t relation);
    void compare_owner_above(kith::entity self, entity_t relation, id_t id);
    void compare_traversal(kith::entity self, entity_t relation);
    entity_t find_copy(entity_t parent, entity_t original);
    bool fills_same_slot(kith::entity copy, entity_t original);
    bool is_copy(kith::entity copy, const entity_state& original);
    static std::size_t count_strange(kith::entity copy, const entity_state& original);

    static kith::world_memory memory();

    static constexpr component_number text_number = model::text;

    std::vector<component> components_;
    world_model model_;
    statistics* counts_;
    std::vector<event> heard_;
    std::array<entity_t, slot_count> slots_{};
    std::array<entity_t, 3> colors_{};
    std::array<held_ref, ref_count> refs_{};
    std::vector<std::optional<op>> queued_ops_;
    bool flush_refused_ = false;
    std::string last_message_;
    bool written_in_place_ = false;
    // A queued pair names its elements without their generations: an entity that got the index
    // of one that died meanwhile would take its place. So there are no new ones until the
    // flush.
    bool freed_while_queued_ = false;
    bool was_suspended_ = false;
    // Copies of a prefab's children are found when all is done: nothing may delete them before.
    bool copies_queued_ = false;
    bool deletion_queued_ = false;
    std::size_t base_entities_ = 0;
    bool has_others_ = false;
    std::size_t steps_ = 0;
    int depth_ = 0;
    int suspended_ = 0;
    std::int64_t live_before_ = live_values;
    // Last, because hooks run until its end.
    std::optional<kith::world> owner_{std::in_place, memory()};
    kith::world world_{owner_->c_ptr()};
    kith::query<Color> colored_;
};

// -- the runner

inline runner::runner(statistics* counts) : counts_(counts) {
    components_ = register_components(world_);
    colored_ = world_.query<Color>();
    for (std::size_t i = 0; i < 3; ++i) {
        colors_[i] = world_.entity(static_cast<Color>(i));
    }
    std::map<entity_t, entity_state> fixed;
    auto add_fixed = [&](entity_t entity) {
        for (id_t id : kith::entity(world_, entity).type()) {
            fixed[entity].ids[id] = 0;
        }
    };
    for (const component& one : components_) {
        add_fixed(one.id);
        kith::untyped_component hooked(world_, one.id);
        hooked.on_add({on_event, this, nullptr});
        hooked.on_set({on_event, this, nullptr});
        hooked.on_remove({on_event, this, nullptr});
    }
    for (component_number each : validated_components) {
        kith::untyped_component(world_, components_[each].id)
            .on_validate({validate, this, nullptr});
    }
    for (entity_t constant : colors_) {
        add_fixed(constant);
    }
    add_fixed(kith::detail::component_type_id);
    add_fixed(kith::detail::identifier_type_id);
    for (entity_t builtin = kith::first_builtin; builtin < kith::detail::builtin_end; ++builtin) {
        add_fixed(builtin);
    }
    model_ = world_model(components_, std::move(fixed));
    model_.find_copy = [this](entity_t parent, entity_t original) {
        return find_copy(parent, original);
    };
    heard_.clear();
    base_entities_ = world_.stats().entities;
}
inline runner::~runner() {
    if (counts_) {
        collect_effects(false);
    }
}

inline void runner::step(const op& one) {
    try {
        run(one);
    } catch (const kith::error& failed) {
        throw difference(std::string("unexpected error: ") + failed.what());
    }
    ++steps_;
    if (steps_ % 64 == 0) {
        compare_all();
    }
    if (steps_ % 16 == 0) {
        check();
    }
}
inline void runner::finish() {
    if (suspended_ != 0) {
        step({op_kind::defer_resume});
    }
    while (depth_ != 0) {
        step({op_kind::defer_end});
    }
    compare_all();
    check();
}
inline void runner::end_world() {
    for (const auto& [entity, state] : model_.alive) {
        for (const auto& [id, number] : state.ids) {
            if (model_.has_hooks(id)) {
                model_.events.push_back({entity, id, event_kind::removed, 0});
            }
        }
    }
    for (const auto& [entity, state] : model_.fixed) {
        for (const auto& [id, number] : state.ids) {
            if (model_.has_hooks(id)) {
                model_.events.push_back({entity, id, event_kind::removed, 0});
            }
        }
    }
    colored_ = {};
    owner_.reset();
    compare_events();
    if (live_values != live_before_) {
        fail(std::to_string(live_values - live_before_) + " values outlive their world");
    }
}

inline entity_t runner::element(std::uint8_t number) const {
    switch (number) {
        case element_child_of:
            return kith::ChildOf;
        case element_is_a:
            return kith::IsA;
        case element_slot_of:
            return kith::SlotOf;
        case element_wildcard:
            return kith::Wildcard;
        default:
            return number < slot_count
                       ? slots_[number]
                       : components_[(number - first_component) % component_count].id;
    }
}

inline void runner::run(const op& one) {
    if (!is_meaningful(one) || !can_copy(one)) {
        return;
    }
    if (counts_) {
        ++counts_->ran[static_cast<std::size_t>(one.kind)];
        counts_->deferred += is_deferred();
    }
    model_.touched.clear();
    switch (one.kind) {
        case op_kind::create:
        case op_kind::create_child:
        case op_kind::create_with:
        case op_kind::create_prefab:
            create(one);
            break;
        case op_kind::create_named:
            create_named(one);
            break;
        case op_kind::create_values:
            create_values(one);
            break;
        case op_kind::bulk:
            bulk(one);
            break;
        case op_kind::make_alive:
            make_alive(one);
            break;
        case op_kind::clone:
        case op_kind::clone_types:
            clone(one);
            break;
        case op_kind::take_ref:
            take_ref(one);
            break;
        case op_kind::delete_component:
            delete_component(one);
            break;
        case op_kind::defer_begin:
            world_.defer_begin();
            ++depth_;
            count_effect(one.kind);
            break;
        case op_kind::defer_end:
            defer_end();
            break;
        case op_kind::defer_suspend:
            world_.defer_suspend();
            suspended_ = std::exchange(depth_, 0);
            was_suspended_ = true;
            count_effect(one.kind);
            break;
        case op_kind::defer_resume:
            world_.defer_resume();
            depth_ = std::exchange(suspended_, 0);
            count_effect(one.kind);
            break;
        case op_kind::shrink:
            world_.shrink();
            count_effect(one.kind);
            break;
        case op_kind::adopt:
            slots_[one.slot] = find_alive_from(adopted_index(one));
            count_effect(one.kind);
            break;
        default:
            submit(one);
            break;
    }
    compare_after(one);
}

// Every block by itself where a sanitizer looks at them.
inline kith::world_memory runner::memory() {
    kith::world_memory memory = kith::use_memory(*std::pmr::new_delete_resource());
    if (kith_test::is_sanitized) {
        memory.pools = false;
    }
    return memory;
}

}  // namespace model

#include "support/model_runner_calls.hpp"
#include "support/model_runner_compare.hpp"
#include "support/model_runner_create.hpp"
#include "support/model_runner_events.hpp"
#include "support/model_runner_graph.hpp"
#include "support/model_runner_sense.hpp"
#include "support/model_runner_text.hpp"
