// All entities that reach an entity through a relationship, as a range:
//
//   for (auto [depth, e] : ship.traverse(kith::ChildOf)) { … }
//
// Depth-first, an entity before those below it, the first one with depth 0; sources of a target in
// the order of each_source. Every entity comes once, however many ways lead there, and cycles end.
// The world may change meanwhile: what an entity leads to is looked up when the iterator goes on
// from it, and entities that have died are left out.
//
// Covered by tests/features/relationships/traverse_test.cpp.
#pragma once

#include <kith/entity.hpp>

namespace kith {

class traversal {
public:
    struct item {
        std::int32_t depth;
        kith::entity entity;
    };

    // Copies go on independently of each other.
    class iterator {
    public:
        using value_type = item;
        using difference_type = std::ptrdiff_t;
        using reference = const item&;
        using pointer = const item*;

        iterator() noexcept = default;
        iterator(world_t* world, entity_t start, entity_t relation)
            : walk_(detail::begin_walk(world, start, relation)),
              item_{0, kith::entity(world, start)} {}
        iterator(const iterator& other)
            : walk_(other.walk_ ? detail::copy_walk(*other.walk_) : nullptr), item_(other.item_) {}
        iterator(iterator&& other) noexcept
            : walk_(detail::exchange(other.walk_, nullptr)), item_(other.item_) {}
        iterator& operator=(iterator other) noexcept {
            std::swap(walk_, other.walk_);
            std::swap(item_, other.item_);
            return *this;
        }
        ~iterator() { detail::end_walk(walk_); }

        const item& operator*() const noexcept { return item_; }
        const item* operator->() const noexcept { return &item_; }
        iterator& operator++() {
            entity_t next = detail::next_in_walk(*walk_, item_.depth);
            item_.entity = kith::entity(item_.entity.c_world(), next);
            if (next == 0) {
                detail::end_walk(detail::exchange(walk_, nullptr));
            }
            return *this;
        }
        iterator operator++(int) {
            iterator before = *this;
            ++*this;
            return before;
        }
        // At the end, or at the same entity.
        friend bool operator==(const iterator& left, const iterator& right) noexcept {
            return left.walk_ && right.walk_ ? left.item_.entity.id() == right.item_.entity.id()
                                             : left.walk_ == right.walk_;
        }

    private:
        detail::graph_walk* walk_ = nullptr;  // null at the end
        item item_{0, {}};
    };

    traversal(world_t* world, entity_t start, entity_t relation) noexcept
        : world_(world), start_(start), relation_(relation) {}

    iterator begin() const { return iterator(world_, start_, relation_); }
    iterator end() const noexcept { return {}; }

private:
    world_t* world_;
    entity_t start_;
    entity_t relation_;
};

}  // namespace kith
