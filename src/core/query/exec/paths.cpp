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
        for (std::size_t at = 0; at < order_.size(); ++at) {
            const entity_t one = order_[at];
            bool goes_on = storage::each_target(data_, one, relation_, [&](std::uint32_t index) {
                const entity_t target = data_.entities.alive_at(index);
                if (!before_.try_emplace(target, one).second) {
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
    entity_t before(entity_t one) const { return before_.at(one); }

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
    walk(data, from, relation).run([&](entity_t one) {
        found.push_back(one);
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
    search.run([&](entity_t one) {
        there = one == to;
        return !there && ++seen < most;
    });
    std::vector<entity_t> way;
    if (there) {
        for (entity_t at = search.before(to); at != from; at = search.before(at)) {
            way.push_back(at);
        }
        std::reverse(way.begin(), way.end());
    }
    return way;
}

}  // namespace kith::queries
