# cmake --install build: the library, its headers, the CPU kernels, the command
# and the package that find_package(systolic) finds.
include(CMakePackageConfigHelpers)

set(SYSTOLIC_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/systolic")
install(TARGETS systolic EXPORT systolic_targets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
if(TARGET systolic_kernels_cpu)
  install(TARGETS systolic_kernels_cpu
          LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
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
  PATTERN "kernels" EXCLUDE)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}")

install(EXPORT systolic_targets NAMESPACE systolic::
        DESTINATION "${SYSTOLIC_PACKAGE_DIR}")
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
