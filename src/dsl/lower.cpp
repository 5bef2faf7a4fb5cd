// Lowering: the tree of a parsed query becomes terms of a description, with ids in place of names.
// Implements detail::parse_terms() (include/kith/query_builder.hpp) and syntax::locate_in_text()
// (include/kith/syntax/text.hpp).
#include <kith/detail/value_test.hpp>
#include <kith/query_builder.hpp>
#include <kith/syntax/query_parser.hpp>
#include <kith/syntax/text.hpp>

#include "diagnostics.hpp"
#include "identifier.hpp"
#include "value_path.hpp"

#include <algorithm>
#include <vector>

namespace kith::dsl {

namespace {

using syntax::item;
using syntax::item_kind;
using syntax::token_kind;

// Lowers one text. All mistakes are collected; terms are handed over only if there are none.
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
            text_copy_ = terms_.keep(text_);
            for (std::uint32_t i = 0; i < tree.count; ++i) {
                add(tree, i);
            }
        }
        if (!diagnostics_.empty()) {
            diagnostics_.raise(errc::invalid_query);
        }
        for (const term_desc& desc : lowered_) {
            terms_.add() = desc;
        }
    }

private:
    static constexpr std::size_t longest = 1 << 20;

    // Adds a term that knows its place in the text.
    term_desc& add_term(const item& item) {
        term_desc& desc = lowered_.emplace_back();
        desc.text = text_copy_;
        desc.text_begin = item.at.begin;
        desc.text_end = item.at.end;
        return desc;
    }
    void add_scope_end(const item& item, id_t which, oper_kind_t oper) {
        term_desc& desc = add_term(item);
        desc.id = which;
        desc.oper = oper;
    }
    // Lowers one item of the tree.
    void add(const syntax::query_tree& tree, std::uint32_t index) {
        const item& item = tree.items[index];
        const bool follows_or = index > 0 && tree.items[index - 1].joins_next;
        if (item.kind == item_kind::scope_open) {
            open_scope(item, follows_or || tree.items[end_of_scope(tree, index)].joins_next);
        } else if (item.kind == item_kind::scope_close) {
            close_scope(item);
        } else {
            const oper_kind_t oper = is_value(item) ? item.oper : operator_of(item);
            if (item.no_source && (oper != And || follows_or || item.joins_next)) {
                diagnostics_.add(item.at,
                                 "a term without a source matches nothing: it has no operator");
            }
            if (oper != And && (follows_or || item.joins_next)) {
                wrap_operand(item, oper);
            } else {
                add_operand(item, item.joins_next ? Or : oper);
            }
        }
    }
    // The index of the item that closes the scope.
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
    // Members of an Or chain have no operator of their own: `!A || B` is lowered as `{!A} || B`.
    void wrap_operand(const item& item, oper_kind_t oper) {
        add_scope_end(item, ScopeOpen, And);
        add_operand(item, oper);
        add_scope_end(item, ScopeClose, item.joins_next ? Or : And);
    }
    // A scope with an operator inside of a chain gets a scope around it.
    void open_scope(const item& item, bool in_chain) {
        const bool wraps = in_chain && item.oper != And;
        if (wraps) {
            add_scope_end(item, ScopeOpen, And);
        }
        add_scope_end(item, ScopeOpen, item.oper);
        wrapped_.push_back(wraps);
    }
    void close_scope(const item& item) {
        if (wrapped_.back()) {
            add_scope_end(item, ScopeClose, And);
        }
        add_scope_end(item, ScopeClose, item.joins_next ? Or : And);
        wrapped_.pop_back();
    }
    // `a != b` is the negation of `a == b`, so `!a != b` is not negated.
    static oper_kind_t operator_of(const item& item) noexcept {
        if (item.kind == item_kind::differs) {
            return item.oper == Not ? And : item.oper == And ? Not : item.oper;
        }
        return item.oper;
    }
    // A term or a comparison.
    void add_operand(const item& item, oper_kind_t oper) {
        term_desc& desc = add_term(item);
        desc.oper = oper;
        desc.inout = item.access;
        desc.is_filter = item.is_filter;
        desc.no_source = item.no_source;
        desc.has_second = item.has_second;
        if (is_value(item)) {
            add_value(item, desc);
            return;
        }
        if (item.is_comparison()) {
            desc.first.id = item.kind == item_kind::contains ? PredMatch : PredEq;
            set_compared(item, desc.second);
        } else {
            may_be_type_ = true;
            set_part(item.first, desc.first);
            may_be_type_ = false;
            check_first(item.first, desc.first);
            if (item.has_second) {
                set_second(item, desc.second);
            }
        }
        set_source(item, desc);
    }
    // True if the item compares values: its form says so, or its left side is a described
    // component.
    bool is_value(const item& item) const {
        return item.kind == item_kind::value ||
               (item.is_comparison() && item.src.id.kind == token_kind::name &&
                find_value_path(world_, of(item.src.id)).is_value());
    }
    // The component of a value and the path behind it. Adds a diagnostic if there is none.
    value_path find_compared(const syntax::part& part, syntax::span members) {
        value_path found;
        if (part.id.kind == token_kind::name) {
            found = find_value_path(world_, of(part.id));
        }
        if (found.component == 0) {
            term_part_desc whole;
            syntax::word component = part.id;
            const std::size_t last = of(component).rfind('.');
            if (members.end == 0 && part.id.kind == token_kind::name &&
                last != std::string_view::npos) {
                component.at.end = component.at.begin + static_cast<std::uint32_t>(last);
            }
            may_be_type_ = true;
            set_word(component, whole);
            may_be_type_ = false;
            found.component = whole.id;
            found.path = whole.id && component.at.end != part.id.at.end
                             ? std::string(of(part.id).substr(last + 1))
                             : "";
        }
        found.path += members.of(text_);
        found.path.erase(0, found.path.starts_with('.') ? 1 : 0);
        return found;
    }
    // Lowers the comparison of a value.
    void add_value(const item& item, term_desc& desc) {
        const bool by_word = item.is_comparison();
        const syntax::part& first = by_word ? item.src : item.first;
        value_desc value;
        std::string path;
        if (item.has_second && !by_word) {
            set_part(item.first, desc.first);
            set_second(item, desc.second);
            desc.has_second = true;
            path = item.value.members.of(text_);
            path.erase(0, path.starts_with('.') ? 1 : 0);
        } else {
            value_path found = find_compared(first, item.value.members);
            desc.first.id = found.component;
            set_search(first.by, desc.first);
            path = std::move(found.path);
            desc.has_second = false;
        }
        if (!desc.has_second && path.empty() && is_enum(desc.first.id)) {
            add_constant(item, desc);
            return;
        }
        if (!by_word) {
            set_source(item, desc);
        }
        const entity_t component = component_of(desc);
        value.how = item.value.how;
        value.path = path.c_str();
        const syntax::span left = item.value.members.end ? item.value.members : first.id.at;
        value.path_at =
            left.end - static_cast<std::uint32_t>(std::min<std::size_t>(path.size(), left.end));
        value.right_at = item.value.right.begin;
        term_desc other;
        std::string right;
        if (!item.value.is_constant) {
            const kind compared =
                component ? detail::find_compared_kind(world_, component, value.path, value.how)
                          : kind::none;
            right = add_right_side(item.value, compared, other, value);
        } else {
            right = item.value.right.of(text_);
        }
        value.right = right.c_str();
        desc.value = terms_.keep_value(value);
    }
    bool is_enum(entity_t component) const {
        const description* type = component ? detail::find_description(world_, component) : nullptr;
        return type && type->what == kind::enumeration;
    }
    // `Color == Red` is the pair (Color, Red): constants of an enum that is a component are
    // entities.
    void add_constant(const item& item, term_desc& desc) {
        const std::string name(item.value.right.of(text_));
        if (item.kind != item_kind::value) {
            set_source({}, desc);
        } else {
            set_source(item, desc);
        }
        if (item.value.how != equal) {
            diagnostics_.add(item.at,
                             "an enum that is a component has a pair for its constant: "
                             "write ==, or (Color, Red) and !(Color, Red)");
            return;
        }
        const std::size_t dot = name.rfind('.');
        desc.second.id = world_.entity(desc.first.id)
                             .lookup(name.c_str() + (dot == std::string::npos ? 0 : dot + 1));
        desc.has_second = true;
        if (desc.second.id == 0) {
            diagnostics_.add(item.value.right, "the enum has no constant '" + name + "'");
        }
    }
    // The component of the values of a term, as far as the term names it; 0 if that is open.
    entity_t component_of(const term_desc& desc) const {
        if (!desc.has_second) {
            return desc.first.id;
        }
        const entity_t target =
            desc.second.name || is_wildcard(desc.second.id) ? 0 : desc.second.id;
        const bool has_values = desc.first.id && detail::find_description(world_, desc.first.id);
        return has_values ? desc.first.id : target;
    }
    // The right side of a comparison, if it has a name: constants as text, or the path of a member.
    std::string add_right_side(const syntax::value_comparison& right, kind compared,
                               term_desc& other, value_desc& value) {
        const std::string_view whole = right.right.of(text_);
        const bool is_word = !right.has_second && !right.src.id.is_given() && !right.src.by.flags &&
                             right.right_members.end == 0;
        if (is_word && right.first.id.kind == token_kind::variable) {
            set_word(right.first.id, other.src);
            value.is_handle = true;
            value.other = &other;
            return "";
        }
        if (is_word &&
            (is_constant_word(whole) || compared == kind::enumeration || compared == kind::flags)) {
            return std::string(whole);
        }
        if (is_word && compared == kind::entity) {
            term_part_desc named;
            set_word(right.first.id, named);
            return detail::constant_text_of_entity(named.id);
        }
        value.other = &other;
        std::string path;
        if (right.has_second) {
            set_part(right.first, other.first);
            set_part(right.second, other.second);
            other.has_second = true;
            path = right.right_members.of(text_);
            path.erase(0, path.starts_with('.') ? 1 : 0);
        } else {
            value_path found = find_compared(right.first, right.right_members);
            other.first.id = found.component;
            set_search(right.first.by, other.first);
            path = std::move(found.path);
        }
        item source;
        source.src = right.src;
        set_source(source, other);
        return path;
    }
    // Words that are constants of several kinds.
    static bool is_constant_word(std::string_view word) noexcept {
        return word == "true" || word == "false" || word == "null" || word == "inf" ||
               word == "nan";
    }
    // Adds a diagnostic for the name of a query: no entity has a query as an id, so the program
    // meant the terms of the query.
    void check_first(const syntax::part& part, const term_part_desc& desc) {
        if (desc.id != 0 && !is_wildcard(desc.id) && entity(world_, desc.id).has(Query)) {
            diagnostics_.add(part.id.at, "'" + std::string(of(part.id)) +
                                             "' is the name of a query; a text has terms");
        }
    }
    // The right side of a comparison: a text in quotes, or a name of an entity.
    void set_compared(const item& item, term_part_desc& part) {
        if (!item.second.id.is_given()) {
            diagnostics_.add(item.value.right,
                             "'" + std::string(of(item.src.id)) +
                                 "' is no value: only a component with a description has values "
                                 "that are compared with this");
        } else if (item.kind == item_kind::contains && item.second.id.kind != token_kind::quoted) {
            diagnostics_.add(item.second.id.at, "'~=' compares with a text in quotes");
        } else if (item.second.id.kind == token_kind::quoted) {
            part.name = terms_.keep_name(decode_quoted(of(item.second.id)));
            part.flags |= IsName;
        } else {
            set_word(item.second.id, part);
        }
    }
    // The target. (ChildOf, 0) asks for roots and has no target.
    void set_second(const item& item, term_part_desc& part) {
        if (item.second.id.kind == token_kind::number && of(item.second.id) == "0") {
            return;
        }
        set_part(item.second, part);
    }
    // The source. `$` stands for the component itself: a singleton.
    void set_source(const item& item, term_desc& desc) {
        if (item.src.id.kind == token_kind::dollar) {
            desc.src.id = desc.first.id;
            desc.src.name = desc.first.name;
            desc.src.flags |= desc.first.flags & IsVariable;
        } else if (item.src.id.is_given()) {
            set_word(item.src.id, desc.src);
        }
        set_search(item.src.by, desc.src);
    }
    void set_part(const syntax::part& part, term_part_desc& desc) {
        set_word(part.id, desc);
        set_search(part.by, desc);
    }
    // The flags of a search, such as `up(ChildOf)`, and its depths.
    void set_search(const syntax::search& search, term_part_desc& part) {
        part.flags |= search.flags;
        part.min_depth = search.min_depth;
        part.max_depth = search.max_depth;
        if (search.relation.is_given()) {
            term_part_desc relation;
            set_word(search.relation, relation);
            part.trav = relation.id;
            if (relation.name || relation.id == Wildcard || relation.id == Any) {
                diagnostics_.add(search.relation.at,
                                 "a search follows one relationship, by its name");
            }
        }
    }
    // A word: a wildcard, a variable, a number, or the name of an entity.
    void set_word(const syntax::word& word, term_part_desc& part) {
        switch (word.kind) {
            case token_kind::star:
                part.id = Wildcard;
                break;
            case token_kind::underscore:
                part.id = Any;
                break;
            case token_kind::variable:
                set_variable(of(word), part);
                break;
            case token_kind::number:
                part.id = find_number(world_, of(word));
                if (part.id == 0) {
                    add_unknown_number(word, of(word));
                }
                break;
            default:
                set_name(word, part);
                break;
        }
    }
    void set_variable(std::string_view name, term_part_desc& part) {
        part.name = terms_.keep_name(name);
        part.flags |= IsVariable;
    }
    // An unknown name is a mistake, with a suggestion.
    void set_name(const syntax::word& word, term_part_desc& part) {
        const std::string_view name = of(word);
        part.id = find_entity(world_, name);
        if (part.id != 0) {
            return;
        }
        if (word.kind == token_kind::name && syntax::words::same_ignoring_case(name, "this")) {
            set_variable("$this", part);
            return;
        }
        if (word.kind == token_kind::name && name.find_first_not_of("#0123456789") == name.npos) {
            add_unknown_number(word, name.substr(1));
            return;
        }
        std::string hint = suggest(world_, name);
        if (name.find('<') != name.npos && name.find(',') != name.npos) {
            hint = "; a blank before '<' makes it a comparison";
        }
        if (hint.empty() && may_be_type_ && word.kind == token_kind::name) {
            hint = "; a C++ type has its name after its first use: world.component<T>()";
        }
        diagnostics_.add(word.at, "no entity '" + std::string(name) + "'" + hint);
    }
    void add_unknown_number(const syntax::word& word, std::string_view digits) {
        diagnostics_.add(word.at, "no entity has the number " + std::string(digits));
    }
    std::string_view of(const syntax::word& word) const noexcept { return word.at.of(text_); }

    world world_;
    std::string_view text_;
    detail::term_list& terms_;
    diagnostics diagnostics_;
    const char* text_copy_ = nullptr;  // the text, owned by terms_: terms refer to it
    bool may_be_type_ = false;         // the word names a component or a relationship
    std::vector<bool> wrapped_;        // by open scope: it has a scope around it
    std::vector<term_desc> lowered_;   // handed over if there are no mistakes
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
