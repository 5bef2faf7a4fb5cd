// The handle that changes an entity; kith/entity_view.hpp has the handles that read.
//
// Short bodies are here, longer ones in detail/entity_inl.hpp. Covered by
// tests/features/entities/entity_test.cpp.
#pragma once

#include <kith/entity_view.hpp>

namespace kith {

// Reads and changes an entity. Changes are fluent: `e.add<A>().set<B>({1})`.
class entity : public entity_view {
public:
    constexpr entity() noexcept = default;
    constexpr explicit entity(entity_t value) noexcept : entity_view(value) {}
    template <detail::world_source World>
    explicit entity(const World& world) : entity(world, detail::new_entity(world)) {}
    explicit entity(world_t* world, text_view name);
    constexpr explicit entity(world_t* world, entity_t value) noexcept
        : entity_view(world, value) {}

    static constexpr entity null() noexcept { return {}; }
    static entity null(const world_t* world) noexcept {
        return entity(const_cast<world_t*>(world), entity_t{0});
    }
    // The entity in the world itself, where this handle is that of a stage.
    entity_view view() const noexcept { return entity_view(detail::home_of(world_), id_); }

    // -- add
    entity& add(detail::id_arg id) {
        detail::add_id(world_, id_, id.in(world_));
        return *this;
    }
    entity& add(detail::id_arg first, detail::id_arg second) {
        return add(detail::checked_pair(world_, first.in(world_), second.in(world_), "add"));
    }
    template <class T>
    entity& add() {
        return add(detail::id_to_add<T>());
    }
    template <class First, class Second>
    entity& add() {
        check_pair<First, Second>();
        return add(detail::id_of<kith::pair<First, Second>>());
    }
    template <class First>
    entity& add(detail::id_arg second) {
        return add(detail::id_of<First>(), second);
    }
    template <detail::enum_class E>
    entity& add(E value) {
        return add(detail::constant_pair(world_, value));
    }
    template <class First, detail::enum_class E>
    entity& add(E constant) {
        return add(make_pair(detail::id_of<First>(), detail::enum_entity(world_, constant)));
    }
    template <class Second>
    entity& add_second(detail::id_arg first) {
        return add(first, detail::id_of<Second>());
    }

    // -- add_if: adds if `condition`, else removes
    entity& add_if(bool condition, id_t id) { return condition ? add(id) : remove(id); }
    entity& add_if(bool condition, entity_t first, entity_t second);
    template <class T>
    entity& add_if(bool condition) {
        return add_if(condition, detail::id_to_add<T>());
    }
    template <class First, class Second>
    entity& add_if(bool condition) {
        return add_if(condition, detail::id_of<First>(), detail::id_of<Second>());
    }
    template <class First>
    entity& add_if(bool condition, entity_t second) {
        return add_if(condition, detail::id_of<First>(), second);
    }
    template <detail::enum_class E>
    entity& add_if(bool condition, E constant) {
        return condition ? add(constant) : remove<E>();
    }
    template <class First, detail::enum_class E>
    entity& add_if(bool condition, E constant) {
        return add_if<First>(condition, detail::enum_entity(world_, constant));
    }

    // -- remove: no effect if it is not there
    entity& remove(detail::id_arg id) {
        detail::remove_id(world_, id_, id.in(world_));
        return *this;
    }
    entity& remove(detail::id_arg first, detail::id_arg second) {
        // The index of a deleted element may belong to another entity now.
        if (is_known(first) && is_known(second)) {
            remove(make_pair(first.in(world_), second.in(world_)));
        } else {
            detail::shape_of(world_, id_, "remove");  // this entity must be alive all the same
        }
        return *this;
    }
    template <class T>
    entity& remove();
    template <class First, class Second>
    entity& remove() {
        check_pair<First, Second>();
        return remove(detail::id_of<kith::pair<First, Second>>());
    }
    template <class First>
    entity& remove(detail::id_arg second) {
        return remove(detail::id_of<First>(), second);
    }
    template <class First, detail::enum_class E>
    entity& remove(E constant) {
        return remove(make_pair(detail::id_of<First>(), detail::enum_entity(world_, constant)));
    }
    template <class Second>
    entity& remove_second(detail::id_arg first) {
        return remove(first, detail::id_of<Second>());
    }

