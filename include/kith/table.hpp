// Read-only handles of types (sorted lists of ids) and of tables (the storage of all entities with
// the same list).
#pragma once

#include <kith/detail/ops.hpp>
#include <kith/pair.hpp>

namespace kith {

// An ordered list of ids.
class type {
public:
    type() noexcept = default;
    type(world_t* world, const detail::id_list& list) noexcept : world_(world), list_(list) {}
    type(const type& other) : world_(other.world_), list_(detail::copy_ids(other.list_)) {}
    type(type&& other) noexcept : world_(other.world_), list_(detail::exchange(other.list_, {})) {}
    type& operator=(type other) noexcept {
        std::swap(world_, other.world_);
        std::swap(list_, other.list_);
        return *this;
    }
    ~type() { detail::free_ids(list_); }

    std::int32_t count() const noexcept { return static_cast<std::int32_t>(list_.count); }
    // An error if there is no such index.
    kith::id get(std::int32_t index) const;
    const id_t* array() const noexcept { return list_.ids; }
    const id_t* begin() const noexcept { return list_.ids; }
    const id_t* end() const noexcept { return list_.ids + list_.count; }
    // `Position, (Likes,Alice)`
    string str() const { return detail::type_text(world_, list_.ids, list_.count); }
    operator const type_t*() const noexcept { return reinterpret_cast<const type_t*>(list_.ids); }

private:
    world_t* world_ = nullptr;
    detail::id_list list_;
};

// A table: the rows of all entities with the same ids, sparse ids aside.
// Valid until the table is deleted.
class table {
public:
    table() noexcept = default;
    table(world_t* world, detail::table_shape* shape, entity_t entity = 0) noexcept
        : world_(world), shape_(shape), entity_(entity) {}
    // As functions that group get it.
    table(world_t* world, table_t* raw) noexcept
        : table(world, reinterpret_cast<detail::table_shape*>(raw)) {}

    operator table_t*() const noexcept { return reinterpret_cast<table_t*>(shape_); }
    explicit operator bool() const noexcept { return shape_ != nullptr; }

    std::int32_t count() const noexcept {
        return shape_ ? static_cast<std::int32_t>(world_->store->rows[shape_->number].count) : 0;
    }
    kith::type type() const;
    string str() const;

    // Index in type() of the first id from `from` on that matches the pattern, or -1.
    std::int32_t search(id_t pattern, std::int32_t from = 0) const {
        return shape_ ? detail::find_in_shape(*shape_, pattern, from) : -1;
    }
    bool has(id_t id) const { return search(id) >= 0; }
    bool has(entity_t first, entity_t second) const {
        const id_t pair = asked_pair(first, second);
        return pair && has(pair);
    }
    template <class T>
    bool has() const {
        return has(detail::id_of<T>());
    }
    template <class First, class Second>
    bool has() const {
        return has(detail::id_of<pair<First, Second>>());
    }
    template <class First>
    bool has(entity_t second) const {
        return has(detail::id_of<First>(), second);
    }

    // The array of values, null if the table has none for the id, as where that is sparse.
    void* get(id_t id) const { return column_at(id, 0); }
    void* get(entity_t first, entity_t second) const {
        const id_t pair = asked_pair(first, second);
        return pair ? get(pair) : nullptr;
    }
    template <class T>
    detail::value_of<T>* get() const {
        return static_cast<detail::value_of<T>*>(get(detail::id_of<T>()));
    }
    template <class First, class Second>
    detail::value_of<pair<First, Second>>* get() const {
        return get<pair<First, Second>>();
    }
    template <class First>
    First* get(entity_t second) const {
        return static_cast<First*>(get(detail::id_of<First>(), second));
    }

    // How deep its entities are in the tree of a relationship, see entity_view::depth. For a sparse
    // relationship, which a table knows nothing of: the entity that this handle was taken from.
    std::int32_t depth(entity_t relation) const {
        return shape_ ? detail::table_depth(world_, *shape_, entity_, relation) : 0;
    }
    template <class Rel>
    std::int32_t depth() const {
        return depth(detail::id_of<Rel>());
    }

protected:
    id_t asked_pair(entity_t first, entity_t second) const noexcept {
        return shape_ ? detail::asked_pair(world_, first, second) : 0;
    }
    void* column_at(id_t id, std::uint32_t row) const;

    world_t* world_ = nullptr;
    detail::table_shape* shape_ = nullptr;
    entity_t entity_ = 0;
};

// Some rows of a table: arrays start at its offset. One row has its sparse values, too.
class table_range : public table {
public:
    table_range() noexcept = default;
    table_range(const table& whole, std::int32_t offset, std::int32_t count) noexcept
        : table(whole), offset_(offset), count_(count) {}

    std::int32_t offset() const noexcept { return offset_; }
    std::int32_t count() const noexcept { return count_; }
    void* get(id_t id) const {
        const auto row = static_cast<std::uint32_t>(offset_);
        void* found = column_at(id, row);
        return found || !shape_ || count_ != 1 ? found
                                               : detail::sparse_value(world_, *shape_, row, id);
    }
    void* get(entity_t first, entity_t second) const {
        const id_t pair = asked_pair(first, second);
        return pair ? get(pair) : nullptr;
    }
    template <class T>
    detail::value_of<T>* get() const {
        return static_cast<detail::value_of<T>*>(get(detail::id_of<T>()));
    }
    template <class First, class Second>
    detail::value_of<pair<First, Second>>* get() const {
        return get<pair<First, Second>>();
    }
    template <class First>
    First* get(entity_t second) const {
        return static_cast<First*>(get(detail::id_of<First>(), second));
    }

private:
    std::int32_t offset_ = 0;
    std::int32_t count_ = 0;
};

}  // namespace kith
