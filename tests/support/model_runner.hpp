// Runs random programs on kith and on the model side by side, and compares what they do: errors,
// states, hooks. Used by tests/model/random_test.cpp and fuzz/operations_fuzz.cpp.
#pragma once

#include <kith/memory_resource.hpp>

#include "support/model.hpp"
#include "support/model_program.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace model {

struct statistics {
    std::array<std::uint64_t, op_kinds> ran{};
    std::array<std::uint64_t, op_kinds> had_effect{};
    std::uint64_t errors = 0;
    std::uint64_t deferred = 0;
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
    explicit runner(statistics* counts = nullptr) : counts_(counts) {
        components_ = register_components(world_);
        for (std::size_t i = 0; i < 3; ++i) {
            colors_[i] = world_.entity(static_cast<Color>(i));
        }
        model_ = world_model(components_, {colors_.begin(), colors_.end()});
        for (const component& one : components_) {
            kith::untyped_component hooked(world_, one.id);
            hooked.on_add({hear, this, nullptr});
            hooked.on_set({hear, this, nullptr});
            hooked.on_remove({hear, this, nullptr});
        }
        heard_.clear();
        base_entities_ = world_.stats().entities;
    }
    runner(const runner&) = delete;
    runner& operator=(const runner&) = delete;

    // Runs one operation on both, and throws a difference if they do not agree.
    void step(const op& one) {
        try {
            run(one);
        } catch (const kith::error& failed) {
            throw difference(std::string("unexpected error: ") + failed.what());
        }
        ++steps_;
        if (steps_ % 64 == 0) {
            compare_all();
        }
        if (steps_ % 256 == 0) {
            check();
        }
    }
    // Ends deferring, and compares everything.
    void finish() {
        if (suspended_ != 0) {
            step({op_kind::defer_resume});
        }
        while (depth_ != 0) {
            step({op_kind::defer_end});
        }
        compare_all();
        check();
    }
    // Ends the world: hooks of what is there run once more, and no value is left.
    void end_world() {
        for (const auto& [entity, state] : model_.alive) {
            for (const auto& [id, number] : state.ids) {
                if (model_.has_hooks(id)) {
                    model_.events.push_back({entity, id, event_kind::removed, 0});
                }
            }
        }
        for (entity_t constant : colors_) {
            model_.events.push_back({constant, components_[color].id, event_kind::removed, 0});
        }
        owner_.reset();
        compare_events();
        if (live_values != live_before_) {
            fail(std::to_string(live_values - live_before_) + " values outlive their world");
        }
    }

    const world_model& state() const { return model_; }
    entity_t slot(std::uint8_t number) const { return slots_[number % slot_count]; }
    bool is_slot_alive(std::uint8_t number) const { return model_.is_alive(slot(number)); }
    int depth() const { return depth_; }
    bool is_suspended() const { return suspended_ != 0; }
    bool is_deferred() const { return depth_ != 0; }
    id_t make_id(const op& one) const {
        return one.second == no_element ? element(one.first)
                                        : kith::make_pair(element(one.first), element(one.second));
    }
    const component* value_type(const op& one) const { return model_.value_type(make_id(one)); }

private:
    static void hear(const kith::detail::hook_event& event, void* context) {
        auto& self = *static_cast<runner*>(context);
        event_kind kind = event.event == kith::OnAdd   ? event_kind::added
                          : event.event == kith::OnSet ? event_kind::was_set
                                                       : event_kind::removed;
        std::int64_t number = 0;
        if (event.value) {
            const component* type = self.model_.value_type(event.id);
            number = type ? read_number(self.number_of(*type), event.value) : -1;
        }
        self.heard_.push_back(
            {event.entity, event.id, kind, kind == event_kind::was_set ? number : 0});
    }
    std::uint8_t number_of(const component& one) const {
        for (std::uint8_t i = 0; i < component_count; ++i) {
            if (components_[i].id == one.id) {
                return i;
            }
        }
        return 0;
    }
    entity_t element(std::uint8_t number) const {
        if (number < slot_count) {
            return slots_[number];
        }
        if (number == element_child_of) {
            return kith::ChildOf;
        }
        if (number == element_wildcard) {
            return kith::Wildcard;
        }
        return components_[(number - first_component) % component_count].id;
    }

    [[noreturn]] static void fail(const std::string& what) { throw difference(what); }
    std::string text(id_t id) const {
        std::ostringstream out;
        if (kith::is_pair(id)) {
            out << "(" << text(kith::pair_first(id)) << "," << text(kith::pair_second(id)) << ")";
            return out.str();
        }
        if (const component* known =
                id < kith::first_entity ? model_.component_of(kith::index_of(id)) : nullptr) {
            return known->name;
        }
        for (std::uint8_t i = 0; i < slot_count; ++i) {
            if (slots_[i] == id && id != 0) {
                out << "e" << int{i} << "=";
            }
        }
        out << "#" << kith::index_of(id);
        if (kith::generation_of(id) != 0) {
            out << "v" << kith::generation_of(id);
        }
        return out.str();
    }
    std::string text(const event& one) const {
        static constexpr const char* kinds[] = {"OnAdd", "OnSet", "OnRemove"};
        std::string result = std::string(kinds[static_cast<int>(one.kind)]) + " " + text(one.id) +
                             " of " + text(one.entity);
        return one.kind == event_kind::was_set ? result + " = " + std::to_string(one.number)
                                               : result;
    }
    std::string text(const std::vector<event>& events) const {
        std::string result = "{";
        for (const event& one : events) {
            result += (result.size() > 1 ? ", " : "") + text(one);
        }
        return result + "}";
    }
    static std::string text(const std::optional<errc>& code) {
        return code ? std::string("error ") + kith::to_string(*code) : "no error";
    }

