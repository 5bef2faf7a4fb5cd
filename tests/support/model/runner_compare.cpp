// Comparing entities, counts and names.
#include "support/model/runner.hpp"

namespace model {

std::uint8_t runner::number_of(const component& one) const {
    for (std::uint8_t i = 0; i < component_count; ++i) {
        if (components_[i].id == one.id) {
            return i;
        }
    }
    return 0;
}

// After each step: the entity that it was about, those that it changed, and what all others have.
void runner::compare_after(const op& one) {
    if (one.slot < slot_count && slots_[one.slot] != 0) {
        compare(slots_[one.slot]);
    }
    if (is_deferred()) {
        return;
    }
    for (entity_t entity : model_.touched) {
        compare(entity);
    }
    for (const auto& [entity, state] : model_.alive) {
        compare_type(entity);
    }
}
void runner::compare_type(entity_t entity) {
    kith::entity self(world_, entity);
    if (!self.is_alive()) {
        fail(text(entity) + " is dead");
    }
    const entity_state& state = model_.at(entity);
    kith::type type = self.type();
    auto same = [](id_t id, const auto& held) { return id == held.first; };
    if (!std::equal(type.begin(), type.end(), state.ids.begin(), state.ids.end(), same)) {
        std::string actual_text;
        std::string expected_text;
        for (id_t id : type) {
            actual_text += " " + text(id);
        }
        for (const auto& [id, number] : state.ids) {
            expected_text += " " + text(id);
        }
        fail(text(entity) + " has" + actual_text + ", should have" + expected_text);
    }
}
void runner::compare(entity_t entity) {
    bool alive = model_.is_element(entity);
    if (world_.is_alive(entity) != alive) {
        fail(text(entity) + (alive ? " is dead" : " is alive"));
    }
    if (!alive) {
        return;
    }
    compare_type(entity);
    const entity_state& state = model_.at(entity);
    kith::entity self(world_, entity);
    for (const auto& [id, number] : state.ids) {
        compare_id(self, state, id, number);
    }
    if (self.parent() != model_.parent_of(state)) {
        fail(text(entity) + " has the parent " + text(self.parent()));
    }
    compare_graph(self);
    if (!model_.is_alive(entity)) {
        return;
    }
    compare_color(self);
    if (std::string(self.name().c_str()) != state.name) {
        fail(text(entity) + " has the name \"" + self.name().c_str() + "\", not \"" + state.name +
             "\"");
    }
    if (self.enabled() == state.has(kith::Disabled)) {
        fail(text(entity) + " is enabled or not");
    }
}
void runner::compare_id(kith::entity self, const entity_state& state, id_t id,
                        std::int64_t number) {
    if (!self.has(id) || !self.owns(id)) {
        fail(text(self) + " lists " + text(id) + " but does not have it");
    }
    if (const component* type = model_.value_type(id)) {
        const void* value = self.get(id);
        std::int64_t actual = value ? read_number(number_of(*type), value) : -2;
        if (actual != number && model_.is_alive(self)) {
            fail(text(id) + " of " + text(self) + " is " + std::to_string(actual) + ", not " +
                 std::to_string(number));
        }
    }
    if (self.enabled(id) == (state.disabled.count(id) != 0)) {
        fail(text(id) + " of " + text(self) + " is enabled or not");
    }
}
// The value of an enum, its own or inherited, is that of the constant.
void runner::compare_color(kith::entity self) {
    std::optional<std::size_t> expected;
    for (const auto& [id, seen] : model_.visible(self)) {
        if (model_.is_enum_pair(id)) {
            const auto constant =
                std::find(colors_.begin(), colors_.end(), model_.alive_at(kith::pair_second(id)));
            expected = static_cast<std::size_t>(constant - colors_.begin());
        }
    }
    const Color* actual = self.get<Color>();
    const bool same =
        actual ? expected && static_cast<std::size_t>(*actual) == *expected : !expected.has_value();
    if (!same || self.has<Color>() != expected.has_value()) {
        fail(text(self) + " has another Color than " +
             (expected ? std::to_string(*expected) : "none"));
    }
}
// A query hands out the value of each owner.
void runner::compare_colors_found() {
    std::map<entity_t, Color> found;
    colored_.each([&](kith::entity one, const Color& value) { found[one] = value; });
    for (const auto& [entity, state] : model_.alive) {
        for (std::size_t i = 0; i < colors_.size(); ++i) {
            const id_t id = color_id(static_cast<Color>(i));
            const auto seen = found.find(entity);
            const bool shown = seen != found.end() && seen->second == static_cast<Color>(i);
            if (state.has(id) && shown == is_hidden(state, id)) {
                fail(text(entity) + " is found with another Color");
            }
        }
    }
}
void runner::compare_all() {
    for (const auto& [entity, state] : model_.alive) {
        compare(entity);
    }
    for (entity_t entity : slots_) {
        if (entity != 0) {
            compare(entity);
        }
    }
    for (const component& one : components_) {
        compare_type(one.id);
    }
    if (world_.stats().entities != base_entities_ + model_.alive.size()) {
        fail("there are " + std::to_string(world_.stats().entities - base_entities_) +
             " entities, not " + std::to_string(model_.alive.size()));
    }
    compare_counts();
    if (!is_deferred()) {
        compare_colors_found();
    }
    compare_names();
    if (std::string fault = model_.check_invariants(); !fault.empty()) {
        fail("the model is wrong: " + fault);
    }
    for (held_ref& held : refs_) {
        compare_ref(held);
    }
    if (!heard_.empty()) {
        fail("hooks were called at a time when nothing changed: " + text(heard_));
    }
}
// How many entities have each id, and each group of ids.
void runner::compare_counts() {
    std::map<id_t, std::set<entity_t>> expected;
    for (const auto* group : {&model_.alive, &model_.fixed}) {
        for (const auto& [entity, state] : *group) {
            for (const auto& [id, number] : state.ids) {
                if (id & kith::Override) {
                    continue;
                }
                expected[id].insert(entity);
                if (kith::is_pair(id)) {
                    expected[kith::make_pair(kith::pair_first(id), kith::Wildcard)].insert(entity);
                    expected[kith::make_pair(kith::Wildcard, kith::pair_second(id))].insert(entity);
                }
            }
        }
    }
    for (const component& one : components_) {
        expected[one.id];
    }
    for (const auto& [id, holders] : expected) {
        std::uint32_t element = kith::is_pair(id) ? kith::pair_first(id) : kith::index_of(id);
        bool own = element < kith::detail::first_type ||
                   (kith::is_pair(id) && kith::pair_second(id) < kith::first_overflow_type &&
                    kith::pair_second(id) >= kith::first_builtin &&
                    !kith::is_wildcard_element(kith::pair_second(id)));
        if (own) {
            continue;  // names, and what kith says about itself
        }
        std::set<entity_t> found;
        collect(id, found);
        if (found != holders) {
            fail(std::to_string(found.size()) + " entities are found by " + text(id) + ", not " +
                 std::to_string(holders.size()));
        }
        if (!kith::is_wildcard(id) &&
            static_cast<std::size_t>(world_.count(id)) != holders.size()) {
            fail("the count of " + text(id) + " is " + std::to_string(world_.count(id)) + ", not " +
                 std::to_string(holders.size()));
        }
    }
}
// Iterating leaves out what is disabled, and prefabs.
bool runner::is_hidden(const entity_state& state, id_t id) {
    return (state.has(kith::Disabled) && id != kith::Disabled) ||
           (state.has(kith::Prefab) && id != kith::Prefab) ||
           std::any_of(state.disabled.begin(), state.disabled.end(),
                       [&](id_t off) { return kith::matches_id(id, off); });
}
void runner::collect(id_t id, std::set<entity_t>& found) {
    world_.each(id, [&](kith::entity entity) { found.insert(entity.id()); });
    for (const auto* group : {&model_.alive, &model_.fixed}) {
        for (const auto& [entity, state] : *group) {
            if (is_hidden(state, id) && kith::entity(world_, entity).owns(id)) {
                found.insert(entity);
            }
        }
    }
}
// Names are found while nothing is queued that changes them.
void runner::compare_names() {
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
            fail("lookup of \"" + state.name + "\" gives " + text(found) + ", not " + text(entity));
        }
    }
    for (std::size_t i = 0; i < name_count; ++i) {
        std::string name = "n" + std::to_string(i);
        if (world_.lookup(name.c_str(), false).id() != model_.find_named(0, name)) {
            fail("lookup of \"" + name + "\" in the root scope");
        }
    }
}
void runner::compare_ref(held_ref& held) {
    if (!held.read) {
        return;
    }
    const void* value = held.read();
    id_t id = components_[held.number].id;
    std::optional<world_model::seen> seen;
    if (model_.is_alive(held.entity)) {
        seen = model_.look(held.entity, id);
    }
    if ((value != nullptr) != seen.has_value()) {
        fail("a reference to " + text(id) + " of " + text(held.entity) + " is wrong");
    }
    if (seen && read_number(held.number, value) != seen->number) {
        fail("a reference to " + text(id) + " of " + text(held.entity) + " gives another value");
    }
}
void runner::check() {
    try {
        world_.check();
    } catch (const kith::error& fault) {
        fail(fault.what());
    }
}

}  // namespace model
