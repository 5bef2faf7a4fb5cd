// Evaluates a plan: finds one way after the other in which all of its steps hold. No recursion, and
// no memory for queries of ordinary size.
//
// Covered by the random queries of tests/model/query_test.cpp.
#pragma once

#include <kith/detail/query_layout.hpp>

#include "query/exec/ancestor_cache.hpp"
#include "query/exec/graph_state.hpp"
#include "query/exec/row_share.hpp"
#include "query/exec/scan.hpp"
#include "query/plan/plan.hpp"

#include <memory>

namespace kith::queries {

// True if a term's value is only to be read. Where nothing was said, what the matched entity owns
// may be written.
inline bool is_readonly(const term& term, bool owned) noexcept {
    return term.access == In || term.access == InOutNone ||
           (term.access == InOutDefault && !owned && !term.is_argument);
}

// Where $this comes from.
class candidates {
public:
    // The next rows of a table, false at the end. What is known of the fields already is filled in.
    virtual bool next(row_range& rows, detail::field_data* fields) = 0;
    // All of them once more, for another match of what comes before.
    virtual void restart() = 0;
    // True once somebody has asked for the end of the run.
    virtual bool stopped() const { return false; }

protected:
    ~candidates() = default;
};

// Rows of one table that match, with the values that were found for each by itself.
struct row_batch {
    static constexpr std::uint32_t capacity = 64;

    std::uint32_t count = 0;
    std::uint32_t source_count = 0;
    std::uint32_t rows[capacity];  // counted from the first row of the range
    std::byte* values[plan::max_leaf_fields][capacity];
    std::uint32_t source_tables[capacity];  // where values of other entities are
    // All that was found for each, for who asks: at the number of the step times the capacity.
    detail::field_data* details = nullptr;
};

class executor {
public:
    executor(const storage::store& data, const query_model& model, const plan& steps,
             candidates& source, const name_reader& names = {});
    executor(const executor&) = delete;
    executor& operator=(const executor&) = delete;

    // To the next result, false at the end.
    bool advance() { return graph_ ? advance_graph() : advance(plan_.count); }
    // The same for plans that end in steps with one result for each row: the next rows at once.
    bool advance(row_batch& batch);
    // The same for the rest of the rows that the last batch is from; false if none of them holds.
    bool advance_in_range(row_batch& batch);

    // The result: rows of a table, and what was found. Without $this there is no table.
    const storage::table* table() const noexcept { return table_; }
    const row_range& rows() const noexcept { return range_; }
    const detail::field_data* fields() const noexcept { return fields_; }
    // The values of variables; null if there are none but $this.
    const entity_t* variables() const noexcept { return graph_ ? graph_->values : nullptr; }
    // A variable gets a value before the run.
    void give(std::uint8_t variable, entity_t value) noexcept {
        graph_->values[variable] = value;
        graph_->bound |= only(variable);
        graph_->given |= only(variable);
        const storage::entity_record* record = data_.entities.find(value);
        stopped_ |= record && data_.tables.at(record->table).flags & hidden_of(variable);
    }
    detail::field_data* fields() noexcept { return fields_; }
    // True if the first thing that the steps of a graph plan choose is $this, from the candidates.
    bool shares_candidates() const noexcept;
    // Leaves out what other shares have of the first thing that the steps choose. False if they
    // choose nothing: then results are to be shared out.
    bool share_steps(const row_share& share) noexcept;
    // The fields that a batch has values for, in its order.
    std::uint32_t leaf_count() const noexcept { return plan_.count - plan_.rows_at - 1; }
    std::uint32_t leaf_field(std::uint32_t leaf) const noexcept {
        return model_.terms[plan_.ops[plan_.rows_at + 1 + leaf].first].field;
    }

private:
    static constexpr std::uint32_t few = 12;
    static constexpr std::uint32_t no_step = 0xFFFFFFFF;

    // Where one step stands.
    struct frame {
        owner_ref owner;
        owned_id_position position;
        bool matched;               // of Optional: it was set
        bool elsewhere;             // not in the table's type: through a base, or not at all
        std::uint32_t alternative;  // of a chain: the term that matched
        std::uint32_t owners_at;    // in owners_, for terms that take all; in listed_
        std::uint32_t owners_end;
        bool is_listed;  // the matches are in listed_
    };