    // -- set: adds the component if it is missing, assigns if it is there
    template <detail::plain_value T>
    entity& set(T&& value);
    template <detail::plain_value T>
    entity& set(const T& value);
    template <class T>
        requires(detail::is_pair_type<T>)
    entity& set(const detail::value_of<T>& value);
    template <class T>
        requires(detail::is_pair_type<T>)
    entity& set(detail::value_of<T>&& value);
    template <class First, class Second>
    entity& set(const detail::value_of<kith::pair<First, Second>>& value) {
        return set<kith::pair<First, Second>>(value);
    }
    template <class First, class Second>
    entity& set(detail::value_of<kith::pair<First, Second>>&& value) {
        return set<kith::pair<First, Second>>(std::move(value));
    }
    template <class First>
    entity& set(detail::id_arg second, const First& value);
    template <detail::not_reference First>
    entity& set(detail::id_arg second, First&& value);
    template <class First, detail::enum_class E>
    entity& set(E constant, const First& value) {
        return set<First>(detail::id_arg(detail::enum_entity(world_, constant)), value);
    }
    template <detail::not_reference First, detail::enum_class E>
    entity& set(E constant, First&& value) {
        return set<First>(detail::id_arg(detail::enum_entity(world_, constant)), std::move(value));
    }
    template <class Second>
    entity& set_second(detail::id_arg first, const Second& value);
    template <detail::not_reference Second>
    entity& set_second(detail::id_arg first, Second&& value);
    template <class First, class Second>
    entity& set_second(const Second& value) {
        return set_second<Second>(detail::id_of<First>(), value);
    }
    // Copies a value into a component known by its id.
    entity& set_ptr(entity_t component, std::size_t size, const void* value) {
        detail::copy_value(world_, id_, component, size, value);
        return *this;
    }
    entity& set_ptr(entity_t component, const void* value);
    // Reads JSON into a component, which is added if it is missing, and sets it: one OnSet. Members
    // that the text leaves out stay.
    entity& set_json(id_t id, const char* text, const from_json_desc_t* desc = nullptr) {
        detail::set_json_value(world_, id_, id, text, desc);
        return *this;
    }
    entity& set_json(entity_t first, entity_t second, const char* text,
                     const from_json_desc_t* desc = nullptr) {
        return set_json(known_pair(first, second, "set_json"), text, desc);
    }
    template <class T>
    entity& set_json(const char* text, const from_json_desc_t* desc = nullptr) {
        return set_json(detail::id_of<T>(), text, desc);
    }
    template <class First, class Second>
    entity& set_json(const char* text, const from_json_desc_t* desc = nullptr) {
        return set_json(detail::id_of<First>(), detail::id_of<Second>(), text, desc);
    }
    template <class First>
    entity& set_json(entity_t second, const char* text, const from_json_desc_t* desc = nullptr) {
        return set_json(detail::id_of<First>(), second, text, desc);
    }
    template <class Second>
    entity& set_json_second(entity_t first, const char* text,
                            const from_json_desc_t* desc = nullptr) {
        return set_json(first, detail::id_of<Second>(), text, desc);
    }
    // Adds what the text says about the entity: `path` (its name), `ids` and `values`, or the form
    // of kith::to_json(entity). Returns the end of the text.
    const char* from_json(const char* text) const {
        return detail::entity_from_table_json(world_, id_, text);
    }
    // Changes parts of a value, with one OnSet; writes one part by its path, `Health.points`. See
    // <kith/value.hpp>.
    template <class T>
    value_edit edit() const;
    value_edit edit(id_t id) const;
    template <class V>
    const entity& set_path(text_view path, const V& value) const;
    // Adds the components that `func(A&, B&…)` takes, calls the function once, then notifies OnSet
    // for each of them.
    template <detail::writing_callback Func>
    entity& set(Func&& func);

    // -- emplace: constructs in place; an error if the component is there already
    template <class T, class... Args>
    entity& emplace(Args&&... args);
    template <class First, class Second, class... Args>
    entity& emplace(Args&&... args) {
        return emplace<kith::pair<First, Second>>(std::forward<Args>(args)...);
    }
    template <class First, class... Args>
    entity& emplace_first(entity_t second, Args&&... args);
    template <class Second, class... Args>
    entity& emplace_second(entity_t first, Args&&... args);

