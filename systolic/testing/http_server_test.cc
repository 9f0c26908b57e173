#include "systolic/testing/http_server.h"

#include <gtest/gtest.h>

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
