/* A library without exceptions: the error action gets the failure, and then the program ends. */
#include <kith/kith.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int wanted;
static void tell(kith_status_t status, const char* message, void* ctx) {
    *(int*)ctx = 1;
    if (status != wanted || !message[0]) {
        _exit(7);
    }
}

static void fail_in_core(void) {
    kith_world_t* world = kith_init();
    kith_add_id(world, 0, KithPrefab);
}
static void fail_at_boundary(void) {
    kith_query_count(NULL);
}
static void refuse(kith_iter_t* it) {
    (void)it;
    kith_fail(KITH_CONSTRAINT, "not allowed");
}
static void fail_in_callback(void) {
    kith_world_t* world = kith_init();
    KITH_OBSERVER(world, refuse, KithOnAdd, Prefab);
    kith_new_w_id(world, KithPrefab);
}

/* The child ends by abort, after the action was called with the status. */
static int ends(void (*failing)(void), kith_status_t status) {
    const pid_t child = fork();
    if (child == 0) {
        int called = 0;
        wanted = status;
        if (!freopen("/dev/null", "w", stderr)) {
            _exit(8);
        }
        kith_set_error_action(tell, &called);
        failing();
        _exit(9);
    }
    int ended = 0;
    return waitpid(child, &ended, 0) == child && WIFSIGNALED(ended) && WTERMSIG(ended) == SIGABRT;
}

int main(void) {
    int failed = (kith_build_flags() & KITH_BUILD_RECOVERABLE) != 0;
    kith_world_t* world = kith_init();
    KITH_TAG(world, Ship);
    failed += !kith_has_id(world, kith_new_w_id(world, Ship), Ship);
    failed += kith_check_query("Ship,, ", 7, NULL, NULL) == 0;
    failed += kith_check_text("Ship((", 6, NULL, NULL) == 0;
    failed += kith_fini(world) != KITH_OK;
    failed += !ends(fail_in_core, KITH_INVALID_ENTITY);
    failed += !ends(fail_at_boundary, KITH_INVALID_ARGUMENT);
    failed += !ends(fail_in_callback, KITH_CONSTRAINT);
    printf("%d failed\n", failed);
    return failed;
}
