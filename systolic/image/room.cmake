# Pictures are decoded by the libraries that everybody uses.
target_link_libraries(systolic PRIVATE JPEG::JPEG PNG::PNG GIF::GIF webp webpdemux)
