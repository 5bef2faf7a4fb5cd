# Install rules: libraries, public headers, find_package(kith) and pkg-config files, scripts for debuggers.

include(CMakePackageConfigHelpers)

# Components, which are also the Debian packages (kith_packages.cmake):
#   c        libkith-c.so.0, for programs in C and bindings
#   runtime  libkith.so.0.1, if kith::kith is a shared library
#   dev      headers, archives, links, CMake and pkg-config files, scripts for debuggers
#   tool     the command line tool
#   python   kith.py
set(kith_installed ${kith_libraries})
if(TARGET kith_c AND PROJECT_IS_TOP_LEVEL)
    list(APPEND kith_installed kith_c)
endif()
foreach(target IN LISTS kith_installed)
    set(component runtime)
    if(target STREQUAL kith_c)
        set(component c)
    endif()
    install(
        TARGETS ${target}
        EXPORT kith
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component} NAMELINK_COMPONENT dev
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${component}
    )
endforeach()
install(
    DIRECTORY ${kith_SOURCE_DIR}/include/kith
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    COMPONENT dev
    FILES_MATCHING
    PATTERN "*.hpp"
    PATTERN "*.h"
)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/kith)
install(EXPORT kith NAMESPACE kith:: FILE kithTargets.cmake DESTINATION ${package_dir} COMPONENT dev)
configure_package_config_file(
    ${CMAKE_CURRENT_LIST_DIR}/kithConfig.cmake.in kithConfig.cmake
    INSTALL_DESTINATION ${package_dir}
)
write_basic_package_version_file(kithConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/kithConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/kithConfigVersion.cmake DESTINATION ${package_dir}
        COMPONENT dev
)

# The prefix is written relative to the .pc file: `cmake --install --prefix` and moving the installed
# tree keep working.
set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH pc_prefix ${CMAKE_INSTALL_PREFIX}/${pc_dir} ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_prefix "\${pcfiledir}/${pc_prefix}")
set(pc_definitions "")
get_target_property(definitions kith INTERFACE_COMPILE_DEFINITIONS)
if(definitions)
    foreach(definition IN LISTS definitions)
        string(APPEND pc_definitions " -D${definition}")
    endforeach()
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/kith.pc.in kith.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/kith.pc DESTINATION ${pc_dir} COMPONENT dev)
if(kith_c IN_LIST kith_installed)
    configure_file(${CMAKE_CURRENT_LIST_DIR}/kith-c.pc.in kith-c.pc @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/kith-c.pc DESTINATION ${pc_dir} COMPONENT dev)
    # Where Debian's Python looks, whatever its minor version.
    install(FILES ${kith_SOURCE_DIR}/bindings/python/kith.py DESTINATION lib/python3/dist-packages
            COMPONENT python
    )
endif()
# Scripts for debuggers. gdb loads its script by itself for a shared library: it looks below
# share/gdb/auto-load for the path of the library, links resolved.
set(debugger_dir ${kith_SOURCE_DIR}/debugger)
install(FILES ${debugger_dir}/kith_world.py ${debugger_dir}/kith_gdb.py ${debugger_dir}/kith_lldb.py
              ${debugger_dir}/kith.natvis
        DESTINATION ${CMAKE_INSTALL_DATADIR}/kith COMPONENT dev
)
if(kith_kind STREQUAL "SHARED_LIBRARY" OR TARGET kith_shared)
    set(auto_load ${CMAKE_INSTALL_DATADIR}/gdb/auto-load)
    install(
        CODE "file(INSTALL \"${debugger_dir}/auto_load.py\"
            DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${auto_load}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}\"
            RENAME \"libkith.so.${PROJECT_VERSION}-gdb.py\")"
        COMPONENT dev
    )
endif()
install(FILES ${kith_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT dev)

# Removes what the last installation of this build has installed.
if(PROJECT_IS_TOP_LEVEL)
    add_custom_target(
        uninstall
        COMMAND ${CMAKE_COMMAND} -DMANIFEST=${CMAKE_BINARY_DIR}/install_manifest.txt -P
                ${CMAKE_CURRENT_LIST_DIR}/uninstall.cmake
        VERBATIM
    )
    include(kith_packages)
endif()
