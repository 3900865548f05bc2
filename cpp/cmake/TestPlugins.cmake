# Plug-ins over the C interface for pluginhost*_test.cpp: the greeter in all languages and by all compilers that are here, in one list,
# and others that are up to no good.
if(NOT STEPTREE_PLUGIN_HOST)
  return()
endif()

function(add_test_plugin name)
  add_library(${name} MODULE ${ARGN})
  target_include_directories(${name} PRIVATE include)
  set_target_properties(${name} PROPERTIES
    PREFIX "" C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>)
  target_link_libraries(${name} PRIVATE Threads::Threads)
  steptree_strict(${name})
  add_dependencies(steptree-tests ${name})
endfunction()

set(greeter examples/plugin-c/greeter)
add_test_plugin(test-greeter-c ${greeter}.c)
add_test_plugin(test-greeter-cpp ${greeter}.cpp)
add_test_plugin(test-greeter-plain ${greeter}.cpp)
target_compile_options(test-greeter-plain PRIVATE -fno-exceptions -fno-rtti)
set(greeters)
foreach(kind c cpp plain)
  list(APPEND greeters $<TARGET_FILE:test-greeter-${kind}>)
endforeach()

# Another compiler than the host's.
find_program(OTHER_CXX NAMES clang++ clang++-14 clang++-15 clang++-16)
if(OTHER_CXX AND NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
  set(other ${CMAKE_CURRENT_BINARY_DIR}/test-greeter-clang.so)
  add_custom_command(OUTPUT ${other}
    COMMAND ${OTHER_CXX} -std=c++17 -O2 -fPIC -shared -fvisibility=hidden -I${CMAKE_CURRENT_SOURCE_DIR}/include
            ${CMAKE_CURRENT_SOURCE_DIR}/${greeter}.cpp -o ${other}
    DEPENDS ${greeter}.cpp include/steptree/plugin.hpp include/steptree/steptree.h VERBATIM)
  add_custom_target(test-greeter-clang DEPENDS ${other})
  add_dependencies(steptree-tests test-greeter-clang)
  list(APPEND greeters ${other})
endif()

# All of plugin.hpp.
add_test_plugin(test-rich test/pluginhost/rich.cpp)
add_test_plugin(test-rich-refused test/pluginhost/rich.cpp)
target_compile_definitions(test-rich-refused PRIVATE DOES_NOT_START)
set(rich $<TARGET_FILE:test-rich>)

# And in Rust: the greeter, and all of the crate.
find_program(CARGO cargo)
if(CARGO)
  set(rust ${PROJECT_SOURCE_DIR}/rust)
  set(crate ${CMAKE_CURRENT_BINARY_DIR}/rust)
  file(GLOB crates CONFIGURE_DEPENDS ${rust}/*.toml ${rust}/*/Cargo.toml ${rust}/*/src/*.rs)
  add_custom_command(OUTPUT ${crate}/release/libgreeter.so ${crate}/release/librich.so
    COMMAND ${CARGO} build --release --locked --offline --quiet --manifest-path ${rust}/Cargo.toml --target-dir ${crate}
    DEPENDS ${crates} COMMENT "Plug-ins in Rust" VERBATIM)
  add_custom_target(test-rust DEPENDS ${crate}/release/libgreeter.so ${crate}/release/librich.so)
  add_dependencies(steptree-tests test-rust)
  list(APPEND greeters ${crate}/release/libgreeter.so)
  list(APPEND rich ${crate}/release/librich.so)
else()
  message(STATUS "cargo not found: tests of plug-ins leave out those in Rust")
endif()

# What a plug-in says of itself, and is refused for.
add_test_plugin(test-odd test/pluginhost/odd.c)
set(refused)
foreach(fault OF_ANOTHER_ABI SAYS_NOTHING IS_SHORT HAS_NO_NAME HAS_ONE_TWICE TAKES_TOO_MANY HAS_NO_BODY DOES_NOT_START)
  string(TOLOWER test-${fault} target)
  add_test_plugin(${target} test/pluginhost/odd.c)
  target_compile_definitions(${target} PRIVATE ${fault})
  list(APPEND refused $<TARGET_FILE:${target}>)
endforeach()
# What calls services of its host, and offers some.
add_test_plugin(test-caller test/pluginhost/caller.c)
add_test_plugin(test-caller-refused test/pluginhost/caller.c)
target_compile_definitions(test-caller-refused PRIVATE DOES_NOT_START)
add_test_plugin(test-throwing test/pluginhost/throwing.cpp)
add_test_plugin(test-waiting test/pluginhost/waiting.cpp)
# What is loaded by another plug-in, and takes its time.
add_test_plugin(test-loader test/pluginhost/loader.c)
add_test_plugin(test-slow test/pluginhost/slow.c)
# The library is in it, and none of that can be seen.
add_test_plugin(test-owncopy test/pluginhost/owncopy.cpp)
target_link_libraries(test-owncopy PRIVATE steptree)
if(NOT APPLE)
  target_link_options(test-owncopy PRIVATE -Wl,--exclude-libs,ALL)
endif()

file(GLOB host_tests CONFIGURE_DEPENDS test/pluginhost*_test.cpp)
list(JOIN greeters : greeters)
list(JOIN refused : refused)
list(JOIN rich : rich)
set_source_files_properties(${host_tests} PROPERTIES COMPILE_DEFINITIONS
  "STEPTREE_TEST_GREETERS=\"${greeters}\";STEPTREE_TEST_REFUSED=\"${refused}\";STEPTREE_TEST_ODD=\"$<TARGET_FILE:test-odd>\";\
STEPTREE_TEST_THROWING=\"$<TARGET_FILE:test-throwing>\";STEPTREE_TEST_OWNCOPY=\"$<TARGET_FILE:test-owncopy>\";\
STEPTREE_TEST_CALLER=\"$<TARGET_FILE:test-caller>\";STEPTREE_TEST_CALLER_REFUSED=\"$<TARGET_FILE:test-caller-refused>\";\
STEPTREE_TEST_RICH=\"${rich}\";STEPTREE_TEST_RICH_REFUSED=\"$<TARGET_FILE:test-rich-refused>\";\
STEPTREE_TEST_WAITING=\"$<TARGET_FILE:test-waiting>\";\
STEPTREE_TEST_LOADER=\"$<TARGET_FILE:test-loader>\";STEPTREE_TEST_SLOW=\"$<TARGET_FILE:test-slow>\"")

# A host in C loads two of them.
add_dependencies(steptree-c-tests test-greeter-c test-caller)
target_compile_definitions(steptree-c-tests PRIVATE
  "TEST_GREETER=\"$<TARGET_FILE:test-greeter-c>\"" "TEST_CALLER=\"$<TARGET_FILE:test-caller>\"")
