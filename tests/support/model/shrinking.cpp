#include "support/model/shrinking.hpp"

#include "support/model/operations.hpp"
#include "support/random_programs.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <utility>

namespace model {

namespace {

std::string find_apart(const std::vector<op>& program, find_difference_t find) {
    return random_programs::find_apart(20, [&] { return find(program); });
}

// What kind of difference it is: the first words of its text, without names and numbers.
std::string kind_of(const std::string& text) {
    std::string kind;
    std::string word;
    int words = 0;
    for (std::size_t i = 0; i < text.size() && words < 4; ++i) {
        if (std::isalpha(static_cast<unsigned char>(text[i]))) {
            word += text[i];
        } else if (word.size() > 2) {
            kind += word + " ";
            word.clear();
            ++words;
        } else {
            word.clear();
        }
    }
    return kind + (words == 0 ? word : "");
}

// Delta debugging: leaves out ever smaller parts as long as what remains still differs in the same
// way.
std::vector<op> shrink(std::vector<op> program, find_difference_t find) {
    const std::string kind = kind_of(find_apart(program, find));
    const auto end_of_patience =
        std::chrono::steady_clock::now() +
        std::chrono::seconds(random_programs::number_from_environment("KITH_SHRINK", 30));
    for (std::size_t size = program.size() / 2; size > 0;) {
        bool any = false;
        for (std::size_t at = 0; at < program.size();) {
            if (std::chrono::steady_clock::now() > end_of_patience) {
                return program;
            }
            std::size_t end = std::min(at + size, program.size());
            std::vector<op> rest(program.begin(),
                                 program.begin() + static_cast<std::ptrdiff_t>(at));
            rest.insert(rest.end(), program.begin() + static_cast<std::ptrdiff_t>(end),
                        program.end());
            if (kind_of(find_apart(rest, find)) == kind && !kind.empty()) {
                program = std::move(rest);
                any = true;
            } else {
                at = end;
            }
        }
        size = any && size == 1 ? 1 : size / 2;
    }
    return program;
}

}  // namespace

std::string report_shrunk(std::uint64_t seed, const std::string& what,
                          const std::vector<op>& program, find_difference_t find) {
    std::vector<op> minimal = shrink(program, find);
    return "seed " + std::to_string(seed) + ", after " + std::to_string(program.size()) +
           " steps: " + what + "\nminimal program:\n" + to_text(minimal) + "    // " +
           find_apart(minimal, find);
}

}  // namespace model
