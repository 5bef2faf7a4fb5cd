/* Runs the cases of a suite; see harness.h. */
#include "harness.h"

static test_case* first;
static test_case** last = &first;
static int failures;

void test_register(test_case* added) {
    *last = added;
    last = &added->next;
}

void test_check(int holds, const char* what, const char* file, int line) {
    if (!holds) {
        failures++;
        printf("%s:%d: %s\n    last status %s: %s\n", file, line, what,
               kith_status_name(kith_last_status()), kith_last_message());
    }
}

void test_check_status(kith_status_t found, kith_status_t wanted, const char* what,
                       const char* file, int line) {
    if (found != wanted) {
        failures++;
        printf("%s:%d: %s\n    is %s, not %s; last message: %s\n", file, line, what,
               kith_status_name(found), kith_status_name(wanted), kith_last_message());
    }
}

void test_check_text(const char* found, const char* wanted, const char* what, const char* file,
                     int line) {
    if (!found || strcmp(found, wanted) != 0) {
        failures++;
        printf("%s:%d: %s\n    is \"%s\",\n    not \"%s\"\n", file, line, what,
               found ? found : "(NULL)", wanted);
    }
}

int main(int argc, char** argv) {
    int count = 0;
    for (test_case* one = first; one; one = one->next) {
        if (argc < 2 || strcmp(argv[1], one->suite) == 0) {
            const int before = failures;
            kith_clear_error();
            one->run();
            count++;
            if (failures != before) {
                printf("FAILED: %s: %s\n", one->suite, one->sentence);
            }
        }
    }
    printf("%d cases, %d failed checks\n", count, failures);
    return count == 0 || failures != 0;
}
