// Writing any JSON in chunks (json_writer of include/kith/json.hpp), and its form for people.
#include <kith/detail/assert.hpp>
#include <kith/detail/json_chunks.hpp>
#include <kith/json.hpp>

#include "json_text.hpp"
#include "raise.hpp"

#include <vector>

namespace kith {

namespace detail {

// White space outside of texts is dropped; an empty object or array stays in one line.
void json_indenter::append(std::string& out, std::string_view text) {
    for (const char c : text) {
        if (in_text_) {
            out += c;
            in_text_ = escaped_ || c != '"';
            escaped_ = !escaped_ && c == '\\';
            continue;
        }
        if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
            continue;
        }
        const bool closes = c == '}' || c == ']';
        depth_ -= closes && depth_ > 0;
        if (closes ? !opened_ : opened_) {
            begin_line(out);
        }
        opened_ = c == '{' || c == '[';
        depth_ += opened_;
        in_text_ = c == '"';
        out += c;
        if (c == ',') {
            begin_line(out);
        } else if (c == ':') {
            out += ' ';
        }
    }
}

void finish_json(std::string& text, const json_options& options) {
    if (options.pretty) {
        std::string lines;
        json_indenter().append(lines, text);
        text.swap(lines);
    }
}

}  // namespace detail

// The open objects and arrays, and whether a key waits for its value.
struct json_writer::state {
    state(const json_sink& to, const json_options& given)
        : options(given), comma(given.compact ? "," : ", "), out(to, given.pretty) {}

    struct container {
        bool is_object;
        bool is_empty = true;
    };

    // Before a value. Throws where no value can be.
    void begin_value() {
        if (open.empty() ? started : open.back().is_object != has_key) {
            values::raise(errc::invalid_operation,
                          open.empty() ? "JSON is one value: it was written already"
                                       : "a value in an object needs a key before it");
        }
        if (!open.empty() && !open.back().is_object) {
            separate();
        }
        started = true;
        has_key = false;
    }
    void separate() {
        out.text += open.back().is_empty ? "" : comma;
        open.back().is_empty = false;
    }
    void begin(bool is_object) {
        if (open.size() >= options.depth) {
            values::raise(errc::limit, "objects and arrays are nested deeper than " +
                                           std::to_string(options.depth));
        }
        begin_value();
        open.push_back({is_object});
        out.text += is_object ? '{' : '[';
    }
    void end(bool is_object) {
        if (open.empty() || open.back().is_object != is_object || has_key) {
            values::raise(errc::invalid_operation,
                          is_object ? "no object ends here" : "no array ends here");
        }
        open.pop_back();
        out.text += is_object ? '}' : ']';
        out.send();
    }

    json_options options;
    const char* comma;
    detail::json_chunks out;
    std::vector<container> open;
    bool started = false;
    bool has_key = false;
};

json_writer::json_writer(const json_sink& to, const json_options& options)
    : state_(std::make_unique<state>(to, options)) {}
json_writer::~json_writer() = default;
json_writer::json_writer(json_writer&& other) noexcept = default;
json_writer& json_writer::operator=(json_writer&& other) noexcept = default;

json_writer& json_writer::begin_object() {
    state_->begin(true);
    return *this;
}
json_writer& json_writer::end_object() {
    state_->end(true);
    return *this;
}
json_writer& json_writer::begin_array() {
    state_->begin(false);
    return *this;
}
json_writer& json_writer::end_array() {
    state_->end(false);
    return *this;
}

json_writer& json_writer::key(std::string_view name) {
    state& to = *state_;
    if (to.open.empty() || !to.open.back().is_object || to.has_key) {
        values::raise(errc::invalid_operation, "a key belongs to an object, before a value");
    }
    to.separate();
    values::append_json_string(to.out.text, name, to.options.html_safe);
    to.out.text += ':';
    to.has_key = true;
    return *this;
}

json_writer& json_writer::null() {
    state_->begin_value();
    state_->out.text += "null";
    return *this;
}

// A value that cannot be written leaves no part of itself.
json_writer& json_writer::value_of(const world_t* world, const description& type,
                                   const void* value) {
    std::string text;
    detail::append_json(text, world, type, value, state_->options);
    state_->begin_value();
    state_->out.text += text;
    state_->out.send();
    return *this;
}

void json_writer::finish() {
    if (!state_->open.empty() || !state_->started) {
        values::raise(errc::invalid_operation, "the JSON is not complete");
    }
    state_->out.finish();
}

}  // namespace kith
