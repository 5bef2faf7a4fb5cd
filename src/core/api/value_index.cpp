// Indexes on members: the calls of components (include/kith/component.hpp), and the test whether
// somebody may be writing values.
#include "storage/value_index.hpp"

#include "api/world_impl.hpp"
#include "base/assert.hpp"
#include "base/raise.hpp"
#include "query/exec/fields.hpp"

#include <algorithm>

namespace kith::detail {

namespace {

// True if runs of the query may hand out values of the component to be written.
bool may_write(const query_head& query, id_t component) noexcept {
    const queries::query_model& model = queries::compiled(&query).model;
    return std::any_of(model.begin(), model.end(), [&](const queries::term& term) {
        return queries::may_write(term) &&
               (model.graph || is_wildcard(term.id) || index_of(term.id) == component);
    });
}

// Callbacks of hooks, observers and monitors may have references to values. A query that is being
// iterated has told which values its callback may write; other locks may be of any value.
bool is_quiet(const world_t* world, id_t component, const query_head* asking) noexcept {
    const mutate::stage& owner = *static_cast<const mutate::stage*>(world)->home;
    if (owner.mode & mode_redirected || owner.queue.flushing || owner.operation.callbacks != 0) {
        return false;
    }
    for (const table_lock* lock = open_locks; lock; lock = lock->older()) {
        const query_head* query = lock->query();
        const bool is_own = lock == open_locks && query && query == asking;
        if (!is_own && lock->is_of(world) && (!query || may_write(*query, component))) {
            return false;
        }
    }
    return true;
}

// The key is released unless it was handed on.
class owned_key {
public:
    owned_key(world_t* world, entity_t component, const indexed_member& member, index_kind how)
        : key_(make_value_key(world, component, member, how)) {
        KITH_ASSERT(key_, "a member without a key is an error");
    }
    ~owned_key() {
        if (key_) {
            key_->end(key_);
        }
    }
    owned_key(const owned_key&) = delete;
    owned_key& operator=(const owned_key&) = delete;

    const value_key& get() const noexcept { return *key_; }
    value_key* release() noexcept { return std::exchange(key_, nullptr); }

private:
    value_key* key_;
};

// The main stage of a world that is not iterated: an index changes the plans of queries.
mutate::stage& stage_for_index(world_t* world, entity_t component, const char* call) {
    mutate::stage& owner = mutate::stage_of(world, call);
    mutate::get_record(owner, component);
    if (owner.home != &owner || owner.mode & mode_redirected || mutate::is_iterated(owner)) {
        base::raise(errc::locked, base::text{} << call << " while the world is being iterated");
    }
    return owner;
}

}  // namespace

storage::value_indexes& ensure_indexes(mutate::stage& owner) {
    if (!owner.data.indexes) {
        owner.data.indexes = new storage::value_indexes(owner.data, is_quiet);
    }
    return *owner.data.indexes;
}

void add_value_index(world_t* world, entity_t component, const indexed_member& member,
                     index_kind how) {
    mutate::stage& owner = stage_for_index(world, component, "index");
    owned_key key(world, component, member, how);
    ensure_indexes(owner).add(key.release());
}

void drop_value_index(world_t* world, entity_t component, const indexed_member& member) {
    mutate::stage& owner = stage_for_index(world, component, "drop_index");
    const owned_key key(world, component, member, ordered_index);
    if (owner.data.indexes) {
        owner.data.indexes->drop(key.get());
    }
}

}  // namespace kith::detail
