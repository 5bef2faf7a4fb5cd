// The world: the owner of all entities, components and tables.
//
//   kith::world world;
//   kith::entity ship = world.entity("Ship").set<Position>({0, 0}).add<Docked>();
//   world.each([](kith::entity e, Position& p) { p.x += 1; });
//   world.defer([&] { ship.destruct(); });  // deleted when the deferred part ends
//
// A world object that was constructed without a raw pointer owns its world; copies refer to it.
// Short bodies are here, longer ones in detail/world_inl.hpp; compiled functions are in
// src/core/api. Covered by tests/features/world/world_test.cpp.
#pragma once

#include <kith/component.hpp>
#include <kith/detail/time_ops.hpp>
#include <kith/entity.hpp>
#include <kith/entity_range.hpp>
#include <kith/relation.hpp>
#include <kith/traverse.hpp>

namespace kith {

// How large a world is. Bytes count what the world asked its memory for, by purpose.
struct world_stats {
    std::size_t entities;
    std::size_t tables;
    std::size_t empty_tables;
    std::size_t ids;  // distinct ids in use or used before
    std::size_t bytes_entities;
    std::size_t bytes_tables;
    std::size_t bytes_rows;
    std::size_t bytes_index;
    std::size_t bytes_sparse;
    std::size_t bytes_names;
    std::size_t bytes_commands;
    std::size_t bytes_total;
};

// The entities that bulk creation made; valid until the next structural change.
struct entity_span {
    const entity_t* first = nullptr;
    std::size_t count = 0;

    const entity_t* begin() const noexcept { return first; }
    const entity_t* end() const noexcept { return first + count; }
    std::size_t size() const noexcept { return count; }
    entity_t operator[](std::size_t index) const noexcept { return first[index]; }
};

// A world, or a reference to one. Operations on entities are functions of kith::entity.
class world {
public:
    world() : world_(detail::create_world(nullptr)), owned_(true) {}
    explicit world(int argc, char* argv[]) : world() {
        static_cast<void>(argc);
        static_cast<void>(argv);
    }
    explicit world(const world_memory& memory)
        : world_(detail::create_world(&memory)), owned_(true) {}
    // Refers to a world without owning it. An error if another copy of kith has made it.
    explicit world(world_t* raw) : world_(raw ? raw : &detail::no_world) {
        detail::check_types(world_);
    }
    // Copies refer to the same world; only the first owns it.
    world(const world& other) noexcept : world_(other.world_) {}
    world(world&& other) noexcept
        : world_(detail::exchange(other.world_, &detail::no_world)),
          owned_(detail::exchange(other.owned_, false)) {}
    world& operator=(const world& other) noexcept { return *this = world(other); }
    world& operator=(world&& other) noexcept {
        std::swap(world_, other.world_);
        std::swap(owned_, other.owned_);
        return *this;
    }
    ~world() {
        if (owned_) {
            detail::destroy_world(world_);
        }
    }

    operator world_t*() const noexcept { return world_; }
    // Null if this refers to no world, such as the world() of a null entity.
    world_t* c_ptr() const noexcept { return detail::is_world(world_) ? world_ : nullptr; }
    explicit operator bool() const noexcept { return detail::is_world(world_); }
    friend bool operator==(const world& a, std::nullptr_t) noexcept { return !a; }

    // Destroys all contents and starts anew. An error on a world that this object does not own.
    void reset();

