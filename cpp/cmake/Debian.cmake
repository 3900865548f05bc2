# Debian's packages, which `cpack -G DEB` makes of the three components: the libraries under the number of their interface, what
# programs are compiled with, the pages.
if(NOT STEPTREE_BUILD_BOTH OR NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
# CPack asks them only when all has been compiled, and doesn't say who is missed.
find_program(STEPTREE_DPKG_SHLIBDEPS dpkg-shlibdeps)
find_program(STEPTREE_FILE file)
mark_as_advanced(STEPTREE_DPKG_SHLIBDEPS STEPTREE_FILE)
if(NOT STEPTREE_DPKG_SHLIBDEPS OR NOT STEPTREE_FILE)
  message(STATUS "cpack -G DEB will fail: no dpkg-shlibdeps or no file (Debian: dpkg-dev file)")
endif()
get_target_property(abi steptree-shared SOVERSION)
set(runtime libsteptree${abi})
# There is one address. Before a release tools/package/ready.ts says that it is a placeholder.
file(STRINGS ${PROJECT_SOURCE_DIR}/SECURITY.md address REGEX "@" LIMIT_COUNT 1)
string(REGEX REPLACE ".*[*][*]([^*]+@[^*]+)[*][*].*" "\\1" address "${address}")

set(CPACK_PACKAGE_NAME steptree)
set(CPACK_PACKAGE_VENDOR steptree)
set(CPACK_PACKAGE_CONTACT "steptree <${address}>")
set(CPACK_PACKAGE_DESCRIPTION "Limits, deadlines, cancellation and cleanup belong to the steps of a tree,
which runs depth first on an event loop. The same specification is
implemented for JavaScript.")
set(CPACK_COMPONENTS_ALL runtime development documentation)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME ${runtime})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_BINARY_DIR}/debian/triggers)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "AsyncSteps runtime, shared libraries\n${CPACK_PACKAGE_DESCRIPTION}")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libsteptree-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${runtime} (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
if(TARGET steptree-redis) # Whoever links it statically links that.
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libhiredis-dev")
endif()
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "libsteptree-doc, pkg-config, libasio-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "AsyncSteps runtime, headers and static libraries\n${CPACK_PACKAGE_DESCRIPTION}")

set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_NAME libsteptree-doc)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_ARCHITECTURE all)
set(CPACK_COMPONENT_DOCUMENTATION_DESCRIPTION "AsyncSteps runtime, guide and specification\n${CPACK_PACKAGE_DESCRIPTION}")

# What each package of Debian has, and what is installed elsewhere doesn't need.
set(script ${CMAKE_CURRENT_BINARY_DIR}/DebianFiles.cmake)
configure_file(cmake/DebianFiles.cmake.in ${script} @ONLY)
set(CPACK_PRE_BUILD_SCRIPTS ${script})
include(CPack)
