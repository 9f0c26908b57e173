# SHA-256 is OpenSSL's.
target_link_libraries(systolic PRIVATE OpenSSL::Crypto)
