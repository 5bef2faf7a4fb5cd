// Comparing what entities inherit, their targets and their sources.
#include "support/model/runner.hpp"

namespace model {

void runner::compare_graph(kith::entity self) {
    world_model::view seen = model_.visible(self);
    compare_inherited(self, seen);
    std::set<std::uint32_t> relations;
    for (const auto& [id, one] : seen) {
        if (kith::is_pair(id) && kith::pair_first(id) >= kith::detail::first_type) {
            relations.insert(kith::pair_first(id));
        }
    }
    for (std::uint32_t relation : relations) {
        compare_targets(self, relation, seen);
    }
    compare_sources(self);
}

// What comes from bases is seen, but not owned.
void runner::compare_inherited(kith::entity self, const world_model::view& seen) {
    for (const auto& [id, one] : seen) {
        if (one.level == 0) {
            continue;
        }
        if (!self.has(id)) {
            fail(text(self) + " does not inherit " + text(id) + " from " + text(one.owner));
        }
        if (self.owns(id)) {
            fail(text(self) + " owns " + text(id) + ", which it inherits");
        }
        const component* type = model_.value_type(id);
        const void* value = type ? self.get(id) : nullptr;
        if (type && model_.is_alive(one.owner)) {
            std::int64_t actual = value ? read_number(number_of(*type), value) : -2;
            if (actual != one.number) {
                fail(text(id) + " that " + text(self) + " inherits is " + std::to_string(actual) +
                     ", not " + std::to_string(one.number));
            }
            model_.note(effect::inherited_value);
        }
        if (one.level > 1) {
            model_.note(effect::inherited_deeply);
        }
    }
    compare_missing(self, seen);
}
// What bases keep for themselves is not seen.
void runner::compare_missing(kith::entity self, const world_model::view& seen) {
    std::map<id_t, int> offered;
    for (entity_t base : model_.targets(self, kith::IsA)) {
        for (const auto& [id, number] : model_.at(base).ids) {
            ++offered[id];
        }
    }
    for (const auto& [id, times] : offered) {
        if (seen.count(id) || (id & kith::Override)) {
            if (times > 1 && seen.count(id) && seen.at(id).level != 0) {
                model_.note(effect::inherited_twice);
            }
            continue;
        }
        if (self.has(id)) {
            fail(text(self) + " has " + text(id) + ", which its base keeps for itself");
        }
        model_.note(model_.is_inheritable(id) ? effect::exclusive_hides
                                              : effect::dont_inherit_hides);
    }
}

void runner::compare_targets(kith::entity self, std::uint32_t relation,
                             const world_model::view& seen) {
    std::vector<entity_t> own = model_.targets(self, relation);
    std::set<entity_t> all;
    for (const auto& [id, one] : seen) {
        if (kith::is_pair(id) && kith::pair_first(id) == relation) {
            all.insert(model_.alive_at(kith::pair_second(id)));
        }
    }
    std::vector<entity_t> found;
    entity_t full = model_.alive_at(relation);
    for (std::int32_t i = 0; i < 100; ++i) {
        entity_t target = self.target(full, i);
        if (target == 0) {
            break;
        }
        found.push_back(target);
    }
    std::vector<entity_t> first(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                   found.size(), own.size())));
    if (model_.is_sparse(relation)) {
        std::sort(first.begin(), first.end(),
                  [](entity_t a, entity_t b) { return kith::index_of(a) < kith::index_of(b); });
    }
    if (first != own) {
        fail("targets of " + text(full) + " of " + text(self) + " are " + text(found) + ", not " +
             text(own));
    }
    if (std::set<entity_t>(found.begin(), found.end()) != all || found.size() != all.size()) {
        fail("targets of " + text(full) + " of " + text(self) + ", with inherited ones, are " +
             text(found) + ", not " + text(std::vector<entity_t>(all.begin(), all.end())));
    }
    if (found.size() > own.size()) {
        model_.note(effect::inherited_target);
    }
    std::vector<entity_t> visited;
    self.each(kith::entity(world_, full), [&](kith::entity target) { visited.push_back(target); });
    std::sort(visited.begin(), visited.end(),
              [](entity_t a, entity_t b) { return kith::index_of(a) < kith::index_of(b); });
    if (visited != own) {
        fail("each target of " + text(full) + " of " + text(self) + ": " + text(visited) +
             ", not " + text(own));
    }
    std::size_t matched = 0;
    self.match(kith::make_pair(relation, kith::Wildcard), [&](kith::id) { ++matched; });
    if (matched != own.size() ||
        self.owns(kith::make_pair(relation, kith::Wildcard)) == own.empty() ||
        self.has(kith::make_pair(relation, kith::Wildcard)) == all.empty()) {
        fail(text(kith::make_pair(relation, kith::Wildcard)) + " of " + text(self));
    }
    compare_depth(self, relation);
    compare_ways_up(self, relation);
}

// -- following relationships

