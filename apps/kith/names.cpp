#include "names.hpp"

#include <kith/syntax/lexer.hpp>

#include "answer.hpp"
#include "input_error.hpp"
#include "nearest.hpp"

#include <algorithm>

namespace kith_app {

namespace {

constexpr const char* keywords[] = {"$this", "all",   "cascade", "desc", "down",
                                    "in",    "inout", "none",    "out",  "parent",
                                    "self",  "up",    "AND",     "NOT",  "OR"};

kith::entity find_path(const kith::world& world, const std::string& path) {
    const char* separator = path.find("::") != std::string::npos ? "::" : ".";
    return world.lookup(path.c_str(), separator, "::");
}

// Where the last word of the text begins: a path, or a variable.
std::size_t word_start(const std::string& text) {
    std::size_t at = text.size();
    while (at > 0) {
        const char c = text[at - 1];
        const bool colons = c == ':' && at > 1 && text[at - 2] == ':';
        if (!kith::syntax::chars::is_name(c) && c != '.' && c != '$' && !colons) {
            break;
        }
        at -= colons ? 2 : 1;
    }
    return at;
}

struct split_path {
    std::string scope;      // with what ends it, `A.` or `A::`; empty: the root
    std::string beginning;  // of the last element
};

split_path split(const std::string& word) {
    const std::size_t end = word.find_last_of(".:");
    return end == std::string::npos ? split_path{{}, word}
                                    : split_path{word.substr(0, end + 1), word.substr(end + 1)};
}

// A name that would have to be quoted is left to the user.
bool is_bare(std::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), kith::syntax::chars::is_name);
}

class candidates {
public:
    explicit candidates(std::string beginning) : beginning_(std::move(beginning)) {}

    void offer(std::string_view name, const std::string& before = {}) {
        if (is_bare(name) && name.starts_with(beginning_)) {
            words_.push_back(before + std::string(name));
        }
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
    const kith::entity parent = path.empty() ? kith::entity() : find_path(world, path);
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
                found.offer(entity.name(), path_of(parent) + ".");
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

kith::entity find_named(const kith::world& world, const std::string& path) {
    const bool quoted = path.size() > 2 && path.front() == '"' && path.back() == '"';
    const kith::entity found =
        quoted ? world.lookup(path.substr(1, path.size() - 2).c_str(), "\x1F", "\x1F")
               : find_path(world, path);
    if (!found) {
        throw input_error("no entity '" + path + "'" + did_you_mean(path, all_names(world)));
    }
    return found;
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
