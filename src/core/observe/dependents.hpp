// Who sees what an entity has, through a relationship that queries follow: those below it (who have
// it as a target, directly or not) for terms that search upward, those above it for terms that
// search downward. No recursion, and every entity once, however many ways lead to it.
//
// Covered by tests/core/observe/propagation_test.cpp.
#pragma once

#include "containers/hash_index.hpp"
#include "storage/graph.hpp"

namespace kith::observe {

class dependents {
public:
    enum class direction : std::uint8_t { to_sources, to_targets };

    explicit dependents(const storage::store& data) noexcept;
    ~dependents();
    dependents(const dependents&) = delete;
    dependents& operator=(const dependents&) = delete;

    // Collects the entity and all that are reached from it, the nearest first. `through`: sources
    // of this relationship are, too. Either may be 0: none.
    void collect(entity_t from, std::uint32_t relation, direction where, std::uint32_t through = 0);
    void add(entity_t entity);
    bool has(entity_t entity) const noexcept;

    const entity_t* begin() const noexcept { return found_.begin(); }
    const entity_t* end() const noexcept { return found_.end(); }
    std::uint32_t size() const noexcept { return found_.size(); }
    entity_t operator[](std::uint32_t position) const noexcept { return found_[position]; }

private:
    const storage::store& data_;
    containers::memory& mem_;
    containers::vec<entity_t> found_;
    containers::hash_index index_;
};

}  // namespace kith::observe
