// Handles inside of values: those that name no living entity, and those whose entity's deletion
// changes the value (include/kith/description.hpp, kith/detail/handle_ops.hpp).
#include <kith/detail/assert.hpp>
#include <kith/detail/handle_ops.hpp>
#include <kith/detail/state_ops.hpp>
#include <kith/detail/value_text.hpp>
#include <kith/world.hpp>

#include "component_types.hpp"
#include "index_keys.hpp"
#include "life.hpp"
#include "literal.hpp"
#include "parts.hpp"
#include "raise.hpp"
#include "text_writer.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace kith {

namespace values {

namespace {

// Visits the handles of values, with the policy of the innermost member that has one. Types without
// entities are passed over. The path is written only if `with_paths` is set.
class handle_walk {
public:
    using visit_handle = void (*)(void* context, entity_t target, handle_policy policy,
                                  const std::string& path);
    handle_walk(const world_t* world, bool with_paths, visit_handle report, void* context)
        : world_(world), with_paths_(with_paths), report_(report), context_(context) {}

    void visit(const description& described, const void* value, handle_policy policy) {
        const description& type = detail::in_world(world_, described);
        if (type.what == kind::entity) {
            if (const entity_t target = type.ops->entity(type, value)) {
                report_(context_, target, policy, path_);
            }
            return;
        }
        if (!has_handles(type) || depth_ == most_depth) {
            return;
        }
        ++depth_;
        visit_inside(type, value, policy);
        --depth_;
    }

private:
    bool has_handles(const description& type) {
        const auto [known, is_new] = holds_.try_emplace(&type, false);
        if (is_new) {
            known->second = detail::has_entities(world_, type);
        }
        return known->second;
    }
    void visit_inside(const description& type, const void* value, handle_policy policy) {
        switch (type.what) {
            case kind::structure:
            case kind::tuple:
            case kind::array:
                visit_fixed(type, value, policy);
                break;
            case kind::list:
            case kind::set:
            case kind::map:
                visit_entries(type, value, policy);
                break;
            case kind::optional:
                visit_present(inner_value(type, value), policy);
                break;
            case kind::variant:
                visit_present(alternative_of(type, value).inner, policy);
                break;
            case kind::opaque:
                with_representation(type, value, [&](const description& shown, const void* part) {
                    visit(shown, part, policy);
                });
                break;
            default:
                break;
        }
    }
    void visit_fixed(const description& type, const void* value, handle_policy policy) {
        for (std::uint32_t i = 0; i < type.count; ++i) {
            const typed_value part = fixed_part(type, value, i);
            const member_attributes* given =
                type.what == kind::structure ? type.members[i].attributes : nullptr;
            const std::size_t length = path_.size();
            if (with_paths_) {
                path_ += type.what == kind::structure
                             ? (path_.empty() ? "" : ".") + std::string(type.members[i].name)
                             : "[" + std::to_string(i) + "]";
            }
            visit(*part.type, part.value,
                  given && given->on_delete_target != handle_policy::keep ? given->on_delete_target
                                                                          : policy);
            path_.resize(length);
        }
    }
    // Keys of maps stand in the paths of their values, and count as parts of them.
    void visit_entries(const description& type, const void* value, handle_policy policy) {
        std::size_t index = 0;
        for (const container_entry& entry : ordered_entries(type, value)) {
            const std::size_t length = path_.size();
            if (with_paths_) {
                path_ += '[';
                if (type.key) {
                    text_style style;
                    style.world = world_;
                    append_value(path_, style, *type.key, entry.key);
                } else {
                    path_ += std::to_string(index);
                }
                path_ += ']';
            }
            ++index;
            visit_present({type.key, entry.key}, policy);
            visit(*type.element, entry.element, policy);
            path_.resize(length);
        }
    }
    void visit_present(const typed_value& part, handle_policy policy) {
        if (part.value) {
            visit(*part.type, part.value, policy);
        }
    }

    const world_t* world_;
    bool with_paths_;
    visit_handle report_;
    void* context_;
    std::string path_;
    std::size_t depth_ = 0;
    std::unordered_map<const description*, bool> holds_;
};

// Sets the handles to one entity to null, where their policy is clear. Elements of sets and keys of
// maps cannot be null: they are erased. Nothing is allocated outside of opaque types, because the
// deletion has been notified already.
class handle_clearing {
public:
    handle_clearing(world_t* world, entity_t target) : world_(world), target_(target) {}

