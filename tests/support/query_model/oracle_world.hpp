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

    explicit reader(const kith::world& world);

    const std::vector<entity_t>& all() const { return all_; }
    const std::vector<id_t>& own(entity_t e) const;
    bool owns(entity_t e, id_t id) const;
    bool is_alive(entity_t e) const { return world_.is_alive(e); }
    bool is_enabled(entity_t e, id_t id) const { return world_.entity(e).enabled(id); }
    entity_t depth(entity_t e, entity_t relation) const;
    std::string name(entity_t e) const { return world_.entity(e).name().c_str(); }
    entity_t at_path(const std::string& path) const;

    // Whatever lives at an index: pairs name their elements so.
    entity_t at(std::uint32_t index) const { return world_.get_alive(index); }
    // The relationship of a pair, else the id itself: who has the properties of the id.
    entity_t kind_of(id_t id) const;
    // Builtin marks and properties describe who has them, and nobody else.
    bool is_inherited(id_t id) const;
    bool is_exclusive(id_t id) const;
    // A relationship by what is declared of it.
    bool is_relationship(entity_t e) const;

    bool can_be_followed(entity_t relation) const;

    static bool is_pair_of(id_t id, entity_t relation);
    // Own targets, in the entity's order.
    std::vector<entity_t> targets(entity_t e, entity_t relation) const;
    std::vector<entity_t> sources(entity_t e, entity_t relation) const;

    // Depth first; every entity once for each level at which it can be reached.
    const way& upwards(entity_t e, entity_t relation) const;
    // Level by level.
    const way& downwards(entity_t e, entity_t relation) const;

private:
    void walk_up(entity_t e, entity_t relation, std::uint32_t level, way& steps) const;
    void walk_down(entity_t e, entity_t relation, way& steps) const;

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
