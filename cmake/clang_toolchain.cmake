# The newest clang that we test with. Debian calls it clang++-19; clang++ is what it falls back to.
find_program(KITH_CLANG NAMES clang++-19 clang++ REQUIRED)
mark_as_advanced(KITH_CLANG)
set(CMAKE_CXX_COMPILER ${KITH_CLANG})
# And for programs in C.
find_program(KITH_CLANG_C NAMES clang-19 clang REQUIRED)
mark_as_advanced(KITH_CLANG_C)
set(CMAKE_C_COMPILER ${KITH_CLANG_C})
