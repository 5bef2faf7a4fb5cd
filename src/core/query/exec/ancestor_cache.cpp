// Ancestor caches, declared in ancestor_cache.hpp: filling, and invalidation by changes.
#include "query/exec/ancestor_cache.hpp"

#include "base/attempt.hpp"
#include "storage/graph.hpp"
#include "traits/inherit.hpp"
#include "traits/traits.hpp"

#include <algorithm>
#include <vector>

namespace kith::queries {

namespace {

std::uint64_t pack(std::uint32_t generation, std::uint32_t owner) noexcept {
    return (std::uint64_t{generation} << 32) | owner;
}

// True if both types have the same pairs of a relation.
bool same_pairs(const storage::table& a, const storage::table& b, id_t any) noexcept {
    std::int32_t i = storage::find_match(a, any, 0);
    std::int32_t j = storage::find_match(b, any, 0);
    while (i >= 0 && j >= 0 && a.ids[i] == b.ids[j]) {
        i = storage::next_match(a, any, i);
        j = storage::next_match(b, any, j);
    }
    return i < 0 && j < 0;
}

}  // namespace

void ancestor_cache::prepare() {
    // Few entities may have very high indices: what is found for those is not kept.
    const std::uint64_t indices = std::uint64_t{data_.page_count} << detail::record_page_bits;
    const std::uint64_t most =
        64 * (std::uint64_t{data_.entities.count()} + detail::record_page_size);
    const auto needed =
        static_cast<std::uint32_t>(std::min({indices, most, std::uint64_t{nobody}}));
    bool stale = schema_ != data_.schema || bases_ != data_.base_version;
    if (!stale && needed <= size_) {
        return;  // others may be reading
    }
    if (needed > size_) {
        auto grown = std::make_unique<entry[]>(needed);
        for (std::uint32_t i = 0; !stale && i < size_; ++i) {
            grown[i].store(entries_[i].load(std::memory_order_relaxed), std::memory_order_relaxed);
        }
        entries_ = std::move(grown);
        size_ = needed;
    } else {
        for (std::uint32_t i = 0; i < size_; ++i) {
            entries_[i].store(0, std::memory_order_relaxed);
        }
    }
    schema_ = data_.schema;
    bases_ = data_.base_version;
    links_ = storage::find_links(data_, asked_.trav);
    single_ = links_ && links_->is_exclusive() ? links_ : nullptr;
}

void ancestor_cache::remember(std::uint32_t index, std::uint32_t owner) noexcept {
    if (index < size_) {
        std::uint32_t generation = data_.entities.at(index).state & 0xFFFF;
        entries_[index].store(pack(generation, owner), std::memory_order_relaxed);
    }
}

// The target with this number among those of an entity, 0 if there are fewer.
std::uint32_t ancestor_cache::target_of(std::uint32_t index, std::uint32_t number) const noexcept {
    if (const storage::link_store* links = storage::find_links(data_, asked_.trav)) {
        return number < links->target_count(index) ? links->target_at(index, number) : 0;
    }
    const storage::table& type = data_.tables.at(data_.entities.at(index).table);
    const id_t any = make_pair(asked_.trav, Wildcard);
    std::int32_t first = storage::find_match(type, any, 0);
    std::int32_t position =
        first < 0 ? -1 : storage::find_match(type, any, first + static_cast<std::int32_t>(number));
    return position < 0 ? 0 : pair_second(type.ids[position]);
}

std::uint32_t ancestor_cache::find_above(std::uint32_t index) {
    for (std::uint32_t number = 0;; ++number) {
        std::uint32_t target = target_of(index, number);
        if (target == 0) {
            return 0;
        }
        if (std::uint32_t owner = find_at(target)) {
            return owner;
        }
    }
}

// Depth first, without recursion: hierarchies may be a million levels deep.
std::uint32_t ancestor_cache::resolve(std::uint32_t start) {
    struct step {
        std::uint32_t index;
        std::uint32_t next;
    };
    std::vector<step> path{{start, 0}};
    for (;;) {
        step& at = path.back();
        std::uint32_t owner = 0;
        if (at.next == 0) {
            owner = known(at.index);
            if (owner == 0) {
                owner_ref found = find_owner_at(data_, data_.entities.alive_at(at.index), asked_);
                owner = index_of(found.owner);
            }
        }
        if (owner == 0) {
            if (std::uint32_t target = target_of(at.index, at.next)) {
                ++at.next;
                path.push_back({target, 0});
                continue;
            }
            owner = nobody;
        }
        // The entity has its answer. An owner is also the answer of every entity on the path to it.
        remember(at.index, owner);
        path.pop_back();
        while (!path.empty() && owner != nobody) {
            remember(path.back().index, owner);
            path.pop_back();
        }
        if (path.empty()) {
            return owner;
        }
    }
}

void ancestor_cache::moved(std::uint32_t index, const storage::table& from,
                           const storage::table& to) noexcept {
    // Another pair of an exclusive relationship hides what is inherited.
    const bool same =
        is_pair(asked_.id)
            ? same_pairs(from, to, make_pair(pair_first(asked_.id), Wildcard))
            : (storage::find_id(from, asked_.id) >= 0) == (storage::find_id(to, asked_.id) >= 0);
    if (!same || !same_pairs(from, to, make_pair(asked_.trav, Wildcard)) ||
        !same_pairs(from, to, detail::any_base)) {
        forget(index);
    }
}

void ancestor_cache::forget(std::uint32_t start) noexcept {
    if (start >= size_ || entries_[start].load(std::memory_order_relaxed) == 0) {
        return;
    }
    // Without memory for the walk, everything is forgotten.
    base::attempt([&] { invalidate_below(start); }, [&] { size_ = 0; });
}

// The entries below depend on the entry of this entity. An entity without an entry has none below.
void ancestor_cache::invalidate_below(std::uint32_t start) {
    std::vector<std::uint32_t> pending{start};
    while (!pending.empty()) {
        std::uint32_t index = pending.back();
        pending.pop_back();
        if (index >= size_ || entries_[index].load(std::memory_order_relaxed) == 0) {
            continue;
        }
        entries_[index].store(0, std::memory_order_relaxed);
        storage::each_source(data_, asked_.trav, index, [&](entity_t source) {
            std::uint32_t below = index_of(source);
            // A source that owns the id does not search upward.
            if (known(below) != below) {
                pending.push_back(below);
            }
            return true;
        });
    }
}

ancestor_caches::~ancestor_caches() {
    for (storage::id_record* relation : data_.link_ids) {
        if (relation->links) {
            relation->links->listeners().set(storage::change_listeners::memory, nullptr);
        }
    }
    for (storage::id_record* record : data_.sparse_ids) {
        if (record->sparse) {
            record->sparse->set_change_listener(nullptr);
        }
    }
    data_.listener = nullptr;
}

ancestor_cache* ancestor_caches::find(const term& term) {
    bool plain = term.follows_up() && term.trav != IsA && !term.is_limited() &&
                 !(term.flags & TraverseAll) && !is_wildcard(term.id) &&
                 is_inheritable(data_, term.id);
    if (!plain) {
        return nullptr;
    }
    ancestor_cache* cache = nullptr;
    for (const std::unique_ptr<ancestor_cache>& memo : memos_) {
        if (memo->answers(term)) {
            cache = memo.get();
        }
    }
    if (!cache) {
        memos_.push_back(std::make_unique<ancestor_cache>(data_, term));
        cache = memos_.back().get();
    }
    watch_stores(*cache, term);
    cache->prepare();
    return cache;
}

// Changes are notified from here on.
void ancestor_caches::watch_stores(const ancestor_cache& memo, const term& term) noexcept {
    listener_.context = this;
    listener_.changed = [](void* self, std::uint32_t index) noexcept {
        static_cast<ancestor_caches*>(self)->changed(index);
    };
    listener_.moved = [](void* self, std::uint32_t index, const storage::table& from,
                         const storage::table& to) noexcept {
        for (const auto& one : static_cast<ancestor_caches*>(self)->memos_) {
            one->moved(index, from, to);
        }
    };
    data_.listener = &listener_;
    if (storage::link_store* links = storage::find_links(data_, memo.relation())) {
        links->listeners().set(storage::change_listeners::memory, &listener_);
    }
    storage::link_store* links =
        is_pair(term.id) ? storage::find_links(data_, pair_first(term.id)) : nullptr;
    if (links) {
        links->listeners().set(storage::change_listeners::memory, &listener_);
    }
    const storage::id_record* record = is_pair(term.id) ? nullptr : data_.ids.find(term.id);
    if (record && record->sparse) {
        record->sparse->set_change_listener(&listener_);
    }
}

void ancestor_caches::changed(std::uint32_t index) noexcept {
    bool is_base = data_.ids.find(make_pair(IsA, index)) != nullptr;
    for (const std::unique_ptr<ancestor_cache>& memo : memos_) {
        memo->changed(index);
        if (is_base) {
            memo->forget_all();
        }
    }
    if (is_base) {
        ++data_.version;
    }
}

}  // namespace kith::queries
