// The parser of worlds as text. It calls a handler for each fact, in the order of the text, and
// keeps nothing but the open blocks, so memory does not grow with the text.
//
// Covered by tests/dsl/world_text_syntax_test.cpp.
#pragma once

#include <kith/syntax/lexer.hpp>

#include "type_declaration.hpp"

#include <string_view>
#include <vector>

namespace kith::dsl {

// The id of a fact as it is written: a tag, or a relationship and its target.
struct written_id {
    syntax::span first;
    syntax::span second;  // empty: no pair
    syntax::span whole;
    syntax::span value;  // behind `=`; empty: none

    bool has_value() const noexcept { return value.end != value.begin; }
    bool is_pair() const noexcept { return second.end != second.begin; }
};

// Receives what the parser reads. The base class does nothing, which is how a text is only checked.
class fact_handler {
public:
    virtual ~fact_handler() = default;

    // `Entity:` or `Entity {`: the ids and the block that follow belong to this entity.
    virtual void subject(syntax::span name) { static_cast<void>(name); }
    // The entity of the last subject, and the same subject again, for sources that state facts of
    // an entity in several parts.
    virtual entity_t subject_id() const { return 0; }
    virtual void subject_again(entity_t subject) { static_cast<void>(subject); }
    // Facts with the name of kept_json follow.
    virtual void ensure_kept_json() {}
    // An id of the subject's list.
    virtual void has(const written_id& id) { static_cast<void>(id); }
    // The same for a component whose value is the bytes of a value of this type.
    virtual void has_packed(const written_id& id, const description& type) {
        static_cast<void>(id);
        static_cast<void>(type);
    }
    // The block of the subject begins; close_block() ends the innermost block.
    virtual void open_block() {}
    virtual void close_block() {}
    // A fact in prefix form: `Tag(Entity)`, `Relationship(Entity, Target)`.
    virtual void fact(const written_id& id, syntax::span entity) {
        static_cast<void>(id);
        static_cast<void>(entity);
    }
    // `struct Name { … }`, `enum Name { … }`, `flags Name { … }`.
    virtual void declare(const type_declaration& declaration) { static_cast<void>(declaration); }
    // `using Scope`.
    virtual void use(syntax::span scope) { static_cast<void>(scope); }
    // Called from time to time with the number of bytes read. False ends the parser.
    virtual bool goes_on(std::size_t done) {
        static_cast<void>(done);
        return true;
    }
};

// Reads one text. Requires: text, handler and diagnostics live longer.
class fact_parser {
public:
    fact_parser(std::string_view text, fact_handler& handler, diagnostics& diagnostics)
        : text_(text), lexer_(text), handler_(handler), diagnostics_(diagnostics) {}

    // Reads the whole text. After a mistake, the parser continues with the next item. False if the
    // handler ended it.
    bool run();

private:
    bool at(syntax::token_kind kind) const noexcept { return current_.kind == kind; }
    bool at_name() const noexcept;
    // True at the end of an item: a new line, `;`, `}`, or the end of the text.
    bool at_separator() const noexcept;
    void advance();
    // Skips the rest of an item that has a mistake.
    void recover();

    // Each of these reads a part of the text. Functions that return bool have added a diagnostic if
    // they return false.
    void read_item();
    void read_statement();
    void read_use();
    void read_declaration(syntax::span word);
    void read_prefix_fact(syntax::span relation);
    void read_description(syntax::span name);
    bool read_list();
    bool read_id();
    bool read_value(syntax::span& value);
    bool read_name(syntax::span& name, const char* expected);
    bool check_end();
    // Skips a token of this kind; `expected` describes it for the diagnostic.
    bool take(syntax::token_kind kind, const char* expected);
    void open_block(syntax::span name);
    void close_block();
    void skip_value();
    void explain_bare_name(syntax::span name);
    // The message about the current token, where `expected` should be.
    std::string describe_unexpected(const char* expected) const;

    std::string_view text_;
    syntax::lexer lexer_;
    fact_handler& handler_;
    diagnostics& diagnostics_;
    syntax::token current_;
    std::size_t reported_at_ = 0;       // the offset at which goes_on() was called last
    std::vector<syntax::span> blocks_;  // the names of entities whose blocks are open
};

}  // namespace kith::dsl
