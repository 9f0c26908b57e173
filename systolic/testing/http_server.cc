#include "systolic/testing/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string_view>
#include <system_error>
#include <thread>

namespace systolic::testing {
namespace {

using Request = HttpServer::Request;
using Reply = HttpServer::Reply;

std::string lower(std::string text) {
  for (char& c : text) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return text;
}

bool send_all(int socket, std::string_view bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t sent =
        ::send(socket, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    done += static_cast<size_t>(sent);
  }
  return true;
}

// Reads more into the buffer; false at the end.
bool receive_more(int socket, std::string* buffer) {
  char part[65536];
  const ssize_t got = recv(socket, part, sizeof part, 0);
  if (got <= 0) return false;
  buffer->append(part, static_cast<size_t>(got));
  return true;
}

// Takes the next line, without its end; false at the end of the connection.
bool receive_line(int socket, std::string* buffer, std::string* line) {
  size_t end = std::string::npos;
  while ((end = buffer->find("\r\n")) == std::string::npos) {
    if (!receive_more(socket, buffer)) return false;
  }
  *line = buffer->substr(0, end);
  buffer->erase(0, end + 2);
  return true;
}

// Moves `size` bytes to the end of `out`.
bool receive_bytes(int socket, std::string* buffer, size_t size,
                   std::string* out) {
  while (buffer->size() < size) {
    if (!receive_more(socket, buffer)) return false;
  }
  out->append(*buffer, 0, size);
  buffer->erase(0, size);
  return true;
}

// Takes a body whose size is told piece by piece.
bool receive_chunks(int socket, std::string* buffer, std::string* body) {
  std::string line;
  while (receive_line(socket, buffer, &line)) {
    const size_t size = std::strtoull(line.c_str(), nullptr, 16);
    if (size == 0) {
      // The headers that may follow are of no interest.
      while (!line.empty()) {
        if (!receive_line(socket, buffer, &line)) return false;
      }
      return true;
    }
    const bool whole = receive_bytes(socket, buffer, size, body) &&
                       receive_line(socket, buffer, &line);
    if (!whole) return false;
  }
  return false;
}

bool receive_body(int socket, std::string* buffer, Request* request) {
  // Clients that ask first whether the body may come wait for this.
  if (request->header("expect") == "100-continue" &&
      !send_all(socket, "HTTP/1.1 100 Continue\r\n\r\n")) {
    return false;
  }
  if (request->header("transfer-encoding") == "chunked") {
    return receive_chunks(socket, buffer, &request->body);
  }
  const auto size = static_cast<size_t>(
      std::atoll(request->header("content-length").c_str()));
  return receive_bytes(socket, buffer, size, &request->body);
}

// Takes the next request from the connection; false at its end.
bool receive_request(int socket, std::string* buffer, Request* request) {
  *request = {};
  std::string line;
  if (!receive_line(socket, buffer, &line)) return false;
  const size_t space = line.find(' ');
  request->method = line.substr(0, space);
  request->target = line.substr(space + 1, line.rfind(' ') - space - 1);
  while (receive_line(socket, buffer, &line)) {
    if (line.empty()) return receive_body(socket, buffer, request);
    const size_t colon = line.find(": ");
    if (colon != std::string::npos) {
      request->headers[lower(line.substr(0, colon))] = line.substr(colon + 2);
    }
  }
  return false;
}

}  // namespace

struct HttpServer::State {
  Handler handler;
  int listener = -1;
  int port = 0;
  mutable std::mutex mutex;
  std::condition_variable stopping;
  bool stopped = false;
  std::vector<Request> requests;
  std::set<int> connections;
  std::vector<std::thread> threads;
  std::thread accepting;

  void pause(double seconds) {
    std::unique_lock lock(mutex);
    stopping.wait_for(lock, std::chrono::duration<double>(seconds),
                      [this] { return stopped; });
  }