    // -- get_mut, ensure: a pointer to the entity's own value, which is added if it is missing.
    // Call modified() after writing, to notify hooks and observers.
    // Of an enum it is an enum_pointer: an assignment adds the constant, and observers are
    // notified.
    template <class T>
    typename detail::access<T>::pointer get_mut() const;
    template <class First, class Second>
    detail::value_of<kith::pair<First, Second>>* get_mut() const {
        return get_mut<kith::pair<First, Second>>();
    }
    template <class First>
    First* get_mut(entity_t second) const;
    template <class First, detail::enum_class E>
    First* get_mut(E constant) const {
        return get_mut<First>(detail::enum_entity(world_, constant));
    }
    void* get_mut(id_t id) const { return detail::ensure_value(world_, id_, id, 0); }
    void* get_mut(entity_t first, entity_t second) const {
        return get_mut(detail::checked_pair(world_, first, second, "get_mut"));
    }
    template <class Second>
    Second* get_mut_second(entity_t first) const;
    template <class T>
    typename detail::access<T>::reference ensure() const {
        return *get_mut<T>();
    }

    // -- try_get_mut: a pointer to the entity's own value, or null; nothing is added
    template <class T>
    typename detail::access<T>::pointer try_get_mut() const;
    template <class First, class Second>
    detail::value_of<kith::pair<First, Second>>* try_get_mut() const {
        return try_get_mut<kith::pair<First, Second>>();
    }
    template <class First>
    First* try_get_mut(detail::id_arg second) const {
        return static_cast<First*>(
            own_pair_value(detail::id_of<First>(), second, detail::ensure_type_id<First>()));
    }
    void* try_get_mut(detail::id_arg id) const { return own_value(id.in(world_), 0); }
    void* try_get_mut(detail::id_arg first, detail::id_arg second) const {
        return own_pair_value(first, second, 0);
    }
    // -- modify: calls func(T&) and notifies that the value was set, if the entity has one of its
    // own; says whether it has. The entity cannot change its table meanwhile.
    template <class T, class Func>
    bool modify(Func&& func) const {
        detail::checked_entity(id_, "modify");
        return modify_value(try_get_mut<T>(), detail::id_of<T>(), func);
    }
    template <class First, class Second, class Func>
    bool modify(Func&& func) const {
        return modify<kith::pair<First, Second>>(func);
    }
    template <class First, class Func>
    bool modify(detail::id_arg second, Func&& func) const {
        detail::checked_entity(id_, "modify");
        First* value = try_get_mut<First>(second);
        return modify_value(value, make_pair(detail::id_of<First>(), second.in(world_)), func);
    }

    void modified(id_t id) const { detail::notify_set(world_, id_, id); }
    void modified(entity_t first, entity_t second) const {
        modified(known_pair(first, second, "modified"));
    }
    template <class T>
    void modified() const;
    template <class First>
    void modified(entity_t second) const {
        modified(detail::id_of<First>(), second);
    }
    template <class First, class Second>
    void modified() const {
        modified(detail::id_of<kith::pair<First, Second>>());
    }

    // -- refs
    template <class T>
    ref<detail::value_of<T>> get_ref() const {
        return ref<detail::value_of<T>>(world_, id_, detail::id_of<T>());
    }
    template <class First, detail::enum_class E>
    ref<First> get_ref(E constant) const {
        return get_ref<First>(detail::enum_entity(world_, constant));
    }
    template <class First, class Second>
    ref<detail::value_of<kith::pair<First, Second>>> get_ref() const {
        return get_ref<kith::pair<First, Second>>();
    }
    template <class First>
    ref<First> get_ref(entity_t second) const {
        return ref<First>(world_, id_, detail::asked_pair(world_, detail::id_of<First>(), second));
    }
    template <class Second>
    ref<Second> get_ref_second(entity_t first) const {
        return ref<Second>(world_, id_, detail::asked_pair(world_, first, detail::id_of<Second>()));
    }

