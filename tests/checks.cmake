# Checks of the repository itself. Each is a script that can also be run by hand, from anywhere.

find_package(Python3 REQUIRED COMPONENTS Interpreter)

function(kith_add_check name)
    kith_add_test(
        tools.${name}
        COMMAND
        ${Python3_EXECUTABLE}
        -B # no __pycache__ in the source tree
        ${ARGN}
    )
endfunction()

set(tools ${kith_SOURCE_DIR}/tools)
kith_add_check(check_layers ${tools}/check_layers.py)
kith_add_check(check_snippets ${tools}/check_snippets.py)
kith_add_check(check_prose ${tools}/check_prose.py)
kith_add_check(c_reference ${tools}/c_reference.py --check)
kith_add_check(amalgamate ${tools}/amalgamate.py --check)
kith_add_check(check_module ${tools}/check_module.py)
kith_add_check(recipes ${CMAKE_CURRENT_SOURCE_DIR}/tools/check_recipes.py)
kith_add_check(check_capabilities ${tools}/check_capabilities.py)
kith_add_check(format ${tools}/check_format.py)
# spec 527
kith_add_check(check_header_size ${tools}/check_header_size.py --compiler ${CMAKE_CXX_COMPILER})
kith_add_check(check_test_suites ${tools}/check_test_suites.py)

# The single-file form with clang's standard library, a few examples; ./test --platforms has the rest.
# spec 439
kith_add_test(
    platforms.libcxx COMMAND ${Python3_EXECUTABLE} -B ${tools}/platforms.py --quick --jobs 1 --work
    ${CMAKE_CURRENT_BINARY_DIR}/platforms libcxx PROPERTIES SKIP_RETURN_CODE 77
)

# The checks' own tests.
file(GLOB self_tests CONFIGURE_DEPENDS tools/*_test.py)
foreach(self_test IN LISTS self_tests)
    cmake_path(GET self_test STEM name)
    kith_add_check(${name} ${self_test})
endforeach()
