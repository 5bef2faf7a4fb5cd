// The execution context: the part of a run that all operators of a plan share. It holds the rows
// that $this is, the bindings of the other variables, and the fields of the result. Operators read
// the store through it and never write the store. Implemented in exec_context.cpp.
//
// Invariants
// 1. `fields` has room for `model.field_count` fields.
// 2. `self.table` is null, or the table with the number `self.rows.table`.
// 3. `self.rows` lies inside of `self.whole`, which is a range of the same table.
// 4. `bindings` is null for flat plans, which have no variable but $this. In block plans,
//    `self.table` is not null while bit 0 of `bindings->bound` is set.
#pragma once

#include <kith/detail/query_layout.hpp>

#include "base/assert.hpp"
#include "query/exec/candidates.hpp"
#include "query/exec/fields.hpp"
#include "query/exec/matches.hpp"
#include "query/plan/plan.hpp"

#include <string_view>

namespace kith::queries {

// Access to the names of entities, which storage knows nothing of.
struct name_reader {
    world_t* world = nullptr;
    // The entity at a path; 0: none.
    entity_t (*find)(world_t* world, const char* path) = nullptr;
    // Empty if the entity has no name.
    std::string_view (*name)(world_t* world, entity_t entity) = nullptr;
};

// The rows that $this is at present.
struct this_rows {
    const storage::table* table = nullptr;  // null: $this has no value
    row_range rows;
    row_range whole;  // the range that the op `each_row` takes single rows of
    // The record of an imagined row of the table, for a run over a table without rows (count 0).
    storage::entity_record bare{0, 0, 0};
};

// The values of the variables of a block plan. The value of $this is `this_rows`, not values[0].
struct binding_set {
    entity_t values[max_variables];  // 0: not bound
    variable_set bound = 0;
    variable_set given = 0;  // had values from the start of the run
};

// The part of an op's state that the evaluator of blocks reads and resets, whatever the operator.
struct op_head {
    variable_set bound = 0;  // variables that the op has bound
    bool skipped = false;    // the op depends on variables that are not bound
    bool once = false;       // the op has no further result, and has bound nothing
};

struct exec_context {
    exec_context(const storage::store& store, const query_model& query, candidates& rows,
                 const name_reader& reader) noexcept
        : data(store), model(query), proposer(rows), names(reader), hidden(hidden_flags(query)) {}
    exec_context(const exec_context&) = delete;
    exec_context& operator=(const exec_context&) = delete;

    // -- terms
    // True if the term names an entity that is deleted.
    bool is_dead(std::uint32_t term) const noexcept { return (dead >> term) & 1; }
    bool is_dead(const term& term) const noexcept {
        return is_dead(static_cast<std::uint32_t>(&term - model.terms));
    }
    // The location of a term's source, empty if that is a deleted entity.
    location source_of(const term& term) const noexcept;
    // Empty if the source is $this and $this has no value.
    location bound_source_of(const term& term) const noexcept {
        return term.from == source_kind::self && !self.table ? location{} : source_of(term);
    }
    // Looks up the pair or component of a match again. False if a callback has removed it.
    bool find_stored(const location& source, const match& match, owned_id& owned) const noexcept;

    // -- $this
    // The first entity of the rows; `This` for a table without rows.
    entity_t this_entity() const noexcept {
        return self.rows.count == 0
                   ? This
                   : storage::entities_of(*self.table,
                                          data.tables.rows(self.rows.table))[self.rows.first];
    }
    entity_t entity_at(const row_range& rows, std::uint32_t row) const noexcept {
        return storage::entities_of(data.tables.at(rows.table),
                                    data.tables.rows(rows.table))[rows.first + row];
    }
    // Reduces a range to the rows that the table still has; false if none is left. Ranges that were
    // not handed out as results are not locked, so callbacks may have changed their tables.
    bool still_there(row_range& rows) const noexcept;
    void take_range(const row_range& rows) noexcept {
        self.rows = self.whole = rows;
        self.table = &data.tables.at(rows.table);
        self.bare.table = rows.table;
    }
    // Narrows $this to a single row of its present table.
    void move_to_row(std::uint32_t row) noexcept {
        shift_fields(static_cast<std::ptrdiff_t>(row) - self.rows.first);
        self.rows = {self.rows.table, row, 1};
    }

    // -- variables. Require: a block plan.
    bool is_bound(std::uint8_t variable) const noexcept {
        return (bindings->bound >> variable) & 1;
    }
    // 0 if the variable has no value. While $this is several rows: the first; ops that need one row
    // stand behind the op `each_row`.
    entity_t value_of(std::uint8_t variable) const noexcept {
        return !is_bound(variable) ? 0 : variable == 0 ? this_entity() : bindings->values[variable];
    }
    // Flags of tables whose entities the variable cannot be.
    std::uint32_t hidden_of(std::uint8_t variable) const noexcept {
        return variable == 0                              ? hidden
               : (model.without_builtins >> variable) & 1 ? std::uint32_t{detail::shape_builtin}
                                                          : 0u;
    }
    // Gives a variable a value, and adds it to the set of variables that the calling op has bound.
    // False if the variable is bound to a different value, or the value is not allowed for the
    // variable.
    bool bind(std::uint8_t variable, entity_t value, variable_set& bound_here) noexcept;
    // Binds the variables in the id of a term to the elements of the id that was found.
    bool bind_elements(const term& term, id_t id, variable_set& bound_here) noexcept;
    // Unbinds the variables that an op has bound, and empties the set.
    void release(variable_set& bound_here) noexcept {
        if (bound_here != 0) {
            unbind(bound_here);
            bound_here = 0;
        }
    }
    // Requires: the variables are bound.
    void unbind(variable_set variables) noexcept;

    // -- fields
    void set_field(const term& term, const owner_ref& owner, const owned_id& owned) noexcept {
        const bool mine = term.from == source_kind::self && owner.is_source;
        detail::field_data& field = fields[term.field];
        field.value = owned.value;
        field.id = owned.id;
        field.source = mine ? 0 : owner.owner;
        field.stride = mine ? owned.size : 0;
        field.flags = flags_of_match(term, mine);
    }
    // Sets the field to a column of the table of $this.
    void set_column(const term& term, std::uint32_t position) noexcept {
        fields[term.field] = column_field(term, *self.table, data.tables.rows(self.rows.table),
                                          position, self.rows.first);
    }
    void clear_field(const term& term) noexcept { fields[term.field] = unset_field(term); }
    // Clears the fields of all terms of an op.
    void clear_fields(const op& op) noexcept;
    // Moves the values of fields that were found for a whole table by a number of rows.
    void shift_fields(std::ptrdiff_t rows) noexcept;

    const storage::store& data;
    const query_model& model;
    candidates& proposer;  // of the rows that $this may be
    name_reader names;
    const graph_plan* blocks = nullptr;  // null: a flat plan
    std::uint64_t dead = 0;              // terms that name deleted entities
    ancestor_cache* caches[plan::max_ancestor_caches] = {};
    std::uint32_t hidden;  // flags of tables whose entities $this cannot be
    this_rows self;
    binding_set* bindings = nullptr;
    detail::field_data* fields = nullptr;
    std::uint64_t row_fields = 0;              // fields that are found for each row by itself
    row_share share;                           // of the candidates of the op that is divided
    target_closure* closures = nullptr;        // of each term, in block plans
    graph::visit_set* visited_rows = nullptr;  // scratch memory of one search, in block plans
};

}  // namespace kith::queries
