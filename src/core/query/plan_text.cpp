// Plans and terms as text, declared in plan_text.hpp.
#include "query/plan_text.hpp"

#include <kith/syntax/text.hpp>

#include "base/assert.hpp"
#include "query/choose_seek.hpp"
#include "traits/traits.hpp"

#include <bit>
#include <vector>

namespace kith::queries {

namespace {

// The prefix for the access of a term; empty for the default.
const char* access_text(inout_kind_t access) noexcept {
    return access == In ? "[in] " : access == Out ? "[out] " : access == InOut ? "[inout] " : "";
}

// The prefix for the operator of a term; And and Or have none.
const char* operator_text(const term& term) noexcept {
    return term.oper == Not        ? "!"
           : term.oper == Optional ? "?"
           : term.oper == AndFrom  ? "AND | "
           : term.oper == OrFrom   ? "OR | "
           : term.oper == NotFrom  ? "NOT | "
                                   : "";
}

// True if the term searches as a term without flags does: self|up(IsA).
bool is_default_search(const term& term) noexcept {
    return term.flags == (Self | Up) && term.trav == IsA && !term.is_limited();
}

// The flags of a search: `self|up(ChildOf,2,4)`. Search is a term or a substitution.
template <class Search>
std::string search_text(const world_t* world, id_writer write, const Search& search) {
    std::string text;
    auto add = [&](const char* word) {
        text += text.empty() ? "" : "|";
        text += word;
    };
    if (search.flags & Self) {
        add("self");
    }
    if (search.flags & TraverseAll) {
        add("all");
    }
    if (search.flags & Cascade) {
        add("cascade");
    }
    if (search.flags & Desc) {
        add("desc");
    }
    if (search.flags & (Up | Down)) {
        add(search.flags & Up ? "up(" : "down(");
        write(world, search.trav, text);
        const bool ends = search.max_depth != 0xFFFFFFFF;
        if (search.min_depth > 1) {
            text += "," + std::to_string(search.min_depth);
        }
        if (ends || search.min_depth > 1) {
            text += ends ? "," + std::to_string(search.max_depth) : ",*";
        }
        text += ")";
    }
    return text;
}

// Appends the first column of a line: the name of a step, padded to one width.
void append_name(const char* name, std::string& out) {
    constexpr std::size_t width = 13;  // the longest name and two blanks
    const std::size_t end = out.size() + width;
    out += name;
    KITH_ASSERT(out.size() < end, "the column is wide enough for all names");
    out.append(end - out.size(), ' ');
}

// A count with its noun: `1 table`, `2 tables`.
std::string counted(std::uint64_t count, const char* noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

// The candidates of a scan, by scan_kind; an id follows unless the scan has none.
constexpr const char* scan_texts[] = {"all tables",       "tables of ",     "tables of pairs ",
                                      "tables of pairs ", "entities with ", "sources of ",
                                      "sources of ",      "given rows"};

// Appends the line of the scan: the cached terms, or the candidates and their number.
void append_scan(const world_t* world, id_writer write, const compiled_query& query,
                 const storage::store& data, std::string& out) {
    if (query.steps().cached != 0) {
        append_name("cached", out);
        out += counted(query.cache()->count(), "table");
        if (query.steps().inherits) {
            out += ", " + std::to_string(query.cache()->inheritor_count()) + " with bases";
        }
        out += ":";
        for (std::uint32_t i = 0; i < query.model.count; ++i) {
            if ((query.steps().cached >> i) & 1) {
                out += " ";
                append_term(world, write, query.model, query.model.terms[i], out);
                out += query.model.terms[i].oper == Or ? " ||" : "";
            }
        }
        return;
    }
    scan_choice choice = choose_scan(data, query.model, ~std::uint64_t{0});
    append_name(query.model.is_ordered_by_group() ? "ordered" : "scan", out);
    out += scan_texts[static_cast<std::size_t>(choice.kind)];
    if (choice.by) {
        write(world, choice.by->id, out);
        out += ": ";
        bool entities = choice.kind >= scan_kind::sparse_values;
        // A plan reads the same whether tables without rows are dormant yet or not.
        const std::uint64_t count = count_candidates(data, choice);
        out += entities && count != 1 ? std::to_string(count) + " entities"
                                      : counted(count, entities ? "entity" : "table");
    } else {
        out += ": " + counted(data.tables.count() - 1, "table");
    }
}

// The names of operations, by op_code; underscores are printed as hyphens.
constexpr const char* op_names[] = {
    "id-in-table", "wildcard", "match",       "chain",     "list",       "scan",
    "each-row",    "where",    "match-value", "enumerate", "match-term", "compare",
    "not-exists",  "optional", "or-else",     "branch",    "intersect"};
const char* op_name(op_code code) noexcept {
    return op_names[static_cast<std::size_t>(code)];
}

// Writes the terms of one model.
class term_writer {
public:
    // With `data`, terms that request no value although their id has one are marked by `[none]`.
    term_writer(const world_t* world, id_writer write, const query_model& model, std::string& out,
                const storage::store* data = nullptr) noexcept
        : world_(world), write_(write), model_(model), out_(out), data_(data) {}

    void add(const term& term) {
        if (term.kind == term_kind::ids) {
            add_ids(term);
            if (term.value) {
                add_value(*term.value);
            }
        } else if (term.kind == term_kind::scope_open) {
            out_ += operator_text(term);
            out_ += "{";
        } else if (term.kind == term_kind::scope_close) {
            out_ += "}";
        } else {
            add_comparison(term);
        }
    }

private:
    std::string variable(std::uint8_t number) const {
        return std::string("$") + model_.variables[number];
    }
    // The source of a term; empty if it has none.
    std::string source_of(const term& term) const {
        std::string source;
        if (term.from == source_kind::fixed) {
            write_(world_, term.source, source);
        } else if (term.from != source_kind::none) {
            source = variable(term.source_variable);
        }
        return source;
    }
    // An element of an id with its substitution: `$x`, `Tree[self|down(IsA)]`.
    std::string element(std::uint8_t number, id_t id, const substitution& substitution) const {
        std::string text;
        if (number != no_variable) {
            text = variable(number);
        } else {
            write_(world_, id, text);
        }
        if (substitution.flags != 0) {
            text += "[" + search_text(world_, write_, substitution) + "]";
        }
        return text;
    }
    // True if the term requests no value although its id has one.
    bool waives_value(const term& term) const noexcept {
        return data_ && term.access == InOutNone && term.oper != Not && !term.is_from_list() &&
               (is_wildcard(term.id) || traits::describe_id(*data_, term.id).value_type);
    }
    void add_comparison(const term& term) {
        const bool negated = term.oper == Not;
        out_ += negated && term.kind == term_kind::name_match ? "!" : "";
        out_ += source_of(term);
        out_ += term.kind == term_kind::name_match ? " ~= " : negated ? " != " : " == ";
        if (term.text) {
            syntax::append_quoted(term.text, out_);
        } else {
            out_ += element(term.second_variable, term.second, {});
        }
    }
    // The comparison behind a component: `.points < 10`.
    void add_value(const value_condition& condition) {
        out_ += condition.test->left_text;
        out_ += condition.test->operator_text;
        if (condition.is_handle) {
            out_ += source_of(condition.operand);
        } else if (condition.has_operand) {
            add_ids(condition.operand);
            out_ += condition.test->right_text;
        }
    }
    void add_ids(const term& term) {
        out_ += term.value           ? ""
                : term.is_filter     ? "[filter] "
                : waives_value(term) ? "[none] "
                                     : access_text(term.access);
        out_ += operator_text(term);
        std::string search = is_default_search(term) ? "" : search_text(world_, write_, term);
        std::string source = term.from == source_kind::self ? "" : source_of(term);
        const bool pair = is_pair(term.id);
        std::string first =
            element(term.first_variable, pair ? pair_first(term.id) : term.id, term.first_by);
        std::string second =
            pair ? element(term.second_variable, pair_second(term.id), term.second_by) : "";
        if (term.from == source_kind::none) {
            out_ += pair ? "(" + first + "," + second + ")()" : first + "()";
            return;
        }
        if (search.empty() && source.empty()) {
            // A variable as a component is written with its source, `$x($this)`.
            if (pair) {
                out_ += "(" + first + "," + second + ")";
            } else {
                out_ += first + (term.first_variable != no_variable ? "($this)" : "");
            }
            return;
        }
        out_ += first + "(" + search;
        out_ += search.empty() || source.empty() ? source : ":" + source;
        out_ += pair ? "," + second + ")" : ")";
    }

    const world_t* world_;
    id_writer write_;
    const query_model& model_;
    std::string& out_;
    const storage::store* data_;
};

void append_range(term_writer& writer, const query_model& model, std::uint32_t first,
                  std::uint32_t last, std::string& out) {
    for (std::uint32_t i = first; i < last; ++i) {
        writer.add(model.terms[i]);
        const bool opens = model.terms[i].kind == term_kind::scope_open;
        const bool closes = i + 1 < last && model.terms[i + 1].kind == term_kind::scope_close;
        if (i + 1 < last) {
            out += opens || closes ? " " : model.terms[i].oper == Or ? " || " : ", ";
        }
    }
}

}  // namespace

void append_range(const world_t* world, id_writer write, const query_model& model,
                  std::uint32_t first, std::uint32_t last, std::string& out) {
    term_writer writer(world, write, model, out);
    append_range(writer, model, first, last, out);
}

void append_source(const world_t* world, id_writer write, const query_model& model,
                   const storage::store& data, std::string& out) {
    term_writer writer(world, write, model, out, &data);
    append_range(writer, model, 0, model.count, out);
}

namespace {

// Appends a line for the groups and for each sort key.
void append_order(const world_t* world, id_writer write, const compiled_query& query,
                  std::string& out) {
    if (!query.order) {
        return;
    }
    if (query.order->by.any()) {
        append_name("group", out);
        out += query.order->by.func ? "by a function" : "by the target of ";
        if (!query.order->by.func) {
            write(world, query.order->by.by, out);
        }
        out += query.order->by.descending ? ", descending\n" : "\n";
    }
    for (const sort_key& key : query.order->keys) {
        append_name("sort", out);
        out += "by ";
        if (key.by_entity()) {
            out += "entity";
        } else {
            write(world, key.by.component, out);
        }
        out += key.by.descending ? ", descending\n" : "\n";
    }
}

// An expected number of results: two decimals below 10, none above.
std::string rounded(double expected) {
    if (expected >= 10) {
        return std::to_string(static_cast<std::uint64_t>(expected));
    }
    auto hundredths = static_cast<std::uint64_t>(expected * 100);
    std::string text = std::to_string(hundredths / 100);
    return hundredths % 100 == 0
               ? text
               : text + "." + (hundredths % 100 < 10 ? "0" : "") + std::to_string(hundredths % 100);
}

// Appends a set of terms, given as bits.
void append_listed(const world_t* world, id_writer write, const query_model& model,
                   std::uint64_t terms, std::string& out) {
    for (; terms != 0; terms &= terms - 1) {
        const auto number = static_cast<std::uint32_t>(std::countr_zero(terms));
        append_range(world, write, model, number, number + 1, out);
        out += (terms & (terms - 1)) != 0 ? ", " : "";
    }
}

// Appends a graph plan. The inside of a block is indented.
void append_graph(const world_t* world, id_writer write, const compiled_query& query,
                  const storage::store& data, std::string& out) {
    const graph_plan& steps = *query.steps().graph;
    std::vector<std::uint32_t> open;  // ends of the blocks around the op
    for (std::uint32_t i = 0; i < steps.ops.size(); ++i) {
        const graph_op& step = steps.ops[i];
        while (!open.empty() && open.back() == i) {
            open.pop_back();
        }
        out.append(2 * open.size(), ' ');
        const bool block = step.code == op_code::not_exists || step.code == op_code::optional ||
                           step.code == op_code::or_else || step.code == op_code::branch;
        if (step.code == op_code::scan) {
            append_scan(world, write, query, data, out);
        } else if (step.code == op_code::each_row) {
            out += op_name(step.code);
        } else if (step.code == op_code::intersect) {
            append_name(op_name(step.code), out);
            append_listed(world, write, query.model, step.terms, out);
            open.push_back(step.next);
        } else if (block) {
            append_name(op_name(step.code), out);
            append_range(world, write, query.model, step.first, step.last, out);
            open.push_back(step.next);
        } else {
            append_name(op_name(step.code), out);
            if (step.code == op_code::enumerate) {
                out += std::string("$") + query.model.variables[step.variable] + " by ";
            }
            if (step.first == step.last) {
                out += "all tables";
            }
            append_range(world, write, query.model, step.first, step.last, out);
            if (step.code == op_code::enumerate || step.code == op_code::match_term) {
                out += ": about " + rounded(step.expected);
            }
        }
        out += "\n";
    }
}

// The kinds of run that hand out results, by run_strategy.
constexpr const char* run_names[] = {"general run", "table run",        "wildcard run", "bound run",
                                     "cached run",  "cached group run", "sorted run"};

// Appends a line for each index on a compared member: the one that a run starts from, and why it
// does not start from the others.
void append_indexes(const world_t* world, id_writer write, const compiled_query& query,
                    const storage::store& data, std::string& out) {
    if (query.steps().tests == 0 || !data.indexes) {
        return;
    }
    std::vector<considered_index> considered;
    consider_indexes(query, query.steps(), world, nullptr, nullptr, considered);
    for (const considered_index& one : considered) {
        out += "\n";
        append_name(one.refusal ? "no seek" : "seek", out);
        out += one.index->key().is_hash ? "hash index of " : "index of ";
        append_term(world, write, query.model, *one.by, out);
        out += one.refusal
                   ? std::string(": ") + one.refusal
                   : ": about " + std::to_string(one.expected) + " of " + std::to_string(one.total);
    }
}

// Appends a flat plan.
void append_flat(const world_t* world, id_writer write, const compiled_query& query,
                 const storage::store& data, std::string& out) {
    for (std::uint32_t i = 0; i < query.steps().count; ++i) {
        const op& step = query.steps().ops[i];
        if (step.code == op_code::scan) {
            append_scan(world, write, query, data, out);
            append_indexes(world, write, query, data, out);
        } else if (step.code == op_code::each_row) {
            out += op_name(step.code);
        } else {
            append_name(op_name(step.code), out);
            for (std::uint32_t t = step.first; t < step.last; ++t) {
                append_term(world, write, query.model, query.model.terms[t], out);
                out += t + 1 < step.last ? " || " : "";
            }
        }
        out += "\n";
    }
}

}  // namespace

void append_term(const world_t* world, id_writer write, const query_model& model, const term& term,
                 std::string& out) {
    term_writer(world, write, model, out).add(term);
}

void append_terms(const world_t* world, id_writer write, const query_model& model,
                  std::string& out) {
    append_range(world, write, model, 0, model.count, out);
}

void append_plan(const world_t* world, id_writer write, const compiled_query& query,
                 const storage::store& data, run_strategy strategy, std::string& out) {
    (query.steps().graph ? append_graph : append_flat)(world, write, query, data, out);
    append_order(world, write, query, out);
    append_name("yield", out);
    out += std::string(run_names[static_cast<std::size_t>(strategy)]) + "\n";
}

}  // namespace kith::queries
