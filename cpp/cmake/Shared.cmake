# Beside the static libraries shared ones, of the same objects, as packages of a distribution have both. Programs that find the
# package link these, unless they ask for the others: see steptreeConfig.cmake.in.
if(NOT STEPTREE_BUILD_BOTH)
  return()
endif()
if(BUILD_SHARED_LIBS)
  message(FATAL_ERROR "STEPTREE_BUILD_BOTH builds shared libraries beside static ones: without BUILD_SHARED_LIBS")
endif()

set(shared_libraries "")
foreach(library ${steptree_libraries})
  string(REGEX REPLACE "^steptree-" "" name ${library})
  add_library(${library}-shared SHARED $<TARGET_OBJECTS:${library}>)
  steptree_library(${library}-shared)
  set_target_properties(${library}-shared PROPERTIES
    OUTPUT_NAME ${library} EXPORT_NAME ${name} LINKER_LANGUAGE CXX)
  target_compile_features(${library}-shared PUBLIC cxx_std_20)
  target_include_directories(${library}-shared INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${library}-shared PUBLIC Threads::Threads PRIVATE ${CMAKE_DL_LIBS} ${steptree_links_${name}})
  if(NOT library STREQUAL steptree)
    target_link_libraries(${library}-shared PUBLIC steptree-shared)
  endif()
  if(STEPTREE_SANITIZE)
    target_link_options(${library}-shared PUBLIC -fsanitize=${STEPTREE_SANITIZE})
  elseif(NOT APPLE)
    target_link_options(${library}-shared PRIVATE LINKER:-z,defs) # What is missing is found here, and not by a program.
  endif()
  list(APPEND shared_libraries ${library}-shared)
endforeach()
