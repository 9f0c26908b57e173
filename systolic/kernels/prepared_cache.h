// Prepared primitives, kept because preparing one generates machine code, which
// takes up to milliseconds.
//   auto prepared = cache.get(key, [&] { return make_convolution(problem); });
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace systolic::internal::kernels {

/// At most `capacity` of them; the one that was used least recently goes first.
/// Callable from several threads at once.
template <class Prepared>
class PreparedCache {
 public:
  /// All that a prepared primitive depends on, as numbers.
  using Key = std::vector<int64_t>;

  explicit PreparedCache(size_t capacity) : capacity_(capacity) {}

  /// Returns what is kept for `key`, or what make() returns where there is
  /// none. Throws what make() throws.
  template <class Make>
  std::shared_ptr<const Prepared> get(Key key, const Make& make) {
    // Held while one is prepared, so that replicas which ask for the same one
    // at the same time get it prepared once.
    std::lock_guard lock(mutex_);
    if (auto found = index_.find(key); found != index_.end()) {
      entries_.splice(entries_.begin(), entries_, found->second);
      return found->second->prepared;
    }
    std::shared_ptr<const Prepared> made = make();
    if (entries_.size() >= capacity_) {
      index_.erase(entries_.back().key);
      entries_.pop_back();
    }
    entries_.push_front({key, made});
    index_.emplace(std::move(key), entries_.begin());
    return made;
  }

  /// Returns how many are kept at the moment.
  size_t size() {
    std::lock_guard lock(mutex_);
    return entries_.size();
  }

 private:
  struct Hash {
    size_t operator()(const Key& key) const {
      uint64_t hash = 0xcbf29ce484222325;
      for (int64_t value : key) {
        hash = (hash ^ static_cast<uint64_t>(value)) * 0x100000001b3;
        hash ^= hash >> 29;
      }
      return hash;
    }
  };

  struct Entry {
    Key key;
    std::shared_ptr<const Prepared> prepared;
  };

  const size_t capacity_;
  std::mutex mutex_;
  std::list<Entry> entries_;  // most recently used first
  std::unordered_map<Key, typename std::list<Entry>::iterator, Hash> index_;
};

}  // namespace systolic::internal::kernels
