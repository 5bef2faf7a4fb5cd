// Memory of value pools (value_pool.hpp).
#include "storage/value_pool.hpp"

namespace kith::storage {

using containers::purpose;

void value_pool::add_chunk(containers::memory& mem) {
    chunks_.reserve_extra(mem, 1, purpose::sparse);
    // Invariant 2: there is room to free all slots, those of the new chunk included.
    free_.reserve_extra(mem, (chunks_.size() + 1) * chunk_slots - free_.size(), purpose::sparse);
    chunks_.push_reserved(
        static_cast<std::byte*>(mem.allocate(chunk_bytes(), purpose::sparse, chunk_alignment())));
}

void value_pool::release(containers::memory& mem) noexcept {
    for (std::byte* chunk : chunks_) {
        mem.release(chunk, chunk_bytes(), purpose::sparse, chunk_alignment());
    }
    chunks_.release(mem, purpose::sparse);
    free_.release(mem, purpose::sparse);
    count_ = 0;
}

}  // namespace kith::storage
