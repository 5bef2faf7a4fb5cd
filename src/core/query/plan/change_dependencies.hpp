// What the results of a query depend on, and when that last changed.
//
// Covered by tests/core/query/change_test.cpp, sort_kept_test.cpp and tests/model/change_test.cpp.
#pragma once

#include "query/plan/term_meaning.hpp"

#include <vector>

namespace kith::queries {

// What they depend on, beyond the tables and values that they are made of.
struct change_dependencies {
    // Ids that matter wherever they are: of sources other than $this, of what is traversed.
    struct pattern {
        id_t id;
        bool values;  // their values matter too
    };
    std::vector<pattern> anywhere;
    // What $this may have beside its table, or switch.
    std::vector<const storage::sparse_change_marks*> sparse;
    // An id that is in the table of each result that does not inherit it; 0: there is none.
    id_t marker = 0;
    // Terms that $this has from above, along a relationship with one target each.
    struct upward {
        id_t pattern;
        std::uint32_t relation;
        std::uint32_t min_depth;
        std::uint32_t max_depth;
        std::uint32_t field;
        bool written;  // by other terms of the query
    };
    std::vector<upward> upwards;
    // Results depend only on what $this owns, inherits, or finds above itself.
    bool follows_up = true;
    bool inherits = false;    // $this may have it from a base
    bool everything = false;  // no id of a term is in the table of every result
    bool by_row = false;      // not all rows of a table need have the same in all fields
};

// What the terms mean, which decides what they depend on.
class scope_basis {
public:
    scope_basis() = default;
    scope_basis(const storage::store& data, const query_model& model);
    bool holds(const storage::store& data, const query_model& model) const noexcept;
    bool has_same_semantics(const scope_basis& other) const noexcept {
        return meanings_ == other.meanings_;
    }

private:
    std::vector<term_semantics> meanings_;
    std::uint32_t schema_ = 0;
    std::uint32_t bases_ = 0;
};

// True if the entity has an id like this, or inherits it.
bool has_or_inherits(const storage::store& data, entity_t entity, id_t pattern);

// What a term asks for, with `*` for all that stands for several.
id_t pattern_of(const term& term) noexcept;

change_dependencies find_scope(const storage::store& data, const query_model& model);
// From now on changes of all this are counted. Not while others read.
void track_scope(storage::store& data, const query_model& model, change_dependencies& scope);
// The same for a query whose results are whole tables, each of which has the id `by`, or a base
// that has: only those are tracked. False if the query is another one.
bool track_tables(storage::store& data, const query_model& model, id_t by,
                  change_dependencies& scope);

// The last time that some entity got, lost or switched an id like the pattern.
std::uint64_t last_change(const storage::store& data,
                          const change_dependencies::pattern& pattern) noexcept;
// The last time that a value of such an id was written.
std::uint64_t last_written(const storage::store& data, id_t pattern) noexcept;
// The last time that the query may have got other results. Where values are may have changed, if
// rows of their tables have.
std::uint64_t structure_tick(const storage::store& data, const change_dependencies& scope) noexcept;

}  // namespace kith::queries