    bool advance(std::uint32_t steps);
    void begin_batch(row_batch& batch);
    void eval_batch(row_batch& batch);
    bool take(std::uint32_t step, bool again) {
        return eval_plain(plan_.ops[step], frames_[step], again);
    }
    bool eval_plain(const op& step, frame& frame, bool again);
    bool eval_leaf(const op& step, std::uint32_t number, std::uint32_t index, row_batch& batch);
    void eval_leaves(std::uint32_t leaves, const entity_t* entities, row_batch& batch);
    void take_remembered(const op& step, const entity_t* entities, row_batch& batch);
    bool is_remembered(const op& step) const noexcept;
    const storage::id_record* find_own_sparse(const op& step) const noexcept;
    void prepare_details(const term& term, const row_batch& batch) noexcept {
        if (batch.details) {
            clear_field(term);
        }
    }
    void note_details(const term& term, std::uint32_t number, row_batch& batch) const noexcept {
        if (batch.details) {
            batch.details[number * row_batch::capacity + batch.count] = fields_[term.field];
        }
    }
    bool find_value(const op& step, std::uint32_t number, std::uint32_t owner, std::byte*& value,
                    row_batch& batch);
    bool next_candidate(bool again);
    bool accept_row(bool again);
    void shift_fields(std::ptrdiff_t rows) noexcept;
    bool eval_id_in_table(const op& step, frame& frame, bool again);
    bool eval_wildcard(const op& step, frame& frame, bool again);
    void set_column(const term& term, std::uint32_t position) noexcept;
    bool is_searched_further(const term& term) const noexcept;
    bool eval_match(const op& step, frame& frame, bool again);
    bool eval_chain(const op& step, frame& frame, bool again);
    bool next_of_chain(const op& step, frame& frame, bool every);
    bool is_given_before(const op& step, const frame& frame) const;

    location source_of(const term& term) const;
    entity_t this_entity() const noexcept;
    void begin(const op& step, const term& term, frame& frame);
    bool find_next(const term& term, frame& frame);
    bool next_owner(const term& term, frame& frame);
    std::uint32_t stack_end(const frame& before, bool listed) const noexcept;
    bool is_looked_for_further(const term& term, const location& source) const noexcept;
    void list_matches(const term& term, const location& source, frame& frame);
    bool next_listed(const term& term, frame& frame);
    bool holds_list(const location& source, const term& term, entity_t list, oper_kind_t how,
                    std::uint32_t depth) const;
    bool holds_id(const location& source, const term& like, id_t id) const;
    void set_field(const term& term, const owner_ref& owner, const owned_id& owned);
    void clear_field(const term& term) noexcept;

    void make_frames(std::uint32_t count);
    // -- graph_steps.cpp, graph_seek.cpp
    void start_graph(std::uint32_t steps);
    bool advance_graph();
    bool is_bound(std::uint8_t variable) const noexcept;
    // Flags of tables whose entities the variable cannot be.
    std::uint32_t hidden_of(std::uint8_t variable) const noexcept {
        return variable == 0                               ? hidden_
               : (model_.without_builtins >> variable) & 1 ? std::uint32_t{detail::shape_builtin}
                                                           : 0u;
    }
    entity_t value_of(std::uint8_t variable) const noexcept;
    bool bind(std::uint8_t variable, entity_t value, graph_frame& frame);
    bool bind_elements(const term& term, id_t id, graph_frame& frame);
    void release(graph_frame& frame) noexcept;
    void abandon(std::uint32_t first, std::uint32_t last) noexcept;
    void clear_fields(const op& block) noexcept;
    bool run_block(std::uint32_t first, std::uint32_t last, std::uint32_t tail, bool again);
    bool gives_up();
    bool run_inside(std::uint32_t number, bool again);
    bool eval_op(std::uint32_t number, bool again);
    std::uint32_t find_first_choice() const noexcept;
    bool is_choice(const graph_op& step) const noexcept;
    bool proposes_source(std::uint32_t number) const noexcept;
    bool take_rows(graph_frame& frame, bool again);
    bool eval_not_exists(std::uint32_t number);
    bool eval_optional(std::uint32_t number, bool again);
    bool eval_or_else(std::uint32_t number, bool again);
    bool held_before(std::uint32_t either, std::uint32_t alternative);
    bool eval_compare(const graph_op& step, graph_frame& frame, bool again);
    bool are_distinct(const term& term, entity_t entity, entity_t right) const noexcept;
    const substitutes* make_set(const term& term, bool is_first, graph_frame& frame);
    match_request request(const term& term, graph_frame& frame);
    bool eval_match_term(const graph_op& step, graph_frame& frame, bool again);
    void begin_find(const graph_op& step, const term& term, graph_frame& frame);
    bool begin_column(const term& term, graph_frame& frame) const noexcept;
    const storage::link_store* links_of(const term& term, graph_frame& frame) const noexcept;
    bool begin_link(const graph_op& step, const term& term, graph_frame& frame);
    bool next_link(const term& term, graph_frame& frame);
    location graph_source(const term& term) const;
    void list_closure(const graph_op& step, const term& term, const location& source,
                      const match_request& request, graph_frame& frame);
    bool is_reflexive_at(const term& term, entity_t entity) const;
    bool pays_to_walk_down(const match_request& request, entity_t target, graph_frame& frame) const;
    void test_closure(const graph_op& step, const location& source, const match_request& request,
                      entity_t target, graph_frame& frame);
    bool has_own_only(const location& source, const match_request& request) const noexcept;
    bool leads_to(const location& source, const match_request& request,
                  const target_closure& targets);
    bool find_next_match(const term& term, graph_frame& frame);
    bool find_stored(const location& source, const match& match, owned_id& owned) const;
    bool eval_enumerate(const graph_op& step, graph_frame& frame, bool again);
    entity_t entity_at(const row_range& rows, std::uint32_t row) const noexcept;
    bool still_there(row_range& rows) const noexcept;
    bool find_source(std::uint32_t number, bool& exists);
    bool has_what_follows(std::uint32_t number, const storage::entity_record& record,
                          entity_t source) const;
    void take_range(const row_range& rows) noexcept;
    bool next_candidates(graph_frame& frame, std::uint32_t hidden, row_range& rows);
    bool next_in_share(graph_frame& frame, std::uint32_t hidden, row_range& rows);
    // True for the step whose candidates are divided among the shares. A step `intersect` may leave
    // the division to the step inside of it.
    bool is_shared(const graph_frame& current) const noexcept {
        if (shared_source_ == no_step) [[likely]] {
            return false;
        }
        const graph_frame* shared = &graph_->frames[shared_source_];
        return &current == shared ||
               (steps_->ops[shared_source_].code == op_code::intersect && &current == shared + 1);
    }
    void begin_seek(const graph_op& step, graph_frame& frame);
    void list_candidates(const term& term, const term_semantics& meaning,
                         const match_request& request, graph_frame& frame);
    bool is_by_any_link(const term& term) const noexcept;
    void list_pair(term& exact, std::uint32_t first, std::uint32_t second, graph_frame& frame);
    void list_scan(const term& exact, graph_frame& frame);
    void list_targets(const term& term, const std::vector<entity_t>& named, graph_frame& frame);
    void drop_repeated(graph_frame& frame) const;

