// Paths between entities, declared in paths.hpp.
#include "query/exec/paths.hpp"

#include "storage/graph.hpp"

#include <algorithm>
#include <unordered_map>

namespace kith::queries {

namespace {

// Breadth first; each entity once, with the one that led to it.
class walk {
public:
    walk(const storage::store& data, entity_t from, std::uint32_t relation)
        : data_(data), relation_(relation), order_{from}, before_{{from, 0}} {}

    // Until visit(entity) returns false.
    template <class Visit>
    void run(Visit&& visit) {
        for (std::size_t position = 0; position < order_.size(); ++position) {
            const entity_t entity = order_[position];
            bool goes_on = storage::each_target(data_, entity, relation_, [&](std::uint32_t index) {
                const entity_t target = data_.entities.alive_at(index);
                if (!before_.try_emplace(target, entity).second) {
                    return true;
                }
                order_.push_back(target);
                return bool{visit(target)};
            });
            if (!goes_on) {
                return;
            }
        }
    }
    entity_t before(entity_t entity) const { return before_.at(entity); }

private:
    const storage::store& data_;
    std::uint32_t relation_;
    std::vector<entity_t> order_;
    std::unordered_map<entity_t, entity_t> before_;
};

}  // namespace

std::vector<entity_t> dependents_of(const storage::store& data, entity_t from,
                                    std::uint32_t relation, std::size_t limit) {
    std::vector<entity_t> found;
    walk(data, from, relation).run([&](entity_t entity) {
        found.push_back(entity);
        return found.size() < limit;
    });
    return found;
}

std::vector<entity_t> way_between(const storage::store& data, entity_t from, entity_t to,
                                  std::uint32_t relation) {
    constexpr std::size_t most = 10'000;
    std::size_t seen = 0;
    bool there = false;
    walk search(data, from, relation);
    search.run([&](entity_t entity) {
        there = entity == to;
        return !there && ++seen < most;
    });
    std::vector<entity_t> way;
    if (there) {
        for (entity_t entity = search.before(to); entity != from; entity = search.before(entity)) {
            way.push_back(entity);
        }
        std::reverse(way.begin(), way.end());
    }
    return way;
}

}  // namespace kith::queries
