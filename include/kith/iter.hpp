// What a callback is told about the rows that it is called for.
#pragma once

#include <kith/entity.hpp>

namespace kith {

class iter {
public:
    // Row indices 0..count-1, for `for (auto row : it)`.
    class row_iterator {
    public:
        explicit row_iterator(std::size_t row) noexcept : row_(row) {}
        std::size_t operator*() const noexcept { return row_; }
        row_iterator& operator++() noexcept {
            ++row_;
            return *this;
        }
        bool operator!=(const row_iterator& other) const noexcept { return row_ != other.row_; }

    private:
        std::size_t row_;
    };

    iter(world_t* world, const entity_t* entities, std::size_t count, entity_t event,
         id_t event_id) noexcept
        : world_(world), entities_(entities), count_(count), event_(event), event_id_(event_id) {}

    std::size_t count() const noexcept { return count_; }
    kith::entity entity(std::size_t row) const { return kith::entity(world_, entities_[row]); }
    kith::world world() const;
    kith::entity event() const { return kith::entity(world_, event_); }
    kith::id event_id() const { return kith::id(world_, event_id_); }

    row_iterator begin() const noexcept { return row_iterator(0); }
    row_iterator end() const noexcept { return row_iterator(count_); }

private:
    world_t* world_;
    const entity_t* entities_;
    std::size_t count_;
    entity_t event_;
    id_t event_id_;
};

}  // namespace kith
