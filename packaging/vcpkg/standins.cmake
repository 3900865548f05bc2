# vcpkg's functions, as far as the port calls them and as its manual says, for a test without vcpkg: what was configured is told,
# what is installed is that of a build that there is.
cmake_minimum_required(VERSION 3.22)

function(vcpkg_check_features)
  cmake_parse_arguments(arg "" "OUT_FEATURE_OPTIONS" "FEATURES" ${ARGN})
  set(options "")
  while(arg_FEATURES)
    list(POP_FRONT arg_FEATURES feature option)
    if(feature IN_LIST FEATURES)
      list(APPEND options -D${option}=ON)
    else()
      list(APPEND options -D${option}=OFF)
    endif()
  endwhile()
  set(${arg_OUT_FEATURE_OPTIONS} ${options} PARENT_SCOPE)
endfunction()

function(vcpkg_cmake_configure)
  cmake_parse_arguments(arg "" "SOURCE_PATH" "OPTIONS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "vcpkg_cmake_configure: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  file(REAL_PATH ${arg_SOURCE_PATH} source)
  message("source: ${source}")
  message("options: ${arg_OPTIONS}")
endfunction()

function(vcpkg_cmake_install)
  foreach(folder "" /debug)
    execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${CURRENT_PACKAGES_DIR}${folder}
      OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endfunction()

# vcpkg's libraries are below `lib`, whatever the system calls it.
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(arg "" "CONFIG_PATH" "" ${ARGN})
  if(NOT arg_CONFIG_PATH STREQUAL "lib/cmake/${PORT}")
    message(FATAL_ERROR "vcpkg_cmake_config_fixup: ${ARGN}")
  endif()
endfunction()

function(vcpkg_fixup_pkgconfig)
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(arg "" "" "FILE_LIST" ${ARGN})
  file(COPY_FILE ${arg_FILE_LIST} ${CURRENT_PACKAGES_DIR}/share/${PORT}/copyright)
endfunction()

include(${PORTFILE})
