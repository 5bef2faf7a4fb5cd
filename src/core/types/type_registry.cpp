// The process-wide register of C++ types (the functions are declared in kith/type_info.hpp). A type
// gets its id at its first use. Types are found by name, so that a type that is used in several
// shared libraries has one id, which is its entity index in every world.
#include <kith/component.hpp>
#include <kith/detail/mutex.hpp>
#include <kith/type_info.hpp>

#include "base/raise.hpp"
#include "types/forgotten_types.hpp"
#include "types/type_name.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>

namespace kith::detail {

namespace {

struct registered_type {
    std::string name;     // readable
    std::string mangled;  // empty if the registering code has no RTTI
    const void* slot;     // identifies a type that is local to a translation unit, else null
    bool shares_name;     // local to a function or a translation unit: others may have the name
    type_info info;       // info.name points to `name`
    // The functions of other libraries that have registered the type.
    std::vector<type_info> others;
    bool is_forgotten = false;  // the library of its functions was unloaded
};

bool has_same_functions(const type_info& a, const type_info& b) noexcept {
    return a.construct == b.construct && a.destroy == b.destroy &&
           a.copy_construct == b.copy_construct && a.copy_assign == b.copy_assign &&
           a.move_construct == b.move_construct && a.move_assign == b.move_assign;
}

// Invariants
// 1. types_[id] is written once, under the mutex, and then never changes, except for functions of
//    libraries that come and go while no other thread uses kith: find() needs no lock.
// 2. Ids are given in the order of following(), from first_type up to next_.
// 3. No two registered types are the same by is_same().
class type_registry {
public:
    type_registry() {
        add_builtin(component_type_id, "Component", make_type_info<Component>());
        type_info identifier = make_type_info<Identifier>();
        identifier.trivial_move = true;  // a single owning pointer
        add_builtin(identifier_type_id, "Identifier", identifier);
    }

    // The id of a type; registers the type at its first use. Linear in the number of types: callers
    // keep the result in a static variable.
    std::uint32_t ensure(const type_desc& desc) {
        std::string name = types::readable_type_name(desc.label, desc.mangled);
        bool local = types::is_unit_local(desc.label, desc.mangled);
        detail::lock_guard lock(mutex_);
        if (name == library_type_name) {
            if (!types_[library_type_id].load(std::memory_order_relaxed)) {
                add_builtin(library_type_id, library_type_name, desc.info);
            }
            return library_type_id;
        }
        for (std::uint32_t id = first_type; id < next_; id = following(id)) {
            registered_type& type = *types_[id].load(std::memory_order_relaxed);
            if (is_same(type, name, desc, local)) {
                check_lifecycle(type, desc.info);
                add_functions(id, type, desc, local);
                return id;
            }
        }
        if (next_ >= first_entity) {
            base::raise(errc::limit, "too many C++ types are used as components");
        }
        std::uint32_t id = next_;
        auto created = std::make_unique<registered_type>(
            registered_type{std::move(name),
                            desc.mangled ? desc.mangled : "",
                            local ? desc.slot : nullptr,
                            local || types::is_function_local(desc.mangled),
                            desc.info,
                            {},
                            false});
        created->info.name = created->name.c_str();
        types_[id].store(created.release(), std::memory_order_release);
        next_ = following(next_);
        return id;
    }

    const registered_type* find(std::uint32_t id) const noexcept {
        return id < types_.size() ? types_[id].load(std::memory_order_acquire) : nullptr;
    }

    std::vector<std::uint32_t> find_types_of(const code_range& range) {
        std::vector<std::uint32_t> found;
        detail::lock_guard lock(mutex_);
        for (std::uint32_t id = first_type; id < next_; id = following(id)) {
            const registered_type& type = *types_[id].load(std::memory_order_relaxed);
            if (is_handled_in(type.info, range) && !find_other(type, range)) {
                found.push_back(id);
            }
        }
        return found;
    }

    void forget_functions(const code_range& range, types::type_changed changed) noexcept {
        detail::lock_guard lock(mutex_);
        changed_ = changed;
        for (std::uint32_t id = first_type; id < next_; id = following(id)) {
            registered_type& type = *types_[id].load(std::memory_order_relaxed);
            if (is_handled_in(type.info, range)) {
                const type_info* other = find_other(type, range);
                types::take_functions(type.info, other ? *other : type_info{});
                type.is_forgotten = !other;
                changed(id, type.info);
            }
            std::erase_if(type.others, [&](const type_info& one) {
                return is_handled_in(one, range) || has_same_functions(one, type.info);
            });
        }
    }

private:
    // The functions of another library; null if there are none.
    static const type_info* find_other(const registered_type& type, const code_range& range) {
        const auto other =
            std::find_if(type.others.begin(), type.others.end(),
                         [&](const type_info& one) { return !is_handled_in(one, range); });
        return other != type.others.end() ? &*other : nullptr;
    }
    // A library registers a known type: a forgotten one gets functions again, others keep theirs.
    void add_functions(std::uint32_t id, registered_type& type, const type_desc& desc, bool local) {
        if (type.is_forgotten) {
            type.is_forgotten = false;
            type.slot = local ? desc.slot : nullptr;
            types::take_functions(type.info, desc.info);
            changed_(id, type.info);
            return;
        }
        const auto knows = [&](const type_info& one) { return has_same_functions(one, desc.info); };
        if (!knows(type.info) && std::none_of(type.others.begin(), type.others.end(), knows)) {
            type.others.push_back(desc.info);
        }
    }

