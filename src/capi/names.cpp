// The chapter "names" of kith.h: names, paths, scopes and modules.
#include "components.hpp"
#include "ids.hpp"

using namespace kith::capi;
namespace detail = kith::detail;

namespace {

// A name without characters is NULL in C. The text belongs to the world and is valid until the name
// changes or the entity is deleted.
const char* own_text(const kith_world_t* world, kith_entity_t entity, kith_entity_t kind) {
    check_world(world);
    const kith::string_view text = detail::name_of(at(world), entity, kind);
    return text.empty() ? nullptr : text.c_str();
}

// The function of the import that is under way on this thread.
struct import_call {
    void (*init)(kith_world_t* world, void* ctx);
    void* ctx;
};
constinit thread_local const import_call* importing = nullptr;

// Core calls the function of a module with the world only; the function of C and its context wait
// in `importing`.
void run_import(kith::world_t* world) {
    const import_call call = *importing;
    call_back(call.init, world, call.ctx);
}

}  // namespace

extern "C" {

const char* kith_get_name(const kith_world_t* world, kith_entity_t entity) {
    return guard_value<const char*>(nullptr, [&] { return own_text(world, entity, kith::Name); });
}
kith_status_t kith_set_name(kith_world_t* world, kith_entity_t entity, const char* name) {
    return guard([&] { detail::set_name(at(world), entity, text_of(name)); });
}
const char* kith_get_symbol(const kith_world_t* world, kith_entity_t entity) {
    return guard_value<const char*>(nullptr, [&] { return own_text(world, entity, kith::Symbol); });
}
kith_status_t kith_set_symbol(kith_world_t* world, kith_entity_t entity, const char* symbol) {
    return guard([&] {
        detail::checked_entity(entity, "kith_set_symbol");
        detail::set_symbol(at(world), entity, text_of(symbol));
    });
}
kith_status_t kith_set_alias(kith_world_t* world, kith_entity_t entity, const char* alias) {
    return guard([&] { detail::set_alias(at(world), entity, text_of(alias)); });
}
kith_status_t kith_use(kith_world_t* world, kith_entity_t entity, const char* alias) {
    return guard([&] {
        check_world(world);
        world_at(world).use(kith::entity(at(world), entity), text_of(alias));
    });
}
kith_entity_t kith_lookup(const kith_world_t* world, const char* path) {
    return guard_value<kith_entity_t>(0, [&] {
        check_pointer(path, "kith_lookup", "the path is NULL");
        return detail::lookup_path(at(world), detail::get_scope(at(world)), text_of(path),
                                   "::", "::", true);
    });
}
kith_entity_t kith_lookup_child(const kith_world_t* world, kith_entity_t parent, const char* path) {
    return guard_value<kith_entity_t>(0, [&] {
        check_pointer(path, "kith_lookup_child", "the path is NULL");
        return detail::lookup_child(at(world), parent, text_of(path), false);
    });
}
kith_entity_t kith_lookup_path_w_sep(const kith_world_t* world, kith_entity_t parent,
                                     const char* path, const char* sep, const char* root_sep,
                                     bool climb) {
    return guard_value<kith_entity_t>(0, [&] {
        check_pointer(path, "kith_lookup_path_w_sep", "the path is NULL");
        check_world(world);
        if (parent != 0) {
            detail::shape_of(at(world), parent, "kith_lookup_path_w_sep");  // must be alive
        }
        return detail::lookup_path(at(world), parent, text_of(path), separator_of(sep),
                                   separator_of(root_sep), climb);
    });
}
// Symbols have no index, so that this is a search over all entities with a symbol.
kith_entity_t kith_lookup_symbol(const kith_world_t* world, const char* symbol) {
    return guard_value<kith_entity_t>(0, [&]() -> kith_entity_t {
        check_pointer(symbol, "kith_lookup_symbol", "the symbol is NULL");
        check_world(world);
        const kith::id_t with_symbol = kith::make_pair(KithIdentifier, KithSymbol);
        detail::id_cursor all(at(world), with_symbol, true);
        for (detail::batch rows; all.next(rows);) {
            for (std::uint32_t i = 0; i < rows.count; ++i) {
                if (detail::name_of(at(world), rows.entities[i], KithSymbol) == symbol) {
                    return rows.entities[i];
                }
            }
        }
        return 0;
    });
}
kith_entity_t kith_new_from_path_w_sep(kith_world_t* world, kith_entity_t parent, const char* path,
                                       const char* sep, const char* root_sep) {
    return guard_value<kith_entity_t>(0, [&] {
        check_pointer(path, "kith_new_from_path_w_sep", "the path is NULL");
        check_world(world);
        if (parent != 0) {
            detail::shape_of(at(world), parent, "kith_new_from_path_w_sep");  // must be alive
        }
        return detail::ensure_path(at(world), parent, text_of(path), separator_of(sep),
                                   separator_of(root_sep));
    });
}
char* kith_get_path(const kith_world_t* world, kith_entity_t entity) {
    return kith_get_path_w_sep(world, 0, entity, nullptr, nullptr);
}
char* kith_get_path_w_sep(const kith_world_t* world, kith_entity_t parent, kith_entity_t entity,
                          const char* sep, const char* root_sep) {
    return guard_value<char*>(nullptr, [&] {
        check_world(world);
        detail::shape_of(at(world), entity, "kith_get_path");  // must be alive
        return give(
            detail::path_of(at(world), parent, entity, separator_of(sep), separator_of(root_sep)));
    });
}
kith_entity_t kith_set_scope(kith_world_t* world, kith_entity_t scope) {
    return guard_value<kith_entity_t>(0, [&] { return detail::set_scope(at(world), scope); });
}
kith_entity_t kith_get_scope(const kith_world_t* world) {
    return guard_value<kith_entity_t>(0, [&] { return detail::get_scope(at(world)); });
}
int32_t kith_push_with(kith_world_t* world, kith_id_t id) {
    return guard_value<int32_t>(
        -1, [&] { return static_cast<int32_t>(detail::push_with(at(world), id)); });
}
kith_status_t kith_pop_with(kith_world_t* world, int32_t mark) {
    return guard([&] {
        const std::size_t count = detail::with_count(at(world));
        if (mark < 0 || static_cast<std::size_t>(mark) >= count) {
            raise_argument("kith_pop_with", "the mark is not one of kith_push_with that is open");
        }
        detail::pop_with(at(world), static_cast<std::size_t>(mark));
    });
}
kith_status_t kith_set_lookup_path(kith_world_t* world, const kith_entity_t* path) {
    return guard([&] { detail::set_lookup_path(at(world), path); });
}
kith_entity_t kith_import(kith_world_t* world, void (*init)(kith_world_t* world, void* ctx),
                          const char* name, void* ctx) {
    return guard_value<kith_entity_t>(0, [&] {
        if (!init) {
            raise_argument("kith_import", "init is NULL");
        }
        check_world(world);
        const std::uint32_t type = register_empty_type(name, "kith_import");
        const import_call call{init, ctx};
        // Imports may be nested: a module imports those that it needs.
        struct restore {
            const import_call* outer = importing;
            ~restore() { importing = outer; }
        } after;
        importing = detail::hidden(&call);
        return detail::import_module(at(world), type, run_import);
    });
}
// Inside of kith_import() the scope is the entity of the module, whose type is used; elsewhere a
// type with this name is registered.
kith_entity_t kith_module(kith_world_t* world, const char* name) {
    return guard_value<kith_entity_t>(0, [&] {
        check_pointer(name, "kith_module", "the name is NULL");
        check_world(world);
        const kith_entity_t scope = detail::get_scope(at(world));
        const bool in_import = importing && scope != 0 && scope < kith::first_entity &&
                               detail::find_type(static_cast<std::uint32_t>(scope));
        const std::uint32_t type =
            in_import ? kith::index_of(scope) : register_empty_type(name, "kith_module");
        return detail::declare_module(at(world), type, text_of(name));
    });
}
}
