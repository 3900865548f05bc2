# The component `redis`, a library of its own: the core needs neither it nor hiredis. Programs that use it don't see the headers
# of hiredis or the JSON library. The scripts of spec/redis, which JavaScript has, too, are inside.
if(NOT STEPTREE_BUILD_REDIS)
  return()
endif()
find_path(HIREDIS_INCLUDE_DIR hiredis/async.h)
find_library(HIREDIS_LIBRARY hiredis)
find_path(NLOHMANN_JSON_INCLUDE_DIR nlohmann/json.hpp)
if(NOT HIREDIS_INCLUDE_DIR OR NOT HIREDIS_LIBRARY OR NOT NLOHMANN_JSON_INCLUDE_DIR)
  set(severity FATAL_ERROR)
  if(STEPTREE_BUILD_REDIS STREQUAL AUTO)
    set(severity STATUS)
  endif()
  message(${severity} "steptree::redis is left out: no hiredis or no nlohmann/json.hpp "
    "(Debian: libhiredis-dev nlohmann-json3-dev)")
  return()
endif()

set(scripts ${PROJECT_SOURCE_DIR}/spec/redis)
set(scripts_source ${CMAKE_CURRENT_BINARY_DIR}/redis/scriptfile.cpp)
file(GLOB_RECURSE script_files CONFIGURE_DEPENDS ${scripts}/*.lua)
add_custom_command(OUTPUT ${scripts_source}
  COMMAND ${CMAKE_COMMAND} -DFROM=${scripts} -DTO=${scripts_source}
          -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/EmbedScripts.cmake
  DEPENDS ${script_files} ${CMAKE_CURRENT_SOURCE_DIR}/cmake/EmbedScripts.cmake VERBATIM)

file(GLOB redis_sources CONFIGURE_DEPENDS redis/*.cpp)
add_library(steptree-redis ${redis_sources} ${scripts_source})
add_library(steptree::redis ALIAS steptree-redis)
set_target_properties(steptree-redis PROPERTIES EXPORT_NAME redis)
steptree_library(steptree-redis)
target_include_directories(steptree-redis PRIVATE redis src)
target_include_directories(steptree-redis SYSTEM PRIVATE
  ${HIREDIS_INCLUDE_DIR} ${NLOHMANN_JSON_INCLUDE_DIR})
target_link_libraries(steptree-redis PUBLIC steptree
  PRIVATE $<BUILD_INTERFACE:${HIREDIS_LIBRARY}> $<INSTALL_INTERFACE:hiredis> Threads::Threads)
steptree_strict(steptree-redis)
steptree_unity(steptree-redis)
