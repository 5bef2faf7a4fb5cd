// Why an entity is a result of a query, or is not: its terms are asked one by one, then together.
#include <kith/query.hpp>

#include "api/query_text.hpp"
#include "api/world_impl.hpp"
#include "base/raise.hpp"
#include "query/cursor.hpp"
#include "query/exec/paths.hpp"
#include "query/model/clauses.hpp"
#include "query/plan_text.hpp"
#include "query/validate/describe.hpp"
#include "storage/find.hpp"

#include <string>

namespace kith::detail {

using queries::clause;
using queries::compiled_query;
using queries::query_model;
using queries::term;

namespace {

constexpr std::size_t most_shown = 5;

// A query of some terms of another one.
class part_query {
public:
    // `positive`: what a term must not find is looked for.
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
        made_ = make_query(world, desc);
    }
    ~part_query() { release_query(made_); }
    part_query(const part_query&) = delete;
    part_query& operator=(const part_query&) = delete;

    const compiled_query& query() const noexcept {
        return static_cast<const compiled_query&>(*made_);
    }
    // Calls visit(result) until it returns false; $this is the entity.
    template <class Visit>
    bool each_result(entity_t entity, Visit&& visit) const {
        run_options options;
        if (made_->has_this && !find_entity_range(world_, entity, options)) {
            return false;
        }
        query_run run(made_, world_, options);
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
    query_head* made_ = nullptr;
};

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

    bool explain_hidden() {
        if (!model_.has_this) {
            out_ += "the query is not about $this\n";
            return false;
        }
        const storage::entity_record* record = data_.entities.find(entity_);
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

    // The groups that fail by themselves.
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
    bool holds(std::uint32_t first, std::uint32_t last) const {
        if (queries::find_variable_fault(model_, first, last).which != 0) {
            return true;  // it means nothing by itself: others bind its variables
        }
        return part_query(world_, model_, first, last).each_result(entity_, [](const result&) {
            return false;
        });
    }
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
    // What was found instead of what was asked for.
    void explain_absence(const term& failed) {
        if (failed.follows_up() && failed.trav != IsA) {
            out_ += ": looked at ";
            write_list(queries::dependents_of(data_, entity_, failed.trav, most_shown + 1));
        } else if (queries::find_semantics(data_, failed).transitive) {
            out_ += ": it leads to ";
            write_list(
                queries::dependents_of(data_, entity_, pair_first(failed.id), most_shown + 1));
        } else if (is_pair(failed.id) && !is_wildcard_element(pair_first(failed.id))) {
            explain_targets(pair_first(failed.id));
        }
    }
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
    // What terms found that they must not find.
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
    // The targets that it has instead.
    void explain_targets(std::uint32_t relation) {
        const storage::entity_record& record = *data_.entities.find(entity_);
        const id_t any = make_pair(relation, Wildcard);
        std::vector<id_t> found;
        const storage::table& type = data_.tables.at(record.table);
        for (std::int32_t position = storage::find_match(type, any, 0); position >= 0;
             position = storage::next_match(type, any, position)) {
            found.push_back(type.ids[position]);
        }
        storage::each_link(data_, record, index_of(entity_), any,
                           [&](const storage::id_record&, std::uint32_t target) {
                               found.push_back(make_pair(relation, target));
                               return found.size() <= most_shown;
                           });
        if (found.empty()) {
            out_ += ": it has no such pair";
        } else {
            out_ += ": it has ";
            write_list(found);
        }
    }

    // All hold by themselves: the first that has no match beside those before it.
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
    // Values that the terms before would have allowed.
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

    // `$x = Earth, (DockedTo,Earth), Planet of Earth`
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
    // What lies between the entity and what a search or a transitive relationship led to.
    void write_way(const query_model& model, std::uint32_t field, const field_data& found) {
        for (const term& term : model) {
            if (term.field != field || term.kind != queries::term_kind::ids ||
                term.from != queries::source_kind::self) {
                continue;
            }
            std::vector<entity_t> way;
            if (term.follows_up() && found.source != 0) {
                way = queries::way_between(data_, entity_, found.source, term.trav);
            } else if (queries::find_semantics(data_, term).transitive && is_pair(found.id)) {
                way = queries::way_between(data_, entity_,
                                           data_.entities.alive_at(pair_second(found.id)),
                                           pair_first(found.id));
            }
            if (!way.empty()) {
                out_ += " by way of ";
                write_list(way);
            }
            return;
        }
    }

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
    explanation made(world, static_cast<const compiled_query&>(*head), entity);
    return string(std::string_view{made.text()});
}

}  // namespace kith::detail
