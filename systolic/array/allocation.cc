#include "systolic/array/allocation.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <new>

#include "systolic/base/free_memory.h"

namespace systolic::internal {
namespace {

// A cache line, and what a device needs to use the memory in place.
constexpr std::align_val_t kAlignment{64};

// AddressSanitizer can tell a use of memory that was freed only if it is.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kKeeps = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kKeeps = false;
#else
constexpr bool kKeeps = true;
#endif
#else
constexpr bool kKeeps = true;
#endif

struct Block {
  std::byte* memory = nullptr;
  size_t bytes = 0;
};

Block make_block(size_t bytes) {
  return {static_cast<std::byte*>(::operator new(bytes, kAlignment)), bytes};
}

void free_block(const Block& block) {
  ::operator delete(block.memory, kAlignment);
}

// Rounded up to an eighth of a power of two, so that sizes that differ little
// share their blocks: pictures do not have all the same size.
size_t block_size(size_t bytes) {
  const size_t step = std::bit_floor(bytes) / 8;
  return (bytes + step - 1) / step * step;
}

constexpr size_t kLeastLimit = size_t{128} << 20;
constexpr size_t kMostLimit = size_t{1} << 30;

// The blocks that wait for another use. Safe from any number of threads.
class KeptBlocks {
 public:
  // The one that came last of this size, since the processor's cache may hold
  // it; without one, no memory.
  Block take(size_t bytes) {
    std::lock_guard lock(mutex_);
    const auto behind = blocks_.upper_bound(bytes);
    if (behind == blocks_.begin()) return {};
    const auto last = std::prev(behind);
    return last->first == bytes ? take_out(last) : Block();
  }

  // Throws std::bad_alloc, and keeps nothing then.
  void add(const Block& block) {
    std::unique_lock lock(mutex_);
    blocks_.emplace(block.bytes, Kept{block.memory, added_++});
    bytes_ += block.bytes;
    while (bytes_ > most_kept_memory()) {
      const Block oldest = take_out(find_oldest());
      lock.unlock();  // the system takes its time
      free_block(oldest);
      lock.lock();
    }
  }

  void release() {
    Blocks blocks;
    {
      std::lock_guard lock(mutex_);
      blocks.swap(blocks_);
      bytes_ = 0;
    }
    for (const auto& [bytes, kept] : blocks) free_block({kept.memory, bytes});
  }

  // Around a fork(), whose child has no other threads to end what they began.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

  size_t bytes() {
    std::lock_guard lock(mutex_);
    return bytes_;
  }

 private:
  struct Kept {
    std::byte* memory = nullptr;
    uint64_t added = 0;  // how many came before
  };
  // By their size; those of one in the order in which they came.
  using Blocks = std::multimap<size_t, Kept>;

  Block take_out(Blocks::iterator at) {
    const Block block{at->second.memory, at->first};
    blocks_.erase(at);
    bytes_ -= block.bytes;
    return block;
  }

  Blocks::iterator find_oldest() {
    auto oldest = blocks_.begin();
    // The first of each size is its oldest.
    for (auto at = oldest; at != blocks_.end();
         at = blocks_.upper_bound(at->first)) {
      if (at->second.added < oldest->second.added) oldest = at;
    }
    return oldest;
  }

  std::mutex mutex_;
  Blocks blocks_;  // guarded, as what follows
  size_t bytes_ = 0;
  uint64_t added_ = 0;
};

// glibc keeps more of what is freed once it saw a large block come back. Those
// that wait here do not, and what pipelines make of strings would be mapped
// and cleared anew.
void teach_malloc() {
  constexpr size_t kLarge = 8 << 20;
  free_block(make_block(kLarge));
}

// Lives as long as the process: Arrays of static objects end after it would.
KeptBlocks& kept_blocks() {
  static auto* blocks = [] {
    teach_malloc();
    pthread_atfork([] { kept_blocks().lock(); }, [] { kept_blocks().unlock(); },
                   [] { kept_blocks().unlock(); });
    return new KeptBlocks();
  }();
  return *blocks;
}

// What waits is given back before there is said to be no memory.
Block make_in_any_case(size_t bytes) {
  try {
    return make_block(bytes);
  } catch (const std::bad_alloc&) {
    kept_blocks().release();
    return make_block(bytes);
  }
}

void give_back(const Block& block) noexcept {
  try {
    kept_blocks().add(block);
  } catch (const std::bad_alloc&) {
    free_block(block);
  }
}

bool is_kept(size_t bytes) {
  return kKeeps && bytes >= kLeastKeptBlock &&
         block_size(bytes) <= most_kept_memory();
}

// Ends a block's use.
struct Free {
  size_t bytes;  // that were asked for

  void operator()(std::byte* memory) const {
    if (is_kept(bytes)) {
      give_back({memory, block_size(bytes)});
    } else {
      free_block({memory, bytes});
    }
  }
};

}  // namespace

std::shared_ptr<std::byte> allocate_elements(size_t bytes) {
  Block block;
  if (is_kept(bytes)) {
    const size_t size = block_size(bytes);
    block = kept_blocks().take(size);
    if (block.memory == nullptr) block = make_in_any_case(size);
  } else {
    block = make_in_any_case(std::max<size_t>(bytes, 1));
  }
  return {block.memory, Free{bytes}};
}

size_t allocated_bytes(const std::shared_ptr<const void>& owner) {
  const Free* const free = std::get_deleter<Free>(owner);
  return free == nullptr ? 0 : free->bytes;
}

size_t most_kept_memory() {
  // No static of the function's: a fork() amid its making would hang the child.
  static std::atomic<size_t> most = 0;
  size_t known = most.load(std::memory_order_relaxed);
  if (known == 0) {
    known = std::clamp(static_cast<size_t>(available_memory()) / 16,
                       kLeastLimit, kMostLimit);
    most.store(known, std::memory_order_relaxed);
  }
  return known;
}

size_t kept_memory() { return kept_blocks().bytes(); }

void release_kept_memory() { kept_blocks().release(); }

}  // namespace systolic::internal
