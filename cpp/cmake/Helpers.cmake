# Warnings for our own targets. They aren't errors in sanitized builds, in which g++ sees ghosts in its own library.
function(steptree_strict target)
  target_compile_options(${target} PRIVATE -Wall -Wextra)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # With optimisation g++ 12 sees overflows in the standard library's strings that aren't there.
    target_compile_options(${target} PRIVATE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow)
  endif()
  if(STEPTREE_WARNINGS_AS_ERRORS AND NOT STEPTREE_SANITIZE)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(STEPTREE_SANITIZE)
    target_compile_options(${target} PRIVATE
      -fsanitize=${STEPTREE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${STEPTREE_SANITIZE})
  endif()
endfunction()

# Headers are most of what is to be compiled, so what isn't measured reads its sources as a few files. Those of a
# target share one scope then: no two have a name of their own in common.
function(steptree_unity target)
  if(STEPTREE_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 20)
  endif()
endfunction()

# What is installed: of a shared library programs see what is marked STEPTREE_VISIBLE, and they find the one of their interface.
function(steptree_library target)
  file(STRINGS ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../include/steptree/abi.hpp abi REGEX "kAbi = ")
  string(REGEX REPLACE ".*kAbi = ([0-9]+).*" "\\1" abi "${abi}")
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON VERSION ${PROJECT_VERSION} SOVERSION ${abi}
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# Looks for a package that only the developers of steptree need.
macro(steptree_require package debian)
  find_package(${package} QUIET)
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "${package} not found (Debian: ${debian}). "
      "The library alone builds with -DSTEPTREE_BUILD_TESTS=OFF -DSTEPTREE_BUILD_EXAMPLES=OFF.")
  endif()
endmacro()

# Standalone Asio as the target steptree-asio. Its headers are not ours to warn about.
function(steptree_require_asio)
  if(TARGET steptree-asio)
    return()
  endif()
  find_path(ASIO_INCLUDE_DIR asio.hpp)
  if(NOT ASIO_INCLUDE_DIR)
    message(FATAL_ERROR "asio.hpp not found (Debian: libasio-dev). "
      "The library alone builds with -DSTEPTREE_BUILD_TESTS=OFF -DSTEPTREE_BUILD_EXAMPLES=OFF.")
  endif()
  add_library(steptree-asio INTERFACE)
  target_include_directories(steptree-asio SYSTEM INTERFACE ${ASIO_INCLUDE_DIR})
  # Without the last, whether Asio allocates aligned or not depends on which header a file includes first, and two files
  # that differ in it free each other's memory wrongly.
  target_compile_definitions(steptree-asio INTERFACE
    ASIO_STANDALONE ASIO_NO_DEPRECATED ASIO_DISABLE_STD_ALIGNED_ALLOC)
  target_link_libraries(steptree-asio INTERFACE Threads::Threads)
  if(STEPTREE_SANITIZE MATCHES thread)
    # Asio's fences are extra; ThreadSanitizer sees its mutexes.
    target_compile_options(steptree-asio INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
  endif()
endfunction()

# The same for Boost's, as the target steptree-boost-asio.
function(steptree_require_boost_asio)
  if(TARGET steptree-boost-asio)
    return()
  endif()
  find_path(BOOST_ASIO_INCLUDE_DIR boost/asio.hpp)
  if(NOT BOOST_ASIO_INCLUDE_DIR)
    message(FATAL_ERROR "boost/asio.hpp not found (Debian: libboost-dev). "
      "The library alone builds with -DSTEPTREE_BUILD_TESTS=OFF -DSTEPTREE_BUILD_EXAMPLES=OFF.")
  endif()
  add_library(steptree-boost-asio INTERFACE)
  target_include_directories(steptree-boost-asio SYSTEM INTERFACE ${BOOST_ASIO_INCLUDE_DIR})
  target_compile_definitions(steptree-boost-asio INTERFACE
    BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_STD_ALIGNED_ALLOC)
  target_link_libraries(steptree-boost-asio INTERFACE Threads::Threads)
endfunction()