void runner::compare_ways_up(kith::entity self, std::uint32_t relation) {
    entity_t full = model_.alive_at(relation);
    compare_walk(self, full);
    // Not all of them each time.
    compare_owner_above(self, full, components_[steps_ % component_count].id);
    const entity_state& own = model_.at(self);
    if (!own.ids.empty()) {
        auto at = std::next(own.ids.begin(), static_cast<std::ptrdiff_t>(steps_ % own.ids.size()));
        entity_t target = kith::entity(world_, self).target(full);
        compare_owner_above(self, full, at->first);
        if (target != 0 && model_.is_element(target) && !model_.at(target).ids.empty()) {
            compare_owner_above(self, full, model_.at(target).ids.rbegin()->first);
        }
    }
}
// By the first target each time. Which one is first was compared before.
void runner::compare_walk(kith::entity self, entity_t relation) {
    constexpr std::int32_t limit = 3;
    std::vector<entity_t> expected;
    for (entity_t at = self.target(relation); at != 0 && expected.size() <= limit;
         at = kith::entity(world_, at).target(relation)) {
        expected.push_back(at);
    }
    bool too_far = expected.size() > limit;
    expected.resize(std::min<std::size_t>(expected.size(), limit));
    std::vector<entity_t> walked;
    std::set<errc> actual = attempt([&] {
        self.walk_up(
            relation,
            [&](kith::entity at, std::int32_t depth) {
                walked.push_back(at);
                if (static_cast<std::size_t>(depth) != walked.size()) {
                    fail("walk_up counts wrongly");
                }
            },
            limit);
    });
    if (walked != expected || actual != (too_far ? std::set{errc::limit} : std::set<errc>{})) {
        fail("the way up from " + text(self) + " by " + text(relation) + " is " + text(walked) +
             ", not " + text(expected) + "; kith: " + text(actual));
    }
    model_.note(too_far ? effect::walked_too_far : effect::walked_up);
}
// Depth first, in the order in which targets are counted: its own come first.
void runner::compare_owner_above(kith::entity self, entity_t relation, id_t id) {
    std::set<entity_t> known;
    std::function<entity_t(entity_t)> find = [&](entity_t at) -> entity_t {
        if (!known.insert(at).second) {
            return 0;
        }
        if (model_.at(at).has(id)) {
            return at;
        }
        entity_t found = 0;
        std::size_t count = model_.targets(at, kith::index_of(relation)).size();
        for (std::size_t i = 0; i < count && found == 0; ++i) {
            found =
                find(kith::entity(world_, at).target(relation, static_cast<std::int32_t>(i)).id());
        }
        return found;
    };
    entity_t expected = find(self);
    entity_t actual = self.target_for(relation, id);
    if (actual != expected) {
        fail("the owner of " + text(id) + " above " + text(self) + " by " + text(relation) +
             " is " + text(actual) + ", not " + text(expected));
    }
    if (expected != 0 && expected != self) {
        model_.note(effect::owner_found_above);
    }
}
// Depth first, in the order of each_source.
void runner::compare_traversal(kith::entity self, entity_t relation) {
    std::vector<std::pair<std::int32_t, entity_t>> expected;
    std::set<entity_t> known;
    std::function<void(entity_t, std::int32_t)> visit = [&](entity_t at, std::int32_t depth) {
        if (!known.insert(at).second) {
            return;
        }
        expected.push_back({depth, at});
        kith::entity(world_, at).each_source(relation, [&](kith::entity source) {
            visit(source, depth + 1);
        });
    };
    visit(self, 0);
    std::vector<std::pair<std::int32_t, entity_t>> actual;
    for (const auto& [depth, entity] : self.traverse(relation)) {
        actual.push_back({depth, entity});
        if (!model_.is_below(entity, self, kith::index_of(relation))) {
            fail(text(entity) + " is not below " + text(self));
        }
    }
    if (actual != expected) {
        std::string found;
        for (const auto& [depth, entity] : actual) {
            found += " " + std::to_string(depth) + ":" + text(entity);
        }
        fail("traversing " + text(relation) + " from " + text(self) + ":" + found);
    }
    if (actual.size() > 2) {
        model_.note(effect::traversed);
    }
}

void runner::compare_depth(kith::entity self, std::uint32_t relation) {
    if (!model_.is_acyclic(relation)) {
        return;
    }
    std::int32_t expected = model_.depth_of(self, relation);
    std::int32_t actual = self.depth(model_.alive_at(relation));
    if (actual != expected) {
        fail("the depth of " + text(self) + " by " + text(relation) + " is " +
             std::to_string(actual) + ", not " + std::to_string(expected));
    }
}

