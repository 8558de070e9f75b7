# slipway_together(OUT TARGET SOURCE…): OUT is what to compile for these sources. With SLIPWAY_UNITY several of them stand in
# one file each time, where they cannot disturb each other (scripts/unity.py): a third of the work. The debug and clang
# presets go without: there, and under clang-tidy, each source has to stand on its own.
option(SLIPWAY_UNITY "Compile several sources at a time" OFF)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
get_filename_component(slipway_root ${CMAKE_CURRENT_LIST_DIR}/.. ABSOLUTE)

if(SLIPWAY_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-subobject-linkage) # it takes a source that is included for a header
endif()

# Sources with settings of their own.
set(slipway_apart agent_image.cpp source_tree.cpp)

function(slipway_together out target)
    set(together ${ARGN})
    set(apart ${ARGN})
    list(JOIN slipway_apart "|" names)
    list(FILTER together EXCLUDE REGEX "/(${names})$")
    list(FILTER apart INCLUDE REGEX "/(${names})$")
    if(NOT SLIPWAY_UNITY OR NOT together)
        set(${out} ${ARGN} PARENT_SCOPE)
        return()
    endif()
    execute_process(COMMAND ${Python3_EXECUTABLE} ${slipway_root}/scripts/unity.py --into ${CMAKE_BINARY_DIR}/unity/${target}
                            --root ${slipway_root}/src ${together}
                    OUTPUT_VARIABLE files OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    # A source that declares something new may have to stand somewhere else.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${together} ${slipway_root}/scripts/unity.py)
    string(REPLACE "\n" ";" files "${files}")
    set(${out} ${files} ${apart} PARENT_SCOPE)
endfunction()
