// Drafts of systems: the entity comes first, settings that are lists follow
// (include/kith/detail/system_ops.hpp).
#include "api/draft.hpp"

#include <kith/kith.hpp>

#include <utility>

namespace kith::scheduling {

void check_may_change(const scheduler& owner, const char* call) {
    if (owner.running_here().empty()) {
        return;
    }
    const system_data& running = *owner.running_here().back();
    const run_way way = way_of(running.body->settings);
    if (is_parallel(way)) {
        detail::raise_error(
            errc::invalid_operation,
            (std::string(call) + " inside of " + path_text(owner.world(), running.entity) +
             ", which is parallel: only alone and immediate systems may make and change systems")
                .c_str());
    }
}

}  // namespace kith::scheduling

namespace kith::detail {

using scheduling::scheduler;

namespace {

// The entity of a name: found in the current scope, or made there. The lookup does not search in
// outer scopes: a system `a::Move` never takes over the entity of `::Move`.
entity_t find_or_make(world_t* world, text_view name, bool& created) {
    const entity_t scope = get_scope(world);
    const entity_t known = lookup_path(world, scope, name, "::", "::", false);
    created = known == 0;
    return known ? known : ensure_path(world, scope, name, "::", "::");
}

}  // namespace

system_draft* begin_system(world_t* world, text_view name) {
    scheduling::check_may_change(scheduler::of(world), "world.system()");
    auto draft = std::make_unique<system_draft>();
    draft->world = world;
    if (name.size == 0) {
        draft->entity = kith::entity(kith::world(world));
        draft->created = true;
    } else {
        draft->entity = find_or_make(world, name, draft->created);
    }
    return draft.release();
}

void share_draft(system_draft* draft) noexcept {
    ++draft->owners;
}

// The last owner deletes an entity that was made for a draft without a system. The function is
// called by destructors, so that a failure is swallowed.
void release_draft(system_draft* draft) noexcept {
    if (--draft->owners != 0) {
        return;
    }
    if (!draft->made && draft->created) {
        scheduling::attempt(
            [&] {
                if (is_alive(draft->world, draft->entity)) {
                    kith::entity(draft->world, draft->entity).destruct();
                }
            },
            [] {
                // The entity stays, and is no system.
            });
    }
    delete draft;
}

entity_t draft_entity(const system_draft* draft) noexcept {
    return draft->entity;
}

entity_t checked_subject(world_t* world, entity_t entity, const char* call) {
    if (!is_alive(world, entity)) {
        raise_error(errc::invalid_entity, (std::string(call) + ": the entity #" +
                                           std::to_string(index_of(entity)) + " is not alive")
                                              .c_str());
    }
    return entity;
}

void add_edge(system_draft* draft, entity_t relation, entity_t target) {
    static constexpr const char* calls[] = {"before", "after", "in", "ambiguous_with"};
    static_assert(AmbiguousWith - Before == 3);
    checked_subject(draft->world, target, calls[relation - Before]);
    if (target == draft->entity) {
        raise_error(errc::cycle, (scheduling::path_text(draft->world, target) + " " +
                                  calls[relation - Before] + " itself")
                                     .c_str());
    }
    draft->edges.emplace_back(relation, target);
}

// Targets are searched in outer scopes, too, before a new entity is made: an edge may name a system
// that is declared later.
void add_edge(system_draft* draft, entity_t relation, text_view target) {
    const entity_t scope = get_scope(draft->world);
    const entity_t known = lookup_path(draft->world, scope, target, "::", "::", true);
    bool created = false;
    add_edge(draft, relation, known ? known : find_or_make(draft->world, target, created));
}

void add_modified(system_draft* draft, id_t id) {
    draft->modified.push_back(checked_term(id, "modify", "the id"));
}

// The draft shares the query with the caller.
void add_condition(system_draft* draft, const query_head* query) {
    if (world_of(query) != draft->world) {
        raise_error(errc::invalid_operation, "run_if: the query belongs to another world");
    }
    query->owners.increment();
    draft->conditions.push_back({query_ref(const_cast<query_head*>(query)), {}});
}

// The query of a text is cached, since it is asked in each frame.
void add_condition(system_draft* draft, text_view query) {
    query_desc desc;
    desc.expr = query;
    desc.cache = cache_policy::tables;
    draft->conditions.push_back({query_ref(make_query(draft->world, desc)), {}});
}

void add_condition(system_draft* draft, const condition_function& function) {
    draft->conditions.push_back({query_ref(), function});
}

}  // namespace kith::detail