    // Runs something on kith; the error that it raised, if any.
    template <class Action>
    std::optional<errc> attempt(Action&& action) {
        last_message_.clear();
        try {
            action();
            return std::nullopt;
        } catch (const kith::error& failed) {
            last_message_ = failed.what();
            return failed.code();
        }
    }
    void expect_error(const std::optional<errc>& actual, const std::optional<errc>& expected) {
        if (actual != expected) {
            fail("kith: " + text(actual) +
                 (last_message_.empty() ? "" : " (" + last_message_ + ")") +
                 ", model: " + text(expected));
        }
        if (actual && counts_) {
            ++counts_->errors;
        }
    }
    void expect_new(entity_t entity) {
        if (!model_.may_be_next(entity)) {
            fail("a new entity has the unexpected id " + text(entity));
        }
    }
    void count_effect(op_kind kind) {
        if (counts_ && kind != op_kind::count) {
            ++counts_->had_effect[static_cast<std::size_t>(kind)];
        }
    }
    // `kind` is the operation that has an effect if the call has, if any.
    void enqueue(call request, op_kind kind) {
        model_.queue.push_back(std::move(request));
        queued_kinds_.push_back(kind);
    }

    // The hooks heard what they should, in any order.
    void compare_events() {
        std::vector<event> expected = std::exchange(model_.events, {});
        std::vector<event> actual = std::exchange(heard_, {});
        std::sort(expected.begin(), expected.end());
        std::sort(actual.begin(), actual.end());
        if (expected != actual) {
            fail("hooks heard " + text(actual) + ", should hear " + text(expected));
        }
    }
    // What replaces another pair is heard of after what it replaces.
    void check_event_order() {
        bool added = false;
        for (const event& one : heard_) {
            added |= one.kind == event_kind::added;
            if (added && one.kind == event_kind::removed) {
                fail("OnRemove after OnAdd: " + text(heard_));
            }
        }
    }
    void compare_flush_events(const flush_report& report) {
        std::vector<event> actual = std::exchange(heard_, {});
        std::vector<event> expected = report.net;
        if (report.exact) {
            std::sort(expected.begin(), expected.end());
            std::sort(actual.begin(), actual.end());
            if (expected != actual) {
                fail("hooks of a flush heard " + text(actual) + ", should hear " + text(expected));
            }
            return;
        }
        // The change that they heard of must be the net change, without more noise than if the
        // commands had run one by one.
        struct tally {
            int actual = 0;
            int net = 0;
            int gross = 0;
        };
        std::map<std::pair<entity_t, id_t>, std::array<tally, 3>> tallies;
        auto count = [&](const std::vector<event>& events, int tally::*member) {
            for (const event& one : events) {
                ++(tallies[{one.entity, one.id}][static_cast<std::size_t>(one.kind)].*member);
            }
        };
        count(actual, &tally::actual);
        count(report.net, &tally::net);
        count(report.gross, &tally::gross);
        for (const auto& [key, kinds] : tallies) {
            bool good = kinds[0].actual - kinds[2].actual == kinds[0].net - kinds[2].net;
            bool survived = model_.is_alive(key.first);
            for (const tally& one : kinds) {
                good &= one.actual >= one.net;
                // The end of an entity may come a little later than in the list.
                good &= one.actual <= std::max(one.net, one.gross) || !survived;
            }
            if (!good) {
                fail("hooks of a flush heard of " + text(key.second) + " of " + text(key.first) +
                     ": " + text(actual) + "; net " + text(report.net) + "; one by one " +
                     text(report.gross));
            }
        }
    }

