// Names, paths, scopes and lookup, declared in include/kith/detail/ops.hpp under "names" and in
// name_search.hpp.
//
// A name is a value of the pair (Identifier, Name); the name index finds the entity by parent and
// text. While the world is deferred, a name is entered into the index at once as a pending name, so
// that lookups find it before its command is run.
#include <kith/detail/name_search.hpp>

#include "api/world_impl.hpp"
#include "base/assert.hpp"
#include "base/scope_exit.hpp"
#include "containers/small_vec.hpp"
#include "mutate/apply/values.hpp"
#include "mutate/ops/add_remove.hpp"
#include "mutate/ops/create.hpp"
#include "mutate/ops/destroy.hpp"
#include "mutate/ops/naming.hpp"
#include "mutate/queue/defer.hpp"
#include "mutate/queue/queued_place.hpp"
#include "mutate/queue/record.hpp"
#include "mutate/rules/destination.hpp"
#include "mutate/rules/sibling_names.hpp"
#include "names/id_text.hpp"
#include "names/path.hpp"

namespace kith::detail {

using api::impl_of;
using api::world_impl;
using containers::purpose;
using mutate::give_name;
using mutate::queue_name;
using mutate::stage_of;
using mutate::store_identifier;
using names::name_node;

namespace {

void remove_identifier(mutate::stage& owner, entity_t entity, entity_t kind) {
    remove_id(&owner, entity, make_pair(identifier_type_id, kind));
}

// Creates a named entity. Ids of `with` are added to the last element of a path only.
entity_t new_child(mutate::stage& owner, entity_t parent, std::string_view name, bool last) {
    entity_t scope = std::exchange(owner.creation.scope, parent);
    containers::vec<id_t> with;
    if (!last) {
        std::swap(owner.creation.with, with);
    }
    base::scope_exit restore([&] {
        owner.creation.scope = scope;
        if (!last) {
            std::swap(owner.creation.with, with);
        }
        mutate::update_mode(owner);
    });
    mutate::update_mode(owner);
    entity_t entity = mutate::new_entity(owner);
    base::scope_exit discard([&] {
        if (owner.data.entities.find(entity)) {
            mutate::roll_back_create(owner, entity);
        }
    });
    (owner.mode & mode_deferred ? queue_name : give_name)(owner, entity, parent, name);
    discard.release();
    return entity;
}

// The names that a lookup considers: stored ones, or pending ones as well.
enum class which_names { stored, queued_too };

// The child of this name; `#4711` names a child by its index.
entity_t find_child(const mutate::stage& owner, entity_t parent, std::string_view name,
                    which_names which) {
    // A pending name may outlive its entity.
    const name_node* node = which == which_names::stored
                                ? owner.names.find_stored(index_of(parent), name)
                                : owner.names.find(index_of(parent), name);
    if (node && owner.data.entities.find(node->entity)) {
        return node->entity;
    }
    if (mutate::is_recorded(owner) && which == which_names::queued_too &&
        owner.mode & mode_recording) {
        if (entity_t given = mutate::recorder_of(owner).given_names.find(index_of(parent), name)) {
            return given;
        }
    }
    if (std::uint32_t index = names::index_element(name)) {
        entity_t entity = owner.data.entities.alive_at(index);
        return entity && api::parent_of(owner, entity) == parent ? entity : 0;
    }
    return 0;
}

// The entity at the end of the path, 0 if an element is missing or there is none.
entity_t find_from(const mutate::stage& owner, entity_t parent, names::path_reader reader,
                   which_names which = which_names::queued_too) {
    std::string_view element;
    entity_t entity = parent;
    bool any = false;
    while (reader.next(element)) {
        entity = find_child(owner, entity, element, which);
        if (entity == 0) {
            return 0;
        }
        any = true;
    }
    return any ? entity : 0;
}

// The parent that new entities of this scope get: a pair (ChildOf, x) of `with` takes precedence.
entity_t naming_scope(const mutate::stage& owner, entity_t scope) {
    if (scope == owner.creation.scope) {
        for (id_t id : owner.creation.with) {
            if (is_pair(id) && pair_first(id) == ChildOf) {
                return owner.data.entities.alive_at(pair_second(id));
            }
        }
    }
    return scope;
}

// The scopes that are searched last, unless the program sets others; ends with 0.
constexpr entity_t default_lookup_path[] = {Kith, 0};

}  // namespace

entity_t ensure_path(world_t* world, entity_t parent, text_view path, text_view separator,
                     text_view root_separator) {
    mutate::stage& owner = stage_of(world);
    api::path_elements elements(mutate::memory_of(owner), purpose::names);
    return ensure_path(owner, parent, path, separator, root_separator, elements);
}

entity_t ensure_path(mutate::stage& owner, entity_t parent, text_view text, text_view separator,
                     text_view root_separator, api::path_elements& elements) {
    const std::string_view path = text;
    names::check_characters(path);
    names::path_reader reader(path, separator, root_separator);
    entity_t entity = reader.starts_at_root() ? 0 : naming_scope(owner, parent);
    // The whole path is checked before anything is created.
    std::string_view element;
    for (names::path_reader all = reader; all.next(element);) {
        if (element.empty()) {
            base::raise(errc::invalid_name,
                        base::text{} << "the path \"" << path << "\" has an empty element");
        }
    }
    // Created elements are rolled back, the last first, if a later one cannot be created.
    base::scope_exit discard([&] {
        for (std::uint32_t i = elements.size(); i-- > 0;) {
            if (owner.data.entities.find(elements[i])) {
                mutate::roll_back_create(owner, elements[i]);
            }
        }
    });
    std::string_view following;
    bool more = reader.next(element);
    while (more) {
        more = reader.next(following);
        entity_t child = find_child(owner, entity, element, which_names::queued_too);
        if (!child) {
            elements.reserve_one();
            child = new_child(owner, entity, element, !more);
            elements.push(child);
        }
        entity = child;
        element = following;
    }
    discard.release();
    return entity;
}

entity_t lookup_stored(const world_t* world, text_view path, text_view separator) {
    names::path_reader reader(path, separator, "::");
    return path.size == 0 ? 0 : find_from(stage_of(world), 0, reader, which_names::stored);
}

// With `climb`, the path is searched in the parent, in its ancestors, and in the lookup path.
entity_t lookup_path(const world_t* world, entity_t parent, text_view path, text_view separator,
                     text_view root_separator, bool climb) {
    const mutate::stage& owner = stage_of(world);
    const entity_t* scopes = impl_of(owner).lookup_path;
    if (path.size == 0) {
        return 0;
    }
    names::path_reader reader(path, separator, root_separator);
    if (reader.starts_at_root()) {
        return find_from(owner, 0, reader);
    }
    for (entity_t entity = parent;; entity = api::parent_of(owner, entity)) {
        if (entity_t match = find_from(owner, entity, reader)) {
            return match;
        }
        if (entity == 0 || !climb) {
            break;
        }
    }
    for (const entity_t* scope = scopes ? scopes : default_lookup_path; climb && *scope; ++scope) {
        if (entity_t entity = find_from(owner, *scope, reader)) {
            return entity;
        }
    }
    // Builtins are found under their own names whatever the lookup path.
    return climb ? find_from(owner, Kith, reader) : 0;
}

// The index of names by text alone costs O(names), so it is built only if the search is worth it.
bool index_texts_of_names(world_t* world, std::uint64_t worth) {
    names::name_index& names = impl_of(world).names;
    if (names.count() > worth) {
        return false;
    }
    names.open_texts();
    return true;
}

void drop_texts_of_names(world_t* world) noexcept {
    impl_of(world).names.close_texts();
}

const void* next_of_name(const world_t* world, text_view name, const void* last, entity_t& entity) {
    const names::name_index& names = impl_of(world).names;
    const auto* node =
        last ? names.next_of(*static_cast<const name_node*>(last)) : names.first_of(name);
    while (node && node->pending) {
        node = names.next_of(*node);
    }
    entity = node ? node->entity : 0;
    return node;
}

std::uint64_t count_moves_of_names(const world_t* world) noexcept {
    return impl_of(world).names.moves();
}

entity_t lookup_child(const world_t* world, entity_t parent, text_view path, bool climb) {
    if (parent == 0) {
        base::raise(errc::invalid_name,
                    "lookup on the null entity (0); use world.lookup for the root scope");
    }
    mutate::get_record(stage_of(world), parent);
    return lookup_path(world, parent, path, "::", "::", climb);
}

entity_t require_path(const world_t* world, text_view path) {
    const entity_t entity = lookup_path(world, get_scope(world), path, "::", "::", true);
    if (entity == 0) {
        raise_unknown_name(path);
    }
    return entity;
}

void set_name(world_t* world, entity_t entity, text_view name) {
    mutate::stage& owner = stage_of(world);
    checked_entity(entity, "set_name");
    mutate::get_record(owner, entity);
    if (name.size == 0) {
        remove_identifier(owner, entity, Name);
        return;
    }
    names::check_characters(name);
    if (mutate::is_recorded(owner)) {
        mutate::record_name(owner, entity, Name, mutate::queued_parent(owner, entity), name, false);
    } else if (owner.mode & mode_deferred) {
        // Commands before and after this one may be about the same name: their order is kept.
        entity_t parent = mutate::queued_parent(owner, entity);
        owner.queue.commands.start_segment();
        queue_name(owner, entity, parent, name);
        owner.queue.commands.start_segment();
    } else {
        give_name(owner, entity, api::parent_of(owner, entity), name);
    }
}

void set_symbol(world_t* world, entity_t entity, text_view symbol) {
    mutate::stage& owner = stage_of(world);
    mutate::get_record(owner, entity);
    if (mutate::is_recorded(owner)) {
        mutate::record_name(owner, entity, Symbol, 0, symbol, false);
        return;
    }
    store_identifier(owner, entity, Symbol, owner.names.add_unindexed(symbol, entity),
                     (owner.mode & mode_deferred) != 0);
}

void set_alias(world_t* world, entity_t entity, text_view alias) {
    mutate::stage& owner = stage_of(world);
    checked_entity(entity, "set_alias");
    mutate::get_record(owner, entity);
    if (alias.size == 0) {
        remove_identifier(owner, entity, Alias);
        return;
    }
    names::check_characters(alias);
    // The default alias of a type is the last element of its name.
    std::string_view text = alias;
    std::string_view element;
    for (names::path_reader reader(text, "::", "::"); reader.next(element);) {
        text = element;
    }
    if (mutate::is_recorded(owner)) {
        mutate::record_name(owner, entity, Alias, owner.creation.scope, text, false);
        return;
    }
    std::uint32_t scope = index_of(owner.creation.scope);
    if (const name_node* node = owner.names.find(scope, text)) {
        if (node->entity == entity) {
            return;
        }
        mutate::raise_name_taken(owner, text, owner.creation.scope, node->entity);
    }
    store_identifier(owner, entity, Alias, owner.names.add(scope, text, entity),
                     (owner.mode & mode_deferred) != 0);
}

entity_t set_scope(world_t* world, entity_t scope) {
    mutate::stage& owner = stage_of(world);
    if (scope != 0) {
        mutate::get_record(owner, scope);
    }
    entity_t previous = std::exchange(owner.creation.scope, scope);
    mutate::update_mode(owner);
    return previous;
}

entity_t open_scope(world_t* world, entity_t scope) {
    const entity_t previous = set_scope(world, scope);
    ++stage_of(world).creation.open_scopes;
    return previous;
}

void close_scope(world_t* world, entity_t previous) noexcept {
    mutate::stage& owner = stage_of(world);
    KITH_ASSERT(owner.creation.open_scopes > 0, "the scope was opened");
    --owner.creation.open_scopes;
    owner.creation.scope = owner.data.entities.find(previous) ? previous : 0;
    mutate::update_mode(owner);
}

entity_t get_scope(const world_t* world) {
    return stage_of(world).creation.scope;
}

entity_t* set_lookup_path(world_t* world, const entity_t* path) {
    mutate::check_not_recording(stage_of(world), "set_lookup_path");
    return const_cast<entity_t*>(std::exchange(impl_of(world).lookup_path, path));
}

std::size_t push_with(world_t* world, id_t id) {
    checked_id(id, "with", "the id");
    mutate::stage& owner = stage_of(world);
    if (!mutate::is_recorded(owner)) {
        mutate::prepare_id(owner, id);
    }
    std::size_t size = owner.creation.with.size();
    owner.creation.with.push(mutate::memory_of(owner), id, purpose::commands);
    mutate::update_mode(owner);
    return size;
}

void pop_with(world_t* world, std::size_t size) noexcept {
    mutate::stage& owner = stage_of(world);
    KITH_ASSERT(size <= owner.creation.with.size(), "the size is that of the matching push");
    owner.creation.with.truncate(static_cast<std::uint32_t>(size));
    mutate::update_mode(owner);
}

std::size_t with_count(const world_t* world) {
    return stage_of(world).creation.with.size();
}

void raise_unknown_name(text_view name) {
    base::raise(errc::invalid_name,
                base::text{} << "there is no entity \"" << std::string_view(name) << "\"");
}

}  // namespace kith::detail
