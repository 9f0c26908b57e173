// Reading 16 files of gs:// whose service answers after 50 ms, beside what the
// link gives: the same bytes with one request a file.
#include <benchmark/benchmark.h>

#include <thread>

#include "systolic/io/file_system.h"
#include "systolic/io/http_client.h"
#include "systolic/io/test_credentials.h"
#include "systolic/io/test_files.h"
#include "systolic/testing/http_server.h"

namespace systolic::io {
namespace {

using testing::HttpServer;

constexpr int kFiles = 16;
constexpr size_t kSize = size_t{32} << 20;
constexpr double kLatency = 0.05;
// Of one read, as readers of records ask for.
constexpr size_t kPart = size_t{256} << 10;

class Service {
 public:
  Service() : bytes_(detail::test_bytes(kSize)) {}

  std::string object_url() const {
    return server_.url("/download/storage/v1/b/b/o/f?alt=media");
  }

 private:
  const std::string bytes_;
  const HttpServer server_{[this](const HttpServer::Request& request) {
    HttpServer::Reply reply = testing::file_reply(request, bytes_);
    reply.headers.emplace_back("X-Goog-Generation", "1");
    reply.delay = kLatency;
    return reply;
  }};
  const detail::GcsGuard guard_{server_.url()};
};

// Runs `read` for all files at once and reports the bytes.
template <class F>
void read_all(benchmark::State& state, F read) {
  for (auto _ : state) {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kFiles; ++i) threads.emplace_back(read);
  }
  state.SetBytesProcessed(state.iterations() * kFiles *
                          static_cast<int64_t>(kSize));
}

void link(benchmark::State& state) {
  const Service service;
  read_all(state, [&] {
    const auto answer =
        detail::send({.url = service.object_url()}, {.path = "gs://b/f"});
    if (answer.body.size() != kSize) state.SkipWithError("bytes are missing");
  });
}
BENCHMARK(link)->UseRealTime()->Unit(benchmark::kMillisecond);

void files(benchmark::State& state) {
  const Service service;
  read_all(state, [&] {
    const auto file = open_file("gs://b/f");
    std::vector<std::byte> part(kPart);
    int64_t offset = 0;
    while (const size_t got = file->read_at(offset, part)) {
      offset += static_cast<int64_t>(got);
    }
    if (offset != file->size()) state.SkipWithError("bytes are missing");
  });
}
BENCHMARK(files)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace systolic::io
