#include "tests/storage/faulty_proxy.h"

#include <utility>

#include "tests/storage/hand_on.h"

namespace systolic::testing {
namespace {

using Request = HttpServer::Request;
using Reply = HttpServer::Reply;

}  // namespace

FaultyProxy::FaultyProxy(std::string target)
    : target_(std::move(target)),
      server_([this](const Request& request) { return answer(request); }) {}

Reply FaultyProxy::answer(const Request& request) {
  const int turn = turn_++;
  if (turn % 2 != 0) return hand_on(target_, request);
  ++faults_;
  const bool repeatable = request.method == "GET" || request.method == "DELETE";
  const auto half = [&] {
    Reply reply = hand_on(target_, request);
    reply.body += '.';  // Of an empty answer something is missing too.
    return reply;
  };
  switch (turn / 2 % 5) {
    case 0:
      return {.status = 503, .body = "busy"};
    case 1:
      return {.status = 429, .headers = {{"Retry-After", "0"}}};
    case 2:
      return {.hang_up = true};
    case 3: {
      if (!repeatable) return {.status = 500};
      Reply reply = half();
      reply.cut_after = reply.body.size() / 2;
      return reply;
    }
    default: {
      if (!repeatable) return {.status = 502};
      Reply reply = half();
      reply.stall = kStall;
      // Nor does it come to its end.
      reply.cut_after = reply.body.size() - 1;
      return reply;
    }
  }
}

}  // namespace systolic::testing
