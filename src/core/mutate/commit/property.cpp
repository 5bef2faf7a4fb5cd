// Implements property.hpp.
#include "mutate/commit/property.hpp"

#include "ids/builtin.hpp"
#include "mutate/rules/constraints.hpp"
#include "storage/table_layout.hpp"
#include "traits/implications.hpp"

namespace kith::mutate {

using storage::id_record;
using storage::table;

namespace {

// Throws if kith itself relies on the property of a builtin. The storage of hierarchies and the
// cleanup policies are the program's choice.
void check_builtin(const stage& world, entity_t element, std::uint32_t changed_traits) {
    constexpr std::uint32_t policies = traits::trait_delete_holders | traits::trait_delete_sources |
                                       traits::trait_panic_holders | traits::trait_panic_sources |
                                       traits::trait_remove_holders;
    std::uint32_t allowed = policies | traits::trait_transient | traits::trait_relationship;
    if (element == ChildOf || element == DependsOn) {
        allowed |= traits::trait_sparse;
    }
    if (ids::is_builtin(index_of(element)) && changed_traits & ~allowed) {
        raise_id(world, errc::constraint, element,
                 "is part of kith: this property of it cannot be changed");
    }
}

}  // namespace

property_change::property_change(stage& world, entity_t element, const table& from, const table& to)
    : world_(world), element_(element) {
    id_record& own = world.data.ids.ensure(element);
    before_ = own.traits;
    // Traits that other entities imply, and the table does not show, stay.
    std::uint32_t implied = before_ & ~traits::traits_of(from.ids, from.id_count);
    after_ = traits::traits_of(to.ids, to.id_count) | implied;
    check_builtin(world, element, before_ ^ after_);
    check_new_traits(world, element, before_, after_, to);
    check_pairs(from, to);
    if ((before_ ^ after_) & traits::trait_sparse) {
        migration_.emplace(world, element, after_, to);
    }
}

// Checks the properties that are pairs: With, OneOf and cleanup policies.
void property_change::check_pairs(const table& from, const table& to) {
    storage::store& data = world_.data;
    for (std::uint32_t i = 0; i < to.id_count; ++i) {
        id_t id = to.ids[i];
        std::uint32_t property = is_pair(id) ? pair_first(id) : index_of(id);
        if (storage::find_id(from, id) >= 0) {
            continue;
        }
        if (property == With && is_pair(id)) {
            entity_t implied_id = data.entities.alive_at(pair_second(id));
            check_new_with(world_, element_, implied_id);
            data.ids.ensure(implied_id);
        }
        if (is_pair(id) && (property == OnDelete || property == OnDeleteTarget)) {
            entity_t action = pair_second(id);
            if (action != Remove && action != Delete && action != Panic) {
                raise_id(world_, errc::invalid_id, id,
                         "is no cleanup policy: the actions are Remove, Delete and Panic");
            }
        }
    }
    check_new_scope(world_, element_, to);
}

void property_change::finish() noexcept {
    storage::store& data = world_.data;
    // A hook with suspended deferring may have deleted the element.
    id_record* own = data.entities.find(element_) ? data.ids.find(element_) : nullptr;
    if (!own) {
        return;
    }
    // The flag makes the deletion of the entity drop the record.
    data.entities.at(index_of(element_)).state |= storage::record_used_as_id;
    own->traits = after_;
    if (migration_) {
        migration_->commit();
    }
    // These traits do not affect rows, values or edges.
    constexpr std::uint32_t untracked =
        traits::trait_final | traits::trait_transient | traits::trait_relationship;
    if ((before_ ^ after_) & ~untracked) {
        redescribe(world_, index_of(element_));
    } else if (before_ != after_) {
        data.ids.note_change();
    }
    if (storage::link_store* links = storage::find_links(data, index_of(element_))) {
        links->set_exclusive(traits::is_exclusive(after_), data.entities);
    }
    constexpr id_t any_with = make_pair(With, Wildcard);
    const table& type = data.tables.at(data.entities.find(element_)->table);
    for (std::int32_t position = storage::find_match(type, any_with, 0); position >= 0;
         position = storage::next_match(type, any_with, position)) {
        std::uint32_t implied_id = pair_second(type.ids[position]);
        id_record& required = *data.ids.find(data.entities.alive_at(implied_id));
        if (!traits::may_be_required(required.traits)) {
            required.traits |= traits::trait_required;
            redescribe(world_, implied_id);
        }
    }
}

void redescribe(stage& world, std::uint32_t element) noexcept {
    // Flags of tables and edges depend on traits, so all of them are computed again.
    storage::store& data = world.data;
    data.schema_changed();
    // Returns true if tables were deleted. The old value type is needed to delete tables with the
    // old layout.
    auto describe_again = [&](id_record& record) {
        types::component_type* before = record.value_type;
        traits::describe(data, record);
        types::component_type* after = record.value_type;
        if (before == after) {
            return false;
        }
        // Tables with the old layout are empty, or the change would have been refused.
        record.value_type = before;
        const bool has_tables = !record.tables.empty();
        while (!record.tables.empty()) {
            data.tables.remove(data.tables.at(record.tables.back().table));
        }
        record.value_type = after;
        return has_tables;
    };
    if (id_record* any = data.ids.find(make_pair(element, Wildcard))) {
        describe_again(*any);
        // A deleted table may have been the last active one of its pairs, which changes their order
        // in the list: pairs that a pass may have skipped are described by the next one.
        bool reordered = true;
        while (reordered) {
            reordered = false;
            for (id_record* pair : any->pairs) {
                reordered |= describe_again(*pair);
            }
        }
    }
    for (id_record* pair = data.ids.first_with_target(element); pair;
         pair = data.ids.next_with_target(*pair)) {
        describe_again(*pair);
    }
    if (id_record* own = data.ids.find(data.entities.alive_at(element))) {
        traits::describe(data, *own);
    }
    for (std::uint32_t number = 0; number < data.tables.number_limit(); ++number) {
        if (table* affected_table = data.tables.find_number(number)) {
            storage::refresh_flags(*affected_table);
        }
    }
    data.tables.drop_edges();
}

}  // namespace kith::mutate
