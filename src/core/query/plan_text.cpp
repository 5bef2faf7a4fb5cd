#include "query/plan_text.hpp"

namespace kith::queries {

namespace {

const char* access_text(inout_kind_t access) noexcept {
    switch (access) {
        case In:
            return "[in] ";
        case Out:
            return "[out] ";
        case InOut:
            return "[inout] ";
        default:
            return "";
    }
}

const char* operator_text(const term& one) noexcept {
    switch (one.oper) {
        case Not:
            return "!";
        case Optional:
            return "?";
        case AndFrom:
            return "AND | ";
        case OrFrom:
            return "OR | ";
        case NotFrom:
            return "NOT | ";
        default:
            return "";
    }
}

bool is_default_search(const term& one) noexcept {
    return one.flags == (Self | Up) && one.trav == IsA && !one.is_limited();
}

// `self|up(ChildOf,2,4)`; nothing for what is the default.
std::string search_text(const world_t* world, id_writer write, const term& one) {
    std::string text;
    if (is_default_search(one)) {
        return text;
    }
    auto add = [&](const char* word) {
        text += text.empty() ? "" : "|";
        text += word;
    };
    if (one.flags & Self) {
        add("self");
    }
    if (one.flags & TraverseAll) {
        add("all");
    }
    if (one.flags & Cascade) {
        add("cascade");
    }
    if (one.flags & Desc) {
        add("desc");
    }
    if (one.flags & (Up | Down)) {
        add(one.flags & Up ? "up(" : "down(");
        write(world, one.trav, text);
        if (one.min_depth > 1) {
            text += "," + std::to_string(one.min_depth);
        }
        if (one.max_depth != 0xFFFFFFFF) {
            text += "," + std::to_string(one.max_depth);
        }
        text += ")";
    }
    return text;
}

std::string counted(std::uint64_t count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

const char* scan_text(scan_kind kind) noexcept {
    switch (kind) {
        case scan_kind::everything:
            return "all tables";
        case scan_kind::tables:
            return "tables of ";
        case scan_kind::pairs:
            return "tables of pairs ";
        case scan_kind::relationships:
            return "tables of pairs ";
        case scan_kind::sparse_values:
            return "entities with ";
        case scan_kind::sources:
            return "sources of ";
        case scan_kind::linked:
            return "sources of ";
        case scan_kind::given:
            return "given rows";
    }
    return "";
}

void append_scan(const world_t* world, id_writer write, const compiled_query& query,
                 const storage::store& data, std::string& out) {
    if (query.steps.cached != 0) {
        out += "cached   " + counted(query.cache->count(), "table");
        if (query.steps.inherits) {
            out += ", " + std::to_string(query.cache->heir_count()) + " with bases";
        }
        out += ":";
        for (std::uint32_t i = 0; i < query.model.count; ++i) {
            if ((query.steps.cached >> i) & 1) {
                out += " ";
                append_term(world, write, query.model.terms[i], out);
                out += query.model.terms[i].oper == Or ? " ||" : "";
            }
        }
        return;
    }
    scan_choice choice = choose_scan(data, query.model);
    out += query.model.cascade >= 0 ? "ordered  " : "scan     ";
    out += scan_text(choice.kind);
    if (choice.by) {
        write(world, choice.by->id, out);
        out += ": ";
        bool entities = choice.kind >= scan_kind::sparse_values;
        out += entities && choice.candidates != 1
                   ? std::to_string(choice.candidates) + " entities"
                   : counted(choice.candidates, entities ? "entity" : "table");
    } else {
        out += ": " + counted(data.tables.count() - 1, "table");
    }
}

const char* step_text(const op& step, const term& one) noexcept {
    if (step.code == op_code::list) {
        return "list     ";
    }
    if (step.code == op_code::chain) {
        return "any of   ";
    }
    if (one.oper == Not) {
        return "without  ";
    }
    if (one.oper == Optional) {
        return "maybe    ";
    }
    return one.follows() && !one.inherits() ? "search   " : "with     ";
}

}  // namespace

void append_term(const world_t* world, id_writer write, const term& one, std::string& out) {
    out += access_text(one.access);
    out += operator_text(one);
    std::string search = search_text(world, write, one);
    std::string source;
    if (one.from == source_kind::fixed) {
        write(world, one.source, source);
    } else if (one.from == source_kind::none) {
        source = "0";
    }
    if (search.empty() && source.empty()) {
        write(world, one.id, out);
        return;
    }
    std::string inner = search.empty() || source.empty() ? search + source : search + ":" + source;
    if (!is_pair(one.id)) {
        write(world, one.id, out);
        out += "(" + inner + ")";
        return;
    }
    write(world, pair_first(one.id), out);
    out += "(" + inner + ",";
    write(world, pair_second(one.id), out);
    out += ")";
}

void append_terms(const world_t* world, id_writer write, const query_model& model,
                  std::string& out) {
    for (std::uint32_t i = 0; i < model.count; ++i) {
        append_term(world, write, model.terms[i], out);
        if (i + 1 < model.count) {
            out += model.terms[i].oper == Or ? " || " : ", ";
        }
    }
}

void append_plan(const world_t* world, id_writer write, const compiled_query& query,
                 const storage::store& data, std::string& out) {
    for (std::uint32_t i = 0; i < query.steps.count; ++i) {
        const op& step = query.steps.ops[i];
        if (step.code == op_code::scan) {
            append_scan(world, write, query, data, out);
        } else if (step.code == op_code::rows) {
            out += "rows     one by one";
        } else {
            out += step_text(step, query.model.terms[step.first]);
            for (std::uint32_t t = step.first; t < step.last; ++t) {
                append_term(world, write, query.model.terms[t], out);
                out += t + 1 < step.last ? " || " : "";
            }
        }
        out += "\n";
    }
    out += "yield\n";
}

}  // namespace kith::queries
