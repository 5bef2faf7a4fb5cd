// The dependencies of a query: which ids, tables and values its results depend on, and the tick of
// their last change. Change detection (seen_versions.hpp) and sorted queries that keep their
// results (order/materialized_results.hpp) use them.
//
// Covered by tests/features/changes/detection_test.cpp, tests/unit/query/sort_kept_test.cpp and
// tests/model/change_test.cpp.
#pragma once

#include "query/plan/term_semantics.hpp"

#include <vector>

namespace kith::queries {

// The dependencies of results in addition to the rows and values of the tables that results are in.
struct change_dependencies {
    // Ids whose changes matter wherever they happen: ids of fixed sources and variables, and
    // relationships that terms follow.
    struct pattern {
        id_t id;      // 0: every id
        bool values;  // written values matter as well
    };
    std::vector<pattern> anywhere;
    // The change marks of sparse ids, links and toggles of $this.
    std::vector<const storage::sparse_change_marks*> sparse;
    // An id that the table of each result has, unless the result inherits it; 0: there is none.
    id_t marker = 0;
    // A term whose value $this takes from the nearest ancestor along an exclusive relationship.
    struct upward {
        id_t pattern;
        std::uint32_t relation;
        std::uint32_t min_depth;
        std::uint32_t max_depth;
        std::uint32_t field;
        bool written;  // another term of the query writes values of the same id
    };
    std::vector<upward> upwards;
    // Results depend only on ids that $this owns, inherits, or finds on its ancestors.
    bool follows_up = true;
    bool inherits = false;    // $this may satisfy a term through a base
    bool everything = false;  // no id marks the tables of results: changes of all tables matter
    bool by_row = false;      // rows of one table may differ in a field
};

// The semantics of the terms at one moment. Dependencies follow from them, and have to be found
// again once they differ.
class semantics_snapshot {
public:
    semantics_snapshot() = default;
    semantics_snapshot(const storage::store& data, const query_model& model);
    // True if the terms still have the semantics of the snapshot. Cheap unless IsA pairs changed.
    bool holds(const storage::store& data, const query_model& model) const noexcept;
    bool has_same_semantics(const semantics_snapshot& other) const noexcept {
        return meanings_ == other.meanings_;
    }

private:
    std::vector<term_semantics> meanings_;  // of each term
    std::uint32_t schema_ = 0;              // store::schema at that moment
    std::uint32_t bases_ = 0;               // store::base_version at that moment
};

// True if the entity has or inherits an id that matches the pattern.
bool has_or_inherits(const storage::store& data, entity_t entity, id_t pattern);

// The id of a term as a key of change marks: variables, `_` and `*` all become `*`.
id_t pattern_of(const term& term) noexcept;

// The dependencies of the query by the present semantics of its terms.
change_dependencies find_dependencies(const storage::store& data, const query_model& model);
// Starts to record the ticks of all changes that the dependencies name, and fills in
// `dependencies.sparse`. Requires: no other thread changes the world. None reads it either, unless
// all of these changes are recorded already; then the call only reads. refresh() calls this
// function under the mutex of updates, which does not keep readers of the world out.
void track_dependencies(storage::store& data, const query_model& model,
                        change_dependencies& dependencies);
// Records ticks of tables with the id `marker` only. That suffices for a query whose results are
// whole tables, each of which has or inherits this id; returns false for other queries.
bool track_tables(storage::store& data, const query_model& model, id_t marker,
                  change_dependencies& dependencies);

// The tick at which an entity last got, lost or toggled an id that matches the pattern.
std::uint64_t last_change(const storage::store& data,
                          const change_dependencies::pattern& pattern) noexcept;
// The tick at which a value of an id that matches the pattern was last written, added or removed.
std::uint64_t last_written(const storage::store& data, id_t pattern) noexcept;
// The tick at which the query may last have got other results. Addresses of values are not covered:
// they change with the rows of their tables.
std::uint64_t structure_tick(const storage::store& data,
                             const change_dependencies& dependencies) noexcept;

}  // namespace kith::queries