  // Whether the connection stays. Of a body that nobody asked for only the
  // size is told.
  bool answer(int socket, const Reply& reply, bool with_body) {
    if (reply.delay > 0) pause(reply.delay);
    if (reply.hang_up) return false;
    std::string text = "HTTP/1.1 " + std::to_string(reply.status) + " X\r\n";
    text += "Content-Length: " + std::to_string(reply.body.size()) + "\r\n";
    for (const auto& [name, value] : reply.headers) {
      text += name + ": " + value + "\r\n";
    }
    text += "\r\n";
    if (!with_body) return send_all(socket, text);
    const std::string_view body =
        std::string_view(reply.body).substr(0, reply.cut_after);
    const size_t half = reply.stall > 0 ? body.size() / 2 : body.size();
    if (!send_all(socket, text) || !send_all(socket, body.substr(0, half))) {
      return false;
    }
    if (reply.stall > 0) pause(reply.stall);
    return send_all(socket, body.substr(half)) &&
           body.size() == reply.body.size();
  }

  void serve(int socket) {
    std::string buffer;
    Request request;
    while (receive_request(socket, &buffer, &request)) {
      {
        const std::lock_guard lock(mutex);
        requests.push_back(request);
      }
      if (!answer(socket, handler(request), request.method != "HEAD")) break;
    }
    const std::lock_guard lock(mutex);
    connections.erase(socket);
    ::close(socket);
  }

  void accept_all() {
    while (true) {
      const int socket = accept(listener, nullptr, nullptr);
      if (socket < 0) return;
      const int on = 1;
      setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      const std::lock_guard lock(mutex);
      if (stopped) {
        ::close(socket);
        return;
      }
      connections.insert(socket);
      threads.emplace_back([this, socket] { serve(socket); });
    }
  }
};

std::string HttpServer::Request::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

HttpServer::HttpServer(Handler handler) : state_(std::make_unique<State>()) {
  state_->handler = std::move(handler);
  state_->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (state_->listener < 0 || bind(state_->listener, generic, size) != 0 ||
      listen(state_->listener, 128) != 0 ||
      getsockname(state_->listener, generic, &size) != 0) {
    throw std::system_error(errno, std::generic_category(), "HttpServer");
  }
  state_->port = ntohs(address.sin_port);
  state_->accepting = std::thread([this] { state_->accept_all(); });
}

HttpServer::~HttpServer() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopped = true;
    state_->stopping.notify_all();
    shutdown(state_->listener, SHUT_RDWR);
    for (const int socket : state_->connections) shutdown(socket, SHUT_RDWR);
  }
  state_->accepting.join();
  for (std::thread& thread : state_->threads) thread.join();
  ::close(state_->listener);
}

std::string HttpServer::url(const std::string& path) const {
  return "http://127.0.0.1:" + std::to_string(state_->port) + path;
}

std::vector<Request> HttpServer::requests() const {
  const std::lock_guard lock(state_->mutex);
  return state_->requests;
}

Reply file_reply(const Request& request, const std::string& bytes,
                 const std::string& etag) {
  Reply reply;
  if (!etag.empty()) reply.headers.emplace_back("ETag", etag);
  const std::string match = request.header("if-match");
  if (!match.empty() && match != etag) {
    reply.status = 412;
    return reply;
  }
  unsigned long long first = 0;
  unsigned long long last = 0;
  if (std::sscanf(request.header("range").c_str(), "bytes=%llu-%llu", &first,
                  &last) != 2) {
    reply.body = bytes;
    return reply;
  }
  const std::string size = std::to_string(bytes.size());
  if (first >= bytes.size()) {
    reply.status = 416;
    reply.headers.emplace_back("Content-Range", "bytes */" + size);
    return reply;
  }
  last = std::min<unsigned long long>(last, bytes.size() - 1);
  reply.status = 206;
  reply.body = bytes.substr(first, last - first + 1);
  reply.headers.emplace_back("Content-Range", "bytes " + std::to_string(first) +
                                                  "-" + std::to_string(last) +
                                                  "/" + size);
  return reply;
}

}  // namespace systolic::testing
