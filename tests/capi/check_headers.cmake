# Compiles <kith/kith.h> and <kith/ecs.h> by themselves as every version of C and C++, with all
# warnings as errors; and programs that use the macros of ecs.h as every version of C.
#   cmake -DINCLUDE=… -DPROGRAMS=… -DWORK_DIR=… -P check_headers.cmake

set(warnings -pedantic-errors -Wall -Wextra -Wconversion -Wshadow -Werror -fsyntax-only -I${INCLUDE})
set(failed "")
foreach(header IN ITEMS kith ecs)
    set(source ${WORK_DIR}/${header}.c)
    file(WRITE ${source} "#include <kith/${header}.h>\nextern int nothing;\n")
    foreach(compiler IN ITEMS gcc clang)
        find_program(${compiler}_path ${compiler})
        if(NOT ${compiler}_path)
            message(STATUS "there is no ${compiler}")
            continue()
        endif()
        foreach(language IN ITEMS c99 c11 c17 c2x c++11 c++20)
            set(kind -x c -Wstrict-prototypes)
            if(language MATCHES "\\+\\+")
                if(header STREQUAL "ecs")
                    continue() # for C alone
                endif()
                set(kind -x c++ -Wold-style-cast)
            endif()
            execute_process(
                COMMAND ${${compiler}_path} ${kind} -std=${language} ${warnings} ${source}
                RESULT_VARIABLE result
            )
            if(NOT result EQUAL 0)
                list(APPEND failed "${header}.h as ${language} by ${compiler}")
            endif()
        endforeach()
    endforeach()
endforeach()
# Descriptors are initialised in part: `{{ id }}` is a list of terms.
set(partial -Wno-missing-field-initializers -Wno-missing-braces -Wno-sign-conversion)
foreach(program IN LISTS PROGRAMS)
    foreach(compiler IN ITEMS gcc clang)
        foreach(language IN ITEMS c99 c11 c17 c2x)
            if(NOT ${compiler}_path)
                continue()
            endif()
            execute_process(
                COMMAND ${${compiler}_path} -std=${language} ${warnings} ${partial} ${program}
                RESULT_VARIABLE result
            )
            if(NOT result EQUAL 0)
                list(APPEND failed "${program} as ${language} by ${compiler}")
            endif()
        endforeach()
    endforeach()
endforeach()
if(failed)
    message(FATAL_ERROR "${failed}")
endif()
