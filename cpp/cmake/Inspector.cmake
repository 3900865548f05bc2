# The component `inspector`, a library of its own: the core needs neither it nor Asio. Its page is one file, which Node makes of
# the folder `inspector`, and which programs have inside. They see nothing of Asio: what is compiled here has a name of its own,
# whichever Asio the program has.
if(NOT STEPTREE_BUILD_INSPECTOR)
  return()
endif()
set(severity FATAL_ERROR)
if(STEPTREE_BUILD_INSPECTOR STREQUAL AUTO)
  set(severity STATUS)
endif()
find_path(ASIO_INCLUDE_DIR asio.hpp)
find_program(NODE_PROGRAM node)
set(modules ${PROJECT_SOURCE_DIR}/node_modules)
set(page ${STEPTREE_INSPECTOR_PAGE})
if(NOT ASIO_INCLUDE_DIR)
  message(${severity} "steptree::inspector is left out: no asio.hpp (Debian: libasio-dev)")
  return()
elseif(page AND NOT EXISTS ${page})
  message(FATAL_ERROR "STEPTREE_INSPECTOR_PAGE: there is no ${page}")
elseif(NOT page AND NOT (NODE_PROGRAM AND EXISTS ${modules}/esbuild AND EXISTS ${modules}/tsx))
  message(${severity} "steptree::inspector is left out: its page is made by Node, after `npm ci`, "
    "or was made elsewhere, by `node --import tsx tools/inspector.ts FILE`, and is named by STEPTREE_INSPECTOR_PAGE")
  return()
endif()

set(page_source ${CMAKE_CURRENT_BINARY_DIR}/inspector/pagefile.cpp)
if(NOT page)
  set(page ${CMAKE_CURRENT_BINARY_DIR}/inspector/page.html)
  file(GLOB page_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/inspector/*.*)
  add_custom_command(OUTPUT ${page}
    COMMAND ${NODE_PROGRAM} --import tsx tools/inspector.ts ${page}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    DEPENDS ${page_sources} ${PROJECT_SOURCE_DIR}/tools/inspector.ts
    COMMENT "The inspector's page" VERBATIM)
endif()
add_custom_command(OUTPUT ${page_source}
  COMMAND ${CMAKE_COMMAND} -DFROM=${page} -DTO=${page_source}
          -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/EmbedPage.cmake
  DEPENDS ${page} ${CMAKE_CURRENT_SOURCE_DIR}/cmake/EmbedPage.cmake VERBATIM)

file(GLOB inspector_sources CONFIGURE_DEPENDS inspector/*.cpp)
add_library(steptree-inspector ${inspector_sources} ${page_source})
add_library(steptree::inspector ALIAS steptree-inspector)
set_target_properties(steptree-inspector PROPERTIES EXPORT_NAME inspector)
set_source_files_properties(${page_source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
steptree_library(steptree-inspector)
target_include_directories(steptree-inspector PRIVATE inspector)
target_include_directories(steptree-inspector SYSTEM PRIVATE ${ASIO_INCLUDE_DIR})
target_compile_definitions(steptree-inspector PRIVATE
  ASIO_STANDALONE ASIO_NO_DEPRECATED asio=steptree_inspector_asio)
target_link_libraries(steptree-inspector PUBLIC steptree)
if(STEPTREE_SANITIZE MATCHES thread)
  # Asio's fences are extra; ThreadSanitizer sees its mutexes.
  target_compile_options(steptree-inspector PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
endif()
steptree_strict(steptree-inspector)
steptree_unity(steptree-inspector)
