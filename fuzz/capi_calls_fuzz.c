/* Bytes as calls of all functions of <kith/kith.h>; see tests/capi/calls.h. */
#include "../tests/capi/calls.h"

static const uint8_t *at, *end;

/* Zeros behind the end of the input. */
static uint8_t draw_byte(session* s) {
    (void)s;
    return at == end ? 0 : *at++;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static session s;
    at = data;
    end = data + size;
    run_session(&s, size / 4 < 200 ? (long)(size / 4) : 200);
    return 0;
}
