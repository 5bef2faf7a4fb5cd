// The iterator that callbacks receive: the rows of a query's result, or the entities of an event.
//
// Covered by tests/features/queries/iter_test.cpp.
#pragma once

#include <kith/detail/event_ops.hpp>
#include <kith/detail/indexed.hpp>
#include <kith/entity.hpp>

namespace kith {

namespace detail {

// The sequences that iterators go over, by index.
struct row_numbers {
    using value_type = std::size_t;
    std::size_t at(std::size_t row) const noexcept { return row; }
};
template <class T>
struct strided_values {
    using value_type = std::remove_cv_t<T>;
    std::byte* first = nullptr;
    std::size_t stride = 0;
    T& at(std::size_t row) const noexcept { return *reinterpret_cast<T*>(first + stride * row); }
};
struct entity_list {
    using value_type = kith::entity;
    world_t* world = nullptr;
    const entity_t* first = nullptr;
    kith::entity at(std::size_t row) const noexcept { return kith::entity(world, first[row]); }
};

}  // namespace detail

// The values of a field, one for each row. If the rows share a value, each index gives that value.
template <class T>
class column {
public:
    column() noexcept = default;
    column(std::byte* first, std::size_t stride, std::size_t count) noexcept
        : first_(first), stride_(stride), count_(count) {}
    column(const iter& it, std::int32_t index);

    // Empty: an optional term that found nothing.
    explicit operator bool() const noexcept { return first_ != nullptr; }
    bool is_shared() const noexcept { return stride_ == 0; }
    std::size_t size() const noexcept { return first_ ? count_ : 0; }

    T& operator[](std::size_t row) const noexcept {
        return *reinterpret_cast<T*>(first_ + stride_ * row);
    }
    T& operator*() const noexcept { return *reinterpret_cast<T*>(first_); }
    T* operator->() const noexcept { return reinterpret_cast<T*>(first_); }

    // One value for each row; none if the column is empty.
    using iterator = detail::index_iterator<detail::strided_values<T>>;
    iterator begin() const noexcept { return iterator({first_, stride_}, 0); }
    iterator end() const noexcept { return iterator({first_, stride_}, size()); }

private:
    std::byte* first_ = nullptr;
    std::size_t stride_ = 0;
    std::size_t count_ = 0;
};

// The values of a field of unknown type: operator[] gives the address of a row's value.
template <>
class column<void> {
public:
    column() noexcept = default;
    column(std::byte* first, std::size_t stride, std::size_t count) noexcept
        : first_(first), stride_(stride), count_(count) {}

    bool is_shared() const noexcept { return stride_ == 0; }
    std::size_t size() const noexcept { return count_; }
    // Null for tags, and for an optional term that found nothing.
    void* operator[](std::size_t row) const noexcept {
        return first_ ? first_ + stride_ * row : nullptr;
    }
    operator void*() const noexcept { return first_; }
    template <class T>
    explicit operator T*() const noexcept {
        return reinterpret_cast<T*>(first_);
    }

private:
    std::byte* first_ = nullptr;
    std::size_t stride_ = 0;
    std::size_t count_ = 0;
};

// The entities of rows.
class entity_column {
public:
    entity_column() noexcept = default;
    entity_column(world_t* world, const entity_t* first, std::size_t count) noexcept
        : entities_{world, first}, count_(count) {}

    std::size_t size() const noexcept { return count_; }
    kith::entity operator[](std::size_t row) const noexcept { return entities_.at(row); }
    using iterator = detail::index_iterator<detail::entity_list>;
    iterator begin() const noexcept { return iterator(entities_, 0); }
    iterator end() const noexcept { return iterator(entities_, count_); }
    // As field 0, the ids.
    operator column<const entity_t>() const noexcept;

private:
    detail::entity_list entities_;
    std::size_t count_ = 0;
};

class iter {
public:
    // Row numbers 0..count-1, for `for (auto row : it)`.
    using row_iterator = detail::index_iterator<detail::row_numbers>;

    // For an event. Requires: entities and event outlive the iterator.
    iter(world_t* world, const entity_t* entities, std::size_t count,
         const detail::event_info& event) noexcept
        : world_(world), event_(&event) {
        result_.entities = entities;
        result_.count = static_cast<std::uint32_t>(count);
    }
    explicit iter(const detail::observed& what) noexcept
        : world_(what.world), query_(what.query), result_(*what.found), event_(what.event) {}
    // For results of a query, in a run of a system if there is an event.
    iter(world_t* world, const detail::query_head* query,
         const detail::event_info* event = nullptr) noexcept
        : world_(world), query_(query), event_(event) {}

