// Parsing worlds as text, by recursive descent without recursion: blocks are kept in a list.
#include "fact_parser.hpp"

#include <kith/detail/value_text.hpp>

#include "identifier.hpp"

namespace kith::dsl {

using syntax::span;
using syntax::token_kind;

namespace {

// The number of bytes that are read between two calls of goes_on().
constexpr std::size_t bytes_between_questions = 1 << 16;
// The limit of nested blocks. A text of nothing but '{' would use memory without end otherwise.
constexpr std::size_t deepest_nesting = 1'000'000;

// True for tokens that queries have and facts have not, for a better message.
bool is_query_operator(token_kind kind) noexcept {
    switch (kind) {
        case token_kind::bar:
        case token_kind::or_or:
        case token_kind::bang:
        case token_kind::question:
        case token_kind::equal_equal:
        case token_kind::not_equal:
        case token_kind::tilde_equal:
        case token_kind::open_bracket:
        case token_kind::close_bracket:
            return true;
        default:
            return false;
    }
}

// The reason why the token cannot name an entity, null if it can.
const char* name_fault(std::string_view token) {
    if (token.find("\\x") == std::string_view::npos) {
        return nullptr;
    }
    for (std::size_t position = token.find('\\'); position != std::string_view::npos;
         position = token.find('\\', position + 2)) {
        const std::string_view escape = token.substr(position + 1, 3);
        if (escape == "x00" || escape == "x1e" || escape == "x1E" || escape == "x1f" ||
            escape == "x1F") {
            return "a name cannot have the characters \\x00, \\x1e and \\x1f";
        }
    }
    return nullptr;
}

}  // namespace

// Names may be numbers and texts in quotes.
bool fact_parser::at_name() const noexcept {
    return at(token_kind::name) || at(token_kind::quoted) || at(token_kind::number);
}

bool fact_parser::at_separator() const noexcept {
    return current_.on_new_line || at(token_kind::semicolon) || at(token_kind::close_brace) ||
           at(token_kind::end);
}

void fact_parser::advance() {
    current_ = lexer_.next();
}

std::string fact_parser::describe_unexpected(const char* expected) const {
    switch (current_.kind) {
        case token_kind::bad:
            return lexer_.problem();
        case token_kind::variable:
        case token_kind::dollar:
            return "a fact cannot have variables; they are for queries";
        case token_kind::star:
        case token_kind::underscore:
            return "a fact cannot have wildcards: name the entity that is meant";
        case token_kind::equal:
            return "a value belongs to a component: 'Entity: Position = {x: 1}' or "
                   "'Position(Entity) = "
                   "{x: 1}'";
        default:
            break;
    }
    if (is_query_operator(current_.kind)) {
        return std::string(to_string(current_.kind)) +
               " is for queries; a fact only says what there is";
    }
    return std::string("expected ") + expected + ", found " + to_string(current_.kind);
}

bool fact_parser::take(token_kind kind, const char* expected) {
    if (!at(kind)) {
        diagnostics_.add(current_.at, describe_unexpected(expected));
        return false;
    }
    advance();
    return true;
}

// A name with a character that entities cannot have is read, with a diagnostic.
bool fact_parser::read_name(span& name, const char* expected) {
    if (!at_name()) {
        diagnostics_.add(current_.at, describe_unexpected(expected));
        return false;
    }
    name = current_.at;
    if (const char* fault = name_fault(name.of(text_))) {
        diagnostics_.add(name, fault);
    }
    advance();
    return true;
}

// A block that opens in the skipped part has no subject, but its facts can be checked.
void fact_parser::recover() {
    while (!at_separator()) {
        if (at(token_kind::equal)) {
            skip_value();
        } else if (at(token_kind::open_brace)) {
            open_block(current_.at);
            return;
        } else {
            advance();
        }
    }
}

// Skips the value behind `=`, which may have braces.
void fact_parser::skip_value() {
    advance();
    std::size_t depth = 0;
    do {
        depth += at(token_kind::open_brace);
        depth -= at(token_kind::close_brace) && depth > 0;
        if (depth == 0 && at_separator() && !at(token_kind::close_brace)) {
            return;
        }
        advance();
    } while (depth > 0 && !at(token_kind::end));
}

bool fact_parser::run() {
    advance();
    while (!at(token_kind::end) && !diagnostics_.full()) {
        read_item();
        if (current_.at.begin - reported_at_ >= bytes_between_questions) {
            reported_at_ = current_.at.begin;
            if (!handler_.goes_on(reported_at_)) {
                return false;
            }
        }
    }
    if (!blocks_.empty() && !diagnostics_.full()) {
        diagnostics_.add(blocks_.back(), "this block is not closed: '}' is missing");
    }
    return true;
}

// An item is a fact, a description, `using`, `;` or the end of a block.
void fact_parser::read_item() {
    if (at_name()) {
        read_statement();
    } else if (at(token_kind::semicolon)) {
        advance();
    } else if (at(token_kind::close_brace)) {
        close_block();
    } else {
        diagnostics_.add(current_.at,
                         describe_unexpected("a fact, such as 'Planet(Earth)' or 'Earth: Planet'"));
        if (at(token_kind::open_brace)) {
            open_block(current_.at);
        } else {
            advance();
            recover();
        }
    }
}

// The token behind the name decides, if it is on the same line; a block may begin on the next.
void fact_parser::read_statement() {
    span name;
    read_name(name, "a name");
    if (at(token_kind::colon) && !current_.on_new_line) {
        read_description(name);
    } else if (at(token_kind::open_brace)) {
        handler_.subject(name);
        open_block(name);
    } else if (at(token_kind::open_paren) && !current_.on_new_line) {
        read_prefix_fact(name);
    } else if (name.of(text_) == "using" && at_name() && !current_.on_new_line) {
        read_use();
    } else if (is_declaring_word(name.of(text_)) && at_name() && !current_.on_new_line) {
        read_declaration(name);
    } else {
        explain_bare_name(name);
        recover();
    }
}

// The message for a name that no fact begins with.
void fact_parser::explain_bare_name(span name) {
    if (at_separator()) {
        diagnostics_.add(name,
                         "a name by itself says nothing; to only make the entity, write 'Name {}'");
        return;
    }
    if (at_name() && is_near(name.of(text_), "using")) {
        diagnostics_.add(name, "this is no fact; did you mean 'using'?");
        return;
    }
    diagnostics_.add(current_.at, describe_unexpected("'(', ':' or '{' after the name"));
}

void fact_parser::read_use() {
    const span scope = current_.at;
    advance();
    if (check_end()) {
        handler_.use(scope);
    } else {
        recover();
    }
}

// A declaration has a grammar of its own; the lexer goes on behind it.
void fact_parser::read_declaration(span word) {
    declaration_parser reading(text_, word.begin, diagnostics_);
    type_declaration declaration;
    const bool sound = reading.run(declaration);
    lexer_.seek(reading.end());
    advance();
    if (sound && check_end()) {
        handler_.declare(declaration);
    } else {
        recover();
    }
}

// `Tag(Entity)` or `Relationship(Entity, Target)`.
void fact_parser::read_prefix_fact(span relation) {
    advance();
    written_id id{relation, {}, relation, {}};
    span entity;
    bool read = true;
    if (at(token_kind::dollar)) {
        entity = relation;  // a singleton
        advance();
    } else {
        read = read_name(entity, "the entity that has it");
    }
    if (read && at(token_kind::comma)) {
        advance();
        read = read_name(id.second, "the target of the relationship");
        if (read && at(token_kind::comma)) {
            diagnostics_.add(current_.at, "a relationship has one target: write a fact for each");
            read = false;
            recover();
            return;
        }
    }
    id.whole.end = current_.at.end;
    if (read && take(token_kind::close_paren, "')'") && read_value(id.value) && check_end()) {
        handler_.fact(id, entity);
    } else {
        recover();
    }
}

// `Entity: Tag, (Relationship, Target)`, perhaps with a block behind it.
void fact_parser::read_description(span name) {
    advance();
    handler_.subject(name);
    if (!read_list()) {
        recover();
    } else if (at(token_kind::open_brace)) {
        open_block(name);
    } else if (!check_end()) {
        recover();
    }
}

// One id or more, separated by commas.
bool fact_parser::read_list() {
    while (read_id()) {
        if (!at(token_kind::comma)) {
            return true;
        }
        advance();
    }
    return false;
}

// `Tag` or `(Relationship, Target)`.
bool fact_parser::read_id() {
    written_id id;
    const std::uint32_t begin = current_.at.begin;
    if (!at(token_kind::open_paren)) {
        if (!read_name(id.first, "a tag or a pair")) {
            return false;
        }
        id.whole = id.first;
    } else {
        advance();
        if (!read_name(id.first, "a relationship") ||
            !take(token_kind::comma, "',' and the target") || !read_name(id.second, "a target")) {
            return false;
        }
        id.whole = {begin, current_.at.end};
        if (!take(token_kind::close_paren, "')'")) {
            return false;
        }
    }
    if (!read_value(id.value)) {
        return false;
    }
    handler_.has(id);
    return true;
}

// `= value`, if it follows. The value has a grammar of its own; the lexer goes on behind it.
bool fact_parser::read_value(span& value) {
    if (!at(token_kind::equal) || current_.on_new_line) {
        return true;
    }
    std::size_t end = current_.at.end;
    while (end < text_.size() && (text_[end] == ' ' || text_[end] == '\t')) {
        ++end;
    }
    value.begin = static_cast<std::uint32_t>(end);
    if (const detail::value_fault fault = detail::scan_value(text_, end); !fault.message.empty()) {
        diagnostics_.add(fault.at, fault.message);
        return false;
    }
    value.end = static_cast<std::uint32_t>(end);
    lexer_.seek(end);
    advance();
    return true;
}

// An item ends with its line, with `;` or with the block.
bool fact_parser::check_end() {
    if (at_separator()) {
        return true;
    }
    diagnostics_.add(current_.at, describe_unexpected("a new line or ';'"));
    return false;
}

void fact_parser::open_block(span name) {
    advance();
    if (blocks_.size() == deepest_nesting) {
        diagnostics_.add(name, "blocks are nested too deep");
        return;
    }
    blocks_.push_back(name);
    handler_.open_block();
}

void fact_parser::close_block() {
    if (blocks_.empty()) {
        diagnostics_.add(current_.at, "'}' closes nothing");
    } else {
        blocks_.pop_back();
        handler_.close_block();
    }
    advance();
}

}  // namespace kith::dsl
