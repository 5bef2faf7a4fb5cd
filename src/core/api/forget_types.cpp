// Types whose library is unloaded (include/kith/plugin.hpp).
#include <kith/plugin.hpp>

#include "api/take_place.hpp"
#include "api/world_impl.hpp"
#include "base/raise.hpp"
#include "mutate/state/capture_state.hpp"
#include "storage/link_store_state.hpp"
#include "storage/value_index.hpp"
#include "types/forgotten_types.hpp"

#include <algorithm>
#include <vector>

namespace kith::api {

namespace {

using detail::code_range;
using types::component_type;

// One call of forget_types(): check() throws if a type is in use, run() ends the types.
class forgetting {
public:
    explicit forgetting(const code_range& range) : range_(range) {
        types_ = types::find_types_of(range);
        ending_ = {range, types_.data(), types_.size()};
    }

    void check() {
        for (const listed_world* at = listed_world::newest(); at; at = at->next()) {
            check_world(at->owner());
        }
        for (const mutate::type_copy* held = mutate::newest_type_copy(); held; held = held->next) {
            const bool ends =
                is_defined(held->component) || is_forgotten(index_of(held->component));
            if (ends && is_handled_in(held->info, range_)) {
                refuse(held->name, "is part of a snapshot");
            }
        }
    }

    void run() noexcept {
        types::forget_functions(range_, change_type);
        for (const listed_world* at = listed_world::newest(); at; at = at->next()) {
            forget_in(at->owner());
        }
        detail::forget_descriptions(range_);
    }

private:
    [[noreturn]] static void refuse(std::string_view type, const char* why) {
        base::raise(errc::in_use, base::text{} << "forget_types: " << type << " " << why);
    }
    // True if nobody else has functions for values of the C++ type.
    bool is_forgotten(std::uint32_t type) const noexcept { return ending_.contains(type); }
    static bool is_defined(entity_t component) noexcept {
        return index_of(component) >= first_entity;
    }
    bool is_of_library(const detail::hook& hook) const noexcept {
        return range_.contains(hook.call) || range_.contains(hook.free_context);
    }

    void check_world(world_impl& owner) {
        if (may_have_queued_values(owner) || mutate::is_iterated(owner)) {
            base::raise(errc::in_use,
                        "forget_types: commands wait in a world, or it is being iterated");
        }
        drop_unused_copies(owner);
        for (const component_type* type : owner.data.types) {
            check_type(owner, *type);
        }
        if (const entity_t user = detail::find_declared_user(&owner, ending_)) {
            refuse(detail::path_of(&owner, 0, user, ".", "").c_str(),
                   "was declared at run time and has a member of a type of the library");
        }
    }
    void check_type(const world_impl& owner, const component_type& type) const {
        const bool ends = is_forgotten(type.component);
        const bool is_defined_by = is_defined(type.component) && is_handled_in(type.info, range_);
        if (is_defined_by) {
            refuse(type.info.name, "is a component that the library has defined");
        }
        // Values of enums are numbers, which need no functions.
        if (ends && !type.info.is_enum && has_values(owner, type.info)) {
            refuse(type.info.name, "has values in a world");
        }
        for (const detail::hook& hook : type.hooks) {
            if (!ends && is_of_library(hook)) {
                refuse(type.info.name, "has a hook that the library has set");
            }
        }
    }
    static bool has_values(const world_impl& owner, const type_info& info) noexcept {
        const storage::store& data = owner.data;
        for (std::uint32_t number = 0; number < data.tables.number_limit(); ++number) {
            const storage::table* at = data.tables.find_number(number);
            for (std::uint32_t i = 0; at && i < at->column_count; ++i) {
                if (&at->column_type(i) == &info && data.tables.rows(number).count != 0) {
                    return true;
                }
            }
        }
        for (const storage::id_record* record : data.sparse_ids) {
            if (record->sparse && record->sparse->info() == &info && record->sparse->count() != 0) {
                return true;
            }
        }
        bool is_linked = false;
        const auto note = [&](const type_info& type, std::uint32_t used) {
            is_linked |= &type == &info && used != 0;
        };
        for (const storage::id_record* relation : data.link_ids) {
            if (relation->links) {
                storage::link_store_state::each_type(*relation->links, note);
            }
        }
        if (data.parents_store) {
            storage::link_store_state::each_type(*data.parents_store, note);
        }
        return is_linked;
    }
    // Copies of types that no snapshot uses any more.
    void drop_unused_copies(world_impl& owner) const noexcept {
        if (owner.captures) {
            std::erase_if(owner.captures->types, [&](const auto& copy) {
                return copy.use_count() == 1 && !copy->free_context &&
                       is_handled_in(copy->info, range_);
            });
        }
    }

    void forget_in(world_impl& owner) noexcept {
        for (component_type* type : owner.data.types) {
            if (is_forgotten(type->component)) {
                release_hooks(*type);
                if (owner.data.indexes) {
                    owner.data.indexes->forget_component(
                        owner.data.entities.alive_at(type->component));
                }
                forget_enum(owner, type->component);
            }
        }
        events::update_event_mask(owner.data, Wildcard);
        owner.data.schema_changed();
        detail::forget_descriptions(&owner, ending_);
    }
    static void release_hooks(component_type& type) noexcept {
        for (detail::hook& hook : type.hooks) {
            if (hook.free_context) {
                hook.free_context(hook.context);
            }
            hook = {};
        }
    }
    // The constants are registered again when the enum is used again.
    static void forget_enum(world_impl& owner, std::uint32_t type) noexcept {
        if (type < owner.enums.size() && owner.enums[type].constants) {
            enum_entry& entry = owner.enums[type];
            owner.data.mem.release(entry.constants, entry.count * sizeof(entity_t),
                                   containers::purpose::index);
            entry = {nullptr, nullptr, 0};
        }
    }
    // All worlds and snapshots handle values of the type as the process does.
    static void change_type(std::uint32_t type, const type_info& now) noexcept {
        for (mutate::type_copy* copy = mutate::newest_type_copy(); copy; copy = copy->next) {
            if (copy->component == type) {
                types::take_functions(copy->info, now);
            }
        }
        for (const listed_world* at = listed_world::newest(); at; at = at->next()) {
            for (component_type* known : at->owner().data.types) {
                if (known->component == type) {
                    types::take_functions(known->info, now);
                }
            }
        }
    }

    const code_range range_;
    std::vector<std::uint32_t> types_;
    detail::forgotten_types ending_;
};

}  // namespace

}  // namespace kith::api

namespace kith {

void forget_types(const void* from, const void* to) {
    const detail::code_range range{from, to};
    if (!std::less<const void*>()(from, to)) {
        base::raise(errc::invalid_operation, "forget_types: the addresses are no range");
    }
    api::forgetting types(range);
    types.check();
    types.run();
}

}  // namespace kith
