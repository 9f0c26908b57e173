// Stands between a client and a service that does not speak HTTP.
//   const TcpProxy proxy(port, [](std::string_view bytes) {
//     return bytes.find("rename") == bytes.npos ? TcpProxy::Fate::hand_on
//                                               : TcpProxy::Fate::lose;
//   });
#pragma once

#include <functional>
#include <string_view>
#include <thread>
#include <vector>

namespace systolic::testing {

// Hands on what comes, until it goes out of scope.
class TcpProxy {
 public:
  // What becomes of a request: the connection ends before it is handed on, or
  // when the answer comes.
  enum class Fate { hand_on, lose, lose_answer };
  // Is asked for each piece that a client sends, from several threads at once.
  using Watch = std::function<Fate(std::string_view bytes)>;

  // Listens on a port of its own for those who want `port` of this machine.
  // Throws std::system_error.
  TcpProxy(int port, Watch watch);
  ~TcpProxy();
  TcpProxy(const TcpProxy&) = delete;
  TcpProxy& operator=(const TcpProxy&) = delete;

  int port() const { return port_; }

 private:
  void accept_all(const std::stop_token& stop);
  void serve(int client, const std::stop_token& stop) const;

  const int target_;
  const Watch watch_;
  int listener_ = -1;
  int port_ = 0;
  std::vector<std::jthread> connections_;
  std::jthread accepting_;
};

}  // namespace systolic::testing
