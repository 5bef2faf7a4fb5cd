# What makes builds faster: ccache and folders compiled as one source.

include_guard(GLOBAL)

# ccache where it exists, in our own builds only: a project that embeds kith decides for itself.
if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    find_program(KITH_CCACHE ccache)
    mark_as_advanced(KITH_CCACHE)
    if(KITH_CCACHE)
        # Without this sloppiness ccache refuses every test that uses the precompiled header.
        set(CMAKE_CXX_COMPILER_LAUNCHER
            ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${KITH_CCACHE}
        )
        set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
    endif()
endif()

# Compiles the sources of each folder of the library `target` as one: most of the time of a source
# goes into the headers that its folder shares. Names that are local to a source are then unique in
# their folder. Builds that compile each source alone (dev, release) show a missing #include.
function(kith_join_folders target)
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
        cmake_path(GET source PARENT_PATH folder)
        string(MAKE_C_IDENTIFIER ${folder} group)
        set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
