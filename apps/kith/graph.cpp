#include "graph.hpp"

#include "files.hpp"
#include "input_error.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace kith_app {

namespace {

std::string dot_string(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        result += c == '"' || c == '\\' ? "\\" : "";
        result += c == '\n' ? ' ' : c;
    }
    return result + "\"";
}

std::string node_name(kith::entity_t entity) {
    return "n" + std::to_string(kith::index_of(entity));
}

class drawing {
public:
    drawing(const kith::world& world, const std::vector<kith::entity_t>& entities)
        : world_(world), entities_(entities) {}

    std::string str() {
        text_ =
            "digraph kith {\n"
            "    graph [rankdir=LR, fontname=\"sans-serif\"];\n"
            "    node [shape=box, style=\"rounded,filled\", fillcolor=\"#dbe9ff\", "
            "fontname=\"sans-serif\"];\n"
            "    edge [fontname=\"sans-serif\", fontsize=10];\n";
        for (const kith::entity_t entity : entities_) {
            add_node(entity, "");
        }
        for (const kith::entity_t entity : entities_) {
            add_pairs(entity);
        }
        for (const kith::entity_t entity : others_) {
            add_node(entity, ", fillcolor=\"#f4f4f4\", color=\"#999999\", fontcolor=\"#666666\"");
        }
        return text_ + "}\n";
    }

private:
    void add_node(kith::entity_t entity, const char* style) {
        text_ += "    " + node_name(entity) +
                 " [label=" + dot_string(path_of(world_.entity(entity))) + style + "];\n";
    }

    void add_pairs(kith::entity_t source) {
        world_.entity(source).each([&](kith::id id) {
            // Names are stored as pairs, too.
            if (id.is_pair() && id.first() != world_.entity<kith::Identifier>()) {
                add_pair(source, id.first(), id.second());
            }
        });
    }

    void add_pair(kith::entity_t source, const kith::entity& relation, const kith::entity& target) {
        const bool known = std::binary_search(entities_.begin(), entities_.end(), target.id());
        const bool symmetric = relation.has(kith::Symmetric);
        if (symmetric && known && target.id() < source) {
            return;  // drawn from the other side
        }
        if (!known) {
            others_.insert(target.id());
        }
        text_ += "    " + node_name(source) + " -> " + node_name(target.id()) +
                 " [label=" + dot_string(relation.name().c_str()) +
                 (symmetric ? ", dir=none" : "") + "];\n";
    }

    const kith::world& world_;
    const std::vector<kith::entity_t>& entities_;  // sorted
    std::set<kith::entity_t> others_;
    std::string text_;
};

// A file that is gone with this object.
class temporary_file {
public:
    explicit temporary_file(const std::string& text)
        : path_((std::filesystem::temp_directory_path() / "kith.XXXXXX").string()) {
        const int file = mkstemp(path_.data());
        if (file < 0) {
            throw input_error(path_ + ": cannot be written: " + std::strerror(errno));
        }
        close(file);
        replace_file(path_, text);
    }
    ~temporary_file() { unlink(path_.c_str()); }
    temporary_file(const temporary_file&) = delete;
    temporary_file& operator=(const temporary_file&) = delete;

    const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
};

void run_dot(const std::string& source, const std::string& path) {
    std::string words[] = {"dot", "-Tsvg", "-o", path, source};
    char* arguments[] = {words[0].data(), words[1].data(), words[2].data(),
                         words[3].data(), words[4].data(), nullptr};
    pid_t child = 0;
    const int code = posix_spawnp(&child, "dot", nullptr, nullptr, arguments, environ);
    if (code == ENOENT) {
        throw input_error(
            "drawing an SVG takes Graphviz's program 'dot', which is missing; on "
            "Debian: apt-get install graphviz. A file that ends in .dot needs none");
    }
    int status = 0;
    if (code == 0) {
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    }
    if (code != 0 || status != 0) {
        throw input_error(path + ": 'dot' could not draw it");
    }
}

}  // namespace

std::string graph_text(const kith::world& world, const answer& result) {
    return drawing(world, result.entities).str();
}

bool is_graph_path(std::string_view path) {
    return path.ends_with(".svg") || path.ends_with(".dot");
}

void write_graph(const kith::world& world, const answer& result, const std::string& path) {
    const std::string text = graph_text(world, result);
    if (path.ends_with(".dot")) {
        replace_file(path, text);
    } else {
        run_dot(temporary_file(text).path(), path);
    }
}

}  // namespace kith_app
