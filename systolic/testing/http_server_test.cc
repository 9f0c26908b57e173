#include "systolic/testing/http_server.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "systolic/io/http_client.h"
#include "systolic/io/test_storage_options.h"

namespace systolic::testing {
namespace {

using io::detail::HttpAnswer;
using io::detail::send_once;

TEST(HttpServerTest, AnswersWithWhatTheFunctionSays) {
  const HttpServer server([](const HttpServer::Request& request) {
    return HttpServer::Reply{
        .status = 201,
        .headers = {{"X-Told", request.header("x-asked")}},
        .body = request.method + " " + request.target + " " + request.body};
  });
  const HttpAnswer answer = send_once({.method = "PUT",
                                       .url = server.url("/a?b=c"),
                                       .headers = {{"X-Asked", "this"}},
                                       .body = "text"},
                                      {});
  EXPECT_EQ(answer.status, 201);
  EXPECT_EQ(answer.body, "PUT /a?b=c text");
  EXPECT_EQ(answer.header("x-told"), "this");
  EXPECT_EQ(server.count(), 1u);
}

TEST(HttpServerTest, CutsOffAndHangsUp) {
  const HttpServer server([](const HttpServer::Request& request) {
    HttpServer::Reply reply;
    reply.body = "0123456789";
    if (request.target == "/cut") reply.cut_after = 4;
    reply.hang_up = request.target == "/hang";
    return reply;
  });
  EXPECT_EQ(send_once({.url = server.url("/cut")}, {}).status, 0);
  EXPECT_EQ(send_once({.url = server.url("/hang")}, {}).status, 0);
  EXPECT_EQ(send_once({.url = server.url("/")}, {}).body, "0123456789");
}

// As Amazon's client sends what it writes.
TEST(HttpServerTest, TakesBodiesPieceByPieceAndAnswersWhetherTheyMayCome) {
  const HttpServer server([](const HttpServer::Request& request) {
    return HttpServer::Reply{.body = request.target + " " + request.body};
  });
  const HttpAnswer answer =
      send_once({.method = "PUT",
                 .url = server.url("/a"),
                 .headers = {{"Transfer-Encoding", "chunked"}},
                 .body = std::string(100'000, 'x')},
                {});
  EXPECT_EQ(answer.body, "/a " + std::string(100'000, 'x'));

  const std::string url = server.url();
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port =
      htons(static_cast<uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(connect(socket, reinterpret_cast<const sockaddr*>(&address),
                    sizeof address),
            0);
  const auto ask = [&](const std::string& text) {
    EXPECT_EQ(send(socket, text.data(), text.size(), 0),
              static_cast<ssize_t>(text.size()));
    std::string got(1000, '\0');
    got.resize(static_cast<size_t>(
        std::max<ssize_t>(0, recv(socket, got.data(), got.size(), 0))));
    return got;
  };
  EXPECT_EQ(ask("PUT /b HTTP/1.1\r\nExpect: 100-continue\r\n"
                "Transfer-Encoding: chunked\r\n\r\n"),
            "HTTP/1.1 100 Continue\r\n\r\n");
  const std::string whole =
      ask("3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\nTrailer: 1\r\n\r\n");
  EXPECT_TRUE(whole.starts_with("HTTP/1.1 200")) << whole;
  EXPECT_EQ(server.requests().back().body, "abc0123456789");
  close(socket);
}

TEST(HttpServerTest, ServesRangesOfAFile) {
  const HttpServer server([](const HttpServer::Request& request) {
    return file_reply(request, "0123456789", "\"v\"");
  });
  const HttpAnswer part = send_once(
      {.url = server.url("/"), .headers = {{"Range", "bytes=2-4"}}}, {});
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(part.body, "234");
  EXPECT_EQ(part.header("content-range"), "bytes 2-4/10");
  EXPECT_EQ(part.header("etag"), "\"v\"");
  EXPECT_EQ(
      send_once({.url = server.url("/"), .headers = {{"If-Match", "\"w\""}}},
                {})
          .status,
      412);
}

}  // namespace
}  // namespace systolic::testing
