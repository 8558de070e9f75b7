# slipway_embed_agents(TARGET FILE): builds the agent for both architectures and lets FILE (of TARGET)
# embed them. The builds are shared by all presets of a checkout, two of which may be built at a time.
set(slipway_agent_amd64_compiler x86_64-linux-gnu-g++-12)
set(slipway_agent_arm64_compiler aarch64-linux-gnu-g++-12)

function(slipway_embed_agents target file)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/agent/*.?pp
        ${CMAKE_SOURCE_DIR}/src/wire/*.?pp)
    list(FILTER sources EXCLUDE REGEX "(_test|_fuzz)\\.cpp$|/testing/")
    file(GLOB base CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/base/*.hpp)
    list(APPEND sources ${base} ${CMAKE_SOURCE_DIR}/src/base/error.cpp
        ${CMAKE_SOURCE_DIR}/src/base/checksum.cpp ${CMAKE_SOURCE_DIR}/src/base/digest.cpp
        ${CMAKE_SOURCE_DIR}/src/base/ip.cpp
        ${CMAKE_SOURCE_DIR}/src/base/removable.cpp
        ${CMAKE_SOURCE_DIR}/src/base/tls_peer.cpp ${CMAKE_SOURCE_DIR}/src/base/url.cpp
        ${CMAKE_SOURCE_DIR}/cmake/agent/CMakeLists.txt ${CMAKE_SOURCE_DIR}/cmake/SlipwayUnity.cmake)
    set(agents)
    foreach(arch amd64 arm64)
        set(folder ${CMAKE_SOURCE_DIR}/build/agent-${arch})
        set(agent ${folder}/slipway-agent)
        add_custom_command(OUTPUT ${agent}
            COMMAND flock ${folder}.lock ${CMAKE_COMMAND} -S ${CMAKE_SOURCE_DIR}/cmake/agent -B ${folder} -G Ninja
                    -DCMAKE_CXX_COMPILER=${slipway_agent_${arch}_compiler} -DCMAKE_BUILD_TYPE=None
                    -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
                    -DCMAKE_SYSTEM_NAME=Linux --log-level=WARNING
            COMMAND flock ${folder}.lock ${CMAKE_COMMAND} --build ${folder} -- --quiet
            DEPENDS ${sources} COMMENT "Building the agent for ${arch}" USES_TERMINAL VERBATIM)
        list(APPEND agents ${agent})
        string(TOUPPER ${arch} upper)
        set_property(SOURCE ${file} APPEND PROPERTY COMPILE_DEFINITIONS
            "SLIPWAY_AGENT_${upper}=\"${agent}\"")
    endforeach()
    set_property(SOURCE ${file} APPEND PROPERTY OBJECT_DEPENDS "${agents}")
    set_property(SOURCE ${file} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
endfunction()
