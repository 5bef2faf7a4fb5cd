// Descriptions: what kith knows of a type, so that its values can be printed, read, compared and
// changed without code of the program. Templates (reflect.hpp) make them for C++ types; worlds make
// them for types that are declared at run time. See docs/manual/reflection.md.
//
// Covered by tests/features/values/.
#pragma once

#include <kith/string.hpp>
#include <kith/type_info.hpp>

namespace kith {

// The order matters to the implementation: numbers lie between boolean and f64, signed integers
// between i8 and i64, and composed kinds from structure on.
enum class kind : std::uint8_t {
    none,  // not described: description::obstacle tells why
    boolean,
    character,
    i8,
    i16,
    i32,
    i64,
    u8,
    u16,
    u32,
    u64,
    f32,
    f64,
    entity,
    enumeration,
    flags,
    text,
    structure,
    array,
    list,
    set,
    map,
    optional,
    variant,
    tuple,
    opaque,  // read and written as a value of another type, description::element
};

// The name of a kind as worlds as text write it, such as `f32`; of composed kinds, a word.
const char* to_string(kind what) noexcept;

struct description;

// An interval of numbers. Nothing is outside of an interval that is not set.
struct value_range {
    double min = 0;
    double max = 0;
    bool is_set = false;
};

// The consequence for a value when an entity is deleted that a handle inside of it names. A kept
// handle names an entity that is not alive any more.
enum class handle_policy : std::uint8_t { keep, clear, remove, erase };

// Information about a member beyond its type. All of it is optional.
struct member_attributes {
    value_range range;    // enforced by all readers
    value_range warning;  // for tools, as the following
    value_range error;
    double step = 0;
    const char* unit_symbol = nullptr;
    entity_t unit = 0;  // of the world that describes the member
    const char* doc = nullptr;
    const char* was = nullptr;            // the former name
    const void* default_value = nullptr;  // of the member's type
    handle_policy on_delete_target = handle_policy::keep;
};

// A member of a struct or tuple, or an alternative of a variant (whose offset is 0).
struct member_info {
    const char* name = nullptr;
    const description* type = nullptr;
    std::uint32_t offset = 0;
    bool read_only = false;                         // paths cannot write the member; loading does
    bool hidden = false;                            // left out of tables
    const member_attributes* attributes = nullptr;  // null: none
};

// A constant of an enum, or a bit of flags.
struct constant_info {
    const char* name = nullptr;
    std::int64_t value = 0;
};

// The functions of the kinds that plain memory does not explain. Each gets the description of the
// value; a null function says that the type cannot do it. Requires, for all of them: `value` is a
// value of the type.
struct value_ops {
    // text
    text_view (*text)(const description& type, const void* value) = nullptr;
    // False: the text does not fit.
    bool (*assign_text)(const description& type, void* value, text_view text) = nullptr;
    // entity
    entity_t (*entity)(const description& type, const void* value) = nullptr;
    void (*assign_entity)(const description& type, void* value, world_t* world,
                          entity_t entity) = nullptr;
    // list, set, map
    std::size_t (*size)(const description& type, const void* value) = nullptr;
    // The element with this position; lists only.
    void* (*at)(const description& type, void* value, std::size_t index) = nullptr;
    // Visits elements in the container's order; `key` is null except for maps.
    void (*each)(const description& type, const void* value,
                 void (*visit)(void* context, const void* key, const void* element),
                 void* context) = nullptr;
    void (*resize)(const description& type, void* value, std::size_t size) = nullptr;
    // The element of a set that equals `key`, the value of a map behind `key`: null if missing.
    void* (*find)(const description& type, void* value, const void* key) = nullptr;
    // The same; a missing one is added. `key` may be moved from.
    void* (*insert)(const description& type, void* value, void* key) = nullptr;
    bool (*erase)(const description& type, void* value, const void* key) = nullptr;
    bool is_sorted = false;  // each() follows the order of the elements
    // list, set, map, optional
    void (*clear)(const description& type, void* value) = nullptr;
    // optional, variant: the present value, null without one.
    void* (*inner)(const description& type, void* value) = nullptr;
    // The number of the present alternative of a variant, -1 without one.
    std::int32_t (*which)(const description& type, const void* value) = nullptr;
    // Replaces the value of an optional or a variant by a default one.
    void* (*emplace)(const description& type, void* value, std::uint32_t which) = nullptr;
    // opaque
    // The representation lives during the call of `use` only.
    void (*represent)(const description& type, const void* value,
                      void (*use)(void* context, const void* representation),
                      void* context) = nullptr;
    // May throw, to refuse the representation.
    void (*assign)(const description& type, void* value, const void* representation) = nullptr;
};

// Made and owned by kith; programs read it. Descriptions of C++ types live as long as the process,
// and those of a world as long as the world and the values of its types. Pointers to them may be
// kept that long.
struct description {
    type_info life;  // name, size, alignment; makes, copies and destroys values
    kind what = kind::none;
    kind number = kind::none;  // the integer of an enum or of flags
    // Members, alternatives, constants, or the elements of an array.
    std::uint32_t count = 0;
    const member_info* members = nullptr;      // structure, tuple, variant
    const constant_info* constants = nullptr;  // enumeration, flags
    // Of an array, list, set, optional; of the values of a map; the representation of an opaque.
    const description* element = nullptr;
    const description* key = nullptr;  // of a map
    const value_ops* ops = nullptr;
    const char* obstacle = nullptr;  // the reason of kind::none
    // Refuses a whole value with a reason; asked by all readers.
    const char* (*validate)(const description& type, const void* value) = nullptr;
    const void* validate_context = nullptr;
    void* context = nullptr;  // of the functions of `ops`
    const std::uint32_t* type_id =
        nullptr;               // of the C++ type, 0 until a program uses it as component
    bool at_run_time = false;  // the type has no C++ type