    std::size_t count() const noexcept { return result_.count; }
    kith::entity entity(std::size_t row) const {
        return kith::entity(world_, result_.entities[row]);
    }
    entity_column entities() const noexcept { return {world_, result_.entities, result_.count}; }
    kith::world world() const;
    // -- events. The event and the id that it is about; null where there is none.
    kith::entity event() const { return kith::entity(world_, event_ ? event_->event : 0); }
    kith::id event_id() const { return kith::id(world_, event_ ? event_->id : 0); }
    // The payload of the event, null if there is none. Throws if the payload has another type; T =
    // void accepts all types. In systems: the parameter of the run, of any type.
    template <class T = void>
    T* param() const {
        if constexpr (std::is_void_v<T>) {
            return event_ ? event_->payload.value : nullptr;
        } else {
            return static_cast<T*>(detail::checked_payload(
                world_, event_, detail::ensure_type_id<std::remove_const_t<T>>()));
        }
    }
    // What the observer or the system was given as context.
    template <class T = void>
    T* ctx() const noexcept {
        return static_cast<T*>(event_ ? event_->context : nullptr);
    }

    // -- systems. The system, null outside of systems; the time of the frame, and the time since
    // the system last ran.
    kith::entity system() const {
        return kith::entity(world_, in_system() ? system_info().system : 0);
    }
    float delta_time() const noexcept { return in_system() ? system_info().delta_time : 0; }
    float delta_system_time() const noexcept {
        return in_system() ? system_info().delta_system_time : 0;
    }
    // In a phase with fixed steps: the time that is left over, as a fraction of a step.
    float alpha() const noexcept { return in_system() ? system_info().alpha : 0; }
    // The number of this part of the run, and the number of parts.
    std::int32_t part() const noexcept { return in_system() ? system_info().part : 0; }
    std::int32_t part_count() const noexcept { return in_system() ? system_info().part_count : 1; }
    // In callbacks of run(): the next result. An error elsewhere.
    bool next() { return detail::next_result(world_, event_, result_); }

    row_iterator begin() const noexcept { return row_iterator({}, 0); }
    row_iterator end() const noexcept { return row_iterator({}, result_.count); }

    // -- fields, counted from 1
    std::int32_t field_count() const noexcept {
        return static_cast<std::int32_t>(result_.field_count);
    }
    std::int32_t term_count() const noexcept { return field_count(); }
    // The values of a field. An error if there is no such field, if they are of another type, or if
    // T is not const and they are only to be read.
    // Field 0 are the entities.
    template <class T>
    auto field(std::int32_t index) const {
        using value =
            std::conditional_t<std::is_const_v<T>, const detail::value_of<T>, detail::value_of<T>>;
        if constexpr (std::is_same_v<T, const entity_t>) {
            if (index == 0) {
                return column<const entity_t>(entities());
            }
        }
        if constexpr (std::is_enum_v<detail::value_of<T>>) {
            KITH_STATIC_ASSERT(std::is_const_v<T>,
                               "an enum of rows is read: field<const E>(n); set() it on entities");
            return constants<detail::value_of<T>>(checked_constant<detail::value_of<T>>(index));
        } else {
            return view<value>(detail::checked_field(query_, world_, result_, index,
                                                     detail::ensure_type_id<detail::value_of<T>>(),
                                                     !std::is_const_v<T>));
        }
    }
    // The only field of a type.
    template <class T>
    auto field() const {
        return field<T>(
            detail::find_field(query_, world_, detail::ensure_type_id<detail::value_of<T>>()));
    }
    // The values of an enum: that of the constant, which all rows have.
    template <class E>
    column<const E> constants(const detail::field_data& field) const {
        const E* found =
            field.flags & detail::field_set ? detail::constant_in<E>(world_, field.id) : nullptr;
        return {reinterpret_cast<std::byte*>(const_cast<E*>(found)), 0, result_.count};
    }
    // The values of a field of any type.
    column<void> field(std::int32_t index) const {
        if (index == 0) {
            return {reinterpret_cast<std::byte*>(const_cast<entity_t*>(result_.entities)),
                    sizeof(entity_t), result_.count};
        }
        return view<void>(checked(index));
    }
    // The value of a row with its description, empty where the field has none; see
    // <kith/value.hpp>.
    value_view value(std::int32_t index, std::size_t row) const;
    template <class T>
    auto term(std::int32_t index) const {
        return field<T>(index);
    }
    column<void> term(std::int32_t index) const { return field(index); }
    // Bytes of one value, 0 for tags.
    std::size_t size(std::int32_t index) const {
        return index == 0 ? sizeof(entity_t) : detail::field_size(query_, world_, result_, index);
    }
    bool is_set(std::int32_t index) const {
        return (checked(index).flags & detail::field_set) != 0;
    }
    // Matched on the row's own entity.
    bool is_self(std::int32_t index) const { return checked(index).source == 0; }
    bool is_readonly(std::int32_t index) const {
        return (checked(index).flags & detail::field_readonly) != 0;
    }
    // The values are to be written, not read: the term is `[out]`.
    bool is_writeonly(std::int32_t index) const {
        return (checked(index).flags & detail::field_write_only) != 0;
    }
    // The id that matched; null for field 0, the entities.
    kith::id id(std::int32_t index) const {
        return kith::id(world_, index == 0 ? 0 : checked(index).id);
    }
    kith::id term_id(std::int32_t index) const { return id(index); }
    kith::id pair(std::int32_t index) const { return id(index).pair(); }
    kith::id pair() const { return pair(1); }
    // The entity that has it; null: the row's own.
    kith::entity src(std::int32_t index) const {
        return kith::entity(world_, checked(index).source);
    }

