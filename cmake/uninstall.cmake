# Removes the files of an installation, and the folders that are empty then.
#   cmake -DMANIFEST=install_manifest.txt -P uninstall.cmake

cmake_minimum_required(VERSION 3.25)

if(NOT EXISTS ${MANIFEST})
    message(FATAL_ERROR "there is no ${MANIFEST}: nothing was installed from this build")
endif()
file(STRINGS ${MANIFEST} files)
foreach(file IN LISTS files)
    set(path $ENV{DESTDIR}${file})
    if(EXISTS ${path} OR IS_SYMLINK ${path})
        message(STATUS "Removing ${path}")
        file(REMOVE ${path})
    endif()
    # Upwards, as long as folders are empty.
    cmake_path(GET path PARENT_PATH folder)
    while(IS_DIRECTORY ${folder})
        file(GLOB contents LIST_DIRECTORIES true ${folder}/* ${folder}/.*)
        if(contents)
            break()
        endif()
        file(REMOVE_RECURSE ${folder})
        cmake_path(GET folder PARENT_PATH folder)
    endwhile()
endforeach()
