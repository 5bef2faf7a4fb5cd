// explain(entity): why an entity is a result of a query, or why it is not. The clauses of the query
// are evaluated one by one, then together up to the first that fails. Declared in
// include/kith/detail/query_ops.hpp.
#include <kith/query.hpp>

#include "api/query_text.hpp"
#include "api/world_impl.hpp"
#include "base/assert.hpp"
#include "base/raise.hpp"
#include "graph/reach.hpp"
#include "query/model/clauses.hpp"
#include "query/plan_text.hpp"
#include "query/run/general_run.hpp"
#include "query/validate/describe.hpp"
#include "storage/find.hpp"

#include <string>

namespace kith::detail {

using queries::clause;
using queries::compiled_query;
using queries::query_model;
using queries::term;

namespace {

// Lists in the text end with "..." after this number of entries.
constexpr std::size_t most_shown = 5;

// A temporary query of some terms of the explained query.
class part_query {
public:
    // With `positive`, a single negated term is searched as if it were not negated.
    part_query(world_t* world, const query_model& model, std::uint32_t first, std::uint32_t last,
               bool positive = false)
        : world_(world) {
        std::vector<term_desc> terms = queries::describe_terms(model, first, last);
        if (positive && terms.size() == 1 && terms[0].oper == Not) {
            terms[0].oper = And;
        }
        query_desc desc;
        desc.terms = terms.data();
        desc.count = static_cast<std::uint32_t>(terms.size());
        query_ = make_query(world, desc);
    }
    ~part_query() { release_query(query_); }
    part_query(const part_query&) = delete;
    part_query& operator=(const part_query&) = delete;

    const compiled_query& query() const noexcept { return queries::compiled(query_); }
    // Calls visit(result) for the results with this entity as $this, until it returns false. False
    // if there is no result.
    template <class Visit>
    bool each_result(entity_t entity, Visit&& visit) const {
        run_options options;
        if (query_->has_this && !find_entity_range(world_, entity, options)) {
            return false;
        }
        query_run run(query_, world_, options);
        bool any = false;
        for (result result; run.next(result); any = true) {
            if (!visit(result)) {
                return true;
            }
        }
        return any;
    }

private:
    world_t* world_;
    query_head* query_ = nullptr;
};

// Writes the text. Each explain_ function returns true if it found the reason.
class explanation {
public:
    explanation(world_t* world, const compiled_query& query, entity_t entity)
        : world_(world), model_(query.model), data_(api::impl_of(world).data), entity_(entity) {}

    std::string text() {
        write_id(entity_);
        out_ += ": ";
        if (explain_hidden() || explain_terms() || explain_together()) {
            return out_;
        }
        explain_match();
        return out_;
    }

private:
    void write_id(id_t id) { api::write_query_id(world_, id, out_); }
    void write_term(std::uint32_t first, std::uint32_t last) {
        queries::append_range(world_, api::write_query_id, model_, first, last, out_);
    }

    // Tables that queries leave out: prefabs, disabled entities, builtin entities.
    bool explain_hidden() {
        if (!model_.has_this) {
            out_ += "the query is not about $this\n";
            return false;
        }
        const storage::entity_record* record = data_.entities.find(entity_);
        KITH_ASSERT(record, "the entity to explain is alive");
        const std::uint32_t flags =
            data_.tables.at(record->table).flags & queries::hidden_flags(model_);
        if (flags == 0) {
            return false;
        }
        out_ += "no result: ";
        out_ += flags & shape_has_prefab     ? "it is a Prefab"
                : flags & shape_has_disabled ? "it is Disabled"
                                             : "it is builtin";
        out_ += ", and no term asks for such\n";
        return true;
    }

    // The first clause that does not hold by itself.
    bool explain_terms() {
        bool failed = false;
        each_clause(model_, 0, model_.count, [&](const clause& clause) {
            if (!failed && !holds(clause.first, clause.last)) {
                failed = true;
                out_ += "no result: term " + std::to_string(clause.first + 1) + " (";
                write_term(clause.first, clause.last);
                out_ += ") does not hold";
                explain_failure(clause);
                out_ += "\n";
            }
        });
        return failed;
    }
    // True if the terms [first, last) have a result with the entity.
    bool holds(std::uint32_t first, std::uint32_t last) const {
        if (queries::find_variable_fault(model_, first, last).which != 0) {
            return true;  // other clauses bind its variables: it cannot be evaluated alone
        }
        return part_query(world_, model_, first, last).each_result(entity_, [](const result&) {
            return false;
        });
    }
    // The reason why a clause fails, if it can be given: a witness or an absence.
    void explain_failure(const clause& clause) {
        const term& failed = model_.terms[clause.first];
        if (failed.oper == Not && clause.kind == queries::clause_kind::scope) {
            explain_witness(clause.first + 1, clause.last - 1);
        } else if (clause.kind != queries::clause_kind::term ||
                   failed.kind != queries::term_kind::ids) {
            return;
        } else if (failed.oper == Not) {
            explain_witness(clause.first, clause.last);
        } else if (failed.from == queries::source_kind::self) {
            explain_absence(failed);
        }
    }
    // What the term found instead.
    void explain_absence(const term& failed) {
        if (failed.follows_up() && failed.trav != IsA) {
            out_ += ": looked at ";
            write_list(graph::reached_from(data_, failed.trav, entity_, most_shown + 1));
        } else if (queries::find_semantics(data_, failed).transitive) {
            out_ += ": it leads to ";
            write_list(graph::reached_from(data_, pair_first(failed.id), entity_, most_shown + 1));
        } else if (is_pair(failed.id) && !is_wildcard_element(pair_first(failed.id))) {
            explain_targets(pair_first(failed.id));
        }
    }
    // Writes at most most_shown ids.
    void write_list(const std::vector<id_t>& ids) {
        out_ += ids.empty() ? "nothing" : "";
        for (std::size_t i = 0; i < ids.size(); ++i) {
            out_ += i == 0 ? "" : ", ";
            if (i == most_shown) {
                out_ += "...";
                break;
            }
            write_id(ids[i]);
        }
    }
    // A result of a negated clause, which proves that the clause fails.
    void explain_witness(std::uint32_t first, std::uint32_t last) {
        if (queries::find_variable_fault(model_, first, last).which != 0) {
            return;
        }
        part_query inside(world_, model_, first, last, true);
        inside.each_result(entity_, [&](const result& result) {
            out_ += ": there is ";
            write_result(inside.query().model, result);
            return false;
        });
    }
    // The targets of the relationship that the entity has.
    void explain_targets(std::uint32_t relation) {
        const storage::entity_record& record = *data_.entities.find(entity_);
        const id_t any = make_pair(relation, Wildcard);
        std::vector<id_t> pairs;
        const storage::table& type = data_.tables.at(record.table);
        for (std::int32_t position = storage::find_match(type, any, 0); position >= 0;
             position = storage::next_match(type, any, position)) {
            pairs.push_back(type.ids[position]);
        }
        storage::each_link(data_, record, index_of(entity_), any,
                           [&](const storage::id_record&, std::uint32_t target) {
                               pairs.push_back(make_pair(relation, target));
                               return pairs.size() <= most_shown;
                           });
        if (pairs.empty()) {
            out_ += ": it has no such pair";
        } else {
            out_ += ": it has ";
            write_list(pairs);
        }
    }

