// Tested by: systolic/data/origin_scope_test.cc
#include "systolic/base/bytes_place.h"

#include <atomic>

namespace systolic::internal {
namespace {

std::atomic<BytesPlace> who_knows = nullptr;

}  // namespace

void set_bytes_place(BytesPlace place) {
  // Nearly always it is set: a store would take the line from other threads.
  if (who_knows.load(std::memory_order_relaxed) != place) who_knows = place;
}

std::string place_of_bytes(std::string_view bytes) {
  const BytesPlace place = who_knows.load();
  return place == nullptr ? std::string() : place(bytes);
}

}  // namespace systolic::internal
