# The libraries that steptree is compared with.

function(bench_require found what debian)
  if(NOT ${found})
    message(FATAL_ERROR "${what} not found (Debian: ${debian}; `tools/setup bench` installs it). "
      "The benches of steptree alone build with -DSTEPTREE_BUILD_PEERS=OFF.")
  endif()
endfunction()

find_package(Threads REQUIRED)
find_package(Boost QUIET COMPONENTS context fiber)
bench_require(Boost_FIBER_FOUND "Boost.Fiber" "libboost-fiber-dev libboost-context-dev")
find_path(ASIO_INCLUDE_DIR asio.hpp)
bench_require(ASIO_INCLUDE_DIR "asio.hpp" libasio-dev)
find_package(TBB QUIET)
bench_require(TBB_FOUND "oneTBB" libtbb-dev)
find_path(UV_INCLUDE_DIR uv.h)
find_library(UV_LIBRARY uv)
bench_require(UV_LIBRARY "libuv" libuv1-dev)
bench_require(UV_INCLUDE_DIR "uv.h" libuv1-dev)

add_library(bench-libasio INTERFACE)
target_include_directories(bench-libasio SYSTEM INTERFACE ${ASIO_INCLUDE_DIR})
target_compile_definitions(bench-libasio INTERFACE ASIO_STANDALONE ASIO_NO_DEPRECATED)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # Asio doesn't see that clang has coroutines with this standard library.
  target_compile_definitions(bench-libasio INTERFACE ASIO_HAS_CO_AWAIT ASIO_HAS_STD_COROUTINE)
endif()
target_link_libraries(bench-libasio INTERFACE Threads::Threads)
add_library(bench-libuv-library INTERFACE)
target_include_directories(bench-libuv-library SYSTEM INTERFACE ${UV_INCLUDE_DIR})
target_link_libraries(bench-libuv-library INTERFACE ${UV_LIBRARY} Threads::Threads)

set(fiber peers/fiber/version.cpp peers/fiber/flows.cpp peers/fiber/switches.cpp
  peers/fiber/timers.cpp peers/fiber/locks.cpp peers/fiber/threads.cpp)
bench_subject(fiber SOURCES ${fiber} LIBRARIES Boost::fiber
  DEFINITIONS FIBER_STACK=pooled_fixedsize_stack)
bench_subject(fiber-protected SOURCES ${fiber} LIBRARIES Boost::fiber
  DEFINITIONS FIBER_STACK=protected_fixedsize_stack)
bench_subject(fiber-unlocked LIBRARIES Boost::fiber
  SOURCES peers/fiber/version.cpp peers/fiber/switches.cpp
  DEFINITIONS FIBER_STACK=pooled_fixedsize_stack FIBER_UNLOCKED)
bench_subject(context SOURCES peers/context.cpp LIBRARIES Boost::context)
# One thread needs none of Asio's locks and atomics, and a few more blocks for coroutines to recycle.
set(tuned ASIO_DISABLE_THREADS ASIO_RECYCLING_ALLOCATOR_CACHE_SIZE=4)
bench_subject(asio LIBRARIES bench-libasio DEFINITIONS ${tuned}
  SOURCES peers/asio/version.cpp peers/asio/flows.cpp peers/asio/switches.cpp
          peers/asio/timers.cpp peers/asio/locks.cpp peers/asio/echo_operators.cpp)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # g++ 12 sees the exceptions of Asio's operators used before they are made.
  set_source_files_properties(peers/asio/echo_operators.cpp PROPERTIES
    COMPILE_OPTIONS -Wno-maybe-uninitialized)
endif()
bench_subject(asio-timer LIBRARIES bench-libasio DEFINITIONS ${tuned}
  SOURCES peers/asio/version.cpp peers/asio/echo_timer.cpp)
bench_subject(asio-watchdog LIBRARIES bench-libasio DEFINITIONS ${tuned}
  SOURCES peers/asio/version.cpp peers/asio/echo_watchdog.cpp)
bench_subject(asio-inline LIBRARIES bench-libasio DEFINITIONS ${tuned} ASIO_INLINE
  SOURCES peers/asio/version.cpp peers/asio/switches.cpp)
bench_subject(asio-threads LIBRARIES bench-libasio
  SOURCES peers/asio/version.cpp peers/asio/threads.cpp)
bench_subject(tbb SOURCES peers/tbb.cpp LIBRARIES TBB::tbb)
bench_subject(libuv SOURCES peers/libuv.cpp LIBRARIES bench-libuv-library)
bench_subject(coroutine SOURCES peers/coroutine/flows.cpp)
bench_subject(coroutine-pool SOURCES peers/coroutine/flows.cpp DEFINITIONS COROUTINE_POOL)

# What needs a peer's library itself is compiled as the peer's programs are.
target_sources(bench-steptree PRIVATE bridge/tcp_echo.cpp)
target_link_libraries(bench-steptree PRIVATE bench-libasio)
set_source_files_properties(bridge/tcp_echo.cpp PROPERTIES COMPILE_DEFINITIONS "${tuned}")