    // -- whole entity
    // By name: that of an entity which there is, as world.lookup() finds it.
    entity& child_of(detail::id_arg parent) { return add_pair(ChildOf, parent, "child_of"); }
    entity& child_of(text_view parent) { return child_of(detail::require_path(world_, parent)); }
    template <class T>
    entity& child_of() {
        return child_of(type_entity<T>());
    }
    // Inherits from a base: this entity has the ids of the base.
    entity& is_a(detail::id_arg base) { return add_pair(IsA, base, "is_a"); }
    entity& is_a(text_view base) { return is_a(detail::require_path(world_, base)); }
    template <class T>
    entity& is_a() {
        return is_a(type_entity<T>());
    }
    entity& depends_on(detail::id_arg other) { return add_pair(DependsOn, other, "depends_on"); }
    entity& depends_on(text_view other) { return depends_on(detail::require_path(world_, other)); }
    template <class T>
    entity& depends_on() {
        return depends_on(type_entity<T>());
    }
    // Marks a child of a prefab: instances get the pair (this, their copy of it). slot() is for the
    // entity's parent.
    entity& slot_of(detail::id_arg base) { return add_pair(SlotOf, base, "slot_of"); }
    template <class T>
    entity& slot_of() {
        return slot_of(type_entity<T>());
    }
    entity& slot();
    // Leaves its parent, if it has one.
    entity& detach() {
        detail::checked_entity(id_, "detach");
        return remove(ChildOf, Wildcard);
    }
    void clear() const { detail::clear_entity(world_, id_); }
    void destruct() const { detail::delete_entity(world_, id_); }

    // -- override: instances of this entity get an own copy of the id instead of sharing the value.
    // set_override and emplace_override give the value, too.
    entity& override(detail::id_arg id) {
        return add(Override | detail::checked_id(id.in(world_), "override", "the id"));
    }
    entity& override(detail::id_arg first, detail::id_arg second) {
        return add(Override |
                   detail::checked_pair(world_, first.in(world_), second.in(world_), "override"));
    }
    template <class T>
    entity& override();
    template <class First, class Second>
    entity& override() {
        return override<kith::pair<First, Second>>();
    }
    template <class First>
    entity& override(detail::id_arg second) {
        return override(type_entity<First>(), second);
    }
    template <detail::plain_value T>
    entity& set_override(T&& value);
    template <detail::plain_value T>
    entity& set_override(const T& value);
    template <class T>
        requires(detail::is_pair_type<T>)
    entity& set_override(const detail::value_of<T>& value) {
        return set<T>(value).template override<T>();
    }
    template <class T>
        requires(detail::is_pair_type<T>)
    entity& set_override(detail::value_of<T>&& value) {
        return set<T>(std::move(value)).template override<T>();
    }
    template <class First, class Second>
    entity& set_override(const detail::value_of<kith::pair<First, Second>>& value) {
        return set_override<kith::pair<First, Second>>(value);
    }
    template <class First, class Second>
    entity& set_override(detail::value_of<kith::pair<First, Second>>&& value) {
        return set_override<kith::pair<First, Second>>(std::move(value));
    }
    template <class First>
    entity& set_override(detail::id_arg second, const First& value) {
        return set<First>(second, value).template override<First>(second);
    }
    template <detail::not_reference First>
    entity& set_override(detail::id_arg second, First&& value) {
        return set<First>(second, std::move(value)).template override<First>(second);
    }
    template <class First, detail::enum_class E>
    entity& set_override(E constant, const First& value) {
        return set_override<First>(detail::id_arg(detail::enum_entity(world_, constant)), value);
    }
    template <class T, class... Args>
    entity& emplace_override(Args&&... args);
    template <class First, class Second, class... Args>
    entity& emplace_override(Args&&... args) {
        return emplace_override<kith::pair<First, Second>>(std::forward<Args>(args)...);
    }

    // -- enable, disable: without an id the entity, else one of its components
    entity& enable() {
        detail::checked_entity(id_, "enable");
        return remove(Disabled);
    }
    entity& disable() {
        detail::checked_entity(id_, "disable");
        return add(Disabled);
    }
    entity& enable(id_t id) { return toggle(id, true); }
    entity& disable(id_t id) { return toggle(id, false); }
    entity& enable(id_t first, id_t second) { return toggle(first, second, true); }
    entity& disable(id_t first, id_t second) { return toggle(first, second, false); }
    template <class T>
    entity& enable() {
        return toggle(detail::own_id_of<T>(world_, id_), true);
    }
    template <class T>
    entity& disable() {
        return toggle(detail::own_id_of<T>(world_, id_), false);
    }
    template <class First, class Second>
    entity& enable() {
        return toggle(detail::id_of<kith::pair<First, Second>>(), true);
    }
    template <class First, class Second>
    entity& disable() {
        return toggle(detail::id_of<kith::pair<First, Second>>(), false);
    }
    template <class First>
    entity& enable(id_t second) {
        return toggle(detail::id_of<First>(), second, true);
    }
    template <class First>
    entity& disable(id_t second) {
        return toggle(detail::id_of<First>(), second, false);
    }

