# slipway_layer(NAME LAYERS … LIBRARIES …): src/NAME/**.cpp becomes the library slipway_NAME,
# **_test.cpp beside them the program NAME_test, **_fuzz.cpp one libFuzzer program each.
# Sources under a folder named `testing` are the layer's fakes: library slipway_NAME_testing.
function(slipway_layer name)
    cmake_parse_arguments(arg "" "" "LAYERS;LIBRARIES" ${ARGN})
    file(GLOB_RECURSE all CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cpp)
    set(sources ${all})
    list(FILTER sources EXCLUDE REGEX "(_test|_fuzz|/main)\\.cpp$|/testing/")
    set(tests ${all})
    list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
    set(fakes ${all})
    list(FILTER fakes INCLUDE REGEX "/testing/")
    list(FILTER fakes EXCLUDE REGEX "_test\\.cpp$")
    set(fuzzers ${all})
    list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cpp$")
    file(GLOB_RECURSE schemas CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.sql)

    if(NOT sources)
        return()
    endif()
    list(TRANSFORM arg_LAYERS PREPEND slipway_ OUTPUT_VARIABLE layers)
    slipway_together(sources slipway_${name} ${sources})
    add_library(slipway_${name} STATIC ${sources})
    target_link_libraries(slipway_${name} PUBLIC slipway_flags ${layers} ${arg_LIBRARIES} Threads::Threads)
    foreach(schema ${schemas})
        slipway_embed_text(slipway_${name} ${schema})
    endforeach()
    if(SLIPWAY_SANITIZE AND name IN_LIST slipway_unhurried)
        set_target_properties(slipway_${name} PROPERTIES SLIPWAY_UNHURRIED ON)
        slipway_precompile(slipway_${name} slipway_agent ${slipway_common_headers})
    else()
        slipway_precompile(slipway_${name} slipway_base ${slipway_common_headers})
    endif()

    set(test_libraries slipway_${name})
    if(fakes)
        slipway_together(fakes slipway_${name}_testing ${fakes})
        add_library(slipway_${name}_testing STATIC ${fakes})
        target_link_libraries(slipway_${name}_testing PUBLIC slipway_${name} GTest::gtest GTest::gmock)
        slipway_precompile(slipway_${name}_testing slipway_base)
        list(APPEND test_libraries slipway_${name}_testing)
    endif()
    foreach(layer ${arg_LAYERS})
        if(TARGET slipway_${layer}_testing)
            list(APPEND test_libraries slipway_${layer}_testing)
            if(fakes) # they use those of the layers above
                target_link_libraries(slipway_${name}_testing PUBLIC slipway_${layer}_testing)
            endif()
        endif()
    endforeach()

    if(tests)
        list(LENGTH tests cost) # the longest start first
        slipway_together(tests ${name}_test ${tests})
        add_executable(${name}_test ${tests})
        target_link_libraries(${name}_test PRIVATE ${test_libraries} GTest::gtest_main GTest::gmock
            slipway_rapidcheck)
        slipway_program_properties(${name}_test)
        slipway_precompile(${name}_test base_test ${slipway_common_headers} <gtest/gtest.h> <gmock/gmock.h>)
        set_target_properties(${name}_test PROPERTIES SLIPWAY_OF_TESTS ON)
        add_test(NAME ${name} COMMAND ${name}_test)
        set_tests_properties(${name} PROPERTIES LABELS fast TIMEOUT 600 COST ${cost})
    endif()
    if(SLIPWAY_FUZZ)
        foreach(source ${fuzzers})
            get_filename_component(target ${source} NAME_WE)
            add_executable(${target} ${source})
            target_link_libraries(${target} PRIVATE ${test_libraries})
            target_link_options(${target} PRIVATE -fsanitize=fuzzer)
            add_dependencies(fuzzers ${target})
        endforeach()
    endif()
endfunction()

# Headers most files need, compiled once a preset, with the target named first: a third less to compile. The preset for
# clang-tidy goes without, so that it sees every file with its own includes only.
set(slipway_common_headers <algorithm> <chrono> <condition_variable> <functional> <map> <memory>
    <optional> <string> <thread> <unordered_map> <vector> <boost/json.hpp> <fmt/format.h>)

function(slipway_precompile target first)
    if(NOT target STREQUAL first)
        target_precompile_headers(${target} REUSE_FROM ${first})
        return()
    endif()
    target_precompile_headers(${target} PRIVATE ${ARGN})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
        slipway_sum_precompiled(${target} ${ARGN})
    endif()
endfunction()

# What clang precompiles names its folder, so no two clones have the same. ccache (scripts/ccache_clang.sh) looks at this sum
# of what went into it instead.
function(slipway_sum_precompiled target)
    list(TRANSFORM ARGN REPLACE "(.+)" "#include \\1\n" OUTPUT_VARIABLE lines)
    string(CONCAT text ${lines})
    set(header ${CMAKE_BINARY_DIR}/precompiled_${target}.hpp)
    file(CONFIGURE OUTPUT ${header} CONTENT "${text}" @ONLY)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -E -P -x c++ ${header} OUTPUT_VARIABLE all COMMAND_ERROR_IS_FATAL ANY)
    string(SHA256 sum "${all}")
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/CMakeFiles/${target}.dir/cmake_pch.hxx.pch.sum CONTENT "${sum}\n")
endfunction()

# Tests may read files of the source tree. One file knows where it is: the others are compiled alike in every
# clone, and come from the cache.
set_property(SOURCE ${CMAKE_SOURCE_DIR}/src/base/testing/source_tree.cpp PROPERTY
    COMPILE_DEFINITIONS SLIPWAY_SOURCE_DIR="${CMAKE_SOURCE_DIR}")

# A text file becomes an array, declared extern where it is used: src/store/schema/v1.sql is
# slipway::embedded::slipway_store_v1.
function(slipway_embed_text target file)
    get_filename_component(stem ${file} NAME_WE)
    set(out ${CMAKE_BINARY_DIR}/embedded/${target}_${stem}.cpp)
    add_custom_command(OUTPUT ${out}
        COMMAND ${CMAKE_COMMAND} -DIN=${file} -DOUT=${out} -DNAME=${stem} -DTARGET=${target}
                -P ${CMAKE_SOURCE_DIR}/cmake/EmbedText.cmake
        DEPENDS ${file} ${CMAKE_SOURCE_DIR}/cmake/EmbedText.cmake VERBATIM)
    target_sources(${target} PRIVATE ${out})
endfunction()

# What `make build` and `make fuzz` build: the programs, the fuzz targets and only what these need.
add_custom_target(shipped)
add_custom_target(fuzzers)

function(slipway_program_properties target)
    if(SLIPWAY_STATIC)
        target_link_options(${target} PRIVATE -static)
    endif()
endfunction()

function(slipway_program name source)
    cmake_parse_arguments(arg "" "" "LAYERS" ${ARGN})
    if(NOT EXISTS ${CMAKE_SOURCE_DIR}/${source})
        return()
    endif()
    list(TRANSFORM arg_LAYERS PREPEND slipway_ OUTPUT_VARIABLE layers)
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE ${layers})
    slipway_program_properties(${name})
    add_dependencies(shipped ${name})
endfunction()
