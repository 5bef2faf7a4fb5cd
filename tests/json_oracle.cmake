# spec 546
# JSON, compared with Python's json and jsonschema.

find_package(Python3 REQUIRED COMPONENTS Interpreter)
kith_add_program(kith_json_oracle json_oracle/json_oracle.cpp)
kith_add_test(
    json.oracle
    COMMAND
    ${Python3_EXECUTABLE}
    -B # no __pycache__ in the source tree
    ${CMAKE_CURRENT_SOURCE_DIR}/json_oracle/json_oracle_test.py
    --program
    $<TARGET_FILE:kith_json_oracle>
    PROPERTIES
    SKIP_RETURN_CODE
    77
)
