# Warnings for kith's own code. PRIVATE, so that users never inherit them.

include_guard(GLOBAL)

function(kith_warnings target)
    set(flags
        -Wall
        -Wextra
        -Wpedantic
        -Wcast-qual
        -Wconversion
        -Wextra-semi
        -Wformat=2
        -Wmissing-declarations
        -Wnon-virtual-dtor
        -Wold-style-cast
        -Woverloaded-virtual
        -Wshadow
        -Wundef
        # g++ leaves it out of -Wconversion and clang does not; both shall find the same.
        -Wno-sign-conversion
    )
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # -Wrestrict of g++ 12 finds overlaps inside of std::string that cannot happen.
        list(APPEND flags -Wduplicated-cond -Wlogical-op -Wno-restrict)
    elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
        # clang calls every forward declaration "struct x" of a "class x" a mistake; it matters only
        # to another ABI.
        list(APPEND flags -Wno-mismatched-tags)
    endif()
    if(KITH_WARNINGS_AS_ERRORS)
        list(APPEND flags -Werror)
    endif()
    target_compile_options(${target} PRIVATE ${flags})
endfunction()

# The same for programs in C.
function(kith_c_warnings target)
    # Descriptors are initialised in part: `{{ id }}` is a list of terms.
    set(flags
        -Wall
        -Wextra
        -Wpedantic
        -Wconversion
        -Wno-sign-conversion
        -Wshadow
        -Wstrict-prototypes
        -Wno-missing-field-initializers
        -Wno-missing-braces
    )
    if(KITH_WARNINGS_AS_ERRORS)
        list(APPEND flags -Werror)
    endif()
    target_compile_options(${target} PRIVATE ${flags})
endfunction()