    // -- entities
    kith::entity entity() const { return kith::entity(world_); }
    // Finds or creates by path, in the current scope.
    kith::entity entity(text_view name) const { return kith::entity(world_, name); }
    // Wraps an id and checks nothing.
    kith::entity entity(entity_t id) const noexcept { return kith::entity(world_, id); }
    template <detail::enum_class E>
    kith::entity entity(E value) const {
        return kith::entity(world_, detail::enum_entity(world_, value));
    }
    // The entity of type T.
    template <class T>
    kith::entity entity(text_view name = {}) const;
    // A new entity with these components, in one step.
    template <class First, class... Rest>
        requires(detail::new_value<First> && (detail::new_value<Rest> && ...))
    kith::entity entity(First&& first, Rest&&... rest)
    const;
    template <class... Args>
    kith::entity prefab(Args&&... args) const {
        return entity(std::forward<Args>(args)...).add(Prefab);
    }
    template <class T>
    kith::entity prefab(text_view name = {}) const {
        return entity<T>(name).add(Prefab);
    }
    // A prefab that holds a list of ids, for queries: AndFrom, OrFrom, NotFrom.
    kith::entity type(text_view name = {}) const { return prefab(name); }
    template <detail::enum_class E>
    kith::entity to_entity(E constant) const {
        return entity(constant);
    }
    // `count` entities whose values are copied from arrays.
    template <class... Ts>
    entity_span bulk(std::size_t count, const Ts*... columns) const;
    entity_span bulk(std::size_t count, const id_t* ids, std::size_t id_count,
                     const void* const* columns) const {
        return {detail::new_bulk(world_, count, ids, id_count, columns), count};
    }

    bool is_alive(entity_t e) const noexcept { return detail::is_alive(world_, e); }
    bool is_valid(entity_t e) const noexcept { return detail::is_valid(world_, e); }
    bool exists(entity_t e) const noexcept { return detail::exists(world_, e); }
    kith::entity get_alive(entity_t e) const noexcept {
        return kith::entity(world_, detail::get_alive(world_, e));
    }
    // Makes the entity with this index and generation alive.
    kith::entity make_alive(entity_t e) const {
        detail::make_alive(world_, e);
        return kith::entity(world_, e);
    }
    kith::entity ensure(entity_t e) const { return make_alive(e); }
    // New ids are taken from [first, last); a `last` of 0 is no limit, and 0 and 0 lift both.
    // Checked: with enable_range_check, changing an entity outside of the range is an error. Types
    // and builtin entities are in every range.
    void set_entity_range(entity_t first, entity_t last) const {
        detail::set_id_range(world_, index_of(first), index_of(last));
    }
    void enable_range_check(bool enabled = true) const { detail::check_id_range(world_, enabled); }

    // -- components and ids
    template <class T>
    kith::component<T> component(text_view name = {}, bool allow_tag = true, id_t id = 0) const {
        return kith::component<T>(world_, name, allow_tag, id);
    }
    untyped_component component(text_view name) const {
        return untyped_component(world_, kith::entity(world_, name));
    }
    untyped_component component(entity_t id) const noexcept {
        return untyped_component(world_, id);
    }
    // New types that are composed of others, for members of types declared at run time; see
    // <kith/reflect.hpp>.
    kith::entity array(entity_t type, std::int32_t size) const;
    kith::entity vector(entity_t type) const;
    kith::entity optional(entity_t type) const;
    kith::entity map(entity_t key, entity_t value) const;
    template <class... Types>
    kith::entity variant(const Types&... alternatives) const;
    template <class... Types>
    kith::entity tuple(const Types&... elements) const;
    template <class T>
    kith::entity array(std::int32_t size) const;
    template <class T>
    kith::entity vector() const;
    // Steps through a value; see <kith/meta.hpp>.
    kith::cursor cursor(entity_t type, void* value) const;
    template <class T>
    kith::cursor cursor(void* value) const;
    // A value with its description; descriptions of types; the text of a value. See
    // <kith/value.hpp>.
    value_view value(entity_t type, const void* value) const;
    template <class... Types>
    void reflect() const;
    kith::string to_expr(entity_t type, const void* value) const;
    template <class T>
    kith::string to_expr(const T* value) const;
    // Calls func(entity owner, id, const char* path, entity_t dead) for each handle inside of a
    // value whose entity is not alive; see <kith/reflect.hpp>.
    template <class Func>
    void dangling(Func&& func) const;
    // The null id.
    kith::id id() const noexcept { return kith::id(world_, id_t{0}); }
    template <class T>
    kith::id id() const;
    template <class First, class Second>
    kith::id id() const {
        return pair<First, Second>();
    }
    template <class First>
    kith::id id(entity_t second) const {
        return pair<First>(second);
    }
    kith::id id(id_t value) const noexcept { return kith::id(world_, value); }
    kith::id id(id_t first, id_t second) const { return kith::id(world_, first, second); }
    template <detail::enum_class E>
    kith::id id(E value) const {
        return kith::id(world_, detail::enum_entity(world_, value));
    }
    kith::id pair(entity_t first, entity_t second) const { return kith::id(world_, first, second); }
    template <class First>
    kith::id pair(entity_t second) const {
        return kith::id(world_, type_entity<First>(), second);
    }
    template <class First, class Second>
    kith::id pair() const {
        return kith::id(world_, type_entity<First>(), type_entity<Second>());
    }

