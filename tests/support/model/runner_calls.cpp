// Operations on entities that are there: as calls of the model, and on kith.
#include "support/model/operations.hpp"
#include "support/model/runner.hpp"

namespace model {

// Elements that are given as handles must be alive, with their generation.
std::set<errc> runner::check_elements(const op& one) const {
    bool good = one.second == no_element ||
                (model_.is_element(element(one.first)) && model_.is_element(element(one.second)));
    return good ? std::set<errc>{} : std::set<errc>{errc::invalid_id};
}
bool runner::is_contradictory(const op& one) {
    kith::relation_desc desc;
    for (property_number each : declared(one)) {
        desc.symmetric |= each == symmetric;
        desc.acyclic |= each == acyclic || each == traversable || each == transitive;
    }
    return desc.symmetric && desc.acyclic;
}
std::set<errc> runner::check_declaration(const op& one, const call& request) const {
    if (is_contradictory(one)) {
        return {errc::constraint};
    }
    for (id_t id : request.ids) {
        bool refers = kith::is_pair(id) &&
                      (kith::pair_first(id) == kith::With || kith::pair_first(id) == kith::OneOf);
        if (refers && !model_.is_element(element(one.second))) {
            return {errc::invalid_id, errc::invalid_entity};
        }
    }
    return {};
}
// The errors of a call, whatever the state of the entity: raised at once.
std::set<errc> runner::check_call(const op& one, const call& request) const {
    const operation& what = operation_of(one.kind);
    if (what.check) {
        if (std::set<errc> bad = what.check(*this, one, request); !bad.empty()) {
            return bad;
        }
    }
    bool world_wide = request.entity == 0;
    if (!world_wide && !model_.is_element(request.entity)) {
        return {errc::invalid_entity};
    }
    switch (request.kind) {
        case call_kind::add:
        case call_kind::set:
        case call_kind::emplace:
        case call_kind::ensure:
        case call_kind::set_override:
        case call_kind::emplace_override:
            if (std::optional<errc> bad = model_.check_id(request.id)) {
                return {*bad};
            }
            break;
        case call_kind::clone:
            if (!model_.is_alive(request.id)) {
                return {errc::invalid_entity};
            }
            break;
        default:
            break;
    }
    return {};
}

// Handles of dead entities name no pair, whoever has their index now.
bool runner::names_dead(const op& one) const {
    op elements = one;
    if (one.kind == op_kind::remove_property) {
        if (!property_of(one.number).has_target) {
            return false;
        }
        elements.first = one.second;
    }
    return operation_of(one.kind).has(takes_handles) && !check_elements(elements).empty();
}
// An operation on one entity, or on all that have an id: now or later.
void runner::submit(const op& one) {
    const operation& what = operation_of(one.kind);
    call request = make_call(one);
    std::set<errc> expected = check_call(one, request);
    if (expected.empty() && names_dead(one)) {
        expect_error(attempt([&] { what.perform(*this, one, request); }), {});
        return;
    }
    if (expected.empty() && is_deferred()) {
        copies_queued_ |= one.kind == op_kind::is_a ||
                          (one.kind == op_kind::clone_into && may_copy_instance(one));
        deletion_queued_ |= what.has(deletes);
        submit_deferred(one, request);
        return;
    }
    // Clones that wait in a queue may be those of an instance by now.
    copies_queued_ |= is_suspended() && !model_.queue.empty() &&
                      (one.kind == op_kind::is_a || one.kind == op_kind::clone_into);
    std::set<errc> actual = attempt([&] { what.perform(*this, one, request); });
    if (expected.empty()) {
        result outcome = model_.run(request);
        expected = outcome.errors;
        if (outcome.changed) {
            count_effect(one.kind);
            count_property(one);
        }
    }
    freed_while_queued_ |= is_suspended() && what.has(deletes);
    expect_error(actual, expected);
    if (what.has(replaces)) {
        check_event_order();
    }
    compare_events();
}
void runner::submit_deferred(const op& one, const call& request) {
    const operation& what = operation_of(one.kind);
    written_in_place_ = false;
    std::set<errc> actual = attempt([&] { what.perform(*this, one, request); });
    if (one.kind == op_kind::ensure && actual.count(errc::not_constructible)) {
        if (value_type(one)->constructible) {
            fail("get_mut of something that could be constructed: " + last_message_);
        }
        return;
    }
    expect_error(actual, {});
    bool overrides = one.kind == op_kind::set_override || one.kind == op_kind::emplace_override;
    if (overrides) {
        // Two commands: the mark does not depend on the value.
        call value = request;
        value.kind = one.kind == op_kind::set_override ? call_kind::set : call_kind::emplace;
        enqueue(value, &one);
        enqueue({call_kind::add, request.entity, kith::Override | request.id}, nullptr);
    } else if (!written_in_place_) {
        enqueue(request, &one);
    }
}

void runner::make_property_call(const op& one, call& request) const {
    request.entity = element(one.first);
    entity_t target = one.second == no_element ? 0 : element(one.second);
    auto id_of = [&](const property& what) {
        return what.has_target ? kith::make_pair(what.first, target)
               : what.second   ? kith::make_pair(what.first, what.second)
                               : what.first;
    };
    if (one.kind == op_kind::declare) {
        request.kind = call_kind::declare;
        request.ids.push_back(kith::Relationship);
        for (property_number each : declared(one)) {
            request.ids.push_back(id_of(property_of(each)));
        }
        return;
    }
    request.kind = one.kind == op_kind::add_property ? call_kind::add : call_kind::remove;
    request.id = id_of(property_of(one.number));
}
call runner::make_call(const op& one) const {
    call request{call_kind::add, slots_[one.slot], 0, one.number};
    operation_of(one.kind).model(*this, one, request);
    return request;
}

kith::relation_desc runner::declaration(const op& one) const {
    kith::relation_desc desc;
    for (property_number each : declared(one)) {
        desc.exclusive |= each == exclusive;
        desc.symmetric |= each == symmetric;
        desc.acyclic |= each == acyclic;
        desc.traversable |= each == traversable;
        desc.transitive |= each == transitive;
        desc.tag |= each == only_tag;
        desc.final |= each == final_base;
        desc.dont_inherit |= each == dont_inherit;
        desc.reflexive |= each == reflexive;
        desc.transient |= each == transient;
        const property& what = property_of(each);
        if (each == sparse) {
            desc.storage = kith::storage::sparse;
        } else if (each == with) {
            desc.with = element(one.second);
        } else if (what.first == kith::OneOf) {
            desc.one_of = what.has_target ? element(one.second) : entity_t{kith::This};
        } else if (what.first == kith::OnDelete) {
            desc.on_delete = what.second;
        } else if (what.first == kith::OnDeleteTarget) {
            desc.on_delete_target = what.second;
        }
    }
    return desc;
}
void runner::write_color(kith::entity self, const op& one) {
    const Color value = color_of(one);
    switch (color_way_of(one)) {
        case color_way::set:
            self.set(value);
            break;
        case color_way::get_mut:
            *self.get_mut<Color>() = value;
            break;
        case color_way::ensure:
            self.ensure<Color>() = value;
            break;
        case color_way::callback:
            self.set([&](Color& written) { written = value; });
            break;
        default:
            self.add(value);
            break;
    }
}
void runner::write_value(kith::entity self, const op& one, const call& request) {
    with_type(number_of(*value_type(one)),
              [&](auto tag) { write_value_of<typename decltype(tag)::type>(self, one, request); });
}
template <class T>
void runner::write_value_of(kith::entity self, const op& one, const call& request) {
    const entity_t first = element(one.first);
    const entity_t second = one.second == no_element ? 0 : element(one.second);
    const entity_t type = kith::type_id<T>();
    const std::int64_t number = one.number;
    if (one.kind == op_kind::ensure) {
        T* place = second == 0     ? self.get_mut<T>()
                   : first == type ? self.get_mut<T>(second)
                                   : self.template get_mut_second<T>(first);
        write_in_place(self, place, one, request);
    } else if (one.kind == op_kind::set_override) {
        second == 0 ? self.set_override<T>(T(number))
                    : self.template set_override<T>(second, T(number));
    } else if (one.kind == op_kind::emplace_override) {
        self.template emplace_override<T>(std::int64_t{number});
    } else if (one.kind == op_kind::emplace) {
        if (second == 0) {
            self.emplace<T>(std::int64_t{number});
        } else if (first == type) {
            self.template emplace_first<T>(second, std::int64_t{number});
        } else {
            self.template emplace_second<T>(first, std::int64_t{number});
        }
    } else if (second == 0) {
        set_plain<T>(self, number);
    } else if (first == type) {
        self.template set<T>(second, T(number));
    } else {
        self.template set_second<T>(first, T(number));
    }
}
template <class T>
void runner::write_in_place(kith::entity self, T* place, const op& one, const call& request) {
    const bool has_it = model_.is_alive(self) && model_.at(self).has(request.id);
    const void* stored = has_it ? self.get(request.id) : nullptr;
    if constexpr (std::is_move_assignable_v<T>) {
        *place = T(one.number);
    } else {
        place->~T();
        ::new (static_cast<void*>(place)) T(one.number);
    }
    if (place == stored && is_deferred()) {
        // Nothing that is queued changes the value, so it was written in place.
        model_.alive[self].ids[request.id] = one.number;
        written_in_place_ = true;
    }
}
// A value of another entity with this number, or null.
template <class T>
const T* runner::find_equal(std::int64_t number) const {
    for (const auto& [entity, holder] : model_.alive) {
        auto found = holder.ids.find(kith::type_id<T>());
        if (found != holder.ids.end() && found->second == number) {
            const T* value = kith::entity(world_, entity).template get<T>();
            if (value && value->get() == number) {
                return value;
            }
        }
    }
    return nullptr;
}
// By moving, by copying, from another entity's value, and by bytes.
template <class T>
void runner::set_plain(kith::entity self, std::int64_t number) {
    if constexpr (std::is_copy_constructible_v<T>) {
        if (const T* equal = find_equal<T>(number)) {
            self.set<T>(*equal);
            return;
        }
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

void runner::take_ref(const op& one) {
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
void runner::delete_component(const op& one) {
    entity_t id = element(one.first);
    bool used = std::any_of(model_.alive.begin(), model_.alive.end(), [&](const auto& entity) {
        return std::any_of(
            entity.second.ids.begin(), entity.second.ids.end(), [&](const auto& held) {
                return held.first == id ||
                       (kith::is_pair(held.first) && kith::pair_first(held.first) == id &&
                        !(held.first & kith::Override));
            });
    });
    // Those that die with it do not count.
    bool cascades = std::any_of(model_.alive.begin(), model_.alive.end(), [&](const auto& entity) {
        return std::any_of(
            entity.second.ids.begin(), entity.second.ids.end(), [&](const auto& held) {
                return kith::is_pair(held.first) && kith::pair_second(held.first) == id &&
                       model_.has_property(kith::pair_first(held.first),
                                           kith::make_pair(kith::OnDeleteTarget, kith::Delete));
            });
    });
    if (!used || cascades || is_deferred()) {
        return;
    }
    expect_error(attempt([&] { kith::entity(world_, id).destruct(); }), {errc::in_use});
    compare_events();
    count_effect(one.kind);
}

}  // namespace model
