# Pictures are decoded by the libraries that everybody uses.
target_link_libraries(systolic PRIVATE JPEG::JPEG PNG::PNG GIF::GIF webp webpdemux)
# Loops over colours: the compiler makes vector instructions of them at -O3
# only.
set_source_files_properties(
  "${CMAKE_CURRENT_SOURCE_DIR}/image/colors.cc"
  "${CMAKE_CURRENT_SOURCE_DIR}/image/resize.cc"
  PROPERTIES COMPILE_OPTIONS $<$<NOT:$<CONFIG:Debug>>:-O3>)
