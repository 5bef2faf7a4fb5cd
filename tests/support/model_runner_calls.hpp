// Operations on entities that are there: as calls of the model, and on kith. Part of
// model_runner.hpp.
#pragma once

namespace model {

// Elements that are given as handles must be alive, with their generation.
inline std::set<errc> runner::check_elements(const op& one) const {
    bool good = one.second == no_element ||
                (model_.is_element(element(one.first)) && model_.is_element(element(one.second)));
    return good ? std::set<errc>{} : std::set<errc>{errc::invalid_id};
}
inline bool runner::is_contradictory(const op& one) {
    kith::relation_desc desc;
    for (property_number each : declared(one)) {
        desc.symmetric |= each == symmetric;
        desc.acyclic |= each == acyclic || each == traversable || each == transitive;
    }
    return desc.symmetric && desc.acyclic;
}
// What is wrong with a call, whatever the state of the entity: raised at once.
inline std::set<errc> runner::check_call(const op& one, const call& request) const {
    switch (one.kind) {
        case op_kind::add:
        case op_kind::add_pair:
        case op_kind::set:
        case op_kind::set_pair:
        case op_kind::emplace:
        case op_kind::ensure:
        case op_kind::set_override:
        case op_kind::emplace_override:
        case op_kind::mark:
            if (std::set<errc> bad = check_elements(one); !bad.empty()) {
                return bad;
            }
            break;
        case op_kind::child_of:
        case op_kind::is_a:
            if (!model_.is_element(element(one.first))) {
                return {errc::invalid_id};
            }
            break;
        case op_kind::add_property:
            if (property_of(one.number).has_target && !model_.is_element(element(one.second))) {
                return {errc::invalid_id};
            }
            break;
        case op_kind::slot:
            if (is_slot_alive(one.slot) && kith::pair_second(request.id) == 0) {
                return {errc::invalid_operation};
            }
            break;
        case op_kind::declare:
            if (is_contradictory(one)) {
                return {errc::constraint};
            }
            for (id_t id : request.ids) {
                bool refers = kith::is_pair(id) && (kith::pair_first(id) == kith::With ||
                                                    kith::pair_first(id) == kith::OneOf);
                if (refers && !model_.is_element(element(one.second))) {
                    return {errc::invalid_id, errc::invalid_entity};
                }
            }
            break;
        default:
            break;
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

// An operation on one entity, or on all that have an id: now or later.
inline void runner::submit(const op& one) {
    call request = make_call(one);
    bool deletes = one.kind == op_kind::destruct || one.kind == op_kind::delete_with;
    std::set<errc> expected = check_call(one, request);
    bool removes = one.kind == op_kind::remove || one.kind == op_kind::remove_pair ||
                   one.kind == op_kind::remove_matching ||
                   (one.kind == op_kind::remove_property && property_of(one.number).has_target);
    if (expected.empty() && removes) {
        op elements = one;
        if (one.kind == op_kind::remove_property) {
            elements.first = one.second;
        }
        if (!check_elements(elements).empty()) {
            // Handles of the dead mean nothing, whoever has their index now.
            expect_error(attempt([&] { perform(one, request); }), {});
            return;
        }
    }
    if (expected.empty() && is_deferred()) {
        copies_queued_ |= one.kind == op_kind::is_a ||
                          (one.kind == op_kind::clone_into && may_copy_instance(one));
        deletion_queued_ |= deletes;
        submit_deferred(one, request);
        return;
    }
    // Clones that wait in a queue may be those of an instance by now.
    copies_queued_ |= is_suspended() && !model_.queue.empty() &&
                      (one.kind == op_kind::is_a || one.kind == op_kind::clone_into);
    std::set<errc> actual = attempt([&] { perform(one, request); });
    if (expected.empty()) {
        result outcome = model_.run(request);
        expected = outcome.errors;
        if (outcome.changed) {
            count_effect(one.kind);
            count_property(one);
        }
    }
    freed_while_queued_ |= is_suspended() && deletes;
    expect_error(actual, expected);
    if (one.kind == op_kind::add_pair || one.kind == op_kind::add_color) {
        check_event_order();
    }
    compare_events();
}
inline void runner::submit_deferred(const op& one, const call& request) {
    written_in_place_ = false;
    std::set<errc> actual = attempt([&] { perform(one, request); });
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

inline void runner::make_property_call(const op& one, call& request) const {
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
inline call runner::make_call(const op& one) const {
    call request{call_kind::add, slots_[one.slot], 0, one.number};
    switch (one.kind) {
        case op_kind::add:
        case op_kind::add_pair:
            request.id = make_id(one);
            break;
        case op_kind::child_of:
            request.id = kith::make_pair(kith::ChildOf, slots_[one.first]);
            break;
        case op_kind::is_a:
            request.id = kith::make_pair(kith::IsA, element(one.first));
            break;
        case op_kind::make_prefab:
            request.id = kith::Prefab;
            break;
        case op_kind::mark:
            request.id = kith::Override | make_id(one);
            break;
        case op_kind::unmark:
            request.kind = call_kind::remove;
            request.id = kith::Override | make_id(one);
            break;
        case op_kind::slot:
            if (is_slot_alive(one.slot)) {
                entity_t parent = model_.parent_of(model_.at(slots_[one.slot]));
                request.id = kith::make_pair(kith::SlotOf, parent);
            }
            break;
        case op_kind::add_property:
        case op_kind::remove_property:
        case op_kind::declare:
            make_property_call(one, request);
            break;
        case op_kind::add_color:
            request.id = color_id(color_of(one));
            break;
        case op_kind::remove_color:
            request.kind = call_kind::remove;
            request.id = kith::make_pair(components_[color].id, kith::Wildcard);
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
        case op_kind::set_override:
        case op_kind::emplace_override:
            request.kind = one.kind == op_kind::set_override ? call_kind::set_override
                                                             : call_kind::emplace_override;
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
inline void runner::perform(const op& one, const call& request) {
    kith::entity self(world_, slots_[one.slot]);
    bool pair = one.second != no_element;
    switch (one.kind) {
        case op_kind::add:
        case op_kind::add_pair:
            pair ? self.add(element(one.first), element(one.second)) : self.add(element(one.first));
            break;
        case op_kind::child_of:
            self.child_of(slots_[one.first]);
            break;
        case op_kind::add_color:
            write_color(self, one);
            break;
        case op_kind::remove_color:
            self.remove<Color>();
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
        case op_kind::set_override:
        case op_kind::emplace_override:
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
        case op_kind::destruct:
            self.destruct();
            break;
        default:
            perform_relation(one, request);
            break;
    }
}
inline void runner::perform_relation(const op& one, const call& request) {
    kith::entity self(world_, slots_[one.slot]);
    kith::entity relation(world_, element(one.first));
    const property& what = property_of(one.number);
    entity_t target =
        what.has_target && one.second != no_element ? element(one.second) : what.second;
    switch (one.kind) {
        case op_kind::is_a:
            self.is_a(element(one.first));
            break;
        case op_kind::make_prefab:
            self.add(kith::Prefab);
            break;
        case op_kind::slot:
            self.slot();
            break;
        case op_kind::mark:
            one.second == no_element ? self.override(element(one.first))
                                     : self.override(element(one.first), element(one.second));
            break;
        case op_kind::declare:
            world_.relation(relation, declaration(one));
            break;
        case op_kind::unmark:
            self.remove(request.id);
            break;
        case op_kind::add_property:
            target ? relation.add(what.first, target) : relation.add(what.first);
            break;
        case op_kind::remove_property:
            target ? relation.remove(what.first, target) : relation.remove(what.first);
            break;
        default:
            break;
    }
}
inline kith::relation_desc runner::declaration(const op& one) const {
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
inline void runner::write_color(kith::entity self, const op& one) {
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
template <class T>
void runner::write_value(kith::entity self, const op& one, const call& request) {
    entity_t first = element(one.first);
    entity_t second = one.second == no_element ? 0 : element(one.second);
    entity_t type = kith::type_id<T>();
    if (one.kind == op_kind::ensure) {
        T* place = second == 0     ? self.get_mut<T>()
                   : first == type ? self.get_mut<T>(second)
                                   : self.template get_mut_second<T>(first);
        const void* stored = model_.is_alive(self) && model_.at(self).has(request.id)
                                 ? self.get(request.id)
                                 : nullptr;
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
    } else if (one.kind == op_kind::set_override) {
        second == 0 ? self.set_override<T>(T(one.number))
                    : self.template set_override<T>(second, T(one.number));
    } else if (one.kind == op_kind::emplace_override) {
        self.template emplace_override<T>(std::int64_t{one.number});
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

inline void runner::take_ref(const op& one) {
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
inline void runner::delete_component(const op& one) {
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
