// Conditions under which operations make sense.
#include "support/model/operations.hpp"
#include "support/model/runner.hpp"

namespace model {

// A command for the entity that fails with the value that it has now.
bool runner::may_lose_value(const op& one) const {
    return std::any_of(model_.queue.begin(), model_.queue.end(), [&](const call& queued) {
        const bool refused = queued.kind == call_kind::set && is_refused_number(queued.number);
        return (queued.kind == call_kind::emplace || refused) && queued.entity == slots_[one.slot];
    });
}
// It is, or may be by the time when what is queued has run.
bool runner::may_be_symmetric(entity_t relation) const {
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
entity_t runner::find_alive_from(std::uint32_t index) const {
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
bool runner::may_copy_instance(const op& one) const {
    entity_t source = slots_[one.first % slot_count];
    return copies_queued_ ||
           (model_.is_alive(source) && !model_.targets(source, kith::IsA).empty());
}
// An instantiation that fails may leave a part of it, which leaves nothing to compare.
bool runner::can_copy(const op& one) const {
    const operation& what = operation_of(one.kind);
    const std::optional<call> request = what.tries ? what.tries(*this, one) : std::nullopt;
    if (!request) {
        return true;
    }
    world_model tried = model_;
    entity_t next = nobody - 1;
    tried.find_copy = [&](entity_t, entity_t) { return next--; };
    if (request->entity == nobody) {
        tried.create(nobody);
    }
    try {
        tried.run(*request);
        return true;
    } catch (const out_of_scope&) {
        return false;
    }
}
bool runner::is_meaningful_property(const op& one) const {
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
bool runner::are_elements(const op& one) const {
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
