# Checks that the first program in C is short, and prints what the first program in C++ prints.
#   cmake -DSOURCE=… -DPROGRAM=… -DEXPECTED=… -DACTUAL=… -P check_hello.cmake

set(limit 30)
file(READ ${SOURCE} text)
if(NOT text MATCHES "// \\[program\\]\n(.*)\n// \\[/program\\]")
    message(FATAL_ERROR "${SOURCE} has no region [program]")
endif()
string(REGEX REPLACE "[^\n]*[^ \n][^\n]*" "x" lines "${CMAKE_MATCH_1}") # one letter for each line
string(REPLACE "\n" "" lines "${lines}") # blank lines do not count
string(LENGTH "${lines}" count)
if(count GREATER limit)
    message(FATAL_ERROR "${SOURCE} has ${count} lines; the limit is ${limit}")
endif()
include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/compare_output.cmake)
