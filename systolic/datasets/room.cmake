# Unpacking and checking of data sets.
target_link_libraries(systolic PRIVATE ZLIB::ZLIB)