    // -- observers of this entity, which end with it: func is called when an event is emitted for
    // it, or (OnDelete) before it is deleted. Forms: (), (entity), (E&), (entity, E&).
    template <class E, class Func>
    entity& observe(Func&& func);
    template <class Func>
    entity& observe(entity_t event, Func&& func);
    template <detail::value_callback Func>
    entity& observe(Func&& func);

    // -- names. Null or "" removes the name.
    entity& set_name(text_view name) {
        detail::set_name(world_, id_, name);
        return *this;
    }
    entity& set_alias(text_view name) {
        detail::set_alias(world_, id_, name);
        return *this;
    }

    // -- texts for people, values of (doc::Description, Name) and so on; see <kith/doc.hpp>. Null
    // or
    // "" removes one.
    entity& set_doc_name(text_view text);
    entity& set_doc_brief(text_view text);
    entity& set_doc_detail(text_view text);
    entity& set_doc_link(text_view text);
    entity& set_doc_color(text_view text);

    // -- units of members, see <kith/units.hpp>. The symbol is composed of the others if it is
    // missing; the value is that in `base`, times factor to the power.
    entity& unit(const char* symbol, entity_t prefix = 0, entity_t base = 0, entity_t over = 0,
                 std::int32_t factor = 0, std::int32_t power = 0);
    entity& unit(entity_t prefix = 0, entity_t base = 0, entity_t over = 0, std::int32_t factor = 0,
                 std::int32_t power = 0);
    entity& unit_prefix(const char* symbol, std::int32_t factor = 0, std::int32_t power = 0);
    // The quantity of a unit; without argument, the entity is a quantity itself.
    entity& quantity();
    entity& quantity(entity_t of);
    template <class Q>
    entity& quantity();

    // -- scope and with: entities created by `func` become children, or get this entity as a tag or
    // as the target of a relationship.
    entity& scope(auto&& func);
    scoped_world scope() const;
    template <detail::callback Func>
    entity& with(Func&& func);
    template <class First, class Func>
    entity& with(Func&& func);
    entity& with(entity_t first, auto&& func);

private:
    entity& add_pair(entity_t first, detail::id_arg second, const char* call) {
        detail::checked_entity(id_, call);
        return add(detail::checked_pair(world_, first, second.in(world_), call));
    }
    void* own_value(id_t id, std::uint32_t type) const {
        return const_cast<void*>(detail::get_own_value(world_, id_, id, type));
    }
    void* own_pair_value(detail::id_arg first, detail::id_arg second, std::uint32_t type) const {
        return is_known(first) && is_known(second)
                   ? own_value(make_pair(first.in(world_), second.in(world_)), type)
                   : nullptr;
    }
    template <class T, class Func>
    bool modify_value(T* value, id_t id, Func& func) const;
    template <class E, class Func>
    bool modify_value(const enum_pointer<E>& value, id_t id, Func& func) const;
    template <class T>
    entity_t type_entity() const;
    entity& toggle(id_t id, bool enabled) {
        detail::enable_id(world_, id_, id, enabled);
        return *this;
    }
    entity& toggle(entity_t first, entity_t second, bool enabled) {
        return toggle(known_pair(first, second, enabled ? "enable" : "disable"), enabled);
    }
    // The pair of elements that have not ended, for a call of this name; throws otherwise.
    id_t known_pair(entity_t first, entity_t second, const char* call) const {
        const id_t pair = detail::asked_pair(world_, first, second);
        return pair ? pair : detail::checked_pair(world_, first, second, call);
    }
};

}  // namespace kith

// Entities hash and compare by id.
template <>
struct std::hash<kith::entity> {
    std::size_t operator()(const kith::entity& entity) const noexcept {
        return static_cast<std::size_t>(entity.id());
    }
};
