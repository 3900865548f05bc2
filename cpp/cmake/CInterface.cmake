# The component `c`, a library of its own: what exports the C interface, `steptree/steptree.h`. The core doesn't need it. Its
# files have names in common, so each is compiled alone.
file(GLOB c_sources CONFIGURE_DEPENDS cabi/*.cpp)
add_library(steptree-c ${c_sources})
add_library(steptree::c ALIAS steptree-c)
set_target_properties(steptree-c PROPERTIES EXPORT_NAME c)
steptree_library(steptree-c)
target_include_directories(steptree-c PRIVATE src)
target_link_libraries(steptree-c PUBLIC steptree)
steptree_strict(steptree-c)

if(NOT STEPTREE_BUILD_TESTS)
  return()
endif()

# Programs in C: C99 and nothing else, the header alone.
enable_language(C)
function(steptree_c_program target)
  add_executable(${target} ${ARGN})
  target_link_libraries(${target} PRIVATE steptree-c m)
  set_target_properties(${target} PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF LINKER_LANGUAGE CXX)
  steptree_strict(${target})
  target_compile_options(${target} PRIVATE -Wpedantic -Wshadow -Wstrict-prototypes)
endfunction()

file(GLOB c_case_sources CONFIGURE_DEPENDS cabi/conformance/*.c)
steptree_c_program(steptree-c-conformance ${c_case_sources})
file(GLOB c_test_sources CONFIGURE_DEPENDS cabi/test/*.c)
steptree_c_program(steptree-c-tests ${c_test_sources})
add_test(NAME c COMMAND steptree-c-tests)
set_tests_properties(c PROPERTIES LABELS unit)
