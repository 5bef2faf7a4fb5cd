# Programs about text and JSON: JSON compared with Python's json and jsonschema, and texts
# whose allocations fail.
# spec 546

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

if(TARGET kith_app)
    kith_add_test(
        json.shell
        COMMAND
        ${Python3_EXECUTABLE}
        -B # no __pycache__ in the source tree
        ${CMAKE_CURRENT_SOURCE_DIR}/json_oracle/json_shell_test.py
        --program
        $<TARGET_FILE:kith_json_oracle>
        --shell
        $<TARGET_FILE:kith_app>
    )
endif()

# simdjson and RapidJSON are other readers and writers of the same texts. ./test installs them.
find_package(simdjson REQUIRED)
find_path(rapidjson_headers rapidjson/document.h REQUIRED)
kith_add_program(kith_json_peers json_oracle/json_peers.cpp)
target_include_directories(kith_json_peers SYSTEM PRIVATE ${rapidjson_headers})
target_link_libraries(kith_json_peers PRIVATE simdjson::simdjson)
if("undefined" IN_LIST KITH_SANITIZE)
    # RapidJSON adds offsets to null pointers when its stack is empty, and counts the zeros of 0.
    target_compile_options(kith_json_peers PRIVATE -fno-sanitize=undefined)
endif()
kith_add_test(json.peers COMMAND kith_json_peers)

kith_add_program(kith_text_allocation text_allocation/text_allocation.cpp)
target_link_libraries(kith_text_allocation PRIVATE kith_test_support kith::kith)
kith_add_test(text.allocation COMMAND kith_text_allocation)
