// Any bytes as a file of cases: diagnostics with lines of the file, or cases that are written back
// as a file which is read as the same cases.
#include "support/corpus/corpus.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace {

corpus::line_list lines_of(const std::optional<corpus::section>& part) {
    return part ? part->lines : corpus::line_list{};
}
std::vector<corpus::answer> answers_of(const corpus::file& file) {
    std::vector<corpus::answer> found;
    for (const corpus::question& one : file.questions) {
        found.push_back(
            {lines_of(one.plan), lines_of(one.text), lines_of(one.rows), lines_of(one.error)});
    }
    return found;
}
bool same(const corpus::file& a, const corpus::file& b) {
    if (a.questions.size() != b.questions.size() || a.worlds.size() != b.worlds.size()) {
        return false;
    }
    for (std::size_t i = 0; i < a.questions.size(); ++i) {
        if (a.questions[i].query.lines != b.questions[i].query.lines ||
            a.questions[i].world != b.questions[i].world) {
            return false;
        }
    }
    return true;
}
void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const corpus::file file = corpus::read(text);
    const std::size_t lines = corpus::split_lines(text).size();
    for (const corpus::mistake& one : file.diagnostics) {
        require(one.line >= 1 && one.line <= lines);
    }
    const std::string written = corpus::rewrite(text, file, answers_of(file));
    if (file.diagnostics.empty()) {
        const corpus::file again = corpus::read(written);
        require(again.diagnostics.empty() && same(file, again));
        require(corpus::rewrite(written, again, answers_of(again)) == written);
    }
    return 0;
}
