// A long text that is sent in chunks, for the writers of JSON.
#pragma once

#include <kith/error.hpp>
#include <kith/json.hpp>

#include <string>

namespace kith::detail {

// Breaks JSON into lines, indented by two. The text may arrive in parts that are cut anywhere.
class json_indenter {
public:
    void append(std::string& out, std::string_view text);

private:
    void begin_line(std::string& out) const { out.append(1, '\n').append(2 * depth_, ' '); }

    std::size_t depth_ = 0;
    bool in_text_ = false;
    bool escaped_ = false;
    bool opened_ = false;  // an object or array without a part so far
};

// Appends go to `text`; send() passes it on when it is long enough, finish() always.
class json_chunks {
public:
    explicit json_chunks(const json_sink& to, bool pretty = false) : to_(to), pretty_(pretty) {}

    std::string text;

    void send() {
        if (text.size() >= chunk) {
            finish();
        }
    }
    void finish() {
        if (pretty_) {
            std::string lines;
            indenter_.append(lines, text);
            text.swap(lines);
        }
        if (!text.empty() && !to_.write(to_.context, text.data(), text.size())) {
            raise_error(errc::invalid_operation, "the receiver of the JSON has refused it");
        }
        text.clear();
    }

private:
    static constexpr std::size_t chunk = std::size_t{64} << 10;
    json_sink to_;
    bool pretty_;
    json_indenter indenter_;
};

}  // namespace kith::detail
