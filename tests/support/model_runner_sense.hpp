// Which operations make sense. Part of model_runner.hpp.
#pragma once

namespace model {

// A command for the entity that fails with the value that it has now.
inline bool runner::may_lose_value(const op& one) const {
    return std::any_of(model_.queue.begin(), model_.queue.end(), [&](const call& queued) {
        const bool refused = queued.kind == call_kind::set && is_refused_number(queued.number);
        return (queued.kind == call_kind::emplace || refused) && queued.entity == slots_[one.slot];
    });
}
// It is, or may be by the time when what is queued has run.
inline bool runner::may_be_symmetric(entity_t relation) const {
    return model_.is_symmetric(kith::index_of(relation)) ||
           std::any_of(model_.queue.begin(), model_.queue.end(), [&](const call& queued) {
               const bool declared = std::find(queued.ids.begin(), queued.ids.end(),
                                               kith::Symmetric) != queued.ids.end();
               const bool cloned =
                   queued.kind == call_kind::clone || queued.kind == call_kind::clone_types;
               return queued.entity == relation &&
                      (queued.id == kith::Symmetric || declared || cloned);
           });
}
// The entity with this or the next index, the first one behind the last.
inline entity_t runner::find_alive_from(std::uint32_t index) const {
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
// The clone of an instance is one, too, and gets copies of children.
inline bool runner::may_copy_instance(const op& one) const {
    entity_t source = slots_[one.first % slot_count];
    return copies_queued_ ||
           (model_.is_alive(source) && !model_.targets(source, kith::IsA).empty());
}
// Parts of a program may lack what gives the rest its meaning.
inline bool runner::is_meaningful(const op& one) const {
    if (freed_while_queued_ && is_creating(one.kind)) {
        return false;
    }
    if (one.kind == op_kind::ensure && (may_lose_value(one) || is_refused_number(one.number))) {
        return false;  // what is written is lost with that command if it fails, or not validated
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
        case op_kind::create_prefab:
            return one.first == no_element || slots_[one.first % slot_count] != 0;
        case op_kind::create_child:
        case op_kind::bulk:
            return one.first < slot_count && slots_[one.first] != 0;
        case op_kind::clone:
        case op_kind::clone_types:
            return one.first < slot_count && slots_[one.first] != 0 &&
                   !(is_deferred() && deletion_queued_ && may_copy_instance(one));
        case op_kind::create_with:
            return are_elements(one) && one.first != element_wildcard &&
                   one.second != element_wildcard && !(is_deferred() && deletion_queued_);
        case op_kind::delete_component:
            return one.first >= first_component && value_type({one.kind, 0, one.first}) &&
                   one.first != first_component + color;
        case op_kind::delete_with:
        case op_kind::remove_all:
            return are_elements(one) && !(one.kind == op_kind::delete_with && copies_queued_) &&
                   !(has_others_ && one.first == element_wildcard && one.second >= slot_count);
        case op_kind::destruct:
            return slots_[one.slot] != 0 && !copies_queued_;
        case op_kind::shrink:
            return true;
        case op_kind::take_ref:
            return slots_[one.slot] != 0 && one.first >= first_component;
        case op_kind::clone_into:
            if (deletion_queued_ && may_copy_instance(one)) {
                return false;
            }
            [[fallthrough]];
        case op_kind::child_of:
            return slots_[one.slot] != 0 && one.first < slot_count && slots_[one.first] != 0;
        case op_kind::is_a:
            return slots_[one.slot] != 0 && are_elements(one) && one.second == no_element &&
                   one.first != element_wildcard && !deletion_queued_;
        case op_kind::add:
        case op_kind::add_pair:
        case op_kind::remove:
        case op_kind::remove_pair:
        case op_kind::remove_matching:
        case op_kind::enable:
        case op_kind::disable:
            return slots_[one.slot] != 0 && are_elements(one) &&
                   !((one.kind == op_kind::add || one.kind == op_kind::add_pair) &&
                     one.first == element_is_a);
        case op_kind::mark:
        case op_kind::unmark:
            return slots_[one.slot] != 0 && are_elements(one) && one.first < element_child_of &&
                   one.second != element_wildcard;
        case op_kind::set:
        case op_kind::set_pair:
        case op_kind::emplace:
        case op_kind::ensure:
        case op_kind::modified:
        case op_kind::set_override:
        case op_kind::emplace_override:
            return slots_[one.slot] != 0 && are_elements(one) && one.first != element_wildcard &&
                   one.second != element_wildcard && value_type(one) &&
                   value_type(one)->id != components_[color].id &&
                   !(one.kind == op_kind::set_override && one.second != no_element &&
                     value_type(one)->id != element(one.first)) &&
                   !(one.kind == op_kind::emplace_override && one.second != no_element) &&
                   // What is written to one side is not known to the other before modified().
                   !(one.kind == op_kind::ensure && one.second != no_element &&
                     may_be_symmetric(element(one.first)));
        case op_kind::slot:
            // Who its parent is must be known by now.
            return slots_[one.slot] != 0 &&
                   std::none_of(model_.queue.begin(), model_.queue.end(), [&](const call& queued) {
                       return queued.entity == slots_[one.slot];
                   });
        case op_kind::add_property:
        case op_kind::remove_property:
        case op_kind::declare:
            return is_meaningful_property(one);
        default:
            return slots_[one.slot] != 0;
    }
}
// Instantiating that fails may leave a part of it: nothing to compare, so try it before.
inline bool runner::can_copy(const op& one) const {
    call request{call_kind::add, slots_[one.slot]};
    entity_t nobody = kith::make_entity_id(kith::max_relation_index, 0);
    switch (one.kind) {
        case op_kind::is_a:
            request.id = kith::make_pair(kith::IsA, element(one.first));
            break;
        case op_kind::create_with:
            if (one.first != element_is_a) {
                return true;
            }
            request.entity = nobody;
            request.id = make_id(one);
            break;
        case op_kind::clone:
        case op_kind::clone_types:
            request.entity = nobody;
            [[fallthrough]];
        case op_kind::clone_into:
            request.kind =
                one.kind == op_kind::clone_types ? call_kind::clone_types : call_kind::clone;
            request.id = slots_[one.first];
            break;
        default:
            return true;
    }
    world_model tried = model_;
    entity_t next = nobody - 1;
    tried.find_copy = [&](entity_t, entity_t) { return next--; };
    if (request.entity == nobody) {
        tried.create(nobody);
    }
    try {
        tried.run(request);
        return true;
    } catch (const out_of_scope&) {
        return false;
    }
}
inline bool runner::is_meaningful_property(const op& one) const {
    bool type = one.first >= first_component && one.first < first_component + color;
    bool builtin = one.first == element_child_of;
    if (!type && !builtin && (one.first >= slot_count || slots_[one.first] == 0)) {
        return false;
    }
    if (one.kind == op_kind::declare) {
        std::vector<property_number> asked = declared(one);
        return !builtin && one.second < slot_count && slots_[one.second] != 0 && !asked.empty() &&
               !(type && std::any_of(asked.begin(), asked.end(), [](property_number each) {
                     return property_of(each).first == kith::OnDelete;
                 }));
    }
    const property& what = property_of(one.number);
    if (what.has_target) {
        bool target = one.second < slot_count
                          ? slots_[one.second] != 0
                          : one.second >= first_component && one.second < first_component + color;
        if (!target || builtin) {
            return false;
        }
    }
    // Types stay, and builtins stay what they are, but for storage and cleanup.
    return builtin ? what.first == kith::Sparse || what.first == kith::OnDeleteTarget
                   : !(type && what.first == kith::OnDelete);
}
inline bool runner::are_elements(const op& one) const {
    auto is_element = [&](std::uint8_t number) {
        return number < slot_count
                   ? slots_[number] != 0
                   : (number >= first_component && number < first_component + color) ||
                         number == element_child_of || number == element_is_a ||
                         number == element_slot_of || number == element_wildcard;
    };
    bool alone =
        one.first == element_child_of || one.first == element_is_a || one.first == element_slot_of;
    return is_element(one.first) && (one.second == no_element || is_element(one.second)) &&
           !(alone && one.second == no_element);
}

}  // namespace model