    // -- relationships with their properties: of a type, by name, of an entity, new. See
    // relation.hpp.
    template <class R>
    kith::component<R> relation(const relation_desc& desc = {}) const;
    kith::entity relation(text_view name, const relation_desc& desc = {}) const;
    kith::entity relation(entity_t entity, const relation_desc& desc = {}) const;
    kith::entity relation(const relation_desc& desc = {}) const;

    // -- modules: types that set up a part of a world in their constructor M(world&). Entities that
    // the constructor creates become children of the module's entity.
    // Makes an M, once; keeps it if it has data: get<M>(). Returns the module's entity.
    template <class M>
    kith::entity import() const;
    // For the constructor: gives the module its path from the root. Elsewhere it makes M a module
    // and the current scope without an import.
    template <class M>
    kith::entity module(text_view name = {}) const {
        return kith::entity(world_,
                            detail::declare_module(world_, detail::ensure_type_id<M>(), name));
    }

    // -- JSON in the table form of Flecs, see <kith/json.hpp> for other forms. Values of described
    // types; all entities but builtin ones, modules and what is below them. Reading returns the end
    // of the text, and throws where it is refused: nothing has changed then.
    string to_json(entity_t type, const void* value) const {
        return detail::value_to_json(world_, type, value);
    }
    template <class T>
    string to_json(const T* value) const {
        return to_json(detail::id_of<T>(), value);
    }
    string to_json() const { return detail::world_to_table_json(world_); }
    const char* from_json(entity_t type, void* value, const char* text,
                          const from_json_desc_t* desc = nullptr) const {
        return detail::value_from_json(world_, type, value, text, desc);
    }
    template <class T>
    const char* from_json(T* value, const char* text,
                          const from_json_desc_t* desc = nullptr) const {
        return from_json(detail::id_of<T>(), value, text, desc);
    }
    const char* from_json(const char* text, const from_json_desc_t* desc = nullptr) const {
        return detail::world_from_table_json(world_, text, desc);
    }

    // -- names
    kith::entity lookup(text_view name, bool search_path = true) const {
        return lookup(name, "::", "::", search_path);
    }
    kith::entity lookup(text_view name, text_view separator, text_view root_separator,
                        bool search_path = true) const {
        return kith::entity(world_, detail::lookup_path(world_, detail::get_scope(world_), name,
                                                        separator, root_separator, search_path));
    }
    kith::entity set_scope(entity_t scope) const {
        return kith::entity(world_, detail::set_scope(world_, scope));
    }
    template <class T>
    kith::entity set_scope() const {
        return set_scope(type_entity<T>());
    }
    kith::entity get_scope() const { return kith::entity(world_, detail::get_scope(world_)); }
    // Scopes that lookup searches last, ended by 0; not copied. Returns the previous list.
    entity_t* set_lookup_path(const entity_t* path) const {
        return detail::set_lookup_path(world_, path);
    }
    template <class T>
    kith::entity use(text_view alias = {}) const;
    kith::entity use(text_view name, text_view alias = {}) const;
    void use(kith::entity e, text_view alias = {}) const;
    void scope(id_t parent, auto&& func) const;
    template <class T, class Func>
    void scope(Func&& func) const {
        scope(type_entity<T>(), func);
    }
    scoped_world scope(id_t parent) const;
    template <class T>
    scoped_world scope() const;
    scoped_world scope(text_view name) const;
    // Calls func(child) for every entity without a parent.
    template <class Func>
    void children(Func&& func) const {
        kith::entity(world_, entity_t{0}).children(std::forward<Func>(func));
    }

    source_range children() const { return kith::entity(world_, entity_t{0}).children(); }

