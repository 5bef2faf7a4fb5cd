// The chapter "components, hooks, enums" of kith.h.
//
// A type with functions has a `c_type`, to which type_info::context points: the functions that core
// calls find the functions of C there. A type of the process lives as long as the process, one of
// a world as long as its component.
#include "components.hpp"

#include <kith/detail/component_ops.hpp>
#include <kith/detail/mutex.hpp>

#include "ids.hpp"
#include "iterators.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <string>

namespace kith::capi {

namespace {

struct contexts;
// The hooks that C has set, by store and component.
struct hook_list {
    detail::mutex mutex;
    std::map<std::pair<const void*, entity_t>, const contexts*> hooks;
};
hook_list& hooks_of_worlds() {
    static hook_list& instance = *new hook_list;
    return instance;
}

// The pointers of the program that functions of a component get, and the hooks that share them.
struct contexts {
    owned_context ctx;
    owned_context binding;
    const void* store = nullptr;  // key in the list of hooks; null: not in the list
    entity_t component = 0;
    kith_type_hooks_t hooks{};

    contexts() = default;
    contexts(const contexts&) = delete;
    contexts& operator=(const contexts&) = delete;
    // Others may have been set since.
    ~contexts() {
        if (store) {
            hook_list& all = hooks_of_worlds();
            detail::lock_guard lock(all.mutex);
            const auto found = all.hooks.find({store, component});
            if (found != all.hooks.end() && found->second == this) {
                all.hooks.erase(found);
            }
        }
    }
};

// The functions of C behind a type. `hooks` has the functions, `info` is the argument that they
// get. Components of one world may have their own c_type for a type of the process.
struct c_type {
    kith_type_hooks_t hooks{};
    kith_type_info_t info{};
    std::string name;
    std::shared_ptr<contexts> kept;
    bool is_held = true;  // by the call that makes it
};

const c_type& c_type_of(const type_info& type) noexcept {
    return *static_cast<const c_type*>(type.context);
}

// -- the functions that core calls

void zero_or_construct(void* value, const c_type& type) {
    if (type.hooks.ctor) {
        call_back(type.hooks.ctor, value, std::int32_t{1}, &type.info);
    } else {
        std::memset(value, 0, type.info.size);
    }
}
void construct(void* value, const type_info& type) {
    zero_or_construct(value, c_type_of(type));
}
void destroy(void* value, const type_info& type) noexcept {
    const c_type& mine = c_type_of(type);
    callback_frame ignored;  // a destructor cannot fail
    mine.hooks.dtor(value, 1, &mine.info);
}
// Destroys a value that was made, if the step after it fails.
class made_value {
public:
    made_value(void* value, const type_info& type) noexcept : value_(value), type_(type) {}
    made_value(const made_value&) = delete;
    made_value& operator=(const made_value&) = delete;
    ~made_value() {
        if (value_ && type_.destroy) {
            type_.destroy(value_, type_);
        }
    }
    void keep() noexcept { value_ = nullptr; }

private:
    void* value_;
    const type_info& type_;
};
void copy_construct(void* value, const void* from, const type_info& type) {
    const c_type& mine = c_type_of(type);
    if (mine.hooks.copy_ctor) {
        call_back(mine.hooks.copy_ctor, value, from, std::int32_t{1}, &mine.info);
        return;
    }
    zero_or_construct(value, mine);
    made_value made(value, type);
    call_back(mine.hooks.copy, value, from, std::int32_t{1}, &mine.info);
    made.keep();
}
void copy_assign(void* value, const void* from, const type_info& type) {
    const c_type& mine = c_type_of(type);
    call_back(mine.hooks.copy, value, from, std::int32_t{1}, &mine.info);
}
// A constructor that may fail, where failing is not possible: zero bytes take its place.
void construct_again(void* value, const c_type& type) noexcept {
    std::memset(value, 0, type.info.size);
    if (type.hooks.ctor) {
        callback_frame ignored;
        type.hooks.ctor(value, 1, &type.info);
    }
}
void move_construct(void* value, void* from, const type_info& type) noexcept {
    const c_type& mine = c_type_of(type);
    callback_frame ignored;  // a move cannot fail
    if (mine.hooks.move_ctor) {
        mine.hooks.move_ctor(value, from, 1, &mine.info);
    } else if (mine.hooks.move) {
        construct_again(value, mine);
        mine.hooks.move(value, from, 1, &mine.info);
    } else {
        // The bytes change their owner, and the old value becomes an empty one.
        std::memcpy(value, from, mine.info.size);
        construct_again(from, mine);
    }
}
void move_assign(void* value, void* from, const type_info& type) noexcept {
    const c_type& mine = c_type_of(type);
    callback_frame ignored;
    mine.hooks.move(value, from, 1, &mine.info);
}

bool has_functions(const kith_type_hooks_t& hooks) noexcept {
    return hooks.ctor || hooks.dtor || hooks.copy_ctor || hooks.copy || hooks.move_ctor ||
           hooks.move;
}
bool has_same_functions(const kith_type_hooks_t& a, const kith_type_hooks_t& b) noexcept {
    return a.ctor == b.ctor && a.dtor == b.dtor && a.copy_ctor == b.copy_ctor && a.copy == b.copy &&
           a.move_ctor == b.move_ctor && a.move == b.move;
}

// The type as core sees it; `functions` is null for plain bytes.
type_info make_info(const kith_component_desc_t& desc, c_type* functions) noexcept {
    type_info info;
    info.name = desc.name;
    info.size = static_cast<std::uint32_t>(desc.size);
    info.alignment = static_cast<std::uint32_t>(desc.alignment);
    const kith_type_hooks_t none{};
    const kith_type_hooks_t& hooks = functions ? functions->hooks : none;
    info.zero_construct = !hooks.ctor;
    info.trivial_destroy = !hooks.dtor;
    info.trivial_move = !hooks.move && !hooks.move_ctor;
    info.trivial_copy = !hooks.copy && !hooks.copy_ctor && !hooks.dtor;
    info.construct = hooks.ctor ? construct : nullptr;
    info.destroy = hooks.dtor ? destroy : nullptr;
    info.copy_construct = hooks.copy || hooks.copy_ctor ? copy_construct : nullptr;
    info.copy_assign = hooks.copy ? copy_assign : nullptr;
    info.move_construct = functions ? move_construct : nullptr;
    info.move_assign = hooks.move ? move_assign : nullptr;
    info.context = functions;
    return info;
}

// -- types of the process

// A type of the process. Name, size and alignment together identify it.
struct registered_type {
    std::uint32_t id;
    c_type* functions;  // null: plain bytes
    std::string name;
    std::size_t size;
    std::size_t alignment;
};
// An enum of the process. Names lie in a deque, because the constants refer to their texts.
struct enum_type {
    std::uint32_t id;
    detail::enum_desc desc;
    std::deque<std::string> names;
    std::vector<detail::enum_constant> constants;
};
// The types that C has registered. Never destroyed: worlds of static objects may use them.
struct type_list {
    detail::mutex mutex;
    std::deque<registered_type> types;
    std::deque<enum_type> enums;
};
type_list& list() {
    static type_list& instance = *new type_list;
    return instance;
}

// Throws for descriptions that no world could use. Core checks sizes below the limit here.
void check_type(const kith_component_desc_t& desc, const char* function) {
    if (!desc.name || !*desc.name) {
        raise_argument(function, "the name is missing");
    }
    if (desc.size > 0x7FFFFFFF || desc.alignment > 0x7FFFFFFF) {
        detail::raise_error(errc::invalid_type, "the size of a component must be at most 16 MiB");
    }
    if (desc.size == 0 && has_functions(desc.hooks)) {
        detail::raise_error(errc::invalid_type,
                            "a component without size has no values to call functions for");
    }
}

[[noreturn]] void raise_conflict(const char* name, const char* why) {
    const kith::string message = kith::string(text_view("the type "), text_view(name)) + why;
    detail::raise_error(errc::type_conflict, message.c_str());
}

// The c_type shares the contexts with the hooks of the component: the last one of them frees these.
std::unique_ptr<c_type> make_functions(const kith_component_desc_t& desc,
                                       const std::shared_ptr<contexts>& kept) {
    auto made = std::make_unique<c_type>();
    made->hooks = desc.hooks;
    made->name = desc.name ? desc.name : "";
    made->kept = kept;
    made->info.size = static_cast<std::uint32_t>(desc.size);
    made->info.alignment = static_cast<std::uint32_t>(desc.alignment);
    made->info.name = made->name.c_str();
    made->info.ctx = desc.hooks.ctx;
    return made;
}

std::uint32_t register_in_process(const type_info& info) {
    const detail::type_desc described{info.name, nullptr, nullptr, info};
    return detail::register_type(described);
}

// The id of a type of the process. A registered type keeps its functions: a description with other
// functions is a conflict, a description without functions is served by the registered ones.
std::uint32_t ensure_type(const kith_component_desc_t& desc, const std::shared_ptr<contexts>& kept,
                          const char* function) {
    check_type(desc, function);
    type_list& all = list();
    detail::lock_guard lock(all.mutex);
    for (const registered_type& type : all.types) {
        if (type.name == desc.name && type.size == desc.size && type.alignment == desc.alignment) {
            if (has_functions(desc.hooks) &&
                (!type.functions || !has_same_functions(type.functions->hooks, desc.hooks))) {
                raise_conflict(desc.name,
                               " is registered already, and its values are handled by other "
                               "functions");
            }
            return type.id;
        }
    }
    std::unique_ptr<c_type> functions =
        has_functions(desc.hooks) ? make_functions(desc, kept) : nullptr;
    registered_type& added =
        all.types.emplace_back(registered_type{0, nullptr, desc.name, desc.size, desc.alignment});
    struct undo {
        std::deque<registered_type>* types;
        ~undo() {
            if (types) {
                types->pop_back();
            }
        }
    } discard{&all.types};
    added.id = register_in_process(make_info(desc, functions.get()));
    if (functions) {
        functions->info.component = added.id;
        functions->info.name = added.name.c_str();
        functions->is_held = false;
    }
    added.functions = functions.release();
    discard.types = nullptr;
    return added.id;
}

// -- hooks of a component in a world

// One hook of a component, owned by the world. `size` is that of a value, in bytes.
struct hook_function {
    kith_iter_action_t call;
    std::shared_ptr<contexts> kept;
    std::size_t size;
};

// A hook gets an iterator with one entity and one field. The field has no stride if the id has no
// value.
void call_hook(const hook_event& event, void* context) {
    const auto& mine = *static_cast<hook_function*>(context);
    kith_field_t field{};
    field.ptr = event.value;
    field.id = event.id;
    field.stride = event.value ? static_cast<std::uint32_t>(mine.size) : 0;
    field.flags = KITH_FIELD_SET;
    kith_iter_t it{};
    it.world = event.world;
    it.entities = &event.entity;
    it.count = 1;
    it.fields = &field;
    it.field_count = 1;
    it.event = event.event;
    it.event_id = event.id;
    it.ctx = mine.kept->ctx.get();
    it.binding_ctx = mine.kept->binding.get();
    it.reserved[3] = is_callback;
    call_back(mine.call, &it);
}

// Without an action, a hook that was set before is removed.
void set_hook(world_t* world, entity_t component, entity_t event, kith_iter_action_t action,
              const std::shared_ptr<contexts>& kept) {
    hook made;
    if (action) {
        const type_info* type = detail::type_of(world, component);
        made.context = new hook_function{action, kept, type ? type->size : std::size_t{0}};
        made.call = call_hook;
        made.free_context = [](void* function) noexcept {
            delete static_cast<hook_function*>(function);
        };
    }
    detail::set_hook(world, component, event, made);
}
bool has_hooks(const kith_type_hooks_t& hooks) noexcept {
    return hooks.on_add || hooks.on_set || hooks.on_remove;
}
// Replaces all three hooks. The list is for kith_get_hooks(), since core does not show contexts.
void set_hooks(world_t* world, entity_t component, const kith_type_hooks_t& hooks,
               const std::shared_ptr<contexts>& kept) {
    set_hook(world, component, OnAdd, hooks.on_add, kept);
    set_hook(world, component, OnSet, hooks.on_set, kept);
    set_hook(world, component, OnRemove, hooks.on_remove, kept);
    hook_list& all = hooks_of_worlds();
    detail::lock_guard lock(all.mutex);
    if (!has_hooks(hooks)) {
        all.hooks.erase({world->store, component});
        return;
    }
    all.hooks[{world->store, component}] = kept.get();
    kept->store = world->store;
    kept->component = component;
    kept->hooks = hooks;
}

// The contexts of hooks, owned from here on.
std::shared_ptr<contexts> take_contexts(const kith_type_hooks_t& hooks) {
    owned_context ctx(hooks.ctx, hooks.ctx_free);
    owned_context binding(hooks.binding_ctx, hooks.binding_ctx_free);
    auto kept = std::make_shared<contexts>();
    kept->ctx = std::move(ctx);
    kept->binding = std::move(binding);
    return kept;
}

// -- components of one world

void free_functions(void* context) noexcept {
    auto* functions = static_cast<c_type*>(context);
    if (functions->is_held) {
        functions->is_held = false;  // the definition failed: its call frees them
    } else {
        delete functions;
    }
}

// Makes an entity a component of this world.
void define_local(world_t* world, entity_t entity, const kith_component_desc_t& desc,
                  const std::shared_ptr<contexts>& kept) {
    std::unique_ptr<c_type> functions =
        has_functions(desc.hooks) ? make_functions(desc, kept) : nullptr;
    if (functions) {
        functions->info.component = entity;
    }
    type_info info = make_info(desc, functions.get());
    info.free_context = functions ? free_functions : nullptr;
    detail::define_component(world, entity, info);
    if (!functions) {
        return;
    }
    const type_info* defined = detail::type_of(world, entity);
    if (defined && defined->context == functions.get()) {
        functions.release()->is_held = false;
    } else if (!defined || defined->free_context != free_functions ||
               !has_same_functions(c_type_of(*defined).hooks, desc.hooks)) {
        raise_conflict(desc.name, " is a component already, with other functions");
    }
}

// True if C has registered the type, in the process or in this world.
bool is_type_of_c(const type_info& type, entity_t component) {
    if (type.context) {
        return type.move_construct == move_construct;
    }
    type_list& all = list();
    detail::lock_guard lock(all.mutex);
    return index_of(component) >= first_entity ||
           std::any_of(all.types.begin(), all.types.end(),
                       [&](const registered_type& one) { return one.id == component; });
}

// Gives a component of this world the functions of a description.
void set_functions(world_t* world, entity_t component, const kith_type_hooks_t& hooks,
                   const std::shared_ptr<contexts>& kept) {
    const type_info* type = detail::type_of(world, component);
    if (!type || !is_type_of_c(*type, component)) {
        detail::raise_error(errc::type_conflict,
                            "the component is no type of C, which has given its functions");
    }
    if (type->context && has_same_functions(c_type_of(*type).hooks, hooks)) {
        return;
    }
    kith_component_desc_t desc{};
    desc.name = type->name;
    desc.size = type->size;
    desc.alignment = type->alignment;
    desc.hooks = hooks;
    std::unique_ptr<c_type> functions = make_functions(desc, kept);
    functions->info.component = component;
    type_info info = make_info(desc, functions.get());
    info.free_context = free_functions;
    detail::redefine_component(world, component, info);
    functions.release()->is_held = false;
}

// An entity that this call has made is deleted again if the definition fails.
entity_t init_local(world_t* world, const kith_component_desc_t& desc,
                    const std::shared_ptr<contexts>& kept) {
    if (desc.entity == 0) {
        check_type(desc, "kith_component_init");
    }
    entity_t entity = desc.entity;
    bool made = false;
    if (entity == 0) {
        const entity_t scope = detail::get_scope(world);
        entity = detail::lookup_path(world, scope, text_of(desc.name), "::", "::", false);
        made = entity == 0;
        if (made) {
            entity = detail::ensure_path(world, scope, text_of(desc.name), "::", "::");
        }
    }
    struct undo {
        world_t* world;
        entity_t entity;
        ~undo() {
            if (entity) {
                static_cast<void>(guard([&] { detail::delete_entity(world, entity); }));
            }
        }
    } discard{world, made ? entity : 0};
    kith_component_desc_t named = desc;
    named.name = desc.name ? desc.name : detail::name_of(world, entity, Name).c_str();
    define_local(world, entity, named, kept);
    if (has_hooks(desc.hooks)) {
        set_hooks(world, entity, desc.hooks, kept);
    }
    discard.entity = 0;
    return entity;
}

// The contexts are taken over first, so that they are freed whatever fails.
entity_t init_component(world_t* world, const kith_component_desc_t& desc) {
    const std::shared_ptr<contexts> kept = take_contexts(desc.hooks);
    check_world(world);
    if (flag(desc.local)) {
        return init_local(world, desc, kept);
    }
    const std::uint32_t type = ensure_type(desc, kept, "kith_component_init");
    detail::check_type_id(type, desc.entity);
    const entity_t scope = detail::get_scope(world);
    const entity_t component =
        scope ? detail::declare_component(world, type, {}) : detail::ensure_component(world, type);
    if (has_hooks(desc.hooks)) {
        set_hooks(world, component, desc.hooks, kept);
    }
    return component;
}

// -- enums

template <class Number>
void store_number(void* value, std::int64_t constant) {
    const auto number = static_cast<Number>(constant);
    std::memcpy(value, &number, sizeof number);
}
using store_function = void (*)(void* value, std::int64_t constant);
store_function store_of(std::size_t size) noexcept {
    return size == 1   ? store_number<std::int8_t>
           : size == 2 ? store_number<std::int16_t>
           : size == 4 ? store_number<std::int32_t>
           : size == 8 ? store_number<std::int64_t>
                       : nullptr;
}

// The bits of a constant in a value of this size.
std::uint64_t stored_bits(std::int64_t constant, std::size_t size) noexcept {
    const auto bits = static_cast<std::uint64_t>(constant);
    return size == 8 ? bits : bits & ((std::uint64_t{1} << (8 * size)) - 1);
}
// True if the constant is a signed or an unsigned number of this size.
bool fits(std::int64_t constant, std::size_t size) noexcept {
    if (size == 8) {
        return true;
    }
    const std::int64_t half = std::int64_t{1} << (8 * size - 1);
    return constant >= -half && constant < 2 * half;
}

// Throws for constants without names, for equal names or values, for values that do not fit, and
// for sizes that no integer has.
void check_enum(const kith_enum_desc_t& desc, std::size_t size) {
    if (!desc.name || !*desc.name) {
        raise_argument("kith_enum_init", "the name is missing");
    }
    check_count(desc.count, desc.constants, "kith_enum_init");
    if (!store_of(size)) {
        detail::raise_error(errc::invalid_type,
                            "the values of an enum have 1, 2, 4 or 8 bytes: set `size`");
    }
    for (std::int32_t i = 0; i < desc.count; ++i) {
        if (!desc.constants[i].name || !*desc.constants[i].name) {
            raise_argument("kith_enum_init", "a constant has no name");
        }
        if (!fits(desc.constants[i].value, size)) {
            detail::raise_error(errc::invalid_type,
                                "the value of a constant needs more bytes: set `size`");
        }
        for (std::int32_t j = 0; j < i; ++j) {
            if (stored_bits(desc.constants[i].value, size) ==
                stored_bits(desc.constants[j].value, size)) {
                raise_argument("kith_enum_init", "two constants have the same value");
            }
            if (std::strcmp(desc.constants[i].name, desc.constants[j].name) == 0) {
                raise_argument("kith_enum_init", "two constants have the same name");
            }
        }
    }
}

bool has_same_constants(const enum_type& known, const kith_enum_desc_t& desc) {
    return static_cast<std::size_t>(desc.count) == known.constants.size() &&
           std::all_of(desc.constants, desc.constants + desc.count,
                       [&](const kith_enum_constant_t& one) {
                           return std::any_of(known.constants.begin(), known.constants.end(),
                                              [&](const detail::enum_constant& other) {
                                                  return other.value == one.value &&
                                                         other.name == text_view(one.name);
                                              });
                       });
}

// The enum of the process with this name; its constants are those of the first description.
const enum_type& ensure_enum_type(const kith_enum_desc_t& desc) {
    const std::size_t size = desc.size == 0 ? 4 : desc.size;
    check_enum(desc, size);
    type_info info;
    info.name = desc.name;
    info.size = info.alignment = static_cast<std::uint32_t>(size);
    info.zero_construct = info.trivial_copy = info.trivial_move = info.trivial_destroy = true;
    info.is_enum = true;
    type_list& all = list();
    detail::lock_guard lock(all.mutex);
    const std::uint32_t id = register_in_process(info);
    for (const enum_type& known : all.enums) {
        if (known.id == id) {
            if (!has_same_constants(known, desc)) {
                raise_conflict(desc.name, " is registered already, with other constants");
            }
            return known;
        }
    }
    enum_type added{id, {}, {}, {}};
    added.constants.reserve(static_cast<std::size_t>(desc.count));
    std::vector<const kith_enum_constant_t*> sorted;
    for (std::int32_t i = 0; i < desc.count; ++i) {
        sorted.push_back(&desc.constants[i]);
    }
    std::sort(sorted.begin(), sorted.end(),
              [](const auto* a, const auto* b) { return a->value < b->value; });
    for (const kith_enum_constant_t* constant : sorted) {
        const std::string& name = added.names.emplace_back(constant->name);
        added.constants.push_back({constant->value, text_view(name)});
    }
    enum_type& kept = all.enums.emplace_back(std::move(added));
    kept.desc = {kept.constants.data(), kept.constants.size(), store_of(size)};
    return kept;
}

// Throws unless the entity is an enum of this world.
std::uint32_t checked_enum(const world_t* world, entity_t type) {
    detail::shape_of(world, type, "kith_enum");  // must be alive
    if (!detail::owns_id(world, type, EnumType)) {
        detail::raise_error(errc::wrong_type, "the entity is no enum");
    }
    return index_of(type);
}

// The constant with this value, 0 if there is none.
entity_t find_constant(world_t* world, std::uint32_t type, std::int64_t value) {
    detail::source_cursor children(world, ChildOf, type);
    const entity_t* end = nullptr;
    while (const entity_t* child = children.next(end)) {
        for (; child != end; ++child) {
            if (*child != 0 && detail::get_own_value(world, *child, type, 0) &&
                detail::constant_number(world, type, index_of(*child)) == value) {
                return *child;
            }
        }
    }
    return 0;
}

// Throws [wrong_type] unless the entity is a constant of an enum.
std::int64_t number_of(const world_t* world, entity_t constant) {
    const entity_t type = detail::target_of(world, constant, ChildOf, 0);
    if (type == 0 || !detail::owns_id(world, type, EnumType) ||
        !detail::get_own_value(world, constant, type, 0)) {
        detail::raise_error(errc::wrong_type, "the entity is no constant of an enum");
    }
    return detail::constant_number(world, index_of(type), index_of(constant));
}

}  // namespace

kith_type_info_t describe_type(const type_info& type, entity_t component) noexcept {
    kith_type_info_t info{};
    info.size = type.size;
    info.alignment = type.alignment;
    info.component = component;
    info.name = type.name;
    const bool is_of_c = type.context && type.move_construct == move_construct;
    info.ctx = is_of_c ? c_type_of(type).info.ctx : nullptr;
    return info;
}

std::uint32_t register_empty_type(const char* name, const char* function) {
    kith_component_desc_t desc{};
    desc.name = name;
    return ensure_type(desc, nullptr, function);
}

}  // namespace kith::capi

