// Times reading of records of gs:// over a link that answers after 50 ms.
//   storage --serve         runs the emulator behind that link, puts the files
//                           there and prints its address; ends with its input
//   storage ADDRESS         reads the records of all files
//   storage ADDRESS --link  the same bytes by as many range requests at once
//                           as we allow ourselves, with libcurl alone
// Prints one JSON line: microseconds for all files in the best of the passes,
// and the memory that the process took at most.
#include <curl/curl.h>
#include <sys/resource.h>
#include <systolic/systolic.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <mutex>
#include <thread>

#include "systolic/testing/http_server.h"
#include "systolic/testing/temporary_folder.h"
#include "tests/storage/emulator.h"
#include "tests/storage/hand_on.h"

namespace {

using namespace systolic;

constexpr int kFiles = 16;
constexpr int kRecords = 256;  // a file
constexpr size_t kRecordBytes = size_t{32} << 10;
constexpr double kLatency = 0.05;
constexpr int kPasses = 3;
// What io has under way at most.
constexpr int kRequests = 32;
constexpr size_t kRequestBytes = size_t{1} << 20;

std::string name_of(int file) { return "f" + std::to_string(file) + ".tfrec"; }

void use_service(const std::string& address) {
  setenv("STORAGE_EMULATOR_HOST", address.c_str(), 1);
  io::set_google_credentials(io::GoogleCredentials::anonymous());
}

void write_files() {
  std::string record(kRecordBytes, '\0');
  for (size_t i = 0; i < record.size(); ++i) {
    record[i] = static_cast<char>(i * 31);
  }
  for (int file = 0; file < kFiles; ++file) {
    data::TFRecordWriter writer("gs://bucket/" + name_of(file));
    for (int i = 0; i < kRecords; ++i) writer.write(record);
    writer.close();
  }
}

void serve() {
  if (testing::emulators_python().empty()) {
    throw NotFoundError("the emulator is missing: scripts/install-emulators");
  }
  const testing::TemporaryFolder folder;
  const testing::Emulator emulator(
      {testing::emulators_python(), "-m", "gcp_storage_emulator", "--data-dir",
       "{folder}/data", "start", "--host", "127.0.0.1", "--port", "{port}",
       "--default-bucket", "bucket", "--quiet", "--in-memory"},
      folder.path().string());
  use_service(emulator.url());
  write_files();
  // The emulator takes one request at a time and few that wait.
  std::mutex mutex;
  const testing::HttpServer link(
      [&](const testing::HttpServer::Request& request) {
        const std::lock_guard lock(mutex);
        auto reply = testing::hand_on(emulator.url(), request);
        reply.delay = kLatency;
        return reply;
      });
  std::puts(link.url().c_str());
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
  }
}

// Runs a pass several times; returns the microseconds of the best.
template <class F>
double best(F pass) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kPasses; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    if (pass() < size_t{kFiles} * kRecords * kRecordBytes) {
      throw InternalError("bytes are missing");
    }
    const std::chrono::duration<double, std::micro> took =
        std::chrono::steady_clock::now() - begin;
    least = std::min(least, took.count());
  }
  return least;
}

// Reads all records; returns their bytes.
size_t read_records() {
  std::vector<std::string> paths;
  for (int file = 0; file < kFiles; ++file) {
    paths.push_back("gs://bucket/" + name_of(file));
  }
  const auto dataset =
      data::TFRecordDataset(paths, {.num_parallel_reads = data::AUTOTUNE})
          .with_options({.deterministic = false})
          .prefetch(data::AUTOTUNE);
  size_t bytes = 0;
  data::Iterator iterator = dataset.iterator();
  for (data::Element element; iterator.get_next(&element);) {
    bytes += element.array().span<std::string>()[0].size();
  }
  return bytes;
}

size_t receive(char* data, size_t size, size_t count, void* to) {
  static_cast<std::string*>(to)->append(data, size * count);
  return size * count;
}

// Asks for part after part of all files until none is left.
void ask(const std::string& address, std::atomic<size_t>* next,
         std::atomic<size_t>* bytes) {
  const size_t file_bytes = kRecords * (kRecordBytes + 16);
  const size_t parts = (file_bytes - 1) / kRequestBytes + 1;
  const std::unique_ptr<CURL, void (*)(CURL*)> curl(curl_easy_init(),
                                                    curl_easy_cleanup);
  for (size_t i = (*next)++; i < kFiles * parts; i = (*next)++) {
    const std::string url = address + "/download/storage/v1/b/bucket/o/" +
                            name_of(static_cast<int>(i / parts)) + "?alt=media";
    const size_t first = i % parts * kRequestBytes;
    const size_t last = std::min(first + kRequestBytes, file_bytes) - 1;
    const std::string range =
        std::to_string(first) + "-" + std::to_string(last);
    std::string body;
    curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
    curl_easy_setopt(curl.get(), CURLOPT_RANGE, range.c_str());
    curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &body);
    curl_easy_setopt(curl.get(), CURLOPT_BUFFERSIZE, 256L << 10);
    curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
    if (curl_easy_perform(curl.get()) != CURLE_OK) return;
    *bytes += body.size();
  }
}

size_t read_bytes(const std::string& address) {
  std::atomic<size_t> next = 0;
  std::atomic<size_t> bytes = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kRequests; ++i) {
      threads.emplace_back([&] { ask(address, &next, &bytes); });
    }
  }
  return bytes;
}

void measure(const std::string& address, bool link) {
  use_service(address);
  const double took =
      best([&] { return link ? read_bytes(address) : read_records(); });
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "{\"program\": \"systolic\", \"read_us\": %.1f, \"resident_mb\": %.1f}\n",
      took, static_cast<double>(usage.ru_maxrss) / 1024);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Times reading of records of gs://.");
  std::string address;
  bool serves = false;
  bool link = false;
  app.add_option("address", address, "Where the service is");
  app.add_flag("--serve", serves, "Runs the service");
  app.add_flag("--link", link, "Reads the bytes with libcurl alone");
  CLI11_PARSE(app, argc, argv);
  try {
    if (serves) {
      serve();
    } else {
      measure(address, link);
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "storage: %s\n", e.what());
    return 1;
  }
  return 0;
}
