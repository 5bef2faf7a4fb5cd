// Warns once per query when a callback that may write receives an inherited value: a write would
// change the value of the base, and with it the value of all instances. Declared in
// include/kith/detail/query_ops.hpp.
//
// Covered by tests/features/idioms/inherited_write_test.cpp.
#include <kith/query.hpp>

#include "api/query_text.hpp"
#include "api/world_impl.hpp"
#include "base/log.hpp"
#include "names/id_text.hpp"
#include "query/plan_text.hpp"
#include "traits/inherit.hpp"

#include <bit>

namespace kith::detail {

using api::impl_of;
using api::world_impl;
using api::write_query_id;

namespace {

// The entity that owns the value of a row, 0 if the row's entity does.
entity_t find_source(const world_impl& owner, const result& result, const field_data& field,
                     std::uint32_t row) {
    if (!result.rows || !field.values) {
        return field.source;
    }
    const entity_t entity = result.entities[result.rows[row]];
    const storage::entity_record& record = *owner.data.entities.find(entity);
    return storage::owns_id(owner.data, record, entity, field.id)
               ? 0
               : traits::find_base(owner.data, record, entity, field.id);
}

// Writes the warning for one row.
void warn_of_row(const queries::compiled_query& query, id_t id, entity_t base, entity_t instance) {
    world_t* world = query.link->world;
    const mutate::stage& owner = mutate::stage_of(world);
    base::text name;
    names::describe_id(owner.data, id, name);
    base::text message;
    message << "a callback that may write " << name.view() << " got the value of the base ";
    names::describe_id(owner.data, base, message);
    if (instance != 0) {
        message << " for its instance ";
        names::describe_id(owner.data, instance, message);
    }
    std::string terms;
    queries::append_terms(world, write_query_id, query.model, terms);
    message << " (query \"" << std::string_view{terms}
            << "\"): what it writes is changed for all instances. Take a const " << name.view()
            << ", give instances a value of their own (override), or match own values only: "
            << name.view() << "(self), .self()";
    base::warn(message);
}

}  // namespace

// Checks the fields of the set `fields`. Returns the fields that later results have to be checked
// for; 0 after a warning.
std::uint64_t warn_of_inherited(const query_head* head, const result& result,
                                std::uint64_t fields) {
    const queries::compiled_query& query = queries::compiled(head);
    const std::uint64_t checked =
        query.warned.load() != 0 ? 0 : fields & queries::inheritable_fields(query.model);
    for (std::uint64_t rest = checked; rest != 0; rest &= rest - 1) {
        const auto position = static_cast<std::uint32_t>(std::countr_zero(rest));
        if (position >= result.field_count) {
            break;
        }
        const field_data& field = result.fields[position];
        // Results that join rows of several sources have one value per row.
        const std::uint32_t rows = result.rows && field.values ? result.count : 1;
        for (std::uint32_t row = 0; row < rows; ++row) {
            const entity_t source = find_source(impl_of(query.link->world), result, field, row);
            if (source == 0 || (!field.value && !field.values)) {
                continue;
            }
            query.warned.store(1);
            const std::uint32_t place = result.rows ? result.rows[row] : row;
            warn_of_row(query, field.id, source, result.count != 0 ? result.entities[place] : 0);
            return 0;
        }
    }
    return checked;
}

// world.each() makes a query per call, and carries the mark from one query to the next by these
// functions: see each_match() in query_inl.hpp.
bool is_warned(const query_head* query) noexcept {
    return queries::compiled(query).warned.load() != 0;
}

void set_warned(query_head* query) noexcept {
    queries::compiled(query).warned.store(1);
}

}  // namespace kith::detail