using namespace kith::capi;
namespace detail = kith::detail;

extern "C" {

kith_entity_t kith_component_init_w_size(kith_world_t* world, const kith_component_desc_t* desc,
                                         size_t size) {
    return guard_value<kith_entity_t>(0, [&] {
        const read_desc<kith_component_desc_t> given("kith_component_init", desc, size);
        return init_component(at(world), *given);
    });
}
kith_id_t kith_type_register_w_size(const kith_component_desc_t* desc, size_t size) {
    return guard_value<kith_id_t>(0, [&]() -> kith_id_t {
        const read_desc<kith_component_desc_t> given("kith_type_register", desc, size);
        const auto kept = take_contexts(given->hooks);
        if (flag(given->local) || given->entity != 0 || has_hooks(given->hooks)) {
            raise_argument("kith_type_register",
                           "entity, local, on_add, on_set and on_remove need a world");
        }
        return ensure_type(*given, kept, "kith_type_register");
    });
}
kith_status_t kith_set_hooks_w_size(kith_world_t* world, kith_entity_t component,
                                    const kith_type_hooks_t* hooks, size_t size) {
    return guard([&] {
        const read_desc<kith_type_hooks_t> given("kith_set_hooks", hooks, size);
        const auto kept = take_contexts(*given);
        detail::shape_of(at(world), component, "kith_set_hooks");  // must be alive
        if (has_functions(*given)) {
            set_functions(at(world), component, *given, kept);
        }
        set_hooks(at(world), component, *given, kept);
    });
}
kith_status_t kith_get_hooks_w_size(const kith_world_t* world, kith_entity_t component,
                                    kith_type_hooks_t* hooks, size_t size) {
    return guard([&] {
        check_pointer(hooks, "kith_get_hooks", "hooks is NULL");
        detail::shape_of(at(world), component, "kith_get_hooks");  // must be alive
        kith_type_hooks_t found{};
        const kith::type_info* type = detail::type_of(at(world), component);
        if (type && type->context && type->move_construct == move_construct) {
            found = c_type_of(*type).hooks;
            found.on_add = found.on_set = found.on_remove = nullptr;
        }
        hook_list& all = hooks_of_worlds();
        detail::lock_guard lock(all.mutex);
        if (const auto set = all.hooks.find({world->store, component}); set != all.hooks.end()) {
            found.on_add = set->second->hooks.on_add;
            found.on_set = set->second->hooks.on_set;
            found.on_remove = set->second->hooks.on_remove;
            found.ctx = set->second->ctx.get();
            found.binding_ctx = set->second->binding.get();
        }
        found.ctx_free = found.binding_ctx_free = nullptr;  // the component owns them
        std::memset(static_cast<void*>(hooks), 0, size);
        std::memcpy(static_cast<void*>(hooks), &found, std::min(size, sizeof found));
    });
}

kith_entity_t kith_enum_init_w_size(kith_world_t* world, const kith_enum_desc_t* desc,
                                    size_t size) {
    return guard_value<kith_entity_t>(0, [&] {
        const read_desc<kith_enum_desc_t> given("kith_enum_init", desc, size);
        check_world(world);
        const enum_type& type = ensure_enum_type(*given);
        return detail::ensure_enum(at(world), type.id, type.desc);
    });
}
kith_entity_t kith_enum_constant(const kith_world_t* world, kith_entity_t type, int64_t value) {
    return guard_value<kith_entity_t>(
        0, [&] { return find_constant(at(world), checked_enum(at(world), type), value); });
}
kith_status_t kith_enum_value(const kith_world_t* world, kith_entity_t constant, int64_t* value) {
    return guard([&] {
        check_pointer(value, "kith_enum_value", "value is NULL");
        *value = number_of(at(world), constant);
    });
}
kith_status_t kith_set_enum(kith_world_t* world, kith_entity_t entity, kith_entity_t type,
                            int64_t value) {
    return guard([&] {
        const kith_entity_t constant =
            find_constant(at(world), checked_enum(at(world), type), value);
        if (constant == 0) {
            detail::raise_error(kith::errc::invalid_id, "the enum has no constant of this value");
        }
        detail::add_id(at(world), entity, kith::make_pair(type, constant));
    });
}
kith_status_t kith_get_enum(const kith_world_t* world, kith_entity_t entity, kith_entity_t type,
                            int64_t* value) {
    return guard([&] {
        check_pointer(value, "kith_get_enum", "value is NULL");
        checked_enum(at(world), type);
        const kith_entity_t constant = detail::target_of(at(world), entity, type, 0);
        if (constant == 0) {
            detail::raise_ref(at(world), entity, type);
        }
        *value = number_of(at(world), constant);
    });
}
}
