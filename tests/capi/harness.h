/* Tests in C. A file defines SUITE before it includes this, and has cases:
 *
 *   TEST(dead_entities, "a dead entity is refused") { CHECK(...); }
 *
 * The program of all files runs the suite that its argument names; without one, all of them. */
#ifndef KITH_TESTS_CAPI_HARNESS_H
#define KITH_TESTS_CAPI_HARNESS_H

#include <kith/kith.h>

#include <stdio.h>
#include <string.h>

typedef struct test_case {
    const char* suite;
    const char* sentence;
    void (*run)(void);
    struct test_case* next;
} test_case;

void test_register(test_case* added);
void test_check(int holds, const char* what, const char* file, int line);
void test_check_status(kith_status_t found, kith_status_t wanted, const char* what,
                       const char* file, int line);
void test_check_text(const char* found, const char* wanted, const char* what, const char* file,
                     int line);

#define TEST(name, sentence)                                         \
    static void name(void);                                          \
    static test_case name##_case = {SUITE, sentence, name, NULL};    \
    __attribute__((constructor)) static void name##_register(void) { \
        test_register(&name##_case);                                 \
    }                                                                \
    static void name(void)

#define CHECK(condition) test_check((condition) ? 1 : 0, #condition, __FILE__, __LINE__)
/* An expression that returns a status. */
#define CHECK_STATUS(expression, status) \
    test_check_status(expression, status, #expression, __FILE__, __LINE__)
#define CHECK_OK(expression) CHECK_STATUS(expression, KITH_OK)
/* An expression that returns a value: it is false (0, NULL), and the last status is this one. */
#define CHECK_FAILS(expression, status)                                                 \
    do {                                                                                \
        kith_clear_error();                                                             \
        test_check(!(expression), "not " #expression, __FILE__, __LINE__);              \
        test_check_status(kith_last_status(), status, #expression, __FILE__, __LINE__); \
    } while (0)
/* An expression that is false without a failure. */
#define CHECK_ABSENT(expression) CHECK_FAILS(expression, KITH_OK)
#define CHECK_TEXT(expression, text) \
    test_check_text(expression, text, #expression, __FILE__, __LINE__)

/* A text of the library, freed by the check. */
#define CHECK_OWNED_TEXT(expression, text)                                  \
    do {                                                                    \
        char* found_text = expression;                                      \
        test_check_text(found_text, text, #expression, __FILE__, __LINE__); \
        kith_free(found_text);                                              \
    } while (0)

typedef struct Position {
    double x, y;
} Position;
typedef struct Velocity {
    double x, y;
} Velocity;
typedef struct Mass {
    int32_t tons;
} Mass;

#endif
