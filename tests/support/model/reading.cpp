// The meaning of ids, and what entities have and inherit.
#include "support/model/world_model.hpp"

namespace model {

world_model::world_model(std::vector<component> components, std::map<entity_t, entity_state> others)
    : fixed(std::move(others)), components_(std::move(components)) {
    for (const auto& [entity, state] : fixed) {
        by_index_[kith::index_of(entity)] = entity;
    }
}

// -- entities

entity_state& world_model::state(entity_t entity) {
    auto found = alive.find(entity);
    return found != alive.end() ? found->second : fixed.at(entity);
}
const entity_state& world_model::at(entity_t entity) const {
    auto found = alive.find(entity);
    return found != alive.end() ? found->second : fixed.at(entity);
}
entity_t world_model::alive_at(std::uint32_t index) const {
    auto found = by_index_.find(index);
    return found == by_index_.end() ? 0 : found->second;
}
const entity_state* world_model::find_index(std::uint32_t index) const {
    entity_t entity = alive_at(index);
    return entity ? &at(entity) : nullptr;
}
bool world_model::is_element_index(std::uint32_t index) const {
    return alive_at(index) != 0 || (index != 0 && index < kith::first_entity);
}
bool world_model::may_be_next(entity_t entity) const {
    if (free_.empty()) {
        return entity == fresh_ || fresh_ == 0;
    }
    return free_.back().count(entity) != 0;
}
void world_model::create(entity_t entity) {
    // Copies of prefabs' children may come in another order than that in which they were made.
    fresh_ = std::max(fresh_, kith::index_of(entity) + 1);
    forget_free(kith::index_of(entity));
    alive[entity];
    by_index_[kith::index_of(entity)] = entity;
}
std::optional<errc> world_model::check_make_alive(entity_t entity) const {
    bool other = alive_at(kith::index_of(entity)) != 0 && !is_alive(entity);
    return other ? std::optional(errc::invalid_entity) : std::nullopt;
}
void world_model::make_alive(entity_t entity) {
    forget_free(kith::index_of(entity));
    alive[entity];
    by_index_[kith::index_of(entity)] = entity;
}
void world_model::forget_free(std::uint32_t index) {
    for (std::set<entity_t>& group : free_) {
        std::erase_if(group, [&](entity_t one) { return kith::index_of(one) == index; });
    }
    std::erase_if(free_, [](const std::set<entity_t>& group) { return group.empty(); });
}

// -- ids

const component* world_model::component_of(std::uint32_t index) const {
    for (const component& one : components_) {
        if (one.id == index) {
            return &one;
        }
    }
    return nullptr;
}
const component* world_model::value_type_ignoring_tag(id_t id) const {
    if (!kith::is_pair(id)) {
        const component* own = component_of(kith::index_of(id));
        return own && own->has_value && id < kith::first_entity ? own : nullptr;
    }
    const component* relation = component_of(kith::pair_first(id));
    const component* target = component_of(kith::pair_second(id));
    if (relation && relation->has_value) {
        return relation;
    }
    return target && target->has_value ? target : nullptr;
}
const component* world_model::value_type(id_t id) const {
    if ((id & kith::id_flags_mask & ~kith::Pair) != 0) {
        return nullptr;
    }
    if (kith::is_pair(id)) {
        std::uint32_t relation = kith::pair_first(id);
        bool builtin = relation >= kith::first_builtin && relation < kith::first_overflow_type;
        if (builtin || has_property(relation, kith::Tag)) {
            return nullptr;
        }
    }
    return value_type_ignoring_tag(id);
}
bool world_model::has_hooks(id_t id) const {
    if ((id & kith::id_flags_mask & ~kith::Pair) != 0) {
        return false;
    }
    return value_type(id) ||
           component_of(kith::is_pair(id) ? kith::pair_first(id) : static_cast<std::uint32_t>(id));
}
// A pair of an enum and its constant, which is set by being added.
bool world_model::is_enum_pair(id_t id) const {
    const component* relation = kith::is_pair(id) ? component_of(kith::pair_first(id)) : nullptr;
    return relation && relation->is_enum;
}
bool world_model::has_property(std::uint32_t relation, id_t property) const {
    const entity_state* found = find_index(relation);
    return found && found->has(property);
}
bool world_model::is_exclusive(std::uint32_t relation) const {
    return relation == kith::OneOf || relation == kith::OnDelete ||
           relation == kith::OnDeleteTarget || has_property(relation, kith::Exclusive) ||
           has_property(relation, kith::Union);
}
bool world_model::is_sparse(std::uint32_t relation) const {
    return has_property(relation, kith::Sparse) || has_property(relation, kith::Union);
}
bool world_model::is_acyclic(std::uint32_t relation) const {
    return relation == kith::ChildOf || relation == kith::IsA ||
           has_property(relation, kith::Acyclic) || has_property(relation, kith::Traversable) ||
           has_property(relation, kith::Transitive);
}
bool world_model::is_symmetric(std::uint32_t relation) const {
    return has_property(relation, kith::Symmetric);
}
bool world_model::is_inheritable(id_t id) const {
    if ((id & kith::id_flags_mask & ~kith::Pair) != 0) {
        return false;
    }
    std::uint32_t element = kith::is_pair(id) ? kith::pair_first(id) : kith::index_of(id);
    return !is_property(id) && !(element >= kith::Module && element <= kith::EnumType) &&
           !has_property(element, kith::DontInherit);
}
bool world_model::is_property(id_t id) {
    std::uint32_t element = kith::is_pair(id) ? kith::pair_first(id) : kith::index_of(id);
    return (id & kith::Override) == 0 &&
           ((element >= kith::Tag && element <= kith::Transient) || element == kith::OnDelete ||
            element == kith::OnDeleteTarget || element == kith::Relationship);
}
std::optional<errc> world_model::check_id(id_t id) const {
    id_t plain = id & ~(kith::id_flags_mask & ~kith::Pair);
    bool elements = kith::is_pair(plain) ? is_element_index(kith::pair_first(plain)) &&
                                               is_element_index(kith::pair_second(plain))
                                         : plain < kith::first_entity || is_element(plain);
    return plain == 0 || kith::is_wildcard(plain) || !elements ? std::optional(errc::invalid_id)
                                                               : std::nullopt;
}
// What must come along with an id of this element.
std::vector<entity_t> world_model::withs(std::uint32_t element) const {
    std::vector<entity_t> found;
    if (const entity_state* state = find_index(element)) {
        for (const auto& [id, number] : state->ids) {
            if (is_plain_pair(id) && kith::pair_first(id) == kith::With) {
                found.push_back(alive_at(kith::pair_second(id)));
            }
        }
    }
    return found;
}

// -- entities and what they have

entity_t world_model::parent_of(const entity_state& state) const {
    for (const auto& [id, number] : state.ids) {
        if (is_plain_pair(id) && kith::pair_first(id) == kith::ChildOf) {
            return alive_at(kith::pair_second(id));
        }
    }
    return 0;
}
entity_t world_model::find_named(entity_t parent, const std::string& name) const {
    for (const auto& [entity, state] : alive) {
        if (state.has(name_id) && state.name == name && parent_of(state) == parent) {
            return entity;
        }
    }
    return 0;
}
std::vector<entity_t> world_model::targets(entity_t entity, std::uint32_t relation) const {
    std::vector<entity_t> found;
    for (const auto& [id, number] : at(entity).ids) {
        if (is_plain_pair(id) && kith::pair_first(id) == relation) {
            found.push_back(alive_at(kith::pair_second(id)));
        }
    }
    return found;
}
std::vector<entity_t> world_model::sources(std::uint32_t relation, entity_t target) const {
    std::vector<std::pair<std::uint64_t, entity_t>> found;
    id_t id = kith::make_pair(relation, target);
    each_state([&](entity_t entity, const entity_state& state) {
        if (state.has(id)) {
            auto since = state.since.find(id);
            found.push_back({since == state.since.end() ? 0 : since->second, entity});
        }
    });
    std::sort(found.begin(), found.end());
    std::vector<entity_t> order;
    for (const auto& [since, entity] : found) {
        order.push_back(entity);
    }
    return order;
}
bool world_model::has_matching(const entity_state& state, id_t pattern) const {
    return std::any_of(state.ids.begin(), state.ids.end(),
                       [&](const auto& one) { return kith::matches_id(pattern, one.first); });
}
std::vector<entity_t> world_model::holders(id_t pattern) const {
    std::vector<entity_t> found;
    for (const auto* group : {&alive, &fixed}) {
        for (const auto& [entity, state] : *group) {
            if (has_matching(state, pattern) && (group == &alive || !kith::is_wildcard(pattern))) {
                found.push_back(entity);
            }
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}
std::int32_t world_model::depth_of(entity_t entity, std::uint32_t relation) const {
    std::int32_t depth = 0;
    for (entity_t target : targets(entity, relation)) {
        depth = std::max(depth, depth_of(target, relation) + 1);
    }
    return depth;
}
bool world_model::is_below(entity_t entity, entity_t ancestor, std::uint32_t relation) const {
    std::set<entity_t> known;
    std::vector<entity_t> open = {entity};
    while (!open.empty()) {
        entity_t next = open.back();
        open.pop_back();
        if (next == ancestor) {
            return true;
        }
        if (known.insert(next).second) {
            for (entity_t target : targets(next, relation)) {
                open.push_back(target);
            }
        }
    }
    return false;
}

// -- inheritance

// Depth first, bases in the order of their ids; what is found first counts.
void world_model::look_into(entity_t entity, int level, view& found) const {
    view own;
    for (const auto& [id, number] : at(entity).ids) {
        if ((id & kith::id_flags_mask & ~kith::Pair) == 0 && (level == 0 || is_inheritable(id))) {
            own.insert({id, {number, level, entity}});
        }
    }
    for (entity_t base : targets(entity, kith::IsA)) {
        view inherited;
        look_into(base, level + 1, inherited);
        for (const auto& [id, one] : inherited) {
            bool hidden = false;
            for (const auto& other : own) {
                hidden |= is_plain_pair(id) && is_exclusive(kith::pair_first(id)) &&
                          is_plain_pair(other.first) &&
                          kith::pair_first(other.first) == kith::pair_first(id);
            }
            if (!hidden) {
                own.insert({id, one});
            }
        }
    }
    for (const auto& [id, one] : own) {
        found.insert({id, one});
    }
}
world_model::view world_model::visible(entity_t entity) const {
    view found;
    look_into(entity, 0, found);
    return found;
}
std::optional<world_model::seen> world_model::look(entity_t entity, id_t id) const {
    const entity_state& own = at(entity);
    if (own.has(id)) {
        return seen{own.ids.at(id), 0, entity};
    }
    view all = visible(entity);
    auto found = all.find(id);
    return found == all.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace model
