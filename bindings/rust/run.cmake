# Compiles SOURCE with libkith-c of LIBRARY_DIR, runs it and compares its output with EXPECTED.

file(MAKE_DIRECTORY ${WORK_DIR})
execute_process(
    COMMAND ${RUSTC} ${SOURCE} -o ${WORK_DIR}/hello -L ${LIBRARY_DIR} -l kith-c COMMAND_ERROR_IS_FATAL ANY
)
set(ENV{LD_LIBRARY_PATH} ${LIBRARY_DIR})
set(PROGRAM ${WORK_DIR}/hello)
set(ACTUAL ${WORK_DIR}/hello.out)
include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/compare_output.cmake)