    const member_info* begin() const noexcept { return members; }
    const member_info* end() const noexcept { return members ? members + count : nullptr; }
};

// An entity inside of a value: 8 bytes. The handle is weak: deleting the entity leaves the value as
// it is.
class handle {
public:
    constexpr handle() noexcept = default;
    template <class E>
        requires std::is_convertible_v<E, entity_t>
    constexpr handle(const E& entity) noexcept : entity_(entity) {}
    constexpr operator entity_t() const noexcept { return entity_; }
    constexpr entity_t id() const noexcept { return entity_; }

private:
    entity_t entity_ = 0;
};

namespace detail {
// Types without values of their own: their ids name the two texts, a std::string and a pointer to
// characters.
struct text_tag {
    char none;
};
struct pointer_text_tag {
    char none;
};
struct clear_tag {
    char none;
};
// The id of a C++ type, as a constant that needs no world.
template <class T>
struct type_constant {
    operator entity_t() const { return type_id<T>(); }
};
}  // namespace detail

// Types of members that are declared at run time. String holds its text; Entity is an entity.
inline constexpr detail::type_constant<bool> Bool;
inline constexpr detail::type_constant<char> Char;
inline constexpr detail::type_constant<std::int8_t> I8;
inline constexpr detail::type_constant<std::int16_t> I16;
inline constexpr detail::type_constant<std::int32_t> I32;
inline constexpr detail::type_constant<std::int64_t> I64;
inline constexpr detail::type_constant<std::uint8_t> U8;
inline constexpr detail::type_constant<std::uint16_t> U16;
inline constexpr detail::type_constant<std::uint32_t> U32;
inline constexpr detail::type_constant<std::uint64_t> U64;
inline constexpr detail::type_constant<float> F32;
inline constexpr detail::type_constant<double> F64;
inline constexpr detail::type_constant<detail::text_tag> String;
inline constexpr detail::type_constant<handle> Entity;
// The policy of a handle that becomes null when its entity is deleted; Remove and Delete are
// others.
inline constexpr detail::type_constant<detail::clear_tag> Clear;

// An enum whose constants are bits: specialise with true.
template <class E>
inline constexpr bool is_flags = false;

namespace detail {

using description_getter = const description* (*)();

class description_writer;

// Facts about a C++ type that templates know.
struct type_source {
    type_info life;  // without a name
    const char* label;
    const char* mangled;  // null without RTTI
    const std::uint32_t* type_id;
    void (*describe)(description_writer& writer);
};

// The description that belongs to the slot; made at the first call. Thread-safe.
const description* ensure_description(const description** slot, const type_source& source);
// Attaches a description to a C++ type of the process, for all worlds.
void attach_description(std::uint32_t type, const description& type_description);
enum class attribute : std::uint8_t {
    range,
    warning_range,
    error_range,
    step,
    unit_symbol,
    doc,
    was,
    hidden,
    read_only,
    on_delete_target  // the text is Clear, Remove or Delete
};
// Descriptions of components, see description.hpp. Implemented in src/values.
struct new_member {
    entity_t type;
    const char* name;
    std::int32_t count = 0;
    std::size_t offset = 0;
    bool has_offset = false;
    bool read_only = false;
    const description* described = nullptr;  // the type itself, in place of `type`
};
// A member that two functions read and write. The receiver owns `functions` from the call on.
struct function_member {
    const char* name;
    const description* type;
    void* functions;
    void (*free)(void* functions) noexcept;
    // Assigns the member of `whole` to a value of its type.
    void (*get)(void* functions, const void* whole, void* into);
    // Null: the member can only be read.
    void (*set)(void* functions, void* whole, const void* from);
};
// Members are added one by one; each call checks and lays out the type anew. Throws [in_use] if
// values of a type that is declared at run time exist.
void add_member(world_t* world, entity_t component, const new_member& member);
void add_constant(world_t* world, entity_t component, const char* name, std::int64_t value,
                  bool is_bit);
// The attribute belongs to the member that add_member() or select_member() named last. `a` and `b`
// are numbers of the attribute, `text` is its text.
void set_attribute(world_t* world, entity_t component, attribute what, double a, double b,
                   const char* text);
void select_member(world_t* world, entity_t component, const char* name);
void add_function_member(world_t* world, entity_t component, const function_member& member);
// Adds the members of a base at an offset.
void add_base(world_t* world, entity_t component, const description& base, std::size_t offset);
// Leaves the member at the offset out of the members that `automatic` has.
void ignore_member(world_t* world, entity_t component, const description& automatic,
                   std::size_t offset);
void set_member_unit(world_t* world, entity_t component, entity_t unit);
// Throws unless the member is a handle, or holds handles.
void set_handle_policy(world_t* world, entity_t component, entity_t policy);
// Calls visit(owner, id, path, dead) for each handle inside of a value whose entity is not alive.
void each_dangling(world_t* world,
                   void (*visit)(void* context, entity_t owner, id_t id, const char* path,
                                 entity_t dead),
                   void* context);
// The entity of a member, a child of the component; made at the first call.
entity_t ensure_member_entity(world_t* world, entity_t component, const char* name);
// Creates a component from the types of others: "[T]", "[T; n]", "?T", "{K: V}", "A | B", "(A, B)".
entity_t compose_type(world_t* world, char form, const entity_t* types, std::size_t count,
                      std::int32_t size);

// Sets the representation, or the function that refuses values, that a component has in one world.
void set_opaque(world_t* world, entity_t component, const description& representation,
                const value_ops& ops, void* context, void (*free_context)(void* context) noexcept);
void set_validate(world_t* world, entity_t component,
                  const char* (*validate)(const description& type, const void* value),
                  const void* context);
// The world may describe a component; else the process does. Null: no description exists.
const description* find_description(const world_t* world, entity_t component);
// The description of the values of an id. Throws if there is none that can be used.
const description& require_description(const world_t* world, id_t id);
// Replaces a description by that of the world, if the world has its own for the C++ type.
const description& in_world(const world_t* world, const description& type);

// Equality by description: padding is ignored, 0.0 equals -0.0, NaN equals NaN. Equal values have
// equal hashes.
bool equal_values(const description& type, const void* a, const void* b);
std::uint64_t hash_value(const description& type, const void* value);
// -1, 0 or 1: the order of canonical texts' numbers and names, for sorting keys.
int compare_values(const description& type, const void* a, const void* b);

// The functions by which a describing function describes its type. The writer fills in a
// description that no other code sees yet; names and lists are copied, functions and reasons are
// referred to.
class description_writer {
public:
    explicit description_writer(description& made) noexcept : made_(made) {}

    void number(kind what) noexcept;
    void entity(const value_ops& ops) noexcept;
    void constants(kind what, kind number, const kith::constant_info* list, std::size_t count);
    void text(const value_ops& ops) noexcept;
    // `names` holds the names, each with a zero behind it.
    void members(kind what, std::size_t count, const char* names, const description_getter* types,
                 const std::uint32_t* offsets);
    void member(const char* name, const description& type, std::uint32_t offset, bool read_only);
    void member(const function_member& functions);
    void members_of(const description& base, std::uint32_t offset);
    void array(const description& element, std::size_t count);
    void container(kind what, const description* key, const description* element,
                   const value_ops& ops) noexcept;
    void variant(const description_getter* types, std::size_t count, const value_ops& ops);
    void opaque(const description& representation, const value_ops& ops, void* context) noexcept;
    // The type is described like another one, which has the same layout.
    void like(const description& other);
    void obstacle(const char* reason);

private:
    description& made_;
};

}  // namespace detail

}  // namespace kith