    // -- new entities in `func` get an id
    void with(id_t id, auto&& func) const;
    void with(id_t first, id_t second, auto&& func) const {
        with(detail::checked_pair(world_, first, second, "with"), func);
    }
    template <class T, class Func>
    void with(Func&& func) const {
        detail::id_to_add<T>();
        with(id<T>(), func);
    }
    template <detail::enum_class E, class Func>
    void with(E constant, Func&& func) const {
        with(detail::constant_pair(world_, constant), func);
    }
    template <class First, class Func>
    void with(id_t second, Func&& func) const {
        with(pair<First>(second), func);
    }
    template <class First, class Second, class Func>
    void with(Func&& func) const {
        with(pair<First, Second>(), func);
    }

    // -- singletons: the component is on its own entity
    template <class T>
    kith::entity singleton() const {
        return kith::entity(world_, type_entity<T>());
    }
    template <class T>
        requires(detail::plain_value<std::remove_cvref_t<T>>)
    void set(T&& value) const { singleton<std::remove_cvref_t<T>>().set(std::forward<T>(value)); }
    template <class First, class Second>
    void set(const detail::value_of<kith::pair<First, Second>>& value) const {
        singleton<First>().template set<First, Second>(value);
    }
    template <class First>
    void set(entity_t second, const First& value) const {
        singleton<First>().template set<First>(second, value);
    }
    template <class First, detail::enum_class E>
    void set(E constant, const First& value) const {
        singleton<First>().template set<First>(constant, value);
    }
    template <detail::writing_callback Func>
    void set(Func&& func) const;
    template <class T, class... Args>
    void emplace(Args&&... args) const {
        singleton<T>().template emplace<T>(std::forward<Args>(args)...);
    }
    template <class First, class Second, class... Args>
    void emplace(Args&&... args) const {
        singleton<First>().template emplace<First, Second>(std::forward<Args>(args)...);
    }
    template <class T>
    const T* get() const {
        return singleton<T>().template get<T>();
    }
    template <class First, class Second>
    const detail::value_of<kith::pair<First, Second>>* get() const {
        return singleton<First>().template get<First, Second>();
    }
    template <class First>
    const First* get(entity_t second) const {
        return singleton<First>().template get<First>(second);
    }
    template <class First, detail::enum_class E>
    const First* get(E constant) const {
        return singleton<First>().template get<First>(constant);
    }
    template <detail::value_callback Func>
    bool get(Func&& func) const;
    template <class T>
    typename detail::access<T>::pointer get_mut() const {
        return singleton<T>().template get_mut<T>();
    }
    template <class First, class Second>
    detail::value_of<kith::pair<First, Second>>* get_mut() const {
        return singleton<First>().template get_mut<First, Second>();
    }
    template <class First>
    First* get_mut(entity_t second) const {
        return singleton<First>().template get_mut<First>(second);
    }
    template <class T>
    typename detail::access<T>::reference ensure() const {
        return *get_mut<T>();
    }
    template <class T>
    typename detail::access<T>::pointer try_get_mut() const {
        return singleton<T>().template try_get_mut<T>();
    }
    template <class T, class Func>
    bool modify(Func&& func) const {
        return singleton<T>().template modify<T>(func);
    }
    template <class T>
    void modified() const {
        singleton<T>().template modified<T>();
    }
    template <class First, class Second>
    void modified() const {
        singleton<First>().template modified<First, Second>();
    }
    template <class T>
    ref<T> get_ref() const {
        return singleton<T>().template get_ref<T>();
    }
    template <class First, class Second>
    ref<detail::value_of<kith::pair<First, Second>>> get_ref() const {
        return singleton<First>().template get_ref<First, Second>();
    }
    template <class First>
    ref<First> get_ref(entity_t second) const {
        return singleton<First>().template get_ref<First>(second);
    }
    template <class T>
    bool has() const {
        return singleton<T>().template has<T>();
    }
    template <class First, class Second>
    bool has() const {
        return singleton<First>().template has<First, Second>();
    }
    template <class First>
    bool has(id_t second) const {
        return singleton<First>().template has<First>(second);
    }
    template <class First, detail::enum_class E>
    bool has(E constant) const {
        return singleton<First>().template has<First>(constant);
    }
    bool has(id_t first, id_t second) const { return entity(first).has(first, second); }
    template <class T>
    void add() const {
        singleton<T>().template add<T>();
    }
    template <class First, class Second>
    void add() const {
        singleton<First>().template add<First, Second>();
    }
    template <class First>
    void add(entity_t second) const {
        singleton<First>().template add<First>(second);
    }
    template <class First, detail::enum_class E>
    void add(E constant) const {
        singleton<First>().template add<First>(constant);
    }
    void add(entity_t first, entity_t second) const { entity(first).add(first, second); }
    template <class T>
    void remove() const {
        singleton<T>().template remove<T>();
    }
    template <class First, class Second>
    void remove() const {
        singleton<First>().template remove<First, Second>();
    }
    template <class First>
    void remove(entity_t second) const {
        singleton<First>().template remove<First>(second);
    }
    template <class First, detail::enum_class E>
    void remove(E constant) const {
        singleton<First>().template remove<First>(constant);
    }
    void remove(entity_t first, entity_t second) const { entity(first).remove(first, second); }
    template <class First>
    kith::entity target(std::int32_t index = 0) const {
        return singleton<First>().template target<First>(index);
    }
    template <class T>
    kith::entity target(entity_t relation, std::int32_t index = 0) const {
        return singleton<T>().target(relation, index);
    }
    kith::entity target(entity_t relation, std::int32_t index = 0) const {
        return entity(relation).target(relation, index);
    }

