// From a query as it was written to the terms of a description: names become ids.
#include <kith/query_builder.hpp>
#include <kith/syntax/query_parser.hpp>
#include <kith/syntax/text.hpp>

#include "diagnostics.hpp"
#include "identifier.hpp"

#include <vector>

namespace kith::dsl {

namespace {

using syntax::item;
using syntax::item_kind;
using syntax::token_kind;

class lowering {
public:
    lowering(world_t* world, std::string_view text, detail::term_list& terms)
        : world_(world), text_(text), terms_(terms), diagnostics_(text_) {}

    void run() {
        if (text_.size() > longest) {
            diagnostics_.add({0, 0}, "a query has at most 1 MiB of text");
            diagnostics_.raise(errc::limit);
        }
        const syntax::query_tree tree = syntax::parse_query(text_);
        for (std::uint32_t i = 0; i < tree.problem_count; ++i) {
            diagnostics_.add(tree.problems[i].at, tree.problems[i].message);
        }
        if (diagnostics_.empty()) {
            kept_ = terms_.keep(text_);
            for (std::uint32_t i = 0; i < tree.count; ++i) {
                add(tree, i);
            }
        }
        if (!diagnostics_.empty()) {
            diagnostics_.raise(errc::invalid_query);
        }
        for (const term_desc& one : made_) {
            terms_.add() = one;
        }
    }

private:
    static constexpr std::size_t longest = 1 << 20;

