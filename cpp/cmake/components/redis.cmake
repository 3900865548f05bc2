# The component `redis`, a library of its own: the core needs neither it nor hiredis. Programs that use it don't see the headers
# of hiredis or the JSON library. The scripts of spec/redis, which JavaScript has, too, are inside.
set(steptree_needs_redis "hiredis and nlohmann/json.hpp (Debian: libhiredis-dev nlohmann-json3-dev)")
if(NOT STEPTREE_BUILD_REDIS)
  return()
endif()
find_path(HIREDIS_INCLUDE_DIR hiredis/async.h)
find_library(HIREDIS_LIBRARY hiredis)
find_path(NLOHMANN_JSON_INCLUDE_DIR nlohmann/json.hpp)
if(NOT HIREDIS_INCLUDE_DIR OR NOT HIREDIS_LIBRARY OR NOT NLOHMANN_JSON_INCLUDE_DIR)
  steptree_lacks(redis)
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
steptree_component(redis ${redis_sources} ${scripts_source})
target_include_directories(steptree-redis PRIVATE redis src)
target_include_directories(steptree-redis SYSTEM PRIVATE
  ${HIREDIS_INCLUDE_DIR} ${NLOHMANN_JSON_INCLUDE_DIR})
set(steptree_links_redis ${HIREDIS_LIBRARY})
target_link_libraries(steptree-redis PRIVATE $<BUILD_INTERFACE:${HIREDIS_LIBRARY}> $<INSTALL_INTERFACE:hiredis> Threads::Threads)
