// Entities of a save file, by their indices there, and the entities that they are in a world.
#pragma once

#include <kith/id.hpp>

#include <map>
#include <vector>

namespace kith::values {

// Indices of files are dense as a rule and lie in an array; others, which a hostile file may have,
// are searched for.
class entity_map {
public:
    struct entry {
        entity_t saved = 0;  // 0: the entry is free
        entity_t made = 0;   // 0: the world has no such entity
    };

    // The number of entities that are expected.
    explicit entity_map(std::size_t entities) : dense_(first_entity + 2 * entities) {}

    // False: the index has an entry, which stays as it is. Requires: the index of `saved` is not 0.
    bool emplace(entity_t saved, entity_t made) {
        entry& place =
            index_of(saved) < dense_.size() ? dense_[index_of(saved)] : others_[index_of(saved)];
        if (place.saved != 0) {
            return false;
        }
        place = {saved, made};
        return true;
    }
    // Null: the index has no entry.
    const entry* find(entity_t saved) const {
        const std::uint32_t index = index_of(saved);
        if (index < dense_.size()) {
            return dense_[index].saved != 0 ? &dense_[index] : nullptr;
        }
        const auto found = others_.find(index);
        return found != others_.end() ? &found->second : nullptr;
    }
    entry* find(entity_t saved) {
        return const_cast<entry*>(static_cast<const entity_map*>(this)->find(saved));
    }

private:
    std::vector<entry> dense_;
    std::map<std::uint32_t, entry> others_;
};

}  // namespace kith::values