    // The component that holds the run-time types of a world (src/values/type_library.hpp). Its id
    // does not depend on the moment when a world gets its first run-time type.
    static constexpr std::uint32_t library_type_id = low_id_limit - 1;
    static constexpr const char* library_type_name = "kith::values::world_types";

    // Ids below low_id_limit come first, because tables find them without hashing. The next ids lie
    // above the builtin entities.
    static std::uint32_t following(std::uint32_t id) {
        return id + 1 == library_type_id ? first_overflow_type : id + 1;
    }
    // Readable names may be ambiguous (types of functions, of anonymous namespaces): size,
    // alignment, mangled name and translation unit have to agree where they are known.
    static bool is_same(const registered_type& type, const std::string& name, const type_desc& desc,
                        bool local) {
        if (type.name != name || type.info.size != desc.info.size ||
            type.info.alignment != desc.info.alignment) {
            return false;
        }
        if (desc.mangled && !type.mangled.empty() && type.mangled != desc.mangled) {
            return false;
        }
        return type.is_forgotten ? local == (type.slot != nullptr)
                                 : type.slot == (local ? desc.slot : nullptr);
    }
    // Types of other languages are registered by name, too. The first registration decides how
    // values are handled, so a later one must have the same needs.
    static void check_lifecycle(const registered_type& type, const type_info& later) {
        const type_info& first = type.info;
        const bool fits =
            (type.is_forgotten || first.context == later.context) &&
            first.trivial_copy == later.trivial_copy && first.trivial_move == later.trivial_move &&
            first.trivial_destroy == later.trivial_destroy && first.is_enum == later.is_enum &&
            (later.zero_construct || first.zero_construct == later.zero_construct);
        if (!fits) {
            base::raise(errc::type_conflict,
                        base::text{} << "the type " << type.name
                                     << " is registered already, and its values are handled by "
                                        "other functions: give one of the types another name, or "
                                        "register it first where its functions are known");
        }
    }
    // Registers a component of kith itself, with a short name and a fixed id.
    void add_builtin(std::uint32_t id, const char* name, type_info info) {
        auto created = std::make_unique<registered_type>(
            registered_type{name, "", nullptr, false, info, {}, false});
        created->info.name = created->name.c_str();
        types_[id].store(created.release(), std::memory_order_release);
    }

    detail::mutex mutex_;
    std::uint32_t next_ = first_type;
    types::type_changed changed_ = nullptr;  // set when types were forgotten
    std::array<std::atomic<registered_type*>, first_entity> types_{};
};

// The registry is never destroyed: static objects of programs may use worlds until the process
// ends.
type_registry& registry() {
    static type_registry& instance = *new type_registry;
    return instance;
}

}  // namespace

bool is_handled_in(const type_info& type, const code_range& range) noexcept {
    return range.contains(type.construct) || range.contains(type.destroy) ||
           range.contains(type.copy_construct) || range.contains(type.copy_assign) ||
           range.contains(type.move_construct) || range.contains(type.move_assign) ||
           range.contains(type.free_context) || range.contains(type.context);
}

// Its address identifies this copy of kith; see world_t::types.
const char list_of_types = 0;

void raise_other_types() {
    base::raise(errc::invalid_operation,
                "this world was made by another copy of kith, which gives C++ types other ids: the "
                "program and a library that it loads both contain kith. Link both with kith as a "
                "shared library, or have the library use the kith of the program");
}

std::uint32_t register_type(const type_desc& desc) {
    return registry().ensure(desc);
}

const type_info* find_type(std::uint32_t id) noexcept {
    const registered_type* type = registry().find(id);
    return type ? &type->info : nullptr;
}

bool is_local_type(std::uint32_t id) noexcept {
    const registered_type* type = registry().find(id);
    return type && type->shares_name;
}

}  // namespace kith::detail

namespace kith::types {

std::vector<std::uint32_t> find_types_of(const detail::code_range& range) {
    return detail::registry().find_types_of(range);
}

void forget_functions(const detail::code_range& range, type_changed changed) noexcept {
    detail::registry().forget_functions(range, changed);
}

void take_functions(type_info& type, const type_info& other) noexcept {
    type.construct = other.construct;
    type.destroy = other.destroy;
    type.copy_construct = other.copy_construct;
    type.copy_assign = other.copy_assign;
    type.move_construct = other.move_construct;
    type.move_assign = other.move_assign;
    type.context = other.context;
    type.free_context = other.free_context;
}

}  // namespace kith::types
