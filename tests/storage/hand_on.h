// Hands requests of a server of ours on to an emulator.
//   HttpServer proxy([&](const auto& r) { return hand_on(target, r); });
#pragma once

#include <string>

#include "systolic/testing/http_server.h"

namespace systolic::testing {

// What the service at `target`, "http://127.0.0.1:80", answers to a request; a
// reply that hangs up where it does not answer.
HttpServer::Reply hand_on(const std::string& target,
                          const HttpServer::Request& request);

}  // namespace systolic::testing
