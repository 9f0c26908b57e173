#include "tests/storage/tcp_proxy.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <span>
#include <system_error>
#include <utility>

#include "tests/storage/local_address.h"

namespace systolic::testing {
namespace {

// How often a thread looks whether it is to end.
constexpr int kLookMilliseconds = 20;

// What has come; empty at the end.
std::string_view receive(int socket, std::span<char> buffer) {
  const ssize_t got = recv(socket, buffer.data(), buffer.size(), 0);
  return {buffer.data(), got < 0 ? 0 : static_cast<size_t>(got)};
}

bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

}  // namespace

TcpProxy::TcpProxy(int port, Watch watch)
    : target_(port),
      watch_(std::move(watch)),
      listener_(socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address = local_address(0);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  constexpr int kMostWaiting = 64;
  if (bind(listener_, generic, size) != 0 ||
      listen(listener_, kMostWaiting) != 0 ||
      getsockname(listener_, generic, &size) != 0) {
    throw std::system_error(errno, std::generic_category(), "no port is free");
  }
  port_ = ntohs(address.sin_port);
  accepting_ =
      std::jthread([this](const std::stop_token& stop) { accept_all(stop); });
}

TcpProxy::~TcpProxy() {
  accepting_.request_stop();
  accepting_.join();
  connections_.clear();
  close(listener_);
}

void TcpProxy::accept_all(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    pollfd waiting{.fd = listener_, .events = POLLIN, .revents = 0};
    if (poll(&waiting, 1, kLookMilliseconds) <= 0) continue;
    const int client = accept(listener_, nullptr, nullptr);
    if (client < 0) continue;
    connections_.emplace_back(
        [this, client](const std::stop_token& end) { serve(client, end); });
  }
}

void TcpProxy::serve(int client, const std::stop_token& stop) const {
  const int server = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = local_address(target_);
  bool open = connect(server, reinterpret_cast<sockaddr*>(&address),
                      sizeof address) == 0;
  std::array<char, 1 << 16> buffer;
  Fate fate = Fate::hand_on;
  while (open && !stop.stop_requested()) {
    std::array<pollfd, 2> both{
        pollfd{.fd = client, .events = POLLIN, .revents = 0},
        pollfd{.fd = server, .events = POLLIN, .revents = 0}};
    if (poll(both.data(), both.size(), kLookMilliseconds) <= 0) continue;
    if (both[0].revents != 0) {
      const std::string_view bytes = receive(client, buffer);
      fate = bytes.empty() ? Fate::lose : watch_(bytes);
      open = fate != Fate::lose && send_all(server, bytes);
    } else {
      const std::string_view bytes = receive(server, buffer);
      open = !bytes.empty() && fate != Fate::lose_answer &&
             send_all(client, bytes);
    }
  }
  close(server);
  close(client);
}

}  // namespace systolic::testing
