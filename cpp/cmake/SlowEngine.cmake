# The engine without its fast paths (see src/fast.hpp), and the unit tests and cases on it. Only the deep tests run them. What doesn't look
# into the engine is compiled once for both.
add_library(steptree-slow STATIC EXCLUDE_FROM_ALL ${sources})
target_include_directories(steptree-slow PUBLIC include PRIVATE src)
target_compile_features(steptree-slow PUBLIC cxx_std_20)
target_compile_definitions(steptree-slow PRIVATE $<TARGET_PROPERTY:steptree,COMPILE_DEFINITIONS> STEPTREE_FAST="OFF")
target_link_libraries(steptree-slow PUBLIC Threads::Threads)
steptree_strict(steptree-slow)
steptree_unity(steptree-slow)

add_executable(steptree-slow-conformance EXCLUDE_FROM_ALL
  $<TARGET_OBJECTS:steptree-conformance> $<TARGET_OBJECTS:steptree-cases>)
target_link_libraries(steptree-slow-conformance PRIVATE steptree-slow)

# Before the libraries that bring the usual engine along, so that nothing of that is linked.
set(inside test/kind_test.cpp test/loop_test.cpp)
add_executable(steptree-slow-tests EXCLUDE_FROM_ALL
  ${inside} $<FILTER:$<TARGET_OBJECTS:steptree-tests>,EXCLUDE,/\(kind|loop\)_test>)
target_link_libraries(steptree-slow-tests PRIVATE steptree-slow ${test_libraries})
target_include_directories(steptree-slow-tests PRIVATE src test)
target_compile_definitions(steptree-slow-tests PRIVATE $<TARGET_PROPERTY:steptree,COMPILE_DEFINITIONS> STEPTREE_FAST="OFF")
steptree_strict(steptree-slow-tests)
add_dependencies(steptree-slow-tests steptree-tests)

add_test(NAME slow-build
  COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target steptree-slow-tests --target steptree-slow-conformance)
add_test(NAME slow-threads COMMAND steptree-slow-tests [thread])
add_test(NAME slow-unit COMMAND steptree-slow-tests ~[thread])
set_tests_properties(slow-threads slow-unit PROPERTIES FIXTURES_REQUIRED slow)
set_tests_properties(slow-build PROPERTIES FIXTURES_SETUP slow)
set_tests_properties(slow-build slow-threads slow-unit PROPERTIES LABELS slow TIMEOUT 3600)