    // -- operations
    void run(const op& one) {
        if (!is_meaningful(one)) {
            return;
        }
        if (counts_) {
            ++counts_->ran[static_cast<std::size_t>(one.kind)];
            counts_->deferred += is_deferred();
        }
        switch (one.kind) {
            case op_kind::create:
            case op_kind::create_child:
            case op_kind::create_with:
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
        touch(one.slot);
    }

    static bool is_creating(op_kind kind) { return kind <= op_kind::clone_types; }
    bool is_emplace_queued(const op& one) const {
        return std::any_of(model_.queue.begin(), model_.queue.end(), [&](const call& queued) {
            return queued.kind == call_kind::emplace && queued.entity == slots_[one.slot];
        });
    }
    static std::uint32_t adopted_index(const op& one) {
        return kith::first_entity + static_cast<unsigned>(one.number) % 64;
    }
    // The entity with this or the next index, the first one behind the last.
    entity_t find_alive_from(std::uint32_t index) const {
        entity_t found = model_.alive.begin()->first;
        std::uint32_t distance = ~std::uint32_t{0};
        for (const auto& [entity, state] : model_.alive) {
            if (kith::index_of(entity) >= index && kith::index_of(entity) - index < distance) {
                distance = kith::index_of(entity) - index;
                found = entity;
            }
        }
        return found;
    }
    // Parts of a program may lack what gives the rest its meaning.
    bool is_meaningful(const op& one) const {
        if (freed_while_queued_ && is_creating(one.kind)) {
            return false;
        }
        if (one.kind == op_kind::ensure && is_emplace_queued(one)) {
            return false;  // what is written is lost with the emplace if that fails
        }
        switch (one.kind) {
            case op_kind::defer_begin:
                return suspended_ == 0 && depth_ < 4;
            case op_kind::defer_end:
            case op_kind::defer_suspend:
                return depth_ != 0;
            case op_kind::defer_resume:
                return suspended_ != 0;
            case op_kind::create:
            case op_kind::create_values:
                return true;
            case op_kind::adopt:
                return !model_.alive.empty();
            case op_kind::create_named:
                return one.first == no_element || slots_[one.first % slot_count] != 0;
            case op_kind::create_child:
            case op_kind::clone:
            case op_kind::clone_types:
            case op_kind::bulk:
                return one.first < slot_count && slots_[one.first] != 0;
            case op_kind::create_with:
                return are_elements(one) && one.first != element_wildcard &&
                       one.second != element_wildcard;
            case op_kind::delete_component:
                return one.first >= first_component && value_type({one.kind, 0, one.first}) &&
                       one.first != first_component + color;
            case op_kind::delete_with:
            case op_kind::remove_all:
                // Constants of enums are entities too, children with names: leave those alone.
                return are_elements(one) && one.first != element_child_of &&
                       !(one.first == element_wildcard && (one.second >= slot_count));
            case op_kind::shrink:
                return true;
            case op_kind::take_ref:
                return slots_[one.slot] != 0 && one.first >= first_component;
            case op_kind::clone_into:
            case op_kind::child_of:
                return slots_[one.slot] != 0 && one.first < slot_count && slots_[one.first] != 0;
            case op_kind::add:
            case op_kind::add_pair:
            case op_kind::remove:
            case op_kind::remove_pair:
            case op_kind::remove_matching:
            case op_kind::enable:
            case op_kind::disable:
                return slots_[one.slot] != 0 && are_elements(one);
            case op_kind::set:
            case op_kind::set_pair:
            case op_kind::emplace:
            case op_kind::ensure:
            case op_kind::modified:
                return slots_[one.slot] != 0 && are_elements(one) &&
                       one.first != element_wildcard && one.second != element_wildcard &&
                       value_type(one) && value_type(one) != &components_[color] &&
                       value_type(one)->id != components_[color].id;
            default:
                return slots_[one.slot] != 0;
        }
    }
    bool are_elements(const op& one) const {
        auto is_element = [&](std::uint8_t number) {
            return number < slot_count
                       ? slots_[number] != 0
                       : (number >= first_component && number < first_component + color) ||
                             number == element_child_of || number == element_wildcard;
        };
        return is_element(one.first) && (one.second == no_element || is_element(one.second)) &&
               !(one.first == element_child_of && one.second == no_element);
    }

    void create(const op& one) {
        kith::entity made;
        std::map<id_t, std::int64_t> ids;
        std::optional<errc> expected;
        if (one.kind == op_kind::create_child) {
            ids[kith::make_pair(kith::ChildOf, slots_[one.first])] = 0;
            if (!model_.is_alive(slots_[one.first])) {
                expected = errc::invalid_entity;
            }
        } else if (one.kind == op_kind::create_with) {
            ids[make_id(one)] = 0;
            expected = check_elements(one);
            if (!expected) {
                expected = model_.check_id(make_id(one));
            }
        }
        if (!expected && !is_deferred()) {
            expected = model_.check_new(ids, {});
        }
        std::optional<errc> actual = attempt([&] {
            auto make = [&] { made = world_.entity(); };
            if (one.kind == op_kind::create_child) {
                world_.scope(slots_[one.first], make);
            } else if (one.kind == op_kind::create_with && one.second == no_element) {
                world_.with(element(one.first), make);
            } else if (one.kind == op_kind::create_with) {
                world_.with(element(one.first), element(one.second), make);
            } else {
                make();
            }
        });
        expect_error(actual, expected);
        if (expected) {
            return;
        }
        expect_new(made);
        slots_[one.slot] = made;
        count_effect(one.kind);
        if (is_deferred()) {
            model_.create(made);
            for (const auto& [id, number] : ids) {
                enqueue({call_kind::add, made, id}, op_kind::count);
            }
        } else {
            model_.create_with(made, ids, {});
            compare_events();
        }
    }

    void create_named(const op& one) {
        entity_t parent = one.first == no_element ? 0 : slots_[one.first % slot_count];
        std::string name = name_text(one.number);
        kith::entity made;
        std::optional<errc> actual =
            attempt([&] { world_.scope(parent, [&] { made = world_.entity(name.c_str()); }); });
        bool valid = parent == 0 || model_.is_alive(parent);
        expect_error(actual, valid ? std::nullopt : std::optional(errc::invalid_entity));
        if (!valid) {
            return;
        }
        entity_t found = model_.find_named(parent, name);
        if (found == 0 && model_.is_alive(made) && is_name_pending(made, name)) {
            found = made;
        }
        slots_[one.slot] = made;
        if (found != 0) {
            if (found != made) {
                fail("entity(\"" + name + "\") is " + text(made) + ", not " + text(found));
            }
            return;
        }
        expect_new(made);
        model_.create(made);
        count_effect(one.kind);
        std::vector<call> calls;
        if (parent != 0) {
            calls.push_back({call_kind::add, made, kith::make_pair(kith::ChildOf, parent)});
        }
        calls.push_back({call_kind::set_name, made, name_id, 0, name});
        for (call& step : calls) {
            if (is_deferred()) {
                enqueue(std::move(step), op_kind::count);
            } else {
                model_.run(step);
            }
        }
    }
    bool is_name_pending(entity_t entity, const std::string& name) const {
        return std::any_of(model_.queue.begin(), model_.queue.end(), [&](const call& queued) {
            return queued.kind == call_kind::set_name && queued.name == name &&
                   (entity == 0 || queued.entity == entity);
        });
    }

    template <class... Ts>
    void create_of(const op& one) {
        kith::entity made = world_.entity(Ts(one.number)...);
        expect_new(made);
        slots_[one.slot] = made;
        count_effect(one.kind);
        const id_t given[] = {static_cast<id_t>(kith::type_id<Ts>())...};
        std::map<id_t, std::int64_t> ids;
        for (id_t id : given) {
            ids[id] = one.number;
        }
        if (is_deferred()) {
            model_.create(made);
            for (id_t id : given) {
                enqueue({call_kind::set, made, id, one.number}, op_kind::count);
            }
        } else {
            model_.create_with(made, ids, {std::begin(given), std::end(given)});
            compare_events();
        }
    }
    void create_values(const op& one) {
        switch (static_cast<unsigned>(one.number) % 5) {
            case 0:
                return create_of<Trivial>(one);
            case 1:
                return create_of<Trivial, Text>(one);
            case 2:
                return create_of<NoDefault, MoveOnly>(one);
            case 3:
                return create_of<Aligned, SparseText>(one);
            default:
                return create_of<DataRelation, Text>(one);
        }
    }

    // Three entities with columns of numbers that count up from the operation's own.
    void bulk(const op& one) {
        constexpr std::size_t count = 3;
        std::vector<Trivial> trivials;
        std::vector<Text> texts;
        std::vector<SparseText> sparse_texts;
        std::vector<DataRelation> relations;
        std::vector<MoveOnly> movables;
        for (std::size_t i = 0; i < count; ++i) {
            std::int64_t number = one.number + static_cast<std::int64_t>(i);
            trivials.emplace_back(number);
            texts.emplace_back(number);
            sparse_texts.emplace_back(number);
            relations.emplace_back(number);
            movables.emplace_back(number);
        }
        struct column {
            id_t id;
            const void* values;
        };
        entity_t target = slots_[one.first];
        auto of = [&](component_number number) { return components_[number].id; };
        std::vector<column> columns;
        std::optional<errc> expected;
        switch (static_cast<unsigned>(one.number) % 8) {
            case 0:
                columns = {{of(trivial), trivials.data()}};
                break;
            case 1:
                columns = {{of(trivial), trivials.data()}, {of(text_number), texts.data()}};
                break;
            case 2:
                columns = {{of(plain_tag), nullptr}, {of(trivial), trivials.data()}};
                break;
            case 3:
                columns = {{of(sparse_text), sparse_texts.data()}, {of(text_number), texts.data()}};
                break;
            case 4:
                columns = {{of(no_default), nullptr}};
                expected = errc::not_constructible;
                break;
            case 5:
                columns = {{of(move_only), movables.data()}};
                expected = errc::not_copyable;
                break;
            case 6:
                columns = {{kith::make_pair(of(data_relation), target), relations.data()},
                           {kith::make_pair(of(exclusive_tag), target), nullptr}};
                break;
            default:
                columns = {{kith::make_pair(of(exclusive_tag), target), nullptr},
                           {kith::make_pair(of(exclusive_tag), of(plain_tag)), nullptr}};
                expected = errc::constraint;
                break;
        }
        std::vector<id_t> ids;
        std::vector<const void*> arrays;
        for (const column& each : columns) {
            ids.push_back(each.id);
            arrays.push_back(each.values);
            if (model_.check_id(each.id)) {
                expected = errc::invalid_id;
            }
        }
        std::vector<entity_t> made;
        std::optional<errc> actual = attempt([&] {
            kith::entity_span span = world_.bulk(count, ids.data(), ids.size(), arrays.data());
            made.assign(span.begin(), span.end());
        });
        expect_error(actual, expected);
        if (actual) {
            return;
        }
        count_effect(one.kind);
        for (std::size_t i = 0; i < count; ++i) {
            expect_new(made[i]);
            slots_[(one.slot + i) % slot_count] = made[i];
            std::map<id_t, std::int64_t> with;
            std::set<id_t> given;
            std::int64_t number = one.number + static_cast<std::int64_t>(i);
            if (is_deferred()) {
                model_.create(made[i]);
            }
            for (const column& each : columns) {
                with[each.id] = each.values ? number : 0;
                if (each.values) {
                    given.insert(each.id);
                }
                if (is_deferred()) {
                    enqueue({each.values ? call_kind::set : call_kind::add, made[i], each.id,
                             each.values ? number : 0},
                            op_kind::count);
                }
            }
            if (!is_deferred()) {
                model_.create_with(made[i], with, given);
            }
        }
        if (!is_deferred()) {
            compare_events();
        }
    }

    void make_alive(const op& one) {
        std::optional<errc> expected = model_.check_make_alive(slots_[one.slot]);
        std::optional<errc> actual = attempt([&] { world_.make_alive(slots_[one.slot]); });
        expect_error(actual, expected);
        if (!expected && !model_.is_alive(slots_[one.slot])) {
            model_.make_alive(slots_[one.slot]);
            count_effect(one.kind);
        }
    }

    void clone(const op& one) {
        entity_t source = slots_[one.first];
        bool copy_values = one.kind == op_kind::clone;
        call_kind kind = copy_values ? call_kind::clone : call_kind::clone_types;
        kith::entity made;
        std::optional<errc> actual =
            attempt([&] { made = kith::entity(world_, source).clone(copy_values); });
        if (!model_.is_alive(source)) {
            expect_error(actual, errc::invalid_entity);
            return;
        }
        if (is_deferred()) {
            expect_error(actual, std::nullopt);
            expect_new(made);
            model_.create(made);
            slots_[one.slot] = made;
            enqueue({kind, made, source}, one.kind);
            return;
        }
        if (actual) {
            // See what the model says by trying, and forget it.
            world_model tried = model_;
            tried.alive[~entity_t{0}];
            expect_error(actual, tried.run({kind, ~entity_t{0}, source}).error);
            return;
        }
        expect_new(made);
        model_.create(made);
        slots_[one.slot] = made;
        result outcome = model_.run({kind, made, source});
        expect_error(actual, outcome.error);
        compare_events();
        count_effect(one.kind);
    }

    void take_ref(const op& one) {
        auto number = static_cast<std::uint8_t>((one.first - first_component) % component_count);
        if (!components_[number].has_value || number == color) {
            return;
        }
        refs_[static_cast<unsigned>(one.number) % ref_count] = {slots_[one.slot], number, {}};
        with_type(number, [&](auto tag) {
            using type = typename decltype(tag)::type;
            held_ref& held = refs_[static_cast<unsigned>(one.number) % ref_count];
            auto ref = std::make_shared<kith::ref<type>>(
                kith::entity(world_, held.entity).template get_ref<type>());
            held.read = [ref]() -> const void* { return ref->try_get(); };
        });
        count_effect(one.kind);
    }

    // Components in use cannot be deleted. (One that is not in use could: not here.)
    void delete_component(const op& one) {
        entity_t id = element(one.first);
        bool used = std::any_of(model_.alive.begin(), model_.alive.end(), [&](const auto& entity) {
            return std::any_of(
                entity.second.ids.begin(), entity.second.ids.end(), [&](const auto& held) {
                    return held.first == id ||
                           (kith::is_pair(held.first) && kith::pair_first(held.first) == id);
                });
        });
        if (!used || is_deferred()) {
            return;
        }
        expect_error(attempt([&] { kith::entity(world_, id).destruct(); }), errc::in_use);
        compare_events();
        count_effect(one.kind);
    }

    void defer_end() {
        --depth_;
        std::optional<errc> actual = attempt([&] { world_.defer_end(); });
        if (depth_ != 0) {
            expect_error(actual, std::nullopt);
            return;
        }
        flush_report report = model_.flush();
        freed_while_queued_ = false;
        std::vector<op_kind> kinds = std::exchange(queued_kinds_, {});
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            if (report.changed[i]) {
                count_effect(kinds[i]);
            }
        }
        count_effect(op_kind::defer_end);
        // What was queued when deferring was suspended runs one by one.
        report.exact &= !std::exchange(was_suspended_, false);
        compare_errors(actual, report);
        compare_flush_events(report);
        compare_all();
    }
    // The first error is raised, and they are counted.
    void compare_errors(const std::optional<errc>& actual, const flush_report& report) {
        std::size_t needed = 0;
        std::set<errc> possible;
        for (const command_error& one : report.errors) {
            if (needed == 0) {
                possible.insert(one.code);
            }
            needed += !one.optional;
        }
        if (actual ? possible.count(*actual) == 0 && report.dropped == 0 : needed != 0) {
            fail("kith: " + text(actual) + " (" + last_message_ + "), model: " +
                 text(report.errors.empty() ? std::nullopt : std::optional(report.errors[0].code)));
        }
        std::size_t told = actual ? 1 : 0;
        if (std::size_t at = last_message_.rfind("(the first of "); at != std::string::npos) {
            told = std::strtoull(last_message_.c_str() + at + 14, nullptr, 10);
        }
        if (told < needed || told > report.errors.size() + report.dropped) {
            fail(std::to_string(report.errors.size()) +
                 " commands failed, but kith says: " + last_message_);
        }
        if (actual && counts_) {
            ++counts_->errors;
        }
    }

