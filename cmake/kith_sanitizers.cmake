# Sanitizers, from the list KITH_SANITIZE. They change the ABI of everything they touch, so they apply
# to all targets of this build and not to single ones.

include_guard(GLOBAL)

if(KITH_SANITIZE)
    list(JOIN KITH_SANITIZE "," sanitizers)
    # A finding must fail the test that ran into it, and its stack must be readable.
    add_compile_options(
        -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer
    )
    add_link_options(-fsanitize=${sanitizers})
endif()
