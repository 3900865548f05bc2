# The component `pool`, a library of its own: the core neither needs it nor the queue that it is made of. Programs that use
# it don't see the queue's headers.
if(NOT STEPTREE_BUILD_POOL)
  return()
endif()
find_path(CONCURRENTQUEUE_INCLUDE_DIR concurrentqueue.h
  PATH_SUFFIXES concurrentqueue concurrentqueue/moodycamel moodycamel)
if(NOT CONCURRENTQUEUE_INCLUDE_DIR)
  message(STATUS "steptree::pool is left out: no concurrentqueue.h (Debian: libconcurrentqueue-dev)")
  return()
endif()

file(GLOB pool_sources CONFIGURE_DEPENDS pool/*.cpp)
add_library(steptree-pool ${pool_sources})
add_library(steptree::pool ALIAS steptree-pool)
set_target_properties(steptree-pool PROPERTIES EXPORT_NAME pool)
steptree_library(steptree-pool)
target_include_directories(steptree-pool SYSTEM PRIVATE ${CONCURRENTQUEUE_INCLUDE_DIR})
target_link_libraries(steptree-pool PUBLIC steptree)
if(STEPTREE_SANITIZE MATCHES thread)
  # The queue's fences are extra; ThreadSanitizer sees its atomics.
  target_compile_options(steptree-pool PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
endif()
steptree_strict(steptree-pool)
steptree_unity(steptree-pool)
