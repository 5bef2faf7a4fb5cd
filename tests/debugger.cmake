# Programs that debuggers stop, asked by the scripts of debugger/: at -O0 and -O2, by both compilers, as
# a core file, with a stripped shared library, with damaged memory, in C; once by lldb.
# spec 440

find_package(Python3 REQUIRED COMPONENTS Interpreter)
# Programs that are compiled by commands share these with the library.
get_target_property(definitions kith INTERFACE_COMPILE_DEFINITIONS)
if(NOT definitions)
    set(definitions "")
endif()
list(TRANSFORM definitions PREPEND -D OUTPUT_VARIABLE definition_flags)

# The expressions of the natvis file, compiled as C++.
kith_add_test(
    debugger.natvis
    COMMAND
    ${Python3_EXECUTABLE}
    -B
    ${CMAKE_CURRENT_SOURCE_DIR}/debugger/check_natvis.py
    --natvis
    ${kith_SOURCE_DIR}/debugger/kith.natvis
    --compiler
    ${CMAKE_CXX_COMPILER}
    --include
    ${kith_SOURCE_DIR}/include
    --library
    $<TARGET_FILE:kith_core>
    --work
    ${CMAKE_CURRENT_BINARY_DIR}/natvis
    --define
    ${definitions}
)

find_program(KITH_GDB NAMES gdb)
if(NOT KITH_GDB)
    message(STATUS "gdb is not installed: its script is not tested")
    return()
endif()

set(debugger_tests ${CMAKE_CURRENT_SOURCE_DIR}/debugger)
set(debugger_script ${kith_SOURCE_DIR}/debugger/kith_gdb.py)

# kith_add_debugger_test(name program files-of-commands... [OPTIONS options-of-compare.py...])
function(kith_add_debugger_test name program)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "OPTIONS")
    list(TRANSFORM arg_UNPARSED_ARGUMENTS PREPEND ${debugger_tests}/)
    kith_add_test(
        debugger.${name}
        COMMAND
        ${Python3_EXECUTABLE}
        -B
        ${debugger_tests}/compare.py
        --gdb
        ${KITH_GDB}
        --script
        ${debugger_script}
        --program
        ${program}
        ${arg_OPTIONS}
        ${arg_UNPARSED_ARGUMENTS}
        PROPERTIES
        SKIP_RETURN_CODE
        77
    )
endfunction()

foreach(level IN ITEMS O0 O2)
    kith_add_program(kith_scene_${level} debugger/scene.cpp)
    target_compile_options(kith_scene_${level} PRIVATE -g -${level})
    kith_add_debugger_test(${level} $<TARGET_FILE:kith_scene_${level}> scene.gdb callback.gdb)
endforeach()
kith_add_debugger_test(core $<TARGET_FILE:kith_scene_O0> scene.gdb OPTIONS --core)
kith_add_debugger_test(random $<TARGET_FILE:kith_scene_O0> random.gdb)

# The same by clang.
find_program(KITH_CLANG NAMES clang++-19 clang++)
if(KITH_CLANG AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    foreach(level IN ITEMS O0 O2)
        set(program ${CMAKE_CURRENT_BINARY_DIR}/kith_scene_clang_${level})
        add_custom_command(
            OUTPUT ${program}
            COMMAND ${KITH_CLANG} -std=c++20 -g -${level} -I${kith_SOURCE_DIR}/include
                    ${definition_flags} ${debugger_tests}/scene.cpp $<TARGET_FILE:kith> -o ${program}
            DEPENDS debugger/scene.cpp kith
            VERBATIM
        )
        add_custom_target(kith_scene_clang_${level}_program ALL DEPENDS ${program})
        kith_add_debugger_test(clang_${level} ${program} scene.gdb callback.gdb)
    endforeach()
endif()

# A stripped shared library, with the script where gdb finds it without being asked.
set(shared_dir ${CMAKE_CURRENT_BINARY_DIR}/debugger_shared)
add_library(kith_stripped SHARED ${kith_objects})
kith_usage_requirements(kith_stripped)
target_link_options(kith_stripped PRIVATE -s)
set_target_properties(
    kith_stripped
    PROPERTIES OUTPUT_NAME kith
               LINKER_LANGUAGE CXX
               LIBRARY_OUTPUT_DIRECTORY ${shared_dir}
               VERSION ${kith_VERSION}
)
configure_file(
    ${kith_SOURCE_DIR}/debugger/auto_load.py
    ${shared_dir}/share/gdb/auto-load${shared_dir}/libkith.so.${kith_VERSION}-gdb.py COPYONLY
)
foreach(script IN ITEMS kith_world kith_gdb)
    configure_file(
        ${kith_SOURCE_DIR}/debugger/${script}.py ${shared_dir}/share/kith/${script}.py COPYONLY
    )
endforeach()
add_executable(kith_scene_shared debugger/scene.cpp)
target_link_libraries(kith_scene_shared PRIVATE kith_stripped)
target_compile_options(kith_scene_shared PRIVATE -g -O0)
kith_add_debugger_test(
    stripped $<TARGET_FILE:kith_scene_shared> scene.gdb callback.gdb OPTIONS --auto-load ${shared_dir}
)

# lldb, where it is installed.
find_program(KITH_LLDB NAMES lldb lldb-19 lldb-14)
if(KITH_LLDB)
    kith_add_debugger_test(
        lldb $<TARGET_FILE:kith_scene_O0> variables.lldb OPTIONS --lldb ${KITH_LLDB} --script
        ${kith_SOURCE_DIR}/debugger/kith_lldb.py
    )
endif()

# A program in C, whose debug information knows nothing of C++.
if(TARGET kith_c)
    enable_language(C)
    kith_add_c_program(kith_c_scene debugger/c_scene.c)
    target_compile_options(kith_c_scene PRIVATE -g -O0)
    kith_add_debugger_test(c $<TARGET_FILE:kith_c_scene> c_scene.gdb OPTIONS --stops stop_in_scene --)
endif()
