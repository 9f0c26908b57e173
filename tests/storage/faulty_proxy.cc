#include "tests/storage/faulty_proxy.h"

#include <utility>

#include "systolic/io/http_client.h"

namespace systolic::testing {
namespace {

using Request = HttpServer::Request;
using Reply = HttpServer::Reply;

// Asks the emulator.
Reply hand_on(const std::string& target, const Request& request) {
  io::detail::HttpRequest forward;
  forward.method = request.method;
  forward.url = target + request.target;
  forward.body = request.body;
  for (const auto& [name, value] : request.headers) {
    if (name == "connection" || name == "content-length") continue;
    forward.headers.emplace_back(name, value);
  }
  const io::detail::HttpAnswer answer = io::detail::send_once(forward, {});
  if (answer.status == 0) return {.hang_up = true};
  Reply reply;
  reply.status = static_cast<int>(answer.status);
  reply.body = answer.body;
  for (const auto& [name, value] : answer.headers) {
    if (name == "connection" || name == "content-length" ||
        name == "transfer-encoding") {
      continue;
    }
    reply.headers.emplace_back(name, value);
  }
  return reply;
}

}  // namespace

FaultyProxy::FaultyProxy(std::string target)
    : target_(std::move(target)),
      server_([this](const Request& request) { return answer(request); }) {}

Reply FaultyProxy::answer(const Request& request) {
  const int turn = turn_++;
  if (turn % 2 != 0) return hand_on(target_, request);
  ++faults_;
  const bool repeatable = request.method == "GET" || request.method == "DELETE";
  switch (turn / 2 % 4) {
    case 0:
      return {.status = 503, .body = "busy"};
    case 1:
      return {.status = 429, .headers = {{"Retry-After", "0"}}};
    case 2:
      return {.hang_up = true};
    default:
      if (!repeatable) return {.status = 500};
      Reply reply = hand_on(target_, request);
      reply.body += '.';  // Of an empty answer something is missing too.
      reply.cut_after = reply.body.size() / 2;
      return reply;
  }
}

}  // namespace systolic::testing
