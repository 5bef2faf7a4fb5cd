// Entities as ranges: the children of an entity, the sources of pairs to it, and its targets.
//
//   for (kith::entity child : ship.children()) { … }
//   for (kith::entity target : ship.targets<DockedTo>()) { … }
//
// Covered by tests/features/idioms/ranges_test.cpp.
#pragma once

#include <kith/detail/indexed.hpp>
#include <kith/entity.hpp>

namespace kith {

namespace detail {

// A walk over the entities that have (relation, target); with target 0, over entities without a
// target. Implemented in src/core/api/world_each.cpp.
struct source_walk {
    const entity_t* at = nullptr;   // the next one; 0 stands for one that went
    const entity_t* end = nullptr;  // of those that lie together
};
source_walk* begin_sources(world_t* world, entity_t relation, entity_t target);
bool next_sources(source_walk& walk);  // those that lie together next; false at the end
void end_sources(source_walk* walk) noexcept;

}  // namespace detail

// The entities that have (relation, target), in the order of each_source. Tables and pairs that are
// being visited are locked until the iterator is destroyed or at its end.
class source_range {
public:
    // An iterator over entities, which owns a walk and cannot be copied.
    class iterator {
    public:
        using value_type = kith::entity;
        using difference_type = std::ptrdiff_t;

        iterator() noexcept = default;
        iterator(world_t* world, detail::source_walk* walk) : world_(world), walk_(walk) { find(); }
        iterator(iterator&& other) noexcept
            : world_(other.world_), walk_(detail::exchange(other.walk_, nullptr)) {}
        iterator& operator=(iterator&& other) noexcept {
            std::swap(world_, other.world_);
            std::swap(walk_, other.walk_);
            return *this;
        }
        ~iterator() { end(); }

        kith::entity operator*() const noexcept { return kith::entity(world_, *walk_->at); }
        iterator& operator++() {
            ++walk_->at;
            find();
            return *this;
        }
        void operator++(int) { ++*this; }
        friend bool operator==(const iterator& at, detail::range_end) noexcept {
            return at.walk_ == nullptr;
        }

    private:
        // Advances to an entity, unless there is one here, or to the end.
        void find() {
            for (;; ++walk_->at) {
                while (walk_->at == walk_->end) {
                    if (!detail::next_sources(*walk_)) {
                        end();
                        return;
                    }
                }
                if (*walk_->at != 0) [[likely]] {
                    return;
                }
            }
        }
        void end() noexcept {
            if (walk_) {
                detail::end_sources(detail::exchange(walk_, nullptr));
            }
        }

        world_t* world_ = nullptr;
        detail::source_walk* walk_ = nullptr;  // null at the end
    };

    source_range(world_t* world, entity_t relation, entity_t target) noexcept
        : world_(world), relation_(relation), target_(target) {}

    iterator begin() const {
        return iterator(world_, detail::begin_sources(world_, relation_, target_));
    }
    detail::range_end end() const noexcept { return {}; }

private:
    world_t* world_;
    entity_t relation_;
    entity_t target_;
};

// The targets of a relationship that an entity has when the range is made.
class target_range {
public:
    class iterator {
    public:
        using value_type = kith::entity;
        using difference_type = std::ptrdiff_t;

        iterator() noexcept = default;
        iterator(world_t* world, id_t pattern, const id_t* at, const id_t* end) noexcept
            : world_(world), pattern_(pattern), at_(at), end_(end) {
            find();
        }

        kith::entity operator*() const { return kith::id(world_, *at_).second(); }
        iterator& operator++() noexcept {
            ++at_;
            find();
            return *this;
        }
        iterator operator++(int) noexcept {
            iterator before = *this;
            ++*this;
            return before;
        }
        friend bool operator==(const iterator& a, const iterator& b) noexcept {
            return a.at_ == b.at_;
        }

    private:
        void find() noexcept {
            while (at_ != end_ && !matches_id(pattern_, *at_)) {
                ++at_;
            }
        }

        world_t* world_ = nullptr;
        id_t pattern_ = 0;
        const id_t* at_ = nullptr;
        const id_t* end_ = nullptr;
    };

    target_range(world_t* world, id_t pattern, kith::type&& ids) noexcept
        : world_(world), pattern_(pattern), ids_(std::move(ids)) {}

    iterator begin() const noexcept { return iterator(world_, pattern_, ids_.begin(), ids_.end()); }
    iterator end() const noexcept { return iterator(world_, pattern_, ids_.end(), ids_.end()); }

private:
    world_t* world_;
    id_t pattern_;
    kith::type ids_;
};

inline source_range entity_view::children() const {
    return source_range(world_, ChildOf, id_);
}
inline source_range entity_view::children(entity_t relation) const {
    // Nothing is a source of the wildcard, nor by a relationship that has ended.
    return source_range(world_, relation, is_known(relation) ? id_ : Wildcard);
}
template <class Rel>
source_range entity_view::children() const {
    return children(entity_t{detail::id_of<Rel>()});
}
inline target_range entity_view::targets(detail::id_arg relation) const {
    return target_range(world_, detail::asked_pair(world_, relation.in(world_), Wildcard),
                        kith::type(world_, detail::ids_of(world_, id_, "targets")));
}
template <class Rel>
target_range entity_view::targets() const {
    return targets(detail::id_of<Rel>());
}

}  // namespace kith
