# Compiles through ccache where it exists, in our own builds only: a project that embeds kith decides
# for itself.

include_guard(GLOBAL)

if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    find_program(KITH_CCACHE ccache)
    mark_as_advanced(KITH_CCACHE)
    if(KITH_CCACHE)
        # Without this sloppiness ccache refuses every source that uses a precompiled header.
        set(CMAKE_CXX_COMPILER_LAUNCHER
            ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${KITH_CCACHE}
        )
    endif()
endif()
