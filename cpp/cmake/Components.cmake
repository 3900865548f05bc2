# Components: libraries of their own, which the core doesn't need. Each file of `components` makes the one that it is named after, and says
# what that needs; what shares, installs and finds them reads these lists.
#
#   steptree_components    all that there are
#   steptree_libraries     what is built here: the core, and the libraries of components
#   steptree_needs_NAME    what a component needs beside the core, in the words for whoever lacks it
#   steptree_links_NAME    files of the libraries inside of it, with which whoever links it statically links, too

# What the option of a component says where something of its needs is missing: AUTO leaves it out, ON fails.
function(steptree_lacks component)
  string(TOUPPER ${component} option)
  if(STEPTREE_BUILD_${option} STREQUAL AUTO)
    message(STATUS "steptree::${component} is left out: it needs ${steptree_needs_${component}}")
  else()
    message(FATAL_ERROR "steptree::${component} can't be built: it needs ${steptree_needs_${component}}; "
      "-DSTEPTREE_BUILD_${option}=OFF leaves it out")
  endif()
endfunction()

function(steptree_component name) # source...
  set(target steptree-${name})
  add_library(${target} ${ARGN})
  add_library(steptree::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  steptree_library(${target})
  target_link_libraries(${target} PUBLIC steptree)
  steptree_strict(${target})
  steptree_unity(${target})
  set(steptree_libraries ${steptree_libraries} ${target} PARENT_SCOPE)
endfunction()

set(steptree_components "")
set(steptree_libraries steptree)
file(GLOB component_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cmake/components/*.cmake)
foreach(file ${component_files})
  get_filename_component(component ${file} NAME_WE)
  list(APPEND steptree_components ${component})
  include(${file})
endforeach()
