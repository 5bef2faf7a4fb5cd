#include "support/corpus/oracle.hpp"

#include <kith/syntax/query_parser.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

namespace corpus {

namespace {

class oracle_terms {
public:
    oracle_terms(const kith::world& world, std::string_view text) : world_(world), text_(text) {}

    oracle_query make() {
        const kith::syntax::query_tree tree = kith::syntax::parse_query(text_);
        for (std::uint32_t i = 0; i < tree.count; ++i) {
            add(tree, i);
        }
        if (made_.terms.empty()) {
            push_everyone();
        }
        made_.terms = oracle::understood(oracle::reader(world_), made_.terms);
        find_wildcards();
        return std::move(made_);
    }

private:
    using item = kith::syntax::item;
    using item_kind = kith::syntax::item_kind;
    using token_kind = kith::syntax::token_kind;
    using term_kind = oracle::term_kind;

    // -- structure

    void add(const kith::syntax::query_tree& tree, std::uint32_t index) {
        const item& one = tree.items[index];
        const bool joined = one.joins_next;
        const bool in_chain = joined || (index > 0 && tree.items[index - 1].joins_next);
        if (one.kind == item_kind::scope_open) {
            open_scope(one.oper, in_chain || closes_into_chain(tree, index));
        } else if (one.kind == item_kind::scope_close) {
            close_scope(joined);
        } else if (one.no_source) {
            ++fields_without_oracle_;  // says something to others, and nothing about results
        } else {
            add_member(make_term(one), in_chain, joined);
        }
    }
    static bool closes_into_chain(const kith::syntax::query_tree& tree, std::uint32_t index) {
        int depth = 0;
        do {
            depth += tree.items[index].kind == item_kind::scope_open;
            depth -= tree.items[index].kind == item_kind::scope_close;
            ++index;
        } while (depth > 0);
        return tree.items[index - 1].joins_next;
    }
    void add_bracket(term_kind kind, kith::oper_kind_t oper) {
        oracle::term made;
        made.kind = kind;
        made.oper = oper;
        made.source = {};
        push(made);
    }
    void push(const oracle::term& made) {
        made_.terms.push_back(made);
        shifts_.push_back(fields_without_oracle_);
    }
    // `$this == $this`: what a query means that has no terms.
    void push_everyone() {
        oracle::term made;
        made.kind = term_kind::equal;
        made.second.variable = 0;
        push(made);
    }
    // The oracle has operators of members only in scopes.
    void open_scope(kith::oper_kind_t oper, bool in_chain) {
        const bool wrapped = in_chain && oper != kith::And;
        if (wrapped) {
            add_bracket(term_kind::open, kith::And);
        }
        add_bracket(term_kind::open, oper);
        wrapped_.push_back(wrapped);
    }
    void close_scope(bool joined) {
        if (wrapped_.back()) {
            add_bracket(term_kind::close, kith::And);
        }
        wrapped_.pop_back();
        add_bracket(term_kind::close, joined ? kith::Or : kith::And);
    }
    void add_member(oracle::term made, bool in_chain, bool joined) {
        const bool wrapped = in_chain && made.oper != kith::And;
        if (wrapped) {
            add_bracket(term_kind::open, kith::And);
        } else if (joined) {
            made.oper = kith::Or;
        }
        push(made);
        if (wrapped) {
            add_bracket(term_kind::close, joined ? kith::Or : kith::And);
        }
    }

    // -- terms

    oracle::term make_term(const item& one) {
        oracle::term made;
        made.oper = one.oper;
        made.pair = one.has_second;
        set_kind(one, made);
        if (one.src.id.kind == token_kind::dollar) {
            made.source = made.first;
        } else if (one.src.id.is_given()) {
            made.source = {};
            set_word(one.src.id, made.source);
        }
        set_search(one.src.by, made.source);
        return made;
    }
    void set_kind(const item& one, oracle::term& made) {
        if (!one.is_comparison()) {
            made.kind = term_kind::find;
            set_word(one.first.id, made.first);
            set_search(one.first.by, made.first);
            if (one.has_second && !is_zero(one.second.id)) {
                set_word(one.second.id, made.second);
                set_search(one.second.by, made.second);
            }
            return;
        }
        made.kind = one.kind == item_kind::equal     ? term_kind::equal
                    : one.kind == item_kind::differs ? term_kind::differ
                                                     : term_kind::contain;
        if (made.kind == term_kind::differ && made.oper == kith::Not) {
            made.kind = term_kind::equal;
            made.oper = kith::And;
        }
        if (one.second.id.kind == token_kind::quoted) {
            made.by_name = true;
            made.name = elements_of(word(one.second.id)).front();
        } else {
            set_word(one.second.id, made.second);
        }
    }
    void set_search(const kith::syntax::search& by, oracle::part& made) {
        made.flags = by.flags;
        made.min_depth = by.min_depth;
        made.max_depth = by.max_depth;
        if (by.relation.is_given()) {
            oracle::part relation;
            set_word(by.relation, relation);
            made.relation = relation.id;
        }
    }