    // -- graph_meet.cpp
    bool eval_intersect(std::uint32_t number, bool again);
    void make_edges(const graph_op& step, intersection& intersect) const;
    void begin_intersect(const graph_op& step, graph_frame& frame);
    void begin_sought(const graph_op& step, graph_frame& frame);
    void begin_known(const graph_op& step, intersection& intersect);
    bool next_intersection(const graph_op& step, graph_frame& frame);
    bool next_intersected_source(const graph_op& step, graph_frame& frame);
    static void accept_intersected_type(intersection& intersect, const storage::table& type);
    bool next_intersected_row(intersection& intersect) const;
    bool next_intersected_link(const graph_op& step, graph_frame& frame);
    bool next_intersected_table(const graph_op& step, graph_frame& frame);
    bool accept_intersection(const graph_op& step, graph_frame& frame, std::uint32_t target);
    bool set_intersected_field(const intersect_input& edge, std::uint32_t target);
    void accept_intersected_source(const graph_op& step, graph_frame& frame) noexcept;
    void move_to_row(std::uint32_t row) noexcept;
    bool is_whole(const graph_op& step) const noexcept;
    bool is_inherited(const intersect_input& edge) const noexcept;
    static bool has_bases(const location& source) noexcept;

    const storage::store& data_;
    const query_model& model_;
    std::shared_ptr<const graph_plan> steps_;
    graph_state_ref graph_;
    name_reader names_;
    row_share share_;                        // of what the shared step proposes
    std::uint32_t shared_step_ = no_step;    // the first that chooses something, each of its ways
    std::uint32_t shared_source_ = no_step;  // or that goes through what a variable may be
    std::uint32_t hidden_ = 0;               // flags of tables whose entities $this cannot be
    struct {
        std::uint32_t count;
        std::uint32_t rows_at;
        std::uint64_t dead;
        op ops[max_terms + 2];
        ancestor_cache* memos[plan::max_ancestor_caches];
    } plan_;  // a copy: a callback may change the world so that the query is planned anew
    candidates& source_;
    bool started_ = false;
    bool stopped_ = false;
    std::uint32_t retries_ = 0;

    // $this: rows of a table, or one of them.
    const storage::table* table_ = nullptr;
    row_range range_;
    row_range whole_;  // while range_ is one row of it
    // For a table as such (count 0): what any row of it has to do with other entities.
    storage::entity_record bare_{0, 0, 0};

    std::uint64_t row_fields_ = 0;  // fields that are found for each row by itself
    // Where the tables of remembered owners have their values.
    struct last_owner {
        std::uint32_t table = 0;
        detail::column slot{0, 0};
        id_t id = 0;
    };
    last_owner last_owners_[plan::max_leaf_fields];
    // What steps look for, where rows have it beside their table.
    const storage::id_record* own_sparse_[plan::max_leaf_fields] = {};
    std::uint32_t leaf_row_ = 0;
    bool in_leaf_ = false;
    std::vector<owner_ref> owners_;  // of terms that take all, a stack
    std::vector<match> listed_;      // of wildcards that others than the source have, a stack
    frame* frames_;
    detail::field_data* fields_;
    // Made when the number of steps is known.
    alignas(frame) std::byte few_frames_[few * sizeof(frame)];
    detail::field_data few_fields_[few];
    std::unique_ptr<std::byte[]> more_;
};

}  // namespace kith::queries
