# What makes builds faster: ccache and precompiled headers.

include_guard(GLOBAL)

# ccache where it exists, in our own builds only: a project that embeds kith decides for itself.
if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    find_program(KITH_CCACHE ccache)
    mark_as_advanced(KITH_CCACHE)
    if(KITH_CCACHE)
        # Without this sloppiness ccache refuses every source that uses a precompiled header.
        set(CMAKE_CXX_COMPILER_LAUNCHER
            ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${KITH_CCACHE}
        )
        set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
    endif()
endif()

# Precompiles what most sources of the library `target` include; saves a third of the time. Sources
# still include what they use: a build without precompiled headers (dev, release) shows where they do
# not.
function(kith_precompile target)
    target_precompile_headers(
        ${target}
        PRIVATE
        <kith/kith.hpp>
        <algorithm>
        <cstring>
        <memory>
        <string>
        <string_view>
        <unordered_map>
        <utility>
        <vector>
    )
endfunction()
