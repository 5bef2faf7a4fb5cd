// The query language by examples: every case of tests/corpus/*.kq is asked in all ways in which a
// query can be evaluated, and all of them must give the rows that the file says. With
// KITH_CORPUS_FIX=1 in the environment, answers are written into the files instead.
//
// The ways: uncached; cached; cached and uncached before, while and after the world changes; as the
// query prints itself; and the oracle. The oracle knows nothing of access and of the order in which
// results come, and leaves out terms without a source, which is all that they ask for.
#include <kith/world_text.hpp>

#include "support/corpus/answers.hpp"
#include "support/errors.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <doctest/doctest.h>

namespace {

using corpus::line_list;

std::string joined(const line_list& lines) {
    std::string text;
    for (const std::string& line : lines) {
        text += line + "\n";
    }
    return text;
}
line_list lines_of(const std::optional<corpus::section>& part) {
    return part ? part->lines : line_list{};
}

// One world, and what is asked of it.
class asked {
public:
    asked(const corpus::file& file, const corpus::question& question)
        : facts_(file.worlds[question.world].text()), text_(question.query.text()) {
        kith::load_text(world, facts_);
    }

    // How it is refused, or "".
    std::string refusal() {
        const std::string message = kith_test::message_of([&] { world.filter(text_.c_str()); });
        CHECK(kith_test::message_of([&] { world.query(text_.c_str()); }) == message);
        return message.substr(0, message.find('\n'));
    }
    corpus::answer answer() {
        corpus::answer found;
        if (const std::string refused = refusal(); !refused.empty()) {
            found.error = {refused};
            return found;
        }
        const kith::filter<> query = world.filter(text_.c_str());
        const corpus::oracle_query understood = corpus::make_oracle_query(world, text_);
        found.plan = corpus::split_lines(query.explain().c_str());
        found.text = {query.str().c_str()};
        found.rows = corpus::rows_of(world, query, understood.wildcards);
        return found;
    }
    // In the other ways.
    void compare(const corpus::answer& expected) {
        const corpus::oracle_query understood = corpus::make_oracle_query(world, text_);
        const kith::query<> cached = world.query(text_.c_str());
        const kith::filter<> uncached = world.filter(text_.c_str());
        const std::string rows = joined(expected.rows);
        const auto rows_of = [&](const kith::iterable<>& query) {
            return joined(corpus::rows_of(world, query, understood.wildcards));
        };
        CHECK_MESSAGE(rows_of(cached) == rows, "cached");
        CHECK_MESSAGE(rows_of(world.filter(uncached.str().c_str())) == rows, "printed");
        CHECK_MESSAGE(
            joined(corpus::rows_of(world, understood, corpus::variables_of(cached))) == rows,
            "oracle");
        for (std::size_t share : {0, 1}) {
            corpus::forgetting(world).run(share);
            world.check();
            CHECK_MESSAGE(rows_of(cached) == rows_of(uncached), "changed");
        }
        kith::load_text(world, facts_);
        CHECK_MESSAGE(rows_of(cached) == rows, "cached and changed");
        CHECK_MESSAGE(rows_of(uncached) == rows, "uncached and changed");
    }

    kith::world world;

private:
    std::string facts_;
    std::string text_;
};

std::vector<std::filesystem::path> all_files() {
    std::vector<std::filesystem::path> found;
    for (const auto& one : std::filesystem::directory_iterator(KITH_CORPUS_PATH)) {
        if (one.path().extension() == ".kq") {
            found.push_back(one.path());
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}
std::string content_of(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}
bool is_fixing() {
    const char* said = std::getenv("KITH_CORPUS_FIX");
    return said && std::string_view(said) == "1";
}

// False if the file cannot be read as cases.
bool report_mistakes(const std::string& name, const corpus::file& file, bool fixing) {
    bool good = true;
    for (const corpus::mistake& one : file.diagnostics) {
        if (!fixing || !one.of_answer) {
            good = false;
            FAIL_CHECK(name << ":" << one.line << ": " << one.message);
        }
    }
    return good;
}
// Plans and texts are told only where they are asked for.
void leave_out(const corpus::question& question, corpus::answer& found) {
    if (!question.plan) {
        found.plan.clear();
    }
    if (!question.text) {
        found.text.clear();
    }
}
void check_case(const corpus::question& question, const corpus::answer& found) {
    CHECK(joined(found.error) == joined(lines_of(question.error)));
    CHECK(joined(found.rows) == joined(lines_of(question.rows)));
    CHECK(joined(found.text) == joined(lines_of(question.text)));
    CHECK(joined(found.plan) == joined(lines_of(question.plan)));
}

// Runs a case. What it says about the way is compared with the file, unless the file is to follow.
corpus::answer run_case(const corpus::file& file, const corpus::question& one, bool fixing) {
    asked question(file, one);
    corpus::answer found = question.answer();
    if (found.error.empty()) {
        question.compare(found);
    }
    leave_out(one, found);
    if (!fixing) {
        check_case(one, found);
    }
    return found;
}
std::vector<corpus::answer> run_cases(const std::string& name, const corpus::file& file,
                                      bool fixing) {
    std::vector<corpus::answer> answers;
    for (const corpus::question& one : file.questions) {
        const std::string place = name + ":" + std::to_string(one.query.first_line);
        const std::string query = one.query.text();
        CAPTURE(place);
        CAPTURE(query);
        answers.push_back(run_case(file, one, fixing));
    }
    return answers;
}

// The number of its cases.
std::size_t run(const std::filesystem::path& path) {
    const std::string name = path.filename().string();
    const std::string text = content_of(path);
    const corpus::file file = corpus::read(text);
    const bool fixing = is_fixing();
    if (!report_mistakes(name, file, fixing)) {
        return 0;
    }
    const std::vector<corpus::answer> answers = run_cases(name, file, fixing);
    if (fixing) {
        std::ofstream(path, std::ios::binary) << corpus::rewrite(text, file, answers);
    }
    return file.questions.size();
}

// The cases of a page of the manual, each on its line: what stands in blocks marked `kq`.
std::string cases_of_page(const std::string& page) {
    std::string text;
    bool inside = false;
    for (const std::string& line : corpus::split_lines(page)) {
        const bool mark = line.starts_with("```");
        text += (inside && !mark ? line : "") + "\n";
        inside = mark ? line == "```kq" : inside;
    }
    return text;
}

}  // namespace

TEST_SUITE("dsl.corpus") {
    TEST_CASE("all cases give the rows, plans and errors that are written down") {
        // spec 149 150 151 152 153 154 155
        std::size_t cases = 0;
        for (const std::filesystem::path& path : all_files()) {
            cases += run(path);
        }
        CHECK(cases >= 300);
    }

    TEST_CASE("a world forgets what its text says, and learns it again") {
        const char* facts = "A(X)\nR(X, Y)\nC { D: A {} }";
        kith::world world;
        kith::load_text(world, facts);
        const kith::filter<> query = world.filter("A, ?(R, *)");
        CHECK(query.count() == 2);
        corpus::forgetting(world).run(0);
        corpus::forgetting(world).run(1);
        CHECK(query.count() == 0);
        CHECK(world.lookup("C::D").is_alive());
        kith::load_text(world, facts);
        CHECK(query.count() == 2);
    }

    TEST_CASE("the manual's examples give what they say") {
        const std::filesystem::path page = KITH_MANUAL_PATH "/query-language.md";
        const corpus::file file = corpus::read(cases_of_page(content_of(page)));
        if (report_mistakes(page.filename().string(), file, false)) {
            CHECK(run_cases(page.filename().string(), file, false).size() > 20);
        }
    }
}