    // Elements that are given as handles must be alive, with their generation.
    std::optional<errc> check_elements(const op& one) const {
        bool good = one.second == no_element || (model_.is_element(element(one.first)) &&
                                                 model_.is_element(element(one.second)));
        return good ? std::nullopt : std::optional(errc::invalid_id);
    }

    // An operation on one entity, or on all that have an id: now or later.
    void submit(const op& one) {
        call request = make_call(one);
        std::optional<errc> expected;
        bool is_world_wide = one.kind == op_kind::delete_with || one.kind == op_kind::remove_all;
        bool needs_elements = one.kind == op_kind::add || one.kind == op_kind::add_pair ||
                              one.kind == op_kind::child_of || one.kind == op_kind::set ||
                              one.kind == op_kind::set_pair || one.kind == op_kind::emplace ||
                              one.kind == op_kind::ensure;
        if (needs_elements) {
            bool orphan = one.kind == op_kind::child_of && !model_.is_alive(slots_[one.first]);
            expected = orphan                          ? std::optional(errc::invalid_id)
                       : one.kind == op_kind::child_of ? std::nullopt
                                                       : check_elements(one);
        }
        if (!expected && !is_world_wide && !model_.is_alive(request.entity)) {
            expected = errc::invalid_entity;
        } else if (!expected && needs_elements) {
            expected = model_.check_id(request.id);
        } else if (one.kind == op_kind::clone_into && !model_.is_alive(request.id)) {
            expected = errc::invalid_entity;
        }
        bool removes = one.kind == op_kind::remove_pair || one.kind == op_kind::remove_matching;
        if (!expected && removes && check_elements(one)) {
            // Handles of the dead mean nothing, whoever has their index now.
            expect_error(attempt([&] { perform(one, request); }), std::nullopt);
            return;
        }
        if (!expected && is_deferred()) {
            submit_deferred(one, request);
            return;
        }
        std::optional<errc> actual = attempt([&] { perform(one, request); });
        if (!expected) {
            result outcome = model_.run(request);
            expected = outcome.error;
            if (outcome.changed) {
                count_effect(one.kind);
            }
        }
        freed_while_queued_ |= is_suspended() && (one.kind == op_kind::destruct || is_world_wide);
        expect_error(actual, expected);
        if (one.kind == op_kind::add_pair || one.kind == op_kind::add_color) {
            check_event_order();
        }
        compare_events();
    }
    void submit_deferred(const op& one, const call& request) {
        written_in_place_ = false;
        std::optional<errc> actual = attempt([&] { perform(one, request); });
        if (one.kind == op_kind::ensure && actual == errc::not_constructible) {
            if (value_type(one)->constructible) {
                fail("get_mut of something that could be constructed: " + last_message_);
            }
            return;
        }
        expect_error(actual, std::nullopt);
        if (!written_in_place_) {
            enqueue(request, one.kind);
        }
    }
    call make_call(const op& one) const {
        call request{call_kind::add, slots_[one.slot], 0, one.number};
        switch (one.kind) {
            case op_kind::add:
            case op_kind::add_pair:
                request.id = make_id(one);
                break;
            case op_kind::child_of:
                request.id = kith::make_pair(kith::ChildOf, slots_[one.first]);
                break;
            case op_kind::add_color:
                request.id = kith::make_pair(components_[color].id,
                                             colors_[static_cast<unsigned>(one.number) % 3]);
                break;
            case op_kind::add_exclusive:
                request.id = kith::Exclusive;
                break;
            case op_kind::disable_entity:
                request.id = kith::Disabled;
                break;
            case op_kind::enable_entity:
                request.kind = call_kind::remove;
                request.id = kith::Disabled;
                break;
            case op_kind::remove:
            case op_kind::remove_pair:
            case op_kind::remove_matching:
                request.kind = call_kind::remove;
                request.id = make_id(one);
                break;
            case op_kind::unname:
                request.kind = call_kind::remove;
                request.id = name_id;
                break;
            case op_kind::set:
            case op_kind::set_pair:
                request.kind = call_kind::set;
                request.id = make_id(one);
                break;
            case op_kind::emplace:
                request.kind = call_kind::emplace;
                request.id = make_id(one);
                break;
            case op_kind::ensure:
                request.kind = call_kind::ensure;
                request.id = make_id(one);
                break;
            case op_kind::modified:
                request.kind = call_kind::modified;
                request.id = make_id(one);
                break;
            case op_kind::set_name:
                request.kind = call_kind::set_name;
                request.id = name_id;
                request.name = name_text(one.number);
                break;
            case op_kind::enable:
                request.kind = call_kind::enable;
                request.id = make_id(one);
                break;
            case op_kind::disable:
                request.kind = call_kind::disable;
                request.id = make_id(one);
                break;
            case op_kind::clone_into:
                request.kind = call_kind::clone;
                request.id = slots_[one.first];
                break;
            case op_kind::clear:
                request.kind = call_kind::clear;
                break;
            case op_kind::delete_with:
                request.kind = call_kind::delete_with;
                request.entity = 0;
                request.id = make_id(one);
                break;
            case op_kind::remove_all:
                request.kind = call_kind::remove_all;
                request.entity = 0;
                request.id = make_id(one);
                break;
            default:
                request.kind = call_kind::destruct;
                break;
        }
        return request;
    }

