// format_text() (include/kith/world_text.hpp): lays out a world as text, with one item per line and
// indented blocks. The layout works on tokens: names keep the spelling, and comments the place, of
// the given text.
//
// Covered by tests/dsl/world_text_format_test.cpp.
#include <kith/detail/value_text.hpp>

#include "fact_parser.hpp"

#include <algorithm>

namespace kith {

namespace dsl {

namespace {

using syntax::token;
using syntax::token_kind;

// Writes the tokens of a text. Requires: the text has no mistakes.
class layout {
public:
    explicit layout(std::string_view text) : text_(text), lexer_(text, true) {}

    std::string write() {
        for (token next = lexer_.next(); next.kind != token_kind::end; next = lexer_.next()) {
            blank_line_ = blank_line_ || has_blank_line(next);
            value_end_ = 0;
            write_token(next);
            end_ = value_end_ != 0 ? value_end_ : next.at.end;
        }
        out_ += out_.empty() || out_.ends_with('\n') ? "" : "\n";
        return std::move(out_);
    }

private:
    // True if there is an empty line between the last token and this one.
    bool has_blank_line(const token& next) const {
        const std::string_view gap = text_.substr(end_, next.at.begin - end_);
        return std::count(gap.begin(), gap.end(), '\n') > 1;
    }
    // True if a name on a new line begins another item.
    bool is_complete() const {
        return parens_ == 0 && last_ != token_kind::comma && last_ != token_kind::colon;
    }

    void write_token(const token& next) {
        switch (next.kind) {
            case token_kind::comment:
                write_comment(next);
                return;  // a comment changes neither the last token nor the item
            case token_kind::semicolon:
                in_item_ = false;
                return;
            case token_kind::name:
                if (begins_declaration(next)) {
                    write_declaration(next);
                    break;
                }
                write_word(next);
                break;
            case token_kind::equal:
                write_value(next);
                break;
            case token_kind::close_brace:
                close_block();
                break;
            case token_kind::open_brace:
                out_ += at_line_start() ? indent(1) : " ";
                out_ += '{';
                ++depth_;
                in_item_ = false;
                break;
            default:
                write_word(next);
                break;
        }
        last_ = next.kind;
        blank_line_ = false;
    }

    // A comment stays on its line; a comment of its own line is indented like the next item.
    void write_comment(const token& next) {
        if (next.on_new_line) {
            begin_line(in_item_ && !is_complete() ? 1 : 0);
        } else if (!out_.empty() && !at_line_start()) {
            out_ += "  ";
        }
        std::string_view comment = next.at.of(text_);
        while (!comment.empty() && syntax::chars::is_space(comment.back())) {
            comment.remove_suffix(1);
        }
        out_ += comment;
        out_ += '\n';
        blank_line_ = false;
    }

    // True for `struct`, `enum` and `flags` at the beginning of an item, with a name behind them.
    bool begins_declaration(const token& next) const {
        if ((in_item_ && !(next.on_new_line && is_complete())) ||
            !is_declaring_word(next.at.of(text_))) {
            return false;
        }
        syntax::lexer ahead(text_);
        ahead.seek(next.at.end);
        const token name = ahead.next();
        return !name.on_new_line &&
               (name.kind == token_kind::name || name.kind == token_kind::quoted);
    }
    // A declaration stays as its author wrote it.
    void write_declaration(const token& word) {
        diagnostics none(text_);
        declaration_parser reading(text_, word.at.begin, none);
        type_declaration ignored;
        reading.run(ignored);
        begin_line(0);
        out_ += text_.substr(word.at.begin, reading.end() - word.at.begin);
        in_item_ = true;
        lexer_.seek(reading.end());
        value_end_ = reading.end();
    }

    // A value stays as its author wrote it.
    void write_value(const token& equal) {
        std::size_t begin = equal.at.end;
        while (begin < text_.size() && (text_[begin] == ' ' || text_[begin] == '\t')) {
            ++begin;
        }
        std::size_t end = begin;
        detail::scan_value(text_, end);
        std::string_view value = text_.substr(begin, end - begin);
        while (!value.empty() && syntax::chars::is_space(value.back())) {
            value.remove_suffix(1);
        }
        out_ += " = ";
        out_ += value;
        lexer_.seek(end);
        value_end_ = end;
    }

    void close_block() {
        --depth_;
        blank_line_ = false;
        if (last_ != token_kind::open_brace || at_line_start()) {
            begin_line(0);
        }
        out_ += '}';
        in_item_ = false;
    }

    void write_word(const token& next) {
        if (!in_item_ || (next.on_new_line && is_complete())) {
            begin_line(0);
            in_item_ = true;
        } else if (at_line_start()) {
            out_ += indent(1);
        } else if (needs_space(next.kind)) {
            out_ += ' ';
        }
        parens_ += next.kind == token_kind::open_paren;
        parens_ -= next.kind == token_kind::close_paren;
        out_ += next.at.of(text_);
    }
    // True between words; marks are written without spaces, except behind commas and colons.
    bool needs_space(token_kind next) const {
        if (last_ == token_kind::comma || last_ == token_kind::colon) {
            return true;
        }
        const bool is_name =
            next == token_kind::name || next == token_kind::quoted || next == token_kind::number;
        return is_name && last_ != token_kind::open_paren;  // after `using`
    }

    bool at_line_start() const { return out_.empty() || out_.ends_with('\n'); }
    std::string indent(std::size_t more) const {
        // The limit keeps spaces from becoming most of a deeply nested text.
        constexpr std::size_t deepest = 16;
        return std::string(4 * std::min(depth_ + more, deepest), ' ');
    }
    // Begins a line, after an empty one if the text has one here.
    void begin_line(std::size_t more) {
        if (!at_line_start()) {
            out_ += '\n';
        }
        if (blank_line_ && !out_.empty() && !out_.ends_with("{\n")) {
            out_ += '\n';
        }
        blank_line_ = false;
        out_ += indent(more);
    }

    std::string_view text_;
    syntax::lexer lexer_;
    std::string out_;
    std::size_t depth_ = 0;      // of blocks
    std::size_t parens_ = 0;     // that are open
    std::size_t end_ = 0;        // of the last token
    std::size_t value_end_ = 0;  // of the value that the last token began; 0: none
    token_kind last_ = token_kind::end;
    bool in_item_ = false;     // an item has begun on this line or before
    bool blank_line_ = false;  // the text has an empty line since the last written line
};

}  // namespace

}  // namespace dsl

std::string format_text(std::string_view text) {
    dsl::diagnostics diagnostics(text);
    dsl::fact_handler checking;
    dsl::fact_parser(text, checking, diagnostics).run();
    if (!diagnostics.empty()) {
        diagnostics.raise(errc::invalid_text);
    }
    return dsl::layout(text).write();
}

}  // namespace kith
