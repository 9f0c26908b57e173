// Tested by: tests/storage/gcs_test.cc
#include "tests/storage/hand_on.h"

#include <cstdlib>
#include <utility>

#include "systolic/io/http_client.h"

namespace systolic::testing {

HttpServer::Reply hand_on(const std::string& target,
                          const HttpServer::Request& request) {
  io::detail::HttpRequest forward;
  forward.method = request.method;
  forward.url = target + request.target;
  forward.body = request.body;
  for (const auto& [name, value] : request.headers) {
    // The body is here as a whole.
    if (name == "connection" || name == "content-length" ||
        name == "transfer-encoding" || name == "expect") {
      continue;
    }
    forward.headers.emplace_back(name, value);
  }
  // Else curl says what the body is, which signatures may be of.
  if (request.header("content-type").empty()) {
    forward.headers.emplace_back("Content-Type", "");
  }
  const io::detail::HttpAnswer answer = io::detail::send_once(forward, {});
  if (answer.status == 0) return {.hang_up = true};
  HttpServer::Reply reply;
  reply.status = static_cast<int>(answer.status);
  reply.body = answer.body;
  if (request.method == "HEAD") {
    // Of which only the size is sent.
    reply.body.resize(static_cast<size_t>(
        std::atoll(answer.header("content-length").c_str())));
  }
  for (const auto& [name, value] : answer.headers) {
    if (name == "connection" || name == "content-length" ||
        name == "transfer-encoding") {
      continue;
    }
    reply.headers.emplace_back(name, value);
  }
  return reply;
}

}  // namespace systolic::testing