    // The same on kith.
    void perform(const op& one, const call& request) {
        kith::entity self(world_, slots_[one.slot]);
        bool pair = one.second != no_element;
        switch (one.kind) {
            case op_kind::add:
            case op_kind::add_pair:
                pair ? self.add(element(one.first), element(one.second))
                     : self.add(element(one.first));
                break;
            case op_kind::child_of:
                self.child_of(slots_[one.first]);
                break;
            case op_kind::add_color:
                self.add(static_cast<Color>(static_cast<unsigned>(one.number) % 3));
                break;
            case op_kind::add_exclusive:
                self.add(kith::Exclusive);
                break;
            case op_kind::disable_entity:
                self.disable();
                break;
            case op_kind::enable_entity:
                self.enable();
                break;
            case op_kind::remove:
            case op_kind::remove_pair:
            case op_kind::remove_matching:
                pair ? self.remove(element(one.first), element(one.second))
                     : self.remove(element(one.first));
                break;
            case op_kind::unname:
                self.set_name(nullptr);
                break;
            case op_kind::set_name:
                self.set_name(request.name.c_str());
                break;
            case op_kind::set:
            case op_kind::set_pair:
            case op_kind::emplace:
            case op_kind::ensure:
                with_type(number_of(*value_type(one)), [&](auto tag) {
                    write_value<typename decltype(tag)::type>(self, one, request);
                });
                break;
            case op_kind::modified:
                self.modified(request.id);
                break;
            case op_kind::enable:
                self.enable(request.id);
                break;
            case op_kind::disable:
                self.disable(request.id);
                break;
            case op_kind::clone_into:
                kith::entity(world_, slots_[one.first]).clone(true, slots_[one.slot]);
                break;
            case op_kind::clear:
                self.clear();
                break;
            case op_kind::delete_with:
                world_.delete_with(request.id);
                break;
            case op_kind::remove_all:
                world_.remove_all(request.id);
                break;
            default:
                self.destruct();
                break;
        }
    }
    template <class T>
    void write_value(kith::entity self, const op& one, const call& request) {
        entity_t first = element(one.first);
        entity_t second = one.second == no_element ? 0 : element(one.second);
        entity_t type = kith::type_id<T>();
        if (one.kind == op_kind::ensure) {
            T* place = second == 0     ? self.get_mut<T>()
                       : first == type ? self.get_mut<T>(second)
                                       : self.template get_mut_second<T>(first);
            const void* stored = model_.is_alive(self) ? self.get(request.id) : nullptr;
            if constexpr (std::is_move_assignable_v<T>) {
                *place = T(one.number);
            } else {
                place->~T();
                ::new (static_cast<void*>(place)) T(one.number);
            }
            if (place == stored && is_deferred()) {
                // Nothing that is queued changes it, so it was written in place.
                model_.alive[self].ids[request.id] = one.number;
                written_in_place_ = true;
            }
        } else if (one.kind == op_kind::emplace) {
            if (second == 0) {
                self.emplace<T>(std::int64_t{one.number});
            } else if (first == type) {
                self.template emplace_first<T>(second, std::int64_t{one.number});
            } else {
                self.template emplace_second<T>(first, std::int64_t{one.number});
            }
        } else if (second == 0) {
            set_plain<T>(self, one.number);
        } else if (first == type) {
            self.template set<T>(second, T(one.number));
        } else {
            self.template set_second<T>(first, T(one.number));
        }
    }
    // By moving, by copying, and by bytes.
    template <class T>
    static void set_plain(kith::entity self, std::int64_t number) {
        if constexpr (std::is_copy_constructible_v<T>) {
            const T value(number);
            if (number % 3 == 1) {
                self.set<T>(value);
                return;
            }
            if (number % 3 == 2) {
                self.set_ptr(kith::type_id<T>(), &value);
                return;
            }
        }
        self.set<T>(T(number));
    }

