# One step of the installation tests: cmake -DSTEP=… -P run.cmake. See CMakeLists.txt for the rest.

cmake_minimum_required(VERSION 3.25)

set(prefix ${WORK_DIR}/prefix)
set(build ${WORK_DIR}/${STEP})
set(consumers ${CMAKE_CURRENT_LIST_DIR})
# Macros that programs share with the library; CMake and pkg-config pass them on.
set(definitions ${DEFINITIONS})
list(TRANSFORM definitions PREPEND -D)

function(run)
    execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT RESULT_VARIABLE result)
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "failed: ${result}")
    endif()
endfunction()

# Configures, builds and runs the project in tests/install/<STEP>.
function(run_project)
    run(${CMAKE_COMMAND} -G Ninja -S ${consumers}/${STEP} -B ${build}
        -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_BUILD_TYPE=${BUILD_TYPE} ${ARGN}
    )
    run(${CMAKE_COMMAND} --build ${build})
    run(${build}/consumer)
endfunction()

# A project around kith's sources. Flags and launcher are those of our own build only to let ccache
# reuse what it has.
function(run_source_project)
    set(ENV{CMAKE_CXX_COMPILER_LAUNCHER} "${LAUNCHER}")
    run_project(-DKITH_SOURCE_DIR=${KITH_SOURCE_DIR} -DKITH_WARNINGS_AS_ERRORS=ON ${ARGN})
    # Embedded, kith builds its libraries and nothing else.
    file(GLOB_RECURSE strays ${build}/*kith_tests* ${build}/*01_tour*)
    if(strays)
        message(FATAL_ERROR "tests or examples were built in a project that embeds kith: ${strays}")
    endif()
endfunction()

# The shared library below the directory shows the names of public headers, and none of inner modules.
function(check_symbols directory)
    file(GLOB_RECURSE library ${directory}/libkith.so)
    execute_process(
        COMMAND nm -DC --defined-only ${library} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY
    )
    if(NOT symbols MATCHES "kith::detail::make_query")
        message(FATAL_ERROR "${library} does not show kith::detail::make_query")
    endif()
    if(symbols MATCHES " [A-Z] kith::(api|capi|mutate|queries|scheduling|values)::[a-z_]+")
        message(FATAL_ERROR "${library} shows a name of an inner module:${CMAKE_MATCH_0}")
    endif()
endfunction()

# Old results must not make a test pass.
file(REMOVE_RECURSE ${build})

if(STEP STREQUAL "prefix")
    run(${CMAKE_COMMAND} --install ${KITH_BINARY_DIR} --prefix ${prefix})
    file(GLOB_RECURSE public RELATIVE ${KITH_SOURCE_DIR}/include
         ${KITH_SOURCE_DIR}/include/*.hpp ${KITH_SOURCE_DIR}/include/*.h
    )
    file(GLOB_RECURSE installed RELATIVE ${prefix}/include ${prefix}/include/*)
    list(SORT public)
    list(SORT installed)
    if(NOT public STREQUAL installed)
        message(FATAL_ERROR "installed headers: ${installed}; public headers: ${public}")
    endif()
    foreach(script IN ITEMS kith_world.py kith_gdb.py kith_lldb.py kith.natvis)
        if(NOT EXISTS ${prefix}/share/kith/${script})
            message(FATAL_ERROR "${script}, for debuggers, was not installed")
        endif()
    endforeach()

elseif(STEP STREQUAL "find_package")
    run_project(-DCMAKE_PREFIX_PATH=${prefix} -DKITH_VERSION=${VERSION})

elseif(STEP STREQUAL "pkg_config")
    file(GLOB_RECURSE pc_file ${prefix}/kith.pc)
    cmake_path(GET pc_file PARENT_PATH pc_dir)
    set(ENV{PKG_CONFIG_PATH} ${pc_dir})
    find_program(pkg_config NAMES pkg-config pkgconf REQUIRED)
    execute_process(
        COMMAND ${pkg_config} --cflags --libs kith OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY
    )
    separate_arguments(flags UNIX_COMMAND ${flags})
    file(MAKE_DIRECTORY ${build})
    run(${CXX} -std=c++20 ${consumers}/consumer.cpp -o ${build}/consumer ${flags})
    # A shared library in this prefix is in no path that the loader knows.
    set(ENV{LD_LIBRARY_PATH} ${pc_dir}/..)
    run(${build}/consumer)

elseif(STEP STREQUAL "c_find_package")
    run_project(-DCMAKE_PREFIX_PATH=${prefix} -DKITH_VERSION=${VERSION})

elseif(STEP STREQUAL "c_pkg_config")
    file(GLOB_RECURSE pc_file ${prefix}/kith-c.pc)
    cmake_path(GET pc_file PARENT_PATH pc_dir)
    set(ENV{PKG_CONFIG_PATH} ${pc_dir})
    find_program(pkg_config NAMES pkg-config pkgconf REQUIRED)
    find_program(cc NAMES cc gcc clang REQUIRED)
    execute_process(
        COMMAND ${pkg_config} --cflags --libs kith-c OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY
    )
    separate_arguments(flags UNIX_COMMAND ${flags})
    file(MAKE_DIRECTORY ${build})
    run(${cc} -std=c99 -pedantic -Werror ${consumers}/consumer.c -o ${build}/consumer ${flags})
    set(ENV{LD_LIBRARY_PATH} ${pc_dir}/..)
    run(${build}/consumer)

elseif(STEP STREQUAL "other_build")
    # Programs with other macros than the library do not link, and the linker names what they ask for.
    file(GLOB_RECURSE archive ${prefix}/libkith.a)
    if(NOT archive)
        message(STATUS "kith is not built as a static library")
        return()
    endif()
    file(WRITE ${build}/program.cpp "#include <kith/kith.hpp>\nint main() {}\n")
    string(REGEX REPLACE "^([0-9]+)\\.([0-9]+).*" "built_\\1_\\2" tag ${VERSION})
    set(link ${CXX} -std=c++20 -I${prefix}/include ${build}/program.cpp ${archive} -o ${build}/program)
    run(${link} ${definitions})
    set(own asserts_0_exceptions_1)
    if("${definitions}" MATCHES "KITH_ASSERTS")
        set(own asserts_1_exceptions_1)
    endif()
    foreach(other IN ITEMS asserts_0_exceptions_0 asserts_0_exceptions_1 asserts_1_exceptions_0
                           asserts_1_exceptions_1
    )
        string(REGEX MATCH "asserts_([01])_exceptions_([01])" parts ${other})
        math(EXPR without_exceptions "1 - ${CMAKE_MATCH_2}")
        execute_process(
            COMMAND ${link} -DKITH_ASSERTS=${CMAKE_MATCH_1} -DKITH_NO_EXCEPTIONS=${without_exceptions}
            RESULT_VARIABLE result ERROR_VARIABLE message
        )
        if(NOT other STREQUAL own AND (result EQUAL 0 OR NOT message MATCHES "undefined [^\n]*${tag}_${other}"))
            message(FATAL_ERROR "a program that asks for ${other} is not told so by the linker: ${message}")
        endif()
    endforeach()

elseif(STEP STREQUAL "static_plugin")
    # Program and plugin each contain kith.
    file(GLOB_RECURSE archive ${prefix}/libkith.a)
    if(NOT archive)
        message(STATUS "kith is not built as a static library")
        return()
    endif()
    file(MAKE_DIRECTORY ${build})
    set(flags -std=c++20 -I${prefix}/include -fvisibility=hidden ${definitions})
    run(${CXX} ${flags} -fPIC -shared ${consumers}/plugin/plugin.cpp -o ${build}/plugin.so ${archive})
    run(${CXX} ${flags} ${consumers}/plugin/program.cpp -o ${build}/program ${archive} -ldl)
    run(${build}/program ${build}/plugin.so static)

elseif(STEP STREQUAL "single_file")
    # One header and one source, compiled as a user would, give the output of the whole library.
    # spec 437
    find_program(python NAMES python3 REQUIRED)
    find_program(cc NAMES cc gcc clang REQUIRED)
    foreach(directory IN ITEMS kith again)
        run(${python} -B ${KITH_SOURCE_DIR}/tools/amalgamate.py ${build}/${directory})
    endforeach()
    run(${CMAKE_COMMAND} -E compare_files ${build}/kith/kith.cpp ${build}/again/kith.cpp)
    set(flags -O0 -Wall -Wextra -Werror -I${build})
    run(${LAUNCHER} ${CXX} -std=c++20 ${flags} -c ${build}/kith/kith.cpp -o ${build}/kith.o)
    set(examples ${KITH_SOURCE_DIR}/examples)
    run(${CXX} -std=c++20 ${flags} ${examples}/01_tour.cpp ${build}/kith.o -o ${build}/tour)
    run(${cc} -std=c99 ${flags} -c ${examples}/c/00_hello.c -o ${build}/hello.o)
    run(${CXX} ${build}/hello.o ${build}/kith.o -o ${build}/hello)
    run(${cc} -std=c99 ${flags} -pedantic-errors -c ${examples}/c/01_tour.c -o ${build}/c_tour.o)
    run(${CXX} ${build}/c_tour.o ${build}/kith.o -o ${build}/c_tour)
    foreach(program IN ITEMS tour=01_tour hello=00_hello c_tour=01_tour)
        string(REPLACE "=" ";" program ${program})
        list(POP_FRONT program name)
        run(${CMAKE_COMMAND} -DPROGRAM=${build}/${name} -DEXPECTED=${examples}/${program}.out
            -DACTUAL=${build}/${name}.out -P ${KITH_SOURCE_DIR}/cmake/compare_output.cmake
        )
    endforeach()

elseif(STEP STREQUAL "uninstall")
    # The target removes what was installed, and nothing else.
    # spec 438
    set(away ${build}/prefix)
    run(${CMAKE_COMMAND} --install ${KITH_BINARY_DIR} --prefix ${away})
    file(WRITE ${away}/include/of_somebody_else.h "")
    run(${CMAKE_COMMAND} -DMANIFEST=${KITH_BINARY_DIR}/install_manifest.txt
        -P ${KITH_SOURCE_DIR}/cmake/uninstall.cmake
    )
    file(GLOB_RECURSE left LIST_DIRECTORIES true RELATIVE ${away} ${away}/*)
    if(NOT left STREQUAL "include;include/of_somebody_else.h")
        message(FATAL_ERROR "after uninstall there is still ${left}")
    endif()

elseif(STEP STREQUAL "components")
    # spec 438
    foreach(component IN ITEMS c dev python)
        run(${CMAKE_COMMAND} --install ${KITH_BINARY_DIR} --prefix ${build}/${component} --component ${component})
        file(GLOB_RECURSE ${component} RELATIVE ${build}/${component} ${build}/${component}/*)
    endforeach()
    if(NOT c MATCHES "^[^;]*libkith-c\\.so\\.0;[^;]*libkith-c\\.so\\.0[.0-9]*$")
        message(FATAL_ERROR "the component c has ${c}")
    endif()
    if(NOT python STREQUAL "lib/python3/dist-packages/kith.py")
        message(FATAL_ERROR "the component python has ${python}")
    endif()
    foreach(part IN ITEMS "include/kith/kith.hpp" "libkith.a" "libkith-c.so" "kithConfig.cmake" "kith.pc" "kith-c.pc")
        if(NOT "${dev};" MATCHES "${part};")
            message(FATAL_ERROR "the component dev lacks ${part}: ${dev}")
        endif()
    endforeach()

elseif(STEP STREQUAL "packages")
    # spec 438
    find_program(python NAMES python3 REQUIRED)
    run(${python} -B ${consumers}/check_packages.py --build ${KITH_BINARY_DIR} --work ${build} --version ${VERSION})

elseif(STEP STREQUAL "single_archive")
    # The archive is the same on two runs, and has what its build files name.
    # spec 438
    find_program(python NAMES python3 REQUIRED)
    foreach(directory IN ITEMS one two)
        run(${python} -B ${KITH_SOURCE_DIR}/tools/amalgamate.py --archive ${build}/${directory})
    endforeach()
    set(name kith-${VERSION}-single.tar.gz)
    run(${CMAKE_COMMAND} -E compare_files ${build}/one/${name} ${build}/two/${name})
    file(ARCHIVE_EXTRACT INPUT ${build}/one/${name} DESTINATION ${build})
    foreach(file IN ITEMS CMakeLists.txt meson.build LICENSE hello.cpp kith/kith.cpp kith/kith.hpp
                          kith/kith_text.hpp kith/kith_interop.hpp kith/kith.h kith/ecs.h
    )
        if(NOT EXISTS ${build}/kith-${VERSION}/${file})
            message(FATAL_ERROR "the archive lacks ${file}")
        endif()
    endforeach()
    # Its build files can be read; compiling the source is the step single_file.
    run(${CMAKE_COMMAND} -G Ninja -S ${build}/kith-${VERSION} -B ${build}/cmake -DCMAKE_CXX_COMPILER=${CXX})
    find_program(meson meson)
    if(meson)
        set(ENV{CXX} ${CXX})
        run(${meson} setup ${build}/meson ${build}/kith-${VERSION})
    endif()

elseif(STEP STREQUAL "add_subdirectory")
    run_source_project()

elseif(STEP STREQUAL "fetch_content")
    # As a shared library, for a change.
    run_source_project(-DBUILD_SHARED_LIBS=ON)
    run(${build}/program ${build}/libplugin.so shared)
    check_symbols(${build})

else()
    message(FATAL_ERROR "there is no step '${STEP}'")
endif()
