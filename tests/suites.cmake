# kith_tests: one program from all `suite_sources`, and one ctest per source.

find_package(doctest REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_package(Threads REQUIRED)

# What both parts of the program are compiled with.
function(kith_test_sources target)
    kith_usage_requirements(${target})
    kith_warnings(${target})
    target_link_libraries(${target} PRIVATE doctest::doctest Threads::Threads ${CMAKE_DL_LIBS})
    # Module tests may look behind the public headers.
    target_include_directories(
        ${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${kith_SOURCE_DIR}/src/core
                          ${kith_SOURCE_DIR}/src/schedule
    )
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
endfunction()

# The shortest way to a result: tests by example take longer to compile than to run, random programs
# take longer to run.
set(random_sources ${suite_sources})
list(FILTER random_sources INCLUDE REGEX "/model/")
set(example_sources ${suite_sources})
list(FILTER example_sources EXCLUDE REGEX "/model/")
add_library(kith_example_tests OBJECT ${example_sources})
kith_test_sources(kith_example_tests)
target_precompile_headers(kith_example_tests PRIVATE pch.hpp)
target_compile_options(kith_example_tests PRIVATE -O0)

# The library's objects rather than its archive: a plugin must find any symbol of kith in the program,
# also one that no test uses.
add_executable(
    kith_tests main.cpp ${random_sources} $<TARGET_OBJECTS:kith_example_tests> ${kith_objects}
)
kith_test_sources(kith_tests)
target_compile_options(kith_tests PRIVATE -O1)
if(random_sources)
    add_subdirectory(support)
    target_link_libraries(kith_tests PRIVATE kith_test_support)
    target_precompile_headers(kith_tests PRIVATE pch.hpp)
    set_source_files_properties(main.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endif()
set_target_properties(kith_tests PROPERTIES ENABLE_EXPORTS ON)

# Types and worlds across a shared library: it has kith's headers and takes the code from the program
# that loads it.
if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/shared/plugin.cpp)
    add_library(kith_test_plugin MODULE shared/plugin.cpp)
    kith_usage_requirements(kith_test_plugin)
    kith_warnings(kith_test_plugin)
    set_target_properties(kith_test_plugin PROPERTIES CXX_EXTENSIONS OFF)
    add_dependencies(kith_tests kith_test_plugin)
    target_compile_definitions(
        kith_example_tests PRIVATE KITH_TEST_PLUGIN_PATH="$<TARGET_FILE:kith_test_plugin>"
    )
endif()

# Two forms of a library that tests unload. Symbols that are unique in a process would keep it loaded.
foreach(version 1 2)
    set(plugin kith_unloaded_plugin_${version})
    add_library(${plugin} MODULE shared/unloaded_plugin.cpp)
    kith_usage_requirements(${plugin})
    kith_warnings(${plugin})
    set_target_properties(${plugin} PROPERTIES CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden)
    target_compile_definitions(${plugin} PRIVATE BROUGHT_VERSION=${version})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        target_compile_options(${plugin} PRIVATE -fno-gnu-unique)
    endif()
    add_dependencies(kith_tests ${plugin})
endforeach()
set_source_files_properties(
    features/components/unloaded_library_test.cpp
    PROPERTIES
        COMPILE_DEFINITIONS
        "KITH_UNLOADED_PLUGIN_PATH=\"$<TARGET_FILE:kith_unloaded_plugin_1>\";KITH_LATER_PLUGIN_PATH=\"$<TARGET_FILE:kith_unloaded_plugin_2>\""
)

# Cases of the query language, and the manual's examples of it.
target_compile_definitions(
    kith_example_tests PRIVATE KITH_CORPUS_PATH="${CMAKE_CURRENT_SOURCE_DIR}/corpus"
                               KITH_MANUAL_PATH="${kith_SOURCE_DIR}/docs/manual"
)

foreach(source IN LISTS suite_sources)
    # The same rule as in tools/check_test_suites.py.
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE suite)
    string(REGEX REPLACE "_test\\.cpp$" "" suite ${suite})
    string(REPLACE "/" "." suite ${suite})
    kith_add_test(${suite} COMMAND kith_tests --test-suite=${suite})
    if(suite MATCHES "_threads$")
        set_tests_properties(${KITH_TEST_PREFIX}${suite} PROPERTIES LABELS threads)
    endif()
    # Long tests begin first, so that no core waits for one of them in the end.
    if(suite MATCHES "^model\\.(graph_query|query|random)$")
        set_tests_properties(${KITH_TEST_PREFIX}${suite} PROPERTIES COST 200)
    elseif(suite MATCHES "^model\\.")
        set_tests_properties(${KITH_TEST_PREFIX}${suite} PROPERTIES COST 100)
    endif()
endforeach()

# No test case of the program is outside of the suites that these run.
kith_add_test(
    tools.check_test_program
    COMMAND
    ${Python3_EXECUTABLE}
    -B # no __pycache__ in the source tree
    ${kith_SOURCE_DIR}/tools/check_test_suites.py
    --program
    $<TARGET_FILE:kith_tests>
)
