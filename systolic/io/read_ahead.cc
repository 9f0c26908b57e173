#include "systolic/io/read_ahead.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "systolic/array/allocation.h"
#include "systolic/base/message.h"
#include "systolic/base/thread_pool.h"
#include "systolic/io/block_cache.h"
#include "systolic/io/storage_options.h"

namespace systolic::io::detail {
namespace {

// Requests of the whole process that are under way at once: the threads wait
// for the network nearly all of the time.
constexpr int kThreads = 32;
// Blocks that are kept beside those ahead of the reader.
constexpr int64_t kSpareBlocks = 2;

// The threads, and what tells all files that the program ends: it does not
// wait for a service that stalls.
struct Threads {
  std::stop_source ending;
  ThreadPool pool{kThreads};

  Threads() = default;
  ~Threads() { ending.request_stop(); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
};

Threads& threads() {
  // What is made later ends earlier: OpenSSL, which requests and checksums need
  // to their end, has to be there before the threads are.
  static const int openssl =
      OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CRYPTO_STRINGS, nullptr);
  static Threads all;
  (void)openssl;
  return all;
}

struct Block {
  int64_t index = 0;
  bool ready = false;
  std::shared_ptr<std::byte> bytes;
  size_t size = 0;
  std::exception_ptr error;
};

// What the file and the requests under way share.
class Blocks : public std::enable_shared_from_this<Blocks> {
 public:
  Blocks(std::shared_ptr<RangeSource> source, const ReadOptions& options,
         const std::string& first)
      : source_(std::move(source)),
        block_size_(std::min(*options.block_size, kMostBlockSize)),
        // "All of it" may be said by a number of which no sum exists.
        most_ahead_(std::min(*options.read_ahead / block_size_ +
                                 (*options.read_ahead % block_size_ != 0),
                             source_->size() / block_size_ + 1)),
        most_running_(*options.parallel_requests),
        ahead_(most_ahead_),
        on_stop_(options.stop, [this] { stop(); }),
        on_end_(threads().ending.get_token(), [this] { stop(); }) {
    const int64_t whole = std::min(block_size_, source_->size());
    if (!first.empty() && static_cast<int64_t>(first.size()) >= whole) {
      auto block = std::make_shared<Block>();
      block->ready = true;
      block->size = static_cast<size_t>(whole);
      block->bytes = internal::allocate_elements(block->size);
      std::memcpy(block->bytes.get(), first.data(), block->size);
      blocks_[0] = std::move(block);
    }
  }

  const RangeSource& source() const { return *source_; }

  void stop() {
    stop_.request_stop();
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  }

  size_t read_at(int64_t offset, std::span<std::byte> out) {
    const int64_t left = source_->size() - offset;
    if (offset < 0 || left <= 0 || out.empty()) return 0;
    out = out.first(
        static_cast<size_t>(std::min(left, static_cast<int64_t>(out.size()))));
    const int64_t end = offset + static_cast<int64_t>(out.size());
    const int64_t first = offset / block_size_;
    const int64_t last = (end - 1) / block_size_;
    std::vector<std::shared_ptr<Block>> wanted;
    {
      std::unique_lock lock(mutex_);
      // A little is left out by readers that skip records.
      const bool forward = offset >= next_ && offset <= next_ + block_size_;
      next_ = end;
      if (!forward) ahead_ = 0;
      if (!forward && last - first < 2 && !blocks_.contains(first)) {
        lock.unlock();
        source_->fetch(offset, out, stop_.get_token());
        return out.size();
      }
      if (forward) {
        ahead_ = std::min(std::max<int64_t>(ahead_ * 2, 1), most_ahead_);
      }
      for (int64_t i = first; i <= last; ++i) wanted.push_back(ask_for(i));
      const int64_t blocks = (source_->size() - 1) / block_size_;
      for (int64_t i = last + 1; i <= std::min(last + ahead_, blocks); ++i) {
        ask_for(i);
      }
      start_requests();
    }
    for (const std::shared_ptr<Block>& block : wanted) {
      copy_out(*block, offset, out);
    }
    forget_before(first);
    return out.size();
  }

 private:
  // The block, queued if it was not there. Under the lock.
  std::shared_ptr<Block> ask_for(int64_t index) {
    std::shared_ptr<Block>& block = blocks_[index];
    if (block == nullptr) {
      block = std::make_shared<Block>();
      block->index = index;
      queue_.push_back(block);
    }
    return block;
  }

  // Gives queued blocks to threads. Under the lock.
  void start_requests() {
    while (running_ < most_running_ && !queue_.empty()) {
      ++running_;
      threads().pool.schedule(
          [self = shared_from_this(), block = std::move(queue_.front())] {
            self->fetch(*block);
          });
      queue_.pop_front();
    }
  }