    // -- everything with an id
    std::int32_t count(id_t id) const {
        return static_cast<std::int32_t>(detail::count_id(world_, id));
    }
    std::int32_t count(entity_t first, entity_t second) const {
        const id_t pair = detail::asked_pair(world_, first, second);
        return pair ? count(pair) : 0;
    }
    template <class T>
    std::int32_t count() const;
    template <class First, class Second>
    std::int32_t count() const {
        return count(pair<First, Second>());
    }
    template <class First>
    std::int32_t count(entity_t second) const {
        return count(type_entity<First>(), second);
    }
    template <detail::enum_class E>
    std::int32_t count(E value) const {
        return count(detail::constant_pair(world_, value));
    }
    template <class First, detail::enum_class E>
    std::int32_t count(E constant) const {
        return count<First>(detail::enum_entity(world_, constant));
    }
    void delete_with(id_t id) const { detail::delete_with(world_, id); }
    void delete_with(entity_t first, entity_t second) const {
        if (const id_t pair = detail::asked_pair(world_, first, second)) {
            delete_with(pair);
        }
    }
    template <class T>
    void delete_with() const {
        delete_with(pattern<T>());
    }
    template <detail::enum_class E>
    void delete_with(E constant) const {
        delete_with(detail::constant_pair(world_, constant));
    }
    template <class First, class Second>
    void delete_with() const {
        delete_with(pair<First, Second>());
    }
    template <class First>
    void delete_with(entity_t second) const {
        delete_with(pair<First>(second));
    }
    void remove_all(id_t id) const { detail::remove_all(world_, id); }
    void remove_all(entity_t first, entity_t second) const {
        if (const id_t pair = detail::asked_pair(world_, first, second)) {
            remove_all(pair);
        }
    }
    template <class T>
    void remove_all() const {
        remove_all(pattern<T>());
    }
    template <detail::enum_class E>
    void remove_all(E constant) const {
        remove_all(detail::constant_pair(world_, constant));
    }
    template <class First, class Second>
    void remove_all() const {
        remove_all(pair<First, Second>());
    }
    template <class First>
    void remove_all(entity_t second) const {
        remove_all(pair<First>(second));
    }
    // Every entity that has what the callback takes: each([](entity, A&, const B&, C*) {…}). As the
    // query of these types would, see query.hpp; each<A, const B>(func) names them. The tables
    // being visited are locked.
    template <class Func>
    void each(Func&& func) const;
    template <class T, class... Ts, class Func>
    void each(Func&& func) const;
    // Everything that has an id itself: each<T>(func(entity)), each(id, func(entity)).
    void each(id_t id, auto&& func) const;
    void each(entity_t first, entity_t second, auto&& func) const {
        if (const id_t pair = detail::asked_pair(world_, first, second)) {
            each(pair, func);
        }
    }

