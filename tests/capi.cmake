# Tests of <kith/kith.h>: programs in C that use kith::c as others do.

enable_language(C)

if(KITH_NO_EXCEPTIONS)
    # Failures end the program: one program looks at that, and the others have no use.
    # spec 430
    kith_add_c_program(kith_c_no_exceptions capi/no_exceptions.c)
    target_compile_definitions(kith_c_no_exceptions PRIVATE _POSIX_C_SOURCE=200809L)
    kith_add_test(capi.no_exceptions COMMAND kith_c_no_exceptions)
    return()
endif()

find_package(Threads REQUIRED)

file(GLOB c_sources CONFIGURE_DEPENDS capi/*_test.c)
file(GLOB seed_sources CONFIGURE_DEPENDS seeds/c/*_test.c)
kith_add_c_program(kith_c_tests capi/main.c ${c_sources} ${seed_sources})
target_link_libraries(kith_c_tests PRIVATE Threads::Threads)
foreach(source IN LISTS c_sources)
    cmake_path(GET source STEM name)
    string(REGEX REPLACE "_test$" "" suite ${name})
    kith_add_test(capi.${suite} COMMAND kith_c_tests ${suite})
endforeach()

# Refused memory, at each allocation. Sanitizers have a malloc of their own, so there only the world's
# memory is refused.
# spec 403, 425
kith_add_c_program(kith_c_allocation capi/allocation.c)
target_compile_definitions(kith_c_allocation PRIVATE _POSIX_C_SOURCE=200809L)
if(NOT KITH_SANITIZE)
    target_compile_definitions(kith_c_allocation PRIVATE KITH_REPLACE_MALLOC)
endif()
kith_add_test(capi.allocation COMMAND kith_c_allocation)

# A leak fails the tests under the sanitizer.
if("address" IN_LIST KITH_SANITIZE)
    kith_add_c_program(kith_c_leak capi/leak.c)
    kith_add_test(
        capi.leak COMMAND kith_c_leak PROPERTIES PASS_REGULAR_EXPRESSION "detected memory leaks"
    )
endif()

# Every function of the header, with drawn arguments: NULL, dead, foreign, malformed ones.
# spec 402, 404, 413, 414
kith_add_c_program(kith_c_calls capi/calls.c)
kith_add_calls_table(kith_c_calls)
kith_add_test(capi.calls COMMAND kith_c_calls)

foreach(source IN LISTS seed_sources)
    cmake_path(GET source STEM name)
    string(REGEX REPLACE "_test$" "" suite ${name})
    kith_add_test(seeds.c.${suite} COMMAND kith_c_tests seeds.${suite})
endforeach()

# The header is C and C++ of all versions, for each compiler that there is.
# spec 400, 433
file(GLOB ecs_sources CONFIGURE_DEPENDS capi/ecs_*_test.c)
kith_add_test(
    capi.headers COMMAND ${CMAKE_COMMAND} -DINCLUDE=${kith_SOURCE_DIR}/include
    "-DPROGRAMS=${ecs_sources}" -DWORK_DIR=${CMAKE_CURRENT_BINARY_DIR}/capi_headers -P
    ${CMAKE_CURRENT_SOURCE_DIR}/capi/check_headers.cmake
)
# The first program prints the same in C as in C++, and is short.
# spec 401
set(hello ${kith_SOURCE_DIR}/examples/c/00_hello.c)
kith_add_c_program(kith_c_hello ${hello})
kith_add_test(
    capi.hello
    COMMAND
    ${CMAKE_COMMAND}
    -DSOURCE=${hello}
    -DPROGRAM=$<TARGET_FILE:kith_c_hello>
    -DEXPECTED=${kith_SOURCE_DIR}/examples/00_hello.out
    -DACTUAL=${CMAKE_CURRENT_BINARY_DIR}/c_hello.out
    -P
    ${CMAKE_CURRENT_SOURCE_DIR}/capi/check_hello.cmake
)
# The library shows the functions of the header and nothing else, and each was tried with refused memory.
# spec 403, 425, 429
find_package(Python3 REQUIRED COMPONENTS Interpreter)
kith_add_test(
    capi.symbols COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/capi/check_symbols.py
    --library $<TARGET_FILE:kith_c> --header ${kith_SOURCE_DIR}/include/kith/kith.h --allocation
    ${CMAKE_CURRENT_SOURCE_DIR}/capi/allocation.c
)

# Each public member of C++ has a function here, or a reason why it has none.
# spec 402
kith_add_test(capi.members COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/capi/check_members.py)

# Tests use every name of ecs.h and name every example of the notes.
# spec 432, 433
kith_add_test(capi.ecs_vocabulary COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/capi/check_ecs_names.py)

# A program with declarations of its own, those of ABI version 0.
# spec 429
kith_add_c_program(kith_c_frozen capi/frozen_abi_0.c)
kith_add_test(capi.frozen_abi_0 COMMAND kith_c_frozen)

# The binary interface is that of the last release, or more.
# spec 429
kith_add_test(
    capi.abi COMMAND ${Python3_EXECUTABLE} -B ${kith_SOURCE_DIR}/tools/abi_baseline.py
    PROPERTIES SKIP_RETURN_CODE 77
)

# numpy is there for Debian's Python; without it, tests of values are skipped.
find_program(KITH_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(NOT KITH_PYTHON)
    set(KITH_PYTHON ${Python3_EXECUTABLE})
endif()
set(python_dir ${kith_SOURCE_DIR}/bindings/python)

# The Python binding over a sanitized library: the sanitizer is loaded before Python.
# spec 434
if("address" IN_LIST KITH_SANITIZE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    execute_process(
        COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so
        OUTPUT_VARIABLE runtime OUTPUT_STRIP_TRAILING_WHITESPACE
    )
    if(EXISTS ${runtime})
        kith_add_test(
            python.sanitized
            COMMAND
            ${CMAKE_COMMAND}
            -E
            env
            KITH_LIBRARY=$<TARGET_FILE:kith_c>
            PYTHONPATH=${python_dir}
            ${KITH_PYTHON}
            -B
            ${python_dir}/tests/run_sanitized.py
            ${KITH_PYTHON}
            ${runtime}
        )
    endif()
endif()

# The Python binding, with and without its checks.
if(NOT KITH_SANITIZE)
    kith_add_c_program(kith_c_sizes ${python_dir}/tests/sizes.c)
    # spec 434, 435
    foreach(checked IN ITEMS 0 1)
        kith_add_test(
            python.checked_${checked}
            COMMAND
            ${CMAKE_COMMAND}
            -E
            env
            KITH_LIBRARY=$<TARGET_FILE:kith_c>
            KITH_SIZES=$<TARGET_FILE:kith_c_sizes>
            KITH_CHECK=${checked}
            PYTHONPATH=${python_dir}
            ${KITH_PYTHON}
            -B
            -m
            unittest
            discover
            -s
            ${python_dir}/tests
        )
    endforeach()

    # The same story in other languages, where their tools are.
    # spec 436
    find_program(KITH_LUA NAMES lua5.4)
    find_path(KITH_LUA_INCLUDE lua.h PATH_SUFFIXES lua5.4)
    if(KITH_LUA AND KITH_LUA_INCLUDE)
        add_library(kith_lua MODULE ${kith_SOURCE_DIR}/bindings/lua/kith_lua.c)
        set_target_properties(kith_lua PROPERTIES PREFIX "" C_STANDARD 99 C_EXTENSIONS OFF)
        target_include_directories(kith_lua SYSTEM PRIVATE ${KITH_LUA_INCLUDE})
        target_link_libraries(kith_lua PRIVATE kith::c)
        kith_c_warnings(kith_lua)
        kith_add_test(
            lua.hello
            COMMAND
            ${CMAKE_COMMAND}
            -E
            env
            "LUA_CPATH=$<TARGET_FILE_DIR:kith_lua>/?.so"
            ${CMAKE_COMMAND}
            "-DPROGRAM=${KITH_LUA};${kith_SOURCE_DIR}/bindings/lua/hello.lua"
            -DEXPECTED=${kith_SOURCE_DIR}/examples/00_hello.out
            -DACTUAL=${CMAKE_CURRENT_BINARY_DIR}/lua_hello.out
            -P
            ${kith_SOURCE_DIR}/cmake/compare_output.cmake
        )
    endif()
    find_program(KITH_RUSTC NAMES rustc)
    if(KITH_RUSTC)
        execute_process(COMMAND ${KITH_RUSTC} --version RESULT_VARIABLE rust_works OUTPUT_QUIET ERROR_QUIET)
        if(rust_works EQUAL 0)
            kith_add_test(
                rust.hello
                COMMAND
                ${CMAKE_COMMAND}
                -DRUSTC=${KITH_RUSTC}
                -DSOURCE=${kith_SOURCE_DIR}/bindings/rust/hello.rs
                -DLIBRARY_DIR=$<TARGET_FILE_DIR:kith_c>
                -DEXPECTED=${kith_SOURCE_DIR}/examples/00_hello.out
                -DWORK_DIR=${CMAKE_CURRENT_BINARY_DIR}/rust
                -P
                ${kith_SOURCE_DIR}/bindings/rust/run.cmake
            )
        endif()
    endif()
endif()
