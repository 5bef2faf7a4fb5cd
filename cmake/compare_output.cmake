# Runs PROGRAM and compares its standard output with the file EXPECTED, byte by byte.
#   cmake -DPROGRAM=… -DEXPECTED=… -DACTUAL=… -P compare_output.cmake
# ACTUAL is where the output is kept, for looking at it and for copying it over EXPECTED.

execute_process(COMMAND ${PROGRAM} OUTPUT_FILE ${ACTUAL} RESULT_VARIABLE result)
if(NOT result EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} failed: ${result}")
endif()
if(NOT EXISTS ${EXPECTED})
    message(FATAL_ERROR "${EXPECTED} does not exist; if ${ACTUAL} is right, copy it there")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${EXPECTED} ${ACTUAL} RESULT_VARIABLE result)
if(NOT result EQUAL 0)
    execute_process(COMMAND diff -u ${EXPECTED} ${ACTUAL})
    message(FATAL_ERROR "the output differs from ${EXPECTED}")
endif()
