# Packed files.
target_link_libraries(systolic PRIVATE ZLIB::ZLIB)
