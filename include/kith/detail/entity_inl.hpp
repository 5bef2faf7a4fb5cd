// Bodies of the handles' templates: types become ids here, the work is behind detail/ops.hpp.
// Inlined are only the paths that a program takes for every value: get, has, and set of what is
// there. Included at the end of world.hpp, which has declared all that is used here.
#pragma once

#include <kith/detail/component_inl.hpp>
#include <kith/detail/value_access.hpp>
#include <kith/detail/value_callbacks.hpp>

namespace kith {

namespace detail {

// Sets the scope of new entities for its lifetime.
class scope_guard {
public:
    scope_guard(world_t* world, entity_t scope)
        : world_(world), previous_(open_scope(world, scope)) {}
    ~scope_guard() { close_scope(world_, previous_); }
    scope_guard(const scope_guard&) = delete;
    scope_guard& operator=(const scope_guard&) = delete;

private:
    world_t* world_;
    entity_t previous_;
};

// Adds an id to new entities for its lifetime.
class with_guard {
public:
    with_guard(world_t* world, id_t id) : world_(world), size_(push_with(world, id)) {}
    ~with_guard() { pop_with(world_, size_); }
    with_guard(const with_guard&) = delete;
    with_guard& operator=(const with_guard&) = delete;

private:
    world_t* world_;
    std::size_t size_;
};

}  // namespace detail

// -- id
inline kith::entity id::first() const {
    return kith::entity(world_, is_pair() ? detail::get_alive(world_, pair_first(id_)) : 0);
}
inline kith::entity id::second() const {
    return kith::entity(world_, is_pair() ? detail::get_alive(world_, pair_second(id_)) : 0);
}
inline id id::pair() const {
    if (!is_pair()) {
        detail::raise_not_a_pair(world_, id_);
    }
    return *this;
}
inline kith::entity id::entity() const {
    return kith::entity(world_, is_entity() ? id_ : 0);
}
inline kith::entity id::add_flags(id_t flags) const {
    return kith::entity(world_, id_ | flags);
}
inline kith::entity id::remove_flags(id_t flags) const {
    return kith::entity(world_, id_ & ~flags);
}
inline kith::entity id::remove_flags() const {
    return remove_flags(id_flags_mask);
}
inline kith::entity id::type_id() const {
    return kith::entity(world_, detail::type_component(world_, id_));
}
inline kith::world id::world() const {
    return kith::world(world_);
}

// -- entity_view
// The table decides; inherited, sparse and toggled ids take the compiled path.
KITH_ALWAYS_INLINE bool entity_view::has_raw(id_t id) const {
    int found = detail::find_in_table(world_, id_, id);
    return found >= 0 ? found != 0 : detail::has_id(world_, id_, id);
}

KITH_ALWAYS_INLINE bool entity_view::has(detail::id_arg first, detail::id_arg second) const {
    id_t relation = first.in(world_);
    id_t target = second.in(world_);
    return has_raw(make_pair(relation, target)) && detail::is_current(world_, relation) &&
           detail::is_current(world_, target);
}

inline bool entity_view::is_known(detail::id_arg element) const {
    id_t id = element.in(world_);
    return index_of(id) < first_entity || detail::is_alive(world_, id);
}

// The value of a pair; null if an element is not alive.
inline const void* entity_view::pair_value(detail::id_arg first, detail::id_arg second,
                                           std::uint32_t type) const {
    if (!is_known(first) || !is_known(second)) {
        return nullptr;
    }
    return value(make_pair(first.in(world_), second.in(world_)), type);
}

template <class T>
KITH_ALWAYS_INLINE bool entity_view::has() const {
    if constexpr (detail::is_enum_type<T>) {
        // A constant has its own value.
        return has(detail::pattern_of<T>(world_)) || has(detail::id_of<T>());
    } else if constexpr (detail::is_pair_type<T>) {
        return has(detail::id_of<T>());
    } else {
        std::uint32_t type = detail::known_type_id<T>();
        const detail::store_head& store = *world_->store;
        const detail::entity_record* record = detail::find_record(store, id_);
        if (record && !detail::is_checked(world_)) [[likely]] {
            if (detail::find_low(*store.shapes[record->table], type) >= 0) {
                return true;
            }
        }
        return has(detail::ensure_type_id<T>());
    }
}

template <class T>
KITH_ALWAYS_INLINE const detail::value_of<T>* entity_view::get() const {
    using value_type = detail::value_of<T>;
    KITH_STATIC_ASSERT(!std::is_empty_v<value_type>,
                       "an empty type is a tag: it has no value to get");
    if constexpr (detail::is_enum_type<T>) {
        return detail::find_constant<value_type>(world_, id_);
    } else if constexpr (detail::is_pair_type<T>) {
        return static_cast<const value_type*>(
            value(detail::id_of<T>(), detail::ensure_type_id<value_type>()));
    } else {
        detail::plain_place place;
        const value_type* found =
            detail::find_plain_value<value_type>(world_, id_, detail::known_type_id<T>(), place);
        if (found) [[likely]] {
            return found;
        }
        std::uint32_t type = detail::ensure_type_id<T>();
        return static_cast<const value_type*>(value(type, type));
    }
}

template <detail::value_callback Func>
bool entity_view::get(Func&& func) const {
    return detail::get_values(world_, id_, func, detail::args_of<Func>{});
}

KITH_ALWAYS_INLINE kith::entity entity_view::target(detail::id_arg of, std::int32_t index) const {
    entity_t relation = of.in(world_);
    entity_t found = 0;
    if (index != 0 || !detail::find_first_target(world_, id_, relation, found)) [[unlikely]] {
        found = detail::target_of(world_, id_, relation, index);
    }
    return kith::entity(world_, found);
}
template <class First>
kith::entity entity_view::target(std::int32_t index) const {
    return target(detail::id_of<First>(), index);
}
// The parent is read from the links without a call.
KITH_ALWAYS_INLINE kith::entity entity_view::parent() const {
    const detail::store_head& store = *world_->store;
    if (detail::find_record(store, id_)) [[likely]] {
        if (entity_t found = detail::find_parent(store, id_)) {
            return kith::entity(world_, found);
        }
    }
    return kith::entity(
        world_, detail::target_of(world_, detail::checked_entity(id_, "parent"), ChildOf, 0));
}

template <class Func>
void entity_view::children(entity_t relation, Func&& func) const {
    if (is_wildcard_element(index_of(id_)) || id_ == This) {
        return;
    }
    if (id_ == 0) {
        detail::each_root(
            world_, relation,
            [](entity_t child, world_t* world, void* context) {
                auto& called = *static_cast<std::remove_reference_t<Func>*>(context);
                return detail::call_row(called, kith::entity(world, child));
            },
            const_cast<void*>(static_cast<const void*>(detail::address_of(func))));
        return;
    }
    if (!is_known(relation)) {
        detail::shape_of(world_, id_, "children");  // must be alive all the same
        return;
    }
    detail::source_cursor cursor(world_, relation, id_);
    for (const entity_t* end = nullptr; const entity_t* at = cursor.next(end);) {
        for (; at != end; ++at) {
            if (*at != 0 && !detail::call_row(func, kith::entity(world_, *at))) [[unlikely]] {
                return;
            }
        }
    }
}

inline kith::entity entity_view::lookup(text_view path, bool search_path) const {
    return kith::entity(world_, detail::lookup_child(world_, id_, path, search_path));
}
inline kith::type entity_view::type() const {
    return kith::type(world_, detail::ids_of(world_, id_));
}
inline kith::table entity_view::table() const {
    return kith::table(world_, detail::shape_of(world_, id_), id_);
}
inline table_range entity_view::range() const {
    kith::table whole = table();
    return table_range(whole,
                       static_cast<std::int32_t>(detail::find_record(*world_->store, id_)->row), 1);
}

template <detail::callback Func>
void entity_view::each(Func&& func) const {
    const kith::type ids(world_, detail::ids_of(world_, id_, "each"));
    for (id_t id : ids) {
        if (!detail::call_row(func, kith::id(world_, id))) {
            return;
        }
    }
}
void entity_view::match(id_t pattern, auto&& func) const {
    const kith::type ids(world_, detail::ids_of(world_, id_, "match"));
    for (id_t id : ids) {
        if (matches_id(pattern, id) && !detail::call_row(func, kith::id(world_, id))) {
            return;
        }
    }
}
void entity_view::each(const entity_view& relation, auto&& func) const {
    detail::checked_entity(id_, "each");
    match(detail::asked_pair(world_, relation.id(), Wildcard),
          [&](const kith::id& id) { return detail::call_row(func, id.second()); });
}
namespace detail {

// A callback that takes a target and the value of the pair.
template <class Func, class R>
inline constexpr bool takes_edge =
    std::is_invocable_v<Func&, kith::entity, R&> || std::is_invocable_v<Func&, kith::entity, R*>;

// Calls the callback with the target and the value of each pair. The table is locked meanwhile.
template <class R, class Func>
void each_edge(const entity_view& source, Func& func) {
    world_t* world = source.c_world();
    const kith::type ids(world, ids_of(world, source.id(), "each"));
    const id_t any = make_pair(id_of<R>(), Wildcard);
    table_lock lock(world);
    lock.table = shape_of(world, source.id())->number;
    lock.sparse_id = any;
    auto call = [&](kith::entity target, R* value) {
        if constexpr (!std::is_invocable_v<Func&, kith::entity, R&>) {
            return func(target, value);
        } else {
            return func(target, *value);
        }
    };
    for (id_t id : ids) {
        if (!matches_id(any, id)) {
            continue;
        }
        R* value = nullptr;
        if constexpr (std::is_empty_v<R>) {
            static R tag{};
            value = address_of(tag);
        } else {
            if (type_component(world, id) == ensure_type_id<R>()) {
                value = static_cast<R*>(
                    const_cast<void*>(get_value(world, source.id(), id, ensure_type_id<R>())));
            }
            if (!value && std::is_invocable_v<Func&, kith::entity, R&>) {
                raise_no_pair_value(world, source.id(), id);
            }
        }
        const kith::entity target = kith::id(world, id).second();
        if constexpr (std::is_same_v<decltype(call(target, value)), bool>) {
            if (!call(target, value)) {
                return;
            }
        } else {
            call(target, value);
        }
    }
}

}  // namespace detail

template <class First, class Func>
void entity_view::each(Func&& func) const {
    if constexpr (detail::takes_edge<Func, First>) {
        detail::each_edge<First>(*this, func);
    } else if constexpr (!std::is_invocable_v<Func&, kith::entity>) {
        KITH_STATIC_ASSERT((std::is_invocable_v<Func&, kith::entity>),
                           "each<R> calls func(target), func(target, R&) or func(target, R*)");
    } else {
        each(entity_view(world_, detail::id_of<First>()), func);
    }
}

inline kith::entity entity_view::clone(bool copy_value, entity_t into) const {
    return kith::entity(world_, detail::clone_entity(world_, id_, copy_value, into));
}
inline kith::entity entity_view::mut(const kith::world& world) const {
    return kith::entity(static_cast<world_t*>(world), id_);
}
inline kith::entity entity_view::mut(const entity_view& other) const {
    return kith::entity(other.world_, id_);
}
template <class E>
E entity_view::to_constant() const {
    const void* found =
        detail::get_value(world_, id_, detail::id_of<E>(), detail::known_type_id<E>());
    if (!found) {
        detail::raise_no_constant(world_, id_, detail::ensure_type_id<E>());
    }
    return *static_cast<const E*>(found);
}

// -- entity
inline entity::entity(world_t* world, text_view name)
    : entity_view(world, name.size != 0 ? detail::ensure_path(world, detail::get_scope(world), name,
                                                              "::", "::")
                                        : detail::new_entity(world)) {}

template <class T>
entity& entity::remove() {
    return remove(detail::pattern_of<T>(world_));
}

template <detail::plain_value T>
KITH_ALWAYS_INLINE entity& entity::set(T&& value) {
    if constexpr (std::is_enum_v<T>) {
        return add(value);
    } else {
        detail::set_component<T>(world_, id_, std::move(value));
        return *this;
    }
}
template <detail::plain_value T>
KITH_ALWAYS_INLINE entity& entity::set(const T& value) {
    if constexpr (std::is_enum_v<T>) {
        return add(value);
    } else {
        detail::set_component<T>(world_, id_, value);
        return *this;
    }
}
template <class T>
    requires(detail::is_pair_type<T>)
entity& entity::set(const detail::value_of<T>& value) {
    detail::set_pair_value<detail::value_of<T>>(world_, id_, detail::id_of<T>(), value);
    return *this;
}
template <class T>
    requires(detail::is_pair_type<T>)
entity& entity::set(detail::value_of<T>&& value) {
    detail::set_pair_value<detail::value_of<T>>(world_, id_, detail::id_of<T>(), std::move(value));
    return *this;
}
template <class First>
entity& entity::set(detail::id_arg second, const First& value) {
    detail::set_pair_value<First>(
        world_, id_, detail::checked_pair(world_, detail::id_of<First>(), second.in(world_), "set"),
        value);
    return *this;
}
template <detail::not_reference First>
entity& entity::set(detail::id_arg second, First&& value) {
    detail::set_pair_value<First>(
        world_, id_, detail::checked_pair(world_, detail::id_of<First>(), second.in(world_), "set"),
        std::move(value));
    return *this;
}
template <class Second>
entity& entity::set_second(detail::id_arg first, const Second& value) {
    detail::set_pair_value<Second>(
        world_, id_,
        detail::checked_pair(world_, first.in(world_), detail::id_of<Second>(), "set_second"),
        value);
    return *this;
}
template <detail::not_reference Second>
entity& entity::set_second(detail::id_arg first, Second&& value) {
    detail::set_pair_value<Second>(
        world_, id_,
        detail::checked_pair(world_, first.in(world_), detail::id_of<Second>(), "set_second"),
        std::move(value));
    return *this;
}
inline entity& entity::set_ptr(entity_t component, const void* value) {
    const type_info* info = detail::type_of(world_, component);
    return set_ptr(component, info ? info->size : 0, value);
}
template <detail::writing_callback Func>
entity& entity::set(Func&& func) {
    detail::set_values(world_, id_, func, detail::args_of<Func>{});
    return *this;
}

template <class T, class... Args>
entity& entity::emplace(Args&&... args) {
    if constexpr (detail::is_enum_type<T>) {
        if (owns<T>()) {
            detail::raise_has_constant(world_, id_, detail::own_id_of<T>(world_, id_));
        }
        return add(detail::base_type<T>(std::forward<Args>(args)...));
    } else {
        detail::emplace_value_of<detail::value_of<T>>(world_, id_, detail::id_of<T>(),
                                                      std::forward<Args>(args)...);
        return *this;
    }
}
template <class First, class... Args>
entity& entity::emplace_first(entity_t second, Args&&... args) {
    detail::emplace_value_of<First>(
        world_, id_, detail::checked_pair(world_, detail::id_of<First>(), second, "emplace_first"),
        std::forward<Args>(args)...);
    return *this;
}
template <class Second, class... Args>
entity& entity::emplace_second(entity_t first, Args&&... args) {
    detail::emplace_value_of<Second>(
        world_, id_, detail::checked_pair(world_, first, detail::id_of<Second>(), "emplace_second"),
        std::forward<Args>(args)...);
    return *this;
}

template <class T>
typename detail::access<T>::pointer entity::get_mut() const {
    using value_type = detail::value_of<T>;
    KITH_STATIC_ASSERT(!std::is_empty_v<value_type>,
                       "an empty type is a tag: it has no value to get");
    if constexpr (detail::is_enum_type<T>) {
        detail::shape_of(world_, id_, "get_mut");  // an error if the entity is not alive
        return {world_, id_};
    } else {
        return static_cast<value_type*>(detail::ensure_value(world_, id_, detail::id_of<T>(),
                                                             detail::ensure_type_id<value_type>()));
    }
}
template <class T>
void entity::modified() const {
    if constexpr (detail::is_enum_type<T>) {
        // Observers were notified when the constant was assigned.
        if (!(world_->mode & detail::mode_deferred) && !owns<T>()) {
            detail::raise_ref(world_, id_, detail::id_of<T>());
        }
    } else {
        modified(detail::id_of<T>());
    }
}
template <class T>
typename detail::access<T>::pointer entity::try_get_mut() const {
    using value_type = detail::value_of<T>;
    KITH_STATIC_ASSERT(!std::is_empty_v<value_type>,
                       "an empty type is a tag: it has no value to get");
    if constexpr (detail::is_enum_type<T>) {
        return {world_, owns<T>() ? id_ : 0};
    } else {
        return static_cast<value_type*>(
            own_value(detail::id_of<T>(), detail::ensure_type_id<value_type>()));
    }
}
// Calls the callback with the value, with the table locked, and notifies afterwards.
template <class T, class Func>
bool entity::modify_value(T* value, id_t id, Func& func) const {
    if constexpr (!std::is_invocable_v<Func&, T&>) {
        KITH_STATIC_ASSERT((std::is_invocable_v<Func&, T&>), "modify<T> calls func(T&)");
    } else if (value) {
        {
            detail::table_lock lock(world_, detail::shape_of(world_, id_)->number, true);
            func(*value);
        }
        modified(id);
    }
    return value != nullptr;
}
// Observers are notified by the assignment.
template <class E, class Func>
bool entity::modify_value(const enum_pointer<E>& value, id_t, Func& func) const {
    if (!value) {
        return false;
    }
    const E before = *value;
    E changed = before;
    func(changed);
    if (changed != before) {
        *value = changed;
    }
    return true;
}

template <class First>
First* entity::get_mut(entity_t second) const {
    return static_cast<First*>(detail::ensure_value(
        world_, id_, detail::checked_pair(world_, detail::id_of<First>(), second, "get_mut"),
        detail::ensure_type_id<First>()));
}
template <class Second>
Second* entity::get_mut_second(entity_t first) const {
    return static_cast<Second*>(detail::ensure_value(
        world_, id_, detail::checked_pair(world_, first, detail::id_of<Second>(), "get_mut_second"),
        detail::ensure_type_id<Second>()));
}

entity& entity::scope(auto&& func) {
    detail::scope_guard guard(world_, id_);
    func();
    return *this;
}
inline scoped_world entity::scope() const {
    return scoped_world(world_, id_);
}
template <detail::callback Func>
entity& entity::with(Func&& func) {
    detail::with_guard guard(world_, id_);
    func();
    return *this;
}
entity& entity::with(entity_t first, auto&& func) {
    detail::with_guard guard(world_, detail::checked_pair(world_, first, id_, "with"));
    func();
    return *this;
}
template <class First, class Func>
entity& entity::with(Func&& func) {
    return with(detail::id_of<First>(), func);
}

// -- others that need complete types
template <class T>
kith::entity ref<T>::entity() const {
    return kith::entity(world_, entity_);
}
inline kith::id type::get(std::int32_t index) const {
    if (index < 0 || static_cast<std::size_t>(index) >= list_.count) {
        detail::raise_no_index(index, list_.count);
    }
    return kith::id(world_, list_.ids[index]);
}
inline kith::type table::type() const {
    return kith::type(
        world_, shape_ ? detail::id_list{shape_->ids, shape_->id_count, false} : detail::id_list{});
}
inline string table::str() const {
    return type().str();
}
inline void* table::column_at(id_t id, std::uint32_t row) const {
    std::int32_t position = search(id);
    if (position < 0 || shape_->slots[position].size == 0) {
        return nullptr;
    }
    if (detail::load_flags(*shape_) & (detail::shape_unwritten | detail::shape_indexed))
        [[unlikely]] {
        detail::note_written(world_, *shape_, shape_->ids[position]);
    }
    detail::column slot = shape_->slots[position];
    const detail::table_rows& rows = world_->store->rows[shape_->number];
    return rows.block + std::size_t{slot.offset} * rows.capacity + std::size_t{slot.size} * row;
}
template <class E>
kith::entity enum_data<E>::entity() const {
    return kith::entity(world_, detail::enum_entity<E>(world_));
}
template <class E>
kith::entity enum_data<E>::entity(E value) const {
    return kith::entity(world_, detail::enum_entity(world_, value));
}
inline kith::world iter::world() const {
    return kith::world(world_);
}

}  // namespace kith