// Whoever points at it, in the order in which they came if the storage keeps that.
void runner::compare_sources(kith::entity self) {
    std::set<std::uint32_t> relations = {kith::ChildOf};
    for (const auto& [entity, state] : model_.alive) {
        for (const auto& [id, number] : state.ids) {
            if (kith::is_pair(id) && !(id & kith::Override) &&
                kith::pair_second(id) == kith::index_of(self)) {
                relations.insert(kith::pair_first(id));
            }
        }
    }
    for (std::uint32_t relation : relations) {
        entity_t full = model_.alive_at(relation);
        std::vector<entity_t> expected = model_.sources(relation, self);
        std::vector<entity_t> found;
        self.each_source(full, [&](kith::entity one) { found.push_back(one); });
        std::vector<entity_t> children;
        self.children(full, [&](kith::entity one) { children.push_back(one); });
        if (!model_.is_sparse(relation)) {
            std::sort(expected.begin(), expected.end());
            std::sort(found.begin(), found.end());
            std::sort(children.begin(), children.end());
        }
        // Those that came before the storage was chosen, and copies of such, may be in any order
        // among themselves.
        auto since = [&](entity_t one) {
            const auto& times = model_.at(one).since;
            auto time = times.find(kith::make_pair(relation, self));
            return time == times.end() ? 0 : time->second;
        };
        for (std::size_t first = 0, end = 0; first < expected.size(); first = end) {
            while (end < expected.size() && since(expected[end]) == since(expected[first])) {
                ++end;
            }
            auto sort_run = [&](std::vector<entity_t>& list) {
                if (list.size() == expected.size()) {
                    std::sort(list.begin() + static_cast<std::ptrdiff_t>(first),
                              list.begin() + static_cast<std::ptrdiff_t>(end));
                }
            };
            sort_run(found);
            sort_run(children);
            sort_run(expected);
        }
        if (found != expected) {
            fail("sources of " + text(full) + " to " + text(self) + " are " + text(found) +
                 ", not " + text(expected));
        }
        if (children != expected) {
            fail("children by " + text(full) + " of " + text(self) + " are " + text(children) +
                 ", not " + text(expected));
        }
        compare_traversal(self, full);
    }
}

// -- copies of prefabs' children

bool runner::is_copy(kith::entity copy, const entity_state& original) {
    if (std::string(copy.name().c_str()) != original.name) {
        return false;
    }
    for (const auto& [id, number] : original.ids) {
        if (!world_model::is_copied(id) || id & kith::Override) {
            continue;
        }
        if (!copy.owns(id)) {
            return false;
        }
        const component* type = model_.value_type(id);
        if (type && read_number(number_of(*type), copy.get(id)) != number) {
            return false;
        }
    }
    return true;
}
// How many ids it has that were not copied, or lacks, or has enabled where the original has not, or
// the other way round; marks are not copied to everywhere.
std::size_t runner::count_strange(kith::entity copy, const entity_state& original) {
    std::size_t count = 0;
    for (id_t id : copy.type()) {
        count += world_model::is_copied(id) && !original.has(id);
    }
    for (const auto& [id, number] : original.ids) {
        const bool is_as_before =
            copy.owns(id) && copy.enabled(id) != (original.disabled.count(id) != 0);
        count += world_model::is_copied(id) && !is_as_before;
    }
    return count;
}
// Among those children of `parent` that the model does not know, the one that fits best.
entity_t runner::find_copy(entity_t parent, entity_t original) {
    const entity_state& wanted = model_.at(original);
    // Copies that a queue made one after the other differ by what the parent was then.
    const bool below_prefab = model_.at(parent).has(kith::Prefab);
    entity_t found = 0;
    std::tuple<bool, std::size_t, bool> least;
    kith::entity(world_, parent).children([&](kith::entity child) {
        if (model_.is_element(child) || !is_copy(child, wanted)) {
            return;
        }
        std::tuple misfit = {!fills_same_slot(child, original), count_strange(child, wanted),
                             child.owns(kith::Prefab) != below_prefab};
        if (found == 0 || misfit < least) {
            found = child.id();
            least = misfit;
        }
    });
    return found;
}
// Children that are alike are told apart by the slots that their copies fill.
bool runner::fills_same_slot(kith::entity copy, entity_t original) {
    for (entity_t sibling : model_.sources(kith::ChildOf, model_.parent_of(model_.at(original)))) {
        bool fills = world_.count(kith::make_pair(sibling, copy)) != 0;
        if (fills != (sibling == original && !model_.targets(sibling, kith::SlotOf).empty())) {
            return false;
        }
    }
    // The same for the slots of a base of the parent, which its children fill.
    for (const auto& [id, number] : model_.at(model_.parent_of(model_.at(original))).ids) {
        const entity_t slot =
            (id & kith::id_flags_mask) == kith::Pair ? model_.alive_at(kith::pair_first(id)) : 0;
        if (slot == 0 || !model_.is_element(slot) || model_.targets(slot, kith::SlotOf).empty()) {
            continue;
        }
        const bool fills = world_.count(kith::make_pair(slot, copy)) != 0;
        if (fills != (model_.alive_at(kith::pair_second(id)) == original)) {
            return false;
        }
    }
    return true;
}

}  // namespace model
