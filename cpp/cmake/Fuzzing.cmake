# The fuzzer of the engine: clang's libFuzzer, which has a runtime of its own.
if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
  message(FATAL_ERROR "The fuzzer needs clang and its runtime (Debian: clang libclang-rt-dev).")
endif()
file(GLOB fuzz_sources CONFIGURE_DEPENDS fuzz/*.cpp)
add_executable(steptree-fuzz ${fuzz_sources} faults/attempt.cpp test/allocations.cpp)
target_include_directories(steptree-fuzz PRIVATE faults test)
target_link_libraries(steptree-fuzz PRIVATE steptree-cases)
target_link_options(steptree-fuzz PRIVATE -fsanitize=fuzzer)
steptree_strict(steptree-fuzz)
# Headers are the most of what is to be compiled here, so each part is read as one file.
set_target_properties(steptree steptree-cases steptree-fuzz
  PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
set_source_files_properties(test/allocations.cpp fuzz/target.cpp src/retry.cpp
  PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
