# Compiler and linker flags of every target. The presets choose; this file says how.
option(SLIPWAY_HARDEN "Hardened flags of the shipped programs" OFF)
option(SLIPWAY_STATIC "Link programs fully static" OFF)
option(SLIPWAY_FUZZ "Build the libFuzzer targets" OFF)
set(SLIPWAY_SANITIZE "" CACHE STRING "Sanitizers, as for -fsanitize=")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

add_library(slipway_flags INTERFACE)
target_include_directories(slipway_flags INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_compile_options(slipway_flags INTERFACE -Wall -Wextra -Werror -Wshadow -Wnon-virtual-dtor
    -Woverloaded-virtual -Wimplicit-fallthrough -fno-omit-frame-pointer
    -ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ 12 warns of copies in std::string that cannot happen (its bug 105651). Real ones are AddressSanitizer's to find.
    target_compile_options(slipway_flags INTERFACE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread
        -Wno-restrict)
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # Every lock in src/ is base/mutex.hpp's, so an unguarded read is a compile error here.
    target_compile_options(slipway_flags INTERFACE -Wthread-safety)
    target_link_options(slipway_flags INTERFACE -fuse-ld=lld-19)
endif()

if(SLIPWAY_HARDEN)
    target_compile_options(slipway_flags INTERFACE -fstack-protector-strong -fstack-clash-protection
        -fcf-protection=full -D_FORTIFY_SOURCE=2 -D_GLIBCXX_ASSERTIONS)
    target_link_options(slipway_flags INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack)
endif()

# Under sanitizers optimising takes half of the time. Nothing waits for what only tests say, nor for these layers.
set(of_tests $<BOOL:$<TARGET_PROPERTY:SLIPWAY_OF_TESTS>>)
set(slipway_unhurried agent convert kube desk images server cli)
set(unhurried $<BOOL:$<TARGET_PROPERTY:SLIPWAY_UNHURRIED>>)
if(SLIPWAY_SANITIZE)
    target_compile_options(slipway_flags INTERFACE -fsanitize=${SLIPWAY_SANITIZE}
        -fno-sanitize-recover=all $<$<OR:${of_tests},${unhurried}>:-O0>)
    target_link_options(slipway_flags INTERFACE -fsanitize=${SLIPWAY_SANITIZE})
endif()
if(SLIPWAY_FUZZ)
    target_compile_options(slipway_flags INTERFACE $<$<NOT:${of_tests}>:-fsanitize=fuzzer-no-link>)
endif()
