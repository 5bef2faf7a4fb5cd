// Whether an entity is a result of a query, where what the entity and its bases have in their
// tables decides that: no variables, no searches but for bases, nothing beside the tables. Most
// queries are like this, and for them a change is a matter of the entity alone, asked without
// running the query.
//
// What ids mean may change, and then a query is of this kind or no longer is; entities with
// something switched off have to be asked for by a run.
//
// Covered by tests/core/observe/monitor_types_test.cpp and tests/model/monitor_test.cpp.
#pragma once

#include "observe/affected_bindings.hpp"

namespace kith::observe {

class table_predicate {
public:
    table_predicate(const queries::compiled_query& query, const storage::store& data);

    // As the world is now.
    bool is_usable() noexcept {
        if (version_ != data_.version) [[unlikely]] {
            version_ = data_.version;
            usable_ = suits_ && suits_world();
        }
        return usable_;
    }
    // What follows is asked only if it is usable.

    // The change may make a result of the entity, or end it, and touches nobody else.
    bool is_about_one(const change& change) const noexcept;
    // The entity's result is what holds() says.
    bool can_decide(const storage::entity_record& record) const noexcept;
    bool holds(const storage::entity_record& record, entity_t entity) const;
    // The entity, which is a result, ceases to be one when it loses the id; or gets it.
    bool ends_by_loss(const storage::entity_record& record, const change& change) const;
    bool ends_by_gain(const change& change) const noexcept;
    // The fields of rows in a table of a result. False if a run must find them.
    bool fill(const storage::table& type, std::uint32_t first_row,
              detail::field_data* fields) const noexcept;

private:
    bool suits_world() const noexcept;
    bool has(const storage::table& type, const storage::entity_record& record, entity_t entity,
             const queries::term& term) const;

    const queries::compiled_query& query_;
    const queries::query_model& model_;
    const storage::store& data_;
    std::uint32_t hidden_;
    bool suits_ = false;     // the query is of this kind if the world is
    bool inherits_ = false;  // some term does
    bool usable_ = false;
    std::uint32_t version_ = 0;
};

}  // namespace kith::observe
