#include "systolic/runtime/input_note.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace systolic::internal::runtime {
namespace {

struct Notes {
  std::mutex mutex;
  std::vector<const std::function<std::string()>*> live;
  std::string last_words;
};

// Never destroyed: iterators may live as long as the process.
Notes& notes() {
  static Notes* const instance = new Notes;
  return *instance;
}

}  // namespace

InputNote::InputNote(std::function<std::string()> describe)
    : describe_(std::move(describe)) {
  Notes& all = notes();
  std::lock_guard lock(all.mutex);
  all.live.push_back(&describe_);
}

InputNote::~InputNote() {
  Notes& all = notes();
  std::lock_guard lock(all.mutex);
  std::string text = describe_();
  if (!text.empty()) all.last_words = std::move(text);
  all.live.erase(std::find(all.live.begin(), all.live.end(), &describe_));
}

std::string input_note() {
  Notes& all = notes();
  std::lock_guard lock(all.mutex);
  for (auto note = all.live.rbegin(); note != all.live.rend(); ++note) {
    std::string text = (**note)();
    if (!text.empty()) return text;
  }
  return all.last_words;
}

}  // namespace systolic::internal::runtime
