// Relationships that are declared with their properties (include/kith/relation.hpp), and slots of
// prefabs.
#include <kith/relation.hpp>

#include "api/world_impl.hpp"
#include "base/assert.hpp"
#include "base/log.hpp"
#include "mutate/ops/add_remove.hpp"
#include "mutate/queue/defer.hpp"
#include "mutate/queue/queued_place.hpp"

namespace kith::detail {

using mutate::stage;
using mutate::stage_of;

namespace {

// The properties of a description as ids.
class property_list {
public:
    explicit property_list(const relation_desc& desc) {
        ids_[count_++] = Relationship;
        add_if(desc.exclusive, Exclusive);
        add_if(desc.tag, Tag);
        add_if(desc.symmetric, Symmetric);
        add_if(desc.transitive, Transitive);
        add_if(desc.reflexive, Reflexive);
        add_if(desc.acyclic, Acyclic);
        add_if(desc.traversable, Traversable);
        add_if(desc.final, Final);
        add_if(desc.dont_inherit, DontInherit);
        add_if(desc.transient, Transient);
        add_if(desc.storage == storage_kind::sparse, Sparse);
        add_if(desc.on_delete != 0, make_pair(OnDelete, desc.on_delete));
        add_if(desc.on_delete_target != 0, make_pair(OnDeleteTarget, desc.on_delete_target));
        add_if(desc.with != 0, make_pair(With, desc.with));
        add_if(desc.one_of == This, OneOf);
        add_if(desc.one_of != 0 && desc.one_of != This, make_pair(OneOf, desc.one_of));
    }

    const id_t* begin() const noexcept { return ids_; }
    std::uint32_t count() const noexcept { return count_; }

private:
    void add_if(bool condition, id_t id) noexcept {
        if (condition) {
            KITH_ASSERT(count_ < std::size(ids_), "each property is listed once");
            ids_[count_++] = id;
        }
    }

    id_t ids_[17];  // Relationship, and at most one id per field of the description
    std::uint32_t count_ = 0;
};

// Throws unless the entity is a cleanup action, or 0.
void check_action(const stage& owner, entity_t action) {
    if (action != 0 && action != Remove && action != Delete && action != Panic) {
        mutate::raise_id(owner, errc::invalid_id, action,
                         "is no cleanup action: those are Remove, Delete and Panic");
    }
}

// Throws unless the entity can be the target of a property, or is 0.
void check_element(const stage& owner, entity_t element) {
    bool known_type = element < first_entity && find_type(static_cast<std::uint32_t>(element));
    if (element != 0 &&
        (is_wildcard(element) || (!owner.data.entities.find(element) && !known_type))) {
        mutate::raise_id(owner, errc::invalid_id, element,
                         "is no entity that a relationship could refer to");
    }
}

}  // namespace

void check_relation(const world_t* world, const relation_desc& desc) {
    const stage& owner = stage_of(world);
    if (desc.symmetric && (desc.acyclic || desc.traversable || desc.transitive)) {
        base::text message;
        message << "a relationship cannot be symmetric and "
                << (desc.acyclic       ? "acyclic"
                    : desc.traversable ? "traversable"
                                       : "transitive")
                << ": every pair would close a cycle";
        base::raise(errc::constraint, message);
    }
    check_action(owner, desc.on_delete);
    check_action(owner, desc.on_delete_target);
    check_element(owner, desc.with);
    check_element(owner, desc.one_of);
}

// A check for development: builds without KITH_ASSERTS do nothing.
void check_component_pair(const world_t* world, std::uint32_t first, std::uint32_t second) {
#if defined(KITH_ASSERTS) && KITH_ASSERTS
    const storage::store& data = stage_of(world).data;
    if (traits::is_relationship(data, first) || traits::is_relationship(data, second)) {
        return;
    }
    const char* name = find_type(first)->name;
    const char* target = find_type(second)->name;
    base::warn(
        base::text{} << "<" << name << ", " << target << "> names the pair (" << name << ","
                     << target << "), and both are components: two components are two calls, "
                     << "or has_all<" << name << ", " << target
                     << ">(); a relationship is declared by world.relation<" << name << ">({...})");
#else
    static_cast<void>(world);
    static_cast<void>(first);
    static_cast<void>(second);
#endif
}

// The properties are added by a single change, so a refusal leaves the entity as it was.
void declare_relation(world_t* world, entity_t entity, const relation_desc& desc) {
    stage& owner = stage_of(world);
    check_relation(world, desc);
    const property_list properties(desc);
    if (owner.mode & mode_deferred) {
        mutate::defer_properties(owner, entity, properties.begin(), properties.count());
        return;
    }
    mutate::get_record(owner, entity);
    mutate::add_ids(owner, entity, properties.begin(), properties.count());
}

}  // namespace kith::detail

namespace kith {

entity& entity::slot() {
    mutate::stage& owner = mutate::stage_of(world_);
    mutate::get_record(owner, id_);
    entity_t above = mutate::queued_parent(owner, id_);
    if (above == 0) {
        mutate::raise_id(owner, errc::invalid_operation, id_,
                         "has no parent that it could be a slot of");
    }
    return slot_of(above);
}

}  // namespace kith
