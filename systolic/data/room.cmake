# Packed blocks of elements.
target_link_libraries(systolic PRIVATE ZLIB::ZLIB)