    // -- comparing
    void touch(std::uint8_t slot) {
        if (slot < slot_count && slots_[slot] != 0) {
            compare(slots_[slot]);
        }
    }
    void compare(entity_t entity) {
        bool alive = model_.is_alive(entity);
        if (world_.is_alive(entity) != alive) {
            fail(text(entity) + (alive ? " is dead" : " is alive"));
        }
        if (!alive) {
            return;
        }
        const entity_state& state = model_.alive[entity];
        kith::entity self(world_, entity);
        kith::type type = self.type();
        std::vector<id_t> expected;
        for (const auto& [id, number] : state.ids) {
            expected.push_back(id);
        }
        if (!std::equal(type.begin(), type.end(), expected.begin(), expected.end())) {
            std::string actual_text;
            std::string expected_text;
            for (id_t id : type) {
                actual_text += " " + text(id);
            }
            for (id_t id : expected) {
                expected_text += " " + text(id);
            }
            fail(text(entity) + " has" + actual_text + ", should have" + expected_text);
        }
        for (const auto& [id, number] : state.ids) {
            compare_id(self, state, id, number);
        }
        if (std::string(self.name().c_str()) != state.name) {
            fail(text(entity) + " has the name \"" + self.name().c_str() + "\", not \"" +
                 state.name + "\"");
        }
        if (self.parent() != model_.parent_of(state)) {
            fail(text(entity) + " has the parent " + text(self.parent()));
        }
        if (self.enabled() == state.has(kith::Disabled)) {
            fail(text(entity) + " is enabled or not");
        }
    }
    void compare_id(kith::entity self, const entity_state& state, id_t id, std::int64_t number) {
        if (!self.has(id) || !self.owns(id)) {
            fail(text(self) + " lists " + text(id) + " but does not have it");
        }
        if (const component* type = model_.value_type(id)) {
            const void* value = self.get(id);
            std::int64_t actual = value ? read_number(number_of(*type), value) : -2;
            if (actual != number) {
                fail(text(id) + " of " + text(self) + " is " + std::to_string(actual) + ", not " +
                     std::to_string(number));
            }
        }
        if (self.enabled(id) == (state.disabled.count(id) != 0)) {
            fail(text(id) + " of " + text(self) + " is enabled or not");
        }
    }
    void compare_all() {
        for (const auto& [entity, state] : model_.alive) {
            compare(entity);
        }
        for (entity_t entity : slots_) {
            if (entity != 0) {
                compare(entity);
            }
        }
        if (world_.stats().entities != base_entities_ + model_.alive.size()) {
            fail("there are " + std::to_string(world_.stats().entities - base_entities_) +
                 " entities, not " + std::to_string(model_.alive.size()));
        }
        compare_counts();
        compare_names();
        for (held_ref& held : refs_) {
            compare_ref(held);
        }
        if (!heard_.empty()) {
            fail("hooks were called at a time when nothing changed: " + text(heard_));
        }
    }
    // How many entities have each id, and each group of ids.
    void compare_counts() {
        std::map<id_t, std::set<entity_t>> expected;
        for (const auto& [entity, state] : model_.alive) {
            for (const auto& [id, number] : state.ids) {
                if (id == name_id || is_color(id)) {
                    continue;
                }
                expected[id].insert(entity);
                if (kith::is_pair(id)) {
                    expected[kith::make_pair(kith::pair_first(id), kith::Wildcard)].insert(entity);
                    expected[kith::make_pair(kith::Wildcard, kith::pair_second(id))].insert(entity);
                }
            }
        }
        for (const component& one : components_) {
            if (one.id != components_[color].id) {
                expected[one.id];
            }
        }
        for (const auto& [id, holders] : expected) {
            if (id == kith::Exclusive || id == kith::make_pair(kith::ChildOf, kith::Wildcard)) {
                continue;  // kith's own entities have these, too
            }
            std::set<entity_t> found;
            collect(id, found);
            if (found != holders) {
                fail(std::to_string(found.size()) + " entities are found by " + text(id) +
                     ", not " + std::to_string(holders.size()));
            }
            if (!kith::is_wildcard(id) &&
                static_cast<std::size_t>(world_.count(id)) != holders.size()) {
                fail("the count of " + text(id) + " is " + std::to_string(world_.count(id)) +
                     ", not " + std::to_string(holders.size()));
            }
        }
    }
    bool is_color(id_t id) const {
        return kith::is_pair(id) && kith::pair_first(id) == components_[color].id;
    }
    // Iterating leaves out what is disabled: those are added here.
    void collect(id_t id, std::set<entity_t>& found) {
        world_.each(id, [&](kith::entity entity) { found.insert(entity.id()); });
        for (const auto& [entity, state] : model_.alive) {
            bool hidden = state.has(kith::Disabled) && id != kith::Disabled;
            for (id_t off : state.disabled) {
                hidden |= kith::matches_id(id, off);
            }
            if (hidden && kith::entity(world_, entity).has(id)) {
                found.insert(entity);
            }
        }
    }
    // Names are found while nothing is queued that changes them.
    void compare_names() {
        if (!model_.queue.empty()) {
            return;
        }
        for (const auto& [entity, state] : model_.alive) {
            if (!state.has(name_id)) {
                continue;
            }
            entity_t parent = model_.parent_of(state);
            entity_t found = parent ? kith::entity(world_, parent).lookup(state.name.c_str()).id()
                                    : world_.lookup(state.name.c_str(), false).id();
            if (found != entity) {
                fail("lookup of \"" + state.name + "\" gives " + text(found) + ", not " +
                     text(entity));
            }
        }
        for (std::size_t i = 0; i < name_count; ++i) {
            std::string name = "n" + std::to_string(i);
            if (world_.lookup(name.c_str(), false).id() != model_.find_named(0, name)) {
                fail("lookup of \"" + name + "\" in the root scope");
            }
        }
    }
    struct held_ref {
        entity_t entity = 0;
        std::uint8_t number = 0;
        std::function<const void*()> read;
    };
    void compare_ref(held_ref& held) {
        if (!held.read) {
            return;
        }
        const void* value = held.read();
        id_t id = components_[held.number].id;
        bool there = model_.is_alive(held.entity) && model_.alive[held.entity].has(id);
        if ((value != nullptr) != there) {
            fail("a reference to " + text(id) + " of " + text(held.entity) + " is wrong");
        }
        if (there && read_number(held.number, value) != model_.alive[held.entity].ids[id]) {
            fail("a reference to " + text(id) + " of " + text(held.entity) +
                 " gives another value");
        }
    }
    void check() {
        try {
            world_.check();
        } catch (const kith::error& fault) {
            fail(fault.what());
        }
    }

