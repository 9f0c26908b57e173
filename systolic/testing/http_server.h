// A web server of a test, on a port of its own of this machine.
//   HttpServer server([](const HttpServer::Request& request) {
//     return HttpServer::Reply{.body = "hello"};
//   });
//   read_file(server.url("/a"));
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace systolic::testing {

// Answers each request with what a function says, faults included. The
// function is called from several threads at once.
class HttpServer {
 public:
  struct Request {
    std::string method;
    std::string target;                          // "/path?query"
    std::map<std::string, std::string> headers;  // by lower-case name
    std::string body;

    // A header's value; empty where it is not there.
    std::string header(const std::string& name) const;
  };

  struct Reply {
    int status = 200;
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::string body = {};
    // Only so many bytes of the body are sent, then the connection closes.
    size_t cut_after = static_cast<size_t>(-1);
    // Seconds before the answer begins.
    double delay = 0;
    // Seconds in the middle of the body.
    double stall = 0;
    // The connection closes without an answer.
    bool hang_up = false;
  };

  using Handler = std::function<Reply(const Request&)>;

  // Starts to answer. Throws std::system_error when there is no port.
  explicit HttpServer(Handler handler);
  // Closes all connections.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // "http://127.0.0.1:<port>" and the path.
  std::string url(const std::string& path = "") const;
  // All requests so far.
  std::vector<Request> requests() const;
  // How many requests there were so far.
  size_t count() const { return requests().size(); }

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The answer of a server with range requests for a file.
HttpServer::Reply file_reply(const HttpServer::Request& request,
                             const std::string& bytes,
                             const std::string& etag = "");

}  // namespace systolic::testing
