// A set of 64-bit hashes. Observers use it to recognize results by their hash alone: two results
// with equal hashes count as one, which is as improbable as a collision of 64 bits.
#pragma once

#include "containers/hash_index.hpp"
#include "containers/vec.hpp"

namespace kith::observe {

// The memory is passed in by the owner, who must call release() before the set is destroyed.
class hash_set {
public:
    bool has(std::uint64_t hash) const noexcept {
        return index_.find(hash, [&](std::uint32_t position) {
            return hashes_[position - 1] == hash;
        }) != 0;
    }
    // Adds the hash. False if the set has it already.
    bool add(containers::memory& mem, std::uint64_t hash) {
        if (has(hash)) {
            return false;
        }
        index_.reserve_one(mem, containers::purpose::index);
        hashes_.push(mem, hash, containers::purpose::index);
        index_.insert_reserved(hash, hashes_.size());
        return true;
    }
    void clear() noexcept {
        hashes_.clear();
        index_.clear();
    }
    void release(containers::memory& mem) noexcept {
        hashes_.release(mem, containers::purpose::index);
        index_.release(mem, containers::purpose::index);
    }

private:
    containers::vec<std::uint64_t> hashes_;
    containers::hash_index index_;
};

}  // namespace kith::observe