    // -- queries, see query.hpp. With template arguments, `name` is that of the query's entity.
    template <class... Ts>
    kith::filter_builder<Ts...> filter_builder(text_view name = {}) const;
    template <class... Ts>
    kith::query_builder<Ts...> query_builder(text_view name = {}) const;
    template <class... Ts>
    kith::rule_builder<Ts...> rule_builder(text_view name = {}) const;
    template <class... Ts>
    kith::filter<Ts...> filter() const;
    template <class... Ts>
    kith::query<Ts...> query() const;
    template <class... Ts>
    kith::rule<Ts...> rule() const;
    template <class... Ts>
    kith::filter<Ts...> filter(text_view name) const;
    template <class... Ts>
    kith::query<Ts...> query(text_view name) const;
    template <class... Ts>
    kith::rule<Ts...> rule(text_view name) const;
    kith::filter<> filter(const query_desc& desc) const;
    kith::query<> query(const query_desc& desc) const;
    // Text that the compiler reads: query<"Position, [in] Velocity">(). See query_literal.hpp.
    template <literal Text>
    auto filter() const;
    template <literal Text>
    auto query() const;
    // A term by itself, for builder.term(std::move(t)).
    template <class T>
    kith::term term() const;
    template <class First, class Second>
    kith::term term() const;
    template <class... Args>
        requires(sizeof...(Args) > 0)
    kith::term term(Args... args)
    const;

    // -- observers, see observer.hpp: what is called when something happens to entities that match.
    template <class... Ts>
    kith::observer_builder<Ts...> observer(text_view name = {}) const;
    // The entity of an observer.
    kith::observer observer(kith::entity e) const;
    // -- timers, see timer.hpp: entities that tick. Arguments as of entity().
    template <class... Args>
    kith::timer timer(Args&&... args) const;
    template <class T>
    kith::timer timer() const;
    // Timers, those that exist and later ones, start at random between 0 and their interval.
    void randomize_timers() const { detail::randomize_timers(world_); }
    // Of the generator of these times; 0 in the beginning.
    void set_seed(std::uint64_t seed) const { detail::set_seed(world_, seed); }

    // -- threads: how long frames take, never what comes out.
    // `count` threads in all, the caller of progress() included. Inside of a frame, the number
    // counts from its end on. An error if negative, or if there are no more threads to be had.
    void set_threads(std::int32_t count) const { detail::set_threads(world_, count, false); }
    std::int32_t get_threads() const { return detail::get_threads(world_); }
    // The same, with threads that need not exist between frames.
    void set_task_threads(std::int32_t count) const { detail::set_threads(world_, count, true); }
    bool using_task_threads() const { return detail::using_task_threads(world_); }
    // The threads are those of the program, see executor.hpp. 0 threads: all that the executor has.
    void set_executor(const executor& used, std::int32_t threads = 0) const {
        detail::set_executor(world_, &used, threads);
    }
    void set_executor(std::nullptr_t) const { detail::set_executor(world_, nullptr, 0); }
    // Systems whose callback has no state and takes values only run at the same time as others.
    void set_parallel(bool on = true) const { detail::set_parallel(world_, on); }
    // In builds with KITH_ASSERTS, access of parallel and split systems that they do not declare is
    // an error, unless it is off.
    void check_access(bool on) const { detail::check_access(world_, on); }

    // -- time. Numbers that are negative or not finite are errors.
    // The time that systems see runs at this rate; 0 stops it.
    void set_time_scale(ftime_t scale) const { detail::set_time_scale(world_, scale); }
    // Frames wait until they are due; 0: they do not.
    void set_target_fps(ftime_t rate) const { detail::set_target_fps(world_, rate); }
    // Sets the total times to 0.
    void reset_clock() const { detail::reset_clock(world_); }
    // Seconds of the current frame, scaled.
    ftime_t delta_time() const { return detail::delta_time(world_); }
    // A frame by hand, without systems: time and counts. 0 seconds: measured. Returns the scaled
    // seconds. An error in another order.
    ftime_t frame_begin(ftime_t seconds = 0) const { return detail::frame_begin(world_, seconds); }
    void frame_end() const { detail::frame_end(world_); }
    // While the world is paused, time stands still and frames run PreFrame and PostFrame only.
    void pause() const { detail::pause(world_, true); }
    void resume() const { detail::pause(world_, false); }
    bool is_paused() const { return detail::is_paused(world_); }
    // The next frames run although the world is paused.
    void step_frames(std::int32_t frames) const { detail::step_frames(world_, frames); }

