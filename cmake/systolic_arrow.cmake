# systolic_arrow: the shared object that links Apache Arrow, where Arrow is
# found: what scripts/install-arrow put into SYSTOLIC_ARROW_ROOT, else what the
# system has.
if(DEFINED ENV{XDG_DATA_HOME})
  set(arrow_root "$ENV{XDG_DATA_HOME}/systolic/arrow")
else()
  set(arrow_root "$ENV{HOME}/.local/share/systolic/arrow")
endif()
set(SYSTOLIC_ARROW_ROOT "${arrow_root}" CACHE PATH
    "Folder with Arrow's include/ and lib/")
find_path(SYSTOLIC_ARROW_INCLUDE_DIR arrow/filesystem/s3fs.h
          HINTS "${SYSTOLIC_ARROW_ROOT}/include")
set(arrow_libraries "")
foreach(name IN ITEMS arrow parquet arrow_s3)
  find_library(SYSTOLIC_${name}_LIBRARY ${name} HINTS "${SYSTOLIC_ARROW_ROOT}/lib")
  mark_as_advanced(SYSTOLIC_${name}_LIBRARY)
  # Older versions have the client of S3 in libarrow.
  if(SYSTOLIC_${name}_LIBRARY)
    list(APPEND arrow_libraries "${SYSTOLIC_${name}_LIBRARY}")
  endif()
endforeach()
mark_as_advanced(SYSTOLIC_ARROW_INCLUDE_DIR)
if(NOT SYSTOLIC_ARROW_INCLUDE_DIR OR NOT SYSTOLIC_arrow_LIBRARY
   OR NOT SYSTOLIC_parquet_LIBRARY)
  message(STATUS "No s3://, abfs://, hdfs:// and no Parquet: Apache Arrow is "
                 "not installed (scripts/install-arrow)")
  return()
endif()

add_library(systolic_arrow SHARED ${arrow_SOURCES})
target_include_directories(systolic_arrow PRIVATE "${SYSTOLIC_GENERATED_DIR}")
target_include_directories(systolic_arrow SYSTEM
                           PRIVATE "${SYSTOLIC_ARROW_INCLUDE_DIR}")
target_link_libraries(systolic_arrow PRIVATE systolic systolic_options
                                             ${arrow_libraries})
# It keeps its own copy of the little it uses of the library to itself.
target_link_options(systolic_arrow PRIVATE -Wl,--exclude-libs,ALL)
get_filename_component(arrow_folder "${SYSTOLIC_arrow_LIBRARY}" DIRECTORY)
set_target_properties(
  systolic_arrow
  PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib"
             BUILD_RPATH "${arrow_folder}" INSTALL_RPATH "${arrow_folder}")
