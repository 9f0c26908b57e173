# Unpacking, checking and, where libcurl is installed, fetching of data sets.
target_link_libraries(systolic PRIVATE ZLIB::ZLIB)
if(CURL_FOUND)
  target_link_libraries(systolic PRIVATE CURL::libcurl)
  target_compile_definitions(systolic PRIVATE SYSTOLIC_HAVE_CURL=1)
endif()