    // Each clause holds by itself: finds the first that does not hold together with those before
    // it.
    bool explain_together() {
        bool failed = false;
        each_clause(model_, 0, model_.count, [&](const clause& clause) {
            if (!failed && !holds(0, clause.last)) {
                failed = true;
                out_ += "no result: each term holds by itself, but term " +
                        std::to_string(clause.first + 1) + " (";
                write_term(clause.first, clause.last);
                out_ += ") does not hold for what the terms before it leave over";
                explain_left_over(clause.first);
                out_ += "\n";
            }
        });
        return failed;
    }
    // Values of variables that the clauses before the failing one permit.
    void explain_left_over(std::uint32_t last) {
        if (queries::find_variable_fault(model_, 0, last).which != 0) {
            return;
        }
        part_query before(world_, model_, 0, last);
        std::size_t shown = 0;
        before.each_result(entity_, [&](const result& result) {
            out_ += shown == 0 ? ": " : "; ";
            out_ += shown == most_shown ? "..." : "";
            return shown++ < most_shown && write_variables(before.query().model, result);
        });
    }
    // Writes the variables that have a value in the result. Always true.
    bool write_variables(const query_model& model, const result& result) {
        const char* between = "";
        for (std::uint32_t i = 1; i < model.variable_count; ++i) {
            if (result.variables && result.variables[i] != 0) {
                out_ += std::string(between) + "$" + model.variables[i] + " = ";
                write_id(result.variables[i]);
                between = ", ";
            }
        }
        return true;
    }

    // Writes a result: `$x = Earth, (DockedTo,Earth), Planet of Earth`.
    void write_result(const query_model& model, const result& result) {
        const std::size_t start = out_.size();
        write_variables(model, result);
        for (std::uint32_t i = 0; i < result.field_count; ++i) {
            if (result.fields[i].flags & field_set) {
                out_ += out_.size() == start ? "" : ", ";
                write_id(result.fields[i].id);
                if (result.fields[i].source != 0) {
                    out_ += " of ";
                    write_id(result.fields[i].source);
                }
                write_way(model, i, result.fields[i]);
            }
        }
    }
    // Writes the entities between the entity and the source that a search, or the target that a
    // transitive relationship, led to.
    void write_way(const query_model& model, std::uint32_t field, const field_data& matched) {
        for (const term& term : model) {
            if (term.field != field || term.kind != queries::term_kind::ids ||
                term.from != queries::source_kind::self) {
                continue;
            }
            constexpr std::uint32_t most_visited = 10'000;
            std::vector<entity_t> path;
            if (term.follows_up() && matched.source != 0) {
                path =
                    graph::shortest_path(data_, term.trav, entity_, matched.source, most_visited);
            } else if (queries::find_semantics(data_, term).transitive && is_pair(matched.id)) {
                path = graph::shortest_path(data_, pair_first(matched.id), entity_,
                                            data_.entities.alive_at(pair_second(matched.id)),
                                            most_visited);
            }
            if (path.size() > 2) {
                out_ += " by way of ";
                write_list({path.begin() + 1, path.end() - 1});
            }
            return;
        }
    }

    // The results of the entity.
    void explain_match() {
        part_query whole(world_, model_, 0, model_.count);
        std::size_t count = 0;
        std::string results;
        std::swap(results, out_);
        whole.each_result(entity_, [&](const result& result) {
            if (count++ < most_shown) {
                out_ += "  ";
                write_result(whole.query().model, result);
                out_ += "\n";
            }
            return true;
        });
        std::swap(results, out_);
        out_ += std::to_string(count) + (count == 1 ? " result\n" : " results\n") + results;
    }

    world_t* world_;
    const query_model& model_;
    const storage::store& data_;
    entity_t entity_;
    std::string out_;
};

}  // namespace

string explain_entity(const query_head* head, entity_t entity) {
    world_t* world = world_of(head);
    if (!api::impl_of(world).data.entities.find(entity)) {
        base::raise(errc::invalid_entity, "the entity to explain is not alive");
    }
    explanation writer(world, queries::compiled(head), entity);
    return string(std::string_view{writer.text()});
}

}  // namespace kith::detail
