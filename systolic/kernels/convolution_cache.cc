#include "systolic/kernels/convolution_cache.h"

#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace systolic::internal::kernels {
namespace {

using Key = std::vector<int64_t>;

struct KeyHash {
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
  std::shared_ptr<const Convolution> convolution;
};

struct Cache {
  std::mutex mutex;
  std::list<Entry> entries;  // most recently used first
  std::unordered_map<Key, std::list<Entry>::iterator, KeyHash> index;
};

// Never destroyed: calls may still run while the process exits.
Cache& cache() {
  static auto* cache = new Cache;
  return *cache;
}

}  // namespace

std::shared_ptr<const Convolution> cached_convolution(
    const ConvolutionProblem& problem) {
  Key key = problem.key();
  Cache& c = cache();
  // Held while a convolution is prepared, so that replicas which ask for the
  // same one at the same time get it prepared once.
  std::lock_guard lock(c.mutex);
  if (auto found = c.index.find(key); found != c.index.end()) {
    c.entries.splice(c.entries.begin(), c.entries, found->second);
    return found->second->convolution;
  }
  std::shared_ptr<const Convolution> made = make_convolution(problem);
  if (c.entries.size() >= kConvolutionCacheSize) {
    c.index.erase(c.entries.back().key);
    c.entries.pop_back();
  }
  c.entries.push_front({key, made});
  c.index.emplace(std::move(key), c.entries.begin());
  return made;
}

size_t cached_convolutions() {
  std::lock_guard lock(cache().mutex);
  return cache().entries.size();
}

}  // namespace systolic::internal::kernels
