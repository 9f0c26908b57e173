// Stands between a client and an emulator and does harm.
//   const FaultyProxy proxy(emulator.url());
#pragma once

#include <atomic>
#include <string>

#include "systolic/testing/http_server.h"

namespace systolic::testing {

// Hands requests on, but every second one fails in turn: with 503 or 429
// before it is handed on, by closing the connection, or in the midst of the
// answer, by an end or by silence, which only requests get that may be
// repeated.
class FaultyProxy {
 public:
  // Seconds of silence.
  static constexpr double kStall = 0.5;

  explicit FaultyProxy(std::string target);

  std::string url() const { return server_.url(); }
  // How many requests failed.
  int faults() const { return faults_; }

 private:
  HttpServer::Reply answer(const HttpServer::Request& request);

  const std::string target_;
  std::atomic<int> turn_ = 0;
  std::atomic<int> faults_ = 0;
  HttpServer server_;
};

}  // namespace systolic::testing
