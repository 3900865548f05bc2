# The component `pool`, a library of its own: the core neither needs it nor the queue that it is made of. Programs that use
# it don't see the queue's headers.
set(steptree_needs_pool "concurrentqueue.h (Debian: libconcurrentqueue-dev)")
if(NOT STEPTREE_BUILD_POOL)
  return()
endif()
find_path(CONCURRENTQUEUE_INCLUDE_DIR concurrentqueue.h
  PATH_SUFFIXES concurrentqueue concurrentqueue/moodycamel moodycamel)
if(NOT CONCURRENTQUEUE_INCLUDE_DIR)
  steptree_lacks(pool)
  return()
endif()

file(GLOB pool_sources CONFIGURE_DEPENDS pool/*.cpp)
steptree_component(pool ${pool_sources})
target_include_directories(steptree-pool SYSTEM PRIVATE ${CONCURRENTQUEUE_INCLUDE_DIR})
if(STEPTREE_SANITIZE MATCHES thread)
  # The queue's fences are extra; ThreadSanitizer sees its atomics.
  target_compile_options(steptree-pool PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
endif()
