# Tests of the command line tool. Each is a script that can also be run by hand, with --program.
# spec 586, 587
# (values.cases, save_files.cases)

find_package(Python3 REQUIRED COMPONENTS Interpreter)

foreach(name IN ITEMS manual_test run_cases terminal_test transcript_test worlds_test)
    kith_add_test(
        apps.${name}
        COMMAND
        ${Python3_EXECUTABLE}
        -B # no __pycache__ in the source tree
        ${CMAKE_CURRENT_SOURCE_DIR}/apps/${name}.py
        --program
        $<TARGET_FILE:kith_app>
    )
endforeach()
