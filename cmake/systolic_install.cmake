# cmake --install build: the library, its headers, the CPU kernels, the command,
# the package that find_package(systolic) finds, and systolic.pc for pkg-config.
# What users' tests link, systolic::testing, comes along where it is built.
include(CMakePackageConfigHelpers)

set(SYSTOLIC_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/systolic")
install(TARGETS systolic EXPORT systolic_targets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
if(TARGET systolic_kernels_cpu)
  install(TARGETS systolic_kernels_cpu
          LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endif()
if(TARGET systolic_arrow)
  install(TARGETS systolic_arrow LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endif()
if(TARGET systolic_command)
  install(TARGETS systolic_command
          RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/systolic"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING
  PATTERN "*.h"
  PATTERN "test_*.h" EXCLUDE
  PATTERN "arrow" EXCLUDE
  PATTERN "kernels" EXCLUDE)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}")

install(EXPORT systolic_targets NAMESPACE systolic::
        DESTINATION "${SYSTOLIC_PACKAGE_DIR}")
if(TARGET systolic_testing)
  install(TARGETS systolic_testing EXPORT systolic_testing_targets
          ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(EXPORT systolic_testing_targets NAMESPACE systolic::
          DESTINATION "${SYSTOLIC_PACKAGE_DIR}")
endif()
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/systolic-config.cmake.in"
  "${PROJECT_BINARY_DIR}/systolic-config.cmake"
  INSTALL_DESTINATION "${SYSTOLIC_PACKAGE_DIR}")
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/systolic-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/systolic-config.cmake"
              "${PROJECT_BINARY_DIR}/systolic-config-version.cmake"
        DESTINATION "${SYSTOLIC_PACKAGE_DIR}")

# pkg-config: the library is an archive, so its own libraries are named too.
# Paths start from the file, so that --prefix may move the whole.
set(SYSTOLIC_PC_REQUIRES "fmt, zlib, libcrypto, libjpeg, libpng, libwebp, libwebpdemux")
if(CURL_FOUND)
  string(APPEND SYSTOLIC_PC_REQUIRES ", libcurl")
endif()
set(pc_folder "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
file(RELATIVE_PATH SYSTOLIC_PC_UP "/prefix/${pc_folder}" "/prefix")
configure_file("${PROJECT_SOURCE_DIR}/cmake/systolic.pc.in"
               "${PROJECT_BINARY_DIR}/systolic.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/systolic.pc" DESTINATION "${pc_folder}")
