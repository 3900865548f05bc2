steptree_require(Catch2 catch2)
steptree_require_asio()
steptree_require_boost_asio()

file(GLOB test_sources CONFIGURE_DEPENDS test/*_test.cpp)
if(NOT TARGET steptree-pool)
  list(FILTER test_sources EXCLUDE REGEX "/(thread)?pool[a-z]*_thread_test\\.cpp$")
endif()
if(NOT TARGET steptree-inspector)
  list(FILTER test_sources EXCLUDE REGEX "/inspector[a-z]*_thread_test\\.cpp$")
endif()
set(test_helpers test/allocations.cpp test/main.cpp)
if(TARGET steptree-redis)
  list(APPEND test_helpers test/redisserver.cpp)
else()
  list(FILTER test_sources EXCLUDE REGEX "/(redis|worker|jobqueue)[a-z]*_thread_test\\.cpp$")
endif()
if(NOT TARGET steptree-c)
  list(FILTER test_sources EXCLUDE REGEX "/cinterface_test\\.cpp$")
endif()
if(NOT STEPTREE_PLUGIN_HOST)
  list(FILTER test_sources EXCLUDE REGEX "/pluginhost[a-z_]*_test\\.cpp$")
endif()
if(STEPTREE_SANITIZE MATCHES thread) # It runs no others, see below.
  foreach(source ${test_sources})
    file(STRINGS ${source} threaded REGEX "\\[thread\\]" LIMIT_COUNT 1)
    if(NOT threaded)
      list(REMOVE_ITEM test_sources ${source})
    endif()
  endforeach()
endif()
add_executable(steptree-tests ${test_sources} ${test_helpers})
set(test_libraries
  $<TARGET_NAME_IF_EXISTS:steptree-pool> $<TARGET_NAME_IF_EXISTS:steptree-inspector> $<TARGET_NAME_IF_EXISTS:steptree-redis> $<TARGET_NAME_IF_EXISTS:steptree-c> steptree steptree-asio steptree-boost-asio Catch2::Catch2 ${CMAKE_DL_LIBS})
target_link_libraries(steptree-tests PRIVATE ${test_libraries})
target_include_directories(steptree-tests PRIVATE src test)
target_compile_definitions(steptree-tests PRIVATE
  STEPTREE_SPEC="${PROJECT_SOURCE_DIR}/spec" STEPTREE_SOURCES=1)
if(STEPTREE_CHECK_THREADS)
  target_compile_definitions(steptree-tests PRIVATE STEPTREE_CHECK_THREADS)
endif()
# What most of them include is read once. Names of their own collide, so each is compiled alone, but for those with Asio, whose
# headers take longer than the tests.
target_precompile_headers(steptree-tests PRIVATE test/common.hpp)
if(STEPTREE_UNITY)
  set_target_properties(steptree-tests PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  foreach(group asio boostasio)
    file(GLOB group_sources test/${group}*_test.cpp)
    set_source_files_properties(${group_sources} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endif()
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/test/main.cpp
  PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
steptree_strict(steptree-tests)

# A process of tests in which those of both languages share guards.
if(TARGET steptree-redis)
  add_executable(steptree-redis-guards EXCLUDE_FROM_ALL test/redisguards/main.cpp)
  target_link_libraries(steptree-redis-guards PRIVATE steptree-redis)
  steptree_strict(steptree-redis-guards)
endif()

# A plug-in that dlclose() really unmaps: with unique symbols it would stay.
add_library(steptree-test-plugin MODULE test/plugin/plugin.cpp)
target_link_libraries(steptree-test-plugin PRIVATE steptree-interface)
target_compile_options(steptree-test-plugin PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
set_target_properties(steptree-test-plugin PROPERTIES CXX_VISIBILITY_PRESET hidden)
steptree_strict(steptree-test-plugin)
add_dependencies(steptree-tests steptree-test-plugin)
target_compile_definitions(steptree-tests PRIVATE
  STEPTREE_TEST_PLUGIN="$<TARGET_FILE:steptree-test-plugin>")
include(TestPlugins)

# Two processes, so that two cores have something to do. The tests that use threads are what ThreadSanitizer is for.
add_test(NAME threads COMMAND steptree-tests [thread])
set_tests_properties(threads PROPERTIES LABELS "unit;thread" TIMEOUT 3600)
if(NOT STEPTREE_SANITIZE MATCHES thread)
  add_test(NAME unit COMMAND steptree-tests ~[thread])
  set_tests_properties(unit PROPERTIES LABELS unit TIMEOUT 3600)
endif()

# Tests that compile: the contract of plug-ins alone, programs that must be refused, and those of users.
if(NOT STEPTREE_SANITIZE)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13) # Others have other libraries.
    add_test(NAME contract COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test/contract/run.sh
             ${CMAKE_CXX_COMPILER} ${CMAKE_CURRENT_SOURCE_DIR}/include)
  endif()
  add_test(NAME refused COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test/refused/run.sh
           ${CMAKE_CXX_COMPILER} ${CMAKE_CURRENT_SOURCE_DIR}/include)
  add_test(NAME package
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test/consumer/run.sh
            ${PROJECT_BINARY_DIR}/consumer ${PROJECT_BINARY_DIR})
  set_tests_properties(refused package PROPERTIES LABELS deep TIMEOUT 3600)
endif()
