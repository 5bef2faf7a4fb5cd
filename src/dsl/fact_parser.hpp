// Reads worlds as text and tells what they say, in the order of the text. Nothing is kept but the
// open blocks, so memory does not grow with the text.
//
// Covered by tests/dsl/world_text_syntax_test.cpp.
#pragma once

#include <kith/syntax/lexer.hpp>

#include "diagnostics.hpp"

#include <string_view>
#include <vector>

namespace kith::dsl {

// A tag, or a relationship and its target.
struct written_id {
    syntax::span first;
    syntax::span second;  // empty: no pair
    syntax::span whole;

    bool is_pair() const noexcept { return second.end != second.begin; }
};

// Told by the parser. Does nothing by itself: that is how a text is checked.
class fact_handler {
public:
    virtual ~fact_handler() = default;

    // `Entity:` or `Entity {`: the ids and the block that follow are its own.
    virtual void subject(syntax::span name) { static_cast<void>(name); }
    virtual void has(const written_id& id) { static_cast<void>(id); }
    virtual void open_block() {}
    virtual void close_block() {}
    // `Tag(Entity)`, `Relationship(Entity, Target)`
    virtual void fact(const written_id& id, syntax::span entity) {
        static_cast<void>(id);
        static_cast<void>(entity);
    }
    virtual void use(syntax::span scope) { static_cast<void>(scope); }
    // From time to time, with the bytes read so far. False ends it.
    virtual bool goes_on(std::size_t done) {
        static_cast<void>(done);
        return true;
    }
};

class fact_parser {
public:
    fact_parser(std::string_view text, fact_handler& handler, diagnostics& diagnostics)
        : text_(text), lexer_(text), handler_(handler), found_(diagnostics) {}

    // False if the handler ended it. After a mistake it goes on with the next item.
    bool run();

private:
    bool at(syntax::token_kind kind) const noexcept { return current_.kind == kind; }
    bool at_name() const noexcept;
    // At the end of what belongs together: a new line, or a mark that says so.
    bool at_separator() const noexcept;
    void advance();
    void recover();

    void read_item();
    void read_statement();
    void read_use();
    void read_prefix_fact(syntax::span relation);
    void read_description(syntax::span name);
    bool read_list();
    bool read_id();
    bool read_name(syntax::span& name, const char* what);
    bool check_end();
    bool take(syntax::token_kind kind, const char* replaced_pair);
    void open_block(syntax::span name);
    void close_block();
    void skip_value();
    void explain_bare_name(syntax::span name);
    std::string wonder(const char* wanted) const;

    std::string_view text_;
    syntax::lexer lexer_;
    fact_handler& handler_;
    diagnostics& found_;
    syntax::token current_;
    std::size_t asked_at_ = 0;          // the place at which the handler was asked last
    std::vector<syntax::span> blocks_;  // the entities whose blocks are open
};

}  // namespace kith::dsl