    term_desc& add_term(const item& one) {
        term_desc& made = made_.emplace_back();
        made.text = kept_;
        made.text_begin = one.at.begin;
        made.text_end = one.at.end;
        return made;
    }
    void add_scope_end(const item& one, id_t which, oper_kind_t oper) {
        term_desc& made = add_term(one);
        made.id = which;
        made.oper = oper;
    }
    void add(const syntax::query_tree& tree, std::uint32_t index) {
        const item& one = tree.items[index];
        const bool follows_or = index > 0 && tree.items[index - 1].joins_next;
        if (one.kind == item_kind::scope_open) {
            open_scope(one, follows_or || tree.items[end_of_scope(tree, index)].joins_next);
        } else if (one.kind == item_kind::scope_close) {
            close_scope(one);
        } else {
            const oper_kind_t oper = operator_of(one);
            if (one.no_source && (oper != And || follows_or || one.joins_next)) {
                diagnostics_.add(one.at,
                                 "a term without a source matches nothing: it has no operator");
            }
            if (oper != And && (follows_or || one.joins_next)) {
                wrap_operand(one, oper);
            } else {
                add_operand(one, one.joins_next ? Or : oper);
            }
        }
    }
    static std::uint32_t end_of_scope(const syntax::query_tree& tree, std::uint32_t index) {
        std::uint32_t depth = 0;
        for (;; ++index) {
            depth += tree.items[index].kind == item_kind::scope_open;
            depth -= tree.items[index].kind == item_kind::scope_close;
            if (depth == 0) {
                return index;
            }
        }
    }
    // A member of a chain has no operator of its own: `!A || B` is `{!A} || B`.
    void wrap_operand(const item& one, oper_kind_t oper) {
        add_scope_end(one, ScopeOpen, And);
        add_operand(one, oper);
        add_scope_end(one, ScopeClose, one.joins_next ? Or : And);
    }
    void open_scope(const item& one, bool in_chain) {
        const bool wraps = in_chain && one.oper != And;
        if (wraps) {
            add_scope_end(one, ScopeOpen, And);
        }
        add_scope_end(one, ScopeOpen, one.oper);
        wrapped_.push_back(wraps);
    }
    void close_scope(const item& one) {
        if (wrapped_.back()) {
            add_scope_end(one, ScopeClose, And);
        }
        add_scope_end(one, ScopeClose, one.joins_next ? Or : And);
        wrapped_.pop_back();
    }
    // `a != b` is the negation of `a == b`, and `!a != b` of that.
    static oper_kind_t operator_of(const item& one) noexcept {
        if (one.kind == item_kind::differs) {
            return one.oper == Not ? And : one.oper == And ? Not : one.oper;
        }
        return one.oper;
    }
    void add_operand(const item& one, oper_kind_t oper) {
        term_desc& made = add_term(one);
        made.oper = oper;
        made.inout = one.access;
        made.is_filter = one.is_filter;
        made.no_source = one.no_source;
        made.has_second = one.has_second;
        if (one.is_comparison()) {
            made.first.id = one.kind == item_kind::contains ? PredMatch : PredEq;
            set_compared(one, made.second);
        } else {
            may_be_type_ = true;
            set_part(one.first, made.first);
            may_be_type_ = false;
            check_first(one.first, made.first);
            if (one.has_second) {
                set_second(one, made.second);
            }
        }
        set_source(one, made);
    }
    // No entity has the entity of a query as an id: its name is a mistake for its terms.
    void check_first(const syntax::part& one, const term_part_desc& made) {
        if (made.id != 0 && !is_wildcard(made.id) && entity(world_, made.id).has(Query)) {
            diagnostics_.add(one.id.at, "'" + std::string(of(one.id)) +
                                            "' is the name of a query; a text has terms");
        }
    }
    void set_compared(const item& one, term_part_desc& made) {
        if (one.second.id.kind == token_kind::quoted) {
            made.name = terms_.keep_name(decode_quoted(of(one.second.id)));
            made.flags |= IsName;
        } else {
            set_word(one.second.id, made);
        }
    }
    // (ChildOf, 0) asks for roots.
    void set_second(const item& one, term_part_desc& made) {
        if (one.second.id.kind == token_kind::number && of(one.second.id) == "0") {
            return;
        }
        set_part(one.second, made);
    }
    void set_source(const item& one, term_desc& made) {
        if (one.src.id.kind == token_kind::dollar) {
            made.src.id = made.first.id;
            made.src.name = made.first.name;
            made.src.flags |= made.first.flags & IsVariable;
        } else if (one.src.id.is_given()) {
            set_word(one.src.id, made.src);
        }
        set_search(one.src.by, made.src);
    }
    void set_part(const syntax::part& one, term_part_desc& made) {
        set_word(one.id, made);
        set_search(one.by, made);
    }
    void set_search(const syntax::search& by, term_part_desc& made) {
        made.flags |= by.flags;
        made.min_depth = by.min_depth;
        made.max_depth = by.max_depth;
        if (by.relation.is_given()) {
            term_part_desc relation;
            set_word(by.relation, relation);
            made.trav = relation.id;
            if (relation.name || relation.id == Wildcard || relation.id == Any) {
                diagnostics_.add(by.relation.at, "a search follows one relationship, by its name");
            }
        }
    }
    void set_word(const syntax::word& one, term_part_desc& made) {
        switch (one.kind) {
            case token_kind::star:
                made.id = Wildcard;
                break;
            case token_kind::underscore:
                made.id = Any;
                break;
            case token_kind::variable:
                set_variable(of(one), made);
                break;
            case token_kind::number:
                made.id = find_number(world_, of(one));
                if (made.id == 0) {
                    add_unknown_number(one, of(one));
                }
                break;
            default:
                set_name(one, made);
                break;
        }
    }
    void set_variable(std::string_view name, term_part_desc& made) {
        made.name = terms_.keep_name(name);
        made.flags |= IsVariable;
    }
    void set_name(const syntax::word& one, term_part_desc& made) {
        const std::string_view name = of(one);
        made.id = find_entity(world_, name);
        if (made.id != 0) {
            return;
        }
        if (one.kind == token_kind::name && syntax::words::same_ignoring_case(name, "this")) {
            set_variable("$this", made);
            return;
        }
        if (one.kind == token_kind::name && name.find_first_not_of("#0123456789") == name.npos) {
            add_unknown_number(one, name.substr(1));
            return;
        }
        std::string hint = suggest(world_, name);
        if (hint.empty() && may_be_type_ && one.kind == token_kind::name) {
            hint = "; a C++ type has its name after its first use: world.component<T>()";
        }
        diagnostics_.add(one.at, "no entity '" + std::string(name) + "'" + hint);
    }
    void add_unknown_number(const syntax::word& one, std::string_view digits) {
        diagnostics_.add(one.at, "no entity has the number " + std::string(digits));
    }
    std::string_view of(const syntax::word& one) const noexcept { return one.at.of(text_); }

    world world_;
    std::string_view text_;
    detail::term_list& terms_;
    diagnostics diagnostics_;
    const char* kept_ = nullptr;
    bool may_be_type_ = false;     // the word names a component or a relationship
    std::vector<bool> wrapped_;    // of the scopes that are open: they are in a scope of their own
    std::vector<term_desc> made_;  // handed over when all is well
};

}  // namespace

}  // namespace kith::dsl

namespace kith {

std::string syntax::locate_in_text(const char* text, std::uint32_t begin, std::uint32_t end,
                                   std::string_view message) {
    dsl::diagnostics located(text);
    located.add({begin, end}, std::string(message));
    return located.str();
}

void detail::parse_terms(world_t* world, text_view text, term_list& terms) {
    dsl::lowering(world, text, terms).run();
}

}  // namespace kith