    // -- looking into frames. Times are taken while these are on.
    void measure_frame_time(bool on) const { detail::measure_frame_time(world_, on); }
    void measure_system_time(bool on) const { detail::measure_system_time(world_, on); }
    // See statistics.hpp.
    kith::frame_stats frame_stats() const;
    // Records the last `events` events of frames, until trace_stop(). An error if there is room for
    // none.
    void trace_start(std::size_t events = 65536) const { detail::trace_start(world_, events); }
    void trace_stop() const { detail::trace_stop(world_); }
    // The recorded events as a file for Perfetto or Chrome.
    string trace_json() const { return detail::trace_json(world_); }
    // While stepping, progress() runs up to the next system with a breakpoint and stops in front of
    // it; the next call goes on. There is a sync point behind each system. Inside of a frame it
    // counts from its end on.
    void stepping(bool on) const { detail::set_stepping(world_, on); }
    // The next progress() runs one system. An error while not stepping.
    void step() const { detail::step_system(world_, "step()"); }
    // Completes the frame that has stopped. An error while not stepping.
    void step_to_end() const { detail::step_to_end(world_); }
    // The system that progress() stopped in front of; null: the frame is complete.
    kith::system stopped_at() const;

    // -- the loop, see app.hpp
    app_builder app();
    // Ends the loop behind the current frame. Any thread may call it.
    void quit() const { detail::quit(world_); }
    bool should_quit() const { return detail::should_quit(world_); }
    // Called when the world ends, the last one first.
    void atfini(void (*function)(world_t* world, void* context), void* context) const {
        detail::at_fini(world_, function, context);
    }
    // Counters and times, see world_info.hpp; valid until the world ends.
    const world_info_t* get_info() const { return detail::get_info(world_); }

    // -- systems, see system.hpp: queries with a callback, which frames run.
    // The name is a path; an existing system of this name is replaced.
    template <class... Ts>
    kith::system_builder<Ts...> system(text_view name = {}) const;
    // The entity of a system.
    kith::system system(kith::entity e) const;

    // -- pipelines and frames, see pipeline.hpp
    kith::pipeline_builder<> pipeline() const;
    // The pipeline is the entity of the type P.
    template <class P>
    kith::pipeline_builder<> pipeline() const;
    // From text, such as "System, Physics".
    kith::pipeline<> pipeline(text_view terms) const;
    kith::pipeline<> pipeline(kith::entity e) const;
    // The pipeline that progress() runs.
    void set_pipeline(entity_t pipeline) const;
    template <class P>
    void set_pipeline() const;
    kith::entity get_pipeline() const;
    // Runs one frame; 0 seconds: measured. False after quit().
    bool progress(ftime_t delta_time = 0) const;
    // The same with a step that is exact.
    bool progress(nanoseconds delta_time) const;
    // A phase, see phase.hpp; the second of an entity.
    kith::phase phase(text_view name = {}) const;
    kith::phase phase(entity_t existing) const;
    // Runs the systems of a pipeline without a frame around them; 0: those of the current one.
    void run_pipeline(entity_t pipeline, float delta_time = 0) const;
    template <class P>
    void run_pipeline(float delta_time = 0) const;
    // The first failure of a system.
    failure last_failure() const;
    // The order of a pipeline, see schedule.hpp.
    kith::schedule schedule() const;
    kith::schedule schedule(entity_t pipeline) const;
    // Reports commands that a later system should have seen; see schedule::missing().
    void watch_schedule(bool watched = true) const;
    // -- events of one's own, see event.hpp
    kith::event_builder event(entity_t event) const;
    template <class E>
    kith::event_builder_typed<E> event() const;
    // Emits an event about no entity; entity_view::emit describes the forms.
    void emit(kith::entity event) const;
    template <class E>
    void emit() const;
    template <class E>
        requires(!std::is_convertible_v<E, entity_t>)
    void emit(const E& payload) const;
    void enqueue(kith::entity event) const;
    template <class E>
    void enqueue() const;
    template <class E>
        requires(!std::is_convertible_v<E, entity_t>)
    void enqueue(E&& payload) const;

