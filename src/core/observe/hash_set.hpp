// Hashes of what was met before.
#pragma once

#include "containers/hash_index.hpp"
#include "containers/vec.hpp"

namespace kith::observe {

class hash_set {
public:
    bool has(std::uint64_t hash) const noexcept {
        return index_.find(hash, [&](std::uint32_t position) {
            return hashes_[position - 1] == hash;
        }) != 0;
    }
    // False if it was there.
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
