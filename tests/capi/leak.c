/* A world that is never ended: the leak sanitizer must report it, else the other tests prove
 * nothing. */
#include <kith/kith.h>

#include <stdio.h>

int main(void) {
    /* Several, so that a copy of a pointer that is left on the stack hides one at most. */
    for (int i = 0; i < 10; i++) {
        printf("%d\n", kith_init() != NULL);
    }
    return 0;
}
