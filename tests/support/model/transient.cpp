// Transient ids when the world returns to a former state: they are no part of it.
#include "support/model/world_model.hpp"

#include <algorithm>

namespace model {

namespace {

std::uint32_t element_of(id_t id) {
    return kith::is_pair(id) ? kith::pair_first(id) : kith::index_of(id & ~kith::id_flags_mask);
}

}  // namespace

bool world_model::is_left_out(id_t id) const {
    const std::uint32_t element = element_of(id);
    const entity_state* of = find_index(element);
    const bool builtin = element >= kith::first_builtin && element < kith::first_overflow_type;
    return !builtin && of && of->has(kith::Transient);
}

bool world_model::leaves_out_of(const world_model& other) const {
    bool found = false;
    other.each_state([&](entity_t, const entity_state& state) {
        for (const auto& [id, number] : state.ids) {
            found |= is_left_out(id);
        }
    });
    return found;
}

// Kith drops ids whose component has other properties than then.
void world_model::expect_same_properties(const world_model& other, std::uint32_t element) const {
    auto properties_of = [&](const world_model& of) {
        std::set<id_t> found;
        for (const auto& [id, number] : of.find_index(element)->ids) {
            if (is_property(id) && id != kith::Transient) {
                found.insert(id);
            }
        }
        return found;
    };
    const id_t implied = kith::make_pair(kith::With, element);
    if (properties_of(*this) != properties_of(other) ||
        holders(implied).empty() != other.holders(implied).empty()) {
        throw out_of_scope{};
    }
}

void world_model::keep_transient(const world_model& before) {
    // What is added from here on comes behind the ids that are kept.
    clock_ = std::max(clock_, before.clock_);
    auto keep_ids = [&](entity_state& to, const entity_state& from) {
        for (const auto& [id, number] : from.ids) {
            const std::uint32_t element = element_of(id);
            if (!is_left_out(id) || alive_at(element) != before.alive_at(element) ||
                (kith::is_pair(id) &&
                 alive_at(kith::pair_second(id)) != before.alive_at(kith::pair_second(id)))) {
                continue;
            }
            expect_same_properties(before, element);
            const component* type = value_type(id);
            const component* former = before.value_type(id);
            if ((type ? type->id : 0) != (former ? former->id : 0)) {
                throw out_of_scope{};
            }
            to.ids[id] = number;
            if (from.disabled.count(id)) {
                to.disabled.insert(id);
            }
            if (const auto since = from.since.find(id); since != from.since.end()) {
                to.since[id] = since->second;
            }
        }
    };
    auto keep = [&](std::map<entity_t, entity_state>& group,
                    const std::map<entity_t, entity_state>& former) {
        for (auto& [entity, state] : group) {
            auto left_out = [&](const auto& entry) { return is_left_out(entry.first); };
            std::erase_if(state.ids, left_out);
            std::erase_if(state.since, left_out);
            std::erase_if(state.disabled, [&](id_t id) { return is_left_out(id); });
            if (const auto found = former.find(entity); found != former.end()) {
                keep_ids(state, found->second);
            }
        }
    };
    keep(alive, before.alive);
    keep(fixed, before.fixed);
    // An entity may lack a transient id that another one implies.
    if (!check_invariants().empty()) {
        throw out_of_scope{};
    }
}

}  // namespace model
