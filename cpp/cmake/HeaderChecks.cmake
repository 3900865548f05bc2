# Each header must compile when it is the only one that is included, also with warnings that we don't ask of our own sources
# but many programs ask of all that they include, and the examples show how; clang's front end reads those that programs include, and all but
# the tests, which are built with clang elsewhere. Only the deep tests build these targets.
set(include_root ${CMAKE_CURRENT_SOURCE_DIR}/include)
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${include_root} ${include_root}/*.hpp)

set(header_units)
foreach(header ${headers})
  string(REPLACE "/" "_" unit ${header})
  set(unit ${CMAKE_CURRENT_BINARY_DIR}/headers/${unit}.cpp)
  file(GENERATE OUTPUT ${unit} CONTENT "#include \"${header}\"\n")
  list(APPEND header_units ${unit})
endforeach()
add_library(steptree-headers OBJECT EXCLUDE_FROM_ALL ${header_units})
target_link_libraries(steptree-headers PRIVATE steptree-interface steptree-asio steptree-boost-asio)
steptree_strict(steptree-headers)
set(header_warnings -Wshadow -Wnon-virtual-dtor -Wconversion -Wpedantic)
target_compile_options(steptree-headers PRIVATE ${header_warnings})

find_program(CLANGXX NAMES clang++ clang++-14 clang++-15 clang++-16)
if(CLANGXX)
  set(stamps)
  set(included_units ${header_units})
  list(FILTER included_units EXCLUDE REGEX "/steptree_(boost_)?detail_")
  file(GLOB example_sources CONFIGURE_DEPENDS examples/*/*.cpp)
  foreach(unit ${included_units} ${sources} ${pool_sources} ${c_sources} ${inspector_sources} ${redis_sources} ${case_sources} conformance/adapter.cpp
               ${fault_sources} ${example_sources})
    get_filename_component(path ${unit} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${path})
    string(REPLACE "/" "_" name ${name})
    set(stamp ${CMAKE_CURRENT_BINARY_DIR}/clang/${name}.ok)
    add_custom_command(OUTPUT ${stamp}
      COMMAND ${CLANGXX} -std=c++20 -fsyntax-only -Wall -Wextra -Werror -DASIO_STANDALONE
              "$<$<IN_LIST:${unit},${included_units};${example_sources}>:${header_warnings}>"
              "-DSTEPTREE_SPEC=\"${PROJECT_SOURCE_DIR}/spec\""
              -I${include_root} -I${CMAKE_CURRENT_SOURCE_DIR}/src -I${CMAKE_CURRENT_SOURCE_DIR}/test
              "$<$<TARGET_EXISTS:steptree-pool>:-isystem${CONCURRENTQUEUE_INCLUDE_DIR}>"
              -I${CMAKE_CURRENT_SOURCE_DIR}/inspector -I${CMAKE_CURRENT_SOURCE_DIR}/redis -I${CMAKE_CURRENT_SOURCE_DIR}/conformance -I${CMAKE_CURRENT_SOURCE_DIR}/faults
              -MD -MF ${stamp}.d -MT ${stamp} ${path}
      COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
      DEPENDS ${path} DEPFILE ${stamp}.d
      COMMENT "clang reads ${name}" VERBATIM COMMAND_EXPAND_LISTS)
    list(APPEND stamps ${stamp})
  endforeach()
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/clang)
  add_custom_target(clang-headers DEPENDS ${stamps})
endif()
