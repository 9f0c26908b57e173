// What the fuzz targets of picture formats share.
#pragma once

#include "systolic/base/error.h"
#include "systolic/base/log.h"
#include "systolic/image/decode.h"
#include "tests/fuzz/fuzz.h"

namespace systolic::fuzz {

// Runs a decoder, which may give a picture, a DataError or, where bytes turn
// out to be of a format without these channels, a ValueError. Pictures are
// small, so that time goes into finding others; nothing is logged.
template <class F>
void decode(const F& f) {
  static const bool once = [] {
    image::set_decode_limit(int64_t{1} << 22);
    set_log_sink([](LogLevel, std::string_view) {});
    return true;
  }();
  require(once);
  try {
    f();
  } catch (const DataError&) {
  } catch (const ValueError&) {
  }
}

}  // namespace systolic::fuzz
