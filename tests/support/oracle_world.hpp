// A world at rest, as the oracle sees it: who has what, and who is related to whom. Read through
// plain calls on entities, which share nothing with queries.
#pragma once

#include <kith/kith.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace oracle {

using kith::entity_t;
using kith::id_t;

inline bool is_open(entity_t element) {
    return element == kith::Wildcard || element == kith::Any;
}
inline bool is_builtin(std::uint32_t index) {
    return index < kith::detail::first_type ||
           (index >= kith::Kith && index < kith::detail::builtin_end);
}

class reader {
public:
    // Who can be reached, in the order in which a search meets them.
    struct step {
        entity_t entity;
        std::uint32_t level;
        auto operator<=>(const step&) const = default;
    };
    using way = std::vector<step>;

    explicit reader(const kith::world& world) : world_(world) {
        std::size_t left = world.stats().entities;
        for (entity_t index = 1; left > 0 && index < 100000; ++index) {
            if (entity_t e = world.get_alive(index); e != 0 && world.is_alive(e)) {
                all_.push_back(e);
                own_.resize(index + 1);
                own_[index].entity = e;
                world.entity(e).each([&](const kith::id& id) { own_[index].ids.push_back(id); });
                --left;
            }
        }
    }

    const std::vector<entity_t>& all() const { return all_; }
    const std::vector<id_t>& own(entity_t e) const {
        static const std::vector<id_t> none;
        std::uint32_t index = kith::index_of(e);
        return index < own_.size() && own_[index].entity == e ? own_[index].ids : none;
    }
    bool owns(entity_t e, id_t id) const {
        return std::find(own(e).begin(), own(e).end(), id) != own(e).end();
    }
    bool is_alive(entity_t e) const { return world_.is_alive(e); }
    bool is_enabled(entity_t e, id_t id) const { return world_.entity(e).enabled(id); }
    entity_t depth(entity_t e, entity_t relation) const {
        return static_cast<entity_t>(world_.entity(e).depth(relation));
    }
    std::string name(entity_t e) const { return world_.entity(e).name().c_str(); }
    entity_t at_path(const std::string& path) const {
        return world_.lookup(("::" + path).c_str(), false);
    }

    // Whatever lives at an index: pairs name their elements so.
    entity_t at(std::uint32_t index) const { return world_.get_alive(index); }
    // The relationship of a pair, else the id itself: who has the properties of the id.
    entity_t kind_of(id_t id) const {
        return at(kith::is_pair(id) ? kith::pair_first(id) : kith::index_of(id));
    }
    // Builtin marks and properties describe who has them, and nobody else.
    bool is_inherited(id_t id) const {
        entity_t kind = kind_of(id);
        bool about_itself =
            is_builtin(kith::index_of(kind)) && kind != kith::IsA && kind != kith::DependsOn;
        return !about_itself && !owns(kind, kith::DontInherit);
    }
    bool is_exclusive(id_t id) const {
        return kith::is_pair(id) &&
               (owns(kind_of(id), kith::Exclusive) || owns(kind_of(id), kith::Union));
    }
    // A relationship by what is declared of it.
    bool is_relationship(entity_t e) const {
        for (entity_t property :
             {kith::Relationship, kith::Exclusive, kith::Union, kith::Symmetric, kith::Acyclic,
              kith::Traversable, kith::Transitive, kith::Reflexive, kith::OneOf}) {
            if (owns(e, property)) {
                return true;
            }
        }
        return std::any_of(own(e).begin(), own(e).end(),
                           [](id_t id) { return is_pair_of(id, kith::OneOf); });
    }

    bool can_be_followed(entity_t relation) const {
        return owns(relation, kith::Traversable) || owns(relation, kith::Acyclic) ||
               owns(relation, kith::Transitive);
    }

    static bool is_pair_of(id_t id, entity_t relation) {
        return !(id & kith::Override) && kith::is_pair(id) &&
               kith::pair_first(id) == kith::index_of(relation);
    }
    // Own targets, in the entity's order.
    std::vector<entity_t> targets(entity_t e, entity_t relation) const {
        std::vector<entity_t> found;
        std::int32_t count = 0;
        for (id_t id : own(e)) {
            count += is_pair_of(id, relation);
        }
        for (std::int32_t i = 0; i < count; ++i) {
            found.push_back(world_.entity(e).target(relation, i));
        }
        return found;
    }
    std::vector<entity_t> sources(entity_t e, entity_t relation) const {
        std::vector<entity_t> found;
        if (!is_alive(e) || !is_alive(relation)) {
            return found;
        }
        world_.entity(e).each_source(relation, [&](kith::entity one) { found.push_back(one); });
        return found;
    }

    // Depth first; every entity once for each level at which it can be reached.
    const way& upwards(entity_t e, entity_t relation) const {
        auto [found, is_new] = upwards_.try_emplace({e, relation});
        if (is_new) {
            way steps;
            walk_up(e, relation, 1, steps);
            found->second = steps;
        }
        return found->second;
    }
    // Level by level.
    const way& downwards(entity_t e, entity_t relation) const {
        auto [found, is_new] = downwards_.try_emplace({e, relation});
        if (is_new) {
            walk_down(e, relation, found->second);
        }
        return found->second;
    }

private:
    void walk_up(entity_t e, entity_t relation, std::uint32_t level, way& steps) const {
        for (entity_t target : targets(e, relation)) {
            if (std::find(steps.begin(), steps.end(), step{target, level}) == steps.end()) {
                steps.push_back({target, level});
                walk_up(target, relation, level + 1, steps);
            }
        }
    }
    void walk_down(entity_t e, entity_t relation, way& steps) const {
        std::vector<entity_t> now = {e};
        for (std::uint32_t level = 1; !now.empty(); ++level) {
            std::vector<entity_t> next;
            for (entity_t one : now) {
                for (entity_t source : sources(one, relation)) {
                    if (std::find(next.begin(), next.end(), source) == next.end()) {
                        next.push_back(source);
                        steps.push_back({source, level});
                    }
                }
            }
            now = next;
        }
    }

    kith::world world_;
    std::vector<entity_t> all_;
    struct belongings {
        entity_t entity = 0;
        std::vector<id_t> ids;
    };
    std::vector<belongings> own_;  // by index
    // What was asked before: queries ask the same again and again.
    mutable std::map<std::pair<entity_t, entity_t>, way> upwards_;
    mutable std::map<std::pair<entity_t, entity_t>, way> downwards_;
};

}  // namespace oracle
