#include "names.hpp"

#include <kith/syntax/lexer.hpp>
#include <kith/syntax/text.hpp>

#include "answer.hpp"
#include "input_error.hpp"
#include "nearest.hpp"

#include <algorithm>

namespace kith_app {

namespace {

constexpr const char* keywords[] = {"$this", "all",   "cascade", "desc", "down",
                                    "in",    "inout", "none",    "out",  "parent",
                                    "self",  "up",    "AND",     "NOT",  "OR"};

// Elements with or without quotes, with `.` or `::` between them, become one text with a character
// between them that nobody types.
constexpr char between = '\x1F';

struct split_path {
    std::string scope;      // with what ends it, `A.` or `A::`; empty: the root
    std::string beginning;  // of the last element, with the quote that opens it
    std::string decoded;    // the whole, without quotes
};

split_path split(const std::string& word) {
    split_path parts;
    std::size_t last = 0;
    bool quoted = false;
    int angles = 0;  // of a type's name
    for (std::size_t at = 0; at < word.size(); ++at) {
        const char c = word[at];
        angles += quoted ? 0 : (c == '<') - (c == '>');
        if (quoted && c == '\\' && at + 1 < word.size()) {
            parts.decoded += word[++at];
        } else if (c == '"') {
            quoted = !quoted;
        } else if (quoted || angles > 0 || (c != '.' && c != ':')) {
            parts.decoded += c;
        } else {
            at += c == ':' && at + 1 < word.size() && word[at + 1] == ':' ? 1 : 0;
            if (last != 0 || !parts.decoded.empty()) {
                parts.decoded += between;
            }
            last = at + 1;
        }
    }
    parts.scope = word.substr(0, last);
    parts.beginning = word.substr(last);
    return parts;
}

// Where the last word of the text begins: a path, or a variable.
std::size_t word_start(const std::string& text) {
    using kith::syntax::token_kind;
    kith::syntax::lexer words(text);
    std::size_t start = text.size();
    for (kith::syntax::token word = words.next(); word.kind != token_kind::end;
         word = words.next()) {
        const bool is_word = word.kind == token_kind::name || word.kind == token_kind::quoted ||
                             word.kind == token_kind::number || word.kind == token_kind::variable ||
                             word.kind == token_kind::dollar || word.kind == token_kind::bad;
        if (is_word && word.at.end == text.size()) {
            start = word.at.begin;
        }
    }
    return start;
}

// A path as the language writes it.
std::string written_path(const kith::entity& entity) {
    std::vector<kith::entity> chain{entity};
    while (const kith::entity parent = chain.back().parent()) {
        chain.push_back(parent);
    }
    std::string path;
    for (std::size_t i = chain.size(); i-- > 0;) {
        kith::syntax::append_name(chain[i].name(), path);
        path += i != 0 ? "." : "";
    }
    return path;
}

class candidates {
public:
    explicit candidates(std::string beginning) : beginning_(std::move(beginning)) {}

    void offer(std::string_view name, const std::string& before = {}) {
        const bool quoted = beginning_.starts_with('"');
        if (name.empty() || !name.starts_with(std::string_view(beginning_).substr(quoted))) {
            return;
        }
        std::string word = before;
        (quoted ? kith::syntax::append_quoted : kith::syntax::append_name)(name, word);
        words_.push_back(word);
    }
    void offer_word(std::string_view word) {
        if (word.starts_with(beginning_)) {
            words_.emplace_back(word);
        }
    }
    bool empty() const noexcept { return words_.empty(); }
    std::vector<std::string> take() {
        std::sort(words_.begin(), words_.end());
        words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
        return std::move(words_);
    }

private:
    std::string beginning_;
    std::vector<std::string> words_;
};

void offer_children(const kith::world& world, const std::string& scope, candidates& found) {
    std::string path = scope;
    while (!path.empty() && (path.back() == '.' || path.back() == ':')) {
        path.pop_back();
    }
    const kith::entity parent = path.empty() ? kith::entity() : lookup_path(world, path);
    if (parent) {
        parent.children([&](kith::entity child) { found.offer(child.name(), scope); });
    }
}

// Names that can be written as they are come first; if none fits, paths that end in such a name.
void offer_names(const kith::world& world, candidates& found) {
    for (const char* word : keywords) {
        found.offer_word(word);
    }
    world.children([&](kith::entity child) { found.offer(child.name()); });
    world.entity(kith::Kith).children([&](kith::entity child) { found.offer(child.name()); });
    if (found.empty()) {
        each_named(world, [&](kith::entity entity) {
            if (const kith::entity parent = entity.parent()) {
                found.offer(entity.name(), written_path(parent) + ".");
            }
        });
    }
}

std::vector<std::string> all_names(const kith::world& world) {
    std::vector<std::string> names;
    each_named(world, [&](kith::entity entity) { names.push_back(path_of(entity)); });
    return names;
}

}  // namespace

bool is_builtin(kith::entity_t entity) {
    return kith::index_of(entity) < kith::first_entity;
}

kith::entity lookup_path(const kith::world& world, const std::string& path) {
    constexpr char separator[] = {between, 0};
    return world.lookup(split(path).decoded.c_str(), separator, separator);
}

kith::entity find_named(const kith::world& world, const std::string& path) {
    const kith::entity found = lookup_path(world, path);
    if (!found) {
        throw input_error("no entity '" + path + "'" + did_you_mean(path, all_names(world)));
    }
    return found;
}

std::size_t end_of_first_path(std::string_view text) {
    bool quoted = false;
    std::size_t at = 0;
    for (; at < text.size() && (quoted || (text[at] != ' ' && text[at] != '\t')); ++at) {
        quoted = quoted != (text[at] == '"');
    }
    return at;
}

completions complete_name(const kith::world& world, const std::string& text) {
    completions result;
    result.from = word_start(text);
    const split_path word = split(text.substr(result.from));
    candidates found(word.beginning);
    if (word.scope.empty()) {
        offer_names(world, found);
    } else {
        offer_children(world, word.scope, found);
    }
    result.words = found.take();
    return result;
}

}  // namespace kith_app
