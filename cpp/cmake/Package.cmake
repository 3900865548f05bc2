# What `cmake --install` installs, in three components: `runtime`, `development`, `documentation`.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/steptree)

function(steptree_install export) # target...
  install(TARGETS ${ARGN} EXPORT ${export}
    LIBRARY COMPONENT runtime NAMELINK_COMPONENT development
    RUNTIME COMPONENT runtime
    ARCHIVE COMPONENT development)
  install(EXPORT ${export} NAMESPACE steptree:: DESTINATION ${package_dir}
    FILE ${export}Targets.cmake COMPONENT development)
endfunction()

steptree_install(steptree ${steptree_libraries})
steptree_install(steptreeInterface steptree-interface)
if(STEPTREE_BUILD_BOTH)
  steptree_install(steptreeShared ${shared_libraries})
endif()

install(DIRECTORY include/steptree DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
set(needs "")
foreach(component ${steptree_components})
  string(APPEND needs "set(steptree_needs_${component} [[${steptree_needs_${component}}]])\n")
endforeach()
configure_package_config_file(cmake/steptreeConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/steptreeConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/steptreeConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/steptreeConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/steptreeConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT development)

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md
              ${PROJECT_SOURCE_DIR}/CHANGELOG.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation)
# What comments of the headers refer to.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/spec
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation
        FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.json" PATTERN model EXCLUDE)

# For those who don't use CMake. Wherever the package is moved, the prefix is found from the file's place.
file(RELATIVE_PATH to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
foreach(library ${steptree_libraries})
  string(REGEX REPLACE "^steptree-" "" name ${library})
  set(fields "")
  if(NOT library STREQUAL steptree)
    string(APPEND fields "Requires: steptree = ${PROJECT_VERSION}\n")
  endif()
  set(needs "")
  foreach(file ${steptree_links_${name}})
    get_filename_component(file ${file} NAME_WE)
    string(REGEX REPLACE "^lib" " -l" file ${file})
    string(APPEND needs ${file})
  endforeach()
  if(needs AND (STEPTREE_BUILD_BOTH OR BUILD_SHARED_LIBS)) # A shared library finds them itself.
    string(APPEND fields "Libs.private:${needs}\n")
    set(needs "")
  endif()
  configure_file(cmake/steptree.pc.in ${CMAKE_CURRENT_BINARY_DIR}/${library}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${library}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endforeach()

if(UNIX AND NOT APPLE)
  include(Debian)
endif()