    // The value of a variable, by number or name; null if it has none. 0 is $this, which has a
    // value where the result is one row.
    kith::entity get_var(std::int32_t variable) const {
        detail::variable_name(query_, variable);
        return kith::entity(world_, variable != 0        ? result_.variables[variable]
                                    : result_.count == 1 ? result_.entities[0]
                                                         : 0);
    }
    kith::entity get_var(text_view variable) const {
        return get_var(detail::checked_variable(query_, variable));
    }

    // The group of the rows, if the query has groups; the depth, if it has a cascade instead.
    std::uint64_t group_id() const noexcept { return result_.group; }

    // -- the table
    kith::table table() const {
        return result_.table ? kith::table(world_, world_->store->shapes[result_.table])
                             : kith::table();
    }
    table_range range() const {
        return table_range(table(), static_cast<std::int32_t>(result_.first_row),
                           static_cast<std::int32_t>(result_.count));
    }
    kith::type type() const { return table().type(); }

    // The result has changed since the query last iterated its table.
    bool changed() const {
        // An inlined loop over scanned tables becomes a loop over ticks.
        if (result_.scanned) {
            return result_.tracker->may_have_changed(result_.table) &&
                   detail::is_table_changed(result_.tracker->all, result_.table,
                                            result_.tracker->since);
        }
        return detail::is_result_changed(query_, world_, result_, -1);
    }
    // True if the row has changed, for queries that track rows; else as changed().
    bool changed(std::size_t row) const {
        return detail::is_result_changed(query_, world_, result_, static_cast<std::int64_t>(row));
    }
    // The callback has not written the result: it does not count as changed.
    void skip() const { detail::skip_result(query_, result_); }

    // Calls func(target, value pointer) for each pair of a relationship that a row's entity has.
    void each_pair(entity_t relation, std::size_t row, auto&& func) const;

    // The raw iterator, as functions of the kind iter_action_t get it.
    const iter_t* c_ptr() const noexcept { return this; }
    iter_t* c_ptr() noexcept { return this; }
    // In such a function: the callback that it runs around. See observer_builder::run() and
    // system_builder::run().
    void call() {
        if (inner_) {
            inner_->call(inner_->function, {world_, query_, &result_, event_});
        } else if (in_system()) {
            detail::call_inner(world_, query_, event_, result_);
        }
    }
    static void callback(iter_t* it) { it->call(); }
    void set_inner(const detail::observer_action* inner) noexcept { inner_ = inner; }

    detail::result& raw() noexcept { return result_; }
    const detail::result& raw() const noexcept { return result_; }
    const detail::query_head* query() const noexcept { return query_; }
    world_t* c_world() const noexcept { return world_; }

private:
    bool in_system() const noexcept {
        return event_ && event_->payload.type == detail::system_payload;
    }
    const detail::system_info& system_info() const noexcept {
        return *static_cast<const detail::system_info*>(event_);
    }
    template <class T>
    column<T> view(const detail::field_data& field) const noexcept {
        return {field.value, field.stride, result_.count};
    }
    template <class E>
    const detail::field_data& checked_constant(std::int32_t index) const {
        const std::uint32_t type = detail::ensure_type_id<E>();
        const detail::field_data& field = checked(index);
        const bool is_constant = is_pair(field.id) && pair_first(field.id) == type;
        return is_constant || !(field.flags & detail::field_set)
                   ? field
                   : detail::checked_field(query_, world_, result_, index, type, false);
    }
    const detail::field_data& checked(std::int32_t index) const {
        if (index < 1 || static_cast<std::uint32_t>(index) > result_.field_count) [[unlikely]] {
            return detail::checked_field(query_, world_, result_, index, 0, false);
        }
        return result_.fields[index - 1];
    }

    world_t* world_;
    const detail::query_head* query_ = nullptr;
    detail::result result_{};
    const detail::event_info* event_ = nullptr;
    const detail::observer_action* inner_ = nullptr;
};

inline entity_column::operator column<const entity_t>() const noexcept {
    return {reinterpret_cast<std::byte*>(const_cast<entity_t*>(entities_.first)), sizeof(entity_t),
            count_};
}

template <class T>
column<T>::column(const iter& it, std::int32_t index) : column(it.field<T>(index)) {}

void iter::each_pair(entity_t relation, std::size_t row, auto&& func) const {
    kith::entity source = entity(row);
    source.each(relation, [&](kith::entity target) {
        return detail::call_row(func, target, source.get(relation, target));
    });
}

}  // namespace kith
