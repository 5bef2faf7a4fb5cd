# What every build can afford: each public header compiles alone, and a small program works.

add_library(kith_header_check OBJECT)
file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${kith_SOURCE_DIR}/include/kith
     ${kith_SOURCE_DIR}/include/kith/*.hpp ${kith_SOURCE_DIR}/include/kith/syntax/*.hpp)
foreach(header IN LISTS headers)
    string(REGEX REPLACE "\\.hpp$" "" name ${header})
    set(source ${CMAKE_CURRENT_BINARY_DIR}/header_check/${name}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include <kith/${name}.hpp>\n")
    target_sources(kith_header_check PRIVATE ${source})
endforeach()
kith_usage_requirements(kith_header_check)
kith_warnings(kith_header_check)
set_target_properties(kith_header_check PROPERTIES LINKER_LANGUAGE CXX CXX_EXTENSIONS OFF)

kith_add_program(kith_smoke install/consumer.cpp)
kith_add_test(smoke.kith COMMAND kith_smoke)

# kith::core, alone, is enough for the same program.
add_executable(kith_smoke_core install/consumer.cpp)
target_link_libraries(kith_smoke_core PRIVATE kith::core)
kith_add_test(smoke.core COMMAND kith_smoke_core)
add_executable(kith_smoke_core_text install/core_without_text.cpp)
target_link_libraries(kith_smoke_core_text PRIVATE kith::core)
kith_add_test(smoke.core_without_text COMMAND kith_smoke_core_text)

# The C API over the core alone: everything but text.
if(KITH_CORE_ONLY AND TARGET kith_c)
    enable_language(C)
    kith_add_c_program(kith_c_core_only capi/core_only.c)
    kith_add_test(capi.core_only COMMAND kith_c_core_only)
endif()

if(KITH_NO_EXCEPTIONS)
    foreach(target IN ITEMS kith_header_check kith_smoke kith_smoke_core kith_smoke_core_text)
        target_compile_options(${target} PRIVATE -fno-exceptions)
    endforeach()
endif()
