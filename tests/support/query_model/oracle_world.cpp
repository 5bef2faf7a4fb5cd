#include "support/query_model/oracle_world.hpp"

namespace oracle {

reader::reader(const kith::world& world) : world_(world) {
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
const std::vector<id_t>& reader::own(entity_t e) const {
    static const std::vector<id_t> none;
    std::uint32_t index = kith::index_of(e);
    return index < own_.size() && own_[index].entity == e ? own_[index].ids : none;
}
bool reader::owns(entity_t e, id_t id) const {
    return std::find(own(e).begin(), own(e).end(), id) != own(e).end();
}
entity_t reader::depth(entity_t e, entity_t relation) const {
    return static_cast<entity_t>(world_.entity(e).depth(relation));
}
entity_t reader::at_path(const std::string& path) const {
    return world_.lookup(("::" + path).c_str(), false);
}
entity_t reader::kind_of(id_t id) const {
    return at(kith::is_pair(id) ? kith::pair_first(id) : kith::index_of(id));
}
bool reader::is_inherited(id_t id) const {
    entity_t kind = kind_of(id);
    bool about_itself =
        is_builtin(kith::index_of(kind)) && kind != kith::IsA && kind != kith::DependsOn;
    return !about_itself && !owns(kind, kith::DontInherit);
}
bool reader::is_exclusive(id_t id) const {
    return kith::is_pair(id) &&
           (owns(kind_of(id), kith::Exclusive) || owns(kind_of(id), kith::Union));
}
bool reader::is_relationship(entity_t e) const {
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
bool reader::can_be_followed(entity_t relation) const {
    return owns(relation, kith::Traversable) || owns(relation, kith::Acyclic) ||
           owns(relation, kith::Transitive);
}
bool reader::is_pair_of(id_t id, entity_t relation) {
    return !(id & kith::Override) && kith::is_pair(id) &&
           kith::pair_first(id) == kith::index_of(relation);
}
std::vector<entity_t> reader::targets(entity_t e, entity_t relation) const {
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
std::vector<entity_t> reader::sources(entity_t e, entity_t relation) const {
    std::vector<entity_t> found;
    if (!is_alive(e) || !is_alive(relation)) {
        return found;
    }
    world_.entity(e).each_source(relation, [&](kith::entity one) { found.push_back(one); });
    return found;
}
const reader::way& reader::upwards(entity_t e, entity_t relation) const {
    auto [found, is_new] = upwards_.try_emplace({e, relation});
    if (is_new) {
        way steps;
        walk_up(e, relation, 1, steps);
        found->second = steps;
    }
    return found->second;
}
const reader::way& reader::downwards(entity_t e, entity_t relation) const {
    auto [found, is_new] = downwards_.try_emplace({e, relation});
    if (is_new) {
        walk_down(e, relation, found->second);
    }
    return found->second;
}
void reader::walk_up(entity_t e, entity_t relation, std::uint32_t level, way& steps) const {
    for (entity_t target : targets(e, relation)) {
        if (std::find(steps.begin(), steps.end(), step{target, level}) == steps.end()) {
            steps.push_back({target, level});
            walk_up(target, relation, level + 1, steps);
        }
    }
}
void reader::walk_down(entity_t e, entity_t relation, way& steps) const {
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

}  // namespace oracle
