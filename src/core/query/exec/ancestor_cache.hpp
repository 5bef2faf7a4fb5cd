// The ancestor cache of a search up: for each target of a relationship, the nearest owner of the
// id, which is the target itself or an entity above it. Searches from many entities follow each
// edge once, and no edge while the world stays unchanged. A change invalidates only dependent
// entries.
//
// Readers fill the cache, perhaps in several threads: entries are written atomically, and all
// writers of an entry write the same value.
//
// Covered by tests/features/queries/ancestor_cache_test.cpp.
#pragma once

#include "query/exec/search.hpp"

#include <atomic>
#include <memory>

namespace kith::queries {

class ancestor_cache {
public:
    ancestor_cache(storage::store& data, const term& term) : data_(data), asked_(term) {}
    ancestor_cache(const ancestor_cache&) = delete;
    ancestor_cache& operator=(const ancestor_cache&) = delete;

    bool answers(const term& term) const noexcept {
        return term.id == asked_.id && term.trav == asked_.trav;
    }
    // Reserves entries for the present number of entities; drops all entries if the meaning of ids
    // has changed. Requires: no other thread reads the cache.
    void prepare();

    // The index of the nearest owner above an entity, itself not counted; 0 if there is none.
    std::uint32_t find_above(std::uint32_t index);
    // The links of the relationship, if an entity has one target at most; else null.
    const storage::link_store* single_links() const noexcept { return single_; }
    // The nearest owner, a target of the relationship or above it; 0 if there is none.
    std::uint32_t find_at(std::uint32_t target) {
        std::uint32_t owner = known(target);
        if (owner == 0) [[unlikely]] {
            owner = resolve(target);
        }
        return owner == nobody ? 0 : owner;
    }

    // -- what changed
    void forget_all() noexcept { schema_ = 0; }
    void changed(std::uint32_t index) noexcept { forget(index); }
    void moved(std::uint32_t index, const storage::table& from, const storage::table& to) noexcept;
    bool depends_on(id_t id) const noexcept { return matches_id(asked_.id, id); }
    std::uint32_t relation() const noexcept { return asked_.trav; }

private:
    static constexpr std::uint32_t nobody = 0xFFFFFFFF;

    // Of one entity: its generation, and the index of the owner at or above it; 0: not known. Where
    // pairs are links, an entry is gone when its entity is no target any more, so the generation
    // does not matter.
    using entry = std::atomic<std::uint64_t>;

    std::uint32_t known(std::uint32_t index) const noexcept {
        if (index >= size_) [[unlikely]] {
            return 0;
        }
        std::uint64_t found = entries_[index].load(std::memory_order_relaxed);
        return links_ || found >> 32 == (data_.entities.at(index).state & 0xFFFF)
                   ? static_cast<std::uint32_t>(found)
                   : 0;
    }
    void remember(std::uint32_t index, std::uint32_t owner) noexcept;
    std::uint32_t resolve(std::uint32_t index);
    std::uint32_t target_of(std::uint32_t index, std::uint32_t number) const noexcept;
    void forget(std::uint32_t index) noexcept;
    void invalidate_below(std::uint32_t index);

    storage::store& data_;
    term asked_;
    std::unique_ptr<entry[]> entries_;
    std::uint32_t size_ = 0;
    std::uint32_t schema_ = 0;
    std::uint32_t bases_ = 0;
    const storage::link_store* links_ = nullptr;
    const storage::link_store* single_ = nullptr;
};

// The ancestor caches of a world.
class ancestor_caches {
public:
    explicit ancestor_caches(storage::store& data) noexcept : data_(data) {}
    ~ancestor_caches();
    ancestor_caches(const ancestor_caches&) = delete;
    ancestor_caches& operator=(const ancestor_caches&) = delete;

    // The cache of a term, ready to be used; null if the term cannot have one.
    ancestor_cache* find(const term& term);

private:
    void watch_stores(const ancestor_cache& memo, const term& term) noexcept;
    void changed(std::uint32_t index) noexcept;

    storage::store& data_;
    storage::change_listener listener_{};
    std::vector<std::unique_ptr<ancestor_cache>> memos_;
};

}  // namespace kith::queries
