# Reading over the network, where libcurl is installed.
if(CURL_FOUND)
  target_link_libraries(systolic PRIVATE CURL::libcurl)
  target_compile_definitions(systolic PRIVATE SYSTOLIC_HAVE_CURL=1)
endif()
# Signing with a service account's key is OpenSSL's.
target_link_libraries(systolic PRIVATE OpenSSL::Crypto)