    // -- deferring
    bool defer_begin() const { return detail::defer_begin(world_); }
    bool defer_end() const { return detail::defer_end(world_); }
    void defer_suspend() const { detail::defer_suspend(world_); }
    void defer_resume() const { detail::defer_resume(world_); }
    bool is_deferred() const noexcept { return detail::is_deferred(world_); }
    void defer(auto&& func) const;

    // -- stages: queues with a scope of their own, for one thread each. Stage 0 is the world itself
    kith::world get_stage(std::int32_t index) const;
    void set_stage_count(std::int32_t count) const;
    std::int32_t get_stage_count() const;
    // -1 for an asynchronous stage.
    std::int32_t get_stage_id() const;
    bool is_stage() const;
    // The world of a stage, not owned.
    kith::world get_world() const;
    // Between begin and end, threads may read the world and queue changes, each through a stage of
    // its own. The outermost end makes the changes, stage by stage. The result of readonly_begin()
    // tells whether the world was read-only before.
    bool readonly_begin() const;
    void readonly_end() const;
    bool is_readonly() const;
    // Makes the changes that wait: of a stage, or of all stages of the world.
    void merge() const;
    // Whether readonly_end() makes the changes of this stage.
    void set_automerge(bool automerge) const;
    // Makes a stage that queues changes at any time, for one thread; merge() of the stage runs the
    // changes. The result owns the stage.
    kith::world async_stage() const;
    // Calls the function when the frame is over; at once if no frame runs.
    void run_post_frame(void (*action)(world_t* world, void* context), void* context) const;

    // -- user pointers
    void set_ctx(void* context, ctx_free_t free_context = nullptr) const;
    void* get_ctx() const;
    void set_binding_ctx(void* context, ctx_free_t free_context = nullptr) const;
    void* get_binding_ctx() const;

    // An empty snapshot of this world: world.snapshot().take(). Needs <kith/snapshot.hpp>.
    template <class... Args>
    kith::snapshot snapshot(Args&&... args) const;

    // -- care
    // Deletes empty tables and gives memory back that nothing needs.
    void shrink() const;
    // Walks all storage and throws kith::error if anything contradicts; for tests and bug hunting.
    void check() const;
    world_stats stats() const;
    // A number over the whole world: entities, ids, tables, order of rows, values (as bytes, for
    // types that can be copied as bytes). For tests that compare worlds.
    std::uint64_t hash() const;

protected:
    // The id that a query for T matches: any constant of an enum.
    template <class T>
    id_t pattern() const {
        if constexpr (detail::is_enum_type<T>) {
            return detail::pattern_of<T>(world_);
        } else {
            return id<T>();
        }
    }
    kith::entity compose(char form, const entity_t* types, std::size_t count,
                         std::int32_t size) const;
    template <class T>
    entity_t type_entity() const {
        if constexpr (std::is_enum_v<T>) {
            return detail::enum_entity<T>(world_);
        } else {
            return detail::ensure_component(world_, detail::ensure_type_id<T>());
        }
    }

    world_t* world_ = &detail::no_world;
    friend class app_builder;  // takes the world over
    bool owned_ = false;
};

// A world whose scope is set while this object lives.
class scoped_world : public world {
public:
    explicit scoped_world(world_t* raw, entity_t scope)
        : kith::world(raw), previous_(detail::open_scope(raw, scope)) {}
    scoped_world(const scoped_world& other)
        : kith::world(other.world_),
          previous_(detail::open_scope(world_, detail::get_scope(world_))) {}
    scoped_world& operator=(const scoped_world&) = delete;
    ~scoped_world() { detail::close_scope(world_, previous_); }

private:
    entity_t previous_;
};

}  // namespace kith

#include <kith/detail/entity_inl.hpp>
#include <kith/detail/graph_inl.hpp>
#include <kith/detail/world_inl.hpp>
