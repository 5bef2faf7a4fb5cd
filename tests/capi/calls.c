/* Sessions of drawn calls of all functions; see calls.h. The environment may choose them:
 * KITH_SEED, KITH_SEEDS and KITH_CALLS. */
#include "calls.h"

static uint64_t state;
static uint8_t draw_byte(session* s) {
    (void)s;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint8_t)(state >> 56);
}
static long setting(const char* name, long standard) {
    const char* given = getenv(name);
    return given ? strtol(given, NULL, 10) : standard;
}

int main(void) {
    static session s;
    const long first = setting("KITH_SEED", 1), seeds = setting("KITH_SEEDS", 300),
               calls = setting("KITH_CALLS", 150);
    for (long seed = first; seed < first + seeds; seed++) {
        printf("seed %ld\n", seed);
        fflush(stdout);
        state = (uint64_t)seed * UINT64_C(0x9E3779B97F4A7C15);
        run_session(&s, calls);
    }
    printf("%d functions\n", (int)call_count);
    return 0;
}
