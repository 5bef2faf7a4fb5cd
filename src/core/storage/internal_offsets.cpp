// The places of members of storage that debuggers read (detail::internal_offsets in layout.hpp).
#include "storage/store.hpp"

#include <cstddef>

namespace kith::detail {

// A debugger reads memory as it is, so the types need no standard layout.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"

// The members behind `count` of a list of targets: 31 bits for the capacity, one for has_slots.
static_assert(sizeof(storage::target_list) == offsetof(storage::target_list, count) + 8);

const internal_offsets internal_offsets::own = {
    .tag = layout_tag,
    .table_limit = offsetof(storage::store, tables) + offsetof(storage::table_set, number_limit_),
    .sparse_ids = offsetof(storage::store, sparse_ids),
    .link_ids = offsetof(storage::store, link_ids),
    .toggled_ids = offsetof(storage::store, toggled_ids),
    .record_id = offsetof(storage::id_record, id),
    .record_sparse = offsetof(storage::id_record, sparse),
    .record_links = offsetof(storage::id_record, links),
    .record_disabled = offsetof(storage::id_record, disabled),
    .sparse_pages = offsetof(storage::sparse_store, pages_),
    .sparse_chunks =
        offsetof(storage::sparse_store, values_) + offsetof(storage::value_pool, chunks_),
    .sparse_page_bits = storage::sparse_store::page_bits,
    .link_exclusive = offsetof(storage::link_store, exclusive_),
    .link_pages = offsetof(storage::link_store, pages_) + offsetof(storage::link_pages, pages_),
    .link_sources = offsetof(storage::link_store, lists_) + offsetof(storage::source_lists, lists_),
    .link_targets =
        offsetof(storage::link_store, further_) + offsetof(storage::target_lists, lists_),
    .link_pools = offsetof(storage::link_store, pools_) + offsetof(storage::value_pools, pools_),
    .source_list_size = sizeof(storage::source_list),
    .source_list_pool = offsetof(storage::source_list, pool),
    .target_list_size = sizeof(storage::target_list),
    .target_list_count = offsetof(storage::target_list, count),
    .pool_chunks = offsetof(storage::value_pool, chunks_),
    .pool_chunk_bits = storage::value_pool::chunk_bits,
};

#pragma GCC diagnostic pop

}  // namespace kith::detail
