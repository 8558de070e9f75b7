# Compiler and linker flags of every target. The presets choose; this file says how.
option(SLIPWAY_HARDEN "Hardened flags of the shipped programs" OFF)
option(SLIPWAY_STATIC "Link programs fully static" OFF)
option(SLIPWAY_LTO "Link-time optimisation" OFF)
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
target_compile_definitions(slipway_flags INTERFACE FMT_HEADER_ONLY=1)

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

# Optimising what only tests say takes as long as compiling all the rest, and nothing waits for it.
set(of_tests $<BOOL:$<TARGET_PROPERTY:SLIPWAY_OF_TESTS>>)
if(SLIPWAY_SANITIZE)
    target_compile_options(slipway_flags INTERFACE -fsanitize=${SLIPWAY_SANITIZE}
        -fno-sanitize-recover=all $<${of_tests}:-O0>)
    target_link_options(slipway_flags INTERFACE -fsanitize=${SLIPWAY_SANITIZE})
endif()
if(SLIPWAY_FUZZ)
    target_compile_options(slipway_flags INTERFACE $<$<NOT:${of_tests}>:-fsanitize=fuzzer-no-link>)
endif()

if(SLIPWAY_LTO)
    set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
endif()
