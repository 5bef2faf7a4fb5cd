// The memory of queries, declared in query_block.hpp.
#include "query/query_block.hpp"

#include <kith/detail/thread_owned.hpp>

#include "base/assert.hpp"
#include "base/raise.hpp"

#include <new>
#include <utility>

namespace kith::queries {

namespace {

// True when the pool of the thread is destroyed: a query may be freed later.
KITH_THREAD_LOCAL bool query_pool_closed = false;  // outlives the pool

// Blocks of freed queries, kept by the thread that freed them: queries are made and freed often, by
// several threads.
class block_pool {
public:
    // Room for a query of four terms.
    static constexpr std::size_t block_size =
        (sizeof(compiled_query) + 4 * sizeof(term) + 63) / 64 * 64;

    ~block_pool() {
        while (free_) {
            ::operator delete(std::exchange(free_, free_->next));
        }
        query_pool_closed = true;
    }
    // A block of at least this size.
    void* take(std::size_t size) {
        if (size <= block_size && free_) {
            --count_;
            return std::exchange(free_, free_->next);
        }
        return ::operator new(size < block_size ? block_size : size);
    }
    // Keeps the block, or frees it if it is large or the pool is full.
    void give(void* block, std::size_t size) noexcept {
        if (size > block_size || count_ == most || query_pool_closed) {
            ::operator delete(block);
            return;
        }
        free_ = ::new (block) free_block{free_};
        ++count_;
    }

private:
    struct free_block {
        free_block* next;
    };
    static constexpr std::uint32_t most = 16;
    free_block* free_ = nullptr;
    std::uint32_t count_ = 0;
};
KITH_THREAD_OWNED(block_pool, blocks_of_thread);

// Removes the query from the list of its world, if the world exists, and destroys it.
void end_query(compiled_query& ended) noexcept {
    KITH_ASSERT(ended.link, "a query that was completed has a link to its world");
    detail::release_query(ended.with_arguments.query);
    if (world_t* world = ended.link->world; world && ended.listed_at) {
        *ended.listed_at = ended.next;
        if (ended.next) {
            ended.next->listed_at = ended.listed_at;
        }
        if (ended.order) {
            ended.order->groups.end(world);
        }
    }
    if (ended.link->world && ended.is_planned) {
        planned_queries::remove(ended);
    }
    release_link(ended.link);
    end_block(ended);
}

}  // namespace

compiled_query& make_block(const query_desc& desc, model_buffers& room) {
    const room_size size = buffer_sizes(desc);
    const std::size_t variables_at = sizeof(compiled_query) + sizeof(term) * desc.count;
    const std::size_t text_at = variables_at + sizeof(const char*) * size.variables;
    const std::size_t bytes = text_at + size.text;
    auto* query = ::new (blocks_of_thread().take(bytes)) compiled_query;
    query->bytes = static_cast<std::uint32_t>(bytes);
    auto* block = reinterpret_cast<char*>(query);
    room = {query->terms(), reinterpret_cast<const char**>(block + variables_at), block + text_at};
    return *query;
}

void end_block(compiled_query& query) noexcept {
    const std::size_t size = query.bytes;
    query.~compiled_query();
    blocks_of_thread().give(&query, size);
}

void add_to_list(compiled_query*& list, compiled_query& query) noexcept {
    query.next = list;
    query.listed_at = &list;
    if (list) {
        list->listed_at = &query.next;
    }
    list = &query;
}

void release_link(detail::weak_world* link) noexcept {
    if (link && link->owners.decrement()) {
        delete link;
    }
}

}  // namespace kith::queries

namespace kith::detail {

// A query that is being iterated by this thread is destroyed after its oldest run.
void free_query(query_head* head) noexcept {
    using queries::compiled_query;
    table_lock* oldest = nullptr;
    for (table_lock* lock = open_locks; lock; lock = lock->older()) {
        oldest = lock->query() == head ? lock : oldest;
    }
    auto& ended = static_cast<compiled_query&>(*head);
    if (!oldest) {
        queries::end_query(ended);
        return;
    }
    auto end = [](after_lock& me) noexcept {
        queries::end_query(*static_cast<compiled_query::end_of_run&>(me).query);
    };
    ended.after_run = {{end}, &ended};
    oldest->add_after(ended.after_run);
}

void raise_query_gone(const query_head* query) {
    base::raise(errc::invalid_query,
                query ? "the world of this query is gone" : "a query that was never made was used");
}

}  // namespace kith::detail
