# Loops over elements: the compiler makes vector instructions of them at -O3
# only.
set_source_files_properties(
  "${CMAKE_CURRENT_SOURCE_DIR}/array/cast.cc"
  "${CMAKE_CURRENT_SOURCE_DIR}/array/elementwise.cc"
  PROPERTIES COMPILE_OPTIONS $<$<NOT:$<CONFIG:Debug>>:-O3>)
