// Save files: a world, or a part of it, as a binary file with a schema of its types and checksums.
// Programs whose types have changed since read it as far as values can be converted. Not part of
// <kith/kith.hpp>. See docs/manual/saving-and-loading.md.
//
//   kith::save(world, "a.kithb");
//   kith::load(other, "a.kithb");
//
// Covered by tests/features/values/save_test.cpp.
#pragma once

#include <kith/reflect.hpp>
#include <kith/sink.hpp>
#include <kith/unknown_policy.hpp>
#include <kith/value.hpp>
#include <kith/world.hpp>

#include <string>
#include <string_view>
#include <type_traits>

namespace kith {

// The treatment of pairs and handles that lead to entities outside of a part. Those with a path are
// saved by it, and looked up by loads.
enum class outside_policy : std::uint8_t {
    leave_out,  // without a path, or where none leads, pairs are left out and handles are null
    error,      // they are refused [invalid_value]
};

struct save_options {
    // Saves the entities of the results of this query only, with all that they have. Null: the
    // whole world.
    const char* query = nullptr;
    // Waits until the disk has the file.
    bool sync = true;
    // Compresses the file by zstd; throws [invalid_operation] if the library of the system cannot
    // be loaded. `planes` (which implies zstd) separates the bytes of numbers where that helps.
    bool zstd = false;
    bool planes = false;
    outside_policy outside = outside_policy::leave_out;
};

struct save_report {
    std::size_t entities = 0;
    std::size_t types = 0;
    std::size_t bytes = 0;
    std::size_t outside =
        0;  // pairs and handles of a part that were left out: no path leads to them
};

// The treatment of names that entities of the world have already.
enum class names_policy : std::uint8_t {
    refuse,
    join,  // an entity of the file with the path of an entity of the world means that entity
};

// The ids of loaded entities.
enum class ids_policy : std::uint8_t {
    automatic,  // those of the file if the world has no entities of its own, else new ones
    keep,       // those of the file; other worlds are refused [in_use]
    remap,      // new ones
};

struct load_file_options {
    // Types of the file that the program lacks: kept as run-time types, left out with their values,
    // or refused. Types that the saving program declared at run time count as lacking with `skip`,
    // unless the world has them.
    unknown_policy unknown = unknown_policy::keep;
    names_policy names = names_policy::refuse;
    ids_policy ids = ids_policy::automatic;
    outside_policy outside = outside_policy::leave_out;
    // The parent of the entities that have no parent in the file; 0: they stay without one.
    entity_t under = 0;
    // Numbers that do not fit become the nearest that does; else they are an error.
    bool lossy = false;
    // Hooks and observers are notified of entities that get the ids of the file, too. The order of
    // rows may be another than that of the saved world then.
    bool tell = false;
    // Is called again and again with the rows that were read, of `size`; false ends the load with
    // an error [invalid_operation].
    bool (*progress)(void* context, std::uint64_t done, std::uint64_t size) = nullptr;
    void* context = nullptr;
    // Limits of entities, of components, and of the members of a type [limit].
    std::uint64_t entities = std::uint64_t{1} << 31;
    std::uint32_t types = 3800;
    std::uint32_t members = 4096;
    // Larger files, and files that become larger when they are unpacked, are refused.
    std::uint64_t bytes = std::uint64_t{16} << 30;
    std::uint64_t ratio = 1000;  // of unpacked to packed bytes
};

struct load_report {
    std::size_t facts = 0;  // ids of entities
    std::size_t entities = 0;
    std::size_t types = 0;
    std::size_t outside = 0;  // pairs and handles to entities that the world does not have
    std::size_t skipped = 0;  // ids of types that were left out (unknown_policy::skip)
    bool exact = false;       // all entities have the ids that they had
    std::string notes;        // a line for each member that was converted, dropped or is new
};

// Writes a file that takes the place of an old one in one step. Throws kith::error: [invalid_type]
// for values without description, [invalid_operation] with the system's message.
save_report save(const world& source, const char* file, const save_options& options = {});
// The same for the world of a snapshot, which other threads may use meanwhile.
save_report save(const snapshot& source, const char* file, const save_options& options = {});
// Hands out the file part by part; throws [invalid_operation] if the sink refuses one.
save_report save(const world& source, const sink& to, const save_options& options = {});
// The contents of such a file.
std::string save_to_string(const world& source, const save_options& options = {},
                           save_report* report = nullptr);

// Adds the contents of a file to the world. A world without entities of its own gets the ids of the
// file. Throws kith::error [invalid_file] for files that are damaged, [invalid_value] for values
// that do not fit, and what the operations throw; then the world is as before.
load_report load(const world& target, const char* file, const load_file_options& options = {});
load_report load(const world& target, const source& from, const load_file_options& options = {});
load_report load_from_string(const world& target, std::string_view data,
                             const load_file_options& options = {});
// Reads and checks a file without a world of the program.
load_report check_file(const char* file, const load_file_options& options = {});

// A part of a save file as it lies in the file. Sizes are in bytes.
struct save_part {
    std::string_view tag;
    std::string_view id;  // of a column; empty for other parts
    std::uint64_t offset;
    std::uint64_t size;
    std::uint64_t raw_size;  // unpacked
    // The numbers of blocks by their methods; all 0 for a part that is not packed.
    std::uint32_t plain_blocks;
    std::uint32_t zstd_blocks;
    std::uint32_t plane_blocks;
};
// Calls visit for all parts of a file in their order. Throws as check_file() does for damaged
// files.
void each_save_part(const char* file, void (*visit)(void* context, const save_part& part),
                    void* context, const load_file_options& options = {});

namespace detail {

// `from` is below the version. The function owns `context`, also if it throws.
using upgrade_function = void (*)(void* context, const value_view& old, void* now);
void set_version(world_t* world, entity_t component, std::int32_t version);
void set_saved_as_bytes(world_t* world, entity_t component);
void add_upgrade(world_t* world, entity_t component, std::int32_t from, upgrade_function call,
                 void* context, void (*free)(void* context) noexcept);

}  // namespace detail

template <class T>
component<T>& component<T>::version(std::int32_t number) {
    detail::set_version(world_, id_, number);
    return *this;
}

inline untyped_component& untyped_component::as_bytes() {
    detail::set_saved_as_bytes(world_, id_);
    return *this;
}
template <class T>
component<T>& component<T>::as_bytes() {
    static_assert(std::is_trivially_copyable_v<T>,
                  "values with functions of their own are more than their bytes");
    detail::set_saved_as_bytes(world_, id_);
    return *this;
}

// `old` is a value of the file, or of the upgrade before. `now` has the members that fit already.
template <class T>
template <class Func>
component<T>& component<T>::upgrade(std::int32_t from, Func&& func) {
    using function = std::remove_cvref_t<Func>;
    detail::add_upgrade(
        world_, id_, from,
        [](void* context, const value_view& old, void* now) {
            (*static_cast<function*>(context))(old, *static_cast<T*>(now));
        },
        new function(std::forward<Func>(func)),
        [](void* context) noexcept { delete static_cast<function*>(context); });
    return *this;
}

}  // namespace kith
