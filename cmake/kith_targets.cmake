# Functions that define kith's own targets.

include_guard(GLOBAL)

# What a user of any of kith's targets needs: C++20, the public headers and the definitions that the
# library was compiled with. Scope is PUBLIC; warnings and sanitizers are not part of it.
function(kith_usage_requirements target)
    target_compile_features(${target} PUBLIC cxx_std_20)
    target_include_directories(
        ${target} PUBLIC $<BUILD_INTERFACE:${kith_SOURCE_DIR}/include>
                         $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    )
    # Both change code in headers, so the library and its users must agree on them.
    if(KITH_ASSERTS)
        target_compile_definitions(${target} PUBLIC KITH_ASSERTS=1)
    endif()
    if(KITH_NO_EXCEPTIONS)
        target_compile_definitions(${target} PUBLIC KITH_NO_EXCEPTIONS=1)
    endif()
endfunction()

# Object library `target` from all sources below `directory`. `directory` itself is a PRIVATE include
# directory: nothing outside of it can include its headers.
function(kith_add_objects target directory)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${kith_SOURCE_DIR}/${directory}/*.cpp)
    add_library(${target} OBJECT ${sources})
    kith_usage_requirements(${target})
    kith_warnings(${target})
    target_include_directories(${target} PRIVATE ${kith_SOURCE_DIR}/${directory})
    # The same objects serve the static and the shared library.
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF)
    # Nobody replaces kith's functions at load time; without this, g++ would not inline any of them
    # into position-independent code.
    target_compile_options(${target} PRIVATE -fno-semantic-interposition)
    if(KITH_UNITY)
        kith_join_folders(${target})
    endif()
    if(KITH_NO_EXCEPTIONS)
        target_compile_options(${target} PRIVATE -fno-exceptions)
    endif()
endfunction()

# A program of ours (example, benchmark, smoke test) that uses kith as a user would.
function(kith_add_program target)
    add_executable(${target} ${ARGN})
    target_link_libraries(${target} PRIVATE kith::kith)
    kith_warnings(${target})
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
endfunction()

# The same in C.
function(kith_add_c_program target)
    add_executable(${target} ${ARGN})
    target_link_libraries(${target} PRIVATE kith::c)
    kith_c_warnings(${target})
    set_target_properties(${target} PROPERTIES C_STANDARD 11 C_EXTENSIONS OFF)
    if(KITH_SANITIZE)
        # The library needs the sanitizers' functions for C++, which the C compiler does not link.
        set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
    endif()
endfunction()

# Compiles a program with tests/capi/calls.h: calls of all functions of kith.h, written from the header.
function(kith_add_calls_table target)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    set(script ${kith_SOURCE_DIR}/tests/capi/calls.py)
    set(header ${kith_SOURCE_DIR}/include/kith/kith.h)
    set(table ${CMAKE_CURRENT_BINARY_DIR}/calls_table.h)
    add_custom_command(
        OUTPUT ${table} COMMAND ${Python3_EXECUTABLE} -B ${script} ${header} ${table}
        DEPENDS ${script} ${header} VERBATIM
    )
    target_sources(${target} PRIVATE ${table})
    target_compile_definitions(${target} PRIVATE KITH_CALLS_TABLE="${table}")
endfunction()

# add_test() whose name begins with KITH_TEST_PREFIX, so that the tests of several builds can run in
# one ctest run and be told apart.
#   kith_add_test(name COMMAND … [PROPERTIES …])
function(kith_add_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "COMMAND;PROPERTIES")
    set(full_name ${KITH_TEST_PREFIX}${name})
    add_test(NAME ${full_name} COMMAND ${arg_COMMAND})
    if(arg_PROPERTIES)
        set_tests_properties(${full_name} PROPERTIES ${arg_PROPERTIES})
    endif()
    if(KITH_SANITIZE)
        # An allocation that is refused returns null, as it would without sanitizers: tests ask for
        # absurd sizes on purpose.
        set(environment
            ASAN_OPTIONS=allocator_may_return_null=1:detect_stack_use_after_return=1
            TSAN_OPTIONS=allocator_may_return_null=1
            UBSAN_OPTIONS=print_stacktrace=1
        )
        set_tests_properties(${full_name} PROPERTIES ENVIRONMENT "${environment}")
    endif()
endfunction()