    void visit(const description& described, void* value, handle_policy policy) {
        KITH_ASSERT(value, "handles lie inside of a value");
        const description& type = detail::in_world(world_, described);
        if (type.what == kind::entity) {
            if (policy == handle_policy::clear && names_target(type, value)) {
                type.ops->assign_entity(type, value, world_, 0);
            }
            return;
        }
        if (depth_ == most_depth) {
            return;
        }
        ++depth_;
        visit_inside(type, value, policy);
        --depth_;
    }

private:
    bool names_target(const description& type, const void* value) const {
        return type.what == kind::entity && type.ops->entity(type, value) == target_;
    }
    void visit_inside(const description& type, void* value, handle_policy policy) {
        switch (type.what) {
            case kind::structure:
            case kind::tuple:
            case kind::array:
                visit_fixed(type, value, policy);
                break;
            case kind::list:
            case kind::set:
            case kind::map:
                visit_entries(type, value, policy);
                break;
            case kind::optional:
            case kind::variant: {
                const typed_value part = type.what == kind::optional
                                             ? inner_value(type, value)
                                             : alternative_of(type, value).inner;
                if (part.value) {
                    visit(*part.type, const_cast<void*>(part.value), policy);
                }
                break;
            }
            case kind::opaque:
                visit_opaque(type, value, policy);
                break;
            default:
                break;
        }
    }
    void visit_fixed(const description& type, void* value, handle_policy policy) {
        for (std::uint32_t i = 0; i < type.count; ++i) {
            const typed_value part = fixed_part(type, value, i);
            const member_attributes* given =
                type.what == kind::structure ? type.members[i].attributes : nullptr;
            visit(*part.type, const_cast<void*>(part.value),
                  given && given->on_delete_target != handle_policy::keep ? given->on_delete_target
                                                                          : policy);
        }
    }
    void visit_entries(const description& type, void* value, handle_policy policy) {
        while (policy == handle_policy::clear && type.what != kind::list) {
            const void* key = find_key(type, value);
            if (!key) {
                break;
            }
            type.ops->erase(type, value, key);
        }
        if (type.what == kind::set) {
            return;
        }
        struct call {
            handle_clearing& walk;
            const description& element;
            handle_policy policy;
        } to{*this, *type.element, policy};
        type.ops->each(
            type, value,
            [](void* context, const void*, const void* element) {
                const call& known = *static_cast<call*>(context);
                known.walk.visit(known.element, const_cast<void*>(element), known.policy);
            },
            &to);
    }
    // The element of a set, or key of a map, that names the entity; null if there is none.
    const void* find_key(const description& type, const void* value) const {
        struct search {
            const handle_clearing& walk;
            const description& type;
            const void* found;
        } state{*this, type.key ? *type.key : *type.element, nullptr};
        type.ops->each(
            type, value,
            [](void* context, const void* key, const void* element) {
                search& known = *static_cast<search*>(context);
                const void* one = key ? key : element;
                known.found = known.walk.names_target(known.type, one) ? one : known.found;
            },
            &state);
        return state.found;
    }
    void visit_opaque(const description& type, void* value, handle_policy policy) {
        with_representation(type, value, [&](const description& shown, const void* part) {
            const value_box changed(shown.life, part);
            visit(shown, changed.get(), policy);
            type.ops->assign(type, value, changed.get());
        });
    }

