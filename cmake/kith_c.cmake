# The functions of <kith/kith.h>: objects that are part of kith::kith, and the shared library kith::c.

include_guard(GLOBAL)

kith_add_objects(kith_capi_objects src/capi)
# g++ copies the members of a result that was just stored by 16-byte loads, which stall.
target_compile_options(kith_capi_objects PRIVATE -fno-tree-slp-vectorize)
target_compile_definitions(kith_capi_objects PRIVATE KITH_BUILDS_C_LIBRARY)
if(NOT KITH_CORE_ONLY)
    target_compile_definitions(kith_capi_objects PRIVATE KITH_WITH_TEXT)
endif()
# Its definitions are those of the header.
set_source_files_properties(
    ${kith_SOURCE_DIR}/src/capi/inline_functions.cpp
    PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS -Wno-missing-declarations
)
list(APPEND kith_objects $<TARGET_OBJECTS:kith_capi_objects>)

# The version of the soname is that of the C interface, which only grows; kith's own may change with
# every minor version.
function(kith_add_c_library)
    set(symbols ${kith_SOURCE_DIR}/cmake/kith_c.map)
    add_library(kith_c SHARED ${kith_objects})
    add_library(kith::c ALIAS kith_c)
    set_target_properties(
        kith_c
        PROPERTIES EXPORT_NAME c
                   OUTPUT_NAME kith-c
                   VERSION 0.${PROJECT_VERSION_MINOR}.${PROJECT_VERSION_PATCH}
                   SOVERSION 0
                   LINKER_LANGUAGE CXX
                   LINK_DEPENDS ${symbols}
    )
    target_include_directories(
        kith_c INTERFACE $<BUILD_INTERFACE:${kith_SOURCE_DIR}/include>
                         $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    )
    # A project that embeds kith builds it only where something links it.
    if(NOT PROJECT_IS_TOP_LEVEL)
        set_target_properties(kith_c PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
    # Nothing is visible but kith_*.
    target_link_options(kith_c PRIVATE LINKER:--version-script=${symbols})
endfunction()
