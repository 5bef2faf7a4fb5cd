// Decides whether an entity is a result of a query without running the query. That is possible
// where the table types of the entity and of its bases decide: the query has no variables besides
// $this, searches along IsA alone, and none of its ids is sparse. Most queries are of this kind,
// and for them a change affects the changed entity only.
//
// Properties of ids may change while the world lives, so is_usable() must be asked before each use.
// Entities with a disabled id (see toggle) are decided by a run of the query.
//
// Covered by tests/features/monitors/types_test.cpp and tests/model/monitor_test.cpp.
#pragma once

#include "observe/monitor/binding.hpp"
#include "query/compiled_query.hpp"

namespace kith::observe {

// The test of one query. Requires: the query and the store live longer.
class table_predicate {
public:
    table_predicate(const queries::compiled_query& query, const storage::store& data);

    // True if the test applies to the query in the present world. The answer is computed again when
    // the store's version (of the meaning of ids) has changed. The functions below require a true
    // answer.
    bool is_usable() noexcept {
        if (version_ != data_.version) [[unlikely]] {
            version_ = data_.version;
            usable_ = suits_ && suits_world();
        }
        return usable_;
    }

    // True if the change can make or end the result of the changed entity only.
    bool is_about_one(const change& change) const noexcept;
    // True if holds() gives the answer for this entity.
    bool can_decide(const storage::entity_record& record) const noexcept;
    // True if the entity is a result now.
    bool holds(const storage::entity_record& record, entity_t entity) const;
    // True if the entity, which is a result, is none after losing the id.
    bool ends_by_loss(const storage::entity_record& record, const change& change) const;
    // True if the entity, which is a result, is none after gaining the id.
    bool ends_by_gain(const change& change) const noexcept;
    // Writes the fields of a result that begins at this row. False if only a run can find them: the
    // query tracks writes, is ordered, inherits a value, or has wildcards.
    bool fill(const storage::table& type, std::uint32_t first_row,
              detail::field_data* fields) const noexcept;

private:
    // True if the ids of the query are neither sparse nor transitive nor otherwise extended at
    // present.
    bool suits_world() const noexcept;
    // True if the entity owns or inherits an id of the term.
    bool has(const storage::table& type, const storage::entity_record& record, entity_t entity,
             const queries::term& term) const;

    const queries::compiled_query& query_;
    const queries::query_model& model_;
    const storage::store& data_;
    std::uint32_t hidden_;   // flags of tables that the query leaves out
    bool suits_ = false;     // the query is of this kind, whatever the world says
    bool inherits_ = false;  // a term searches bases
    bool usable_ = false;    // the answer of is_usable() for version_
    std::uint32_t version_ = 0;
};

}  // namespace kith::observe
