# The component `inspector`, a library of its own: the core needs neither it nor Asio. Its page is one file, which Node makes of
# the folder `inspector`, and which programs have inside. They see nothing of Asio: what is compiled here has a name of its own,
# whichever Asio the program has.
set(steptree_needs_inspector "asio.hpp (Debian: libasio-dev), and its page, which Node makes after `npm ci`, \
or which `node --import tsx tools/inspector.ts FILE` made elsewhere and STEPTREE_INSPECTOR_PAGE names")
if(NOT STEPTREE_BUILD_INSPECTOR)
  return()
endif()
find_path(ASIO_INCLUDE_DIR asio.hpp)
find_program(NODE_PROGRAM node)
set(modules ${PROJECT_SOURCE_DIR}/node_modules)
set(page ${STEPTREE_INSPECTOR_PAGE})
if(page AND NOT EXISTS ${page})
  message(FATAL_ERROR "STEPTREE_INSPECTOR_PAGE: there is no ${page}")
endif()
if(NOT ASIO_INCLUDE_DIR OR NOT (page OR (NODE_PROGRAM AND EXISTS ${modules}/esbuild AND EXISTS ${modules}/tsx)))
  steptree_lacks(inspector)
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
steptree_component(inspector ${inspector_sources} ${page_source})
set_source_files_properties(${page_source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
target_include_directories(steptree-inspector PRIVATE inspector)
target_include_directories(steptree-inspector SYSTEM PRIVATE ${ASIO_INCLUDE_DIR})
target_compile_definitions(steptree-inspector PRIVATE
  ASIO_STANDALONE ASIO_NO_DEPRECATED asio=steptree_inspector_asio)
if(STEPTREE_SANITIZE MATCHES thread)
  # Asio's fences are extra; ThreadSanitizer sees its mutexes.
  target_compile_options(steptree-inspector PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
endif()