    world_t* world_;
    entity_t target_;
    std::size_t depth_ = 0;
};

// True if a member of the type, or of a type inside of it, has a policy.
bool finds_policy(const world_t* world, const description* described,
                  std::unordered_set<const description*>& seen) {
    if (!described) {
        return false;
    }
    const description& type = detail::in_world(world, *described);
    if (!seen.insert(&type).second) {
        return false;
    }
    return finds_policy(world, type.element, seen) || finds_policy(world, type.key, seen) ||
           std::any_of(type.begin(), type.end(), [&](const member_info& member) {
               return (member.attributes &&
                       member.attributes->on_delete_target != handle_policy::keep) ||
                      finds_policy(world, member.type, seen);
           });
}

// The answer is kept until the world describes types anew.
bool has_policies(world_t* world, entity_t component) {
    const description* type = detail::find_description(world, component);
    if (!type || type->what == kind::none) {
        return false;
    }
    type_library* library = find_library(world);
    if (!library) {
        return false;  // the descriptions of the process have no policies
    }
    if (const bool* known = library->find_ruled(*type)) {
        return *known;
    }
    std::unordered_set<const description*> seen;
    return library->keep_ruled(*type, finds_policy(world, type, seen));
}

void each_ruled_handle(world_t* world, entity_t component, const void* value,
                       void (*visit)(void* context, entity_t target, handle_policy policy),
                       void* context) {
    struct call {
        void (*visit)(void* context, entity_t target, handle_policy policy);
        void* context;
    } to{visit, context};
    if (const description* type = detail::find_description(world, component)) {
        handle_walk(
            world, false,
            [](void* target, entity_t entity, handle_policy policy, const std::string&) {
                if (policy != handle_policy::keep) {
                    const call& known = *static_cast<call*>(target);
                    known.visit(known.context, entity, policy);
                }
            },
            &to)
            .visit(*type, value, handle_policy::keep);
    }
}
void clear_ruled_handles(world_t* world, entity_t component, void* value, entity_t target) {
    if (const description* type = detail::find_description(world, component)) {
        handle_clearing(world, target).visit(*type, value, handle_policy::keep);
    }
}

// The keys of an index on handles: the entities that a value names. Handles without a policy count
// as well, so that attributes of members need no other index.
struct handle_keys final : index_keys {
    const world_t* world;
};

void each_handle_key(const detail::value_key& key, const void* value,
                     void (*visit)(void* context, std::uint64_t key), void* context) {
    const world_t* world = static_cast<const handle_keys&>(key).world;
    struct call {
        void (*visit)(void* context, std::uint64_t key);
        void* context;
    } to{visit, context};
    if (const description* type = detail::find_description(world, key.component)) {
        handle_walk(
            world, false,
            [](void* target, entity_t entity, handle_policy, const std::string&) {
                const call& known = *static_cast<call*>(target);
                known.visit(known.context, entity);
            },
            &to)
            .visit(*type, value, handle_policy::keep);
    }
}

detail::value_key* make_handle_key(world_t* world, entity_t component) {
    KITH_ASSERT(world && component, "an index is about a component of a world");
    auto made = std::make_unique<handle_keys>();
    made->world = world;
    made->component = component;
    made->each = each_handle_key;
    made->end = [](detail::value_key* key) noexcept { delete static_cast<handle_keys*>(key); };
    return made.release();
}

std::uint64_t version_of_handles(const world_t* world) {
    const type_library* library = find_library(world);
    return library ? library->version() : 0;
}

// Any other entity is no policy, and has no word.
const char* word_of_policy(entity_t policy) {
    return policy == Remove   ? policy_name(handle_policy::remove)
           : policy == Delete ? policy_name(handle_policy::erase)
           : policy == Clear  ? policy_name(handle_policy::clear)
                              : "";
}

constexpr detail::handle_rules all_rules{has_policies, each_ruled_handle, make_handle_key,
                                         version_of_handles, clear_ruled_handles};

}  // namespace

void use_handle_policies(world_t* world) {
    detail::set_handle_rules(world, all_rules);
    find_library(world)->note_change();
}

}  // namespace values

namespace detail {

void set_handle_policy(world_t* world, entity_t component, entity_t policy) {
    set_attribute(world, component, attribute::on_delete_target, 0, 0,
                  values::word_of_policy(policy));
    values::use_handle_policies(world);
}

void each_dangling(world_t* world,
                   void (*visit)(void* context, entity_t owner, id_t id, const char* path,
                                 entity_t dead),
                   void* context) {
    struct found {
        entity_t owner;
        id_t id;
        std::string path;
        entity_t dead;
    };
    struct search {
        world_t* world;
        std::vector<found> list;
        entity_t owner;
        id_t id;
    } state{world, {}, 0, 0};
    // The list is complete before the first call: the program may change the world then.
    each_stored_id(
        world,
        [](void* into, const stored_ids& ids) {
            search& to = *static_cast<search*>(into);
            const description* type =
                ids.component ? find_description(to.world, ids.component) : nullptr;
            if (!type || !has_entities(to.world, *type)) {
                return;
            }
            values::handle_walk walk(
                to.world, true,
                [](void* target, entity_t entity, handle_policy, const std::string& path) {
                    search& known = *static_cast<search*>(target);
                    if (!is_alive(known.world, entity)) {
                        known.list.push_back({known.owner, known.id, path, entity});
                    }
                },
                &to);
            for (std::size_t i = 0; i < ids.count; ++i) {
                to.owner = ids.entities[i];
                to.id = ids.id;
                walk.visit(*type,
                           ids.each ? ids.each[i] : values::part_at(ids.values, i * ids.type->size),
                           handle_policy::keep);
            }
        },
        &state);
    for (const found& one : state.list) {
        visit(context, one.owner, one.id, one.path.c_str(), one.dead);
    }
}

}  // namespace detail

}  // namespace kith