    // Every block by itself where a sanitizer looks at them.
    static kith::world_memory memory() {
        kith::world_memory memory = kith::use_memory(*std::pmr::new_delete_resource());
#if defined(__SANITIZE_ADDRESS__)
        memory.pools = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
        memory.pools = false;
#endif
#endif
        return memory;
    }

    static constexpr component_number text_number = model::text;

    std::vector<component> components_;
    world_model model_;
    statistics* counts_;
    std::vector<event> heard_;
    std::array<entity_t, slot_count> slots_{};
    std::array<entity_t, 3> colors_{};
    std::array<held_ref, ref_count> refs_{};
    std::vector<op_kind> queued_kinds_;
    std::string last_message_;
    bool written_in_place_ = false;
    // A queued pair names its elements without their generations: an entity that got the index
    // of one that died meanwhile would take its place. So there are no new ones until the
    // flush.
    bool freed_while_queued_ = false;
    bool was_suspended_ = false;
    std::size_t base_entities_ = 0;
    std::size_t steps_ = 0;
    int depth_ = 0;
    int suspended_ = 0;
    std::int64_t live_before_ = live_values;
    // Last, because hooks run until its end.
    std::optional<kith::world> owner_{std::in_place, memory()};
    kith::world world_{owner_->c_ptr()};
};

}  // namespace model
