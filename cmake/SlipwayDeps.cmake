# Libraries, all from Debian packages. Each is wrapped in one target, so that a layer names what it
# uses and the choice between static and shared is made here.
set(Boost_USE_STATIC_LIBS ON)
set(OPENSSL_USE_STATIC_LIBS ${SLIPWAY_STATIC})
find_package(Boost 1.81 REQUIRED COMPONENTS json)
find_package(OpenSSL 3 REQUIRED COMPONENTS Crypto SSL)
find_package(Threads REQUIRED)
find_package(GTest REQUIRED)
find_package(CLI11 REQUIRED)

function(slipway_static_library target file)
    find_library(${target}_FILE NAMES ${file} REQUIRED)
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE ${${target}_FILE})
endfunction()

slipway_static_library(slipway_sqlite libsqlite3.a)
target_link_libraries(slipway_sqlite INTERFACE m ${CMAKE_DL_LIBS} Threads::Threads)
slipway_static_library(slipway_yaml libyaml-cpp.a)
slipway_static_library(slipway_zlib libz.a)
slipway_static_library(slipway_zstd libzstd.a)
slipway_static_library(slipway_crypt libcrypt.a)
slipway_static_library(slipway_lzma liblzma.a)
slipway_static_library(slipway_expat libexpat.a)
slipway_static_library(slipway_rapidcheck librapidcheck.a)

add_library(slipway_cli11 INTERFACE)
target_link_libraries(slipway_cli11 INTERFACE CLI11::CLI11)