  void fetch(Block& block) {
    const int64_t offset = block.index * block_size_;
    const auto size =
        static_cast<size_t>(std::min(block_size_, source_->size() - offset));
    std::shared_ptr<std::byte> bytes;
    std::exception_ptr error;
    try {
      bytes = internal::allocate_elements(size);
      fetch_through_cache(*source_, offset, {bytes.get(), size},
                          stop_.get_token());
    } catch (...) {
      error = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    block.bytes = std::move(bytes);
    block.size = size;
    block.error = error;
    block.ready = true;
    // The next reader of it tries again.
    if (error != nullptr) blocks_.erase(block.index);
    --running_;
    if (!stop_.stop_requested()) start_requests();
    changed_.notify_all();
  }

  // Waits for the block and copies its part of the bytes from `offset` on.
  void copy_out(const Block& block, int64_t offset, std::span<std::byte> out) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return block.ready || stop_.stop_requested(); });
    if (!block.ready) {
      internal::Message("read_at")
          .rule("the reading was stopped")
          .detail("path", source_->path())
          .raise<StorageError>();
    }
    if (block.error != nullptr) std::rethrow_exception(block.error);
    lock.unlock();
    const int64_t begin = block.index * block_size_;
    const int64_t from = std::max(offset, begin);
    const int64_t to = std::min(offset + static_cast<int64_t>(out.size()),
                                begin + static_cast<int64_t>(block.size));
    std::memcpy(out.data() + (from - offset),
                block.bytes.get() + (from - begin),
                static_cast<size_t>(to - from));
  }

  // Forgets blocks behind the reader, and the first ones where there are more
  // than several readers of one file need.
  void forget_before(int64_t first) {
    const std::lock_guard lock(mutex_);
    const auto most = static_cast<size_t>(most_ahead_ + kSpareBlocks);
    for (auto at = blocks_.begin(); at != blocks_.end();) {
      const bool behind = at->first < first;
      const bool excess = blocks_.size() > most && at->first != first;
      at = at->second->ready && (behind || excess) ? blocks_.erase(at)
                                                   : std::next(at);
    }
  }

  const std::shared_ptr<RangeSource> source_;
  const int64_t block_size_;
  const int64_t most_ahead_;
  const int64_t most_running_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::stop_source stop_;
  std::map<int64_t, std::shared_ptr<Block>> blocks_;
  std::deque<std::shared_ptr<Block>> queue_;
  int64_t running_ = 0;
  int64_t next_ = 0;  // where a reader that goes forward reads next
  // Blocks to fetch ahead: all of them from the begin of the file on; behind a
  // jump none, then more with each read that goes forward.
  int64_t ahead_;
  std::stop_callback<std::function<void()>> on_stop_;
  std::stop_callback<std::function<void()>> on_end_;
};

class ReadAheadFile final : public RandomAccessFile {
 public:
  explicit ReadAheadFile(std::shared_ptr<Blocks> blocks)
      : blocks_(std::move(blocks)) {}
  // Requests under way end soon, with nobody to wait for them.
  ~ReadAheadFile() override { blocks_->stop(); }

  size_t read_at(int64_t offset, std::span<std::byte> out) override {
    return blocks_->read_at(offset, out);
  }
  int64_t size() const override { return blocks_->source().size(); }
  const std::string& path() const override { return blocks_->source().path(); }

 private:
  const std::shared_ptr<Blocks> blocks_;
};

void require_at_least(const char* option, int64_t least, int64_t got) {
  if (got >= least) return;
  internal::Message("open_file")
      .expected(option, " of at least ", least)
      .got(got)
      .raise<ValueError>();
}

}  // namespace

ReadOptions with_defaults(ReadOptions options) {
  const StorageOptions all = storage_options();
  if (!options.read_ahead) options.read_ahead = all.read_ahead;
  if (!options.block_size) options.block_size = all.block_size;
  if (!options.parallel_requests) {
    options.parallel_requests = all.parallel_requests;
  }
  return options;
}

std::unique_ptr<RandomAccessFile> read_ahead(
    std::shared_ptr<RangeSource> source, const ReadOptions& options,
    const std::string& first) {
  const ReadOptions whole = with_defaults(options);
  require_at_least("read_ahead", 0, *whole.read_ahead);
  require_at_least("block_size", 1, *whole.block_size);
  require_at_least("parallel_requests", 1, *whole.parallel_requests);
  return std::make_unique<ReadAheadFile>(
      std::make_shared<Blocks>(std::move(source), whole, first));
}

}  // namespace systolic::io::detail
