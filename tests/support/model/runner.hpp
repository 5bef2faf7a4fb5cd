// Runs random programs on kith and on the model side by side, and compares what they do: errors,
// states, hooks. Used by tests/model/random_test.cpp and fuzz/operations_fuzz.cpp. Implemented in
//
//     runner.cpp          steps, and the ends of programs and worlds
//     runner_sense.cpp    conditions under which operations make sense
//     runner_text.cpp     differences as text
//     runner_create.cpp   operations that make entities
//     runner_calls.cpp    operations on entities, on both sides, now and later
//     runner_events.cpp   hooks, errors, flushing
//     runner_compare.cpp  entities, counts and names
//     runner_graph.cpp    inheritance, targets and sources
//
// The operations themselves are entries of the table in operations.hpp.
#pragma once

#include <kith/memory_resource.hpp>

#include "support/model/program.hpp"
#include "support/model/world_model.hpp"

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

    // The state of the model, to be kept with a snapshot of the world and loaded with it.
    struct checkpoint;
    checkpoint save() const;
    void load(const checkpoint& saved);

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
    friend struct operation_table;
    friend struct operation_parts;

    // An entity that there is not, for calls that are tried on a copy of the model.
    static constexpr entity_t nobody = kith::make_entity_id(kith::max_relation_index, 0);

    // -- which operations
    void run(const op& one);
    bool is_meaningful_property(const op& one) const;
    bool can_copy(const op& one) const;
    bool may_copy_instance(const op& one) const;
    bool are_elements(const op& one) const;
    bool may_lose_value(const op& one) const;
    bool may_be_symmetric(entity_t relation) const;
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
    struct bulk_request;
    void choose_columns(const op& one, bulk_request& bulk) const;
    void try_bulk(bulk_request& bulk) const;
    void expect_bulk(const bulk_request& bulk, std::uint32_t index, entity_t made);
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
    std::set<errc> check_declaration(const op& one, const call& request) const;
    bool names_dead(const op& one) const;
    kith::relation_desc declaration(const op& one) const;
    static bool is_contradictory(const op& one);
    id_t color_id(Color value) const {
        return kith::make_pair(components_[color].id, colors_[static_cast<std::size_t>(value)]);
    }
    static void write_color(kith::entity self, const op& one);
    void write_value(kith::entity self, const op& one, const call& request);
    template <class T>
    void write_value_of(kith::entity self, const op& one, const call& request);
    template <class T>
    void write_in_place(kith::entity self, T* place, const op& one, const call& request);
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
    std::set<errc> attempt(const std::function<void()>& action);
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

struct runner::checkpoint {
    world_model model;
    std::array<entity_t, slot_count> slots;
    std::array<held_ref, ref_count> refs;
    std::size_t base_entities;
};

}  // namespace model
