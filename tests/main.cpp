// The test program: doctest's main, except that running nothing is a failure. A misspelt suite or
// filter would otherwise pass forever.
#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdio>

#include <doctest/doctest.h>

namespace {

unsigned test_cases_chosen = 0;

struct chosen_counter final : doctest::IReporter {
    explicit chosen_counter(const doctest::ContextOptions&) {}

    void test_run_end(const doctest::TestRunStats& stats) override {
        test_cases_chosen = stats.numTestCasesPassingFilters;
    }

    void report_query(const doctest::QueryData&) override {}
    void test_run_start() override {}
    void test_case_start(const doctest::TestCaseData&) override {}
    void test_case_reenter(const doctest::TestCaseData&) override {}
    void test_case_end(const doctest::CurrentTestCaseStats&) override {}
    void test_case_exception(const doctest::TestCaseException&) override {}
    void subcase_start(const doctest::SubcaseSignature&) override {}
    void subcase_end() override {}
    void log_assert(const doctest::AssertData&) override {}
    void log_message(const doctest::MessageData&) override {}
    void test_case_skipped(const doctest::TestCaseData&) override {}
};

REGISTER_LISTENER("chosen_counter", 1, chosen_counter);

}  // namespace

int main(int argc, char** argv) {
    doctest::Context context(argc, argv);
    const int result = context.run();
    if (context.shouldExit()) {
        return result;  // --help, --list-test-cases and the like
    }
    if (test_cases_chosen == 0) {
        std::fputs("no test case matches the filters\n", stderr);
        return 1;
    }
    return result;
}