    // -- words

    std::string_view word(const kith::syntax::word& one) const { return one.at.of(text_); }
    bool is_zero(const kith::syntax::word& one) const {
        return one.kind == token_kind::number && word(one) == "0";
    }
    void set_word(const kith::syntax::word& one, oracle::part& made) {
        switch (one.kind) {
            case token_kind::star:
                made.id = kith::Wildcard;
                break;
            case token_kind::underscore:
                made.id = kith::Any;
                break;
            case token_kind::variable:
                made.variable = variable(word(one).substr(1));
                break;
            case token_kind::number:
                made.id = numbered(word(one));
                break;
            default:
                set_name(one, made);
                break;
        }
    }
    static bool means_this(std::string_view name) {
        return kith::syntax::words::same_ignoring_case(name, "this");
    }
    int variable(std::string_view name) {
        if (means_this(name)) {
            return 0;
        }
        auto& known = made_.variables;
        auto found = std::find(known.begin() + 1, known.end(), name);
        if (found == known.end()) {
            found = known.insert(known.end(), std::string(name));
        }
        return static_cast<int>(found - known.begin());
    }
    kith::entity_t numbered(std::string_view digits) const {
        kith::entity_t number = 0;
        std::from_chars(digits.data(), digits.data() + digits.size(), number);
        return world_.get_alive(number);
    }
    void set_name(const kith::syntax::word& one, oracle::part& made) {
        const std::string_view name = word(one);
        if (name.starts_with('#')) {
            made.id = numbered(name.substr(1));
            return;
        }
        made.id = find(name);
        const bool nobody = made.id == 0 || made.id == kith::This;
        if (nobody && one.kind == token_kind::name && means_this(name)) {
            made.id = 0;
            made.variable = 0;
        }
    }
    kith::entity_t find(std::string_view path) const {
        const bool rooted = path.starts_with("::");
        std::string joined = rooted ? "\x1e" : "";
        for (const std::string& element : elements_of(rooted ? path.substr(2) : path)) {
            joined += element + "\x1f";
        }
        joined.pop_back();
        return world_.lookup(joined.c_str(), "\x1f", "\x1e", true);
    }
    static std::vector<std::string> elements_of(std::string_view path) {
        std::vector<std::string> found(1);
        for (std::size_t i = 0; i < path.size(); ++i) {
            if (path[i] == '"') {
                i = read_quoted(path, i, found.back());
            } else if (path[i] == '.' || path[i] == ':') {
                i += path[i] == ':';
                found.emplace_back();
            } else {
                found.back() += path[i];
            }
        }
        return found;
    }
    // Stops at the closing quote.
    static std::size_t read_quoted(std::string_view path, std::size_t at, std::string& out) {
        for (++at; at < path.size() && path[at] != '"'; ++at) {
            if (path[at] != '\\') {
                out += path[at];
                continue;
            }
            ++at;
            if (path[at] == 'x') {
                out +=
                    static_cast<char>(std::stoi(std::string(path.substr(at + 1, 2)), nullptr, 16));
                at += 2;
            } else {
                out += path[at] == 'n' ? '\n' : path[at] == 't' ? '\t' : path[at];
            }
        }
        return at;
    }

    // -- what results show

    static bool is_star(const oracle::part& one) {
        return !one.is_variable() && one.id == kith::Wildcard;
    }
    static bool has_star(const oracle::term& one) {
        return one.kind == term_kind::find && one.oper < kith::AndFrom && one.oper != kith::Not &&
               (is_star(one.first) || (one.pair && is_star(one.second)));
    }
    void find_wildcards() {
        const std::vector<std::size_t> fields = oracle::field_numbers(made_.terms);
        std::vector<bool> negated = {false};
        for (std::size_t i = 0; i < made_.terms.size(); ++i) {
            const oracle::term& one = made_.terms[i];
            if (one.kind == term_kind::open) {
                negated.push_back(negated.back() || one.oper == kith::Not);
            } else if (one.kind == term_kind::close) {
                negated.pop_back();
            } else if (has_star(one) && !negated.back()) {
                add_wildcard(fields[i], shifts_[i]);
            }
        }
    }
    void add_wildcard(std::size_t field, std::size_t shift) {
        if (made_.wildcards.empty() || made_.wildcards.back().in_oracle != field) {
            made_.wildcards.push_back({static_cast<std::int32_t>(field + shift + 1), field});
        }
    }

    kith::world world_;
    std::string_view text_;
    oracle_query made_;
    std::vector<bool> wrapped_;        // of the scopes that are open
    std::vector<std::size_t> shifts_;  // by term: fields before it that the oracle does not know
    std::size_t fields_without_oracle_ = 0;
};

}  // namespace

oracle_query make_oracle_query(const kith::world& world, std::string_view text) {
    return oracle_terms(world, text).make();
}

}  // namespace corpus
